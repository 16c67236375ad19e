/* One pass over libyaml's events, which end as soon as a limit is reached. */
#include "replay/config/yaml_limits.h"

#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "replay/config/internal.h"

/* What is open, from the document inwards. */
struct nest {
    unsigned depth, nodes;
    unsigned children[YAML_DEEPEST + 1];     /* keys and values count one each */
};

/* What a limit says; NULL: none is reached. */
static const char *count(struct nest *nest, const yaml_event_t *event)
{
    bool const opens = event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;

    if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT)
        nest->depth--;
    if (!opens && event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return NULL;
    if (++nest->nodes > YAML_MOST_NODES)
        return "more than 20000 keys and values; leave some out";
    if (++nest->children[nest->depth] > 2 * YAML_MOST_KEYS)
        return "more than 4000 keys, or 8000 items, in one place; leave some out";
    if (!opens)
        return NULL;
    if (nest->depth == YAML_DEEPEST)
        return "more than 32 levels, one in the other; expected a few";
    nest->children[++nest->depth] = 0;
    return NULL;
}

struct fault yaml_limits_check(const char *name, const char *text, size_t length)
{
    struct nest nest = {.depth = 0};
    const char *limit = NULL;
    bool goes_on = true;
    size_t line = 0;
    yaml_parser_t parser;
    yaml_event_t event;

    if (!yaml_parser_initialize(&parser))
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", config_quote(name).text);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    while (goes_on && !limit && yaml_parser_parse(&parser, &event)) {
        limit = count(&nest, &event);
        line = event.start_mark.line + 1;
        goes_on = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return limit ? fault_make(FAULT_INPUT, "%s:%zu: %s", config_quote(name).text, line, limit) : fault_none();
}
