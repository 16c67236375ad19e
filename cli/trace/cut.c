/* rubato trace cut: takes a range of records out of a trace. */
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_kinds.h"

enum { OPT_OUTPUT, OPT_RECORDS, OPT_SALVAGE, OPT_DATA, OPT_FETCH, OPT_THREADS, OPT_FORMAT };

static const struct cli_option options[] = {
    [OPT_OUTPUT] = {"output", "DIR", "folder to write to, also -o; made if missing", CLI_NUMBERED},
    [OPT_RECORDS] = {"records", "A:B", "data records A to B-1, counted from 0; either may be missing (default: all)",
     CLI_NUMBERED},
    [OPT_SALVAGE] = {"salvage", NULL, "take what files that break off still hold", CLI_NUMBERED},
    [OPT_DATA] = {"data", "FILE", "data dependency trace, instead of a folder with both files", CLI_NUMBERED},
    [OPT_FETCH] = {"fetch", "FILE", "instruction fetch trace, likewise", CLI_NUMBERED},
    [OPT_THREADS] = {"threads", "ID,...", "of an instruction trace: only these threads", CLI_NUMBERED},
    [OPT_FORMAT] = {INSN_FORMAT_OPTION, CLI_NUMBERED},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace cut DIR --records A:B -o OUT [options]\n"
        "rubato trace cut INSN_TRACE [--records A:B] [--threads ID,...] [--salvage] -o FILE.rbt",
    .about = "Writes deptrace.proto.gz and fetchtrace.proto.gz with a range of data records and the fetches of the "
        "same time.\nOf an instruction trace it writes an .rbt with the instructions A to B-1 of each thread; "
        "--salvage takes what is whole\nof an .rbt that is cut or damaged.",
    .options = options,
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

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_OUTPUT: request.output = parser.value; break;
        case OPT_SALVAGE: request.salvages = true; break;
        case OPT_DATA: request.dep = parser.value; break;
        case OPT_FETCH: request.fetch = parser.value; break;
        case OPT_THREADS:
            request.threads = parser.value;
            request.options |= 1u << TRACE_OPTION_THREADS;
            break;
        case OPT_FORMAT:
            if (!cli_take_insn_format(&request.format, &parser))
                return parser.exit_code;
            break;
        case OPT_RECORDS:
            if (!trace_parse_range(&parser, &request.first, &request.behind))
                return parser.exit_code;
            break;
        case CLI_PARSE_OPERAND:
            if (request.path != NULL)
                return cli_usage_error(&usage, "%s: one folder at a time", parser.value);
            request.path = cli_input_path(parser.value);
            if (request.path == NULL)
                return CLI_BAD_INPUT;
            break;
        default: return parser.exit_code;
        }
    if (request.output == NULL)
        return cli_usage_error(&usage, "no output was given; add -o DIR");
    if (request.path != NULL && (request.dep != NULL || request.fetch != NULL))
        return cli_usage_error(&usage, "both a folder and files were given; leave one out");
    if (request.path == NULL && (request.dep == NULL || request.fetch == NULL))
        return cli_usage_error(&usage, "no traces were given; name a folder, or both --data and --fetch");
    return trace_run(TRACE_CUT, &request, &usage);
}
