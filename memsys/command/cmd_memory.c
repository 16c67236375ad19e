/* Channels, and the tick that comes next among them: channels whose next tick is later are not looked at. */
#include "memsys/command/cmd_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/command/channel/cmd_tick.h"
#include "memsys/command/mitigation/cmd_mitigation.h"

enum { MOST_CHANNELS = 256, MOST_QUEUE = 1 << 20 };

struct cmd_memory {
    struct cmd_config config;
    struct cmd_hooks hooks;
    int64_t now, soonest;                /* soonest: the least of next[] */
    unsigned shift, width;               /* channel bits of an address: where, how many (2.4) */
    uint32_t channel_count;
    uint64_t accepted[2];
    struct cmd_channel *channels;
    int64_t *next;                       /* a channel's */
};

static const struct cmd_controller *const controllers[] = {
    [CMD_CONTROLLER_SINGLE_BUS] = &cmd_single_bus, [CMD_CONTROLLER_DUAL_BUS] = &cmd_dual_bus,
    [CMD_CONTROLLER_HALF_TICK] = &cmd_half_tick, [CMD_CONTROLLER_GDDR7] = &cmd_gddr7,
    [CMD_CONTROLLER_LPDDR5] = &cmd_lpddr, [CMD_CONTROLLER_LPDDR6] = &cmd_lpddr,
    [CMD_CONTROLLER_PRAC] = &cmd_prac, [CMD_CONTROLLER_BLOCKHAMMER] = &cmd_blockhammer
};

static const struct cmd_mitigation *const mitigations[] = {
    [CMD_MITIGATION_PARA] = &cmd_para, [CMD_MITIGATION_GRAPHENE] = &cmd_graphene,
        [CMD_MITIGATION_ORACLE_RH] = &cmd_oracle_rh,
    [CMD_MITIGATION_TWICE] = &cmd_twice, [CMD_MITIGATION_HYDRA] = &cmd_hydra, [CMD_MITIGATION_RRS] = &cmd_rrs,
    [CMD_MITIGATION_AQUA] = &cmd_aqua, [CMD_MITIGATION_RFM] = &cmd_rfm, [CMD_MITIGATION_HYNIX_TRR] = &cmd_hynix_trr,
    [CMD_MITIGATION_SAMSUNG_TRR] = &cmd_samsung_trr, [CMD_MITIGATION_IDEAL_TRR] = &cmd_ideal_trr
};

/* ---- configurations that cannot work */
static struct fault check_queue(const char *key, uint32_t entries)
{
    return entries >= 1 && entries <= MOST_QUEUE ? fault_none()
        : fault_make(FAULT_INPUT, "%s is %u; it must be from 1 to %d", key, entries, MOST_QUEUE);
}

static struct fault check_controller(const struct cmd_config *config)
{
    bool const has_buses = config->controller == CMD_CONTROLLER_DUAL_BUS || config->controller
        == CMD_CONTROLLER_HALF_TICK
        || config->controller == CMD_CONTROLLER_GDDR7;
    bool const is_split = config->controller == CMD_CONTROLLER_LPDDR5 || config->controller == CMD_CONTROLLER_LPDDR6;
    const struct cmd_spec *const spec = config->spec;

    if ((spec->command[spec->activate].bus != CMD_BUS_SHARED) != has_buses
        || (cmd_spec_command(spec, "ACT2") != CMD_NONE) != is_split)
        return fault_make(FAULT_INPUT, "controller: %s has %s, so this controller cannot drive it; its own is %s",
                          spec->standard->name, has_buses ? "one command bus" : is_split ? "activations in one part"
                          : "other command buses or activations", spec->standard->controller);
    return fault_none();
}

static struct fault check(const struct cmd_config *config)
{
    if (!is_power_of_two(config->channels) || config->channels > MOST_CHANNELS)
        return fault_make(FAULT_INPUT, "channels is %u; it must be a power of two up to %d", config->channels,
                          MOST_CHANNELS);
    if (config->interleave_bits > 40)
        return fault_make(FAULT_INPUT, "channel_interleave_bits is %u; it must be at most 40", config->interleave_bits);
    FORWARD(check_queue("read_queue", config->read_queue));
    FORWARD(check_queue("write_queue", config->write_queue));
    FORWARD(check_queue("priority_queue", config->priority_queue));
    if (!(config->write_low > 0 && config->write_low <= config->write_high && config->write_high <= 1))
        return fault_make(FAULT_INPUT, "write_low and write_high are %g and %g; 0 < write_low <= write_high <= 1 must "
                          "hold: reads wait until fewer writes than write_low are left", (double)config->write_low,
                          (double)config->write_high);
    if (config->row_policy == CMD_ROW_POLICY_CLOSED_AFTER && config->accesses < 1)
        return fault_make(FAULT_INPUT, "row_policy: accesses is 0; it must be at least 1");
    if (config->rck_idle < 0)
        return fault_make(FAULT_INPUT, "rck_idle_threshold is %lld; it must be at least 0",
                          (long long)config->rck_idle);
    if (config->mitigation_count > CMD_MOST_MITIGATIONS)
        return fault_make(FAULT_INPUT, "%u mitigations; at most %d are possible", config->mitigation_count,
                          CMD_MOST_MITIGATIONS);
    if (config->reserved_rows < 0 || config->reserved_rows >= config->spec->size[config->spec->row_level])
        return fault_make(FAULT_INPUT, "reserved_rows is %lld; it must be from 0 to one less than the %u rows of a "
                          "bank", (long long)config->reserved_rows, config->spec->size[config->spec->row_level]);
    return check_controller(config);
}

/* ---- set-up */
static struct fault init_channel(struct cmd_memory *memory, uint32_t number, uint32_t sources)
{
    struct cmd_channel *const channel = &memory->channels[number];

    FORWARD(cmd_channel_init(channel, &memory->config, &memory->hooks, controllers[memory->config.controller], number,
                             sources));
    channel->now = &memory->now;
    for (uint32_t i = 0; i < memory->config.mitigation_count; i++) {
        const struct cmd_mitigation_config *const config = &memory->config.mitigations[i];

        channel->mitigation[i] = mitigations[config->kind];
        FORWARD(channel->mitigation[i]->init(channel, config, &channel->mitigation_state[i]));
    }
    memory->next[number] = memory->soonest = 1;
    return fault_none();
}

static struct fault init(struct cmd_memory *memory, uint32_t sources)
{
    uint32_t const count = memory->config.channels;

    memory->channels = calloc(count, sizeof *memory->channels);
    memory->next = calloc(count, sizeof *memory->next);
    if (!memory->channels || !memory->next)
        return fault_memory("memory", "channels");
    memory->channel_count = count;
    memory->shift = log2_down(memory->config.spec->tx_bytes) + memory->config.interleave_bits;
    memory->width = log2_down(count);
    for (uint32_t i = 0; i < count; i++)
        FORWARD(init_channel(memory, i, sources));
    return fault_none();
}

struct fault cmd_memory_new(struct cmd_memory **memory, const struct cmd_config *config, const struct cmd_hooks *hooks,
                            uint32_t sources)
{
    struct fault fault;

    *memory = NULL;
    FORWARD(check(config));
    *memory = calloc(1, sizeof **memory);
    if (!*memory)
        return fault_memory("memory", NULL);
    (*memory)->config = *config;
    (*memory)->hooks = *hooks;
    if (FAILS(fault, init(*memory, sources))) {
        cmd_memory_free(*memory);
        *memory = NULL;
    }
    return fault;
}

void cmd_memory_free(struct cmd_memory *memory)
{
    if (!memory)
        return;
    for (uint32_t i = 0; i < memory->channel_count; i++)
        cmd_channel_free(&memory->channels[i]);
    free(memory->channels);
    free(memory->next);
    free(memory);
}

/* ---- requests */
/* 2.4 */
static uint32_t channel_of(const struct cmd_memory *memory, const struct cmd_access *access, uint64_t *local)
{
    unsigned const shift = memory->shift, width = memory->width;
    uint64_t const address = access->address;

    *local = address;
    if (access->vector)
        return (uint32_t)access->vector[0] & (memory->channel_count - 1);
    if (width == 0)
        return 0;
    *local = address >> (shift + width) << shift | (address & ((UINT64_C(1) << shift) - 1));
    return (uint32_t)(address >> shift) & (memory->channel_count - 1);
}

enum cmd_answer cmd_memory_send(struct cmd_memory *memory, const struct cmd_access *access, struct fault *fault)
{
    uint64_t local;
    uint32_t const number = channel_of(memory, access, &local);
    struct cmd_channel *const channel = &memory->channels[number];
    enum cmd_answer answer;
    int64_t next;

    channel->clk = memory->now;
    answer = cmd_channel_send(channel, access, local);
    *fault = channel->fault;
    if (answer == CMD_REFUSED)
        return answer;
    memory->accepted[access->kind == CMD_WRITE]++;
    next = cmd_tick_after(channel);
    memory->next[number] = next;
    memory->soonest = next < memory->soonest ? next : memory->soonest;
    return answer;
}

/* ---- time */
/* One tick, of those channels that have something to do in it; the first fault. *is_of_interest: the caller has
 * something to do, too. */
static struct fault run_tick(struct cmd_memory *memory, bool *is_of_interest)
{
    struct fault fault = fault_none();
    int64_t soonest = CMD_NEVER;

    for (uint32_t i = 0; i < memory->channel_count; i++) {
        struct cmd_channel *const channel = &memory->channels[i];
        int64_t const next = memory->next[i];

        if (next > memory->now) {
            soonest = next < soonest ? next : soonest;
            continue;
        }
        memory->next[i] = channel->engine->run(channel, next, next);
        soonest = memory->next[i] < soonest ? memory->next[i] : soonest;
        *is_of_interest |= channel->has_completed || channel->has_room;
        channel->has_completed = false;
        if (channel->fault.kind != FAULT_NONE && fault.kind == FAULT_NONE)
            fault = channel->fault;
    }
    memory->soonest = soonest;
    return fault;
}

/* The same, tick after tick, of a memory with one channel. */
static struct fault run_alone(struct cmd_memory *memory, int64_t limit)
{
    struct cmd_channel *const channel = memory->channels;

    channel->has_room = 0;
    if (memory->now < limit && memory->soonest <= limit)
        memory->next[0] = memory->soonest = channel->engine->run(channel, memory->soonest, limit);
    if (memory->now < limit && !channel->has_completed && !channel->has_room && channel->fault.kind == FAULT_NONE)
        memory->now = limit;
    channel->has_completed = false;
    return channel->fault;
}

struct fault cmd_memory_run(struct cmd_memory *memory, uint64_t until)
{
    int64_t const limit = until > INT64_MAX ? INT64_MAX : (int64_t)until;
    struct fault fault = fault_none();
    bool is_of_interest = false;

    if (memory->channel_count == 1)
        return run_alone(memory, limit);
    for (uint32_t i = 0; i < memory->channel_count; i++)
        memory->channels[i].has_room = 0;
    while (memory->now < limit && !is_of_interest && fault.kind == FAULT_NONE) {
        if (memory->soonest > limit) {
            memory->now = limit;
            break;
        }
        memory->now = memory->soonest;
        fault = run_tick(memory, &is_of_interest);
    }
    return fault;
}

uint64_t cmd_memory_now(const struct cmd_memory *memory)
{
    return (uint64_t)memory->now;
}

uint64_t cmd_memory_next(const struct cmd_memory *memory)
{
    return memory->soonest == CMD_NEVER ? UINT64_MAX : (uint64_t)memory->soonest;
}

bool cmd_memory_has_room(const struct cmd_memory *memory)
{
    for (uint32_t i = 0; i < memory->channel_count; i++)
        if (memory->channels[i].has_room)
            return true;
    return false;
}

uint64_t cmd_memory_in_flight(const struct cmd_memory *memory)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < memory->channel_count; i++)
        count += memory->channels[i].in_flight;
    return count;
}

/* ---- statistics */
static float quotient(uint64_t dividend, uint64_t divisor)
{
    return divisor ? (float)dividend / (float)divisor : 0.0f;
}

static float throughput(const struct cmd_channel *channel, uint64_t served, float time_ps)
{
    return time_ps > 0 ? (float)(served * channel->spec->tx_bytes) * 1e6f / time_ps : 0.0f;
}

struct cmd_stats cmd_memory_stats(const struct cmd_memory *memory, uint32_t number)
{
    struct cmd_channel *const channel = &memory->channels[number];
    const struct cmd_spec *const spec = channel->spec;
    bool const half = cmd_mends(channel->config, CMD_MEND_HALF_TICK) && spec->standard->ticks_per_ck > 1;
    float const transfers = (float)spec->standard->prefetch / (float)cmd_spec_time(spec, "nBL");     /* a tick */
    float const tick_ps = half ? 1e6f / (float)cmd_spec_time(spec, "rate") * transfers : (float)spec->tck_ps;
    struct cmd_stats *const stats = &channel->stats;
    bool const all = cmd_mends(channel->config, CMD_MEND_AVERAGE_LATENCY);
    float time_ps;

    channel->clk = memory->now;
    stats->read_queue_len = cmd_queue_waited(channel, CMD_QUEUE_READ);
    stats->write_queue_len = cmd_queue_waited(channel, CMD_QUEUE_WRITE);
    stats->priority_queue_len = cmd_queue_waited(channel, CMD_QUEUE_PRIORITY);
    stats->queue_len = stats->read_queue_len + stats->write_queue_len + stats->priority_queue_len;
    stats->cycles = (uint64_t)(channel->clk - channel->cycles_from);
    time_ps = (float)stats->cycles * tick_ps;
    stats->queue_len_avg = quotient(stats->queue_len, stats->cycles);
    stats->read_queue_len_avg = quotient(stats->read_queue_len, stats->cycles);
    stats->write_queue_len_avg = quotient(stats->write_queue_len, stats->cycles);
    stats->priority_queue_len_avg = quotient(stats->priority_queue_len, stats->cycles);
    stats->avg_read_latency = quotient(stats->read_latency,
                                       stats->num_read_reqs_served + (all ? stats->num_read_reqs_forwarded : 0));
    stats->read_throughput_MBps = throughput(channel, stats->num_read_reqs_served, time_ps);
    stats->write_throughput_MBps = throughput(channel, stats->num_write_reqs_served, time_ps);
    stats->total_throughput_MBps = stats->read_throughput_MBps + stats->write_throughput_MBps;
    return *stats;
}

struct cmd_core_stats cmd_memory_core_stats(const struct cmd_memory *memory, uint32_t channel, uint32_t source)
{
    return memory->channels[channel].cores[source];
}

bool cmd_memory_mitigation_count(const struct cmd_memory *memory, uint32_t channel, uint32_t mitigation, size_t index,
                                 struct cmd_named_count *count)
{
    const struct cmd_channel *const of = &memory->channels[channel];

    return of->mitigation[mitigation]->count(of->mitigation_state[mitigation], index, count);
}

void cmd_memory_reset_stats(struct cmd_memory *memory)
{
    memory->accepted[0] = memory->accepted[1] = 0;
    for (uint32_t i = 0; i < memory->channel_count; i++) {
        struct cmd_channel *const channel = &memory->channels[i];
        uint64_t const recoveries = channel->stats.prac_num_recovery;

        channel->clk = memory->now;
        for (unsigned queue = 0; queue < CMD_QUEUES; queue++)
            channel->queues[queue].waited -= cmd_queue_waited(channel, (enum cmd_queue_name)queue);
        channel->cycles_from = channel->clk;
        channel->stats = (struct cmd_stats){.prac_num_recovery = recoveries};
        memset(channel->cores, 0, channel->sources * sizeof *channel->cores);
    }
}

uint64_t cmd_memory_accepted(const struct cmd_memory *memory, enum cmd_kind kind)
{
    return memory->accepted[kind == CMD_WRITE];
}

struct fault cmd_memory_address(const struct cmd_memory *memory, const int32_t *vector, uint64_t *address)
{
    return cmd_map_address(&memory->channels[0], vector, address);
}
