#include "proto/insn/rbt/model_1.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES (sizeof(struct rbt_entry_1) * RBT_1_TABLES << RBT_1_TABLE_BITS)

bool rbt_model_fit_1(struct rbt_model_1 *model, const struct rbt_rows *rows)
{
    if (!model->tables) {
        model->tables = calloc(1, TABLE_BYTES);
        if (!model->tables)
            return false;
    }
    if (rows->count > model->row_room) {
        struct rbt_successors_1 *const more = realloc(model->successors, rows->room * sizeof *more);

        if (!more)
            return false;
        memset(more + model->row_room, 0xff, (rows->room - model->row_room) * sizeof *more);
        model->successors = more;
        model->row_room = rows->room;
    }
    if (rows->slot_count > model->slot_room) {
        struct rbt_slot_1 *const more = realloc(model->slots, rows->slot_room * sizeof *more);

        if (!more)
            return false;
        memset(more + model->slot_room, 0, (rows->slot_room - model->slot_room) * sizeof *more);
        model->slots = more;
        model->slot_room = rows->slot_room;
    }
    return true;
}

void rbt_model_reset_1(struct rbt_model_1 *model)
{
    struct rbt_model_1 const empty = {.successors = model->successors, .slots = model->slots, .tables = model->tables,
                                    .row_room = model->row_room, .slot_room = model->slot_room, .row = RBT_NO_ROW};

    if (model->tables)
        memset(model->tables, 0, TABLE_BYTES);
    if (model->row_room > 0)
        memset(model->successors, 0xff, model->row_room * sizeof *model->successors);
    if (model->slot_room > 0)
        memset(model->slots, 0, model->slot_room * sizeof *model->slots);
    *model = empty;
}

void rbt_model_free_1(struct rbt_model_1 *model)
{
    free(model->successors);
    free(model->slots);
    free(model->tables);
    *model = (struct rbt_model_1){.row = RBT_NO_ROW};
}
