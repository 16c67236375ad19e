#include "cli/trace/trace_kinds.h"

#include "cli/cli.h"
#include "proto/formats.h"

#define OF(suffix) (1u << TRACE_OPTION_##suffix)
#define OF_PAIRS (OF(SVG) | OF(DUMP_JSON) | OF(GEM5))
#define OF_INSNS (OF(SVG) | OF(NO_IMAGES) | OF(THREADS))

struct row {
    unsigned options;
    int (*run[TRACE_COMMAND_COUNT])(const struct trace_request *request);
};

static const struct row rows[] = {
    [TRACE_IS_STORE] = {OF_PAIRS | OF(FETCHES), {trace_elastic_info_store, trace_elastic_dump_store,
                        trace_elastic_verify, trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_GPU_STORE] = {OF(SVG) | OF(INFO_JSON) | OF(DUMP_JSON), {trace_gpu_info, trace_gpu_dump,
                            trace_gpu_verify, trace_gpu_pack, trace_elastic_cut}},
    [TRACE_IS_MACSIM_PACK] = {OF(INFO_JSON) | OF(DUMP_JSON) | OF(COMPAT), {trace_macsim_info, trace_macsim_dump,
                              trace_macsim_verify, trace_macsim_pack, trace_elastic_cut}},
    [TRACE_IS_MACSIM] = {OF(INFO_JSON) | OF(DUMP_JSON) | OF(COMPAT), {trace_macsim_info, trace_macsim_dump,
                         trace_elastic_verify, trace_macsim_pack, trace_elastic_cut}},
    [TRACE_IS_GPU_LIST] = {OF(SVG) | OF(INFO_JSON) | OF(DUMP_JSON), {trace_gpu_info, trace_gpu_dump,
                           trace_elastic_verify, trace_gpu_pack, trace_elastic_cut}},
    [TRACE_IS_DATA] = {OF_PAIRS, {trace_elastic_info_data, trace_elastic_dump_data, trace_elastic_verify,
                       trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_FETCH] = {OF_PAIRS | OF_INSNS, {trace_elastic_info_fetches, trace_elastic_dump_fetches,
                        trace_insn_verify, trace_insn_pack, trace_insn_cut}},
    [TRACE_IS_PAIR] = {OF_PAIRS | OF(MODEL), {trace_elastic_info_pair, trace_elastic_dump_data, trace_elastic_verify,
                       trace_elastic_pack, trace_elastic_cut}},
    [TRACE_IS_INSN] = {OF_INSNS, {trace_insn_info, trace_insn_dump, trace_insn_verify, trace_insn_pack,
                       trace_insn_cut}},
    [TRACE_IS_UNKNOWN] = {OF_PAIRS, {trace_elastic_info_unknown, trace_elastic_dump_data, trace_elastic_verify,
                          trace_elastic_pack, trace_elastic_cut}}
};

#define OPTION_TEXTS(suffix, name, of) {name, of},
static const struct { const char *name, *of; } options[] = {TRACE_OPTIONS(OPTION_TEXTS)};

static int check_options(const struct trace_request *request, const struct trace_kind *kind,
                         const struct cli_usage *usage)
{
    unsigned const wrong = request->options & ~rows[trace_number_of(kind)].options;

    for (int i = 0; i < TRACE_OPTION_COUNT; i++)
        if (wrong & 1u << i)
            return cli_usage_error(usage, "--%s is for %s, and %s is a %s; leave it out", options[i].name,
                                   options[i].of, request->path ? request->path : request->dep, kind->name);
    return CLI_OK;
}

int trace_run(enum trace_command command, const struct trace_request *request, const struct cli_usage *usage)
{
    const struct trace_kind *kind = &trace_kinds[request->has_override ? TRACE_IS_MACSIM : TRACE_IS_PAIR];
    struct fault error;
    int code;

    if (request->path && !request->has_override) {
        kind = trace_kind_of_as(request->path, request->format);
        if (FAILS(error, trace_check_known(request->path, kind)))
            return cli_fail_proto(&error);
    }
    code = check_options(request, kind, usage);
    return code == CLI_OK ? rows[trace_number_of(kind)].run[command](request) : code;
}
