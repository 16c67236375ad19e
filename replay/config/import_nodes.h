/* What importers of YAML and JSON share: the text as nodes, faults with lines, keys of the system that they set, notes.
 *
 * Use: fill in config, name and prefix; nodes_load; nodes_find and others from yaml_document_get_root_node;
 * yaml_document_delete. Ownership: the notes are the caller's, to free. */
#ifndef REPLAY_CONFIG_IMPORT_NODES_H
#define REPLAY_CONFIG_IMPORT_NODES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

#include "base/fault.h"

struct system_config;

struct nodes {
    struct system_config *config;
    const char *name;                    /* of the file */
    const char *prefix;                  /* of keys that nodes_set sets, such as "memory." */
    yaml_document_t document;
    char *notes;
    size_t note_count, notes_room;
};

/* False: the text is no YAML, or there is no memory for it. */
bool nodes_load(yaml_document_t *document, const char *text, size_t length);
struct fault nodes_wrong(const struct nodes *import, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const yaml_node_t *nodes_node(struct nodes *import, int index);
/* Value of a key of a mapping; NULL: it has none, or is no mapping. */
const yaml_node_t *nodes_find(struct nodes *import, const yaml_node_t *node, const char *key);
/* Of a scalar; "" otherwise. */
const char *nodes_text(const yaml_node_t *node);
/* Are two nodes alike, but for keys `id`? depth: 0. */
bool nodes_is_same(struct nodes *import, const yaml_node_t *one, const yaml_node_t *other, unsigned depth);
struct fault nodes_note(struct nodes *import, const yaml_node_t *node, const char *what, const char *why);
struct fault nodes_set(struct nodes *import, const yaml_node_t *node, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
