/* Names in commands that a user, or a shell, will run.
 *
 * Use: cli_quote where a command is printed or written; the result stands as one word, whatever is in the name. */
#ifndef CLI_QUOTE_H
#define CLI_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_QUOTED_MAX = 4 * 4096 + 8 };

/* `text` as a shell reads it: plain if it needs no quotes, in single ones if it does, as $'...' with its control
 * characters as \nnn. Returns room. A text of 4,096 bytes has room in any case. */
const char *cli_quote(const char *text, char room[CLI_QUOTED_MAX]);
/* Has it characters below a space, or 127, which end lines and steer terminals? */
bool cli_has_control(const char *text);

#endif
