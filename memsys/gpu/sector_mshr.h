/* Sectors of a sectored cache that are on their way, and the tokens of those who wait for them (gpu-traces 12.1).
 *
 * MSHRs are known by number. Where lines are taken at the miss, a line keeps the numbers of its pending sectors;
 * elsewhere they are found by address (is_hashed).
 *
 * Use: sector_mshrs_init; sector_mshrs_take while fewer than `capacity` are taken; sector_mshrs_give. Nothing is
 * allocated after init. Ownership: the table owns its arrays. */
#ifndef MEMSYS_GPU_SECTOR_MSHR_H
#define MEMSYS_GPU_SECTOR_MSHR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


#define SECTOR_NO_MSHR UINT32_MAX

struct sector_mshr {
    uint64_t address;
    void *owner;                         /* of the atomic */
    uint32_t chain;                      /* next of the bucket, or of the free ones */
    uint32_t count : 30;                 /* of tokens */
    uint32_t has_atomic : 1;
    uint32_t is_modest : 1;              /* the read that took it */
    uint64_t tokens[];                   /* as many as may be merged */
};

struct sector_mshrs {
    char *table;                         /* see sector_mshr_at */
    size_t bytes;                        /* of an MSHR */
    uint32_t *buckets;                   /* hash chains by address; NULL if MSHRs are found by their line instead */
    unsigned bucket_bits, sector_shift;
    uint32_t capacity, taken;
    uint32_t fresh, free;                /* fresh: those from here on were never used */
};

/* False: out of memory. */
bool sector_mshrs_init(struct sector_mshrs *mshrs, uint32_t capacity, uint64_t merges, unsigned sector_shift,
                       bool is_hashed);
void sector_mshrs_free(struct sector_mshrs *mshrs);

static inline struct sector_mshr *sector_mshr_at(const struct sector_mshrs *mshrs, uint32_t at)
{
    return (struct sector_mshr *)(void *)(mshrs->table + at * mshrs->bytes);
}

/* The MSHR of a sector, if they are found by address. */
uint32_t sector_mshrs_find(const struct sector_mshrs *mshrs, uint64_t address);

/* Use sector_mshrs_take and sector_mshrs_give: these are their halves for those that are found by address. */
void sector_mshrs_chain(struct sector_mshrs *mshrs, uint32_t at);
void sector_mshrs_unchain(struct sector_mshrs *mshrs, uint32_t at);

/* The one that sector_mshrs_take will give. */
static inline uint32_t sector_mshrs_next(const struct sector_mshrs *mshrs)
{
    return mshrs->free == SECTOR_NO_MSHR ? mshrs->fresh : mshrs->free;
}

/* One without tokens. */
static inline uint32_t sector_mshrs_take(struct sector_mshrs *mshrs, uint64_t address)
{
    uint32_t const at = sector_mshrs_next(mshrs);

    if (mshrs->free == SECTOR_NO_MSHR)
        mshrs->fresh++;
    else
        mshrs->free = sector_mshr_at(mshrs, at)->chain;
    *sector_mshr_at(mshrs, at) = (struct sector_mshr){.address = address};
    mshrs->taken++;
    if (mshrs->buckets)
        sector_mshrs_chain(mshrs, at);
    return at;
}

static inline void sector_mshrs_give(struct sector_mshrs *mshrs, uint32_t at)
{
    if (mshrs->buckets)
        sector_mshrs_unchain(mshrs, at);
    sector_mshr_at(mshrs, at)->chain = mshrs->free;
    mshrs->free = at;
    mshrs->taken--;
}

#endif
