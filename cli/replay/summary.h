/* Summary of a replay for people: time, CPI and its stack, caches, memory, load latency; a screenful of text. */
#ifndef CLI_REPLAY_SUMMARY_H
#define CLI_REPLAY_SUMMARY_H

#include <stdio.h>

#include "replay/metrics/verdict.h"
#include "replay/session/mix.h"
#include "replay/system/system.h"

/* Of more cores than this, or channels, the summary shows groups. */
enum { SUMMARY_MOST_ALONE = 8 };

struct summary_judgement {
    const struct figures *figures;
    const struct verdict *verdict;
    bool shows_all;                      /* each core, cache and channel, however many there are */
    const struct summary_kept *kept;     /* of programs that start again: their first passes; NULL: none do */
};

/* What the summary says of cores, their private caches and TLBs at the ends of first passes (--restart). */
struct summary_kept {
    char *cores[CONFIG_MAX_CORES], *mmus[CONFIG_MAX_CORES];
    char **caches, **prefetchers;        /* by place in system->caches */
    size_t cache_count;
    bool lacks_memory;
};
void summary_keep_pass(struct summary_kept *kept, const struct system *system, unsigned core);
void summary_kept_free(struct summary_kept *kept);

/* What bounds the run, and what makes that doubtful. */
void summary_print_verdict(FILE *to, const struct verdict *verdict);

/* How many caches from that one on are of one configuration. */
static inline unsigned summary_caches_alike(const struct system *system, unsigned first)
{
    unsigned count = 1;

    while (first + count < system->cache_count
           && system->caches[first + count].config == system->caches[first].config)
        count++;
    return count;
}

/* After system_run. host_s: seconds that the replay took. */
void summary_print(FILE *to, const struct system *system, double host_s, const struct summary_judgement *judgement);

/* What sharing the memory system cost each program, and the GPU, against having it alone. */
void summary_print_mix(FILE *to, const struct system_config *config, const struct mix *mix);

/* The same of a GPU alone, at its end. is_cut_short: by --until. */
void summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t time_ps,
                       double host_s, bool is_cut_short, const struct verdict *verdict);

#endif
