/* The forms of --help: text on a terminal, man page, table. All are made of the same tables of options (cli/options.h)
 * and commands; pages.h adds what only a man page has.
 *
 *     rubato sweep --help             cli_print_help
 *     rubato sweep --help=man         a man page in roff's macros (man(7)): `make man`, or | man -l -
 *     rubato sweep --help=table       a line for each option and operand: `make completions` (completions.sh)
 *
 * Lines of the table are parted by tabs:
 *     command   NAME                  "sweep", "trace pack"
 *     option    NAME ARGUMENT KIND WORDS HELP
 *     operand   PLACE KIND WORDS      the first has place 1; several lines for one place: any of them
 *     group     NAME, then: member NAME SUMMARY
 * KIND says what may stand there: nothing (-), words, file, folder, system, setting (KEY=VALUE), command, free; WORDS
 * are parted by blanks. Nothing to free. */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"

struct cli_member {
    const char *name, *summary;
};

/* A command that is a list of commands: rubato itself, rubato trace. */
struct cli_group {
    const char *name;                    /* "rubato", "rubato trace" */
    const char *about, *notes;           /* notes may be NULL */
    const struct cli_member *members;    /* ends with {0} */
};

/* "--help", "--help=man", "--help=table", "-h". */
bool cli_asks_help(const char *word);
/* word: as cli_asks_help found it. Prints to standard output; an exit code. */
int cli_help(const struct cli_usage *usage, const char *word);
int cli_help_group(const struct cli_group *group, const char *word);
void cli_print_group(const struct cli_group *group, FILE *to);
/* "there is no command trace pak; did you mean pack? see rubato trace --help"; returns the exit code. */
int cli_unknown_command(const struct cli_group *group, const char *word);

/* ---- the forms */
void help_man(const struct cli_usage *usage, FILE *to);
void help_man_group(const struct cli_group *group, FILE *to);
void help_table(const struct cli_usage *usage, FILE *to);
void help_table_group(const struct cli_group *group, FILE *to);

/* Summary of a command of main's or trace's list, "trace pack" likewise; NULL: there is none such. */
const char *help_summary(const char *command);
#endif
