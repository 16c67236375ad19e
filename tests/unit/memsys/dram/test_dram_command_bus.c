/* memsys/dram/command_bus.h: commands a window, for one and for two cycles (classic-memory 8.5). Windows of 10 ns
 * here. */
#include "memsys/dram/command_bus.h"
#include "tests/support/unit.h"

static struct dram_command_bus bus_of(uint64_t commands)
{
    struct dram_command_bus bus;

    assert_int_equal(dram_command_bus_init(&bus, NULL, 10000, 10000 / commands).kind, FAULT_NONE);
    assert_int_equal(bus.limit, commands);
    return bus;
}

static void limit_is_whole_clocks_of_a_window(void **state)
{
    struct dram_command_bus bus;

    assert_int_equal(dram_command_bus_init(&bus, NULL, 10000, 1876).kind, FAULT_NONE);
    assert_int_equal(bus.limit, 5);
    dram_command_bus_free(&bus);
    assert_int_equal(dram_command_bus_init(&bus, NULL, 1000, 1250).kind, FAULT_INPUT);
}

/* "The answer is the tick that was asked for, or the start of the first later window that has room" */
static void full_window_moves_a_command_to_the_next(void **state)
{
    struct dram_command_bus bus = bus_of(2);

    assert_int_equal(dram_command_bus_single(&bus, 12345), 12345);
    assert_int_equal(dram_command_bus_single(&bus, 19999), 19999);
    assert_int_equal(dram_command_bus_single(&bus, 12345), 20000);
    assert_int_equal(dram_command_bus_single(&bus, 10000), 20000);
    assert_int_equal(dram_command_bus_single(&bus, 10000), 30000);
    assert_int_equal(dram_command_bus_single(&bus, 30001), 30001);
    assert_int_equal(dram_command_bus_single(&bus, 30002), 40000);
    dram_command_bus_free(&bus);
}

static void forgotten_windows_have_room(void **state)
{
    struct dram_command_bus bus = bus_of(1);

    dram_command_bus_single(&bus, 10000);
    dram_command_bus_single(&bus, 20000);
    dram_command_bus_forget(&bus, 10000);
    assert_int_equal(dram_command_bus_commands(&bus, 10000), 1);
    assert_int_equal(dram_command_bus_commands(&bus, 20000), 1);
    dram_command_bus_forget(&bus, 10001);
    assert_int_equal(dram_command_bus_commands(&bus, 10000), 0);
    assert_int_equal(dram_command_bus_commands(&bus, 20000), 1);
    assert_int_equal(dram_command_bus_single(&bus, 10001), 10001);
    assert_int_equal(dram_command_bus_single(&bus, 20001), 30000);
    dram_command_bus_free(&bus);
}

/* A window that has begun keeps its counts until the next call of forget. */
static void begun_window_counts_until_the_next_forget(void **state)
{
    struct dram_command_bus bus = bus_of(1);

    dram_command_bus_forget(&bus, 12345);
    assert_int_equal(dram_command_bus_single(&bus, 12345), 12345);
    assert_int_equal(dram_command_bus_single(&bus, 12345), 20000);
    dram_command_bus_forget(&bus, 12345);
    assert_int_equal(dram_command_bus_single(&bus, 12345), 12345);
    dram_command_bus_free(&bus);
}

static void pair_in_one_window(void **state)
{
    struct dram_command_bus bus = bus_of(4);

    /* 3000 into its window, the first at most 2000 before: both in the window */
    assert_int_equal(dram_command_bus_pair(&bus, 23000, 2000), 23000);
    assert_int_equal(dram_command_bus_commands(&bus, 23000), 2);
    assert_int_equal(dram_command_bus_commands(&bus, 13000), 0);
    dram_command_bus_free(&bus);
}

static void pair_in_two_windows(void **state)
{
    struct dram_command_bus bus = bus_of(4);

    /* 1000 into its window: the first belongs to the window before */
    assert_int_equal(dram_command_bus_pair(&bus, 21000, 2000), 21000);
    assert_int_equal(dram_command_bus_commands(&bus, 20000), 1);
    assert_int_equal(dram_command_bus_commands(&bus, 19999), 1);
    dram_command_bus_free(&bus);
}

static void pair_at_tick_0_has_no_window_before(void **state)
{
    struct dram_command_bus bus = bus_of(4);

    assert_int_equal(dram_command_bus_pair(&bus, 0, 2000), 0);
    assert_int_equal(dram_command_bus_commands(&bus, 0), 2);
    dram_command_bus_free(&bus);
}

static void pair_waits_for_room_for_its_second(void **state)
{
    struct dram_command_bus bus = bus_of(2);

    dram_command_bus_single(&bus, 20000);
    dram_command_bus_single(&bus, 20000);
    /* 20000 is full, so the second moves to 30000. The first stays in 10000: how far it lies back is asked only while
     * the second has no room, and then 10000 ps are more than 2000, so it follows to 20000; that is full: on to
     * 30000. */
    assert_int_equal(dram_command_bus_pair(&bus, 21000, 2000), 30000);
    assert_int_equal(dram_command_bus_single(&bus, 30000), 40000);
    assert_int_equal(dram_command_bus_single(&bus, 10000), 10000);
    dram_command_bus_free(&bus);
}

static void pair_of_one_window_needs_room_for_two(void **state)
{
    struct dram_command_bus bus = bus_of(2);

    dram_command_bus_single(&bus, 20000);
    /* One place is left in 20000: the first takes it, the second goes to 30000. */
    assert_int_equal(dram_command_bus_pair(&bus, 25000, 2000), 30000);
    assert_int_equal(dram_command_bus_single(&bus, 20000), 30000);
    assert_int_equal(dram_command_bus_single(&bus, 20000), 40000);
    dram_command_bus_free(&bus);
}

static void windows_grow(void **state)
{
    struct dram_command_bus bus = bus_of(1);

    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(dram_command_bus_single(&bus, 5), i == 0 ? 5 : 10000 * i);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(dram_command_bus_commands(&bus, 10000 * i), 1);
    dram_command_bus_forget(&bus, 9990000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(dram_command_bus_commands(&bus, 10000 * i), i == 999);
    dram_command_bus_free(&bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_is_whole_clocks_of_a_window),
        cmocka_unit_test(full_window_moves_a_command_to_the_next),
        cmocka_unit_test(forgotten_windows_have_room),
        cmocka_unit_test(begun_window_counts_until_the_next_forget),
        cmocka_unit_test(pair_in_one_window),
        cmocka_unit_test(pair_in_two_windows),
        cmocka_unit_test(pair_at_tick_0_has_no_window_before),
        cmocka_unit_test(pair_waits_for_room_for_its_second),
        cmocka_unit_test(pair_of_one_window_needs_room_for_two),
        cmocka_unit_test(windows_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
