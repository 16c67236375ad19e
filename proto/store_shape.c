/* What follows from a shape's lists is found once, when the shape is read, so that a replay has no tests left for each
 * record. Distances that do not fit an edge give none: nobody keeps that many records. */
#include "proto/store.h"

#define MOST_DISTANCE (UINT32_MAX >> 1)

/* Each register dependence is compared with each order dependence; more than that many would take long. */
#define MOST_COMPARISONS (UINT64_C(1) << 16)

static bool contains(const uint32_t *edges, uint32_t count, uint32_t edge)
{
    for (uint32_t i = 0; i < count; i++)
        if (edges[i] == edge)
            return true;
    return false;
}

static bool must_be_searched(const struct store_shape *shape, uint64_t dependences, uint64_t known_reach_seq)
{
    for (uint64_t i = 0; i < dependences; i++)
        if (shape->record_distance[i] == 0 && shape->seq_distance[i] >= known_reach_seq)
            return true;
    return (uint64_t)shape->rob_dep_count * shape->reg_dep_count > MOST_COMPARISONS;
}

void store_shape_complete(struct store_shape *shape, uint32_t *edges, uint64_t known_reach_seq)
{
    const uint32_t *const distances = shape->record_distance;
    uint64_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
    uint32_t order_edges = 0, count = 0, longest = 0;

    shape->rob_step = 1 + (uint64_t)shape->weight;
    shape->is_access = shape->type == DEP_LOAD || shape->type == DEP_STORE;
    shape->edges = edges;
    shape->has_unknown = must_be_searched(shape, dependences, known_reach_seq);
    shape->edge_count = (uint32_t)dependences;
    shape->max_distance = UINT32_MAX;
    if (shape->has_unknown)
        return;
    for (uint64_t i = 0; i < dependences; i++) {
        uint32_t const distance = distances[i];
        bool const is_order = i < orders;

        if (distance - 1 >= MOST_DISTANCE || (!is_order && contains(edges, order_edges, store_edge(distance, true))))
            continue;
        edges[count++] = store_edge(distance, is_order);
        order_edges += is_order;
        longest = distance > longest ? distance : longest;
    }
    shape->edge_count = count;
    shape->max_distance = longest;
}
