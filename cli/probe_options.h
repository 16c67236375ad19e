/* Options of commands that write elastic traces of detailed cores, and what they print of them. */
#ifndef CLI_PROBE_OPTIONS_H
#define CLI_PROBE_OPTIONS_H

#include <stdio.h>

#include "cli/options.h"
#include "replay/detailed/probe/core_probes.h"

/* The lines of a table, with their places; `prefix` stands before the names. */
#define PROBE_CLI_OPTIONS(prefix, window, virtual, from)                                                              \
    [window] = {prefix "window", "N", "elastic traces: depWindowSize, no dependence is longer (default 3 x ROB)"},    \
    [virtual] = {prefix "virtual", NULL, "elastic traces: virtual addresses, too (traceVirtAddr)"},                   \
    [from] = {prefix "from", "N", "elastic traces: begin when N instructions have committed (startTraceInst)"}

/* False: the error is printed, parser->exit_code set. */
bool probe_take_window(struct core_probes_options *options, struct cli_parser *parser);
bool probe_take_from(struct core_probes_options *options, struct cli_parser *parser);

/* Of probes that were closed: what each trace holds. */
void probe_print(FILE *to, const struct core_probes *probes);
/* Warns of traces that gem5 would refuse. */
void probe_warn(const struct core_probes *probes);

#endif
