/* A microbenchmark replayed on a detailed core: its trace is made by walking through its code, so no capture is needed.
 *
 * Use: micro_trace_write once for each case; micro_replay for each system; the file is the caller's to remove.
 * A trace has a part that warms caches and predictors up, and a part of as many operations. Addresses in it do not
 * depend on where the host has put the memory. Errors: those of files and of sessions. */
#ifndef SWEEP_MEASURE_MICRO_REPLAY_H
#define SWEEP_MEASURE_MICRO_REPLAY_H

#include "sweep/measure/micro_bench.h"

struct system_config;

struct micro_trace {
    const char *path;
    uint64_t warm_instructions;
    double operations;                   /* behind them */
};

/* path: borrowed. */
struct fault micro_trace_write(struct micro_trace *trace, const char *path, const struct micro_case *what,
                               struct micro_memory *memory);
/* Cycles of an operation. config: finished, of one detailed core. */
struct fault micro_replay(const struct micro_trace *trace, const struct system_config *config, double *cycles);

#endif
