/* Sets of traces with weights, and which of both kinds of files a set of regions is.
 *
 * Format: YAML, one key `regions` with the keys of `keys` below; paths are taken from the file's folder. Weights that
 * do not add up to 1 within 0.1 % are refused, others scaled to 1. Weights and files are lists of their own in the
 * file, so regions are made when both are known. */
#include "replay/regions/region_set.h"
#include "replay/regions/trace_mark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/count.h"
#include "base/input_file.h"
#include "base/list.h"
#include "base/path.h"
#include "replay/config/config_text.h"

#define WEIGHTS_OFF 1e-3
enum { MOST_BYTES = 1 << 20 };

struct reader {
    struct region_set *set;
    const char *path;
    yaml_document_t *document;
    const yaml_node_t *files, *weights;
    uint64_t instructions, warmup, program;
};

static uint64_t trace_set_line(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static const char *trace_set_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && strlen((const char *)node->data.scalar.value) == node->data.scalar.length
        ? (const char *)node->data.scalar.value : NULL;
}

static const yaml_node_t *trace_set_node(const struct reader *reader, int index)
{
    return yaml_document_get_node(reader->document, index);
}

/* ---- keys */
static struct fault take_list(struct reader *reader, const yaml_node_t *node, const char *key,
                              const yaml_node_t **list)
{
    if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.start == node->data.sequence.items.top)
        return fault_at_line(reader->path, trace_set_line(node), "%s: expected a list, such as [a, b]", key);
    *list = node;
    return fault_none();
}

static struct fault take_files(struct reader *reader, const yaml_node_t *node)
{
    return take_list(reader, node, "files", &reader->files);
}

static struct fault take_weights(struct reader *reader, const yaml_node_t *node)
{
    return take_list(reader, node, "weights", &reader->weights);
}

static struct fault take_count(const struct reader *reader, const yaml_node_t *node, const char *key, uint64_t least,
                               uint64_t *number)
{
    const char *const text = trace_set_text(node);

    return text && count_parse(text, number) == NULL && *number >= least
        ? fault_none() : fault_at_line(reader->path, trace_set_line(node), "%s %.60s; expected a whole number%s, such "
                                       "as 200M", key, text ? text : "is no number", least > 0 ? " above 0" : "");
}

static struct fault take_instructions(struct reader *reader, const yaml_node_t *node)
{
    return take_count(reader, node, "instructions", 1, &reader->instructions);
}

static struct fault take_warmup(struct reader *reader, const yaml_node_t *node)
{
    return take_count(reader, node, "warmup", 0, &reader->warmup);
}

static struct fault take_program(struct reader *reader, const yaml_node_t *node)
{
    return take_count(reader, node, "program", 1, &reader->program);
}

static const struct { const char *name; struct fault (*take)(struct reader *reader, const yaml_node_t *node); }
keys[] = {
    {"files", take_files},               /* traces */
    {"weights", take_weights},           /* of each, in their order */
    {"instructions", take_instructions}, /* that count, of each */
    {"warmup", take_warmup},             /* before these, of each; 0 if absent */
    {"program", take_program}            /* instructions of the whole program; those of all files if absent */
};

static struct fault trace_set_take_key(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
    const char *const name = trace_set_text(key);

    for (size_t i = 0; name && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(name, keys[i].name) == 0)
            return keys[i].take(reader, value);
    return fault_at_line(reader->path, trace_set_line(key), "key %.60s; expected files, weights, instructions, warmup "
                         "or program", name ? name : "that is no text");
}

/* ---- regions */
static struct fault take_weight(const struct reader *reader, const yaml_node_t *node, double *weight)
{
    const char *const text = trace_set_text(node);
    char *end;

    *weight = text ? strtod(text, &end) : 0;
    return text && *text && *end == '\0' && *weight > 0 && *weight <= 1
        ? fault_none() : fault_at_line(reader->path, trace_set_line(node), "weight %.60s; expected a number above 0, "
                                       "at most 1", text ? text : "that is no number");
}

static struct fault add_trace(struct reader *reader, const yaml_node_t *file, double weight)
{
    struct region_set *const set = reader->set;
    const char *const name = trace_set_text(file);
    struct region region = {.warmup = reader->warmup, .instructions = reader->instructions, .weight = weight,
                            .stratum = (uint32_t)set->stratum_count};
    uint64_t bytes;

    if (!name || !*name)
        return fault_at_line(reader->path, trace_set_line(file), "files: expected the path of a trace");
    free(set->trace);
    set->trace = strdup(name);
    region.trace = set->trace ? region_set_trace_path(set, reader->path) : NULL;
    if (!region.trace || !list_fit(&set->strata, set->stratum_count + 1, &set->stratum_room, sizeof *set->strata)
        || !list_fit(&set->regions, set->count + 1, &set->room, sizeof *set->regions)) {
        free(region.trace);
        return fault_memory(reader->path, NULL);
    }
    set->strata[set->stratum_count++] = (struct region_stratum){.intervals = 1};
    set->regions[set->count++] = region;
    return trace_mark(region.trace, &bytes, &set->regions[set->count - 1].trace_hash);
}

static struct fault add_traces(struct reader *reader)
{
    const yaml_node_item_t *const files = reader->files->data.sequence.items.start;
    const yaml_node_item_t *const weights = reader->weights->data.sequence.items.start;
    size_t const count = (size_t)(reader->files->data.sequence.items.top - files);
    double sum = 0, weight;

    if (reader->weights->data.sequence.items.top - weights != (ptrdiff_t)count)
        return fault_at_line(reader->path, trace_set_line(reader->weights), "weights: %zu of them; expected %zu, as "
                             "there are files", (size_t)(reader->weights->data.sequence.items.top - weights), count);
    for (size_t i = 0; i < count; i++) {
        FORWARD(take_weight(reader, trace_set_node(reader, weights[i]), &weight));
        FORWARD(add_trace(reader, trace_set_node(reader, files[i]), weight));
        sum += weight;
    }
    for (size_t i = 0; i < count; i++)
        reader->set->regions[i].weight /= sum;
    return fabs(sum - 1) <= WEIGHTS_OFF
        ? fault_none() : fault_at_line(reader->path, trace_set_line(reader->weights), "weights add up to %.6f; "
                                       "expected 1, within 0.001", sum);
}

/* The set's own trace is the first one, of which the kind is asked. */
static struct fault finish_set(struct reader *reader)
{
    struct region_set *const set = reader->set;
    const char *const first = trace_set_text(trace_set_node(reader, *reader->files->data.sequence.items.start));

    set->method = REGIONS_GIVEN;
    set->interval = reader->instructions;
    set->instructions = reader->program > 0 ? reader->program : reader->instructions * set->count;
    free(set->trace);
    set->trace = strdup(first);
    return set->trace ? trace_mark(set->regions[0].trace, &set->trace_bytes, &set->trace_hash)
                      : fault_memory(reader->path, NULL);
}

static struct fault take_document(struct reader *reader)
{
    const yaml_node_t *const root = yaml_document_get_root_node(reader->document);
    const yaml_node_pair_t *pair = root && root->type == YAML_MAPPING_NODE ? root->data.mapping.pairs.start : NULL;
    const yaml_node_t *const about = pair ? trace_set_node(reader, pair->value) : NULL;

    if (!about || about->type != YAML_MAPPING_NODE || root->data.mapping.pairs.top - pair != 1)
        return fault_at_line(reader->path, 1, "expected one key, regions, with files, weights and instructions");
    for (pair = about->data.mapping.pairs.start; pair < about->data.mapping.pairs.top; pair++)
        FORWARD(trace_set_take_key(reader, trace_set_node(reader, pair->key), trace_set_node(reader, pair->value)));
    if (!reader->files || !reader->weights || reader->instructions == 0)
        return fault_at_line(reader->path, trace_set_line(about), "%s is missing; expected %s",
                             !reader->files ? "files" : !reader->weights ? "weights" : "instructions",
                             !reader->files ? "a list of traces" : !reader->weights ? "a list, a weight for each file"
                             : "how many of each file count, behind warmup");
    FORWARD(add_traces(reader));
    return finish_set(reader);
}

/* ---- the file */
static struct fault parse(struct reader *reader, const char *text, size_t length)
{
    struct fault fault = fault_memory(reader->path, NULL);
    yaml_document_t document;
    yaml_parser_t parser;

    FORWARD(yaml_limits_check(reader->path, text, length));
    if (!yaml_parser_initialize(&parser))
        return fault;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (yaml_parser_load(&parser, &document)) {
        reader->document = &document;
        fault = take_document(reader);
        yaml_document_delete(&document);
    } else if (parser.error != YAML_MEMORY_ERROR) {
        fault = fault_at_line(reader->path, parser.problem_mark.line + 1, "not valid YAML: %s; check the colons, and "
                              "the indentation (spaces, no tabs)", parser.problem ? parser.problem : "unknown problem");
    }
    yaml_parser_delete(&parser);
    return fault;
}

static struct fault read_traces(struct region_set *set, const char *path)
{
    struct reader reader = {.set = set, .path = path};
    FILE *const file = input_file_fopen(path);
    char *const text = malloc(MOST_BYTES);
    struct fault fault = fault_at(path, FAULT_NO_OFFSET, "cannot be read");
    size_t length;

    if (!text)
        fault = fault_memory(path, NULL);
    else if (file && (length = fread(text, 1, MOST_BYTES, file)) < MOST_BYTES)
        fault = parse(&reader, text, length);
    else if (file)
        fault = fault_at(path, MOST_BYTES, "more than 1 MiB; expected a list of traces with weights");
    if (file)
        input_file_fclose(file);
    free(text);
    return fault;
}

/* Is its first line that is no comment `regions:`? */
static bool are_traces(const char *path)
{
    FILE *const file = path_is_folder(path) || path_is_pipe(path) ? NULL : input_file_fopen(path);
    char line[128] = "";
    bool is_set;

    if (!file)
        return false;
    do {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
    } while (line[0] == '#' || line[0] == '\n' || strcmp(line, "---\n") == 0);
    is_set = strncmp(line, "regions:", 8) == 0;
    input_file_fclose(file);
    return is_set;
}

bool region_set_is_file(const char *path)
{
    return region_set_is_text(path) || are_traces(path);
}

struct fault region_set_read(struct region_set *set, const char *path)
{
    *set = (struct region_set){0};
    return are_traces(path) ? read_traces(set, path) : region_set_read_text(set, path);
}
