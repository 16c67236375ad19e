/* The search assumes that the criterion grows with the number of phases, as SimPoint's does: it halves the range
 * between 1 and the most until it has the smallest number that is good enough.
 *
 * Of more than SAMPLE intervals a sample is grouped, one at random from each of SAMPLE equal parts of the program.
 * Each interval then goes to the nearest mean; so does one whose own phase has no interval in the sample.
 *
 * Distances to LANES means are summed side by side, each in the order of its parts, so they are those of `distance`. */
#include "replay/regions/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5, ROUNDS = 100, SAMPLE = 20000, LANES = 8, MOST_LANES = (PHASES_MOST + LANES - 1) / LANES };
#define GOOD_ENOUGH 0.9
#define TWO_PI 6.283185307179586

typedef double vector_parts[VECTOR_PARTS];

/* One way to group the points. */
struct grouping {
    uint32_t count;
    uint32_t *of;
    vector_parts *means;
    double criterion;
};

struct search {
    const struct block_vectors *vectors;
    vector_parts *points;                /* vectors of the sample, or of all intervals */
    size_t count;                        /* of these */
    struct grouping current, best;       /* best: of the seeds of one number of phases */
    double (*lanes)[VECTOR_PARTS][LANES];    /* the means that distances are wanted of, LANES of them together */
    uint64_t *sizes;
    uint64_t random;
};

static uint64_t next_random(struct search *search)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return search->random;
}

static double distance(const double *a, const double *b)
{
    double sum = 0;

    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void fill_lanes(struct search *search, const struct grouping *grouping)
{
    for (uint32_t i = 0; i < grouping->count; i++)
        for (unsigned part = 0; part < VECTOR_PARTS; part++)
            search->lanes[i / LANES][part][i % LANES] = grouping->means[i][part];
}

/* The first of the nearest means of those in the lanes. */
static uint32_t nearest(const struct search *search, uint32_t count, const double *vector)
{
    double least = INFINITY;
    uint32_t at = 0;

    for (uint32_t first = 0; first < count; first += LANES) {
        const double (*const lanes)[LANES] = (const double (*)[LANES])search->lanes[first / LANES];
        uint32_t const filled = count - first < LANES ? count - first : LANES;
        double sums[LANES] = {0};

        for (unsigned part = 0; part < VECTOR_PARTS; part++)
            for (unsigned i = 0; i < LANES; i++) {
                double const off = lanes[part][i] - vector[part];

                sums[i] += off * off;
            }
        for (uint32_t i = 0; i < filled; i++)
            if (sums[i] < least) {
                least = sums[i];
                at = first + i;
            }
    }
    return at;
}

/* Intervals at random, each at most once. */
static void begin_means(struct search *search)
{
    struct grouping *const grouping = &search->current;
    size_t const count = search->count;

    memset(grouping->of, 0, count * sizeof *grouping->of);
    for (uint32_t i = 0; i < grouping->count; i++) {
        size_t at = (size_t)(next_random(search) % count);

        while (grouping->of[at] != 0)
            at = (at + 1) % count;
        grouping->of[at] = 1;
        memcpy(grouping->means[i], search->points[at], sizeof grouping->means[i]);
    }
}

/* A group that lost all its intervals keeps its mean. */
static void move_means(struct search *search)
{
    struct grouping *const grouping = &search->current;

    memset(search->sizes, 0, grouping->count * sizeof *search->sizes);
    for (size_t i = 0; i < search->count; i++) {
        uint32_t const of = grouping->of[i];
        const double *const vector = search->points[i];

        if (search->sizes[of]++ == 0)
            memcpy(grouping->means[of], vector, sizeof grouping->means[of]);
        else
            for (unsigned part = 0; part < VECTOR_PARTS; part++)
                grouping->means[of][part] += vector[part];
    }
    for (uint32_t i = 0; i < grouping->count; i++)
        for (unsigned part = 0; search->sizes[i] > 1 && part < VECTOR_PARTS; part++)
            grouping->means[i][part] /= (double)search->sizes[i];
}

/* False: nothing changed. */
static bool assign(struct search *search)
{
    struct grouping *const grouping = &search->current;
    bool has_changed = false;

    fill_lanes(search, grouping);
    for (size_t i = 0; i < search->count; i++) {
        uint32_t const of = nearest(search, grouping->count, search->points[i]);

        has_changed |= of != grouping->of[i];
        grouping->of[i] = of;
    }
    return has_changed;
}

/* Pelleg and Moore: the log likelihood of spherical groups of one variance, less what their parameters cost. */
static double criterion_of(const struct search *search)
{
    const struct grouping *const grouping = &search->current;
    double const intervals = (double)search->count, groups = grouping->count;
    double spread = 0, sum = 0;

    for (size_t i = 0; i < search->count; i++)
        spread += distance(grouping->means[grouping->of[i]], search->points[i]);
    spread /= VECTOR_PARTS * (intervals > groups ? intervals - groups : 1);
    if (spread < 1e-12)
        spread = 1e-12;                  /* of what is left of rounding */
    for (uint32_t i = 0; i < grouping->count; i++) {
        double const size = (double)search->sizes[i];

        if (size > 0)
            sum += size * log(size / intervals) - size * VECTOR_PARTS / 2 * log(TWO_PI * spread)
                - (size - 1) * VECTOR_PARTS / 2;
    }
    return sum - ((groups - 1) + groups * VECTOR_PARTS + 1) / 2 * log(intervals);
}

static void copy_grouping(const struct search *search, struct grouping *to, const struct grouping *from)
{
    to->count = from->count;
    to->criterion = from->criterion;
    memcpy(to->of, from->of, search->count * sizeof *to->of);
    memcpy(to->means, from->means, from->count * sizeof *to->means);
}

/* The best of several seeds. */
static double group(struct search *search, uint32_t count)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        search->current.count = count;
        search->random = UINT64_C(88172645463325252) + seed;
        begin_means(search);
        assign(search);
        for (unsigned round = 0; round < ROUNDS; round++) {
            move_means(search);
            if (!assign(search))
                break;
        }
        move_means(search);
        search->current.criterion = criterion_of(search);
        if (seed == 0 || search->current.criterion > search->best.criterion)
            copy_grouping(search, &search->best, &search->current);
    }
    return search->best.criterion;
}

/* The smallest number of groups that is good enough is left in `best`. */
static void find_groups(struct search *search, uint32_t most)
{
    double const worst = group(search, 1), best = group(search, most);
    uint32_t low = 1, high = most;       /* high is good enough */

    while (low < high) {
        uint32_t const middle = low + (high - low) / 2;

        if (group(search, middle) >= worst + GOOD_ENOUGH * (best - worst))
            high = middle;
        else
            low = middle + 1;
    }
    group(search, high);
}

/* ---- the sample, and all */
static void take_points(struct search *search)
{
    size_t const all = search->vectors->count;

    search->random = UINT64_C(88172645463325252);
    for (size_t i = 0; i < search->count; i++) {
        size_t const from = i * all / search->count, parts = (i + 1) * all / search->count - from;
        size_t const at = parts > 1 ? from + (size_t)(next_random(search) % parts) : from;

        memcpy(search->points[i], search->vectors->intervals[at].vector, sizeof search->points[i]);
    }
}

/* Each interval's group in `of`, numbered as groups are; means are those of all intervals then. */
static void group_all(struct search *search, uint32_t *of)
{
    struct grouping *const grouping = &search->best;

    if (search->count == search->vectors->count) {
        memcpy(of, grouping->of, search->count * sizeof *of);
        return;
    }
    fill_lanes(search, grouping);
    memset(search->sizes, 0, grouping->count * sizeof *search->sizes);
    memset(grouping->means, 0, grouping->count * sizeof *grouping->means);
    for (size_t i = 0; i < search->vectors->count; i++) {
        const double *const vector = search->vectors->intervals[i].vector;

        of[i] = nearest(search, grouping->count, vector);
        search->sizes[of[i]]++;
        for (unsigned part = 0; part < VECTOR_PARTS; part++)
            grouping->means[of[i]][part] += vector[part];
    }
    for (uint32_t i = 0; i < grouping->count; i++)
        for (unsigned part = 0; search->sizes[i] > 0 && part < VECTOR_PARTS; part++)
            grouping->means[i][part] /= (double)search->sizes[i];
}

/* Numbers by first intervals; groups that are empty get none. */
static void take_groups(struct phases *phases, struct search *search)
{
    uint32_t number[PHASES_MOST] = {0};
    double least[PHASES_MOST];

    group_all(search, phases->of);
    for (size_t i = 0; i < search->vectors->count; i++) {
        const struct interval *const interval = &search->vectors->intervals[i];
        uint32_t const group = phases->of[i];
        double const own = distance(search->best.means[group], interval->vector);

        if (number[group] == 0)
            number[group] = ++phases->count;
        phases->of[i] = number[group] - 1;
        if (phases->intervals[phases->of[i]] == 0 || own < least[phases->of[i]]) {
            least[phases->of[i]] = own;
            phases->centre[phases->of[i]] = i;
        }
        phases->intervals[phases->of[i]]++;
        phases->instructions[phases->of[i]] += interval->instructions;
    }
}

static bool make_grouping(struct grouping *grouping, size_t points, uint32_t most)
{
    grouping->of = malloc(points * sizeof *grouping->of);
    grouping->means = malloc(most * sizeof *grouping->means);
    return grouping->of && grouping->means;
}

static bool make_search(struct search *search, const struct block_vectors *vectors, uint32_t most)
{
    bool has_memory;

    *search = (struct search){.vectors = vectors, .count = vectors->count < SAMPLE ? vectors->count : SAMPLE};
    search->points = malloc(search->count * sizeof *search->points);
    search->lanes = calloc(MOST_LANES, sizeof *search->lanes);
    search->sizes = calloc(most, sizeof *search->sizes);
    has_memory = make_grouping(&search->current, search->count, most) && search->points && search->lanes;
    return make_grouping(&search->best, search->count, most) && has_memory && search->sizes;
}

static void free_search(struct search *search)
{
    free(search->current.of);
    free(search->current.means);
    free(search->best.of);
    free(search->best.means);
    free(search->points);
    free(search->lanes);
    free(search->sizes);
}

struct fault phases_find(struct phases *phases, const struct block_vectors *vectors, uint32_t most)
{
    struct search search;
    bool has_memory;

    most = most < vectors->count ? most : (uint32_t)vectors->count;
    most = most < PHASES_MOST ? most : PHASES_MOST;
    has_memory = make_search(&search, vectors, most);
    *phases = (struct phases){
        .of = malloc(vectors->count * sizeof *phases->of), .centre = calloc(most, sizeof *phases->centre),
        .instructions = calloc(most, sizeof *phases->instructions),
        .intervals = calloc(most, sizeof *phases->intervals)};
    has_memory = has_memory && phases->of && phases->centre && phases->instructions && phases->intervals;
    if (has_memory) {
        take_points(&search);
        find_groups(&search, most);
        take_groups(phases, &search);
    }
    free_search(&search);
    return has_memory ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the phases of a program");
}

void phases_free(struct phases *phases)
{
    free(phases->of);
    free(phases->centre);
    free(phases->instructions);
    free(phases->intervals);
    *phases = (struct phases){0};
}
