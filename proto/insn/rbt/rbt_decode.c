/* rbt_encode.c inverted. The row of the next instruction is decoded first, for its pc is the target of most
 * branches. For any input bytes, each step reads its own columns only, and indices are checked before use. */
#include "proto/insn/rbt/rbt_decode.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/list.h"
#include "proto/insn/rbt/dictionary.h"

#define COLUMN_MOST ((size_t)1 << 25)
#define COLUMN_NAME(suffix, name) name,

static const char *const column_names[] = {RBT_BLOCK_COLUMNS(COLUMN_NAME)};

static bool rbt_decode_fail(struct rbt_decoder *decoder, unsigned column)
{
    decoder->wrong = column_names[column];
    return false;
}

static bool rbt_decode_take(struct rbt_decoder *decoder, unsigned column, uint64_t *number)
{
    *number = column_take_number(&decoder->columns[column]);
    return !decoder->columns[column].failed || rbt_decode_fail(decoder, column);
}

/* ---- runs and rows */

/* Reads the next misprediction, and the number of correct predictions before it. */
static bool take_guess(struct rbt_decoder *decoder)
{
    struct column_bytes *const guesses = &decoder->columns[RBT_GUESSES];
    unsigned byte;
    uint64_t more;

    if (guesses->at == guesses->end) {
        decoder->right = UINT64_MAX;
        return true;
    }
    byte = column_take_byte(guesses);
    decoder->pick = byte & ((1u << RBT_PICK_BITS) - 1);
    decoder->right = byte >> RBT_PICK_BITS;
    if (decoder->pick > RBT_PICK_WRITTEN)
        return rbt_decode_fail(decoder, RBT_GUESSES);
    if (decoder->right < RBT_PICK_COUNT)
        return true;
    if (!rbt_decode_take(decoder, RBT_COUNTS, &more))
        return false;
    decoder->right += more;
    return more <= RBT_BLOCK_INSNS || rbt_decode_fail(decoder, RBT_COUNTS);
}

static bool take_pick(struct rbt_decoder *decoder, uint32_t guess, uint32_t *run)
{
    struct rbt_successors const known = decoder->model.successors[decoder->model.before];
    uint64_t code;

    if (decoder->pick == RBT_PICK_WRITTEN) {
        if (!rbt_decode_take(decoder, RBT_RUNS, &code))
            return false;
        code = decoder->explicit + bits_unzigzag(code);
        if (code >= decoder->runs->count)
            return rbt_decode_fail(decoder, RBT_RUNS);
        *run = (uint32_t)code;
        decoder->explicit = code + 1;
    } else {
        *run = decoder->pick == RBT_PICK_FIRST ? rbt_first_pick(known, guess) : known.other;
    }
    return take_guess(decoder);
}

/* Which one begins with instruction `at`. */
static bool decode_run(struct rbt_decoder *decoder, uint32_t at)
{
    struct rbt_model *const model = &decoder->model;
    uint32_t const before = model->before;
    uint64_t *const entry = rbt_entry(model->table, model->history, before);
    uint32_t number = decoder->is_by_successors ? rbt_last_successor(model, before)
        : rbt_guess_run(model, before, *entry);
    const struct rbt_run *run;

    if (decoder->right > 0) {
        decoder->right -= decoder->right != UINT64_MAX;
    } else {
        if (!take_pick(decoder, number, &number))
            return false;
        if (number < decoder->runs->count)
            rbt_learn_surprise(model, before, number);
    }
    if (number >= decoder->runs->count)
        return rbt_decode_fail(decoder, RBT_GUESSES);
    run = &decoder->runs->runs[number];
    if (run->insn_count > decoder->insn_count - at)
        return rbt_decode_fail(decoder, RBT_GUESSES);
    if (!decoder->is_by_successors) {
        *entry = rbt_entry_of(before, number);
        model->history = rbt_history_with(model->history, number);
    }
    model->before = number + 1;
    decoder->next_row = decoder->runs->rows + run->rows;
    decoder->behind_run = decoder->next_row + run->insn_count;
    return true;
}

/* The row of instruction `at`, into decoder->ahead. */
static inline bool decode_row(struct rbt_decoder *decoder, uint32_t at)
{
    if (decoder->next_row == decoder->behind_run && !decode_run(decoder, at))
        return false;
    decoder->ahead = *decoder->next_row++;
    return true;
}

/* ---- addresses */

static bool take_address_kind(struct rbt_decoder *decoder)
{
    struct column_bytes *const kinds = &decoder->columns[RBT_ADDRESS_KINDS];
    unsigned byte;
    uint64_t more;

    if (kinds->at == kinds->end) {
        decoder->address_right = UINT64_MAX;
        return true;
    }
    byte = column_take_byte(kinds);
    decoder->address_kind = byte & ((1u << RBT_KIND_BITS) - 1);
    decoder->address_right = byte >> RBT_KIND_BITS;
    if (decoder->address_kind > RBT_WILD_KIND)
        return rbt_decode_fail(decoder, RBT_ADDRESS_KINDS);
    if (decoder->address_right < RBT_KIND_COUNT)
        return true;
    if (!rbt_decode_take(decoder, RBT_ADDRESS_COUNTS, &more))
        return false;
    decoder->address_right += more;
    return more < UINT32_MAX || rbt_decode_fail(decoder, RBT_ADDRESS_COUNTS);
}

static bool take_difference(struct rbt_decoder *decoder, int32_t *link, uint64_t *difference)
{
    uint64_t code = 0;

    if (decoder->address_kind == RBT_LINKED_KIND) {
        *difference = (uint64_t)(int64_t)*link;
        return take_address_kind(decoder);
    }
    for (unsigned i = 0; i < decoder->address_kind; i++) {
        code |= (uint64_t)column_take_byte(&decoder->columns[RBT_ADDRESS_0 + i]) << 8 * i;
        if (decoder->columns[RBT_ADDRESS_0 + i].failed)
            return rbt_decode_fail(decoder, RBT_ADDRESS_0 + i);
    }
    *difference = bits_unzigzag(code);
    *link = (int32_t)(uint32_t)*difference;
    return take_address_kind(decoder);
}

static bool take_wild_bytes(struct rbt_decoder *decoder, unsigned bytes, uint64_t *code)
{
    const uint8_t *const at = column_take_bytes(&decoder->columns[RBT_WILD], bytes);

    *code = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        *code |= (uint64_t)at[i] << 8 * i;
    return at || rbt_decode_fail(decoder, RBT_WILD);
}

/* Reads a difference of a slot that is or now becomes wild: its number of bytes if that changes, then the
 * difference. */
static bool take_wild(struct rbt_decoder *decoder, uint32_t slot_number, uint64_t *difference)
{
    struct rbt_slot *const slot = &decoder->model.slots[slot_number];
    unsigned const before = rbt_slot_is_wild(slot) ? slot->wild : 0;
    uint64_t code;

    if (before != 0 && !take_wild_bytes(decoder, before, &code))
        return false;
    if (before == 0 || (before < 8 && code == rbt_wild_escape(before))) {
        uint64_t bytes;

        if (!take_wild_bytes(decoder, 1, &bytes))
            return false;
        if (bytes <= before || bytes > 8 ||
            (before == 0 && !rbt_run_wild(&decoder->model, slot_number, (unsigned)bytes)))
            return rbt_decode_fail(decoder, RBT_WILD);
        slot->wild = (uint8_t)bytes;
        if (!take_wild_bytes(decoder, (unsigned)bytes, &code))
            return false;
    }
    *difference = bits_unzigzag(code);
    return true;
}

static bool take_wrong(struct rbt_decoder *decoder, uint32_t slot_number, uint64_t *difference)
{
    struct rbt_slot *const slot = &decoder->model.slots[slot_number];

    if (decoder->address_kind == RBT_WILD_KIND)
        return take_wild(decoder, slot_number, difference) && take_address_kind(decoder);
    if (!take_difference(decoder, rbt_link(decoder->model.links, slot_number, slot->last), difference))
        return false;
    rbt_learn_difference(slot, decoder->model.address, *difference);
    return true;
}

static inline bool decode_address(struct rbt_decoder *decoder, uint32_t slot_number, uint64_t *address)
{
    uint64_t const before = decoder->model.address;
    struct rbt_slot *const slot = &decoder->model.slots[slot_number];
    uint64_t difference;

    if (rbt_slot_is_wild(slot)) {
        if (!take_wild(decoder, slot_number, &difference))
            return false;
    } else if (decoder->address_right > 0) {
        decoder->address_right--;
        difference = rbt_guess_difference(slot, before);
    } else if (!take_wrong(decoder, slot_number, &difference)) {
        return false;
    }
    *address = decoder->model.address = slot->last + difference;
    rbt_learn_address(slot, before, difference, *address);
    return true;
}

static inline void keep_address(struct rbt_decoder *decoder, uint64_t address)
{
    decoder->recent[(uint8_t)decoder->given++] = address;
}

/* The address of an access that follows from another of the block, or from the instruction's pc. */
static bool rbt_decode_follow(struct rbt_decoder *decoder, uint64_t pc, struct insn_access *access)
{
    if (access->back > decoder->given) {
        decoder->wrong = rbt_row_accesses;
        return false;
    }
    access->address = (access->back != 0 ? decoder->recent[(uint8_t)(decoder->given - access->back)] : pc) + access->by;
    return true;
}

static bool decode_irregular(struct rbt_decoder *decoder, const struct rbt_row *row, struct insn *insn)
{
    uint64_t count, shape, run;

    if (!rbt_decode_take(decoder, RBT_SHAPES, &count))
        return false;
    if (count > RBT_MOST_ACCESSES)
        return rbt_decode_fail(decoder, RBT_SHAPES);
    if (!decoder->irregular)
        decoder->irregular = malloc(RBT_MOST_ACCESSES * sizeof *decoder->irregular);
    if (!decoder->irregular) {
        decoder->wrong = NULL;
        return false;
    }
    for (size_t i = 0; i < count;) {
        if (!rbt_decode_take(decoder, RBT_SHAPES, &shape) || !rbt_decode_take(decoder, RBT_SHAPES, &run))
            return false;
        if (run == 0 || run > count - i || shape >> 33 != 0)
            return rbt_decode_fail(decoder, RBT_SHAPES);
        for (; run > 0; run--, i++)
            decoder->irregular[i] = (struct insn_access){.size_bytes = (uint32_t)(shape >> 1), .is_write = shape & 1};
    }
    for (size_t i = 0; i < count; i++) {
        if (!decode_address(decoder, row->first_slot, &decoder->irregular[i].address))
            return false;
        keep_address(decoder, decoder->irregular[i].address);
    }
    insn->accesses = decoder->irregular;
    insn->access_count = (size_t)count;
    return true;
}

static inline bool decode_accesses(struct rbt_decoder *decoder, const struct rbt_row *row, struct insn *insn)
{
    if (row->flags & RBT_IRREGULAR)
        return decode_irregular(decoder, row, insn);
    for (unsigned i = 0; i < row->access_count; i++) {
        struct insn_access *const access = &decoder->regular[i];

        *access = decoder->rows->accesses[row->first_slot + i];
        if (insn_access_follows(access) ? !rbt_decode_follow(decoder, row->pc, access)
            : !decode_address(decoder, row->first_slot + i, &access->address))
            return false;
        keep_address(decoder, access->address);
    }
    insn->accesses = decoder->regular;
    insn->access_count = row->access_count;
    return true;
}

/* ---- the rest */

/* decoder->ahead is the next instruction's row, if there is one. */
static bool decode_target(struct rbt_decoder *decoder, const struct rbt_row *row, bool has_next, struct insn *insn)
{
    uint64_t code;

    if (decoder->target_run > 0 && has_next) {
        decoder->target_run--;
        insn->target = decoder->rows->rows[decoder->ahead].pc;
        return true;
    }
    if (decoder->target_run > 0)
        return rbt_decode_fail(decoder, RBT_TARGETS);
    if (!rbt_decode_take(decoder, RBT_TARGETS, &code) || !rbt_decode_take(decoder, RBT_TARGETS, &decoder->target_run))
        return false;
    insn->target = row->pc + bits_unzigzag(code);
    return true;
}

static bool look_for_marker(struct rbt_decoder *decoder, uint64_t from)
{
    const struct column_bytes *const column = &decoder->columns[RBT_MARKERS];
    uint64_t distance;

    decoder->marker_before = UINT64_MAX;
    if (column->at == column->end)
        return true;
    if (!rbt_decode_take(decoder, RBT_MARKERS, &distance))
        return false;
    if (distance > decoder->insn_count - from)
        return rbt_decode_fail(decoder, RBT_MARKERS);
    decoder->marker_before = from + distance;
    return true;
}

static bool decode_marker(struct rbt_decoder *decoder, struct insn_marker *marker)
{
    struct column_bytes *const column = &decoder->columns[RBT_MARKERS];
    unsigned const about = column_take_byte(column);
    unsigned const kind = about & 31, arg_count = about >> 5;

    if (column->failed || kind >= INSN_MARKER_COUNT || arg_count > INSN_MARKER_ARGS)
        return rbt_decode_fail(decoder, RBT_MARKERS);
    marker->kind = (enum insn_marker_kind)kind;
    marker->arg_count = arg_count;
    decoder->model.marker_values[kind] += bits_unzigzag(column_take_number(column));
    marker->value = decoder->model.marker_values[kind];
    for (unsigned i = 0; i < arg_count; i++)
        marker->args[i] = column_take_number(column);
    return (!column->failed || rbt_decode_fail(decoder, RBT_MARKERS)) && look_for_marker(decoder,
                                                                                         decoder->marker_before);
}

void rbt_decoder_reset(struct rbt_decoder *decoder)
{
    decoder->has_begun = false;
    rbt_model_reset(&decoder->model);
}

static bool unpack(struct rbt_decoder *decoder, struct column_bytes *payload)
{
    size_t column = 0;

    if (columns_unpack(&decoder->unpacked, payload, COLUMN_MOST, RBT_BLOCK_COLUMN_COUNT, decoder->columns, &column))
        return true;
    decoder->wrong = column < RBT_BLOCK_COLUMN_COUNT ? column_names[column] : NULL;
    return false;
}

bool rbt_decoder_begin(struct rbt_decoder *decoder, const struct rbt_rows *rows, const struct rbt_runs *runs,
                       struct column_bytes columns, uint32_t insn_count, unsigned flags)
{
    decoder->wrong = NULL;
    decoder->rows = rows;
    decoder->runs = runs;
    if (!rbt_model_fit(&decoder->model, runs, rows))
        return false;
    if (flags & RBT_BLOCK_RESTARTS && decoder->has_begun)
        rbt_decoder_reset(decoder);
    decoder->has_begun = true;
    rbt_model_calm(&decoder->model);
    if (!unpack(decoder, &columns))
        return false;
    decoder->is_by_successors = (flags & RBT_BLOCK_BY_SUCCESSORS) != 0;
    decoder->insn_count = insn_count;
    decoder->at = 0;
    decoder->given = 0;
    decoder->explicit = 0;
    decoder->next_row = decoder->behind_run = NULL;
    return take_guess(decoder) && take_address_kind(decoder) && rbt_decode_take(decoder, RBT_TARGETS,
                                                                                &decoder->target_run)
        && look_for_marker(decoder, 0) && (insn_count == 0 || decode_row(decoder, 0));
}

enum rbt_step rbt_decoder_next(struct rbt_decoder *decoder, struct insn *insn, const struct rbt_row **row,
                               struct insn_marker *marker)
{
    uint32_t const at = decoder->at;
    bool const has_next = at + 1 < decoder->insn_count;
    const struct rbt_row *this;

    if (decoder->marker_before == at)
        return decode_marker(decoder, marker) ? RBT_STEP_MARKER : RBT_STEP_FAILED;
    if (at == decoder->insn_count)
        return RBT_STEP_END;
    this = &decoder->rows->rows[decoder->ahead];
    if (has_next && !decode_row(decoder, at + 1))
        return RBT_STEP_FAILED;
    insn->pc = this->pc;
    insn->size_bytes = this->size_bytes;
    insn->form = (enum insn_form)this->form;
    insn->kind = (enum isa_kind)this->kind;
    insn->branch = (enum insn_branch)this->branch;
    insn->has_target = (this->flags & RBT_HAS_TARGET) != 0;
    insn->target = 0;
    insn->gap = insn->gap_time = 0;
    if (this->flags & RBT_HAS_GAP && !rbt_decode_take(decoder, RBT_GAPS, &insn->gap))
        return RBT_STEP_FAILED;
    if (this->flags & RBT_HAS_CYCLES && !rbt_decode_take(decoder, RBT_GAPS, &insn->gap_time))
        return RBT_STEP_FAILED;
    if (!decode_accesses(decoder, this, insn) || (insn->has_target && !decode_target(decoder, this, has_next, insn)))
        return RBT_STEP_FAILED;
    *row = this;
    decoder->at++;
    return RBT_STEP_INSN;
}

/* rbt_decoder_begin has decoded the first run, and each call here decodes the one behind that which it gives. */
enum rbt_step rbt_decoder_next_run(struct rbt_decoder *decoder, uint32_t *run)
{
    if (decoder->at == decoder->insn_count)
        return RBT_STEP_END;
    *run = decoder->model.before - 1;
    decoder->at += decoder->runs->runs[*run].insn_count;
    return decoder->at == decoder->insn_count || decode_run(decoder, decoder->at) ? RBT_STEP_INSN : RBT_STEP_FAILED;
}

/* ---- passing over */

static bool pass_irregular(struct rbt_decoder *decoder, const struct rbt_row *row)
{
    struct insn insn;

    return decode_irregular(decoder, row, &insn);
}

static inline bool pass_accesses(struct rbt_decoder *decoder, const struct rbt_row *row)
{
    for (unsigned i = 0; i < row->access_count; i++) {
        struct insn_access access = decoder->rows->accesses[row->first_slot + i];

        if (insn_access_follows(&access) ? !rbt_decode_follow(decoder, row->pc, &access)
            : !decode_address(decoder, row->first_slot + i, &access.address))
            return false;
        keep_address(decoder, access.address);
    }
    return true;
}

static inline bool pass_gaps(struct rbt_decoder *decoder, const struct rbt_row *row)
{
    uint64_t unused;

    return (!(row->flags & RBT_HAS_GAP) || rbt_decode_take(decoder, RBT_GAPS, &unused))
        && (!(row->flags & RBT_HAS_CYCLES) || rbt_decode_take(decoder, RBT_GAPS, &unused));
}

static inline bool pass_target(struct rbt_decoder *decoder, const struct rbt_row *row)
{
    uint64_t unused;

    if (!(row->flags & RBT_HAS_TARGET))
        return true;
    if (decoder->target_run > 0) {
        decoder->target_run--;
        return true;
    }
    return rbt_decode_take(decoder, RBT_TARGETS, &unused)
        && rbt_decode_take(decoder, RBT_TARGETS, &decoder->target_run);
}

/* Its addresses, target and gaps, of which nothing is kept but what those behind it are told from. */
static inline bool pass_row(struct rbt_decoder *decoder, const struct rbt_row *row)
{
    return pass_gaps(decoder, row)
        && (row->flags & RBT_IRREGULAR ? pass_irregular(decoder, row) : pass_accesses(decoder, row))
        && pass_target(decoder, row);
}

static bool pass_markers(struct rbt_decoder *decoder, uint32_t before)
{
    struct insn_marker unused;

    while (decoder->marker_before < before)
        if (!decode_marker(decoder, &unused))
            return false;
    return true;
}

/* rbt_decoder_begin, and each call here, leave decoder->at at the first instruction of a run, whose row is decoded. */
bool rbt_decoder_pass(struct rbt_decoder *decoder, uint32_t before)
{
    while (decoder->at < decoder->insn_count) {
        const uint32_t *row = decoder->next_row - 1, *const behind = decoder->behind_run;
        uint32_t const after = decoder->at + (uint32_t)(behind - row);

        if (after >= before)
            return true;
        for (; row != behind; row++)
            if (!pass_row(decoder, &decoder->rows->rows[*row]))
                return false;
        decoder->at = after;
        decoder->next_row = behind;
        if (!pass_markers(decoder, after)
            || (after < decoder->insn_count && !decode_row(decoder, after)))
            return false;
    }
    return true;
}

/* ---- runs with their accesses */

/* An access of a run: of a slot, or as insn_access has it. */
struct rbt_use {
    uint32_t slot;
    uint8_t back;
    bool is_of_pc;
    uint64_t by;                         /* is_of_pc: the address */
};

struct rbt_run_uses {
    uint32_t first, count;               /* of decoder->uses */
    uint16_t targets;                    /* rows that have one */
    bool is_known;
    bool has_gaps;                       /* or cycles */
};

static bool list_uses(struct rbt_decoder *decoder, const struct rbt_run *run, struct rbt_run_uses *uses)
{
    if (!list_fit(&decoder->uses, decoder->use_count + (size_t)run->insn_count * RBT_REGULAR_ACCESSES,
                  &decoder->use_room, sizeof *decoder->uses))
        return false;
    *uses = (struct rbt_run_uses){.first = (uint32_t)decoder->use_count, .is_known = true};
    for (unsigned i = 0; i < run->insn_count; i++) {
        const struct rbt_row *const row = &decoder->rows->rows[decoder->runs->rows[run->rows + i]];

        uses->targets = (uint16_t)(uses->targets + ((row->flags & RBT_HAS_TARGET) != 0));
        uses->has_gaps |= row->flags & (RBT_HAS_GAP | RBT_HAS_CYCLES);
        for (unsigned k = 0; k < row->access_count; k++) {
            const struct insn_access *const access = &decoder->rows->accesses[row->first_slot + k];

            decoder->uses[decoder->use_count++] = (struct rbt_use){
                .slot = row->first_slot + k, .back = access->back, .is_of_pc = access->is_of_pc && access->back == 0,
                .by = access->is_of_pc && access->back == 0 ? row->pc + access->by : access->by};
        }
    }
    uses->count = (uint32_t)decoder->use_count - uses->first;
    return true;
}

/* NULL: out of memory. */
static const struct rbt_run_uses *uses_of(struct rbt_decoder *decoder, uint32_t number)
{
    decoder->wrong = NULL;
    if (!decoder->addresses)
        decoder->addresses = malloc(RBT_RUN_INSNS * RBT_REGULAR_ACCESSES * sizeof *decoder->addresses);
    if (!decoder->addresses || !list_fit_zeroed(&decoder->run_uses, decoder->runs->count, &decoder->run_room,
                                                sizeof *decoder->run_uses))
        return NULL;
    if (!decoder->run_uses[number].is_known
        && !list_uses(decoder, &decoder->runs->runs[number], &decoder->run_uses[number]))
        return NULL;
    return &decoder->run_uses[number];
}

static bool decode_uses(struct rbt_decoder *decoder, const struct rbt_use *uses, uint32_t count)
{
    uint64_t *const addresses = decoder->addresses;

    for (uint32_t i = 0; i < count; i++) {
        const struct rbt_use *const use = &uses[i];

        if (use->is_of_pc) {
            addresses[i] = use->by;
        } else if (use->back != 0) {
            if (use->back > decoder->given) {
                decoder->wrong = rbt_row_accesses;
                return false;
            }
            addresses[i] = decoder->recent[(uint8_t)(decoder->given - use->back)] + use->by;
        } else if (!decode_address(decoder, use->slot, &addresses[i])) {
            return false;
        }
        keep_address(decoder, addresses[i]);
    }
    return true;
}

static bool pass_targets_and_gaps(struct rbt_decoder *decoder, const struct rbt_run *run,
                                  const struct rbt_run_uses *uses)
{
    if (!uses->has_gaps && uses->targets <= decoder->target_run) {
        decoder->target_run -= uses->targets;
        return true;
    }
    for (unsigned i = 0; i < run->insn_count; i++) {
        const struct rbt_row *const row = &decoder->rows->rows[decoder->runs->rows[run->rows + i]];

        if (!pass_gaps(decoder, row) || !pass_target(decoder, row))
            return false;
    }
    return true;
}

/* rbt_decoder_begin, rbt_decoder_pass, and each call here leave decoder->at at the first instruction of a run, whose
 * row is decoded. Columns are independent of each other, so those of targets and gaps may be read behind addresses. */
enum rbt_step rbt_decoder_next_accesses(struct rbt_decoder *decoder, struct rbt_run_accesses *run)
{
    const struct rbt_run_uses *uses;
    const struct rbt_run *this;
    const struct rbt_row *last;
    struct insn insn = {0};

    if (decoder->at == decoder->insn_count)
        return RBT_STEP_END;
    run->run = decoder->model.before - 1;
    this = &decoder->runs->runs[run->run];
    last = &decoder->rows->rows[this->last_row];
    uses = uses_of(decoder, run->run);
    if (!uses || !decode_uses(decoder, decoder->uses + uses->first, uses->count)
        || (last->flags & RBT_IRREGULAR && !decode_irregular(decoder, last, &insn))
        || !pass_targets_and_gaps(decoder, this, uses))
        return RBT_STEP_FAILED;
    run->addresses = decoder->addresses;
    run->count = uses->count;
    run->irregular = insn.accesses;
    run->irregular_count = (uint32_t)insn.access_count;
    decoder->at += this->insn_count;
    decoder->next_row = decoder->behind_run;
    return pass_markers(decoder, decoder->at)
        && (decoder->at == decoder->insn_count || decode_row(decoder, decoder->at)) ? RBT_STEP_INSN : RBT_STEP_FAILED;
}

void rbt_decoder_free(struct rbt_decoder *decoder)
{
    free(decoder->run_uses);
    free(decoder->uses);
    free(decoder->addresses);
    decoder->run_uses = NULL;
    decoder->uses = NULL;
    decoder->addresses = NULL;
    decoder->run_room = decoder->use_count = decoder->use_room = 0;
    rbt_model_free(&decoder->model);
    columns_unpacked_free(&decoder->unpacked);
    free(decoder->irregular);
    decoder->irregular = NULL;
}
