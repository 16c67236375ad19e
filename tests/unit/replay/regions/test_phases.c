/* replay/regions/phases.h, choose.h: on vectors whose phases are known. */
#include "replay/regions/choose.h"
#include "tests/support/unit.h"

enum { INTERVAL = 1000 };

/* Phases follow each other, `sizes` intervals each; the last interval is a short one. */
static struct block_vectors vectors_of(const unsigned *sizes, unsigned count, double noise)
{
    struct block_vectors vectors = {0};
    uint64_t random = 1;

    for (unsigned i = 0; i < count; i++)
        vectors.count += sizes[i];
    vectors.intervals = calloc(vectors.count, sizeof *vectors.intervals);
    assert_non_null(vectors.intervals);
    for (unsigned i = 0, at = 0; i < count; i++)
        for (unsigned j = 0; j < sizes[i]; j++, at++) {
            vectors.intervals[at].first_event = at * INTERVAL;
            vectors.intervals[at].instructions = at + 1 == vectors.count ? INTERVAL / 2 : INTERVAL;
            vectors.instructions += vectors.intervals[at].instructions;
            for (unsigned part = 0; part < VECTOR_PARTS; part++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                vectors.intervals[at].vector[part] = (part == i) + noise * ((double)(random >> 40) / (1 << 24) - 0.5);
            }
        }
    return vectors;
}

static void phases_are_found(void **state)
{
    const unsigned sizes[] = {20, 10, 30};
    struct block_vectors vectors = vectors_of(sizes, 3, 0.05);
    struct phases phases;

    (void)state;
    assert_int_equal(phases_find(&phases, &vectors, 12).kind, FAULT_NONE);
    assert_int_equal(phases.count, 3);
    for (unsigned i = 0, at = 0; i < 3; i++) {
        assert_int_equal(phases.intervals[i], sizes[i]);
        assert_true(phases.centre[i] >= at && phases.centre[i] < at + sizes[i]);
        for (unsigned j = 0; j < sizes[i]; j++, at++)
            assert_int_equal(phases.of[at], i);
    }
    phases_free(&phases);
    block_vectors_free(&vectors);
}

static void alike_intervals_are_one_phase(void **state)
{
    const unsigned size = 25;
    struct block_vectors vectors = vectors_of(&size, 1, 0);
    struct phases phases;

    (void)state;
    assert_int_equal(phases_find(&phases, &vectors, 8).kind, FAULT_NONE);
    assert_int_equal(phases.count, 1);
    phases_free(&phases);
    block_vectors_free(&vectors);
}

/* More intervals than are grouped: a sample finds the phases, and all intervals are in their own. */
static void phases_of_many_intervals_are_found(void **state)
{
    const unsigned sizes[] = {40000, 300, 25000, 10};
    struct block_vectors vectors = vectors_of(sizes, 4, 0.05);
    struct phases phases;

    (void)state;
    assert_int_equal(phases_find(&phases, &vectors, 12).kind, FAULT_NONE);
    assert_int_equal(phases.count, 3);       /* the last ten are too few for the criterion */
    for (unsigned i = 0, at = 0; i < 3; i++) {
        assert_true(phases.centre[i] >= at && phases.centre[i] < at + sizes[i]);
        for (unsigned j = 0; j < sizes[i]; j++, at++)
            if (phases.of[at] != i)
                fail_msg("interval %u has phase %u, expected %u", at, phases.of[at], i);
    }
    assert_int_equal(phases.intervals[0] + phases.intervals[1] + phases.intervals[2], vectors.count);
    phases_free(&phases);
    block_vectors_free(&vectors);
}

/* choose.h: what each method takes. */
static struct region_set chosen(struct block_vectors *vectors, enum region_method method, uint64_t regions)
{
    struct choice const choice = {.method = method, .interval = INTERVAL, .warmup = 2 * INTERVAL, .most_phases = 12,
                                  .regions = regions};
    struct region_set set = {.trace = NULL};
    double sum = 0;

    assert_int_equal(choose_regions(&set, vectors, &choice).kind, FAULT_NONE);
    for (size_t i = 0; i < set.count; i++) {
        uint64_t const at = set.regions[i].first + set.regions[i].warmup;

        sum += set.regions[i].weight;
        assert_int_equal(at % INTERVAL, 0);
        assert_int_equal(set.regions[i].warmup, at < 2 * INTERVAL ? at : 2 * INTERVAL);
        assert_int_equal(set.regions[i].instructions, INTERVAL);
    }
    assert_true(sum > 1 - 1e-12 && sum < 1 + 1e-12);
    return set;
}

static void simpoint_takes_one_a_phase(void **state)
{
    const unsigned sizes[] = {20, 10, 30};
    struct block_vectors vectors = vectors_of(sizes, 3, 0.05);
    struct region_set set = chosen(&vectors, REGIONS_SIMPOINT, 1);

    (void)state;
    assert_int_equal(set.count, 3);
    assert_true(set.regions[1].weight > 10.0 / 60 && set.regions[1].weight < 10.2 / 60);
    region_set_free(&set);
    block_vectors_free(&vectors);
}

static void systematic_ones_lie_at_even_distances(void **state)
{
    const unsigned sizes[] = {20, 10, 31};
    struct block_vectors vectors = vectors_of(sizes, 3, 0.05);
    struct region_set set = chosen(&vectors, REGIONS_SYSTEMATIC, 10);

    (void)state;
    assert_int_equal(set.count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(set.regions[i].first + set.regions[i].warmup, (3 + 6 * i) * INTERVAL);
    region_set_free(&set);
    block_vectors_free(&vectors);
}

/* "in proportion to the instructions of each, two at least where a phase has two" */
static void stratified_ones_are_shared_by_size(void **state)
{
    const unsigned sizes[] = {20, 3, 37};
    struct block_vectors vectors = vectors_of(sizes, 3, 0.05);
    struct region_set set = chosen(&vectors, REGIONS_STRATIFIED, 30);
    unsigned of[3] = {0};

    (void)state;
    for (size_t i = 0; i < set.count; i++)
        of[set.regions[i].stratum]++;
    assert_int_equal(of[0], 10);
    assert_int_equal(of[1], 2);
    assert_int_equal(of[2], 18);
    region_set_free(&set);
    block_vectors_free(&vectors);
}

static void a_short_program_is_refused(void **state)
{
    const unsigned size = 1;
    struct block_vectors vectors = vectors_of(&size, 1, 0);
    struct choice const choice = {.method = REGIONS_SIMPOINT, .interval = INTERVAL, .most_phases = 2};
    struct region_set set = {.trace = strdup("a.rbt")};

    (void)state;
    assert_int_equal(choose_regions(&set, &vectors, &choice).kind, FAULT_INPUT);
    region_set_free(&set);
    block_vectors_free(&vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_found),
        cmocka_unit_test(phases_of_many_intervals_are_found),
        cmocka_unit_test(alike_intervals_are_one_phase),
        cmocka_unit_test(simpoint_takes_one_a_phase),
        cmocka_unit_test(systematic_ones_lie_at_even_distances),
        cmocka_unit_test(stratified_ones_are_shared_by_size),
        cmocka_unit_test(a_short_program_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
