#include "cli/replay/listeners.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "cli/cli.h"

enum { PATH_BYTES = 4096 };

bool listeners_take_insts(struct listener_options *options, struct cli_parser *parser)
{
    if (!cli_parse_count(parser, &options->pipeline_insts))
        return false;
    if (options->pipeline_insts > 0)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--%s 0 lists nothing; give a number, or leave it out for all",
                                        parser->option);
    return false;
}

const char *listeners_option(const struct listener_options *options)
{
    return options->pipeline ? "pipeline" : options->pipeline_insts ? "pipeline-instructions" : NULL;
}

static void retired(void *context, const struct detailed_retired *retired)
{
    const struct core_listeners *const core = context;

    if (core->pipeline)
        pipeline_retired(core->pipeline, retired);
}

const struct detailed_listener *listeners_list(struct replay_listeners *listeners,
                                               const struct listener_options *options,
                                               const struct system_config *config)
{
    if (!options->pipeline)
        return NULL;
    listeners->core_count = config->core_count;
    for (unsigned i = 0; i < config->core_count; i++)
        listeners->list[i] = (struct detailed_listener){.retired = retired, .context = &listeners->cores[i]};
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

int listeners_open(struct replay_listeners *listeners, const struct listener_options *options,
                   const struct system_config *config)
{
    uint64_t const insts = options->pipeline_insts ? options->pipeline_insts : UINT64_MAX;
    struct fault fault = fault_none();
    char path[PATH_BYTES];

    for (unsigned i = 0; options->pipeline && i < listeners->core_count; i++) {
        if (!name_file(path, options->pipeline, i))
            return cli_fail_text("--pipeline: the name is too long");
        listeners->cores[i].pipeline = pipeline_open(path, pipeline_format_of(path), config->cpu_clock_ps, insts,
                                                     &fault);
        if (!listeners->cores[i].pipeline)
            return cli_fail(fault);
    }
    return CLI_OK;
}

int listeners_close(struct replay_listeners *listeners)
{
    int code = CLI_OK;

    for (unsigned i = 0; i < listeners->core_count; i++) {
        struct pipeline *const pipeline = listeners->cores[i].pipeline;
        struct fault fault = fault_none();

        listeners->cores[i].pipeline = NULL;
        if (pipeline && !pipeline_close(pipeline, &fault))
            code = cli_fail(fault);
    }
    return code;
}

void listeners_discard(struct replay_listeners *listeners)
{
    for (unsigned i = 0; i < listeners->core_count; i++) {
        pipeline_discard(listeners->cores[i].pipeline);
        listeners->cores[i].pipeline = NULL;
    }
}
