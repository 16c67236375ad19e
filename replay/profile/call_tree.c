#include "replay/profile/call_tree.h"

#include <stdlib.h>

#include "base/list.h"

#define PC_BITS 48

static uint32_t find_node(struct call_tree *tree, uint32_t parent, uint64_t entry)
{
    uint64_t const key = (uint64_t)parent << PC_BITS | (entry & ((UINT64_C(1) << PC_BITS) - 1));
    uint64_t *const place = number_map_put(&tree->places, key);

    if (!place) {
        tree->lacks_memory = true;
        return parent;
    }
    if (*place > 0)
        return (uint32_t)*place;
    if (tree->count == CALL_NODES || !list_fit(&tree->nodes, tree->count + 1, &tree->room, sizeof *tree->nodes)) {
        tree->lacks_memory |= tree->count < CALL_NODES;
        return parent;
    }
    tree->nodes[tree->count] = (struct call_node){.entry = entry, .parent = parent};
    *place = tree->count++;
    return (uint32_t)*place;
}

void call_tree_begin(struct call_tree *tree)
{
    if (!list_fit(&tree->nodes, 1, &tree->room, sizeof *tree->nodes)) {
        tree->lacks_memory = true;
        return;
    }
    tree->nodes[0] = (struct call_node){0};
    tree->count = 1;
}

void call_tree_free(struct call_tree *tree)
{
    free(tree->nodes);
    number_map_free(&tree->places);
    *tree = (struct call_tree){0};
}

void call_path_enter(struct call_tree *tree, struct call_path *path, uint64_t entry, uint64_t back)
{
    uint32_t const parent = path->depth > 0 ? path->frames[path->depth - 1].node : 0;

    if (path->depth == CALL_DEPTH || tree->count == 0)
        return;
    path->frames[path->depth].node = find_node(tree, parent, entry);
    path->frames[path->depth].back = back;
    path->depth++;
}

void call_path_leave(struct call_tree *tree, struct call_path *path, uint64_t to)
{
    for (unsigned depth = path->depth; depth-- > 1;)
        if (path->frames[depth].back == to) {
            path->depth = depth;
            return;
        }
    if (path->depth == 1) {              /* out of the function that the path began in */
        path->depth = 0;
        call_path_enter(tree, path, to, 0);
    }
}

void call_path_count(struct call_tree *tree, struct call_path *path, uint64_t pc, uint64_t cycles)
{
    if (path->depth == 0)
        call_path_enter(tree, path, pc, 0);
    if (path->depth > 0)
        tree->nodes[path->frames[path->depth - 1].node].cycles += cycles;
}
