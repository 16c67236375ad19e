/* Loops that run the same number of times: an entry counts iterations and, once sure, predicts the exit. Part of
 * tage_sc_l.c. Iterations are counted when branches commit, as in the reference; those in flight are not seen.
 *
 * Use: zeroed; loop_lookup, loop_train when the branch commits. Parameters: branch-prediction 11. */
#ifndef REPLAY_DETAILED_BRANCH_LOOP_PREDICTOR_H
#define REPLAY_DETAILED_BRANCH_LOOP_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_ENTRIES = 32, LOOP_WAYS = 4 };

struct loop_entry {
    uint16_t trips, iteration, tag;      /* trips 0: not known yet */
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

void loop_lookup(const struct loop_predictor *loops, struct loop_lookup *lookup, uint64_t pc);
/* tage_says: the prediction that the loop has to better. chance: 0 to 3, 0 lets a new loop in. */
void loop_train(struct loop_predictor *loops, const struct loop_lookup *lookup, bool is_taken, bool tage_says,
                uint32_t chance);

#endif
