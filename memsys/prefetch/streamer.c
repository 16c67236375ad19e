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
 * access.
 *
 * Lines that belong to a stream are an interval, which is kept beside the streams and found anew when one changes. An
 * access to the line of the access before, which is its stream's head, would find the same stream again and change
 * nothing: it is passed over. */
#include "base/bits.h"
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

/* The lines that belong to a stream: first, and `more` behind it. */
struct streamer_lines { int64_t first; uint64_t more; };

struct streamer_table {
    struct streamer_lines lines[STREAMER_STREAMS];
    struct streamer_stream streams[STREAMER_STREAMS];
    uint32_t with_steps[STREAMER_STEPS + 1];         /* a bit for each stream that has this number of them */
    uint64_t uses;
    int64_t settled;                     /* the line of the access before, if its stream's head; or SETTLED_NONE */
};

#define SETTLED_NONE INT64_MIN

static void streamer_start(struct prefetcher *prefetcher)
{
    struct streamer_table *const table = prefetcher->own;

    for (unsigned i = 0; i < STREAMER_STREAMS; i++)
        table->lines[i].first = SETTLED_NONE;            /* of free ones no line */
    table->settled = SETTLED_NONE;
}

/* To one in training those that are a step from its last line; to one that is followed those from behind its head to
 * before its front. */
static struct streamer_lines streamer_covered(const struct streamer_stream *stream)
{
    int64_t const ahead = stream->steps < STREAMER_STEPS ? stream->head : stream->front;
    int64_t const behind = stream->steps < STREAMER_STEPS ? STREAMER_STEP : STREAMER_BEHIND;

    if (stream->steps < STREAMER_STEPS || stream->direction > 0)
        return (struct streamer_lines){stream->head - behind,
                                       (uint64_t)(ahead - stream->head + behind + STREAMER_STEP)};
    return (struct streamer_lines){ahead - STREAMER_STEP, (uint64_t)(stream->head - ahead + behind + STREAMER_STEP)};
}

static void streamer_changed(struct streamer_table *table, const struct streamer_stream *stream)
{
    unsigned const number = (unsigned)(stream - table->streams);
    uint32_t const bit = UINT32_C(1) << number;

    table->lines[number] = streamer_covered(stream);
    for (unsigned steps = 0; steps <= STREAMER_STEPS; steps++)
        table->with_steps[steps] = (table->with_steps[steps] & ~bit) | (stream->steps == steps ? bit : 0);
}

static void streamer_begin(struct streamer_table *table, int64_t line)
{
    struct streamer_stream *victim = &table->streams[0];

    for (unsigned i = 1; i < STREAMER_STREAMS; i++)
        if (table->streams[i].last_use < victim->last_use)
            victim = &table->streams[i];
    *victim = (struct streamer_stream){.last_use = ++table->uses, .head = line, .front = line};
    streamer_changed(table, victim);
}

/* Streams that are followed go before those in training, the first of several. NULL: none; a new one has been made. */
static struct streamer_stream *streamer_find(struct streamer_table *table, int64_t line)
{
    uint32_t covering = 0;
    unsigned steps = STREAMER_STEPS;
    struct streamer_stream *found;

    for (unsigned i = STREAMER_STREAMS; i-- > 0;)
        covering = covering << 1 | ((uint64_t)line - (uint64_t)table->lines[i].first <= table->lines[i].more);
    if (covering == 0) {
        streamer_begin(table, line);
        return NULL;
    }
    while ((covering & table->with_steps[steps]) == 0)
        steps--;
    found = &table->streams[bits_zeros_below(covering & table->with_steps[steps])];
    found->last_use = ++table->uses;
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

/* The front follows. */
static void streamer_propose(struct prefetcher *prefetcher, struct streamer_stream *stream)
{
    for (uint32_t i = 0; i < prefetcher->degree; i++) {
        int64_t const next = stream->front + stream->direction;

        if ((next - stream->head) * stream->direction > (int64_t)prefetcher->distance
            || !prefetcher_propose(prefetcher, (uint64_t)next << prefetcher->sim->line_shift))
            return;
        stream->front = next;
    }
}

static void streamer_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct streamer_table *const table = prefetcher->own;
    int64_t const line = (int64_t)(access->line_address >> prefetcher->sim->line_shift);
    struct streamer_stream *stream;

    if (line == table->settled)
        return;
    stream = streamer_find(table, line);
    table->settled = !stream || line == stream->head ? line : SETTLED_NONE;
    if (table->settled == line)
        return;
    if (stream->steps < STREAMER_STEPS)
        streamer_learn(stream, line);
    if (stream->steps >= STREAMER_STEPS) {
        if ((line - stream->head) * stream->direction > 0)
            stream->head = line;
        if ((stream->head - stream->front) * stream->direction > 0)
            stream->front = stream->head;
        streamer_propose(prefetcher, stream);
    }
    if (stream->head == line)
        table->settled = line;
    streamer_changed(table, stream);
}

const struct prefetcher_ops prefetch_streamer = {
    .name = "streamer", .own_bytes = sizeof(struct streamer_table), .degree = 2, .distance = 20,
    .training = PREFETCH_TRAINING_ACCESSES, .ignores_fetches = true, .start = streamer_start,
    .train = streamer_train
};
