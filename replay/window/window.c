/* Micro-ops are made as the core asks for them, in pieces that are used again when all of one was released.
 *
 * Each micro-op that writes a register has one of its own: its number modulo a power of two that no dependence reaches
 * over. */
#include "replay/window/window.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/window/window_learnt.h"

enum { STRAYS_HELD = 8192, PIECE_OPS = 256, MOST_PIECES = 1024, MOST_REGISTERS = 16384, WRONG_AT_ONCE = 256 };

/* A squashed load of the capture. */
struct stray { int32_t pc_number; uint64_t address; };

struct made {
    struct supply_insn insn;
    struct uop uop;
    struct supply_access access;
    /* of a mispredicted one: */
    uint32_t gap, stray_count;
    const struct stray *strays;
    uint64_t place;                      /* of the record behind it */
};

/* An op of a wrong path. */
struct wrong {
    struct supply_insn insn;             /* first: who holds knows this one */
    struct uop uop;
    struct supply_access access;
    uint32_t holders;
    struct wrong *next;                  /* of those that are free */
};

struct wrongs { struct wrong ops[WRONG_AT_ONCE]; struct wrongs *next; };

/* The wrong path that is fetched. */
struct path {
    uint64_t id;
    const struct made *branch;
    uint32_t left;                       /* ops that it has room for (5, 3) */
    uint32_t strays_used;                /* a bit each */
    struct wrong *newest;                /* given last, and held until the next one is; NULL: none */
};

struct piece { struct made ops[PIECE_OPS]; };

struct window {
    struct supply supply;
    struct window_setup setup;
    struct window_range memories[WINDOW_MEMORIES];
    struct window_pcs pcs;
    struct window_feed feed;
    struct window_stream stream;
    struct piece *pieces[MOST_PIECES];   /* by number; those in use */
    struct piece *spare[MOST_PIECES];
    size_t spare_count;
    uint64_t released, made;             /* numbers: those below were released, were made */
    uint64_t system_call_pc;             /* of the one to be made next; 0: none */
    bool is_at_end;
    struct window_sources sources;
    struct stray strays[STRAYS_HELD];    /* a ring; those of one branch side by side */
    uint32_t stray_next;
    struct window_counts counts;
    struct path path;
    struct wrongs *wrongs;
    struct wrong *free_wrong;
    uint64_t wrong_results;
};

static struct window *of(struct supply *supply)
{
    return (struct window *)supply;
}

static struct made *made_at(const struct window *window, uint64_t number)
{
    return &window->pieces[number / PIECE_OPS % MOST_PIECES]->ops[number % PIECE_OPS];
}

/* ---- micro-ops */
static void set_class(struct uop *uop, const struct window_pc *pc)
{
    uop->op = pc->op;
    if (pc->serialises || pc->is_non_speculative)
        uop->latency_cyc = pc->latency_cyc;
    if (pc->serialises)
        uop->flags |= UOP_SERIALISE_BEFORE;
    if (pc->is_non_speculative)
        uop->flags |= UOP_NON_SPECULATIVE;
    if (uop->op >= DETAILED_OP_FLOAT_ADD && uop->op <= DETAILED_OP_FLOAT_SQRT)
        uop->flags |= UOP_FLOAT_RESULT;
}

static bool is_memory(const struct window *window, uint64_t address, uint64_t bytes)
{
    const struct window_setup *const setup = &window->setup;

    for (size_t i = 0; i < setup->memory_count; i++)
        if (address >= setup->memories[i].base && address < setup->memories[i].end
            && bytes <= setup->memories[i].end - address)
            return true;
    return setup->memory_count == 0;
}

static struct fault check_access(const struct window *window, const struct window_record *record, uint32_t size_bytes)
{
    uint64_t const address = record->address + window->setup.address_offset;

    if (is_memory(window, address, size_bytes))
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: data record %" PRIu64 ", field p_addr: %u bytes at address 0x%" PRIx64
                      " are not in memory; expected an address in one of the system's memories",
                      window->setup.records.name, record->place, size_bytes, address);
}

static struct fault fill_record(struct window *window, struct made *made, const struct window_op *op)
{
    struct window_record *const record = op->record;
    const struct window_shape *const shape = window_feed_shape(&window->feed, record);
    uint64_t const address = record->address + window->setup.address_offset;
    struct window_pc *const pc = window_pc_at(&window->pcs, op->pc_number);
    struct uop *const uop = &made->uop;

    record->kind.has_uop = true;
    window_feed_notes(&window->feed, record)->uop = window->made;
    window->counts.records++;
    if (record->kind.type == DEP_COMP) {
        set_class(uop, pc);
        if (op->is_held) {
            uop->op = DETAILED_OP_INT_ALU;
            uop->latency_cyc = 0;
            uop->flags |= UOP_SERIALISE_BEFORE;
        }
        if (uop->flags & UOP_SERIALISE_BEFORE)
            window->counts.serialising++;
    } else {
        FORWARD(check_access(window, record, shape->size_bytes));
        uop->op = record->kind.type == DEP_LOAD ? DETAILED_OP_MEM_READ : DETAILED_OP_MEM_WRITE;
        uop->flags |= record->kind.type == DEP_LOAD ? UOP_LOAD : UOP_STORE;
        if (record->kind.type == DEP_LOAD && shape->is_prefetch)
            uop->flags |= UOP_PREFETCH;
        uop->access = 0;
        made->access = (struct supply_access){.address = address, .place = address,
                                              .size_bytes = shape->size_bytes, .has_place = true};
        made->insn.access_count = 1;
        made->insn.accesses = &made->access;
    }
    if (record->kind.type != DEP_STORE) {
        uop->results[uop->result_count++] = (uint16_t)(window->made & (window->sources.registers - 1));
        pc->last_uop = window->made + 1;
        pc->last_done = record->done;
    }
    pc->last_type = record->kind.type;
    pc->last_size_bytes = shape->size_bytes;
    window_sources_of_record(&window->sources, uop, record, window->made);
    return fault_none();
}

static void fill_hidden(struct window *window, struct made *made, const struct window_op *op)
{
    static const size_t counted[] = {
        [SOURCE_UNREAD] = offsetof(struct window_counts, unread_sources),
        [SOURCE_RESOLVER] = offsetof(struct window_counts, resolved_sources),
        [SOURCE_LEARNT] = offsetof(struct window_counts, learnt_sources),
        [SOURCE_GUESSED] = offsetof(struct window_counts, guessed_sources),
        [SOURCE_NONE] = offsetof(struct window_counts, no_sources)};
    struct uop *const uop = &made->uop;
    enum source_kind const kind = window_sources_of_hidden(&window->sources, uop, op, window->made);

    uop->op = DETAILED_OP_INT_ALU;
    uop->flags |= UOP_CONTROL | UOP_CONDITIONAL;
    if (op->hold_cyc > 0) {
        uop->op = DETAILED_OP_NO_OP;
        uop->latency_cyc = op->hold_cyc;
        uop->flags |= UOP_SERIALISE_BEFORE;
    }
    if (op->is_barrier) {
        uop->op = DETAILED_OP_NO_OP;
        uop->flags |= UOP_READ_BARRIER | UOP_WRITE_BARRIER;
    }
    window->counts.hidden++;
    ++*(uint64_t *)(void *)((char *)&window->counts + counted[kind]);
}

/* 3.5; 5, 4. Decode corrects to targets only, and soon: if the right path had a result before the branch can have
 * executed, decode corrected it. What was recorded without sources is no branch that execution corrects: it is a call,
 * or an instruction before a system call, which has no record. */
static enum supply_outcome outcome_of(const struct window *window, const struct window_op *op,
                                      const struct window_pc *pc)
{
    uint64_t const least = window->pcs.core.resolve_cyc * window_feed_period(&window->feed);
    uint64_t done;

    if (op->gap == 0)
        return SUPPLY_AS_PREDICTED;
    if (op->has_executed)
        return SUPPLY_MISPREDICTED;
    if (op->record && pc->source_count == 0)
        return window_op_is_taken(&window->pcs, op) ? SUPPLY_REDIRECTED : SUPPLY_AS_PREDICTED;
    if (window_pc_is_direct(pc))
        return SUPPLY_REDIRECTED;
    if (!window_op_is_taken(&window->pcs, op) && (!op->is_unsure || op->gap > window->pcs.core.gap_decode))
        return SUPPLY_MISPREDICTED;
    done = window_sources_done(&window->sources, op);
    if (done > 0)
        return op->resumed < done + least ? SUPPLY_REDIRECTED : SUPPLY_MISPREDICTED;
    if (op->gap < window->pcs.core.gap_execute || pc->falls_through)
        return SUPPLY_REDIRECTED;
    if (op->gap > window->pcs.core.gap_decode || (pc->has_other_target && !op->is_unsure))
        return SUPPLY_MISPREDICTED;
    done = window_sources_unread(&window->sources, op);
    return done > 0 && op->resumed < done + least ? SUPPLY_REDIRECTED : SUPPLY_MISPREDICTED;
}

/* Where a mispredicted branch was predicted to go: not where it went. */
static uint64_t wrong_pc(const struct window_op *op, const struct window_pc *pc, uint64_t size_bytes, bool is_taken)
{
    if (!is_taken)
        return pc->target;
    if (pc->was_not_taken || !pc->has_other_target)
        return op->pc + size_bytes;
    return pc->target != op->next_pc ? pc->target : pc->other_target;
}

/* Loads that the capture's wrong path made. */
static void put_strays(struct window *window, struct made *made, const struct window_op *op)
{
    if (window->stray_next + RULE_STRAYS > STRAYS_HELD)
        window->stray_next = 0;
    made->strays = &window->strays[window->stray_next];
    for (uint64_t i = 0; i < op->stray_count && made->stray_count < RULE_STRAYS; i++) {
        const struct window_record *const load = window_feed_at(&window->feed, op->strays + i);

        if (!load)
            return;
        if (!is_memory(window, load->address + window->setup.address_offset, 1))
            continue;
        window->strays[window->stray_next++] =
            (struct stray){load->kind.pc_number, load->address + window->setup.address_offset};
        made->stray_count++;
    }
}

/* A conditional branch of 2 bytes that was mispredicted and falls through leaves the next instruction as its target in
 * the BTB of the reference's core (docs/spec/branch-prediction.md, 3). Predicted taken to there, decode corrects it to
 * its own target, and its execution corrects that if it falls through again. */
static void predict_taken(const struct window *window, struct made *made, struct window_pc *pc)
{
    struct supply_insn *const insn = &made->insn;
    uint64_t const behind = insn->pc + insn->size_bytes;
    bool const is_executed = insn->outcome == SUPPLY_MISPREDICTED;

    insn->is_predicted_taken = insn->wrong_pc != behind || (pc->falls_through && insn->is_taken && !is_executed);
    if (pc->falls_through && is_executed && !insn->is_taken && insn->wrong_pc != behind) {
        insn->target = insn->wrong_pc;
        insn->wrong_pc = behind;
        made->uop.flags |= UOP_DIRECT | UOP_CONDITIONAL;
    }
    pc->falls_through = insn->size_bytes == 2 && !window->pcs.has_odd && is_executed && !insn->is_taken;
}

/* The bytes of an instruction belong to the last of its micro-ops: of those before it fetch takes none. */
static uint8_t size_of(const struct window *window, const struct window_op *op)
{
    uint64_t const step = op->next_pc - op->pc;

    if (step == 0 && op->gap == 0 && window_is_cracked(&window->pcs))
        return 0;
    return (uint8_t)(window_is_size(&window->pcs, step) && !window_op_is_taken(&window->pcs, op)
                         ? step : window_size_at(&window->pcs, op->pc_number));
}

static struct fault window_make(struct window *window, struct made *made, const struct window_op *op)
{
    struct window_pc *const pc = window_pc_at(&window->pcs, op->pc_number);
    struct supply_insn *const insn = &made->insn;
    struct uop *const uop = &made->uop;

    /* field by field, without lists of length 0: copying everything would take longer */
    insn->pc = op->pc;
    insn->next_pc = op->next_pc;
    insn->target = insn->wrong_pc = insn->before = insn->state = 0;
    insn->number = window->made;
    insn->uops = uop;
    insn->uop_count = 1;
    insn->access_count = 0;
    made->gap = op->gap;
    made->place = window->feed.given - 1;
    made->stray_count = 0;
    insn->size_bytes = size_of(window, op);
    insn->is_taken = window_op_is_taken(&window->pcs, op);
    insn->has_values = insn->is_counted = insn->is_repeat = insn->is_unfetched = insn->is_string = false;
    window->system_call_pc = window_system_call_behind(&window->pcs, op);
    insn->outcome = (uint8_t)(window->system_call_pc > 0 ? SUPPLY_AS_PREDICTED : outcome_of(window, op, pc));
    insn->encoding = 0;
    uop->flags = UOP_LAST;
    uop->source_count = uop->result_count = uop->latency_cyc = 0;
    uop->address_sources = uop->traits = uop->flag_results = uop->temporary_results = 0;
    uop->access = UOP_NO_ACCESS;
    if (made->insn.outcome == SUPPLY_MISPREDICTED)
        put_strays(window, made, op);
    if (op->is_hidden)
        fill_hidden(window, made, op);
    else
        FORWARD(fill_record(window, made, op));
    if (made->insn.outcome != SUPPLY_AS_PREDICTED) {
        made->uop.flags |= UOP_CONTROL;
        if (made->insn.outcome == SUPPLY_REDIRECTED)
            made->uop.flags = (made->uop.flags & ~(uint32_t)UOP_CONDITIONAL) | UOP_DIRECT;
        made->insn.target = op->next_pc;
        made->insn.wrong_pc = wrong_pc(op, pc, made->insn.size_bytes, made->insn.is_taken);
        pc->predicted = made->insn.wrong_pc;
        predict_taken(window, made, pc);
    } else {
        pc->predicted = op->next_pc;
    }
    if (window->system_call_pc > 0) {
        insn->next_pc = window->system_call_pc;
        insn->size_bytes = (uint8_t)(insn->next_pc - insn->pc);
        insn->is_taken = false;
    }
    window->counts.mispredicted += made->insn.outcome == SUPPLY_MISPREDICTED;
    window->counts.redirected += made->insn.outcome == SUPPLY_REDIRECTED;
    window->counts.taken += made->insn.is_taken;
    return fault_none();
}

/* ---- the supply */
/* Room for the next micro-op; NULL: out of memory. */
static struct made *next_made(struct window *window)
{
    struct piece **const piece = &window->pieces[window->made / PIECE_OPS % MOST_PIECES];

    if (window->made % PIECE_OPS == 0) {
        *piece = window->spare_count > 0 ? window->spare[--window->spare_count] : malloc(sizeof **piece);
        if (!*piece)
            return NULL;
    }
    return made_at(window, window->made);
}

static enum supply_step make_next(struct window *window, struct fault *fault)
{
    bool const is_system_call = window->system_call_pc > 0;
    const struct window_op *op = NULL;
    struct made *made;

    if (window->is_at_end)
        return SUPPLY_END;
    if (!is_system_call)
        op = window_stream_next(&window->stream);
    if (!is_system_call && !op) {
        *fault = window->feed.fault;
        window->is_at_end = fault->kind == FAULT_NONE;
        return window->is_at_end ? SUPPLY_END : SUPPLY_FAULT;
    }
    made = next_made(window);
    *fault = made ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the micro-ops of a trace");
    if (made && !is_system_call)
        *fault = window_make(window, made, op);
    if (fault->kind != FAULT_NONE)
        return SUPPLY_FAULT;
    if (is_system_call) {
        window_system_call_make(&made->insn, &made->uop, window->system_call_pc, window->made);
        made->gap = made->stray_count = 0;
        window->system_call_pc = 0;
        window->counts.system_calls++;
    }
    window->made++;
    return SUPPLY_INSN;
}

/* ---- wrong paths (5, 2) */
static void drop_wrong(struct window *window, struct wrong *wrong)
{
    if (!wrong || --wrong->holders > 0)
        return;
    wrong->next = window->free_wrong;
    window->free_wrong = wrong;
}

/* The wrong path behind a branch that was fetched. */
static void begin_path(struct window *window, const struct made *branch)
{
    drop_wrong(window, window->path.newest);
    window->path = (struct path){.id = window->path.id + 1, .branch = branch, .left = branch->gap};
}

static enum supply_step right(struct supply *supply, uint64_t number, const struct supply_insn **insn,
                              struct fault *fault)
{
    struct window *const window = of(supply);

    while (window->made <= number) {
        enum supply_step const step = make_next(window, fault);

        if (step != SUPPLY_INSN)
            return step;
    }
    *insn = &made_at(window, number)->insn;
    if ((*insn)->outcome != SUPPLY_AS_PREDICTED)
        begin_path(window, made_at(window, number));
    return SUPPLY_INSN;
}

static void window_release(struct supply *supply, uint64_t number)
{
    struct window *const window = of(supply);

    /* Micro-ops that committed may be looked at for a while: a piece goes when the next one was released, too. */
    while (number / PIECE_OPS > window->released / PIECE_OPS + 1) {
        struct piece **const piece = &window->pieces[window->released / PIECE_OPS % MOST_PIECES];

        window->spare[window->spare_count++] = *piece;
        *piece = NULL;
        window->released += PIECE_OPS;
    }
}

/* False: out of memory, which only makes the path shorter. */
static bool has_free_wrong(struct window *window)
{
    struct wrongs *more;

    if (window->free_wrong)
        return true;
    more = malloc(sizeof *more);
    if (!more)
        return false;
    more->next = window->wrongs;
    window->wrongs = more;
    for (size_t i = 0; i < WRONG_AT_ONCE; i++) {
        more->ops[i].next = window->free_wrong;
        window->free_wrong = &more->ops[i];
    }
    return true;
}

/* When a pc last had a result: on this path, else on the right one before its branch; 0: never. */
static uint64_t result_order(const struct window *window, const struct window_pc *pc)
{
    uint64_t const branch = window->path.branch->insn.number;

    if (pc->wrong_path == window->path.id)
        return UINT64_MAX / 2 + pc->wrong_result;
    return pc->last_uop > 0 && pc->last_uop - 1 <= branch ? pc->last_uop : 0;
}

static bool branch_tests(const struct window *window, uint16_t reg)
{
    const struct uop *const uop = &window->path.branch->uop;

    for (unsigned i = 0; i < uop->source_count; i++)
        if (uop->sources[i] == reg)
            return true;
    return false;
}

/* The latest result of one of two pcs. True: it depends on what the mispredicted branch tests. */
static bool add_wrong_source(const struct window *window, struct uop *uop, int32_t pc_number, int32_t other_number)
{
    const struct window_pc *const first = window_pc_at(&window->pcs, pc_number);
    const struct window_pc *const other = window_pc_at(&window->pcs, other_number);
    const struct window_pc *const pc = result_order(window, first) >= result_order(window, other) ? first : other;
    uint64_t const branch = window->path.branch->insn.number, registers = window->sources.registers;

    if (pc->wrong_path == window->path.id) {
        uop->sources[uop->source_count++] = pc->wrong_register;
        return pc->wrong_is_tested;
    }
    if (pc->last_uop == 0 || pc->last_uop - 1 > branch || branch - (pc->last_uop - 1) >= registers)
        return false;
    uop->sources[uop->source_count] = (uint16_t)((pc->last_uop - 1) & (registers - 1));
    return branch_tests(window, uop->sources[uop->source_count++]);
}

/* A squashed load of the capture's path that has this pc and, unless it is NULL, this line. */
static const struct stray *take_stray(struct path *path, int32_t pc_number, const uint64_t *address)
{
    for (uint32_t i = 0; i < path->branch->stray_count; i++) {
        const struct stray *const stray = &path->branch->strays[i];

        if (stray->pc_number != pc_number || path->strays_used >> i & 1
            || (address && *address / TIMELINE_LINE_BYTES != stray->address / TIMELINE_LINE_BYTES))
            continue;
        path->strays_used |= 1u << i;
        return stray;
    }
    return NULL;
}

/* No store is at such a virtual address: rules say a line, not that the data of a store in it was read. */
#define GUESSED (UINT64_C(1) << 63)

/* Reads where the rule of its pc says, if it has one; else where a load of this pc read in the capture's path. Where
 * the address depends on what the branch tests, which is not what was predicted, the rule does not count. */
static void give_address(struct window *window, struct wrong *wrong, int32_t pc_number, bool is_tested)
{
    struct path *const path = &window->path;
    struct window_pc *const pc = window_pc_at(&window->pcs, pc_number);
    const struct stray *stray;
    uint64_t address = 0;
    bool is_guessed;

    pc->wrong_count = pc->wrong_path == path->id ? pc->wrong_count + 1 : 0;
    is_guessed = pc->reads != READS_NOWHERE && window_reads_guess(&window->feed, pc->reads, pc_number,
                                                                  path->branch->place, pc->wrong_count, &address);
    address += window->setup.address_offset;
    stray = take_stray(path, pc_number, is_guessed && !is_tested ? &address : NULL);
    if (stray)
        address = stray->address;
    else if (!is_guessed || is_tested || !is_memory(window, address, wrong->access.size_bytes))
        return;
    wrong->access.place = address;
    wrong->access.address = stray ? address : address ^ GUESSED;
    wrong->access.has_place = true;
}

static void fill_wrong_record(struct window *window, struct wrong *wrong, struct window_pc *pc, int32_t pc_number)
{
    struct uop *const uop = &wrong->uop;
    bool is_tested = false;

    for (unsigned i = 0; i < pc->last_source_count; i++)
        is_tested |= add_wrong_source(window, uop, pc->last_sources[i], pc->other_sources[i]);
    if (pc->last_type == DEP_COMP) {
        set_class(uop, pc);
    } else {
        uop->op = pc->last_type == DEP_LOAD ? DETAILED_OP_MEM_READ : DETAILED_OP_MEM_WRITE;
        uop->flags |= pc->last_type == DEP_LOAD ? UOP_LOAD : UOP_STORE;
        uop->access = 0;
        wrong->access = (struct supply_access){.size_bytes = pc->last_size_bytes, .never_ends = true};
        wrong->insn.access_count = 1;
        wrong->insn.accesses = &wrong->access;
        if (pc->last_type == DEP_LOAD)
            give_address(window, wrong, pc_number, is_tested);
    }
    if (pc->last_type == DEP_STORE)
        return;
    pc->wrong_path = window->path.id;
    pc->wrong_result = window->wrong_results;
    pc->wrong_is_tested = is_tested;
    pc->wrong_register =
        (uint16_t)(window->sources.registers + (window->wrong_results++ & (window->sources.registers - 1)));
    uop->results[uop->result_count++] = pc->wrong_register;
}

/* The micro-op that the right path had at this pc; its successor is the most frequent one. */
static void fill_wrong(struct window *window, struct wrong *wrong, int32_t pc_number)
{
    struct window_pc *const pc = window_pc_at(&window->pcs, pc_number);
    struct supply_insn *const insn = &wrong->insn;
    struct uop *const uop = &wrong->uop;

    *insn = (struct supply_insn){.pc = pc->pc, .number = SUPPLY_WRONG, .uops = uop, .uop_count = 1,
                                 .is_counted = true, .size_bytes = (uint8_t)window_size_at(&window->pcs, pc_number)};
    insn->next_pc = pc->predicted;
    if (pc->predicted == UINT64_MAX)
        insn->next_pc = 2 * pc->times_taken > pc->times ? pc->target : pc->pc + insn->size_bytes;
    insn->is_taken = window_is_taken_step(&window->pcs, pc_number, insn->next_pc - pc->pc);
    *uop = (struct uop){.flags = UOP_LAST, .op = DETAILED_OP_INT_ALU, .access = UOP_NO_ACCESS};
    if (pc->last_type != DEP_INVALID) {
        fill_wrong_record(window, wrong, pc, pc_number);
        return;
    }
    uop->flags |= UOP_CONTROL | UOP_CONDITIONAL;
    if (pc->resolver != WINDOW_NO_PC)
        add_wrong_source(window, uop, pc->resolver, pc->resolver);
}

/* Code that the right path never came to: it only takes the places of its micro-ops, and its lines. */
static void fill_unknown(struct window *window, struct wrong *wrong, uint64_t pc)
{
    bool const is_short = window_pcs_find(&window->pcs, pc + 2) != WINDOW_NO_PC;

    wrong->insn = (struct supply_insn){.pc = pc, .number = SUPPLY_WRONG, .uops = &wrong->uop, .uop_count = 1,
                                       .is_counted = true, .size_bytes = is_short ? 2 : 4};
    wrong->insn.next_pc = pc + wrong->insn.size_bytes;
    wrong->uop = (struct uop){.flags = UOP_LAST, .op = DETAILED_OP_INT_ALU, .access = UOP_NO_ACCESS};
}

static const struct supply_insn *window_wrong(struct supply *supply, uint64_t pc, uint64_t state)
{
    struct window *const window = of(supply);
    struct path *const path = &window->path;
    int32_t number;

    (void)state;
    if (path->newest && path->newest->holders == 1 && path->newest->insn.pc == pc)
        return &path->newest->insn;      /* its bytes were not there */
    if (!path->branch || path->left == 0)
        return NULL;
    if (path->newest && path->newest->holders == 1 && pc == path->branch->insn.target)
        path->id++;                      /* decode corrected the branch to here: what was fetched before is squashed */
    number = window_pcs_find(&window->pcs, pc);
    if (!has_free_wrong(window))
        return NULL;
    if (number == WINDOW_NO_PC && (pc < window->pcs.lowest || pc > window->pcs.highest))
        return NULL;
    path->left--;
    drop_wrong(window, path->newest);
    path->newest = window->free_wrong;
    window->free_wrong = path->newest->next;
    path->newest->holders = 1;
    if (number == WINDOW_NO_PC)
        fill_unknown(window, path->newest, pc);
    else
        fill_wrong(window, path->newest, number);
    return &path->newest->insn;
}

static void hold_wrong(struct supply *supply, const struct supply_insn *insn, bool drops)
{
    struct window *const window = of(supply);
    struct wrong *const wrong = (struct wrong *)(uintptr_t)insn;

    if (drops)
        drop_wrong(window, wrong);
    else
        wrong->holders++;
}

/* 3.8 */
static bool window_place_part(struct supply *supply, uint64_t address, uint64_t *place_of)
{
    const struct window_setup *const setup = &of(supply)->setup;
    const struct window_pcs *const pcs = &of(supply)->pcs;

    if (address + 64 <= pcs->lowest || address > pcs->highest + 4)
        return false;
    *place_of = address - setup->text_offset + setup->address_offset;
    return is_memory(of(supply), *place_of, 1);
}

static uint32_t registers_for(uint64_t reach)
{
    uint32_t count = 256;

    while (count <= reach && count < MOST_REGISTERS)
        count *= 2;
    return count;
}

static bool init_pcs(struct window_pcs *pcs, const struct captured_core *captured)
{
    bool const has_memory = window_pcs_init(pcs);

    if (captured)
        pcs->core = *captured;
    return has_memory;
}

static struct fault window_learn_part(struct window_pcs *pcs, const struct record_source *records, struct text *learnt)
{
    struct window_feed feed;
    struct fault fault = fault_none();

    if (window_feed_open(&feed, records, pcs))
        fault = window_learn(&feed);
    else
        fault = feed.fault;
    window_feed_close(&feed);
    if (learnt && fault.kind == FAULT_NONE) {
        window_learnt_put(pcs, learnt);
        if (learnt->failed)
            fault = fault_make(FAULT_MEMORY, "out of memory for the facts of a trace");
    }
    return fault;
}

static struct fault know_pcs(struct window_pcs *pcs, const struct window_setup *setup)
{
    return setup->learnt ? window_learnt_take(pcs, setup->learnt, setup->learnt_bytes, setup->records.name)
                         : window_learn_part(pcs, &setup->learnt_from, setup->learns);
}

struct fault window_learn_from(const struct record_source *records, const struct captured_core *captured,
                               struct text *learnt)
{
    struct window_pcs pcs;
    struct fault fault;

    if (!init_pcs(&pcs, captured))
        return fault_make(FAULT_MEMORY, "out of memory for a trace");
    fault = window_learn_part(&pcs, records, learnt);
    window_pcs_free(&pcs);
    return fault;
}

uint64_t window_rules(const struct captured_core *captured)
{
    struct captured_core const reference = captured_core_reference();

    return window_learnt_rules(captured ? captured : &reference);
}

/* Code is fetched at the places of its pcs, which have no record of their own. */
static struct fault check_code(const struct window *window)
{
    const struct window_setup *const setup = &window->setup;

    for (size_t i = 0; i < window->pcs.count; i++) {
        uint64_t const pc = window->pcs.all[i].pc, place = pc - setup->text_offset + setup->address_offset;

        if (!is_memory(window, place, 1))
            return fault_make(FAULT_INPUT, "%s: code at pc 0x%" PRIx64 ", address 0x%" PRIx64 ", is not in memory; "
                              "expected an address in one of the system's memories", setup->records.name, pc, place);
    }
    return fault_none();
}

struct window *window_open(const struct window_setup *setup, struct fault *fault)
{
    static const struct supply_ops ops = {.right = right, .release = window_release, .wrong = window_wrong,
        .place = window_place_part, .hold = hold_wrong};
    uint32_t const registers = registers_for(2 * setup->records.window_records);
    struct window *const window = calloc(1, sizeof *window);

    if (!window) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for a trace");
        return NULL;
    }
    window->setup = *setup;
    for (size_t i = 0; i < setup->memory_count; i++)
        window->memories[i] = setup->memories[i];
    window->setup.memories = window->memories;
    window->supply = (struct supply){.ops = &ops, .knows_outcomes = true,
                                     .register_count = 2 * registers};     /* half of them are for wrong paths */
    *fault = init_pcs(&window->pcs, setup->captured) ? fault_none()
                                                     : fault_make(FAULT_MEMORY, "out of memory for a trace");
    if (fault->kind == FAULT_NONE)
        *fault = know_pcs(&window->pcs, setup);
    if (fault->kind == FAULT_NONE)
        *fault = check_code(window);
    if (fault->kind == FAULT_NONE
        && !window_feed_open(&window->feed, &window->setup.records, &window->pcs))
        *fault = window->feed.fault;
    window_stream_open(&window->stream, &window->feed);
    window->stream.is_learnt = true;
    window_sources_begin(&window->sources, &window->stream, registers);
    if (fault->kind == FAULT_NONE)
        return window;
    window_close(window);
    return NULL;
}

void window_close(struct window *window)
{
    if (!window)
        return;
    for (size_t i = 0; i < MOST_PIECES; i++)
        free(window->pieces[i]);
    while (window->spare_count > 0)
        free(window->spare[--window->spare_count]);
    for (struct wrongs *wrongs = window->wrongs, *next; wrongs; wrongs = next) {
        next = wrongs->next;
        free(wrongs);
    }
    window_feed_close(&window->feed);
    window_pcs_free(&window->pcs);
    free(window);
}

struct supply *window_supply(struct window *window)
{
    return &window->supply;
}

struct window_counts window_counts(const struct window *window)
{
    struct window_counts counts = window->counts;

    counts.squashed_loads = window->feed.squashed;
    counts.unplaced = window->stream.lost_gaps;
    return counts;
}

struct fault window_count(const struct window_setup *setup, struct window_counts *counts)
{
    const struct supply_insn *insn;
    struct fault fault;
    struct window *const window = window_open(setup, &fault);

    if (!window)
        return fault;
    for (uint64_t number = 0; right(&window->supply, number, &insn, &fault) == SUPPLY_INSN; number++)
        window_release(&window->supply, number);
    *counts = window_counts(window);
    window_close(window);
    return fault;
}
