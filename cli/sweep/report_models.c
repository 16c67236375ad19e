/* The section about models of the cores: the error of each against the truest of the sweep. */
#include <inttypes.h>
#include <math.h>

#include "cli/common/cli.h"
#include "cli/sweep/report.h"
#include "sweep/report/effects.h"

static void error_row(struct report *report, const struct model_error *error)
{
    struct page *const page = &report->page;

    page_cell(page, "%s", error->model);
    page_cell(page, "%s", error->against);
    page_cell(page, "%zu", error->points);
    page_cell(page, "%+.2f", 100 * error->mean);
    page_cell(page, "%.2f", 100 * error->mean_magnitude);
    page_cell(page, "%+.2f", 100 * error->worst);
    page_cell(page, "%" PRIu64, report->space->points[error->worst_point].number);
    if (isnan(error->change_magnitude))
        page_cell(page, "-");
    else
        page_cell(page, "%.2f", 100 * error->change_magnitude);
    page_row_end(page);
}

int report_models(struct report *report)
{
    static const char *const headings[] = {"model", "against", "points", "mean error, %", "mean magnitude, %",
                                           "largest, %", "at point", "of changes, %"};
    struct model_error errors[MODEL_ERRORS_MOST];
    size_t count;

    if (!model_errors(&report->space->effects, errors, &count))
        return cli_fail_text("out of memory");
    if (count == 0)
        return CLI_OK;
    page_heading(&report->page, "Models of the cores");
    page_paragraph(&report->page, "Error of %s of each model against the most detailed one of this sweep, %s, over the "
                   "points that differ only in the model. The error of changes is that of the ratio to the first point "
                   "of the same workload, which is what a sweep is about.", report->metric, errors[0].against);
    page_table_begin(&report->page, NULL, headings, sizeof headings / sizeof *headings);
    for (size_t i = 0; i < count; i++)
        error_row(report, &errors[i]);
    page_table_end(&report->page);
    return CLI_OK;
}
