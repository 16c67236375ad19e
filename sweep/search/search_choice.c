/* The next designs of a search: surrogates learn what is known, a pool of designs is bred, and the most promising of it
 * are taken one by one. Objectives that are all above 0 are learnt as logarithms, cut to 2^-32, so that the last digit
 * of a host's logarithm decides nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/search/hypervolume.h"
#include "sweep/search/search_genes.h"
#include "sweep/search/search_internal.h"

enum { HERD = 64, GENERATIONS = 16, MOST_POOLED = 4096, RANDOM_PART = 64, MOST_FRONT_OF_THREE = 48 };
#define ROOM 0.1                         /* of the front's range, behind its ends */
#define UNLIKELY 10.0                    /* what a design that is not feasible is worse by, on the scale of the front */
#define SUM_SHARE 0.05                   /* of the weighted sum, beside the worst weighted objective */

struct choice {
    struct search *search;
    size_t axes, objectives;
    bool has_logs[SEARCH_MAX_OBJECTIVES];
    bool has_chance;                     /* some design was not feasible */
    double low[SEARCH_MAX_OBJECTIVES], range[SEARCH_MAX_OBJECTIVES];     /* of the front */
    struct design_set pool;
    bool lacks_memory;
    double *means, *samples;             /* of the pool, on the scale of the front: 0 to 1 */
    double *chances;
    bool *is_gone;
    double *front;                       /* known feasible designs and those of the batch, on that scale */
    size_t front_count;
};

/* ---- learning */
static double learnt_value(const struct choice *choice, size_t objective, double value)
{
    return choice->has_logs[objective] ? rint(log(value) * 0x1p32) * 0x1p-32 : value;
}

static bool has_values(const struct search *search, size_t told)
{
    for (size_t i = 0; i < search->problem.objectives; i++)
        if (!isfinite(search->answers[told].objectives[i]))
            return false;
    return true;
}

static bool learn(struct choice *choice)
{
    struct search *const search = choice->search;
    uint32_t *const rows = malloc((search->told * choice->axes + 1) * sizeof *rows);
    double *const values = malloc((search->told + 1) * sizeof *values);
    bool is_learnt = rows && values;
    size_t count = 0;

    for (size_t m = 0; is_learnt && m < choice->objectives; m++) {
        choice->has_logs[m] = true;
        for (size_t i = 0; i < search->told; i++)
            if (has_values(search, i) && search->answers[i].objectives[m] <= 0)
                choice->has_logs[m] = false;
        count = 0;
        for (size_t i = 0; i < search->told; i++) {
            if (!has_values(search, i))
                continue;
            memcpy(rows + count * choice->axes, search_row(search, i), choice->axes * sizeof *rows);
            values[count++] = learnt_value(choice, m, search->answers[i].objectives[m]);
        }
        is_learnt = forest_learn(search->forests[m], rows, values, count, &search->draw);
    }
    for (size_t i = 0; is_learnt && i < search->told; i++) {
        values[i] = search->answers[i].is_feasible;
        choice->has_chance |= !search->answers[i].is_feasible;
    }
    if (is_learnt && choice->has_chance)
        is_learnt = forest_learn(search->chance, search->rows, values, search->told, &search->draw);
    free(rows);
    free(values);
    return is_learnt;
}

/* ---- the front that is known */
static double on_scale(const struct choice *choice, size_t objective, double learnt)
{
    return (learnt - choice->low[objective]) / choice->range[objective];
}

static bool find_front(struct choice *choice)
{
    struct search const *const search = choice->search;
    bool *const is_front = malloc((search->told + 1) * sizeof *is_front);
    size_t count = 0;
    double high[SEARCH_MAX_OBJECTIVES];

    choice->front = malloc((search->told + MOST_POOLED + 1) * choice->objectives * sizeof *choice->front);
    if (!is_front || !choice->front || !search_front(search, is_front, &count)) {
        free(is_front);
        return false;
    }
    for (size_t i = 0; i < search->told; i++)
        for (size_t m = 0; m < choice->objectives && is_front[i]; m++)
            choice->front[choice->front_count++] = learnt_value(choice, m, search->answers[i].objectives[m]);
    choice->front_count /= choice->objectives;
    for (size_t m = 0; m < choice->objectives; m++) {
        choice->low[m] = INFINITY;
        high[m] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            choice->low[m] = fmin(choice->low[m], choice->front[i * choice->objectives + m]);
            high[m] = fmax(high[m], choice->front[i * choice->objectives + m]);
        }
        choice->low[m] = count ? choice->low[m] : 0;
        choice->range[m] = count && high[m] > choice->low[m] ? high[m] - choice->low[m] : 1;
    }
    for (size_t i = 0; i < count * choice->objectives; i++)
        choice->front[i] = on_scale(choice, i % choice->objectives, choice->front[i]);
    free(is_front);
    return true;
}

/* ---- the pool */
static void see_row(void *context, const uint32_t *row)
{
    struct choice *const choice = context;

    if (choice->pool.count < MOST_POOLED && !design_set_has(&choice->search->asked, row)
        && !design_set_add(&choice->pool, row, NULL))
        choice->lacks_memory = true;
}

static void estimate_row(void *context, const uint32_t *row, double *objectives)
{
    struct choice const *const choice = context;
    double samples[SEARCH_SAMPLES];

    for (size_t m = 0; m < choice->objectives; m++)
        objectives[m] = forest_estimate(choice->search->forests[m], row, samples);
}

/* All that are one level away. */
static void see_neighbours(struct choice *choice, const uint32_t *row, uint32_t *other)
{
    struct search_axis const *const axes = choice->search->problem.axes;

    memcpy(other, row, choice->axes * sizeof *other);
    for (size_t i = 0; i < choice->axes; i++) {
        for (uint32_t level = 0; level < axes[i].levels; level++) {
            bool const is_near = !axes[i].has_order || level + 1 == row[i] || level == row[i] + 1;

            other[i] = level;
            if (is_near && level != row[i])
                see_row(choice, other);
        }
        other[i] = row[i];
    }
}

/* Begins with the front, as far as there is room, and with any designs. */
static bool fill_pool(struct choice *choice)
{
    struct search *const search = choice->search;
    struct genes const genes = {.axes = search->problem.axes, .axis_count = choice->axes,
                                .objectives = choice->objectives, .estimate = estimate_row, .see = see_row,
                                .context = choice};
    uint32_t *const herd = malloc((HERD + 1) * (choice->axes + 1) * sizeof *herd);
    bool *const is_front = malloc((search->told + 1) * sizeof *is_front);
    size_t count = 0, used = 0;
    bool is_filled = herd && is_front && search_front(search, is_front, &count);

    for (size_t i = search->told; is_filled && i > 0; i--) {
        if (!is_front[i - 1])
            continue;
        if (used < HERD / 2)
            memcpy(herd + used++ * choice->axes, search_row(search, i - 1), choice->axes * sizeof *herd);
        see_neighbours(choice, search_row(search, i - 1), herd + HERD * choice->axes);
    }
    for (size_t i = used; is_filled && i < HERD + RANDOM_PART; i++) {
        uint32_t *const row = herd + (i < HERD ? i : HERD) * choice->axes;

        for (size_t k = 0; k < choice->axes; k++)
            row[k] = (uint32_t)search_draw_below(&search->draw, search->problem.axes[k].levels);
        see_row(choice, row);
    }
    is_filled = is_filled && genes_breed(&genes, herd, HERD, GENERATIONS, &search->draw);
    free(herd);
    free(is_front);
    return is_filled && !choice->lacks_memory;
}

static bool estimate_pool(struct choice *choice)
{
    size_t const count = choice->pool.count, objectives = choice->objectives;
    double samples[SEARCH_SAMPLES];

    choice->means = malloc((count * objectives + 1) * sizeof *choice->means);
    choice->samples = malloc((count * objectives * SEARCH_SAMPLES + 1) * sizeof *choice->samples);
    choice->chances = malloc((count + 1) * sizeof *choice->chances);
    choice->is_gone = calloc(count + 1, sizeof *choice->is_gone);
    if (!choice->means || !choice->samples || !choice->chances || !choice->is_gone)
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *const row = choice->pool.rows + i * choice->axes;

        for (size_t m = 0; m < objectives; m++) {
            double const mean = forest_estimate(choice->search->forests[m], row, samples);

            choice->means[i * objectives + m] = on_scale(choice, m, mean);
            for (size_t s = 0; s < SEARCH_SAMPLES; s++)
                choice->samples[(i * SEARCH_SAMPLES + s) * objectives + m] = on_scale(choice, m, samples[s]);
        }
        choice->chances[i] = choice->has_chance ? forest_estimate(choice->search->chance, row, samples) : 1;
        choice->chances[i] = fmin(1, fmax(1e-3, choice->chances[i]));
    }
    return true;
}

/* ---- gains */
static double scalar(const double *row, const double *weights, size_t objectives)
{
    double sum = 0, worst = -INFINITY;

    for (size_t m = 0; m < objectives; m++) {
        sum += weights[m] * row[m];
        worst = fmax(worst, weights[m] * row[m]);
    }
    return worst + SUM_SHARE * sum;
}

/* Weights that add up to 1, all as likely (by exponential draws they would need a logarithm; by gaps they do not). */
static void draw_weights(struct search_draw *draw, size_t objectives, double *weights)
{
    double cuts[SEARCH_MAX_OBJECTIVES + 1] = {0};

    for (size_t m = 1; m < objectives; m++) {
        double const cut = search_draw_share(draw);
        size_t k = m;

        for (; k > 1 && cuts[k - 1] > cut; k--)
            cuts[k] = cuts[k - 1];
        cuts[k] = cut;
    }
    cuts[objectives] = 1;
    for (size_t m = 0; m < objectives; m++)
        weights[m] = cuts[m + 1] - cuts[m];
}

static double volume_gain(const struct choice *choice, size_t i)
{
    double const reference[SEARCH_MAX_OBJECTIVES] = {1 + ROOM, 1 + ROOM, 1 + ROOM, 1 + ROOM};
    double sum = 0;

    for (size_t s = 0; s < SEARCH_SAMPLES; s++) {
        const double *const sample = choice->samples + (i * SEARCH_SAMPLES + s) * choice->objectives;

        sum += choice->objectives == 2
            ? hypervolume_gain(choice->front, choice->front_count, reference, sample)
            : hypervolume_added(choice->front, choice->front_count, choice->objectives, reference, sample);
    }
    return sum * choice->chances[i];
}

/* Volumes of more than two objectives take long where fronts are large. */
static bool has_volume(const struct choice *choice)
{
    return choice->objectives == 2
        || (choice->objectives == 3 && choice->front_count <= MOST_FRONT_OF_THREE);
}

static double scalar_gain(const struct choice *choice, size_t i, const double *weights, double best)
{
    double sum = 0;

    for (size_t s = 0; s < SEARCH_SAMPLES; s++)
        sum += fmax(0, best - scalar(choice->samples + (i * SEARCH_SAMPLES + s) * choice->objectives, weights,
                                     choice->objectives));
    return sum * choice->chances[i];
}

/* The most promising of the pool; if no gain is expected of any, the one with the lowest weighted estimate that is
 * probably feasible. pool.count: the pool is empty. */
static size_t find_best(struct choice *choice)
{
    double weights[SEARCH_MAX_OBJECTIVES], best = INFINITY, most = 0, least = INFINITY;
    size_t gainer = choice->pool.count, lowest = choice->pool.count;

    draw_weights(&choice->search->draw, choice->objectives, weights);
    for (size_t i = 0; i < choice->front_count; i++)
        best = fmin(best, scalar(choice->front + i * choice->objectives, weights, choice->objectives));
    for (size_t i = 0; i < choice->pool.count; i++) {
        double gain, value;

        if (choice->is_gone[i])
            continue;
        gain = choice->front_count == 0 ? 0 : has_volume(choice) ? volume_gain(choice, i)
                                            : scalar_gain(choice, i, weights, best);
        value = choice->front_count ? scalar(choice->means + i * choice->objectives, weights, choice->objectives) : 0;
        value += UNLIKELY * (1 - choice->chances[i]);
        if (gain > most) {
            most = gain;
            gainer = i;
        }
        if (value < least) {
            least = value;
            lowest = i;
        }
    }
    return gainer < choice->pool.count ? gainer : lowest;
}

/* The design counts as known by its estimate. */
static void believe(struct choice *choice, size_t i)
{
    if (choice->front_count == 0)
        return;
    memcpy(choice->front + choice->front_count * choice->objectives, choice->means + i * choice->objectives,
           choice->objectives * sizeof *choice->front);
    choice->front_count++;
    if (choice->objectives == 2)
        choice->front_count = front_sort(choice->front, choice->front_count);
}

static bool take_best(struct choice *choice, size_t wanted, uint32_t *rows, size_t *count)
{
    if (choice->objectives == 2)
        choice->front_count = front_sort(choice->front, choice->front_count);
    for (size_t left = choice->pool.count; *count < wanted && left > 0; left--) {
        size_t const best = find_best(choice);
        uint32_t *const row = rows + *count * choice->axes;
        bool is_taken;

        memcpy(row, choice->pool.rows + best * choice->axes, choice->axes * sizeof *row);
        choice->is_gone[best] = true;
        if (!search_take(choice->search, row, &is_taken))
            return false;
        if (is_taken)
            believe(choice, best);
        *count += is_taken;
    }
    return true;
}

bool search_choose(struct search *search, size_t wanted, uint32_t *rows, size_t *count)
{
    struct choice choice = {.search = search, .axes = search->problem.axis_count,
                            .objectives = search->problem.objectives, .pool.axis_count = search->problem.axis_count};
    bool is_taken = true, works;

    *count = 0;
    works = learn(&choice) && find_front(&choice) && fill_pool(&choice) && estimate_pool(&choice)
         && take_best(&choice, wanted, rows, count);
    while (works && *count < wanted && is_taken) {
        works = search_take_any(search, rows + *count * choice.axes, &is_taken);
        *count += works && is_taken;
    }
    design_set_free(&choice.pool);
    free(choice.means);
    free(choice.samples);
    free(choice.chances);
    free(choice.is_gone);
    free(choice.front);
    return works;
}
