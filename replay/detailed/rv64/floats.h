/* Arithmetic of RV64FD on register contents, by the host's IEEE double and float.
 *
 * A float occupies the low half of a register whose high half is all ones; any other content is a NaN as a float. NaNs
 * that are computed are the canonical one. `mode` is one of enum float_mode, the dynamic one resolved.
 * Not modelled: exception flags; FLOAT_AWAY in arithmetic, which rounds as FLOAT_EVEN. */
#ifndef REPLAY_DETAILED_RV64_FLOATS_H
#define REPLAY_DETAILED_RV64_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

enum float_mode { FLOAT_EVEN, FLOAT_ZERO, FLOAT_DOWN, FLOAT_UP, FLOAT_AWAY, FLOAT_DYNAMIC = 7 };

/* Opcode and fields of an instruction of the opcodes OP-FP (0x53) and the fused ones (0x43 to 0x4f); a, b, c: registers
 * fs1 (or rs1, for instructions that read an integer one), fs2, fs3. *known becomes false for an invalid instruction.
 * Returns the value to be written to fd, or to rd if float_writes_int. */
uint64_t float_compute(uint32_t bits, enum float_mode mode, uint64_t a, uint64_t b, uint64_t c, bool *known);
bool float_writes_int(uint32_t bits);
bool float_reads_int(uint32_t bits);

#endif
