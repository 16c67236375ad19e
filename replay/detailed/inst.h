/* A micro-op in flight, and queues of them. Private to the detailed core.
 *
 * Ownership: micro-ops come from a pool and are counted: each queue, list or packet that holds one holds a count
 * (inst_hold, inst_drop). */
#ifndef REPLAY_DETAILED_INST_H
#define REPLAY_DETAILED_INST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/detailed/uops/supply.h"

/* The position at which fetch continues. */
struct position {
    uint64_t number;                     /* on the right path; SUPPLY_WRONG */
    uint64_t pc;
    unsigned micro_pc;
    uint64_t state;                      /* of the supply, in which it is executed; SUPPLY_NO_STATE */
};

enum inst_state {
    INST_SQUASHED = 1 << 0,
    INST_ENTERED_ROB = 1 << 1,         /* even if it has left it */
    INST_IN_QUEUE = 1 << 2,              /* holds an entry of the instruction queue */
    INST_ISSUED = 1 << 3,
    INST_EXECUTED = 1 << 4,
    INST_CAN_COMMIT = 1 << 5,
    INST_FAULT = 1 << 6,                 /* executed with a fault: it traps at the head of the ROB */
    INST_SERIALISE_BEFORE = 1 << 7,      /* a mark that only this run gave it */
    INST_SERIALISE_HANDLED = 1 << 8,
    INST_ADDRESS_VALID = 1 << 9,         /* its address is known: order violations can hit it */
    INST_MEMORY_DONE = 1 << 10,
    INST_IN_MEMDEP = 1 << 11,            /* in the memory-dependence unit */
    INST_AT_COMMIT = 1 << 12,            /* commit has asked for it */
    INST_WRITTEN_BACK = 1 << 13,
    INST_REQUESTED = 1 << 14,
    INST_IN_READY = 1 << 16,
    INST_WAITS_STORE = 1 << 17,          /* in the replay list, for a partial overlap */
    INST_PREDICTED_TAKEN = 1 << 18,
    INST_MISPREDICTED = 1 << 19,
    INST_COMPLETE_STORE = 1 << 20,       /* its write was answered */
    INST_CAN_WRITE_BACK = 1 << 21,       /* committed, or at the head: its write may be sent */
    INST_SENT_STORE = 1 << 22,
    INST_WAITS_CACHE = 1 << 23,          /* in the list of loads that the L1D refused, or that try again */
    INST_IN_STORE_SET = 1 << 24,         /* its store set knows it as a store in flight */
    INST_NO_PACKET = 1 << 25,            /* its address is not known: it asks no cache */
    INST_HOLDS_INSN = 1 << 26,           /* of a wrong path: the supply counts its holders */
    INST_JOINED = 1 << 27,               /* it takes no slot of a stage and no ROB entry (fusion.c) */
    INST_FUSES = 1 << 28,                /* a branch, one with the micro-op before it if both are renamed at once */
    INST_ELIMINATED = 1 << 29,           /* done at rename, or with another one: it never issues */
    INST_MEMORY_RENAMED = 1 << 30        /* a load whose result is the data of a store (memory_renaming.c) */
};

struct inst;

/* Waits for one source register, or for one memory operation before it. */
struct inst_link {
    struct inst_link *next, **before;    /* before NULL: it waits for nothing */
    struct inst *inst;
};

struct inst {
    uint64_t seq;
    uint32_t state;                      /* enum inst_state */
    uint32_t flags;                      /* of uop */
    uint16_t op;
    uint16_t micro_pc;
    uint32_t holders;
    const struct supply_insn *insn;
    const struct uop *uop;
    const struct supply_access *access;  /* NULL: none */
    uint64_t pc, predicted_next;

    /* registers */
    uint16_t source_count, result_count;
    uint32_t waiting;                    /* sources that are not ready */

    struct inst *ready_next, *ready_before;      /* ready list of its op class, or of branches */
    unsigned ready_queue;

    /* memory dependences */
    struct inst_link order_link;         /* waits for ... */
    struct inst_link *order_waiters;     /* those that wait for this one */
    uint32_t store_set;
    bool waited;                         /* for a store of its store set */

    /* load and store queue */
    uint64_t queue_place;                /* in the load or the store queue, counted from the start */
    uint64_t other_tail;                 /* tail of the other queue when it was dispatched */
    uint32_t size_bytes;                 /* 0: not executed, as a store */
    uint32_t packets_left;               /* answers that are missing */
    uint32_t parts_sent;                 /* of the accesses that are split */
    uint64_t address, place;
    uint32_t pool_place;

    /* fusion, memory renaming */
    struct inst *fused;                  /* the branch that is executed with it; held */
    struct inst_link data_link;          /* waits for the data of ... */
    uint64_t renamed_store;              /* ... the store of this sequence number */
    uint16_t renamed_result;

    /* fetch that runs ahead */
    bool is_decoded;                     /* not of the cache of micro-ops */
    uint64_t block_request;              /* the one that brings its last byte; 0: none */

    uint64_t fetch_cyc, decode_cyc, rename_cyc, dispatch_cyc, issue_cyc, execute_cyc, to_commit_cyc, store_cyc;
    uint64_t first_issue_cyc, rename_done_cyc;

    struct inst *young_next, *young_before;      /* all that are alive, by age */
    struct inst *list_next;              /* of the pool, of loads that wait, of a completion */

    /* set by rename and dispatch, as many as there are: not cleared before */
    uint16_t results[UOP_RESULTS];       /* physical registers */
    uint16_t sources[UOP_SOURCES];
    uint64_t producers[UOP_SOURCES];     /* sequence numbers */
    struct inst_link source_links[UOP_SOURCES];
};

static inline bool inst_is(const struct inst *inst, uint32_t state)
{
    return (inst->state & state) != 0;
}

static inline void inst_link_remove(struct inst_link *link)
{
    if (!link->before)
        return;
    *link->before = link->next;
    if (link->next)
        link->next->before = link->before;
    link->before = NULL;
}

static inline void inst_link_add(struct inst_link **list, struct inst_link *link)
{
    link->next = *list;
    link->before = list;
    if (*list)
        (*list)->before = &link->next;
    *list = link;
}

/* First in, first out; room for a power of two. */
struct inst_fifo {
    struct inst **items;
    uint32_t head, count, mask;
};

static inline void inst_fifo_push(struct inst_fifo *fifo, struct inst *inst)
{
    assert(fifo->count <= fifo->mask);
    fifo->items[(fifo->head + fifo->count++) & fifo->mask] = inst;
}

static inline void inst_fifo_push_front(struct inst_fifo *fifo, struct inst *inst)
{
    assert(fifo->count <= fifo->mask);
    fifo->head--;
    fifo->items[fifo->head & fifo->mask] = inst;
    fifo->count++;
}

static inline struct inst *inst_fifo_at(const struct inst_fifo *fifo, uint32_t i)
{
    return fifo->items[(fifo->head + i) & fifo->mask];
}

static inline struct inst *inst_fifo_pop(struct inst_fifo *fifo)
{
    struct inst *const inst = inst_fifo_at(fifo, 0);

    fifo->head++;
    fifo->count--;
    return inst;
}

/* Micro-ops that wait for a cycle, all of them equally long: the first to come is the first to go. Each is held. */
struct inst_delay {
    struct inst_fifo fifo;
    uint64_t *due_cyc;                   /* of each place */
};

/* The micro-ops that a stage sends in a cycle, kept for the cycles that they take to arrive. */
struct inst_wire {
    struct inst **items;                 /* `width` for each of the cycles kept */
    uint64_t *cycles;                    /* of each place: which cycle's it has */
    uint32_t *counts;
    uint32_t width, mask;
    uint32_t held;                       /* micro-ops under way */
};

/* Those sent in that cycle; *count of them. They are taken off by inst_wire_clear. */
static inline struct inst **inst_wire_at(const struct inst_wire *wire, uint64_t cycle, uint32_t *count)
{
    uint32_t const place = (uint32_t)cycle & wire->mask;

    *count = wire->cycles[place] == cycle ? wire->counts[place] : 0;
    return wire->items + (size_t)place * wire->width;
}

static inline void inst_wire_clear(struct inst_wire *wire, uint64_t cycle)
{
    uint32_t const place = (uint32_t)cycle & wire->mask;

    if (wire->cycles[place] == cycle) {
        wire->held -= wire->counts[place];
        wire->counts[place] = 0;
    }
}

static inline void inst_wire_send(struct inst_wire *wire, uint64_t cycle, struct inst *inst)
{
    uint32_t const place = (uint32_t)cycle & wire->mask;

    if (wire->cycles[place] != cycle) {
        assert(wire->cycles[place] == UINT64_MAX || wire->counts[place] == 0);
        wire->cycles[place] = cycle;
        wire->counts[place] = 0;
    }
    assert(wire->counts[place] < wire->width);
    wire->items[(size_t)place * wire->width + wire->counts[place]++] = inst;
    wire->held++;
}

static inline uint32_t inst_wire_count(const struct inst_wire *wire, uint64_t cycle)
{
    uint32_t const place = (uint32_t)cycle & wire->mask;

    return wire->cycles[place] == cycle ? wire->counts[place] : 0;
}

#endif
