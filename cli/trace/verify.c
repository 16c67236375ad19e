/* rubato trace verify. */
#include "cli/common/cli.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"

static const struct cli_option options[] = {TRACE_INSN_FORMAT_ROW, {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato trace verify FILE",
    .about = "Checks a store of elastic or GPU traces: the hash of every block, every record or instruction, and "
        "whether\nthe files that it was made of are still the same (a file that is gone is only mentioned).\n"
        "Of an instruction trace of any format: reads every record of every thread, of an .rbt with all checksums.",
    .options = options, .take_operand = trace_take_path,
    .notes = FORMAT_LIST_NOTE "\n"
        "Exit code: 0, 1 if a source has changed, 2 if the store or the trace is damaged, or cut."
};

int cli_trace_verify(int argc, char **argv)
{
    struct trace_request request = {0};
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.path == NULL)
        return cli_usage_error(&usage, "no file was given");
    return trace_run(TRACE_VERIFY, &request, &usage);
}
