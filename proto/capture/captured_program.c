#include "proto/capture/captured_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"

/* Why the memory at the beginning is not known. NULL: it is. */
static const char *why_no_memory(const struct captured_program *of, bool *is_large)
{
    const struct insn_memory *const memory = &of->code->memory;
    const bool is_cut = of->code->is_memory_large
        && (memory->piece_count == 0 || memory->pieces[memory->piece_count - 1].call == 0);

    *is_large = is_cut || of->area->start_state == CAPTURE_START_LARGE;
    if (*is_large)
        return "its memory where the recording begins is larger than 64 MiB";
    if (of->area->start_state == CAPTURE_START_AMONG_THREADS)
        return "the recording begins when it has several threads";
    if (of->area->start_state == CAPTURE_START_NOT_YET)
        return "the recording did not begin";
    if (of->area->start_state != CAPTURE_START_TOLD)
        return "its registers where the recording begins cannot be found in this QEMU";
    return of->begins_first || of->lead <= INSN_LEAD_MOST ? NULL
        : "the recording does not begin in the block before which its memory was taken";
}

/* The stack at first. */
static bool copy_start(const struct captured_program *of, struct insn_kept *kept)
{
    const uint64_t count = of->area->start_count, sp = of->area->start_sp;

    _Static_assert(CAPTURE_START_WORDS == INSN_STACK_WORDS, "a trace has room for what the host sends");
    if (count == 0 || count > INSN_STACK_WORDS || sp > UINT64_MAX - count * sizeof *kept->stack)
        return true;
    kept->stack = malloc(count * sizeof *kept->stack);
    if (kept->stack == NULL)
        return false;
    memcpy(kept->stack, of->area->start_words, count * sizeof *kept->stack);
    kept->stack_words = count;
    kept->sp = sp;
    return true;
}

static bool add_bytes(const struct captured_program *of, const struct insn_piece *piece, struct insn_memory *memory)
{
    const uint64_t mask = CAPTURE_PAGE_BYTES - 1;
    const uint8_t *const bytes = of->code->memory.bytes + piece->at;

    for (uint64_t done = 0, count; done < piece->byte_count; done += count) {
        const uint64_t address = piece->address + done, to_end = CAPTURE_PAGE_BYTES - (address & mask);
        const struct code_page *page;

        count = piece->byte_count - done < to_end ? piece->byte_count - done : to_end;
        page = count == CAPTURE_PAGE_BYTES ? code_find_page(of->code, of->code->page_count, address) : NULL;
        if (!insn_memory_add(memory, piece->call, address,
                             page != NULL && memcmp(page->bytes, bytes + done, count) == 0 ? INSN_PIECE_IMAGE
                             : INSN_PIECE_BYTES, bytes + done, count))
            return false;
    }
    return true;
}

/* Threads tell their calls side by side. */
static int by_call(const void *a, const void *b)
{
    const struct insn_piece *const first = a, *const second = b;

    if (first->call != second->call)
        return first->call > second->call ? 1 : -1;
    if (first->at != second->at)
        return first->at > second->at ? 1 : -1;
    return (first->address > second->address) - (first->address < second->address);
}

/* Of each call in its order: zeros are only there at first, where their order makes no difference. Pages that the trace
 * has as code are not kept twice. */
static bool copy_memory(const struct captured_program *of, struct insn_memory *memory)
{
    const struct insn_memory *const told = &of->code->memory;

    if (told->piece_count > 0)
        qsort(told->pieces, told->piece_count, sizeof *told->pieces, by_call);
    for (size_t i = 0; i < told->piece_count; i++) {
        const struct insn_piece *const piece = &told->pieces[i];

        if (piece->kind == INSN_PIECE_ZEROS ? !insn_memory_add(memory, piece->call, piece->address, piece->kind, NULL,
                                                               piece->byte_count) : !add_bytes(of, piece, memory))
            return false;
    }
    return true;
}

static void set_start(const struct captured_program *of, struct insn_kept *kept)
{
    insn_kept_leave_out(kept);
    kept->memory.has_start = true;
    kept->memory.start.pc = of->area->start_pc;
    kept->memory.start.lead = of->begins_first ? 0 : of->lead;
    memcpy(kept->memory.start.registers, of->area->start_registers, sizeof kept->memory.start.registers);
    kept->memory.start.registers[0] = 0;
}

struct fault captured_program_take(const struct captured_program *of, struct insn_kept *kept, const char **out,
                                   bool *is_large)
{
    const struct program *const program = of->program;
    bool done;

    *out = of->is_left_out ? "--no-program was given"
        : of->begins_at_entry ? NULL : why_no_memory(of, is_large);
    if (*out != NULL && !of->begins_at_entry)
        return fault_none();
    if (!insn_kept_take(kept, program->file, program->file_bytes, path_name(program->argv[0]), of->moved_by))
        return fault_memory("capture", "the program");
    if (of->begins_at_entry) {
        *is_large = kept->byte_count > INSN_KEPT_MOST;
        if (*is_large && *out == NULL)
            *out = "what is loaded of it is larger than 64 MiB";
        done = copy_start(of, kept);
        if (*out != NULL)
            insn_kept_leave_out(kept);
    } else {
        set_start(of, kept);
        done = true;
    }
    if (*out == NULL)
        done = done && copy_memory(of, &kept->memory);
    return done ? fault_none() : fault_memory("capture", "the program's memory");
}
