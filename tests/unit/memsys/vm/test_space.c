/* memsys/vm/vm_space.h: where pages lie (virtual-memory 2 and 3). The sentences are those of the header. */
#include "base/number_map.h"
#include "memsys/vm/vm_params.h"
#include "memsys/vm/vm_space.h"
#include "tests/support/unit.h"

#define MIB (UINT64_C(1) << 20)

static const struct vm_range one_range[] = {{0, 64 * MIB}};

static struct pages_params params_of(enum placement policy, enum huge_pages huge)
{
    return (struct pages_params){.policy = policy, .huge = huge, .threshold = 3, .seed = 1, .colours = 16};
}

static struct vm_memory *memory_of(const struct pages_params *params, const struct vm_range *ranges, unsigned count)
{
    struct fault fault;
    struct vm_memory *const memory = vm_memory_make(params, ranges, count, &fault);

    assert_non_null(memory);
    return memory;
}

static struct space *add(struct vm_memory *memory)
{
    struct fault fault;
    struct space *const space = vm_memory_add_space(memory, "test", false, &fault);

    assert_non_null(space);
    return space;
}

static void touch(struct space *space, uint64_t address, uint64_t bytes)
{
    assert_fine(space_touch(space, address, bytes));
}

static void settle(struct space *space)
{
    assert_fine(space_settle(space));
}

/* "the next one in the order of first use", from the first frame on, over the holes between ranges */
static void first_touch_gives_frames_in_order(void **state)
{
    static const struct vm_range ranges[] = {{0x10000, 0x2000}, {0x100000, 4 * MIB}};
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, ranges, 2);
    struct space *const one = add(memory), *const other = add(memory);

    touch(one, 0x7fff12345ffc, 8);               /* two pages */
    touch(one, 0x400000, 4);
    touch(one, 0x7fff12345000, 1);
    settle(one);
    touch(other, 0x400000, 4);
    settle(other);
    assert_int_equal(space_place(one, 0x7fff12345abc), 0x10abc);
    assert_int_equal(space_place(one, 0x7fff12346abc), 0x11abc);
    assert_int_equal(space_place(one, 0x400123), 0x100123);
    assert_int_equal(space_place(other, 0x400123), 0x101123);
    assert_true(space_place(one, 0x500000) == VM_NOWHERE);
    assert_true(vm_find(memory, NULL, 0x101123).space == other);
    assert_int_equal(vm_find(memory, NULL, 0x101123).address, 0x400123);
    assert_int_equal(space_virtual_of(one, 0x11abc), 0x7fff12346abc);
    assert_true(space_virtual_of(one, 0x101123) == VM_NOWHERE);
    vm_memory_free(memory);
}

/* Every page has a frame of its own, from there the way back leads to it, and the same again gives the same. */
static void check_bijection(enum placement policy, enum huge_pages huge, uint64_t seed, uint64_t *hash)
{
    static const struct vm_range ranges[] = {{3 * MIB, 9 * MIB}, {16 * MIB + 4096, 40 * MIB}, {4096 * MIB, 16 * MIB}};
    enum { PAGES = 4000 };
    struct pages_params params = params_of(policy, huge);
    struct vm_memory *memory;
    struct space *spaces[2];
    struct number_map seen = {0};
    uint64_t random = 12345, *const addresses = malloc(PAGES * sizeof *addresses);

    params.seed = seed;
    memory = memory_of(&params, ranges, 3);
    assert_non_null(addresses);
    *hash = 0;
    for (unsigned s = 0; s < 2; s++) {
        spaces[s] = add(memory);
        for (unsigned i = 0; i < PAGES; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            addresses[i] = 0x7f0000000000 + (random >> 40) % (huge == HUGE_NEVER ? 8 * MIB : 20 * MIB);
            touch(spaces[s], addresses[i], 8);
        }
        settle(spaces[s]);
        for (unsigned i = 0; i < PAGES; i++) {
            uint64_t const place = space_place(spaces[s], addresses[i]);
            struct vm_page const page = vm_find(memory, NULL, place);
            uint64_t *const owner = number_map_put(&seen, place / VM_PAGE_BYTES);
            uint64_t const mine = (addresses[i] / VM_PAGE_BYTES) << 1 | s;

            assert_true(place != VM_NOWHERE);
            assert_true((place >= 3 * MIB && place < 12 * MIB) || (place >= 16 * MIB + 4096 && place < 56 * MIB + 4096)
                        || (place >= 4096 * MIB && place < 4112 * MIB));
            assert_int_equal(place % VM_PAGE_BYTES, addresses[i] % VM_PAGE_BYTES);
            assert_true(page.space == spaces[s]);
            assert_int_equal(page.address, addresses[i]);
            assert_true(*owner == 0 || *owner == mine);
            *owner = mine;
            if (policy == PLACEMENT_COLOURED && page.bytes == VM_PAGE_BYTES)
                assert_int_equal(place / VM_PAGE_BYTES % params.colours, addresses[i] / VM_PAGE_BYTES % params.colours);
            for (unsigned level = page.bytes == VM_PAGE_BYTES ? 1 : 2; level <= VM_LEVELS; level++)
                assert_null(vm_find(memory, NULL, space_entry(spaces[s], addresses[i], level)).space);
            *hash = *hash * 31 + place;
        }
    }
    number_map_free(&seen);
    free(addresses);
    vm_memory_free(memory);
}

static void places_are_a_bijection_and_repeat(void **state)
{
    static const enum placement policies[] = {PLACEMENT_FIRST_TOUCH, PLACEMENT_RANDOM, PLACEMENT_COLOURED};
    static const enum huge_pages sizes[] = {HUGE_NEVER, HUGE_THRESHOLD, HUGE_ALWAYS};

    for (unsigned p = 0; p < 3; p++)
        for (unsigned h = 0; h < 3; h++) {
            uint64_t first, again, other;

            check_bijection(policies[p], sizes[h], 1, &first);
            check_bijection(policies[p], sizes[h], 1, &again);
            check_bijection(policies[p], sizes[h], 2, &other);
            assert_true(first == again);
            assert_true((first != other) == (policies[p] == PLACEMENT_RANDOM));    /* seeds differ there alone */
        }
}

/* random: every frame is given, each once */
static void random_gives_each_frame_once(void **state)
{
    static const struct vm_range ranges[] = {{0, 37 * 4096}};
    struct pages_params const params = params_of(PLACEMENT_RANDOM, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, ranges, 1);
    struct space *const space = add(memory);
    bool in_order = true;
    struct fault fault;

    for (uint64_t i = 0; i < 33; i++) {          /* and four tables */
        touch(space, i * 4096, 4096);
        in_order = in_order && space_place(space, i * 4096) == i * 4096;
    }
    assert_false(in_order);
    assert_int_equal(space_counts(space).tables, 4);
    fault = space_touch(space, 33 * 4096, 1);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "memory is full"));
    assert_non_null(strstr(fault_text(fault), "memory.size"));
    vm_memory_free(memory);
}

/* threshold: a region with at least that many pieces in the whole trace is one page, wherever in the trace they are */
static void regions_with_many_pieces_become_huge(void **state)
{
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_THRESHOLD);
    struct vm_memory *const memory = memory_of(&params, one_range, 1);
    struct space *const space = add(memory);

    touch(space, 0x200000, 1);
    touch(space, 0x400000, 1);                   /* two pieces: small */
    touch(space, 0x201000, 1);
    touch(space, 0x401fff, 1);
    touch(space, 0x3ff000, 1);                   /* the third of the first region */
    settle(space);
    assert_int_equal(space_place(space, 0x234567), 0x034567);     /* all of the page is there */
    assert_int_equal(space_place(space, 0x400000), 0x200000);     /* the first frame that is no part of it */
    assert_int_equal(space_place(space, 0x401000), 0x201000);
    assert_int_equal(vm_find(memory, NULL, 0x034567).bytes, VM_HUGE_BYTES);
    assert_int_equal(vm_find(memory, NULL, 0x201004).bytes, VM_PAGE_BYTES);
    touch(space, 0x402000, 1);                   /* after settling: no more */
    assert_int_equal(space_place(space, 0x402000), 0x202000);
    assert_int_equal(space_counts(space).huge_pages, 1);
    assert_int_equal(space_counts(space).small_pages, 3);
    vm_memory_free(memory);
}

/* always: while there are whole blocks; then pieces, which are counted */
static void without_a_block_pages_are_small(void **state)
{
    static const struct vm_range ranges[] = {{0, 4 * MIB + 8 * 4096}};
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_ALWAYS);
    struct vm_memory *const memory = memory_of(&params, ranges, 1);
    struct space *const space = add(memory);

    touch(space, 0x200000, 1);
    touch(space, 0x600000, 1);
    touch(space, 0xa00000, 1);
    settle(space);
    assert_int_equal(space_place(space, 0x200000), 0);
    assert_int_equal(space_place(space, 0x600000), 0x200000);
    assert_int_equal(space_place(space, 0xa00000), 0x400000);
    assert_int_equal(space_counts(space).broken_huge_pages, 1);
    assert_int_equal(space_counts(space).small_pages, 1);
    vm_memory_free(memory);
}

/* virtual-memory 3.2: the entry of a page at a level is at table + 8 * index; tables come from the end of memory in the
 * order in which they are needed, roots first. */
static void entries_lie_in_tables_at_the_end(void **state)
{
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, one_range, 1);
    struct space *const space = add(memory);
    uint64_t const end = 64 * MIB, page = 4096;
    uint64_t const address = (UINT64_C(5) << 39) + (UINT64_C(6) << 30) + (UINT64_C(7) << 21) + (UINT64_C(8) << 12);

    touch(space, address, 8);
    touch(space, address + (UINT64_C(1) << 21), 8);
    settle(space);
    assert_int_equal(space_entry(space, address, 4), end - page + 5 * 8);
    assert_int_equal(space_entry(space, address, 3), end - 2 * page + 6 * 8);
    assert_int_equal(space_entry(space, address, 2), end - 3 * page + 7 * 8);
    assert_int_equal(space_entry(space, address, 1), end - 4 * page + 8 * 8);
    assert_int_equal(space_entry(space, address + (UINT64_C(1) << 21), 2), end - 3 * page + 8 * 8);
    assert_int_equal(space_entry(space, address + (UINT64_C(1) << 21), 1), end - 5 * page + 8 * 8);
    vm_memory_free(memory);
}

/* An identity has the tables of all of memory: 64 MiB need 32 of level 1 and one of each other level. */
static void an_identity_has_tables_for_all_of_memory(void **state)
{
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, one_range, 1);
    struct fault fault;
    struct space *const space = vm_memory_add_space(memory, "core", true, &fault);
    uint64_t const first = 64 * MIB - 35 * 4096;

    assert_non_null(space);
    assert_int_equal(space_place(space, 0x123456), 0x123456);
    assert_int_equal(space_virtual_of(space, 0x123456), 0x123456);
    assert_int_equal(space_entry(space, 0, 1), first);
    assert_int_equal(space_entry(space, 63 * MIB, 1), first + 31 * 4096 + 256 * 8);
    assert_int_equal(space_entry(space, 63 * MIB, 2), first + 32 * 4096 + 31 * 8);
    assert_int_equal(space_entry(space, 63 * MIB, 3), first + 33 * 4096);
    assert_int_equal(space_entry(space, 63 * MIB, 4), first + 34 * 4096);
    vm_memory_free(memory);
}

/* Of several ranges: a table that two of them need is one. */
static void identity_tables_are_shared_by_ranges(void **state)
{
    static const struct vm_range ranges[] = {{0, 3 * MIB}, {3 * MIB + 4096, 2 * MIB}, {UINT64_C(1) << 40, 2 * MIB}};
    struct pages_params const params = params_of(PLACEMENT_IDENTITY, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, ranges, 3);
    struct space *const space = add(memory);

    assert_int_equal(space_counts(space).tables, 4 + 2 + 2 + 1);      /* levels 1 to 4 */
    assert_int_equal(space_entry(space, 0, 4) / 4096, space_entry(space, UINT64_C(1) << 40, 4) / 4096);
    assert_int_equal(space_entry(space, 2 * MIB, 1) / 4096, space_entry(space, 3 * MIB + 4096, 1) / 4096);
    assert_true(space_entry(space, 4 * MIB, 1) / 4096 != space_entry(space, 2 * MIB, 1) / 4096);
    vm_memory_free(memory);
}

/* A page of which only a part is memory has its entry. */
static void the_last_piece_of_memory_has_its_table(void **state)
{
    static const struct vm_range range = {2048, 2 * MIB};
    struct pages_params const params = params_of(PLACEMENT_IDENTITY, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, &range, 1);
    struct space *const space = add(memory);

    assert_int_equal(space_counts(space).tables, 2 + 1 + 1 + 1);
    assert_int_equal(space_entry(space, 2048, 1) / VM_PAGE_BYTES, 512 - 5);
    assert_int_equal(space_entry(space, 2 * MIB + 2047, 1) / VM_PAGE_BYTES, 512 - 4);
    vm_memory_free(memory);
}

static void a_map_gives_the_places_of_pages(void **state)
{
    struct pages_params const params = params_of(PLACEMENT_FIRST_TOUCH, HUGE_NEVER);
    struct vm_memory *const memory = memory_of(&params, one_range, 1);
    struct space *const space = add(memory);
    struct fault fault = space_map(space, 0x7f0000000000, 0x1000, 0x1000);

    assert_int_equal(fault.kind, FAULT_NONE);
    assert_int_equal(space_map(space, 0x40000000, 0x400000, 2 * VM_HUGE_BYTES).kind, FAULT_NONE);
    touch(space, 0x40312345, 8);
    touch(space, 0x7f0000000100, 8);
    touch(space, 0x1000, 1);                     /* not in the map: the first frame */
    touch(space, 0x2000, 1);                     /* the next one that the map leaves */
    settle(space);
    assert_int_equal(space_place(space, 0x40312345), 0x712345);
    assert_int_equal(vm_find(memory, NULL, 0x712345).bytes, VM_HUGE_BYTES);
    assert_int_equal(space_place(space, 0x7f0000000100), 0x1100);
    assert_int_equal(space_place(space, 0x1000), 0);
    assert_int_equal(space_place(space, 0x2000), 0x2000);
    assert_true(space_entry(space, 0x7f0000000100, 1) != VM_NOWHERE);
    assert_true(space_entry(space, 0x40312345, 2) != VM_NOWHERE);
    fault = space_map(space, 0x50000000, 64 * MIB, 0x1000);
    assert_non_null(strstr(fault_text(fault), "not in memory"));
    fault = space_map(space, 0x50000100, 0x8000, 0x1000);
    assert_non_null(strstr(fault_text(fault), "no multiple of 4 KiB"));
    fault = space_map(space, 0x40001000, 0x8000, 0x1000);
    assert_non_null(strstr(fault_text(fault), "has a place already"));
    vm_memory_free(memory);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_touch_gives_frames_in_order),
        cmocka_unit_test(places_are_a_bijection_and_repeat),
        cmocka_unit_test(random_gives_each_frame_once),
        cmocka_unit_test(regions_with_many_pieces_become_huge),
        cmocka_unit_test(without_a_block_pages_are_small),
        cmocka_unit_test(entries_lie_in_tables_at_the_end),
        cmocka_unit_test(an_identity_has_tables_for_all_of_memory),
        cmocka_unit_test(identity_tables_are_shared_by_ranges),
        cmocka_unit_test(the_last_piece_of_memory_has_its_table),
        cmocka_unit_test(a_map_gives_the_places_of_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
