/* Modelled: classic-memory 6. Not modelled: interleaved ranges of which one channel is missing.
 *
 * Each mask keeps one bit to itself, its lowest; the higher ones only permute. Taking those lowest bits out therefore
 * maps the addresses of a channel one to one onto 0, 1, 2, .. */
#include "memsys/noc/interleave.h"

#include <inttypes.h>

#include "base/arith.h"

/* From the highest removed bit down, so that the lower ones stay where they are. */
static uint64_t without_removed_bits(const struct address_range *range, uint64_t address)
{
    for (uint32_t i = range->removed_count; i-- > 0;) {
        unsigned const bit = range->removed[i];

        address = (address >> (bit + 1) << bit) | (address & ((UINT64_C(1) << bit) - 1));
    }
    return address;
}

unsigned address_range_divide(const struct address_range *range, uint64_t address)
{
    uint64_t const stripe = (address - range->first) >> range->stripe_shift;
    uint64_t const shift = range->is_hashed ? stripe / range->divisor >> range->hash_shift : 0;

    return (unsigned)((stripe + shift) % range->divisor);
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

static uint64_t divided_address(const struct address_range *range, unsigned channel, uint64_t offset)
{
    uint64_t const place = offset >> range->stripe_shift;
    uint64_t const shift = range->is_hashed ? (place >> range->hash_shift) % range->divisor : 0;
    uint64_t const stripe = place * range->divisor + (channel + range->divisor - shift) % range->divisor;

    return range->first + (stripe << range->stripe_shift | (offset & ((UINT64_C(1) << range->stripe_shift) - 1)));
}

/* Makes room for the removed bits, then sets the lowest of each mask as the parity wants it. */
uint64_t address_range_address(const struct address_range *range, unsigned channel, uint64_t offset)
{
    uint64_t address;

    if (range->divisor)
        return divided_address(range, channel, offset);
    address = offset + range->first_offset;
    for (uint32_t i = 0; i < range->removed_count; i++) {
        unsigned const bit = range->removed[i];

        address = address >> bit << (bit + 1) | (address & ((UINT64_C(1) << bit) - 1));
    }
    for (uint32_t i = 0; i < range->bit_count; i++)
        if (parity_of(address & range->masks[i]) != (channel >> i & 1))
            address ^= range->masks[i] & -range->masks[i];
    return address;
}
