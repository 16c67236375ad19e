/* What follows from the dependences of a record, for those who make shapes and lists of them.
 *
 * Use: store_edges_add for each order dependence of known distance, store_edges_end_orders, store_edges_add for each
 * register dependence, store_edges_finish. */
#ifndef PROTO_STORE_SHAPE_H
#define PROTO_STORE_SHAPE_H

#include "proto/store/store.h"

/* Edges of a record while they are gathered. At first all but `edges` is 0. */
struct store_edges {
    uint32_t *edges;
    uint32_t count;
    uint32_t linked;                 /* of them, those that are not too long for a link */
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
