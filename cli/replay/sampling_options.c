#include "cli/replay/sampling_options.h"

#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "replay/config/units.h"

bool sampling_take_publish(void *field, struct cli_parser *parser)
{
    struct sampling_options *const options = field;
    char path[SAMPLE_SHARE_PATH];

    options->samples.publish = parser->value;
    if (sample_share_path(options->samples.publish, path))
        return true;
    cli_usage_error(parser->usage, "--publish %s: expected at most %d letters, digits, '.', '-', "
                                        "'_'", parser->value, SAMPLE_SHARE_MOST_NAME);
    return false;
}

bool sampling_take_commands(void *field, struct cli_parser *parser)
{
    struct sampling_options *const options = field;
    const char *const colon = strchr(parser->value, '/') ? NULL : strchr(parser->value, ':');
    char from[64] = "";
    double unused;

    if (!colon) {
        options->commands = parser->value;
        return cli_output_fits(parser->value, "a list of DRAM commands", "txt csv");
    }
    if ((size_t)(colon - parser->value) < sizeof from)
        memcpy(from, parser->value, (size_t)(colon - parser->value));
    options->samples.has_commands = true;
    if (from[0] && !units_parse(UNIT_TIME, from, &options->samples.commands_from_ps, &unused)
        && !units_parse(UNIT_TIME, colon + 1, &options->samples.commands_to_ps, &unused)
        && options->samples.commands_from_ps < options->samples.commands_to_ps)
        return true;
    cli_usage_error(parser->usage, "--commands %s: expected two times such as 10us:12us, or a file "
                                        "without ':' (./%s)", parser->value, parser->value);
    return false;
}

bool sampling_take_view(void *field, struct cli_parser *parser)
{
    struct sampling_options *const options = field;
    options->has_window = !parser->value;
    options->has_view = parser->value && strcmp(parser->value, "text") == 0;
    if (!options->has_window && !options->has_view)
        cli_usage_error(parser->usage, "--view=%s: expected --view for a window, or --view=text",
                                            parser->value);
    return options->has_window || options->has_view;
}

/* ---- during the run */
static struct fault sampling_options_begin(void *context, const struct telemetry *layout)
{
    struct sampling_sinks *const sinks = context;
    const char *const publish = sinks->options->samples.publish;
    char path[SAMPLE_SHARE_PATH];

    if (sinks->options->has_view)
        FORWARD(text_view_start(&sinks->view, layout, stdout));
    sinks->listens = sinks->options->record || publish;
    if (sinks->listens)
        sample_signals_start(publish && sample_share_path(publish, path) ? path : NULL);
    return fault_none();
}

static void sampling_options_put(void *context, const uint64_t *words)
{
    struct sampling_sinks *const sinks = context;

    text_view_show(&sinks->view, words);
}

static bool is_asked(void *context)
{
    (void)context;
    return sample_signals_asked();
}

int sampling_open(struct sampling_sinks *sinks, const struct sampling_options *options)
{
    *sinks = (struct sampling_sinks){.options = options, .outputs = options->samples};
    if (options->samples.has_commands && !options->record)
        return cli_fail_text("--commands FROM:TO goes into a recording; add --record FILE");
    if (options->samples.has_requests && !options->record && !options->samples.gate)
        return cli_fail_text("--requests goes into a recording or a window; add --record FILE or --view");
    sinks->outputs.watcher = (struct sample_watcher){
        .begin = sampling_options_begin, .put = options->has_view ? sampling_options_put : NULL, .is_asked = is_asked,
        .context = sinks
    };
    sinks->outputs.record_name = options->record;
    if (options->record)
        sinks->outputs.record = cli_output_open_visible(options->record);
    return options->record && !sinks->outputs.record ? CLI_BAD_INPUT : CLI_OK;
}

int sampling_close(struct sampling_sinks *sinks, const struct fault *recording)
{
    FILE *const file = sinks->outputs.record;

    sinks->outputs.record = NULL;
    text_view_end(&sinks->view);
    if (sinks->listens)
        sample_signals_stop();
    sinks->listens = false;
    if (recording && file && recording->kind == FAULT_NONE)
        return cli_output_close(file, sinks->options->record) ? CLI_OK : CLI_BAD_INPUT;
    cli_output_discard(file);
    return recording && file ? cli_fail(*recording) : CLI_OK;
}
