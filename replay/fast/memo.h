/* Memo of the data side: a core's work between two snapshots is kept, and repeated in one step when it returns to the
 * first snapshot, the same records follow, and all their accesses hit in the L1s.
 *
 * Shortens: data events, accesses and answers of stretches of a hundred records that repeat others, from a store only.
 *
 * Why the result is the same: the data side is a function of its snapshot, the records and the L1D's answers. A
 * snapshot is complete (replay/fast/snapshot.h); records are compared by name (shape_names.h); the L1D's answers
 * are known in advance if no foreign event comes before the end, and every access hits (segment.c). All effects on
 * the memory system and the statistics are then those of the last time.
 *
 * Test: tests/unit/replay/fast/test_elastic_memo.c, test_engine.c. Use: elastic_memo_bind, after accesses_bind_data;
 * see fast_accesses.c for elastic_memo_note_access. Ownership: goes with the core. */
#ifndef REPLAY_FAST_MEMO_H
#define REPLAY_FAST_MEMO_H

#include "memsys/cache/cache.h"
#include "replay/elastic/elastic_cpu.h"

/* For a core that has not started, and takes accesses without packets on both sides. FAULT_MEMORY. */
struct fault elastic_memo_bind(struct elastic_cpu *cpu);
/* While fast_of(cpu)->is_watched: the L1D took an access. */
void elastic_memo_note_access(struct elastic_cpu *cpu, uint64_t record);
/* Number of records that completed by repetition, without being executed. */
uint64_t elastic_memo_skipped(const struct elastic_cpu *cpu);

/* Accesses without packets: a core's loads, stores and fetches that its L1s take by memsys/fast/cache_try.h, and next
 * events without the event queue.
 *
 * Shortens: the packet of an access and of its response, and their ways through ports and queues; and, where the very
 * next event is the core's own, its way through the event queue.
 *
 * Why the result is the same: the L1 does the same as recv_request for such a packet, or refuses, and then the packet
 * is sent (memsys/fast/cache_try.h). Its answer takes the packet's place in the L1's response queue, and the core
 * handles it as it handles the packet. Only accesses are tried of which the packet would carry nothing that the L1
 * asks for but address and command: within a line, without special flags. Responses to fetches are unobservable. An
 * event that executes without the queue is the one that the queue would give next, at its tick, with its number; the
 * events it inserts get the same places.
 *
 * Test: tests/unit/replay/fast/test_engine.c, tests/reference/differential.sh. Ownership: borrows core and L1s. */

/* Binds the fast path between a core and its L1, after they are connected and before the L1 starts. */
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
