#define _POSIX_C_SOURCE 200809L
#include "cli/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_coloured(FILE *to)
{
    const char *const no_colour = getenv("NO_COLOR"), *const terminal = getenv("TERM");

    return isatty(fileno(to)) == 1 && !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *colour_on(FILE *to, enum colour colour)
{
    static const char *const codes[] = {
        [COLOUR_STRONG] = "\033[1m", [COLOUR_GOOD] = "\033[32m", [COLOUR_BAD] = "\033[31m",
        [COLOUR_WARNING] = "\033[33m"
    };

    return is_coloured(to) ? codes[colour] : "";
}

const char *colour_off(FILE *to)
{
    return is_coloured(to) ? "\033[0m" : "";
}
