/* A decoder's facts of an instruction, as a line of columns separated by tabs:
 *
 *   SIZE CLASS KIND READS WRITES OPERANDS MARKS TARGET
 *
 * READS: "x1:a x2:d", a feeds an address, d data. WRITES: "x1 x2!", ! comes of the address alone. OPERANDS:
 * "load8(x1,x2)"; size 0 varies. "-" means none. Not known: "SIZE unknown". */
#ifndef TESTS_SUPPORT_ISA_TEXT_H
#define TESTS_SUPPORT_ISA_TEXT_H

#include "proto/isa/isa.h"

enum { ISA_TEXT_BYTES = 1024 };

/* Decodes the bytes that `hex` has. */
void isa_text(struct isa_decoder *decoder, const char *hex, uint64_t pc, char text[ISA_TEXT_BYTES]);

#endif
