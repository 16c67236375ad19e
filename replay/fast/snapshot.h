/* A snapshot of the data side, between two events: all state that determines the core's further behaviour, relative
 * to the snapshot, except the records themselves. From equal snapshots the core behaves the same as long as records
 * are equal and the L1D answers equally; so a core can be put into a snapshot that it was in before.
 *
 * Contents of a snapshot: the open dependences of every record in the graph, the ready list, dep_free_queue, buffers,
 * responses that are due, the open part of the CPI stack. Not part of it: statistics, which only add up (advance.h);
 * windows, whose reading is of no consequence where snapshots are used; fetches.
 *
 * Use: elastic_snapshot_describe where elastic_snapshot_is_settled; then elastic_snapshot_is_like and
 * elastic_snapshot_has_states to compare with one that was stored, or elastic_snapshot_complete and
 * elastic_snapshot_store to store it. elastic_snapshot_restore makes a stored one the present. Units: picoseconds and
 * records, relative to the snapshot: to now, and to how many records are complete. */
#ifndef REPLAY_FAST_SNAPSHOT_H
#define REPLAY_FAST_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/sim/packet_queue.h"

struct elastic_cpu;

enum elastic_snapshot_scalar {
    SNAPSHOT_FIRST,                    /* oldest record that is live, or waits for a response to its write */
    SNAPSHOT_NEXT_PS,                  /* the next data event */
    SNAPSHOT_READY_COUNT, SNAPSHOT_DEP_FREE_COUNT, SNAPSHOT_DEP_FREE_CAUSE, SNAPSHOT_DEP_FREE_OLDEST, SNAPSHOT_OLDEST,
    SNAPSHOT_FREE_LOADS, SNAPSHOT_FREE_STORES, SNAPSHOT_FREE_OTHERS, SNAPSHOT_SENT_STORES, SNAPSHOT_ANSWER_COUNT,
    SNAPSHOT_ANSWER_PS, SNAPSHOT_LAST_ANSWER_PS, SNAPSHOT_CAUSE, SNAPSHOT_WORKED, SNAPSHOT_WORKED_PS, SNAPSHOT_TASKS,
    SNAPSHOT_CLOCK_PS,                 /* since the L1D's clock edge */
    SNAPSHOT_SCALARS
};

enum {
    SNAPSHOT_READY = 256, SNAPSHOT_DEP_FREE = 512, SNAPSHOT_ANSWERS = PACKET_QUEUE_SNAPSHOT_ENTRIES,
    SNAPSHOT_STATES = 1536
};

/* Responses without packets that the L1D owes, absolute. */
struct elastic_responses {
    uint64_t clock_ps;               /* since the L1D's clock edge */
    struct packet_queue_snapshot due;
};

struct elastic_snapshot_answer {
    uint64_t when_ps, token, sent_ps;
};

/* Of a record before the front: state and open dependences in one number. */
static inline uint16_t elastic_snapshot_state(unsigned state, uint32_t open)
{
    return (uint16_t)(open << 3 | state);
}

/* Described, with room for all that can be. */
struct elastic_snapshot {
    const uint8_t *parents;          /* the caller's: link_count of each record from the first one on; for states */
    uint64_t now_ps, base;           /* absolute */
    uint64_t scalars[SNAPSHOT_SCALARS];
    uint64_t ready_ps[SNAPSHOT_READY], ready_records[SNAPSHOT_READY], dep_free[SNAPSHOT_DEP_FREE];
    struct elastic_snapshot_answer answers[SNAPSHOT_ANSWERS];
    /* The front is behind the last record that waits for no other. Records before it must be the same for the core to
     * behave the same; those after it need only have more parents than have completed. */
    uint32_t front;                  /* records before it, from the first one on */
    uint32_t touched;                /* number of records described; later ones are read, but otherwise untouched */
    uint16_t states[SNAPSHOT_STATES];  /* before the front */
    uint8_t done[SNAPSHOT_STATES];     /* from the front on: parents that have completed */
};

/* Stored form: the used parts only. */
struct elastic_snapshot_stored {
    uint64_t hash;
    uint64_t scalars[SNAPSHOT_SCALARS];
    const uint64_t *parts;           /* in a row: ready_ps, ready_records, dep_free, answers */
    const uint16_t *states;
    const uint8_t *done;
    uint32_t front, touched;
};

/* Is there nothing but the core's own doing, all of which a snapshot describes, as far as the core knows? next_ps: tick
 * of the next data event. */
bool elastic_snapshot_is_settled(const struct elastic_cpu *cpu, uint64_t next_ps);
/* Describes the present state of the core, except the states of records, and its hash; false if it cannot be
 * described. */
bool elastic_snapshot_describe(struct elastic_cpu *cpu, struct elastic_snapshot *snapshot,
                               const struct elastic_responses *responses, uint64_t next_ps, uint64_t *hash);
/* Could that present be the stored snapshot, as far as it is described? / Is it, as far as states are concerned? */
bool elastic_snapshot_is_like(const struct elastic_snapshot *snapshot, uint64_t hash,
                            const struct elastic_snapshot_stored *stored);
bool elastic_snapshot_has_states(const struct elastic_cpu *cpu, const struct elastic_snapshot *snapshot,
                               const struct elastic_snapshot_stored *stored);
/* Adds the states; false if there is no room for them. */
bool elastic_snapshot_complete(const struct elastic_cpu *cpu, struct elastic_snapshot *snapshot);
/* Room for the parts of a snapshot, and storing it: its parts in `room`, which is borrowed. */
size_t elastic_snapshot_words(const struct elastic_snapshot *snapshot);
void elastic_snapshot_store(const struct elastic_snapshot *snapshot, uint64_t hash,
                            struct elastic_snapshot_stored *stored,
                          uint64_t *room);
/* Absolute number of the first record of a stored snapshot that is the present. */
uint64_t elastic_snapshot_first(const struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored);

/* The present, of which time, retired_count and records are right, but for their states, is the stored snapshot; what
 * the L1D then owes becomes `responses`. `parents`: as in struct elastic_snapshot. The answer is the tick of the next
 * data event. */
uint64_t elastic_snapshot_restore(struct elastic_cpu *cpu, const struct elastic_snapshot_stored *stored,
                                  const uint8_t *parents, struct elastic_responses *responses);

#endif
