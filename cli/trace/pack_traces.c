/* rubato trace pack. */
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"

static bool take_model(void *model, struct cli_parser *parser)
{
    *(const char **)model = parser->value;
    if (strcmp(parser->value, "window") == 0 || strcmp(parser->value, "elastic") == 0)
        return true;
    cli_usage_error(parser->usage, "--model %s: replays of an elastic trace are of model elastic or "
                    "window; expected one of them", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"output", "FILE", "the store to write (also -o)", CLI_INTO(TEXT, trace_request, output)},
    TRACE_PAIR_ROWS,
    {MACSIM_COMPAT_OPTION, CLI_INTO(SWITCH, trace_request, is_compat)},
    TRACE_FORMAT_ROW,
    {"no-images", NULL, "of an instruction trace: without the code images in its folder",
     CLI_INTO(SWITCH, trace_request, without_images)},
    {"no-program", NULL, "of an instruction trace: without its program, which wrong paths have their values of",
     CLI_INTO(SWITCH, trace_request, without_program)},
    {"model", "MODEL", "window (default): a store of an elastic trace also keeps what "
        "`replay --model window` learns of it,\nwhich is 1 to 3 % of its size; elastic: it does not, and such replays "
        "learn it again each time", CLI_CALL(trace_request, model, take_model)},
    {"quiet", NULL, "say nothing when all went well", CLI_INTO(SWITCH, trace_request, is_quiet)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace pack DIR -o FILE\nrubato trace pack --data FILE --fetch FILE -o FILE\n"
        "rubato trace pack LIST -o FILE\nrubato trace pack MACSIM_SET -o FILE\n"
        "rubato trace pack INSN_TRACE -o FILE.rbt",
    .about = "Makes a store of a pair of traces: one file, smaller than the gzip files, from which `rubato replay "
        "SYSTEM FILE`\nreads many times faster. It holds every field of every record. Of a list of GPU traces, or a "
        "folder with one, it\nmakes a store of the list and all its kernels; so it does of MacSim's kernels, "
        "whose warps have a file each.\nMacSim's CPU threads become a pack: one file with their records, which "
        "replays, `trace info`, `trace dump` and\n`trace convert` read like the set.\nInstruction traces "
        "(drmemtrace, ChampSim, lackey and others; a file, or a folder with one for each thread)\nbecome an .rbt: all "
        "threads with their markers, code images and page map, about a tenth of a byte an instruction.",
    .options = options, .take_operand = trace_take_path,
    .notes = "The file appears whole or not at all.\n" FORMAT_LIST_NOTE
};

int cli_trace_pack(int argc, char **argv)
{
    struct trace_request request = {0};
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.output == NULL)
        return cli_usage_error(&usage, "no output was given; expected -o FILE");
    if ((request.path != NULL) == (request.dep != NULL || request.fetch != NULL))
        return cli_usage_error(&usage, "give either a folder with traces or --data and --fetch");
    if (request.path == NULL && (request.dep == NULL || request.fetch == NULL))
        return cli_usage_error(&usage, "give both --data and --fetch");
    if (cli_output_replaces_input(request.output))
        return CLI_BAD_INPUT;
    return trace_run(TRACE_PACK, &request, &usage);
}
