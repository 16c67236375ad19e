/* The micro-ops of an elastic trace for a detailed core, rebuilt from its records (docs/spec/elastic-truth.md part 3).
 *
 * Use: window_open with two sources of the same records, which it reads one after the other; window_supply for the core;
 * window_counts after the run; window_close. Ownership: sources and their readers are the caller's. */
#ifndef REPLAY_WINDOW_WINDOW_H
#define REPLAY_WINDOW_WINDOW_H

#include "base/fault.h"
#include "replay/core/trace_source.h"
#include "replay/supply/supply.h"

/* What was taken from records, and what was guessed. field, name, help */
#define WINDOW_COUNTS(C)                                                                                              \
    C(records, "records", "records of the right path")                                                                \
    C(hidden, "hidden", "micro-ops that left only their weight")                                                      \
    C(squashed_loads, "squashedLoads", "loads of wrong paths, left out")                                              \
    C(mispredicted, "mispredicted", "mispredictions found at execution")                                              \
    C(redirected, "redirected", "mispredictions corrected by decode")                                                 \
    C(unplaced, "unplaced", "wrong paths behind no branch, left out")                                                 \
    C(taken, "taken", "jumps")                                                                                        \
    C(childless_sources, "sources.childless", "hidden ones whose source nobody else can have used")                   \
    C(resolved_sources, "sources.resolved", "hidden ones whose source fits the time of their mispredictions")          \
    C(learnt_sources, "sources.learnt", "hidden ones with the sources of a recorded instance")                        \
    C(guessed_sources, "sources.guessed", "mispredicted ones with guessed sources")                                   \
    C(serialising, "serialising", "micro-ops that wait for all before them")

#define WINDOW_COUNT_FIELD(field, name, help) uint64_t field;
struct window_counts { WINDOW_COUNTS(WINDOW_COUNT_FIELD) };

struct window_setup {
    struct record_source learnt_from, records;
    uint64_t text_offset;                /* virtual minus physical address of code */
    uint64_t address_offset;             /* added to physical addresses */
};

struct window;

/* NULL on failure. */
struct window *window_open(const struct window_setup *setup, struct fault *fault);
void window_close(struct window *window);
struct supply *window_supply(struct window *window);
struct window_counts window_counts(const struct window *window);

#endif
