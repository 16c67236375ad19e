#include "replay/detailed/rv64/rv64_machine.h"

#include <string.h>

#define MAP_BASE UINT64_C(0x4000000000000000)

enum { RANDOM_BYTES = 16, WORD = 8, AUXILIARY = 8, WORDS = 4 + 2 * AUXILIARY };
enum { AUX_NULL = 0, AUX_HEADERS = 3, AUX_HEADER_BYTES = 4, AUX_HEADER_COUNT = 5, AUX_PAGE_BYTES = 6, AUX_ENTRY = 9,
       AUX_SECURE = 23, AUX_RANDOM = 25 };

static void push(struct machine *machine, uint64_t *at, uint64_t value)
{
    pages_write(machine->pages, *at, WORD, value);
    *at += WORD;
}

static uint64_t name_at(const struct insn_program *program)
{
    return MACHINE_STACK_END - RANDOM_BYTES - strlen(program->name) - 1;
}

/* The end of the area below the name. */
static uint64_t top_of(const struct insn_program *program)
{
    return name_at(program) & ~(uint64_t)(WORD - 1);
}

uint64_t machine_first_stack(const struct insn_program *program)
{
    if (program->start)
        return program->start->registers[MACHINE_SP];
    if (program->stack_words > 0)
        return program->sp;
    return (top_of(program) - WORDS * WORD) & ~(uint64_t)(2 * WORD - 1);
}

uint64_t machine_stack_bytes(const struct insn_program *program)
{
    if (program->start)                  /* it is among the segments */
        return 0;
    return program->stack_words > 0 ? program->stack_words * WORD : MACHINE_STACK_END - machine_first_stack(program);
}

/* As the trace has it. */
static void copy_stack(struct machine *machine, const struct insn_program *program)
{
    uint64_t at = program->sp;

    pages_make(machine->pages, at, program->stack_words * WORD);
    for (uint64_t i = 0; i < program->stack_words; i++)
        push(machine, &at, program->stack[i]);
    machine->registers[MACHINE_SP] = program->sp;
}

static void make_stack(struct machine *machine, const struct insn_program *program)
{
    uint64_t const stack = machine_first_stack(program);
    /* The reference's random bytes are the memory at the place that they would have without the alignment of the
     * name. */
    uint64_t const auxiliary[AUXILIARY][2] = {
        {AUX_ENTRY, program->entry}, {AUX_HEADER_COUNT, program->header_count},
        {AUX_HEADER_BYTES, program->header_bytes}, {AUX_HEADERS, program->headers_at},
        {AUX_PAGE_BYTES, PAGES_BYTES}, {AUX_SECURE, 0}, {AUX_RANDOM, top_of(program)}, {AUX_NULL, 0}};
    uint64_t at = stack;

    pages_make(machine->pages, stack, MACHINE_STACK_END - stack);
    pages_fill(machine->pages, name_at(program), (const uint8_t *)program->name, strlen(program->name) + 1);
    push(machine, &at, 1);
    push(machine, &at, name_at(program));
    push(machine, &at, 0);
    push(machine, &at, 0);
    for (size_t i = 0; i < AUXILIARY; i++) {
        push(machine, &at, auxiliary[i][0]);
        push(machine, &at, auxiliary[i][1]);
    }
    machine->registers[MACHINE_SP] = stack;
}

void machine_start(struct machine *machine, const struct insn_program *program)
{
    uint64_t end = 0;

    for (size_t i = 0; i < program->segment_count; i++) {
        const struct insn_segment *const segment = &program->segments[i];

        pages_map(machine->pages, segment->address, segment->byte_count);
        pages_fill(machine->pages, segment->address, segment->bytes, segment->file_count);
        end = segment->address + segment->byte_count > end ? segment->address + segment->byte_count : end;
    }
    machine->kernel.break_at = (end + PAGES_BYTES - 1) & ~(uint64_t)(PAGES_BYTES - 1);
    machine->kernel.map_at = MAP_BASE;
    machine->kernel.name_bytes = strlen(program->name);
    machine->program = program;
    if (program->start)
        memcpy(machine->registers, program->start->registers, sizeof program->start->registers);
    else if (program->stack_words > 0)
        copy_stack(machine, program);
    else
        make_stack(machine, program);
}

void machine_thread_registers(const struct machine *machine, uint64_t registers[MACHINE_REGISTERS])
{
    const uint64_t *const arguments = machine->registers + MACHINE_A0;

    memcpy(registers, machine->registers, sizeof machine->registers);
    registers[MACHINE_A0] = 0;
    if (arguments[1] != 0)
        registers[MACHINE_SP] = arguments[1];
    registers[MACHINE_TP] = arguments[3];            /* of threads (CLONE_SETTLS) */
}

void machine_start_thread(struct machine *machine, const struct insn_program *program, uint64_t thread,
                          const uint64_t registers[MACHINE_REGISTERS])
{
    machine->program = program;
    machine->kernel.map_at = MAP_BASE;
    machine->kernel.name_bytes = strlen(program->name);
    machine->kernel.calls = insn_write_call(thread, 0);
    if (registers)
        memcpy(machine->registers, registers, sizeof machine->registers);
}

bool machine_lead_in(struct machine *machine, uint64_t pc)
{
    const struct insn_program *const program = machine->program;
    uint64_t at = program->entry;

    for (uint64_t i = 0; program->start && i < program->start->lead; i++) {
        uint32_t const bits = (uint32_t)pages_read(machine->pages, at, 4);
        bool const is_whole = (bits & 3) == 3;
        struct machine_insn const insn = {at, is_whole ? bits : bits & 0xffff, is_whole ? 4 : 2};
        struct machine_truth const truth = {.next_pc = at + insn.size_bytes};
        struct machine_result result;

        machine_step(machine, &insn, &truth, &result);
        at = truth.next_pc;
    }
    machine_release(machine, machine->position);
    machine->position = machine->released = 0;
    machine->figures = (struct machine_figures){0};
    return at == pc;
}
