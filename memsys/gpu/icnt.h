/* Interconnect between SMs and L2 slices (gpu-traces 10): a crossbar for each direction. An input port sends packets in
 * their order, an output port takes one at a time, for as many cycles as the packet has pieces of packet_bytes. A
 * packet whose output is taken, or has no room, waits at its input, and with it all behind it. Unloaded, a packet
 * arrives latency cycles after it was sent.
 *
 * Use: gpu_icnt_init; gpu_crossbar_pass for each packet, and where it cannot pass at once, gpu_crossbar_wait: the sink
 * is called when it passes. Calls come in the order of time. Units: ticks are picoseconds, sizes bytes. Ownership: the
 * interconnect must not move after init; it owns its arrays. */
#ifndef MEMSYS_GPU_ICNT_H
#define MEMSYS_GPU_ICNT_H

#include "base/fault.h"
#include "memsys/gpu/watch.h"
#include "memsys/sim/clock.h"
#include "memsys/sim/sim.h"

struct gpu_params;

enum { GPU_ICNT_HEADER_BYTES = 8 };

/* A packet that waits. */
struct gpu_packet {
    uint32_t slot;                           /* the sender's name for it */
    uint16_t to;
    uint16_t pieces;
};

struct gpu_packet_queue {
    struct gpu_packet *ring;
    uint32_t first, count;
};

struct gpu_crossbar_sink {
    /* A packet passes after having waited; it is no longer in its queue. */
    void (*passes)(void *self, const struct gpu_packet *packet, uint32_t from, uint64_t arrival_ps);
    /* NULL, or whether an output has room. Where it has again, gpu_crossbar_room must be called. */
    bool (*has_room)(const void *self, uint32_t to);
    void *self;
};

/* One direction. */
struct gpu_crossbar {
    struct gpu_icnt *icnt;
    struct gpu_crossbar_sink sink;
    uint32_t inputs, outputs, waiting;       /* waiting: packets at all inputs */
    uint64_t *input_ps, *output_ps;          /* from which on ports are free */
    uint64_t ports;                          /* packets that a port moves in a cycle */
    struct gpu_packet_queue *queues;         /* of inputs */
    uint32_t queue_mask;
    uint64_t *wanted;                        /* outputs that the first packets of inputs want */
    uint64_t *wanting;                       /* for each output: inputs whose first packet wants it */
    uint32_t words;                          /* of these, for an output */
    uint32_t *turns;                         /* of outputs: the input that is asked first */
    struct event event;                      /* at an edge at which a packet that waits may pass */
    struct gpu_watch *watch;                 /* NULL: no counting */
    bool is_reply;                           /* inputs are slices, outputs are SMs */
};

struct gpu_icnt {
    struct sim *sim;
    struct clock_domain clock;
    uint64_t latency_ps;
    uint64_t ports;
    struct clock_domain packet_bytes;        /* divides by them */
    struct gpu_crossbar requests, replies;
};

/* reply_queue: most replies that wait at a slice. The sinks are of requests and of replies. Reserves two events. */
struct fault gpu_icnt_init(struct gpu_icnt *icnt, struct sim *sim, const struct gpu_params *params,
                           uint64_t reply_queue, const struct gpu_crossbar_sink *requests,
                           const struct gpu_crossbar_sink *replies);
void gpu_icnt_free(struct gpu_icnt *icnt);

/* `bytes`: of data, beside the header. */
static inline uint64_t gpu_icnt_pieces(const struct gpu_icnt *icnt, uint32_t bytes)
{
    uint32_t const whole = GPU_ICNT_HEADER_BYTES + bytes;

    return whole <= icnt->packet_bytes.period_ps ? 1 : domain_cycles(icnt->packet_bytes, whole);
}

/* Whether a port that moves this number of packets in a cycle, and is busy until busy_ps, may move one at the edge. */
static inline bool gpu_icnt_is_free(const struct gpu_icnt *icnt, uint64_t busy_ps, uint64_t ports, uint64_t edge_ps)
{
    uint64_t const period_ps = icnt->clock.period_ps;

    return busy_ps <= edge_ps || (ports > 1 && busy_ps + period_ps / ports <= edge_ps + period_ps);
}

static inline uint64_t gpu_icnt_busy_ps(const struct gpu_icnt *icnt, uint64_t busy_ps, uint64_t ports, uint64_t pieces,
                                        uint64_t edge_ps)
{
    if (ports == 1)
        return edge_ps + pieces * icnt->clock.period_ps;
    return (busy_ps > edge_ps ? busy_ps : edge_ps) + pieces * icnt->clock.period_ps / ports;
}

/* The packet takes both ports from edge_ps on. Its arrival. */
static inline uint64_t gpu_crossbar_take(struct gpu_crossbar *crossbar, uint32_t from, uint32_t to, uint64_t pieces,
                                         uint64_t edge_ps)
{
    const struct gpu_icnt *const icnt = crossbar->icnt;

    if (crossbar->watch) {
        crossbar->watch->sms[crossbar->is_reply ? to : from].pieces += pieces;
        crossbar->watch->slices[crossbar->is_reply ? from : to].pieces += pieces;
    }
    crossbar->input_ps[from] =
        gpu_icnt_busy_ps(icnt, crossbar->input_ps[from], crossbar->ports, pieces, edge_ps);
    crossbar->output_ps[to] =
        gpu_icnt_busy_ps(icnt, crossbar->output_ps[to], crossbar->ports, pieces, edge_ps);
    return edge_ps + icnt->latency_ps;
}

/* Whether a packet that is sent now passes at once; *arrival_ps is its arrival then. The output has room. */
static inline bool gpu_crossbar_pass(struct gpu_crossbar *crossbar, uint32_t from, uint32_t to, uint32_t bytes,
                                     uint64_t *arrival_ps)
{
    const struct gpu_icnt *const icnt = crossbar->icnt;
    uint64_t const edge_ps = domain_edge_ps(icnt->clock, sim_now_ps(icnt->sim));

    if (crossbar->queues[from].count > 0 ||
        !gpu_icnt_is_free(icnt, crossbar->output_ps[to], crossbar->ports, edge_ps) ||
        !gpu_icnt_is_free(icnt, crossbar->input_ps[from], crossbar->ports, edge_ps))
        return false;
    *arrival_ps = gpu_crossbar_take(crossbar, from, to, gpu_icnt_pieces(icnt, bytes), edge_ps);
    return true;
}

/* It waits behind all others of its input, whose queue must have room. */
void gpu_crossbar_wait(struct gpu_crossbar *crossbar, uint32_t slot, uint32_t from, uint32_t to, uint32_t bytes);

/* An output has room again. */
void gpu_crossbar_room(struct gpu_crossbar *crossbar, uint32_t to);

static inline uint32_t gpu_crossbar_waiting(const struct gpu_crossbar *crossbar, uint32_t from)
{
    return crossbar->queues[from].count;
}

#endif
