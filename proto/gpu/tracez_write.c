/* A frame is written when it has its lines; what stands before the frames of a warp, the number of its lines and of its
 * frames, is known only at its end, so a warp's frames wait for that. The index waits for all. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bits.h"
#include "proto/container/column.h"
#include "proto/gpu/tracez.h"

enum { LEVEL = 3, DICTIONARY_MAX = 64 * 1024, DICTIONARY_LEAST = 64 };

struct gpu_tracez_writer {
    struct sink *to;
    uint64_t written;                /* bytes of the file */
    ZSTD_CCtx *context;
    ZSTD_CDict *dictionary;          /* NULL: none */
    bool is_begun;                   /* the dictionary is written; until then lines are kept */
    struct column kept, kept_counts; /* the lines, and how many each warp has */
    struct column text, frames;      /* of a frame, of a warp */
    struct column counts, index;     /* lines of each frame of the warp; the index up to the warp before */
    uint32_t lines, chunk_lines, chunks, blocks, warps;
    size_t warps_at;                 /* place of the block's number of warps in the index */
    bool in_warp;
};

static void put_word(struct column *column, uint32_t word)
{
    uint8_t bytes[4];

    bits_store32(bytes, word);
    column_put_bytes(column, bytes, sizeof bytes);
}

struct gpu_tracez_writer *gpu_tracez_writer_new(struct sink *to)
{
    struct gpu_tracez_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL)
        return NULL;
    writer->to = to;
    writer->context = ZSTD_createCCtx();
    if (writer->context != NULL)
        return writer;
    free(writer);
    return NULL;
}

void gpu_tracez_writer_free(struct gpu_tracez_writer *writer)
{
    if (writer == NULL)
        return;
    column_free(&writer->kept);
    column_free(&writer->kept_counts);
    column_free(&writer->text);
    column_free(&writer->frames);
    column_free(&writer->counts);
    column_free(&writer->index);
    ZSTD_freeCCtx(writer->context);
    ZSTD_freeCDict(writer->dictionary);
    free(writer);
}

static struct fault no_room(const struct gpu_tracez_writer *writer)
{
    return fault_memory(sink_name(writer->to), "a .tracez");
}

static struct fault put_bytes(struct gpu_tracez_writer *writer, const void *bytes, size_t count)
{
    writer->written += count;
    return sink_write(writer->to, bytes, count);
}

struct fault gpu_tracez_writer_header(struct gpu_tracez_writer *writer, const void *text, size_t bytes)
{
    return put_bytes(writer, text, bytes);
}

/* ---- frames and warps */

static struct fault put_frame(struct gpu_tracez_writer *writer)
{
    struct column *const frames = &writer->frames;
    size_t const bytes = writer->text.length > 0 ? writer->text.length - 1 : 0;      /* without the last newline */
    size_t const bound = ZSTD_compressBound(bytes);
    size_t made;

    if (writer->chunk_lines == 0)
        return fault_none();
    if (!column_fit(frames, 4 + bound))
        return no_room(writer);
    made = writer->dictionary != NULL
        ? ZSTD_compress_usingCDict(writer->context, frames->at + frames->length + 4, bound, writer->text.at, bytes,
                                   writer->dictionary)
        : ZSTD_compressCCtx(writer->context, frames->at + frames->length + 4, bound, writer->text.at, bytes, LEVEL);
    if (ZSTD_isError(made))
        return fault_at(sink_name(writer->to), FAULT_NO_OFFSET, "cannot be written: %s", ZSTD_getErrorName(made));
    bits_store32(frames->at + frames->length, (uint32_t)made);
    frames->length += 4 + made;
    put_word(&writer->counts, writer->chunk_lines);
    writer->chunks++;
    writer->chunk_lines = 0;
    writer->text.length = 0;
    return fault_none();
}

static struct fault end_warp(struct gpu_tracez_writer *writer)
{
    uint8_t head[8];

    if (!writer->in_warp)
        return fault_none();
    writer->in_warp = false;
    FORWARD(put_frame(writer));
    put_word(&writer->index, writer->lines);
    put_word(&writer->index, writer->chunks);
    column_put_word(&writer->index, writer->written);
    column_put_bytes(&writer->index, writer->counts.at, writer->counts.length);
    if (writer->counts.failed || writer->index.failed)
        return no_room(writer);
    bits_store32(head, writer->lines);
    bits_store32(head + 4, writer->chunks);
    FORWARD(put_bytes(writer, head, sizeof head));
    return put_bytes(writer, writer->frames.at, writer->frames.length);
}

static struct fault begin_warp(struct gpu_tracez_writer *writer)
{
    FORWARD(end_warp(writer));
    writer->in_warp = true;
    writer->lines = writer->chunk_lines = writer->chunks = 0;
    writer->text.length = writer->frames.length = writer->counts.length = 0;
    return fault_none();
}

static struct fault put_line(struct gpu_tracez_writer *writer, const char *line, size_t bytes)
{
    column_put_bytes(&writer->text, line, bytes);
    if (writer->text.failed)
        return no_room(writer);
    writer->lines++;
    return ++writer->chunk_lines == GPU_TRACEZ_CHUNK_LINES ? put_frame(writer) : fault_none();
}

/* ---- the beginning: lines that are kept until there is a dictionary */

static struct fault put_kept(struct gpu_tracez_writer *writer)
{
    const char *line = (const char *)writer->kept.at;
    const char *const end = line + writer->kept.length;

    for (size_t i = 0; i < writer->kept_counts.length; i += 4) {
        FORWARD(begin_warp(writer));
        for (uint32_t left = bits_load32(writer->kept_counts.at + i); left > 0 && line < end; left--) {
            const char *const next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;

            FORWARD(put_line(writer, line, (size_t)(next - line)));
            line = next;
        }
    }
    column_free(&writer->kept);
    column_free(&writer->kept_counts);
    return fault_none();
}

/* The header's end, the dictionary, and what was kept. */
static struct fault begin(struct gpu_tracez_writer *writer)
{
    size_t const bytes = writer->kept.length < DICTIONARY_LEAST ? 0
        : writer->kept.length < DICTIONARY_MAX ? writer->kept.length : DICTIONARY_MAX;
    uint8_t head[9] = {0};

    if (writer->is_begun)
        return fault_none();
    writer->is_begun = true;
    if (writer->kept.failed || writer->kept_counts.failed)
        return no_room(writer);
    if (bytes > 0 && (writer->dictionary = ZSTD_createCDict(writer->kept.at, bytes, LEVEL)) == NULL)
        return no_room(writer);
    bits_store32(head + 1, (uint32_t)bytes);
    bits_store32(head + 5, GPU_TRACEZ_CHUNK_LINES);
    FORWARD(put_bytes(writer, head, sizeof head));
    FORWARD(put_bytes(writer, writer->kept.at, bytes));
    return put_kept(writer);
}

struct fault gpu_tracez_writer_warp(struct gpu_tracez_writer *writer)
{
    writer->warps++;
    if (writer->is_begun)
        return begin_warp(writer);
    put_word(&writer->kept_counts, 0);
    return writer->kept_counts.failed ? no_room(writer) : fault_none();
}

struct fault gpu_tracez_writer_line(struct gpu_tracez_writer *writer, const char *line, size_t bytes)
{
    uint8_t *count;

    if (writer->is_begun)
        return put_line(writer, line, bytes);
    count = writer->kept_counts.at + writer->kept_counts.length - 4;
    bits_store32(count, bits_load32(count) + 1);
    column_put_bytes(&writer->kept, line, bytes);
    return writer->kept.failed || writer->kept.length >= DICTIONARY_MAX ? begin(writer) : fault_none();
}

/* ---- blocks and the index */

static struct fault end_block(struct gpu_tracez_writer *writer)
{
    if (writer->blocks == 0)
        return fault_none();
    FORWARD(begin(writer));
    FORWARD(end_warp(writer));
    if (writer->index.failed)
        return no_room(writer);
    bits_store32(writer->index.at + writer->warps_at, writer->warps);
    return fault_none();
}

struct fault gpu_tracez_writer_block(struct gpu_tracez_writer *writer, const struct gpu_block *block)
{
    const struct gpu_cluster *const cluster = &block->cluster;
    uint32_t const words[] = {
        block->id[0], block->id[1], block->id[2], cluster->id[0], cluster->id[1], cluster->id[2], cluster->block[0],
        cluster->block[1], cluster->block[2], cluster->rank
    };

    FORWARD(end_block(writer));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        put_word(&writer->index, words[i]);
    writer->warps_at = writer->index.length;
    put_word(&writer->index, 0);
    writer->blocks++;
    writer->warps = 0;
    return writer->index.failed ? no_room(writer) : fault_none();
}

struct fault gpu_tracez_writer_finish(struct gpu_tracez_writer *writer)
{
    uint8_t word[8];
    uint64_t at;

    FORWARD(begin(writer));
    FORWARD(end_block(writer));
    at = writer->written;
    bits_store32(word, writer->blocks);
    FORWARD(put_bytes(writer, word, 4));
    FORWARD(put_bytes(writer, writer->index.at, writer->index.length));
    bits_store64(word, at);
    return put_bytes(writer, word, 8);
}
