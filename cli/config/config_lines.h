/* A system as lines "key, value" with whole keys, such as l2.size, which `diff` and the view compare.
 *
 * Use: begin with {0}; config_lines_read the compact YAML of a system; config_lines_free also after a failure.
 * Ownership: texts are copied. */
#ifndef CLI_CONFIG_CONFIG_LINES_H
#define CLI_CONFIG_CONFIG_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/common/table.h"

struct config_line {
    char *key, *value;
};

struct config_lines {
    struct config_line *list;
    size_t count, room;
    struct arena arena;
    bool is_out_of_memory;
};

/* False: there is no memory. */
bool config_lines_read(struct config_lines *lines, const char *yaml);
/* NULL: there is no such key. */
const char *config_lines_find(const struct config_lines *lines, const char *key);
void config_lines_free(struct config_lines *lines);

/* `rubato config list`: the shipped systems, a line each: name, cores, caches, memory, and a description, which is the
 * first sentence of its file. */

/* Prints them; an exit code. */
int config_list_print(enum table_form form);

/* `rubato config show --cost`: what the SRAMs of a finished system cost, a line each; an exit code. */
struct system_config;
int config_cost_print(const struct system_config *config, enum table_form form);

#endif
