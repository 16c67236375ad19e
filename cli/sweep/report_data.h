/* What the charts of a report's page are made of, as one JSON text inside the page: axes, figures, points and
 * configurations of a sweep, memories under load. cli/sweep/page/base.js reads it and says what stands where.
 *
 * Use: report_data_write after the sections, once; report->curves was filled by report_loaded_latency, or is empty.
 * Texts are made harmless and escaped here: no byte of a file's text ends the element or begins another.
 * Returns the exit code, after printing the reason. */
#ifndef CLI_SWEEP_REPORT_DATA_H
#define CLI_SWEEP_REPORT_DATA_H

#include "cli/sweep/report.h"

int report_data_write(struct report *report, struct results *results, const char *path);

/* The list of systems, traces with hashes and versions, and the sweep's file, for readers with a script or without. */
int report_provenance(struct report *report, const struct results *results, const char *path);

#endif
