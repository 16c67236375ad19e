/* A measurement: all microbenchmarks in rounds, so that a disturbance that lasts hits few rounds of each.
 *
 * A pass is short (PASS_S), so that the scheduler seldom interrupts it, and lies between two measurements of the core's
 * clock by a chain of dependent additions; where they differ, it is dropped. The value is the least that is confirmed
 * (sweep/measure/spread.h). Rounds go on as long as there is time: load beside this core, such as that of a sibling
 * thread, slows it by 70 % in some benchmarks, for seconds, without changing the clock.
 *
 * Use: measurement_begin; measurement_add for each case; measurement_run; then the values; measurement_end.
 * Threads: this one, pinned to a core. Ownership: names are borrowed. Errors: FAULT_INPUT, FAULT_MEMORY. */
#ifndef SWEEP_MEASURE_MEASUREMENT_H
#define SWEEP_MEASURE_MEASUREMENT_H

#include "sweep/measure/host_ticks.h"
#include "sweep/measure/micro_bench.h"
#include "sweep/measure/spread.h"

enum { MEASURED_NAME = 40 };

struct measured {
    char name[MEASURED_NAME];
    struct micro_case what;
    struct passes cycles;                /* of an operation */
    double simulated;                    /* the same of a replay; NAN: not replayed */
    const char *missing;                 /* why there is no value; NULL: there is one */
    unsigned passes, dropped;            /* all that were tried; disturbed ones */
};

struct measurement_options {
    unsigned passes;                     /* of a round */
    unsigned rounds;                     /* that curves need at least */
    double most_s;                       /* for all rounds */
    uint64_t memory_bytes;               /* 0: by the caches and the limits */
    const char *root;                    /* of the system's files; NULL: theirs */
    bool without_counter;                /* as on a host whose counter is not constant */
    /* `part` of the work is done, 0 to 1. True: it ends now. May be NULL. */
    bool (*progress)(void *context, const char *what, double part);
    void *context;
};

struct measurement {
    struct measurement_options options;
    struct measured_host host;
    struct micro_memory memory;
    struct measured *list;
    size_t count, room;
    struct micro_code adds;              /* the clock */
    struct micro_code nothing;           /* what a pass of no work takes */
    struct micro_code many;              /* independent operations: slower while a sibling thread is busy */
    struct passes quiet;                 /* cycles of that loop: of a round the least */
    double round_quiet;
    uint64_t add_count;
    double overhead_ticks;
    struct passes period;                /* ticks of a cycle: of a round the least */
    double round_period;
    unsigned rounds_done;
    unsigned core;                       /* that it runs on */
    bool is_pinned, is_interrupted;
    double start_s;
};

/* For a command that takes about `seconds` with its replays. */
struct measurement_options measurement_usual(double seconds);
struct fault measurement_begin(struct measurement *measurement, const struct measurement_options *options);
void measurement_end(struct measurement *measurement);
/* NULL: out of memory. It moves with the next one. */
struct measured *measurement_add(struct measurement *measurement, const struct micro_case *what,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Those from number `first` on, in as many rounds, and in more as long as that takes no longer than `most_s`. */
struct fault measurement_run(struct measurement *measurement, size_t first, unsigned rounds, double most_s);
/* NULL: no benchmark has that name. */
struct measured *measurement_find(const struct measurement *measurement, const char *name);
/* NAN: there is no value. */
double measurement_value(const struct measurement *measurement, const char *name);
/* The value as far as it does not depend on a sibling thread: the value itself, if it is below `height`; above that
 * only what passes took while no sibling was busy. NAN: not known. */
double measured_quiet(const struct measurement *measurement, const struct measured *measured, double height);
double measurement_clock_hz(const struct measurement *measurement);

#endif
