/* Modelled: virtual-memory 5: walks of three or four dependent reads, walk caches that skip the upper ones, a limit of
 * walks at once, one walk for all requests that wait for a page. Not modelled: accessed and dirty bits, which are set
 * already; walks for prefetches of the hardware, which have physical addresses.
 *
 * A walk's next read is issued in the tick in which the entry before came. */
#include "memsys/tlb/walker.h"

#define ENTRY_BYTES 8

/* The address bits that choose the entry of a level. */
static unsigned entry_shift(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static unsigned leaf_level(const struct vm_page *page)
{
    return page->bytes == VM_HUGE_BYTES ? 2 : 1;
}

static void read_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    uint64_t const address = space_entry(walk->page.space, walk->page.address, walk->level);
    struct packet *packet;

    assert(address != VM_NOWHERE);       /* placing a page also makes its tables */
    packet = packet_take_line(mmu->sim->packets, address, ENTRY_BYTES, mmu->requestor, CMD_ReadReq);
    packet->request.sequence = (uint64_t)(walk - mmu->walks);
    packet_list_add(&mmu->reads, packet);
    mmu->stats.walk_reads++;
}

/* The lowest entry that a walk cache has says where the next level's table is. */
static unsigned first_level(struct mmu *mmu, const struct vm_page *page)
{
    uint64_t *const hits[VM_LEVELS + 1] = {NULL, NULL, &mmu->stats.level2_hits, &mmu->stats.level3_hits,
                                           &mmu->stats.level4_hits};

    for (unsigned level = leaf_level(page) + 1; level <= VM_LEVELS; level++)
        if (tlb_find(&mmu->walk_caches[level], tlb_key(space_number(page->space), page->address,
                                                       entry_shift(level)))) {
            ++*hits[level];
            return level - 1;
        }
    return VM_LEVELS;
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

void walker_take(struct mmu *mmu, struct packet *packet)
{
    struct mmu_walk *const walk = &mmu->walks[packet->request.sequence];

    packet_give(mmu->sim->packets, packet);
    walk->next = NULL;
    if (mmu->arrived)
        mmu->arrived_last->next = walk;
    else
        mmu->arrived = walk;
    mmu->arrived_last = walk;
}

/* Returns whether that was its last entry. */
static bool take_entry(struct mmu *mmu, struct mmu_walk *walk)
{
    if (walk->level > leaf_level(&walk->page)) {
        struct tlb_key const key = tlb_key(space_number(walk->page.space), walk->page.address,
                                           entry_shift(walk->level));

        if (!tlb_find(&mmu->walk_caches[walk->level], key))      /* another walk may have brought it meanwhile */
            tlb_put(&mmu->walk_caches[walk->level], key);
        walk->level--;
        read_entry(mmu, walk);
        return false;
    }
    walk->is_busy = false;
    mmu->walk_count--;
    histogram_sample(&mmu->stats.walk_latency, sim_now_ps(mmu->sim) - walk->begin_ps);
    return true;
}

bool walker_next(struct mmu *mmu, struct tlb_key *key)
{
    while (mmu->arrived) {
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
