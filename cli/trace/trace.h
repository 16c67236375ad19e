/* The commands below `rubato trace`, and what they share. */
#ifndef CLI_TRACE_TRACE_H
#define CLI_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "proto/elastic/input.h"

/* name (also of the function cli_trace_<name>), what it does */
#define TRACE_COMMANDS(C)                                                                                             \
    C(info, "what a trace file holds: header, records or instructions, footprint, histograms, duration")               \
    C(dump, "print a trace file as text, as gem5's scripts print it, or as JSON lines")                               \
    C(build, "make a trace file from its text")                                                                       \
    C(cut, "take a range of records out of a pair of traces, also out of files that break off")                       \
    C(pack, "make a store of a pair of traces or a list of GPU traces: one file that replays read fast")              \
    C(convert, "make elastic traces of the x86 threads of a MacSim trace")                                           \
    C(elastic, "make an elastic trace of an instruction trace: run it on a detailed core")                            \
    C(group, "group the instructions of raw GPU traces by thread block and warp")                                     \
    C(verify, "check a store's hashes, and those of the files that it was made of")

#define TRACE_DECLARE(name, summary) int cli_trace_##name(int argc, char **argv);
TRACE_COMMANDS(TRACE_DECLARE)
#undef TRACE_DECLARE

/* "A:B", "A:", ":B" of the option met last -> records [first, behind). False: the error is printed, parser->exit_code
 * set. */
bool trace_parse_range(struct cli_parser *parser, uint64_t *first, uint64_t *behind);

/* "-" is standard input: the path to open for an argument. */
const char *trace_input_path(const char *argument);

static inline double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Prints a reader's warnings. */
void trace_warn(const struct input *input);

#endif
