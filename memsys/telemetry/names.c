/* The reference's names do not say where a number begins. A level of caches is known by its name: "l213" is an l2. */
#include "memsys/telemetry/names.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789";

/* Letters of "cpu13." with which a name begins; 0: with something else. *number: where its number is. */
static size_t core_length(const char *name, const char **number, size_t *number_length)
{
    static const char core[] = "cpu";
    size_t const length = sizeof core - 1;

    if (strncmp(name, core, length) != 0)
        return 0;
    *number = name + length;
    *number_length = strspn(*number, digits);
    return *number_length > 0 && (*number)[*number_length] == '.' ? length + *number_length + 1 : 0;
}

const char *telemetry_name_own(const char *name)
{
    const char *number;
    size_t number_length;

    return name + core_length(name, &number, &number_length);
}

bool telemetry_name_reference(const char *name, char reference[TELEMETRY_NAME])
{
    const char *number;
    size_t number_length;
    size_t const length = core_length(name, &number, &number_length);

    if (length == 0 || strlen(name) >= TELEMETRY_NAME)
        return false;
    snprintf(reference, TELEMETRY_NAME, "%s%.*s", name + length, (int)number_length, number);
    return true;
}

static bool is_other_name(const char *name, const char *wanted)
{
    char reference[TELEMETRY_NAME];

    return (telemetry_name_reference(name, reference) && strcmp(reference, wanted) == 0)
           || (telemetry_name_reference(wanted, reference) && strcmp(reference, name) == 0);
}

uint32_t telemetry_named(const struct telemetry *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (strcmp(layout->components[i].name, name) == 0)
            return i;
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (is_other_name(layout->components[i].name, name))
            return i;
    return TELEMETRY_NONE;
}

size_t telemetry_name_kind(const char *name, const char **kind)
{
    static const char *const levels[] = {"l1i", "l1d", "l2", "l3"};
    size_t length;

    *kind = telemetry_name_own(name);
    length = strlen(*kind);
    if (*kind != name)
        return length;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        size_t const level = strlen(levels[i]);

        if (strncmp(name, levels[i], level) == 0 && strspn(name + level, digits) == length - level)
            return level;
    }
    while (length > 1 && strchr(digits, name[length - 1]))
        length--;
    return length;
}
