/* Addresses go through twice: first all of them, of which those guessed wrong are noted; then these, as bytes. The
 * cost of wrong guesses is that the host's branch predictor cannot foresee them. So, in quick mode, a slot with many
 * consecutive mispredictions is wild up to the end of the block: its addresses are no longer predicted. */
#include "proto/insn/rbt/addresses.h"

#include "base/bits.h"
#include "proto/insn/rbt/rbt_format.h"

/* Bytes of a difference; above places: the kind without these; wrong guesses in a row that make a slot wild; bytes that
 * one of such a slot may take. */
enum { WEIGHTS = 8, KIND_SHIFT = 28, WILD_AFTER = 16, WILD_MOST = WEIGHTS + 1 + WEIGHTS };

/* ---- wild slots */

/* rbt_wild_escape, looked up: of each number of bytes. */
static uint64_t const escapes[WEIGHTS + 1] = {
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX
};

/* The number of bytes may not do, or is not said yet. */
static __attribute__((noinline)) uint8_t *put_wider(struct rbt_slot *slot, uint8_t *end, uint64_t code)
{
    unsigned const before = slot->wild, most = bits_bytes_of(code), bytes = most > before ? most : before + 1;

    if (before == WEIGHTS) {
        bits_store64(end, code);
        return end + WEIGHTS;
    }
    bits_store64(end, escapes[before]);
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

    if (__builtin_expect(code >= escapes[bytes], 0))
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
    uint32_t wrong_count;
    bool is_quick;
};

/* Of the slot `number`, guessed wrong: the `place`th of those that are guessed. `wild` is where the next of a wild slot
 * goes; answers where it goes then. */
static __attribute__((noinline)) uint8_t *put_wrong(struct encoder *encoder, uint32_t number, uint64_t before,
                                                    uint64_t difference, uint32_t place, uint8_t *wild)
{
    struct rbt_model *const model = encoder->model;
    struct rbt_slot *const slot = &model->slots[number];
    uint32_t kind = 0;

    if (slot->misses < UINT8_MAX)
        slot->misses++;
    if (encoder->is_quick && slot->misses > WILD_AFTER && rbt_run_wild(model, number, 0)) {
        kind = RBT_WILD_KIND;
        wild = put_wider(slot, wild, bits_zigzag(difference));
    } else {
        if (!encoder->is_quick && take_link(rbt_link(model->links, number, slot->last), difference))
            kind = RBT_LINKED_KIND;
        rbt_learn_difference(slot, before, difference);
    }
    encoder->differences[encoder->wrong_count] = kind != 0 ? 0 : difference;
    encoder->places[encoder->wrong_count++] = place | kind << KIND_SHIFT;
    rbt_learn_address(slot, before, difference, slot->last + difference);
    return wild;
}

/* Number of bytes and of right guesses in `kinds`, each byte in the column of its weight. The low ones are written in
 * any case, and stay if they count. */
static void put_misses(const uint64_t *differences, const uint32_t *places, uint32_t count, struct column *columns)
{
    struct column *const bytes = &columns[RBT_ADDRESS_0];
    uint8_t *kinds, *ends[WEIGHTS], *end_0, *end_1, *end_2;
    bool good = column_fit(&columns[RBT_ADDRESS_KINDS], count);
    uint32_t behind = 0;

    for (unsigned i = 0; i < WEIGHTS; i++) {
        good &= column_fit(&bytes[i], count + 1);
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
            column_put_number(&columns[RBT_ADDRESS_COUNTS], right - RBT_KIND_COUNT);
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

void rbt_encode_addresses(struct rbt_model *model, const struct rbt_addresses *input, struct column *columns)
{
    struct encoder encoder = {.model = model, .differences = input->addresses, .places = input->slots,
                              .is_quick = input->is_quick};
    const uint64_t *const addresses = input->addresses;
    const uint32_t *const slots = input->slots;
    struct rbt_slot *const all = model->slots;
    uint32_t const count = input->count;
    uint32_t wild_count = 0;
    uint64_t before = model->address;
    uint8_t *wild;

    if (!column_fit(&columns[RBT_WILD], (size_t)count * WILD_MOST + WEIGHTS))
        return;
    wild = columns[RBT_WILD].at;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t const address = addresses[i];
        struct rbt_slot *const slot = &all[slots[i]];
        uint64_t const difference = address - slot->last;

        if (rbt_slot_is_wild(slot)) {
            wild = put_wild(slot, wild, difference);
            wild_count++;
            rbt_learn_address(slot, before, difference, address);
        } else if (difference != rbt_guess_difference(slot, before)) {
            wild = put_wrong(&encoder, slots[i], before, difference, i - wild_count, wild);
        } else {
            slot->misses = 0;
            rbt_learn_address(slot, before, difference, address);
        }
        before = address;
    }
    model->address = before;
    columns[RBT_WILD].length = (size_t)(wild - columns[RBT_WILD].at);
    rbt_model_calm(model);
    put_misses(encoder.differences, encoder.places, encoder.wrong_count, columns);
}
