#include "replay/session/macsim_cores.h"

#define WINDOW_ROBS 3u                   /* no dependence is longer than that many reorder buffers */

/* Delays in cycles of the system's cores, accesses cut at its lines. */
static struct macsim_elastic_options fit(const struct macsim_uop_options *uops, const struct system_config *config)
{
    struct macsim_elastic_options options = macsim_elastic_defaults();

    options.uops = *uops;
    options.period_ps = config->cpu_clock_ps;
    options.line_bytes = (uint32_t)config->line_bytes;
    if (options.fetch_bytes > options.line_bytes)
        options.fetch_bytes = options.line_bytes;
    for (unsigned i = 0; i < config->core_count; i++)
        if (WINDOW_ROBS * config->cores[i].params.rob > options.window)
            options.window = (uint32_t)(WINDOW_ROBS * config->cores[i].params.rob);
    return options;
}

static uint64_t lowest_address(const struct system_config *config)
{
    uint64_t lowest = config->memories[0].base;

    for (unsigned i = 1; i < config->memory_count; i++)
        if (config->memories[i].base < lowest)
            lowest = config->memories[i].base;
    return lowest;
}

struct macsim_threads *macsim_cores_open(const struct macsim_set *set, const struct macsim_uop_options *uops,
                                         const struct system_config *config, struct vm_memory *spaces,
                                         const struct threads_pick *pick, struct system_traces *traces,
                                         struct fault *fault)
{
    struct macsim_elastic_options const options = fit(uops, config);
    struct macsim_memory const memory = {lowest_address(config), spaces, config->pages_map, *pick};
    struct macsim_threads *const threads = macsim_threads_open(set, &options, &memory, fault);

    for (unsigned i = 0; threads && i < config->core_count; i++) {
        bool const is_idle = i >= macsim_threads_count(threads);

        traces[i] = (struct system_traces){.is_idle = is_idle, .takes_threads = !is_idle, .memory = spaces};
    }
    return threads;
}

struct fault macsim_cores_give(struct macsim_threads *threads, struct system *system)
{
    struct system_threads const of_system = macsim_threads_of_system(threads);

    return system_set_threads(system, &of_system);
}
