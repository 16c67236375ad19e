/* Latencies by formula (classic-memory 16.1). A request is a time and the header delay that it carries; each function
 * takes it one hop further. The sections named are those of classic-memory.
 *
 * Not modelled: queues, other requests, refresh (it comes later than the first access), power-down (a rank begins
 * awake), activation_limit (a line that lies in more than that many banks). */
#include "replay/config/unloaded.h"

#include "memsys/dram/command_bus.h"
#include "memsys/dram/geometry.h"
#include "memsys/gpu/gpu_memory.h"
#include "memsys/link/cxl_link.h"
#include "memsys/sim/sim.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"

/* A request on its way down, a response on its way up: where it is at which tick, and its header delay (5.2). */
struct hop {
    uint64_t now_ps;
    uint64_t header_ps;
};

enum { CACHE_BUS_LOOKUP_CYC = 0, MEMORY_BUS_LOOKUP_CYC = 1 };       /* snoop filters, 5.1 */

/* 3.2: nothing leaves a packet queue in the tick in which it was put there. */
static uint64_t leaves_queue(uint64_t now_ps, uint64_t ready_ps)
{
    return max_u64(ready_ps, now_ps + 1);
}

/* 4.5: cycles of a read hit, without the header delay. */
static uint64_t hit_cycles(const struct cache_params *cache)
{
    return cache->sequential_access ? cache->tag_latency_cyc + cache->data_latency_cyc
                                    : max_u64(cache->tag_latency_cyc, cache->data_latency_cyc);
}

/* Tick at which the response of a hit leaves the cache. */
static uint64_t answer_hit(const struct cache_params *cache, struct hop request)
{
    uint64_t const cycles = clock_cycles(request.header_ps, cache->clock_ps) + hit_cycles(cache);

    return leaves_queue(request.now_ps, clock_edge_ps(request.now_ps, cache->clock_ps, cycles));
}

/* A miss passes the cache: 4.4 fwd. */
static struct hop pass_miss(const struct cache_params *cache, struct hop request)
{
    uint64_t const ready_ps =
        clock_edge_ps(request.now_ps, cache->clock_ps, cache->tag_latency_cyc) + request.header_ps;

    return (struct hop){leaves_queue(request.now_ps, ready_ps), 0};
}

/* 5.4: no time passes, the header delay grows. */
static struct hop pass_bus(const struct noc_params *bus, struct hop request, uint64_t lookup_cyc)
{
    uint64_t const path_cyc = bus->frontend_latency_cyc + bus->forward_latency_cyc + lookup_cyc;

    request.header_ps += clock_edge_ps(request.now_ps, bus->clock_ps, path_cyc) - request.now_ps;
    return request;
}

/* 5.5: tick at which a response that reaches the bus now is at the cache above. */
static uint64_t return_through_bus(const struct noc_params *bus, uint64_t now_ps)
{
    return leaves_queue(now_ps, clock_edge_ps(now_ps, bus->clock_ps, bus->response_latency_cyc));
}

/* 4.10: the first target does not wait for the payload. */
static uint64_t return_through_cache(const struct cache_params *cache, uint64_t now_ps)
{
    return leaves_queue(now_ps, clock_edge_ps(now_ps, cache->clock_ps, cache->response_latency_cyc));
}

/* ---- the bursts of the first line (9.5): the state from one burst to the next */
struct first_line {
    const struct memory_params *memory;
    uint64_t bytes;
    uint64_t ready_ps;               /* its data are there, as far as is known */
    struct dram_command_bus commands;
    uint64_t now_ps;                 /* at which nextReq runs */
    uint64_t next_burst_ps;
    uint64_t bank;                   /* of the burst before, ranks counted through */
    uint64_t column_ps, gap_ps;      /* its column command, and how long it holds the bus; 0 before the first */
    uint64_t activate_ps;            /* newest activate */
    bool has_open_row;
    uint64_t row_read_allowed_ps, precharge_allowed_ps, reopen_allowed_ps;      /* of that bank */
    uint64_t row_accesses;
};

/* 9.2, for the first bytes of the memory: number of the bank in which burst `i` lies, ranks counted through. */
static uint64_t bank_of_burst(const struct memory_params *memory, uint64_t i)
{
    const struct dram_params *dram = &memory->dram;
    uint64_t const per_row = dram_row_bytes(dram) / dram_burst_bytes(dram);
    uint64_t const stripe_bytes = memory->type == MEMORY_HBM_PSEUDO ? DRAM_PSEUDO_CHANNEL_BYTES
                                  : memory->channels > 1            ? memory->interleave_bytes
                                                                    : dram_burst_bytes(dram);
    uint64_t const per_stripe = stripe_bytes / dram_burst_bytes(dram);
    uint64_t const group = dram_bursts_below_bank(dram_mapping_of(dram->addr_mapping), per_row, per_stripe);

    return i / group % (dram->banks_per_rank * dram->ranks_per_channel);
}

static bool has_same_rank(const struct first_line *line, uint64_t bank)
{
    return bank / line->memory->dram.banks_per_rank == line->bank / line->memory->dram.banks_per_rank;
}

static bool has_same_group(const struct first_line *line, uint64_t bank)
{
    uint64_t const groups = line->memory->dram.bank_groups_per_rank;

    return groups && has_same_rank(line, bank) && bank % groups == line->bank % groups;
}

static void open_row(struct first_line *line, uint64_t bank)
{
    const struct dram_params *dram = &line->memory->dram;
    uint64_t at_ps = line->now_ps;

    if (line->column_ps && has_same_rank(line, bank))
        at_ps = max_u64(at_ps, line->activate_ps + (has_same_group(line, bank) ? dram->tRRD_L_ps : dram->tRRD_ps));
    if (bank == line->bank)
        at_ps = max_u64(at_ps, line->reopen_allowed_ps);
    at_ps = dram->two_cycle_activate ? dram_command_bus_pair(&line->commands, at_ps, dram->tAAD_ps)
                                     : dram_command_bus_single(&line->commands, at_ps);
    line->activate_ps = at_ps;
    line->has_open_row = true;
    line->row_accesses = 0;
    line->row_read_allowed_ps = at_ps + dram->tRCD_ps;
    line->precharge_allowed_ps = at_ps + dram->tRAS_ps;
}

/* Earliest column command after the burst before. */
static uint64_t column_allowed(const struct first_line *line, uint64_t bank)
{
    const struct dram_params *dram = &line->memory->dram;

    if (line->column_ps == 0)
        return 0;
    if (!has_same_rank(line, bank))
        return line->column_ps + dram->tBURST_ps + dram->tCS_ps;
    return line->column_ps + (has_same_group(line, bank) ? dram->tCCD_L_ps : line->gap_ps);
}

static uint64_t column_command(struct first_line *line, uint64_t bank)
{
    const struct dram_params *dram = &line->memory->dram;
    uint64_t const last_ps = has_same_rank(line, bank) ? line->column_ps : 0;
    uint64_t at_ps = max_u64(max_u64(line->row_read_allowed_ps, column_allowed(line, bank)),
                             max_u64(line->next_burst_ps, line->now_ps));

    if (dram->data_clock_sync && at_ps - last_ps > dram->tBURST_MAX_ps + dram->tCL_ps)
        at_ps = dram_command_bus_pair(&line->commands, at_ps, dram->tCK_ps);
    else
        at_ps = dram_command_bus_single(&line->commands, at_ps);
    line->gap_ps = dram->tBURST_MIN_ps;
    if (dram->tBURST_ps == dram->tBURST_MIN_ps)
        return at_ps;
    if (at_ps == last_ps + dram->tBURST_MIN_ps)
        line->gap_ps = dram->tBURST_ps;
    else
        at_ps = max_u64(at_ps, last_ps + dram->tBURST_ps);
    return at_ps;
}

static bool closes_row(const struct first_line *line, bool is_last_of_row)
{
    const struct dram_params *dram = &line->memory->dram;

    return dram->page_policy == PAGE_CLOSE || line->row_accesses == dram->max_accesses_per_row ||
           (dram->page_policy == PAGE_CLOSE_ADAPTIVE && is_last_of_row);
}

/* Tick at which the burst's data are there. */
static uint64_t read_burst(struct first_line *line, uint64_t bank, bool is_last_of_row)
{
    const struct dram_params *dram = &line->memory->dram;

    dram_command_bus_forget(&line->commands, line->now_ps);
    if (!line->has_open_row || bank != line->bank)
        open_row(line, bank);
    line->column_ps = column_command(line, bank);
    line->bank = bank;
    line->next_burst_ps = line->column_ps + line->gap_ps;
    line->precharge_allowed_ps = max_u64(line->precharge_allowed_ps, line->column_ps + dram->tRTP_ps);
    line->row_accesses++;
    if (closes_row(line, is_last_of_row)) {
        line->has_open_row = false;
        line->reopen_allowed_ps = max_u64(line->now_ps, line->precharge_allowed_ps) + dram->tRP_ps;
    }
    return line->column_ps + dram->tCL_ps + dram->tBURST_ps;
}

/* How far ahead of its column command a burst is decided on (8.3). */
static uint64_t command_offset(const struct dram_params *dram)
{
    return dram->tRP_ps + max_u64(dram->tRCD_ps, dram->tRCD_WR_ps);
}

static void read_bursts(void *context)
{
    struct first_line *const line = context;
    const struct memory_params *const memory = line->memory;
    uint64_t const bursts = divide_up(line->bytes, dram_burst_bytes(&memory->dram));

    for (uint64_t i = 0; i < bursts; i++) {
        uint64_t const bank = bank_of_burst(memory, i);
        bool const is_last = i + 1 == bursts || bank_of_burst(memory, i + 1) != bank;

        line->ready_ps = read_burst(line, bank, is_last);
        line->now_ps = max_u64(line->now_ps, line->next_burst_ps - command_offset(&memory->dram));
    }
}

/* Tick at which the data of all bursts of the line are there. */
static uint64_t unloaded_read_line(struct first_line *line, struct fault *fault)
{
    const struct memory_params *const memory = line->memory;
    struct sim sim;
    struct fault found;

    sim_init(&sim, 64);                  /* for the handling of memory that runs out */
    found = dram_command_bus_init(&line->commands, &sim, memory->controller.command_window_ps, memory->dram.tCK_ps);
    if (found.kind == FAULT_NONE)
        found = sim_execute(&sim, read_bursts, line);
    if (found.kind != FAULT_NONE)
        *fault = found;
    dram_command_bus_free(&line->commands);
    sim_free(&sim);
    return line->ready_ps;
}

/* From arrival to answer, long after everything else. */
static uint64_t later_read(const struct memory_params *memory, uint64_t line_bytes, bool is_open, uint64_t precharge_ps,
                           struct fault *fault)
{
    const struct controller_params *const controller = &memory->controller;
    uint64_t const start_ps = 1000 * controller->command_window_ps;
    struct first_line line = {.memory = memory, .bytes = line_bytes, .now_ps = start_ps, .has_open_row = is_open,
                              .reopen_allowed_ps = start_ps + precharge_ps};

    return unloaded_read_line(&line, fault) - start_ps + controller->static_frontend_latency_ps
           + controller->static_backend_latency_ps;
}

struct cxl_link_params memory_link(const struct memory_params *memory)
{
    return (struct cxl_link_params){memory->link_latency_ps, memory->link_lanes, memory->link_rate_mts,
                                    memory->link_credits};
}

uint64_t memory_link_ps(const struct memory_params *memory, uint64_t data_bytes)
{
    struct cxl_link_params const link = memory_link(memory);

    return memory->link == MEMORY_LINK_NONE ? 0 : cxl_link_wire_ps(&link, data_bytes) + link.latency_ps;
}

/* Without a link. */
static struct fault device_latencies(struct memory_latencies *latencies, const struct memory_params *memory,
                                     uint64_t line_bytes)
{
    struct fault fault = fault_none();

    *latencies = (struct memory_latencies){memory->latency_ps, memory->latency_ps, memory->latency_ps};
    if (memory->type == MEMORY_SIMPLE)
        return fault;
    if (memory->type == MEMORY_COMMAND) {
        const struct command_figures *const figures = &memory->command_device.figures;

        *latencies = (struct memory_latencies){figures->row_hit_ps, figures->closed_bank_ps, figures->row_conflict_ps};
        return fault;
    }
    latencies->row_hit_ps = later_read(memory, line_bytes, true, 0, &fault);
    latencies->closed_bank_ps = later_read(memory, line_bytes, false, 0, &fault);
    latencies->row_conflict_ps = later_read(memory, line_bytes, false, memory->dram.tRP_ps, &fault);
    return fault;
}

struct fault unloaded_memory_latencies(struct memory_latencies *latencies, const struct memory_params *memory,
                                       uint64_t line_bytes)
{
    uint64_t const link_ps = memory_link_ps(memory, 0) + memory_link_ps(memory, line_bytes);

    FORWARD(device_latencies(latencies, memory, line_bytes));
    latencies->row_hit_ps += link_ps;
    latencies->closed_bank_ps += link_ps;
    latencies->row_conflict_ps += link_ps;
    return fault_none();
}

uint64_t simple_memory_ps_per_byte(uint64_t bandwidth_bytes_per_s)
{
    uint64_t const ps_per_s = UINT64_C(1000000000000);

    return ps_per_s / bandwidth_bytes_per_s + (ps_per_s % bandwidth_bytes_per_s >= bandwidth_bytes_per_s -
                                               ps_per_s % bandwidth_bytes_per_s);
}

/* Tick at which the memory's response leaves it. */
static uint64_t answer_device(const struct system_config *config, struct hop request, struct fault *fault)
{
    const struct memory_params *memory = &config->memories[0];
    const struct controller_params *controller = &memory->controller;

    if (memory->type == MEMORY_SIMPLE)
        return request.now_ps + request.header_ps + memory->latency_ps;
    if (memory->type == MEMORY_COMMAND)
        return request.now_ps + request.header_ps + memory->command_device.figures.closed_bank_ps;

    struct first_line line = {.memory = memory, .bytes = config->line_bytes, .now_ps = request.now_ps,
                              .next_burst_ps = command_offset(&memory->dram)};
    uint64_t const ready_ps = unloaded_read_line(&line, fault);
    return leaves_queue(ready_ps, ready_ps + controller->static_frontend_latency_ps +
                                      controller->static_backend_latency_ps + request.header_ps);
}

/* Tick at which it reaches the crossbar above. */
static uint64_t answer_memory(const struct system_config *config, struct hop request, struct fault *fault)
{
    const struct memory_params *memory = &config->memories[0];

    if (memory->link == MEMORY_LINK_NONE)
        return answer_device(config, request, fault);
    request = (struct hop){request.now_ps + request.header_ps + memory_link_ps(memory, 0), 0};
    return answer_device(config, request, fault) + memory_link_ps(memory, config->line_bytes);
}

/* ---- the whole way: down to where the line is, and back */

/* A cache and the crossbar below it. */
struct level {
    const char *name;
    const struct cache_params *cache;
    struct noc_params bus;
    uint64_t lookup_cyc;             /* of that crossbar's snoop filter */
};

struct path {
    unsigned count;
    struct level levels[CONFIG_MAX_CACHES + 1];
};

static struct path path_of_loads(const struct system_config *config)
{
    unsigned cache = 1, instance = 0;                    /* L1D of core 0 */
    struct path path = {.count = 0};

    for (;;) {
        const struct cache_config *const made = &config->caches[cache];
        bool const has_cache_below = config_cache_below(config, cache, instance, &cache, &instance);

        path.levels[path.count++] = (struct level){
            made->name, &made->params,
            has_cache_below ? config_bus_above(config, &config->caches[cache]) : config->memory_bus,
            has_cache_below ? CACHE_BUS_LOOKUP_CYC : MEMORY_BUS_LOOKUP_CYC};
        if (!has_cache_below)
            break;
    }
    if (config->has_memory_cache)        /* 5.7: its crossbar has no snoop filter */
        path.levels[path.count++] =
            (struct level){"memory_cache", &config->memory_cache.params, config->memory_bus, 0};
    return path;
}

/* hit_level: the level that has the line; the number of levels for the memory. */
static uint64_t load_latency(const struct system_config *config, const struct path *path, unsigned hit_level,
                             struct fault *fault)
{
    struct hop request = {0, 0};
    uint64_t now_ps;
    unsigned level = 0;

    for (; level < hit_level; level++) {
        request = pass_miss(path->levels[level].cache, request);
        request = pass_bus(&path->levels[level].bus, request, path->levels[level].lookup_cyc);
    }
    now_ps = level == path->count ? answer_memory(config, request, fault)
                                  : answer_hit(path->levels[level].cache, request);
    while (level-- > 0) {
        now_ps = return_through_bus(&path->levels[level].bus, now_ps);
        now_ps = return_through_cache(path->levels[level].cache, now_ps);
    }
    return now_ps;
}

struct fault unloaded_latencies(struct unloaded_latencies *latencies, const struct system_config *config)
{
    struct path const path = path_of_loads(config);
    struct fault fault = fault_none();

    latencies->l1i_hit_ps = answer_hit(&config->caches[0].params, (struct hop){0, 0});
    latencies->level_count = path.count;
    latencies->memory_ps = load_latency(config, &path, path.count, &fault);
    for (unsigned i = 0; i < path.count; i++)
        latencies->levels[i] = (struct unloaded_level){path.levels[i].name, load_latency(config, &path, i, &fault)};
    return fault;
}

uint64_t memory_clock_ps(const struct system_config *config)
{
    const struct memory_params *const memory = &config->memories[0];

    return memory->type == MEMORY_SIMPLE ? config->system_clock_ps
         : memory->type == MEMORY_COMMAND ? memory->command_device.figures.tick_ps : memory->dram.tCK_ps;
}

double peak_memory_bandwidth(const struct memory_params *memory)
{
    const struct dram_params *dram = &memory->dram;

    if (memory->type == MEMORY_SIMPLE)
        return 1e12 / (double)simple_memory_ps_per_byte(memory->bandwidth_bytes_per_s);

    if (memory->type == MEMORY_COMMAND)
        return (double)memory->channels * memory->command_device.figures.peak_bytes_per_s;

    bool const is_interleaved = dram->tBURST_ps != dram->tBURST_MIN_ps;
    uint64_t const burst_ps = is_interleaved ? dram->tBURST_MAX_ps / 2 : dram->tBURST_ps;
    return (double)dram_channel_count(memory) * (double)dram_burst_bytes(dram) * 1e12 / (double)max_u64(burst_ps, 1);
}

double peak_gpu_l2_bandwidth(const struct gpu_params *gpu)
{
    return (double)(gpu->l2.channels * gpu->l2.slices * gpu->l2.cache.sector_bytes) * 1e12 / (double)gpu->l2_clock_ps;
}

double peak_bus_bandwidth(const struct noc_params *bus)
{
    return (double)bus->width_bytes * 1e12 / (double)bus->clock_ps;
}

/* ---- GPU: the sums that the times of the LD/ST unit (replay/gpu/ldst.c) come to when nothing else is under way */

static uint64_t cycles_to_unit(const struct gpu_params *params)
{
    if (params->sm.address_latency_cyc)
        return params->sm.address_latency_cyc;
    return params->sm.pipeline_cyc > 1 ? params->sm.pipeline_cyc - 1 : 1;
}

static uint64_t from_below_ps(const struct gpu_params *params, uint64_t memory_ps)
{
    uint64_t const l1_cyc = params->l1.skip_global || params->l1.is_absent ? 0 : params->l1.cache.latency_cyc + 1;

    uint64_t const back_cyc = params->l1.reorder ? params->l1.return_latency_cyc : params->sm.pipeline_cyc;

    return (cycles_to_unit(params) + l1_cyc + memory_ps / params->core_clock_ps + 1 + back_cyc) *
           params->core_clock_ps;
}

struct gpu_latencies unloaded_gpu_latencies(const struct gpu_params *params, const struct memory_params *memory)
{
    uint64_t const l1_cyc = params->l1.cache.latency_cyc + params->l1.data_latency_cyc +
                            (params->l1.reorder ? params->l1.return_latency_cyc : 0);
    /* With address_latency shared memory has a unit of its own. */
    uint64_t const shared_cyc = params->sm.address_latency_cyc ? 0 : cycles_to_unit(params) + 1;

    return (struct gpu_latencies){
        .shared_ps = (shared_cyc + params->sm.shared_latency_cyc) * params->core_clock_ps,
        .l1_ps = (cycles_to_unit(params) + l1_cyc) * params->core_clock_ps,
        .l2_ps = from_below_ps(params, gpu_memory_l2_latency_ps(params)),
        .dram_ps = memory ? from_below_ps(params, gpu_memory_dram_latency_ps(params, memory)) : 0,
    };
}
