/* The random tree of one seed: cores with L1D, some with L1I; private or shared L2s, L3, memory-side cache, or none
 * of them; tiny everything. Cores send reads, stores, full-line stores, LL/SC, swaps, software prefetches, and
 * uncacheable requests to lines of their own, which no cacheable request touches. */
#include "coherence_bench.h"

#include <stdio.h>
#include <string.h>

#include "memsys/cache/cache_params.h"
#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/fast/bind_memory.h"
#include "memsys/noc/noc_params.h"
#include "memsys/policy/policy_params.h"
#include "memsys/prefetch/prefetch_params.h"

#define MEMORY_BYTES (UINT64_C(1) << 24)
#define UNCACHEABLE_BASE (UINT64_C(1) << 20)

enum { UNCACHEABLE_LINES = 2 };

uint64_t coherence_random(struct coherence_bench *bench, uint64_t below)
{
    uint64_t x = bench->random;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    bench->random = x;
    return (x * UINT64_C(0x2545F4914F6CDD1D) >> 16) % below;
}

static bool chance(struct coherence_bench *bench, unsigned percent)
{
    return coherence_random(bench, 100) < percent;
}

#define COUNT_OF(...) (sizeof((uint64_t const[]){__VA_ARGS__}) / sizeof(uint64_t))
#define CHOOSE(bench, ...) ((uint64_t const[]){__VA_ARGS__}[coherence_random(bench, COUNT_OF(__VA_ARGS__))])

uint64_t coherence_line_address(const struct coherence_bench *bench, unsigned line)
{
    if (line < bench->cached_lines)
        return (uint64_t)line * bench->sim.line_bytes;
    return UNCACHEABLE_BASE + (uint64_t)(line - bench->cached_lines) * bench->sim.line_bytes;
}

unsigned coherence_line(const struct coherence_bench *bench, uint64_t address)
{
    uint64_t const line = address >> bench->sim.line_shift;
    uint64_t const base = UNCACHEABLE_BASE >> bench->sim.line_shift;

    if (line < bench->cached_lines)
        return (unsigned)line;
    if (line >= base && line - base < UNCACHEABLE_LINES)
        return bench->cached_lines + (unsigned)(line - base);
    return COHERENCE_LINES;
}

struct coherence_request *coherence_request_of(struct coherence_bench *bench, const struct packet *packet)
{
    for (unsigned i = 0; i < bench->agent_count; i++)
        if (bench->agents[i].requestor == packet->request.requestor)
            return &bench->agents[i].requests[packet->request.sequence];
    return NULL;
}

/* ---- cores */

static unsigned free_request(const struct coherence_agent *agent)
{
    unsigned place = 0;

    while (agent->requests[place].is_live)
        place++;
    return place;
}

/* What the next request is: command, flags, place. */
static void choose(struct coherence_agent *agent, struct request *request, enum command *command)
{
    struct coherence_bench *const bench = agent->bench;
    uint32_t const line_bytes = bench->sim.line_bytes;
    unsigned const kind = (unsigned)coherence_random(bench, 100);
    uint64_t address = coherence_line_address(bench, (unsigned)coherence_random(bench, bench->cached_lines));

    request->size_bytes = 1u << coherence_random(bench, 4);
    address += coherence_random(bench, line_bytes / request->size_bytes) * request->size_bytes;
    *command = CMD_ReadReq;
    if (agent->is_fetch) {
        request->flags = REQUEST_FETCH;
    } else if (kind < 40) {
        *command = CMD_WriteReq;
    } else if (kind < 50) {                          /* continues where the last of these ended */
        *command = CMD_WriteReq;
        request->size_bytes = 8;
        address = agent->next_store;
        agent->next_store = (address + 8) % ((uint64_t)bench->cached_lines * line_bytes);
    } else if (kind < 50 + bench->line_weight) {
        *command = CMD_WriteReq;
        request->size_bytes = line_bytes;
        address -= address % line_bytes;
    } else if (kind < 50 + 2 * bench->line_weight) {
        *command = chance(bench, 50) ? CMD_LoadLockedReq : CMD_StoreCondReq;
        request->flags = REQUEST_LLSC;
    } else if (kind < 50 + 3 * bench->line_weight) {
        *command = CMD_SwapReq;
        request->flags = REQUEST_SWAP;
    } else if (kind < 50 + 4 * bench->line_weight) {
        bool const is_exclusive = chance(bench, 40);

        *command = is_exclusive ? CMD_SoftPFExReq : CMD_SoftPFReq;
        request->flags = is_exclusive ? REQUEST_PREFETCH_EXCLUSIVE : REQUEST_PREFETCH;
    } else if (kind < 50 + 5 * bench->line_weight) {
        *command = chance(bench, 50) ? CMD_ReadReq : CMD_WriteReq;
        request->flags = REQUEST_UNCACHEABLE;
        address = address % line_bytes
                  + coherence_line_address(bench, bench->cached_lines
                                                      + (unsigned)coherence_random(bench, UNCACHEABLE_LINES));
    }
    request->address = address;
}

static struct packet *make_request(struct coherence_agent *agent)
{
    struct coherence_bench *const bench = agent->bench;
    unsigned const place = free_request(agent);
    struct request request = {.requestor = agent->requestor, .sequence = place};
    enum command command;

    choose(agent, &request, &command);
    agent->requests[place] = (struct coherence_request){.is_live = true, .command = command,
                                                        .line = coherence_line(bench, request.address),
                                                        .address = request.address};
    agent->live++;
    agent->left--;
    return packet_take(bench->sim.packets, &request, command);
}

/* If there is anything to issue; the issue itself looks again. */
static void schedule_issue(struct coherence_agent *agent)
{
    struct coherence_bench *const bench = agent->bench;

    if (!agent->refused && agent->left > 0 && agent->live < agent->window && !agent->issue.scheduled)
        event_schedule(&bench->sim.events, &agent->issue,
                       sim_now_ps(&bench->sim) + coherence_random(bench, bench->pause_ps));
}

static void send(struct coherence_agent *agent, struct packet *packet)
{
    struct coherence_bench *const bench = agent->bench;
    struct coherence_request *const request = &agent->requests[packet->request.sequence];

    request->issued_ps = sim_now_ps(&bench->sim);
    request->version = bench->current[request->line];
    agent->refused = agent->cache.ops->recv_request(agent->cache.self, packet, agent->cache.port) ? NULL : packet;
    schedule_issue(agent);
}

static void issue(void *owner)
{
    struct coherence_agent *const agent = owner;

    if (!agent->refused && agent->left > 0 && agent->live < agent->window)
        send(agent, make_request(agent));
}

static void agent_retry(void *self, unsigned port)
{
    struct coherence_agent *const agent = self;
    struct packet *const packet = agent->refused;

    (void)port;
    if (!packet) {
        coherence_fail(agent->bench, "%s is told to try again, and has nothing to send", agent->name);
        return;
    }
    agent->refused = NULL;
    send(agent, packet);
}

static void check_answer(struct coherence_agent *agent, const struct coherence_request *request,
                         const struct packet *packet)
{
    struct coherence_bench *const bench = agent->bench;
    uint32_t const attributes = command_attributes(request->command);

    if (attributes & ATTR_SOFT_PREFETCH)
        return;
    if (attributes & ATTR_READ) {
        bench->reads_checked++;
        if (packet->request.pc < request->version && bench->overtakers[request->line])
            bench->stale_loads++;
        else if (packet->request.pc < request->version || packet->request.pc > bench->highest[request->line])
            coherence_fail(bench, "%s: %s of line %u, issued at %llu ps at version %llu, read version %llu; "
                           "now it is %llu", agent->name, command_table[request->command].name, request->line,
                           (unsigned long long)request->issued_ps, (unsigned long long)request->version,
                           (unsigned long long)packet->request.pc, (unsigned long long)bench->current[request->line]);
    }
    if ((attributes & ATTR_WRITE) && !(attributes & ATTR_LLSC) && !request->is_performed)
        coherence_fail(bench, "%s: %s of line %u is answered, but was never performed", agent->name,
                       command_table[request->command].name, request->line);
}

static bool agent_response(void *self, struct packet *packet, unsigned port)
{
    struct coherence_agent *const agent = self;
    struct coherence_bench *const bench = agent->bench;
    struct coherence_request *const request = &agent->requests[packet->request.sequence];

    (void)port;
    if (packet_is(packet, ATTR_NEEDS_RESPONSE) || !request->is_live)
        coherence_fail(bench, "%s gets a %s for line %u that it does not wait for", agent->name,
                       command_table[packet->command].name, coherence_line(bench, packet->address));
    else
        check_answer(agent, request, packet);
    request->is_live = false;
    agent->live--;
    agent->answered++;
    packet_give(bench->sim.packets, packet);
    schedule_issue(agent);
    return true;
}

static void agent_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static void no_retry(void *self, unsigned port)
{
    struct coherence_agent *const agent = self;

    (void)port;
    coherence_fail(agent->bench, "%s never sent a snoop response", agent->name);
}

/* ---- moody memory */

static bool moody_request(void *self, struct packet *packet, unsigned port)
{
    struct coherence_memory *const memory = self;
    struct coherence_bench *const bench = memory->bench;
    uint64_t const now_ps = sim_now_ps(&bench->sim);

    (void)port;
    if (memory->retry.scheduled)
        return false;
    if (chance(bench, 25)) {
        event_schedule(&bench->sim.events, &memory->retry, now_ps + 1 + coherence_random(bench, 20000));
        return false;
    }
    if (!packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_give(bench->sim.packets, packet);
        return true;
    }
    packet_make_response(packet);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    packet_queue_push(&memory->answers, packet, now_ps + coherence_random(bench, 60000));
    return true;
}

static void moody_retry(void *owner)
{
    struct coherence_memory *const memory = owner;

    memory->above.ops->recv_request_retry(memory->above.self, memory->above.port);
}

static void moody_response_retry(void *self, unsigned port)
{
    struct coherence_memory *const memory = self;

    (void)port;
    packet_queue_retry(&memory->answers);
}

static bool moody_answer(void *owner, struct packet *packet)
{
    struct coherence_memory *const memory = owner;

    return memory->above.ops->recv_response(memory->above.self, packet, memory->above.port);
}

/* ---- building; whatever fails here is a mistake of the bench */

static void must(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        __assert_fail(fault_text(fault), __FILE__, __LINE__, __func__);
}

static uint64_t random_clock(struct coherence_bench *bench)
{
    return CHOOSE(bench, 333, 500, 500, 700, 1000, 1250);
}

static struct prefetcher_params random_prefetcher(struct coherence_bench *bench)
{
    return (struct prefetcher_params){.type = 1 + coherence_random(bench, PREFETCHER_COUNT - 1),
                                      .degree = coherence_random(bench, 4), .latency_cyc = coherence_random(bench, 4),
                                      .queue_size = 2 + coherence_random(bench, 6)};
}

static struct coherence_params random_cache(struct coherence_bench *bench, unsigned level)
{
    uint64_t const sets = level == 1 ? CHOOSE(bench, 1, 1, 2) : CHOOSE(bench, 1, 2, 4);
    uint64_t const assoc = level == 1 ? CHOOSE(bench, 1, 2) : CHOOSE(bench, 1, 2, 4);
    struct coherence_params params = {.cache = {
        .size_bytes = sets * assoc * bench->sim.line_bytes, .assoc = assoc,
        .tag_latency_cyc = coherence_random(bench, 4), .data_latency_cyc = coherence_random(bench, 4),
        .response_latency_cyc = coherence_random(bench, 4), .sequential_access = chance(bench, 20),
        .mshrs = 1 + coherence_random(bench, 4), .targets_per_mshr = 1 + coherence_random(bench, 4),
        .demand_mshr_reserve = coherence_random(bench, 2), .write_buffers = 1 + coherence_random(bench, 3),
        .clock_ps = random_clock(bench), .writeback_clean = chance(bench, 35), .keep_overwritten = assoc % 2,
        .read_overwritten = level == 1 && sets == 2,
        .clusivity = chance(bench, 35) ? CLUSIVITY_MOSTLY_EXCL : CLUSIVITY_MOSTLY_INCL,
        .write_allocator = chance(bench, 20), .replacement = coherence_random(bench, REPLACEMENT_COUNT)}};

    if (params.cache.replacement == REPLACEMENT_TREE_PLRU && assoc == 1)
        params.cache.replacement = REPLACEMENT_LRU;
    /* Below the point of coherency a prefetch in flight and a write-back of its line crash the reference (4.14). */
    if (level != COHERENCE_MEMORY_SIDE && chance(bench, 20)) {
        params.cache.mshrs += 2;
        params.prefetcher = random_prefetcher(bench);
    }
    return params;
}

static struct coherence_cache *add_cache(struct coherence_bench *bench, const char *name, unsigned number,
                                         unsigned level, const struct coherence_params *params)
{
    struct coherence_cache *const made = &bench->caches[bench->cache_count++];

    assert(bench->cache_count <= COHERENCE_CACHES);
    made->bench = bench;
    made->level = level;
    made->params = *params;
    snprintf(made->name, sizeof made->name, "%s%u", name, number);
    if (level == COHERENCE_MEMORY_SIDE)
        must(cache_init_memory_side(&made->cache, &bench->sim, made->name, &params->cache));
    else
        must(cache_init(&made->cache, &bench->sim, made->name, &params->cache));
    must(cache_add_prefetcher(&made->cache, &params->prefetcher));
    return made;
}

static struct crossbar *add_crossbar(struct coherence_bench *bench, const char *name, unsigned number,
                                     const struct noc_params *params, const struct noc_role *role,
                                     unsigned ports)
{
    struct crossbar *const crossbar = &bench->crossbars[bench->crossbar_count];

    assert(bench->crossbar_count < COHERENCE_CROSSBARS);
    snprintf(bench->crossbar_names[bench->crossbar_count], sizeof bench->crossbar_names[0], "%s%u", name, number);
    must(crossbar_init(crossbar, &bench->sim, bench->crossbar_names[bench->crossbar_count++], params, role, ports, 1));
    return crossbar;
}

static void put_below(struct coherence_cache *made, struct crossbar *crossbar)
{
    unsigned const port = noc_connect_above(&crossbar->noc, coherence_shim_above(made), made->name);

    made->cache.below = coherence_shim_outside(made, noc_below(&crossbar->noc, port));
}

static void put_above(struct coherence_cache *made, struct crossbar *crossbar)
{
    unsigned const port = noc_connect_below(&crossbar->noc, coherence_shim_below(made), made->name, NULL);

    made->cache.above = noc_above(&crossbar->noc, port);
}

static void add_agent(struct coherence_bench *bench, struct coherence_cache *made, unsigned core, bool is_fetch,
                      unsigned requests)
{
    static const struct above_ops ops = {agent_response, agent_retry, agent_snoop, no_retry, NULL};
    struct coherence_agent *const agent = &bench->agents[bench->agent_count++];

    agent->bench = bench;
    snprintf(agent->name, sizeof agent->name, "cpu%u.%s", core, is_fetch ? "inst" : "data");
    agent->requestor = sim_add_requestor(&bench->sim, agent->name);
    agent->is_fetch = is_fetch;
    agent->window = 1 + (unsigned)coherence_random(bench, COHERENCE_WINDOW);
    agent->left = requests;
    agent->cache = coherence_shim_below(made);
    made->cache.above = (struct above){.ops = &ops, .self = agent, .is_snooping = !is_fetch};
    event_init(&agent->issue, issue, agent, EVENT_DEFAULT);
    must(event_queue_reserve(&bench->sim.events, 1));
    event_schedule(&bench->sim.events, &agent->issue, coherence_random(bench, bench->pause_ps));
}

/* A new cache of the next level behind caches[first] to caches[last - 1]. */
static void join(struct coherence_bench *bench, unsigned first, unsigned last, const char *name, unsigned number,
                 const struct coherence_params *params)
{
    struct noc_role const role = {.coherent = true, .snoop_filter = bench->bus_params[0].width_bytes != 64};
    struct coherence_cache *const made = add_cache(bench, name, number, bench->caches[first].level + 1, params);
    struct crossbar *const crossbar = add_crossbar(bench, made->level == 2 ? "tol2bus" : "tol3bus", number,
                                                   &bench->bus_params[0], &role, last - first);

    for (unsigned i = first; i < last; i++)
        put_below(&bench->caches[i], crossbar);
    put_above(made, crossbar);
}

static void random_bus(struct coherence_bench *bench, struct noc_params *params)
{
    *params = (struct noc_params){
        .clock_ps = random_clock(bench), .width_bytes = CHOOSE(bench, 8, 16, 32, 64),
        .frontend_latency_cyc = coherence_random(bench, 4), .forward_latency_cyc = coherence_random(bench, 3),
        .response_latency_cyc = coherence_random(bench, 4), .snoop_response_latency_cyc = coherence_random(bench, 4),
        .header_latency_cyc = 1};
    params->command_path = params->forward_latency_cyc == 1;
}

static void add_memory(struct coherence_bench *bench, struct crossbar *crossbar)
{
    static const struct below_ops moody_ops = {moody_request, moody_response_retry, NULL};
    struct coherence_memory *const memory = &bench->memory;
    struct memory_params params = {.size_bytes = MEMORY_BYTES, .channels = 1, .interleave_bytes = bench->sim.line_bytes,
                                   .latency_ps = coherence_random(bench, 50000),
                                   .bandwidth_bytes_per_s = CHOOSE(bench, 500000000, 5000000000, 13743895347)};
    struct above *above = &memory->above;
    struct above link;
    unsigned port;

    memory->bench = bench;
    memory->kind = (enum coherence_memory_kind)coherence_random(bench, 3);
    for (unsigned i = 0; i <= COHERENCE_LINES; i++)
        memory->versions[i] = 1;
    if (memory->kind == COHERENCE_SIMPLE) {
        must(simple_memory_init(&memory->simple, &bench->sim, "memory", &params));
        memory->inside = simple_memory_port(&memory->simple);
        above = &memory->simple.above;
    } else if (memory->kind == COHERENCE_DRAM) {
#define DRAM_DEFAULT(field, key, unit, fallback, lowest, highest, help) params.dram.field = (fallback);
#define CONTROLLER_DEFAULT(field, key, unit, fallback, lowest, highest, help) params.controller.field = (fallback);
        DRAM_PARAMETERS(DRAM_DEFAULT)
        CONTROLLER_PARAMETERS(CONTROLLER_DEFAULT)
#undef DRAM_DEFAULT
#undef CONTROLLER_DEFAULT
        params.dram.read_buffer_size = CHOOSE(bench, 4, 8, 32);
        params.dram.write_buffer_size = CHOOSE(bench, 4, 8, 64);
        params.controller.min_writes_per_switch = 1 + coherence_random(bench, 4);
        params.size_bytes = UINT64_C(1) << 29;
        must(mem_ctrl_init(&memory->dram, &bench->sim, "mem_ctrls", &params, 0, false));
        memory->inside = mem_ctrl_port(&memory->dram);
        above = &memory->dram.above;
    } else {
        memory->inside = (struct below){.ops = &moody_ops, .self = memory};
        event_init(&memory->retry, moody_retry, memory, EVENT_DEFAULT);
        must(event_queue_reserve(&bench->sim.events, 1));
        must(packet_queue_init(&memory->answers, &bench->sim, moody_answer, memory, false));
    }
    port = noc_connect_below(&crossbar->noc, coherence_shim_memory(memory), "memory", NULL);
    link = noc_above(&crossbar->noc, port);
    *above = link;
    memory->above = link;
}

/* L1s of each core, one after the other; L1Is in half of the systems. Returns L1s a core. */
static unsigned add_level1(struct coherence_bench *bench, unsigned requests)
{
    struct coherence_params const data = random_cache(bench, 1);
    bool const has_fetch = chance(bench, 50), are_alike = chance(bench, 60);
    struct coherence_params fetch = random_cache(bench, 1);

    fetch.cache.read_only = true;
    for (unsigned core = 0; core < bench->core_count; core++) {
        struct coherence_params const own = are_alike ? data : random_cache(bench, 1);

        if (has_fetch)
            add_agent(bench, add_cache(bench, "l1i", core, 1, &fetch), core, true, requests);
        add_agent(bench, add_cache(bench, "l1d", core, 1, &own), core, false, requests);
    }
    return has_fetch ? 2 : 1;
}

/* Two of three seeds: by the seed, so that the other random choices stay the same. */
static void bind_fast(struct coherence_bench *bench)
{
    struct engine_options const options = {.fills = bench->seed % 3 > 0, .buses = bench->seed % 3 > 1};

    for (unsigned i = 0; i < bench->crossbar_count; i++)
        must(noc_bind_fast(&bench->crossbars[i].noc, &options));
    for (unsigned i = 0; i < bench->cache_count; i++)
        cache_bind_fast(&bench->caches[i].cache, &options);
}

void coherence_build(struct coherence_bench *bench, unsigned requests)
{
    struct noc_role const membus_role = {.coherent = true, .point_of_coherency = true,
                                              .snoop_filter = chance(bench, 80), .lookup_latency_cyc = 1};
    struct noc_role const plain_role = {.coherent = false};
    unsigned const shape = (unsigned)coherence_random(bench, 5);
    bool const has_private = shape == 2 || shape == 4, has_shared = shape == 1 || shape == 3;
    bool const has_l3 = shape >= 3, has_memory_side = chance(bench, 25);
    struct crossbar *membus;
    unsigned first = 0, level1;

    sim_init(&bench->sim, (uint32_t)CHOOSE(bench, 16, 32, 64, 64, 64, 128));
    bench->core_count = 2 + (unsigned)coherence_random(bench, COHERENCE_CORES - 1);
    bench->cached_lines = 1 + (unsigned)coherence_random(bench, COHERENCE_LINES - UNCACHEABLE_LINES);
    bench->line_count = bench->cached_lines + UNCACHEABLE_LINES;
    bench->line_weight = (unsigned)CHOOSE(bench, 0, 2, 5, 10);
    bench->pause_ps = CHOOSE(bench, 1, 1000, 5000, 100000);
    bench->patience_ps = UINT64_C(10000000000);      /* 10 ms */
    for (unsigned i = 0; i <= COHERENCE_LINES; i++)
        bench->current[i] = bench->highest[i] = 1;
    random_bus(bench, &bench->bus_params[0]);
    random_bus(bench, &bench->bus_params[1]);
    level1 = add_level1(bench, requests);
    if (has_private) {                               /* of one core, or of a few */
        struct coherence_params const params = random_cache(bench, 2);
        unsigned const last = bench->cache_count;
        unsigned const cores = chance(bench, 60) ? 1 : 1 + (unsigned)coherence_random(bench, bench->core_count);
        unsigned const together = level1 * cores;

        for (; first < last; first += together)
            join(bench, first, first + together < last ? first + together : last, "l2", first / together, &params);
        first = last;
    } else if (has_shared) {
        struct coherence_params const params = random_cache(bench, 2);

        first = bench->cache_count;
        join(bench, 0, first, "l2", 0, &params);
    }
    if (has_l3) {
        struct coherence_params const params = random_cache(bench, 3);
        unsigned const last = bench->cache_count;

        join(bench, first, last, "l3", 0, &params);
        first = last;
    }
    membus = add_crossbar(bench, "membus", 0, &bench->bus_params[1], &membus_role, bench->cache_count - first);
    for (unsigned i = first, last = bench->cache_count; i < last; i++)
        put_below(&bench->caches[i], membus);
    if (has_memory_side) {
        struct coherence_params const params = random_cache(bench, COHERENCE_MEMORY_SIDE);
        struct coherence_cache *const made = add_cache(bench, "memcache", 0, COHERENCE_MEMORY_SIDE, &params);

        put_above(made, membus);
        membus = add_crossbar(bench, "memcache_bus", 0, &bench->bus_params[1], &plain_role, 1);
        put_below(made, membus);
    }
    add_memory(bench, membus);
    for (unsigned i = 0; i < bench->cache_count; i++)
        must(cache_start(&bench->caches[i].cache));
    bind_fast(bench);
    if (bench->memory.kind == COHERENCE_DRAM)
        mem_ctrl_startup(&bench->memory.dram);
}

void coherence_free(struct coherence_bench *bench)
{
    for (unsigned i = 0; i < bench->agent_count; i++)
        if (bench->agents[i].refused)
            packet_give(bench->sim.packets, bench->agents[i].refused);
    for (unsigned i = 0; i < bench->cache_count; i++)
        cache_free(&bench->caches[i].cache);
    for (unsigned i = 0; i < bench->crossbar_count; i++)
        noc_end(&bench->crossbars[i].noc);
    if (bench->memory.kind == COHERENCE_SIMPLE)
        simple_memory_free(&bench->memory.simple);
    else if (bench->memory.kind == COHERENCE_DRAM)
        mem_ctrl_free(&bench->memory.dram);
    else
        packet_queue_free(&bench->memory.answers);
    if (bench->sim.packets->outstanding != 0)
        coherence_fail(bench, "%zu packets were never given back", bench->sim.packets->outstanding);
    sim_free(&bench->sim);
}

void coherence_bench_run(struct coherence_bench *bench, uint64_t seed, unsigned requests)
{
    memset(bench, 0, sizeof *bench);
    bench->seed = seed;
    bench->random = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (unsigned i = 0; i < 8; i++)
        coherence_random(bench, 2);
    coherence_build(bench, requests);
    while (!bench->failure[0] && event_queue_step(&bench->sim.events, TICK_NEVER - 1)) {
        bench->steps++;
        coherence_check(bench);
    }
    bench->touched = UINT32_MAX;
    coherence_check(bench);
    for (unsigned line = 0; line < bench->cached_lines; line++)
        if (bench->overtakers[line])
            bench->unsettled |= UINT32_C(1) << line;
    coherence_free(bench);
}
