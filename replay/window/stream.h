/* The micro-ops of a trace, in program order: what was recorded, and what was filtered and left only its weight
 * (elastic-truth 3.4); and behind which of them a wrong path was fetched (3.5).
 *
 * Use: window_stream_open; window_stream_next until it gives NULL: then the feed's fault says if it is the end. */
#ifndef REPLAY_WINDOW_STREAM_H
#define REPLAY_WINDOW_STREAM_H

#include "replay/window/feed.h"

struct window_op {
    struct window_record *record;        /* NULL: hidden */
    uint64_t pc, next_pc;
    int32_t pc_number;
    uint32_t gap;                        /* numbers missing behind it, of a wrong path; 0: none */
    uint64_t resumed;                    /* with a gap: when the right path first had a result again ... */
    uint64_t strays, last_seq;           /* ... loads of the wrong path (feed.h), and the number before it */
    bool is_hidden, is_last;
    bool is_alone;                       /* with a gap: no other was filtered between the same records */
};

struct window_stream {
    struct window_feed *feed;
    struct window_op ops[2];             /* in turns: the one whose successor is not known yet, and that */
    struct window_op *pending;           /* NULL: there was none yet */
    struct window_record *record;        /* the next one recorded; NULL: not asked for yet */
    uint64_t pc;                         /* its */
    uint32_t hidden_left;                /* to come before it */
    uint64_t resumed;
    uint32_t second_gap_at;              /* likewise, if two were mispredicted; 0: one was */
    bool is_learnt;                      /* what is learnt of pcs is all there */
    uint32_t gap, gap_at;                /* behind the hidden op that has so many left, itself included */
    uint8_t step;                        /* size of hidden ones; 0: not known */
    bool stays;                          /* they belong to one instruction, with the record behind them */
    uint64_t lost_gaps;                  /* mispredictions that have no place */
};

void window_stream_open(struct window_stream *stream, struct window_feed *feed);
/* window_stream_next in all cases. record: the next one, if it was taken from the feed already; else NULL. */
const struct window_op *window_stream_any(struct window_stream *stream, struct window_record *record);

/* Does the path go on elsewhere behind it? An instruction of several micro-ops has several at one pc. */
static inline bool window_op_is_taken(const struct window_pcs *pcs, const struct window_op *op)
{
    uint64_t const step = op->next_pc - op->pc;

    return step != 0 && !window_is_size(pcs, step);
}

static inline struct window_op *window_stream_other(struct window_stream *stream)
{
    return stream->pending == &stream->ops[0] ? &stream->ops[1] : &stream->ops[0];
}

/* Valid until the next call. Mostly another record follows, and nothing is missing between them. */
static inline const struct window_op *window_stream_next(struct window_stream *stream)
{
    struct window_op *const op = stream->pending, *const next = window_stream_other(stream);
    struct window_record *record;

    if (!op || stream->record)
        return window_stream_any(stream, NULL);
    record = window_feed_next(stream->feed);
    if (!record || record->kind.weight > 0 || record->kind.gap >= RULE_GAP)
        return window_stream_any(stream, record);
    next->pc = window_pc_at(stream->feed->pcs, record->kind.pc_number)->pc;
    next->pc_number = record->kind.pc_number;
    next->record = record;
    next->gap = 0;
    next->is_hidden = next->is_last = next->is_alone = false;
    window_learn_size(stream->feed->pcs, op->pc_number, next->pc - op->pc);
    op->next_pc = next->pc;
    stream->pending = next;
    return op;
}

#endif
