/* Miss-rate curves of traces: what a fully associative LRU cache of each size would miss (base/reuse.h), as a table
 * with bars, as JSON, as an SVG.
 *
 * Ownership: names and reuse are borrowed. */
#ifndef CLI_TRACE_REUSE_PRINT_H
#define CLI_TRACE_REUSE_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/reuse.h"

struct reuse_curve {
    const char *name;                    /* of the accesses: "loads and stores" */
    const struct reuse *reuse;
    uint64_t line_bytes;
    const char *order;                   /* in which they are taken, as a sentence; NULL: that of the trace */
};

/* Nothing if nothing was touched. */
void reuse_print(FILE *to, const struct reuse_curve *curve);
/* A member "reuse": distinct lines, and for each size its miss rate. */
void reuse_put_json(struct json *json, const struct reuse_curve *curve);
/* Writes all curves into one picture. path NULL: nothing. An exit code. */
int reuse_plot(const char *path, const char *trace, const struct reuse_curve *curves, size_t count);

/* Lines that the lanes of one instruction touch, each once. */
struct lane_lines {
    uint64_t lines[256];
    size_t count;
};
void lane_lines_add(struct lane_lines *lanes, uint64_t address, uint64_t bytes, uint64_t line_bytes);
void lane_lines_touch(const struct lane_lines *lanes, struct reuse *reuse);

#endif
