/* The optimal policy as a bound: how many lines a cache must fetch at least, for the accesses that it got in
 * a run.
 *
 * Use: optimal_listen before the session, to a profile that its request gets; after the run optimal_count;
 * optimal_free. optimal_least is the rule itself, for any list.
 * The bound is Belady's: of the lines of a set, that is evicted which is fetched last of all again, and a line that
 * would be needed later than all of them is not kept. No replacement policy, with or without bypassing, fetches less
 * for the same accesses. It does not know that the accesses of a run depend on its policy: through time,
 * prefetchers, and the caches above.
 * Write-backs from above bring lines without a fetch; lines that other cores take away are no concern of the bound.
 * Memory: 24 bytes an access. Errors: FAULT_MEMORY. Source: Belady, IBM Systems Journal 5(2), 1966; with bypassing it
 * is the choice of most intervals that k machines can run (Faigle and Nawijn, Discrete Applied Mathematics 58,
 * 1995). */
#ifndef REPLAY_PROFILE_OPTIMAL_H
#define REPLAY_PROFILE_OPTIMAL_H

#include "replay/profile/profile.h"

struct optimal_access {
    uint64_t line;                       /* with its cache, so that it is one number for one line of one cache */
    uint32_t set;
    bool is_free;                        /* it brings its line, if that is not there: a write-back from above */
};

struct optimal_counts {
    uint64_t accesses;                   /* look-ups and prefetches */
    uint64_t fetched, least;             /* lines: of the run, of the bound */
};

struct optimal {
    const char *kind;                    /* of cache */
    struct optimal_access *list;
    size_t count, room;
    size_t from;                         /* the first that statistics count */
    unsigned restarts;
    uint32_t assoc;
    uint64_t fetched;
    bool lacks_memory;
};

/* `optimal` is all zero. kind: "l3"; borrowed. */
void optimal_listen(struct optimal *optimal, struct profile *profile, const char *kind);
struct fault optimal_count(const struct optimal *optimal, struct optimal_counts *counts);
/* As statistics: "system.l3.optimalFetched", "system.l3.optimalLeast", of the first cache of the kind. */
void optimal_visit(const struct optimal_counts *counts, const struct system *system, const char *kind,
                   void (*visit)(void *context, const char *name, double value), void *context);
void optimal_free(struct optimal *optimal);

/* Fetches from number `from` on, of a cache that is empty at first. */
struct fault optimal_least(const struct optimal_access *list, size_t count, size_t from, uint32_t assoc,
                           uint64_t *least);

#endif
