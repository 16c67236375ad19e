/* A sample is taken between two pieces of the run, never by an event of its own: the order of events, and how many
 * there are, cannot change. */
#include "cli/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sample_signals.h"
#include "replay/units.h"

#define USUAL_INTERVAL_PS UINT64_C(10000000)

bool sampling_take_interval(struct sampling_options *options, struct cli_parser *parser)
{
    double unused;
    const char *const wrong = units_parse(UNIT_TIME, parser->value, &options->interval_ps, &unused);

    if (!wrong && options->interval_ps > 0)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--sample %s %s; give a time such as 10us", parser->value,
                                        wrong ? wrong : "is no time");
    return false;
}

bool sampling_take_publish(struct sampling_options *options, struct cli_parser *parser)
{
    char path[SAMPLE_SHARE_PATH];

    options->publish = parser->value;
    if (sample_share_path(options->publish, path))
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--publish %s: expected at most %d letters, digits, '.', '-', "
                                        "'_'", parser->value, SAMPLE_SHARE_MOST_NAME);
    return false;
}

bool sampling_take_commands(struct sampling_options *options, struct cli_parser *parser)
{
    const char *const colon = strchr(parser->value, ':');
    char from[64] = "";
    double unused;

    if (colon && (size_t)(colon - parser->value) < sizeof from)
        memcpy(from, parser->value, (size_t)(colon - parser->value));
    options->has_commands = true;
    if (from[0] && !units_parse(UNIT_TIME, from, &options->commands_from_ps, &unused)
        && !units_parse(UNIT_TIME, colon + 1, &options->commands_to_ps, &unused)
        && options->commands_from_ps < options->commands_to_ps)
        return true;
    parser->exit_code = cli_usage_error(parser->usage, "--commands %s: expected two times such as 10us:12us",
                                        parser->value);
    return false;
}

bool sampling_take_view(struct sampling_options *options, struct cli_parser *parser)
{
    options->has_window = !parser->value;
    options->has_view = parser->value && strcmp(parser->value, "text") == 0;
    if (!options->has_window && !options->has_view)
        parser->exit_code = cli_usage_error(parser->usage, "--view=%s: expected --view for a window, or --view=text",
                                            parser->value);
    return options->has_window || options->has_view;
}

/* After a sample. */
static uint64_t next_ps(const struct sampling *sampling, uint64_t now_ps)
{
    const struct sampling_options *const options = sampling->options;
    uint64_t const interval_ps = options->interval_ps ? options->interval_ps : USUAL_INTERVAL_PS;
    uint64_t const usual_ps = now_ps - now_ps % interval_ps + interval_ps;
    uint64_t const view_ps = options->gate ? sample_gate_due(options->gate, now_ps) : TICK_NEVER - 1;

    return options->record || options->publish || options->has_view ? min_u64(usual_ps, view_ps) : view_ps;
}

/* A recording that cannot be written any more is said once. */
static void note(struct sampling *sampling, struct fault fault)
{
    sampling->has_failed = fault.kind != FAULT_NONE;
    if (sampling->has_failed)
        cli_warn("%s", fault.text);
}

static void put_command(void *context, const struct recorded_command *command)
{
    struct sampling *const sampling = context;

    if (!sampling->has_failed)
        note(sampling, recording_put_command(&sampling->writer, command));
}

static int begin_publishing(struct sampling *sampling)
{
    const char *const name = sampling->options->publish;
    struct fault const fault = sample_share_create(&sampling->share, name, &sampling->made.layout, sampling->next_ps);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (sampling->share.has_replaced)
        cli_warn("--publish %s: a run that was stopped before its end had left that name; it is this run's now", name);
    return CLI_OK;
}

static bool is_asked(struct sampling *sampling)
{
    bool const by_reader = sampling->share.path[0] && telemetry_ring_is_asked(&sampling->share.ring);

    sampling->is_asked |= sample_signals_asked() || by_reader;
    return sampling->is_asked;
}

/* For struct system_poll. */
static bool wants_stop(void *context)
{
    struct sampling *const sampling = context;
    const struct sample_gate *const gate = sampling->options->gate;

    return is_asked(sampling) || (gate && (sample_gate_hurries(gate) || sample_gate_is_stopped(gate)));
}

/* The layout is made. */
static int begin(struct sampling *sampling)
{
    const struct sampling_options *const options = sampling->options;
    struct fault fault = fault_none();

    sampling->next_ps = options->interval_ps ? options->interval_ps : USUAL_INTERVAL_PS;
    sampling->words = calloc(sampling->made.layout.word_count, sizeof *sampling->words);
    if (!sampling->words)
        return cli_fail_text("out of memory");
    if (options->record) {
        sampling->file = cli_output_open(options->record);
        if (!sampling->file)
            return CLI_BAD_INPUT;
        fault = recording_create(&sampling->writer, sampling->file, options->record, &sampling->made.layout,
                                 sampling->next_ps);
        if (fault.kind == FAULT_NONE && options->has_commands)
            fault = command_window_open(&sampling->window, &sampling->made.layout, options->commands_from_ps,
                                        options->commands_to_ps, put_command, sampling);
        if (fault.kind != FAULT_NONE)
            return cli_fail(fault);
    }
    if (options->has_view) {
        fault = text_view_start(&sampling->view, &sampling->made.layout, stdout);
        if (fault.kind != FAULT_NONE)
            return cli_fail(fault);
    }
    if (options->gate) {
        fault = sample_gate_begin(options->gate, &sampling->made.layout);
        if (fault.kind != FAULT_NONE)
            return cli_fail(fault);
    }
    if (options->publish && begin_publishing(sampling) != CLI_OK)
        return CLI_BAD_INPUT;
    sampling->next_ps = next_ps(sampling, 0);
    sampling->is_on = true;
    if (options->record || options->publish || options->gate)
        sampling->poll = (struct system_poll){SAMPLING_EVENTS, wants_stop, sampling};
    if (options->record || options->publish)
        sample_signals_start(options->publish ? sampling->share.path : NULL);
    return CLI_OK;
}

/* False: there is no more to do, and *code is what to return. */
static bool set_up(struct sampling *sampling, const struct sampling_options *options, int *code)
{
    bool const lacks_file = options->has_commands && !options->record;

    *sampling = (struct sampling){.options = options};
    *code = lacks_file ? cli_fail_text("--commands goes into a recording; add --record FILE") : CLI_OK;
    return !lacks_file && sampling_is_wanted(options);
}

int sampling_begin_system(struct sampling *sampling, const struct sampling_options *options, struct system *system)
{
    struct fault fault;
    int code;

    if (!set_up(sampling, options, &code))
        return code;
    fault = telemetry_system_make(&sampling->made, system);
    return fault.kind == FAULT_NONE ? begin(sampling) : cli_fail(fault);
}

int sampling_begin_gpu(struct sampling *sampling, const struct sampling_options *options, const char *name,
                       const struct gpu_run *run)
{
    struct fault fault;
    int code;

    if (!set_up(sampling, options, &code))
        return code;
    fault = telemetry_gpu_make(&sampling->made, name, run);
    return fault.kind == FAULT_NONE ? begin(sampling) : cli_fail(fault);
}

static void take(struct sampling *sampling, uint64_t now_ps)
{
    telemetry_read(&sampling->made.layout, now_ps, sampling->words);
    sampling->has_sampled = true;
    sampling->last_ps = now_ps;
    if (sampling->file && !sampling->has_failed)
        note(sampling, recording_put(&sampling->writer, sampling->words));
    if (sampling->share.path[0])
        telemetry_ring_put(&sampling->share.ring, sampling->words);
    if (sampling->options->has_view)
        text_view_show(&sampling->view, sampling->words);
    if (sampling->options->gate)
        sample_gate_put(sampling->options->gate, sampling->words);
}

/* All events up to now_ps have happened. */
static void take_due(struct sampling *sampling, uint64_t now_ps)
{
    struct sample_gate *const gate = sampling->options->gate;

    if (now_ps < sampling->next_ps && !(gate && sample_gate_hurries(gate)))
        return;
    if (!sampling->has_sampled || now_ps > sampling->last_ps)
        take(sampling, now_ps);
    sampling->next_ps = next_ps(sampling, now_ps);
}

void sampling_look(struct sampling *sampling, uint64_t now_ps, uint64_t next_ps)
{
    if (!sampling->is_on)
        return;
    if (is_asked(sampling) && (now_ps < sampling->next_ps || next_ps <= now_ps))
        take(sampling, now_ps);
    sampling->is_asked = false;
    if (next_ps > now_ps)
        take_due(sampling, now_ps);
}

void sampling_restarted(struct sampling *sampling, uint64_t now_ps)
{
    if (sampling->is_on)
        telemetry_system_reset(&sampling->made, now_ps);
}

/* Nobody is served any more. */
static void switch_off(struct sampling *sampling)
{
    if (sampling->is_on)
        sample_signals_stop();
    sampling->is_on = false;
    sampling->poll.events = 0;
    sample_share_remove(&sampling->share);
}

int sampling_end(struct sampling *sampling, uint64_t now_ps)
{
    FILE *const file = sampling->file;
    bool is_sound;

    if (!sampling->is_on)
        return CLI_OK;
    command_window_close(&sampling->window, now_ps);
    if (!sampling->has_sampled || now_ps > sampling->last_ps)
        take(sampling, now_ps);
    text_view_end(&sampling->view);
    if (sampling->share.path[0])
        telemetry_ring_end(&sampling->share.ring);
    switch_off(sampling);
    if (!file)
        return CLI_OK;
    is_sound = !sampling->has_failed && recording_end(&sampling->writer).kind == FAULT_NONE;
    sampling->file = NULL;
    if (!cli_output_close(file, sampling->options->record))
        return CLI_BAD_INPUT;
    if (!is_sound)
        return cli_fail_text("%s: not written whole: make room and record again", sampling->options->record);
    return CLI_OK;
}

void sampling_free(struct sampling *sampling)
{
    if (sampling->file && sampling->file != stdout)
        fclose(sampling->file);
    switch_off(sampling);
    recording_free(&sampling->writer);
    command_window_free(&sampling->window);
    text_view_end(&sampling->view);
    if (sampling->options && sampling->options->gate)
        sample_gate_leave(sampling->options->gate);
    telemetry_system_free(&sampling->made);
    free(sampling->words);
    *sampling = (struct sampling){0};
}
