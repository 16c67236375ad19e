/* A bench for the detailed core: a supply of instructions made by hand or at random, and L1s that answer after a given
 * time and may refuse.
 *
 * Use: detailed_prepare; add_...() for each instruction of the right path (their answers may be changed), wrong
 * paths by `wrong`; change the parameters under test; detailed_run, which asserts the core's invariants after each
 * cycle; look into `detailed`, at() and sent_at(); detailed_tear_down after each test. One bench at a time. Units:
 * cycles of 500 ps. */
#ifndef TESTS_SUPPORT_DETAILED_BENCH_H
#define TESTS_SUPPORT_DETAILED_BENCH_H

#include "memsys/sim/sim.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/detailed_core.h"

enum { BENCH_PERIOD_PS = 500, BENCH_CODE = 0x10000, BENCH_MOST_UOPS = 3, BENCH_MOST_INSNS = 8192,
       BENCH_MOST_SLOTS = 4096, BENCH_MOST_SENT = 65536 };

struct bench_uop {
    uint8_t op;
    uint32_t flags;
    uint16_t sources[2], result;         /* 0: none */
    uint64_t address;
    uint32_t size_bytes;                 /* 0: it has no access, or none that is known */
    bool is_first_touch;
    uint8_t traits, flag_results, temporary_results;     /* as in struct uop */
    uint8_t address_sources;
};

struct bench_insn {
    uint64_t pc, next_pc, target;
    uint32_t size_bytes;
    bool is_taken, is_string;
    unsigned uop_count;
    struct bench_uop uops[BENCH_MOST_UOPS];
};

/* What an L1 was offered and took. */
struct bench_sent {
    uint64_t cycle, address;
    uint32_t size_bytes;
    unsigned command;
};

struct bench_slots;

struct bench_cache {
    uint64_t latency_ps, jitter_ps;      /* an answer takes so long, and at random so much more */
    unsigned takes_first;                /* accepts this number of packets; then ... */
    unsigned refuses_first;              /* ... it refuses this number, with a retry for each after retry_ps */
    unsigned refuses_one_in;             /* at random; 0: never */
    uint64_t retry_ps;
    uint64_t random;
    bool owes_retry;
    unsigned refused, answered;
    struct above above;
    struct event retry;
    struct bench_slot *slots;
    struct bench_sent *sent;             /* the first BENCH_MOST_SENT */
    size_t sent_count;
};

struct bench_slot {
    struct event event;
    struct packet *packet;
    struct bench_cache *cache;
};

/* A micro-op that left the ROB. */
struct bench_retired {
    struct detailed_retired what;        /* insn, uop and access are not valid any more */
    uint64_t number, pc;
};

struct detailed_bench {
    struct detailed_params params;
    struct branch_params branch;
    struct bench_cache l1i, l1d;
    struct bench_insn *insns;
    size_t insn_count;
    /* Instructions of wrong paths; NULL: no code is known there. They hold for the whole run. */
    const struct supply_insn *(*wrong)(uint64_t pc);
    uint64_t wrong_state;                /* that the last one was asked for in */
    int64_t wrong_held;                  /* holds of those that have values */
    size_t wrong_limit;                  /* number of known ones; later ones are unknown */
    bool has_no_place;                   /* pages of code have no place */
    bool is_idle_bound;                  /* with the fast path `idle` */
    bool is_checked;                     /* invariants, after each cycle */
    bool is_left_open;                   /* answers that are under way at the end of a run stay so */

    struct sim sim;
    struct detailed_cpu *cpu;
    struct bench_retired *retired;
    size_t retired_count, retired_room;
    uint64_t end_ps;
    unsigned finished_calls;
};

extern struct detailed_bench detailed;

/* The reference's core with a perfect branch predictor, fetches at once, answers of the L1s in two cycles, no refusals,
 * no code beside the right path. */
void detailed_prepare(void);
int detailed_tear_down(void **state);

/* The next instruction of the right path, 4 bytes behind the one before. */
struct bench_insn *add_op(enum detailed_op op, uint16_t result, uint16_t source);
struct bench_insn *add_alu(uint16_t result, uint16_t source);
void add_alus(unsigned count);           /* that depend on nothing */
struct bench_insn *add_load(uint16_t result, uint64_t address, uint32_t size_bytes);
struct bench_insn *add_store(uint16_t source, uint64_t address, uint32_t size_bytes);
struct bench_insn *add_atomic(uint16_t result, uint64_t address);
struct bench_insn *add_linked(uint16_t result, uint64_t address);        /* LR */
struct bench_insn *add_conditional(uint16_t result, uint64_t address);   /* SC; address 0: it failed */
struct bench_insn *add_fence(void);
struct bench_insn *add_serialising(void);                                /* as the CSR instructions */
struct bench_insn *add_syscall(void);
/* A conditional branch that is taken. */
struct bench_insn *add_branch(uint16_t source, uint64_t target);
struct bench_insn *add_jump(uint64_t target);

/* An instruction as the supply gives it, in memory of the bench's that holds until it is torn down. */
const struct supply_insn *bench_make(const struct bench_insn *insn, uint64_t number);
/* A simple ALU operation at that pc, on a wrong path. */
const struct supply_insn *bench_wrong_alu(uint64_t pc);

/* Makes and starts the core; the events are left to the test. */
void detailed_begin(void);
/* Executes all events, and asserts that the run ended well and that nothing is lost. */
void detailed_finish(void);
/* Both. */
void detailed_run(void);
/* Behind a run: the core takes other instructions, which are in `insns` by now, at the next edge; and that run. */
void detailed_run_again(void);
/* Asserts what holds between two cycles. */
void detailed_check(void);

/* The committed first micro-op of an instruction; _uop: another one. */
const struct detailed_retired *at(uint64_t number);
const struct detailed_retired *at_uop(uint64_t number, unsigned micro_pc);
/* Cycle in which an L1 took the n-th packet of an address; UINT64_MAX: it did not. */
uint64_t sent_at(const struct bench_cache *cache, uint64_t address, unsigned n);

#endif
