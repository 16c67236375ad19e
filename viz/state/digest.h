/* The part of a sample that charts need: sums over all cores, SMs and channels, a few hundred words where a sample of
 * 64 cores has twenty thousand.
 *
 * A digest keeps counting when statistics restart, and holds levels as areas over time. So the mean between any two
 * samples is the difference of their digests divided by the difference of DIGEST_SPAN, even if samples were dropped in
 * between.
 *
 * Use: digest_init with the layout, or digest_init_of for a single core or SM; digest_add for each sample;
 * digest_rate of two of them; digest_free.
 * Units: picoseconds; counters in their own unit, areas in that times picoseconds. Ownership: names are borrowed from
 * the layout, except those of requestors, which the digest owns. Errors: FAULT_MEMORY. */
#ifndef VIZ_STATE_DIGEST_H
#define VIZ_STATE_DIGEST_H

#include "memsys/telemetry/telemetry.h"

/* G(value, the unit of one word) */
#define DIGEST_GROUPS(G)                                                                                              \
    G(SPAN, "time that the counters cover")                                                                           \
    G(BYTES, "bytes read and written by DRAM channels and simple memories")                                           \
    G(LATENCY, "loads of all cores by latency")                                                                       \
    G(CYCLES, "cycles of all cores by what they did")                                                                 \
    G(ROB, "area of each core's reorder buffer")                                                                      \
    G(LOADS, "area of each core's load buffer")                                                                       \
    G(STORES, "area of each core's store buffer")                                                                     \
    G(WARPS, "area of warps of all SMs by state")                                                                     \
    G(STALLS, "cycles, or area, of schedulers of all SMs by why they do not issue")                                   \
    G(GPU_LATENCY, "reads of SMs by latency")                                                                         \
    G(GPU_READS, "reads of SMs that were answered, and the sum of their latencies")                                   \
    G(DRAM_READS, "bursts that channels read, and the sum of their latencies")                                        \
    G(REQUESTORS, "bytes read and written by core, with the prefetchers of its own caches, or other requestor; by SM " \
                  "for a GPU alone")

#define DIGEST_GROUP_VALUE(value, help) DIGEST_##value,
enum digest_group_kind { DIGEST_GROUPS(DIGEST_GROUP_VALUE) DIGEST_GROUP_COUNT };
#undef DIGEST_GROUP_VALUE

struct digest_group {
    uint32_t first, count;               /* words; count 0: no component of the system has it */
    double limit;                        /* of all words together, as the layout says; 0: none */
    const char *const *names;            /* of words; NULL: none */
};

struct digest_source;

struct digest {
    const struct telemetry *layout;
    uint32_t only;                       /* the component whose fields count; TELEMETRY_NONE: all */
    bool has_levels;
    struct digest_group groups[DIGEST_GROUP_COUNT];
    uint32_t word_count;
    struct digest_source *sources;       /* for each word of the digest, the words of a sample to add */
    uint32_t source_count;
    const char **requestors;             /* "cpu0" for cpu0.inst and cpu0.data together */
    uint32_t requestor_count, requestor_room;
    bool are_sms;                        /* those are SMs: of a GPU alone */
    bool lacks_memory;
    double *limits;                      /* of each word; 0: none */
};

struct fault digest_init(struct digest *digest, const struct telemetry *layout);
/* Without the groups that are of no single core or SM: its latency, cycles, buffers, warps, stalls, and its own bytes
 * as a requestor. */
struct fault digest_init_of(struct digest *digest, const struct telemetry *layout, uint32_t component);
void digest_free(struct digest *digest);

/* sums = sums_before + the difference of the two samples. `before` and sums_before NULL: since statistics began. */
void digest_add(const struct digest *digest, const uint64_t *before, const uint64_t *sums_before,
                const uint64_t *words, uint64_t *sums);

/* The increase of a word per picosecond: the average of a level; for counters a second times 1e12. NaN if no time
 * passed. sums_before NULL: since the first sample's statistics began. */
double digest_rate(const uint64_t *sums_before, const uint64_t *sums, uint32_t word);
/* That many percent took at most that long, ps, as telemetry_latency_percentile says; NaN if nothing came. `count`
 * percentages, which rise. */
void digest_percentiles(const struct digest_group *group, const uint64_t *sums_before, const uint64_t *sums,
                        const double *percents, uint32_t count, double *values);

static inline uint64_t digest_delta(const uint64_t *sums_before, const uint64_t *sums, uint32_t word)
{
    return sums[word] - (sums_before ? sums_before[word] : 0);
}

#endif
