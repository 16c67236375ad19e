/* The host's performance counters of one process, in user mode only: perf_event_open. Hosts without them (virtual
 * machines, containers) lack some or all.
 *
 * Use: native_counters_init; as long as native_counters_are_left, in a run of the program: native_counters_open, which
 * takes the next few, while it is stopped; native_counters_start where the region begins, native_counters_stop where it
 * ends; native_counters_close.
 * A value is NAN where the host does not count it. */
#ifndef SWEEP_NATIVE_NATIVE_COUNTERS_H
#define SWEEP_NATIVE_NATIVE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* id, name, perf's type, perf's event, the replay's metric beside it, per 1000 instructions ("": a total), text */
#define NATIVE_TOTALS(C)                                                                                              \
    C(CYCLES, "user_cycles", HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "", "core cycles")                                   \
    C(INSTRUCTIONS, "user_instructions", HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "", "instructions")                    \
    C(STALLS_FRONT, "stalls_front", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "",                              \
      "cycles stalled in the front end")                                                                              \
    C(STALLS_BACK, "stalls_back", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "",                                 \
      "cycles stalled in the back end")                                                                               \
    C(FAULTS, "page_faults", SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "", "page faults")                                  \
    C(SWITCHES, "switches", SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "", "switches to other processes")
#define NATIVE_RATES(C)                                                                                               \
    C(MISPREDICTIONS, "mispredictions", HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch.mpki",                         \
      "mispredicted branches")                                                                                        \
    C(L1I, "l1i_misses", HW_CACHE, NATIVE_READ_MISSES(PERF_COUNT_HW_CACHE_L1I), "l1i.mpki", "misses of the L1I")      \
    C(L1D, "l1d_misses", HW_CACHE, NATIVE_READ_MISSES(PERF_COUNT_HW_CACHE_L1D), "l1d.mpki", "misses of the L1D")      \
    C(L2, "l2_misses", BY_VENDOR, 0, "l2.mpki", "misses of the L2")                                                   \
    C(LLC, "llc_misses", BY_VENDOR, 0, "llc.mpki", "misses of the last level")
#define NATIVE_COUNTERS(C) NATIVE_TOTALS(C) NATIVE_RATES(C)

enum native_counter {
#define NATIVE_COUNTER_ENUM(id, name, type, event, metric, text) NATIVE_##id,
    NATIVE_COUNTERS(NATIVE_COUNTER_ENUM)
#undef NATIVE_COUNTER_ENUM
    NATIVE_COUNTER_COUNT
};

struct native_counter_about {
    const char *name, *metric, *text;
};

extern const struct native_counter_about native_counters_about[NATIVE_COUNTER_COUNT];

struct native_counters {
    double values[NATIVE_COUNTER_COUNT];
    int files[NATIVE_COUNTER_COUNT];     /* -1: not open */
    size_t next, end;                    /* the first that was not tried yet; behind the last that is wanted */
    int error;                           /* of the first hardware counter that could not be opened; 0: none */
};

void native_counters_init(struct native_counters *counters);
/* Opens the next ones; false: all were. */
bool native_counters_open(struct native_counters *counters, pid_t process);
bool native_counters_are_left(const struct native_counters *counters);
void native_counters_start(struct native_counters *counters);
void native_counters_stop(struct native_counters *counters);
void native_counters_close(struct native_counters *counters);
/* Does the host count anything of its core? */
bool native_counters_are_there(const struct native_counters *counters);

#endif
