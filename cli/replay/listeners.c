#include "cli/replay/listeners.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/output.h"
#include "cli/options/probe_options.h"
#include "replay/config/config_values.h"

enum { PATH_BYTES = 4096 };

bool listeners_take_insts(void *field, struct cli_parser *parser)
{
    uint64_t *const insts = field;

    if (!cli_parse_count(parser, insts))
        return false;
    if (*insts == 0)
        cli_usage_error(parser->usage, "--%s 0 lists nothing; give a number, or leave it out for all", parser->option);
    return *insts > 0;
}

const char *listeners_option(const struct listener_options *options)
{
    return options->probe.folder ? "probe" : options->pipeline ? "pipeline"
           : options->pipeline_insts ? "pipeline-instructions" : NULL;
}

static void retired(void *context, const struct detailed_retired *retired)
{
    const struct core_listeners *const core = context;

    if (core->pipeline)
        pipeline_retired(core->pipeline, retired);
    if (core->where)
        core->where->retired(core->where->context, retired);
    if (core->probe)
        core->probe->retired(core->probe->context, retired);
}

static void fetched(void *context, uint64_t now_ps, uint64_t place, uint64_t pc)
{
    const struct core_listeners *const core = context;

    if (core->probe)
        core->probe->fetched(core->probe->context, now_ps, place, pc);
}

const struct detailed_listener *listeners_list(struct replay_listeners *listeners,
                                               const struct listener_options *options,
                                               const struct detailed_listener *where,
                                               const struct system_config *config)
{
    if (!options->pipeline && !options->probe.folder && !where)
        return NULL;
    listeners->core_count = config_core_count(config);
    for (unsigned i = 0; i < config_core_count(config); i++) {
        listeners->cores[i].where = where ? &where[i] : NULL;
        listeners->list[i] = (struct detailed_listener){.retired = retired, .fetched = fetched,
                                                        .context = &listeners->cores[i]};
    }
    return listeners->list;
}

/* One core's file has the name as given, others a number before its ending. */
static bool name_file(char path[PATH_BYTES], const char *given, unsigned core)
{
    const char *const name = path_name(given);
    size_t const length = strlen(given);
    size_t stem = length;

    if (length > 3 && (strcmp(given + length - 3, ".gz") == 0 || strcmp(given + length - 3, ".xz") == 0))
        stem = length - 3;
    for (size_t i = stem; i > (size_t)(name - given); i--) {
        if (given[i - 1] == '.') {
            stem = i - 1;
            break;
        }
    }
    return core == 0 ? snprintf(path, PATH_BYTES, "%s", given) < PATH_BYTES
                     : snprintf(path, PATH_BYTES, "%.*s.%u%s", (int)stem, given, core, given + stem) < PATH_BYTES;
}

static int open_probes(struct replay_listeners *listeners, const struct core_probes_options *options,
                       const struct system_config *config)
{
    struct fault const fault = core_probes_open(&listeners->probes, options, config);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    for (unsigned i = 0; i < listeners->core_count; i++)
        listeners->cores[i].probe = &core_probes_listeners(listeners->probes)[i];
    return CLI_OK;
}

int listeners_open(struct replay_listeners *listeners, const struct listener_options *options,
                   const struct system_config *config)
{
    uint64_t const insts = options->pipeline_insts ? options->pipeline_insts : UINT64_MAX;
    struct fault fault = fault_none();
    char path[PATH_BYTES];

    for (unsigned i = 0; options->pipeline && i < listeners->core_count; i++) {
        if (!name_file(path, options->pipeline, i))
            return cli_fail_text("--pipeline: the name is too long");
        if (cli_output_replaces_input(path) || cli_output_is_taken(path))
            return CLI_BAD_INPUT;
        listeners->cores[i].pipeline = pipeline_open(path, pipeline_format_of(path), config_cpu_clock_ps(config), insts,
                                                     &fault);
        if (!listeners->cores[i].pipeline)
            return cli_fail(fault);
    }
    return options->probe.folder ? open_probes(listeners, &options->probe, config) : CLI_OK;
}

static int close_probes(struct replay_listeners *listeners)
{
    struct fault const fault = core_probes_close(listeners->probes);

    for (unsigned i = 0; i < listeners->core_count; i++)
        listeners->cores[i].probe = NULL;
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    probe_warn(listeners->probes);
    return CLI_OK;
}

int listeners_close(struct replay_listeners *listeners)
{
    int code = CLI_OK;

    for (unsigned i = 0; i < listeners->core_count; i++) {
        struct pipeline *const pipeline = listeners->cores[i].pipeline;
        struct fault fault = fault_none();

        listeners->cores[i].pipeline = NULL;
        if (pipeline && FAILS(fault, pipeline_close(pipeline)))
            code = cli_fail(fault);
    }
    if (code == CLI_OK && listeners->probes)
        code = close_probes(listeners);
    return code;
}

void listeners_discard(struct replay_listeners *listeners)
{
    core_probes_free(listeners->probes);
    listeners->probes = NULL;
    for (unsigned i = 0; i < listeners->core_count; i++) {
        pipeline_discard(listeners->cores[i].pipeline);
        listeners->cores[i].pipeline = NULL;
    }
}

/* Writes log lines; errors of the file show when it is closed. */

static void event_log_write_line(void *context, uint64_t tick_ps, const char *component, const char *what,
                                 const char *command, uint64_t address, const char *details)
{
    FILE *const file = context;

    fprintf(file, "%" PRIu64 " %s %s %s 0x%" PRIx64 "%s%s\n", tick_ps, component, what, command, address,
            details ? " " : "", details ? details : "");
}

struct log_sink event_log_sink(FILE *file)
{
    return (struct log_sink){.line = event_log_write_line, .context = file};
}
