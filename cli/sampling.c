/* A sample is taken between two pieces of the run, never by an event of its own: the order of events, and how many
 * there are, cannot change. */
#include "cli/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
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

bool sampling_take_view(struct sampling_options *options, struct cli_parser *parser)
{
    options->has_window = !parser->value;
    options->has_view = parser->value && strcmp(parser->value, "text") == 0;
    if (!options->has_window && !options->has_view)
        parser->exit_code = cli_usage_error(parser->usage, "--view=%s: expected --view for a window, or --view=text",
                                            parser->value);
    return options->has_window || options->has_view;
}

static bool is_wanted(const struct sampling_options *options)
{
    return options->record || sampling_is_watched(options);
}

/* After a sample. */
static uint64_t next_ps(const struct sampling *sampling, uint64_t now_ps)
{
    const struct sampling_options *const options = sampling->options;
    uint64_t const interval_ps = options->interval_ps ? options->interval_ps : USUAL_INTERVAL_PS;
    uint64_t const usual_ps = now_ps - now_ps % interval_ps + interval_ps;
    uint64_t const view_ps = options->gate ? sample_gate_due(options->gate, now_ps) : TICK_NEVER - 1;

    return options->record || options->has_view ? min_u64(usual_ps, view_ps) : view_ps;
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
    sampling->next_ps = next_ps(sampling, 0);
    sampling->is_on = true;
    return CLI_OK;
}

int sampling_begin_system(struct sampling *sampling, const struct sampling_options *options, struct system *system)
{
    struct fault fault;

    *sampling = (struct sampling){.options = options};
    if (!is_wanted(options))
        return CLI_OK;
    fault = telemetry_system_make(&sampling->made, system);
    return fault.kind == FAULT_NONE ? begin(sampling) : cli_fail(fault);
}

int sampling_begin_gpu(struct sampling *sampling, const struct sampling_options *options, const char *name,
                       const struct gpu_run *run)
{
    struct fault fault;

    *sampling = (struct sampling){.options = options};
    if (!is_wanted(options))
        return CLI_OK;
    fault = telemetry_gpu_make(&sampling->made, name, run);
    return fault.kind == FAULT_NONE ? begin(sampling) : cli_fail(fault);
}

static void take(struct sampling *sampling, uint64_t now_ps)
{
    telemetry_read(&sampling->made.layout, now_ps, sampling->words);
    sampling->has_sampled = true;
    sampling->last_ps = now_ps;
    if (sampling->file && !sampling->has_failed) {
        struct fault const fault = recording_put(&sampling->writer, sampling->words);

        sampling->has_failed = fault.kind != FAULT_NONE;
        if (sampling->has_failed)
            cli_warn("%s", fault.text);
    }
    if (sampling->options->has_view)
        text_view_show(&sampling->view, sampling->words);
    if (sampling->options->gate)
        sample_gate_put(sampling->options->gate, sampling->words);
}

void sampling_at(struct sampling *sampling, uint64_t now_ps)
{
    struct sample_gate *const gate = sampling->options->gate;

    if (!sampling->is_on)
        return;
    if (now_ps < sampling->next_ps) {
        /* Not here: other events of this tick may be to come. */
        if (gate && sample_gate_hurries(gate))
            sampling->next_ps = min_u64(sampling->next_ps, now_ps + 1);
        return;
    }
    take(sampling, now_ps);
    sampling->next_ps = next_ps(sampling, now_ps);
}

void sampling_restarted(struct sampling *sampling, uint64_t now_ps)
{
    if (sampling->is_on)
        telemetry_system_reset(&sampling->made, now_ps);
}

int sampling_end(struct sampling *sampling, uint64_t now_ps)
{
    FILE *const file = sampling->file;
    bool is_sound;

    if (!sampling->is_on)
        return CLI_OK;
    if (!sampling->has_sampled || now_ps > sampling->last_ps)
        take(sampling, now_ps);
    text_view_end(&sampling->view);
    sampling->is_on = false;
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
    recording_free(&sampling->writer);
    text_view_end(&sampling->view);
    if (sampling->options && sampling->options->gate)
        sample_gate_leave(sampling->options->gate);
    telemetry_system_free(&sampling->made);
    free(sampling->words);
    *sampling = (struct sampling){0};
}
