/* Reads both files through the readers, so all their checks apply, and hands the records to the writer, which hands
 * finished blocks to the feed if a cursor reads them.
 *
 * Two threads share the work: the caller's, and a second one. The work is divided into pieces that either can do: a
 * block of a part; and decompressing some of a file ahead, while the other one makes a block of it. More threads than
 * cores would take the replay's core away from it at the wrong times. */
#include "proto/store/store_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/store/store_run.h"

/* Of one part. */
struct side {
    bool is_whole;                   /* all of it reached the writer */
    struct fault error;        /* if not */
};

struct store_packing {
    struct dep_reader *dep;
    struct packet_reader *fetch;
    struct input *inputs[STORE_PARTS];   /* theirs */
    const char *store_path;          /* while the writer is opened */
    struct store_writer *writer;
    sem_t writer_is_open;            /* or could not be opened: writer_error */
    struct fault writer_error;
    struct store_feed *feed;
    struct store *store;             /* of the feed; NULL: no reader meanwhile */
    struct store_about about;
    struct side sides[STORE_PARTS];
    bool may_keep;                   /* the file waits for store_packing_keep, until the end */
    pthread_t thread;
    bool has_thread;
};

enum { SAMPLES = 16, SAMPLE_BYTES = 4096 };

/* A file that was replaced or modified has a different print, even with the same size and time. */
static bool take_print(const char *path, const struct stat *about, uint32_t *print)
{
    uint64_t const words[] = {(uint64_t)about->st_ino, (uint64_t)about->st_ctim.tv_sec,
                              (uint64_t)about->st_ctim.tv_nsec};
    uint64_t const last = about->st_size > SAMPLE_BYTES ? (uint64_t)about->st_size - SAMPLE_BYTES : 0;
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t sample[SAMPLE_BYTES];
    struct hash64_pieces pieces;
    ssize_t got = file < 0 ? -1 : 0;

    hash64_begin(&pieces);
    hash64_add(&pieces, words, sizeof words);
    for (unsigned i = 0; i < SAMPLES && got >= 0; i++) {
        got = pread(file, sample, sizeof sample, (off_t)(last / (SAMPLES - 1) * i));
        hash64_add(&pieces, sample, got > 0 ? (size_t)got : 0);
    }
    if (file >= 0)
        close(file);
    *print = (uint32_t)hash64_end(&pieces);
    return got >= 0;
}

struct fault store_source_look(const char *path, struct store_source *source)
{
    struct stat file;

    *source = (struct store_source){0};
    if (stat(path, &file) != 0)
        return fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (!S_ISREG(file.st_mode))
        return fault_at(path, FAULT_NO_OFFSET, "is not a regular file; a store is made of files only");
    source->path = realpath(path, NULL);
    if (source->path == NULL)
        return fault_at(path, FAULT_NO_OFFSET, "cannot be resolved: %s", strerror(errno));
    if (!take_print(path, &file, &source->print))
        return fault_at(path, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
    source->size_bytes = (uint64_t)file.st_size;
    source->mtime_s = (int64_t)file.st_mtim.tv_sec;
    source->mtime_ns = (uint32_t)file.st_mtim.tv_nsec;
    return fault_none();
}

bool store_source_is_same(const struct store_source *one, const struct store_source *other)
{
    return strcmp(one->path, other->path) == 0 && one->size_bytes == other->size_bytes
        && one->mtime_s == other->mtime_s && one->mtime_ns == other->mtime_ns && one->print == other->print;
}

/* --- work --------------------------------------------------------------------------------------------------------- */

static void end_part(struct store_packing *packing, enum store_part part, bool is_whole)
{
    struct side *const side = &packing->sides[part];

    side->is_whole = is_whole;
    if (is_whole)
        packing->about.source[part].hash = stream_hash(&packing->inputs[part]->stream);
    /* Records before a fault are passed to the replay before the fault is reported. */
    if (side->is_whole)
        side->is_whole = WORKS(side->error, store_writer_end_part(packing->writer, part));
    else
        (void)store_writer_end_part(packing->writer, part);
    store_feed_end(packing->feed, part, side->is_whole ? NULL : &side->error);
}

static void make_records(struct store_packing *packing)
{
    struct side *const side = &packing->sides[STORE_DEP];
    enum dep_result const result = store_writer_records(packing->writer, packing->dep, &side->error);

    if (result != DEP_RECORD)
        end_part(packing, STORE_DEP, result == DEP_END);
}

static void make_fetches(struct store_packing *packing)
{
    struct side *const side = &packing->sides[STORE_FETCH];
    enum packet_result const result = store_writer_fetches(packing->writer, packing->fetch, &side->error);

    if (result != PACKET_RECORD)
        end_part(packing, STORE_FETCH, result == PACKET_END);
}

static void make_block(void *owner, enum store_part part)
{
    if (part == STORE_DEP)
        make_records(owner);
    else
        make_fetches(owner);
}

static bool unpack_ahead(void *owner, enum store_part part)
{
    struct store_packing *const packing = owner;

    return stream_unpack(&packing->inputs[part]->stream);
}

static bool is_whole(const struct store_packing *packing)
{
    return packing->sides[STORE_DEP].is_whole && packing->sides[STORE_FETCH].is_whole;
}

static void close_readers(struct store_packing *packing)
{
    dep_reader_close(packing->dep);
    packet_reader_close(packing->fetch);
    packing->dep = NULL;
    packing->fetch = NULL;
}

static void open_writer(struct store_packing *packing)
{
    packing->writer = store_writer_open(packing->store_path, &packing->writer_error);
    sem_post(&packing->writer_is_open);
}

/* Makes all blocks, then the rest of the file; the replay may still be reading the last blocks. */
static void make_all(struct store_packing *packing)
{
    store_feed_work(packing->feed);
    if (is_whole(packing) && !packing->may_keep)
        store_writer_finish(packing->writer, &packing->about);
    close_readers(packing);
}

/* The thread's function: first opens the writer, whose allocation takes time, while the caller opens the readers. */
static void *work(void *argument)
{
    open_writer(argument);
    make_all(argument);
    return NULL;
}

static bool hand_on(void *owner, enum store_part part, struct store_columns *columns, const struct store_index *index)
{
    struct store_packing *const packing = owner;

    return store_feed_put(packing->feed, part, columns, index, input_position(packing->inputs[part]));
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static bool keep_warnings(struct store_warnings *warnings, const struct input *input)
{
    warnings->texts = calloc(INPUT_WARNINGS_MAX, sizeof *warnings->texts);
    for (size_t i = 0; warnings->texts != NULL && i < input->warning_count; i++)
        if ((warnings->texts[warnings->count++] = strdup(input->warnings[i])) == NULL)
            return false;
    return warnings->texts != NULL;
}

static struct fault gather_about(struct store_packing *packing)
{
    struct store_about *const about = &packing->about;
    bool good = true;

    about->dep = *dep_reader_header(packing->dep);
    about->fetch = *packet_reader_header(packing->fetch);
    for (int part = 0; good && part < STORE_PARTS; part++)
        good = keep_warnings(&about->warnings[part], packing->inputs[part]);
    return good ? fault_none() : fault_memory(about->source[STORE_DEP].path, NULL);
}

/* Checks that a source has not changed since it was read. */
static struct fault source_is_unchanged(const struct store_source *source)
{
    struct store_source now;
    bool is_same;

    FORWARD(store_source_look(source->path, &now));
    is_same = store_source_is_same(source, &now);
    free(now.path);
    return is_same ? fault_none() : fault_at(source->path, FAULT_NO_OFFSET, "changed while it was packed; pack it "
                                             "again when it is complete");
}

static struct fault await_writer(struct store_packing *packing)
{
    struct fault fault = fault_none();

    if (!packing->has_thread)
        open_writer(packing);
    while (sem_wait(&packing->writer_is_open) != 0 && errno == EINTR)
        ;
    if (packing->writer == NULL)
        fault = packing->writer_error;
    return packing->writer != NULL ? fault_none() : fault;
}

/* Without a thread, the caller's does all. */
static struct store_packing *new_packing(const char *store_path)
{
    struct store_packing *const packing = calloc(1, sizeof *packing);

    if (packing == NULL)
        return NULL;
    packing->feed = store_feed_new(&(struct store_feed_maker){make_block, unpack_ahead, packing});
    if (packing->feed == NULL) {
        free(packing);
        return NULL;
    }
    packing->store_path = store_path;
    sem_init(&packing->writer_is_open, 0, 0);
    packing->has_thread = pthread_create(&packing->thread, NULL, work, packing) == 0;
    return packing;
}

/* Nothing is decompressed ahead but by unpack_ahead. */
static struct fault open_readers(struct store_packing *packing, const char *dep_path, const char *fetch_path)
{
    struct fault fault = fault_none();
    struct stream_source const dep = {.path = dep_path, .hashes = true, .is_shared = true};
    struct stream_source const fetch = {.path = fetch_path, .hashes = true, .is_shared = true};

    packing->dep = dep_reader_open_source(&dep, &fault);
    packing->fetch = packing->dep != NULL ? packet_reader_open_source(&fetch, &fault) : NULL;
    if (packing->fetch == NULL)
        return fault;
    packing->inputs[STORE_DEP] = dep_reader_input(packing->dep);
    packing->inputs[STORE_FETCH] = packet_reader_input(packing->fetch);
    return fault_none();
}

static struct store_packing *store_pack_open_all(const char *dep_path, const char *fetch_path, const char *store_path,
                                                 struct fault *error)
{
    struct store_packing *const packing = new_packing(store_path);

    if (packing == NULL) {
        *error = fault_memory(dep_path, NULL);
        return NULL;
    }
    if (WORKS(*error, store_source_look(dep_path, &packing->about.source[STORE_DEP]))
        && WORKS(*error, store_source_look(fetch_path, &packing->about.source[STORE_FETCH]))
        && WORKS(*error, open_readers(packing, dep_path, fetch_path)) && WORKS(*error, await_writer(packing))
        && WORKS(*error, gather_about(packing)))
        return packing;
    store_packing_free(packing);
    return NULL;
}

static struct store_packing *store_pack_begin(const char *dep_path, const char *fetch_path, const char *store_path,
                                              bool may_keep, struct fault *error)
{
    struct store_packing *const packing = store_pack_open_all(dep_path, fetch_path, store_path, error);

    if (packing == NULL)
        return NULL;
    packing->may_keep = may_keep;
    packing->store = store_open_feed(store_path, packing->feed, &packing->about, error);
    if (packing->store == NULL) {
        store_packing_free(packing);
        return NULL;
    }
    store_writer_hand_on(packing->writer, (struct store_block_taker){hand_on, packing});
    store_feed_begin(packing->feed);
    return packing;
}

struct store_packing *store_packing_begin(const char *dep_path, const char *fetch_path, const char *store_path,
                                          struct fault *error)
{
    return store_pack_begin(dep_path, fetch_path, store_path, false, error);
}

struct store_packing *store_packing_begin_keeping(const char *dep_path, const char *fetch_path, const char *store_path,
                                                  struct fault *error)
{
    return store_pack_begin(dep_path, fetch_path, store_path, true, error);
}

void store_packing_keep(struct store_packing *packing, const struct store_learnt *learnt)
{
    store_writer_keep(packing->writer, learnt);
}

struct store *store_packing_store(struct store_packing *packing)
{
    return packing->store;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void store_pack_join(struct store_packing *packing)
{
    pthread_join(packing->thread, NULL);
    packing->has_thread = false;
}

static enum store_packed seal(struct store_packing *packing, struct fault *error)
{
    struct store_writer *const writer = packing->writer;

    for (int part = 0; part < STORE_PARTS; part++)
        if (!packing->sides[part].is_whole) {
            *error = packing->sides[part].error;
            return STORE_TRACE_BAD;
        }
    for (int part = 0; part < STORE_PARTS; part++)
        if (FAILS(*error, source_is_unchanged(&packing->about.source[part])))
            return STORE_TRACE_BAD;
    packing->writer = NULL;
    return WORKS(*error, store_writer_close(writer, &packing->about)) ? STORE_PACKED : STORE_NOT_WRITTEN;
}

enum store_packed store_packing_end(struct store_packing *packing, struct fault *error)
{
    store_feed_leave(packing->feed);
    store_feed_work(packing->feed);
    if (packing->has_thread)
        store_pack_join(packing);
    else
        make_all(packing);
    return seal(packing, error);
}

void store_packing_free(struct store_packing *packing)
{
    if (packing == NULL)
        return;
    store_feed_stop(packing->feed);
    if (packing->has_thread)
        store_pack_join(packing);
    store_close(packing->store);
    store_feed_free(packing->feed);
    sem_destroy(&packing->writer_is_open);
    store_writer_discard(packing->writer);
    close_readers(packing);
    for (int part = 0; part < STORE_PARTS; part++) {
        for (size_t i = 0; i < packing->about.warnings[part].count; i++)
            free(packing->about.warnings[part].texts[i]);
        free(packing->about.warnings[part].texts);
        free(packing->about.source[part].path);
    }
    free(packing);
}

struct fault store_pack(const char *dep_path, const char *fetch_path, const char *store_path)
{
    struct fault fault = fault_none();
    struct store_packing *const packing = store_pack_open_all(dep_path, fetch_path, store_path, &fault);
    bool good;

    if (packing == NULL)
        return fault;
    store_feed_begin(packing->feed);
    good = store_packing_end(packing, &fault) == STORE_PACKED;
    store_packing_free(packing);
    return good ? fault_none() : fault;
}
