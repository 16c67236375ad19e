/* Two objectives: the area under stairs. More: the sum of what each row adds to those behind it; a row's own volume is
 * its box, without what the others dominate of that box, which is a hypervolume of fewer rows. */
#include "sweep/search/hypervolume.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool front_dominates(const double *one, const double *other, size_t objectives)
{
    bool is_better = false;

    for (size_t i = 0; i < objectives; i++) {
        if (one[i] > other[i])
            return false;
        is_better |= one[i] < other[i];
    }
    return is_better;
}

static bool front_are_equal(const double *one, const double *other, size_t objectives)
{
    for (size_t i = 0; i < objectives; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

size_t front_mark(const double *rows, size_t count, size_t objectives, const bool *skipped, bool *is_front)
{
    size_t marked = 0;

    for (size_t i = 0; i < count; i++) {
        const double *const row = rows + i * objectives;

        is_front[i] = !skipped || !skipped[i];
        for (size_t k = 0; k < count && is_front[i]; k++)
            if ((!skipped || !skipped[k])
                && (front_dominates(rows + k * objectives, row, objectives)
                    || (k < i && front_are_equal(rows + k * objectives, row, objectives))))
                is_front[i] = false;
        marked += is_front[i];
    }
    return marked;
}

/* ---- two objectives */
static int front_by_first(const void *one, const void *other)
{
    const double *const a = one, *const b = other;

    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

size_t front_sort(double *rows, size_t count)
{
    size_t kept = 0;

    qsort(rows, count, 2 * sizeof *rows, front_by_first);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && rows[2 * i + 1] >= rows[2 * kept - 1])
            continue;
        rows[2 * kept] = rows[2 * i];
        rows[2 * kept + 1] = rows[2 * i + 1];
        kept++;
    }
    return kept;
}

double hypervolume_gain(const double *front, size_t count, const double *reference, const double *row)
{
    double sum = 0, left = row[0], height = reference[1];

    if (row[0] >= reference[0] || row[1] >= reference[1])
        return 0;
    for (size_t i = 0; i <= count; i++) {
        double const right = i < count && front[2 * i] < reference[0] ? front[2 * i] : reference[0];

        if (right > left) {
            sum += (right - left) * (height - row[1]);
            left = right;
        }
        if (i == count || front[2 * i] >= reference[0] || front[2 * i + 1] <= row[1])
            break;
        height = front[2 * i + 1] < height ? front[2 * i + 1] : height;
    }
    return sum;
}

static double stairs_area(double *rows, size_t count, const double *reference)
{
    size_t const kept = front_sort(rows, count);
    double sum = 0, height = reference[1];

    for (size_t i = 0; i < kept; i++) {
        sum += (reference[0] - rows[2 * i]) * (height - rows[2 * i + 1]);
        height = rows[2 * i + 1];
    }
    return sum;
}

/* ---- more */
static double volume_of(double *rows, size_t count, size_t objectives, const double *reference);

/* Rows as far as they lie in the box of `row`: the worse of both in each objective; without those that another one
 * dominates. */
static size_t limit_rows(const double *row, const double *rows, size_t count, size_t objectives,
                         const double *reference, double *limited)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        double *const made = limited + kept * objectives;
        bool is_new = true;

        for (size_t m = 0; m < objectives; m++) {
            made[m] = rows[i * objectives + m] > row[m] ? rows[i * objectives + m] : row[m];
            is_new &= made[m] < reference[m];
        }
        for (size_t k = 0; k < kept && is_new; k++)
            is_new = !front_dominates(limited + k * objectives, made, objectives)
                  && !front_are_equal(limited + k * objectives, made, objectives);
        kept += is_new;
    }
    return kept;
}

static double own_volume(const double *row, const double *others, size_t count, size_t objectives,
                         const double *reference)
{
    double *const limited = malloc((count * objectives + 1) * sizeof *limited);
    double box = 1, sum;

    if (!limited)
        return NAN;
    for (size_t m = 0; m < objectives; m++)
        box *= reference[m] - row[m];
    sum = box - volume_of(limited, limit_rows(row, others, count, objectives, reference, limited), objectives,
                          reference);
    free(limited);
    return sum;
}

static double volume_of(double *rows, size_t count, size_t objectives, const double *reference)
{
    double sum = 0;

    if (count == 0)
        return 0;
    if (objectives == 1) {
        for (size_t i = 0; i < count; i++)
            sum = fmax(sum, reference[0] - rows[i]);
        return sum;
    }
    if (objectives == 2)
        return stairs_area(rows, count, reference);
    for (size_t i = 0; i < count; i++)
        sum += own_volume(rows + i * objectives, rows + (i + 1) * objectives, count - i - 1, objectives, reference);
    return sum;
}

double hypervolume_added(const double *rows, size_t count, size_t objectives, const double *reference,
                         const double *row)
{
    for (size_t m = 0; m < objectives; m++)
        if (!(row[m] < reference[m]))
            return 0;
    for (size_t i = 0; i < count; i++) {
        bool is_covered = true;

        for (size_t m = 0; m < objectives && is_covered; m++)
            is_covered = rows[i * objectives + m] <= row[m];
        if (is_covered)
            return 0;
    }
    return own_volume(row, rows, count, objectives, reference);
}

double hypervolume(const double *rows, size_t count, size_t objectives, const double *reference)
{
    double *const inside = malloc((count * objectives + 1) * sizeof *inside);
    size_t kept = 0;
    double volume;

    if (!inside)
        return NAN;
    for (size_t i = 0; i < count; i++) {
        bool is_inside = true;

        for (size_t m = 0; m < objectives; m++)
            is_inside &= rows[i * objectives + m] < reference[m];
        if (is_inside)
            memcpy(inside + kept++ * objectives, rows + i * objectives, objectives * sizeof *inside);
    }
    volume = volume_of(inside, kept, objectives, reference);
    free(inside);
    return volume;
}
