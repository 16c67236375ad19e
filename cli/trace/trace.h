/* The commands below `rubato trace` (TRACE_COMMANDS of cli/cli.h), and what they share. */
#ifndef CLI_TRACE_TRACE_H
#define CLI_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "proto/elastic/input.h"

#define TRACE_DECLARE(name, summary) int cli_trace_##name(int argc, char **argv);
TRACE_COMMANDS(TRACE_DECLARE)
#undef TRACE_DECLARE

/* "A:B", "A:", ":B" of the option met last -> records [first, behind). False: the error is printed, parser->exit_code
 * set. */
bool trace_parse_range(struct cli_parser *parser, uint64_t *first, uint64_t *behind);

static inline double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Prints a reader's warnings. */
void trace_warn(const struct input *input);

#endif
