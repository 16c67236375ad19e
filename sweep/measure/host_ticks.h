/* The host as far as measurements depend on it: its counter of time, cores, memory that may be used, what it says of
 * itself.
 *
 * Use: measured_host_read once; host_ticks around what is measured.
 * Ownership: plain values. Errors: nothing fails; what is not known is 0 or "". */
#ifndef SWEEP_MEASURE_HOST_TICKS_H
#define SWEEP_MEASURE_HOST_TICKS_H

#include <stdbool.h>
#include <stdint.h>

enum host_counter { HOST_COUNTER_CYCLES, HOST_COUNTER_CLOCK };       /* the processor's; the system's clock, in ns */

enum { HOST_MOST_CORES = 256 };

struct measured_host {
    enum host_counter counter;
    const char *counter_name;            /* "TSC", "cntvct", "clock_gettime" */
    const char *counter_doubt;           /* NULL: it is constant */
    double ticks_per_s;
    unsigned core_count;                 /* that this process may use */
    unsigned cores[HOST_MOST_CORES];     /* their numbers */
    uint64_t free_bytes;                 /* that the process may still take, by any limit */
    const char *free_limit;              /* which limit that is */
    double cpu_share;                    /* cores' time that a control group leaves; 0: no limit */
    uint64_t cache_bytes[3];             /* L1D, L2, L3 as the system says; 0: it does not */
    uint64_t instruction_bytes;          /* L1I */
    unsigned cache_ways[3];
    char model[80];                      /* "" if the host does not say */
    bool is_virtual;                     /* a virtual machine, as far as it says */
    bool has_large_pages;                /* the system gives pages of 2 MiB where asked */
};

/* root: before the names of the system's files; "" but for tests. */
void measured_host_read(struct measured_host *host, const char *root);
/* As on a host whose processor has no constant counter. */
void measured_host_forget_counter(struct measured_host *host);
/* Serialising: instructions before the reading have completed, those behind it have not begun. */
uint64_t host_ticks(enum host_counter counter);
/* False: the system refuses, and the thread stays where it is. */
bool host_pin(unsigned core);

#endif
