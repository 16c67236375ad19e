/* Output files of all commands: whole under their names, or not there (base/output_file.h).
 *
 * Use: cli_output_open, write, cli_output_close; cli_output_discard instead when the run failed. "-" is standard
 * output. Files still open when the command ends are discarded. No output of a command is one of its inputs, under any
 * name, and two outputs are never one file: cli/options/options.c registers the files that options name;
 * base/input_file.h knows the other inputs, and base/output_file.h consults it whenever a file is opened and when it
 * gets its name.
 * Functions that answer NULL or false have printed the reason: return CLI_BAD_INPUT. */
#ifndef CLI_COMMON_OUTPUT_H
#define CLI_COMMON_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Protects an input of the command from being replaced by an output: a file, or a folder for the traces in it (or
 * beside a list of them). cli_parse does so for all operands; the name is borrowed. Without memory nothing is
 * remembered. */
void cli_output_spare(const char *input);
/* Registers an output that the command was asked to write: a file or a folder. The name is borrowed. */
void cli_output_claim(const char *output);
/* Is none of them an input, nor the same file as another one? Else it has said so. */
bool cli_outputs_agree(void);
/* Would an output of that name replace one? Then it has said so. For those that other layers open. */
bool cli_output_replaces_input(const char *path);
/* Has the command an output of that name open? Then it has said so. For those that other layers open. */
bool cli_output_is_taken(const char *path);

FILE *cli_output_open(const char *path);
/* One that can be read while it grows (output_file_open_visible). */
FILE *cli_output_open_visible(const char *path);
/* Closes it (stdout: flushes), and gives it its name. */
bool cli_output_close(FILE *file, const char *path);
/* Removes the temporary files of unfinished outputs; the process must end at once. May be called by a
 * signal handler. */
void cli_output_remove_partial(void);
/* Closes it and leaves nothing. NULL and stdout are fine. */
void cli_output_discard(FILE *file);

#endif
