/* replay/detailed/branch/branch_unit.h: sequences checked by hand, for each rule of branch-prediction 3 to 5, 10. */
#include "replay/config/branch_params.h"
#include "tests/support/branch_bench.h"

static struct branch_unit *unit;
static uint64_t seq;

static int set_up(void **state)
{
    struct branch_params const params = bench_params(BRANCH_TOURNAMENT);

    unit = bench_unit(&params, 64);
    seq = 0;
    return 0;
}

static int tear_down(void **state)
{
    branch_unit_free(unit);
    return 0;
}

static struct branch_answer predict(enum branch_class class, uint64_t pc)
{
    struct branch_query query = bench_query(class, pc);

    query.seq = ++seq;
    return branch_unit_predict(unit, &query);
}

static void expect(struct branch_answer answer, bool is_taken, uint64_t next_pc)
{
    assert_int_equal(answer.next_pc, next_pc);
    assert_int_equal(answer.is_taken, is_taken);
}

/* 4.6: "predTaken = 0 (also for unconditional jumps on a BTB miss)"; 5.4.9: a direct branch is written */
static void a_jump_that_misses_the_btb_falls_through_until_it_is_corrected(void **state)
{
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), false, 0x1004);
    branch_unit_correct(unit, seq, 0x2000, true);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), true, 0x2000);
    assert_int_equal(branch_unit_stats(unit)->btb_lookups, 2);
    assert_int_equal(branch_unit_stats(unit)->btb_hits, 1);
    assert_int_equal(branch_unit_stats(unit)->btb_updates, 1);
    assert_int_equal(branch_unit_stats(unit)->btb_mispredicted, 1);
    assert_int_equal(branch_unit_stats(unit)->pred_taken_btb_miss, 1);
    assert_int_equal(branch_unit_stats(unit)->btb_class_updates[BRANCH_DIRECT_UNCOND], 1);
    assert_int_equal(branch_unit_stats(unit)->btb_class_misses[BRANCH_DIRECT_UNCOND], 1);
    assert_int_equal(branch_unit_stats(unit)->target_provider[BRANCH_BY_BTB], 1);
    assert_int_equal(branch_unit_stats(unit)->target_provider[BRANCH_BY_NO_TARGET], 1);
    assert_int_equal(branch_unit_stats(unit)->target_wrong[BRANCH_BY_NO_TARGET], 1);
}

/* 2: "two branches at PC and PC+2 inside one aligned word share their BTB entry" */
static void neighbours_in_a_word_share_a_target(void **state)
{
    predict(BRANCH_DIRECT_UNCOND, 0x1000);
    branch_unit_correct(unit, seq, 0x2000, true);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1002), true, 0x2000);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1004), false, 0x1008);
    /* Tags begin at bit 14 and have 16 bits: 2^30 bytes further all is the same. */
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000 + (1 << 14)), false, 0x1004 + (1 << 14));
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000 + (1 << 30)), true, 0x2000);
}

/* 4.4: "push the return address (PC + 2 or PC + 4 as encoded)" */
static void calls_push_what_their_returns_pop(void **state)
{
    struct branch_query call = bench_query(BRANCH_CALL_INDIRECT, 0x3000);

    predict(BRANCH_CALL_DIRECT, 0x1000);
    call.seq = ++seq;
    call.fall_through = 0x3002;
    branch_unit_predict(unit, &call);
    expect(predict(BRANCH_RETURN, 0x4000), true, 0x3002);
    expect(predict(BRANCH_RETURN, 0x4000), true, 0x1004);
    branch_unit_train(unit, seq);
    assert_int_equal(branch_unit_stats(unit)->ras_pushes, 2);
    assert_int_equal(branch_unit_stats(unit)->ras_pops, 2);
    assert_int_equal(branch_unit_stats(unit)->ras_used, 2);
    assert_int_equal(branch_unit_stats(unit)->ras_correct, 2);
    assert_int_equal(branch_unit_stats(unit)->target_provider[BRANCH_BY_RAS], 2);
}

/* 4.4: "Never-written slot: falls back to the BTB target if there was a hit, else step 6" */
static void a_return_from_nowhere_falls_through_or_goes_where_its_neighbour_does(void **state)
{
    expect(predict(BRANCH_RETURN, 0x4000), false, 0x4004);
    branch_unit_correct(unit, seq, 0x9000, true);
    expect(predict(BRANCH_RETURN, 0x4000), false, 0x4004);
    predict(BRANCH_DIRECT_UNCOND, 0x4002);
    branch_unit_correct(unit, seq, 0x5000, true);
    expect(predict(BRANCH_RETURN, 0x4000), true, 0x5000);
    branch_unit_train(unit, seq);
    assert_int_equal(branch_unit_stats(unit)->ras_used, 3);
    assert_int_equal(branch_unit_stats(unit)->ras_incorrect, 1);
}

/* 7: "There is no emptiness test: pop always returns slot[tos], however stale" */
static void the_stack_is_a_ring(void **state)
{
    for (uint64_t i = 1; i <= 17; i++)
        predict(BRANCH_CALL_DIRECT, 0x1000 * i);
    for (uint64_t i = 17; i >= 2; i--)
        expect(predict(BRANCH_RETURN, 0x800), true, 0x1000 * i + 4);
    expect(predict(BRANCH_RETURN, 0x800), true, 0x11004);
}

/* 7: "slots overwritten by wrong-path pushes (after wrong-path pops) stay damaged - except the slots whose pops are
 * undone" */
static void squashes_restore_the_top_and_popped_entries(void **state)
{
    predict(BRANCH_CALL_DIRECT, 0x1000);
    predict(BRANCH_DIRECT_COND, 0x2000);
    expect(predict(BRANCH_RETURN, 0x3000), true, 0x1004);
    predict(BRANCH_CALL_DIRECT, 0x5000);
    branch_unit_squash(unit, 2);
    assert_int_equal(branch_unit_stats(unit)->ras_squashes, 2);
    assert_int_equal(branch_unit_stats(unit)->ras_pushes, 3);
    assert_int_equal(branch_unit_stats(unit)->ras_pops, 2);
    assert_int_equal(branch_unit_stats(unit)->squashes[BRANCH_RETURN], 1);
    assert_int_equal(branch_unit_stats(unit)->squashes[BRANCH_CALL_DIRECT], 1);
    expect(predict(BRANCH_RETURN, 0x3000), true, 0x1004);
    branch_unit_train(unit, seq);
    /* The pop has committed; a push that is undone damages its slot, which 16 pops later is the top. */
    predict(BRANCH_DIRECT_COND, 0x2000);
    predict(BRANCH_CALL_DIRECT, 0x6000);
    branch_unit_squash(unit, seq - 1);
    for (unsigned i = 0; i < 15; i++)
        expect(predict(BRANCH_RETURN, 0x3000), false, 0x3004);
    expect(predict(BRANCH_RETURN, 0x3000), true, 0x6004);
}

/* 1: "it pushes only ... never asks the indirect predictor ... always predicted to fall through" */
static void a_call_that_is_a_return_only_pushes(void **state)
{
    struct branch_query query = bench_query(BRANCH_RETURN, 0x1000);

    query.is_call = true;
    for (unsigned i = 0; i < 40; i++) {
        query.seq = ++seq;
        expect(branch_unit_predict(unit, &query), false, 0x1004);
        branch_unit_correct(unit, seq, 0x2000, true);
        branch_unit_train(unit, seq);
    }
    expect(predict(BRANCH_RETURN, 0x3000), true, 0x1004);
    assert_int_equal(branch_unit_stats(unit)->indirect_lookups, 0);
    assert_int_equal(branch_unit_stats(unit)->ras_used, 0);
}

/* 3: "reported taken, with target PC+2 ... the BTB entry is overwritten with target PC+2" */
static void an_outcome_is_taken_as_it_is_reported(void **state)
{
    for (unsigned round = 0; round < 40; round++) {
        if (predict(BRANCH_DIRECT_COND, 0x1000).next_pc != 0x2000)
            branch_unit_correct(unit, seq, 0x2000, true);
        branch_unit_train(unit, seq);
    }
    expect(predict(BRANCH_DIRECT_COND, 0x1000), true, 0x2000);
    branch_unit_correct(unit, seq, 0x1002, true);
    branch_unit_train(unit, seq);
    /* The histories are still all ones, the counters saturated: taken, to where the correction went. */
    expect(predict(BRANCH_DIRECT_COND, 0x1000), true, 0x1002);
    branch_unit_correct(unit, seq, 0x1004, false);
    assert_int_equal(branch_unit_stats(unit)->taken_mispredicted, 1);
    branch_unit_train(unit, seq);
    /* Not taken is not written. */
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), true, 0x1002);
}

/* 3: "a conditional branch whose direction predictor said taken but whose BTB missed is predicted not taken; if it is
 * in fact not taken, it ... trains as not taken" */
static void a_taken_branch_without_a_target_trains_as_not_taken(void **state)
{
    struct branch_params const params = bench_params(BRANCH_LOCAL);

    branch_unit_free(unit);
    unit = bench_unit(&params, 64);
    /* Jumps 2^14 apart share a BTB entry, those 2^12 apart a counter, which they train, too. */
    for (unsigned i = 0; i < 3; i++) {
        predict(BRANCH_DIRECT_UNCOND, 0x1000);
        branch_unit_correct(unit, seq, 0x2000, true);
    }
    branch_unit_train(unit, seq);
    for (unsigned i = 0; i < 3; i++) {
        expect(predict(BRANCH_DIRECT_COND, 0x1000 + (1 << 14)), false, 0x1004 + (1 << 14));
        branch_unit_train(unit, seq);
        assert_int_equal(branch_unit_stats(unit)->cond_predicted_taken, i < 2 ? i + 1 : 2);
    }
    assert_int_equal(branch_unit_stats(unit)->cond_predicted, 3);
}

/* 5.4: an entry corrected twice; "If hist is empty: stop" */
static void corrections_count_each_time(void **state)
{
    const struct branch_stats *const stats = branch_unit_stats(unit);

    branch_unit_correct(unit, 5, 0x1000, true);
    assert_int_equal(stats->cond_incorrect, 1);
    assert_int_equal(stats->not_taken_mispredicted, 0);
    seq = 10;
    predict(BRANCH_DIRECT_UNCOND, 0x1000);
    predict(BRANCH_RETURN, 0x1004);
    branch_unit_correct(unit, 11, 0x2000, true);
    branch_unit_correct(unit, 11, 0x2000, true);
    assert_int_equal(stats->cond_incorrect, 3);
    assert_int_equal(stats->corrected[BRANCH_DIRECT_UNCOND], 2);
    assert_int_equal(stats->not_taken_mispredicted, 2);
    assert_int_equal(stats->target_wrong[BRANCH_BY_NO_TARGET], 1);
    assert_int_equal(stats->squashes[BRANCH_RETURN], 1);
    predict(BRANCH_DIRECT_COND, 0x3000);
    branch_unit_train(unit, 11);
    assert_int_equal(stats->committed[BRANCH_DIRECT_UNCOND], 1);
    assert_int_equal(stats->mispredicted[BRANCH_DIRECT_UNCOND], 1);
    assert_int_equal(stats->committed[BRANCH_DIRECT_COND], 0);
    branch_unit_train(unit, UINT64_MAX);
    assert_int_equal(stats->committed[BRANCH_DIRECT_COND], 1);
    assert_int_equal(stats->mispredicted[BRANCH_DIRECT_COND], 0);
}

/* 4.5, 8: an indirect jump misses until its target was recorded under the same directions and path */
static void an_indirect_jump_is_learnt_by_its_correction(void **state)
{
    const struct branch_stats *const stats = branch_unit_stats(unit);

    for (unsigned i = 0; i < 9; i++) {
        expect(predict(BRANCH_INDIRECT_UNCOND, 0x1000), false, 0x1004);
        branch_unit_correct(unit, seq, 0x2000, true);
    }
    /* Of 13 directions the set has 8, and they are all taken since the ninth; the path is three times the same. */
    expect(predict(BRANCH_INDIRECT_UNCOND, 0x1000), true, 0x2000);
    assert_int_equal(stats->indirect_lookups, 10);
    assert_int_equal(stats->indirect_hits, 1);
    assert_int_equal(stats->indirect_misses, 9);
    assert_int_equal(stats->target_provider[BRANCH_BY_INDIRECT], 1);
    assert_int_equal(stats->btb_updates, 0);
    /* A branch that is not taken changes the history, even if it is no indirect jump. */
    predict(BRANCH_DIRECT_COND, 0x4000);
    expect(predict(BRANCH_INDIRECT_UNCOND, 0x1000), false, 0x1004);
    branch_unit_squash(unit, seq - 2);
    expect(predict(BRANCH_INDIRECT_UNCOND, 0x1000), true, 0x2000);
}

/* parts.h: parts that are left out never hit; the BTB has what no other part has a target for */
static void a_unit_without_stack_and_indirect_predictor_uses_its_btb(void **state)
{
    struct branch_params params = bench_params(BRANCH_TOURNAMENT);

    params.ras = RAS_NONE;
    params.indirect = INDIRECT_NONE;
    branch_unit_free(unit);
    unit = bench_unit(&params, 64);
    predict(BRANCH_CALL_INDIRECT, 0x1000);
    branch_unit_correct(unit, seq, 0x2000, true);
    predict(BRANCH_RETURN, 0x2000);
    branch_unit_correct(unit, seq, 0x1004, true);
    expect(predict(BRANCH_CALL_INDIRECT, 0x1000), true, 0x2000);
    expect(predict(BRANCH_RETURN, 0x2000), true, 0x1004);
    assert_int_equal(branch_unit_stats(unit)->ras_pushes + branch_unit_stats(unit)->ras_pops, 0);
    assert_int_equal(branch_unit_stats(unit)->indirect_lookups, 0);
    params.btb = BTB_NONE;
    branch_unit_free(unit);
    unit = bench_unit(&params, 64);
    predict(BRANCH_DIRECT_UNCOND, 0x1000);
    branch_unit_correct(unit, seq, 0x2000, true);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), false, 0x1004);
}

static struct branch_answer predict_known(enum branch_class class, uint64_t pc, uint64_t next_pc)
{
    struct branch_query query = bench_query(class, pc);

    query.seq = ++seq;
    query.is_known = true;
    query.next_pc = next_pc;
    query.is_taken = next_pc != query.fall_through;
    return branch_unit_predict(unit, &query);
}

/* known.c: "perfect: what the trace says"; on wrong paths not taken, or the BTB */
static void perfect_is_right_where_the_trace_knows(void **state)
{
    struct branch_params const params = bench_params(BRANCH_PERFECT);

    branch_unit_free(unit);
    unit = bench_unit(&params, 64);
    expect(predict_known(BRANCH_DIRECT_COND, 0x1000, 0x2000), true, 0x2000);
    expect(predict_known(BRANCH_DIRECT_COND, 0x1000, 0x1004), false, 0x1004);
    expect(predict_known(BRANCH_INDIRECT_UNCOND, 0x1000, 0x5000), true, 0x5000);
    expect(predict_known(BRANCH_RETURN, 0x1000, 0x6000), true, 0x6000);
    expect(predict(BRANCH_DIRECT_COND, 0x1000), false, 0x1004);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), false, 0x1004);
    branch_unit_correct(unit, seq, 0x7000, true);
    expect(predict(BRANCH_DIRECT_UNCOND, 0x1000), true, 0x7000);
    expect(predict(BRANCH_DIRECT_COND, 0x1000), false, 0x1004);
}

/* known.c: "mispredictRate of each 100000 conditional branches go the other way"; "Squashes undo the sum" */
static void trace_mispredicts_its_share(void **state)
{
    struct branch_params params = bench_params(BRANCH_TRACE);
    unsigned wrong = 0;

    params.mispredict_rate = 25000;
    branch_unit_free(unit);
    unit = bench_unit(&params, 64);
    for (unsigned i = 0; i < 400; i++) {
        uint64_t const next_pc = i % 3 ? 0x2000 : 0x1004;
        struct branch_answer const answer = predict_known(BRANCH_DIRECT_COND, 0x1000, next_pc);

        if (i % 5 == 0) {                /* fetched again */
            branch_unit_squash(unit, seq - 1);
            expect(predict_known(BRANCH_DIRECT_COND, 0x1000, next_pc), answer.is_taken, answer.next_pc);
        }
        if (answer.next_pc != next_pc) {
            wrong++;
            branch_unit_correct(unit, seq, next_pc, next_pc == 0x2000);
        }
        branch_unit_train(unit, seq);
    }
    assert_int_equal(wrong, 100);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* ---- branchPred.train: trace_order */
enum { ORDERED = 3000, MOST_OPEN = 40 };

/* Loops, calls and returns, and random outcomes of a few branches. */
static struct branch_query ordered_query(uint64_t number)
{
    static const enum branch_class classes[] = {BRANCH_DIRECT_COND, BRANCH_CALL_DIRECT, BRANCH_DIRECT_COND,
                                                BRANCH_INDIRECT_UNCOND, BRANCH_RETURN, BRANCH_DIRECT_UNCOND};
    uint64_t const pc = 0x1000 + number % 6 * 0x100, bits = number * UINT64_C(0x9e3779b97f4a7c15) >> 60;
    struct branch_query query = bench_query(classes[number % 6], pc);

    query.number = number;
    query.is_known = true;
    query.is_taken = query.class != BRANCH_DIRECT_COND || (number % 12 < 6 ? number % 8 != 0 : bits > 9);
    query.next_pc = !query.is_taken ? query.fall_through : query.class == BRANCH_RETURN ? 0x1104
                    : query.class == BRANCH_INDIRECT_UNCOND ? 0x8000 + bits % 3 * 64 : pc + 0x400;
    return query;
}

/* Predictions of all branches; `is_late`: corrections and training come later, and some are fetched again. */
static void run_ordered(enum branch_predictor type, bool is_late, bool speculates, struct branch_answer *answers)
{
    struct branch_params params = bench_params(type);
    struct branch_unit *own;
    uint64_t own_seq = 0, done = 0, first_open = 0, again = 0, open_seq[ORDERED];

    params.training = TRAIN_TRACE_ORDER;
    params.speculative_history = speculates;
    own = bench_unit(&params, 2 * MOST_OPEN);
    for (uint64_t number = 0; number < ORDERED; number++) {
        struct branch_query query = ordered_query(number);

        query.seq = open_seq[number] = ++own_seq;
        answers[number] = branch_unit_predict(own, &query);
        if (answers[number].next_pc != query.next_pc)
            branch_unit_correct(own, own_seq, query.next_pc, query.is_taken);
        if (is_late && number % 37 == 36 && number - first_open > 8 && number != again) {
            branch_unit_squash(own, open_seq[number - 5]);       /* the last five come again */
            again = number;
            number -= 5;
        }
        if (!is_late || number - first_open > MOST_OPEN / 2) {
            done = number < MOST_OPEN / 4 || !is_late ? number : number - MOST_OPEN / 4;
            branch_unit_train(own, open_seq[done]);
            first_open = done + 1;
        }
    }
    branch_unit_free(own);
}

/* "mispredictions depend on the trace alone, not on time" */
static void order_of_the_trace_is_all_that_counts(void **state)
{
    static const enum branch_predictor types[] = {BRANCH_TOURNAMENT, BRANCH_BIMODE, BRANCH_LOCAL, BRANCH_GSHARE,
                                                  BRANCH_TAGE, BRANCH_TAGE_SC_L, BRANCH_PERCEPTRON};
    static struct branch_answer at_once[ORDERED], late[ORDERED];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned speculates = 0; speculates <= 1; speculates++) {
            unsigned wrong = 0;

            run_ordered(types[i], false, speculates, at_once);
            run_ordered(types[i], true, speculates, late);
            for (unsigned number = 0; number < ORDERED; number++) {
                assert_int_equal(at_once[number].next_pc, late[number].next_pc);
                assert_int_equal(at_once[number].is_taken, late[number].is_taken);
                wrong += at_once[number].next_pc != ordered_query(number).next_pc;
            }
            assert_in_range(wrong, 50, ORDERED / 3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(a_jump_that_misses_the_btb_falls_through_until_it_is_corrected),
        UNIT(neighbours_in_a_word_share_a_target),
        UNIT(calls_push_what_their_returns_pop),
        UNIT(a_return_from_nowhere_falls_through_or_goes_where_its_neighbour_does),
        UNIT(the_stack_is_a_ring),
        UNIT(squashes_restore_the_top_and_popped_entries),
        UNIT(a_call_that_is_a_return_only_pushes),
        UNIT(an_outcome_is_taken_as_it_is_reported),
        UNIT(a_taken_branch_without_a_target_trains_as_not_taken),
        UNIT(corrections_count_each_time),
        UNIT(an_indirect_jump_is_learnt_by_its_correction),
        UNIT(a_unit_without_stack_and_indirect_predictor_uses_its_btb),
        UNIT(perfect_is_right_where_the_trace_knows),
        UNIT(trace_mispredicts_its_share),
        UNIT(order_of_the_trace_is_all_that_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
