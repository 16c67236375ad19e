/* MSHRs with their tokens behind them, each in whole lines of the host's cache; entries that were never used are not
 * touched. */
#include "memsys/gpu/sector_mshr.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_LINE = 64 };

bool sector_mshrs_init(struct sector_mshrs *mshrs, uint32_t capacity, uint64_t merges, unsigned sector_shift,
                       bool is_hashed)
{
    size_t const bytes = sizeof(struct sector_mshr) + merges * sizeof(uint64_t);
    size_t buckets = 1;

    *mshrs = (struct sector_mshrs){.bytes = (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE, .capacity = capacity,
                                   .sector_shift = sector_shift, .free = SECTOR_NO_MSHR};
    mshrs->table = aligned_alloc(HOST_LINE, capacity * mshrs->bytes);
    if (!mshrs->table || !is_hashed)
        return mshrs->table != NULL;
    for (; buckets < capacity; buckets *= 2)
        mshrs->bucket_bits++;
    mshrs->buckets = malloc(buckets * sizeof *mshrs->buckets);
    if (mshrs->buckets)
        memset(mshrs->buckets, 0xff, buckets * sizeof *mshrs->buckets);
    return mshrs->buckets != NULL;
}

void sector_mshrs_free(struct sector_mshrs *mshrs)
{
    free(mshrs->table);
    free(mshrs->buckets);
    *mshrs = (struct sector_mshrs){0};
}

static uint32_t *sector_mshr_bucket_of(const struct sector_mshrs *mshrs, uint64_t address)
{
    uint64_t const hash = (address >> mshrs->sector_shift) * UINT64_C(0x9e3779b97f4a7c15);

    return &mshrs->buckets[mshrs->bucket_bits == 0 ? 0 : hash >> (64 - mshrs->bucket_bits)];
}

uint32_t sector_mshrs_find(const struct sector_mshrs *mshrs, uint64_t address)
{
    uint32_t at = *sector_mshr_bucket_of(mshrs, address);

    while (at != SECTOR_NO_MSHR && sector_mshr_at(mshrs, at)->address != address)
        at = sector_mshr_at(mshrs, at)->chain;
    return at;
}

void sector_mshrs_chain(struct sector_mshrs *mshrs, uint32_t at)
{
    struct sector_mshr *const mshr = sector_mshr_at(mshrs, at);
    uint32_t *const bucket = sector_mshr_bucket_of(mshrs, mshr->address);

    mshr->chain = *bucket;
    *bucket = at;
}

void sector_mshrs_unchain(struct sector_mshrs *mshrs, uint32_t at)
{
    uint32_t *link = sector_mshr_bucket_of(mshrs, sector_mshr_at(mshrs, at)->address);

    while (*link != at)
        link = &sector_mshr_at(mshrs, *link)->chain;
    *link = sector_mshr_at(mshrs, at)->chain;
}
