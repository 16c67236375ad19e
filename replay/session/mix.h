/* A mix: programs that share a memory system, each against a run of its own on it, all others idle.
 *
 * With t_i the time of program i together with the others, from the start of the run to the end of its first pass, a_i
 * its time alone, and n programs: its slowdown is t_i / a_i. A pass is a fixed number of instructions, so a_i / t_i is
 * IPC together / IPC alone.
 *
 *     weighted speed-up    sum of a_i / t_i, n at most without sharing (Snavely and Tullsen, ASPLOS 2000)
 *     harmonic speed-up    n / sum of t_i / a_i, the harmonic mean of speed-ups (Luo, Gummaraju, Franklin, ISPASS 2001)
 *     fairness             smallest / largest slowdown, 1: all suffer alike (Gabor, Weiss, Mendelson, MICRO 2006)
 *     largest slowdown     (Kim and others, MICRO 2010)
 *
 * Without a time (a program that did not end) they have no value.
 *
 * Use: mix_run after session_run, whose final state is gone then; mix_visit; mix_free, also after a fault.
 * Faults: those of session_run_alone, FAULT_MEMORY. An interrupted run (session_result) leaves the mix without values.
 * Units: ticks are picoseconds. */
#ifndef REPLAY_SESSION_MIX_H
#define REPLAY_SESSION_MIX_H

#include "replay/session/session.h"

struct mix_program {
    struct session_program program;
    uint64_t alone_ps;
};

struct mix {
    struct mix_program *programs;
    size_t count;
    bool is_whole;                       /* all have both times */
    double weighted_speedup, harmonic_speedup, fairness, max_slowdown;
};

struct fault mix_run(struct mix *mix, struct session *session);
void mix_free(struct mix *mix);

static inline bool mix_has_end(const struct mix_program *program)
{
    return program->program.done_ps != TICK_NEVER && program->alone_ps > 0;
}

static inline double mix_slowdown(const struct mix_program *program)
{
    return (double)program->program.done_ps / (double)program->alone_ps;
}

/* As statistics of the run: mixWeightedSpeedup and so on, system.cpuN.sharedTicks and aloneTicks (of several programs
 * of a core their sums), system.gpu.sharedTicks and aloneTicks. */
void mix_visit(const struct mix *mix, const struct system_config *config,
               void (*visit)(void *context, const char *name, double value), void *context);

#endif
