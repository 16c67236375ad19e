/* Miss-rate curves of traces: for a fully associative LRU cache of each size (base/reuse.h), as a table
 * with bars, as JSON, as an SVG.
 *
 * Ownership: names and reuse are borrowed. */
#ifndef CLI_TRACE_REUSE_PRINT_H
#define CLI_TRACE_REUSE_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/reuse.h"

struct reuse_curve {
    const char *key;                     /* in JSON; NULL: "reuse" */
    const char *name;                    /* of the accesses: "loads and stores" */
    const struct reuse *reuse;
    uint64_t line_bytes;
    const char *order;                   /* in which they are taken, as a sentence; NULL: that of the trace */
};

struct sheet;                             /* cli/trace/sheet.h */
/* A table; nothing if nothing was touched. In JSON an object: distinct lines, and for each size its miss rate. */
void reuse_sheet(struct sheet *sheet, const struct reuse_curve *curve);
/* Writes all curves into one picture. path NULL: nothing. An exit code. */
int reuse_plot(const char *path, const char *trace, const struct reuse_curve *curves, size_t count);

/* Lines that the lanes of one instruction touch, each once. */
struct lane_lines {
    uint64_t lines[256];
    size_t count;
};
void lane_lines_add(struct lane_lines *lanes, uint64_t address, uint64_t bytes, uint64_t line_bytes);
void lane_lines_touch(const struct lane_lines *lanes, struct reuse *reuse);

/* Lines and pages that a trace's accesses touch, for pages of `rubato trace info`.
 *
 * Use: begin with {0}; footprint_touch each access; sheet_footprint (cli/trace/sheet.h); footprint_free. Memory grows
 * with the distinct lines. */

#define FOOTPRINT_PAGE_BYTES 4096u

struct footprint {
    struct number_map lines, pages;
    uint64_t lowest, highest;        /* bytes touched */
    uint64_t bytes;                  /* moved */
    uint64_t accesses, crossing;     /* crossing: more than one line */
};

/* An access of 0 bytes touches its first byte. */
void footprint_touch(struct footprint *footprint, uint64_t addr, uint64_t bytes, uint64_t line_bytes);
void footprint_free(struct footprint *footprint);

#endif
