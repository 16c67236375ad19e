/* Configuration: a YAML file made for people becomes a struct system_config.
 *
 * Use: config_defaults, config_load (or config_load_text), config_set for each --set, config_finish once, then build a
 * system from it.
 *
 * Layout: top-level keys (line, cpu_clock, ...), sections cpu, l1i, l1d, l2, l3, cache_bus, memory_bus, memory_cache,
 * memory. Values that a file does not name stay as they were. l2, l3 and memory_cache are absent until they are named;
 * `l2: none` takes one out. memory holds `device: NAME` and the sections dram (changes that device) and controller. A
 * cache holds the section prefetcher; `prefetcher: stride` sets its type. `include: FILE` (or a list) is applied before
 * the rest of its file. A device that differs from the present one replaces the settings of memory.dram in included
 * files; page policy, address map and queue depths come with the first device that is named, and stay under others
 * unless memory.policy is device.
 *
 * Cores: `cores: 4`, or a list with the differences from cpu:, core by core. Each core but the first must set the
 * placement of its addresses: offset: moves them, share: yes lets them overlap with another core's. cpu.share and
 * cpu.offset_step (core i moves i steps) say so for all cores that say nothing themselves.
 *
 * Caches: the L1s belong to one core each. l2 is behind all L1s, l3 behind l2; with `private: yes` a cache has one
 * instance a core. `behind: [NAMES]` puts l2, l3 or a cache of the list `caches:` (items with a name:) elsewhere: l1d
 * is all of the L1Ds, cpu2.l1d (or l1d2) that of core 2. A cache behind others has a crossbar above it; a cache with
 * none behind it sits on the memory bus. An item of `caches:` replaces a cache of the same name, or comes as a new one
 * with l2's defaults.
 *
 * Memories: `memories:` is a list of sections like memory; without base each begins where the one before ends. Lists
 * replace those of an included file as a whole.
 *
 * Detailed cores: cpu.model chooses the model of the cores; the other keys of a detailed core are in cpu and in its
 * sections fuPool, opLat, pipelined and branchPred, for all cores alike. They are shown only if the model is detailed,
 * or one of them is not at its default.
 *
 * GPU: section gpu with sm, units.int, units.sp, ..., l1, l2; without gpu.sms the system has no GPU. `cores: 0` is a
 * system of a GPU alone: the memory is the GPU's DRAM then, its channels are gpu.l2.channels, there are no caches and
 * buses. With `gpu.memory: shared` the GPU alone has the memory bus, the memory cache and the memories as beside
 * cores; settings of cores and their caches are dropped.
 *
 * Virtual memory: section pages places virtual pages in physical memory; section tlb of cpu, with l1d, l1i,
 * l2, walker and walker.caches, gives every core TLBs and a page walker. Without it, or with `tlb: none`, addresses
 * are not translated; any key of it, or `tlb: yes`, adds it with its defaults.
 *
 * Keys, units, defaults and help come from the parameter tables (memsys/sim/param.h). Unknown keys are
 * refused with the nearest known name; every fault names file, line and key, the expected value and the remedy. */
#ifndef REPLAY_CONFIG_CONFIG_H
#define REPLAY_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/config/config_limits.h"

struct system_config;                /* replay/config/config_values.h asks for single values; system_config.h has all */

/* Room for one, not yet filled, to be freed with free(); NULL: out of memory. */
struct system_config *config_new(void);
/* Everything at its default: one core of the reference script, without L2 (classic-memory 15). */
void config_defaults(struct system_config *config);
/* Applies a YAML file to a config: `path` is a file, or the name of a shipped system such as "wide" (config_find). */
struct fault config_load(struct system_config *config, const char *path);
/* Applies YAML text; faults name `name` as the file, and its includes are looked up beside it. */
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
 * out (l2=none, cpu.tlb=none) last: their order does not matter, except that the later of two with the same key
 * counts. `where` as for config_set_from; NULL: each setting's own text. */
struct fault config_set_all(struct system_config *config, const char *const *settings, size_t count, const char *where);
/* For other lists of settings: those of a lower rank are applied before. */
enum { CONFIG_RANKS = 7 };
unsigned config_setting_rank(const char *key, size_t length);
/* The value of a key as config_set takes it, as text; size >= CONFIG_BEHIND_TEXT. A key of an absent cache is "none"; a
 * cache by itself is "none" or "there", a prefetcher by itself its type, cores their number. */
struct fault config_get(const struct system_config *config, const char *key, const char *where, char *text,
                        size_t size);
/* Resolves open values (clocks, interleave, cores, offsets, the order of the caches) and checks missing device
 * values, limits, the tree of caches and geometry. Call last; idempotent. */
struct fault config_finish(struct system_config *config);
/* All of it: defaults, the system's file, `count` settings as config_set takes them, config_finish. */
struct fault config_read(struct system_config *config, const char *system, const char *const *settings, size_t count);

/* Finds a system's file: the path as given, else `name`, with or without .yaml, in the folder configs or its folder
 * gpu, beside the program, in the working folder, or embedded in the program; files of its folders detailed and core
 * are named detailed/NAME and core/NAME. `folder` is put before a relative path ("" for none). False: not found. */
bool config_find(const char *folder, const char *name, char *path, size_t size);
/* The text of a file that config_find has found, which may be one of those that the program itself holds
 * (shipped_files.sh). *text is the caller's to free, after a fault too; it has no zero byte at its end. */
struct fault config_file_text(const char *path, char **text, size_t *length);
/* All shipped systems, by the names that config_find takes and their files: those of cores in the order of their names,
 * GPUs, those of the folder detailed. `visit` answers whether it wants the next. */
void config_each_shipped(bool (*visit)(void *context, const char *name, const char *path), void *context);

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

#endif
