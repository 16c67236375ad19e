/* Parameters of a cache (memsys/sim/param.h). */
#ifndef MEMSYS_CACHE_CACHE_PARAMS_H
#define MEMSYS_CACHE_CACHE_PARAMS_H

#include "memsys/policy/policy_params.h"
#include "memsys/sim/module_use.h"
#include "memsys/sim/param.h"

#define CLUSIVITIES(V)                                                                                                \
    V(CLUSIVITY_MOSTLY_INCL, mostly_incl) V(CLUSIVITY_MOSTLY_EXCL, mostly_excl)
PARAM_ENUM(clusivity, CLUSIVITIES);

/* classic-memory 4.1, 4.12, 4.13; defaults of the L1D of classic-memory 15 */
#define CACHE_PARAMETERS(P)                                                                                           \
    P(size_bytes, size, BYTES, 65536, 16, UINT64_C(1) << 30, "capacity")                                              \
    P(assoc, assoc, COUNT, 2, 1, 65536, "ways of a set")                                                              \
    P(tag_latency_cyc, tag_latency, CYCLES, 2, 0, MOST_CYC, "tag look-up; also what a miss, an eviction or a snoop "  \
      "response takes to leave")                                                                                      \
    P(data_latency_cyc, data_latency, CYCLES, 2, 0, MOST_CYC, "data access of a hit; also the fill")                  \
    P(response_latency_cyc, response_latency, CYCLES, 2, 0, MOST_CYC, "return path of a miss")                        \
    P(sequential_access, sequential_access, BOOL, 0, 0, 1, "look up tags first, then data (latencies add up)")        \
    P(mshrs, mshrs, COUNT, 4, 1, 65536, "outstanding misses (lines)")                                                 \
    P(targets_per_mshr, targets_per_mshr, COUNT, 20, 1, 65536, "requests that may wait for one line")                 \
    P(demand_mshr_reserve, demand_mshr_reserve, COUNT, 1, 0, 65536, "MSHRs that prefetches leave free")               \
    P(write_buffers, write_buffers, COUNT, 8, 1, 65536, "pending write-backs and evictions")                          \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, SLOWEST_CLOCK_PS, "clock; left out: the CPU's")                    \
    P(bus_clock_ps, bus_clock, PERIOD, CLOCK_INHERITED, 1, SLOWEST_CLOCK_PS, "clock of the crossbar above it; left "  \
      "out: cache_bus.clock")                                                                                         \
    P(read_only, read_only, BOOL, 0, 0, 1, "never asks for write permission (instruction caches)")                    \
    P(writeback_clean, writeback_clean, BOOL, 0, 0, 1, "write clean victims back too instead of only saying so")      \
    P(forward_clean, forward_clean, BOOL, 0, 0, 1, "clean lines that caches above give up and that are not here go "  \
      "on with their data, to a victim cache below")                                                                  \
    P(keep_overwritten, keep_overwritten, BOOL, 0, 0, 1, "lines that a cache above overwrites whole stay here, as "    \
      "others that it writes to do; no: they are given up")                                                           \
    P(read_overwritten, read_overwritten, BOOL, 0, 0, 1, "lines that stores overwrite whole before their miss has "   \
      "left are read all the same; no: only the right to write is asked for")                                        \
    P(clusivity, clusivity, CLUSIVITY, CLUSIVITY_MOSTLY_INCL, 0, 1, "keep lines that caches above hold, or drop them") \
    P(write_allocator, write_allocator, BOOL, 0, 0, 1, "coalesce streaming stores and stop allocating for them")      \
    P(replacement, replacement, REPLACEMENT, REPLACEMENT_LRU, 0, REPLACEMENT_MODULE, "which way of a set is "         \
      "reused; or a module's file")

struct cache_params {
    CACHE_PARAMETERS(PARAM_FIELD)
    struct module_use module;            /* of replacement */
};

#endif
