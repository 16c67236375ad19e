/* What a component does between two samples, in the figures that people look for, whatever its kind: how full, how much
 * it moves, how much of its peak that is, how often it hits. Made from the fields of its layout by their names
 * (replay/record/telemetry_memory.h, replay/record/telemetry_system.h).
 *
 * Use: figures_of for numbers; figures_field for one field of a sample as people write it ("9.8 GB/s of 12.8 GB/s");
 * figures_bytes_rate and its like for one number with its unit. Figures that a component does not have, or that nothing
 * happened for, are NaN, and "-" as text.
 * A memory's are those of its channels together, a GPU's those of its SMs, the system's those of all its memories. */
#ifndef VIZ_STATE_FIGURES_H
#define VIZ_STATE_FIGURES_H

#include <stddef.h>

#include "memsys/telemetry/telemetry.h"

struct component_figures {
    double occupancy;                    /* share of the fullest of its queues: MSHRs, ROB, buffers; 0 to 1 */
    const char *fullest;                 /* name of that queue */
    double read_rate, write_rate;        /* bytes a second */
    double rate;                         /* of both; of a bus, which knows no direction, this alone */
    double peak_rate;                    /* bytes a second that are possible */
    double busy;                         /* share of the peak; of a bus, of the time of its busiest way; of cores and
                                            SMs, of the cycles in which they work; 0 to 1 */
    double hit_rate;                     /* of demand accesses, of row hits for DRAM, of L1 reads for a GPU; 0 to 1 */
    double latency_ps;                   /* mean: of loads of a core (off by at most 6 %), of misses of a cache, of
                                            reads of DRAM and of a GPU */
};

/* `before` may be NULL: since the statistics began. */
struct component_figures figures_of(const struct telemetry *layout, uint32_t component, const uint64_t *before,
                          const uint64_t *words);
/* The same of all components, figures[component_count], in little more than one walk. */
void figures_of_all(const struct telemetry *layout, const uint64_t *before, const uint64_t *words,
                    struct component_figures *figures);
/* Bytes a second over a link, and the share of its peak (NaN: unknown). */
double figures_link_rate(const struct telemetry *layout, const struct telemetry_link *link, const uint64_t *before,
                         const uint64_t *words, double *share);

/* "12.8 GB/s", "1.53 us", "87.2 %", "12 of 20": three digits that count, SI prefixes. */
void figures_bytes_rate(char *text, size_t room, double bytes_per_second);
void figures_time(char *text, size_t room, double ps);
void figures_percent(char *text, size_t room, double share);
void figures_count(char *text, size_t room, double count);
/* A field's value between two samples, with its unit; elements one by one. */
void figures_field(char *text, size_t room, const struct telemetry_field *field, uint32_t element,
                   const uint64_t *before, const uint64_t *words);

#endif
