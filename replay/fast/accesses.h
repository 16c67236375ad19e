/* Accesses without packets: a core's loads, stores and fetches that its L1s take by memsys/fast/cache_try.h, and next
 * events without the event queue.
 *
 * Shortens: the packet of an access and of its response, and their ways through ports and queues; and, where the very
 * next event is the core's own, its way through the event queue.
 *
 * Why the result is the same: the L1 does what recv_request does with such a packet, or says that it will not,
 * whereupon the packet is sent (memsys/fast/cache_try.h). Its answer takes the packet's place in the L1's response
 * queue, and the core handles it as it handles the packet. Only accesses are tried of which the packet would carry
 * nothing that the L1 asks for but address and command: within a line, without special flags. Responses to fetches
 * are unobservable. An event that executes without the queue is the one that the queue would give next, at its tick,
 * with its number; the events it inserts get the same places.
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

/* Are all fetches before end_ps plain hits, if the L1I is not accessed otherwise until then? Returns the tick of the
 * first later fetch, TICK_NEVER without one; 0 if they are not, or if that is unknown. `count` becomes their
 * number. */
uint64_t accesses_fetch_hits_until(const struct elastic_cpu *cpu, uint64_t end_ps, size_t *count);

#endif
