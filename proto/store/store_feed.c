/* A ring of blocks for each part, under one lock that is held for a moment only. Blocks [taken, made) are full; the one
 * before `taken` is being read. Buffers go round: a put exchanges the full one for one that was read. A thread that
 * waits for room is woken when the queue is half empty, so that threads change seldom. */
#include "proto/store/store_run.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 4 };

struct queue {
    struct store_feed_block blocks[BLOCKS];
    uint64_t taken, made;
    bool is_made;                    /* a thread is in `make` */
    unsigned preparing;              /* threads in `prepare` */
    bool has_ended, has_failed;
    struct fault error;        /* if failed */
};

struct store_feed {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t changes;
    bool has_begun, is_left, stops;
    struct queue queues[STORE_PARTS];
    struct store_feed_maker maker;
};

struct store_feed *store_feed_new(const struct store_feed_maker *maker)
{
    struct store_feed *const feed = calloc(1, sizeof *feed);

    if (feed == NULL)
        return NULL;
    feed->maker = *maker;
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->changed, NULL);
    return feed;
}

void store_feed_free(struct store_feed *feed)
{
    if (feed == NULL)
        return;
    for (int part = 0; part < STORE_PARTS; part++)
        for (int i = 0; i < BLOCKS; i++)
            column_free(&feed->queues[part].blocks[i].chunk);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->lock);
    free(feed);
}

/* --- work; the lock is held where nothing else is said ------------------------------------------------------------ */

static void tell(struct store_feed *feed)
{
    feed->changes++;
    pthread_cond_broadcast(&feed->changed);
}

static uint64_t waiting(const struct queue *queue)
{
    return queue->made - queue->taken;
}

/* The reader keeps the block that it took last. */
static bool may_be_made(const struct store_feed *feed, enum store_part part)
{
    struct queue const *const queue = &feed->queues[part];

    return !queue->is_made && !queue->has_ended && !feed->stops && (feed->is_left || waiting(queue) < BLOCKS - 1);
}

static void store_feed_make(struct store_feed *feed, enum store_part part)
{
    feed->queues[part].is_made = true;
    pthread_mutex_unlock(&feed->lock);
    feed->maker.make(feed->maker.owner, part);
    pthread_mutex_lock(&feed->lock);
    feed->queues[part].is_made = false;
    tell(feed);
}

/* A block of fetches lasts longer than one of records, so it is made by the reader that needs it, and one block in
 * advance is enough as long as there are few records. */
static bool make_any(struct store_feed *feed)
{
    bool const dep_may = may_be_made(feed, STORE_DEP), fetch_may = may_be_made(feed, STORE_FETCH);
    bool const dep_first = waiting(&feed->queues[STORE_DEP]) == 0 || waiting(&feed->queues[STORE_FETCH]) > 0;

    if (!dep_may && !fetch_may)
        return false;
    store_feed_make(feed, !fetch_may || (dep_may && dep_first) ? STORE_DEP : STORE_FETCH);
    return true;
}

static bool store_feed_prepare(struct store_feed *feed, enum store_part part)
{
    struct queue *const queue = &feed->queues[part];
    bool done;

    if (!queue->is_made || feed->stops)
        return false;
    queue->preparing++;
    pthread_mutex_unlock(&feed->lock);
    done = feed->maker.prepare(feed->maker.owner, part);
    pthread_mutex_lock(&feed->lock);
    if (--queue->preparing == 0 && queue->has_ended)
        tell(feed);
    return done;
}

/* Does work towards the next block, preferably one of `wanted`; without work waits for a change. */
static void prepare_or_wait(struct store_feed *feed, enum store_part wanted)
{
    uint64_t const changes = feed->changes;

    if (store_feed_prepare(feed, wanted) || make_any(feed) || store_feed_prepare(feed, STORE_DEP)
        || store_feed_prepare(feed, STORE_FETCH)) return;
    while (feed->changes == changes)
        pthread_cond_wait(&feed->changed, &feed->lock);
}

static bool is_idle(const struct queue *queue)
{
    return !queue->is_made && queue->preparing == 0;
}

/* Whether no thread makes blocks any more, as all parts have ended or are about to. */
static bool is_over(const struct store_feed *feed)
{
    struct queue const *const dep = &feed->queues[STORE_DEP], *const fetch = &feed->queues[STORE_FETCH];

    return is_idle(dep) && is_idle(fetch) && (feed->stops || (dep->has_ended && fetch->has_ended));
}

void store_feed_begin(struct store_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->has_begun = true;
    tell(feed);
    pthread_mutex_unlock(&feed->lock);
}

void store_feed_work(struct store_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->has_begun && !feed->stops)
        pthread_cond_wait(&feed->changed, &feed->lock);
    while (!is_over(feed))
        if (!make_any(feed))
            prepare_or_wait(feed, STORE_DEP);
    pthread_mutex_unlock(&feed->lock);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

bool store_feed_put(struct store_feed *feed, enum store_part part, struct store_columns *columns,
                    const struct store_index *index, double position)
{
    struct queue *const queue = &feed->queues[part];
    bool is_wanted, stops;

    pthread_mutex_lock(&feed->lock);
    stops = feed->stops;
    is_wanted = !feed->is_left && !stops;
    if (is_wanted) {
        struct store_feed_block *const block = &queue->blocks[queue->made++ % BLOCKS];
        struct store_feed_block const read = *block;

        *block = (struct store_feed_block){columns->chunk, *index, position};
        columns->chunk = read.chunk;
        tell(feed);
    }
    pthread_mutex_unlock(&feed->lock);
    return !stops;
}

void store_feed_end(struct store_feed *feed, enum store_part part, const struct fault *error)
{
    struct queue *const queue = &feed->queues[part];

    pthread_mutex_lock(&feed->lock);
    queue->has_ended = true;
    queue->has_failed = error != NULL;
    if (error != NULL)
        queue->error = *error;
    tell(feed);
    pthread_mutex_unlock(&feed->lock);
}

const struct store_feed_block *store_feed_take(struct store_feed *feed, enum store_part part, bool *failed,
                                               struct fault *error)
{
    struct queue *const queue = &feed->queues[part];
    const struct store_feed_block *block = NULL;

    *failed = false;
    pthread_mutex_lock(&feed->lock);
    while (waiting(queue) == 0 && !queue->has_ended && !feed->stops) {
        if (may_be_made(feed, part))
            store_feed_make(feed, part);
        else
            prepare_or_wait(feed, part);
    }
    if (waiting(queue) > 0) {
        block = &queue->blocks[queue->taken++ % BLOCKS];
        if (waiting(queue) <= BLOCKS / 2)
            tell(feed);
    } else if (queue->has_failed) {
        *failed = true;
        *error = queue->error;
    }
    pthread_mutex_unlock(&feed->lock);
    return block;
}

static void store_feed_end_part(struct store_feed *feed, bool stops)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_left = true;
    feed->stops = feed->stops || stops;
    tell(feed);
    pthread_mutex_unlock(&feed->lock);
}

void store_feed_leave(struct store_feed *feed)
{
    store_feed_end_part(feed, false);
}

void store_feed_stop(struct store_feed *feed)
{
    store_feed_end_part(feed, true);
}
