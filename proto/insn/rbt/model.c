#include "proto/insn/rbt/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define TABLE_BYTES (sizeof(uint64_t) << RBT_TABLE_BITS)
#define LINK_BYTES (sizeof(int32_t) << RBT_LINK_BITS)

bool rbt_model_fit(struct rbt_model *model, const struct rbt_runs *runs, const struct rbt_rows *rows)
{
    if (!model->table)
        model->table = calloc(1, TABLE_BYTES);
    if (!model->links)
        model->links = calloc(1, LINK_BYTES);
    if (!model->wild)
        model->wild = malloc(RBT_MOST_WILD * sizeof *model->wild);
    if (!model->table || !model->links || !model->wild)
        return false;
    if (runs->count + RBT_RUNS_AT_ONCE >= model->successor_room) {
        uint32_t const room = runs->count + runs->count / 2 + RBT_RUNS_AT_ONCE + 64;

        if (!list_extend(&model->successors, model->successor_room, room, sizeof *model->successors, 0xff))
            return false;
        model->successor_room = room;
    }
    if (rows->slot_count > model->slot_room) {
        if (!list_extend(&model->slots, model->slot_room, rows->slot_room, sizeof *model->slots, 0))
            return false;
        model->slot_room = rows->slot_room;
    }
    return true;
}

void rbt_model_reset(struct rbt_model *model)
{
    struct rbt_model const empty = {.successors = model->successors, .slots = model->slots, .table = model->table,
                                    .links = model->links, .wild = model->wild, .successor_room = model->successor_room,
                                    .slot_room = model->slot_room};

    if (model->table)
        memset(model->table, 0, TABLE_BYTES);
    if (model->links)
        memset(model->links, 0, LINK_BYTES);
    if (model->successor_room > 0)
        memset(model->successors, 0xff, model->successor_room * sizeof *model->successors);
    if (model->slot_room > 0)
        memset(model->slots, 0, model->slot_room * sizeof *model->slots);
    *model = empty;
}

void rbt_model_calm(struct rbt_model *model)
{
    for (uint32_t i = 0; i < model->wild_count; i++)
        model->slots[model->wild[i]].about &= RBT_SLOT_WILD - 1;
    model->wild_count = 0;
}

void rbt_model_free(struct rbt_model *model)
{
    free(model->successors);
    free(model->slots);
    free(model->table);
    free(model->links);
    free(model->wild);
    *model = (struct rbt_model){0};
}
