/* The data side of an elastic core, made fast.
 *
 * Shortens: records lie in arrays by the field, in a ring (graph.h); links that come with a store release dependents
 * without lists; the ready list is an array of keys of one word (ready_list.h); windows are decoded into their places
 * (fast_read.c); an event without tasks looks at the ready list alone. Other fast paths shorten it further, by hooks.
 * Why the result is the same: the plain side (replay/elastic/data.c) does the same steps in this order; tasks say when
 * what an event leaves out could have had a result.
 * Test: tests/unit/replay/elastic/ runs on both, tests/unit/replay/fast/test_engine.c, tests/reference/differential.sh.
 * Use: fast_core_bind after elastic_cpu_init. Ownership: the core frees it. */
#ifndef REPLAY_FAST_FAST_CORE_H
#define REPLAY_FAST_FAST_CORE_H

#include "replay/elastic/sides.h"
#include "replay/fast/graph.h"
#include "replay/fast/ready_list.h"

/* Hooks of the data side: entry points for further fast paths. All are NULL at first: then each access is a packet, and
 * each event comes from the event queue. */
struct fast_hooks {
    /* ---- sends and events. The access of a record, without a packet; fast_data_answer is its response. Refused:
     * the L1D's retry will come. Never ELASTIC_NOT_SENT. */
    enum elastic_sending (*send)(struct elastic_cpu *cpu, uint64_t record, uint32_t place, bool is_load);
    /* The next data event is due at when_ps, with which the present one ends. True: it is executing already; else it is
     * scheduled. */
    bool (*continue_at)(struct elastic_cpu *cpu, uint64_t when_ps);
    /* A data event is over, and the next one is scheduled, if there is one. True: it is executing already. */
    bool (*go_on)(struct elastic_cpu *cpu);

    /* ---- completions. When the milestone is due, which would be `milestone`. */
    uint64_t (*find_milestone)(struct elastic_cpu *cpu, uint64_t milestone);
    /* The milestone is reached, `record` completed last; false if the core itself need not act. May set
     * ELASTIC_POINT, after which at_point is called: the data event ends, the next one is due at next_ps, or
     * TICK_NEVER; returns its due tick after the work of at_point. */
    bool (*complete)(struct elastic_cpu *cpu, uint64_t record);
    uint64_t (*at_point)(struct elastic_cpu *cpu, uint64_t next_ps);

    /* ---- life. The next record to be read is the first of a store's block. */
    void (*begin_block)(struct elastic_cpu *cpu);
    /* Statistics were reset. / The core takes other records. / The core is freed. */
    void (*forget)(struct elastic_cpu *cpu);
    void (*take)(struct elastic_cpu *cpu);
    void (*free)(struct elastic_cpu *cpu);
};

/* Tasks of data events besides executing the due records. */
enum elastic_task {
    ELASTIC_TURN = 1,                /* `turn` was refused, and executes before all that are ready */
    ELASTIC_WINDOW_DUE = 2,          /* fewer records than a window are left ... */
    ELASTIC_WINDOW_WANTED = 4,       /* ... which the next event reads */
    ELASTIC_NEW_CAUSE = 8,           /* dep_free_cause is not yet that of the CPI stack */
    ELASTIC_ROOM = 16,               /* what the head of dep_free_queue found missing may be there */
    ELASTIC_UNTOLD = 32,             /* this event had tasks: end_event has to report the state at its end */
    ELASTIC_POINT = 64               /* hooks: at_point is due */
};

struct elastic_fast {
    struct elastic_graph graph;
    struct ready_list ready;
    uint64_t turn;                   /* see ELASTIC_TURN */
    unsigned tasks;                  /* enum elastic_task */
    uint64_t window_due_at;          /* a window is due when that many records are complete */
    uint64_t milestone;              /* that many complete: a window is due, it is notify_at_records, or hooks ask */
    uint64_t *dep_free_queue;        /* depFreeQueue: a ring */
    uint64_t dep_free_head, dep_free_mask;
    uint64_t dep_free_oldest;        /* the graph's oldest_in_flight when dep_free_cause was found; UINT64_MAX: the
                                      * queue is empty */
    uint64_t unscaled_delay;         /* delays below that are picoseconds as they are; 0 if they are scaled */
    uint64_t unbroken_bytes;         /* bytes from limits.memory_base on that are memory without a hole */
    bool is_ready_at_edges;          /* all that was read so far executes at clock edges, if nothing delays it */
    /* Integrals over time of the records in flight and of the stores that wait for their write response, without
     * those still present: the sum of the ticks of leaving minus those of entering, modulo 2^64. */
    uint64_t flight_ps[DEP_TYPES], sent_stores_ps;
    uint64_t sent_stores;
    uint64_t integrals_before[3];    /* rob_ps, load_buffer_ps, store_buffer_ps at the last reset of statistics */

    struct fast_hooks hooks;
    struct elastic_memo *memo;       /* theirs */
    bool is_watched;                 /* hooks are called for each access without packet, and each completion */
};

_Static_assert(sizeof(struct elastic_fast) <= sizeof(union elastic_room), "it has room");

static inline struct elastic_fast *fast_of(const struct elastic_cpu *cpu)
{
    return (void *)(uintptr_t)&cpu->room;
}

/* The core's data side from now on, before it has read records. FAULT_MEMORY: it cannot be used any more. */
struct fault fast_core_bind(struct elastic_cpu *cpu);

/* fast_read.c. Makes room for one more record, in the graph and in what holds its nodes. */
struct fault fast_data_reserve(struct elastic_cpu *cpu);
/* Reads up to one window; false if the trace ended or a fault stopped the run. */
bool fast_data_read_window(struct elastic_cpu *cpu);

/* fast_data.c */
void fast_data_event(void *cpu);
/* The L1D has served an access; token: elastic_token. */
void fast_data_answer(void *cpu, uint64_t address, uint64_t token);
/* The request of an access, by its token, while its record has its place in the graph. */
void fast_data_describe(void *cpu, uint64_t token, struct request *request);
void fast_data_observe(struct elastic_cpu *cpu);
void fast_data_forget(struct elastic_cpu *cpu);

/* Finds what the milestone is from now on, after window_due_at or notify_at_records changed, or one was reached. */
static inline void fast_find_milestone(struct elastic_cpu *cpu)
{
    struct elastic_fast *const fast = fast_of(cpu);
    uint64_t const complete = fast->graph.retired_count;

    if (complete >= fast->window_due_at)
        fast->tasks |= ELASTIC_WINDOW_DUE;
    fast->milestone = fast->tasks & ELASTIC_WINDOW_DUE ? UINT64_MAX : fast->window_due_at;
    if (cpu->notify_at_records > complete)
        fast->milestone = min_u64(fast->milestone, cpu->notify_at_records);
    if (fast->hooks.find_milestone)
        fast->milestone = fast->hooks.find_milestone(cpu, fast->milestone);
}

static inline struct elastic_access fast_access(const struct elastic_cpu *cpu, uint64_t record)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    uint32_t const place = elastic_graph_place(graph, record);

    return (struct elastic_access){elastic_graph_shape(graph, place), record, graph->seq_nums[place],
                                   graph->addresses[place]};
}

#endif
