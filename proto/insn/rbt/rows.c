#include "proto/insn/rbt/rows.h"

#include <stdlib.h>

#include "base/list.h"
#include "proto/insn/rbt/rbt_format.h"

#define MOST (UINT32_MAX / 4)

bool rbt_rows_add(struct rbt_rows *rows, struct rbt_row row, const struct insn_access *accesses)
{
    if (rows->count >= MOST || rows->slot_count >= MOST
        || !list_fit_32(&rows->rows, rows->count + 1, &rows->room, sizeof *rows->rows)
        || !list_fit_32(&rows->accesses, rows->slot_count + RBT_REGULAR_ACCESSES, &rows->slot_room,
                        sizeof *rows->accesses))
        return false;
    row.first_slot = rows->slot_count;
    rows->rows[rows->count++] = row;
    if (row.flags & RBT_IRREGULAR) {
        rows->accesses[rows->slot_count++] = (struct insn_access){0};
        return true;
    }
    for (unsigned i = 0; i < row.access_count; i++)
        rows->accesses[rows->slot_count++] = (struct insn_access){
            .size_bytes = accesses[i].size_bytes, .is_write = accesses[i].is_write,
            .is_of_pc = accesses[i].is_of_pc, .back = accesses[i].back, .by = accesses[i].by};
    return true;
}

/* Compares rows, ignoring the origins of derived addresses. */
static bool is_like(const struct rbt_rows *rows, const struct rbt_row *row, const struct rbt_row *wanted,
                    const struct insn_access *wanted_accesses)
{
    const struct insn_access *const accesses = &rows->accesses[row->first_slot];

    if (row->form != wanted->form || row->kind != wanted->kind || row->branch != wanted->branch
        || row->flags != wanted->flags || row->access_count != wanted->access_count
        || row->size_bytes != wanted->size_bytes)
        return false;
    for (unsigned i = 0; i < wanted->access_count; i++)
        if (accesses[i].size_bytes != wanted_accesses[i].size_bytes
            || accesses[i].is_write != wanted_accesses[i].is_write)
            return false;
    return true;
}

bool rbt_rows_is(const struct rbt_rows *rows, uint32_t number, const struct rbt_row *wanted,
                 const struct insn_access *wanted_accesses)
{
    const struct rbt_row *const row = &rows->rows[number];
    const struct insn_access *const accesses = &rows->accesses[row->first_slot];

    if (!is_like(rows, row, wanted, wanted_accesses))
        return false;
    for (unsigned i = 0; i < wanted->access_count; i++)
        if (accesses[i].back != wanted_accesses[i].back || accesses[i].by != wanted_accesses[i].by
            || accesses[i].is_of_pc != wanted_accesses[i].is_of_pc)
            return false;
    return true;
}

bool rbt_rows_is_further(const struct rbt_rows *rows, const struct rbt_row *wanted, const struct insn_access *accesses)
{
    for (uint32_t at = wanted->next; at != RBT_NO_ROW; at = rows->rows[at].next)
        if (!is_like(rows, &rows->rows[at], wanted, accesses))
            return true;
    return false;
}

/* Accesses that are not derived have no `by`, so that they share one row. */
static bool is_within(uint64_t before, const struct insn_access *access)
{
    return access->back != 0 ? access->back <= before && !access->is_of_pc : access->is_of_pc || access->by == 0;
}

const struct insn *rbt_rows_within(uint64_t before, const struct insn *insn, struct insn_access *own,
                                   struct insn *copy)
{
    size_t within = 0;

    /* Others are irregular. */
    if (insn->access_count > RBT_REGULAR_ACCESSES)
        return insn;
    while (within < insn->access_count && is_within(before + within, &insn->accesses[within]))
        within++;
    if (within == insn->access_count)
        return insn;
    for (size_t i = 0; i < insn->access_count; i++) {
        const struct insn_access *const access = &insn->accesses[i];

        own[i] = is_within(before + i, access) ? *access
            : (struct insn_access){.address = access->address, .size_bytes = access->size_bytes,
                                   .is_write = access->is_write};
    }
    *copy = *insn;
    copy->accesses = own;
    return copy;
}

void rbt_rows_free(struct rbt_rows *rows)
{
    free(rows->rows);
    free(rows->accesses);
    *rows = (struct rbt_rows){0};
}
