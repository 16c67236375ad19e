#include "cli/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    char *end;

    strtod(text, &end);
    return end != text && *end == '\0';
}

static bool may_be_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text) && !is_number(text);
}

void csv_put_cell(FILE *file, const char *text)
{
    bool const is_led = may_be_formula(text);

    if (!is_led && !strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputs(is_led ? "\"'" : "\"", file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}
