/* State of the detailed core, and the functions its stages call in each other. Private to this folder.
 *
 * Promises:
 * 1. A cycle executes the stages from fetch to commit (o3-core 1.1). Stages communicate through `signals` or a wire,
 *    with that wire's delay; no stage reads another's state, except for the fields that the specification makes
 *    visible at once.
 * 2. Everything of one cycle happens in one event, behind all of the memory system's in that tick. Answers and retries
 *    of the L1s come before it, and go to the coming cycle.
 * 3. `changed` is set by all code that changes the state of the core in a cycle or sends a signal.
 * 4. `young` has all micro-ops that are alive, by age; micro-ops in the ROB come before all others of it. */
#ifndef REPLAY_DETAILED_DETAILED_CORE_H
#define REPLAY_DETAILED_DETAILED_CORE_H

#include "replay/config/detailed_params.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/detailed/detailed_hooks.h"
#include "replay/detailed/inst.h"
#include "replay/detailed/store_sets.h"
#include "replay/detailed/write_combining.h"

enum { CORE_NAME_BYTES = 32, SIGNAL_SLOTS = 32, NO_UNIT = DETAILED_UNIT_COUNT };
enum { BRANCH_QUEUE = DETAILED_OP_COUNT, READY_QUEUES };     /* those of op classes; of branches with branchUnits */

/* Backward signals of one cycle, from later to earlier stages (o3-core 1.1). */
struct signals {
    uint64_t cycle;
    /* decode to fetch */
    bool decode_block, decode_unblock, decode_squash, decode_taken;
    /* rename to decode; IEW to rename */
    bool rename_block, rename_unblock, iew_block, iew_unblock;
    bool has_queue_counts;               /* free_iq, free_lq, free_sq */
    /* commit to all */
    bool squash, rob_squashing, has_rob_count, empty_rob;
    bool squash_taken, squash_is_control;
    uint64_t decode_seq;
    struct position decode_position;
    uint32_t dispatched, dispatched_loads, dispatched_stores;
    uint32_t dispatched_joined, dispatched_eliminated;       /* those of `dispatched` */
    uint32_t free_iq, free_lq, free_sq, free_rob;
    uint64_t squash_seq;                 /* all younger go */
    struct position squash_position;
    uint64_t done_seq;                   /* all up to this have committed; 0: none */
    uint64_t nonspec_seq;                /* commit asks for this one; 0: none */
};

/* From IEW to commit: the squash requested by the micro-ops executed in a cycle. */
struct squash_request {
    uint64_t cycle;
    bool is_wanted, includes, is_taken, is_mispredict, is_control, is_unconditional;
    uint64_t seq;
    struct position position;
};

enum fetch_status {
    FETCH_RUNNING, FETCH_SQUASHING, FETCH_WAITS_CACHE, FETCH_WAITS_RETRY, FETCH_HAS_ANSWER,
    FETCH_NOWHERE                        /* no code is known there, or its page has no place: until a squash */
};

enum stage_status { STAGE_RUNNING, STAGE_BLOCKED, STAGE_UNBLOCKING, STAGE_SQUASHING, STAGE_SERIALISING };

enum commit_status {
    COMMIT_RUNNING, COMMIT_SQUASHING, COMMIT_TRAP, COMMIT_SQUASH_AFTER,
    COMMIT_ENDING                        /* the last instruction has committed; only stores are still to be written */
};

/* fetch_ahead.c */
struct fetch_block { uint64_t block, request, due_cyc; bool is_here, is_kept; };
struct kept_block { uint64_t block, used; };

struct fetch_ahead {
    struct fetch_block *blocks;          /* ring */
    uint32_t count, next;                /* 0: fetch does not run ahead */
    uint64_t request_cyc;                /* cycle of the last request */
    uint64_t predicted;                  /* the block whose branches were predicted last */
    uint64_t branches;                   /* in the BTB, of that block so far */
    uint64_t predictions;                /* cycle * fetchBlocks of that, and more */
    struct kept_block *kept;             /* sets of the cache of micro-ops */
    uint64_t uses;
};

struct fetch_stage {
    enum fetch_status status;
    struct position next;                /* to be built next */
    uint64_t highest_number;             /* of the right path, seen so far */
    uint32_t offset_bytes;               /* of it, consumed already */
    bool in_macro;                       /* its first micro-ops are built */
    bool decode_stalls;
    bool has_begun;                      /* the first answer has come */
    bool buffer_is_valid;
    uint64_t pause_cyc;                  /* nothing is built before it */
    uint64_t buffer_block;               /* address */
    uint64_t request;                    /* number of the awaited one */
    uint64_t requests;
    bool is_blocked;                     /* the L1I refused, and has not called back */
    struct packet *refused;
    struct inst_fifo queue;
    struct fetch_ahead ahead;
};

struct decode_stage {
    enum stage_status status;
    bool rename_stalls;
    struct inst_fifo arrived, skid;
};

/* TEMPORARY: as many as are needed. */
enum register_class { REGISTER_INT, REGISTER_FLOAT, REGISTER_FLAG, REGISTER_TEMPORARY, REGISTER_CLASSES };

struct rename_history {
    uint64_t seq;
    uint16_t reg, now, before;
    uint16_t class;                      /* enum register_class */
    bool shares;                         /* it took none: `now` had a name */
};

struct rename_stage {
    enum stage_status status;
    bool iew_stalls, empty_rob, serialise_next, resume_serialising;
    struct inst_fifo arrived, skid;
    struct inst *serialising;
    int64_t free_rob, free_iq, free_lq, free_sq;     /* as last signalled */
    int64_t in_progress, loads_in_progress, stores_in_progress;
    int64_t joined_in_progress, eliminated_in_progress;      /* those of in_progress */
    uint8_t eliminates;                  /* bits of enum uop_trait: what rename does itself */
    bool is_shared;                      /* registers have several names, or more than two classes */
    uint16_t *map;                       /* physical register of each that micro-ops name */
    uint32_t named;                      /* how many */
    bool has_labels;                     /* ... of results, not of an instruction set: their classes change */
    struct rename_history *history;      /* ring */
    uint32_t history_head, history_count, history_mask;
    uint16_t *free_registers;            /* stack of numbers */
    uint32_t free_register_count;
    uint32_t free_of[REGISTER_CLASSES];  /* how many may be taken */
    uint32_t waiting_of[REGISTER_CLASSES];       /* squashed, not free yet */
    uint32_t waiting_registers;          /* the same, on the stack above free_register_count */
    uint16_t zero;                       /* register that is always ready; if is_shared */
};

struct physical_register {
    uint64_t producer;                   /* sequence number */
    struct inst_link *waiters;
    uint8_t is_ready;
    uint8_t class;                       /* enum register_class, if it is no initial one */
    uint16_t generation;                 /* how often it was freed, if registers are shared */
    uint32_t sharers;                    /* names beyond the first */
};

struct ready_queue { struct inst *oldest, *youngest; };

struct iew_stage {
    enum stage_status status;
    struct inst_fifo arrived, skid;
    bool update_next, update_now;        /* free entries are signalled in the next, in this cycle */
    bool has_executed;                   /* something was taken for execution in this cycle */
    bool was_squashed;
    uint32_t writeback_slot, writeback_cycle;
    uint64_t writeback_base;             /* cycle that both count from */
    bool has_redirected;

    /* instruction queue */
    uint32_t queue_used;
    struct ready_queue ready[READY_QUEUES];
    uint32_t ready_classes;              /* bits: those not empty */
    uint32_t units_busy[DETAILED_UNIT_COUNT + 1];
    uint32_t units_freed_next[DETAILED_UNIT_COUNT + 1];
    struct inst **completions;           /* by cycle: multi-cycle micro-ops whose result comes, the last issued first */
    uint32_t completion_mask, completions_held;

    /* memory dependences */
    struct inst *load_barrier, *store_barrier;       /* the youngest outstanding one; NULL: none */
    struct inst **barriers;              /* outstanding ones by age */
    uint32_t barrier_count;
    struct store_sets sets;
};

struct load_store_queue {
    struct inst **loads, **stores;       /* rings */
    uint32_t load_mask, store_mask;
    uint64_t load_head, load_tail, store_head, store_tail;
    uint64_t write_place;                /* the next store to be sent */
    uint32_t to_write_back;              /* stores marked, not complete */
    bool cache_blocked;                  /* the L1D refused, and has not called back */
    bool store_blocked;                  /* the store at write_place was refused */
    bool has_stall;                      /* a load waits for the store ... */
    uint64_t stall_store, stall_load;    /* ... of this sequence number */
    struct inst *violator;
    struct inst *blocked, **blocked_end;         /* loads refused, in order */
    struct inst *retried, **retried_end;         /* those that may try again */
    struct inst *replayed, **replayed_end;       /* those that overlap in part */
    struct inst *forwarded, **forwarded_end;     /* those whose result this cycle has, from no cache */
    uint64_t reservation;                /* block of the last LR; UINT64_MAX: none */
    uint32_t load_ports_used, store_ports_used;
    uint32_t lines_written;              /* by stores of this cycle; ... */
    uint64_t line_written;               /* ... the last of them */
    struct write_combining combining;
};

/* memory_renaming.c */
enum { RENAMED_SOURCES = 3 };

struct renamed_store {
    uint64_t seq, address;
    uint32_t size_bytes;
    uint16_t data, generation;           /* physical register, and which use of it */
    uint16_t sources[RENAMED_SOURCES];   /* of its address */
    uint8_t source_count;
    bool is_simple;                      /* a load may have its data */
};

struct memory_renaming {
    struct renamed_store *stores;        /* ring by age */
    uint64_t head, tail;
    uint32_t mask;
};

/* lsq.c: waits */
enum delay_kind { DELAY_FORWARD, DELAY_REPLAY, DELAY_RENAMED, DELAY_KINDS };

/* issue_limits.c */
struct issue_limit { uint64_t free_cyc, issued_cyc, issued; };

struct commit_stage {
    enum commit_status status;
    struct inst **rob;                   /* ring */
    uint32_t rob_mask;
    uint64_t head, tail;
    uint64_t youngest, last_committed;
    bool check_empty, changed_rob, stores_committed;
    bool walk_is_done;
    uint64_t walk_place, walk_seq;       /* the next entry to be squashed (one past it); squashed down to this one */
    uint64_t trap_cyc;                   /* when the trap squashes; DETAILED_NEVER: no trap */
    struct position after;               /* of a trap or a squash after */
    uint64_t faulted_number;             /* page fault of this instruction was served */
    bool is_refilling;                   /* no instruction of the right path has arrived since the last squash */
    uint64_t refilled_seq;               /* the first to arrive after the last squash */
    uint32_t committed_now, slots_now;   /* micro-ops of this cycle, and those of them that are not joined */
    uint32_t entries;                    /* taken, in micro-ops that are not joined */
    struct inst_fifo kept_out;           /* entered no ROB, but were dispatched */
};

struct detailed_cpu {
    struct sim *sim;
    struct clock_domain clock;
    struct detailed_params params;
    uint32_t line_bytes;
    struct supply *supply;
    const struct detailed_listener *listener;
    void (*watch_branch)(void *self, const struct rubato_branch *branch);    /* NULL: no observer */
    void *branch_watcher;
    requestor_id inst_requestor, data_requestor;
    char name[CORE_NAME_BYTES], inst_name[CORE_NAME_BYTES + 8], data_name[CORE_NAME_BYTES + 8];
    struct below icache, dcache;
    void (*finished)(void *context);
    void *finished_context;
    void (*reached)(void *context);
    void *reached_context;
    uint64_t reached_at;
    struct fault fault;
    bool is_done, was_started;

    struct branch_unit *branches;
    struct event tick_event;
    uint64_t cycle;                      /* that is being executed, or was last */
    uint64_t start_cycle;
    bool is_ticking;                     /* the stages of `cycle` are under way */
    bool changed;                        /* this cycle did something */
    uint64_t last_activity;              /* cycle that did something ... */
    uint64_t woken_cycle;                /* ... and one for which an answer came */
    struct detailed_hooks hooks;
    void *hooked;                        /* theirs; freed with the core */
    uint64_t seq;                        /* given last */
    uint64_t instructions;               /* committed, never reset */
    uint64_t activity;

    struct signals signals[SIGNAL_SLOTS];
    struct signals no_signals;
    struct squash_request requests[SIGNAL_SLOTS];
    struct inst_wire to_decode, to_rename, to_iew, to_rob, to_execute, to_commit;
    struct fetch_stage fetch;
    struct decode_stage decode;
    struct rename_stage rename;
    struct iew_stage iew;
    struct load_store_queue lsq;
    struct commit_stage commit;
    struct physical_register *registers;
    uint32_t register_count;

    struct inst *pool, *free_insts;      /* free_insts: of those that have been used */
    uint32_t pool_count, pool_used;      /* pool_used: from there on none has been used yet */
    struct inst *young_youngest;

    struct detailed_stats stats;
    uint8_t op_unit[DETAILED_OP_COUNT];
    struct memory_renaming renaming;
    struct inst_delay delays[DELAY_KINDS];
    uint32_t delayed;                    /* micro-ops in all of them */
    struct issue_limit limits[DETAILED_OP_COUNT];
    bool has_limits;
    bool fuses;                          /* micro-ops may be joined (fusion.c) */
    uint8_t fuses_branches;              /* bits of enum uop_trait: with what */
    void *memory;                        /* of all arrays */
};

static inline bool detailed_cpu_has_inst(const struct detailed_cpu *cpu)
{
    return cpu->free_insts || cpu->pool_used < cpu->pool_count;
}

/* ---- signals */
/* The signals sent `delay_cyc` cycles ago. */
static inline const struct signals *signals_seen(const struct detailed_cpu *cpu, uint64_t delay_cyc)
{
    uint64_t const cycle = cpu->cycle - delay_cyc;
    const struct signals *const slot = &cpu->signals[cycle % SIGNAL_SLOTS];

    return slot->cycle == cycle ? slot : &cpu->no_signals;
}

static inline struct signals *signals_now(struct detailed_cpu *cpu)
{
    return &cpu->signals[cpu->cycle % SIGNAL_SLOTS];
}

/* ---- micro-ops (detailed_cpu.c) */
struct inst *inst_make(struct detailed_cpu *cpu, const struct supply_insn *insn, unsigned micro_pc);
void inst_free(struct detailed_cpu *cpu, struct inst *inst);

/* All that have not entered the ROB and are younger than seq. */
static inline void inst_squash_outside(struct detailed_cpu *cpu, uint64_t seq)
{
    for (struct inst *inst = cpu->young_youngest; inst && !inst_is(inst, INST_ENTERED_ROB) && inst->seq > seq;
         inst = inst->young_before)
        inst->state |= INST_SQUASHED;
}

static inline void inst_hold(struct inst *inst)
{
    inst->holders++;
}

static inline void inst_drop(struct detailed_cpu *cpu, struct inst *inst)
{
    if (--inst->holders == 0)
        inst_free(cpu, inst);
}

/* Of the right path? */
static inline bool inst_is_right(const struct inst *inst)
{
    return inst->insn->number != SUPPLY_WRONG;
}

/* Are its next pc and the addresses of its accesses known? */
static inline bool inst_has_values(const struct inst *inst)
{
    return inst_is_right(inst) || inst->insn->has_values;
}

/* State of the supply behind its instruction. */
static inline uint64_t state_after(const struct inst *inst)
{
    if (inst_is_right(inst))
        return inst->insn->number + 1;
    return inst->insn->has_values ? inst->insn->state : SUPPLY_NO_STATE;
}

static inline uint64_t state_before(const struct inst *inst)
{
    if (inst_is_right(inst))
        return inst->insn->number;
    return inst->insn->has_values ? inst->insn->before : SUPPLY_NO_STATE;
}

static inline struct position position_of(const struct inst *inst)
{
    return (struct position){inst->insn->number, inst->pc, inst->micro_pc, state_before(inst)};
}

/* The position after an instruction of the right or a wrong path. */
static inline struct position position_after(const struct inst *inst)
{
    uint64_t const number = inst->insn->number;

    return (struct position){number == SUPPLY_WRONG ? SUPPLY_WRONG : number + 1, inst->insn->next_pc, 0,
                             state_after(inst)};
}

/* ---- the stages, each once a cycle, in this order */
void fetch_tick(struct detailed_cpu *cpu);
void decode_tick(struct detailed_cpu *cpu);
void rename_tick(struct detailed_cpu *cpu);
void iew_tick(struct detailed_cpu *cpu);
void commit_tick(struct detailed_cpu *cpu);
/* Behind them: results of forwardings, which the memory system's place in the tick would have. */
void lsq_end_tick(struct detailed_cpu *cpu);

/* Slots of a stage that it takes. */
static inline unsigned inst_slots(const struct inst *inst)
{
    return inst_is(inst, INST_JOINED) ? 0 : 1;
}

/* rename_registers.c */
/* Micro-ops younger than seq are squashed; the registers are free after registers_return. */
void registers_undo(struct detailed_cpu *cpu, uint64_t seq);
void registers_return(struct rename_stage *rename);
/* Frees the registers replaced by committed micro-ops. */
void registers_commit(struct detailed_cpu *cpu, uint64_t seq);
/* Are as many free as it writes? */
bool registers_suffice(const struct detailed_cpu *cpu, const struct inst *inst);
void registers_read(struct detailed_cpu *cpu, struct inst *inst);
/* Behind registers_read. */
void registers_write(struct detailed_cpu *cpu, struct inst *inst);
/* Its i-th result becomes another name of that physical register. */
void registers_share(struct detailed_cpu *cpu, const struct inst *inst, unsigned i, unsigned reg);
/* What rename does itself. */
void idioms_init(struct detailed_cpu *cpu);
/* In place of registers_read and registers_write, of a micro-op with one of rename.eliminates' traits. */
void idioms_rename(struct detailed_cpu *cpu, struct inst *inst);
/* Of one that is INST_ELIMINATED. */
void idioms_dispatch(struct detailed_cpu *cpu, struct inst *inst);

/* fusion.c */
void fusion_init(struct detailed_cpu *cpu);
/* At fetch, of the youngest: is it joined to the one before it? If fuses. */
void fusion_find(const struct detailed_cpu *cpu, struct inst *inst);
/* Of one that INST_FUSES, behind its registers. */
void fusion_rename(const struct detailed_cpu *cpu, struct inst *inst);
/* The branch that is one with it was executed, too. */
void fusion_execute(struct detailed_cpu *cpu, struct inst *inst);

/* memory_renaming.c, if params.renamed_stores > 0 */
/* Behind its registers. */
void memory_renaming_rename(struct detailed_cpu *cpu, struct inst *inst);
void memory_renaming_squash(struct detailed_cpu *cpu, uint64_t seq);

/* lsq.c: waits of a fixed length */
void delay_add(struct detailed_cpu *cpu, enum delay_kind kind, struct inst *inst, uint64_t cycles);
/* At the begin of a cycle, those that are due; all: at a restart, those whose results committed micro-ops may need. */
void delays_take(struct detailed_cpu *cpu, bool all);

/* issue_limits.c, if has_limits */
void limits_init(struct detailed_cpu *cpu);
/* True: it does not issue in this cycle. */
bool limits_hold(struct detailed_cpu *cpu, const struct inst *inst);
void limits_note(struct detailed_cpu *cpu, const struct inst *inst);

/* restart.c, rename.c: drops all uncommitted work; removes all micro-ops younger than seq */
void core_restart(struct detailed_cpu *cpu);
void rename_restart(struct detailed_cpu *cpu, uint64_t seq);

/* fetch_ahead.c, if fetch.ahead.count > 0 */
void ahead_begin(struct detailed_cpu *cpu);
/* What is here is to be looked up anew. */
void ahead_squash(struct detailed_cpu *cpu);
/* Have the branches of the block been predicted by now? If so, it is the one that fetch takes micro-ops of. */
bool ahead_predicts(struct detailed_cpu *cpu, uint64_t block);
/* A branch may end its block. */
void ahead_branches(struct detailed_cpu *cpu, const struct branch_answer *answer);
/* Predictions that were made are void; the next one is made in `cycle`. */
void ahead_redirect(struct detailed_cpu *cpu, uint64_t cycle);
/* Is it here or under way? */
bool ahead_has(struct detailed_cpu *cpu, uint64_t block);
/* Asks for the block that fetch needs next; false: not now. */
bool ahead_request(struct detailed_cpu *cpu, uint64_t block, uint64_t place);
/* False: no longer wanted. */
bool ahead_response(struct detailed_cpu *cpu, uint64_t request);
/* Its last byte is in that block. */
void ahead_mark(struct detailed_cpu *cpu, struct inst *inst, uint64_t block);
bool ahead_waits(const struct detailed_cpu *cpu, const struct inst *inst);
/* May decode have it in this cycle? *decoded: as many as went there, of those that are not kept. */
bool ahead_may_send(struct detailed_cpu *cpu, const struct inst *inst, uint64_t *decoded);

/* detailed_fetch.c */
bool fetch_response(struct detailed_cpu *cpu, struct packet *packet);
void fetch_retry(struct detailed_cpu *cpu);

/* detailed_issue.c: the instruction queue */
/* It takes an entry, and waits for its sources and for memory. */
void issue_insert(struct detailed_cpu *cpu, struct inst *inst);
void issue_insert_nonspec(struct detailed_cpu *cpu, struct inst *inst);
void issue_ready(struct detailed_cpu *cpu, struct inst *inst);
void issue_tick(struct detailed_cpu *cpu);
/* Units of the last cycle become free. */
void issue_begin(struct detailed_cpu *cpu);
/* Multi-cycle micro-ops whose result comes at the end of a cycle go to execution, as if issued in sent_cyc. */
void issue_complete(struct detailed_cpu *cpu, uint64_t cycle, uint64_t sent_cyc);
/* Its results are there. */
void issue_wake(struct detailed_cpu *cpu, struct inst *inst);
void issue_wake_register(struct detailed_cpu *cpu, unsigned reg);
void issue_squash(struct detailed_cpu *cpu, uint64_t seq);
void issue_nonspec(struct detailed_cpu *cpu, uint64_t seq);
void issue_leave(struct detailed_cpu *cpu, struct inst *inst);

/* memory_order.c: the memory-dependence unit */
void order_insert(struct detailed_cpu *cpu, struct inst *inst);
void order_insert_nonspec(struct detailed_cpu *cpu, struct inst *inst);
void order_insert_barrier(struct detailed_cpu *cpu, struct inst *inst);
void order_issued(struct detailed_cpu *cpu, struct inst *inst);
/* It leaves the unit and releases the micro-ops that waited for it. */
void order_complete(struct detailed_cpu *cpu, struct inst *inst);
void order_squash(struct detailed_cpu *cpu, uint64_t seq);

/* lsq.c, lsq_send.c */
/* Its result goes to commit behind this cycle's stages. */
void lsq_finish_behind(struct detailed_cpu *cpu, struct inst *inst);
/* It has its data of a store. */
void lsq_finish_forward(struct detailed_cpu *cpu, struct inst *inst);
void lsq_insert(struct detailed_cpu *cpu, struct inst *inst);
void lsq_execute_load(struct detailed_cpu *cpu, struct inst *inst);
void lsq_execute_store(struct detailed_cpu *cpu, struct inst *inst);
void lsq_send_load(struct detailed_cpu *cpu, struct inst *inst);
void lsq_write_back(struct detailed_cpu *cpu);
void lsq_commit(struct detailed_cpu *cpu, uint64_t seq);
void lsq_squash(struct detailed_cpu *cpu, uint64_t seq);
/* Makes loads ready that the L1D refused and that may be sent again. */
void lsq_take_retried(struct detailed_cpu *cpu);
void lsq_store_was_sent(struct detailed_cpu *cpu, const struct inst *store);
bool lsq_response(struct detailed_cpu *cpu, struct packet *packet);
void lsq_retry(struct detailed_cpu *cpu);
/* Does the packet answer a line of combined stores, which are done already? */
bool lsq_answers_nothing(const struct packet *packet);

static inline uint32_t lsq_loads(const struct load_store_queue *lsq)
{
    return (uint32_t)(lsq->load_tail - lsq->load_head);
}

static inline uint32_t lsq_stores(const struct load_store_queue *lsq)
{
    return (uint32_t)(lsq->store_tail - lsq->store_head);
}

/* iew.c */
/* Does the micro-op that was executed make fetch start anew? */
void iew_check_squash(struct detailed_cpu *cpu, struct inst *inst);
void iew_send_to_commit(struct detailed_cpu *cpu, struct inst *inst);

/* lsq_send.c: a wrong-path load, whose response nothing waits for */
/* lsq_send.c: at the begin of a cycle */
void lsq_begin(struct detailed_cpu *cpu);

/* cycle.c */
/* The event of a cycle. */
void core_tick(void *cpu);
/* That cycle will be executed. */
void core_schedule(struct detailed_cpu *cpu, uint64_t cycle);
/* An answer or a retry has come. */
void core_wake(struct detailed_cpu *cpu);
/* The cycle that comes next, or that is under way. */
uint64_t core_coming_cycle(const struct detailed_cpu *cpu);
bool core_sleeps_in_reference(const struct detailed_cpu *cpu, uint64_t cycle);

/* detailed_cpu.c */
void core_fail(struct detailed_cpu *cpu, struct fault fault);
void core_finish(struct detailed_cpu *cpu);

/* slots.c: where the commit slots of this cycle went */
void slots_count(struct detailed_cpu *cpu);

#endif
