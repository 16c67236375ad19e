/* The axes: those that matter, those that matter in places, those that do not, and pairs that act together. An axis
 * that never changes alone, as it is zipped with another, has no effect of its own to tell. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sweep/report/conclude_internal.h"

#define TOGETHER 0.05                   /* interactions below this share are not told */

enum kind { KIND_NO_CHOICE, KIND_MATTERS, KIND_IN_PLACES, KIND_NOT, KIND_HIDDEN, KIND_NEVER_ALONE };

static enum kind kind_of(const struct settings_effect *effect)
{
    if (!effect->means)
        return KIND_NO_CHOICE;
    if (effect->settings == 0)
        return KIND_NEVER_ALONE;
    if (effect->half > 0 && log1p(effect->mean) <= effect->half)
        return KIND_HIDDEN;
    if (effect->mean >= CONCLUDE_EQUAL)
        return KIND_MATTERS;
    return effect->most >= CONCLUDE_EQUAL ? KIND_IN_PLACES : KIND_NOT;
}

/* The first level before the best one, in the axis' order, that is as good. */
static size_t enough_of(const struct settings_effect *effect)
{
    for (size_t i = 0; i < effect->best; i++)
        if (effect->means[i] <= 1 + CONCLUDE_EQUAL)
            return i;
    return effect->best;
}

static void put_range(FILE *to, const struct settings_effect *effect)
{
    char half[CONCLUDE_SHARE_TEXT];

    if (effect->half > 0)
        fprintf(to, ", \u00b1 %s %%", share_text(effect->half, half));
    if (effect->settings < 2)
        return;
    fputs("; from ", to);
    put_change(to, 1 / (1 + effect->low));
    fputs(" to ", to);
    put_change(to, 1 / (1 + effect->high));
    if (effect->settings < 20)
        fprintf(to, " in the %zu settings of everything else", effect->settings);
    else
        fprintf(to, " in nine of ten of the %zu settings of everything else", effect->settings);
}

static bool tell_axis(struct concluding *so, const struct settings_effect *effect)
{
    const struct effects_axis *const axis = &so->effects->axes[effect->axis];
    size_t const enough = enough_of(effect);
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    fprintf(to, "%s: with %s %s is ", axis->key, axis->names[effect->best], so->input->columns->list[0].name);
    put_change_from(to, 1 / (1 + effect->mean));
    fprintf(to, "with %s", axis->names[effect->worst]);
    put_range(to, effect);
    if (space_has_numbers(axis) && enough != effect->best && enough != effect->worst)
        fprintf(to, ". %s is enough: within 1 %% of %s", axis->names[enough], axis->names[effect->best]);
    fputs(".", to);
    return end_conclusion(so, to, CONCLUDE_MATTERS, SIZE_MAX, SIZE_MAX);
}

static bool tell_places(struct concluding *so, const struct settings_effect *effect)
{
    const struct space_point *const points = so->input->space->points;
    const struct effects_axis *const axis = &so->effects->axes[effect->axis];
    char mean[CONCLUDE_SHARE_TEXT], most[CONCLUDE_SHARE_TEXT];
    FILE *const to = begin_conclusion(so);

    if (!to)
        return false;
    fprintf(to, "%s: %s %% in the mean, but in places it does: %s %% from point %" PRIu64 " (%s) to %" PRIu64 " (%s).",
            axis->key, share_text(effect->mean, mean), share_text(effect->most, most), points[effect->most_low].number,
            axis->names[effects_level(so->effects, effect->most_low, effect->axis)], points[effect->most_high].number,
            axis->names[effects_level(so->effects, effect->most_high, effect->axis)]);
    return end_conclusion(so, to, CONCLUDE_NOT, effect->most_low, effect->most_high);
}

/* One sentence for all axes of a kind. */
static bool tell_kind(struct concluding *so, enum kind kind, const char *what)
{
    size_t count = 0;
    FILE *to;

    for (size_t i = 0; i < so->effects->axis_count; i++)
        count += kind_of(&so->axes[i]) == kind;
    if (count == 0)
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    for (size_t i = 0, shown = 0; i < so->effects->axis_count; i++)
        if (kind_of(&so->axes[i]) == kind)
            fprintf(to, "%s%s", shown++ ? ", " : "", so->effects->axes[i].key);
    fputs(what, to);
    return end_conclusion(so, to, CONCLUDE_NOT, SIZE_MAX, SIZE_MAX);
}

/* ---- pairs */
static bool is_whole(const double *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(cells[i]))
            return false;
    return true;
}

/* 0: axes that never change alone, or not in all pairs of levels, have no interaction to tell. */
static double interaction_of(const struct concluding *so, size_t rows, size_t columns)
{
    const struct effects_space *const effects = so->effects;
    size_t const cells = effects->axes[rows].levels * effects->axes[columns].levels;
    double *const means = calloc(cells + 1, sizeof *means);
    double interaction = 0;

    if (means && so->axes[rows].settings && so->axes[columns].settings) {
        interaction = effects_pair(effects, rows, columns, means);
        if (!is_whole(means, cells))
            interaction = 0;
    }
    free(means);
    return interaction;
}

static bool tell_pair(struct concluding *so)
{
    const struct effects_space *const effects = so->effects;
    size_t one = 0, other = 0;
    double most = TOGETHER;
    char share[CONCLUDE_SHARE_TEXT];
    FILE *to;

    for (size_t rows = 0; rows < effects->axis_count; rows++)
        for (size_t columns = rows + 1; columns < effects->axis_count; columns++) {
            double const here = is_choice(effects, rows) && is_choice(effects, columns)
                ? interaction_of(so, rows, columns) : 0;

            if (here > most) {
                most = here;
                one = rows;
                other = columns;
            }
        }
    if (one == other)
        return true;
    if (!(to = begin_conclusion(so)))
        return false;
    fprintf(to, "%s and %s: a pair of their values is up to %s %% from what both do on their own.",
            effects->axes[one].key, effects->axes[other].key, share_text(most, share));
    return end_conclusion(so, to, CONCLUDE_TOGETHER, SIZE_MAX, SIZE_MAX);
}

/* ---- all of it */
static bool find_axes(struct concluding *so)
{
    for (size_t i = 0; i < so->effects->axis_count; i++)
        if (is_choice(so->effects, i)
            && !settings_effect(so->effects, i, so->input->samples ? conclude_half : NULL, so, &so->axes[i]))
            return false;
    return true;
}

/* The largest effect first. */
static bool tell_axes(struct concluding *so)
{
    size_t const count = so->effects->axis_count;
    double last = INFINITY;

    for (size_t told = 0, at = SIZE_MAX; told < count; told++, at = SIZE_MAX) {
        for (size_t i = 0; i < count; i++)
            if (kind_of(&so->axes[i]) == KIND_MATTERS && so->axes[i].mean < last
                && (at == SIZE_MAX || so->axes[i].mean > so->axes[at].mean))
                at = i;
        if (at == SIZE_MAX)
            break;
        last = so->axes[at].mean;
        for (size_t i = 0; i < count; i++)               /* those with the same effect stand together */
            if (kind_of(&so->axes[i]) == KIND_MATTERS && !(so->axes[i].mean < last) && !(so->axes[i].mean > last)
                && !tell_axis(so, &so->axes[i]))
                return false;
    }
    return true;
}

bool conclude_axes(struct concluding *so)
{
    if (!find_axes(so) || !tell_axes(so) || !tell_pair(so))
        return false;
    for (size_t i = 0; i < so->effects->axis_count; i++)
        if (kind_of(&so->axes[i]) == KIND_IN_PLACES && !tell_places(so, &so->axes[i]))
            return false;
    return tell_kind(so, KIND_NOT, ": less than 1 % in every setting of everything else.")
           && tell_kind(so, KIND_HIDDEN, ": the difference is within its interval.")
           && tell_kind(so, KIND_NEVER_ALONE, ": no two points differ in one of these alone: its effect is not known.");
}
