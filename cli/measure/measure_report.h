/* The page of `rubato measure --report`: curves of a measurement, measured and replayed, and all benchmarks. One file
 * without references to others, and without scripts. Errors of the file show in ferror. */
#ifndef CLI_MEASURE_MEASURE_REPORT_H
#define CLI_MEASURE_MEASURE_REPORT_H

#include <stdio.h>

#include "sweep/measure/found_system.h"

void measure_report_write(FILE *to, const struct found_system *system, const struct measurement *measurement);

#endif
