/* Where fast paths take part in a detailed core; empty in the plain engine. */
#ifndef REPLAY_DETAILED_DETAILED_HOOKS_H
#define REPLAY_DETAILED_DETAILED_HOOKS_H

#include <stdint.h>

struct detailed_cpu;

struct detailed_hooks {
    /* The cycle's stages are done. Answers the cycle to be executed next, later than this one; DETAILED_NEVER: none,
     * until `wake`. NULL: the next one. */
    uint64_t (*next_cycle)(struct detailed_cpu *cpu);
    /* That cycle begins, if it was said by next_cycle, or by `wake`. */
    void (*begin)(struct detailed_cpu *cpu, uint64_t cycle);
    /* An answer or a retry has come for the coming cycle. */
    void (*wake)(struct detailed_cpu *cpu);
    /* Statistics are due: those of cycles that are over. */
    void (*catch_up)(struct detailed_cpu *cpu);
};

#endif
