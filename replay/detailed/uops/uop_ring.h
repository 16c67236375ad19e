/* Instructions that may be asked for again, by number: added at one end, released at the other.
 *
 * Use: begin with {0}; ring_slot, ring_accesses and ring_add for each instruction; ring_at; ring_release; ring_free.
 * Ownership: an instruction and its accesses stay where they are until they are released; the ring grows as long as
 * nothing is. NULL when out of memory. */
#ifndef REPLAY_DETAILED_UOPS_UOP_RING_H
#define REPLAY_DETAILED_UOPS_UOP_RING_H

#include "base/number_map.h"
#include "memsys/vm/vm_space.h"
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

/* Where a thread's addresses lie in memory, and which pages it touches for the first time.
 *
 * Use: places_init, places_data for accesses in the order of the program, places_code for pcs of the right path in
 * it, places_find for any address; places_free.
 * Ownership: borrows the space and the ranges. */

enum { PLACES_CACHED = 256 };
/* Pages, aligned: mapped by Linux around the first touched page of a file (fault_around_bytes, 64 KiB) */
enum { PLACES_AROUND = 16 };

/* Addresses from `address` on. */
struct supply_range { uint64_t address, bytes; };

struct places {
    struct space *space;                 /* NULL: addresses are physical */
    bool finds_first_touches;
    bool loads_around;                   /* a page of code gets its place with its neighbours (PLACES_AROUND): no
                                          * image gives all of them theirs at the start */
    const struct supply_range *mapped;   /* pages in which nothing is a first touch */
    size_t mapped_count;
    struct number_map touched;           /* pages */
    uint64_t code_page;                  /* that of the last pc; UINT64_MAX: none */
    struct cached_page { uint64_t page, base; } data[PLACES_CACHED], code[PLACES_CACHED];
};

void places_init(struct places *places, struct space *space);
void places_free(struct places *places);

/* Fills place, has_place, is_first_touch of an access whose address and size are set. */
struct fault places_data(struct places *places, struct supply_access *access);
struct fault places_code(struct places *places, uint64_t pc, unsigned bytes);
/* False: the page has no place. */
bool places_find(struct places *places, uint64_t address, uint64_t *place);

#endif
