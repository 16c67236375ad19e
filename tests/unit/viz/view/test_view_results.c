/* viz/view/view_internal.h, viz/state/state_figures.h: results of finished runs, without a window. */
#include <math.h>

#include "tests/support/unit.h"
#include "viz/view/view_internal.h"

struct bench {
    struct telemetry layout;
    struct view view;
};

static void put_samples(struct bench *bench, unsigned run, unsigned count)
{
    uint64_t words[TELEMETRY_HEAD + 1] = {0};

    assert_true(bench->layout.word_count <= sizeof words / sizeof words[0]);
    for (unsigned i = 1; i <= count; i++) {
        words[TELEMETRY_NUMBER] = i;
        words[TELEMETRY_TIME] = i * 1000000;
        history_put(&bench->view.runs[run].history, words);
    }
    view_update(&bench->view);
}

static int set_up(void **state)
{
    struct bench *const bench = calloc(1, sizeof *bench);

    assert_non_null(bench);
    telemetry_init(&bench->layout);
    telemetry_add_component(&bench->layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "wide");
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    view_init(&bench->view);
    assert_int_equal(view_add_run(&bench->view, "wide", &bench->layout).kind, FAULT_NONE);
    bench->view.width = 1280;
    bench->view.height = 800;
    put_samples(bench, 0, 100);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *const bench = *state;

    view_free(&bench->view);
    telemetry_free(&bench->layout);
    free(bench);
    return 0;
}

static void key(struct bench *bench, uint32_t which)
{
    view_event(&bench->view, &(struct view_input){.kind = VIEW_KEY, .key = which});
}

static bool overlap(struct area one, struct area other)
{
    return one.width > 0 && other.width > 0 && one.x < other.x + other.width && other.x < one.x + one.width
           && one.y < other.y + other.height && other.y < one.y + one.height;
}

static void judge(struct bench *bench, unsigned run, double time_ms)
{
    struct findings findings = {0};
    struct finding_metric time = {.name = "time_ms", .value = "some ms", .number = time_ms, .meaning = "time"};

    findings_add_line(&findings, "bound by", "DRAM bandwidth", false);
    assert_true(findings_add_metric(&findings, &time));
    view_judge(&bench->view, run, &findings);
}

/* Lines of results are between the bar and the panels, which have that much less. */
static void results_have_room_of_their_own(void **state)
{
    struct bench *const bench = *state;

    judge(bench, 0, 1);
    for (int height = 240; height <= 2200; height += 93) {
        struct view_layout layout;

        bench->view.height = height;
        layout = view_layout_of(&bench->view);
        if (height >= 800)
            assert_true(layout.results.height > 0);
        assert_true(layout.results.y == layout.bar.y + layout.bar.height);
        assert_true(layout.diagram[0].y >= layout.results.y + layout.results.height);
        assert_true(layout.status.y + layout.status.height <= height);
        assert_false(overlap(layout.results, layout.strips) || overlap(layout.results, layout.banks[0])
                     || overlap(layout.strips, layout.status) || overlap(layout.diagram[0], layout.strips));
    }
    assert_int_equal(view_restart_run(&bench->view, 0, &bench->layout).kind, FAULT_NONE);
    assert_int_equal(view_layout_of(&bench->view).results.height, 0);
}

/* The left run's time by the right one's, by the metric where that is known; only when both are over. */
static void a_speedup_is_of_two_runs_that_are_over(void **state)
{
    struct bench *const bench = *state;

    assert_true(isnan(view_speedup(&bench->view)));
    assert_int_equal(view_add_run(&bench->view, "other", &bench->layout).kind, FAULT_NONE);
    put_samples(bench, 1, 50);
    bench->view.runs[0].state = VIEW_ENDED;
    assert_true(isnan(view_speedup(&bench->view)));
    bench->view.runs[1].state = VIEW_ENDED;
    assert_true(view_speedup(&bench->view) == (double)history_end_ps(&bench->view.runs[0].history)
                                                  / (double)history_end_ps(&bench->view.runs[1].history));
    judge(bench, 0, 3);
    judge(bench, 1, 2);
    assert_true(view_speedup(&bench->view) == 1.5);
    bench->view.runs[1].state = VIEW_FAILED;
    assert_true(isnan(view_speedup(&bench->view)));
}

static void metrics_open_only_where_there_are_some(void **state)
{
    struct bench *const bench = *state;
    struct view_ask ask;

    key(bench, 'm');
    assert_int_equal(bench->view.mode, MODE_WATCH);
    assert_non_null(strstr(bench->view.note, "a recording has samples but no statistics"));
    judge(bench, 0, 1);
    key(bench, 'm');
    assert_int_equal(bench->view.mode, MODE_METRICS);
    key(bench, VIEW_KEY_DOWN);
    assert_int_equal(bench->view.mode, MODE_METRICS);
    assert_true(bench->view.window.is_whole);            /* down scrolls, and does not zoom */
    key(bench, 'm');
    assert_int_equal(bench->view.mode, MODE_WATCH);
    key(bench, 'm');
    key(bench, VIEW_KEY_ESCAPE);
    assert_int_equal(bench->view.mode, MODE_WATCH);
    key(bench, 'm');
    key(bench, 'q');
    assert_true(view_ask(&bench->view, &ask));
    assert_int_equal(ask.kind, VIEW_ASK_QUIT);
}

/* Beyond their room lines are dropped, and names and texts are cut. */
static void findings_are_cut_to_their_room(void **state)
{
    struct findings findings = {0};
    char text[2 * FINDINGS_TEXT];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < FINDINGS_LINES + 2; i++)
        findings_add_line(&findings, text, text, i % 2);
    assert_int_equal(findings.line_count, FINDINGS_LINES);
    assert_int_equal(strlen(findings.lines[0].head), FINDINGS_HEAD - 1);
    assert_int_equal(strlen(findings.lines[0].text), FINDINGS_TEXT - 1);
    findings_free(&findings);
    assert_int_equal(findings.line_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_have_room_of_their_own), TEST(a_speedup_is_of_two_runs_that_are_over),
        TEST(metrics_open_only_where_there_are_some), cmocka_unit_test(findings_are_cut_to_their_room)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
