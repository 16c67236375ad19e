/* Modelled: a source of requests right at the ports of the memories. Not modelled: anything above them.
 *
 * One event paces the open loop. Everything else is done in answers and retries: each frees a place, and pump() fills
 * all that are free. A request that its memory refuses waits in the queue of that port. */
#include "replay/traffic/traffic.h"

#include <stdlib.h>

#include "replay/traffic/traffic_memory.h"

/* Events without an answer, while one is owed, that no memory needs. */
#define STALL_EVENTS 1000000

struct traffic_queue {
    struct traffic *traffic;
    struct packet *first, *last;     /* refused, and those behind; by packet->next */
};

struct traffic {
    struct traffic_memory *memory;
    struct traffic_load load;
    struct traffic_source source;
    struct traffic_result *result;
    struct traffic_queue *queues;    /* one for each port */
    struct event due_event;
    double interval_ps;
    struct request request;          /* of the packet sent last; `sequence` is the tick at which it was due */
    uint64_t request_bytes;
    uint64_t sent, done, under_way;
    uint64_t start_ps;               /* of the measurement */
    uint64_t done_ps;                /* when the last one was done */
    uint64_t wait_ps;
    uint64_t progress_events;        /* executed when the last request was done */
    bool has_first_read;
    struct fault fault;              /* the reason why the run ended */
};

static uint64_t traffic_now_of(const struct traffic *traffic)
{
    return sim_now_ps(&traffic->memory->sim);
}

static bool is_open(const struct traffic *traffic)
{
    return traffic->interval_ps > 0 || traffic->load.keeps_times;
}

static uint64_t due_ps(const struct traffic *traffic)
{
    const struct traffic_trace *const trace = traffic->load.pattern.trace;

    if (traffic->load.keeps_times && trace->is_after_answers)
        return traffic->done_ps + trace->times_ps[traffic->sent % trace->count];
    if (traffic->load.keeps_times)
        return traffic->sent / trace->count * trace->times_ps[trace->count - 1]
            + trace->times_ps[traffic->sent % trace->count];
    return (uint64_t)((double)traffic->sent * traffic->interval_ps + 0.5);
}

/* A request is done; the last one of the warm-up begins the measurement. */
static void count_done(struct traffic *traffic)
{
    struct traffic_result *const result = traffic->result;

    traffic->under_way--;
    traffic->done++;
    traffic->done_ps = traffic_now_of(traffic);
    traffic->progress_events = event_queue_executed(&traffic->memory->sim.events);
    if (traffic->done == traffic->load.warmup) {
        traffic->start_ps = traffic_now_of(traffic);
        traffic->wait_ps = 0;
        result->reads = result->writes = result->held = 0;
        latency_histogram_reset(&result->latency);
        latency_histogram_reset(&result->write_latency);
        if (traffic->load.detail)
            traffic_detail_reset(traffic->load.detail, traffic_now_of(traffic));
    }
    if (traffic->done == traffic->load.requests)
        event_queue_stop(&traffic->memory->sim.events);
}

static void count_accepted(struct traffic *traffic, uint64_t when_due_ps, bool is_write)
{
    uint64_t const wait_ps = traffic_now_of(traffic) - when_due_ps;

    traffic->wait_ps += wait_ps;
    traffic->result->held += wait_ps > 0;
    if (!is_write)
        return;
    traffic->result->writes++;
    latency_histogram_add(&traffic->result->write_latency, wait_ps);
    if (traffic->load.detail)
        traffic_detail_done(traffic->load.detail, traffic_now_of(traffic), TRAFFIC_WRITE, wait_ps);
    count_done(traffic);
}

static bool traffic_offer(struct traffic *traffic, unsigned port, struct packet *packet)
{
    struct below const *const below = &traffic->memory->ports[port].below;
    uint64_t const when_due_ps = packet->request.sequence;
    bool const is_write = packet->command == CMD_WritebackDirty;

    if (!below->ops->recv_request(below->self, packet, below->port))
        return false;
    count_accepted(traffic, when_due_ps, is_write);
    return true;
}

static void send_next(struct traffic *traffic)
{
    struct traffic_memory *const memory = traffic->memory;
    struct traffic_place const place = traffic_source_next(&traffic->source);
    bool const is_trace = traffic->load.pattern.kind == TRAFFIC_TRACE;
    uint64_t const address = is_trace ? place.offset : traffic_memory_address(memory, place.offset);
    unsigned const port = traffic_memory_port_of(memory, address);
    struct traffic_queue *const queue = &traffic->queues[port];
    struct packet *packet;

    traffic->request.address = address;
    traffic->request.sequence = is_open(traffic) ? due_ps(traffic) : traffic_now_of(traffic);
    packet = packet_take(memory->sim.packets, &traffic->request, place.is_write ? CMD_WritebackDirty : CMD_ReadReq);
    packet->next = NULL;
    traffic->sent++;
    if (traffic->under_way++ == 0)       /* what was executed meanwhile was refreshes */
        traffic->progress_events = event_queue_executed(&memory->sim.events);
    if (queue->first) {
        queue->last->next = packet;
        queue->last = packet;
    } else if (!traffic_offer(traffic, port, packet)) {
        queue->first = queue->last = packet;
    }
}

/* Sends the requests that may be sent now. */
static void pump(struct traffic *traffic)
{
    while (traffic->under_way < traffic->load.outstanding && traffic->sent < traffic->load.requests) {
        if (is_open(traffic) && due_ps(traffic) > traffic_now_of(traffic)) {
            if (!traffic->due_event.scheduled)
                event_schedule(&traffic->memory->sim.events, &traffic->due_event, due_ps(traffic));
            return;
        }
        send_next(traffic);
    }
}

static void on_due(void *owner)
{
    pump(owner);
}

/* ---- the sides of the memories' ports */

static bool traffic_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct traffic *const traffic = self;
    uint64_t const latency_ps = traffic_now_of(traffic) - packet->request.sequence;

    (void)port;
    if (!traffic->has_first_read) {
        traffic->has_first_read = true;
        traffic->result->first_read_ps = latency_ps;
    }
    traffic->result->reads++;
    latency_histogram_add(&traffic->result->latency, latency_ps);
    if (traffic->load.detail)
        traffic_detail_done(traffic->load.detail, traffic_now_of(traffic), TRAFFIC_READ, latency_ps);
    packet_give(traffic->memory->sim.packets, packet);
    count_done(traffic);
    pump(traffic);
    return true;
}

static void traffic_recv_request_retry(void *self, unsigned port)
{
    struct traffic *const traffic = self;
    struct traffic_queue *const queue = &traffic->queues[port];

    while (queue->first) {
        struct packet *const packet = queue->first;
        struct packet *const next = packet->next;

        if (!traffic_offer(traffic, port, packet))
            break;
        queue->first = next;
    }
    pump(traffic);
}

static void connect(struct traffic *traffic)
{
    static const struct above_ops ops = {.recv_response = traffic_recv_response,
        .recv_request_retry = traffic_recv_request_retry};

    for (unsigned i = 0; i < traffic->memory->port_count; i++)
        *traffic->memory->ports[i].above = (struct above){.ops = &ops, .self = traffic, .port = i};
}

/* ---- the run */

static void count_rows(struct traffic *traffic)
{
    for (unsigned i = 0; i < traffic->memory->port_count; i++) {
        const struct mem_ctrl *const controller = traffic->memory->ports[i].controller;
        struct cmd_ctrl *const command = traffic->memory->ports[i].command;

        if (command) {
            cmd_ctrl_settle_stats(command);
            traffic->result->bursts += command->stats.device.row_hits + command->stats.device.row_misses
                                       + command->stats.device.row_conflicts;
            traffic->result->row_hits += command->stats.device.row_hits;
        }

        for (uint32_t c = 0; controller && c < controller->channel_count; c++) {
            const struct dram_stats *const stats = &controller->channels[c].stats;

            traffic->result->bursts += stats->read_bursts + stats->write_bursts;
            traffic->result->row_hits += stats->read_row_hits + stats->write_row_hits;
        }
    }
}

static void conclude(struct traffic *traffic)
{
    struct traffic_result *const result = traffic->result;
    uint64_t const measured = traffic->load.requests - traffic->load.warmup;

    result->end_ps = traffic_now_of(traffic);
    result->time_ps = result->end_ps - traffic->start_ps;
    if (result->time_ps > 0)
        result->bytes_per_s = (double)measured * (double)traffic->request_bytes * 1e12
                              / (double)result->time_ps;
    result->held_ps = (double)traffic->wait_ps / (double)measured;
    result->events = event_queue_executed(&traffic->memory->sim.events);
    count_rows(traffic);
}

static void watch(struct traffic *traffic)
{
    struct traffic_memory *const memory = traffic->memory;
    const struct traffic_load *const load = &traffic->load;

    if (load->detail) {
        traffic_detail_watch(load->detail, memory, load->commands, load->device_commands);
        return;
    }
    for (unsigned i = 0; load->commands && i < memory->port_count; i++)
        if (memory->ports[i].controller)
            mem_ctrl_watch(memory->ports[i].controller, load->commands);
    for (unsigned i = 0; load->device_commands && i < memory->port_count; i++)
        if (memory->ports[i].command)
            cmd_ctrl_watch(memory->ports[i].command, load->device_commands);
}

/* After the last request is done: writes that the controllers still owe the DRAM. */
static void finish_writes(struct traffic *traffic)
{
    struct traffic_memory *const memory = traffic->memory;
    struct event_queue *const events = &memory->sim.events;
    uint64_t waiting = traffic_memory_waiting(memory), since = event_queue_executed(events);

    events->stopped = false;
    traffic_memory_drain(memory);
    while (waiting > 0 && event_queue_next_ps(events) != TICK_NEVER) {
        uint64_t const before = waiting;

        event_queue_run(events, event_queue_next_ps(events), STALL_EVENTS);
        waiting = traffic_memory_waiting(memory);
        if (waiting < before)
            since = event_queue_executed(events);
        if (event_queue_executed(events) - since <= STALL_EVENTS)
            continue;
        traffic->fault = fault_make(FAULT_STALL, "the memory is stuck at tick %llu: %llu accesses wait in its "
                                    "controllers, and none was issued for a million events",
                                    (unsigned long long)traffic_now_of(traffic), (unsigned long long)waiting);
        return;
    }
    traffic->result->end_ps = traffic->load.detail->drained_ps = traffic_now_of(traffic);
    traffic_detail_count(traffic->load.detail, memory);
}

static void traffic_run_part(void *context)
{
    struct traffic *const traffic = context;
    struct event_queue *const events = &traffic->memory->sim.events;

    watch(traffic);
    traffic_memory_startup(traffic->memory);
    event_schedule(events, &traffic->due_event, 0);
    while (!events->stopped && event_queue_next_ps(events) != TICK_NEVER) {
        uint64_t const since = event_queue_executed(events) - traffic->progress_events;

        event_queue_run(events, TICK_NEVER - 1, since <= STALL_EVENTS ? STALL_EVENTS + 1 - since : 1);
        if (event_queue_executed(events) - traffic->progress_events > STALL_EVENTS && traffic->under_way > 0) {
            traffic->fault = fault_make(FAULT_STALL, "the memory is stuck at tick %llu: %llu requests are under way, "
                                        "and none was answered for a million events",
                                        (unsigned long long)traffic_now_of(traffic),
                                            (unsigned long long)traffic->under_way);
            return;
        }
    }
    conclude(traffic);
    if (traffic->load.detail)
        finish_writes(traffic);
}

static struct fault traffic_prepare(struct traffic *traffic)
{
    struct traffic_memory *const memory = traffic->memory;

    traffic->queues = calloc(memory->port_count, sizeof *traffic->queues);
    if (!traffic->queues)
        return fault_make(FAULT_MEMORY, "out of memory for the queues of %u channels", memory->port_count);
    traffic->request_bytes = traffic->load.pattern.trace && traffic->load.pattern.trace->access_bytes > 0
        ? traffic->load.pattern.trace->access_bytes : memory->sim.line_bytes;
    if (traffic->load.rate_bytes_per_s > 0)
        traffic->interval_ps = 1e12 * (double)traffic->request_bytes / traffic->load.rate_bytes_per_s;
    traffic->request = (struct request){.size_bytes = (uint32_t)traffic->request_bytes,
                                        .requestor = sim_add_requestor(&memory->sim, "traffic")};
    event_init(&traffic->due_event, on_due, traffic, EVENT_DEFAULT);
    FORWARD(event_queue_reserve(&memory->sim.events, 1));
    connect(traffic);
    if (traffic->load.detail)
        FORWARD(traffic_detail_make(traffic->load.detail, memory));
    return traffic_source_init(&traffic->source, &traffic->load.pattern);
}

bool traffic_is_saturated(const struct traffic_result *result)
{
    return result->offered_bytes_per_s > 0 && result->held > 0
        && result->bytes_per_s < 0.98 * result->offered_bytes_per_s;
}

struct fault traffic_run(const struct system_config *config, const struct traffic_load *load,
                         struct traffic_result *result)
{
    struct traffic traffic = {.load = *load, .result = result};
    struct fault fault;

    *result = (struct traffic_result){.offered_bytes_per_s = load->rate_bytes_per_s};
    traffic.memory = traffic_memory_create(config, &fault);
    if (!traffic.memory)
        return fault;
    fault = traffic_prepare(&traffic);
    if (fault.kind == FAULT_NONE)
        fault = sim_execute(&traffic.memory->sim, traffic_run_part, &traffic);
    if (fault.kind == FAULT_NONE)
        fault = traffic.fault;
    free(traffic.queues);
    traffic_memory_destroy(traffic.memory);
    return fault;
}
