/* rubato trace info. */
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/output_name.h"
#include "cli/trace/footprint.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_kinds.h"

enum { OPT_LINE, OPT_SVG, OPT_JSON, OPT_FORMAT };

static const struct cli_option options[] = {
    [OPT_LINE] = {"line", "BYTES", "size of a line of the footprint, a power of two (default 64; GPU: 128)",
     CLI_NUMBERED},
    [OPT_SVG] = {"svg", "FILE.svg", "draw the miss rates by cache size into a file, too", CLI_NUMBERED},
    [OPT_JSON] = {"json", NULL, "of a GPU or MacSim trace: the same as a JSON object", CLI_NUMBERED},
    [OPT_FORMAT] = {MACSIM_FORMAT_OPTION, CLI_NUMBERED},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace info TRACE [options]",
    .about = "Prints what a trace holds. TRACE is a file, a store, or a folder with a pair of elastic traces or with\n"
             "what other tools write:\n"
             "  elastic: header, records by type, footprint, dependence and delay histograms, duration\n"
             "  GPU (a list, a folder with one, a kernel's file): header, instructions by class, accesses by space\n"
             "  MacSim (a header, a list of kernels or traces, a raw stream): how records and opcodes were recognised\n"
             "    and what they hold\n"
             "  instructions (.rbt, drmemtrace, ChampSim, lackey, din, pinatrace, Ramulator, DRAMsim3, STL, Prospero)\n"
             "    by kind, accesses, and what the format lacks\n"
             "and of all of them the footprint and the misses of a fully associative LRU cache of any size, which\n"
             "follow from reuse distances. A dependency trace may come from a pipe or, as -, from standard input.",
    .options = options,
    .notes = "The duration of a dependency trace is found by following the dependences and their delays; the file has\n"
             "no ticks. Misses are exact up to 2^20 distinct lines; of larger footprints a sample of the lines is\n"
             "taken, and said. Each thread of an instruction trace has a cache of its own there.\n" FORMAT_LIST_NOTE
};

int cli_trace_info(int argc, char **argv)
{
    struct trace_request request = {0};
    struct cli_parser parser;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_LINE:
            if (!cli_parse_bytes(&parser, &request.line_bytes))
                return parser.exit_code;
            if (request.line_bytes < 4 || request.line_bytes > FOOTPRINT_PAGE_BYTES
                || (request.line_bytes & (request.line_bytes - 1)) != 0)
                return cli_usage_error(&usage, "--line %s: expected a power of two from 4 to 4096", parser.value);
            break;
        case OPT_SVG:
            request.svg = parser.value;
            request.options |= 1u << TRACE_OPTION_SVG;
            if (!cli_output_fits(request.svg, "an SVG", "svg"))
                return CLI_BAD_INPUT;
            break;
        case OPT_JSON:
            request.is_json = true;
            request.options |= 1u << TRACE_OPTION_INFO_JSON;
            break;
        case OPT_FORMAT:
            if (!cli_take_format(&parser, &request.override, &request.format))
                return parser.exit_code;
            request.has_override = request.format == NULL;
            break;
        case CLI_PARSE_OPERAND:
            if (request.path != NULL)
                return cli_usage_error(&usage, "%s: one file at a time", parser.value);
            request.path = cli_input_path(parser.value);
            if (request.path == NULL)
                return CLI_BAD_INPUT;
            break;
        default: return parser.exit_code;
        }
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_INFO, &request, &usage);
}
