/* The columns of docs/spec/rbt.md 5. What the model guesses right is not written, but as the number of such guesses
 * before a wrong one. Runs and addresses go through twice: first all of them, of which those guessed wrong are noted
 * without asking, for which it was is hard to foresee for a processor; then these, as bytes. */
#include "proto/insn/rbt/encode.h"

#include <string.h>

#include "base/bits.h"

enum { WEIGHTS = 8, LINKED_BIT = 31 };   /* bytes of an address; above places of addresses */

/* ---- runs */

/* misses: right guesses before each wrong one, and pick. */
struct run_encoder {
    struct rbt_model *model;
    struct rbt_column *runs;
    uint32_t *misses;
    uint32_t miss_count;
    uint64_t explicit;                   /* behind the run that was written last */
};

/* Runs are new mostly, and numbered as they are met. */
static void put_run(struct run_encoder *encoder, uint32_t run)
{
    rbt_put_number(encoder->runs, bits_zigzag(run - encoder->explicit));
    encoder->explicit = (uint64_t)run + 1;
}

/* The table did not have it. Answers how many right guesses there have been since a wrong one. */
static __attribute__((noinline)) uint32_t put_unknown(struct run_encoder *encoder, uint64_t entry, uint32_t before,
                                                      uint32_t run, uint32_t right)
{
    uint32_t const guess = rbt_guess_run(encoder->model, before, entry);
    struct rbt_successors const known = encoder->model->successors[before];
    unsigned pick = RBT_PICK_WRITTEN;

    if (guess == run)
        return right + 1;
    if (run == rbt_first_pick(known, guess))
        pick = RBT_PICK_FIRST;
    else if (run == known.other)
        pick = RBT_PICK_OTHER;
    else
        put_run(encoder, run);
    encoder->misses[encoder->miss_count++] = right << RBT_PICK_BITS | pick;
    rbt_learn_surprise(encoder->model, before, run);
    return 0;
}

/* Of an irregular instruction: its number of accesses, then runs of equal shapes. Answers the number. */
static uint32_t encode_shape(const uint64_t *shape, struct rbt_column *column)
{
    uint32_t const count = (uint32_t)shape[0];

    rbt_put_number(column, count);
    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && shape[1 + i + run] == shape[1 + i];)
            run++;
        rbt_put_number(column, shape[1 + i]);
        rbt_put_number(column, run);
    }
    return count;
}

/* Most runs have a few slots: how many exactly is not asked, since that is hard to foresee. */
static inline uint32_t *put_slots(uint32_t *slots, const uint32_t *from, uint32_t count)
{
    memcpy(slots, from, RBT_SLOTS_SPARE * sizeof *slots);
    for (uint32_t k = RBT_SLOTS_SPARE; k < count; k += RBT_SLOTS_SPARE)
        memcpy(slots + k, from + k, RBT_SLOTS_SPARE * sizeof *slots);
    return slots + count;
}

static void put_guesses(const struct run_encoder *encoder, struct rbt_column *columns)
{
    struct rbt_column *const guesses = &columns[RBT_GUESSES];

    if (!rbt_column_fit(guesses, encoder->miss_count))
        return;
    for (uint32_t i = 0; i < encoder->miss_count; i++) {
        uint32_t const right = encoder->misses[i] >> RBT_PICK_BITS;
        uint32_t const pick = encoder->misses[i] & ((1u << RBT_PICK_BITS) - 1);

        if (right >= RBT_PICK_COUNT)
            rbt_put_number(&columns[RBT_COUNTS], right - RBT_PICK_COUNT);
        guesses->at[guesses->length++] = (uint8_t)((right < RBT_PICK_COUNT ? right : RBT_PICK_COUNT) << RBT_PICK_BITS
                                                   | pick);
    }
}

/* Of the next run, whose last row is irregular: `slots` is behind those of the others. */
static __attribute__((noinline)) uint32_t *put_irregular(uint32_t *slots, uint32_t slot, const uint64_t **shape,
                                                         struct rbt_column *column)
{
    uint32_t const count = encode_shape(*shape, column);

    *shape += 1 + count;
    for (uint32_t i = 0; i < count; i++)
        *slots++ = slot;
    return slots;
}

/* And the slot of each access. */
static __attribute__((noinline)) void encode_runs(const struct rbt_block_input *input, const struct rbt_rows *rows,
                                                  const struct rbt_runs *runs, struct rbt_model *model,
                                                  struct rbt_scratch scratch, struct rbt_column *columns)
{
    struct run_encoder encoder = {.model = model, .runs = &columns[RBT_RUNS], .misses = scratch.misses};
    const uint32_t *const end = input->runs + input->run_count, *const all_slots = runs->slots;
    const struct rbt_run *const all = runs->runs;
    const uint64_t *shape = input->shapes;
    uint32_t *slots = scratch.slots;
    uint64_t *const table = model->table;
    uint64_t history = model->history;
    uint32_t before = model->before, right = 0;

    for (const uint32_t *item = input->runs; item < end; item++) {
        uint32_t const number = *item & ((UINT32_C(1) << RBT_RUN_BITS) - 1);
        const struct rbt_run *const run = &all[number];
        uint64_t *const entry = rbt_entry(table, history, before);
        uint64_t const found = *entry, wanted = rbt_entry_of(before, number);

        *entry = wanted;
        if (found == wanted)
            right++;
        else
            right = put_unknown(&encoder, found, before, number, right);
        history = rbt_history_with(history, number);
        before = number + 1;
        slots = put_slots(slots, all_slots + run->slots, run->slot_count);
        if (run->is_irregular)
            slots = put_irregular(slots, rows->rows[run->last_row].first_slot, &shape, &columns[RBT_SHAPES]);
    }
    model->history = history;
    model->before = before;
    put_guesses(&encoder, columns);
}

/* ---- addresses */

/* Number of bytes and of right guesses in `kinds`, each byte in the column of its weight. The low ones are written in
 * any case, and stay if they count. */
static void put_misses(const uint64_t *differences, const uint32_t *places, uint32_t count, struct rbt_column *columns)
{
    struct rbt_column *const bytes = &columns[RBT_ADDRESS_0];
    uint8_t *kinds, *ends[WEIGHTS], *end_0, *end_1, *end_2;
    bool good = rbt_column_fit(&columns[RBT_ADDRESS_KINDS], count);
    uint32_t behind = 0;

    for (unsigned i = 0; i < WEIGHTS; i++) {
        good &= rbt_column_fit(&bytes[i], count + 1);
        ends[i] = bytes[i].at + bytes[i].length;
    }
    if (!good)
        return;
    kinds = columns[RBT_ADDRESS_KINDS].at;
    end_0 = ends[0], end_1 = ends[1], end_2 = ends[2];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t const code = bits_zigzag(differences[i]);
        uint32_t const place = places[i] & ((UINT32_C(1) << LINKED_BIT) - 1), right = place - behind;
        unsigned const length = bits_bytes_of(code), kind = length + (places[i] >> LINKED_BIT) * RBT_LINKED_KIND;

        behind = place + 1;
        if (right >= RBT_KIND_COUNT)
            rbt_put_number(&columns[RBT_ADDRESS_COUNTS], right - RBT_KIND_COUNT);
        kinds[i] = (uint8_t)((right < RBT_KIND_COUNT ? right : RBT_KIND_COUNT) << RBT_KIND_BITS | kind);
        *end_0 = (uint8_t)code;
        *end_1 = (uint8_t)(code >> 8);
        *end_2 = (uint8_t)(code >> 16);
        end_0 += length > 0;
        end_1 += length > 1;
        end_2 += length > 2;
        for (unsigned k = 3; k < length; k++)
            *ends[k]++ = (uint8_t)(code >> 8 * k);
    }
    ends[0] = end_0, ends[1] = end_1, ends[2] = end_2;
    for (unsigned i = 0; i < WEIGHTS; i++)
        bytes[i].length = (size_t)(ends[i] - bytes[i].at);
    columns[RBT_ADDRESS_KINDS].length = count;
}

/* Has it this difference? Then it has. */
static inline bool take_link(int32_t *link, uint64_t difference)
{
    bool const is_right = (uint64_t)(int64_t)*link == difference;

    *link = (int32_t)(uint32_t)difference;
    return is_right;
}

/* Over the addresses and slots, the differences of those guessed wrong (0 if linked) and their places. links:
 * NULL if they are not used. */
static __attribute__((noinline)) void encode_addresses(uint64_t *addresses, uint32_t *slots, uint32_t count,
                                                       struct rbt_model *model, int32_t *links,
                                                       struct rbt_column *columns)
{
    struct rbt_slot *const all = model->slots;
    uint64_t before = model->address;
    uint32_t misses = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct rbt_slot *const slot = &all[slots[i]];
        uint64_t const address = addresses[i], difference = address - slot->last;

        if (difference != rbt_guess_difference(slot, before)) {
            uint32_t const is_linked = links && take_link(rbt_link(links, slots[i], slot->last), difference);

            rbt_learn_difference(slot, before, difference);
            addresses[misses] = difference & ((uint64_t)is_linked - 1);
            slots[misses++] = i | is_linked << LINKED_BIT;
        }
        rbt_learn_address(slot, before, address);
        before = address;
    }
    model->address = before;
    put_misses(addresses, slots, misses, columns);
}

/* ---- the rest */

void rbt_targets_wrong(struct rbt_targets *targets)
{
    rbt_put_number(&targets->column, targets->right);
    rbt_put_number(&targets->column, bits_zigzag(targets->target - targets->pc));
    targets->right = 0;
    targets->is_open = false;
}

/* A target behind which nothing follows in the block is none that could be foreseen. */
static void encode_targets(struct rbt_targets *targets, struct rbt_column *column)
{
    if (targets->is_open)
        rbt_targets_wrong(targets);
    rbt_put_number(&targets->column, targets->right);
    targets->right = 0;
    rbt_put_bytes(column, targets->column.at, targets->column.length);
    column->failed |= targets->column.failed;
    targets->column.length = 0;
}

static void encode_markers(const struct rbt_block_input *input, struct rbt_model *model, struct rbt_column *column)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < input->marker_count; i++) {
        const struct rbt_block_marker *const at = &input->markers[i];

        rbt_put_number(column, at->before - before);
        rbt_put_byte(column, (unsigned)at->marker.kind | at->marker.arg_count << 5);
        rbt_put_number(column, bits_zigzag(at->marker.value - model->marker_values[at->marker.kind]));
        for (unsigned k = 0; k < at->marker.arg_count; k++)
            rbt_put_number(column, at->marker.args[k]);
        model->marker_values[at->marker.kind] = at->marker.value;
        before = at->before;
    }
}

static void encode_gaps(struct rbt_column *gaps, struct rbt_column *column)
{
    rbt_put_bytes(column, gaps->at, gaps->length);
    column->failed |= gaps->failed;
    gaps->length = 0;
}

void rbt_encode(struct rbt_block_input *input, const struct rbt_rows *rows, const struct rbt_runs *runs,
                struct rbt_model *model, struct rbt_scratch scratch, struct rbt_column *columns)
{
    if (input->run_count > 0)
        encode_runs(input, rows, runs, model, scratch, columns);
    encode_addresses(input->addresses, scratch.slots, input->access_count, model,
                     input->is_quick ? NULL : model->links, columns);
    encode_targets(&input->targets, &columns[RBT_TARGETS]);
    encode_gaps(&input->gaps, &columns[RBT_GAPS]);
    encode_markers(input, model, &columns[RBT_MARKERS]);
}
