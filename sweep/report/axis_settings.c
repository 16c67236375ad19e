/* Points are sorted by all levels but those of the axis, so that each setting is a run of them. Means are of
 * logarithms, each setting's around its own mean: a setting that lacks levels counts for those that it has. */
#include "sweep/report/axis_settings.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_SETTINGS = 20 };

struct settings_place {
    const struct effects_space *space;
    size_t axis, point;
};

struct settings_run {
    const struct effects_space *space;
    const struct settings_place *places;
    size_t count;                        /* of points; those without a value are left out before */
    size_t axis;
    double *sums;                        /* of each level, of centred logarithms */
    size_t *counts;
    double *ratios;                      /* of each setting: log(worst / best) */
};

static int compare_settings(const struct settings_place *one, const struct settings_place *two)
{
    for (size_t axis = 0; axis < one->space->axis_count; axis++) {
        uint32_t const a = effects_level(one->space, one->point, axis), b = effects_level(one->space, two->point, axis);

        if (axis != one->axis && a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static int by_setting(const void *a, const void *b)
{
    const struct settings_place *const one = a, *const two = b;
    int const order = compare_settings(one, two);

    return order ? order : (one->point > two->point) - (one->point < two->point);
}

static int settings_rising(const void *a, const void *b)
{
    double const one = *(const double *)a, two = *(const double *)b;

    return (one > two) - (one < two);
}

/* The end of the setting that begins at `first`. */
static size_t setting_end(const struct settings_run *run, size_t first)
{
    size_t end = first + 1;

    while (end < run->count && compare_settings(&run->places[first], &run->places[end]) == 0)
        end++;
    return end;
}

static double log_value(const struct settings_run *run, size_t place)
{
    return log(run->space->values[run->places[place].point]);
}

static uint32_t level_at(const struct settings_run *run, size_t place)
{
    return effects_level(run->space, run->places[place].point, run->axis);
}

/* Sums of each level, and the setting with the largest spread. */
static void sum_levels(struct settings_run *run, struct settings_effect *effect)
{
    for (size_t first = 0, end; first < run->count; first = end) {
        double sum = 0;
        size_t low = first, high = first;

        end = setting_end(run, first);
        for (size_t i = first; i < end; i++) {
            sum += log_value(run, i);
            low = log_value(run, i) < log_value(run, low) ? i : low;
            high = log_value(run, i) > log_value(run, high) ? i : high;
        }
        if (end - first < 2)
            continue;
        for (size_t i = first; i < end; i++) {
            run->sums[level_at(run, i)] += log_value(run, i) - sum / (double)(end - first);
            run->counts[level_at(run, i)]++;
        }
        if (exp(log_value(run, high) - log_value(run, low)) - 1 > effect->most) {
            effect->most = exp(log_value(run, high) - log_value(run, low)) - 1;
            effect->most_low = run->places[low].point;
            effect->most_high = run->places[high].point;
        }
    }
}

static void rank_levels(const struct settings_run *run, struct settings_effect *effect)
{
    size_t const levels = run->space->axes[run->axis].levels;
    bool is_first = true;

    for (size_t i = 0; i < levels; i++) {
        effect->means[i] = run->counts[i] ? run->sums[i] / (double)run->counts[i] : (double)NAN;
        if (!run->counts[i])
            continue;
        if (is_first || effect->means[i] < effect->means[effect->best])
            effect->best = i;
        if (is_first || effect->means[i] >= effect->means[effect->worst])
            effect->worst = i;
        is_first = false;
    }
    for (size_t i = levels; i > 0; i--)                  /* the best one last, as the others are over it */
        if (i - 1 != effect->best)
            effect->means[i - 1] = exp(effect->means[i - 1] - effect->means[effect->best]);
    if (!is_first)
        effect->means[effect->best] = 1;
}

/* Ratios of the worst to the best level, where a setting has both. */
static void take_ratios(struct settings_run *run, settings_half_of *half_of, const void *self,
                        struct settings_effect *effect)
{
    double sum = 0, halves = 0;

    for (size_t first = 0, end; first < run->count; first = end) {
        size_t best = SIZE_MAX, worst = SIZE_MAX;

        end = setting_end(run, first);
        for (size_t i = first; i < end; i++) {
            best = level_at(run, i) == effect->best ? i : best;
            worst = level_at(run, i) == effect->worst ? i : worst;
        }
        if (best == SIZE_MAX || worst == SIZE_MAX || best == worst)
            continue;
        run->ratios[effect->settings] = log_value(run, worst) - log_value(run, best);
        sum += run->ratios[effect->settings++];
        halves += half_of ? half_of(self, run->places[best].point, run->places[worst].point) : 0;
    }
    if (effect->settings == 0)
        return;
    qsort(run->ratios, effect->settings, sizeof *run->ratios, settings_rising);
    effect->mean = exp(sum / (double)effect->settings) - 1;
    /* Settings of one workload err together, so their errors are not taken to cancel. */
    effect->half = halves / (double)effect->settings;

    size_t const cut = effect->settings < FEW_SETTINGS ? 0 : effect->settings / FEW_SETTINGS;

    effect->low = exp(run->ratios[cut]) - 1;
    effect->high = exp(run->ratios[effect->settings - 1 - cut]) - 1;
}

static size_t place_points(const struct effects_space *space, size_t axis, struct settings_place *places)
{
    size_t count = 0;

    for (size_t i = 0; i < space->point_count; i++)
        if (isfinite(space->values[i]) && space->values[i] > 0)
            places[count++] = (struct settings_place){space, axis, i};
    qsort(places, count, sizeof *places, by_setting);
    return count;
}

bool settings_effect(const struct effects_space *space, size_t axis, settings_half_of *half_of, const void *self,
                     struct settings_effect *effect)
{
    size_t const levels = space->axes[axis].levels;
    struct settings_place *const places = calloc(space->point_count + 1, sizeof *places);
    struct settings_run run = {
        .space = space, .places = places, .axis = axis, .sums = calloc(levels + 1, sizeof *run.sums),
        .counts = calloc(levels + 1, sizeof *run.counts), .ratios = calloc(space->point_count + 1, sizeof *run.ratios)};
    bool is_done;

    *effect = (struct settings_effect){.axis = axis, .means = calloc(levels + 1, sizeof *effect->means)};
    is_done = places && run.sums && run.counts && run.ratios && effect->means;
    if (is_done) {
        run.count = place_points(space, axis, places);
        sum_levels(&run, effect);
        rank_levels(&run, effect);
        take_ratios(&run, half_of, self, effect);
    } else {
        settings_effect_free(effect);
    }
    free(places);
    free(run.sums);
    free(run.counts);
    free(run.ratios);
    return is_done;
}

void settings_effect_free(struct settings_effect *effect)
{
    free(effect->means);
    effect->means = NULL;
}
