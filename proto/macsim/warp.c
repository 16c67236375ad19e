/* PTX records have an address for each lane, so they are taken as they are. N64 has none: each of its records names one
 * block of 128 bytes that the warp touches, and apart from it only the number of active lanes and the size of an
 * element are known. So the lanes are shared out evenly over the blocks, in order, and within a block they lie side by
 * side from the record's address on. That is exact where lanes lie side by side (one record, two blocks of it if they
 * are wide) and where each lane has a block of its own; between these it keeps blocks and bytes, not which bytes.
 *
 * An instruction's further blocks are records of their own (2.3). Those of the 2026 tracer come as children. Those of
 * the 2024 tracer are like their parent, and are known by the same pc right behind it, at which no warp can be twice in
 * a row; the element is then the size divided by their number, unless one has a smaller size.
 *
 * In the reference's way (compat): a parent with children loses its own block; the copies of the 2024 tracer are
 * instructions of their own; an N64 ATOM or RED that is not said to load accesses no memory.
 *
 * Not taken over: branch targets and taken masks (which way a warp went is in the order of its records), numbers of
 * named barriers, cache operators and levels. */
#include "proto/macsim/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum {
    REGISTERS = 384,                 /* that the engine keeps apart */
    BLOCK_BYTES = 128,               /* of N64's records */
    SPACES = 16,                     /* numbers of address spaces, rounded up */
    OPCODE_KEYS = 256 * SPACES * 4
};

#define ODDITY_TEXT(value, text) text,
const char *macsim_warp_oddity_text(enum macsim_warp_oddity oddity)
{
    static const char *const texts[] = { MACSIM_WARP_ODDITIES(ODDITY_TEXT) };

    return texts[oddity];
}

enum gpu_isa macsim_warps_isa(const struct macsim_format *format)
{
    return format->layout == MACSIM_N64 ? GPU_ISA_SASS : GPU_ISA_PTX;
}

bool macsim_warps_init(struct macsim_warps *warps, const struct macsim_format *format, bool compat)
{
    *warps = (struct macsim_warps){.format = *format, .isa = macsim_warps_isa(format), .compat = compat};
    warps->opcode_of = calloc(OPCODE_KEYS, sizeof *warps->opcode_of);
    return warps->opcode_of != NULL;
}

void macsim_warps_free(struct macsim_warps *warps)
{
    gpu_statics_free(&warps->statics);
    free(warps->opcodes);
    free(warps->opcode_of);
    free(warps->insts);
    free(warps->values);
    free(warps->ends);
    *warps = (struct macsim_warps){0};
}

void macsim_warps_begin_block(struct macsim_warps *warps)
{
    warps->inst_count = warps->value_count = warps->warp_count = 0;
    warps->pending.is_there = false;
}

/* Room for `more` items behind `count`. */
static bool fit_more(void *items, size_t count, size_t more, size_t *room, size_t bytes)
{
    return count < UINT32_MAX / 2 && list_fit(items, count + more, room, bytes);
}

/* --- static instructions ------------------------------------------------------------------------------------------ */

/* NULL: the number is in no table. */
static const char *opcode_name(const struct macsim_warps *warps, unsigned opcode)
{
#define NAME(name) [MACSIM_PTX_##name] = #name,
    static const char *const ptx_names[MACSIM_PTX_COUNT] = { MACSIM_PTX_NAMES(NAME) };
#undef NAME

    return warps->isa == GPU_ISA_PTX ? ptx_names[macsim_ptx_op(warps->format.opcodes, opcode)]
                                     : macsim_opcode_name(warps->format.opcodes, opcode);
}

/* The record's address space where it is one that the opcode's class may need, as a token of proto/gpu/opcode.h. */
static const char *space_token(unsigned space)
{
    static const enum gpu_space spaces[] = {
        [MACSIM_CONSTANT] = GPU_SPACE_CONSTANT, [MACSIM_GLOBAL] = GPU_SPACE_GLOBAL, [MACSIM_LOCAL] = GPU_SPACE_LOCAL,
        [MACSIM_PARAMETER] = GPU_SPACE_SHARED, [MACSIM_SHARED] = GPU_SPACE_SHARED,
        [MACSIM_TEXTURE] = GPU_SPACE_TEXTURE, [MACSIM_GENERIC] = GPU_SPACE_NONE
    };

    return space < sizeof spaces / sizeof spaces[0] && spaces[space] != GPU_SPACE_NONE
        ? gpu_space_name(spaces[space]) : NULL;
}

/* One entry for each text and whether it has addresses. */
static bool find_opcode(struct macsim_warps *warps, const struct macsim_gpu_record *record, bool has_addresses,
                        uint16_t *index)
{
    bool const is_ptx = warps->isa == GPU_ISA_PTX;
    bool const names_space = is_ptx && has_addresses
        && macsim_gpu_op(warps->format.opcodes, record->opcode).space == MACSIM_NO_SPACE;
    const char *const space = names_space ? space_token(record->space) : NULL;
    unsigned const key = ((record->opcode * (unsigned)SPACES + (space != NULL ? record->space : 0)) * 2
                          + (is_ptx && record->is_fp)) * 2 + has_addresses;
    const char *const name = opcode_name(warps, record->opcode);
    char number[16], text[sizeof warps->opcodes->text];

    if (warps->opcode_of[key] == 0) {
        if (!fit_more(&warps->opcodes, warps->opcode_count, 1, &warps->opcode_room, sizeof *warps->opcodes))
            return false;
        snprintf(number, sizeof number, "OP%u", record->opcode);
        snprintf(text, sizeof text, "%s%s%s%s", name != NULL ? name : number,
                 is_ptx && record->is_fp ? ".F" : "", space != NULL ? "." : "", space != NULL ? space : "");
        gpu_opcode_classify(&warps->opcodes[warps->opcode_count++], text, warps->isa, MACSIM_BINARY_VERSION,
                            has_addresses);
        warps->opcode_of[key] = (uint16_t)warps->opcode_count;
    }
    *index = (uint16_t)(warps->opcode_of[key] - 1);
    return true;
}

/* Special registers of PTX are only read, and nothing writes them. */
static unsigned first_special(enum macsim_registers registers)
{
    switch (registers) {
    case MACSIM_REG_PTX_200: return 200;
    case MACSIM_REG_PTX_900: return 900;
    case MACSIM_REG_PTX_1551: return 1551;
    default: return UINT16_MAX + 1;
    }
}

static uint8_t take_registers(struct macsim_warps *warps, const uint16_t *from, unsigned count, uint16_t *to)
{
    unsigned const special = first_special(warps->format.registers);
    uint8_t taken = 0;

    for (unsigned i = 0; i < count; i++) {
        if (from[i] < REGISTERS && from[i] < special)
            to[taken++] = from[i];
        else if (from[i] < special)
            warps->oddities[MACSIM_WARP_HIGH_REGISTER]++;
    }
    return taken;
}

/* bytes: of a lane, 0 for an instruction without addresses. */
static bool find_static(struct macsim_warps *warps, const struct macsim_gpu_record *record, unsigned bytes,
                        uint32_t *index)
{
    struct gpu_static fixed = {.pc = record->pc, .width_bytes = (uint16_t)bytes, .traced_width = (uint16_t)bytes};

    fixed.destination_count = take_registers(warps, record->destinations, record->destination_count, fixed.registers);
    fixed.source_count = take_registers(warps, record->sources, record->source_count,
                                        fixed.registers + fixed.destination_count);
    return find_opcode(warps, record, bytes > 0, &fixed.opcode) && gpu_statics_find(&warps->statics, &fixed, index);
}

/* --- executions --------------------------------------------------------------------------------------------------- */

static unsigned warp_width_of(struct macsim_warps *warps, unsigned bytes)
{
    if (bytes == 0) {
        warps->oddities[MACSIM_WARP_NO_WIDTH]++;
        return 4;
    }
    if (bytes <= GPU_MAX_WIDTH)
        return bytes;
    warps->oddities[MACSIM_WARP_WIDE]++;
    return GPU_MAX_WIDTH;
}

/* Lanes that are one run, and whose addresses rise evenly, need no list. */
static bool is_even(uint32_t mask, const uint64_t *addresses, unsigned count)
{
    uint32_t const run = mask >> __builtin_ctz(mask);

    if ((run & (run + 1)) != 0)
        return false;
    for (unsigned i = 2; i < count; i++)
        if (addresses[i] - addresses[i - 1] != addresses[1] - addresses[0])
            return false;
    return true;
}

/* bytes: 0 if not an access. addresses: of the mask's lanes in order; NULL: none. */
static bool warp_put_inst(struct macsim_warps *warps, const struct macsim_gpu_record *record, unsigned bytes,
                          uint32_t mask, const uint64_t *addresses)
{
    unsigned const count = addresses != NULL ? (unsigned)__builtin_popcount(mask) : 0;
    struct gpu_inst inst = {.mask = mask, .mode = GPU_ADDRESS_NONE};

    if (!fit_more(&warps->insts, warps->inst_count, 1, &warps->inst_room, sizeof *warps->insts)
        || !fit_more(&warps->values, warps->value_count, GPU_MAX_LANES, &warps->value_room,
                      sizeof *warps->values)
        || !find_static(warps, record, bytes, &inst.index))
        return false;
    inst.values_at = (uint32_t)warps->value_count;
    if (bytes > 0)
        inst.mode = GPU_ADDRESS_LIST;
    if (count > 0 && is_even(mask, addresses, count)) {
        inst.mode = GPU_ADDRESS_STRIDE;
        inst.base = addresses[0];
        inst.stride = count > 1 ? (int64_t)(addresses[1] - addresses[0]) : 0;
    } else if (count > 0) {
        inst.base = addresses[0];
        inst.value_count = (uint8_t)count;
        for (unsigned i = 0; i < count; i++)
            warps->values[warps->value_count++] = (int64_t)addresses[i];
    }
    warps->insts[warps->inst_count++] = inst;
    return true;
}

/* G64, G72, and PTX in older layouts. */
static bool put_lanes(struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    uint64_t addresses[MACSIM_LANES];
    uint32_t mask = 0;
    unsigned count = 0;

    for (uint32_t left = record->active_mask; left != 0; left &= left - 1) {
        unsigned const lane = (unsigned)__builtin_ctz(left);

        if (record->lanes[lane] == 0)
            continue;
        addresses[count++] = record->lanes[lane];
        mask |= UINT32_C(1) << lane;
    }
    if (mask != record->active_mask)
        warps->oddities[MACSIM_WARP_NO_ADDRESS]++;
    return warp_put_inst(warps, record, warp_width_of(warps, record->access_bytes), mask != 0 ? mask
                         : record->active_mask, mask != 0 ? addresses : NULL);
}

/* --- N64: blocks to lanes ----------------------------------------------------------------------------------------- */

static unsigned element_bytes(struct macsim_warps *warps)
{
    const struct macsim_pending *const pending = &warps->pending;
    unsigned bytes = pending->least_bytes;

    if (pending->records > 1 && !pending->has_children && bytes == pending->record.access_bytes
        && bytes % pending->records == 0)
        bytes /= pending->records;
    return warp_width_of(warps, bytes);
}

/* Address of lane `number` of its block; the lanes of a single block may continue into the next one. */
static uint64_t lane_address(uint64_t start, unsigned number, unsigned bytes, bool is_alone)
{
    uint64_t const from = start % BLOCK_BYTES, to = from + (uint64_t)number * bytes;

    return start - from + (is_alone ? to : to % BLOCK_BYTES);
}

/* One instruction, of at most as many blocks as lanes. */
static bool put_blocks(struct macsim_warps *warps, const uint64_t *blocks, unsigned count, unsigned bytes)
{
    uint32_t const mask = warps->pending.record.active_mask;
    unsigned const lanes = (unsigned)__builtin_popcount(mask);
    uint64_t addresses[MACSIM_LANES] = {0};
    unsigned at = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned const first = at, behind = (i + 1) * lanes / count;

        for (; at < behind; at++)
            addresses[at] = lane_address(blocks[i], at - first, bytes, count == 1);
    }
    return warp_put_inst(warps, &warps->pending.record, bytes, mask, count > 0 ? addresses : NULL);
}

static bool put_pending(struct macsim_warps *warps)
{
    struct macsim_pending *const pending = &warps->pending;
    unsigned const lanes = (unsigned)__builtin_popcount(pending->record.active_mask);
    unsigned bytes;

    if (!pending->is_there)
        return true;
    pending->is_there = false;
    bytes = element_bytes(warps);
    if (pending->count == 0 || lanes == 0) {
        warps->oddities[MACSIM_WARP_NO_ADDRESS] += lanes > 0;
        return put_blocks(warps, NULL, 0, bytes);
    }
    for (unsigned at = 0, count; at < pending->count; at += count) {
        count = pending->count - at < lanes ? pending->count - at : lanes;
        warps->oddities[MACSIM_WARP_SURPLUS] += at > 0;
        if (!put_blocks(warps, pending->blocks + at, count, bytes))
            return false;
    }
    return true;
}

static void begin_pending(struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    struct macsim_pending *const pending = &warps->pending;

    pending->record = *record;
    pending->count = pending->records = 0;
    pending->least_bytes = UINT8_MAX;
    pending->is_there = true;
    pending->has_children = record->child_count > 0;
}

static bool add_block(struct macsim_warps *warps, const struct macsim_gpu_record *record, uint64_t address,
                      uint8_t bytes)
{
    struct macsim_pending *const pending = &warps->pending;

    if (pending->count == MACSIM_BLOCKS_MAX) {
        if (!put_pending(warps))
            return false;
        begin_pending(warps, record);
    }
    pending->records++;
    if (bytes < pending->least_bytes)
        pending->least_bytes = bytes;
    if (address != 0)
        pending->blocks[pending->count++] = address;
    return true;
}

/* Is it a further block of the one that is pending, as the 2024 tracer writes it? */
static bool is_copy(const struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    const struct macsim_gpu_record *const parent = &warps->pending.record;

    return warps->pending.is_there && !warps->compat && !warps->pending.has_children && record->child_count == 0
        && record->pc == parent->pc && record->opcode == parent->opcode && record->is_fp == parent->is_fp
        && record->active_mask == parent->active_mask;
}

static bool add_blocks(struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    if (!is_copy(warps, record)) {
        if (!put_pending(warps))
            return false;
        begin_pending(warps, record);
    }
    if (!(warps->compat && record->child_count > 0)
        && !add_block(warps, record, record->address, record->access_bytes))
        return false;
    for (unsigned i = 0; i < record->child_count; i++)
        if (!add_block(warps, record, record->children[i], record->child_bytes[i]))
            return false;
    return true;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* The reference does not know that N64's atomics access memory, unless they say that they load. */
static bool accesses_memory(const struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    uint8_t const access = macsim_gpu_op(warps->format.opcodes, record->opcode).access;

    return record->accesses_memory
        && !(warps->compat && warps->isa == GPU_ISA_SASS && !record->is_load
             && (access == MACSIM_ATOMIC || access == MACSIM_REDUCTION));
}

bool macsim_warps_add(struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    bool const is_access = accesses_memory(warps, record);

    if (is_access && warps->isa == GPU_ISA_SASS)
        return add_blocks(warps, record);
    if (!put_pending(warps))
        return false;
    return is_access ? put_lanes(warps, record) : warp_put_inst(warps, record, 0, record->active_mask, NULL);
}

bool macsim_warps_end_warp(struct macsim_warps *warps)
{
    if (!put_pending(warps)
        || !fit_more(&warps->ends, warps->warp_count, 1, &warps->warp_room, sizeof *warps->ends))
        return false;
    warps->ends[warps->warp_count++] = warps->inst_count;
    return true;
}

struct gpu_block *macsim_warps_block(const struct macsim_warps *warps, uint32_t number)
{
    struct gpu_block *const block = gpu_block_copy((const uint32_t[3]){number}, (uint32_t)warps->warp_count,
                                                   warps->insts, warps->inst_count, warps->values, warps->value_count);
    size_t first = 0;

    for (size_t i = 0; block != NULL && i < warps->warp_count; first = warps->ends[i++])
        block->warps[i] = (struct gpu_warp_list){.insts = gpu_block_insts(block) + first,
                                                 .count = (uint32_t)(warps->ends[i] - first)};
    return block;
}
