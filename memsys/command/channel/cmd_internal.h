/* A channel: one controller, its queues, its device. What its parts share; cmd_memory.h is the interface for all
 * others.
 *
 * A tick has these steps (4.4): cmd_tick.c runs them; refresh (cmd_refresh.c), row policy (cmd_row_policy.c), the
 * choice of the controller (cmd_single_bus.c, cmd_dual_bus.c, cmd_gddr7.c, cmd_lpddr.c, cmd_prac.c,
 * cmd_blockhammer.c), which asks for the best request of a queue (cmd_pick.c) and issues it (cmd_issue.c).
 *
 * Ticks in which nothing can happen are not run. Every step says when it must be run next: refresh and row policy by
 * `due` fields, the controller by what its `choose` returns. What changes the answer in between wakes the channel
 * (cmd_wake): a request that arrives, and each command. Statistics that grow every tick are added up when a queue
 * changes (cmd_queue_waited, 15.1). Source: docs/spec/command-dram.md 4 to 9, 15. */
#ifndef MEMSYS_COMMAND_CHANNEL_CMD_INTERNAL_H
#define MEMSYS_COMMAND_CHANNEL_CMD_INTERNAL_H

#include "base/arena.h"
#include "memsys/command/channel/cmd_device.h"
#include "memsys/command/channel/cmd_queue.h"
#include "memsys/command/device/cmd_access.h"
#include "memsys/command/device/cmd_config.h"

#define CMD_NEVER INT64_MAX

struct cmd_channel;

/* The best request of a queue, and the earliest tick at which it can be issued; CMD_NEVER: none can until something
 * changes. */
struct cmd_pick {
    struct cmd_request *request;
    int64_t tick;
    enum cmd_queue_name queue;
};

enum cmd_slot { CMD_SLOT_ANY, CMD_SLOT_COLUMN, CMD_SLOT_ROW, CMD_SLOTS };

/* What is odd about a controller's choice. */
struct cmd_controller {
    /* Issues what may be issued in this tick; returns the next one in which it may issue something. */
    int64_t (*choose)(struct cmd_channel *channel);
    /* Earliest tick >= `tick` at which the controller lets the command of a queue's request pass in a slot; NULL:
       any. */
    int64_t (*admit)(struct cmd_channel *channel, const struct cmd_request *request, enum cmd_queue_name queue,
                     enum cmd_slot slot, int64_t tick);
    /* Refuses configurations that it cannot drive, and makes its own state. */
    struct fault (*init)(struct cmd_channel *channel);
    bool is_dual_bus;
};

/* How the best request is found and what a command does to ready times: the plain way, or a faster one with the same
 * results (memsys/command/fast/). */
struct cmd_engine {
    /* Makes its state in channel->engine_state; leaves channel->engine the plain one where it cannot serve. NULL:
       none. */
    struct fault (*init)(struct cmd_channel *channel);
    struct cmd_pick (*best)(struct cmd_channel *channel, enum cmd_queue_name queue, enum cmd_slot slot);
    /* Changes the device, and forgets the picks that the command may have changed. */
    void (*issue)(struct cmd_channel *channel, const struct cmd_request *request);
    /* Runs tick `next` and those behind it (cmd_run_ticks). */
    int64_t (*run)(struct cmd_channel *channel, int64_t next, int64_t limit);
    /* A request has come into a queue: must the controller choose in the next tick? If not, next_choice has been moved
     * where it must be. NULL: it must. Or has left it. */
    bool (*appended)(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request);
    void (*removed)(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request);
};

/* A defence: sees every command that is issued. */
struct cmd_mitigation {
    const char *name;
    struct fault (*init)(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state);
    void (*issued)(void *state, struct cmd_channel *channel, const struct cmd_request *request);
    void (*free)(void *state);
    /* Its number `index`; false past the last. */
    bool (*count)(const void *state, size_t index, struct cmd_named_count *count);
};

/* Partner of a row in the swap table of a bank (2.5). */
struct cmd_hash_map;

struct cmd_map_field {
    uint32_t level, shift, bits;
    int32_t mask;                        /* of its bits */
};

struct cmd_row_state {                   /* closed-after, of a bank (7) */
    uint32_t accesses;
    bool is_asked;                       /* a precharge is on its way */
};

struct cmd_lpddr_state {
    int64_t *deadline;                   /* a bank; CMD_NEVER: none */
    uint32_t deadlines;                  /* banks that have one */
    int64_t expiry, guard, activate_gap;
    struct cmd_pick after_cas;           /* its access comes next */
    int16_t cas_of[CMD_COMMANDS];        /* CAS before an access; CMD_NONE: it is none */
    bool is_cas[CMD_COMMANDS];
    int64_t burst[CMD_COMMANDS];
};

struct cmd_half_tick_state {
    int64_t edge;                        /* the falling edge that the last row command forbids */
    int32_t pseudo_channel, bank;        /* bank -1: all */
    bool is_all;
};

struct cmd_gddr7_state {
    bool is_toggling;
    int64_t last_read;
    uint8_t start, stop, read, read_auto;
};

struct cmd_prac_state;
struct cmd_blockhammer_state;

struct cmd_channel {
    const struct cmd_config *config;
    const struct cmd_spec *spec;
    const struct cmd_hooks *hooks;
    const struct cmd_controller *controller;
    const struct cmd_engine *engine;
    void *engine_state;                  /* of the arena */
    uint32_t number, sources;
    int64_t clk, *now;                   /* ticks done, with the one that runs; those of the memory */
    bool is_in_tick;                     /* ... before its choice */
    int64_t next_choice;                 /* 4.4: the controller chooses no sooner */
    int64_t next_refresh, next_policy, next_power;
    int64_t last_served;                 /* tick of the last command for a read or write, or of an arrival at an
                                            idle channel */
    int64_t last_progress, patience;     /* the last command, or the arrival at an idle channel; ticks without until
                                            it has stalled */
    struct cmd_device device;
    struct cmd_queue queues[CMD_QUEUES];
    struct cmd_request *pending, **pending_end;      /* reads whose data is on its way */
    struct cmd_request *pool;
    uint64_t in_flight;
    uint32_t refused, has_room;          /* queues that refused a request; of these, those that have room again; as
                                            bits */
    bool has_completed;

    uint64_t *waiting;                   /* 4.1: addresses of waiting writes, by their hash; a set */
    uint32_t *waiting_count;             /* 0: free place */
    uint32_t waiting_mask;

    bool write_mode, is_draining;
    size_t write_on, write_off;          /* 4.5: queued writes: on from, off below */
    uint32_t *active_in_bank;
    uint32_t *blocked;                   /* a bank: requests of the priority queue for it, where these hold up their
                                            banks only */
    struct cmd_pick picks[CMD_QUEUES][CMD_SLOTS];
    uint64_t state, picked_in[CMD_QUEUES][CMD_SLOTS];    /* a pick holds while the state is that in which it was made */
    uint32_t column_bus, row_bus;        /* commands, as bits */
    int64_t *earliest_hit;               /* a bank: FR-FCFS-RowHit */

    struct cmd_map_field fields[2 * CMD_LEVELS];
    unsigned field_count, offset_bits, column_low_bits, column_high_bits;
    uint64_t plain_end;                  /* addresses below are divided into fields, and that is all */
    struct cmd_hash_map *row_table;      /* a bank; NULL: no swaps */

    struct cmd_row_state *rows;          /* closed-after */
    uint32_t rows_due;                   /* banks that want a precharge and have not asked */
    int16_t auto_of[CMD_COMMANDS];       /* the access with precharge; CMD_NONE */
    struct cmd_refresh_state *refresh;
    uint8_t refresh_command;
    struct cmd_power_state *power;       /* NULL: ranks neither power down nor refresh themselves */
    bool counts_waiting;                 /* someone asks how many requests wait for each rank */

    struct cmd_lpddr_state lpddr;
    struct cmd_half_tick_state half;
    struct cmd_gddr7_state gddr7;
    struct cmd_prac_state *prac;
    struct cmd_blockhammer_state *blockhammer;

    const struct cmd_mitigation *mitigation[CMD_MOST_MITIGATIONS];
    void *mitigation_state[CMD_MOST_MITIGATIONS];

    struct cmd_stats stats;
    struct cmd_core_stats *cores;
    int64_t cycles_from;                 /* 15.1 */
    struct fault fault;                  /* ends the run */
    struct arena arena;                  /* requests, and what lives as long as the channel */
};

/* ---- cmd_channel.c */
struct fault cmd_channel_init(struct cmd_channel *channel, const struct cmd_config *config,
                              const struct cmd_hooks *hooks,
                              const struct cmd_controller *controller, uint32_t number, uint32_t sources);
void cmd_channel_free(struct cmd_channel *channel);
void *cmd_channel_take(struct cmd_channel *channel, size_t bytes);
/* A request of the read or write kind arrives (4.2). */
enum cmd_answer cmd_channel_send(struct cmd_channel *channel, const struct cmd_access *access, uint64_t local);
/* An internal request (4.3); a vector has an entry a level. False: the priority queue is full. */
bool cmd_priority_send(struct cmd_channel *channel, unsigned final, const int32_t *vector);
bool cmd_enqueue_internal(struct cmd_channel *channel, enum cmd_queue_name queue, unsigned final,
                          const int32_t *vector);
void cmd_queue_append(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request);
void cmd_queue_remove(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request);
void cmd_waiting_remove(struct cmd_channel *channel, uint64_t address);

static inline void cmd_request_free(struct cmd_channel *channel, struct cmd_request *request)
{
    request->next = channel->pool;
    channel->pool = request;
}

static inline bool cmd_is_full(const struct cmd_channel *channel, enum cmd_queue_name queue)
{
    return channel->queues[queue].count >= channel->queues[queue].capacity;
}

/* Lengths of a queue, added up over ticks (15.1), are the ticks that its requests have waited. */
static inline uint64_t cmd_queue_waited(const struct cmd_channel *channel, enum cmd_queue_name name)
{
    const struct cmd_queue *const queue = &channel->queues[name];

    return queue->waited + queue->count * (uint64_t)channel->clk;
}

static inline void cmd_fail(struct cmd_channel *channel, struct fault fault)
{
    if (channel->fault.kind == FAULT_NONE)
        channel->fault = fault;
}

/* The controller must choose in the tick after those done; in the present one, if it has not chosen yet. */
static inline void cmd_wake(struct cmd_channel *channel)
{
    channel->next_choice = 0;
}

/* ---- cmd_map.c (2.5): vector of a flat address. */
struct fault cmd_map_init(struct cmd_channel *channel);
struct fault cmd_map(const struct cmd_channel *channel, uint64_t local, int32_t *vector);
/* The other way round, before rows are moved; not with given levels. FAULT_INPUT: an entry is out of bounds. */
struct fault cmd_map_address(const struct cmd_channel *channel, const int32_t *vector, uint64_t *local);

/* ---- cmd_pick.c (4.6, 6) */
extern const struct cmd_engine cmd_plain_engine;
/* The best of a queue, found by asking each request; when a request's command may be issued, from tick `from` on. */
struct cmd_pick cmd_pick_plain(struct cmd_channel *channel, enum cmd_queue_name queue, enum cmd_slot slot);
int64_t cmd_prepare(struct cmd_channel *channel, struct cmd_request *request, enum cmd_queue_name queue,
                    enum cmd_slot slot, int64_t from);
struct cmd_pick cmd_priority_head(struct cmd_channel *channel, enum cmd_slot slot);
void cmd_forget_slot(struct cmd_channel *channel, enum cmd_slot slot);
void cmd_pick_arrived(struct cmd_channel *channel, enum cmd_queue_name queue, struct cmd_request *request);
static inline void cmd_forget_picks(struct cmd_channel *channel)
{
    channel->state++;
}

/* The kept pick, or a new one. */
static inline struct cmd_pick cmd_best(struct cmd_channel *channel, enum cmd_queue_name queue, enum cmd_slot slot)
{
    struct cmd_pick *const kept = &channel->picks[queue][slot];

    if (channel->queues[queue].count == 0)
        return (struct cmd_pick){NULL, CMD_NEVER, queue};
    if (channel->picked_in[queue][slot] != channel->state || kept->tick < channel->clk) {
        *kept = channel->engine->best(channel, queue, slot);
        channel->picked_in[queue][slot] = channel->state;
    }
    return *kept;
}

/* 4.5. Odd behaviour 25 mended: writes that are served for want of reads give way to the first read, and a queue that
 * was full is emptied to its mark. */
static inline bool cmd_next_write_mode(struct cmd_channel *channel)
{
    size_t const reads = channel->queues[CMD_QUEUE_READ].count, writes = channel->queues[CMD_QUEUE_WRITE].count;

    if (cmd_mends(channel->config, CMD_MEND_IDLE_WRITE_MODE)) {
        channel->is_draining = writes >= channel->write_on || (channel->is_draining && writes >= channel->write_off);
        return channel->is_draining || (reads == 0 && writes > 0);
    }
    return channel->write_mode ? !(writes < channel->write_off && reads != 0) : writes >= channel->write_on || reads
        == 0;
}

/* Of the read or the write queue, after the write mode has been evaluated. */
static inline struct cmd_pick cmd_read_write(struct cmd_channel *channel, enum cmd_slot slot)
{
    channel->write_mode = cmd_next_write_mode(channel);
    return cmd_best(channel, channel->write_mode ? CMD_QUEUE_WRITE : CMD_QUEUE_READ, slot);
}

/* Priority head, then reads and writes if the priority queue is empty; not before tick `clk`. */
static inline struct cmd_pick cmd_best_behind_active(struct cmd_channel *channel, enum cmd_slot slot)
{
    struct cmd_pick head, other;

    if (channel->queues[CMD_QUEUE_PRIORITY].count == 0)
        return cmd_read_write(channel, slot);
    head = cmd_priority_head(channel, slot);     /* which may find the queue to be empty now */
    if (channel->queues[CMD_QUEUE_PRIORITY].count == 0)
        return cmd_read_write(channel, slot);
    if (head.tick <= channel->clk || !cmd_mends(channel->config, CMD_MEND_PRIORITY_BLOCKS))
        return head;
    other = cmd_read_write(channel, slot);
    return other.tick < head.tick ? other : head;
}

/* ---- cmd_row_policy.c (7) */
struct fault cmd_row_policy_init(struct cmd_channel *channel);
void cmd_row_policy_tick(struct cmd_channel *channel);
void cmd_row_policy_upgrade(struct cmd_channel *channel, struct cmd_request *request);
void cmd_row_policy_issued(struct cmd_channel *channel, const struct cmd_request *request);

/* ---- cmd_refresh.c (8) */
struct fault cmd_refresh_init(struct cmd_channel *channel);
void cmd_refresh_tick(struct cmd_channel *channel);
/* Level of the nodes that are refreshed at once. */
unsigned cmd_refresh_level(const struct cmd_channel *channel);
/* A request has joined (change 1) or left (-1) a queue. */
void cmd_refresh_waiting(struct cmd_channel *channel, const struct cmd_request *request, int change);

/* ---- cmd_power.c: power-down and self-refresh */
struct fault cmd_power_init(struct cmd_channel *channel);
void cmd_power_tick(struct cmd_channel *channel);
/* As cmd_refresh_waiting; before an engine looks at a request that has joined. */
void cmd_power_waiting(struct cmd_channel *channel, const struct cmd_request *request, int change);
/* Are all ranks of the vector in self-refresh? */
bool cmd_power_refreshes_itself(const struct cmd_channel *channel, const int32_t *vector);

/* ---- cmd_issue.c (4.8 to 4.10) */
/* Upgrade, statistics, issue, retire or promote. */
void cmd_serve(struct cmd_channel *channel, struct cmd_pick pick);
void cmd_issue(struct cmd_channel *channel, struct cmd_request *request);
void cmd_count_row(struct cmd_channel *channel, struct cmd_request *request);
void cmd_report(struct cmd_channel *channel, const struct cmd_request *request);
/* A write that has been served, or has left its queue, is no longer one that reads find. */
void cmd_stop_waiting(struct cmd_channel *channel, struct cmd_pick pick, bool is_served);
void cmd_advance(struct cmd_channel *channel, struct cmd_pick pick);
void cmd_retire(struct cmd_channel *channel, struct cmd_pick pick);
void cmd_promote(struct cmd_channel *channel, struct cmd_pick pick);
void cmd_complete(struct cmd_channel *channel, struct cmd_request *request);

/* ---- cmd_tick.c (4.4) */
int64_t cmd_plain_run(struct cmd_channel *channel, int64_t next, int64_t limit);

/* ---- controllers (5) */
extern const struct cmd_controller cmd_single_bus, cmd_dual_bus, cmd_half_tick, cmd_gddr7, cmd_lpddr, cmd_prac,
                                   cmd_blockhammer;
void cmd_blockhammer_free(struct cmd_channel *channel);
void cmd_prac_free(struct cmd_channel *channel);

#endif
