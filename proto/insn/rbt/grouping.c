#include "proto/insn/rbt/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "proto/insn/rbt/format.h"
#include "proto/insn/rbt/joins.h"

enum { RECENT = 1024 };

bool rbt_grouping_begin(struct rbt_grouping *grouping)
{
    if (!grouping->runs)
        grouping->runs = malloc((RBT_BLOCK_INSNS + RBT_JOIN_RUNS) * sizeof *grouping->runs);
    if (!grouping->recent)
        grouping->recent = malloc(RECENT * sizeof *grouping->recent);
    return grouping->runs && grouping->recent;
}

bool rbt_ends_run(const struct rbt_row *row)
{
    return row->kind != ISA_OTHER || row->branch != INSN_BRANCH_UNKNOWN || row->flags != 0
        || row->form != INSN_EXECUTED;
}

static uint32_t target_bit(const struct rbt_run *run)
{
    return run->has_target ? RBT_ITEM_TARGET : 0;
}

bool rbt_grouping_end(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping)
{
    struct rbt_path *path;

    if (grouping->path == RBT_ROOT)
        return true;
    path = &groups->paths.paths[grouping->path];
    if (path->run == RBT_NO_RUN) {
        uint32_t members[RBT_RUN_INSNS];

        rbt_paths_rows(&groups->paths, grouping->path, members);
        if (!rbt_runs_add(&groups->runs, rows, members, path->depth))
            return false;
        path->run = groups->runs.count - 1;
    }
    grouping->runs[grouping->run_count++] = path->run | target_bit(&groups->runs.runs[path->run]);
    grouping->path = RBT_ROOT;
    return true;
}

bool rbt_grouping_add(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                      uint32_t number)
{
    const struct rbt_row *const row = &rows->rows[number];

    if (grouping->path != RBT_ROOT && row->pc != grouping->next_pc && !rbt_grouping_end(groups, rows, grouping))
        return false;
    grouping->path = rbt_paths_step(&groups->paths, rows, grouping->path, number);
    grouping->next_pc = row->pc + row->size_bytes;
    grouping->recent[grouping->recent_count++ % RECENT] = number;
    if (grouping->path == RBT_NO_PATH)
        return false;
    return (!row->ends_run && groups->paths.paths[grouping->path].depth < RBT_RUN_INSNS)
        || rbt_grouping_end(groups, rows, grouping);
}

/* ---- items */

/* The run of the file that these rows are; RBT_NO_RUN: parts of some, or several. */
static uint32_t whole_run(struct rbt_groups *groups, const struct rbt_rows *rows, const uint32_t *members,
                          unsigned count)
{
    uint64_t pc = rows->rows[members[0]].pc;
    uint32_t path = RBT_ROOT;

    for (unsigned i = 0; i < count; i++) {
        const struct rbt_row *const row = &rows->rows[members[i]];

        if (row->ends_run != (i + 1 == count) || row->pc != pc)
            return RBT_NO_RUN;
        pc += row->size_bytes;
        path = rbt_paths_step(&groups->paths, rows, path, members[i]);
        if (path == RBT_NO_PATH)
            return RBT_NO_RUN;
    }
    return groups->paths.paths[path].run;
}

static bool may_be_item(const struct rbt_rows *rows, const uint32_t *members, unsigned count)
{
    unsigned accesses = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct rbt_row *const row = &rows->rows[members[i]];
        unsigned const allowed = i + 1 == count ? RBT_HAS_TARGET : 0;

        if ((row->flags & ~allowed) != 0 || (row->form != INSN_EXECUTED && (row->form != INSN_REPEAT || count > 1)))
            return false;
        for (unsigned k = 0; k < row->access_count; k++, accesses++)
            if (rows->accesses[row->first_slot + k].back > accesses)
                return false;
    }
    return true;
}

uint32_t rbt_grouping_item(struct rbt_groups *groups, const struct rbt_rows *rows, const struct rbt_grouping *grouping,
                           unsigned count)
{
    uint32_t members[RECENT], run, item = 0;

    if (count == 0 || count > RECENT || grouping->recent_count < count)
        return RBT_NO_ITEM;
    for (unsigned i = 0; i < count; i++)
        members[i] = grouping->recent[(grouping->recent_count - count + i) % RECENT];
    if (!may_be_item(rows, members, count))
        return RBT_NO_ITEM;
    run = whole_run(groups, rows, members, count);
    if (run == RBT_NO_RUN) {
        if (!rbt_runs_add(&groups->loose, rows, members, count))
            return RBT_NO_ITEM;
        run = groups->loose.count - 1;
        item = RBT_ITEM_LOOSE;
    }
    item |= run;
    return item | target_bit(rbt_item_run(groups, item));
}

/* Those up to the next loose one are runs. */
static uint32_t take_runs(struct rbt_grouping *grouping, const uint32_t *items, uint32_t count)
{
    uint32_t *const to = grouping->runs + grouping->run_count;
    uint32_t taken = 0;

    for (; taken < count && !(items[taken] & RBT_ITEM_LOOSE); taken++)
        to[taken] = items[taken];
    grouping->run_count += taken;
    return taken;
}

/* What is no run, or comes behind rows that are none, is added row by row. */
static bool take_each(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                      const uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (grouping->path == RBT_ROOT)
            i += take_runs(grouping, items + i, count - i);
        if (i == count)
            return true;

        const struct rbt_runs *const runs = items[i] & RBT_ITEM_LOOSE ? &groups->loose : &groups->runs;
        const struct rbt_run run = *rbt_item_run(groups, items[i]);

        for (uint32_t k = 0; k < run.insn_count; k++)
            if (!rbt_grouping_add(groups, rows, grouping, runs->rows[run.rows + k]))
                return false;
    }
    return true;
}

bool rbt_grouping_take(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                       uint32_t count, uint32_t any)
{
    uint32_t *const items = grouping->runs + grouping->run_count;
    uint32_t *copy;
    bool good;

    if (grouping->path == RBT_ROOT && !(any & RBT_ITEM_LOOSE)) {
        grouping->run_count += count;
        grouping->recent_count = 0;
        return true;
    }
    copy = malloc(count * sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, items, count * sizeof *copy);
    good = take_each(groups, rows, grouping, copy, count);
    grouping->recent_count = 0;
    free(copy);
    return good;
}

void rbt_grouping_free(struct rbt_grouping *grouping)
{
    free(grouping->runs);
    free(grouping->recent);
    *grouping = (struct rbt_grouping){0};
}

void rbt_groups_free(struct rbt_groups *groups)
{
    rbt_runs_free(&groups->runs);
    rbt_runs_free(&groups->loose);
    rbt_paths_free(&groups->paths);
}
