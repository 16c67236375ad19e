/* memsys/gpu/calendar.h: items against a plain list of when each is due. */
#include "memsys/gpu/calendar.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

enum { ITEMS = 50, PERIOD = 733, STEPS = 20000 };

static struct sim sim;
static struct gpu_calendar calendar;
static struct random_generator generator;
static uint64_t due_ps[ITEMS];               /* TICK_NEVER: not in the calendar */
static unsigned handled, put_count;

static void put(uint32_t item)
{
    /* mostly soon, at times beyond what the ring holds */
    uint32_t const cycles = random_uniform(&generator, 0, 99) ? random_uniform(&generator, 0, 300)
                                                              : random_uniform(&generator, 0, 30000);
    uint64_t const when_ps = sim_now_ps(&sim) + cycles * PERIOD + random_uniform(&generator, 0, PERIOD);

    due_ps[item] = (when_ps + PERIOD - 1) / PERIOD * PERIOD;
    gpu_calendar_put(&calendar, item, when_ps);
    put_count++;
}

static void on_item(void *owner, uint32_t item)
{
    assert_ptr_equal(owner, &sim);
    assert_int_equal(due_ps[item], sim_now_ps(&sim));
    due_ps[item] = TICK_NEVER;
    handled++;
    if (put_count < STEPS)
        put(random_uniform(&generator, 0, 9) || due_ps[(item + 1) % ITEMS] != TICK_NEVER ? item : (item + 1) % ITEMS);
}

static void items_come_at_their_edges(void **state)
{
    sim_init(&sim, 64);
    random_init(&generator, RANDOM_SEED);
    assert_int_equal(gpu_calendar_init(&calendar, &sim, PERIOD, ITEMS, on_item, &sim).kind, FAULT_NONE);
    for (unsigned round = 0; round < 3; round++) {
        put_count = handled = 0;
        for (uint32_t item = 0; item < ITEMS; item++)
            put(item);
        while (event_queue_step(&sim.events, TICK_NEVER - 1)) {}
        assert_int_equal(handled, put_count);
        assert_int_equal(event_queue_count(&sim.events), 0);
        sim.events.now_ps += 12345678;           /* idle for a while */
    }
    gpu_calendar_free(&calendar);
    sim_free(&sim);
}

static unsigned order[4], ordered;

static void on_ordered(void *owner, uint32_t item)
{
    (void)owner;
    order[ordered++] = item;
    if (item == 1)
        gpu_calendar_put(&calendar, 3, sim_now_ps(&sim));    /* of this very edge */
}

/* header: "handled in the order in which they were put there" */
static void items_of_an_edge_keep_their_order(void **state)
{
    sim_init(&sim, 64);
    assert_int_equal(gpu_calendar_init(&calendar, &sim, PERIOD, 4, on_ordered, NULL).kind, FAULT_NONE);
    gpu_calendar_put(&calendar, 2, PERIOD);
    gpu_calendar_put(&calendar, 1, PERIOD - 1);
    gpu_calendar_put(&calendar, 0, 1);
    assert_true(event_queue_step(&sim.events, TICK_NEVER - 1));
    assert_false(event_queue_step(&sim.events, TICK_NEVER - 1));
    assert_int_equal(ordered, 4);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
    assert_int_equal(order[2], 0);
    assert_int_equal(order[3], 3);
    gpu_calendar_put(&calendar, 0, PERIOD);                  /* that edge has had its turn */
    assert_int_equal(event_queue_next_ps(&sim.events), 2 * PERIOD);
    gpu_calendar_free(&calendar);
    sim_free(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_at_their_edges),
        cmocka_unit_test(items_of_an_edge_keep_their_order),
    };

    return cmocka_run_group_tests_name("gpu_calendar", tests, NULL, NULL);
}
