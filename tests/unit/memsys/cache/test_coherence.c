/* Random traffic of 2 to 8 cores on few lines (checks: see tests/support/coherence_bench.h).
 *
 * COHERENCE_SEEDS=FIRST:LAST chooses the seeds, COHERENCE_REQUESTS how many requests each port sends. */
#include <signal.h>

#include "memsys/noc/noc_params.h"
#include "tests/support/coherence_bench.h"
#include "tests/support/unit.h"

static struct coherence_bench bench;

static void seeds_of(unsigned long *first, unsigned long *last)
{
    const char *const text = getenv("COHERENCE_SEEDS");

    *first = 1;
    *last = 300;
    if (text && sscanf(text, "%lu:%lu", first, last) != 2)
        fail_msg("COHERENCE_SEEDS is '%s', expected FIRST:LAST such as 1:300", text);
}

static unsigned requests_of(void)
{
    const char *const text = getenv("COHERENCE_REQUESTS");

    return text ? (unsigned)strtoul(text, NULL, 10) : 100;
}

/* An assertion of the model ends the program; say which seed it was. */
static void on_abort(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "aborted in seed %llu, event %llu\n", (unsigned long long)bench.seed,
            (unsigned long long)bench.steps);
}

struct totals {
    uint64_t events, reads, writes, lines, overtakings, stale_loads, stale_stores, lost_stores, disturbed, unsettled;
};

static void run_seed(unsigned long seed, unsigned requests, struct totals *totals)
{
    coherence_bench_run(&bench, seed, requests);
    if (bench.failure[0]) {
        fputs(bench.failure, stderr);                /* longer than a message of fail_msg may be */
        fail();
    }
    totals->events += bench.steps;
    totals->reads += bench.reads_checked;
    totals->writes += bench.writes_performed;
    totals->lines += bench.cached_lines;
    totals->overtakings += bench.overtakings;
    totals->stale_loads += bench.stale_loads;
    totals->stale_stores += bench.stale_stores;
    totals->lost_stores += bench.lost_stores;
    totals->disturbed += (uint64_t)__builtin_popcount(bench.disturbed);
    totals->unsettled += (uint64_t)__builtin_popcount(bench.unsettled);
}

static void print_totals(const struct totals *totals)
{
    printf("# %llu events, %llu reads and %llu writes checked, of %llu lines\n", (unsigned long long)totals->events,
           (unsigned long long)totals->reads, (unsigned long long)totals->writes, (unsigned long long)totals->lines);
    printf("# %llu evictions overtaken as in the reference (coherence_shadow.c); after that %llu loads and %llu stores "
           "got older data, %llu stores left no copy, %llu lines had wrong copies, %llu lines were not settled\n",
           (unsigned long long)totals->overtakings, (unsigned long long)totals->stale_loads,
           (unsigned long long)totals->stale_stores, (unsigned long long)totals->lost_stores,
           (unsigned long long)totals->disturbed, (unsigned long long)totals->unsettled);
}

static void random_traffic_keeps_lines_coherent(void **state)
{
    struct totals totals = {0};
    unsigned long first, last;

    signal(SIGABRT, on_abort);
    seeds_of(&first, &last);
    for (unsigned long seed = first; seed <= last; seed++)
        run_seed(seed, requests_of(), &totals);
    printf("# seeds %lu to %lu\n", first, last);
    print_totals(&totals);
    assert_true(totals.reads > 0 && totals.writes > 0);
}

/* Seeds in which an overtaken eviction has consequences: wrong copies, stores that build on older data, loads of older
 * data. They are counted, all lines are settled in the end, and nothing else fails. Should other systems come of these
 * seeds one day, a run over COHERENCE_SEEDS=1:2000 finds new ones. */
static void overtaken_evictions_are_counted_and_settled(void **state)
{
    static const unsigned long seeds[] = {493, 1421, 5059, 11596};
    struct totals totals = {0};

    signal(SIGABRT, on_abort);
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        run_seed(seeds[i], 100, &totals);
    print_totals(&totals);
    assert_in_range(totals.overtakings, 1, 100);
    assert_in_range(totals.disturbed, 1, 100);
    assert_in_range(totals.stale_loads + totals.stale_stores, 1, 100);
    assert_int_equal(totals.unsettled, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_traffic_keeps_lines_coherent),
                                       cmocka_unit_test(overtaken_evictions_are_counted_and_settled)};

    return cmocka_run_group_tests_name("coherence", tests, NULL, NULL);
}
