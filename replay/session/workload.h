/* Workloads: the traces of a run, of any kind, open and ready to be replayed any number of times by any number of
 * processes.
 *
 * Use: workload_find, or workload_of_files; workload_find_stores and workload_find_gpu_store, if wanted; workload_hash,
 * if wanted; give it to sessions (replay/session/session.h); workload_close, also after a fault. A store is mapped
 * once, so processes that are forked later share it. One that is still being made can be read once, by one core.
 * Ownership: names and paths are borrowed. */
#ifndef REPLAY_SESSION_WORKLOAD_H
#define REPLAY_SESSION_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/file_mark.h"
#include "proto/insn/trace.h"
#include "proto/macsim/set.h"
#include "replay/gpu/kernel_pick.h"
#include "replay/session/insn_cores.h"
#include "replay/session/macsim_cores.h"
#include "replay/session/trace_pair.h"
#include "replay/session/warn_sink.h"

/* How traces of MacSim and instruction traces are read. */
struct workload_options {
    bool has_format;
    struct macsim_override format;
    struct macsim_uop_options uops;
    struct insn_read_options insn;
};
struct workload_options workload_usual_options(void);

/* A file whose content the hash stands for, as it was when that was taken. */
struct workload_file {
    char *path;
    struct file_mark mark;
};

struct workload {
    const char *name;
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
    uint64_t hash;                       /* of the traces' contents, in whatever form they are read */
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
void workload_close(struct workload *workload);

/* Do the cores run threads? MacSim's or those of instruction traces. */
static inline bool workload_has_threads(const struct workload *workload)
{
    return workload->macsim || workload->insn_count > 0;
}

/* Are all paths sets of MacSim, or instruction traces? Then is_one_space, if there are threads among them. format: that
 * instruction traces are said to be of; NULL: told by content. */
bool workload_is_threads(const char *const *paths, size_t count, const char *format);

/* ---- stores of traces (replay/session/store_cache.h) */
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

void workload_find_stores(struct workload *workload, const struct workload_stores *stores);
/* The same of the list of kernels, which is made at once. */
void workload_find_gpu_store(struct workload *workload, const struct workload_stores *stores);
/* After all records were read. */
void workload_finish_stores(struct workload *workload, const struct warn_sink *warn);

/* Opens the list of kernels. FAULT_INPUT, too, if kernels name one that it has not. Warns of what is odd about it, of a
 * set whose threads are taken as well not again. */
struct fault workload_open_list(const struct workload *workload, const struct gpu_pick *kernels, struct gpu_list *list,
                                const struct warn_sink *warn);

/* What is odd about traces, as far as opening them has shown. */
void workload_warn(const struct workload *workload, const struct warn_sink *warn);

/* Fills in hash, files and work. */
struct fault workload_hash(struct workload *workload);
/* Are the contents still those of the hash? Files whose marks are the same are not read. */
struct fault workload_check(struct workload *workload);
void workload_forget_files(struct workload *workload);

#endif
