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

enum { WINDOW_SHAPE_EDGES = 9, WINDOW_KEPT = 256, WINDOW_STACK = 1024 };

/* What records of one shape have in common. */
struct window_kind {
    uint32_t shape;                      /* window_feed_shape */
    int32_t pc_number;
    uint32_t weight, gap;                /* gap: numbers before it that nothing stands for */
    uint8_t type;                        /* enum dep_type */
    /* of a record, at first false */
    bool has_child, has_strays, has_uop;
    uint32_t producers;                  /* of a record: the low halves of the numbers of two producers' pcs */
};

/* Of records to which the source gives one shape, as long as it keeps that. */
struct window_shape {
    const struct store_shape *shape;     /* the source's; NULL: for one record */
    struct window_kind kind;
    uint64_t delay;
    uint64_t used;                       /* place of the latest record of it, plus 1; 0: it is free */
    uint8_t edge_count;                  /* how many records back its dependences are: those on what is done first, */
    uint8_t done_count, parent_count;    /* and of these register producers; behind them, on what only executed */
    bool has_producers;                  /* the file names some, found or not */
    bool is_prefetch;                    /* a load that nobody waits for */
    bool may_compare;                    /* `producers` of its records tell all about their producers */
    bool is_known, is_alike;             /* for learn.c */
    uint32_t compared[2];                /* edges of `producers`; 0: there is none, its own pc in place of one */
    uint32_t edges[WINDOW_SHAPE_EDGES];
    uint32_t producers, given, given_alike;      /* for learn.c */
    uint32_t size_bytes;
    uint64_t pc;
};

/* A line of the host's cache. */
struct window_record {
    uint64_t place;                      /* in the file, from 0 */
    uint64_t seq, address;
    uint64_t start, done;                /* in the capture's time (3.1) */
    struct window_kind kind;
};

/* Of a record, what is seldom asked for. */
struct window_notes {
    uint64_t strays;                     /* if has_strays: place of the first load squashed before it, plus 1; of such
                                          * a load: of the next one */
    uint64_t uop;                        /* if has_uop: number of the micro-op made of it */
};

struct window_feed {
    const struct record_source *source;
    struct window_pcs *pcs;
    struct fault fault;
    struct record_batch batch;
    size_t used;                         /* of the batch */
    struct window_record *ring;
    struct window_notes *notes;          /* likewise */
    uint64_t *places;                    /* by low bits of the sequence number: place of that record; NULL: the source
                                          * tells distances */
    struct window_shape *shapes;
    uint32_t *shape_slots;               /* numbers of those seen last, by the source's address */
    uint32_t shape_count, next_shape;
    bool has_slots;                      /* some are not 0, which stands for none */
    /* A shape goes, of which records were given; NULL: nobody counts them. */
    void (*retire)(struct window_pcs *pcs, struct window_shape *shape);
    uint64_t mask, seq_mask, ahead, window;
    uint64_t read;                       /* records read so far */
    uint64_t judged;                     /* of them, looked at for squashed loads */
    uint32_t stack[WINDOW_STACK];        /* where in the ring those judged and kept are; a ring, too */
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
/* Reads on. False: nothing is kept. */
bool window_feed_more(struct window_feed *feed);

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

static inline struct window_shape *window_feed_shape(const struct window_feed *feed,
                                                     const struct window_record *record)
{
    return &feed->shapes[record->kind.shape];
}

static inline struct window_notes *window_feed_notes(const struct window_feed *feed,
                                                     const struct window_record *record)
{
    return &feed->notes[record->place & feed->mask];
}

/* As notes say; 0: there are none. */
static inline uint64_t window_feed_strays(const struct window_feed *feed, const struct window_record *record)
{
    return record->kind.has_strays ? window_feed_notes(feed, record)->strays : 0;
}

/* The i-th register producer; NULL: likewise. */
static inline struct window_record *window_feed_parent(const struct window_feed *feed,
                                                       const struct window_record *record, unsigned i)
{
    return window_feed_at(feed, record->place - window_feed_shape(feed, record)->edges[i]);
}

/* The i-th of those kept and not yet given; NULL: there are not so many. */
static inline const struct window_record *window_feed_kept(const struct window_feed *feed, uint64_t i)
{
    if (feed->stack_head + i >= feed->stack_tail)
        return NULL;
    return &feed->ring[feed->stack[(feed->stack_head + i) % WINDOW_STACK]];
}

static inline struct window_record *window_feed_next(struct window_feed *feed)
{
    if (feed->stack_tail - feed->stack_head < WINDOW_KEPT && !window_feed_more(feed))
        return NULL;
    return &feed->ring[feed->stack[feed->stack_head++ % WINDOW_STACK]];
}

#endif
