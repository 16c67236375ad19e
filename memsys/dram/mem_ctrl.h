/* Memory controller: one port in front of one DRAM channel, or of the two pseudo-channels of an HBM stack
 * (classic-memory 8, 9, 10.1).
 *
 * Use: mem_ctrl_init, set `above`, connect mem_ctrl_port, mem_ctrl_startup before the run; mem_ctrl_free at the end.
 * The struct must not move after init. Reads and writes only; the crossbar above keeps the rest.
 * Units: ticks are picoseconds, sizes bytes. Ownership: as memsys/sim/port.h says. A read's packet is kept and becomes
 * the answer; a write without answer goes back to the pool at once. */
#ifndef MEMSYS_DRAM_MEM_CTRL_H
#define MEMSYS_DRAM_MEM_CTRL_H

#include "memsys/dram/dram_channel.h"
#include "memsys/sim/packet_queue.h"
#include "memsys/sim/port.h"

#define MEM_CTRL_SIZE_CLASSES 9      /* bursts of 1, 2, 4, .. 256 bytes */

struct mem_ctrl_requestor_stats {
    uint64_t read_accesses, write_accesses;      /* bursts at arrival: requestorReadAccesses.. */
    uint64_t read_bytes, write_bytes;            /* at issue: requestorReadBytes.. */
    uint64_t read_latency_ps, write_latency_ps;  /* arrival to data: requestorReadTotalLat.. */
};

struct mem_ctrl_stats {
    uint64_t read_reqs, write_reqs;              /* packets accepted */
    uint64_t read_bursts, write_bursts;          /* with those served by or merged in the write queue */
    uint64_t serviced_by_write_queue, merged_writes;
    uint64_t read_retries, write_retries;        /* refusals: numRdRetry, numWrRetry */
    uint64_t bytes_read, bytes_written;          /* of packets: bytesReadSys, bytesWrittenSys */
    uint64_t bytes_read_from_write_queue;        /* bytesReadWrQ */
    uint64_t gap_ps;                             /* totGap */
    uint64_t turns_to_read, turns_to_write;      /* numReadWriteTurnArounds, numWriteReadTurnArounds: names swapped */
    uint64_t stays_read, stays_write;            /* numStayReadState, numStayWriteState */
    uint64_t read_sizes[MEM_CTRL_SIZE_CLASSES];  /* readPktSize: bursts by the logarithm of their size, rounded up */
    uint64_t write_sizes[MEM_CTRL_SIZE_CLASSES];
    uint64_t *read_queue_seen, *write_queue_seen;    /* rdQLenPdf, wrQLenPdf: length before a burst is appended */
    uint32_t read_queue_lengths, write_queue_lengths;    /* entries of the two */
    struct occupancy read_length, write_length;  /* avgRdQLen, avgWrQLen: level set when a burst is appended, to the
                                                    length with it; reads under way count, a pseudo-channel's second
                                                    ones do not; the present tick counts, too */
    struct histogram reads_per_turn, writes_per_turn;    /* rdPerTurnAround, wrPerTurnAround */
    struct mem_ctrl_requestor_stats requestors[MAX_REQUESTORS];
};

struct mem_ctrl {
    struct sim *sim;
    const char *name;                            /* in the log */
    struct above above;
    struct address_range range;                  /* of the port */
    uint64_t frontend_ps, backend_ps;
    uint64_t previous_arrival_ps;
    struct packet_queue responses;
    struct dram_command_bus buses[2];            /* one for all commands; rows, columns with pseudo-channels */
    struct dram_channel channels[2];
    uint32_t channel_count;
    const struct latency_histogram *latency_list[2];
    struct latency_histograms read_latencies;    /* of its channels, as one */
    struct mem_ctrl_stats stats;
};

/* Controller of channel `number` of `params`, named "mem_ctrls", or "mem_ctrls<number>" if there are several; the name
 * must outlive it. With pseudo-channels address bit 6 chooses between two sets of queues and banks. Faults are about
 * geometry, missing values and thresholds, and name the key to change. */
struct fault mem_ctrl_init(struct mem_ctrl *ctrl, struct sim *sim, const char *name, const struct memory_params *params,
                           unsigned number, bool has_pseudo_channels);
void mem_ctrl_free(struct mem_ctrl *ctrl);

struct below mem_ctrl_port(struct mem_ctrl *ctrl);

/* Schedules the first refreshes, in rank order (classic-memory 1.4). */
void mem_ctrl_startup(struct mem_ctrl *ctrl);

/* As dram_channel_watch, of all its channels. */
static inline void mem_ctrl_watch(struct mem_ctrl *ctrl, const struct dram_command_sink *sink)
{
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        dram_channel_watch(&ctrl->channels[i], sink);
}

/* As dram_channel_drain, of all its channels. */
static inline void mem_ctrl_drain(struct mem_ctrl *ctrl)
{
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        dram_channel_drain(&ctrl->channels[i]);
}

/* For channels: the access is performed; its answer, if it needs one, leaves `latency_ps` and the packet's own delays
 * later. Takes the packet. */
static inline void mem_ctrl_respond(struct mem_ctrl *ctrl, struct memory_traffic *traffic, struct packet *packet,
                                    uint64_t latency_ps)
{
    uint64_t const when_ps = sim_now_ps(ctrl->sim) + latency_ps + packet->header_delay_ps + packet->payload_delay_ps;

    memory_traffic_count(traffic, packet);
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_make_response(packet);
        packet->header_delay_ps = packet->payload_delay_ps = 0;
        packet_queue_push(&ctrl->responses, packet, when_ps);
        above_response_bound(&ctrl->above, packet, when_ps);
    } else {
        packet_give(ctrl->sim->packets, packet);
    }
}

/* From a tick in which a read has not been chosen yet to that in which its answer leaves, at least. */
uint64_t mem_ctrl_shortest_read_ps(const struct memory_params *params);

/* Call before statistics are read: time-dependent ones are brought up to now. Reset begins them anew. */
void mem_ctrl_settle_stats(struct mem_ctrl *ctrl);
void mem_ctrl_reset_stats(struct mem_ctrl *ctrl);

/* Where in the controller a request for the line of `address` is, as one phrase. If none is here, returns false, and
 * the phrase says whether a refused request still waits for room. */
bool mem_ctrl_describe(const struct mem_ctrl *ctrl, uint64_t address, char *text, size_t size);

/* Adds "system.<name>" with its channels and ranks. */
void mem_ctrl_add_stats(struct mem_ctrl *ctrl, struct stats *stats);

#endif
