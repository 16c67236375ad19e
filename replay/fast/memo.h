/* Memo of the data side: a core's work between two snapshots is kept, and repeated in one step when it returns to the
 * first snapshot, the same records follow, and all their accesses hit in the L1s.
 *
 * Shortens: data events, accesses and answers of stretches of a hundred records that repeat others, from a store only.
 *
 * Why the result is the same: the data side is a function of its snapshot, the records and the L1D's answers. A
 * snapshot is complete (replay/elastic/snapshot.h); records are compared by name (shape_names.h); the L1D's answers
 * are known in advance if no foreign event comes before the end, and every access hits (segment.c). All effects on
 * the memory system and the statistics are then those of the last time.
 *
 * Test: tests/unit/replay/fast/test_elastic_memo.c, test_engine.c. Use: elastic_memo_bind, after accesses_bind; see
 * accesses.c for elastic_memo_note_access. Ownership: goes with the core. */
#ifndef REPLAY_FAST_MEMO_H
#define REPLAY_FAST_MEMO_H

#include "replay/elastic/elastic_cpu.h"

/* For a core that has not started, and takes accesses without packets on both sides. FAULT_MEMORY. */
struct fault elastic_memo_bind(struct elastic_cpu *cpu);
/* While cpu->is_watched: the L1D took an access. */
void elastic_memo_note_access(struct elastic_cpu *cpu, uint64_t record);
/* Records that were complete without having been executed. */
uint64_t elastic_memo_skipped(const struct elastic_cpu *cpu);

#endif
