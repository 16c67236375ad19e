/* A DRAM channel (or pseudo-channel): read and write queues, choice of the next burst, the data bus (classic-memory 8,
 * 9).
 *
 * Part of a memory controller (mem_ctrl.h), which hands it requests and takes its answers. Two events drive it:
 * next_request issues one burst each time it runs, ahead of the tick at which the burst's command goes out; respond
 * takes the oldest issued read out when its data have arrived. Requests are cut into bursts on arrival.
 * Units: ticks are picoseconds, sizes bytes. Ownership: a packet of a read stays with the channel until its last burst
 * has its data; a write's packet is given on at arrival. The channel must not move after init.
 * Capacity: read_buffer_size bursts between arrival and answer, write_buffer_size waiting writes. */
#ifndef MEMSYS_DRAM_DRAM_CHANNEL_H
#define MEMSYS_DRAM_DRAM_CHANNEL_H

#include "memsys/dram/bus_windows.h"
#include "memsys/dram/command.h"
#include "memsys/dram/command_bus.h"
#include "memsys/dram/geometry.h"
#include "memsys/dram/memory_traffic.h"
#include "memsys/dram/queue.h"
#include "memsys/dram/rank.h"
#include "memsys/energy/energy_meter.h"
#include "memsys/sim/histogram.h"
#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/occupancy.h"

enum dram_bus_state { BUS_READ, BUS_WRITE };

/* Counted where a burst is issued, unless said otherwise. Names of the reference in comments, `dram.` before them. */
struct dram_stats {
    uint64_t read_bursts, write_bursts;          /* readBursts, writeBursts; dramBytesRead/Written: times burst_bytes */
    uint64_t read_row_hits, write_row_hits;
    uint64_t queue_ps, bus_ps, access_ps;        /* totQLat, totBusLat, totMemAccLat: reads */
    uint64_t *bank_reads, *bank_writes;          /* perBankRdBursts, perBankWrBursts; ranks x banks of them */
    uint64_t *bank_activates, *bank_conflicts;   /* rows opened, and those for which another was closed; ours */
    struct histogram bytes_per_activate;         /* at each precharge */
    struct latency_histogram *read_latencies;    /* of read bursts, arrival to data; ours */
    struct bus_windows windows;                  /* of the data bus; ours */
    struct memory_traffic traffic[MAX_REQUESTORS];
    struct occupancy read_queue, write_queue;    /* bursts that wait, over time; ours */
};

/* A read whose data are on the way. */
struct dram_response {
    uint64_t ready_ps;
    struct packet *packet;
    uint32_t split, rank;
};

/* Bursts of one packet. */
struct dram_split {
    uint32_t bursts, finished;
};

struct mem_ctrl;
struct dram_scheduler;
struct dram_refresh;
struct dram_index_ops;
struct dram_index;

struct dram_channel {
    struct mem_ctrl *controller;
    struct sim *sim;
    const char *name;                            /* "dram" or "dram_2": in the log and in statistics */
    struct dram_command_bus *row_bus, *column_bus;
    const struct dram_params *dram;              /* in params */

    struct dram_geometry geometry;

    /* derived (classic-memory 9.3, 8.1) */
    uint64_t rank_to_rank_ps, write_to_read_ps, read_to_write_ps, write_to_read_same_group_ps;
    uint64_t read_to_write_same_group_ps, command_offset_ps;
    uint64_t min_reads, min_writes;              /* per switch */
    uint32_t write_high, write_low;
    uint32_t write_retry_limit;                  /* a refused write is retried when fewer writes wait */
    bool has_bank_groups;

    /* rows of tables (dram_schedule.h, refresh.h, page_policy.h) */
    const struct dram_scheduler *scheduler;
    const struct dram_refresh *refresh;
    bool (*closes_row)(const struct dram_channel *channel, const struct dram_queue *queue,
                       const struct dram_burst *burst);
    const struct dram_index_ops *index;          /* NULL: queues are searched */
    struct dram_index *index_data;               /* its own */

    struct dram_queue reads, writes;
    struct dram_response *responses;             /* ring of read_buffer_size */
    uint32_t response_head, response_count;
    struct dram_split *splits;                   /* read_buffer_size of them */
    uint32_t *free_splits, free_split_count;

    struct event next_request_event, respond_event;
    bool read_retry_owed, write_retry_owed;
    uint16_t bus, bus_next;                      /* enum dram_bus_state */
    uint64_t reads_this_time, writes_this_time;  /* since the bus turned */
    uint64_t next_burst_ps;                      /* no command to the data bus before */
    uint64_t next_request_ps;
    uint32_t active_rank;                        /* of the last burst */
    uint32_t rank_count;
    uint32_t refreshing_ranks;                   /* those not in REFRESH_IDLE */
    struct dram_rank *ranks;
    const struct dram_command_sink *commands;    /* observers; NULL: none */
    struct dram_stats stats;
    struct energy_meter energy;
    struct memory_params *params;                /* own copy */
};

/* Reserves its events. `range` is that of the port, with the bit removed that chooses the pseudo-channel. Faults name
 * the parameter that does not fit. */
struct fault dram_channel_init(struct dram_channel *channel, struct mem_ctrl *controller, const char *name,
                               const struct memory_params *params, const struct address_range *range,
                               uint32_t pseudo_channels);
void dram_channel_free(struct dram_channel *channel);
void dram_channel_startup(struct dram_channel *channel);

/* From now on writes go to the DRAM whenever no read waits, however few they are: for the end of a run, to which no
 * more requests come. The reference has no such state but for checkpoints. */
void dram_channel_drain(struct dram_channel *channel);

/* From now on `sink` and its successors (sink->next) receive all commands, in place of the previous sink. */
static inline void dram_channel_watch(struct dram_channel *channel, const struct dram_command_sink *sink)
{
    channel->commands = sink;
    if (sink->begin)
        sink->begin(sink->context, channel);
}

/* False: refused, the packet is unchanged and one retry is owed. Reads and writes only. */
bool dram_channel_recv_request(struct dram_channel *channel, struct packet *packet);

/* Peak bytes a second: one burst in each burst delay. */
double dram_channel_peak_bytes_per_s(const struct dram_channel *channel);

/* Of the channel; as struct energy_meter asks (dram_energy.c). */
struct energy_counts dram_channel_energy_counts(const void *channel, uint64_t now_ps);

void dram_channel_settle_stats(struct dram_channel *channel);
void dram_channel_reset_stats(struct dram_channel *channel);

/* As mem_ctrl_describe; and the same about a request that was refused, if there is one. */
bool dram_channel_describe(const struct dram_channel *channel, uint64_t address, char *text, size_t size);
bool dram_channel_describe_refusal(const struct dram_channel *channel, char *text, size_t size);

/* Issuing a burst: its effects on banks, ranks and the data bus (classic-memory 9.5). */

/* Issues the burst in `slot`, which was taken out of the queue just now. Answers the tick at which its data are
 * complete. */
uint64_t dram_issue(struct dram_channel *channel, const struct dram_queue *queue, uint32_t slot);

#endif
