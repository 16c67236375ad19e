/* Templates are found by a hash of the distinguishing parts of a message: its length, the ends of its numbers, and its
 * last bytes, which hold the pc. Each hash keeps its latest template only. When the table is full, all templates are
 * dropped, which costs less than tracking their use. Template 0 matches no usual message. */
#include "proto/elastic/dep_template.h"

#include <stdlib.h>

/* Bytes of a number; a field's place among the numbers if it is none. */
enum { WIDEST = 8, NARROW = 4, UNCHANGED = 0xff };

static void forget_all(struct dep_templates *templates)
{
    memset(templates->places, 0, sizeof templates->places);
    templates->count = 1;
    templates->last = templates->all;
    templates->all[0].followers[0] = templates->all[0].followers[1] = templates->all;
}

bool dep_templates_init(struct dep_templates *templates)
{
    templates->all = malloc(DEP_TEMPLATES * sizeof *templates->all);
    if (templates->all == NULL)
        return false;
    templates->all[0] = (struct dep_template){0};    /* the others are learnt first */
    forget_all(templates);
    return true;
}

void dep_templates_free(struct dep_templates *templates)
{
    free(templates->all);
}

static uint16_t *dep_template_place_of(struct dep_templates *templates, const uint8_t *seen)
{
    unsigned const length = seen[0];
    uint64_t const tail = length > 4 ? bits_load32(seen + 1 + length - 4) : 0;
    uint64_t const hash = usual_ends(seen + 1, length) * UINT64_C(0x9e3779b97f4a7c15) + tail;

    return &templates->places[hash * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (DEP_TEMPLATE_PLACES - 1)];
}

static void dep_template_follow(struct dep_templates *templates, struct dep_template *next)
{
    struct dep_template *const last = templates->last;

    last->followers[1] = last->followers[0];
    last->followers[0] = templates->last = next;
}

const struct dep_template *dep_template_find(struct dep_templates *templates, const uint8_t *seen)
{
    struct dep_template *const *const followers = templates->last->followers;
    struct dep_template *next = followers[0];

    if (dep_template_is(next, seen)) {
        templates->last = next;
        return next;
    }
    next = followers[1];
    if (!dep_template_is(next, seen)) {
        next = &templates->all[*dep_template_place_of(templates, seen)];
        if (!dep_template_is(next, seen))
            return NULL;
    }
    dep_template_follow(templates, next);
    return next;
}

bool dep_template_take_wide(struct dep_templates *templates, const struct dep_template *template,
                            const uint8_t *message)
{
    uint64_t *const numbers = templates->numbers;
    uint64_t latest = 0;

    for (unsigned i = 0; i < template->numbers; i++) {
        numbers[i] = wire_varint_squeeze(dep_template_raw(template, message, i));
        if (i >= template->first_dep)
            latest = numbers[i] > latest ? numbers[i] : latest;
    }
    return latest < numbers[0];
}

/* The template of a message. False: it can have none. */
static bool dep_template_describe(struct dep_template *template, const uint8_t *message, unsigned length,
                                  const struct dep_record *record)
{
    unsigned const p_addr = 2, v_addr = p_addr + !!(record->present & DEP_HAS_P_ADDR);
    unsigned const first_dep = v_addr + !!(record->present & DEP_HAS_V_ADDR);
    /* Index of each field's next number among the template's. */
    uint8_t next[DEP_FIELD_END];
    uint8_t *const bytes = (uint8_t *)template->bytes, *const loose = (uint8_t *)template->loose;
    uint8_t *const narrow = (uint8_t *)template->narrow;

    if ((uint64_t)first_dep + record->rob_dep_count + record->reg_dep_count > DEP_TEMPLATE_NUMBERS)
        return false;
    memset(next, UNCHANGED, sizeof next);
    next[DEP_FIELD_SEQ_NUM] = 0;
    next[DEP_FIELD_COMP_DELAY] = 1;
    next[DEP_FIELD_P_ADDR] = (uint8_t)p_addr;
    next[DEP_FIELD_V_ADDR] = (uint8_t)v_addr;
    next[DEP_FIELD_ROB_DEP] = (uint8_t)first_dep;
    next[DEP_FIELD_REG_DEP] = (uint8_t)(first_dep + record->rob_dep_count);
    *template = (struct dep_template){
        .first_dep = (uint8_t)first_dep, .pc = record->pc,
        .numbers = (uint8_t)(first_dep + record->rob_dep_count + record->reg_dep_count)};
    memcpy(template->constants, (const char *)record + offsetof(struct dep_record, size_bytes),
           sizeof template->constants);
    bytes[0] = (uint8_t)length;
    memcpy(bytes + 1, message, length);
    memset(loose + 1 + length, 0xff, DEP_TEMPLATE_SEEN - 1 - length);
    for (unsigned at = 0, width; at < length; at += 1 + width) {
        uint8_t *const number = &next[message[at] >> 3];

        for (width = 1; message[at + width] >= 0x80; width++)
            ;
        if (*number == UNCHANGED)
            continue;
        if (width > WIDEST)
            return false;
        template->at[*number] = (uint8_t)(at + 1);
        template->bytes_of[*number] = UINT64_MAX >> 8 * (WIDEST - width);
        template->is_wide = template->is_wide || width > NARROW;
        if (width <= NARROW)
            bits_store32(narrow + 4 * *number, UINT32_C(0x7f7f7f7f) >> 8 * (NARROW - width));
        memset(loose + 1 + at + 1, 0x7f, width);
        ++*number;
    }
    return true;
}

void dep_template_learn(struct dep_templates *templates, const uint8_t *message, unsigned length,
                        const struct dep_record *record)
{
    struct dep_template *template;

    if (templates->count == DEP_TEMPLATES)
        forget_all(templates);
    template = &templates->all[templates->count];
    if (!dep_template_describe(template, message, length, record))
        return;
    template->alike = ++templates->learnt;
    template->followers[0] = template->followers[1] = templates->all;
    *dep_template_place_of(templates, message - 1) = templates->count++;
    dep_template_follow(templates, template);
}
