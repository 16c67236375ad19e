#include "replay/session/fit.h"

#include <stdlib.h>

/* Do the cores run MacSim's threads? Beside the kernels of a set threads are left out if there are no cores. */
static bool has_macsim(const struct session_request *request)
{
    return request->workload->macsim && !(request->workload->gpu_list && request->config->core_count == 0);
}

static bool has_threads(const struct session_request *request)
{
    return has_macsim(request) || request->workload->insn_count > 0;
}

static bool has_core_work(const struct session_request *request)
{
    return request->workload->pair_count || has_threads(request);
}

/* What elastic traces lose on detailed cores. */
static struct fault check_window(const struct session_request *request)
{
    if (request->config->pages.elastic == ELASTIC_VIRTUAL)
        return fault_make(FAULT_INPUT, "--model window executes elastic traces by their physical addresses; leave out "
                          "pages.elastic: virtual");
    if (request->limits.tick_scale < 1 || request->limits.tick_scale > 1)
        return fault_make(FAULT_INPUT, "a tick scale is for --model elastic; with --model window a trace's delays are "
                          "learnt from, not waited for");
    return fault_none();
}

/* Detailed cores execute instructions; other traces have none. */
static struct fault check_model(const struct session_request *request)
{
    const struct workload *const workload = request->workload;
    bool const has_elastic = workload->pair_count > 0;

    if (!config_is_detailed(request->config) || (!has_elastic && !has_macsim(request)))
        return fault_none();
    if (config_is_window(request->config) && has_elastic)
        return check_window(request);
    return fault_make(FAULT_INPUT, "%s has detailed cores, which execute instructions, but %.200s holds %s; give an "
                      "instruction trace, or replay this one with --model %s", request->config->name,
                      has_elastic ? workload->pairs[0].data : workload->macsim->path,
                      has_elastic ? "an elastic trace, whose records are what such a core made of them"
                                  : "MacSim's threads",
                      has_elastic ? "elastic or window" : "elastic");
}

static struct fault check_restarts(const struct session_request *request)
{
    if (!has_core_work(request))
        return fault_make(FAULT_INPUT, "--restart is for programs of cores, but no trace of a core was given; leave it "
                          "out");
    if (request->config->exit_first_core)
        return fault_make(FAULT_INPUT, "--restart goes on until the last program has ended, but %s has "
                          "exit_first_core: yes, which ends with the first; leave out one of them",
                          request->config->name);
    if (request->listener)
        return fault_make(FAULT_INPUT, "--restart: listings of the pipeline and elastic traces of detailed cores "
                          "(--pipeline, --probe) are of one pass; leave out one of them");
    return fault_none();
}

struct fault session_check_fit(const struct session_request *request)
{
    const struct system_config *const config = request->config;
    const struct workload *const workload = request->workload;
    const struct session_limits *const limits = &request->limits;

    if (workload->gpu_list && !config_has_gpu(config))
        return fault_make(FAULT_INPUT, "%s has no GPU, but %.200s holds GPU kernels; give a system such as qv100",
                          config->name, workload->gpu_list);
    if (workload->pair_count && config->core_count == 0)
        return fault_make(FAULT_INPUT, "%s has a GPU and no cores, but %.200s holds no GPU kernels; give a "
                          "kernelslist.g or its folder", config->name, workload->pairs[0].data);
    if (has_threads(request) && config->core_count == 0)
        return fault_make(FAULT_INPUT, "%s has no cores, but %.200s holds threads of a CPU", config->name,
                          workload->insn_count ? workload->insn_paths[0] : workload->macsim->path);
    if (has_threads(request) && limits->tick_scale != 1)
        return fault_make(FAULT_INPUT, "a tick scale is for elastic traces; threads of MacSim and instruction traces "
                          "have no ticks");
    if (!has_core_work(request) && (limits->warmup_records || limits->max_records))
        return fault_make(FAULT_INPUT, "%s counts records of cores, but no trace of a core was given; leave it out",
                          limits->warmup_records ? "warmup" : "records");
    if (!has_core_work(request) && !workload->gpu_list)
        return fault_make(FAULT_INPUT, "no traces were given");
    if (limits->restarts)
        FORWARD(check_restarts(request));
    FORWARD(check_model(request));
    if (workload->pair_count > 1 && workload->pair_count != config->core_count)
        return fault_make(FAULT_INPUT, "%s has %u core%s, but %zu traces were given; give one for each core, or one "
                          "for all", config->name, config->core_count, config->core_count == 1 ? "" : "s",
                          workload->pair_count);
    return fault_none();
}
