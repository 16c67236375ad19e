/* The host's clock by what its core does: ticks of a counter that every process reads alike, and how many core cycles
 * and seconds one is. No privilege is needed, so it works where performance counters do not.
 *
 * Use: pin the thread to a core; native_cycles_per_tick before and after what is timed; if the two differ, the core's
 * clock changed in between. native_ticks_per_s between two native_moment far apart.
 * Not known: what the core did while another process, or the hypervisor, had it. */
#ifndef SWEEP_NATIVE_NATIVE_CLOCK_H
#define SWEEP_NATIVE_NATIVE_CLOCK_H

#include <stdint.h>

/* Counter of the core (x86-64: TSC; aarch64: CNTVCT), elsewhere nanoseconds. */
uint64_t native_ticks(void);

/* By a chain of dependent additions, the least of several. */
double native_cycles_per_tick(void);
/* Of eight chains at once: fewer than usual where another thread has a part of the core. */
double native_additions_per_tick(void);

struct native_moment {
    uint64_t ticks;
    double seconds;
};

struct native_moment native_now(void);
double native_ticks_per_s(struct native_moment from, struct native_moment to);

#endif
