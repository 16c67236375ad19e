/* replay/detailed/branch/parts.h, counter.h, replay/config/branch_params.h: tables, ways, random
 * numbers, checks. */
#include "replay/config/branch_params.h"
#include "replay/config/config.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"
#include "tests/support/branch_bench.h"

/* counter.h: "The sequence of the GNU C library's rand() with its seed of 1" */
static void random_numbers_are_those_of_rand(void **state)
{
    static const uint32_t first[] = {1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335};
    struct additive_random random;

    additive_random_init(&random);
    for (size_t i = 0; i < COUNT(first); i++)
        assert_int_equal(additive_random_next(&random), first[i]);
#ifdef __GLIBC__
    srand(1);
    for (size_t i = 0; i < COUNT(first); i++)
        (void)rand();
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(additive_random_next(&random), rand());
#endif
}

static void counters_stay_within_their_bits(void **state)
{
    uint8_t counter = 0;
    int8_t number = 0;

    assert_int_equal(counter_highest(2), 3);
    counter_step(&counter, 3, false);
    assert_int_equal(counter, 0);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(counter_is_yes(counter, 3), i >= 2);
        counter_step(&counter, 3, true);
    }
    assert_int_equal(counter, 3);
    for (unsigned i = 0; i < 9; i++)
        counter_step_signed(&number, 3, true);
    assert_int_equal(number, 3);
    for (unsigned i = 0; i < 9; i++)
        counter_step_signed(&number, 3, false);
    assert_int_equal(number, -4);
}

/* btb_set_associative.c: "the way whose last hit or write is longest ago is replaced" */
static void sets_replace_the_least_recently_used_way(void **state)
{
    struct branch_params params = bench_params(BRANCH_LOCAL);
    uint64_t target = 7;
    void *btb;

    params.btb_entries = 8;
    params.btb_ways = 2;
    btb = btb_set_associative.new(&params);
    assert_false(btb_set_associative.lookup(btb, 0, &target));
    assert_int_equal(target, 7);
    btb_set_associative.update(btb, 0x000, 0xa);     /* four sets of words: 16 bytes apart is one set */
    btb_set_associative.update(btb, 0x010, 0xb);
    assert_true(btb_set_associative.lookup(btb, 0x000, &target));
    assert_int_equal(target, 0xa);
    btb_set_associative.update(btb, 0x020, 0xc);
    btb_set_associative.update(btb, 0x004, 0xd);
    assert_false(btb_set_associative.lookup(btb, 0x010, &target));
    assert_true(btb_set_associative.lookup(btb, 0x000, &target));
    btb_set_associative.update(btb, 0x000, 0xe);     /* in its place */
    assert_true(btb_set_associative.lookup(btb, 0x020, &target));
    assert_int_equal(target, 0xc);
    assert_true(btb_set_associative.lookup(btb, 0x000, &target));
    assert_int_equal(target, 0xe);
    btb_set_associative.free(btb);
}

static void record(void *predictor, uint64_t pc, uint64_t target)
{
    struct branch_query const query = bench_query(BRANCH_INDIRECT_UNCOND, pc);
    struct indirect_state state;

    indirect_path.shift(predictor, &state, &query, false, pc + 4);
    indirect_path.correct(predictor, &state, pc, true, target);
    indirect_path.undo(predictor, &state);
}

static uint64_t looked_up(void *predictor, uint64_t pc)
{
    struct branch_query const query = bench_query(BRANCH_INDIRECT_UNCOND, pc);
    uint64_t target = 0;

    return indirect_path.lookup(predictor, &query, &target) ? target : 0;
}

/* branch-prediction 8: "first way with equal tag (written or not; fresh ways have tag 0) gets the target, else a random
 * way (C library rand() modulo 2)" */
static void targets_go_to_equal_tags_or_random_ways(void **state)
{
    struct branch_params const params = bench_params(BRANCH_LOCAL);
    void *const predictor = indirect_path.new(&params, 8);

    /* 256 sets of words: 0x400 apart is one set; 0x40000 apart has tag 0 in set 0, too. */
    record(predictor, 0x0, 0x10);                    /* tag 0: way 0, and no random number */
    assert_int_equal(looked_up(predictor, 0x0), 0x10);
    record(predictor, 0x400, 0x20);                  /* 1804289383: way 1 */
    assert_int_equal(looked_up(predictor, 0x0), 0x10);
    assert_int_equal(looked_up(predictor, 0x400), 0x20);
    record(predictor, 0x400, 0x21);                  /* its own way */
    record(predictor, 0x800, 0x30);                  /* 846930886: way 0 */
    assert_int_equal(looked_up(predictor, 0x0), 0);
    assert_int_equal(looked_up(predictor, 0x400), 0x21);
    record(predictor, 0xc00, 0x40);                  /* 1681692777: way 1 */
    assert_int_equal(looked_up(predictor, 0x400), 0);
    assert_int_equal(looked_up(predictor, 0x800), 0x30);
    assert_int_equal(looked_up(predictor, 0xc00), 0x40);
    assert_int_equal(looked_up(predictor, 0x40800), 0x30);
    indirect_path.free(predictor);
}

/* branch-prediction 8: set(pc) = ((pc >> 2) ^ ghr ^ (t0 >> 2) ^ (t1 >> 4) ^ (t2 >> 6)) & 255 */
static void the_set_is_made_of_pc_directions_and_path(void **state)
{
    static const uint64_t path[] = {0x1230, 0x4560, 0x7890, 0xabc0};     /* the last is t0 */
    struct branch_params const params = bench_params(BRANCH_LOCAL);
    void *const predictor = indirect_path.new(&params, 8);
    struct branch_query query = bench_query(BRANCH_INDIRECT_UNCOND, 0x5000);
    struct indirect_state states[5], first;
    uint64_t const hash = (0x3210 >> 2) ^ 0x1d ^ (0xabc0 >> 2) ^ (0x7890 >> 4) ^ (0x4560 >> 6);

    for (unsigned i = 0; i < 4; i++)     /* 1, 1, 1, 0 and, of a branch, 1 */
        indirect_path.shift(predictor, &states[i], &query, i < 3, path[i]);
    query = bench_query(BRANCH_DIRECT_COND, 0x6000);
    indirect_path.shift(predictor, &states[4], &query, true, 0x9999);
    record(predictor, 0x3210, 0x77);
    assert_int_equal(looked_up(predictor, 0x3210), 0x77);
    /* Another pc with the tag of the first, 2^18 bytes on, has the same set; in that set it is found. */
    assert_int_equal(looked_up(predictor, 0x3210 + (1 << 18)), 0x77);
    /* Undone, the pc alone makes the set: the tag of 0x3210 is in set hash & 255, where no other pc finds it. */
    for (unsigned i = 5; i-- > 0;)
        indirect_path.undo(predictor, &states[i]);
    assert_int_equal(looked_up(predictor, 0x3210), 0);
    /* Directions alone lead there: eight of them make any set. */
    query = bench_query(BRANCH_DIRECT_COND, 0x6000);
    for (unsigned i = 8; i-- > 0;)
        indirect_path.shift(predictor, &first, &query, ((hash ^ 0x3210 >> 2) >> i & 1) != 0, 0);
    assert_int_equal(looked_up(predictor, 0x3210), 0x77);
    indirect_path.free(predictor);
}

static void expect_refused(const struct branch_params *params, const char *text)
{
    struct fault const fault = branch_params_check(params);

    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), text);
}

/* branch_params.h: "Fails with the key that does not fit and values that do" */
static void sizes_that_do_not_fit_are_refused_by_name(void **state)
{
    struct branch_params params;

    for (unsigned type = 0; type <= BRANCH_TRACE; type++) {
        params = bench_params(type);
        assert_fine(branch_params_check(&params));
    }
    params = bench_params(BRANCH_TOURNAMENT);
    params.btb_entries = 5000;
    expect_refused(&params, "branchPred.BTBEntries: 5000 is not a power of two");
    expect_refused(&params, "give 4096 or 8192");
    params.btb = BTB_NONE;
    assert_fine(branch_params_check(&params));
    params = bench_params(BRANCH_TOURNAMENT);
    params.btb = BTB_SET_ASSOCIATIVE;
    params.btb_ways = 3;
    expect_refused(&params, "branchPred.BTBWays: 3");
    params.btb_entries = 2;
    params.btb_ways = 4;
    expect_refused(&params, "branchPred.BTBWays: 4 ways do not fit BTBEntries = 2");
    params = bench_params(BRANCH_TOURNAMENT);
    params.indirect_sets = 100;
    expect_refused(&params, "branchPred.indirectSets: 100");
    params = bench_params(BRANCH_TOURNAMENT);
    params.local_counters = 3000;
    expect_refused(&params, "branchPred.localPredictorSize: 3000");
    params = bench_params(BRANCH_TOURNAMENT);
    params.local_histories = 3000;
    expect_refused(&params, "branchPred.localHistoryTableSize: 3000");
    params = bench_params(BRANCH_BIMODE);
    params.local_histories = 3000;
    assert_fine(branch_params_check(&params));
    params.global_counters = 3000;
    expect_refused(&params, "branchPred.globalPredictorSize: 3000");
    params = bench_params(BRANCH_BIMODE);
    params.choice_counters = 3000;
    expect_refused(&params, "branchPred.choicePredictorSize: 3000");
    params = bench_params(BRANCH_LOCAL);
    params.local_bits = 3;
    expect_refused(&params, "branchPred.localPredictorSize: 2048 bits");
    params.local_counters = 3072;
    assert_fine(branch_params_check(&params));
    params = bench_params(BRANCH_GSHARE);
    params.gshare_history_bits = 14;
    expect_refused(&params, "branchPred.gshareHistoryBits: 14");
    params.gshare_counters = 3000;
    expect_refused(&params, "branchPred.gsharePredictorSize: 3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_those_of_rand),
        cmocka_unit_test(counters_stay_within_their_bits),
        cmocka_unit_test(sets_replace_the_least_recently_used_way),
        cmocka_unit_test(targets_go_to_equal_tags_or_random_ways),
        cmocka_unit_test(the_set_is_made_of_pc_directions_and_path),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
