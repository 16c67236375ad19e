/* Classes of x86's instructions by their names, as Zydis has them (Intel's, lower case). Needs no library. */
#ifndef PROTO_ISA_X86_CLASS_H
#define PROTO_ISA_X86_CLASS_H

#include "proto/isa/isa.h"

enum x86_unit { X86_INTEGER, X86_X87, X86_VECTOR };

/* The class of the computation, on operands of this kind. The caller handles moves to and from memory. */
enum isa_class x86_class(const char *mnemonic, enum x86_unit unit);
/* It copies, extends at most: with memory nothing is computed. */
bool x86_class_moves(const char *mnemonic);
/* Zero, or all ones, whatever the two equal sources hold (Intel's Optimization Manual, "Clearing Registers and
 * Dependency Breaking Idioms"). */
bool x86_class_is_idiom(const char *mnemonic);

#endif
