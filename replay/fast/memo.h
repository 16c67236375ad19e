/* Memo of the data side: what a core did between two snapshots is kept, and done at once when it comes back to the
 * first snapshot, the same records follow, and all their accesses hit in the L1s.
 *
 * Shortens: data events, accesses and answers of stretches of a hundred records that repeat others, from a store only.
 *
 * Why the result is the same: the data side is a function of its snapshot, of what records are, and of what the L1D
 * answers. A snapshot is all of the first (replay/elastic/snapshot.h); records are compared by name (shape_names.h);
 * what the L1D will answer is known in advance where nobody else's event comes before the end, and every access hits
 * (segment.c). What the memory system sees, and every statistic, is then what it was the last time.
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
