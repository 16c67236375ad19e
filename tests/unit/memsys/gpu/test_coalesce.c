/* memsys/gpu/coalesce.h: the checks of gpu-traces 9 and 8.3. */
#include "memsys/gpu/coalesce.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

static uint64_t addresses[COALESCE_MAX_LANES];
static struct coalesced requests[COALESCE_MAX_ACCESSES];

static struct lane_access strided(uint64_t base, uint64_t stride, unsigned lanes, uint32_t width)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = base + lane * stride;
    return (struct lane_access){.addresses = addresses, .lanes = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1,
                                .width_bytes = width};
}

static unsigned sectors(uint64_t base, uint64_t stride, uint32_t width)
{
    struct lane_access const access = strided(base, stride, 32, width);

    return coalesce(COALESCE_SECTORS, &access, requests);
}

static unsigned lines(uint64_t base, uint64_t stride, uint32_t width)
{
    struct lane_access const access = strided(base, stride, 32, width);

    return coalesce_count_lines(&access, 128);
}

static void checks_of_the_specification(void **state)
{
    assert_int_equal(sectors(0x1000, 4, 4), 4);
    assert_int_equal(lines(0x1000, 4, 4), 1);
    assert_int_equal(sectors(0x1000, 8, 8), 8);
    assert_int_equal(lines(0x1000, 8, 8), 2);
    assert_int_equal(sectors(0x1000, 128, 4), 32);
    assert_int_equal(lines(0x1000, 128, 4), 32);
    assert_int_equal(sectors(0x1000, 0, 4), 1);
    assert_int_equal(lines(0x1000, 0, 4), 1);
    assert_int_equal(sectors(0x1000, 16, 12), 16);
    assert_int_equal(sectors(0x101e, 0, 4), 2);          /* straddles */
    assert_int_equal(sectors(UINT64_MAX - 1, 0, 4), 2);  /* wraps */
    assert_int_equal(sectors(0, 4, 0), 0);
}

static void sectors_come_by_falling_address(void **state)
{
    assert_int_equal(sectors(0x1010, 4, 4), 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(requests[i].address, 0x1080 - 32 * i);
        assert_int_equal(requests[i].bytes, 32);
        assert_int_equal(requests[i].lanes, i == 0 || i == 4 ? 4 : 8);
    }
    assert_int_equal(requests[0].byte_mask, 0xffff);
    assert_int_equal(requests[4].byte_mask, 0xffff0000);
}

/* "number of transactions per sector = maximum multiplicity of one address in that sector" */
static void atomics_of_one_address_go_apart(void **state)
{
    struct lane_access access = strided(0x2000, 4, 32, 4);

    access.is_atomic = true;
    addresses[1] = addresses[2] = addresses[0];
    addresses[31] = addresses[30];
    assert_int_equal(coalesce(COALESCE_SECTORS, &access, requests), 4 + 2 + 1);
    access = strided(0x2000, 0, 32, 4);
    access.is_atomic = true;
    assert_int_equal(coalesce(COALESCE_SECTORS, &access, requests), 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(requests[i].lanes, 1);
}

static void segments_shrink_to_the_used_half(void **state)
{
    struct lane_access access = strided(0x1000, 4, 32, 4);

    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 1);
    assert_int_equal(requests[0].bytes, 128);
    assert_int_equal(requests[0].lanes, 32);
    access = strided(0x1040, 4, 16, 4);
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 1);
    assert_int_equal(requests[0].address, 0x1040);
    assert_int_equal(requests[0].bytes, 64);
    access = strided(0x1060, 4, 8, 4);
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 1);
    assert_int_equal(requests[0].address, 0x1060);
    assert_int_equal(requests[0].bytes, 32);
    assert_int_equal(requests[0].byte_mask, UINT32_MAX);
    access = strided(0x1030, 4, 8, 4);                   /* quarters of both halves */
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 1);
    assert_int_equal(requests[0].bytes, 128);
    access = strided(0x1000, 2, 64, 2);
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 2);
    assert_int_equal(requests[0].bytes, 64);
    access = strided(0x1000, 1, 64, 1);
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 2);
    assert_int_equal(requests[1].bytes, 32);
    access = strided(0x1000, 64, 6, 4);
    assert_int_equal(coalesce(COALESCE_SEGMENTS, &access, requests), 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(requests[i].address, 0x1100 - 128 * i);
        assert_int_equal(requests[i].bytes, 128);
        assert_int_equal(requests[i].lanes, 2);
    }
}

/* "in order of first appearance" */
static void lines_come_as_lanes_need_them(void **state)
{
    struct lane_access access = strided(0x1000, 64, 64, 16);

    addresses[0] = 0x1fc0;
    addresses[1] = 0x1038;                               /* two lines */
    access.lanes = 7;
    assert_int_equal(coalesce(COALESCE_LINES, &access, requests), 4);
    assert_int_equal(requests[0].address, 0x1fc0);
    assert_int_equal(requests[1].address, 0x1000);
    assert_int_equal(requests[2].address, 0x1040);
    assert_int_equal(requests[3].address, 0x1080);
    assert_int_equal(requests[1].byte_mask, UINT64_C(0xff00000000000000));
    assert_int_equal(coalesce_count_lines(&access, 64), 4);
}

/* Every byte of every lane is in exactly one request of its lane, and no request is there twice. */
static void requests_cover_the_bytes_of_all_lanes(void **state)
{
    static const enum coalescing rules[] = {COALESCE_SECTORS, COALESCE_SEGMENTS, COALESCE_LINES};
    struct random_generator generator;

    random_init(&generator, RANDOM_SEED);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t const width = random_uniform(&generator, 1, 16), spread = 1u << random_uniform(&generator, 3, 14);
        struct lane_access access = strided(0, 0, 64, width);
        enum coalescing const rule = rules[round % 3];
        uint64_t covered[COALESCE_MAX_LANES] = {0};
        unsigned count;

        for (unsigned lane = 0; lane < 64; lane++)
            addresses[lane] = random_uniform(&generator, 0, spread);
        access.lanes = random_uniform(&generator, 1, UINT32_MAX);
        access.is_atomic = random_uniform(&generator, 0, 3) == 0;
        count = coalesce(rule, &access, requests);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(requests[i].address % (requests[i].bytes < 64 ? 32 : 64), 0);
            assert_true(rule == COALESCE_LINES || i == 0
                        || requests[i].address / 128 <= requests[i - 1].address / 128);
            assert_true(i == 0 || access.is_atomic || requests[i].address != requests[i - 1].address);
        }
        for (unsigned lane = 0; lane < 64; lane++)
            for (unsigned byte = 0; access.lanes >> lane & 1 && byte < width; byte++) {
                bool is_there = false;

                for (unsigned i = 0; i < count; i++) {
                    uint64_t const offset = addresses[lane] + byte - requests[i].address;

                    is_there |= offset < requests[i].bytes && (offset >= 64 || requests[i].byte_mask >> offset & 1);
                }
                covered[lane] += is_there;
            }
        for (unsigned lane = 0; lane < 64; lane++)
            assert_int_equal(covered[lane], access.lanes >> lane & 1 ? width : 0);
    }
}

static unsigned shared(uint64_t stride, unsigned lanes, uint32_t width, bool first_word, unsigned groups)
{
    struct lane_access const access = strided(0x40, stride, lanes, width);

    return shared_memory_cycles(&access, 32, first_word, groups);
}

static void conflicts_of_degree_n_cost_n(void **state)
{
    struct lane_access access = strided(0, 0, 32, 4);

    assert_int_equal(shared(4, 32, 4, false, 1), 1);
    assert_int_equal(shared(0, 32, 4, false, 1), 1);     /* broadcast */
    for (unsigned degree = 1; degree <= 32; degree *= 2)
        assert_int_equal(shared(4 * degree, 32, 4, false, 1), degree);
    assert_int_equal(shared(8, 32, 8, false, 1), 2);     /* two halves without conflict */
    assert_int_equal(shared(16, 32, 16, false, 1), 4);
    assert_int_equal(shared(32, 32, 16, false, 1), 8);
    assert_int_equal(shared(16, 32, 16, true, 1), 4);    /* the first words: 4-way */
    assert_int_equal(shared(8, 32, 8, true, 1), 2);
    assert_int_equal(shared(4, 64, 4, false, 2), 2);     /* two halves */
    assert_int_equal(shared(128, 64, 4, false, 2), 64);
    access.lanes = 0;
    assert_int_equal(shared_memory_cycles(&access, 32, false, 1), 1);
    access = strided(0, 0, 32, 4);
    access.is_atomic = true;
    assert_int_equal(shared_memory_cycles(&access, 32, false, 1), 32);
}

/* coalesce.h: lines in one of four banks that all their bits choose; the turns that an A100's counter has */
static void lines_of_one_tag_bank_take_turns(void **state)
{
    static const unsigned strides[] = {0, 1, 4, 8, 16, 32, 64}, cycles[] = {1, 1, 1, 2, 4, 8, 8};
    struct lane_access access;

    for (unsigned i = 0; i < 7; i++) {
        access = strided(0, 4 * strides[i], 32, 4);
        assert_int_equal(coalesce_tag_cycles(&access, 4), cycles[i]);
    }
    access = strided(16, 16, 32, 4);                     /* five lines, two of them in one bank */
    assert_int_equal(coalesce_tag_cycles(&access, 4), 2);
    access = strided(0, 128, 32, 4);
    assert_int_equal(coalesce_tag_cycles(&access, 1), 32);
    access = strided(0, 128 * 64, 32, 4);                /* bits above those of the first group count as well */
    assert_int_equal(coalesce_tag_cycles(&access, 4), 8);
    access.lanes = 0;
    assert_int_equal(coalesce_tag_cycles(&access, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_of_the_specification),
        cmocka_unit_test(sectors_come_by_falling_address),
        cmocka_unit_test(atomics_of_one_address_go_apart),
        cmocka_unit_test(segments_shrink_to_the_used_half),
        cmocka_unit_test(lines_come_as_lanes_need_them),
        cmocka_unit_test(requests_cover_the_bytes_of_all_lanes),
        cmocka_unit_test(conflicts_of_degree_n_cost_n),
        cmocka_unit_test(lines_of_one_tag_bank_take_turns),
    };

    return cmocka_run_group_tests_name("coalesce", tests, NULL, NULL);
}
