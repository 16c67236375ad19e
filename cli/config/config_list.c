#include "cli/config/config_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/common/cli.h"
#include "memsys/dram/geometry.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"
#include "replay/config/unloaded.h"

enum { ABOUT_MOST = 100, COLUMN_TEXT = 200 };

static struct table_column const columns[] = {
    {.name = "name", .heading = "name", .width = -20}, {.name = "cores", .heading = "cores", .width = -24},
    {.name = "caches", .heading = "caches", .width = -48}, {.name = "memory", .heading = "memory", .width = -32},
    {.name = "about"}, {.name = "reproduces"}, {.heading = "what it is"}
};

struct listing {
    struct system_config config;
    struct table_writer *writer;
    int code;
};

static void put_clock(char *text, size_t size, uint64_t period_ps)
{
    snprintf(text, size, "%.3g GHz", 1e3 / (double)period_ps);
}

static void put_bytes(char *text, size_t size, uint64_t bytes)
{
    units_format(UNIT_BYTES, bytes, 0, text, size);
}

/* ---- columns */
static void cores_text(const struct system_config *config, char *text, size_t size)
{
    char clock[UNITS_TEXT];
    size_t used = 0;

    text[0] = '\0';
    if (config->core_count > 0) {
        put_clock(clock, sizeof clock, config->cpu_clock_ps);
        used = (size_t)snprintf(text, size, "%u x %s", config->core_count, clock);
    }
    if (config_has_gpu(config)) {
        put_clock(clock, sizeof clock, config->gpu.core_clock_ps);
        snprintf(text + used, size - used, "%s%" PRIu64 " SMs, %s", used ? " + " : "", config->gpu.sms, clock);
    }
}

/* "1.25MiB l2 x4": of each core's own, one's size. */
static void put_cache(char *text, size_t size, const struct cache_config *cache, unsigned instances)
{
    char bytes[UNITS_TEXT];
    size_t const used = strlen(text);

    put_bytes(bytes, sizeof bytes, cache->params.size_bytes);
    if (used < size)
        snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", cache->name, bytes);
    if (instances > 1 && strlen(text) < size)
        snprintf(text + strlen(text), size - strlen(text), " x%u", instances);
}

static void put_gpu_caches(char *text, size_t size, const struct gpu_params *gpu)
{
    const struct sector_cache_params *const l1 = &gpu->l1.cache, *const l2 = &gpu->l2.cache;
    char one[UNITS_TEXT], other[UNITS_TEXT];
    size_t const used = strlen(text);

    put_bytes(one, sizeof one, gpu->l1.adaptive ? gpu->l1.unified_bytes : l1->sets * l1->ways * l1->line_bytes);
    put_bytes(other, sizeof other, l2->sets * l2->ways * l2->line_bytes * gpu->l2.channels * gpu->l2.slices);
    if (used < size)
        snprintf(text + used, size - used, "%sGPU %s x%" PRIu64 ", %s", used ? ", " : "", one, gpu->sms,
                 other);
}

static void caches_text(const struct system_config *config, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; config->core_count > 0 && i < config->cache_count; i++)
        put_cache(text, size, &config->caches[i], config->caches[i].is_private ? config->core_count : 1);
    if (config_has_gpu(config))
        put_gpu_caches(text, size, &config->gpu);
    if (config->has_memory_cache && !config_gpu_owns_memory(config))
        put_cache(text, size, &config->memory_cache, 1);
}

static void memory_text(const struct system_config *config, char *text, size_t size)
{
    double peak = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < config->memory_count; i++) {
        const struct memory_params *const memory = &config->memories[i];
        size_t const used = strlen(text);

        peak += peak_memory_bandwidth(memory);
        if (used < size && memory->type == MEMORY_SIMPLE)
            snprintf(text + used, size - used, "%sfixed latency", used ? ", " : "");
        else if (used < size && memory->type == MEMORY_COMMAND)
            snprintf(text + used, size - used, "%s%" PRIu64 " x %s by commands", used ? ", " : "", memory->channels,
                     memory->command_device.standard);
        else if (used < size)
            snprintf(text + used, size - used, "%s%" PRIu64 " x %s", used ? ", " : "", dram_channel_count(memory),
                     memory->device);
    }
    if (strlen(text) < size)
        snprintf(text + strlen(text), size - strlen(text), ", %.4g GB/s", peak / 1e9);
}

/* ---- description */

static const char REPRODUCES[] = "Reproduces ";

/* The comment that the file begins with, as one line; of its last sentence, "Reproduces ...", what. */
static void read_comment(const char *file, size_t length, struct text *text, char reproduced[COLUMN_TEXT])
{
    reproduced[0] = '\0';
    while (length > 0 && *file == '#') {
        const char *const end = memchr(file, '\n', length);
        size_t const line = end ? (size_t)(end - file) : length;
        size_t start = 1;

        while (start < line && (file[start] == ' ' || file[start] == '\t'))
            start++;
        if (start == line)
            break;
        if (line - start > strlen(REPRODUCES) && strncmp(file + start, REPRODUCES, strlen(REPRODUCES)) == 0) {
            start += strlen(REPRODUCES);
            snprintf(reproduced, COLUMN_TEXT, "%.*s", (int)(line - start - (file[line - 1] == '.')), file + start);
        } else {
            text_put(text, text->length > 0 ? " " : "");
            text_put_bytes(text, file + start, line - start);
        }
        length -= line + (end != NULL);
        file += line + (end != NULL);
    }
    text_put_bytes(text, "", 1);
}

/* Its first sentence, or as many words of it as there is room for. */
static void cut_sentence(char *text)
{
    char *const end = strstr(text, ". ");

    if (end)
        *end = '\0';
    for (char *at; (at = strstr(text, ".yaml")) != NULL;)
        memmove(at, at + strlen(".yaml"), strlen(at + strlen(".yaml")) + 1);
    if (strlen(text) > 0 && text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = '\0';
    if (strlen(text) <= ABOUT_MOST)
        return;
    text[ABOUT_MOST - 4] = '\0';
    while (strlen(text) > 0 && text[strlen(text) - 1] != ' ')
        text[strlen(text) - 1] = '\0';
    strcpy(text + strlen(text), "...");
}

/* about NULL: its file has no comment. */
static void put_row(const struct listing *listing, const char *name, const char *about, const char *reproduced)
{
    struct table_writer *const writer = listing->writer;
    char text[3][COLUMN_TEXT], whole[ABOUT_MOST + COLUMN_TEXT + 20];

    cores_text(&listing->config, text[0], COLUMN_TEXT);
    caches_text(&listing->config, text[1], COLUMN_TEXT);
    memory_text(&listing->config, text[2], COLUMN_TEXT);
    snprintf(whole, sizeof whole, "%s%s%s%s", about ? about : "", *reproduced ? " [reproduces " : "", reproduced,
             *reproduced ? "]" : "");
    table_word(writer, name);
    for (size_t i = 0; i < 3; i++)
        table_word(writer, text[i]);
    table_word(writer, about);
    table_word(writer, *reproduced ? reproduced : NULL);
    table_word(writer, whole);
    table_end_row(writer);
}

static bool print_system(void *context, const char *name, const char *path)
{
    struct listing *const listing = context;
    char reproduced[COLUMN_TEXT] = "";
    char *file;
    size_t length;
    struct text about = {0};
    struct fault fault = config_file_text(path, &file, &length);

    if (fault.kind == FAULT_NONE) {
        read_comment(file, length, &about, reproduced);
        fault = config_read(&listing->config, path, NULL, 0);
    }
    free(file);
    if (fault.kind != FAULT_NONE) {
        listing->code = cli_fail(fault);
    } else if (about.failed) {
        listing->code = cli_fail_text("out of memory");
    } else {
        if (about.length > 0)
            cut_sentence(about.at);
        put_row(listing, name, about.length > 0 ? about.at : NULL, reproduced);
    }
    free(about.at);
    return true;
}

static void put_systems(const void *context, struct table_writer *writer)
{
    struct listing *const listing = *(struct listing *const *)context;

    listing->writer = writer;
    config_each_shipped(print_system, listing);
}

int config_list_print(enum table_form form)
{
    struct listing *const listing = calloc(1, sizeof *listing);
    struct table const table = {
        .columns = columns, .count = sizeof columns / sizeof columns[0], .rows = put_systems, .context = &listing
    };
    int code;

    if (!listing)
        return cli_fail_text("out of memory");
    code = table_print(stdout, form, &table) ? listing->code : cli_fail_text("out of memory");
    free(listing);
    return code;
}
