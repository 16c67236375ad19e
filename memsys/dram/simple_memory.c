/* Modelled: classic-memory 7. Not modelled: latency_var.
 *
 * Two independent halves. Requests: accepted one at a time; the memory is busy for size / bandwidth, and senders
 * refused meanwhile get one retry when that time is over. Responses: a list that is nearly sorted by tick. The dequeue
 * event sends its first element; a new element is never put before the first one, even if it is due earlier. */
#include "memsys/dram/simple_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/dram/geometry.h"
#include "memsys/dram/memory_params.h"

#define FIRST_CAPACITY 64

static void simple_memory_release(void *owner)
{
    struct simple_memory *const memory = owner;

    memory->is_busy = false;
    if (memory->request_retry_owed) {
        memory->request_retry_owed = false;
        memory->above.ops->recv_request_retry(memory->above.self, memory->above.port);
    }
}

static void send_first(void *owner)
{
    struct simple_memory *const memory = owner;
    struct packet *const packet = memory->responses[0].packet;

    memory->waiting_for_response_retry = !memory->above.ops->recv_response(memory->above.self, packet,
                                                                           memory->above.port);
    if (memory->waiting_for_response_retry)
        return;
    memory->response_count--;
    memmove(memory->responses, memory->responses + 1, memory->response_count * sizeof *memory->responses);
    if (memory->response_count > 0)
        event_reschedule(&memory->sim->events, &memory->dequeue_event,
                         max_u64(memory->responses[0].when_ps, sim_now_ps(memory->sim)));
}

/* A crossbar that keeps refusing lets the list grow; it never shrinks. */
static void simple_memory_grow(struct simple_memory *memory)
{
    if (!list_grow(&memory->responses, memory->response_capacity + 1, &memory->response_capacity,
                   sizeof *memory->responses))
        sim_out_of_memory(memory->sim);
}

static void queue_response(struct simple_memory *memory, struct packet *packet, uint64_t when_ps)
{
    struct simple_response *const responses = memory->responses;
    size_t place = memory->response_count;

    while (place > 1 && when_ps < responses[place - 1].when_ps
           && responses[place - 1].packet->address != packet->address) {
        responses[place] = responses[place - 1];
        place--;
    }
    responses[place] = (struct simple_response){when_ps, packet};
    memory->response_count++;
    if (!memory->waiting_for_response_retry && !memory->dequeue_event.scheduled)
        event_schedule(&memory->sim->events, &memory->dequeue_event, responses[memory->response_count - 1].when_ps);
}

static bool simple_memory_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct simple_memory *const memory = self;
    uint64_t const now_ps = sim_now_ps(memory->sim);
    uint64_t const delay_ps = (uint64_t)packet->header_delay_ps + packet->payload_delay_ps;

    (void)port;
    if (memory->request_retry_owed)
        return false;
    if (memory->is_busy) {
        memory->request_retry_owed = true;
        return false;
    }
    if (memory->response_count == memory->response_capacity)
        simple_memory_grow(memory);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    if (packet->size_bytes * memory->ps_per_byte > 0) {
        event_schedule(&memory->sim->events, &memory->release_event,
                       now_ps + packet->size_bytes * memory->ps_per_byte);
        memory->is_busy = true;
    }
    sim_accepted(memory->sim, memory->name, packet, packet->address);
    memory_traffic_count(memory->traffic, packet);
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_make_response(packet);
        queue_response(memory, packet, now_ps + delay_ps + memory->latency_ps);
        above_response_bound(&memory->above, packet, now_ps + delay_ps + memory->latency_ps);
    } else {
        packet_give(memory->sim->packets, packet);
    }
    return true;
}

static void simple_memory_recv_response_retry(void *self, unsigned port)
{
    (void)port;
    send_first(self);
}

struct below simple_memory_port(struct simple_memory *memory)
{
    static const struct below_ops ops = {.recv_request = simple_memory_recv_request,
        .recv_response_retry = simple_memory_recv_response_retry};

    return (struct below){.ops = &ops, .self = memory};
}

struct fault simple_memory_init(struct simple_memory *memory, struct sim *sim, const char *name,
                                const struct memory_params *params)
{
    struct memory_params one_channel = *params;

    one_channel.channels = 1;
    *memory = (struct simple_memory){.sim = sim, .name = name, .latency_ps = params->latency_ps};
    event_init(&memory->release_event, simple_memory_release, memory, EVENT_DEFAULT);
    event_init(&memory->dequeue_event, send_first, memory, EVENT_DEFAULT);
    FORWARD(address_range_init(&memory->range, &one_channel, 0));
    memory->ps_per_byte = (uint64_t)(1e12 / (double)params->bandwidth_bytes_per_s + 0.5);
    memory->response_capacity = FIRST_CAPACITY;
    memory->responses = malloc(FIRST_CAPACITY * sizeof *memory->responses);
    if (!memory->responses)
        return fault_make(FAULT_MEMORY, "out of memory for the memory's responses");
    return event_queue_reserve(&sim->events, 2);
}

void simple_memory_free(struct simple_memory *memory)
{
    for (size_t i = 0; i < memory->response_count; i++)
        packet_give(memory->sim->packets, memory->responses[i].packet);
    free(memory->responses);
    memory->responses = NULL;
    memory->response_count = 0;
}

void simple_memory_reset_stats(struct simple_memory *memory)
{
    memset(memory->traffic, 0, sizeof memory->traffic);
}

bool simple_memory_describe(const struct simple_memory *memory, uint64_t address, char *text, size_t size)
{
    for (size_t i = 0; i < memory->response_count; i++)
        if (sim_line_address(memory->sim, memory->responses[i].packet->address ^ address) == 0) {
            snprintf(text, size, "%s: its answer is ready at %" PRIu64 " ps and %s", memory->name,
                     memory->responses[i].when_ps,
                     memory->waiting_for_response_retry ? "waits for the bus above" : "not yet due");
            return true;
        }
    snprintf(text, size, "%s: not here", memory->name);
    return false;
}
