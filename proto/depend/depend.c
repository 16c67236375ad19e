/* The rules are in the header. No memory system is modelled here: the trace does not contain the latencies of the
 * recorded run, so the front end is ideal, and mispredicted branches cost nothing.
 *
 * State of dependences: for each register, the records that wrote it last, which are always consecutive; stores of the
 * last window (stores.h); loads of the last window, for fences. */
#include "proto/depend/depend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/line_span.h"
#include "base/list.h"
#include "proto/depend/stores.h"

#define READ_REQ 1u                      /* numeric command of a fetch */
#define FLAG_FETCH UINT32_C(0x00000100)  /* request flags (elastic-trace 1.6) */
#define FLAG_PREFETCH UINT32_C(0x01000000)
#define FRONT_END_CYCLES 16u             /* a block that takes longer, by repeats, gets another front end */
#define MOST_FETCHES 2                   /* of an instruction: it may lie in two blocks */
#define MOST_WEIGHT 16384u               /* in order: distances of the reorder buffer are numbers of 16 bits */
#define LINES 4096u

struct producer { uint64_t seq; uint32_t count; };          /* records that wrote a register, the first; seq 0: none */

struct line_access { uint64_t line, seq; };                 /* seq 0: none */
struct pieces { uint64_t first_seq; uint32_t count; };      /* of an access */

struct depend {
    struct depend_options options;
    struct depend_space space;
    struct depend_counts counts;

    /* the instruction's output */
    struct dep_record *records;
    size_t *dep_places;                  /* in deps, of each record's rob_dep; reg_dep follows */
    size_t record_count, record_room;
    uint64_t *deps;
    size_t dep_count, dep_room;
    struct packet_record fetches[MOST_FETCHES];
    size_t fetch_count;
    bool lacks_memory, lacks_page;

    /* fetching */
    uint64_t block, last_pc;             /* block: first address of the present one */
    bool has_block, must_fetch, was_taken;
    uint64_t tick, block_uops;
    uint64_t front_end;                  /* seq of the block's record */
    uint64_t fetch_stop;                 /* seq that the next block waits for; 0: none */

    /* dependences */
    uint64_t next_seq;
    uint32_t filtered;                   /* micro-ops without a record since the last one with */
    struct producer *written;            /* by register */
    struct depend_stores stores;
    uint64_t *loads;                     /* ring of seqs, by number */
    uint64_t ring_mask, load_count, fenced_loads, own_loads;    /* own: of the instruction, the first */
    uint64_t last_store, last_load;      /* seq; 0: none */
    uint64_t fence, load_fence, store_fence;     /* seq of the last one, and of those that loads and stores wait for */
    uint64_t own_fence;                  /* that the instruction's own accesses wait for; 0: none */

    /* in order */
    uint64_t position, paced;            /* micro-ops so far; those whose cycles are in delays */
    uint64_t waited_ps;                  /* by gap_ps, not in delays yet */
    uint64_t time_ps;                    /* sum of all gap_ps */
    uint64_t carried_ps;                 /* delays since last_sent, of records that the next one does not wait for */
    uint64_t last_sent;                  /* seq of the record before; 0: none */
    struct pieces asked;                 /* loads of the access before */
    bool is_alone, is_first_piece;       /* of the present access */
    struct line_access lines[LINES];
};

static const struct { bool loads, stores, holds_loads, holds_stores; } fence_table[DEPEND_FENCE_COUNT] = {
#define FENCE_ROW(suffix, loads, stores, holds_loads, holds_stores)                                                   \
    [DEPEND_FENCE_##suffix] = {loads, stores, holds_loads, holds_stores},
    DEPEND_FENCES(FENCE_ROW)
#undef FENCE_ROW
};

const char *depend_kind_name(enum depend_kind kind)
{
    static const char *const names[DEPEND_KIND_COUNT] = {
#define KIND_NAME(suffix, name) name,
        DEPEND_KINDS(KIND_NAME)
#undef KIND_NAME
    };

    return names[kind];
}

/* ---- records being made */

static void push_dep(struct depend *depend, uint64_t seq)
{
    if (!list_fit(&depend->deps, depend->dep_count + 1, &depend->dep_room, sizeof *depend->deps)) {
        depend->lacks_memory = true;
        return;
    }
    depend->deps[depend->dep_count++] = seq;
}

/* Of both lists of records. */
static bool fit_record(struct depend *depend)
{
    size_t const wanted = depend->record_count + 1;
    size_t room = depend->record_room;

    return list_fit(&depend->dep_places, wanted, &room, sizeof *depend->dep_places)
        && list_fit(&depend->records, wanted, &depend->record_room, sizeof *depend->records);
}

/* A new record, all of whose dependences are pushed before the next one begins; NULL without memory. */
static struct dep_record *begin_record(struct depend *depend, enum dep_type type, uint64_t pc, uint64_t delay_cyc)
{
    struct dep_record *record;

    if (!fit_record(depend)) {
        depend->lacks_memory = true;
        return NULL;
    }
    depend->dep_places[depend->record_count] = depend->dep_count;
    record = &depend->records[depend->record_count++];
    *record = (struct dep_record){.seq_num = depend->next_seq++, .type = type, .pc = pc, .present = DEP_HAS_PC,
                                  .comp_delay = delay_cyc * depend->options.period_ps, .weight = depend->filtered};
    depend->filtered = 0;
    depend->counts.records[type]++;
    return record;
}

static void finish_weight(struct dep_record *record)
{
    if (record->weight != 0)
        record->present |= DEP_HAS_WEIGHT;
}

static bool is_in_window(const struct depend *depend, uint64_t seq, uint64_t parent)
{
    return parent != 0 && seq - parent < depend->options.window;
}

/* Whether the parent is already an order dependence of the record. */
static bool has_order(const struct depend *depend, const struct dep_record *record, uint64_t parent)
{
    for (uint32_t i = 0; i < record->rob_dep_count; i++)
        if (depend->deps[depend->dep_count - 1 - i] == parent)
            return true;
    return false;
}

/* Before any register dependence of the record. */
static void depend_add_order(struct depend *depend, struct dep_record *record, uint64_t parent, uint64_t *counter)
{
    if (has_order(depend, record, parent))
        return;
    push_dep(depend, parent);
    if (depend->lacks_memory)
        return;
    record->rob_dep_count++;
    ++*counter;
}

static void add_memory_order(struct depend *depend, struct dep_record *record, uint64_t parent)
{
    if (is_in_window(depend, record->seq_num, parent))
        depend_add_order(depend, record, parent, &depend->counts.memory_deps);
}

/* ---- registers */

static int by_number(const void *a, const void *b)
{
    uint64_t const one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

/* Sorts the entries pushed since `from`, drops duplicates, and returns the remaining number. */
static uint32_t settle(struct depend *depend, size_t from)
{
    uint64_t *const deps = depend->deps + from;
    size_t const count = depend->dep_count - from;
    size_t kept = 0;
    bool is_sorted = true;

    for (size_t i = 1; i < count; i++)
        is_sorted = is_sorted && deps[i - 1] < deps[i];
    if (!is_sorted)
        qsort(deps, count, sizeof *deps, by_number);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || deps[kept - 1] != deps[i])
            deps[kept++] = deps[i];
    depend->dep_count = from + kept;
    return (uint32_t)kept;
}

static void add_registers(struct depend *depend, struct dep_record *record, const struct depend_uop *uop)
{
    size_t const from = depend->dep_count;

    for (unsigned i = 0; i < uop->source_count; i++) {
        struct producer const producer = depend->written[uop->sources[i]];

        if (producer.seq == 0)
            continue;
        for (uint32_t j = 0; j < producer.count; j++)
            if (is_in_window(depend, record->seq_num, producer.seq + j))
                push_dep(depend, producer.seq + j);
    }
    if (depend->lacks_memory)
        return;
    record->reg_dep_count = settle(depend, from);
    depend->counts.register_deps += record->reg_dep_count;
}

static void write_registers(struct depend *depend, const struct depend_uop *uop, struct pieces by)
{
    for (unsigned i = 0; i < uop->destination_count; i++)
        depend->written[uop->destinations[i]] = (struct producer){by.first_seq, by.count};
}

/* ---- memory order */

static void note_store(struct depend *depend, uint64_t seq, uint64_t start, uint64_t end)
{
    depend_stores_note(&depend->stores, seq, start, end);
    depend->last_store = seq;
}

static void note_load(struct depend *depend, uint64_t seq)
{
    depend->loads[depend->load_count++ & depend->ring_mask] = seq;
    depend->last_load = seq;
}

/* ---- fetch order */

/* A record that waits for no other of its block waits for the front end. The order dependences come before those on
 * registers, so they are moved aside. */
static void add_fetch_order(struct depend *depend, struct dep_record *record, size_t from)
{
    uint64_t *deps;

    if (depend->front_end == 0)
        return;
    for (size_t i = from; i < depend->dep_count; i++)
        if (depend->deps[i] >= depend->front_end)
            return;
    push_dep(depend, 0);
    if (depend->lacks_memory)
        return;
    deps = depend->deps + from + record->rob_dep_count;
    memmove(deps + 1, deps, record->reg_dep_count * sizeof *deps);
    *deps = depend->front_end;
    record->rob_dep_count++;
    depend->counts.fetch_deps++;
}

static void begin_front_end(struct depend *depend, uint64_t pc)
{
    uint64_t const before = depend->front_end;
    uint64_t cycles = 1;
    struct dep_record *record;

    if (depend->has_block) {
        cycles = (depend->block_uops + depend->options.width - 1) / depend->options.width;
        cycles = cycles ? cycles : 1;
        depend->tick += cycles * depend->options.period_ps;
    }
    depend->has_block = true;
    depend->block_uops = 0;
    if (depend->options.only_fetches || depend->options.is_in_order)
        return;
    record = begin_record(depend, DEP_COMP, pc, cycles);
    if (!record)
        return;
    record->weight -= record->weight != 0;       /* it takes the place of one of them */
    finish_weight(record);
    if (before != 0)
        depend_add_order(depend, record, before, &depend->counts.fetch_deps);
    if (depend->fetch_stop != 0)
        depend_add_order(depend, record, depend->fetch_stop, &depend->counts.fetch_deps);
    depend->fetch_stop = 0;
    depend->front_end = record->seq_num;
    depend->counts.front_ends++;
}

static uint64_t depend_place(struct depend *depend, uint64_t address)
{
    uint64_t const physical = depend->space.place(depend->space.self, address);

    depend->lacks_page = depend->lacks_page || (physical == UINT64_MAX && !depend->space.is_identity);
    return physical;
}

static void depend_begin_block(struct depend *depend, uint64_t block, uint64_t pc)
{
    uint64_t const address = depend_place(depend, block);

    begin_front_end(depend, pc);
    depend->block = block;
    depend->fetches[depend->fetch_count++] = (struct packet_record){
        .tick = depend->tick, .addr = address, .pc = pc, .cmd = READ_REQ, .size_bytes = depend->options.fetch_bytes,
        .flags = FLAG_FETCH, .present = PACKET_HAS_FLAGS | PACKET_HAS_PC};
    depend->counts.fetches++;
}

static void fetch(struct depend *depend, const struct depend_instruction *instruction)
{
    uint64_t const mask = ~(uint64_t)(depend->options.fetch_bytes - 1), pc = instruction->pc;
    uint64_t const size = instruction->size_bytes ? instruction->size_bytes : 1;
    bool const jumped = depend->was_taken || instruction->is_target;
    uint64_t const first = pc & mask, last = (pc + size - 1) & mask;
    bool const repeats = depend->has_block && pc == depend->last_pc && !jumped;

    if (depend->must_fetch || !depend->has_block
        || (!repeats && (jumped || first != depend->block)))
        depend_begin_block(depend, first, pc);
    else if (depend->block_uops >= (uint64_t)FRONT_END_CYCLES * depend->options.width)
        begin_front_end(depend, pc);
    if (last != depend->block)
        depend_begin_block(depend, last, pc);
    depend->must_fetch = false;
    depend->last_pc = pc;
}

/* ---- in order */

/* Before a first record that waits for `delay_ps`; of one micro-op that was only counted, if no cycle is lost so. */
static void put_beginning(struct depend *depend, uint64_t pc, uint64_t delay_ps)
{
    uint64_t const width = depend->options.width;
    struct dep_record *record;

    if (depend->last_sent != 0 || depend->has_block || delay_ps == 0)
        return;
    record = begin_record(depend, DEP_COMP, pc, 0);
    if (!record)
        return;
    if (depend->position > depend->paced + 1 && (depend->paced + 1) / width == depend->paced / width)
        depend->paced++;
    depend->last_sent = record->seq_num;
    depend->counts.front_ends++;
}

/* Of those micro-ops and the time that passed. */
static uint64_t pace_ps(const struct depend *depend, uint64_t micro_ops)
{
    uint64_t const width = depend->options.width;
    uint64_t const cycles = (depend->paced + micro_ops) / width - depend->paced / width;

    return cycles * depend->options.period_ps + depend->waited_ps;
}

/* Micro-ops since the last record become its delay and weight; without `all` only those that have to. */
static void put_pace(struct depend *depend, uint64_t pc, bool all)
{
    uint64_t const width = depend->options.width;
    uint64_t most = FRONT_END_CYCLES * width;

    if (depend->position - depend->paced >= (all ? 1 : most))
        put_beginning(depend, pc, pace_ps(depend, depend->position - depend->paced));
    while (depend->position - depend->paced >= (all ? 1 : most) && !depend->lacks_memory) {
        uint64_t left = depend->position - depend->paced, taken;
        struct dep_record *record;

        /* records after a whole window do not wait for any before it */
        most = left > depend->options.window + MOST_WEIGHT ? MOST_WEIGHT : most;
        taken = left < most ? left : most;
        record = begin_record(depend, DEP_COMP, pc, 0);
        if (!record)
            return;
        record->comp_delay = pace_ps(depend, taken) + depend->carried_ps;
        depend->waited_ps = depend->carried_ps = 0;
        record->weight = (uint32_t)taken - 1;
        finish_weight(record);
        if (depend->last_sent != 0)
            depend_add_order(depend, record, depend->last_sent, &depend->counts.memory_deps);
        depend->paced += taken;
        depend->last_sent = record->seq_num;
        depend->counts.front_ends++;
    }
}

/* Whether the record before is a load, whose response matters. */
static bool waits_for_answer(const struct depend *depend)
{
    struct pieces const asked = depend->asked;

    return depend->is_alone && asked.count > 0 && asked.count < depend->options.window
        && depend->last_sent == asked.first_seq + asked.count - 1;
}

/* Of an access, whose own micro-op is in `position` already. */
static void pace_access(struct depend *depend, struct dep_record *record)
{
    record->comp_delay = pace_ps(depend, depend->position - depend->paced);
    if (depend->options.keeps_times) {
        record->comp_delay = depend->time_ps;
        record->present |= DEP_AT_TIME;
    }
    depend->waited_ps = 0;
    record->comp_delay += depend->options.keeps_times ? 0 : depend->carried_ps;
    record->weight = depend->position > depend->paced ? (uint32_t)(depend->position - depend->paced - 1) : 0;
    depend->paced = depend->position;
    finish_weight(record);
    if (depend->last_sent != 0 && !waits_for_answer(depend))
        depend_add_order(depend, record, depend->last_sent, &depend->counts.memory_deps);
    /* One that waits for an answer holds up nothing but itself. */
    depend->carried_ps = record->present & DEP_AFTER_ANSWER ? record->comp_delay : 0;
    if (!(record->present & DEP_AFTER_ANSWER))
        depend->last_sent = record->seq_num;
}

/* Behind its order dependences. */
static void wait_for_answer(struct depend *depend, struct dep_record *record)
{
    for (uint32_t i = 0; i < depend->asked.count; i++)
        push_dep(depend, depend->asked.first_seq + i);
    record->reg_dep_count = depend->asked.count;
    depend->counts.memory_deps += record->reg_dep_count;
}

/* ---- micro-ops */

/* Before registers and the front end. */
static void order_access(struct depend *depend, struct dep_record *record, const struct depend_uop *uop, uint64_t start,
                         uint64_t end)
{
    if (depend->options.is_in_order) {
        bool const is_after_answer = waits_for_answer(depend);

        pace_access(depend, record);
        if (uop->kind == DEPEND_LOAD)
            add_memory_order(depend, record, depend_stores_find(&depend->stores, record->seq_num, start, end));
        if (is_after_answer)
            wait_for_answer(depend, record);
        return;
    }
    if (uop->kind == DEPEND_STORE) {
        add_memory_order(depend, record, depend->last_store);
        add_memory_order(depend, record, depend->last_load);
        add_memory_order(depend, record, depend->store_fence);
    } else if (uop->kind == DEPEND_LOAD) {
        add_memory_order(depend, record, depend_stores_find(&depend->stores, record->seq_num, start, end));
        add_memory_order(depend, record, depend->load_fence);
    }
    if (uop->kind != DEPEND_PREFETCH)
        add_memory_order(depend, record, depend->own_fence);
}

/* In a table of accesses to lines that waited for no other, where one may take another's place. */
static void follow_line(struct depend *depend, struct dep_record *record, uint64_t line)
{
    struct line_access *const last = &depend->lines[line % LINES];

    if (last->line != line || !is_in_window(depend, record->seq_num, last->seq)) {
        *last = (struct line_access){line, record->seq_num};
        return;
    }
    record->answer_dep = last->seq;
    record->present |= DEP_AFTER_ANSWER;
}

/* One piece of an access, within a line. */
static void put_piece(struct depend *depend, const struct depend_uop *uop, uint64_t pc, uint64_t address,
                      uint32_t bytes)
{
    enum dep_type const type = uop->kind == DEPEND_STORE ? DEP_STORE : DEP_LOAD;
    uint64_t const line_bytes = depend->options.line_bytes, room = line_bytes - address % line_bytes;
    uint64_t const end = address + (bytes < room ? bytes : room);      /* the bytes that the core accesses */
    struct dep_record *const record = begin_record(depend, type, pc, uop->latency_cyc);
    size_t const from = depend->dep_count;

    if (!record)
        return;
    finish_weight(record);
    record->present |= DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS;
    record->p_addr = depend_place(depend, address);
    if (!depend->space.is_identity) {
        record->v_addr = address;
        record->present |= DEP_HAS_V_ADDR;
    }
    if (depend->is_alone && depend->is_first_piece)
        record->present |= DEP_ALONE;
    else if (depend->options.are_lines)
        follow_line(depend, record, address / line_bytes);
    record->size_bytes = bytes;
    record->flags = uop->kind == DEPEND_PREFETCH ? FLAG_PREFETCH : 0;
    order_access(depend, record, uop, address, end);
    if (!depend->options.is_in_order) {
        add_registers(depend, record, uop);
        add_fetch_order(depend, record, from);
    }
    if (uop->kind == DEPEND_STORE)
        note_store(depend, record->seq_num, address, end);
    else if (uop->kind == DEPEND_LOAD)
        note_load(depend, record->seq_num);
}

/* An access, line by line. */
static struct pieces depend_put_access(struct depend *depend, const struct depend_uop *uop, uint64_t pc)
{
    uint64_t const line_bytes = depend->options.line_bytes;
    struct line_span const span = line_span_of(uop->address, uop->bytes, line_bytes);
    struct pieces pieces = {.first_seq = depend->next_seq};

    depend->is_first_piece = true;
    if (depend->options.is_in_order) {
        put_beginning(depend, pc, depend->options.keeps_times ? depend->time_ps
                      : pace_ps(depend, depend->position - depend->paced));
        pieces.first_seq = depend->next_seq;
    }
    do {
        uint64_t const start = pieces.count > 0 ? (span.first + pieces.count) * line_bytes : uop->address;
        uint64_t const room = line_bytes - start % line_bytes, left = uop->address + uop->bytes - start;

        put_piece(depend, uop, pc, start, (uint32_t)(left < room ? left : room));
        pieces.count++;
        depend->is_first_piece = false;
    } while (pieces.count < span.count && !depend->options.first_piece_only && !depend->lacks_memory);
    depend->asked = uop->kind == DEPEND_LOAD ? pieces : (struct pieces){0};
    depend->counts.pieces += pieces.count - 1;
    return pieces;
}

/* The loads of the window before it, since the last fence, or those of the instruction, as register dependences: an
 * order dependence on a load ends when it is sent. */
static void wait_for_loads(struct depend *depend, struct dep_record *record, bool only_own)
{
    size_t const from = depend->dep_count;
    uint64_t const room = depend->ring_mask + 1;
    uint64_t number = depend->load_count > room ? depend->load_count - room : 0;

    if (number < depend->fenced_loads)
        number = depend->fenced_loads;
    if (only_own && number < depend->own_loads)
        number = depend->own_loads;
    for (; number < depend->load_count; number++)
        if (is_in_window(depend, record->seq_num, depend->loads[number & depend->ring_mask]))
            push_dep(depend, depend->loads[number & depend->ring_mask]);
    record->reg_dep_count = (uint32_t)(depend->dep_count - from);
    depend->counts.memory_deps += record->reg_dep_count;
    if (!only_own)
        depend->fenced_loads = depend->load_count;
}

static void put_fence(struct depend *depend, const struct depend_uop *uop, uint64_t pc)
{
    struct dep_record *const record = begin_record(depend, DEP_COMP, pc, uop->latency_cyc);
    size_t const from = depend->dep_count;

    if (!record)
        return;
    finish_weight(record);
    if (fence_table[uop->fence].stores)
        add_memory_order(depend, record, depend->last_store);
    add_memory_order(depend, record, depend->fence);
    if (fence_table[uop->fence].loads)
        wait_for_loads(depend, record, uop->fence == DEPEND_FENCE_OWN_ACQUIRE);
    add_fetch_order(depend, record, from);
    if (uop->fence == DEPEND_FENCE_OWN_RELEASE) {
        depend->own_fence = record->seq_num;
        return;
    }
    depend->fence = record->seq_num;
    if (fence_table[uop->fence].holds_loads)
        depend->load_fence = record->seq_num;
    if (fence_table[uop->fence].holds_stores)
        depend->store_fence = record->seq_num;
}

static void put_computation(struct depend *depend, const struct depend_uop *uop, uint64_t pc)
{
    struct dep_record *const record = begin_record(depend, DEP_COMP, pc, uop->latency_cyc);
    size_t const from = depend->dep_count;

    if (!record)
        return;
    finish_weight(record);
    add_registers(depend, record, uop);
    add_fetch_order(depend, record, from);
}

static bool is_access(const struct depend_uop *uop)
{
    return uop->kind == DEPEND_LOAD || uop->kind == DEPEND_PREFETCH || uop->kind == DEPEND_STORE;
}

/* The answer: the records that it became; 0 of them if nothing waits for it. */
static struct pieces put_uop(struct depend *depend, const struct depend_uop *uop, uint64_t pc)
{
    struct pieces by = {.first_seq = depend->next_seq, .count = 1};

    depend->position++;
    if (is_access(uop)) {
        by = depend_put_access(depend, uop, pc);
    } else if (depend->options.is_in_order) {
        by.count = 0;
    } else if (uop->kind == DEPEND_FENCE) {
        put_fence(depend, uop, pc);
    } else if (uop->destination_count > 0 || uop->stops_fetch) {
        put_computation(depend, uop, pc);
    } else {
        depend->filtered++;
        by.count = 0;
    }
    if (uop->stops_fetch && by.count > 0)
        depend->fetch_stop = by.first_seq;
    return by;
}

/* Several loads of an instruction write its registers together, and none of them reads a register that another wrote;
 * if `apart`, one after another. */
static void put_uops(struct depend *depend, const struct depend_instruction *instruction)
{
    struct pieces loads = {0};

    depend->own_loads = depend->load_count;
    depend->own_fence = 0;
    depend->is_alone = instruction->is_alone || depend->options.waits_for_answers;
    for (size_t i = 0; i < instruction->uop_count; i++) {
        const struct depend_uop *const uop = &instruction->uops[i];
        bool const is_more = !depend->options.loads_write_apart && uop->kind == DEPEND_LOAD
            && i + 1 < instruction->uop_count && uop[1].kind == DEPEND_LOAD;
        struct pieces by = put_uop(depend, uop, instruction->pc);

        if (uop->kind == DEPEND_LOAD && loads.count > 0)
            by = (struct pieces){loads.first_seq, loads.count + by.count};
        loads = is_more ? by : (struct pieces){0};
        if (!is_more && by.count > 0)
            write_registers(depend, uop, by);
    }
}

/* The same look-ups as in put_access, so that a space that places pages at their first look-up gives both sides the
 * same places, whichever side comes first. */
static void place_access(struct depend *depend, const struct depend_uop *uop)
{
    uint64_t const line_bytes = depend->options.line_bytes;

    for (uint64_t at = 0; at < uop->bytes; at += line_bytes - (uop->address + at) % line_bytes)
        depend_place(depend, uop->address + at);
}

static void put_instruction(struct depend *depend, const struct depend_instruction *instruction)
{
    for (size_t i = 0; i < instruction->uop_count; i++) {
        depend->counts.uops[instruction->uops[i].kind]++;
        depend->must_fetch = depend->must_fetch || instruction->uops[i].stops_fetch;
    }
    for (size_t i = 0; depend->options.only_fetches && i < instruction->uop_count; i++)
        if (is_access(&instruction->uops[i]))
            place_access(depend, &instruction->uops[i]);
    if (!depend->options.only_fetches) {
        put_uops(depend, instruction);
        if (depend->options.is_in_order)
            put_pace(depend, instruction->pc, false);
    }
    depend->block_uops += instruction->uop_count;
    depend->was_taken = instruction->is_taken;
}

/* Nothing is known of the instructions of a gap but how many they are. */
static void put_gap(struct depend *depend, const struct depend_instruction *instruction)
{
    depend->counts.instructions += instruction->gap;
    depend->counts.uops[DEPEND_NOP] += instruction->gap;
    depend->block_uops += instruction->gap;
    depend->position += instruction->gap;
    if (!depend->options.only_fetches)
        put_pace(depend, instruction->pc, false);
}

/* ---- the interface */

static bool depend_allocate(struct depend *depend)
{
    uint64_t places = 1;

    while (places < depend->options.window)
        places *= 2;
    depend->ring_mask = places - 1;
    depend->loads = malloc(places * sizeof *depend->loads);
    depend->written = calloc(depend->options.registers + (size_t)1, sizeof *depend->written);
    /* Allocated even without dependences. */
    return depend_stores_init(&depend->stores, depend->options.window, places, depend->options.line_bytes)
        && depend->loads && depend->written && list_fit(&depend->deps, 1, &depend->dep_room, sizeof *depend->deps);
}

struct depend *depend_open(const struct depend_options *options, const struct depend_space *space)
{
    struct depend *const depend = calloc(1, sizeof *depend);

    assert(options->window > 0 && options->width > 0 && options->first_seq > 0);
    if (!depend)
        return NULL;
    depend->options = *options;
    depend->space = *space;
    if (!depend_allocate(depend)) {
        depend_close(depend);
        return NULL;
    }
    depend_restart(depend, options->first_seq);
    return depend;
}

void depend_close(struct depend *depend)
{
    if (!depend)
        return;
    free(depend->records);
    free(depend->dep_places);
    free(depend->deps);
    depend_stores_free(&depend->stores);
    free(depend->loads);
    free(depend->written);
    free(depend);
}

void depend_restart(struct depend *depend, uint64_t first_seq)
{
    memset(depend->written, 0, depend->options.registers * sizeof *depend->written);
    depend_stores_forget(&depend->stores);
    depend->has_block = depend->must_fetch = depend->was_taken = false;
    depend->tick = depend->block_uops = depend->front_end = depend->fetch_stop = 0;
    depend->next_seq = first_seq;
    depend->load_count = depend->fenced_loads = 0;
    depend->last_store = depend->last_load = 0;
    depend->fence = depend->load_fence = depend->store_fence = depend->own_fence = 0;
    depend->last_sent = 0;
    depend->paced = depend->position;
    depend->waited_ps = depend->time_ps = depend->carried_ps = 0;
    depend->asked = (struct pieces){0};
    memset(depend->lines, 0, sizeof depend->lines);
}

static enum depend_problem depend_give(struct depend *depend, struct depend_output *output)
{
    if (depend->lacks_memory)
        return DEPEND_LACKS_MEMORY;
    if (depend->lacks_page)
        return DEPEND_LACKS_PAGE;
    for (size_t i = 0; i < depend->record_count; i++) {
        struct dep_record *const record = &depend->records[i];

        record->rob_dep = depend->deps + depend->dep_places[i];
        record->reg_dep = record->rob_dep + record->rob_dep_count;
    }
    *output = (struct depend_output){depend->records, depend->record_count, depend->fetches, depend->fetch_count,
                                     depend->counts.instructions};
    return DEPEND_GOOD;
}

static void forget_output(struct depend *depend)
{
    depend->record_count = depend->dep_count = depend->fetch_count = 0;
}

enum depend_problem depend_put(struct depend *depend, const struct depend_instruction *instruction,
                               struct depend_output *output)
{
    enum depend_problem problem;

    forget_output(depend);
    depend->waited_ps += instruction->gap_ps;
    depend->time_ps += instruction->gap_ps;
    if (instruction->gap != 0)
        put_gap(depend, instruction);
    if (instruction->has_pc)
        fetch(depend, instruction);
    put_instruction(depend, instruction);
    problem = depend_give(depend, output);
    depend->counts.instructions += !instruction->is_part;
    return problem;
}

enum depend_problem depend_end(struct depend *depend, struct depend_output *output)
{
    forget_output(depend);
    if (depend->options.is_in_order && !depend->options.only_fetches)
        put_pace(depend, depend->last_pc, true);
    return depend_give(depend, output);
}

const struct depend_counts *depend_counted(const struct depend *depend)
{
    return &depend->counts;
}
