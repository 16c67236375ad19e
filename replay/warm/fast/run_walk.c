#include "replay/warm/fast/run_walk.h"

#include <stdlib.h>

#include "base/list.h"
#include "replay/warm/warm_walk_steps.h"

enum step_kind { STEP_READ = WARM_USE_READ, STEP_WRITE = WARM_USE_WRITE, STEP_FETCH = WARM_USE_FETCH, STEP_BRANCH };

/* A step of a run behind the fetch of its first instruction. */
struct run_step {
    uint64_t pc;
    uint64_t to;                         /* of a fetch: its line; of a branch: where it goes */
    uint32_t last;                       /* of an access: its bytes less one */
    uint8_t kind;
    uint8_t size_bytes, flags;           /* of a branch, as in struct warm_branch */
};

struct run_plan {
    size_t first;                        /* of run_walking->steps */
    uint32_t count, before;              /* before: steps ahead of the first fetch */
    uint64_t pc;                         /* of the first instruction that is fetched ... */
    uint64_t first_line, last_line;      /* ... and its lines */
    uint64_t line;                       /* fetched last */
    struct warm_branch pending;          /* the last instruction that is fetched; 0 bytes: it is no branch */
    uint16_t length;
    bool is_known, is_fetched;           /* is_fetched: an instruction is */
};

struct run_walking {
    struct run_plan *plans;              /* by run */
    struct run_step *steps;
    size_t plan_room, step_count, step_room;
    struct warm_near none;               /* of a sink that wants all uses */
    const struct warm_near *near[2];
    uint64_t address_mask;
    /* ---- the run that a place divides */
    struct insn_run run;
    uint32_t at, address;                /* its next instruction, and that one's first access; at 0: none is divided */
    struct insn_access *accesses;        /* of an instruction */
    size_t access_room;
};

static void close_runs(struct warm_walk *walk)
{
    struct run_walking *const own = walk->own;

    if (!own)
        return;
    free(own->plans);
    free(own->steps);
    free(own->accesses);
    free(own);
    walk->own = NULL;
}

static bool open_runs(struct warm_walk *walk)
{
    struct run_walking *own;

    if (!insn_cursor_has_run_accesses(walk->cursor))
        return false;
    own = calloc(1, sizeof *own);
    if (!own)
        return false;
    own->none.page = WARM_NO_PAGE;
    for (unsigned side = 0; side < 2; side++)
        own->near[side] = walk->sink.near[side] ? walk->sink.near[side] : &own->none;
    own->address_mask = walk->spans.line_bytes == 0 ? UINT64_MAX : ~(uint64_t)(walk->spans.line_bytes - 1);
    walk->own = own;
    return true;
}

/* ---- plans */
static bool add_step(struct run_walking *own, struct run_plan *plan, struct run_step step)
{
    if (!list_fit(&own->steps, own->step_count + 1, &own->step_room, sizeof *own->steps))
        return false;
    own->steps[own->step_count++] = step;
    plan->count++;
    return true;
}

static bool plan_fetch(struct warm_walk *walk, struct run_plan *plan, const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;
    uint64_t const first = insn->pc >> WARM_LINE_SHIFT;
    uint64_t const last = (insn->pc + (insn->size_bytes ? insn->size_bytes - 1 : 0)) >> WARM_LINE_SHIFT;
    struct warm_branch const before = plan->pending;

    if (!plan->is_fetched) {
        plan->is_fetched = true;
        plan->before = plan->count;
        plan->pc = insn->pc;
        plan->first_line = first;
        plan->last_line = last;
    } else {
        if (before.size_bytes > 0
            && !add_step(walk->own, plan, (struct run_step){.kind = STEP_BRANCH, .pc = before.pc, .to = insn->pc,
                                                           .size_bytes = before.size_bytes, .flags = before.flags}))
            return false;
        for (uint64_t line = first; first != plan->line || last != plan->line; line++) {
            if (!add_step(walk->own, plan, (struct run_step){.kind = STEP_FETCH, .pc = insn->pc, .to = line}))
                return false;
            if (line >= last)
                break;
        }
    }
    plan->line = last;
    plan->pending = (struct warm_branch){0};
    return !isa_kind_is_branch(insn->kind) || warm_walk_branch(walk, event, &plan->pending);
}

static bool plan_insn(struct warm_walk *walk, struct run_plan *plan, const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;

    if (insn->form == INSN_EXECUTED && !plan_fetch(walk, plan, event))
        return false;
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_span const span = insn_span(&walk->spans, &insn->accesses[i]);

        if (!add_step(walk->own, plan, (struct run_step){
                .kind = insn->accesses[i].is_write ? STEP_WRITE : STEP_READ, .pc = insn->pc,
                .last = (uint32_t)(span.size_bytes ? span.size_bytes - 1 : 0)}))
            return false;
    }
    return true;
}

/* NULL: no memory. */
static const struct run_plan *plan_of(struct warm_walk *walk, uint32_t run)
{
    struct run_walking *const own = walk->own;
    struct insn_event event;
    struct run_plan *plan;

    if (run < own->plan_room && own->plans[run].is_known)
        return &own->plans[run];
    if (!list_fit_zeroed(&own->plans, (size_t)run + 1, &own->plan_room, sizeof *own->plans))
        return NULL;
    plan = &own->plans[run];
    *plan = (struct run_plan){.first = own->step_count,
                              .length = (uint16_t)insn_cursor_run_length(walk->cursor, run)};
    for (uint32_t i = 0; i < plan->length; i++)
        if (!insn_cursor_run_insn(walk->cursor, run, i, &event) || !plan_insn(walk, plan, &event))
            return NULL;
    if (!plan->is_fetched)
        plan->before = plan->count;
    plan->is_known = true;
    return plan;
}

/* ---- whole runs */
static bool use_each(struct warm_walk *walk, enum warm_use use, uint64_t first, uint64_t last, uint64_t pc)
{
    const struct warm_near *const near = ((const struct run_walking *)walk->own)->near[use == WARM_USE_FETCH];

    for (uint64_t line = first;; line++) {
        if (!warm_near_skips(near, use, line) && !walk->sink.use(walk->sink.context, use, line, pc))
            return false;
        if (line >= last)
            return true;
    }
}

static bool take_steps(struct warm_walk *walk, const struct run_step *steps, uint32_t count,
                       const uint64_t **addresses)
{
    const struct run_walking *const own = walk->own;

    for (uint32_t i = 0; i < count; i++) {
        const struct run_step *const step = &steps[i];

        if (step->kind == STEP_BRANCH) {
            struct warm_branch const branch = {.pc = step->pc, .next_pc = step->to, .size_bytes = step->size_bytes,
                                               .flags = step->flags};

            if (!walk->sink.branch(walk->sink.context, &branch))
                return false;
        } else if (step->kind == STEP_FETCH) {
            if (!use_each(walk, WARM_USE_FETCH, step->to, step->to, step->pc))
                return false;
        } else {
            uint64_t const address = *(*addresses)++ & own->address_mask;

            if (!use_each(walk, (enum warm_use)step->kind, address >> WARM_LINE_SHIFT,
                          (address + step->last) >> WARM_LINE_SHIFT, step->pc))
                return false;
        }
    }
    return true;
}

static bool fetch_first(struct warm_walk *walk, const struct run_plan *plan)
{
    if (walk->has_pending) {
        walk->has_pending = false;
        walk->pending.next_pc = plan->pc;
        if (!walk->sink.branch(walk->sink.context, &walk->pending))
            return false;
    }
    return (plan->first_line == walk->line && plan->last_line == walk->line)
        || use_each(walk, WARM_USE_FETCH, plan->first_line, plan->last_line, plan->pc);
}

/* Accesses that a run's last instruction has this time. */
static bool take_further(struct warm_walk *walk, const struct insn_run *run, uint64_t pc)
{
    for (uint32_t i = 0; i < run->further_count; i++) {
        struct insn_span const span = insn_span(&walk->spans, &run->further[i]);

        if (!use_each(walk, run->further[i].is_write ? WARM_USE_WRITE : WARM_USE_READ,
                      span.address >> WARM_LINE_SHIFT,
                      (span.address + (span.size_bytes ? span.size_bytes - 1 : 0)) >> WARM_LINE_SHIFT, pc))
            return false;
    }
    return true;
}

static bool take_run(struct warm_walk *walk, const struct run_plan *plan, const struct insn_run *run)
{
    const struct run_step *const steps = ((const struct run_walking *)walk->own)->steps + plan->first;
    const uint64_t *addresses = run->addresses;

    if (!take_steps(walk, steps, plan->before, &addresses))
        return false;
    if (plan->is_fetched) {
        if (!fetch_first(walk, plan))
            return false;
        walk->line = plan->line;
        if (!take_steps(walk, steps + plan->before, plan->count - plan->before, &addresses))
            return false;
        walk->has_pending = plan->pending.size_bytes > 0;
        if (walk->has_pending)
            walk->pending = plan->pending;
    }
    return run->further_count == 0
        || take_further(walk, run, insn_cursor_run_place(walk->cursor, run->number, plan->length - 1u).pc);
}

/* ---- runs that a place divides */

/* Its accesses, with addresses. */
static bool find_accesses(struct run_walking *own, struct insn *insn, bool is_last)
{
    const struct insn_access *const from = insn->accesses;

    if (is_last && own->run.further_count > 0) {
        insn->accesses = own->run.further;
        insn->access_count = own->run.further_count;
        return true;
    }
    if (!list_fit(&own->accesses, insn->access_count, &own->access_room, sizeof *own->accesses))
        return false;
    for (size_t i = 0; i < insn->access_count; i++) {
        own->accesses[i] = from[i];
        own->accesses[i].address = own->run.addresses[own->address++];
    }
    insn->accesses = own->accesses;
    return true;
}

static bool take_part(struct warm_walk *walk, uint32_t length, uint64_t place, bool learns)
{
    struct run_walking *const own = walk->own;
    struct insn_event event;

    while (own->at < length && walk->place < place) {
        if (!insn_cursor_run_insn(walk->cursor, own->run.number, own->at, &event)
            || !find_accesses(own, &event.insn, own->at + 1 == length) || (learns && !warm_walk_take(walk, &event)))
            return false;
        own->at++;
        walk->place++;
    }
    if (own->at == length)
        own->at = 0;
    return true;
}

/* ---- all */
static bool is_time_to_show(uint64_t before, uint64_t place)
{
    return before / WARM_PROGRESS_EVENTS != place / WARM_PROGRESS_EVENTS;
}

static struct fault go_by_runs(struct warm_walk *walk, uint64_t place, bool learns, warm_walk_progress *progress,
                               void *context)
{
    struct run_walking *const own = walk->own;
    struct fault fault = fault_none();

    while (walk->place < place) {
        uint64_t const before = walk->place;
        const struct run_plan *plan;

        if (own->at == 0)
            switch (insn_cursor_next_run_accesses(walk->cursor, &own->run, &fault)) {
            case INSN_RECORD:
                own->address = 0;
                break;
            case INSN_END:
                return warm_walk_too_short(walk, place);
            default:
                return fault;
            }
        plan = plan_of(walk, own->run.number);
        if (!plan)
            return warm_walk_no_memory(walk);
        if (own->at == 0 && plan->length <= place - walk->place) {
            if (learns && !take_run(walk, plan, &own->run))
                return warm_walk_no_memory(walk);
            walk->place += plan->length;
        } else if (!take_part(walk, plan->length, place, learns)) {
            return warm_walk_no_memory(walk);
        }
        if (progress && is_time_to_show(before, walk->place) && progress(context, walk->place))
            return fault_none();
    }
    return fault_none();
}

const struct warm_walk_way run_walk = {.open = open_runs, .go_to = go_by_runs, .close = close_runs};
