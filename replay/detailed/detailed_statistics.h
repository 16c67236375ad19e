/* Statistics of a detailed core (o3-core 9), and where its cycles went. */
#ifndef REPLAY_DETAILED_DETAILED_STATISTICS_H
#define REPLAY_DETAILED_DETAILED_STATISTICS_H

#include <stdint.h>

#include "replay/config/op_classes.h"

/* field, name below the core's, unit, help */
#define DETAILED_STATISTICS(S)                                                                                        \
    S(cycles, "numCycles", "Cycle", "cycles, those in which it slept included")                                       \
    S(instructions, "commitStats0.numInsts", "Count", "instructions committed; system calls are not")                 \
    S(uops, "commitStats0.numOps", "Count", "micro-ops committed")                                                    \
    S(loads, "commitStats0.numLoadInsts", "Count", "loads committed")                                                 \
    S(stores, "commitStats0.numStoreInsts", "Count", "stores committed")                                              \
    S(branches, "commitStats0.numBranches", "Count", "control micro-ops committed")                                   \
    S(fetched_insts, "fetchStats0.numInsts", "Count", "instructions built by fetch, wrong paths included")            \
    S(fetched_branches, "fetchStats0.numBranches", "Count", "of these, control")                                      \
    S(predicted_branches, "fetch.predictedBranches", "Count", "of these, predicted taken")                            \
    S(fetch_cycles, "fetch.cycles", "Cycle", "cycles in which fetch ran")                                             \
    S(fetch_squash_cycles, "fetch.squashCycles", "Cycle", "two for each squash of fetch")                             \
    S(cache_lines, "fetch.cacheLines", "Count", "requests of the L1I")                                                \
    S(icache_squashes, "fetch.icacheSquashes", "Count", "responses of the L1I dropped")                               \
    S(icache_stall_cycles, "fetchStats0.icacheStallCycles", "Cycle", "cycles in which fetch waited for the L1I")      \
    S(fetch_misc_stall_cycles, "fetch.miscStallCycles", "Cycle", "cycles in which no request could be made")          \
    S(decoded_insts, "decode.decodedInsts", "Count", "micro-ops decoded")                                             \
    S(decode_mispredicted, "decode.branchMispred", "Count", "squashes by decode")                                     \
    S(decode_resolved, "decode.branchResolved", "Count", "branches whose target decode knew")                         \
    S(renamed_insts, "rename.renamedInsts", "Count", "micro-ops renamed")                                             \
    S(rob_full, "rename.ROBFullEvents", "Count", "renaming passes that found too few free ROB entries")               \
    S(iq_full, "rename.IQFullEvents", "Count", "renaming passes that found too few free entries of the queue")        \
    S(lq_full, "rename.LQFullEvents", "Count", "renaming passes that stopped at a load")                              \
    S(sq_full, "rename.SQFullEvents", "Count", "renaming passes that stopped at a store")                             \
    S(registers_full, "rename.fullRegistersEvents", "Count", "renaming passes that stopped for want of registers")    \
    S(serializing, "rename.serializing", "Count", "serialising micro-ops")                                            \
    S(temp_serializing, "rename.tempSerializing", "Count", "micro-ops that waited behind one")                        \
    S(dispatched_insts, "iew.dispatchedInsts", "Count", "micro-ops dispatched")                                       \
    S(dispatched_loads, "iew.dispLoadInsts", "Count", "of these, loads")                                              \
    S(dispatched_stores, "iew.dispStoreInsts", "Count", "of these, stores and atomics")                               \
    S(dispatch_iq_full, "iew.iqFullEvents", "Count", "dispatch stopped, the instruction queue was full")              \
    S(dispatch_lsq_full, "iew.lsqFullEvents", "Count", "dispatch stopped, the load or store queue was full")          \
    S(order_violations, "iew.memOrderViolationEvents", "Count", "order violations handled")                           \
    S(predicted_taken_wrong, "iew.predictedTakenIncorrect", "Count", "branches taken for taken that were not")        \
    S(predicted_untaken_wrong, "iew.predictedNotTakenIncorrect", "Count", "branches not taken for taken that were")   \
    S(detected_violations, "lsq0.memOrderViolation", "Count", "order violations found")                               \
    S(forwarded_loads, "lsq0.forwLoads", "Count", "loads forwarded from a store")                                     \
    S(rescheduled_loads, "lsq0.rescheduledLoads", "Count", "loads that overlap a store in part")                      \
    S(blocked_by_cache, "lsq0.blockedByCache", "Count", "data packets that the L1D refused")                          \
    S(squashed_loads, "lsq0.squashedLoads", "Count", "loads squashed in the queue")                                   \
    S(squashed_stores, "lsq0.squashedStores", "Count", "stores squashed in the queue")                                \
    S(conflicting_loads, "MemDepUnit__0.conflictingLoads", "Count", "loads that wait for a store or barrier")         \
    S(conflicting_stores, "MemDepUnit__0.conflictingStores", "Count", "stores that wait for a store or barrier")      \
    S(inserted_loads, "MemDepUnit__0.insertedLoads", "Count", "loads inserted")                                       \
    S(inserted_stores, "MemDepUnit__0.insertedStores", "Count", "stores inserted")                                    \
    S(added_insts, "instsAdded", "Count", "micro-ops put into the instruction queue")                                 \
    S(added_nonspec, "nonSpecInstsAdded", "Count", "non-speculative ones put there")                                  \
    S(issued_insts, "instsIssued", "Count", "micro-ops issued")                                                       \
    S(squashed_issued, "squashedInstsIssued", "Count", "squashed ones dropped at issue")                              \
    S(executed_insts, "executeStats0.numInsts", "Count", "micro-ops executed")                                        \
    S(commit_mispredicts, "commit.branchMispredicts", "Count", "squashes for a mispredicted branch")                  \
    S(squashed_insts, "commit.commitSquashedInsts", "Count", "squashed micro-ops that left the ROB")                  \
    S(nonspec_stalls, "commit.commitNonSpecStalls", "Count", "non-speculative micro-ops that commit asked for")       \
    S(page_faults, "commit.pageFaults", "Count", "first touches of a page; not gem5's name")                          \
    S(wrong_insts, "fetch.wrongPathInsts", "Count", "instructions built on wrong paths; not gem5's name")             \
    S(wrong_unknown, "fetch.wrongPathStops", "Count", "mispredictions after which no code was known; not gem5's name")

/* Slots of the commit width, top-down (A. Yasin, ISPASS 2014): where each slot of each cycle went. suffix, name,
 * help */
#define DETAILED_SLOTS(S)                                                                                             \
    S(RETIRING, "retiring", "micro-ops that committed")                                                               \
    S(BAD_SPECULATION, "badSpeculation", "wrong paths, and refilling after a squash")                                 \
    S(FETCH_LATENCY, "frontEnd.icache", "fetch waits for the L1I")                                                    \
    S(FETCH_BANDWIDTH, "frontEnd.bandwidth", "fetch, decode and rename delivered too few")                            \
    S(SERIALISING, "backEnd.serialising", "serialising, non-speculative, system calls, page faults")                  \
    S(MEMORY_LOADS, "backEnd.loads", "the oldest micro-op is a load that waits for the cache")                        \
    S(MEMORY_STORES, "backEnd.stores", "the store queue is full, or waits")                                           \
    S(MEMORY_ORDER, "backEnd.memoryOrder", "the oldest micro-op waits for a store or barrier")                        \
    S(CORE_UNITS, "backEnd.units", "the oldest micro-op executes, or waits for a unit")                               \
    S(CORE_DEPENDENCES, "backEnd.queues", "queues or registers were full, or dependences hold it back")

#define DETAILED_SLOT_ENUM(suffix, name, help) DETAILED_SLOT_##suffix,
enum detailed_slot { DETAILED_SLOTS(DETAILED_SLOT_ENUM) DETAILED_SLOT_COUNT };

#define DETAILED_STATISTIC_FIELD(field, name, unit, help) uint64_t field;
struct detailed_stats {
    DETAILED_STATISTICS(DETAILED_STATISTIC_FIELD)
    uint64_t issued_class[DETAILED_OP_COUNT];        /* statIssuedInstType_0:: */
    uint64_t busy_class[DETAILED_OP_COUNT];          /* statFuBusy:: */
    uint64_t committed_class[DETAILED_OP_COUNT];     /* commitStats0.committedInstType:: */
    uint64_t slots[DETAILED_SLOT_COUNT];             /* add up to cycles times the commit width */
    uint64_t rob_cyc, load_cyc, store_cyc, queue_cyc;    /* sums over the cycles of entries in use */
};

#endif
