/* Statistical corrector: sums of counters behind several histories, which turn a prediction that they know to be often
 * wrong. Part of tage_sc_l.c.
 *
 * Use: corrector_init on zeroed memory; corrector_lookup after TAGE's, corrector_train when the branch commits, then
 * corrector_push. Source and parameters: as tage.h. */
#ifndef REPLAY_DETAILED_BRANCH_CORRECTOR_H
#define REPLAY_DETAILED_BRANCH_CORRECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/detailed/branch/tage.h"

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
    bool before, says, is_taken;         /* before: what there was to correct */
};

void corrector_init(struct corrector *corrector);
void corrector_lookup(const struct corrector *corrector, struct corrector_lookup *lookup, uint64_t pc, bool before,
                      const struct tage_lookup *tage, uint32_t path);
void corrector_train(struct corrector *corrector, const struct corrector_lookup *lookup, bool is_taken,
                     uint8_t confidence);
/* A conditional branch committed. */
void corrector_push(struct corrector *corrector, uint64_t pc, bool is_taken, bool is_backward);

#endif
