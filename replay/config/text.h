/* A text that grows. Use: start with {0}, add, hand over with config_text_finish.
 * Out of memory is kept until then. */
#ifndef REPLAY_CONFIG_TEXT_H
#define REPLAY_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct config_text {
    char *data;
    size_t length, capacity;
    bool failed;                     /* out of memory: all that follows is dropped */
    bool is_compact;                   /* without comments and empty lines; for those who add to it */
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

#endif
