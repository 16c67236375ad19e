/* Main effects are fitted by backfitting: in turn, each axis' levels become the mean of what the others leave over,
 * drawn towards 0 where few designs speak for them. Trees are grown on designs that are drawn with replacement, down to
 * leaves of few designs; a split is the best one of some axes that are drawn by chance. */
#include "sweep/search/search_forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { TREES_A_SAMPLE = 4, TREES = SEARCH_SAMPLES * TREES_A_SAMPLE, LEAF = 2, FIT_ROUNDS = 12, NONE = -1 };
#define SHRINK 0.1                       /* of main effects: as if that number of further designs had no effect */

/* A level goes to the first child if its place in the order of the split is below the threshold: numbers by their own
 * order, words by that of their means, which `rank` holds. */
struct node {
    int32_t axis;                        /* NONE: a leaf */
    uint32_t below;
    uint32_t children;                   /* the first; the second is behind it */
    uint32_t ranks;                      /* of words: where the ranks of the axis' levels begin */
    double value;
};

struct forest {
    const struct search_axis *axes;
    size_t axis_count, level_count, most_levels;
    size_t *first;                       /* of each axis: its first effect */
    double base, *effects;
    struct node *nodes;
    size_t node_count, node_room;
    uint32_t *ranks;
    size_t rank_count, rank_room;
    uint32_t roots[TREES];
    double *sums;                        /* scratch, of the levels of an axis */
    uint32_t *counts, *order;
    uint32_t *shuffled;                  /* all axes, in any order */
};

struct forest *forest_make(const struct search_axis *axes, size_t axis_count)
{
    struct forest *const forest = calloc(1, sizeof *forest);

    if (!forest)
        return NULL;
    *forest = (struct forest){.axes = axes, .axis_count = axis_count};
    forest->first = calloc(axis_count + 1, sizeof *forest->first);
    for (size_t i = 0; forest->first && i < axis_count; i++) {
        forest->first[i] = forest->level_count;
        forest->level_count += axes[i].levels;
        forest->most_levels = axes[i].levels > forest->most_levels ? axes[i].levels : forest->most_levels;
    }
    forest->effects = calloc(forest->level_count + 1, sizeof *forest->effects);
    forest->sums = calloc(forest->most_levels + 1, sizeof *forest->sums);
    forest->counts = calloc(forest->most_levels + 1, sizeof *forest->counts);
    forest->order = calloc(forest->most_levels + 1, sizeof *forest->order);
    forest->shuffled = calloc(axis_count + 1, sizeof *forest->shuffled);
    for (uint32_t i = 0; forest->shuffled && i < axis_count; i++)
        forest->shuffled[i] = i;
    if (forest->first && forest->effects && forest->sums && forest->counts && forest->order && forest->shuffled)
        return forest;
    forest_free(forest);
    return NULL;
}

void forest_free(struct forest *forest)
{
    if (!forest)
        return;
    free(forest->first);
    free(forest->effects);
    free(forest->nodes);
    free(forest->ranks);
    free(forest->sums);
    free(forest->counts);
    free(forest->order);
    free(forest->shuffled);
    free(forest);
}

/* ---- main effects */
static double main_effects(const struct forest *forest, const uint32_t *row)
{
    double sum = forest->base;

    for (size_t i = 0; i < forest->axis_count; i++)
        sum += forest->effects[forest->first[i] + row[i]];
    return sum;
}

static void fit_axis(struct forest *forest, size_t axis, const uint32_t *rows, double *left, size_t count)
{
    double *const effects = forest->effects + forest->first[axis];
    size_t const levels = forest->axes[axis].levels;

    memset(forest->sums, 0, levels * sizeof *forest->sums);
    memset(forest->counts, 0, levels * sizeof *forest->counts);
    for (size_t i = 0; i < count; i++) {
        uint32_t const level = rows[i * forest->axis_count + axis];

        forest->sums[level] += left[i] + effects[level];
        forest->counts[level]++;
    }
    for (size_t level = 0; level < levels; level++) {
        double const effect = forest->sums[level] / (forest->counts[level] + SHRINK);

        forest->sums[level] = effect - effects[level];
        effects[level] = effect;
    }
    for (size_t i = 0; i < count; i++)
        left[i] -= forest->sums[rows[i * forest->axis_count + axis]];
}

/* Leaves in `left` what main effects do not explain. */
static void fit_effects(struct forest *forest, const uint32_t *rows, const double *values, double *left, size_t count)
{
    double sum = 0;

    memset(forest->effects, 0, forest->level_count * sizeof *forest->effects);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    forest->base = count ? sum / (double)count : 0;
    for (size_t i = 0; i < count; i++)
        left[i] = values[i] - forest->base;
    for (int round = 0; round < FIT_ROUNDS; round++)
        for (size_t axis = 0; axis < forest->axis_count; axis++)
            fit_axis(forest, axis, rows, left, count);
}

/* ---- trees */
struct growth {
    struct forest *forest;
    const uint32_t *rows;
    const double *values;
    uint32_t *chosen;                    /* designs of the tree, those of a node side by side */
    struct search_draw *draw;
};

struct split {
    size_t axis;
    uint32_t below;
    double gain;                         /* what the sum of squares is less, without a constant */
};

/* Sums and counts of an axis' levels over designs. */
static void sum_levels(const struct growth *growth, size_t axis, const uint32_t *chosen, size_t count)
{
    struct forest *const forest = growth->forest;

    memset(forest->sums, 0, forest->axes[axis].levels * sizeof *forest->sums);
    memset(forest->counts, 0, forest->axes[axis].levels * sizeof *forest->counts);
    for (size_t i = 0; i < count; i++) {
        uint32_t const level = growth->rows[chosen[i] * forest->axis_count + axis];

        forest->sums[level] += growth->values[chosen[i]];
        forest->counts[level]++;
    }
}

/* The order in which levels are split; of words by their means, those that no design has last. */
static void order_levels(struct forest *forest, size_t axis)
{
    size_t const levels = forest->axes[axis].levels;

    for (uint32_t i = 0; i < levels; i++)
        forest->order[i] = i;
    for (size_t i = 1; i < levels && !forest->axes[axis].has_order; i++)
        for (size_t k = i; k > 0; k--) {
            uint32_t const a = forest->order[k - 1], b = forest->order[k];
            bool const is_behind = forest->counts[b] > 0
                && (forest->counts[a] == 0
                    || forest->sums[b] * forest->counts[a] < forest->sums[a] * forest->counts[b]);

            if (!is_behind)
                break;
            forest->order[k - 1] = b;
            forest->order[k] = a;
        }
}

/* The best threshold of an axis; a number's lies anywhere between the two levels that it parts. */
static void try_axis(const struct growth *growth, size_t axis, const uint32_t *chosen, size_t count,
                     struct split *best)
{
    struct forest *const forest = growth->forest;
    double total = 0, low = 0;
    uint32_t below = 0;

    sum_levels(growth, axis, chosen, count);
    order_levels(forest, axis);
    for (size_t i = 0; i < forest->axes[axis].levels; i++)
        total += forest->sums[i];
    for (uint32_t i = 0; i + 1 < forest->axes[axis].levels; i++) {
        uint32_t const level = forest->order[i];
        double gain, high;

        low += forest->sums[level];
        below += forest->counts[level];
        if (forest->counts[level] == 0 || below == count)
            continue;
        high = total - low;
        gain = low * low / below + high * high / (double)(count - below);
        if (gain > best->gain)
            *best = (struct split){.axis = axis, .below = i + 1, .gain = gain};
    }
}

static bool find_split(struct growth *growth, const uint32_t *chosen, size_t count, struct split *best)
{
    size_t const axes = growth->forest->axis_count, tried = (2 * axes + 2) / 3;
    uint32_t *const shuffled = growth->forest->shuffled;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += growth->values[chosen[i]];
    *best = (struct split){.gain = sum * sum / (double)count + 1e-18};
    double const whole = best->gain;

    /* the drawn ones; the others too if none of those splits */
    for (size_t i = 0; i < axes && (i < tried || best->gain <= whole); i++) {
        size_t const other = i + search_draw_below(growth->draw, axes - i);
        uint32_t const axis = shuffled[other];

        shuffled[other] = shuffled[i];
        shuffled[i] = axis;
        try_axis(growth, axis, chosen, count, best);
    }
    return best->gain > whole;
}

static bool goes_first(const struct forest *forest, const struct node *node, const uint32_t *row)
{
    uint32_t const level = row[node->axis];

    return (forest->axes[node->axis].has_order ? level : forest->ranks[node->ranks + level]) < node->below;
}

static bool keep_ranks(struct growth *growth, size_t axis, const uint32_t *chosen, size_t count, struct node *node)
{
    struct forest *const forest = growth->forest;
    size_t const levels = forest->axes[axis].levels;

    if (forest->axes[axis].has_order)
        return true;
    if (!list_fit(&forest->ranks, forest->rank_count + levels, &forest->rank_room, sizeof *forest->ranks))
        return false;
    sum_levels(growth, axis, chosen, count);
    order_levels(forest, axis);
    node->ranks = (uint32_t)forest->rank_count;
    for (uint32_t i = 0; i < levels; i++)
        forest->ranks[forest->rank_count + forest->order[i]] = i;
    forest->rank_count += levels;
    return true;
}

/* Designs of the first child to the front. */
static size_t part(const struct growth *growth, const struct node *node, uint32_t *chosen, size_t count)
{
    size_t firsts = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t const design = chosen[i];

        if (!goes_first(growth->forest, node, growth->rows + design * growth->forest->axis_count))
            continue;
        chosen[i] = chosen[firsts];
        chosen[firsts++] = design;
    }
    return firsts;
}

/* Grows what is below a node that has its place. */
static bool grow(struct growth *growth, uint32_t place, uint32_t *chosen, size_t count)
{
    struct forest *const forest = growth->forest;
    struct node node = {.axis = NONE};
    struct split split;
    size_t firsts;

    for (size_t i = 0; i < count; i++)
        node.value += growth->values[chosen[i]] / (double)count;
    forest->nodes[place] = node;
    if (count < 2 * LEAF || !find_split(growth, chosen, count, &split))
        return true;
    node.axis = (int32_t)split.axis;
    node.below = split.below;
    node.children = (uint32_t)forest->node_count;
    if (!keep_ranks(growth, split.axis, chosen, count, &node)
        || !list_fit(&forest->nodes, forest->node_count + 2, &forest->node_room, sizeof *forest->nodes))
        return false;
    forest->node_count += 2;
    forest->nodes[place] = node;
    firsts = part(growth, &node, chosen, count);
    return grow(growth, node.children, chosen, firsts)
        && grow(growth, node.children + 1, chosen + firsts, count - firsts);
}

static bool grow_trees(struct growth *growth, size_t count)
{
    struct forest *const forest = growth->forest;

    forest->node_count = forest->rank_count = 0;
    for (size_t tree = 0; tree < TREES; tree++) {
        if (!list_fit(&forest->nodes, forest->node_count + 1, &forest->node_room, sizeof *forest->nodes))
            return false;
        for (size_t i = 0; i < count; i++)
            growth->chosen[i] = (uint32_t)search_draw_below(growth->draw, count);
        forest->roots[tree] = (uint32_t)forest->node_count++;
        if (!grow(growth, forest->roots[tree], growth->chosen, count))
            return false;
    }
    return true;
}

bool forest_learn(struct forest *forest, const uint32_t *rows, const double *values, size_t count,
                  struct search_draw *draw)
{
    double *const left = malloc((count + 1) * sizeof *left);
    struct growth growth = {.forest = forest, .rows = rows, .values = left, .draw = draw,
                            .chosen = malloc((count + 1) * sizeof *growth.chosen)};
    bool is_learnt = left && growth.chosen;

    if (is_learnt) {
        fit_effects(forest, rows, values, left, count);
        is_learnt = grow_trees(&growth, count);
    }
    free(left);
    free(growth.chosen);
    return is_learnt;
}

double forest_estimate(const struct forest *forest, const uint32_t *row, double samples[SEARCH_SAMPLES])
{
    double const effects = main_effects(forest, row);
    double mean = 0;

    for (size_t sample = 0; sample < SEARCH_SAMPLES; sample++) {
        double sum = 0;

        for (size_t tree = 0; tree < TREES_A_SAMPLE; tree++) {
            struct node const *node = &forest->nodes[forest->roots[sample * TREES_A_SAMPLE + tree]];

            while (node->axis != NONE)
                node = &forest->nodes[node->children + !goes_first(forest, node, row)];
            sum += node->value;
        }
        samples[sample] = effects + sum / TREES_A_SAMPLE;
        mean += samples[sample] / SEARCH_SAMPLES;
    }
    return mean;
}
