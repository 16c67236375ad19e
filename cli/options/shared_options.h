/* shared_options: see each part. */
#ifndef CLI_OPTIONS_SHARED_OPTIONS_H
#define CLI_OPTIONS_SHARED_OPTIONS_H

#include "cli/common/table.h"
#include "cli/options/options.h"
#include "proto/insn/formats.h"
#include "proto/insn/insn_elastic.h"
#include "proto/macsim/detect.h"
#include "proto/macsim/macsim_elastic.h"

/* Options that commands share which turn MacSim threads and instruction traces into elastic records. */

/* Lines of tables of options, without what takes their values. */
#define MACSIM_FORMAT_OPTION \
    "format", "FORMAT", "read the trace as this format, without detection: a name of the list below, or\n"             \
                        "MacSim's layout and opcodes, such as C80/x86-pin313"
/* The same of commands that read no trace of MacSim. */
#define INSN_FORMAT_OPTION                                                                                            \
    "format", "FORMAT", "instruction traces: read it as this format, without detection (list below)"
/* The list, for the notes of a command that has this option. */
#define FORMAT_LIST_NOTE                                                                                              \
    "FORMAT is recognised by content; --format sets it if that fails, or overrides it:"                               \
    INSN_FORMATS(INSN_FORMAT_LINE)
#define MACSIM_COMPAT_OPTION                                                                                          \
    "macsim-compat", NULL, "MacSim: read records with the reference simulator's known defects"
#define LATENCY_CLI_OPTION                                                                                            \
    "latency", "LATENCIES", "instruction traces: CLASS=CYCLES[,...], such as IntMult=3,IntDiv=20; "                   \
    "MacSim: those of x86 (default), skylake, skylake_x or coffee_lake"

/* Who may have latencies. */
struct latency_options {
    enum macsim_core_table table;
    struct insn_latencies insn;
    bool has_table, has_insn;            /* which of the two was given */
};

/* Takes the value of --latency into a struct latency_options (cli/options/options.h); false: the error is printed. */
bool macsim_cli_take_latency(void *latencies, struct cli_parser *parser);
/* The same of --format and the name of a format. */
bool cli_take_insn_format(void *name, struct cli_parser *parser);
/* *name: of a format of instruction traces, or NULL and *override is filled in. */
bool cli_take_format(struct cli_parser *parser, struct macsim_override *override, const char **name);

/* --tsv, --csv and --json of commands whose results are a table (cli/common/table.h): the lines of their options, bound
 * to an enum table_form that begins as TABLE_TEXT. */

#define TABLE_OPTIONS(request, form)                                                                                  \
    {"tsv", NULL, "print tab-separated columns", CLI_CALL(request, form, table_take_form)},                           \
    {"csv", NULL, "print comma-separated columns", CLI_CALL(request, form, table_take_form)},                         \
    {"json", NULL, "print JSON", CLI_CALL(request, form, table_take_form)}

/* The form that the option is called. False: another one was given before, which is said. */
bool table_take_form(void *form, struct cli_parser *parser);

#endif
