/* Modelled: SHiP-PC over SRRIP (Wu, Jaleel, Hasenplaugh, Martonosi, Steely, Emer, "SHiP: signature-based hit predictor
 * for high performance caching", MICRO 2011, section 3; the spec has none). Every block remembers the signature of the
 * instruction that brought it. A table of 16384 counters of 3 bits, indexed by signatures of 14 bits, learns whether
 * such blocks are used again: up at every use, down when one leaves unused. A fill is distant where the counter is 0,
 * else long; a use makes the block near (hit priority). Predictions have 2 bits.
 *
 * Confirmed by the paper's text: the learning rules, hit priority and victims of SRRIP, distant at 0 and else
 * intermediate (section 3.1), 16384 counters of 3 bits, signatures of 14 bits hashed from the pc (4.1), one table for
 * all cores as one of three designs (6.2). Its figures were not at hand.
 *
 * Choices where the paper leaves one: the signature is the pc, its 14-bit pieces combined by exclusive or. A packet
 * without pc (write-backs from above, prefetches passed on) has the signature of its region of 16 KiB, the paper's
 * SHiP-Mem: there 14 upper bits of the address (4.1), or upper bits hashed, with regions of 16 KiB (3.2); here all
 * bits above those of the region, combined as for the pc. Counters begin at 1, so that an unknown signature is given a
 * chance. A block that is invalidated from outside leaves as well. Write-backs from above are no uses. Not modelled:
 * sampled sets, counters of 2 bits (7.1, 7.2), a table for each core. */
#include "memsys/policy/rrip.h"

#define SIGNATURE_BITS 14
#define SIGNATURE_MASK ((1u << SIGNATURE_BITS) - 1)
#define REGION_SHIFT 14
#define COUNTER_HIGHEST 7
#define COUNTER_START 1
#define USED_AGAIN (1u << 15)            /* beside the signature */

struct ship {
    uint8_t counters[1u << SIGNATURE_BITS];
    uint16_t signatures[];               /* [block]; meaningful while the block is valid */
};

static size_t ship_bytes(const struct replacement *policy)
{
    return sizeof(struct ship) + (size_t)policy->set_count * policy->assoc * sizeof(uint16_t);
}

static void ship_start(struct replacement *policy)
{
    struct ship *const ship = policy->own;

    for (size_t i = 0; i < sizeof ship->counters; i++)
        ship->counters[i] = COUNTER_START;
}

static unsigned signature_of(const struct packet *packet)
{
    uint64_t bits = packet->request.has_pc ? packet->request.pc : packet->address >> REGION_SHIFT;
    uint64_t signature = 0;

    for (; bits != 0; bits >>= SIGNATURE_BITS)
        signature ^= bits & SIGNATURE_MASK;
    return (unsigned)signature;
}

static void ship_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    struct ship *const ship = policy->own;
    uint8_t *const counter = &ship->counters[ship->signatures[block] & SIGNATURE_MASK];

    if (packet_is(packet, ATTR_EVICTION))
        return;
    if (*counter < COUNTER_HIGHEST)
        ++*counter;
    ship->signatures[block] |= USED_AGAIN;
    rrip_predict(policy, block, RRIP_NEAR);
}

static void ship_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    struct ship *const ship = policy->own;
    unsigned const signature = signature_of(packet);

    ship->signatures[block] = (uint16_t)signature;
    rrip_predict(policy, block, ship->counters[signature] == 0 ? RRIP_DISTANT : RRIP_LONG);
}

static void ship_invalidate(struct replacement *policy, uint32_t block)
{
    struct ship *const ship = policy->own;
    uint16_t const remembered = ship->signatures[block];
    uint8_t *const counter = &ship->counters[remembered & SIGNATURE_MASK];

    if (policy->marks[block] != 0 && !(remembered & USED_AGAIN) && *counter > 0)
        --*counter;
    rrip_invalidate(policy, block);
}

const struct replacement_ops replacement_ship = {
    .name = "ship", .uses = USES_MARKS, .own_bytes = ship_bytes, .start = ship_start,
    .touch = ship_touch, .insert = ship_insert, .invalidate = ship_invalidate, .victim = rrip_victim
};
