/* The forms of --help: text on a terminal, man page, table. All are made of the same tables of options
 * (cli/options/options.h) and commands; options_pages.c has the additions for man pages.
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
 * KIND is the type of the value: nothing (-), words, file, folder, system, setting (KEY=VALUE), command, free; WORDS
 * are parted by blanks. Nothing to free. */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options/options.h"

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

/* Summary of a command of main's or trace's list, such as "trace pack"; NULL if neither list has it. */
const char *help_summary(const char *command);

/* The parts of a man page beyond --help: a longer description, files, environment, examples, further reading. */

enum { PAGE_MAX_EXAMPLES = 6, PAGE_MAX_FILES = 6 };

struct page_item {
    const char *what, *text;
};

struct help_page {
    const char *command;                          /* "sweep", "trace pack"; "" is rubato itself */
    const char *more;                             /* behind --help's paragraph; may be NULL */
    struct page_item files[PAGE_MAX_FILES];       /* file, description */
    const char *environment;                      /* names of variables, parted by blanks; NULL: none */
    struct page_item examples[PAGE_MAX_EXAMPLES]; /* purpose, command line; tests/cli/man.sh runs them in this order */
    const char *see;                              /* other pages, parted by blanks: "results report trace-pack" */
    const char *chapter;                          /* of docs/ */
};

/* The page of the command whose words the text, such as a synopsis, begins with ("rubato trace pack DIR ..."). Never
 * NULL: each command has one, as tests/cli/man.sh checks. */
const struct help_page *help_page_of(const char *synopsis);
/* The effect of an environment variable; NULL: unknown. */
const char *help_variable(const char *name);

/* The output of `rubato --version`: version, commit, compiler, engine, libraries. */

void version_print(FILE *to);

#endif
