/* Texts of faults. A long path keeps its end, which tells files apart, so that the message behind it still fits. */
#include "base/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 200

struct fault fault_make(enum fault_kind kind, const char *format, ...)
{
    struct fault fault = {.kind = kind};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    return fault;
}

static bool fill(struct fault *fault, const char *file, const char *unit, uint64_t where, const char *format,
                 va_list arguments)
{
    size_t const length = strlen(file), room = sizeof fault->text;
    bool const cut = length > PATH_SHOWN;
    int used = snprintf(fault->text, room, "%s%s: ", cut ? "..." : "", cut ? file + length - PATH_SHOWN : file);

    if (where != FAULT_NO_OFFSET)
        used += snprintf(fault->text + used, room - (size_t)used, "%s %" PRIu64 ": ", unit, where);
    vsnprintf(fault->text + used, room - (size_t)used, format, arguments);
    for (char *c = fault->text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    fault->kind = FAULT_INPUT;
    return false;
}

bool fault_at(struct fault *fault, const char *file, uint64_t offset, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(fault, file, "byte", offset, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_at_line(struct fault *fault, const char *file, uint64_t line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(fault, file, "line", line, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_memory(struct fault *fault, const char *file, const char *what)
{
    fault_at(fault, file, FAULT_NO_OFFSET, "out of memory%s%s", what ? " for " : "", what ? what : "");
    fault->kind = FAULT_MEMORY;
    return false;
}
