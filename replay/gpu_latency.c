/* Unloaded latencies of loads as a warp sees them, from the parameters alone: the same sums that the LD/ST unit's times
 * come to (gpu_ldst.c) when nothing else is under way. */
#include "replay/gpu_machine.h"

static uint64_t cycles_to_unit(const struct gpu_params *params)
{
    return params->sm.pipeline_cyc > 1 ? params->sm.pipeline_cyc - 1 : 1;
}

static uint64_t from_below_ps(const struct gpu_params *params, uint64_t memory_ps)
{
    uint64_t const l1_cyc = params->l1.skip_global ? 0 : params->l1.cache.latency_cyc + 1;

    return (cycles_to_unit(params) + l1_cyc + memory_ps / params->core_clock_ps + 1 + params->sm.pipeline_cyc) *
           params->core_clock_ps;
}

struct gpu_latencies gpu_run_latencies(const struct gpu_params *params, const struct memory_params *memory)
{
    return (struct gpu_latencies){
        .shared_ps = (cycles_to_unit(params) + params->sm.shared_latency_cyc + 1) * params->core_clock_ps,
        .l1_ps = (cycles_to_unit(params) + params->l1.cache.latency_cyc) * params->core_clock_ps,
        .l2_ps = from_below_ps(params, gpu_memory_l2_latency_ps(params)),
        .dram_ps = memory ? from_below_ps(params, gpu_memory_dram_latency_ps(params, memory)) : 0,
    };
}
