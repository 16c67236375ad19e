/* TAGE: a bimodal table and tagged tables of counters behind global histories of geometric lengths; the longest match
 * predicts. The predictor `tage`, and the first part of `tage_sc_l`.
 *
 * Use: tage_new; tage_lookup of a conditional branch fills a look-up, which tage_train takes when the branch commits.
 * A history is zeroed; tage_push joins a control micro-op to it. Histories may be copied. tage_free.
 * Source: A. Seznec, "TAGE-SC-L branch predictors again", CBP-5, 2016; parameters: branch-prediction 11. */
#ifndef REPLAY_DETAILED_BRANCH_TAGE_H
#define REPLAY_DETAILED_BRANCH_TAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/detailed/branch/in_flight.h"

struct branch_params;

enum { TAGE_TABLES = 21, TAGE_LANES = 24 };          /* lanes: a table each, and some that make whole vectors */

enum tage_confidence { TAGE_LOW, TAGE_MEDIUM, TAGE_HIGH };

struct tage_lookup {
    uint32_t index[TAGE_LANES];
    uint16_t tag[TAGE_LANES];
    uint32_t bimodal;                    /* index */
    uint8_t use_alt;                     /* index of its counter */
    int8_t provider, alternate;          /* tables; -1: the bimodal one */
    uint8_t confidence;                  /* enum tage_confidence, of the provider of is_taken */
    bool provider_says, alternate_says, is_taken;
    bool is_late;                        /* shorter histories alone say otherwise (overrideHistory) */
    bool is_new;                         /* the provider was not sure in either direction */
};

/* The foldings of a history: an index, a tag, and a second tag of one bit less. */
enum { TAGE_INDEX, TAGE_TAG, TAGE_TAG_AGAIN, TAGE_FOLDS };
enum { TAGE_RING = 4096 };

struct tage_history {
    uint16_t folded[TAGE_FOLDS][TAGE_LANES];
    uint32_t newest;                     /* in the ring */
    uint32_t path;                       /* the last branches' addresses, mixed; newest in the lowest bits */
    uint8_t ring[TAGE_RING];             /* of directions; bit 1: of the next one */
};

struct tage;

struct tage *tage_new(const struct branch_params *params);
void tage_free(struct tage *tage);

void tage_lookup(const struct tage *tage, const struct tage_history *history, struct tage_lookup *lookup, uint64_t pc);
/* was_right: the final prediction was correct, no matter which part made it. */
void tage_train(struct tage *tage, const struct tage_lookup *lookup, bool is_taken, bool was_right);
void tage_push(const struct tage *tage, struct tage_history *history, const struct branch_outcome *outcome);

/* Random number, 0 to limit - 1, for the allocation of entries. */
uint32_t tage_chance(struct tage *tage, uint32_t limit);

/* Statistical corrector: sums of counters behind several histories, which turn a prediction that they know to be often
 * wrong. Part of tage_sc_l.c.
 *
 * Use: corrector_init on zeroed memory; corrector_lookup after TAGE's, corrector_train when the branch commits. A
 * history is zeroed; corrector_push joins a conditional branch to it. Source and parameters: as tage.h. */

/* Groups of tables behind one history. suffix, tables, bits of an index, lengths */
#define CORRECTOR_GROUPS(G)                                                                                           \
    G(GLOBAL, 3, 10, 40, 24, 10) G(PATH, 3, 9, 25, 16, 9) G(LOCAL1, 3, 10, 11, 6, 3) G(LOCAL2, 3, 9, 16, 11, 6)       \
    G(LOCAL3, 2, 10, 9, 4, 0) G(INNER, 1, 8, 8, 0, 0) G(INNER_HISTORY, 2, 9, 10, 4, 0)

#define CORRECTOR_GROUP_ENUM(suffix, tables, bits, first, second, third) CORRECTOR_##suffix,
enum { CORRECTOR_GROUPS(CORRECTOR_GROUP_ENUM) CORRECTOR_GROUP_COUNT };

enum { CORRECTOR_BIASES = 3, CORRECTOR_MOST = 3, CORRECTOR_BITS = 10, CORRECTOR_BIAS_BITS = 8, CORRECTOR_LOCALS = 256 };

struct corrector {
    int8_t biases[CORRECTOR_BIASES][1 << CORRECTOR_BIAS_BITS];
    int8_t tables[CORRECTOR_GROUP_COUNT][CORRECTOR_MOST][1 << CORRECTOR_BITS];
    int8_t weights[CORRECTOR_GROUP_COUNT + 1][8];    /* the last: of the biases */
    int16_t threshold;
    int8_t thresholds[64];
    int8_t high_chooser, medium_chooser; /* < 0: the sum decides */
};

struct corrector_history {
    uint64_t global;
    uint16_t locals[3][CORRECTOR_LOCALS];
    uint16_t inner_histories[256];
    uint8_t inner;                       /* iterations of the inner loop */
};

struct corrector_lookup {
    uint16_t bias[CORRECTOR_BIASES];
    uint16_t index[CORRECTOR_GROUP_COUNT][CORRECTOR_MOST];
    int16_t sums[CORRECTOR_GROUP_COUNT + 1];         /* without weights */
    int16_t sum, threshold;
    uint8_t weight, per_pc;              /* indices */
    bool before, says, is_taken;         /* before: the prediction to correct */
};

void corrector_init(struct corrector *corrector);
/* Fills all of the look-up but `before`, the prediction to correct. */
void corrector_lookup(const struct corrector *corrector, const struct corrector_history *history, uint32_t path,
                      struct corrector_lookup *lookup, uint64_t pc, const struct tage_lookup *tage);
void corrector_train(struct corrector *corrector, const struct corrector_lookup *lookup, bool is_taken,
                     uint8_t confidence);
void corrector_push(struct corrector_history *history, const struct branch_outcome *outcome);

/* Loops that run the same number of times: an entry counts iterations and, once sure, predicts the exit. Part of
 * tage_sc_l.c.
 *
 * Use: zeroed; loop_lookup, loop_train when the branch commits. Iterations with those in flight are counted apart, by
 * entry: loop_iterations begins with the committed ones, loop_push joins a conditional branch. Parameters:
 * branch-prediction 11. */

enum { LOOP_ENTRIES = 32, LOOP_WAYS = 4 };

struct loop_entry {
    uint16_t trips, iteration, tag;      /* trips 0: not known yet; iteration: of those committed */
    uint8_t confidence, age;
    bool direction;                      /* while it runs */
};

struct loop_predictor {
    struct loop_entry entries[LOOP_ENTRIES];
};

struct loop_lookup {
    int8_t entry;                        /* -1: none */
    uint8_t set;
    uint16_t tag;
    bool is_sure, is_taken;
};

struct loop_iterations {
    uint16_t of[LOOP_ENTRIES];
};

void loop_iterations(const struct loop_predictor *loops, struct loop_iterations *iterations);
void loop_push(const struct loop_predictor *loops, struct loop_iterations *iterations,
               const struct branch_outcome *outcome);

/* iterations: NULL: the committed ones. */
void loop_lookup(const struct loop_predictor *loops, const struct loop_iterations *iterations,
                 struct loop_lookup *lookup, uint64_t pc);
/* tage_says: the prediction that the loop has to better. chance: 0 to 3, 0 lets a new loop in. True: an entry was given
 * away, so iterations counted apart are those of another loop. */
bool loop_train(struct loop_predictor *loops, const struct loop_lookup *lookup, bool is_taken, bool tage_says,
                uint32_t chance);

#endif
