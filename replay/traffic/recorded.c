/* Times are kept as picoseconds since the beginning, or since the answer to the request before. */
#include "replay/traffic/traffic_trace.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/line_span.h"
#include "base/list.h"
#include "base/path.h"
#include "memsys/vm/vm_params.h"
#include "proto/insn/insn_trace.h"
#include "replay/config/config_values.h"
#include "replay/config/unloaded.h"
#include "replay/system/system_core.h"

/* 100 s: refreshes of idle memories alone take a computer minutes for it. */
#define MOST_TIME_PS UINT64_C(100000000000000)

struct reading {
    struct traffic_trace *trace;
    const struct insn_trace *insns;
    struct insn_spans spans;
    struct space *space;
    uint64_t line_bytes, cycle_ps, time_ps, total_ps;
    bool are_instructions;           /* whose time a cycle is */
    struct fault fault;
};

bool traffic_recorded_is(const char *path)
{
    struct fault ignored;
    struct insn_trace *const trace = insn_trace_open_raw(path, &ignored);
    bool const is = trace && strcmp(insn_trace_name(trace), "ramulator") != 0;

    insn_trace_close(trace);
    return is;
}

static uint64_t cycle_ps(const struct insn_trace *trace, const struct system_config *config, uint64_t given_ps)
{
    switch (insn_trace_meaning(trace).clock) {
    case INSN_CLOCK_NONE: return given_ps;
    case INSN_CLOCK_PS: return 1;
    default: return given_ps ? given_ps : memory_clock_ps(config);
    }
}

static bool recorded_append(struct reading *reading, uint64_t address, bool is_write)
{
    struct traffic_trace *const trace = reading->trace;
    uint64_t const place = space_touch_and_place(reading->space, address, &reading->fault);

    if (place == VM_NOWHERE)
        return false;
    if (!list_fit(&trace->records, trace->count + 1, &trace->capacity, sizeof *trace->records)
        || (reading->cycle_ps > 0 && !list_fit(&trace->times_ps, trace->count + 1, &trace->time_room,
                                               sizeof *trace->times_ps))) {
        reading->fault = fault_make(FAULT_MEMORY, "out of memory for a trace of more than %zu requests", trace->count);
        return false;
    }
    if (reading->cycle_ps > 0)
        trace->times_ps[trace->count] = reading->time_ps;
    trace->records[trace->count++] = (place & ~(reading->line_bytes - 1)) | is_write;
    return true;
}

static bool recorded_take(struct reading *reading, const struct insn *insn)
{
    const char *const path = insn_trace_thread(reading->insns, 0)->path;
    uint64_t const cycles = reading->are_instructions ? insn->gap : insn->gap_time;

    if (reading->trace->is_after_answers)
        reading->time_ps = 0;
    if (reading->cycle_ps > 0 && cycles >= (MOST_TIME_PS - reading->total_ps) / reading->cycle_ps)
        return WORKS(reading->fault, fault_at(path, FAULT_NO_OFFSET, "the time of request %zu leads beyond 100 s, the "
                                              "longest that traffic simulates; expected an earlier one, or a faster "
                                              "--trace-clock", reading->trace->count + 1));
    reading->time_ps += cycles * reading->cycle_ps;
    reading->total_ps += cycles * reading->cycle_ps;
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_span const bytes = insn_span(&reading->spans, &insn->accesses[i]);
        struct line_span const lines = line_span_of(bytes.address, bytes.size_bytes, reading->line_bytes);

        for (uint64_t k = 0; k < lines.count; k++) {
            if (!recorded_append(reading, (lines.first + k) * reading->line_bytes, insn->accesses[i].is_write))
                return false;
            if (reading->trace->is_after_answers)
                reading->time_ps = 0;
        }
    }
    if (reading->are_instructions && insn->form == INSN_EXECUTED) {
        reading->time_ps += reading->cycle_ps;
        reading->total_ps = min_u64(reading->total_ps + reading->cycle_ps, MOST_TIME_PS);
    }
    return true;
}

static bool read_thread(struct reading *reading, size_t thread)
{
    struct insn_cursor *const cursor = insn_cursor_open(reading->insns, thread, &reading->fault);
    enum insn_step step = INSN_END;
    struct insn_event event;

    if (!cursor)
        return false;
    reading->time_ps = reading->total_ps = 0;
    while (reading->fault.kind == FAULT_NONE
           && (step = insn_cursor_next(cursor, &event, &reading->fault)) == INSN_RECORD)
        if (!event.is_marker && !recorded_take(reading, &event.insn))
            break;
    if (insn_cursor_warning(cursor))
        snprintf(reading->trace->warning, sizeof reading->trace->warning, "%s: %s",
                 insn_trace_thread(reading->insns, thread)->path, insn_cursor_warning(cursor));
    insn_cursor_close(cursor);
    return reading->fault.kind == FAULT_NONE;
}

static struct fault recorded_read_all(struct reading *reading, struct vm_memory *memory,
                                      const struct system_config *config)
{
    struct insn_meaning const meaning = insn_trace_meaning(reading->insns);
    const char *const path = insn_trace_thread(reading->insns, 0)->path;
    bool const is_physical = config_pages(config)->addresses == ADDRESSES_PHYSICAL
        || (config_pages(config)->addresses == ADDRESSES_OF_FORMAT && meaning.addresses == INSN_ADDRESSES_PHYSICAL);

    if (reading->cycle_ps > 0 && insn_trace_threads(reading->insns) > 1)
        return fault_make(FAULT_INPUT, "%s: several threads with times of their own; give a trace of one", path);
    reading->space = vm_memory_add_space(memory, path_name(path), is_physical, &reading->fault);
    if (!reading->space || FAILS(reading->fault, spaces_map(reading->space, config_pages_map(config))))
        return reading->fault;
    FORWARD(space_settle(reading->space));
    reading->trace->is_after_answers = meaning.clock != INSN_CLOCK_NONE && meaning.since == INSN_SINCE_ANSWER;
    for (size_t i = 0; i < insn_trace_threads(reading->insns); i++)
        if (!read_thread(reading, i))
            return reading->fault;
    return reading->trace->count > 0 ? fault_none()
        : fault_make(FAULT_INPUT, "%s: holds no access; expected one at least", path);
}

struct fault traffic_recorded_read(struct traffic_trace *trace, const char *path, const struct system_config *config,
                                   uint64_t time_ps)
{
    struct fault fault = fault_none();
    struct insn_trace *const insns = insn_trace_open_raw(path, &fault);
    struct reading reading = {.trace = trace, .insns = insns, .line_bytes = config_line_bytes(config),
                              .fault = fault_none()};
    struct vm_memory *memory;

    *trace = (struct traffic_trace){0};
    if (!insns)
        return fault;
    reading.spans = insn_trace_spans(insns, (uint32_t)config_line_bytes(config));
    reading.cycle_ps = cycle_ps(insns, config, time_ps);
    reading.are_instructions = insn_trace_meaning(insns).clock == INSN_CLOCK_NONE;
    memory = spaces_make(config, &fault);
    if (memory)
        fault = recorded_read_all(&reading, memory, config);
    vm_memory_free(memory);
    insn_trace_close(insns);
    if (fault.kind != FAULT_NONE)
        traffic_trace_free(trace);
    return fault;
}
