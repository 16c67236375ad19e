/* Modelled: DRRIP (Jaleel, Theobald, Steely, Emer, "High performance cache replacement using re-reference interval
 * prediction (RRIP)", ISCA 2010, section 4.3; the reference has none). Sets duel: 32 leader sets always fill as SRRIP
 * (long), 32 others as BRRIP (distant, every 32nd fill long), and a 10-bit counter of their misses says how all other
 * sets fill. A use makes a block near (hit priority). Predictions have 2 bits.
 *
 * Confirmed by the paper's text: the predictions, victims and hit priority (section 4.2, 6.2), the fills of BRRIP and
 * the duel (4.3), 2 bits (6.4), the 10 bits of the counter (6.7), write-backs that are no uses (5.1). The text at hand
 * lacks the footnotes: 32 leaders and 1 fill of 32 are from memory and agree with ChampSim's program.
 *
 * Choices where the paper leaves one: the sets are cut into as many equal runs as there are leaders of a kind; in run
 * number r set r (modulo the run's length) leads SRRIP and the one with the inverted number leads BRRIP. A cache of
 * fewer than 128 sets has a leader of each kind in four sets (of two, if there are no more), one of a single set is
 * SRRIP. The throttle counts fills, no random number is drawn. The counter begins just below its middle, where SRRIP
 * wins. Write-backs from above, like prefetches, are no misses of a leader. Not modelled: a counter for each thread
 * (TA-DRRIP). */
#include "memsys/policy/rrip.h"

#define LEADERS 32
#define SETS_PER_LEADER_PAIR 4
#define BRRIP_LONG_INTERVAL 32
#define SELECTOR_HIGHEST 1023
#define SELECTOR_MIDDLE 512              /* from here on BRRIP wins */

struct drrip {
    uint32_t selector;                   /* up: a leader of SRRIP missed; down: one of BRRIP */
    uint32_t run_sets;                   /* sets of a run with one leader of each kind; 0: no leaders */
};

enum role { FOLLOWER, SRRIP_LEADER, BRRIP_LEADER };

static size_t drrip_bytes(const struct replacement *policy)
{
    (void)policy;
    return sizeof(struct drrip);
}

static void drrip_start(struct replacement *policy)
{
    struct drrip *const drrip = policy->own;
    uint32_t const run_sets = policy->set_count / LEADERS;

    drrip->selector = SELECTOR_MIDDLE - 1;
    drrip->run_sets = run_sets > SETS_PER_LEADER_PAIR ? run_sets : SETS_PER_LEADER_PAIR;
    if (drrip->run_sets > policy->set_count)
        drrip->run_sets = policy->set_count > 1 ? policy->set_count : 0;
}

static enum role role_of(const struct drrip *drrip, uint32_t set)
{
    uint32_t leader;

    if (drrip->run_sets == 0)
        return FOLLOWER;
    leader = set / drrip->run_sets % drrip->run_sets;
    if (set % drrip->run_sets == leader)
        return SRRIP_LEADER;
    return set % drrip->run_sets == drrip->run_sets - 1 - leader ? BRRIP_LEADER : FOLLOWER;
}

static void drrip_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    if (!packet_is(packet, ATTR_EVICTION))
        rrip_predict(policy, block, RRIP_NEAR);
}

static void drrip_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    struct drrip *const drrip = policy->own;
    enum role const role = role_of(drrip, block / policy->assoc);
    bool const is_miss = !packet_is(packet, ATTR_EVICTION | ATTR_HARD_PREFETCH | ATTR_SOFT_PREFETCH);

    if (is_miss && role == SRRIP_LEADER && drrip->selector < SELECTOR_HIGHEST)
        drrip->selector++;
    else if (is_miss && role == BRRIP_LEADER && drrip->selector > 0)
        drrip->selector--;
    if (role == SRRIP_LEADER || (role == FOLLOWER && drrip->selector < SELECTOR_MIDDLE))
        rrip_predict(policy, block, RRIP_LONG);
    else
        rrip_predict(policy, block, ++policy->counter % BRRIP_LONG_INTERVAL == 0 ? RRIP_LONG : RRIP_DISTANT);
}

const struct replacement_ops replacement_drrip = {
    .name = "drrip", .uses = USES_MARKS | USES_CHANCE, .own_bytes = drrip_bytes, .start = drrip_start,
    .touch = drrip_touch, .insert = drrip_insert, .invalidate = rrip_invalidate, .victim = rrip_victim
};
