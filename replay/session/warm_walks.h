/* The warm-up of a run as walks without time over its programs, each on the core that it will begin on, and what is
 * said of programs that are too short. */
#ifndef REPLAY_SESSION_WARM_WALKS_H
#define REPLAY_SESSION_WARM_WALKS_H

#include "replay/source/workload.h"
#include "replay/system/thread_sides.h"

struct vm_memory;

/* All borrowed. Programs have one thread, and are no more than cores. */
struct warm_walks {
    struct system *system;               /* before its first event */
    const struct workload *workload;
    const struct insn_threads *run;      /* of the workload's traces, which begin behind the walks */
    struct vm_memory *spaces;
    uint64_t instructions;               /* of each program, behind the place where the workload begins */
    bool (*is_interrupted)(void *context);
    void *context;
};

/* Statistics restart behind it. host_s: the time that it took. */
struct fault warm_walks_do(const struct warm_walks *walks, double *host_s, bool *is_interrupted);

/* Warns of cores whose programs ended before they had retired `wanted` instructions; 0: none was asked for. */
void warm_walks_warn_of_short(const struct system *system, uint64_t wanted, const struct warn_sink *warn);

#endif
