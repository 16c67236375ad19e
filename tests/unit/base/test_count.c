/* base/count.h: counts as people write them. */
#include "base/count.h"

#include "tests/support/unit.h"

static void valid_counts(void **state)
{
    static const struct { const char *text; uint64_t count; } cases[] = {
        {"0", 0}, {"1000000", 1000000}, {"1_000_000", 1000000}, {"2e6", 2000000}, {"1.5e3", 1500}, {"0x10", 16},
        {"100k", 100000}, {"100K", 100000}, {"2M", 2000000}, {"1.5M", 1500000}, {"3G", 3000000000},
        {"1T", 1000000000000},
        {"64Ki", 65536}, {"64ki", 65536}, {"1.5Ki", 1536}, {"2Mi", 2097152}, {"1Gi", 1073741824},
        {"1Ti", 1099511627776}, {"18446744073709551615", UINT64_MAX}, {"0.001k", 1}, {"2.50e1", 25}, {"5.0", 5},
        {"100 k", 100000}, {"0e99", 0}, {"18.446744073709551615e18", UINT64_MAX}
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count = 7;
        const char *const wrong = count_parse(cases[i].text, &count);

        if (wrong)
            fail_msg("%s: %s", cases[i].text, wrong);
        assert_int_equal(count, cases[i].count);
    }
}

static void invalid_counts(void **state)
{
    static const struct { const char *text, *wrong; } cases[] = {
        {"", "is not a number"}, {"x", "is not a number"}, {"k", "is not a number"}, {".", "is not a number"},
        {"-4", "is negative"}, {"-k", "is not a number"}, {"+4", "is not a number"}, {"1m", "has an unknown suffix"},
        {"1kB", "has an unknown suffix"}, {"1KiB", "has an unknown suffix"}, {"1zz", "has an unknown suffix"},
        {"1.5", "is not a whole number"}, {"1.2345k", "is not a whole number"}, {"0.3Ki", "is not a whole number"},
        {"18446744073709551616", "is too big"}, {"99999999T", "is too big"}, {"2e30", "is too big"},
        {"1e", "has no whole exponent"}, {"1e-3", "has no whole exponent"}, {"1e5000", "has no whole exponent"},
        {"0x", "is not a number"}, {"0x10k", "has an unknown suffix"}, {"0x11111111111111111", "is too big"},
        {"nan", "is not a number"}, {"inf", "is not a number"}, {"1..2", "has an unknown suffix"}
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count;
        const char *const wrong = count_parse(cases[i].text, &count);

        if (!wrong)
            fail_msg("%s is taken", cases[i].text);
        assert_string_equal(wrong, cases[i].wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(valid_counts), cmocka_unit_test(invalid_counts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
