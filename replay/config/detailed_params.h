/* Parameters of the detailed core as data: keys of the section cpu, with gem5's names and defaults (o3-core 1.2, 5.4).
 * Lines as in memsys/sim/param.h. */
#ifndef REPLAY_CONFIG_DETAILED_PARAMS_H
#define REPLAY_CONFIG_DETAILED_PARAMS_H

#include <assert.h>

#include "base/fault.h"
#include "memsys/sim/param.h"
#include "replay/config/op_classes.h"

/* The models of a core. */
#define CPU_MODELS(V) V(CPU_MODEL_AUTO, auto) V(CPU_MODEL_ELASTIC, elastic) V(CPU_MODEL_DETAILED, detailed) \
    V(CPU_MODEL_WINDOW, window)
PARAM_ENUM(cpu_model, CPU_MODELS);

/* The core that elastic traces were captured on. */
#define CAPTURE_CORES(V) V(CAPTURE_REFERENCE, reference) V(CAPTURE_SYSTEM, system)
PARAM_ENUM(capture_core, CAPTURE_CORES);

/* What a conditional branch is fused with, if it follows at once: isa_fusion (proto/isa/isa.h), in its order. */
#define MACRO_FUSIONS(V) V(MACRO_FUSION_NONE, none) V(MACRO_FUSION_COMPARE, compare) \
    V(MACRO_FUSION_ARITHMETIC, arithmetic) V(MACRO_FUSION_LOGIC, logic)
PARAM_ENUM(macro_fusion, MACRO_FUSIONS);

#define MOST_STAGE_CYC 16                /* of one wire between stages */
#define MOST_WIDTH 64
#define MOST_UNITS 64                    /* of one group */
#define MOST_RENAMED_STORES 64

#define DETAILED_PARAMETERS(P)                                                                                        \
    P(fetch_width, fetchWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops fetched a cycle")                                  \
    P(fetch_buffer_bytes, fetchBufferSize, BYTES, 64, 4, 256, "bytes that a fetch reads, a power of two; 64B: or a "  \
      "line, if that is less")                                                                                        \
    P(fetch_queue, fetchQueueSize, COUNT, 32, 1, 4096, "micro-ops between fetch and decode")                          \
    P(decode_width, decodeWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops decoded a cycle")                                \
    P(rename_width, renameWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops renamed a cycle")                                \
    P(dispatch_width, dispatchWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops dispatched a cycle")                         \
    P(issue_width, issueWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops issued a cycle")                                   \
    P(writeback_width, wbWidth, COUNT, 8, 1, MOST_WIDTH, "results written back a cycle")                              \
    P(commit_width, commitWidth, COUNT, 8, 1, MOST_WIDTH, "micro-ops committed a cycle")                              \
    P(squash_width, squashWidth, COUNT, 8, 1, MOST_WIDTH, "ROB entries that a squash walks over in a cycle")          \
    P(rob_entries, numROBEntries, COUNT, 192, 1, 16384, "reorder buffer, in micro-ops")                               \
    P(iq_entries, numIQEntries, COUNT, 64, 1, 16384, "instruction queue, common to all units")                        \
    P(lq_entries, LQEntries, COUNT, 32, 1, 4096, "load queue")                                                        \
    P(sq_entries, SQEntries, COUNT, 32, 1, 4096, "store queue; atomics stand in it, too")                             \
    P(int_registers, numPhysIntRegs, COUNT, 256, 1, 65535, "physical integer registers")                              \
    P(float_registers, numPhysFloatRegs, COUNT, 256, 1, 65535, "physical floating-point and vector registers")        \
    P(load_ports, cacheLoadPorts, COUNT, 200, 1, 65535, "loads sent to the L1D a cycle")                              \
    P(store_ports, cacheStorePorts, COUNT, 200, 1, 65535, "stores sent to the L1D a cycle")                           \
    P(decode_to_fetch_cyc, decodeToFetchDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from decode to fetch")                  \
    P(commit_to_fetch_cyc, commitToFetchDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from commit to fetch")                  \
    P(rename_to_decode_cyc, renameToDecodeDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from rename to decode")               \
    P(commit_to_decode_cyc, commitToDecodeDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from commit to decode")               \
    P(fetch_to_decode_cyc, fetchToDecodeDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from fetch to decode")                  \
    P(iew_to_rename_cyc, iewToRenameDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from dispatch and execution to rename")     \
    P(commit_to_rename_cyc, commitToRenameDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from commit to rename")               \
    P(decode_to_rename_cyc, decodeToRenameDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from decode to rename")               \
    P(commit_to_iew_cyc, commitToIEWDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from commit to dispatch and execution")     \
    P(rename_to_iew_cyc, renameToIEWDelay, CYCLES, 2, 1, MOST_STAGE_CYC, "from rename to dispatch")                   \
    P(rename_to_rob_cyc, renameToROBDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from rename to the ROB")                    \
    P(issue_to_execute_cyc, issueToExecuteDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from issue to execution")             \
    P(iew_to_commit_cyc, iewToCommitDelay, CYCLES, 1, 1, MOST_STAGE_CYC, "from execution to commit")                  \
    P(trap_cyc, trapLatency, CYCLES, 13, 1, MOST_CYC, "from a trap at the head of the ROB to its squash")             \
    P(dep_check_shift, LSQDepCheckShift, COUNT, 4, 0, 12, "order violations are found on pieces of 2 to the power "   \
      "of this bytes")                                                                                                \
    P(store_set_clear_period, store_set_clear_period, COUNT, 250000, 1, UINT64_C(1) << 40, "stores between two "      \
      "clearings of the store sets")                                                                                  \
    P(ssit_entries, SSITSize, COUNT, 1024, 1, 1 << 20, "store-set identifiers, a power of two")                       \
    P(lfst_entries, LFSTSize, COUNT, 1024, 1, 1 << 20, "last fetched stores, a power of two")                         \
    P(has_store_sets, storeSets, BOOL, 1, 0, 1, "loads wait for stores that they collided with")                      \
    P(store_set_trust, storeSetTrust, COUNT, 0, 0, 65535, "waits for a store of another address after which a load "  \
      "leaves its store set; 0: it stays")                                                                            \
    P(wrong_path, wrongPath, BOOL, 1, 0, 1, "fetch wrong paths, where the trace has code images")                     \
    P(wrong_path_values, wrongPathValues, BOOL, 1, 0, 1, "execute wrong paths, where the trace has its program")      \
    P(wrong_path_loads, wrongPathLoads, BOOL, 0, 0, 1, "wrong-path loads read near the address their instruction "    \
      "had last")                                                                                                     \
    P(ideal_fetch, idealFetch, BOOL, 0, 0, 1, "every fetch finds its bytes at once")                                  \
    P(move_elimination, moveElimination, BOOL, 0, 0, 1, "rename does register moves: no unit, no latency")            \
    P(zero_idioms, zeroIdioms, BOOL, 0, 0, 1, "rename does xor of a register with itself and its like")               \
    P(nop_elimination, nopElimination, BOOL, 0, 0, 1, "no-ops take no entry of the instruction queue, and issue "     \
      "nothing")                                                                                                      \
    P(nop_fusion, nopFusion, BOOL, 0, 0, 1, "a no-op joins the micro-op before it: one slot, one ROB entry")          \
    P(micro_fusion, microFusion, BOOL, 0, 0, 1, "a load and the computation that it feeds are one until they "        \
      "issue, and in the ROB")                                                                                        \
    P(macro_fusion, macroFusion, MACRO_FUSION, MACRO_FUSION_NONE, 0, MACRO_FUSION_LOGIC, "what is one with a "        \
      "conditional branch behind it: compare: cmp and test; arithmetic: add, sub, inc, dec, and, too; logic: or "     \
      "and xor, too")                                                                                                 \
    P(flag_registers, numPhysCCRegs, COUNT, 0, 0, 65535, "physical registers of flags; 0: flags take integer ones")   \
    P(temporaries_take, temporaryRegs, BOOL, 1, 0, 1, "results that only their own instruction reads take "           \
      "registers")                                                                                                    \
    P(renamed_stores, memoryRenaming, COUNT, 0, 0, MOST_RENAMED_STORES, "youngest stores whose data a load with the " \
      "same address registers gets at rename; 0: none")                                                               \
    P(memory_renaming_cyc, memoryRenamingLatency, CYCLES, 1, 1, MOST_STAGE_CYC, "from a store's data to the result "  \
      "of such a load")                                                                                               \
    P(forward_cyc, forwardDelay, CYCLES, 0, 0, MOST_CYC, "more cycles of a load that a store forwards to")            \
    P(failed_forward_cyc, forwardFailDelay, CYCLES, 0, 0, MOST_CYC, "more cycles of a load that overlaps a store in " \
      "part, behind that store's write")                                                                              \
    P(scaled_cyc, scaledIndexDelay, CYCLES, 0, 0, MOST_STAGE_CYC, "more cycles of a load whose index is multiplied")  \
    P(vector_bytes, vectorPortWidth, BYTES, 0, 0, 256, "bytes of a floating-point or vector access that a port takes "\
      "a cycle; 0: all")                                                                                              \
    P(store_lines, storeLines, COUNT, 0, 0, 65535, "lines that stores sent to the L1D in a cycle may be of; 0: any")  \
    P(release_sent, releaseSentStores, BOOL, 0, 0, 1, "a store's entry is free once the L1D has taken the store; "    \
      "no: once it has answered")                                                                                     \
    P(combined_lines, writeCombining, COUNT, 0, 0, 256, "lines that non-temporal stores gather in on their way past " \
      "the caches; 0: they are as other stores")                                                                      \
    P(fetch_branches, fetchBranches, COUNT, 0, 0, MOST_WIDTH, "branches fetched a cycle; 0: as fetchWidth") \
    P(branch_units, branchUnits, COUNT, 0, 0, MOST_WIDTH, "branches executed a cycle beside fuPool.IntALU; 0: they "  \
      "take its units")                                                                                               \
    P(most_branches, branchMost, COUNT, 0, 0, MOST_WIDTH, "branches executed a cycle, in both kinds of units; 0: as " \
      "many as units; with branchUnits")                                                                              \
    P(call_cyc, fetchCallDelay, CYCLES, 0, 0, MOST_STAGE_CYC, "cycles without fetch behind a call or a return")       \
    P(string_cyc, stringDelay, CYCLES, 0, 0, MOST_CYC, "cycles without fetch behind the first part of a string "      \
      "instruction: its microcode begins")                                                                            \
    P(predicted_blocks, fetchBlocks, COUNT, 0, 0, 16, "blocks of fetchBufferSize predicted a cycle, a taken branch "   \
      "ends one; 0: no limit; with fetchAhead")                                                                       \
    P(block_branches, fetchBlockBranches, COUNT, 0, 0, 64, "branches in the BTB that end such a block, taken or not; "\
      "0: only a taken one does")                                                                                     \
    P(fetch_ahead, fetchAhead, COUNT, 0, 0, 64, "blocks asked for ahead of decode, on the predicted path; 0: none, "  \
      "fetch waits for each")                                                                                         \
    P(uop_cache, uopCache, COUNT, 0, 0, 1 << 16, "blocks whose micro-ops are kept decoded; 0: none; with fetchAhead") \
    P(uop_cache_ways, uopCacheAssoc, COUNT, 8, 1, 64, "their places in a set")                                        \
    P(uop_cache_cyc, uopCacheLatency, CYCLES, 1, 1, MOST_STAGE_CYC, "until fetch has such a block")                   \
    P(uop_cache_miss_width, uopCacheMissWidth, COUNT, 4, 1, MOST_WIDTH, "micro-ops decoded a cycle of other blocks")

/* Groups of functional units. suffix, key, how many */
#define DETAILED_UNITS(U)                                                                                             \
    U(INT_ALU, IntALU, 6) U(INT_MULT_DIV, IntMultDiv, 2) U(FP_ALU, FP_ALU, 4) U(FP_MULT_DIV, FP_MultDiv, 2)           \
    U(SIMD, SIMD_Unit, 4) U(PORT, RdWrPort, 4)

#define DETAILED_UNIT_ENUM(suffix, key, count) DETAILED_UNIT_##suffix,
enum detailed_unit { DETAILED_UNITS(DETAILED_UNIT_ENUM) DETAILED_UNIT_COUNT };

/* Rows of enum detailed_op, in its order. suffix, key, unit, cycles until the result, whether a unit takes the next one
 * before that (pipelined). No_OpClass needs no unit. */
#define DETAILED_OPS(O)                                                                                               \
    O(NO_OP, No_OpClass, COUNT, 1, 1)                                                                                 \
    O(INT_ALU, IntAlu, INT_ALU, 1, 1)                                                                                 \
    O(INT_MULT, IntMult, INT_MULT_DIV, 3, 1)                                                                          \
    O(INT_DIV, IntDiv, INT_MULT_DIV, 20, 0)                                                                           \
    O(FLOAT_ADD, FloatAdd, FP_ALU, 2, 1)                                                                              \
    O(FLOAT_CMP, FloatCmp, FP_ALU, 2, 1)                                                                              \
    O(FLOAT_CVT, FloatCvt, FP_ALU, 2, 1)                                                                              \
    O(FLOAT_MULT, FloatMult, FP_MULT_DIV, 4, 1)                                                                       \
    O(FLOAT_MULT_ACC, FloatMultAcc, FP_MULT_DIV, 5, 1)                                                                \
    O(FLOAT_DIV, FloatDiv, FP_MULT_DIV, 12, 0)                                                                        \
    O(FLOAT_MISC, FloatMisc, FP_MULT_DIV, 3, 1)                                                                       \
    O(FLOAT_SQRT, FloatSqrt, FP_MULT_DIV, 24, 0)                                                                      \
    O(SIMD_ALU, SimdAlu, SIMD, 1, 1)                                                                                  \
    O(SIMD_MULT, SimdMult, SIMD, 3, 1)                                                                                \
    O(SIMD_MISC, SimdMisc, SIMD, 1, 1)                                                                                \
    O(SIMD_FLOAT_ADD, SimdFloatAdd, SIMD, 2, 1)                                                                       \
    O(SIMD_FLOAT_MULT, SimdFloatMult, SIMD, 4, 1)                                                                     \
    O(SIMD_FLOAT_MULT_ACC, SimdFloatMultAcc, SIMD, 5, 1)                                                              \
    O(SIMD_FLOAT_DIV, SimdFloatDiv, SIMD, 12, 0)                                                                      \
    O(SIMD_FLOAT_SQRT, SimdFloatSqrt, SIMD, 24, 0)                                                                    \
    O(SIMD_AES, SimdAes, SIMD, 4, 1)                                                                                  \
    O(MEM_READ, MemRead, PORT, 1, 1)                                                                                  \
    O(MEM_WRITE, MemWrite, PORT, 1, 1)                                                                                \
    O(FLOAT_MEM_READ, FloatMemRead, PORT, 1, 1)                                                                       \
    O(FLOAT_MEM_WRITE, FloatMemWrite, PORT, 1, 1)

#define DETAILED_OP_ROW(suffix, key, unit, cycles, is_pipelined) + (DETAILED_OP_##suffix >= 0)
static_assert(DETAILED_OPS(DETAILED_OP_ROW) == DETAILED_OP_COUNT, "each op class has a row");

struct detailed_params {
    DETAILED_PARAMETERS(PARAM_FIELD)
    uint64_t units[DETAILED_UNIT_COUNT];             /* section cpu.fuPool: key of the group; at least 1 */
    uint64_t latency_cyc[DETAILED_OP_COUNT];         /* section cpu.opLat: key of the op class; at least 1 */
    uint64_t is_pipelined[DETAILED_OP_COUNT];        /* section cpu.pipelined */
    uint64_t interval_cyc[DETAILED_OP_COUNT];        /* section cpu.opInterval; 0: no limit */
    uint64_t most_issued[DETAILED_OP_COUNT];         /* section cpu.opMost; 0: no limit */
};

/* The reference's core. */
void detailed_params_defaults(struct detailed_params *params);
/* Whether the parameters make a core, with caches of that line; FAULT_INPUT, whose text begins with the key. */
struct fault detailed_params_check(const struct detailed_params *params, uint64_t line_bytes);

#endif
