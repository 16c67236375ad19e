/* Chunks are appended to the file; a kernel's tables follow its last chunk, and the index is at the end. The head is
 * written last, so the file of a killed writer is not a valid store, even under its own name. */
#define _POSIX_C_SOURCE 200809L
#include "proto/gpu/store_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/list.h"
#include "base/output_file.h"
#include "proto/gpu/store_encode.h"
#include "proto/gpu/store_format.h"
#include "proto/store/pack.h"

struct written_command {
    struct gpu_command plain;            /* without a file */
    size_t kernel;
};

struct gpu_store_writer {
    char *path;
    struct output_file output;
    int file;
    uint64_t place;                  /* where the next part goes */
    struct gpu_store_kernel *kernels;
    size_t kernel_count, kernel_room;
    struct written_command *commands;
    size_t command_count, command_room;
    struct gpu_chunk_encoder *encoder;
    struct text index;               /* of the kernel's chunks, GPU_CHUNK_INDEX_WORDS each */
    uint64_t hash;                   /* of the hashes of all kernels */
};

static struct fault no_memory(const struct gpu_store_writer *writer)
{
    return fault_memory(writer->path, NULL);
}

static uint64_t hash_pair(uint64_t first, uint64_t second)
{
    uint64_t const pair[2] = {first, second};

    return hash64(pair, sizeof pair);
}

static struct fault put_part(struct gpu_store_writer *writer, const void *bytes, size_t count)
{
    struct fault fault = fault_none();

    if (FAILS(fault, store_file_write_at(writer->path, writer->file, bytes, count, writer->place))) {
        /* What follows may still fit in its place; if not, that fails by itself. */
        const int unused = ftruncate(writer->file, (off_t)writer->place);

        (void)unused;
        return fault;
    }
    writer->place += count;
    return fault_none();
}

/* --- a kernel ----------------------------------------------------------------------------------------------------- */

static void put_header(struct text *text, const struct gpu_header *header)
{
    store_meta_put_text(text, header->name != NULL ? header->name : "");
    store_meta_put_word(text, header->id);
    store_meta_put_word(text, header->stream);
    for (int i = 0; i < 3; i++)
        store_meta_put_word(text, header->grid[i]);
    for (int i = 0; i < 3; i++)
        store_meta_put_word(text, header->block[i]);
    store_meta_put_word(text, header->shmem_bytes);
    store_meta_put_word(text, header->nregs);
    store_meta_put_word(text, header->binary_version);
    store_meta_put_word(text, header->shmem_base);
    store_meta_put_word(text, header->local_base);
    store_meta_put_text(text, header->nvbit_version);
    store_meta_put_text(text, header->tracer_version);
    store_meta_put_word(text, header->tracer_major);
    store_meta_put_word(text, header->has_line_info);
    store_meta_put_word(text, header->warp_size);
    store_meta_put_word(text, header->isa);
    store_meta_put_word(text, header->max_blocks);
    store_meta_put_word(text, header->other_count);
    for (size_t i = 0; i < header->other_count; i++) {
        store_meta_put_text(text, header->others[i].key);
        store_meta_put_text(text, header->others[i].value);
    }
}

static void put_warnings(struct text *text, char *const *warnings, size_t count)
{
    store_meta_put_word(text, count);
    for (size_t i = 0; i < count; i++)
        store_meta_put_text(text, warnings[i]);
}

static void put_opcodes(struct text *text, const struct gpu_kernel *kernel)
{
    bool *const have_addresses = calloc(kernel->opcode_count + 1, sizeof *have_addresses);

    text->failed = text->failed || have_addresses == NULL;
    if (text->failed) {
        free(have_addresses);
        return;
    }
    for (size_t i = 0; i < kernel->static_count; i++)
        if (kernel->statics[i].traced_width != 0)
            have_addresses[kernel->statics[i].opcode] = true;
    store_meta_put_word(text, kernel->opcode_count);
    for (size_t i = 0; i < kernel->opcode_count; i++) {
        store_meta_put_text(text, kernel->opcodes[i].text);
        store_meta_put_word(text, have_addresses[i]);
    }
    free(have_addresses);
}

static void put_statics(struct text *text, const struct gpu_kernel *kernel)
{
    struct text column = {0};
    uint64_t pc = 0;

    for (size_t i = 0; i < kernel->static_count; i++) {
        const struct gpu_static *const one = &kernel->statics[i];

        gpu_store_put_varint(&column, bits_zigzag(one->pc - pc));
        pc = one->pc;
        gpu_store_put_varint(&column, bits_zigzag((uint64_t)one->immediate));
        gpu_store_put_varint(&column, one->line);
        gpu_store_put_varint(&column, one->opcode);
        gpu_store_put_varint(&column, one->width_bytes);
        gpu_store_put_varint(&column, one->traced_width);
        gpu_store_put_varint(&column, one->destination_count);
        gpu_store_put_varint(&column, one->source_count);
        for (unsigned j = 0; j < (unsigned)one->destination_count + one->source_count; j++)
            gpu_store_put_varint(&column, one->registers[j]);
    }
    store_meta_put_word(text, kernel->static_count);
    store_meta_put_word(text, column.length);
    text_put_bytes(text, column.at, column.length);
    text->failed = text->failed || column.failed;
    free(column.at);
}

static struct gpu_store_kernel *last_kernel(struct gpu_store_writer *writer)
{
    return &writer->kernels[writer->kernel_count - 1];
}

struct fault gpu_store_writer_kernel(struct gpu_store_writer *writer, const char *file, size_t *number)
{
    char *const name = strdup(file);

    if (name == NULL
        || !list_fit(&writer->kernels, writer->kernel_count + 1, &writer->kernel_room, sizeof *writer->kernels)) {
        free(name);
        return no_memory(writer);
    }
    *number = writer->kernel_count;
    writer->kernels[writer->kernel_count++] = (struct gpu_store_kernel){.file = name};
    gpu_chunk_next_kernel(writer->encoder);
    writer->index.length = 0;
    return fault_none();
}

static struct fault put_chunk(struct gpu_store_writer *writer)
{
    struct gpu_store_kernel *const about = last_kernel(writer);
    struct gpu_chunk chunk;
    uint64_t place;

    if (!gpu_chunk_finish(writer->encoder, (uint32_t)(writer->kernel_count - 1), &chunk))
        return no_memory(writer);
    if (chunk.count == 0)
        return fault_none();
    place = writer->place;
    FORWARD(put_part(writer, chunk.bytes, chunk.count));
    store_meta_put_word(&writer->index, place);
    store_meta_put_word(&writer->index, chunk.count);
    store_meta_put_word(&writer->index, hash64(chunk.bytes, chunk.count));
    store_meta_put_word(&writer->index, chunk.first_block);
    store_meta_put_word(&writer->index, chunk.insts);
    about->blocks += chunk.blocks;
    about->insts += chunk.insts;
    return fault_none();
}

struct fault gpu_store_writer_block(struct gpu_store_writer *writer, const struct gpu_block *block)
{
    gpu_chunk_put(writer->encoder, block);
    return !gpu_chunk_is_full(writer->encoder) ? fault_none() : put_chunk(writer);
}

/* Without a source file, the hash is that of chunks and tables, independent of their places. */
static uint64_t hash_of_content(const struct gpu_store_writer *writer, const struct gpu_store_kernel *about)
{
    uint64_t hash = about->hash;

    for (size_t at = 0; at < writer->index.length; at += sizeof(uint64_t) * GPU_CHUNK_INDEX_WORDS) {
        uint64_t chunk_hash;

        memcpy(&chunk_hash, writer->index.at + at + 2 * sizeof chunk_hash, sizeof chunk_hash);
        hash = hash_pair(hash, chunk_hash);
    }
    return hash;
}

/* Writes a kernel's tables, once all of its blocks are read. */
static struct fault put_tables(struct gpu_store_writer *writer, const struct gpu_kernel *kernel,
                               size_t warnings_at_opening)
{
    struct fault fault = fault_none();
    struct gpu_store_kernel *const about = last_kernel(writer);
    struct text text = {0};
    size_t content;
    bool good;

    store_meta_put_word(&text, writer->kernel_count - 1);
    put_header(&text, &kernel->header);
    store_meta_put_word(&text, warnings_at_opening);
    put_warnings(&text, kernel->warnings, kernel->warning_count);
    put_opcodes(&text, kernel);
    put_statics(&text, kernel);
    content = text.length;
    store_meta_put_word(&text, writer->index.length / (8 * GPU_CHUNK_INDEX_WORDS));
    text_put_bytes(&text, writer->index.at, writer->index.length);
    if (text.failed || writer->index.failed) {
        free(text.at);
        return no_memory(writer);
    }
    about->hash = hash64(text.at, content);
    about->source.hash = hash_of_content(writer, about);
    about->place = writer->place;
    about->bytes = text.length;
    about->hash = hash64(text.at, text.length);
    good = WORKS(fault, put_part(writer, text.at, text.length));
    free(text.at);
    return good ? fault_none() : fault;
}

struct fault gpu_store_writer_kernel_end(struct gpu_store_writer *writer, const struct gpu_kernel *kernel,
                                         size_t warnings_at_opening, const struct store_source *source,
                                         const struct gpu_streams *streams)
{
    struct gpu_store_kernel *const about = last_kernel(writer);

    FORWARD(put_chunk(writer));
    FORWARD(put_tables(writer, kernel, warnings_at_opening));
    if (source == NULL && (about->source.path = strdup("")) == NULL)
        return no_memory(writer);
    if (source != NULL)
        about->source = *source;
    if (streams != NULL)
        about->streams = *streams;
    writer->hash = hash_pair(writer->hash, about->source.hash);
    return fault_none();
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

struct fault gpu_store_writer_command(struct gpu_store_writer *writer, const struct gpu_command *command,
                                      size_t kernel)
{
    if (!list_fit(&writer->commands, writer->command_count + 1, &writer->command_room, sizeof *writer->commands))
        return no_memory(writer);
    writer->commands[writer->command_count] = (struct written_command){*command, kernel};
    writer->commands[writer->command_count++].plain.file = NULL;
    return fault_none();
}

static struct fault put_meta(struct gpu_store_writer *writer, const struct store_source *source, char *const *warnings,
                             size_t warning_count)
{
    struct fault fault = fault_none();
    struct store_source about_list = *source;
    struct text text = {0};
    bool good;

    if (about_list.hash == 0)
        about_list.hash = writer->hash;
    store_meta_put_source(&text, &about_list);
    put_warnings(&text, warnings, warning_count);
    store_meta_put_word(&text, writer->kernel_count);
    for (size_t i = 0; i < writer->kernel_count; i++) {
        const struct gpu_store_kernel *const kernel = &writer->kernels[i];

        store_meta_put_text(&text, kernel->file);
        store_meta_put_source(&text, &kernel->source);
        store_meta_put_word(&text, kernel->streams.count);
        store_meta_put_word(&text, kernel->streams.bytes);
        store_meta_put_word(&text, kernel->streams.hash);
        store_meta_put_word(&text, kernel->blocks);
        store_meta_put_word(&text, kernel->insts);
        store_meta_put_word(&text, kernel->place);
        store_meta_put_word(&text, kernel->bytes);
        store_meta_put_word(&text, kernel->hash);
    }
    store_meta_put_word(&text, writer->command_count);
    for (size_t i = 0; i < writer->command_count; i++) {
        const struct written_command *const command = &writer->commands[i];

        store_meta_put_word(&text, command->plain.kind);
        store_meta_put_word(&text, command->plain.line);
        store_meta_put_word(&text, command->plain.address);
        store_meta_put_word(&text, command->plain.bytes);
        store_meta_put_word(&text, command->kernel);
    }
    good = text.failed ? WORKS(fault, no_memory(writer))
                       : WORKS(fault, store_file_end(writer->path, writer->file, &gpu_store_kind, text.at, text.length,
                                                     writer->place));
    free(text.at);
    return good ? fault_none() : fault;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

struct gpu_store_writer *gpu_store_writer_open(const char *path, struct fault *error)
{
    struct gpu_store_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL || (writer->path = strdup(path)) == NULL) {
        free(writer);
        *error = fault_memory(path, NULL);
        return NULL;
    }
    writer->file = -1;
    writer->place = STORE_HEAD_BYTES;
    writer->encoder = gpu_chunk_encoder_new();
    if (writer->encoder == NULL) {
        *error = no_memory(writer);
        gpu_store_writer_abandon(writer);
        return NULL;
    }
    *error = output_file_open_anywhere(&writer->output, path);
    if (error->kind != FAULT_NONE) {
        gpu_store_writer_abandon(writer);
        return NULL;
    }
    writer->file = writer->output.descriptor;
    return writer;
}

uint64_t gpu_store_writer_bytes(const struct gpu_store_writer *writer)
{
    return writer->place;
}

static struct fault end_file(struct gpu_store_writer *writer)
{
    struct fault fault = fault_none();
    int const file = writer->file;

    writer->file = -1;
    if (close(file) != 0)
        return fault_at(writer->path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
    fault = output_file_take_unforced(&writer->output);
    return fault;
}

struct fault gpu_store_writer_finish(struct gpu_store_writer *writer, const struct store_source *source,
                                     char *const *warnings, size_t warning_count)
{
    struct fault fault = fault_none();
    bool const good
        = WORKS(fault, put_meta(writer, source, warnings, warning_count)) && WORKS(fault, end_file(writer));

    gpu_store_writer_abandon(writer);
    return good ? fault_none() : fault;
}

void gpu_store_writer_abandon(struct gpu_store_writer *writer)
{
    if (writer->file >= 0)
        close(writer->file);
    output_file_drop(&writer->output);
    for (size_t i = 0; i < writer->kernel_count; i++) {
        free(writer->kernels[i].file);
        free(writer->kernels[i].source.path);
    }
    gpu_chunk_encoder_free(writer->encoder);
    free(writer->kernels);
    free(writer->commands);
    free(writer->index.at);
    free(writer->path);
    free(writer);
}
