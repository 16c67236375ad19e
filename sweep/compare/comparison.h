/* Comparison of replays with detailed timing: how far off each pair is, how far off what changes from system to
 * system, and where that comes from.
 *
 * Use: comparison_begin with the table; comparison_read_files, or comparison_set_ours for pairs that were replayed
 * just now, and comparison_set_detailed for those whose detailed run is ours, too; comparison_judge;
 * then look at pairs, programs and means; comparison_end.
 *
 * Definitions (t = final tick, d = of the detailed run, r = of the replay, base = the same program on the base
 * system): absolute error t_r / t_d - 1 relative error (t_r / t_r_base) / (t_d / t_d_base) - 1, of pairs that are not
 * base rank correlation Spearman's, of a program's systems by t_d and by t_r, ties at their mean rank; the mean of
 * all programs that have two systems or more speed-up host time of all detailed runs over that of the replays, where
 * both are known Means are those of the errors' absolute values. t_r is the table's replay or, with judges_ours,
 * ours.
 *
 * Where it comes from: the time of a run is misses * latency of a miss / misses in flight, of the L1D; so the
 * logarithm of t_r / t_d is the sum of those of the three factors, and the one that adds most to it is the cause. A
 * run with less than half a miss in flight does not wait for memory: then the cause is the core.
 *
 * Ownership: the table is borrowed and must outlive the comparison. */
#ifndef SWEEP_COMPARE_COMPARISON_H
#define SWEEP_COMPARE_COMPARISON_H

#include "sweep/compare/run_figures.h"
#include "sweep/compare/table.h"

enum comparison_cause { CAUSE_CORE, CAUSE_MISSES, CAUSE_LATENCY, CAUSE_OVERLAP };

struct comparison_pair {
    const struct comparison_row *row;
    size_t program, system;                      /* indices */
    bool is_base;
    struct run_figures figures[COMPARISON_SIDES];        /* of the files; ticks 0: not read */
    struct run_figures ours;                     /* ticks 0: not replayed */
    uint64_t detailed_ticks, reference_ticks;    /* of the table, else of the files; 0: not known */
    uint64_t replay_ticks;                       /* that is judged; 0: not known */
    double abs_error, rel_error;                 /* signed; NAN: not known, or base's relative error */
    struct fault fault;                          /* why the pair counts as failed */
};

/* What of a program's replays to trust: mean errors of at most these. */
#define TRUST_ABS_ERROR 0.10
#define TRUST_REL_ERROR 0.05

struct comparison_program {
    const char *name;
    size_t pairs;
    double abs_error, rel_error, rank_correlation;       /* means; NAN: of nothing */
    bool trusts_times, trusts_trends;
    enum comparison_cause cause;
    size_t worst;                                /* the pair of the largest absolute error */
};

struct comparison {
    const struct comparison_table *table;
    struct comparison_pair *pairs;               /* one for each row */
    size_t pair_count;
    struct comparison_program *programs;         /* in order of appearance, as are the systems */
    const char **systems;
    size_t program_count, system_count, base;    /* base: index of the system */
    bool judges_ours;                            /* set by the caller: only replays of ours count, not recorded ones */
    bool is_other_model;                         /* likewise: these are of another kind, and end at other ticks */
    bool is_window;                              /* likewise: elastic traces on a window (sweep/compare/kinds.h) */
    uint64_t *ticks;                             /* room for both sides of a program's pairs, while it is judged */
    double abs_error_mean, rel_error_mean, rank_correlation, speedup;    /* shares; NAN: of nothing */
    size_t abs_count, rel_count;
    size_t passed, failed;
};

/* base NULL: the system called base, else the first one. FAULT_INPUT: the table has no such system. FAULT_MEMORY. */
struct fault comparison_begin(struct comparison *comparison, const struct comparison_table *table, const char *base);
void comparison_end(struct comparison *comparison);

/* Reads both files of a pair and checks that their final ticks are the table's; faults stay in pair->fault. A
 * file that is not there is wrong only if it is needed. */
void comparison_read_files(struct comparison *comparison, size_t pair, bool needed);
/* A replay of ours: its figures, with the seconds that it took. The reference's tick must be ours. */
void comparison_set_ours(struct comparison *comparison, size_t pair, const struct run_figures *ours);

/* A detailed run of ours, likewise. */
void comparison_set_detailed(struct comparison *comparison, size_t pair, const struct run_figures *detailed);

/* Errors, means, trust. After all pairs. */
void comparison_judge(struct comparison *comparison);

/* Ours if there is one, else the reference's. */
const struct run_figures *comparison_replay(const struct comparison_pair *pair);
enum comparison_cause comparison_cause_of(const struct comparison_pair *pair);

#endif
