/* A hash table of the pcs of a trace. */
#include "replay/window/pcs.h"

#include <stdlib.h>

#include "base/list.h"

enum {
    FIRST_ROOM = 1024,
    FIXED_SIZE = 1u << 4, EVEN_SIZES = 1u << 2 | 1u << 4, ODD_SIZES = (2u << RULE_LONGEST_INSTRUCTION) - 2
};

static size_t pcs_place_of(const struct window_pcs *pcs, uint64_t pc)
{
    return (size_t)((pc >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & pcs->mask;
}

static bool pcs_resize(struct window_pcs *pcs, size_t room)
{
    bool const has_pcs = list_resize(&pcs->all, room, sizeof *pcs->all);
    uint32_t *const places = calloc(room * 2, sizeof *places);

    if (!has_pcs || !places) {
        free(places);
        return false;
    }
    free(pcs->places);
    pcs->places = places;
    pcs->room = room;
    pcs->mask = room * 2 - 1;
    for (size_t i = 0; i < pcs->count; i++) {
        size_t place = pcs_place_of(pcs, pcs->all[i].pc);

        while (places[place])
            place = (place + 1) & pcs->mask;
        places[place] = (uint32_t)i + 1;
    }
    return true;
}

bool window_pcs_init(struct window_pcs *pcs)
{
    *pcs = (struct window_pcs){.lowest = UINT64_MAX, .sizes = FIXED_SIZE, .least_size = 4,
                                 .core = captured_core_reference()};
    for (size_t i = 0; i < WINDOW_PCS_ASKED; i++)
        pcs->asked[i].number = WINDOW_NO_PC;
    return pcs_resize(pcs, FIRST_ROOM);
}

void window_pcs_free(struct window_pcs *pcs)
{
    for (size_t i = 0; i < pcs->count; i++) {
        free(pcs->all[i].resolvers);
        free(pcs->all[i].waits);
    }
    free(pcs->all);
    free(pcs->places);
    *pcs = (struct window_pcs){.lowest = UINT64_MAX};
}

int32_t window_pcs_find(const struct window_pcs *pcs, uint64_t pc)
{
    for (size_t place = pcs_place_of(pcs, pc); pcs->places[place]; place = (place + 1) & pcs->mask)
        if (pcs->all[pcs->places[place] - 1].pc == pc)
            return (int32_t)pcs->places[place] - 1;
    return WINDOW_NO_PC;
}

static int32_t take_any(struct window_pcs *pcs, uint64_t pc)
{
    size_t place = pcs_place_of(pcs, pc);

    for (; pcs->places[place]; place = (place + 1) & pcs->mask)
        if (pcs->all[pcs->places[place] - 1].pc == pc)
            return (int32_t)pcs->places[place] - 1;
    if (pcs->count == pcs->room) {
        if (!pcs_resize(pcs, pcs->room * 2))
            return WINDOW_NO_PC;
        place = pcs_place_of(pcs, pc);
        while (pcs->places[place])
            place = (place + 1) & pcs->mask;
    }
    pcs->all[pcs->count] = (struct window_pc){
        .pc = pc, .far.least = UINT64_MAX, .all.least = UINT64_MAX, .least_other = UINT64_MAX,
        .resolver = WINDOW_NO_PC, .unit_before = WINDOW_NO_PC, .follower_pc = UINT64_MAX, .predicted = UINT64_MAX,
        .last_next = UINT64_MAX, .fastest = UINT64_MAX, .doubted = UINT64_MAX, .is_slow = true};
    pcs->lowest = pc < pcs->lowest ? pc : pcs->lowest;
    pcs->has_odd |= pc % 2 != 0;
    pcs->has_half |= pc % 4 != 0;
    pcs->sizes = pcs->has_odd ? ODD_SIZES : pcs->has_half ? EVEN_SIZES : FIXED_SIZE;
    pcs->least_size = pcs->has_odd ? 1 : pcs->has_half ? 2 : 4;
    pcs->highest = pc > pcs->highest ? pc : pcs->highest;
    pcs->places[place] = (uint32_t)++pcs->count;
    return (int32_t)pcs->count - 1;
}

int32_t window_pcs_take(struct window_pcs *pcs, uint64_t pc)
{
    size_t const slot = (size_t)(pc >> 1) % WINDOW_PCS_ASKED;

    if (pcs->asked[slot].pc != pc || pcs->asked[slot].number == WINDOW_NO_PC) {
        pcs->asked[slot].pc = pc;
        pcs->asked[slot].number = take_any(pcs, pc);
    }
    return pcs->asked[slot].number;
}
