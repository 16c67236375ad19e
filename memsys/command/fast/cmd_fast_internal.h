/* State of the fast engine of a channel; cmd_fast.h says what it shortens.
 *
 * Requests of a queue are numbered as they come. The oldest hit of each bank's open row and the oldest of its other
 * requests are the candidates: bits of masks, by their numbers, so that the first bit is the oldest one.
 * cmd_fast_lists.c keeps them, cmd_fast_scan.h compares them, cmd_fast_best.h knows the best ones,
 * cmd_fast_program.c has what a command does to ready times, cmd_fast_choose.h is the tick. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_INTERNAL_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_INTERNAL_H

#include "base/hints.h"
#include "memsys/command/channel/cmd_internal.h"

enum fast_list { FAST_HITS, FAST_OTHERS, FAST_LISTS };   /* of the open row; of another one, or of a closed bank */
enum fast_wish { FAST_ACCESS, FAST_PRECHARGE, FAST_ACTIVATE, FAST_WISHES, FAST_NO_WISH };  /* of a candidate */

/* A key has a tick above and the number of a request and 1 below, so that the least key is that of the request that can
 * be issued first, then of the oldest. Number 0: a bound, the request is not known. */
#define FAST_NEVER UINT64_MAX            /* none */
enum { FAST_NUMBER_BITS = 12, FAST_LONGEST_QUEUE = (1 << (FAST_NUMBER_BITS - 1)) - 1 };
#define FAST_NUMBERS ((UINT64_C(1) << FAST_NUMBER_BITS) - 1)
/* From here on the plain engine serves. Keys have bits for four times as many ticks; all standards need days for it. */
#define FAST_LAST_TICK (INT64_C(1) << (62 - FAST_NUMBER_BITS))

/* Requests of a bank and queue, the oldest first. rows, rows_again: rows that one request or more has had since the
 * list was empty, and two or more, as bits by the rows' low bits; a row without its bit need not be looked for. */
struct fast_requests {
    struct cmd_request *first, *last;
    uint64_t rows, rows_again;
};

enum { FAST_PLACES = 4 };

/* Levels at which something may hold a command up, as places in a bank's path, without the channel's; those of no use
 * are 0. */
struct fast_route {
    const int64_t *ready;                /* of the command */
    uint16_t places[FAST_PLACES], count;
};

/* Candidates with one wish. */
struct fast_candidates {
    uint64_t *numbers;                   /* as bits */
    struct fast_route route;             /* of their command */
    uint16_t command;
};

struct fast_queue {
    struct fast_requests *lists[FAST_LISTS];     /* a bank */
    struct cmd_request **requests;       /* by their numbers (order) */
    uint32_t *banks;                     /* theirs */
    struct fast_candidates candidates[FAST_WISHES];
    uint32_t next, end;                  /* number of the next request; of none: all are numbered anew */
};

/* One thing that a command does to a ready time. */
struct fast_step {
    int64_t *ready;                      /* of the command that follows */
    int64_t latency;
    uint32_t place;                      /* in the bank's path */
};

/* The same from the last but w-th issue at a level. */
struct fast_window {
    int64_t *ready;
    const int64_t *history;              /* of the level's first node, entry window - 1 */
    int64_t latency;
    uint32_t place, first, entries;      /* first: node of the level, in a path; entries of a node */
};

struct fast_sibling {
    int32_t latency;
    uint16_t level, following;
};

/* Issues that are noted at a level. */
struct fast_history {
    int64_t *entries;
    uint32_t place, first, window;
};

struct fast_program {                    /* of a command with one bank, or with all of a node */
    struct fast_step *steps;
    struct fast_window *windows;
    struct fast_sibling *siblings;
    struct fast_history histories[CMD_LEVELS];
    int64_t *last;                       /* a bank: when the command was issued last; -1: never */
    uint16_t step_count, window_count, sibling_count, history_count;
    bool has_more;                       /* than steps */
    uint64_t leaves[2][FAST_WISHES];     /* of a key, by queue and wish: not its number if the command may hold
                                            candidates of other banks up */
    bool holds_up_active;                /* the same for active requests */
    bool is_set;
};

/* A bound of a command that only the priority queue issues: put off until that queue has a request. */
struct fast_deferred {
    const int64_t *last;                 /* of the command, by bank */
    int64_t *ready;                      /* of the level's nodes */
    int64_t latency;
    uint32_t nodes, banks;               /* of a node */
};

/* The best of the active requests: nothing can be issued before the tick of `key`, whose number is 0. */
struct fast_best {
    struct cmd_request *request;         /* NULL: not looked for, or, with FAST_NEVER, not found */
    uint64_t key;
};

/* What the next choice will issue, if no request comes. */
struct fast_plan {
    struct cmd_request *request;
    int64_t tick;
    enum cmd_queue_name queue;
    enum fast_wish wish;
};

struct fast {
    struct fast_program programs[CMD_COMMANDS];
    struct fast_deferred *deferred;
    unsigned deferred_count;
    bool is_settled;                     /* ready times have what has been put off */
    struct fast_queue queues[2];         /* reads, writes */
    uint64_t *active;                    /* banks that active requests wait for, as bits */
    struct fast_route routes[CMD_COMMANDS];
    bool is_deep;                        /* some route has more than two places */
    unsigned node_level;                 /* of nodes that are refreshed at once: programs of commands to all banks */
    uint32_t parts;                      /* few nodes of many banks below the channel; 0: there are none */
    enum cmd_queue_name known;           /* queue of `best`: that of the last choice */
    struct fast_queue *queue;            /* ... itself */
    uint64_t best[FAST_WISHES];          /* keys: nothing with that wish has a smaller one */
    struct fast_best best_active;
    bool is_planned;
    struct fast_plan plan[2];            /* of the first slot and, with two buses, of the row slot */
    enum cmd_slot first_slot, last_slot; /* that the controller has */
    bool is_half_tick, is_dual;
    bool is_simple;                      /* cmd_fast_serve.h: fast_is_simple */
    bool is_choice_plain;                /* the plain controller chooses in every tick */
};

static inline struct fast *fast_of(const struct cmd_channel *channel)
{
    return channel->engine_state;
}

static inline bool fast_has_bank(const uint64_t *mask, uint32_t bank)
{
    return mask[bank / 64] >> (bank % 64) & 1;
}

static inline void fast_set_bank(uint64_t *mask, uint32_t bank, bool is_in)
{
    uint64_t const bit = UINT64_C(1) << (bank % 64);

    mask[bank / 64] = is_in ? mask[bank / 64] | bit : mask[bank / 64] & ~bit;
}

static inline enum fast_list fast_list_of(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_bank *const bank = &channel->device.banks[request->bank];

    return bank->state == CMD_BANK_OPENED && bank->row == request->row ? FAST_HITS : FAST_OTHERS;
}

static FORCE_INLINE int64_t fast_later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static FORCE_INLINE int64_t fast_ready_below(const struct fast_route *route, const uint32_t *path, int64_t from,
                                             bool is_deep)
{
    const int64_t *const ready = route->ready;
    int64_t tick = fast_later(fast_later(from, ready[path[route->places[0]]]), ready[path[route->places[1]]]);

    if (is_deep)
        tick = fast_later(fast_later(tick, ready[path[route->places[2]]]), ready[path[route->places[3]]]);
    return tick;
}

/* Earliest tick of a command in a bank, from tick `from` on. */
static FORCE_INLINE int64_t fast_ready(const struct cmd_channel *channel, const struct fast_route *route, uint32_t bank,
                                       int64_t from)
{
    return fast_ready_below(route, channel->device.path[bank], fast_later(from, route->ready[0]),
                            fast_of(channel)->is_deep);
}

static FORCE_INLINE uint64_t fast_bound(int64_t tick)
{
    return (uint64_t)tick << FAST_NUMBER_BITS;
}

static FORCE_INLINE int64_t fast_key_tick(uint64_t key)
{
    return key == FAST_NEVER ? CMD_NEVER : (int64_t)(key >> FAST_NUMBER_BITS);
}

static FORCE_INLINE uint64_t fast_sooner(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static FORCE_INLINE uint64_t fast_not_before(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* What a request of a list waits for. */
static inline enum fast_wish fast_wish_of(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_bank *const bank = &channel->device.banks[request->bank];

    return bank->state == CMD_BANK_CLOSED ? FAST_ACTIVATE : bank->row == request->row ? FAST_ACCESS : FAST_PRECHARGE;
}

static FORCE_INLINE uint64_t fast_row_bit(int32_t row)
{
    return UINT64_C(1) << (row & 63);
}

/* ---- cmd_fast_lists.c */
struct fault cmd_fast_init_lists(struct cmd_channel *channel);
/* All requests of a queue up to `end` are numbered from 0 on. */
void cmd_fast_number_anew(struct cmd_channel *channel, enum cmd_queue_name name, const struct cmd_request *end);
void cmd_fast_unlink(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request);
/* The bank's state has changed: puts its requests where they belong. */
void cmd_fast_sort_bank(struct cmd_channel *channel, uint32_t bank);
/* The first active request of a bank has come, or the last one has gone. */
void cmd_fast_guard_bank(struct cmd_channel *channel, uint32_t bank);

/* ---- cmd_fast_program.c */
struct fault cmd_fast_compile(struct cmd_channel *channel);
/* Ready times of the commands of the priority queue catch up. */
void cmd_fast_settle(struct cmd_channel *channel);

#endif
