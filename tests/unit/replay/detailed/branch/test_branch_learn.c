/* replay/detailed/branch/: the patterns each direction predictor learns, its accuracy, and that wrong paths leave no
 * trace in it. Outcomes are those of branches of four bytes, so that the reported outcome is the actual one. */
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/branch_unit.h"
#include "tests/support/branch_bench.h"
#include "tests/support/random_numbers.h"

#define TYPE_NAME(kind, name) [kind] = #name,
static const char *const names[] = {BRANCH_PREDICTORS(TYPE_NAME)};

enum { TYPES = COUNT(names), BRANCH_PC = 0x1000, TAKEN_PC = 0x2000, HALF = 20000 };

static struct branch_unit *unit;
static uint64_t seq;
static uint64_t lag;                     /* branches in flight when one is predicted */
static bool is_speculative = true;       /* speculativeHistory */

static bool is_right(uint64_t pc, bool is_taken)
{
    struct branch_query query = bench_query(BRANCH_DIRECT_COND, pc);
    bool right;

    query.seq = ++seq;
    right = bench_right(unit, &query, is_taken ? TAKEN_PC : pc + 4);
    if (seq > lag)
        branch_unit_train(unit, seq - lag);
    return right;
}

/* Of all rounds the mispredictions of the second half. */
static unsigned wrong_of(unsigned type, void (*round)(unsigned number, unsigned *wrong))
{
    struct branch_params params = bench_params(type);
    unsigned wrong = 0;

    params.speculative_history = is_speculative;
    unit = bench_unit(&params, 8 + lag);
    seq = 0;
    random_state = 1;
    for (unsigned i = 0; i < 2 * HALF; i++) {
        if (i == HALF)
            wrong = 0;
        round(i, &wrong);
    }
    branch_unit_free(unit);
    return wrong;
}

static void expect_at_most(void (*round)(unsigned number, unsigned *wrong), unsigned first_type, unsigned last_type,
                           unsigned most)
{
    for (unsigned type = first_type; type <= last_type; type++) {
        unsigned const wrong = wrong_of(type, round);

        if (wrong > most)
            fail_msg("%s: %u mispredictions, expected at most %u", names[type], wrong, most);
    }
}

static bool one_of(unsigned count)
{
    return (random_bits() >> 33) % count == 0;
}

static void always(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, true);
}

static void never(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, false);
}

static void alternating(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, number % 2);
}

/* A loop of seven iterations. */
static void short_loop(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, number % 7 != 6);
}

/* Of 200: longer than histories of 13 bits, and than what the perceptron's folded ones tell apart. */
static void long_loop(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, number % 200 != 199);
}

/* The third branch goes the way of both before it together. */
static void correlated(unsigned number, unsigned *wrong)
{
    bool const first = one_of(2), second = one_of(2);

    (void)is_right(BRANCH_PC, first);
    (void)is_right(BRANCH_PC + 0x40, second);
    *wrong += !is_right(BRANCH_PC + 0x80, first != second);
}

/* As a branch 40 branches before, of which the others all go one way. */
static void far_correlated(unsigned number, unsigned *wrong)
{
    bool const first = one_of(2);

    (void)is_right(BRANCH_PC, first);
    for (unsigned i = 0; i < 39; i++)
        (void)is_right(BRANCH_PC + 0x40 + 8 * i, true);
    *wrong += !is_right(BRANCH_PC + 0x800, first);
}

/* Taken three times of four, by chance: no predictor does better than one of four wrong. A counter of two bits is
 * wrong three times of ten: its states have shares of 1, 3, 9, 27 of 40. */
static void biased(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, !one_of(4));
}

static void constant_branches_are_learnt_by_all(void **state)
{
    expect_at_most(always, 0, BRANCH_PERFECT, 0);
    expect_at_most(never, 0, BRANCH_PERFECT, 0);
}

static void patterns_are_learnt_by_those_with_a_history(void **state)
{
    expect_at_most(alternating, BRANCH_TOURNAMENT, BRANCH_BIMODE, 0);
    expect_at_most(alternating, BRANCH_GSHARE, BRANCH_PERCEPTRON, 0);
    expect_at_most(short_loop, BRANCH_TOURNAMENT, BRANCH_BIMODE, 0);
    expect_at_most(short_loop, BRANCH_GSHARE, BRANCH_PERCEPTRON, 0);
    /* Without one: at the end of each loop. */
    assert_in_range(wrong_of(BRANCH_LOCAL, short_loop), HALF / 7, HALF / 7 + 1);
}

static void a_loop_longer_than_histories_is_learnt_by_its_own_predictor(void **state)
{
    expect_at_most(long_loop, BRANCH_TAGE_SC_L, BRANCH_TAGE_SC_L, 0);
    assert_int_equal(wrong_of(BRANCH_TOURNAMENT, long_loop), HALF / 200);
    assert_int_equal(wrong_of(BRANCH_GSHARE, long_loop), HALF / 200);
}

static void correlation_is_learnt_by_those_with_a_global_history(void **state)
{
    /* Whole histories index counters, of which each has to learn by itself; not so in the last two. */
    expect_at_most(correlated, BRANCH_TOURNAMENT, BRANCH_BIMODE, HALF / 20);
    expect_at_most(correlated, BRANCH_GSHARE, BRANCH_GSHARE, HALF / 20);
    expect_at_most(correlated, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, HALF / 100);
    assert_in_range(wrong_of(BRANCH_LOCAL, correlated), HALF * 4 / 10, HALF * 6 / 10);
}

static void distant_correlation_is_learnt_by_those_with_a_long_one(void **state)
{
    expect_at_most(far_correlated, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, HALF / 20);
    assert_in_range(wrong_of(BRANCH_GSHARE, far_correlated), HALF * 4 / 10, HALF * 6 / 10);
}

static void random_outcomes_cost_the_expected_share(void **state)
{
    assert_in_range(wrong_of(BRANCH_LOCAL, biased), HALF * 29 / 100, HALF * 31 / 100);
    expect_at_most(biased, BRANCH_TAGE_SC_L, BRANCH_TAGE_SC_L, HALF * 26 / 100);
    expect_at_most(biased, BRANCH_PERCEPTRON, BRANCH_PERCEPTRON, HALF * 31 / 100);
}

/* A loop of eight: its exit shows in the last eight outcomes, which are in flight. */
static void loop_of_eight(unsigned number, unsigned *wrong)
{
    *wrong += !is_right(BRANCH_PC, number % 8 != 7);
}

/* Two loops, of three and of eleven, one after the other. */
static void two_loops(unsigned number, unsigned *wrong)
{
    unsigned const turn = number % 14;

    *wrong += turn < 3 ? !is_right(BRANCH_PC, turn != 2) : !is_right(BRANCH_PC + 0x100, turn != 13);
}

static void patterns_are_learnt_with_branches_in_flight(void **state)
{
    lag = 24;
    expect_at_most(always, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, 0);
    expect_at_most(alternating, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, 0);
    expect_at_most(loop_of_eight, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, 0);
    expect_at_most(two_loops, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, 0);
    expect_at_most(long_loop, BRANCH_TAGE_SC_L, BRANCH_TAGE_SC_L, 0);
    expect_at_most(correlated, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, HALF / 100);
    expect_at_most(far_correlated, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON, HALF / 20);
    lag = 0;
}

/* What the outcome depends on is in flight, so that committed histories do not have it. */
static void committed_histories_miss_what_is_in_flight(void **state)
{
    lag = 24;
    is_speculative = false;
    assert_in_range(wrong_of(BRANCH_TAGE_SC_L, correlated), HALF * 4 / 10, HALF * 6 / 10);
    assert_in_range(wrong_of(BRANCH_PERCEPTRON, correlated), HALF * 4 / 10, HALF * 6 / 10);
    is_speculative = true;
    lag = 0;
}

/* branch_unit.h: "Undoes all younger than seq": of two units one also predicts wrong paths, which are squashed. */
static void wrong_paths_leave_no_trace(void **state)
{
    for (unsigned type = 0; type < TYPES; type++) {
        struct branch_params params = bench_params(type);
        struct branch_unit *straight, *strayed;

        params.ras = RAS_NONE;           /* pushes leave a trace: branch-prediction 7 */
        straight = bench_unit(&params, 64);
        strayed = bench_unit(&params, 64);
        random_state = 7;
        seq = 0;
        for (unsigned i = 0; i < 5000; i++) {
            static const enum branch_class classes[] = {
                BRANCH_DIRECT_COND, BRANCH_DIRECT_COND, BRANCH_DIRECT_UNCOND, BRANCH_CALL_DIRECT, BRANCH_RETURN,
                BRANCH_INDIRECT_UNCOND
            };
            uint64_t const pc = 0x1000 + 4 * random_below(200), target = 0x1000 + 4 * random_below(200);
            struct branch_query query = bench_query(classes[random_below(COUNT(classes))], pc);
            struct branch_answer one, other;

            query.seq = seq += 10;
            query.is_known = true;
            query.is_taken = !query.is_conditional || (pc >> 2 ^ i) % 3 == 0;
            query.next_pc = query.is_taken ? target : query.fall_through;
            one = branch_unit_predict(straight, &query);
            other = branch_unit_predict(strayed, &query);
            assert_int_equal(one.next_pc, other.next_pc);
            assert_int_equal(one.is_taken, other.is_taken);
            if (one.next_pc != query.next_pc) {
                for (uint64_t j = random_below(9); j > 0; j--) {
                    struct branch_query wrong = bench_query(classes[random_below(COUNT(classes))],
                                                            0x1000 + 4 * random_below(200));

                    wrong.seq = seq + 10 - j;
                    (void)branch_unit_predict(strayed, &wrong);
                }
                branch_unit_correct(straight, seq, query.next_pc, query.is_taken);
                branch_unit_correct(strayed, seq, query.next_pc, query.is_taken);
            }
            if (i % 4 == 0) {
                branch_unit_train(straight, seq - 50);
                branch_unit_train(strayed, seq - 50);
            }
        }
        branch_unit_free(straight);
        branch_unit_free(strayed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_branches_are_learnt_by_all),
        cmocka_unit_test(patterns_are_learnt_by_those_with_a_history),
        cmocka_unit_test(a_loop_longer_than_histories_is_learnt_by_its_own_predictor),
        cmocka_unit_test(correlation_is_learnt_by_those_with_a_global_history),
        cmocka_unit_test(distant_correlation_is_learnt_by_those_with_a_long_one),
        cmocka_unit_test(random_outcomes_cost_the_expected_share),
        cmocka_unit_test(patterns_are_learnt_with_branches_in_flight),
        cmocka_unit_test(committed_histories_miss_what_is_in_flight),
        cmocka_unit_test(wrong_paths_leave_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
