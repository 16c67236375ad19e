/* Blocks of a store on their way from the threads that make them to the one that replays them: a queue for each part,
 * short, so that memory stays bounded however long the trace is.
 *
 * Use: store_feed_new; the maker of a part calls store_feed_put for each block, then store_feed_end; the reader calls
 * store_feed_take until it gives NULL. store_feed_leave: the reader takes nothing more, and no maker waits for it.
 * store_feed_stop: the makers shall end. One maker and one reader a part; parts are independent of each other, so the
 * reader may take them in any turns.
 * Ownership: a block taken is the reader's until it takes the next one of that part. */
#ifndef PROTO_STORE_FEED_H
#define PROTO_STORE_FEED_H

#include "proto/store_columns.h"

struct store_feed;

struct store_feed_block {
    uint8_t *bytes;                  /* STORE_SLACK more are readable */
    size_t room;
    struct store_index index;
    double position;                 /* part of the source that was read for it, 0 to 1 */
};

/* NULL: out of memory. */
struct store_feed *store_feed_new(void);
/* No other thread may use it any more. */
void store_feed_free(struct store_feed *feed);

/* Takes the block's bytes out of `columns`, which get another buffer. Waits while the queue is full. False: stop. */
bool store_feed_put(struct store_feed *feed, enum store_part part, struct store_columns *columns,
                    const struct store_index *index, double position);
/* After the last block; with an error if the trace goes on, but wrongly. */
void store_feed_end(struct store_feed *feed, enum store_part part, const struct proto_error *error);

/* Waits for a block. NULL: the end, or *failed and the error is filled. */
const struct store_feed_block *store_feed_take(struct store_feed *feed, enum store_part part, bool *failed,
                                               struct proto_error *error);
void store_feed_leave(struct store_feed *feed);
void store_feed_stop(struct store_feed *feed);

#endif
