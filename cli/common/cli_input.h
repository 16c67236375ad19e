/* Traces that come from a pipe, or as - from standard input.
 *
 * Use: cli_input_path for each trace that a command is given, before it is looked at. Traces are read more than once
 * (for example to detect their format and threads) but a pipe only once, so its bytes are kept in a file without name
 * in $TMPDIR or /tmp until the command ends. Messages (cli/common/shown.h) call it "standard input", or as the pipe was
 * named.
 * Ownership: the answers hold until the command ends, that of cli_input_shown until its next eighth call. */
#ifndef CLI_COMMON_CLI_INPUT_H
#define CLI_COMMON_CLI_INPUT_H

/* The path to open for an argument; the argument itself if it is no pipe. NULL: it cannot be kept; the reason is
 * printed, the exit code is CLI_BAD_INPUT. */
const char *cli_input_path(const char *argument);

/* The text with the names of such inputs in place of the paths that are opened for them. */
const char *cli_input_shown(const char *text);

#endif
