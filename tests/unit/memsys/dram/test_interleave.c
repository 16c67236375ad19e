/* memsys/noc/interleave.h, memsys/dram/geometry.h: who owns an address, where in its channel it lies, and how rows,
 * banks and ranks follow (classic-memory 6, 9.1, 9.2). */
#include "base/arith.h"
#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/device.h"
#include "memsys/dram/geometry.h"
#include "tests/support/unit.h"

#define MIB (UINT64_C(1) << 20)

static struct memory_params params_of(uint64_t channels, uint64_t interleave_bytes, uint64_t xor_low_bit)
{
    struct memory_params params = {.size_bytes = 64 * MIB, .channels = channels, .interleave_bytes = interleave_bytes,
                                   .xor_low_bit = xor_low_bit};

    assert_int_equal(config_device_read(&params.dram, "DDR3_1600_8x8").kind, FAULT_NONE);
    strcpy(params.device, "DDR3_1600_8x8");
    return params;
}

static struct address_range range_of(const struct memory_params *params, unsigned number)
{
    struct address_range range;
    struct fault const fault = address_range_init(&range, params, number);

    assert_string_equal(fault_text(fault), "");
    return range;
}

static bool owns(const struct address_range *range, uint64_t address)
{
    return address >= range->first && address < range->end && address_range_channel(range, address) == range->number;
}

static void one_channel_owns_its_range(void **state)
{
    struct memory_params params = params_of(1, 64, 0);
    struct address_range range;

    params.base = 16 * MIB;
    range = range_of(&params, 0);
    assert_false(owns(&range, 16 * MIB - 1));
    assert_true(owns(&range, 16 * MIB));
    assert_true(owns(&range, 80 * MIB - 1));
    assert_false(owns(&range, 80 * MIB));
    assert_int_equal(address_range_offset(&range, 16 * MIB + 12345), 12345);
    assert_int_equal(address_range_stripe_bytes(&range), 0);
}

/* memsys/noc/interleave.h: "ADDRESS_SECURE is not part of the place in memory" */
static void secure_bit_is_ignored(void **state)
{
    struct memory_params const params = params_of(4, 64, 20);
    struct address_range const range = range_of(&params, 3);

    for (uint64_t address = 0; address < 4096; address += 64) {
        assert_int_equal(address_range_channel(&range, address | ADDRESS_SECURE), address / 64 % 4);
        assert_int_equal(address_range_offset(&range, address | ADDRESS_SECURE), address_range_offset(&range, address));
    }
}

static void stripes_go_round_the_channels(void **state)
{
    struct memory_params const params = params_of(4, 128, 0);
    struct address_range const range = range_of(&params, 2);

    assert_false(owns(&range, 255));
    assert_true(owns(&range, 256));
    assert_true(owns(&range, 383));
    assert_false(owns(&range, 384));
    assert_int_equal(address_range_offset(&range, 256), 0);
    assert_int_equal(address_range_offset(&range, 383), 127);
    assert_int_equal(address_range_offset(&range, 256 + 512), 128);
    assert_int_equal(address_range_stripe_bytes(&range), 128);
}

static void hashing_takes_the_parity_with_higher_bits(void **state)
{
    struct memory_params const params = params_of(2, 64, 20);
    struct address_range const range = range_of(&params, 1);

    assert_false(owns(&range, 0));
    assert_true(owns(&range, 64));
    assert_true(owns(&range, MIB));
    assert_false(owns(&range, MIB + 64));
}

/* Every address has one owner, and offsets of a channel are 0, 1, 2, .. without gap: for plain, hashed and overlapping
 * masks and a base that is not 0. */
static void offsets_are_one_to_one(void **state)
{
    static const struct { uint64_t channels, interleave, xor_low_bit, base; } cases[] = {
        {1, 64, 0, 0}, {2, 64, 0, 0}, {4, 256, 0, 1 << 16}, {4, 64, 12, 0}, {8, 64, 7, 0}, {2, 64, 13, 3 << 16}};
    static uint8_t seen[1 << 16];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_params params = params_of(cases[i].channels, cases[i].interleave, cases[i].xor_low_bit);

        params.base = cases[i].base;
        params.size_bytes = sizeof seen;
        for (unsigned channel = 0; channel < cases[i].channels; channel++) {
            struct address_range const range = range_of(&params, channel);
            uint64_t owned = 0;

            memset(seen, 0, sizeof seen);
            for (uint64_t address = params.base; address < params.base + params.size_bytes; address += 16)
                if (owns(&range, address)) {
                    uint64_t const offset = address_range_offset(&range, address);

                    assert_in_range(offset, 0, sizeof seen / cases[i].channels - 1);
                    assert_int_equal(seen[offset], 0);
                    seen[offset] = 1;
                    owned += 16;
                }
            assert_int_equal(owned, sizeof seen / cases[i].channels);
        }
    }
}

/* classic-memory 10.1: bit 6 and the channel bits are removed, the port owns both pseudo-channels. */
static void pseudo_channels_share_a_port(void **state)
{
    struct memory_params const params = params_of(2, 256, 0);
    struct address_range range = range_of(&params, 1);

    address_range_remove_bit(&range, 6);
    assert_true(owns(&range, 256));
    assert_true(owns(&range, 256 + 64));
    assert_int_equal(address_range_offset(&range, 256), 0);
    assert_int_equal(address_range_offset(&range, 256 + 64), 0);
    assert_int_equal(address_range_offset(&range, 256 + 128), 64);
    assert_int_equal(address_range_offset(&range, 768), 128);
    assert_int_equal(address_range_stripe_bytes(&range), 64);
}

/* What a channel holds of a memory of any number of channels: each stripe is in one channel, at a place of its own; the
 * places of a channel begin at 0 and have no gap; no channel has more than a stripe more than another, which is what a
 * stride of one line sees, too. Pseudo-channels halve a stripe. */
enum { MOST_STRIPES = 4096 };

static void any_number_of_channels_holds_each_address_once(void **state)
{
    static const uint64_t counts[] = {3, 5, 6, 7, 12, 24, 100}, hashes[] = {0, 14, 20};
    static bool taken[MOST_STRIPES + 100];

    for (size_t c = 0; c < COUNT(counts) * COUNT(hashes); c++) {
        uint64_t const channels = counts[c / COUNT(hashes)], stripes = MOST_STRIPES - 3;
        struct memory_params params = params_of(channels, 128, hashes[c % COUNT(hashes)]);
        struct address_range ranges[100];
        uint64_t seen[100] = {0};

        params.base = 5 * 128;
        params.size_bytes = stripes * 128;
        memset(taken, 0, sizeof taken);
        for (unsigned i = 0; i < channels; i++)
            ranges[i] = range_of(&params, i);
        for (uint64_t s = 0; s < stripes; s++) {
            uint64_t const address = params.base + 128 * s, q = s / channels;
            uint64_t const shift = params.xor_low_bit ? q >> (params.xor_low_bit - 7 - log2_down(channels)) : 0;
            unsigned const channel = address_range_channel(&ranges[0], address);
            struct address_range half = ranges[channel];

            assert_int_equal(channel, (s + shift) % channels);
            assert_int_equal(address_range_channel(&ranges[0], address + 127), channel);
            assert_int_equal(address_range_channel(&ranges[0], address | ADDRESS_SECURE), channel);
            assert_int_equal(address_range_offset(&ranges[channel], address + 77), 128 * q + 77);
            address_range_remove_bit(&half, 6);
            assert_int_equal(address_range_offset(&half, address + 64 + 5), 64 * q + 5);
            assert_false(taken[q * channels + channel]);
            taken[q * channels + channel] = true;
            seen[channel]++;
        }
        for (unsigned i = 0; i < channels; i++)
            assert_in_range(seen[i], stripes / channels, (stripes + channels - 1) / channels);
        assert_int_equal(address_range_stripe_bytes(&ranges[0]), 128);
    }
}

static void row_buffer_is_an_interleave(void **state)
{
    struct memory_params const params = params_of(2, INTERLEAVE_ROW_BUFFER, 0);
    struct address_range const range = range_of(&params, 1);

    assert_false(owns(&range, 8191));
    assert_true(owns(&range, 8192));
}

static void assert_range_fault(struct memory_params params, const char *what)
{
    struct address_range range;
    struct fault const fault = address_range_init(&range, &params, 0);

    assert_int_equal(fault.kind, FAULT_INPUT);
    if (!strstr(fault_text(fault), what))
        assert_string_equal(fault_text(fault), what);
}

static void impossible_ranges_are_refused(void **state)
{
    assert_range_fault(params_of(300, 64, 0), "memory.channels is 300");
    assert_range_fault(params_of(2, 96, 0), "memory.interleave is 96");
    assert_range_fault(params_of(2, 64, 5), "memory.xor_low_bit is 5");
}

static struct dram_place place_of(uint64_t mapping, uint64_t channels, uint64_t interleave_bytes, uint64_t address)
{
    struct memory_params params = params_of(channels, interleave_bytes, 0);
    struct address_range const range = range_of(&params, 0);
    struct dram_geometry geometry;
    struct fault fault;

    params.dram.addr_mapping = mapping;
    fault = dram_geometry_init(&geometry, &params, &range, 64);
    assert_string_equal(fault_text(fault), "");
    return dram_geometry_decode(&geometry, address);
}

static void assert_place(struct dram_place place, unsigned rank, unsigned bank, uint64_t row)
{
    assert_int_equal(place.rank, rank);
    assert_int_equal(place.bank, bank);
    assert_int_equal(place.row, row);
}

/* DDR3_1600_8x8: rows of 8 KiB, 8 banks, 2 ranks; 64 MiB of them: 512 rows a bank. */
static void rows_are_low_bits_of_rorabacoch(void **state)
{
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 1, 64, 8191), 0, 0, 0);
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 1, 64, 8192), 0, 1, 0);
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 1, 64, 8 * 8192), 1, 0, 0);
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 1, 64, 16 * 8192), 0, 0, 1);
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 1, 64, 64 * MIB - 1), 1, 7, 511);
    assert_place(place_of(MAP_RO_RA_BA_CO_CH, 2, 64, 2 * 8192), 0, 1, 0);
    assert_place(place_of(MAP_RO_RA_BA_CH_CO, 2, INTERLEAVE_ROW_BUFFER, 2 * 8192), 0, 1, 0);
    assert_place(place_of(MAP_RO_RA_BA_CH_CO, 2, INTERLEAVE_ROW_BUFFER, 8191), 0, 0, 0);
}

static void banks_are_low_bits_of_rocorabach(void **state)
{
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 1, 64, 63), 0, 0, 0);
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 1, 64, 64), 0, 1, 0);
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 1, 64, 8 * 64), 1, 0, 0);
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 1, 64, 16 * 64), 0, 0, 0);
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 1, 64, 16 * 8192), 0, 0, 1);
    /* Stripes of two bursts on two channels: both of a stripe lie in one bank. */
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 2, 128, 64), 0, 0, 0);
    assert_place(place_of(MAP_RO_CO_RA_BA_CH, 2, 128, 256), 0, 1, 0);
}

static struct dram_place hashed_place(uint64_t channels, uint64_t address)
{
    struct memory_params params = params_of(channels, 64, 0);
    struct address_range const range = range_of(&params, 0);
    struct dram_geometry geometry;

    params.dram.bank_hash = 1;
    assert_string_equal(fault_text(dram_geometry_init(&geometry, &params, &range, 64)), "");
    return dram_geometry_decode(&geometry, address);
}

/* bank_hash: "the lowest bits of the row are XORed into the bank"; rows of a bank are 128 KiB apart, with two channels
 * twice that, where decoding divides. */
static void hashing_spreads_rows_over_banks(void **state)
{
    for (unsigned channels = 1; channels <= 2; channels++)
        for (unsigned row = 0; row < 20; row++) {
            uint64_t const first = UINT64_C(131072) * channels * row;

            assert_place(hashed_place(channels, first), 0, row % 8, row);
            assert_place(hashed_place(channels, first + 5 * 8192 * channels), 0, 5 ^ row % 8, row);
        }
}

/* The capacity is rounded up to a power of two before rows are counted (classic-memory 9.1). */
static void capacity_is_rounded_up(void **state)
{
    struct memory_params params = params_of(1, 64, 0);
    struct dram_geometry geometry;
    struct address_range range;

    params.size_bytes = 65 * MIB;
    range = range_of(&params, 0);
    assert_int_equal(dram_geometry_init(&geometry, &params, &range, 64).kind, FAULT_NONE);
    assert_int_equal(geometry.rows_per_bank, 1024);
    assert_int_equal(geometry.burst_bytes, 64);
    assert_int_equal(geometry.row_bytes, 8192);
    assert_int_equal(geometry.bursts_per_row, 128);
}

static void assert_geometry_fault(struct memory_params params, const char *what)
{
    struct address_range const range = range_of(&params, 0);
    struct dram_geometry geometry;
    struct fault const fault = dram_geometry_init(&geometry, &params, &range, 64);

    assert_int_equal(fault.kind, FAULT_INPUT);
    if (!strstr(fault_text(fault), what))
        assert_string_equal(fault_text(fault), what);
}

static void impossible_geometry_is_refused(void **state)
{
    struct memory_params params = params_of(1, 64, 0);

    params.dram.devices_per_rank = 3;
    assert_geometry_fault(params, "a burst of DDR3_1600_8x8 is 24 bytes");
    params = params_of(1, 64, 0);
    params.dram.device_rowbuffer_bytes = 4;
    assert_geometry_fault(params, "memory.device_rowbuffer_size");
    params = params_of(2, 64, 0);
    params.size_bytes = 65536;
    assert_geometry_fault(params, "give at least 262144");
    params = params_of(1, 64, 0);
    params.dram.device_bus_width_bits = 4;
    params.dram.read_buffer_size = 1;
    assert_geometry_fault(params, "memory.read_buffer_size is 1, but a line of 64 bytes is 2 bursts");
    params = params_of(2, 32, 0);
    assert_geometry_fault(params, "memory.interleave is 32");
    params = params_of(2, 16384, 0);
    assert_geometry_fault(params, "memory.interleave is 16384");
    params = params_of(2, 64, 0);
    params.dram.addr_mapping = MAP_RO_RA_BA_CH_CO;
    assert_geometry_fault(params, "write interleave: row_buffer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_channel_owns_its_range),
        cmocka_unit_test(secure_bit_is_ignored),
        cmocka_unit_test(stripes_go_round_the_channels),
        cmocka_unit_test(hashing_takes_the_parity_with_higher_bits),
        cmocka_unit_test(offsets_are_one_to_one),
        cmocka_unit_test(pseudo_channels_share_a_port),
        cmocka_unit_test(any_number_of_channels_holds_each_address_once),
        cmocka_unit_test(row_buffer_is_an_interleave),
        cmocka_unit_test(impossible_ranges_are_refused),
        cmocka_unit_test(rows_are_low_bits_of_rorabacoch),
        cmocka_unit_test(banks_are_low_bits_of_rocorabach),
        cmocka_unit_test(hashing_spreads_rows_over_banks),
        cmocka_unit_test(capacity_is_rounded_up),
        cmocka_unit_test(impossible_geometry_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
