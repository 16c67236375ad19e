/* replay/metrics/verdict.h: rules that bundled traces do not reach, and the sentence. */
#include "replay/metrics/verdict.h"
#include "tests/support/unit.h"

struct given {
    const char *name;
    double value;
};

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

/* "a line less than HITTING of that time means that its loads hit" */
static void loads_that_hit_are_dependences(void **state)
{
    const struct given hits[] = {WAITING_CORE, {"system.l1d.avgMshrsInUse", 0.01}};

    assert_int_equal(judge(hits, COUNT(hits), NULL).cores.bounds[0].cause, CAUSE_DEPENDENCES);
}

#define GPU_OF(scoreboard, memory, barrier, idle)                                                                     \
    {"simSeconds", 1}, {"simTicks", 1e12}, {"system.gpu.warp_insts", 10},                                              \
    {"system.gpu.stall_scoreboard", scoreboard},                                                                      \
    {"system.gpu.stall_memory", memory}, {"system.gpu.stall_unit", 0}, {"system.gpu.stall_barrier", barrier},         \
    {"system.gpu.idle_cycles", idle}, {"system.gpu.sectorBytes", 32}, {"system.gpu.dramPeakBW", 1000},                \
    {"system.gpu.dram_writes", 0}, {"system.gpu.occupancy", 1}

/* "its data bus is busy for SATURATED of the time or more": a GPU's own */
static void a_gpu_is_bound_by_its_dram(void **state)
{
    const struct given busy[] = {GPU_OF(50, 30, 0, 10), {"system.gpu.dram_reads", 0.9e9 / 32}};
    const struct given free[] = {GPU_OF(50, 30, 0, 10), {"system.gpu.dram_reads", 0.3e9 / 32}};
    struct verdict const verdict = judge(busy, COUNT(busy), NULL);

    assert_int_equal(verdict.gpu.bounds[0].cause, CAUSE_DRAM_BANDWIDTH);
    assert_string_equal(verdict.gpu.text, "DRAM bandwidth: waited for in 80 % of scheduler cycles (90 % of peak); "
                        "next: no work, warps have nothing to issue, 10 %");
    assert_int_equal(verdict.cores.count, 0);
    assert_int_equal(judge(free, COUNT(free), NULL).gpu.bounds[0].cause, CAUSE_GPU_SCOREBOARD);
}

static void a_gpu_waits_at_barriers(void **state)
{
    const struct given list[] = {GPU_OF(20, 10, 60, 0), {"system.gpu.dram_reads", 0}};

    assert_int_equal(judge(list, COUNT(list), NULL).gpu.bounds[0].cause, CAUSE_GPU_BARRIERS);
}

static void dependences_that_a_trace_lacks_are_said(void **state)
{
    const struct given list[] = {WAITING_CORE};
    struct verdict_hints const hints = {.has_no_dependences = true};

    assert_int_equal(judge(list, COUNT(list), NULL).doubt_count, 0);
    assert_int_equal(judge(list, COUNT(list), &hints).doubt_count, 1);
}

/* A run of which nothing is known has no verdict. */
static void nothing_is_said_of_nothing(void **state)
{
    struct verdict const verdict = judge(NULL, 0, NULL);

    assert_int_equal(verdict.cores.count + verdict.gpu.count + verdict.doubt_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_is_the_cause_where_misses_overlap),
        cmocka_unit_test(loads_that_hit_are_dependences), cmocka_unit_test(a_gpu_is_bound_by_its_dram),
        cmocka_unit_test(a_gpu_waits_at_barriers), cmocka_unit_test(dependences_that_a_trace_lacks_are_said),
        cmocka_unit_test(nothing_is_said_of_nothing)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
