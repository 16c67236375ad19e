/* Where a thread's addresses lie in memory, and which pages it touches for the first time.
 *
 * Use: places_init, places_data for accesses in the order of the program, places_code for pcs of the right path in
 * it, places_find for any address; places_free.
 * Ownership: borrows the space and the ranges. */
#ifndef REPLAY_DETAILED_UOPS_PLACES_H
#define REPLAY_DETAILED_UOPS_PLACES_H

#include "base/number_map.h"
#include "memsys/vm/space.h"
#include "replay/detailed/uops/supply.h"

enum { PLACES_CACHED = 256 };
/* Pages, aligned: what Linux maps around the page of a file that is touched first (fault_around_bytes, 64 KiB) */
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
