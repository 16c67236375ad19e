/* The tree of a finished system as text: memories, memory bus, and below each the caches that are behind it, down to
 * the L1s. Instances that hang alike share a line: "cpu0-3.l1d", or "l2 x4" for all four. */
#include <stdio.h>
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"
#include "replay/config/unloaded.h"

enum { WHAT_COLUMN = 26, INDENT_TEXT = 3 * (CONFIG_MAX_CACHES + 4), LINE_TEXT = 256 };

/* Instances of a cache, bit i for core i's (a shared cache: bit 0). */
struct node {
    unsigned cache;
    uint64_t instances;
};

struct drawing {
    const struct system_config *config;
    struct config_text text;
};

static uint64_t all_instances(const struct system_config *config, unsigned cache)
{
    unsigned const count = config->caches[cache].is_private ? config->core_count : 1;

    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* "0-3,8", with as many digits as the last core has */
static void ranges_text(uint64_t instances, unsigned core_count, char *text, size_t size)
{
    int const digits = core_count > 10 ? 2 : 1;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < 64; i++) {
        unsigned last = i;

        if (!(instances >> i & 1))
            continue;
        while (last < 63 && instances >> (last + 1) & 1)
            last++;
        if (used + 8 < size)
            used += (size_t)snprintf(text + used, size - used, last > i ? "%s%0*u-%0*u" : "%s%0*u", used ? "," : "",
                                     digits, i, digits, last);
        i = last;
    }
}

static void node_name(const struct system_config *config, struct node node, char *text, size_t size)
{
    const struct cache_config *cache = &config->caches[node.cache];
    char ranges[96];

    if (!cache->is_private || config->core_count == 1) {
        snprintf(text, size, "%s", cache->name);
    } else if (node.instances == all_instances(config, node.cache)) {
        snprintf(text, size, "%s x%u", cache->name, config->core_count);
    } else {
        ranges_text(node.instances, config->core_count, ranges, sizeof ranges);
        snprintf(text, size, "cpu%s.%s", ranges, cache->name);
    }
}

/* Capacity, latencies, and the values that differ from the defaults. */
static void cache_text(const struct system_config *config, const struct cache_config *cache, char *text, size_t size)
{
    const struct cache_params *params = &cache->params;
    uint64_t const sets = params->size_bytes / params->assoc / config->line_bytes;
    char clock[UNITS_TEXT];
    size_t used;

    units_format(UNIT_PERIOD, params->clock_ps, 0, clock, sizeof clock);
    used = (size_t)snprintf(text, size, "%s, %llu way%s, tag %llu%s data %llu, return %llu cycles at %s",
                            config_bytes(params->size_bytes).text, (unsigned long long)params->assoc,
                            params->assoc == 1 ? "" : "s", (unsigned long long)params->tag_latency_cyc,
                            params->sequential_access ? " then" : ",", (unsigned long long)params->data_latency_cyc,
                            (unsigned long long)params->response_latency_cyc, clock);
    if (params->replacement != REPLACEMENT_LRU)
        used += (size_t)snprintf(text + used, size - used, ", %s",
                                 param_enum_names(UNIT_REPLACEMENT)[params->replacement]);
    if (params->clusivity == CLUSIVITY_MOSTLY_EXCL)
        used += (size_t)snprintf(text + used, size - used, ", mostly_excl");
    for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
        if (cache->prefetchers[slot].type != PREFETCHER_NONE)
            used += (size_t)snprintf(text + used, size - used, ", prefetcher %s",
                                     param_enum_names(UNIT_PREFETCHER)[cache->prefetchers[slot].type]);
    if (!is_power_of_two(sets))
        snprintf(text + used, size - used, ", set: line mod %llu", (unsigned long long)sets);
}

static void config_draw_add_line(struct drawing *drawing, const char *indent, const char *branch, const char *name,
                                 const char *what)
{
    int const used = (int)(strlen(indent) + strlen(branch) + strlen(name));

    config_text_add(&drawing->text, "%s%s%s%*s %s\n", indent, branch, name, used < WHAT_COLUMN ? WHAT_COLUMN - used : 0,
                    "", what);
}

static void memory_text(const struct memory_params *memory, char *text, size_t size)
{
    char latency[UNITS_TEXT];

    if (memory->type == MEMORY_SIMPLE) {
        units_format(UNIT_TIME, memory->latency_ps, 0, latency, sizeof latency);
        snprintf(text, size, "%s from %s, simple, %s, %.2f GB/s", config_bytes(memory->size_bytes).text,
                 config_bytes(memory->base).text, latency, peak_memory_bandwidth(memory) / 1e9);
        return;
    }
    if (memory->type == MEMORY_COMMAND) {
        const struct command_memory_params *const device = &memory->command_device;

        snprintf(text, size, "%s from %s, %.60s %s %s, by commands, %llu channel%s, %.2f GB/s",
                 config_bytes(memory->size_bytes).text, config_bytes(memory->base).text, device->standard,
                 config_preset_text(device->organization), config_preset_text(device->timing),
                 (unsigned long long)memory->channels, memory->channels == 1 ? "" : "s",
                 peak_memory_bandwidth(memory) / 1e9);
        return;
    }
    snprintf(text, size, "%s from %s, %s, %llu channel%s%s, tRCD + tCL %s, %.2f GB/s",
             config_bytes(memory->size_bytes).text, config_bytes(memory->base).text, memory->device,
             (unsigned long long)memory->channels, memory->channels == 1 ? "" : "s",
             memory->type == MEMORY_HBM_PSEUDO ? " of 2 pseudo-channels" : "",
             config_ps(memory->dram.tRCD_ps + memory->dram.tCL_ps).text, peak_memory_bandwidth(memory) / 1e9);
}

/* ---- the way up from the memory bus */

/* The instances of `cache` that have `below` below them; CONFIG_MAX_CACHES: the memory bus. */
static uint64_t instances_above(const struct system_config *config, unsigned cache, struct node below)
{
    uint64_t found = 0;

    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++) {
        unsigned at = CONFIG_MAX_CACHES, instance = 0;

        if (!(all_instances(config, cache) >> i & 1))
            break;
        config_cache_below(config, cache, i, &at, &instance);
        if (at == below.cache && (at == CONFIG_MAX_CACHES || below.instances >> instance & 1))
            found |= UINT64_C(1) << i;
    }
    return found;
}

static unsigned nodes_above(const struct system_config *config, struct node below, struct node list[CONFIG_MAX_CACHES])
{
    unsigned const end = below.cache == CONFIG_MAX_CACHES ? config->cache_count : below.cache;
    unsigned count = 0;

    for (unsigned cache = 0; cache < end; cache++) {
        struct node const node = {cache, instances_above(config, cache, below)};

        if (node.instances)
            list[count++] = node;
    }
    return count;
}

static void draw_above(struct drawing *drawing, struct node below, const char *indent)
{
    struct node list[CONFIG_MAX_CACHES];
    unsigned const count = nodes_above(drawing->config, below, list);
    char name[CONFIG_NAME_BYTES + 96], what[LINE_TEXT], deeper[INDENT_TEXT + 4];

    for (unsigned i = 0; i < count; i++) {
        node_name(drawing->config, list[i], name, sizeof name);
        cache_text(drawing->config, &drawing->config->caches[list[i].cache], what, sizeof what);
        config_draw_add_line(drawing, indent, i + 1 < count ? "|- " : "`- ", name, what);
        snprintf(deeper, sizeof deeper, "%s%s", indent, i + 1 < count ? "|  " : "   ");
        draw_above(drawing, list[i], deeper);
    }
}

static void draw_memories(struct drawing *drawing)
{
    const struct system_config *config = drawing->config;
    char what[LINE_TEXT], latency[UNITS_TEXT];

    for (unsigned i = 0; i < config->memory_count; i++) {
        memory_text(&config->memories[i], what, sizeof what);
        config_draw_add_line(drawing, "", "", config_memory_section(config, i).path, what);
        if (config->memories[i].link == MEMORY_LINK_NONE)
            continue;
        units_format(UNIT_TIME, config->memories[i].link_latency_ps, 0, latency, sizeof latency);
        snprintf(what, sizeof what, "CXL, %llu lanes of %llu MT/s and %s each way, %llu credits",
                 (unsigned long long)config->memories[i].link_lanes,
                 (unsigned long long)config->memories[i].link_rate_mts, latency,
                 (unsigned long long)config->memories[i].link_credits);
        config_draw_add_line(drawing, "", "|- ", "link", what);
    }
}

static void draw_bus(struct drawing *drawing, const char *indent)
{
    const struct noc_params *bus = &drawing->config->memory_bus;
    char what[LINE_TEXT], clock[UNITS_TEXT];

    units_format(UNIT_PERIOD, bus->clock_ps, 0, clock, sizeof clock);
    snprintf(what, sizeof what, "%s wide, request %llu, response %llu cycles at %s",
             config_bytes(bus->width_bytes).text,
             (unsigned long long)(bus->frontend_latency_cyc + bus->forward_latency_cyc),
             (unsigned long long)bus->response_latency_cyc, clock);
    config_draw_add_line(drawing, indent, "`- ", "memory_bus", what);
}

/* ---- the GPU: L2 slices, interconnect, L1s */
static void sector_cache_text(const struct sector_cache_params *cache, uint64_t unified_bytes, const char *note,
                              uint64_t clock_ps, char *text, size_t size)
{
    uint64_t const bytes = unified_bytes ? unified_bytes : cache->sets * cache->ways * cache->line_bytes;
    uint64_t const ways = bytes / (cache->sets * cache->line_bytes);
    char clock[UNITS_TEXT];

    units_format(UNIT_PERIOD, clock_ps, 0, clock, sizeof clock);
    snprintf(text, size, "%s%s, %llu way%s, sectors of %s, %s%llu cycles at %s", unified_bytes ? "up to " : "",
             config_bytes(bytes).text, (unsigned long long)ways, ways == 1 ? "" : "s",
             config_bytes(cache->sector_bytes).text, note, (unsigned long long)cache->latency_cyc, clock);
}

static void draw_gpu(struct drawing *drawing, const char *indent)
{
    const struct gpu_params *gpu = &drawing->config->gpu;
    char what[LINE_TEXT], name[CONFIG_PATH_TEXT], deeper[INDENT_TEXT], clock[UNITS_TEXT];

    snprintf(name, sizeof name, "gpu.l2 x%llu", (unsigned long long)(gpu->l2.channels * gpu->l2.slices));
    sector_cache_text(&gpu->l2.cache, 0, "", gpu->l2_clock_ps, what, sizeof what);
    config_draw_add_line(drawing, indent, "`- ", name, gpu->l2.is_absent ? "none, requests go on to DRAM" : what);
    snprintf(deeper, sizeof deeper, "%s   ", indent);
    units_format(UNIT_PERIOD, gpu->icnt_clock_ps, 0, clock, sizeof clock);
    snprintf(what, sizeof what, "%s a port and cycle, %llu cycles at %s", config_bytes(gpu->icnt_packet_bytes).text,
             (unsigned long long)gpu->icnt_latency_cyc, clock);
    config_draw_add_line(drawing, deeper, "`- ", "interconnect", what);
    snprintf(deeper, sizeof deeper, "%s      ", indent);
    snprintf(name, sizeof name, "gpu.l1 x%llu", (unsigned long long)gpu->sms);
    sector_cache_text(&gpu->l1.cache, gpu->l1.adaptive ? gpu->l1.unified_bytes : 0,
                      gpu->l1.skip_global ? "skipped, " : "", gpu->core_clock_ps, what, sizeof what);
    config_draw_add_line(drawing, deeper, "`- ", name, gpu->l1.is_absent ? "none" : what);
}

struct fault config_tree_text(const struct system_config *config, char **text)
{
    struct drawing drawing = {.config = config};
    struct node const bus = {CONFIG_MAX_CACHES, 0};
    char what[LINE_TEXT];

    draw_memories(&drawing);
    if (config_gpu_owns_memory(config)) {
        draw_gpu(&drawing, "");
        return config_text_finish(&drawing.text, text);
    }
    if (config->has_memory_cache) {
        cache_text(config, &config->memory_cache, what, sizeof what);
        config_draw_add_line(&drawing, "", "`- ", "memory_cache", what);
    }
    draw_bus(&drawing, config->has_memory_cache ? "   " : "");
    draw_above(&drawing, bus, config->has_memory_cache ? "      " : "   ");
    if (config_has_gpu(config))
        draw_gpu(&drawing, config->has_memory_cache ? "      " : "   ");
    return config_text_finish(&drawing.text, text);
}
