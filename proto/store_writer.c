/* The head is written last, so a file that a killed writer leaves behind is no store even under its own name. Nothing
 * is synchronised to disk: after a power cut the hashes tell.
 *
 * The format wants the fetch blocks behind the dependence blocks, whichever are made first. They wait in a file that
 * has no name, so that it goes with the process, and are copied at the end, when their place is known. */
#define _POSIX_C_SOURCE 200809L
#include "proto/store_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/hash64.h"
#include "proto/store_encode.h"
#include "proto/store_format.h"

enum { TEMPORARY_NAMES = 1000, COPY_BYTES = 256 * 1024 };

/* Bytes that grow. */
struct text {
    uint8_t *at;
    size_t used, room;
    bool failed;
};

/* One kind of records; a thread that writes them touches nothing else. */
struct part {
    int file;
    uint64_t place;                  /* where the next block goes in that file */
    uint64_t count, first_record, blocks;
    struct text index;               /* as it will stand in meta, but for places that are moved */
    bool has_failed;                 /* the file takes no more; why: */
    struct proto_error error;
};

struct store_writer {
    char *path, *temporary;
    struct store_dep_encoder *dep;
    struct store_fetch_encoder *fetch;
    struct part parts[STORE_PARTS];
    struct store_block_taker taker;  /* take: NULL if there is none */
};

static bool fail(const struct store_writer *writer, const char *why, struct proto_error *error)
{
    return proto_fail(error, writer->path, PROTO_NO_OFFSET, "cannot be written: %s", why);
}

/* --- meta --------------------------------------------------------------------------------------------------------- */

static void put_bytes(struct text *text, const void *bytes, size_t count)
{
    if (text->used + count > text->room) {
        size_t const room = 2 * (text->used + count) + 64;
        uint8_t *const grown = text->failed ? NULL : realloc(text->at, room);

        if (grown == NULL) {
            text->failed = true;
            return;
        }
        text->at = grown;
        text->room = room;
    }
    if (count > 0)
        memcpy(text->at + text->used, bytes, count);
    text->used += count;
}

static void put_word(struct text *text, uint64_t word)
{
    uint8_t bytes[8];

    bits_store64(bytes, word);
    put_bytes(text, bytes, sizeof bytes);
}

static void put_text(struct text *text, const char *words)
{
    put_word(text, strlen(words));
    put_bytes(text, words, strlen(words));
}

static void put_headers(struct text *meta, const struct store_about *about)
{
    put_text(meta, about->dep.obj_id);
    put_word(meta, about->dep.has_ver);
    put_word(meta, about->dep.ver);
    put_word(meta, about->dep.tick_freq);
    put_word(meta, about->dep.window_size);
    put_text(meta, about->fetch.obj_id);
    put_word(meta, about->fetch.has_ver);
    put_word(meta, about->fetch.ver);
    put_word(meta, about->fetch.tick_freq);
    put_word(meta, about->fetch.id_string_count);
    for (size_t i = 0; i < about->fetch.id_string_count; i++) {
        struct packet_id_string const *const string = &about->fetch.id_strings[i];

        put_word(meta, (string->has_key ? 1u : 0u) | (string->has_value ? 2u : 0u));
        put_word(meta, string->key);
        put_text(meta, string->value);
    }
}

static void put_part(struct text *meta, const struct store_writer *writer, const struct store_about *about, int part)
{
    struct store_source const *const source = &about->source[part];
    struct store_warnings const *const warnings = &about->warnings[part];

    put_text(meta, source->path);
    put_word(meta, source->size_bytes);
    put_word(meta, (uint64_t)source->mtime_s);
    put_word(meta, source->mtime_ns);
    put_word(meta, source->hash);
    put_word(meta, warnings->count);
    for (size_t i = 0; i < warnings->count; i++)
        put_text(meta, warnings->texts[i]);
    put_word(meta, writer->parts[part].count);
    put_word(meta, writer->parts[part].blocks);
    put_bytes(meta, writer->parts[part].index.at, writer->parts[part].index.used);
    meta->failed = meta->failed || writer->parts[part].index.failed;
}

/* --- file --------------------------------------------------------------------------------------------------------- */

static bool write_at(const struct store_writer *writer, int file, const void *bytes, size_t count, uint64_t place,
                     struct proto_error *error)
{
    const uint8_t *at = bytes;

    while (count > 0) {
        ssize_t const written = pwrite(file, at, count, (off_t)place);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(writer, written < 0 ? strerror(errno) : "the disk is full", error);
        at += written;
        place += (uint64_t)written;
        count -= (size_t)written;
    }
    return true;
}

/* A new file beside the wanted one; processes and threads never share one. -1: none, errno tells why. */
static int open_temporary(const char *path, char *name, size_t room)
{
    int file = -1;

    for (int i = 0; file < 0 && i < TEMPORARY_NAMES; i++) {
        snprintf(name, room, "%s.partial-%ld-%d", path, (long)getpid(), i);
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

static bool open_files(struct store_writer *writer, struct proto_error *error)
{
    size_t const room = strlen(writer->path) + 64;
    char *const name = malloc(room);
    struct part *const dep = &writer->parts[STORE_DEP], *const fetch = &writer->parts[STORE_FETCH];
    struct stat about;

    if (name == NULL)
        return fail(writer, "out of memory", error);
    if (stat(writer->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        free(name);
        return fail(writer, "is no regular file", error);
    }
    fetch->file = open_temporary(writer->path, name, room);
    if (fetch->file >= 0) {
        unlink(name);
        dep->file = open_temporary(writer->path, name, room);
    }
    if (dep->file >= 0) {
        writer->temporary = name;
        return true;
    }
    fail(writer, strerror(errno), error);
    free(name);                      /* nothing of ours to remove */
    return false;
}

struct store_writer *store_writer_open(const char *path, struct proto_error *error)
{
    struct store_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL || (writer->path = strdup(path)) == NULL) {
        free(writer);
        proto_fail(error, path, PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    writer->parts[STORE_DEP].file = writer->parts[STORE_FETCH].file = -1;
    writer->parts[STORE_DEP].place = STORE_HEAD_BYTES;
    writer->dep = store_dep_encoder_new();
    writer->fetch = store_fetch_encoder_new();
    if (writer->dep == NULL || writer->fetch == NULL)
        fail(writer, "out of memory", error);
    else if (open_files(writer, error))
        return writer;
    store_writer_discard(writer);
    return NULL;
}

void store_writer_hand_on(struct store_writer *writer, struct store_block_taker taker)
{
    writer->taker = taker;
}

static bool put_block(struct store_writer *writer, enum store_part which, struct store_columns *columns,
                      uint64_t first_key, struct proto_error *error)
{
    struct part *const part = &writer->parts[which];
    struct store_index index = {.place = part->place, .first_record = part->first_record, .first_key = first_key};

    if (columns->records == 0)
        return true;
    if (!store_columns_finish(columns))
        return fail(writer, "out of memory", error);
    index.bytes = columns->block_used;
    index.hash = hash64(columns->block, columns->block_used);
    put_word(&part->index, index.place);
    put_word(&part->index, index.bytes);
    put_word(&part->index, index.hash);
    put_word(&part->index, index.first_record);
    put_word(&part->index, index.first_key);
    part->blocks++;
    part->first_record = part->count;
    part->place += index.bytes;
    if (!part->has_failed && !write_at(writer, part->file, columns->block, index.bytes, index.place, &part->error))
        part->has_failed = true;
    if (writer->taker.take != NULL)
        return writer->taker.take(writer->taker.owner, which, columns, &index);
    if (part->has_failed)
        *error = part->error;
    return !part->has_failed;
}

static bool put_dep_block(struct store_writer *writer, struct proto_error *error)
{
    bool good;

    store_dep_end_block(writer->dep);
    good = put_block(writer, STORE_DEP, store_dep_columns(writer->dep), store_dep_first_key(writer->dep), error);
    store_dep_next_block(writer->dep);
    return good;
}

static bool put_fetch_block(struct store_writer *writer, struct proto_error *error)
{
    bool const good = put_block(writer, STORE_FETCH, store_fetch_columns(writer->fetch),
                                store_fetch_first_key(writer->fetch), error);

    store_fetch_next_block(writer->fetch);
    return good;
}

bool store_writer_record(struct store_writer *writer, const struct dep_record *record, struct proto_error *error)
{
    if (!store_dep_encode(writer->dep, record))
        return fail(writer, "out of memory", error);
    writer->parts[STORE_DEP].count++;
    return !store_dep_block_is_full(writer->dep) || put_dep_block(writer, error);
}

bool store_writer_fetch(struct store_writer *writer, const struct packet_record *record, struct proto_error *error)
{
    store_fetch_encode(writer->fetch, record);
    writer->parts[STORE_FETCH].count++;
    return !store_fetch_block_is_full(writer->fetch) || put_fetch_block(writer, error);
}

bool store_writer_end_part(struct store_writer *writer, enum store_part part, struct proto_error *error)
{
    return part == STORE_DEP ? put_dep_block(writer, error) : put_fetch_block(writer, error);
}

/* Copies the fetch blocks behind the dependence blocks. */
static bool join_parts(struct store_writer *writer, struct proto_error *error)
{
    struct part *const dep = &writer->parts[STORE_DEP], *const fetch = &writer->parts[STORE_FETCH];
    uint8_t *const piece = malloc(COPY_BYTES);
    uint64_t at = 0;
    bool good = piece != NULL || fail(writer, "out of memory", error);

    for (uint64_t i = 0; i < fetch->blocks && !fetch->index.failed; i++) {
        uint8_t *const place = fetch->index.at + 8 * STORE_INDEX_WORDS * i;

        bits_store64(place, bits_load64(place) + dep->place);
    }
    while (good && at < fetch->place) {
        ssize_t const got = pread(fetch->file, piece, COPY_BYTES, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            good = fail(writer, got < 0 ? strerror(errno) : "its fetches are gone", error);
        else
            good = write_at(writer, dep->file, piece, (size_t)got, dep->place + at, error);
        at += got > 0 ? (uint64_t)got : 0;
    }
    dep->place += fetch->place;
    free(piece);
    return good;
}

static bool put_meta(struct store_writer *writer, const struct store_about *about, uint64_t *bytes, uint64_t *hash,
                     struct proto_error *error)
{
    static const uint8_t slack[STORE_SLACK];
    struct part const *const dep = &writer->parts[STORE_DEP];
    struct text meta = {0};
    bool good;

    put_headers(&meta, about);
    for (int part = 0; part < STORE_PARTS; part++)
        put_part(&meta, writer, about, part);
    *bytes = meta.used;
    *hash = hash64(meta.at, meta.used);
    put_bytes(&meta, slack, sizeof slack);
    good = meta.failed ? fail(writer, "out of memory", error)
                       : write_at(writer, dep->file, meta.at, meta.used, dep->place, error);
    free(meta.at);
    return good;
}

static bool put_head(struct store_writer *writer, uint64_t meta_bytes, uint64_t meta_hash, struct proto_error *error)
{
    uint64_t const place = writer->parts[STORE_DEP].place;
    uint8_t head[STORE_HEAD_BYTES] = {0};

    memcpy(head, STORE_MAGIC, STORE_MAGIC_BYTES);
    bits_store32(head + STORE_HEAD_VERSION, STORE_VERSION);
    bits_store64(head + STORE_HEAD_FILE_BYTES, place + meta_bytes + STORE_SLACK);
    bits_store64(head + STORE_HEAD_META, place);
    bits_store64(head + STORE_HEAD_META_BYTES, meta_bytes);
    bits_store64(head + STORE_HEAD_META_HASH, meta_hash);
    bits_store64(head + STORE_HEAD_HASH, hash64(head, STORE_HEAD_HASH));
    return write_at(writer, writer->parts[STORE_DEP].file, head, sizeof head, 0, error);
}

static void free_writer(struct store_writer *writer)
{
    for (int part = 0; part < STORE_PARTS; part++) {
        free(writer->parts[part].index.at);
        if (writer->parts[part].file >= 0)
            close(writer->parts[part].file);
    }
    store_dep_encoder_free(writer->dep);
    store_fetch_encoder_free(writer->fetch);
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

static bool all_blocks_are_written(const struct store_writer *writer, struct proto_error *error)
{
    for (int part = 0; part < STORE_PARTS; part++)
        if (writer->parts[part].has_failed) {
            *error = writer->parts[part].error;
            return false;
        }
    return true;
}

bool store_writer_close(struct store_writer *writer, const struct store_about *about, struct proto_error *error)
{
    uint64_t meta_bytes, meta_hash;
    bool good = store_writer_end_part(writer, STORE_DEP, error) && store_writer_end_part(writer, STORE_FETCH, error)
        && all_blocks_are_written(writer, error) && join_parts(writer, error)
        && put_meta(writer, about, &meta_bytes, &meta_hash, error) && put_head(writer, meta_bytes, meta_hash, error);
    int const file = writer->parts[STORE_DEP].file;

    if (good) {
        writer->parts[STORE_DEP].file = -1;
        good = close(file) == 0 ? true : fail(writer, strerror(errno), error);
    }
    if (good && rename(writer->temporary, writer->path) != 0)
        good = fail(writer, strerror(errno), error);
    if (good)
        free_writer(writer);
    else
        store_writer_discard(writer);
    return good;
}

void store_writer_discard(struct store_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->temporary != NULL)
        unlink(writer->temporary);
    free_writer(writer);
}
