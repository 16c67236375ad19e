/* Internals of the configuration, shared by its files: config.c (values, assignments), sections.c (which sections and
 * keys there are), yaml.c (files), tree.c (behind: to a tree), config_check.c and check_memory.c. */
#ifndef REPLAY_CONFIG_CONFIG_INTERNAL_H
#define REPLAY_CONFIG_CONFIG_INTERNAL_H

#include "base/arith.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/sections.h"

struct branch_params;
struct cache_config;
struct command_device;
struct command_override;
struct dram_params;
struct gpu_l1_params;
struct gpu_l2_params;
struct gpu_params;
struct memory_params;
struct prefetcher_params;

enum { CONFIG_QUOTE_TEXT = 48, CONFIG_KEY_TEXT = 96, CONFIG_WHERE_TEXT = 160, CONFIG_EXPECTED_TEXT = 256 };

/* Limits of RATIO parameters, whose table lines have none. */
#define CONFIG_RATIO_LOWEST 0.001
#define CONFIG_RATIO_HIGHEST 1000000.0

/* Longest name of a cache: names of its crossbar and of its instances are made from it. */
#define CONFIG_LONGEST_NAME 11

enum { CONFIG_L1I, CONFIG_L1D, CONFIG_FIRST_BEHIND };    /* indices in caches[] */

/* Text of the user's in a fault: cut, in one line. */
struct config_quote {
    char text[CONFIG_QUOTE_TEXT];
};
struct config_quote config_quote(const char *text);

/* Puts a text at `to`, cut before `end`; returns where it ends. For texts that are made for each key, of which faults
 * need few: printf would take most of the time in which a file is read. */
static inline char *config_append(char *to, const char *end, const char *text)
{
    while (*text && to + 1 < end)
        *to++ = *text++;
    *to = '\0';
    return to;
}

/* ---- sections and keys (sections.c). `where` begins each fault: "file:line" or "--set". */
struct config_section config_top_section(void);
struct config_section config_core_section(unsigned index);
struct config_section config_cache_section(const struct system_config *config, unsigned index);
/* The keys of a cache's prefetchers: "prefetcher", "prefetcher2", "prefetcher3". */
const char *config_prefetcher_key(unsigned slot);
struct config_section config_prefetcher_section(const struct system_config *config, unsigned index, unsigned slot);
struct config_section config_memory_section(const struct system_config *config, unsigned index);
struct config_section config_dram_section(const struct system_config *config, unsigned index);
struct config_section config_currents_section(const struct system_config *config, unsigned index);
struct config_section config_controller_section(const struct system_config *config, unsigned index);
/* kind: one of CONFIG_COMMAND to CONFIG_OVERRIDES */
struct config_section config_command_section(const struct system_config *config, unsigned index, enum config_kind kind);
/* The section that a key of another one names; false if it names none. */
bool config_subsection(const struct system_config *config, const struct config_section *section, const char *key,
                       struct config_section *inner);
/* A key of the section, for faults that give an example; "" if it has none of its own. */
const char *config_example_key(const struct config_section *section);
/* NULL if the section has no such key. */
const struct param_info *config_param_find(const struct config_section *section, const char *key);
const struct config_extra *config_extra_find(const struct config_section *section, const char *key);
/* "l2.size" */
void config_key_text(const struct config_section *section, const char *key, char *text, size_t size);
struct fault config_unknown_key(const struct system_config *config, const struct config_section *section,
                                const char *key, const char *where);

/* ---- caches and memories of a configuration that is not finished (config.c) */
struct cache_config *config_cache_at(struct system_config *config, unsigned index);
const struct cache_config *config_cache_const(const struct system_config *config, unsigned index);
/* CONFIG_MAX_CACHES without a cache of that name. */
unsigned config_cache_find(const struct system_config *config, const char *name);
/* Starts a cache from the defaults of its name, one that is there too; *index becomes its place. */
struct fault config_cache_begin(struct system_config *config, const char *name, const char *where, unsigned *index);
/* A memory as it is before anything is said about it. is_single: it begins at 0. */
void config_memory_defaults(struct memory_params *memory, bool is_single);

void config_prefetcher_defaults(struct prefetcher_params *prefetcher);

/* ---- DRAM devices (device.c, device.h) */
/* Can it be the name of a user's own device, whose values are given beside it? */
bool config_is_own_device(const char *text);
/* A device's file has the keys of memory.dram at its top. */
static inline bool config_is_of_device_file(const struct config_section *section)
{
    return section->kind == CONFIG_DRAM && !*section->path;
}
/* Applies `device:`, the name of a shipped device, or a path from the working folder. full: the key in faults. */
struct fault config_assign_device(struct memory_params *memory, const char *full, const char *text, const char *where);
/* The name alone. */
void config_name_own_device(struct memory_params *memory, const char *name);
/* Copies the parameters that config_is_dram_policy names. */
void config_copy_dram_policy(struct dram_params *to, const struct dram_params *from);
/* Applies a device's file to the DRAM of the first memory (yaml.c). */
struct fault config_load_device(struct system_config *config, const char *path);
/* Checks that the geometry and times of a device are consistent (check_memory.c). Returns the key to change, and in
 * `problem` its error; NULL: consistent. Missing times are not checked. */
const char *config_device_problem(const struct dram_params *dram, char *problem, size_t size);

/* ---- currents for energy (currents.c) */
/* Applies memory.currents.datasheet. */
struct fault config_assign_datasheet(struct memory_params *memory, const char *full, const char *text,
                                     const char *where);
/* A value is given, which is not the device's. */
bool config_has_currents(const struct memory_params *memory);
/* Puts given values and those of the device together, and makes memory->energy of them; path: of the memory. */
struct fault config_finish_energy(const struct system_config *config, struct memory_params *memory, const char *path);
/* The same of a memory of DRAM commands. */
struct fault config_finish_command_energy(struct memory_params *memory, const struct command_device *device,
                                          const char *path);

/* ---- DRAM command by command (command_keys.c, command_device.h) */
/* Applies standard, organization, timing or mitigation; full: the key in faults. */
struct fault config_assign_command(struct memory_params *memory, const char *key, const char *full, const char *text,
                                   const char *where);
/* Applies a key of memory.overrides. */
struct fault config_assign_override(struct memory_params *memory, const char *key, const char *full, const char *text,
                                    const char *where);
enum { CONFIG_MITIGATIONS_TEXT = 128 };
/* "[PARA, RFM]", "none" */
void config_mitigations_text(const struct memory_params *memory, char text[CONFIG_MITIGATIONS_TEXT]);
/* "auto" for "" */
const char *config_preset_text(const char *preset);
/* Is the key, of memory.mitigations, a parameter of a defence that the memory has? */
bool config_mitigation_has(const struct memory_params *memory, const char *key);
/* NULL: the key is not given. */
const struct command_override *config_override_find(const struct memory_params *memory, const char *key);
/* Sets the parts that a memory of another type does not have to their defaults. */
void config_forget_command(struct memory_params *memory);
/* The standard can be read, the device made, a controller built, and the memory is not larger than the device; works
 * its figures out. path: of the memory. */
struct fault config_finish_command(const struct system_config *config, struct memory_params *memory, const char *path);

/* ---- assignments (config.c) */
/* Sets one key, and makes its section present (*section is then that). */
struct fault config_assign(struct system_config *config, struct config_section *section, const char *key,
                           const char *text, const char *where);
/* Whole value of a section: none takes an optional one out, a prefetcher's is its type. */
struct fault config_assign_section(struct system_config *config, struct config_section *section, const char *text,
                                   const char *where);
struct fault config_make_present(struct system_config *config, struct config_section *section, const char *where);
/* Refuses the key memory of a system that has several. */
struct fault config_check_single(const struct system_config *config, const char *key, const char *where);
/* Applies `include:` for --set include=FILE; the system keeps its name (yaml.c). */
struct fault config_include(struct system_config *config, const char *name, const char *where);
/* Name of a file without folder and ending. */
void config_set_name(struct system_config *config, const char *path);

uint64_t config_value(const struct system_config *config, const struct config_section *section,
                      const struct param_info *info);
double config_ratio(const struct system_config *config, const struct config_section *section,
                    const struct param_info *info);
/* True for a value that may be left open until config_finish works it out. */
bool config_is_open(const struct config_section *section, const struct param_info *info, uint64_t value);

/* Finds the section that a key as config_set takes it lies in; the key is cut, and *name points at its last part. */
struct fault config_key_find(const struct system_config *config, char *key, const char *where,
                             struct config_section *section, char **name);
void config_table_defaults(void *parameters, const struct param_table *table);

/* ---- the GPU (config_gpu.c) */
#define CONFIG_GPU_LETTERS "0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
enum { CONFIG_LETTERS_TEXT = 64 + 64 / 8 + 1, CONFIG_SIZES_TEXT = 256 };

/* kind: one of CONFIG_GPU..; index: of a unit, enum gpu_unit */
struct config_section config_gpu_section(enum config_kind kind, unsigned index);
bool config_gpu_subsection(const struct config_section *section, const char *key, struct config_section *inner);
/* Appends all of them. */
unsigned config_gpu_sections(struct config_section *list, unsigned count);
void config_gpu_defaults(struct gpu_params *gpu);
struct fault config_gpu_assign_extra(struct gpu_params *gpu, const char *key, const char *full, const char *text,
                                     const char *where);
/* As YAML: the sizes in brackets, the letters in groups of eight without leading groups of unused ones. */
void config_gpu_sizes_text(const struct gpu_l1_params *l1, char text[CONFIG_SIZES_TEXT]);
bool config_gpu_is_mapped(const struct gpu_l2_params *l2);    /* letters: mapping */
void config_gpu_letters_text(const struct gpu_l2_params *l2, char text[CONFIG_LETTERS_TEXT]);
/* Checks the parameters of the GPU that are independent of the memories; refuses parts of CPUs in a system of a GPU
 * alone, and sets absent parts to the defaults (check_gpu.c). */
struct fault config_finish_gpu(struct system_config *config);
/* The GPU's view of the memory; the limits of both have been checked. */
struct fault config_finish_gpu_memory(struct system_config *config);
/* Its channels of DRAM commands. */
struct fault config_finish_gpu_command(const struct system_config *config, struct memory_params *memory,
                                       const char *path);
/* The same beside cores: the part of the memory that its pages get. */
struct fault config_finish_gpu_window(struct system_config *config);

/* ---- virtual memory (virtual.c) */
struct config_section config_pages_section(void);
struct config_section config_tlb_section(const struct system_config *config);
/* Of the section cpu.tlb, or of a part of it. */
bool config_tlb_subsection(const struct system_config *config, const struct config_section *section, const char *key,
                           struct config_section *inner);
/* Appends those of the TLBs: one that is absent, or all of them. */
unsigned config_tlb_sections(const struct system_config *config, struct config_section *list, unsigned count);
static inline bool config_is_of_tlb(const struct config_section *section)
{
    return section->kind >= CONFIG_TLB && section->kind <= CONFIG_WALK_CACHES;
}
void config_virtual_defaults(struct system_config *config);
struct fault config_assign_map(struct system_config *config, const char *full, const char *text, const char *where);
/* Whole value of cpu.tlb or of one of its parts; means_none: it is a word for none. */
struct fault config_assign_tlb(struct system_config *config, const struct config_section *section, const char *text,
                               bool means_none, const char *where);
/* Limits have been checked. */
struct fault config_check_virtual(struct system_config *config);

/* ---- the detailed core (detailed.c) */
bool config_detailed_subsection(const char *key, struct config_section *inner);
/* Appends all of them. */
unsigned config_detailed_sections(struct config_section *list, unsigned count);
static inline bool config_is_of_detailed(const struct config_section *section)
{
    return section->kind >= CONFIG_FU_POOL && section->kind <= CONFIG_BRANCH;
}
void config_detailed_defaults(struct system_config *config);
/* Are its keys worth showing? */
bool config_detailed_is_shown(const struct system_config *config);
/* Of the section cpu: a key that is not the elastic core's. */
bool config_is_detailed_key(const struct param_info *info);
/* Limits have been checked. */
/* The values of a part of cpu against the limits of its rows; the fault begins with the key. */
struct fault config_check_part(const char *key, const struct param_table *table, const void *params);
struct fault config_check_detailed(struct system_config *config);

/* ---- checks: the text begins with the key; the system's name is put before it */
#define CONFIG_FAULTY(config, ...) config_faulty((config), fault_make(FAULT_INPUT, __VA_ARGS__))
struct fault config_faulty(const struct system_config *config, struct fault fault);

/* Makes behind[] of behind_text, puts the caches in order, checks the tree (tree.c). Idempotent. */
struct fault config_finish_tree(struct system_config *config);
/* Geometry of memories (check_memory.c); limits have been checked. */
struct fault config_check_missing(const struct system_config *config, unsigned index);
struct fault config_finish_memories(struct system_config *config);

/* ---- sizes and times in faults */
struct config_shown {
    char text[48];
};
struct config_shown config_bytes(uint64_t value);
struct config_shown config_ps(uint64_t value);
/* For %llu. */
static inline unsigned long long llu(uint64_t value)
{
    return value;
}

static inline uint64_t config_power_of_two_from(uint64_t value)
{
    uint64_t power = 1;

    while (power < value)
        power *= 2;
    return power;
}

#endif
