/* Where a GPU's address lies: channel, slice, DRAM bank, row and column (gpu-traces 12.3).
 *
 * An address is cut in two: what chose the channel, and the rest, whose bits the letters of params->letters name.
 * Within a slice a sector goes by its key: the rest without the bits that chose the slice, which is what sets of the L2
 * are indexed by, and the number that the slice would have without hash, in the bits from GPU_KEY_SHIFT on, without
 * which some hashes would give two sectors of a slice one key.
 *
 * Use: gpu_hash_init once, then ask. Units: bytes. Ownership: plain values. */
#ifndef MEMSYS_GPU_HASH_H
#define MEMSYS_GPU_HASH_H

#include <stdbool.h>

#include "base/fault.h"
#include "memsys/gpu/ipoly.h"
#include "memsys/gpu/params.h"
#include "memsys/sim/clock.h"

enum { GPU_KEY_SHIFT = 52, GPU_HASH_RUNS = 32, GPU_HASH_SLICE_BITS = 6 };

/* Bits of one letter that lie side by side: from `from` on, `mask` of them, to `to`. */
struct gpu_bit_run {
    uint64_t mask;
    uint8_t from, to;
};

struct gpu_field {
    struct gpu_bit_run runs[GPU_HASH_RUNS];
    unsigned count, width;
};

struct gpu_hash {
    uint64_t channels, slices;               /* slices: of a channel */
    uint64_t group;                          /* slices of a group of ipoly_modulo: all without their powers of two */
    enum slice_index kind;
    struct clock_domain by_channels;         /* divides by them */
    unsigned channel_shift;                  /* of the first bit that chooses the channel */
    unsigned channel_bits, slice_bits;       /* of powers of two */
    bool is_divided;                         /* the channels are no power of two */
    uint8_t removed[GPU_HASH_SLICE_BITS];    /* bits of the rest that choose the slice, rising */
    struct gpu_field row, bank, column;      /* column: with the bytes of a burst */
    struct ipoly ipoly;
};

struct gpu_slice_place {
    uint64_t key;
    uint32_t slice;                          /* of all; channel * slices + slice of the channel */
};

struct gpu_dram_place {
    uint64_t row, bank, column;
};

/* Faults name the key to change: letters of no meaning, or too few banks for the slices. */
struct fault gpu_hash_init(struct gpu_hash *hash, const struct gpu_l2_params *params);

struct gpu_slice_place gpu_hash_slice(const struct gpu_hash *hash, uint64_t address);

/* Of a key, what it was made of: address (below 2^52) and place in DRAM. */
uint64_t gpu_hash_address(const struct gpu_hash *hash, uint64_t key);
struct gpu_dram_place gpu_hash_dram(const struct gpu_hash *hash, uint64_t key);

/* Row, bank and column side by side, as a controller decodes that has them in this order (RoRaBaCoCh, one channel). */
uint64_t gpu_hash_dram_address(const struct gpu_hash *hash, uint64_t key);

#endif
