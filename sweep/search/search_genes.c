#include "sweep/search/search_genes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/search/hypervolume.h"

#define STEP_SHARE 0.8                   /* of a number's mutations are by one or two levels */

/* ---- children */
static uint32_t mutate(const struct search_axis *axis, uint32_t level, struct search_draw *draw)
{
    size_t const step = 1 + search_draw_below(draw, 2);
    bool const goes_up = search_draw_below(draw, 2) != 0;

    if (!axis->has_order || search_draw_share(draw) >= STEP_SHARE)
        return (uint32_t)search_draw_below(draw, axis->levels);
    if (goes_up)
        return level + step < axis->levels ? level + (uint32_t)step : axis->levels - 1;
    return level > step ? level - (uint32_t)step : 0;
}

void genes_child(const struct genes *genes, const uint32_t *one, const uint32_t *other, uint32_t *child,
                 struct search_draw *draw)
{
    double const share = 1.2 / (double)genes->axis_count;

    for (size_t i = 0; i < genes->axis_count; i++) {
        child[i] = search_draw_below(draw, 2) ? one[i] : other[i];
        if (search_draw_share(draw) < share)
            child[i] = mutate(&genes->axes[i], child[i], draw);
    }
}

/* ---- ranks */
struct placed {
    double value;
    size_t row;
};

static int genes_by_value(const void *one, const void *other)
{
    struct placed const *const a = one, *const b = other;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Crowding of the members of one front. */
static void add_distances(const double *rows, size_t objectives, struct placed *members, size_t count,
                          double *distance)
{
    for (size_t m = 0; m < objectives; m++) {
        double range;

        for (size_t i = 0; i < count; i++)
            members[i].value = rows[members[i].row * objectives + m];
        qsort(members, count, sizeof *members, genes_by_value);
        range = members[count - 1].value - members[0].value;
        distance[members[0].row] = distance[members[count - 1].row] = INFINITY;
        for (size_t i = 1; i + 1 < count && range > 0; i++)
            distance[members[i].row] += (members[i + 1].value - members[i - 1].value) / range;
    }
}

bool genes_rank(const double *rows, size_t count, size_t objectives, size_t *front, double *distance)
{
    bool *const skipped = calloc(count + 1, sizeof *skipped), *const marked = calloc(count + 1, sizeof *marked);
    struct placed *const members = calloc(count + 1, sizeof *members);
    size_t left = count;

    for (size_t number = 0; skipped && marked && members && left > 0; number++) {
        size_t found = 0;

        /* equal rows are of the same front */
        front_mark(rows, count, objectives, skipped, marked);
        for (size_t i = 0; i < count; i++) {
            bool is_of_it = !skipped[i] && marked[i];

            for (size_t k = 0; k < i && !is_of_it && !skipped[i]; k++)
                is_of_it = marked[k] && memcmp(rows + k * objectives, rows + i * objectives,
                                               objectives * sizeof *rows) == 0;
            if (!is_of_it)
                continue;
            marked[i] = true;
            members[found++].row = i;
            front[i] = number;
            distance[i] = 0;
        }
        add_distances(rows, objectives, members, found, distance);
        for (size_t i = 0; i < found; i++)
            skipped[members[i].row] = true;
        left -= found;
    }
    free(skipped);
    free(marked);
    free(members);
    return left == 0;
}

/* ---- generations */
struct herd {
    const struct genes *genes;
    size_t count;                        /* of a generation; rows hold two, parents first */
    uint32_t *rows, *kept;
    double *values, *kept_values, *distance;
    size_t *front;
    struct placed *order;
};

static bool herd_make(struct herd *herd, const struct genes *genes, size_t count)
{
    *herd = (struct herd){.genes = genes, .count = count};
    herd->rows = calloc(2 * count * genes->axis_count + 1, sizeof *herd->rows);
    herd->kept = calloc(count * genes->axis_count + 1, sizeof *herd->kept);
    herd->values = calloc(2 * count * genes->objectives + 1, sizeof *herd->values);
    herd->kept_values = calloc(count * genes->objectives + 1, sizeof *herd->kept_values);
    herd->distance = calloc(2 * count + 1, sizeof *herd->distance);
    herd->front = calloc(2 * count + 1, sizeof *herd->front);
    herd->order = calloc(2 * count + 1, sizeof *herd->order);
    return herd->rows && herd->kept && herd->values && herd->kept_values && herd->distance && herd->front
        && herd->order;
}

static void herd_free(struct herd *herd)
{
    free(herd->rows);
    free(herd->kept);
    free(herd->values);
    free(herd->kept_values);
    free(herd->distance);
    free(herd->front);
    free(herd->order);
}

static bool is_fitter(const struct herd *herd, size_t one, size_t other)
{
    if (herd->front[one] != herd->front[other])
        return herd->front[one] < herd->front[other];
    return herd->distance[one] > herd->distance[other];
}

static const uint32_t *parent(const struct herd *herd, struct search_draw *draw)
{
    size_t const one = search_draw_below(draw, herd->count), other = search_draw_below(draw, herd->count);

    return herd->rows + (is_fitter(herd, other, one) ? other : one) * herd->genes->axis_count;
}

static void estimate_rows(const struct herd *herd, size_t from, size_t to)
{
    struct genes const *const genes = herd->genes;

    for (size_t i = from; i < to; i++)
        genes->estimate(genes->context, herd->rows + i * genes->axis_count, herd->values + i * genes->objectives);
}

/* The fitter half of parents and children become parents. A front's place and its crowding make one number: the front,
 * and less than 1 for the crowding. */
static bool select_half(struct herd *herd)
{
    size_t const axes = herd->genes->axis_count, objectives = herd->genes->objectives;

    if (!genes_rank(herd->values, 2 * herd->count, objectives, herd->front, herd->distance))
        return false;
    for (size_t i = 0; i < 2 * herd->count; i++)
        herd->order[i] = (struct placed){(double)herd->front[i] + 0.5 / (1 + herd->distance[i]), i};
    qsort(herd->order, 2 * herd->count, sizeof *herd->order, genes_by_value);
    for (size_t i = 0; i < herd->count; i++) {
        size_t const from = herd->order[i].row;

        memcpy(herd->kept + i * axes, herd->rows + from * axes, axes * sizeof *herd->kept);
        memcpy(herd->kept_values + i * objectives, herd->values + from * objectives, objectives * sizeof *herd->values);
    }
    memcpy(herd->rows, herd->kept, herd->count * axes * sizeof *herd->rows);
    memcpy(herd->values, herd->kept_values, herd->count * objectives * sizeof *herd->values);
    return genes_rank(herd->values, herd->count, objectives, herd->front, herd->distance);
}

static bool breed(struct herd *herd, size_t generations, struct search_draw *draw)
{
    struct genes const *const genes = herd->genes;

    estimate_rows(herd, 0, herd->count);
    if (!genes_rank(herd->values, herd->count, genes->objectives, herd->front, herd->distance))
        return false;
    for (size_t generation = 0; generation < generations; generation++) {
        for (size_t i = herd->count; i < 2 * herd->count; i++) {
            const uint32_t *const one = parent(herd, draw);
            uint32_t *const child = herd->rows + i * genes->axis_count;

            genes_child(genes, one, parent(herd, draw), child, draw);
            genes->see(genes->context, child);
        }
        estimate_rows(herd, herd->count, 2 * herd->count);
        if (!select_half(herd))
            return false;
    }
    return true;
}

bool genes_breed(const struct genes *genes, uint32_t *rows, size_t count, size_t generations,
                 struct search_draw *draw)
{
    struct herd herd;
    bool is_bred = herd_make(&herd, genes, count);

    if (is_bred) {
        memcpy(herd.rows, rows, count * genes->axis_count * sizeof *rows);
        is_bred = breed(&herd, generations, draw);
        memcpy(rows, herd.rows, count * genes->axis_count * sizeof *rows);
    }
    herd_free(&herd);
    return is_bred;
}
