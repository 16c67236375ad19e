/* Block-wise reading and inflating. Not done: seeking, compressions other than gzip, xz and zstd
 * (proto/elastic/elastic_input.c names those that it recognises).
 *
 * One buffer holds decompressed bytes. A refill moves the unread rest to its front and fills it up, so a caller sees
 * any `count` bytes in one piece.
 *
 * The fast inflater is used for intact data only. When it reports a defect, or the file ends early, zlib inflates the
 * file again from its first byte, skips the part already returned, and decides; so neither the data nor the error
 * messages depend on the library. A pipe, which cannot be read twice, is inflated by zlib from the start.
 *
 * A large gzip file is decompressed by a thread of its own, some blocks ahead, from the second refill on. Then the
 * thread alone uses the state of decompression; blocks and the end pass through a queue. An unread rest is copied in
 * front of the next block, which leaves room for it; longer rests, and requests that span several blocks, are
 * assembled in the buffer that is used without a thread. A shared stream has the same queue from its beginning, and
 * any thread makes blocks: the reader, when the queue is empty, and its helpers. The buffer returned last is the next
 * one to be filled, as it may still be in the processor's cache. */
#include "proto/io/io_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "base/list.h"
#include "proto/io/inflate.h"
#include "proto/io/xz.h"
#include "proto/io/zst.h"

/* Memory is decompressed into a small block: it is the tests' way in, and lets them meet the block's edges. */
enum { RAW_BLOCK = 64 * 1024, BLOCK = 128 * 1024, MEMORY_BLOCK = 512, PARKED_BLOCK = 16 * 1024 };

/* A thread of its own is always there and needs fewer blocks than helpers that come and go. */
enum { AHEAD = 16, AHEAD_OF_ONE = 8, FRONT = 16 * 1024, THREAD_FROM = 512 * 1024, FIRST_BLOCK = 32 * 1024,
       BUFFER = FRONT + BLOCK + STREAM_SLACK };

struct ahead_block {
    uint8_t *bytes;                  /* BUFFER: FRONT, decompressed bytes, STREAM_SLACK */
    size_t used;
    double position;
    bool is_last;
};

/* Queue to the reader. Blocks [taken, made) are full. */
struct ahead {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct ahead_block blocks[AHEAD];
    unsigned limit;                  /* of blocks, the one being read included */
    uint8_t *buffers;                /* `limit` of BUFFER bytes */
    uint8_t *spare[AHEAD];           /* those that hold nothing, the latest one last */
    unsigned spares;
    uint64_t taken, made;
    bool is_made;                    /* a thread decompresses the next block; it alone uses the state */
    bool stops, has_last;            /* has_last: no more blocks will be made */

    /* the reader's */
    uint8_t *reading;                /* the buffer of the block that was taken last */
    bool ended;                      /* that was the last one */
    double position;                 /* of the block being read */
    uint64_t end_offset;             /* of the bytes produced */
};

struct stream_input {
    char *name;
    int file;                        /* -1: memory, or parked */
    bool parks;
    struct input_file *watched;      /* NULL: memory, a pipe */
    uint64_t file_size;              /* 0: unknown */
    uint64_t raw_taken;              /* bytes handed to raw_next so far */
    const uint8_t *data;             /* if memory */
    const uint8_t *raw_next;
    size_t raw_left;
    uint8_t *raw_block;              /* raw_room bytes; NULL for memory */
    size_t raw_room;
    bool raw_ended;

    bool hashes;
    struct hash64_pieces hash;       /* of the bytes read, if hashes */

    bool gzip, salvage, truncated, zlib_only;
    bool may_thread;                 /* the next refill may start one */
    struct ahead *ahead;             /* NULL: no thread */
    bool member_open;                /* inside a gzip member */
    bool ended;                      /* nothing more will be decompressed */
    bool failed;
    struct fault error;        /* if failed */
    struct inflater *inflater;       /* if gzip */
    struct unxz *unxz;               /* if xz that is to be decompressed, else NULL */
    struct unzst *unzst;             /* the same of zstd */
    uint64_t made;                   /* bytes decompressed so far */
    uint64_t pass_over;              /* decompressed again, but given already */

    uint8_t *block;                  /* capacity + STREAM_SLACK bytes */
    size_t capacity;
};

static struct fault open_again(struct stream_input *input)
{
    input->file = open(input->name, O_RDONLY | O_CLOEXEC);
    if (input->file < 0)
        return fault_at(input->name, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    input_file_reopened(input->watched, input->file);
    if (lseek(input->file, (off_t)input->raw_taken, SEEK_SET) < 0)
        return fault_at(input->name, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
    return fault_none();
}

static void park(struct stream_input *input)
{
    input_file_reopened(input->watched, -1);
    close(input->file);
    input->file = -1;
}

/* Reads behind the raw bytes that are there. */
static struct fault raw_read(struct stream_input *input)
{
    uint8_t *const to = input->raw_block + input->raw_left;
    ssize_t got;

    if (input->file < 0)
        FORWARD(open_again(input));
    do
        got = read(input->file, to, input->raw_room - input->raw_left);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fault_at(input->name, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
    if (input->parks)
        park(input);
    if (input->hashes)
        hash64_add(&input->hash, to, (size_t)got);
    input->raw_next = input->raw_block;
    input->raw_left += (size_t)got;
    input->raw_taken += (uint64_t)got;
    input->raw_ended = got == 0 || (input->parks && input->raw_taken >= input->file_size);
    return fault_none();
}

/* Makes raw bytes available unless the file has ended. */
static struct fault raw_refill(struct stream_input *input)
{
    if (input->raw_left > 0 || input->raw_ended)
        return fault_none();
    if (input->data == NULL)
        return raw_read(input);
    input->raw_ended = true;
    return fault_none();
}

static void raw_consume(struct stream_input *input, size_t count)
{
    input->raw_next += count;
    input->raw_left -= count;
}

static struct fault io_stream_open_file(struct stream_input *input)
{
    struct stat about;

    if (input->file < 0)
        input->file = open(input->name, O_RDONLY | O_CLOEXEC);
    if (input->file < 0)
        return fault_at(input->name, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (fstat(input->file, &about) != 0)
        return fault_at(input->name, FAULT_NO_OFFSET, "cannot be examined: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return fault_at(input->name, FAULT_NO_OFFSET, "is a folder; name a file in it");
    if (S_ISREG(about.st_mode))
        input->file_size = (uint64_t)about.st_size;
    input->watched = input_file_begin(input->file, input->name);
    input->parks = input->parks && S_ISREG(about.st_mode);
    input->zlib_only = input->zlib_only || input->parks || !S_ISREG(about.st_mode);
    input->may_thread = !input->parks && (input->may_thread || input->file_size >= THREAD_FROM);
    input->raw_room = !input->parks ? RAW_BLOCK
        : input->file_size < PARKED_BLOCK ? (size_t)input->file_size + 1 : PARKED_BLOCK;
    input->raw_block = malloc(input->raw_room);
    return input->raw_block != NULL ? fault_none() : fault_memory(input->name, NULL);
}

/* zlib from the first byte on, up to where the fast inflater came. */
static struct fault begin_again(struct stream_input *input)
{
    inflater_free(input->inflater);
    input->inflater = inflater_new(false);
    if (input->inflater == NULL)
        return fault_memory(input->name, "decompression");
    if (input->data != NULL) {
        input->raw_next = input->data;
        input->raw_left = (size_t)input->file_size;
    } else {
        if (input->file >= 0 && lseek(input->file, 0, SEEK_SET) != 0)
            return fault_at(input->name, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
        input->raw_left = 0;
        input->raw_taken = 0;
        hash64_begin(&input->hash);
    }
    input->raw_ended = false;
    input->member_open = true;
    input->pass_over = input->made;
    input->made = 0;
    return fault_none();
}

/* Flags of a member's head that the format keeps for later: the fast inflater does not look at them. */
static bool has_odd_flags(const struct stream_input *input)
{
    return inflater_is_fast(input->inflater) && input->raw_left > 3 && (input->raw_next[3] & 0xe0) != 0;
}

/* The two bytes that decide. A file of one byte is plain. */
static struct fault detect_gzip(struct stream_input *input)
{
    FORWARD(raw_refill(input));
    /* a pipe may return single bytes */
    while (input->data == NULL && input->raw_left == 1 && !input->raw_ended)
        FORWARD(raw_read(input));
    input->gzip = input->raw_left >= 2 && input->raw_next[0] == 0x1f && input->raw_next[1] == 0x8b;
    if (!input->gzip)
        return fault_none();
    input->inflater = inflater_new(!input->zlib_only);
    if (input->inflater == NULL)
        return fault_memory(input->name, "decompression");
    input->member_open = true;
    return !has_odd_flags(input) ? fault_none() : begin_again(input);
}

/* The bytes that decide between xz, zstd and plain. */
static struct fault detect_others(struct stream_input *input)
{
    while (input->data == NULL && input->raw_left < UNXZ_MAGIC_BYTES && !input->raw_ended)
        FORWARD(raw_read(input));
    if (input->raw_left >= UNXZ_MAGIC_BYTES && memcmp(input->raw_next, UNXZ_MAGIC, UNXZ_MAGIC_BYTES) == 0)
        input->unxz = unxz_new();
    else if (input->raw_left >= UNZST_MAGIC_BYTES && memcmp(input->raw_next, UNZST_MAGIC, UNZST_MAGIC_BYTES) == 0)
        input->unzst = unzst_new();
    else
        return fault_none();
    return input->unxz != NULL || input->unzst != NULL ? fault_none() : fault_memory(input->name, "decompression");
}

static bool is_packed(const struct stream_input *input)
{
    return input->gzip || input->unxz != NULL || input->unzst != NULL;
}

static struct fault open_input(struct stream_input *input, const struct stream_source *source)
{
    input->file = source->has_descriptor ? source->descriptor : -1;
    input->salvage = source->salvage;
    input->zlib_only = source->zlib_only;
    input->hashes = source->hashes;
    hash64_begin(&input->hash);
    input->may_thread = source->threaded;
    input->parks = source->parks && source->data == NULL && !source->has_descriptor;
    input->name = strdup(source->path);
    input->capacity = source->data != NULL ? MEMORY_BLOCK : input->parks ? PARKED_BLOCK : BLOCK;
    input->block = malloc(input->capacity + STREAM_SLACK);
    if (input->name == NULL || input->block == NULL)
        return fault_memory(source->path, NULL);
    memset(input->block, 0, STREAM_SLACK);
    if (source->data != NULL) {
        input->data = source->data;
        input->raw_next = source->data;
        input->raw_left = source->size;
        input->raw_taken = input->file_size = source->size;
    } else FORWARD(io_stream_open_file(input));
    FORWARD(detect_gzip(input));
    return input->gzip || !source->unpacks_all ? fault_none() : detect_others(input);
}

static void begin_ahead(struct stream_input *input, uint64_t end_offset, bool has_thread);
static void end_ahead(struct stream_input *input);

struct fault stream_open(struct stream *stream, const struct stream_source *source)
{
    struct fault fault = fault_none();
    struct stream_input *const input = calloc(1, sizeof *input);

    *stream = (struct stream){.input = input};
    if (input == NULL && source->has_descriptor)
        close(source->descriptor);
    if (input == NULL)
        return fault_memory(source->path, NULL);
    if (FAILS(fault, open_input(input, source))) {
        stream_close(stream);
        return fault;
    }
    stream->next = stream->end = input->block;
    if (source->is_shared && input->may_thread && is_packed(input))
        begin_ahead(input, 0, false);
    input->may_thread = input->may_thread && !source->is_shared;
    return fault_none();
}

void stream_close(struct stream *stream)
{
    struct stream_input *const input = stream->input;

    if (input == NULL)
        return;
    end_ahead(input);
    inflater_free(input->inflater);
    unxz_free(input->unxz);
    unzst_free(input->unzst);
    input_file_end(input->watched);
    if (input->file >= 0)
        close(input->file);
    free(input->raw_block);
    free(input->block);
    free(input->name);
    free(input);
    *stream = (struct stream){0};
}

/* Between gzip members: another one, or the end. */
static struct fault next_member(struct stream_input *input, uint64_t offset)
{
    FORWARD(raw_refill(input));
    if (input->raw_left == 0) {
        input->ended = true;
        return fault_none();
    }
    if (input->raw_next[0] != 0x1f)
        return fault_at(input->name, offset, "the gzip data ends here, but other bytes follow it in the file; "
                        "expected the end or more gzip data; fetch the file again or cut them off");
    inflater_reset(input->inflater);
    input->member_open = true;
    return !has_odd_flags(input) ? fault_none() : begin_again(input);
}

static struct fault breaks_off(struct stream_input *input, uint64_t offset)
{
    if (!input->salvage)
        return fault_at(input->name, offset, "the gzip data breaks off (a truncated file, as a killed capture or a "
                        "broken download leaves it); get it again, or keep what it holds with `rubato trace cut DIR "
                        "--salvage -o OUT`");
    input->truncated = true;
    input->ended = true;
    return fault_none();
}

/* Drops from zlib's output the bytes that the fast inflater had already returned. */
static void leave_out(struct stream_input *input, uint8_t *to, size_t *made)
{
    size_t const out = *made < input->pass_over ? *made : (size_t)input->pass_over;

    input->made += *made;
    input->pass_over -= out;
    *made -= out;
    if (out > 0)
        memmove(to, to + out, *made);
}

/* Decompresses up to `room` bytes to `to`; *made is their number. */
static struct fault inflate_some(struct stream_input *input, uint8_t *to, size_t room, uint64_t offset, size_t *made)
{
    enum inflate_status status;
    struct inflate_job job;

    *made = 0;
    if (!input->member_open)
        return next_member(input, offset);
    FORWARD(raw_refill(input));
    if (input->raw_left == 0 && !inflater_is_fast(input->inflater))
        return breaks_off(input, offset);
    job = (struct inflate_job){.from = input->raw_next, .from_left = input->raw_left, .to = to, .room = room};
    status = inflater_run(input->inflater, &job);
    /* The fast inflater's output of a call with a fault is unreliable, and at the end of the file it may hold bytes
     * back. */
    if (inflater_is_fast(input->inflater)
        && (status == INFLATE_DAMAGED || (input->raw_left == 0 && status == INFLATE_OK && job.made == 0)))
        return begin_again(input);
    raw_consume(input, input->raw_left - job.from_left);
    *made = job.made;
    leave_out(input, to, made);
    switch (status) {
    case INFLATE_OK: return fault_none();
    case INFLATE_END: input->member_open = false; return fault_none();
    case INFLATE_NO_MEMORY:
        return fault_memory(input->name, "decompression");
    case INFLATE_DAMAGED:
        break;
    }
    return fault_at(input->name, offset + *made, "the gzip data is damaged (%s); get the file again", job.problem);
}

/* The same for xz and zstd. */
static struct fault unpack_some(struct stream_input *input, uint8_t *to, size_t room, uint64_t offset, size_t *made)
{
    const char *const form = input->unxz != NULL ? "xz" : "zstd";
    enum inflate_status status;
    struct inflate_job job;
    bool is_end;

    *made = 0;
    FORWARD(raw_refill(input));
    is_end = input->raw_left == 0;
    job = (struct inflate_job){.from = input->raw_next, .from_left = input->raw_left, .to = to, .room = room};
    status = input->unxz != NULL ? unxz_run(input->unxz, &job, is_end) : unzst_run(input->unzst, &job, is_end);
    raw_consume(input, input->raw_left - job.from_left);
    *made = job.made;
    switch (status) {
    case INFLATE_OK:
        return !is_end || job.made > 0 ? fault_none() : fault_at(input->name, offset, "the %s data breaks off (a "
                                                                 "truncated file, as a killed capture or a broken "
                                                                 "download leaves it); get it again", form);
    case INFLATE_END: input->ended = true; return fault_none();
    case INFLATE_NO_MEMORY:
        return fault_memory(input->name, "decompression");
    case INFLATE_DAMAGED:
        break;
    }
    return fault_at(input->name, offset + *made, "the %s data is damaged (%s); get the file again", form,
                    job.problem);
}

static struct fault copy_some(struct stream_input *input, uint8_t *to, size_t room, size_t *made)
{
    *made = 0;
    FORWARD(raw_refill(input));
    if (input->raw_left == 0) {
        input->ended = true;
        return fault_none();
    }
    *made = input->raw_left < room ? input->raw_left : room;
    memcpy(to, input->raw_next, *made);
    raw_consume(input, *made);
    return fault_none();
}

static struct fault fit_block(struct stream_input *input, size_t count)
{
    if (count <= input->capacity)
        return fault_none();
    if (!list_resize(&input->block, count + STREAM_SLACK, 1))
        return fault_memory(input->name, "a message");
    input->capacity = count;
    return fault_none();
}

/* Decompresses into [to + have, to + room), as far as there is something. */
static size_t fill_block(struct stream_input *input, uint8_t *to, size_t have, size_t room, uint64_t *offset)
{
    while (have < room && !input->ended && !input->failed) {
        size_t made;

        input->failed = input->gzip ? FAILS(input->error, inflate_some(input, to + have, room - have, *offset, &made))
            : is_packed(input) ? FAILS(input->error, unpack_some(input, to + have, room - have, *offset, &made))
            : FAILS(input->error, copy_some(input, to + have, room - have, &made));
        have += made;
        *offset += made;
    }
    memset(to + have, 0, STREAM_SLACK);
    return have;
}

static double position_of(const struct stream_input *input)
{
    return input->file_size == 0 ? 0
                                 : (double)(input->raw_taken - input->raw_left) / (double)input->file_size;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* May a block be made, at once or when the one that is being made is ready? The reader keeps the one that it took
 * last. */
static bool io_stream_has_room(const struct ahead *ahead)
{
    return !ahead->has_last && ahead->made + ahead->is_made - ahead->taken < ahead->limit - 1;
}

/* Decompresses the next block, for which there is room. The lock is held before and after. */
static void make_block(struct stream_input *input)
{
    struct ahead *const ahead = input->ahead;
    struct ahead_block *const block = &ahead->blocks[ahead->made % AHEAD];
    uint8_t *const bytes = ahead->spare[--ahead->spares];
    /* The first ones are small, so that a waiting reader soon gets one. */
    size_t const room = ahead->end_offset < BLOCK - FIRST_BLOCK ? FIRST_BLOCK + (size_t)ahead->end_offset : BLOCK;

    ahead->is_made = true;
    pthread_mutex_unlock(&ahead->lock);
    *block = (struct ahead_block){.bytes = bytes,
                                  .used = fill_block(input, bytes + FRONT, 0, room, &ahead->end_offset),
                                  .is_last = input->ended || input->failed, .position = position_of(input)};
    pthread_mutex_lock(&ahead->lock);
    ahead->has_last = block->is_last;
    ahead->is_made = false;
    ahead->made++;
    pthread_cond_broadcast(&ahead->changed);
}

static void *decompress_ahead(void *argument)
{
    struct stream_input *const input = argument;
    struct ahead *const ahead = input->ahead;

    pthread_mutex_lock(&ahead->lock);
    while (!ahead->stops && !ahead->has_last)
        if (!ahead->is_made && io_stream_has_room(ahead))
            make_block(input);
        else
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

bool stream_unpack(struct stream *stream)
{
    struct ahead *const ahead = stream->input->ahead;
    bool makes;

    if (ahead == NULL)
        return false;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->is_made && io_stream_has_room(ahead))
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    makes = !ahead->is_made && io_stream_has_room(ahead);
    if (makes)
        make_block(stream->input);
    pthread_mutex_unlock(&ahead->lock);
    return makes;
}

static void free_ahead(struct ahead *ahead)
{
    free(ahead->buffers);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

/* Without memory or a thread, things stay as they are. */
static void begin_ahead(struct stream_input *input, uint64_t end_offset, bool has_thread)
{
    struct ahead *const ahead = calloc(1, sizeof *ahead);

    input->may_thread = false;
    if (ahead == NULL)
        return;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->end_offset = end_offset;
    ahead->limit = has_thread ? AHEAD_OF_ONE : AHEAD;
    ahead->buffers = malloc((size_t)ahead->limit * BUFFER);
    for (; ahead->buffers != NULL && ahead->spares < ahead->limit; ahead->spares++)
        ahead->spare[ahead->spares] = ahead->buffers + (size_t)ahead->spares * BUFFER;
    input->ahead = ahead;
    if (ahead->buffers != NULL) {
        ahead->has_thread = has_thread && pthread_create(&ahead->thread, NULL, decompress_ahead, input) == 0;
        if (ahead->has_thread == has_thread)
            return;
    }
    input->ahead = NULL;
    free_ahead(ahead);
}

static void end_ahead(struct stream_input *input)
{
    struct ahead *const ahead = input->ahead;

    if (ahead == NULL)
        return;
    if (ahead->has_thread) {
        pthread_mutex_lock(&ahead->lock);
        ahead->stops = true;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
        pthread_join(ahead->thread, NULL);
    }
    free_ahead(ahead);
    input->ahead = NULL;
}

/* Waits for the next block, or makes it, and takes it. */
static struct ahead_block *take_block(struct stream_input *input)
{
    struct ahead *const ahead = input->ahead;
    struct ahead_block *block;
    bool wakes;

    pthread_mutex_lock(&ahead->lock);
    if (ahead->reading != NULL)
        ahead->spare[ahead->spares++] = ahead->reading;
    while (ahead->made == ahead->taken)
        if (!ahead->has_thread && !ahead->is_made)
            make_block(input);
        else
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    block = &ahead->blocks[ahead->taken++ % AHEAD];
    ahead->reading = block->bytes;
    /* seldom, as threads cost time to change */
    wakes = ahead->has_thread && ahead->made - ahead->taken <= ahead->limit / 2;
    pthread_mutex_unlock(&ahead->lock);
    if (wakes)
        pthread_cond_signal(&ahead->changed);
    ahead->ended = block->is_last;
    ahead->position = block->position;
    return block;
}

/* Puts the unread rest and the next block together in the buffer. */
static struct fault join_block(struct stream *stream, size_t have, size_t count)
{
    struct stream_input *const input = stream->input;
    bool const is_there = stream->next >= input->block && stream->next <= input->block + input->capacity;
    struct ahead_block *block;

    if (is_there)
        memmove(input->block, stream->next, have);
    FORWARD(fit_block(input, (have > count ? have : count) + BLOCK));
    if (!is_there)
        memcpy(input->block, stream->next, have);
    block = take_block(input);
    memcpy(input->block + have, block->bytes + FRONT, block->used);
    memset(input->block + have + block->used, 0, STREAM_SLACK);
    stream->next = input->block;
    stream->end = input->block + have + block->used;
    stream->end_offset += block->used;
    return fault_none();
}

/* The same as refill, from the thread's blocks. */
static struct fault refill_from_ahead(struct stream *stream, size_t count)
{
    struct stream_input *const input = stream->input;
    uint8_t rest[FRONT];

    while ((size_t)(stream->end - stream->next) < count && !input->ahead->ended) {
        size_t const have = (size_t)(stream->end - stream->next);
        struct ahead_block *block;

        if (have > FRONT) {
            FORWARD(join_block(stream, have, count));
            continue;
        }
        /* Out of the way first: taking a block gives the one that is being read back to the thread. */
        memcpy(rest, stream->next, have);
        block = take_block(input);
        memcpy(block->bytes + FRONT - have, rest, have);
        stream->next = block->bytes + FRONT - have;
        stream->end = block->bytes + FRONT + block->used;
        stream->end_offset += block->used;
    }
    return fault_none();
}

static void io_stream_refill(struct stream *stream, size_t count)
{
    struct stream_input *const input = stream->input;
    size_t const have = (size_t)(stream->end - stream->next);

    memmove(input->block, stream->next, have);
    stream->next = input->block;
    stream->end = input->block + have;
    if (FAILS(input->error, fit_block(input, count))) {
        input->failed = true;
        return;
    }
    stream->next = input->block;
    stream->end = input->block + fill_block(input, input->block, have, input->capacity, &stream->end_offset);
    if (input->parks && input->ended) {
        inflater_free(input->inflater);
        input->inflater = NULL;
        free(input->raw_block);
        input->raw_block = NULL;
    }
}

enum stream_status stream_fill(struct stream *stream, size_t count, struct fault *error)
{
    struct stream_input *const input = stream->input;

    if (input->ahead == NULL && input->may_thread && is_packed(input)
        && stream->end_offset > 0 && !input->ended && !input->failed)
        begin_ahead(input, stream->end_offset, true);
    if (input->ahead != NULL) {
        if (FAILS(*error, refill_from_ahead(stream, count)))
            return STREAM_FAILED;
    } else if (!input->ended && !input->failed) {
        io_stream_refill(stream, count);
    }
    if ((size_t)(stream->end - stream->next) >= count)
        return STREAM_OK;
    /* With a thread: its last block has arrived, so `failed` and `error` are final. */
    if (!input->failed)
        return STREAM_SHORT;
    *error = input->error;
    return STREAM_FAILED;
}

const char *stream_name(const struct stream *stream)
{
    return stream->input->name;
}

bool stream_is_gzip(const struct stream *stream)
{
    return stream->input->gzip;
}

bool stream_is_xz(const struct stream *stream)
{
    return stream->input->unxz != NULL;
}

bool stream_is_zstd(const struct stream *stream)
{
    return stream->input->unzst != NULL;
}

bool stream_truncated(const struct stream *stream)
{
    return stream->input->truncated;
}

uint64_t stream_hash(const struct stream *stream)
{
    return hash64_end(&stream->input->hash);
}

double stream_position(const struct stream *stream)
{
    struct stream_input const *const input = stream->input;
    double const part = input->ahead != NULL ? input->ahead->position : position_of(input);

    return part < 1 ? part : 1;
}
