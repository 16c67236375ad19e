/* memsys/prefetch/prefetcher.h: when a kind is trained, and the queue with its filters (classic-memory 13.1, 13.2,
 * 13.5). */
#include "memsys/prefetch/prefetch_params.h"
#include "replay/config/tables.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x10000)

static void start(struct prefetch_bench *bench, uint32_t degree, uint32_t queue_size)
{
    prefetch_bench_init_params(bench, (struct prefetcher_params){.type = PREFETCHER_TAGGED, .degree = degree,
                                                                 .queue_size = queue_size, .latency_cyc = 3});
}

static void observe(struct prefetch_bench *bench, struct request request, enum command command,
                    enum bench_outcome outcome)
{
    request.address = BASE;
    request.size_bytes = 8;
    request.requestor = bench->core;
    prefetcher_observe(bench->prefetcher,
                       &(struct prefetch_event){.request = &request, .command = command,
                                                .is_miss = outcome == BENCH_MISS,
                                                .was_prefetched = outcome == BENCH_FIRST_HIT});
}

/* "tick = now + latency*P"; "take() pops the head even if tick > now" */
static void candidate_is_ready_after_the_latency(void **state)
{
    struct prefetch_bench bench;
    struct prefetch_candidate candidate;

    start(&bench, 1, 8);
    assert_int_equal(prefetcher_next_ps(bench.prefetcher), TICK_NEVER);
    bench.sim.events.now_ps = 1250;
    prefetch_bench_access(&bench, BASE + 8, 0x1234, BENCH_MISS);
    assert_int_equal(prefetcher_next_ps(bench.prefetcher), 1250 + 3 * BENCH_PERIOD_PS);
    assert_true(prefetcher_take(bench.prefetcher, &candidate));
    assert_int_equal(candidate.line_address, BASE + BENCH_LINE);
    assert_int_equal(candidate.pc, 0x1234);
    assert_true(candidate.has_pc);
    assert_int_equal(bench.prefetcher->stats.issued, 1);
    assert_false(prefetcher_take(bench.prefetcher, &candidate));
    assert_int_equal(bench.prefetcher->stats.issued, 1);
    prefetch_bench_free(&bench);
}

/* "remove all queue entries whose line == block" */
static void demand_removes_its_candidate(void **state)
{
    struct prefetch_bench bench;

    start(&bench, 3, 8);
    prefetch_bench_miss(&bench, BASE);
    prefetch_bench_miss(&bench, BASE + 2 * BENCH_LINE + 4);
    assert_int_equal(bench.prefetcher->stats.removed_by_demand, 1);
    PREFETCH_EXPECT(&bench, BASE, 1, 3, 4, 5);
    prefetch_bench_free(&bench);
}

/* "candidates found in the queue, except a match with the entry at its tail" */
static void repeated_candidate_is_counted_but_at_the_tail(void **state)
{
    struct prefetch_bench bench;

    start(&bench, 2, 8);
    prefetch_bench_miss(&bench, BASE);
    prefetch_bench_miss(&bench, BASE);           /* lines 1 and 2 again: only 1 is not the tail */
    assert_int_equal(bench.prefetcher->stats.identified, 4);
    assert_int_equal(bench.prefetcher->stats.already_queued, 1);
    PREFETCH_EXPECT(&bench, BASE, 1, 2);
    prefetch_bench_free(&bench);
}

/* "if queue has queue_size entries: drop the oldest" */
static void full_queue_drops_the_oldest(void **state)
{
    struct prefetch_bench bench;

    start(&bench, 3, 2);
    prefetch_bench_miss(&bench, BASE);
    assert_int_equal(bench.prefetcher->stats.removed_full, 1);
    PREFETCH_EXPECT(&bench, BASE, 2, 3);
    for (uint64_t i = 0; i < 40; i++) {          /* the queue goes round in its memory */
        uint64_t const base = BASE + i * BENCH_PAGE;

        prefetch_bench_miss(&bench, base);
        PREFETCH_EXPECT(&bench, base, 2, 3);
    }
    prefetch_bench_free(&bench);
}

/* "if other page than addr: skip" */
static void other_page_is_not_fetched(void **state)
{
    struct prefetch_bench bench;

    start(&bench, 4, 8);
    prefetch_bench_miss(&bench, BASE + 62 * BENCH_LINE);
    PREFETCH_EXPECT(&bench, BASE, 63);
    assert_int_equal(bench.prefetcher->stats.identified, 1);
    assert_int_equal(bench.prefetcher->stats.other_page, 3);
    assert_int_equal(bench.prefetcher->stats.useful_other_page, 0);
    prefetch_bench_access(&bench, BASE + 63 * BENCH_LINE, 0, BENCH_FIRST_HIT);
    prefetch_bench_expect_none(&bench);
    assert_int_equal(bench.prefetcher->stats.useful_other_page, 4);
    prefetch_bench_free(&bench);
}

/* "With the defaults training happens on misses [...] and on first hits to prefetched lines." */
static void misses_and_first_hits_train(void **state)
{
    struct prefetch_bench bench;

    start(&bench, 1, 8);
    observe(&bench, (struct request){0}, CMD_ReadReq, BENCH_HIT);
    prefetch_bench_expect_none(&bench);
    observe(&bench, (struct request){0}, CMD_ReadReq, BENCH_FIRST_HIT);
    PREFETCH_EXPECT(&bench, BASE, 1);
    observe(&bench, (struct request){0}, CMD_WritebackDirty, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE, 1);
    observe(&bench, (struct request){.flags = REQUEST_FETCH}, CMD_ReadReq, BENCH_MISS);
    PREFETCH_EXPECT(&bench, BASE, 1);
    observe(&bench, (struct request){.flags = REQUEST_UNCACHEABLE}, CMD_ReadReq, BENCH_MISS);
    prefetch_bench_expect_none(&bench);
    observe(&bench, (struct request){0}, CMD_UpgradeReq, BENCH_MISS);    /* "data non-read invalidating" */
    prefetch_bench_expect_none(&bench);
    observe(&bench, (struct request){0}, CMD_ReadExReq, BENCH_MISS);     /* invalidates, but reads */
    PREFETCH_EXPECT(&bench, BASE, 1);
    assert_int_equal(bench.prefetcher->stats.useful, 1);
    assert_int_equal(bench.prefetcher->stats.useful_but_miss, 0);
    prefetch_bench_free(&bench);
}

/* The keys ignore_stores, ignore_prefetches, ignore_writebacks, ignore_walks: each leaves out its type alone. */
static void user_leaves_types_out(void **state)
{
    static const struct { enum command command; uint32_t flags; int key; } accesses[] = {
        {CMD_ReadReq, 0, -1}, {CMD_WriteReq, 0, 0}, {CMD_ReadExReq, 0, 0}, {CMD_HardPFReq, 0, 1},
        {CMD_WritebackDirty, 0, 2}, {CMD_ReadReq, REQUEST_WALK, 3}
    };

    for (int key = 0; key < 4; key++)
        for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
            struct prefetch_bench bench;

            prefetch_bench_init_params(&bench, (struct prefetcher_params){
                .type = PREFETCHER_TAGGED, .degree = 1, .queue_size = 8, .ignore_stores = key == 0,
                .ignore_prefetches = key == 1, .ignore_writebacks = key == 2, .ignore_walks = key == 3});
            observe(&bench, (struct request){.flags = accesses[i].flags}, accesses[i].command, BENCH_MISS);
            if (accesses[i].key == key)
                prefetch_bench_expect_none(&bench);
            else
                PREFETCH_EXPECT(&bench, BASE, 1);
            prefetch_bench_free(&bench);
        }
}

/* memsys/prefetch/prefetch_params.h: misses; those and first hits on prefetched lines; all */
static void user_chooses_the_training_accesses(void **state)
{
    static const struct {
        enum prefetch_training training;
        bool trains[3];                          /* miss, hit, first hit */
    } rows[] = {
        {PREFETCH_TRAINING_AUTO, {true, false, true}}, {PREFETCH_TRAINING_MISSES, {true, false, false}},
        {PREFETCH_TRAINING_FIRST_HITS, {true, false, true}}, {PREFETCH_TRAINING_ACCESSES, {true, true, true}}
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned outcome = 0; outcome < 3; outcome++) {
            struct prefetch_bench bench;

            prefetch_bench_init_params(&bench, (struct prefetcher_params){.type = PREFETCHER_TAGGED, .degree = 1,
                                                                          .train_on = rows[i].training});
            prefetch_bench_access(&bench, BASE, 0, (enum bench_outcome)outcome);
            assert_int_equal(bench.prefetcher->count, rows[i].trains[outcome]);
            prefetch_bench_free(&bench);
        }
}

/* header: "so that a secure page is a page of its own" */
static void secure_pages_are_others(void **state)
{
    struct prefetch_bench bench;
    uint64_t const secure_line = (BASE | ADDRESS_SECURE) + BENCH_LINE;

    start(&bench, 1, 8);
    prefetch_bench_miss(&bench, BASE);
    prefetch_bench_miss(&bench, BASE | ADDRESS_SECURE);
    prefetch_bench_expect(&bench, (const uint64_t[]){BASE + BENCH_LINE, secure_line}, 2);
    prefetch_bench_free(&bench);
}

/* memsys/prefetch/prefetch_params.h: the kind's line gives name and functions; "none" has neither */
static void table_holds_every_kind(void **state)
{
    const char *const *const names = param_enum_names(UNIT_PREFETCHER);

    assert_null(prefetcher_ops_of(PREFETCHER_NONE));
    for (uint64_t kind = 1; kind < PREFETCHER_COUNT; kind++) {
        assert_string_equal(prefetcher_ops_of(kind)->name, names[kind]);
        assert_int_not_equal(prefetcher_ops_of(kind)->training, PREFETCH_TRAINING_AUTO);
        assert_int_not_equal(prefetcher_ops_of(kind)->degree, 0);
    }
    assert_null(names[PREFETCHER_COUNT]);
}

/* No kind may read or write outside its tables, whatever it sees: lines of all lengths, ends of pages and of memory. */
static void every_kind_survives_random_accesses(void **state)
{
    static const uint64_t regions[] = {0, BASE, UINT64_C(1) << 40, ADDRESS_SECURE, ~UINT64_C(0) - 0xffff};

    for (uint64_t kind = 1; kind < PREFETCHER_COUNT; kind++)
        for (uint32_t line_bytes = 16; line_bytes <= 256; line_bytes *= 2) {
            struct prefetcher_params const params = {.type = kind, .queue_size = 7,
                                                     .train_on = PREFETCH_TRAINING_ACCESSES};
            struct sim sim;
            struct prefetcher *prefetcher;
            struct random_generator random;
            struct prefetch_candidate candidate;
            struct fault fault;

            sim_init(&sim, line_bytes);
            random_init(&random, kind);
            fault = prefetcher_create(&prefetcher, &sim, "l1d", BENCH_PERIOD_PS, &params);
            assert_int_equal(fault.kind, FAULT_NONE);
            for (unsigned i = 0; i < 20000; i++) {
                uint64_t const region = regions[random_uniform(&random, 0, 4)];
                struct request const request = {
                    .address = region + (i % 64 < 32 ? i * line_bytes % 0x10000 : random_uniform(&random, 0, 0xffff)),
                    .size_bytes = 4, .pc = random_uniform(&random, 0, 40), .has_pc = true};

                prefetcher_observe(prefetcher, &(struct prefetch_event){.request = &request, .command = CMD_ReadReq,
                                                                        .is_miss = i % 3 == 0,
                                                                        .was_prefetched = i % 3 == 1});
                if (i % 2 && prefetcher_take(prefetcher, &candidate)) {
                    assert_int_equal(candidate.line_address % line_bytes, 0);
                    if (prefetcher->ops->filled)
                        prefetcher->ops->filled(prefetcher, candidate.line_address, i % 4 == 1);
                    if (prefetcher->ops->lost && i % 8 == 1)
                        prefetcher->ops->lost(prefetcher, candidate.line_address);
                }
            }
            if (kind <= PREFETCHER_AMPM)         /* the others want more order than is here */
                assert_true(prefetcher->stats.issued > 0);
            prefetcher_destroy(prefetcher);
            sim_free(&sim);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidate_is_ready_after_the_latency),
        cmocka_unit_test(demand_removes_its_candidate),
        cmocka_unit_test(repeated_candidate_is_counted_but_at_the_tail),
        cmocka_unit_test(full_queue_drops_the_oldest),
        cmocka_unit_test(other_page_is_not_fetched),
        cmocka_unit_test(misses_and_first_hits_train),
        cmocka_unit_test(user_leaves_types_out),
        cmocka_unit_test(user_chooses_the_training_accesses),
        cmocka_unit_test(secure_pages_are_others),
        cmocka_unit_test(table_holds_every_kind),
        cmocka_unit_test(every_kind_survives_random_accesses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
