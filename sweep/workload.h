/* Workloads: the traces of a sweep's file, open and ready to be replayed any number of times by any number of
 * processes.
 *
 * Use: workload_find for each of the file's; the caller may then put a store into pairs[i].store (workload_close closes
 * it) and a packed list into gpu_list; workload_hash; give them to plan_make and run_point; workload_close. A store is
 * mapped once, before workers are forked, so all of them share it. */
#ifndef SWEEP_WORKLOAD_H
#define SWEEP_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/error.h"
#include "proto/macsim_set.h"
#include "replay/trace_pair.h"
#include "sweep/spec.h"

struct workload {
    const char *name;
    struct trace_pair *pairs;            /* one for all cores, or one for each */
    size_t pair_count;
    struct macsim_set *macsim;           /* threads for the cores, in place of pairs; NULL: none */
    bool is_one_space;                   /* as MacSim's threads are alone, cores share their addresses */
    char *gpu_list;                      /* path of a list of kernels or of its store; NULL: none */
    uint64_t hash;                       /* of the traces' contents, in whatever form they are read */
    double work;                         /* records and warp instructions, as far as they are known: a first guess of
                                          * how long a replay takes */
};

/* Fails if a path holds no traces. workload_close in any case. */
bool workload_find(struct workload *workload, const struct spec_workload *spec, struct proto_error *error);
bool workload_hash(struct workload *workload, struct proto_error *error);
void workload_close(struct workload *workload);

#endif
