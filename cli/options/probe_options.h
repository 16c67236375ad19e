/* Options of commands that write elastic traces of detailed cores, and the summary printed of these traces. */
#ifndef CLI_OPTIONS_PROBE_OPTIONS_H
#define CLI_OPTIONS_PROBE_OPTIONS_H

#include <stdio.h>

#include "cli/options/options.h"
#include "replay/detailed/probe/core_probes.h"

/* The lines of a table of options, bound to the core_probes_options `probe` of a struct `request`. */
#define PROBE_CLI_OPTIONS(prefix, request, probe)                                                                     \
    {prefix "window", "N", "elastic traces: depWindowSize, no dependence is longer (default 3 x ROB)",                \
     CLI_CALL(request, probe.window, probe_take_window)},                                                             \
    {prefix "virtual", NULL, "elastic traces: virtual addresses, too (traceVirtAddr)",                                \
     CLI_INTO(SWITCH, request, probe.has_virtual)},                                                                   \
    {prefix "from", "N", "elastic traces: begin when N instructions have committed (startTraceInst)",                 \
     CLI_INTO(COUNT, request, probe.from)}

/* Takes a count above 0; false: the error is printed. */
bool probe_take_window(void *window, struct cli_parser *parser);

/* Prints the contents of each trace, after the probes were closed. */
void probe_print(FILE *to, const struct core_probes *probes);
/* Warns of traces that gem5 would refuse. */
void probe_warn(const struct core_probes *probes);

#endif
