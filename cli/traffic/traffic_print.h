/* What `rubato traffic` prints: points as a table, and the loaded-latency curve as a picture. */
#ifndef CLI_TRAFFIC_TRAFFIC_PRINT_H
#define CLI_TRAFFIC_TRAFFIC_PRINT_H

#include <stdio.h>

#include "cli/common/table.h"
#include "cli/traffic/traffic_detail_print.h"
#include "replay/traffic/traffic.h"

enum { TRAFFIC_MOST_LINES = 11 };        /* 0 to 100 % in steps of 10 */

/* Data common to all points. */
struct traffic_title {
    const char *system, *pattern;        /* "random", .., or the trace's name */
    double read_share;                   /* not of a trace; negative: each line has its own */
    bool is_trace;
    double peak_bytes_per_s;
    uint64_t requests, warmup;           /* of a point */
    const struct traffic_measured *measured;     /* of one measurement, for JSON; NULL: none */
};

/* A curve of several. */
struct traffic_line {
    double read_share;                   /* as it was asked for */
    const struct traffic_point *points;
    unsigned count;
};

/* The points of all lines, each behind the read share of its line; as text a row a line: what an unloaded memory takes,
 * what it takes at half and at four fifths of the peak (missing: it does not get there), and the highest bandwidth. */
bool traffic_print_lines(FILE *to, enum table_form form, const struct traffic_title *title,
                         const struct traffic_line *lines, unsigned count);
/* As traffic_plot, the means of each line up to the last rate that the memory kept up with, and the peak marked. */
void traffic_plot_lines(FILE *to, bool is_svg, const struct traffic_title *title, const struct traffic_line *lines,
                        unsigned count);

/* JSON is an object with the title and the points. False: out of memory. */
bool traffic_print(FILE *to, enum table_form form, const struct traffic_title *title,
                   const struct traffic_point *points, unsigned count);

/* Bandwidth to the right, latency upwards in a logarithmic scale: mean and p99 of the points that the memory could keep
 * up with, and of the full memory. Latencies of a rate that is too high depend on the length of the run, and are left
 * out. Without reads an SVG is empty, and nothing is printed as text. */
void traffic_plot(FILE *to, bool is_svg, const struct traffic_title *title, const struct traffic_point *points,
                  unsigned count);

#endif
