/* Which micro-ops produce what a micro-op waits for (elastic-truth 3.7, docs/window.md). Each one that has a result
 * writes a register of its own: its number modulo a power of two that no dependence reaches over.
 *
 * Use: window_sources_begin; for each micro-op one of the two that fill its sources, then window_sources_note. */
#ifndef REPLAY_WINDOW_SOURCES_H
#define REPLAY_WINDOW_SOURCES_H

#include "replay/detailed/uops/supply.h"
#include "replay/window/stream.h"

/* Where the sources of a hidden micro-op are from, the surest first. */
enum source_kind {
    SOURCE_RESOLVER,                     /* fits the time of its mispredictions */
    SOURCE_LEARNT,                       /* those of a recorded instance */
    SOURCE_GUESSED,
    SOURCE_NONE
};

struct window_sources {
    const struct window_feed *feed;
    uint64_t registers;                  /* a power of two */
    bool writes[RULE_GUESS_REACH];       /* of the latest micro-ops, by number */
};

void window_sources_begin(struct window_sources *sources, const struct window_feed *feed, uint64_t registers);
void window_sources_of_record(const struct window_sources *sources, struct uop *uop,
                              const struct window_record *record, uint64_t number);
enum source_kind window_sources_of_hidden(const struct window_sources *sources, struct uop *uop,
                                          const struct window_op *op, uint64_t number);
void window_sources_note(struct window_sources *sources, bool writes, uint64_t number);

#endif
