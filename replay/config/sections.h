/* The sections and keys of a configuration, for lists, documentation and those that read or write one.
 *
 * Ownership: sections and rows are constant or plain values, nothing to free. */
#ifndef REPLAY_CONFIG_SECTIONS_H
#define REPLAY_CONFIG_SECTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/config/config_limits.h"
#include "replay/config/tables.h"

struct system_config;

/* A bit each, for the lists of kinds of extras; currents, which have none, take no bit. */
enum config_kind {
    CONFIG_CURRENTS = 0,
    CONFIG_SYSTEM = 1, CONFIG_CPU = 2, CONFIG_CORE = 4, CONFIG_CACHE = 8, CONFIG_PREFETCHER = 16, CONFIG_BUS = 32,
    CONFIG_MEMORY = 64, CONFIG_DRAM = 128, CONFIG_CONTROLLER = 256, CONFIG_GPU = 512, CONFIG_GPU_SM = 1024,
    CONFIG_GPU_UNITS = 2048, CONFIG_GPU_UNIT = 4096, CONFIG_GPU_L1 = 8192, CONFIG_GPU_L2 = 16384,
    CONFIG_PAGES = 1 << 15, CONFIG_TLB = 1 << 16, CONFIG_TLB_L1 = 1 << 17, CONFIG_TLB_L2 = 1 << 18,
    CONFIG_WALKER = 1 << 19, CONFIG_WALK_CACHES = 1 << 20, CONFIG_FU_POOL = 1 << 21, CONFIG_OP_LAT = 1 << 22,
    CONFIG_PIPELINED = 1 << 23, CONFIG_BRANCH = 1 << 24, CONFIG_GPU_ARRAY = 1 << 25, CONFIG_GPU_TLB = 1 << 26,
    CONFIG_COMMAND = 1 << 27, CONFIG_MITIGATIONS = 1 << 28, CONFIG_MENDS = 1 << 29, CONFIG_OVERRIDES = 1 << 30,
    CONFIG_MODULE = INT_MIN              /* the highest bit */
};
enum {
    CONFIG_PATH_TEXT = 40,
    CONFIG_MEMORY_CACHE = CONFIG_MAX_CACHES,     /* index of that cache */
    CONFIG_GPU_SECTIONS = 7 + 8,
    CONFIG_TLB_SECTIONS = 6,
    CONFIG_DETAILED_SECTIONS = 6,
    CONFIG_MAX_SECTIONS =
        9 + CONFIG_MAX_CORES + (1 + PREFETCHERS_OF_CACHE) * CONFIG_MAX_CACHES + 6 * CONFIG_MAX_MEMORIES
        + CONFIG_GPU_SECTIONS + CONFIG_TLB_SECTIONS + CONFIG_DETAILED_SECTIONS
};

struct config_section {
    enum config_kind kind;
    char path[CONFIG_PATH_TEXT];     /* "" for the top level, "memory.dram", "memories.1", "l2.prefetcher" */
    const char *help;
    const struct param_table *table;
    size_t offset;                   /* of its parameters in struct system_config */
    unsigned index;                  /* of the core, cache, memory or GPU unit */
    unsigned slot;                   /* of a prefetcher: which of its cache's, from 0 on */
    bool is_present;                 /* false for an absent l2, l3, memory_cache, tlb: only path and help count */
};

/* All sections of a system in the order of a file, absent caches too; those of the cores only if one differs from cpu,
 * DRAM parts only of DRAM memories, the four of commands only of those of type command, cores and their caches only if
 * the system has cores, buses unless the system is a GPU with its own memory, and the GPU's only if it has one. Returns
 * their number. */
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
