/* memsys/sim/clock.h, "equal, and do not divide": domain_edge_ps, domain_cycles and domain_short_cycles give
 * what the dividing ones give. */
#include "memsys/sim/clock.h"
#include "tests/support/unit.h"

static void check(uint64_t period_ps, uint64_t ticks_ps)
{
    struct clock_domain const domain = clock_domain(period_ps);

    if (domain_quotient(domain, ticks_ps) != ticks_ps / period_ps)
        fail_msg("%llu / %llu is %llu, not %llu", (unsigned long long)ticks_ps, (unsigned long long)period_ps,
                 (unsigned long long)(ticks_ps / period_ps), (unsigned long long)domain_quotient(domain, ticks_ps));
    assert_int_equal(domain_cycles(domain, ticks_ps), clock_cycles(ticks_ps, period_ps));
    assert_int_equal(domain_edge_ps(domain, ticks_ps), clock_edge_ps(ticks_ps, period_ps, 0));
    if (period_ps <= UINT32_MAX && ticks_ps <= UINT32_MAX - period_ps)
        assert_int_equal(domain_short_cycles(domain, ticks_ps), clock_cycles(ticks_ps, period_ps));
}

/* Where a quotient changes, and at both ends of what 64 bits hold. */
static void check_around(uint64_t period_ps, uint64_t quotient)
{
    uint64_t const multiple = quotient * period_ps;

    for (uint64_t off = 0; off < 3; off++) {
        check(period_ps, multiple + off);
        check(period_ps, multiple - off);
        check(period_ps, UINT64_MAX - off);
        check(period_ps, off);
    }
}

static void usual_periods(void **state)
{
    for (uint64_t period_ps = 1; period_ps <= 3000; period_ps++)
        for (uint64_t quotient = 1; quotient != 0; quotient = quotient <= UINT64_MAX / 23 ? quotient * 23 : 0)
            if (quotient <= UINT64_MAX / period_ps)
                check_around(period_ps, quotient);
}

/* xorshift64: any numbers will do, the same ones each time. */
static uint64_t next_number(uint64_t *number)
{
    *number ^= *number << 13;
    *number ^= *number >> 7;
    *number ^= *number << 17;
    return *number;
}

static void any_numbers(void **state)
{
    uint64_t number = 88172645463325252;

    for (int i = 0; i < 2000000; i++) {
        uint64_t const period_ps = (next_number(&number) >> (next_number(&number) & 63)) | 1;
        uint64_t const ticks_ps = next_number(&number) >> (next_number(&number) & 63);

        check(period_ps, ticks_ps);
        check_around(period_ps, ticks_ps / period_ps);
    }
}

static void powers_of_two(void **state)
{
    for (unsigned shift = 0; shift < 64; shift++)
        for (unsigned other = 0; other < 64; other++) {
            check(UINT64_C(1) << shift, (UINT64_C(1) << other) - 1);
            check((UINT64_C(1) << shift) + 1, UINT64_C(1) << other);
            check_around(UINT64_C(1) << shift, UINT64_MAX >> shift);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(usual_periods), cmocka_unit_test(any_numbers),
                                       cmocka_unit_test(powers_of_two)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
