/* Arithmetic of measurements: the value of repeated rounds and its spread, plateaus and edges of a curve.
 *
 * No clock, no state: results follow from the arguments alone. Missing values are NAN. */
#ifndef SWEEP_MEASURE_SPREAD_H
#define SWEEP_MEASURE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

enum { MEASURE_KEPT_PASSES = 1024, MEASURE_MOST_ROUNDS = 256 };

/* Passes of one benchmark, the least of all its rounds, in order; and of each round the least. */
struct passes {
    struct pass {
        double cycles;
        double beside;                   /* cycles of a short loop right before or after it, the larger */
        unsigned round;
    } kept[MEASURE_KEPT_PASSES];
    double rounds[MEASURE_MOST_ROUNDS];  /* in order of size */
    size_t count, round_count;
    size_t all;                          /* passes with those that are not kept */
};

/* One that is not finite is not counted. */
void passes_add(struct passes *passes, const struct pass *pass);
/* Ends a round whose least pass it was; beyond the most the largest is replaced. */
void passes_end_round(struct passes *passes, double least);
/* Others' load only makes passes longer, so the value is the least one that is confirmed: of the least group of three
 * passes within `PASSES_AGREE` of each other that are of two rounds at least, the middle one; without such a group the
 * second least, or the only one. NAN: none. A single pass that is too short, as where both measurements of the clock
 * beside it were disturbed alike, is in no group. */
#define PASSES_AGREE 0.01
double passes_value(const struct passes *passes);
bool passes_are_confirmed(const struct passes *passes);
/* The second least of the passes whose loops beside took no longer than `most`, if there are three of them, of two
 * rounds at least; NAN: there are not. Whatever takes so long in these, takes so long by itself. */
double passes_quiet_value(const struct passes *passes, double most);
/* How far the median of the rounds' leasts or the first quartile of all passes lies from the value, in parts of it: the
 * larger of both, without sign; NAN of fewer than two rounds. */
double passes_spread(const struct passes *passes);
/* Confirmed, of three rounds at least, and with a spread of no more than PASSES_STEADY. If not, another measurement may
 * find something else: where load never ends, the least passes are a tail that grows with their number. */
#define PASSES_STEADY 0.02
bool passes_are_steady(const struct passes *passes);

/* ---- curves: x grows */
struct curve_point {
    double x, y;
};

enum { CURVE_MOST_LEVELS = 6 };

struct curve_level {
    size_t first, last;                  /* points of the plateau */
    double y;                            /* their median */
    double edge;                         /* the largest x that still belongs to the level: its y has risen by less than
                                          * a quarter of the way to the next plateau; NAN: the last level */
    double next;                         /* the x behind it; NAN likewise */
};

/* Plateaus, lowest first: at least `points` points in a row, each at most `within` above the one before it, and higher
 * than the plateau before by more than twice that. Points that are NAN are left out. How many there are. */
size_t curve_levels(const struct curve_point *points_of, size_t count, size_t points, double within,
                    struct curve_level levels[CURVE_MOST_LEVELS]);
/* The x at which the curve rises through y for the last time, between points by a straight line; NAN: it ends below, or
 * begins above. The last time, since disturbances only make points higher. *below, *above: the points on both
 * sides; `count` without such a point. */
double curve_crossing(const struct curve_point *points, size_t count, double y, size_t *below, size_t *above);

/* The entry of a list that is nearest by ratio. */
double nearest_of(const double *list, size_t count, double value);

#endif
