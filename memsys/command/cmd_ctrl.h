/* Memory controller of a DRAM that works command by command: one port in front of one channel, where a mem_ctrl could
 * stand.
 *
 * A packet becomes accesses of the device, one for each transaction (access_bytes) that it touches, in the order of
 * their addresses. A read's answer leaves front-end and back-end latency after the tick in which the data of its last
 * access is there; a write's, front-end latency after the tick in which the controller takes it, as gem5's controller
 * does. Reads of less than an access may join one that waits for the same access, and leave with it (cmd_merge.h). A
 * packet whose first access finds its queue full is refused, and tried again after the tick that makes room. A packet
 * of which the queue takes only a part is accepted; until the rest has its place, the controller refuses all others.
 *
 * Time: tick n of the device's clock is at n periods, rounded down to ps; HBM3's and HBM4's is half a CK, which need
 * not be a whole number of ps. A packet that arrives in the tick of a clock edge comes after the edge. Events are only
 * queued for ticks in which the device has something to do; a channel without requests and refresh has none. They come
 * last in a tick, in the order of the controllers, so that the number of looks at a device, which engines may choose,
 * changes nothing.
 *
 * Use: cmd_ctrl_init, set `above`, connect cmd_ctrl_port, cmd_ctrl_startup before the run; cmd_ctrl_free at the end.
 * The struct must not move after init. Faults of a device while it runs end the run (sim_abandon). Units: ticks of the
 * simulation are picoseconds, sizes bytes. Ownership: as memsys/sim/port.h says. */
#ifndef MEMSYS_COMMAND_CMD_CTRL_H
#define MEMSYS_COMMAND_CMD_CTRL_H

#include "memsys/command/cmd_inline_ecc.h"
#include "memsys/command/cmd_memory.h"
#include "memsys/command/cmd_merge.h"
#include "memsys/command/cmd_throttle.h"
#include "memsys/command/cmd_watch.h"
#include "memsys/dram/memory_traffic.h"
#include "memsys/energy/energy_meter.h"
#include "memsys/noc/interleave.h"
#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/packet_queue.h"
#include "memsys/sim/port.h"

struct memory_params;
struct stats;

/* The device's clock: `ticks` of it last period_ps. */
struct cmd_clock {
    uint64_t period_ps, ticks;
};

/* Time of a tick, and the last tick that is not later than when_ps. */
static inline uint64_t cmd_clock_tick_ps(const struct cmd_clock *clock, uint64_t tick)
{
    return clock->ticks == 1 ? tick * clock->period_ps : tick * clock->period_ps / clock->ticks;
}

static inline uint64_t cmd_clock_tick_of(const struct cmd_clock *clock, uint64_t when_ps)
{
    return clock->ticks == 1 ? when_ps / clock->period_ps : ((when_ps + 1) * clock->ticks - 1) / clock->period_ps;
}

struct cmd_clock cmd_ctrl_clock(const struct cmd_config *config);

struct cmd_ctrl;

/* Hears of each command as it is issued, in order; `issued` is valid during the call. */
struct cmd_sink {
    void (*begin)(void *context, const struct cmd_ctrl *ctrl);    /* it is watched from now on; may be NULL */
    void (*take)(void *context, const struct cmd_ctrl *ctrl, uint64_t tick_ps, const struct cmd_issued *issued);
    void *context;
    const struct cmd_sink *next;             /* the next sink of the same commands, or NULL */
};

struct cmd_ctrl_stats {
    uint64_t read_reqs, write_reqs;          /* packets accepted */
    uint64_t read_retries, write_retries;    /* refusals */
    uint64_t throttles;                      /* by BlockHammer: a source's share of reads in flight was cut */
    uint64_t throttled_reads;                /* packets that waited for their source's share */
    struct latency_histogram read_latencies;    /* ps, from a read packet's arrival to its data */
    struct cmd_stats device;                 /* as of cmd_ctrl_settle_stats; 11 */
    struct memory_traffic traffic[MAX_REQUESTORS];
};

/* A read whose data is not there yet. */
struct cmd_ctrl_read {
    struct packet *packet;                   /* NULL: free */
    uint64_t arrival_ps;
    uint32_t accesses;                       /* that are not done; of one that joined another: 1 */
    uint32_t joined;                         /* the next that is answered with it */
    uint32_t next_free;
};

/* A packet of which not all accesses have been taken. */
struct cmd_ctrl_rest {
    uint64_t next, end;                      /* of the channel's own bytes; empty: no packet */
    enum cmd_kind kind;
    int32_t source;
    uint32_t read;                           /* entry of reads */
    bool may_merge;                          /* a read of less than an access */
};

/* Of a command, for energy: refreshes of all banks in ps, of which a refresh of one bank is a share; rows that it
 * activates, as a VRR does. */
struct cmd_ctrl_shares {
    double refresh_ps[CMD_COMMANDS];
    uint64_t activates[CMD_COMMANDS];
};

/* Accesses of inline ECC that wait to be taken, in front of the rest of their packet. */
struct cmd_ctrl_checks {
    struct cmd_ecc_extra extra[CMD_ECC_MOST_EXTRA];
    uint32_t next, count;
};

struct cmd_ctrl {
    struct sim *sim;
    const char *name;                        /* in the log */
    struct above above;
    struct address_range range;              /* of the port */
    const struct cmd_spec *spec;
    struct cmd_memory *memory;
    struct cmd_watch watch;
    uint32_t defences;                       /* against RowHammer */
    uint32_t read_queue, write_queue;        /* entries */
    uint32_t number, place;                  /* among the channels of its memory, and all controllers */
    uint64_t access_bytes;                   /* what the address map steps by */
    struct cmd_clock clock;
    uint64_t frontend_ps, backend_ps;
    struct packet_queue responses;
    struct event tick_event;
    struct cmd_ctrl_rest rest;
    struct cmd_throttle throttle;
    struct cmd_inline_ecc ecc;               /* data_bytes 0: no inline ECC */
    struct cmd_ctrl_checks checks;
    struct cmd_merge merge;
    uint64_t ecc_chips;                      /* of a rank, for sideband ECC */
    bool request_retry_owed, has_room, can_postpone;     /* can_postpone: refreshes */
    struct cmd_ctrl_read *reads;
    size_t read_capacity;
    uint32_t first_free;
    const struct cmd_sink *sink;
    struct cmd_ctrl_stats stats;
    struct energy_device energy_device;
    struct cmd_ctrl_shares energy_shares;
    struct energy_meter energy;
};

/* Controller of channel `number` of `params`, which has its range and latencies; `config` is of one channel, and its
 * spec must outlive the controller, as must the name. place: the controller's among all of the simulation, which is
 * their order in one tick. */
struct fault cmd_ctrl_init(struct cmd_ctrl *ctrl, struct sim *sim, const char *name, const struct memory_params *params,
                           const struct cmd_config *config, unsigned number, unsigned place);
void cmd_ctrl_free(struct cmd_ctrl *ctrl);

struct below cmd_ctrl_port(struct cmd_ctrl *ctrl);

/* Schedules the first event, of the first refresh. */
void cmd_ctrl_startup(struct cmd_ctrl *ctrl);

/* From now on `sink` and those behind it hear of commands. */
static inline void cmd_ctrl_watch(struct cmd_ctrl *ctrl, const struct cmd_sink *sink)
{
    ctrl->sink = sink;
    for (; sink; sink = sink->next)
        if (sink->begin)
            sink->begin(sink->context, ctrl);
}

/* Bytes a second of all data buses of the channel; pseudo-channels have one each. */
double cmd_ctrl_peak_bytes_per_s(const struct cmd_spec *spec);
/* From a tick in which a read has not been taken yet to that in which its answer leaves, at least. */
uint64_t cmd_ctrl_shortest_read_ps(const struct memory_params *params);

/* Call before statistics are read: time-dependent ones are brought up to now. Reset begins them anew. */
void cmd_ctrl_settle_stats(struct cmd_ctrl *ctrl);
void cmd_ctrl_reset_stats(struct cmd_ctrl *ctrl);

/* Where in the controller a request for the line of `address` is, as one phrase; false if none is here. */
bool cmd_ctrl_describe(const struct cmd_ctrl *ctrl, uint64_t address, char *text, size_t size);

/* Counts for energy of `commands` (as of struct cmd_stats) and of what the ranks did up to now_ps. */
struct energy_counts cmd_ctrl_energy_counts(const struct cmd_ctrl *ctrl, const uint64_t commands[CMD_COMMANDS],
                                            uint64_t now_ps);

/* Adds "system.<name>". */
void cmd_ctrl_add_stats(struct cmd_ctrl *ctrl, struct stats *stats);

#endif
