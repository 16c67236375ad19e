/* The shape of these files is their own, not that of systems, so they are read here: a mapping, each key once, known
 * keys only. */
#include "replay/config/command_standard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/hash64.h"
#include "base/nearest.h"
#include "memsys/energy/energy_params.h"
#include "replay/config/config_text.h"
#include "replay/config/currents.h"
#include "replay/config/device.h"

enum { DEEPEST = 4, MOST_ROWS = 4096, LARGEST = 1 << 20 };

struct reader {
    struct cmd_standard *standard;
    const char *file;
    yaml_document_t document;
    unsigned depth;
};

static struct fault read_standard(struct cmd_standard *standard, const char *name, unsigned depth);

static struct fault wrong(const struct reader *reader, const yaml_node_t *node, const char *expected)
{
    return fault_at_line(reader->file, node->start_mark.line + 1, "expected %s", expected);
}

static const yaml_node_t *node_at(struct reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

/* ---- values */
static struct fault read_text(struct reader *reader, const yaml_node_t *node, const char **text)
{
    if (node->type != YAML_SCALAR_NODE || strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
        return wrong(reader, node, "a word");
    *text = arena_copy(&reader->standard->arena, (const char *)node->data.scalar.value, node->data.scalar.length);
    return *text ? fault_none() : fault_memory(reader->file, "the standard");
}

static struct fault read_whole(struct reader *reader, const yaml_node_t *node, int64_t lowest, int64_t highest,
                               int64_t *value)
{
    const char *text = NULL;
    char *end;
    char expected[80];

    FORWARD(read_text(reader, node, &text));
    *value = strtoll(text, &end, 10);
    if (!*text || *end || *value < lowest || *value > highest) {
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)lowest, (long long)highest);
        return wrong(reader, node, expected);
    }
    return fault_none();
}

static struct fault read_unsigned(struct reader *reader, const yaml_node_t *node, unsigned lowest, unsigned highest,
                                  unsigned *value)
{
    int64_t whole;

    FORWARD(read_whole(reader, node, lowest, highest, &whole));
    *value = (unsigned)whole;
    return fault_none();
}

static struct fault read_bool(struct reader *reader, const yaml_node_t *node, bool *value)
{
    const char *text = NULL;

    FORWARD(read_text(reader, node, &text));
    *value = strcmp(text, "yes") == 0;
    return *value || strcmp(text, "no") == 0 ? fault_none() : wrong(reader, node, "yes or no");
}

/* One of the words; *index is its place. */
static struct fault read_word(struct reader *reader, const yaml_node_t *node, const char *const *words, unsigned *index)
{
    const char *text = NULL;
    char expected[160] = "one of";

    FORWARD(read_text(reader, node, &text));
    for (*index = 0; words[*index]; (*index)++) {
        if (strcmp(words[*index], text) == 0)
            return fault_none();
        if (strlen(expected) + strlen(words[*index]) + 2 < sizeof expected)
            strcat(strcat(expected, " "), words[*index]);
    }
    return wrong(reader, node, expected);
}

/* ---- lists and mappings */
typedef struct fault (*item_reader)(struct reader *reader, const yaml_node_t *node);
typedef struct fault (*pair_reader)(struct reader *reader, const char *key, const yaml_node_t *value);

static struct fault read_list(struct reader *reader, const yaml_node_t *node, item_reader read)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return wrong(reader, node, "a list");
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        FORWARD(read(reader, node_at(reader, *item)));
    return fault_none();
}

static struct fault read_pairs(struct reader *reader, const yaml_node_t *node, pair_reader read)
{
    const char *key = NULL;

    if (node->type != YAML_MAPPING_NODE)
        return wrong(reader, node, "keys and values");
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        FORWARD(read_text(reader, node_at(reader, pair->key), &key));
        FORWARD(read(reader, key, node_at(reader, pair->value)));
    }
    return fault_none();
}

/* The texts of a list of `lowest` to `highest` of them. */
static struct fault read_texts(struct reader *reader, const yaml_node_t *node, unsigned lowest, unsigned highest,
                               const char **texts, unsigned *count)
{
    char expected[80];

    snprintf(expected, sizeof expected, "a list of %u to %u words", lowest, highest);
    *count = 0;
    if (node->type != YAML_SEQUENCE_NODE)
        return wrong(reader, node, expected);
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        if (*count == highest)
            return wrong(reader, node, expected);
        FORWARD(read_text(reader, node_at(reader, *item), &texts[(*count)++]));
    }
    return *count >= lowest ? fault_none() : wrong(reader, node, expected);
}

/* Room for one more in an array of the arena, which doubles. */
static struct fault fit(struct reader *reader, void *array, size_t count, size_t bytes)
{
    void *items, *grown;

    if (count >= MOST_ROWS)
        return fault_make(FAULT_INPUT, "%s: more than %d rows", reader->file, MOST_ROWS);
    if (count & (count - 1))             /* has room up to the next power of two */
        return fault_none();
    memcpy(&items, array, sizeof items);
    grown = arena_take(&reader->standard->arena, (count ? 2 * count : 1) * bytes);
    if (!grown)
        return fault_memory(reader->file, "the standard");
    if (count)
        memcpy(grown, items, count * bytes);
    memcpy(array, &grown, sizeof grown);
    return fault_none();
}

/* ---- commands */
static struct fault read_kind(struct reader *reader, const yaml_node_t *node)
{
    static const char *const kinds[] = {"opening", "closing", "accessing", "refreshing", NULL};
    struct cmd_command_row *const row = &reader->standard->commands[reader->standard->command_count];
    bool *const flags[] = {&row->opening, &row->closing, &row->accessing, &row->refreshing};
    unsigned kind;

    FORWARD(read_word(reader, node, kinds, &kind));
    *flags[kind] = true;
    return fault_none();
}

static struct fault read_command_key(struct reader *reader, const char *key, const yaml_node_t *value)
{
    static const char *const buses[] = {"shared", "row", "column", NULL}, *const banks[] = {"single", "all", NULL};
    static const char *const needs[] = {"none", "row", "split-row", "split-first", "precharge", "closed-bank",
                                        "closed-all",
                                        NULL};
    static const char *const effects[] = {"none", "open", "activating", "close", NULL};
    struct cmd_command_row *const row = &reader->standard->commands[reader->standard->command_count];
    const char *text = NULL;
    unsigned word;
    char *end;

    if (strcmp(key, "cycles") == 0) {
        FORWARD(read_text(reader, value, &text));
        row->cycles_ck = strtod(text, &end);
        return *end || !(row->cycles_ck > 0) || row->cycles_ck > 64 ? wrong(reader, value, "a number above 0, up to 64")
                                                                    : fault_none();
    }
    if (strcmp(key, "kind") == 0)
        return value->type == YAML_SEQUENCE_NODE ? read_list(reader, value, read_kind) : read_kind(reader, value);
    if (strcmp(key, "bus") == 0) {
        FORWARD(read_word(reader, value, buses, &word));
        row->bus = (enum cmd_bus)word;
    } else if (strcmp(key, "banks") == 0) {
        FORWARD(read_word(reader, value, banks, &word));
        row->target_all = word == 1;
    } else if (strcmp(key, "needs") == 0) {
        FORWARD(read_word(reader, value, needs, &word));
        row->needs = (enum cmd_needs)word;
    } else if (strcmp(key, "effect") == 0) {
        FORWARD(read_word(reader, value, effects, &word));
        row->effect = (enum cmd_effect)word;
    } else {
        return wrong(reader, value, "cycles, bus, kind, banks, needs or effect as keys of a command");
    }
    return fault_none();
}

static struct fault read_command(struct reader *reader, const char *key, const yaml_node_t *value)
{
    struct cmd_standard *const standard = reader->standard;

    for (unsigned i = 0; i < standard->command_count; i++)
        if (strcmp(standard->commands[i].name, key) == 0)
            return wrong(reader, value, "each command once");
    if (standard->command_count == CMD_COMMANDS)
        return wrong(reader, value, "16 commands at most");
    standard->commands[standard->command_count] = (struct cmd_command_row){.name = key, .cycles_ck = 1};
    FORWARD(read_pairs(reader, value, read_command_key));
    standard->command_count++;
    return fault_none();
}

/* ---- constraints, derived timings, presets */
static struct fault read_constraint(struct reader *reader, const yaml_node_t *node)
{
    struct cmd_standard *const standard = reader->standard;
    const char *texts[6];
    unsigned count;
    struct cmd_constraint_row row = {.window = 1};

    FORWARD(read_texts(reader, node, 4, 6, texts, &count));
    row.level = texts[0];
    row.preceding = texts[1];
    row.following = texts[2];
    row.latency = texts[3];
    for (unsigned i = 4; i < count; i++) {
        if (strcmp(texts[i], "siblings") == 0)
            row.sibling = true;
        else if (sscanf(texts[i], "window %u", &row.window) != 1 || row.window < 1 || row.window > 16)
            return wrong(reader, node, "\"siblings\" or \"window N\", N from 1 to 16, behind a latency");
    }
    FORWARD(fit(reader, &standard->constraints, standard->constraint_count, sizeof row));
    standard->constraints[standard->constraint_count++] = row;
    return fault_none();
}

static struct fault read_derived(struct reader *reader, const yaml_node_t *node)
{
    struct cmd_standard *const standard = reader->standard;
    const char *texts[4];
    unsigned count;
    struct cmd_derived_row row;

    FORWARD(read_texts(reader, node, 3, 4, texts, &count));
    if (count == 4 && strcmp(texts[1], "default") != 0)
        return wrong(reader, node, "[timing, condition, value] or [timing, default, condition, value]");
    row = (struct cmd_derived_row){texts[0], texts[count - 2], texts[count - 1], count == 4};
    FORWARD(fit(reader, &standard->derived, standard->derived_count, sizeof row));
    standard->derived[standard->derived_count++] = row;
    return fault_none();
}

static struct fault read_preset_values(struct reader *reader, const yaml_node_t *node, struct cmd_preset *preset)
{
    const char *key = NULL;

    if (node->type != YAML_MAPPING_NODE)
        return wrong(reader, node, "keys and values");
    preset->count = 0;
    preset->pairs = NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        int64_t value;

        FORWARD(read_text(reader, node_at(reader, pair->key), &key));
        FORWARD(read_whole(reader, node_at(reader, pair->value), 0, 1 << 30, &value));
        FORWARD(fit(reader, &preset->pairs, preset->count, sizeof *preset->pairs));
        preset->pairs[preset->count++] = (struct cmd_pair){key, value};
    }
    return fault_none();
}

static struct fault read_preset(struct reader *reader, const char *key, const yaml_node_t *node,
                                struct cmd_preset **presets,
                                size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*presets)[i].name, key) == 0)
            return read_preset_values(reader, node, &(*presets)[i]);
    FORWARD(fit(reader, presets, *count, sizeof **presets));
    (*presets)[*count].name = key;
    FORWARD(read_preset_values(reader, node, &(*presets)[*count]));
    ++*count;
    return fault_none();
}

static struct fault read_organization(struct reader *reader, const char *key, const yaml_node_t *value)
{
    return read_preset(reader, key, value, &reader->standard->organizations, &reader->standard->organization_count);
}

static struct fault read_timing(struct reader *reader, const char *key, const yaml_node_t *value)
{
    return read_preset(reader, key, value, &reader->standard->timings, &reader->standard->preset_count);
}

/* ---- currents */
static struct fault read_current(struct reader *reader, const char *key, const yaml_node_t *value)
{
    struct cmd_currents *const row = &reader->standard->currents[reader->standard->currents_count];
    const char *text = NULL, *problem;
    char expected[160];

    if (strcmp(key, "organization") == 0)
        return read_text(reader, value, &row->organization);
    if (strcmp(key, "datasheet") == 0)
        return read_text(reader, value, &row->datasheet);
    if (strcmp(key, "rate") == 0)
        return read_whole(reader, value, 1, 1 << 30, &row->rate);
    FORWARD(read_text(reader, value, &text));
    problem = currents_assign(row->params, key, text, expected, sizeof expected);
    return problem ? fault_at_line(reader->file, value->start_mark.line + 1, "currents: %.40s: \"%.40s\" %s%s %s", key,
                                   text, problem, strstr(problem, "give") ? "" : "; give", expected) : fault_none();
}

static struct fault read_currents(struct reader *reader, const yaml_node_t *node)
{
    struct cmd_standard *const standard = reader->standard;
    struct cmd_currents *row;

    FORWARD(fit(reader, &standard->currents, standard->currents_count, sizeof *row));
    row = &standard->currents[standard->currents_count];
    *row = (struct cmd_currents){.params = arena_take(&standard->arena, sizeof *row->params)};
    if (!row->params)
        return fault_memory(reader->file, "the standard");
    memset(row->params, 0, sizeof *row->params);
    FORWARD(read_pairs(reader, node, read_current));
    if (!row->organization || !row->datasheet || row->rate == 0 || row->params->vdd_mv == 0)
        return wrong(reader, node, "organization, rate, datasheet, VDD and currents");
    standard->currents_count++;
    return fault_none();
}

static struct fault read_timing_name(struct reader *reader, const yaml_node_t *node)
{
    struct cmd_standard *const standard = reader->standard;

    if (standard->timing_count == CMD_TIMINGS)
        return wrong(reader, node, "64 timings at most");
    return read_text(reader, node, &standard->timing_names[standard->timing_count++]);
}

/* ---- the file */
static struct fault read_refresh(struct reader *reader, const yaml_node_t *node)
{
    const char *text = NULL;

    FORWARD(read_text(reader, node, &text));
    if (reader->standard->all_bank_refresh)
        reader->standard->parent_refresh = reader->standard->all_bank_refresh;
    reader->standard->all_bank_refresh = strcmp(text, "none") == 0 ? NULL : text;
    return fault_none();
}

static struct fault read_key(struct reader *reader, const char *key, const yaml_node_t *value)
{
    struct cmd_standard *const standard = reader->standard;
    const struct { const char *key; const char **text; } texts[] = {
        {"standard", &standard->name}, {"read_latency", &standard->read_latency}, {"read", &standard->read_command},
        {"write", &standard->write_command}, {"controller", &standard->controller}
    };
    const struct { const char *key; unsigned *whole, lowest; } wholes[] = {
        {"prefetch", &standard->prefetch, 1}, {"payload_bytes", &standard->payload_bytes, 1},
        {"ticks_per_CK", &standard->ticks_per_ck, 1}
    };
    const struct { const char *key; pair_reader read; } mappings[] = {
        {"commands", read_command}, {"organizations", read_organization}, {"timings", read_timing}
    };
    const struct { const char *key; item_reader read; } lists[] = {
        {"constraints", read_constraint}, {"derived", read_derived}, {"timing_names", read_timing_name},
        {"currents", read_currents}
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0)
            return read_text(reader, value, texts[i].text);
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (strcmp(key, wholes[i].key) == 0)
            return read_unsigned(reader, value, wholes[i].lowest, 1024, wholes[i].whole);
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        if (strcmp(key, mappings[i].key) == 0)
            return read_pairs(reader, value, mappings[i].read);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(key, lists[i].key) == 0)
            return read_list(reader, value, lists[i].read);
    if (strcmp(key, "levels") == 0)
        return read_texts(reader, value, 4, CMD_LEVELS, standard->levels, &standard->level_count);
    if (strcmp(key, "all_bank_refresh") == 0)
        return read_refresh(reader, value);
    if (strcmp(key, "per_bank_refresh") == 0)
        return read_bool(reader, value, &standard->per_bank_refresh);
    if (strcmp(key, "paired_bank_refresh") == 0)
        return read_bool(reader, value, &standard->paired_bank_refresh);
    if (strcmp(key, "extends") == 0)
        return fault_none();
    return fault_at_line(reader->file, value->start_mark.line + 1, "unknown key %.40s; configs/dram/command/DDR4.yaml "
                                                                   "has all",
                         key);
}

static struct fault read_base(struct reader *reader, const yaml_node_t *root)
{
    const char *name = NULL;

    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *const key = node_at(reader, pair->key), *const value = node_at(reader, pair->value);

        if (key->type != YAML_SCALAR_NODE || strcmp((const char *)key->data.scalar.value, "extends") != 0)
            continue;
        FORWARD(read_text(reader, value, &name));
        if (reader->depth == DEEPEST)
            return wrong(reader, value, "four standards that extend each other at most; is there a cycle?");
        FORWARD(fault_within(read_standard(reader->standard, name, reader->depth + 1), "%s: extends ", reader->file));
    }
    return fault_none();
}

static struct fault check(const struct cmd_standard *standard)
{
    const char *const missing = !standard->name ? "standard" : standard->level_count == 0 ? "levels"
        : standard->prefetch == 0 ? "prefetch" : standard->ticks_per_ck == 0 ? "ticks_per_CK"
        : !standard->read_latency ? "read_latency" : !standard->read_command ? "read" : !standard->write_command
            ? "write"
        : !standard->controller ? "controller" : standard->command_count == 0 ? "commands"
        : standard->organization_count == 0 ? "organizations" : standard->preset_count == 0 ? "timings"
        : standard->timing_count == 0 ? "timing_names" : NULL;

    return missing ? fault_make(FAULT_INPUT, "%s: %s: is missing", standard->file, missing) : fault_none();
}

static struct fault parse(struct reader *reader, const unsigned char *bytes, size_t length)
{
    yaml_parser_t parser;
    const yaml_node_t *root;
    struct fault fault = fault_none();

    if (!yaml_parser_initialize(&parser))
        return fault_memory(reader->file, "YAML");
    reader->standard->digest = 31 * reader->standard->digest + hash64(bytes, length);
    yaml_parser_set_input_string(&parser, bytes, length);
    if (!yaml_parser_load(&parser, &reader->document)) {
        fault = fault_at_line(reader->file, parser.problem_mark.line + 1, "not YAML: %s",
                              parser.problem ? parser.problem : "unreadable");
        yaml_parser_delete(&parser);
        return fault;
    }
    root = yaml_document_get_root_node(&reader->document);
    if (!root || root->type != YAML_MAPPING_NODE)
        fault = fault_make(FAULT_INPUT, "%s: expected keys and values of a DRAM standard", reader->file);
    else if (WORKS(fault, read_base(reader, root)))
        fault = read_pairs(reader, root, read_key);
    reader->standard->file = reader->file;
    yaml_document_delete(&reader->document);
    yaml_parser_delete(&parser);
    return fault;
}

static struct fault read_own(struct reader *reader)
{
    unsigned char *const bytes = malloc(LARGEST + 1);
    FILE *file;
    struct fault fault = fault_none();
    size_t length;

    if (!bytes)
        return fault_memory(reader->file, "the standard");
    file = fopen(reader->file, "rb");
    if (!file) {
        fault = fault_make(FAULT_INPUT, "%s: cannot be opened; expected a file of a DRAM standard", reader->file);
    } else {
        length = fread(bytes, 1, LARGEST + 1, file);
        fclose(file);
        fault = length > LARGEST ? fault_make(FAULT_INPUT, "%s: is larger than 1 MiB", reader->file)
                                 : parse(reader, bytes, length);
    }
    free(bytes);
    return fault;
}

static struct fault read_standard(struct cmd_standard *standard, const char *name, unsigned depth)
{
    struct reader reader = {.standard = standard, .depth = depth};
    char path[64], shipped_name[32], near[32] = "";

    reader.file = arena_copy(&standard->arena, name, strlen(name));
    if (!reader.file)
        return fault_memory(name, "the standard");
    if (config_is_device_file(name))
        return read_own(&reader);
    snprintf(path, sizeof path, "dram/command/%.40s.yaml", name);
    if (shipped_find(path))
        return parse(&reader, shipped_find(path)->bytes, shipped_find(path)->length);
    for (size_t i = 0; command_standard_name(i, shipped_name); i++)
        if (name_distance(name, shipped_name) <= 2)
            memcpy(near, shipped_name, sizeof near);
    return fault_make(FAULT_INPUT, "unknown DRAM standard \"%.60s\"%s%s%s", name, *near ? "; did you mean " : "", near,
                      *near ? "?" : "; configs/dram/command/ has the shipped ones, a file goes by its path");
}

struct fault command_standard_read(struct cmd_standard *standard, const char *name)
{
    struct fault fault;

    *standard = (struct cmd_standard){.ticks_per_ck = 1};
    if (FAILS(fault, read_standard(standard, name, 0)) || FAILS(fault, check(standard)))
        cmd_standard_free(standard);
    return fault;
}

const char *command_standard_name(size_t index, char name[32])
{
    static const char folder[] = "dram/command/";

    for (size_t i = 0; shipped_at(i); i++) {
        const char *const file = shipped_at(i)->name;

        if (strncmp(file, folder, sizeof folder - 1) == 0 && index-- == 0) {
            snprintf(name, 32, "%.*s", (int)(strlen(file) - (sizeof folder - 1) - 5), file + sizeof folder - 1);
            return name;
        }
    }
    return NULL;
}
