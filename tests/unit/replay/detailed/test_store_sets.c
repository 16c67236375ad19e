/* replay/detailed/store_sets.h: the tables of o3-core 5.8, sentence by sentence. */
#include "replay/detailed/store_sets.h"
#include "tests/support/unit.h"

enum { SSIT = 16, LFST = 8, NO_PERIOD = 1 << 30 };

static struct store_sets sets;
static void *memory;

static void make(uint64_t period, bool is_on)
{
    memory = malloc(store_sets_bytes(SSIT, LFST));
    assert_non_null(memory);
    store_sets_init(&sets, memory, SSIT, LFST, period, is_on);
}

static int tear_down(void **state)
{
    free(memory);
    memory = NULL;
    return 0;
}

/* The set that a store belongs to. */
static uint32_t set_of(uint64_t pc, uint64_t seq)
{
    uint32_t set = UINT32_MAX;

    assert_true(store_sets_insert(&sets, pc, seq, &set));
    return set;
}

static void no_load_waits_before_a_violation(void **state)
{
    uint32_t set;

    make(NO_PERIOD, true);
    assert_false(store_sets_insert(&sets, 0x100, 7, &set));
    assert_int_equal(store_sets_check(&sets, 0x100), 0);
    assert_int_equal(store_sets_check(&sets, 0x104), 0);
}

/* "neither valid: new id = (load pc ^ (load pc >> 10)) mod LFSTSize, given to both" */
static void a_violation_makes_a_set(void **state)
{
    uint64_t const load = 0x1c14;

    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, load);
    assert_int_equal(store_sets_check(&sets, load), 0);
    assert_int_equal(set_of(0x100, 7), (load ^ load >> 10) % LFST);
    assert_int_equal(store_sets_check(&sets, load), 7);
    assert_int_equal(set_of(0x100, 9), (load ^ load >> 10) % LFST);
    assert_int_equal(store_sets_check(&sets, load), 9);
}

/* "index(pc) = (pc >> 2) & (SSITSize-1)" */
static void pcs_that_share_an_index_share_a_set(void **state)
{
    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, 0x204);
    set_of(0x100 + 4 * SSIT, 7);
    assert_int_equal(store_sets_check(&sets, 0x204 + 4 * SSIT), 7);
    assert_int_equal(store_sets_check(&sets, 0x204 + 2), 7);
    assert_int_equal(store_sets_check(&sets, 0x204 + 4), 0);
}

/* "Only one valid: the other joins." */
static void an_instruction_without_set_joins(void **state)
{
    uint32_t first, second;

    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, 0x204);
    first = set_of(0x100, 1);
    store_sets_violation(&sets, 0x100, 0x208);
    assert_int_equal(store_sets_check(&sets, 0x208), 1);
    store_sets_violation(&sets, 0x10c, 0x208);
    second = set_of(0x10c, 2);
    assert_int_equal(first, second);
    assert_int_equal(store_sets_check(&sets, 0x204), 2);
}

/* "Both valid: the one with the larger id takes the smaller id" */
static void the_smaller_set_wins(void **state)
{
    uint64_t const load_1 = 0x201, load_6 = 0x20e;    /* ids 1 and 6 */

    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x110, load_1);
    store_sets_violation(&sets, 0x118, load_6);
    assert_int_equal(set_of(0x110, 1), 1);
    assert_int_equal(set_of(0x118, 2), 6);
    store_sets_violation(&sets, 0x118, load_1);
    assert_int_equal(set_of(0x118, 3), 1);
    assert_int_equal(store_sets_check(&sets, load_6), 2);    /* the load of the other stays */
    store_sets_violation(&sets, 0x110, load_6);
    assert_int_equal(store_sets_check(&sets, load_6), 3);
}

/* "if SSIT(pc) valid and LFST[set] valid and equal sn: LFST invalid" */
static void a_store_that_is_issued_is_not_waited_for(void **state)
{
    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, 0x204);
    set_of(0x100, 7);
    store_sets_issued(&sets, 0x100, 6);
    assert_int_equal(store_sets_check(&sets, 0x204), 7);
    store_sets_issued(&sets, 0x100, 7);
    assert_int_equal(store_sets_check(&sets, 0x204), 0);
}

/* S12: "On a squash the LFST is invalidated, not restored" */
static void a_squash_does_not_restore_the_store_before(void **state)
{
    uint32_t set;

    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, 0x204);
    set_of(0x100, 7);
    set = set_of(0x100, 9);
    store_sets_squash(&sets, set, 9);
    assert_int_equal(store_sets_check(&sets, 0x204), 9);
    store_sets_squash(&sets, set, 8);
    assert_int_equal(store_sets_check(&sets, 0x204), 0);
}

/* "ops += 1; if ops > clear period: ops=0, clear"; S11: only stores count. */
static void tables_are_cleared_periodically(void **state)
{
    uint32_t set;

    make(3, true);
    store_sets_violation(&sets, 0x100, 0x204);
    for (unsigned i = 1; i <= 3; i++) {
        for (unsigned k = 0; k < 10; k++)
            store_sets_check(&sets, 0x204);
        assert_true(store_sets_insert(&sets, 0x100, i, &set));
    }
    assert_false(store_sets_insert(&sets, 0x100, 4, &set));
    assert_int_equal(store_sets_check(&sets, 0x204), 0);
    store_sets_violation(&sets, 0x100, 0x204);
    for (unsigned i = 5; i <= 7; i++)
        assert_true(store_sets_insert(&sets, 0x100, i, &set));
    assert_false(store_sets_insert(&sets, 0x100, 8, &set));
}

static void without_store_sets_no_dependence_is_learnt(void **state)
{
    uint32_t set;

    make(NO_PERIOD, false);
    store_sets_violation(&sets, 0x100, 0x204);
    assert_false(store_sets_insert(&sets, 0x100, 7, &set));
    assert_int_equal(store_sets_check(&sets, 0x204), 0);
}

/* "after `trust` waits in a row for nothing the load leaves the set" */
static void vain_waits_take_a_load_out(void **state)
{
    make(NO_PERIOD, true);
    store_sets_violation(&sets, 0x100, 0x104);
    set_of(0x100, 9);
    store_sets_waited(&sets, 0x104, false, 2);
    store_sets_waited(&sets, 0x104, true, 2);
    store_sets_waited(&sets, 0x104, false, 2);
    assert_int_equal(store_sets_check(&sets, 0x104), 9);
    store_sets_waited(&sets, 0x104, false, 0);
    assert_int_equal(store_sets_check(&sets, 0x104), 9);
    store_sets_waited(&sets, 0x104, false, 2);
    assert_int_equal(store_sets_check(&sets, 0x104), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(vain_waits_take_a_load_out, tear_down),
        cmocka_unit_test_teardown(no_load_waits_before_a_violation, tear_down),
        cmocka_unit_test_teardown(a_violation_makes_a_set, tear_down),
        cmocka_unit_test_teardown(pcs_that_share_an_index_share_a_set, tear_down),
        cmocka_unit_test_teardown(an_instruction_without_set_joins, tear_down),
        cmocka_unit_test_teardown(the_smaller_set_wins, tear_down),
        cmocka_unit_test_teardown(a_store_that_is_issued_is_not_waited_for, tear_down),
        cmocka_unit_test_teardown(a_squash_does_not_restore_the_store_before, tear_down),
        cmocka_unit_test_teardown(tables_are_cleared_periodically, tear_down),
        cmocka_unit_test_teardown(without_store_sets_no_dependence_is_learnt, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
