#include "replay/regions/trace_mark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "base/number_map.h"
#include "base/path.h"
#include "proto/container/container.h"
#include "proto/trace_formats.h"

enum { MARK_BYTES = 65536, PIECE_BYTES = 4096, PIECE_EVERY = 1 << 20 };

static bool add_piece(FILE *file, long from, size_t size, char *piece, struct hash64_pieces *pieces)
{
    size_t read;

    if (fseek(file, from, SEEK_SET) != 0 || (read = fread(piece, 1, size, file)) == 0)
        return false;
    hash64_add(pieces, piece, read);
    return true;
}

static struct fault mark_pieces(const char *path, FILE *file, long end, uint64_t *hash)
{
    long const tail = end < MARK_BYTES ? 0 : end - MARK_BYTES;
    char *const piece = malloc(MARK_BYTES);
    struct hash64_pieces pieces;
    bool is_read = true;

    if (!piece)
        return fault_memory(path, NULL);
    hash64_begin(&pieces);
    if (end > 0)
        is_read = add_piece(file, 0, MARK_BYTES, piece, &pieces) && add_piece(file, tail, MARK_BYTES, piece, &pieces);
    for (long from = PIECE_EVERY; from < tail && is_read; from += PIECE_EVERY)
        is_read = add_piece(file, from, PIECE_BYTES, piece, &pieces);
    free(piece);
    *hash = hash64_end(&pieces);
    return is_read ? fault_none() : fault_at(path, FAULT_NO_OFFSET, "cannot be read; expected a trace that is a file");
}

struct fault trace_mark(const char *path, uint64_t *bytes, uint64_t *hash)
{
    FILE *const file = input_file_fopen(path);
    struct fault fault = fault_none();
    long end = -1;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0)
        fault = fault_at(path, FAULT_NO_OFFSET, "cannot be read; expected a trace that is a file");
    else if (!container_hash_chunks(fileno(file), (uint64_t)end, hash))
        fault = mark_pieces(path, file, end, hash);
    *bytes = (uint64_t)end;
    if (file)
        input_file_fclose(file);
    return fault;
}

/* ---- lists of kernels */
static struct fault add_mark(const char *path, uint64_t *bytes, struct hash64_pieces *pieces)
{
    uint64_t mark[2];

    FORWARD(trace_mark(path, &mark[0], &mark[1]));
    hash64_add(pieces, mark, sizeof mark);
    *bytes += mark[0];
    return fault_none();
}

static struct fault mark_files(const struct gpu_list *list, uint64_t *bytes, struct hash64_pieces *pieces)
{
    struct number_map seen = {0};
    struct fault fault = fault_none();

    for (size_t i = 0; i < list->count && fault.kind == FAULT_NONE; i++) {
        const char *const file = list->commands[i].kind == GPU_KERNEL ? list->commands[i].file : NULL;
        uint64_t *const known = file ? number_map_put(&seen, hash64(file, strlen(file)) >> 1) : NULL;
        struct gpu_kernel kernel;

        if (!file || (known && *known > 0))
            continue;
        fault = known ? gpu_list_kernel(&kernel, list, file) : fault_memory(list->path, NULL);
        if (fault.kind != FAULT_NONE)
            break;
        *known = 1;
        fault = add_mark(kernel.file, bytes, pieces);
        gpu_kernel_close(&kernel);
    }
    number_map_free(&seen);
    return fault;
}

struct fault trace_mark_kernels(const char *path, uint64_t *bytes, uint64_t *hash)
{
    bool const is_store = trace_number_of(trace_kind_of(path)) == TRACE_IS_GPU_STORE;
    struct hash64_pieces pieces;
    struct gpu_list list;
    struct fault fault;

    *bytes = 0;
    hash64_begin(&pieces);
    if (is_store) {
        fault = add_mark(path, bytes, &pieces);
    } else {
        FORWARD(trace_list_open(&list, path, NULL));
        fault = path_is_folder(list.path) ? fault_none() : add_mark(list.path, bytes, &pieces);
        if (fault.kind == FAULT_NONE)
            fault = mark_files(&list, bytes, &pieces);
        gpu_list_close(&list);
    }
    *hash = hash64_end(&pieces);
    return fault;
}
