#include "proto/insn/rbt/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/rbt/format.h"

#define MOST (UINT32_MAX / 4)

static bool make_room(struct rbt_runs *runs, unsigned rows, unsigned slots)
{
    if (runs->count >= MOST || !list_fit(&runs->runs, runs->count + 1, &runs->room, sizeof *runs->runs))
        return false;
    return runs->row_count < MOST && runs->slot_count < MOST
        && list_fit(&runs->rows, runs->row_count + rows, &runs->row_room, sizeof *runs->rows)
        && list_fit(&runs->slots, runs->slot_count + slots + RBT_SLOTS_SPARE, &runs->slot_room, sizeof *runs->slots);
}

uint32_t rbt_runs_add(struct rbt_runs *runs, struct rbt_rows *all, const uint32_t *rows, unsigned count)
{
    struct rbt_run run = {.rows = runs->row_count, .slots = runs->slot_count, .insn_count = (uint16_t)count};
    unsigned slots = 0;

    if (count == 0 || count > UINT16_MAX / RBT_REGULAR_ACCESSES)
        return RBT_NO_RUN;
    for (unsigned i = 0; i < count; i++) {
        const struct rbt_row *const row = &all->rows[rows[i]];
        unsigned const allowed = i + 1 == count ? RBT_HAS_TARGET : 0;

        if ((row->flags & ~allowed) != 0 || row->form != INSN_EXECUTED)
            return RBT_NO_RUN;
        slots += row->access_count;
    }
    if (!make_room(runs, count, slots))
        return RBT_NO_RUN;
    for (unsigned i = 0; i < count; i++) {
        struct rbt_row *const row = &all->rows[rows[i]];

        runs->rows[runs->row_count++] = rows[i];
        row->is_within_run |= i + 1 < count;
        for (unsigned k = 0; k < row->access_count; k++)
            runs->slots[runs->slot_count++] = row->first_slot + k;
    }
    run.slot_count = (uint16_t)slots;
    run.pc = all->rows[rows[0]].pc;
    run.first_row = rows[0];
    run.last_row = rows[count - 1];
    run.has_target = (all->rows[run.last_row].flags & RBT_HAS_TARGET) != 0;
    runs->runs[runs->count] = run;
    return runs->count++;
}

void rbt_runs_free(struct rbt_runs *runs)
{
    free(runs->runs);
    free(runs->rows);
    free(runs->slots);
    *runs = (struct rbt_runs){0};
}
