#include "cli/view/view_files.h"

#include <inttypes.h>
#include <unistd.h>

#include "viz/state/state_figures.h"

enum { NUMBER_ROOM = 32, TEXT_ROOM = 160 };

/* False: all names are taken, and the note says so. */
static bool free_path(struct view *view, char path[VIEW_FILES_PATH], const char *ending)
{
    for (int i = 1; i <= VIEW_FILES_MOST; i++) {
        snprintf(path, VIEW_FILES_PATH, "view-%04d.%s", i, ending);
        if (access(path, F_OK) != 0)
            return true;
    }
    view_note(view, "nothing was written: view-0001.%s to view-%d.%s exist already; delete or move some", ending,
              VIEW_FILES_MOST, ending);
    return false;
}

void view_files_picture(struct view *view, struct canvas *canvas)
{
    char path[VIEW_FILES_PATH];
    struct fault fault;

    if (!free_path(view, path, "png"))
        return;
    fault = canvas ? canvas_write_png(canvas, path) : fault_make(FAULT_INPUT, "a screenshot needs a window");
    view_note(view, fault.kind == FAULT_NONE ? "written %s" : "%s",
              fault.kind == FAULT_NONE ? path : fault_text(fault));
}

/* ---- recordings: whole under their names, or not there */
static FILE *open_samples(struct view *view, struct output_file *output, const char *path)
{
    struct fault const fault = output_file_open_visible(output, path);
    FILE *const file = fault.kind == FAULT_NONE ? fdopen(output->descriptor, "wb") : NULL;

    if (file)
        return file;
    if (fault.kind == FAULT_NONE) {
        close(output->descriptor);
        output_file_drop(output);
    }
    view_note(view, "%s", fault.kind == FAULT_NONE ? "out of memory" : fault_text(fault));
    return NULL;
}

/* Returns whether the file is complete and has its name. fault: of writing the samples. */
static bool close_samples(struct view *view, FILE *file, struct output_file *output, const char *path,
                          struct fault fault)
{
    bool const is_written = fclose(file) == 0;

    if (fault.kind == FAULT_NONE && is_written)
        fault = output_file_take(output);
    else if (fault.kind == FAULT_NONE)
        fault = fault_make(FAULT_INPUT, "%s cannot be written: its name is too long", path);
    output_file_drop(output);
    if (fault.kind != FAULT_NONE)
        view_note(view, "%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

/* ---- samples from now on */
void view_recording_begin(struct view_recording *recording, struct view *view, const struct view_source *source)
{
    struct fault fault;

    if (!free_path(view, recording->path, "samples"))
        return;
    recording->file = open_samples(view, &recording->output, recording->path);
    if (!recording->file)
        return;
    fault = recording_create(&recording->writer, recording->file, recording->path, view_source_layout(source),
                             view_source_interval_ps(source));
    view->is_recording = fault.kind == FAULT_NONE;
    if (view->is_recording) {
        view_note(view, "recording to %s; press R to stop", recording->path);
        return;
    }
    recording_free(&recording->writer);
    close_samples(view, recording->file, &recording->output, recording->path, fault);
    recording->file = NULL;
}

void view_recording_end(struct view_recording *recording, struct view *view)
{
    struct fault fault;

    if (!recording->file)
        return;
    fault = recording_end(&recording->writer);
    recording_free(&recording->writer);
    if (close_samples(view, recording->file, &recording->output, recording->path, fault))
        view_note(view, "written %s", recording->path);
    recording->file = NULL;
    view->is_recording = false;
}

void view_recording_put(struct view_recording *recording, struct view *view, const uint64_t *words)
{
    if (recording->file && recording_put(&recording->writer, words).kind != FAULT_NONE)
        view_recording_end(recording, view);
}

void view_recording_put_request(struct view_recording *recording, struct view *view,
                                const struct telemetry_request *request)
{
    if (recording->file && recording_put_request(&recording->writer, request).kind != FAULT_NONE)
        view_recording_end(recording, view);
}

/* ---- the stretch of time that is shown */
struct stretch {
    size_t first, last;                  /* samples of the history */
};

static struct stretch shown_of(const struct history *history, const struct time_window *window)
{
    size_t const first = history_find(history, window->from_ps), last = history_find(history, window->to_ps);
    struct stretch stretch = {first == history->count ? 0 : first, last == history->count ? 0 : last};

    if (history_time_ps(history, stretch.last) < window->to_ps && stretch.last + 1 < history->count)
        stretch.last++;
    return stretch;
}

/* Requests that were answered in the stretch, each before the next sample. */
static struct fault put_all(struct recording_writer *writer, const struct history *history,
                            const struct request_list *requests, struct stretch stretch)
{
    uint64_t const from_ps = stretch.first > 0 ? history_time_ps(history, stretch.first - 1) : 0;
    size_t next = 0;

    while (next < requests->count && telemetry_request_end_ps(&requests->items[next]) < from_ps)
        next++;
    for (size_t i = stretch.first; i <= stretch.last; i++) {
        for (; next < requests->count
               && telemetry_request_end_ps(&requests->items[next]) <= history_time_ps(history, i); next++)
            FORWARD(recording_put_request(writer, &requests->items[next]));
        FORWARD(recording_put(writer, history_at(history, i)));
    }
    return recording_end(writer);
}

/* False: the note says why. */
static bool write_stretch(struct view *view, const struct view_run *run, struct stretch stretch,
                          uint64_t interval_ps, char path[VIEW_FILES_PATH])
{
    struct recording_writer writer = {0};
    struct output_file output;
    struct fault fault;
    FILE *file;

    if (!free_path(view, path, "samples"))
        return false;
    file = open_samples(view, &output, path);
    if (!file)
        return false;
    fault = recording_create(&writer, file, path, run->history.layout, interval_ps);
    if (fault.kind == FAULT_NONE)
        fault = put_all(&writer, &run->history, &run->requests, stretch);
    recording_free(&writer);
    return close_samples(view, file, &output, path, fault);
}

void view_files_window(struct view *view, const struct view_source *sources)
{
    char text[TEXT_ROOM] = "";
    size_t used = 0;

    for (unsigned i = 0; i < view->run_count; i++) {
        struct history const *const history = &view->runs[i].history;
        char path[VIEW_FILES_PATH], from[NUMBER_ROOM], to[NUMBER_ROOM];
        struct stretch stretch;
        size_t count;

        if (history->count == 0 || history_end_ps(history) < view->window.from_ps)
            continue;
        stretch = shown_of(history, &view->window);
        count = stretch.last - stretch.first + 1;
        if (!write_stretch(view, &view->runs[i], stretch, view_source_interval_ps(&sources[i]), path))
            return;
        figures_time(from, sizeof from, (double)history_time_ps(history, stretch.first));
        figures_time(to, sizeof to, (double)history_time_ps(history, stretch.last));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %s to %s, %zu sample%s", used ? "; " : "",
                                 path, from, to, count, count == 1 ? "" : "s");
        if (used >= sizeof text)
            used = sizeof text - 1;
    }
    if (used > 0)
        view_note(view, "written %s", text);
    else
        view_note(view, "nothing was written: the time shown has no samples");
}
