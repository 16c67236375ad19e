/* Accesses without packets: a core's loads, stores and fetches that its L1s take by memsys/fast/cache_try.h, and what
 * is next without the event queue.
 *
 * Shortens: the packet of an access and of its response, and their ways through ports and queues; and, where the very
 * next event is the core's own, its way through the event queue.
 *
 * Why the result is the same: the L1 does what recv_request does with such a packet, or says that it will not,
 * whereupon the packet is sent (memsys/fast/cache_try.h). Its answer stands in the L1's queue of responses where the
 * packet would stand, and the core does with it what it does with the packet. Only accesses are tried of which the
 * packet would carry nothing that the L1 asks for but address and command: within a line, without special flags. Nobody
 * sees responses to fetches. An event that executes without the queue is the one that the queue would give next, at its
 * tick, with its number; what it inserts comes where it would have come.
 *
 * Test: tests/unit/replay/fast/test_engine.c, tests/reference/differential.sh. Ownership: borrows core and L1s. */
#ifndef REPLAY_FAST_ACCESSES_H
#define REPLAY_FAST_ACCESSES_H

#include "memsys/cache/cache.h"
#include "replay/elastic/elastic_cpu.h"

/* For a core that is joined with that L1, which has not started. */
void accesses_bind_fetches(struct elastic_cpu *cpu, struct cache *l1i);
void accesses_bind_data(struct elastic_cpu *cpu, struct cache *l1d);
/* Of a core that is bound. */
static inline struct cache *accesses_l1d(const struct elastic_cpu *cpu)
{
    return cpu->dcache.self;
}

/* Does an L1 take accesses without packets? */
bool accesses_are_possible(const struct cache *l1);

/* Do all fetches before end_ps hit without more ado, if nothing happens to the L1I until then? Tick of the first one
 * after those, TICK_NEVER if there is none; 0 if they do not, or if it is not known. `count` becomes their number. */
uint64_t accesses_fetch_hits_until(const struct elastic_cpu *cpu, uint64_t end_ps, size_t *count);

#endif
