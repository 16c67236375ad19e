/* Modelled: classic-memory 6. Not modelled: interleaved ranges of which one channel is missing.
 *
 * Each mask keeps one bit to itself, its lowest; the higher ones only permute. Taking those lowest bits out therefore
 * maps the addresses of a channel one to one onto 0, 1, 2, .. */
#include "memsys/noc/interleave.h"

#include <inttypes.h>

#include "base/arith.h"

uint64_t dram_row_bytes(const struct dram_params *dram)
{
    return dram->devices_per_rank * dram->device_rowbuffer_bytes;
}

/* From the highest removed bit down, so that the lower ones stay where they are. */
static uint64_t without_removed_bits(const struct address_range *range, uint64_t address)
{
    for (uint32_t i = range->removed_count; i-- > 0;) {
        unsigned const bit = range->removed[i];

        address = (address >> (bit + 1) << bit) | (address & ((UINT64_C(1) << bit) - 1));
    }
    return address;
}

static struct fault check(const struct memory_params *memory, uint64_t stripe_bytes)
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

static void divide(struct address_range *range, const struct memory_params *memory, uint64_t stripe_bytes)
{
    unsigned const low_bits = log2_down(stripe_bytes) + log2_down(memory->channels);

    range->divisor = memory->channels;
    range->stripe_shift = (uint8_t)log2_down(stripe_bytes);
    range->is_hashed = memory->xor_low_bit != 0;
    range->hash_shift = (uint8_t)(memory->xor_low_bit > low_bits ? memory->xor_low_bit - low_bits : 0);
}

unsigned address_range_divide(const struct address_range *range, uint64_t address)
{
    uint64_t const stripe = (address - range->first) >> range->stripe_shift;
    uint64_t const shift = range->is_hashed ? stripe / range->divisor >> range->hash_shift : 0;

    return (unsigned)((stripe + shift) % range->divisor);
}

struct fault address_range_init(struct address_range *range, const struct memory_params *memory, unsigned number)
{
    uint64_t const stripe_bytes = memory->interleave_bytes == INTERLEAVE_ROW_BUFFER ? dram_row_bytes(&memory->dram)
                                                                                    : memory->interleave_bytes;

    assert(number < memory->channels);
    *range = (struct address_range){.first = memory->base, .end = memory->base + memory->size_bytes, .number = number};
    FORWARD(check(memory, stripe_bytes));
    if (!is_power_of_two(memory->channels)) {
        divide(range, memory, stripe_bytes);
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
    range->first_offset = without_removed_bits(range, range->first);
    return fault_none();
}

void address_range_remove_bit(struct address_range *range, unsigned bit)
{
    uint32_t place = range->removed_count++;

    assert(range->removed_count <= ADDRESS_RANGE_BITS);
    for (; place > 0 && range->removed[place - 1] > bit; place--)
        range->removed[place] = range->removed[place - 1];
    assert(place == 0 || range->removed[place - 1] != bit);
    range->removed[place] = (uint8_t)bit;
    range->first_offset = range->divisor ? 0 : without_removed_bits(range, range->first);
}

uint64_t address_range_stripe_bytes(const struct address_range *range)
{
    return range->removed_count ? UINT64_C(1) << range->removed[0]
           : range->divisor     ? UINT64_C(1) << range->stripe_shift
                                : 0;
}

/* Place among the bytes of the channel, of N channels. */
static uint64_t divided_place(const struct address_range *range, uint64_t address)
{
    uint64_t const offset = address - range->first;

    return (offset >> range->stripe_shift) / range->divisor << range->stripe_shift
           | (offset & ((UINT64_C(1) << range->stripe_shift) - 1));
}

uint64_t address_range_offset(const struct address_range *range, uint64_t address)
{
    if (range->divisor)
        return without_removed_bits(range, divided_place(range, address & ~ADDRESS_SECURE));
    return without_removed_bits(range, address & ~ADDRESS_SECURE) - range->first_offset;
}
