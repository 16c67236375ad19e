/* Input is checked in full: places of components and fields, and that the words of a sample are those of its fields,
 * one after the other. */
#include "replay/record/telemetry_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define FORMAT "rubato telemetry"
#define VERSION 1
#define MAX_WORDS (UINT32_C(1) << 24)

/* ---- writing */

static void put_index(struct json *json, const char *key, uint32_t index)
{
    json_key(json, key);
    json_write_signed(json, index == TELEMETRY_NONE ? -1 : (int64_t)index);
}

static void put_named(struct json *json, const char *key, const char *value)
{
    json_put_string(json, key, value ? value : "");
}

static void put_names(struct json *json, const char *key, const char *const *names, uint32_t count)
{
    json_put_array(json, key, JSON_TIGHT);
    for (uint32_t i = 0; i < count; i++)
        json_write_string(json, names[i] ? names[i] : "");
    json_end(json);
}

static void put_field(struct json *json, const struct telemetry_field *field)
{
    json_begin_object(json, JSON_TIGHT);
    json_put_number(json, "component", field->component);
    put_named(json, "name", field->name);
    put_named(json, "kind", telemetry_kind_name(field->kind));
    put_named(json, "unit", field->unit);
    put_named(json, "help", field->help);
    json_put_number(json, "first", field->first);
    json_put_number(json, "count", field->count);
    if (field->limit)
        json_put_number(json, "limit", field->limit);
    if (field->element_names)
        put_names(json, "elements", field->element_names, field->count);
    if (field->state_names)
        put_names(json, "states", field->state_names, field->state_count);
    json_end(json);
}

static void put_layout(struct json *json, const struct telemetry *telemetry, uint64_t interval_ps)
{
    json_begin_object(json, JSON_TIGHT);
    json_put_string(json, "format", FORMAT);
    json_put_number(json, "version", VERSION);
    json_put_number(json, "interval_ps", interval_ps);
    json_put_number(json, "words", telemetry->word_count);
    json_put_array(json, "components", JSON_TIGHT);
    for (uint32_t i = 0; i < telemetry->component_count; i++) {
        const struct telemetry_component *const component = &telemetry->components[i];

        json_begin_object(json, JSON_TIGHT);
        put_named(json, "name", component->name);
        put_named(json, "part", telemetry_part_name(component->part));
        put_index(json, "parent", component->parent);
        json_end(json);
    }
    json_end(json);
    json_put_array(json, "links", JSON_TIGHT);
    for (uint32_t i = 0; i < telemetry->link_count; i++) {
        const struct telemetry_link *const link = &telemetry->links[i];

        json_begin_object(json, JSON_TIGHT);
        json_put_number(json, "from", link->from);
        json_put_number(json, "to", link->to);
        put_index(json, "field", link->field);
        json_put_number(json, "element", link->element);
        json_end(json);
    }
    json_end(json);
    json_put_array(json, "fields", JSON_TIGHT);
    for (uint32_t i = 0; i < telemetry->field_count; i++)
        put_field(json, &telemetry->fields[i]);
    json_end(json);
    json_end(json);
}

struct fault telemetry_text_write(const struct telemetry *telemetry, uint64_t interval_ps, char **text)
{
    struct json json = {0};

    *text = NULL;
    put_layout(&json, telemetry, interval_ps);
    text_put_bytes(&json.text, "", 1);
    if (json.text.failed) {
        free(json.text.at);
        return fault_make(FAULT_MEMORY, "out of memory for the layout of samples");
    }
    *text = json.text.at;
    return fault_none();
}

/* ---- reading */

static struct fault telemetry_text_wrong(const char *list, size_t index, const char *key, const char *expected)
{
    return fault_make(FAULT_INPUT, "layout of samples: %s[%zu].%s: expected %s", list, index, key, expected);
}

static bool telemetry_text_take_number(const json_t *value, const char *key, uint64_t limit, uint32_t *number)
{
    const json_t *const of = json_object_get(value, key);
    json_int_t const found = json_integer_value(of);

    if (!json_is_integer(of) || found < -1 || (found >= 0 && (uint64_t)found >= limit))
        return false;
    *number = found < 0 ? TELEMETRY_NONE : (uint32_t)found;
    return true;
}

static unsigned telemetry_text_find_name(const char *name, const char *(*name_of)(unsigned), unsigned count)
{
    unsigned at = 0;

    while (name && at < count && strcmp(name_of(at), name) != 0)
        at++;
    return name ? at : count;
}

static const char *part_name(unsigned part)
{
    return telemetry_part_name((enum telemetry_part)part);
}

static const char *kind_name(unsigned kind)
{
    return telemetry_kind_name((enum telemetry_kind)kind);
}

static const char *telemetry_text_text_of(const json_t *value, const char *key)
{
    return json_string_value(json_object_get(value, key));
}

static struct fault take_components(struct telemetry *layout, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const value = json_array_get(list, i);
        unsigned const part = telemetry_text_find_name(telemetry_text_text_of(value, "part"), part_name,
                                                       TELEMETRY_PART_COUNT);
        uint32_t parent;

        if (!telemetry_text_text_of(value, "name"))
            return telemetry_text_wrong("components", i, "name", "a text");
        if (part == TELEMETRY_PART_COUNT)
            return telemetry_text_wrong("components", i, "part", "a part such as cache");
        if (!telemetry_text_take_number(value, "parent", i, &parent))
            return telemetry_text_wrong("components", i, "parent", "the place of one before it, or -1");
        telemetry_add_component(layout, (enum telemetry_part)part, parent, telemetry_text_text_of(value, "name"));
    }
    return fault_none();
}

/* NULL, with has_failed false: there is no such list. */
static const char **take_names(const json_t *value, const char *key, size_t count, bool *has_failed)
{
    const json_t *const list = json_object_get(value, key);
    size_t const size = json_array_size(list);
    const char **names;

    *has_failed = list != NULL;
    if (!list || size == 0 || (count && size != count))
        return NULL;
    names = malloc(size * sizeof *names);
    for (size_t i = 0; names && i < size; i++) {
        names[i] = json_string_value(json_array_get(list, i));
        if (!names[i]) {
            free(names);
            return NULL;
        }
    }
    *has_failed = !names;
    return names;
}

static struct fault telemetry_text_take_field(struct telemetry_text *read, const json_t *value, size_t i)
{
    struct telemetry *const layout = &read->layout;
    struct telemetry_field field = {.name = telemetry_text_text_of(value, "name"),
        .unit = telemetry_text_text_of(value, "unit"), .help = telemetry_text_text_of(value, "help")};
    unsigned const kind = telemetry_text_find_name(telemetry_text_text_of(value, "kind"), kind_name,
                                                   TELEMETRY_KIND_COUNT);
    bool has_failed;
    uint32_t first;

    if (!field.name || !field.unit || !field.help)
        return telemetry_text_wrong("fields", i, "name", "name, unit and help");
    if (kind == TELEMETRY_KIND_COUNT)
        return telemetry_text_wrong("fields", i, "kind", "a kind such as counter");
    if (!telemetry_text_take_number(value, "component", layout->component_count, &field.component)
        || field.component == TELEMETRY_NONE)
        return telemetry_text_wrong("fields", i, "component", "the place of a component");
    if (telemetry_find(layout, field.component, field.name))
        return fault_make(FAULT_INPUT, "layout of samples: fields[%zu].name: expected a name that the component has no "
                          "other field of; %.80s is there twice", i, field.name);
    if (!telemetry_text_take_number(value, "count", MAX_WORDS, &field.count) || field.count == 0
        || field.count == TELEMETRY_NONE) return telemetry_text_wrong("fields", i, "count", "at least 1");
    if (!telemetry_text_take_number(value, "first", MAX_WORDS, &first) || first != layout->word_count
        || field.count > MAX_WORDS - first)
        return telemetry_text_wrong("fields", i, "first", "the word behind the field before it");
    field.kind = (enum telemetry_kind)kind;
    field.limit = (uint64_t)json_integer_value(json_object_get(value, "limit"));
    read->name_lists[2 * i] = take_names(value, "elements", field.count, &has_failed);
    if (has_failed)
        return telemetry_text_wrong("fields", i, "elements", "a name for each element");
    read->name_lists[2 * i + 1] = take_names(value, "states", 0, &has_failed);
    if (has_failed)
        return telemetry_text_wrong("fields", i, "states", "names");
    field.element_names = read->name_lists[2 * i];
    field.state_names = read->name_lists[2 * i + 1];
    field.state_count = (uint32_t)json_array_size(json_object_get(value, "states"));
    telemetry_add(layout, &field);
    return fault_none();
}

static struct fault take_links(struct telemetry *layout, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const value = json_array_get(list, i);
        struct telemetry_link link;

        if (!telemetry_text_take_number(value, "from", layout->component_count, &link.from)
            || link.from == TELEMETRY_NONE) return telemetry_text_wrong("links", i, "from", "the place of a component");
        if (!telemetry_text_take_number(value, "to", layout->component_count, &link.to) || link.to == TELEMETRY_NONE)
            return telemetry_text_wrong("links", i, "to", "the place of a component");
        if (!telemetry_text_take_number(value, "field", layout->field_count, &link.field))
            return telemetry_text_wrong("links", i, "field", "the place of a field, or -1");
        if (!telemetry_text_take_number(value, "element", link.field == TELEMETRY_NONE ? 1
                                        : layout->fields[link.field].count,
                                        &link.element) || link.element == TELEMETRY_NONE)
            return telemetry_text_wrong("links", i, "element", "one of the field's");
        telemetry_link(layout, &link);
    }
    return fault_none();
}

static struct fault take_layout(struct telemetry_text *read, const json_t *root)
{
    const json_t *const fields = json_object_get(root, "fields");
    const char *const format = telemetry_text_text_of(root, "format");
    uint32_t words;

    if (!format || strcmp(format, FORMAT) != 0)
        return fault_make(FAULT_INPUT, "layout of samples: format: expected \"" FORMAT "\"");
    if (json_integer_value(json_object_get(root, "version")) != VERSION)
        return fault_make(FAULT_INPUT, "layout of samples: version: expected %d; record it again with this rubato",
                          VERSION);
    read->interval_ps = (uint64_t)json_integer_value(json_object_get(root, "interval_ps"));
    read->name_lists = calloc(2 * json_array_size(fields) + 1, sizeof *read->name_lists);
    if (!read->name_lists)
        return fault_make(FAULT_MEMORY, "out of memory for the layout of samples");
    FORWARD(take_components(&read->layout, json_object_get(root, "components")));
    for (size_t i = 0; i < json_array_size(fields) && !read->layout.lacks_memory; i++)
        FORWARD(telemetry_text_take_field(read, json_array_get(fields, i), i));
    FORWARD(take_links(&read->layout, json_object_get(root, "links")));
    if (!telemetry_text_take_number(root, "words", MAX_WORDS + 1, &words) || words != read->layout.word_count)
        return fault_make(FAULT_INPUT, "layout of samples: words: expected %u, which its fields have",
                          read->layout.word_count);
    return telemetry_freeze(&read->layout);
}

struct fault telemetry_text_read(struct telemetry_text *read, const char *text, size_t length)
{
    json_error_t error;
    struct fault fault;

    *read = (struct telemetry_text){.root = json_loadb(text, length, 0, &error)};
    telemetry_init(&read->layout);
    if (!read->root)
        return fault_make(FAULT_INPUT, "layout of samples: byte %d: %s", error.position, error.text);
    fault = take_layout(read, read->root);
    if (fault.kind != FAULT_NONE)
        telemetry_text_free(read);
    return fault;
}

void telemetry_text_free(struct telemetry_text *read)
{
    for (uint32_t i = 0; read->name_lists && i < 2 * json_array_size(json_object_get(read->root, "fields")); i++)
        free(read->name_lists[i]);
    free(read->name_lists);
    telemetry_free(&read->layout);
    json_decref(read->root);
    *read = (struct telemetry_text){0};
}
