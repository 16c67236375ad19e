/* Border of a part (lookahead.h): lies between a cache of the part and the memory bus, forwards all calls, and holds
 * a lower bound for the tick of the bus's next call.
 *
 * Use: border_init, whose result is the bus's `above`; border_join once the cache has started; then
 * border_first_call_ps. Ownership: borrows cache and lookahead. Units: picoseconds. */
#ifndef REPLAY_FAST_BORDER_H
#define REPLAY_FAST_BORDER_H

#include "memsys/cache/cache.h"

struct lookahead;

enum { BORDER_ANSWERS = 64 };        /* that a border knows of */

struct border_answer {
    const struct packet *packet;
    uint64_t when_ps;                /* not before that */
    bool is_read;
};

struct border {
    struct above real;               /* the cache, as it would be above the bus */
    struct below bus;
    struct cache *cache;
    struct lookahead *lookahead;
    const bool *is_ahead;            /* the executing event is ahead of the common order: it must not call the bus */
    unsigned number;                 /* of the part's queue */
    uint64_t shortest_answer_ps;     /* of a read that is not known to have been chosen by a memory */
    unsigned known, known_reads;     /* answers of which it is known when they come; those to reads */
    bool is_unsure;                  /* there were too many of them */
    struct border_answer answers[BORDER_ANSWERS];
};

/* The caller has set cache, lookahead, is_ahead, number and shortest_answer_ps; the rest is 0. */
struct above border_init(struct border *border);
void border_join(struct border *border);
/* now_ps: before it nothing is left to be executed. */
uint64_t border_first_call_ps(const struct border *border, uint64_t now_ps);

/* lookahead.c: called before the shared components call the part of that number. / Parts interacted in an unsupported
 * way: the run ends. */
void lookahead_enter(struct lookahead *lookahead, unsigned number);
void lookahead_break_off(struct lookahead *lookahead);

#endif
