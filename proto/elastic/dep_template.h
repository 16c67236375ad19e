/* Templates of dependence records: a static instruction's messages differ only in a few numbers, which mostly keep
 * their lengths. A template is such a message: bytes that do not change, the places of the numbers that do, and the
 * record that comes of it. One comparison of 48 bytes shows that a message fits a template; then its numbers are read
 * without looking at tags.
 *
 * Use: dep_template_next, and if it returns NULL dep_template_find, return the message's template; dep_template_take
 * gives its record. A message without a template, once it is read in another way, is remembered by dep_template_learn.
 * A message that matches is decoded exactly as by any reader of the format.
 * Numbers that change: seq_num, p_addr, v_addr, comp_delay, the dependences. Not remembered: messages of more than
 * USUAL_BYTES bytes, of more than DEP_TEMPLATE_NUMBERS such numbers, or with one of more than eight bytes.
 * Units: as in the file. Ownership: dep_templates_init to dep_templates_free; a record's lists live until the next
 * one is taken. */
#ifndef PROTO_ELASTIC_DEP_TEMPLATE_H
#define PROTO_ELASTIC_DEP_TEMPLATE_H

#include <stddef.h>

#include "base/bits.h"
#include "proto/elastic/dep_trace.h"
#include "proto/io/usual.h"
#include "proto/io/wire.h"

/* Field numbers of the numbers that change, and behind the last field. */
enum {
    DEP_FIELD_SEQ_NUM = 1, DEP_FIELD_P_ADDR = 3, DEP_FIELD_ROB_DEP = 6, DEP_FIELD_COMP_DELAY = 7, DEP_FIELD_REG_DEP = 8,
    DEP_FIELD_V_ADDR = 11, DEP_FIELD_END = 16
};

enum { DEP_TEMPLATE_NUMBERS = 12, DEP_TEMPLATES = 2048, DEP_TEMPLATE_SEEN = USUAL_BYTES + 1 };
enum { DEP_TEMPLATE_PLACES = 4 * DEP_TEMPLATES };

typedef int32_t dep_lanes __attribute__((vector_size(16)));
typedef uint64_t dep_pairs __attribute__((vector_size(16)));

struct dep_template {
    /* The length and the message, and a mask of the bits that may differ. If all is zero, only messages of zero bits
     * match. */
    dep_pairs bytes[DEP_TEMPLATE_SEEN / 16], loose[DEP_TEMPLATE_SEEN / 16];
    dep_lanes narrow[DEP_TEMPLATE_NUMBERS / 4];      /* bits of numbers of up to four bytes */
    /* Of the numbers, in this order: seq_num, comp_delay, p_addr, v_addr, order and register dependences. */
    uint8_t at[DEP_TEMPLATE_NUMBERS];                /* places behind the length */
    uint64_t bytes_of[DEP_TEMPLATE_NUMBERS];         /* masks of eight bytes from there */
    uint8_t numbers, first_dep;
    bool is_wide;                                    /* some have more than four bytes */
    struct dep_template *followers[2];               /* the latest first */
    uint32_t constants[8];                           /* from dep_record's size_bytes to reg_dep_count */
    uint64_t pc;
    uint64_t alike;                                  /* of dep_record */
};

struct dep_templates {
    struct dep_template *last, *all;
    uint64_t numbers[DEP_TEMPLATE_NUMBERS];          /* of the record taken last */
    uint64_t learnt;                                 /* templates, forgotten ones, too */
    uint16_t count;
    uint16_t places[DEP_TEMPLATE_PLACES];            /* number of the latest template, by a hash of its message */
};

_Static_assert(offsetof(struct dep_record, reg_dep_count) + sizeof(uint32_t) - offsetof(struct dep_record, size_bytes)
               == sizeof ((struct dep_template *)NULL)->constants, "without gaps");

/* False: out of memory. */
bool dep_templates_init(struct dep_templates *templates);
void dep_templates_free(struct dep_templates *templates);

/* A message that proto/io/usual.h read and took for `record`. */
void dep_template_learn(struct dep_templates *templates, const uint8_t *message, unsigned length,
                        const struct dep_record *record);

/* DEP_TEMPLATE_SEEN bytes are readable behind `seen`, which is the length's place. */
USUAL_INLINE bool dep_template_is(const struct dep_template *template, const uint8_t *seen)
{
    dep_pairs differ = {0, 0};

    for (size_t i = 0; i < DEP_TEMPLATE_SEEN / 16; i++) {
        dep_pairs bytes;

        memcpy(&bytes, seen + 16 * i, sizeof bytes);
        differ |= (bytes ^ template->bytes[i]) & ~template->loose[i];
    }
    return (differ[0] | differ[1]) == 0;
}

/* The template of the message that followed the last one the last time: NULL if it does not match, or is wide. */
USUAL_INLINE const struct dep_template *dep_template_next(struct dep_templates *templates, const uint8_t *seen)
{
    struct dep_template *const next = templates->last->followers[0];

    if (__builtin_expect(!dep_template_is(next, seen) || next->is_wide, 0))
        return NULL;
    templates->last = next;
    return next;
}

/* Any template that matches, or NULL. */
const struct dep_template *dep_template_find(struct dep_templates *templates, const uint8_t *seen);

/* A number as encoded in the message, its first byte lowest. */
USUAL_INLINE uint64_t dep_template_raw(const struct dep_template *template, const uint8_t *message, unsigned number)
{
    return bits_load64(message + template->at[number]) & template->bytes_of[number];
}

/* The first two numbers, seq_num and comp_delay, of their raw ones: wire_varint_squeeze of both. */
USUAL_INLINE dep_pairs dep_template_squeeze_two(dep_pairs raw)
{
    static const dep_pairs groups = {UINT64_C(0x7f7f7f7f7f7f7f7f), UINT64_C(0x7f7f7f7f7f7f7f7f)};
    static const dep_pairs ones = {UINT64_C(0x7f007f007f007f00), UINT64_C(0x7f007f007f007f00)};
    static const dep_pairs twos = {UINT64_C(0x3fff00003fff0000), UINT64_C(0x3fff00003fff0000)};
    static const dep_pairs fours = {UINT64_C(0x0fffffff00000000), UINT64_C(0x0fffffff00000000)};

    raw &= groups;
    raw -= (raw & ones) >> 1;
    raw = (raw & ~twos) | (raw & twos) >> 2;
    return (raw & ~fours) | (raw & fours) >> 4;
}

/* Four numbers of up to four bytes. */
USUAL_INLINE dep_lanes dep_template_four(const struct dep_template *template, const uint8_t *message, unsigned first)
{
    const uint8_t *const at = template->at + first;
    dep_lanes const words = {(int32_t)bits_load32(message + at[0]), (int32_t)bits_load32(message + at[1]),
                             (int32_t)bits_load32(message + at[2]), (int32_t)bits_load32(message + at[3])};
    dep_lanes const groups = words & template->narrow[first / 4];
    dep_lanes const pairs = groups - ((groups & 0x7f007f00) >> 1), high = pairs >> 16;

    return pairs - (high << 16) + (high << 14);
}

/* Numbers of up to four bytes. False: a dependence is not on an earlier number, or the record's own is 0. */
USUAL_INLINE bool dep_template_take_narrow(struct dep_templates *templates, const struct dep_template *template,
                                           const uint8_t *message)
{
    static const dep_lanes is_none[] = {[2] = {-1, -1, 0, 0}, [3] = {-1, -1, -1, 0}, [4] = {-1, -1, -1, -1}};
    dep_lanes numbers = dep_template_four(template, message, 0);
    dep_lanes const seq_num = {numbers[0], numbers[0], numbers[0], numbers[0]};
    dep_lanes is_earlier = (numbers < seq_num) | is_none[template->first_dep];
    dep_pairs all;

    for (unsigned i = 0; i < 4; i++)
        templates->numbers[i] = (uint32_t)numbers[i];
    for (unsigned first = 4; first < template->numbers; first += 4) {
        numbers = dep_template_four(template, message, first);
        is_earlier &= numbers < seq_num;
        for (unsigned i = 0; i < 4; i++)
            templates->numbers[first + i] = (uint32_t)numbers[i];
    }
    memcpy(&all, &is_earlier, sizeof all);
    return (all[0] & all[1]) == UINT64_MAX;
}

/* The same for any numbers. */
bool dep_template_take_wide(struct dep_templates *templates, const struct dep_template *template,
                            const uint8_t *message);

/* `message` begins behind the length; `may_be_wide` is a constant where this is called. False: as above. */
USUAL_INLINE bool dep_template_take(struct dep_templates *templates, const struct dep_template *template,
                                    const uint8_t *message, bool may_be_wide, struct dep_record *record)
{
    uint64_t const *const numbers = templates->numbers;
    unsigned const first_dep = template->first_dep;
    bool const good = may_be_wide && template->is_wide ? dep_template_take_wide(templates, template, message)
                                                       : dep_template_take_narrow(templates, template, message);

    memcpy((char *)record + offsetof(struct dep_record, size_bytes), template->constants, sizeof template->constants);
    record->pc = template->pc;
    record->alike = template->alike;
    record->seq_num = numbers[0];
    record->comp_delay = numbers[1];
    record->p_addr = record->present & DEP_HAS_P_ADDR ? numbers[2] : 0;
    record->v_addr = record->present & DEP_HAS_V_ADDR ? numbers[first_dep - 1] : 0;
    record->rob_dep = numbers + first_dep;
    record->reg_dep = numbers + first_dep + record->rob_dep_count;
    return good;
}

#endif
