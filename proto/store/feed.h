/* Hands the blocks of a store from their maker to the replay: a short queue for each part, so that memory stays
 * bounded whatever the length of the trace. Any idle thread makes blocks.
 *
 * Use: store_feed_new with the maker of blocks; one or more threads in store_feed_work, which wait for
 * store_feed_begin, since starting a thread takes time; the reader calls store_feed_take until it returns NULL, and
 * makes blocks itself instead of waiting. So two threads share the work evenly, and a single one suffices. The maker
 * calls store_feed_put for a block and store_feed_end after the last. store_feed_leave: the reader takes no more
 * blocks, and the rest is still made. store_feed_stop: work ends soon. One reader a part; parts are independent of
 * each other, so the reader may take from them in any order.
 * Ownership: a block taken is the reader's until it takes the next one of that part. */
#ifndef PROTO_STORE_FEED_H
#define PROTO_STORE_FEED_H

#include "proto/store/columns.h"

struct store_feed;

struct store_feed_block {
    uint8_t *bytes;                  /* STORE_SLACK more are readable */
    size_t room;
    struct store_index index;
    double position;                 /* part of the source that was read for it, 0 to 1 */
};

struct store_feed_maker {
    /* Puts the next block of a part, or ends the part; of one part, only one thread at a time. */
    void (*make)(void *owner, enum store_part part);
    /* While another thread is in `make` of this part: does in advance what that will need. False: there is nothing to
     * do. */
    bool (*prepare)(void *owner, enum store_part part);
    void *owner;
};

/* NULL: out of memory. */
struct store_feed *store_feed_new(const struct store_feed_maker *maker);
/* No other thread may use it any more. */
void store_feed_free(struct store_feed *feed);

/* Allows blocks to be made; store_feed_take must not be called before. */
void store_feed_begin(struct store_feed *feed);
/* Makes blocks, from store_feed_begin on, until all parts have ended or the feed is stopped, and no other thread is
 * making one. */
void store_feed_work(struct store_feed *feed);

/* From `make`. Takes the block's bytes out of `columns`, which get another buffer. False: stop. */
bool store_feed_put(struct store_feed *feed, enum store_part part, struct store_columns *columns,
                    const struct store_index *index, double position);
/* From `make`, after the last block; with an error if the rest of the trace is invalid. */
void store_feed_end(struct store_feed *feed, enum store_part part, const struct fault *error);

/* Works, or waits, until there is a block. NULL: the end, or *failed and the error is filled. */
const struct store_feed_block *store_feed_take(struct store_feed *feed, enum store_part part, bool *failed,
                                               struct fault *error);
void store_feed_leave(struct store_feed *feed);
void store_feed_stop(struct store_feed *feed);

#endif
