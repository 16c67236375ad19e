/* Text of others, on its way to a terminal: names and messages that stand in traces, files, configurations, arguments.
 *
 * Use: cli_shown around each such text that is printed, cli_shown_part for one that does not end with a 0. What steers
 * a terminal (control characters of one byte or as UTF-8, marks that turn the direction of writing), and what is no
 * UTF-8, is shown as \xNN; all else is as it was. cli_fail and its like do so by themselves.
 * Ownership: the answer is valid for the next SHOWN_AT_ONCE - 1 calls. One thread at a time. */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include <stddef.h>

enum { SHOWN_AT_ONCE = 8 };

const char *cli_shown(const char *text);
const char *cli_shown_part(const char *text, size_t length);

#endif
