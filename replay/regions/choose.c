/* The last interval is mostly a short one. It belongs to its phase and counts with its instructions, but is chosen only
 * where it is alone.
 *
 * Weights are shares of instructions: a region stands for its phase's, divided by the number of regions there. */
#include "replay/regions/choose.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/list.h"

/* The warm-up is what there is before the region, as far back as whole intervals reach what was asked for. */
static struct fault add_region(struct region_set *set, const struct block_vectors *vectors, size_t at, double weight,
                               uint32_t stratum, uint64_t warmup)
{
    size_t from = at;
    uint64_t before = 0;

    while (from > 0 && before < warmup)
        before += vectors->intervals[--from].instructions;
    if (!list_fit(&set->regions, set->count + 1, &set->room, sizeof *set->regions))
        return fault_memory(set->trace, NULL);
    set->regions[set->count++] = (struct region){
        .first = vectors->intervals[from].first_event, .warmup = before,
        .instructions = vectors->intervals[at].instructions, .weight = weight, .stratum = stratum};
    return fault_none();
}

static struct fault add_stratum(struct region_set *set, uint64_t intervals)
{
    if (!list_fit(&set->strata, set->stratum_count + 1, &set->stratum_room, sizeof *set->strata))
        return fault_memory(set->trace, NULL);
    set->strata[set->stratum_count++] = (struct region_stratum){.intervals = intervals};
    return fault_none();
}

struct fault choose_add(struct region_set *set, const struct block_vectors *vectors, size_t at, double weight,
                        uint64_t warmup)
{
    FORWARD(add_stratum(set, vectors->count));
    return add_region(set, vectors, at, weight, (uint32_t)set->stratum_count - 1, warmup);
}

/* ---- SimPoint */
static struct fault choose_simpoint(struct region_set *set, const struct block_vectors *vectors,
                                    const struct phases *phases, const struct choice *choice)
{
    for (uint32_t i = 0; i < phases->count; i++) {
        FORWARD(add_stratum(set, phases->intervals[i]));
        FORWARD(add_region(set, vectors, phases->centre[i],
                           (double)phases->instructions[i] / (double)vectors->instructions, i, choice->warmup));
    }
    return fault_none();
}

/* ---- systematic */
static struct fault choose_systematic(struct region_set *set, const struct block_vectors *vectors,
                                      const struct choice *choice)
{
    uint64_t const whole = vectors->count - (vectors->intervals[vectors->count - 1].instructions < choice->interval
                                             && vectors->count > 1);
    uint64_t const regions = min_u64(choice->of_stratum ? choice->of_stratum[0] : choice->regions, whole);

    FORWARD(add_stratum(set, vectors->count));
    for (uint64_t i = 0; i < regions; i++)
        FORWARD(add_region(set, vectors, (size_t)((2 * i + 1) * whole / (2 * regions)), 1 / (double)regions, 0,
                           choice->warmup));
    return fault_none();
}

/* ---- stratified */
/* Whole intervals of each phase; `of_phase` gets those of one. */
static size_t intervals_of(const struct block_vectors *vectors, const struct phases *phases, uint32_t phase,
                           uint64_t interval, size_t *of_phase)
{
    size_t count = 0;

    for (size_t i = 0; i < vectors->count; i++)
        if (phases->of[i] == phase
            && (interval == 0 || vectors->intervals[i].instructions == interval || phases->intervals[phase] == 1))
            of_phase[count++] = i;
    return count;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int in_order(const void *a, const void *b)
{
    size_t const first = *(const size_t *)a, second = *(const size_t *)b;

    return (first > second) - (first < second);
}

/* `wanted` of the list at random, in their order, at its beginning. */
static void draw(size_t *list, size_t count, size_t wanted, uint64_t *random)
{
    for (size_t i = 0; i < wanted; i++) {
        size_t const other = i + (size_t)(next_random(random) % (count - i)), kept = list[i];

        list[i] = list[other];
        list[other] = kept;
    }
    qsort(list, wanted, sizeof *list, in_order);
}

static struct fault choose_stratified(struct region_set *set, const struct block_vectors *vectors,
                                      const struct phases *phases, const struct choice *choice)
{
    size_t *const of_phase = malloc(vectors->count * sizeof *of_phase);
    uint64_t random = UINT64_C(0x2545f4914f6cdd1d) ^ choice->seed << 1;
    struct fault fault = of_phase ? fault_none() : fault_memory(set->trace, NULL);

    for (uint32_t i = 0; i < phases->count && fault.kind == FAULT_NONE; i++) {
        double const share = (double)phases->instructions[i] / (double)vectors->instructions;
        size_t const count = intervals_of(vectors, phases, i, choice->interval, of_phase);
        uint64_t const wanted = choice->of_stratum ? choice->of_stratum[i]
                                                   : (uint64_t)(share * (double)choice->regions + 0.5);
        size_t const taken = (size_t)min_u64(max_u64(wanted, 2), count);

        draw(of_phase, count, taken, &random);
        fault = add_stratum(set, phases->intervals[i]);
        for (size_t j = 0; j < taken && fault.kind == FAULT_NONE; j++)
            fault = add_region(set, vectors, of_phase[j], share / (double)taken, i, choice->warmup);
    }
    free(of_phase);
    return fault;
}

struct fault choose_of_phases(struct region_set *set, const struct block_vectors *vectors,
                              const struct phases *phases, const struct choice *choice)
{
    return (choice->method == REGIONS_SIMPOINT ? choose_simpoint : choose_stratified)(set, vectors, phases, choice);
}

struct fault choose_regions(struct region_set *set, const struct block_vectors *vectors, const struct choice *choice)
{
    struct phases phases;
    struct fault fault;

    if (vectors->count < 2)
        return fault_at(set->trace, FAULT_NO_OFFSET, "the program has %llu instructions, fewer than two intervals of "
                        "%llu; give a shorter interval, or replay all of it",
                        (unsigned long long)vectors->instructions, (unsigned long long)choice->interval);
    set->method = choice->method;
    set->interval = choice->interval;
    set->instructions = vectors->instructions;
    set->events = vectors->events;
    if (choice->method == REGIONS_SYSTEMATIC)
        return choose_systematic(set, vectors, choice);
    fault = phases_find(&phases, vectors, choice->most_phases);
    if (fault.kind == FAULT_NONE)
        fault = choose_of_phases(set, vectors, &phases, choice);
    phases_free(&phases);
    return fault;
}
