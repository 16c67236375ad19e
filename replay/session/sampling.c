/* A sample is taken between two pieces of the run, never by an event of its own: the order of events, and how many
 * there are, cannot change. */
#include "replay/session/sampling.h"

#include <stdlib.h>

#define USUAL_INTERVAL_PS UINT64_C(10000000)

static bool goes_to_watcher(const struct session_samples *samples)
{
    return samples->watcher.put;
}

/* After a sample. */
static uint64_t next_ps(const struct sampling *sampling, uint64_t now_ps)
{
    const struct session_samples *const samples = sampling->samples;
    uint64_t const interval_ps = samples->interval_ps ? samples->interval_ps : USUAL_INTERVAL_PS;
    uint64_t const usual_ps = now_ps - now_ps % interval_ps + interval_ps;
    uint64_t const view_ps = samples->gate ? sample_gate_due(samples->gate, now_ps) : TICK_NEVER - 1;

    return samples->record || samples->publish || goes_to_watcher(samples) ? min_u64(usual_ps, view_ps) : view_ps;
}

/* A recording that cannot be written any more is said once. */
static void sampling_note(struct sampling *sampling, struct fault fault)
{
    sampling->has_failed = fault.kind != FAULT_NONE;
    if (sampling->has_failed)
        warn_of_line(sampling->warn, fault_text(fault));
}

static void put_command(void *context, const struct recorded_command *command)
{
    struct sampling *const sampling = context;

    if (!sampling->has_failed)
        sampling_note(sampling, recording_put_command(&sampling->writer, command));
}

static void put_request(void *context, const struct telemetry_request *request)
{
    struct sampling *const sampling = context;

    if (sampling->samples->record && !sampling->has_failed)
        sampling_note(sampling, recording_put_request(&sampling->writer, request));
    if (sampling->samples->gate)
        sample_gate_put_request(sampling->samples->gate, request);
}

static bool is_asked(struct sampling *sampling)
{
    const struct sample_watcher *const watcher = &sampling->samples->watcher;
    bool const by_reader = sampling->share.path[0] && telemetry_ring_is_asked(&sampling->share.ring);

    sampling->is_asked |= (watcher->is_asked && watcher->is_asked(watcher->context)) || by_reader;
    return sampling->is_asked;
}

/* For struct system_poll. */
static bool wants_stop(void *context)
{
    struct sampling *const sampling = context;
    const struct sample_gate *const gate = sampling->samples->gate;

    return is_asked(sampling) || (gate && (sample_gate_hurries(gate) || sample_gate_is_stopped(gate)));
}

static struct fault begin_recording(struct sampling *sampling)
{
    const struct session_samples *const samples = sampling->samples;

    FORWARD(recording_create(&sampling->writer, samples->record, samples->record_name, &sampling->made.layout,
                               sampling->next_ps));
    if (!samples->has_commands)
        return fault_none();
    return command_window_open(&sampling->window, &sampling->made.layout, samples->commands_from_ps,
                               samples->commands_to_ps, put_command, sampling);
}

static struct fault begin_publishing(struct sampling *sampling)
{
    const char *const name = sampling->samples->publish;

    FORWARD(sample_share_create(&sampling->share, name, &sampling->made.layout, sampling->next_ps));
    if (sampling->share.has_replaced)
        warn_of(sampling->warn, "--publish %s: a run that was stopped before its end had left that name; it is this "
                "run's now", name);
    return fault_none();
}

/* The layout is made. */
static struct fault sampling_begin(struct sampling *sampling)
{
    const struct session_samples *const samples = sampling->samples;

    sampling->next_ps = samples->interval_ps ? samples->interval_ps : USUAL_INTERVAL_PS;
    sampling->words = calloc(sampling->made.layout.word_count, sizeof *sampling->words);
    if (!sampling->words)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (samples->record)
        FORWARD(begin_recording(sampling));
    if (samples->gate)
        FORWARD(sample_gate_begin(samples->gate, &sampling->made.layout));
    if (samples->publish)
        FORWARD(begin_publishing(sampling));
    if (samples->watcher.begin)
        FORWARD(samples->watcher.begin(samples->watcher.context, &sampling->made.layout));
    sampling->next_ps = next_ps(sampling, 0);
    sampling->is_on = true;
    if (samples->record || samples->publish || samples->gate)
        sampling->poll = (struct system_poll){SAMPLING_EVENTS, wants_stop, sampling};
    return fault_none();
}

static bool set_up(struct sampling *sampling, const struct session_samples *samples, const struct warn_sink *warn)
{
    *sampling = (struct sampling){.samples = samples, .warn = warn};
    return samples && (samples->record || samples->publish || samples->gate || goes_to_watcher(samples));
}

struct fault sampling_begin_system(struct sampling *sampling, const struct session_samples *samples,
                                   const struct warn_sink *warn, struct system *system)
{
    if (!set_up(sampling, samples, warn))
        return fault_none();
    FORWARD(telemetry_system_make(&sampling->made, system));
    FORWARD(sampling_begin(sampling));
    if (!samples->has_requests)
        return fault_none();
    FORWARD(request_follow_open(&sampling->follow, &sampling->made.layout, system->sim.line_bytes, system->sim.log));
    system->sim.log = request_follow_sink(&sampling->follow);
    return fault_none();
}

struct fault sampling_begin_gpu(struct sampling *sampling, const struct session_samples *samples,
                                const struct warn_sink *warn, const char *name, const struct gpu_run *run)
{
    if (!set_up(sampling, samples, warn))
        return fault_none();
    FORWARD(telemetry_gpu_make(&sampling->made, name, run));
    return sampling_begin(sampling);
}

static void sampling_take(struct sampling *sampling, uint64_t now_ps)
{
    const struct session_samples *const samples = sampling->samples;

    telemetry_read(&sampling->made.layout, now_ps, sampling->words);
    sampling->has_sampled = true;
    sampling->last_ps = now_ps;
    request_follow_flush(&sampling->follow, put_request, sampling);
    if (samples->record && !sampling->has_failed)
        sampling_note(sampling, recording_put(&sampling->writer, sampling->words));
    if (sampling->share.path[0])
        telemetry_ring_put(&sampling->share.ring, sampling->words);
    if (samples->watcher.put)
        samples->watcher.put(samples->watcher.context, sampling->words);
    if (samples->gate)
        sample_gate_put(samples->gate, sampling->words);
}

/* All events up to now_ps have happened. */
static void take_due(struct sampling *sampling, uint64_t now_ps)
{
    struct sample_gate *const gate = sampling->samples->gate;

    if (now_ps < sampling->next_ps && !(gate && sample_gate_hurries(gate)))
        return;
    if (!sampling->has_sampled || now_ps > sampling->last_ps)
        sampling_take(sampling, now_ps);
    sampling->next_ps = next_ps(sampling, now_ps);
}

void sampling_look(struct sampling *sampling, uint64_t now_ps, uint64_t next_ps)
{
    if (!sampling->is_on)
        return;
    if (is_asked(sampling) && (now_ps < sampling->next_ps || next_ps <= now_ps))
        sampling_take(sampling, now_ps);
    sampling->is_asked = false;
    if (next_ps > now_ps)
        take_due(sampling, now_ps);
}

void sampling_restarted(struct sampling *sampling, uint64_t now_ps)
{
    if (sampling->is_on)
        telemetry_system_reset(&sampling->made, now_ps);
}

/* Ends sampling: no receiver gets a sample any more, and no request is answered. */
static void switch_off(struct sampling *sampling)
{
    sampling->is_on = false;
    sampling->poll.events = 0;
    sample_share_remove(&sampling->share);
}

struct fault sampling_end(struct sampling *sampling, uint64_t now_ps)
{
    if (!sampling->is_on)
        return fault_none();
    command_window_close(&sampling->window, now_ps);
    if (!sampling->has_sampled || now_ps > sampling->last_ps)
        sampling_take(sampling, now_ps);
    if (sampling->share.path[0])
        telemetry_ring_end(&sampling->share.ring);
    switch_off(sampling);
    if (!sampling->samples->record || (!sampling->has_failed && recording_end(&sampling->writer).kind == FAULT_NONE))
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: not written completely: make room and record "
                                   "again", sampling->samples->record_name);
}

void sampling_free(struct sampling *sampling)
{
    switch_off(sampling);
    recording_free(&sampling->writer);
    command_window_free(&sampling->window);
    request_follow_free(&sampling->follow);
    if (sampling->samples && sampling->samples->gate)
        sample_gate_leave(sampling->samples->gate);
    telemetry_system_free(&sampling->made);
    free(sampling->words);
    *sampling = (struct sampling){0};
}
