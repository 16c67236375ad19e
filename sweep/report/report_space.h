/* Space: the points of a result file as arrays, for reports: levels on each axis, one figure of each point, and the
 * cost of each point's hardware.
 *
 * Axes are those of the sweep, then `system` and `traces` where there are several. Levels are in rising order if all
 * are numbers of one kind, else in the order of the points.
 *
 * Use: space_read, look, space_free. Ownership: all is the space's. FAULT_INPUT: no point has the figure. */
#ifndef SWEEP_REPORT_REPORT_SPACE_H
#define SWEEP_REPORT_REPORT_SPACE_H

#include "base/arena.h"
#include "replay/gpu/gpu_run.h"
#include "sweep/report/report_columns.h"
#include "sweep/report/effects.h"
#include "sweep/results/results.h"

/* Of the effective configuration. */
struct space_cost {
    double cache_bytes;                  /* all instances of all caches, those of a GPU too */
    double channels;                     /* of all memories */
    double peak_bytes_per_s;
    struct gpu_peaks gpu;                /* 0: there are no SMs */
};

struct space_point {
    uint64_t number;
    const char *state, *error;           /* error NULL: it did not fail */
    const char *config;                  /* YAML; NULL: none */
    struct space_cost cost;              /* 0: not known */
};

struct space {
    struct effects_space effects;
    struct space_point *points;          /* as many as effects has */
    size_t done, failed, to_do;
    struct arena arena;
};

/* columns: of the same file; the first is the figure that it is about, which is better when it is lower. FAULT_INPUT,
 * too, for a metric that is not. */
struct fault space_read(struct space **made, struct results *results, const struct report_columns *columns);
void space_free(struct space *space);

/* Are its levels numbers, with an order and distances? Words have neither. */
bool space_has_numbers(const struct effects_axis *axis);

/* The effective configuration of a point. FAULT_INPUT: it has none. */
struct fault space_config(const struct space_point *point, struct system_config *config);

#endif
