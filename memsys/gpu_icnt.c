/* Modelled: gpu-traces 10 and 12.5, the local crossbar: one packet per port and cycle, latency, waiting at outputs. Not
 * modelled: an output's packets that hold up others of their input behind them, and networks of several hops. */
#include "memsys/gpu_icnt.h"

#include <stdlib.h>

struct fault gpu_icnt_init(struct gpu_icnt *icnt, const struct gpu_params *params, uint32_t sms, uint32_t slices)
{
    *icnt = (struct gpu_icnt){.clock = clock_domain(params->icnt_clock_ps),
                              .latency_ps = params->icnt_latency_cyc * params->icnt_clock_ps,
                              .packet_bytes = clock_domain(params->icnt_packet_bytes)};
    icnt->requests = (struct gpu_crossbar){calloc(sms, sizeof(uint64_t)), calloc(slices, sizeof(uint64_t))};
    icnt->replies = (struct gpu_crossbar){calloc(slices, sizeof(uint64_t)), calloc(sms, sizeof(uint64_t))};
    if (!icnt->requests.inputs || !icnt->requests.outputs || !icnt->replies.inputs || !icnt->replies.outputs)
        return fault_make(FAULT_MEMORY, "out of memory for an interconnect of %u SMs and %u slices", sms, slices);
    return fault_none();
}

void gpu_icnt_free(struct gpu_icnt *icnt)
{
    free(icnt->requests.inputs);
    free(icnt->requests.outputs);
    free(icnt->replies.inputs);
    free(icnt->replies.outputs);
    *icnt = (struct gpu_icnt){0};
}
