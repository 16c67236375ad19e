/* What a channel is made of, and how requests come in. */
#include "memsys/command/channel/cmd_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { POOL_REQUESTS = 64 };

void *cmd_channel_take(struct cmd_channel *channel, size_t bytes)
{
    return arena_take(&channel->arena, bytes ? bytes : 1);
}

/* ---- requests and queues */
static struct cmd_request *take_request(struct cmd_channel *channel)
{
    struct cmd_request *request = channel->pool;

    if (!request) {
        request = cmd_channel_take(channel, POOL_REQUESTS * sizeof *request);
        if (!request)
            return NULL;
        for (unsigned i = 0; i < POOL_REQUESTS; i++)
            request[i].next = i + 1 < POOL_REQUESTS ? &request[i + 1] : NULL;
    }
    channel->pool = request->next;
    request->next = NULL;
    return request;
}

/* Odd behaviour 6: a request of the priority queue holds up its banks only. */
static void block_banks(struct cmd_channel *channel, const struct cmd_request *request, uint32_t change)
{
    struct cmd_targets targets;

    if (!cmd_mends(channel->config, CMD_MEND_PRIORITY_BLOCKS))
        return;
    targets = cmd_device_targets(&channel->device, request->final, request->vector);
    if (targets.is_range) {
        for (uint32_t bank = targets.first; bank < targets.end; bank++)
            channel->blocked[bank] += change;
    } else {
        CMD_EACH_TARGET(bank, &channel->device, targets, request->vector)
            channel->blocked[bank] += change;
    }
    cmd_forget_picks(channel);
}

/* A request has joined or left a queue. */
static void count_waiting(struct cmd_channel *channel, const struct cmd_request *request, int change)
{
    if (!channel->counts_waiting)
        return;
    cmd_refresh_waiting(channel, request, change);
    if (channel->power)
        cmd_power_waiting(channel, request, change);
}

void cmd_queue_append(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct cmd_queue *const queue = &channel->queues[name];
    bool must_choose = true;

    queue->waited -= (uint64_t)channel->clk;
    request->next = NULL;
    request->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = request;
    queue->last = request;
    queue->count++;
    count_waiting(channel, request, 1);
    if (channel->engine->appended)
        must_choose = channel->engine->appended(channel, name, request);
    else
        cmd_pick_arrived(channel, name, request);
    if (name == CMD_QUEUE_PRIORITY)
        block_banks(channel, request, 1);
    if (must_choose)
        cmd_wake(channel);
}

void cmd_queue_remove(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct cmd_queue *const queue = &channel->queues[name];

    queue->waited += (uint64_t)channel->clk;
    *(request->previous ? &request->previous->next : &queue->first) = request->next;
    *(request->next ? &request->next->previous : &queue->last) = request->previous;
    if (channel->engine->removed)
        channel->engine->removed(channel, name, request);
    queue->count--;
    count_waiting(channel, request, -1);
    if (name == CMD_QUEUE_PRIORITY)
        block_banks(channel, request, UINT32_MAX);
    channel->has_room |= channel->refused & 1u << name;
    channel->refused &= ~(1u << name);
}

/* ---- waiting writes: open addressing */
static uint32_t place_of(const struct cmd_channel *channel, uint64_t address)
{
    uint32_t place = (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32) & channel->waiting_mask;

    while (channel->waiting_count[place] && channel->waiting[place] != address)
        place = (place + 1) & channel->waiting_mask;
    return place;
}

static bool is_waiting(const struct cmd_channel *channel, uint64_t address)
{
    return channel->waiting_count[place_of(channel, address)] > 0;
}

static void waiting_add(struct cmd_channel *channel, uint64_t address)
{
    uint32_t const place = place_of(channel, address);

    channel->waiting[place] = address;
    channel->waiting_count[place]++;
}

void cmd_waiting_remove(struct cmd_channel *channel, uint64_t address)
{
    uint32_t free_place = place_of(channel, address), place;

    if (channel->waiting_count[free_place] == 0 || --channel->waiting_count[free_place] > 0)
        return;
    for (place = (free_place + 1) & channel->waiting_mask; channel->waiting_count[place];
         place = (place + 1) & channel->waiting_mask) {
        uint32_t const count = channel->waiting_count[place];

        channel->waiting_count[place] = 0;
        free_place = place_of(channel, channel->waiting[place]);
        channel->waiting[free_place] = channel->waiting[place];
        channel->waiting_count[free_place] = count;
    }
}

/* What forwarding and merging compare. */
static uint64_t line_of(const struct cmd_channel *channel, const struct cmd_access *access)
{
    const struct cmd_spec *const spec = channel->spec;
    uint64_t line = 0;

    if (access->vector && cmd_mends(channel->config, CMD_MEND_VECTOR_ADDRESS)) {
        for (unsigned level = 1; level < spec->level_count; level++)
            line = line * spec->size[level] + (uint32_t)access->vector[level];
        return line / spec->standard->prefetch;
    }
    return cmd_mends(channel->config, CMD_MEND_TRANSACTIONS) ? access->address >> channel->offset_bits
        : access->address;
}

/* ---- requests that arrive */
static void forward(struct cmd_channel *channel, struct cmd_request *request)
{
    struct cmd_request **place = channel->pending_end;

    request->arrive = channel->clk;
    request->depart = channel->clk + 1;
    if (cmd_mends(channel->config, CMD_MEND_FORWARD_ORDER))
        for (place = &channel->pending; *place && (*place)->depart <= request->depart; place = &(*place)->next)
            ;
    request->next = *place;
    *place = request;
    if (!request->next)
        channel->pending_end = &request->next;
    channel->stats.num_read_reqs++;
    channel->stats.num_read_reqs_forwarded++;
}

static void begin_waiting(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request)
{
    bool const is_read = request->kind == CMD_READ;

    request->arrive = channel->clk;
    if (channel->in_flight == 1)
        channel->last_progress = channel->last_served = channel->clk;
    cmd_queue_append(channel, queue, request);
    if (!is_read)
        waiting_add(channel, request->address);
    channel->stats.num_read_reqs += is_read;
    channel->stats.num_write_reqs += !is_read;
}

static void merge(struct cmd_channel *channel, uint64_t token)
{
    channel->stats.num_write_reqs++;
    channel->stats.num_write_reqs_coalesced++;
    if (channel->hooks->completed)
        channel->hooks->completed(channel->hooks->owner, token, CMD_WRITE, (uint64_t)channel->clk,
                                  (uint64_t)channel->clk);
}

/* A request with its vector; NULL: the channel has a fault. */
static struct cmd_request *make_request(struct cmd_channel *channel, const struct cmd_access *access, uint64_t local)
{
    const struct cmd_spec *const spec = channel->spec;
    struct cmd_request *const request = take_request(channel);
    struct fault fault;

    if (!request) {
        cmd_fail(channel, fault_memory("memory", "requests"));
        return NULL;
    }
    request->token = access->token;
    request->kind = (int16_t)access->kind;
    request->source = access->source;
    request->is_counted = false;
    request->depart = -1;
    request->final = access->kind == CMD_READ ? spec->read_command : spec->write_command;
    if (access->vector)
        memcpy(request->vector, access->vector, spec->level_count * sizeof *request->vector);
    if (FAILS(fault, cmd_map(channel, local, request->vector))) {
        cmd_fail(channel, fault);
        cmd_request_free(channel, request);
        return NULL;
    }
    request->vector[0] = (int32_t)channel->number;
    request->bank = cmd_device_bank(spec, request->vector);
    request->row = request->vector[spec->row_level];
    return request;
}

enum cmd_answer cmd_channel_send(struct cmd_channel *channel, const struct cmd_access *access, uint64_t local)
{
    bool const is_read = access->kind == CMD_READ;
    enum cmd_queue_name const queue = is_read ? CMD_QUEUE_READ : CMD_QUEUE_WRITE;
    uint64_t const address = line_of(channel, access);
    bool const meets_write = is_waiting(channel, address);
    struct cmd_request *request;

    if (meets_write && !is_read) {
        merge(channel, access->token);
        return CMD_ACCEPTED;
    }
    if (!meets_write && cmd_is_full(channel, queue)) {
        channel->refused |= 1u << queue;
        return CMD_REFUSED;
    }
    request = make_request(channel, access, local);
    if (!request)
        return CMD_REFUSED;
    request->address = address;
    channel->in_flight++;
    if (meets_write)
        forward(channel, request);
    else
        begin_waiting(channel, queue, request);
    return CMD_ACCEPTED;
}

bool cmd_enqueue_internal(struct cmd_channel *channel, enum cmd_queue_name queue, unsigned final, const int32_t *vector)
{
    struct cmd_request *request;

    if (cmd_is_full(channel, queue))
        return false;
    request = take_request(channel);
    if (!request) {
        cmd_fail(channel, fault_memory("memory", "requests"));
        return false;
    }
    *request = (struct cmd_request){.address = UINT64_MAX, .arrive = -1, .depart = -1, .source = -1,
                                    .kind = CMD_INTERNAL,
                                    .final = (uint16_t)final, .command = (uint16_t)final};
    memcpy(request->vector, vector, channel->spec->level_count * sizeof *vector);
    request->bank = channel->spec->command[final].target_all ? 0 : cmd_device_bank(channel->spec, vector);
    request->row = vector[channel->spec->row_level];
    cmd_queue_append(channel, queue, request);
    return true;
}

bool cmd_priority_send(struct cmd_channel *channel, unsigned final, const int32_t *vector)
{
    bool const is_sent = cmd_enqueue_internal(channel, CMD_QUEUE_PRIORITY, final, vector);

    channel->stats.num_maintenance_reqs += is_sent;
    return is_sent;
}

/* ---- the channel */
/* 4.5: the least number of writes above high * size, and the least that is not below low * size, in single
 * precision. */
static void init_write_mode(struct cmd_channel *channel)
{
    float const size = (float)channel->config->write_queue;
    float const high = channel->config->write_high * size, low = channel->config->write_low * size;

    while ((float)channel->write_on <= high)
        channel->write_on++;
    while ((float)channel->write_off < low)
        channel->write_off++;
}

/* A channel whose requests do not move for so long will not move again: a refresh interval, but no less than some of
 * the device's longest times, and what BlockHammer may hold up. */
static int64_t patience_of(const struct cmd_config *config)
{
    enum { LONGEST_TIMES = 4 };
    static const char *const others[] = {"rate", "tCK_ps", "nREFI", "nREFIpb"};
    const struct cmd_spec *const spec = config->spec;
    int64_t const throttled = config->controller == CMD_CONTROLLER_BLOCKHAMMER
        ? (int64_t)cmd_spec_period(spec, config->blockhammer.epoch_ns) : 0;
    int64_t patience = cmd_spec_time(spec, "nREFI");

    for (unsigned i = 0; i < spec->standard->timing_count; i++) {
        bool is_time = true;

        for (size_t other = 0; other < sizeof others / sizeof *others; other++)
            is_time &= strcmp(spec->standard->timing_names[i], others[other]) != 0;
        if (is_time && LONGEST_TIMES * spec->timings[i] > patience)
            patience = LONGEST_TIMES * spec->timings[i];
    }
    return patience + throttled + LONGEST_TIMES * (spec->power.down_exit + spec->power.down_least)
        + LONGEST_TIMES * (spec->power.self_lock + spec->power.self_least);
}

static void init_queues(struct cmd_channel *channel)
{
    const struct cmd_config *const config = channel->config;
    uint32_t const banks = channel->spec->bank_count;
    size_t const capacities[CMD_QUEUES] = {
        [CMD_QUEUE_READ] = config->read_queue, [CMD_QUEUE_WRITE] = config->write_queue,
        [CMD_QUEUE_PRIORITY] = cmd_mends(config, CMD_MEND_LOST_REQUESTS) ? SIZE_MAX : config->priority_queue,
        [CMD_QUEUE_ACTIVE] = banks, [CMD_QUEUE_ACTIVATING] = banks, [CMD_QUEUE_PRAC] = SIZE_MAX
    };

    for (unsigned i = 0; i < CMD_QUEUES; i++)
        channel->queues[i].capacity = capacities[i];
    for (unsigned i = 0; i < channel->spec->command_count; i++) {
        channel->column_bus |= channel->spec->command[i].bus == CMD_BUS_COLUMN ? 1u << i : 0;
        channel->row_bus |= channel->spec->command[i].bus == CMD_BUS_ROW ? 1u << i : 0;
    }
}

static bool take_arrays(struct cmd_channel *channel)
{
    uint32_t const banks = channel->spec->bank_count;
    size_t const places = (size_t)1 << (log2_up(channel->config->write_queue + (uint64_t)banks) + 2);

    channel->waiting_mask = (uint32_t)places - 1;
    channel->waiting = cmd_channel_take(channel, places * sizeof *channel->waiting);
    channel->waiting_count = cmd_channel_take(channel, places * sizeof *channel->waiting_count);
    channel->active_in_bank = cmd_channel_take(channel, banks * sizeof *channel->active_in_bank);
    channel->earliest_hit = cmd_channel_take(channel, banks * sizeof *channel->earliest_hit);
    channel->rows = cmd_channel_take(channel, banks * sizeof *channel->rows);
    channel->blocked = cmd_channel_take(channel, banks * sizeof *channel->blocked);
    channel->cores = cmd_channel_take(channel, channel->sources * sizeof *channel->cores);
    return channel->waiting && channel->waiting_count && channel->active_in_bank && channel->earliest_hit
        && channel->rows
        && channel->blocked && channel->cores;
}

struct fault cmd_channel_init(struct cmd_channel *channel, const struct cmd_config *config,
                              const struct cmd_hooks *hooks,
                              const struct cmd_controller *controller, uint32_t number, uint32_t sources)
{
    memset(channel, 0, sizeof *channel);
    channel->config = config;
    channel->spec = config->spec;
    channel->hooks = hooks;
    channel->controller = controller;
    channel->number = number;
    channel->sources = sources;
    channel->pending_end = &channel->pending;
    channel->state = 1;
    channel->next_refresh = channel->next_policy = channel->next_power = CMD_NEVER;
    channel->patience = patience_of(config);
    FORWARD(cmd_device_init(&channel->device, config->spec, number));
    if (!take_arrays(channel))
        return fault_memory("memory", "a channel");
    init_queues(channel);
    init_write_mode(channel);
    FORWARD(cmd_map_init(channel));
    FORWARD(cmd_row_policy_init(channel));
    FORWARD(cmd_refresh_init(channel));
    FORWARD(cmd_power_init(channel));
    channel->engine = config->engine ? config->engine : &cmd_plain_engine;
    if (controller->init)
        FORWARD(controller->init(channel));
    return channel->engine->init ? channel->engine->init(channel) : fault_none();
}

void cmd_channel_free(struct cmd_channel *channel)
{
    for (unsigned i = 0; i < CMD_MOST_MITIGATIONS; i++)
        if (channel->mitigation[i] && channel->mitigation_state[i])
            channel->mitigation[i]->free(channel->mitigation_state[i]);
    cmd_blockhammer_free(channel);
    cmd_prac_free(channel);
    cmd_device_free(&channel->device);
    arena_free(&channel->arena);
    memset(channel, 0, sizeof *channel);
}
