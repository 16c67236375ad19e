/* Which lines and pages a trace's accesses touch, for pages of `rubato trace info`.
 *
 * Use: begin with {0}; footprint_touch each access; footprint_print; footprint_free. Memory grows with the distinct
 * lines. */
#ifndef CLI_TRACE_FOOTPRINT_H
#define CLI_TRACE_FOOTPRINT_H

#include <stdint.h>

#include "cli/number_set.h"

#define FOOTPRINT_PAGE_BYTES 4096u

struct footprint {
    struct number_set lines, pages;
    uint64_t lowest, highest;        /* bytes touched */
    uint64_t bytes;                  /* moved */
    uint64_t accesses, crossing;     /* crossing: more than one line */
};

/* An access of 0 bytes touches its first byte. */
void footprint_touch(struct footprint *footprint, uint64_t addr, uint64_t bytes, uint64_t line_bytes);
void footprint_free(struct footprint *footprint);

/* A line of text; none if nothing was touched. */
void footprint_print(const char *name, const struct footprint *footprint, uint64_t line_bytes);
/* "3.2 MiB". */
void trace_print_bytes(uint64_t bytes);

#endif
