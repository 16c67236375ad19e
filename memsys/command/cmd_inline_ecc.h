/* Inline ECC: check bits that lie in the same DRAM as the data, a byte for each eight, and the accesses that they cost.
 *
 * The last eighth of each row holds the check bits of the rest, so that both are in one row. A read needs the ECC line
 * of its data, a write changes it: one access more, unless the line is among those that the controller keeps. A
 * changed line is written back when it leaves; a write of less than an access reads its data first.
 *
 * Use: cmd_inline_ecc_init; cmd_inline_ecc_place for an address of data; cmd_inline_ecc_access after an access of data
 * has been taken, which says what must be accessed besides. Units: bytes. Ownership: cmd_inline_ecc_free.
 * Source: V. Sankaranarayanan, "Error Correction Code (ECC) in DDR Memories", Synopsys (inline ECC). */
#ifndef MEMSYS_COMMAND_CMD_INLINE_ECC_H
#define MEMSYS_COMMAND_CMD_INLINE_ECC_H

#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_spec.h"

enum { CMD_ECC_DATA_PER_CHECK = 8, CMD_ECC_MOST_EXTRA = 3 };

struct cmd_ecc_extra {
    enum cmd_kind kind;
    uint64_t address;                    /* of the device */
};

struct cmd_ecc_line {
    uint64_t address;
    bool is_dirty;
};

struct cmd_inline_ecc {
    uint64_t row_bytes, data_bytes, access_bytes;    /* of a row; of data in it; 0: there is no inline ECC */
    struct cmd_ecc_line *lines;          /* the last used one first */
    uint32_t count, capacity;
    uint64_t hits, misses, reads, writes, merges;    /* statistics; merges: reads for writes of less than an access */
};

/* Bytes of a row that follow each other in the address map. */
uint64_t cmd_ecc_row_bytes(const struct cmd_spec *spec);
/* Sideband ECC, SECDED: check bits of a channel, 8 for each 64 bits of its width or part of them (DDR5: for the 32 of a
 * subchannel); whole chips that a rank has for them. */
uint64_t cmd_ecc_check_bits(const struct cmd_spec *spec);
uint64_t cmd_ecc_sideband_chips(const struct cmd_spec *spec);
/* FAULT_MEMORY. lines: that the controller keeps, 0 or more. */
struct fault cmd_inline_ecc_init(struct cmd_inline_ecc *ecc, const struct cmd_spec *spec, uint32_t lines);
void cmd_inline_ecc_free(struct cmd_inline_ecc *ecc);

/* Device address of byte `offset` of the data. */
static inline uint64_t cmd_inline_ecc_place(const struct cmd_inline_ecc *ecc, uint64_t offset)
{
    return offset / ecc->data_bytes * ecc->row_bytes + offset % ecc->data_bytes;
}

/* Accesses besides that of the data at `offset`, in their order; returns how many. is_partial: a write of less than an
 * access. */
unsigned cmd_inline_ecc_access(struct cmd_inline_ecc *ecc, enum cmd_kind kind, uint64_t offset, bool is_partial,
                               struct cmd_ecc_extra extra[CMD_ECC_MOST_EXTRA]);
void cmd_inline_ecc_reset(struct cmd_inline_ecc *ecc);

#endif
