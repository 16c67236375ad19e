/* The list of programs that are compared: a line a program, in tabs, below a line of column names.
 *
 *     name       "sort", or "sort:branchless", a variant of sort; each once
 *     command    the program and its arguments; blanks separate words, '...' and "..." hold them together, a backslash
 *                takes the next character as it is. No shell reads it: no variables, no redirections
 *     from, to   the region, as --from and --to; - or empty: those options' values
 *     cycles     of the core, when they are known from elsewhere: the program is not run natively
 *     warm       with cycles: the share of the region's instructions that is warm-up and not in them, 0 to 0.99
 *     per        with cycles: simulated cycles are divided by it (repetitions in the region)
 * Only name and command must be there; other columns are left alone.
 *
 * Use: native_list_read, or native_list_of_one for a command line; native_list_free.
 * Ownership: texts are the list's. Errors: FAULT_INPUT with file, line, column, and what was expected. */
#ifndef SWEEP_NATIVE_NATIVE_LIST_H
#define SWEEP_NATIVE_NATIVE_LIST_H

#include <stddef.h>

#include "base/fault.h"

struct native_case {
    const char *name, *from, *to;        /* NULL: not given */
    char **argv;                         /* ends with NULL */
    double cycles, warm, per;            /* cycles 0: unknown; per 1 */
    unsigned line;
};

struct native_list {
    struct native_case *cases;
    size_t count;
    char *text;
};

struct fault native_list_read(struct native_list *list, const char *path);
struct fault native_list_of_one(struct native_list *list, const char *name, char *const *argv);
void native_list_free(struct native_list *list);

/* Words of a command, in one allocation (free it); NULL: `wrong` says why, or memory ran out (wrong NULL). */
char **native_words(const char *command, const char **wrong);

#endif
