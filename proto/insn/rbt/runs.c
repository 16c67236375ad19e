#include "proto/insn/rbt/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/rbt/rbt_format.h"

#define MOST (UINT32_C(1) << RBT_RUN_BITS)

static bool fit_run(struct rbt_runs *runs, unsigned rows)
{
    unsigned const slots = rows * RBT_REGULAR_ACCESSES;

    return runs->count < MOST && runs->row_count < MOST && runs->slot_count < MOST
        && list_fit(&runs->runs, runs->count + 1, &runs->room, sizeof *runs->runs)
        && list_fit(&runs->rows, runs->row_count + rows, &runs->row_room, sizeof *runs->rows)
        && list_fit(&runs->slots, runs->slot_count + slots + RBT_SLOTS_SPARE, &runs->slot_room, sizeof *runs->slots);
}

bool rbt_runs_add(struct rbt_runs *runs, const struct rbt_rows *all, const uint32_t *rows, unsigned count)
{
    const struct rbt_row *const last = &all->rows[rows[count - 1]];
    struct rbt_run run = {
        .pc = all->rows[rows[0]].pc, .rows = runs->row_count, .slots = runs->slot_count,
        .last_row = rows[count - 1], .insn_count = (uint16_t)count,
        .has_target = (last->flags & RBT_HAS_TARGET) != 0, .is_irregular = (last->flags & RBT_IRREGULAR) != 0};

    if (!fit_run(runs, count))
        return false;
    memcpy(runs->rows + runs->row_count, rows, count * sizeof *rows);
    runs->row_count += count;
    for (unsigned i = 0; i < count; i++) {
        const struct rbt_row *const row = &all->rows[rows[i]];

        runs->has_odd |= row->flags & RBT_IRREGULAR && i + 1 < count;
        for (unsigned k = 0; k < row->access_count; k++)
            if (!insn_access_follows(&all->accesses[row->first_slot + k]))
                runs->slots[runs->slot_count++] = row->first_slot + k;
    }
    run.slot_count = (uint16_t)(runs->slot_count - run.slots);
    runs->runs[runs->count++] = run;
    return true;
}

void rbt_runs_free(struct rbt_runs *runs)
{
    free(runs->runs);
    free(runs->rows);
    free(runs->slots);
    *runs = (struct rbt_runs){0};
}
