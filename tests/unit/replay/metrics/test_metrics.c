/* replay/metrics/metrics.h: names, formulas, totals, means and single cores of runs whose answers are
 * known. */
#include <math.h>

#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/metrics/metrics.h"
#include "tests/support/unit.h"

static struct figures make(const struct figure *list, size_t count)
{
    struct figures figures = {0};

    for (size_t i = 0; i < count; i++)
        figures_add(&figures, list[i].name, list[i].value);
    assert_fine(figures_finish(&figures));
    return figures;
}

static void assert_near(double value, double expected)
{
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.15g is not %.15g", value, expected);
}

/* Core 0: 300 cycles for 100 micro-ops; core 1: 100 for 200. */
static const struct figure two_cores[] = {
    {.name = "simTicks", .value = 2e9}, {.name = "simSeconds", .value = 2e-3},
    {.name = "system.cpu0.cpiStack::total", .value = 300}, {.name = "system.cpu0.numOps", .value = 100},
    {.name = "system.cpu1.cpiStack::total", .value = 100}, {.name = "system.cpu1.numOps", .value = 200},
    {.name = "system.cpu0.loadLatency::p99", .value = 5000}, {.name = "system.cpu1.loadLatency::p99", .value = 7000},
    {.name = "system.l1d0.overallAccesses::total", .value = 10},
    {.name = "system.l1d0.overallMisses::total", .value = 5},
    {.name = "system.l1d0.demandMshrMisses::total", .value = 4},
    {.name = "system.l1d1.overallAccesses::total", .value = 30},
    {.name = "system.l2.overallAccesses::total", .value = 4}, {.name = "system.l2.overallMisses::total", .value = 1},
    {.name = "system.mem_ctrls0.dram.dramBytesRead", .value = 1e6},
    {.name = "system.mem_ctrls0.dram_2.dramBytesRead", .value = 3e6},
    {.name = "system.mem_ctrls1.dram.dramBytesRead", .value = 4e6},
    {.name = "system.mem_ctrls0.dram.dramBytesWritten", .value = 0},
    {.name = "system.mem_ctrls0.dram_2.dramBytesWritten", .value = 0},
    {.name = "system.mem_ctrls1.dram.dramBytesWritten", .value = 2e6},
    {.name = "system.mem_ctrls0.dram.peakBW", .value = 5000},
    {.name = "system.mem_ctrls0.dram_2.peakBW", .value = 5000},
    {.name = "system.mem_ctrls1.dram.peakBW", .value = 10000}
};

/* "`cpi` is that of all cores together, `cpu3.cpi` that of one, `mean.cpi` the mean of the cores' own" */
static void totals_means_and_single_cores(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "time_ms"), 2);
    assert_near(metrics_value(&figures, "cpi"), 400.0 / 300);
    assert_near(metrics_value(&figures, "cpu0.cpi"), 3);
    assert_near(metrics_value(&figures, "cpu1.cpi"), 0.5);
    assert_near(metrics_value(&figures, "mean.cpi"), 1.75);
    assert_near(metrics_value(&figures, "cpu2.cpi"), NAN);
    assert_near(metrics_value(&figures, "l1d.hit_rate"), 1 - 5.0 / 40);
    assert_near(metrics_value(&figures, "l1d.mpki"), 1000 * 4.0 / 300);
    assert_near(metrics_value(&figures, "cpu0.l1d.mpki"), 40);
    figures_free(&figures);
}

/* "system.cpu3.l1d. ..., or gem5's system.l1d3. ..., belongs to instance 3 of the class l1d" */
static void both_names_of_a_cache_are_the_same(void **state)
{
    static const struct figure ours[] = {
        {.name = "system.cpu0.numOps", .value = 100}, {.name = "system.cpu1.numOps", .value = 200},
        {.name = "system.cpu1.l1d.demandMshrMisses::total", .value = 4},
        {.name = "system.cpu1.l2.replacements", .value = 1}
    };
    static const struct figure theirs[] = {
        {.name = "system.cpu0.numOps", .value = 100}, {.name = "system.cpu1.numOps", .value = 200},
        {.name = "system.l1d1.demandMshrMisses::total", .value = 4}, {.name = "system.l21.replacements", .value = 1}
    };
    struct figures figures[] = {make(ours, COUNT(ours)), make(theirs, COUNT(theirs))};

    for (int i = 0; i < 2; i++) {
        assert_near(metrics_value(&figures[i], "cpu1.l1d.mpki"), 20);
        assert_near(metrics_value(&figures[i], "l1d.mpki"), 4000.0 / 300);
        assert_int_equal(figures_instances(&figures[i], "l2"), 2);
        assert_int_equal(figures_instances(&figures[i], "cpu"), 2);
        figures_free(&figures[i]);
    }
}

/* "`name?` is 0 where the component has no such statistic (a counter that stayed 0 is left out)" */
static void counters_that_are_left_out_are_zero(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "cpu1.l1d.hit_rate"), 1);
    assert_near(metrics_value(&figures, "cpu1.l1d.mpki"), 0);
    assert_near(metrics_value(&figures, "l3.mpki"), NAN);
    figures_free(&figures);
}

/* A cache shared by cores belongs to no core; `llc` is the last existing level. */
static void shared_caches_are_of_all_cores(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "l2.hit_rate"), 0.75);
    assert_near(metrics_value(&figures, "llc.hit_rate"), 0.75);
    assert_near(metrics_value(&figures, "cpu0.l2.hit_rate"), NAN);
    figures_free(&figures);
}

/* "percentiles of several do not add up" */
static void percentiles_are_of_one_core(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "cpu1.load.p99_ns"), 7);
    assert_near(metrics_value(&figures, "load.p99_ns"), NAN);
    figures_free(&figures);
}

/* "`name^` is the highest of the instances" */
static void the_most_hammered_row_is_that_of_one_channel(void **state)
{
    static const struct figure list[] = {
        {.name = "system.mem_ctrls0.rowhammer.mostActivations", .value = 30},
        {.name = "system.mem_ctrls1.rowhammer.mostActivations", .value = 50},
        {.name = "system.mem_ctrls0.rowhammer.hotRows", .value = 2},
        {.name = "system.mem_ctrls1.rowhammer.hotRows", .value = 3}
    };
    struct figures figures = make(list, COUNT(list)), none = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "mem.rowhammer.most"), 50);
    assert_near(metrics_value(&figures, "mem0.rowhammer.most"), 30);
    assert_near(metrics_value(&figures, "mem.rowhammer.hot"), 5);
    assert_near(metrics_value(&none, "mem.rowhammer.most"), NAN);
    figures_free(&figures);
    figures_free(&none);
}

/* ... so the run says that of all of them, which is not that of one of them. */
static void percentiles_of_all_are_of_their_own(void **state)
{
    static const struct figure list[] = {
        {.name = "system.cpu0.loadLatency::p99", .value = 5000}, {.name = "system.cpu1.loadLatency::p99", .value = NAN},
        {.name = "system.cpu2.loadLatency::p99", .value = 7000},
        {.name = "system.cores.loadLatency::p99", .value = 6000},
        {.name = "system.mem_ctrls0.readLatency::p99", .value = NAN},
        {.name = "system.mem_ctrls1.readLatency::p99", .value = 90000},
        {.name = "system.mem_ctrls2.readLatency::p99", .value = 50000},
        {.name = "system.memories.readLatency::p99", .value = 80000}
    };
    struct figures figures = make(list, COUNT(list));

    assert_near(metrics_value(&figures, "load.p99_ns"), 6);
    assert_near(metrics_value(&figures, "cpu0.load.p99_ns"), 5);
    assert_near(metrics_value(&figures, "cpu1.load.p99_ns"), NAN);
    assert_near(metrics_value(&figures, "mean.load.p99_ns"), 6);
    assert_near(metrics_value(&figures, "mem.p99_ns"), 80);
    assert_near(metrics_value(&figures, "mem0.p99_ns"), NAN);
    assert_near(metrics_value(&figures, "mem1.p99_ns"), 90);
    figures_free(&figures);
}

/* "`speedup` is against whichever run's simTicks the figures have" */
static void a_speedup_needs_a_baseline(void **state)
{
    static const struct figure list[] = {{.name = "simTicks", .value = 4000},
                                         {.name = METRICS_BASELINE, .value = 6000}};
    struct figures alone = make(list, 1), both = make(list, 2);

    assert_near(metrics_value(&alone, "speedup"), NAN);
    assert_near(metrics_value(&both, "speedup"), 1.5);
    figures_free(&alone);
    figures_free(&both);
}

/* "Two pseudo-channels of one controller count as one." */
static void memories_add_up(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));

    assert_near(metrics_value(&figures, "mem.gb_s"), 5);
    assert_near(metrics_value(&figures, "mem.utilisation"), 0.25);
    assert_near(metrics_value(&figures, "mem0.gb_s"), 2);
    assert_near(metrics_value(&figures, "mem1.utilisation"), 0.3);
    figures_free(&figures);
}

static void a_detailed_core_and_a_gpu_have_their_own(void **state)
{
    static const struct figure list[] = {
        {.name = "system.cpu.numCycles", .value = 50}, {.name = "system.cpu.commitStats0.numInsts", .value = 100},
        {.name = "system.cpu.topDown::retiring", .value = 10}, {.name = "system.cpu.topDown::total", .value = 40},
        {.name = "system.cpu.commit.branchMispredicts", .value = 1},
        {.name = "system.gpu.warp_insts", .value = 20}, {.name = "system.gpu.stall_scoreboard", .value = 60},
        {.name = "system.gpu.stall_ldst", .value = 20}, {.name = "system.gpu.stall_unit", .value = 0},
        {.name = "system.gpu.stall_barrier", .value = 0}, {.name = "system.gpu.idle_cycles", .value = 0}
    };
    struct figures figures = make(list, COUNT(list));

    assert_near(metrics_value(&figures, "ipc"), 2);
    assert_near(metrics_value(&figures, "branch.mpki"), 10);
    assert_near(metrics_value(&figures, "slots.retiring"), 0.25);
    assert_near(metrics_value(&figures, "stall.rob"), NAN);
    assert_near(metrics_value(&figures, "gpu.stall.scoreboard"), 0.6);
    assert_near(metrics_value(&figures, "gpu.warp_insts"), 20);
    figures_free(&figures);
}

static void no_metric_is_made_of_itself(void **state)
{
    static const struct metric fine[] = {{.name = "gpu.x", .formula = "gpu.x"}, {.name = "y", .formula = "2 * gpu.x / "
                                                                                                         "x"}};
    static const struct metric own[] = {{.name = "gpu.x", .formula = "gpu.x / 2"}};
    static const struct metric round[] = {{.name = "a", .formula = "b + 1"}, {.name = "b", .formula = "cpu.b | (a)"}};
    size_t count;
    const struct metric *const table = metrics_table(&count), *const circular = metrics_circular(table, count);

    if (circular)
        fail_msg("%s is made of itself: \"%s\"; give it another name than the "
                 "statistic", circular->name, circular->formula);
    assert_null(metrics_circular(fine, COUNT(fine)));
    assert_ptr_equal(metrics_circular(own, COUNT(own)), own);
    assert_ptr_equal(metrics_circular(round, COUNT(round)), round);
}

static void check_no_key(void *context, const char *name, const struct metric *metric)
{
    struct system_config const *const config = context;
    char text[CONFIG_BEHIND_TEXT];

    (void)metric;
    if (config_get(config, name, "", text, sizeof text).kind == FAULT_NONE)
        fail_msg("%s is a metric and a key of systems: a column of that name would say which?", name);
}

/* A column is a metric or a key. */
static void no_metric_has_the_name_of_a_key(void **state)
{
    static struct system_config config;

    assert_fine(config_read(&config, "server", NULL, 0));
    metrics_names(check_no_key, &config);
    assert_fine(config_read(&config, "hetero", NULL, 0));
    metrics_names(check_no_key, &config);
}

static void unknown_names_are_not_found(void **state)
{
    static const char *const none[] = {"", "cpu", "cpi.", "cpu0", "cpu0.", "cpux.cpi", "cpu0.mem.gb_s", "mean.mem.gb_s",
                                       "l4.mpki", "mpki", "l1d.cpi", "mem0.cpi", "l1d.size", "system.cpu.cpi"};
    static const char *const some[] = {"cpi", "cpu12.l2.mpki", "mean.cpi", "mem3.gb_s", "llc.mpki",
                                       "gpu.stall.issuing"};

    for (size_t i = 0; i < COUNT(none); i++)
        if (metrics_find(none[i]))
            fail_msg("%s is found", none[i]);
    for (size_t i = 0; i < COUNT(some); i++)
        if (!metrics_find(some[i]))
            fail_msg("%s is not found", some[i]);
}

static void check_name(void *context, const char *name, const struct metric *metric)
{
    size_t *const count = context;

    assert_ptr_equal(metrics_find(name), metric);
    assert_true(*metric->definition);
    (*count)++;
}

static void every_listed_name_is_found(void **state)
{
    size_t count = 0;

    metrics_names(check_name, &count);
    assert_true(count > 50);
}

static void count_visit(void *context, const char *name, const struct metric *metric, double value)
{
    size_t *const seen = context;

    seen[0]++;
    seen[1] += strcmp(name, "cpu1.cpi") == 0 && value == 0.5;
    seen[2] += strcmp(name, "mean.l1d.mpki") == 0 && value == 20;
    seen[3] += strcmp(name, "mem1.gb_s") == 0 && fabs(value - 3) < 1e-12;
}

static void a_visit_shows_available_metrics_only(void **state)
{
    struct figures figures = make(two_cores, COUNT(two_cores));
    size_t all[4] = {0}, totals[4] = {0};

    metrics_visit(&figures, true, count_visit, all);
    metrics_visit(&figures, false, count_visit, totals);
    assert_int_equal(all[1] + all[2] + all[3], 3);
    assert_int_equal(totals[1] + totals[2] + totals[3], 0);
    assert_true(totals[0] > 5 && all[0] > 2 * totals[0]);
    figures_free(&figures);
}

/* "The statistics that metrics are made of": those are enough, and others are left out. */
static void the_needed_statistics_are_enough(void **state)
{
    static const char *const more[] = {".iside.instLastTick", NULL};
    static const char *const needed[] = {"simTicks", "system.cpu12.numOps", "system.cpu.cpiStack",
                                         "system.l2.overallMisses", "system.mem_ctrls0.dram_2.peakBW",
                                         "system.gpu.occupancy", "system.cpu3..iside.instLastTick"};
    static const char *const others[] = {"simFreq", "system.mem_ctrls.rdQLenPdf", "system.membus.snoops", "system.cpu",
                                         "system.l1d.overallMissesX", "system.cpu..dside.dataLastTick"};
    struct figures all = make(two_cores, COUNT(two_cores)), some = {0};
    struct metrics_needs needs;
    size_t count[2][4] = {0};

    metrics_needs_make(&needs, more);
    for (size_t i = 0; i < COUNT(needed); i++)
        if (!metrics_need(&needs, needed[i]))
            fail_msg("%s is not needed", needed[i]);
    for (size_t i = 0; i < COUNT(others); i++)
        if (metrics_need(&needs, others[i]))
            fail_msg("%s is needed", others[i]);
    for (size_t i = 0; i < COUNT(two_cores); i++) {
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(two_cores[i].name, ":"), two_cores[i].name);
        if (metrics_need(&needs, name))
            figures_add(&some, two_cores[i].name, two_cores[i].value);
    }
    assert_fine(figures_finish(&some));
    metrics_visit(&all, true, count_visit, count[0]);
    metrics_visit(&some, true, count_visit, count[1]);
    assert_memory_equal(count[0], count[1], sizeof count[0]);
    figures_free(&all);
    figures_free(&some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_means_and_single_cores), cmocka_unit_test(counters_that_are_left_out_are_zero),
        cmocka_unit_test(shared_caches_are_of_all_cores),
        cmocka_unit_test(the_most_hammered_row_is_that_of_one_channel), cmocka_unit_test(percentiles_are_of_one_core),
        cmocka_unit_test(memories_add_up), cmocka_unit_test(a_detailed_core_and_a_gpu_have_their_own),
        cmocka_unit_test(unknown_names_are_not_found), cmocka_unit_test(every_listed_name_is_found),
        cmocka_unit_test(a_visit_shows_available_metrics_only), cmocka_unit_test(the_needed_statistics_are_enough),
        cmocka_unit_test(both_names_of_a_cache_are_the_same),
        cmocka_unit_test(percentiles_of_all_are_of_their_own), cmocka_unit_test(no_metric_is_made_of_itself),
        cmocka_unit_test(no_metric_has_the_name_of_a_key), cmocka_unit_test(a_speedup_needs_a_baseline)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
