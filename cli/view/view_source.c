#include "cli/view/view_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/list.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "memsys/sim/event.h"
#include "viz/state/state.h"

/* "wide, triad" and the changed parameters. */
static void make_title(struct view_source *source)
{
    struct watched_run const *const run = &source->run;
    struct replay_request const *const request = &run->request;
    size_t const count = request->folder_count ? request->folder_count : request->data_count;
    const char *const traces = request->folder_count ? request->folders[0] : request->data[0];
    size_t used;

    used = (size_t)snprintf(source->title, sizeof source->title, "%.30s, %.36s", path_name(request->system),
                            path_name(traces));
    if (count > 1)
        snprintf(source->title + used, sizeof source->title - used, " and %zu more", count - 1);
    for (size_t i = run->changes.count; i > 0; i--) {
        used = strlen(source->title);
        snprintf(source->title + used, sizeof source->title - used, "%s%.60s", i == run->changes.count ? ", " : " ",
                 run->changes.of[i - 1]);
    }
}

void view_source_prepare_run(struct view_source *source, const struct replay_request *request)
{
    memset(source, 0, sizeof *source);
    watched_run_init(&source->run, request);
    source->is_open = true;
}

int view_source_open_run(struct view_source *source, const struct replay_request *request, uint64_t until_ps)
{
    int code;

    view_source_prepare_run(source, request);
    code = view_source_restart(source, until_ps);
    if (code != CLI_OK) {
        cli_fail_text("%s", source->run.problem);
        view_source_close(source);
    }
    return code;
}

/* Layouts from outside are not trusted. */
static struct fault check_layout(const struct view_source *source, const struct telemetry *layout)
{
    struct fault const fault = layout_check(layout);

    return fault.kind == FAULT_NONE ? fault
           : fault_make(fault.kind, "%s: %.400s; record it again with this version of "
                                    "rubato", source->path, fault_text(fault));
}

/* Nothing is waited for before the first sample of a stretch that was written later than at the run's begin. */
static void find_begin(struct view_source *source)
{
    const uint64_t *const words = source->recording.words;

    source->begin_ps = 0;
    if (source->has_pending && words[TELEMETRY_TIME] > words[TELEMETRY_SINCE]
        && words[TELEMETRY_TIME] - words[TELEMETRY_SINCE] > source->recording.text.interval_ps)
        source->begin_ps = words[TELEMETRY_TIME];
    source->now_ps = source->begin_ps ? source->begin_ps - 1 : 0;
}

/* Without memory it is not shown. */
static void keep_request(void *context, const struct telemetry_request *request)
{
    struct view_source *const source = context;

    if (list_fit(&source->requests, source->request_count + 1, &source->request_room, sizeof *source->requests))
        source->requests[source->request_count++] = *request;
}

static int open_recording(struct view_source *source)
{
    struct fault fault;

    input_file_note(source->path);           /* it may grow meanwhile */
    source->file = fopen(source->path, "rb");
    if (!source->file)
        return cli_fail_text("%s: cannot be read: no such file, or not allowed", source->path);
    fault = recording_open(&source->recording, source->file, source->path);
    if (fault.kind == FAULT_NONE) {
        fault = check_layout(source, &source->recording.text.layout);
        if (fault.kind != FAULT_NONE)
            recording_close(&source->recording);
    }
    if (fault.kind == FAULT_NONE) {
        source->first_offset = source->recording.offset;
        source->recording.on_request = keep_request;
        source->recording.context = source;
        source->has_pending = recording_next(&source->recording);
        find_begin(source);
        source->is_open = true;
        return CLI_OK;
    }
    fclose(source->file);
    source->file = NULL;
    return cli_fail(fault);
}

int view_source_open_recording(struct view_source *source, const char *path, uint64_t until_ps)
{
    *source = (struct view_source){.kind = VIEW_SOURCE_RECORDING, .path = path, .until_ps = until_ps};
    snprintf(source->title, sizeof source->title, "%.90s", path_name(path));
    return open_recording(source);
}

int view_source_attach(struct view_source *source, const char *name, uint64_t until_ps)
{
    struct fault fault;

    *source = (struct view_source){.kind = VIEW_SOURCE_ATTACHED, .path = name, .until_ps = until_ps};
    snprintf(source->title, sizeof source->title, "%.90s", name);
    fault = sample_reader_open(&source->reader, name);
    if (fault.kind == FAULT_NONE) {
        fault = check_layout(source, &source->reader.text.layout);
        if (fault.kind != FAULT_NONE)
            sample_reader_close(&source->reader);
    }
    source->is_open = fault.kind == FAULT_NONE;
    if (!source->is_open)
        return cli_fail(fault);
    sample_reader_ask(&source->reader);  /* else there would be nothing to see until its next sample is due */
    return CLI_OK;
}

/* The layout of a recording stays the same, so it stays open. */
static void rewind_recording(struct view_source *source)
{
    rewind(source->file);
    fseek(source->file, (long)source->first_offset, SEEK_SET);
    source->recording.state = RECORDING_OPEN;
    source->recording.samples = 0;
    source->recording.offset = source->first_offset;
    source->request_place = source->request_count = 0;
    source->has_pending = recording_next(&source->recording);
    find_begin(source);
}

int view_source_restart(struct view_source *source, uint64_t until_ps)
{
    source->now_ps = 0;
    source->until_ps = until_ps;
    if (source->kind == VIEW_SOURCE_RECORDING)
        rewind_recording(source);
    if (source->kind != VIEW_SOURCE_RUN)
        return CLI_OK;
    watched_run_stop(&source->run);
    make_title(source);
    return watched_run_start(&source->run, until_ps);
}

void view_source_close(struct view_source *source)
{
    if (!source->is_open)
        return;
    switch (source->kind) {
    case VIEW_SOURCE_RUN: watched_run_free(&source->run); break;
    case VIEW_SOURCE_ATTACHED: sample_reader_close(&source->reader); break;
    case VIEW_SOURCE_RECORDING:
        recording_close(&source->recording);
        fclose(source->file);
        free(source->requests);
        break;
    }
    *source = (struct view_source){0};
}

bool view_source_is_recording(const char *path)
{
    char magic[sizeof RECORDING_MAGIC - 1];
    FILE *const file = fopen(path, "rb");
    bool const is_one = file && fread(magic, sizeof magic, 1, file) == 1
                        && memcmp(magic, RECORDING_MAGIC, sizeof magic) == 0;

    if (file)
        fclose(file);
    return is_one;
}

const struct telemetry *view_source_layout(const struct view_source *source)
{
    return source->kind == VIEW_SOURCE_RUN ? source->run.layout
           : source->kind == VIEW_SOURCE_RECORDING ? &source->recording.text.layout : &source->reader.text.layout;
}

uint64_t view_source_interval_ps(const struct view_source *source)
{
    return source->kind == VIEW_SOURCE_RUN ? sample_gate_interval_ps(&source->run.gate)
           : source->kind == VIEW_SOURCE_RECORDING ? source->recording.text.interval_ps
                                                   : source->reader.text.interval_ps;
}

static const uint64_t *next_of_run(struct watched_run *run)
{
    return run->is_started && sample_gate_next(&run->gate, run->words) ? run->words : NULL;
}

/* Reads one sample ahead, to see whether its time has come. Returns NULL if there is no sample yet. */
static const uint64_t *view_source_look_ahead(struct view_source *source)
{
    bool const is_recording = source->kind == VIEW_SOURCE_RECORDING;

    if (!source->has_pending)
        source->has_pending = is_recording ? recording_next(&source->recording) : sample_reader_next(&source->reader);
    return !source->has_pending ? NULL : is_recording ? source->recording.words : source->reader.words;
}

static const uint64_t *next_pending(struct view_source *source)
{
    const uint64_t *const words = view_source_look_ahead(source);

    if (!words || words[TELEMETRY_TIME] > source->until_ps)
        return NULL;
    source->has_pending = false;
    return words;
}

uint64_t view_source_next_ps(struct view_source *source, uint64_t after_ps)
{
    uint64_t const interval_ps = view_source_interval_ps(source);
    const uint64_t *const words = source->kind == VIEW_SOURCE_RUN ? NULL : view_source_look_ahead(source);

    if (words)
        return words[TELEMETRY_TIME];
    return source->kind == VIEW_SOURCE_RECORDING || interval_ps == 0 ? TICK_NEVER
                                                                     : after_ps - after_ps % interval_ps + interval_ps;
}

const uint64_t *view_source_next(struct view_source *source)
{
    const uint64_t *const words = source->kind == VIEW_SOURCE_RUN ? next_of_run(&source->run) : next_pending(source);

    if (words)
        source->now_ps = words[TELEMETRY_TIME];
    return words;
}

bool view_source_next_request(struct view_source *source, struct telemetry_request *request)
{
    if (source->kind == VIEW_SOURCE_RUN)
        return source->run.is_started && sample_gate_next_request(&source->run.gate, request);
    if (source->request_place == source->request_count) {
        source->request_place = source->request_count = 0;
        return false;
    }
    *request = source->requests[source->request_place++];
    return true;
}

uint64_t view_source_lost(const struct view_source *source)
{
    if (source->kind == VIEW_SOURCE_ATTACHED)
        return source->reader.ring.lost;
    return source->kind == VIEW_SOURCE_RUN && source->run.is_started ? sample_gate_lost(&source->run.gate) : 0;
}

void view_source_allow(struct view_source *source, uint64_t until_ps)
{
    source->until_ps = until_ps;
    if (source->kind == VIEW_SOURCE_RUN && source->run.is_started)
        sample_gate_allow(&source->run.gate, until_ps);
}

bool view_source_rests(struct view_source *source)
{
    return source->kind != VIEW_SOURCE_RUN || !source->run.is_started || sample_gate_rests(&source->run.gate);
}

void view_source_await(struct view_source *source)
{
    if (source->kind == VIEW_SOURCE_RUN && source->run.is_started)
        sample_gate_await(&source->run.gate);
}

bool view_source_is_over(struct view_source *source, int *exit_code)
{
    enum sample_writer_state state;

    *exit_code = CLI_BAD_INPUT;
    switch (source->kind) {
    case VIEW_SOURCE_RUN: return !source->run.is_started || sample_gate_is_over(&source->run.gate, exit_code);
    case VIEW_SOURCE_RECORDING:
        *exit_code = source->recording.state == RECORDING_WHOLE ? CLI_OK : CLI_BAD_INPUT;
        return !source->has_pending && source->recording.state != RECORDING_OPEN;
    case VIEW_SOURCE_ATTACHED:
        state = sample_reader_state(&source->reader);
        *exit_code = state == SAMPLE_WRITER_ENDED ? CLI_OK : CLI_BAD_INPUT;
        return !view_source_look_ahead(source) && state != SAMPLE_WRITER_RUNS;
    }
    return true;
}
