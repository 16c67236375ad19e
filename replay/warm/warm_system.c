/* Virtual lines become physical ones by the space of the program, as requests of the core do. A page is looked up in
 * the TLB when fetch, or data, leave the page before: the entry used last stays so. Likewise the line used last of a
 * set of an L1 with LRU or tree-PLRU, whose use changes nothing. */
#include "replay/warm/warm_system.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memsys/warm/warm_caches.h"
#include "replay/config/config_values.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system_core.h"
#include "replay/system/system_prefetch.h"
#include "replay/warm/warm_walk.h"

enum { CACHED_PAGES = 256, NEAR_LINES = 64 };
#define NO_PAGE UINT64_MAX

struct cached_page { uint64_t page, place; };

struct warm_side {
    struct warm_node *l1;                /* NULL: none */
    requestor_id requestor;
    uint64_t page;                       /* looked up last */
    bool skips;                          /* the line used last of a set may be used again without effect */
    uint64_t near[NEAR_LINES];           /* line used last, twice, + 1 if written, of the sets with these low bits */
    struct cached_page pages[CACHED_PAGES];
};

struct warm_system {
    struct system *system;
    struct system_core *core;
    struct space *space;
    const struct warm_state *state;      /* to learn from now, or ... */
    const struct warm_plan *plan;        /* ... the walk over a trace */
    struct warm_caches caches;
    struct warm_node *nodes;
    struct warm_node *walker;            /* which page walks read */
    struct warm_side sides[WARM_SIDES];
    struct fault fault;
};

/* ---- uses */
static void read_entry(void *context, uint64_t address)
{
    struct warm_system *const warming = context;
    struct warm_request const request = {.address = address, .kind = WARM_READ,
                                         .requestor = warming->core->mmu->requestor};

    if (!warming->walker)
        return;
    warm_access(&warming->caches, warming->walker, &request);
    for (unsigned i = 0; i < NEAR_LINES; i++)
        warming->sides[0].near[i] = NO_PAGE;
}

/* VM_NOWHERE: a fault. */
static uint64_t place_of_line(struct warm_system *warming, struct warm_side *side, uint64_t line)
{
    uint64_t const page = line >> (WARM_PAGE_SHIFT - WARM_LINE_SHIFT);
    struct cached_page *const cached = &side->pages[page % CACHED_PAGES];

    if (cached->page != page) {
        uint64_t const place = space_touch_and_place(warming->space, page << WARM_PAGE_SHIFT, &warming->fault);

        if (place == VM_NOWHERE)
            return VM_NOWHERE;
        *cached = (struct cached_page){page, place};
    }
    return cached->place + (line << WARM_LINE_SHIFT) % (UINT64_C(1) << WARM_PAGE_SHIFT);
}

/* Is it the line used last of its set, and written already if it is to be? */
static bool is_repeat(uint64_t near, enum warm_use use, uint64_t line)
{
    return near == (line << 1 | 1) || (near == line << 1 && use != WARM_USE_WRITE);
}

/* A request of the L1 that its caches notice. */
static void ask_l1(struct warm_system *warming, enum warm_use use, uint64_t line, uint64_t address)
{
    struct warm_side *const side = &warming->sides[use == WARM_USE_FETCH];
    uint64_t *const near = &side->near[line % NEAR_LINES];
    uint64_t *const other = &warming->sides[use != WARM_USE_FETCH].near[line % NEAR_LINES];
    struct warm_request const request = {
        .address = address, .requestor = side->requestor,
        .kind = use == WARM_USE_FETCH ? WARM_FETCH : use == WARM_USE_WRITE ? WARM_WRITE : WARM_READ};

    if (*other >> 1 == line)
        *other = NO_PAGE;
    if (side->l1)
        warm_access(&warming->caches, side->l1, &request);
    if (side->skips)
        *near = line << 1 | (use == WARM_USE_WRITE || *near == (line << 1 | 1));
}

static bool warm_use_line(void *context, enum warm_use use, uint64_t line)
{
    struct warm_system *const warming = context;
    struct warm_side *const side = &warming->sides[use == WARM_USE_FETCH];
    const uint64_t *const near = &side->near[line % NEAR_LINES];
    uint64_t const page = line >> (WARM_PAGE_SHIFT - WARM_LINE_SHIFT);
    uint64_t address;

    if (page == side->page && is_repeat(*near, use, line))
        return true;
    address = place_of_line(warming, side, line);
    if (address == VM_NOWHERE)
        return false;
    if (page != side->page && warming->core->mmu)
        mmu_warm(warming->core->mmu, use == WARM_USE_FETCH ? MMU_INST : MMU_DATA, address, read_entry, warming);
    side->page = page;
    if (!is_repeat(*near, use, line))
        ask_l1(warming, use, line, address);
    return true;
}

static bool train(void *context, const struct warm_branch *branch)
{
    struct warm_system *const warming = context;
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

static bool may_skip(const struct cache *cache)
{
    uint64_t const sets = cache->tags.set_count;

    return cache->tags.policy.ops->skips_repeats && sets % NEAR_LINES == 0;
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
        for (unsigned side = 0; side < WARM_SIDES; side++)
            if (first_below(warming->core, side) == &cache->cache)
                warming->sides[side].l1 = &warming->nodes[i];
    }
    warm_join(&warming->caches, warming->nodes, system->cache_count, below);
    warming->caches.prefetches = true;
    free(below);
    return fault_none();
}

static void begin_sides(struct warm_system *warming)
{
    struct core_requestors const requestors = core_requestors(warming->core);

    warming->sides[0].requestor = requestors.data;
    warming->sides[1].requestor = requestors.inst;
    for (unsigned i = 0; i < WARM_SIDES; i++) {
        struct warm_side *const side = &warming->sides[i];

        side->page = NO_PAGE;
        side->skips = side->l1 && may_skip(side->l1->cache);
        for (unsigned k = 0; k < NEAR_LINES; k++)
            side->near[k] = NO_PAGE;
        for (unsigned k = 0; k < CACHED_PAGES; k++)
            side->pages[k].page = NO_PAGE;
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
        warm_use_line(warming, warm_line_use(lines->list[i]), warm_line_number(lines->list[i]));
}

static void give_state(void *context)
{
    struct warm_system *const warming = context;
    const struct warm_state *const state = warming->state;

    for (size_t i = 0; i < state->touched.count && warming->fault.kind == FAULT_NONE; i++)
        space_touch_and_place(warming->space, state->touched.list[i] << WARM_PAGE_SHIFT, &warming->fault);
    give_lines(warming, &state->old);
    give_lines(warming, &state->recent);
    for (unsigned side = 0; side < WARM_SIDES; side++)
        for (size_t i = 0; i < state->pages[side].count && warming->core->mmu && warming->fault.kind == FAULT_NONE; i++)
            mmu_warm_last(warming->core->mmu, side == 0 ? MMU_DATA : MMU_INST,
                          space_touch_and_place(warming->space, state->pages[side].list[i] << WARM_PAGE_SHIFT,
                                                &warming->fault));
    for (size_t i = 0; i < state->branch_count; i++)
        train(warming, &state->branches[i]);
    warm_rank(&warming->caches);         /* here, not in each copy of the process */
}

static struct fault walk_to(struct warm_system *warming, const struct insn_trace *trace, uint64_t place)
{
    struct warm_sink const sink = {warm_use_line, train, warming};
    struct fault fault = fault_none();
    struct warm_walk *const walk = warm_walk_open(trace, 0, &sink, &fault);

    if (!walk)
        return fault;
    fault = warm_walk_to(walk, place, NULL, NULL);
    warm_walk_close(walk);
    return warming->fault.kind != FAULT_NONE ? warming->fault : fault;
}

static void walk_trace(void *context)
{
    struct warm_system *const warming = context;
    const struct warm_plan *const plan = warming->plan;
    struct insn_trace *const trace = insn_trace_open_as(plan->path, plan->format, INSN_OPEN_DECODED, &warming->fault);

    if (!trace)
        return;
    warming->fault = walk_to(warming, trace, plan->place);
    insn_trace_close(trace);
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

struct warm_system *warm_system_begin(struct system *system, struct space *space, struct fault *fault)
{
    struct warm_system *const warming = calloc(1, sizeof *warming);

    *fault = fault_make(FAULT_MEMORY, "out of memory to warm a system");
    if (!warming)
        return NULL;
    *warming = (struct warm_system){.system = system, .core = &system->cores[0], .space = space,
                                    .fault = fault_none()};
    if (FAILS(*fault, check_lines(system)) || FAILS(*fault, find_caches(warming))) {
        warm_system_free(warming);
        return NULL;
    }
    begin_sides(warming);
    prefetch_at_once(system, true);
    return warming;
}

struct fault warm_system_give(struct warm_system *warming, const struct warm_state *state)
{
    FORWARD(check_kept(warming->system, state));
    warming->state = state;
    FORWARD(sim_execute(&warming->system->sim, give_state, warming));
    return warming->fault;
}

void warm_system_free(struct warm_system *warming)
{
    if (!warming)
        return;
    free(warming->nodes);
    free(warming);
}

static void end(void *context)
{
    struct warm_system *const warming = context;

    prefetch_at_once(warming->system, false);
    detailed_cpu_warm_end(warming->core->detailed);
    warm_end(&warming->caches);
}

struct fault warm_system_end(struct warm_system *warming)
{
    FORWARD(sim_execute(&warming->system->sim, end, warming));
    detailed_cpu_reset_statistics(warming->core->detailed);
    return fault_none();
}

static struct fault warm_all(struct warm_system *warming, const struct warm_plan *plan)
{
    warming->plan = plan;
    if (plan->states)
        FORWARD(give_file(warming, plan));
    else
        FORWARD(sim_execute(&warming->system->sim, walk_trace, warming));
    FORWARD(warming->fault);
    return warm_system_end(warming);
}

struct fault warm_system(struct system *system, struct space *space, const struct warm_plan *plan)
{
    struct fault fault;
    struct warm_system *const warming = warm_system_begin(system, space, &fault);

    if (warming)
        fault = warm_all(warming, plan);
    warm_system_free(warming);
    return fault;
}
