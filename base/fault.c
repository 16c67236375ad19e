/* Texts of faults. A long path keeps its end, its most specific part, so that the message behind it still fits.
 *
 * The texts lie in a ring: a fault is a value that is copied and dropped at will, and a program that makes faults for
 * ever needs no more memory. A slot's number identifies the fault whose text it holds. A text is written before its
 * fault is known to anyone else, and read long before FAULT_TEXTS further faults are made, so slots need no lock. */
#include "base/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 200

static struct text {
    uint64_t number;
    char text[FAULT_TEXT];
} texts[FAULT_TEXTS];
static atomic_uint_fast64_t fault_count;

/* Takes the oldest text's place for a new fault. */
static struct fault take_slot(enum fault_kind kind, struct text **slot)
{
    struct fault const fault = {kind, atomic_fetch_add(&fault_count, 1) + 1};

    *slot = &texts[fault.number % FAULT_TEXTS];
    (*slot)->number = fault.number;
    return fault;
}

struct fault fault_make(enum fault_kind kind, const char *format, ...)
{
    char text[FAULT_TEXT];
    struct fault fault;
    struct text *slot;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fault = take_slot(kind, &slot);
    memcpy(slot->text, text, sizeof text);
    return fault;
}

static struct fault fault_place(const char *file, const char *unit, uint64_t where, const char *format,
                                va_list arguments)
{
    char text[FAULT_TEXT];
    size_t const length = strlen(file);
    bool const cut = length > PATH_SHOWN;
    int used = snprintf(text, sizeof text, "%s%s: ", cut ? "..." : "", cut ? file + length - PATH_SHOWN : file);

    if (where != FAULT_NO_OFFSET)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %" PRIu64 ": ", unit, where);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return fault_make(FAULT_INPUT, "%s", text);
}

struct fault fault_at(const char *file, uint64_t offset, const char *format, ...)
{
    struct fault fault;
    va_list arguments;

    va_start(arguments, format);
    fault = fault_place(file, "byte", offset, format, arguments);
    va_end(arguments);
    return fault;
}

struct fault fault_at_line(const char *file, uint64_t line, const char *format, ...)
{
    struct fault fault;
    va_list arguments;

    va_start(arguments, format);
    fault = fault_place(file, "line", line, format, arguments);
    va_end(arguments);
    return fault;
}

struct fault fault_memory(const char *file, const char *what)
{
    struct fault fault = fault_at(file, FAULT_NO_OFFSET, "out of memory%s%s", what ? " for " : "", what ? what : "");

    fault.kind = FAULT_MEMORY;
    return fault;
}

struct fault fault_within(struct fault fault, const char *format, ...)
{
    char text[FAULT_TEXT];
    va_list arguments;

    if (fault.kind == FAULT_NONE)
        return fault;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fault_make(fault.kind, "%s%s", text, fault_text(fault));
}

const char *fault_text(struct fault fault)
{
    const struct text *const slot = &texts[fault.number % FAULT_TEXTS];

    if (fault.kind == FAULT_NONE)
        return "";
    return slot->number == fault.number ? slot->text : "a fault whose text is not kept any more";
}
