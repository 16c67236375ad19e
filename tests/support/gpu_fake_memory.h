/* Memory of a fixed latency in the place of memsys/gpu/gpu_memory.c: included by ONE file of a test program, which then
 * links without the real one. It keeps the requests, in order. */
#ifndef TESTS_SUPPORT_GPU_FAKE_MEMORY_H
#define TESTS_SUPPORT_GPU_FAKE_MEMORY_H

#include <assert.h>
#include <stdlib.h>

#include "memsys/gpu/gpu_memory.h"

enum { FAKE_REQUESTS = 65536 };

struct fake_request {
    struct gpu_request request;
    uint64_t sent_ps;
};

/* How the next memories behave, and what the last one saw. */
struct fake_memory {
    uint64_t latency_ps;
    bool is_mute;                        /* never answers */
    uint64_t room_after;                 /* full after each multiple of this count, until an answer; 0: never */
    struct fake_request sent[FAKE_REQUESTS];
    unsigned sent_count, answered;
    uint64_t refused;                    /* SMs whose requests were refused */
    uint64_t copied_bytes;
};

static struct fake_memory fake;

struct gpu_memory {
    struct sim *sim;
    struct gpu_sink sink;
    struct event event;
};

static void fake_answer(void *owner)
{
    struct gpu_memory *const memory = owner;

    while (fake.answered < fake.sent_count &&
           fake.sent[fake.answered].sent_ps + fake.latency_ps <= sim_now_ps(memory->sim)) {
        const struct gpu_request *const request = &fake.sent[fake.answered++].request;

        memory->sink.answer(memory->sink.self, request);
        for (unsigned sm = 0; sm < 64; sm++)
            if (fake.refused >> sm & 1)
                memory->sink.room(memory->sink.self, sm);
        fake.refused = 0;
    }
    if (fake.answered < fake.sent_count && !memory->event.scheduled)
        event_schedule(&memory->sim->events, &memory->event, fake.sent[fake.answered].sent_ps + fake.latency_ps);
}

struct fault gpu_memory_create(struct gpu_memory **made, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct cmd_config *commands,
                               const struct below *dram, const struct gpu_sink *sink)
{
    (void)params, (void)memory, (void)commands, (void)dram;
    *made = calloc(1, sizeof **made);
    assert(*made);
    **made = (struct gpu_memory){.sim = sim, .sink = *sink};
    event_init(&(*made)->event, fake_answer, *made, EVENT_DEFAULT);
    fake.sent_count = fake.answered = 0;
    fake.refused = 0;
    fake.copied_bytes = 0;
    return event_queue_reserve(&sim->events, 1);
}

void gpu_memory_destroy(struct gpu_memory *memory)
{
    free(memory);
}

void gpu_memory_startup(struct gpu_memory *memory)
{
    (void)memory;
}

void gpu_memory_settle(struct gpu_memory *memory, uint64_t now_ps)
{
    (void)memory, (void)now_ps;
}

bool gpu_memory_has_room(const struct gpu_memory *memory, unsigned sm)
{
    bool const has_room = fake.room_after == 0 || fake.sent_count - fake.answered < fake.room_after;

    (void)memory;
    if (!has_room)
        fake.refused |= UINT64_C(1) << sm;
    return has_room;
}

void gpu_memory_send(struct gpu_memory *memory, const struct gpu_request *request)
{
    assert(fake.sent_count < FAKE_REQUESTS);
    fake.sent[fake.sent_count++] = (struct fake_request){*request, sim_now_ps(memory->sim)};
    if (!fake.is_mute && !memory->event.scheduled)
        event_schedule(&memory->sim->events, &memory->event, sim_now_ps(memory->sim) + fake.latency_ps);
}

void gpu_memory_copy(struct gpu_memory *memory, uint64_t address, uint64_t bytes)
{
    (void)memory, (void)address;
    fake.copied_bytes += bytes;
}

bool gpu_memory_idle(const struct gpu_memory *memory)
{
    (void)memory;
    return fake.answered == fake.sent_count;
}

uint64_t gpu_memory_l2_latency_ps(const struct gpu_params *params)
{
    (void)params;
    return fake.latency_ps;
}

uint64_t gpu_memory_dram_latency_ps(const struct gpu_params *params, const struct memory_params *memory)
{
    (void)params, (void)memory;
    return fake.latency_ps;
}

#endif
