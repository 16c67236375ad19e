#include "cli/view_source.h"

#include <string.h>

#include "cli/cli.h"
#include "memsys/event.h"

static const char *last_part(const char *path)
{
    const char *part = path;

    for (const char *at = path; *at != '\0'; at++)
        if (at[0] == '/' && at[1] != '\0')
            part = at + 1;
    return part;
}

/* "wide, triad" and what was changed since. */
static void make_title(struct view_source *source)
{
    struct watched_run const *const run = &source->run;
    struct replay_request const *const request = &run->request;
    size_t const count = request->folder_count ? request->folder_count : request->data_count;
    const char *const traces = request->folder_count ? request->folders[0] : request->data[0];
    size_t used;

    used = (size_t)snprintf(source->title, sizeof source->title, "%.30s, %.36s", last_part(request->system),
                            last_part(traces));
    if (count > 1)
        snprintf(source->title + used, sizeof source->title - used, " and %zu more", count - 1);
    for (size_t i = run->change_count; i > 0; i--) {
        used = strlen(source->title);
        snprintf(source->title + used, sizeof source->title - used, "%s%.60s", i == run->change_count ? ", " : " ",
                 run->changes[i - 1]);
    }
}

int view_source_open_run(struct view_source *source, const struct replay_request *request, uint64_t until_ps)
{
    int code;

    memset(source, 0, sizeof *source);
    watched_run_init(&source->run, request);
    make_title(source);
    code = watched_run_start(&source->run, until_ps);
    source->is_open = code == CLI_OK;
    if (code != CLI_OK)
        watched_run_free(&source->run);
    return code;
}

static int open_recording(struct view_source *source)
{
    struct fault fault;

    source->file = fopen(source->path, "rb");
    if (!source->file)
        return cli_fail_text("%s: cannot be read: no such file, or not allowed", source->path);
    fault = recording_open(&source->recording, source->file, source->path);
    if (fault.kind == FAULT_NONE) {
        source->first_offset = source->recording.offset;
        source->has_pending = recording_next(&source->recording);
        source->is_open = true;
        return CLI_OK;
    }
    fclose(source->file);
    source->file = NULL;
    return cli_fail(fault);
}

int view_source_open_recording(struct view_source *source, const char *path, uint64_t until_ps)
{
    *source = (struct view_source){.is_recording = true, .path = path, .until_ps = until_ps};
    snprintf(source->title, sizeof source->title, "%.90s", last_part(path));
    return open_recording(source);
}

/* The layout of a recording stays the same, so it stays open. */
static void rewind_recording(struct view_source *source)
{
    rewind(source->file);
    fseek(source->file, (long)source->first_offset, SEEK_SET);
    source->recording.state = RECORDING_OPEN;
    source->recording.samples = 0;
    source->recording.offset = source->first_offset;
    source->has_pending = recording_next(&source->recording);
}

int view_source_restart(struct view_source *source, uint64_t until_ps)
{
    source->now_ps = 0;
    source->until_ps = until_ps;
    if (source->is_recording) {
        rewind_recording(source);
        return CLI_OK;
    }
    watched_run_stop(&source->run);
    make_title(source);
    return watched_run_start(&source->run, until_ps);
}

void view_source_close(struct view_source *source)
{
    if (!source->is_open)
        return;
    if (source->is_recording) {
        recording_close(&source->recording);
        fclose(source->file);
    } else {
        watched_run_free(&source->run);
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
    return source->is_recording ? &source->recording.text.layout : source->run.layout;
}

uint64_t view_source_interval_ps(const struct view_source *source)
{
    return source->is_recording ? source->recording.text.interval_ps : source->run.gate.interval_ps;
}

static const uint64_t *next_recorded(struct view_source *source)
{
    struct recording *const recording = &source->recording;

    if (!source->has_pending) {
        if (recording->state != RECORDING_OPEN)
            return NULL;
        source->has_pending = recording_next(recording);
    }
    if (!source->has_pending || recording->words[TELEMETRY_TIME] > source->until_ps)
        return NULL;
    source->has_pending = false;
    return recording->words;
}

const uint64_t *view_source_next(struct view_source *source)
{
    const uint64_t *words;

    if (source->is_recording)
        words = next_recorded(source);
    else
        words = source->run.is_started && sample_gate_next(&source->run.gate, source->run.words) ? source->run.words
                                                                                                 : NULL;
    if (words)
        source->now_ps = words[TELEMETRY_TIME];
    return words;
}

uint64_t view_source_lost(const struct view_source *source)
{
    return source->is_recording || !source->run.is_started ? 0 : sample_gate_lost(&source->run.gate);
}

void view_source_allow(struct view_source *source, uint64_t until_ps)
{
    source->until_ps = until_ps;
    if (!source->is_recording && source->run.is_started)
        sample_gate_allow(&source->run.gate, until_ps);
}

bool view_source_rests(struct view_source *source)
{
    return source->is_recording || !source->run.is_started || sample_gate_rests(&source->run.gate);
}

void view_source_await(struct view_source *source)
{
    if (!source->is_recording && source->run.is_started)
        sample_gate_await(&source->run.gate);
}

bool view_source_is_over(struct view_source *source, int *exit_code)
{
    *exit_code = CLI_BAD_INPUT;
    if (!source->is_recording)
        return !source->run.is_started || sample_gate_is_over(&source->run.gate, exit_code);
    if (source->has_pending || source->recording.state == RECORDING_OPEN)
        return false;
    *exit_code = source->recording.state == RECORDING_WHOLE ? CLI_OK : CLI_BAD_INPUT;
    return true;
}
