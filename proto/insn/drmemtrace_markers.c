/* A system call's function markers follow its SYSCALL marker before the next instruction, so that both are among the
 * markers that were not given yet. */
#include "proto/insn/drmemtrace_markers.h"

#include "base/arith.h"

enum { KERNEL_EVENT = 0, KERNEL_XFER = 1, TIMESTAMP = 2, FUNC_ID = 4, FUNC_ARG = 6, FUNC_RETVAL = 7, WINDOW_ID = 14,
       PHYSICAL_ADDRESS = 15, VIRTUAL_ADDRESS = 17, PAGE_SIZE = 18, RECORD_ORDINAL = 22, SYSCALL = 25,
       SYSCALL_FAILED = 30 };

enum { USUAL_PAGE_BYTES = 4096 };

#define OF_SYSCALL (UINT64_C(1) << 32)   /* FUNC_ID of a system call is this and its number */

static struct fault drmemtrace_markers_add(struct insn_reader *reader, enum insn_marker_kind kind, uint64_t value)
{
    return insn_add_marker(reader, &(struct insn_marker){.kind = kind, .value = value});
}

/* The last one of a kind that was not given yet; NULL: none. */
static struct insn_marker *last(struct insn_reader *reader, enum insn_marker_kind kind)
{
    for (size_t i = reader->marker_count; i > reader->marker_at; i--)
        if (reader->markers[i - 1].kind == kind)
            return &reader->markers[i - 1];
    return NULL;
}

static void take_argument(const struct drmemtrace_markers *markers, struct insn_reader *reader, uint64_t value)
{
    struct insn_marker *const call = last(reader, INSN_MARKER_SYSCALL);

    if (call && markers->function == (OF_SYSCALL | call->value) && call->arg_count < INSN_MARKER_ARGS)
        call->args[call->arg_count++] = value;
}

static struct fault take_window(struct drmemtrace_markers *markers, struct insn_reader *reader, uint64_t window)
{
    bool const is_same = markers->has_window && markers->window == window;

    if (is_same)
        return fault_none();
    if (markers->has_window)
        FORWARD(drmemtrace_markers_add(reader, INSN_MARKER_REGION_END, markers->window));
    markers->has_window = true;
    markers->window = window;
    return drmemtrace_markers_add(reader, INSN_MARKER_REGION_BEGIN, window);
}

static struct fault take_failure(struct insn_reader *reader, uint64_t code)
{
    struct insn_marker *const end = last(reader, INSN_MARKER_SYSCALL_END);

    if (!end)
        return drmemtrace_markers_add(reader, INSN_MARKER_SYSCALL_END, UINT64_C(0) - code);
    end->value = UINT64_C(0) - code;
    return fault_none();
}

/* The page of the one maps to that of the other. */
static struct fault take_page(const struct drmemtrace_markers *markers, struct insn_reader *reader, uint64_t address)
{
    uint64_t const bytes = markers->page_bytes > 0 ? markers->page_bytes : USUAL_PAGE_BYTES;

    return insn_add_page(reader, &(struct insn_page){address & ~(bytes - 1), markers->physical & ~(bytes - 1), bytes});
}

struct fault drmemtrace_take_marker(struct drmemtrace_markers *markers, struct insn_reader *reader, unsigned kind,
                                    uint64_t value)
{
    if (!reader->gives_markers)
        return fault_none();
    switch (kind) {
    case KERNEL_EVENT: return drmemtrace_markers_add(reader, INSN_MARKER_SIGNAL, value);
    case KERNEL_XFER: return drmemtrace_markers_add(reader, INSN_MARKER_SIGNAL_RETURN, value);
    case RECORD_ORDINAL: markers->repeats_time = true; return fault_none();
    case TIMESTAMP:
        if (!markers->repeats_time)
            return drmemtrace_markers_add(reader, INSN_MARKER_TIMESTAMP, value);
        markers->repeats_time = false;
        return fault_none();
    case PAGE_SIZE: markers->page_bytes = is_power_of_two(value) ? value : 0; return fault_none();
    case PHYSICAL_ADDRESS: markers->physical = value; return fault_none();
    case VIRTUAL_ADDRESS: return take_page(markers, reader, value);
    case SYSCALL: return drmemtrace_markers_add(reader, INSN_MARKER_SYSCALL, value);
    case FUNC_ID: markers->function = value; return fault_none();
    case FUNC_ARG: take_argument(markers, reader, value); return fault_none();
    case FUNC_RETVAL:
        return markers->function & OF_SYSCALL ? drmemtrace_markers_add(reader, INSN_MARKER_SYSCALL_END, value)
                                              : fault_none();
    case SYSCALL_FAILED: return take_failure(reader, value);
    case WINDOW_ID: return take_window(markers, reader, value);
    default: return fault_none();
    }
}
