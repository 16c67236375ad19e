/* sweep/plan/spec.h, sweep/plan/quantity.h, sweep/plan/spec.h, sweep/plan/spec.h: values of axes, their
 * comparison, conditions, samples. */
#include "sweep/plan/spec.h"
#include "tests/support/unit.h"

/* ---- ranges */

/* The values joined by blanks, or the fault's text. */
static void range_text(const struct axis_range *range, char *text, size_t size)
{
    struct arena arena = {0};
    const char **values;
    size_t count = 0;
    struct fault const fault = axis_values(range, &arena, "here", &values, &count);

    text[0] = '\0';
    if (fault.kind != FAULT_NONE)
        snprintf(text, size, "%s", fault_text(fault));
    for (size_t i = 0; fault.kind == FAULT_NONE && i < count; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "", values[i]);
    arena_free(&arena);
}

static void ranges_give_their_values(void **state)
{
    static const struct { struct axis_range range; const char *values; } cases[] = {
        {{"1", "32", NULL, "2"}, "1 2 4 8 16 32"},
        {{"1", "4", NULL, NULL}, "1 2 3 4"},
        {{"4", "16", "4", NULL}, "4 8 12 16"},
        {{"4", "17", "4", NULL}, "4 8 12 16"},
        {{"5", "5", NULL, NULL}, "5"},
        {{"32KiB", "1MiB", NULL, "2"}, "32KiB 64KiB 128KiB 256KiB 512KiB 1MiB"},
        {{"96KiB", "160KiB", "32KiB", NULL}, "96KiB 128KiB 160KiB"},
        {{"1GHz", "3GHz", "500MHz", NULL}, "1GHz 1.5GHz 2GHz 2.5GHz 3GHz"},
        {{"0.5", "1.5", "0.1", NULL}, "0.5 0.6 0.7 0.8 0.9 1 1.1 1.2 1.3 1.4 1.5"},
        {{"10ns", "30ns", "10ns", NULL}, "10ns 20ns 30ns"},
        {{"1", "100", NULL, "10"}, "1 10 100"},
    };
    char text[400];

    for (size_t i = 0; i < COUNT(cases); i++) {
        range_text(&cases[i].range, text, sizeof text);
        assert_string_equal(text, cases[i].values);
    }
}

static void wrong_ranges_are_refused(void **state)
{
    static const struct { struct axis_range range; const char *words; } cases[] = {
        {{"1", NULL, NULL, NULL}, "has from and to"}, {{"1", "wide", NULL, NULL}, "\"wide\" is not a number"},
        {{"4", "2", NULL, NULL}, "swap them"}, {{"1KiB", "4", NULL, NULL}, "give both in the same unit"},
        {{"1KiB", "4KiB", NULL, NULL}, "has no step"}, {{"1", "4", "1", "2"}, "leave one of them"},
        {{"1", "4", "0", NULL}, "above 0"}, {{"1", "4", NULL, "1"}, "factor above 1"},
        {{"0", "4", NULL, "2"}, "begin above 0"}, {{"1KiB", "4KiB", "1", NULL}, "give a capacity above 0"},
        {{"1", "4", "-1", NULL}, "above 0"}, {{"1", "1000000", NULL, NULL}, "more than 10000 values"},
    };
    char text[600];

    for (size_t i = 0; i < COUNT(cases); i++) {
        range_text(&cases[i].range, text, sizeof text);
        if (!strstr(text, cases[i].words))
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, text, cases[i].words);
    }
}

/* ---- conditions */
static struct fault find_name(void *self, const char *name, const char *where, struct quantity *value)
{
    static const struct { const char *name, *value; } names[] = {
        {"l1d.size", "64KiB"}, {"l2.size", "512KiB"}, {"l3.size", "none"}, {"l2.prefetcher", "stride"}, {"cores", "4"},
        {"cpu_clock", "2GHz"}, {"odd_clock", "333ps"}, {"rate", "0.25"}, {"device", "DDR4_2400_8x8"}, {"on", "yes"}
    };

    (void)self;
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i].name, name) == 0) {
            *value = quantity_of(names[i].value);
            return fault_none();
        }
    }
    return fault_make(FAULT_INPUT, "%s: %s: unknown key", where, name);
}

/* 1, 0, or -1 with the fault */
static int holds(const char *text, struct fault *fault)
{
    struct condition_names const names = {.find = find_name};
    struct arena arena = {0};
    struct condition *condition;
    bool answer = false;

    *fault = condition_parse(&condition, &arena, text, "here");
    if (fault->kind == FAULT_NONE)
        *fault = condition_holds(condition, &names, &answer);
    arena_free(&arena);
    return fault->kind == FAULT_NONE ? answer : -1;
}

static void conditions_hold_or_not(void **state)
{
    static const struct { const char *text; int holds; } cases[] = {
        {"l2.size < 1MiB", 1}, {"l2.size < 512KiB", 0}, {"l2.size <= 512KiB", 1}, {"l2.size == 524288", 1},
        {"l2.size > 4 * l1d.size", 1}, {"l2.size > 8 * l1d.size", 0}, {"l2.size - l1d.size == 448KiB", 1},
        {"l2.size / l1d.size == 8", 1}, {"(l2.size + l1d.size) / 2 == 288KiB", 1}, {"1MiB > l2.size", 1},
        {"l2.prefetcher == stride", 1}, {"l2.prefetcher == Stride", 1}, {"l2.prefetcher != stride", 0},
        {"l2.prefetcher == \"stride\"", 1}, {"device == DDR4_2400_8x8", 1}, {"cpu_clock < 2.5GHz", 1},
        {"odd_clock > 3GHz", 1}, {"odd_clock < 334ps", 1}, {"cpu_clock == 500ps", 1}, {"rate < 0.3", 1},
        {"rate == 25e-2", 1}, {"on == true", 1}, {"on == no", 0},
        {"l3.size < 1MiB", 0}, {"l3.size >= 1MiB", 0}, {"l3.size == none", 1}, {"l3.size != 1MiB", 1},
        {"l3.size < 2 * l2.size", 0}, {"l2.size < cpu_clock", 0},
        {"cores == 4 and rate < 0.1 or l2.prefetcher == stride", 1},
        {"cores == 5 and rate < 0.1 or l2.prefetcher == bop", 0},
        {"cores == 4 and (rate < 0.1 or l2.prefetcher == stride)", 1}, {"not cores == 4", 0},
        {"not (cores == 4 and rate > 0.3)", 1}, {"not not cores == 4", 1}, {"cores = 4", 1},
        {"((((((((((((((((((((((((((((((cores == 4))))))))))))))))))))))))))))))", 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault fault;
        int const got = holds(cases[i].text, &fault);

        if (got != cases[i].holds)
            fail_msg("%s: %d, expected %d %s", cases[i].text, got, cases[i].holds, got < 0 ? fault_text(fault) : "");
    }
}

static void wrong_conditions_are_refused(void **state)
{
    static const struct { const char *text, *words; } cases[] = {
        {"", "at \"the end\""}, {"l2.size", "expected a comparison"}, {"l2.size <", "expected a key"},
        {"l2.size < 3 4", "expected and, or, or the end"}, {"l2.sise < 3", "l2.sise: unknown key"},
        {"3 < l2.sise", "l2.sise: unknown key"}, {"unknown == 3", "unknown: unknown key"},
        {"(l2.size < 3", "closing bracket"}, {"l2.size < \"3", "a quote is not closed"},
        {"l2.size + cpu_clock > 3", "a capacity and a clock cannot be added"}, {"and", "expected a comparison"},
        {"(l2.size < 3) + 1 > 2", "a value, not a condition"}, {"l2.size and cores == 4", "expected a comparison"},
        {"(l2.size < 3", "closing bracket"}, {"not l2.size", "expected a comparison"},
    };
    char *const longest = calloc(1, 100001);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault fault;

        if (holds(cases[i].text, &fault) >= 0 || !strstr(fault_text(fault), cases[i].words))
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].text, fault_text(fault), cases[i].words);
    }
    assert_non_null(longest);
    for (const char *filling = "(-+n"; *filling; filling++) {
        struct fault fault;

        memset(longest, *filling, 100000);
        assert_int_equal(holds(longest, &fault), -1);
    }
    free(longest);
}

/* ---- samples */

/* "one in each of n equal parts of its range": with as many levels as points, each level once */
static void a_sample_covers_every_level(void **state)
{
    static const struct { size_t points, levels, least, most; } cases[] = {
        {64, 64, 1, 1}, {64, 16, 4, 4}, {100, 4, 25, 25}, {100, 3, 32, 35}, {10, 1000, 0, 1}, {7, 1, 7, 7}
    };
    uint32_t picked[100];
    unsigned counts[1000];

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            memset(counts, 0, sizeof counts);
            latin_hypercube(seed, "l2.size", cases[i].points, cases[i].levels, picked);
            for (size_t k = 0; k < cases[i].points; k++) {
                assert_true(picked[k] < cases[i].levels);
                counts[picked[k]]++;
            }
            for (size_t level = 0; level < cases[i].levels; level++)
                if (counts[level] < cases[i].least || counts[level] > cases[i].most)
                    fail_msg("case %zu, seed %llu: level %zu comes %u times", i, (unsigned long long)seed, level,
                             counts[level]);
        }
    }
}

/* "depends on the seed and its own key only" */
static void a_sample_depends_on_seed_and_key(void **state)
{
    uint32_t one[32], again[32], other_seed[32], other_key[32];

    latin_hypercube(1, "l2.size", 32, 32, one);
    latin_hypercube(1, "l2.size", 32, 32, again);
    latin_hypercube(2, "l2.size", 32, 32, other_seed);
    latin_hypercube(1, "l2.assoc", 32, 32, other_key);
    assert_memory_equal(one, again, sizeof one);
    assert_memory_not_equal(one, other_seed, sizeof one);
    assert_memory_not_equal(one, other_key, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_give_their_values),
        cmocka_unit_test(wrong_ranges_are_refused),
        cmocka_unit_test(conditions_hold_or_not),
        cmocka_unit_test(wrong_conditions_are_refused),
        cmocka_unit_test(a_sample_covers_every_level),
        cmocka_unit_test(a_sample_depends_on_seed_and_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
