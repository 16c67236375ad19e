/* Virtual lines become physical ones by the space of the program, as requests of the core do. A page is looked up in
 * the TLB, if there is one, when fetch, or data, leave the page before: the entry used last stays so. Likewise the line
 * used last of a set of an L1 with LRU or tree-PLRU, whose use changes nothing. */
#include "replay/warm/warm_system.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/beat.h"
#include "memsys/warm/warm_caches.h"
#include "replay/config/config_values.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system_core.h"
#include "replay/system/system_prefetch.h"
#include "replay/warm/warm_walk.h"

enum { CACHED_PAGES = 256, TURN_INSNS = 4096 };

struct cached_page { uint64_t page, place; };

struct warm_side {
    struct warm_node *l1;                /* NULL: none */
    requestor_id requestor;
    struct warm_near near;               /* page: looked up last */
    bool skips;                          /* the line used last of a set may be used again without effect */
    struct cached_page pages[CACHED_PAGES];
};

/* A core, and the program that it runs. */
struct warm_core {
    struct warm_system *owner;
    struct system_core *core;
    struct space *space;
    struct warm_node *walker;            /* which page walks read */
    struct warm_side sides[WARM_SIDES];
    struct insn_trace *trace;            /* of a walk; NULL: none is open */
    struct warm_walk *walk;
};

struct warm_system {
    struct system *system;
    const struct warm_state *state;      /* to learn from now, or ... */
    const struct warm_programs *programs;    /* ... the walks over traces */
    struct warm_caches caches;
    struct warm_node *nodes;
    uint64_t place;                      /* that a walk goes to */
    bool is_walk;
    bool is_interrupted;
    struct fault fault;
    size_t count;
    struct warm_core cores[];
};

/* ---- uses */
static void forget_near(struct warm_side *side)
{
    for (unsigned i = 0; i < WARM_NEAR_LINES; i++)
        side->near.lines[i] = WARM_NO_PAGE;
}

static void read_entry(void *context, uint64_t address)
{
    struct warm_core *const warming = context;
    struct warm_request const request = {.address = address, .kind = WARM_READ,
                                         .requestor = warming->core->mmu->requestor};

    if (!warming->walker)
        return;
    warm_access(&warming->owner->caches, warming->walker, &request);
    forget_near(&warming->sides[0]);
}

/* VM_NOWHERE: a fault. */
static uint64_t place_of_line(struct warm_core *warming, struct warm_side *side, uint64_t line)
{
    uint64_t const page = line >> (WARM_PAGE_SHIFT - WARM_LINE_SHIFT);
    struct cached_page *const cached = &side->pages[page % CACHED_PAGES];

    if (cached->page != page) {
        uint64_t const place = space_touch_and_place(warming->space, page << WARM_PAGE_SHIFT,
                                                     &warming->owner->fault);

        if (place == VM_NOWHERE)
            return VM_NOWHERE;
        *cached = (struct cached_page){page, place};
    }
    return cached->place + (line << WARM_LINE_SHIFT) % (UINT64_C(1) << WARM_PAGE_SHIFT);
}

/* A request of the L1 that its caches notice. */
static void ask_l1(struct warm_core *warming, enum warm_use use, uint64_t line, uint64_t address, uint64_t pc)
{
    struct warm_side *const side = &warming->sides[use == WARM_USE_FETCH];
    uint64_t *const near = &side->near.lines[line % WARM_NEAR_LINES];
    uint64_t *const other = &warming->sides[use != WARM_USE_FETCH].near.lines[line % WARM_NEAR_LINES];
    struct warm_request const request = {
        .address = address, .pc = pc, .has_pc = pc != 0, .requestor = side->requestor,
        .kind = use == WARM_USE_FETCH ? WARM_FETCH : use == WARM_USE_WRITE ? WARM_WRITE : WARM_READ};

    if (*other >> 1 == line)
        *other = WARM_NO_PAGE;
    if (side->l1)
        warm_access(&warming->owner->caches, side->l1, &request);
    if (side->skips)
        *near = line << 1 | (use == WARM_USE_WRITE || *near == (line << 1 | 1));
}

static bool warm_use_line(void *context, enum warm_use use, uint64_t line, uint64_t pc)
{
    struct warm_core *const warming = context;
    struct warm_side *const side = &warming->sides[use == WARM_USE_FETCH];
    uint64_t const page = warm_near_page(&side->near, line);
    uint64_t address;

    if (warm_near_skips(&side->near, use, line))
        return true;
    address = place_of_line(warming, side, line);
    if (address == VM_NOWHERE)
        return false;
    if (page != side->near.page && warming->core->mmu)
        mmu_warm(warming->core->mmu, use == WARM_USE_FETCH ? MMU_INST : MMU_DATA, address, read_entry, warming);
    side->near.page = page;
    if (!warm_near_has(&side->near, use, line))
        ask_l1(warming, use, line, address, pc);
    return true;
}

static bool train(void *context, const struct warm_branch *branch)
{
    struct warm_core *const warming = context;
    struct branch_query const query = {
        .pc = branch->pc, .fall_through = branch->pc + branch->size_bytes, .next_pc = branch->next_pc,
        .is_call = branch->flags & WARM_BRANCH_CALL, .is_return = branch->flags & WARM_BRANCH_RETURN,
        .is_direct = branch->flags & WARM_BRANCH_DIRECT, .is_conditional = branch->flags & WARM_BRANCH_CONDITIONAL,
        .is_known = true, .is_taken = branch->next_pc != branch->pc + branch->size_bytes};

    detailed_cpu_warm(warming->core->detailed, &query);
    return true;
}

/* ---- the tree of caches */
static struct crossbar *bus_below(const struct system *system, const struct cache *cache)
{
    for (unsigned i = 0; i < system->bus_count; i++)
        if (cache->below.self == system->buses[i].noc)
            return crossbar_of(system->buses[i].noc);
    return NULL;
}

/* The cache that the same crossbar is above. */
static size_t cache_below(const struct system *system, const struct cache *cache)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        if (system->caches[i].cache.above.self == cache->below.self)
            return i;
    return SIZE_MAX;
}

/* The component below the core's MMU, or the core. */
static const void *first_below(const struct system_core *core, unsigned side)
{
    if (core->mmu)
        return core->mmu->sides[side == 0 ? MMU_DATA : MMU_INST].cache.self;
    return side == 0 ? core->below_data.self : core->below_fetch.self;
}

static bool may_skip(const struct warm_system *warming, const struct cache *cache)
{
    uint64_t const sets = cache->tags.set_count;

    return cache->tags.policy.ops->skips_repeats && sets % WARM_NEAR_LINES == 0
        && !(warming->is_walk && cache->prefetcher);
}

static void find_l1s(struct warm_system *warming, struct cache *cache, struct warm_node *node)
{
    for (size_t i = 0; i < warming->count; i++)
        for (unsigned side = 0; side < WARM_SIDES; side++)
            if (first_below(warming->cores[i].core, side) == cache)
                warming->cores[i].sides[side].l1 = node;
}

static struct fault find_caches(struct warm_system *warming)
{
    struct system *const system = warming->system;
    size_t *const below = malloc((system->cache_count + 1) * sizeof *below);

    warming->nodes = calloc(system->cache_count + 1, sizeof *warming->nodes);
    if (!warming->nodes || !below) {
        free(below);
        return fault_make(FAULT_MEMORY, "out of memory for the warm caches of a system");
    }
    for (unsigned i = 0; i < system->cache_count; i++) {
        struct system_cache *const cache = &system->caches[i];

        warming->nodes[i] = (struct warm_node){.cache = &cache->cache, .bus = bus_below(system, &cache->cache)};
        if (warming->nodes[i].bus && !warming->nodes[i].bus->noc.role.snoop_filter)
            warming->nodes[i].bus = NULL;
        below[i] = cache_below(system, &cache->cache);
        find_l1s(warming, &cache->cache, &warming->nodes[i]);
    }
    warm_join(&warming->caches, warming->nodes, system->cache_count, below);
    warming->caches.prefetches = true;
    free(below);
    return fault_none();
}

static void begin_sides(struct warm_core *warming)
{
    struct core_requestors const requestors = core_requestors(warming->core);

    warming->sides[0].requestor = requestors.data;
    warming->sides[1].requestor = requestors.inst;
    for (unsigned i = 0; i < WARM_SIDES; i++) {
        struct warm_side *const side = &warming->sides[i];

        side->near.page_mask = warming->core->mmu ? UINT64_MAX : 0;
        side->near.page = warming->core->mmu ? WARM_NO_PAGE : 0;
        side->skips = side->l1 && may_skip(warming->owner, side->l1->cache);
        forget_near(side);
        for (unsigned k = 0; k < CACHED_PAGES; k++)
            side->pages[k].page = WARM_NO_PAGE;
    }
    warming->walker = warming->sides[0].l1;
    if (warming->walker && warming->core->mmu && warming->core->mmu->walker.ops)
        warming->walker = warming->walker->below;
}

/* ---- what may be warm */
static struct fault check_lines(const struct system *system)
{
    if (system->sim.line_bytes == WARM_LINE_BYTES)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: lines of %" PRIu32 " bytes, but regions are warmed in lines of %d; "
                      "give --warm detailed", config_name(system->config), system->sim.line_bytes, WARM_LINE_BYTES);
}

static struct fault check_kept(const struct system *system, const struct warm_state *state)
{
    uint64_t const kept = state->kept_lines * WARM_LINE_BYTES;
    const struct system_cache *largest = NULL;
    uint64_t bytes;

    if (!state->is_cut)
        return fault_none();
    for (unsigned i = 0; i < system->cache_count; i++)
        if (!largest || system->caches[i].cache.tags.block_count > largest->cache.tags.block_count)
            largest = &system->caches[i];
    bytes = largest ? (uint64_t)largest->cache.tags.block_count * WARM_LINE_BYTES : 0;
    if (bytes > kept)
        return fault_make(FAULT_INPUT, "%s: its %s has %" PRIu64 " KiB, but the regions keep lines for %" PRIu64
                          " KiB; make them again with `rubato regions --keep %" PRIu64 "KiB`, or give "
                          "--warm functional", config_name(system->config), largest->our_name, bytes >> 10,
                          kept >> 10, bytes >> 10);
    return fault_none();
}

/* ---- the two ways */
static void give_lines(struct warm_system *warming, const struct warm_numbers *lines)
{
    for (size_t i = 0; i < lines->count && warming->fault.kind == FAULT_NONE; i++)
        warm_use_line(&warming->cores[0], warm_line_use(lines->list[i]), warm_line_number(lines->list[i]), 0);
}

static void give_state(void *context)
{
    struct warm_system *const warming = context;
    struct warm_core *const core = &warming->cores[0];
    const struct warm_state *const state = warming->state;

    for (size_t i = 0; i < state->touched.count && warming->fault.kind == FAULT_NONE; i++)
        space_touch_and_place(core->space, state->touched.list[i] << WARM_PAGE_SHIFT, &warming->fault);
    give_lines(warming, &state->old);
    give_lines(warming, &state->recent);
    for (unsigned side = 0; side < WARM_SIDES; side++)
        for (size_t i = 0; i < state->pages[side].count && core->core->mmu && warming->fault.kind == FAULT_NONE; i++)
            mmu_warm_last(core->core->mmu, side == 0 ? MMU_DATA : MMU_INST,
                          space_touch_and_place(core->space, state->pages[side].list[i] << WARM_PAGE_SHIFT,
                                                &warming->fault));
    for (size_t i = 0; i < state->branch_count; i++)
        train(core, &state->branches[i]);
    warm_rank(&warming->caches);         /* here, not in each copy of the process */
}

static struct fault open_walk(struct warm_core *core, const struct warm_programs *programs, const char *path)
{
    struct warm_sink const sink = {warm_use_line, train, core, {&core->sides[0].near, &core->sides[1].near}};
    struct fault fault;

    core->trace = insn_trace_open_as(path, programs->format, INSN_OPEN_DECODED, &fault);
    if (core->trace)
        core->walk = warm_walk_open(core->trace, programs->from, &sink, core->owner->system->engine.walk, &fault);
    return core->walk ? fault_none() : fault;
}

/* In turns, as cores of the same speed. What another core has done since does not stay unseen. */
static void take_turns(struct warm_system *warming, const struct warm_programs *programs)
{
    uint64_t const turn = warming->count > 1 ? TURN_INSNS : TURN_INSNS << 6;

    for (uint64_t at = programs->from; at < programs->place && warming->fault.kind == FAULT_NONE;) {
        at = programs->place - at < turn ? programs->place : at + turn;
        for (size_t i = 0; i < warming->count && warming->fault.kind == FAULT_NONE; i++) {
            struct fault const fault = warm_walk_to(warming->cores[i].walk, at, NULL, NULL);

            if (warming->fault.kind == FAULT_NONE)
                warming->fault = fault;
            if (warming->count == 1)
                continue;
            warm_walk_leave_line(warming->cores[i].walk);
            for (unsigned side = 0; side < WARM_SIDES; side++)
                forget_near(&warming->cores[i].sides[side]);
        }
        beat();
        warming->is_interrupted = programs->is_interrupted && programs->is_interrupted(programs->context);
        if (warming->is_interrupted)
            return;
    }
}

static void walk_traces(void *context)
{
    struct warm_system *const warming = context;
    const struct warm_programs *const programs = warming->programs;

    for (size_t i = 0; i < warming->count && warming->fault.kind == FAULT_NONE; i++)
        warming->fault = open_walk(&warming->cores[i], programs, programs->list[i].path);
    if (warming->fault.kind == FAULT_NONE)
        take_turns(warming, programs);
}

static void walk_on(void *context)
{
    struct warm_system *const warming = context;
    struct fault const fault = warm_walk_to(warming->cores[0].walk, warming->place, NULL, NULL);

    if (warming->fault.kind == FAULT_NONE)
        warming->fault = fault;
    beat();
}

static struct fault give_file(struct warm_system *warming, const struct warm_plan *plan)
{
    struct warm_state state = {0};
    bool is_there = true;
    struct fault fault;
    struct warm_file *const file = warm_file_open(plan->states, &plan->key, &fault);

    if (file)
        fault = warm_file_check_place(file, plan->place);
    while (fault.kind == FAULT_NONE && is_there)
        if (WORKS(fault, warm_file_next(file, plan->place, &state, &is_there)) && is_there)
            fault = warm_system_give(warming, &state);
    warm_state_free(&state);
    warm_file_close(file);
    return fault;
}

/* ---- from the beginning to the end */
static void prefetch_at_once(struct system *system, bool at_once)
{
    for (unsigned i = 0; i < system->cache_count; i++)
        system_prefetch_at_once(&system->caches[i], at_once);
}

static struct warm_system *begin(struct system *system, const struct warm_program *programs, size_t count,
                                 bool is_walk, struct fault *fault)
{
    struct warm_system *const warming = calloc(1, sizeof *warming + count * sizeof *warming->cores);

    *fault = fault_make(FAULT_MEMORY, "out of memory to warm a system");
    if (!warming)
        return NULL;
    *warming = (struct warm_system){.system = system, .is_walk = is_walk, .fault = fault_none(), .count = count};
    for (size_t i = 0; i < count; i++)
        warming->cores[i] = (struct warm_core){.owner = warming, .core = &system->cores[programs[i].core],
                                               .space = programs[i].space};
    if (FAILS(*fault, check_lines(system)) || FAILS(*fault, find_caches(warming))) {
        warm_system_free(warming);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        begin_sides(&warming->cores[i]);
    prefetch_at_once(system, true);
    return warming;
}

struct warm_system *warm_system_begin(struct system *system, struct space *space, const char *trace,
                                      const char *format, struct fault *fault)
{
    struct warm_program const first = {.space = space, .core = 0};
    struct warm_programs const programs = {.list = &first, .count = 1, .format = format};
    struct warm_system *const warming = begin(system, &first, 1, trace != NULL, fault);

    if (!warming || !trace || WORKS(*fault, open_walk(&warming->cores[0], &programs, trace)))
        return warming;
    warm_system_free(warming);
    return NULL;
}

struct fault warm_system_give(struct warm_system *warming, const struct warm_state *state)
{
    FORWARD(check_kept(warming->system, state));
    warming->state = state;
    FORWARD(sim_execute(&warming->system->sim, give_state, warming));
    return warming->fault;
}

struct fault warm_system_walk_to(struct warm_system *warming, uint64_t place)
{
    warming->place = place;
    FORWARD(sim_execute(&warming->system->sim, walk_on, warming));
    return warming->fault;
}

void warm_system_free(struct warm_system *warming)
{
    if (!warming)
        return;
    for (size_t i = 0; i < warming->count; i++) {
        warm_walk_close(warming->cores[i].walk);
        if (warming->cores[i].trace)
            insn_trace_close(warming->cores[i].trace);
    }
    free(warming->nodes);
    free(warming);
}

static void end(void *context)
{
    struct warm_system *const warming = context;

    prefetch_at_once(warming->system, false);
    for (size_t i = 0; i < warming->count; i++)
        detailed_cpu_warm_end(warming->cores[i].core->detailed);
    warm_end(&warming->caches);
}

struct fault warm_system_end(struct warm_system *warming)
{
    FORWARD(sim_execute(&warming->system->sim, end, warming));
    for (size_t i = 0; i < warming->count; i++)
        detailed_cpu_reset_statistics(warming->cores[i].core->detailed);
    return fault_none();
}

struct fault warm_system_programs(struct system *system, const struct warm_programs *programs, bool *is_interrupted)
{
    struct fault fault;
    struct warm_system *const warming = begin(system, programs->list, programs->count, true, &fault);

    *is_interrupted = false;
    if (!warming)
        return fault;
    warming->programs = programs;
    if (WORKS(fault, sim_execute(&system->sim, walk_traces, warming)))
        fault = warming->fault;
    *is_interrupted = warming->is_interrupted;
    if (fault.kind == FAULT_NONE)
        fault = warm_system_end(warming);
    warm_system_free(warming);
    return fault;
}

struct fault warm_system(struct system *system, struct space *space, const struct warm_plan *plan)
{
    struct warm_program const first = {.path = plan->path, .space = space, .core = 0};
    struct warm_programs const programs = {.list = &first, .count = 1, .format = plan->format, .place = plan->place};
    struct warm_system *warming;
    struct fault fault;
    bool is_interrupted;

    if (!plan->states)
        return warm_system_programs(system, &programs, &is_interrupted);
    warming = warm_system_begin(system, space, NULL, NULL, &fault);
    if (warming && WORKS(fault, give_file(warming, plan)))
        fault = warm_system_end(warming);
    warm_system_free(warming);
    return fault;
}
