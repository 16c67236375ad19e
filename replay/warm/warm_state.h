/* What happened in a program between two places of its trace, for the caches, TLBs and predictors of any system: a
 * memory timestamp record and a history of branches. All states up to a place, one after the other, make a system warm
 * there; so each has only what changed since the one before, which is little, and a system that has gone through some
 * of them goes on with the next.
 *
 * Sources: Barr et al., "Accelerating multiprocessor simulation with a memory timestamp record", ISPASS 2005; Wenisch
 * et al., "Simulation sampling with live-points", ISPASS 2006.
 *
 * Contents. `old`: different lines in the order of their last use before the window, the latest last; data and
 * instructions apart. `recent`: the uses of the window that follow, all but those of a line that is the one used last
 * of a sixteenth of all sets, which no LRU cache of 16 sets or a multiple notices. Given to a system one after the
 * other, they leave LRU caches of the first level exactly as all uses would. Caches below see what misses above them:
 * they are exact where windows meet, and follow the order of last use for lines between them.
 * `pages`: recently used pages of each side, the latest last. `touched`: pages in the order of their first touch, which
 * page maps follow. `branches`: the last ones.
 * Use: from warm_record.h or a file; warm_state_free. Lines and pages are numbers of the trace's addresses.
 * `core`: of the lines' owner, 0: traces of one thread are all that is recorded. */
#ifndef REPLAY_WARM_WARM_STATE_H
#define REPLAY_WARM_WARM_STATE_H

#include "proto/container/column.h"
#include "replay/warm/warm_walk.h"

enum { WARM_SIDES = 2 };                 /* data, instructions */

/* line << 2 | enum warm_use; of old ones WARM_USE_WRITE: it has been written. */
typedef uint64_t warm_line;

static inline warm_line warm_line_of(enum warm_use use, uint64_t line)
{
    return line << 2 | use;
}

static inline enum warm_use warm_line_use(warm_line line)
{
    return (enum warm_use)(line & 3);
}

static inline uint64_t warm_line_number(warm_line line)
{
    return line >> 2;
}

struct warm_numbers { uint64_t *list; size_t count, room; };

struct warm_state {
    uint64_t place;                      /* instructions before it */
    uint32_t core;
    uint64_t kept_lines;                 /* of `old` at most */
    bool is_cut;                         /* here or before there were older lines, which were not kept */
    struct warm_numbers old, recent, pages[WARM_SIDES], touched;
    struct warm_branch pending;          /* warm_walk_pending */
    struct warm_branch *branches;
    size_t branch_count, branch_room;
};

bool warm_numbers_fit(struct warm_numbers *numbers, size_t count);
void warm_state_free(struct warm_state *state);
/* Nothing happened; its memory stays for the next one. */
void warm_state_empty(struct warm_state *state);

/* All but `touched`, appended to a payload. False: no memory. */
bool warm_state_pack(const struct warm_state *state, struct column_packer *packer, struct column *payload);
/* The same back, into an empty one. NULL, or what is wrong: "damaged", or "no memory". The state is to be freed in any
 * case. */
const char *warm_state_unpack(struct warm_state *state, struct column_bytes *payload);

bool warm_pages_pack(const uint64_t *pages, size_t count, struct column_packer *packer, struct column *payload);
/* Appends to `pages`. */
const char *warm_pages_unpack(struct warm_numbers *pages, struct column_bytes *payload);

#endif
