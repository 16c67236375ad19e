/* A ring of blocks for each part under a lock of its own. Blocks [taken, made) are full; the one before `taken` is
 * being read. Buffers go round: a put exchanges the full one for one that was read. A maker that waits is woken when
 * the queue is half empty, so that threads change seldom. */
#define _POSIX_C_SOURCE 200809L
#include "proto/store_feed.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 4 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct store_feed_block blocks[BLOCKS];
    uint64_t taken, made;
    bool has_ended, has_failed, is_left, stops;
    struct proto_error error;        /* if failed */
};

struct store_feed {
    struct queue queues[STORE_PARTS];
};

struct store_feed *store_feed_new(void)
{
    struct store_feed *const feed = calloc(1, sizeof *feed);

    for (int part = 0; feed != NULL && part < STORE_PARTS; part++) {
        pthread_mutex_init(&feed->queues[part].lock, NULL);
        pthread_cond_init(&feed->queues[part].changed, NULL);
    }
    return feed;
}

void store_feed_free(struct store_feed *feed)
{
    if (feed == NULL)
        return;
    for (int part = 0; part < STORE_PARTS; part++) {
        struct queue *const queue = &feed->queues[part];

        for (int i = 0; i < BLOCKS; i++)
            free(queue->blocks[i].bytes);
        pthread_cond_destroy(&queue->changed);
        pthread_mutex_destroy(&queue->lock);
    }
    free(feed);
}

static void unlock_and_wake(struct queue *queue, bool wakes)
{
    pthread_mutex_unlock(&queue->lock);
    if (wakes)
        pthread_cond_signal(&queue->changed);
}

bool store_feed_put(struct store_feed *feed, enum store_part part, struct store_columns *columns,
                    const struct store_index *index, double position)
{
    struct queue *const queue = &feed->queues[part];
    bool is_wanted, stops;

    pthread_mutex_lock(&queue->lock);
    /* The reader keeps the block that it took last. */
    while (queue->made - queue->taken >= BLOCKS - 1 && !queue->is_left && !queue->stops)
        pthread_cond_wait(&queue->changed, &queue->lock);
    is_wanted = !queue->is_left && !queue->stops;
    stops = queue->stops;
    pthread_mutex_unlock(&queue->lock);
    if (!is_wanted)
        return !stops;

    struct store_feed_block *const block = &queue->blocks[queue->made % BLOCKS];
    struct store_feed_block const read = *block;

    *block = (struct store_feed_block){columns->block, columns->block_room, *index, position};
    columns->block = read.bytes;
    columns->block_room = read.room;
    pthread_mutex_lock(&queue->lock);
    queue->made++;
    unlock_and_wake(queue, queue->made - queue->taken == 1);
    return true;
}

void store_feed_end(struct store_feed *feed, enum store_part part, const struct proto_error *error)
{
    struct queue *const queue = &feed->queues[part];

    pthread_mutex_lock(&queue->lock);
    queue->has_ended = true;
    queue->has_failed = error != NULL;
    if (error != NULL)
        queue->error = *error;
    unlock_and_wake(queue, true);
}

const struct store_feed_block *store_feed_take(struct store_feed *feed, enum store_part part, bool *failed,
                                               struct proto_error *error)
{
    struct queue *const queue = &feed->queues[part];
    struct store_feed_block const *block = NULL;

    *failed = false;
    pthread_mutex_lock(&queue->lock);
    while (queue->made == queue->taken && !queue->has_ended)
        pthread_cond_wait(&queue->changed, &queue->lock);
    if (queue->made != queue->taken) {
        block = &queue->blocks[queue->taken++ % BLOCKS];
    } else if (queue->has_failed) {
        *failed = true;
        *error = queue->error;
    }
    unlock_and_wake(queue, queue->made - queue->taken <= BLOCKS / 2);
    return block;
}

static void tell(struct store_feed *feed, bool stops)
{
    for (int part = 0; part < STORE_PARTS; part++) {
        struct queue *const queue = &feed->queues[part];

        pthread_mutex_lock(&queue->lock);
        queue->is_left = true;
        queue->stops = queue->stops || stops;
        unlock_and_wake(queue, true);
    }
}

void store_feed_leave(struct store_feed *feed)
{
    tell(feed, false);
}

void store_feed_stop(struct store_feed *feed)
{
    tell(feed, true);
}
