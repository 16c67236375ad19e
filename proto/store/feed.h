/* Blocks of a store on their way from where they are made to the one who replays them: a queue for each part, short, so
 * that memory stays bounded however long the trace is. Any idle thread makes blocks.
 *
 * Use: store_feed_new with what makes a block; a thread or several in store_feed_work, which wait for
 * store_feed_begin, as a thread takes its time to start; the reader calls store_feed_take
 * until it gives NULL, and makes blocks itself where it would have to wait. So two threads share all work evenly, and
 * even one alone gets everything. The maker calls store_feed_put for a block and store_feed_end after the last.
 * store_feed_leave: the reader takes nothing more, and all is made to the end. store_feed_stop: it ends soon.
 * One reader a part; parts are independent of each other, so the reader may take them in any turns.
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

/* Now blocks can be made; before, nobody may take any. */
void store_feed_begin(struct store_feed *feed);
/* Works, from the beginning on, until all parts have ended or it is stopped, and no other thread works either. */
void store_feed_work(struct store_feed *feed);

/* From `make`. Takes the block's bytes out of `columns`, which get another buffer. False: stop. */
bool store_feed_put(struct store_feed *feed, enum store_part part, struct store_columns *columns,
                    const struct store_index *index, double position);
/* From `make`, after the last block; with an error if the trace goes on, but wrongly. */
void store_feed_end(struct store_feed *feed, enum store_part part, const struct fault *error);

/* Works, or waits, until there is a block. NULL: the end, or *failed and the error is filled. */
const struct store_feed_block *store_feed_take(struct store_feed *feed, enum store_part part, bool *failed,
                                               struct fault *error);
void store_feed_leave(struct store_feed *feed);
void store_feed_stop(struct store_feed *feed);

#endif
