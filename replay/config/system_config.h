/* A configuration in full, for those that read or change much of it; others ask the functions of config_values.h. */
#ifndef REPLAY_CONFIG_SYSTEM_CONFIG_H
#define REPLAY_CONFIG_SYSTEM_CONFIG_H

#include "memsys/cache/cache_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/noc/noc_params.h"
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/tlb/tlb_params.h"
#include "memsys/vm/vm_params.h"
#include "replay/config/config_limits.h"
#include "replay/config/config_module.h"
#include "replay/config/branch_params.h"
#include "replay/config/core_params.h"
#include "replay/config/detailed_params.h"
#include "replay/config/technologies.h"

/* One model for all cores. */
#define CPU_PARAMETERS(P)                                                                                             \
    P(cpu_model, model, CPU_MODEL, CPU_MODEL_AUTO, CPU_MODEL_AUTO, CPU_MODEL_WINDOW, "elastic: cores replay "         \
      "records; detailed: they execute instruction traces cycle by cycle; window: they do so with elastic traces; "    \
      "auto: elastic")                                                                                                \
    P(capture_core, capture, CAPTURE_CORE, CAPTURE_REFERENCE, CAPTURE_REFERENCE, CAPTURE_SYSTEM, "window: the core "  \
      "that traces were captured on, whose refill and latencies are in their delays. reference: gem5's default; "     \
      "system: this one")

#define SYSTEM_PARAMETERS(P)                                                                                          \
    P(line_bytes, line, BYTES, 64, 16, 256, "cache line, a power of two")                                             \
    P(cpu_clock_ps, cpu_clock, PERIOD, 500, 1, SLOWEST_CLOCK_PS, "clock of the cores")                                \
    P(system_clock_ps, system_clock, PERIOD, 1000, 1, SLOWEST_CLOCK_PS, "clock of the memory bus")                    \
    P(exit_first_core, exit_first_core, BOOL, 0, 0, 1, "end when the first core has finished, not the last")          \
    P(technology, technology, TECHNOLOGY, TECHNOLOGY_NONE, 0, TECHNOLOGY_5, "node of its SRAMs: a run has their "     \
      "energy, too; none: not")

struct core_config {
    struct core_params params;
    uint64_t offset_bytes;           /* added to every physical address of the core */
    bool has_offset, share;          /* the settings of addresses, optional for the first core */
};

/* The requesters above a cache: other caches, the cores' fetch side, the cores' data side. */
enum cache_feed { FEED_CACHES, FEED_FETCH, FEED_DATA };

struct behind_ref {
    uint8_t cache;                   /* index in caches[] */
    int8_t instance;                 /* -1: all of it or, below a private cache, the same core's */
};

struct cache_config {
    char name[CONFIG_NAME_BYTES];
    struct cache_params params;
    struct prefetcher_params prefetchers[PREFETCHERS_OF_CACHE];    /* prefetcher, prefetcher2, prefetcher3 */
    struct config_module replacement_module, prefetcher_modules[PREFETCHERS_OF_CACHE];
    bool is_private;                 /* one instance a core; the L1s always */
    enum cache_feed feed;
    unsigned behind_count;           /* 0 for the L1s and the memory cache */
    struct behind_ref behind[CONFIG_MAX_BEHIND];
    char behind_text[CONFIG_BEHIND_TEXT];    /* as written; config_finish makes behind of it */
};

struct system_config {
    SYSTEM_PARAMETERS(PARAM_FIELD)
    char name[64];                   /* of the file, without folder and ending */
    CPU_PARAMETERS(PARAM_FIELD)
    struct core_params core;         /* defaults of every core */
    struct detailed_params detailed; /* of every core, if they are detailed ... */
    struct branch_params branch;     /* ... and of its branch unit */
    struct config_module branch_modules[CONFIG_BRANCH_MODULES];
    bool share;                      /* of every core that says nothing itself */
    uint64_t offset_step_bytes;      /* the same: core i is moved i steps aside; 0: not */
    unsigned core_count;
    struct core_config cores[CONFIG_MAX_CORES];
    unsigned cache_count;
    struct cache_config caches[CONFIG_MAX_CACHES];       /* l1i, l1d, then each cache after those it is behind */
    struct noc_params cache_bus, memory_bus;
    unsigned memory_count;
    struct memory_params memories[CONFIG_MAX_MEMORIES];  /* their ranges do not overlap */
    bool has_memory_cache;
    struct cache_config memory_cache;                    /* non-coherent, between the memory bus and the memories */
    struct gpu_params gpu;                               /* sms 0: none */
    struct pages_params pages;                           /* where virtual pages lie */
    char pages_map[CONFIG_MAP_TEXT];                     /* a file that says so; "": none */
    bool has_tlb;                                        /* each core has TLBs and a walker, by the section tlb */
    struct tlb_params tlb;
};

#endif
