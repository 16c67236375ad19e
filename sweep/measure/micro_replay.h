/* A microbenchmark replayed on a detailed core: its trace is made by walking through its code, so no capture is needed.
 *
 * Use: micro_trace_write once for each case; micro_replay for each system; the file is the caller's to remove.
 * A trace has a part that warms caches and predictors up, and a part of as many operations. Addresses in it do not
 * depend on where the host has put the memory. Reads by several cores are the same trace on each core, in address
 * spaces of their own. Errors: those of files and of sessions. */
#ifndef SWEEP_MEASURE_MICRO_REPLAY_H
#define SWEEP_MEASURE_MICRO_REPLAY_H

#include "sweep/measure/micro_bench.h"

struct system_config;

enum { MICRO_MOST_CORES = 16, MICRO_REFILL_BYTES = 6 << 20 };

struct micro_trace {
    const char *path;
    unsigned cores;                      /* that replay it at once */
    uint64_t warm_instructions;
    double operations;                   /* behind them, of one core */
};

/* path: borrowed. Footprints of up to `refill_bytes` are read once before, usually MICRO_REFILL_BYTES; others begin
 * cold, which is what they are where a ring is larger than all caches. */
struct fault micro_trace_write(struct micro_trace *trace, const char *path, const struct micro_case *what,
                               struct micro_memory *memory, uint64_t refill_bytes);
/* Cycles of an operation. config: finished, of as many detailed cores as the trace wants. */
struct fault micro_replay(const struct micro_trace *trace, const struct system_config *config, double *cycles);

#endif
