/* Memory of a machine: pages of 4 KiB, those that exist.
 *
 * Use: begin with {0}; pages_map for large ranges and pages_make for single pages that exist, pages_read and
 * pages_write; pages_free. Units: bytes; values are little-endian, of at most 8 bytes, at any address.
 * Ownership: the pages are its own. Out of memory, or more than 16 GiB of pages: has_failed, and writes are lost. */
#ifndef REPLAY_DETAILED_RV64_RV64_PAGES_H
#define REPLAY_DETAILED_RV64_RV64_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"

enum { PAGES_CACHED = 64, PAGES_BYTES = 4096 };

struct pages_range { uint64_t first, last; };        /* page numbers */

struct pages {
    struct number_map map;               /* page number: place in list, plus 1 */
    uint8_t **list;
    uint64_t count;
    struct pages_range *ranges;          /* their pages exist, and take memory when they are written */
    uint64_t range_count;
    bool has_failed;
    struct { uint64_t page; uint8_t *bytes; } cached[PAGES_CACHED];      /* bytes NULL: none */
};

void pages_free(struct pages *pages);
/* All pages of `bytes` at an address exist from now on; new ones are zero. pages_map takes memory for none of them. */
void pages_map(struct pages *pages, uint64_t address, uint64_t bytes);
void pages_make(struct pages *pages, uint64_t address, uint64_t bytes);
/* Do all pages of the access exist? */
bool pages_have(struct pages *pages, uint64_t address, unsigned bytes);
/* Bytes of pages that do not exist read as 0, and are not written. */
uint64_t pages_read(struct pages *pages, uint64_t address, unsigned bytes);
void pages_write(struct pages *pages, uint64_t address, unsigned bytes, uint64_t value);
/* Any number of bytes, into pages that are made; pages_clear: zeros. */
void pages_clear(struct pages *pages, uint64_t address, uint64_t bytes);
void pages_fill(struct pages *pages, uint64_t address, const uint8_t *bytes, uint64_t count);
/* Zeros where pages exist; none is made. */
void pages_wipe(struct pages *pages, uint64_t address, uint64_t bytes);

#endif
