/* What a man page has beyond --help: more of a description, files, environment, examples, where to read on. */
#ifndef CLI_HELP_PAGES_H
#define CLI_HELP_PAGES_H

enum { PAGE_MAX_EXAMPLES = 6, PAGE_MAX_FILES = 6 };

struct page_item {
    const char *what, *text;
};

struct help_page {
    const char *command;                          /* "sweep", "trace pack"; "" is rubato itself */
    const char *more;                             /* behind --help's paragraph; may be NULL */
    struct page_item files[PAGE_MAX_FILES];       /* file, what it is */
    const char *environment;                      /* names of variables, parted by blanks; NULL: none */
    struct page_item examples[PAGE_MAX_EXAMPLES]; /* what for, command line; tests/cli/man.sh runs them in this order */
    const char *see;                              /* other pages, parted by blanks: "results report trace-pack" */
    const char *chapter;                          /* of docs/ */
};

/* The page of the command whose words the text, such as a synopsis, begins with ("rubato trace pack DIR ..."). Never
 * NULL: each command has one, as tests/cli/man.sh checks. */
const struct help_page *help_page_of(const char *synopsis);
/* What a variable does; NULL: none of ours. */
const char *help_variable(const char *name);
#endif
