/* A kernel's code as reported by the plugin: instructions, pieces of code, and the static instruction of each in the
 * trace.
 *
 * Use: ocl_code_begin for each kernel; ocl_code_instruction and ocl_code_piece for the reports, in their order;
 * ocl_code_end, after which statics and opcodes are those of the kernel; ocl_code_access for accesses known only from
 * their execution; ocl_code_free. Errors: FAULT_INPUT for inconsistent reports. */
#ifndef OPENCL_CODE_H
#define OPENCL_CODE_H

#include <stdbool.h>

#include "base/fault.h"
#include "proto/capture/opencl/opencl_ring.h"
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/opcode.h"

/* Maps LLVM's instructions to opcodes: SASS of Volta for warps of 32 lanes, GCN3 for those of 64. One instruction is
 * one record, so counts are those of Oclgrind; a compiler's fusing or splitting of instructions is not modelled.
 *
 * Use: ocl_opcode. Nothing to free. The tables are the specification: docs/spec/opencl-capture.md says the same. */

#define OCL_OPCODE_BYTES sizeof(((struct gpu_opcode *)0)->text)
#define OCL_ACCESS_BYTES_MAX 16u         /* of one lane in one record */

/* name: of the instruction, from the plugin; float_bits: of its floating point, or 0. */
void ocl_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, unsigned float_bits);
/* Of one that accesses memory. bytes: 1, 2, 4, 8, 12 or 16. */
void ocl_access_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, enum ocl_access access,
                       enum ocl_space space, unsigned bytes, bool returns);
/* Bytes of the next record of an access with `left` bytes remaining. */
unsigned ocl_access_piece(unsigned left);

enum { OCL_SOURCES = 4, OCL_REGISTERS = 255, OCL_NAME_BYTES = 48 };

struct ocl_instruction {
    char name[OCL_NAME_BYTES];
    uint32_t number, line;
    uint16_t float_bits, bytes;          /* bytes: of its access, if that is known */
    uint8_t access, space;               /* enum ocl_access, enum ocl_space */
    bool has_destination;
    uint8_t source_count;
    bool is_barrier;                     /* waits for accesses first, on GCN3 */
    uint16_t registers[1 + OCL_SOURCES]; /* destination, if there is one, then sources */
    uint32_t plain, fixed_access;        /* indices of statics: without access; with the known one */
    uint32_t wait;                       /* GCN3: of the wait before it */
};

struct ocl_piece {
    uint32_t first, count, meets;
    uint8_t end;                         /* enum ocl_piece_end */
};

struct ocl_code {
    enum gpu_isa isa;
    struct ocl_instruction *instructions;
    size_t instruction_count, instruction_room;
    struct ocl_piece *pieces;
    size_t piece_count, piece_room;
    struct gpu_statics statics;
    struct gpu_opcode *opcodes;
    size_t opcode_count, opcode_room;
};

void ocl_code_begin(struct ocl_code *code, enum gpu_isa isa);
void ocl_code_free(struct ocl_code *code);
/* words: of the message (ring.h). */
struct fault ocl_code_instruction(struct ocl_code *code, const uint64_t *words, size_t count);
struct fault ocl_code_piece(struct ocl_code *code, const uint64_t *words, size_t count);
struct fault ocl_code_end(struct ocl_code *code);

/* Index of the static instruction that represents such an access; bytes: a result of ocl_access_piece. */
struct fault ocl_code_access(struct ocl_code *code, const struct ocl_instruction *instruction, enum ocl_access access,
                             enum ocl_space space, unsigned bytes, uint32_t *index);

/* A text of a message: its length, and then its bytes; cut to fit. False: it is not whole. */
bool ocl_take_text(const uint64_t *words, size_t count, char *text, size_t room);

#endif
