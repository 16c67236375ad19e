/* The search assumes that the criterion grows with the number of phases, as SimPoint's does: it halves the range
 * between 1 and the most until it has the smallest number that is good enough. */
#include "replay/regions/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5, ROUNDS = 100 };
#define GOOD_ENOUGH 0.9
#define TWO_PI 6.283185307179586

/* One way to group the intervals. */
struct grouping {
    uint32_t count;
    uint32_t *of;
    double (*means)[VECTOR_PARTS];
    double criterion;
};

struct search {
    const struct block_vectors *vectors;
    struct grouping current, best;       /* best: of the seeds of one number of phases */
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

static uint32_t nearest(const struct grouping *grouping, const double *vector)
{
    double least = distance(grouping->means[0], vector);
    uint32_t at = 0;

    for (uint32_t i = 1; i < grouping->count; i++) {
        double const own = distance(grouping->means[i], vector);

        if (own < least) {
            least = own;
            at = i;
        }
    }
    return at;
}

/* Intervals at random, each at most once. */
static void begin_means(struct search *search)
{
    struct grouping *const grouping = &search->current;
    size_t const count = search->vectors->count;

    memset(grouping->of, 0, count * sizeof *grouping->of);
    for (uint32_t i = 0; i < grouping->count; i++) {
        size_t at = (size_t)(next_random(search) % count);

        while (grouping->of[at] != 0)
            at = (at + 1) % count;
        grouping->of[at] = 1;
        memcpy(grouping->means[i], search->vectors->intervals[at].vector, sizeof grouping->means[i]);
    }
}

/* A group that lost all its intervals keeps its mean. */
static void move_means(struct search *search)
{
    struct grouping *const grouping = &search->current;

    memset(search->sizes, 0, grouping->count * sizeof *search->sizes);
    for (size_t i = 0; i < search->vectors->count; i++) {
        uint32_t const of = grouping->of[i];
        const double *const vector = search->vectors->intervals[i].vector;

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

    for (size_t i = 0; i < search->vectors->count; i++) {
        uint32_t const of = nearest(grouping, search->vectors->intervals[i].vector);

        has_changed |= of != grouping->of[i];
        grouping->of[i] = of;
    }
    return has_changed;
}

/* Pelleg and Moore: the log likelihood of spherical groups of one variance, less what their parameters cost. */
static double criterion_of(const struct search *search)
{
    const struct grouping *const grouping = &search->current;
    double const intervals = (double)search->vectors->count, groups = grouping->count;
    double spread = 0, sum = 0;

    for (size_t i = 0; i < search->vectors->count; i++)
        spread += distance(grouping->means[grouping->of[i]], search->vectors->intervals[i].vector);
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
    memcpy(to->of, from->of, search->vectors->count * sizeof *to->of);
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

static bool make_grouping(struct grouping *grouping, size_t intervals, uint32_t most)
{
    grouping->of = malloc(intervals * sizeof *grouping->of);
    grouping->means = malloc(most * sizeof *grouping->means);
    return grouping->of && grouping->means;
}

/* Numbers by first intervals; groups that are empty get none. */
static void take_groups(struct phases *phases, const struct search *search)
{
    const struct grouping *const grouping = &search->best;
    uint32_t number[PHASES_MOST] = {0};
    double least[PHASES_MOST];

    for (size_t i = 0; i < search->vectors->count; i++) {
        const struct interval *const interval = &search->vectors->intervals[i];
        uint32_t const group = grouping->of[i];
        double const own = distance(grouping->means[group], interval->vector);

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

struct fault phases_find(struct phases *phases, const struct block_vectors *vectors, uint32_t most)
{
    struct search search = {.vectors = vectors};
    bool has_memory;

    most = most < vectors->count ? most : (uint32_t)vectors->count;
    most = most < PHASES_MOST ? most : PHASES_MOST;
    search.sizes = calloc(most, sizeof *search.sizes);
    has_memory = make_grouping(&search.current, vectors->count, most) && search.sizes;
    has_memory = make_grouping(&search.best, vectors->count, most) && has_memory;
    *phases = (struct phases){
        .of = malloc(vectors->count * sizeof *phases->of), .centre = calloc(most, sizeof *phases->centre),
        .instructions = calloc(most, sizeof *phases->instructions),
        .intervals = calloc(most, sizeof *phases->intervals)};
    has_memory = has_memory && phases->of && phases->centre && phases->instructions && phases->intervals;
    if (has_memory) {
        find_groups(&search, most);
        take_groups(phases, &search);
    }
    free(search.current.of);
    free(search.current.means);
    free(search.best.of);
    free(search.best.means);
    free(search.sizes);
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
