/* What the parts of conclude.c share: designs by workload, changes in words, a list that grows. */
#ifndef SWEEP_REPORT_CONCLUDE_INTERNAL_H
#define SWEEP_REPORT_CONCLUDE_INTERNAL_H

#include <stdio.h>

#include "sweep/report/conclude.h"
#include "sweep/report/axis_settings.h"

enum { CONCLUDE_SHARE_TEXT = 24, CONCLUDE_SHOWN = 6 };

struct concluding {
    const struct conclude_input *input;
    const struct effects_space *effects;
    struct conclusions *made;
    struct effects_design *designs;
    size_t design_count, workloads;
    size_t *of;                          /* of each point, its design */
    size_t *points;                      /* [design][workload]; SIZE_MAX: none with a value */
    size_t best, baseline;               /* designs */
    struct settings_effect *axes;        /* of axes that are choices; .means NULL: of others */
    char *text;                          /* of the stream that is open */
    size_t length;
};

/* A sentence: begin_conclusion, fprintf to it, end_conclusion with up to two points. False: out of memory. */
FILE *begin_conclusion(struct concluding *so);
bool end_conclusion(struct concluding *so, FILE *to, enum conclusion_about about, size_t one, size_t other);

/* "12", "1.3", "0.43" of a share */
const char *share_text(double share, char text[CONCLUDE_SHARE_TEXT]);
/* "12 % lower", "3.2 times as high", "the same" */
void put_change(FILE *to, double ratio);
/* The same and "than" or "as" behind it. */
void put_change_from(FILE *to, double ratio);
/* "l1d.mshrs 8, l2.size 1MiB": what it has on axes with several levels; only where it differs from `other`, unless
 * that is SIZE_MAX. Nothing: "no axis". */
void put_design(const struct concluding *so, FILE *to, size_t point, size_t other);
/* The value of design / the value of other: mean over workloads that both have, or of one. NAN: none has both. */
double ratio_of(const struct concluding *so, size_t design, size_t other, size_t workload);
/* Are they not different, as the intervals of their samples say? False without samples. */
bool is_hidden(const struct concluding *so, size_t design, size_t other);
double conclude_half(const void *so, size_t one, size_t other);
bool is_choice(const struct effects_space *effects, size_t axis);
/* The place of a column of that name; SIZE_MAX: none. */
size_t column_named(const struct concluding *so, const char *name);
const char *workload_named(const struct concluding *so, size_t workload);

bool conclude_axes(struct concluding *so);
bool conclude_doubts(struct concluding *so);
bool conclude_bounds(struct concluding *so);

#endif
