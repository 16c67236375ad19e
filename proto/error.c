/* Texts of errors. A long path keeps its end, which tells files apart, so that the message behind it still fits. */
#include "proto/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 200

static void write_text(struct proto_error *error, const char *file, const char *unit, uint64_t where,
                       const char *format, va_list arguments)
{
    size_t const length = strlen(file);
    bool const cut = length > PATH_SHOWN;
    size_t const room = sizeof error->text;
    int used = snprintf(error->text, room, "%s%s: ", cut ? "..." : "", cut ? file + length - PATH_SHOWN : file);

    if (where != PROTO_NO_OFFSET)
        used += snprintf(error->text + used, room - (size_t)used, "%s %" PRIu64 ": ", unit, where);
    vsnprintf(error->text + used, room - (size_t)used, format, arguments);
    for (char *c = error->text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

bool proto_fail(struct proto_error *error, const char *file, uint64_t offset, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_text(error, file, "byte", offset, format, arguments);
    va_end(arguments);
    return false;
}

bool proto_fail_line(struct proto_error *error, const char *file, uint64_t line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_text(error, file, "line", line, format, arguments);
    va_end(arguments);
    return false;
}
