/* The device of a Ramulator configuration (ramulator.h). 2.0 names presets; 2.1 has the resolved sizes and timings in
 * the order of the standard, of which the presets with the fewest differences are looked for: the rest become
 * overrides. Its constraints must then be those of rubato's standard: what differs would change the result unseen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/command/device/cmd_spec.h"
#include "replay/config/command_device.h"
#include "replay/config/command_standard.h"
#include "replay/config/config_values.h"
#include "replay/config/ramulator_parts.h"

enum { MOST_NUMBERS = 80 };

struct resolved {
    int64_t count[CMD_LEVELS], timings[CMD_TIMINGS], dq, channel_width;
};

struct chosen {
    const struct cmd_preset *organization, *timing;
    unsigned differences;
};

/* ---- numbers */
static struct fault read_number(struct nodes *import, const yaml_node_t *node, const char *what, int64_t *number)
{
    const char *const text = nodes_text(node);
    char *end;

    *number = strtoll(text, &end, 10);
    return *text && !*end ? fault_none()
                          : nodes_wrong(import, node, "dram.%s: \"%.40s\": expected a whole number", what, text);
}

static struct fault read_numbers(struct nodes *import, const yaml_node_t *node, const char *what, unsigned count,
                                 int64_t *numbers, const yaml_node_t *parent)
{
    if (!node || node->type != YAML_SEQUENCE_NODE
        || node->data.sequence.items.top - node->data.sequence.items.start != (ptrdiff_t)count)
        return nodes_wrong(import, node ? node : parent, "dram.%s: expected a list of %u numbers", what, count);
    for (unsigned i = 0; i < count; i++)
        FORWARD(read_number(import, nodes_node(import, node->data.sequence.items.start[i]), what, &numbers[i]));
    return fault_none();
}

/* ---- names of 2.1 and 2.0: DDR4-VRR is DDR4_VRR */
static struct fault read_standard(struct nodes *import, const yaml_node_t *node, struct cmd_standard *standard)
{
    const yaml_node_t *const impl = nodes_find(import, node, "impl");
    char name[64];

    snprintf(name, sizeof name, "%.60s", nodes_text(impl));
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    FORWARD(nodes_set(import, impl ? impl : node, "standard", "%s", name));
    return command_standard_read(standard, name);
}

/* Of a level in small letters. */
static void level_key(const struct cmd_standard *standard, unsigned level, char key[40])
{
    snprintf(key, 40, "%s", standard->levels[level]);
    for (char *c = key; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
}

static struct fault set_override(struct nodes *import, const yaml_node_t *node, const char *name, int64_t value)
{
    char key[80];

    snprintf(key, sizeof key, "overrides.%.40s", name);
    return nodes_set(import, node, key, "%lld", (long long)value);
}

/* ---- presets by their values */
static int64_t value_of(const struct cmd_preset *preset, const char *name)
{
    for (size_t i = 0; i < preset->count; i++)
        if (strcmp(preset->pairs[i].name, name) == 0)
            return preset->pairs[i].value;
    return -1;
}

/* Sizes of an organization that differ, as overrides. */
static size_t size_overrides(const struct cmd_standard *standard, const struct cmd_preset *organization,
                             const struct resolved *resolved, char names[CMD_LEVELS][40],
                             struct cmd_pair pairs[CMD_LEVELS + 1])
{
    size_t count = 0;

    for (unsigned level = 1; level < standard->level_count; level++) {
        level_key(standard, level, names[level]);
        if (value_of(organization, names[level]) != resolved->count[level])
            pairs[count++] = (struct cmd_pair){names[level], resolved->count[level]};
    }
    if (value_of(organization, "channel_width") != resolved->channel_width)
        pairs[count++] = (struct cmd_pair){"channel_width", resolved->channel_width};
    return count;
}

static void try_presets(const struct cmd_standard *standard, const struct resolved *resolved, size_t o, size_t t,
                        struct chosen *best)
{
    const struct cmd_preset *const organization = &standard->organizations[o], *const timing = &standard->timings[t];
    char names[CMD_LEVELS][40];
    struct cmd_pair pairs[CMD_LEVELS + 1];
    size_t const sizes = size_overrides(standard, organization, resolved, names, pairs);
    unsigned differences = (unsigned)sizes * 3;
    struct cmd_spec spec;
    struct fault fault;

    if (value_of(organization, "dq") != resolved->dq || (best->organization && differences >= best->differences))
        return;
    if (FAILS(fault, cmd_spec_make(&spec, standard, organization->name, timing->name,
                                   (struct cmd_overrides){pairs, sizes}, false, false)))
        return;
    for (unsigned i = 0; i < standard->timing_count; i++)
        differences += spec.timings[i] != resolved->timings[i];
    cmd_spec_free(&spec);
    if (!best->organization || differences < best->differences)
        *best = (struct chosen){organization, timing, differences};
}

/* ---- what must be equal then */
static bool has_constraint(const struct cmd_spec *spec, const int64_t row[5], int64_t p, int64_t f)
{
    const struct cmd_constraint_list *const list = &spec->constraints[row[0]][p];

    for (unsigned i = 0; i < list->count; i++)
        if (list->rows[i].following == f && list->rows[i].window == row[1] && list->rows[i].sibling == row[2]
            && list->rows[i].latency == row[3])
            return true;
    return false;
}

/* The commands in a list, as numbers of the standard. */
static struct fault read_commands(struct nodes *import, const struct cmd_spec *spec, const yaml_node_t *list,
                                  int64_t commands[CMD_COMMANDS], unsigned *count)
{
    if (!list || list->type != YAML_SEQUENCE_NODE
        || list->data.sequence.items.top - list->data.sequence.items.start > CMD_COMMANDS)
        return nodes_wrong(import, list, "dram.timing_constraints: expected a list of commands");
    *count = (unsigned)(list->data.sequence.items.top - list->data.sequence.items.start);
    FORWARD(read_numbers(import, list, "timing_constraints", *count, commands, list));
    for (unsigned i = 0; i < *count; i++)
        if (commands[i] < 0 || commands[i] >= spec->command_count)
            return nodes_wrong(import, list, "dram.timing_constraints: %s has no command %lld",
                               spec->standard->name, (long long)commands[i]);
    return fault_none();
}

/* [level, [preceding], [following], latency, window, sibling]; *missing: pairs that rubato's standard does not have */
static struct fault check_row(struct nodes *import, const struct cmd_spec *spec, const yaml_node_t *node,
                              unsigned *missing)
{
    const yaml_node_item_t *const item = node->type == YAML_SEQUENCE_NODE ? node->data.sequence.items.start : NULL;
    ptrdiff_t const items = item ? node->data.sequence.items.top - item : 0;
    int64_t row[5] = {0, 1, 0, 0, 0}, preceding[CMD_COMMANDS], following[CMD_COMMANDS];
    unsigned p_count = 0, f_count = 0;

    if (items < 4 || items > 6)
        return nodes_wrong(import, node, "dram.timing_constraints: expected [level, preceding, following, "
                           "latency]");
    FORWARD(read_number(import, nodes_node(import, item[0]), "timing_constraints", &row[0]));
    FORWARD(read_number(import, nodes_node(import, item[3]), "timing_constraints", &row[3]));
    if (items > 4)
        FORWARD(read_number(import, nodes_node(import, item[4]), "timing_constraints", &row[1]));
    row[2] = items > 5 && strcmp(nodes_text(nodes_node(import, item[5])), "true") == 0;
    if (row[0] < 0 || row[0] > spec->bank_level)
        return nodes_wrong(import, node, "dram.timing_constraints: %s has no level %lld", spec->standard->name,
                           (long long)row[0]);
    FORWARD(read_commands(import, spec, nodes_node(import, item[1]), preceding, &p_count));
    FORWARD(read_commands(import, spec, nodes_node(import, item[2]), following, &f_count));
    for (unsigned p = 0; p < p_count; p++)
        for (unsigned f = 0; f < f_count; f++)
            *missing += !has_constraint(spec, row, preceding[p], following[f]);
    return fault_none();
}

static struct fault check_constraints(struct nodes *import, const struct cmd_spec *spec, const yaml_node_t *node)
{
    const yaml_node_t *const list = nodes_find(import, node, "timing_constraints");
    const yaml_node_t *const latency = nodes_find(import, node, "read_latency");
    unsigned missing = 0;
    int64_t number;

    if (latency) {
        FORWARD(read_number(import, latency, "read_latency", &number));
        if (number != spec->read_latency)
            return nodes_wrong(import, latency, "dram.read_latency: %lld, but %s has %d with these timings",
                               (long long)number, spec->standard->name, spec->read_latency);
    }
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return fault_none();
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++)
        FORWARD(check_row(import, spec, nodes_node(import, *item), &missing));
    return missing == 0 ? fault_none()
           : nodes_wrong(import, list, "dram.timing_constraints: %u pairs of commands have other distances than in "
                         "rubato's %s; write a standard of your own for them (configs/dram/command/README.md)",
                         missing, spec->standard->name);
}

/* ---- 2.1: resolved values */
static struct fault read_resolved(struct nodes *import, const yaml_node_t *node,
                                  const struct cmd_standard *standard, struct resolved *resolved)
{
    static const char known[] = " impl org timing command_cycles channel_width read_latency timing_constraints ";
    const yaml_node_t *const org = nodes_find(import, node, "org");

    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        char word[80];

        snprintf(word, sizeof word, " %.70s ", nodes_text(nodes_node(import, pair->key)));
        if (!strstr(known, word))
            return nodes_wrong(import, nodes_node(import, pair->key), "dram has no parameter%s", word);
    }
    FORWARD(read_numbers(import, nodes_find(import, org, "count"), "org.count", standard->level_count,
                         resolved->count, node));
    FORWARD(read_numbers(import, nodes_find(import, node, "timing"), "timing", standard->timing_count,
                         resolved->timings, node));
    FORWARD(read_number(import, nodes_find(import, org, "dq") ? nodes_find(import, org, "dq") : node, "org.dq",
                        &resolved->dq));
    return read_number(import, nodes_find(import, node, "channel_width")
                                   ? nodes_find(import, node, "channel_width") : node,
                       "channel_width", &resolved->channel_width);
}

/* Sizes and timings that the presets do not have. */
static struct fault set_differences(struct nodes *import, const yaml_node_t *node,
                                    const struct cmd_standard *standard, const struct resolved *resolved,
                                    const struct chosen *best)
{
    int64_t const ticks = standard->ticks_per_ck;
    char names[CMD_LEVELS][40];
    struct cmd_pair pairs[CMD_LEVELS + 1];
    size_t const sizes = size_overrides(standard, best->organization, resolved, names, pairs);
    struct cmd_spec spec;

    for (size_t i = 0; i < sizes; i++)
        FORWARD(set_override(import, node, pairs[i].name, pairs[i].value));
    FORWARD(cmd_spec_make(&spec, standard, best->organization->name, best->timing->name,
                          (struct cmd_overrides){pairs, sizes}, false, false));
    for (unsigned i = 0; i < standard->timing_count; i++) {
        const char *const name = standard->timing_names[i];
        bool const is_plain = strcmp(name, "rate") == 0, is_period = strcmp(name, "tCK_ps") == 0;
        int64_t const value = resolved->timings[i];
        struct fault fault = fault_none();

        if (value == spec.timings[i])
            continue;
        if (!is_plain && !is_period && value % ticks != 0)
            fault = nodes_wrong(import, node, "dram.timing: %s of %lld ticks is no whole number of CK", name,
                                (long long)value);
        if (fault.kind == FAULT_NONE)
            fault = set_override(import, node, name, is_plain ? value : is_period ? value * ticks : value / ticks);
        if (fault.kind != FAULT_NONE) {
            cmd_spec_free(&spec);
            return fault;
        }
    }
    cmd_spec_free(&spec);
    return fault_none();
}

static struct fault take_resolved(struct nodes *import, const yaml_node_t *node,
                                  const struct cmd_standard *standard)
{
    struct chosen best = {NULL, NULL, 0};
    struct resolved resolved;

    FORWARD(read_resolved(import, node, standard, &resolved));
    for (size_t o = 0; o < standard->organization_count; o++)
        for (size_t t = 0; t < standard->preset_count; t++)
            try_presets(standard, &resolved, o, t, &best);
    if (!best.organization)
        return nodes_wrong(import, node, "dram.org.dq: %s has no organization with chips of %lld bits",
                           standard->name, (long long)resolved.dq);
    FORWARD(nodes_set(import, node, "organization", "%s", best.organization->name));
    FORWARD(nodes_set(import, node, "timing", "%s", best.timing->name));
    return set_differences(import, node, standard, &resolved, &best);
}

/* ---- 2.0: presets and what overrides them */
static struct fault take_presets(struct nodes *import, const yaml_node_t *node, uint64_t *channels)
{
    static const struct { const char *section, *key; } sections[] = {{"org", "organization"}, {"timing", "timing"}};
    int64_t number;

    for (unsigned i = 0; i < 2; i++) {
        const yaml_node_t *const section = nodes_find(import, node, sections[i].section);
        const yaml_node_t *const preset = nodes_find(import, section, "preset");

        if (!preset)
            return nodes_wrong(import, section ? section : node, "DRAM.%s: expected preset:", sections[i].section);
        FORWARD(nodes_set(import, preset, sections[i].key, "%s", nodes_text(preset)));
        for (const yaml_node_pair_t *pair = section->data.mapping.pairs.start; pair < section->data.mapping.pairs.top;
             pair++) {
            const yaml_node_t *const value = nodes_node(import, pair->value);
            const char *const key = nodes_text(nodes_node(import, pair->key));

            if (strcmp(key, "preset") == 0)
                continue;
            FORWARD(read_number(import, value, key, &number));
            if (strcmp(key, "channel") == 0)
                *channels *= number > 0 && number < 1000 ? (uint64_t)number : 1;
            else
                FORWARD(set_override(import, value, key, number));
        }
    }
    return fault_none();
}

/* ---- both */

/* As the check of memory.size in command_device.c has it: whole bits of each level, without reserved rows. */
uint64_t ramulator_channel_bytes(const struct nodes *import)
{
    struct command_device device;
    uint64_t bytes, rows;
    struct fault fault;

    if (FAILS(fault, command_device_make(&device, config_memory(import->config, 0), "memory")))
        return 0;
    bytes = UINT64_C(1) << log2_down(device.spec.tx_bytes);
    for (unsigned level = 1; level < device.spec.level_count; level++)
        bytes <<= level == device.spec.row_level ? 0 : log2_down(device.spec.size[level]);
    bytes >>= log2_down(device.spec.standard->prefetch);
    rows = UINT64_C(1) << log2_down(device.spec.size[device.spec.row_level]);
    if (device.config.reserved_rows > 0 && device.config.mapping == CMD_MAPPING_ROBARACOCH)
        rows -= (uint64_t)device.config.reserved_rows;
    else if (device.config.reserved_rows > 0)
        rows /= 2;
    command_device_free(&device);
    return bytes * rows;
}

static struct fault check_device(struct nodes *import, const yaml_node_t *node, uint64_t *tx_bytes)
{
    struct command_device device;
    struct fault fault;

    FORWARD(command_device_make(&device, config_memory(import->config, 0), "memory"));
    *tx_bytes = device.spec.tx_bytes;
    fault = check_constraints(import, &device.spec, node);
    command_device_free(&device);
    return fault;
}

struct fault ramulator_take_device(struct nodes *import, const yaml_node_t *node,
                                   struct ramulator_memory *memory)
{
    const yaml_node_t *const timing = nodes_find(import, node, "timing");
    struct cmd_standard standard;
    struct fault fault;

    FORWARD(nodes_set(import, node, "command.mode", "exact"));
    FORWARD(read_standard(import, node, &standard));
    fault = timing && timing->type == YAML_SEQUENCE_NODE ? take_resolved(import, node, &standard)
                                                         : take_presets(import, node, &memory->channels);
    cmd_standard_free(&standard);
    FORWARD(fault);
    return check_device(import, node, &memory->tx_bytes);
}
