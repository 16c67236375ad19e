/* System: one memory system with its cores, built from a configuration, and its run.
 *
 * Use: system_create, system_run until it says SYSTEM_FINISHED (or as long as wanted), look at the components and
 * statistics, system_destroy. Two systems can live in one process; one system belongs to one thread at a time.
 *
 * Shape: cores (none, if a GPU is alone), each with its private caches; shared caches in any tree; a crossbar above
 * each cache that takes the misses of others; the memory bus; perhaps a memory-side cache with a crossbar of its own;
 * memories. Components are in arrays, from the cores towards memory, so that reports and statistics need not know the
 * shape.
 * Units: ticks are picoseconds. Ownership: the trace sources are the caller's and must outlive the system. */
#ifndef REPLAY_SYSTEM_SYSTEM_H
#define REPLAY_SYSTEM_SYSTEM_H

#include "memsys/cache/cache.h"
#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/link/cxl_link.h"
#include "memsys/noc/noc.h"
#include "memsys/sim/sim_engine.h"
#include "memsys/sim/sim_statistics.h"
#include "memsys/tlb/mmu.h"
#include "replay/config/command_device.h"
#include "replay/config/config_limits.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/elastic/elastic_cpu.h"
#include "replay/gpu/gpu_run.h"

struct cache_config;
struct memory_params;
struct system_config;

/* Of one core. */
struct system_traces {
    bool is_idle;                        /* the core does nothing; the rest is not looked at */
    bool takes_threads;                  /* its work comes from system_set_threads; the rest is ignored ... */
    bool has_elastic_threads;            /* ... but records, supply and tick_scale: passes over an elastic trace */
    struct record_source records;
    struct fetch_source fetches;
    struct supply *supply;               /* of a detailed core that takes no threads, in place of these (borrowed) */
    double tick_scale;                   /* multiplies the trace's ticks; 1: they are picoseconds */
    /* Where its virtual pages lie, if a TLB asks (borrowed); NULL: its addresses are physical, and virtual ones are the
     * same. Counts for cores that take threads, too. */
    const struct vm_memory *memory;
    /* Observer of a detailed core (borrowed), or NULL. */
    const struct detailed_listener *listener;
};

/* The work of a core until both its sides are done. */
struct system_thread {
    struct record_source records;        /* of an elastic core ... */
    struct fetch_source fetches;
    struct supply *supply;               /* ... and of a detailed one */
    uint64_t pc;                         /* for the event log: of the first instruction ... */
    char what[100];                      /* ... and which thread it is */
    bool is_again;                       /* a pass after its first one: the run does not wait for its end */
};

/* Threads that begin during the run. */
struct system_threads {
    /* Gives a core without a thread one that is due; *is_taken: whether there was one. */
    struct fault (*take)(void *self, unsigned core, struct system_thread *thread, bool *is_taken);
    /* The core's thread has ended, at that tick; its sources are not asked any more. */
    void (*ended)(void *self, unsigned core, uint64_t done_ps);
    /* Threads not taken yet, without those that start again. Once no core runs, `take` gives one if there are any. */
    size_t (*left)(const void *self);
    /* `due` is to be called when threads become due in the middle of the run; a source may call it. */
    void (*listen)(void *self, void (*due)(void *context), void *context);
    void *self;                          /* NULL: no threads */
    /* Threads that have ended start again until the last first pass, and the GPU, has ended. The statistics of a core
     * and its private caches stay as they are at the end of its first pass: system_add_stats is due before the run. */
    bool restarts;
};

/* Of the GPU beside the cores. */
struct system_gpu {
    struct gpu_source source;
    struct gpu_run_options options;      /* done and context are the system's */
};

enum system_state {
    SYSTEM_RUNNING,                      /* paused at the tick asked for, or at the record asked for */
    SYSTEM_FINISHED,                     /* the cores are done, and the GPU */
    SYSTEM_FAILED                        /* see system->fault */
};

/* Programs, groups of threads that can run alone, and start again. */
#define THREADS_ALL SIZE_MAX
#define THREADS_NONE (SIZE_MAX - 1)

struct threads_pick {
    size_t only;                         /* this program runs, all others do not; or one of these */
    unsigned only_core;                  /* its core, if it has a single thread */
    bool restarts;                       /* programs start again: FAULT_INPUT if one has several threads */
};

static inline struct threads_pick threads_all(void)
{
    return (struct threads_pick){.only = THREADS_ALL};
}

struct threads_program {
    const char *path;
    size_t thread_count;
    unsigned core;                       /* that its first thread began on; UINT_MAX: none yet */
    uint64_t done_ps;                    /* the end of its first pass; TICK_NEVER: it has not come */
};

struct system;

/* A core of one of two models; operations common to both are in replay/system/system_core.h. */
struct system_core {
    struct elastic_cpu cpu;              /* all zero if it is a detailed one */
    struct detailed_cpu *detailed;       /* NULL: it is an elastic one */
    struct below below_fetch, below_data;    /* the components below its two ports */
    struct system *system;
    void (*finished)(struct system_core *core), (*reached)(struct system_core *core);
    uint64_t notify_at;                  /* work at which `reached` is called; UINT64_MAX: never */
    struct fault fault;                  /* why it could not begin a thread */
    struct mmu *mmu;                     /* between it and its L1s; NULL: none */
    char walker_port[48];                /* "system.cpu.mmu.walker.port" */
    char name[16];                       /* "cpu"; with several cores "cpu0", ... */
    bool is_idle;
    bool takes_threads, has_thread;      /* takes_threads: without a thread it has nothing to do */
    bool is_again;                       /* its thread is in a pass after the first one */
    uint64_t counted_from;               /* work that limits do not count: before system_count_from_now */
    bool has_come, is_kept;              /* to the limit; its figures are those up to there */
    uint32_t passes_begun;               /* of threads that start again, with the first one */
    uint64_t done_ps;                    /* when both its sides were done, the last time, or at the end of its first
                                          * pass; TICK_NEVER before */
    uint64_t checked_activity;           /* stall detection, see system.c */
};

struct system_cache {
    struct cache cache;
    const struct cache_config *config;
    const char *kind;                    /* name in the configuration: "l1d" */
    bool is_private;                     /* one instance a core */
    unsigned instance;                   /* among those of one configuration: the core of a private cache */
    bool has_below;                      /* another cache is between it and the memory bus */
    struct mmu *mmu;                     /* which translates for its prefetcher; NULL: addresses are physical */
    enum mmu_side_number mmu_side;
    const struct elastic_limits *limits; /* without an MMU: where memory is (the system's) */
    char name[32];                       /* "l1i"; several of a kind: "l1i0", ... */
    char our_name[48];                   /* where not the reference's names are wanted: "cpu0.l1i" */
    char port_names[2][64];              /* towards memory, towards the core */
};

struct system_bus {
    struct noc *noc;
    char name[40];                       /* "tol2bus", "membus", "memcache_bus" */
    char our_name[48];                   /* "cpu0.tol2bus" */
};

struct system_memory {
    bool is_simple;                      /* MEMORY_SIMPLE, without banks ... */
    bool is_command;                     /* ... MEMORY_COMMAND; neither: gem5's controller */
    bool has_link;
    struct cxl_link link;                /* between the bus and the memory */
    const struct memory_params *params;
    char name[24];                       /* "mem_ctrls", "mem_ctrls0", "memory" */
    char port_name[40];                  /* "system.mem_ctrls.port" */
    union {
        struct mem_ctrl controller;
        struct simple_memory simple;
        struct cmd_ctrl command;
    };
};

/* How fast paths take part in building and running a system. A NULL member means the plain behaviour of system.c and
 * system_build.c. */
struct system_hooks {
    /* Each core is at a tick of its own until the run ends; of the others it notices nothing. */
    bool has_own_ticks;
    /* Building. The simulation that a core and its private caches belong to. */
    struct sim *(*core_sim)(struct system *system, unsigned core);
    /* Addresses that the core may have, of those that memory has. */
    struct elastic_limits (*limits)(const struct system_config *config, unsigned core,
                                    const struct elastic_limits *memory);
    /* The side above the memory bus for that cache, whose port is the next one. */
    struct above (*above_bus)(struct system *system, struct system_cache *cache);
    /* All are joined, and all caches have started. */
    void (*joined)(struct system *system);
    /* Running. Starts cores and memories. */
    struct fault (*start)(struct system *system);
    /* As event_queue_run to the end; somewhat more than max_events may be executed. */
    void (*run)(struct system *system, uint64_t max_events);
    /* Between two calls of `run`: executes events until all parts are at one tick, which becomes the present. */
    void (*come_to_rest)(struct system *system);
    /* A fault if the result of `run` is worthless. */
    struct fault (*check)(const struct system *system);
    uint64_t (*events_executed)(const struct system *system);
    bool (*has_events)(const struct system *system);
    /* Is that core the one that is being simulated? */
    bool (*is_current)(const struct system *system, unsigned core);
    /* The run is over: the present is the same everywhere. */
    void (*set_now)(struct system *system, uint64_t now_ps);
    /* Frees system->hooked. */
    void (*free)(struct system *system);
};

/* By fast path: why a requested one is not used; NULL: it is used, or was not requested. */
struct engine_reasons {
#define ENGINE_REASON(name, help) const char *name;
    ENGINE_FAST_PATHS(ENGINE_REASON)
#undef ENGINE_REASON
};

struct warm_walk_way;

/* The fast paths of a system (made by replay/session/session_engine.h). */
struct system_engine {
    struct engine_options options;       /* fast paths that are wanted */
    bool is_logged;                      /* the run will write the event log */
    bool is_interrupted;                 /* it will be sampled or stopped before its end, other than by max_events */
    /* Before components are made: sets system->hooks, if one of the fast paths needs them. */
    struct fault (*prepare)(struct system *system, const struct system_traces *traces);
    /* All components are made and joined, and nothing has happened: binds fast paths to them. */
    struct fault (*bind)(struct system *system);
    struct engine_reasons unused;        /* found by these two */
    /* How functional warming walks over traces (replay/warm/warm_walk.h), set by `bind`. NULL: by instructions. */
    const struct warm_walk_way *walk;
};

/* Latencies of several components as one: system_stats.c. */
struct latency_totals {
    const struct latency_histogram **load_list, **read_list;
    struct latency_histogram *kept[CONFIG_MAX_CORES];    /* of cores whose figures stay as they were */
    struct latency_histograms loads, reads;
};

struct system {
    struct sim sim;                      /* of the components without a simulation of their own */
    struct system_engine engine;         /* all zero: plain */
    const struct system_hooks *hooks;    /* NULL: all events execute in the order of one queue */
    void *hooked;                        /* theirs */
    struct system_config *config;        /* own copy */
    struct system_core *cores;
    struct system_cache *caches;
    struct system_bus *buses;
    struct system_memory *memories;
    struct command_device command_devices[CONFIG_MAX_MEMORIES];    /* of the memories that have one */
    unsigned core_count, cache_count, bus_count, memory_count;
    struct vm_memory *vm;                /* of the cores whose traces bring none; NULL: there is no TLB */
    struct elastic_limits limits;        /* of all memories */
    unsigned membus;                     /* index of the memory bus in buses */
    unsigned cores_running;
    struct gpu_run *gpu;                 /* NULL: none, or nothing to do for it */
    struct gpu_run_stats gpu_stats;
    bool gpu_running;
    struct system_threads threads;
    struct event thread_event;           /* gives threads to cores */
    /* Borrowed; NULL: not called. Called when a core's statistics have been kept: at the end of its first pass, or
     * of keeps_ends. */
    void (*pass_ended)(void *context, const struct system *system, unsigned core);
    void *pass_context;
    unsigned gpu_port;                   /* of the memory bus, the first of the GPU's channels; all after it are, too */
    struct stats stats;
    struct latency_totals totals;
    struct system_energy *energy;        /* NULL: the system has no technology (system_energy.h) */
    struct system_modules *modules;      /* NULL: no cache has one (system_modules.h) */
    struct event exit_event;
    bool finished, started;
    bool rests;                          /* stopped for good before its end, all of it at one tick */
    bool keeps_ends;                     /* system_count_from_now */
    bool goes_on;                        /* the end of all first passes is not the end of a run of threads that start
                                          * again, nor are figures kept there: a limit is the end */
    bool has_own_end;                    /* a core has come to the limit since system_run was called */
    bool records_reached;                /* system_run stopped at `at_records`; cleared by the next call */
    uint64_t records_completed;          /* of all cores, as of the last return of system_run; or instructions */
    uint64_t checked_events;
    struct fault fault;
};

/* config: after config_finish; copied. traces: one for each of config's cores. gpu: the work of the GPU beside them,
 * borrowed; NULL: the system is built without a GPU. engine: copied; NULL: the plain one. NULL on failure, with the
 * fault. A log goes into system->sim.log before the run. */
struct system *system_create(const struct system_config *config, const struct system_traces *traces,
                             const struct system_gpu *gpu, const struct system_engine *engine, struct fault *fault);
void system_destroy(struct system *system);
/* Schedules the first refreshes of a memory. For hooks that start a system. */
void system_start_memory(struct system_memory *memory);

/* Do events execute in another order than that of one queue? Nothing simulated differs; but there is no log, and no
 * limit of system_run but max_events, which is kept roughly. Such a run may fail because cores share addresses after
 * all, and does not tell which of several faults is the first: the results are then invalid; repeat the run with a
 * system without the fast paths lookahead and domains. */
static inline bool system_is_out_of_order(const struct system *system)
{
    return system->hooks != NULL;
}

/* Is each core at a tick of its own until the run ends? */
static inline bool system_has_own_ticks(const struct system *system)
{
    return system->hooks && system->hooks->has_own_ticks;
}

/* For the cores that take threads; before the run. FAULT_MEMORY. A run with an exit_first_core ends with the first
 * thread that ends. */
struct fault system_set_threads(struct system *system, const struct system_threads *threads);

/* Our name of a requestor or a port that has the reference's: "cpu3.l1d.prefetcher" of "l1d3.prefetcher". False: it
 * is the same. */
bool system_our_part(const struct system *system, const char *name, char *text, size_t size);

/* Names all statistics in system->stats. Once, before the run, if they will be visited or reset. FAULT_MEMORY. */
struct fault system_add_stats(struct system *system);

/* Executes events: until the run is over, past until_ps (events of that tick included), or max_events were executed, or
 * at_records data records, or instructions of detailed cores, have completed in every core (0: no such limit). */
enum system_state system_run(struct system *system, uint64_t until_ps, uint64_t max_events, uint64_t at_records);

/* at_records counts from now on. keeps_ends: a core that has come to the limit has its figures kept, and goes on until
 * all have come there; system_run returns in between. Not while system_is_out_of_order; after system_add_stats. */
void system_count_from_now(struct system *system, bool keeps_ends);

/* A request to stop the run soon: checked after every `events` events. */
struct system_poll {
    uint64_t events;
    bool (*is_wanted)(void *context);
    void *context;
};

/* The same for runs that are stopped often, to take samples: while the answer is SYSTEM_RUNNING, system_sync is due
 * before statistics are visited; all that samples show is up to date without. poll may be NULL. */
enum system_state system_run_piece(struct system *system, uint64_t until_ps, uint64_t max_events, uint64_t at_records,
                                   const struct system_poll *poll);
void system_sync(struct system *system);

/* For a run that is to end early: executes events until exactly those up to and including one tick have been executed,
 * as if system_run had been called up to that tick, which becomes the present. */
enum system_state system_come_to_rest(struct system *system);

/* Events that have begun to execute. */
uint64_t system_events_executed(const struct system *system);

/* Statistics restart at now. After system_add_stats. */
void system_reset_stats(struct system *system);
static inline uint64_t system_now_ps(const struct system *system)
{
    return sim_now_ps(&system->sim);
}

/* Time from when statistics began to a tick; 0 before. */
static inline uint64_t system_counted_ps(const struct system *system, uint64_t tick_ps)
{
    return tick_ps > system->stats.reset_ps ? tick_ps - system->stats.reset_ps : 0;
}

/* Bytes moved over the memory bus by the GPU's requestors, and by all others. */
struct system_sides { uint64_t cpu_bytes, gpu_bytes; };
struct system_sides system_bus_traffic(const struct system *system);

#endif
