/* Modules that a configuration names by a file (include/rubato_policy.h): prefetchers and policies of caches, parts of
 * branch prediction units.
 *
 * A key whose value has a slash names one: l1d.prefetcher, l2.replacement, cpu.branchPred.type, .BTB,
 * .indirectBranchPred. Its parameters are keys of a section beside that key. Their texts are kept until config_finish,
 * which loads the module and reads them, so that the order of settings does not matter. */
#ifndef REPLAY_CONFIG_CONFIG_MODULE_H
#define REPLAY_CONFIG_CONFIG_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "memsys/sim/module_use.h"
#include "replay/config/config_limits.h"

enum { CONFIG_MODULE_NAME = 32, CONFIG_MODULE_VALUE = 32, CONFIG_BRANCH_MODULES = 3 };

struct config_module {
    char path[CONFIG_MAP_TEXT];          /* "": the key has another value */
    struct {
        char name[CONFIG_MODULE_NAME], value[CONFIG_MODULE_VALUE];
    } given[RUBATO_MOST_PARAMETERS];
    unsigned given_count;
    uint64_t digest;                     /* of the file, once it is loaded */
};

struct config_section;
struct config_text;
struct param_info;
struct system_config;

/* Of a key that may name a module; NULL: it may not. */
struct config_module *config_module_of(struct system_config *config, const struct config_section *section,
                                       const struct param_info *info);
/* The path that the key has now; NULL: it has another value, or may not have one. */
const char *config_module_path(const struct system_config *config, const struct config_section *section,
                               const struct param_info *info);
/* Is the text the file of a module? */
bool config_is_module_file(const char *text);
/* The key becomes that file. full: the key in faults. */
struct fault config_assign_module(struct system_config *config, const struct config_section *section,
                                  const struct param_info *info, const char *full, const char *text,
                                  const char *where);
/* A section of a module's parameters within another one. */
bool config_module_subsection(const struct config_section *section, const char *key, struct config_section *inner);
struct fault config_assign_module_value(struct system_config *config, const struct config_section *section,
                                        const char *key, const char *full, const char *text, const char *where);
/* A parameter as text. False: the module has none of that name. */
bool config_module_value(const struct system_config *config, const struct config_section *section, const char *key,
                         char *text, size_t size);
/* Calls `add` for each parameter of the modules of a section; `part`: key of their section. */
void config_module_visit(const struct system_config *config, const struct config_section *section,
                         void (*part)(void *context, const char *key),
                         void (*add)(void *context, const char *key, const char *value, const char *help),
                         void *context);
/* Has a module that was loaded what the slot needs? path, key: in faults. */
struct fault config_check_module(const struct rubato_module *module, const char *path, const char *key,
                                 enum rubato_slot slot);
/* A use with all parameters as the module has them, and one of them from text; part: the key before it in faults. */
void config_module_defaults(struct module_use *use, const struct rubato_module *module);
struct fault config_module_take_value(struct module_use *use, const char *part, const char *name, const char *text);
/* Loads all modules, and reads their parameters. */
struct fault config_finish_modules(struct system_config *config);
/* Calls `take` for each use of a module that is loaded; its first fault ends it. */
struct fault config_modules_each(struct system_config *config,
                                 struct fault (*take)(void *context, struct module_use *use), void *context);

#endif
