/* Each answer has a room of its own, freed when its turn comes again. */
#include "cli/common/shown.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "cli/common/cli_input.h"

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

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:+@%=";

static bool is_control(char letter)
{
    return (unsigned char)letter < ' ' || letter == 127;
}

bool cli_has_control(const char *text)
{
    while (*text && !is_control(*text))
        text++;
    return *text != '\0';
}

const char *cli_quote(const char *text, char room[CLI_QUOTED_MAX])
{
    bool const has_control = cli_has_control(text);
    size_t used = 0;

    if (*text && text[strspn(text, plain)] == '\0') {
        snprintf(room, CLI_QUOTED_MAX, "%s", text);
        return room;
    }
    used += (size_t)snprintf(room, CLI_QUOTED_MAX, has_control ? "$'" : "'");
    for (; *text && used + 8 < CLI_QUOTED_MAX; text++) {
        if (is_control(*text))
            used += (size_t)snprintf(room + used, CLI_QUOTED_MAX - used, "\\%03o", (unsigned)(unsigned char)*text);
        else if (*text == '\'' || (has_control && *text == '\\'))
            used += (size_t)snprintf(room + used, CLI_QUOTED_MAX - used, has_control ? "\\%c" : "'\\%c'", *text);
        else
            room[used++] = *text;
    }
    snprintf(room + used, CLI_QUOTED_MAX - used, "'");
    return room;
}

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

void html_put_escaped(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(*text, to); break;
        }
}
