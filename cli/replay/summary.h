/* Summary of a replay for people: time, CPI and its stack, caches, memory, load latency; a screenful of text. */
#ifndef CLI_REPLAY_SUMMARY_H
#define CLI_REPLAY_SUMMARY_H

#include <stdio.h>

#include "cli/common/table.h"
#include "replay/gpu/gpu_run.h"
#include "replay/metrics/metrics.h"
#include "replay/metrics/verdict.h"
#include "replay/session/mix.h"
#include "replay/session/session.h"
#include "replay/system/system.h"

/* Of more cores than this, or channels, the summary shows groups. */
enum { SUMMARY_MOST_ALONE = 8 };

struct summary_judgement {
    const struct figures *figures;
    const struct verdict *verdict;
    bool shows_all;                      /* each core, cache and channel, however many there are */
    const struct summary_kept *kept;     /* of programs that start again: their first passes, or of cores with ends of
                                          * their own; NULL: there are neither */
    uint64_t warmed;                     /* instructions of all programs in a warm-up without time, and how long ... */
    double warm_s;                       /* ... it took; 0: there was none */
};

/* Of one cache, or sums of several: of means, and the highest of all. */
struct cache_figures {
    uint64_t hits, misses;
    double mshrs, writes, blocked_ps;
    uint64_t highest_mshrs, highest_writes, measured_ps;
    struct prefetch_figures prefetches;
    uint64_t demand_misses;
    unsigned count;                      /* of caches */
};

/* Of the MMU of one core, or sums of several; walks: of one. */
struct mmu_figures {
    struct mmu_side_stats sides[MMU_SIDES];
    uint64_t l2_accesses, l2_misses, walks, huge_walks, walk_reads, queued_ps;
    struct sample_sums walk_sums;
    double period_ps;
    bool has_l2;
    unsigned count;
};

/* The summary's figures of cores, their private caches and TLBs at the ends of first passes (--restart) or at own ends
 * (--instructions); a count of 0: of none. */
struct summary_kept {
    char *cores[CONFIG_MAX_CORES];
    struct mmu_figures mmus[CONFIG_MAX_CORES];
    struct cache_figures *caches;        /* by place in system->caches */
    size_t cache_count;
    bool lacks_memory;
};
void summary_keep_pass(struct summary_kept *kept, const struct system *system, unsigned core);
void summary_kept_free(struct summary_kept *kept);

/* The bottleneck of the run, and reasons to doubt it. */
void summary_print_verdict(FILE *to, const struct verdict *verdict);

/* One line: the total, its largest parts, energy an instruction, energy-delay product; nothing without technology. */
void energy_summary_print(FILE *to, const struct figures *figures);

/* After system_run. host_s: seconds that the replay took. */
void summary_print(FILE *to, const struct system *system, double host_s, const struct summary_judgement *judgement);

/* The slowdown of each program, and of the GPU, from sharing the memory system. */
void summary_print_mix(FILE *to, const struct system_config *config, const struct mix *mix);

/* The same of a GPU alone, at its end. is_cut_short: by --until. */
void summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t time_ps,
                       double host_s, bool is_cut_short, const struct summary_judgement *judgement);

/* Many cores in the summary: totals, a table of each group of cores that are built alike with least, mean and most, and
 * by name those that are far from their group's mean. */

void core_groups_print(FILE *to, const struct system *system, const struct figures *figures);

/* The part on a detailed core in the summary of a replay. */

/* A table of where cycles went, with bars: each row by cycle_share_put, share is 0 to 1; width: of names. */
void cycle_shares_print(FILE *to, int width, void (*rows)(const void *context, struct table_writer *writer),
                        const void *context);
void cycle_share_put(struct table_writer *writer, const char *name, double cycles, double share);

void detailed_summary_print(FILE *to, const struct system *system, const struct system_core *core);

/* The kernels of a run, for people: cycles, hit rates, bandwidth. */

/* Of kernels that are done. */
void gpu_summary_print(FILE *to, const struct system_config *config, const struct gpu_run *run);

/* Summary of instruction traces at the end of a replay: instructions, micro-ops, missing data of the traces, waits. */

/* is_whole: all instructions are in the measured time. */
void insn_summary_print(FILE *to, const struct insn_threads_figures *figures, const struct system *system,
                        bool is_whole);
/* The data that the traces lack, and its substitutes, in lines that begin with `indent`. */
void insn_summary_lacks(FILE *to, const struct insn_threads_figures *figures, const char *indent);

/* Tables of caches and prefetchers; of TLBs; of memories, RowHammer and, with shows_all, energy. A line for all of one
 * kind if there are many and not `shows_all`. kept: may be NULL. */
void cache_summary_print(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept);
void tlb_summary_print(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept);
void memory_summary_print(FILE *to, const struct system *system, bool shows_all);
/* Of a GPU alone, whose memory works command by command; prints nothing of others. */
void memory_summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t now_ps,
                              bool shows_all);
/* Those of the core's own caches and MMU. */
void cache_summary_keep(struct summary_kept *kept, const struct system *system, unsigned core);

/* `replay --summary FILE`: the summary for programs, one JSON object: system, every metric of the run with those of
 * each core and channel, rows by their activations where they are counted, and the verdict. */

/* where: of --by; may be NULL. False: out of memory. Errors of the file show in ferror. */
struct where;
bool summary_json_write(FILE *file, const char *system, const struct figures *figures, const struct verdict *verdict,
                        const struct where *where);

#endif
