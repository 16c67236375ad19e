/* Learnt data is placed before meta, which moves when it is added; the bytes before it do not move. */
#define _POSIX_C_SOURCE 200809L
#include "proto/store/learnt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "proto/store/file.h"
#include "proto/store/format.h"

static uint64_t hash_of(uint64_t meta_hash, uint64_t rules, const void *bytes, size_t count)
{
    uint8_t words[16];
    struct hash64_pieces pieces;

    bits_store64(words, meta_hash);
    bits_store64(words + 8, rules);
    hash64_begin(&pieces);
    hash64_add(&pieces, words, sizeof words);
    hash64_add(&pieces, bytes, count);
    return hash64_end(&pieces);
}

struct fault store_learnt_find(const struct store *store, struct store_learnt *learnt)
{
    const struct container *const file = store_file_of(store);
    const uint8_t *const head = file->bytes;         /* NULL: the store is still being made */
    uint64_t const place = head ? bits_load64(head + STORE_HEAD_LEARNT) : 0;
    const uint8_t *at;
    uint64_t end;

    *learnt = (struct store_learnt){.bytes = NULL};
    if (place == 0)
        return fault_none();
    end = bits_load64(head + STORE_HEAD_META);
    if (place < STORE_HEAD_BYTES || place > end || end - place < STORE_LEARNT_BYTES)
        return fault_at(file->name, STORE_HEAD_LEARNT,
                        "what was learnt of the store's records is not in the file; " STORE_MEND);
    at = head + place;
    *learnt = (struct store_learnt){.rules = bits_load64(at + STORE_LEARNT_RULES), .bytes = at + STORE_LEARNT_BYTES,
                                    .count = end - place - STORE_LEARNT_BYTES};
    if (hash_of(bits_load64(head + STORE_HEAD_META_HASH), learnt->rules, learnt->bytes, learnt->count)
        == bits_load64(at + STORE_LEARNT_HASH))
        return fault_none();
    return fault_at(file->name, place,
                    "what was learnt of the store's records is damaged, or another store's; " STORE_MEND);
}

/* The bytes kept: up to the old learnt data, or to meta. */
static uint64_t kept_bytes(const struct container *from)
{
    uint64_t const meta = bits_load64(from->bytes + STORE_HEAD_META);
    uint64_t const before = bits_load64(from->bytes + STORE_HEAD_LEARNT);

    return before >= STORE_HEAD_BYTES && before < meta ? before : meta;
}

struct fault store_learnt_end(const char *path, int file, const void *meta, size_t meta_bytes, uint64_t place,
                              const struct store_learnt *learnt)
{
    uint64_t const meta_hash = hash64(meta, meta_bytes);
    uint8_t head[STORE_LEARNT_BYTES];

    bits_store64(head + STORE_LEARNT_RULES, learnt->rules);
    bits_store64(head + STORE_LEARNT_HASH, hash_of(meta_hash, learnt->rules, learnt->bytes, learnt->count));
    FORWARD(store_file_write_at(path, file, head, sizeof head, place));
    FORWARD(store_file_write_at(path, file, learnt->bytes, learnt->count, place + sizeof head));
    return store_file_end_learnt(path, file, &store_kind, meta, meta_bytes, place + sizeof head + learnt->count,
                                 place);
}

static struct fault write_all(const struct container *from, const char *path, int to,
                              const struct store_learnt *learnt)
{
    uint64_t const kept = kept_bytes(from), meta_bytes = bits_load64(from->bytes + STORE_HEAD_META_BYTES);

    FORWARD(store_file_write_at(path, to, from->bytes, kept, 0));
    return store_learnt_end(path, to, from->bytes + bits_load64(from->bytes + STORE_HEAD_META), meta_bytes, kept,
                            learnt);
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
        good = WORKS(fault, write_all(store_file_of(store), path, output.descriptor, learnt));
        if (close(output.descriptor) != 0 && good)
            good = WORKS(fault, fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno)));
    }
    if (good)
        good = (fault = output_file_take_unforced(&output)).kind == FAULT_NONE;
    output_file_drop(&output);
    store_close(store);
    return good ? fault_none() : fault;
}
