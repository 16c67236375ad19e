/* Adds facts to an instruction, for decoders: each register once, with what it feeds.
 *
 * Use: clear the instruction, then add operands, reads and writes in any order. Register 0 is none, and adds nothing.
 * Where the arrays are full the instruction is marked as serialising, so that no dependence is lost. */
#ifndef PROTO_ISA_BUILD_H
#define PROTO_ISA_BUILD_H

#include "proto/isa/isa.h"

enum isa_direction { ISA_DIRECTION_NONE, ISA_DIRECTION_LOAD, ISA_DIRECTION_STORE, ISA_DIRECTION_BOTH };

/* The register feeds what is computed or stored. */
void isa_read_data(struct isa_insn *insn, unsigned number);
/* It feeds the address of an operand, unless that is NULL. */
void isa_read_address(struct isa_insn *insn, struct isa_operand *operand, unsigned number);
void isa_write(struct isa_insn *insn, unsigned number);
/* What is written comes of the address alone. */
void isa_write_address(struct isa_insn *insn, unsigned number);
/* NULL: there is no room. */
struct isa_operand *isa_operand_add(struct isa_insn *insn, enum isa_direction direction, unsigned size_bytes);

#endif
