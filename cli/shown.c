/* Each answer has a room of its own, freed when its turn comes again. */
#include "cli/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "cli/input.h"

const char *cli_shown_part(const char *text, size_t length)
{
    static char *rooms[SHOWN_AT_ONCE];
    static unsigned turn;
    char **const room = &rooms[turn++ % SHOWN_AT_ONCE];
    size_t used = 0;

    free(*room);
    *room = malloc(4 * length + 1);
    if (!*room)
        return "(out of memory)";
    for (size_t at = 0; at < length; at++) {
        size_t const harmless = harmless_bytes(text + at, length - at);

        memcpy(*room + used, text + at, harmless);
        used += harmless;
        at += harmless;
        if (at < length)
            used += (size_t)sprintf(*room + used, "\\x%02x", (unsigned)(unsigned char)text[at]);
    }
    (*room)[used] = '\0';
    return *room;
}

const char *cli_shown(const char *text)
{
    size_t const length = strlen(text = cli_input_shown(text));

    return harmless_bytes(text, length) == length ? text : cli_shown_part(text, length);
}
