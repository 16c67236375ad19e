/* Provenance: where the points of a sweep come from, as far as its result file has it.
 *
 * Use: provenance_about for what the file was last used for, a key each (spec_path, spec_text, version);
 * provenance_traces for systems and traces, these with the hash of their content, and the version that ran them, once
 * each, in the order of their first points. Texts are valid during the call. A file has neither a date nor a host. */
#ifndef SWEEP_RESULTS_PROVENANCE_H
#define SWEEP_RESULTS_PROVENANCE_H

#include "sweep/results/results.h"

struct fault provenance_about(const struct results *results,
                              void (*visit)(void *self, const char *key, const char *value), void *self);

struct provenance_traces {
    const char *system, *traces, *hash, *version;
    size_t points;                       /* of the sweep, that were run with them */
};

struct fault provenance_traces(const struct results *results,
                               void (*visit)(void *self, const struct provenance_traces *traces), void *self);

#endif
