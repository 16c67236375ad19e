#include "cli/replay_macsim.h"

#include "cli/cli.h"

#define WINDOW_ROBS 3u                   /* no dependence is longer than that many reorder buffers */

int replay_macsim_open(struct replay_macsim *macsim, const char *path, const struct replay_macsim_options *options)
{
    struct proto_error error;

    *macsim = (struct replay_macsim){.options = *options};
    if (!macsim_set_open(&macsim->set, path, options->has_override ? &options->override : NULL, &error))
        return cli_fail_proto(&error);
    macsim->is_open = true;
    for (size_t i = 0; i < macsim->set.warning_count; i++)
        cli_warn("%s", macsim->set.warnings[i]);
    return CLI_OK;
}

void replay_macsim_close(struct replay_macsim *macsim)
{
    macsim_threads_close(macsim->threads);
    if (macsim->is_open)
        macsim_set_close(&macsim->set);
    *macsim = (struct replay_macsim){0};
}

static bool has_parts(const struct replay_macsim *macsim, bool is_gpu)
{
    for (size_t a = 0; a < macsim->set.application_count; a++)
        for (size_t p = 0; p < macsim->set.applications[a].part_count; p++)
            if (macsim->set.applications[a].parts[p].is_gpu == is_gpu)
                return true;
    return false;
}

bool replay_macsim_has_threads(const struct replay_macsim *macsim)
{
    return macsim->is_open && has_parts(macsim, false);
}

bool replay_macsim_has_kernels(const struct replay_macsim *macsim)
{
    return macsim->is_open && has_parts(macsim, true);
}

/* Delays in cycles of the system's cores, accesses cut at its lines. */
static struct macsim_elastic_options fit(const struct replay_macsim *macsim, const struct system_config *config)
{
    struct macsim_elastic_options options = macsim_elastic_defaults();

    options.uops = macsim->options.uops;
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

int replay_macsim_threads(struct replay_macsim *macsim, const struct system_config *config,
                          struct system_traces *traces)
{
    struct macsim_elastic_options const options = fit(macsim, config);
    struct fault fault;

    macsim_threads_close(macsim->threads);
    macsim->threads = macsim_threads_open(&macsim->set, &options, lowest_address(config), &fault);
    if (!macsim->threads)
        return cli_fail(fault);
    for (unsigned i = 0; i < config->core_count; i++) {
        bool const is_idle = i >= macsim_threads_count(macsim->threads);

        traces[i] = (struct system_traces){.is_idle = is_idle, .takes_threads = !is_idle};
    }
    return CLI_OK;
}

int replay_macsim_give(struct replay_macsim *macsim, struct system *system)
{
    struct system_threads const threads = macsim_threads_of_system(macsim->threads);
    struct fault const fault = system_set_threads(system, &threads);

    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

void replay_macsim_warn(struct replay_macsim *macsim)
{
    const char *text;

    for (size_t i = 0; !macsim->was_warned && (text = macsim_threads_warning(macsim->threads, i)) != NULL; i++)
        cli_warn("%s", text);
    macsim->was_warned = true;
}
