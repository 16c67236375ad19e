/* The commands below `rubato trace`, and what they share. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "proto/dep_trace.h"
#include "proto/packet_trace.h"
#include "replay/trace_pair.h"

/* name (also of the function cli_trace_<name>), what it does */
#define TRACE_COMMANDS(C)                                                                                             \
    C(info, "what a trace file holds: header, records or instructions, footprint, histograms, duration")               \
    C(dump, "print a trace file as text, as gem5's scripts print it, or as JSON lines")                               \
    C(build, "make a trace file from its text")                                                                       \
    C(cut, "take a range of records out of a pair of traces, also out of files that break off")                       \
    C(pack, "make a store of a pair of traces or a list of GPU traces: one file that replays read fast")              \
    C(convert, "make elastic traces of the x86 threads of a MacSim trace")                                           \
    C(group, "group the instructions of raw GPU traces by thread block and warp")                                     \
    C(verify, "check a store's hashes, and those of the files that it was made of")

#define TRACE_DECLARE(name, summary) int cli_trace_##name(int argc, char **argv);
TRACE_COMMANDS(TRACE_DECLARE)
#undef TRACE_DECLARE

/* "A:B", "A:", ":B" of the option met last -> records [first, behind). False: the error is printed, parser->exit_code
 * set. */
bool trace_parse_range(struct cli_parser *parser, uint64_t *first, uint64_t *behind);

/* Prints the reader's warnings. */
void trace_warn_dep(const struct dep_reader *reader);
void trace_warn_packet(const struct packet_reader *reader);
/* The same of a replay's input, be it files or a store. */
void trace_warn_input(const struct trace_input *input);

#endif
