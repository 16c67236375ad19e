/* The parameter tables as a reader of configurations walks them: the lines of all *_params.h and of
 * replay/config/system_config.h as arrays, and the units with the names of enumerations. */
#ifndef REPLAY_CONFIG_TABLES_H
#define REPLAY_CONFIG_TABLES_H

#include <stddef.h>

#include <stdint.h>

/* Units whose values are names: E(unit, list of values). Policies and prefetchers have lists of their own form. */
#define PARAM_ENUM_UNITS(E)                                                                                           \
    E(CLUSIVITY, CLUSIVITIES) E(PAGE_POLICY, PAGE_POLICIES) E(ADDR_MAPPING, ADDR_MAPPINGS) E(MEM_SCHED, MEM_SCHEDS)   \
    E(REFRESH, REFRESH_POLICIES) E(COMMAND_REFRESH, COMMAND_REFRESHES) E(COMMAND_CONTROLLER, COMMAND_CONTROLLERS)     \
    E(COMMAND_SCHEDULER, COMMAND_SCHEDULERS) E(COMMAND_ROW_POLICY, COMMAND_ROW_POLICIES)                              \
    E(COMMAND_MAPPING, COMMAND_MAPPINGS) E(COMMAND_MODE, COMMAND_MODES) E(COMMAND_WCK, COMMAND_WCK_MODES)             \
    E(COMMAND_ECC, COMMAND_ECCS)                                                                                      \
    E(COMMAND_RCK, COMMAND_RCK_MODES) E(COMMAND_CACHE, COMMAND_CACHE_POLICIES) E(COMMAND_RFM, COMMAND_RFM_MODES)      \
    E(COMMAND_MEND, COMMAND_MEND_CHOICES) E(COMMAND_MERGE, COMMAND_MERGES)                                            \
    E(MEMORY_TYPE, MEMORY_TYPES) E(DEVICE_POLICY, DEVICE_POLICIES) E(PREFETCH_TRAINING, PREFETCH_TRAININGS)           \
    E(MEMORY_LINK, MEMORY_LINKS) E(TECHNOLOGY, TECHNOLOGIES)                                                          \
    E(WARP_SCHEDULER, WARP_SCHEDULERS)                                                                                \
    E(COALESCING, COALESCINGS) E(SECTOR_ALLOC, SECTOR_ALLOCS) E(SECTOR_WRITE, SECTOR_WRITES)                          \
    E(SECTOR_WRITE_MISS, SECTOR_WRITE_MISSES) E(SET_INDEX, SET_INDICES) E(SLICE_INDEX, SLICE_INDICES)                 \
    E(GPU_MEMORY, GPU_MEMORY_PLACES) E(PLACEMENT, PLACEMENTS) E(HUGE_PAGES, HUGE_PAGES)                               \
    E(CPU_MODEL, CPU_MODELS) E(CAPTURE_CORE, CAPTURE_CORES) E(MACRO_FUSION, MACRO_FUSIONS)                            \
    E(BRANCH_PREDICTOR, BRANCH_PREDICTORS) E(BRANCH_TRAINING, BRANCH_TRAININGS)                                       \
    E(BRANCH_BTB, BRANCH_BTBS) E(BRANCH_STACK, BRANCH_STACKS) E(BRANCH_INDIRECT, BRANCH_INDIRECTS)                    \
    E(ELASTIC_ADDRESSES, ELASTIC_ADDRESSES) E(INSN_ADDRESSES, INSN_ADDRESSES) E(WALKER_PLACE, WALKER_PLACES)          \
    E(REPLACEMENT, REPLACEMENT_POLICIES) E(PREFETCHER, PARAM_PREFETCHERS)            \
    E(INTERCONNECT, INTERCONNECTS)

#define PARAM_PREFETCHERS(V) V(NONE, none) PREFETCHERS(V)
#define PARAM_UNIT_VALUE(unit, LIST) UNIT_##unit,
enum param_unit {
    UNIT_BYTES, UNIT_CYCLES, UNIT_COUNT, UNIT_PERIOD, UNIT_TIME, UNIT_BANDWIDTH, UNIT_PERCENT, UNIT_BOOL,
    UNIT_BYTES_OR_ROW, UNIT_VOLTAGE, UNIT_CURRENT, UNIT_POWER, UNIT_RATIO,
    PARAM_ENUM_UNITS(PARAM_UNIT_VALUE)
    UNIT_KINDS
};
#undef PARAM_UNIT_VALUE

/* Names of a unit's values in their order, ended by NULL; NULL for a unit of numbers. */
const char *const *param_enum_names(enum param_unit unit);

struct param_info {
    const char *key;
    enum param_unit unit;
    size_t offset;                       /* of the field in its struct */
    uint64_t fallback;                   /* RATIO: see fallback_ratio */
    double fallback_ratio;
    uint64_t lowest, highest;
    const char *help;
};

struct param_table {
    const struct param_info *rows;
    size_t count;
};

/* gpu_l1, gpu_l2: the keys of their sectored cache, then their own; cpu: the keys of a core, then those of the
 * detailed one, of struct system_config; fu_pool, op_lat, pipelined, op_interval, op_most: of struct detailed_params,
 * a key for each of an enumeration; mend: of struct command_memory_params; override: no keys of its own */
extern const struct param_table system_param_table, core_param_table, cpu_param_table, fu_pool_param_table,
    op_lat_param_table, pipelined_param_table, op_interval_param_table, op_most_param_table, branch_param_table,
    cache_param_table, prefetcher_param_table,
    noc_param_table, memory_param_table, controller_param_table, dram_param_table, command_param_table,
    mitigation_param_table, mend_param_table, override_param_table, currents_param_table, gpu_param_table,
    gpu_sm_param_table, gpu_unit_param_table, gpu_array_param_table, gpu_tlb_param_table, gpu_l1_param_table,
    gpu_l2_param_table, pages_param_table,
    tlb_l1_param_table, tlb_l2_param_table, walker_param_table, walk_caches_param_table;

#endif
