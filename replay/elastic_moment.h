/* A moment of the data side, between two events: all that decides what the core does from there on, relative to the
 * moment, apart from what records are. Two moments that are equal go on alike as long as records are alike and the L1D
 * answers alike; so a core can be put into a moment that it was in before.
 *
 * Use: elastic_moment_describe where elastic_moment_is_settled; then elastic_moment_is_like and
 * elastic_moment_has_states to compare with one that was stored, or elastic_moment_complete and elastic_moment_store to
 * store it. elastic_moment_restore makes a stored one the present. Private to the data side.
 * Units: picoseconds and records, relative to the moment: to now, and to how many records are complete. */
#ifndef REPLAY_ELASTIC_MOMENT_H
#define REPLAY_ELASTIC_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elastic_cpu;

enum elastic_moment_scalar {
    MOMENT_FIRST,                    /* oldest record that is live, or waits for a response to its write */
    MOMENT_NEXT_PS,                  /* the next data event */
    MOMENT_READY_COUNT, MOMENT_WAITING_COUNT, MOMENT_WAITING_CAUSE, MOMENT_WAITING_OLDEST, MOMENT_OLDEST,
    MOMENT_FREE_LOADS, MOMENT_FREE_STORES, MOMENT_FREE_OTHERS, MOMENT_SENT_STORES, MOMENT_ANSWER_COUNT,
    MOMENT_ANSWER_PS, MOMENT_LAST_ANSWER_PS, MOMENT_CAUSE, MOMENT_WORKED, MOMENT_WORKED_PS, MOMENT_TASKS,
    MOMENT_CLOCK_PS,                 /* since the L1D's clock edge */
    MOMENT_SCALARS
};

enum { MOMENT_READY = 256, MOMENT_WAITING = 512, MOMENT_ANSWERS = 64, MOMENT_STATES = 1536 };

struct elastic_moment_answer {
    uint64_t when_ps, token, sent_ps;
};

/* Of a record before the front: state and open dependences in one number. */
static inline uint16_t elastic_moment_state(unsigned state, uint32_t open)
{
    return (uint16_t)(open << 3 | state);
}

/* Described, with room for all that can be. */
struct elastic_moment {
    const uint8_t *parents;          /* the caller's: link_count of each record from the first one on; for states */
    uint64_t now_ps, base;           /* absolute */
    uint64_t scalars[MOMENT_SCALARS];
    uint64_t ready_ps[MOMENT_READY], ready_records[MOMENT_READY], waiting[MOMENT_WAITING];
    struct elastic_moment_answer answers[MOMENT_ANSWERS];
    /* The front is behind the last record that waits for no other. Records before it must be the same ones for the core
     * to go on alike; those behind it need only have as many parents as have completed, and one more. */
    uint32_t front;                  /* records before it, from the first one on */
    uint32_t touched;                /* so many are described; those behind are no more than read */
    uint16_t states[MOMENT_STATES];  /* before the front */
    uint8_t done[MOMENT_STATES];     /* from the front on: parents that have completed */
};

/* Stored: what is used of it. */
struct elastic_moment_stored {
    uint64_t hash;
    uint64_t scalars[MOMENT_SCALARS];
    const uint64_t *parts;           /* in a row: ready_ps, ready_records, waiting, answers */
    const uint16_t *states;
    const uint8_t *done;
    uint32_t front, touched;
};

/* Is there nothing but the core's own doing, all of which a moment describes? next_ps: tick of the next data event. */
bool elastic_moment_is_settled(const struct elastic_cpu *cpu, uint64_t next_ps);
/* Describes the present but for states, and answers with a hash of that; false if it cannot be. */
bool elastic_moment_describe(struct elastic_cpu *cpu, struct elastic_moment *moment, uint64_t next_ps, uint64_t *hash);
/* Could that present be the stored moment, as far as it is described? / Is it, as far as states are concerned? */
bool elastic_moment_is_like(const struct elastic_moment *moment, uint64_t hash,
                            const struct elastic_moment_stored *stored);
bool elastic_moment_has_states(const struct elastic_cpu *cpu, const struct elastic_moment *moment,
                               const struct elastic_moment_stored *stored);
/* Adds the states; false if there is no room for them. */
bool elastic_moment_complete(const struct elastic_cpu *cpu, struct elastic_moment *moment);
/* Room for the parts of a moment, and storing it: its parts in `room`, which is borrowed. */
size_t elastic_moment_words(const struct elastic_moment *moment);
void elastic_moment_store(const struct elastic_moment *moment, uint64_t hash, struct elastic_moment_stored *stored,
                          uint64_t *room);
/* Absolute number of the first record of a stored moment that is the present. */
uint64_t elastic_moment_first(const struct elastic_cpu *cpu, const struct elastic_moment_stored *stored);

/* The present, of which time, retired_count and records are right, but for their states, is the stored moment; the
 * L1D's answers are not scheduled. `parents`: as in struct elastic_moment. The answer is the tick of the next data
 * event. */
uint64_t elastic_moment_restore(struct elastic_cpu *cpu, const struct elastic_moment_stored *stored,
                                const uint8_t *parents);

#endif
