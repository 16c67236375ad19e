/* Output files of all commands: whole under their names, or not there (base/output_file.h).
 *
 * Use: cli_output_open, write, cli_output_close; cli_output_discard instead when the run failed. "-" is standard
 * output. What is still open when the command ends is discarded. Two outputs of one command never have one name.
 * Functions that answer NULL or false have printed the reason: return CLI_BAD_INPUT. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* What a command reads, and no output may replace: a file, or a folder for the traces in it (or beside a list of them).
 * cli_parse_next does so for all operands; the name is borrowed. Without memory nothing is remembered. */
void cli_output_spare(const char *input);
/* Would an output of that name replace one? Then it has said so. For those that other layers open. */
bool cli_output_replaces_input(const char *path);
/* Has the command an output of that name open? Then it has said so. For those that other layers open. */
bool cli_output_is_taken(const char *path);

FILE *cli_output_open(const char *path);
/* One that can be read while it grows (output_file_open_visible). */
FILE *cli_output_open_visible(const char *path);
/* Closes it (stdout: flushes), and gives it its name. */
bool cli_output_close(FILE *file, const char *path);
/* Closes it and leaves nothing. NULL and stdout are fine. */
void cli_output_discard(FILE *file);

#endif
