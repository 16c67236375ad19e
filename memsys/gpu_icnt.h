/* Interconnect between SMs and L2 slices (gpu-traces 10): a crossbar for each direction. An input port sends one packet
 * at a time, an output port takes one at a time, each for as many cycles as the packet has pieces of packet_bytes; what
 * cannot go yet waits at the output. Unloaded, a packet arrives latency cycles after it left.
 *
 * Use: gpu_icnt_init, then ask when a packet that is sent now arrives; calls come in the order of time. Units: ticks
 * are picoseconds, sizes bytes. Ownership: the interconnect owns its arrays. */
#ifndef MEMSYS_GPU_ICNT_H
#define MEMSYS_GPU_ICNT_H

#include "memsys/clock.h"
#include "memsys/fault.h"
#include "memsys/gpu_params.h"

enum { GPU_ICNT_HEADER_BYTES = 8 };

/* One direction: ticks from which on ports are free. */
struct gpu_crossbar {
    uint64_t *inputs, *outputs;
};

struct gpu_icnt {
    struct clock_domain clock;
    uint64_t latency_ps;
    struct clock_domain packet_bytes;        /* divides by them */
    struct gpu_crossbar requests, replies;
};

struct fault gpu_icnt_init(struct gpu_icnt *icnt, const struct gpu_params *params, uint32_t sms, uint32_t slices);
void gpu_icnt_free(struct gpu_icnt *icnt);

/* `bytes`: of data, beside the header. */
static inline uint64_t gpu_icnt_arrival_ps(const struct gpu_icnt *icnt, const struct gpu_crossbar *crossbar,
                                           uint32_t from, uint32_t to, uint32_t bytes, uint64_t now_ps)
{
    uint64_t const taken_ps =
        domain_cycles(icnt->packet_bytes, GPU_ICNT_HEADER_BYTES + bytes) * icnt->clock.period_ps;
    uint64_t const leaves_ps = max_u64(domain_edge_ps(icnt->clock, now_ps), crossbar->inputs[from]);
    uint64_t const arrives_ps = max_u64(leaves_ps + icnt->latency_ps, crossbar->outputs[to]);

    crossbar->inputs[from] = leaves_ps + taken_ps;
    crossbar->outputs[to] = arrives_ps + taken_ps;
    return arrives_ps;
}

/* Tick at which fewer than `packets` packets of one cycle wait at an input port. */
static inline uint64_t gpu_icnt_room_ps(const struct gpu_icnt *icnt, const struct gpu_crossbar *crossbar, uint32_t from,
                                        uint64_t packets)
{
    uint64_t const waiting_ps = packets * icnt->clock.period_ps;

    return crossbar->inputs[from] > waiting_ps ? crossbar->inputs[from] - waiting_ps : 0;
}

#endif
