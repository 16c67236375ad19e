/* What `rubato traffic` prints: points as table, TSV or JSON, and the loaded-latency curve as a picture. */
#ifndef CLI_TRAFFIC_TRAFFIC_PRINT_H
#define CLI_TRAFFIC_TRAFFIC_PRINT_H

#include <stdio.h>

#include "replay/traffic/curve.h"

/* What is the same for all points. */
struct traffic_title {
    const char *system, *pattern;        /* "random", .., or the trace's name */
    double read_share;                   /* not of a trace */
    bool is_trace;
    double peak_bytes_per_s;
    uint64_t requests, warmup;           /* of a point */
};

void traffic_print_table(FILE *to, const struct traffic_title *title, const struct traffic_point *points,
                         unsigned count);
void traffic_print_tsv(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count);
/* False: out of memory. */
bool traffic_print_json(FILE *to, const struct traffic_title *title, const struct traffic_point *points,
                        unsigned count);

/* Bandwidth to the right, latency upwards in a logarithmic scale: mean and p99 of the points that the memory could keep
 * up with, and of the full memory. Latencies of a rate that is too high depend on the length of the run, and are left
 * out. Nothing is drawn without reads. */
void traffic_plot_text(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count);
void traffic_plot_svg(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count);

#endif
