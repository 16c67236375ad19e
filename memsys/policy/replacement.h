/* Replacement policies: which way of a set is reused (classic-memory 14).
 *
 * A policy is a row of functions over state that each block (set * assoc + way) has. The tag store calls them: touch
 * when an access finds the block, insert after a fill, invalidate when the block becomes invalid, victim to choose a
 * way. Between two inserts a block may be invalidated or not at all; victim may be called and the block be kept.
 *
 * Adding one: a file <name>.c that defines `replacement_<name>`, and one line in REPLACEMENT_POLICIES
 * (memsys/policy/policy_params.h); see docs/extending.md. Ownership: replacement_free frees what replacement_init took;
 * policies allocate nothing. */
#ifndef MEMSYS_POLICY_REPLACEMENT_H
#define MEMSYS_POLICY_REPLACEMENT_H

#include "memsys/sim/sim.h"

struct replacement {
    const struct replacement_ops *ops;
    struct sim *sim;                     /* time and random numbers */
    uint64_t *stamps;                    /* [block], 0 at first; of policies that use them */
    uint8_t *marks;                      /* the same, a byte */
    void *own;                           /* own_bytes of zeros at first */
    void *module;                        /* of a policy that is in no list: its owner's */
    uint64_t counter;                    /* the policy's, 0 at first */
    uint32_t assoc, set_count;
};

/* The state that replacement_init allocates. */
enum replacement_use {
    USES_STAMPS = 1, USES_MARKS = 2, USES_CHANCE = 4 /* nothing: it draws random numbers */,
    USES_TICKS = 8                       /* nothing: stamps are ticks */
};

struct replacement_ops {
    const char *name;
    unsigned uses;                       /* enum replacement_use */
    bool skips_repeats;                  /* a touch of the block that was touched or filled last in its set changes
                                          * no choice */
    bool needs_power_of_two;             /* assoc is a power of two of at least 2 */
    size_t (*own_bytes)(const struct replacement *policy);      /* size of `own`; NULL: none */
    void (*start)(struct replacement *policy);                  /* sets state that is not 0 at first; NULL: none */
    /* `packet` is the request that touches the block, or the packet that fills it (the response, or a write-back from
     * above). */
    void (*touch)(struct replacement *policy, uint32_t block, const struct packet *packet);
    void (*insert)(struct replacement *policy, uint32_t block, const struct packet *packet);
    void (*invalidate)(struct replacement *policy, uint32_t block);
    /* Block to reuse among first_block .. first_block + assoc - 1. */
    uint32_t (*victim)(struct replacement *policy, uint32_t first_block);
    /* The same among first .. first + count - 1, all valid, of one set; NULL: its sets cannot be divided. */
    uint32_t (*victim_among)(struct replacement *policy, uint32_t first, uint32_t count);
};

/* kind: enum replacement_kind. Fails like replacement_check, or without memory. */
struct fault replacement_init(struct replacement *policy, struct sim *sim, uint64_t kind, uint32_t block_count,
                              uint32_t assoc);
/* The same of a policy that is in no list. */
struct fault replacement_init_of(struct replacement *policy, struct sim *sim, const struct replacement_ops *ops,
                                 uint32_t block_count, uint32_t assoc);
void replacement_free(struct replacement *policy);

/* Checks that the policy works with that associativity. cache: the user's name of the cache, for the key in the
 * fault. */
struct fault replacement_check(const char *cache, uint64_t kind, uint64_t assoc);

/* Does the policy draw random numbers? A module may. */
bool replacement_uses_chance(uint64_t kind);

/* Stamps that are ticks become 1, 2, .. in the same order, set by set; equal ones stay equal, and 0 stays. */
void replacement_rank(struct replacement *policy);

/* ---- for policies: functions that a policy's row may use, for an order by stamps */

/* The stamp becomes the tick of the call. */
void stamp_now(struct replacement *policy, uint32_t block, const struct packet *packet);

/* The stamp becomes 0. */
void stamp_clear(struct replacement *policy, uint32_t block);
/* The smallest stamp, the lowest way among equals. */
uint32_t stamp_smallest(struct replacement *policy, uint32_t first_block);
uint32_t stamp_smallest_among(struct replacement *policy, uint32_t first, uint32_t count);

/* True in `percent` of 100 cases; always draws one number. */
bool replacement_chance(struct replacement *policy, uint32_t percent);

extern const struct replacement_ops replacement_lru;   /* which fast ways stand for (memsys/fast/ways.h) */

#endif
