/* Geometry of a DRAM channel: rows, banks and ranks, and where an address lies among them (classic-memory 9.1, 9.2).
 *
 * Use: dram_geometry_init once, then decode. Units: bytes. Ownership: plain values. */
#ifndef MEMSYS_DRAM_GEOMETRY_H
#define MEMSYS_DRAM_GEOMETRY_H

#include "memsys/noc/interleave.h"
#include "memsys/sim/clock.h"

/* A number to divide by; most are powers of two, and shift. */
struct dram_divisor {
    uint64_t value;
    uint8_t shift;
    bool is_power;
};

struct dram_params;
struct memory_params;

enum { DRAM_PSEUDO_CHANNEL_BYTES = 64 };     /* consecutive bytes on one of two pseudo-channels (classic-memory 10.1) */

uint64_t dram_burst_bytes(const struct dram_params *dram);
/* Channels and pseudo-channels, each with banks of its own. */
uint64_t dram_channel_count(const struct memory_params *memory);

/* Bytes that one row holds in a rank: the granularity of INTERLEAVE_ROW_BUFFER. */
uint64_t dram_row_bytes(const struct dram_params *dram);

/* Range of channel `number` of `memory`. Faults name the key to change: the stripe must be a power of two, and hash
 * bits may not lie below the channel bits. */
struct fault address_range_init(struct address_range *range, const struct memory_params *memory, unsigned number);

/* Address maps: one row each, a value of ADDR_MAPPINGS (memsys/dram/dram_params.h). */
struct dram_mapping {
    bool has_row_stripes;            /* channels take turns by rows, so that a stripe is one */
    bool has_bank_in_row;            /* the columns of a stripe lie below the bank, the others above; else all below */
};

const struct dram_mapping *dram_mapping_of(uint64_t addr_mapping);

/* Bursts of a row that follow each other before another bank's. */
static inline uint64_t dram_bursts_below_bank(const struct dram_mapping *mapping, uint64_t of_row, uint64_t of_stripe)
{
    return mapping->has_bank_in_row ? min_u64(of_stripe, of_row) : of_row;
}

struct dram_geometry {
    struct address_range range;
    uint64_t burst_bytes;            /* a power of two */
    uint64_t row_bytes;              /* of all chips of a rank */
    uint64_t bursts_per_row, bursts_per_stripe, rows_per_bank;
    uint64_t banks, ranks;           /* of a rank; of the channel */
    struct dram_divisor burst, low_column, high_column, bank, rank, row;     /* extracted fields, in order */
    uint64_t hash_mask;              /* bits of the row that are XORed into the bank; 0: none */
    bool is_shifted;                 /* one channel, and all of them are powers of two: decoding only shifts ... */
    uint8_t bank_shift, rank_shift, row_shift;       /* ... from these bits of the offset on */
};

struct dram_place {
    uint64_t row;
    uint32_t rank, bank;             /* the bank counted within its rank */
};

/* `range` is the channel's; bits removed from it shrink the channel. Faults: sizes that do not fit each other, a memory
 * too small for one row in each bank, queues shorter than a line. */
struct fault dram_geometry_init(struct dram_geometry *geometry, const struct memory_params *params,
                                const struct address_range *range, uint32_t line_bytes);

/* Use dram_geometry_decode: this is its general half. */
struct dram_place dram_geometry_divide(const struct dram_geometry *geometry, uint64_t address);

static inline struct dram_place dram_geometry_decode(const struct dram_geometry *geometry, uint64_t address)
{
    uint64_t const offset = (address & ~ADDRESS_SECURE) - geometry->range.first_offset;
    uint64_t row;

    if (!geometry->is_shifted)
        return dram_geometry_divide(geometry, address);
    row = offset >> geometry->row_shift & (geometry->row.value - 1);
    return (struct dram_place){.row = row,
                               .rank = (uint32_t)(offset >> geometry->rank_shift & (geometry->rank.value - 1)),
                               .bank = (uint32_t)((offset >> geometry->bank_shift & (geometry->bank.value - 1))
                                                  ^ (row & geometry->hash_mask))};
}

/* Of the bursts of a row, the one that an address lies in. */
uint64_t dram_geometry_column(const struct dram_geometry *geometry, uint64_t address);

#endif
