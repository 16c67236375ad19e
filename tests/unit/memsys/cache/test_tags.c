/* memsys/cache/tags.h, memsys/fast/ways.h: lines whose numbers agree in their low part, fills that are not complete,
 * the victim of LRU. Both tables of lines pass each test of tags.h. */
#include "memsys/cache/cache_params.h"
#include "memsys/fast/ways.h"
#include "memsys/policy/policy_params.h"
#include "tests/support/unit.h"

#define LINE_BYTES 64
#define ASSOC 4
#define SETS 2

static struct sim sim;
static struct tags tags;

static int start_with(uint64_t assoc)
{
    struct cache_params const params = {.size_bytes = (uint64_t)LINE_BYTES * ASSOC * SETS, .assoc = assoc,
                                        .replacement = REPLACEMENT_LRU};

    sim_init(&sim, LINE_BYTES);
    assert_int_equal(tags_init(&tags, &sim, &params).kind, FAULT_NONE);
    return 0;
}

static int start(void **state)
{
    return start_with(ASSOC);
}

static int start_ways(void **state)
{
    start_with(ASSOC);
    ways_bind(&tags);
    return 0;
}

static int start_with_one_way(void **state)
{
    start_with(1);
    ways_bind(&tags);
    return 0;
}

static int stop(void **state)
{
    tags_free(&tags);
    sim_free(&sim);
    return 0;
}

static uint32_t insert(uint64_t address)
{
    struct request const request = {.address = address, .size_bytes = 8};
    uint32_t const block = tags_victim(&tags, address);
    struct packet packet;

    packet_init(&packet, &request, CMD_ReadReq);
    packet_make_response(&packet);
    if (tags_is_valid(&tags, block))
        tags_invalidate(&tags, block);
    tags_insert(&tags, block, &packet);
    return block;
}

/* "The upper part is 0 for all lines of the first 128 GiB": beyond, and with ADDRESS_SECURE, lines are apart too. */
static void lines_with_one_low_part_are_apart(void **state)
{
    static const uint64_t addresses[] = {0, UINT64_C(1) << 37, ADDRESS_SECURE, UINT64_MAX - (LINE_BYTES - 1),
                                         (UINT64_C(1) << 37) - LINE_BYTES};
    uint32_t blocks[5];

    for (size_t i = 0; i < 5; i++) {
        sim.events.now_ps++;
        assert_int_equal(tags_find(&tags, addresses[i]), BLOCK_NONE);
        blocks[i] = insert(addresses[i]);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(tags_find(&tags, addresses[i]), blocks[i]);
        assert_true(tags_address(&tags, blocks[i]) == addresses[i]);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(blocks[i], blocks[j]);
    }
    tags_invalidate(&tags, blocks[1]);
    assert_int_equal(tags_find(&tags, addresses[1]), BLOCK_NONE);
    assert_int_equal(tags_find(&tags, addresses[0]), blocks[0]);
}

/* "When the block's fill is complete; 0 if it is already", of more blocks than there is room for at first. */
static void fills_are_late_until_their_tick(void **state)
{
    for (uint64_t again = 1; again <= 3; again++)
        for (uint32_t block = 0; block < ASSOC * SETS; block++)
            tags_set_ready_ps(&tags, block, 1000 * again + block);
    for (uint32_t block = 0; block < ASSOC * SETS; block++) {
        assert_true(tags_ready_ps(&tags, block) == 3000 + block);
        assert_true(tags_is_late(&tags, block, 2999 + block));
        assert_false(tags_is_late(&tags, block, 3000 + block));
    }
    sim.events.now_ps = 3003;
    for (uint32_t block = 0; block < ASSOC * SETS; block++)
        assert_true(tags_ready_ps(&tags, block) == (block <= 3 ? 0 : 3000 + block));
    tags_set_ready_ps(&tags, 0, 4000);
    assert_true(tags_is_late(&tags, 0, 3003));
    tags_invalidate(&tags, 7);
    assert_false(tags_is_late(&tags, 7, 3003));
    for (uint32_t i = 0; i < 1000; i++) {
        sim.events.now_ps += 10;
        tags_set_ready_ps(&tags, i % 3, sim.events.now_ps + 25);
        assert_true(tags_ready_ps(&tags, i % 3) == sim.events.now_ps + 25);
        assert_true(i == 0 || tags_ready_ps(&tags, (i - 1) % 3) == sim.events.now_ps + 15);
    }
    assert_true(tags.late_room <= 64);   /* expired entries make room */
}

/* The victim is the policy's own answer, whatever is invalid and whatever was touched at tick 0. */
static void victim_is_that_of_the_policy(void **state)
{
    uint64_t random = 1;

    for (unsigned step = 0; step < 20000; step++) {
        uint64_t const address = (random >> 33) % 16 * LINE_BYTES;
        uint32_t const block = tags_find(&tags, address);
        uint32_t const first = (uint32_t)(address / LINE_BYTES % SETS) * ASSOC;

        assert_int_equal(tags_victim(&tags, address), tags.policy.ops->victim(&tags.policy, first));
        if (tags.ways)
            assert_int_equal(ways_victim(&tags, address), tags_victim(&tags, address));
        if (block == BLOCK_NONE)
            insert(address);
        else if (random >> 60 < 4)
            tags_invalidate(&tags, block);
        else
            tags_touch(&tags, block, NULL);
        if (step > 2000 && (random >> 40) % 2)
            sim.events.now_ps++;
        random = random * UINT64_C(6364136223846793005) + 1;
    }
}

/* ways_find_near and ways_find find what tags_find finds, in every way of a set, and nothing else. */
static void near_lines_are_found_in_every_way(void **state)
{
    uint32_t block = BLOCK_NONE;

    for (uint64_t line = 0; line < 2 * ASSOC * SETS; line++) {
        sim.events.now_ps++;
        insert(line * LINE_BYTES);
        for (uint64_t other = 0; other < 3 * ASSOC * SETS; other++) {
            uint32_t const expected = tags_find(&tags, other * LINE_BYTES);

            assert_int_equal(ways_find(&tags, other * LINE_BYTES + 8), expected);
            assert_int_equal(ways_find_near(&tags, other * LINE_BYTES + 8, &block), expected != BLOCK_NONE);
            if (expected != BLOCK_NONE)
                assert_int_equal(block, expected);
        }
    }
}

/* "In a set of one way the second look is at a block that holds another line, or none": not at the temporary block,
 * which is behind the last set. */
static void the_temporary_block_is_not_found(void **state)
{
    uint64_t const last = (ASSOC * SETS - 1) * LINE_BYTES;
    uint32_t block;

    tags_insert_temporary(&tags, last);
    assert_false(ways_find_near(&tags, last, &block));
    assert_int_equal(tags_find(&tags, last), BLOCK_NONE);
}

/* A plain model: each set a list of lines, the last used first. */
enum { MOST_SETS = 24, MOST_WAYS = 5 };
static struct plain {
    uint64_t sets, ways, lines[MOST_SETS][MOST_WAYS];    /* line + 1; 0: none */
} plain;

static bool plain_use(uint64_t line)
{
    uint64_t *const set = plain.lines[line % plain.sets], kept = line + 1;
    uint64_t way = 0;
    bool hits;

    while (way + 1 < plain.ways && set[way] != kept)
        way++;
    hits = set[way] == kept;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = kept;
    return hits;
}

/* Any number of sets: the set of a line is its number modulo that. Each line is in one block, and is found there. */
static void sets_of_any_number(bool has_ways)
{
    for (uint64_t sets = 1; sets <= MOST_SETS; sets++) {
        uint64_t const ways = 1 + sets % MOST_WAYS;
        struct cache_params const params = {.size_bytes = LINE_BYTES * ways * sets, .assoc = ways,
                                            .replacement = REPLACEMENT_LRU};
        uint64_t number = sets, hits = 0;

        tags_free(&tags);
        assert_int_equal(tags_init(&tags, &sim, &params).kind, FAULT_NONE);
        if (has_ways)
            ways_bind(&tags);
        plain = (struct plain){.sets = sets, .ways = ways};
        for (unsigned i = 0; i < 4000; i++) {
            number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

            uint64_t const line = (number >> 33) % (2 * sets * ways) + (number >> 20 & 1) * (UINT64_C(1) << 34);
            uint64_t const address = line * LINE_BYTES;
            uint32_t near = BLOCK_NONE, block = tags_find(&tags, address);
            bool const is_near = has_ways && ways_find_near(&tags, address, &near), was_there = plain_use(line);

            sim.events.now_ps++;
            assert_int_equal(block != BLOCK_NONE, was_there);
            assert_true(!is_near || near == block);
            hits += was_there;
            if (was_there)
                tags_touch(&tags, block, NULL);
            else
                block = insert(address);
            assert_int_equal(block / ways, line % sets);
            assert_int_equal(tags_set_of(&tags, line), line % sets);
            assert_true(tags_address(&tags, block) == address);
            if (has_ways)
                ways_prefetch_hint(&tags, address);
        }
        assert_true(hits > 0);
    }
}

static void sets_of_any_number_are_as_a_plain_model_has_them(void **state)
{
    sets_of_any_number(false);
    sets_of_any_number(true);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_with_one_low_part_are_apart, start, stop),
        cmocka_unit_test_setup_teardown(sets_of_any_number_are_as_a_plain_model_has_them, start, stop),
        cmocka_unit_test_setup_teardown(fills_are_late_until_their_tick, start, stop),
        cmocka_unit_test_setup_teardown(lines_with_one_low_part_are_apart, start_ways, stop),
        cmocka_unit_test_setup_teardown(near_lines_are_found_in_every_way, start_ways, stop),
        cmocka_unit_test_setup_teardown(near_lines_are_found_in_every_way, start_with_one_way, stop),
        cmocka_unit_test_setup_teardown(the_temporary_block_is_not_found, start_with_one_way, stop),
        cmocka_unit_test_setup_teardown(victim_is_that_of_the_policy, start, stop),
        cmocka_unit_test_setup_teardown(victim_is_that_of_the_policy, start_ways, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
