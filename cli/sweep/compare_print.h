/* What `rubato compare` prints: tables for people, or the pairs and their means for programs. */
#ifndef CLI_SWEEP_COMPARE_PRINT_H
#define CLI_SWEEP_COMPARE_PRINT_H

#include "cli/common/table.h"
#include "replay/session/session.h"
#include "sweep/compare/comparison.h"

/* The end of either kind of comparison: judges, prints faults and tables. The exit code. */
int compare_finish(struct comparison *comparison, enum table_form form);

/* `rubato compare --detailed`: both sides of each pair are run now. */

struct compare_detailed_request {
    const char *const *systems, *const *traces, *const *settings;
    size_t system_count, trace_count, setting_count;
    const char *base;                    /* NULL: base, else the first system */
    const char *captures;                /* where elastic traces stay; NULL: nowhere */
    struct engine_options engine;
    struct workload_options reading;
    enum table_form form;
};

/* Returns the exit code, after printing any error. */
int compare_detailed(const struct compare_detailed_request *request);

#endif
