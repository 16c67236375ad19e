#include "replay/config/import_nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/config.h"

enum { DEEPEST_COMPARED = 16 };

struct fault nodes_wrong(const struct nodes *import, const yaml_node_t *node, const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fault_at_line(import->name, node->start_mark.line + 1, "%s", text);
}

const yaml_node_t *nodes_node(struct nodes *import, int index)
{
    return yaml_document_get_node(&import->document, index);
}

const yaml_node_t *nodes_find(struct nodes *import, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
        if (strcmp(nodes_text(nodes_node(import, pair->key)), key) == 0)
            return nodes_node(import, pair->value);
    return NULL;
}

const char *nodes_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

struct fault nodes_note(struct nodes *import, const yaml_node_t *node, const char *what, const char *why)
{
    size_t const more = strlen(what) + strlen(why) + 40, length = import->notes ? strlen(import->notes) : 0;

    if (!list_fit(&import->notes, length + more, &import->notes_room, 1))
        return fault_memory(import->name, "its notes");
    snprintf(import->notes + length, more, "# line %zu, %s: %s\n", node->start_mark.line + 1, what, why);
    import->note_count++;
    return fault_none();
}

struct fault nodes_set(struct nodes *import, const yaml_node_t *node, const char *key, const char *format, ...)
{
    char value[200], assignment[300], where[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(assignment, sizeof assignment, "%s%s=%s", import->prefix, key, value);
    snprintf(where, sizeof where, "%.200s:%zu", import->name, node->start_mark.line + 1);
    return config_set_from(import->config, assignment, where);
}

bool nodes_is_same(struct nodes *import, const yaml_node_t *one, const yaml_node_t *other, unsigned depth)
{
    if (one->type != other->type || depth > DEEPEST_COMPARED)
        return false;
    if (one->type == YAML_SCALAR_NODE)
        return strcmp(nodes_text(one), nodes_text(other)) == 0;
    if (one->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *a = one->data.sequence.items.start, *b = other->data.sequence.items.start;

        for (; a < one->data.sequence.items.top && b < other->data.sequence.items.top; a++, b++)
            if (!nodes_is_same(import, nodes_node(import, *a), nodes_node(import, *b), depth + 1))
                return false;
        return a == one->data.sequence.items.top && b == other->data.sequence.items.top;
    }
    for (const yaml_node_pair_t *pair = one->data.mapping.pairs.start; pair < one->data.mapping.pairs.top; pair++) {
        const char *const key = nodes_text(nodes_node(import, pair->key));
        const yaml_node_t *const value = nodes_find(import, other, key);

        if (strcmp(key, "id") != 0
            && (!value || !nodes_is_same(import, nodes_node(import, pair->value), value, depth + 1)))
            return false;
    }
    return true;
}

bool nodes_load(yaml_document_t *document, const char *text, size_t length)
{
    yaml_parser_t parser;
    bool is_loaded;

    if (!yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    is_loaded = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
    return is_loaded;
}
