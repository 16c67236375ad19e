/* Stream prefetcher: misses that run through memory in one direction are followed at a distance.
 *
 * Source: Srinath, Mutlu, Kim, Patt, "Feedback directed prefetching", HPCA 2007, section 2.1 (the prefetcher itself;
 * the feedback that steers it there is not modelled). degree: lines fetched for one access to a monitored region;
 * distance: length of the region, in lines. The paper's table 1 has five pairs of distance and degree, 4 and 1, 8 and
 * 1, 16 and 2, 32 and 4, 64 and 4; the default is the middle one, with which the paper's feedback begins.
 *
 * Life of a stream: a miss outside all streams allocates one, in place of the one used least recently. The next two
 * misses within 16 lines of the first, both on the same side of the one before, give the direction. From then on the
 * stream monitors the lines from `start` to `end`; an access to one of them, hit or miss, fetches the next `degree`
 * lines behind `end`, and the region moves with them once it is `distance` lines long.
 *
 * The paper's text was not at hand. Section 2.1 (states, training by the next two misses within 16 lines, the region
 * from A to P) was confirmed by two course reports that give its wording, table 1, the pair it begins with and the 64
 * streams by study notes on the paper. The growth of the region and the restart at a turn agree with programs that
 * name the paper (Onikiri, one for gem5) and the authors' group's simulator (Scarab). Choices: a direction is seen
 * from the miss before, not from the first; the miss that ends training fetches nothing; at the end of a page the
 * region stops; so that it can continue in the next one, an access up to 2 lines behind `end` counts as one to it. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { STREAMS = 64, TRAINING_LINES = 16, SLACK_LINES = 2 };

enum stream_state { STREAM_FREE, STREAM_TRAINING, STREAM_MONITORING };

struct stream {
    uint64_t last_use;
    int64_t first_line;                  /* of the miss that allocated it */
    int64_t last_line;                   /* training: of the latest miss */
    int64_t start, end;                  /* monitoring: the region, in the direction of the stream */
    int direction;                       /* +1, -1; 0: unknown */
    enum stream_state state;
};

struct stream_table {
    struct stream streams[STREAMS];
    uint64_t uses;
};

static int sign_of(int64_t difference)
{
    return (difference > 0) - (difference < 0);
}

/* Does the stream know this line? In training only misses near the first one count. */
static bool covers(const struct stream *stream, int64_t line)
{
    int64_t const distance = line - stream->first_line;

    switch (stream->state) {
    case STREAM_TRAINING:
        return distance >= -TRAINING_LINES && distance <= TRAINING_LINES;
    case STREAM_MONITORING:
        return (line - stream->start) * stream->direction >= 0
               && (stream->end - line) * stream->direction >= -SLACK_LINES;
    case STREAM_FREE:
        break;
    }
    return false;
}

/* Streams that run already go before those in training. */
static struct stream *prefetch_stream_find(struct stream_table *table, int64_t line)
{
    struct stream *found = NULL;

    for (unsigned i = 0; i < STREAMS; i++) {
        struct stream *const stream = &table->streams[i];

        if (covers(stream, line) && (!found || stream->state > found->state))
            found = stream;
    }
    return found;
}

static void prefetch_stream_allocate(struct stream_table *table, int64_t line)
{
    struct stream *victim = &table->streams[0];

    for (unsigned i = 1; i < STREAMS; i++)
        if (table->streams[i].last_use < victim->last_use)
            victim = &table->streams[i];
    *victim = (struct stream){.last_use = ++table->uses, .first_line = line, .last_line = line,
                              .state = STREAM_TRAINING};
}

/* The second miss gives a direction, the third confirms it; a miss on the other side makes the direction that of the
 * latest two. */
static void prefetch_stream_learn(struct stream *stream, int64_t line)
{
    int const direction = sign_of(line - stream->last_line);

    if (direction == 0)
        return;
    stream->last_line = line;
    if (direction != stream->direction) {
        stream->direction = direction;
        return;
    }
    stream->state = STREAM_MONITORING;
    stream->start = stream->first_line;
    stream->end = line;
}

static void prefetch_stream_follow(struct prefetcher *prefetcher, struct stream *stream, int64_t line)
{
    if ((line - stream->end) * stream->direction > 0)
        stream->end = line;
    for (uint32_t i = 0; i < prefetcher->degree; i++) {
        if (!prefetcher_propose(prefetcher, (uint64_t)(stream->end + stream->direction) << prefetcher->sim->line_shift))
            break;
        stream->end += stream->direction;
    }
    if ((stream->end - stream->start) * stream->direction > (int64_t)prefetcher->distance)
        stream->start = stream->end - (int64_t)prefetcher->distance * stream->direction;
}

static void prefetch_stream_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct stream_table *const table = prefetcher->own;
    int64_t const line = (int64_t)(access->line_address >> prefetcher->sim->line_shift);
    struct stream *const stream = prefetch_stream_find(table, line);

    if (stream && stream->state == STREAM_MONITORING) {
        stream->last_use = ++table->uses;
        prefetch_stream_follow(prefetcher, stream, line);
    } else if (stream && access->is_miss) {
        stream->last_use = ++table->uses;
        prefetch_stream_learn(stream, line);
    } else if (access->is_miss) {
        prefetch_stream_allocate(table, line);
    }
}

const struct prefetcher_ops prefetch_stream = {
    .name = "stream", .own_bytes = sizeof(struct stream_table), .degree = 2, .distance = 16,
    .training = PREFETCH_TRAINING_ACCESSES, .train = prefetch_stream_train
};
