/* Modelled: elastic-trace 2.4 (de-duplication) and 2.5 (which parents count), and the in-flight map of 2.3 as a bit
 * set with a cursor at its oldest member. Not modelled here: when nodes issue and execute (elastic_data.c).
 *
 * Finding a parent. newest_by_seq maps the low bits of a sequence number to the last record that has them. If the
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
#define FIRST_EDGES 4096

static bool is_live(const struct elastic_node *node)
{
    return node->state >= ELASTIC_WAITING;
}

static void remember_seq(struct elastic_graph *graph, uint64_t seq_num, uint64_t record)
{
    graph->newest_by_seq[seq_num & graph->seq_mask] = (uint32_t)record;
}

/* Moves the ring into one of `places` places. */
static struct fault resize(struct elastic_graph *graph, uint64_t places)
{
    struct elastic_graph old = *graph;
    struct elastic_node *const nodes = calloc(places, sizeof *nodes);
    uint64_t *const in_flight = calloc((places + 63) / 64, sizeof *in_flight);
    uint32_t *const newest_by_seq = calloc(2 * places, sizeof *newest_by_seq);

    if (!nodes || !in_flight || !newest_by_seq) {
        free(nodes);
        free(in_flight);
        free(newest_by_seq);
        return fault_make(FAULT_MEMORY, "out of memory for a dependence graph of %llu records",
                          (unsigned long long)places);
    }
    graph->nodes = nodes;
    graph->in_flight = in_flight;
    graph->newest_by_seq = newest_by_seq;
    graph->mask = places - 1;
    graph->seq_mask = 2 * places - 1;
    graph->in_flight_count = 0;
    for (uint64_t record = old.first_record; record < old.next_record; record++) {
        nodes[record & graph->mask] = old.nodes[record & old.mask];
        remember_seq(graph, nodes[record & graph->mask].seq_num, record);
        if (old.in_flight[(record & old.mask) / 64] >> (record & old.mask) % 64 & 1)
            elastic_graph_enter_flight(graph, record);
    }
    free(old.nodes);
    free(old.in_flight);
    free(old.newest_by_seq);
    return fault_none();
}

static struct fault grow_edges(struct elastic_graph *graph, uint64_t wanted)
{
    uint64_t capacity = graph->edge_capacity ? graph->edge_capacity : FIRST_EDGES;
    struct elastic_edge *edges;

    while (capacity - graph->edge_capacity + graph->free_edge_count < wanted)
        capacity *= 2;
    edges = capacity < ELASTIC_NO_EDGE ? realloc(graph->edges, capacity * sizeof *edges) : NULL;
    if (!edges)
        return fault_make(FAULT_MEMORY, "out of memory for %llu dependences", (unsigned long long)capacity);
    graph->edges = edges;
    for (uint64_t i = capacity; i-- > graph->edge_capacity;) {
        edges[i].next = graph->free_edge;
        graph->free_edge = (uint32_t)i;
    }
    graph->free_edge_count += (uint32_t)(capacity - graph->edge_capacity);
    graph->edge_capacity = (uint32_t)capacity;
    return fault_none();
}

struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places)
{
    uint64_t rounded = 64;

    while (rounded < places && rounded < MOST_PLACES)
        rounded *= 2;
    *graph = (struct elastic_graph){.free_edge = ELASTIC_NO_EDGE};
    return resize(graph, rounded);
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
    if (graph->next_record - graph->first_record > graph->mask) {
        if (graph->mask + 1 >= MOST_PLACES)
            return fault_make(FAULT_MEMORY, "more than %llu records wait for each other",
                              (unsigned long long)MOST_PLACES);
        FAULT_TRY(resize(graph, 2 * (graph->mask + 1)));
    }
    if (graph->free_edge_count < dependences)
        return grow_edges(graph, dependences);
    return fault_none();
}

struct elastic_node *elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num)
{
    uint64_t const guess = graph->newest_by_seq[seq_num & graph->seq_mask];
    struct elastic_node *node = elastic_graph_node(graph, guess);
    uint64_t low = graph->first_record, high = graph->next_record;

    if (node->seq_num > seq_num) {
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

/* Appends the edge parent -> child. */
static void append_edge(struct elastic_graph *graph, struct elastic_node *parent, uint32_t child)
{
    uint32_t const edge = graph->free_edge;
    struct elastic_edge *const edges = graph->edges;

    graph->free_edge = edges[edge].next;
    graph->free_edge_count--;
    edges[edge].child = child;
    if (parent->last_edge == ELASTIC_NO_EDGE) {
        edges[edge].next = edge;
    } else {
        edges[edge].next = edges[parent->last_edge].next;
        edges[parent->last_edge].next = edge;
    }
    parent->last_edge = edge;
    if (++parent->dependents > graph->max_dependents)
        graph->max_dependents = parent->dependents;
}

struct elastic_node *elastic_graph_add(struct elastic_graph *graph, const struct dep_record *record, uint64_t delay_ps,
                                       uint64_t rob_number)
{
    uint64_t const number = graph->next_record;
    uint32_t const child = (uint32_t)number & (ELASTIC_EDGE_ORDER - 1);
    uint32_t open_dependences = 0;
    struct elastic_node *const node = elastic_graph_node(graph, number);

    assert(number - graph->first_record <= graph->mask && !is_live(node));
    for (uint32_t i = 0; i < record->rob_dep_count; i++) {
        struct elastic_node *const parent = elastic_graph_find(graph, record->rob_dep[i]);

        if (parent) {
            append_edge(graph, parent, child | ELASTIC_EDGE_ORDER);
            open_dependences++;
        }
    }
    for (uint32_t i = 0; i < record->reg_dep_count; i++) {
        struct elastic_node *const parent = elastic_graph_find(graph, record->reg_dep[i]);

        /* The parent's newest edge tells whether this child depends on it by order already: 2.4. */
        if (parent && (parent->last_edge == ELASTIC_NO_EDGE
                       || graph->edges[parent->last_edge].child != (child | ELASTIC_EDGE_ORDER))) {
            append_edge(graph, parent, child);
            open_dependences++;
        }
    }
    *node = (struct elastic_node){
        .seq_num = record->seq_num, .rob_number = rob_number, .delay_ps = delay_ps, .address = record->p_addr,
        .pc = record->pc, .size_bytes = record->size_bytes, .flags = record->flags, .last_edge = ELASTIC_NO_EDGE,
        .open_dependences = open_dependences, .type = record->type, .state = ELASTIC_WAITING};
    remember_seq(graph, record->seq_num, number);
    graph->next_record++;
    graph->live_count++;
    return node;
}

void elastic_graph_retire(struct elastic_graph *graph, uint64_t record, enum elastic_state state)
{
    struct elastic_node *const node = elastic_graph_node(graph, record);

    assert(is_live(node) && !(state >= ELASTIC_WAITING) && node->last_edge == ELASTIC_NO_EDGE);
    node->state = (uint8_t)state;
    graph->live_count--;
}

void elastic_graph_enter_flight(struct elastic_graph *graph, uint64_t record)
{
    uint64_t const place = record & graph->mask;

    graph->in_flight[place / 64] |= UINT64_C(1) << place % 64;
    if (graph->in_flight_count == 0 || record < graph->oldest_in_flight)
        graph->oldest_in_flight = record;
    graph->in_flight_count++;
}

void elastic_graph_leave_flight(struct elastic_graph *graph, uint64_t record)
{
    uint64_t place = record & graph->mask;
    uint64_t const words = (graph->mask + 1) / 64;
    uint64_t word = place / 64;
    uint64_t bits;

    graph->in_flight[word] &= ~(UINT64_C(1) << place % 64);
    graph->in_flight_count--;
    if (record != graph->oldest_in_flight || graph->in_flight_count == 0)
        return;
    /* Members of the set lie behind `record`, less than a ring away, so the scan may wrap once. */
    bits = graph->in_flight[word] & (~UINT64_C(0) << place % 64);
    while (bits == 0) {
        word = (word + 1) & (words - 1);
        bits = graph->in_flight[word];
    }
    place = word * 64 + (unsigned)__builtin_ctzll(bits);
    graph->oldest_in_flight = record + ((place - record) & graph->mask);
}
