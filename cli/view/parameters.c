/* Choices: names of an enumeration, DRAM devices, or for numbers the present value times and by powers of two. */
#include "cli/view/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/config.h"
#include "replay/config/config_limits.h"
#include "replay/config/device.h"
#include "replay/config/sections.h"
#include "replay/config/units.h"

enum { MOST_PARAMETERS = 256, STEPS_AROUND = 3, MOST_CHOICES = 128 };

/* O(kinds of sections, key) */
#define OFFERED(O)                                                                                                    \
    O(CONFIG_SYSTEM, cpu_clock) O(CONFIG_SYSTEM, system_clock)                                                        \
    O(CONFIG_CPU, rob) O(CONFIG_CPU, load_buffer) O(CONFIG_CPU, store_buffer)                                         \
    O(CONFIG_CACHE, size) O(CONFIG_CACHE, assoc) O(CONFIG_CACHE, tag_latency) O(CONFIG_CACHE, data_latency)           \
    O(CONFIG_CACHE, mshrs) O(CONFIG_CACHE, replacement) O(CONFIG_PREFETCHER, type) O(CONFIG_PREFETCHER, degree)       \
    O(CONFIG_BUS, width)                                                                                              \
    O(CONFIG_MEMORY, channels) O(CONFIG_MEMORY, interleave)                                                           \
    O(CONFIG_DRAM, page_policy) O(CONFIG_DRAM, addr_mapping)                                                          \
    O(CONFIG_DRAM, read_buffer_size) O(CONFIG_DRAM, write_buffer_size)                                                \
    O(CONFIG_GPU, sms) O(CONFIG_GPU, core_clock) O(CONFIG_GPU_SM, schedulers)                                          \
    O(CONFIG_GPU_L1, size) O(CONFIG_GPU_L1, mshrs) O(CONFIG_GPU_L2, size) O(CONFIG_GPU_L2, channels)

#define OFFERED_LINE(kinds, key) {kinds, #key},
static const struct { unsigned kinds; const char *key; } offered[] = {OFFERED(OFFERED_LINE)};
#undef OFFERED_LINE

static bool is_offered(const struct config_section *section, const char *key)
{
    for (size_t i = 0; i < sizeof offered / sizeof offered[0]; i++)
        if ((offered[i].kinds & (unsigned)section->kind) && strcmp(offered[i].key, key) == 0)
            return true;
    return false;
}

static const char *parameters_keep(struct view_parameters *parameters, const char *text)
{
    char *const copy = malloc(strlen(text) + 1);

    if (!copy || !list_fit(&parameters->texts, parameters->text_count + 1, &parameters->text_room,
                           sizeof *parameters->texts)) {
        free(copy);
        parameters->lacks_memory = true;
        return "";
    }
    strcpy(copy, text);
    return parameters->texts[parameters->text_count++] = copy;
}

/* A list of its own, with the NULL at its end. */
static const char *const *keep_list(struct view_parameters *parameters, const char *const *choices, size_t count)
{
    const char **const list = calloc(count + 1, sizeof *list);

    if (!list || !list_fit_next(&parameters->lists, parameters->list_count, sizeof *parameters->lists)) {
        free(list);
        parameters->lacks_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = choices[i];
    parameters->lists[parameters->list_count++] = list;
    return list;
}

static const char *const *halves_and_doubles(struct view_parameters *parameters, const struct param_info *info,
                                             const char *value)
{
    const char *choices[2 * STEPS_AROUND + 1];
    char text[UNITS_TEXT];
    double unused;
    uint64_t now;
    size_t count = 0;

    if (units_parse(info->unit, value, &now, &unused) || now == 0)
        return NULL;
    for (int i = -STEPS_AROUND; i <= STEPS_AROUND; i++) {
        uint64_t const other = i < 0 ? now >> -i : now << i;
        bool const is_exact = i < 0 ? other << -i == now : other >> i == now;

        if (other == 0 || !is_exact || other < info->lowest || (info->highest && other > info->highest))
            continue;
        units_format(info->unit, other, 0, text, sizeof text);
        choices[count++] = parameters_keep(parameters, text);
    }
    return keep_list(parameters, choices, count);
}

static const char *const *choices_of(struct view_parameters *parameters, const struct param_info *info,
                                     const char *value)
{
    const char *const *const names = param_enum_names(info->unit);

    if (names)
        return names;
    return info->unit == UNIT_BYTES || info->unit == UNIT_COUNT ? halves_and_doubles(parameters, info, value) : NULL;
}

static const char *const *devices(struct view_parameters *parameters)
{
    const char *names[MOST_CHOICES];
    size_t count = 0;

    for (; config_device_name(count) && count < MOST_CHOICES; count++)
        names[count] = config_device_name(count);
    return keep_list(parameters, names, count);
}

static void parameters_add(struct view *view, const char *key, const char *help, const char *value,
                           const char *const *choices)
{
    struct view_parameter *const parameter = &view->parameters[view->parameter_count];

    if (view->parameter_count == MOST_PARAMETERS)
        return;
    *parameter = (struct view_parameter){.key = key, .help = help, .choices = choices};
    snprintf(parameter->value, sizeof parameter->value, "%s", value);
    view->parameter_count++;
}

static void add_device(struct view_parameters *parameters, struct view *view, const struct system_config *config,
                       const struct config_section *section)
{
    char key[CONFIG_PATH_TEXT + 8], value[CONFIG_BEHIND_TEXT];

    snprintf(key, sizeof key, "%s.device", section->path);
    if (config_get(config, key, "view", value, sizeof value).kind != FAULT_NONE)
        return;
    if (strlen(value) < VIEW_VALUE)
        parameters_add(view, parameters_keep(parameters, key), "DRAM device: all its timings and its geometry", value,
                       devices(parameters));
}

static void add_section(struct view_parameters *parameters, struct view *view, const struct system_config *config,
                        const struct config_section *section)
{
    char key[CONFIG_PATH_TEXT + 40], value[UNITS_TEXT];

    if (!section->is_present)
        return;
    if (section->kind == CONFIG_MEMORY)
        add_device(parameters, view, config, section);
    for (size_t i = 0; i < section->table->count; i++) {
        struct param_info const *const info = &section->table->rows[i];

        if (!is_offered(section, info->key))
            continue;
        snprintf(key, sizeof key, "%s%s%s", section->path, *section->path ? "." : "", info->key);
        config_value_text(config, section, info, value, sizeof value);
        parameters_add(view, parameters_keep(parameters, key), info->help, value, choices_of(parameters, info, value));
    }
}

struct fault view_parameters_make(struct view_parameters *parameters, struct view *view,
                                  const struct system_config *config)
{
    struct config_section *const list = calloc(CONFIG_MAX_SECTIONS, sizeof *list);
    struct view_parameters made = {0};
    struct view_parameter *const fresh = calloc(MOST_PARAMETERS, sizeof *fresh);
    char chosen[CONFIG_PATH_TEXT + 40] = "";
    unsigned count;

    if (!list || !fresh) {
        free(list);
        free(fresh);
        return fault_make(FAULT_MEMORY, "out of memory");
    }
    if (view->parameter < view->parameter_count)
        snprintf(chosen, sizeof chosen, "%s", view->parameters[view->parameter].key);
    free(view->parameters);
    view->parameters = fresh;
    view->parameter_count = 0;
    count = config_sections(config, list);
    for (unsigned i = 0; i < count; i++)
        add_section(&made, view, config, &list[i]);
    view->parameter = 0;
    for (size_t i = 0; i < view->parameter_count; i++)
        if (strcmp(view->parameters[i].key, chosen) == 0)
            view->parameter = i;
    view_parameters_free(parameters);
    *parameters = made;
    free(list);
    return made.lacks_memory ? fault_make(FAULT_MEMORY, "out of memory") : fault_none();
}

void view_parameters_free(struct view_parameters *parameters)
{
    for (size_t i = 0; i < parameters->text_count; i++)
        free(parameters->texts[i]);
    for (size_t i = 0; i < parameters->list_count; i++)
        free(parameters->lists[i]);
    free(parameters->texts);
    free(parameters->lists);
    *parameters = (struct view_parameters){0};
}
