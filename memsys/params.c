/* The parameter tables of params.h as arrays, and the names of their enumerated values. */
#include "memsys/gpu_params.h"

#define CACHE_ROW(...) PARAM_INFO(struct cache_params, __VA_ARGS__)
#define PREFETCHER_ROW(...) PARAM_INFO(struct prefetcher_params, __VA_ARGS__)
#define CROSSBAR_ROW(...) PARAM_INFO(struct crossbar_params, __VA_ARGS__)
#define MEMORY_ROW(...) PARAM_INFO(struct memory_params, __VA_ARGS__)
#define CONTROLLER_ROW(...) PARAM_INFO(struct controller_params, __VA_ARGS__)
#define DRAM_ROW(...) PARAM_INFO(struct dram_params, __VA_ARGS__)

static const struct param_info cache_rows[] = {CACHE_PARAMETERS(CACHE_ROW)};
static const struct param_info prefetcher_rows[] = {PREFETCHER_PARAMETERS(PREFETCHER_ROW)};
static const struct param_info crossbar_rows[] = {CROSSBAR_PARAMETERS(CROSSBAR_ROW)};
static const struct param_info memory_rows[] = {MEMORY_PARAMETERS(MEMORY_ROW)};
static const struct param_info controller_rows[] = {CONTROLLER_PARAMETERS(CONTROLLER_ROW)};
static const struct param_info dram_rows[] = {DRAM_PARAMETERS(DRAM_ROW)};

#define TABLE(rows) {rows, sizeof(rows) / sizeof((rows)[0])}
const struct param_table cache_param_table = TABLE(cache_rows);
const struct param_table prefetcher_param_table = TABLE(prefetcher_rows);
const struct param_table crossbar_param_table = TABLE(crossbar_rows);
const struct param_table memory_param_table = TABLE(memory_rows);
const struct param_table controller_param_table = TABLE(controller_rows);
const struct param_table dram_param_table = TABLE(dram_rows);

#define GPU_ROW(...) PARAM_INFO(struct gpu_params, __VA_ARGS__)
#define GPU_SM_ROW(...) PARAM_INFO(struct gpu_sm_params, __VA_ARGS__)
#define GPU_UNIT_ROW(...) PARAM_INFO(struct gpu_unit_params, __VA_ARGS__)
#define SECTOR_CACHE_ROW(...) PARAM_INFO(struct sector_cache_params, __VA_ARGS__)
#define GPU_L1_ROW(...) PARAM_INFO(struct gpu_l1_params, __VA_ARGS__)
#define GPU_L2_ROW(...) PARAM_INFO(struct gpu_l2_params, __VA_ARGS__)

static const struct param_info gpu_rows[] = {GPU_PARAMETERS(GPU_ROW)};
static const struct param_info gpu_sm_rows[] = {GPU_SM_PARAMETERS(GPU_SM_ROW)};
static const struct param_info gpu_unit_rows[] = {GPU_UNIT_PARAMETERS(GPU_UNIT_ROW)};
static const struct param_info sector_cache_rows[] = {SECTOR_CACHE_PARAMETERS(SECTOR_CACHE_ROW)};
static const struct param_info gpu_l1_rows[] = {GPU_L1_PARAMETERS(GPU_L1_ROW)};
static const struct param_info gpu_l2_rows[] = {GPU_L2_PARAMETERS(GPU_L2_ROW)};

const struct param_table gpu_param_table = TABLE(gpu_rows);
const struct param_table gpu_sm_param_table = TABLE(gpu_sm_rows);
const struct param_table gpu_unit_param_table = TABLE(gpu_unit_rows);
const struct param_table sector_cache_param_table = TABLE(sector_cache_rows);
const struct param_table gpu_l1_param_table = TABLE(gpu_l1_rows);
const struct param_table gpu_l2_param_table = TABLE(gpu_l2_rows);

static const char *const clusivity_names[] = {"mostly_incl", "mostly_excl", NULL};
#define REPLACEMENT_NAME(kind, name) #name,
static const char *const replacement_names[] = {REPLACEMENT_POLICIES(REPLACEMENT_NAME) NULL};
#define PREFETCHER_NAME(kind, name) #name,
static const char *const prefetcher_names[] = {"none", PREFETCHERS(PREFETCHER_NAME) NULL};
static const char *const prefetch_training_names[] = {"auto", "misses", "first_hits", "accesses", NULL};
static const char *const page_policy_names[] = {"open", "open_adaptive", "close", "close_adaptive", NULL};
static const char *const addr_mapping_names[] = {"RoRaBaCoCh", "RoRaBaChCo", "RoCoRaBaCh", NULL};
static const char *const mem_sched_names[] = {"frfcfs", "fcfs", NULL};
static const char *const memory_type_names[] = {"dram", "simple", "hbm_pseudo", NULL};
static const char *const warp_scheduler_names[] = {"lrr", "gto", "two_level", NULL};
static const char *const coalescing_names[] = {"sectors", "segments", "lines", NULL};
static const char *const sector_alloc_names[] = {"on_miss", "on_fill", "streaming", NULL};
static const char *const sector_write_names[]
    = {"read_only", "write_back", "write_through", "write_evict", "local_back_global_through", NULL};
static const char *const sector_write_miss_names[]
    = {"no_allocate", "fetch_and_write", "fetch_on_write", "lazy_fetch", NULL};
static const char *const set_index_names[] = {"linear", "fermi", "ipoly", "xor", NULL};
static const char *const slice_index_names[] = {"linear", "xor", "ipoly", "pae", "random", "ipoly_modulo", NULL};
static const char *const gpu_memory_names[] = {"auto", "own", "shared", NULL};

const char *const *param_enum_names(enum param_unit unit)
{
    switch (unit) {
    case UNIT_CLUSIVITY:
        return clusivity_names;
    case UNIT_REPLACEMENT:
        return replacement_names;
    case UNIT_PREFETCHER:
        return prefetcher_names;
    case UNIT_PREFETCH_TRAINING:
        return prefetch_training_names;
    case UNIT_PAGE_POLICY:
        return page_policy_names;
    case UNIT_ADDR_MAPPING:
        return addr_mapping_names;
    case UNIT_MEM_SCHED:
        return mem_sched_names;
    case UNIT_MEMORY_TYPE:
        return memory_type_names;
    case UNIT_WARP_SCHEDULER:
        return warp_scheduler_names;
    case UNIT_COALESCING:
        return coalescing_names;
    case UNIT_SECTOR_ALLOC:
        return sector_alloc_names;
    case UNIT_SECTOR_WRITE:
        return sector_write_names;
    case UNIT_SECTOR_WRITE_MISS:
        return sector_write_miss_names;
    case UNIT_SET_INDEX:
        return set_index_names;
    case UNIT_SLICE_INDEX:
        return slice_index_names;
    case UNIT_GPU_MEMORY:
        return gpu_memory_names;
    case UNIT_BYTES:
    case UNIT_CYCLES:
    case UNIT_COUNT:
    case UNIT_PERIOD:
    case UNIT_TIME:
    case UNIT_BANDWIDTH:
    case UNIT_PERCENT:
    case UNIT_BOOL:
    case UNIT_BYTES_OR_ROW:
    case UNIT_RATIO:
        break;
    }
    return NULL;
}
