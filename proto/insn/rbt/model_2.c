#include "proto/insn/rbt/model_2.h"

#include <stdlib.h>
#include <string.h>

bool rbt_model_fit_2(struct rbt_model_2 *model, const struct rbt_rows *rows)
{
    struct rbt_slot_2 *more;

    if (rows->slot_count <= model->slot_room)
        return true;
    more = realloc(model->slots, rows->slot_room * sizeof *more);
    if (!more)
        return false;
    memset(more + model->slot_room, 0, (rows->slot_room - model->slot_room) * sizeof *more);
    model->slots = more;
    model->slot_room = rows->slot_room;
    return true;
}

void rbt_model_reset_2(struct rbt_model_2 *model)
{
    if (model->slot_room > 0)
        memset(model->slots, 0, model->slot_room * sizeof *model->slots);
}

void rbt_model_free_2(struct rbt_model_2 *model)
{
    free(model->slots);
    *model = (struct rbt_model_2){0};
}
