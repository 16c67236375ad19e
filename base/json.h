/* Writer of JSON.
 *
 * Use: begin with {.file = FILE}, or with {0} to keep the text; json_begin_object, then json_key and a value for each
 * member (json_put_*: both at once); json_begin_array, then its values; json_end for each of them. A value that is
 * finished on the outermost level goes to the file with a newline, and the next one may follow: JSON lines.
 * Strings are UTF-8 and written as they are, with the escapes that JSON demands, and with those of characters that
 * may do harm on a terminal (base/harmless.h); a byte that is no UTF-8 becomes the character of its number. Numbers
 * are exact; some readers round above 2^53.
 * Ownership: free(json.text.at) at the end, json_close for a writer with a
 * file. Errors: without memory text.failed is set, and the text is lost; the file's own are those of ferror. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdio.h>

#include "base/text.h"

/* How members of an object or array are separated: lines with `indent` spaces at their beginnings, or, if that is
 * less than 0, nothing or a space. The closing bracket has a line of its own, `end` spaces in, unless `end` is -1. */
struct json_layout {
    signed char indent, end;
};

#define JSON_TIGHT ((struct json_layout){-2, -1})        /* {"a":1,"b":2} */
#define JSON_SPACED ((struct json_layout){-1, -1})       /* {"a": 1, "b": 2} */
#define JSON_LINES(indent, end) ((struct json_layout){(indent), (end)})

enum { JSON_LEVELS = 10 };

struct json_level {
    char end;
    struct json_layout layout;
    bool has_members;
};

struct json {
    FILE *file;
    struct text text;
    unsigned depth;
    struct json_level levels[JSON_LEVELS];
    bool has_key;                        /* the next value is its */
};

void json_begin_object(struct json *json, struct json_layout layout);
void json_begin_array(struct json *json, struct json_layout layout);
void json_end(struct json *json);
/* Writes the rest to the file, and frees the memory. False: text.failed. */
bool json_close(struct json *json);

void json_key(struct json *json, const char *key);
void json_write_string(struct json *json, const char *string);      /* NULL: null */
/* Bytes of any encoding: those above 126 become \u007f to \u00ff. */
void json_write_bytes(struct json *json, const char *bytes);
void json_write_number(struct json *json, uint64_t number);
void json_write_signed(struct json *json, int64_t number);
/* `digits` significant ones; null if it is not finite. */
void json_write_real(struct json *json, double number, int digits);
/* Unchanged: the caller's bytes are a number of JSON. */
void json_write_digits(struct json *json, const char *digits);
void json_write_bool(struct json *json, bool is);

void json_put_string(struct json *json, const char *key, const char *string);
void json_put_number(struct json *json, const char *key, uint64_t number);
void json_put_real(struct json *json, const char *key, double number, int digits);
void json_put_bool(struct json *json, const char *key, bool is);
/* An object or array that is the value of a key. */
void json_put_object(struct json *json, const char *key, struct json_layout layout);
void json_put_array(struct json *json, const char *key, struct json_layout layout);
/* An array of numbers in one line. */
void json_put_numbers(struct json *json, const char *key, const uint64_t *numbers, size_t count);

#endif
