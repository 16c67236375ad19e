#include "proto/store/shape.h"

void store_lists_complete(struct store_lists *lists, uint32_t *edges, uint64_t known_reach_seq)
{
    uint64_t const orders = lists->rob_dep_count, dependences = orders + lists->reg_dep_count;
    struct store_edges gathered = {.edges = edges};

    for (uint64_t i = 0; i < dependences; i++) {
        if (i == orders)
            store_edges_end_orders(&gathered, lists->reg_dep_count);
        if (lists->record_distance[i] != 0)
            store_edges_add(&gathered, lists->record_distance[i], i < orders);
        else if (lists->seq_distance[i] >= known_reach_seq)
            gathered.has_unknown = true;
    }
    store_edges_finish(&gathered, lists);
}
