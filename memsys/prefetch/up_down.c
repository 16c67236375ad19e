/* Up/down prefetcher: where accesses tend to have a neighbour, the next or the previous line is fetched for each.
 *
 * Source: Software Optimization Guide for the AMD Zen4 Microarchitecture (57647), "Data prefetch": "L2 Up/Down: uses
 * memory access history to determine whether to fetch the next or previous line for all memory accesses". The guide
 * does not say how; here: the lines of the last 64 accesses are kept. An access whose previous line is among them is a
 * vote for "next" (it would have been fetched by it), one whose next line is among them a vote for "previous"; an
 * access without either is a vote against both. A direction is used while it has 16 votes more than there are against
 * it, of 32 at most. degree: lines in that direction; distance: lines skipped before them. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { UP_DOWN_LINES = 64, UP_DOWN_ENOUGH = 16, UP_DOWN_MOST = 32 };

struct up_down {
    uint64_t lines[UP_DOWN_LINES];       /* line address | 1; 0: none */
    uint32_t next;
    int32_t up, down;                    /* votes, from 0 to UP_DOWN_MOST */
};

static void up_down_vote(int32_t *votes, bool is_for)
{
    if (is_for)
        *votes += *votes < UP_DOWN_MOST;
    else
        *votes -= *votes > 0;
}

static void up_down_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct up_down *const own = prefetcher->own;
    uint64_t const line = access->line_address, bytes = prefetcher->sim->line_bytes;
    bool has_previous = false, has_next = false;

    for (uint32_t i = 0; i < UP_DOWN_LINES; i++) {
        if (own->lines[i] == (line | 1))
            return;                      /* another access to the same line says nothing */
        has_previous |= own->lines[i] == ((line - bytes) | 1);
        has_next |= own->lines[i] == ((line + bytes) | 1);
    }
    own->lines[own->next] = line | 1;
    own->next = (own->next + 1) % UP_DOWN_LINES;
    up_down_vote(&own->up, has_previous);
    up_down_vote(&own->down, has_next);
    for (uint64_t i = 1; i <= prefetcher->degree; i++) {
        if (own->up >= UP_DOWN_ENOUGH)
            prefetcher_propose(prefetcher, line + (prefetcher->distance + i) * bytes);
        if (own->down >= UP_DOWN_ENOUGH)
            prefetcher_propose(prefetcher, line - (prefetcher->distance + i) * bytes);
    }
}

const struct prefetcher_ops prefetch_up_down = {
    .name = "up_down", .own_bytes = sizeof(struct up_down), .degree = 1,
    .training = PREFETCH_TRAINING_ACCESSES, .train = up_down_train
};
