/* How far runs may go. At a speed, all runs go to one time, target_ps, and when all have come there, it moves on by the
 * speed: two runs stay together, and a run that cannot follow slows the other. As fast as they run, each has no limit.
 * Paused runs have the limit 0, which lets each wait where it is. */
#include "cli/view/view_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/view/run_results.h"
#include "memsys/sim/event.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"

_Static_assert(sizeof ((struct view_run *)0)->title == sizeof ((struct view_source *)0)->title, "titles are copied");

/* ---- runs */
static struct fault read_parameters(struct view_session *session)
{
    struct system_config *config;
    struct fault fault;

    if (session->sources[0].kind != VIEW_SOURCE_RUN)
        return fault_none();
    config = config_new();
    if (!config)
        return fault_make(FAULT_MEMORY, "out of memory");
    fault = watched_run_config(&session->sources[0].run, config);
    if (fault.kind == FAULT_NONE && !session->is_beside_replay)
        fault = view_parameters_make(&session->parameters, &session->view, config);
    if (fault.kind == FAULT_NONE)
        session->view.cycle_ps = config_core_count(config) || !config_has_gpu(config)
                                     ? config_cpu_clock_ps(config) : config_gpu_clock_ps(config);
    free(config);
    return fault;
}

static int add_source(struct view_session *session, unsigned run)
{
    struct view_source const *const source = &session->sources[run];
    struct fault const fault = view_add_run(&session->view, source->title, view_source_layout(source));

    session->view.runs[run].state = VIEW_RUNNING;
    session->view.runs[run].begin_ps = source->begin_ps;
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* KEY=VALUE for the next start. */
static struct fault change(struct watched_run *run, const char *setting)
{
    char text[WATCHED_SETTING];
    char *sign;

    snprintf(text, sizeof text, "%s", setting);
    sign = strchr(text, '=');
    *sign = '\0';
    return watched_run_change(run, text, sign + 1);
}

/* Applies the changes that only the second run has. Of the command line: --compare-set. Else the changes of the first
 * one, and then key=value; it keeps them, independent of later changes of the first. */
static struct fault change_second(struct view_session *session, const char *key, const char *value)
{
    struct watched_run const *const first = &session->sources[0].run;
    struct watched_run *const second = &session->sources[1].run;

    if (key && *key != '\0') {
        for (size_t i = 0; i < first->changes.count; i++)
            FORWARD(change(second, first->changes.of[i]));
        return watched_run_change(second, key, value);
    }
    for (size_t i = 0; i < session->compare_setting_count; i++)
        FORWARD(change(second, session->compare_settings[i]));
    return watched_run_check(second);
}

static bool has_second(const struct view_session *session)
{
    return session->compare || session->compare_setting_count > 0;
}

/* Of the systems of two runs; of recordings they are not known. */
static void compare_systems(struct view_session *session)
{
    struct system_config *const configs[] = {config_new(), config_new()};
    struct fault fault = fault_none();

    session->view.difference[0] = '\0';
    if (configs[0] && configs[1] && session->view.run_count == 2 && session->request) {
        for (unsigned i = 0; i < 2 && fault.kind == FAULT_NONE; i++)
            fault = watched_run_config(&session->sources[i].run, configs[i]);
        if (fault.kind == FAULT_NONE)
            fault = view_results_difference(session->view.difference, sizeof session->view.difference, configs[0],
                                            configs[1]);
    }
    if (fault.kind != FAULT_NONE)
        view_note(&session->view, "%s", fault_text(fault));
    free(configs[0]);
    free(configs[1]);
}

/* The panel's settings are not from --set. */
static const char *without_option(const char *text)
{
    static const char option[] = "--set: ";

    return strncmp(text, option, sizeof option - 1) == 0 ? text + sizeof option - 1 : text;
}

/* The second run: the first one's system with another value, or without a key the system that the command line
 * compares with. */
static int open_second(struct view_session *session, const char *key, const char *value)
{
    struct view_source *const source = &session->sources[1];
    struct watched_run const *const first = &session->sources[0].run;
    struct replay_request request;
    const char *problem;
    struct fault fault;
    int code;

    if (!session->request) {
        code = view_source_open_recording(source, session->compare, 0);
        return code == CLI_OK ? add_source(session, 1) : code;
    }
    request = first->request;
    request.sampling.record = NULL;
    request.setting_count = first->request_settings;
    if ((!key || *key == '\0') && session->compare)
        request.system = session->compare;
    view_source_prepare_run(source, &request);
    fault = change_second(session, key, value);
    code = fault.kind == FAULT_NONE ? view_source_restart(source, 0) : CLI_BAD_INPUT;
    problem = fault.kind == FAULT_NONE ? source->run.problem : without_option(fault_text(fault));
    if (code != CLI_OK && key && *key)   /* typed in the panel, which shows the error */
        view_refuse_value(&session->view, key, value, problem);
    else if (code != CLI_OK)
        cli_fail_text("second run: %s", problem);
    if (code == CLI_OK)
        code = add_source(session, 1);
    if (code == CLI_OK) {
        compare_systems(session);
        return CLI_OK;
    }
    view_source_close(source);
    return code;
}

void view_session_begin(struct view_session *session)
{
    view_init(&session->view);
}

static bool has_cores(const struct telemetry *layout)
{
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (layout->components[i].part == TELEMETRY_CORE)
            return true;
    return false;
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
    session->view.can_follow = session->request && !session->is_beside_replay
                               && has_cores(view_source_layout(source));
    session->view.is_following = session->request && session->request->sampling.samples.has_requests;
    if (!session->request)
        session->view.cycle_ps = view_source_interval_ps(source) ? view_source_interval_ps(source) : 1000;
    fault = read_parameters(session);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    return has_second(session) ? open_second(session, NULL, NULL) : CLI_OK;
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
static void view_session_step(struct view_session *session)
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
    if (!view_any_run_is(&session->view, VIEW_RUNNING) || session->view.speed_ps == 0)
        return;
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (is_live(session, i) && !view_source_rests(&session->sources[i]))
            return;
    session->target_ps += session->view.speed_ps;
    allow_all(session, session->target_ps);
}

/* ---- samples */
static bool take_from(struct view_session *session, unsigned run, double until_s)
{
    struct view_source *const source = &session->sources[run];
    struct view_run *const shown = &session->view.runs[run];
    bool const was_live = is_live(session, run);
    bool is_over, is_new = false;
    struct telemetry_request request;
    const uint64_t *words;
    int code;

    is_over = was_live && view_source_is_over(source, &code);      /* before: then no sample comes after the last */
    while ((words = view_source_next(source))) {
        history_put(&shown->history, words);
        if (run == 0)
            view_recording_put(&session->recorded, &session->view, words);
        is_new = true;
        if (host_clock_s() > until_s)
            return true;
    }
    while (view_source_next_request(source, &request)) {
        requests_put(&shown->requests, &request);
        if (run == 0)
            view_recording_put_request(&session->recorded, &session->view, &request);
    }
    shown->lost = view_source_lost(source);
    if (!is_over && was_live && source->kind != VIEW_SOURCE_RUN)
        is_over = view_source_is_over(source, &code);
    if (!is_over)
        return is_new;
    shown->state = code == CLI_OK ? VIEW_ENDED : VIEW_FAILED;
    if (source->kind == VIEW_SOURCE_RUN)
        view_judge(&session->view, run, &source->run.findings);
    if (code != CLI_OK)
        view_note(&session->view, source->kind == VIEW_SOURCE_RUN
                                      ? "the run ended with an error; the terminal shows it"
                                      : "the run was stopped before its end: figures are up to there");
    if (run == 0)
        view_recording_end(&session->recorded, &session->view);
    return true;
}

bool view_session_take(struct view_session *session, double most_ms)
{
    double const until_s = host_clock_s() + 1e-3 * most_ms;
    bool is_new = false;

    for (unsigned i = 0; i < session->view.run_count; i++)
        is_new |= take_from(session, i, until_s);
    move_on(session);
    if (is_new)
        view_update(&session->view);
    return is_new;
}

/* Some intervals at a time, so that no sample of a run is overwritten before it was taken. */
static uint64_t stride_ps(struct view_session *session, uint64_t left_ps)
{
    uint64_t const interval_ps = view_source_interval_ps(&session->sources[0]);
    bool const is_run = session->sources[0].kind == VIEW_SOURCE_RUN;

    return is_run && interval_ps < left_ps / 8 ? 8 * interval_ps : left_ps;
}

void view_session_reach(struct view_session *session, uint64_t time_ps)
{
    double const never = 1e9;
    uint64_t until_ps = furthest_ps(session);

    while (view_any_run_is(&session->view, VIEW_RUNNING) && until_ps < time_ps) {
        until_ps += stride_ps(session, time_ps - until_ps);
        allow_all(session, until_ps);
        for (unsigned i = 0; i < session->view.run_count; i++) {
            view_source_await(&session->sources[i]);
            take_from(session, i, never);
        }
    }
    view_update(&session->view);
}

/* ---- requests of the view */
static void toggle_recording(struct view_session *session)
{
    if (session->view.is_recording)
        view_recording_end(&session->recorded, &session->view);
    else if (!is_live(session, 0))
        view_note(&session->view, "the run is over, so there is nothing more to record; press r to write what is "
                                  "shown");
    else
        view_recording_begin(&session->recorded, &session->view, &session->sources[0]);
}

/* Restarts the run with the changed parameters; its previous course stays behind the new one unless the caller drops
 * it. */
static bool restart(struct view_session *session, unsigned run)
{
    struct view_source *const source = &session->sources[run];
    struct view_run *const shown = &session->view.runs[run];
    struct fault fault;

    view_recording_end(&session->recorded, &session->view);
    if (view_source_restart(source, 0) != CLI_OK) {
        shown->state = VIEW_FAILED;
        view_note(&session->view, "the run could not be started: %s", source->run.problem);
        return false;
    }
    fault = view_restart_run(&session->view, run, view_source_layout(source));
    if (fault.kind != FAULT_NONE) {
        shown->state = VIEW_FAILED;
        view_note(&session->view, "%s", fault_text(fault));
        return false;
    }
    memcpy(shown->title, source->title, sizeof shown->title);
    return true;
}

/* The value that is asked for, and those that were kept before it. One may need another one (ways and size): those that
 * are refused are tried again as long as others are taken. False: the panel says why. */
static bool change_all(struct view_session *session, const struct view_ask *ask)
{
    struct view *const view = &session->view;
    struct fault fault = fault_none(), first = fault_none();
    const char *key = ask->key, *value = ask->value;
    size_t taken;

    do {
        taken = 0;
        first = fault_none();
        for (size_t i = 0; i < view->parameter_count; i++) {
            struct view_parameter *const parameter = &view->parameters[i];

            if (parameter->wanted[0] == '\0')
                continue;
            fault = watched_run_change(&session->sources[0].run, parameter->key, parameter->wanted);
            if (fault.kind == FAULT_NONE) {
                memcpy(parameter->value, parameter->wanted, sizeof parameter->value);
                parameter->wanted[0] = '\0';
                taken++;
            } else if (first.kind == FAULT_NONE) {
                first = fault;
                key = parameter->key;
                value = parameter->wanted;
            }
        }
    } while (taken > 0 && first.kind != FAULT_NONE);
    if (first.kind == FAULT_NONE)        /* also if it is the value that it has */
        first = watched_run_change(&session->sources[0].run, ask->key, ask->value);
    if (first.kind != FAULT_NONE)
        view_refuse_value(view, key, value, without_option(fault_text(first)));
    return first.kind == FAULT_NONE;
}

/* A system that is right by itself and does not run these traces: the run starts as it was before, and the panel says
 * why. */
static void go_back(struct view_session *session, const struct view_ask *ask, const struct watched_changes *before)
{
    struct watched_run *const run = &session->sources[0].run;
    char problem[WATCHED_PROBLEM];
    struct fault fault;

    memcpy(problem, run->problem, sizeof problem);
    watched_run_undo(run, before);
    if (restart(session, 0))
        view_session_go(session);
    fault = read_parameters(session);
    view_refuse_value(&session->view, ask->key, ask->value, fault.kind == FAULT_NONE ? problem : fault_text(fault));
}

static void restart_with(struct view_session *session, const struct view_ask *ask)
{
    struct watched_changes before;
    struct fault fault;

    if (session->is_beside_replay || !session->request) {
        view_note(&session->view, !session->request ? "parameters cannot be changed in a recording or in another "
                                                      "process's run"
                                                    : "rubato replay runs once; use rubato view to restart with other "
                                                      "parameters");
        return;
    }
    before = session->sources[0].run.changes;
    if (!change_all(session, ask))
        return;
    if (!restart(session, 0)) {
        go_back(session, ask, &before);
        return;
    }
    if (session->view.run_count == 2 && !restart(session, 1))
        return;
    if (session->view.run_count == 2)
        view_forget_old(&session->view, 1);
    compare_systems(session);
    fault = read_parameters(session);
    view_note(&session->view, "restarted with %s=%s", ask->key, ask->value);
    if (fault.kind != FAULT_NONE)
        view_note(&session->view, "%s", fault_text(fault));
    view_session_go(session);
}

/* The run is the same again, so the moment that was looked at stays. */
static void view_session_follow(struct view_session *session)
{
    uint64_t const pinned_ps = session->view.pinned_ps;

    for (unsigned i = 0; i < session->view.run_count; i++) {
        session->sources[i].run.request.sampling.samples.has_requests = true;
        if (!restart(session, i))
            return;
        view_forget_old(&session->view, i);
    }
    session->view.is_following = true;
    session->view.pinned_ps = pinned_ps;
    session->view.has_pinned_at = true;
    session->view.mode = MODE_REQUESTS;
    view_note(&session->view, "restarted with request tracing");
    view_session_go(session);
}

static void view_session_compare(struct view_session *session, const struct view_ask *ask)
{
    if (session->view.run_count == 2) {
        view_remove_run(&session->view);
        view_source_close(&session->sources[1]);
        session->view.difference[0] = '\0';
        if (*ask->key == '\0')
            return;
    }
    if (session->is_beside_replay || (*ask->key == '\0' && !has_second(session))
        || (*ask->key != '\0' && !session->request)) {
        view_note(&session->view, session->is_beside_replay ? "rubato replay runs once; use rubato view to compare"
                                  : "nothing to compare with: start with --compare or --compare-set, or press p and "
                                    "Ctrl+Enter on a value");
        return;
    }
    if (open_second(session, ask->key, ask->value) != CLI_OK) {
        if (session->view.problem[0] == '\0')
            view_note(&session->view, "the second run could not be started; the terminal says why");
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
    case VIEW_ASK_STEP: view_session_step(session); break;
    case VIEW_ASK_SPEED:
        if (view_any_run_is(&session->view, VIEW_RUNNING))
            view_session_go(session);
        break;
    case VIEW_ASK_RESTART: restart_with(session, ask); break;
    case VIEW_ASK_COMPARE: view_session_compare(session, ask); break;
    case VIEW_ASK_WINDOW: view_files_window(&session->view, session->sources); break;
    case VIEW_ASK_RECORD: toggle_recording(session); break;
    case VIEW_ASK_FOLLOW: view_session_follow(session); break;
    case VIEW_ASK_PNG: view_files_picture(&session->view, canvas); break;
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
    view_recording_end(&session->recorded, &session->view);
    view_free(&session->view);
    for (unsigned i = 0; i < VIEW_RUNS; i++)
        view_source_close(&session->sources[i]);
    view_parameters_free(&session->parameters);
}
