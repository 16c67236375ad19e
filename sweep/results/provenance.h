/* Provenance: where the points of a sweep come from, as far as its result file has it.
 *
 * Use: provenance_about for what the file was last used for, a key each (spec_path, spec_text, version; date, command
 * and host of the last sweep that found points to run); provenance_traces for systems and traces, these with the hash
 * of their content, and the version that ran them, once each, in the order of their first points. provenance_note
 * writes the former's last three. Texts are valid during the call. Files of earlier versions lack the last three. */
#ifndef SWEEP_RESULTS_PROVENANCE_H
#define SWEEP_RESULTS_PROVENANCE_H

#include "sweep/results/results.h"

struct provenance_run {
    const char *date, *command, *host;   /* as people read them */
};

/* After results_begin; if all its points are there already, the stored entry stays. */
struct fault provenance_note(struct results *results, const struct provenance_run *run);

struct fault provenance_about(const struct results *results,
                              void (*visit)(void *self, const char *key, const char *value), void *self);

struct provenance_traces {
    const char *system, *traces, *hash, *version;
    size_t points;                       /* of the sweep, that were run with them */
};

struct fault provenance_traces(const struct results *results,
                               void (*visit)(void *self, const struct provenance_traces *traces), void *self);

#endif
