/* The micro-ops of a trace, in program order: what was recorded, and what was filtered and left only its weight
 * (elastic-truth 3.4); and behind which of them a wrong path was fetched (3.5).
 *
 * Use: window_stream_open; window_stream_next until it is false: then the feed's fault says if it is the end. */
#ifndef REPLAY_WINDOW_STREAM_H
#define REPLAY_WINDOW_STREAM_H

#include "replay/window/feed.h"

struct window_op {
    struct window_record *record;        /* NULL: hidden */
    struct window_record *next_record;   /* of the op behind it; NULL: that is hidden, or there is none */
    uint64_t pc, next_pc;
    int32_t pc_number;
    uint32_t gap;                        /* numbers missing behind it, of a wrong path; 0: none */
    uint32_t hidden_left;                /* hidden ones behind it, before the next record */
    uint64_t resumed;                    /* with a gap: when the right path first had a result again ... */
    uint64_t strays, last_seq;           /* ... loads of the wrong path (feed.h), and the number before it */
    bool is_hidden, is_last;
    bool is_alone;                       /* with a gap: no other was filtered between the same records */
};

struct window_stream {
    struct window_feed *feed;
    struct window_op pending;            /* whose successor is not known yet */
    bool has_pending;
    struct window_record *record;        /* the next one recorded */
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
bool window_stream_next(struct window_stream *stream, struct window_op *op);

/* Does the path go on elsewhere behind it? An instruction of several micro-ops has several at one pc. */
static inline bool window_op_is_taken(const struct window_pcs *pcs, const struct window_op *op)
{
    uint64_t const step = op->next_pc - op->pc;

    return step != 0 && !window_is_size(pcs, step);
}

#endif
