/* Options that commands share which turn MacSim threads and instruction traces into elastic records. */
#ifndef CLI_MACSIM_OPTIONS_H
#define CLI_MACSIM_OPTIONS_H

#include "cli/options.h"
#include "proto/insn/formats.h"
#include "proto/insn/elastic.h"
#include "proto/macsim/detect.h"
#include "proto/macsim/elastic.h"

#define MACSIM_FORMAT_OPTION \
    {"format", "FORMAT", "read the trace as this format, whatever it looks like: a name of the list below, or\n"       \
                         "MacSim's layout and opcodes, such as C80/x86-pin313"}
/* The same of commands that read no trace of MacSim. */
#define INSN_FORMAT_OPTION                                                                                            \
    {"format", "FORMAT", "instruction traces: read it as this format, whatever it looks like (list below)"}
/* The list, for the notes of a command that has this option. */
#define FORMAT_LIST_NOTE                                                                                              \
    "FORMAT is recognised by content; --format says it where that cannot, or takes a file for another format:"        \
    INSN_FORMATS(INSN_FORMAT_LINE)
#define MACSIM_COMPAT_OPTION                                                                                          \
    {"macsim-compat", NULL, "MacSim: read records with the reference simulator's known defects"}
/* The lines of the table, with their places. */
#define MACSIM_CLI_OPTIONS(compat, latency, format)                                                                   \
    [compat] = MACSIM_COMPAT_OPTION,                                                                                  \
    [latency] = {"latency", "LATENCIES", "instruction traces: CLASS=CYCLES[,...], such as IntMult=3,IntDiv=20; "      \
                 "MacSim: those of x86 (default), skylake, skylake_x or coffee_lake"},                                \
    [format] = MACSIM_FORMAT_OPTION

/* Who may have latencies. */
struct latency_options {
    enum macsim_core_table table;
    struct insn_latencies insn;
    bool has_table, has_insn;            /* which of the two was given */
};

/* False: the error is printed, parser->exit_code set. */
bool macsim_cli_take_latency(struct cli_parser *parser, struct latency_options *latencies);
bool cli_take_insn_format(struct cli_parser *parser, const char **name);
/* *name: of a format of instruction traces, or NULL and *override is filled in. */
bool cli_take_format(struct cli_parser *parser, struct macsim_override *override, const char **name);

#endif
