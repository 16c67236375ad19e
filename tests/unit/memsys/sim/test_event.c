/* memsys/sim/event.h: the order of events (classic-memory 1.3), fixed cases and a random differential against a plain
 * list. */
#include "memsys/fast/event_agenda.h"
#include "memsys/sim/event.h"
#include "tests/support/unit.h"

#define EVENTS 12
#define RANKED 3                      /* the last of them are of priority EVENT_EXIT, the first of these first */

struct bench {
    struct event_queue queue;
    struct event events[EVENTS];
    int ran[64];
    int ran_count;
};

static struct bench bench;

static void note(void *owner)
{
    bench.ran[bench.ran_count++] = (int)((struct event *)owner - bench.events);
}

static int set_up(void **state)
{
    bench = (struct bench){0};
    assert_int_equal(event_queue_reserve(&bench.queue, EVENTS).kind, FAULT_NONE);
    for (int i = 0; i < EVENTS; i++)
        event_init(&bench.events[i], note, &bench.events[i], i >= EVENTS - RANKED ? EVENT_EXIT : EVENT_DEFAULT);
    event_set_rank(&bench.events[EVENTS - 3], EVENT_HIGHEST_RANK);
    event_set_rank(&bench.events[EVENTS - 2], 7);
    return 0;
}

static int tear_down(void **state)
{
    event_queue_free(&bench.queue);
    return 0;
}

static void run_all(void)
{
    while (event_queue_step(&bench.queue, TICK_NEVER))
        ;
}

static void expect_order(const int *order, int count)
{
    assert_int_equal(bench.ran_count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(bench.ran[i], order[i]);
}

/* "Order: tick, then priority, then LAST inserted first" */
static void last_inserted_runs_first(void **state)
{
    event_schedule(&bench.queue, &bench.events[0], 10);
    event_schedule(&bench.queue, &bench.events[1], 5);
    event_schedule(&bench.queue, &bench.events[2], 10);
    event_schedule_exit(&bench.queue, &bench.events[EVENTS - 1], 10);
    event_schedule(&bench.queue, &bench.events[3], 10);
    run_all();
    expect_order((int[]){1, 3, 2, 0, EVENTS - 1}, 5);
    assert_int_equal(bench.queue.now_ps, 10);
}

/* "Of the exit priority the one of the highest rank is first, whenever it was inserted" */
static void ranks_decide_at_the_exit(void **state)
{
    for (uint64_t tick = 10; tick < 12; tick++) {
        bool const is_first = tick == 10;

        bench.ran_count = 0;
        event_schedule_exit(&bench.queue, &bench.events[is_first ? EVENTS - 3 : EVENTS - 2], tick);
        event_schedule_exit(&bench.queue, &bench.events[EVENTS - 1], tick);
        event_schedule_exit(&bench.queue, &bench.events[is_first ? EVENTS - 2 : EVENTS - 3], tick);
        event_schedule(&bench.queue, &bench.events[0], tick);
        run_all();
        expect_order((int[]){0, EVENTS - 3, EVENTS - 2, EVENTS - 1}, 4);
    }
}

/* "Moving an event counts as inserting it anew" */
static void moving_makes_newest(void **state)
{
    event_schedule(&bench.queue, &bench.events[0], 10);
    event_schedule(&bench.queue, &bench.events[1], 10);
    event_reschedule(&bench.queue, &bench.events[0], 10);
    event_schedule(&bench.queue, &bench.events[2], 7);
    event_deschedule(&bench.queue, &bench.events[2]);
    assert_false(bench.events[2].scheduled);
    run_all();
    expect_order((int[]){0, 1}, 2);
}

static void insert_now(void *owner)
{
    (void)owner;
    bench.ran[bench.ran_count++] = 4;
    event_schedule(&bench.queue, &bench.events[5], bench.queue.now_ps);
}

/* "An event inserted for the current tick ... is the very next" */
static void inserted_now_runs_next(void **state)
{
    event_init(&bench.events[4], insert_now, NULL, EVENT_DEFAULT);
    event_schedule(&bench.queue, &bench.events[0], 3);
    event_schedule(&bench.queue, &bench.events[4], 3);
    run_all();
    expect_order((int[]){4, 5, 0}, 3);
}

/* Of four places in tick 3, and two events between them of which the older one inserts an event there. */
static struct event_place places[4];
static int passed[3][4];             /* by event: the newer, the older, the one it inserted */

static void look_at_places(int event)
{
    for (int i = 0; i < 4; i++)
        passed[event][i] = event_has_passed(&bench.queue, &places[i]);
}

static void look_newer(void *owner)
{
    (void)owner;
    look_at_places(0);
}

static void look_inserted(void *owner)
{
    (void)owner;
    look_at_places(2);
}

static void look_older(void *owner)
{
    (void)owner;
    look_at_places(1);
    event_init(&bench.events[3], look_inserted, NULL, EVENT_DEFAULT);
    event_schedule(&bench.queue, &bench.events[3], bench.queue.now_ps);
}

/* "a place has passed when one of its tick with a lower number has begun" */
static void places_pass_in_order(void **state)
{
    static const int expected[3][4] = {{0, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}};

    event_init(&bench.events[0], look_older, NULL, EVENT_DEFAULT);
    event_init(&bench.events[1], look_newer, NULL, EVENT_DEFAULT);
    places[0] = event_reserve(&bench.queue, 3);
    event_schedule(&bench.queue, &bench.events[0], 3);
    places[1] = event_reserve(&bench.queue, 3);
    event_schedule(&bench.queue, &bench.events[1], 3);
    places[2] = event_reserve(&bench.queue, 3);
    places[3] = event_reserve(&bench.queue, 4);
    run_all();
    for (int event = 0; event < 3; event++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(passed[event][i], expected[event][i]);
}

static void look_at_exit(void *owner)
{
    look_at_places(owner == &bench.events[EVENTS - 3] ? 0 : owner == &bench.events[EVENTS - 2] ? 1 : 2);
    if (owner == &bench.events[EVENTS - 2]) {
        event_init(&bench.events[3], look_at_exit, NULL, EVENT_DEFAULT);
        event_schedule(&bench.queue, &bench.events[3], bench.queue.now_ps);
    }
}

/* "The number of an event of priority EVENT_EXIT is its rank, lower than all insertions'": older or newer, all places
 * of the default priority have passed; of the ranks the higher ones, also for what an event at the exit inserts */
static void all_places_have_passed_at_the_exit(void **state)
{
    static const int expected[3][4] = {{1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}};
    uint64_t rank = EVENT_HIGHEST_RANK;

    places[0] = event_reserve(&bench.queue, 3);
    for (int i = EVENTS - 3; i < EVENTS - 1; i++) {
        event_init(&bench.events[i], look_at_exit, &bench.events[i], EVENT_EXIT);
        event_set_rank(&bench.events[i], rank);
        event_schedule_exit(&bench.queue, &bench.events[i], 3);
        rank = 7;
    }
    places[1] = event_reserve(&bench.queue, 3);
    places[2] = (struct event_place){3, 8};
    places[3] = (struct event_place){3, 7};
    run_all();
    for (int event = 0; event < 3; event++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(passed[event][i], expected[event][i]);
    event_queue_advance(&bench.queue, 3);
    look_at_places(0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(passed[0][i], 1);
}

/* false if the queue is empty or stopped; the tick limit is inclusive */
static void steps_stop_at_the_limit(void **state)
{
    event_schedule(&bench.queue, &bench.events[0], 3);
    event_schedule(&bench.queue, &bench.events[1], 4);
    assert_int_equal(event_queue_next_ps(&bench.queue), 3);
    assert_true(event_queue_step(&bench.queue, 3));
    assert_false(event_queue_step(&bench.queue, 3));
    event_queue_stop(&bench.queue);
    assert_false(event_queue_step(&bench.queue, 9));
    bench.queue.stopped = false;
    assert_true(event_queue_step(&bench.queue, 9));
    assert_int_equal(event_queue_next_ps(&bench.queue), TICK_NEVER);
}

/* Continues in the next tick, as often as allowed. */
static void tick_on(void *owner)
{
    do
        note(owner);
    while (event_continue(&bench.queue, owner, bench.queue.now_ps + 1));
}

/* "events up to and including those of tick last_ps, and at most max_events": also of those that continue by
 * themselves */
static void a_run_ends_at_its_limits(void **state)
{
    event_init(&bench.events[0], tick_on, &bench.events[0], EVENT_DEFAULT);
    event_schedule(&bench.queue, &bench.events[0], 0);
    event_queue_run(&bench.queue, TICK_NEVER, 1);
    assert_int_equal(bench.ran_count, 1);
    event_queue_run(&bench.queue, 5, UINT64_MAX);
    assert_int_equal(bench.ran_count, 6);
    assert_int_equal(bench.queue.now_ps, 5);
    event_queue_run(&bench.queue, 5, UINT64_MAX);
    event_queue_run(&bench.queue, TICK_NEVER, 0);
    assert_int_equal(bench.ran_count, 6);
    event_schedule(&bench.queue, &bench.events[1], 8);
    event_queue_run(&bench.queue, TICK_NEVER, 4);
    expect_order((int[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 10);
    assert_true(event_queue_step(&bench.queue, TICK_NEVER));
    assert_int_equal(bench.ran_count, 11);
    assert_int_equal(event_queue_executed(&bench.queue), 11);
}

static void pause_run(void *owner)
{
    note(owner);
    event_queue_pause(&bench.queue);
    event_schedule(&bench.queue, &bench.events[2], bench.queue.now_ps);
}

static void stop_run(void *owner)
{
    note(owner);
    event_queue_stop(&bench.queue);
    assert_null(event_queue_upcoming(&bench.queue));
    assert_false(event_continue(&bench.queue, owner, bench.queue.now_ps));
}

/* "The event_queue_run that is under way returns after it"; "no event will execute from then on". In tick 0, which is
 * not before any other. */
static void a_handler_ends_the_run(void **state)
{
    event_init(&bench.events[0], pause_run, &bench.events[0], EVENT_DEFAULT);
    event_init(&bench.events[1], stop_run, &bench.events[1], EVENT_DEFAULT);
    event_schedule(&bench.queue, &bench.events[1], 0);
    event_schedule(&bench.queue, &bench.events[0], 0);
    event_queue_run(&bench.queue, TICK_NEVER, UINT64_MAX);
    expect_order((int[]){0}, 1);
    event_queue_run(&bench.queue, TICK_NEVER, UINT64_MAX);
    expect_order((int[]){0, 2, 1}, 3);
    event_queue_run(&bench.queue, TICK_NEVER, UINT64_MAX);
    assert_int_equal(bench.ran_count, 3);
    assert_int_equal(event_queue_executed(&bench.queue), 3);
    assert_int_equal(event_queue_count(&bench.queue), 1);
}

struct model_entry {
    uint64_t when, number;
    int event;
};

static int model_next(const struct model_entry *model, int count)
{
    int best = 0;

    for (int i = 1; i < count; i++) {
        int const is_exit = model[i].event >= EVENTS - RANKED, best_exit = model[best].event >= EVENTS - RANKED;

        if (model[i].when < model[best].when
            || (model[i].when == model[best].when
                && (is_exit < best_exit || (is_exit && best_exit && model[i].event < model[best].event)
                    || (!is_exit && !best_exit && model[i].number > model[best].number))))
            best = i;
    }
    return best;
}

/* 100,000 random operations give the order of a list that is searched from scratch each time */
static void agrees_with_a_plain_list(void **state)
{
    struct model_entry model[EVENTS];
    int count = 0;
    uint64_t number = 0, seed = 1;

    for (int step = 0; step < 100000; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int const event = (int)(seed >> 33) % EVENTS;
        uint64_t const when = bench.queue.now_ps + (seed >> 50) % 8;
        int place = 0;

        while (place < count && model[place].event != event)
            place++;
        if ((seed >> 40) % 3 == 0 && count > 0) {
            int const next = model_next(model, count);

            bench.ran_count = 0;
            assert_true(event_queue_step(&bench.queue, TICK_NEVER));
            assert_int_equal(bench.ran[0], model[next].event);
            assert_int_equal(bench.queue.now_ps, model[next].when);
            model[next] = model[--count];
        } else if (place < count && (seed >> 45) % 4 == 0) {
            event_deschedule(&bench.queue, &bench.events[event]);
            model[place] = model[--count];
        } else {
            event_reschedule(&bench.queue, &bench.events[event], when);
            if (place == count)
                count++;
            model[place] = (struct model_entry){when, number++, event};
        }
        assert_int_equal(event_queue_count(&bench.queue), count);
    }
}

/* Two agendas in one queue: each comes back with its tick and its events. */
static void agendas_take_turns(void **state)
{
    struct event_agenda other;

    assert_int_equal(event_agenda_init(&other, &bench.queue).kind, FAULT_NONE);
    event_schedule(&bench.queue, &bench.events[0], 10);
    event_schedule(&bench.queue, &bench.events[1], 30);
    event_schedule(&bench.queue, &bench.events[2], 30);
    event_queue_run(&bench.queue, 20, 100);
    assert_int_equal(bench.queue.now_ps, 10);
    event_queue_exchange(&bench.queue, &other);
    assert_int_equal(bench.queue.now_ps, 0);
    assert_int_equal(event_queue_count(&bench.queue), 0);
    event_schedule(&bench.queue, &bench.events[3], 5);
    event_schedule(&bench.queue, &bench.events[4], 40);
    event_queue_run(&bench.queue, 35, 100);
    event_queue_exchange(&bench.queue, &other);
    assert_int_equal(bench.queue.now_ps, 10);
    run_all();
    event_queue_exchange(&bench.queue, &other);
    assert_int_equal(bench.queue.now_ps, 5);
    run_all();
    expect_order((const int[]){0, 3, 2, 1, 4}, 5);
    event_agenda_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agendas_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(last_inserted_runs_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranks_decide_at_the_exit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_places_have_passed_at_the_exit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moving_makes_newest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inserted_now_runs_next, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_pass_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(steps_stop_at_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_ends_at_its_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_handler_ends_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agrees_with_a_plain_list, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
