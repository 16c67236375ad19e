#include "cli/trace/sheet.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_command.h"
#include "proto/trace_formats.h"

enum { KEY_BYTES = 64 };

static struct json_layout layout_of(const struct sheet *sheet)
{
    int const depth = (int)sheet->json.depth;

    return sheet->is_flat ? JSON_SPACED : JSON_LINES((signed char)(depth + 1), (signed char)depth);
}

bool sheet_begin(struct sheet *sheet, const struct trace_request *request, bool is_flat)
{
    const struct trace_kind *const kind = request->kind;

    *sheet = (struct sheet){.is_flat = is_flat};
    if (!request->is_json) {
        sheet->to = open_memstream(&sheet->at, &sheet->length);
        return sheet->to || (cli_fail_text("out of memory"), false);
    }
    json_begin_object(&sheet->json, layout_of(sheet));
    if (kind->addresses)
        sheet_strings(sheet, "{addresses}{requests}{lacks}", kind->addresses, kind->requests, kind->lacks);
    return true;
}

int sheet_end(struct sheet *sheet, int code)
{
    bool good = sheet->to ? text_stream_close(sheet->to, &sheet->at) : true;

    if (!sheet->to) {
        json_end(&sheet->json);
        text_put(&sheet->json.text, "\n");
        good = !sheet->json.text.failed;
        sheet->at = sheet->json.text.at;
        sheet->length = sheet->json.text.length;
    }
    if (code == CLI_OK && good)
        fwrite(sheet->at, 1, sheet->length, stdout);
    free(sheet->at);
    return code == CLI_OK && !good ? cli_fail_text("out of memory") : code;
}

struct sheet sheet_stream(bool is_json)
{
    return (struct sheet){.to = is_json ? NULL : stdout, .json.file = stdout, .is_flat = true};
}

/* form: behind the colon, or "}". Widths are rare, and printf's time is most of a dump's. */
static void put_padded(FILE *to, const char *form, const char *text)
{
    if (*form == '-' || (*form >= '0' && *form <= '9'))
        fprintf(to, "%*s", atoi(form), text);
    else
        fputs_unlocked(text, to);
}

static void fill_number(struct sheet *sheet, const char *key, const char *form, uint64_t number)
{
    char room[24] = "", *const end = room + sizeof room - 1, *at = end;
    bool const is_hexadecimal = *form == 'x' || *form == 'h';

    if (!sheet->to && *form != 'h') {
        json_put_number(&sheet->json, key, number);
        return;
    }
    for (uint64_t left = number; at == end || left > 0; left = is_hexadecimal ? left / 16 : left / 10)
        *--at = "0123456789abcdef"[is_hexadecimal ? left % 16 : left % 10];
    while (*form == 'h' && end - at < 16)
        *--at = '0';
    if (*form == 'x')
        at = memcpy(at - 2, "0x", 2);
    if (sheet->to)
        put_padded(sheet->to, form, at);
    else
        json_put_string(&sheet->json, key, at);
}

static void fill_string(struct sheet *sheet, const char *key, const char *form, const char *string)
{
    if (sheet->to)
        put_padded(sheet->to, form, cli_shown(string));
    else
        json_put_string(&sheet->json, key, string);
}

void sheet_fill(struct sheet *sheet, const char *template, const uint64_t *numbers, const char *const *strings)
{
    for (const char *at = template; *at;) {
        size_t const plain = (size_t)(strchrnul(at, '{') - at);
        const char *field, *form;
        char key[KEY_BYTES] = "";
        bool is_wanted;

        if (sheet->to && plain > 0)
            fwrite_unlocked(at, 1, plain, sheet->to);
        if (!at[plain])
            return;
        field = at + plain + 1;
        for (form = field; *form != ':' && *form != '}'; form++)
            continue;
        is_wanted = sheet->to ? *field != '+' : form > field;
        if (!sheet->to)
            snprintf(key, sizeof key, "%.*s", (int)(form - field), field);
        at = strchrnul(form, '}') + 1;
        form += *form == ':';
        if (is_wanted && strings)
            fill_string(sheet, key + (*key == '+'), form, *strings);
        else if (is_wanted)
            fill_number(sheet, key + (*key == '+'), form, *numbers);
        strings += strings != NULL;
        numbers += numbers != NULL;
    }
}

void sheet_text(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;

    if (!sheet->to)
        return;
    va_start(arguments, format);
    vfprintf(sheet->to, format, arguments);
    va_end(arguments);
}

void sheet_share(struct sheet *sheet, struct sheet_share form, const char *name, uint64_t count, uint64_t whole)
{
    if (sheet->to)
        fprintf(sheet->to, "%*s%-*s%*" PRIu64 " %5.1f %%\n", form.indent, "", form.name_width, name, form.count_width,
                count, percent(count, whole));
    else
        json_put_number(&sheet->json, name, count);
}

void sheet_object(struct sheet *sheet, const char *key)
{
    if (!sheet->to && key)
        json_put_object(&sheet->json, key, layout_of(sheet));
    else if (!sheet->to)
        json_begin_object(&sheet->json, layout_of(sheet));
}

void sheet_array(struct sheet *sheet, const char *key)
{
    if (!sheet->to)
        json_put_array(&sheet->json, key, layout_of(sheet));
}

void sheet_close(struct sheet *sheet)
{
    if (!sheet->to)
        json_end(&sheet->json);
}

void sheet_table(struct sheet *sheet, const char *key, struct table table)
{
    table.has_no_head = true;
    sheet_array(sheet, key);
    if (sheet->to)
        table_print(sheet->to, TABLE_TEXT, &table);
    else
        table_put_json(&sheet->json, &table);
    sheet_close(sheet);
}

void sheet_flag(struct sheet *sheet, const char *key, bool is, const char *text)
{
    sheet_text(sheet, "%s", text);
    if (!sheet->to)
        json_put_bool(&sheet->json, key, is);
}

void sheet_real(struct sheet *sheet, const char *key, double number, int digits)
{
    if (!sheet->to)
        json_put_real(&sheet->json, key, number, digits);
}

void sheet_bytes(struct sheet *sheet, const char *key, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t i = 0;

    for (; value >= 1024 && i < 6; i++)
        value /= 1024;
    sheet_text(sheet, i == 0 ? "%.0f %s" : "%.1f %s", value, units[i]);
    if (!sheet->to && key)
        json_put_number(&sheet->json, key, bytes);
}

void sheet_footprint(struct sheet *sheet, const char *name, const struct footprint *footprint, uint64_t line_bytes)
{
    if (footprint->accesses == 0)
        return;
    sheet_object(sheet, name);
    sheet_text(sheet, "  %-12s ", name);
    sheet_numbers(sheet, "{lines:9} lines of {line_bytes} bytes = ", footprint->lines.count, line_bytes);
    sheet_bytes(sheet, NULL, footprint->lines.count * line_bytes);
    sheet_numbers(sheet, ", {pages_4KiB} pages of 4 KiB, bytes {lowest:x} to {highest:x}; moves ",
                  footprint->pages.count, footprint->lowest, footprint->highest);
    sheet_bytes(sheet, "moved_bytes", footprint->bytes);
    if (footprint->crossing > 0)
        sheet_numbers(sheet, "; {crossing} cross a line", footprint->crossing);
    sheet_text(sheet, "%s\n", footprint->lines.failed || footprint->pages.failed ? " (too low: out of memory)" : "");
    sheet_close(sheet);
}
