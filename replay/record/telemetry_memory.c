/* Figures of caches, buses and memories. Counters that a component keeps in one word are copied; counters by command
 * or by requestor are summed when the sample is read.
 *
 * Time in the present state of a rank, and the area of a level up to now, are added without touching the component. A
 * controller may live in a simulation of its own that is ahead of the sample, or behind; its own time counts then. */
#include "replay/record/telemetry_text.h"

#include <stdio.h>
#include <string.h>

#include "memsys/dram/memory_params.h"

/* ---- shared by several components */

static void read_area(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    values[0] = occupancy_area(field->source, now_ps);
}

/* Source and size of words, from their type. */
#define WORDS(first) .source = first, .word_bytes = sizeof *(first)

/* Two rows: a level, and its integral over time as `area`. */
#define OCCUPANCY(level_name, area, occupancy, highest, text)                                                         \
    {.name = level_name, .kind = TELEMETRY_LEVEL, .source = &(occupancy)->level, .limit = highest, .help = text},     \
    {.name = area, .kind = TELEMETRY_INTEGRAL, .source = occupancy, .read = read_area, .limit = highest, .help = text}

static void read_queue_count(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    (void)now_ps;
    values[0] = packet_queue_count(field->source);
}

/* One row: packets in a queue. */
#define PACKET_QUEUE(queue)                                                                                           \
    {.name = "responses", .kind = TELEMETRY_LEVEL, .source = queue, .read = read_queue_count,                         \
     .help = "responses that wait to leave"}

/* ---- cache */

static const char *const access_names[3] = {"hits", "misses", "miss_latency_ps"};
static const char *const blocked_names[BLOCKED_CAUSE_COUNT] = {"no_mshrs", "no_write_buffers", "no_targets"};

/* argument: first requestor and how many, 32 bits each */
static void read_accesses(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct cache *const cache = field->source;
    unsigned const first = (unsigned)(field->argument >> 32), end = first + (unsigned)(field->argument & UINT32_MAX);

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
    struct telemetry_field const fields[] = {
        {.name = "demand", .kind = TELEMETRY_COUNTER, .source = cache, .read = read_accesses, .count = 3,
         .argument = (uint64_t)requestors.first << 32 | requestors.count, .element_names = access_names,
         .help = "demand accesses that hit and missed, and what those that missed waited"},
        {.name = "writebacks", .kind = TELEMETRY_COUNTER, .source = &stats->writebacks, .help = "lines written back"},
        {.name = "replacements", .kind = TELEMETRY_COUNTER, .source = &stats->replacements,
         .help = "valid lines that made room for others"},
        OCCUPANCY("mshrs", "mshrs_ps", &stats->mshrs, cache->mshr_limit, "MSHRs in use"),
        OCCUPANCY("write_buffers", "write_buffers_ps", &stats->write_buffers, cache->write_buffer_limit,
                  "write buffers in use"),
        PACKET_QUEUE(&cache->responses),
        {.name = "blocked_cycles", .unit = "Cycle", .kind = TELEMETRY_COUNTER, .source = stats->blocked_cycles,
         .count = BLOCKED_CAUSE_COUNT, .element_names = blocked_names,
         .help = "cycles in which requests were refused, by cause"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_CACHE, parent, cache->our_name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    return component;
}

/* ---- interconnects */

static void read_above(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct noc *const noc = field->source;

    (void)now_ps;
    for (unsigned above = 0; above < field->count; above++) {
        values[above] = 0;
        for (unsigned below = 0; below < noc->memory_port_count; below++)
            values[above] += noc_traffic(noc, above, below)->bytes;
    }
}

static void read_below(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct noc *const noc = field->source;

    (void)now_ps;
    for (unsigned below = 0; below < field->count; below++) {
        values[below] = 0;
        for (unsigned above = 0; above < noc->cpu_port_count; above++)
            values[below] += noc_traffic(noc, above, below)->bytes;
    }
}

static uint64_t peak_bytes_per_s(const struct noc *noc)
{
    return (uint64_t)(1e12 / (double)noc->clock.period_ps * (double)noc->width_bytes);
}

/* Ways of a crossbar, which no other kind has. */
static void add_crossbar(struct telemetry *telemetry, uint32_t component, const struct crossbar *crossbar)
{
    unsigned const above = crossbar->noc.cpu_port_count, below = crossbar->noc.memory_port_count;
    struct telemetry_field const fields[] = {
        {.name = "request_ps", .unit = "Tick", .kind = TELEMETRY_COUNTER, .count = below,
         .source = &crossbar->memory_ports[0].request_layer.occupancy_ps, .stride = sizeof crossbar->memory_ports[0],
         .help = "time for which the way to a port towards memory was taken"},
        {.name = "response_ps", .unit = "Tick", .kind = TELEMETRY_COUNTER, .count = above,
         .source = &crossbar->cpu_ports[0].response_layer.occupancy_ps, .stride = sizeof crossbar->cpu_ports[0],
         .help = "time for which the way to a port towards the cores was taken"},
        {.name = "waiting", .kind = TELEMETRY_LEVEL, .count = below, .limit = above,
         WORDS(&crossbar->memory_ports[0].request_layer.waiting_count), .stride = sizeof crossbar->memory_ports[0],
         .help = "senders that wait for the way to a port towards memory"}
    };

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
}

uint32_t telemetry_add_noc(struct telemetry *telemetry, uint32_t parent, struct noc *noc)
{
    uint64_t const peak = peak_bytes_per_s(noc);
    struct telemetry_field const fields[] = {
        {.name = TELEMETRY_BUS_ABOVE, .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = noc,
         .read = read_above, .count = noc->cpu_port_count, .limit = peak,
         .help = "bytes by port towards the cores; its peak is that of one direction"},
        {.name = TELEMETRY_BUS_BELOW, .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = noc,
         .read = read_below, .count = noc->memory_port_count, .limit = peak,
         .help = "bytes by port towards memory; its peak is that of one direction"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_BUS, parent, noc->our_name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    if (crossbar_of(noc))
        add_crossbar(telemetry, component, crossbar_of(noc));
    return component;
}

/* ---- DRAM */

/* The state of a bank, or of its rank, if that is the reason. */
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

static void read_bank_states(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = field->source;

    for (uint32_t i = 0; i < rank->bank_count; i++)
        values[i] = bank_state(rank, &rank->banks[i], now_ps);
}

/* 0: closed; else the row and one. */
static void read_rows(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = field->source;

    (void)now_ps;
    for (uint32_t i = 0; i < rank->bank_count; i++)
        values[i] = rank->banks[i].open_row + 1;
}

static void read_power_state(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = field->source;

    (void)now_ps;
    values[0] = rank->power_state;
}

static void read_power_times(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_rank *const rank = field->source;

    memcpy(values, rank->stats.power_ps, sizeof rank->stats.power_ps);
    if (now_ps > rank->power_since_ps)
        values[rank->power_state] += now_ps - rank->power_since_ps;
}

static void add_rank(struct telemetry *telemetry, uint32_t parent, const struct dram_channel *channel,
                     const struct dram_rank *rank)
{
    const struct dram_stats *const stats = &channel->stats;
    uint32_t const banks = rank->bank_count, first = rank->number * banks;
    struct telemetry_field const fields[] = {
        {.name = "power", .unit = "State", .kind = TELEMETRY_STATE, .source = rank, .read = read_power_state,
         .state_names = power_states, .state_count = POWER_STATES, .help = "power state of the rank"},
        {.name = "banks", .unit = "State", .kind = TELEMETRY_STATE, .source = rank, .read = read_bank_states,
         .count = banks, .state_names = bank_states, .state_count = BANK_STATES, .help = "what each bank does"},
        {.name = "rows", .unit = "Row", .kind = TELEMETRY_PLACE, .source = rank, .read = read_rows, .count = banks,
         .help = "open row of each bank, counted from 1; 0: closed"},
        {.name = "power_ps", .unit = "Tick", .kind = TELEMETRY_COUNTER, .source = rank, .read = read_power_times,
         .count = POWER_STATES, .element_names = power_states, .help = "time in each power state"},
        {.name = "reads", .kind = TELEMETRY_COUNTER, .source = stats->bank_reads + first, .count = banks,
         .help = "read bursts by bank"},
        {.name = "writes", .kind = TELEMETRY_COUNTER, .source = stats->bank_writes + first, .count = banks,
         .help = "write bursts by bank"},
        {.name = "activates", .kind = TELEMETRY_COUNTER, .source = stats->bank_activates + first, .count = banks,
         .help = "bursts that opened a row, by bank: misses and conflicts; all others hit"},
        {.name = "conflicts", .kind = TELEMETRY_COUNTER, .source = stats->bank_conflicts + first, .count = banks,
         .help = "of these, those that had to close another row before"}
    };
    char name[80];

    snprintf(name, sizeof name, "%s.rank%u", telemetry->components[parent].name, rank->number);
    TELEMETRY_ADD_TABLE(telemetry, telemetry_add_component(telemetry, TELEMETRY_RANK, parent, name), fields);
}

const struct dram_rank *telemetry_rank_of(const struct telemetry *telemetry, uint32_t component)
{
    const struct telemetry_field *const power = telemetry_find(telemetry, component, "power");

    return power && power->read == read_power_state ? power->source : NULL;
}

static void read_channel_bytes(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = field->source;

    (void)now_ps;
    values[0] = channel->stats.read_bursts * channel->geometry.burst_bytes;
    values[1] = channel->stats.write_bursts * channel->geometry.burst_bytes;
}

/* Banks counted together: hits, misses, conflicts. */
static void read_row_outcomes(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = field->source;
    uint32_t const banks = channel->rank_count * channel->ranks[0].bank_count;
    uint64_t activates = 0, conflicts = 0;

    (void)now_ps;
    for (uint32_t i = 0; i < banks; i++) {
        activates += channel->stats.bank_activates[i];
        conflicts += channel->stats.bank_conflicts[i];
    }
    values[0] = channel->stats.read_row_hits + channel->stats.write_row_hits;
    values[1] = activates - conflicts;
    values[2] = conflicts;
}

/* A level whose steps come in the controller's own time. argument: of the write queue */
static void read_queue_area(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct dram_channel *const channel = field->source;

    values[0] = occupancy_area(field->argument ? &channel->stats.write_queue : &channel->stats.read_queue,
                               max_u64(sim_now_ps(channel->sim), now_ps));
}

static const char *const direction_names[] = {"read", "write"};
static const char *const outcome_names[] = {"hits", "misses", "conflicts"};

static void add_channel(struct telemetry *telemetry, uint32_t parent, const struct dram_channel *channel)
{
    const struct dram_stats *const stats = &channel->stats;
    uint64_t const reads = channel->dram->read_buffer_size, writes = channel->dram->write_buffer_size;
    struct telemetry_field const fields[] = {
        {.name = "bytes", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = channel, .read = read_channel_bytes,
         .count = 2, .element_names = direction_names, .limit = (uint64_t)dram_channel_peak_bytes_per_s(channel),
         .help = "bytes of bursts; its peak is that of both directions together"},
        {.name = "bursts", .kind = TELEMETRY_COUNTER, .source = channel, .read = read_row_outcomes, .count = 3,
         .element_names = outcome_names,
         .help = "bursts to an open row, a closed bank, and a bank with another row open"},
        {.name = "read_bursts", .kind = TELEMETRY_COUNTER, .source = &stats->read_bursts, .help = "read bursts"},
        {.name = "read_latency_ps", .unit = "Tick", .kind = TELEMETRY_COUNTER, .source = &stats->access_ps,
         .help = "time of these from arrival to data"},
        {.name = "read_queue", .kind = TELEMETRY_LEVEL, .source = &stats->read_queue.level, .limit = reads,
         .help = "read bursts that wait"},
        {.name = "read_queue_ps", .kind = TELEMETRY_INTEGRAL, .source = channel, .read = read_queue_area,
         .limit = reads, .help = "read bursts that wait"},
        {.name = "write_queue", .kind = TELEMETRY_LEVEL, .source = &stats->write_queue.level, .limit = writes,
         .help = "write bursts that wait"},
        {.name = "write_queue_ps", .kind = TELEMETRY_INTEGRAL, .source = channel, .read = read_queue_area,
         .argument = 1, .limit = writes, .help = "write bursts that wait"},
        {.name = "bus", .unit = "State", .kind = TELEMETRY_STATE, WORDS(&channel->bus),
         .state_names = direction_names, .state_count = 2, .help = "direction of the data bus"}
    };
    uint32_t component;
    char name[64];

    snprintf(name, sizeof name, "%s.%s", telemetry->components[parent].name, channel->name);
    component = telemetry_add_component(telemetry, TELEMETRY_CHANNEL, parent, name);
    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    for (uint32_t i = 0; i < channel->rank_count; i++)
        add_rank(telemetry, component, channel, &channel->ranks[i]);
}

uint32_t telemetry_add_mem_ctrl(struct telemetry *telemetry, uint32_t parent, const struct mem_ctrl *ctrl)
{
    const struct mem_ctrl_stats *const stats = &ctrl->stats;
    struct telemetry_field const fields[] = {
        {.name = "bytes_read", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = &stats->bytes_read,
         .help = "bytes of read packets"},
        {.name = "bytes_written", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = &stats->bytes_written,
         .help = "bytes of write packets"},
        {.name = "read_retries", .kind = TELEMETRY_COUNTER, .source = &stats->read_retries,
         .help = "reads refused by a full queue"},
        {.name = "write_retries", .kind = TELEMETRY_COUNTER, .source = &stats->write_retries,
         .help = "writes refused by a full queue"},
        PACKET_QUEUE(&ctrl->responses)
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_MEMORY, parent, ctrl->name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        add_channel(telemetry, component, &ctrl->channels[i]);
    return component;
}

/* ---- simple memory */

static void read_simple_bytes(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct simple_memory *const memory = field->source;

    (void)now_ps;
    values[0] = values[1] = 0;
    for (unsigned i = 0; i < memory->sim->requestor_count; i++) {
        values[0] += memory->traffic[i].bytes_read;
        values[1] += memory->traffic[i].bytes_written;
    }
}

uint32_t telemetry_add_simple_memory(struct telemetry *telemetry, uint32_t parent, const struct simple_memory *memory)
{
    struct telemetry_field const fields[] = {
        {.name = "bytes", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = memory, .read = read_simple_bytes,
         .count = 2, .element_names = direction_names,
         .limit = memory->ps_per_byte ? UINT64_C(1000000000000) / memory->ps_per_byte : 0,
         .help = "bytes read and written; its peak is that of both together"},
        {.name = "responses", .kind = TELEMETRY_LEVEL, WORDS(&memory->response_count),
         .help = "responses that wait to leave"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_MEMORY, parent, memory->name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    return component;
}

/* ---- map of addresses */

void telemetry_add_heat(struct telemetry *telemetry, uint32_t component, const struct address_heat *heat)
{
    struct telemetry_field const fields[] = {
        {.name = "heat_base", .unit = "Byte", .kind = TELEMETRY_PLACE, .source = &heat->base,
         .help = "address of the first region"},
        {.name = "heat_shift", .kind = TELEMETRY_PLACE, .source = &heat->shift,
         .help = "logarithm of the bytes of a region; 0: nothing was accessed yet"},
        {.name = "heat", .kind = TELEMETRY_BINS, .source = heat->counts, .count = ADDRESS_HEAT_REGIONS,
         .help = "requests to memory by region of addresses; compare samples whose heat_base and heat_shift are equal"}
    };

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
}
