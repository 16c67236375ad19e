/* Figures of caches, buses and memories. Counters that a component has as a word of its own are copied; what it has by
 * command or by requestor is added up when the sample is read.
 *
 * Time in the present state of a rank, and the area of a level up to now, are added without touching the component. A
 * controller may live in a simulation of its own that is ahead of the sample, or behind; its own time counts then. */
#include "memsys/telemetry_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- what several components use */

static uint32_t add_counter(struct telemetry *telemetry, uint32_t component, const char *name, const char *unit,
                            const uint64_t *source, const char *help)
{
    return telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = name, .unit = unit, .help = help, .source = source,
        .count = 1
    });
}

static void read_area(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    (void)argument;
    values[0] = occupancy_area(context, now_ps);
}

static void add_occupancy(struct telemetry *telemetry, uint32_t component, const char *name, const char *area_name,
                          const struct occupancy *occupancy, uint64_t limit, const char *help)
{
    struct telemetry_field field = {
        .component = component, .kind = TELEMETRY_LEVEL, .name = name, .unit = "Count", .help = help,
        .source = &occupancy->level, .count = 1, .limit = limit
    };

    telemetry_add(telemetry, &field);
    field.kind = TELEMETRY_INTEGRAL;
    field.name = area_name;
    field.source = occupancy;
    field.read = read_area;
    telemetry_add(telemetry, &field);
}

static void read_queue_count(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    (void)argument;
    (void)now_ps;
    values[0] = packet_queue_count(context);
}

static void add_packet_queue(struct telemetry *telemetry, uint32_t component, const char *name,
                             const struct packet_queue *queue, const char *help)
{
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_LEVEL, .name = name, .unit = "Count", .help = help, .source = queue,
        .read = read_queue_count, .count = 1
    });
}

/* ---- cache */

static const char *const access_names[] = {"hits", "misses", "miss_latency_ps"};
static const char *const blocked_names[BLOCKED_CAUSE_COUNT] = {"no_mshrs", "no_write_buffers", "no_targets"};

/* argument: first requestor and how many, 32 bits each */
static void read_accesses(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct cache *const cache = context;
    unsigned const first = (unsigned)(argument >> 32), end = first + (unsigned)(argument & UINT32_MAX);

    (void)now_ps;
    values[0] = values[1] = values[2] = 0;
    for (unsigned command = 0; command < CMD_COUNT; command++) {
        if (!(command_attributes(command) & ATTR_DEMAND))
            continue;
        for (unsigned i = first; i < end; i++) {
            const struct cache_command_stats *const counts = cache_command_stats(cache, command, i);

            values[0] += counts->hits;
            values[1] += counts->misses;
            values[2] += counts->miss_latency_ps;
        }
    }
}

uint32_t telemetry_add_cache(struct telemetry *telemetry, uint32_t parent, const struct cache *cache,
                             struct telemetry_requestors requestors)
{
    const struct cache_stats *const stats = &cache->stats;
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_CACHE, parent, cache->name);

    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = "demand", .unit = "Count",
        .help = "demand accesses that hit and missed, and what those that missed waited", .source = cache,
        .read = read_accesses, .argument = (uint64_t)requestors.first << 32 | requestors.count,
        .count = sizeof access_names / sizeof *access_names, .element_names = access_names
    });
    add_counter(telemetry, component, "writebacks", "Count", &stats->writebacks, "lines written back");
    add_counter(telemetry, component, "replacements", "Count", &stats->replacements,
                "valid lines that made room for others");
    add_occupancy(telemetry, component, "mshrs", "mshrs_ps", &stats->mshrs, cache->mshr_limit, "MSHRs in use");
    add_occupancy(telemetry, component, "write_buffers", "write_buffers_ps", &stats->write_buffers,
                  cache->write_buffer_limit, "write buffers in use");
    add_packet_queue(telemetry, component, "responses", &cache->responses, "answers that wait to leave");
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = "blocked_cycles", .unit = "Cycle",
        .help = "cycles in which requests were refused, by cause", .source = stats->blocked_cycles,
        .count = BLOCKED_CAUSE_COUNT, .element_names = blocked_names
    });
    return component;
}

/* ---- crossbar */

static void read_above(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct crossbar *const crossbar = context;

    (void)argument;
    (void)now_ps;
    for (unsigned above = 0; above < crossbar->cpu_port_count; above++) {
        values[above] = 0;
        for (unsigned below = 0; below < crossbar->memory_port_count; below++)
            values[above] += crossbar_traffic(crossbar, above, below)->bytes;
    }
}

static void read_below(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct crossbar *const crossbar = context;

    (void)argument;
    (void)now_ps;
    for (unsigned below = 0; below < crossbar->memory_port_count; below++) {
        values[below] = 0;
        for (unsigned above = 0; above < crossbar->cpu_port_count; above++)
            values[below] += crossbar_traffic(crossbar, above, below)->bytes;
    }
}

static void read_waiting(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct crossbar *const crossbar = context;

    (void)argument;
    (void)now_ps;
    for (unsigned i = 0; i < crossbar->memory_port_count; i++)
        values[i] = crossbar->memory_ports[i].request_layer.waiting_count;
}

static uint64_t peak_bytes_per_s(const struct crossbar *crossbar)
{
    return (uint64_t)(1e12 / (double)crossbar->clock.period_ps * (double)crossbar->width_bytes);
}

uint32_t telemetry_add_crossbar(struct telemetry *telemetry, uint32_t parent, const struct crossbar *crossbar)
{
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_BUS, parent, crossbar->name);
    struct telemetry_field field = {.component = component, .kind = TELEMETRY_COUNTER, .source = crossbar};

    field.unit = "Byte";
    field.name = TELEMETRY_BUS_ABOVE;
    field.help = "bytes by port towards the cores; its peak is that of one direction";
    field.count = crossbar->cpu_port_count;
    field.limit = peak_bytes_per_s(crossbar);
    field.read = read_above;
    telemetry_add(telemetry, &field);
    field.name = TELEMETRY_BUS_BELOW;
    field.help = "bytes by port towards memory; its peak is that of one direction";
    field.count = crossbar->memory_port_count;
    field.read = read_below;
    telemetry_add(telemetry, &field);
    field.read = NULL;
    field.limit = 0;
    field.unit = "Tick";
    field.name = "request_ps";
    field.help = "time for which the way to a port towards memory was taken";
    field.source = &crossbar->memory_ports[0].request_layer.occupancy_ps;
    field.stride = sizeof crossbar->memory_ports[0];
    telemetry_add(telemetry, &field);
    field.name = "response_ps";
    field.help = "time for which the way to a port towards the cores was taken";
    field.count = crossbar->cpu_port_count;
    field.source = &crossbar->cpu_ports[0].response_layer.occupancy_ps;
    field.stride = sizeof crossbar->cpu_ports[0];
    telemetry_add(telemetry, &field);
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_LEVEL, .name = "waiting", .unit = "Count", .source = crossbar,
        .help = "senders that wait for the way to a port towards memory", .count = crossbar->memory_port_count,
        .limit = crossbar->cpu_port_count, .read = read_waiting
    });
    return component;
}

/* ---- DRAM */

/* What a bank does; of the rank, if that is the reason. */
enum bank_state {
    BANK_IDLE, BANK_ACTIVE, BANK_PRECHARGE, BANK_REFRESH, BANK_POWER_DOWN, BANK_SELF_REFRESH, BANK_STATES
};

static const char *const bank_states[BANK_STATES] = {
    [BANK_IDLE] = "idle", [BANK_ACTIVE] = "active", [BANK_PRECHARGE] = "precharge", [BANK_REFRESH] = "refresh",
    [BANK_POWER_DOWN] = "power_down", [BANK_SELF_REFRESH] = "self_refresh"
};
static const char *const power_states[POWER_STATES] = {
    [POWER_IDLE] = "idle", [POWER_REFRESH] = "refresh", [POWER_SELFREFRESH] = "self_refresh",
    [POWER_PRECHARGE_DOWN] = "precharge_power_down", [POWER_ACTIVE] = "active",
    [POWER_ACTIVE_DOWN] = "active_power_down"
};

static enum bank_state bank_state(const struct dram_rank *rank, const struct dram_bank *bank, uint64_t now_ps)
{
    if (rank->power_state == POWER_REFRESH)
        return BANK_REFRESH;
    if (rank->power_state == POWER_SELFREFRESH)
        return BANK_SELF_REFRESH;
    if (rank->power_state == POWER_PRECHARGE_DOWN || rank->power_state == POWER_ACTIVE_DOWN)
        return BANK_POWER_DOWN;
    if (bank->open_row != DRAM_NO_ROW)
        return BANK_ACTIVE;
    return bank->activate_allowed_ps > now_ps ? BANK_PRECHARGE : BANK_IDLE;
}

static void read_bank_states(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = context;

    (void)argument;
    for (uint32_t i = 0; i < rank->bank_count; i++)
        values[i] = bank_state(rank, &rank->banks[i], now_ps);
}

/* 0: closed; else the row and one. */
static void read_rows(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = context;

    (void)argument;
    (void)now_ps;
    for (uint32_t i = 0; i < rank->bank_count; i++)
        values[i] = rank->banks[i].open_row + 1;
}

static void read_power_state(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = context;

    (void)argument;
    (void)now_ps;
    values[0] = rank->power_state;
}

static void read_power_times(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = context;

    (void)argument;
    memcpy(values, rank->stats.power_ps, sizeof rank->stats.power_ps);
    if (now_ps > rank->power_since_ps)
        values[rank->power_state] += now_ps - rank->power_since_ps;
}

static void add_bank_counter(struct telemetry *telemetry, uint32_t component, const struct dram_rank *rank,
                             const char *name, const uint64_t *all, const char *help)
{
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = name, .unit = "Count", .help = help,
        .source = all + rank->number * rank->bank_count, .count = rank->bank_count
    });
}

static void add_rank(struct telemetry *telemetry, uint32_t parent, const struct dram_channel *channel,
                     const struct dram_rank *rank)
{
    const struct dram_stats *const stats = &channel->stats;
    struct telemetry_field field = {.source = rank};
    char name[80];

    snprintf(name, sizeof name, "%s.rank%u", telemetry->components[parent].name, rank->number);
    field.component = telemetry_add_component(telemetry, TELEMETRY_RANK, parent, name);
    field.kind = TELEMETRY_STATE;
    field.unit = "State";
    field.name = "power";
    field.help = "power state of the rank";
    field.count = 1;
    field.state_names = power_states;
    field.state_count = POWER_STATES;
    field.read = read_power_state;
    telemetry_add(telemetry, &field);
    field.name = "banks";
    field.help = "what each bank does";
    field.count = rank->bank_count;
    field.state_names = bank_states;
    field.state_count = BANK_STATES;
    field.read = read_bank_states;
    telemetry_add(telemetry, &field);
    field.state_names = NULL;
    field.state_count = 0;
    field.kind = TELEMETRY_PLACE;
    field.unit = "Row";
    field.name = "rows";
    field.help = "open row of each bank, counted from 1; 0: closed";
    field.read = read_rows;
    telemetry_add(telemetry, &field);
    field.kind = TELEMETRY_COUNTER;
    field.unit = "Tick";
    field.name = "power_ps";
    field.help = "time in each power state";
    field.count = POWER_STATES;
    field.element_names = power_states;
    field.read = read_power_times;
    telemetry_add(telemetry, &field);
    add_bank_counter(telemetry, field.component, rank, "reads", stats->bank_reads, "read bursts by bank");
    add_bank_counter(telemetry, field.component, rank, "writes", stats->bank_writes, "write bursts by bank");
    add_bank_counter(telemetry, field.component, rank, "activates", stats->bank_activates,
                     "bursts that opened a row, by bank: misses and conflicts; all others hit");
    add_bank_counter(telemetry, field.component, rank, "conflicts", stats->bank_conflicts,
                     "of these, those that had to close another row before");
}

const struct dram_rank *telemetry_rank_of(const struct telemetry *telemetry, uint32_t component)
{
    const struct telemetry_field *const power = telemetry_find(telemetry, component, "power");

    return power && power->read == read_power_state ? power->source : NULL;
}

static void read_channel_bytes(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = context;

    (void)argument;
    (void)now_ps;
    values[0] = channel->stats.read_bursts * channel->geometry.burst_bytes;
    values[1] = channel->stats.write_bursts * channel->geometry.burst_bytes;
}

/* Banks counted together: hits, misses, conflicts. */
static void read_row_outcomes(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = context;
    uint32_t const banks = channel->rank_count * channel->ranks[0].bank_count;
    uint64_t activates = 0, conflicts = 0;

    (void)argument;
    (void)now_ps;
    for (uint32_t i = 0; i < banks; i++) {
        activates += channel->stats.bank_activates[i];
        conflicts += channel->stats.bank_conflicts[i];
    }
    values[0] = channel->stats.read_row_hits + channel->stats.write_row_hits;
    values[1] = activates - conflicts;
    values[2] = conflicts;
}

static void read_bus(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = context;

    (void)argument;
    (void)now_ps;
    values[0] = channel->bus;
}

/* A level whose steps come in the controller's own time. */
static void read_queue_area(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = context;
    uint64_t const own_ps = sim_now_ps(channel->sim);

    values[0] = occupancy_area(argument ? &channel->stats.write_queue : &channel->stats.read_queue,
                               own_ps > now_ps ? own_ps : now_ps);
}

static const char *const direction_names[] = {"read", "write"};
static const char *const outcome_names[] = {"hits", "misses", "conflicts"};

static void add_dram_queue(struct telemetry *telemetry, uint32_t component, const struct dram_channel *channel,
                           bool is_write, const char *name, const char *area_name, const char *help)
{
    const struct occupancy *const queue = is_write ? &channel->stats.write_queue : &channel->stats.read_queue;
    struct telemetry_field field = {
        .component = component, .kind = TELEMETRY_LEVEL, .name = name, .unit = "Count", .help = help, .count = 1,
        .source = &queue->level, .argument = is_write,
        .limit = is_write ? channel->dram.write_buffer_size : channel->dram.read_buffer_size
    };

    telemetry_add(telemetry, &field);
    field.kind = TELEMETRY_INTEGRAL;
    field.name = area_name;
    field.source = channel;
    field.read = read_queue_area;
    telemetry_add(telemetry, &field);
}

static void add_channel(struct telemetry *telemetry, uint32_t parent, const struct dram_channel *channel)
{
    struct telemetry_field field = {.source = channel, .kind = TELEMETRY_COUNTER};
    char name[64];

    snprintf(name, sizeof name, "%s.%s", telemetry->components[parent].name, channel->name);
    field.component = telemetry_add_component(telemetry, TELEMETRY_CHANNEL, parent, name);
    field.name = "bytes";
    field.unit = "Byte";
    field.help = "bytes of bursts; its peak is that of both directions together";
    field.count = 2;
    field.element_names = direction_names;
    field.limit = (uint64_t)dram_channel_peak_bytes_per_s(channel);
    field.read = read_channel_bytes;
    telemetry_add(telemetry, &field);
    field.name = "bursts";
    field.unit = "Count";
    field.help = "bursts to an open row, a closed bank, and a bank with another row open";
    field.count = 3;
    field.element_names = outcome_names;
    field.limit = 0;
    field.read = read_row_outcomes;
    telemetry_add(telemetry, &field);
    add_counter(telemetry, field.component, "read_bursts", "Count", &channel->stats.read_bursts, "read bursts");
    add_counter(telemetry, field.component, "read_latency_ps", "Tick", &channel->stats.access_ps,
                "time of these from arrival to data");
    add_dram_queue(telemetry, field.component, channel, false, "read_queue", "read_queue_ps", "read bursts that wait");
    add_dram_queue(telemetry, field.component, channel, true, "write_queue", "write_queue_ps",
                   "write bursts that wait");
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = field.component, .kind = TELEMETRY_STATE, .name = "bus", .unit = "State", .count = 1,
        .help = "direction of the data bus", .source = channel, .read = read_bus, .state_names = direction_names,
        .state_count = 2
    });
    for (uint32_t i = 0; i < channel->rank_count; i++)
        add_rank(telemetry, field.component, channel, &channel->ranks[i]);
}

uint32_t telemetry_add_mem_ctrl(struct telemetry *telemetry, uint32_t parent, const struct mem_ctrl *ctrl)
{
    const struct mem_ctrl_stats *const stats = &ctrl->stats;
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_MEMORY, parent, ctrl->name);

    add_counter(telemetry, component, "bytes_read", "Byte", &stats->bytes_read, "bytes of read packets");
    add_counter(telemetry, component, "bytes_written", "Byte", &stats->bytes_written, "bytes of write packets");
    add_counter(telemetry, component, "read_retries", "Count", &stats->read_retries, "reads refused by a full queue");
    add_counter(telemetry, component, "write_retries", "Count", &stats->write_retries,
                "writes refused by a full queue");
    add_packet_queue(telemetry, component, "responses", &ctrl->responses, "answers that wait to leave");
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        add_channel(telemetry, component, &ctrl->channels[i]);
    return component;
}

/* ---- simple memory */

static void read_simple_bytes(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct simple_memory *const memory = context;

    (void)argument;
    (void)now_ps;
    values[0] = values[1] = 0;
    for (unsigned i = 0; i < memory->sim->requestor_count; i++) {
        values[0] += memory->traffic[i].bytes_read;
        values[1] += memory->traffic[i].bytes_written;
    }
}

static void read_simple_responses(const void *context, uint64_t argument, uint64_t now_ps, uint64_t *values)
{
    const struct simple_memory *const memory = context;

    (void)argument;
    (void)now_ps;
    values[0] = memory->response_count;
}

uint32_t telemetry_add_simple_memory(struct telemetry *telemetry, uint32_t parent, const struct simple_memory *memory)
{
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_MEMORY, parent, memory->name);

    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_COUNTER, .name = "bytes", .unit = "Byte",
        .help = "bytes read and written; its peak is that of both together", .source = memory,
        .read = read_simple_bytes, .count = 2, .element_names = direction_names,
        .limit = memory->ps_per_byte ? UINT64_C(1000000000000) / memory->ps_per_byte : 0
    });
    telemetry_add(telemetry, &(struct telemetry_field){
        .component = component, .kind = TELEMETRY_LEVEL, .name = "responses", .unit = "Count",
        .help = "answers that wait to leave", .source = memory, .read = read_simple_responses, .count = 1
    });
    return component;
}

/* ---- map of addresses */

void telemetry_add_heat(struct telemetry *telemetry, uint32_t component, const struct address_heat *heat)
{
    struct telemetry_field field = {.component = component, .kind = TELEMETRY_PLACE, .unit = "Byte", .count = 1};

    field.name = "heat_base";
    field.help = "address of the first region";
    field.source = &heat->base;
    telemetry_add(telemetry, &field);
    field.name = "heat_shift";
    field.unit = "Count";
    field.help = "logarithm of the bytes of a region; 0: nothing was accessed yet";
    field.source = &heat->shift;
    telemetry_add(telemetry, &field);
    field.kind = TELEMETRY_BINS;
    field.name = "heat";
    field.help = "requests to memory by region of addresses; compare samples whose heat_base and heat_shift are equal";
    field.source = heat->counts;
    field.count = ADDRESS_HEAT_REGIONS;
    telemetry_add(telemetry, &field);
}
