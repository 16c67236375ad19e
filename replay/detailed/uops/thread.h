/* Makes the supply of a detailed core: one thread of an instruction trace, as micro-ops.
 *
 * Right path. An instruction of the trace is one of the supply, with these exceptions:
 *   - System calls that the trace lacks. Traces of committed instructions have none of RISC-V's ecalls. Where the
 *     trace skips the expected instruction, and the code image has a system call in its place, it is inserted;
 *     likewise after the last instruction. Traces in which a system call or its marker was met are left as they are.
 *   - Iterations of a string instruction, or many accesses, are several pieces (is_repeat), each of at most
 *     CRACK_MOST_ACCESSES accesses, next_pc of all but the last being its own pc. Iterations whose accesses follow each
 *     other within a line are one piece.
 *   - An access that no instruction owns (figures.orphans) is a micro-op of its own that is not fetched (is_unfetched),
 *     behind the instruction before it. Its pc is that of the trace, else the next instruction's. It waits for all
 *     before it (non-speculative), since the order of the trace is all that is known of it.
 * The outcome of a branch is the pc of the next instruction in the trace, even where other fields of the format
 * contradict it. A known non-branch that is not followed by the next instruction in memory remains a non-branch
 * (figures.jumps: signals, gaps of the trace). In formats that do not mark branches (INSN_LACKS_BRANCHES) it counts
 * as a branch from then on, with an unknown target. A read and a write of an atomic operation are one access.
 * Accesses longer than a line are cut at lines. An access that is known from the instruction and missing in the trace
 * has no place.
 * Sizes that the format lacks: accesses as proto/insn/insn_elastic.h has them, of ChampSim as static_insns_bytes says;
 * instructions as far as the next one is away; calls as far as the target of their first return is away; 4 where that
 * was never seen, or, where odd sizes were seen (x86-64), of branches the size of the form that compilers choose for
 * such a target or operand.
 *
 * Wrong path. Instructions come from the code images; without images wrong paths are empty, except for traces with
 * registers (ChampSim's): then the instruction that the trace has executed at that pc, or else one of 4 bytes without
 * dependents. Of such traces successive records of one pc are iterations of one instruction, and pages of code get
 * their places 16 at a time (PLACES_AROUND). Their accesses have no place,
 * unless wrong_path_loads is set: then those of loads are the ones that the same instruction made when it was last
 * released, and an instruction with such an access holds until 65,536 further ones of wrong paths were asked for.
 *
 * Values (wrong_path_values). A machine executes the program beside the trace, which is always right
 * (replay/detailed/rv64/rv64_machine.h); supply_thread_values counts the deviations of the machine. It lags behind the
 * requests: wrong paths are executed when they are fetched, in the state of the instruction behind which they leave
 * the right path.
 *
 * Places. Pages are touched in the order of the program, pc before data, when instructions are read, which may be some
 * 100 before they are asked for. supply_touch_images gives all pages of code their places before that, as a loader
 * would, so that wrong paths find theirs; a user's page map has priority over both.
 *
 * Use: supply_check, then supply_thread_open, supply_of_thread, supply_thread_close. A thread can be given in parts, as
 * proto/insn/insn_elastic.h does: supply_thread_until before each; numbers begin with 0 in each part.
 * Ownership: borrows trace, space and ranges. */
#ifndef REPLAY_DETAILED_UOPS_THREAD_H
#define REPLAY_DETAILED_UOPS_THREAD_H

#include "proto/insn/insn_trace.h"
#include "replay/detailed/rv64/rv64_machine.h"
#include "replay/detailed/uops/supply.h"
#include "replay/detailed/uops/uop_ring.h"

struct supply_thread_options {
    struct space *space;                 /* NULL: addresses are physical */
    uint32_t line_bytes;                 /* 0: 64 */
    bool wrong_path_loads;
    bool wrong_path_values;              /* where the trace has a program */
    struct values_memory *memory;        /* that the machines of the trace's threads share; NULL: of each its own */
    /* An access to a page of 4 KiB faults once (is_first_touch) if nothing before it in this thread did and the page is
     * neither one of a code image nor in `mapped`: the ranges mapped at program start, such as data segments and the
     * initial stack. Pages touched by system calls are not known. For a trace with its program all mapped ranges are
     * known, and if it has one thread its pages always fault; pages touched by system calls are known where wrong paths
     * are executed. */
    bool page_faults;
    const struct supply_range *mapped;
    size_t mapped_count;
};

struct supply_figures {
    uint64_t instructions;               /* of the trace */
    uint64_t pieces;                     /* further ones of an instruction */
    uint64_t system_calls;               /* put in */
    uint64_t loads, stores, atomics;     /* accesses, as the supply has them */
    uint64_t missing;                    /* accesses that the instruction makes and the trace lacks */
    uint64_t jumps;                      /* where no branch went elsewhere */
    uint64_t orphans;                    /* accesses without an instruction */
    uint64_t first_touches;
};

/* FAULT_INPUT, naming the missing part, of traces that no core can execute: without pcs, or without the non-memory
 * instructions. */
struct fault supply_check(const struct insn_trace *trace);
/* Bits of enum insn_lack that make a detailed run less exact: without dependences no register is waited for. */
uint32_t supply_lacks(const struct insn_trace *trace);

/* Touches all pages of code images, in their order. Before space_settle. */
struct fault supply_touch_images(const struct insn_trace *trace, struct space *space);

struct supply_thread;

/* The trace was opened with decoding. NULL on failure. */
struct supply_thread *supply_thread_open(const struct insn_trace *trace, size_t thread,
                                         const struct supply_thread_options *options, struct fault *fault);
void supply_thread_close(struct supply_thread *thread);
struct supply *supply_of_thread(struct supply_thread *thread);

/* A part begins: it ends before event `event` of the thread, counted from 0 with markers; UINT64_MAX: with the thread.
 * All instructions of the part before are released. Without this call all of the thread is one part. */
void supply_thread_until(struct supply_thread *thread, uint64_t event);

const struct supply_figures *supply_thread_figures(const struct supply_thread *thread);
/* NULL: wrong paths are not executed. */
const struct machine_figures *supply_thread_values(const struct supply_thread *thread);
const struct insn_cursor *supply_thread_cursor(const struct supply_thread *thread);

#endif
