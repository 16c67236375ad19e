/* The examples of the papers that DRRIP and SHiP come from, step by step:
 *
 * RRIP: Jaleel, Theobald, Steely, Emer, "High performance cache replacement using re-reference interval prediction
 * (RRIP)", ISCA 2010. SHiP: Wu, Jaleel, Hasenplaugh, Martonosi, Steely, Emer, "SHiP: signature-based hit predictor for
 * high performance caching", MICRO 2011. Patterns and outcomes were confirmed by the text of both papers, which was at
 * hand without its figures; what only a figure has is derived from the rules in the text, and said so. */
#include "memsys/policy/policy_params.h"
#include "memsys/policy/rrip.h"
#include "tests/support/policy_bench.h"
#include "tests/support/unit.h"

/* ---- RRIP */

/* Section 4.1, the pattern of figure 3: (a1 a2 a2 a1) (b1 b2 b3 b4) (a1 a2), here ABBA CDEF AB, in a set of 4 invalid
 * blocks. With LRU and NRU both a lines miss after the scan (4.1), with SRRIP they hit (4.2), and so they do with DRRIP
 * and SHiP, which fill as SRRIP here. */
static void scan_of_four(void **state)
{
    static const struct { enum replacement_kind kind; const char *hits; } rows[] = {
        {REPLACEMENT_LRU, "..hh......"}, {REPLACEMENT_NRU, "..hh......"}, {REPLACEMENT_SRRIP, "..hh....hh"},
        {REPLACEMENT_DRRIP, "..hh....hh"}, {REPLACEMENT_SHIP, "..hh....hh"}};
    static const char pattern[] = "ABBACDEFAB";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char hits[sizeof pattern] = {0};
        struct policy_bench bench;

        policy_bench_start(&bench, rows[i].kind, 4, 1);
        for (size_t n = 0; pattern[n]; n++)
            hits[n] = policy_bench_load(&bench, (uint64_t)pattern[n], 0x400) ? 'h' : '.';
        assert_string_equal(hits, rows[i].hits);
        policy_bench_stop(&bench);
    }
}

/* Figure 3c is the same pattern with predictions of 2 bits and hit priority. Its numbers are derived from section
 * 4.2: a fill is 2 (2^M - 2), a hit makes 0, the leftmost 3 is evicted; without one, all are incremented until one is
 * 3. DRRIP in a cache of one set is this SRRIP. */
static void predictions_during_the_scan(void **state)
{
    static const struct { char access; const char *blocks; } steps[] = {
        {'A', "A2 -- -- --"}, {'B', "A2 B2 -- --"}, {'B', "A2 B0 -- --"}, {'A', "A0 B0 -- --"}, {'C', "A0 B0 C2 --"},
        {'D', "A0 B0 C2 D2"}, {'E', "A1 B1 E2 D3"}, {'F', "A1 B1 E2 F2"}, {'A', "A0 B1 E2 F2"}, {'B', "A0 B0 E2 F2"}};
    struct policy_bench bench;

    policy_bench_start(&bench, REPLACEMENT_DRRIP, 4, 1);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char blocks[] = "-- -- -- --";

        policy_bench_load(&bench, (uint64_t)steps[i].access, 0x400);
        for (uint32_t way = 0; way < 4; way++)
            if (tags_is_valid(&bench.tags, way)) {
                blocks[3 * way] = (char)tags_line(&bench.tags, way);
                blocks[3 * way + 1] = (char)('0' + policy_bench_prediction(&bench, tags_line(&bench.tags, way)));
            }
        assert_string_equal(blocks, steps[i].blocks);
    }
    policy_bench_stop(&bench);
}

/* Section 4.2, equation 1: with A ways, a working set of w < A lines and predictions of M bits, scans of up to (2^M
 * - 1) * (A - w) lines leave the working set alone; M is 2 here. A line more takes the leftmost of it. */
static void scan_length_is_that_of_equation_1(void **state)
{
    for (uint32_t ways = 2; ways <= 16; ways *= 2)
        for (uint32_t working_set = 1; working_set < ways; working_set++) {
            uint32_t const longest = 3 * (ways - working_set);

            for (uint32_t length = longest; length <= longest + 1; length++) {
                struct policy_bench bench;

                policy_bench_start(&bench, REPLACEMENT_DRRIP, ways, 1);
                for (unsigned pass = 0; pass < 2; pass++)
                    for (uint64_t line = 0; line < working_set; line++)
                        assert_int_equal(policy_bench_load(&bench, line, 0x400), pass == 1);
                for (uint64_t line = 100; line < 100 + length; line++)
                    assert_false(policy_bench_load(&bench, line, 0x400));
                for (uint64_t line = 0; line < (length == longest ? working_set : 1); line++)
                    assert_int_equal(policy_bench_load(&bench, line, 0x400), length == longest);
                policy_bench_stop(&bench);
            }
        }
}

/* ---- SHiP */

/* Section 5, figure 7 (gemsFDTD): instruction P1 brings A, B, C and D into a set, more distinct lines than the set has
 * ways follow, then another instruction, P2, uses A to D. LRU and DRRIP have lost them. SHiP-PC has learned that lines
 * of P1 are used again (intermediate) and that those of the others are not (distant), and keeps them. The LLC has 16
 * ways (1 MB in 1024 sets, section 7.1).
 *
 * The text leaves open how many lines follow, 16, 20 and 200 here, and where SHiP learns: in another set here,
 * where 8 lines follow, so that P2 finds A to D, and then 64, which are never used. Both sets only follow in DRRIP's
 * duel. */
static void lines_used_by_another_instruction(void **state)
{
    enum { P1 = 0x4010, P2 = 0x4200, OTHERS = 0x4100, SETS = 4, TEACHING = 2, SHOWN = 1 };
    static const struct { enum replacement_kind kind; unsigned hits; } rows[] = {
        {REPLACEMENT_LRU, 0}, {REPLACEMENT_SRRIP, 0}, {REPLACEMENT_DRRIP, 0}, {REPLACEMENT_SHIP, 4}};
    static const unsigned following[] = {16, 20, 200};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t f = 0; f < sizeof following / sizeof *following; f++) {
            bool const is_ship = rows[i].kind == REPLACEMENT_SHIP;
            unsigned hits = 0;
            struct policy_bench bench;

            policy_bench_start(&bench, rows[i].kind, 16, SETS);
            policy_bench_load(&bench, 50 * SETS + TEACHING, P1);              /* leaves unused: P1 begins at 0 */
            tags_invalidate(&bench.tags, tags_find(&bench.tags, (50 * SETS + TEACHING) * POLICY_LINE_BYTES));
            for (uint64_t n = 0; n < 4; n++) {
                policy_bench_load(&bench, n * SETS + TEACHING, P1);
                if (is_ship)
                    assert_int_equal(policy_bench_prediction(&bench, n * SETS + TEACHING), RRIP_DISTANT);
            }
            for (uint64_t n = 100; n < 108; n++)
                policy_bench_load(&bench, n * SETS + TEACHING, OTHERS);
            for (uint64_t n = 0; n < 4; n++)
                assert_true(policy_bench_load(&bench, n * SETS + TEACHING, P2));
            for (uint64_t n = 108; n < 172; n++)
                policy_bench_load(&bench, n * SETS + TEACHING, OTHERS);

            for (uint64_t n = 0; n < 4; n++) {           /* A to D */
                assert_false(policy_bench_load(&bench, n * SETS + SHOWN, P1));
                if (is_ship)
                    assert_int_equal(policy_bench_prediction(&bench, n * SETS + SHOWN), RRIP_LONG);
            }
            for (uint64_t n = 100; n < 100 + following[f]; n++) {
                assert_false(policy_bench_load(&bench, n * SETS + SHOWN, OTHERS));
                if (is_ship)
                    assert_int_equal(policy_bench_prediction(&bench, n * SETS + SHOWN), RRIP_DISTANT);
            }
            for (uint64_t n = 0; n < 4; n++)
                hits += policy_bench_load(&bench, n * SETS + SHOWN, P2);
            assert_int_equal(hits, rows[i].hits);
            policy_bench_stop(&bench);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_of_four),
        cmocka_unit_test(predictions_during_the_scan),
        cmocka_unit_test(scan_length_is_that_of_equation_1),
        cmocka_unit_test(lines_used_by_another_instruction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
