#include "cli/replay_macsim.h"

#include "cli/cli.h"

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

bool replay_macsim_has_threads(const struct replay_macsim *macsim)
{
    return macsim->is_open && macsim_set_has(&macsim->set, false);
}

bool replay_macsim_has_kernels(const struct replay_macsim *macsim)
{
    return macsim->is_open && macsim_set_has(&macsim->set, true);
}

int replay_macsim_threads(struct replay_macsim *macsim, const struct system_config *config,
                          struct system_traces *traces)
{
    struct fault fault;

    macsim_threads_close(macsim->threads);
    macsim->threads = macsim_cores_open(&macsim->set, &macsim->options.uops, config, traces, &fault);
    return macsim->threads ? CLI_OK : cli_fail(fault);
}

int replay_macsim_give(struct replay_macsim *macsim, struct system *system)
{
    struct fault const fault = macsim_cores_give(macsim->threads, system);

    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

void replay_macsim_warn(struct replay_macsim *macsim)
{
    const char *text;

    for (size_t i = 0; !macsim->was_warned && (text = macsim_threads_warning(macsim->threads, i)) != NULL; i++)
        cli_warn("%s", text);
    macsim->was_warned = true;
}
