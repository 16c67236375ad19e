/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the in-flight map of 2.3 as a bit
 * set with a cursor at its oldest member. Not modelled here: when nodes issue and execute (elastic_data.c).
 *
 * Finding a parent. A store tells how many records back it stands; what lies too far back for that is
 * searched for, seldom. For a reader's records newest_by_seq maps the low bits of a sequence number to the last record that has them. If the
 * record found has a smaller number than the wanted one, the wanted one is not in the ring, else it would be that
 * record or an earlier one. If it has a larger number, a younger record hides the wanted one, and the ring, whose
 * sequence numbers rise, is searched by halving; with a table of twice the ring's places that is rare.
 *
 * Invariants: live nodes lie in [first_record, next_record), which is never longer than the ring; places of that
 * range keep their sequence number even when their node is gone. */
#include "replay/elastic_graph.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLACES (UINT64_C(1) << 30)
#define MOST_EDGES (UINT64_C(1) << 31)
#define FIRST_EDGES 4096             /* a power of two */

static bool is_live(const struct elastic_node *node)
{
    return node->state >= ELASTIC_WAITING;
}

static void remember_seq(struct elastic_graph *graph, uint64_t seq_num, uint64_t record)
{
    graph->newest_by_seq[seq_num & graph->seq_mask] = (uint32_t)record;
}

/* The first edge that is still in use. */
static uint32_t first_edge(const struct elastic_graph *graph)
{
    return graph->first_record == graph->next_record ? graph->next_edge
                                                     : elastic_graph_node(graph, graph->first_record)->first_edge;
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

/* Moves the ring into one of `places` places. */
static struct fault resize(struct elastic_graph *graph, uint64_t places)
{
    struct elastic_graph old = *graph;
    struct elastic_node *const nodes = aligned_alloc(sizeof *nodes, places * sizeof *nodes);
    uint64_t *const in_flight = calloc((places + 63) / 64, sizeof *in_flight);
    uint32_t *const newest_by_seq = calloc(2 * places, sizeof *newest_by_seq);

    if (!nodes || !in_flight || !newest_by_seq) {
        free(nodes);
        free(in_flight);
        free(newest_by_seq);
        return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records",
                          (unsigned long long)places);
    }
    memset(nodes, 0, places * sizeof *nodes);
    graph->nodes = nodes;
    graph->in_flight = in_flight;
    graph->newest_by_seq = newest_by_seq;
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        uint64_t const place = record & graph->mask, old_place = record & old.mask;

        nodes[place] = old.nodes[old_place];
        remember_seq(graph, nodes[place].seq_num, record);
        in_flight[place / 64] |= (old.in_flight[old_place / 64] >> old_place % 64 & 1) << place % 64;
    }
    move_children(graph, &old);
    free(old.nodes);
    free(old.in_flight);
    free(old.newest_by_seq);
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
        struct elastic_node *const node = elastic_graph_node(graph, record);

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
    free(graph->nodes);
    free(graph->in_flight);
    free(graph->newest_by_seq);
    free(graph->edges);
    *graph = (struct elastic_graph){0};
}

struct fault elastic_graph_reserve(struct elastic_graph *graph, uint64_t dependences)
{
    while (graph->first_record < graph->next_record && !is_live(elastic_graph_node(graph, graph->first_record)))
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

struct elastic_node *elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num)
{
    uint64_t const guess = graph->newest_by_seq[seq_num & graph->seq_mask];
    struct elastic_node *node = elastic_graph_node(graph, guess);
    uint64_t low = graph->first_record, high = graph->next_record;

    if (graph->known_reach_seq || node->seq_num > seq_num) {
        while (high - low > 1) {
            uint64_t const middle = low + (high - low) / 2;

            if (elastic_graph_node(graph, middle)->seq_num <= seq_num)
                low = middle;
            else
                high = middle;
        }
        node = elastic_graph_node(graph, low);
    }
    return node->seq_num == seq_num && is_live(node) ? node : NULL;
}

/* The parent of the record to be added whose distance in records is not known, if it is live. */
static struct elastic_node *find_parent(const struct elastic_graph *graph, const struct store_record *record, uint32_t i)
{
    uint64_t const distance_seq = record->shape->seq_distance[i];

    return distance_seq < graph->known_reach_seq ? NULL : elastic_graph_find(graph, record->seq_num - distance_seq);
}

struct elastic_node *elastic_graph_add(struct elastic_graph *graph, const struct store_record *record,
                                       uint64_t address, uint64_t delay_ps, uint64_t rob_number)
{
    const struct store_shape *const shape = record->shape;
    const uint32_t *const distances = shape->record_distance;
    uint64_t const number = graph->next_record, mask = graph->mask;
    struct elastic_node *const nodes = graph->nodes;
    struct elastic_edge *const edges = graph->edges;
    uint32_t const edge_mask = graph->edge_mask, first = graph->next_edge;
    uint32_t const orders = shape->rob_dep_count, dependences = orders + shape->reg_dep_count;
    uint32_t const child = (uint32_t)(number & mask);
    uint64_t most = graph->max_dependents;
    uint32_t edge = first, added = 0;
    struct elastic_node *const node = &nodes[child];

    assert(elastic_graph_has_room(graph, dependences) && !is_live(node));
    for (uint32_t i = 0; i < dependences; i++) {
        uint64_t const distance = distances[i];
        struct elastic_node *const parent = distance ? &nodes[(number - distance) & mask] : find_parent(graph, record, i);
        uint32_t const order_child = child | ELASTIC_EDGE_ORDER;

        if (distance > mask || !parent || !is_live(parent))
            continue;
        if (parent->last_edge == ELASTIC_NO_EDGE) {
            edges[edge].next = edge;
        } else {
            struct elastic_edge *const last = &edges[parent->last_edge];

            /* The parent's newest edge tells whether this child depends on it by order already: 2.4. */
            if (i >= orders && last->child == order_child)
                continue;
            edges[edge].next = last->next;
            last->next = edge;
        }
        edges[edge].child = i < orders ? order_child : child;
        parent->last_edge = edge;
        edge = (edge + 1) & edge_mask;
        added++;
        if (++parent->dependents > most)
            most = parent->dependents;
    }
    graph->max_dependents = most;
    graph->next_edge = edge;
    graph->node_room--;
    graph->edge_room -= added;
    node->delay_ps = delay_ps;
    node->rob_number = rob_number;
    node->address = address;
    node->pc = shape->pc;
    node->seq_num = record->seq_num;
    node->flags = shape->flags;
    node->first_edge = first;
    node->last_edge = ELASTIC_NO_EDGE;
    node->dependents = 0;
    node->open_dependences = added;
    node->size_bytes = (uint16_t)(shape->size_bytes < ELASTIC_MOST_BYTES ? shape->size_bytes : ELASTIC_MOST_BYTES);
    node->type = shape->type;
    node->state = ELASTIC_WAITING;
    if (graph->known_reach_seq == 0)
        remember_seq(graph, record->seq_num, number);
    graph->next_record = number + 1;
    graph->live_count++;
    return node;
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
