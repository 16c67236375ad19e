/* What the files of the microbenchmarks call of each other. */
#ifndef SWEEP_MEASURE_MICRO_INTERNAL_H
#define SWEEP_MEASURE_MICRO_INTERNAL_H

#include "sweep/measure/micro_bench.h"

/* ---- encodings: micro_x86.c or micro_a64.c, that of this host */
void micro_bytes(struct micro_code *code, const void *bytes, size_t count);
/* The instruction that was just put, of `size_bytes`. */
void micro_step(struct micro_code *code, size_t size_bytes, struct micro_step step);
void micro_host_begin(struct micro_code *code);
bool micro_host_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i);
/* `distance`: bytes from the jump's beginning. */
void micro_host_jump(struct micro_code *code, int32_t distance, uint32_t target_step);
void micro_host_end(struct micro_code *code);

/* ---- bodies of microbenchmarks: micro_core.c, micro_accesses.c */
void micro_put_core(struct micro_bench *bench);
void micro_put_memory(struct micro_bench *bench);

#endif
