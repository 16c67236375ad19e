/* The SRAMs of a system: caches with MSHRs, write buffers and tables of prefetchers, TLBs, queues, registers and
 * predictors of cores; each with its area, leakage, energy of an access and access time (sram.h).
 *
 * Sizes are the configuration's. What it does not say is a row of system_cost.c: bits of an entry.
 * Not covered: logic, wires between components, what notes_of names.
 * Use: system_cost_make on a finished system; no ownership. */
#ifndef REPLAY_COST_SYSTEM_COST_H
#define REPLAY_COST_SYSTEM_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/config/config_limits.h"
#include "replay/config/technologies.h"
#include "replay/cost/sram.h"

struct system_config;

/* What is read and written when: K(suffix, name, of what) */
#define COST_KINDS(K)                                                                                                 \
    K(CACHE, cache, "tags and data")                                                                                  \
    K(MSHRS, mshrs, "MSHRs with their targets")                                                                       \
    K(WRITES, write_buffers, "write buffers")                                                                         \
    K(PREFETCHER, prefetcher, "tables of a prefetcher")                                                               \
    K(TLB_I, tlb_fetch, "L1 TLB of fetch")                                                                            \
    K(TLB_D, tlb_data, "L1 TLB of data")                                                                              \
    K(TLB_2, tlb_second, "L2 TLB")                                                                                    \
    K(WALKS, walk_caches, "caches of page walks")                                                                     \
    K(QUEUE, queue, "of each micro-op")                                                                               \
    K(LOADS, loads, "of each load")                                                                                   \
    K(STORES, stores, "of each store")                                                                                \
    K(PREDICTOR, predictor, "of each branch")
#define COST_KIND_VALUE(suffix, name, what) COST_##suffix,
enum cost_kind { COST_KINDS(COST_KIND_VALUE) COST_KIND_COUNT };
#undef COST_KIND_VALUE

enum { COST_MOST = 8 * (CONFIG_MAX_CACHES + 1) + 40, COST_NAME = 48, COST_MOST_NOTES = 8 };

struct cost_component {
    char name[COST_NAME];                /* "l1d", "l1d.mshrs", "cpu.rob" */
    enum cost_kind kind;
    unsigned cache;                      /* index in the configuration, of a cache and what belongs to it */
    unsigned instances;
    double bytes;                        /* of one instance, as all that follows; without check bits */
    struct sram_cost cost;
    double fill_pj;                      /* cache: a whole line written */
    uint64_t latency_ps;                 /* that the system gives it; 0: none */
    unsigned latency_cyc;
};

struct system_cost {
    const struct technology_node *node;
    struct cost_component list[COST_MOST];
    size_t count;
    double area_mm2, leakage_mw;         /* of all instances */
    const char *notes[COST_MOST_NOTES];  /* parts of this system that are not covered */
    size_t note_count;
};

/* technology: not TECHNOLOGY_NONE. */
void system_cost_make(struct system_cost *cost, const struct system_config *config, enum technology technology);
/* Is it accessed in less time than it needs? */
bool cost_is_doubtful(const struct cost_component *component);

#endif
