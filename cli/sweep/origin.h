/* What a result file is told of the command that runs its points: when, by which words, on which host.
 *
 * Use: origin_make, provenance_note, origin_free. Words are quoted as a shell takes them. */
#ifndef CLI_SWEEP_ORIGIN_H
#define CLI_SWEEP_ORIGIN_H

#include "sweep/results/provenance.h"

struct origin {
    struct provenance_run run;           /* its texts are those below */
    char date[32], host[256], *command;
};

/* argv: of the command, "sweep" first. Out of memory: the run has no command. */
void origin_make(struct origin *origin, int argc, char *const *argv);
void origin_free(struct origin *origin);

#endif
