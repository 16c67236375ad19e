/* Conclusions: what a sweep says, in sentences: the best design, and what it gains and costs against the baseline; the
 * best of each workload; the cheapest design that is nearly as good; which axes matter, by how much and where; which do
 * not; what is doubtful; what bounds the best, and so what to try next.
 *
 * Designs are compared by the geometric mean over workloads of the figure's ratios; only those with all workloads are.
 * Effects are of points that differ in one axis alone (axis_settings.h). Names in the sentences are as the sweep has
 * them: who prints them makes them harmless.
 *
 * Use: conclude; look; conclusions_free. Ownership: texts are the conclusions'. False: out of memory. */
#ifndef SWEEP_REPORT_CONCLUDE_H
#define SWEEP_REPORT_CONCLUDE_H

#include "base/arena.h"
#include "sweep/report/report_columns.h"
#include "sweep/report/report_space.h"
#include "sweep/results/sample.h"

#define CONCLUDE_FIRST SIZE_MAX
#define CONCLUDE_NEAR 0.02               /* a design that is slower by at most this share is nearly as good */
#define CONCLUDE_EQUAL 0.01              /* and what differs by less is as good */

/* id, heading, the part of a report that shows it (its element's id) */
#define CONCLUSIONS(C)                                                                                                \
    C(BEST, "Best", "compare")                                                                                        \
    C(WORKLOADS, "By workload", "pivot")                                                                              \
    C(KNEE, "Cheapest within 2 %", "front")                                                                     \
    C(MATTERS, "What matters", "effects")                                                                             \
    C(TOGETHER, "What acts together", "pair")                                                                         \
    C(NOT, "What does not matter", "effects")                                                                         \
    C(DOUBTS, "Doubtful", "points")                                                                                   \
    C(BOUND, "What bounds the best", "bound")                                                                         \
    C(NEXT, "To try next", "effects")

#define CONCLUSION_ID(id, heading, chart) CONCLUDE_##id,
enum conclusion_about { CONCLUSIONS(CONCLUSION_ID) CONCLUDE_COUNT };
#undef CONCLUSION_ID

struct conclude_input {
    const struct space *space;
    const struct report_columns *columns;    /* of its points; the first is the figure */
    const struct sample *const *samples;     /* of each point, NULL for exact ones; NULL: all are exact */
    const char *doubt;                       /* about all points, such as unequal policies; "": none */
    size_t baseline;                         /* a point, by its place; CONCLUDE_FIRST: the first one with a value */
};

enum { CONCLUDE_POINTS = 2 };

struct conclusion {
    enum conclusion_about about;
    const char *text;                    /* a sentence or some, without a line's end */
    size_t points[CONCLUDE_POINTS];      /* by their places, to look at */
    size_t point_count;
};

struct conclusions {
    struct conclusion *list;
    size_t count, room;
    struct arena arena;
};

const char *conclusion_heading(enum conclusion_about about);
const char *conclusion_chart(enum conclusion_about about);

bool conclude(struct conclusions *made, const struct conclude_input *input);
void conclusions_free(struct conclusions *conclusions);

#endif
