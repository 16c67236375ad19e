/* Instructions that may be asked for again, by number: added at one end, released at the other.
 *
 * Use: begin with {0}; ring_slot, ring_accesses and ring_add for each instruction; ring_at; ring_release; ring_free.
 * Ownership: an instruction and its accesses stay where they are until they are released; the ring grows as long as
 * nothing is. NULL when out of memory. */
#ifndef REPLAY_DETAILED_UOPS_RING_H
#define REPLAY_DETAILED_UOPS_RING_H

#include "replay/detailed/uops/supply.h"

enum { RING_CHUNK_SHIFT = 10, RING_CHUNK = 1 << RING_CHUNK_SHIFT };

struct access_block;

struct ring_chunk {
    struct supply_insn insns[RING_CHUNK];
    struct access_block *first, *last;   /* last: the one that is being filled */
    struct ring_chunk *next;             /* of those that are free */
};

struct ring {
    struct ring_chunk **chunks;          /* of number n: chunks[(n / RING_CHUNK) % room] */
    uint64_t room;                       /* a power of two, or 0 */
    uint64_t first, count;               /* first: not released yet; count: the next one's number */
    struct ring_chunk *free;
};

/* Where the next instruction is to be put, with arbitrary contents. */
struct supply_insn *ring_slot(struct ring *ring);
/* Room for the accesses of the instruction at ring_slot. */
struct supply_access *ring_accesses(struct ring *ring, unsigned count);
static inline void ring_add(struct ring *ring)
{
    ring->count++;
}

static inline const struct supply_insn *ring_at(const struct ring *ring, uint64_t number)
{
    return &ring->chunks[number >> RING_CHUNK_SHIFT & (ring->room - 1)]->insns[number & (RING_CHUNK - 1)];
}

/* All below `number`, which is at most ring->count. */
void ring_release(struct ring *ring, uint64_t number);
void ring_free(struct ring *ring);

#endif
