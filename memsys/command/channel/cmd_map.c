/* Address maps (2.5): fields of an address above the access's own bits, from the low end; a vector counts columns in
 * accesses. With MOP4CLXOR the row is all that is left above, and all fields are mixed with bits of the column. */
#include "memsys/command/channel/cmd_internal.h"

#include "base/arith.h"
#include "memsys/command/channel/cmd_hash_map.h"

static unsigned bits_of(const struct cmd_spec *spec, unsigned level)
{
    unsigned const bits = log2_down(spec->size[level]);

    return level == spec->column_level ? bits - log2_down(spec->standard->prefetch) : bits;
}

static void add_field(struct cmd_channel *channel, unsigned level, unsigned bits)
{
    struct cmd_map_field *const fields = channel->fields;
    unsigned const count = channel->field_count;
    unsigned const shift = count ? fields[count - 1].shift + fields[count - 1].bits : channel->offset_bits;

    fields[channel->field_count++] = (struct cmd_map_field){
        level, shift, bits, (int32_t)((UINT64_C(1) << bits) - 1)};
}

struct fault cmd_map_init(struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    unsigned const column = spec->column_level, column_bits = bits_of(spec, column);

    channel->offset_bits = log2_down(spec->tx_bytes);
    switch (channel->config->mapping) {
    case CMD_MAPPING_ROBARACOCH:
        add_field(channel, column, column_bits);
        for (unsigned level = 1; level <= spec->row_level; level++)
            add_field(channel, level, bits_of(spec, level));
        break;
    case CMD_MAPPING_CHRABAROCO:
        for (unsigned level = column; level > 0; level--)
            add_field(channel, level, bits_of(spec, level));
        break;
    case CMD_MAPPING_MOP4CLXOR:
        if (column_bits < 2)
            return fault_make(FAULT_INPUT, "mapping: MOP4CLXOR needs at least 4 accesses a row; %s has %u",
                              spec->organization, 1u << column_bits);
        add_field(channel, column, 2);
        for (unsigned level = 1; level <= spec->bank_level; level++)
            add_field(channel, level, bits_of(spec, level));
        add_field(channel, column, column_bits - 2);
        add_field(channel, spec->row_level, 0);
        break;
    case CMD_MAPPING_GIVEN:
        if (channel->config->row_indirection && channel->config->reserved_rows)
            return fault_make(FAULT_INPUT, "mapping: reserved_rows cannot go with given levels: each retry would move "
                                           "the row");
        break;
    }
    if ((channel->config->mapping == CMD_MAPPING_ROBARACOCH || channel->config->mapping == CMD_MAPPING_CHRABAROCO)
        && !channel->config->row_indirection) {
        const struct cmd_map_field *const last = &channel->fields[channel->field_count - 1];

        channel->plain_end = UINT64_C(1) << (last->shift + last->bits);
    }
    return fault_none();
}

static inline void map_fields(const struct cmd_channel *channel, uint64_t local, int32_t *vector)
{
    const struct cmd_map_field *const end = channel->fields + channel->field_count;

    for (const struct cmd_map_field *field = channel->fields; field < end; field++)
        vector[field->level] = (int32_t)(local >> field->shift) & field->mask;
}

static void map_mop4(const struct cmd_channel *channel, uint64_t local, int32_t *vector)
{
    const struct cmd_spec *const spec = channel->spec;
    const struct cmd_map_field *const high = &channel->fields[channel->field_count - 2];
    int32_t column;
    unsigned shift = 0;

    map_fields(channel, local, vector);
    column = (int32_t)((local >> channel->offset_bits & 3) + (local >> high->shift & ((UINT64_C(1) << high->bits)
                                                                                      - 1)) * 4);
    vector[spec->column_level] = column;
    vector[spec->row_level] = (int32_t)(local >> channel->fields[channel->field_count - 1].shift);
    for (unsigned level = 1; level <= spec->row_level; level++) {
        unsigned const bits = bits_of(spec, level);

        vector[level] ^= column >> shift & ((1 << bits) - 1);
        shift += bits;
    }
}

/* Rows go through the swap table, then up by the reserved ones. */
static struct fault indirect(const struct cmd_channel *channel, int32_t *vector)
{
    const struct cmd_spec *const spec = channel->spec;
    int32_t *const row = &vector[spec->row_level];

    if (channel->row_table) {
        int64_t *const partner = cmd_hash_map_get(&channel->row_table[cmd_device_bank(spec, vector)], *row);

        if (partner)
            *row = (int32_t)(*partner >> 1);
    }
    *row += (int32_t)channel->config->reserved_rows;
    if (channel->config->reserved_rows && (*row < 0 || (uint32_t)*row >= spec->size[spec->row_level]))
        return fault_make(FAULT_INPUT, "row %d of a request lies beyond the %u of a bank once %lld are reserved", *row,
                          spec->size[spec->row_level], (long long)channel->config->reserved_rows);
    return fault_none();
}

/* Odd behaviour 13 mended: an address has no bits above those of the device. */
static struct fault check_address(const struct cmd_channel *channel, uint64_t local, const int32_t *vector)
{
    const struct cmd_spec *const spec = channel->spec;
    const struct cmd_map_field *const last = &channel->fields[channel->field_count - 1];
    unsigned const end = last->shift + last->bits;
    bool const is_inside = channel->config->mapping == CMD_MAPPING_MOP4CLXOR
        ? local >> last->shift < spec->size[spec->row_level]
            && (uint32_t)vector[spec->row_level] < spec->size[spec->row_level]
        : local >> end == 0;

    if (is_inside)
        return fault_none();
    return fault_make(FAULT_INPUT, "address 0x%llx of channel %u lies beyond the device; %s has %u rows a bank, and "
                      "one rank unless rank is set", (unsigned long long)local, channel->number, spec->organization,
                      spec->size[spec->row_level]);
}

static struct fault check_bounds(const struct cmd_spec *spec, const int32_t *vector)
{
    for (unsigned level = 1; level < spec->level_count; level++)
        if (vector[level] < 0 || (uint32_t)vector[level] >= spec->size[level])
            return fault_make(FAULT_INPUT, "a request names %s %d; there are %u", spec->standard->levels[level],
                              vector[level],
                              spec->size[level]);
    return fault_none();
}

struct fault cmd_map(const struct cmd_channel *channel, uint64_t local, int32_t *vector)
{
    const struct cmd_spec *const spec = channel->spec;

    if (local < channel->plain_end) {
        map_fields(channel, local, vector);
        return fault_none();
    }
    switch (channel->config->mapping) {
    case CMD_MAPPING_ROBARACOCH:
    case CMD_MAPPING_CHRABAROCO:
        map_fields(channel, local, vector);
        break;
    case CMD_MAPPING_MOP4CLXOR:
        map_mop4(channel, local, vector);
        break;
    case CMD_MAPPING_GIVEN:
        FORWARD(check_bounds(spec, vector));
        break;
    }
    if (channel->config->mapping != CMD_MAPPING_GIVEN && cmd_mends(channel->config, CMD_MEND_BOUNDS))
        FORWARD(check_address(channel, local, vector));
    return channel->config->row_indirection ? indirect(channel, vector) : fault_none();
}

/* Levels as MOP4CLXOR mixes them; it undoes itself. */
static int32_t mixed(const struct cmd_spec *spec, const int32_t *vector, unsigned of)
{
    int32_t const column = vector[spec->column_level];
    unsigned shift = 0;

    for (unsigned level = 1; level < of; level++)
        shift += bits_of(spec, level);
    return vector[of] ^ (column >> shift & ((1 << bits_of(spec, of)) - 1));
}

struct fault cmd_map_address(const struct cmd_channel *channel, const int32_t *vector, uint64_t *local)
{
    const struct cmd_spec *const spec = channel->spec;
    bool const is_mixed = channel->config->mapping == CMD_MAPPING_MOP4CLXOR;
    unsigned used[CMD_LEVELS] = {0};     /* bits that are placed */

    for (unsigned level = 1; level < spec->level_count; level++) {
        uint32_t const entries = (uint32_t)min_u64(spec->size[level], UINT64_C(1) << bits_of(spec, level));

        if (vector[level] < 0 || (uint32_t)vector[level] >= entries)
            return fault_make(FAULT_INPUT, "%s is %d; there are %u", spec->standard->levels[level], vector[level],
                              entries);
    }
    *local = 0;
    for (unsigned i = 0; i < channel->field_count; i++) {
        const struct cmd_map_field *const field = &channel->fields[i];
        unsigned const bits = field->bits ? field->bits : 32;    /* MOP4CLXOR's row is all that is left */
        uint64_t const entry = (uint64_t)(is_mixed && field->level <= spec->row_level
                                          ? mixed(spec, vector, field->level) : vector[field->level]);

        if (field->bits || (is_mixed && field->level == spec->row_level))
            *local |= (entry >> used[field->level] & ((UINT64_C(1) << bits) - 1)) << field->shift;
        used[field->level] += field->bits;
    }
    return fault_none();
}
