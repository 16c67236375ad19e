/* Open addressing by pc. The one of a pc that was met last heads a list of those with other bytes. */
#include "proto/insn/insn_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { FIRST_SLOTS = 1024 };
#define MOST (UINT32_MAX / 4)

static uint32_t insn_statics_slot_of(const struct insn_statics *statics, uint64_t pc)
{
    return (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (statics->slot_count - 1);
}

/* The pc's slot, or the empty one where it belongs. */
static uint32_t *find_slot(const struct insn_statics *statics, uint64_t pc)
{
    uint32_t at = insn_statics_slot_of(statics, pc);

    while (statics->slots[at] != 0 && statics->insns[statics->slots[at] - 1].pc != pc)
        at = (at + 1) & (statics->slot_count - 1);
    return &statics->slots[at];
}

static bool grow_slots(struct insn_statics *statics)
{
    struct insn_statics larger = *statics;

    larger.slot_count = statics->slot_count ? 2 * statics->slot_count : FIRST_SLOTS;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < statics->slot_count; i++)
        if (statics->slots[i] != 0)
            *find_slot(&larger, statics->insns[statics->slots[i] - 1].pc) = statics->slots[i];
    free(statics->slots);
    *statics = larger;
    return true;
}

static bool statics_fit(struct insn_statics *statics)
{
    return statics->count < MOST
        && list_fit_32(&statics->insns, statics->count + 1, &statics->room, sizeof *statics->insns)
        && (2 * statics->count < statics->slot_count || grow_slots(statics));
}

static bool insn_statics_is_same(const struct insn_static *insn, const uint8_t *bytes, size_t length)
{
    return insn->length == length && memcmp(insn->bytes, bytes, length) == 0;
}

/* Puts an older one of the list to its head. INSN_NO_STATIC: none has these bytes. */
static uint32_t recall(struct insn_statics *statics, uint32_t *slot, const uint8_t *bytes, size_t length)
{
    uint32_t const head = *slot - 1;

    for (uint32_t at = head; statics->insns[at].before != INSN_NO_STATIC; at = statics->insns[at].before) {
        uint32_t const older = statics->insns[at].before;

        if (!insn_statics_is_same(&statics->insns[older], bytes, length))
            continue;
        statics->insns[at].before = statics->insns[older].before;
        statics->insns[head].is_last = false;
        statics->insns[older].is_last = true;
        statics->insns[older].before = head;
        *slot = older + 1;
        return older;
    }
    return INSN_NO_STATIC;
}

uint32_t insn_statics_find(struct insn_statics *statics, uint64_t pc, const uint8_t *bytes, size_t length)
{
    uint32_t *slot = statics->slot_count > 0 ? find_slot(statics, pc) : NULL;
    struct insn_static *insn;

    if (slot && *slot != 0) {
        uint32_t older;

        if (length == 0 || insn_statics_is_same(&statics->insns[*slot - 1], bytes, length))
            return *slot - 1;
        older = recall(statics, slot, bytes, length);
        if (older != INSN_NO_STATIC)
            return older;
    }
    if (!statics_fit(statics))
        return INSN_NO_STATIC;
    slot = find_slot(statics, pc);
    insn = &statics->insns[statics->count];
    *insn = (struct insn_static){.pc = pc, .before = *slot - 1, .length = (uint8_t)length, .is_last = true};
    if (insn->before != INSN_NO_STATIC)
        statics->insns[insn->before].is_last = false;
    memcpy(insn->bytes, bytes, length);
    *slot = ++statics->count;
    return statics->count - 1;
}

void insn_statics_free(struct insn_statics *statics)
{
    free(statics->insns);
    free(statics->slots);
    *statics = (struct insn_statics){0};
}
