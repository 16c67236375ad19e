/* Modelled: virtual-memory 5: walks of three or four dependent reads, walk caches that skip the upper ones, a limit of
 * walks at once, one walk for all requests that wait for a page. Not modelled: accessed and dirty bits, which are set
 * already; walks for prefetches that stay in their page. With a host, virtual-memory 5.6: an entry's address, and the
 * page's own at the end, are a guest's, and are translated first: by the cache of nested translations, or by the host's
 * tables, whose upper entries the walk caches keep beside the guest's.
 *
 * A walk's next read is issued in the tick in which the entry before came, or walker.latency after it. With
 * walker.first_touch an entry that no walk has used before, of a page or of a table, is used that much later: as in
 * ChampSim, whose minor faults cost the same for each. */
#include "memsys/tlb/walker.h"

#define ENTRY_BYTES 8

static unsigned leaf_level(const struct vm_page *page)
{
    return page->bytes == VM_HUGE_BYTES ? 2 : 1;
}

static void read_at(struct mmu *mmu, struct mmu_walk *walk, uint64_t address)
{
    struct packet *packet;

    assert(address != VM_NOWHERE);       /* placing a page also makes its tables */
    packet = packet_take_line(mmu->sim->packets, address, ENTRY_BYTES, mmu->requestor, CMD_ReadReq);
    packet->request.sequence = (uint64_t)(walk - mmu->walks);
    packet->request.flags = REQUEST_WALK;
    packet_list_add(&mmu->reads, packet);
    mmu->stats.walk_reads++;
}

/* The lowest entry that a walk cache has says where the next level's table is. */
static unsigned first_level(struct mmu *mmu, const struct vm_page *page)
{
    uint64_t *const hits[VM_LEVELS + 1] = {NULL, NULL, &mmu->stats.level2_hits, &mmu->stats.level3_hits,
                                           &mmu->stats.level4_hits};

    for (unsigned level = leaf_level(page) + mmu->least_reads; level <= VM_LEVELS; level++)
        if (tlb_find(&mmu->walk_caches[level],
                     tlb_key(space_number(page->space), page->address, walker_entry_shift(level)))) {
            ++*hits[level];
            return level - 1;
        }
    return VM_LEVELS;
}

/* ---- the host's tables */

static struct tlb_key nested_key(const struct mmu *mmu, uint64_t guest_address)
{
    return tlb_key(space_number(mmu->host), guest_address, 12);
}

static unsigned host_leaf_level(const struct mmu *mmu)
{
    return space_page_bytes(mmu->host) == VM_HUGE_BYTES ? 2 : 1;
}

static void read_host_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    read_at(mmu, walk, space_entry(mmu->host, walk->guest_address, walk->host_level));
}

/* Has the guest's address been translated already? If not, the host's tables are read for it. */
static bool host_knows(struct mmu *mmu, struct mmu_walk *walk, uint64_t guest_address)
{
    unsigned level = host_leaf_level(mmu) + 1;

    if (tlb_find(&mmu->nested, nested_key(mmu, guest_address)))
        return true;
    while (level <= VM_LEVELS
           && !tlb_find(&mmu->walk_caches[level],
                        tlb_key(space_number(mmu->host), guest_address, walker_entry_shift(level))))
        level++;
    walk->guest_address = guest_address;
    walk->host_level = level - 1;
    read_host_entry(mmu, walk);
    return false;
}

/* An entry of the host has come. Returns whether it was the last for this address. */
static bool take_host_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    struct tlb_key const key = walk->host_level > host_leaf_level(mmu)
        ? tlb_key(space_number(mmu->host), walk->guest_address, walker_entry_shift(walk->host_level))
        : nested_key(mmu, walk->guest_address);
    struct tlb *const cache = walk->host_level > host_leaf_level(mmu) ? &mmu->walk_caches[walk->host_level]
                                                                      : &mmu->nested;

    if (!tlb_find(cache, key))           /* another walk may have brought it meanwhile */
        tlb_put(cache, key);
    if (walk->host_level-- > host_leaf_level(mmu)) {
        read_host_entry(mmu, walk);
        return false;
    }
    walk->host_level = 0;
    return true;
}

/* ---- walks */

/* The entry of the walk's level, once its address is the host's. */
static void read_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    uint64_t const address = space_entry(walk->page.space, walk->page.address, walk->level);

    if (!mmu->host || host_knows(mmu, walk, address))
        read_at(mmu, walk, address);
}

static void walker_begin(struct mmu *mmu, struct mmu_miss *miss)
{
    struct mmu_walk *walk = mmu->walks;

    while (walk->is_busy)
        walk++;
    *walk = (struct mmu_walk){.is_busy = true, .key = miss->key, .page = miss->page,
                              .level = first_level(mmu, &miss->page), .begin_ps = sim_now_ps(mmu->sim)};
    mmu->walk_count++;
    mmu->stats.walks++;
    mmu->stats.huge_walks += miss->page.bytes == VM_HUGE_BYTES;
    miss->state = MISS_IN_WALK;
    read_entry(mmu, walk);
}

static bool is_walking(const struct mmu *mmu, struct tlb_key key)
{
    for (uint64_t i = 0; i < mmu->walk_limit; i++)
        if (mmu->walks[i].is_busy && tlb_keys_are_equal(mmu->walks[i].key, key))
            return true;
    return false;
}

/* A walk of its own that waits makes it wait, too: it will be served with that one. */
void walker_ask(struct mmu *mmu, struct mmu_miss *miss)
{
    if (is_walking(mmu, miss->key)) {
        mmu->stats.merged_walks++;
        miss->state = MISS_IN_WALK;
    } else if (mmu->walk_count < mmu->walk_limit) {
        walker_begin(mmu, miss);
    } else {
        miss->state = MISS_IN_QUEUE;
        miss->due_ps = sim_now_ps(mmu->sim);
        miss_list_add(&mmu->in_queue, miss);
    }
}

/* By due_ps; of those due together, the one that came first. */
static void add_arrived(struct mmu *mmu, struct mmu_walk *walk)
{
    struct mmu_walk **link = &mmu->arrived;

    while (*link && (*link)->due_ps <= walk->due_ps)
        link = &(*link)->next;
    walk->next = *link;
    *link = walk;
}

/* What the operating system needs, if the walk is the first to use that entry. */
static uint64_t first_touch_ps(struct mmu *mmu, const struct mmu_walk *walk)
{
    if (mmu->first_touch_ps == 0 || walk->host_level > 0)
        return 0;
    return space_first_use(walk->page.space, walk->page.address >> walker_entry_shift(walk->level), walk->level)
        ? mmu->first_touch_ps : 0;
}

void walker_take(struct mmu *mmu, struct packet *packet)
{
    struct mmu_walk *const walk = &mmu->walks[packet->request.sequence];

    packet_give(mmu->sim->packets, packet);
    walk->due_ps = sim_now_ps(mmu->sim) + mmu->walk_step_ps + first_touch_ps(mmu, walk);
    add_arrived(mmu, walk);
}

/* A guest's page is translated last. */
static bool page_is_known(struct mmu *mmu, struct mmu_walk *walk)
{
    walk->has_leaf = true;
    return !mmu->host || host_knows(mmu, walk, space_place(walk->page.space, walk->page.address));
}

/* Returns whether that was its last entry. */
static bool take_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    if (walk->host_level > 0) {
        if (!take_host_entry(mmu, walk))
            return false;
        if (!walk->has_leaf) {
            read_at(mmu, walk, space_entry(walk->page.space, walk->page.address, walk->level));
            return false;
        }
    } else if (walk->level > leaf_level(&walk->page)) {
        struct tlb_key const key = tlb_key(space_number(walk->page.space), walk->page.address,
                                           walker_entry_shift(walk->level));

        if (!tlb_find(&mmu->walk_caches[walk->level], key))      /* another walk may have brought it meanwhile */
            tlb_put(&mmu->walk_caches[walk->level], key);
        walk->level--;
        read_entry(mmu, walk);
        return false;
    } else if (!page_is_known(mmu, walk)) {
        return false;
    }
    walk->is_busy = false;
    mmu->walk_count--;
    histogram_sample(&mmu->stats.walk_latency, sim_now_ps(mmu->sim) - walk->begin_ps);
    return true;
}

bool walker_next(struct mmu *mmu, struct tlb_key *key)
{
    while (mmu->arrived && mmu->arrived->due_ps <= sim_now_ps(mmu->sim)) {
        struct mmu_walk *const walk = mmu->arrived;

        mmu->arrived = walk->next;
        if (take_entry(mmu, walk)) {
            *key = walk->key;
            return true;
        }
    }
    return false;
}

void walker_begin_queued(struct mmu *mmu)
{
    while (mmu->in_queue.first && mmu->walk_count < mmu->walk_limit) {
        struct mmu_miss *const miss = miss_list_pop(&mmu->in_queue);

        mmu->stats.queued_ps += sim_now_ps(mmu->sim) - miss->due_ps;
        walker_ask(mmu, miss);
    }
}
