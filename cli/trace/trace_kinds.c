#include "cli/trace/trace_kinds.h"

#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/cli_input.h"
#include "proto/trace_formats.h"

/* Options that not all kinds take: suffix, name, whether it was given, of which kinds it is. */
#define TRACE_OPTIONS(O)                                                                                              \
    O(SVG, "svg", request->svg, "elastic, instruction and GPU traces")                                                \
    O(GEM5, "gem5", request->is_gem5, "elastic traces")                                                               \
    O(FETCHES, "fetches", request->of_fetches, "stores of elastic traces")                                            \
    O(COMPAT, "macsim-compat", request->is_compat, "traces of MacSim")                                                \
    O(NO_IMAGES, "no-images", request->without_images, "instruction traces")                                          \
    O(NO_PROGRAM, "no-program", request->without_program, "instruction traces")                                       \
    O(MODEL, "model", request->model, "elastic traces")                                                               \
    O(THREADS, "threads", request->threads, "instruction traces")

#define TRACE_OPTION_ENUM(suffix, name, given, of) TRACE_OPTION_##suffix,
enum trace_option { TRACE_OPTIONS(TRACE_OPTION_ENUM) TRACE_OPTION_COUNT };

#define OF(suffix) (1u << TRACE_OPTION_##suffix)
#define OF_PAIRS (OF(SVG) | OF(GEM5))
#define CONVERTS_SET (TRACE_CONVERTS_MACSIM | TRACE_CONVERTS_KERNELS)
#define OF_INSNS (OF(SVG) | OF(NO_IMAGES) | OF(NO_PROGRAM) | OF(THREADS))

struct row {
    unsigned options, conversions;
    int (*run[TRACE_COMMAND_COUNT])(const struct trace_request *request);
};

static const struct row rows[] = {
    [TRACE_IS_STORE] = {OF_PAIRS | OF(FETCHES), 0, {trace_elastic_info_store, trace_elastic_dump_store,
                        trace_elastic_verify, trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_GPU_STORE] = {OF(SVG), TRACE_CONVERTS_KERNELS, {trace_gpu_info, trace_gpu_dump,
                            trace_gpu_verify, trace_gpu_pack, trace_elastic_cut}},
    [TRACE_IS_MACSIM_PACK] = {OF(COMPAT), CONVERTS_SET, {trace_macsim_info, trace_macsim_dump,
                              trace_macsim_verify, trace_macsim_pack, trace_elastic_cut}},
    [TRACE_IS_MACSIM] = {OF(COMPAT), CONVERTS_SET, {trace_macsim_info, trace_macsim_dump,
                         trace_elastic_verify, trace_macsim_pack, trace_elastic_cut}},
    [TRACE_IS_GPU_LIST] = {OF(SVG), TRACE_CONVERTS_KERNELS, {trace_gpu_info, trace_gpu_dump,
                           trace_elastic_verify, trace_gpu_pack, trace_elastic_cut}},
    [TRACE_IS_DATA] = {OF_PAIRS, 0, {trace_elastic_info_data, trace_elastic_dump_data, trace_elastic_verify,
                       trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_FETCH] = {OF_PAIRS | OF_INSNS, TRACE_CONVERTS_INSNS, {trace_elastic_info_fetches,
                        trace_elastic_dump_fetches, trace_insn_verify, trace_insn_pack, trace_insn_cut}},
    [TRACE_IS_PAIR] = {OF_PAIRS | OF(MODEL), 0, {trace_elastic_info_pair, trace_elastic_dump_data, trace_elastic_verify,
                       trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_INSN] = {OF_INSNS, TRACE_CONVERTS_INSNS, {trace_insn_info, trace_insn_dump, trace_insn_verify,
                       trace_insn_pack, trace_insn_cut}},
    [TRACE_IS_UNKNOWN] = {OF_PAIRS, TRACE_CONVERTS_MACSIM, {trace_elastic_info_unknown, trace_elastic_dump_data,
                          trace_elastic_verify, trace_elastic_pack, trace_elastic_cut}}
};

#define OPTION_TEXTS(suffix, name, given, of) {name, of},
static const struct { const char *name, *of; } options[] = {TRACE_OPTIONS(OPTION_TEXTS)};

#define OPTION_BIT(suffix, name, given, of) | ((given) ? OF(suffix) : 0)
static int check_options(const struct trace_request *request, const struct trace_kind *kind,
                         const struct cli_usage *usage)
{
    unsigned const given = 0 TRACE_OPTIONS(OPTION_BIT), wrong = given & ~rows[trace_number_of(kind)].options;

    for (int i = 0; i < TRACE_OPTION_COUNT; i++)
        if (wrong & 1u << i)
            return cli_usage_error(usage, "--%s is for %s, and %s is a %s; leave it out", options[i].name,
                                   options[i].of, request->path ? request->path : request->dep, kind->name);
    return CLI_OK;
}

bool trace_take_format(void *field, struct cli_parser *parser)
{
    struct trace_request *const request = field;

    if (!cli_take_format(parser, &request->override, &request->format))
        return false;
    request->has_override = request->format == NULL;
    return true;
}

bool trace_take_path(void *field, struct cli_parser *parser)
{
    struct trace_request *const request = field;

    if (request->path)
        cli_usage_error(parser->usage, "%s: one trace at a time", parser->value);
    else if ((request->path = cli_input_path(parser->value)) != NULL)
        return true;
    return false;
}

bool trace_take_range(void *field, struct cli_parser *parser)
{
    struct trace_request *const request = field;
    uint64_t *const first = &request->first, *const behind = &request->behind;
    const char *const whole = parser->value;
    const char *const colon = strchr(whole, ':');
    size_t const length = colon != NULL ? (size_t)(colon - whole) : 0;
    char left[40] = "";
    bool good = colon != NULL && length < sizeof left;

    *first = 0;
    *behind = UINT64_MAX;
    if (!good) {
        cli_usage_error(parser->usage, "--%s %s: expected A:B, the first record (from 0) and the "
                        "one behind the last", parser->option, whole);
        return false;
    }
    memcpy(left, whole, length);
    if (length > 0) {
        parser->value = left;
        good = cli_parse_count(parser, first);
    }
    if (good && colon[1] != '\0') {
        parser->value = colon + 1;
        good = cli_parse_count(parser, behind);
    }
    parser->value = whole;
    if (good && *first >= *behind) {
        cli_usage_error(parser->usage, "--%s %s: the range is empty; expected A below B", parser->option, whole);
        return false;
    }
    return good;
}

unsigned trace_conversions(const struct trace_kind *kind)
{
    return rows[trace_number_of(kind)].conversions;
}

int trace_run(enum trace_command command, const struct trace_request *request, const struct cli_usage *usage)
{
    const struct trace_kind *kind = &trace_kinds[request->has_override ? TRACE_IS_MACSIM : TRACE_IS_PAIR];
    struct trace_request of_kind = *request;
    struct fault error;
    int code;

    if (request->path && !request->has_override) {
        kind = trace_kind_of_as(request->path, request->format);
        if (FAILS(error, trace_check_known(request->path, kind)))
            return cli_fail_proto(&error);
    }
    of_kind.kind = kind;
    code = check_options(request, kind, usage);
    return code == CLI_OK ? rows[trace_number_of(kind)].run[command](&of_kind) : code;
}
