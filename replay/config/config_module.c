/* Slots: the keys that may name a module, each with the section of its parameters, and where both are kept. */
#include "replay/config/config_module.h"

#include <stdio.h>
#include <string.h>

#include "base/shared_object.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

#define IN_CACHE(field) offsetof(struct cache_config, field)
#define IN_SYSTEM(field) offsetof(struct system_config, field)

static const struct slot {
    enum config_kind kind;               /* of the section that has the key */
    const char *key, *part;              /* part: section of the parameters */
    enum rubato_slot slot;
    uint64_t value;                      /* of the key: it names a module */
    unsigned branch;                     /* index in branch_modules */
} slots[] = {
    {CONFIG_CACHE, "replacement", "replacement_module", RUBATO_IS_REPLACEMENT, REPLACEMENT_MODULE, 0},
    {CONFIG_PREFETCHER, "type", "module", RUBATO_IS_PREFETCHER, PREFETCHER_MODULE, 0},
    {CONFIG_BRANCH, "type", "type_module", RUBATO_IS_DIRECTION, BRANCH_MODULE, 0},
    {CONFIG_BRANCH, "BTB", "BTB_module", RUBATO_IS_BTB, BTB_MODULE, 1},
    {CONFIG_BRANCH, "indirectBranchPred", "indirect_module", RUBATO_IS_INDIRECT, INDIRECT_MODULE, 2}
};
enum { SLOT_COUNT = sizeof slots / sizeof slots[0] };

static size_t offset_of_module(const struct config_section *section, const struct slot *slot)
{
    size_t const cache = section->index == CONFIG_MEMORY_CACHE
        ? IN_SYSTEM(memory_cache) : IN_SYSTEM(caches) + section->index * sizeof(struct cache_config);

    if (slot->kind == CONFIG_BRANCH)
        return IN_SYSTEM(branch_modules) + slot->branch * sizeof(struct config_module);
    if (slot->kind == CONFIG_CACHE)
        return cache + IN_CACHE(replacement_module);
    return cache + IN_CACHE(prefetcher_modules) + section->slot * sizeof(struct config_module);
}

static const struct slot *slot_of(const struct config_section *section, const struct param_info *info)
{
    for (size_t i = 0; i < SLOT_COUNT; i++)
        if (slots[i].kind == section->kind && strcmp(slots[i].key, info->key) == 0)
            return &slots[i];
    return NULL;
}

static struct config_module *module_at(struct system_config *config, size_t offset)
{
    return (struct config_module *)(void *)((char *)config + offset);
}

struct config_module *config_module_of(struct system_config *config, const struct config_section *section,
                                       const struct param_info *info)
{
    const struct slot *const slot = slot_of(section, info);

    return slot ? module_at(config, offset_of_module(section, slot)) : NULL;
}

const char *config_module_path(const struct system_config *config, const struct config_section *section,
                               const struct param_info *info)
{
    const struct slot *const slot = slot_of(section, info);

    if (!slot || config_value(config, section, info) != slot->value)
        return NULL;
    return ((const struct config_module *)(const void *)((const char *)config + offset_of_module(section, slot)))->path;
}

/* ---- assignments */

bool config_is_module_file(const char *text)
{
    return strchr(text, '/') != NULL;
}

static bool is_plain_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("._-+/=@%~", c));
}

struct fault config_assign_module(struct system_config *config, const struct config_section *section,
                                  const struct param_info *info, const char *full, const char *text,
                                  const char *where)
{
    const struct slot *const slot = slot_of(section, info);
    struct config_module *const module = config_module_of(config, section, info);
    size_t const length = strlen(text);

    if (length >= sizeof module->path)
        return fault_make(FAULT_INPUT, "%s: %s: a path of %zu letters; give one of at most %zu", where, full, length,
                          sizeof module->path - 1);
    for (const char *c = text; *c; c++)
        if (!is_plain_letter(*c))
            return fault_make(FAULT_INPUT, "%s: %s: \"%s\" has other letters than a-z, A-Z, 0-9 and ._-+/=@%%~; give "
                              "the file another name", where, full, config_quote(text).text);
    memset(module->path, 0, sizeof module->path);
    memcpy(module->path, text, length);
    memcpy((char *)config + section->offset + info->offset, &slot->value, sizeof slot->value);
    return fault_none();
}

bool config_module_subsection(const struct config_section *section, const char *key, struct config_section *inner)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        if (slots[i].kind != section->kind || strcmp(slots[i].part, key) != 0)
            continue;
        *inner = (struct config_section){
            .kind = CONFIG_MODULE, .help = "parameters of the module", .table = &override_param_table,
            .offset = offset_of_module(section, &slots[i]), .index = section->index, .slot = section->slot,
            .is_present = section->is_present};
        config_key_text(section, key, inner->path, sizeof inner->path);
        return true;
    }
    return false;
}

struct fault config_assign_module_value(struct system_config *config, const struct config_section *section,
                                        const char *key, const char *full, const char *text, const char *where)
{
    struct config_module *const module = module_at(config, section->offset);
    unsigned i = 0;

    if (!section->is_present)
        return fault_make(FAULT_INPUT, "%s: %s: there is no such cache; give its keys first", where, full);
    if (strlen(key) >= CONFIG_MODULE_NAME || strlen(text) >= CONFIG_MODULE_VALUE)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is too long; a name and its value have at most %d letters each",
                          where, full, config_quote(text).text, CONFIG_MODULE_NAME - 1);
    while (i < module->given_count && strcmp(module->given[i].name, key) != 0)
        i++;
    if (i == RUBATO_MOST_PARAMETERS)
        return fault_make(FAULT_INPUT, "%s: %s: a module has at most %d parameters", where, full,
                          RUBATO_MOST_PARAMETERS);
    module->given_count += i == module->given_count;
    memset(&module->given[i], 0, sizeof module->given[i]);
    memcpy(module->given[i].name, key, strlen(key));
    memcpy(module->given[i].value, text, strlen(text));
    return fault_none();
}

/* ---- loading */

struct fault config_check_module(const struct rubato_module *module, const char *path, const char *key,
                                 enum rubato_slot slot)
{
    static const char *const kinds[] = {"prefetcher", "replacement policy", "direction predictor",
                                        "branch target buffer", "predictor of indirect jumps"};
    bool const has[] = {module->prefetcher, module->replacement && module->replacement->victim,
                        module->direction && module->direction->predict && module->direction->train,
                        module->btb && module->btb->predict, module->indirect && module->indirect->predict};

    if (module->version != RUBATO_POLICY_VERSION)
        return fault_make(FAULT_INPUT, "%s: %.200s: made for version %u of rubato_policy.h, but this is version %d; "
                          "build it anew", key, path, (unsigned)module->version, RUBATO_POLICY_VERSION);
    if (module->bytes < offsetof(struct rubato_module, most_cores) || !module->create || !module->name
        || module->parameter_count > RUBATO_MOST_PARAMETERS || module->statistic_count > RUBATO_MOST_STATISTICS)
        return fault_make(FAULT_INPUT, "%s: %.200s: its rubato_module lacks a name, create or its size, or has more "
                          "than %d parameters or %d statistics", key, path, RUBATO_MOST_PARAMETERS,
                          RUBATO_MOST_STATISTICS);
    if (!has[slot])
        return fault_make(FAULT_INPUT, "%s: %.200s: the module %.60s is no %s; name another one", key, path,
                          module->name, kinds[slot]);
    if (slot == RUBATO_IS_DIRECTION && module->direction->state_bytes > 65536)
        return fault_make(FAULT_INPUT, "%s: %.200s: %zu bytes of state a branch; at most 65536", key, path,
                          module->direction->state_bytes);
    return fault_none();
}

static const struct rubato_parameter *parameter_find(const struct rubato_module *module, const char *name, uint32_t *at)
{
    for (*at = 0; *at < module->parameter_count; ++*at)
        if (strcmp(module->parameters[*at].name, name) == 0)
            return &module->parameters[*at];
    return NULL;
}

static enum param_unit unit_of_parameter(const struct rubato_parameter *parameter)
{
    return parameter->type == RUBATO_COUNT ? UNIT_COUNT : parameter->type == RUBATO_YES_NO ? UNIT_BOOL : UNIT_RATIO;
}

static void parameter_text(const struct rubato_parameter *parameter, const union rubato_value *value, char *text,
                           size_t size)
{
    bool const is_number = parameter->type == RUBATO_NUMBER;

    units_format(unit_of_parameter(parameter), is_number ? 0 : value->count, is_number ? value->number : 0, text,
                 size);
}

static struct fault read_parameter(const struct rubato_module *module, const char *key, const char *name,
                                   const char *text, union rubato_value *values)
{
    uint32_t at;
    const struct rubato_parameter *const parameter = parameter_find(module, name, &at);
    char lowest[UNITS_TEXT], highest[UNITS_TEXT];
    uint64_t count = 0;
    double number = 0;
    const char *problem;
    bool is_within;

    if (!parameter)
        return fault_make(FAULT_INPUT, "%s: the module %.60s has no parameter %s%s%.60s; `rubato plugin show` lists "
                          "them", key, module->name, name, module->parameter_count ? "; the first is " : "",
                          module->parameter_count ? module->parameters[0].name : "");
    problem = units_parse(unit_of_parameter(parameter), text, &count, &number);
    if (problem)
        return fault_make(FAULT_INPUT, "%s.%s: \"%s\" %s; give %s", key, name, config_quote(text).text, problem,
                          parameter->type == RUBATO_YES_NO ? "yes or no" : "a number such as 4");
    is_within = parameter->type == RUBATO_NUMBER
        ? number >= parameter->lowest.number && number <= parameter->highest.number
        : count >= parameter->lowest.count && count <= parameter->highest.count;
    if (!is_within) {
        parameter_text(parameter, &parameter->lowest, lowest, sizeof lowest);
        parameter_text(parameter, &parameter->highest, highest, sizeof highest);
        return fault_make(FAULT_INPUT, "%s.%s: %s is out of range; give %s to %s", key, name, config_quote(text).text,
                          lowest, highest);
    }
    if (parameter->type == RUBATO_NUMBER)
        values[at].number = number;
    else
        values[at].count = count;
    return fault_none();
}

void config_module_defaults(struct module_use *use, const struct rubato_module *module)
{
    memset(use, 0, sizeof *use);
    use->module = module;
    for (uint32_t i = 0; i < module->parameter_count; i++)
        use->values[i] = module->parameters[i].fallback;
}

struct fault config_module_take_value(struct module_use *use, const char *part, const char *name, const char *text)
{
    return read_parameter(use->module, part, name, text, use->values);
}

static struct fault load_module(struct config_module *module, enum rubato_slot slot, const char *key,
                                const char *part, struct module_use *use)
{
    struct shared_object object;

    FORWARD(fault_within(shared_object_load(&object, module->path, "rubato_module", "a module of rubato"), "%s: ",
                         key));
    module->digest = object.digest;
    FORWARD(config_check_module(object.symbol, module->path, key, slot));
    config_module_defaults(use, object.symbol);
    for (unsigned i = 0; i < module->given_count; i++)
        FORWARD(config_module_take_value(use, part, module->given[i].name, module->given[i].value));
    return fault_none();
}

/* Parameters of no module are those of a file that was named no more. */
static struct fault finish_slot(struct config_module *module, bool is_module, enum rubato_slot slot, const char *path,
                                const char *key, const char *part, struct module_use *use)
{
    char full[CONFIG_KEY_TEXT], full_part[CONFIG_KEY_TEXT];

    if (!is_module) {
        memset(use, 0, sizeof *use);
        if (module->given_count == 0) {
            memset(module, 0, sizeof *module);
            return fault_none();
        }
        return fault_make(FAULT_INPUT, "%s.%s.%s: %s.%s names no module; give it the file of one, such as ./x.so", path,
                          part, module->given[0].name, path, key);
    }
    snprintf(full, sizeof full, "%s%s%s", path, *key ? "." : "", key);
    snprintf(full_part, sizeof full_part, "%s.%s", path, part);
    return load_module(module, slot, full, full_part, use);
}

static bool may_cross(const struct system_config *config, const struct cache_config *cache)
{
    return !config->has_tlb || cache->is_private;
}

static struct fault finish_cache(struct system_config *config, struct cache_config *cache, const char *name)
{
    char path[CONFIG_PATH_TEXT];

    FORWARD(finish_slot(&cache->replacement_module, cache->params.replacement == REPLACEMENT_MODULE,
                        RUBATO_IS_REPLACEMENT, name, "replacement", "replacement_module", &cache->params.module));
    for (unsigned i = 0; i < PREFETCHERS_OF_CACHE; i++) {
        struct prefetcher_params *const params = &cache->prefetchers[i];

        snprintf(path, sizeof path, "%.20s.%s", name, config_prefetcher_key(i));
        FORWARD(finish_slot(&cache->prefetcher_modules[i], params->type == PREFETCHER_MODULE, RUBATO_IS_PREFETCHER,
                            path, "", "module", &params->module));
        if (params->type == PREFETCHER_MODULE && may_cross(config, cache)
            && (params->module.module->prefetcher->flags & RUBATO_CROSSES_PAGES))
            params->cross_pages = 1;
    }
    return fault_none();
}

static struct fault each_of_cache(struct cache_config *cache, struct fault (*take)(void *, struct module_use *),
                                  void *context)
{
    if (cache->params.module.module)
        FORWARD(take(context, &cache->params.module));
    for (unsigned i = 0; i < PREFETCHERS_OF_CACHE; i++)
        if (cache->prefetchers[i].module.module)
            FORWARD(take(context, &cache->prefetchers[i].module));
    return fault_none();
}

struct fault config_modules_each(struct system_config *config,
                                 struct fault (*take)(void *context, struct module_use *use), void *context)
{
    for (unsigned i = 0; i < config->cache_count; i++)
        FORWARD(each_of_cache(&config->caches[i], take, context));
    if (config->has_memory_cache)
        FORWARD(each_of_cache(&config->memory_cache, take, context));
    for (unsigned i = 0; i < CONFIG_BRANCH_MODULES; i++)
        if (config->branch.modules[i].module)
            FORWARD(take(context, &config->branch.modules[i]));
    return fault_none();
}

/* Modules with arrays of cores would be left behind their ends. */
static struct fault check_cores(void *context, struct module_use *use)
{
    const struct system_config *const config = context;
    bool const has_most = use->module->bytes >= offsetof(struct rubato_module, refuses);
    unsigned const most = has_most ? use->module->most_cores : 0;

    if (most == 0 || config->core_count <= most)
        return fault_none();
    return fault_make(FAULT_INPUT, "the module %.60s has arrays for %u core%s (NUM_CPUS), but the system has %u; build "
                      "it with rubato plugin build --define RUBATO_NUM_CPUS=%u", use->module->name, most,
                      most > 1 ? "s" : "", config->core_count, config->core_count);
}

struct fault config_finish_modules(struct system_config *config)
{
    struct branch_params *const branch = &config->branch;
    bool const is_module[] = {branch->type == BRANCH_MODULE, branch->btb == BTB_MODULE,
                              branch->indirect == INDIRECT_MODULE};
    struct fault fault = fault_none();

    for (unsigned i = 0; i < config->cache_count && fault.kind == FAULT_NONE; i++)
        fault = finish_cache(config, &config->caches[i], config->caches[i].name);
    if (config->has_memory_cache && fault.kind == FAULT_NONE)
        fault = finish_cache(config, &config->memory_cache, "memory_cache");
    for (size_t i = SLOT_COUNT - CONFIG_BRANCH_MODULES; i < SLOT_COUNT && fault.kind == FAULT_NONE; i++)
        fault = finish_slot(&config->branch_modules[slots[i].branch], is_module[slots[i].branch], slots[i].slot,
                            "cpu.branchPred", slots[i].key, slots[i].part, &branch->modules[slots[i].branch]);
    if (fault.kind == FAULT_NONE)
        fault = config_modules_each(config, check_cores, config);
    return config_faulty(config, fault);
}

/* ---- values, once they are read */

static const struct module_use *use_of(const struct system_config *config, const struct config_section *section,
                                       const struct slot *slot)
{
    const struct cache_config *const cache = slot->kind == CONFIG_BRANCH ? NULL
                                                                         : config_cache_const(config, section->index);
    const struct module_use *const use = !cache ? &config->branch.modules[slot->branch]
        : slot->kind == CONFIG_CACHE ? &cache->params.module : &cache->prefetchers[section->slot].module;

    return use->module ? use : NULL;
}

void config_module_visit(const struct system_config *config, const struct config_section *section,
                         void (*part)(void *context, const char *key),
                         void (*add)(void *context, const char *key, const char *value, const char *help),
                         void *context)
{
    char value[UNITS_TEXT], help[256];

    for (size_t i = 0; i < SLOT_COUNT; i++) {
        const struct module_use *const use = slots[i].kind == section->kind ? use_of(config, section, &slots[i]) : NULL;

        if (!use || use->module->parameter_count == 0)
            continue;
        part(context, slots[i].part);
        for (uint32_t p = 0; p < use->module->parameter_count; p++) {
            const struct rubato_parameter *const parameter = &use->module->parameters[p];

            parameter_text(parameter, &use->values[p], value, sizeof value);
            snprintf(help, sizeof help, "%.200s%s%.40s", parameter->help ? parameter->help : "",
                     parameter->unit ? "; " : "", parameter->unit ? parameter->unit : "");
            add(context, parameter->name, value, help);
        }
    }
}

bool config_module_value(const struct system_config *config, const struct config_section *section, const char *key,
                         char *text, size_t size)
{
    for (size_t i = 0; section->kind == CONFIG_MODULE && i < SLOT_COUNT; i++) {
        const struct module_use *const use = offset_of_module(section, &slots[i]) == section->offset
            ? use_of(config, section, &slots[i]) : NULL;
        uint32_t at;

        if (!use || !parameter_find(use->module, key, &at))
            continue;
        parameter_text(&use->module->parameters[at], &use->values[at], text, size);
        return true;
    }
    return false;
}

uint64_t config_modules_digest(const struct system_config *config)
{
    uint64_t digest = 0;

    for (unsigned i = 0; i <= config->cache_count; i++) {
        const struct cache_config *const cache = i < config->cache_count ? &config->caches[i] : &config->memory_cache;

        digest = 31 * digest + cache->replacement_module.digest;
        for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
            digest = 31 * digest + cache->prefetcher_modules[slot].digest;
    }
    for (unsigned i = 0; i < CONFIG_BRANCH_MODULES; i++)
        digest = 31 * digest + config->branch_modules[i].digest;
    return digest;
}
