/* Dependence graph: the records that were read and are not complete (elastic-trace 2.3 to 2.5), and which of them are
 * in flight.
 *
 * Nodes stand in a ring, at their record number (0, 1, 2, ... in file order); the ring doubles when a new record
 * would meet a live one. A dependence is an edge in the list of the parent, in the order in which children were read;
 * the child only counts how many it waits for. Edges of one child to one parent are all of one kind, because a
 * register dependence beside an order dependence is dropped (2.4); one edge stands for one occurrence in the record.
 * Edges stand in a ring of their own, in the order in which they were added, and are free again when the ring of nodes
 * has passed their child.
 *
 * Use: elastic_graph_init; elastic_graph_put and elastic_graph_connect for records; elastic_graph_reserve when there is
 * no room for the next; the caller walks edges when a node executes. Only elastic_graph_reserve allocates; places and
 * node pointers live until it is called.
 * Ownership: the graph owns all arrays; elastic_graph_free frees them. Units: picoseconds, bytes. */
#ifndef REPLAY_ELASTIC_GRAPH_H
#define REPLAY_ELASTIC_GRAPH_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"
#include "proto/store.h"

enum elastic_state {
    ELASTIC_GONE,                    /* complete, or a place never used */
    ELASTIC_STORE_SENT,              /* complete, but its write response is still to come */
    ELASTIC_WAITING,                 /* for dependences or resources; this and all below are in the graph */
    ELASTIC_READY,                   /* in the ready list */
    ELASTIC_LOAD_SENT                /* waits for its response */
};

#define ELASTIC_NO_PLACE UINT32_MAX

/* What issue and execution need of a record. */
struct elastic_node {
    uint64_t delay_ps;               /* from issue to execution; once a load was sent: the tick of that */
    uint64_t rob_number;             /* micro-ops up to this one, filtered ones included */
    uint32_t first_edge;             /* of the edges that the record brought; they belong to its parents */
    uint32_t last_edge;              /* newest dependent; the list's head if there is none */
    uint32_t dependents;             /* edges in the list */
    uint8_t type;                    /* enum dep_type */
};

/* What sending needs, and messages. */
struct elastic_access {
    uint64_t seq_num;
    uint64_t address, pc;            /* these of loads and stores only */
    uint32_t size_bytes, flags;
};

#define ELASTIC_EDGE_ORDER (UINT32_C(1) << 31)      /* an order dependence; else a register dependence */

struct elastic_edge {
    uint32_t next;                   /* newer one of the parent; of the newest one without meaning */
    uint32_t child;                  /* place in the ring of nodes, and ELASTIC_EDGE_ORDER */
};

/* Nodes lie in four arrays, so that what is touched often stays in the nearest cache. In flight are those that are
 * READY or LOAD_SENT. */
struct elastic_graph {
    struct elastic_node *nodes;
    struct elastic_access *accesses;
    uint32_t *open_dependences;      /* how many edges of live parents lead to the node */
    uint8_t *states;                 /* enum elastic_state */
    uint64_t mask;                   /* places in the ring - 1 */
    uint64_t first_record;           /* no live node is before it; found anew by elastic_graph_reserve */
    uint64_t next_record;            /* number of the record to be read next */
    uint64_t retired_count;          /* of all records before next_record, those that are complete */
    uint64_t in_flight_count;
    uint64_t oldest_in_flight;       /* no record before this one is in flight ... */
    uint64_t oldest_rob_number;      /* ... and none has a smaller rob_number; see elastic_graph_find_oldest */
    struct elastic_edge *edges;      /* first the heads of the nodes' lists, by place, then a ring of edges */
    uint32_t first_of_ring;          /* edges[first_of_ring + (0 .. edge_mask)] */
    uint32_t edge_mask;
    uint32_t next_edge;              /* how many were added, modulo the ring */
    uint64_t node_room, edge_room;   /* that many can be added before elastic_graph_reserve is due */
    uint64_t known_reach_seq;        /* an unknown distance in records means: no such record, if it is shorter */
    uint32_t *newest_by_seq;         /* by the low bits of seq_num: low bits of the last record that has them */
    uint64_t seq_mask;
    uint64_t max_dependents;         /* longest list seen when appending */
};

/* Room for `places` nodes at first, rounded up to a power of two. known_reach_seq: as in struct record_source. */
struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq);
void elastic_graph_free(struct elastic_graph *graph);

/* Makes room for one more record with `dependences` dependences. */
struct fault elastic_graph_reserve(struct elastic_graph *graph, uint64_t dependences);

static inline uint32_t elastic_graph_place(const struct elastic_graph *graph, uint64_t record)
{
    return (uint32_t)(record & graph->mask);
}

/* Head of the list of a node's dependents: its `next` is the oldest, if the list is not empty. */
static inline uint32_t elastic_head_edge(uint32_t place)
{
    return place;
}

/* Records are added in two steps, each a plain loop: first elastic_graph_put for some, in order, for which node_room
 * and edge_room must suffice; then elastic_graph_connect for all of them together. Sequence numbers must rise (the
 * reader sees to that). */
static inline void elastic_graph_put(struct elastic_graph *graph, uint64_t number, const struct store_record *record,
                                     uint64_t address, uint64_t delay_ps, uint64_t rob_number)
{
    const struct store_shape *const shape = record->shape;
    uint32_t const place = elastic_graph_place(graph, number);
    struct elastic_node *const node = &graph->nodes[place];
    struct elastic_access *const access = &graph->accesses[place];

    node->delay_ps = delay_ps;
    node->rob_number = rob_number;
    node->last_edge = elastic_head_edge(place);
    node->dependents = 0;
    node->type = shape->type;
    access->seq_num = record->seq_num;
    if (shape->type == DEP_LOAD || shape->type == DEP_STORE) {
        access->address = address;
        access->pc = shape->pc;
        access->size_bytes = shape->size_bytes;
        access->flags = shape->flags;
    }
    graph->states[place] = ELASTIC_WAITING;
}

/* Adds an edge for each dependence on a node that is live. */
void elastic_graph_connect(struct elastic_graph *graph, const struct store_record *records, size_t count);

/* Place of the live node with a sequence number; ELASTIC_NO_PLACE if complete, filtered or unknown. */
uint32_t elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num);

/* Is the place of `record` not yet used by a younger one? */
static inline bool elastic_graph_holds(const struct elastic_graph *graph, uint64_t record)
{
    return record < graph->next_record && graph->next_record - record <= graph->mask + 1;
}

/* Record number of a live node. */
static inline uint64_t elastic_graph_record(const struct elastic_graph *graph, uint32_t place)
{
    uint64_t const newest = graph->next_record - 1;

    return newest - ((newest - place) & graph->mask);
}

/* Place of the waiting node of an edge; children are live, so they lie in the ring. */
static inline uint32_t elastic_edge_child(const struct elastic_edge *edge)
{
    return edge->child & ~ELASTIC_EDGE_ORDER;
}

/* Records that were read and are not complete. */
static inline uint64_t elastic_graph_live_count(const struct elastic_graph *graph)
{
    return graph->next_record - graph->retired_count;
}

/* The node is complete and has no edges left. `state`: ELASTIC_GONE or ELASTIC_STORE_SENT. */
static inline void elastic_graph_retire(struct elastic_graph *graph, uint32_t place, enum elastic_state state)
{
    graph->states[place] = (uint8_t)state;
    graph->retired_count++;
}

/* The node becomes READY. */
static inline void elastic_graph_enter_flight(struct elastic_graph *graph, uint32_t place, uint64_t record)
{
    graph->states[place] = ELASTIC_READY;
    graph->in_flight_count++;
    if (record < graph->oldest_in_flight) {
        graph->oldest_in_flight = record;
        graph->oldest_rob_number = graph->nodes[place].rob_number;
    }
}

/* The caller changes the state. */
static inline void elastic_graph_leave_flight(struct elastic_graph *graph)
{
    graph->in_flight_count--;
}

/* From here on oldest_in_flight and oldest_rob_number are those of the oldest in flight; UINT64_MAX if there is
 * none. */
void elastic_graph_find_oldest(struct elastic_graph *graph);

#endif
