/* The trailer is written last, so a file that a killed writer leaves behind is refused. Nothing is synchronised to
 * disk: after a power cut the hashes detect damage.
 *
 * The format has the fetch blocks behind the dependence blocks, independent of the order in which they are made. They
 * wait in an unnamed file, so that it vanishes with the process, and are copied at the end, when their place is known.
 *
 * The file is written in large pieces that begin at multiples of their size. The host caches a piece written at once
 * as one large page range, and maps it as one into each run that reads it: with small pieces, a run from a store that
 * was just made takes 1 to 2 % more time. */
#include "proto/store/store_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "proto/elastic/dep_reader.h"
#include "proto/elastic/packet_reader.h"
#include "proto/store/store_encode.h"
#include "proto/store/store_file.h"
#include "proto/store/store_format.h"

enum { COPY_BYTES = 256 * 1024, PIECE_BYTES = 1024 * 1024 };

/* One kind of records; a thread that writes them uses only this, and the piece if they are dependences. */
struct part {
    struct container_writer out;
    uint64_t place;                  /* where the next block goes in that file, as it is or will be */
    uint64_t count, first_record, blocks;
    struct column index;               /* as stored in meta, except the places that are moved */
    bool has_failed;                 /* the file takes no more; why: */
    struct fault error;
};

struct store_writer {
    char *path;
    struct output_file output;
    struct store_dep_encoder *dep;
    struct store_fetch_encoder *fetch;
    struct part parts[STORE_PARTS];
    uint8_t *piece;                  /* of the dependences' file: bytes not yet written, */
    size_t piece_bytes;
    struct store_block_taker taker;  /* take: NULL if absent */
    struct store_learnt learnt;      /* bytes: NULL if nothing is kept */
    bool is_finished, is_good;       /* good: the file is whole */
    struct fault error;        /* if it is finished, but not good */
};

static struct fault store_writer_fail(const struct store_writer *writer, const char *why)
{
    return fault_at(writer->path, FAULT_NO_OFFSET, "cannot be written: %s", why);
}

/* --- meta --------------------------------------------------------------------------------------------------------- */

static void put_headers(struct column *meta, const struct store_about *about)
{
    store_meta_put_text(meta, about->dep.obj_id);
    column_put_word(meta, about->dep.has_ver);
    column_put_word(meta, about->dep.ver);
    column_put_word(meta, about->dep.tick_freq);
    column_put_word(meta, about->dep.window_size);
    store_meta_put_text(meta, about->fetch.obj_id);
    column_put_word(meta, about->fetch.has_ver);
    column_put_word(meta, about->fetch.ver);
    column_put_word(meta, about->fetch.tick_freq);
    column_put_word(meta, about->fetch.id_string_count);
    for (size_t i = 0; i < about->fetch.id_string_count; i++) {
        struct packet_id_string const *const string = &about->fetch.id_strings[i];

        column_put_word(meta, (string->has_key ? 1u : 0u) | (string->has_value ? 2u : 0u));
        column_put_word(meta, string->key);
        store_meta_put_text(meta, string->value);
    }
}

static void store_writer_put_part(struct column *meta, const struct store_writer *writer,
                                  const struct store_about *about, int part)
{
    struct store_warnings const *const warnings = &about->warnings[part];

    store_meta_put_source(meta, &about->source[part]);
    column_put_word(meta, warnings->count);
    for (size_t i = 0; i < warnings->count; i++)
        store_meta_put_text(meta, warnings->texts[i]);
    column_put_word(meta, writer->parts[part].count);
    column_put_word(meta, writer->parts[part].blocks);
    column_put_bytes(meta, writer->parts[part].index.at, writer->parts[part].index.length);
    meta->failed = meta->failed || writer->parts[part].index.failed;
}

/* --- file --------------------------------------------------------------------------------------------------------- */

static struct fault write_piece(struct store_writer *writer)
{
    size_t const bytes = writer->piece_bytes;

    writer->piece_bytes = 0;
    return container_write(&writer->parts[STORE_DEP].out, writer->piece, bytes);
}

/* Appends at the end of the dependences' file, as it is or will be. */
static struct fault store_writer_append(struct store_writer *writer, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t const room = PIECE_BYTES - (writer->parts[STORE_DEP].out.written + writer->piece_bytes) % PIECE_BYTES;
        size_t const taken = count < room ? count : room;

        memcpy(writer->piece + writer->piece_bytes, bytes, taken);
        writer->piece_bytes += taken;
        bytes += taken;
        count -= taken;
        if (taken == room)
            FORWARD(write_piece(writer));
    }
    return fault_none();
}

static struct fault store_writer_open_files(struct store_writer *writer)
{
    struct container_writer *const out = &writer->parts[STORE_DEP].out;

    FORWARD(output_file_open_anywhere(&writer->output, writer->path));
    out->file = writer->output.descriptor;
    FORWARD(output_file_open_scratch(&writer->parts[STORE_FETCH].out.file, writer->path));
    FORWARD(container_begin(out, &store_kind));
    writer->parts[STORE_DEP].place = out->written;
    return fault_none();
}

struct store_writer *store_writer_open(const char *path, struct fault *error)
{
    struct store_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL || (writer->path = strdup(path)) == NULL) {
        free(writer);
        *error = fault_memory(path, NULL);
        return NULL;
    }
    for (int part = 0; part < STORE_PARTS; part++)
        writer->parts[part].out = (struct container_writer){.path = writer->path, .file = -1};
    writer->piece = malloc(PIECE_BYTES);
    writer->dep = store_dep_encoder_new();
    writer->fetch = store_fetch_encoder_new();
    if (writer->piece == NULL || writer->dep == NULL || writer->fetch == NULL)
        *error = fault_memory(writer->path, NULL);
    else if (WORKS(*error, store_writer_open_files(writer)))
        return writer;
    store_writer_discard(writer);
    return NULL;
}

void store_writer_hand_on(struct store_writer *writer, struct store_block_taker taker)
{
    writer->taker = taker;
}

static struct fault store_writer_put_block(struct store_writer *writer, enum store_part which,
                                           struct store_columns *columns, uint64_t first_key)
{
    struct part *const part = &writer->parts[which];
    struct store_index index = {.place = part->place, .first_record = part->first_record, .first_key = first_key};
    const struct column *const chunk = &columns->chunk;

    if (columns->records == 0)
        return fault_none();
    if (!store_columns_finish(columns, which == STORE_DEP ? STORE_DEP_BLOCK : STORE_FETCH_BLOCK))
        return fault_memory(writer->path, NULL);
    index.bytes = columns->block_bytes;
    column_put_word(&part->index, index.place);
    column_put_word(&part->index, index.first_record);
    column_put_word(&part->index, index.first_key);
    part->blocks++;
    part->first_record = part->count;
    part->place += chunk->length;
    if (!part->has_failed)
        part->has_failed = FAILS(part->error, which == STORE_DEP
                                 ? store_writer_append(writer, chunk->at, chunk->length)
                                 : container_write(&part->out, chunk->at, chunk->length));
    if (writer->taker.take != NULL)
        return writer->taker.take(writer->taker.owner, which, columns, &index)
            ? fault_none() : fault_make(FAULT_STALL, "%s: its blocks are no longer taken", writer->path);
    return part->error;
}

static struct fault put_dep_block(struct store_writer *writer)
{
    struct fault fault = fault_none();
    bool good;

    store_dep_end_block(writer->dep);
    good = WORKS(fault, store_writer_put_block(writer, STORE_DEP, store_dep_columns(writer->dep),
                                               store_dep_first_key(writer->dep)));
    store_dep_next_block(writer->dep);
    return good ? fault_none() : fault;
}

static struct fault put_fetch_block(struct store_writer *writer)
{
    struct fault const fault = store_writer_put_block(writer, STORE_FETCH, store_fetch_columns(writer->fetch),
                                                      store_fetch_first_key(writer->fetch));

    store_fetch_next_block(writer->fetch);
    return fault;
}

struct fault store_writer_record(struct store_writer *writer, const struct dep_record *record)
{
    if (!store_dep_encode(writer->dep, record, NULL))
        return fault_memory(writer->path, NULL);
    writer->parts[STORE_DEP].count++;
    return !store_dep_block_is_full(writer->dep) ? fault_none() : put_dep_block(writer);
}

static __attribute__((noinline)) enum dep_result read_next(struct store_writer *writer, struct dep_reader *reader,
                                                           struct fault *error)
{
    struct dep_record record;
    enum dep_result const result = dep_reader_next(reader, &record, error);

    if (result == DEP_RECORD && !store_dep_encode(writer->dep, &record, dep_reader_is_of(reader, &record))) {
        *error = fault_memory(writer->path, NULL);
        return DEP_ERROR;
    }
    return result;
}

enum dep_result store_writer_records(struct store_writer *writer, struct dep_reader *reader, struct fault *error)
{
    do {
        if (!store_dep_encode_seen(writer->dep, reader)) {
            enum dep_result const result = read_next(writer, reader, error);

            if (result != DEP_RECORD)
                return result;
        }
        writer->parts[STORE_DEP].count++;
    } while (!store_dep_block_is_full(writer->dep));
    return WORKS(*error, put_dep_block(writer)) ? DEP_RECORD : DEP_ERROR;
}

struct fault store_writer_fetch(struct store_writer *writer, const struct packet_record *record)
{
    store_fetch_encode(writer->fetch, record, NULL);
    writer->parts[STORE_FETCH].count++;
    return !store_fetch_block_is_full(writer->fetch) ? fault_none() : put_fetch_block(writer);
}

enum packet_result store_writer_fetches(struct store_writer *writer, struct packet_reader *reader,
                                        struct fault *error)
{
    do {
        struct packet_seen seen;
        bool const is_seen = packet_reader_seen(reader, &seen);

        if (is_seen && store_fetch_encode_seen(writer->fetch, &seen)) {
            packet_reader_took(reader, &seen);
        } else {
            struct packet_record record;
            enum packet_result const result = packet_reader_next(reader, &record, error);

            if (result != PACKET_RECORD)
                return result;
            store_fetch_encode(writer->fetch, &record, is_seen && reader->was_usual ? &seen : NULL);
        }
        writer->parts[STORE_FETCH].count++;
    } while (!store_fetch_block_is_full(writer->fetch));
    return WORKS(*error, put_fetch_block(writer)) ? PACKET_RECORD : PACKET_ERROR;
}

struct fault store_writer_end_part(struct store_writer *writer, enum store_part part)
{
    return part == STORE_DEP ? put_dep_block(writer) : put_fetch_block(writer);
}

/* Copies the fetch blocks behind the dependence blocks. */
static struct fault join_parts(struct store_writer *writer)
{
    struct fault fault = fault_none();
    struct part *const dep = &writer->parts[STORE_DEP], *const fetch = &writer->parts[STORE_FETCH];
    uint8_t *const piece = malloc(COPY_BYTES);
    uint64_t at = 0;
    bool good = piece != NULL || WORKS(fault, fault_memory(writer->path, NULL));

    for (uint64_t i = 0; i < fetch->blocks && !fetch->index.failed; i++) {
        uint8_t *const place = fetch->index.at + STORE_INDEX_BYTES * i;

        bits_store64(place, bits_load64(place) + dep->place);
    }
    while (good && at < fetch->place) {
        ssize_t const got = pread(fetch->out.file, piece, COPY_BYTES, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            good = WORKS(fault, store_writer_fail(writer, got < 0 ? strerror(errno) : "its fetches are gone"));
        else
            good = WORKS(fault, store_writer_append(writer, piece, (size_t)got));
        at += got > 0 ? (uint64_t)got : 0;
    }
    dep->place += fetch->place;
    free(piece);
    return (good && WORKS(fault, write_piece(writer))) ? fault_none() : fault;
}

static struct fault put_meta(struct store_writer *writer, const struct store_about *about)
{
    struct column meta = {0};
    struct fault fault;

    container_chunk_begin(&meta);
    put_headers(&meta, about);
    for (int part = 0; part < STORE_PARTS; part++)
        store_writer_put_part(&meta, writer, about, part);
    fault = store_end(&writer->parts[STORE_DEP].out, &meta, &writer->learnt);
    column_free(&meta);
    return fault;
}

static void free_encoders(struct store_writer *writer)
{
    store_dep_encoder_free(writer->dep);
    store_fetch_encoder_free(writer->fetch);
    writer->dep = NULL;
    writer->fetch = NULL;
}

static void free_writer(struct store_writer *writer)
{
    for (int part = 0; part < STORE_PARTS; part++) {
        column_free(&writer->parts[part].index);
        if (writer->parts[part].out.file >= 0)
            close(writer->parts[part].out.file);
    }
    free_encoders(writer);
    free(writer->piece);
    free(writer->path);
    output_file_drop(&writer->output);
    free(writer);
}

static struct fault all_blocks_are_written(const struct store_writer *writer)
{
    for (int part = 0; part < STORE_PARTS; part++)
        if (writer->parts[part].has_failed)
            return writer->parts[part].error;
    return fault_none();
}

static bool finish_file(struct store_writer *writer, const struct store_about *about)
{
    struct fault *const error = &writer->error;
    int const file = writer->parts[STORE_DEP].out.file;

    if (FAILS(*error, store_writer_end_part(writer, STORE_DEP))
        || FAILS(*error, store_writer_end_part(writer, STORE_FETCH)) || FAILS(*error, all_blocks_are_written(writer))
        || FAILS(*error, join_parts(writer)) || FAILS(*error, put_meta(writer, about)))
        return false;
    writer->parts[STORE_DEP].out.file = -1;
    return close(file) == 0 || WORKS(*error, store_writer_fail(writer, strerror(errno)));
}

void store_writer_keep(struct store_writer *writer, const struct store_learnt *learnt)
{
    writer->learnt = *learnt;
}

void store_writer_finish(struct store_writer *writer, const struct store_about *about)
{
    if (writer->is_finished)
        return;
    writer->is_good = finish_file(writer, about);
    writer->is_finished = true;
    free_encoders(writer);
}

struct fault store_writer_close(struct store_writer *writer, const struct store_about *about)
{
    struct fault fault = fault_none();
    bool good;

    store_writer_finish(writer, about);
    good = writer->is_good;
    if (!good)
        fault = writer->error;
    else
        good = (fault = output_file_take_unforced(&writer->output)).kind == FAULT_NONE;
    if (good)
        free_writer(writer);
    else
        store_writer_discard(writer);
    return good ? fault_none() : fault;
}

void store_writer_discard(struct store_writer *writer)
{
    if (writer == NULL)
        return;
    free_writer(writer);
}
