/* memsys/noc/layer.h: arbitration, refusals by the next component, ties at the release (classic-memory 5.3). */
#include "memsys/noc/layer.h"
#include "tests/support/unit.h"

#define PERIOD 500
#define SOURCES 4

enum answer { TAKE, REFUSED_BY_PEER, LEAVE };

/* Behaviour of a retried source, and its observations. Each taker occupies the layer for two cycles. */
struct bench {
    struct sim sim;
    struct layer layer;
    enum answer answers[SOURCES];
    struct { uint64_t when_ps; unsigned port; bool taken; } retries[32];
    unsigned retry_count;
    struct event attempt;
    bool attempt_taken;
};

static struct bench bench;

static struct layer_source source_of(unsigned port)
{
    return (struct layer_source){7, (uint8_t)port};
}

static uint64_t now_ps(void)
{
    return sim_now_ps(&bench.sim);
}

static void retry(void *owner, struct layer_source source)
{
    bool taken = false;

    assert_ptr_equal(owner, &bench);
    assert_int_equal(source.kind, 7);
    if (bench.answers[source.port] != LEAVE)
        taken = layer_try(&bench.layer, source);
    bench.retries[bench.retry_count].when_ps = now_ps();
    bench.retries[bench.retry_count].port = source.port;
    bench.retries[bench.retry_count++].taken = taken;
    if (taken && bench.answers[source.port] == TAKE)
        layer_succeeded(&bench.layer, clock_edge_ps(now_ps(), PERIOD, 2));
    else if (taken)
        layer_failed(&bench.layer, source, clock_edge_ps(now_ps(), PERIOD, 1));
}

static void attempt(void *owner)
{
    (void)owner;
    bench.attempt_taken = layer_try(&bench.layer, source_of(3));
    if (bench.attempt_taken)
        layer_succeeded(&bench.layer, clock_edge_ps(now_ps(), PERIOD, 2));
}

static int set_up(void **state)
{
    bench = (struct bench){0};
    sim_init(&bench.sim, 64);
    assert_int_equal(layer_init(&bench.layer, &bench.sim, PERIOD, SOURCES, retry, &bench).kind, FAULT_NONE);
    assert_int_equal(event_queue_reserve(&bench.sim.events, 1).kind, FAULT_NONE);
    event_init(&bench.attempt, attempt, NULL, EVENT_DEFAULT);
    return 0;
}

static int tear_down(void **state)
{
    layer_free(&bench.layer);
    sim_free(&bench.sim);
    return 0;
}

static void run_to(uint64_t last_ps)
{
    while (event_queue_step(&bench.sim.events, last_ps))
        ;
    bench.sim.events.now_ps = last_ps;
}

static void expect_retry(unsigned number, uint64_t when_ps, unsigned port, bool taken)
{
    assert_true(number < bench.retry_count);
    assert_int_equal(bench.retries[number].when_ps, when_ps);
    assert_int_equal(bench.retries[number].port, port);
    assert_int_equal(bench.retries[number].taken, taken);
}

/* "Sources are served in the order in which they were refused" */
static void serves_in_order_of_refusal(void **state)
{
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_succeeded(&bench.layer, 1000);
    assert_false(layer_try(&bench.layer, source_of(2)));
    assert_false(layer_try(&bench.layer, source_of(0)));
    assert_false(layer_try(&bench.layer, source_of(3)));
    run_to(now_ps() + 100 * PERIOD);
    assert_int_equal(bench.retry_count, 3);
    expect_retry(0, 1000, 2, true);
    expect_retry(1, 2000, 0, true);
    expect_retry(2, 3000, 3, true);
    assert_int_equal(bench.layer.occupancy_ps, 4000);
    assert_int_equal(layer_release_ps(&bench.layer), TICK_NEVER);
}

/* "one that arrives when the layer is free goes at once" */
static void free_layer_is_taken_at_once(void **state)
{
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_succeeded(&bench.layer, 1000);
    run_to(now_ps() + 100 * PERIOD);
    assert_true(layer_try(&bench.layer, source_of(2)));
    layer_succeeded(&bench.layer, 1500);
    assert_int_equal(bench.retry_count, 0);
}

/* classic-memory 5.3 "Release ties": a release scheduled before a send of the same tick runs after it */
static void release_scheduled_first_comes_last(void **state)
{
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_succeeded(&bench.layer, 1000);
    event_schedule(&bench.sim.events, &bench.attempt, 1000);
    run_to(1000);
    assert_false(bench.attempt_taken);
    assert_int_equal(bench.retry_count, 1);
    expect_retry(0, 1000, 3, true);
}

static void release_scheduled_last_comes_first(void **state)
{
    event_schedule(&bench.sim.events, &bench.attempt, 1000);
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_succeeded(&bench.layer, 1000);
    run_to(1000);
    assert_true(bench.attempt_taken);
    assert_int_equal(bench.retry_count, 0);
}

/* the layer is not granted before that component's retry; the refused source is first; here after the release */
static void peer_refusal_keeps_all_waiting(void **state)
{
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_failed(&bench.layer, source_of(1), 500);
    assert_false(layer_try(&bench.layer, source_of(2)));
    run_to(500);
    assert_int_equal(layer_release_ps(&bench.layer), TICK_NEVER);
    assert_int_equal(bench.retry_count, 0);
    assert_false(layer_try(&bench.layer, source_of(0)));
    event_schedule(&bench.sim.events, &bench.attempt, 1700);
    run_to(1700);
    assert_false(bench.attempt_taken);
    layer_peer_retry(&bench.layer);
    expect_retry(0, 1700, 1, true);
    run_to(now_ps() + 100 * PERIOD);
    expect_retry(1, 3000, 2, true);
    expect_retry(2, 4000, 0, true);
    expect_retry(3, 5000, 3, true);
    assert_int_equal(bench.layer.occupancy_ps, 500 + 1300 + 3 * 1000);
}

/* A retry of the component that comes while the layer is still busy waits for the release. */
static void early_peer_retry_waits_for_release(void **state)
{
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_failed(&bench.layer, source_of(1), 500);
    assert_false(layer_try(&bench.layer, source_of(2)));
    layer_peer_retry(&bench.layer);
    assert_int_equal(bench.retry_count, 0);
    bench.answers[1] = REFUSED_BY_PEER;
    run_to(500);
    assert_int_equal(bench.retry_count, 1);
    expect_retry(0, 500, 1, true);
    assert_true(bench.layer.peer_refused);
    bench.answers[1] = TAKE;
    layer_peer_retry(&bench.layer);
    run_to(now_ps() + 100 * PERIOD);
    assert_int_equal(bench.retry_count, 3);
    expect_retry(1, 1000, 1, true);
    expect_retry(2, 2000, 2, true);
}

/* A retried source with nothing to send leaves the layer busy until the next edge; then it is the next one's turn. */
static void idle_retry_costs_until_the_edge(void **state)
{
    bench.answers[2] = LEAVE;
    assert_true(layer_try(&bench.layer, source_of(1)));
    layer_succeeded(&bench.layer, 1200);
    assert_false(layer_try(&bench.layer, source_of(2)));
    assert_false(layer_try(&bench.layer, source_of(3)));
    run_to(now_ps() + 100 * PERIOD);
    assert_int_equal(bench.retry_count, 2);
    expect_retry(0, 1200, 2, false);
    expect_retry(1, 1500, 3, true);
    assert_int_equal(bench.layer.occupancy_ps, 1200 + 300 + 1000);
}

/* Ring wraps: a hundred rounds in which all sources wait and the refused one returns to the front. */
static void ring_keeps_order_when_it_wraps(void **state)
{
    for (unsigned round = 0; round < 100; round++) {
        unsigned const refused = round % SOURCES;
        unsigned const first = bench.retry_count = 0;

        assert_true(layer_try(&bench.layer, source_of(refused)));
        layer_failed(&bench.layer, source_of(refused), clock_edge_ps(now_ps(), PERIOD, 1));
        for (unsigned i = 1; i < SOURCES; i++)
            assert_false(layer_try(&bench.layer, source_of((refused + i) % SOURCES)));
        layer_peer_retry(&bench.layer);
        run_to(now_ps() + 100 * PERIOD);
        assert_int_equal(bench.retry_count, SOURCES);
        for (unsigned i = 0; i < SOURCES; i++)
            assert_int_equal(bench.retries[first + i].port, (refused + i) % SOURCES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(serves_in_order_of_refusal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(free_layer_is_taken_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(release_scheduled_first_comes_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(release_scheduled_last_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(peer_refusal_keeps_all_waiting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(early_peer_retry_waits_for_release, set_up, tear_down),
        cmocka_unit_test_setup_teardown(idle_retry_costs_until_the_edge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ring_keeps_order_when_it_wraps, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
