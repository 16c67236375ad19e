/* Modelled: classic-memory 9.1, the three address maps of 9.2, and the geometries that the reference refuses. The two
 * Ro-Ra-Ba maps decode alike: they differ in the address bits that choose the channel. Not modelled: device_size,
 * which the reference only warns about; the capacity is that of the address range.
 *
 * bank_hash is not the reference's: Z. Zhang, Z. Zhu, X. Zhang, "A permutation-based page interleaving scheme to
 * reduce row-buffer conflicts and exploit data locality", MICRO 2000. Row and column stay as they are, so that each
 * place still has one address. */
#include "memsys/dram/geometry.h"

#include <inttypes.h>

#include "base/arith.h"
#include "memsys/dram/memory_params.h"

uint64_t dram_burst_bytes(const struct dram_params *dram)
{
    return dram->devices_per_rank * dram->burst_length * dram->device_bus_width_bits / 8;
}

uint64_t dram_channel_count(const struct memory_params *memory)
{
    return memory->type == MEMORY_HBM_PSEUDO ? 2 * memory->channels : memory->channels;
}

uint64_t dram_row_bytes(const struct dram_params *dram)
{
    return dram->devices_per_rank * dram->device_rowbuffer_bytes;
}

/* ---- the range of a channel (classic-memory 6) */
static struct fault interleave_check(const struct memory_params *memory, uint64_t stripe_bytes)
{
    if (memory->channels > 1u << (ADDRESS_RANGE_BITS - 1))
        return fault_make(FAULT_INPUT, "memory.channels is %" PRIu64 "; give up to %u", memory->channels,
                          1u << (ADDRESS_RANGE_BITS - 1));
    if (memory->channels == 1)
        return fault_none();
    if (!is_power_of_two(stripe_bytes))
        return fault_make(FAULT_INPUT, "memory.interleave is %" PRIu64 " bytes; give a power of two such as 64",
                          stripe_bytes);
    if (memory->xor_low_bit != 0 && memory->xor_low_bit < log2_down(stripe_bytes))
        return fault_make(FAULT_INPUT, "memory.xor_low_bit is %" PRIu64 ", below the channel bits; give at least %u, "
                          "or 0 for no hashing", memory->xor_low_bit, log2_down(stripe_bytes));
    return fault_none();
}

static void interleave_divide(struct address_range *range, const struct memory_params *memory, uint64_t stripe_bytes)
{
    unsigned const low_bits = log2_down(stripe_bytes) + log2_down(memory->channels);

    range->divisor = memory->channels;
    range->stripe_shift = (uint8_t)log2_down(stripe_bytes);
    range->is_hashed = memory->xor_low_bit != 0;
    range->hash_shift = (uint8_t)(memory->xor_low_bit > low_bits ? memory->xor_low_bit - low_bits : 0);
}

struct fault address_range_init(struct address_range *range, const struct memory_params *memory, unsigned number)
{
    uint64_t const stripe_bytes = memory->interleave_bytes == INTERLEAVE_ROW_BUFFER ? dram_row_bytes(&memory->dram)
                                                                                    : memory->interleave_bytes;

    assert(number < memory->channels);
    *range = (struct address_range){.first = memory->base, .end = memory->base + memory->size_bytes, .number = number};
    FORWARD(interleave_check(memory, stripe_bytes));
    if (!is_power_of_two(memory->channels)) {
        interleave_divide(range, memory, stripe_bytes);
        return fault_none();
    }
    while (UINT64_C(1) << range->bit_count < memory->channels) {
        uint32_t const i = range->bit_count++;
        unsigned const bit = log2_down(stripe_bytes) + i;

        range->masks[i] = UINT64_C(1) << bit;
        if (memory->xor_low_bit != 0)
            range->masks[i] |= UINT64_C(1) << (memory->xor_low_bit + i);
        range->removed[range->removed_count++] = (uint8_t)bit;
    }
    range->first_offset = address_range_offset(range, range->first);
    return fault_none();
}

/* ---- rows, banks, ranks */
const struct dram_mapping *dram_mapping_of(uint64_t addr_mapping)
{
    static const struct dram_mapping mappings[] = {
        [MAP_RO_RA_BA_CO_CH] = {.has_row_stripes = false},
        [MAP_RO_RA_BA_CH_CO] = {.has_row_stripes = true},
        [MAP_RO_CO_RA_BA_CH] = {.has_bank_in_row = true}
    };

    return &mappings[addr_mapping];
}

static struct dram_divisor divisor_of(uint64_t value)
{
    return (struct dram_divisor){.value = value, .shift = (uint8_t)__builtin_ctzll(value),
                                 .is_power = is_power_of_two(value)};
}

static struct fault check_stripe(const struct dram_geometry *geometry, const struct memory_params *params,
                                 uint32_t line_bytes)
{
    uint64_t const stripe_bytes = address_range_stripe_bytes(&geometry->range);

    if (stripe_bytes == 0)
        return fault_none();
    if (dram_mapping_of(params->dram.addr_mapping)->has_row_stripes && stripe_bytes != geometry->row_bytes)
        return fault_make(FAULT_INPUT, "memory.interleave is %" PRIu64 " bytes; RoRaBaChCo needs that of a row, %"
                          PRIu64 ": write interleave: row_buffer", stripe_bytes, geometry->row_bytes);
    if (stripe_bytes < line_bytes || stripe_bytes < geometry->burst_bytes || stripe_bytes > geometry->row_bytes)
        return fault_make(FAULT_INPUT, "memory.interleave is %" PRIu64 " bytes; give at least a line (%u) and a burst "
                          "(%" PRIu64 ") and at most a row (%" PRIu64 ")", stripe_bytes, line_bytes,
                          geometry->burst_bytes, geometry->row_bytes);
    return fault_none();
}

static struct fault check_queues(const struct dram_geometry *geometry, const struct dram_params *dram,
                                 uint32_t line_bytes)
{
    uint64_t const line_bursts = divide_up(line_bytes, geometry->burst_bytes);
    bool const reads_are_short = dram->read_buffer_size < line_bursts;

    if (!reads_are_short && dram->write_buffer_size >= line_bursts)
        return fault_none();
    return fault_make(FAULT_INPUT, "memory.%s is %" PRIu64 ", but a line of %u bytes is %" PRIu64 " bursts; give at "
                      "least that", reads_are_short ? "read_buffer_size" : "write_buffer_size",
                      reads_are_short ? dram->read_buffer_size : dram->write_buffer_size, line_bytes, line_bursts);
}

static void note_shifts(struct dram_geometry *geometry)
{
    geometry->is_shifted = address_range_sharers(&geometry->range) == 1 && geometry->low_column.is_power
                           && geometry->high_column.is_power && geometry->bank.is_power && geometry->rank.is_power
                           && geometry->row.is_power;
    geometry->bank_shift = (uint8_t)(geometry->burst.shift + geometry->low_column.shift);
    geometry->rank_shift = (uint8_t)(geometry->bank_shift + geometry->bank.shift);
    geometry->row_shift = (uint8_t)(geometry->rank_shift + geometry->rank.shift + geometry->high_column.shift);
}

struct fault dram_geometry_init(struct dram_geometry *geometry, const struct memory_params *params,
                                const struct address_range *range, uint32_t line_bytes)
{
    const struct dram_params *const dram = &params->dram;
    uint64_t const burst_bytes = dram_burst_bytes(dram);
    uint64_t const row_bytes = dram_row_bytes(dram);
    uint64_t const rows_bytes = row_bytes * dram->banks_per_rank * dram->ranks_per_channel;
    uint64_t capacity = 1, low_column;

    if (!is_power_of_two(burst_bytes))
        return fault_make(FAULT_INPUT, "memory: a burst of %s is %" PRIu64 " bytes (devices_per_rank x burst_length x "
                          "device_bus_width / 8); choose them so that it is a power of two", params->device,
                          burst_bytes);
    if (row_bytes < burst_bytes)
        return fault_make(FAULT_INPUT, "memory.device_rowbuffer_size: a row of all chips is %" PRIu64 " bytes, less "
                          "than a burst of %" PRIu64 "; give a larger one", row_bytes, burst_bytes);
    while (capacity < divide_up(params->size_bytes, address_range_sharers(range)))
        capacity *= 2;
    if (capacity < rows_bytes)
        return fault_make(FAULT_INPUT, "memory.size is %" PRIu64 " bytes, too small for a row in each bank; give at "
                          "least %" PRIu64, params->size_bytes, rows_bytes * address_range_sharers(range));
    *geometry = (struct dram_geometry){.range = *range, .burst_bytes = burst_bytes, .row_bytes = row_bytes,
                                       .bursts_per_row = row_bytes / burst_bytes,
                                       .bursts_per_stripe = address_range_sharers(range) > 1
                                                                ? address_range_stripe_bytes(range) / burst_bytes
                                                                : 1,
                                       .rows_per_bank = capacity / rows_bytes,
                                       .banks = dram->banks_per_rank, .ranks = dram->ranks_per_channel};
    low_column = dram_bursts_below_bank(dram_mapping_of(dram->addr_mapping), geometry->bursts_per_row,
                                        geometry->bursts_per_stripe);
    geometry->burst = divisor_of(burst_bytes);
    geometry->low_column = divisor_of(max_u64(low_column, 1));
    geometry->high_column = divisor_of(geometry->bursts_per_row / geometry->low_column.value);
    geometry->bank = divisor_of(geometry->banks);
    geometry->rank = divisor_of(geometry->ranks);
    geometry->row = divisor_of(geometry->rows_per_bank);
    geometry->hash_mask = dram->bank_hash ? geometry->banks - 1 : 0;      /* config_device_problem: a power of two */
    note_shifts(geometry);
    FORWARD(check_queues(geometry, dram, line_bytes));
    return check_stripe(geometry, params, line_bytes);
}

static uint64_t quotient(uint64_t number, const struct dram_divisor *divisor)
{
    return divisor->is_power ? number >> divisor->shift : number / divisor->value;
}

static uint64_t remainder_of(uint64_t number, const struct dram_divisor *divisor)
{
    return divisor->is_power ? number & (divisor->value - 1) : number % divisor->value;
}

struct dram_place dram_geometry_divide(const struct dram_geometry *geometry, uint64_t address)
{
    uint64_t const column =
        quotient(quotient(address_range_offset(&geometry->range, address), &geometry->burst), &geometry->low_column);
    uint64_t const ranks = quotient(column, &geometry->bank);
    uint64_t const rows = quotient(quotient(ranks, &geometry->rank), &geometry->high_column);

    uint64_t const row = remainder_of(rows, &geometry->row);

    return (struct dram_place){.row = row, .rank = (uint32_t)remainder_of(ranks, &geometry->rank),
                               .bank = (uint32_t)(remainder_of(column, &geometry->bank) ^ (row & geometry->hash_mask))};
}

uint64_t dram_geometry_column(const struct dram_geometry *geometry, uint64_t address)
{
    uint64_t const burst = quotient(address_range_offset(&geometry->range, address), &geometry->burst);
    uint64_t const bank = quotient(burst, &geometry->low_column);
    uint64_t const high = quotient(quotient(bank, &geometry->bank), &geometry->rank);

    return remainder_of(high, &geometry->high_column) * geometry->low_column.value
           + remainder_of(burst, &geometry->low_column);
}
