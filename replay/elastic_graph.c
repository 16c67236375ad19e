/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the oldest member of the in-flight
 * map of 2.3, which is looked for only when a lower bound does not do. Not modelled here: when nodes issue and execute
 * (elastic_data.c).
 *
 * Finding a parent. A store tells how many records back it stands; what lies too far back for that is searched for,
 * seldom. For a reader's records newest_by_seq maps the low bits of a sequence number to the last record that has
 * them. If the record found has a smaller number than the wanted one, the wanted one is not in the ring, else it would
 * be that record or an earlier one. If it has a larger number, a younger record hides the wanted one, and the ring,
 * whose sequence numbers rise, is searched by halving; with a table of twice the ring's places that is rare.
 *
 * Invariants: live nodes lie in [first_record, next_record), which is never longer than the ring; places of that
 * range keep their sequence number even when their node is gone. */
#include "replay/elastic_graph.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLACES (UINT64_C(1) << 30)
#define EDGES_PER_NODE 4

static bool is_live(const struct elastic_graph *graph, uint32_t place)
{
    return graph->states[place] >= ELASTIC_WAITING;
}

static void remember_seq(struct elastic_graph *graph, uint64_t seq_num, uint64_t record)
{
    graph->newest_by_seq[seq_num & graph->seq_mask] = (uint32_t)record;
}

/* The first edge that is still in use. */
static uint32_t first_edge(const struct elastic_graph *graph)
{
    return graph->first_record == graph->next_record ? graph->next_edge
                                                     : graph->nodes[graph->first_record & graph->mask].first_edge;
}

static bool allocate(struct elastic_graph *graph, uint64_t places, uint64_t edge_places)
{
    graph->nodes = calloc(places, sizeof *graph->nodes);
    graph->accesses = calloc(places, sizeof *graph->accesses);
    graph->open_dependences = calloc(places, sizeof *graph->open_dependences);
    graph->states = calloc(places, sizeof *graph->states);
    graph->newest_by_seq = calloc(2 * places, sizeof *graph->newest_by_seq);
    graph->edges = malloc((places + edge_places) * sizeof *graph->edges);
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    graph->first_of_ring = (uint32_t)places;
    graph->edge_mask = (uint32_t)(edge_places - 1);
    return graph->nodes && graph->accesses && graph->open_dependences && graph->states
        && graph->newest_by_seq && graph->edges;
}

static void free_arrays(struct elastic_graph *graph)
{
    free(graph->nodes);
    free(graph->accesses);
    free(graph->open_dependences);
    free(graph->states);
    free(graph->newest_by_seq);
    free(graph->edges);
}

/* Copies what follows an edge of the old arrays, a head or one of the ring. */
static uint32_t move_edge(const struct elastic_graph *graph, const struct elastic_graph *old, uint32_t edge,
                          uint64_t record)
{
    if (edge < old->first_of_ring)
        return elastic_head_edge(elastic_graph_place(graph, record));
    return graph->first_of_ring + ((edge - old->first_of_ring - first_edge(old)) & old->edge_mask);
}

/* The list of dependents of a live record. */
static void move_list(struct elastic_graph *graph, const struct elastic_graph *old, uint64_t record)
{
    uint32_t const last = old->nodes[record & old->mask].last_edge;
    uint32_t edge = elastic_head_edge(elastic_graph_place(old, record));

    graph->nodes[record & graph->mask].last_edge = move_edge(graph, old, last, record);
    while (edge != last) {
        uint32_t const next = old->edges[edge].next;
        uint32_t const child = old->edges[next].child;
        uint64_t const number = elastic_graph_record(old, child & ~ELASTIC_EDGE_ORDER);
        uint32_t const moved = move_edge(graph, old, next, record);

        graph->edges[move_edge(graph, old, edge, record)].next = moved;
        graph->edges[moved].child = elastic_graph_place(graph, number) | (child & ELASTIC_EDGE_ORDER);
        edge = next;
    }
}

/* Moves all into rings of `places` nodes and `edge_places` edges. */
static struct fault resize(struct elastic_graph *graph, uint64_t places, uint64_t edge_places)
{
    struct elastic_graph old = *graph;

    if (places > MOST_PLACES || edge_places > MOST_PLACES)
        return fault_make(FAULT_MEMORY, "more than %llu records or dependences wait for each other",
                          (unsigned long long)MOST_PLACES);
    if (!allocate(graph, places, edge_places)) {
        free_arrays(graph);
        *graph = old;
        return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records",
                          (unsigned long long)places);
    }
    for (uint64_t place = 0; place < places; place++) {
        graph->edges[elastic_head_edge((uint32_t)place)].child = 0;
        graph->nodes[place].last_edge = elastic_head_edge((uint32_t)place);
    }
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        uint64_t const place = record & graph->mask, old_place = record & old.mask;

        graph->nodes[place] = old.nodes[old_place];
        graph->nodes[place].first_edge = (old.nodes[old_place].first_edge - first_edge(&old)) & old.edge_mask;
        graph->accesses[place] = old.accesses[old_place];
        graph->open_dependences[place] = old.open_dependences[old_place];
        graph->states[place] = old.states[old_place];
        remember_seq(graph, graph->accesses[place].seq_num, record);
        move_list(graph, &old, record);
    }
    graph->next_edge = (old.next_edge - first_edge(&old)) & old.edge_mask;
    free_arrays(&old);
    return fault_none();
}

static void find_room(struct elastic_graph *graph)
{
    graph->node_room = graph->mask + 1 - (graph->next_record - graph->first_record);
    graph->edge_room = graph->edge_mask - ((graph->next_edge - first_edge(graph)) & graph->edge_mask);
}

struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq)
{
    uint64_t rounded = 64;

    while (rounded < places && rounded < MOST_PLACES)
        rounded *= 2;
    *graph = (struct elastic_graph){.known_reach_seq = known_reach_seq, .oldest_in_flight = UINT64_MAX,
                                    .oldest_rob_number = UINT64_MAX};
    FAULT_TRY(resize(graph, rounded, EDGES_PER_NODE * rounded));
    find_room(graph);
    return fault_none();
}

void elastic_graph_free(struct elastic_graph *graph)
{
    free_arrays(graph);
    *graph = (struct elastic_graph){0};
}

struct fault elastic_graph_reserve(struct elastic_graph *graph, uint64_t dependences)
{
    uint64_t places = graph->mask + 1, edge_places = (uint64_t)graph->edge_mask + 1;

    while (graph->first_record < graph->next_record
           && !is_live(graph, elastic_graph_place(graph, graph->first_record)))
        graph->first_record++;
    find_room(graph);
    if (graph->node_room == 0)
        places *= 2;
    while (graph->edge_room + edge_places - (graph->edge_mask + UINT64_C(1)) < dependences)
        edge_places *= 2;
    if (places > graph->mask + 1 || edge_places > graph->edge_mask + UINT64_C(1))
        FAULT_TRY(resize(graph, places, edge_places));
    find_room(graph);
    return fault_none();
}

uint32_t elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num)
{
    uint64_t const guess = graph->newest_by_seq[seq_num & graph->seq_mask];
    uint32_t place = elastic_graph_place(graph, guess);
    uint64_t low = graph->first_record, high = graph->next_record;

    if (graph->known_reach_seq || graph->accesses[place].seq_num > seq_num) {
        while (high - low > 1) {
            uint64_t const middle = low + (high - low) / 2;

            if (graph->accesses[middle & graph->mask].seq_num <= seq_num)
                low = middle;
            else
                high = middle;
        }
        place = elastic_graph_place(graph, low);
    }
    return graph->accesses[place].seq_num == seq_num && is_live(graph, place) ? place : ELASTIC_NO_PLACE;
}

/* Place of the parent whose distance in records is not known; ELASTIC_NO_PLACE if it is not live. */
static uint32_t find_parent(const struct elastic_graph *graph, const struct store_record *record, uint32_t i)
{
    uint64_t const distance_seq = record->shape->seq_distance[i];

    return distance_seq < graph->known_reach_seq ? ELASTIC_NO_PLACE
                                                 : elastic_graph_find(graph, record->seq_num - distance_seq);
}

void elastic_graph_connect(struct elastic_graph *graph, const struct store_record *records, size_t count)
{
    struct elastic_node *const nodes = graph->nodes;
    struct elastic_edge *const edges = graph->edges;
    const uint8_t *const states = graph->states;
    uint32_t const mask = (uint32_t)graph->mask, edge_mask = graph->edge_mask, first_of_ring = graph->first_of_ring;
    uint32_t next_edge = graph->next_edge, most = 0;

    for (size_t i = 0; i < count; i++) {
        const struct store_shape *const shape = records[i].shape;
        const uint32_t *const distances = shape->record_distance;
        uint32_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
        uint32_t const place = elastic_graph_place(graph, graph->next_record);
        uint32_t added = 0;

        nodes[place].first_edge = next_edge;
        for (uint32_t k = 0; k < dependences; k++) {
            uint32_t const distance = distances[k];
            uint32_t const edge = first_of_ring + next_edge;
            uint32_t parent_place = (place - distance) & mask;
            struct elastic_node *parent;

            if (distance - 1 >= mask) {    /* 0, or too far back */
                parent_place = distance == 0 ? find_parent(graph, &records[i], k) : ELASTIC_NO_PLACE;
                if (parent_place == ELASTIC_NO_PLACE)
                    continue;
            }
            if (states[parent_place] < ELASTIC_WAITING)
                continue;
            parent = &nodes[parent_place];
            if (k < orders)
                edges[edge].child = place | ELASTIC_EDGE_ORDER;
            else if (orders > 0 && edges[parent->last_edge].child == (place | ELASTIC_EDGE_ORDER))
                continue;            /* it depends on the parent by order already: 2.4 */
            else
                edges[edge].child = place;
            edges[parent->last_edge].next = edge;
            parent->last_edge = edge;
            parent->dependents++;
            most = parent->dependents > most ? parent->dependents : most;
            next_edge = (next_edge + 1) & edge_mask;
            added++;
        }
        graph->open_dependences[place] = added;
        if (graph->known_reach_seq == 0)
            remember_seq(graph, records[i].seq_num, graph->next_record);
        graph->next_record++;
    }
    graph->edge_room -= (next_edge - graph->next_edge) & edge_mask;
    graph->next_edge = next_edge;
    graph->node_room -= count;
    if (most > graph->max_dependents)
        graph->max_dependents = most;
}

void elastic_graph_find_oldest(struct elastic_graph *graph)
{
    uint64_t record = graph->oldest_in_flight > graph->first_record ? graph->oldest_in_flight : graph->first_record;

    while (record < graph->next_record && graph->states[record & graph->mask] < ELASTIC_READY)
        record++;
    if (record < graph->next_record) {
        graph->oldest_in_flight = record;
        graph->oldest_rob_number = graph->nodes[record & graph->mask].rob_number;
    } else {
        graph->oldest_in_flight = graph->oldest_rob_number = UINT64_MAX;
    }
}
