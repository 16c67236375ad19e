/* Which calls led to where cycles went: a tree of functions by the pcs that they were entered at.
 *
 * Use: begin with {0} and call_tree_begin; a path a core, all zero at first; for each committed instruction
 * call_path_count, then, if it was a call or a return, call_path_enter or call_path_leave; call_tree_free.
 * A jump to another function (a tail call) is no call: its cycles are the function's that was called. A return that no
 * call of the path explains changes nothing, unless the path has begun inside its function.
 * Errors: lacks_memory; the tree is not whole then. Beyond CALL_DEPTH calls, or CALL_NODES places, a path gets no
 * longer. */
#ifndef REPLAY_PROFILE_CALL_TREE_H
#define REPLAY_PROFILE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"

enum { CALL_DEPTH = 128, CALL_NODES = 1 << 16 };

struct call_node {
    uint64_t entry;                      /* pc of the function's first instruction */
    uint64_t cycles;                     /* of its own, without those that it called */
    uint32_t parent;                     /* 0: the root, which is no function */
};

struct call_tree {
    struct call_node *nodes;
    size_t count, room;
    struct number_map places;            /* by parent and entry */
    bool lacks_memory;
};

struct call_path {
    struct { uint32_t node; uint64_t back; } frames[CALL_DEPTH];    /* back: where its return goes */
    unsigned depth;
};

void call_tree_begin(struct call_tree *tree);
void call_tree_free(struct call_tree *tree);

void call_path_count(struct call_tree *tree, struct call_path *path, uint64_t pc, uint64_t cycles);
void call_path_enter(struct call_tree *tree, struct call_path *path, uint64_t entry, uint64_t back);
void call_path_leave(struct call_tree *tree, struct call_path *path, uint64_t to);

#endif
