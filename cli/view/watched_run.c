#include "cli/view/watched_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/view/results.h"

void watched_run_init(struct watched_run *run, const struct replay_request *request)
{
    memset(run, 0, sizeof *run);
    run->request = *request;
    run->request_settings = request->setting_count;
}

static void apply_changes(struct watched_run *run)
{
    run->request.setting_count = run->request_settings;
    for (size_t i = 0; i < run->change_count; i++)
        run->request.settings[run->request.setting_count++] = run->changes[i];
}

struct fault watched_run_config(const struct watched_run *run, struct system_config *config)
{
    return replay_request_config(&run->request, config);
}

struct fault watched_run_check(const struct watched_run *run)
{
    struct system_config *const config = malloc(sizeof *config);
    struct fault const fault = config ? watched_run_config(run, config) : fault_make(FAULT_MEMORY, "out of memory");

    free(config);
    return fault;
}

/* A key that was changed before goes to the end, as the change that counts. */
struct fault watched_run_change(struct watched_run *run, const char *key, const char *value)
{
    char before[WATCHED_MAX_CHANGES][WATCHED_SETTING];
    size_t const before_count = run->change_count;
    size_t kept = 0;
    struct fault fault;

    memcpy(before, run->changes, sizeof before);
    if (run->request_settings > REPLAY_MAX_SETTINGS - WATCHED_MAX_CHANGES)
        return fault_make(FAULT_INPUT, "more than %d --set options leave no room for changes in the view",
                          REPLAY_MAX_SETTINGS - WATCHED_MAX_CHANGES);
    for (size_t i = 0; i < before_count; i++)
        if (strncmp(before[i], key, strlen(key)) != 0 || before[i][strlen(key)] != '=')
            memcpy(run->changes[kept++], before[i], sizeof before[i]);
    if (kept == WATCHED_MAX_CHANGES)     /* the oldest gives way */
        memmove(run->changes[0], run->changes[1], --kept * sizeof run->changes[0]);
    snprintf(run->changes[kept], WATCHED_SETTING, "%s=%s", key, value);
    run->change_count = kept + 1;
    apply_changes(run);
    fault = watched_run_check(run);
    if (fault.kind != FAULT_NONE) {
        memcpy(run->changes, before, sizeof before);
        run->change_count = before_count;
        apply_changes(run);
    }
    return fault;
}

/* In the thread of the run, before the gate says that it is over. */
static void keep_results(void *context, const struct figures *figures, const struct verdict *verdict)
{
    struct watched_run *const run = context;

    view_results_make(&run->findings, figures, verdict);
}

static void *run_all(void *context)
{
    struct watched_run *const run = context;
    int const code = replay_run(&run->request);

    sample_gate_over(&run->gate, code);
    return NULL;
}

/* The thread has ended, or ends without being asked for more; its exit code. */
static int join(struct watched_run *run)
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

int watched_run_start(struct watched_run *run, uint64_t until_ps)
{
    struct fault fault;
    int code;

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
        return cli_fail_text("the system could not start a thread for the run");
    }
    fault = sample_gate_layout(&run->gate, &run->texts[run->text], &run->has_text[run->text]);
    if (fault.kind != FAULT_NONE)
        cli_fail(fault);
    if (run->has_text[run->text]) {
        run->layout = &run->texts[run->text].layout;
        free(run->words);
        run->words = calloc(run->layout->word_count, sizeof *run->words);
        if (run->words)
            return CLI_OK;
        cli_fail_text("out of memory");
    }
    sample_gate_stop(&run->gate);
    code = join(run);
    return code > CLI_OK ? code : CLI_BAD_INPUT;
}

void watched_run_stop(struct watched_run *run)
{
    if (run->is_started)
        sample_gate_stop(&run->gate);
    join(run);
}

int watched_run_finish(struct watched_run *run)
{
    if (run->is_started)
        sample_gate_let_go(&run->gate);
    return join(run);
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
