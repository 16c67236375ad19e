#include "replay/values/start.h"

#include <string.h>

#define STACK_BASE UINT64_C(0x7fffffffffffffff)
#define MAP_BASE UINT64_C(0x4000000000000000)

enum { RANDOM_BYTES = 16, WORD = 8 };
enum { AUX_NULL = 0, AUX_HEADERS = 3, AUX_HEADER_BYTES = 4, AUX_HEADER_COUNT = 5, AUX_PAGE_BYTES = 6, AUX_ENTRY = 9,
       AUX_SECURE = 23, AUX_RANDOM = 25 };

static void push(struct machine *machine, uint64_t *at, uint64_t value)
{
    pages_write(&machine->pages, *at, WORD, value);
    *at += WORD;
}

static void make_stack(struct machine *machine, const struct insn_program *program)
{
    uint64_t const name_bytes = strlen(program->name) + 1;
    uint64_t const name_at = STACK_BASE - RANDOM_BYTES - name_bytes, top = name_at & ~(uint64_t)(WORD - 1);
    /* The reference gives as random bytes what lies where it would have put them without the name's alignment. */
    uint64_t const auxiliary[][2] = {
        {AUX_ENTRY, program->entry}, {AUX_HEADER_COUNT, program->header_count},
        {AUX_HEADER_BYTES, program->header_bytes}, {AUX_HEADERS, program->headers_at},
        {AUX_PAGE_BYTES, PAGES_BYTES}, {AUX_SECURE, 0}, {AUX_RANDOM, top}, {AUX_NULL, 0}};
    uint64_t const words = 4 + sizeof auxiliary / WORD;
    uint64_t const stack = (top - words * WORD) & ~(uint64_t)(2 * WORD - 1);
    uint64_t at = stack;

    pages_make(&machine->pages, stack, STACK_BASE - stack);
    pages_fill(&machine->pages, name_at, (const uint8_t *)program->name, name_bytes);
    push(machine, &at, 1);
    push(machine, &at, name_at);
    push(machine, &at, 0);
    push(machine, &at, 0);
    for (size_t i = 0; i < sizeof auxiliary / sizeof auxiliary[0]; i++) {
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

        pages_make(&machine->pages, segment->address, segment->byte_count);
        pages_fill(&machine->pages, segment->address, segment->bytes, segment->file_count);
        end = segment->address + segment->byte_count > end ? segment->address + segment->byte_count : end;
    }
    machine->kernel.break_at = (end + PAGES_BYTES - 1) & ~(uint64_t)(PAGES_BYTES - 1);
    machine->kernel.map_at = MAP_BASE;
    machine->kernel.name_bytes = strlen(program->name);
    make_stack(machine, program);
}
