/* rubato trace pack: makes a store of a pair of traces, or of a list of GPU traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/quote.h"
#include "cli/large_pages.h"
#include "cli/macsim_options.h"
#include "cli/output_name.h"
#include "cli/shown.h"
#include "cli/trace/insn.h"
#include "cli/trace/trace.h"
#include "proto/elastic/trace_dir.h"
#include "proto/gpu/store.h"
#include "proto/kind.h"
#include "proto/macsim/set.h"
#include "proto/store/pack.h"
#include "replay/window/kept.h"

enum { OPT_OUTPUT, OPT_DATA, OPT_FETCH, OPT_COMPAT, OPT_FORMAT, OPT_NO_IMAGES, OPT_MODEL, OPT_QUIET };

static const struct cli_option options[] = {
    [OPT_OUTPUT] = {"output", "FILE", "the store to write (also -o)"},
    [OPT_DATA] = {"data", "FILE", "data dependency trace, instead of a folder with both files"},
    [OPT_FETCH] = {"fetch", "FILE", "instruction fetch trace, likewise"},
    [OPT_COMPAT] = {MACSIM_COMPAT_OPTION},
    [OPT_FORMAT] = {MACSIM_FORMAT_OPTION},
    [OPT_NO_IMAGES] = {"no-images", NULL, "of an instruction trace: without the code images that lie beside it"},
    [OPT_MODEL] = {"model", "MODEL", "window (default): a store of an elastic trace also keeps what "
        "`replay --model window` learns of it,\nwhich is 1 to 3 % of its size; elastic: it does not, and such replays "
        "learn it again each time"},
    [OPT_QUIET] = {"quiet", NULL, "say nothing when all went well"},
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

struct request {
    const char *folder, *data, *fetch, *output;
    const char *macsim_option;           /* the last one that was given; NULL: none */
    struct macsim_override format;
    const char *insn_format;             /* name; NULL: told by content */
    const char *model;                   /* of replays that the store is for; NULL: none was given */
    bool has_format, is_compat, without_images, is_quiet;
};

/* False: return the exit code. */
static bool parse(struct request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_OUTPUT: request->output = parser.value; break;
        case OPT_DATA: request->data = parser.value; break;
        case OPT_FETCH: request->fetch = parser.value; break;
        case OPT_COMPAT:
            request->macsim_option = parser.option;
            request->is_compat = true;
            break;
        case OPT_FORMAT:
            if (!cli_take_format(&parser, &request->format, &request->insn_format)) {
                *code = parser.exit_code;
                return false;
            }
            request->has_format = request->insn_format == NULL;
            if (request->has_format)
                request->macsim_option = parser.option;
            break;
        case OPT_NO_IMAGES: request->without_images = true; break;
        case OPT_MODEL:
            request->model = parser.value;
            if (strcmp(parser.value, "window") == 0 || strcmp(parser.value, "elastic") == 0)
                break;
            *code = cli_usage_error(&usage, "--model %s: replays of an elastic trace are of model elastic or window; "
                                    "expected one of them", parser.value);
            return false;
        case OPT_QUIET: request->is_quiet = true; break;
        case CLI_PARSE_OPERAND:
            if (request->folder != NULL) {
                *code = cli_usage_error(&usage, "%s: one folder at a time", parser.value);
                return false;
            }
            request->folder = cli_input_path(parser.value);
            if (request->folder == NULL) {
                *code = CLI_BAD_INPUT;
                return false;
            }
            break;
        default: *code = parser.exit_code; return false;
        }
    if (request->output == NULL)
        *code = cli_usage_error(&usage, "no output was given; expected -o FILE");
    else if ((request->folder != NULL) == (request->data != NULL || request->fetch != NULL))
        *code = cli_usage_error(&usage, "give either a folder with traces or --data and --fetch");
    else if (request->folder == NULL && (request->data == NULL || request->fetch == NULL))
        *code = cli_usage_error(&usage, "give both --data and --fetch");
    else
        return true;
    return false;
}

static int print_result(const char *path)
{
    struct fault error;
    struct store *const store = store_open(path, &error);
    const struct store_about *about;
    uint64_t source_bytes;

    if (store == NULL)
        return cli_fail_proto(&error);
    about = store_about(store);
    source_bytes = about->source[STORE_DEP].size_bytes + about->source[STORE_FETCH].size_bytes;
    printf("%s: %" PRIu64 " records, %" PRIu64 " fetches, %" PRIu64 " bytes, %.2f of the source's\n", cli_shown(path),
           about->count[STORE_DEP], about->count[STORE_FETCH], about->file_bytes,
           source_bytes > 0 ? (double)about->file_bytes / (double)source_bytes : 0);
    store_close(store);
    return CLI_OK;
}

static int pack_gpu(const struct request *request)
{
    struct trace_list_options const list_options = {
        .format = request->has_format ? &request->format : NULL, .macsim_compat = request->is_compat
    };
    struct fault error;
    struct gpu_store *store;
    const struct gpu_store_about *about;
    uint64_t source_bytes = 0;

    if (FAILS(error, trace_list_pack(request->folder, &list_options, request->output)))
        return cli_fail_proto(&error);
    store = gpu_store_open(request->output, &error);
    if (store == NULL)
        return cli_fail_proto(&error);
    about = gpu_store_about(store);
    for (size_t i = 0; i < about->kernel_count; i++)
        source_bytes += about->kernels[i].source.size_bytes + about->kernels[i].streams.bytes;
    if (!request->is_quiet)
        printf("%s: %zu kernel%s, %" PRIu64 " thread blocks, %" PRIu64 " warp instructions, %" PRIu64
               " bytes, %.2f of the source's\n", cli_shown(request->output), about->kernel_count,
               about->kernel_count == 1 ? "" : "s", about->blocks, about->insts, about->file_bytes,
               source_bytes > 0 ? (double)about->file_bytes / (double)source_bytes : 0);
    gpu_store_close(store);
    return CLI_OK;
}

static int pack_threads(const struct request *request, const struct macsim_set *set)
{
    struct fault error;
    uint64_t bytes;
    size_t threads;

    for (size_t i = 0; i < set->warning_count; i++)
        cli_warn("%s", set->warnings[i]);
    if (FAILS(error, macsim_pack_write(set, request->output, &threads, &bytes)))
        return cli_fail_proto(&error);
    if (!request->is_quiet)
        printf("%s: %zu thread%s, %" PRIu64 " bytes\n", cli_shown(request->output), threads,
               threads == 1 ? "" : "s", bytes);
    return CLI_OK;
}

/* A set of MacSim: kernels become a store of a GPU's, threads a pack. */
static int pack_macsim(const struct request *request)
{
    struct fault error;
    struct macsim_set set;
    const char *kernels = NULL, *threads = NULL;
    char rooms[2][CLI_QUOTED_MAX];
    int code;

    if (FAILS(error, macsim_set_open(&set, request->folder, request->has_format ? &request->format : NULL)))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < set.application_count; i++) {
        const char **const first = set.applications[i].is_gpu ? &kernels : &threads;

        *first = *first != NULL ? *first : set.applications[i].path;
    }
    if (kernels != NULL && threads != NULL)
        code = cli_fail_text("%s holds both kernels of a GPU and threads of a CPU, which become a file each: `rubato "
                             "trace pack %s -o FILE` and `rubato trace pack %s -o FILE`; `rubato replay SYSTEM FILE "
                             "FILE` takes both", request->folder,
                             cli_quote(kernels, rooms[0]), cli_quote(threads, rooms[1]));
    else if (threads != NULL && request->is_compat)
        code = cli_fail_text("--macsim-compat changes nothing in a pack of threads; give it to `rubato replay`");
    else
        code = kernels != NULL ? pack_gpu(request) : pack_threads(request, &set);
    macsim_set_close(&set);
    return code;
}

int cli_trace_pack(int argc, char **argv)
{
    struct request request = {0};
    enum trace_kind kind = TRACE_IS_PAIR;
    struct trace_paths paths;
    struct fault error;
    int code;

    if (!parse(&request, argc, argv, &code))
        return code;
    if (cli_output_replaces_input(request.output))
        return CLI_BAD_INPUT;
    if (request.folder != NULL)
        kind = trace_kind_of_as(request.folder, request.insn_format);
    if (trace_kind_is_insn(kind))
        kind = TRACE_IS_INSN;
    if (request.folder != NULL && FAILS(error, trace_check_known(request.folder, kind)))
        return cli_fail_proto(&error);
    if (request.macsim_option != NULL && !trace_kind_is_macsim(kind))
        return cli_fail_text("--%s is for traces of MacSim; leave it out", request.macsim_option);
    if (request.without_images && kind != TRACE_IS_INSN)
        return cli_usage_error(&usage, "--no-images is for instruction traces; leave it out");
    if (request.model != NULL && kind != TRACE_IS_PAIR)
        return cli_usage_error(&usage, "--model is for elastic traces; leave it out");
    if (!(kind == TRACE_IS_INSN ? cli_output_fits(request.output, "an instruction trace", "rbt")
                                : cli_output_fits(request.output, "a store of traces", "pack rbt")))
        return CLI_BAD_INPUT;
    if (trace_kind_is_macsim(kind))
        return pack_macsim(&request);
    if (trace_kind_is_gpu(kind))
        return pack_gpu(&request);
    if (kind == TRACE_IS_INSN)
        return trace_insn_pack(request.folder, request.insn_format, request.output, request.without_images,
                               request.is_quiet);
    if (request.folder != NULL) {
        if (FAILS(error, trace_dir_find(request.folder, &paths)))
            return cli_fail_proto(&error);
        request.data = paths.dep;
        request.fetch = paths.fetch;
    }
    large_pages_for_heap();
    large_pages_for_packing();
    error = fault_none();
    if (request.model != NULL && strcmp(request.model, "elastic") == 0)
        error = store_pack(request.data, request.fetch, request.output);
    else
        error = window_kept_pack(request.data, request.fetch, request.output, request.model != NULL);
    if (error.kind != FAULT_NONE)
        return cli_fail_proto(&error);
    return request.is_quiet ? CLI_OK : print_result(request.output);
}
