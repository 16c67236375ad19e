/* Dependence graph: the records that were read and are not complete (elastic-trace 2.3 to 2.5), and which of them are
 * in flight.
 *
 * Nodes stand in a ring, at their record number (0, 1, 2, ... in file order); the ring doubles when a new record
 * would meet a live one. A dependence is an edge in the list of the parent, in the order in which children were read;
 * the child only counts how many it waits for. Which dependences of a record are edges, a shape tells (store_edge); one
 * edge stands for one occurrence in the record. A node holds its first few edges itself; the others stand in a pool,
 * and are free again when they are given back.
 *
 * Use: elastic_graph_init; elastic_graph_put for records, then elastic_graph_advance; elastic_graph_reserve when there
 * is no room for the next; the caller walks edges when a node executes. Places and node pointers live until
 * elastic_graph_reserve is called, which alone allocates, but for the pool, when it is used up.
 * Ownership: the graph owns all arrays; elastic_graph_free frees them. Units: picoseconds, bytes. */
#ifndef REPLAY_ELASTIC_GRAPH_H
#define REPLAY_ELASTIC_GRAPH_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"
#include "memsys/hints.h"
#include "proto/store.h"

enum elastic_state {
    ELASTIC_GONE,                    /* complete, or a place never used */
    ELASTIC_STORE_SENT,              /* complete, but its write response is still to come */
    ELASTIC_WAITING,                 /* for dependences or resources; this and all below are in the graph */
    ELASTIC_READY,                   /* in the ready list */
    ELASTIC_LOAD_SENT                /* waits for its response */
};

#define ELASTIC_NO_PLACE UINT32_MAX

#define ELASTIC_NEAR_EDGES 6
#define ELASTIC_HAS_FAR 8u

/* What issue and execution need of a record. */
struct elastic_node {
    uint64_t delay_ps;               /* from issue to execution; once a load was sent: the tick of that */
    uint64_t rob_number;             /* micro-ops up to this one, filtered ones included */
    uint16_t type;                   /* enum dep_type */
    uint16_t near_count;             /* of near; and ELASTIC_HAS_FAR if there are more in the pool, which come after
                                      * them */
    uint16_t near[ELASTIC_NEAR_EDGES];       /* edges as in a shape */
};

/* What sending needs of loads and stores. */
struct elastic_access {
    uint64_t address, pc;
    uint32_t size_bytes, flags;
};

/* An edge of the pool. */
struct elastic_far_edge {
    uint32_t next;                   /* newer one of the parent, or of the free ones; of the newest without meaning */
    uint32_t edge;                   /* as in a shape */
};

/* The list of a node that has far edges. */
struct elastic_far_list {
    uint32_t first, last, count;
};

/* Nodes lie in several arrays, so that what is touched often stays in the nearest cache. In flight are those that are
 * READY or LOAD_SENT. */
struct elastic_graph {
    struct elastic_node *nodes;      /* two in a cache line of the host */
    struct elastic_access *accesses; /* of loads and stores only */
    uint64_t *seq_nums;
    uint32_t *open_dependences;      /* how many edges of live parents lead to the node */
    uint16_t *states;                /* enum elastic_state */
    uint64_t mask;                   /* places in the ring - 1 */
    uint64_t first_record;           /* no live node is before it; found anew by elastic_graph_reserve */
    uint64_t next_record;            /* number of the record to be read next */
    uint64_t retired_count;          /* of all records before next_record, those that are complete */
    uint64_t oldest_in_flight;       /* no record before this one is in flight ... */
    uint64_t oldest_rob_number;      /* ... and none has a smaller rob_number; see elastic_graph_find_oldest */
    uint64_t node_room;              /* that many can be added before elastic_graph_reserve is due */
    struct elastic_far_list *far_lists;
    struct elastic_far_edge *far_edges;
    uint32_t far_edge_places;
    uint32_t free_far_edge;          /* first of far_edges that is free; they form a list; ELASTIC_NO_PLACE: none */
    bool lacks_memory;               /* for more far edges: an edge is missing, the run must end */
    uint64_t direct_reach;           /* shapes whose edges are all shorter than that need no search, and the
                                      * edges fit a node */
    uint64_t known_reach_seq;        /* an unknown distance in records means: no such record, if it is shorter */
    uint32_t *newest_by_seq;         /* by the low bits of seq_num: low bits of the last record that has them */
    uint64_t seq_mask;
    uint64_t max_dependents;         /* longest list seen when appending, since elastic_graph_forget_longest */
    uint16_t plain_edges;            /* nodes with fewer have room for one more, and max_dependents stays what it is */
};

/* Room for `places` nodes at first, rounded up to a power of two. known_reach_seq: as in struct record_source. */
struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq);
void elastic_graph_free(struct elastic_graph *graph);

/* Makes room for one more record. */
struct fault elastic_graph_reserve(struct elastic_graph *graph);

static inline uint32_t elastic_graph_place(const struct elastic_graph *graph, uint64_t record)
{
    return (uint32_t)(record & graph->mask);
}

/* max_dependents is found anew from here on. */
static inline void elastic_graph_forget_longest(struct elastic_graph *graph)
{
    graph->max_dependents = 0;
    graph->plain_edges = 0;
}

/* The part of elastic_graph_put for an edge that makes the longest list, or does not fit the node. */
void elastic_graph_add_edge(struct elastic_graph *graph, uint32_t parent, uint32_t edge);

/* The part of elastic_graph_put for dependences that distances alone do not tell; the answer is how many edges it
 * adds. */
uint32_t elastic_graph_connect_by_search(struct elastic_graph *graph, const struct store_record *record,
                                         uint64_t number);

/* The entry of an array that is `halves` half entries behind the first. */
static inline void *elastic_graph_half(void *entries, size_t size, uint64_t halves)
{
    return (char *)entries + halves * (size / 2);
}

/* Adds a record, `number`, the next one after all that were put, and an edge for each dependence on a node that is
 * live; the answer is how many. node_room must not be used up. Sequence numbers must rise (the reader sees to that). */
static inline uint32_t elastic_graph_put(struct elastic_graph *graph, uint64_t number,
                                         const struct store_record *record, uint64_t delay_ps, uint64_t rob_number)
{
    const struct store_shape *const shape = record->shape;
    struct elastic_node *const nodes = graph->nodes;
    uint16_t *const states = graph->states;
    uint32_t const mask = (uint32_t)graph->mask, place = (uint32_t)number & mask;
    uint32_t open = 0;

    nodes[place].delay_ps = delay_ps;
    nodes[place].rob_number = rob_number;
    nodes[place].type = shape->type;
    nodes[place].near_count = 0;
    graph->seq_nums[place] = record->seq_num;
    states[place] = ELASTIC_WAITING;
    if (USUALLY(shape->max_distance < graph->direct_reach)) {
        const uint32_t *const edges = shape->edges, *const end = edges + shape->edge_count;
        /* An edge is twice a distance and its kind, so counting in half places leaves only the kind to be masked. */
        uint64_t const halves = 2 * (uint64_t)place + 1, halves_mask = 2 * (uint64_t)mask;

        for (const uint32_t *edge = edges; edge < end; edge++) {
            uint64_t const parent = (halves - *edge) & halves_mask;
            struct elastic_node *const node = elastic_graph_half(nodes, sizeof *nodes, parent);
            const uint16_t *const state = elastic_graph_half(states, sizeof *states, parent);

            if (*state < ELASTIC_WAITING)
                continue;
            open++;
            if (RARELY(node->near_count >= graph->plain_edges))
                elastic_graph_add_edge(graph, (uint32_t)(node - nodes), *edge);
            else
                node->near[node->near_count++] = (uint16_t)*edge;
        }
    } else {
        open = elastic_graph_connect_by_search(graph, record, number);
    }
    graph->open_dependences[place] = open;
    return open;
}

/* What sending will need of the load or store `number`. */
static inline void elastic_graph_put_access(struct elastic_graph *graph, uint64_t number,
                                            const struct store_shape *shape, uint64_t address)
{
    struct elastic_access *const access = &graph->accesses[elastic_graph_place(graph, number)];

    access->address = address;
    access->pc = shape->pc;
    access->size_bytes = shape->size_bytes;
    access->flags = shape->flags;
}

/* `count` records were put. */
static inline void elastic_graph_advance(struct elastic_graph *graph, uint64_t count)
{
    graph->next_record += count;
    graph->node_room -= count;
}

/* Gives a far edge back to the pool; the answer is the one after it in its list. */
static inline uint32_t elastic_graph_free_far_edge(struct elastic_graph *graph, uint32_t edge)
{
    uint32_t const next = graph->far_edges[edge].next;

    graph->far_edges[edge].next = graph->free_far_edge;
    graph->free_far_edge = edge;
    return next;
}

/* Place of the live node with a sequence number; ELASTIC_NO_PLACE if complete, filtered or unknown. */
uint32_t elastic_graph_find(const struct elastic_graph *graph, uint64_t seq_num);

/* Is the place of `record` not yet used by a younger one? */
static inline bool elastic_graph_holds(const struct elastic_graph *graph, uint64_t record)
{
    return record < graph->next_record && graph->next_record - record <= graph->mask + 1;
}

/* Records that were read and are not complete. */
static inline uint64_t elastic_graph_live_count(const struct elastic_graph *graph)
{
    return graph->next_record - graph->retired_count;
}

/* The node is complete and has no edges left. `state`: ELASTIC_GONE or ELASTIC_STORE_SENT. */
static inline void elastic_graph_retire(struct elastic_graph *graph, uint32_t place, enum elastic_state state)
{
    graph->states[place] = (uint16_t)state;
    graph->retired_count++;
}

/* The node becomes READY. */
static inline void elastic_graph_enter_flight(struct elastic_graph *graph, uint32_t place, uint64_t record)
{
    graph->states[place] = ELASTIC_READY;
    if (record < graph->oldest_in_flight) {
        graph->oldest_in_flight = record;
        graph->oldest_rob_number = graph->nodes[place].rob_number;
    }
}

/* From here on oldest_in_flight and oldest_rob_number are those of the oldest in flight; UINT64_MAX and INT64_MAX if
 * there is none. */
void elastic_graph_find_oldest(struct elastic_graph *graph);

#endif
