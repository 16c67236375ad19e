/* Shared by the commands: their entry points, exit codes, faults made visible, output files.
 *
 * A command is `int cli_<name>(int argc, char **argv)`; argv[0] is its own name ("replay"), the answer is the exit
 * code. Adding one: write cli/<name>.c, add a line to CLI_COMMANDS. Options: cli/options/options.h. Results go to
 * stdout, everything else (errors, warnings, progress) to stderr, each message one line that begins "rubato: ". cli/
 * is the only folder that prints, exits and reads arguments. */
#ifndef CLI_COMMON_CLI_H
#define CLI_COMMON_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fault.h"
#include "cli/common/output.h"
#include "include/rubato.h"
#include "replay/source/warn_sink.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_DIFFERS = 1,     /* a comparison found a difference */
    CLI_BAD_INPUT = 2,   /* usage, files, configuration */
    CLI_STALLED = 3      /* the replay cannot continue */
};

/* name (also of the function cli_<name>), summary: the list of `rubato --help` and main's dispatch */
#define CLI_COMMANDS(C)                                                                                               \
    C(replay, "replay traces on a memory system and print the results")                                               \
    C(sweep, "replay traces on many systems, on all cores, and keep every result")                                    \
    C(search, "find the best designs of a sweep, or a front of several objectives, with few runs")                     \
    C(results, "list, filter and export the results of a sweep")                                                      \
    C(report, "one HTML page with charts of the results of a sweep")                                                  \
    C(diff, "the differences between two runs, and their causes")                                                     \
    C(traffic, "drive the memories of a system by themselves: bandwidth against latency")                             \
    C(compare, "how far replays are from detailed timing, and why")                                                   \
    C(view, "watch a replay while it runs, or a recording of one")                                                    \
    C(export, "a recording of a replay as CSV, Parquet or as a trace for Perfetto")                                   \
    C(capture, "run a program and write the instructions that it executes to a trace")                                \
    C(measure, "measure this host with microbenchmarks, and write its system")                                        \
    C(trace, "show, build, cut, pack and convert trace files")                                                        \
    C(regions, "choose the parts of a long trace that stand for all of it")                                           \
    C(config, "list all systems; show one with every parameter, its peak bandwidth and latencies")                    \
    C(plugin, "build a prefetcher, policy or predictor of your own as a module")

/* The same of `rubato trace`, whose functions are cli_trace_<name>. */
#define TRACE_COMMANDS(C)                                                                                             \
    C(info, "the content of a trace file: header, records or instructions, footprint, histograms, duration")           \
    C(dump, "print a trace file as text, as gem5's scripts print it, or as JSON lines")                               \
    C(build, "make a trace file from its text")                                                                       \
    C(cut, "take a range of records out of a pair of traces, also out of files that break off")                       \
    C(pack, "make a store of a pair of traces or a list of GPU traces: one file that replays read fast")              \
    C(convert, "make elastic traces of the x86 threads of a MacSim trace")                                           \
    C(elastic, "make an elastic trace of an instruction trace: run it on a detailed core")                            \
    C(group, "group the instructions of raw GPU traces by thread block and warp")                                     \
    C(verify, "check a store's hashes, and those of the files that it was made of")

#define CLI_DECLARE(name, summary) int cli_##name(int argc, char **argv);
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* Prints "rubato: <text>" on stderr and returns the exit code that belongs to it. */
int cli_fail(struct fault fault);
int cli_fail_proto(const struct fault *error);
int cli_fail_text(const char *format, ...) __attribute__((format(printf, 1, 2)));    /* bad input */
/* Where failures of this thread go in place of stderr, as long as it takes them. It must outlive the thread's work. */
struct cli_listener {
    bool (*take)(void *context, const char *text);
    void *context;
};
void cli_listen(const struct cli_listener *listener);        /* NULL: stderr again */
/* Prints "rubato: warning: <text>" on stderr. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "rubato: note: <text>" on stderr. */
void cli_note(const char *text);
/* The same for warnings of the model. */
extern const struct warn_sink cli_warnings;

#endif
