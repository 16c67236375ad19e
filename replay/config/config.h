/* Configuration: a YAML file made for people becomes a struct system_config.
 *
 * Use: config_defaults, config_load (or config_load_text), config_set for each --set, config_finish once, then build a
 * system from it.
 *
 * Layout: top-level keys (line, cpu_clock, ...), sections cpu, l1i, l1d, l2, l3, cache_bus, memory_bus, memory_cache,
 * memory. Values that a file does not name stay as they were. l2, l3 and memory_cache are absent until they are named;
 * `l2: none` takes one out. memory holds `device: NAME` and the sections dram (changes that device) and controller. A
 * cache holds the section prefetcher; `prefetcher: stride` sets its type. `include: FILE` (or a list) is applied before
 * the rest of its file. A device other than the one there replaces what was said about memory.dram
 * in included files; page policy, address map and queue depths come with the first device that is named, and stay under
 * others unless memory.policy is device.
 *
 * Cores: `cores: 4`, or a list of what differs from cpu:, core by core. Each core but the first must say what becomes
 * of its addresses: offset: moves them aside, share: yes keeps them where they overlap with another core's. cpu.share
 * and cpu.offset_step (core i moves i steps) say so for all cores that say nothing themselves.
 *
 * Caches: the L1s belong to one core each. l2 stands behind all L1s, l3 behind l2; with `private: yes` a cache has one
 * instance a core. `behind: [NAMES]` puts l2, l3 or a cache of the list `caches:` (items with a name:) elsewhere: l1d
 * is all of the L1Ds, cpu2.l1d (or l1d2) that of core 2. What is behind caches has a crossbar above it; what has
 * nothing behind it sits on the memory bus. An item of `caches:` replaces a cache of the same name, or comes as a new
 * one with l2's defaults.
 *
 * Memories: `memories:` is a list of sections like memory; without base each begins where the one before ends. Lists
 * replace those of an included file as a whole.
 *
 * Detailed cores: cpu.model says what the cores are; the other keys of a detailed core stand in cpu and in its sections
 * fuPool, opLat, pipelined and branchPred, for all cores alike. They are shown only if the model is detailed, or one
 * of them is not at its default.
 *
 * GPU: section gpu with sm, units.int, units.sp, ..., l1, l2; without gpu.sms there is none. `cores: 0` is a system of
 * a GPU alone: the memory is the GPU's DRAM then, its channels are gpu.l2.channels, there are no caches and buses. With
 * `gpu.memory: shared` the GPU alone has the memory bus, the memory cache and the memories as beside cores; what was
 * said about cores and their caches is dropped.
 *
 * Virtual memory: section pages says where virtual pages lie in physical memory; section tlb of cpu, with l1d, l1i,
 * l2, walker and walker.caches, gives every core TLBs and a page walker. Without it, or with `tlb: none`, there are
 * none; any key of it, or `tlb: yes`, adds it with its defaults.
 *
 * Keys, units, defaults and help come from the parameter tables (memsys/sim/params.h and below). Unknown keys are
 * refused with the nearest known name; every fault names file, line, key, what was expected and how to mend it. */
#ifndef REPLAY_CONFIG_CONFIG_H
#define REPLAY_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/config/tables.h"

/* One model for all cores. */
#define CPU_PARAMETERS(P)                                                                                             \
    P(cpu_model, model, CPU_MODEL, CPU_MODEL_AUTO, CPU_MODEL_AUTO, CPU_MODEL_WINDOW, "elastic: cores replay "         \
      "records; detailed: they execute instruction traces cycle by cycle; window: they do so with elastic traces; "    \
      "auto: elastic")

/* elastic-trace 2.1 */
#define CORE_PARAMETERS(P)                                                                                            \
    P(rob, rob, COUNT, 40, 1, 65535, "reorder buffer, in micro-ops")                                                  \
    P(load_buffer, load_buffer, COUNT, 16, 1, 65535, "loads in flight")                                               \
    P(store_buffer, store_buffer, COUNT, 16, 1, 65535, "stores in flight")                                            \
    P(freq_multiplier, freq_multiplier, RATIO, 1.0, 0, 0, "computation delays are divided by it")

#define SYSTEM_PARAMETERS(P)                                                                                          \
    P(line_bytes, line, BYTES, 64, 16, 256, "cache line, a power of two")                                             \
    P(cpu_clock_ps, cpu_clock, PERIOD, 500, 1, SLOWEST_CLOCK_PS, "clock of the cores")                                \
    P(system_clock_ps, system_clock, PERIOD, 1000, 1, SLOWEST_CLOCK_PS, "clock of the memory bus")                    \
    P(exit_first_core, exit_first_core, BOOL, 0, 0, 1, "end when the first core has finished, not the last")

enum { CONFIG_MAX_CORES = 64, CONFIG_MAX_CACHES = 24, CONFIG_MAX_MEMORIES = 8, CONFIG_NAME_BYTES = 16 };
enum { CONFIG_MAX_BEHIND = 2 * CONFIG_MAX_CORES, CONFIG_BEHIND_TEXT = 2048, CONFIG_MAP_TEXT = 256 };

struct core_params { CORE_PARAMETERS(PARAM_FIELD) };

struct core_config {
    struct core_params params;
    uint64_t offset_bytes;           /* added to every physical address of the core */
    bool has_offset, share;          /* what was said about addresses; the first core need not say anything */
};

/* Who is above a cache: other caches, the cores' fetch side, the cores' data side. */
enum cache_feed { FEED_CACHES, FEED_FETCH, FEED_DATA };

struct behind_ref {
    uint8_t cache;                   /* index in caches[] */
    int8_t instance;                 /* -1: all of it or, below a private cache, the same core's */
};

struct cache_config {
    char name[CONFIG_NAME_BYTES];
    struct cache_params params;
    struct prefetcher_params prefetcher;
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
    struct detailed_params detailed; /* of every core, if they are detailed */
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
    bool has_tlb;                                        /* each core has what tlb says */
    struct tlb_params tlb;
};

/* Everything at its default: one core of the reference script, without L2 (classic-memory 15). */
void config_defaults(struct system_config *config);
/* Applies a YAML file to a config: `path` is a file, or the name of a shipped system such as "wide" (config_find). */
struct fault config_load(struct system_config *config, const char *path);
/* Applies YAML text; `name` stands for the file in faults, and its includes are looked up beside it. */
struct fault config_load_text(struct system_config *config, const char *name, const char *text, size_t length);
/* Applies one "l2.size=512KiB". Keys are the file's, joined by points; items of lists are numbered from 0 (cores.1.rob,
 * memories.0.size), caches go by their names. A key of an absent L2, L3 or memory cache adds that cache with its
 * defaults; "l2=none" takes it out. "memory.device=NAME" gives memory.dram that device's values; with
 * memory.policy=system, the default, all but those that config_is_dram_policy (device.h) names.
 * "include=FILE" applies a file as it is found by config_find. */
struct fault config_set(struct system_config *config, const char *assignment);
/* The same; `where` begins the faults, in place of "--set". */
struct fault config_set_from(struct system_config *config, const char *assignment, const char *where);
/* Several: includes first, then numbers of cores, memory.policy, devices, all other keys, and sections that are taken
 * out (l2=none, cpu.tlb=none) last: their order does not matter, but for two of the same key, of which the later one
 * counts. `where` as for config_set_from; NULL: each setting's own text. */
struct fault config_set_all(struct system_config *config, const char *const *settings, size_t count, const char *where);
/* For other lists of settings: those of a lower rank are applied before. */
enum { CONFIG_RANKS = 7 };
unsigned config_setting_rank(const char *key, size_t length);
/* The value of a key as config_set takes it, as text; size >= CONFIG_BEHIND_TEXT. A key of an absent cache is "none"; a
 * cache by itself is "none" or "there", a prefetcher by itself its type, cores their number. */
struct fault config_get(const struct system_config *config, const char *key, const char *where, char *text,
                        size_t size);
/* Resolves what was left open (clocks, interleave, cores, offsets, the order of the caches) and checks missing device
 * values, limits, the tree of caches and geometry. Call last; idempotent. */
struct fault config_finish(struct system_config *config);
/* All of it: defaults, the system's file, `count` settings as config_set takes them, config_finish. */
struct fault config_read(struct system_config *config, const char *system, const char *const *settings, size_t count);

/* Where a system's file is: the path as given, else `name`, with or without .yaml, in the folder configs, or its folder
 * gpu, beside the program or in the working folder, or in what the program itself holds of it; those of its folders
 * detailed and core go by detailed/NAME and core/NAME. `folder` is put before a relative path ("" for none). False:
 * there is none. */
bool config_find(const char *folder, const char *name, char *path, size_t size);
/* The text of a file that config_find has found, which may be one of those that the program itself holds (shipped.h).
 * *text is the caller's to free, after a fault too; it has no zero byte at its end. */
struct fault config_file_text(const char *path, char **text, size_t *length);
/* All shipped systems, by the names that config_find takes and their files: those of cores in the order of their names,
 * GPUs, those of the folder detailed. `visit` answers whether it wants the next. */
void config_each_shipped(bool (*visit)(void *context, const char *name, const char *path), void *context);

/* Cores are there or not, and so are SMs. */
static inline bool config_has_gpu(const struct system_config *config)
{
    return config->gpu.sms != 0;
}

static inline bool config_is_detailed(const struct system_config *config)
{
    return config->cpu_model == CPU_MODEL_DETAILED || config->cpu_model == CPU_MODEL_WINDOW;
}

/* Detailed cores whose micro-ops are rebuilt from elastic traces (replay/window/). */
static inline bool config_is_window(const struct system_config *config)
{
    return config->cpu_model == CPU_MODEL_WINDOW;
}

/* A GPU alone whose DRAM channels are its own: there is neither memory bus nor memory cache. */
static inline bool config_gpu_owns_memory(const struct system_config *config)
{
    return config_has_gpu(config) && config->core_count == 0 && config->gpu.memory_place != GPU_MEMORY_SHARED;
}

/* Of a finished system: the cache below an instance of another (0 for a shared one). False: the memory bus is. */
bool config_cache_below(const struct system_config *config, unsigned cache, unsigned instance, unsigned *below,
                        unsigned *below_instance);

/* A finished system as YAML that config_load_text reads back to the same values, with help as comments, and with the
 * tree, peak bandwidth and unloaded latencies (replay/config/unloaded.h) as comments at the end. *text is the caller's
 * to free. */
struct fault config_to_yaml(const struct system_config *config, char **text);
/* The same without comments and empty lines. Two systems that mean the same have the same text, however they were
 * written. */
struct fault config_to_compact_yaml(const struct system_config *config, char **text);
/* The memories, buses and caches of a finished system as a tree in lines of text, memories first, the cores' caches
 * last, with sizes and latencies. *text is the caller's to free. */
struct fault config_tree_text(const struct system_config *config, char **text);

/* ---- the keys, for lists and documentation */
enum config_kind {
    CONFIG_SYSTEM = 1, CONFIG_CPU = 2, CONFIG_CORE = 4, CONFIG_CACHE = 8, CONFIG_PREFETCHER = 16, CONFIG_BUS = 32,
    CONFIG_MEMORY = 64, CONFIG_DRAM = 128, CONFIG_CONTROLLER = 256, CONFIG_GPU = 512, CONFIG_GPU_SM = 1024,
    CONFIG_GPU_UNITS = 2048, CONFIG_GPU_UNIT = 4096, CONFIG_GPU_L1 = 8192, CONFIG_GPU_L2 = 16384,
    CONFIG_PAGES = 1 << 15, CONFIG_TLB = 1 << 16, CONFIG_TLB_L1 = 1 << 17, CONFIG_TLB_L2 = 1 << 18,
    CONFIG_WALKER = 1 << 19, CONFIG_WALK_CACHES = 1 << 20, CONFIG_FU_POOL = 1 << 21, CONFIG_OP_LAT = 1 << 22,
    CONFIG_PIPELINED = 1 << 23, CONFIG_BRANCH = 1 << 24, CONFIG_GPU_ARRAY = 1 << 25, CONFIG_GPU_TLB = 1 << 26
};
enum {
    CONFIG_PATH_TEXT = 40,
    CONFIG_MEMORY_CACHE = CONFIG_MAX_CACHES,     /* index of that cache */
    CONFIG_GPU_SECTIONS = 7 + GPU_UNIT_COUNT,
    CONFIG_TLB_SECTIONS = 6,
    CONFIG_DETAILED_SECTIONS = 4,
    CONFIG_MAX_SECTIONS =
        9 + CONFIG_MAX_CORES + 2 * CONFIG_MAX_CACHES + 3 * CONFIG_MAX_MEMORIES + CONFIG_GPU_SECTIONS
        + CONFIG_TLB_SECTIONS + CONFIG_DETAILED_SECTIONS
};

struct config_section {
    enum config_kind kind;
    char path[CONFIG_PATH_TEXT];     /* "" for the top level, "memory.dram", "memories.1", "l2.prefetcher" */
    const char *help;
    const struct param_table *table;
    size_t offset;                   /* of its parameters in struct system_config */
    unsigned index;                  /* of the core, cache, memory or GPU unit */
    bool is_present;                 /* false for an absent l2, l3, memory_cache, tlb: only path and help count */
};

/* All sections of a system in the order of a file, absent caches too; those of the cores only if one differs from cpu,
 * no DRAM parts of other memories, nothing of cores and their caches where there are none, nor of buses in a system of
 * a GPU with memory of its own, and nothing of a GPU that is not there. Returns how many. */
unsigned config_sections(const struct system_config *config, struct config_section list[CONFIG_MAX_SECTIONS]);
/* The current value of one parameter as text; size >= UNITS_TEXT (replay/config/units.h). */
void config_value_text(const struct system_config *config, const struct config_section *section,
                       const struct param_info *info, char *text, size_t size);

/* A key that is in no table: lists, names, places. */
struct config_extra {
    const char *key;
    unsigned kinds;                  /* of the sections that have it: enum config_kind, joined by | */
    const char *unit, *fallback, *help;
};
/* NULL past the last. */
const struct config_extra *config_extra_at(size_t index);
/* False for private and behind of an L1 and of the memory cache too, which know their places. */
bool config_extra_is_of(const struct config_section *section, const struct config_extra *extra);

#endif
