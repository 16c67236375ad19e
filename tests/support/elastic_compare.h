/* Two elastic traces of one run, ours and the reference's, record by record and fetch by fetch.
 *
 * Records are paired in order. Sequence numbers are not compared, for they count wrong paths; dependences are, as the
 * records that they name: two are the same if those are paired with each other. Where the traces part, they meet again
 * at the nearest place at which several records in a row are alike; what lies between is unpaired, and counts as
 * different.
 *
 * Use: elastic_compare with the folders of both; elastic_compare_free. The share of equal items is that number over
 * elastic_compared_most: missing and surplus records count. Faults: of the readers. */
#ifndef TESTS_SUPPORT_ELASTIC_COMPARE_H
#define TESTS_SUPPORT_ELASTIC_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum { ELASTIC_OURS, ELASTIC_REFERENCE, ELASTIC_SIDES };

/* suffix, name in lists: what a pair of records may agree in. WHOLE: all but weight and delay. */
#define ELASTIC_TRAITS(T)                                                                                             \
    T(TYPE, "type") T(PC, "pc") T(ADDRESS, "address") T(SIZE, "size") T(FLAGS, "flags") T(ORDER, "order")             \
    T(PRODUCERS, "producers") T(WHOLE, "records") T(WEIGHT, "weight") T(DELAY, "delay")

#define ELASTIC_TRAIT_ENUM(suffix, name) ELASTIC_##suffix,
enum elastic_trait { ELASTIC_TRAITS(ELASTIC_TRAIT_ENUM) ELASTIC_TRAIT_COUNT };
extern const char *const elastic_trait_names[ELASTIC_TRAIT_COUNT];

struct elastic_compared {
    size_t records[ELASTIC_SIDES], fetches[ELASTIC_SIDES];
    size_t record_pairs, fetch_pairs;
    size_t equal[ELASTIC_TRAIT_COUNT];
    size_t equal_fetches;                /* pairs of the same place and pc */
    size_t equal_steps;                  /* of these, as long after the one before in both */
    size_t parts;                        /* places at which the records part */
};

/* A pair that differs, or a record without partner. */
struct elastic_difference {
    size_t at[ELASTIC_SIDES];            /* index of the record; SIZE_MAX: no partner */
    uint64_t pc;
    uint32_t traits;                     /* bits of enum elastic_trait that differ */
    uint64_t delay[ELASTIC_SIDES];
};

/* differs: NULL, or called in order for each difference. */
struct fault elastic_compare(const char *ours, const char *reference, struct elastic_compared *compared,
                             void (*differs)(void *context, const struct elastic_difference *difference),
                             void *context);

static inline size_t elastic_compared_most(const size_t counts[ELASTIC_SIDES])
{
    return counts[ELASTIC_OURS] > counts[ELASTIC_REFERENCE] ? counts[ELASTIC_OURS] : counts[ELASTIC_REFERENCE];
}

#endif
