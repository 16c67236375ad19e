/* Sectored cache: tags, outstanding misses, and the requests that they cause below (gpu-traces 12.1, 12.2). The L1 of
 * an SM and an L2 slice are such caches; who owns one times it.
 *
 * Use: sector_cache_init; sector_cache_access for each sector, which returns the outcome and the requests to send
 * below; sector_cache_fill when a fetched sector arrives, which gives the tokens of all that waited for it;
 * sector_cache_flush at the end of a kernel. Nothing is allocated after init. Units: bytes; addresses of sectors are
 * multiples of sector_bytes. Ownership: the cache owns its arrays; tokens are the caller's. */
#ifndef MEMSYS_GPU_SECTOR_CACHE_H
#define MEMSYS_GPU_SECTOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct sector_cache_params;

enum sector_outcome {
    SECTOR_HIT,
    SECTOR_HIT_RESERVED,                 /* it is on its way; a read waits with the others */
    SECTOR_MISS,                         /* no such line */
    SECTOR_SECTOR_MISS,                  /* the line, but not the sector */
    SECTOR_RESERVATION_FAIL              /* nothing has changed: try again in a later cycle */
};

enum { SECTOR_MAX_SENDS = 40 };          /* a fetch, a write, and the sectors of a victim */

struct sector_send {
    uint64_t address;                    /* of the sector */
    uint32_t bytes;                      /* that are written; a fetch: sector_bytes */
    uint32_t mshr;                       /* of a fetch */
    bool is_write;
    bool is_write_back;                  /* of a victim */
    void *owner;                         /* of a victim: of the write that made it dirty; else the access's */
};

struct sector_result {
    enum sector_outcome outcome;
    bool is_waiting;                     /* the token comes back by sector_cache_fill; else the access is done */
    unsigned send_count;
    struct sector_send sends[SECTOR_MAX_SENDS];
};

struct sector_access {
    uint64_t address;                    /* of the sector */
    uint64_t byte_mask;                  /* of a write: bytes of the sector; of sectors above 64 bytes, its 64ths */
    uint64_t token;                      /* of a read: comes back by sector_cache_fill */
    void *owner;                         /* stays with a sector that the access makes dirty */
    bool is_write;
    bool is_local;                       /* local memory, which some caches write back */
    bool is_atomic;                      /* a read that makes the sector dirty once it is there */
    bool is_modest;                      /* a read that leaves a line of each set to others; sector_cache_split_mshrs */
    bool is_first;                       /* a read that takes a dirty line rather than wait for one under way */
};

struct sector_cache;

/* Faults name the key to change. `ways`: as params->ways at most is allocated; see sector_cache_set_ways. */
struct fault sector_cache_init(struct sector_cache **cache, const struct sector_cache_params *params);
void sector_cache_free(struct sector_cache *cache);

/* From here on modest reads may take one half of the MSHRs, and all others the other. */
void sector_cache_split_mshrs(struct sector_cache *cache);

/* The cache has `ways` ways from here on (at most params->ways); it must be empty. */
void sector_cache_set_ways(struct sector_cache *cache, uint64_t ways);

/* For prefetch hints only: the memory that an access to the address reads first, and the MSHR with that number; NULL:
 * none. */
const void *sector_cache_line_at(const struct sector_cache *cache, uint64_t address);
const void *sector_cache_mshr_at(const struct sector_cache *cache, uint32_t mshr);

/* miss_room: the number of requests to the level below that the caller can accept; the write-backs of a victim count
 * as one. An access that needs more fails with RESERVATION_FAIL, unless miss_room is params->miss_queue. */
void sector_cache_access(struct sector_cache *cache, const struct sector_access *access, unsigned miss_room,
                         struct sector_result *result);

/* A fetched sector has arrived. Returns the number of tokens written, at most params->merges; victims that make room
 * (alloc on fill) come in `result`. */
unsigned sector_cache_fill(struct sector_cache *cache, uint64_t address, uint64_t *tokens,
                           struct sector_result *result);

/* Makes the sector present and clean, as after a copy. A victim is dropped without a write-back. */
void sector_cache_preload(struct sector_cache *cache, uint64_t address);

/* Of two copies another is to be the only one: this clean sector is no longer there. One on its way stays. */
void sector_cache_drop(struct sector_cache *cache, uint64_t address);

/* Empties the cache; dirty sectors go to `send` if it is not NULL. No access may be outstanding. */
void sector_cache_flush(struct sector_cache *cache, void (*send)(void *context, const struct sector_send *send),
                        void *context);

/* Outstanding sectors. */
uint64_t sector_cache_outstanding(const struct sector_cache *cache);

#endif
