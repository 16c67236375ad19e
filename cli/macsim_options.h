/* Options that commands share which turn MacSim threads into elastic records. */
#ifndef CLI_MACSIM_OPTIONS_H
#define CLI_MACSIM_OPTIONS_H

#include "cli/options.h"
#include "proto/macsim/detect.h"
#include "proto/macsim/elastic.h"

#define MACSIM_FORMAT_OPTION \
    {"format", "FORMAT", "MacSim: records are of this layout and opcodes, such as C80/x86-pin313"}
#define MACSIM_COMPAT_OPTION                                                                                          \
    {"macsim-compat", NULL, "MacSim: read records with the reference simulator's known defects"}
/* The lines of the table, with their places. */
#define MACSIM_CLI_OPTIONS(compat, latency, format)                                                                   \
    [compat] = MACSIM_COMPAT_OPTION,                                                                                  \
    [latency] = {"latency", "TABLE", "MacSim: latencies of x86 (default), skylake, skylake_x or coffee_lake"},        \
    [format] = MACSIM_FORMAT_OPTION

/* False: the error is printed, parser->exit_code set. */
bool macsim_cli_take_latency(struct cli_parser *parser, enum macsim_core_table *table);
bool macsim_cli_take_format(struct cli_parser *parser, struct macsim_override *override);

#endif
