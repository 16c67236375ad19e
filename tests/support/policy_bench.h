/* A small cache around a replacement policy: tags alone, an access a step.
 *
 * Use: policy_bench_start, then accesses, then policy_bench_stop, which frees what the start took. Lines have
 * POLICY_LINE_BYTES; a step is POLICY_STEP_PS. */
#ifndef TESTS_POLICY_BENCH_H
#define TESTS_POLICY_BENCH_H

#include "memsys/cache/tags.h"

#define POLICY_LINE_BYTES 64
#define POLICY_STEP_PS 1000
#define POLICY_NOTHING UINT64_MAX

struct policy_bench {
    struct sim sim;
    struct tags tags;
    uint64_t evicted;                    /* line number; POLICY_NOTHING: the last miss took an invalid block */
};

void policy_bench_start(struct policy_bench *bench, uint64_t kind, uint32_t assoc, uint32_t sets);
void policy_bench_stop(struct policy_bench *bench);

/* True: a hit. Otherwise the line is brought in, `evicted` says for which. pc 0: the packet has none. */
bool policy_bench_send(struct policy_bench *bench, uint64_t line, uint64_t pc, enum command command);
bool policy_bench_load(struct policy_bench *bench, uint64_t line, uint64_t pc);

/* Re-reference prediction of a line that is there, of the policies that have one. */
unsigned policy_bench_prediction(const struct policy_bench *bench, uint64_t line);

#endif
