/* Reads the traces as a replay does, so all checks of the readers hold, and gives block after block to the writer.
 * Memory is one thread block, and the writer's. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/gpu/store_writer.h"
#include "proto/store/pack.h"

struct packer {
    const char *path;
    const struct gpu_list *list;
    struct store_source list_source;
    const char **files;              /* of the kernels, each once */
    size_t *kernel_of;               /* of each command */
    size_t kernel_count;
    struct gpu_store_writer *writer;
};

static bool no_memory(const struct packer *packer, struct fault *error)
{
    return fault_memory(error, packer->path, NULL);
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

static bool put_blocks(struct packer *packer, struct gpu_kernel *kernel, struct fault *error)
{
    struct gpu_block *block;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, error)) == GPU_BLOCK) {
        bool const good = gpu_store_writer_block(packer->writer, block, error);

        gpu_block_free(block);
        if (!good)
            return false;
    }
    return step == GPU_NO_BLOCK;
}

static bool put_kernel(struct packer *packer, const char *file, struct fault *error)
{
    struct store_source source = {0};
    struct gpu_streams streams = {0};
    struct gpu_kernel kernel;
    size_t warnings_at_opening, number;
    bool good;

    if (!gpu_list_kernel(&kernel, packer->list, file, error))
        return false;
    warnings_at_opening = kernel.warning_count;
    good = look_at_source(kernel.file, &source, error)
        && (!kernel.format->look_at_streams || kernel.format->look_at_streams(&kernel, &streams, error))
        && gpu_store_writer_kernel(packer->writer, file, &number, error)
        && put_blocks(packer, &kernel, error)
        && source_stayed(kernel.file, &source, error);
    if (good && gpu_store_writer_kernel_end(packer->writer, &kernel, warnings_at_opening, &source, &streams, error))
        source.path = NULL;
    else
        good = false;
    free(source.path);
    gpu_kernel_close(&kernel);
    return good;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

/* Kernels by their files: one that the list names again is packed once. */
static bool find_kernels(struct packer *packer, struct fault *error)
{
    struct gpu_list const *const list = packer->list;

    packer->files = calloc(list->count + 1, sizeof *packer->files);
    packer->kernel_of = calloc(list->count + 1, sizeof *packer->kernel_of);
    if (packer->files == NULL || packer->kernel_of == NULL)
        return no_memory(packer, error);
    for (size_t i = 0; i < list->count; i++) {
        size_t *const number = &packer->kernel_of[i];

        if (list->commands[i].kind != GPU_KERNEL)
            continue;
        for (*number = 0; *number < packer->kernel_count; ++*number)
            if (strcmp(packer->files[*number], list->commands[i].file) == 0)
                break;
        if (*number == packer->kernel_count)
            packer->files[packer->kernel_count++] = list->commands[i].file;
    }
    return true;
}

static bool put_all(struct packer *packer, struct fault *error)
{
    for (size_t i = 0; i < packer->kernel_count; i++)
        if (!put_kernel(packer, packer->files[i], error))
            return false;
    for (size_t i = 0; i < packer->list->count; i++)
        if (!gpu_store_writer_command(packer->writer, &packer->list->commands[i], packer->kernel_of[i], error))
            return false;
    return true;
}

static bool pack(struct packer *packer, struct fault *error)
{
    struct gpu_list const *const list = packer->list;

    if (!look_at_source(list->path, &packer->list_source, error) || !find_kernels(packer, error))
        return false;
    packer->writer = gpu_store_writer_open(packer->path, error);
    if (packer->writer == NULL)
        return false;
    if (!put_all(packer, error)) {
        gpu_store_writer_abandon(packer->writer);
        return false;
    }
    return gpu_store_writer_finish(packer->writer, &packer->list_source, list->warnings, list->warning_count, error);
}

bool gpu_store_pack(const struct gpu_list *list, const char *store_path, struct fault *error)
{
    struct packer packer = {.path = store_path, .list = list};
    bool const good = pack(&packer, error);

    free(packer.list_source.path);
    free(packer.files);
    free(packer.kernel_of);
    return good;
}
