/* Which microbenchmarks a measurement has, by name, and the points that make edges of curves exact.
 *
 * Use: measure_plan_add before the first measurement_run; measure_plan_refine before the second one, of the new cases;
 * then the curves. Points of a curve are named "CURVE NUMBER".
 * Errors: FAULT_MEMORY. */
#ifndef SWEEP_MEASURE_MEASURE_PLAN_H
#define SWEEP_MEASURE_MEASURE_PLAN_H

#include "sweep/measure/measurement.h"

/* Curves whose edge is a size: suffix, name, what rises. */
#define MEASURE_EDGES(E)                                                                                              \
    E(WINDOW, "window")                  /* a mixture that needs no registers of one kind */                          \
    E(INTEGERS, "window add")                                                                                         \
    E(VECTORS, "window vadd")                                                                                         \
    E(LOADS, "window load")                                                                                           \
    E(STORES, "window store")                                                                                         \
    E(WAITING, "window wait")                                                                                         \
    E(PAGES, "pages")                    /* first level of TLBs */                                                    \
    E(MORE_PAGES, "pages")               /* second level */                                                           \
    E(JUMPS, "jumps")                                                                                                 \
    E(WAYS, "ways")

#define MEASURE_EDGE_ENUM(suffix, name) EDGE_##suffix,
enum measure_edge { MEASURE_EDGES(MEASURE_EDGE_ENUM) EDGE_COUNT };

struct fault measure_plan_add(struct measurement *measurement);
/* *first: of the new cases. */
struct fault measure_plan_refine(struct measurement *measurement, size_t *first);

/* The points of a curve in order of their numbers; how many there are, up to `most`. PAGES: cycles
 * beyond those of as many lines that lie side by side. */
size_t measure_curve(const struct measurement *measurement, const char *name, struct curve_point *points, size_t most);
const char *measure_edge_name(enum measure_edge edge);
/* Where the curve passes the height that tells one side from the other, and the points on both sides; NAN: it does
 * not within the points, or no point behind was measured while no sibling thread was busy. */
struct measured_edge {
    double at, below, above;
    double fast, slow;                   /* cycles on both sides */
};
struct measured_edge measure_edge_find(const struct measurement *measurement, enum measure_edge edge);

/* Footprints of the caches: levels of the curve "chase", memory the last one. */
size_t measure_levels(const struct measurement *measurement, struct curve_level levels[CURVE_MOST_LEVELS]);

#endif
