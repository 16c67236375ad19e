#include "replay/session/insn_cores.h"

#include "replay/config/unloaded.h"

#define WINDOW_ROBS 3u                   /* no dependence is longer than that many reorder buffers */

/* Delays in cycles of the system's cores, accesses cut at its lines. */
static struct insn_elastic_options fit(const struct insn_read_options *read, const struct system_config *config)
{
    struct insn_elastic_options options = insn_elastic_defaults();

    options.latencies = read->latencies;
    options.depend.period_ps = config->cpu_clock_ps;
    options.depend.line_bytes = (uint32_t)config->line_bytes;
    if (options.depend.fetch_bytes > options.depend.line_bytes)
        options.depend.fetch_bytes = options.depend.line_bytes;
    for (unsigned i = 0; i < config->core_count; i++)
        if (WINDOW_ROBS * config->cores[i].params.rob > options.depend.window)
            options.depend.window = (uint32_t)(WINDOW_ROBS * config->cores[i].params.rob);
    return options;
}

struct insn_threads *insn_cores_open(struct insn_trace *const *insn_traces, size_t count,
                                     const struct insn_read_options *read, const struct system_config *config,
                                     struct vm_memory *spaces, const struct threads_pick *pick,
                                     struct system_traces *traces, struct fault *fault)
{
    struct insn_threads_setup const setup = {
        .traces = insn_traces, .trace_count = count, .options = fit(read, config), .is_free = read->is_free,
        .memory = spaces, .pages_map = config->pages_map, .needs_all_pages = config->pages.huge == HUGE_THRESHOLD,
        .addresses = config->pages.addresses, .is_identity = config->pages.policy == PLACEMENT_IDENTITY,
        .memory_clock_ps = memory_clock_ps(config), .is_detailed = config_is_detailed(config),
        .wrong_path_loads = config->detailed.wrong_path_loads,
        .wrong_path_values = config->detailed.wrong_path_values, .pick = *pick};
    struct insn_threads *const threads = insn_threads_open(&setup, fault);

    for (unsigned i = 0; threads && i < config->core_count; i++) {
        bool const is_idle = i >= insn_threads_count(threads);

        traces[i] = (struct system_traces){.is_idle = is_idle, .takes_threads = !is_idle, .memory = spaces};
    }
    return threads;
}

struct fault insn_cores_give(struct insn_threads *threads, struct system *system)
{
    struct system_threads const of_system = insn_threads_of_system(threads);

    return system_set_threads(system, &of_system);
}
