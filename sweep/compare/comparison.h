/* Comparison of replays with detailed timing: the error of each pair, the error of the differences between systems,
 * and their causes.
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

#include "replay/session/session.h"
#include "sweep/compare/compare_table.h"
#include "sweep/compare/stats_table.h"

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

/* Limits of the mean errors up to which a program's replays are trusted. */
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
    bool is_window;                              /* likewise: elastic traces on a window (sweep/compare/comparison.h) */
    double *ticks;                               /* room for both sides of a program's pairs, while it is judged */
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

/* Kinds of programs, by the figures of their replay with --model window, and the errors of such replays: so that an
 * error can be predicted where the truth is unknown. Figures are of the pairs that docs/window.md lists.
 *
 * Use: kind_of for a replay's figures; kinds[] has the expected error and its reason. */

/* suffix, name, least error to expect in percent, most, why. In the order in which they are asked for. */
#define WINDOW_KINDS(K)                                                                                               \
    K(OVERLAPS, "partial overlaps", -3, 3,                                                                            \
      "loads of partially written store data are repeated; how often depends on which violates first. Two programs "  \
      "of this kind were seen")                                                                                       \
    K(ATOMICS, "atomics", -36, 3,                                                                                     \
      "fences and atomic accesses wait as they did at the capture; their addresses are not in the trace, nor what "   \
      "is squashed because of them. Three programs of this kind were seen")                                           \
    K(MISPREDICTS, "mispredictions", -6, 4,                                                                           \
      "they are its cost: their sources are found from the capture's times or guessed, and where wrong paths lead "   \
      "is guessed")                                                                                                   \
    K(NEXT_LINES, "mispredictions, next lines", -9, 5,                                                                \
      "the core's wrong paths fetch what it needs next from memory; the trace has such loads only if the capture "    \
      "finished them")                                                                                                \
    K(BRANCHES, "mispredicts", -5, 8,                                                                                 \
      "what most branches wait for is found from the capture's times, or guessed")                                    \
    K(SERIAL, "serialising", -8, 4,                                                                                   \
      "time of CSR accesses is known, latencies of what always waits for them are not. Three programs of this kind "  \
      "were seen")                                                                                                    \
    K(STREAMS, "waits for memory", -9, 7,                                                                             \
      "what asks for memory, and when, is all in the trace; which load first overtakes which store is not, and may "  \
      "decide about 10 % of the time")                                                                                \
    K(COMPUTES, "computes", -5, 2, "latencies are those of gem5's default units, found by pc")

enum window_kind {
#define WINDOW_KIND_ENUM(suffix, name, least, most, why) KIND_##suffix,
    WINDOW_KINDS(WINDOW_KIND_ENUM)
#undef WINDOW_KIND_ENUM
    KIND_COUNT
};

struct window_kind_about {
    const char *name;
    int least_pct, most_pct;
    const char *why;
};

extern const struct window_kind_about window_kinds[KIND_COUNT];

enum window_kind window_kind_of(const struct run_figures *replay);
/* Misses of the last level of caches. */
double run_memory_lines(const struct run_figures *figures);

/* The runs of a comparison that needs no recorded ones: a program's instruction trace on a system's detailed core, and
 * the replay of its elastic trace on the same system. The elastic trace is captured on the system's core above
 * near-ideal memory (replay/detailed/probe/capture_system.h), once for all systems whose core is the same.
 *
 * Use: own_runs_init; for each program own_runs_begin, then own_runs_detailed and own_runs_replay for each system;
 * own_runs_end. A replay has the ROB and the load and store buffers of the detailed core.
 * Files: elastic traces go into `folder`/PROGRAM, those of further cores into PROGRAM-2, ...; they are removed by
 * own_runs_begin and own_runs_end, unless `keeps`.
 * Ownership: the arguments of own_runs_init are borrowed. Errors: FAULT_INPUT, for systems with several cores, too. */

struct own_runs_setup {
    const char *folder;                  /* is there */
    bool keeps;
    const char *const *settings;         /* of all systems, as config_set takes them */
    size_t setting_count;
    struct engine_options engine;
    struct workload_options reading;
};

struct own_capture {
    char *system;                        /* that it was captured on, as compact YAML */
    char *folder;
};

struct own_runs {
    struct own_runs_setup setup;
    const char *program, *trace;
    struct own_capture *captures;        /* of this program */
    size_t capture_count;
};

void own_runs_init(struct own_runs *runs, const struct own_runs_setup *setup);
/* A run of any kind, for its figures. `name` is that of its statistics in errors. */
struct fault own_runs_measure(const char *name, const struct system_config *config, struct workload *workload,
                              struct engine_options engine, struct run_figures *figures);
/* Before any program: whether this system will do. */
struct fault own_runs_check(const struct own_runs *runs, const char *system);
/* trace: its path. */
void own_runs_begin(struct own_runs *runs, const char *program, const char *trace);
struct fault own_runs_detailed(struct own_runs *runs, const char *system, struct run_figures *figures);
struct fault own_runs_replay(struct own_runs *runs, const char *system, struct run_figures *figures);
void own_runs_end(struct own_runs *runs);

#endif
