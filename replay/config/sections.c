/* Which sections and keys a system has. A section holds the place of its parameters; the numbers of caches, cores and
 * memories differ from system to system, so sections are values made on request.
 *
 * Keys outside the parameter tables are in the list of extras; config.c and yaml.c apply them. Those of a GPU are in
 * config_gpu.c, those of pages and TLBs in virtual.c, those of the detailed core in detailed.c. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

#define AT(field) offsetof(struct system_config, field)

static const struct config_extra extras[] = {
    {"include", CONFIG_SYSTEM, "file", "", "a system, or a list of them, to start from"},
    {"cores", CONFIG_SYSTEM, "number", "1", "number of cores, or a list of differences from cpu, core by core"},
    {"caches", CONFIG_SYSTEM, "list", "", "further caches: name, behind, and the keys of a cache"},
    {"memories", CONFIG_SYSTEM, "list", "", "several memories instead of one: the keys of memory; without base one "
     "after the other"},
    {"share", CONFIG_CPU | CONFIG_CORE, "yes/no", "no", "addresses stay where they overlap with other cores'"},
    {"offset_step", CONFIG_CPU, "bytes", "0B", "core i's addresses are moved i steps aside; 0: not"},
    {"offset", CONFIG_CORE, "bytes", "", "the core's addresses are moved aside by so much"},
    {"private", CONFIG_CACHE, "yes/no", "no", "one instance a core; the L1s always"},
    {"behind", CONFIG_CACHE, "names", "", "caches above it: l1d for all, cpu2.l1d for that of core 2"},
    {"device", CONFIG_MEMORY, "name", "DDR3_1600_8x8", "DRAM device: times and geometry; memory.dram changes single "
     "ones"},
    {"standard", CONFIG_MEMORY, "name", "DDR4", "command: DRAM standard, of configs/dram/command/, or a file of one"},
    {"organization", CONFIG_MEMORY, "name", "auto", "command: preset of the standard: density, width, banks"},
    {"timing", CONFIG_MEMORY, "name", "auto", "command: preset of the standard: speed"},
    {"mitigation", CONFIG_MEMORY, "names", "none", "command: defences against RowHammer, in the order in which they "
     "see commands"},
    {"map", CONFIG_PAGES, "file", "none", "a file with the places of pages (DynamoRIO's v2p.textproto); others are "
     "placed by the policy"},
    {"shared_options", CONFIG_GPU_L1, "sizes", "[]", "sizes of shared memory to choose from, rising, such as [0B, "
     "8KiB, 64KiB]"},
    {"letters", CONFIG_GPU_L2, "letters", CONFIG_GPU_LETTERS, "what the bits of an address without channel are: R row, "
     "B bank, C column, S column in a burst, 0 unused; mapping: memory.command.mapping decides"}
};

const struct config_extra *config_extra_at(size_t index)
{
    return index < sizeof extras / sizeof extras[0] ? &extras[index] : NULL;
}

bool config_extra_is_of(const struct config_section *section, const struct config_extra *extra)
{
    bool const is_fixed = section->kind == CONFIG_CACHE &&
                          (section->index < CONFIG_FIRST_BEHIND || section->index == CONFIG_MEMORY_CACHE);

    return (extra->kinds & (unsigned)section->kind) && !is_fixed;
}

const struct config_extra *config_extra_find(const struct config_section *section, const char *key)
{
    for (size_t i = 0; config_extra_at(i); i++)
        if ((extras[i].kinds & (unsigned)section->kind) && strcmp(extras[i].key, key) == 0)
            return &extras[i];
    return NULL;
}

const struct param_info *config_param_find(const struct config_section *section, const char *key)
{
    for (size_t i = 0; i < section->table->count; i++)
        if (strcmp(section->table->rows[i].key, key) == 0)
            return &section->table->rows[i];
    return NULL;
}

const char *config_example_key(const struct config_section *section)
{
    return section->table->count ? section->table->rows[0].key : section->kind == CONFIG_GPU_UNITS ? "int"
           : section->kind == CONFIG_TLB ? "l2.entries" : section->kind == CONFIG_OVERRIDES ? "nRCD" : "";
}

void config_key_text(const struct config_section *section, const char *key, char *text, size_t size)
{
    const char *const end = text + size;
    char *to = config_append(text, end, section->path);

    to = config_append(to, end, *section->path ? "." : "");
    config_append(to, end, config_quote(key).text);
}

/* ---- sections */
static struct config_section sections_made(enum config_kind kind, const char *help, const struct param_table *table,
                                           size_t offset, unsigned index)
{
    return (struct config_section){.kind = kind, .help = help, .table = table, .offset = offset, .index = index,
                                   .is_present = true};
}

static struct config_section named(struct config_section section, const char *path)
{
    config_append(section.path, section.path + sizeof section.path, path);
    return section;
}

struct config_section config_top_section(void)
{
    return sections_made(CONFIG_SYSTEM, "the system as a whole", &system_param_table, 0, 0);
}

static struct config_section cpu_section(void)
{
    return named(sections_made(CONFIG_CPU, "the cores that replay the traces", &cpu_param_table, 0, 0), "cpu");
}

struct config_section config_core_section(unsigned index)
{
    struct config_section section =
        sections_made(CONFIG_CORE, "what differs from cpu", &core_param_table,
                      AT(cores) + index * sizeof(struct core_config), index);

    snprintf(section.path, sizeof section.path, "cores.%u", index);
    return section;
}

static const char *help_of_cache(const char *name)
{
    static const char *const texts[][2] = {
        {"l1i", "instruction cache"}, {"l1d", "data cache"},
        {"l2", "second-level cache; none: the L1s sit on the memory bus"},
        {"l3", "third-level cache, behind the l2; or none"},
        {"memory_cache", "non-coherent cache between the memory bus and the memories; or none"}
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i][0], name) == 0)
            return texts[i][1];
    return "further cache";
}

static size_t offset_of_cache(unsigned index)
{
    return index == CONFIG_MEMORY_CACHE ? AT(memory_cache) : AT(caches) + index * sizeof(struct cache_config);
}

static const char *path_of_cache(const struct system_config *config, unsigned index)
{
    return index == CONFIG_MEMORY_CACHE ? "memory_cache" : config->caches[index].name;
}

struct config_section config_cache_section(const struct system_config *config, unsigned index)
{
    const char *path = path_of_cache(config, index);

    return named(sections_made(CONFIG_CACHE, help_of_cache(path), &cache_param_table,
                               offset_of_cache(index) + offsetof(struct cache_config, params), index), path);
}

static struct config_section absent_cache(const char *path, unsigned index)
{
    struct config_section section = named(sections_made(CONFIG_CACHE, help_of_cache(path), &cache_param_table, 0,
                                                        index), path);

    section.is_present = false;
    return section;
}

const char *config_prefetcher_key(unsigned slot)
{
    static const char *const keys[PREFETCHERS_OF_CACHE] = {"prefetcher", "prefetcher2", "prefetcher3"};

    return keys[slot];
}

static struct config_section prefetcher_of(const struct config_section *cache, unsigned slot)
{
    struct config_section section = sections_made(
        CONFIG_PREFETCHER, slot == 0 ? "what it fetches ahead" : "a further one beside it", &prefetcher_param_table,
        offset_of_cache(cache->index) + offsetof(struct cache_config, prefetchers)
            + slot * sizeof(struct prefetcher_params), cache->index);

    snprintf(section.path, sizeof section.path, "%.20s.%s", cache->path, config_prefetcher_key(slot));
    section.is_present = cache->is_present;
    section.slot = slot;
    return section;
}

struct config_section config_prefetcher_section(const struct system_config *config, unsigned index, unsigned slot)
{
    struct config_section const cache = config_cache_section(config, index);

    return prefetcher_of(&cache, slot);
}

/* Of a key of a cache; PREFETCHERS_OF_CACHE: it is none of them. */
static unsigned slot_of_prefetcher(const char *key)
{
    unsigned slot = 0;

    while (slot < PREFETCHERS_OF_CACHE && strcmp(key, config_prefetcher_key(slot)) != 0)
        slot++;
    return slot;
}

static struct config_section memory_part(const struct system_config *config, unsigned index, struct config_section part,
                                         const char *name)
{
    part.offset = AT(memories) + index * sizeof(struct memory_params) + part.offset;
    part.index = index;
    if (config->memory_count > 1)
        snprintf(part.path, sizeof part.path, "memories.%u%s", index, name);
    else
        snprintf(part.path, sizeof part.path, "memory%s", name);
    return part;
}

struct config_section config_memory_section(const struct system_config *config, unsigned index)
{
    return memory_part(config, index, sections_made(CONFIG_MEMORY, "main memory", &memory_param_table, 0, 0), "");
}

struct config_section config_dram_section(const struct system_config *config, unsigned index)
{
    return memory_part(config, index, sections_made(CONFIG_DRAM, "the DRAM device; what is left out is the device's",
                                                    &dram_param_table, offsetof(struct memory_params, dram), 0),
                                                        ".dram");
}

struct config_section config_currents_section(const struct system_config *config, unsigned index)
{
    return memory_part(config, index, sections_made(CONFIG_CURRENTS, "currents of a chip, for energy; what is left out "
                                                    "is the device's", &currents_param_table,
                                                    offsetof(struct memory_params, currents), 0), ".currents");
}

struct config_section config_controller_section(const struct system_config *config, unsigned index)
{
    return memory_part(config, index, sections_made(CONFIG_CONTROLLER, "the DRAM controller", &controller_param_table,
                                                    offsetof(struct memory_params, controller), 0), ".controller");
}

struct config_section config_command_section(const struct system_config *config, unsigned index, enum config_kind kind)
{
    static const struct {
        enum config_kind kind;
        const char *path, *help;
        const struct param_table *table;
        size_t offset;
    } parts[] = {
        {CONFIG_COMMAND, ".command", "the controller of DRAM commands", &command_param_table,
         offsetof(struct memory_params, command)},
        {CONFIG_MITIGATIONS, ".mitigations", "parameters of defences against RowHammer", &mitigation_param_table,
         offsetof(struct memory_params, mitigation)},
        {CONFIG_MENDS, ".mends", "odd behaviour of the published model: yes: mended; auto: as memory.command.mode says",
         &mend_param_table, offsetof(struct memory_params, command_device)},
        {CONFIG_OVERRIDES, ".overrides", "timings in CK (nRCD), sizes of levels (rank) and channel_width that differ "
         "from the presets", &override_param_table, 0}
    };
    size_t i = 0;

    while (parts[i].kind != kind)
        i++;
    return memory_part(config, index, sections_made(kind, parts[i].help, parts[i].table, parts[i].offset, 0),
                       parts[i].path);
}

static struct config_section bus_section(bool is_memory_bus)
{
    if (is_memory_bus)
        return named(sections_made(CONFIG_BUS, "crossbar above the memory", &noc_param_table, AT(memory_bus), 0),
                     "memory_bus");
    return named(sections_made(CONFIG_BUS, "crossbar above each cache that is behind others", &noc_param_table,
                               AT(cache_bus), 0), "cache_bus");
}

/* ---- all of them */
static struct config_section cache_or_absent(const struct system_config *config, const char *name)
{
    unsigned const index = config_cache_find(config, name);

    if (strcmp(name, "memory_cache") == 0)
        return config->has_memory_cache ? config_cache_section(config, CONFIG_MEMORY_CACHE)
                                        : absent_cache(name, CONFIG_MEMORY_CACHE);
    return index == CONFIG_MAX_CACHES ? absent_cache(name, config->cache_count) : config_cache_section(config, index);
}

/* Further prefetchers only where the cache has them. */
static unsigned sections_add_cache(const struct system_config *config, struct config_section *list, unsigned count,
                                   struct config_section cache)
{
    list[count++] = cache;
    if (!cache.is_present)
        return count;
    for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
        if (slot == 0 || config_cache_const(config, cache.index)->prefetchers[slot].type != PREFETCHER_NONE)
            list[count++] = prefetcher_of(&cache, slot);
    return count;
}

static bool is_standard(const char *name)
{
    return strcmp(name, "l2") == 0 || strcmp(name, "l3") == 0;
}

static bool has_plain_core(const struct system_config *config)
{
    const struct core_config *first = &config->cores[0];
    static const struct core_params unset;

    return config->core_count == 1 && !first->has_offset && !first->share &&
           (memcmp(&first->params, &config->core, sizeof first->params) == 0 ||
            memcmp(&first->params, &unset, sizeof first->params) == 0);
}

static unsigned sections_add_memories(const struct system_config *config, struct config_section *list, unsigned count)
{
    for (unsigned i = 0; i < config->memory_count; i++) {
        list[count++] = config_memory_section(config, i);
        if (config->memories[i].type == MEMORY_SIMPLE)
            continue;
        list[count++] = config_currents_section(config, i);
        for (unsigned kind = CONFIG_COMMAND; config->memories[i].type == MEMORY_COMMAND && kind <= CONFIG_OVERRIDES;
             kind *= 2)
            list[count++] = config_command_section(config, i, (enum config_kind)kind);
        if (config->memories[i].type == MEMORY_COMMAND)
            continue;
        list[count++] = config_dram_section(config, i);
        list[count++] = config_controller_section(config, i);
    }
    return count;
}

static unsigned add_cores(const struct system_config *config, struct config_section *list, unsigned count)
{
    list[count++] = config_pages_section();
    list[count++] = cpu_section();
    count = config_detailed_sections(list, count);
    count = config_tlb_sections(config, list, count);
    for (unsigned i = 0; i < config->core_count && !has_plain_core(config); i++)
        list[count++] = config_core_section(i);
    count = sections_add_cache(config, list, count, config_cache_section(config, CONFIG_L1I));
    count = sections_add_cache(config, list, count, config_cache_section(config, CONFIG_L1D));
    count = sections_add_cache(config, list, count, cache_or_absent(config, "l2"));
    count = sections_add_cache(config, list, count, cache_or_absent(config, "l3"));
    for (unsigned i = CONFIG_FIRST_BEHIND; i < config->cache_count; i++)
        if (!is_standard(config->caches[i].name))
            count = sections_add_cache(config, list, count, config_cache_section(config, i));
    list[count++] = bus_section(false);
    return count;
}

unsigned config_sections(const struct system_config *config, struct config_section list[CONFIG_MAX_SECTIONS])
{
    unsigned count = 0;

    list[count++] = config_top_section();
    if (config_gpu_owns_memory(config))
        return sections_add_memories(config, list, config_gpu_sections(list, count));
    if (config->core_count > 0 || !config_has_gpu(config))
        count = add_cores(config, list, count);
    list[count++] = bus_section(true);
    count = sections_add_cache(config, list, count, cache_or_absent(config, "memory_cache"));
    if (config_has_gpu(config))
        count = config_gpu_sections(list, count);
    return sections_add_memories(config, list, count);
}

/* ---- the way down */

/* "cores.3": the number; false for anything else or a number that is too large. */
static bool is_numbered(const char *key, const char *list, unsigned count, unsigned *index)
{
    size_t const length = strlen(list);

    if (strncmp(key, list, length) != 0 || key[length] != '.' || !key[length + 1])
        return false;
    *index = 0;
    for (const char *c = key + length + 1; *c; c++) {
        if (*c < '0' || *c > '9' || *index >= count)
            return false;
        *index = 10 * *index + (unsigned)(*c - '0');
    }
    return *index < count;
}

static bool subsection_of_top(const struct system_config *config, const char *key, struct config_section *inner)
{
    unsigned index;

    if (strcmp(key, "cpu") == 0)
        *inner = cpu_section();
    else if (strcmp(key, "pages") == 0)
        *inner = config_pages_section();
    else if (strcmp(key, "gpu") == 0)
        *inner = config_gpu_section(CONFIG_GPU, 0);
    else if (strcmp(key, "cache_bus") == 0 || strcmp(key, "memory_bus") == 0)
        *inner = bus_section(strcmp(key, "memory_bus") == 0);
    else if (strcmp(key, "memory") == 0)
        *inner = config_memory_section(config, 0);
    else if (is_numbered(key, "memories", config->memory_count, &index))
        *inner = config_memory_section(config, index);
    else if (is_numbered(key, "cores", config->core_count, &index))
        *inner = config_core_section(index);
    else if (is_standard(key) || strcmp(key, "memory_cache") == 0 ||
             config_cache_find(config, key) != CONFIG_MAX_CACHES)
        *inner = cache_or_absent(config, key);
    else
        return false;
    return true;
}

static bool command_subsection(const struct system_config *config, const struct config_section *section,
                               const char *key, struct config_section *inner)
{
    for (unsigned kind = CONFIG_COMMAND; kind <= CONFIG_OVERRIDES; kind *= 2) {
        *inner = config_command_section(config, section->index, (enum config_kind)kind);
        if (strcmp(strrchr(inner->path, '.') + 1, key) == 0)
            return true;
    }
    return false;
}

static bool has_currents(const struct config_section *section)
{
    return section->kind == CONFIG_MEMORY || config_is_of_device_file(section);
}

static struct config_section currents_within(const struct system_config *config, const struct config_section *section)
{
    struct config_section inner = config_currents_section(config, section->index);

    if (section->kind == CONFIG_DRAM)
        snprintf(inner.path, sizeof inner.path, "currents");
    return inner;
}

bool config_subsection(const struct system_config *config, const struct config_section *section, const char *key,
                       struct config_section *inner)
{
    if (section->kind == CONFIG_SYSTEM)
        return subsection_of_top(config, key, inner);
    if (config_module_subsection(section, key, inner))
        return true;
    if (section->kind == CONFIG_GPU || section->kind == CONFIG_GPU_UNITS)
        return config_gpu_subsection(section, key, inner);
    if (config_is_of_tlb(section))
        return config_tlb_subsection(config, section, key, inner);
    if (section->kind == CONFIG_CPU && strcmp(key, "tlb") == 0)
        *inner = config_tlb_section(config);
    else if (section->kind == CONFIG_CPU && config_detailed_subsection(key, inner))
        return true;
    else if (section->kind == CONFIG_CACHE && slot_of_prefetcher(key) < PREFETCHERS_OF_CACHE)
        *inner = prefetcher_of(section, slot_of_prefetcher(key));
    else if (section->kind == CONFIG_MEMORY && strcmp(key, "dram") == 0)
        *inner = config_dram_section(config, section->index);
    else if (has_currents(section) && strcmp(key, "currents") == 0)
        *inner = currents_within(config, section);
    else if (section->kind == CONFIG_MEMORY && strcmp(key, "controller") == 0)
        *inner = config_controller_section(config, section->index);
    else
        return section->kind == CONFIG_MEMORY && command_subsection(config, section, key, inner);
    return true;
}

/* ---- the nearest name */
/* Keeps the best of the names that it is shown. A name of another section must be clearly nearer, a part of the same
 * section a little less so. */
struct nearest_key {
    const char *home, *key;
    unsigned score;
    char text[CONFIG_KEY_TEXT];
};

static void sections_offer(struct nearest_key *nearest, const struct config_section *section, const char *key)
{
    size_t const length = strlen(nearest->home);
    bool const is_part = length > 0 && strncmp(section->path, nearest->home, length) == 0 &&
                         section->path[length] == '.';
    unsigned const away = strcmp(section->path, nearest->home) == 0 ? 0 : is_part ? 2 : 3;
    unsigned const score = 4 * name_distance(nearest->key, key) + away;

    if (score < nearest->score) {
        nearest->score = score;
        config_key_text(section, key, nearest->text, sizeof nearest->text);
    }
}

static void offer_parent_of(struct nearest_key *nearest, const struct config_section *section)
{
    struct config_section parent = *section;
    char *point = strrchr(parent.path, '.');

    if (!point) {
        parent = config_top_section();
        sections_offer(nearest, &parent, section->path);
        return;
    }
    *point = '\0';
    sections_offer(nearest, &parent, point + 1);
}

static void offer_all_of(struct nearest_key *nearest, const struct config_section *section)
{
    for (size_t i = 0; i < section->table->count; i++)
        sections_offer(nearest, section, section->table->rows[i].key);
    if (*section->path && section->kind != CONFIG_CORE)
        offer_parent_of(nearest, section);
    for (size_t i = 0; config_extra_at(i); i++)
        if (config_extra_is_of(section, &extras[i]))
            sections_offer(nearest, section, extras[i].key);
}

/* A key of the section cpu that no core has for itself. */
static bool is_detailed(const char *key)
{
    struct config_section const cpu = cpu_section();
    const struct param_info *const info = config_param_find(&cpu, key);
    struct config_section inner;

    return (info && config_is_detailed_key(info)) || config_detailed_subsection(key, &inner);
}

struct fault config_unknown_key(const struct system_config *config, const struct config_section *section,
                                const char *key, const char *where)
{
    struct config_section list[CONFIG_MAX_SECTIONS];
    unsigned const count = config_sections(config, list);
    struct config_section const core = config_core_section(0), top = config_top_section();
    struct nearest_key nearest = {.home = section->path, .key = key, .score = UINT32_MAX};
    char full[CONFIG_KEY_TEXT];

    if (section->kind == CONFIG_CORE && is_detailed(key))
        return fault_make(FAULT_INPUT, "%s: cores.%u.%s: all cores have one detailed core's parameters; give cpu.%s",
                          where, section->index, key, key);
    offer_all_of(&nearest, section);
    if (!config_is_of_device_file(section)) {
        for (unsigned i = 0; i < count; i++)
            if (list[i].kind != CONFIG_CORE)
                offer_all_of(&nearest, &list[i]);
        offer_all_of(&nearest, &core);
        sections_offer(&nearest, &top, "gpu");
    }
    config_key_text(section, key, full, sizeof full);
    return fault_make(FAULT_INPUT, "%s: %s: unknown key; did you mean %s?", where, full, nearest.text);
}
