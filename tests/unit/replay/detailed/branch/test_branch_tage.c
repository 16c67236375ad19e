/* replay/detailed/branch/tage.h: TAGE, loop predictor, corrector, each alone, without the others to help. */
#include "replay/detailed/branch/tage.h"
#include "tests/support/branch_bench.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

static bool one_of(unsigned count)
{
    return (random_bits() >> 33) % count == 0;
}

static struct tage_history history;

static struct tage *fresh_tage_with(const struct branch_params *params)
{
    struct tage *const tage = tage_new(params);

    assert_non_null(tage);
    memset(&history, 0, sizeof history);
    return tage;
}

static struct tage *fresh_tage_of(unsigned longest, unsigned bank_bits)
{
    struct branch_params params = bench_params(BRANCH_TAGE_SC_L);

    params.tage_longest = longest;
    params.tage_bank_bits = bank_bits;
    return fresh_tage_with(&params);
}

static struct tage *fresh_tage(void)
{
    return fresh_tage_of(3000, 10);
}

static void push(struct tage *tage, struct tage_history *to, uint64_t pc, bool is_taken)
{
    struct branch_outcome const outcome = {.pc = pc, .target = is_taken ? pc + 0x100 : pc + 4, .is_taken = is_taken};

    tage_push(tage, to, &outcome);
}

/* Predicts, trains, pushes; whether it was right. */
static bool is_right(struct tage *tage, uint64_t pc, bool is_taken)
{
    struct tage_lookup lookup;

    tage_lookup(tage, &history, &lookup, pc);
    tage_train(tage, &lookup, is_taken, lookup.is_taken == is_taken);
    push(tage, &history, pc, is_taken);
    return lookup.is_taken == is_taken;
}

/* A branch that goes as another did `distance` branches before: mispredictions in 2000 rounds. */
static unsigned wrong_at(struct tage *tage, unsigned distance)
{
    unsigned wrong = 0;

    random_state = 1;
    for (unsigned round = 0; round < 4000; round++) {
        bool const first = one_of(2);

        (void)is_right(tage, 0x1000, first);
        for (unsigned j = 0; j < distance; j++)
            (void)is_right(tage, 0x2000 + 4 * j, true);
        wrong += !is_right(tage, 0x1a34, first) && round >= 2000;
    }
    tage_free(tage);
    return wrong;
}

/* tage.h: "the longest match predicts": correlations at any distance, which the bimodal table cannot have */
static void distant_correlations_are_learnt(void **state)
{
    static const unsigned distances[] = {1, 10, 100, 400};

    for (size_t i = 0; i < COUNT(distances); i++)
        assert_in_range(wrong_at(fresh_tage(), distances[i]), 0, 100);
}

/* maxHist: a branch has two bits of a history. logTagTableSize: the largest works, too. */
static void lengths_and_sizes_are_those_of_the_keys(void **state)
{
    assert_in_range(wrong_at(fresh_tage_of(60, 10), 10), 0, 100);
    assert_in_range(wrong_at(fresh_tage_of(18, 10), 10), 800, 1200);
    assert_in_range(wrong_at(fresh_tage_of(3000, 15), 100), 0, 100);
}

/* The bimodal table is enough for what always goes one way: nothing is allocated. */
static void constant_branches_need_no_entry(void **state)
{
    struct tage *const tage = fresh_tage();
    struct tage_lookup lookup;

    for (unsigned round = 0; round < 100; round++)
        (void)is_right(tage, 0x1000, false);
    tage_lookup(tage, &history, &lookup, 0x1000);
    assert_int_equal(lookup.provider, -1);
    assert_int_equal(lookup.confidence, TAGE_HIGH);
    assert_false(lookup.is_taken);
    tage_free(tage);
}

/* tage.c: "a bit that enters and the bit that leaves are all that changes": a table sees its length and no more */
static void a_table_sees_as_many_bits_as_its_length(void **state)
{
    /* Lengths: 6, 12, 26, 26, 37, 37, 54, 54, 78, 78, 112, 112, 161, 161, 232, 232, 335, 482, 695, 1444, 3000. Branches
     * have two bits each, of which the older one has the direction. */
    static const struct { unsigned age, equal; } cases[] = {{5, 1}, {50, 10}, {500, 19}, {1400, 20}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tage *const tage = fresh_tage();
        struct tage_history changed = history;
        struct tage_lookup first, second;
        unsigned equal = 0, seen = 0;

        for (unsigned j = 0; j < 2000; j++) {
            bool const is_taken = j * j % 7 < 3;
            uint64_t const pc = 0x1000 + 8 * (j % 37);

            push(tage, &history, pc, is_taken);
            push(tage, &changed, pc, is_taken != (1999 - j == cases[i].age || 1999 - j > 1600));
        }
        tage_lookup(tage, &history, &first, 0x1a34);
        tage_lookup(tage, &changed, &second, 0x1a34);
        for (unsigned j = 0; j < TAGE_TABLES; j++) {
            bool const is_equal = first.index[j] == second.index[j] && first.tag[j] == second.tag[j];

            /* Tables are in the order of their lengths. */
            if (is_equal && j == equal)
                equal++;
            seen += !is_equal;
        }
        assert_int_equal(equal + seen, TAGE_TABLES);
        assert_int_equal(equal, cases[i].equal);
        tage_free(tage);
    }
}

/* A branch that goes by chance, the same way in each pass, and one that is always taken behind it: mispredictions of
 * the fourth pass, and how many of its look-ups were late. */
static unsigned wrong_of_pattern(const struct branch_params *params, unsigned length, unsigned *late)
{
    struct tage *const tage = fresh_tage_with(params);
    unsigned wrong = 0;

    *late = 0;
    for (unsigned pass = 0; pass < 4; pass++) {
        random_state = 1;
        for (unsigned i = 0; i < length; i++) {
            bool const is_taken = one_of(2);
            struct tage_lookup lookup;

            tage_lookup(tage, &history, &lookup, 0x1000);
            *late += lookup.is_late && pass == 3;
            wrong += !is_right(tage, 0x1000, is_taken) && pass == 3;
            (void)is_right(tage, 0x1010, true);
        }
    }
    tage_free(tage);
    return wrong;
}

/* tage.c: "in a fold of ten or twelve bits meets the same few of its bits again and again": not in those of `tage` */
static void long_patterns_are_learnt_with_odd_folds(void **state)
{
    struct branch_params const odd = bench_params(BRANCH_TAGE), even = bench_params(BRANCH_TAGE_SC_L);
    unsigned late;

    assert_in_range(wrong_of_pattern(&odd, 4000, &late), 0, 40);
    assert_int_equal(late, 0);
    assert_in_range(wrong_of_pattern(&even, 4000, &late), 400, 2000);
}

/* tage.c: "a prediction of the latter that differs is late": of a pattern that the tables of short histories know,
 * hardly any; of a long one half, as they say one thing or the other */
static void what_long_histories_alone_know_is_late(void **state)
{
    struct branch_params params = bench_params(BRANCH_TAGE);
    unsigned late;

    params.first_history = 50;
    assert_in_range(wrong_of_pattern(&params, 16, &late), 0, 0);
    assert_in_range(late, 0, 1);
    assert_in_range(wrong_of_pattern(&params, 4000, &late), 0, 40);
    assert_in_range(late, 1000, 2400);
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

/* A run of a loop with as many iterations; answers how many iterations were predicted wrongly, if the predictor is
 * sure. */
static unsigned run_loop(struct loop_predictor *loops, unsigned trips, unsigned *sure)
{
    unsigned wrong = 0;

    *sure = 0;
    for (unsigned i = 1; i <= trips; i++) {
        bool const is_taken = i < trips;
        struct loop_lookup lookup;

        loop_lookup(loops, NULL, &lookup, 0x1234);
        *sure += lookup.is_sure;
        wrong += lookup.is_sure && lookup.is_taken != is_taken;
        loop_train(loops, &lookup, is_taken, true, 0);
    }
    return wrong;
}

/* tage.h: "an entry counts iterations and, once sure, predicts the exit" */
static void a_loop_is_sure_when_its_trips_were_confirmed(void **state)
{
    struct loop_predictor loops = {0};
    unsigned sure;

    (void)run_loop(&loops, 50, &sure);   /* allocated at its end */
    (void)run_loop(&loops, 50, &sure);   /* counted */
    for (unsigned i = 0; i < 3; i++) {   /* confirmed */
        (void)run_loop(&loops, 50, &sure);
        assert_int_equal(sure, 0);
    }
    for (unsigned i = 0; i < 20; i++) {  /* 3 times 50 is more than 128 */
        assert_int_equal(run_loop(&loops, 50, &sure), 0);
        assert_int_equal(sure, 50);
    }
    /* Another length: wrong once, then not sure. */
    assert_int_equal(run_loop(&loops, 40, &sure), 1);
    (void)run_loop(&loops, 40, &sure);
    assert_int_equal(sure, 0);
}

static void a_loop_that_varies_is_never_sure(void **state)
{
    struct loop_predictor loops = {0};
    unsigned sure;

    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(run_loop(&loops, 30 + i % 3, &sure), 0);
        assert_int_equal(sure, 0);
    }
}

/* --- corrector ---------------------------------------------------------------------------------------------------- */

static struct corrector corrector;
static struct corrector_history corrector_past;

/* TAGE says taken, and is sure; what the corrector makes of it. */
static bool corrected(bool is_taken)
{
    struct tage_lookup const tage = {.provider = 3, .alternate = -1, .confidence = TAGE_HIGH, .provider_says = true,
                                     .is_taken = true};
    struct branch_outcome const outcome = {.pc = 0x1234, .is_conditional = true, .is_taken = is_taken};
    struct corrector_lookup lookup = {.before = true};

    corrector_lookup(&corrector, &corrector_past, 0, &lookup, 0x1234, &tage);
    corrector_train(&corrector, &lookup, is_taken, TAGE_HIGH);
    corrector_push(&corrector_past, &outcome);
    return lookup.is_taken;
}

/* tage.h: "turn a prediction that they know to be often wrong" */
static void predictions_that_are_wrong_are_turned_and_others_are_not(void **state)
{
    unsigned turned = 0;

    memset(&corrector, 0, sizeof corrector);
    memset(&corrector_past, 0, sizeof corrector_past);
    corrector_init(&corrector);
    for (unsigned i = 0; i < 200; i++)
        assert_true(corrected(true));
    memset(&corrector, 0, sizeof corrector);
    memset(&corrector_past, 0, sizeof corrector_past);
    corrector_init(&corrector);
    for (unsigned i = 0; i < 200; i++)
        turned += !corrected(false) && i >= 100;
    assert_int_equal(turned, 100);
    /* And back. */
    for (unsigned i = 0; i < 200; i++)
        turned += corrected(true) && i >= 100;
    assert_int_equal(turned, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distant_correlations_are_learnt),
        cmocka_unit_test(lengths_and_sizes_are_those_of_the_keys),
        cmocka_unit_test(constant_branches_need_no_entry),
        cmocka_unit_test(a_table_sees_as_many_bits_as_its_length),
        cmocka_unit_test(long_patterns_are_learnt_with_odd_folds),
        cmocka_unit_test(what_long_histories_alone_know_is_late),
        cmocka_unit_test(a_loop_is_sure_when_its_trips_were_confirmed),
        cmocka_unit_test(a_loop_that_varies_is_never_sure),
        cmocka_unit_test(predictions_that_are_wrong_are_turned_and_others_are_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
