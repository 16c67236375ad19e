/* A run: records of a store's cursor that were found sound, but are not decoded. A replay decodes each at its place in
 * the graph, so that no record is written twice.
 *
 * Use: store_records_run; store_run_shape, store_run_address and store_run_pass for each of the `count` remaining
 * records, on a local copy of the run, so that the compiler may keep it in registers, which is then written back;
 * store_run_is_sound at last.
 * Ownership: the cursor's. */
#ifndef PROTO_STORE_STORE_RUN_H
#define PROTO_STORE_STORE_RUN_H

#include "base/bits.h"
#include "proto/store/store.h"
#include "proto/store/store_columns.h"

struct store_run {
    const uint64_t *shapes;          /* in units of 8 bytes */
    const uint16_t *place;           /* of the next record's shape, in units */
    uint64_t *slots;                 /* last addresses */
    const uint8_t *length, *bytes;   /* of the next address */
    const uint8_t *first_length, *lengths_end;       /* of the run; behind the last one zeros may follow */
    uint64_t seq_num, seq_before;    /* of the record before the next one, and before the run */
    uint32_t count;                  /* records left */
};

static inline const struct store_shape *store_run_shape(const struct store_run *run)
{
    return (const struct store_shape *)(const void *)(run->shapes + *run->place);
}

/* The address of the next record, which is an access. */
static inline uint64_t store_run_address(struct store_run *run, const struct store_shape *shape)
{
    static const uint64_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff,
                                     0xffffffffffffff, UINT64_MAX};
    unsigned const bytes = *run->length++;
    uint64_t const code = bits_load64(run->bytes) & masks[bytes];

    run->bytes += bytes;
    return run->slots[shape->address_slot] += bits_unzigzag(code);
}

/* The next record's shape and number are passed; the address of an access must have been requested before. The caller
 * counts. */
static inline void store_run_pass(struct store_run *run, const struct store_shape *shape)
{
    run->place++;
    run->seq_num += shape->seq_delta;
}

/* False: the records are invalid, which the cursor reports at the next request. */
static inline bool store_run_is_sound(const struct store_run *run)
{
    return run->length <= run->lengths_end && run->seq_num >= run->seq_before;
}

/* Hands the blocks of a store from their maker to the replay: a short queue for each part, so that memory stays
 * bounded for any length of the trace. Any idle thread makes blocks.
 *
 * Use: store_feed_new with the maker of blocks; one or more threads in store_feed_work, which wait for
 * store_feed_begin, since starting a thread takes time; the reader calls store_feed_take until it returns NULL, and
 * makes blocks itself instead of waiting. So two threads share the work evenly, and a single one suffices. The maker
 * calls store_feed_put for a block and store_feed_end after the last. store_feed_leave: the reader takes no more
 * blocks, and the rest is still made. store_feed_stop: work ends soon. One reader a part; parts are independent of
 * each other, so the reader may take from them in any order.
 * Ownership: a block taken is the reader's until it takes the next one of that part. */

struct store_feed;

struct store_feed_block {
    struct column chunk;             /* STORE_SLACK more bytes are readable */
    struct store_index index;
    double position;                 /* part of the source that was read for it, 0 to 1 */
};

struct store_feed_maker {
    /* Puts the next block of a part, or ends the part; of one part, only one thread at a time. */
    void (*make)(void *owner, enum store_part part);
    /* While another thread is in `make` of this part: does preparatory work for it. False: no work. */
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
