/* What was learnt about each instruction of a trace, by its pc.
 *
 * Use: window_pcs_init; window_pcs_take for the number of a pc, which stays the same; window_pc_at for what it stands
 * for, until the next window_pcs_take; window_pcs_free. Ownership: the table's. */
#ifndef REPLAY_WINDOW_PCS_H
#define REPLAY_WINDOW_PCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/window/rules.h"

enum { WINDOW_LEARNT_SOURCES = 3, WINDOW_RESOLVERS = 12, WINDOW_NO_PC = -1 };

struct window_pc {
    uint64_t pc;
    /* 3.2: delays in ticks */
    uint64_t least_delay, least_other;   /* of records with producers, and of those without; UINT64_MAX: none */
    uint32_t records, at_least;
    bool is_comp;                        /* seen as a computation */
    bool writes;                         /* somebody's register producer */
    bool is_hidden;                      /* seen among those that were filtered */
    /* 3.4 */
    uint8_t size_bytes;                  /* 0: not known */
    /* 3.5 */
    bool has_other_target, was_not_taken;
    bool is_known;                       /* an instruction stands there */
    uint32_t times_taken, times, changes;    /* changes: it did not go where it went the time before */
    uint64_t last_next;
    uint64_t target, other_target;       /* the last one, and the last one that is another */
    /* 3.6 */
    uint32_t waits[RULE_SERIALISE_MOST_CYC + RULE_REFILL_CYC + 1];   /* how often it began so many cycles behind all older */
    /* 3.7: pcs of the producers of its first record that had any */
    int32_t sources[WINDOW_LEARNT_SOURCES];
    uint8_t source_count;
    /* 3.7: what may have resolved its mispredictions */
    struct window_resolver { int32_t pc; uint32_t seen, fits, early, last, lags[24]; } resolvers[WINDOW_RESOLVERS];
    uint32_t resolved;                   /* mispredictions looked at */
    int32_t resolver;                    /* chosen; WINDOW_NO_PC: none */
    /* decided at the end of learning */
    uint8_t op, latency_cyc;             /* enum detailed_op; 0: the class's */
    bool serialises, is_nonspec;         /* waits for all older ones: in rename; at the head of the ROB */
    /* while micro-ops are made */
    uint64_t last_uop;                   /* number of its latest one, plus 1 */
};

struct window_pcs {
    struct window_pc *all;
    uint32_t *places;                    /* hash table: number + 1 */
    size_t count, room, mask;
    uint64_t lowest, highest;            /* pc */
};

bool window_pcs_init(struct window_pcs *pcs);
void window_pcs_free(struct window_pcs *pcs);
/* WINDOW_NO_PC: out of memory. */
int32_t window_pcs_take(struct window_pcs *pcs, uint64_t pc);
/* WINDOW_NO_PC: it is not among them. */
int32_t window_pcs_find(const struct window_pcs *pcs, uint64_t pc);

/* 3.5: a branch that always went to one place, so that decode could correct it. */
static inline bool window_pc_is_direct(const struct window_pc *pc)
{
    return pc->times_taken >= RULE_SURE_BRANCH && !pc->was_not_taken && !pc->has_other_target;
}

static inline struct window_pc *window_pc_at(const struct window_pcs *pcs, int32_t number)
{
    return &pcs->all[number];
}

#endif
