/* Maps LLVM's instructions to opcodes: SASS of Volta for warps of 32 lanes, GCN3 for those of 64. One instruction is
 * one record, so counts are those of Oclgrind; a compiler's fusing or splitting of instructions is not modelled.
 *
 * Use: ocl_opcode. Nothing to free. The tables are the specification: docs/spec/opencl-capture.md says the same. */
#ifndef OPENCL_OPCODES_H
#define OPENCL_OPCODES_H

#include <stdbool.h>

#include "proto/capture/opencl/ring.h"
#include "proto/gpu/opcode.h"

#define OCL_OPCODE_BYTES sizeof(((struct gpu_opcode *)0)->text)
#define OCL_ACCESS_BYTES_MAX 16u         /* of one lane in one record */

/* name: of the instruction, as the plugin tells it; float_bits: of its floating point, or 0. */
void ocl_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, unsigned float_bits);
/* Of one that accesses memory. bytes: 1, 2, 4, 8, 12 or 16. */
void ocl_access_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, enum ocl_access access,
                       enum ocl_space space, unsigned bytes, bool returns);
/* Bytes of the next record of an access with `left` bytes remaining. */
unsigned ocl_access_piece(unsigned left);

#endif
