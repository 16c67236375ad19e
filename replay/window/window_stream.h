/* The micro-ops of a trace, in program order: recorded ones, and filtered ones of which only the weight is left
 * (elastic-truth 3.4); and those after which a wrong path was fetched (3.5; 5, 1).
 *
 * Use: window_stream_open; window_stream_next until it gives NULL: then the feed's fault says if it is the end. */
#ifndef REPLAY_WINDOW_WINDOW_STREAM_H
#define REPLAY_WINDOW_WINDOW_STREAM_H

#include "replay/window/window_feed.h"

struct window_op {
    struct window_record *record;        /* NULL: hidden */
    uint64_t pc, next_pc;
    int32_t pc_number;
    uint32_t gap;                        /* numbers missing behind it, of a wrong path; 0: none */
    /* with a gap: */
    uint64_t resumed;                    /* when the right path first had a result again */
    uint64_t strays;                     /* place of the first squashed load of the wrong path ... */
    uint32_t stray_count;                /* ... and how many there are */
    bool has_executed;                   /* squashed loads say so */
    bool is_alone;                       /* no other was filtered between the same records */
    bool is_hidden, is_last;
    bool is_barrier;                     /* hidden: a fence */
    uint8_t hold_cyc;                    /* it serialises, for so long; 0: it does not */
    bool is_held;                        /* a record that a filtered op before it holds up */
    bool is_open;                        /* a record: a jump lies among several hidden ones before it, nothing tells
                                          * behind which of them */
    bool is_unsure;                      /* with a gap: jumps that are hidden, too, leave its place open */
};

/* A wrong path behind a hidden op. */
struct window_mark {
    uint32_t left;                       /* value of hidden_left for that op */
    uint32_t gap, stray_count;
    uint64_t strays;
    bool has_executed;
};

/* Wrong paths between two records, at most; further ones have no place. */
enum { WINDOW_MARKS = 8 };

enum { WINDOW_OPS = 32 };                /* a power of two, more than RULE_RESOLVE_REACH */
_Static_assert(WINDOW_OPS > RULE_RESOLVE_REACH + 1, "what a branch waits for is there");

enum { WINDOW_NEAR = 8 };                /* hidden ops between two records, at most, that are placed by others */

struct window_stream {
    struct window_feed *feed;
    struct window_op ops[WINDOW_OPS];    /* the latest; the last one's successor is not known yet */
    uint64_t op_count;
    struct window_record *record;        /* the next one recorded; NULL: not asked for yet */
    uint64_t pc;                         /* its */
    uint32_t hidden_left;                /* to come before it */
    uint64_t resumed;
    bool is_learnt;                      /* the learnt properties of pcs are complete */
    struct window_mark marks[WINDOW_MARKS];
    uint32_t mark_count;
    uint32_t hidden_count;               /* between the records */
    uint8_t step;                        /* size of hidden ones; 0: not known */
    bool is_near;                        /* the record is as far behind the op before as they reach */
    uint32_t near_count;                 /* of these, the last ones, that lie before the record, behind a jump ... */
    bool is_open;                        /* a jump lies among several, and no place of theirs is known */
    uint64_t near_pcs[WINDOW_NEAR];      /* ... and where, the last one first */
    bool stays;                          /* they belong to one instruction, with the record behind them */
    uint32_t same_count;                 /* of these, the first ones, that belong to the instruction before */
    bool is_held;                        /* the first of them holds up the record and all behind it */
    uint64_t lost_gaps;                  /* mispredictions that have no place */
};

void window_stream_open(struct window_stream *stream, struct window_feed *feed);
/* window_stream_next in all cases. record: the next one, if it was taken from the feed already; else NULL. */
const struct window_op *window_stream_any(struct window_stream *stream, struct window_record *record);

/* Is its successor not the next instruction in memory? An instruction of several micro-ops has several at one pc. */
static inline bool window_op_is_taken(const struct window_pcs *pcs, const struct window_op *op)
{
    uint64_t const step = op->next_pc - op->pc;

    return window_is_taken_step(pcs, op->pc_number, step);
}

/* The op `count` before the next one; that many must exist. */
static inline struct window_op *window_stream_back(struct window_stream *stream, uint64_t count)
{
    return &stream->ops[(stream->op_count - count) % WINDOW_OPS];
}

/* Nothing is hidden before it, and no wrong path ended there. */
static inline bool window_stream_is_plain(const struct window_record *record)
{
    return record->kind.weight == 0 && record->kind.gap < RULE_GAP && !record->kind.has_strays;
}

/* A plain record comes next. */
static inline void window_stream_put(struct window_stream *stream, struct window_record *record, uint64_t pc)
{
    struct window_op *const op = window_stream_back(stream, 0);

    op->pc = pc;
    op->pc_number = record->kind.pc_number;
    op->record = record;
    op->gap = 0;
    op->is_hidden = op->is_last = op->is_alone = op->is_held = op->is_open = false;
    op->hold_cyc = 0;
    stream->op_count++;
}

/* Valid until the next call. Mostly another record follows, and nothing is missing between them. */
static inline const struct window_op *window_stream_next(struct window_stream *stream)
{
    struct window_op *const op = window_stream_back(stream, 1), *const next = window_stream_back(stream, 0);
    struct window_record *record;
    uint64_t step;

    if (stream->record || stream->op_count == 0)
        return window_stream_any(stream, NULL);
    record = window_feed_next(stream->feed);
    if (!record || !window_stream_is_plain(record))
        return window_stream_any(stream, record);
    window_stream_put(stream, record, window_pc_at(stream->feed->pcs, record->kind.pc_number)->pc);
    op->next_pc = next->pc;
    step = next->pc - op->pc;
    if (step != window_pc_at(stream->feed->pcs, op->pc_number)->size_bytes)
        window_learn_size(stream->feed->pcs, op->pc_number, step);
    return op;
}

#endif
