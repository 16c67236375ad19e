/* Dependence graph: the records that were read and are not complete (elastic-trace 2.3 to 2.5), and which of them are
 * in flight.
 *
 * Nodes stand in a ring, at their record number (0, 1, 2, ... in file order); the ring doubles when a new record
 * would meet a live one. A dependence is an edge in the list of the parent, in the order in which children were read;
 * the child only counts how many it waits for. Edges of one child to one parent are all of one kind, because a
 * register dependence beside an order dependence is dropped (2.4); one edge stands for one occurrence in the record.
 *
 * Use: elastic_graph_init; elastic_graph_reserve before an elastic_graph_add for which there is no room; the caller
 * walks edges when a node executes. Only elastic_graph_reserve allocates; node pointers live until it is called.
 * Ownership: the graph owns all arrays; elastic_graph_free frees them. Units: picoseconds, bytes. */
#ifndef REPLAY_ELASTIC_GRAPH_H
#define REPLAY_ELASTIC_GRAPH_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"
#include "proto/dep_trace.h"

#define ELASTIC_NO_EDGE UINT32_MAX

enum elastic_state {
    ELASTIC_GONE,                    /* complete, or a place never used */
    ELASTIC_STORE_SENT,              /* complete, but its write response is still to come */
    ELASTIC_WAITING,                 /* for dependences or resources; this and all below are in the graph */
    ELASTIC_READY,                   /* in the ready list */
    ELASTIC_LOAD_SENT                /* waits for its response */
};

struct elastic_node {
    uint64_t seq_num;
    uint64_t rob_number;             /* micro-ops up to this one, filtered ones included */
    uint64_t delay_ps;               /* from issue to execution; once a load was sent: the tick of that */
    uint64_t address, pc;
    uint32_t size_bytes, flags;
    uint32_t last_edge;              /* newest dependent, or ELASTIC_NO_EDGE; its `next` is the oldest */
    uint32_t dependents;             /* edges in the list */
    uint32_t open_dependences;
    uint8_t type;                    /* enum dep_type */
    uint8_t state;                   /* enum elastic_state */
};

#define ELASTIC_EDGE_ORDER (UINT32_C(1) << 31)      /* an order dependence; else a register dependence */

struct elastic_edge {
    uint32_t next;
    uint32_t child;                  /* low 31 bits of the record number, and ELASTIC_EDGE_ORDER */
};

struct elastic_graph {
    struct elastic_node *nodes;
    uint64_t mask;                   /* places in the ring - 1 */
    uint64_t first_record;           /* no live node is before it */
    uint64_t next_record;            /* number of the record to be read next */
    uint64_t live_count;
    uint64_t *in_flight;             /* a bit for each place of the ring */
    uint64_t in_flight_count;
    uint64_t oldest_in_flight;       /* record number; valid while in_flight_count > 0 */
    struct elastic_edge *edges;
    uint32_t edge_capacity, free_edge, free_edge_count;
    uint32_t *newest_by_seq;         /* by the low bits of seq_num: low bits of the last record that has them */
    uint64_t seq_mask;
    uint64_t max_dependents;         /* longest list seen when appending */
};

/* Room for `places` nodes at first, rounded up to a power of two. */
struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places);
void elastic_graph_free(struct elastic_graph *graph);

/* Is there room for one more record with `dependences` dependences? */
static inline bool elastic_graph_has_room(const struct elastic_graph *graph, uint64_t dependences)
{
    return graph->next_record - graph->first_record <= graph->mask && graph->free_edge_count >= dependences;
}

/* Makes that room. */
struct fault elastic_graph_reserve(struct elastic_graph *graph, uint64_t dependences);

/* Adds a record with a delay and a ROB number, and an edge for each dependence on a node that is live. Sequence numbers
 * must rise (the reader sees to that). */
struct elastic_node *elastic_graph_add(struct elastic_graph *graph, const struct dep_record *record, uint64_t delay_ps,
                                       uint64_t rob_number);

/* The node is complete and has no edges left. `state`: ELASTIC_GONE or ELASTIC_STORE_SENT. */
void elastic_graph_retire(struct elastic_graph *graph, uint64_t record, enum elastic_state state);

/* The live node with a sequence number; NULL if complete, filtered or unknown. */
struct elastic_node *elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num);

/* Is the place of `record` not yet used by a younger one? */
static inline bool elastic_graph_holds(const struct elastic_graph *graph, uint64_t record)
{
    return record < graph->next_record && graph->next_record - record <= graph->mask + 1;
}

static inline struct elastic_node *elastic_graph_node(const struct elastic_graph *graph, uint64_t record)
{
    return &graph->nodes[record & graph->mask];
}

/* Record number of an edge's child, whose low bits it holds. Children are live, so they lie in the ring. */
static inline uint64_t elastic_graph_child(const struct elastic_graph *graph, uint32_t edge)
{
    uint64_t const behind = (graph->next_record - graph->edges[edge].child) & (ELASTIC_EDGE_ORDER - 1);

    return graph->next_record - behind;
}

/* Takes all edges of a node back; `last` is what the node had in last_edge. */
static inline void elastic_graph_give_edges(struct elastic_graph *graph, uint32_t last, uint32_t count)
{
    if (last != ELASTIC_NO_EDGE) {
        uint32_t const first = graph->edges[last].next;

        graph->edges[last].next = graph->free_edge;
        graph->free_edge = first;
        graph->free_edge_count += count;
    }
}

void elastic_graph_enter_flight(struct elastic_graph *graph, uint64_t record);
void elastic_graph_leave_flight(struct elastic_graph *graph, uint64_t record);

#endif
