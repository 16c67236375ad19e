/* Modelled: places and numbers of accesses. Not modelled: that a write waits for the ECC line which it changes, time of
 * encoding and checking, errors. A line that is being fetched counts as kept. */
#include "memsys/command/cmd_inline_ecc.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

uint64_t cmd_ecc_row_bytes(const struct cmd_spec *spec)
{
    unsigned const columns = log2_down(spec->size[spec->column_level]) - log2_down(spec->standard->prefetch);

    return UINT64_C(1) << (log2_down(spec->tx_bytes) + columns);
}

uint64_t cmd_ecc_check_bits(const struct cmd_spec *spec)
{
    enum { CHECK_BITS = 8, CHECKED_BITS = 64 };

    return CHECK_BITS * divide_up((uint64_t)spec->channel_width, CHECKED_BITS);
}

uint64_t cmd_ecc_sideband_chips(const struct cmd_spec *spec)
{
    return divide_up(cmd_ecc_check_bits(spec), (uint64_t)spec->dq);
}

struct fault cmd_inline_ecc_init(struct cmd_inline_ecc *ecc, const struct cmd_spec *spec, uint32_t lines)
{
    uint64_t const row = cmd_ecc_row_bytes(spec);

    *ecc = (struct cmd_inline_ecc){.row_bytes = row, .data_bytes = row - row / CMD_ECC_DATA_PER_CHECK,
                                   .access_bytes = UINT64_C(1) << log2_down(spec->tx_bytes), .capacity = lines,
                                   .lines = calloc(max_u64(lines, 1), sizeof *ecc->lines)};
    return ecc->lines ? fault_none() : fault_memory("memory", "lines of ECC");
}

void cmd_inline_ecc_free(struct cmd_inline_ecc *ecc)
{
    free(ecc->lines);
    ecc->lines = NULL;
}

static uint64_t line_of(const struct cmd_inline_ecc *ecc, uint64_t offset)
{
    uint64_t const check = offset % ecc->data_bytes / CMD_ECC_DATA_PER_CHECK;

    return offset / ecc->data_bytes * ecc->row_bytes + ecc->data_bytes + check / ecc->access_bytes * ecc->access_bytes;
}

/* Puts a line first; true: it was there. leaves: the line that goes for it, clean if none does. */
static bool use(struct cmd_inline_ecc *ecc, uint64_t address, struct cmd_ecc_line *leaves)
{
    uint32_t place = 0;
    struct cmd_ecc_line line = {address, false};
    bool is_there;

    while (place < ecc->count && ecc->lines[place].address != address)
        place++;
    is_there = place < ecc->count;
    *leaves = (struct cmd_ecc_line){0, false};
    if (is_there)
        line = ecc->lines[place];
    else if (ecc->count < ecc->capacity)
        place = ecc->count++;
    else
        *leaves = ecc->lines[place = ecc->count - 1];
    memmove(ecc->lines + 1, ecc->lines, place * sizeof *ecc->lines);
    ecc->lines[0] = line;
    return is_there;
}

unsigned cmd_inline_ecc_access(struct cmd_inline_ecc *ecc, enum cmd_kind kind, uint64_t offset, bool is_partial,
                               struct cmd_ecc_extra extra[CMD_ECC_MOST_EXTRA])
{
    uint64_t const address = line_of(ecc, offset);
    struct cmd_ecc_line leaves = {address, kind == CMD_WRITE};       /* where none is kept it leaves at once */
    bool const is_kept = ecc->capacity > 0 && use(ecc, address, &leaves);
    unsigned count = 0;

    if (ecc->capacity > 0)
        ecc->lines[0].is_dirty |= kind == CMD_WRITE;
    ecc->hits += is_kept;
    ecc->misses += !is_kept;
    if (kind == CMD_WRITE && is_partial) {
        extra[count++] = (struct cmd_ecc_extra){CMD_READ, cmd_inline_ecc_place(ecc, offset)};
        ecc->merges++;
    }
    if (!is_kept) {
        extra[count++] = (struct cmd_ecc_extra){CMD_READ, address};
        ecc->reads++;
    }
    if (leaves.is_dirty) {
        extra[count++] = (struct cmd_ecc_extra){CMD_WRITE, leaves.address};
        ecc->writes++;
    }
    return count;
}

void cmd_inline_ecc_reset(struct cmd_inline_ecc *ecc)
{
    ecc->hits = ecc->misses = ecc->reads = ecc->writes = ecc->merges = 0;
}
