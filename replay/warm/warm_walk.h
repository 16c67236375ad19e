/* What caches, TLBs and branch predictors learn from a trace: lines, pages and outcomes of branches, in the order of
 * the program.
 *
 * Use: warm_walk_open; warm_walk_to for each place, ascending; warm_walk_close. A line is fetched once as long as fetch
 * stays in it. The outcome of a branch is the next instruction's pc; of the last one before a place it is not known
 * there: it is pending.
 * Units: places are counted as insn_cursor_skip does. Addresses are those of the trace. Errors: those of the trace. */
#ifndef REPLAY_WARM_WARM_WALK_H
#define REPLAY_WARM_WARM_WALK_H

#include "proto/insn/insn_trace.h"

enum { WARM_LINE_SHIFT = 6, WARM_LINE_BYTES = 1 << WARM_LINE_SHIFT, WARM_PAGE_SHIFT = 12 };

/* WARM_READ, WARM_WRITE, WARM_FETCH of memsys/warm/warm_caches.h; a plain number here. */
enum warm_use { WARM_USE_READ, WARM_USE_WRITE, WARM_USE_FETCH };

enum warm_branch_flag {
    WARM_BRANCH_CALL = 1, WARM_BRANCH_RETURN = 2, WARM_BRANCH_DIRECT = 4, WARM_BRANCH_CONDITIONAL = 8
};

struct warm_branch {
    uint64_t pc, next_pc;
    uint8_t size_bytes, flags;           /* enum warm_branch_flag */
};

/* What one side, data or fetch, used last. In its page a further use of a line that is there changes nothing; nor does
 * a read or a fetch of one that was written. */
enum { WARM_NEAR_LINES = 64 };
#define WARM_NO_PAGE UINT64_MAX

struct warm_near {
    uint64_t page;                       /* WARM_NO_PAGE: none */
    uint64_t page_mask;                  /* all bits; 0: pages do not matter, and all are 0 */
    uint64_t lines[WARM_NEAR_LINES];     /* of those with these low bits the last, twice, + 1 if written */
};

static inline bool warm_near_has(const struct warm_near *near, enum warm_use use, uint64_t line)
{
    uint64_t const last = near->lines[line % WARM_NEAR_LINES];

    return last == (line << 1 | 1) || (last == line << 1 && use != WARM_USE_WRITE);
}

static inline uint64_t warm_near_page(const struct warm_near *near, uint64_t line)
{
    return line >> (WARM_PAGE_SHIFT - WARM_LINE_SHIFT) & near->page_mask;
}

static inline bool warm_near_skips(const struct warm_near *near, enum warm_use use, uint64_t line)
{
    return warm_near_page(near, line) == near->page && warm_near_has(near, use, line);
}

/* Functions may not be NULL. False: no memory, the walk ends. pc: of the instruction that uses the line; 0: unknown. */
struct warm_sink {
    bool (*use)(void *context, enum warm_use use, uint64_t line, uint64_t pc);
    bool (*branch)(void *context, const struct warm_branch *branch);
    void *context;
    const struct warm_near *near[2];     /* of data and fetch: uses that may be left out. NULL: none may */
};

struct warm_walk;
struct warm_walk_way;

/* `from`: where it begins. sink: copied. way: how it goes on, where it can; NULL: instruction by instruction. NULL:
 * FAULT. */
struct warm_walk *warm_walk_open(const struct insn_trace *trace, uint64_t from, const struct warm_sink *sink,
                                 const struct warm_walk_way *way, struct fault *fault);
/* Called now and then with the place; true: stop, which is no fault. */
typedef bool warm_walk_progress(void *context, uint64_t place);
/* progress: may be NULL. FAULT_INPUT where the trace ends before. */
struct fault warm_walk_to(struct warm_walk *walk, uint64_t place, warm_walk_progress *progress, void *context);
/* A line that fetch stays in is fetched again. */
void warm_walk_leave_line(struct warm_walk *walk);
/* The branch whose outcome is the next instruction; of 0 bytes: none. A walk that goes on from a place takes it. */
struct warm_branch warm_walk_pending(const struct warm_walk *walk);
void warm_walk_set_pending(struct warm_walk *walk, const struct warm_branch *pending);
uint64_t warm_walk_place(const struct warm_walk *walk);
void warm_walk_close(struct warm_walk *walk);

#endif
