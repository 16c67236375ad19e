/* The YAML of a sweep to struct spec: the contents of the file, without the meaning of keys. libyaml reads the
 * document into nodes that know their lines; one function takes each key of ours. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "base/count.h"
#include "base/nearest.h"
#include "base/path.h"
#include "memsys/sim/event.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/device.h"
#include "sweep/plan/price.h"
#include "sweep/plan/spec.h"

enum { PATH_TEXT = 4096, NAME_TEXT = 256 };

struct reader {
    struct spec *spec;
    yaml_document_t *document;
    struct spec_axis *axes;              /* grows */
};

struct spec_where spec_place(const struct spec *spec, size_t line)
{
    enum { LONGEST = 120 };
    size_t const length = strlen(spec->path);
    struct spec_where where;

    snprintf(where.text, sizeof where.text, "%s%s:%zu", length > LONGEST ? "..." : "",
             length > LONGEST ? spec->path + length - LONGEST : spec->path, line);
    return where;
}

/* ---- nodes */
static const yaml_node_t *node_at(const struct reader *reader, int index)
{
    return yaml_document_get_node(reader->document, index);
}

static const char *spec_read_text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static bool is_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && strlen(spec_read_text_of(node)) == node->data.scalar.length;
}

static size_t spec_read_line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static struct fault spec_read_wrong(const struct reader *reader, const yaml_node_t *node, const char *key,
                                    const char *expected)
{
    return fault_make(FAULT_INPUT, "%s: %s: expected %s", spec_place(reader->spec, spec_read_line_of(node)).text,
                      config_quote(key).text, expected);
}

static struct fault spec_read_out_of_memory(const struct reader *reader)
{
    return fault_make(FAULT_MEMORY, "%s: out of memory", reader->spec->path);
}

static struct fault spec_read_copy(const struct reader *reader, const char *text, const char **made)
{
    *made = arena_copy(&reader->spec->arena, text, strlen(text));
    return *made ? fault_none() : spec_read_out_of_memory(reader);
}

/* The next pair of a mapping; keys are texts and unique. */
struct pairs {
    const yaml_node_t *mapping;
    const yaml_node_pair_t *at;
    const char *key;
    const yaml_node_t *key_node, *value;
    struct fault fault;                  /* of the pair: its key is no text, or was given before */
};

static bool next_pair(const struct reader *reader, struct pairs *pairs)
{
    const yaml_node_pair_t *const first = pairs->mapping->data.mapping.pairs.start;

    pairs->at = pairs->at ? pairs->at + 1 : first;
    if (pairs->at >= pairs->mapping->data.mapping.pairs.top)
        return false;
    pairs->key_node = node_at(reader, pairs->at->key);
    pairs->value = node_at(reader, pairs->at->value);
    pairs->key = is_text(pairs->key_node) ? spec_read_text_of(pairs->key_node) : "";
    if (!*pairs->key)
        pairs->fault = spec_read_wrong(reader, pairs->key_node, "key", "a word such as l2.size");
    for (const yaml_node_pair_t *other = first; pairs->fault.kind == FAULT_NONE && other < pairs->at; other++)
        if (strcmp(spec_read_text_of(node_at(reader, other->key)), pairs->key) == 0)
            pairs->fault = fault_make(FAULT_INPUT, "%s: %s: given twice, first in line %zu; leave one of them",
                                      spec_place(reader->spec, spec_read_line_of(pairs->key_node)).text,
                                      config_quote(pairs->key).text, spec_read_line_of(node_at(reader, other->key)));
    return true;
}

#define EACH_PAIR(reader, pairs) while (next_pair((reader), (pairs)))

static size_t pair_count(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE ? (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)
                                           : 0;
}

/* A scalar, or each item of a list. */
static size_t item_count(const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return 1;
    return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

static const yaml_node_t *item_at(const struct reader *reader, const yaml_node_t *node, size_t i)
{
    return node->type == YAML_SEQUENCE_NODE ? node_at(reader, node->data.sequence.items.start[i]) : node;
}

/* The text of a value; of a list of defences, its parts with commas between, as `--set` takes them. */
static struct fault take_text(const struct reader *reader, const yaml_node_t *item, const char *key,
                              const char *expected, const char **text)
{
    char joined[PATH_TEXT];
    size_t used = 0;

    if (item->type != YAML_SEQUENCE_NODE || !text_ends_in(key, ".mitigation")) {
        if (!is_text(item) || !*spec_read_text_of(item))
            return spec_read_wrong(reader, item, key, expected);
        return spec_read_copy(reader, spec_read_text_of(item), text);
    }
    for (size_t i = 0; i < item_count(item); i++) {
        const yaml_node_t *const part = item_at(reader, item, i);

        if (!is_text(part) || !*spec_read_text_of(part)
            || used + strlen(spec_read_text_of(part)) + 2 > sizeof joined)
            return spec_read_wrong(reader, part, key, "names of defences");
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? "," : "",
                                 spec_read_text_of(part));
    }
    return used > 0 ? spec_read_copy(reader, joined, text) : spec_read_wrong(reader, item, key, expected);
}

static struct fault take_texts(const struct reader *reader, const yaml_node_t *node, const char *key,
                               const char *expected, const char ***texts, size_t *count)
{
    *count = item_count(node);
    *texts = arena_take(&reader->spec->arena, (*count + 1) * sizeof **texts);
    if (!*texts)
        return spec_read_out_of_memory(reader);
    for (size_t i = 0; i < *count; i++) {
        FORWARD(take_text(reader, item_at(reader, node, i), key, expected, &(*texts)[i]));
    }
    return *count ? fault_none() : spec_read_wrong(reader, node, key, expected);
}

/* ---- files */

/* Beside the sweep's file, else from the working folder. */
static struct fault find_path(const struct reader *reader, const char *name, const char **made)
{
    const char *const slash = strrchr(reader->spec->path, '/');
    char beside[PATH_TEXT];
    struct stat about;

    if (name[0] != '/' && slash
        && snprintf(beside, sizeof beside, "%.*s%s", (int)(slash - reader->spec->path) + 1, reader->spec->path, name)
               < (int)sizeof beside
        && stat(beside, &about) == 0)
        return spec_read_copy(reader, beside, made);
    return spec_read_copy(reader, name, made);
}

/* A file of a DRAM device or standard is looked for as traces are. */
static struct fault find_device(const struct reader *reader, const char *key, const char **value)
{
    const char *const path = *value + (strncmp(*value, "./", 2) == 0 ? 2 : 0);
    bool const is_file = text_ends_in(key, ".device") || text_ends_in(key, ".standard");

    return is_file && config_is_device_file(*value) ? find_path(reader, path, value) : fault_none();
}

static struct fault take_systems(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    const char *const slash = strrchr(spec->path, '/');
    char folder[PATH_TEXT], path[PATH_TEXT];

    FORWARD(take_texts(reader, node, "system", "a system such as wide, or a list of them", &spec->system_names,
                         &spec->system_count));
    spec->systems = arena_take(&spec->arena, spec->system_count * sizeof *spec->systems);
    if (!spec->systems)
        return spec_read_out_of_memory(reader);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - spec->path) + 1 : 0, spec->path);
    for (size_t i = 0; i < spec->system_count; i++) {
        bool const is_found = config_find(folder, spec->system_names[i], path, sizeof path);

        for (size_t k = 0; k < i; k++)
            if (strcmp(spec->system_names[k], spec->system_names[i]) == 0)
                return spec_read_wrong(reader, item_at(reader, node, i), spec->system_names[i], "each system once");
        FORWARD(spec_read_copy(reader, is_found ? path : spec->system_names[i], &spec->systems[i]));
    }
    return fault_none();
}

/* "gups", or "gups+triad" of several */
static struct fault name_workload(const struct reader *reader, struct spec_workload *workload)
{
    char name[NAME_TEXT] = "";

    for (size_t i = 0; i < workload->path_count; i++) {
        const char *const path = workload->paths[i];
        size_t end = strlen(path), used = strlen(name);

        while (end > 1 && path[end - 1] == '/')
            end--;
        size_t begin = end;
        while (begin > 0 && path[begin - 1] != '/')
            begin--;
        snprintf(name + used, sizeof name - used, "%s%.*s", i ? "+" : "", (int)(end - begin), path + begin);
    }
    return spec_read_copy(reader, name, &workload->name);
}

static struct fault take_workload(struct reader *reader, const yaml_node_t *node, struct spec_workload *workload)
{
    static const char expected[] = "a folder with traces or a store, a list with one for each core, or "
                                   "{name: NAME, traces: ..., instructions: ...}";
    const yaml_node_t *paths = node;
    struct pairs pairs = {.mapping = node};

    workload->line = spec_read_line_of(node);
    if (node->type == YAML_MAPPING_NODE) {
        paths = NULL;
        EACH_PAIR(reader, &pairs) {
            FORWARD(pairs.fault);
            if (strcmp(pairs.key, "traces") == 0)
                paths = pairs.value;
            else if (strcmp(pairs.key, "instructions") == 0 && is_text(pairs.value))
                FORWARD(find_path(reader, spec_read_text_of(pairs.value), &workload->instructions));
            else if (strcmp(pairs.key, "name") != 0 || !is_text(pairs.value) || !*spec_read_text_of(pairs.value))
                return spec_read_wrong(reader, pairs.key_node, pairs.key, expected);
            else
                FORWARD(spec_read_copy(reader, spec_read_text_of(pairs.value), &workload->name));
        }
    }
    if (!paths || paths->type == YAML_MAPPING_NODE)
        return spec_read_wrong(reader, node, "traces", expected);
    FORWARD(take_texts(reader, paths, "traces", expected, &workload->paths, &workload->path_count));
    for (size_t i = 0; i < workload->path_count; i++)
        FORWARD(find_path(reader, workload->paths[i], &workload->paths[i]));
    return workload->name ? fault_none() : name_workload(reader, workload);
}

/* Behind all others. */
static struct fault add_twins(const struct reader *reader)
{
    struct spec *const spec = reader->spec;
    size_t const count = spec->workload_count;

    for (size_t i = 0; i < count; i++) {
        struct spec_workload *const twin = &spec->workloads[spec->workload_count];

        if (!spec->workloads[i].instructions)
            continue;
        *twin = (struct spec_workload){.name = spec->workloads[i].name, .line = spec->workloads[i].line,
                                       .is_twin = true, .path_count = 1,
                                       .paths = arena_take(&spec->arena, sizeof *twin->paths)};
        if (!twin->paths)
            return spec_read_out_of_memory(reader);
        twin->paths[0] = spec->workloads[i].instructions;
        spec->workload_count++;
    }
    return fault_none();
}

static struct fault take_traces(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;

    spec->workload_count = item_count(node);
    spec->workloads = arena_take(&spec->arena, (2 * spec->workload_count + 1) * sizeof *spec->workloads);
    if (!spec->workloads)
        return spec_read_out_of_memory(reader);
    if (spec->workload_count == 0)
        return spec_read_wrong(reader, node, "traces", "a folder with traces, or a list of them");
    for (size_t i = 0; i < spec->workload_count; i++) {
        FORWARD(take_workload(reader, item_at(reader, node, i), &spec->workloads[i]));
        for (size_t k = 0; k < i; k++)
            if (strcmp(spec->workloads[k].name, spec->workloads[i].name) == 0)
                return fault_make(FAULT_INPUT, "%s: traces: another one is called %s, too; give names, such as {name: "
                                  "first, traces: %s}", spec_place(spec, spec->workloads[i].line).text,
                                  config_quote(spec->workloads[i].name).text,
                                  config_quote(spec->workloads[i].paths[0]).text);
    }
    return add_twins(reader);
}

/* ---- settings and axes */
static struct fault take_settings(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    struct pairs pairs = {.mapping = node};

    if (node->type != YAML_MAPPING_NODE)
        return spec_read_wrong(reader, node, "set", "keys and values, such as {cpu.rob: 128}");
    spec->settings = arena_take(&spec->arena, (pair_count(node) + 1) * sizeof *spec->settings);
    if (!spec->settings)
        return spec_read_out_of_memory(reader);
    EACH_PAIR(reader, &pairs) {
        struct spec_setting *const setting = &spec->settings[spec->setting_count++];

        FORWARD(pairs.fault);
        if (!is_text(pairs.value))
            return spec_read_wrong(reader, pairs.value, pairs.key, "one value; several are an axis");
        setting->line = spec_read_line_of(pairs.key_node);
        FORWARD(spec_read_copy(reader, pairs.key, &setting->key));
        FORWARD(spec_read_copy(reader, spec_read_text_of(pairs.value), &setting->value));
        FORWARD(find_device(reader, setting->key, &setting->value));
    }
    return fault_none();
}

static struct fault take_range(struct reader *reader, const yaml_node_t *node, struct spec_axis *axis)
{
    struct axis_range range = {.from = NULL};
    struct { const char *key, **text; } const parts[] = {
        {"from", &range.from}, {"to", &range.to}, {"step", &range.step}, {"times", &range.times}
    };
    struct pairs pairs = {.mapping = node};
    char where[NAME_TEXT];

    EACH_PAIR(reader, &pairs) {
        size_t i = 0;

        FORWARD(pairs.fault);
        while (i < sizeof parts / sizeof parts[0] && strcmp(parts[i].key, pairs.key) != 0)
            i++;
        if (i == sizeof parts / sizeof parts[0] || !is_text(pairs.value))
            return spec_read_wrong(reader, pairs.key_node, axis->key,
                                   "a list of values, or a range with from, to, and step or " "times");
        *parts[i].text = spec_read_text_of(pairs.value);
    }
    snprintf(where, sizeof where, "%s: %s", spec_place(reader->spec, axis->line).text, config_quote(axis->key).text);
    return axis_values(&range, &reader->spec->arena, where, &axis->values, &axis->count);
}

static struct fault take_axis(struct reader *reader, const struct pairs *pairs, struct spec_axis *axis)
{
    struct spec *const spec = reader->spec;

    axis->line = spec_read_line_of(pairs->key_node);
    for (size_t i = 0; i < spec->axis_count; i++)
        if (strcmp(spec->axes[i].key, pairs->key) == 0)
            return fault_make(FAULT_INPUT, "%s: %s: is an axis already, in line %zu; leave one of them",
                              spec_place(spec, axis->line).text, config_quote(pairs->key).text, spec->axes[i].line);
    for (size_t i = 0; i < spec->setting_count; i++)
        if (strcmp(spec->settings[i].key, pairs->key) == 0)
            return fault_make(FAULT_INPUT, "%s: %s: is set for all points in line %zu; leave one of them",
                              spec_place(spec, axis->line).text, config_quote(pairs->key).text, spec->settings[i].line);
    FORWARD(spec_read_copy(reader, pairs->key, &axis->key));
    if (pairs->value->type == YAML_MAPPING_NODE)
        return take_range(reader, pairs->value, axis);
    FORWARD(take_texts(reader, pairs->value, pairs->key, "a list of values, or a range such as {from: 1, to: 32, "
                         "times: 2}", &axis->values, &axis->count));
    for (size_t i = 0; i < axis->count; i++)
        FORWARD(find_device(reader, axis->key, &axis->values[i]));
    return fault_none();
}

/* Axes of one mapping: each a group of its own, or all of them one. */
static struct fault take_axes(struct reader *reader, const yaml_node_t *node, const char *key, bool is_zip)
{
    struct spec *const spec = reader->spec;
    struct pairs pairs = {.mapping = node};

    if (node->type != YAML_MAPPING_NODE)
        return spec_read_wrong(reader, node, key, "keys, each with a list of values or a range");
    EACH_PAIR(reader, &pairs) {
        struct spec_axis *const axis = &spec->axes[spec->axis_count];
        struct spec_group *const group = &spec->groups[spec->group_count];

        FORWARD(pairs.fault);
        FORWARD(take_axis(reader, &pairs, axis));
        if (group->axis_count++ == 0) {
            group->first_axis = spec->axis_count;
            group->levels = axis->count;
        }
        if (axis->count != group->levels)
            return fault_make(FAULT_INPUT, "%s: %s: has %zu values, but %s, with which it varies, %zu; give as many",
                              spec_place(spec, axis->line).text, config_quote(axis->key).text, axis->count,
                              config_quote(spec->axes[group->first_axis].key).text, group->levels);
        spec->axis_count++;
        spec->group_count += !is_zip;
    }
    spec->group_count += is_zip && pair_count(node) > 0;
    return fault_none();
}

static struct fault take_all_axes(struct reader *reader, const yaml_node_t *axes, const yaml_node_t *zip)
{
    struct spec *const spec = reader->spec;
    size_t count = axes ? pair_count(axes) : 0;

    for (size_t i = 0; zip && i < item_count(zip); i++)
        count += pair_count(item_at(reader, zip, i));
    spec->axes = arena_take(&spec->arena, (count + 1) * sizeof *spec->axes);
    spec->groups = arena_take(&spec->arena, (count + 1) * sizeof *spec->groups);
    if (!spec->axes || !spec->groups)
        return spec_read_out_of_memory(reader);
    if (axes)
        FORWARD(take_axes(reader, axes, "axes", false));
    for (size_t i = 0; zip && i < item_count(zip); i++)
        FORWARD(take_axes(reader, item_at(reader, zip, i), "zip", true));
    return fault_none();
}

/* ---- the rest */
static struct fault take_skips(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    const char **texts;
    size_t count;

    FORWARD(take_texts(reader, node, "skip", "a condition such as l2.size < l1d.size, the word refused, or a list of "
                       "them", &texts, &count));
    spec->skips = arena_take(&spec->arena, (count + 1) * sizeof *spec->skips);
    if (!spec->skips)
        return spec_read_out_of_memory(reader);
    for (size_t i = 0; i < count; i++) {
        struct condition *condition;

        if (strcmp(texts[i], "refused") == 0) {
            spec->skips_refused = true;
            continue;
        }
        FORWARD(condition_parse(&condition, &spec->arena, texts[i],
                                  spec_place(spec, spec_read_line_of(item_at(reader, node, i))).text));
        spec->skips[spec->skip_count++] = condition;
    }
    return fault_none();
}

/* A formula, or each name times its number; their sum as text goes into the result file. */
static struct fault add_cost(struct reader *reader, const char *text, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    struct condition *amount;

    FORWARD(amount_parse(&amount, &spec->arena, text, spec_place(spec, spec_read_line_of(node)).text));
    spec->costs[spec->cost_count++] = amount;
    return fault_none();
}

static struct fault take_cost(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    struct pairs pairs = {.mapping = node};
    char sum[PATH_TEXT] = "", term[2 * NAME_TEXT];
    size_t used = 0;

    spec->costs = arena_take(&spec->arena, (pair_count(node) + 1) * sizeof *spec->costs);
    if (!spec->costs)
        return spec_read_out_of_memory(reader);
    if (is_text(node) && *spec_read_text_of(node)) {
        FORWARD(add_cost(reader, spec_read_text_of(node), node));
        return spec_read_copy(reader, spec_read_text_of(node), &spec->cost);
    }
    if (pair_count(node) == 0)
        return spec_read_wrong(reader, node, "cost", "a formula, or names with their prices, such as "
                               "{sram_mm2: 0.9, channel: 12, l2.size: 0.02 per KiB}");
    EACH_PAIR(reader, &pairs) {
        FORWARD(pairs.fault);
        if (!is_text(pairs.value) || !price_term(pairs.key, spec_read_text_of(pairs.value), term, sizeof term))
            return spec_read_wrong(reader, pairs.value, pairs.key, "a price, such as 0.9, or 0.02 per KiB");
        FORWARD(add_cost(reader, term, pairs.key_node));
        used += (size_t)snprintf(sum + used, sizeof sum - used, "%s%s", used ? " + " : "", term);
        if (used >= sizeof sum)
            return spec_read_wrong(reader, node, "cost", "fewer names");
    }
    return spec_read_copy(reader, sum, &spec->cost);
}

static struct fault spec_read_take_number(const struct reader *reader, const yaml_node_t *node, const char *key,
                                          double lowest, double *number)
{
    struct quantity const value = is_text(node) ? quantity_of(spec_read_text_of(node)) : quantity_of("");

    if (value.kind != QUANTITY_NUMBER || !(value.number >= lowest) || value.number > 0x1p53)
        return spec_read_wrong(reader, node, key, lowest > 0 ? "a number above 0" : "a whole number, such as 100000");
    *number = value.number;
    return fault_none();
}

static struct fault take_count(const struct reader *reader, const yaml_node_t *node, const char *key, uint64_t *count)
{
    return is_text(node) && !count_parse(spec_read_text_of(node), count) ? fault_none()
                                                               : spec_read_wrong(reader, node, key, COUNT_EXPECTED);
}

/* A time with its unit, or whole picoseconds, as --until takes it. */
static struct fault take_ticks(const struct reader *reader, const yaml_node_t *node, const char *key, uint64_t *time_ps)
{
    struct quantity const value = is_text(node) ? quantity_of(spec_read_text_of(node)) : quantity_of("");

    if (is_text(node) && !count_parse(spec_read_text_of(node), time_ps))
        return fault_none();
    if (value.kind != QUANTITY_PS || value.number > 0x1p53)
        return spec_read_wrong(reader, node, key, "a time such as 20us, or whole picoseconds");
    *time_ps = (uint64_t)value.number;
    return fault_none();
}

static struct fault take_sample(struct reader *reader, const yaml_node_t *node)
{
    struct spec *const spec = reader->spec;
    struct pairs pairs = {.mapping = node};

    if (node->type != YAML_MAPPING_NODE)
        return spec_read_wrong(reader, node, "sample", "number and seed, such as {points: 100, seed: 1}");
    EACH_PAIR(reader, &pairs) {
        FORWARD(pairs.fault);
        if (strcmp(pairs.key, "points") == 0)
            FORWARD(take_count(reader, pairs.value, "points", &spec->sample_points));
        else if (strcmp(pairs.key, "seed") == 0)
            FORWARD(take_count(reader, pairs.value, "seed", &spec->sample_seed));
        else
            return spec_read_wrong(reader, pairs.key_node, pairs.key, "points or seed here");
    }
    return spec->sample_points ? fault_none() : spec_read_wrong(reader, node, "sample", "points: how many, at least 1");
}

static struct fault take_kernels(const struct reader *reader, const yaml_node_t *node, struct gpu_pick *kernels)
{
    static const char expected[] = "kernels of a GPU's list, counted from 1, such as 3-7,9";
    const char **texts;
    size_t count;

    FORWARD(take_texts(reader, node, "kernels", expected, &texts, &count));
    for (size_t i = 0; i < count; i++)
        if (!gpu_pick_add(kernels, texts[i]))
            return spec_read_wrong(reader, item_at(reader, node, i), "kernels", expected);
    return fault_none();
}

static struct fault take_engine(const struct reader *reader, const yaml_node_t *node, struct engine_options *engine)
{
    return fault_within(engine_parse(is_text(node) ? spec_read_text_of(node) : "", engine), "%s: ",
                        spec_place(reader->spec, spec_read_line_of(node)).text);
}

static struct fault take_latency(const struct reader *reader, const yaml_node_t *node, struct insn_latencies *latencies)
{
    char problem[300];

    if (!is_text(node))
        return spec_read_wrong(reader, node, "latency", "CLASS=CYCLES[,...], such as IntMult=3,IntDiv=20");
    return insn_latencies_parse(latencies, spec_read_text_of(node), problem, sizeof problem)
        ? fault_none()
        : fault_make(FAULT_INPUT, "%s: latency: %s", spec_place(reader->spec, spec_read_line_of(node)).text, problem);
}

static struct fault take_sync(const struct reader *reader, const yaml_node_t *node, bool *is_free)
{
    *is_free = is_text(node) && strcmp(spec_read_text_of(node), "free") == 0;
    return *is_free || (is_text(node) && strcmp(spec_read_text_of(node), "waits") == 0)
        ? fault_none() : spec_read_wrong(reader, node, "sync", "waits or free");
}

static struct fault take_format(const struct reader *reader, const yaml_node_t *node, struct insn_read_options *read)
{
    if (!is_text(node) || insn_format_find(spec_read_text_of(node),
                                           strlen(spec_read_text_of(node))) == INSN_FORMAT_COUNT)
        return spec_read_wrong(reader, node, "format", "a format of instruction traces, such as din");
    insn_read_format(read, spec_read_text_of(node));
    return fault_none();
}

static struct fault take_yes(const struct reader *reader, const yaml_node_t *node, const char *key, bool *is_yes)
{
    const char *const text = is_text(node) ? spec_read_text_of(node) : "";

    *is_yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
    return *is_yes || strcmp(text, "no") == 0 || strcmp(text, "false") == 0 ? fault_none()
                                                                            : spec_read_wrong(reader, node, key,
                                                                                              "yes or no");
}

static struct fault take_optimal(const struct reader *reader, const yaml_node_t *node)
{
    if (!is_text(node) || *spec_read_text_of(node) == '\0')
        return spec_read_wrong(reader, node, "optimal", "a cache, such as l3");
    return spec_read_copy(reader, spec_read_text_of(node), &reader->spec->optimal);
}

/* ---- of samples */
static bool take_percent(const char *text, bool needs_sign, double *percent)
{
    char *end;

    *percent = strtod(text, &end);
    return end > text && (strcmp(end, "%") == 0 || (*end == '\0' && !needs_sign));
}

bool spec_confidence(const char *text, double *percent)
{
    return take_percent(text, false, percent) && *percent >= 50 && *percent < 100;
}

bool spec_until_error(const char *text, double *share)
{
    double percent;
    bool const is_it = take_percent(text, true, &percent) && percent > 0 && percent < 100;

    *share = percent / 100;
    return is_it;
}

static struct fault take_confidence(const struct reader *reader, const yaml_node_t *node, double *percent)
{
    return is_text(node) && spec_confidence(spec_read_text_of(node), percent)
        ? fault_none() : spec_read_wrong(reader, node, "confidence", SPEC_CONFIDENCE_EXPECTED);
}

static struct fault take_warm(const struct reader *reader, const yaml_node_t *node, const char **warm)
{
    const char *const text = is_text(node) ? spec_read_text_of(node) : "";

    *warm = arena_copy(&reader->spec->arena, text, strlen(text));
    return *warm ? fault_none() : spec_read_out_of_memory(reader);
}

static struct fault take_until_error(const struct reader *reader, const yaml_node_t *node, double *share)
{
    return is_text(node) && spec_until_error(spec_read_text_of(node), share)
        ? fault_none() : spec_read_wrong(reader, node, "until_error", SPEC_UNTIL_ERROR_EXPECTED);
}

/* K(key, how it is taken) */
#define SPEC_KEYS(K)                                                                                                  \
    K(system, take_systems(reader, node))                                                                             \
    K(traces, take_traces(reader, node))                                                                              \
    K(set, take_settings(reader, node))                                                                               \
    K(axes, fault_none())                                                                                             \
    K(zip, fault_none())                                                                                              \
    K(skip, take_skips(reader, node))                                                                                 \
    K(cost, take_cost(reader, node))                                                                                  \
    K(sample, take_sample(reader, node))                                                                              \
    K(warmup, take_count(reader, node, "warmup", &limits->warmup_records))                                            \
    K(instructions, take_count(reader, node, "instructions", &limits->instructions))                                  \
    K(records, take_count(reader, node, "records", &limits->max_records))                                             \
    K(until, take_ticks(reader, node, "until", &limits->until_ps))                                                    \
    K(alone, take_yes(reader, node, "alone", &reader->spec->runs_alone))                                              \
    K(optimal, take_optimal(reader, node))                                                                            \
    K(restart, take_yes(reader, node, "restart", &limits->restarts))                                                  \
    K(engine, take_engine(reader, node, &reader->spec->engine))                                                       \
    K(latency, take_latency(reader, node, &reader->spec->reading.insn.latencies))                                     \
    K(format, take_format(reader, node, &reader->spec->reading.insn))                                                 \
    K(sync, take_sync(reader, node, &reader->spec->reading.insn.is_free))                                             \
    K(kernels, take_kernels(reader, node, &limits->kernels))                                                          \
    K(confidence, take_confidence(reader, node, &reader->spec->confidence))                                           \
    K(warm, take_warm(reader, node, &reader->spec->warm))                                                             \
    K(until_error, take_until_error(reader, node, &reader->spec->until_error))                                        \
    K(tick_scale, spec_read_take_number(reader, node, "tick_scale", 1e-9, &limits->tick_scale))

#define KEY_VALUE(key, take) KEY_##key,
enum { SPEC_KEYS(KEY_VALUE) KEY_COUNT };

#define KEY_NAME(key, take) #key,
static const char *const key_names[] = { SPEC_KEYS(KEY_NAME) };

static struct fault unknown_key(const struct reader *reader, const struct pairs *pairs)
{
    size_t nearest = 0;

    for (size_t i = 1; i < KEY_COUNT; i++)
        if (name_distance(pairs->key, key_names[i]) < name_distance(pairs->key, key_names[nearest]))
            nearest = i;
    return fault_make(FAULT_INPUT, "%s: %s: a sweep has no such key; did you mean %s? Keys of a system stand below "
                      "axes, zip or set", spec_place(reader->spec, spec_read_line_of(pairs->key_node)).text,
                      config_quote(pairs->key).text, key_names[nearest]);
}

static struct fault take_key(struct reader *reader, size_t key, const yaml_node_t *node)
{
    struct session_limits *const limits = &reader->spec->limits;

#define KEY_TAKE(key, take) case KEY_##key: return take;
    switch (key) {
        SPEC_KEYS(KEY_TAKE)
    default: return fault_none();
    }
#undef KEY_TAKE
}

static struct fault take_document(struct reader *reader)
{
    const yaml_node_t *const root = yaml_document_get_root_node(reader->document);
    const yaml_node_t *values[KEY_COUNT] = {NULL};
    struct pairs pairs = {.mapping = root};

    if (!root || root->type != YAML_MAPPING_NODE)
        return fault_make(FAULT_INPUT, "%s: expected keys and values: system, traces, axes", reader->spec->path);
    EACH_PAIR(reader, &pairs) {
        size_t key = 0;

        FORWARD(pairs.fault);
        while (key < KEY_COUNT && strcmp(key_names[key], pairs.key) != 0)
            key++;
        if (key == KEY_COUNT)
            return unknown_key(reader, &pairs);
        values[key] = pairs.value;
    }
    for (size_t key = 0; key < KEY_COUNT; key++)
        if (values[key])
            FORWARD(take_key(reader, key, values[key]));
    FORWARD(take_all_axes(reader, values[KEY_axes], values[KEY_zip]));
    if (reader->spec->system_count == 0)
        return fault_make(FAULT_INPUT, "%s: names no system; add one, such as system: wide", reader->spec->path);
    if (reader->spec->workload_count == 0)
        return fault_make(FAULT_INPUT, "%s: names no traces; add some, such as traces: [DIR]", reader->spec->path);
    return fault_none();
}

static struct fault syntax_fault(const struct spec *spec, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return fault_make(FAULT_MEMORY, "%s: out of memory", spec->path);
    return fault_make(FAULT_INPUT, "%s: not valid YAML: %s; check the colons, and the indentation (spaces, no tabs)",
                      spec_place(spec, parser->problem_mark.line + 1).text,
                      parser->problem ? parser->problem : "unknown problem");
}

struct fault spec_parse(struct spec *spec)
{
    struct reader reader = {.spec = spec};
    struct fault fault;
    yaml_parser_t parser;
    yaml_document_t document;

    spec->limits = session_no_limits();
    spec->engine = engine_fast();
    spec->reading = workload_usual_options();
    spec->confidence = SPEC_CONFIDENCE;
    FORWARD(yaml_limits_check(spec->path, spec->text, spec->text_bytes));
    if (!yaml_parser_initialize(&parser))
        return spec_read_out_of_memory(&reader);
    yaml_parser_set_input_string(&parser, (const unsigned char *)spec->text, spec->text_bytes);
    if (!yaml_parser_load(&parser, &document)) {
        fault = syntax_fault(spec, &parser);
    } else {
        reader.document = &document;
        fault = take_document(&reader);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return fault;
}
