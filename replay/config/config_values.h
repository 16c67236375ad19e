/* Values of a configuration that many ask for. Those that read much of it include system_config.h.
 *
 * Ownership: what is returned lives as long as the configuration. */
#ifndef REPLAY_CONFIG_CONFIG_VALUES_H
#define REPLAY_CONFIG_CONFIG_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/config/technologies.h"

struct branch_params;
struct cache_config;
struct core_params;
struct detailed_params;
struct gpu_params;
struct memory_params;
struct noc_params;
struct pages_params;
struct system_config;

const char *config_name(const struct system_config *config);        /* of the file, without folder and ending */
unsigned config_core_count(const struct system_config *config);
uint64_t config_line_bytes(const struct system_config *config);
uint64_t config_cpu_clock_ps(const struct system_config *config);
enum technology config_technology(const struct system_config *config);
bool config_exits_with_first_core(const struct system_config *config);
const struct core_params *config_core_params(const struct system_config *config, unsigned core);
uint64_t config_core_offset_bytes(const struct system_config *config, unsigned core);    /* of its addresses */
bool config_core_shares(const struct system_config *config, unsigned core);              /* has those of others */
const struct detailed_params *config_detailed(const struct system_config *config);
const struct branch_params *config_branch(const struct system_config *config);
const struct pages_params *config_pages(const struct system_config *config);
const char *config_pages_map(const struct system_config *config);   /* "": none */
const struct gpu_params *config_gpu(const struct system_config *config);
uint64_t config_gpu_clock_ps(const struct system_config *config);
unsigned config_memory_count(const struct system_config *config);
/* Of the contents of the DRAM standards (memory.standard) of all memories. */
uint64_t config_standards_digest(const struct system_config *config);
/* Of the files of modules; 0: the system has none. */
uint64_t config_modules_digest(const struct system_config *config);
const struct memory_params *config_memory(const struct system_config *config, unsigned index);
/* Addresses of that memory. */
struct config_range { uint64_t base, end; };
struct config_range config_memory_range(const struct system_config *config, unsigned index);
/* Cores are there or not, and so are SMs. */
bool config_has_gpu(const struct system_config *config);
bool config_has_tlb(const struct system_config *config);
/* Has the system TLBs whose walks are those of a guest (cpu.tlb.walker.nested)? */
bool config_walks_are_nested(const struct system_config *config);
bool config_is_detailed(const struct system_config *config);
/* Detailed cores whose micro-ops are rebuilt from elastic traces (replay/window/). */
bool config_is_window(const struct system_config *config);
/* Were their traces captured on cores of this kind? Else on the reference's. */
bool config_captures_itself(const struct system_config *config);
/* A GPU alone whose DRAM channels are its own: there is neither memory bus nor memory cache. */
bool config_gpu_owns_memory(const struct system_config *config);
/* Does the memory work command by command? */
bool config_has_commands(const struct system_config *config, unsigned memory);

/* Of a finished system: sizes of each instance of a cache, by its name. False: no instance has that name. */
struct config_cache_sizes {
    uint64_t sets, ways, mshrs, write_buffers, prefetch_queue, hit_cycles;
};
bool config_cache_sizes_of(const struct system_config *config, const char *name, struct config_cache_sizes *sizes);

/* Of a finished system: the crossbar above a cache that is behind others, at its own clock. */
struct noc_params config_bus_above(const struct system_config *config, const struct cache_config *cache);
/* Of a finished system: the cache below an instance of another (0 for a shared one). False: the memory bus is. */
bool config_cache_below(const struct system_config *config, unsigned cache, unsigned instance, unsigned *below,
                        unsigned *below_instance);

#endif
