/* Frames of a GPU's pages in a shared memory (memsys/gpu/translation.h). */
#include "memsys/gpu/translation.h"
#include "tests/support/unit.h"

enum { PAGE = 4096 };

static struct gpu_pages window_of(uint64_t frames)
{
    struct gpu_pages pages;

    gpu_pages_init(&pages, NULL, 0x40000000, frames * PAGE, PAGE);
    return pages;
}

/* "Each page gets the next free frame of a window when it is first asked for" */
static void pages_get_frames_in_the_order_of_first_use(void **state)
{
    struct gpu_pages pages = window_of(1000);

    assert_int_equal(gpu_pages_place(&pages, 0x7f0000003010), 0x40000010);
    assert_int_equal(gpu_pages_place(&pages, 0x1fff), 0x40001fff);
    assert_int_equal(gpu_pages_place(&pages, 0x7f0000003ffe), 0x40000ffe);
    assert_int_equal(gpu_pages_place(&pages, 0), 0x40002000);
    assert_int_equal(gpu_pages_place(&pages, 0x1000), 0x40001000);
    gpu_pages_free(&pages);
}

/* The table grows, and no two pages share a frame while there are enough. */
static void places_stay_when_the_table_grows(void **state)
{
    enum { COUNT = 5000 };
    struct gpu_pages pages = window_of(COUNT);

    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(gpu_pages_place(&pages, i * 7919 * PAGE), 0x40000000 + i * PAGE);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(gpu_pages_place(&pages, i * 7919 * PAGE + 5), 0x40000000 + i * PAGE + 5);
    gpu_pages_free(&pages);
}

/* "When the window is used up, the frames are given out again from the first on" */
static void a_used_up_window_restarts(void **state)
{
    struct gpu_pages pages = window_of(3);

    for (uint64_t i = 0; i < 7; i++)
        assert_int_equal(gpu_pages_place(&pages, (100 + i) * PAGE), 0x40000000 + i % 3 * PAGE);
    gpu_pages_free(&pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_get_frames_in_the_order_of_first_use),
        cmocka_unit_test(places_stay_when_the_table_grows),
        cmocka_unit_test(a_used_up_window_restarts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
