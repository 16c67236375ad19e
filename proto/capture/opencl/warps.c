/* A stack of lane sets for each warp (the reconvergence stack). The top set runs until its lanes reach its
 * reconvergence point, end, or diverge; then one set for each path is pushed above it, to end where the paths
 * reconverge. Lanes that have arrived there wait in the set below. So a set with lanes at different pieces has
 * diverged, and a set whose lanes have all arrived is popped.
 * Paths that do not reconverge within the function (returns of different branches) reconverge at its return point. */
#include "proto/capture/opencl/warps.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { SETS_MAX = 2 * GPU_MAX_LANES + 8 };

/* Lanes that go together until `ends_at`. */
struct set {
    uint64_t mask;
    uint32_t ends_at;                    /* OCL_NO_PIECE: where their work-items end */
    uint32_t last;                       /* piece that ran last; OCL_NO_PIECE: none */
};

struct walk {
    struct ocl_warps *warps;
    struct ocl_lane *lanes;              /* the warp's first */
    struct set sets[SETS_MAX];
    unsigned depth;
    struct fault *error;
};

static struct fault warps_wrong(void)
{
    return fault_at("capture", FAULT_NO_OFFSET, "the plugin's data of a work-item are inconsistent; plugin and "
                    "command must be of one build");
}

static struct fault warps_no_memory(void)
{
    return fault_memory("capture", "a work-group");
}

/* ---- groups and runs */

struct fault ocl_warps_begin(struct ocl_warps *warps, const uint32_t id[3], size_t items)
{
    size_t const had = warps->lane_room;

    if (!list_fit(&warps->lanes, items, &warps->lane_room, sizeof *warps->lanes))
        return warps_no_memory();
    if (warps->lane_room > had)
        memset(warps->lanes + had, 0, (warps->lane_room - had) * sizeof *warps->lanes);
    for (size_t i = 0; i < items; i++)
        warps->lanes[i].count = warps->lanes[i].at = warps->lanes[i].depth = 0;
    warps->lane_count = items;
    warps->inst_count = warps->value_count = 0;
    warps->block = (struct gpu_block){.id = {id[0], id[1], id[2]}};
    return fault_none();
}

struct fault ocl_warps_run(struct ocl_warps *warps, uint64_t item, const uint64_t *events, size_t count)
{
    struct ocl_lane *lane;

    if (item >= warps->lane_count)
        return warps_wrong();
    lane = &warps->lanes[item];
    if (!list_fit(&lane->events, lane->count + count, &lane->room, sizeof *lane->events))
        return warps_no_memory();
    memcpy(lane->events + lane->count, events, count * sizeof *events);
    lane->count += count;
    return fault_none();
}

void ocl_warps_free(struct ocl_warps *warps)
{
    for (size_t i = 0; i < warps->lane_room; i++) {
        free(warps->lanes[i].events);
        free(warps->lanes[i].calls);
    }
    free(warps->lanes);
    free(warps->insts);
    free(warps->values);
    free(warps->lists);
    *warps = (struct ocl_warps){0};
}

/* ---- records */

static bool warps_put(struct ocl_warps *warps, const struct gpu_inst *inst)
{
    if (!list_fit(&warps->insts, warps->inst_count + 1, &warps->inst_room, sizeof *warps->insts))
        return false;
    warps->insts[warps->inst_count++] = *inst;
    return true;
}

/* GCN3 has no scoreboard: an instruction that uses the result of a load, and a barrier, waits for all accesses. */
static bool put_wait(struct ocl_warps *warps, const struct ocl_instruction *instruction, uint64_t mask)
{
    unsigned const total = instruction->has_destination + (unsigned)instruction->source_count;
    bool waits = instruction->is_barrier && warps->has_sent;

    for (unsigned i = 0; i < total && warps->is_owed && !waits; i++)
        waits = warps->owed[instruction->registers[i]];
    if (!waits)
        return true;
    memset(warps->owed, 0, sizeof warps->owed);
    warps->is_owed = warps->has_sent = false;
    warps->counts.waits++;
    return warps_put(warps, &(struct gpu_inst){.mask = mask, .index = instruction->wait, .mode = GPU_ADDRESS_NONE});
}

/* One record of lanes' accesses; addresses in the order of the lanes. */
static bool warps_put_access(struct walk *walk, uint64_t mask, uint32_t index, const uint64_t addresses[GPU_MAX_LANES],
                             uint64_t offset)
{
    struct ocl_warps *const warps = walk->warps;
    const struct gpu_static *const fixed = &warps->code->statics.items[index];
    uint8_t const cls = warps->code->opcodes[fixed->opcode].cls;
    unsigned const count = (unsigned)__builtin_popcountll(mask);
    uint64_t const shifted = mask >> __builtin_ctzll(mask), stride = count > 1 ? addresses[1] - addresses[0] : 0;
    struct gpu_inst inst = {.mask = mask, .base = addresses[0] + offset, .index = index, .mode = GPU_ADDRESS_STRIDE};
    bool is_even = (shifted & (shifted + 1)) == 0;

    for (unsigned i = 1; i < count && is_even; i++)
        is_even = addresses[i] - addresses[i - 1] == stride;
    inst.stride = (int64_t)stride;
    if (!is_even) {
        inst.mode = GPU_ADDRESS_LIST;
        inst.stride = 0;
        inst.values_at = (uint32_t)warps->value_count;
        inst.value_count = (uint8_t)count;
        if (warps->value_count > UINT32_MAX - GPU_MAX_LANES
            || !list_fit(&warps->values, warps->value_count + count, &warps->value_room, sizeof *warps->values))
            return WORKS(*walk->error, warps_no_memory());
        for (unsigned i = 0; i < count; i++)
            warps->values[warps->value_count++] = (int64_t)(addresses[i] + offset);
    }
    warps->counts.loads += cls == GPU_CLASS_LOAD || cls == GPU_CLASS_CONSTANT;
    warps->counts.stores += cls == GPU_CLASS_STORE;
    warps->counts.atomics += cls == GPU_CLASS_ATOMIC;
    warps->has_sent = true;
    if (fixed->destination_count > 0)
        warps->is_owed = warps->owed[fixed->registers[0]] = true;
    return warps_put(warps, &inst) || WORKS(*walk->error, warps_no_memory());
}

/* ---- accesses */

struct access {
    uint8_t kind, space;
    uint32_t bytes;
};

static const uint64_t *next_event(const struct ocl_lane *lane)
{
    return lane->at < lane->count ? &lane->events[lane->at] : NULL;
}

/* Does the lane's next event belong to the instruction at this place of the piece? */
static bool is_access_at(const struct ocl_lane *lane, uint32_t place)
{
    const uint64_t *const event = next_event(lane);

    return event != NULL && (*event & OCL_EVENT_ACCESS) != 0
        && (*event >> OCL_EVENT_PLACE_SHIFT) % OCL_PIECE_INSTRUCTIONS == place;
}

/* A plain load or store whose lanes all have their access, all as the instruction says. */
static bool take_plain(struct walk *walk, const struct ocl_instruction *instruction, uint32_t place, uint64_t mask,
                       uint64_t addresses[GPU_MAX_LANES])
{
    uint64_t const wanted = OCL_EVENT_ACCESS | (uint64_t)instruction->access << OCL_EVENT_KIND_SHIFT
        | (uint64_t)place << OCL_EVENT_PLACE_SHIFT;
    unsigned count = 0;

    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        const uint64_t *const event = next_event(&walk->lanes[__builtin_ctzll(rest)]);

        if (event == NULL || (*event & ~OCL_EVENT_ADDRESS) != wanted)
            return false;
        addresses[count++] = *event & OCL_EVENT_ADDRESS;
    }
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
        walk->lanes[__builtin_ctzll(rest)].at++;
    return true;
}

static struct access read_access(const struct ocl_lane *lane, const struct ocl_instruction *instruction)
{
    uint64_t const event = lane->events[lane->at];
    struct access access = {(uint8_t)(event >> OCL_EVENT_KIND_SHIFT & 3), instruction->space, instruction->bytes};

    if ((event & OCL_EVENT_SIZED) != 0 && lane->at + 1 < lane->count) {
        access.bytes = (uint32_t)lane->events[lane->at + 1];
        access.space = (uint8_t)(lane->events[lane->at + 1] >> 32 & 3);
    }
    return access;
}

/* Those of the lanes whose next access is of one kind and size, as one record, or several if it is wide; they leave the
 * mask. */
static bool put_alike(struct walk *walk, const struct ocl_instruction *instruction, uint64_t *mask, bool is_further)
{
    struct access const first = read_access(&walk->lanes[__builtin_ctzll(*mask)], instruction);
    uint64_t addresses[GPU_MAX_LANES], alike = 0;
    unsigned count = 0;

    for (uint64_t rest = *mask; rest != 0; rest &= rest - 1) {
        struct ocl_lane *const lane = &walk->lanes[__builtin_ctzll(rest)];
        struct access const one = read_access(lane, instruction);

        if (one.kind != first.kind || one.space != first.space || one.bytes != first.bytes)
            continue;
        addresses[count++] = lane->events[lane->at] & OCL_EVENT_ADDRESS;
        alike |= rest & -rest;
        lane->at += (lane->events[lane->at] & OCL_EVENT_SIZED) != 0 ? 2 : 1;
    }
    *mask &= ~alike;
    if (first.bytes > OCL_ACCESS_MAX)
        walk->warps->counts.cut_bytes += (uint64_t)(first.bytes - OCL_ACCESS_MAX) * count;
    for (uint32_t done = 0, bytes; done < first.bytes && done < OCL_ACCESS_MAX; done += bytes) {
        uint32_t index;

        bytes = ocl_access_piece(first.bytes - done);
        if (FAILS(*walk->error, ocl_code_access(walk->warps->code, instruction, (enum ocl_access)first.kind,
                                                (enum ocl_space)first.space, bytes, &index))
            || !warps_put_access(walk, alike, index, addresses, done))
            return false;
        if (is_further || done > 0)
            walk->warps->counts.further += count;
    }
    return true;
}

static uint64_t with_access(const struct walk *walk, uint32_t place, uint64_t mask)
{
    uint64_t with = 0;

    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
        if (is_access_at(&walk->lanes[__builtin_ctzll(rest)], place))
            with |= rest & -rest;
    return with;
}

static bool warps_put_accesses(struct walk *walk, const struct ocl_instruction *instruction, uint32_t place,
                               uint64_t mask)
{
    uint64_t addresses[GPU_MAX_LANES], with;

    if (instruction->fixed_access != 0 && take_plain(walk, instruction, place, mask, addresses))
        return warps_put_access(walk, mask, instruction->fixed_access, addresses, 0);
    with = with_access(walk, place, mask);
    if (with != mask && !instruction->is_barrier
        && !warps_put(walk->warps, &(struct gpu_inst){.mask = mask & ~with, .index = instruction->plain,
                                                      .mode = GPU_ADDRESS_NONE}))
        return WORKS(*walk->error, warps_no_memory());
    /* The reads of a barrier, of the events that it waits for, come before it. */
    for (bool is_further = instruction->is_barrier; with != 0; is_further = true) {
        for (uint64_t left = with; left != 0;)
            if (!put_alike(walk, instruction, &left, is_further))
                return false;
        with = with_access(walk, place, with);
    }
    return !instruction->is_barrier || warps_put(walk->warps, &(struct gpu_inst){.mask = mask,
        .index = instruction->plain, .mode = GPU_ADDRESS_NONE})
        || WORKS(*walk->error, warps_no_memory());
}

/* ---- pieces */

static bool run_piece(struct walk *walk, uint32_t number, uint64_t mask)
{
    struct ocl_warps *const warps = walk->warps;
    const struct ocl_piece *const piece = &warps->code->pieces[number];
    const struct ocl_instruction *const first = &warps->code->instructions[piece->first];
    bool const is_gcn3 = warps->code->isa == GPU_ISA_GCN3;

    if (!list_fit(&warps->insts, warps->inst_count + 2 * piece->count, &warps->inst_room, sizeof *warps->insts))
        return WORKS(*walk->error, warps_no_memory());
    for (uint32_t i = 0; i < piece->count; i++) {
        const struct ocl_instruction *const instruction = first + i;

        if (is_gcn3 && (warps->is_owed || instruction->is_barrier) && !put_wait(warps, instruction, mask))
            return WORKS(*walk->error, warps_no_memory());
        warps->counts.barriers += instruction->is_barrier;
        if (instruction->access != OCL_NO_ACCESS) {
            if (!warps_put_accesses(walk, instruction, i, mask))
                return false;
        } else if (!warps_put(warps, &(struct gpu_inst){.mask = mask, .index = instruction->plain,
                                                        .mode = GPU_ADDRESS_NONE})) {
            return WORKS(*walk->error, warps_no_memory());
        }
    }
    warps->counts.item_instructions += (uint64_t)piece->count * (unsigned)__builtin_popcountll(mask);
    return true;
}

/* The lanes enter the piece. */
static bool step_lanes(struct walk *walk, uint32_t number, uint64_t mask)
{
    const struct ocl_piece *const piece = &walk->warps->code->pieces[number];

    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        struct ocl_lane *const lane = &walk->lanes[__builtin_ctzll(rest)];

        lane->at++;
        if (piece->end == OCL_RETURNS && lane->depth > 0)
            lane->depth--;
        if (piece->end != OCL_CALLS)
            continue;
        if (!list_fit(&lane->calls, lane->depth + 1, &lane->call_room, sizeof *lane->calls))
            return WORKS(*walk->error, warps_no_memory());
        lane->calls[lane->depth++] = number + 1;
    }
    return true;
}

/* Where lanes meet that part after a piece. */
static uint32_t meeting_of(const struct walk *walk, uint32_t last, uint64_t mask)
{
    const struct ocl_piece *const piece = &walk->warps->code->pieces[last];
    const struct ocl_lane *const lane = &walk->lanes[__builtin_ctzll(mask)];

    if (piece->end == OCL_FALLS && piece->meets != OCL_NO_PIECE)
        return piece->meets;
    return lane->depth > 0 ? lane->calls[lane->depth - 1] : OCL_NO_PIECE;
}

/* The piece that a lane enters next; false: its work-item has ended. */
static bool next_piece(const struct walk *walk, unsigned lane, uint32_t *piece)
{
    const uint64_t *const event = next_event(&walk->lanes[lane]);

    if (event != NULL)
        *piece = (*event & OCL_EVENT_ACCESS) == 0 && *event < walk->warps->code->piece_count ? (uint32_t)*event
            : OCL_NO_PIECE;
    return event != NULL;
}

/* Puts a set for each path of the top one above it: the last put, which runs first, is the one that comes first in the
 * code. */
static bool split(struct walk *walk, uint64_t mask)
{
    struct set *const top = &walk->sets[walk->depth - 1];
    uint32_t const ends_at = top->last == OCL_NO_PIECE ? top->ends_at : meeting_of(walk, top->last, mask);

    walk->warps->counts.splits++;
    while (mask != 0) {
        uint32_t highest = 0, piece = 0;
        uint64_t path = 0;

        for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
            next_piece(walk, (unsigned)__builtin_ctzll(rest), &piece);
            if (path == 0 || piece > highest) {
                highest = piece;
                path = 0;
            }
            if (piece == highest)
                path |= rest & -rest;
        }
        mask &= ~path;
        if (highest == ends_at)          /* these wait */
            continue;
        if (walk->depth == SETS_MAX)
            return WORKS(*walk->error, warps_wrong());
        walk->sets[walk->depth++] = (struct set){path, ends_at, OCL_NO_PIECE};
    }
    return true;
}

/* Lanes of the top set that are neither at its end nor at their own; the piece of the first; whether all are there. */
static uint64_t standing(const struct walk *walk, uint32_t *piece, bool *is_one)
{
    const struct set *const top = &walk->sets[walk->depth - 1];
    uint64_t mask = 0;

    *is_one = true;
    for (uint64_t rest = top->mask; rest != 0; rest &= rest - 1) {
        uint32_t next;

        if (!next_piece(walk, (unsigned)__builtin_ctzll(rest), &next) || (next == top->ends_at && next != OCL_NO_PIECE))
            continue;
        if (mask == 0)
            *piece = next;
        else if (next != *piece)
            *is_one = false;
        mask |= rest & -rest;
    }
    return mask;
}

static bool walk_warp(struct walk *walk)
{
    while (walk->depth > 0) {
        uint32_t piece = OCL_NO_PIECE;
        bool is_one;
        uint64_t const mask = standing(walk, &piece, &is_one);

        if (mask == 0) {
            walk->depth--;
            continue;
        }
        if (!is_one) {
            if (!split(walk, mask))
                return false;
            continue;
        }
        if (piece == OCL_NO_PIECE)
            return WORKS(*walk->error, warps_wrong());
        if (!step_lanes(walk, piece, mask) || !run_piece(walk, piece, mask))
            return false;
        walk->sets[walk->depth - 1].last = piece;
    }
    return true;
}

struct fault ocl_warps_block(struct ocl_warps *warps, const struct gpu_block **block)
{
    struct fault fault = fault_none();
    size_t const count = (warps->lane_count + warps->warp_size - 1) / warps->warp_size;
    struct walk walk = {.warps = warps, .error = &fault};

    if (!list_fit(&warps->lists, count, &warps->list_room, sizeof *warps->lists))
        return warps_no_memory();
    for (size_t i = 0; i < count; i++) {
        size_t const first = i * warps->warp_size, left = warps->lane_count - first, before = warps->inst_count;
        size_t const lanes = left < warps->warp_size ? left : warps->warp_size;

        walk.lanes = &warps->lanes[first];
        walk.sets[0] = (struct set){lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1, OCL_NO_PIECE, OCL_NO_PIECE};
        walk.depth = 1;
        memset(warps->owed, 0, sizeof warps->owed);
        warps->is_owed = warps->has_sent = false;
        if (!walk_warp(&walk))
            return fault;
        if (warps->inst_count - before > UINT32_MAX)
            return warps_wrong();
        warps->lists[i] = (struct gpu_warp_list){.count = (uint32_t)(warps->inst_count - before)};
    }
    for (size_t i = 0, at = 0; i < count; at += warps->lists[i++].count)
        warps->lists[i].insts = warps->insts + at;
    warps->counts.groups++;
    warps->counts.warps += count;
    warps->counts.records += warps->inst_count;
    warps->block.warp_count = (uint32_t)count;
    warps->block.warps = warps->lists;
    warps->block.values = warps->values;
    *block = &warps->block;
    return fault_none();
}
