/* The micro-ops of an elastic trace for a detailed core, rebuilt from its records (docs/spec/elastic-truth.md part 3).
 *
 * Use: window_open with two sources of the same records, which it reads one after the other, or one and the tables
 * learnt from it before; window_supply for the core; window_counts after the run; window_close. window_count for the
 * counts alone, window_learn_from for the learnt tables alone.
 * Ownership: sources and their readers are the caller's. */
#ifndef REPLAY_WINDOW_WINDOW_H
#define REPLAY_WINDOW_WINDOW_H

#include "base/fault.h"
#include "base/text.h"
#include "replay/detailed/uops/supply.h"
#include "replay/elastic/trace_source.h"

/* Micro-ops taken from records, and guessed properties. field, name, help */
#define WINDOW_COUNTS(C)                                                                                              \
    C(records, "records", "micro-ops that were recorded")                                                             \
    C(hidden, "hidden", "micro-ops of which only the weight is left")                                                 \
    C(resolved_sources, "sources.resolved", "of these, those whose source fits the time of their mispredictions")     \
    C(unread_sources, "sources.unread", "those whose source is a result that no record reads")                        \
    C(learnt_sources, "sources.learnt", "those with the sources of a recorded instance")                              \
    C(guessed_sources, "sources.guessed", "mispredicted ones with guessed sources")                                   \
    C(no_sources, "sources.none", "those that wait for nothing")                                                      \
    C(taken, "taken", "micro-ops behind which the path goes on elsewhere")                                            \
    C(mispredicted, "mispredicted", "branches whose execution ended a wrong path")                                    \
    C(redirected, "redirected", "branches that decode corrected")                                                     \
    C(unplaced, "unplaced", "wrong paths that no branch was found for, left out")                                     \
    C(squashed_loads, "squashedLoads", "loads of wrong paths")                                                        \
    C(serialising, "serialising", "micro-ops that wait for all before them")                                          \
    C(system_calls, "systemCalls", "system calls, known by the numbers that are missing behind the op before them")

#define WINDOW_COUNT_FIELD(field, name, help) uint64_t field;
struct window_counts { WINDOW_COUNTS(WINDOW_COUNT_FIELD) };

enum { WINDOW_MEMORIES = 64 };

struct window_range { uint64_t base, end; };

struct captured_core;

struct window_setup {
    struct record_source records;
    struct record_source learnt_from;    /* the same; not read if there is: */
    const uint8_t *learnt;               /* tables from window_learn_from; NULL: to be learnt */
    size_t learnt_bytes;
    const struct captured_core *captured;        /* the core of the capture (captured_core.h); NULL: the reference's */
    struct text *learns;                 /* receives the learnt tables; NULL: not wanted */
    uint64_t text_offset;                /* virtual minus physical address of code */
    uint64_t address_offset;             /* added to physical addresses */
    const struct window_range *memories; /* where there is memory; others are faults */
    size_t memory_count;                 /* at most WINDOW_MEMORIES; 0: everywhere */
};

struct window;

/* Appended to `learnt`, for window_setup of the same records and captured core. */
struct fault window_learn_from(const struct record_source *records, const struct captured_core *captured,
                               struct text *learnt);
/* Identifies the rules of learning, which that core is a part of; data learnt by other rules is not used. */
uint64_t window_rules(const struct captured_core *captured);

/* NULL on failure. */
struct window *window_open(const struct window_setup *setup, struct fault *fault);
void window_close(struct window *window);
struct supply *window_supply(struct window *window);
struct window_counts window_counts(const struct window *window);
/* Of a whole trace, without a core. */
struct fault window_count(const struct window_setup *setup, struct window_counts *counts);

#endif
