/* Modelled: the entries that translations leave in TLBs and walk caches (virtual-memory 4.1, 5), without time: a walk
 * ends before the next request comes. */
#include "memsys/tlb/mmu.h"

#include "memsys/tlb/walker.h"

struct warm_walk {
    struct mmu *mmu;
    void (*read)(void *context, uint64_t address);
    void *context;
};

static void put_new(struct tlb *tlb, struct tlb_key key)
{
    if (!tlb_find(tlb, key))
        tlb_put(tlb, key);
}

/* Reads the entries of levels from the lowest known one down to `leaf`, of which the upper ones stay in walk caches. */
static void read_tables(const struct warm_walk *walk, struct space *space, uint64_t address, unsigned leaf);

static void find_guest_address(const struct warm_walk *walk, uint64_t guest_address)
{
    struct mmu *const mmu = walk->mmu;
    struct tlb_key const key = tlb_key(space_number(mmu->host), guest_address, 12);

    if (tlb_find(&mmu->nested, key))
        return;
    read_tables(walk, mmu->host, guest_address, space_page_bytes(mmu->host) == VM_HUGE_BYTES ? 2 : 1);
    tlb_put(&mmu->nested, key);
}

static void read_tables(const struct warm_walk *walk, struct space *space, uint64_t address, unsigned leaf)
{
    struct mmu *const mmu = walk->mmu;
    unsigned level = leaf + 1;

    while (level <= VM_LEVELS
           && !tlb_find(&mmu->walk_caches[level], tlb_key(space_number(space), address, walker_entry_shift(level))))
        level++;
    while (--level >= leaf) {
        uint64_t const entry = space_entry(space, address, level);

        if (mmu->host && space != mmu->host)
            find_guest_address(walk, entry);
        if (mmu->first_touch_ps > 0 && space != mmu->host)
            space_first_use(space, address >> walker_entry_shift(level), level);
        walk->read(walk->context, entry);
        if (level > leaf)
            put_new(&mmu->walk_caches[level], tlb_key(space_number(space), address, walker_entry_shift(level)));
    }
}

void mmu_warm(struct mmu *mmu, enum mmu_side_number side, uint64_t physical,
              void (*read)(void *context, uint64_t address), void *context)
{
    struct warm_walk const walk = {mmu, read, context};
    struct vm_page const page = vm_find(mmu->memory, mmu->own, physical & ~ADDRESS_SECURE);
    struct tlb_key key;
    struct tlb *l1;

    if (!page.space)
        return;
    key = mmu_key_of(mmu, &page);
    l1 = mmu_l1_of(&mmu->sides[side], key);
    if (tlb_find(l1, key))
        return;
    if (!mmu->has_l2 || !tlb_find(&mmu->l2, key)) {
        read_tables(&walk, page.space, page.address, page.bytes == VM_HUGE_BYTES ? 2 : 1);
        if (mmu->host)
            find_guest_address(&walk, space_place(page.space, page.address));
        if (mmu->has_l2)
            tlb_put(&mmu->l2, key);
    }
    tlb_put(l1, key);
}

void mmu_warm_last(struct mmu *mmu, enum mmu_side_number side, uint64_t physical)
{
    struct vm_page const page = vm_find(mmu->memory, mmu->own, physical & ~ADDRESS_SECURE);
    struct tlb_key key;

    if (!page.space)
        return;
    key = mmu_key_of(mmu, &page);
    put_new(mmu_l1_of(&mmu->sides[side], key), key);
}
