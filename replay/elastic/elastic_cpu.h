/* Elastic CPU: replays the two elastic traces of one core against an L1I and an L1D (elastic-trace section 2).
 *
 * Two sides without coupling but the start offset: the fetch side sends at fixed distances, the data side when
 * dependences, delays and resources allow.
 *
 * Use: elastic_cpu_init; connect the two ports to the L1s and set icache, dcache, finished; elastic_cpu_start once,
 * before other components start (the order of equal ticks depends on it); then run the event queue. A fault in the
 * middle of a run is put into `fault` and stops the queue. Before statistics are read: elastic_cpu_sync.
 * Units: picoseconds, bytes, cycles of the CPU's clock.
 * Ownership: borrows sim, sources and the L1s. Takes packets from sim's pool; frees the packets of responses.
 * elastic_cpu_free gives back refused packets and frees the rest; call it before sim_free. */
#ifndef REPLAY_ELASTIC_ELASTIC_CPU_H
#define REPLAY_ELASTIC_ELASTIC_CPU_H

#include <stddef.h>

#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"
#include "memsys/sim/sim_statistics.h"
#include "replay/config/config_limits.h"
#include "replay/elastic/cpi_stack.h"
#include "replay/elastic/elastic_hooks.h"
#include "replay/elastic/trace_source.h"

struct core_params;

#define ELASTIC_NAME_BYTES 32

/* Simulated time ends here (53 days): a trace that asks for more is damaged. */
#define ELASTIC_LAST_TICK (UINT64_C(1) << 62)

/* elastic-trace 2.15. field, name below the core's, unit, help */
#define ELASTIC_CPU_STATISTICS(S)                                                                                     \
    S(num_sched_dcache_event, "numSchedDcacheEvent", "Count", "data events newly scheduled")                          \
    S(num_sched_icache_event, "numSchedIcacheEvent", "Count", "fetch events scheduled after an accepted fetch")       \
    S(num_ops, "numOps", "Count", "micro-ops up to the record that completed last in time")                           \
    S(max_dependents, ".dside.maxDependents", "Count", "most dependents seen on one record")                          \
    S(max_ready_list_size, ".dside.maxReadyListSize", "Count", "most records in the ready list")                      \
    S(data_send_attempted, ".dside.numSendAttempted", "Count", "first attempts to send a data request")               \
    S(data_send_succeeded, ".dside.numSendSucceeded", "Count", "first attempts that the L1D accepted")                \
    S(data_send_failed, ".dside.numSendFailed", "Count", "first attempts that the L1D refused")                       \
    S(data_retry_succeeded, ".dside.numRetrySucceeded", "Count", "refused data requests accepted later")              \
    S(split_requests, ".dside.numSplitReqs", "Count", "accesses cut at the end of a line")                            \
    S(strict_order_loads, ".dside.numSOLoads", "Count", "strictly ordered loads, which are not sent")                 \
    S(strict_order_stores, ".dside.numSOStores", "Count", "strictly ordered stores, which are not sent")              \
    S(data_last_tick, ".dside.dataLastTick", "Tick", "tick at which the data side was done")                          \
    S(inst_send_attempted, ".iside.numSendAttempted", "Count", "first attempts to send a fetch")                      \
    S(inst_send_succeeded, ".iside.numSendSucceeded", "Count", "first attempts that the L1I accepted")                \
    S(inst_send_failed, ".iside.numSendFailed", "Count", "first attempts that the L1I refused")                       \
    S(inst_retry_succeeded, ".iside.numRetrySucceeded", "Count", "refused fetches accepted later")                    \
    S(inst_last_tick, ".iside.instLastTick", "Tick", "tick at which the last fetch was accepted")

#define ELASTIC_CPU_STATISTIC_FIELD(field, name, unit, help) uint64_t field;

/* Counted since the start or the last elastic_cpu_reset_statistics, except num_cycles and num_ops, to which the
 * reference assigns absolute values: cpi there is num_cycles / num_ops. micro_ops are those since the reset. */
struct elastic_cpu_stats {
    ELASTIC_CPU_STATISTICS(ELASTIC_CPU_STATISTIC_FIELD)
    uint64_t num_cycles;             /* E(0) / period at the latest data event; as elastic_cpu_sync left it */
    uint64_t records;                /* data records completed */
    uint64_t earlier_ops;            /* num_ops at the reset */
    uint64_t micro_ops;              /* num_ops without these; as elastic_cpu_sync left it */
    uint64_t since_ps, until_ps;     /* the time that the following integrals cover; it ends with the data side */
    uint64_t rob_ps;                 /* sum over time of records in flight; divided by the time: their average number */
    uint64_t load_buffer_ps;         /* the same for loads ... */
    uint64_t store_buffer_ps;        /* ... and stores that hold a buffer entry */
    uint64_t fetch_tail_cyc;         /* cycles from the end of the data side to elastic_cpu_sync; not in the stack */
    struct cpi_stack cpi_stack;      /* adds up to num_cycles at the end of a run without reset */
    struct latency_histogram load_latency;    /* ps from the tick the L1D accepts a load to its response */
};

/* The addresses that a run may touch. */
struct elastic_limits {
    uint64_t memory_base, memory_end;    /* addresses outside are faults; strictly ordered accesses are not sent */
    struct { uint64_t base, end; } holes[CONFIG_MAX_MEMORIES];    /* between memories; addresses in them are, too */
    unsigned hole_count;
};

struct elastic_cpu_setup {
    struct sim *sim;
    const char *name;                /* "cpu"; requestors are <name>.inst and <name>.data */
    uint64_t period_ps;
    const struct core_params *params;
    uint32_t line_bytes;
    double tick_scale;               /* picoseconds for each tick of the trace; 0: 1.0 */
    uint64_t address_offset;         /* added to every address of the traces; a multiple of the line */
    struct record_source records;
    struct fetch_source fetches;
    struct elastic_limits limits;
};

/* What a data side keeps: all zero when it is opened. */
union elastic_room {
    max_align_t aligned;
    unsigned char bytes[1024];
};

struct elastic_cpu {
    struct sim *sim;
    struct clock_domain clock;
    uint32_t line_bytes;
    uint64_t rob_limit;              /* how far apart rob_numbers of records in flight may lie */
    uint64_t limit[DEP_TYPES];       /* buffer entries by enum dep_type; no end of them for those that need none */
    double delay_factor, tick_scale;
    bool scales_ticks;
    uint64_t address_offset;
    struct record_source record_source;
    struct fetch_source fetch_source;
    struct elastic_limits limits;
    requestor_id inst_requestor, data_requestor;
    char name[ELASTIC_NAME_BYTES], inst_name[ELASTIC_NAME_BYTES + 8], data_name[ELASTIC_NAME_BYTES + 8];

    /* set by the builder */
    struct below icache, dcache;
    void (*finished)(void *context, struct elastic_cpu *cpu);    /* both sides are done (2.14); may be NULL */
    void (*notify)(void *context, struct elastic_cpu *cpu);      /* at notify_at_records; may be NULL */
    void *context;
    uint64_t notify_at_records;      /* see elastic_cpu_notify_at */

    /* both sides */
    struct elastic_hooks hooks;
    struct fault fault;              /* why the run stopped, if it did so in the middle */
    uint64_t records_before;         /* completed before the last reset of statistics */
    uint64_t records_read;
    uint64_t activity;               /* grows with everything that this core does */
    unsigned sides_done;
    bool was_started;
    uint64_t began_ps;               /* clock edge of the latest start; times of records count from there
                                      * (DEP_AT_TIME) */

    /* fetch side (2.12) */
    struct event fetch_event;
    struct store_fetch_batch fetches;        /* not sent yet; the first is to be sent next */
    bool fetches_are_sound_reads;    /* none of the shapes that they may have needs a look: each can be sent, as an
                                      * ordinary read, and ticks are not scaled */
    uint64_t fetches_taken;          /* of the source, those included */
    uint64_t fetch_address, fetch_ps;    /* of that one: with address_offset, and the tick scaled */
    struct packet *refused_fetch;    /* waits for the L1I's retry */
    bool fetch_ended;

    /* data side (2.3) */
    const struct elastic_data_side *side;    /* who does it: sides.h */
    union elastic_room room;         /* its state, whose type it knows */
    struct event data_event;
    struct record_batch batch;       /* records not added yet */
    uint64_t dep_free_count;         /* depFreeQueue: records without open dependences that found no resource */
    enum cpi_part dep_free_cause;    /* what its head found missing */
    uint64_t free_entries[DEP_TYPES];    /* of the limits */
    uint64_t rob_number;             /* of the record read last */
    bool is_refused;                 /* a record waits for the L1D's retry ... */
    struct packet *refused_packet;   /* ... with this packet, if it has one yet */
    bool trace_ended, data_done;

    /* the present, as the data side saw it last */
    uint64_t seen_ps, edge_ps;       /* edge_ps: E(0) ... */
    uint64_t event_edge_ps;          /* ... and the same in the latest data event; see num_cycles */
    struct elastic_cpu_stats stats;
};

/* Registers two requestors, reserves two events. FAULT_MEMORY; FAULT_INPUT for a window of no records. */
struct fault elastic_cpu_init(struct elastic_cpu *cpu, const struct elastic_cpu_setup *setup);
void elastic_cpu_free(struct elastic_cpu *cpu);

/* The core's ports, for the L1s. */
struct above elastic_cpu_inst_port(struct elastic_cpu *cpu);
struct above elastic_cpu_data_port(struct elastic_cpu *cpu);

/* Gives the core its only work; it was not started yet, or both its sides are done. Sequence
 * numbers must be above those so far. At a clock edge; elastic_cpu_start is to follow, in the same tick. */
void elastic_cpu_take(struct elastic_cpu *cpu, const struct record_source *records, const struct fetch_source *fetches);

/* Reads the first fetch and two windows, and schedules both sides (2.13). At tick 0, once; and after elastic_cpu_take,
 * when the trace's ticks count from now. */
struct fault elastic_cpu_start(struct elastic_cpu *cpu);

/* Brings the statistics that depend on time up to the present; the other leaves out max_dependents, for which all
 * records of the window must be looked at. */
void elastic_cpu_sync(struct elastic_cpu *cpu);
void elastic_cpu_sync_figures(struct elastic_cpu *cpu);
/* Statistics count from now on. */
void elastic_cpu_reset_statistics(struct elastic_cpu *cpu);

/* `notify` is called when that many data records are complete, counted from the start of the run, if they are not yet;
 * UINT64_MAX: never. May be called from there. */
void elastic_cpu_notify_at(struct elastic_cpu *cpu, uint64_t records);

/* Data records that are complete, from the start of the run, not reset. */
uint64_t elastic_cpu_records_completed(const struct elastic_cpu *cpu);

/* Place in the file, from 0, of the fetch that is to be sent next. */
static inline uint64_t elastic_cpu_fetch_number(const struct elastic_cpu *cpu)
{
    return cpu->fetches_taken - cpu->fetches.count;
}

/* Buffer entries taken, by enum dep_type; of those that need none, records in flight, if taken all together. */
static inline uint64_t elastic_cpu_held(const struct elastic_cpu *cpu, unsigned type)
{
    return cpu->limit[type] - cpu->free_entries[type];
}

/* Both sides done? */
static inline bool elastic_cpu_is_done(const struct elastic_cpu *cpu)
{
    return cpu->sides_done == 2;
}

/* Not done, and without events of its own: it waits for a response. */
bool elastic_cpu_is_waiting(const struct elastic_cpu *cpu);
/* Address, as packets carry it, of the request that elastic_cpu_describe names first; false if it names none. */
bool elastic_cpu_stuck_address(const struct elastic_cpu *cpu, uint64_t *address);
/* One line with the reason why the core waits, for a stall report. */
void elastic_cpu_describe(const struct elastic_cpu *cpu, char *text, size_t size);

/* Names for a core's counters and for a whole system (registration, see memsys/sim/sim_statistics.h). */

/* Adds "system.cpu" (by the core's name) and its reset hook. Call elastic_cpu_sync before figures are visited. The
 * core must outlive the registry. */
void elastic_cpu_add_stats(struct elastic_cpu *cpu, struct stats *stats);

#endif
