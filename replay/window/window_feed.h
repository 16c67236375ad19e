/* Records of an elastic trace, in file order, with properties derived from the surrounding records: producers as
 * places in the file, whether the record has dependents (elastic-truth 3.1), whether it is a squashed load (5, 1).
 *
 * Use: window_feed_open on a source; window_feed_next until it gives NULL: then `fault` says if the trace is at its
 * end. A returned record stays valid as long as later ones may name it. Ownership: borrows the source. Units:
 * ticks. */
#ifndef REPLAY_WINDOW_WINDOW_FEED_H
#define REPLAY_WINDOW_WINDOW_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/elastic/trace_source.h"
#include "replay/window/pcs.h"
#include "replay/window/timeline.h"

enum { WINDOW_SHAPE_EDGES = 9 };

/* The common part of the records of one shape. */
struct window_kind {
    uint32_t shape;                      /* window_feed_shape */
    int32_t pc_number;
    uint32_t weight, gap;                /* gap: unused numbers before it */
    uint8_t type;                        /* enum dep_type; DEP_INVALID: it was squashed */
    bool has_producers;                  /* register producers in the file, found or not */
    /* of a record, at first false */
    bool has_child, has_reader, has_strays, has_uop;     /* has_reader: its result is read */
    uint32_t producers;                  /* of a record: of the last two edges of done_count the low halves of the
                                          * numbers of their pcs */
};

/* Of records to which the source gives one shape, as long as it keeps that. */
struct window_shape {                    /* two lines of the host's cache, the second one for its edges */
    _Alignas(128) const struct store_shape *shape;       /* the source's; NULL: for one record */
    struct window_kind kind;
    uint64_t delay;
    uint64_t used;                       /* place of the latest record of it, plus 1; 0: it is free */
    /* distances of its dependences in records: those on completion, the last of them register producers; then those
     * on execution alone */
    uint8_t edge_count, done_count, parent_count;
    bool is_prefetch;                    /* a load whose response nothing waits for */
    bool may_compare;                    /* `producers` of its records tell all about their producers */
    bool is_known, is_alike;             /* for learn.c: `producers` is; agrees with the pc's sources */
    uint32_t producers, given, alike, counted;   /* for learn.c; given: records */
    uint32_t far;                        /* likewise; of those given, the ones far from wrong paths */
    uint32_t edges[WINDOW_SHAPE_EDGES];
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

/* Rarely used fields of a record. */
struct window_notes {
    uint64_t strays;                     /* if has_strays: loads squashed between it and the record before */
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
    uint64_t *places;                    /* by low bits of the sequence number: the record's place; NULL: distances */
    struct window_shape *shapes;
    uint32_t *shape_slots;               /* numbers of those seen last, by the source's address */
    uint32_t shape_count, next_shape;
    uint32_t shapes_made;                /* those behind hold nothing yet */
    bool has_slots;                      /* some are not 0 (none) */
    /* Called when a shape is dropped that returned records used; NULL: not needed. */
    void (*retire)(const struct window_feed *feed, struct window_shape *shape);
    uint64_t mask, seq_mask, ahead, window;
    uint64_t read;                       /* records read so far */
    uint64_t given;                      /* of them, given or squashed */
    uint64_t settled;                    /* of those before it is known which are squashed */
    uint64_t timeline[RULE_CACHE_SETS][2];
    uint64_t squashed;                   /* loads taken off */
    uint64_t period;                     /* ticks of a cycle of the capture: all delays are multiples */
    bool has_whole_delays;               /* those of the batch are, too, it is known */
    bool is_at_end;
    bool has_times;                      /* start and done of records are filled in; set by window_feed_open */
};

/* False: out of memory, as `fault` says. */
bool window_feed_open(struct window_feed *feed, const struct record_source *source, struct window_pcs *pcs);
void window_feed_close(struct window_feed *feed);
/* Reads ahead until it is known whether the next record is squashed. False: no next record. */
bool window_feed_more(struct window_feed *feed);
/* 5, 1, where the next record may be squashed. */
void window_feed_settle(struct window_feed *feed, uint64_t place);
/* The i-th record not yet returned; NULL: past the end, or not read yet. */
const struct window_record *window_feed_ahead(struct window_feed *feed, unsigned i);

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

/* Loads squashed just before a record, which have the places before its own; 0: none. */
static inline uint64_t window_feed_strays(const struct window_feed *feed, const struct window_record *record)
{
    return record->kind.has_strays ? window_feed_notes(feed, record)->strays : 0;
}

/* The i-th register producer; NULL: likewise. */
static inline struct window_record *window_feed_parent(const struct window_feed *feed,
                                                       const struct window_record *record, unsigned i)
{
    const struct window_shape *const shape = window_feed_shape(feed, record);

    return window_feed_at(feed, record->place - shape->edges[shape->done_count - shape->parent_count + i]);
}

/* A load without register producers and without dependents: it may be of a wrong path. */
static inline bool window_is_loose(const struct window_record *record)
{
    return record->kind.type == DEP_LOAD && !record->kind.has_child && !record->kind.has_producers;
}

static inline struct window_record *window_feed_next(struct window_feed *feed)
{
    struct window_record *record;

    do {
        if (feed->given + feed->ahead >= feed->read && !window_feed_more(feed))
            return NULL;
        record = &feed->ring[feed->given & feed->mask];
        if (feed->given >= feed->settled && window_is_loose(record))
            window_feed_settle(feed, feed->given);
        feed->given++;
    } while (record->kind.type == DEP_INVALID);
    return record;
}

#endif
