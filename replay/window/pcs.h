/* Table of the properties learnt about each instruction of a trace, by its pc.
 *
 * Use: window_pcs_init; window_pcs_take for the number of a pc, which stays the same; window_pc_at for its entry,
 * valid until the next window_pcs_take; window_pcs_free. Ownership: the table's. */
#ifndef REPLAY_WINDOW_PCS_H
#define REPLAY_WINDOW_PCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/window/captured_core.h"
#include "replay/window/rules.h"

enum { WINDOW_NO_PC = -1, WINDOW_LONGEST_WAIT = RULE_SERIALISE_MOST_CYC + 64 };

/* Where a load of a wrong path reads, if the capture does not say. */
enum window_reads {
    READS_NOWHERE,                       /* not known */
    READS_NEXT,                          /* where the right path's next loads of the pc read: paths that join */
    READS_STEP,                          /* a step on from its last ones: one more turn of a loop */
    READS_AGAIN,                         /* where its last one did */
    READS_MIRRORED,                      /* as far from its last one as the next ones, to the other side: bisection */
    READS_COUNT
};

struct window_resolvers;

/* Long delays of computations, and those of them done so long behind another one that has a long delay as an operation
 * of a class holds its unit. */
struct window_holds { uint32_t delays, apart[CAPTURED_LONG_CLASSES]; };

/* Delays of records. */
struct window_delays {
    uint64_t least;                      /* UINT64_MAX: none */
    uint32_t records, at_least;          /* far ones: records of all kinds */
    uint32_t a_cycle_longer;             /* than the least */
};

/* How long a computation waited behind all older micro-ops. */
struct window_waits {
    uint32_t cycles[WINDOW_LONGEST_WAIT + 1];    /* waits by length, up to window_longest_wait */
    uint32_t count, early;               /* of them, those in which a record behind it was done before it ... */
    uint32_t overtaken;                  /* ... or when the last one before it was ... */
    uint32_t overtaken_by_load;          /* ... or a load was no later than if a fence lay between */
};

/* With a filtered micro-op right before it, and without. */
enum window_behind { BEHIND_RECORD, BEHIND_FILTERED, BEHIND_COUNT };

struct window_pc {
    /* fields read or changed for each micro-op: adjacent */
    uint64_t pc;
    uint64_t last_next;                  /* 3.5: where it went the time before; UINT64_MAX: there was none */
    uint64_t target, other_target;       /* the last one taken, and the last one that is another */
    uint64_t follower_pc;                /* of the hidden one that was behind it last, ... */
    int32_t follower;                    /* ... and its number */
    uint32_t times, times_taken, changes;        /* changes: times that it did not go where it went the time before */
    uint8_t size_bytes;                  /* 3.4; 0: not known */
    bool has_other_target, was_not_taken;
    bool was_filtered;                   /* some micro-op of it, between records without a jump */
    bool is_short;                       /* some record was done so soon that it does not serialise (3.6) */
    bool is_slow;                        /* no record of it was done within a cycle of its producers */
    bool is_comp;                        /* seen as a computation */
    bool writes;                         /* a register producer of another instruction */
    bool feeds_itself;                   /* some record had one of the same pc as its producer */
    bool is_integer;                     /* its result is one: an address, or a source of another integer */
    bool computes_integers;              /* ... and so is a source of it */
    /* decided at the end of learning */
    bool serialises;                     /* waits in rename for all older ones */
    bool holds_up;                       /* ... because of a filtered one before it, for which all behind wait, too */
    bool is_barrier;                     /* a fence: memory accesses behind it wait for all before it; if it is
                                          * executed as the oldest one: what was filtered right behind it is */
    bool is_non_speculative;             /* executed as the oldest of the ROB: an atomic access */
    bool is_behind_line;                 /* of filtered ones before its record, a jump among them, the last one lies in
                                          * a line that no record names */
    bool sources_are_sure;               /* its records agree on them */
    uint8_t op, latency_cyc;             /* enum detailed_op; 0: the class's */
    uint8_t reads;                       /* enum window_reads */
    int32_t resolver;                    /* pc that resolves its mispredictions; WINDOW_NO_PC: not known */
    uint64_t last_uop;                   /* number of the latest micro-op made of it that has a result, plus 1 ... */
    uint64_t last_done;                  /* ... and when the capture had that result */
    bool falls_through;                  /* the capture's BTB has the next instruction as its target */
    /* of the latest record: for wrong paths */
    uint64_t predicted;                  /* where fetch went on behind it; UINT64_MAX: not known */
    int32_t last_sources[RULE_LEARNT], other_sources[RULE_LEARNT];
    uint32_t last_size_bytes;
    uint8_t last_type, last_source_count;
    uint64_t wrong_path;                 /* the latest wrong path that has a result of it ... */
    uint64_t wrong_result;               /* ... its number among all results of wrong paths */
    uint16_t wrong_register;             /* ... and where */
    bool wrong_is_tested;                /* ... whether it depends on what the mispredicted branch tests ... */
    uint32_t wrong_count;                /* loads of it there */
    /* 3.7: pcs of the producers of its first record that had any */
    bool has_sources;                    /* that was seen */
    uint8_t source_count;
    int32_t sources[RULE_LEARNT];
    /* 3.5 */
    uint32_t path;                       /* mean gap of its mispredictions where it was alone; 0: not known */
    uint32_t alone;                      /* how many of these there were, and the sum of their gaps */
    uint64_t alone_gaps;
    /* 3.2: delays in ticks */
    struct window_delays far, all;       /* of records with producers: those far from wrong paths (5, 5), and all */
    uint64_t least_other;                /* of far records without them; UINT64_MAX: none */
    struct window_holds behind_own, behind_other;        /* ... this pc, and unit_before */
    int32_t unit_before;                 /* the other pc that most long delays before it were of; WINDOW_NO_PC: none */
    uint32_t unit_votes;                 /* for that */
    uint8_t read_count;                  /* pcs of the producers of its computations, the first ones */
    int32_t read[RULE_INTEGER_SOURCES];
    uint32_t sourced, sourced_alike;     /* computations with producers; those of them whose are `sources` */
    struct window_resolvers *resolvers;  /* replay/window/window_learnt.h */
    uint32_t strays, strays_by[READS_COUNT];     /* squashed loads; those that read where each of them says */
    uint64_t fastest;                    /* least delay of a computation with producers so far; UINT64_MAX: none */
    uint64_t doubted;                    /* the delay that may be no latency: the least one of those that follow */
    uint32_t doubts, crowded;            /* such records; those of them that found all units for integers busy */
    uint32_t led_late, led_early;        /* behind them: late and not before its end; done before its end */
    struct window_waits *waits;          /* 3.6; NULL: it does not serialise */
    uint64_t turn_start, turn_cycles;    /* of its latest record: when it began, and the cycles of fetch until then */
    uint32_t turns, late_turns;          /* of a loop with its record as head; those that fetch held up */
    uint32_t barrier_late, barrier_early;        /* loads behind it that waited for all before it, or did not */
};

enum { WINDOW_PCS_ASKED = 1024 };

struct window_pcs {
    struct { uint64_t pc; int32_t number; } asked[WINDOW_PCS_ASKED];     /* of those taken last, by address */
    struct window_pc *all;
    uint32_t *places;                    /* hash table: number + 1 */
    size_t count, room, mask;
    uint64_t lowest, highest;            /* pc */
    struct captured_core core;           /* the reference's, unless it is set before learning */
    uint32_t sizes;                      /* of an instruction, a bit each */
    bool has_odd;                        /* some pc is odd: instructions have 1 to 15 bytes */
    bool has_half;                       /* some pc is no multiple of 4: else all instructions have 4 */
    uint8_t least_size;                  /* of those that an instruction may have */
};

bool window_pcs_init(struct window_pcs *pcs);
void window_pcs_free(struct window_pcs *pcs);
/* WINDOW_NO_PC: out of memory. */
int32_t window_pcs_take(struct window_pcs *pcs, uint64_t pc);
/* WINDOW_NO_PC: it is not among them. */
int32_t window_pcs_find(const struct window_pcs *pcs, uint64_t pc);

static inline struct window_pc *window_pc_at(const struct window_pcs *pcs, int32_t number)
{
    return &pcs->all[number];
}

/* May an instruction have several micro-ops? RISC-V's have one each. */
static inline bool window_is_cracked(const struct window_pcs *pcs)
{
    return pcs->has_odd || !pcs->has_half;
}

/* Longer waits of serialising micro-ops are counted as so long (3.6). */
static inline uint64_t window_longest_wait(const struct window_pcs *pcs)
{
    uint64_t const most = RULE_SERIALISE_MOST_CYC + (uint64_t)pcs->core.serial_cyc;

    return most < WINDOW_LONGEST_WAIT ? most : WINDOW_LONGEST_WAIT;
}

/* 3.5: a branch that always went to one place, so that decode could correct it. */
static inline bool window_pc_is_direct(const struct window_pc *pc)
{
    return pc->times_taken >= RULE_SURE_BRANCH && pc->times_taken == pc->times && !pc->has_other_target;
}

/* Can an instruction be that long? */
static inline bool window_is_size(const struct window_pcs *pcs, uint64_t bytes)
{
    return bytes <= RULE_LONGEST_INSTRUCTION && pcs->sizes >> bytes & 1;
}

/* Does an op of this pc go elsewhere if the next one is `step` bytes on? Also if that is the end of a following
 * compressed instruction (5, 8). */
static inline bool window_is_taken_step(const struct window_pcs *pcs, int32_t number, uint64_t step)
{
    uint64_t const size = window_pc_at(pcs, number)->size_bytes;

    return step != size && step != 0 && (!window_is_size(pcs, step) || (!pcs->has_odd && size == 2 && step == 4));
}

/* 3.4: takes `bytes` if it can be, and is the least so far. */
static inline void window_learn_size(const struct window_pcs *pcs, int32_t number, uint64_t bytes)
{
    struct window_pc *const pc = window_pc_at(pcs, number);

    if (window_is_size(pcs, bytes) && (pc->size_bytes == 0 || bytes < pc->size_bytes))
        pc->size_bytes = (uint8_t)bytes;
}

/* Size of an instruction in bytes (3.4); 4 if it is not known. */
static inline uint64_t window_size_at(const struct window_pcs *pcs, int32_t number)
{
    uint64_t const size = window_pc_at(pcs, number)->size_bytes;

    return size > 0 ? size : 4;
}

#endif
