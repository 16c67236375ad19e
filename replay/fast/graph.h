/* Dependence graph: the records that were read and are not complete (elastic-trace 2.3 to 2.5), and which of them are
 * in flight.
 *
 * Nodes lie in a ring, indexed by record number (0, 1, 2, ... in file order); the ring doubles when a new record
 * would meet a live one. A dependence is an edge in the list of the parent, in the order of the children; the child
 * only counts how many it waits for. The shape of a record marks which of its dependences are edges (store_edge), one
 * edge per occurrence in the record. A node's shape holds its first few edges or, if borrowed from a store, the place
 * of all of them; further edges lie in a pool, which reuses them once freed.
 *
 * Edges of a store are mostly links (proto/store/store.h), which the parent has from when it is read on. So a child may
 * not be read yet when its parent lets it go, even if that was long before. Its count then falls below 0, modulo 2^32,
 * to which the number of its links is added when it is read: the result is 0 if it waits for nothing. Other edges are
 * found when the child is read; those count whose parent is live.
 *
 * Use: elastic_graph_init; elastic_graph_put for records, then elastic_graph_advance; elastic_graph_reserve when there
 * is no room for the next; the caller walks edges when a node executes. Places and node pointers live until
 * elastic_graph_reserve is called, the only function that allocates, except for the pool when it is used up.
 * Ownership: the graph owns all arrays; elastic_graph_free frees them. It borrows the shapes of records until
 * elastic_graph_keep_shapes. Units: picoseconds, bytes. */
#ifndef REPLAY_FAST_GRAPH_H
#define REPLAY_FAST_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/store/store.h"

enum elastic_state {
    ELASTIC_GONE,                    /* complete, or a place never used */
    ELASTIC_STORE_SENT,              /* complete, but its write response is still to come */
    ELASTIC_WAITING,                 /* for dependences or resources; this and all below are in the graph */
    ELASTIC_READY,                   /* in the ready list */
    ELASTIC_LOAD_SENT                /* waits for its response */
};

#define ELASTIC_NO_PLACE UINT32_MAX

/* A flag in the count of a node's links, besides those of proto/store/store.h. */
#define ELASTIC_HAS_FAR_EDGES 8u

/* The fields of a record that issue and execution need. Its shape is the source's as long as that stays, and nothing
 * in it differs for this node, else one of own_shapes. There, comp_delay is in picoseconds, and `links` are those of
 * the node: its type; its first children; STORE_HAS_EARLY_LINKS; ELASTIC_HAS_FAR_EDGES: more of them are in the
 * pool. */
struct elastic_node {
    const struct store_shape *shape;
    uint64_t rob_number;             /* micro-ops up to this one, filtered ones included */
};

/* An edge of the pool. */
struct elastic_far_edge {
    uint32_t next;                   /* newer one of the parent, or of the free ones; of the newest without meaning */
    uint32_t link;                   /* like one of proto/store/store.h, however long */
};

/* The list of a node that has far edges, in the order of the children. */
struct elastic_far_list {
    uint32_t first, last, count;
    uint64_t ordered;                /* record added last that depends on the node by order, but not by a link */
    uint64_t early_end;              /* of a load that was sent and has STORE_HAS_EARLY_LINKS: records before this one
                                      * that only had to follow it were let go then; if all early links were added
                                      * since, a record not behind the load */
};

/* Nodes are split into several arrays, so that frequently accessed fields stay in the L1 of the host. Nodes that are
 * READY or LOAD_SENT are in flight. */
struct elastic_graph {
    /* elastic_graph_first; fast engines bind another (replay/fast/graph_scan.h). */
    uint64_t (*first)(const struct elastic_graph *graph, uint64_t record, enum elastic_state state);
    struct elastic_node *nodes;      /* four in a cache line of the host */
    uint64_t *seq_nums;
    uint64_t *addresses;             /* of loads and stores */
    uint64_t *sent_ps;               /* of loads: tick at which it was sent */
    uint32_t *open_dependences;      /* of live nodes and of those that links may lead to: how many they wait for */
    uint16_t *states;                /* enum elastic_state */
    uint64_t mask;                   /* places in the ring - 1 */
    uint64_t first_record;           /* no live node is before it; found anew by elastic_graph_reserve */
    uint64_t next_record;            /* number of the record to be read next */
    uint64_t retired_count;          /* of all records before next_record, those that are complete */
    uint64_t oldest_in_flight;       /* no record before this one is in flight ... */
    uint64_t oldest_rob_number;      /* ... and none has a smaller rob_number; see elastic_graph_find_oldest */
    uint64_t rob_limit;              /* the largest distance of another rob_number from that ... */
    uint64_t rob_bound;              /* ... and the first rob_number beyond it */
    uint64_t node_room;              /* that many can be added before elastic_graph_reserve is due */
    uint64_t link_room;              /* links may lead so far beyond next_record */
    struct store_shape *own_shapes;  /* by place; few are in use if sources let their shapes stay */
    uint64_t kept_records;           /* nodes before that one borrow no shapes */
    struct elastic_far_list *far_lists;
    struct elastic_far_edge *far_edges;
    uint32_t far_edge_places;
    uint32_t free_far_edge;          /* first of far_edges that is free; they form a list; ELASTIC_NO_PLACE: none */
    bool lacks_memory;               /* for more far edges: an edge is missing, the run must end */
    uint64_t known_reach_seq;        /* an unknown distance in records means: no such record, if it is shorter */
    uint32_t *newest_by_seq;         /* by the low bits of seq_num: low bits of the last record that has them */
    uint64_t seq_mask;
    uint64_t max_dependents;         /* longest list of children read since elastic_graph_forget_longest, as far as
                                      * elastic_graph_note_dependents has seen them */
    uint64_t forgotten;              /* records before it were read before elastic_graph_forget_longest */
    uint8_t near_count;              /* a node whose links' count is at most that has no far or early edges, nor a list
                                      * longer than max_dependents */
};

/* Room for `places` nodes at first, rounded up to a power of two. known_reach_seq: as in struct record_source. */
struct fault elastic_graph_init(struct elastic_graph *graph, uint64_t places, uint64_t known_reach_seq,
                                uint64_t rob_limit);
void elastic_graph_free(struct elastic_graph *graph);

/* Makes room for one more record. */
struct fault elastic_graph_reserve(struct elastic_graph *graph);

static inline uint32_t elastic_graph_place(const struct elastic_graph *graph, uint64_t record)
{
    return (uint32_t)(record & graph->mask);
}

/* The shape of a node: type, requirements, links. */
static inline const struct store_shape *elastic_graph_shape(const struct elastic_graph *graph, uint32_t place)
{
    return graph->nodes[place].shape;
}

static inline enum elastic_state elastic_graph_state(const struct elastic_graph *graph, uint32_t place)
{
    return (enum elastic_state)graph->states[place];
}

/* enum dep_type of a live node. */
static inline unsigned elastic_graph_type(const struct elastic_graph *graph, uint32_t place)
{
    return elastic_graph_shape(graph, place)->links.type;
}

static inline void elastic_graph_set_state(struct elastic_graph *graph, uint32_t place, enum elastic_state state)
{
    graph->states[place] = (uint16_t)state;
}

/* The node's shape, which may be changed for it alone. Its links are in no list. May set lacks_memory. */
struct store_shape *elastic_graph_own_shape(struct elastic_graph *graph, uint32_t place);

/* Shapes of records that were put are not borrowed any longer. May set lacks_memory. */
void elastic_graph_keep_shapes(struct elastic_graph *graph);

/* Another trace begins: all records are complete, and sequence numbers may begin anew. */
static inline void elastic_graph_begin_trace(struct elastic_graph *graph)
{
    graph->first_record = graph->next_record;
}

/* max_dependents is found anew from here on. */
static inline void elastic_graph_forget_longest(struct elastic_graph *graph)
{
    graph->max_dependents = 0;
    graph->forgotten = graph->next_record;
    graph->near_count = 0;
}

/* Does a link lead to a record before `end` that only has to follow the load? */
static inline bool elastic_link_is_early(uint64_t record, uint32_t link, uint64_t end)
{
    return link & STORE_LINK_EARLY && record + store_link_distance(link) < end;
}

/* To be called before edges of a node are dropped, if its links' count is more than near_count. early_end: that of its
 * far_lists if it was sent and has early links, else 0. */
void elastic_graph_note_dependents(struct elastic_graph *graph, uint32_t place, uint64_t record, uint64_t early_end);
/* max_dependents knows of all lists. */
void elastic_graph_note_all_dependents(struct elastic_graph *graph);

/* Arrays to write records to, from one place to the end of the ring: see elastic_graph_row_length. The caller writes
 * the addresses of loads and stores. */
struct elastic_row {
    struct elastic_node *nodes;
    uint64_t *seq_nums, *addresses;
    uint32_t *open_dependences;
    uint16_t *states;
};

static inline struct elastic_row elastic_graph_row(const struct elastic_graph *graph, uint64_t number)
{
    uint32_t const place = elastic_graph_place(graph, number);

    return (struct elastic_row){&graph->nodes[place], &graph->seq_nums[place], &graph->addresses[place],
                                &graph->open_dependences[place], &graph->states[place]};
}

static inline uint64_t elastic_graph_row_length(const struct elastic_graph *graph, uint64_t number)
{
    return graph->mask + 1 - (number & graph->mask);
}

/* Adds a record, the `i`-th of a row, the next one after all that were put, all of whose edges are links; the answer is
 * for how many it waits. node_room must not be used up. Sequence numbers must rise (the reader sees to that). The
 * record's shape is borrowed; its comp_delay must be right in picoseconds, or set in elastic_graph_own_shape at
 * once. */
static inline uint32_t elastic_graph_put(const struct elastic_row *row, size_t i, const struct store_shape *shape,
                                         uint64_t seq_num, uint64_t rob_number)
{
    row->nodes[i].shape = shape;
    row->nodes[i].rob_number = rob_number;
    row->seq_nums[i] = seq_num;
    row->states[i] = ELASTIC_WAITING;
    return row->open_dependences[i] += shape->link_count;
}

/* The same for any record: an edge for each dependence on a live node, without links. `before`: records of the
 * store's block before it. */
uint32_t elastic_graph_put_any(struct elastic_graph *graph, uint64_t number, const struct store_record *record,
                               const struct store_lists *lists, uint32_t before, uint64_t rob_number);

/* `count` records were put. */
static inline void elastic_graph_advance(struct elastic_graph *graph, uint64_t count)
{
    graph->next_record += count;
    graph->node_room -= count;
}

/* Gives the far edges of a node that has some back to the pool. */
static inline void elastic_graph_free_far_edges(struct elastic_graph *graph, uint32_t place)
{
    struct elastic_far_list *const list = &graph->far_lists[place];

    if (list->count == 0)
        return;
    graph->far_edges[list->last].next = graph->free_far_edge;
    graph->free_far_edge = list->first;
    list->count = 0;
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
    elastic_graph_set_state(graph, place, state);
    graph->retired_count++;
}

static inline void elastic_graph_set_oldest(struct elastic_graph *graph, uint64_t record, uint64_t rob_number)
{
    graph->oldest_in_flight = record;
    graph->oldest_rob_number = rob_number;
    graph->rob_bound = rob_number < UINT64_MAX - graph->rob_limit ? rob_number + graph->rob_limit : UINT64_MAX;
}

/* The node becomes READY; true if it is the oldest in flight now. */
static inline bool elastic_graph_enter_flight(struct elastic_graph *graph, uint32_t place, uint64_t record)
{
    elastic_graph_set_state(graph, place, ELASTIC_READY);
    if (record >= graph->oldest_in_flight)
        return false;
    elastic_graph_set_oldest(graph, record, graph->nodes[place].rob_number);
    return true;
}

/* The first record from `record` on whose state is at least `state`; next_record if none. elastic_graph_first_plain
 * examines one record after the other. */
static inline uint64_t elastic_graph_first(const struct elastic_graph *graph, uint64_t record, enum elastic_state state)
{
    return graph->first(graph, record, state);
}
uint64_t elastic_graph_first_plain(const struct elastic_graph *graph, uint64_t record, enum elastic_state state);
/* From here on oldest_in_flight and oldest_rob_number are those of the oldest in flight; UINT64_MAX if none. */
void elastic_graph_find_oldest(struct elastic_graph *graph);

/* Marks the records from `first` to `end` complete, regardless of their states; the caller counts them. */
void elastic_graph_leave_behind(struct elastic_graph *graph, uint64_t first, uint64_t end);

#endif
