/* memsys/gpu/translation.h: when pages are known (gpu-traces 14), by hand; random lookups against the rules. */
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/translation.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

enum { PAGE = 4096, L2_CYC = 3, WALK_CYC = 700 };

static const struct gpu_tlb_params small = {.page_bytes = PAGE, .entries = 4, .misses = 2, .l1_latency_cyc = 0,
                                            .l2_sets = 4, .l2_ways = 2, .l2_latency_cyc = L2_CYC,
                                            .walk_latency_cyc = WALK_CYC};
static struct gpu_translation *translation;
static struct gpu_counts counts;

static int set_up(void **state)
{
    (void)state;
    counts = (struct gpu_counts){0};
    return gpu_translation_init(&translation, &small, 2).kind == FAULT_NONE ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gpu_translation_free(translation);
    return 0;
}

static uint64_t look_up(unsigned tlb, uint64_t page, uint64_t cyc)
{
    return gpu_translate(translation, tlb, page * PAGE + 40, cyc, &counts);
}

static void a_page_is_walked_for_once(void **state)
{
    (void)state;
    assert_int_equal(look_up(0, 7, 100), 100 + WALK_CYC + L2_CYC);
    assert_int_equal(look_up(0, 7, 200), 100 + WALK_CYC + L2_CYC);    /* waits with the first */
    assert_int_equal(look_up(0, 7, 900), 900);
    assert_int_equal(look_up(1, 7, 900), 900 + L2_CYC);               /* the other TLB: the L2 has it */
    assert_int_equal(counts.tlb_lookups, 4);
    assert_int_equal(counts.tlb_misses, 2);
    assert_int_equal(counts.tlb_walks, 1);
}

static void another_tlb_waits_for_the_walk_that_goes_on(void **state)
{
    (void)state;
    assert_int_equal(look_up(0, 7, 100), 803);
    assert_int_equal(look_up(1, 7, 300), 803);
    assert_int_equal(counts.tlb_walks, 1);
}

/* A vector access is looked up when it leaves the LD/ST unit, for a later cycle; a scalar load may look before that. */
static void the_earliest_look_up_starts_the_walk(void **state)
{
    (void)state;
    assert_int_equal(look_up(0, 7, 165), 165 + WALK_CYC + L2_CYC);
    assert_int_equal(look_up(1, 7, 112), 112 + WALK_CYC + L2_CYC);
}

static void a_tlb_waits_for_a_limited_number_of_pages(void **state)
{
    (void)state;
    assert_int_equal(look_up(0, 0, 10), 713);
    assert_int_equal(look_up(0, 1, 20), 723);
    assert_int_equal(look_up(0, 2, 30), 713 + WALK_CYC + L2_CYC);     /* begins when the first is there */
}

static void the_page_used_longest_ago_goes(void **state)
{
    (void)state;
    for (unsigned page = 0; page < 4; page++)
        look_up(0, page, 10000 * (page + 1));
    assert_int_equal(look_up(0, 0, 60000), 60000);
    look_up(0, 4, 70000);                                              /* in the place of page 1 */
    assert_int_equal(look_up(0, 0, 80000), 80000);
    assert_int_equal(look_up(0, 1, 80000), 80000 + L2_CYC);
}

/* Pages 0, 4 and 8 share a set of two ways. */
static void the_l2_has_sets(void **state)
{
    (void)state;
    look_up(0, 0, 10000);
    look_up(0, 4, 20000);
    look_up(0, 8, 30000);
    assert_int_equal(counts.tlb_walks, 3);
    assert_int_equal(look_up(1, 8, 40000), 40000 + L2_CYC);
    assert_int_equal(look_up(1, 0, 50000), 50000 + WALK_CYC + L2_CYC);
}

static void no_lookup_ends_before_it_begins_or_after_a_walk(void **state)
{
    struct random_generator generator;
    uint64_t cyc = 0;

    (void)state;
    random_init(&generator, 5);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t const looked_cyc = cyc + random_uniform(&generator, 0, 100);
        unsigned const tlb = (unsigned)random_uniform(&generator, 0, 1);
        uint64_t const ready_cyc = look_up(tlb, random_uniform(&generator, 0, 12), looked_cyc);

        assert_true(ready_cyc >= looked_cyc);
        /* at most two other pages before it in its TLB */
        assert_true(ready_cyc <= looked_cyc + 3 * (WALK_CYC + L2_CYC) + 100);
        cyc += random_uniform(&generator, 0, 900);
    }
    assert_true(counts.tlb_walks <= counts.tlb_misses && counts.tlb_misses <= counts.tlb_lookups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_is_walked_for_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_tlb_waits_for_the_walk_that_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_earliest_look_up_starts_the_walk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tlb_waits_for_a_limited_number_of_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_page_used_longest_ago_goes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_l2_has_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_lookup_ends_before_it_begins_or_after_a_walk, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
