/* Shapes of a block of dependence records, and the lists of dependences that belong to them.
 *
 * Use: store_shapes_init once; store_shapes_read for a block; then `shapes`, store_shapes_lists, store_shapes_asid,
 * until the next block is read; store_shapes_free. Shapes are read at once, with the fields that a replay needs of
 * each record; lists on request, which is rare.
 * Ownership: the table owns its arrays and borrows the block. */
#ifndef PROTO_STORE_SHAPES_H
#define PROTO_STORE_SHAPES_H

#include "proto/store/store.h"
#include "proto/store/store_format.h"

struct store_shapes {
    struct store_shape *shapes, *instructions;       /* STORE_BLOCK_SHAPES each; shapes at a host's line each */
    uint32_t *asids;                 /* of the instructions */
    uint64_t *values;
    uint32_t instruction_count, value_count;
    const uint8_t *text, *text_end;  /* the block's column of shapes */
    bool are_plain;                  /* accesses have an address, others have none, and no seq_delta is huge: below
                                      * 2^47 */
    uint64_t record_reach, seq_reach;        /* no distance of the block is longer */
    uint64_t delay_unit;             /* greatest common divisor of the block's values; 1 if they are all 0 */
    uint64_t longest_delay;          /* no value is larger */
    uint32_t *record_distances, *edges;      /* of the shape whose lists were requested last */
    uint64_t *seq_distances;
    size_t list_room;                /* of these; there is enough for all shapes */
};

/* False: out of memory; store_shapes_free is due all the same. */
bool store_shapes_init(struct store_shapes *table);
void store_shapes_free(struct store_shapes *table);
/* False: the block makes no sense, or memory is short. */
bool store_shapes_read(struct store_shapes *table, const struct store_block *block);
/* Valid until the next call. False: the lists make no sense. */
bool store_shapes_lists(struct store_shapes *table, const struct store_shape *shape, struct store_lists *lists);
uint32_t store_shapes_asid(const struct store_shapes *table, const struct store_shape *shape);

/* Values derived from the dependences of a record, for makers of shapes and of lists of dependences.
 *
 * Use: store_edges_add for each order dependence of known distance, store_edges_end_orders, store_edges_add for each
 * register dependence, store_edges_finish. */

/* Edges of a record while they are gathered. At first all but `edges` is 0. */
struct store_edges {
    uint32_t *edges;
    uint32_t count;
    uint32_t linked;                 /* number of edges short enough for a link */
    uint32_t compared;               /* order edges compared with each register dependence */
    bool has_unknown;
};

static inline bool store_is_access(enum dep_type type)
{
    return type == DEP_LOAD || type == DEP_STORE;
}

/* A dependence of known distance. */
static inline void store_edges_add(struct store_edges *to, uint32_t distance, bool is_order)
{
    uint32_t const order_edge = store_edge(distance, true);

    for (uint32_t i = 0; !is_order && i < to->compared; i++)
        if (to->edges[i] == order_edge)
            return;
    to->edges[to->count++] = store_edge(distance, is_order);
    to->linked += distance <= STORE_LINK_REACH;
}

/* Ends the order dependences; `registers` register dependences follow. Lists too long to compare quickly are not
 * compared. */
static inline void store_edges_end_orders(struct store_edges *to, uint64_t registers)
{
    if (to->count * registers <= UINT64_C(1) << 16)
        to->compared = to->count;
    else
        to->has_unknown = true;
}

/* May edges of a record be links? `listed`: its dependences. */
static inline bool store_may_be_linked(uint64_t listed, bool has_unknown)
{
    return listed <= STORE_LINKED_DEPENDENCES && !has_unknown;
}

static inline void store_edges_finish(const struct store_edges *edges, struct store_lists *lists)
{
    uint64_t const listed = (uint64_t)lists->rob_dep_count + lists->reg_dep_count;

    lists->edges = edges->edges;
    lists->has_unknown = edges->has_unknown;
    lists->edge_count = edges->has_unknown ? 0 : edges->count;
    lists->linked_count = store_may_be_linked(listed, edges->has_unknown) ? edges->linked : 0;
}

#endif
