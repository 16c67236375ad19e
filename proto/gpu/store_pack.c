/* Reads the traces as a replay does, so all checks of the readers hold, and writes chunk after chunk. Memory is one
 * thread block, one chunk, and the tables of one kernel. The head comes last, so a file that a killed packer leaves
 * behind is no store even under its own name. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/output_file.h"
#include "proto/gpu/store_encode.h"
#include "proto/gpu/store_format.h"
#include "proto/store/pack.h"

struct packer {
    const char *path;
    struct output_file output;
    int file;
    uint64_t place;                  /* where the next part goes */
    const struct gpu_list *list;
    struct store_source list_source;
    struct gpu_store_kernel *kernels;
    size_t *kernel_of;               /* of each command */
    size_t kernel_count;
    struct gpu_chunk_encoder *encoder;
    struct text index;    /* of the kernel's chunks, GPU_CHUNK_INDEX_WORDS each */
};

static bool no_memory(const struct packer *packer, struct fault *error)
{
    return fault_memory(error, packer->path, NULL);
}

static bool put_part(struct packer *packer, const void *bytes, size_t count, struct fault *error)
{
    if (!store_file_write_at(packer->path, packer->file, bytes, count, packer->place, error))
        return false;
    packer->place += count;
    return true;
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static bool look_at_source(const char *path, struct store_source *source, struct fault *error)
{
    return store_source_look(path, source, error) && hash64_file(path, &source->hash, error);
}

/* The file is what it was when its hash was taken. */
static bool source_stayed(const char *path, const struct store_source *source, struct fault *error)
{
    struct store_source now;
    bool stayed = false;

    if (!store_source_look(path, &now, error))
        return false;
    stayed = store_source_is_same(source, &now)
        || fault_at(error, path, FAULT_NO_OFFSET, "changed while it was read; pack it again when it is whole");
    free(now.path);
    return stayed;
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

/* What stands about a kernel, once all of it is read. */
static bool put_tables(struct packer *packer, size_t number, const struct gpu_kernel *kernel,
                       size_t warnings_at_opening, struct fault *error)
{
    struct gpu_store_kernel *const about = &packer->kernels[number];
    struct text text = {0};
    bool good;

    store_meta_put_word(&text, number);
    put_header(&text, &kernel->header);
    store_meta_put_word(&text, warnings_at_opening);
    put_warnings(&text, kernel->warnings, kernel->warning_count);
    put_opcodes(&text, kernel);
    put_statics(&text, kernel);
    store_meta_put_word(&text, packer->index.length / (8 * GPU_CHUNK_INDEX_WORDS));
    text_put_bytes(&text, packer->index.at, packer->index.length);
    if (text.failed || packer->index.failed) {
        free(text.at);
        return no_memory(packer, error);
    }
    about->place = packer->place;
    about->bytes = text.length;
    about->hash = hash64(text.at, text.length);
    good = put_part(packer, text.at, text.length, error);
    free(text.at);
    return good;
}

static bool put_chunk(struct packer *packer, size_t number, struct fault *error)
{
    struct gpu_store_kernel *const about = &packer->kernels[number];
    struct gpu_chunk chunk;

    if (!gpu_chunk_finish(packer->encoder, (uint32_t)number, &chunk))
        return no_memory(packer, error);
    if (chunk.count == 0)
        return true;
    store_meta_put_word(&packer->index, packer->place);
    store_meta_put_word(&packer->index, chunk.count);
    store_meta_put_word(&packer->index, hash64(chunk.bytes, chunk.count));
    store_meta_put_word(&packer->index, chunk.first_block);
    store_meta_put_word(&packer->index, chunk.insts);
    about->blocks += chunk.blocks;
    about->insts += chunk.insts;
    return put_part(packer, chunk.bytes, chunk.count, error);
}

static bool put_blocks(struct packer *packer, size_t number, struct gpu_kernel *kernel, struct fault *error)
{
    struct gpu_block *block;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, error)) == GPU_BLOCK) {
        gpu_chunk_put(packer->encoder, block);
        gpu_block_free(block);
        if (gpu_chunk_is_full(packer->encoder) && !put_chunk(packer, number, error))
            return false;
    }
    return step == GPU_NO_BLOCK && put_chunk(packer, number, error);
}

static bool put_kernel(struct packer *packer, size_t number, struct fault *error)
{
    struct gpu_store_kernel *const about = &packer->kernels[number];
    struct gpu_kernel kernel;
    size_t warnings_at_opening;
    bool good;

    if (!gpu_list_kernel(&kernel, packer->list, about->file, error))
        return false;
    warnings_at_opening = kernel.warning_count;
    gpu_chunk_next_kernel(packer->encoder);
    packer->index.length = 0;
    good = look_at_source(kernel.file, &about->source, error)
        && (!kernel.format->look_at_streams || kernel.format->look_at_streams(&kernel, &about->streams, error))
        && put_blocks(packer, number, &kernel, error)
        && source_stayed(kernel.file, &about->source, error)
        && put_tables(packer, number, &kernel, warnings_at_opening, error);
    gpu_kernel_close(&kernel);
    return good;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

/* Kernels by their files: one that the list names again is packed once. */
static bool find_kernels(struct packer *packer, struct fault *error)
{
    struct gpu_list const *const list = packer->list;

    packer->kernels = calloc(list->count + 1, sizeof *packer->kernels);
    packer->kernel_of = calloc(list->count + 1, sizeof *packer->kernel_of);
    if (packer->kernels == NULL || packer->kernel_of == NULL)
        return no_memory(packer, error);
    for (size_t i = 0; i < list->count; i++) {
        size_t *const number = &packer->kernel_of[i];

        if (list->commands[i].kind != GPU_KERNEL)
            continue;
        for (*number = 0; *number < packer->kernel_count; ++*number)
            if (strcmp(packer->kernels[*number].file, list->commands[i].file) == 0)
                break;
        if (*number < packer->kernel_count)
            continue;
        packer->kernels[*number].file = strdup(list->commands[i].file);
        if (packer->kernels[*number].file == NULL)
            return no_memory(packer, error);
        packer->kernel_count++;
    }
    return true;
}

static bool put_meta(struct packer *packer, struct fault *error)
{
    struct gpu_list const *const list = packer->list;
    struct text text = {0};
    bool good;

    store_meta_put_source(&text, &packer->list_source);
    put_warnings(&text, list->warnings, list->warning_count);
    store_meta_put_word(&text, packer->kernel_count);
    for (size_t i = 0; i < packer->kernel_count; i++) {
        const struct gpu_store_kernel *const kernel = &packer->kernels[i];

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
    store_meta_put_word(&text, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct gpu_command *const command = &list->commands[i];

        store_meta_put_word(&text, command->kind);
        store_meta_put_word(&text, command->line);
        store_meta_put_word(&text, command->address);
        store_meta_put_word(&text, command->bytes);
        store_meta_put_word(&text, packer->kernel_of[i]);
    }
    good = text.failed ? no_memory(packer, error)
                       : store_file_end(packer->path, packer->file, &gpu_store_kind, text.at, text.length,
                                        packer->place, error);
    free(text.at);
    return good;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static bool open_file(struct packer *packer, struct fault *error)
{
    *error = output_file_open_anywhere(&packer->output, packer->path);
    packer->file = packer->output.descriptor;
    return error->kind == FAULT_NONE;
}

static bool end_file(struct packer *packer, struct fault *error)
{
    int const file = packer->file;

    packer->file = -1;
    if (close(file) != 0)
        return fault_at(error, packer->path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
    *error = output_file_take_unforced(&packer->output);
    return error->kind == FAULT_NONE;
}

static void free_packer(struct packer *packer)
{
    if (packer->file >= 0)
        close(packer->file);
    output_file_drop(&packer->output);
    for (size_t i = 0; i < packer->kernel_count; i++) {
        free(packer->kernels[i].file);
        free(packer->kernels[i].source.path);
    }
    gpu_chunk_encoder_free(packer->encoder);
    free(packer->list_source.path);
    free(packer->kernels);
    free(packer->kernel_of);
    free(packer->index.at);
}

static bool pack(struct packer *packer, struct fault *error)
{
    packer->encoder = gpu_chunk_encoder_new();
    if (packer->encoder == NULL)
        return no_memory(packer, error);
    if (!look_at_source(packer->list->path, &packer->list_source, error) || !find_kernels(packer, error)
        || !open_file(packer, error))
        return false;
    packer->place = STORE_HEAD_BYTES;
    for (size_t i = 0; i < packer->kernel_count; i++)
        if (!put_kernel(packer, i, error))
            return false;
    return put_meta(packer, error) && end_file(packer, error);
}

bool gpu_store_pack(const struct gpu_list *list, const char *store_path, struct fault *error)
{
    struct packer packer = {.path = store_path, .file = -1, .list = list};
    bool const good = pack(&packer, error);

    free_packer(&packer);
    return good;
}
