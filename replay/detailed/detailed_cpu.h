/* Detailed core: an out-of-order CPU, cycle by cycle, driven by an instruction trace (o3-core).
 *
 * Use: detailed_cpu_new; connect the two ports to the L1s and set icache, dcache, finished; detailed_cpu_start once,
 * before other components start; then run the event queue. A fault in the middle of a run is put into `fault` and stops
 * the queue. Before statistics are read: detailed_cpu_sync.
 * Units: picoseconds, bytes, cycles of the CPU's clock.
 * Ownership: borrows sim, supply, listener and the L1s. Takes packets from sim's pool and returns them when their
 * responses arrive. detailed_cpu_free gives back refused packets and frees the rest; call it before sim_free. */
#ifndef REPLAY_DETAILED_DETAILED_CPU_H
#define REPLAY_DETAILED_DETAILED_CPU_H

#include "memsys/sim/module_use.h"
#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"
#include "replay/detailed/branch/branch_unit.h"
#include "replay/detailed/detailed_statistics.h"
#include "replay/detailed/uops/supply.h"

/* History of a micro-op that left the ROB, for writers of elastic traces and pipeline listings. Cycles of the
 * core; DETAILED_NEVER: it was not reached. */
#define DETAILED_NEVER UINT64_MAX

struct detailed_retired {
    uint64_t seq;                        /* given at fetch, from 1, wrong paths included; never reused */
    const struct supply_insn *insn;
    const struct uop *uop;
    const struct supply_access *access;  /* NULL: none is known */
    unsigned micro_pc;                   /* of the micro-op in its instruction, from 0 */
    bool is_squashed;
    bool has_fault;                      /* a system call or a page fault */
    bool has_request;                    /* its address was translated and it asked the cache, or would have */
    bool is_written_back;                /* before it was squashed or committed */
    bool is_predicted_taken, is_mispredicted;
    uint64_t fetch_cyc, decode_cyc, rename_cyc, dispatch_cyc, issue_cyc;
    uint64_t execute_cyc;                /* the last time that it was taken for execution */
    uint64_t to_commit_cyc;              /* written back */
    uint64_t store_cyc;                  /* of a store: offered to the L1D; DETAILED_NEVER while it is not */
    uint64_t retire_cyc;                 /* now */
    unsigned producer_count;
    uint64_t producers[UOP_SOURCES];     /* sequence numbers of its sources' producers; 0: before the first micro-op */
};

/* Callbacks for the core's events; members may be NULL. */
struct detailed_listener {
    /* An L1I request was accepted, now. */
    void (*fetched)(void *context, uint64_t now_ps, uint64_t place, uint64_t pc);
    /* In the order in which they leave the ROB: committed, or squashed. */
    void (*retired)(void *context, const struct detailed_retired *retired);
    void *context;
};

struct detailed_cpu_setup {
    struct sim *sim;
    const char *name;                    /* "cpu"; requestors are <name>.inst and <name>.data */
    unsigned number;                     /* of the core; of several, the lowest executes its cycle first in a tick */
    uint64_t period_ps;
    const struct detailed_params *params;
    const struct branch_params *branch;
    struct module_where where;           /* for modules of the branch prediction unit */
    uint32_t line_bytes;
    struct supply *supply;               /* NULL: detailed_cpu_take will bring it */
    const struct detailed_listener *listener;    /* NULL: no listener */
};

struct detailed_cpu;

/* NULL on failure: FAULT_MEMORY; FAULT_INPUT for parameters that make no core (detailed_params_check). */
struct detailed_cpu *detailed_cpu_new(const struct detailed_cpu_setup *setup, struct fault *fault);
void detailed_cpu_free(struct detailed_cpu *cpu);

/* The core's ports, for the L1s. */
struct above detailed_cpu_inst_port(struct detailed_cpu *cpu);
struct above detailed_cpu_data_port(struct detailed_cpu *cpu);
void detailed_cpu_connect(struct detailed_cpu *cpu, const struct below *icache, const struct below *dcache);
/* Called when the last instruction has committed, or its exit was executed; and when `instructions` have committed,
 * counted from the start of the run (UINT64_MAX: never), which may be set anew from there. */
void detailed_cpu_on_finished(struct detailed_cpu *cpu, void (*finished)(void *context), void *context);
void detailed_cpu_on_instructions(struct detailed_cpu *cpu, uint64_t instructions, void (*reached)(void *context),
                                  void *context);

/* Gives the core its work; it was not started yet, or is done. At a clock edge; detailed_cpu_start must follow in the
 * same tick. */
void detailed_cpu_take(struct detailed_cpu *cpu, struct supply *supply);
struct fault detailed_cpu_start(struct detailed_cpu *cpu);

/* Before detailed_cpu_start: the predictor learns from a branch (branch_unit_warm); the last one is behind it. */
void detailed_cpu_warm(struct detailed_cpu *cpu, const struct branch_query *query);
void detailed_cpu_warm_end(struct detailed_cpu *cpu);

/* Called with each branch that fetch has predicted, those of wrong paths included. */
struct rubato_branch;
void detailed_cpu_watch_branches(struct detailed_cpu *cpu,
                                 void (*watch)(void *self, const struct rubato_branch *branch), void *self);
/* Of its branch unit: statistics, and the end of the run (branch_unit.h). */
void detailed_cpu_add_modules(const struct detailed_cpu *cpu, const char *name, struct stats *stats);
void detailed_cpu_end_modules(struct detailed_cpu *cpu);

/* Brings the statistics that depend on time up to the present. */
void detailed_cpu_sync(struct detailed_cpu *cpu);
void detailed_cpu_reset_statistics(struct detailed_cpu *cpu);
const struct detailed_stats *detailed_cpu_stats(const struct detailed_cpu *cpu);
const struct detailed_params *detailed_cpu_params(const struct detailed_cpu *cpu);
const struct branch_stats *detailed_cpu_branch_stats(const struct detailed_cpu *cpu);
/* Instructions committed since the start of the run, not reset. */
uint64_t detailed_cpu_instructions(const struct detailed_cpu *cpu);
/* Why the run stopped, if it did so in the middle. */
const struct fault *detailed_cpu_fault(const struct detailed_cpu *cpu);

bool detailed_cpu_is_done(const struct detailed_cpu *cpu);
/* Not done, and without events of its own: it waits for a response. */
bool detailed_cpu_is_waiting(const struct detailed_cpu *cpu);
/* Grows with everything that this core does. */
uint64_t detailed_cpu_activity(const struct detailed_cpu *cpu);
/* One line with the reason why the core waits, for a stall report. */
void detailed_cpu_describe(const struct detailed_cpu *cpu, char *text, size_t size);

#endif
