/* Defaults and assignments: one key and one text become one value of a configuration. The file reader and --set both
 * come through here, with the sections of sections.c.
 *
 * Left open until config_finish: clocks (CLOCK_INHERITED), interleave (INTERLEAVE_AUTO), a memory's base and the
 * controller's min_..._per_switch (PARAM_MISSING), a core's own parameters (0), behind of l2 and l3 (""). */
#include "replay/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "base/nearest.h"
#include "replay/config/device.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

#define HIGHEST_OFFSET (UINT64_C(1) << 62)

/* ---- values */
uint64_t config_value(const struct system_config *config, const struct config_section *section,
                      const struct param_info *info)
{
    uint64_t value = 0;

    if (info->unit != UNIT_RATIO)
        memcpy(&value, (const char *)config + section->offset + info->offset, sizeof value);
    return value;
}

double config_ratio(const struct system_config *config, const struct config_section *section,
                    const struct param_info *info)
{
    double ratio = 0;

    if (info->unit == UNIT_RATIO)
        memcpy(&ratio, (const char *)config + section->offset + info->offset, sizeof ratio);
    return ratio;
}

static void store(void *parameters, const struct param_info *info, uint64_t value, double ratio)
{
    char *field = (char *)parameters + info->offset;

    if (info->unit == UNIT_RATIO)
        memcpy(field, &ratio, sizeof ratio);
    else
        memcpy(field, &value, sizeof value);
}

/* True for the keys whose open value is PARAM_MISSING and is written as auto. */
static bool has_auto(const struct config_section *section, const struct param_info *info)
{
    return (section->kind == CONFIG_MEMORY && strcmp(info->key, "base") == 0) ||
           (section->kind == CONFIG_CONTROLLER && (strcmp(info->key, "min_writes_per_switch") == 0 ||
                                                   strcmp(info->key, "min_reads_per_switch") == 0));
}

bool config_is_open(const struct config_section *section, const struct param_info *info, uint64_t value)
{
    if (info->unit == UNIT_PERIOD)
        return info->fallback == CLOCK_INHERITED && value == CLOCK_INHERITED;
    if (info->unit == UNIT_BYTES_OR_ROW)
        return value == INTERLEAVE_AUTO || value == INTERLEAVE_ROW_BUFFER;
    return value == PARAM_MISSING && has_auto(section, info);
}

void config_value_text(const struct system_config *config, const struct config_section *section,
                       const struct param_info *info, char *text, size_t size)
{
    uint64_t const value = config_value(config, section, info);
    const char *const path = config_module_path(config, section, info);

    if (path)
        snprintf(text, size, "%s", path);
    else if (value == PARAM_MISSING && has_auto(section, info))
        snprintf(text, size, "auto");
    else
        units_format(info->unit, value, config_ratio(config, section, info), text, size);
}

/* ---- defaults: those of the tables, then the differences by section (classic-memory 5.1, 15) */
void config_table_defaults(void *parameters, const struct param_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        store(parameters, &table->rows[i], table->rows[i].fallback, table->rows[i].fallback_ratio);
}

static void set_l2_defaults(struct cache_params *l2)
{
    l2->size_bytes = UINT64_C(2) << 20;
    l2->assoc = 8;
    l2->tag_latency_cyc = l2->data_latency_cyc = l2->response_latency_cyc = 20;
    l2->mshrs = 20;
    l2->targets_per_mshr = 12;
}

/* The reference script has no L3; these are the figures of its usual single-core experiments. */
static void set_l3_defaults(struct cache_params *l3)
{
    l3->size_bytes = UINT64_C(8) << 20;
    l3->assoc = 16;
    l3->tag_latency_cyc = l3->data_latency_cyc = 30;
    l3->response_latency_cyc = 20;
    l3->mshrs = 32;
    l3->targets_per_mshr = 12;
    l3->write_buffers = 16;
}

void config_prefetcher_defaults(struct prefetcher_params *prefetcher)
{
    memset(prefetcher, 0, sizeof *prefetcher);
    config_table_defaults(prefetcher, &prefetcher_param_table);
}

static void set_cache_defaults(struct cache_config *cache, const char *name)
{
    bool const is_l1i = strcmp(name, "l1i") == 0, is_l1d = strcmp(name, "l1d") == 0;

    memset(cache, 0, sizeof *cache);
    config_append(cache->name, cache->name + sizeof cache->name, name);
    config_table_defaults(&cache->params, &cache_param_table);
    for (unsigned i = 0; i < PREFETCHERS_OF_CACHE; i++)
        config_prefetcher_defaults(&cache->prefetchers[i]);
    cache->feed = is_l1i ? FEED_FETCH : is_l1d ? FEED_DATA : FEED_CACHES;
    cache->is_private = is_l1i || is_l1d;
    if (is_l1i) {
        cache->params.size_bytes = 32768;
        cache->params.read_only = 1;
        cache->params.writeback_clean = 1;
    } else if (strcmp(name, "l3") == 0 || strcmp(name, "memcache") == 0) {
        set_l3_defaults(&cache->params);
    } else if (!is_l1d) {
        set_l2_defaults(&cache->params);
    }
}

void config_memory_defaults(struct memory_params *memory, bool is_single)
{
    memset(memory, 0, sizeof *memory);
    config_table_defaults(memory, &memory_param_table);
    config_table_defaults(&memory->dram, &dram_param_table);
    memory->of_device = memory->dram;
    config_table_defaults(&memory->controller, &controller_param_table);
    config_table_defaults(&memory->command, &command_param_table);
    config_table_defaults(&memory->mitigation, &mitigation_param_table);
    strcpy(memory->command_device.standard, "DDR4");
    strcpy(memory->device, "DDR3_1600_8x8");
    memory->controller.min_writes_per_switch = memory->controller.min_reads_per_switch = PARAM_MISSING;
    if (!is_single)
        memory->base = PARAM_MISSING;
}

struct system_config *config_new(void)
{
    return calloc(1, sizeof(struct system_config));
}

void config_defaults(struct system_config *config)
{
    struct config_section const top = config_top_section();

    memset(config, 0, sizeof *config);
    config_table_defaults(config, top.table);
    config_table_defaults(&config->core, config_core_section(0).table);
    config_detailed_defaults(config);
    strcpy(config->name, "default");
    config->core_count = 1;
    config->cache_count = CONFIG_FIRST_BEHIND;
    set_cache_defaults(&config->caches[CONFIG_L1I], "l1i");
    set_cache_defaults(&config->caches[CONFIG_L1D], "l1d");
    set_cache_defaults(&config->memory_cache, "memcache");
    config_table_defaults(&config->cache_bus, &noc_param_table);
    config_table_defaults(&config->memory_bus, &noc_param_table);
    config->memory_bus.width_bytes = 16;
    config->memory_bus.frontend_latency_cyc = 3;
    config->memory_bus.forward_latency_cyc = 4;
    config->memory_bus.response_latency_cyc = 2;
    config->memory_bus.snoop_response_latency_cyc = 4;
    config->memory_count = 1;
    config_memory_defaults(&config->memories[0], true);
    config_gpu_defaults(&config->gpu);
    config_virtual_defaults(config);
}

void config_set_name(struct system_config *config, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *point = strrchr(base, '.');
    size_t length = point && point != base ? (size_t)(point - base) : strlen(base);

    if (length >= sizeof config->name)
        length = sizeof config->name - 1;
    memset(config->name, 0, sizeof config->name);
    memcpy(config->name, base, length);
    for (size_t i = 0; (i += harmless_bytes(config->name + i, length - i)) < length; i++)
        config->name[i] = '?';
    for (size_t i = harmless_bytes(config->name, length); i < length; i += harmless_bytes(config->name + i, length - i))
        config->name[i++] = '?';
}

/* ---- texts of faults */
struct config_quote config_quote(const char *text)
{
    struct config_quote quote;
    size_t i = 0;

    for (; text[i] && i < sizeof quote.text - 1; i++) {
        size_t const harmless = harmless_bytes(text + i, strnlen(text + i, sizeof quote.text - 1 - i));

        memcpy(quote.text + i, text + i, harmless);
        i += harmless;
        if (!text[i] || i == sizeof quote.text - 1)
            break;
        quote.text[i] = '?';
    }
    quote.text[i] = '\0';
    if (text[i])
        memcpy(quote.text + sizeof quote.text - 4, "...", 4);
    return quote;
}

static struct fault bad_value(const char *where, const char *full, const char *text, const char *problem,
                              enum param_unit unit, bool has_word)
{
    char expected[CONFIG_EXPECTED_TEXT];

    units_expected(unit, expected, sizeof expected);
    return fault_make(FAULT_INPUT, "%s: %s: \"%s\" %s; give %s%s", where, full, config_quote(text).text, problem,
                      expected, has_word ? ", or auto" : "");
}

/* ---- caches that come and go */
struct cache_config *config_cache_at(struct system_config *config, unsigned index)
{
    return index == CONFIG_MEMORY_CACHE ? &config->memory_cache : &config->caches[index];
}

const struct cache_config *config_cache_const(const struct system_config *config, unsigned index)
{
    return index == CONFIG_MEMORY_CACHE ? &config->memory_cache : &config->caches[index];
}

unsigned config_cache_find(const struct system_config *config, const char *name)
{
    for (unsigned i = 0; i < config->cache_count; i++)
        if (strcmp(config->caches[i].name, name) == 0)
            return i;
    return CONFIG_MAX_CACHES;
}

struct fault config_cache_begin(struct system_config *config, const char *name, const char *where, unsigned *index)
{
    *index = config_cache_find(config, name);
    if (*index == CONFIG_MAX_CACHES && config->cache_count == CONFIG_MAX_CACHES)
        return fault_make(FAULT_INPUT, "%s: %s: this would be cache number %d; a system has up to %d, so join some",
                          where, config_quote(name).text, CONFIG_MAX_CACHES + 1, CONFIG_MAX_CACHES);
    if (*index == CONFIG_MAX_CACHES)
        *index = config->cache_count++;
    set_cache_defaults(&config->caches[*index], name);
    return fault_none();
}

static void remove_cache(struct system_config *config, unsigned index)
{
    config->cache_count--;
    memmove(&config->caches[index], &config->caches[index + 1],
            (config->cache_count - index) * sizeof config->caches[0]);
    memset(&config->caches[config->cache_count], 0, sizeof config->caches[0]);
}

struct fault config_make_present(struct system_config *config, struct config_section *section, const char *where)
{
    char name[CONFIG_PATH_TEXT];
    unsigned index;

    if (section->is_present)
        return fault_none();
    if (config_is_of_tlb(section)) {
        config->has_tlb = section->is_present = true;
        return fault_none();
    }
    if (section->index == CONFIG_MEMORY_CACHE) {
        set_cache_defaults(&config->memory_cache, "memcache");
        config->has_memory_cache = true;
        index = CONFIG_MEMORY_CACHE;
    } else {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(section->path, "."), section->path);
        FORWARD(config_cache_begin(config, name, where, &index));
    }
    *section = section->kind == CONFIG_PREFETCHER ? config_prefetcher_section(config, index, section->slot)
                                                  : config_cache_section(config, index);
    return fault_none();
}

/* ---- keys that are in no table */
static struct fault assign_core_count(struct system_config *config, const char *text, const char *where)
{
    uint64_t count;
    double unused;
    const char *problem = units_parse(UNIT_COUNT, text, &count, &unused);

    if (problem)
        return fault_make(FAULT_INPUT, "%s: cores: \"%s\" %s; give how many, such as 4, or a list", where,
                          config_quote(text).text, problem);
    if (count > CONFIG_MAX_CORES)
        return fault_make(FAULT_INPUT, "%s: cores: %s is out of range; give 1 to %d", where, config_quote(text).text,
                          CONFIG_MAX_CORES);
    for (uint64_t i = count; i < config->core_count; i++)
        memset(&config->cores[i], 0, sizeof config->cores[i]);
    config->core_count = (unsigned)count;
    return fault_none();
}

static struct fault assign_bool(bool *field, const char *full, const char *text, const char *where)
{
    uint64_t value;
    double unused;
    const char *problem = units_parse(UNIT_BOOL, text, &value, &unused);

    if (problem)
        return bad_value(where, full, text, problem, UNIT_BOOL, false);
    *field = value != 0;
    return fault_none();
}

static struct fault assign_bytes(uint64_t *field, uint64_t highest, const char *full, const char *text,
                                 const char *where)
{
    uint64_t value;
    double unused;
    const char *problem = units_parse(UNIT_BYTES, text, &value, &unused);

    if (problem)
        return bad_value(where, full, text, problem, UNIT_BYTES, false);
    if (value > highest)
        return fault_make(FAULT_INPUT, "%s: %s: %s is out of range; give 0B to %s", where, full,
                          config_quote(text).text, config_bytes(highest).text);
    *field = value;
    return fault_none();
}

static struct fault assign_private(struct system_config *config, unsigned index, const char *full, const char *text,
                                   const char *where)
{
    bool is_private = false;

    FORWARD(assign_bool(&is_private, full, text, where));
    if (index == CONFIG_MEMORY_CACHE && is_private)
        return fault_make(FAULT_INPUT, "%s: %s: this cache is in front of the memories, so all cores share it; leave "
                          "the key out", where, full);
    if (index < CONFIG_FIRST_BEHIND && !is_private)
        return fault_make(FAULT_INPUT, "%s: %s: each core has an %s of its own; leave the key out", where, full,
                          config->caches[index].name);
    config_cache_at(config, index)->is_private = is_private;
    return fault_none();
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "[cpu0.l1i, cpu0.l1d]" or "cpu0.l1i,cpu0.l1d", kept as "cpu0.l1i, cpu0.l1d" */
static struct fault assign_behind(struct system_config *config, unsigned index, const char *full, const char *text,
                                  const char *where)
{
    char kept[CONFIG_BEHIND_TEXT] = "";
    size_t used = 0;

    if (index < CONFIG_FIRST_BEHIND)
        return fault_make(FAULT_INPUT, "%s: %s: an L1 is behind its core and nothing else; leave the key out", where,
                          full);
    if (index == CONFIG_MEMORY_CACHE)
        return fault_make(FAULT_INPUT, "%s: %s: this cache is behind the memory bus always; leave the key out", where,
                          full);
    for (const char *c = text; *c;) {
        size_t length = 0;

        while (is_name_character(c[length]) || (length > 0 && c[length] == '.'))
            length++;
        if (length == 0 && !strchr(", []", *c))
            return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is not a list of names; give caches such as l1i, l1d, or "
                                           "one core's, cpu0.l1i, cpu0.l1d", where, full, config_quote(text).text);
        if (length && used + length + 3 > sizeof kept)
            return fault_make(FAULT_INPUT, "%s: %s: more names than fit; write l1d for all of the L1Ds instead of one "
                              "by one", where, full);
        if (length)
            used += (size_t)snprintf(kept + used, sizeof kept - used, "%s%.*s", used ? ", " : "", (int)length, c);
        c += length ? length : 1;
    }
    if (!used)
        return fault_make(FAULT_INPUT, "%s: %s: names no cache; give those that are above it, such as l1i, l1d", where,
                          full);
    memset(config->caches[index].behind_text, 0, sizeof config->caches[index].behind_text);
    memcpy(config->caches[index].behind_text, kept, used);
    return fault_none();
}

static struct fault assign_extra(struct system_config *config, struct config_section *section,
                                 const struct config_extra *extra, const char *text, const char *where)
{
    struct core_config *core = section->kind == CONFIG_CORE ? &config->cores[section->index] : NULL;
    char full[CONFIG_KEY_TEXT];

    config_key_text(section, extra->key, full, sizeof full);
    if (section->kind == CONFIG_GPU_L1 || section->kind == CONFIG_GPU_L2)
        return config_gpu_assign_extra(&config->gpu, extra->key, full, text, where);
    if (section->kind == CONFIG_PAGES)
        return config_assign_map(config, full, text, where);
    if (strcmp(extra->key, "device") == 0)
        return config_assign_device(&config->memories[section->index], full, text, where);
    if (section->kind == CONFIG_MEMORY)
        return config_assign_command(&config->memories[section->index], extra->key, full, text, where);
    if (strcmp(extra->key, "cores") == 0)
        return assign_core_count(config, text, where);
    if (strcmp(extra->key, "share") == 0)
        return assign_bool(core ? &core->share : &config->share, full, text, where);
    if (strcmp(extra->key, "offset_step") == 0)
        return assign_bytes(&config->offset_step_bytes, HIGHEST_OFFSET / CONFIG_MAX_CORES, full, text, where);
    if (core && strcmp(extra->key, "offset") == 0) {
        core->has_offset = true;
        return assign_bytes(&core->offset_bytes, HIGHEST_OFFSET, full, text, where);
    }
    if (strcmp(extra->key, "private") == 0) {
        FORWARD(config_make_present(config, section, where));
        return assign_private(config, section->index, full, text, where);
    }
    if (strcmp(extra->key, "behind") == 0) {
        FORWARD(config_make_present(config, section, where));
        return assign_behind(config, section->index, full, text, where);
    }
    return fault_make(FAULT_INPUT, "%s: %s: expected a %s, found \"%s\"", where, full, extra->unit,
                      config_quote(text).text);
}

/* ---- assignments */
static bool is_word(const struct param_info *info, const char *text)
{
    return (info->unit == UNIT_PERIOD && info->fallback == CLOCK_INHERITED && strcmp(text, "auto") == 0) ||
           (info->unit == UNIT_BYTES_OR_ROW && (text[0] == 'a' || text[0] == 'r'));
}

static struct fault check_limits(const struct param_info *info, const char *full, const char *text, uint64_t value,
                                 double ratio, const char *where)
{
    char lowest[UNITS_TEXT], highest[UNITS_TEXT];

    if (info->unit == UNIT_RATIO) {
        if (ratio >= CONFIG_RATIO_LOWEST && ratio <= CONFIG_RATIO_HIGHEST)
            return fault_none();
        return fault_make(FAULT_INPUT, "%s: %s: %s is out of range; give %g to %.0f", where, full,
                          config_quote(text).text, CONFIG_RATIO_LOWEST, CONFIG_RATIO_HIGHEST);
    }
    if (value >= info->lowest && value <= info->highest)
        return fault_none();
    units_format(info->unit, info->lowest, 0, lowest, sizeof lowest);
    units_format(info->unit, info->highest, 0, highest, sizeof highest);
    return fault_make(FAULT_INPUT, "%s: %s: %s is out of range; give %s to %s", where, full, config_quote(text).text,
                      info->unit == UNIT_PERIOD ? highest : lowest,    /* shown as frequencies */
                      info->unit == UNIT_PERIOD ? lowest : highest);
}

/* The device's own, if the memory did not have them before. */
static void assign_policy(struct memory_params *memory, uint64_t policy)
{
    if (policy == DEVICE_POLICY_DEVICE && memory->policy != policy)
        config_copy_dram_policy(&memory->dram, &memory->of_device);
    memory->policy = policy;
}

/* *is_module: the key may name a module, and does now. */
static struct fault assign_by_module(struct system_config *config, struct config_section *section,
                                     const struct param_info *info, const char *full, const char *text,
                                     const char *where, bool *is_module)
{
    *is_module = false;
    if (!config_module_of(config, section, info))
        return fault_none();
    *is_module = config_is_module_file(text);
    if (!*is_module && strlen(text) > 3 && strcmp(text + strlen(text) - 3, ".so") == 0)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is no path; a module is named by one with a slash, such as "
                          "./%s", where, full, config_quote(text).text, config_quote(text).text);
    if (!*is_module)
        return fault_none();
    FORWARD(config_make_present(config, section, where));
    return config_assign_module(config, section, info, full, text, where);
}

struct fault config_assign(struct system_config *config, struct config_section *section, const char *key,
                           const char *text, const char *where)
{
    const struct param_info *info = config_param_find(section, key);
    const struct config_extra *extra = config_extra_find(section, key);
    char full[CONFIG_KEY_TEXT];
    uint64_t value;
    double ratio = 0;
    bool is_module;

    if (extra)
        return assign_extra(config, section, extra, text, where);
    config_key_text(section, key, full, sizeof full);
    if (section->kind == CONFIG_OVERRIDES)
        return config_assign_override(&config->memories[section->index], key, full, text, where);
    if (section->kind == CONFIG_CURRENTS && strcmp(key, "datasheet") == 0)
        return config_assign_datasheet(&config->memories[section->index], full, text, where);
    if (section->kind == CONFIG_MODULE)
        return config_assign_module_value(config, section, key, full, text, where);
    if (!info)
        return config_unknown_key(config, section, key, where);
    FORWARD(assign_by_module(config, section, info, full, text, where, &is_module));
    if (is_module)
        return fault_none();
    if ((has_auto(section, info) && strcmp(text, "auto") == 0)
        || (config_is_of_device_file(section) && info->unit == UNIT_TIME && strcmp(text, "unknown") == 0)) {
        value = PARAM_MISSING;
    } else {
        const char *problem = units_parse(info->unit, text, &value, &ratio);

        if (problem)
            return bad_value(where, full, text, problem, info->unit, has_auto(section, info));
        if (!is_word(info, text))
            FORWARD(check_limits(info, full, text, value, ratio, where));
    }
    FORWARD(config_make_present(config, section, where));
    if (section->kind == CONFIG_MEMORY && strcmp(key, "policy") == 0)
        assign_policy(&config->memories[section->index], value);
    else
        store((char *)config + section->offset, info, value, ratio);
    if (section->kind == CONFIG_DRAM && config_is_dram_policy(key))
        config->memories[section->index].has_policy = true;
    return fault_none();
}

static bool means_none(const char *text)
{
    static const char *const words[] = {"none", "None", "null", "~", "no", "off", "false"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

struct fault config_assign_section(struct system_config *config, struct config_section *section, const char *text,
                                   const char *where)
{
    if (section->kind == CONFIG_PREFETCHER)
        return config_assign(config, section, "type", means_none(text) ? "none" : text, where);
    if (section->kind == CONFIG_GPU && means_none(text)) {
        config_gpu_defaults(&config->gpu);
        return fault_none();
    }
    if ((section->kind == CONFIG_GPU_L1 || section->kind == CONFIG_GPU_L2) && means_none(text))
        return config_assign(config, section, "absent", "yes", where);
    if (config_is_of_tlb(section))
        return config_assign_tlb(config, section, text, means_none(text), where);
    if (section->kind != CONFIG_CACHE || section->index < CONFIG_FIRST_BEHIND)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is not a value for a section; give its keys, such as "
                                       "%s.%s", where,
                          section->path, config_quote(text).text, section->path, config_example_key(section));
    if (!means_none(text))
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is not a value for a section; give its keys, such as %s.size, "
                                       "or none to take it "
                                       "out", where, section->path, config_quote(text).text, section->path);
    if (section->index == CONFIG_MEMORY_CACHE) {
        set_cache_defaults(&config->memory_cache, "memcache");
        config->has_memory_cache = false;
    } else if (section->is_present) {
        remove_cache(config, section->index);
    }
    return fault_none();
}

/* ---- --set */

/* Ends the first part of a key at its point; parts of a list and its number are one. NULL: the last part. */
static char *cut_part(char *key)
{
    char *point = strchr(key, '.');

    if (point && (strncmp(key, "cores.", 6) == 0 || strncmp(key, "memories.", 9) == 0)) {
        char *second = strchr(point + 1, '.');
        if (!second)
            return NULL;
        point = second;
    }
    if (!point)
        return NULL;
    *point = '\0';
    return point + 1;
}

static struct fault no_section(const struct system_config *config, const struct config_section *section,
                               const char *name, const char *where)
{
    bool const is_core = strncmp(name, "cores.", 6) == 0;
    unsigned const count = is_core ? config->core_count : config->memory_count;

    if (section->kind != CONFIG_SYSTEM || !strchr(name, '.'))
        return config_unknown_key(config, section, name, where);
    return fault_make(FAULT_INPUT, "%s: %s: there %s %u, counted from 0; give a lower number, or change how many "
                      "there are", where, config_quote(name).text, count == 1 ? "is" : "are", count);
}

struct fault config_check_single(const struct system_config *config, const char *key, const char *where)
{
    if (config->memory_count == 1 || strcmp(key, "memory") != 0)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: memory: this system has %u memories; give the list memories:, or with --set "
                      "the number of one, such as memories.0", where, config->memory_count);
}

struct fault config_key_find(const struct system_config *config, char *key, const char *where,
                             struct config_section *section, char **name)
{
    struct config_section inner;

    *section = config_top_section();
    *name = key;
    for (char *rest = cut_part(*name); rest; rest = cut_part(*name)) {
        FORWARD(config_check_single(config, section->kind == CONFIG_SYSTEM ? *name : "", where));
        if (!config_subsection(config, section, *name, &inner))
            return no_section(config, section, *name, where);
        *section = inner;
        *name = rest;
    }
    return fault_none();
}

struct fault config_set(struct system_config *config, const char *assignment)
{
    return config_set_from(config, assignment, "--set");
}

struct fault config_set_from(struct system_config *config, const char *assignment, const char *where)
{
    const char *equals = strchr(assignment, '=');
    struct config_section section, inner;
    char key[CONFIG_KEY_TEXT], *name;

    if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof key)
        return fault_make(FAULT_INPUT, "--set %s: expected KEY=VALUE, such as l2.size=512KiB",
                          config_quote(assignment).text);
    memcpy(key, assignment, (size_t)(equals - assignment));
    key[equals - assignment] = '\0';
    FORWARD(config_key_find(config, key, where, &section, &name));
    if (section.kind == CONFIG_SYSTEM && strcmp(name, "include") == 0)
        return config_include(config, equals + 1, where);
    if (section.kind == CONFIG_SYSTEM && (strcmp(name, "caches") == 0 || strcmp(name, "memories") == 0))
        return fault_make(FAULT_INPUT, "--set %s: a list is made in a file; --set changes its items, such as %s", name,
                          name[0] == 'c' ? "l2.size=1MiB" : "memories.0.size=1GiB");
    if (config_subsection(config, &section, name, &inner))
        return config_assign_section(config, &inner, equals + 1, where);
    return config_assign(config, &section, name, equals + 1, where);
}
