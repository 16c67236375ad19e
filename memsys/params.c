/* The parameter tables of params.h as arrays, and the names of their enumerated values. */
#include "memsys/params.h"

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
