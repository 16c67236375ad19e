/* What the parts of the import of Ramulator's configurations share: nodes of the text, faults with lines, notes. */
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/config.h"
#include "replay/config/ramulator_parts.h"

struct fault ramulator_wrong(const struct ramulator *import, const yaml_node_t *node, const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fault_at_line(import->name, node->start_mark.line + 1, "%s", text);
}

const yaml_node_t *ramulator_node(struct ramulator *import, int index)
{
    return yaml_document_get_node(&import->document, index);
}

const yaml_node_t *ramulator_find(struct ramulator *import, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
        if (strcmp(ramulator_text(ramulator_node(import, pair->key)), key) == 0)
            return ramulator_node(import, pair->value);
    return NULL;
}

const char *ramulator_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

struct fault ramulator_note(struct ramulator *import, const yaml_node_t *node, const char *what, const char *why)
{
    size_t const more = strlen(what) + strlen(why) + 40, length = import->notes ? strlen(import->notes) : 0;

    if (!list_fit(&import->notes, length + more, &import->notes_room, 1))
        return fault_memory(import->name, "its notes");
    snprintf(import->notes + length, more, "# line %zu, %s: %s\n", node->start_mark.line + 1, what, why);
    import->note_count++;
    return fault_none();
}

struct fault ramulator_set(struct ramulator *import, const yaml_node_t *node, const char *key, const char *format, ...)
{
    char value[200], assignment[300], where[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(assignment, sizeof assignment, "memory.%s=%s", key, value);
    snprintf(where, sizeof where, "%.200s:%zu", import->name, node->start_mark.line + 1);
    return config_set_from(import->config, assignment, where);
}
