/* The rules stand in the header. Nothing here knows a memory system: what an instruction of the trace took in the run
 * that recorded it is not in the trace, so the front end is ideal, and mispredicted branches cost nothing.
 *
 * State of dependences: for each register, the records that wrote it last, which always follow each other; stores of
 * the last window in chains by the line that they touch; loads of the last window, for fences. */
#include "proto/macsim/elastic.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_REQ 1u                      /* numeric command of a fetch */
#define FLAG_FETCH UINT32_C(0x00000100)  /* request flags (elastic-trace 1.6) */
#define FLAG_PREFETCH UINT32_C(0x01000000)
#define BUCKETS 1024u                    /* of chains of stores; a power of two */
#define FRONT_END_CYCLES 16u             /* a block that takes longer, by repeats, gets another front end */
#define MOST_FETCHES 2                   /* of an instruction: it may lie in two blocks */
#define NO_STORE UINT64_MAX

struct producer {
    uint64_t seq;                        /* the first record that wrote a register; 0: none */
    uint32_t count;
};

struct store_before {
    uint64_t seq, start, end;            /* bytes [start, end) */
    uint64_t older;                      /* number of the one before in its chain, or NO_STORE */
};

struct pieces {                          /* of an access */
    uint64_t first_seq;
    uint32_t count;
};

struct macsim_elastic {
    struct macsim_elastic_options options;
    struct macsim_pages *pages;
    struct macsim_stream stream;
    struct macsim_uops uops;
    struct macsim_elastic_counts counts;

    /* what the instruction gave */
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
    struct producer written[MACSIM_REGISTER_SPACE];
    struct store_before *stores;         /* ring, by number */
    uint64_t *loads;                     /* ring of seqs, by number */
    uint64_t ring_mask, store_count, load_count, fenced_loads;
    uint64_t buckets[BUCKETS];           /* number of the last store, or NO_STORE */
    uint64_t last_store, last_load;      /* seq; 0: none */
    uint64_t fence, load_fence, store_fence;     /* seq of the last one, and of those that loads and stores wait for */
};

/* waits for loads, for stores; held up are loads, stores */
static const struct { bool loads, stores, holds_loads, holds_stores; } fence_table[] = {
    [MACSIM_FENCE_LOAD] = {true, false, true, false},
    [MACSIM_FENCE_FULL] = {true, true, true, true},
    [MACSIM_FENCE_ACQUIRE] = {true, false, true, true},
    [MACSIM_FENCE_RELEASE] = {true, true, false, true}};

struct macsim_elastic_options macsim_elastic_defaults(void)
{
    return (struct macsim_elastic_options){
        .uops = {.table = MACSIM_CORE_X86}, .period_ps = MACSIM_ELASTIC_PERIOD_PS, .width = MACSIM_ELASTIC_WIDTH,
        .window = MACSIM_ELASTIC_WINDOW, .line_bytes = MACSIM_ELASTIC_LINE_BYTES,
        .fetch_bytes = MACSIM_ELASTIC_LINE_BYTES, .first_seq = 1};
}

/* ---- records being made */

static void push_dep(struct macsim_elastic *elastic, uint64_t seq)
{
    if (elastic->dep_count == elastic->dep_room) {
        size_t const room = elastic->dep_room ? 2 * elastic->dep_room : 256;
        uint64_t *const deps = realloc(elastic->deps, room * sizeof *deps);

        if (!deps) {
            elastic->lacks_memory = true;
            return;
        }
        elastic->deps = deps;
        elastic->dep_room = room;
    }
    elastic->deps[elastic->dep_count++] = seq;
}

static bool make_room(struct macsim_elastic *elastic)
{
    size_t const room = elastic->record_room ? 2 * elastic->record_room : 64;
    struct dep_record *records;
    size_t *places;

    if (elastic->record_count < elastic->record_room)
        return true;
    records = realloc(elastic->records, room * sizeof *records);
    if (records)
        elastic->records = records;
    places = realloc(elastic->dep_places, room * sizeof *places);
    if (places)
        elastic->dep_places = places;
    if (!records || !places)
        return false;
    elastic->record_room = room;
    return true;
}

/* A new record, all of whose dependences are pushed before the next one begins; NULL without memory. */
static struct dep_record *begin_record(struct macsim_elastic *elastic, enum dep_type type, uint64_t pc,
                                       uint64_t delay_cyc)
{
    struct dep_record *record;

    if (!make_room(elastic)) {
        elastic->lacks_memory = true;
        return NULL;
    }
    elastic->dep_places[elastic->record_count] = elastic->dep_count;
    record = &elastic->records[elastic->record_count++];
    *record = (struct dep_record){.seq_num = elastic->next_seq++, .type = type, .pc = pc, .present = DEP_HAS_PC,
                                  .comp_delay = delay_cyc * elastic->options.period_ps, .weight = elastic->filtered};
    elastic->filtered = 0;
    elastic->counts.records[type]++;
    return record;
}

static void finish_weight(struct dep_record *record)
{
    if (record->weight != 0)
        record->present |= DEP_HAS_WEIGHT;
}

static bool is_in_window(const struct macsim_elastic *elastic, uint64_t seq, uint64_t parent)
{
    return parent != 0 && seq - parent < elastic->options.window;
}

/* Is the parent the last or any other order dependence that the record has already? */
static bool has_order(const struct macsim_elastic *elastic, const struct dep_record *record, uint64_t parent)
{
    for (uint32_t i = 0; i < record->rob_dep_count; i++)
        if (elastic->deps[elastic->dep_count - 1 - i] == parent)
            return true;
    return false;
}

/* Before any register dependence of the record. */
static void add_order(struct macsim_elastic *elastic, struct dep_record *record, uint64_t parent, uint64_t *counter)
{
    if (has_order(elastic, record, parent))
        return;
    push_dep(elastic, parent);
    if (elastic->lacks_memory)
        return;
    record->rob_dep_count++;
    ++*counter;
}

static void add_memory_order(struct macsim_elastic *elastic, struct dep_record *record, uint64_t parent)
{
    if (is_in_window(elastic, record->seq_num, parent))
        add_order(elastic, record, parent, &elastic->counts.memory_deps);
}

/* ---- registers */

static int by_number(const void *a, const void *b)
{
    uint64_t const one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

/* Sorts what was pushed since `from`, drops what is there twice; the answer is how many are left. */
static uint32_t settle(struct macsim_elastic *elastic, size_t from)
{
    uint64_t *const deps = elastic->deps + from;
    size_t const count = elastic->dep_count - from;
    size_t kept = 0;
    bool is_sorted = true;

    for (size_t i = 1; i < count; i++)
        is_sorted = is_sorted && deps[i - 1] < deps[i];
    if (!is_sorted)
        qsort(deps, count, sizeof *deps, by_number);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || deps[kept - 1] != deps[i])
            deps[kept++] = deps[i];
    elastic->dep_count = from + kept;
    return (uint32_t)kept;
}

static void add_registers(struct macsim_elastic *elastic, struct dep_record *record, const struct macsim_uop *uop)
{
    size_t const from = elastic->dep_count;

    for (unsigned i = 0; i < uop->source_count; i++) {
        struct producer const producer = elastic->written[uop->sources[i]];

        if (!elastic->uops.carries[uop->sources[i]] || producer.seq == 0)
            continue;
        for (uint32_t j = 0; j < producer.count; j++)
            if (is_in_window(elastic, record->seq_num, producer.seq + j))
                push_dep(elastic, producer.seq + j);
    }
    if (elastic->lacks_memory)
        return;
    record->reg_dep_count = settle(elastic, from);
    elastic->counts.register_deps += record->reg_dep_count;
}

static void write_registers(struct macsim_elastic *elastic, const struct macsim_uop *uop, struct pieces by)
{
    for (unsigned i = 0; i < uop->destination_count; i++)
        elastic->written[uop->destinations[i]] = (struct producer){by.first_seq, by.count};
}

/* ---- memory order */

static uint64_t *bucket_of(struct macsim_elastic *elastic, uint64_t address)
{
    return &elastic->buckets[address / elastic->options.line_bytes * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

/* The last store of the window to one of the bytes, which lie in one line; 0: none. */
static uint64_t find_store(struct macsim_elastic *elastic, uint64_t seq, uint64_t start, uint64_t end)
{
    uint64_t number = *bucket_of(elastic, start);

    while (number != NO_STORE && elastic->store_count - number <= elastic->ring_mask + 1) {
        struct store_before const *const store = &elastic->stores[number & elastic->ring_mask];

        if (!is_in_window(elastic, seq, store->seq))
            return 0;
        if (store->start < end && start < store->end)
            return store->seq;
        number = store->older;
    }
    return 0;
}

static void note_store(struct macsim_elastic *elastic, uint64_t seq, uint64_t start, uint64_t end)
{
    uint64_t *const bucket = bucket_of(elastic, start);

    elastic->stores[elastic->store_count & elastic->ring_mask]
        = (struct store_before){.seq = seq, .start = start, .end = end, .older = *bucket};
    *bucket = elastic->store_count++;
    elastic->last_store = seq;
}

static void note_load(struct macsim_elastic *elastic, uint64_t seq)
{
    elastic->loads[elastic->load_count++ & elastic->ring_mask] = seq;
    elastic->last_load = seq;
}

/* ---- fetch order */

/* A record that waits for no other of its block waits for the front end. The order dependences come before those on
 * registers, so they are moved aside. */
static void add_fetch_order(struct macsim_elastic *elastic, struct dep_record *record, size_t from)
{
    uint64_t *deps;

    for (size_t i = from; i < elastic->dep_count; i++)
        if (elastic->deps[i] >= elastic->front_end)
            return;
    push_dep(elastic, 0);
    if (elastic->lacks_memory)
        return;
    deps = elastic->deps + from + record->rob_dep_count;
    memmove(deps + 1, deps, record->reg_dep_count * sizeof *deps);
    *deps = elastic->front_end;
    record->rob_dep_count++;
    elastic->counts.fetch_deps++;
}

static void begin_front_end(struct macsim_elastic *elastic, uint64_t pc)
{
    uint64_t const before = elastic->front_end;
    uint64_t cycles = 1;
    struct dep_record *record;

    if (elastic->has_block) {
        cycles = (elastic->block_uops + elastic->options.width - 1) / elastic->options.width;
        cycles = cycles ? cycles : 1;
        elastic->tick += cycles * elastic->options.period_ps;
    }
    elastic->has_block = true;
    elastic->block_uops = 0;
    if (elastic->options.only_fetches)
        return;
    record = begin_record(elastic, DEP_COMP, pc, cycles);
    if (!record)
        return;
    record->weight -= record->weight != 0;       /* it stands in the place of one of them */
    finish_weight(record);
    if (before != 0)
        add_order(elastic, record, before, &elastic->counts.fetch_deps);
    if (elastic->fetch_stop != 0)
        add_order(elastic, record, elastic->fetch_stop, &elastic->counts.fetch_deps);
    elastic->fetch_stop = 0;
    elastic->front_end = record->seq_num;
    elastic->counts.front_ends++;
}

static uint64_t place(struct macsim_elastic *elastic, uint64_t address)
{
    uint64_t const physical = macsim_pages_place(elastic->pages, address);

    elastic->lacks_page = elastic->lacks_page || (physical == UINT64_MAX && !elastic->pages->is_identity);
    return physical;
}

static void begin_block(struct macsim_elastic *elastic, uint64_t block, uint64_t pc)
{
    uint64_t const address = place(elastic, block);

    begin_front_end(elastic, pc);
    elastic->block = block;
    elastic->fetches[elastic->fetch_count++] = (struct packet_record){
        .tick = elastic->tick, .addr = address, .pc = pc, .cmd = READ_REQ, .size_bytes = elastic->options.fetch_bytes,
        .flags = FLAG_FETCH, .present = PACKET_HAS_FLAGS | PACKET_HAS_PC};
    elastic->counts.fetches++;
}

static void fetch(struct macsim_elastic *elastic, const struct macsim_cpu_record *record)
{
    uint64_t const mask = ~(uint64_t)(elastic->options.fetch_bytes - 1), size = record->size ? record->size : 1;
    uint64_t const first = record->pc & mask, last = (record->pc + size - 1) & mask;
    bool const repeats = elastic->has_block && record->pc == elastic->last_pc && !elastic->was_taken;

    if (elastic->must_fetch || !elastic->has_block
        || (!repeats && (elastic->was_taken || first != elastic->block)))
        begin_block(elastic, first, record->pc);
    else if (elastic->block_uops >= (uint64_t)FRONT_END_CYCLES * elastic->options.width)
        begin_front_end(elastic, record->pc);
    if (last != elastic->block)
        begin_block(elastic, last, record->pc);
    elastic->must_fetch = false;
    elastic->last_pc = record->pc;
}

/* ---- micro-ops */

/* One piece of an access, within a line. */
static void put_piece(struct macsim_elastic *elastic, const struct macsim_uop *uop, uint64_t pc, uint64_t address,
                      uint32_t bytes, unsigned latency_cyc)
{
    enum dep_type const type = uop->kind == MACSIM_UOP_STORE ? DEP_STORE : DEP_LOAD;
    uint64_t const line_bytes = elastic->options.line_bytes, room = line_bytes - address % line_bytes;
    uint64_t const end = address + (bytes < room ? bytes : room);      /* what the core accesses */
    struct dep_record *const record = begin_record(elastic, type, pc, latency_cyc);
    size_t const from = elastic->dep_count;

    if (!record)
        return;
    finish_weight(record);
    record->present |= DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS;
    record->p_addr = place(elastic, address);
    if (!elastic->pages->is_identity) {
        record->v_addr = address;
        record->present |= DEP_HAS_V_ADDR;
    }
    record->size_bytes = bytes;
    record->flags = uop->kind == MACSIM_UOP_PREFETCH ? FLAG_PREFETCH : 0;
    if (uop->kind == MACSIM_UOP_STORE) {
        add_memory_order(elastic, record, elastic->last_store);
        add_memory_order(elastic, record, elastic->last_load);
        add_memory_order(elastic, record, elastic->store_fence);
    } else if (uop->kind == MACSIM_UOP_LOAD) {
        add_memory_order(elastic, record, find_store(elastic, record->seq_num, address, end));
        add_memory_order(elastic, record, elastic->load_fence);
    }
    add_registers(elastic, record, uop);
    add_fetch_order(elastic, record, from);
    if (uop->kind == MACSIM_UOP_STORE)
        note_store(elastic, record->seq_num, address, end);
    else if (uop->kind == MACSIM_UOP_LOAD)
        note_load(elastic, record->seq_num);
}

/* An access, line by line. */
static struct pieces put_access(struct macsim_elastic *elastic, const struct macsim_uop *uop, uint64_t pc,
                                unsigned latency_cyc)
{
    uint64_t const line_bytes = elastic->options.line_bytes;
    struct pieces pieces = {.first_seq = elastic->next_seq};
    uint64_t address = uop->address;
    uint32_t left = uop->bytes;

    do {
        uint64_t const room = line_bytes - address % line_bytes;
        uint32_t const bytes = left < room ? left : (uint32_t)room;

        put_piece(elastic, uop, pc, address, bytes, latency_cyc);
        pieces.count++;
        address += bytes;
        left -= bytes;
    } while (left > 0 && !elastic->uops.options.compat && !elastic->lacks_memory);
    elastic->counts.pieces += pieces.count - 1;
    return pieces;
}

/* The loads of the window before it, since the last fence, as register dependences: an order dependence on a load ends
 * when it is sent. */
static void wait_for_loads(struct macsim_elastic *elastic, struct dep_record *record)
{
    size_t const from = elastic->dep_count;
    uint64_t const room = elastic->ring_mask + 1;
    uint64_t number = elastic->load_count > room ? elastic->load_count - room : 0;

    if (number < elastic->fenced_loads)
        number = elastic->fenced_loads;
    for (; number < elastic->load_count; number++)
        if (is_in_window(elastic, record->seq_num, elastic->loads[number & elastic->ring_mask]))
            push_dep(elastic, elastic->loads[number & elastic->ring_mask]);
    record->reg_dep_count = (uint32_t)(elastic->dep_count - from);
    elastic->counts.memory_deps += record->reg_dep_count;
    elastic->fenced_loads = elastic->load_count;
}

static void put_fence(struct macsim_elastic *elastic, const struct macsim_uop *uop, uint64_t pc, unsigned latency_cyc)
{
    struct dep_record *const record = begin_record(elastic, DEP_COMP, pc, latency_cyc);
    size_t const from = elastic->dep_count;

    if (!record)
        return;
    finish_weight(record);
    if (fence_table[uop->fence].stores)
        add_memory_order(elastic, record, elastic->last_store);
    add_memory_order(elastic, record, elastic->fence);
    if (fence_table[uop->fence].loads)
        wait_for_loads(elastic, record);
    add_fetch_order(elastic, record, from);
    elastic->fence = record->seq_num;
    if (fence_table[uop->fence].holds_loads)
        elastic->load_fence = record->seq_num;
    if (fence_table[uop->fence].holds_stores)
        elastic->store_fence = record->seq_num;
}

static void put_computation(struct macsim_elastic *elastic, const struct macsim_uop *uop, uint64_t pc,
                            unsigned latency_cyc)
{
    struct dep_record *const record = begin_record(elastic, DEP_COMP, pc, latency_cyc);
    size_t const from = elastic->dep_count;

    if (!record)
        return;
    finish_weight(record);
    add_registers(elastic, record, uop);
    add_fetch_order(elastic, record, from);
}

/* Can anything wait for it? */
static bool is_awaited(const struct macsim_elastic *elastic, const struct macsim_uop *uop)
{
    for (unsigned i = 0; i < uop->destination_count; i++)
        if (elastic->uops.carries[uop->destinations[i]])
            return true;
    return uop->stops_fetch;
}

/* The answer: the records that it became; 0 of them if nothing waits for it. */
static struct pieces put_uop(struct macsim_elastic *elastic, const struct macsim_uop *uop, uint64_t pc)
{
    unsigned const latency_cyc = macsim_class_latency_cyc(elastic->uops.options.table, (enum macsim_class)uop->class);
    struct pieces by = {.first_seq = elastic->next_seq, .count = 1};

    if (macsim_uop_is_access(uop)) {
        by = put_access(elastic, uop, pc, latency_cyc);
    } else if (uop->kind == MACSIM_UOP_FENCE) {
        put_fence(elastic, uop, pc, latency_cyc);
    } else if (is_awaited(elastic, uop)) {
        put_computation(elastic, uop, pc, latency_cyc);
    } else {
        elastic->filtered++;
        by.count = 0;
    }
    if (uop->stops_fetch)
        elastic->fetch_stop = by.first_seq;
    return by;
}

/* Several loads of an instruction write its registers together, and none of them reads what another wrote; compat: one
 * after another. */
static void put_uops(struct macsim_elastic *elastic, uint64_t pc)
{
    const struct macsim_uops *const uops = &elastic->uops;
    struct pieces loads = {0};

    for (size_t i = 0; i < uops->count; i++) {
        const struct macsim_uop *const uop = &uops->list[i];
        bool const is_more = !uops->options.compat && uop->kind == MACSIM_UOP_LOAD && i + 1 < uops->count
            && uop[1].kind == MACSIM_UOP_LOAD;
        struct pieces by = put_uop(elastic, uop, pc);

        if (uop->kind == MACSIM_UOP_LOAD && loads.count > 0)
            by = (struct pieces){loads.first_seq, loads.count + by.count};
        loads = is_more ? by : (struct pieces){0};
        if (!is_more && by.count > 0)
            write_registers(elastic, uop, by);
    }
}

static void put_instruction(struct macsim_elastic *elastic, const struct macsim_cpu_record *record)
{
    const struct macsim_uops *const uops = &elastic->uops;

    for (size_t i = 0; i < uops->count; i++) {
        elastic->counts.uops[uops->list[i].kind]++;
        elastic->must_fetch = elastic->must_fetch || uops->list[i].stops_fetch;
    }
    if (!elastic->options.only_fetches)
        put_uops(elastic, record->pc);
    elastic->block_uops += uops->count;
    elastic->was_taken = record->taken && record->cf != MACSIM_CF_NONE;
}

/* ---- the interface */

/* Reads and decodes one instruction. */
static enum macsim_step read_instruction(struct macsim_elastic *elastic, struct macsim_cpu_record *record,
                                         struct fault *error)
{
    enum macsim_step const step = macsim_stream_next_cpu(&elastic->stream, record, error);

    if (step == MACSIM_RECORD && !macsim_uops_decode(&elastic->uops, record)) {
        fault_memory(error, "macsim", "the shapes of instructions");
        return MACSIM_FAILED;
    }
    return step;
}

static bool open_stream(struct macsim_elastic *elastic, const struct macsim_part *part, size_t thread,
                        struct fault *error)
{
    const struct macsim_format *const format = &part->detection.format;
    char path[MACSIM_PATH_MAX];

    if (!macsim_uops_can(format)) {
        return fault_at(error, macsim_part_path(part, thread, path) ? path : part->header.path, FAULT_NO_OFFSET,
                          "%s records with opcodes %s are not those of a CPU's thread; expected x86 or a64",
                          macsim_layout_name(format->layout), macsim_dialect_name(format->opcodes));
    }
    macsim_uops_init(&elastic->uops, format, &elastic->options.uops);
    return macsim_part_open(part, thread, &elastic->stream, error);
}

bool macsim_elastic_survey(const struct macsim_part *part, size_t thread, const struct macsim_elastic_options *options,
                           struct macsim_pages *pages, struct macsim_elastic_counts *counts, struct fault *error)
{
    struct macsim_elastic *const elastic = calloc(1, sizeof *elastic);
    struct macsim_cpu_record record;
    enum macsim_step step = MACSIM_FAILED;
    bool has_memory = true;
    char path[MACSIM_PATH_MAX];

    *counts = (struct macsim_elastic_counts){0};
    if (!elastic)
        return fault_memory(error, part->header.path, NULL);
    elastic->options = *options;
    if (!open_stream(elastic, part, thread, error)) {
        free(elastic);
        return false;
    }
    while (has_memory && (step = read_instruction(elastic, &record, error)) == MACSIM_RECORD) {
        const struct macsim_uops *const uops = &elastic->uops;

        counts->instructions++;
        has_memory = macsim_pages_touch(pages, record.pc, record.size ? record.size : 1);
        for (size_t i = 0; i < uops->count; i++) {
            counts->uops[uops->list[i].kind]++;
            if (macsim_uop_is_access(&uops->list[i]))
                has_memory = has_memory && macsim_pages_touch(pages, uops->list[i].address, uops->list[i].bytes);
        }
    }
    macsim_uops_free(&elastic->uops);
    macsim_stream_close(&elastic->stream);
    free(elastic);
    if (!macsim_part_path(part, thread, path))
        path[0] = '\0';
    if (!has_memory && pages->fault.kind != FAULT_NONE)
        *error = pages->fault;
    else if (!has_memory)
        fault_memory(error, path, "its pages");
    if (!has_memory)
        return false;
    if (step == MACSIM_END && counts->instructions == 0)
        return fault_at(error, path, FAULT_NO_OFFSET, "no record; expected one at least");
    return step == MACSIM_END;
}

static bool allocate_rings(struct macsim_elastic *elastic)
{
    uint64_t places = 1;

    while (places < elastic->options.window)
        places *= 2;
    elastic->ring_mask = places - 1;
    elastic->stores = malloc(places * sizeof *elastic->stores);
    elastic->loads = malloc(places * sizeof *elastic->loads);
    for (size_t i = 0; i < BUCKETS; i++)
        elastic->buckets[i] = NO_STORE;
    return elastic->stores && elastic->loads;
}

struct macsim_elastic *macsim_elastic_open(const struct macsim_part *part, size_t thread,
                                           const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                           struct fault *error)
{
    struct macsim_elastic *const elastic = calloc(1, sizeof *elastic);

    assert(options->window > 0 && options->width > 0 && options->first_seq > 0);
    if (!elastic) {
        fault_memory(error, part->header.path, NULL);
        return NULL;
    }
    elastic->options = *options;
    elastic->pages = pages;
    elastic->next_seq = options->first_seq;
    if (!open_stream(elastic, part, thread, error)) {
        free(elastic);
        return NULL;
    }
    if (!allocate_rings(elastic)) {
        fault_memory(error, part->header.path, "a window of records");
        macsim_elastic_close(elastic);
        return NULL;
    }
    return elastic;
}

void macsim_elastic_close(struct macsim_elastic *elastic)
{
    if (!elastic)
        return;
    macsim_stream_close(&elastic->stream);
    macsim_uops_free(&elastic->uops);
    free(elastic->records);
    free(elastic->dep_places);
    free(elastic->deps);
    free(elastic->stores);
    free(elastic->loads);
    free(elastic);
}

static void point_to_deps(struct macsim_elastic *elastic)
{
    for (size_t i = 0; i < elastic->record_count; i++) {
        struct dep_record *const record = &elastic->records[i];

        record->rob_dep = elastic->deps + elastic->dep_places[i];
        record->reg_dep = record->rob_dep + record->rob_dep_count;
    }
}

enum macsim_step macsim_elastic_next(struct macsim_elastic *elastic, struct macsim_elastic_output *output,
                                     struct fault *error)
{
    struct macsim_cpu_record record;
    enum macsim_step const step = read_instruction(elastic, &record, error);

    elastic->record_count = elastic->dep_count = elastic->fetch_count = 0;
    if (step != MACSIM_RECORD)
        return step;
    fetch(elastic, &record);
    put_instruction(elastic, &record);
    if (elastic->lacks_memory)
        fault_memory(error, "macsim", "dependences");
    else if (elastic->lacks_page)
        fault_at(error, "macsim", elastic->stream.offset,
                 "an address that was not there before; the file changed while it was read");
    if (elastic->lacks_memory || elastic->lacks_page)
        return MACSIM_FAILED;
    point_to_deps(elastic);
    *output = (struct macsim_elastic_output){elastic->records, elastic->record_count, elastic->fetches,
                                             elastic->fetch_count, elastic->counts.instructions};
    elastic->counts.instructions++;
    return MACSIM_RECORD;
}

struct macsim_elastic_counts macsim_elastic_counted(const struct macsim_elastic *elastic)
{
    return elastic->counts;
}

/* What the stream warns of, then what was left out or changed. */
bool macsim_elastic_warning(const struct macsim_elastic *elastic, unsigned *told, char *text, size_t room)
{
    enum { STREAM_KINDS = 2 };
    struct { uint64_t count; const char *what; } const rows[] = {
        {elastic->uops.clipped_loads, "loads have no address in the trace, and were left out"},
        {elastic->uops.clipped_registers, "register numbers are above 1599, and were left out"},
        {elastic->uops.zero_sizes, "accesses have a size of 0, taken as 1 byte"}};

    if (macsim_stream_warning(&elastic->stream, told, text, room))
        return true;
    for (unsigned kind; (kind = *told - STREAM_KINDS) < sizeof rows / sizeof *rows; ) {
        ++*told;
        if (rows[kind].count == 0)
            continue;
        snprintf(text, room, "%s: %" PRIu64 " %s", stream_name(&elastic->stream.bytes), rows[kind].count,
                 rows[kind].what);
        return true;
    }
    return false;
}
