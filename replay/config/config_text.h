/* A text that grows. Use: start with {0}, add, hand over with config_text_finish.
 * Out of memory is kept until then. */
#ifndef REPLAY_CONFIG_CONFIG_TEXT_H
#define REPLAY_CONFIG_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct config_text {
    char *data;
    size_t length, capacity;
    bool failed;                     /* out of memory: all that follows is dropped */
    bool is_compact;                   /* without comments and empty lines; for callers that add to it */
};

void config_text_add(struct config_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `length` characters as they are. */
void config_text_put(struct config_text *text, const char *from, size_t length);
/* The pieces one after the other, up to a NULL. */
void config_text_append(struct config_text *text, const char *const *pieces);
/* Each line of `lines` with `prefix` before it. */
void config_text_add_lines(struct config_text *text, const char *prefix, const char *lines);
/* *data is the caller's to free, NULL on failure. */
struct fault config_text_finish(struct config_text *text, char **data);

/* How large and how deep a YAML document may be, before libyaml makes nodes of it: its time grows with the square of
 * the depth, ours with that of the keys of a mapping. Files made by hand or by `config show` stay far below.
 *
 * Keeps no pointers. Errors: FAULT_INPUT with the line number; malformed YAML is reported later, by the loader. */

enum { YAML_DEEPEST = 32, YAML_MOST_NODES = 20000, YAML_MOST_KEYS = 4000 };    /* keys: of one mapping */

/* `name`: of the file, for faults. */
struct fault yaml_limits_check(const char *name, const char *text, size_t length);

/* The shipped systems and DRAM devices as bytes of the program. Systems are taken from here where no folder configs
 * lies beside it, devices always.
 *
 * Files have names as below configs/, "laptop.yaml" or "core/zen4.yaml". Where a path is expected, such a file is
 * SHIPPED_FOLDER and its name; a real file of that path comes before it. Ownership: constant tables. */

#define SHIPPED_FOLDER "built-in/"

struct shipped_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/* In the order of their names; NULL past the last. */
const struct shipped_file *shipped_at(size_t index);
/* Names of the files of dram/, without folder and ending, in their order; NULL past the last. */
const char *shipped_device_at(size_t index);
/* NULL if no shipped system has that name. */
const struct shipped_file *shipped_find(const char *name);
/* Of a path that begins with SHIPPED_FOLDER, otherwise NULL; steps up (..) are followed. */
const struct shipped_file *shipped_of_path(const char *path);

#endif
