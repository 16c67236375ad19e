/* The ring comes zeroed from the host, so that only slots that are used cost time: a page that is written first by the
 * run costs the run, so the view asks for those of the first samples, which come fastest, as soon as there is a ring.
 *
 * The mutex is taken where a thread may have to wait; samples go through a ring without one
 * (memsys/telemetry/telemetry_ring.h). The limit is read without it on the way to each sample. */
#include "replay/session/sample_gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/list.h"
#include "memsys/sim/event.h"

#define USUAL_INTERVAL_PS UINT64_C(1000000)
#define RING_BYTES ((size_t)32 << 20)
#define EARLY_BYTES ((size_t)8 << 20)

enum { MOST_SLOTS = 1024, LEAST_SLOTS = 16, ALIGNMENT = 64, MOST_REQUESTS = 1 << 14 };

void sample_gate_init(struct sample_gate *gate, uint64_t interval_ps)
{
    memset(gate, 0, sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->changed, NULL);
    atomic_store(&gate->interval_ps, interval_ps ? interval_ps : USUAL_INTERVAL_PS);
    gate->is_fixed = interval_ps != 0;
    atomic_store(&gate->until_ps, SAMPLE_GATE_NO_LIMIT);
}

void sample_gate_free(struct sample_gate *gate)
{
    pthread_mutex_destroy(&gate->mutex);
    pthread_cond_destroy(&gate->changed);
    free(gate->allocated);
    free(gate->requests);
}

/* ---- the run */
struct fault sample_gate_begin(struct sample_gate *gate, const struct telemetry *layout)
{
    uint32_t slots = MOST_SLOTS;
    void *memory;
    struct fault fault;

    while (slots > LEAST_SLOTS && telemetry_ring_bytes(layout->word_count, slots, 0) > RING_BYTES)
        slots /= 2;
    gate->memory_bytes = telemetry_ring_bytes(layout->word_count, slots, 0);
    gate->allocated = calloc(1, gate->memory_bytes + ALIGNMENT);
    if (!gate->allocated)
        return fault_make(FAULT_MEMORY, "out of memory for a view");
    memory = (char *)gate->allocated + (ALIGNMENT - (uintptr_t)gate->allocated % ALIGNMENT);
    telemetry_ring_create(&gate->ring, memory, layout->word_count, slots, "", 0);
    fault = telemetry_ring_open(&gate->reader, memory, gate->memory_bytes);
    pthread_mutex_lock(&gate->mutex);
    gate->layout = layout;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
    return fault;
}

static bool may_go(const struct sample_gate *gate, uint64_t now_ps)
{
    return now_ps < atomic_load(&gate->until_ps) || atomic_load(&gate->is_stopped) || atomic_load(&gate->is_let_go);
}

uint64_t sample_gate_due(struct sample_gate *gate, uint64_t now_ps)
{
    uint64_t interval_ps, due_ps, until_ps;

    atomic_store(&gate->hurries, false);
    if (!may_go(gate, now_ps)) {
        pthread_mutex_lock(&gate->mutex);
        gate->is_waiting = true;
        pthread_cond_broadcast(&gate->changed);
        while (!may_go(gate, now_ps))
            pthread_cond_wait(&gate->changed, &gate->mutex);
        gate->is_waiting = false;
        pthread_mutex_unlock(&gate->mutex);
    }
    if (atomic_load(&gate->is_stopped) || atomic_load(&gate->is_let_go))
        return TICK_NEVER - 1;
    interval_ps = sample_gate_interval_ps(gate);
    due_ps = now_ps - now_ps % interval_ps + interval_ps;
    until_ps = atomic_load(&gate->until_ps);
    return until_ps > now_ps && until_ps < due_ps ? until_ps : due_ps;
}

void sample_gate_put(struct sample_gate *gate, const uint64_t *words)
{
    if (atomic_load(&gate->is_let_go))
        return;
    telemetry_ring_put(&gate->ring, words);
    atomic_store(&gate->now_ps, words[TELEMETRY_TIME]);
    if (++gate->samples % SAMPLE_GATE_DOUBLING == 0 && !gate->is_fixed)
        atomic_store(&gate->interval_ps, 2 * sample_gate_interval_ps(gate));
}

void sample_gate_put_request(struct sample_gate *gate, const struct telemetry_request *request)
{
    if (atomic_load(&gate->is_let_go))
        return;
    pthread_mutex_lock(&gate->mutex);
    if (gate->request_place == gate->request_count)
        gate->request_place = gate->request_count = 0;
    if (gate->request_count < MOST_REQUESTS
        && list_fit(&gate->requests, gate->request_count + 1, &gate->request_room, sizeof *gate->requests))
        gate->requests[gate->request_count++] = *request;
    pthread_mutex_unlock(&gate->mutex);
}

void sample_gate_leave(struct sample_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    if (gate->layout)
        telemetry_ring_end(&gate->ring);
    while (gate->layout && !gate->is_copied && !atomic_load(&gate->is_let_go) && !atomic_load(&gate->is_stopped))
        pthread_cond_wait(&gate->changed, &gate->mutex);
    gate->layout = NULL;
    pthread_mutex_unlock(&gate->mutex);
}

void sample_gate_over(struct sample_gate *gate, int exit_code)
{
    pthread_mutex_lock(&gate->mutex);
    gate->is_over = true;
    gate->exit_code = exit_code;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

/* ---- the view */
/* The run may write there meanwhile. Where the host has no such call, or no room, pages come one by one. */
static void ask_for_pages(const struct sample_gate *gate)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t const page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t const begin = ((uintptr_t)gate->allocated + page - 1) / page * page;
    uintptr_t const end = ((uintptr_t)gate->allocated + gate->memory_bytes) / page * page;

    if (begin < end)
        madvise((void *)begin, end - begin < EARLY_BYTES ? end - begin : EARLY_BYTES, MADV_POPULATE_WRITE);
#else
    (void)gate;
#endif
}

struct fault sample_gate_layout(struct sample_gate *gate, struct telemetry_text *copy, bool *is_copied)
{
    struct fault fault;
    const struct telemetry *layout;
    char *text = NULL;

    *is_copied = false;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->layout && !gate->is_over)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    layout = gate->layout;
    pthread_mutex_unlock(&gate->mutex);
    if (!layout)
        return fault_none();
    ask_for_pages(gate);
    fault = telemetry_text_write(layout, sample_gate_interval_ps(gate), &text);
    if (fault.kind == FAULT_NONE)
        fault = telemetry_text_read(copy, text, strlen(text));
    free(text);
    pthread_mutex_lock(&gate->mutex);
    gate->is_copied = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
    *is_copied = fault.kind == FAULT_NONE;
    return fault;
}

void sample_gate_allow(struct sample_gate *gate, uint64_t until_ps)
{
    bool is_sooner;

    pthread_mutex_lock(&gate->mutex);
    is_sooner = until_ps < atomic_load(&gate->until_ps);
    atomic_store(&gate->until_ps, until_ps);
    atomic_store(&gate->hurries, is_sooner);     /* last: the thread that clears it reads the limit afterwards */
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

bool sample_gate_next(struct sample_gate *gate, uint64_t *words)
{
    return telemetry_ring_next(&gate->reader, words);
}

bool sample_gate_next_request(struct sample_gate *gate, struct telemetry_request *request)
{
    bool is_there;

    pthread_mutex_lock(&gate->mutex);
    is_there = gate->request_place < gate->request_count;
    if (is_there)
        *request = gate->requests[gate->request_place++];
    pthread_mutex_unlock(&gate->mutex);
    return is_there;
}

uint64_t sample_gate_lost(const struct sample_gate *gate)
{
    return gate->reader.lost;
}

static bool rests(const struct sample_gate *gate)
{
    return gate->is_over || (gate->is_waiting && atomic_load(&gate->now_ps) >= atomic_load(&gate->until_ps));
}

bool sample_gate_rests(struct sample_gate *gate)
{
    bool is_at_rest;

    pthread_mutex_lock(&gate->mutex);
    is_at_rest = rests(gate);
    pthread_mutex_unlock(&gate->mutex);
    return is_at_rest;
}

void sample_gate_await(struct sample_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    while (!rests(gate))
        pthread_cond_wait(&gate->changed, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}

bool sample_gate_is_over(struct sample_gate *gate, int *exit_code)
{
    bool is_over;

    pthread_mutex_lock(&gate->mutex);
    is_over = gate->is_over;
    *exit_code = gate->exit_code;
    pthread_mutex_unlock(&gate->mutex);
    return is_over;
}

static void set(struct sample_gate *gate, atomic_bool *flag)
{
    pthread_mutex_lock(&gate->mutex);
    atomic_store(flag, true);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

void sample_gate_let_go(struct sample_gate *gate)
{
    set(gate, &gate->is_let_go);
}

void sample_gate_stop(struct sample_gate *gate)
{
    set(gate, &gate->is_stopped);
}
