/* replay/session/session.h: a workload serves several sessions; engines and outputs change nothing; a run can be ended
 * from outside; what does not fit is a fault that names it. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/session/session.h"
#include "tests/support/unit.h"

#define TRACES "tests/traces/qsort"
#define KERNELS "tests/traces/gpu/gcn3-fir"

struct seen {
    unsigned blocks, lines, asked;
    unsigned ends_after;                 /* calls of progress; 0: never */
};

static void see_block(void *context, const struct stats *stats, uint64_t now_ps)
{
    struct seen *const seen = context;

    assert_true(now_ps >= stats->reset_ps);
    seen->blocks++;
}

static void see_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                     uint64_t address, const char *details)
{
    struct seen *const seen = context;

    (void)tick_ps, (void)component, (void)what, (void)command, (void)address, (void)details;
    seen->lines++;
}

static bool see_progress(void *context, const struct session_progress *progress)
{
    struct seen *const seen = context;

    assert_true(progress->part >= 0 && progress->part <= 1);
    return ++seen->asked == seen->ends_after;
}

static struct system_config *config_of(const char *name)
{
    static struct system_config config;

    assert_int_equal(config_read(&config, name, NULL, 0).kind, FAULT_NONE);
    return &config;
}

static void find(struct workload *workload, const char *path)
{
    struct fault const fault = workload_find(workload, path, &path, 1, NULL);

    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
}

/* The end of the run; 0: it was stopped. */
static uint64_t run(const struct session_request *request, struct seen *seen)
{
    struct session_outputs const outputs = {
        .log = {.line = request->has_log ? see_line : NULL, .context = seen}, .block = see_block,
        .progress = see_progress, .context = seen
    };
    struct session *session;
    struct fault fault = session_open(&session, request);
    uint64_t end_ps;

    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
    end_ps = session_result(session)->is_stopped ? 0 : session_result(session)->end_ps;
    session_close(session);
    return end_ps;
}

static void outputs_and_engines_change_nothing(void **state)
{
    struct workload workload;
    struct session_request request = {.config = config_of("wide"), .workload = &workload, .has_stats = true,
                                      .limits = session_no_limits(), .engine = engine_fast()};
    struct seen seen = {0};
    uint64_t end_ps;

    find(&workload, TRACES);
    end_ps = run(&request, &seen);
    assert_true(end_ps > 0);
    assert_int_equal(seen.blocks, 1);
    request.engine = engine_plain();
    assert_int_equal(run(&request, &seen), end_ps);
    request.has_log = true;
    request.interval_ps = end_ps / 3 + 1;    /* two, and one at the end */
    seen = (struct seen){0};
    assert_int_equal(run(&request, &seen), end_ps);
    assert_int_equal(seen.blocks, 3);
    assert_true(seen.lines > 1000);
    workload_close(&workload);
}

/* header: "True: the run ends now, without a result." */
static void a_run_can_be_ended(void **state)
{
    struct workload workload;
    struct session_request const request = {.config = config_of("wide"), .workload = &workload, .interval_ps = 100000,
                                            .limits = session_no_limits(), .engine = engine_fast()};
    struct seen seen = {.ends_after = 3};

    find(&workload, TRACES);
    assert_int_equal(run(&request, &seen), 0);
    assert_int_equal(seen.asked, 3);
    workload_close(&workload);
}

static void notes_name_disabled_fast_paths(void **state)
{
    struct workload workload;
    struct session_request request = {.config = config_of("wide"), .workload = &workload,
                                      .limits = session_no_limits(), .engine = engine_fast()};
    struct session *session;

    find(&workload, TRACES);
    assert_int_equal(session_open(&session, &request).kind, FAULT_NONE);
    assert_null(session_note(session));
    session_close(session);
    request.has_log = true;
    assert_int_equal(session_open(&session, &request).kind, FAULT_NONE);
    assert_non_null(session_note(session));
    assert_non_null(strstr(session_note(session), "memo"));
    session_close(session);
    workload_close(&workload);
}

static void expect_fault(const char *system, const char *path, struct session_limits limits, const char *text)
{
    struct workload workload;
    struct session_request const request = {.config = config_of(system), .workload = &workload, .limits = limits,
                                            .engine = engine_fast()};
    struct session *session;
    struct fault fault;

    find(&workload, path);
    fault = session_open(&session, &request);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_null(session);
    if (!strstr(fault_text(fault), text))
        fail_msg("'%s', expected '%s'", fault_text(fault), text);
    workload_close(&workload);
}

static void a_mismatch_of_system_and_workload_is_a_fault(void **state)
{
    struct session_limits limits = session_no_limits();

    expect_fault("wide", KERNELS, limits, "has no GPU");
    expect_fault("qv100", TRACES, limits, "no cores");
    limits.max_records = 10;
    expect_fault("qv100", KERNELS, limits, "records");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_and_engines_change_nothing),
        cmocka_unit_test(a_run_can_be_ended),
        cmocka_unit_test(notes_name_disabled_fast_paths),
        cmocka_unit_test(a_mismatch_of_system_and_workload_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
