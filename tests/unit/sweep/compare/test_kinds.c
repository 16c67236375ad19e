/* sweep/compare/comparison.h: kinds of programs by what their replays on a window did. */
#include "sweep/compare/comparison.h"
#include "tests/support/unit.h"

/* Of a million micro-ops. */
static struct run_figures run(double mispredictions, double lines, double rescheduled, double serialising)
{
    struct run_figures figures = {.ticks = 1, .instructions = 1e6, .mispredictions = mispredictions,
                                  .rescheduled_loads = rescheduled, .serialising = serialising};

    figures.caches[RUN_L1D] = (struct run_cache){.accesses = 3e5, .misses = 1e5};
    figures.caches[RUN_L2] = (struct run_cache){.accesses = 1e5, .misses = lines};
    return figures;
}

static void assert_kind(enum window_kind expected, double mispredictions, double lines, double rescheduled,
                        double serialising)
{
    struct run_figures const figures = run(mispredictions, lines, rescheduled, serialising);

    assert_int_equal(window_kind_of(&figures), expected);
}

/* The figures are those of programs of docs/window.md. */
static void a_kind_follows_from_the_statistics_of_a_replay(void **state)
{
    struct run_figures figures = run(49000, 6000, 0, 0);

    assert_kind(KIND_STREAMS, 600, 10900, 1, 0);             /* triad */
    assert_kind(KIND_STREAMS, 7000, 22000, 2, 0);            /* memops */
    assert_kind(KIND_COMPUTES, 4000, 2100, 2, 0);            /* matmul */
    assert_kind(KIND_SERIAL, 1500, 900, 1, 114000);          /* nbody */
    assert_kind(KIND_BRANCHES, 25800, 1200, 1, 0);           /* qsort */
    assert_kind(KIND_BRANCHES, 18500, 3900, 1, 0);           /* hashjoin on base */
    assert_kind(KIND_NEXT_LINES, 18500, 10700, 1, 0);        /* ... and on small */
    assert_kind(KIND_MISPREDICTS, 44500, 11100, 0, 0);       /* hash */
    assert_kind(KIND_OVERLAPS, 500, 1000, 74000, 0);         /* forward */
    figures.non_speculative = 22000;
    assert_int_equal(window_kind_of(&figures), KIND_ATOMICS);        /* spsc_ring */
    figures.non_speculative = 0;
    assert_int_equal(window_kind_of(&figures), KIND_MISPREDICTS);
}

static void lines_are_those_of_the_last_level(void **state)
{
    struct run_figures figures = run(0, 1000, 0, 0);

    assert_true(run_memory_lines(&figures) == 1000);
    figures.caches[RUN_L3] = (struct run_cache){.accesses = 1000, .misses = 10};
    assert_true(run_memory_lines(&figures) == 10);
    figures.caches[RUN_L2] = figures.caches[RUN_L3] = (struct run_cache){.accesses = 0};
    assert_true(run_memory_lines(&figures) == 1e5);
}

static void ranges_have_a_why(void **state)
{
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        assert_true(window_kinds[kind].least_pct < 0 && window_kinds[kind].most_pct > 0);
        assert_true(window_kinds[kind].why[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_follows_from_the_statistics_of_a_replay),
        cmocka_unit_test(lines_are_those_of_the_last_level),
        cmocka_unit_test(ranges_have_a_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
