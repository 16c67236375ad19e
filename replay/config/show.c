/* A configuration as YAML text: every section and parameter in the order of a file, its help beside it, then a drawing
 * of the system and its limits as comments. Nothing is printed here.
 *
 * The compact form is made at every point of a sweep, so its lines are copied together without printf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/link/cxl_link.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"
#include "replay/config/unloaded.h"

enum { HELP_COLUMN = 40, MOST_INDENT = 8 };

static const char blanks[MOST_INDENT + 1] = "        ";

/* One line; `first` of a list's item begins with a dash. */
static void show_add_line(struct config_text *text, int indent, bool first, const char *key, const char *value,
                          const char *help)
{
    int const used = indent + (int)(strlen(key) + 1 + (*value ? 1 + strlen(value) : 0));

    if (text->is_compact) {
        const char *const dash = first ? "- " : "";

        config_text_append(text, (const char *[]){&blanks[MOST_INDENT - indent + (int)strlen(dash)], dash, key, ":",
                                                  *value ? " " : "", value, "\n", NULL});
        return;
    }
    config_text_add(text, "%*s%s%s:%s%s%*s  # %s\n", first ? indent - 2 : indent, "", first ? "- " : "", key,
                    *value ? " " : "", value, used < HELP_COLUMN ? HELP_COLUMN - used : 0, "", help);
}

/* Between sections. */
static void add_gap(struct config_text *text)
{
    if (!text->is_compact)
        config_text_add(text, "\n");
}

static void add_extra(struct config_text *text, int indent, bool first, const struct config_section *section,
                      const char *key, const char *value)
{
    show_add_line(text, indent, first, key, value, config_extra_find(section, key)->help);
}

/* Keys of a detailed core are shown only if one of them was set, as there are many. */
static bool is_shown(const struct system_config *config, const struct param_info *info)
{
    return !config_is_detailed_key(info) || config_detailed_is_shown(config)
        || (info->offset == offsetof(struct system_config, cpu_model) && config->cpu_model != CPU_MODEL_AUTO);
}

/* The technology is shown only if it was set, as no time depends on it. */
static bool is_shown_of_system(const struct system_config *config, const struct param_info *info)
{
    return info->offset != offsetof(struct system_config, technology) || config->technology != TECHNOLOGY_NONE;
}

/* What only some memories have: parameters of defences, odd behaviour that is set. */
static bool is_shown_of_memory(const struct system_config *config, const struct config_section *section,
                               const struct param_info *info)
{
    const struct memory_params *const memory = &config->memories[section->index];

    if (section->kind == CONFIG_MEMORY)
        return (memory->type == MEMORY_COMMAND || strcmp(info->key, "refresh") != 0)
            && (memory->link != MEMORY_LINK_NONE || strncmp(info->key, "link", 4) != 0);
    if (section->kind == CONFIG_MITIGATIONS)
        return config_mitigation_has(memory, info->key);
    if (section->kind == CONFIG_CURRENTS)
        return config_value(config, section, info) != 0;
    return section->kind != CONFIG_MENDS || config_value(config, section, info) != COMMAND_MEND_BY_MODE;
}

struct module_lines {
    struct config_text *text;
    int indent;
};

static void add_module_part(void *context, const char *key)
{
    const struct module_lines *const lines = context;

    show_add_line(lines->text, lines->indent, false, key, "", "parameters of the module");
}

static void add_module_line(void *context, const char *key, const char *value, const char *help)
{
    const struct module_lines *const lines = context;

    show_add_line(lines->text, lines->indent + 2, false, key, value, help);
}

static void add_parameters(struct config_text *text, const struct system_config *config,
                           const struct config_section *section, int indent, bool first)
{
    struct module_lines lines = {text, indent};
    char value[CONFIG_MAP_TEXT];

    for (size_t i = 0; i < section->table->count; i++) {
        const struct param_info *info = &section->table->rows[i];

        if (section->kind == CONFIG_CPU ? !is_shown(config, info)
            : section->kind == CONFIG_SYSTEM ? !is_shown_of_system(config, info)
            : section->kind == CONFIG_CURRENTS || section->kind & (CONFIG_MEMORY | CONFIG_MITIGATIONS | CONFIG_MENDS)
                ? !is_shown_of_memory(config, section, info) : false)
            continue;
        config_value_text(config, section, info, value, sizeof value);
        show_add_line(text, indent, first && i == 0, info->key, value, info->help);
    }
    config_module_visit(config, section, add_module_part, add_module_line, &lines);
}

/* ---- cores */
static void add_cpu(struct config_text *text, const struct system_config *config, const struct config_section *cpu)
{
    add_gap(text);
    show_add_line(text, 0, false, "cpu", "", cpu->help);
    add_parameters(text, config, cpu, 2, false);
    add_extra(text, 2, false, cpu, "share", config->share ? "yes" : "no");
    add_extra(text, 2, false, cpu, "offset_step", config_bytes(config->offset_step_bytes).text);
}

static void add_core(struct config_text *text, const struct system_config *config, const struct config_section *section)
{
    const struct core_config *core = &config->cores[section->index];

    add_parameters(text, config, section, 4, true);
    if (core->has_offset)
        add_extra(text, 4, false, section, "offset", config_bytes(core->offset_bytes).text);
    if (core->share)
        add_extra(text, 4, false, section, "share", "yes");
}

static void add_cores(struct config_text *text, const struct system_config *config, const struct config_section *list,
                      unsigned count)
{
    struct config_section const top = config_top_section();
    bool is_list = false;

    add_gap(text);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != CONFIG_CORE)
            continue;
        if (!is_list)
            add_extra(text, 0, false, &top, "cores", "");
        is_list = true;
        add_core(text, config, &list[i]);
    }
    if (!is_list)
        add_extra(text, 0, false, &top, "cores", "1");
}

/* ---- caches */
static void add_behind(struct config_text *text, const struct config_section *section, int indent,
                       const struct cache_config *cache)
{
    char value[CONFIG_BEHIND_TEXT + 2];

    if (!*cache->behind_text)
        return;
    snprintf(value, sizeof value, "[%s]", cache->behind_text);
    add_extra(text, indent, false, section, "behind", value);
}

static void add_cache_keys(struct config_text *text, const struct system_config *config,
                           const struct config_section *section, int indent)
{
    const struct cache_config *cache = config_cache_const(config, section->index);

    if (cache->feed == FEED_CACHES && section->index != CONFIG_MEMORY_CACHE) {
        add_extra(text, indent, false, section, "private", cache->is_private ? "yes" : "no");
        add_behind(text, section, indent, cache);
    }
    add_parameters(text, config, section, indent, false);
    for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++) {
        struct config_section const prefetcher = config_prefetcher_section(config, section->index, slot);
        bool const is_there = cache->prefetchers[slot].type != PREFETCHER_NONE;

        if (slot == 0 || is_there)
            show_add_line(text, indent, false, config_prefetcher_key(slot), is_there ? "" : "none", prefetcher.help);
        if (is_there)
            add_parameters(text, config, &prefetcher, indent + 2, false);
    }
}

static bool is_in_list(const struct config_section *section)
{
    return section->kind == CONFIG_CACHE && section->is_present && strcmp(section->help, "further cache") == 0;
}

static void show_add_cache(struct config_text *text, const struct system_config *config,
                           const struct config_section *section)
{
    add_gap(text);
    show_add_line(text, 0, false, section->path, section->is_present ? "" : "none", section->help);
    if (section->is_present)
        add_cache_keys(text, config, section, 2);
}

static void add_further_caches(struct config_text *text, const struct system_config *config,
                               const struct config_section *list, unsigned count)
{
    struct config_section const top = config_top_section();
    bool is_list = false;

    for (unsigned i = 0; i < count; i++) {
        if (!is_in_list(&list[i]))
            continue;
        add_gap(text);
        if (!is_list)
            add_extra(text, 0, false, &top, "caches", "");
        is_list = true;
        show_add_line(text, 4, true, "name", list[i].path, "of the cache, for behind");
        add_cache_keys(text, config, &list[i], 4);
    }
}

/* ---- memories */
static void show_add_part(struct config_text *text, const struct system_config *config, struct config_section section,
                          int indent)
{
    const char *point = strrchr(section.path, '.');

    show_add_line(text, indent, false, point + 1, "", section.help);
    add_parameters(text, config, &section, indent + 2, false);
}

/* What is given; the device's are in its file. */
static void add_currents(struct config_text *text, const struct system_config *config, unsigned index, int indent)
{
    const struct memory_params *const memory = &config->memories[index];
    char datasheet[ENERGY_SOURCE_TEXT + 2];

    if (!config_has_currents(memory))
        return;
    show_add_part(text, config, config_currents_section(config, index), indent);
    snprintf(datasheet, sizeof datasheet, "\"%s\"", memory->datasheet);
    if (*memory->datasheet)
        show_add_line(text, indent + 2, false, "datasheet", datasheet, "where they are published");
}

static void add_overrides(struct config_text *text, const struct memory_params *memory,
                          const struct config_section *section, int indent)
{
    char value[UNITS_TEXT];

    if (memory->command_device.override_count > 0)
        show_add_line(text, indent, false, "overrides", "", section->help);
    for (size_t i = 0; i < memory->command_device.override_count; i++) {
        units_format(UNIT_COUNT, memory->command_device.overrides[i].value, 0, value, sizeof value);
        show_add_line(text, indent + 2, false, memory->command_device.overrides[i].name, value, "");
    }
}

static void add_command_device(struct config_text *text, const struct system_config *config,
                               const struct config_section *section, int indent)
{
    const struct memory_params *const memory = &config->memories[section->index];
    const struct command_memory_params *const device = &memory->command_device;
    struct config_section const overrides = config_command_section(config, section->index, CONFIG_OVERRIDES);
    char defences[CONFIG_MITIGATIONS_TEXT];

    config_mitigations_text(memory, defences);
    add_extra(text, indent, false, section, "standard", device->standard);
    add_extra(text, indent, false, section, "organization", config_preset_text(device->organization));
    add_extra(text, indent, false, section, "timing", config_preset_text(device->timing));
    add_extra(text, indent, false, section, "mitigation", defences);
    add_overrides(text, memory, &overrides, indent);
    show_add_part(text, config, config_command_section(config, section->index, CONFIG_COMMAND), indent);
    if (device->mitigation_count > 0)
        show_add_part(text, config, config_command_section(config, section->index, CONFIG_MITIGATIONS), indent);
    for (unsigned i = 0; i < CMD_MEND_COUNT; i++) {
        if (device->mends[i] == COMMAND_MEND_BY_MODE)
            continue;
        show_add_part(text, config, config_command_section(config, section->index, CONFIG_MENDS), indent);
        break;
    }
    add_currents(text, config, section->index, indent);
}

static void show_add_memory(struct config_text *text, const struct system_config *config,
                            const struct config_section *section)
{
    const struct memory_params *memory = &config->memories[section->index];
    bool const is_list = config->memory_count > 1;
    int const indent = is_list ? 4 : 2;

    add_gap(text);
    if (!is_list) {
        show_add_line(text, 0, false, "memory", "", section->help);
    } else if (section->index == 0) {
        struct config_section const top = config_top_section();
        add_extra(text, 0, false, &top, "memories", "");
    }
    add_parameters(text, config, section, indent, is_list);
    if (memory->type == MEMORY_COMMAND)
        add_command_device(text, config, section, indent);
    if (memory->type == MEMORY_SIMPLE || memory->type == MEMORY_COMMAND)
        return;
    add_extra(text, indent, false, section, "device", memory->device);
    show_add_part(text, config, config_dram_section(config, section->index), indent);
    show_add_part(text, config, config_controller_section(config, section->index), indent);
    add_currents(text, config, section->index, indent);
}

/* ---- the GPU */
static void add_gpu_extra(struct config_text *text, const struct system_config *config,
                          const struct config_section *section, int indent)
{
    char sizes[CONFIG_SIZES_TEXT], letters[CONFIG_LETTERS_TEXT];

    config_gpu_sizes_text(&config->gpu.l1, sizes);
    config_gpu_letters_text(&config->gpu.l2, letters);
    if (section->kind == CONFIG_GPU_L1)
        add_extra(text, indent, false, section, "shared_options", sizes);
    if (section->kind == CONFIG_GPU_L2)
        add_extra(text, indent, false, section, "letters", letters);
}

/* A section and its heading, as deep as its path. */
static void add_gpu(struct config_text *text, const struct system_config *config, const struct config_section *section)
{
    int const indent = section->kind == CONFIG_GPU ? 2 : section->kind == CONFIG_GPU_UNIT ? 6 : 4;
    const char *point = strrchr(section->path, '.');

    if (section->kind == CONFIG_GPU)
        add_gap(text);
    show_add_line(text, indent - 2, false, point ? point + 1 : section->path, "", section->help);
    add_parameters(text, config, section, indent, false);
    add_gpu_extra(text, config, section, indent);
}

/* ---- virtual memory */

/* The short form leaves out values at their defaults; a sweep identifies its points by it. */
static void add_pages(struct config_text *text, const struct system_config *config,
                      const struct config_section *section)
{
    struct system_config usual;
    char map[CONFIG_MAP_TEXT + 2];

    config_virtual_defaults(&usual);
    if (text->is_compact && !*config->pages_map && memcmp(&usual.pages, &config->pages, sizeof usual.pages) == 0)
        return;
    add_gap(text);
    show_add_line(text, 0, false, section->path, "", section->help);
    add_parameters(text, config, section, 2, false);
    snprintf(map, sizeof map, "\"%s\"", config->pages_map);
    add_extra(text, 2, false, section, "map", *config->pages_map ? map : "none");
}

static void add_tlb(struct config_text *text, const struct system_config *config, const struct config_section *section)
{
    int const indent = section->kind == CONFIG_TLB ? 2 : section->kind == CONFIG_WALK_CACHES ? 6 : 4;

    if (text->is_compact && !section->is_present)
        return;
    show_add_line(text, indent, false, strrchr(section->path, '.') + 1, section->is_present ? "" : "none",
                  section->help);
    if (section->is_present)
        add_parameters(text, config, section, indent + 2, false);
}

static void add_system(struct config_text *text, const struct system_config *config,
                       const struct config_section *section)
{
    add_parameters(text, config, section, 0, false);
    if (config->core_count == 0)
        add_extra(text, 0, false, section, "cores", "0");
}

static void add_detailed(struct config_text *text, const struct system_config *config,
                         const struct config_section *section)
{
    if (!config_detailed_is_shown(config))
        return;
    show_add_line(text, 2, false, strrchr(section->path, '.') + 1, "", section->help);
    add_parameters(text, config, section, 4, false);
}

static void add_single_cache(struct config_text *text, const struct system_config *config,
                             const struct config_section *section)
{
    if (!is_in_list(section))
        show_add_cache(text, config, section);
}

static void add_bus(struct config_text *text, const struct system_config *config,
                    const struct config_section *section)
{
    add_gap(text);
    show_add_line(text, 0, false, section->path, "", section->help);
    add_parameters(text, config, section, 2, false);
}

/* Sections without one are shown as parts of others. */
static void add_section(struct config_text *text, const struct system_config *config,
                        const struct config_section *section)
{
    static const struct {
        unsigned kinds;
        void (*add)(struct config_text *text, const struct system_config *config,
                    const struct config_section *section);
    } rows[] = {
        {CONFIG_SYSTEM, add_system}, {CONFIG_CPU, add_cpu}, {CONFIG_PAGES, add_pages},
        {CONFIG_TLB | CONFIG_TLB_L1 | CONFIG_TLB_L2 | CONFIG_WALKER | CONFIG_WALK_CACHES, add_tlb},
        {CONFIG_FU_POOL | CONFIG_OP_LAT | CONFIG_PIPELINED | CONFIG_BRANCH, add_detailed},
        {CONFIG_CACHE, add_single_cache}, {CONFIG_BUS, add_bus}, {CONFIG_MEMORY, show_add_memory},
        {CONFIG_GPU | CONFIG_GPU_SM | CONFIG_GPU_UNITS | CONFIG_GPU_UNIT | CONFIG_GPU_ARRAY | CONFIG_GPU_TLB
             | CONFIG_GPU_L1 | CONFIG_GPU_L2, add_gpu}
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((unsigned)section->kind & rows[i].kinds)
            rows[i].add(text, config, section);
}

/* ---- limits of the system */
static void add_bandwidth(struct config_text *text, const char *what, double bytes_per_s)
{
    config_text_add(text, "#   %-28s %10.2f GB/s\n", what, bytes_per_s / 1e9);
}

static void add_latency(struct config_text *text, const char *what, uint64_t latency_ps, uint64_t cpu_clock_ps)
{
    char value[UNITS_TEXT];
    uint64_t const tenths = (10 * latency_ps + cpu_clock_ps / 2) / cpu_clock_ps;

    units_format(UNIT_TIME, latency_ps, 0, value, sizeof value);
    config_text_add(text, "#   %-28s %15s %8llu.%llu core cycles\n", what, value, (unsigned long long)(tenths / 10),
                    (unsigned long long)(tenths % 10));
}

/* "L1D hit"; a cache of the list keeps its name. */
static void show_add_hit(struct config_text *text, const char *name, uint64_t latency_ps, uint64_t cpu_clock_ps)
{
    char what[CONFIG_NAME_BYTES + 8];

    snprintf(what, sizeof what, "%s hit", name);
    if (what[0] == 'l' && strlen(name) <= 3) {
        for (size_t i = 0; i < strlen(name); i++)
            what[i] = what[i] >= 'a' && what[i] <= 'z' ? (char)(what[i] - 'a' + 'A') : what[i];
    }
    add_latency(text, what, latency_ps, cpu_clock_ps);
}

/* Lines that answers bring over the links of all channels of a memory. */
static void add_link_peak(struct config_text *text, const struct system_config *config, unsigned number)
{
    const struct memory_params *const memory = &config->memories[number];
    struct cxl_link_params const link = memory_link(memory);
    char what[CONFIG_PATH_TEXT + 16];

    if (memory->link == MEMORY_LINK_NONE)
        return;
    snprintf(what, sizeof what, "%s, link, reads", config_memory_section(config, number).path);
    add_bandwidth(text, what, (double)memory->channels * cxl_link_peak_bytes_per_s(&link, config->line_bytes));
}

static void add_peaks(struct config_text *text, const struct system_config *config)
{
    double total = 0;

    config_text_add(text, "# peak bandwidth\n");
    for (unsigned i = 0; i < config->memory_count; i++) {
        if (config->memory_count > 1)
            add_bandwidth(text, config_memory_section(config, i).path, peak_memory_bandwidth(&config->memories[i]));
        total += peak_memory_bandwidth(&config->memories[i]);
    }
    add_bandwidth(text, config->memory_count > 1 ? "all memories" : "memory", total);
    for (unsigned i = 0; i < config->memory_count; i++)
        add_link_peak(text, config, i);
    if (!config_gpu_owns_memory(config))
        add_bandwidth(text, "memory bus, each direction", peak_bus_bandwidth(&config->memory_bus));
    if (config_has_gpu(config))
        add_bandwidth(text, "GPU's L2, all slices", peak_gpu_l2_bandwidth(&config->gpu));
}

static void add_latencies(struct config_text *text, const struct system_config *config)
{
    uint64_t const clock_ps = config->cpu_clock_ps;
    struct unloaded_latencies latencies;

    text->failed |= unloaded_latencies(&latencies, config).kind != FAULT_NONE;
    config_text_add(text, "# unloaded latency of a load (the first one%s, sent at tick 0)\n",
                    config->core_count > 1 ? " of core 0" : "");
    add_latency(text, "L1I hit", latencies.l1i_hit_ps, clock_ps);
    for (unsigned i = 0; i < latencies.level_count; i++)
        show_add_hit(text, latencies.levels[i].name, latencies.levels[i].hit_ps, clock_ps);
    add_latency(text, config->memories[0].type != MEMORY_SIMPLE ? "memory, closed bank" : "memory",
                latencies.memory_ps, clock_ps);
}

/* The latencies that `rubato traffic` measures with one request at a time. */
static void add_memory_latencies(struct config_text *text, const struct system_config *config, unsigned number)
{
    const struct memory_params *const memory = &config->memories[number];
    uint64_t const clock_ps = config->cpu_clock_ps;
    bool const has_link = memory->link != MEMORY_LINK_NONE;
    struct memory_latencies alone;

    text->failed |= unloaded_memory_latencies(&alone, memory, config->line_bytes).kind != FAULT_NONE;
    if (number == 0)
        config_text_add(text, "# unloaded latency of the %smemory alone%s, nothing above it counted\n",
                        config->memory_count > 1 ? "first " : "", has_link ? " with its link" : "");
    else
        config_text_add(text, "# unloaded latency of %s with its link, nothing above it counted\n",
                        config_memory_section(config, number).path);
    if (has_link) {
        add_latency(text, "link, request", memory_link_ps(memory, 0), clock_ps);
        add_latency(text, "link, answer with a line", memory_link_ps(memory, config->line_bytes), clock_ps);
    }
    if (memory->type == MEMORY_SIMPLE) {
        add_latency(text, "every access", alone.row_hit_ps, clock_ps);
        return;
    }
    add_latency(text, "row is open", alone.row_hit_ps, clock_ps);
    add_latency(text, "bank is closed", alone.closed_bank_ps, clock_ps);
    add_latency(text, "another row is open", alone.row_conflict_ps, clock_ps);
}

static void add_gpu_latencies(struct config_text *text, const struct system_config *config)
{
    const struct gpu_params *const gpu = &config->gpu;
    struct gpu_latencies const latencies =
        unloaded_gpu_latencies(gpu, config_gpu_owns_memory(config) ? &config->memories[0] : NULL);

    config_text_add(text, "# unloaded latency of a load of the GPU, to the issue of an instruction that needs it\n");
    add_latency(text, "shared memory", latencies.shared_ps, gpu->core_clock_ps);
    if (!gpu->l1.is_absent)
        add_latency(text, gpu->l1.skip_global ? "L1 hit, local memory only" : "L1 hit", latencies.l1_ps,
                    gpu->core_clock_ps);
    if (!gpu->l2.is_absent)
        add_latency(text, "L2 hit", latencies.l2_ps, gpu->core_clock_ps);
    if (latencies.dram_ps)
        add_latency(text, "DRAM, closed row", latencies.dram_ps, gpu->core_clock_ps);
}

static void add_summary(struct config_text *text, const struct system_config *config)
{
    char *tree = NULL;

    config_text_add(text, "\n# the system\n");
    if (config_tree_text(config, &tree).kind == FAULT_NONE)
        config_text_add_lines(text, "#   ", tree);
    else
        text->failed = true;
    free(tree);
    add_peaks(text, config);
    if (config_has_gpu(config))
        add_gpu_latencies(text, config);
    if (config->core_count > 0)
        add_latencies(text, config);
    for (unsigned i = 0; !config_gpu_owns_memory(config) && i < config->memory_count; i++)
        if (i == 0 || config->memories[i].link != MEMORY_LINK_NONE)
            add_memory_latencies(text, config, i);
}

static void add_sections(struct config_text *yaml, const struct system_config *config)
{
    struct config_section list[CONFIG_MAX_SECTIONS];
    unsigned const count = config_sections(config, list);
    bool has_lists = false;

    for (unsigned s = 0; s < count; s++) {
        if (list[s].kind == CONFIG_CACHE && list[s].index == CONFIG_L1I)
            add_cores(yaml, config, list, count);
        if (list[s].kind == CONFIG_BUS && !has_lists) {
            add_further_caches(yaml, config, list, count);
            has_lists = true;
        }
        add_section(yaml, config, &list[s]);
    }
}

struct fault config_to_yaml(const struct system_config *config, char **text)
{
    struct config_text yaml = {0};

    config_text_add(&yaml, "# %s: the effective system, every parameter\n\n", config_quote(config->name).text);
    add_sections(&yaml, config);
    add_summary(&yaml, config);
    return config_text_finish(&yaml, text);
}

struct fault config_to_compact_yaml(const struct system_config *config, char **text)
{
    struct config_text yaml = {.is_compact = true};

    add_sections(&yaml, config);
    return config_text_finish(&yaml, text);
}
