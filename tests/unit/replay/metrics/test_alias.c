/* replay/metrics/metrics.h: our names of a core's own caches, and gem5's. */
#include "replay/metrics/metrics.h"
#include "tests/support/unit.h"

static void assert_alias(const char *name, unsigned number, const char *expected)
{
    char alias[ALIAS_BYTES];

    assert_true(alias_of(name, number, alias));
    assert_string_equal(alias, expected);
}

static void ours_has_one_of_gem5(void **state)
{
    char alias[ALIAS_BYTES];

    assert_alias("system.cpu13.l1d.overallHits::total", 0, "system.l1d13.overallHits::total");
    assert_alias("system.cpu03.tol2bus.reqLayer0.occupancy", 0, "system.tol2bus03.reqLayer0.occupancy");
    assert_false(alias_of("system.cpu13.l1d.overallHits", 1, alias));
}

/* "gem5's do not say where a number begins" */
static void gem5s_has_one_for_each_length_of_the_number(void **state)
{
    char alias[ALIAS_BYTES];

    assert_alias("system.l213.replacements", 0, "system.cpu3.l21.replacements");
    assert_alias("system.l213.replacements", 1, "system.cpu13.l2.replacements");
    assert_alias("system.l213.replacements", 2, "system.cpu213.l.replacements");
    assert_false(alias_of("system.l213.replacements", 3, alias));
}

static void columns_have_the_same_names(void **state)
{
    (void)state;
    assert_alias("system.cpu3.l2.demandHits::cpu3.l1d.prefetcher", 0, "system.l23.demandHits::l1d3.prefetcher");
    assert_alias("system.l23.demandHits::l1d3.prefetcher", 0, "system.cpu3.l2.demandHits::cpu3.l1d.prefetcher");
    assert_alias("system.l3.demandHits::l1d03.prefetcher", 1, "system.l3.demandHits::cpu03.l1d.prefetcher");
    assert_alias("system.l23.demandHits::cpu3.data", 0, "system.cpu3.l2.demandHits::cpu3.data");
}

static void other_names_have_no_alias(void **state)
{
    static const char *const none[] = {"", "simTicks", "system", "system.", "system.membus.snoops", "system.cpu.cpi",
                                       "system.cpu3.cpi", "system.cpu3.cpiStack::rob", "system.12.x", "l1d3.x"};
    char alias[ALIAS_BYTES];

    for (size_t i = 0; i < COUNT(none); i++)
        if (alias_of(none[i], strcmp(none[i], "system.12.x") ? 0 : 1, alias))
            fail_msg("%s is %s", none[i], alias);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_has_one_of_gem5), cmocka_unit_test(gem5s_has_one_for_each_length_of_the_number),
        cmocka_unit_test(columns_have_the_same_names), cmocka_unit_test(other_names_have_no_alias)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
