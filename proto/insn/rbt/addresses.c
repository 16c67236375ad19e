/* Addresses go through twice: first all of them, of which those guessed wrong are noted; then these, as bytes. What a
 * wrong guess costs is that it is hard to foresee for a processor which it is. So, in a hurry, a slot that was guessed
 * wrong often in a row is wild to the end of the block: of its addresses nothing is asked any more. */
#include "proto/insn/rbt/addresses.h"

#include "base/bits.h"
#include "proto/insn/rbt/format.h"

/* Bytes of a difference; above places: the kind without these; wrong guesses in a row that make a slot wild; bytes that
 * one of such a slot may take. */
enum { WEIGHTS = 8, KIND_SHIFT = 28, WILD_AFTER = 12, WILD_MOST = WEIGHTS + 1 + WEIGHTS };

/* ---- wild slots */

/* The number of bytes does not do, or is not said yet. */
static __attribute__((noinline)) uint8_t *put_wider(struct rbt_slot *slot, uint8_t *end, uint64_t code)
{
    unsigned const before = slot->wild, most = bits_bytes_of(code), bytes = most > before ? most : before + 1;

    bits_store64(end, rbt_wild_escape(before));
    end += before;
    slot->wild = (uint8_t)bytes;
    *end++ = (uint8_t)bytes;
    bits_store64(end, code);
    return end + bytes;
}

static inline uint8_t *put_wild(struct rbt_slot *slot, uint8_t *end, uint64_t difference)
{
    uint64_t const code = bits_zigzag(difference);
    unsigned const bytes = slot->wild;

    if (code >= rbt_wild_escape(bytes) && bytes < WEIGHTS)
        return put_wider(slot, end, code);
    bits_store64(end, code);
    return end + bytes;
}

/* ---- wrong guesses */

/* Has it this difference? Then it has. */
static inline bool take_link(int32_t *link, uint64_t difference)
{
    bool const is_right = (uint64_t)(int64_t)*link == difference;

    *link = (int32_t)(uint32_t)difference;
    return is_right;
}

struct encoder {
    struct rbt_model *model;
    uint64_t *differences;               /* of those guessed wrong; 0 if linked or wild: over the addresses */
    uint32_t *places;                    /* and which of those that are guessed; above KIND_SHIFT: over the slots */
    uint32_t wrong_count, wild_count;
    uint8_t *wild;                       /* where the next of a wild slot goes */
    bool is_quick;
};

/* Of the slot `number`, guessed wrong. */
static __attribute__((noinline)) void put_wrong(struct encoder *encoder, uint32_t number, uint64_t before,
                                                uint64_t difference, uint32_t at)
{
    struct rbt_model *const model = encoder->model;
    struct rbt_slot *const slot = &model->slots[number];
    uint32_t kind = 0;

    if (slot->misses < UINT8_MAX)
        slot->misses++;
    if (encoder->is_quick && slot->misses > WILD_AFTER && rbt_run_wild(model, number, 0)) {
        kind = RBT_WILD_KIND;
        encoder->wild = put_wider(slot, encoder->wild, bits_zigzag(difference));
    } else {
        if (!encoder->is_quick && take_link(rbt_link(model->links, number, slot->last), difference))
            kind = RBT_LINKED_KIND;
        rbt_learn_difference(slot, before, difference);
    }
    encoder->differences[encoder->wrong_count] = kind != 0 ? 0 : difference;
    encoder->places[encoder->wrong_count++] = (at - encoder->wild_count) | kind << KIND_SHIFT;
    rbt_learn_address(slot, before, difference, slot->last + difference);
}

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
        uint32_t const place = places[i] & ((UINT32_C(1) << KIND_SHIFT) - 1), right = place - behind;
        unsigned const length = bits_bytes_of(code), kind = length + (places[i] >> KIND_SHIFT);

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

/* ---- all */

void rbt_encode_addresses(struct rbt_model *model, const struct rbt_addresses *input, struct rbt_column *columns)
{
    struct encoder encoder = {.model = model, .differences = input->addresses, .places = input->slots,
                              .is_quick = input->is_quick};
    const uint64_t *const addresses = input->addresses;
    const uint32_t *const slots = input->slots;
    struct rbt_slot *const all = model->slots;
    uint64_t before = model->address;

    if (!rbt_column_fit(&columns[RBT_WILD], (size_t)input->count * WILD_MOST + WEIGHTS))
        return;
    encoder.wild = columns[RBT_WILD].at;
    for (uint32_t i = 0; i < input->count; i++) {
        uint64_t const address = addresses[i];
        struct rbt_slot *const slot = &all[slots[i]];
        uint64_t const difference = address - slot->last;

        if (rbt_slot_is_wild(slot)) {
            encoder.wild = put_wild(slot, encoder.wild, difference);
            encoder.wild_count++;
            rbt_learn_address(slot, before, difference, address);
        } else if (difference != rbt_guess_difference(slot, before)) {
            put_wrong(&encoder, slots[i], before, difference, i);
        } else {
            slot->misses = 0;
            rbt_learn_address(slot, before, difference, address);
        }
        before = address;
    }
    model->address = before;
    columns[RBT_WILD].length = (size_t)(encoder.wild - columns[RBT_WILD].at);
    rbt_model_calm(model);
    put_misses(encoder.differences, encoder.places, encoder.wrong_count, columns);
}
