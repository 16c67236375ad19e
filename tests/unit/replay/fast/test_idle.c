/* replay/fast/idle.h against the plain engine on random programs, cores and L1s, and in cases where a core sleeps
 * long: all statistics, every stamp of every micro-op that left the ROB, the tick of the end; and statistics in
 * between, as of somebody who looks. */
#include "replay/fast/idle.h"
#include "tests/support/detailed_random.h"
#include "tests/support/unit.h"

enum { SEEDS = 150, INSNS = 400, LOOKS = 40 };

/* What a run came to. */
struct outcome {
    struct detailed_stats stats, looks[LOOKS];
    struct branch_stats branches;
    struct bench_retired *retired;
    size_t retired_count, look_count;
    uint64_t end_ps, events;
};

static void (*make_program)(uint64_t seed);
static uint64_t seed_now;

/* ---- somebody who looks, at ticks between two edges */
static struct outcome *seen_by_look;
static uint64_t look_every_ps;
static struct event look_event;

static void look(void *owner)
{
    (void)owner;
    detailed_cpu_sync(detailed.cpu);
    seen_by_look->looks[seen_by_look->look_count++] = *detailed_cpu_stats(detailed.cpu);
    if (seen_by_look->look_count < LOOKS && !detailed_cpu_is_done(detailed.cpu))
        event_schedule(&detailed.sim.events, &look_event, sim_now_ps(&detailed.sim) + look_every_ps);
}

static void run(bool is_idle_bound, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    detailed_prepare();
    make_program(seed_now);
    detailed.is_checked = false;
    detailed.is_idle_bound = is_idle_bound;
    detailed_begin();
    seen_by_look = outcome;
    look_every_ps = (1 + seed_now % 97) * BENCH_PERIOD_PS;
    event_init(&look_event, look, NULL, EVENT_DEFAULT);
    event_schedule(&detailed.sim.events, &look_event, 250);
    detailed_finish();
    outcome->stats = *detailed_cpu_stats(detailed.cpu);
    outcome->branches = *detailed_cpu_branch_stats(detailed.cpu);
    outcome->end_ps = detailed.end_ps;
    outcome->events = event_queue_executed(&detailed.sim.events);
    outcome->retired = detailed.retired;
    outcome->retired_count = detailed.retired_count;
    detailed.retired = NULL;
    detailed_tear_down(NULL);
}

static void expect_equal_stats(const struct detailed_stats *plain, const struct detailed_stats *idle, const char *when)
{
#define EXPECT_FIELD(field, name, unit, help)                                                                         \
    if (plain->field != idle->field)                                                                                  \
        fail_msg("seed %llu, %s: %s is %llu, plain %llu", (unsigned long long)seed_now, when, name,                   \
                 (unsigned long long)idle->field, (unsigned long long)plain->field);
    DETAILED_STATISTICS(EXPECT_FIELD)
#undef EXPECT_FIELD
#define EXPECT_SLOT(suffix, name, help)                                                                               \
    if (plain->slots[DETAILED_SLOT_##suffix] != idle->slots[DETAILED_SLOT_##suffix])                                  \
        fail_msg("seed %llu, %s: slots of %s are %llu, plain %llu", (unsigned long long)seed_now, when, name,         \
                 (unsigned long long)idle->slots[DETAILED_SLOT_##suffix],                                             \
                 (unsigned long long)plain->slots[DETAILED_SLOT_##suffix]);
    DETAILED_SLOTS(EXPECT_SLOT)
#undef EXPECT_SLOT
    assert_memory_equal(plain, idle, sizeof *plain);
}

static void expect_equal_stamps(const struct bench_retired *plain, const struct bench_retired *idle)
{
    static const struct { const char *name; size_t offset; } stamps[] = {
#define STAMP(field) {#field, offsetof(struct detailed_retired, field)}
        STAMP(seq), STAMP(fetch_cyc), STAMP(decode_cyc), STAMP(rename_cyc), STAMP(dispatch_cyc), STAMP(issue_cyc),
        STAMP(execute_cyc), STAMP(to_commit_cyc), STAMP(store_cyc), STAMP(retire_cyc)};

    for (size_t i = 0; i < COUNT(stamps); i++) {
        uint64_t a, b;

        memcpy(&a, (const char *)&plain->what + stamps[i].offset, sizeof a);
        memcpy(&b, (const char *)&idle->what + stamps[i].offset, sizeof b);
        if (a != b)
            fail_msg("seed %llu, micro-op %llu: %s is %llu, plain %llu", (unsigned long long)seed_now,
                     (unsigned long long)plain->what.seq, stamps[i].name, (unsigned long long)b, (unsigned long long)a);
    }
    assert_int_equal(plain->what.is_squashed, idle->what.is_squashed);
    assert_int_equal(plain->number, idle->number);
}

/* True: the fast path left something out. */
static bool expect_same(uint64_t seed)
{
    static struct outcome plain, idle;
    bool has_saved;

    seed_now = seed;
    run(false, &plain);
    run(true, &idle);
    assert_int_equal(plain.look_count, idle.look_count);
    for (size_t i = 0; i < plain.look_count; i++)
        expect_equal_stats(&plain.looks[i], &idle.looks[i], "in between");
    assert_int_equal(plain.end_ps, idle.end_ps);
    expect_equal_stats(&plain.stats, &idle.stats, "at the end");
    assert_memory_equal(&plain.branches, &idle.branches, sizeof plain.branches);
    assert_int_equal(plain.retired_count, idle.retired_count);
    for (size_t i = 0; i < plain.retired_count; i++)
        expect_equal_stamps(&plain.retired[i], &idle.retired[i]);
    has_saved = idle.events < plain.events;
    free(plain.retired);
    free(idle.retired);
    return has_saved;
}

/* ---- random ones */
static void at_random(uint64_t seed)
{
    detailed_random(seed, INSNS);
}

static void random_runs_are_equal(void **state)
{
    unsigned saved = 0;

    make_program = at_random;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        saved += expect_same(seed);
    assert_true(saved > SEEDS / 2);
}

static void mechanisms_at_random(uint64_t seed)
{
    detailed_random_mechanisms(seed, INSNS);
}

static void random_runs_with_mechanisms_are_equal(void **state)
{
    make_program = mechanisms_at_random;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        expect_same(seed);
}

/* ---- long waits, one after the other */
static void divisions_and_misses(uint64_t seed)
{
    detailed.params.ideal_fetch = seed % 2 == 0;
    detailed.branch.type = BRANCH_TOURNAMENT;
    detailed.wrong = seed % 3 == 0 ? NULL : bench_wrong_alu;
    detailed.l1i.latency_ps = (seed % 7 == 0 ? 300 : 2 + seed % 40) * BENCH_PERIOD_PS + seed % 3;
    detailed.l1d.latency_ps = (2 + 13 * (seed % 23)) * BENCH_PERIOD_PS + seed % 5;
    detailed.l1d.refuses_one_in = (unsigned)(seed % 4 * 2);
    detailed.l1d.retry_ps = 1 + 777 * seed;
    for (unsigned i = 0; i < 60; i++) {
        add_op(seed % 5 == 0 ? DETAILED_OP_FLOAT_SQRT : DETAILED_OP_INT_DIV, 1, 1);
        add_load(2, 0x1000 + 64 * (uint64_t)i, 8)->uops[0].sources[0] = i % 3 == 0 ? 2 : 0;
        if (i % 5 == 0)
            add_branch(i % 2 == 0 ? 1 : 2, BENCH_CODE + 0x100 * (uint64_t)(i + 1));
        if (i % 7 == 0)
            add_syscall();
        if (i % 11 == 0)
            add_fence();
        if (i % 4 == 0)
            add_store(2, 0x8000 + 8 * (uint64_t)i, 8);
        if (i % 13 == 0)
            add_atomic(3, 0x9000);
    }
}

static void long_waits_are_left_out(void **state)
{
    make_program = divisions_and_misses;
    for (uint64_t seed = 1; seed <= 60; seed++)
        assert_true(expect_same(seed));
}

/* A first touch of a page: the trap comes while nothing else does. */
static void page_faults(uint64_t seed)
{
    detailed.params.trap_cyc = 13 + 50 * (seed % 5);
    for (unsigned i = 0; i < 20; i++) {
        struct bench_insn *const load = add_load(1, 0x5000 + 0x1000 * (uint64_t)i, 8);

        load->uops[0].is_first_touch = true;
        load->uops[0].sources[0] = 1;
        add_alus((unsigned)(seed % 9));
    }
}

static void traps_wake_it(void **state)
{
    make_program = page_faults;
    for (uint64_t seed = 1; seed <= 20; seed++)
        expect_same(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_runs_are_equal, detailed_tear_down),
        cmocka_unit_test_teardown(random_runs_with_mechanisms_are_equal, detailed_tear_down),
        cmocka_unit_test_teardown(long_waits_are_left_out, detailed_tear_down),
        cmocka_unit_test_teardown(traps_wake_it, detailed_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
