/* Adds facts to an instruction, for decoders: each register once, with its use (data or address).
 *
 * Use: clear the instruction, then add operands, reads and writes in any order. Register 0 means no register, and adds
 * nothing. If the arrays are full the instruction is marked as serialising, so that no dependence is lost. */
#ifndef PROTO_ISA_BUILD_H
#define PROTO_ISA_BUILD_H

#include "proto/isa/isa.h"

enum isa_direction { ISA_DIRECTION_NONE, ISA_DIRECTION_LOAD, ISA_DIRECTION_STORE, ISA_DIRECTION_BOTH };

/* The register is an input of the computation or of the stored data. */
void isa_read_data(struct isa_insn *insn, unsigned number);
/* It feeds the address of an operand, unless that is NULL. */
void isa_read_address(struct isa_insn *insn, struct isa_operand *operand, unsigned number);
void isa_write(struct isa_insn *insn, unsigned number);
/* The written value depends on the address alone. */
void isa_write_address(struct isa_insn *insn, unsigned number);
/* NULL: the array is full. */
struct isa_operand *isa_operand_add(struct isa_insn *insn, enum isa_direction direction, unsigned size_bytes);

#endif
