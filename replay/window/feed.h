/* Records of an elastic trace, in file order, with what only the records around them tell: producers as places in the
 * file, whether anybody depends on them (elastic-truth 3.1), which of them were squashed loads (3.3).
 *
 * Use: window_feed_open on a source; window_feed_next until it gives NULL: then `fault` says if the trace is at its
 * end. What was given stays as long as records that are given later may name it. Ownership: borrows the source. Units:
 * ticks. */
#ifndef REPLAY_WINDOW_FEED_H
#define REPLAY_WINDOW_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/core/trace_source.h"
#include "replay/window/pcs.h"
#include "replay/window/timeline.h"

struct window_record {
    uint64_t place;                      /* in the file, from 0 */
    uint64_t seq, pc, address, delay;
    uint64_t start, done;                /* in the capture's time (3.1) */
    uint64_t strays;                     /* place of the first load squashed before it, plus 1; 0: none; of such a load:
                                          * of the next one */
    uint64_t uop;                        /* number of the micro-op made of it, plus 1; 0: none yet */
    uint32_t parents[RULE_SOURCES];      /* how many records back register producers stand */
    uint32_t size_bytes, weight, gap;    /* gap: numbers before it that nothing stands for */
    int32_t pc_number;
    uint8_t type;                        /* enum dep_type */
    uint8_t parent_count;
    bool has_producers;                  /* the file names some, found or not */
    bool has_child;
    bool is_prefetch;                    /* a load that nobody waits for */
};

struct window_feed {
    const struct record_source *source;
    struct window_pcs *pcs;
    struct fault fault;
    struct record_batch batch;
    size_t used;                         /* of the batch */
    struct window_record *ring;
    uint64_t *places;                    /* by low bits of the sequence number: place of that record; NULL: the source
                                          * tells distances */
    struct window_shape *shapes;         /* those seen last, by address */
    uint32_t epoch;                      /* of what `shapes` has; others are void */
    uint64_t mask, seq_mask, ahead, window;
    uint64_t read;                       /* records read so far */
    uint64_t judged;                     /* of them, looked at for squashed loads */
    uint64_t given;
    uint64_t *stack;                     /* places of those judged and kept, a ring */
    uint64_t stack_head, stack_tail;
    struct timeline timeline;
    uint64_t squashed;                   /* loads taken off */
    uint64_t period;                     /* ticks of a cycle of the capture: all delays are multiples */
    bool is_at_end;
    bool has_times;                      /* start and done of records are filled in; set by window_feed_open */
};

/* False: out of memory, as `fault` says. */
bool window_feed_open(struct window_feed *feed, const struct record_source *source, struct window_pcs *pcs);
void window_feed_close(struct window_feed *feed);
struct window_record *window_feed_next(struct window_feed *feed);

/* As far as it is known. */
static inline uint64_t window_feed_period(const struct window_feed *feed)
{
    return feed->period > 0 ? feed->period : 1;
}

/* NULL: it is not held any more. */
static inline struct window_record *window_feed_at(const struct window_feed *feed, uint64_t place)
{
    struct window_record *const record = &feed->ring[place & feed->mask];

    return record->place == place ? record : NULL;
}

/* The i-th register producer; NULL: likewise. */
static inline struct window_record *window_feed_parent(const struct window_feed *feed,
                                                       const struct window_record *record, unsigned i)
{
    return window_feed_at(feed, record->place - record->parents[i]);
}

#endif
