/* Parts of the import of Ramulator's configurations (ramulator.h) among themselves; ChampSim's (champsim_import.h) uses
 * those that read and note. */
#ifndef REPLAY_CONFIG_RAMULATOR_PARTS_H
#define REPLAY_CONFIG_RAMULATOR_PARTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

#include "base/fault.h"

struct system_config;

struct ramulator {
    struct system_config *config;
    const char *name;                    /* of the file */
    yaml_document_t document;
    char *notes;
    size_t note_count, notes_room;
    uint64_t tx_bytes;                   /* of an access; of ramulator_take_device */
};

struct fault ramulator_wrong(const struct ramulator *import, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const yaml_node_t *ramulator_node(struct ramulator *import, int index);
/* Value of a key of a mapping; NULL: it has none, or is no mapping. */
const yaml_node_t *ramulator_find(struct ramulator *import, const yaml_node_t *node, const char *key);
/* Of a scalar; "" otherwise. */
const char *ramulator_text(const yaml_node_t *node);
/* Are two nodes alike, but for keys `id`? depth: 0. */
bool ramulator_is_same(struct ramulator *import, const yaml_node_t *one, const yaml_node_t *other, unsigned depth);
/* False: the text is no YAML, or there is no memory for it. */
bool ramulator_load(yaml_document_t *document, const char *text, size_t length);
struct fault ramulator_note(struct ramulator *import, const yaml_node_t *node, const char *what, const char *why);
/* Sets memory.KEY. */
struct fault ramulator_set(struct ramulator *import, const yaml_node_t *node, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The device: standard, presets, overrides; *channels is multiplied by those that 2.0 has in it. */
struct fault ramulator_take_device(struct ramulator *import, const yaml_node_t *node, uint64_t *channels);

/* Bytes of a channel that addresses reach, when the controller is known, too; 0: not a device. */
uint64_t ramulator_channel_bytes(const struct ramulator *import);

#endif
