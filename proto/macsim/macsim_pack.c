/* Streams are compressed anew, level 6, so a pack depends on the records alone, not on their previous compression. */
#include "proto/macsim/macsim_pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/output_file.h"
#include "proto/macsim/set.h"
#include "proto/store/store_file.h"

enum { GZIP_BITS = 15 + 16, LEVEL = 6, CHUNK_BYTES = 1 << 16, STREAM_WORDS = 3, PART_WORDS = 6 };

enum pack_chunk { PACK_STREAM = 1, PACK_INDEX };

static const struct container_kind pack_kind = {
    .magic = MACSIM_PACK_MAGIC, .name = "a pack of MacSim threads", .mend = STORE_MEND, .index = PACK_INDEX
};

struct macsim_pack {
    struct container file;
    struct macsim_packed_part *parts;
    size_t count;
};

/* ---- writing */

struct packer {
    struct container_writer out;
    struct column index;
};

struct member {                          /* a gzip member being written */
    z_stream deflate;
    uint8_t out[CHUNK_BYTES];
};

/* Compresses the stream's pending input; with `ends` also flushes the compressor. */
static struct fault deflate_some(struct packer *packer, struct member *member, bool ends)
{
    int code = Z_OK;

    do {
        size_t count;

        member->deflate.next_out = member->out;
        member->deflate.avail_out = CHUNK_BYTES;
        code = deflate(&member->deflate, ends ? Z_FINISH : Z_NO_FLUSH);
        count = CHUNK_BYTES - member->deflate.avail_out;
        FORWARD(container_write(&packer->out, member->out, count));
    } while (member->deflate.avail_out == 0 || (ends && code != Z_STREAM_END));
    return fault_none();
}

static struct fault copy_records(struct packer *packer, struct member *member, struct macsim_stream *stream)
{
    struct fault fault = fault_none();
    const uint8_t *bytes;
    enum macsim_step step;

    while ((step = macsim_stream_next_bytes(stream, &bytes, &fault)) == MACSIM_RECORD) {
        member->deflate.next_in = (Bytef *)(uintptr_t)bytes;         /* only read */
        member->deflate.avail_in = (uInt)stream->record_bytes;
        FORWARD(deflate_some(packer, member, false));
    }
    return (step == MACSIM_END && WORKS(fault, deflate_some(packer, member, true))) ? fault_none() : fault;
}

static struct fault write_stream(struct packer *packer, const struct macsim_part *part, size_t index)
{
    struct fault fault = fault_none();
    const struct macsim_thread *const thread = &part->header.threads[index];
    struct member *const member = calloc(1, sizeof *member);
    uint64_t const place = packer->out.written;
    struct macsim_stream stream;
    bool good;

    if (member == NULL
        || deflateInit2(&member->deflate, LEVEL, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(member);
        return fault_memory(packer->out.path, NULL);
    }
    good = WORKS(fault, container_put_begin(&packer->out)) && WORKS(fault, macsim_part_open(part, index, &stream));
    if (good) {
        good = WORKS(fault, copy_records(packer, member, &stream))
            && WORKS(fault, container_put_end(&packer->out, place, PACK_STREAM));
        macsim_stream_close(&stream);
    }
    deflateEnd(&member->deflate);
    column_put_word(&packer->index, thread->id);
    column_put_word(&packer->index, thread->start);
    column_put_word(&packer->index, place);
    free(member);
    return good ? fault_none() : fault;
}

static void macsim_pack_put_line(struct column *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void macsim_pack_put_line(struct column *text, const char *format, ...)
{
    char line[100];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    column_put_bytes(text, line, (size_t)length);
}

/* The header's text in the order of its era, of the part's threads. */
static void put_header(struct column *index, const struct macsim_header *header)
{
    const char *const kind = macsim_kind_name(header->kind);
    struct column text = {0};

    if (header->era == MACSIM_ERA_2011)
        macsim_pack_put_line(&text, "%zu %s\n", header->thread_count, kind);
    else if (header->era == MACSIM_ERA_2013_APRIL)
        macsim_pack_put_line(&text, "%.40s %zu %s\n", header->version, header->thread_count, kind);
    else
        macsim_pack_put_line(&text, "%s %.40s\n%zu\n", kind, header->version, header->thread_count);
    for (size_t i = 0; i < header->thread_count; i++)
        macsim_pack_put_line(&text, "%" PRIu64 " %" PRIu64 "\n", header->threads[i].id, header->threads[i].start);
    column_put_word(index, text.length);
    column_put_bytes(index, text.at, text.length);
    index->failed = index->failed || text.failed;
    free(text.at);
}

static struct fault write_part(struct packer *packer, const struct macsim_part *part)
{
    struct column *const index = &packer->index;
    const struct macsim_format *const format = &part->detection.format;

    store_meta_put_text(index, part->has_header ? part->header.path : part->header.base);
    if (part->has_header)
        put_header(index, &part->header);
    else
        store_meta_put_text(index, "");
    column_put_word(index, format->layout);
    column_put_word(index, format->opcodes);
    column_put_word(index, format->registers);
    column_put_word(index, part->header.thread_count);
    for (size_t i = 0; i < part->header.thread_count; i++)
        FORWARD(write_stream(packer, part, i));
    return fault_none();
}

static struct fault write_parts(struct packer *packer, const struct macsim_set *set, size_t *threads)
{
    uint64_t count = 0;

    *threads = 0;
    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            if (!set->applications[a].parts[p].is_gpu) {
                count++;
                *threads += set->applications[a].parts[p].header.thread_count;
            }
    if (count == 0)
        return fault_at(set->path, FAULT_NO_OFFSET, "no thread of a CPU in the set; expected x86 or a64");
    container_chunk_begin(&packer->index);
    column_put_word(&packer->index, count);
    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            if (!set->applications[a].parts[p].is_gpu)
                FORWARD(write_part(packer, &set->applications[a].parts[p]));
    return container_end(&packer->out, &packer->index, &pack_kind);
}

struct fault macsim_pack_write(const struct macsim_set *set, const char *path, size_t *threads, uint64_t *bytes)
{
    struct fault fault = fault_none();
    struct packer packer = {.out.path = path};
    struct output_file output;
    bool good;

    fault = output_file_open_anywhere(&output, path);
    if (fault.kind != FAULT_NONE)
        return fault;
    packer.out.file = output.descriptor;
    good = WORKS(fault, container_begin(&packer.out, &pack_kind)) && WORKS(fault, write_parts(&packer, set, threads));
    *bytes = packer.out.written;
    if (close(packer.out.file) != 0 && good)
        good = WORKS(fault, fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno)));
    if (good)
        good = (fault = output_file_take(&output)).kind == FAULT_NONE;
    output_file_drop(&output);
    column_free(&packer.index);
    return good ? fault_none() : fault;
}

/* ---- reading */

bool macsim_pack_detect(const char *path)
{
    return container_detect(path, &pack_kind);
}

static struct fault chunk_at(const struct macsim_pack *pack, uint64_t place, bool hashes, struct container_chunk *chunk)
{
    FORWARD(container_chunk_at(&pack->file, &pack_kind, place, hashes, chunk));
    return chunk->kind == PACK_STREAM ? fault_none()
        : fault_at(pack->file.name, place, "the pack's index names another chunk; " STORE_MEND);
}

static void take_stream(struct macsim_pack *pack, struct column_bytes *meta, struct macsim_packed_stream *stream)
{
    struct container_chunk chunk;

    stream->id = column_take_word(meta);
    stream->start = column_take_word(meta);
    stream->place = column_take_word(meta);
    meta->failed = meta->failed || chunk_at(pack, stream->place, false, &chunk).kind != FAULT_NONE;
    if (meta->failed)
        return;
    stream->hash = chunk.hash;
    stream->data = chunk.bytes;
    stream->size = (size_t)chunk.length;
}

static void take_part(struct macsim_pack *pack, struct column_bytes *meta, struct macsim_packed_part *part)
{
    part->pack = pack->file.name;
    part->path = store_meta_take_new_text(meta);
    part->header = store_meta_take_new_text(meta);
    part->format.layout = (enum macsim_layout)column_take_word(meta);
    part->format.opcodes = (enum macsim_dialect)column_take_word(meta);
    part->format.registers = (enum macsim_registers)column_take_word(meta);
    meta->failed = meta->failed || (uint64_t)part->format.layout >= MACSIM_LAYOUT_COUNT
        || macsim_layout_is_gpu(part->format.layout)
        || (uint64_t)part->format.opcodes >= MACSIM_DIALECT_COUNT
        || (uint64_t)part->format.registers >= MACSIM_REGISTERS_COUNT;
    part->stream_count = store_meta_take_count(meta, 8 * STREAM_WORDS);
    part->streams = calloc(part->stream_count + 1, sizeof *part->streams);
    meta->failed = meta->failed || part->streams == NULL || part->stream_count == 0;
    for (size_t i = 0; !meta->failed && i < part->stream_count; i++)
        take_stream(pack, meta, &part->streams[i]);
}

static struct fault read_index(struct macsim_pack *pack)
{
    struct container_chunk index;
    struct column_bytes meta;

    FORWARD(container_index(&pack->file, &pack_kind, &index));
    meta = (struct column_bytes){.at = index.bytes, .end = index.bytes + index.length};
    pack->count = store_meta_take_count(&meta, 8 * PART_WORDS);
    pack->parts = calloc(pack->count + 1, sizeof *pack->parts);
    meta.failed = meta.failed || pack->parts == NULL;
    for (size_t i = 0; !meta.failed && i < pack->count; i++)
        take_part(pack, &meta, &pack->parts[i]);
    if (meta.failed)
        return fault_at(pack->file.name, FAULT_NO_OFFSET, "the pack's index is inconsistent; " STORE_MEND);
    return fault_none();
}

struct macsim_pack *macsim_pack_open(const char *path, struct fault *error)
{
    struct macsim_pack *const pack = calloc(1, sizeof *pack);

    if (pack == NULL) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    if (FAILS(*error, container_map(&pack->file, path, &pack_kind))) {
        free(pack);
        return NULL;
    }
    if (WORKS(*error, read_index(pack)))
        return pack;
    macsim_pack_close(pack);
    return NULL;
}

void macsim_pack_close(struct macsim_pack *pack)
{
    if (pack == NULL)
        return;
    for (size_t i = 0; pack->parts != NULL && i < pack->count; i++) {
        free(pack->parts[i].path);
        free(pack->parts[i].header);
        free(pack->parts[i].streams);
    }
    free(pack->parts);
    container_close(&pack->file);
    free(pack);
}

size_t macsim_pack_count(const struct macsim_pack *pack)
{
    return pack->count;
}

const struct macsim_packed_part *macsim_pack_part(const struct macsim_pack *pack, size_t index)
{
    return &pack->parts[index];
}

struct fault macsim_pack_check(const struct macsim_pack *pack)
{
    for (size_t p = 0; p < pack->count; p++)
        for (size_t i = 0; i < pack->parts[p].stream_count; i++) {
            const struct macsim_packed_stream *const stream = &pack->parts[p].streams[i];
            struct container_chunk chunk;

            if (chunk_at(pack, stream->place, true, &chunk).kind != FAULT_NONE)
                return fault_at(pack->file.name, stream->place, "thread %" PRIu64 " is damaged; " STORE_MEND,
                                stream->id);
        }
    return fault_none();
}
