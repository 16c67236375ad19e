/* Places in a trace that other tools name: after N instructions, or where an instruction is executed for the n-th
 * time; found in one pass.
 *
 * Use: fill in `wanted`, trace_places_find. Instructions are those that were fetched, from 0; an event is what
 * insn_cursor_skip counts. Errors: those of the trace, no memory; FAULT_INPUT: the trace has several threads. A place
 * that the trace does not reach has is_found false. */
#ifndef REPLAY_REGIONS_TRACE_PLACES_H
#define REPLAY_REGIONS_TRACE_PLACES_H

#include "base/fault.h"
#include "proto/insn/insn_trace.h"

struct trace_place {
    uint64_t times;                      /* 0: by instructions; else: execution number `times` of pc, from 1 */
    uint64_t pc;
    uint64_t instructions;               /* before it: wanted, or found */
    uint64_t event;                      /* found: events before it */
    bool is_found;
};

struct trace_places {
    struct trace_place *list;
    size_t count;
    uint64_t instructions, events;       /* of the whole trace */
};

struct fault trace_places_find(struct trace_places *places, const struct insn_trace *trace,
                         bool (*progress)(void *context, uint64_t instructions), void *context);

#endif
