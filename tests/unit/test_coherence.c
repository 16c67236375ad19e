/* Random traffic of 2 to 8 cores on few lines (tests/support/coherence_bench.h says what is checked).
 *
 * COHERENCE_SEEDS=FIRST:LAST chooses the seeds, COHERENCE_REQUESTS how many requests each port sends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/coherence_bench.h"

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

static void random_traffic_keeps_lines_coherent(void **state)
{
    uint64_t steps = 0, reads = 0, writes = 0, lines = 0, lost = 0;
    unsigned long first, last;

    (void)state;
    signal(SIGABRT, on_abort);
    seeds_of(&first, &last);
    for (unsigned long seed = first; seed <= last; seed++) {
        coherence_bench_run(&bench, seed, requests_of());
        if (bench.failure[0]) {
            fputs(bench.failure, stderr);            /* longer than a message of fail_msg may be */
            fail();
        }
        steps += bench.steps;
        reads += bench.reads_checked;
        writes += bench.writes_performed;
        lines += bench.cached_lines;
        lost += (uint64_t)__builtin_popcount(bench.lost);
    }
    printf("# seeds %lu to %lu: %llu events, %llu reads and %llu writes checked\n", first, last,
           (unsigned long long)steps, (unsigned long long)reads, (unsigned long long)writes);
    printf("# of %llu lines %llu were lost in the reference's own order and not judged further (coherence_shadow.c)\n",
           (unsigned long long)lines, (unsigned long long)lost);
    assert_true(reads > 0 && writes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_traffic_keeps_lines_coherent)};

    return cmocka_run_group_tests_name("coherence", tests, NULL, NULL);
}
