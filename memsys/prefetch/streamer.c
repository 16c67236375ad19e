/* Streamer: accesses that run through memory in one direction are followed by a front, which is kept `distance` lines
 * before the furthest of them.
 *
 * Sources: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data prefetching" (the L2 "streamer": it
 * watches requests for ascending and descending sequences of lines, keeps 32 streams, fetches one or two lines for a
 * request, up to 20 lines ahead); Software Optimization Guide for the AMD Zen4 Microarchitecture (57647), "Data
 * prefetch" ("L1 Stream", "L2 Stream": additional sequential lines in ascending or descending order). degree: lines by
 * which the front moves for one access, so that it grows as long as it is behind; distance: lines that it is ahead at
 * most. Choices: a stream follows after three accesses to different lines in one direction, of which the latter two are
 * within two lines of those before; the stream used least recently gives way.
 *
 * Unlike `stream`, whose region leaves an access behind once it has run ahead, so that late prefetches train streams
 * anew, an access between its furthest one and its front, or up to 32 lines behind that, belongs to a stream, and a
 * line is proposed once. A front that is refused (the end of a page) stays where it is, and is tried again at the next
 * access. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { STREAMER_STREAMS = 32, STREAMER_STEP = 2, STREAMER_BEHIND = 32, STREAMER_STEPS = 2 };

struct streamer_stream {
    uint64_t last_use;                   /* 0: free */
    int64_t head;                        /* furthest line that was used */
    int64_t front;                       /* furthest line that was proposed, at least head */
    int direction;                       /* +1, -1; 0: unknown */
    uint32_t steps;                      /* in that direction; STREAMER_STEPS: it is followed */
};

struct streamer_table {
    struct streamer_stream streams[STREAMER_STREAMS];
    uint64_t uses;
};

/* Does the line belong to the stream? To one in training, if it is a step from its last line. */
static bool streamer_covers(const struct streamer_stream *stream, int64_t line)
{
    if (stream->steps < STREAMER_STEPS)
        return line - stream->head <= STREAMER_STEP && stream->head - line <= STREAMER_STEP;
    return (line - stream->head) * stream->direction >= -STREAMER_BEHIND
           && (line - stream->front) * stream->direction <= STREAMER_STEP;
}

/* Streams that are followed go before those in training. NULL: none; a new one has been made. */
static struct streamer_stream *streamer_find(struct streamer_table *table, int64_t line)
{
    struct streamer_stream *found = NULL, *victim = &table->streams[0];

    for (unsigned i = 0; i < STREAMER_STREAMS; i++) {
        struct streamer_stream *const stream = &table->streams[i];

        if (stream->last_use && streamer_covers(stream, line) && (!found || stream->steps > found->steps))
            found = stream;
        if (stream->last_use < victim->last_use)
            victim = stream;
    }
    if (found)
        found->last_use = ++table->uses;
    else
        *victim = (struct streamer_stream){.last_use = ++table->uses, .head = line, .front = line};
    return found;
}

/* A step to the other side begins anew. */
static void streamer_learn(struct streamer_stream *stream, int64_t line)
{
    int const direction = line > stream->head ? 1 : -1;

    stream->steps = direction == stream->direction ? stream->steps + 1 : 1;
    stream->direction = direction;
    stream->head = stream->front = line;
}

static void streamer_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    int64_t const line = (int64_t)(access->line_address >> prefetcher->sim->line_shift);
    struct streamer_stream *const stream = streamer_find(prefetcher->own, line);

    if (!stream || line == stream->head)
        return;
    if (stream->steps < STREAMER_STEPS)
        streamer_learn(stream, line);
    if (stream->steps < STREAMER_STEPS)
        return;
    if ((line - stream->head) * stream->direction > 0)
        stream->head = line;
    if ((stream->head - stream->front) * stream->direction > 0)
        stream->front = stream->head;
    for (uint32_t i = 0; i < prefetcher->degree; i++) {
        int64_t const next = stream->front + stream->direction;

        if ((next - stream->head) * stream->direction > (int64_t)prefetcher->distance
            || !prefetcher_propose(prefetcher, (uint64_t)next << prefetcher->sim->line_shift))
            return;
        stream->front = next;
    }
}

const struct prefetcher_ops prefetch_streamer = {
    .name = "streamer", .own_bytes = sizeof(struct streamer_table), .degree = 2, .distance = 20,
    .training = PREFETCH_TRAINING_ACCESSES, .ignores_fetches = true, .train = streamer_train
};
