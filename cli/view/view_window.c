/* In turn: input of the script, input of the user, samples, then a frame if anything has changed. A frame that takes
 * longer delays the next one; the run does not notice. */
#include "cli/view/view_window.h"

#include <stdlib.h>

#include "base/host_facts.h"
#include "base/input_file.h"
#include "cli/common/cli.h"
#include "cli/common/large_pages.h"
#include "viz/draw/draw_window.h"
#include "viz/view/script.h"

#define FRAME_S (1.0 / 60)
#define WATCHING_S (1.0 / 30)            /* from one frame to the next without input */
#define TAKING_MS 6.0                    /* of a frame, for samples */

enum { MOST_FRAME_TIMES = 1 << 16, LARGEST_SCRIPT = 1 << 20 };

struct window {
    struct view_session *session;
    const struct view_window_options *options;
    struct canvas *canvas;
    struct script script;
    bool has_script, is_acted_on;        /* by the user, or the script, since the last frame */
    double *frame_times, *frame_work;    /* seconds of the clock, and of this thread; NULL: not wanted */
    size_t frames;
};

/* ---- scripts */
static int read_script(struct window *window)
{
    const char *const path = window->options->script;
    struct fault fault;
    size_t length;
    FILE *file;
    char *text;

    if (!path)
        return CLI_OK;
    file = input_file_fopen(path);
    if (!file)
        return cli_fail_text("%s: cannot be read: no such file, or not allowed", path);
    text = malloc(LARGEST_SCRIPT);
    length = text ? fread(text, 1, LARGEST_SCRIPT, file) : 0;
    input_file_fclose(file);
    if (!text)
        return cli_fail_text("out of memory");
    fault = script_read(&window->script, path, text, length);
    free(text);
    window->has_script = fault.kind == FAULT_NONE;
    return window->has_script ? CLI_OK : cli_fail(fault);
}

static void view_window_give(void *context, const struct view_input *input)
{
    struct window *const window = context;

    window->is_acted_on = true;
    window_push(window->canvas, input);
}

/* ---- frames */
static int compare_times(const void *one, const void *other)
{
    double const a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

static void print_times(const char *what, double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    fprintf(stderr, "rubato: %zu frames, %s: half took at most %.2f ms, 99 %% at most %.2f ms, the longest %.2f ms\n",
            count, what, 1e3 * times[count / 2], 1e3 * times[count * 99 / 100], 1e3 * times[count - 1]);
}

static void print_frame_times(const struct window *window)
{
    size_t const count = window->frames < MOST_FRAME_TIMES ? window->frames : MOST_FRAME_TIMES;

    if (!window->frame_times || count == 0)
        return;
    print_times("by the clock", window->frame_times, count);
    print_times("processor time", window->frame_work, count);
}

static void view_window_draw(struct window *window)
{
    double const start_s = host_clock_s(), work_s = host_thread_s();
    size_t const place = window->frames % MOST_FRAME_TIMES;

    view_draw(&window->session->view, window->canvas);
    if (window->frame_times) {
        window->frame_times[place] = host_clock_s() - start_s;
        window->frame_work[place] = host_thread_s() - work_s;
    }
    window->frames++;
}

static void take_input(struct window *window)
{
    struct view_input input;

    while (window_next(window->canvas, &input)) {
        view_event(&window->session->view, &input);
        window->is_acted_on = true;
    }
}

static void sleep_until(const struct window *window, double time_s)
{
    double const left_s = time_s - host_clock_s();

    if (left_s > 0)
        window_pause(window->canvas, (int)(1e3 * left_s));
}

/* Until the next frame; input ends the sleep, but not before a sixtieth of a second has passed since the last one. */
static void rest(const struct window *window, double start_s)
{
    bool const is_quick = window->is_acted_on || window->session->view.speed_ps > 0;
    double const left_s = start_s + WATCHING_S - host_clock_s();

    if (is_quick)
        sleep_until(window, start_s + FRAME_S);
    else if (window->has_script)
        sleep_until(window, start_s + WATCHING_S);
    else if (left_s > 0) {
        window_wait(window->canvas, (int)(1e3 * left_s) + 1);
        sleep_until(window, start_s + FRAME_S);
    }
}

static void run_window(struct window *window)
{
    struct view_session *const session = window->session;
    bool is_due = true;

    while (!session->has_quit) {
        double const start_s = host_clock_s();

        window->is_acted_on = false;
        if (window->has_script && !script_step(&window->script, &session->view, view_window_give, window))
            break;
        if (window->script.stall_ms > 0)
            window_pause(window->canvas, (int)window->script.stall_ms);
        take_input(window);
        view_session_do(session, window->canvas);
        is_due |= view_session_take(session, TAKING_MS) || window->is_acted_on;
        if (is_due)
            view_window_draw(window);
        is_due = false;
        rest(window, start_s);
    }
}

static int open_window(struct window *window)
{
    const struct view_window_options *const options = window->options;
    int const width = options->width ? options->width : VIEW_USUAL_WIDTH;
    int const height = options->height ? options->height : VIEW_USUAL_HEIGHT;
    struct fault const fault = canvas_open_window(&window->canvas, "rubato", width, height, options->scale);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (options->shows_frame_times) {
        window->frame_times = calloc(MOST_FRAME_TIMES, sizeof *window->frame_times);
        window->frame_work = calloc(MOST_FRAME_TIMES, sizeof *window->frame_work);
        if (!window->frame_times || !window->frame_work)
            return cli_fail_text("out of memory");
    }
    return CLI_OK;
}

int view_window_show(struct view_session *session, const struct view_window_options *options)
{
    struct window window = {.session = session, .options = options};
    int code = read_script(&window);

    if (code == CLI_OK)
        code = open_window(&window);
    large_pages_for_threads();
    if (code == CLI_OK)
        code = view_session_open(session);
    if (code == CLI_OK) {
        session->view.is_dark = !options->is_light;
        session->view.speed_ps = options->speed_ps;
        session->view.width = options->width ? options->width : VIEW_USUAL_WIDTH;
        session->view.height = options->height ? options->height : VIEW_USUAL_HEIGHT;
        view_session_go(session);
        run_window(&window);
        script_closed(&window.script);
        print_frame_times(&window);
    }
    if (code == CLI_OK && window.script.has_failed) {
        cli_fail_text("%s", window.script.failure);
        code = CLI_DIFFERS;
    }
    if (window.canvas)
        canvas_close(window.canvas);
    if (window.has_script)
        script_free(&window.script);
    free(window.frame_times);
    free(window.frame_work);
    return code;
}

int view_replay(const struct replay_request *request)
{
    struct view_window_options const options = {.script = request->sampling.script};
    struct view_session *const session = calloc(1, sizeof *session);
    int code, shown;

    if (!session)
        return cli_fail_text("out of memory");
    session->request = request;
    session->is_beside_replay = true;
    view_session_begin(session);
    shown = view_window_show(session, &options);
    code = watched_run_finish(&session->sources[0].run);
    view_session_end(session);
    free(session);
    return shown == CLI_OK ? code : shown;
}
