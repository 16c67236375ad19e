/* sweep/compare/comparison.h, sweep/compare/compare_table.h and sweep/compare/stats_table.h: definitions of the
 * errors by hand-made numbers, names of several simulators, faults of tables. */
#include <math.h>
#include <unistd.h>

#include "sweep/compare/comparison.h"
#include "tests/support/unit.h"

enum { TEXT_BYTES = 8192 };

static char table_path[] = "/tmp/rubato-test-comparison.XXXXXX";
static struct comparison_table table;
static struct comparison comparison;
static struct fault fault;

static void write_table(const char *text)
{
    FILE *const file = fopen(table_path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void judge(const char *text, const char *base)
{
    write_table(text);
    fault = comparison_table_read(&table, table_path);
    assert_string_equal(fault_text(fault), "");
    fault = comparison_begin(&comparison, &table, base);
    assert_string_equal(fault_text(fault), "");
    comparison_judge(&comparison);
}

static void forget(void)
{
    comparison_end(&comparison);
    comparison_table_free(&table);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g is not %.15g", value, expected);
}

static const char two_programs[] =
    "program\tsystem\tdetailed_ticks\treplay_ticks\tdetailed_host_s\treplay_host_s\n"
    "one\tbase\t1000\t1100\t4\t1\n"
    "one\tfast\t500\t500\t4\t1\n"
    "one\tslow\t2000\t2420\t4\t1\n"
    "two\tbase\t100\t50\t8\t-\n"
    "two\tfast\t90\t49\t-\t2\n"
    "two\tslow\t110\t48\t\t2\n";

/* "absolute error t_r / t_d - 1; relative error (t_r / t_r_base) / (t_d / t_d_base) - 1" */
static void errors_are_as_defined(void **state)
{
    judge(two_programs, NULL);
    assert_near(comparison.pairs[0].abs_error, 0.1);
    assert_near(comparison.pairs[1].abs_error, 0);
    assert_near(comparison.pairs[2].abs_error, 0.21);
    assert_true(isnan(comparison.pairs[0].rel_error));
    assert_near(comparison.pairs[1].rel_error, (500.0 / 1100) / (500.0 / 1000) - 1);
    assert_near(comparison.pairs[2].rel_error, (2420.0 / 1100) / (2000.0 / 1000) - 1);
    assert_near(comparison.programs[0].abs_error, (0.1 + 0 + 0.21) / 3);
    assert_int_equal(comparison.abs_count, 6);
    assert_int_equal(comparison.rel_count, 4);
    forget();
}

/* "Spearman's, ...; the mean of all programs" */
static void ranks_are_as_defined(void **state)
{
    judge(two_programs, NULL);
    assert_near(comparison.programs[0].rank_correlation, 1);
    assert_near(comparison.programs[1].rank_correlation, -0.5);
    assert_near(comparison.rank_correlation, 0.25);
    forget();
    /* ties at their mean rank: 1.5 1.5 3 against 1 2 3 */
    judge("program\tsystem\tdetailed_ticks\treplay_ticks\np\ta\t7\t1\np\tb\t7\t2\np\tc\t8\t3\n", NULL);
    assert_near(comparison.rank_correlation, 1.5 / sqrt(1.5 * 2));
    forget();
}

/* "host time of all detailed runs over that of the replays, where both are known" */
static void speedup_counts_pairs_with_both_times(void **state)
{
    judge(two_programs, NULL);
    assert_near(comparison.speedup, 4);
    forget();
}

/* "base NULL: the system called base, else the first one" */
static void the_base_can_be_chosen(void **state)
{
    judge(two_programs, "slow");
    assert_near(comparison.pairs[0].rel_error, 1.1 / 1.21 - 1);
    assert_true(isnan(comparison.pairs[2].rel_error));
    forget();
    judge("program\tsystem\tdetailed_ticks\treplay_ticks\np\ta\t10\t10\np\tb\t20\t30\n", NULL);
    assert_int_equal(comparison.base, 0);
    assert_near(comparison.rel_error_mean, 0.5);
    forget();
    write_table(two_programs);
    fault = comparison_table_read(&table, table_path);
    assert_int_equal(fault.kind, FAULT_NONE);
    fault = comparison_begin(&comparison, &table, "none");
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "no system none"));
    comparison_table_free(&table);
}

/* "with judges_ours, ours": a pair that was not replayed has no error */
static void only_ours_counts_when_it_is_asked_for(void **state)
{
    struct run_figures ours = {.ticks = 1100, .host_s = 0.5};

    judge(two_programs, NULL);
    comparison.judges_ours = true;
    comparison_set_ours(&comparison, 0, &ours);
    ours.ticks = 501;
    comparison_set_ours(&comparison, 1, &ours);
    comparison_judge(&comparison);
    assert_int_equal(comparison.pairs[0].fault.kind, FAULT_NONE);
    assert_int_equal(comparison.pairs[1].fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(comparison.pairs[1].fault), "tick 501"));
    assert_int_equal(comparison.passed, 5);
    assert_int_equal(comparison.failed, 1);
    assert_near(comparison.pairs[1].abs_error, 0.002);
    assert_true(isnan(comparison.pairs[2].abs_error));
    assert_near(comparison.speedup, 8);
    forget();
}

static void refused(const char *text, const char *words)
{
    write_table(text);
    fault = comparison_table_read(&table, table_path);
    if (fault.kind != FAULT_INPUT || !strstr(fault_text(fault), words))
        fail_msg("expected a fault with \"%s\", got: %s", words, fault_text(fault));
}

static void wrong_tables_are_refused_by_line(void **state)
{
    refused("", "no pairs");
    refused("program\tsystem\n", "no pairs");
    refused("program\tticks\na\t1\n", "no column system");
    refused("program\tsystem\tsystem\na\tb\tc\n", "twice");
    refused("program\tsystem\tdetailed_ticks\na\tb\t1\na\tc\t-1\n", "line 3: detailed_ticks is \"-1\"");
    refused("program\tsystem\treplay_ticks\na\tb\t1x\n", "line 2: replay_ticks");
    refused("program\tsystem\treplay_ticks\na\tb\t0\n", "line 2: replay_ticks");
    refused("program\tsystem\treplay_ticks\na\tb\t99999999999999999999\n", "line 2: replay_ticks");
    refused("program\tsystem\tdetailed_host_s\na\tb\tlong\n", "line 2: detailed_host_s");
    refused("program\tsystem\na\tb\na\tb\n", "line 3: a on b occurs twice");
    refused("program\tsystem\na\n", "line 2: system");
    refused("program\tsystem\na\tb\tc\n", "more than the 2 fields");
    refused("program\tsystem\n../a\tb\n", "line 2: program");
    assert_int_equal(comparison_table_read(&table, "/dev/null/table").kind, FAULT_INPUT);
}

/* "The order is free", other columns are left alone, lines may end as on other systems */
static void columns_come_in_any_order(void **state)
{
    judge("note\treplay_ticks\tsystem\tprogram\tdetailed_ticks\r\nhm\t30\ts\tp\t20\r\n\r\n", NULL);
    assert_string_equal(comparison.pairs[0].row->program, "p");
    assert_near(comparison.abs_error_mean, 0.5);
    forget();
}

/* ---- figures */

static struct run_figures figures_of(const char *lines)
{
    struct stats_table stats;
    struct run_figures figures;
    char *const text = malloc(TEXT_BYTES);
    int length;

    assert_non_null(text);
    length = snprintf(text, TEXT_BYTES, "---------- Begin Simulation Statistics ----------\n%s"
                      "---------- End Simulation Statistics   ----------\n", lines);
    fault = stats_table_parse(&stats, "text", text, (size_t)length);
    assert_string_equal(fault_text(fault), "");
    fault = run_figures_of(&stats, "text", &figures);
    assert_string_equal(fault_text(fault), "");
    stats_table_free(&stats);
    return figures;
}

static void expect_figures(const char *lines)
{
    struct run_figures const figures = figures_of(lines);

    assert_int_equal(figures.ticks, 2000000);
    assert_near(figures.instructions, 5000);
    assert_near(figures.caches[RUN_L1D].misses, 70);
    assert_near(figures.caches[RUN_L1I].misses, 5);
    assert_near(figures.caches[RUN_L2].misses, 40);
    assert_near(run_miss_latency_ns(&figures, RUN_L1D), 0.1);
    assert_near(run_misses_in_flight(&figures, RUN_L1D), 0.0035);
    assert_near(run_dram_gb_per_s(&figures), 2.56);
}

#define MEMORY(path) path ".bytesRead::total 3840 # x\n" path ".bytesWritten::total 1280\n"

static void names_of_several_simulators_are_known(void **state)
{
    /* caches named as in rubato, a replay's micro-ops */
    expect_figures("finalTick 2000000\nsystem.cpu.numOps 5000\nsystem.l1d.overallMshrMisses::total 70\n"
                   "system.l1d.overallMshrMissLatency::total 7000\nsystem.l1i.overallMshrMisses::total 5\n"
                   "system.l2.overallMshrMisses::total 40\nsystem.l2.overallMshrMisses::cpu.data 39\n"
                   MEMORY("system.mem_ctrls.dram"));
    /* the classic form, two cores, a walker's cache; a detailed core's micro-ops are not its instructions */
    expect_figures("finalTick 2000000\nsimInsts 5000\nsystem.cpu0.commitStats0.numOps 6000\n"
                   "system.cpu0.dcache.overallMshrMisses::total 30\nsystem.cpu1.dcache.overallMshrMisses::total 40\n"
                   "system.cpu0.dcache.overallMshrMissLatency::total 3000\n"
                   "system.cpu1.dcache.overallMshrMissLatency::total 4000\n"
                   "system.cpu0.icache.overallMshrMisses::total 5\nsystem.l2cache.overallMshrMisses::total 40\n"
                   "system.cpu0.dtb_walker_cache.overallMshrMisses::total 9\n"
                   "system.iocache.overallMshrMisses::total 9\n" MEMORY("system.mem_ctrls0.dram"));
    /* the standard library's */
    expect_figures("finalTick 2000000\nsimInsts 5000\n"
                   "board.cache_hierarchy.l1d-cache-0.overallMshrMisses::total 70\n"
                   "board.cache_hierarchy.l1d-cache-0.overallMshrMissLatency::total 7000\n"
                   "board.cache_hierarchy.l1icaches.overallMshrMisses::total 5\n"
                   "board.cache_hierarchy.l2-cache-0.overallMshrMisses::total 40\n"
                   "board.cache_hierarchy.iptw_caches.overallMshrMisses::total 3\n"
                   MEMORY("board.memory.mem_ctrl.dram"));
    /* before release 21.0 */
    expect_figures("final_tick 2000000\nsim_insts 5000\nsystem.cpu.dcache.overall_mshr_misses::total 70\n"
                   "system.cpu.dcache.overall_mshr_miss_latency::total 7000\n"
                   "system.cpu.icache.overall_mshr_misses::total 5\nsystem.l2.overall_mshr_misses::total 40\n"
                   "system.mem_ctrls.bytes_read::total 3840\nsystem.mem_ctrls.bytes_written::total 1280\n");
}

static void a_run_without_a_tick_is_refused(void **state)
{
    struct stats_table stats;
    struct run_figures figures;
    char *const text = strdup("{\"system.l2.overallMshrMisses::total\": 4}\n{\"simTicks\": null}");

    fault = stats_table_parse(&stats, "x.json", text, strlen(text));
    assert_int_equal(fault.kind, FAULT_NONE);
    assert_int_equal(stats.count, 1);            /* the last block counts */
    fault = run_figures_of(&stats, "x.json", &figures);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "x.json: finalTick"));
    stats_table_free(&stats);
}

/* "the one that adds most to it is the cause" */
static void the_cause_is_the_largest_factor(void **state)
{
    static const struct {
        double misses, latency_ps;
        uint64_t ticks;
        enum comparison_cause cause;
    } replays[] = {
        {200, 100000, 20000, CAUSE_MISSES}, {100, 220000, 20000, CAUSE_LATENCY}, {100, 100000, 40000, CAUSE_OVERLAP},
        {100, 110000, 5000, CAUSE_OVERLAP}, {50, 51000, 5000, CAUSE_MISSES}, {100, 1000, 10001, CAUSE_CORE}
    };
    struct comparison_pair pair = {.figures[SIDE_DETAILED] = {
        .ticks = 10000, .caches[RUN_L1D] = {.misses = 100, .miss_latency_ps = 100000}
    }};

    for (size_t i = 0; i < sizeof replays / sizeof replays[0]; i++) {
        struct run_figures const replay = {
            .ticks = replays[i].ticks,
            .caches[RUN_L1D] = {.misses = replays[i].misses, .miss_latency_ps = replays[i].latency_ps}
        };

        pair.ours = replay;
        pair.abs_error = (double)replay.ticks / 10000 - 1;
        assert_int_equal(comparison_cause_of(&pair), replays[i].cause);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_as_defined),
        cmocka_unit_test(ranks_are_as_defined),
        cmocka_unit_test(speedup_counts_pairs_with_both_times),
        cmocka_unit_test(the_base_can_be_chosen),
        cmocka_unit_test(only_ours_counts_when_it_is_asked_for),
        cmocka_unit_test(wrong_tables_are_refused_by_line),
        cmocka_unit_test(columns_come_in_any_order),
        cmocka_unit_test(names_of_several_simulators_are_known),
        cmocka_unit_test(a_run_without_a_tick_is_refused),
        cmocka_unit_test(the_cause_is_the_largest_factor),
    };
    int const descriptor = mkstemp(table_path);
    int failures;

    if (descriptor < 0)
        return 1;
    close(descriptor);
    failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(table_path);
    return failures;
}
