/* A text that grows, for what the configuration shows. Use: start with {0}, add, hand over with config_text_finish.
 * Out of memory is kept until then. */
#ifndef REPLAY_CONFIG_TEXT_H
#define REPLAY_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "memsys/fault.h"

struct config_text {
    char *data;
    size_t length, capacity;
    bool failed;                     /* out of memory: all that follows is dropped */
    bool is_plain;                   /* without comments and empty lines; for who adds to it */
};

void config_text_add(struct config_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The pieces one after the other, up to a NULL. */
void config_text_append(struct config_text *text, const char *const *pieces);
/* Each line of `lines` with `prefix` before it. */
void config_text_add_lines(struct config_text *text, const char *prefix, const char *lines);
/* *data is the caller's to free, NULL on failure. */
struct fault config_text_finish(struct config_text *text, char **data);

#endif
