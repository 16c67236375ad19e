/* Behind a row there are few others mostly, and of these the last one again; the root has one for each row. */
#include "proto/insn/rbt/rbt_encode.h"

#include <stdlib.h>

#include "base/list.h"

#define MOST (UINT32_MAX / 4)

static bool fit_firsts(struct rbt_paths *paths, const struct rbt_rows *rows)
{
    if (rows->room <= paths->first_room)
        return true;
    if (!list_extend(&paths->firsts, paths->first_room, rows->room, sizeof *paths->firsts, 0))
        return false;
    paths->first_room = rows->room;
    return true;
}

static uint32_t rbt_paths_add(struct rbt_paths *paths, struct rbt_path path)
{
    if (paths->count >= MOST || !list_fit(&paths->paths, paths->count + 2, &paths->room, sizeof *paths->paths))
        return RBT_NO_PATH;
    if (paths->count == 0)
        paths->paths[paths->count++] = (struct rbt_path){.row = RBT_NO_ROW, .run = RBT_NO_RUN};
    paths->paths[paths->count] = path;
    return paths->count++;
}

static uint32_t first_step(struct rbt_paths *paths, const struct rbt_rows *rows, uint32_t row)
{
    if (!fit_firsts(paths, rows))
        return RBT_NO_PATH;
    if (paths->firsts[row] == RBT_NO_PATH)
        paths->firsts[row] = rbt_paths_add(paths, (struct rbt_path){.row = row, .run = RBT_NO_RUN, .depth = 1});
    return paths->firsts[row];
}

uint32_t rbt_paths_step(struct rbt_paths *paths, const struct rbt_rows *rows, uint32_t path, uint32_t row)
{
    uint32_t child;

    if (path == RBT_ROOT)
        return first_step(paths, rows, row);
    child = paths->paths[path].child;
    if (child != RBT_NO_PATH && paths->paths[child].row == row)
        return child;
    for (uint32_t before = child; before != RBT_NO_PATH; before = paths->paths[before].sibling) {
        uint32_t const at = paths->paths[before].sibling;

        if (at == RBT_NO_PATH || paths->paths[at].row != row)
            continue;
        paths->paths[before].sibling = paths->paths[at].sibling;
        paths->paths[at].sibling = child;
        paths->paths[path].child = at;
        return at;
    }
    child = rbt_paths_add(paths, (struct rbt_path){.row = row, .parent = path, .sibling = child, .run = RBT_NO_RUN,
                                                   .depth = paths->paths[path].depth + 1});
    if (child != RBT_NO_PATH)
        paths->paths[path].child = child;
    return child;
}

void rbt_paths_rows(const struct rbt_paths *paths, uint32_t path, uint32_t *rows)
{
    for (uint32_t i = paths->paths[path].depth; i > 0; i--) {
        rows[i - 1] = paths->paths[path].row;
        path = paths->paths[path].parent;
    }
}

void rbt_paths_free(struct rbt_paths *paths)
{
    free(paths->paths);
    free(paths->firsts);
    *paths = (struct rbt_paths){0};
}
