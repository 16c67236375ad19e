/* What a program needs natively: the least of several runs, each on one core whose clock is measured before and after
 * it. Runs go round a few cores, since a core may have a neighbour that stays: another thread of it, which no process
 * sees in a virtual machine.
 *
 * A first run counts: page faults, time in the kernel, and the host's performance counters, in as many runs as they
 * need. The runs for the clock follow, without counters. Regions of up to 2 ms are timed by patches in the program,
 * longer ones and whole programs by processor time, in which no other process counts. Runs before or after
 * which the clock was more than 1 % below the highest of all runs do not count, nor do those in which the core was
 * shared: several chains of additions at once were more than 5 % below the most of all runs. If that is so of all,
 * they do count, and `is_steady` is false.
 *
 * Use: native_program_run; native_program_free. Ownership: the arguments are borrowed; output is the result's.
 * Errors: those of native_process_run; FAULT_STALL if two runs print different things. */
#ifndef SWEEP_NATIVE_NATIVE_PROGRAM_H
#define SWEEP_NATIVE_NATIVE_PROGRAM_H

#include "sweep/native/native_process.h"

enum { NATIVE_MOST_RUNS = 1000 };

struct native_request {
    struct program program;
    struct native_place from, to;
    const char *input;
    unsigned runs;
    int core;                            /* that all runs are on; -1: a few in turn */
    double timeout_s;                    /* of one run */
    bool without_counters;
    bool (*is_interrupted)(void);
};

struct native_result {
    double cycles, seconds;              /* of the least run */
    double clock_hz;
    double additions;                    /* that the core made in a cycle, at most */
    double spread;                       /* of the median over the least, less 1 */
    unsigned runs, kept;                 /* of all, and those that count */
    int core;                            /* that the least run was on; -1: unknown */
    bool is_steady, has_patches, has_counted_cycles;
    double kernel_s;                     /* in the region; NAN: unknown */
    struct native_counters counters;
    char *output;                        /* standard output of a run */
    size_t output_bytes;
};

struct fault native_program_run(const struct native_request *request, struct native_result *result);
void native_program_free(struct native_result *result);

/* The text's place where two outputs begin to differ, as a line from 1; 0: they are the same. */
size_t native_outputs_differ(const char *one, size_t one_bytes, const char *two, size_t two_bytes);

#endif
