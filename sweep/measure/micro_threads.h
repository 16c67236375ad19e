/* What needs several cores: reads by all of them at once, and a line that two of them hand to each other.
 *
 * Windows of time are short, since on a busy host all threads run at once only for moments; each window gives a value.
 * Use: micro_threads_read, micro_threads_hand; `take` gets each window's ticks for an operation.
 * Threads: their own, pinned to `cores`, ended before the functions return; the caller's is the first.
 * Errors: FAULT_MEMORY, where a thread cannot be made. */
#ifndef SWEEP_MEASURE_MICRO_THREADS_H
#define SWEEP_MEASURE_MICRO_THREADS_H

#include "sweep/measure/host_ticks.h"
#include "sweep/measure/micro_bench.h"

typedef void micro_threads_take(void *context, double ticks);

/* An operation: 256 bytes of memory behind all caches, by any of the cores. */
struct fault micro_threads_read(struct micro_memory *memory, const struct measured_host *host, unsigned core_count,
                                unsigned windows, micro_threads_take *take, void *context);
/* An operation: a line that one core has written is seen by the other. */
struct fault micro_threads_hand(const struct measured_host *host, unsigned windows, micro_threads_take *take,
                                void *context);

#endif
