/* Wrong paths of a thread, executed: a machine that is behind the right path, and the steps that lead away from it.
 *
 * Use: values_open; values_wrong; values_release before the ring releases; values_close.
 * Steps of a wrong path form a stack: a state below the top takes those above it back. Ids of steps only grow, so that
 * one that is no more is found out.
 * Ownership: borrows the trace, the ring, whose instructions are numbered from the trace's first one, and the places.
 * Instructions: as in supply.h. */
#ifndef REPLAY_DETAILED_UOPS_VALUES_H
#define REPLAY_DETAILED_UOPS_VALUES_H

#include "proto/insn/insn_trace.h"
#include "replay/detailed/rv64/rv64_machine.h"
#include "replay/detailed/uops/uop_ring.h"

/* Least number of instructions read ahead of the requests: the results of a system call are inferred from those that
 * follow it. */
enum { SUPPLY_AHEAD = 32 };

struct values;

/* What threads of one trace have in common: memory, and the registers of threads to come. */
struct values_memory;

struct values_memory *values_memory_new(struct fault *fault);
void values_memory_free(struct values_memory *memory);

/* Of a thread of the trace; the first one makes the memory as it is at the beginning, also if it begins again. memory:
 * borrowed; NULL: its own. NULL without fault: the trace has no program. */
struct values *values_open(const struct insn_trace *trace, size_t thread, struct ring *ring, struct places *places,
                           struct values_memory *memory, struct fault *fault);
void values_close(struct values *values);

/* what: the instruction without values. base: number in the ring of the right path's number 0. NULL: the state is not
 * known. */
const struct supply_insn *values_wrong(struct values *values, const struct supply_insn *what, uint64_t state,
                                       uint64_t base);
void values_hold(struct values *values, const struct supply_insn *insn, bool drops);
/* Instructions below `number`, one of the ring, will not be left any more. */
void values_release(struct values *values, uint64_t number);

/* A marker of the trace behind the instruction that is put into the ring next: of a system call it has the result, and
 * the thread that it created. */
void values_mark(struct values *values, const struct insn_marker *marker);

/* Do the pages of the access exist by now? A page mapped by a system call no longer counts as first touched by the
 * later instructions in the ring. */
bool values_have(const struct values *values, const struct supply_access *access);

const struct machine_figures *values_figures(const struct values *values);
bool values_has_failed(const struct values *values);

#endif
