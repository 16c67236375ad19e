/* rubato trace info. */
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"

static bool take_line(void *field, struct cli_parser *parser)
{
    uint64_t *const bytes = field;

    if (!cli_parse_bytes(parser, bytes))
        return false;
    if (*bytes >= 4 && *bytes <= FOOTPRINT_PAGE_BYTES && (*bytes & (*bytes - 1)) == 0)
        return true;
    cli_usage_error(parser->usage, "--line %s: expected a power of two from 4 to 4096", parser->value);
    return false;
}

static bool take_svg(void *field, struct cli_parser *parser)
{
    *(const char **)field = parser->value;
    return cli_output_fits(parser->value, "an SVG", "svg");
}

static const struct cli_option options[] = {
    {"line", "BYTES", "size of a line of the footprint, a power of two (default 64; GPU: 128)",
     CLI_CALL(trace_request, line_bytes, take_line)},
    {"svg", "FILE.svg", "draw the miss rates by cache size into a file, too", CLI_CALL(trace_request, svg, take_svg)},
    {"json", NULL, "the same as a JSON object; of a folder of threads one for each",
     CLI_INTO(SWITCH, trace_request, is_json)},
    TRACE_FORMAT_ROW,
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace info TRACE [options]",
    .about = "Prints a trace's content. TRACE is a file, a store, or a folder with a pair of elastic traces or with\n"
             "what other tools write:\n"
             "  elastic: header, records by type, footprint, dependence and delay histograms, duration\n"
             "  GPU (a list, a folder with one, a kernel's file): header, instructions by class, accesses by space\n"
             "  MacSim (a header, a list of kernels or traces, a raw stream): how records and opcodes were recognised\n"
             "    and what they hold\n"
             "  instructions (.rbt, drmemtrace, ChampSim, lackey, din, pinatrace, Ramulator, DRAMsim3, STL, Prospero)\n"
             "    by kind, accesses, and facts missing in the format\n"
             "and of all of them the footprint and the misses of a fully associative LRU cache of any size, which\n"
             "follow from reuse distances. A dependency trace may come from a pipe or, as -, from standard input.",
    .options = options, .take_operand = trace_take_path,
    .notes = "The duration of a dependency trace is found by following the dependences and their delays; the file has\n"
             "no ticks. Misses are exact up to 2^20 distinct lines; of larger footprints a sample of the lines is\n"
             "taken, and said. Each thread of an instruction trace has a cache of its own there.\n" FORMAT_LIST_NOTE
};

int cli_trace_info(int argc, char **argv)
{
    struct trace_request request = {0};
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_INFO, &request, &usage);
}
