/* rubato trace pack. */
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/output_name.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_kinds.h"

enum { OPT_OUTPUT, OPT_DATA, OPT_FETCH, OPT_COMPAT, OPT_FORMAT, OPT_NO_IMAGES, OPT_MODEL, OPT_QUIET };

static const struct cli_option options[] = {
    [OPT_OUTPUT] = {"output", "FILE", "the store to write (also -o)", CLI_NUMBERED},
    [OPT_DATA] = {"data", "FILE", "data dependency trace, instead of a folder with both files", CLI_NUMBERED},
    [OPT_FETCH] = {"fetch", "FILE", "instruction fetch trace, likewise", CLI_NUMBERED},
    [OPT_COMPAT] = {MACSIM_COMPAT_OPTION, CLI_NUMBERED},
    [OPT_FORMAT] = {MACSIM_FORMAT_OPTION, CLI_NUMBERED},
    [OPT_NO_IMAGES] = {"no-images", NULL, "of an instruction trace: without the code images that lie beside it",
     CLI_NUMBERED},
    [OPT_MODEL] = {"model", "MODEL", "window (default): a store of an elastic trace also keeps what "
        "`replay --model window` learns of it,\nwhich is 1 to 3 % of its size; elastic: it does not, and such replays "
        "learn it again each time", CLI_NUMBERED},
    [OPT_QUIET] = {"quiet", NULL, "say nothing when all went well", CLI_NUMBERED},
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
    .options = options,
    .notes = "The file appears whole or not at all.\n" FORMAT_LIST_NOTE
};

/* False: return the exit code. */
static bool parse(struct trace_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_OUTPUT: request->output = parser.value; break;
        case OPT_DATA: request->dep = parser.value; break;
        case OPT_FETCH: request->fetch = parser.value; break;
        case OPT_COMPAT:
            request->is_compat = true;
            request->options |= 1u << TRACE_OPTION_COMPAT;
            break;
        case OPT_FORMAT:
            if (!cli_take_format(&parser, &request->override, &request->format)) {
                *code = parser.exit_code;
                return false;
            }
            request->has_override = request->format == NULL;
            break;
        case OPT_NO_IMAGES:
            request->without_images = true;
            request->options |= 1u << TRACE_OPTION_NO_IMAGES;
            break;
        case OPT_MODEL:
            request->model = parser.value;
            request->options |= 1u << TRACE_OPTION_MODEL;
            if (strcmp(parser.value, "window") == 0 || strcmp(parser.value, "elastic") == 0)
                break;
            *code = cli_usage_error(&usage, "--model %s: replays of an elastic trace are of model elastic or window; "
                                    "expected one of them", parser.value);
            return false;
        case OPT_QUIET: request->is_quiet = true; break;
        case CLI_PARSE_OPERAND:
            if (request->path != NULL) {
                *code = cli_usage_error(&usage, "%s: one folder at a time", parser.value);
                return false;
            }
            request->path = cli_input_path(parser.value);
            if (request->path == NULL) {
                *code = CLI_BAD_INPUT;
                return false;
            }
            break;
        default: *code = parser.exit_code; return false;
        }
    if (request->output == NULL)
        *code = cli_usage_error(&usage, "no output was given; expected -o FILE");
    else if ((request->path != NULL) == (request->dep != NULL || request->fetch != NULL))
        *code = cli_usage_error(&usage, "give either a folder with traces or --data and --fetch");
    else if (request->path == NULL && (request->dep == NULL || request->fetch == NULL))
        *code = cli_usage_error(&usage, "give both --data and --fetch");
    else
        return true;
    return false;
}

int cli_trace_pack(int argc, char **argv)
{
    struct trace_request request = {0};
    int code;

    if (!parse(&request, argc, argv, &code))
        return code;
    if (cli_output_replaces_input(request.output))
        return CLI_BAD_INPUT;
    return trace_run(TRACE_PACK, &request, &usage);
}
