/* Between a run in one thread and a view in another: samples one way, how far the run may go the other way.
 *
 * The run waits for the view only at the time that the view has set as its limit. Once the view lets it go, it runs
 * without limit.
 *
 * Use: sample_gate_init, then in the run's thread: sample_gate_begin with the frozen layout; sample_gate_put for each
 * sample, at sample_gate_due; sample_gate_leave before the layout goes; sample_gate_over at the end of the run, with
 * its exit code, in any case. In the view's: sample_gate_layout once; then sample_gate_next, sample_gate_allow, ...;
 * sample_gate_let_go or sample_gate_stop, and when the run's thread has ended, sample_gate_free.
 * The time between samples is fixed, or it doubles with each SAMPLE_GATE_DOUBLING samples, so that the same run has the
 * same samples. Units: picoseconds. Ownership: the layout must live until sample_gate_leave returns. */
#ifndef REPLAY_SESSION_SAMPLE_GATE_H
#define REPLAY_SESSION_SAMPLE_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "memsys/telemetry/telemetry_requests.h"
#include "memsys/telemetry/telemetry_ring.h"
#include "replay/record/telemetry_text.h"

/* So few that samples cost a run of some milliseconds less than a hundredth of its time. */
enum { SAMPLE_GATE_DOUBLING = 128 };

#define SAMPLE_GATE_NO_LIMIT UINT64_MAX

struct sample_gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_fixed;
    uint64_t samples;
    _Atomic uint64_t interval_ps;        /* the run's to change */
    /* Under the mutex; atomic where they are looked at without it. */
    _Atomic uint64_t until_ps, now_ps;
    atomic_bool is_stopped, is_let_go, hurries;
    bool is_copied, is_waiting, is_over;
    int exit_code;
    const struct telemetry *layout;
    struct telemetry_ring ring;          /* the run's view of it */
    void *allocated;                     /* the memory of the ring lies in it */
    size_t memory_bytes;
    struct telemetry_ring reader;
    struct telemetry_request *requests;  /* under the mutex: those that the view has not taken yet */
    size_t request_count, request_room, request_place;
};

/* interval_ps 0: the usual one, which doubles. */
void sample_gate_init(struct sample_gate *gate, uint64_t interval_ps);
void sample_gate_free(struct sample_gate *gate);

/* ---- the run */
struct fault sample_gate_begin(struct sample_gate *gate, const struct telemetry *layout);
/* The time of the next sample after now_ps; waits while the run may not continue. */
uint64_t sample_gate_due(struct sample_gate *gate, uint64_t now_ps);
void sample_gate_put(struct sample_gate *gate, const uint64_t *words);
/* A request that was followed; where the view takes none for long, those that find no room are lost. */
void sample_gate_put_request(struct sample_gate *gate, const struct telemetry_request *request);
/* There are no more samples. Waits until the view has looked at the layout, if it has not yet. */
void sample_gate_leave(struct sample_gate *gate);
void sample_gate_over(struct sample_gate *gate, int exit_code);
/* Has there been a layout? */
static inline bool sample_gate_has_begun(const struct sample_gate *gate)
{
    return gate->memory_bytes != 0;
}
/* Has the view asked the run to end at once, without results? */
static inline bool sample_gate_is_stopped(const struct sample_gate *gate)
{
    return atomic_load_explicit(&gate->is_stopped, memory_order_relaxed);
}
/* Between samples, for now. */
static inline uint64_t sample_gate_interval_ps(const struct sample_gate *gate)
{
    return atomic_load_explicit(&gate->interval_ps, memory_order_relaxed);
}
/* A sample is wanted before it is due. */
static inline bool sample_gate_hurries(const struct sample_gate *gate)
{
    return atomic_load_explicit(&gate->hurries, memory_order_relaxed);
}

/* ---- the view */
/* A copy of the layout, as soon as the run has one; *is_copied is false if the run ended before. Faults:
 * FAULT_MEMORY. */
struct fault sample_gate_layout(struct sample_gate *gate, struct telemetry_text *copy, bool *is_copied);
/* The run may go to that time, and waits there. A time that lies behind it lets it wait where it is, as soon as it has
 * taken a sample. */
void sample_gate_allow(struct sample_gate *gate, uint64_t until_ps);
bool sample_gate_next(struct sample_gate *gate, uint64_t *words);
bool sample_gate_next_request(struct sample_gate *gate, struct telemetry_request *request);
uint64_t sample_gate_lost(const struct sample_gate *gate);
/* The run waits at its limit, or is over. */
bool sample_gate_rests(struct sample_gate *gate);
/* Sleeps until then. */
void sample_gate_await(struct sample_gate *gate);
/* Over, with its exit code. All samples are in the ring then. */
bool sample_gate_is_over(struct sample_gate *gate, int *exit_code);
/* The run is alone from now on. */
void sample_gate_let_go(struct sample_gate *gate);
void sample_gate_stop(struct sample_gate *gate);

#endif
