#include "sweep/measure/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- passes */
void passes_add(struct passes *passes, const struct pass *pass)
{
    size_t at = passes->count;

    if (!isfinite(pass->cycles))
        return;
    passes->all++;
    if (at == MEASURE_KEPT_PASSES && passes->kept[--at].cycles <= pass->cycles)
        return;
    for (; at > 0 && passes->kept[at - 1].cycles > pass->cycles; at--)
        passes->kept[at] = passes->kept[at - 1];
    passes->kept[at] = *pass;
    if (passes->count < MEASURE_KEPT_PASSES)
        passes->count++;
}

void passes_end_round(struct passes *passes, double least)
{
    size_t at = passes->round_count;

    if (!isfinite(least))
        return;
    if (at == MEASURE_MOST_ROUNDS && passes->rounds[--at] <= least)
        return;
    for (; at > 0 && passes->rounds[at - 1] > least; at--)
        passes->rounds[at] = passes->rounds[at - 1];
    passes->rounds[at] = least;
    if (passes->round_count < MEASURE_MOST_ROUNDS)
        passes->round_count++;
}

/* The first of the least group; `count`: no group has three. */
static size_t least_group(const struct passes *passes)
{
    for (size_t i = 0; i + 2 < passes->count; i++) {
        const struct pass *const group = &passes->kept[i];
        bool const is_of_two = group[0].round != group[1].round || group[1].round != group[2].round;

        if (is_of_two && group[2].cycles <= group[0].cycles * (1 + PASSES_AGREE))
            return i;
    }
    return passes->count;
}

bool passes_are_confirmed(const struct passes *passes)
{
    return least_group(passes) < passes->count;
}

double passes_quiet_value(const struct passes *passes, double most)
{
    double second = (double)NAN;
    unsigned count = 0, first_round = 0;
    bool is_of_two = false;

    for (size_t i = 0; i < passes->count; i++) {
        const struct pass *const pass = &passes->kept[i];

        if (pass->beside > most)
            continue;
        if (count == 0)
            first_round = pass->round;
        is_of_two = is_of_two || pass->round != first_round;
        if (++count == 2)
            second = pass->cycles;
    }
    return count >= 3 && is_of_two ? second : (double)NAN;
}

double passes_value(const struct passes *passes)
{
    size_t const group = least_group(passes);

    if (passes->count == 0)
        return (double)NAN;
    return passes->kept[group < passes->count ? group + 1 : passes->count > 1].cycles;
}

double passes_spread(const struct passes *passes)
{
    size_t const quarter = passes->all / 4, last = passes->count - 1;

    if (passes->round_count < 2 || passes->count == 0)
        return (double)NAN;
    return fmax(fabs(passes->rounds[passes->round_count / 2] / passes_value(passes) - 1),
                fabs(passes->kept[quarter < last ? quarter : last].cycles / passes_value(passes) - 1));
}

bool passes_are_steady(const struct passes *passes)
{
    return passes_are_confirmed(passes) && passes->round_count >= 3 && passes_spread(passes) <= PASSES_STEADY;
}

/* ---- curves */
static int by_number(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median_of(const struct curve_point *points, size_t first, size_t last)
{
    double sorted[256];
    size_t count = 0;

    for (size_t i = first; i <= last && count < sizeof sorted / sizeof sorted[0]; i++)
        if (isfinite(points[i].y))
            sorted[count++] = points[i].y;
    qsort(sorted, count, sizeof sorted[0], by_number);
    return count == 0 ? (double)NAN : sorted[count / 2];
}

/* The last point of the run that begins at `first`. *points: how many it has. */
static size_t run_of(const struct curve_point *curve, size_t count, size_t first, double within, size_t *points)
{
    size_t last = first;

    *points = 1;
    for (size_t i = first + 1; i < count; i++) {
        if (!isfinite(curve[i].y))
            continue;
        if (curve[i].y > curve[last].y * (1 + within))
            break;
        last = i;
        ++*points;
    }
    return last;
}

static void find_edges(const struct curve_point *curve, size_t count, struct curve_level *levels, size_t level_count)
{
    for (size_t i = 0; i < level_count; i++) {
        struct curve_level *const level = &levels[i];

        level->edge = level->next = (double)NAN;
        if (i + 1 == level_count)
            return;
        double const most = level->y + 0.25 * (levels[i + 1].y - level->y);

        for (size_t p = level->first; p < count && isnan(level->next); p++) {
            if (isfinite(curve[p].y) && curve[p].y <= most)
                level->edge = curve[p].x;
            else if (isfinite(curve[p].y))
                level->next = curve[p].x;
        }
    }
}

size_t curve_levels(const struct curve_point *curve, size_t count, size_t points, double within,
                    struct curve_level levels[CURVE_MOST_LEVELS])
{
    size_t found = 0;

    for (size_t i = 0; i < count;) {
        size_t run, last;
        double y;

        if (!isfinite(curve[i].y)) {
            i++;
            continue;
        }
        last = run_of(curve, count, i, within, &run);
        y = median_of(curve, i, last);
        if (run >= points && found > 0 && y <= levels[found - 1].y * (1 + 2 * within)) {
            levels[found - 1].last = last;
        } else if (run >= points && found < CURVE_MOST_LEVELS) {
            levels[found++] = (struct curve_level){.first = i, .last = last, .y = y};
        }
        i = last + 1;
    }
    find_edges(curve, count, levels, found);
    return found;
}

double curve_crossing(const struct curve_point *points, size_t count, double y, size_t *below, size_t *above)
{
    double share;

    *below = *above = count;
    for (size_t i = count; i-- > 0 && *below == count;) {
        if (!isfinite(points[i].y))
            continue;
        if (points[i].y < y)
            *below = i;
        else
            *above = i;
    }
    if (*below == count || *above == count)
        return (double)NAN;
    share = (y - points[*below].y) / (points[*above].y - points[*below].y);
    return points[*below].x + share * (points[*above].x - points[*below].x);
}

double nearest_of(const double *list, size_t count, double value)
{
    double best = (double)NAN, least = INFINITY;

    for (size_t i = 0; i < count; i++) {
        double const distance = fabs(log(list[i] / value));

        if (distance < least) {
            least = distance;
            best = list[i];
        }
    }
    return best;
}
