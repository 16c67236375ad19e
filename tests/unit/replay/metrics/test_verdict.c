/* replay/metrics/verdict.h: rules that bundled traces do not reach, and the sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "replay/metrics/verdict.h"
#include "tests/support/unit.h"

struct given {
    const char *name;
    double value;
};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.15g is not %.15g", value, expected);
}

static struct verdict judge(const struct given *list, size_t count, const struct verdict_hints *hints)
{
    struct figures figures = {0};
    struct verdict verdict;

    for (size_t i = 0; i < count; i++)
        figures_add(&figures, list[i].name, list[i].value);
    assert_fine(figures_finish(&figures));
    verdict = verdict_of(&figures, hints);
    figures_free(&figures);
    return verdict;
}

/* A detailed core that waits for loads in 80 of 100 slots; figures behind these differ. */
#define WAITING_CORE                                                                                                  \
    {"simTicks", 1e6}, {"finalTick", 2e6}, {"system.cpu.numCycles", 1e6},                                             \
    {"system.cpu.commitStats0.numInsts", 1e6}, {"system.cpu.topDown::total", 100},                                    \
    {"system.cpu.topDown::retiring", 20}, {"system.cpu.topDown::backEnd.loads", 80},                                  \
    {"system.l1d.demandMshrMissLatency::total", 100}

/* "its fullest queue is the cause if it is FULL, and if misses overlap" */
static void a_full_queue_is_the_cause_where_misses_overlap(void **state)
{
    const struct given rob[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 6}, {"system.cpu.inUse::rob", 0.95},
                                {"system.cpu.inUse::load_queue", 0.85}};
    const struct given loads[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 6}, {"system.cpu.inUse::rob", 0.5},
                                  {"system.cpu.inUse::load_queue", 0.85}};
    const struct given chain[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 1}, {"system.cpu.inUse::rob", 0.95}};

    assert_int_equal(judge(rob, COUNT(rob), NULL).cores.bounds[0].cause, CAUSE_ROB);
    assert_int_equal(judge(loads, COUNT(loads), NULL).cores.bounds[0].cause, CAUSE_LOAD_QUEUE);
    assert_int_equal(judge(chain, COUNT(chain), NULL).cores.bounds[0].cause, CAUSE_DRAM_LATENCY);
}

static double share_of(const struct verdict *verdict, enum verdict_cause cause)
{
    for (size_t i = 0; i < verdict->cores.count; i++)
        if (verdict->cores.bounds[i].cause == cause)
            return verdict->cores.bounds[i].share;
    return 0;
}

/* "the rest of it are dependences like others: loads that hit" */
static void loads_that_hit_are_dependences(void **state)
{
    const struct given hits[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 0.25}};
    struct verdict const verdict = judge(hits, COUNT(hits), NULL);

    assert_near(share_of(&verdict, CAUSE_DRAM_LATENCY) + share_of(&verdict, CAUSE_CACHE_LATENCY), 0.25);
    assert_near(share_of(&verdict, CAUSE_DEPENDENCES), 0.55);
}

/* "Of a detailed one, as L2 and L3: it is blocked for REFUSING of the time" */
static void an_l1d_that_refuses_is_the_cause_before_queues(void **state)
{
    const struct given refuses[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 4}, {"system.l1d.blockedShare", 0.9},
                                    {"system.cpu.inUse::instruction_queue", 0.95}};

    assert_int_equal(judge(refuses, COUNT(refuses), NULL).cores.bounds[0].cause, CAUSE_L1D_MSHRS);
}

/* "By cause, as L2 and L3": MSHRs, targets of one, write buffers */
static void a_refusing_cache_is_named_with_the_missing_resource(void **state)
{
    static const struct { const char *name; enum verdict_cause l1d, l2; } reasons[] = {
        {"no_mshrs", CAUSE_L1D_MSHRS, CAUSE_CACHE_MSHRS}, {"no_targets", CAUSE_L1D_TARGETS, CAUSE_CACHE_TARGETS},
        {"no_write_buffers", CAUSE_L1D_WRITE_BUFFERS, CAUSE_CACHE_WRITE_BUFFERS}
    };

    for (size_t i = 0; i < COUNT(reasons); i++) {
        char l1d[64], l2[64];

        snprintf(l1d, sizeof l1d, "system.l1d.blockedBy::%s", reasons[i].name);
        snprintf(l2, sizeof l2, "system.l2.blockedBy::%s", reasons[i].name);
        const struct given above[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 4}, {"system.l1d.blockedShare", 0.9},
                                      {l1d, 0.9}};
        const struct given below[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 4}, {"system.l2.blockedShare", 0.9},
                                      {l2, 0.9}};

        assert_int_equal(judge(above, COUNT(above), NULL).cores.bounds[0].cause, reasons[i].l1d);
        assert_int_equal(judge(below, COUNT(below), NULL).cores.bounds[0].cause, reasons[i].l2);
    }
}

/* "Figures per core": of one that ran and three that did not */
static void idle_cores_dilute_nothing(void **state)
{
    const struct given list[] = {{"simTicks", 1e6}, {"finalTick", 2e6}, {"system.cpu0.numCycles", 1e6},
                                 {"system.cpu0.commitStats0.numInsts", 2e5}, {"system.cpu1.commitStats0.numInsts", 0},
                                 {"system.cpu2.commitStats0.numInsts", 0}, {"system.cpu3.commitStats0.numInsts", 0},
                                 {"system.cpu0.topDown::total", 100}, {"system.cpu0.topDown::backEnd.loads", 80},
                                 {"system.cpu0.topDown::retiring", 20}, {"system.l1d0.avgMshrsInUse", 2},
                                 {"system.l1d1.avgMshrsInUse", 0}, {"system.l1d2.avgMshrsInUse", 0},
                                 {"system.l1d3.avgMshrsInUse", 0}, {"system.l1d0.demandMshrMissLatency::total", 100}};
    struct verdict const verdict = judge(list, COUNT(list), NULL);

    assert_near(share_of(&verdict, CAUSE_CACHE_LATENCY) + share_of(&verdict, CAUSE_DRAM_LATENCY), 0.8);
    assert_non_null(strstr(verdict.cores.text, "2.0 lines in flight per core"));
    assert_int_equal(verdict.doubt_count, 0);
}

/* "slots lost to wrong paths are shared by what squashed" */
static void slots_of_squashes_are_shared_by_cause(void **state)
{
    const struct given both[] = {{"simTicks", 1e6}, {"system.cpu.commitStats0.numInsts", 1e6},
                                 {"system.cpu.topDown::total", 100}, {"system.cpu.topDown::retiring", 20},
                                 {"system.cpu.topDown::badSpeculation", 80},
                                 {"system.cpu.commit.branchMispredicts", 10},
                                 {"system.cpu.iew.memOrderViolationEvents", 30}};
    struct verdict const verdict = judge(both, COUNT(both), NULL);

    assert_near(share_of(&verdict, CAUSE_MEMORY_ORDER), 0.6);
    assert_near(share_of(&verdict, CAUSE_MISPREDICTIONS), 0.2);
}

#define GPU_OF(scoreboard, memory, barrier, idle)                                                                     \
    {"simSeconds", 1}, {"simTicks", 1e12}, {"system.gpu.warp_insts", 10},                                              \
    {"system.gpu.stall_scoreboard", scoreboard},                                                                      \
    {"system.gpu.stall_ldst", memory}, {"system.gpu.stall_unit", 0}, {"system.gpu.stall_barrier", barrier},         \
    {"system.gpu.idle_cycles", idle}, {"system.gpu.sectorBytes", 32}, {"system.gpu.dramPeakBW", 1000},                \
    {"system.gpu.dram_writes", 0}, {"system.gpu.occupancy", 1}

/* "its data bus is busy for SATURATED of the time or more": a GPU's own */
static void a_gpu_is_bound_by_its_dram(void **state)
{
    const struct given busy[] = {GPU_OF(50, 30, 0, 10), {"system.gpu.dram_reads", 0.9e9 / 32},
                                 {"system.gpu.scoreboard_loads", 50}};
    const struct given free[] = {GPU_OF(50, 30, 0, 10), {"system.gpu.dram_reads", 0.3e9 / 32},
                                 {"system.gpu.scoreboard_loads", 45}};
    struct verdict const verdict = judge(busy, COUNT(busy), NULL);

    assert_int_equal(verdict.gpu.bounds[0].cause, CAUSE_DRAM_BANDWIDTH);
    assert_string_equal(verdict.gpu.text, "DRAM bandwidth: 90 % of peak, waited for in 80 % of scheduler cycles; "
                        "next: idle, no warp has anything to issue, 10 %");
    assert_int_equal(verdict.cores.count, 0);
    assert_int_equal(judge(free, COUNT(free), NULL).gpu.bounds[0].cause, CAUSE_GPU_SCOREBOARD);
}

static void a_gpu_waits_at_barriers_or_issues(void **state)
{
    const struct given list[] = {GPU_OF(20, 10, 60, 0), {"system.gpu.dram_reads", 0}};

    const struct given issues[] = {GPU_OF(2, 1, 1, 1), {"system.gpu.dram_reads", 0}};
    const struct given results[] = {GPU_OF(60, 1, 1, 1), {"system.gpu.dram_reads", 0},
                                    {"system.gpu.scoreboard_loads", 10}};
    const struct given loads[] = {GPU_OF(60, 1, 1, 1), {"system.gpu.dram_reads", 0},
                                  {"system.gpu.scoreboard_loads", 50}};
    const struct given idles[] = {GPU_OF(2, 1, 1, 50), {"system.gpu.dram_reads", 0}};

    assert_int_equal(judge(list, COUNT(list), NULL).gpu.bounds[0].cause, CAUSE_GPU_BARRIERS);
    assert_int_equal(judge(issues, COUNT(issues), NULL).gpu.bounds[0].cause, CAUSE_GPU_ISSUE);
    assert_int_equal(judge(idles, COUNT(idles), NULL).gpu.bounds[0].cause, CAUSE_GPU_IDLE);
    assert_int_equal(judge(results, COUNT(results), NULL).gpu.bounds[0].cause, CAUSE_GPU_RESULTS);
    assert_int_equal(judge(loads, COUNT(loads), NULL).gpu.bounds[0].cause, CAUSE_GPU_SCOREBOARD);
}

/* ---- memory at its limit */
/* An elastic core that waits for loads in 80 of 100 cycles. */
#define ELASTIC_CORE                                                                                                  \
    {"simTicks", 1e6}, {"finalTick", 2e6}, {"system.cpu.numOps", 1e6}, {"system.cpu.cpiStack::total", 100},           \
    {"system.cpu.cpiStack::working", 20}, {"system.cpu.cpiStack::rob", 50}, {"system.cpu.cpiStack::load_buffer", 30}, \
    {"system.cpu.cpiStack::blocked_cache", 0}, {"system.cpu.cpiStack::store_buffer", 0},                              \
    {"system.cpu.cpiStack::dependences", 0}, {"system.l1d.avgMshrsInUse", 5}

/* "where fewer lines are under way than CHAINED of the misses that it spans, the misses need each other" */
static void a_chain_of_misses_is_no_small_reorder_buffer(void **state)
{
#define FULL_ROB(lines)                                                                                               \
    {"simTicks", 1e6}, {"system.cpu.numOps", 1e6}, {"system.cpu.cpiStack::total", 100},                                \
    {"system.cpu.cpiStack::working", 20}, {"system.cpu.cpiStack::rob", 80}, {"system.l1d.avgMshrsInUse", lines},       \
    {"system.cpu.robEntries", 100}, {"system.l1d.demandMshrMisses::total", 100000},                                    \
    {"system.l1d.demandMshrMissLatency::total", 100}
    const struct given chain[] = {FULL_ROB(1)}, overlap[] = {FULL_ROB(4)};
    const struct given refused[] = {FULL_ROB(1), {"system.l1d.blockedShare", 0.9}};

    assert_int_equal(judge(chain, COUNT(chain), NULL).cores.bounds[0].cause, CAUSE_DRAM_LATENCY);
    assert_int_equal(judge(overlap, COUNT(overlap), NULL).cores.bounds[0].cause, CAUSE_ROB);
    assert_int_equal(judge(refused, COUNT(refused), NULL).cores.bounds[0].cause, CAUSE_ROB);
}

/* "for as much of the time as that is at its limit" */
static void memory_is_the_cause_while_it_is_at_its_limit(void **state)
{
    const struct given half[] = {ELASTIC_CORE, {"system.mem_ctrls.dram.utilWindows::20", 6},
                                 {"system.mem_ctrls.dram.utilWindows::90", 4},
                                 {"system.mem_ctrls.dram.utilWindows::70", 0},
                                 {"system.mem_ctrls.dram.utilWindows::80", 0},
                                 {"system.mem_ctrls.dram.utilWindows::total", 10},
                                 {"system.mem_ctrls.dram.utilWindowsUsed::70", 0},
                                 {"system.mem_ctrls.dram.utilWindowsUsed::80", 0},
                                 {"system.mem_ctrls.dram.utilWindowsUsed::90", 3.8},
                                 {"system.mem_ctrls.dram.queuedWindows::20", 1},
                                 {"system.mem_ctrls.dram.queuedWindows::50", 0},
                                 {"system.mem_ctrls.dram.queuedWindows::60", 0},
                                 {"system.mem_ctrls.dram.queuedWindowsUsed::50", 0},
                                 {"system.mem_ctrls.dram.queuedWindowsUsed::60", 0}};
    struct verdict const verdict = judge(half, COUNT(half), NULL);

    assert_near(share_of(&verdict, CAUSE_DRAM_BANDWIDTH), 0.4);
    assert_near(share_of(&verdict, CAUSE_DRAM_BANKS), 0.1);
    assert_near(share_of(&verdict, CAUSE_ROB), 0.3 * 5 / 8);
    assert_near(share_of(&verdict, CAUSE_LOAD_QUEUE), 0.3 * 3 / 8);
    assert_near(share_of(&verdict, CAUSE_COMPUTE), 0.2);
    assert_string_equal(verdict.cores.text, "DRAM bandwidth: 95 % of peak in 40 % of the time, waited for in 40 % of "
                        "cycles; next: computation, 20 %");
}

/* the busiest channel, which gets UNEVEN times its even share */
static void one_channel_of_several_is_the_cause(void **state)
{
    const struct given uneven[] = {ELASTIC_CORE, {"system.mem_ctrls0.dram.dramBytesRead", 10},
                                   {"system.mem_ctrls0.dram.dramBytesWritten", 0},
                                   {"system.mem_ctrls0.dram.peakBW", 100},
                                   {"system.mem_ctrls1.dram.dramBytesRead", 90},
                                   {"system.mem_ctrls1.dram.dramBytesWritten", 0},
                                   {"system.mem_ctrls1.dram.peakBW", 100}};
    struct verdict const verdict = judge(uneven, COUNT(uneven), NULL);

    assert_int_equal(verdict.cores.bounds[0].cause, CAUSE_DRAM_CHANNEL);
    assert_string_equal(verdict.cores.text, "one memory channel of several: mem_ctrls1 has 90 % of the traffic, 90 % "
                        "of peak, waited for in 80 % of cycles; next: computation, 20 %");
}

static void resources_above_memory_are_the_cause(void **state)
{
    const struct given bus[] = {ELASTIC_CORE, {"system.membus.busiestLayer", 0.8}};
    const struct given free[] = {ELASTIC_CORE, {"system.membus.busiestLayer", 0.5}, {"system.l2.blockedShare", 0.2}};
    const struct given cache[] = {ELASTIC_CORE, {"system.membus.busiestLayer", 0.5}, {"system.l2.blockedShare", 0.9}};
    const struct given tlb[] = {ELASTIC_CORE, {"system.cpu.mmu.dtb.stallTicks", 0.7e6}};
    struct verdict const verdict = judge(tlb, COUNT(tlb), NULL);

    assert_int_equal(judge(bus, COUNT(bus), NULL).cores.bounds[0].cause, CAUSE_MEMORY_BUS);
    assert_int_equal(judge(free, COUNT(free), NULL).cores.bounds[0].cause, CAUSE_ROB);
    assert_int_equal(judge(cache, COUNT(cache), NULL).cores.bounds[0].cause, CAUSE_CACHE_MSHRS);
    assert_int_equal(verdict.cores.bounds[0].cause, CAUSE_TRANSLATION);
    assert_near(verdict.cores.bounds[0].share, 0.8 * 0.7);
}

/* ---- each slot of a detailed core, each stall of an elastic one and of a GPU */
static void each_stall_has_its_cause(void **state)
{
    static const struct { const char *name; enum verdict_cause cause; } stalls[] = {
        {"system.cpu.topDown::retiring", CAUSE_COMPUTE}, {"system.cpu.topDown::badSpeculation", CAUSE_MISPREDICTIONS},
        {"system.cpu.topDown::frontEnd.icache", CAUSE_L1I}, {"system.cpu.topDown::frontEnd.bandwidth", CAUSE_FRONT_END},
        {"system.cpu.topDown::backEnd.serialising", CAUSE_SERIALISING},
        {"system.cpu.topDown::backEnd.stores", CAUSE_STORE_BUFFER},
        {"system.cpu.topDown::backEnd.memoryOrder", CAUSE_MEMORY_ORDER},
        {"system.cpu.topDown::backEnd.units", CAUSE_UNITS}, {"system.cpu.topDown::backEnd.queues", CAUSE_DEPENDENCES}
    };

    for (size_t i = 0; i < COUNT(stalls); i++) {
        const struct given list[] = {{"system.cpu.topDown::retiring", 0}, {"system.cpu.commitStats0.numInsts", 1e6},
                                     {"system.cpu.topDown::total", 100}, {stalls[i].name, 60}};

        assert_int_equal(judge(list, COUNT(list), NULL).cores.bounds[0].cause, stalls[i].cause);
    }
}

static void missing_dependences_are_reported(void **state)
{
    const struct given list[] = {WAITING_CORE};
    struct verdict_hints const hints = {.has_no_dependences = true};

    assert_int_equal(judge(list, COUNT(list), NULL).doubt_count, 0);
    assert_int_equal(judge(list, COUNT(list), &hints).doubt_count, 1);
}

/* A run of which nothing is known has no verdict. */
static void no_statistics_give_no_verdict(void **state)
{
    struct verdict const verdict = judge(NULL, 0, NULL);

    assert_int_equal(verdict.cores.count + verdict.gpu.count + verdict.doubt_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_is_the_cause_where_misses_overlap),
        cmocka_unit_test(loads_that_hit_are_dependences),
        cmocka_unit_test(an_l1d_that_refuses_is_the_cause_before_queues),
        cmocka_unit_test(a_refusing_cache_is_named_with_the_missing_resource),
        cmocka_unit_test(idle_cores_dilute_nothing),
        cmocka_unit_test(slots_of_squashes_are_shared_by_cause),
        cmocka_unit_test(a_chain_of_misses_is_no_small_reorder_buffer), cmocka_unit_test(a_gpu_is_bound_by_its_dram),
        cmocka_unit_test(a_gpu_waits_at_barriers_or_issues), cmocka_unit_test(missing_dependences_are_reported),
        cmocka_unit_test(memory_is_the_cause_while_it_is_at_its_limit),
        cmocka_unit_test(one_channel_of_several_is_the_cause), cmocka_unit_test(resources_above_memory_are_the_cause),
        cmocka_unit_test(each_stall_has_its_cause), cmocka_unit_test(no_statistics_give_no_verdict)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
