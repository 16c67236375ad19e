/* The sections of `rubato report`, each a heading, charts and the numbers behind them.
 *
 * Functions that can fail print the reason and return the exit code. */
#ifndef CLI_SWEEP_REPORT_H
#define CLI_SWEEP_REPORT_H

#include "base/json.h"
#include "cli/sweep/report_page.h"
#include "sweep/compare/comparison.h"
#include "sweep/report/columns.h"
#include "sweep/report/space.h"

struct report {
    struct page page;
    const struct space *space;
    const struct report_columns *columns;    /* metric is the first */
    const char *metric;
    struct effects_design *designs;      /* of the space, fastest first once they are ranked; complete ones first */
    size_t design_count;
    struct json curves;                  /* of the memories under load, for report_data.h */
};

/* effects_designs, ranked. */
int report_rank(struct report *report);

void report_summary(struct report *report, const char *path);
int report_best(struct report *report);
int report_axes(struct report *report);
/* rows, columns: keys of the axes to show; NULL: those that interact most. */
int report_pairs(struct report *report, const char *rows, const char *columns);
int report_fronts(struct report *report);
int report_loaded_latency(struct report *report);
int report_comparison(struct report *report, const struct comparison *comparison);
/* Where the sweep has several models of its cores. */
int report_models(struct report *report);
void report_failures(struct report *report);

#endif
