/* viz/view/view_input.c, viz/view/view_requests.c: the sheets over the panels, of parameters and requests, without a
 * window. */
#include "tests/support/unit.h"
#include "viz/view/view_internal.h"

#define US UINT64_C(1000000)

/* A view of one run with two cores, samples each microsecond up to 100, and two parameters. */
struct bench {
    struct telemetry layout;
    struct view view;
};

static const char *const sizes[] = {"256KiB", "512KiB", "1MiB", NULL};

static int set_up(void **state)
{
    struct bench *const bench = calloc(1, sizeof *bench);
    uint64_t words[16] = {0};

    telemetry_init(&bench->layout);
    telemetry_add_component(&bench->layout, TELEMETRY_CORE, TELEMETRY_NONE, "cpu0");
    telemetry_add_component(&bench->layout, TELEMETRY_CORE, TELEMETRY_NONE, "cpu1");
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    view_init(&bench->view);
    assert_int_equal(view_add_run(&bench->view, "duo", &bench->layout).kind, FAULT_NONE);
    bench->view.width = 1280;
    bench->view.height = 800;
    bench->view.parameters = calloc(2, sizeof *bench->view.parameters);
    bench->view.parameter_count = 2;
    bench->view.parameters[0] = (struct view_parameter){.key = "l2.size", .help = "size", .value = "512KiB",
                                                        .choices = sizes};
    bench->view.parameters[1] = (struct view_parameter){.key = "cpu_clock", .help = "clock", .value = "2GHz"};
    for (uint64_t us = 1; us <= 100; us++) {
        words[TELEMETRY_NUMBER] = us - 1;
        words[TELEMETRY_TIME] = us * US;
        history_put(&bench->view.runs[0].history, words);
    }
    view_update(&bench->view);
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

static void type(struct bench *bench, const char *text)
{
    for (; *text != '\0'; text++)
        key(bench, (unsigned char)*text);
}

/* The next thing that is asked; nothing else may have been asked. */
static struct view_ask only_ask(struct bench *bench)
{
    struct view_ask ask = {0}, more;

    assert_true(view_ask(&bench->view, &ask));
    assert_false(view_ask(&bench->view, &more));
    return ask;
}

static void asks_nothing(struct bench *bench)
{
    struct view_ask ask;

    assert_false(view_ask(&bench->view, &ask));
}

/* ---- parameters */

/* "letters narrow the list, Enter edits, Enter starts anew with it"; then the panel is closed */
static void a_parameter_is_changed(void **state)
{
    struct bench *const bench = *state;
    struct view_ask ask;

    key(bench, 'p');
    assert_int_equal(bench->view.mode, MODE_PARAMETERS);
    key(bench, VIEW_KEY_RIGHT);
    assert_int_equal(bench->view.mode, MODE_VALUE);
    assert_string_equal(bench->view.typed, "1MiB");
    key(bench, VIEW_KEY_RIGHT);
    assert_string_equal(bench->view.typed, "256KiB");
    key(bench, VIEW_KEY_LEFT);
    key(bench, VIEW_KEY_ENTER);
    ask = only_ask(bench);
    assert_int_equal(ask.kind, VIEW_ASK_RESTART);
    assert_string_equal(ask.key, "l2.size");
    assert_string_equal(ask.value, "1MiB");
    assert_int_equal(bench->view.mode, MODE_WATCH);
    key(bench, 'p');
    assert_int_equal(bench->view.parameter, 0);
    key(bench, VIEW_KEY_UP);
    key(bench, VIEW_KEY_ENTER);
    key(bench, VIEW_KEY_LEFT);
    assert_string_equal(bench->view.typed, "2GHz");
    for (int i = 0; i < 10; i++)
        key(bench, VIEW_KEY_BACKSPACE);
    type(bench, "3.5GHz");
    key(bench, VIEW_KEY_CTRL_ENTER);
    ask = only_ask(bench);
    assert_int_equal(ask.kind, VIEW_ASK_COMPARE);
    assert_string_equal(ask.key, "cpu_clock");
    assert_string_equal(ask.value, "3.5GHz");
    key(bench, 'p');
    key(bench, VIEW_KEY_ENTER);
    key(bench, VIEW_KEY_ESCAPE);
    asks_nothing(bench);
    assert_int_equal(bench->view.mode, MODE_PARAMETERS);
    key(bench, VIEW_KEY_ESCAPE);
    assert_int_equal(bench->view.mode, MODE_WATCH);
}

/* "letters narrow the list ... Filter and choice are there again the next time; the first letter then begins a new
 * filter ... q without a filter closes the window" */
static void parameters_are_filtered(void **state)
{
    struct bench *const bench = *state;

    key(bench, 'p');
    type(bench, "CLO");
    assert_string_equal(bench->view.filter, "CLO");
    assert_int_equal(bench->view.parameter, 1);
    assert_false(view_parameter_is_listed(&bench->view, 0));
    key(bench, VIEW_KEY_DOWN);
    assert_int_equal(bench->view.parameter, 1);
    key(bench, VIEW_KEY_HOME);
    assert_int_equal(bench->view.parameter, 1);
    type(bench, "q");
    asks_nothing(bench);
    key(bench, VIEW_KEY_ENTER);
    assert_int_equal(bench->view.mode, MODE_PARAMETERS);  /* nothing is called CLOq */
    key(bench, VIEW_KEY_BACKSPACE);
    key(bench, VIEW_KEY_ESCAPE);
    assert_int_equal(bench->view.mode, MODE_WATCH);
    key(bench, 'p');
    assert_string_equal(bench->view.filter, "CLO");
    assert_int_equal(bench->view.parameter, 1);
    type(bench, "p");
    assert_string_equal(bench->view.filter, "p");
    key(bench, VIEW_KEY_BACKSPACE);
    assert_string_equal(bench->view.filter, "");
    key(bench, VIEW_KEY_UP);
    assert_int_equal(bench->view.parameter, 0);
    key(bench, VIEW_KEY_END);
    assert_int_equal(bench->view.parameter, 1);
    type(bench, "l2");
    assert_int_equal(bench->view.parameter, 0);
    key(bench, VIEW_KEY_ESCAPE);
    key(bench, 'p');
    key(bench, 'q');
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_QUIT);
}

/* ---- requests */

static void put_request(struct bench *bench, uint32_t core, uint64_t end_ps, uint64_t took_ps)
{
    requests_put(&bench->view.runs[0].requests, &(struct telemetry_request){
        .core = core, .stop_count = 2, .stops = {{core, TELEMETRY_STOP_SEND, end_ps - took_ps},
                                                 {core, TELEMETRY_STOP_RECEIVE, end_ps}}
    });
}

static size_t shown(const struct bench *bench)
{
    const struct telemetry_request *found[VIEW_REQUESTS];
    uint64_t from_ps, to_ps;

    return view_requests(&bench->view, 0, found, &from_ps, &to_ps);
}

/* "between the two samples that it lies between ... of the chosen core, if one is"; keys of the list */
static void requests_of_the_moment(void **state)
{
    struct bench *const bench = *state;
    struct view *const view = &bench->view;

    for (unsigned i = 0; i < 10; i++)
        put_request(bench, i % 2, 40 * US + 10 + i, 100 + i);
    put_request(bench, 0, 42 * US, 300);
    view->pinned_ps = 40 * US + US / 2;
    view->has_pinned_at = true;
    view_update(view);
    key(bench, 'l');
    assert_int_equal(view->mode, MODE_REQUESTS);
    assert_int_equal(shown(bench), 10);
    key(bench, VIEW_KEY_DOWN);
    key(bench, VIEW_KEY_DOWN);
    key(bench, VIEW_KEY_UP);
    assert_int_equal(view->request, 1);
    key(bench, VIEW_KEY_END);
    key(bench, VIEW_KEY_DOWN);
    assert_int_equal(view->request, 9);
    key(bench, VIEW_KEY_RIGHT);
    assert_int_equal(view->pinned_ps, 42 * US);
    assert_int_equal(shown(bench), 1);
    assert_int_equal(view->request, 0);
    key(bench, VIEW_KEY_LEFT);
    assert_int_equal(view->pinned_ps, 41 * US);
    view_choose(view, 0, 1);
    assert_int_equal(shown(bench), 5);
    key(bench, VIEW_KEY_LEFT);
    assert_int_equal(shown(bench), 0);
    key(bench, VIEW_KEY_ESCAPE);
    assert_int_equal(view->mode, MODE_WATCH);
    asks_nothing(bench);
}

/* Enter asks to follow where the host can, and nothing is followed yet. */
static void following_is_asked_for(void **state)
{
    struct bench *const bench = *state;

    key(bench, 'l');
    key(bench, VIEW_KEY_ENTER);
    asks_nothing(bench);
    bench->view.can_follow = true;
    key(bench, VIEW_KEY_ENTER);
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_FOLLOW);
    bench->view.is_following = true;
    key(bench, 'l');
    key(bench, VIEW_KEY_ENTER);
    asks_nothing(bench);
    key(bench, 'q');
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_QUIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    struct CMUnitTest const tests[] = {
        TEST(a_parameter_is_changed), TEST(parameters_are_filtered), TEST(requests_of_the_moment),
        TEST(following_is_asked_for)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
