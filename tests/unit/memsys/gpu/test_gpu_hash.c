/* memsys/gpu/hash.h and memsys/gpu/hash.h: the vectors of gpu-traces 12.3. */
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/hash.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

#define LETTERS "0000RRRRRRRRRRRRRBBBCCCCBCCSSSSS"
#define LETTERS_QV100 "0000RRRRRRRRRRRRRBBBCCCBCCCSSSSS"
#define ANY UINT64_MAX

/* channel, slice, bank, row, column, address for the index of the L2 */
struct vector {
    uint64_t address, values[6];
};

static const struct vector qv100[] = {
    {0x0, {0, 0, 0, 0, 0, 0x0}},
    {0x80, {0, 0, 0, 0, 128, 0x80}},
    {0x100, {1, 2, 0, 0, 0, 0x0}},
    {0x1000, {16, 32, 0, 0, 0, 0x0}},
    {0x12345678, {5, 10, 4, 291, 376, 0x48d178}},
    {0xc0000000, {14, 28, 0, 3072, 0, 0x3000000}},
    {0x7f4d25700000, {22, 45, 0, 4695, 0, 0x1fd3495c000}},
    {0x7f4d25e01a40, {26, 52, 0, 4702, 64, 0x1fd34978040}},
    {0x7fc841521380, {4, 9, 2, 1045, 128, 0x1ff21054880}},
};
static const struct vector rtx2060[] = {
    {0x0, {0, 0, 0, 0, 0, 0x0}},
    {0x80, {0, 1, 1, 0, 0, 0x0}},
    {0x100, {1, 2, 0, 0, 0, 0x0}},
    {0x1000, {4, 8, 0, 0, 128, 0x80}},
    {0x12345678, {6, 12, 10, 776, 1656, 0xc22e78}},
    {0xc0000000, {0, 0, 0, 0, 0, 0x8000000}},
    {0x7f4d25700000, {8, 16, 4, 1597, 1280, 0x54de18f5500}},
    {0x7f4d25e01a40, {2, 4, 0, 1616, 320, 0x54de1940140}},
    {0x7fc841521380, {7, 15, 1, 2787, 128, 0x55302b8c080}},
};
static const struct vector rtx3070[] = {
    {0x0, {0, 0, 0, 0, 0, 0x0}},
    {0x80, {0, 1, 1, 0, 0, 0x0}},
    {0x100, {1, 2, 0, 0, 0, 0x0}},
    {0x1000, {0, 0, 0, 0, 128, 0x80}},
    {0x12345678, {11, 22, 8, 582, 760, 0x91a2f8}},
    {0xc0000000, {0, 0, 0, 6144, 0, 0x6000000}},
    {0x7f4d25700000, {11, 23, 0, 1198, 0, 0x3fa692b8000}},
    {0x7f4d25e01a40, {9, 18, 0, 1212, 192, 0x3fa692f00c0}},
    {0x7fc841521380, {10, 21, 5, 2090, 128, 0x3fe420a9080}},
};
static const struct vector a100[] = {
    {0x1000, {16, 64, 0, 0, 0, ANY}},
    {0x7f4d25e01a40, {26, 104, 0, 5400, 64, 0xcbaea30040}},
    {0x7fc841521380, {3, 15, 11, 7389, 1280, 0xcc739bb500}},
};

static struct gpu_hash made(uint64_t channels, uint64_t slices, enum slice_index kind, const char *letters)
{
    struct gpu_l2_params params = {.channels = channels, .slices = slices, .interleave_bytes = 256,
                                   .hash = kind};
    struct gpu_hash hash;

    strcpy(params.letters, letters);
    assert_string_equal(fault_text(gpu_hash_init(&hash, &params)), "");
    return hash;
}

static void check(const struct gpu_hash *hash, const struct vector *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gpu_slice_place const place = gpu_hash_slice(hash, vectors[i].address);
        struct gpu_dram_place const dram = gpu_hash_dram(hash, place.key);
        const uint64_t *const values = vectors[i].values;

        assert_int_equal(place.slice / hash->slices, values[0]);
        assert_int_equal(place.slice, values[1]);
        assert_int_equal(dram.bank, values[2]);
        assert_int_equal(dram.row, values[3]);
        assert_int_equal(dram.column, values[4]);
        if (values[5] != ANY)
            assert_int_equal(place.key & ((UINT64_C(1) << GPU_KEY_SHIFT) - 1), values[5]);
        assert_int_equal(gpu_hash_dram_address(hash, place.key),
                         dram.row << (hash->bank.width + hash->column.width) | dram.bank << hash->column.width
                         | dram.column);
    }
}

static void vectors_of_the_specification(void **state)
{
    struct gpu_hash const of_qv100 = made(32, 2, SLICE_IPOLY, LETTERS_QV100);
    struct gpu_hash const of_rtx2060 = made(12, 2, SLICE_LINEAR, LETTERS);
    struct gpu_hash const of_rtx3070 = made(16, 2, SLICE_IPOLY, LETTERS);
    struct gpu_hash const of_a100 = made(40, 4, SLICE_LINEAR, LETTERS);

    check(&of_qv100, qv100, sizeof qv100 / sizeof qv100[0]);
    check(&of_rtx2060, rtx2060, sizeof rtx2060 / sizeof rtx2060[0]);
    check(&of_rtx3070, rtx3070, sizeof rtx3070 / sizeof rtx3070[0]);
    check(&of_a100, a100, sizeof a100 / sizeof a100[0]);
}

/* header: "some hashes would give two sectors of a slice one key"; a key tells its address; slices get their shares */
static void keys_tell_addresses_and_slices_share(void **state)
{
    static const enum slice_index kinds[] = {SLICE_LINEAR, SLICE_IPOLY, SLICE_PAE, SLICE_RANDOM, SLICE_IPOLY_MODULO,
                                             SLICE_XOR};
    struct random_generator generator;

    random_init(&generator, RANDOM_SEED);
    for (unsigned i = 0; i < 24; i++) {
        uint64_t const channels = i % 6 == 5 ? 32 : i / 6 == 0 ? 12 : i / 6 == 1 ? 16 : i / 6 == 2 ? 40 : 1;
        struct gpu_hash const hash = made(channels, i % 6 == 5 ? 2 : UINT64_C(1) << i / 6, kinds[i % 6], LETTERS);
        uint64_t const slices = hash.channels * hash.slices;
        unsigned seen[256] = {0};

        for (unsigned line = 0; line < 256 * slices; line++) {
            uint64_t const base = random_next(&generator) >> 17 & ~UINT64_C(31);
            struct gpu_slice_place const place = gpu_hash_slice(&hash, base);

            assert_int_equal(gpu_hash_address(&hash, place.key), base);
            assert_true(place.slice < slices);
            seen[gpu_hash_slice(&hash, 0x7f4d25700000 + 64 * line).slice]++;
        }
        for (unsigned slice = 0; slice < slices; slice++)
            assert_true(kinds[i % 6] == SLICE_IPOLY || kinds[i % 6] == SLICE_PAE
                        || (seen[slice] > 128 && seen[slice] < 512));
    }
}

/* "2^k groups of an odd number of slices": 80 are 16 of 5; 16 are 16 of 1, which is IPOLY */
static void ipoly_modulo_hashes_groups(void **state)
{
    struct gpu_hash const linear = made(40, 2, SLICE_LINEAR, LETTERS);
    struct gpu_hash const modulo = made(40, 2, SLICE_IPOLY_MODULO, LETTERS);
    struct gpu_hash const ipoly = made(16, 1, SLICE_IPOLY, LETTERS), same = made(16, 1, SLICE_IPOLY_MODULO, LETTERS);
    struct random_generator generator;
    struct ipoly of_16;

    ipoly_init(&of_16, 4);
    random_init(&generator, RANDOM_SEED);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t const address = random_next(&generator) >> 20;
        uint64_t const plain = gpu_hash_slice(&linear, address).slice;

        assert_int_equal(gpu_hash_slice(&modulo, address).slice,
                         ipoly_hash(&of_16, plain / 5, (address >> 8) / 40) * 5 + plain % 5);
        assert_int_equal(gpu_hash_slice(&same, address).slice, gpu_hash_slice(&ipoly, address).slice);
    }
}

static void faults_name_the_key(void **state)
{
    struct gpu_l2_params params = {.channels = 12, .slices = 3, .interleave_bytes = 256};
    struct gpu_hash hash;

    assert_non_null(strstr(fault_text(gpu_hash_init(&hash, &params)), "gpu.l2.slices"));
    params.slices = 2;
    params.hash = SLICE_XOR;
    assert_non_null(strstr(fault_text(gpu_hash_init(&hash, &params)), "gpu.l2.hash"));
    params.hash = SLICE_LINEAR;
    strcpy(params.letters, "RRQ");
    assert_non_null(strstr(fault_text(gpu_hash_init(&hash, &params)), "'Q'"));
    strcpy(params.letters, "RRCCSS");
    assert_non_null(strstr(fault_text(gpu_hash_init(&hash, &params)), "fewer banks"));
    params.letters[0] = '\0';
    assert_int_equal(gpu_hash_init(&hash, &params).kind, FAULT_NONE);
}

/* "the polynomial remainder of h(x) * x^k": by long division */
static void ipoly_is_a_remainder(void **state)
{
    static const struct {
        unsigned bits, higher;
        uint64_t polynomial;
    } rows[] = {{4, 13, 0x13}, {5, 15, 0x25}, {6, 19, 0x43}};
    struct random_generator generator;

    random_init(&generator, RANDOM_SEED);
    for (unsigned round = 0; round < 3000; round++) {
        unsigned const row = round % 3, bits = rows[row].bits;
        uint64_t const higher = random_next(&generator), index = random_next(&generator) & ((1u << bits) - 1);
        uint64_t rest = (higher & ((UINT64_C(1) << rows[row].higher) - 1)) << bits;
        struct ipoly ipoly;

        for (unsigned bit = 40; bit >= bits; bit--)
            if (rest >> bit & 1)
                rest ^= rows[row].polynomial << (bit - bits);
        ipoly_init(&ipoly, bits);
        assert_int_equal(ipoly_hash(&ipoly, index, higher), index ^ rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_the_specification),
        cmocka_unit_test(keys_tell_addresses_and_slices_share),
        cmocka_unit_test(ipoly_modulo_hashes_groups),
        cmocka_unit_test(faults_name_the_key),
        cmocka_unit_test(ipoly_is_a_remainder),
    };

    return cmocka_run_group_tests_name("gpu_hash", tests, NULL, NULL);
}
