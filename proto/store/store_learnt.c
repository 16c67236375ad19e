/* Learnt data stand before the index, which moves when they are added; the bytes before them do not move. */
#include "proto/store/store_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "proto/store/store_format.h"

static uint64_t store_learnt_hash_of(const uint8_t *meta, size_t meta_bytes, const struct store_learnt *learnt)
{
    uint8_t words[16];
    struct hash64_pieces pieces;

    bits_store64(words, hash64(meta, meta_bytes));
    bits_store64(words + 8, learnt->rules);
    hash64_begin(&pieces);
    hash64_add(&pieces, words, sizeof words);
    hash64_add(&pieces, learnt->bytes, learnt->count);
    return hash64_end(&pieces);
}

struct fault store_learnt_find(const struct store *store, struct store_learnt *learnt)
{
    const struct container *const file = store_file_of(store);
    uint64_t const place = store_learnt_place(store);
    struct container_chunk chunk;
    struct column_bytes meta;

    *learnt = (struct store_learnt){.bytes = NULL};
    if (place == 0)
        return fault_none();
    FORWARD(container_chunk_at(file, &store_kind, place, true, &chunk));
    meta = store_meta_of(store);
    *learnt = (struct store_learnt){.rules = bits_load64(chunk.bytes + STORE_LEARNT_RULES),
                                    .bytes = chunk.bytes + STORE_LEARNT_BYTES,
                                    .count = chunk.length - STORE_LEARNT_BYTES};
    if (chunk.kind == STORE_LEARNT_DATA && chunk.length >= STORE_LEARNT_BYTES
        && store_learnt_hash_of(meta.at, (size_t)(meta.end - meta.at), learnt)
           == bits_load64(chunk.bytes + STORE_LEARNT_HASH))
        return fault_none();
    return fault_at(file->name, place, "the data learnt of the store's records are another store's; " STORE_MEND);
}

struct fault store_end(struct container_writer *out, struct column *meta, const struct store_learnt *learnt)
{
    struct fault fault = fault_none();
    struct column chunk = {0};
    uint64_t const place = out->written;

    if (meta->failed)
        return fault_memory(out->path, "the index");
    if (learnt->bytes) {
        container_chunk_begin(&chunk);
        column_put_word(&chunk, learnt->rules);
        column_put_word(&chunk, store_learnt_hash_of(meta->at + CONTAINER_CHUNK_HEAD_BYTES,
                                                     meta->length - CONTAINER_CHUNK_HEAD_BYTES, learnt));
        column_put_bytes(&chunk, learnt->bytes, learnt->count);
        fault = container_put(out, &chunk, STORE_LEARNT_DATA);
        column_free(&chunk);
        FORWARD(fault);
    }
    column_put_word(meta, learnt->bytes ? place : 0);
    return container_end(out, meta, &store_kind);
}

/* Keeps what is before the old learnt data, or before the index. */
static struct fault store_learnt_write_all(const struct store *store, const char *path, int to,
                                           const struct store_learnt *learnt)
{
    const struct container *const from = store_file_of(store);
    struct column_bytes const bytes = store_meta_of(store);
    uint64_t const before = store_learnt_place(store);
    uint64_t const kept = before ? before : (uint64_t)(bytes.at - from->bytes) - CONTAINER_CHUNK_HEAD_BYTES;
    struct container_writer out = {.path = path, .file = to};
    struct fault fault = fault_none();
    struct column meta = {0};

    container_chunk_begin(&meta);
    column_put_bytes(&meta, bytes.at, (size_t)(bytes.end - bytes.at));
    if (WORKS(fault, container_write(&out, from->bytes, kept)))
        fault = store_end(&out, &meta, learnt);
    column_free(&meta);
    return fault;
}

struct fault store_learnt_add(const char *path, const struct store_learnt *learnt)
{
    struct fault fault = fault_none();
    struct store *const store = store_open(path, &fault);
    struct output_file output;
    bool good;

    if (store == NULL)
        return fault;
    input_file_forget(path);                     /* it is made anew from itself */
    fault = output_file_open_anywhere(&output, path);
    good = fault.kind == FAULT_NONE;
    if (good) {
        good = WORKS(fault, store_learnt_write_all(store, path, output.descriptor, learnt));
        if (close(output.descriptor) != 0 && good)
            good = WORKS(fault, fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno)));
    }
    if (good)
        good = (fault = output_file_take_unforced(&output)).kind == FAULT_NONE;
    output_file_drop(&output);
    store_close(store);
    return good ? fault_none() : fault;
}
