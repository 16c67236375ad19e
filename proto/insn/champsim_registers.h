/* The substitute for machine code in ChampSim's traces: an instruction's registers and its number of accesses.
 *
 * Use: champsim_bytes encodes an instruction as such bytes, champsim_decode decodes them (champsim-traces 7): every
 * register read feeds the computation and every access; flags are a register; the instruction pointer does not count
 * as a register; the stack pointer is not written by branches and by instructions with accesses (push, pop, call,
 * ret). */
#ifndef PROTO_INSN_CHAMPSIM_REGISTERS_H
#define PROTO_INSN_CHAMPSIM_REGISTERS_H

#include "proto/insn/insn.h"

enum {
    CHAMPSIM_FIRST = 3, CHAMPSIM_SP = 6, CHAMPSIM_FLAGS = 25, CHAMPSIM_IP = 26, CHAMPSIM_BYTES = 11
};

void champsim_bytes(const struct insn *insn, uint8_t bytes[INSN_ENCODING_BYTES]);
/* The registers of the bytes, of which there must be CHAMPSIM_BYTES, back into reads and writes. */
void champsim_registers(const uint8_t *bytes, struct insn *insn);
/* Can an address of x86-64 be made of it? 64-bit and segment registers can; flags, vector and partial ones cannot. */
static inline bool champsim_can_address(unsigned number)
{
    return number >= CHAMPSIM_FIRST && number < CHAMPSIM_FLAGS;
}

/* False: these are none. */
bool champsim_decode(const uint8_t *bytes, size_t length, struct isa_insn *what);

#endif
