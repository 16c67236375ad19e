/* Advancing the data side: the contribution of a stretch of time to a core's statistics and sums, independent of its
 * place in time; and letting one that is known pass at once, between two snapshots (snapshot.h).
 *
 * Use: elastic_sums_now at its begin and end, whose difference elastic_sums_since is. Later, from where a stretch
 * begins: elastic_advance_begin, elastic_advance for each stretch, elastic_snapshot_restore if there was one, and
 * elastic_advance_end. In between, states of records are not right. Units: picoseconds. Ownership: plain values. */
#ifndef REPLAY_FAST_ADVANCE_H
#define REPLAY_FAST_ADVANCE_H

#include "replay/elastic/elastic_cpu.h"

struct elastic_sums {
    uint64_t dcache_events, sent, num_ops;
    uint64_t flight_ps[DEP_TYPES], sent_stores_ps;           /* integrals over time: see elastic_sums_now */
    uint64_t cycles[CPI_PART_COUNT];
    uint64_t latency_count, latency_sum;
    uint64_t odd;                    /* not covered by elastic_advance: refusals, split or ordered accesses */
};

/* The cpu's sums of ticks omit records still in flight. Here those count up to now, so that a stretch adds the
 * same whenever it takes place. */
void elastic_sums_now(const struct elastic_cpu *cpu, struct elastic_sums *sums);
/* first_rob_number: micro-ops up to the oldest record that is live at the begin. */
void elastic_sums_since(struct elastic_sums *sums, const struct elastic_sums *before, uint64_t first_rob_number);

struct elastic_stretch {
    const struct elastic_sums *sums;
    uint64_t latency;                /* of all loads that are answered; and their bin */
    unsigned latency_bin;
    uint64_t length;                 /* records that are complete then, and were not before */
    uint64_t first, end;             /* records from the oldest that is live at the begin to that at the end */
};

void elastic_advance_begin(struct elastic_cpu *cpu);
/* The caller advances time, and applies the effects on the L1D. */
void elastic_advance(struct elastic_cpu *cpu, const struct elastic_stretch *stretch);
void elastic_advance_end(struct elastic_cpu *cpu);

#endif
