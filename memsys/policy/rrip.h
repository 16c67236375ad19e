/* Re-reference interval prediction: a byte for each block says how far away its next use is thought to be, 0 (near) to
 * a highest number (distant); a distant block goes first. Shared by the policies that differ in their prediction.
 * Source: Jaleel et al., "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA
 * 2010. */
#ifndef MEMSYS_POLICY_RRIP_H
#define MEMSYS_POLICY_RRIP_H

#include "memsys/policy/replacement.h"

#define RRIP_NEAR 0
#define RRIP_LONG 2                      /* with two bits, as are the next two */
#define RRIP_DISTANT 3

/* marks[block]: 0 for an invalid block, else this much more than the prediction. */
#define RRIP_VALID 1

static inline void rrip_predict(struct replacement *policy, uint32_t block, unsigned prediction)
{
    policy->marks[block] = (uint8_t)(RRIP_VALID + prediction);
}

void rrip_invalidate(struct replacement *policy, uint32_t block);

/* The first invalid block; else the first of those with the largest prediction, after all predictions of the set have
 * been raised until that one is `highest`. */
uint32_t rrip_victim_of(struct replacement *policy, uint32_t first_block, unsigned highest);
/* The same with two bits. */
uint32_t rrip_victim(struct replacement *policy, uint32_t first_block);

#endif
