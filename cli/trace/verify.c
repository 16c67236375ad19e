/* rubato trace verify. */
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_kinds.h"

enum { OPT_FORMAT };

static const struct cli_option options[] = {[OPT_FORMAT] = {INSN_FORMAT_OPTION, CLI_NUMBERED}, {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato trace verify FILE",
    .about = "Checks a store of elastic or GPU traces: the hash of every block, every record or instruction, and "
        "whether\nthe files that it was made of are still the same (a file that is gone is only mentioned).\n"
        "Of an instruction trace of any format: reads every record of every thread, of an .rbt with all checksums.",
    .options = options,
    .notes = FORMAT_LIST_NOTE "\n"
        "Exit code: 0, 1 if a source has changed, 2 if the store or the trace is damaged, or cut."
};

int cli_trace_verify(int argc, char **argv)
{
    struct trace_request request = {0};
    struct cli_parser parser;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;) {
        if (what == OPT_FORMAT && cli_take_insn_format(&request.format, &parser))
            continue;
        if (what != CLI_PARSE_OPERAND)
            return parser.exit_code;
        if (request.path != NULL)
            return cli_usage_error(&usage, "%s: one file at a time", parser.value);
        request.path = cli_input_path(parser.value);
        if (request.path == NULL)
            return CLI_BAD_INPUT;
    }
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_VERIFY, &request, &usage);
}
