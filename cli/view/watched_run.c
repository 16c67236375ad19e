#include "cli/view/watched_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/view/run_results.h"
#include "replay/config/config.h"

void watched_run_init(struct watched_run *run, const struct replay_request *request)
{
    memset(run, 0, sizeof *run);
    run->request = *request;
    run->request_settings = request->setting_count;
}

static void apply_changes(struct watched_run *run)
{
    run->request.setting_count = run->request_settings;
    for (size_t i = 0; i < run->changes.count; i++)
        run->request.settings[run->request.setting_count++] = run->changes.of[i];
}

struct fault watched_run_config(const struct watched_run *run, struct system_config *config)
{
    return replay_request_config(&run->request, config);
}

struct fault watched_run_check(const struct watched_run *run)
{
    struct system_config *const config = config_new();
    struct fault const fault = config ? watched_run_config(run, config) : fault_make(FAULT_MEMORY, "out of memory");

    free(config);
    return fault;
}

void watched_run_undo(struct watched_run *run, const struct watched_changes *before)
{
    run->changes = *before;
    apply_changes(run);
}

/* A key that was changed before goes to the end, as the change that counts. */
struct fault watched_run_change(struct watched_run *run, const char *key, const char *value)
{
    struct watched_changes const before = run->changes;
    struct watched_changes *const changes = &run->changes;
    size_t kept = 0;
    struct fault fault;

    if (run->request_settings > REPLAY_MAX_SETTINGS - WATCHED_MAX_CHANGES)
        return fault_make(FAULT_INPUT, "more than %d --set options leave no room for changes in the view",
                          REPLAY_MAX_SETTINGS - WATCHED_MAX_CHANGES);
    for (size_t i = 0; i < before.count; i++)
        if (strncmp(before.of[i], key, strlen(key)) != 0 || before.of[i][strlen(key)] != '=')
            memcpy(changes->of[kept++], before.of[i], sizeof before.of[i]);
    if (kept == WATCHED_MAX_CHANGES)     /* the oldest gives way */
        memmove(changes->of[0], changes->of[1], --kept * sizeof changes->of[0]);
    snprintf(changes->of[kept], WATCHED_SETTING, "%s=%s", key, value);
    changes->count = kept + 1;
    apply_changes(run);
    fault = watched_run_check(run);
    if (fault.kind != FAULT_NONE)
        watched_run_undo(run, &before);
    return fault;
}

/* In the thread of the run, before the gate says that it is over. */
static void keep_results(void *context, const struct figures *figures, const struct verdict *verdict)
{
    struct watched_run *const run = context;

    view_results_make(&run->findings, figures, verdict);
}

/* Called in the thread of the run: errors before the first sample are left to the view to show. */
static bool keep_problem(void *context, const char *text)
{
    struct watched_run *const run = context;

    if (sample_gate_has_begun(&run->gate))
        return false;
    snprintf(run->problem, sizeof run->problem, "%s", text);
    return true;
}

static void *run_all(void *context)
{
    struct watched_run *const run = context;
    struct cli_listener const listener = {keep_problem, run};
    int code;

    cli_listen(&listener);
    code = replay_run(&run->request);
    cli_listen(NULL);
    sample_gate_over(&run->gate, code);
    return NULL;
}

/* The thread has ended, or ends without being asked for more; its exit code. */
static int watched_run_join(struct watched_run *run)
{
    int code = CLI_BAD_INPUT;

    if (!run->is_started)
        return code;
    pthread_join(run->thread, NULL);
    sample_gate_is_over(&run->gate, &code);
    sample_gate_free(&run->gate);
    run->is_started = false;
    return code;
}

/* The view keeps the layout of the run it shows, even if several starts fail. */
static int watched_run_fail(struct watched_run *run, const char *problem, int code)
{
    if (problem)
        snprintf(run->problem, sizeof run->problem, "%s", problem);
    if (run->has_text[run->text])
        telemetry_text_free(&run->texts[run->text]);
    run->has_text[run->text] = false;
    run->text ^= 1;
    run->layout = run->has_text[run->text] ? &run->texts[run->text].layout : NULL;
    return code > CLI_OK ? code : CLI_BAD_INPUT;
}

int watched_run_start(struct watched_run *run, uint64_t until_ps)
{
    struct fault fault;
    int code;

    run->problem[0] = '\0';
    run->text ^= 1;
    if (run->has_text[run->text])
        telemetry_text_free(&run->texts[run->text]);
    run->has_text[run->text] = false;
    sample_gate_init(&run->gate, run->request.sampling.samples.interval_ps);
    sample_gate_allow(&run->gate, until_ps);
    run->request.sampling.samples.gate = &run->gate;
    findings_free(&run->findings);
    run->request.judged = keep_results;
    run->request.judged_context = run;
    run->is_started = pthread_create(&run->thread, NULL, run_all, run) == 0;
    if (!run->is_started) {
        sample_gate_free(&run->gate);
        return watched_run_fail(run, "the system could not start a thread for the run", CLI_BAD_INPUT);
    }
    fault = sample_gate_layout(&run->gate, &run->texts[run->text], &run->has_text[run->text]);
    if (run->has_text[run->text]) {
        run->layout = &run->texts[run->text].layout;
        free(run->words);
        run->words = calloc(run->layout->word_count, sizeof *run->words);
        if (run->words)
            return CLI_OK;
        fault = fault_make(FAULT_MEMORY, "out of memory");
    }
    sample_gate_stop(&run->gate);
    code = watched_run_join(run);
    return watched_run_fail(run, fault.kind != FAULT_NONE ? fault_text(fault) : NULL, code);
}

void watched_run_stop(struct watched_run *run)
{
    if (run->is_started)
        sample_gate_stop(&run->gate);
    watched_run_join(run);
}

int watched_run_finish(struct watched_run *run)
{
    if (run->is_started)
        sample_gate_let_go(&run->gate);
    return watched_run_join(run);
}

void watched_run_free(struct watched_run *run)
{
    watched_run_stop(run);
    for (unsigned i = 0; i < 2; i++)
        if (run->has_text[i])
            telemetry_text_free(&run->texts[i]);
    free(run->words);
    findings_free(&run->findings);
    memset(run, 0, sizeof *run);
}
