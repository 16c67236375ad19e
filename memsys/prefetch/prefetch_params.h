/* Parameters of a prefetcher (memsys/sim/param.h). */
#ifndef MEMSYS_PREFETCH_PREFETCH_PARAMS_H
#define MEMSYS_PREFETCH_PREFETCH_PARAMS_H

#include "memsys/sim/module_use.h"
#include "memsys/sim/param.h"

/* One line a kind: K(kind, name). `name` is what users write; its functions are prefetch_<name>. */
#define PREFETCHERS(K)                                                                                                \
    K(STRIDE, stride)                                                                                                 \
    K(TAGGED, tagged)                                                                                                 \
    K(NEXT_LINE, next_line)                                                                                           \
    K(STREAM, stream)                                                                                                 \
    K(BOP, bop)                                                                                                       \
    K(SPP, spp)                                                                                                       \
    K(AMPM, ampm)                                                                                                     \
    K(IP_STRIDE, ip_stride)                                                                                           \
    K(STREAMER, streamer)                                                                                             \
    K(UP_DOWN, up_down)                                                                                               \
    K(NEXT_PAGE, next_page)

#define PREFETCHER_VALUE(kind, name) PREFETCHER_##kind,
enum prefetcher_kind {
    PREFETCHER_NONE, PREFETCHERS(PREFETCHER_VALUE) PREFETCHER_COUNT,
    PREFETCHER_MODULE = PREFETCHER_COUNT /* a file that the user named: module.module */
};
#undef PREFETCHER_VALUE

/* Accesses that train: as the kind's paper has it; misses; those and first hits on prefetched lines; all. */
#define PREFETCH_TRAININGS(V)                                                                                         \
    V(PREFETCH_TRAINING_AUTO, auto) V(PREFETCH_TRAINING_MISSES, misses) V(PREFETCH_TRAINING_FIRST_HITS, first_hits)   \
    V(PREFETCH_TRAINING_ACCESSES, accesses)
PARAM_ENUM(prefetch_training, PREFETCH_TRAININGS);

/* classic-memory 13 */
#define PREFETCHER_PARAMETERS(P)                                                                                      \
    P(type, type, PREFETCHER, PREFETCHER_NONE, 0, PREFETCHER_MODULE, "which prefetcher, a module's file, or none")    \
    P(degree, degree, COUNT, 0, 0, 256, "lines fetched for one access; 0: the kind's own")                            \
    P(distance, distance, COUNT, 0, 0, 4096, "lines or strides that it keeps ahead; 0: the kind's own")               \
    P(latency_cyc, latency, CYCLES, 1, 0, MOST_CYC, "from the access to its first prefetch")                          \
    P(queue_size, queue_size, COUNT, 32, 1, 65536, "candidates that wait for their turn")                             \
    P(train_on, train_on, PREFETCH_TRAINING, PREFETCH_TRAINING_AUTO, 0, 3, "accesses it learns from; auto: the "      \
      "kind's own")                                                                                                   \
    P(ignore_stores, ignore_stores, BOOL, 0, 0, 1, "it does not learn from stores, nor from reads for ownership of "  \
      "the cache above")                                                                                              \
    P(ignore_prefetches, ignore_prefetches, BOOL, 0, 0, 1, "it does not learn from prefetches of the cache above")    \
    P(ignore_writebacks, ignore_writebacks, BOOL, 0, 0, 1, "it does not learn from dirty lines that the cache above " \
      "writes back")                                                                                                  \
    P(ignore_walks, ignore_walks, BOOL, 0, 0, 1, "it does not learn from reads of page walks")                        \
    P(cross_pages, cross_pages, BOOL, 0, 0, 1, "fetch lines of other pages, too; with TLBs in caches of one "   \
      "core, once its TLBs have translated them")

struct prefetcher_params {
    PREFETCHER_PARAMETERS(PARAM_FIELD)
    struct module_use module;
};

#endif
