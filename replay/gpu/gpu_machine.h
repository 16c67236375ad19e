/* Inside of a GPU run: the state that the parts of the SM front end share. Only files of this folder include it, the
 * telemetry of a GPU, and their tests.
 *
 * Parts: gpu_decode.c (traced instructions in the form that issue needs), warp_scheduler.c (which warp issues), sm.c
 * (warps, barriers, an SM's cycle), gpu_fetch.c (instruction buffers of warps), ldst.c (memory instructions,
 * L1), array.c (caches that neighbouring SMs share), gpu_space.c (address spaces), dispatch.c (blocks to SMs),
 * kernels.c (commands, streams, launch and end), watchdog.c (reports of stalls), gpu_run.c (set-up, the event,
 * results).
 *
 * Time: cycle n of the core clock is tick n * period. One event serves all SMs. An SM has a cycle in which it wants to
 * be looked at next (wake_cyc); until then nothing of it can change but by an answer from memory, which may bring that
 * cycle forward. The effects of an answer at tick t are seen in the cycle after t. Order within a cycle: each
 * SM in turn (L1 and LD/ST unit first, then its schedulers), then ends of kernels, then dispatch.
 *
 * Warps: hardware slot w belongs to scheduler w mod schedulers, and is bit w / schedulers of its masks. Registers: for
 * each warp and register the cycle from which on it can be read and written; CYC_NEVER while a memory instruction owes
 * it. A warp knows when its next instruction may issue as soon as all its registers have a cycle: it is then in the
 * wheel, one mask a scheduler and cycle, and joins `ready` when that cycle comes. */
#ifndef REPLAY_GPU_GPU_MACHINE_H
#define REPLAY_GPU_GPU_MACHINE_H

#include "memsys/gpu/coalesce.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/sector_cache.h"
#include "memsys/gpu/translation.h"
#include "memsys/gpu/watch.h"
#include "memsys/sim/clock.h"
#include "replay/gpu/gpu_run.h"

#define CYC_NEVER UINT64_MAX

enum {
    GPU_MAX_SCHEDULERS = 16,
    GPU_WARPS_OF_SCHEDULER = 64,         /* bits of a mask */
    GPU_REGISTERS = 384,                 /* 256 vector registers, 128 scalar ones */
    GPU_UNKNOWN_NAMES = 16,              /* unknown opcodes that a run names; it counts all */
    GPU_WHEEL = 64,                      /* cycles ahead; later items are re-inserted on the way */
    GPU_COPY_GROUPS = 8,                 /* of copies to shared memory that a warp can have under way */
    GPU_ARRAY_MERGES = 256,              /* requests of a shader array that wait for one line */
    GPU_SCALAR_BASES = 4,                /* that a warp's last scalar loads are remembered of */
    GPU_LDST_QUEUE = 4                   /* memory instructions of a scheduler on their way to the LD/ST unit */
};

/* ---- decoded instructions */

/* Where an instruction issues to: a unit, the LD/ST unit, or nowhere. */
enum { GPU_PORT_MEMORY = GPU_UNIT_COUNT, GPU_PORT_NONE, GPU_PORT_COUNT };

enum gpu_action {
    GPU_EXECUTE, GPU_ACCESS, GPU_BARRIER, GPU_ARRIVE, GPU_FENCE, GPU_WAIT, GPU_COMMIT_GROUP, GPU_WAIT_GROUP, GPU_EXIT
};

struct gpu_decoded {
    uint8_t action;                      /* enum gpu_action */
    uint8_t port;
    uint8_t destination_count;           /* the first of the registers */
    uint8_t register_count;
    uint8_t space;                       /* enum gpu_space of an access */
    uint8_t cls;                         /* enum gpu_class */
    uint8_t groups;                      /* WAIT_GROUP: as many may be under way */
    bool past_l1, is_unknown, is_fallback, ends_issue, is_copy_to_shared, is_scalar;
    bool loses_address;                  /* see gpu_space.c */
    uint16_t width_bytes;
    uint32_t latency_cyc, interval_cyc;
    uint32_t registers_at;               /* of the kernel's list of registers */
};

/* ---- a kernel that runs */

struct gpu_running {
    struct gpu_kernel kernel;
    struct gpu_kernel_result *result;
    struct gpu_decoded *decoded;         /* by static instruction */
    size_t decoded_count, decoded_room;
    uint16_t *registers;
    size_t register_count, register_room;
    struct gpu_pc_counts *pcs;           /* by static instruction, with options.pc_counts */
    struct gpu_block *next_block;        /* read, not dispatched; NULL: none */
    uint64_t launch_cyc, start_cyc;
    uint64_t resident;                   /* blocks on SMs */
    uint64_t stores;                     /* that have left, without acknowledgement */
    uint64_t padded_threads;             /* of a block, in whole warps */
    uint64_t block_registers;
    uint64_t l1_ways;
    uint32_t blocks_per_sm;
    uint32_t warp_size;
    bool is_launched;                    /* false: waits for a kernel of its stream */
    bool warned_of_bases, warned_of_addresses;
};

/* ---- an SM */

struct gpu_resident {
    struct gpu_running *kernel;          /* NULL: free */
    struct gpu_block *block;
    uint32_t first_slot, warp_count;
    uint32_t live;                       /* warps with instructions left */
    uint32_t missing;                    /* of these, those that have not arrived at the barrier */
    uint32_t unfinished;                 /* warps that still hold their slot */
};

enum gpu_warp_state {
    GPU_WARP_FREE,                       /* an empty slot */
    GPU_WARP_TIMED,                      /* knows when it may issue: ready, or in the wheel */
    GPU_WARP_REGISTERS,                  /* waits for a register that memory owes, or for all (GCN's s_waitcnt) */
    GPU_WARP_BARRIER,
    GPU_WARP_FENCE,                      /* waits for all its accesses */
    GPU_WARP_GROUPS,                     /* waits for copies to shared memory */
    GPU_WARP_SENDING,                    /* no scoreboard: waits until the LD/ST unit has sent its access */
    GPU_WARP_FETCH,                      /* its next instruction is not in its buffer */
    GPU_WARP_EXITING,                    /* no instructions left, waits for its outstanding accesses */
    GPU_WARP_STATE_COUNT
};

struct gpu_warp {
    const struct gpu_inst *next, *end;
    struct gpu_resident *resident;
    uint64_t ready_cyc;                  /* state TIMED: of the next instruction; EXITING in the wheel: of the end */
    uint64_t drained_cyc;                /* all that issued and whose end is known has ended */
    uint64_t memory_cyc;                 /* of that, the accesses */
    uint64_t age;                        /* rises from launch to launch */
    uint32_t address_top;                /* upper half of its last global address */
    uint64_t scalar_addresses[GPU_SCALAR_BASES];     /* of its last scalar loads from each base ... */
    uint16_t scalar_bases[GPU_SCALAR_BASES];         /* ... which was in this register; 0: none */
    uint32_t outstanding;                /* accesses whose end is not known */
    uint32_t number;                     /* in its block */
    uint16_t copies_left[GPU_COPY_GROUPS];
    uint8_t copy_group;                  /* that new copies belong to */
    uint8_t state;
    bool has_arrived;                    /* at the barrier */
    bool is_past_end;                    /* no instructions left */
    bool is_waiting;                     /* has issued a wait that is not over (GCN3) */
};

/* LOADS and SCOREBOARD are both waits for registers: LOADS if memory owes each of them, so that nothing but an answer
 * from below the L1 ends the wait; SCOREBOARD if the end of one is known: of a computation, or a hit in the L1. */
enum gpu_stall { GPU_STALL_NONE, GPU_STALL_LOADS, GPU_STALL_SCOREBOARD, GPU_STALL_LDST, GPU_STALL_UNIT,
                 GPU_STALL_BARRIER, GPU_STALL_IDLE, GPU_STALL_COUNT };

struct gpu_scheduler {
    uint64_t ready;                      /* warps that can issue, if their port is free */
    uint64_t by_port[GPU_PORT_COUNT];    /* of these */
    uint64_t active;                     /* two levels: the inner one */
    uint64_t port_cyc;                   /* when a port that was wanted in vain is free */
    uint16_t in_state[GPU_WARP_STATE_COUNT];
    uint8_t ports[GPU_WARPS_OF_SCHEDULER];
    uint8_t by_age[GPU_WARPS_OF_SCHEDULER];      /* bits of the warps, oldest first */
    uint8_t live_count;                  /* of by_age */
    uint8_t last;                        /* bit of the warp that issued last */
    uint8_t memory_queued;               /* of GPU_LDST_QUEUE */
};

/* A memory instruction from issue to its last answer. */
struct gpu_op {
    uint64_t issue_cyc;
    uint64_t accept_cyc;                 /* the LD/ST unit may take it */
    uint64_t known_cyc;                  /* parts with a known end have ended */
    const struct gpu_inst *inst;
    uint32_t slot;                       /* of the warp */
    uint32_t left;                       /* requests in flight, plus one while the unit has not sent all */
    uint32_t next_free;
    uint8_t copy_group;
    bool is_used, has_left;              /* has_left: a store that its warp no longer waits for */
    struct gpu_running *kernel;
};

/* On its way through the L1's bank. */
struct gpu_l1_entry {
    uint64_t address, byte_mask;
    uint64_t tag_cyc;
    uint32_t op;                         /* with a reorder buffer: the place there */
    bool is_write, is_local, is_atomic;
};

struct gpu_bank {
    struct gpu_l1_entry *entries;        /* a ring */
    uint32_t head, count;
    uint64_t due_cyc;                    /* when the head looks at the tags; CYC_NEVER: no entry, or no room */
    uint64_t blocked_cyc;                /* since when the head finds no room; CYC_NEVER: it does not */
};

struct gpu_miss {
    struct gpu_request request;
    uint64_t queued_cyc;
};

/* The reorder buffer between an L1 and the registers: a ring of requests that have not been answered in order. */
struct gpu_reorder_entry {
    uint64_t done_cyc;                   /* CYC_NEVER: not known */
    uint32_t op;
    uint32_t in_flight;                  /* its place among those of the L1, or UINT32_MAX */
};

struct gpu_reorder {
    struct gpu_reorder_entry *entries;   /* NULL: none */
    uint64_t *in_flight;                 /* params.l1.in_flight: when each of the L1's requests is answered */
    uint32_t room, head, count;
    uint64_t last_cyc;                   /* of an answer */
};

struct gpu_ldst {
    uint32_t *queue;                     /* a ring of ops in order of issue */
    uint32_t queue_room, queue_head, queue_count;
    uint32_t current;                    /* op, or GPU_NO_OP */
    bool current_past_l1, current_is_write, current_is_atomic, current_is_local, current_is_scalar;
    bool is_stuck;                       /* the current one waits for a bank or the interconnect, which will tell */
    unsigned request_count, request_next;
    uint64_t piece;                      /* bytes of the request that are done */
    uint64_t shared_until_cyc;           /* shared memory is busy until then */
    uint64_t write_back_cyc;             /* of the last request whose data came from below */
    uint64_t write_backs;                /* in that cycle, before the last */
    uint64_t turns;                      /* cycles that the current instruction's L1 accesses still take; 0: unknown */
    uint64_t next_bank;                  /* with tag banks */
    struct coalesced *requests;
    struct gpu_bank *banks;
    uint32_t bank_room;
    uint64_t banks_cyc;                  /* the first due_cyc of them */
    struct gpu_miss *misses;             /* a ring */
    uint32_t miss_room, miss_head, miss_count;
    struct sector_cache *l1, *scalar;
    struct gpu_reorder reorder;
    bool has_changed;                    /* a blocked bank may find room now */
    bool is_used;                        /* the L1 holds something */
};

#define GPU_NO_OP UINT32_MAX
enum { GPU_SCALAR_LINE_BYTES = 64 };

/* ---- instructions and scalar data (gpu_fetch.c, array.c) */

/* Lines of instructions that a warp has: `bytes` from `start` on. */
struct gpu_fetch {
    uint64_t start, bytes;
    uint64_t last_line, last_cyc;        /* the line that came last can be used from that cycle on */
    uint64_t room_cyc;                   /* the next may be fetched */
    uint64_t fetched_cyc;                /* the last one came */
    bool is_fetching;
    bool has_branched;                   /* and the next instruction has not been looked for yet */
};

enum gpu_array_part { GPU_ARRAY_INST, GPU_ARRAY_SCALAR, GPU_ARRAY_PARTS };

/* A request of an SM, until it has been answered in order. */
struct gpu_order_entry {
    uint64_t done_cyc;                   /* CYC_NEVER: not known */
    uint64_t start_cyc, address;
    uint64_t age;                        /* of the warp that fetches */
    struct gpu_counts *counts;
    uint32_t sm, what;                   /* slot of the warp that fetches, or op */
};

struct gpu_order {
    struct gpu_order_entry *entries;     /* a ring, by number mod room, a power of two */
    uint64_t room;
    uint64_t first, tried, next;         /* numbers: not answered, not yet looked for in the cache, to come */
    uint64_t last_cyc;                   /* of an answer */
};

struct gpu_delayed {
    uint64_t cyc;
    struct gpu_request request;
};

struct gpu_array {
    struct gpu_machine *machine;
    uint32_t leader;                     /* SM */
    uint32_t inst_tlb;                   /* that of scalar data is the next */
    uint64_t owner;                      /* number of the kernel that came last */
    struct sector_cache *caches[GPU_ARRAY_PARTS];
    struct gpu_order orders[GPU_ARRAY_PARTS];
    struct gpu_delayed *delayed;         /* requests to the L2, the next one last */
    uint32_t delayed_count;
    size_t delayed_room;
};

struct gpu_sm {
    struct gpu_machine *machine;
    uint32_t number;
    uint32_t resident_count;
    uint64_t wake_cyc;
    uint64_t done_cyc;                   /* the last cycle that was simulated */
    uint64_t popped_cyc;                 /* wheel entries up to there have joined `ready` */
    uint64_t wheel_used;                 /* by cycle mod GPU_WHEEL */
    uint32_t ready;                      /* schedulers that have ready warps */
    uint32_t changed;                    /* schedulers whose warps changed state since their stall was found out */
    uint8_t stalls[GPU_MAX_SCHEDULERS];  /* enum gpu_stall, of the last cycle and those slept through since */
    uint8_t stalled[GPU_STALL_COUNT];    /* how many schedulers are in each */
    bool in_active;                      /* listed in machine->active */
    uint64_t threads_used, shared_used, registers_used;
    struct gpu_kernel_result *charged;   /* whose stalls they are: of the kernel that came last */
    uint64_t l1_owner;                   /* number of the kernel that the L1 was set up for; 0: none */
    uint64_t l1_ways;
    struct gpu_scheduler *schedulers;
    uint64_t *wheel;                     /* masks by cycle mod GPU_WHEEL, and by scheduler */
    struct gpu_warp *warps;
    uint64_t (*registers)[GPU_REGISTERS];
    struct gpu_resident *residents;
    struct gpu_op *ops;
    size_t op_room;
    uint32_t free_op, ops_used;
    uint64_t *unit_free[GPU_UNIT_COUNT]; /* cycle in which each takes the next */
    struct gpu_fetch *fetches;           /* of each slot; NULL: instructions are there at once */
    uint64_t *fetch_wanted;              /* slots that have room for a line and fetch none, 64 a word */
    uint32_t turn;                       /* scheduler that issued last (issue_in_turn) */
    struct gpu_ldst ldst;
};

/* ---- all of it */

struct gpu_machine {
    struct gpu_run *run;
    struct gpu_params params;
    struct gpu_run_options options;
    struct gpu_source source;
    struct clock_domain clock;
    struct sim own_sim;
    bool owns_sim;
    struct event cycle_event;
    struct gpu_sm *sms;
    uint32_t sm_count, slot_count;
    uint32_t per_scheduler;              /* see sm_bit_of */
    unsigned bank_shift;                 /* of an L1 */
    struct gpu_array *arrays;            /* NULL: SMs share nothing */
    uint32_t array_count;
    struct gpu_translation *translation; /* NULL: none */
    uint64_t pause_cyc;                  /* until which the dispatcher pauses */
    uint32_t *active;                    /* SMs that are not asleep for good */
    uint32_t active_count;
    uint64_t now_cyc;
    bool in_cycle;
    uint64_t ages;
    uint64_t progress_cyc;               /* when something was issued or answered last */
    uint64_t warp_insts;
    uint64_t *tokens;                    /* of a fill */
    struct gpu_running *running[128];    /* opened, in the order of the list; the reference's window */
    uint32_t running_count;
    size_t next_command;
    uint64_t kernels_seen;               /* of the list */
    uint64_t results_used;
    uint64_t dispatch_cyc;               /* when the dispatcher is to look next */
    uint64_t commands_cyc;               /* when the commands are to be looked at next */
    uint64_t last_end_cyc;               /* of the kernel that finished last */
    uint32_t last_sm;                    /* that took a block last */
    struct gpu_running *last_kernel;     /* that gave a block last */
    char unknown[GPU_UNKNOWN_NAMES][sizeof ((struct gpu_opcode *)0)->text];  /* opcodes that were warned of */
    unsigned unknown_count;
    struct gpu_watch *watch;             /* NULL: no telemetry; its stalls are enum gpu_stall */
    bool is_started, is_done;
};

/* slot / schedulers: with r = (2^16 + e) / schedulers, where 0 <= e < 16, and slots below 1024, slot * r / 2^16 is less
 * than 1 / schedulers too large. */
static inline uint32_t sm_bit_of(const struct gpu_machine *machine, uint32_t slot)
{
    return slot * machine->per_scheduler >> 16;
}

static inline uint32_t sm_scheduler_of(const struct gpu_machine *machine, uint32_t slot)
{
    return slot - sm_bit_of(machine, slot) * (uint32_t)machine->params.sm.schedulers;
}

static inline void sm_wake(struct gpu_sm *sm, uint64_t cyc)
{
    if (cyc < sm->wake_cyc)
        sm->wake_cyc = cyc;
}

/* The same for an SM that may be asleep for good. */
static inline void sm_rouse(struct gpu_sm *sm, uint64_t cyc)
{
    sm_wake(sm, cyc);
    if (!sm->in_active) {
        sm->in_active = true;
        sm->machine->active[sm->machine->active_count++] = sm->number;
    }
}

/* The cycle in which the page is known; `tlb`: an SM, or of an array. */
static inline uint64_t gpu_machine_translate(struct gpu_machine *machine, uint32_t tlb, uint64_t address, uint64_t cyc,
                                             struct gpu_counts *counts)
{
    return machine->translation ? gpu_translate(machine->translation, tlb, address, cyc, counts) : cyc;
}

static inline const struct gpu_decoded *warp_decoded(const struct gpu_warp *warp, const struct gpu_inst *inst)
{
    return &warp->resident->kernel->decoded[inst->index];
}

/* gpu_decode.c */
struct fault gpu_decode(struct gpu_machine *machine, struct gpu_running *running);

/* sm.c */
struct fault gpu_sm_init(struct gpu_sm *sm, struct gpu_machine *machine, uint32_t number);
void gpu_sm_free(struct gpu_sm *sm);
/* Places a block that fits, so that its warps can issue two cycles later. */
void gpu_sm_place(struct gpu_sm *sm, struct gpu_running *running, struct gpu_block *block, uint64_t now_cyc);
/* First of `count` free neighbouring slots; slot_count if none. */
uint32_t gpu_sm_find_slots(const struct gpu_sm *sm, uint32_t count);
void gpu_sm_cycle(struct gpu_sm *sm, uint64_t now_cyc);
/* Finds out when the warp's next instruction may issue, `from` at the earliest. */
void gpu_warp_plan(struct gpu_sm *sm, uint32_t slot, uint64_t from);
void gpu_warp_arrive(struct gpu_sm *sm, uint32_t slot, bool waits, uint64_t now_cyc);
/* Charges the cycles that the SM slept through before now_cyc. */
void gpu_sm_charge(struct gpu_sm *sm, uint64_t now_cyc);
static inline void gpu_warp_set_state(struct gpu_sm *sm, uint32_t slot, enum gpu_warp_state state)
{
    uint32_t const number = sm_scheduler_of(sm->machine, slot);
    struct gpu_scheduler *const scheduler = &sm->schedulers[number];

    scheduler->in_state[sm->warps[slot].state]--;
    scheduler->in_state[state]++;
    sm->changed |= UINT32_C(1) << number;
    /* A waiting warp leaves the inner level. */
    if (state != GPU_WARP_TIMED)
        scheduler->active &= ~(UINT64_C(1) << sm_bit_of(sm->machine, slot));
    sm->warps[slot].state = (uint8_t)state;
}

/* warp_scheduler.c: the answer is the next cycle in which a scheduler can do something, as far as that is known. */
uint64_t gpu_issue_cycle(struct gpu_sm *sm, uint64_t now_cyc);
/* Why a scheduler without ready warps does not issue. */
enum gpu_stall gpu_issue_reason(const struct gpu_scheduler *scheduler);
static inline void gpu_issue_set_stall(struct gpu_sm *sm, unsigned scheduler, enum gpu_stall stall)
{
    sm->stalled[sm->stalls[scheduler]]--;
    sm->stalled[stall]++;
    sm->stalls[scheduler] = (uint8_t)stall;
}
/* A warp got a slot, and gave it back. */
void gpu_issue_admit(struct gpu_sm *sm, uint32_t slot);
void gpu_issue_dismiss(struct gpu_sm *sm, uint32_t slot);

/* ldst.c */
struct fault gpu_ldst_init(struct gpu_sm *sm);
void gpu_ldst_free(struct gpu_sm *sm);
void gpu_ldst_accept(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t now_cyc);
/* The answer is the next cycle in which the unit can do something without an answer. */
uint64_t gpu_ldst_cycle(struct gpu_sm *sm, uint64_t now_cyc);
/* Announces an answer: the host prefetches the data that the answer will access. */
void gpu_ldst_prefetch_hint(const struct gpu_sm *sm, const struct gpu_request *request);
void gpu_ldst_answer(struct gpu_sm *sm, const struct gpu_request *request, uint64_t from_cyc);
bool gpu_ldst_can_flush(const struct gpu_sm *sm);
void gpu_ldst_flush(struct gpu_sm *sm);

/* A part of an op that is not the L1's is done. */
void gpu_ldst_finish_part(struct gpu_sm *sm, uint32_t op, uint64_t cyc);
/* A new op, or GPU_NO_OP when there is no memory for it, and the run has failed. */
uint32_t gpu_ldst_take_op(struct gpu_sm *sm);
/* An access to shared memory that does not go through the unit's queue. */
void gpu_ldst_access_shared(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst);
uint64_t gpu_array_token(enum gpu_array_part part, uint32_t mshr);

/* reorder.c */
struct fault gpu_reorder_init(struct gpu_reorder *reorder, const struct gpu_l1_params *params);
void gpu_reorder_free(struct gpu_reorder *reorder);
/* A place for a request of `op`; there is one. */
uint32_t gpu_reorder_take(struct gpu_reorder *reorder, uint32_t op);
/* now_cyc: the L1 takes the request now; later: when it can, as far as that is known. */
uint64_t gpu_reorder_enter_cyc(struct gpu_sm *sm, uint32_t place, uint64_t now_cyc);
/* The L1 answers in that cycle, which may be to come. */
void gpu_reorder_answer(struct gpu_sm *sm, uint32_t place, uint64_t cyc);

static inline bool gpu_has_reorder(const struct gpu_sm *sm)
{
    return sm->ldst.reorder.entries != NULL;
}

/* The op of a request in the L1, which is known by its place, where there is a reorder buffer. */
static inline uint32_t gpu_op_of(const struct gpu_sm *sm, uint32_t known_by)
{
    return gpu_has_reorder(sm) ? sm->ldst.reorder.entries[known_by].op : known_by;
}

/* gpu_fetch.c */
void gpu_fetch_start(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc);
void gpu_fetch_stop(struct gpu_sm *sm, uint32_t slot);
/* The last instruction was a branch. */
void gpu_fetch_branch(struct gpu_sm *sm, uint32_t slot);
/* When the next instruction can issue, from_cyc at the earliest; CYC_NEVER: its line will plan again. */
uint64_t gpu_fetch_ready_cyc(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc);
void gpu_fetch_arrive(struct gpu_sm *sm, uint32_t slot, uint64_t age, uint64_t address, uint64_t cyc);
uint64_t gpu_fetch_cycle(struct gpu_sm *sm, uint64_t now_cyc);

/* array.c */
struct fault gpu_array_init(struct gpu_array *array, struct gpu_machine *machine, uint32_t number);
void gpu_array_free(struct gpu_array *array);
/* A block of this kernel comes to the SM. */
void gpu_array_prepare(struct gpu_sm *sm, uint64_t kernel);
void gpu_array_fetch(struct gpu_sm *sm, uint32_t slot, uint64_t address, struct gpu_counts *counts, uint64_t now_cyc);
void gpu_array_load(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t now_cyc);
void gpu_array_answer(struct gpu_sm *sm, enum gpu_array_part part, uint64_t address, uint64_t from_cyc);
uint64_t gpu_array_cycle(struct gpu_sm *sm, uint64_t now_cyc);

/* gpu_space.c: addresses of a memory instruction as memory sees them. */
struct gpu_lanes {
    uint64_t addresses[GPU_MAX_LANES];
    uint64_t global, shared, local;      /* lanes */
};
void gpu_space_resolve(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, struct gpu_lanes *lanes);

/* dispatch.c */
struct fault gpu_dispatch_limits(struct gpu_machine *machine, struct gpu_running *running);
void gpu_dispatch_cycle(struct gpu_machine *machine, uint64_t now_cyc);

/* kernels.c */
void gpu_kernels_advance(struct gpu_machine *machine, uint64_t now_cyc);
void gpu_kernels_read_block(struct gpu_machine *machine, struct gpu_running *running);
void gpu_kernels_close_all(struct gpu_machine *machine);
struct fault gpu_kernels_pick(struct gpu_machine *machine);

/* watchdog.c */
struct fault gpu_watchdog_fault(const struct gpu_machine *machine);

/* gpu_run.c */
void gpu_run_warn(struct gpu_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gpu_run_fail(struct gpu_run *run, struct fault fault);

#endif
