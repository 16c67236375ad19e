/* The parameter tables as arrays, and the names of their enumerated values. */
#include <assert.h>

#include "replay/config/system_config.h"
#include "replay/config/tables.h"

#define ROW(type, field, key, unit, fallback, lowest, highest, help)                                                  \
    {#key, UNIT_##unit, offsetof(type, field), (uint64_t)(fallback), (double)(fallback), (uint64_t)(lowest),          \
     (uint64_t)(highest), help},

/* name: of the table; type: of the struct */
#define TABLE(name, ...)                                                                                              \
    static const struct param_info name##_rows[] = {__VA_ARGS__};                                                     \
    const struct param_table name##_param_table = {name##_rows, sizeof name##_rows / sizeof *name##_rows};

#define SYSTEM_ROW(...) ROW(struct system_config, __VA_ARGS__)
#define CORE_ROW(...) ROW(struct core_params, __VA_ARGS__)
#define CPU_CORE_ROW(field, ...) ROW(struct system_config, core.field, __VA_ARGS__)
#define CPU_ROW(...) ROW(struct system_config, __VA_ARGS__)
#define CPU_DETAILED_ROW(field, ...) ROW(struct system_config, detailed.field, __VA_ARGS__)
#define FU_POOL_ROW(suffix, key, count)                                                                               \
    ROW(struct detailed_params, units[DETAILED_UNIT_##suffix], key, COUNT, count, 1, MOST_UNITS, "units of that group")
#define OP_LAT_ROW(suffix, key, group, cycles, pipelined)                                                             \
    ROW(struct detailed_params, latency_cyc[DETAILED_OP_##suffix], key, CYCLES, cycles, 1, MOST_CYC,                  \
        "until the result")
#define PIPELINED_ROW(suffix, key, group, cycles, pipelined)                                                          \
    ROW(struct detailed_params, is_pipelined[DETAILED_OP_##suffix], key, BOOL, pipelined, 0, 1,                       \
        "its unit takes the next one in the next cycle, not after the result")
#define OP_INTERVAL_ROW(suffix, key, group, cycles, pipelined)                                                        \
    ROW(struct detailed_params, interval_cyc[DETAILED_OP_##suffix], key, CYCLES, 0, 0, MOST_CYC,                      \
        "least distance of two that issue; 0: any")
#define OP_MOST_ROW(suffix, key, group, cycles, pipelined)                                                            \
    ROW(struct detailed_params, most_issued[DETAILED_OP_##suffix], key, COUNT, 0, 0, MOST_UNITS,                      \
        "most that issue in a cycle; 0: as many as units")
#define BRANCH_ROW(...) ROW(struct branch_params, __VA_ARGS__)
#define CACHE_ROW(...) ROW(struct cache_params, __VA_ARGS__)
#define PREFETCHER_ROW(...) ROW(struct prefetcher_params, __VA_ARGS__)
#define NOC_ROW(...) ROW(struct noc_params, __VA_ARGS__)
#define MEMORY_ROW(...) ROW(struct memory_params, __VA_ARGS__)
#define CONTROLLER_ROW(...) ROW(struct controller_params, __VA_ARGS__)
#define DRAM_ROW(...) ROW(struct dram_params, __VA_ARGS__)
#define COMMAND_ROW(...) ROW(struct command_params, __VA_ARGS__)
#define MITIGATION_ROW(...) ROW(struct mitigation_params, __VA_ARGS__)
#define MEND_ROW(number, mend, name, help)                                                                            \
    {name, UNIT_COMMAND_MEND, offsetof(struct command_memory_params, mends[CMD_MEND_##mend]), COMMAND_MEND_BY_MODE,   \
     COMMAND_MEND_BY_MODE, 0, COMMAND_MEND_NO, help " (odd behaviour " #number ")"},
#define CURRENTS_ROW(...) ROW(struct energy_params, __VA_ARGS__)
#define PAGES_ROW(...) ROW(struct pages_params, __VA_ARGS__)
#define TLB_L1_ROW(...) ROW(struct tlb_l1_params, __VA_ARGS__)
#define TLB_L2_ROW(...) ROW(struct tlb_l2_params, __VA_ARGS__)
#define WALKER_ROW(...) ROW(struct walker_params, __VA_ARGS__)
#define WALK_CACHES_ROW(...) ROW(struct walk_caches_params, __VA_ARGS__)
#define GPU_ROW(...) ROW(struct gpu_params, __VA_ARGS__)
#define GPU_SM_ROW(...) ROW(struct gpu_sm_params, __VA_ARGS__)
#define GPU_ARRAY_ROW(...) ROW(struct gpu_array_params, __VA_ARGS__)
#define GPU_TLB_ROW(...) ROW(struct gpu_tlb_params, __VA_ARGS__)
#define GPU_UNIT_ROW(...) ROW(struct gpu_unit_params, __VA_ARGS__)
#define SECTOR_CACHE_ROW(...) ROW(struct sector_cache_params, __VA_ARGS__)
#define GPU_L1_ROW(...) ROW(struct gpu_l1_params, __VA_ARGS__)
#define GPU_L2_ROW(...) ROW(struct gpu_l2_params, __VA_ARGS__)

static_assert(offsetof(struct gpu_l1_params, cache) == 0 && offsetof(struct gpu_l2_params, cache) == 0,
              "rows of the cache are rows of the section");

TABLE(system, SYSTEM_PARAMETERS(SYSTEM_ROW))
TABLE(core, CORE_PARAMETERS(CORE_ROW))
TABLE(cpu, CORE_PARAMETERS(CPU_CORE_ROW) CPU_PARAMETERS(CPU_ROW) DETAILED_PARAMETERS(CPU_DETAILED_ROW))
TABLE(fu_pool, DETAILED_UNITS(FU_POOL_ROW))
TABLE(op_lat, DETAILED_OPS(OP_LAT_ROW))
TABLE(pipelined, DETAILED_OPS(PIPELINED_ROW))
TABLE(op_interval, DETAILED_OPS(OP_INTERVAL_ROW))
TABLE(op_most, DETAILED_OPS(OP_MOST_ROW))
TABLE(branch, BRANCH_PARAMETERS(BRANCH_ROW))
TABLE(cache, CACHE_PARAMETERS(CACHE_ROW))
TABLE(prefetcher, PREFETCHER_PARAMETERS(PREFETCHER_ROW))
TABLE(noc, NOC_PARAMETERS(NOC_ROW))
TABLE(memory, MEMORY_PARAMETERS(MEMORY_ROW))
TABLE(controller, CONTROLLER_PARAMETERS(CONTROLLER_ROW))
TABLE(dram, DRAM_PARAMETERS(DRAM_ROW))
TABLE(command, COMMAND_PARAMETERS(COMMAND_ROW))
TABLE(mitigation, MITIGATION_PARAMETERS(MITIGATION_ROW))
TABLE(mend, CMD_MENDS(MEND_ROW))
const struct param_table override_param_table = {NULL, 0};
TABLE(currents, ENERGY_PARAMETERS(CURRENTS_ROW))
TABLE(pages, PAGES_PARAMETERS(PAGES_ROW))
TABLE(tlb_l1, TLB_L1_PARAMETERS(TLB_L1_ROW))
TABLE(tlb_l2, TLB_L2_PARAMETERS(TLB_L2_ROW))
TABLE(walker, WALKER_PARAMETERS(WALKER_ROW))
TABLE(walk_caches, WALK_CACHES_PARAMETERS(WALK_CACHES_ROW))
TABLE(gpu, GPU_PARAMETERS(GPU_ROW))
TABLE(gpu_sm, GPU_SM_PARAMETERS(GPU_SM_ROW))
TABLE(gpu_unit, GPU_UNIT_PARAMETERS(GPU_UNIT_ROW))
TABLE(gpu_array, GPU_ARRAY_PARAMETERS(GPU_ARRAY_ROW))
TABLE(gpu_tlb, GPU_TLB_PARAMETERS(GPU_TLB_ROW))
TABLE(gpu_l1, SECTOR_CACHE_PARAMETERS(SECTOR_CACHE_ROW) GPU_L1_PARAMETERS(GPU_L1_ROW))
TABLE(gpu_l2, SECTOR_CACHE_PARAMETERS(SECTOR_CACHE_ROW) GPU_L2_PARAMETERS(GPU_L2_ROW))

/* auto is the first of some. */
#define ONE(...) + 1
static_assert(0 COMMAND_REFRESHES(ONE) == 1 CMD_REFRESH_KINDS(ONE)
              && 0 COMMAND_CONTROLLERS(ONE) == 1 CMD_CONTROLLER_KINDS(ONE)
              && 0 COMMAND_SCHEDULERS(ONE) == 0 CMD_SCHEDULER_KINDS(ONE)
              && 0 COMMAND_ROW_POLICIES(ONE) == 0 CMD_ROW_POLICY_KINDS(ONE)
              && 0 COMMAND_RCK_MODES(ONE) == 0 CMD_RCK_KINDS(ONE), "values of keys are kinds, in their order");

#define NAME(value, name) #name,
#define NAMES(unit, LIST) static const char *const names_of_##unit[] = {LIST(NAME) NULL};
PARAM_ENUM_UNITS(NAMES)

const char *const *param_enum_names(enum param_unit unit)
{
#define UNIT_NAMES(unit, LIST) [UNIT_##unit] = names_of_##unit,
    static const char *const *const names[UNIT_KINDS] = {PARAM_ENUM_UNITS(UNIT_NAMES)};

    return names[unit];
}
