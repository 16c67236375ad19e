/* Where in the program: `replay --by function|line|pc`, the rows of a profile (replay/profile/profile.h) by what the
 * user asks for, as a table behind the summary, and whole in a file.
 *
 * Use: where_fits of the options, with a workload; where_open before the session, which gets the profile; after the
 * run where_finish, then where_print; where_free in any case. Ownership: options, workload and profile are borrowed.
 * Exit codes: the reason was printed. */
#ifndef CLI_REPLAY_WHERE_H
#define CLI_REPLAY_WHERE_H

#include <stdio.h>

#include "base/json.h"
#include "cli/options/options.h"
#include "replay/profile/profile.h"

struct symbols;
struct system_config;
struct workload;

enum where_by { WHERE_NOWHERE, WHERE_FUNCTION, WHERE_LINE, WHERE_PC };
enum { WHERE_MAX_SYMBOLS = 32, WHERE_USUAL_TOP = 10 };

struct where_options {
    enum where_by by;
    const char *file;                    /* of --by-file; NULL: none */
    const char *symbols[WHERE_MAX_SYMBOLS];
    size_t symbol_count;
    uint64_t top;                        /* rows behind the summary; 0: WHERE_USUAL_TOP */
};

/* The value of --by; false: the error is printed. */
bool where_take_by(void *by, struct cli_parser *parser);
/* What is wrong with options alone; NULL: nothing. */
const char *where_wrong(const struct where_options *options);

struct where;

int where_open(struct where **made, const struct where_options *options, const struct workload *workload,
               const struct system_config *config, struct profile *profile);
void where_free(struct where *where);
const struct detailed_listener *where_listeners(const struct where *where);

/* Groups rows, and writes the file. */
int where_finish(struct where *where);
void where_print(FILE *to, const struct where *where);
/* The same rows, as a member of an object. */
void where_put_json(struct json *json, const struct where *where);

/* where_symbols.c: the files that were named, or, without any, the program beside the trace or by its command; of a
 * single file also its libraries, of which each is the trace's or is not used. NULL: the error is printed. */
struct symbols *where_find_symbols(const struct where_options *options, const struct workload *workload);

#endif
