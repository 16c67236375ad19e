/* A system call's function markers follow its SYSCALL marker before the next instruction, so that both are among the
 * markers that were not given yet. */
#include "proto/insn/drmemtrace_markers.h"

enum { KERNEL_EVENT = 0, KERNEL_XFER = 1, TIMESTAMP = 2, FUNC_ID = 4, FUNC_ARG = 6, FUNC_RETVAL = 7, WINDOW_ID = 14,
       RECORD_ORDINAL = 22, SYSCALL = 25, SYSCALL_FAILED = 30 };

#define OF_SYSCALL (UINT64_C(1) << 32)   /* FUNC_ID of a system call is this and its number */

static bool add(struct insn_reader *reader, enum insn_marker_kind kind, uint64_t value, struct fault *error)
{
    return insn_add_marker(reader, &(struct insn_marker){.kind = kind, .value = value}, error);
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

static bool take_window(struct drmemtrace_markers *markers, struct insn_reader *reader, uint64_t window,
                        struct fault *error)
{
    bool const is_same = markers->has_window && markers->window == window;

    if (is_same)
        return true;
    if (markers->has_window && !add(reader, INSN_MARKER_REGION_END, markers->window, error))
        return false;
    markers->has_window = true;
    markers->window = window;
    return add(reader, INSN_MARKER_REGION_BEGIN, window, error);
}

static bool take_failure(struct insn_reader *reader, uint64_t code, struct fault *error)
{
    struct insn_marker *const end = last(reader, INSN_MARKER_SYSCALL_END);

    if (!end)
        return add(reader, INSN_MARKER_SYSCALL_END, UINT64_C(0) - code, error);
    end->value = UINT64_C(0) - code;
    return true;
}

bool drmemtrace_take_marker(struct drmemtrace_markers *markers, struct insn_reader *reader, unsigned kind,
                            uint64_t value, struct fault *error)
{
    if (!reader->gives_markers)
        return true;
    switch (kind) {
    case KERNEL_EVENT: return add(reader, INSN_MARKER_SIGNAL, value, error);
    case KERNEL_XFER: return add(reader, INSN_MARKER_SIGNAL_RETURN, value, error);
    case RECORD_ORDINAL: markers->repeats_time = true; return true;
    case TIMESTAMP:
        if (!markers->repeats_time)
            return add(reader, INSN_MARKER_TIMESTAMP, value, error);
        markers->repeats_time = false;
        return true;
    case SYSCALL: return add(reader, INSN_MARKER_SYSCALL, value, error);
    case FUNC_ID: markers->function = value; return true;
    case FUNC_ARG: take_argument(markers, reader, value); return true;
    case FUNC_RETVAL:
        return !(markers->function & OF_SYSCALL) || add(reader, INSN_MARKER_SYSCALL_END, value, error);
    case SYSCALL_FAILED: return take_failure(reader, value, error);
    case WINDOW_ID: return take_window(markers, reader, value, error);
    default: return true;
    }
}
