/* rubato trace cut: takes a range of records out of a trace. */
#include "cli/common/cli.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"

static const struct cli_option options[] = {
    {"output", "DIR", "folder to write to, also -o; made if missing", CLI_INTO(TEXT, trace_request, output)},
    {"records", "A:B", "data records A to B-1, counted from 0; either may be missing (default: all)",
     CLI_WHOLE(trace_take_range)},
    {"salvage", NULL, "take the readable part of truncated files", CLI_INTO(SWITCH, trace_request, salvages)},
    TRACE_PAIR_ROWS,
    {"threads", "ID,...", "of an instruction trace: only these threads", CLI_INTO(TEXT, trace_request, threads)},
    TRACE_INSN_FORMAT_ROW,
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace cut DIR --records A:B -o OUT [options]\n"
        "rubato trace cut INSN_TRACE [--records A:B] [--threads ID,...] [--salvage] -o FILE.rbt",
    .about = "Writes deptrace.proto.gz and fetchtrace.proto.gz with a range of data records and the fetches of the "
        "same time.\nOf an instruction trace it writes an .rbt with the instructions A to B-1 of each thread; "
        "--salvage takes what is whole\nof an .rbt that is cut or damaged.",
    .options = options, .take_operand = trace_take_path,
    .notes = "Data records carry no ticks; their times in the capture are found again by following the dependences and "
        "their\ndelays. The cut's tick 0 is the earliest execution in the range. Kept are the fetches from there to "
            "the latest\nexecution, and the one before them, at tick 0; with the last record, all fetches that follow. "
                "A cut from record\n0 keeps all ticks.\n"
             "Dependences on records before the cut are dropped, as those are complete. A record that lost one keeps "
                 "its\ntime: its comp_delay counts from the last dependence left, or from the beginning of the cut.\n"
             "gem5 refuses traces of fewer than two windows of records (window_size in the header); a warning says "
             "so.\n" FORMAT_LIST_NOTE
};

int cli_trace_cut(int argc, char **argv)
{
    struct trace_request request = {.behind = UINT64_MAX};
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.output == NULL)
        return cli_usage_error(&usage, "no output was given; add -o DIR");
    if (request.path != NULL && (request.dep != NULL || request.fetch != NULL))
        return cli_usage_error(&usage, "both a folder and files were given; leave one out");
    if (request.path == NULL && (request.dep == NULL || request.fetch == NULL))
        return cli_usage_error(&usage, "no traces were given; name a folder, or both --data and --fetch");
    return trace_run(TRACE_CUT, &request, &usage);
}
