#include "proto/store_shape.h"

void store_shape_complete(struct store_shape *shape, uint32_t *edges, uint64_t known_reach_seq)
{
    uint64_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
    struct store_edges gathered = {.edges = edges};

    store_shape_complete_constants(shape);
    for (uint64_t i = 0; i < dependences; i++) {
        if (i == orders)
            store_edges_end_orders(&gathered, shape->reg_dep_count);
        if (shape->record_distance[i] != 0)
            store_edges_add(&gathered, shape->record_distance[i], i < orders);
        else if (shape->seq_distance[i] >= known_reach_seq)
            gathered.has_unknown = true;
    }
    store_edges_finish(&gathered, shape);
}
