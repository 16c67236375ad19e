/* Micro-ops are made as the core asks for them, in pieces that are used again when all of one was released.
 *
 * Each micro-op that writes a register has one of its own: its number modulo a power of two that no dependence reaches
 * over. */
#include "replay/window/window.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/window/learn.h"
#include "replay/window/learnt.h"
#include "replay/window/sources.h"

enum { FETCH_WIDTH = 8 };
enum { STRAYS_HELD = 8192, PIECE_OPS = 256, MOST_PIECES = 1024, MOST_REGISTERS = 16384 };

struct made { struct supply_insn insn; struct uop uop; struct supply_access access; };

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
    bool is_at_end;
    struct window_sources sources;
    struct supply_stray strays[STRAYS_HELD];     /* a ring; those of one branch side by side */
    uint32_t stray_next;
    struct window_counts counts;
    struct supply_insn wrong;            /* given last */
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
    uop->latency_cyc = pc->latency_cyc;
    if (pc->serialises)
        uop->flags |= UOP_SERIALISE_BEFORE;
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
    struct uop *const uop = &made->uop;

    record->kind.has_uop = true;
    window_feed_notes(&window->feed, record)->uop = window->made;
    window->counts.records++;
    if (record->kind.type == DEP_COMP) {
        set_class(uop, window_pc_at(&window->pcs, op->pc_number));
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
        uop->results[uop->result_count++] = (uint16_t)(window->made & (window->supply.register_count - 1));
        window_pc_at(&window->pcs, op->pc_number)->last_uop = window->made + 1;
    }
    window_sources_of_record(&window->sources, uop, record, window->made);
    return fault_none();
}

static void fill_hidden(struct window *window, struct made *made, const struct window_op *op)
{
    static const size_t counted[] = {
        [SOURCE_RESOLVER] = offsetof(struct window_counts, resolved_sources),
        [SOURCE_LEARNT] = offsetof(struct window_counts, learnt_sources),
        [SOURCE_GUESSED] = offsetof(struct window_counts, guessed_sources),
        [SOURCE_NONE] = offsetof(struct window_counts, no_sources)};
    struct uop *const uop = &made->uop;
    enum source_kind const kind = window_sources_of_hidden(&window->sources, uop, op, window->made);

    uop->op = DETAILED_OP_INT_ALU;
    uop->flags |= UOP_CONTROL | UOP_CONDITIONAL;
    window->counts.hidden++;
    ++*(uint64_t *)(void *)((char *)&window->counts + counted[kind]);
}

/* 3.5 */
static enum supply_outcome outcome_of(const struct window_op *op, const struct window_pc *pc)
{
    if (op->gap == 0)
        return SUPPLY_AS_PREDICTED;
    return op->gap < RULE_GAP_EXECUTE || window_pc_is_direct(pc) ? SUPPLY_REDIRECTED : SUPPLY_MISPREDICTED;
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

/* docs/window.md: loads that the capture's wrong path made. */
static void put_strays(struct window *window, struct supply_insn *insn, const struct window_op *op)
{
    uint64_t at = op->strays;

    if (window->stray_next + RULE_STRAYS > STRAYS_HELD)
        window->stray_next = 0;
    insn->strays = &window->strays[window->stray_next];
    while (at > 0 && insn->stray_count < RULE_STRAYS) {
        const struct window_record *const load = window_feed_at(&window->feed, at - 1);

        if (!load)
            return;
        at = window_feed_strays(&window->feed, load);
        if (!is_memory(window, load->address + window->setup.address_offset, 1))
            continue;
        window->strays[window->stray_next++] = (struct supply_stray){
            .pc = window_feed_shape(&window->feed, load)->pc, .place = load->address + window->setup.address_offset,
            .delay_cyc = (uint32_t)(RULE_STRAY_CYC + (load->seq - op->last_seq) / FETCH_WIDTH)};
        insn->stray_count++;
    }
}

static struct fault make(struct window *window, struct made *made, const struct window_op *op)
{
    const struct window_pc *const pc = window_pc_at(&window->pcs, op->pc_number);
    uint64_t const step = op->next_pc - op->pc;
    struct supply_insn *const insn = &made->insn;
    struct uop *const uop = &made->uop;

    /* one by one, but for what counts of 0 leave out: all of it at once would take longer */
    insn->pc = op->pc;
    insn->next_pc = op->next_pc;
    insn->target = insn->wrong_pc = insn->before = insn->state = 0;
    insn->number = window->made;
    insn->uops = uop;
    insn->uop_count = 1;
    insn->access_count = insn->stray_count = 0;
    insn->size_bytes =
        (uint8_t)(window_is_size(&window->pcs, step) ? step : window_size_at(&window->pcs, op->pc_number));
    insn->is_taken = window_op_is_taken(&window->pcs, op);
    insn->has_values = insn->is_repeat = insn->is_unfetched = false;
    insn->outcome = (uint8_t)outcome_of(op, pc);
    insn->encoding = 0;
    uop->flags = UOP_LAST;
    uop->source_count = uop->result_count = uop->latency_cyc = 0;
    uop->access = UOP_NO_ACCESS;
    if (made->insn.outcome == SUPPLY_MISPREDICTED)
        put_strays(window, &made->insn, op);
    if (op->is_hidden)
        fill_hidden(window, made, op);
    else
        FORWARD(fill_record(window, made, op));
    if (made->insn.outcome != SUPPLY_AS_PREDICTED) {
        made->uop.flags |= UOP_CONTROL;
        made->insn.wrong_pc = wrong_pc(op, pc, made->insn.size_bytes, made->insn.is_taken);
    }
    window->counts.mispredicted += made->insn.outcome == SUPPLY_MISPREDICTED;
    window->counts.redirected += made->insn.outcome == SUPPLY_REDIRECTED;
    window->counts.taken += made->insn.is_taken;
    window_sources_note(&window->sources, made->uop.result_count > 0, window->made);
    return fault_none();
}

/* ---- the supply */
static enum supply_step make_next(struct window *window, struct fault *fault)
{
    struct piece **const piece = &window->pieces[window->made / PIECE_OPS % MOST_PIECES];
    const struct window_op *op;

    if (window->is_at_end)
        return SUPPLY_END;
    op = window_stream_next(&window->stream);
    if (!op) {
        *fault = window->feed.fault;
        window->is_at_end = fault->kind == FAULT_NONE;
        return window->is_at_end ? SUPPLY_END : SUPPLY_FAULT;
    }
    if (window->made % PIECE_OPS == 0) {
        *piece = window->spare_count > 0 ? window->spare[--window->spare_count] : malloc(sizeof **piece);
        if (!*piece) {
            *fault = fault_make(FAULT_MEMORY, "out of memory for the micro-ops of a trace");
            return SUPPLY_FAULT;
        }
    }
    *fault = make(window, made_at(window, window->made), op);
    if (fault->kind != FAULT_NONE)
        return SUPPLY_FAULT;
    window->made++;
    return SUPPLY_INSN;
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
    return SUPPLY_INSN;
}

static void release(struct supply *supply, uint64_t number)
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

/* The instruction that the right path had at this pc; its successor is that instruction's most frequent one. */
static const struct supply_insn *wrong(struct supply *supply, uint64_t pc, uint64_t state)
{
    struct window *const window = of(supply);
    int32_t const number = window_pcs_find(&window->pcs, pc);
    struct supply_insn *const insn = &window->wrong;
    const struct window_pc *at;

    (void)state;
    if (number == WINDOW_NO_PC)
        return NULL;
    at = window_pc_at(&window->pcs, number);
    *insn = (struct supply_insn){.pc = pc, .number = SUPPLY_WRONG,
                                 .size_bytes = (uint8_t)window_size_at(&window->pcs, number)};
    insn->is_taken = 2 * at->times_taken > at->times;
    insn->next_pc = insn->is_taken ? at->target : pc + insn->size_bytes;
    return insn;
}

/* 3.8 */
static bool place(struct supply *supply, uint64_t address, uint64_t *place_of)
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

static struct fault learn(struct window_pcs *pcs, const struct record_source *records, struct text *learnt)
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
            fault = fault_make(FAULT_MEMORY, "out of memory for what a trace tells");
    }
    return fault;
}

static struct fault know_pcs(struct window_pcs *pcs, const struct window_setup *setup)
{
    return setup->learnt ? window_learnt_take(pcs, setup->learnt, setup->learnt_bytes, setup->records.name)
                         : learn(pcs, &setup->learnt_from, setup->learns);
}

struct fault window_learn_from(const struct record_source *records, struct text *learnt)
{
    struct window_pcs pcs;
    struct fault fault;

    if (!window_pcs_init(&pcs))
        return fault_make(FAULT_MEMORY, "out of memory for a trace");
    fault = learn(&pcs, records, learnt);
    window_pcs_free(&pcs);
    return fault;
}

uint64_t window_rules(void)
{
    return window_learnt_rules();
}

struct window *window_open(const struct window_setup *setup, struct fault *fault)
{
    static const struct supply_ops ops = {.right = right, .release = release, .wrong = wrong, .place = place};
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
                                     .register_count = registers_for(2 * setup->records.window_records)};
    *fault = window_pcs_init(&window->pcs) ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a trace");
    if (fault->kind == FAULT_NONE)
        *fault = know_pcs(&window->pcs, setup);
    if (fault->kind == FAULT_NONE
        && !window_feed_open(&window->feed, &window->setup.records, &window->pcs))
        *fault = window->feed.fault;
    window->feed.has_times = false;
    window_stream_open(&window->stream, &window->feed);
    window->stream.is_learnt = true;
    window_sources_begin(&window->sources, &window->feed, window->supply.register_count);
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
        release(&window->supply, number);
    *counts = window_counts(window);
    window_close(window);
    return fault;
}
