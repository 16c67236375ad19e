/* Memo of the data side: what a core did between two moments is kept, and done at once when it comes back to the first
 * moment, the same records follow, and all their accesses hit in the L1s. What the memory system sees, and every
 * statistic, is the same as if it were executed event by event.
 *
 * Use: elastic_memo_begin_block when a block's first records are about to be read; the data side calls
 * elastic_memo_reached at the end of the data event in which cpu->memo.next_point records are complete, then
 * elastic_find_milestone, and tells accesses and completions while is_watched. Ownership: elastic_memo_free frees all.
 * Private to the data side. */
#ifndef REPLAY_ELASTIC_MEMO_H
#define REPLAY_ELASTIC_MEMO_H

#include <stdbool.h>
#include <stdint.h>

struct elastic_cpu;
struct elastic_memo_state;

struct elastic_memo {
    struct elastic_memo_state *state;    /* NULL: no store, or no memory for it; nothing is skipped */
    uint64_t next_point;             /* that many complete: a point; UINT64_MAX: none */
    uint64_t milestone;              /* while watched, what the cpu's would be */
    bool is_watched;
    bool is_off;                     /* nothing is kept */
    uint64_t skipped_records;        /* that were complete without having been executed */
};

/* The next record to be read is the first of a block. */
void elastic_memo_begin_block(struct elastic_cpu *cpu);
/* Nothing before now counts any longer: statistics were reset. / The core takes other records. */
void elastic_memo_forget(struct elastic_cpu *cpu);
void elastic_memo_take(struct elastic_cpu *cpu);
/* A data event in which a point was reached ends; the next one is due at next_ps, or TICK_NEVER. The answer is when it
 * is due after all that was skipped, before which the present moves as well. */
uint64_t elastic_memo_reached(struct elastic_cpu *cpu, uint64_t next_ps);
/* The L1D took an access. / A record is complete. */
void elastic_memo_note_access(struct elastic_cpu *cpu, uint64_t record);
void elastic_memo_note_completion(struct elastic_cpu *cpu, uint64_t record);
void elastic_memo_free(struct elastic_memo *memo);

#endif
