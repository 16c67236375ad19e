/* The keys are those that tests/cli/verdict_helps.sh finds to shorten runs of each cause. */
#include "sweep/report/remedies.h"

#include <string.h>

#include "replay/metrics/verdict.h"

static const char *const keys[CAUSE_COUNT] = {
    [CAUSE_DRAM_BANDWIDTH] = "memory.channels,memory.device,l3.size,l2.size",
    [CAUSE_DRAM_BANKS] = "memory.channels,memory.dram.banks_per_rank,memory.dram.page_policy",
    [CAUSE_DRAM_ACTIVATIONS] = "memory.channels,memory.device,memory.dram.page_policy",
    [CAUSE_DRAM_BANK_GROUP] = "memory.channels,memory.device",
    [CAUSE_DRAM_TURNS] = "memory.channels,memory.device",
    [CAUSE_DRAM_REFRESH] = "memory.device,memory.channels",
    [CAUSE_DRAM_MITIGATION] = "memory.mitigation",
    [CAUSE_DRAM_COMMAND_BUS] = "memory.channels,memory.device",
    [CAUSE_DRAM_CHANNEL] = "memory.interleave,memory.channels",
    [CAUSE_MEMORY_BUS] = "memory_bus.width,memory_bus.clock",
    [CAUSE_CACHE_MSHRS] = "l2.mshrs,l3.mshrs",
    [CAUSE_CACHE_TARGETS] = "l2.targets_per_mshr,l3.targets_per_mshr",
    [CAUSE_CACHE_WRITE_BUFFERS] = "l2.write_buffers,l3.write_buffers",
    [CAUSE_TRANSLATION] = "cpu.tlb.l1d.entries,cpu.tlb.l2.entries",
    [CAUSE_DRAM_LATENCY] = "l3.size,l2.size,l2.prefetcher,memory.device",
    [CAUSE_CACHE_LATENCY] = "l1d.size,l1d.prefetcher,l2.tag_latency",
    [CAUSE_ROB] = "cpu.rob,cpu.numROBEntries,l2.size,l2.prefetcher",
    [CAUSE_INSTRUCTION_QUEUE] = "cpu.numIQEntries",
    [CAUSE_LOAD_QUEUE] = "cpu.load_buffer,cpu.LQEntries,l1d.mshrs",
    [CAUSE_STORE_BUFFER] = "cpu.store_buffer,cpu.SQEntries,l1d.mshrs",
    [CAUSE_L1D_MSHRS] = "l1d.mshrs,l1d.size",
    [CAUSE_L1D_TARGETS] = "l1d.targets_per_mshr",
    [CAUSE_L1D_WRITE_BUFFERS] = "l1d.write_buffers",
    [CAUSE_MEMORY_ORDER] = "cpu.storeSets",
    [CAUSE_L1I] = "l1i.size,l1i.prefetcher,l2.tag_latency",
    [CAUSE_L1I_MSHRS] = "l1i.mshrs,l1i.size",
    [CAUSE_L1I_TARGETS] = "l1i.targets_per_mshr",
    [CAUSE_L1I_WRITE_BUFFERS] = "l1i.write_buffers",
    [CAUSE_FETCH_TIMES] = "",
    [CAUSE_FRONT_END] = "cpu.fetchWidth,cpu.decodeWidth",
    [CAUSE_MISPREDICTIONS] = "cpu.branchPred.type",
    [CAUSE_SERIALISING] = "",
    [CAUSE_DEPENDENCES] = "cpu.freq_multiplier,l1d.tag_latency",
    [CAUSE_UNITS] = "cpu.fuPool.IntALU,cpu.fuPool.FP_ALU",
    [CAUSE_COMPUTE] = "cpu.freq_multiplier",
    [CAUSE_GPU_SCOREBOARD] = "gpu.l1.latency,gpu.l2.latency",
    [CAUSE_GPU_RESULTS] = "gpu.units.sp.latency,gpu.units.int.latency",
    [CAUSE_GPU_OCCUPANCY] = "gpu.sm.max_threads,gpu.sm.max_blocks",
    [CAUSE_GPU_GRID] = "gpu.l2.dram_latency,gpu.l2.latency",
    [CAUSE_GPU_LDST] = "gpu.sm.shared_banks",
    [CAUSE_GPU_UNITS] = "gpu.units.sp.interval,gpu.units.int.interval",
    [CAUSE_GPU_BARRIERS] = "gpu.l1.latency,gpu.l2.latency",
    [CAUSE_GPU_IDLE] = "gpu.launch_latency",
    [CAUSE_GPU_ISSUE] = "gpu.sm.schedulers"
};

const char *remedies_of(const char *cause)
{
    for (enum verdict_cause i = 0; i < CAUSE_COUNT; i++)
        if (strcmp(verdict_key(i), cause) == 0)
            return keys[i] ? keys[i] : "";
    return "";
}
