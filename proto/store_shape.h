/* What follows from a shape's fields and lists, found once, when the shape is read, so that a replay has no tests left for
 * each record. For the store's cursor, which gathers edges while it reads the lists; others call
 * store_shape_complete. */
#ifndef PROTO_STORE_SHAPE_H
#define PROTO_STORE_SHAPE_H

#include "proto/store.h"

/* Edges of a shape while they are gathered. At first all but `edges` is 0. */
struct store_edges {
    uint32_t *edges;
    uint32_t count, longest;
    uint32_t compared;               /* that many of the edges, order ones, are looked at for each register dependence */
    bool has_unknown;
};

static inline void store_shape_complete_constants(struct store_shape *shape)
{
    shape->rob_step = 1 + (uint64_t)shape->weight;
    shape->is_access = shape->type == DEP_LOAD || shape->type == DEP_STORE;
}

/* A dependence of known distance. */
static inline void store_edges_add(struct store_edges *to, uint32_t distance, bool is_order)
{
    uint32_t const order_edge = store_edge(distance, true);

    for (uint32_t i = 0; !is_order && i < to->compared; i++)
        if (to->edges[i] == order_edge)
            return;
    to->edges[to->count++] = store_edge(distance, is_order);
    to->longest = distance > to->longest ? distance : to->longest;
}

/* Order dependences are through; so many register dependences follow. Lists that would take long to compare are not. */
static inline void store_edges_end_orders(struct store_edges *to, uint64_t registers)
{
    if (to->count * registers <= UINT64_C(1) << 16)
        to->compared = to->count;
    else
        to->has_unknown = true;
}

static inline void store_edges_finish(const struct store_edges *edges, struct store_shape *shape)
{
    shape->edges = edges->edges;
    shape->has_unknown = edges->has_unknown;
    shape->edge_count = edges->has_unknown ? shape->rob_dep_count + shape->reg_dep_count : edges->count;
    shape->max_distance = edges->has_unknown ? UINT32_MAX : edges->longest;
}

#endif
