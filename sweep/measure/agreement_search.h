/* The search for keys by replays: cases with their traces, a key's value that agrees, several keys together.
 *
 * An adjusted key is a latency: what lacks in cycles is added to it, and the replay repeated. Chosen keys have lists of
 * values, and those that share microbenchmarks are one group: key after key gets the value with which the replays of
 * all the group's microbenchmarks are nearest, in the mean of the logarithms of their ratios, and again from the first
 * one, until no key changes.
 *
 * Use: agreement_open; adjust and choose, as often as other keys have changed; agreement_settle of all keys, which
 * makes unknown what does not agree; agreement_close.
 * Errors: FAULT_MEMORY; other faults of a trace or a replay are kept in `refused`, and the keys become unknown. */
#ifndef SWEEP_MEASURE_AGREEMENT_SEARCH_H
#define SWEEP_MEASURE_AGREEMENT_SEARCH_H

#include "sweep/measure/agreement.h"
#include "sweep/measure/micro_replay.h"

enum { AGREEMENT_KEYS = 4, AGREEMENT_CASES = 32, AGREEMENT_PATH = 4096 };

#define AGREES 0.10                      /* bound of the mean distance, in logarithms */

struct agreement_key {
    const char *keys[AGREEMENT_KEYS];    /* that have the same value */
    const char *unit;                    /* of an adjusted key: "" cycles, "ns" */
    double from, least, most;            /* of an adjusted key: where it begins, its limits ... */
    double gain;                         /* ... and how much of it one cycle of an operation is */
    const char *const *values;           /* of a chosen key, ends with NULL; NULL: adjusted */
    const char *const *cases;            /* by which it is judged, ends with NULL */
    const char *needs;                   /* without effect as long as this key is "none"; NULL: none such */
    double agrees;                       /* 0: AGREES */
    /* What was found. */
    bool is_found;
    size_t at;                           /* of `values` */
    double value;
    const char *reason;                  /* why it is not found; NULL: not looked for yet */
};

struct agreement {
    struct found_system *system;
    struct measurement *measurement;
    const struct agreement_options *options;
    struct {
        struct measured *measured;
        struct micro_trace trace;
        char path[AGREEMENT_PATH];
    } cases[AGREEMENT_CASES];            /* those with a trace */
    size_t case_count;
    double start_s;
    bool is_interrupted;
    struct fault refused;                /* why replays are impossible */
};

/* NULL: out of memory. */
struct agreement *agreement_open(struct found_system *system, struct measurement *measurement,
                                 const struct agreement_options *options);
void agreement_close(struct agreement *agreement);
bool agreement_has_time(struct agreement *agreement, const char *what);
double agreement_time_left(const struct agreement *agreement);
/* The first value of a chosen key, until others are looked for. */
void agreement_put_first(struct agreement *agreement, struct agreement_key *key);
/* *is_changed becomes true if a value does. */
struct fault agreement_adjust(struct agreement *agreement, struct agreement_key *key, bool *is_changed);
struct fault agreement_choose(struct agreement *agreement, struct agreement_key *const *group, size_t count,
                              bool *is_changed);
/* Comments of all keys, by replays on the system as it is written: without those that do not agree. */
struct fault agreement_settle(struct agreement *agreement, struct agreement_key *const *keys, size_t count);
/* A replay of the case alone on the system as it is: its `simulated`. refill_bytes: as of micro_trace_write. */
struct fault agreement_simulate(struct agreement *agreement, struct measured *measured, uint64_t refill_bytes);

#endif
