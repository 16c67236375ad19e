/* Pages of a MacSim application: where its virtual addresses lie in physical memory.
 *
 * MacSim's traces have virtual addresses, elastic ones physical. Pages get frames in the order in which the threads'
 * records touch them, thread after thread, without gaps from `base` on. So the place of a page depends on the trace
 * alone, not on the replay. Or addresses are taken as they are, or another module says where pages lie.
 *
 * Use: macsim_pages_init, macsim_pages_touch for all that will be asked, macsim_pages_place, macsim_pages_free. Memory
 * grows with the footprint. */
#ifndef PROTO_MACSIM_MACSIM_PAGES_H
#define PROTO_MACSIM_MACSIM_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/number_map.h"

#define MACSIM_PAGE_BYTES UINT64_C(4096)

/* Another module that places pages. self NULL: none. */
struct macsim_places {
    struct fault (*touch)(void *self, uint64_t address, uint64_t bytes);
    uint64_t (*place)(void *self, uint64_t address);         /* UINT64_MAX: it was not touched */
    void *self;
};

struct macsim_pages {
    struct macsim_places others;         /* placement of pages by others, instead of this module */
    struct fault fault;                  /* of theirs: why a page could not be touched */
    bool is_identity;                    /* addresses are physical */
    uint64_t base, next_frame;           /* the first address, frames given so far */
    struct number_map frames;            /* by the number of the page */
    uint64_t last_number, last_frame;    /* asked last; number plus 1 */
};

void macsim_pages_init(struct macsim_pages *pages, uint64_t base, bool is_identity);
void macsim_pages_free(struct macsim_pages *pages);
/* Another application: its addresses are others, behind those so far. */
void macsim_pages_next(struct macsim_pages *pages, const struct macsim_pages *before);

/* Pages are placed by others. */
void macsim_pages_init_others(struct macsim_pages *pages, const struct macsim_places *others);

/* All pages of `bytes` at an address, which may be 0, get frames. False: out of memory, or `fault`. */
bool macsim_pages_touch(struct macsim_pages *pages, uint64_t address, uint32_t bytes);
/* Physical address; of a page that was not touched, UINT64_MAX. */
uint64_t macsim_pages_place(struct macsim_pages *pages, uint64_t address);
/* Behind the last byte given. */
static inline uint64_t macsim_pages_end(const struct macsim_pages *pages)
{
    return pages->base + pages->next_frame * MACSIM_PAGE_BYTES;
}

#endif
