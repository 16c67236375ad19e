/* Workloads: the traces of a run, of any kind, open and ready to be replayed any number of times by any number of
 * processes.
 *
 * Use: workload_find, or workload_of_files; workload_find_stores and workload_find_gpu_store, if wanted; workload_hash,
 * if wanted; give it to sessions (replay/session/session.h); workload_close, also after a fault. A store is mapped
 * once, so processes that are forked later share it. One that is still being made can be read once, by one core.
 * Ownership: names and paths are borrowed. */
#ifndef REPLAY_SOURCE_WORKLOAD_H
#define REPLAY_SOURCE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/input_file.h"
#include "proto/insn/insn_elastic.h"
#include "proto/insn/insn_trace.h"
#include "proto/macsim/macsim_elastic.h"
#include "proto/macsim/set.h"
#include "replay/gpu/gpu_run.h"
#include "replay/source/trace_pair.h"
#include "replay/source/warn_sink.h"

/* All cores see one address space; to be set before a user's own settings. */
#define THREAD_CORES_SETTING "cpu.share=yes"

/* How instruction traces are read. */
struct insn_read_options {
    struct insn_latencies latencies;
    bool is_free;                        /* no thread waits for another one */
    uint64_t time_ps;                    /* a cycle of times that are cycles; 0: as the format says */
    uint64_t skipped;                    /* instructions before those that are read, of a trace of one thread */
    char format[32];                     /* of proto/insn/formats.h; "": detected by content */
};

/* name: NULL for none. */
static inline void insn_read_format(struct insn_read_options *read, const char *name)
{
    snprintf(read->format, sizeof read->format, "%s", name ? name : "");
}
static inline const char *insn_read_format_name(const struct insn_read_options *read)
{
    return read->format[0] ? read->format : NULL;
}

/* How traces of MacSim and instruction traces are read. */
struct workload_options {
    bool has_format;
    struct macsim_override format;
    struct macsim_uop_options uops;
    struct insn_read_options insn;
};
struct workload_options workload_usual_options(void);

/* A file covered by the hash, with its state at the time of hashing. */
struct workload_file {
    char *path;
    struct file_mark mark;
};

/* How detailed cores run traces. */
enum source_detail {
    SOURCE_NEVER,
    SOURCE_REBUILT,                      /* micro-ops are rebuilt from records: --model window */
    SOURCE_EXECUTED                      /* they are instructions */
};

/* Settings of a replay that only some traces use: bits. */
enum workload_option {
    WORKLOAD_TAKES_LATENCY_TABLE = 1,
    WORKLOAD_TAKES_INSN_OPTIONS = 2,     /* latencies of classes, waits of threads, addresses */
    WORKLOAD_TAKES_MACSIM_OPTIONS = 4
};

/* The fields of one kind are for its file in replay/source/; others call the functions below. */
struct workload {
    const char *name;
    unsigned takes;                      /* enum workload_option */
    struct trace_pair *pairs;            /* one for all cores, or one for each */
    size_t pair_count;
    struct macsim_set *macsim;           /* threads for the cores, in place of pairs; NULL: none */
    struct insn_trace **insn;            /* processes for the cores, likewise; NULL: none */
    const char **insn_paths;             /* as given */
    size_t insn_count;
    bool is_one_space;                   /* as there are threads alone, cores share their addresses */
    char *gpu_list;                      /* path of a list of kernels or of its store; NULL: none */
    const char *gpu_name;                /* of the list, as given */
    struct workload_options options;
    struct region_set *regions;          /* that stand for the trace (sweep/run/region_point.h); NULL: all of it */
    const char *regions_path;            /* of their file, which the hash covers, as it does ... */
    const char **regions_traces;         /* ... traces of regions that have their own */
    size_t regions_trace_count;
    const char *regions_states;          /* ... and of the file of their states; NULL: none are used */
    const char *regions_warm;            /* name of how they begin */
    uint64_t hash;                       /* of the traces' contents, independent of the form read */
    struct workload_file *files;         /* those that a replay reads again */
    size_t file_count;
    double work;                         /* records and warp instructions, as far as they are known: a first guess of
                                          * how long a replay takes */
};

/* Fails if a path holds no traces. options: NULL for the usual ones. */
struct fault workload_find(struct workload *workload, const char *name, const char *const *paths, size_t count,
                           const struct workload_options *options);
/* Pairs of elastic traces, as files; they are not looked at. */
struct fault workload_of_files(struct workload *workload, const char *const *data, const char *const *fetch,
                               size_t count);
/* Runs that begin from now on read the instruction traces with other options, among them the place where they begin.
 * options: of the same format. */
struct fault workload_read_insn_as(struct workload *workload, const struct workload_options *options);
/* They begin that many instructions behind the place of the options; 0: there. */
struct fault workload_begin_behind(struct workload *workload, uint64_t insns);
void workload_close(struct workload *workload);

/* The first path with traces of cores, of kernels; NULL: none. */
const char *workload_cores(const struct workload *workload);
const char *workload_kernels(const struct workload *workload);
/* SOURCE_NEVER, too, of no traces of cores. */
enum source_detail workload_detail(const struct workload *workload);

/* Are all paths sets of MacSim, or instruction traces? Then is_one_space, if there are threads among them. format: the
 * user's choice for instruction traces; NULL: detected by content. */
bool workload_is_threads(const char *const *paths, size_t count, const char *format);

/* ---- stores of traces (replay/source/store_cache.h) */
enum workload_stores_how {
    WORKLOAD_STORES_FIND,                /* those that are there */
    WORKLOAD_STORES_MAKE,                /* and make the others now ... */
    WORKLOAD_STORES_WHILE_READING        /* ... or during the one run that reads them; then workload_finish_stores */
};

struct workload_stores {
    const char *folder;                  /* NULL: no stores */
    enum workload_stores_how how;
    bool verifies;                       /* stores are used after the whole of their traces was compared */
    void (*before_packing)(void);        /* before threads begin that make a store; NULL: nothing is to be done */
    const struct warn_sink *warn;        /* may be NULL, too */
};

/* Of traces of cores. */
void workload_find_stores(struct workload *workload, const struct workload_stores *stores);
/* Of the list of kernels, which is made at once. */
void workload_find_gpu_store(struct workload *workload, const struct workload_stores *stores);
/* After all records were read. */
void workload_finish_stores(struct workload *workload, const struct warn_sink *warn);

/* Opens the list of kernels. FAULT_INPUT also if `kernels` names one that the list does not have. Warns of oddities,
 * except for a set whose threads are used as well, which has already been reported. */
struct fault workload_open_list(const struct workload *workload, const struct gpu_pick *kernels, struct gpu_list *list,
                                const struct warn_sink *warn);

/* Warns of oddities in the traces that opening them has shown. */
void workload_warn(const struct workload *workload, const struct warn_sink *warn);
/* What was odd when their stores were made; a replay says it, too. */
void workload_warn_stores(const struct workload *workload, const struct warn_sink *warn);

/* Fills in hash, files and work. */
struct fault workload_hash(struct workload *workload);
/* Are the contents still those of the hash? Files whose marks are the same are not read. */
struct fault workload_check(struct workload *workload);
void workload_forget_files(struct workload *workload);

#endif
