/* A text that grows.
 *
 * Use: begin with {0}; append; set length to 0 to use it again; free(at) at the end. There is no final zero.
 * Errors: without memory `failed` is set, and the text is lost. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *at;
    size_t length, room;
    bool failed;
};

/* Makes room for `count` more bytes; false: there is no memory. */
bool text_grow(struct text *text, size_t count);

/* Inline, since texts are put together from small pieces. */
static inline void text_put_bytes(struct text *text, const void *bytes, size_t count)
{
    if (text->room - text->length < count && !text_grow(text, count))
        return;
    if (count > 0)
        memcpy(text->at + text->length, bytes, count);
    text->length += count;
}

static inline void text_put(struct text *text, const char *string)
{
    text_put_bytes(text, string, strlen(string));
}

/* Closes a stream of open_memstream; false, and *text is NULL, if memory ran out. */
bool text_stream_close(FILE *stream, char **text);

/* The reference's names for members of a list: one alone carries no number, several as many digits as their count
 * needs. */
void text_member_name(char *text, size_t size, const char *name, unsigned number, unsigned count);

/* Decimal. */
void text_put_number(struct text *text, uint64_t number);

#endif
