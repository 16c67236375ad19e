/* Keys that only the model connects with what is measured: found by replaying microbenchmarks in rubato itself until
 * they take as many cycles as on the host.
 *
 * An adjusted key is a latency: what lacks in cycles is added to it, and the replay repeated. A chosen key has a list
 * of values: the one whose replays are nearest is taken, in the mean of the logarithms of their ratios.
 *
 * Use: agreement_run after found_read; agreement_curves for the simulated side of curves.
 * Errors: FAULT_MEMORY; what cannot be replayed is unknown, with the reason, and is no fault. */
#ifndef SWEEP_MEASURE_AGREEMENT_H
#define SWEEP_MEASURE_AGREEMENT_H

#include "sweep/measure/found_system.h"

struct agreement_options {
    const char *folder;                  /* of temporary traces */
    double most_s;                       /* keys are unknown that it was not for */
    bool (*progress)(void *context, const char *what, double part);      /* as in struct measurement_options */
    void *context;
};

struct fault agreement_run(struct found_system *system, struct measurement *measurement,
                           const struct agreement_options *options);
/* Replays of latencies by footprint, loads in flight, strides, bandwidth by cores and the window, on the system as it
 * is: `simulated` of each, as far as `most_s` goes; those that take seconds come last. */
struct fault agreement_curves(const struct found_system *system, struct measurement *measurement,
                              const struct agreement_options *options);

#endif
