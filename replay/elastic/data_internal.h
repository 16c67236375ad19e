/* Records of the plain data side: the dependence graph, the ready list, depFreeQueue and the records in flight
 * (elastic-trace 2.3), as lists. Private to data.c and read.c.
 *
 * A node's way: DATA_WAITING -> issued into the ready list, taking ROB and buffer entries (DATA_READY) -> executed: a
 * load is sent (DATA_LOAD_SENT) until its response; anything else is complete. A store that was sent keeps its entry of
 * the store buffer until its write response (DATA_STORE_SENT).
 *
 * Invariants: `nodes` are in the order of the file, record first_record first, none left out; the first one is
 * not DATA_GONE after elastic_data_drop. Sequence numbers rise. open_dependences of a node is the number of edges that
 * lead to it. A node is in the ready list or in depFreeQueue, never in both. */
#ifndef REPLAY_ELASTIC_DATA_INTERNAL_H
#define REPLAY_ELASTIC_DATA_INTERNAL_H

#include "replay/elastic/sides.h"

enum data_state { DATA_GONE, DATA_STORE_SENT, DATA_WAITING, DATA_READY, DATA_LOAD_SENT };

struct data_edge {
    struct data_node *child;
    bool is_order;                   /* an order dependence, else a register dependence */
};

struct data_node {
    struct elastic_access access;    /* its shape is the following one */
    struct store_shape shape;
    uint64_t rob_number;             /* micro-ops up to this one, filtered ones included */
    uint64_t delay_ps;
    enum data_state state;
    uint64_t open_dependences;
    struct data_edge *dependents;    /* in the order in which they were read */
    size_t dependent_count, dependent_room;
    uint64_t execute_ps, sent_ps;    /* of the ready list; of a load that was sent */
    struct data_node *next;          /* in the ready list or depFreeQueue */
    struct data_node *younger;       /* in flight */
};

struct elastic_plain {
    struct data_node **nodes;
    size_t count, room;
    uint64_t first_record, completed;
    struct data_node *ready;         /* by tick, then record; a node whose access was refused stays the first */
    uint64_t ready_count;
    struct data_node *dep_free, **dep_free_end;
    struct data_node *in_flight;     /* the oldest */
    uint64_t in_flight_count;
    bool window_wanted;              /* the next event reads one */
    bool is_cause_new;               /* a record has entered an empty depFreeQueue since the cause was last told */
};

_Static_assert(sizeof(struct elastic_plain) <= sizeof(union elastic_room), "it has room");

static inline struct elastic_plain *plain_of(const struct elastic_cpu *cpu)
{
    return (void *)(uintptr_t)&cpu->room;
}

static inline uint64_t data_nodes_end(const struct elastic_plain *plain)
{
    return plain->first_record + plain->count;
}

/* Records that were read and are not complete. */
static inline uint64_t data_nodes_live(const struct elastic_plain *plain)
{
    return data_nodes_end(plain) - plain->completed;
}

/* data.c. The node has no open dependences: it is issued if it finds its resources, else it waits in depFreeQueue. */
void elastic_data_issue_first(struct elastic_cpu *cpu, struct data_node *node);
/* read.c */
bool elastic_data_read_window(struct elastic_cpu *cpu);
/* Frees the nodes before the first that something may still ask for. */
void elastic_data_drop(struct elastic_plain *plain);
/* The node with a sequence number; NULL if none has it. */
struct data_node *elastic_data_find(const struct elastic_plain *plain, uint64_t seq_num);

#endif
