/* Compressed instructions of RV64GC as those of 32 bits that they stand for (riscv-decode 3). */
#ifndef REPLAY_VALUES_EXPAND_H
#define REPLAY_VALUES_EXPAND_H

#include <stdint.h>

/* 0: it is none. */
uint32_t expand(uint16_t c);

#endif
