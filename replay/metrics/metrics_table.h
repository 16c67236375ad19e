/* The derived metrics, a line each: the only source for `rubato results --metrics`, the summary and all other users.
 *
 * Formula: numbers, + - * / and brackets, and names. `cpu.numOps` is the sum of that statistic over the cores, or that
 * of one core; `$.` is replaced by a level of caches; a name without a point is another metric, or a statistic of the
 * whole run. `name?` is 0 where the component has no such statistic (a counter that stayed 0 is left out); `name!`
 * counts only where one instance has it, as percentiles of several do not add up; `name&` only where all have it, as
 * energy, which devices without published currents lack; `name~` leaves out cores that executed nothing; `name^` is
 * the highest of the instances. `a | b`: the first that has a value.
 *
 * M(name, unit, better, scope, formula, definition) */
#ifndef REPLAY_METRICS_METRICS_TABLE_H
#define REPLAY_METRICS_METRICS_TABLE_H

#define METRICS(M)                                                                                                    \
    M("time_ms", "ms", LOWER, RUN, "simTicks * 1e-9", "simulated time, since the warm-up")                            \
    M("speedup", "times", HIGHER, RUN, "baselineTicks / simTicks",                                                    \
      "time of the reference run (--baseline), divided by the time of this one")                                      \
    M("weighted_speedup", "of programs", HIGHER, RUN, "mixWeightedSpeedup",                                           \
      "sum over programs of time alone / time together (--alone; Snavely and Tullsen 2000)")                          \
    M("harmonic_speedup", "", HIGHER, RUN, "mixHarmonicSpeedup",                                                      \
      "harmonic mean over programs of time alone / time together (--alone; Luo and others 2001)")                     \
    M("fairness", "", HIGHER, RUN, "mixFairness",                                                                     \
      "smallest / largest slowdown of the programs (--alone; Gabor and others 2006)")                                 \
    M("max_slowdown", "times", LOWER, RUN, "mixMaxSlowdown",                                                          \
      "largest slowdown of a program (--alone; Kim and others 2010)")                                                 \
    M("slowdown", "times", LOWER, CORE, "cpu.sharedTicks / cpu.aloneTicks",                                           \
      "time of a core's program together with the others / alone (--alone); of several cores their sums")             \
    M("cycles", "cycles", LOWER, CORE, "cpu.numCycles~ | cpu.cpiStack::total~ | cpu.cpi! * cpu.numOps",               \
      "cycles of the cores that executed something, until each was done")                                             \
    M("instructions", "", NEITHER, CORE, "cpu.commitStats0.numInsts | cpu.microOps | cpu.numOps",                     \
      "instructions of detailed cores, micro-ops of elastic ones")                                                    \
    M("cpi", "cycles", LOWER, CORE, "cycles / instructions", "cycles an instruction")                                 \
    M("ipc", "", HIGHER, CORE, "instructions / cycles", "instructions a cycle")                                       \
    M("mlp", "lines", NEITHER, CORE, "l1d.avgMshrsInUse", "lines that the L1Ds wait for, on average over the run")    \
    M("load.mean_ns", "ns", LOWER, CORE, "(cpu.loadLatency::mean! | cores.loadLatency::mean) / 1000",                 \
      "mean latency of a load, from the L1D's acceptance to its response; of elastic cores")                          \
    M("load.p99_ns", "ns", LOWER, CORE, "(cpu.loadLatency::p99! | cores.loadLatency::p99) / 1000",                    \
      "latency that only 1 % of the loads exceed")                                                                    \
    M("branch.mpki", "", LOWER, CORE, "1000 * cpu.commit.branchMispredicts / instructions",                           \
      "mispredicted branches that committed, per 1000 instructions")                                                  \
    M("tlb.waiting", "cores", LOWER, CORE, "cpu.mmu.dtb.stallTicks / simTicks",                                       \
      "cores with a data access that waits for its translation, on average over the run")                             \
    M("stall.working", "of cycles", HIGHER, CORE, "cpu.cpiStack::working~ / cpu.cpiStack::total~",                    \
      "share of cycles in which a record executed")                                                                   \
    M("stall.blocked_cache", "of cycles", LOWER, CORE, "cpu.cpiStack::blocked_cache~ / cpu.cpiStack::total~",         \
      "share of cycles in which the L1D refuses a request")                                                           \
    M("stall.rob", "of cycles", LOWER, CORE, "cpu.cpiStack::rob~ / cpu.cpiStack::total~",                             \
      "share of cycles in which the reorder buffer is full")                                                          \
    M("stall.load_buffer", "of cycles", LOWER, CORE, "cpu.cpiStack::load_buffer~ / cpu.cpiStack::total~",             \
      "share of cycles in which the load buffer is full")                                                             \
    M("stall.store_buffer", "of cycles", LOWER, CORE, "cpu.cpiStack::store_buffer~ / cpu.cpiStack::total~",           \
      "share of cycles in which the store buffer is full")                                                            \
    M("stall.dependences", "of cycles", LOWER, CORE, "cpu.cpiStack::dependences~ / cpu.cpiStack::total~",             \
      "share of cycles in which every record waits for results")                                                      \
    M("slots.retiring", "of slots", HIGHER, CORE, "cpu.topDown::retiring~ / cpu.topDown::total~",                     \
      "share of commit slots whose micro-op committed")                                                               \
    M("slots.bad_speculation", "of slots", LOWER, CORE, "cpu.topDown::badSpeculation~ / cpu.topDown::total~",         \
      "share of commit slots lost to wrong paths and to refilling after a squash")                                    \
    M("slots.icache", "of slots", LOWER, CORE, "cpu.topDown::frontEnd.icache~ / cpu.topDown::total~",                 \
      "share of commit slots lost while fetch waits for the L1I")                                                     \
    M("slots.front_end", "of slots", LOWER, CORE, "cpu.topDown::frontEnd.bandwidth~ / cpu.topDown::total~",           \
      "share of commit slots for which fetch, decode and rename delivered too few")                                   \
    M("slots.serialising", "of slots", LOWER, CORE, "cpu.topDown::backEnd.serialising~ / cpu.topDown::total~",        \
      "share of commit slots lost to serialising micro-ops, system calls, page faults")                               \
    M("slots.loads", "of slots", LOWER, CORE, "cpu.topDown::backEnd.loads~ / cpu.topDown::total~",                    \
      "share of commit slots lost while the oldest micro-op is a load that waits for the cache")                      \
    M("slots.stores", "of slots", LOWER, CORE, "cpu.topDown::backEnd.stores~ / cpu.topDown::total~",                  \
      "share of commit slots lost to a store queue that is full or waits")                                            \
    M("slots.memory_order", "of slots", LOWER, CORE, "cpu.topDown::backEnd.memoryOrder~ / cpu.topDown::total~",       \
      "share of commit slots lost while the oldest micro-op waits for a store or barrier")                            \
    M("slots.units", "of slots", LOWER, CORE, "cpu.topDown::backEnd.units~ / cpu.topDown::total~",                    \
      "share of commit slots lost while the oldest micro-op executes or waits for a unit")                            \
    M("slots.queues", "of slots", LOWER, CORE, "cpu.topDown::backEnd.queues~ / cpu.topDown::total~",                  \
      "share of commit slots lost to full queues, registers and dependences")                                         \
    M("hit_rate", "of accesses", HIGHER, CACHE, "1 - $.overallMisses::total? / $.overallAccesses::total",             \
      "share of reads, stores and prefetches whose line was there, not one in flight; write-backs are no accesses")   \
    M("writebacks", "lines", NEITHER, CACHE, "$.WritebackDirty.accesses::total? + $.WritebackClean.accesses::total?", \
      "lines that the caches above wrote back into it; no accesses of hit_rate")                                      \
    M("mpki", "", LOWER, CACHE, "1000 * $.demandMshrMisses::total? / instructions",                                   \
      "lines that demand accesses asked the level below for, per 1000 instructions")                                  \
    M("miss_latency_ns", "ns", LOWER, CACHE, "$.overallMshrMissLatency::total / $.overallMshrMisses::total / 1000",   \
      "mean time from asking the level below to the line")                                                            \
    M("mshrs_used", "MSHRs", NEITHER, CACHE, "$.avgMshrsInUse", "MSHRs in use, on average over the run")              \
    M("blocked", "caches", LOWER, CACHE, "$.blockedShare", "caches that refuse requests, on average over the run")    \
    M("blocked.mshrs", "caches", LOWER, CACHE, "$.blockedBy::no_mshrs",                                               \
      "caches that refuse requests since every MSHR is taken, on average over the run")                               \
    M("blocked.targets", "caches", LOWER, CACHE, "$.blockedBy::no_targets",                                           \
      "caches that refuse requests since an MSHR has no target left (targets_per_mshr), on average over the run")     \
    M("blocked.write_buffers", "caches", LOWER, CACHE, "$.blockedBy::no_write_buffers",                               \
      "caches that refuse requests since every write buffer is taken, on average over the run")                       \
    M("optimal.fetched", "lines", LOWER, CACHE, "$.optimalFetched",                                                   \
      "lines taken from below, those of its prefetches included, in a run with --optimal, or optimal: of a sweep")    \
    M("optimal.least", "lines", LOWER, CACHE, "$.optimalLeast",                                                       \
      "lines that the optimal policy (Belady) would have taken for the same accesses: no policy takes fewer")         \
    M("optimal.excess", "of lines", LOWER, CACHE, "$.optimalFetched / $.optimalLeast - 1",                            \
      "lines that were taken beyond these, as a share of them")                                                       \
    M("energy_mj", "mJ", LOWER, CACHE, "$.sramEnergy::total * 1e-9",                                                  \
      "energy of the cache with its MSHRs, write buffers and prefetchers; this and the next ones with technology")    \
    M("area_mm2", "mm2", LOWER, CACHE, "$.sramArea", "area of the same")                                              \
    M("prefetch.issued", "prefetches", NEITHER, CACHE, "$.prefetch.issued",                                           \
      "prefetches sent; no figure of prefetches counts those sent before the warm-up's end")                          \
    M("prefetch.filled", "lines", NEITHER, CACHE, "$.prefetch.filled",                                                \
      "lines that these prefetches brought")                                                                          \
    M("prefetch.useful", "lines", HIGHER, CACHE, "$.prefetch.useful",                                                 \
      "of these, lines that a request from above used, late ones included")                                           \
    M("prefetch.late", "lines", LOWER, CACHE, "$.prefetch.late",                                                      \
      "of the useful ones, lines that a request from above asked for before they came")                               \
    M("prefetch.useless", "lines", LOWER, CACHE, "$.prefetch.useless",                                                \
      "filled - useful: lines evicted or invalidated before a use, or left at the end without one")                   \
    M("prefetch.accuracy", "of lines", HIGHER, CACHE, "$.prefetch.useful / $.prefetch.filled",                        \
      "useful prefetches, as a share of the lines that prefetches brought")                                           \
    M("prefetch.coverage", "of misses", HIGHER, CACHE,                                                                \
      "$.prefetch.useful / ($.prefetch.useful + $.prefetcher.demandMshrMisses)",                                      \
      "useful prefetches, as a share of these and the demand misses that are left")                                   \
    M("prefetch.lateness", "of lines", LOWER, CACHE, "$.prefetch.late / $.prefetch.useful",                           \
      "late prefetches, as a share of the useful ones")                                                               \
    M("prefetch.pollution", "of misses", LOWER, CACHE, "$.prefetch.displacedMisses / $.prefetcher.demandMshrMisses",  \
      "share of demand misses whose line a prefetched one had displaced; each set keeps as many as it has ways")     \
    M("mem.read_gb_s", "GB/s", NEITHER, MEMORY,                                                                       \
      "1000 * (mem.dram.dramBytesRead | mem.bytesRead::total?) / simTicks",                                           \
      "bytes read from memory a second")                                                                              \
    M("mem.write_gb_s", "GB/s", NEITHER, MEMORY,                                                                      \
      "1000 * (mem.dram.dramBytesWritten | mem.bytesWritten::total?) / simTicks",                                     \
      "bytes written to memory a second")                                                                             \
    M("mem.gb_s", "GB/s", NEITHER, MEMORY, "mem.read_gb_s + " \
                                           "mem.write_gb_s", "bytes read from and written to memory a second")        \
    M("mem.utilisation", "of peak", NEITHER, MEMORY, "1000 * mem.gb_s / (mem.dram.peakBW | mem.peakBW)",              \
      "share of the memory's peak bandwidth")                                                                         \
    M("mem.saturated", "of time", NEITHER, MEMORY,                                                                    \
      "(mem.dram.queuedWindows::50 + mem.dram.queuedWindows::60 + mem.dram.utilWindows::70 + "                        \
      "mem.dram.utilWindows::80 + mem.dram.utilWindows::90) / mem.dram.utilWindows::total",                           \
      "share of time in which DRAM was at 70 % of its peak or more, or at half of it and 4 reads waited")             \
    M("mem.saturated_at", "of peak", NEITHER, MEMORY,                                                                 \
      "(mem.dram.queuedWindowsUsed::50 + mem.dram.queuedWindowsUsed::60 + mem.dram.utilWindowsUsed::70 + "            \
      "mem.dram.utilWindowsUsed::80 + mem.dram.utilWindowsUsed::90) / (mem.dram.queuedWindows::50 + "                 \
      "mem.dram.queuedWindows::60 + mem.dram.utilWindows::70 + mem.dram.utilWindows::80 + "                           \
      "mem.dram.utilWindows::90)",                                                                                    \
      "share of the peak used in that time")                                                                          \
    M("mem.row_hit_rate", "of bursts", HIGHER, MEMORY,                                                                \
      "(mem.dram.readRowHits + mem.dram.writeRowHits) / (mem.dram.readBursts + mem.dram.writeBursts)",                \
      "share of bursts that found their row open")                                                                    \
    M("mem.latency_ns", "ns", LOWER, MEMORY, "mem.dram.totMemAccLat / mem.dram.readBursts / 1000",                    \
      "mean latency of a read in the controller and DRAM, queueing included")                                         \
    M("mem.p99_ns", "ns", LOWER, MEMORY, "(mem.readLatency::p99! | memories.readLatency::p99) / 1000",                \
      "latency in the controller and DRAM that only 1 % of the reads exceed")                                         \
    M("mem.reads_waiting", "reads", NEITHER, MEMORY, "mem.dram.avgReadsWaiting",                                      \
      "reads that wait in the controllers' queues, on average over the run")                                          \
    M("mem.energy_mj", "mJ", LOWER, MEMORY, "mem.dram.energy::total& * 1e-9",                                         \
      "energy of DRAM, by the currents of its data sheet; not of devices whose currents are not published")           \
    M("mem.energy_mj.activate", "mJ", LOWER, MEMORY, "mem.dram.energy::activate& * 1e-9",                             \
      "of it, rows opened and closed")                                                                                \
    M("mem.energy_mj.read", "mJ", LOWER, MEMORY, "mem.dram.energy::read& * 1e-9", "of it, read bursts")               \
    M("mem.energy_mj.write", "mJ", LOWER, MEMORY, "mem.dram.energy::write& * 1e-9", "of it, write bursts")            \
    M("mem.energy_mj.refresh", "mJ", LOWER, MEMORY, "mem.dram.energy::refresh& * 1e-9",                               \
      "of it, refreshes and refresh management")                                                                      \
    M("mem.energy_mj.background", "mJ", LOWER, MEMORY, "mem.dram.energy::background& * 1e-9",                         \
      "of it, standby, power-down and self-refresh")                                                                  \
    M("mem.energy_mj.io", "mJ", LOWER, MEMORY, "mem.dram.energy::io& * 1e-9",                                         \
      "of it, data pins with termination; where their power is given")                                                \
    M("mem.pj_per_bit", "pJ", LOWER, MEMORY,                                                                          \
      "mem.dram.energy::total& / (8 * (mem.dram.dramBytesRead + mem.dram.dramBytesWritten))",                         \
      "that energy by the bits read and written")                                                                     \
    M("mem.power_mw", "mW", LOWER, MEMORY, "1000 * mem.dram.energy::total& / simTicks", "mean power of DRAM")         \
    M("mem.rowhammer.most", "activations", LOWER, MEMORY, "mem.rowhammer.mostActivations^",                           \
      "activations of a row in a refresh window, at most; this and the next ones with rowhammer_threshold")           \
    M("mem.rowhammer.unserved", "activations", LOWER, MEMORY, "mem.rowhammer.mostUnserved^",                          \
      "the same since the victims of the row were refreshed by a defence")                                            \
    M("mem.rowhammer.hot", "rows", LOWER, MEMORY, "mem.rowhammer.hotRows",                                            \
      "rows that reached rowhammer_threshold, window by window")                                                      \
    M("mem.rowhammer.flips", "rows", LOWER, MEMORY, "mem.rowhammer.possibleFlips",                                    \
      "of these, rows that did so before their victims were refreshed: bits may flip")                                \
    M("mem.rowhammer.prevented", "rows", HIGHER, MEMORY, "mem.rowhammer.preventedFlips", "of these, the others")      \
    M("mem.defence.refreshes", "commands", LOWER, MEMORY, "mem.rowhammer.defenceRefreshes",                           \
      "VRR and RFM that defences issued")                                                                             \
    M("mem.defence.activates", "commands", LOWER, MEMORY, "mem.rowhammer.defenceActivates",                           \
      "rows that defences opened on their own account: copies, counters")                                             \
    M("mem.defence.waits_ms", "ms", LOWER, MEMORY, "mem.rowhammer.defenceWaits * 1e-9",                               \
      "time in which accesses waited for commands of defences and the data bus was idle, from a sample")              \
    M("mem.defence.energy_mj", "mJ", LOWER, MEMORY, "mem.rowhammer.defenceEnergy& * 1e-9",                            \
      "energy of the commands of defences; not of devices whose currents are not published")                          \
    M("energy.total_mj", "mJ", LOWER, RUN, "energy.sram_mj + mem.energy_mj",                                          \
      "energy of SRAMs and DRAM; with technology, and currents of the DRAM")                                          \
    M("energy.sram_mj", "mJ", LOWER, RUN, "sramEnergy::total * 1e-9",                                                 \
      "energy of caches, buffers, TLBs and arrays of cores, accesses and leakage; with technology")                   \
    M("energy.caches_mj", "mJ", LOWER, RUN, "sramEnergy::caches * 1e-9", "of it, accesses to caches")                 \
    M("energy.buffers_mj", "mJ", LOWER, RUN, "sramEnergy::buffers * 1e-9",                                            \
      "of it, accesses to MSHRs, write buffers and tables of prefetchers")                                            \
    M("energy.tlbs_mj", "mJ", LOWER, RUN, "sramEnergy::tlbs * 1e-9", "of it, accesses to TLBs")                       \
    M("energy.cores_mj", "mJ", LOWER, RUN, "sramEnergy::cores * 1e-9",                                                \
      "of it, accesses to queues, registers and predictors of cores")                                                 \
    M("energy.leakage_mj", "mJ", LOWER, RUN, "sramEnergy::leakage * 1e-9", "of it, leakage of all of them")           \
    M("energy.edp", "uJ s", LOWER, RUN, "energy.total_mj * time_ms", "energy of SRAMs and DRAM times the time")        \
    M("energy.nj_inst", "nJ", LOWER, RUN, "1e6 * energy.total_mj / instructions",                                     \
      "energy of SRAMs and DRAM by the instructions of all cores")                                                    \
    M("cost", "", LOWER, RUN, "cost", "what the point costs, by cost: of the sweep's file")                           \
    M("area_mm2", "mm2", LOWER, RUN, "sramArea", "area of all SRAMs; with technology")                                \
    M("membus.utilisation", "of time", NEITHER, RUN, "membus.busiestLayer",                                           \
      "share of time for which the busiest path of the memory bus was taken")                                         \
    M("gpu.gb_s", "GB/s", NEITHER, GPU, "1000 * (gpu.dram_reads + gpu.dram_writes) * gpu.sectorBytes / simTicks",     \
      "bytes a second read from and written to the DRAM of a GPU with memory of its own")                             \
    M("gpu.utilisation", "of peak", NEITHER, GPU, "1000 * gpu.gb_s / gpu.dramPeakBW",                                 \
      "share of the peak bandwidth of the DRAM of a GPU with memory of its own")                                      \
    M("gpu.occupancy", "of slots", HIGHER, GPU, "gpu.occupancy",                                                      \
      "warps that an SM can hold at once, as a share of its slots; mean of the kernels, weighted by cycles")          \
    M("gpu.slowdown", "times", LOWER, GPU, "gpu.sharedTicks / gpu.aloneTicks",                                        \
      "time of the GPU beside cores / without them (--alone)")                                                        \
    M("gpu.warp_insts", "", NEITHER, GPU, "gpu.warp_insts", "warp instructions issued")                               \
    M("gpu.l1_hit_rate", "of sectors", HIGHER, GPU, "gpu.l1_read_hits / gpu.l1_reads",                                \
      "share of the sectors read from the L1s that hit; writes: gpu.l1_write_hit_rate")                               \
    M("gpu.l1_write_hit_rate", "of sectors", HIGHER, GPU, "gpu.l1_write_hits / gpu.l1_writes",                        \
      "share of the sectors written to the L1s that hit")                                                             \
    M("gpu.l2_hit_rate", "of sectors", HIGHER, GPU, "gpu.l2_read_hits / gpu.l2_reads",                                \
      "share of the sectors read from the L2, atomics included, that hit; writes: gpu.l2_write_hit_rate")             \
    M("gpu.l2_write_hit_rate", "of sectors", HIGHER, GPU, "gpu.l2_write_hits / gpu.l2_writes",                        \
      "share of the sectors written to the L2 that hit")                                                              \
    M("gpu.latency_ns", "ns", LOWER, GPU, "gpu.latency_ps / gpu.latency_requests / 1000",                             \
      "mean latency of the reads that left the SM")                                                                   \
    M("gpu.stall.issuing", "of cycles", HIGHER, GPU, "gpu.warp_insts / gpu.scheduler_cycles",                         \
      "instructions that a scheduler of an SM with blocks issues a cycle")                                            \
    M("gpu.stall.scoreboard", "of cycles", LOWER, GPU, "gpu.stall_scoreboard / gpu.scheduler_cycles",                 \
      "share of scheduler cycles in which warps waited for results: of loads (GCN: s_waitcnt), or others")            \
    M("gpu.load_wait", "of cycles", LOWER, GPU, "gpu.scoreboard_loads / gpu.scheduler_cycles",                        \
      "part of gpu.stall.scoreboard in which all warps waited for accesses that left the L1")                         \
    M("gpu.stall.ldst", "of cycles", LOWER, GPU, "gpu.stall_ldst / gpu.scheduler_cycles",                             \
      "share of scheduler cycles in which warps waited for the load/store unit")                                      \
    M("gpu.stall.unit", "of cycles", LOWER, GPU, "gpu.stall_unit / gpu.scheduler_cycles",                             \
      "share of scheduler cycles in which warps waited for another execution unit")                                   \
    M("gpu.stall.barrier", "of cycles", LOWER, GPU, "gpu.stall_barrier / gpu.scheduler_cycles",                       \
      "share of scheduler cycles in which all warps waited at barriers")                                              \
    M("gpu.stall.idle", "of cycles", LOWER, GPU, "gpu.idle_cycles / gpu.scheduler_cycles",                            \
      "share of scheduler cycles in which no warp had anything to issue")                                             \
    M("gpu.scheduler_cycles", "cycles", LOWER, GPU,                                                                   \
      "gpu.warp_insts + gpu.stall_scoreboard + gpu.stall_ldst + gpu.stall_unit + "                                    \
      "gpu.stall_barrier + gpu.idle_cycles",                                                                          \
      "cycles of the schedulers of SMs with blocks: issuing, stalled, idle")

#endif
