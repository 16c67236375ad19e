/* Modelled: RRIP (SRRIP is the same under its name in the paper), BRRIP and NRU as classic-memory 14 has them: a use
 * lowers the prediction by one (the paper's frequency priority); a fill is distant, with a chance one nearer: always
 * (RRIP), rarely (BRRIP); NRU is RRIP with one bit. All three draw a random number for a fill. Not modelled: hit
 * priority; drrip.c and ship.c have it. */
#include "memsys/policy/rrip.h"

#define BRRIP_LONG_PERCENT 3
#define RRIP_LONG_PERCENT 100
#define NRU_DISTANT 1

void rrip_invalidate(struct replacement *policy, uint32_t block)
{
    policy->marks[block] = 0;
}

uint32_t rrip_victim_of(struct replacement *policy, uint32_t first_block, unsigned highest)
{
    uint8_t *const marks = policy->marks;
    uint32_t victim = first_block;
    unsigned missing;

    for (uint32_t block = first_block; block < first_block + policy->assoc; block++) {
        if (marks[block] == 0)
            return block;
        if (marks[block] > marks[victim])
            victim = block;
    }
    missing = RRIP_VALID + highest - marks[victim];
    if (missing != 0)
        for (uint32_t block = first_block; block < first_block + policy->assoc; block++)
            marks[block] = (uint8_t)(marks[block] + missing);
    return victim;
}

uint32_t rrip_victim(struct replacement *policy, uint32_t first_block)
{
    return rrip_victim_of(policy, first_block, RRIP_DISTANT);
}

static uint32_t nru_victim(struct replacement *policy, uint32_t first_block)
{
    return rrip_victim_of(policy, first_block, NRU_DISTANT);
}

static void frequency_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    if (policy->marks[block] > RRIP_VALID + RRIP_NEAR)
        policy->marks[block]--;
}

static void insert_with_chance(struct replacement *policy, uint32_t block, unsigned highest, uint32_t long_percent)
{
    rrip_predict(policy, block, replacement_chance(policy, long_percent) ? highest - 1 : highest);
}

static void rrip_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    insert_with_chance(policy, block, RRIP_DISTANT, RRIP_LONG_PERCENT);
}

static void brrip_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    insert_with_chance(policy, block, RRIP_DISTANT, BRRIP_LONG_PERCENT);
}

static void nru_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    insert_with_chance(policy, block, NRU_DISTANT, RRIP_LONG_PERCENT);
}

#define RRIP_ROW(text, insert_function, victim_function)                                                              \
    {.name = text, .uses = USES_MARKS | USES_CHANCE, .touch = frequency_touch, .insert = insert_function,             \
     .invalidate = rrip_invalidate, .victim = victim_function}

const struct replacement_ops replacement_rrip = RRIP_ROW("rrip", rrip_insert, rrip_victim);
const struct replacement_ops replacement_srrip = RRIP_ROW("srrip", rrip_insert, rrip_victim);
const struct replacement_ops replacement_brrip = RRIP_ROW("brrip", brrip_insert, rrip_victim);
const struct replacement_ops replacement_nru = RRIP_ROW("nru", nru_insert, nru_victim);
