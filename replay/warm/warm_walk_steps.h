/* Inside of warm_walk.h: the state of a walk, its steps, and what another way of going has to offer. */
#ifndef REPLAY_WARM_WARM_WALK_STEPS_H
#define REPLAY_WARM_WARM_WALK_STEPS_H

#include "replay/warm/warm_walk.h"

enum { WARM_PROGRESS_EVENTS = 1 << 20 };

struct static_branch { uint8_t is_known, size_bytes, flags; };

struct warm_walk {
    struct warm_sink sink;
    struct insn_cursor *cursor;
    struct insn_spans spans;
    enum isa isa;
    const char *path;
    uint64_t place, line;                /* line: fetched last */
    struct static_branch *statics;       /* by the number of a static instruction */
    size_t static_room;
    struct warm_branch pending;
    bool has_pending;
    const struct warm_walk_way *way;     /* NULL: instruction by instruction */
    void *own;                           /* the way's */
};

/* Behind each call of go_to all of the walk but `own` is as instruction by instruction; the sink has got the same, less
 * what it says may be left out. */
struct warm_walk_way {
    /* False: it cannot go through this trace, or has no memory. */
    bool (*open)(struct warm_walk *walk);
    /* learns: of what is passed; if not, it is left out. */
    struct fault (*go_to)(struct warm_walk *walk, uint64_t place, bool learns, warm_walk_progress *progress,
                          void *context);
    void (*close)(struct warm_walk *walk);
};

/* An instruction. False: no memory. */
bool warm_walk_take(struct warm_walk *walk, const struct insn_event *event);
/* All of it but where it goes. False: no memory. */
bool warm_walk_branch(struct warm_walk *walk, const struct insn_event *event, struct warm_branch *branch);
struct fault warm_walk_no_memory(const struct warm_walk *walk);
struct fault warm_walk_too_short(const struct warm_walk *walk, uint64_t place);

#endif
