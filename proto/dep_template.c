/* Templates lie where the hash of their instruction and of their numbers' lengths says; a new one takes the place of
 * whatever was there. One that was replaced is still a follower of others, which only costs them a comparison. */
#include "proto/dep_template.h"

#include <stdlib.h>

enum { WIDEST = 8, NARROWEST = 4 };

bool dep_templates_init(struct dep_templates *templates)
{
    templates->all = calloc(DEP_TEMPLATES, sizeof *templates->all);
    return templates->all != NULL;
}

void dep_templates_free(struct dep_templates *templates)
{
    free(templates->all);
}

/* The template of a message; its followers are not touched. False: it can have none. */
static bool describe(struct dep_template *template, const uint8_t *message, unsigned length,
                     const struct dep_record *record)
{
    unsigned const p_addr = 2, v_addr = p_addr + !!(record->present & DEP_HAS_P_ADDR);
    unsigned const first_dep = v_addr + !!(record->present & DEP_HAS_V_ADDR);
    /* Where the next number of each field stands among the template's numbers; 0xff: it does not change. */
    uint8_t next[DEP_FIELD_END];
    uint8_t *const bytes = (uint8_t *)template->bytes, *const loose = (uint8_t *)template->loose;

    if ((uint64_t)first_dep + record->rob_dep_count + record->reg_dep_count > DEP_TEMPLATE_NUMBERS)
        return false;
    memset(next, 0xff, sizeof next);
    next[DEP_FIELD_SEQ_NUM] = 0;
    next[DEP_FIELD_COMP_DELAY] = 1;
    next[DEP_FIELD_P_ADDR] = (uint8_t)p_addr;
    next[DEP_FIELD_V_ADDR] = (uint8_t)v_addr;
    next[DEP_FIELD_ROB_DEP] = (uint8_t)first_dep;
    next[DEP_FIELD_REG_DEP] = (uint8_t)(first_dep + record->rob_dep_count);
    *template = (struct dep_template){
        .length = (uint8_t)length, .first_dep = (uint8_t)first_dep, .pc = record->pc,
        .numbers = (uint8_t)(first_dep + record->rob_dep_count + record->reg_dep_count)};
    memcpy(template->constants, (const char *)record + offsetof(struct dep_record, size_bytes),
           sizeof template->constants);
    bytes[0] = (uint8_t)length;
    memcpy(bytes + 1, message, length);
    memset(loose + 1 + length, 0xff, DEP_TEMPLATE_SEEN - 1 - length);
    for (unsigned at = 0, end; at < length; at = end) {
        uint8_t *const number = &next[message[at] >> 3];

        for (end = at + 1; message[end] >= 0x80; end++)
            ;
        end++;
        if (*number == 0xff)
            continue;
        if (end - at - 1 > WIDEST)
            return false;
        template->at[*number] = (uint8_t)(at + 1);
        template->more[*number] = (uint8_t)(end - at - 2);
        template->is_wide = template->is_wide || end - at - 1 > NARROWEST;
        bits_store32((uint8_t *)template->narrow + 4 * *number, UINT32_C(0x7f7f7f7f) >> (8 * (4 - (end - at - 1)) & 31));
        memset(loose + 1 + at + 1, 0x7f, end - at - 1);
        ++*number;
    }
    return true;
}

static uint32_t place_of(const struct dep_template *template)
{
    uint64_t hash = template->pc + ((uint64_t)template->length << 32) + ((uint64_t)template->numbers << 40);

    for (unsigned i = 0; i < DEP_TEMPLATE_NUMBERS; i++)
        hash = hash * 31 + template->more[i];
    return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DEP_TEMPLATES;
}

void dep_template_learn(struct dep_templates *templates, const uint8_t *message, unsigned length,
                        const struct dep_record *record)
{
    struct dep_template *const last = &templates->all[templates->last];
    struct dep_template template, *kept;

    if (!describe(&template, message, length, record))
        return;
    templates->last = (uint16_t)place_of(&template);
    last->followers[1] = last->followers[0];
    last->followers[0] = templates->last;
    kept = &templates->all[templates->last];
    if (dep_template_is(kept, message - 1))
        return;
    memcpy(template.followers, kept->followers, sizeof template.followers);
    *kept = template;
}
