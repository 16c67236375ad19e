/* viz/view/view.h, viz/view/keys.h, viz/view/view.h, viz/state/state_figures.h, viz/view/script.h: what keys and the
 * pointer
 * do, without a window. */
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"
#include "viz/draw/text_box.h"
#include "viz/panels/panels.h"
#include "viz/view/keys.h"
#include "viz/view/script.h"
#include "viz/view/view.h"
#include "viz/view/view_internal.h"

#define US UINT64_C(1000000)

/* A view of one run with a core and three caches, samples each microsecond up to 100. */
struct bench {
    struct telemetry layout;
    struct view view;
    uint32_t l1i, l1d, l2;
};

static const char *const sizes[] = {"256KiB", "512KiB", "1MiB", NULL};

static void put_samples(struct bench *bench, unsigned run, uint64_t first_us, uint64_t last_us)
{
    uint64_t words[16] = {0};

    for (uint64_t us = first_us; us <= last_us; us++) {
        words[TELEMETRY_NUMBER] = us - 1;
        words[TELEMETRY_TIME] = us * US;
        history_put(&bench->view.runs[run].history, words);
    }
    view_update(&bench->view);
}

static uint32_t add_part(struct bench *bench, enum telemetry_part part, const char *name)
{
    uint32_t const component = telemetry_add_component(&bench->layout, part, TELEMETRY_NONE, name);

    telemetry_add(&bench->layout, &(struct telemetry_field){.component = component, .name = "hits", .count = 1,
                                                            .kind = TELEMETRY_COUNTER, .unit = "hits", .help = "hits",
                                                            .source = &bench->l1i});
    return component;
}

static int set_up(void **state)
{
    struct bench *const bench = calloc(1, sizeof *bench);

    telemetry_init(&bench->layout);
    add_part(bench, TELEMETRY_SYSTEM, "wide");
    bench->l1i = add_part(bench, TELEMETRY_CACHE, "l1i");
    bench->l1d = add_part(bench, TELEMETRY_CACHE, "l1d");
    bench->l2 = add_part(bench, TELEMETRY_CACHE, "l2");
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    view_init(&bench->view);
    assert_int_equal(view_add_run(&bench->view, "wide", &bench->layout).kind, FAULT_NONE);
    bench->view.cycle_ps = 500;
    bench->view.width = 1280;
    bench->view.height = 800;
    bench->view.parameters = calloc(2, sizeof *bench->view.parameters);
    bench->view.parameter_count = 2;
    bench->view.parameters[0] = (struct view_parameter){.key = "l2.size", .help = "size", .value = "512KiB",
                                                        .choices = sizes};
    bench->view.parameters[1] = (struct view_parameter){.key = "cpu_clock", .help = "clock", .value = "2GHz"};
    put_samples(bench, 0, 1, 100);
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

static void pointer(struct bench *bench, enum view_input_kind kind, int x, int y, int wheel)
{
    view_event(&bench->view, &(struct view_input){.kind = kind, .x = x, .y = y, .wheel = wheel});
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

static struct area axis_of(const struct bench *bench)
{
    struct view_layout const layout = view_layout(bench->view.width, bench->view.height, bench->view.run_count,
                                                  panel_strips_height(&bench->view));

    return panel_time_area(layout.strips, 0, bench->view.run_count);
}

static struct area strips_of(const struct bench *bench)
{
    return view_layout(bench->view.width, bench->view.height, bench->view.run_count,
                       panel_strips_height(&bench->view)).strips;
}

static struct hit *add_hit(struct bench *bench, enum hit_kind kind, struct area area, uint32_t component,
                           const char *title)
{
    struct hit *const hit = hits_add(&bench->view.hits, kind, area);

    hit->component = component;
    snprintf(hit->title, sizeof hit->title, "%s", title);
    return hit;
}

/* ---- running */

/* "space: pause the run, or resume it" */
static void space_pauses_and_resumes(void **state)
{
    struct bench *const bench = *state;

    key(bench, ' ');
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_PAUSE);
    bench->view.runs[0].state = VIEW_PAUSED;
    key(bench, ' ');
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_GO);
    bench->view.runs[0].state = VIEW_ENDED;
    key(bench, ' ');
    asks_nothing(bench);
    key(bench, '.');
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_STEP);
}

/* "faster, up to as fast as it runs; slower, down to one cycle a frame" */
static void speed_ranges_from_one_cycle_to_full_speed(void **state)
{
    static const uint64_t expected[] = {1000, 2500, 5000, 10000, 25000, 50000};
    struct bench *const bench = *state;
    unsigned steps = 0;

    bench->view.speed_ps = 500;
    key(bench, '-');
    assert_int_equal(bench->view.speed_ps, 500);
    asks_nothing(bench);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        key(bench, i % 2 ? '+' : '=');
        assert_int_equal(bench->view.speed_ps, expected[i]);
        assert_int_equal(only_ask(bench).kind, VIEW_ASK_SPEED);
    }
    for (; bench->view.speed_ps != 0 && steps < 100; steps++) {
        uint64_t const before_ps = bench->view.speed_ps;

        key(bench, '+');
        assert_true(bench->view.speed_ps == 0 || bench->view.speed_ps > before_ps);
        only_ask(bench);
    }
    assert_true(steps < 100);
    key(bench, '+');
    asks_nothing(bench);
    for (steps = 0; bench->view.speed_ps != 500 && steps < 100; steps++) {
        uint64_t const before_ps = bench->view.speed_ps;

        key(bench, '-');
        assert_true(before_ps == 0 || bench->view.speed_ps < before_ps);
        only_ask(bench);
    }
    assert_true(steps < 100);
}

/* Actions with one key and one request. */
static void keys_ask_the_host(void **state)
{
    static const struct { uint32_t key; enum view_ask_kind kind; } pairs[] = {
        {'s', VIEW_ASK_PNG}, {'r', VIEW_ASK_WINDOW}, {'R', VIEW_ASK_RECORD}, {'c', VIEW_ASK_COMPARE},
        {'q', VIEW_ASK_QUIT}};
    struct bench *const bench = *state;

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        key(bench, pairs[i].key);
        assert_int_equal(only_ask(bench).kind, pairs[i].kind);
    }
    view_event(&bench->view, &(struct view_input){.kind = VIEW_CLOSE});
    assert_int_equal(only_ask(bench).kind, VIEW_ASK_QUIT);
    key(bench, 't');
    assert_false(bench->view.is_dark);
    key(bench, 't');
    assert_true(bench->view.is_dark);
}

/* viz/view/keys.h: "handles each of its lines": a line of the table with a key does something. */
static void each_key_of_the_table_does_something(void **state)
{
    for (unsigned i = 0; i < VIEW_KEY_ACTIONS; i++) {
        uint32_t const which = view_key_lines[i].key;
        void *fresh;
        struct bench *bench;
        struct view before;

        if (which == 0)
            continue;
        assert_int_equal(view_key_action(which), i);
        set_up(&fresh);
        bench = fresh;
        bench->view.window = (struct time_window){.from_ps = 10 * US, .to_ps = 20 * US};
        bench->view.speed_ps = 10000;
        before = bench->view;
        key(bench, which);
        if (memcmp(&before, &bench->view, sizeof before) == 0)
            fail_msg("key %s did nothing", view_key_lines[i].shown);
        tear_down(&fresh);
    }
}

/* ---- time */

/* The window shows all there is, and grows with the run. */
static void the_window_follows_the_whole_run(void **state)
{
    struct bench *const bench = *state;

    assert_int_equal(bench->view.window.from_ps, 0);
    assert_int_equal(bench->view.window.to_ps, 100 * US);
    put_samples(bench, 0, 101, 150);
    assert_int_equal(bench->view.window.to_ps, 150 * US);
    assert_true(bench->view.window.is_whole);
}

/* "wheel: zoom time, at the pointer": the moment under the pointer stays there. */
static void the_wheel_zooms_at_the_pointer(void **state)
{
    struct bench *const bench = *state;
    struct area const axis = axis_of(bench), strips = strips_of(bench);
    uint64_t before_ps, after_ps;

    pointer(bench, VIEW_MOTION, axis.x + axis.width / 4, strips.y + 20, 0);
    assert_true(bench->view.has_at);
    before_ps = bench->view.at_ps;
    pointer(bench, VIEW_WHEEL, axis.x + axis.width / 4, strips.y + 20, 3);
    after_ps = bench->view.at_ps;
    assert_true(after_ps >= before_ps ? after_ps - before_ps < US / 10 : before_ps - after_ps < US / 10);
    assert_in_range(bench->view.window.to_ps - bench->view.window.from_ps, 51 * US, 52 * US);     /* 0.8^3 = 0.512 */
    assert_false(bench->view.window.follows);
    put_samples(bench, 0, 101, 120);
    assert_in_range(bench->view.window.to_ps - bench->view.window.from_ps, 51 * US, 52 * US);
    pointer(bench, VIEW_WHEEL, axis.x + axis.width / 4, strips.y + 20, -30);
    assert_true(bench->view.window.is_whole);
}

/* "drag: move along time"; to the newest sample and no further, where the window follows again. */
static void dragging_moves_time(void **state)
{
    struct bench *const bench = *state;
    struct area const axis = axis_of(bench), strips = strips_of(bench);
    int const y = strips.y + 30;
    uint64_t from_ps;

    bench->view.window = (struct time_window){.from_ps = 20 * US, .to_ps = 40 * US};
    pointer(bench, VIEW_PRESS, axis.x + axis.width / 2, y, 0);
    assert_true(bench->view.is_dragging);
    pointer(bench, VIEW_MOTION, axis.x + axis.width / 2 - axis.width / 10, y, 0);
    from_ps = bench->view.window.from_ps;
    assert_in_range(from_ps, 20 * US + 19 * US / 10, 20 * US + 21 * US / 10);
    assert_int_equal(bench->view.window.to_ps - from_ps, 20 * US);
    pointer(bench, VIEW_MOTION, axis.x + axis.width / 2 + 5 * axis.width, y, 0);
    assert_int_equal(bench->view.window.from_ps, 0);
    pointer(bench, VIEW_MOTION, axis.x + axis.width / 2 - axis.width / 10, y, 0);
    assert_int_equal(bench->view.window.from_ps, from_ps);
    pointer(bench, VIEW_MOTION, axis.x + axis.width / 2 - 50 * axis.width, y, 0);
    assert_int_equal(bench->view.window.to_ps, 100 * US);
    assert_true(bench->view.window.follows);
    pointer(bench, VIEW_RELEASE, axis.x + axis.width / 2 - 50 * axis.width, y, 0);
    assert_false(bench->view.is_dragging);
    assert_false(bench->view.has_pinned_at);
    put_samples(bench, 0, 101, 130);
    assert_int_equal(bench->view.window.to_ps, 130 * US);
    assert_int_equal(bench->view.window.from_ps, 110 * US);
}

/* "Home: show the whole run; End: go to the newest sample, and follow it" */
static void home_and_end(void **state)
{
    struct bench *const bench = *state;

    bench->view.window = (struct time_window){.from_ps = 20 * US, .to_ps = 40 * US};
    key(bench, VIEW_KEY_END);
    assert_int_equal(bench->view.window.from_ps, 80 * US);
    assert_int_equal(bench->view.window.to_ps, 100 * US);
    key(bench, VIEW_KEY_LEFT);
    assert_int_equal(bench->view.window.to_ps, 100 * US - 20 * US / 8);
    key(bench, VIEW_KEY_RIGHT);
    assert_int_equal(bench->view.window.to_ps, 100 * US);
    key(bench, VIEW_KEY_HOME);
    assert_int_equal(bench->view.window.from_ps, 0);
    assert_true(bench->view.window.is_whole);
}

/* viz/view/view.h: "diagram and banks show this moment: the pointer's in a chart, else the newest" */
static void a_moment_is_pointed_at_and_pinned(void **state)
{
    struct bench *const bench = *state;
    struct area const axis = axis_of(bench), strips = strips_of(bench);
    const uint64_t *before, *words;

    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_int_equal(words[TELEMETRY_TIME], 100 * US);
    assert_int_equal(before[TELEMETRY_TIME], 99 * US);
    pointer(bench, VIEW_MOTION, axis.x + axis.width / 2, strips.y + 20, 0);
    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_in_range(words[TELEMETRY_TIME], 49 * US, 51 * US);
    assert_true(before[TELEMETRY_TIME] <= bench->view.at_ps && bench->view.at_ps <= words[TELEMETRY_TIME]);
    pointer(bench, VIEW_PRESS, axis.x + axis.width / 2, strips.y + 20, 0);
    pointer(bench, VIEW_RELEASE, axis.x + axis.width / 2, strips.y + 20, 0);
    pointer(bench, VIEW_MOTION, 5, 5, 0);
    assert_true(bench->view.has_at);
    assert_in_range(bench->view.at_ps, 49 * US, 51 * US);
    pointer(bench, VIEW_PRESS, axis.x + 10, strips.y + 20, 0);
    pointer(bench, VIEW_RELEASE, axis.x + 10, strips.y + 20, 0);
    pointer(bench, VIEW_MOTION, 5, 5, 0);
    assert_false(bench->view.has_at);
    pointer(bench, VIEW_MOTION, axis.x, strips.y + 20, 0);
    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_int_equal(words[TELEMETRY_TIME], US);
    assert_null(before);
}

/* ---- what lies under the pointer */

/* viz/state/state_figures.h: "later ones lying on top" */
static void the_topmost_is_hit(void **state)
{
    struct bench *const bench = *state;

    add_hit(bench, HIT_COMPONENT, (struct area){10, 40, 100, 50}, bench->l1d, "l1d");
    add_hit(bench, HIT_LINK, (struct area){50, 40, 10, 50}, TELEMETRY_NONE, "l1d to l2");
    pointer(bench, VIEW_MOTION, 20, 60, 0);
    assert_string_equal(bench->view.hover.title, "l1d");
    pointer(bench, VIEW_MOTION, 55, 60, 0);
    assert_string_equal(bench->view.hover.title, "l1d to l2");
    pointer(bench, VIEW_MOTION, 110, 60, 0);
    assert_false(bench->view.has_hover);
    for (unsigned i = bench->view.hits.count; i < HITS_ROOM; i++)
        assert_non_null(hits_add(&bench->view.hits, HIT_TEXT, (struct area){0, 0, 1, 1}));
    assert_null(hits_add(&bench->view.hits, HIT_TEXT, (struct area){0, 0, 1, 1}));
}

/* "click: keep that box; click again to let go", and the box has the numbers of the frame drawn last. */
static void a_click_pins(void **state)
{
    struct bench *const bench = *state;
    struct area const area = {10, 40, 100, 50};

    add_hit(bench, HIT_COMPONENT, area, bench->l1d, "l1d");
    pointer(bench, VIEW_PRESS, 20, 60, 0);
    pointer(bench, VIEW_RELEASE, 21, 60, 0);
    assert_true(bench->view.has_pinned);
    pointer(bench, VIEW_MOTION, 600, 10, 0);
    assert_true(bench->view.has_pinned);
    hits_clear(&bench->view.hits);
    snprintf(add_hit(bench, HIT_COMPONENT, area, bench->l1d, "l1d")->numbers, HIT_NUMBERS, "new");
    view_point(&bench->view);
    assert_string_equal(bench->view.pinned.numbers, "new");
    pointer(bench, VIEW_PRESS, 20, 60, 0);
    pointer(bench, VIEW_RELEASE, 20, 60, 0);
    assert_false(bench->view.has_pinned);
}

/* viz/view/keys.h: "name, numbers and meaning of anything", also beside a pinned element: another entry of a legend,
 * another place of the map. A bank has no title unless it is pointed at, and is the same bank. */
static void other_elements_are_not_taken_for_the_pinned_one(void **state)
{
    struct bench *const bench = *state;
    struct hit bank = {.kind = HIT_BANK, .component = 3, .element = 5};

    add_hit(bench, HIT_TEXT, (struct area){10, 40, 50, 10}, TELEMETRY_NONE, "p50");
    add_hit(bench, HIT_TEXT, (struct area){10, 60, 50, 10}, TELEMETRY_NONE, "p95");
    pointer(bench, VIEW_PRESS, 20, 45, 0);
    pointer(bench, VIEW_RELEASE, 20, 45, 0);
    assert_string_equal(bench->view.pinned.title, "p50");
    pointer(bench, VIEW_MOTION, 20, 65, 0);
    assert_string_equal(bench->view.hover.title, "p95");
    assert_false(hit_is_same(&bench->view.pinned, &bench->view.hover));
    pointer(bench, VIEW_PRESS, 20, 65, 0);
    pointer(bench, VIEW_RELEASE, 20, 65, 0);
    assert_string_equal(bench->view.pinned.title, "p95");
    assert_true(bench->view.has_pinned);
    bench->view.pinned = bank;
    snprintf(bank.title, sizeof bank.title, "rank0 bank 5");
    assert_true(hit_is_same(&bench->view.pinned, &bank));
    bank.element = 6;
    assert_false(hit_is_same(&bench->view.pinned, &bank));
}

/* ---- search */

/* "find a component: type a part of its name, Enter selects, Esc leaves" */
static void search_finds_by_a_part_of_the_name(void **state)
{
    struct bench *const bench = *state;

    add_hit(bench, HIT_COMPONENT, (struct area){10, 40, 100, 50}, bench->l1d, "l1d");
    key(bench, '/');
    assert_int_equal(bench->view.mode, MODE_SEARCH);
    type(bench, "L");
    assert_int_equal(bench->view.found_count, 3);
    assert_int_equal(bench->view.found, bench->l1i);
    key(bench, VIEW_KEY_DOWN);
    assert_int_equal(bench->view.found, bench->l1d);
    key(bench, VIEW_KEY_UP);
    key(bench, VIEW_KEY_UP);
    assert_int_equal(bench->view.found, bench->l2);
    type(bench, "1q");
    assert_int_equal(bench->view.found, TELEMETRY_NONE);
    asks_nothing(bench);
    key(bench, VIEW_KEY_BACKSPACE);
    type(bench, "d");
    assert_int_equal(bench->view.found, bench->l1d);
    key(bench, VIEW_KEY_ENTER);
    assert_int_equal(bench->view.mode, MODE_WATCH);
    assert_int_equal(bench->view.found, bench->l1d);
    assert_true(bench->view.has_pinned);
    assert_string_equal(bench->view.pinned.title, "l1d");
    key(bench, '/');
    key(bench, VIEW_KEY_ESCAPE);
    assert_int_equal(bench->view.found, TELEMETRY_NONE);
    assert_int_equal(bench->view.mode, MODE_WATCH);
}

/* ---- runs */

/* the run begins again; its earlier samples become the old course */
static void a_restart_keeps_the_old_course(void **state)
{
    struct bench *const bench = *state;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(view_restart_run(&bench->view, 0, &bench->layout).kind, FAULT_NONE);
        assert_true(bench->view.runs[0].has_old);
        assert_int_equal(bench->view.runs[0].history.count, 0);
        put_samples(bench, 0, 1, (uint64_t)i + 1);
    }
    assert_int_equal(history_end_ps(&bench->view.runs[0].old), 2 * US);
    assert_int_equal(bench->view.window.to_ps, 3 * US);
    view_forget_old(&bench->view, 0);
    assert_false(bench->view.runs[0].has_old);
}

/* A second run comes and goes; elements pinned in it are released. */
static void a_second_run_is_added_and_removed(void **state)
{
    struct bench *const bench = *state;

    assert_int_equal(view_add_run(&bench->view, "other", &bench->layout).kind, FAULT_NONE);
    put_samples(bench, 1, 1, 200);
    assert_int_equal(bench->view.window.to_ps, 200 * US);
    bench->view.pinned.run = 1;
    bench->view.has_pinned = true;
    view_remove_run(&bench->view);
    assert_int_equal(bench->view.run_count, 1);
    assert_false(bench->view.has_pinned);
    assert_int_equal(bench->view.window.to_ps, 100 * US);
    view_remove_run(&bench->view);
    assert_int_equal(bench->view.run_count, 1);
}

/* In the help, any key leads back and does nothing else. */
static void help_takes_any_key(void **state)
{
    struct bench *const bench = *state;

    key(bench, '?');
    assert_int_equal(bench->view.mode, MODE_HELP);
    key(bench, 'q');
    assert_int_equal(bench->view.mode, MODE_WATCH);
    asks_nothing(bench);
}

/* ---- layout */

static bool overlap(struct area one, struct area other)
{
    return one.width > 0 && other.width > 0 && one.x < other.x + other.width && other.x < one.x + one.width
           && one.y < other.y + other.height && other.y < one.y + one.height;
}

/* "Areas lie inside, do not overlap" */
static void panels_do_not_overlap(void **state)
{
    for (int width = 320; width <= 4000; width += 147)
        for (int height = 240; height <= 2200; height += 93)
            for (unsigned runs = 1; runs <= VIEW_RUNS; runs++) {
                struct view_layout const layout = view_layout(width, height, runs, 350);
                struct area const areas[] = {layout.bar, layout.status, layout.strips, layout.heat, layout.diagram[0],
                                             layout.diagram[1], layout.banks[0], layout.banks[1]};

                for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
                    if (areas[i].width > 0)
                        assert_true(areas[i].x >= 0 && areas[i].y >= 0 && areas[i].x + areas[i].width <= width
                                    && areas[i].y + areas[i].height <= height);
                    for (size_t j = 0; j < i; j++)
                        if (overlap(areas[i], areas[j]))
                            fail_msg("%dx%d, %u runs: areas %zu and %zu overlap", width, height, runs, i, j);
                }
                assert_true(layout.strips.width > 0 && layout.strips.height > 0 && layout.diagram[0].width > 0);
                assert_int_equal(layout.diagram[1].width > 0, runs == 2);
            }
}

/* ---- anything at all */

static void check_view(const struct view *view, unsigned event)
{
    if (view->window.from_ps >= view->window.to_ps || view->mode > MODE_REQUESTS || view->run_count < 1
        || view->run_count > VIEW_RUNS || view->parameter >= view->parameter_count || view->asked_count > 16
        || memchr(view->search, '\0', sizeof view->search) == NULL
        || memchr(view->typed, '\0', sizeof view->typed) == NULL
        || memchr(view->note, '\0', sizeof view->note) == NULL
        || (view->found != TELEMETRY_NONE && view->found >= view->runs[0].layout->component_count)
        || (view->window.is_whole && view->window.from_ps != 0) || (view->speed_ps && view->speed_ps < view->cycle_ps))
        fail_msg("event %u: window %llu to %llu, mode %d, %u runs, parameter %zu, found %u, speed %llu", event,
                 (unsigned long long)view->window.from_ps, (unsigned long long)view->window.to_ps, (int)view->mode,
                 view->run_count, view->parameter, view->found, (unsigned long long)view->speed_ps);
}

static struct view_input random_input(void)
{
    static const uint32_t specials[] = {VIEW_KEY_ENTER, VIEW_KEY_ESCAPE, VIEW_KEY_BACKSPACE, VIEW_KEY_TAB,
                                        VIEW_KEY_LEFT, VIEW_KEY_RIGHT, VIEW_KEY_UP, VIEW_KEY_DOWN,
                                        VIEW_KEY_HOME, VIEW_KEY_END, 0, 0x20ac, 0x10ffff};
    struct view_input input = {.kind = (enum view_input_kind)random_below(VIEW_CLOSE + 1)};

    input.key = random_below(3) ? 32 + (uint32_t)random_below(96)
                                         : specials[random_below(sizeof specials / sizeof specials[0])];
    input.x = (int)random_below(1400) - 60;
    input.y = (int)random_below(900) - 50;
    input.wheel = (int)random_below(9) - 4;
    if (input.kind == VIEW_RESIZE)
        input = (struct view_input){VIEW_RESIZE, 0, 1 + (int)random_below(3000),
                                    1 + (int)random_below(2000), 0};
    return input;
}

/* 100,000 random inputs, samples and restarts: no bad state. */
static void random_inputs_leave_a_good_state(void **state)
{
    struct bench *const bench = *state;
    uint64_t next_us = 101;

    random_state = 9;
    for (unsigned i = 0; i < 100000; i++) {
        struct view_input const input = random_input();
        struct view_ask ask;

        view_event(&bench->view, &input);
        check_view(&bench->view, i);
        if (random_below(20) == 0) {
            put_samples(bench, 0, next_us, next_us + 3);
            next_us += 4;
        }
        if (random_below(200) == 0) {
            hits_clear(&bench->view.hits);
            for (uint32_t part = 0; part < bench->layout.component_count; part++)
                add_hit(bench, HIT_COMPONENT, (struct area){(int)random_below(1200), 40, 100, 60}, part, "part");
            view_point(&bench->view);
        }
        while (random_below(3) && view_ask(&bench->view, &ask)) {
            assert_in_range(ask.kind, VIEW_ASK_PAUSE, VIEW_ASK_QUIT);
            if (ask.kind == VIEW_ASK_RESTART) {
                assert_int_equal(view_restart_run(&bench->view, 0, &bench->layout).kind, FAULT_NONE);
                next_us = 1;
            } else if (ask.kind == VIEW_ASK_COMPARE && bench->view.run_count == 1) {
                assert_int_equal(view_add_run(&bench->view, "other", &bench->layout).kind, FAULT_NONE);
            } else if (ask.kind == VIEW_ASK_COMPARE) {
                view_remove_run(&bench->view);
            } else if (ask.kind == VIEW_ASK_PAUSE || ask.kind == VIEW_ASK_GO) {
                bench->view.runs[0].state = ask.kind == VIEW_ASK_PAUSE ? VIEW_PAUSED : VIEW_RUNNING;
            }
            check_view(&bench->view, i);
        }
    }
}

/* The same with frames drawn in between, where there is something to draw with. */
static void random_inputs_can_be_drawn(void **state)
{
    struct bench *const bench = *state;
    struct canvas *canvas;

    random_state = 10;
    for (unsigned size = 0; size < 3; size++) {
        static const int sizes_tried[][2] = {{1280, 800}, {400, 300}, {1920, 1080}};
        struct fault const fault = canvas_open_image(&canvas, sizes_tried[size][0], sizes_tried[size][1], 1);

        if (fault.kind != FAULT_NONE) {
            print_message("%s\n", fault_text(fault));
            skip();
        }
        for (unsigned i = 0; i < 60; i++) {
            for (unsigned j = 0; j < 20; j++) {
                struct view_input const input = random_input();
                struct view_ask ask;

                view_event(&bench->view, &input);
                while (view_ask(&bench->view, &ask))
                    continue;
            }
            view_draw(&bench->view, canvas);
            check_view(&bench->view, i);
            assert_int_equal(bench->view.width, sizes_tried[size][0]);
        }
        canvas_close(canvas);
    }
}

/* ---- scripts */

static void refuse(const char *text, const char *expected)
{
    struct script script;
    struct fault const fault = script_read(&script, "s", text, strlen(text));

    assert_int_equal(fault.kind, FAULT_INPUT);
    if (!strstr(fault_text(fault), expected))
        fail_msg("'%s' gave '%s', expected '%s' in it", text, fault_text(fault), expected);
}

/* FAULT_INPUT with file, line and expectation */
static void wrong_lines_of_scripts_are_named(void **state)
{
    refuse("key a\n\n  jump\n", "s:3: 'jump' is not a step");
    refuse("at soon", "s:1: 'soon': expected a time such as 2us");
    refuse("at 5", "s:1: '5': expected a time such as 2us");
    refuse("key shift", "s:1: key 'shift': expected one character");
    refuse("move 1", "s:1: expected a number from");
    refuse("move 1 x", "s:1: 'x': expected a number");
    refuse("wheel 1 2", "s:1: expected a number from -100 to 100");
    refuse("frames 0", "s:1: '0': expected a number from 1");
    refuse("press now", "s:1: 'now' is too much: expected press");
    refuse("expect happy", "s:1: 'happy' is not a fact");
    refuse("expect window 1us", "s:1: window: expected 2 words after it");
    refuse("expect window 1us 2", "s:1: '2': expected a time");
    refuse("expect runs two", "s:1: 'two': expected a number");
    refuse("expect size 640 4x", "s:1: '4x': expected a number");
    refuse("expect no mode wtach", "s:1: 'wtach': expected watch, search, parameters, value or help");
    refuse("point circle l2", "s:1: 'circle': expected component");
    refuse("chart 2", "s:1: '2': expected a part of the time window");
}

static void give_to(void *context, const struct view_input *input)
{
    view_event(&((struct bench *)context)->view, input);
}

/* The number of steps taken; *failure: the unmet expectation. */
static unsigned run_script(struct bench *bench, const char *text, char failure[400])
{
    struct script script;
    unsigned frames = 0;

    assert_int_equal(script_read(&script, "s", text, strlen(text)).kind, FAULT_NONE);
    while (script_step(&script, &bench->view, give_to, bench) && frames < 100000)
        frames++;
    memcpy(failure, script.failure, sizeof script.failure);
    script_free(&script);
    return frames;
}

/* Steps are performed, facts checked; a failure names the expected and the actual value. */
static void scripts_drive_and_look(void **state)
{
    struct bench *const bench = *state;
    char failure[400];

    run_script(bench, "# a comment\nat 50us\nkey t\nexpect no dark\nkey /   # find\ntype l2\nexpect search l2\n"
               "expect found l2\nkey enter\nexpect mode watch\nframes 3\nexpect running\nexpect runs 1\n"
               "expect window 0 100us\nexpect whole\nchart 0.5\nexpect at ~50us\nwheel 640 500 1\nexpect no whole\n"
               "key home\nexpect whole\nkey p\nexpect parameter l2.size 512KiB\nkey right\nexpect typed 1MiB\n",
               failure);
    assert_string_equal(failure, "");
    run_script(bench, "expect window 1us 2us", failure);
    assert_string_equal(failure, "s:1: expected window 1us 2us, got 0ps to 100000000ps");
    run_script(bench, "\nexpect no running", failure);
    assert_string_equal(failure, "s:2: expected no running, got running");
    run_script(bench, "await paused", failure);
    assert_string_equal(failure, "s:1: expected paused, got running");
    bench->view.runs[0].state = VIEW_ENDED;
    run_script(bench, "at 200us", failure);
    assert_non_null(strstr(failure, "s:1: expected a sample at 200000000 ps or later, but the run ended"));
}

/* Random bytes for a script: a fault or steps, nothing else. */
static void random_scripts_are_read_or_refused(void **state)
{
    random_state = 11;
    for (unsigned i = 0; i < 3000; i++) {
        static const char letters[] = "expect at key move 12us\n\t# wheel-+~ hover press 0 type\0\xff";
        char text[300];
        size_t const length = random_below(sizeof text);
        struct script script;

        for (size_t at = 0; at < length; at++)
            text[at] = letters[random_below(sizeof letters)];
        if (script_read(&script, "s", text, length).kind == FAULT_NONE)
            script_free(&script);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(space_pauses_and_resumes), TEST(speed_ranges_from_one_cycle_to_full_speed), TEST(keys_ask_the_host),
        cmocka_unit_test(each_key_of_the_table_does_something), TEST(the_window_follows_the_whole_run),
        TEST(the_wheel_zooms_at_the_pointer), TEST(dragging_moves_time), TEST(home_and_end),
        TEST(a_moment_is_pointed_at_and_pinned), TEST(the_topmost_is_hit), TEST(a_click_pins),
        TEST(other_elements_are_not_taken_for_the_pinned_one),
        TEST(search_finds_by_a_part_of_the_name),  TEST(a_restart_keeps_the_old_course),
        TEST(a_second_run_is_added_and_removed), TEST(help_takes_any_key), cmocka_unit_test(panels_do_not_overlap),
        TEST(random_inputs_leave_a_good_state), TEST(random_inputs_can_be_drawn),
        cmocka_unit_test(wrong_lines_of_scripts_are_named), TEST(scripts_drive_and_look),
        cmocka_unit_test(random_scripts_are_read_or_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
