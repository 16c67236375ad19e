/* Session: one run of CPUs, a GPU, MacSim threads, or both sides together, from the request to its result.
 *
 * Use:
 *     session_open(&session, &request)      finds stores, opens traces, makes the system, and reports all errors of
 *                                           the request; open files for outputs after it
 *     session_run(session, &outputs)        runs; outputs are called meanwhile
 *     session_result, session_system, session_gpu: the final state
 *     session_run_alone                     once for each program, if wanted; the final state is that then
 *     session_close                         also after a fault
 * A workload serves any number of sessions, one after the other or in several processes; a session belongs to one
 * thread at a time. The results of a run depend on config, workload and limits only; engine and outputs change nothing
 * but the host's time and the number of events.
 *
 * Faults: FAULT_INPUT, FAULT_STALL (no progress is possible), FAULT_MEMORY. Units: ticks are picoseconds.
 * Ownership: all that request and outputs point at is borrowed until session_close. Nothing is printed; warnings go to
 * the request's sink. */
#ifndef REPLAY_SESSION_SESSION_H
#define REPLAY_SESSION_SESSION_H

#include "memsys/sim/sim_engine.h"
#include "memsys/sim/sim_statistics.h"
#include "replay/gpu/gpu_run.h"
#include "replay/profile/profile.h"
#include "replay/session/sampling.h"
#include "replay/source/workload.h"
#include "replay/system/system.h"
#include "replay/system/thread_sides.h"
#include "replay/window/window.h"

struct system_config;

struct warm_plan;                        /* replay/warm/warm_system.h */
struct warm_system;
struct metrics_needs;                    /* replay/metrics/metrics.h */

struct session_limits {
    uint64_t warmup_records, max_records;    /* of each core; 0: none; of detailed cores instructions */
    /* That each detailed core retires behind the warm-up, in place of max_records; 0: none. Of several cores each
     * has the figures of its own, and goes on until the last has retired as many. */
    uint64_t instructions;
    bool warms_at_once;                  /* the warm-up is a walk without time (replay/warm/warm_system.h) */
    uint64_t until_ps;                       /* TICK_NEVER - 1: none */
    double tick_scale;                       /* of elastic traces, to picoseconds */
    struct gpu_pick kernels;                 /* that the GPU runs */
    bool restarts;                           /* programs of cores start again until the last one, and the GPU, has
                                              * ended; a core's figures are those of its first pass */
};

/* Everything to its end. */
static inline struct session_limits session_no_limits(void)
{
    return (struct session_limits){.until_ps = TICK_NEVER - 1, .tick_scale = 1};
}

struct session_request {
    const struct system_config *config;  /* finished */
    struct workload *workload;
    struct session_limits limits;
    struct engine_options engine;
    const char *store_folder;            /* stores of elastic traces are found and made there; NULL: no stores */
    bool verifies_stores;                /* as in struct workload_stores, like the next */
    void (*before_packing)(void);        /* as in struct workload_stores */
    uint64_t interval_ps;                /* between blocks of statistics; 0: one block, at the end */
    bool has_stats;                      /* the outputs will have `block` ... */
    bool has_log, has_samples, has_commands;     /* ... `log`, also in samples with requests, `samples`, `commands` */
    /* Observers of detailed cores, an array with one for each core, or NULL. */
    const struct detailed_listener *listener;
    struct profile *profile;             /* gets what each pc did; borrowed, NULL: none is wanted */
    bool runs_alone;                     /* session_run_alone will be called */
    bool checks_itself;                  /* whether traces changed meanwhile (workload_check), as sweeps do */
    bool counts_pcs;                     /* of a GPU alone, per static instruction */
    /* Of detailed cores and one program of one thread: the system begins warm. Borrowed; NULL: cold. */
    const struct warm_plan *warm;
    struct warn_sink warn;
};

struct session_progress {
    uint64_t work;                       /* records, or warp instructions */
    uint64_t now_ps;
    double part;                         /* of the work, 0 to 1 */
    bool is_of_warps;
};

struct session_outputs {
    struct log_sink log;
    const struct session_samples *samples;
    const struct dram_command_sink *commands;    /* of all DRAM channels; not of session_run_alone */
    const struct cmd_sink *device_commands;      /* the same of memories command by command */
    void (*block)(void *context, const struct stats *stats, uint64_t now_ps);  /* of systems, not of a GPU alone */
    /* A core's figures, and those of its private caches, are whole, but not those of others (limits.restarts,
     * limits.instructions). */
    void (*pass_ended)(void *context, const struct system *system, unsigned core);
    /* Some times a second. True: the run ends now, without a result. */
    bool (*progress)(void *context, const struct session_progress *progress);
    /* As often. True: the run stops, cut short, as soon as all of the system is at one tick; results are those up to
     * there. */
    bool (*is_interrupted)(void *context);
    void *context;
};

struct session_result {
    uint64_t end_ps;
    double host_s;                       /* that the run took ... */
    double warm_s;                       /* ... and before it a warm-up without time; 0: there was none */
    bool is_cut_short;                   /* by a limit, or ... */
    bool is_interrupted;                 /* ... by outputs.is_interrupted, at end_ps */
    bool is_unwarmed;                    /* ... in its warm-up: there are no figures; `work` says how far it was */
    uint64_t work;                       /* then: of the core that was furthest behind */
    bool is_stopped;                     /* by `progress` or a view: nothing else counts */
    struct fault recording;              /* that is not whole */
};

struct session;

/* *made is NULL after a fault. */
struct fault session_open(struct session **made, const struct session_request *request);
/* After session_open: fast paths of the engine that the run does without because of its outputs or limits, and why, as
 * a line; NULL: none. */
const char *session_note(const struct session *session);
/* Before session_run: the system warms step by step (warm_system_begin), in place of request.warm ... */
struct warm_system *session_warm(struct session *session, const char *trace, const char *format, struct fault *fault);
/* ... and the run has other limits than those of the request, which had a warm-up and an end, too. Of the workload
 * another part may be read by then (workload_read_insn_as). */
void session_limit(struct session *session, const struct session_limits *limits);
struct fault session_run(struct session *session, const struct session_outputs *outputs);
const struct session_result *session_result(const struct session *session);
/* NULL: a GPU with a memory of its own is alone. */
const struct system *session_system(const struct session *session);
/* NULL: the system has no GPU, or it has no work. */
const struct gpu_run *session_gpu(const struct session *session);
/* Statistics of the run, once it is over, by name: of the system those that metrics and verdicts need, or, if needs is
 * NULL, all; of a GPU alone all. */
struct fault session_visit_stats(struct session *session, const struct metrics_needs *needs,
                                 void (*visit)(void *context, const char *name, double value), void *context);
/* Of instruction traces; false: the run has none. */
bool session_insn_figures(const struct session *session, struct insn_threads_figures *figures);

/* Of a core whose micro-ops are rebuilt from an elastic trace; false: they are not. */
bool session_window_counts(const struct session *session, unsigned core, struct window_counts *counts);

/* A unit that can run alone: a core with elastic traces, a process of instruction traces, an application of MacSim,
 * and, after them, the GPU beside cores. */
struct session_program {
    const char *path;                    /* of a process, of an application: its trace (borrowed from the session) */
    unsigned core;                       /* that it began on; UINT_MAX: it never did */
    bool is_gpu;
    uint64_t done_ps;                    /* the end of its first pass; TICK_NEVER: it did not come */
};
size_t session_programs(const struct session *session);
struct session_program session_program(const struct session *session, size_t i);
/* Runs the system again from the beginning, a program of the run with all on its core, all others idle. The functions
 * above then return the results of that run. *alone_ps: its end. */
struct fault session_run_alone(struct session *session, size_t number, const struct session_program *program,
                               uint64_t *alone_ps);

void session_close(struct session *session);

#endif
