#include "replay/session/fit.h"

#include "replay/source/source.h"

/* Detailed cores execute instructions, or rebuild those of elastic traces. */
static struct fault check_model(const struct session_request *request, const struct source *cores)
{
    bool const is_right = config_is_window(request->config) ? cores->detail != SOURCE_NEVER
                                                            : cores->detail == SOURCE_EXECUTED;

    if (!config_is_detailed(request->config) || is_right)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s has detailed cores, which execute instructions, but %.200s holds %s%s; give an "
                      "instruction trace, or replay this one with --model %s", config_name(request->config),
                      cores->first(request->workload), cores->holds,
                      cores->why_not_detailed ? cores->why_not_detailed : "",
                      cores->other_models ? cores->other_models : "elastic");
#include "memsys/vm/vm_params.h"
#include "replay/config/config_values.h"
}

static struct fault check_restarts(const struct session_request *request, const struct source *cores)
{
    if (!cores)
        return fault_make(FAULT_INPUT, "--restart is for programs of cores, but no trace of a core was given; leave it "
                          "out");
    if (config_exits_with_first_core(request->config))
        return fault_make(FAULT_INPUT, "--restart goes on until the last program has ended, but %s has "
                          "exit_first_core: yes, which ends with the first; leave out one of them",
                          config_name(request->config));
    if (request->listener)
        return fault_make(FAULT_INPUT, "--restart: listings of the pipeline and elastic traces of detailed cores "
                          "(--pipeline, --probe) are of one pass; leave out one of them");
    return fault_none();
}

/* What counts retired instructions, and warms by walks over programs. */
static struct fault check_instructions(const struct session_request *request, const struct source *cores)
{
    const struct session_limits *const limits = &request->limits;
    const struct workload *const workload = request->workload;
    const char *const what = limits->instructions ? "--instructions" : "--warm functional";

    if (!cores || workload->insn_count == 0 || !config_is_detailed(request->config)
        || config_is_window(request->config))
        return fault_make(FAULT_INPUT, "%s counts instructions that detailed cores retire; give an instruction trace "
                          "and --model detailed, or --warmup and --records without it", what);
    if (limits->instructions && limits->max_records)
        return fault_make(FAULT_INPUT, "--records and --instructions both say where the run ends; leave out one of "
                          "them");
    if (request->runs_alone)
        return fault_make(FAULT_INPUT, "%s: --alone compares whole programs; leave out one of them", what);
    if (!limits->warms_at_once)
        return fault_none();
    if (limits->warmup_records == 0)
        return fault_make(FAULT_INPUT, "--warm functional walks over the warm-up; give --warmup N, too");
    if (workload->insn_count > config_core_count(request->config))
        return fault_make(FAULT_INPUT, "--warm functional warms the core of each program, but there are %zu programs "
                          "for %u core%s; give as many cores, or leave it out", workload->insn_count,
                          config_core_count(request->config), config_core_count(request->config) == 1 ? "" : "s");
    for (size_t i = 0; i < workload->insn_count; i++)
        if (insn_trace_threads(workload->insn[i]) > 1)
            return fault_make(FAULT_INPUT, "--warm functional walks over programs of one thread, but %.300s has %zu; "
                              "leave it out", workload->insn_paths[i], insn_trace_threads(workload->insn[i]));
    return fault_none();
}

static struct fault check_cores(const struct session_request *request, const struct source *cores)
{
    const struct system_config *const config = request->config;
    const char *const first = cores->first(request->workload);

    if (config_core_count(config) == 0)
        return fault_make(FAULT_INPUT, "%s has %sno cores, but %.200s holds %s; give %s", config_name(config),
                          cores->has_threads ? "" : "a GPU and ", first, cores->holds,
                          "a kernelslist.g or its folder, or a system with cores");
    if (cores->has_threads && request->limits.tick_scale != 1)
        return fault_make(FAULT_INPUT, "a tick scale is for elastic traces; %s have no ticks", cores->of_cores);
    FORWARD(check_model(request, cores));
    return cores->check ? cores->check(request->workload, config, request->limits.tick_scale) : fault_none();
}

struct fault session_check_fit(const struct session_request *request)
{
    const struct system_config *const config = request->config;
    const struct session_limits *const limits = &request->limits;
    const struct source *const cores = source_of_cores(request->workload, config);
    const char *const kernels = workload_kernels(request->workload);

    if (kernels && !config_has_gpu(config))
        return fault_make(FAULT_INPUT, "%s has no GPU, but %.200s holds GPU kernels; give a system such as qv100",
                          config_name(config), kernels);
    if (!cores && (limits->warmup_records || limits->max_records))
        return fault_make(FAULT_INPUT, "%s counts records of cores, but no trace of a core was given; leave it out",
                          limits->warmup_records ? "warmup" : "records");
    if (!cores && !kernels)
        return fault_make(FAULT_INPUT, "no traces were given");
    if (limits->instructions || limits->warms_at_once)
        FORWARD(check_instructions(request, cores));
    if (limits->restarts)
        FORWARD(check_restarts(request, cores));
    return cores ? check_cores(request, cores) : fault_none();
}
