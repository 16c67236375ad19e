/* The accesses of one kind of caches: `replay --accesses LEVEL -o FILE` writes them, `--optimal LEVEL` counts how many
 * lines the optimal policy would have fetched for them.
 *
 * Use: accesses_open before the session, whose request gets the profile; accesses_close after it went well;
 * accesses_print, accesses_visit; accesses_free in any case. Ownership: options are borrowed. Exit codes: the reason
 * was printed. */
#ifndef CLI_REPLAY_ACCESSES_H
#define CLI_REPLAY_ACCESSES_H

#include <stdio.h>

#include "replay/profile/profile.h"

struct accesses_options {
    const char *level;                   /* of --accesses; NULL: none */
    const char *file;                    /* of -o */
    const char *optimal;                 /* of --optimal; NULL: none */
};

/* What is wrong with the options, as the end of a sentence; NULL: nothing. */
const char *accesses_wrong(const struct accesses_options *options);

struct accesses;
struct system;

int accesses_open(struct accesses **made, const struct accesses_options *options, struct profile *profile);
int accesses_close(struct accesses *accesses);
void accesses_free(struct accesses *accesses);
/* Of --optimal; nothing without it. */
void accesses_print(FILE *to, const struct accesses *accesses);
/* Of --optimal, as figures of the run. */
void accesses_visit(const struct accesses *accesses, const struct system *system,
                    void (*visit)(void *context, const char *name, double value), void *context);

#endif
