#include "proto/insn/rbt/rbt_encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/rbt/rbt_format.h"

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

/* Of a run that was not joined. */
static uint32_t target_bit(const struct rbt_run *run)
{
    return (uint32_t)run->has_target << RBT_ITEM_TARGETS_SHIFT;
}

/* The run that the path's rows are. False: out of memory. */
static bool make_run(struct rbt_groups *groups, const struct rbt_rows *rows, uint32_t number)
{
    struct rbt_path *const path = &groups->paths.paths[number];
    uint32_t members[RBT_RUN_INSNS];

    if (path->run != RBT_NO_RUN)
        return true;
    rbt_paths_rows(&groups->paths, number, members);
    if (!rbt_runs_add(&groups->runs, rows, members, path->depth))
        return false;
    path->run = groups->runs.count - 1;
    return true;
}

bool rbt_grouping_end(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping)
{
    uint32_t run;

    if (grouping->path == RBT_ROOT)
        return true;
    if (!make_run(groups, rows, grouping->path))
        return false;
    run = groups->paths.paths[grouping->path].run;
    grouping->runs[grouping->run_count++] = run | target_bit(&groups->runs.runs[run]);
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

uint32_t rbt_grouping_join(struct rbt_groups *groups, const struct rbt_rows *rows, const uint32_t *items,
                           unsigned count)
{
    uint32_t path = RBT_ROOT, targets = 0, insns = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct rbt_run *const run = rbt_item_run(groups, items[i]);

        targets += rbt_item_targets(items[i]);
        insns += run->insn_count;
        if ((items[i] & RBT_ITEM_LOOSE) || insns > RBT_RUN_INSNS || targets > RBT_ITEM_TARGETS)
            return RBT_NO_ITEM;
        for (unsigned k = 0; k < run->insn_count; k++) {
            path = rbt_paths_step(&groups->paths, rows, path, groups->runs.rows[run->rows + k]);
            if (path == RBT_NO_PATH)
                return RBT_NO_ITEM;
        }
    }
    if (path == RBT_ROOT || !make_run(groups, rows, path))
        return RBT_NO_ITEM;
    return groups->paths.paths[path].run | targets << RBT_ITEM_TARGETS_SHIFT;
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

/* NULL: out of memory. */
static struct rbt_taken *find_taken(struct rbt_groups *groups, uint32_t item)
{
    bool const is_loose = (item & RBT_ITEM_LOOSE) != 0;
    struct rbt_taken_list *const list = is_loose ? &groups->taken_loose : &groups->taken_runs;
    uint32_t const wanted = is_loose ? groups->loose.count : groups->runs.count;

    if (list->count < wanted) {
        uint32_t const room = wanted + wanted / 2;

        if (!list_resize(&list->items, room, sizeof *list->items))
            return NULL;
        for (uint32_t i = list->count; i < room; i++)
            list->items[i] = (struct rbt_taken){.from = RBT_NO_ITEM};
        list->count = room;
    }
    return &list->items[rbt_run_number(item)];
}

/* It became the runs from grouping->runs[first] on. */
static bool keep_taken(struct rbt_groups *groups, const struct rbt_grouping *grouping, uint32_t from, uint32_t first,
                       struct rbt_taken *taken)
{
    uint32_t const count = grouping->run_count - first;

    if (taken->run_room < count) {
        if (groups->became_count + count > UINT32_MAX
            || !list_fit(&groups->became, groups->became_count + count, &groups->became_room, sizeof *groups->became))
            return false;
        taken->runs = (uint32_t)groups->became_count;
        taken->run_room = count;
        groups->became_count += count;
    }
    if (count > 0)
        memcpy(groups->became + taken->runs, grouping->runs + first, count * sizeof *groups->became);
    taken->run_count = count;
    taken->from = from;
    taken->to = grouping->path;
    taken->next_pc = grouping->next_pc;
    return true;
}

/* Row by row; or as it was before, where it comes behind the same path. */
static bool take_rows(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                      uint32_t item)
{
    const struct rbt_runs *const runs = item & RBT_ITEM_LOOSE ? &groups->loose : &groups->runs;
    struct rbt_run const run = *rbt_item_run(groups, item);
    struct rbt_taken *taken = find_taken(groups, item);
    uint32_t const from = grouping->path, first = grouping->run_count;

    if (!taken)
        return false;
    if (taken->from == from) {
        if (taken->run_count > 0)
            memcpy(grouping->runs + first, groups->became + taken->runs, taken->run_count * sizeof *grouping->runs);
        grouping->run_count += taken->run_count;
        grouping->path = taken->to;
        grouping->next_pc = taken->next_pc;
        return true;
    }
    for (uint32_t i = 0; i < run.insn_count; i++)
        if (!rbt_grouping_add(groups, rows, grouping, runs->rows[run.rows + i]))
            return false;
    return keep_taken(groups, grouping, from, first, taken);
}

/* Items that are no runs, or that follow incomplete runs, are taken row by row. */
static bool take_each(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (grouping->path == RBT_ROOT)
            i += take_runs(grouping, grouping->items + i, count - i);
        if (i < count && !take_rows(groups, rows, grouping, grouping->items[i]))
            return false;
    }
    return true;
}

bool rbt_grouping_take(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                       uint32_t count, uint32_t any)
{
    const uint32_t *const items = grouping->runs + grouping->run_count;
    bool good;

    grouping->recent_count = 0;
    if (grouping->path == RBT_ROOT && !(any & RBT_ITEM_LOOSE)) {
        grouping->run_count += count;
        return true;
    }
    if (!list_fit(&grouping->items, count, &grouping->item_room, sizeof *grouping->items))
        return false;
    memcpy(grouping->items, items, count * sizeof *items);
    good = take_each(groups, rows, grouping, count);
    grouping->recent_count = 0;
    return good;
}

void rbt_grouping_free(struct rbt_grouping *grouping)
{
    free(grouping->runs);
    free(grouping->recent);
    free(grouping->items);
    *grouping = (struct rbt_grouping){0};
}

void rbt_groups_free(struct rbt_groups *groups)
{
    rbt_runs_free(&groups->runs);
    rbt_runs_free(&groups->loose);
    free(groups->taken_runs.items);
    free(groups->taken_loose.items);
    free(groups->became);
    rbt_paths_free(&groups->paths);
}
