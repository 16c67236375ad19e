/* drmemtrace (drmemtrace 2 to 7): records of 12 bytes, version 7, or 4 where the source lacks outcomes and targets.
 *
 * The encoding of an instruction precedes it at the first occurrence of its pc, and where it has changed since.
 * DynamoRIO's markers: time stamps, system calls with arguments and result, signals, windows. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/list.h"
#include "proto/insn/insn_program.h"
#include "proto/insn/write/target.h"

enum { RECORD_BYTES = 12, PIECE_BYTES = 8, MOST_SIZE = UINT16_MAX };
enum { READ = 0, WRITE = 1, INSTR = 10, CONDITIONAL_JUMP = 13, NO_FETCH = 29, SYSENTER = 31, ENCODING = 47,
       TAKEN_JUMP = 48, UNTAKEN_JUMP = 49, THREAD = 22, THREAD_EXIT = 23, PID = 24, HEADER = 25, FOOTER = 26,
       MARKER = 28 };
enum { KERNEL_EVENT = 0, KERNEL_XFER = 1, TIMESTAMP = 2, CPU_ID = 3, FUNC_ID = 4, FUNC_ARG = 6, FUNC_RETVAL = 7,
       FILE_TYPE = 9, CACHE_LINE_SIZE = 10, VERSION = 12, WINDOW_ID = 14, PAGE_SIZE = 18, SYSCALL = 25,
       BRANCH_TARGET = 29 };

#define OF_SYSCALL (UINT64_C(1) << 32)

struct state {
    struct insn_statics pcs;
    uint32_t *numbers;                   /* of a pc: the static instruction whose bytes were written last, + 1 */
    uint32_t number_room;
    uint64_t syscall;
    bool has_bytes;
};

static struct fault write_drmemtrace_put(struct insn_output *output, unsigned type, unsigned size, uint64_t value)
{
    uint8_t record[RECORD_BYTES];

    bits_store16(record, (uint16_t)type);
    bits_store16(record + 2, (uint16_t)size);
    bits_store64(record + 4, value);
    return sink_write(output->sink, record, sizeof record);
}

static uint64_t file_type(const struct insn_trace *trace, bool has_bytes)
{
    static const uint64_t types[ISA_COUNT] = {[ISA_A64] = 0x8, [ISA_A32] = 0x10, [ISA_X86_32] = 0x20,
                                              [ISA_X86_64] = 0x40, [ISA_REGDEPS] = 0x20000};

    return types[insn_trace_isa(trace)] | (has_bytes ? 0x200 : 0);
}

static struct fault write_drmemtrace_begin(struct insn_output *output)
{
    uint32_t const lacks = insn_trace_lacks(output->trace);
    unsigned const version = lacks & (1u << INSN_LACKS_OUTCOMES | 1u << INSN_LACKS_BRANCHES) ? 4 : 7;
    struct state *const state = calloc(1, sizeof *state);

    output->state = state;
    if (!state)
        return fault_memory(sink_name(output->sink), NULL);
    state->has_bytes = !(lacks & 1u << INSN_LACKS_DEPENDENCES) && insn_trace_isa(output->trace) != ISA_CHAMPSIM;
    FORWARD(write_drmemtrace_put(output, HEADER, 0, version));
    FORWARD(write_drmemtrace_put(output, MARKER, VERSION, version));
    FORWARD(write_drmemtrace_put(output, MARKER, FILE_TYPE, file_type(output->trace, state->has_bytes)));
    FORWARD(write_drmemtrace_put(output, THREAD, 4, output->thread));
    FORWARD(write_drmemtrace_put(output, PID, 4, output->thread));
    FORWARD(write_drmemtrace_put(output, MARKER, CACHE_LINE_SIZE, 64));
    return write_drmemtrace_put(output, MARKER, PAGE_SIZE, 4096);
}

/* *is_needed: the reader does not know the bytes of this pc. */
static bool write_drmemtrace_look_up(struct state *state, const struct insn_at_hand *at, bool *is_needed)
{
    uint32_t const pc = insn_statics_find(&state->pcs, at->insn.pc, (const uint8_t *)"", 0);

    if (pc == INSN_NO_STATIC)
        return false;
    if (pc >= state->number_room) {
        if (!list_extend(&state->numbers, state->number_room, state->pcs.room, sizeof *state->numbers, 0))
            return false;
        state->number_room = state->pcs.room;
    }
    *is_needed = state->numbers[pc] != at->number + 1;
    state->numbers[pc] = at->number + 1;
    return true;
}

static struct fault put_bytes(struct insn_output *output, const struct insn_at_hand *at)
{
    struct state *const state = output->state;
    const uint8_t *bytes;
    size_t const length = insn_cursor_bytes(output->cursor, at->number, &bytes);
    bool is_needed;

    if (!state->has_bytes) {
        output->result->losses[INSN_LOSS_ENCODINGS] += length > 0;
        return fault_none();
    }
    if (!write_drmemtrace_look_up(state, at, &is_needed))
        return fault_memory(sink_name(output->sink), "static instructions");
    for (size_t i = 0; is_needed && i < length; i += PIECE_BYTES) {
        size_t const piece = length - i < PIECE_BYTES ? length - i : PIECE_BYTES;
        uint64_t value = 0;

        for (size_t k = 0; k < piece; k++)
            value |= (uint64_t)bytes[i + k] << 8 * k;
        FORWARD(write_drmemtrace_put(output, ENCODING, (unsigned)piece, value));
    }
    return fault_none();
}

static unsigned write_drmemtrace_type_of(struct insn_output *output, const struct insn *insn)
{
    if (insn->form == INSN_REPEAT)
        return NO_FETCH;
    switch (insn->kind) {
    case ISA_SYSTEM: return SYSENTER;
    case ISA_DIRECT_JUMP: return 11;
    case ISA_INDIRECT_JUMP: return 12;
    case ISA_CONDITIONAL:
        return insn->branch == INSN_TAKEN ? TAKEN_JUMP : insn->branch == INSN_NOT_TAKEN ? UNTAKEN_JUMP
            : CONDITIONAL_JUMP;
    case ISA_DIRECT_CALL: return 14;
    case ISA_INDIRECT_CALL: return 15;
    case ISA_RETURN: return 16;
    case ISA_OTHER_BRANCH: output->result->losses[INSN_LOSS_KINDS]++; return INSTR;
    default: return INSTR;
    }
}

static struct fault write_drmemtrace_put_access(struct insn_output *output, const struct insn_access *access)
{
    if (access->size_bytes > MOST_SIZE)
        return fault_at(sink_name(output->sink), FAULT_NO_OFFSET, "an access of %u bytes, and drmemtrace has 16 bits "
                        "for that", (unsigned)access->size_bytes);
    return write_drmemtrace_put(output, access->is_write ? WRITE : READ, access->size_bytes, access->address);
}

static struct fault write_drmemtrace_put_insn(struct insn_output *output, const struct insn_at_hand *at)
{
    const struct insn *const insn = &at->insn;

    if (insn->form == INSN_EXECUTED)
        FORWARD(put_bytes(output, at));
    if (insn->has_target)
        FORWARD(write_drmemtrace_put(output, MARKER, BRANCH_TARGET, insn->target));
    /* An instruction of size 0 would only be the pc of the data behind it (7). */
    FORWARD(write_drmemtrace_put(output, write_drmemtrace_type_of(output, insn), insn_size_to_write(output, at),
                                 insn->pc));
    for (size_t i = 0; i < insn->access_count; i++)
        FORWARD(write_drmemtrace_put_access(output, &insn->accesses[i]));
    return fault_none();
}

/* drmemtrace 7: an instruction of size 0 only says the pc. */
static struct fault write_drmemtrace_put_orphan(struct insn_output *output, uint64_t pc,
                                                const struct insn_access *access)
{
    FORWARD(write_drmemtrace_put(output, INSTR, 0, pc));
    return write_drmemtrace_put_access(output, access);
}

static struct fault put_syscall(struct insn_output *output, const struct insn_marker *marker)
{
    struct state *const state = output->state;

    state->syscall = marker->value;
    FORWARD(write_drmemtrace_put(output, MARKER, SYSCALL, marker->value));
    if (marker->arg_count > 0)
        FORWARD(write_drmemtrace_put(output, MARKER, FUNC_ID, OF_SYSCALL | marker->value));
    for (unsigned i = 0; i < marker->arg_count; i++)
        FORWARD(write_drmemtrace_put(output, MARKER, FUNC_ARG, marker->args[i]));
    return fault_none();
}

static struct fault put_marker(struct insn_output *output, const struct insn_marker *marker)
{
    const struct state *const state = output->state;

    switch (marker->kind) {
    case INSN_MARKER_THREAD_END: return write_drmemtrace_put(output, THREAD_EXIT, 4, output->thread);
    case INSN_MARKER_SYSCALL: return put_syscall(output, marker);
    case INSN_MARKER_SYSCALL_END:
        FORWARD(write_drmemtrace_put(output, MARKER, FUNC_ID, OF_SYSCALL | state->syscall));
        return write_drmemtrace_put(output, MARKER, FUNC_RETVAL, marker->value);
    case INSN_MARKER_TIMESTAMP:
        FORWARD(write_drmemtrace_put(output, MARKER, TIMESTAMP, marker->value));
        return write_drmemtrace_put(output, MARKER, CPU_ID, UINT64_MAX);
    case INSN_MARKER_SIGNAL: return write_drmemtrace_put(output, MARKER, KERNEL_EVENT, marker->value);
    case INSN_MARKER_SIGNAL_RETURN: return write_drmemtrace_put(output, MARKER, KERNEL_XFER, marker->value);
    case INSN_MARKER_REGION_BEGIN: return write_drmemtrace_put(output, MARKER, WINDOW_ID, marker->value);
    case INSN_MARKER_REGION_END: return fault_none();
    case INSN_MARKER_THREAD_START:
        output->result->losses[INSN_LOSS_MARKERS] += marker->value != 0;
        return fault_none();
    default: output->result->losses[INSN_LOSS_MARKERS]++; return fault_none();
    }
}

static struct fault write_drmemtrace_end(struct insn_output *output)
{
    return write_drmemtrace_put(output, FOOTER, 0, 0);
}

static void free_state(struct insn_output *output)
{
    struct state *const state = output->state;

    if (!state)
        return;
    insn_statics_free(&state->pcs);
    free(state->numbers);
    free(state);
}

const struct insn_target insn_to_drmemtrace = {
    .name = "drmemtrace", .ending = ".trace.gz", .begin = write_drmemtrace_begin, .insn = write_drmemtrace_put_insn,
    .orphan = write_drmemtrace_put_orphan, .marker = put_marker, .end = write_drmemtrace_end, .free = free_state};
