/* Figures: what a report shows of each point, out of its statistics. The list below is all that a report knows of them:
 * a line more is a column, an axis of the charts and a row of comparisons more.
 *
 * Use: report_figures_of for each point, with the statistics as a result file has them. A # in a name stands for any
 * digits or none: the instances of that name are added up.
 * Units: as the list says. Ownership: `of` is the caller's; names last during a visit. */
#ifndef SWEEP_REPORT_FIGURES_H
#define SWEEP_REPORT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/* F(name, unit, above the line, below the line ("": 1), factor, is higher better, is a ratio of sizes, help). Means of
 * ratios of sizes (times, cycles) are geometric; those of all else, which may be 0, are arithmetic. */
#define REPORT_FIGURES(F)                                                                                             \
    F("time", "ms", "simSeconds", "", 1e3, false, true, "simulated time to the end")                                  \
    F("cpi", "cycles", "system.cpu#.cpiStack::total", "system.cpu#.numOps", 1, false, true,                           \
      "cycles of all cores for each micro-op of all cores")                                                           \
    F("l1d.hit_rate", "%", "system.l1d#.demandHits::total", "system.l1d#.demandAccesses::total", 100, true, false,    \
      "demand accesses that hit")                                                                                     \
    F("l1d.mpki", "", "system.l1d#.demandMisses::total", "system.cpu#.numOps", 1e3, false, false,                     \
      "demand misses for 1,000 micro-ops")                                                                            \
    F("l2.hit_rate", "%", "system.l2#.demandHits::total", "system.l2#.demandAccesses::total", 100, true, false,       \
      "demand accesses that hit")                                                                                     \
    F("l2.mpki", "", "system.l2#.demandMisses::total", "system.cpu#.numOps", 1e3, false, false,                       \
      "demand misses for 1,000 micro-ops")                                                                            \
    F("l3.hit_rate", "%", "system.l3#.demandHits::total", "system.l3#.demandAccesses::total", 100, true, false,       \
      "demand accesses that hit")                                                                                     \
    F("l3.mpki", "", "system.l3#.demandMisses::total", "system.cpu#.numOps", 1e3, false, false,                       \
      "demand misses for 1,000 micro-ops")                                                                            \
    F("mlp", "", "system.l1d#.avgMshrsInUse", "", 1, true, false, "MSHRs of the L1Ds in use, on average")             \
    F("mem.gb_s", "GB/s", "system.mem_ctrls#.dram.bwTotal::total", "", 1e-9, true, false,                             \
      "bytes that DRAM read and wrote in a second")                                                                   \
    F("mem.latency_ns", "ns", "system.mem_ctrls#.dram.totMemAccLat", "system.mem_ctrls#.dram.readBursts", 1e-3,       \
      false, false, "mean latency of a read in the memory controller")                                                \
    F("mem.row_hit_rate", "%", "system.mem_ctrls#.dram.readRowHits", "system.mem_ctrls#.dram.readBursts", 100,        \
      true, false, "reads that found their row open")                                                                 \
    F("gpu.l1.hit_rate", "%", "system.gpu.l1_read_hits", "system.gpu.l1_reads", 100, true, false, "reads that hit")   \
    F("gpu.l2.hit_rate", "%", "system.gpu.l2_read_hits", "system.gpu.l2_reads", 100, true, false, "reads that hit")   \
    F("gpu.latency_ns", "ns", "system.gpu.latency_ps", "system.gpu.latency_requests", 1e-3, false, false,             \
      "mean latency of a request that leaves an SM")

#define REPORT_FIGURE_ONE(...) +1
enum { FIGURES = 0 REPORT_FIGURES(REPORT_FIGURE_ONE) };

struct figure {
    const char *name, *unit, *above, *below;
    double factor;
    bool is_higher_better, is_ratio;
    const char *help;
};

/* index < FIGURES */
const struct figure *report_figure_at(size_t index);

/* NAN: the point has no such figure; statistics NULL: it has none. Then the parts of its cycles, for each micro-op of
 * cores, or each warp instruction of a GPU, in the statistics' order; several cores give a part several times. */
void report_figures_of(const char *statistics, double of[FIGURES],
                       void (*visit)(void *self, const char *name, double cycles), void *self);

#endif
