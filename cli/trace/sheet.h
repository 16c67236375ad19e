/* Pages of `rubato trace info` and lines of `rubato trace dump`: one description, printed as text or as JSON objects.
 *
 * Use: sheet_begin; sheet_numbers, sheet_strings, sheet_text and the others in the order of the text; sheet_end, which
 * prints the page if it is good: all of it or nothing. A template is the text with fields in braces, each with the key
 * that its value has in JSON:
 *     sheet_numbers(sheet, "  files         {files} of {bytes:12} bytes\n", count, bytes)
 * {key:N}, {key:-N}: a width. {key:x}: as 0x1f. {key:h}: 16 hexadecimal digits. {+key}: in JSON only. {:N}: in text
 * only. Values of sheet_numbers are converted to uint64_t; strings are shown harmless (cli/common/shown.h).
 * Ownership: nothing is kept. Errors: sheet_end reports missing memory. */
#ifndef CLI_TRACE_SHEET_H
#define CLI_TRACE_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/common/table.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/trace_kinds.h"

struct sheet {
    FILE *to;                            /* of the text; NULL: it is JSON */
    char *at;
    size_t length;
    struct json json;
    bool is_flat;                        /* JSON in one line */
};

/* In JSON the properties of the request's kind come first. False: there is no memory, and nothing to end. */
bool sheet_begin(struct sheet *sheet, const struct trace_request *request, bool is_flat);
/* An exit code: `code`, or that of missing memory. Prints the page if it is CLI_OK. */
int sheet_end(struct sheet *sheet, int code);

/* Goes to standard output as it is filled, an object a line in JSON: dumps. json_close at the end. */
struct sheet sheet_stream(bool is_json);

void sheet_fill(struct sheet *sheet, const char *template, const uint64_t *numbers, const char *const *strings);
#define sheet_numbers(sheet, template, ...) sheet_fill(sheet, template, (const uint64_t[]){__VA_ARGS__}, NULL)
#define sheet_strings(sheet, template, ...) sheet_fill(sheet, template, NULL, (const char *const[]){__VA_ARGS__})
/* In text only. */
void sheet_text(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "    name   12  50.0 %"; in JSON the count. */
struct sheet_share { int indent, name_width, count_width; };
void sheet_share(struct sheet *sheet, struct sheet_share form, const char *name, uint64_t count, uint64_t whole);

/* In JSON only: members up to sheet_close are of an object, or of an array of objects. */
void sheet_object(struct sheet *sheet, const char *key);
void sheet_array(struct sheet *sheet, const char *key);
void sheet_close(struct sheet *sheet);
/* Without its head; in JSON an array. Its columns have widths. */
void sheet_table(struct sheet *sheet, const char *key, struct table table);

/* `text`, or in JSON true or false. */
void sheet_flag(struct sheet *sheet, const char *key, bool is, const char *text);
/* In JSON only: `digits` significant ones. */
void sheet_real(struct sheet *sheet, const char *key, double number, int digits);

/* "3.2 MiB"; in JSON the bytes, unless key is NULL. */
void sheet_bytes(struct sheet *sheet, const char *key, uint64_t bytes);
/* A line of text; none if nothing was touched. */
void sheet_footprint(struct sheet *sheet, const char *name, const struct footprint *footprint, uint64_t line_bytes);

#endif
