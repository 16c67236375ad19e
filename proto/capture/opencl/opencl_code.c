/* Registers are values' numbers; those beyond the last register begin again at 1, so that a few may be taken for
 * others. A pc is 16 times the instruction's number (GCN3: 8 times and 4; the wait before it has 8 times). */
#include "proto/capture/opencl/opencl_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"

enum { INSTRUCTION_WORDS = 8, PIECE_WORDS = 4, INSTRUCTIONS_MAX = 1 << 26 };

static struct fault opencl_code_wrong(void)
{
    return fault_at("capture", FAULT_NO_OFFSET, "the plugin's data of a kernel are inconsistent; plugin and command "
                    "must be of one build");
}

static struct fault opencl_code_no_memory(void)
{
    return fault_memory("capture", "a kernel's code");
}

bool ocl_take_text(const uint64_t *words, size_t count, char *text, size_t room)
{
    size_t length;

    if (count == 0 || words[0] > (count - 1) * sizeof *words)
        return false;
    length = words[0] < room ? (size_t)words[0] : room - 1;
    memcpy(text, words + 1, length);
    text[length] = '\0';
    return true;
}

void ocl_code_begin(struct ocl_code *code, enum gpu_isa isa)
{
    ocl_code_free(code);
    code->isa = isa;
}

void ocl_code_free(struct ocl_code *code)
{
    free(code->instructions);
    free(code->pieces);
    free(code->opcodes);
    gpu_statics_free(&code->statics);
    *code = (struct ocl_code){0};
}

static uint16_t register_of(uint64_t number)
{
    return (uint16_t)(number < OCL_REGISTERS ? number : 1 + number % (OCL_REGISTERS - 1));
}

struct fault ocl_code_instruction(struct ocl_code *code, const uint64_t *words, size_t count)
{
    struct ocl_instruction one = {0};
    size_t registers;

    if (count < INSTRUCTION_WORDS || words[0] != code->instruction_count || words[0] >= INSTRUCTIONS_MAX
        || words[3] > OCL_CALL || words[4] > OCL_LOCAL || words[6] > 1 || words[7] > count)
        return opencl_code_wrong();
    registers = (size_t)(words[6] + words[7]);
    if (INSTRUCTION_WORDS + registers >= count
        || !ocl_take_text(words + INSTRUCTION_WORDS + registers, count - INSTRUCTION_WORDS - registers, one.name,
                          sizeof one.name))
        return opencl_code_wrong();
    if (!list_fit(&code->instructions, code->instruction_count + 1, &code->instruction_room,
                  sizeof *code->instructions))
        return opencl_code_no_memory();
    one.number = (uint32_t)words[0];
    one.line = (uint32_t)words[1];
    one.float_bits = (uint16_t)words[2];
    one.access = (uint8_t)words[3];
    one.space = (uint8_t)words[4];
    one.bytes = (uint16_t)min_u64(words[5], UINT16_MAX);
    one.has_destination = words[6] != 0;
    one.source_count = (uint8_t)min_u64(words[7], OCL_SOURCES);
    for (unsigned i = 0; i < one.has_destination + (unsigned)one.source_count; i++)
        one.registers[i] = register_of(words[INSTRUCTION_WORDS + i]);
    code->instructions[code->instruction_count++] = one;
    return fault_none();
}

struct fault ocl_code_piece(struct ocl_code *code, const uint64_t *words, size_t count)
{
    struct ocl_piece const piece = {(uint32_t)words[0], (uint32_t)words[1], (uint32_t)words[2], (uint8_t)words[3]};

    if (count != PIECE_WORDS || words[1] == 0 || words[1] > OCL_PIECE_INSTRUCTIONS || words[2] > OCL_NO_PIECE
        || words[0] > code->instruction_count || words[1] > code->instruction_count - words[0]
        || words[3] > OCL_RETURNS)
        return opencl_code_wrong();
    if (!list_fit(&code->pieces, code->piece_count + 1, &code->piece_room, sizeof *code->pieces))
        return opencl_code_no_memory();
    code->pieces[code->piece_count++] = piece;
    return fault_none();
}

/* ---- representation */

static struct fault find_opcode(struct ocl_code *code, const char *text, bool has_addresses, uint16_t *index)
{
    for (size_t i = 0; i < code->opcode_count; i++)
        if (strcmp(code->opcodes[i].text, text) == 0) {
            *index = (uint16_t)i;
            return fault_none();
        }
    if (code->opcode_count >= UINT16_MAX
        || !list_fit(&code->opcodes, code->opcode_count + 1, &code->opcode_room, sizeof *code->opcodes))
        return opencl_code_no_memory();
    gpu_opcode_classify(&code->opcodes[code->opcode_count], text, code->isa, 70, has_addresses);
    *index = (uint16_t)code->opcode_count++;
    return fault_none();
}

static struct fault add_static(struct ocl_code *code, const struct ocl_instruction *from, const char *opcode,
                               unsigned bytes, uint32_t *index)
{
    struct gpu_static fixed = {
        .pc = code->isa == GPU_ISA_GCN3 ? 8 * (uint64_t)from->number + 4 : 16 * (uint64_t)from->number,
        .line = from->line, .width_bytes = (uint16_t)bytes, .traced_width = (uint16_t)bytes,
        .destination_count = from->has_destination, .source_count = from->source_count
    };

    memcpy(fixed.registers, from->registers, sizeof from->registers);
    FORWARD(find_opcode(code, opcode, bytes > 0, &fixed.opcode));
    return gpu_statics_find(&code->statics, &fixed, index) ? fault_none() : opencl_code_no_memory();
}

static struct fault add_wait(struct ocl_code *code, struct ocl_instruction *one)
{
    struct gpu_static fixed = {.pc = 8 * (uint64_t)one->number, .line = one->line};

    FORWARD(find_opcode(code, "S_WAITCNT", false, &fixed.opcode));
    return gpu_statics_find(&code->statics, &fixed, &one->wait) ? fault_none() : opencl_code_no_memory();
}

struct fault ocl_code_access(struct ocl_code *code, const struct ocl_instruction *instruction, enum ocl_access access,
                             enum ocl_space space, unsigned bytes, uint32_t *index)
{
    struct ocl_instruction own = *instruction;
    char opcode[OCL_OPCODE_BYTES];

    ocl_access_opcode(opcode, code->isa, own.name, access, space, bytes, own.has_destination);
    /* A store has no destination, even if its function returns a value. */
    if (access == OCL_STORE && own.has_destination) {
        own.has_destination = false;
        memmove(own.registers, own.registers + 1, sizeof own.registers - sizeof own.registers[0]);
    }
    return add_static(code, &own, opcode, bytes, index);
}

struct fault ocl_code_end(struct ocl_code *code)
{
    for (size_t i = 0; i < code->instruction_count; i++) {
        struct ocl_instruction *const one = &code->instructions[i];
        bool const is_known = (one->access == OCL_LOAD || one->access == OCL_STORE) && one->bytes > 0;
        char opcode[OCL_OPCODE_BYTES];

        ocl_opcode(opcode, code->isa, one->name, one->float_bits);
        FORWARD(add_static(code, one, opcode, 0, &one->plain));
        one->is_barrier = code->opcodes[code->statics.items[one->plain].opcode].cls == GPU_CLASS_BARRIER;
        if (is_known && ocl_access_piece(one->bytes) == one->bytes)
            FORWARD(ocl_code_access(code, one, (enum ocl_access)one->access, (enum ocl_space)one->space, one->bytes,
                                    &one->fixed_access));
        if (code->isa == GPU_ISA_GCN3)
            FORWARD(add_wait(code, one));
    }
    for (size_t i = 0; i < code->piece_count; i++)
        if (code->pieces[i].meets != OCL_NO_PIECE && code->pieces[i].meets >= code->piece_count)
            return opencl_code_wrong();
    return code->piece_count > 0 ? fault_none() : opencl_code_wrong();
}
