#include "cli/quote.h"

#include <stdio.h>
#include <string.h>

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
