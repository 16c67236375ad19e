/* Reads the traces as a replay does, so all checks of the readers hold, and gives block after block to the writer.
 * Memory is one thread block, and the writer's. */
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/gpu/gpu_store.h"
#include "proto/store/store_pack.h"

struct packer {
    const char *path;
    const struct gpu_list *list;
    struct store_source list_source;
    const char **files;              /* of the kernels, each once */
    size_t *kernel_of;               /* of each command */
    size_t kernel_count;
    struct gpu_store_writer *writer;
};

static struct fault gpu_store_pack_no_memory(const struct packer *packer)
{
    return fault_memory(packer->path, NULL);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static struct fault look_at_source(const char *path, struct store_source *source)
{
    FORWARD(store_source_look(path, source));
    return hash64_file(path, &source->hash);
}

/* Checks that the file has not changed since its hash was computed. */
static struct fault source_stayed(const char *path, const struct store_source *source)
{
    struct fault fault = fault_none();
    struct store_source now;
    bool stayed = false;

    FORWARD(store_source_look(path, &now));
    stayed = store_source_is_same(source, &now)
             || WORKS(fault, fault_at(path, FAULT_NO_OFFSET,
                                      "changed while it was "
                                      "read; pack it again when it is whole"));
    free(now.path);
    return stayed ? fault_none() : fault;
}

/* --- a kernel ----------------------------------------------------------------------------------------------------- */

static struct fault put_blocks(struct packer *packer, struct gpu_kernel *kernel)
{
    struct fault fault = fault_none();
    struct gpu_block *block;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, &fault)) == GPU_BLOCK) {
        bool const good = WORKS(fault, gpu_store_writer_block(packer->writer, block));

        gpu_block_free(block);
        if (!good)
            return fault;
    }
    return step == GPU_NO_BLOCK ? fault_none() : fault;
}

static struct fault put_kernel(struct packer *packer, const char *file)
{
    struct fault fault = fault_none();
    struct store_source source = {0};
    struct gpu_streams streams = {0};
    struct gpu_kernel kernel;
    size_t warnings_at_opening, number;
    bool good;

    FORWARD(gpu_list_kernel(&kernel, packer->list, file));
    warnings_at_opening = kernel.warning_count;
    good = WORKS(fault, look_at_source(kernel.file, &source))
           && (!kernel.format->look_at_streams || WORKS(fault, kernel.format->look_at_streams(&kernel, &streams)))
           && WORKS(fault, gpu_store_writer_kernel(packer->writer, file, &number))
           && WORKS(fault, put_blocks(packer, &kernel)) && WORKS(fault, source_stayed(kernel.file, &source));
    if (good
        && WORKS(fault, gpu_store_writer_kernel_end(packer->writer, &kernel, warnings_at_opening, &source, &streams)))
        source.path = NULL;
    else
        good = false;
    free(source.path);
    gpu_kernel_close(&kernel);
    return good ? fault_none() : fault;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

/* Kernels by their files: one that the list names again is packed once. */
static struct fault find_kernels(struct packer *packer)
{
    struct gpu_list const *const list = packer->list;

    packer->files = calloc(list->count + 1, sizeof *packer->files);
    packer->kernel_of = calloc(list->count + 1, sizeof *packer->kernel_of);
    if (packer->files == NULL || packer->kernel_of == NULL)
        return gpu_store_pack_no_memory(packer);
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
    return fault_none();
}

static struct fault put_all(struct packer *packer)
{
    for (size_t i = 0; i < packer->kernel_count; i++)
        FORWARD(put_kernel(packer, packer->files[i]));
    for (size_t i = 0; i < packer->list->count; i++)
        FORWARD(gpu_store_writer_command(packer->writer, &packer->list->commands[i], packer->kernel_of[i]));
    return fault_none();
}

static struct fault gpu_store_pack_pack(struct packer *packer)
{
    struct fault fault = fault_none();

    struct gpu_list const *const list = packer->list;

    FORWARD(look_at_source(list->path, &packer->list_source));
    FORWARD(find_kernels(packer));
    packer->writer = gpu_store_writer_open(packer->path, &fault);
    if (packer->writer == NULL)
        return fault;
    if (FAILS(fault, put_all(packer))) {
        gpu_store_writer_abandon(packer->writer);
        return fault;
    }
    return gpu_store_writer_finish(packer->writer, &packer->list_source, list->warnings, list->warning_count);
}

struct fault gpu_store_pack(const struct gpu_list *list, const char *store_path)
{
    struct packer packer = {.path = store_path, .list = list};
    struct fault const fault = gpu_store_pack_pack(&packer);

    free(packer.list_source.path);
    free(packer.files);
    free(packer.kernel_of);
    return fault;
}
