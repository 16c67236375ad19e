/* Opens a GPU store: checks and decodes head and meta. A kernel's tables and chunks are read on demand
 * (proto/gpu/gpu_stored.c). */
#include "proto/gpu/gpu_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/gpu/gpu_store_format.h"
#include "proto/store/store_file.h"

enum { SOURCE_BYTES = 5 * 8, KERNEL_BYTES = SOURCE_BYTES + 7 * 8, COMMAND_BYTES = 5 * 8 };

struct command {
    struct gpu_command plain;        /* without the file */
    uint64_t kernel;
};

struct gpu_store {
    struct container file;
    struct gpu_store_about about;
    struct store_warnings warnings;  /* of the list */
    struct command *commands;
    size_t command_count;
};

struct fault gpu_store_damaged(const struct gpu_store *store, uint64_t place, const char *what)
{
    return fault_at(store->file.name, place, "the store's %s; " STORE_MEND, what);
}

/* --- meta --------------------------------------------------------------------------------------------------------- */

static void read_kernels(struct column_bytes *meta, struct gpu_store *store)
{
    struct gpu_store_about *const about = &store->about;
    uint64_t const count = store_meta_take_count(meta, KERNEL_BYTES);

    about->kernels = calloc(count + 1, sizeof *about->kernels);
    if (about->kernels == NULL)
        meta->failed = true;
    while (!meta->failed && about->kernel_count < count) {
        struct gpu_store_kernel *const kernel = &about->kernels[about->kernel_count++];

        kernel->file = store_meta_take_new_text(meta);
        store_meta_take_source(meta, &kernel->source);
        kernel->streams.count = column_take_word(meta);
        kernel->streams.bytes = column_take_word(meta);
        kernel->streams.hash = column_take_word(meta);
        kernel->blocks = column_take_word(meta);
        kernel->insts = column_take_word(meta);
        kernel->place = column_take_word(meta);
        if (!add_u64(about->blocks, kernel->blocks, &about->blocks)
            || !add_u64(about->insts, kernel->insts, &about->insts))
            meta->failed = true;
    }
}

static void read_commands(struct column_bytes *meta, struct gpu_store *store)
{
    uint64_t const count = store_meta_take_count(meta, COMMAND_BYTES);

    store->commands = calloc(count + 1, sizeof *store->commands);
    if (store->commands == NULL)
        meta->failed = true;
    while (!meta->failed && store->command_count < count) {
        struct command *const command = &store->commands[store->command_count++];
        uint64_t const kind = column_take_word(meta);

        command->plain.kind = kind <= GPU_COPY_TO_HOST ? (enum gpu_command_kind)kind : GPU_COPY_TO_DEVICE;
        command->plain.line = column_take_word(meta);
        command->plain.address = column_take_word(meta);
        command->plain.bytes = column_take_word(meta);
        command->kernel = column_take_word(meta);
        if (kind > GPU_COPY_TO_HOST || (kind == GPU_KERNEL && command->kernel >= store->about.kernel_count))
            meta->failed = true;
    }
}

static struct fault read_meta(struct gpu_store *store)
{
    struct container_chunk chunk;
    struct column_bytes meta;

    FORWARD(container_index(&store->file, &gpu_store_kind, &chunk));
    meta = (struct column_bytes){.at = chunk.bytes, .end = chunk.bytes + chunk.length};
    store_meta_take_source(&meta, &store->about.list);
    store_meta_take_warnings(&meta, &store->warnings);
    read_kernels(&meta, store);
    read_commands(&meta, store);
    store->about.file_bytes = store->file.size;
    return !meta.failed && meta.at == meta.end ? fault_none()
        : gpu_store_damaged(store, chunk.offset, "index is inconsistent, or memory is short");
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* The file becomes the store's own. */
static struct gpu_store *read_store(struct container *file, struct fault *error)
{
    struct gpu_store *const store = calloc(1, sizeof *store);

    if (store == NULL) {
        *error = fault_memory(file->name, NULL);
        container_close(file);
        return NULL;
    }
    store->file = *file;
    if (WORKS(*error, read_meta(store)))
        return store;
    gpu_store_close(store);
    return NULL;
}

bool gpu_store_detect(const char *path)
{
    return container_detect(path, &gpu_store_kind);
}

struct gpu_store *gpu_store_open(const char *path, struct fault *error)
{
    struct container file;

    return WORKS(*error, container_map(&file, path, &gpu_store_kind)) ? read_store(&file, error) : NULL;
}

struct gpu_store *gpu_store_open_memory(const char *name, const void *data, size_t size, struct fault *error)
{
    struct container file;

    return WORKS(*error, container_borrow(&file, name, data, size)) ? read_store(&file, error) : NULL;
}

void gpu_store_close(struct gpu_store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < store->about.kernel_count; i++) {
        free(store->about.kernels[i].file);
        free(store->about.kernels[i].source.path);
    }
    for (size_t i = 0; i < store->warnings.count; i++)
        free(store->warnings.texts[i]);
    free(store->about.kernels);
    free(store->about.list.path);
    free(store->warnings.texts);
    free(store->commands);
    container_close(&store->file);
    free(store);
}

const struct gpu_store_about *gpu_store_about(const struct gpu_store *store)
{
    return &store->about;
}

const char *gpu_store_name(const struct gpu_store *store)
{
    return store->file.name;
}

struct fault gpu_store_part(const struct gpu_store *store, uint64_t place, enum gpu_store_chunk kind,
                            struct container_chunk *chunk)
{
    FORWARD(container_chunk_at(&store->file, &gpu_store_kind, place, true, chunk));
    return chunk->kind == kind ? fault_none() : gpu_store_damaged(store, place, "index names another chunk");
}

void gpu_store_forget(const struct gpu_store *store, uint64_t from, uint64_t to)
{
    container_forget(&store->file, from, to);
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool copy_commands(const struct gpu_store *store, struct gpu_list *list)
{
    list->commands = calloc(store->command_count + 1, sizeof *list->commands);
    list->warnings = calloc(store->warnings.count + 1, sizeof *list->warnings);
    if (list->commands == NULL || list->warnings == NULL)
        return false;
    for (; list->count < store->command_count; list->count++) {
        const struct command *const from = &store->commands[list->count];
        struct gpu_command *const to = &list->commands[list->count];

        *to = from->plain;
        to->file = from->plain.kind == GPU_KERNEL ? strdup(store->about.kernels[from->kernel].file) : NULL;
        if (to->file == NULL && from->plain.kind == GPU_KERNEL)
            return false;
    }
    for (; list->warning_count < store->warnings.count; list->warning_count++) {
        list->warnings[list->warning_count] = strdup(store->warnings.texts[list->warning_count]);
        if (list->warnings[list->warning_count] == NULL)
            return false;
    }
    return true;
}

struct fault gpu_store_list(const struct gpu_store *store, struct gpu_list *list)
{
    size_t const length = strlen(store->file.name);

    *list = (struct gpu_list){.path = strdup(store->file.name), .folder = malloc(length + 2)};
    if (list->path != NULL && list->folder != NULL) {
        memcpy(list->folder, store->file.name, length);
        memcpy(list->folder + length, "/", 2);
        if (copy_commands(store, list))
            return fault_none();
    }
    gpu_list_close(list);
    return fault_memory(store->file.name, NULL);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static struct fault read_kernel(const struct gpu_store *store, size_t number)
{
    struct fault fault = fault_none();
    struct gpu_kernel kernel;
    struct gpu_block *block;
    enum gpu_step step;

    FORWARD(gpu_store_kernel_open(store, number, &kernel));
    while ((step = gpu_kernel_next_block(&kernel, &block, &fault)) == GPU_BLOCK)
        gpu_block_free(block);
    gpu_kernel_close(&kernel);
    return step == GPU_NO_BLOCK ? fault_none() : fault;
}

struct fault gpu_store_check(const struct gpu_store *store)
{
    for (size_t i = 0; i < store->about.kernel_count; i++)
        FORWARD(read_kernel(store, i));
    return fault_none();
}
