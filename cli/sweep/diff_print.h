/* The output of `rubato diff`: times, the explanation of their difference, metrics, configuration. */
#ifndef CLI_SWEEP_DIFF_PRINT_H
#define CLI_SWEEP_DIFF_PRINT_H

#include <stdio.h>

#include "cli/common/table.h"
#include "replay/config/config_limits.h"
#include "replay/metrics/verdict.h"
#include "sweep/results/sample.h"

/* One side of `rubato diff`: the figures of a run, and the system that they are of, if that is known.
 *
 * A side is written as a statistics file (text or JSON), a point of a sweep (RESULTS.db:7), or a system, which then
 * runs the traces of the request. Of regions, figures are estimates; two sides are compared region by region.
 * Use: diff_side_open, diff_side_close also after a fault. */

enum { DIFF_MAX_TRACES = CONFIG_MAX_CORES, DIFF_MAX_SETTINGS = 64, DIFF_MAX_ASKED = 32 };

struct diff_request {
    const char *sides[2];
    const char *format;                          /* of instruction traces among them; NULL: detected */
    const char *traces[DIFF_MAX_TRACES];         /* of systems that are run now */
    const char *settings[2][DIFF_MAX_SETTINGS];  /* of each side's system */
    size_t side_count, trace_count, setting_counts[2];
    enum table_form form;
    bool has_all;                                /* also prints metrics that are the same */
};

struct diff_side {
    struct figures figures;
    json_t *statistics;                  /* as an object, which a sample borrows; NULL: of no sample */
    struct sample *sample;               /* that the figures are an estimate from; NULL: they are exact */
    char *config;                        /* compact YAML; NULL: not known */
    char *asked[DIFF_MAX_ASKED];         /* keys of the axes, of a point of a sweep */
    size_t asked_count;
    struct verdict verdict;
};

struct fault diff_side_open(struct diff_side *side, const struct diff_request *request, int number);
void diff_side_close(struct diff_side *side);

/* False: out of memory. */
bool diff_print(FILE *to, const struct diff_request *request, const struct diff_side sides[2]);

#endif
