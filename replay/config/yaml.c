/* YAML files to configurations. libyaml reads a document into nodes that know their lines; a mapping of ours is applied
 * in this order: includes; the lists cores, caches, memories; every key is checked; the device; the rest as written.
 * So the order of keys in a file does not matter.
 *
 * Not supported: several documents in one file, merge keys (<<), tags (ignored). Files above 1 MiB are refused, so are
 * more than 1 MiB or 100 files of a system together, and what config_limits.h names. */
#include "base/input_file.h"
#include "base/list.h"
#include "replay/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "base/nearest.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/currents.h"
#include "replay/config/device.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

enum { LARGEST_FILE = 1 << 20, FIRST_ROOM = 4096, DEEPEST_INCLUDE = 16, MOST_FILES = 100, PATH_TEXT = 4096 };

/* One file on the way from the user's to the one that is being read. */
struct source {
    struct system_config *config;
    const char *name;                /* as shown in faults */
    const struct source *includer;   /* NULL for the user's file */
    unsigned *files;                 /* read so far, and ... */
    size_t *bytes;                   /* ... their contents; common to all of a configuration */
    dev_t device;
    ino_t inode;                     /* 0: text without a file */
    bool is_device;                  /* of a DRAM device; else of a system */
    yaml_document_t *document;
};

struct where {
    char text[CONFIG_WHERE_TEXT];
};

static struct fault load_file(struct system_config *config, const char *path, const struct source *includer);

/* "file:line"; of a long path the end. */
static struct where yaml_place(const struct source *source, size_t line)
{
    enum { LONGEST = CONFIG_WHERE_TEXT - 32 };
    size_t const length = strlen(source->name);
    char number[24] = "", *digit = number + sizeof number - 1;
    struct where where;
    const char *const end = where.text + sizeof where.text;
    char *to = config_append(where.text, end, length > LONGEST ? "..." : "");

    to = config_append(to, end, length > LONGEST ? source->name + length - LONGEST : source->name);
    for (char *c = where.text; c < to; c++)
        if ((unsigned char)*c < 0x20)
            *c = '?';
    do
        *--digit = (char)('0' + line % 10);
    while (line /= 10);
    *--digit = ':';
    config_append(to, end, digit);
    return where;
}

static struct where yaml_place_of(const struct source *source, const yaml_node_t *node)
{
    return yaml_place(source, node->start_mark.line + 1);
}

static yaml_node_t *node_at(const struct source *source, int index)
{
    return yaml_document_get_node(source->document, index);
}

static const char *scalar_text(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static bool is_plain_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && strlen(scalar_text(node)) == node->data.scalar.length;
}

static const char *yaml_kind_of(const yaml_node_t *node)
{
    if (node->type == YAML_MAPPING_NODE)
        return "keys and values";
    return node->type == YAML_SEQUENCE_NODE ? "a list" : "a text with a zero byte";
}

/* ---- a mapping's keys */
static struct fault check_key(const struct source *source, const struct config_section *section,
                              const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = node_at(source, pair->key);
    char full[CONFIG_KEY_TEXT];

    if (!is_plain_text(key))
        return fault_make(FAULT_INPUT, "%s: a key is %s; expected a word such as size", yaml_place_of(source, key).text,
                          yaml_kind_of(key));
    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; other < pair; other++) {
        const yaml_node_t *earlier = node_at(source, other->key);

        if (strcmp(scalar_text(earlier), scalar_text(key)) != 0)
            continue;
        config_key_text(section, scalar_text(key), full, sizeof full);
        return fault_make(FAULT_INPUT, "%s: %s: given twice, first in line %zu; leave one of them",
                          yaml_place_of(source, key).text, full, earlier->start_mark.line + 1);
    }
    return fault_none();
}

/* The numbered names of --set ("memories.0") are no keys of a file. `is_item`: of the list caches, with a name. */
static struct fault check_known(const struct source *source, const struct config_section *section,
                                const yaml_node_t *key, bool is_item)
{
    struct config_section inner;
    const char *name = scalar_text(key);

    if (config_param_find(section, name) || config_extra_find(section, name) || section->kind == CONFIG_OVERRIDES
        || section->kind == CONFIG_MODULE
        || (section->kind == CONFIG_CURRENTS && strcmp(name, "datasheet") == 0)
        || (is_item && strcmp(name, "name") == 0))
        return fault_none();
    if (!strchr(name, '.') && config_subsection(source->config, section, name, &inner))
        return fault_none();
    return config_unknown_key(source->config, section, name, yaml_place_of(source, key).text);
}

/* The value of a key; NULL if the mapping does not have it. */
static yaml_node_t *yaml_value_of(const struct source *source, const yaml_node_t *mapping, const char *key)
{
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
         pair++) {
        if (strcmp(scalar_text(node_at(source, pair->key)), key) == 0)
            return node_at(source, pair->value);
    }
    return NULL;
}

/* ---- include */
static struct fault include_one(const struct source *source, const yaml_node_t *node)
{
    struct where const where = yaml_place_of(source, node);
    const char *slash = strrchr(source->name, '/');
    char folder[PATH_TEXT], path[PATH_TEXT];

    if (!is_plain_text(node) || !*scalar_text(node))
        return fault_make(FAULT_INPUT, "%s: include: expected a file such as parts/ddr5.yaml, or a list of files",
                          where.text);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - source->name) + 1 : 0, source->name);
    if (!config_find(folder, scalar_text(node), path, sizeof path))
        return fault_make(FAULT_INPUT, "%s: include: %s: no such file, neither beside this one nor among the shipped "
                          "systems", where.text, config_quote(scalar_text(node)).text);
    return load_file(source->config, path, source);
}

static struct fault include_all(const struct source *source, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return include_one(source, node);
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        FORWARD(include_one(source, node_at(source, *item)));
    return fault_none();
}

/* ---- values */
static struct fault apply_mapping(const struct source *source, struct config_section *section,
                                  const yaml_node_t *mapping, bool is_item);

/* A path goes from the folder of the file that names it, else from the working folder. */
static struct fault assign_beside(const struct source *source, struct config_section *section, const char *key,
                                  const char *text, const char *where)
{
    const char *const slash = strrchr(source->name, '/');
    char beside[PATH_TEXT];
    struct stat status;

    if (*text != '/' && slash
        && snprintf(beside, sizeof beside, "%.*s%s", (int)(slash - source->name) + 1, source->name, text)
               < (int)sizeof beside
        && stat(beside, &status) == 0)
        return config_assign(source->config, section, key, beside, where);
    return config_assign(source->config, section, key, text, where);
}

static struct fault apply_section(const struct source *source, struct config_section *section,
                                  const yaml_node_t *value, const char *where)
{
    if (value->type == YAML_MAPPING_NODE) {
        FORWARD(config_make_present(source->config, section, where));
        return apply_mapping(source, section, value, false);
    }
    if (!is_plain_text(value))
        return fault_make(FAULT_INPUT, "%s: %s: expected keys and values, such as %s: ..., found %s", where,
                          section->path, config_example_key(section), yaml_kind_of(value));
    if (section->kind == CONFIG_PREFETCHER && config_is_module_file(scalar_text(value)))
        return assign_beside(source, section, "type", scalar_text(value), where);
    if (*scalar_text(value))
        return config_assign_section(source->config, section, scalar_text(value), where);
    if (section->kind == CONFIG_CACHE && section->index >= CONFIG_FIRST_BEHIND)
        return fault_make(FAULT_INPUT, "%s: %s: is empty; give its keys, or {} for the defaults, or none for no such "
                          "cache", where, section->path);
    return fault_none();                 /* a heading whose keys are all left out */
}

/* Keys whose value may be a list of words. */
static const struct list_key {
    const char *key, *expected, *too_many;
} list_keys[] = {
    {"behind", "names of caches, such as [l1i, l1d]", "names than fit; write l1d for all of the L1Ds instead of one by "
     "one"},
    {"mitigation", "defences against RowHammer, such as [PARA, RFM]", "names than fit; leave some out"},
    {"shared_options", "sizes, such as [0B, 8KiB, 64KiB]", "sizes than fit; leave some out"}
};

static const struct list_key *list_key_find(const char *key)
{
    for (size_t i = 0; i < sizeof list_keys / sizeof list_keys[0]; i++)
        if (strcmp(list_keys[i].key, key) == 0)
            return &list_keys[i];
    return NULL;
}

/* [cpu0.l1i, cpu0.l1d] as "cpu0.l1i, cpu0.l1d" */
static struct fault join_words(const struct source *source, const yaml_node_t *list, const struct list_key *what,
                               const char *full, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        const yaml_node_t *node = node_at(source, *item);

        if (!is_plain_text(node) || !*scalar_text(node))
            return fault_make(FAULT_INPUT, "%s: %s: expected %s", yaml_place_of(source, node).text, full,
                              what->expected);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", scalar_text(node));
        if (used >= size)
            return fault_make(FAULT_INPUT, "%s: %s: more %s", yaml_place_of(source, node).text, full, what->too_many);
    }
    return fault_none();
}

/* The first key that a device must have and that the mapping has not; NULL: none. */
static const struct param_info *missing_key(const struct source *source, const yaml_node_t *mapping)
{
    for (size_t i = 0; i < dram_param_table.count; i++) {
        const struct param_info *const info = &dram_param_table.rows[i];

        if (!config_is_dram_policy(info->key) && !yaml_value_of(source, mapping, info->key))
            return info;
    }
    return NULL;
}

static struct fault apply_value(const struct source *source, struct config_section *section, const char *key,
                                const yaml_node_t *value)
{
    struct where const where = yaml_place_of(source, value);
    const struct param_info *info = config_param_find(section, key);
    const struct list_key *list_key = list_key_find(key);
    char full[CONFIG_KEY_TEXT], expected[CONFIG_EXPECTED_TEXT], names[CONFIG_BEHIND_TEXT];

    if (is_plain_text(value) && section->kind == CONFIG_MEMORY
        && (strcmp(key, "device") == 0 || strcmp(key, "standard") == 0))
        return config_is_device_file(scalar_text(value))
            ? assign_beside(source, section, key, scalar_text(value), where.text)
            : config_assign(source->config, section, key, scalar_text(value), where.text);
    if (is_plain_text(value) && info && config_module_of(source->config, section, info)
        && config_is_module_file(scalar_text(value)))
        return assign_beside(source, section, key, scalar_text(value), where.text);
    if (is_plain_text(value))
        return config_assign(source->config, section, key, scalar_text(value), where.text);
    config_key_text(section, key, full, sizeof full);
    if (list_key && value->type == YAML_SEQUENCE_NODE) {
        FORWARD(join_words(source, value, list_key, full, names, sizeof names));
        return config_assign(source->config, section, key, names, where.text);
    }
    snprintf(expected, sizeof expected, "the name of a device");
    if (info)
        units_expected(info->unit, expected, sizeof expected);
    else if (strcmp(key, "device") != 0)
        snprintf(expected, sizeof expected, "one value");
    return fault_make(FAULT_INPUT, "%s: %s: expected %s, found %s", where.text, full, expected, yaml_kind_of(value));
}

/* ---- lists */

/* An item with keys, or an empty one; anything else is refused. */
static struct fault check_item(const struct source *source, const yaml_node_t *item, const char *list,
                               const char *example)
{
    if (item->type == YAML_MAPPING_NODE)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: %s: expected items with keys and values, such as {%s}",
                      yaml_place_of(source, item).text, list, example);
}

static struct fault check_list(const struct source *source, const yaml_node_t *list, const char *name, size_t most,
                               const char *example)
{
    struct where const where = yaml_place_of(source, list);
    size_t count;

    if (list->type != YAML_SEQUENCE_NODE)
        return fault_make(FAULT_INPUT, "%s: %s: expected a list such as [{%s}], found %s", where.text, name, example,
                          list->type == YAML_SCALAR_NODE ? "a text" : yaml_kind_of(list));
    count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    if (count == 0 || count > most)
        return fault_make(FAULT_INPUT, "%s: %s: a list of %zu; give 1 to %zu items", where.text, name, count, most);
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++)
        FORWARD(check_item(source, node_at(source, *item), name, example));
    return fault_none();
}

static struct fault apply_cores(const struct source *source, const yaml_node_t *list)
{
    struct system_config *config = source->config;
    struct where const where = yaml_place_of(source, list);
    struct config_section top = config_top_section();

    if (is_plain_text(list))
        return config_assign(config, &top, "cores", scalar_text(list), where.text);
    FORWARD(check_list(source, list, "cores", CONFIG_MAX_CORES, "rob: 192, offset: 256MiB"));
    memset(config->cores, 0, sizeof config->cores);
    config->core_count = 0;
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        struct config_section section = config_core_section(config->core_count++);

        FORWARD(apply_mapping(source, &section, node_at(source, *item), false));
    }
    return fault_none();
}

static struct fault apply_memories(const struct source *source, const yaml_node_t *list)
{
    struct system_config *config = source->config;

    FORWARD(check_list(source, list, "memories", CONFIG_MAX_MEMORIES, "device: DDR4_2400_8x8, size: 1GiB"));
    memset(config->memories, 0, sizeof config->memories);
    config->memory_count = (unsigned)(list->data.sequence.items.top - list->data.sequence.items.start);
    for (unsigned i = 0; i < config->memory_count; i++)
        config_memory_defaults(&config->memories[i], false);
    for (unsigned i = 0; i < config->memory_count; i++) {
        struct config_section section = config_memory_section(config, i);

        FORWARD(apply_mapping(source, &section, node_at(source, list->data.sequence.items.start[i]), false));
    }
    return fault_none();
}

/* Letters, digits and _; not a word with another meaning in a file or in a report. */
static bool is_cache_name(const char *name)
{
    static const char *const taken[] = {"cpu", "gpu", "mem", "system", "cache_bus"};
    struct config_section const top = config_top_section();
    size_t const length = strlen(name);

    if (length == 0 || length > CONFIG_LONGEST_NAME || !(name[0] >= 'a' && name[0] <= 'z') ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strncmp(name, taken[i], strlen(taken[i])) == 0)
            return false;
    return !config_param_find(&top, name) && !config_extra_find(&top, name);
}

static struct fault apply_cache_item(const struct source *source, const yaml_node_t *list,
                                     const yaml_node_item_t *place_in_list)
{
    const yaml_node_t *item = node_at(source, *place_in_list);
    struct where const where = yaml_place_of(source, item);
    struct config_section section = {.kind = CONFIG_CACHE, .path = "caches", .table = &cache_param_table};
    unsigned index;

    for (const yaml_node_pair_t *pair = item->data.mapping.pairs.start; pair < item->data.mapping.pairs.top; pair++)
        FORWARD(check_key(source, &section, item, pair));

    const yaml_node_t *name = yaml_value_of(source, item, "name");
    if (!name || !is_plain_text(name))
        return fault_make(FAULT_INPUT, "%s: caches: an item has no name; give one, such as name: l2a", where.text);
    if (!is_cache_name(scalar_text(name)))
        return fault_make(FAULT_INPUT, "%s: caches: \"%s\" cannot be the name of a cache; give up to %d small "
                          "letters, digits and _, such as l2a, and no other key's name", yaml_place_of(source,
                                                                                                       name).text,
                          config_quote(scalar_text(name)).text, CONFIG_LONGEST_NAME);
    for (const yaml_node_item_t *other = list->data.sequence.items.start; other < place_in_list; other++) {
        const yaml_node_t *earlier = yaml_value_of(source, node_at(source, *other), "name");

        if (strcmp(scalar_text(earlier), scalar_text(name)) == 0)
            return fault_make(FAULT_INPUT, "%s: caches: %s: given twice, first in line %zu; leave one of them",
                              yaml_place_of(source, name).text, scalar_text(name), earlier->start_mark.line + 1);
    }
    FORWARD(config_cache_begin(source->config, scalar_text(name), where.text, &index));
    section = config_cache_section(source->config, index);
    return apply_mapping(source, &section, item, true);
}

static struct fault apply_caches(const struct source *source, const yaml_node_t *list)
{
    FORWARD(check_list(source, list, "caches", CONFIG_MAX_CACHES, "name: l2a, behind: [cpu0.l1i, cpu0.l1d]"));
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++)
        FORWARD(apply_cache_item(source, list, item));
    return fault_none();
}

/* The keys of the top level that decide which other keys there are. */
static struct fault apply_lists(const struct source *source, const yaml_node_t *mapping)
{
    const yaml_node_t *include = yaml_value_of(source, mapping, "include");
    const yaml_node_t *cores = yaml_value_of(source, mapping, "cores");
    const yaml_node_t *caches = yaml_value_of(source, mapping, "caches");
    const yaml_node_t *memories = yaml_value_of(source, mapping, "memories");

    if (include)
        FORWARD(include_all(source, include));
    if (cores)
        FORWARD(apply_cores(source, cores));
    if (caches)
        FORWARD(apply_caches(source, caches));
    if (memories && yaml_value_of(source, mapping, "memory"))
        return fault_make(FAULT_INPUT, "%s: memories: given beside memory; put that into the list",
                          yaml_place_of(source, memories).text);
    return memories ? apply_memories(source, memories) : fault_none();
}

static bool is_list(const struct config_section *section, const char *key)
{
    return section->kind == CONFIG_SYSTEM && config_extra_find(section, key);
}

/* Does the section itself have all values of its device? So `config show` writes a device of the user's own, whose name
 * needs no file then. */
static bool is_own_device(const struct source *source, const struct config_section *section, const yaml_node_t *mapping)
{
    const yaml_node_t *const device = section->kind == CONFIG_MEMORY ? yaml_value_of(source, mapping, "device") : NULL;
    const yaml_node_t *const dram = device ? yaml_value_of(source, mapping, "dram") : NULL;

    return dram && dram->type == YAML_MAPPING_NODE && is_plain_text(device)
        && config_is_own_device(scalar_text(device)) && !missing_key(source, dram);
}

/* Keys that bring several values come first: `policy`, then `device`. */
static struct fault apply_keys(const struct source *source, struct config_section *section,
                               const yaml_node_t *mapping, bool is_item)
{
    static const char *const first[] = {"policy", "device"};
    bool const is_memory = section->kind == CONFIG_MEMORY, is_own = is_own_device(source, section, mapping);
    struct memory_params *const memory = is_memory ? &source->config->memories[section->index] : NULL;

    for (size_t i = 0; i < sizeof first / sizeof *first && is_memory; i++) {
        const yaml_node_t *const value = yaml_value_of(source, mapping, first[i]);

        if (value && i == 1 && is_own)
            config_name_own_device(memory, scalar_text(value));
        else if (value)
            FORWARD(apply_value(source, section, first[i], value));
    }
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key_node = node_at(source, pair->key);
        const yaml_node_t *value = node_at(source, pair->value);
        const char *key = scalar_text(key_node);
        struct where const where = yaml_place_of(source, key_node);
        struct config_section inner;

        if (is_list(section, key) || (is_item && strcmp(key, "name") == 0)
            || (is_memory && (strcmp(key, first[0]) == 0 || strcmp(key, first[1]) == 0)))
            continue;
        if (section->kind == CONFIG_SYSTEM)
            FORWARD(config_check_single(source->config, key, where.text));
        if (config_subsection(source->config, section, key, &inner))
            FORWARD(apply_section(source, &inner, value, where.text));
        else
            FORWARD(apply_value(source, section, key, value));
    }
    if (is_own)
        memory->of_device = memory->dram;
    return fault_none();
}

/* is_item: of the list caches, whose keys were already checked, except the names. */
static struct fault apply_mapping(const struct source *source, struct config_section *section,
                                  const yaml_node_t *mapping, bool is_item)
{
    const yaml_node_pair_t *end = mapping->data.mapping.pairs.top;

    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < end && !is_item; pair++)
        FORWARD(check_key(source, section, mapping, pair));
    if (section->kind == CONFIG_SYSTEM)
        FORWARD(apply_lists(source, mapping));
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < end; pair++)
        FORWARD(check_known(source, section, node_at(source, pair->key), is_item));
    return apply_keys(source, section, mapping, is_item);
}

/* ---- documents */
static struct fault syntax_fault(const struct source *source, const yaml_parser_t *parser)
{
    size_t const line = parser->problem_mark.line + 1;
    const char *problem = parser->problem ? parser->problem : "unknown problem";

    if (parser->error == YAML_MEMORY_ERROR)
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", yaml_place(source, line).text);
    if (parser->error == YAML_READER_ERROR)
        return fault_make(FAULT_INPUT, "%s: byte %zu: %s; expected plain UTF-8 text", yaml_place(source, line).text,
                          parser->problem_offset, problem);
    return fault_make(FAULT_INPUT, "%s: not valid YAML: %s; check the colons, and the indentation (spaces, no tabs)",
                      yaml_place(source, line).text, problem);
}

/* The currents of a device go together, too. */
static struct fault check_currents(const struct source *source, const yaml_node_t *root)
{
    const struct memory_params *const memory = &source->config->memories[0];
    const yaml_node_t *const node = yaml_value_of(source, root, "currents");
    struct energy_conditions const conditions = currents_conditions(&memory->dram, &memory->dram);
    struct energy_device device;

    if (!node)
        return fault_none();
    return fault_within(energy_device_init(&device, &memory->currents, &conditions, "currents"), "%s: ",
                        yaml_place_of(source, node).text);
}

/* A device has each key, and values that go together. */
static struct fault apply_device(const struct source *source, const yaml_node_t *root)
{
    struct dram_params *const dram = &source->config->memories[0].dram;
    struct config_section section = config_dram_section(source->config, 0);
    char problem[CONFIG_EXPECTED_TEXT], example[UNITS_TEXT];
    const struct param_info *missing;
    const char *key;

    section.path[0] = '\0';
    config_table_defaults(dram, &dram_param_table);
    FORWARD(apply_mapping(source, &section, root, false));
    missing = missing_key(source, root);
    if (missing) {
        units_format(missing->unit, missing->fallback, 0, example, sizeof example);
        return fault_make(FAULT_INPUT, "%s: %s is missing: %s; give it, such as %s: %s", yaml_place(source, 1).text,
                          missing->key, missing->help, missing->key, example);
    }
    key = config_device_problem(dram, problem, sizeof problem);
    if (key)
        return fault_make(FAULT_INPUT, "%s: %s: %s", yaml_place_of(source, yaml_value_of(source, root, key)).text,
                          key, problem);
    return check_currents(source, root);
}

static struct fault apply_document(struct source *source, yaml_document_t *document)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);

    source->document = document;
    if (!root)
        return fault_make(FAULT_INPUT, "%s: holds no settings; write at least one key, such as %s",
                          yaml_place(source, 1).text, source->is_device ? "tCK: 1250ps" : "include: default");
    if (root->type != YAML_MAPPING_NODE)
        return fault_make(FAULT_INPUT, "%s: expected keys and values such as %s, found %s",
                          yaml_place_of(source, root).text, source->is_device ? "tCK: 1250ps" : "line: 64B",
                          root->type == YAML_SCALAR_NODE ? "a text" : yaml_kind_of(root));

    if (source->is_device)
        return apply_device(source, root);

    struct config_section top = config_top_section();
    return apply_mapping(source, &top, root, false);
}

/* The rest of the input must hold no second document. */
static struct fault check_end(const struct source *source, yaml_parser_t *parser)
{
    yaml_document_t document;
    struct fault fault = fault_none();

    if (!yaml_parser_load(parser, &document))
        return syntax_fault(source, parser);
    if (yaml_document_get_root_node(&document))
        fault = fault_make(FAULT_INPUT, "%s: a second document begins; give each system a file of its own",
                           yaml_place(source, document.start_mark.line + 1).text);
    yaml_document_delete(&document);
    return fault;
}

static struct fault load_text(struct source *source, const char *text, size_t length)
{
    yaml_parser_t parser;
    yaml_document_t document;
    struct fault fault = yaml_limits_check(source->name, text, length);

    if (fault.kind != FAULT_NONE)
        return fault;
    if (!yaml_parser_initialize(&parser))
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", yaml_place(source, 1).text);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (!yaml_parser_load(&parser, &document)) {
        fault = syntax_fault(source, &parser);
    } else {
        bool const has_root = yaml_document_get_root_node(&document);

        fault = apply_document(source, &document);
        if (fault.kind == FAULT_NONE && has_root)
            fault = check_end(source, &parser);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return fault;
}

/* ---- files */
static struct fault check_includers(const struct source *source)
{
    unsigned depth = 0;

    for (const struct source *outer = source->includer; outer; outer = outer->includer) {
        if (outer->inode && outer->inode == source->inode && outer->device == source->device)
            return fault_make(FAULT_INPUT, "%s: include: this file includes itself%s%s; take one of the includes out",
                              yaml_place(outer, 1).text, outer == source->includer ? "" : " through ",
                              outer == source->includer ? "" : config_quote(source->includer->name).text);
        if (++depth > DEEPEST_INCLUDE)
            return fault_make(FAULT_INPUT, "%s: include: more than %d files deep; include fewer",
                              yaml_place(source, 1).text, DEEPEST_INCLUDE);
    }
    return fault_none();
}

/* Room grows with the file: most have less than a page. */
static bool read_text(FILE *file, char **text, size_t *length)
{
    size_t room = 0;

    *text = NULL;
    *length = 0;
    while (*length == room && room <= LARGEST_FILE) {
        if (!list_resize(text, room = room ? 4 * room : FIRST_ROOM, 1))
            return false;
        *length += fread(*text + *length, 1, room - *length, file);
    }
    return true;
}

/* Copies a file embedded in the program. */
static struct fault copy_shipped(const struct shipped_file *file, char **text, size_t *length)
{
    *length = file->length;
    *text = malloc(file->length + 1);
    if (!*text)
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", file->name);
    memcpy(*text, file->bytes, file->length);
    return fault_none();
}

struct fault config_file_text(const char *path, char **text, size_t *length)
{
    FILE *file = input_file_fopen(path);

    *text = NULL;
    if (!file && shipped_of_path(path))
        return copy_shipped(shipped_of_path(path), text, length);

    if (!file)
        return fault_make(FAULT_INPUT, "%s: cannot be opened: %s", config_quote(path).text, strerror(errno));
    bool const has_memory = read_text(file, text, length);
    bool const failed = ferror(file) != 0;
    input_file_fclose(file);
    if (has_memory && !failed && *length <= LARGEST_FILE)
        return fault_none();
    free(*text);
    if (!has_memory)
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", config_quote(path).text);
    return fault_make(FAULT_INPUT, "%s: %s", config_quote(path).text,
                      failed ? "cannot be read" : "is larger than 1 MiB; expected a YAML file of a system or a device");
}

static struct fault load_file(struct system_config *config, const char *path, const struct source *includer)
{
    unsigned own_files = 0;
    size_t own_bytes = 0;
    struct source source = {.config = config, .name = path, .includer = includer,
                            .files = includer ? includer->files : &own_files,
                            .bytes = includer ? includer->bytes : &own_bytes};
    struct stat status;
    char *text = NULL;
    size_t length = 0;

    if (stat(path, &status) == 0) {
        source.device = status.st_dev;
        source.inode = status.st_ino;
    } else if (!shipped_of_path(path)) {
        return fault_make(FAULT_INPUT, "%s: cannot be opened: %s", config_quote(path).text, strerror(errno));
    }
    FORWARD(check_includers(&source));
    if (++*source.files > MOST_FILES)
        return fault_make(FAULT_INPUT, "%s: include: more than %d files in all; include fewer",
                          yaml_place(includer, 1).text, MOST_FILES);
    FORWARD(config_file_text(path, &text, &length));
    *source.bytes += length;
    struct fault const fault = *source.bytes <= LARGEST_FILE ? load_text(&source, text, length)
        : fault_make(FAULT_INPUT, "%s: include: more than 1 MiB in all; include fewer files",
                     yaml_place(includer, 1).text);
    free(text);
    return fault;
}

/* The nearest of the shipped systems. */
struct shipped_search {
    struct nearest nearest;
    char name[256];                      /* of the nearest, as names live only while they are shown */
};

static bool offer_shipped(void *context, const char *name, const char *path)
{
    struct shipped_search *const search = context;

    (void)path;
    nearest_offer(&search->nearest, name);
    if (search->nearest.name == name) {
        snprintf(search->name, sizeof search->name, "%s", name);
        search->nearest.name = search->name;
    }
    return true;
}

static struct fault unknown_system(const char *name)
{
    struct shipped_search search = {.nearest = nearest_to(name)};
    char question[300];

    config_each_shipped(offer_shipped, &search);
    return fault_make(FAULT_INPUT, "%s: no such file, and no shipped system of that name%s `rubato config list` shows "
                      "all", config_quote(name).text,
                      *nearest_question(&search.nearest, question, sizeof question) ? question : ";");
}

struct fault config_load(struct system_config *config, const char *path)
{
    char found[PATH_TEXT];
    struct stat status;

    if (!config_find("", path, found, sizeof found)) {
        if (stat(path, &status) == 0)
            return fault_make(FAULT_INPUT, "%s: is not a file; expected a YAML file or the name of a shipped system "
                                           "such as default", config_quote(path).text);
        return unknown_system(path);
    }
    config_set_name(config, found);
    return load_file(config, found, NULL);
}

struct fault config_include(struct system_config *config, const char *name, const char *where)
{
    char found[PATH_TEXT];

    if (!config_find("", name, found, sizeof found))
        return fault_make(FAULT_INPUT, "%s: include: %s: no such file, and no shipped system or core of that name; "
                          "give one such as core/zen4", where, config_quote(name).text);
    return load_file(config, found, NULL);
}

struct fault config_load_device(struct system_config *config, const char *path)
{
    unsigned files = 1;
    struct source source = {.config = config, .name = path, .files = &files, .is_device = true};
    char *text;
    size_t length;

    FORWARD(config_file_text(path, &text, &length));
    struct fault const fault = load_text(&source, text, length);
    free(text);
    return fault;
}

struct fault config_load_text(struct system_config *config, const char *name, const char *text, size_t length)
{
    unsigned files = 1;
    size_t bytes = length;
    struct source source = {.config = config, .name = name, .files = &files, .bytes = &bytes};

    config_set_name(config, name);
    return load_text(&source, text, length);
}
