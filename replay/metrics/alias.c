#include "replay/metrics/alias.h"

#include <stdio.h>
#include <string.h>

static const char system_of[] = "system.", core_of[] = "system.cpu", digits[] = "0123456789";

/* "system.cpu13.l1d.x": gem5's name. */
static bool take_ours(const char *name, char alias[ALIAS_BYTES])
{
    const char *const number = name + sizeof core_of - 1;
    size_t const number_length = strspn(number, digits);
    const char *const kind = number + number_length + 1;
    size_t const kind_length = strcspn(kind, ".:");

    if (number_length == 0 || number[number_length] != '.' || kind[kind_length] != '.')
        return false;
    snprintf(alias, ALIAS_BYTES, "%s%.*s%.*s%s", system_of, (int)kind_length, kind, (int)number_length, number,
             kind + kind_length);
    return true;
}

/* "system.l213.x": the core's number has one digit, or two. */
static bool take_theirs(const char *name, unsigned number_length, char alias[ALIAS_BYTES])
{
    const char *const component = name + sizeof system_of - 1;
    size_t const length = strcspn(component, ".");
    size_t number = length;

    while (number > 0 && strchr(digits, component[number - 1]))
        number--;
    if (component[length] != '.' || length - number < number_length || length == number_length)
        return false;
    snprintf(alias, ALIAS_BYTES, "%s%.*s.%.*s%s", core_of, (int)number_length, component + length - number_length,
             (int)(length - number_length), component, component + length);
    return true;
}

bool alias_of(const char *name, unsigned number, char alias[ALIAS_BYTES])
{
    if (strncmp(name, core_of, sizeof core_of - 1) == 0)
        return number == 0 && take_ours(name, alias);
    return strncmp(name, system_of, sizeof system_of - 1) == 0 && take_theirs(name, number + 1, alias);
}
