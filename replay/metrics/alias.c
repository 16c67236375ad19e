#include "replay/metrics/alias.h"

#include <stdio.h>
#include <string.h>

enum { COMPONENT_BYTES = 100 };

static const char system_of[] = "system.", core[] = "cpu", digits[] = "0123456789";

/* "cpu13.l1d.x": gem5's name is "l1d13". */
static const char *take_ours(const char *text, char other[COMPONENT_BYTES])
{
    const char *const number = text + sizeof core - 1;
    size_t const number_length = strspn(number, digits);
    const char *const kind = number + number_length + 1;
    size_t const kind_length = number_length > 0 && number[number_length] == '.' ? strcspn(kind, ".:") : 0;

    if (kind_length == 0 || kind[kind_length] != '.')
        return NULL;
    snprintf(other, COMPONENT_BYTES, "%.*s%.*s", (int)kind_length, kind, (int)number_length, number);
    return kind + kind_length;
}

/* "l213.x": the core's number has one digit, or two. */
static const char *take_theirs(const char *text, unsigned number_length, char other[COMPONENT_BYTES])
{
    size_t const length = strcspn(text, ".:");
    size_t number = length;

    while (number > 0 && strchr(digits, text[number - 1]))
        number--;
    if (text[length] != '.' || length - number < number_length || length == number_length)
        return NULL;
    snprintf(other, COMPONENT_BYTES, "%s%.*s.%.*s", core, (int)number_length, text + length - number_length,
             (int)(length - number_length), text);
    return text + length;
}

/* The other name of the component that `text` begins with; what stands behind it, or NULL: there is no other. */
static const char *take(const char *text, unsigned number, char other[COMPONENT_BYTES])
{
    if (strncmp(text, core, sizeof core - 1) == 0)
        return number == 0 ? take_ours(text, other) : NULL;
    return take_theirs(text, number + 1, other);
}

bool alias_of(const char *name, unsigned number, char alias[ALIAS_BYTES])
{
    size_t const before = sizeof system_of - 1;
    const char *const column = strstr(name, "::");
    char component[COMPONENT_BYTES] = "", part[COMPONENT_BYTES] = "";
    const char *rest, *end = NULL;

    if (strncmp(name, system_of, before) != 0)
        return false;
    rest = take(name + before, number, component);
    if (column)
        end = take(column + 2, number, part);
    if (!rest && !end)
        return false;
    rest = rest ? rest : name + before;
    if (end)
        snprintf(alias, ALIAS_BYTES, "%s%s%.*s%s%s", system_of, component, (int)(column + 2 - rest), rest, part, end);
    else
        snprintf(alias, ALIAS_BYTES, "%s%s%s", system_of, component, rest);
    return true;
}
