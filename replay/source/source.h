/* Sources: a row for each kind of traces, of a workload (what paths hold) and of a run (what cores get).
 *
 * Use: workload.c finds the row of a path and calls it; a session asks source_of_cores, opens its run before a system
 * is made, gives it to the system, and closes it after the system. Neither knows kinds. A new kind is one file with a
 * row, listed in SOURCES. Functions of a row that are NULL have nothing to do.
 * Ownership: a run borrows all that its setup names. */
#ifndef REPLAY_SOURCE_SOURCE_H
#define REPLAY_SOURCE_SOURCE_H

#include "replay/config/config_values.h"
#include "replay/source/workload.h"
#include "replay/system/system.h"
#include "replay/system/thread_sides.h"
#include "replay/window/window.h"

struct hash64_pieces;

/* What one run needs to open the traces of its cores. */
struct source_setup {
    const struct system_config *config;  /* finished */
    struct workload *workload;
    struct vm_memory *spaces;            /* NULL unless needs_spaces */
    double tick_scale;
    const struct detailed_listener *listener;    /* an array of one for each core, or NULL */
    struct threads_pick pick;
    const struct warn_sink *warn;        /* receives the oddities of a first pass, before the next one begins */
};

struct source {
    const char *of_cores;                /* in messages: "cores run either ..." */
    const char *holds;                   /* "%s holds ..." */
    const char *why_not_detailed;        /* added to that if detailed cores cannot run it; NULL: nothing */
    const char *other_models;            /* that can; NULL: elastic */
    enum source_detail detail;
    bool has_threads;                    /* of a CPU: they share addresses and have no ticks of their own */
    bool yields_to_kernels;              /* left out beside kernels if the system has no cores */
    bool is_of_gpu;
    const struct source *rebuilt;        /* that takes its place on detailed cores; NULL: none */

    /* ---- of a workload */
    struct fault (*take)(struct workload *workload, const char *path);
    const char *(*first)(const struct workload *workload);       /* the first path; NULL: the workload has none */
    struct fault (*hash)(struct workload *workload, struct hash64_pieces *pieces);      /* also if it has none */
    void (*find_stores)(struct workload *workload, const struct workload_stores *stores);
    void (*finish_stores)(struct workload *workload, const struct warn_sink *warn);
    /* Whether a store can be made while a run reads: one core reads the traces, once. NULL: no. */
    bool (*reads_once)(const struct workload *workload, const struct system_config *config);
    void (*warn)(const struct workload *workload, const struct warn_sink *warn);
    void (*close)(struct workload *workload);

    /* ---- of a run by cores */
    struct fault (*check)(const struct workload *workload, const struct system_config *config, double tick_scale);
    bool (*needs_spaces)(const struct system_config *config);
    /* `traces` of all cores, of which those without work are idle. NULL on failure. */
    void *(*open)(const struct source_setup *setup, struct system_traces *traces, struct fault *fault);
    void (*close_run)(void *run);        /* run: may be NULL */
    struct fault (*give)(void *run, struct system *system);
    /* Part of the work that is done, 0 to 1: of the core that is furthest behind, or of all. */
    double (*position)(const void *run, const struct system *system);
    const char *(*warning)(const void *run, size_t i);   /* the i-th, complete after the run; NULL: no more */
    void (*warn_run)(const void *run, const struct warn_sink *warn);
    size_t (*programs)(const void *run);
    struct threads_program (*program)(const void *run, const struct system *system, size_t i);
    struct insn_threads_figures (*figures)(const void *run);
    /* Of the first pass; false: the core's micro-ops are not rebuilt from an elastic trace. */
    bool (*window_counts)(const void *run, unsigned core, struct window_counts *counts);
};

extern const struct source source_elastic, source_window, source_insns, source_macsim, source_kernels;

/* Traces of cores that a system runs; NULL: none. */
const struct source *source_of_cores(const struct workload *workload, const struct system_config *config);

/* Cores of a system for that many threads; the others are idle. */
static inline void source_idle_beyond(struct system_traces *traces, const struct source_setup *setup, size_t threads)
{
    for (unsigned i = 0; i < config_core_count(setup->config); i++)
        traces[i] = (struct system_traces){.is_idle = i >= threads, .takes_threads = i < threads,
                                           .memory = setup->spaces,
                                           .listener = setup->listener ? &setup->listener[i] : NULL};
}

/* ---- for rows */
struct fault source_no_memory(void);
void source_hash_add(struct hash64_pieces *pieces, uint64_t number);
/* Notes a file before it is read, so that workload_check finds changes. */
struct fault source_watch(struct workload *workload, const char *path);
struct fault source_hash_file(struct workload *workload, const char *path, struct hash64_pieces *pieces);
/* The same, and counts its bytes as work. */
struct fault source_hash_work(struct workload *workload, const char *path, struct hash64_pieces *pieces);
/* The kernels of a path, for the row of sets that hold threads and kernels. */
struct fault source_take_kernels(struct workload *workload, const char *path);

#endif
