/* The object or array decides how its members are separated. The file gets whole values, or large
 * pieces of them. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/harmless.h"

enum { PIECE_BYTES = 1 << 16 };

static bool is_tight(const struct json *json)
{
    return json->levels[json->depth - 1].layout.indent == JSON_TIGHT.indent;
}

static void json_flush(struct json *json)
{
    if (json->text.length > 0)
        fwrite(json->text.at, 1, json->text.length, json->file);
    json->text.length = 0;
}

static void new_line(struct json *json, int spaces)
{
    text_put(&json->text, "\n");
    while (spaces-- > 0)
        text_put(&json->text, " ");
}

/* Separator before a key, or before a value without one. */
static void begin_member(struct json *json)
{
    if (json->has_key || json->depth == 0) {
        json->has_key = false;
        return;
    }

    struct json_level *const level = &json->levels[json->depth - 1];

    if (level->has_members)
        text_put(&json->text, level->layout.indent == JSON_SPACED.indent ? ", " : ",");
    if (level->layout.indent >= 0)
        new_line(json, level->layout.indent);
    level->has_members = true;
    if (json->file && json->text.length >= PIECE_BYTES)
        json_flush(json);
}

static void end_value(struct json *json)
{
    if (json->depth > 0 || !json->file)
        return;
    text_put(&json->text, "\n");
    json_flush(json);
}

static void begin_level(struct json *json, const char *begin, char end, struct json_layout layout)
{
    begin_member(json);
    assert(json->depth < JSON_LEVELS);
    text_put(&json->text, begin);
    json->levels[json->depth++] = (struct json_level){.end = end, .layout = layout};
}

void json_begin_object(struct json *json, struct json_layout layout)
{
    begin_level(json, "{", '}', layout);
}

void json_begin_array(struct json *json, struct json_layout layout)
{
    begin_level(json, "[", ']', layout);
}

void json_end(struct json *json)
{
    assert(json->depth > 0 && !json->has_key);

    struct json_level const *const level = &json->levels[--json->depth];

    if (level->layout.end >= 0 && level->has_members)
        new_line(json, level->layout.end);
    text_put_bytes(&json->text, &level->end, 1);
    end_value(json);
}

bool json_close(struct json *json)
{
    bool const good = !json->text.failed;

    if (json->file)
        json_flush(json);
    free(json->text.at);
    json->text = (struct text){0};
    return good;
}

/* ---- values */

static void put_escape(struct json *json, uint32_t character)
{
    char escape[12];

    snprintf(escape, sizeof escape, character == '"' || character == '\\' ? "\\%c" : "\\u%04x", (unsigned)character);
    text_put(&json->text, escape);
}

/* Writes the characters beyond plain ASCII from `at` on; as bytes, each is a character of its own. Returns the
 * position behind them. Harmful characters have four digits. */
static const char *put_special(struct json *json, const char *at, bool is_bytes)
{
    size_t const left = is_bytes ? 1 : strlen(at);
    uint32_t character = (unsigned char)*at;
    size_t const bytes = harmless_character(at, left, &character);
    bool const is_plain = bytes > 1 && harmless_bytes(at, bytes) == bytes;

    if (is_plain)
        text_put_bytes(&json->text, at, bytes);
    else
        put_escape(json, bytes ? character : (unsigned char)*at);
    return at + (bytes ? bytes : 1);
}

static inline void put_quoted(struct json *json, const char *string, bool is_bytes)
{
    const char *at = string;

    text_put_bytes(&json->text, "\"", 1);
    for (;; string = at) {
        while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
            at++;
        text_put_bytes(&json->text, string, (size_t)(at - string));
        if (*at == '\0')
            break;
        at = put_special(json, at, is_bytes);
    }
    text_put_bytes(&json->text, "\"", 1);
}

void json_key(struct json *json, const char *key)
{
    assert(json->depth > 0 && json->levels[json->depth - 1].end == '}' && !json->has_key);
    begin_member(json);
    put_quoted(json, key, false);
    text_put(&json->text, is_tight(json) ? ":" : ": ");
    json->has_key = true;
}

static void json_put_word(struct json *json, const char *word)
{
    begin_member(json);
    text_put(&json->text, word);
    end_value(json);
}

void json_write_string(struct json *json, const char *string)
{
    if (!string) {
        json_put_word(json, "null");
        return;
    }
    begin_member(json);
    put_quoted(json, string, false);
    end_value(json);
}

void json_write_bytes(struct json *json, const char *bytes)
{
    begin_member(json);
    put_quoted(json, bytes, true);
    end_value(json);
}

void json_write_number(struct json *json, uint64_t number)
{
    begin_member(json);
    text_put_number(&json->text, number);
    end_value(json);
}

void json_write_signed(struct json *json, int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%lld", (long long)number);
    json_put_word(json, digits);
}

void json_write_real(struct json *json, double number, int digits)
{
    char text[40];

    snprintf(text, sizeof text, "%.*g", digits, number);
    json_put_word(json, isfinite(number) ? text : "null");
}

void json_write_digits(struct json *json, const char *digits)
{
    json_put_word(json, digits);
}

void json_write_bool(struct json *json, bool is)
{
    json_put_word(json, is ? "true" : "false");
}

/* ---- members */

void json_put_string(struct json *json, const char *key, const char *string)
{
    json_key(json, key);
    json_write_string(json, string);
}

void json_put_number(struct json *json, const char *key, uint64_t number)
{
    json_key(json, key);
    json_write_number(json, number);
}

void json_put_real(struct json *json, const char *key, double number, int digits)
{
    json_key(json, key);
    json_write_real(json, number, digits);
}

void json_put_bool(struct json *json, const char *key, bool is)
{
    json_key(json, key);
    json_write_bool(json, is);
}

void json_put_object(struct json *json, const char *key, struct json_layout layout)
{
    json_key(json, key);
    json_begin_object(json, layout);
}

void json_put_array(struct json *json, const char *key, struct json_layout layout)
{
    json_key(json, key);
    json_begin_array(json, layout);
}

void json_put_numbers(struct json *json, const char *key, const uint64_t *numbers, size_t count)
{
    json_put_array(json, key, is_tight(json) ? JSON_TIGHT : JSON_SPACED);
    for (size_t i = 0; i < count; i++)
        json_write_number(json, numbers[i]);
    json_end(json);
}
