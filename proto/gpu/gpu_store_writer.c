/* Chunks are appended to the file; a kernel's tables follow its last chunk, and the index and the trailer are at the
 * end: the file of a killed writer is refused. */
#include "proto/gpu/gpu_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/list.h"
#include "base/output_file.h"
#include "proto/gpu/gpu_store_format.h"

struct written_command {
    struct gpu_command plain;            /* without a file */
    size_t kernel;
};

struct gpu_store_writer {
    char *path;
    struct output_file output;
    struct container_writer out;
    struct gpu_store_kernel *kernels;
    size_t kernel_count, kernel_room;
    struct written_command *commands;
    size_t command_count, command_room;
    struct gpu_chunk_encoder *encoder;
    struct column index;               /* of the kernel's chunks, GPU_CHUNK_INDEX_WORDS each */
    uint64_t hash;                   /* of the hashes of all kernels */
};

static struct fault gpu_store_writer_no_memory(const struct gpu_store_writer *writer)
{
    return fault_memory(writer->path, NULL);
}

static uint64_t hash_pair(uint64_t first, uint64_t second)
{
    uint64_t const pair[2] = {first, second};

    return hash64(pair, sizeof pair);
}

/* --- a kernel ----------------------------------------------------------------------------------------------------- */

static void put_header(struct column *text, const struct gpu_header *header)
{
    store_meta_put_text(text, header->name != NULL ? header->name : "");
    column_put_word(text, header->id);
    column_put_word(text, header->stream);
    for (int i = 0; i < 3; i++)
        column_put_word(text, header->grid[i]);
    for (int i = 0; i < 3; i++)
        column_put_word(text, header->block[i]);
    column_put_word(text, header->shmem_bytes);
    column_put_word(text, header->nregs);
    column_put_word(text, header->binary_version);
    column_put_word(text, header->shmem_base);
    column_put_word(text, header->local_base);
    store_meta_put_text(text, header->nvbit_version);
    store_meta_put_text(text, header->tracer_version);
    column_put_word(text, header->tracer_major);
    column_put_word(text, header->has_line_info);
    column_put_word(text, header->warp_size);
    column_put_word(text, header->isa);
    column_put_word(text, header->max_blocks);
    column_put_word(text, header->other_count);
    for (size_t i = 0; i < header->other_count; i++) {
        store_meta_put_text(text, header->others[i].key);
        store_meta_put_text(text, header->others[i].value);
    }
}

static void put_warnings(struct column *text, char *const *warnings, size_t count)
{
    column_put_word(text, count);
    for (size_t i = 0; i < count; i++)
        store_meta_put_text(text, warnings[i]);
}

static void put_opcodes(struct column *text, const struct gpu_kernel *kernel)
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
    column_put_word(text, kernel->opcode_count);
    for (size_t i = 0; i < kernel->opcode_count; i++) {
        store_meta_put_text(text, kernel->opcodes[i].text);
        column_put_word(text, have_addresses[i]);
    }
    free(have_addresses);
}

static void put_statics(struct column *text, const struct gpu_kernel *kernel)
{
    struct column column = {0};
    uint64_t pc = 0;

    for (size_t i = 0; i < kernel->static_count; i++) {
        const struct gpu_static *const one = &kernel->statics[i];

        column_put_number(&column, bits_zigzag(one->pc - pc));
        pc = one->pc;
        column_put_number(&column, bits_zigzag((uint64_t)one->immediate));
        column_put_number(&column, one->line);
        column_put_number(&column, one->opcode);
        column_put_number(&column, one->width_bytes);
        column_put_number(&column, one->traced_width);
        column_put_number(&column, one->destination_count + (one->commits_group ? GPU_STORE_COMMITS : 0));
        column_put_number(&column, one->source_count);
        for (unsigned j = 0; j < (unsigned)one->destination_count + one->source_count; j++)
            column_put_number(&column, one->registers[j]);
    }
    column_put_word(text, kernel->static_count);
    column_put_word(text, column.length);
    column_put_bytes(text, column.at, column.length);
    text->failed = text->failed || column.failed;
    column_free(&column);
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
        return gpu_store_writer_no_memory(writer);
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
    uint64_t const place = writer->out.written;
    struct gpu_chunk chunk;

    if (!gpu_chunk_finish(writer->encoder, (uint32_t)(writer->kernel_count - 1), &chunk))
        return gpu_store_writer_no_memory(writer);
    if (chunk.bytes == NULL)
        return fault_none();
    FORWARD(container_put(&writer->out, chunk.bytes, GPU_STORE_BLOCKS));
    column_put_word(&writer->index, place);
    column_put_word(&writer->index, chunk.first_block);
    column_put_word(&writer->index, chunk.insts);
    about->blocks += chunk.blocks;
    about->insts += chunk.insts;
    about->content = hash_pair(about->content, hash64(chunk.bytes->at, CONTAINER_CHUNK_HEAD_BYTES));
    return fault_none();
}

struct fault gpu_store_writer_block(struct gpu_store_writer *writer, const struct gpu_block *block)
{
    gpu_chunk_put(writer->encoder, block);
    return !gpu_chunk_is_full(writer->encoder) ? fault_none() : put_chunk(writer);
}

/* Writes a kernel's tables, once all of its blocks are read. */
static struct fault put_tables(struct gpu_store_writer *writer, const struct gpu_kernel *kernel,
                               size_t warnings_at_opening)
{
    struct fault fault = fault_none();
    struct gpu_store_kernel *const about = last_kernel(writer);
    struct column text = {0};

    container_chunk_begin(&text);
    column_put_word(&text, writer->kernel_count - 1);
    put_header(&text, &kernel->header);
    column_put_word(&text, warnings_at_opening);
    put_warnings(&text, kernel->warnings, kernel->warning_count);
    put_opcodes(&text, kernel);
    put_statics(&text, kernel);
    /* Without a source file, the hash is that of the contents, independent of their places. */
    about->source.hash = hash_pair(about->content, hash64(text.at, text.length));
    column_put_word(&text, writer->index.length / (8 * GPU_CHUNK_INDEX_WORDS));
    column_put_bytes(&text, writer->index.at, writer->index.length);
    text.failed = text.failed || writer->index.failed;
    about->place = writer->out.written;
    fault = container_put(&writer->out, &text, GPU_STORE_TABLES);
    column_free(&text);
    return fault;
}

struct fault gpu_store_writer_kernel_end(struct gpu_store_writer *writer, const struct gpu_kernel *kernel,
                                         size_t warnings_at_opening, const struct store_source *source,
                                         const struct gpu_streams *streams)
{
    struct gpu_store_kernel *const about = last_kernel(writer);

    FORWARD(put_chunk(writer));
    FORWARD(put_tables(writer, kernel, warnings_at_opening));
    if (source == NULL && (about->source.path = strdup("")) == NULL)
        return gpu_store_writer_no_memory(writer);
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
        return gpu_store_writer_no_memory(writer);
    writer->commands[writer->command_count] = (struct written_command){*command, kernel};
    writer->commands[writer->command_count++].plain.file = NULL;
    return fault_none();
}

static struct fault put_meta(struct gpu_store_writer *writer, const struct store_source *source, char *const *warnings,
                             size_t warning_count)
{
    struct fault fault = fault_none();
    struct store_source about_list = *source;
    struct column text = {0};

    container_chunk_begin(&text);
    if (about_list.hash == 0)
        about_list.hash = writer->hash;
    store_meta_put_source(&text, &about_list);
    put_warnings(&text, warnings, warning_count);
    column_put_word(&text, writer->kernel_count);
    for (size_t i = 0; i < writer->kernel_count; i++) {
        const struct gpu_store_kernel *const kernel = &writer->kernels[i];

        store_meta_put_text(&text, kernel->file);
        store_meta_put_source(&text, &kernel->source);
        column_put_word(&text, kernel->streams.count);
        column_put_word(&text, kernel->streams.bytes);
        column_put_word(&text, kernel->streams.hash);
        column_put_word(&text, kernel->blocks);
        column_put_word(&text, kernel->insts);
        column_put_word(&text, kernel->place);
    }
    column_put_word(&text, writer->command_count);
    for (size_t i = 0; i < writer->command_count; i++) {
        const struct written_command *const command = &writer->commands[i];

        column_put_word(&text, command->plain.kind);
        column_put_word(&text, command->plain.line);
        column_put_word(&text, command->plain.address);
        column_put_word(&text, command->plain.bytes);
        column_put_word(&text, command->kernel);
    }
    fault = container_end(&writer->out, &text, &gpu_store_kind);
    column_free(&text);
    return fault;
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
    writer->out = (struct container_writer){.path = writer->path, .file = -1};
    writer->encoder = gpu_chunk_encoder_new();
    if (writer->encoder == NULL) {
        *error = gpu_store_writer_no_memory(writer);
        gpu_store_writer_abandon(writer);
        return NULL;
    }
    *error = output_file_open_anywhere(&writer->output, path);
    if (error->kind != FAULT_NONE) {
        gpu_store_writer_abandon(writer);
        return NULL;
    }
    writer->out.file = writer->output.descriptor;
    if (WORKS(*error, container_begin(&writer->out, &gpu_store_kind)))
        return writer;
    gpu_store_writer_abandon(writer);
    return NULL;
}

uint64_t gpu_store_writer_bytes(const struct gpu_store_writer *writer)
{
    return writer->out.written;
}

static struct fault end_file(struct gpu_store_writer *writer)
{
    struct fault fault = fault_none();
    int const file = writer->out.file;

    writer->out.file = -1;
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
    if (writer->out.file >= 0)
        close(writer->out.file);
    output_file_drop(&writer->output);
    for (size_t i = 0; i < writer->kernel_count; i++) {
        free(writer->kernels[i].file);
        free(writer->kernels[i].source.path);
    }
    gpu_chunk_encoder_free(writer->encoder);
    free(writer->kernels);
    free(writer->commands);
    column_free(&writer->index);
    free(writer->path);
    free(writer);
}
