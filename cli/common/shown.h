/* Text from outside on its way to a terminal: names and messages in traces, files, configurations, arguments.
 *
 * Use: cli_shown around each such text that is printed, cli_shown_part for one that does not end with a 0. Sequences
 * that control a terminal (control characters of one byte or as UTF-8, marks that change the direction of writing),
 * and invalid UTF-8, are shown as \xNN; all other text is unchanged. cli_fail and its like do so by themselves.
 * Ownership: the answer is valid for the next SHOWN_AT_ONCE - 1 calls. One thread at a time. */
#ifndef CLI_COMMON_SHOWN_H
#define CLI_COMMON_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SHOWN_AT_ONCE = 8 };

const char *cli_shown(const char *text);
const char *cli_shown_part(const char *text, size_t length);

/* Names in commands that a user, or a shell, will run.
 *
 * Use: cli_quote where a command is printed or written; a shell reads the result as one word, for any characters in
 * the name. */

enum { CLI_QUOTED_MAX = 4 * 4096 + 8 };

/* `text` as a shell reads it: plain if it needs no quotes, in single ones if it does, as $'...' with its control
 * characters as \nnn. Returns room. A text of 4,096 bytes has room in any case. */
const char *cli_quote(const char *text, char room[CLI_QUOTED_MAX]);
/* Has it characters below a space, or 127, which end lines and steer terminals? */
bool cli_has_control(const char *text);

/* Cells of CSV: RFC 4180, and safe for spreadsheets.
 *
 * Use: csv_put_cell for each text; numbers need nothing, and pass as they are. A text that a spreadsheet would take for
 * a formula, as it begins with =, +, -, @, a tab or a carriage return and is no number, is quoted and gets a leading
 * apostrophe, which spreadsheets do not show. */

void csv_put_cell(FILE *file, const char *text);

/* Text of HTML, and values of its attributes in double quotes: <, >, & and " as character references. */
void html_put_escaped(FILE *to, const char *text);

#endif
