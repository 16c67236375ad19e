/* Where a GPU's address lies: channel, slice, DRAM bank, row and column (gpu-traces 12.3).
 *
 * An address is cut in two: what chose the channel, and the rest, whose bits the letters of params->letters name, or
 * which goes to DRAM as it is (GPU_LETTERS_MAPPING).
 * Within a slice a sector goes by its key: the rest without the bits that chose the slice, which is what sets of the L2
 * are indexed by, and the number that the slice would have without hash, in the bits from GPU_KEY_SHIFT on, without
 * which some hashes would give two sectors of a slice one key.
 *
 * Use: gpu_hash_init once, then ask. Units: bytes. Ownership: plain values. */
#ifndef MEMSYS_GPU_HASH_H
#define MEMSYS_GPU_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/sim/clock.h"

/* Hash of address bits by polynomials over GF(2) (gpu-traces 12.2), by which strided addresses spread over sets and
 * slices (Rau, "Pseudo-randomly interleaved memory", ISCA 1991).
 *
 * Use: ipoly_init once, then ipoly_hash. Ownership: plain values. */

enum { IPOLY_MAX_BITS = 12, IPOLY_TABLES = 3 };

struct ipoly {
    uint16_t remainders[IPOLY_TABLES][256];      /* of each byte of the higher bits */
};

/* For results of `bits` bits, 0 to IPOLY_MAX_BITS. */
void ipoly_init(struct ipoly *ipoly, unsigned bits);

/* index: less than 2^bits; higher: the address bits above those of the index. */
static inline uint64_t ipoly_hash(const struct ipoly *ipoly, uint64_t index, uint64_t higher)
{
    return index ^ ipoly->remainders[0][higher & 255] ^ ipoly->remainders[1][higher >> 8 & 255]
           ^ ipoly->remainders[2][higher >> 16 & 255];
}

struct gpu_l2_params;

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
    uint8_t kind;                    /* enum slice_index */
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

/* The two parts of a key: address (below 2^52) and place in DRAM. */
uint64_t gpu_hash_address(const struct gpu_hash *hash, uint64_t key);
struct gpu_dram_place gpu_hash_dram(const struct gpu_hash *hash, uint64_t key);

/* Row, bank and column side by side, as a controller decodes that has them in this order (RoRaBaCoCh, one channel). */
uint64_t gpu_hash_dram_address(const struct gpu_hash *hash, uint64_t key);

/* Which set of a cache a line goes to (gpu-traces 12.1, 12.2).
 *
 * Use: set_index_init once, then set_index_of. Units: bytes. Ownership: plain values. */

struct cache_index {
    enum set_index kind;
    uint64_t sets;
    unsigned line_shift, set_shift;      /* set_shift: of a power of two; else is_divided */
    bool is_divided;
    struct ipoly ipoly;
};

/* Faults name the key to change. line_bytes: a power of two. */
struct fault set_index_init(struct cache_index *index, const struct sector_cache_params *params);

/* Use set_index_of: this is its rare half. */
uint64_t set_index_hash(const struct cache_index *index, uint64_t number);

/* number: of the line, its address / line_bytes. */
static inline uint64_t set_index_of(const struct cache_index *index, uint64_t number)
{
    if (index->kind == SET_IPOLY)
        return ipoly_hash(&index->ipoly, number & (index->sets - 1), number >> index->set_shift);
    if (index->kind == SET_LINEAR && !index->is_divided)
        return number & (index->sets - 1);
    return set_index_hash(index, number);
}

#endif
