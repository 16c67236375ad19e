/* How far runs may go. At a speed, all runs go to one time, target_ps, and when all have come there, it moves on by the
 * speed: two runs stay together, and a run that cannot follow slows the other. As fast as they run, each has no limit.
 * Paused runs have the limit 0, which lets each wait where it is. */
#include "cli/view_session.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "memsys/event.h"

enum { MOST_FILES = 9999 };

_Static_assert(sizeof ((struct view_run *)0)->title == sizeof ((struct view_source *)0)->title, "titles are copied");

/* ---- runs */
static struct fault read_parameters(struct view_session *session)
{
    struct system_config *config;
    struct fault fault;

    if (session->sources[0].kind != VIEW_SOURCE_RUN)
        return fault_none();
    config = malloc(sizeof *config);
    if (!config)
        return fault_make(FAULT_MEMORY, "out of memory");
    fault = watched_run_config(&session->sources[0].run, config);
    if (fault.kind == FAULT_NONE && !session->is_beside_replay)
        fault = view_parameters_make(&session->parameters, &session->view, config);
    if (fault.kind == FAULT_NONE)
        session->view.cycle_ps = config->core_count || !config_has_gpu(config) ? config->cpu_clock_ps
                                                                               : config->gpu.core_clock_ps;
    free(config);
    return fault;
}

static int add_source(struct view_session *session, unsigned run)
{
    struct view_source const *const source = &session->sources[run];
    struct fault const fault = view_add_run(&session->view, source->title, view_source_layout(source));

    session->view.runs[run].state = VIEW_RUNNING;
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* What was changed in one run, and then key=value, in another, which keeps it whatever the first does later. */
static struct fault change_alike(struct watched_run *run, const struct watched_run *like, const char *key,
                                 const char *value)
{
    for (size_t i = 0; i < like->change_count; i++) {
        char text[WATCHED_SETTING];
        char *sign;

        memcpy(text, like->changes[i], sizeof text);
        sign = strchr(text, '=');
        *sign = '\0';
        FAULT_TRY(watched_run_change(run, text, sign + 1));
    }
    return watched_run_change(run, key, value);
}

/* The second run: the first one's system with another value, or without a key what the command line compares with. */
static int open_second(struct view_session *session, const char *key, const char *value)
{
    struct view_source *const source = &session->sources[1];
    struct watched_run const *const first = &session->sources[0].run;
    struct replay_request request;
    struct fault fault;
    int code;

    if (!session->request) {
        code = view_source_open_recording(source, session->compare, 0);
    } else {
        bool const is_changed = key && *key != '\0';

        request = first->request;
        request.sampling.record = NULL;
        request.setting_count = is_changed ? first->request_settings : 0;
        if (!is_changed)
            request.system = session->compare;
        code = view_source_open_run(source, &request, 0);
        if (code == CLI_OK && is_changed) {
            fault = change_alike(&source->run, first, key, value);
            code = fault.kind == FAULT_NONE ? view_source_restart(source, 0) : cli_fail(fault);
            if (code != CLI_OK)
                view_source_close(source);
        }
    }
    return code == CLI_OK ? add_source(session, 1) : code;
}

struct fault view_session_begin(struct view_session *session)
{
    return view_init(&session->view);
}

int view_session_open(struct view_session *session)
{
    struct view_source *const source = &session->sources[0];
    int code = session->recording ? view_source_open_recording(source, session->recording, 0)
               : session->attach ? view_source_attach(source, session->attach, 0)
                                 : view_source_open_run(source, session->request, 0);
    struct fault fault;

    if (code != CLI_OK)
        return code;
    code = add_source(session, 0);
    if (code != CLI_OK)
        return code;
    if (!session->request)
        session->view.cycle_ps = view_source_interval_ps(source) ? view_source_interval_ps(source) : 1000;
    fault = read_parameters(session);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    return session->compare ? open_second(session, NULL, NULL) : CLI_OK;
}

/* ---- how far they may go */
static bool is_live(const struct view_session *session, unsigned run)
{
    enum view_run_state const state = session->view.runs[run].state;

    return state == VIEW_RUNNING || state == VIEW_PAUSED;
}

static void allow_all(struct view_session *session, uint64_t until_ps)
{
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (is_live(session, i))
            view_source_allow(&session->sources[i], until_ps);
}

static uint64_t furthest_ps(const struct view_session *session)
{
    uint64_t furthest = 0;

    for (unsigned i = 0; i < session->view.run_count; i++)
        if (is_live(session, i) && session->sources[i].now_ps > furthest)
            furthest = session->sources[i].now_ps;
    return furthest;
}

static void set_states(struct view_session *session, enum view_run_state state)
{
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (is_live(session, i))
            session->view.runs[i].state = state;
}

static bool any_runs(const struct view_session *session)
{
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (session->view.runs[i].state == VIEW_RUNNING)
            return true;
    return false;
}

/* From where they are. */
void view_session_go(struct view_session *session)
{
    set_states(session, VIEW_RUNNING);
    session->target_ps = furthest_ps(session) + session->view.speed_ps;
    allow_all(session, session->view.speed_ps ? session->target_ps : SAMPLE_GATE_NO_LIMIT);
}

static void pause_all(struct view_session *session)
{
    set_states(session, VIEW_PAUSED);
    allow_all(session, 0);
}

/* To the next sample of all; both runs go to the same time. A run takes a sample wherever it is held, so a speed below
 * its interval makes the steps as short. */
static void step(struct view_session *session)
{
    uint64_t const now_ps = furthest_ps(session), speed_ps = session->view.speed_ps;
    uint64_t next_ps = TICK_NEVER;

    for (unsigned i = 0; i < session->view.run_count; i++) {
        struct view_source *const source = &session->sources[i];

        if (!is_live(session, i))
            continue;
        next_ps = min_u64(next_ps, view_source_next_ps(source, now_ps));
        if (source->kind == VIEW_SOURCE_RUN && speed_ps)
            next_ps = min_u64(next_ps, now_ps - now_ps % speed_ps + speed_ps);
    }
    if (next_ps == TICK_NEVER)
        return;
    set_states(session, VIEW_PAUSED);
    session->target_ps = next_ps;
    allow_all(session, session->target_ps);
}

static void move_on(struct view_session *session)
{
    if (!any_runs(session) || session->view.speed_ps == 0)
        return;
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (is_live(session, i) && !view_source_rests(&session->sources[i]))
            return;
    session->target_ps += session->view.speed_ps;
    allow_all(session, session->target_ps);
}

/* ---- samples */
static void end_recording(struct view_session *session)
{
    struct fault const fault = recording_end(&session->writer);
    bool const is_written = fclose(session->file) == 0 && fault.kind == FAULT_NONE;

    recording_free(&session->writer);
    session->file = NULL;
    session->view.is_recording = false;
    view_note(&session->view, is_written ? "written %s" : "%s is not whole: no room", session->file_path);
}

static void record(struct view_session *session, const uint64_t *words)
{
    if (recording_put(&session->writer, words).kind == FAULT_NONE)
        return;
    end_recording(session);
    view_note(&session->view, "%s is not whole: no room", session->file_path);
}

static bool take_from(struct view_session *session, unsigned run, double until_s)
{
    struct view_source *const source = &session->sources[run];
    struct view_run *const shown = &session->view.runs[run];
    bool const was_live = is_live(session, run);
    bool is_over, is_new = false;
    const uint64_t *words;
    int code;

    is_over = was_live && view_source_is_over(source, &code);      /* before: then no sample comes after the last */
    while ((words = view_source_next(source))) {
        history_put(&shown->history, words);
        if (run == 0 && session->view.is_recording)
            record(session, words);
        is_new = true;
        if (progress_clock_s() > until_s)
            return true;
    }
    shown->lost = view_source_lost(source);
    if (!is_over && was_live && source->kind != VIEW_SOURCE_RUN)
        is_over = view_source_is_over(source, &code);
    if (!is_over)
        return is_new;
    shown->state = code == CLI_OK ? VIEW_ENDED : VIEW_FAILED;
    if (code != CLI_OK)
        view_note(&session->view, source->kind == VIEW_SOURCE_RUN
                                      ? "the run ended with an error: see the terminal"
                                      : "it breaks off: the run was stopped before its end");
    if (run == 0 && session->view.is_recording)
        end_recording(session);
    return true;
}

bool view_session_take(struct view_session *session, double most_ms)
{
    double const until_s = progress_clock_s() + 1e-3 * most_ms;
    bool is_new = false;

    for (unsigned i = 0; i < session->view.run_count; i++)
        is_new |= take_from(session, i, until_s);
    move_on(session);
    if (is_new)
        view_update(&session->view);
    return is_new;
}

void view_session_reach(struct view_session *session, uint64_t time_ps)
{
    double const never = 1e9;
    uint64_t now_ps = furthest_ps(session);

    /* Some intervals at a time, so that no sample is overwritten before it was taken. */
    while (any_runs(session) && now_ps < time_ps) {
        uint64_t const stride_ps = 8 * view_source_interval_ps(&session->sources[0]);

        now_ps = time_ps - now_ps > stride_ps ? now_ps + stride_ps : time_ps;
        allow_all(session, now_ps);
        for (unsigned i = 0; i < session->view.run_count; i++) {
            view_source_await(&session->sources[i]);
            take_from(session, i, never);
        }
    }
    view_update(&session->view);
}

/* ---- what the view asks for */
static void free_name(char *path, size_t room, const char *ending)
{
    FILE *file;

    for (int i = 1; i <= MOST_FILES; i++) {
        snprintf(path, room, "view-%04d.%s", i, ending);
        file = fopen(path, "rb");
        if (!file)
            return;
        fclose(file);
    }
}

static void write_picture(struct view_session *session, struct canvas *canvas)
{
    char path[64];
    struct fault fault;

    free_name(path, sizeof path, "png");
    fault = canvas ? canvas_write_png(canvas, path) : fault_make(FAULT_INPUT, "no picture without a window");
    view_note(&session->view, fault.kind == FAULT_NONE ? "written %s" : "%s",
              fault.kind == FAULT_NONE ? path : fault.text);
}

static void toggle_recording(struct view_session *session)
{
    struct view_source const *const source = &session->sources[0];
    struct fault fault;

    if (session->view.is_recording) {
        end_recording(session);
        return;
    }
    if (!is_live(session, 0)) {
        view_note(&session->view, "nothing to record: the run is over");
        return;
    }
    free_name(session->file_path, sizeof session->file_path, "samples");
    session->file = fopen(session->file_path, "wb");
    if (!session->file) {
        view_note(&session->view, "%s cannot be written", session->file_path);
        return;
    }
    fault = recording_create(&session->writer, session->file, session->file_path, view_source_layout(source),
                             view_source_interval_ps(source));
    session->view.is_recording = fault.kind == FAULT_NONE;
    if (!session->view.is_recording) {
        recording_free(&session->writer);
        fclose(session->file);
        session->file = NULL;
        view_note(&session->view, "%s", fault.text);
        return;
    }
    view_note(&session->view, "recording to %s; r ends it", session->file_path);
}

/* From the beginning, with what was changed; what it showed stays behind it, if wanted. */
static bool restart(struct view_session *session, unsigned run)
{
    struct view_source *const source = &session->sources[run];
    struct view_run *const shown = &session->view.runs[run];
    struct fault fault;

    if (session->view.is_recording)
        end_recording(session);
    if (view_source_restart(source, 0) != CLI_OK) {
        shown->state = VIEW_FAILED;
        view_note(&session->view, "the run did not start: see the terminal");
        return false;
    }
    fault = view_restart_run(&session->view, run, view_source_layout(source));
    if (fault.kind != FAULT_NONE) {
        shown->state = VIEW_FAILED;
        view_note(&session->view, "%s", fault.text);
        return false;
    }
    memcpy(shown->title, source->title, sizeof shown->title);
    return true;
}

static void restart_with(struct view_session *session, const struct view_ask *ask)
{
    struct fault fault;

    if (session->is_beside_replay || !session->request) {
        view_note(&session->view, !session->request ? "a run that is over or elsewhere takes no parameters"
                                                    : "the replay runs once; rubato view starts it anew");
        return;
    }
    fault = watched_run_change(&session->sources[0].run, ask->key, ask->value);
    if (fault.kind != FAULT_NONE) {
        view_note(&session->view, "%s", fault.text);
        return;
    }
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (!restart(session, i))
            return;
    if (session->view.run_count == 2)
        view_forget_old(&session->view, 1);
    fault = read_parameters(session);
    view_note(&session->view, "started anew with %s=%s", ask->key, ask->value);
    if (fault.kind != FAULT_NONE)
        view_note(&session->view, "%s", fault.text);
    view_session_go(session);
}

static void compare(struct view_session *session, const struct view_ask *ask)
{
    if (session->view.run_count == 2) {
        view_remove_run(&session->view);
        view_source_close(&session->sources[1]);
        if (*ask->key == '\0')
            return;
    }
    if (session->is_beside_replay || (*ask->key == '\0' && !session->compare)
        || (*ask->key != '\0' && !session->request)) {
        view_note(&session->view, session->is_beside_replay ? "the replay runs once; rubato view compares"
                                  : "nothing to compare with: give --compare, or Tab on a value in the parameters (p)");
        return;
    }
    if (open_second(session, ask->key, ask->value) != CLI_OK) {
        view_note(&session->view, "the second run did not start: see the terminal");
        return;
    }
    if (restart(session, 0))
        view_forget_old(&session->view, 0);
    view_session_go(session);
}

static void carry_out(struct view_session *session, const struct view_ask *ask, struct canvas *canvas)
{
    switch (ask->kind) {
    case VIEW_ASK_NONE: break;
    case VIEW_ASK_PAUSE: pause_all(session); break;
    case VIEW_ASK_GO: view_session_go(session); break;
    case VIEW_ASK_STEP: step(session); break;
    case VIEW_ASK_SPEED:
        if (any_runs(session))
            view_session_go(session);
        break;
    case VIEW_ASK_RESTART: restart_with(session, ask); break;
    case VIEW_ASK_COMPARE: compare(session, ask); break;
    case VIEW_ASK_RECORD: toggle_recording(session); break;
    case VIEW_ASK_PNG: write_picture(session, canvas); break;
    case VIEW_ASK_QUIT: session->has_quit = true; break;
    }
}

void view_session_do(struct view_session *session, struct canvas *canvas)
{
    struct view_ask ask;

    while (view_ask(&session->view, &ask))
        carry_out(session, &ask, canvas);
}

void view_session_end(struct view_session *session)
{
    if (session->view.is_recording)
        end_recording(session);
    view_free(&session->view);
    for (unsigned i = 0; i < VIEW_RUNS; i++)
        view_source_close(&session->sources[i]);
    view_parameters_free(&session->parameters);
}
