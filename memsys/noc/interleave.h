/* Address ranges and channel interleaving (classic-memory 6): which memory owns an address, and where in that memory it
 * lies.
 *
 * Use: address_range_init (memsys/dram/geometry.h) once for each channel (or simple memory), then ask. Channel bit i of
 * an address is the parity of address & mask[i]; a channel owns the addresses whose bits spell its number.
 *
 * Of N channels, no power of two: with s the number of the stripe, (address - first) / stripe, its channel is s mod N,
 * and its place there s / N, so that each address has a place of its own, and channels differ by a stripe at most. With
 * hashing the channel is (s + (s / N >> h)) mod N; h: xor_low_bit less the bits of the stripe and those of N.
 * Units: bytes. Ownership: plain values. ADDRESS_SECURE is not part of the place in memory and is masked away here. */
#ifndef MEMSYS_NOC_INTERLEAVE_H
#define MEMSYS_NOC_INTERLEAVE_H

#include "base/arith.h"
#include "memsys/sim/packet.h"

#define ADDRESS_RANGE_BITS 9         /* 256 channels of two pseudo-channels */

struct address_range {
    uint64_t first, end;                     /* of all channels together */
    uint64_t first_offset;                   /* `first` without its channel bits */
    uint64_t masks[ADDRESS_RANGE_BITS];      /* bits that decide channel bit i */
    uint32_t bit_count;
    uint32_t number;                         /* value of the bits that this channel owns */
    uint8_t removed[ADDRESS_RANGE_BITS];     /* bits that are the same for all addresses of a channel, ascending */
    uint32_t removed_count;
    uint64_t divisor;                        /* N; 0: a power of two, which masks choose */
    uint8_t stripe_shift, hash_shift;        /* of N channels */
    bool is_hashed;
};

/* Also removes address bit `bit`, which chooses between pseudo-channels, from offsets (classic-memory 10.1). Ownership
 * stays: one port serves both. */
void address_range_remove_bit(struct address_range *range, unsigned bit);

/* Bytes of consecutive addresses on one channel; 0 if there is only one channel. */
uint64_t address_range_stripe_bytes(const struct address_range *range);

/* The number of channels and pseudo-channels that share the range. */
static inline uint64_t address_range_sharers(const struct address_range *range)
{
    return (range->divisor ? range->divisor : 1) << range->removed_count;
}

/* Use address_range_channel: this is its half for no power of two. */
unsigned address_range_divide(const struct address_range *range, uint64_t address);

/* Number of the channel that an address inside [first, end) belongs to. */
static inline unsigned address_range_channel(const struct address_range *range, uint64_t address)
{
    unsigned channel = 0;

    address &= ~ADDRESS_SECURE;
    if (range->divisor)
        return address_range_divide(range, address);
    for (uint32_t i = 0; i < range->bit_count; i++)
        channel |= parity_of(address & range->masks[i]) << i;
    return channel;
}

/* Position of an owned address among all bytes of its channel, from 0. */
uint64_t address_range_offset(const struct address_range *range, uint64_t address);

/* The other way round: the address at an offset of a channel. No pseudo-channel bits may have been removed. */
uint64_t address_range_address(const struct address_range *range, unsigned channel, uint64_t offset);

#endif
