/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the in-flight map of 2.3 as a bit
 * set with a cursor at its oldest member. Not modelled here: when nodes issue and execute (elastic_data.c).
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
#define MOST_EDGES (UINT64_C(1) << 31)
#define FIRST_EDGES 4096             /* a power of two */

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

/* Edges name their children by place. */
static void move_children(struct elastic_graph *graph, const struct elastic_graph *old)
{
    uint64_t const newest = old->next_record - 1;

    for (uint32_t edge = first_edge(old); edge != old->next_edge; edge = (edge + 1) & old->edge_mask) {
        uint32_t const child = graph->edges[edge].child;
        uint64_t const place = child & ~ELASTIC_EDGE_ORDER;
        uint64_t const record = newest - ((newest - place) & old->mask);

        graph->edges[edge].child = (uint32_t)(record & graph->mask) | (child & ELASTIC_EDGE_ORDER);
    }
}

static bool allocate(struct elastic_graph *graph, uint64_t places)
{
    graph->nodes = calloc(places, sizeof *graph->nodes);
    graph->accesses = calloc(places, sizeof *graph->accesses);
    graph->open_dependences = calloc(places, sizeof *graph->open_dependences);
    graph->states = calloc(places, sizeof *graph->states);
    graph->in_flight = calloc((places + 63) / 64, sizeof *graph->in_flight);
    graph->newest_by_seq = calloc(2 * places, sizeof *graph->newest_by_seq);
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    return graph->nodes && graph->accesses && graph->open_dependences && graph->states && graph->in_flight
        && graph->newest_by_seq;
}

static void free_nodes(struct elastic_graph *graph)
{
    free(graph->nodes);
    free(graph->accesses);
    free(graph->open_dependences);
    free(graph->states);
    free(graph->in_flight);
    free(graph->newest_by_seq);
}

/* Moves the ring into one of `places` places. */
static struct fault resize(struct elastic_graph *graph, uint64_t places)
{
    struct elastic_graph old = *graph;

    if (!allocate(graph, places)) {
        free_nodes(graph);
        *graph = old;
        return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records",
                          (unsigned long long)places);
    }
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        uint64_t const place = record & graph->mask, old_place = record & old.mask;

        graph->nodes[place] = old.nodes[old_place];
        graph->accesses[place] = old.accesses[old_place];
        graph->open_dependences[place] = old.open_dependences[old_place];
        graph->states[place] = old.states[old_place];
        graph->in_flight[place / 64] |= (old.in_flight[old_place / 64] >> old_place % 64 & 1) << place % 64;
        remember_seq(graph, graph->accesses[place].seq_num, record);
    }
    move_children(graph, &old);
    free_nodes(&old);
    return fault_none();
}

/* Moves the edges into a ring in which `wanted` more have room. */
static struct fault grow_edges(struct elastic_graph *graph, uint64_t wanted)
{
    uint32_t const first = first_edge(graph), old_mask = graph->edge_mask;
    uint64_t const live = (graph->next_edge - first) & old_mask;
    uint64_t capacity = graph->edges ? (uint64_t)old_mask + 1 : FIRST_EDGES;
    struct elastic_edge *edges;

    while (live + wanted >= capacity)
        capacity *= 2;
    edges = capacity <= MOST_EDGES ? malloc(capacity * sizeof *edges) : NULL;
    if (!edges)
        return fault_make(FAULT_MEMORY, "out of memory for %llu dependences", (unsigned long long)capacity);
    for (uint32_t i = 0; i < live; i++) {
        const struct elastic_edge *const edge = &graph->edges[(first + i) & old_mask];

        edges[i] = (struct elastic_edge){(edge->next - first) & old_mask, edge->child};
    }
    for (uint64_t record = graph->first_record; record < graph->next_record; record++) {
        struct elastic_node *const node = &graph->nodes[record & graph->mask];

        node->first_edge = (node->first_edge - first) & old_mask;
        if (node->last_edge != ELASTIC_NO_EDGE)
            node->last_edge = (node->last_edge - first) & old_mask;
    }
    free(graph->edges);
    graph->edges = edges;
    graph->edge_mask = (uint32_t)(capacity - 1);
    graph->next_edge = (uint32_t)live;
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
    *graph = (struct elastic_graph){.known_reach_seq = known_reach_seq, .oldest_rob_number = UINT64_MAX};
    FAULT_TRY(resize(graph, rounded));
    FAULT_TRY(grow_edges(graph, 0));
    find_room(graph);
    return fault_none();
}

void elastic_graph_free(struct elastic_graph *graph)
{
    free_nodes(graph);
    free(graph->edges);
    *graph = (struct elastic_graph){0};
}

struct fault elastic_graph_reserve(struct elastic_graph *graph, uint64_t dependences)
{
    while (graph->first_record < graph->next_record && !is_live(graph, elastic_graph_place(graph, graph->first_record)))
        graph->first_record++;
    find_room(graph);
    if (graph->node_room == 0) {
        if (graph->mask + 1 >= MOST_PLACES)
            return fault_make(FAULT_MEMORY, "more than %llu records wait for each other",
                              (unsigned long long)MOST_PLACES);
        FAULT_TRY(resize(graph, 2 * (graph->mask + 1)));
    }
    if (graph->edge_room < dependences)
        FAULT_TRY(grow_edges(graph, dependences));
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

/* Place of a parent of the record to be added, if it is live. */
static inline uint32_t parent_of(const struct elastic_graph *graph, const struct store_record *record, uint32_t i)
{
    uint64_t const distance = record->shape->record_distance[i];
    uint64_t const distance_seq = record->shape->seq_distance[i];
    uint32_t const place = elastic_graph_place(graph, graph->next_record - distance);

    if (distance)
        return distance <= graph->mask && is_live(graph, place) ? place : ELASTIC_NO_PLACE;
    return distance_seq < graph->known_reach_seq ? ELASTIC_NO_PLACE
                                                 : elastic_graph_find(graph, record->seq_num - distance_seq);
}

uint32_t elastic_graph_add(struct elastic_graph *graph, const struct store_record *record, uint64_t address,
                           uint64_t delay_ps, uint64_t rob_number)
{
    const struct store_shape *const shape = record->shape;
    struct elastic_node *const nodes = graph->nodes;
    struct elastic_edge *const edges = graph->edges;
    uint32_t const edge_mask = graph->edge_mask, first = graph->next_edge;
    uint32_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
    uint32_t const place = elastic_graph_place(graph, graph->next_record);
    uint32_t edge = first, added = 0;

    assert(elastic_graph_has_room(graph, dependences) && !is_live(graph, place));
    for (uint32_t i = 0; i < dependences; i++) {
        uint32_t const parent_place = parent_of(graph, record, i);
        uint32_t const child = i < orders ? place | ELASTIC_EDGE_ORDER : place;
        struct elastic_node *parent;

        if (parent_place == ELASTIC_NO_PLACE)
            continue;
        parent = &nodes[parent_place];
        if (parent->last_edge == ELASTIC_NO_EDGE) {
            edges[edge].next = edge;
        } else {
            struct elastic_edge *const last = &edges[parent->last_edge];

            /* The parent's newest edge tells whether this child depends on it by order already: 2.4. */
            if (i >= orders && last->child == (place | ELASTIC_EDGE_ORDER))
                continue;
            edges[edge].next = last->next;
            last->next = edge;
        }
        edges[edge].child = child;
        parent->last_edge = edge;
        if (++parent->dependents > graph->max_dependents)
            graph->max_dependents = parent->dependents;
        edge = (edge + 1) & edge_mask;
        added++;
    }
    nodes[place].delay_ps = delay_ps;
    nodes[place].rob_number = rob_number;
    nodes[place].first_edge = first;
    nodes[place].last_edge = ELASTIC_NO_EDGE;
    nodes[place].dependents = 0;
    nodes[place].type = shape->type;
    graph->accesses[place] = (struct elastic_access){.address = address, .pc = shape->pc, .seq_num = record->seq_num,
                                                     .size_bytes = shape->size_bytes, .flags = shape->flags};
    graph->open_dependences[place] = added;
    graph->states[place] = ELASTIC_WAITING;
    if (graph->known_reach_seq == 0)
        remember_seq(graph, record->seq_num, graph->next_record);
    graph->next_edge = edge;
    graph->edge_room -= added;
    graph->node_room--;
    graph->next_record++;
    graph->live_count++;
    return place;
}

void elastic_graph_find_oldest(struct elastic_graph *graph, uint64_t record)
{
    uint64_t const words = (graph->mask + 1) / 64;
    uint64_t place = record & graph->mask;
    uint64_t word = place / 64;
    uint64_t bits;

    if (graph->in_flight_count == 0) {
        graph->oldest_rob_number = UINT64_MAX;
        return;
    }
    /* Members of the set lie behind `record`, less than a ring away, so the scan may wrap once. */
    bits = graph->in_flight[word] & (~UINT64_C(0) << place % 64);
    while (bits == 0) {
        word = (word + 1) & (words - 1);
        bits = graph->in_flight[word];
    }
    place = word * 64 + (unsigned)__builtin_ctzll(bits);
    graph->oldest_in_flight = record + ((place - record) & graph->mask);
    graph->oldest_rob_number = graph->nodes[place].rob_number;
}
