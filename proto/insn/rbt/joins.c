#include "proto/insn/rbt/rbt_encode.h"

#include <stdlib.h>
#include <string.h>

#include "proto/insn/rbt/rbt_format.h"

/* Misses allowed to a new join before its hits are counted against them. */
enum { PATIENCE = 64, FIRST_ROOM = 1024 };

#define M UINT32_MAX
const uint32_t rbt_join_masks[RBT_JOIN_RUNS + 1][RBT_JOIN_RUNS] = {
    {0}, {M}, {M, M}, {M, M, M}, {M, M, M, M}, {M, M, M, M, M}, {M, M, M, M, M, M}, {M, M, M, M, M, M, M},
    {M, M, M, M, M, M, M, M}
};
#undef M

bool rbt_joins_begin(struct rbt_joins *joins, const struct rbt_runs *runs)
{
    uint32_t room = joins->count != 0 ? joins->count : FIRST_ROOM;
    struct rbt_join *more;

    joins->block++;
    joins->made = 0;
    if (runs->count <= joins->count)
        return true;
    while (room < runs->count)
        room *= 2;
    /* Aligned to cache lines, so not by base/list.h. */
    more = aligned_alloc(sizeof *more, room * sizeof *more);
    if (!more)
        return false;
    if (joins->count > 0)
        memcpy(more, joins->joins, joins->count * sizeof *more);
    memset(more + joins->count, 0, (room - joins->count) * sizeof *more);
    for (uint32_t i = joins->count; i < room; i++)
        more[i].count = 1;
    free(joins->joins);
    joins->joins = more;
    joins->count = room;
    return true;
}

/* How many runs at `now` are as they were at `before`: up to the last time that the first of them comes again, if it
 * does. At most `room` of them, which are together no more than a run may be. */
static uint32_t same_runs(const struct rbt_runs *all, const uint32_t *before, const uint32_t *now, uint32_t room)
{
    uint32_t same = 0, insns = 0, whole = 0;

    while (same < room && same < RBT_JOIN_RUNS && before[same] == now[same]) {
        const struct rbt_run *const run = &all->runs[rbt_run_number(now[same])];

        insns += run->insn_count;
        if (insns > RBT_RUN_INSNS)
            break;
        same++;
        if (run->is_irregular)
            break;
        whole = same < room && now[same] == now[0] ? same : whole;
    }
    return whole > 1 ? whole : same;
}

static bool make_join(struct rbt_joins *joins, struct rbt_join *join, struct rbt_runs *all, const struct rbt_rows *rows,
                      const uint32_t *runs, uint32_t count)
{
    uint32_t members[RBT_RUN_INSNS], insns = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct rbt_run *const run = &all->runs[rbt_run_number(runs[i])];

        memcpy(members + insns, all->rows + run->rows, run->insn_count * sizeof *members);
        insns += run->insn_count;
        join->runs[i] = runs[i];
    }
    if (!rbt_runs_add(all, rows, members, insns))
        return false;
    join->count = count;
    join->joined = all->count - 1;
    joins->made++;
    return true;
}

bool rbt_joins_learn(struct rbt_joins *joins, struct rbt_runs *all, const struct rbt_rows *rows, const uint32_t *runs,
                     uint32_t at, uint32_t count)
{
    struct rbt_join *const join = rbt_join_of(joins, runs[at]);
    const uint32_t *const before = join->block == joins->block && join->seen != 0 ? runs + join->seen - 1 : NULL;
    uint32_t same;

    if (join->lessons == RBT_JOIN_LESSONS || joins->made == RBT_RUNS_AT_ONCE)
        return true;
    join->seen = at + 1;
    join->block = joins->block;
    join->misses++;
    if (!before || (join->count > 1 && join->misses <= PATIENCE + join->hits / 2))
        return true;
    join->lessons++;
    join->count = 1;
    join->hits = join->misses = 0;
    same = same_runs(all, before, runs + at, count - at);
    return same <= 1 || make_join(joins, join, all, rows, runs + at, same);
}

void rbt_joins_free(struct rbt_joins *joins)
{
    free(joins->joins);
    *joins = (struct rbt_joins){0};
}
