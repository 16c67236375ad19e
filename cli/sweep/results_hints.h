/* What a mistyped name or word of `rubato results` may have meant. */
#ifndef CLI_SWEEP_RESULTS_HINTS_H
#define CLI_SWEEP_RESULTS_HINTS_H

#include "cli/sweep/results_columns.h"
#include "sweep/plan/condition.h"

/* The fault for a name that is no column: `other`, which is that of the keys of a system, or one that names a metric or
 * another column, if that is nearer. */
struct fault results_unknown_column(const struct columns *columns, const char *name, const char *where,
                                    const struct fault *other);

/* FAULT_INPUT: a condition compares the column system, traces or state with a word that no point has there. */
struct fault results_check_words(struct results *results, const struct condition *condition, const char *where);

#endif
