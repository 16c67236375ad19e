/* Expands compressed instructions of RV64GC to the equivalent 32-bit ones (riscv-decode 3). */
#ifndef PROTO_ISA_RV64_EXPAND_H
#define PROTO_ISA_RV64_EXPAND_H

#include <stdint.h>

/* 0: it is none. */
uint32_t rv64_expand(uint16_t c);

#endif
