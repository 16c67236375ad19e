/* rubato results --conclude: the sentences of a report's first screen, as text. */
#include <stdlib.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/sweep/report.h"
#include "cli/sweep/results_print.h"

int results_conclude(FILE *to, struct results *results, const char *path, const char *metric, size_t baseline)
{
    struct report report = {.metric = metric, .baseline = baseline};
    struct report_columns *columns = NULL;
    struct space *space = NULL;
    const struct metric *const known = metrics_find(metric);
    struct fault fault;
    int code;

    if (known && known->better != METRIC_LOWER)
        return cli_fail_text("--value %s: is not better when it is lower; name a metric that is (`rubato results "
                             "--metrics` says which)", cli_shown(metric));
    fault = report_columns_read(&columns, results, &metric, 1);
    if (fault.kind == FAULT_NONE)
        fault = space_read(&space, results, columns);
    report.space = space;
    report.columns = columns;
    if (fault.kind == FAULT_NONE)
        fault = report_samples_read(&report, results);
    if (fault.kind == FAULT_NONE) {
        code = report_conclude(&report);
        if (code == CLI_OK)
            report_conclusions_print(&report, to);
        conclusions_free(&report.conclusions);
    } else {
        code = text_begins(fault_text(fault), path) ? cli_fail(fault) : cli_fail_text("%s: %s", path,
                                                                                     fault_text(fault));
    }
    report_samples_free(&report);
    report_columns_free(columns);
    space_free(space);
    return code;
}
