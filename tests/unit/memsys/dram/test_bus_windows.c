/* memsys/dram/bus_windows.h: windows by what bursts used of them. */
#include "memsys/dram/bus_windows.h"
#include "tests/support/unit.h"

enum { LENGTH = 1000, BURST = 10 };          /* 100 bursts a window at the peak */

static struct bus_windows begin(void)
{
    struct bus_windows windows;

    bus_windows_init(&windows, LENGTH, BURST);
    return windows;
}

/* As the controller does. */
static void burst_at(struct bus_windows *windows, uint64_t command_ps, uint64_t waited)
{
    if (!bus_windows_has(windows, command_ps))
        bus_windows_close(windows, command_ps, waited);
    bus_windows_count(windows);
}

static uint64_t total(const struct bus_window_sums *sums)
{
    uint64_t windows = 0;

    for (int part = 0; part < BUS_WINDOW_PARTS; part++)
        windows += sums->windows[part];
    return windows;
}

/* "Half of a run at the peak and half idle is not the same as all of it at half the peak." */
static void halves_are_not_averages(void **state)
{
    struct bus_windows phases = begin(), even = begin();

    for (uint64_t at_ps = 0; at_ps < 10 * LENGTH; at_ps += BURST)
        burst_at(&phases, at_ps, 0);
    for (uint64_t at_ps = 0; at_ps < 20 * LENGTH; at_ps += 2 * BURST)
        burst_at(&even, at_ps, 0);
    bus_windows_close(&phases, 20 * LENGTH, 0);
    bus_windows_close(&even, 20 * LENGTH, 0);
    assert_int_equal(phases.all.windows[9], 10);
    assert_int_equal(phases.all.bursts[9], 1000);
    assert_int_equal(phases.all.windows[0], 10);
    assert_int_equal(even.all.windows[5], 20);
    assert_int_equal(total(&even.all), 20);
}

static void windows_in_which_reads_waited_count_twice(void **state)
{
    struct bus_windows windows = begin();

    burst_at(&windows, 0, 0);
    burst_at(&windows, LENGTH, BUS_WINDOW_QUEUE * LENGTH);                       /* a queue in the first ... */
    burst_at(&windows, 2 * LENGTH, 2 * BUS_WINDOW_QUEUE * LENGTH - 1);           /* ... and not quite in the second */
    bus_windows_close(&windows, 3 * LENGTH, 3 * BUS_WINDOW_QUEUE * LENGTH);
    assert_int_equal(total(&windows.all), 3);
    assert_int_equal(total(&windows.queued), 2);
    assert_int_equal(windows.queued.bursts[0], 2);
}

/* "Of a run's last window ... nothing is known yet." */
static void a_window_counts_once_it_is_over(void **state)
{
    struct bus_windows windows = begin();

    burst_at(&windows, 0, 0);
    bus_windows_close(&windows, LENGTH - 1, 0);
    assert_int_equal(total(&windows.all), 0);
    bus_windows_close(&windows, LENGTH, 0);
    assert_int_equal(total(&windows.all), 1);
    bus_windows_reset(&windows, 1500);
    bus_windows_close(&windows, 2499, 0);
    assert_int_equal(total(&windows.all), 0);
    bus_windows_close(&windows, 2500, 0);
    assert_int_equal(total(&windows.all), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_not_averages), cmocka_unit_test(windows_in_which_reads_waited_count_twice),
        cmocka_unit_test(a_window_counts_once_it_is_over)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
