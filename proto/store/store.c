/* Opening a store: the file is mapped, its head and meta are read into values, the index is checked so that every block
 * lies in the file and numbers rise from block to block. It is as long as the trace, so it is read where it is mapped.
 * Cursors read the contents of blocks (proto/store/dep.c, proto/store/store_fetch.c). */
#include "proto/store/store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/io/wire.h"
#include "proto/store/store_file.h"
#include "proto/store/store_format.h"
#include "proto/store/store_run.h"

struct store {
    struct container file;
    bool is_checked;                 /* all hashes were right */
    struct store_feed *feed;         /* not NULL: no bytes, but blocks from there; `about` is borrowed */
    struct store_about about;
    const uint8_t *index[STORE_PARTS];       /* in the file */
    struct column_bytes meta;        /* without its last word, */
    uint64_t learnt;                 /* which is this */
};

static void read_headers(struct column_bytes *meta, struct store_about *about)
{
    store_meta_take_text(meta, about->dep.obj_id, sizeof about->dep.obj_id);
    about->dep.has_ver = column_take_word(meta) != 0;
    about->dep.ver = (uint32_t)column_take_word(meta);
    about->dep.tick_freq = column_take_word(meta);
    about->dep.window_size = (uint32_t)column_take_word(meta);
    store_meta_take_text(meta, about->fetch.obj_id, sizeof about->fetch.obj_id);
    about->fetch.has_ver = column_take_word(meta) != 0;
    about->fetch.ver = (uint32_t)column_take_word(meta);
    about->fetch.tick_freq = column_take_word(meta);

    uint64_t const count = store_meta_take_count(meta, 24);
    struct packet_id_string *const strings = calloc(count + 1, sizeof *strings);

    about->fetch.id_strings = strings;
    if (strings == NULL) {
        meta->failed = true;
        return;
    }
    about->fetch.id_string_count = count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t const flags = column_take_word(meta);

        strings[i].has_key = flags & 1;
        strings[i].has_value = (flags & 2) != 0;
        strings[i].key = (uint32_t)column_take_word(meta);
        store_meta_take_text(meta, strings[i].value, sizeof strings[i].value);
    }
    meta->failed = meta->failed || about->dep.tick_freq == 0 || about->dep.window_size == 0
        || about->fetch.tick_freq == 0;
}

static void read_source(struct column_bytes *meta, struct store_about *about, enum store_part part)
{
    store_meta_take_source(meta, &about->source[part]);
    store_meta_take_warnings(meta, &about->warnings[part]);
}

struct store_index store_index_of(const struct store *store, enum store_part part, uint64_t number)
{
    const uint8_t *const at = store->index[part] + STORE_INDEX_BYTES * number;

    return (struct store_index){.place = bits_load64(at), .first_record = bits_load64(at + 8),
                                .first_key = bits_load64(at + 16)};
}

/* Where a block's records end. */
static uint64_t record_behind(const struct store *store, enum store_part part, uint64_t number)
{
    return number + 1 < store->about.blocks[part] ? store_index_of(store, part, number + 1).first_record
                                                  : store->about.count[part];
}

/* Of a number of records that may be. */
static bool block_is_sound(const struct store_index *index, uint64_t behind)
{
    return index->first_record < behind && behind - index->first_record <= STORE_BLOCK_RECORDS;
}

/* First records from 0 on, rising; keys that do not fall. */
static bool index_is_sound(const struct store *store, enum store_part part)
{
    uint64_t const blocks = store->about.blocks[part];
    uint64_t behind = 0, last_key = 0;

    for (uint64_t i = 0; i < blocks; i++) {
        struct store_index const index = store_index_of(store, part, i);

        if (index.first_record != behind || index.first_key < last_key)
            return false;
        behind = record_behind(store, part, i);
        last_key = index.first_key;
        if (!block_is_sound(&index, behind) || index.place >= store->file.size)
            return false;
    }
    return blocks > 0 || store->about.count[part] == 0;
}

static void read_index(struct column_bytes *meta, struct store *store, enum store_part part)
{
    struct store_about *const about = &store->about;

    about->count[part] = column_take_word(meta);
    about->blocks[part] = store_meta_take_count(meta, STORE_INDEX_BYTES);
    store->index[part] = meta->at;
    meta->failed = meta->failed || !index_is_sound(store, part);
    if (!meta->failed)
        meta->at += STORE_INDEX_BYTES * about->blocks[part];
}

static struct fault read_meta(struct store *store)
{
    struct container_chunk chunk;
    struct column_bytes meta;

    FORWARD(container_index(&store->file, &store_kind, &chunk));
    meta = (struct column_bytes){.at = chunk.bytes, .end = chunk.bytes + chunk.length};
    store->about.file_bytes = store->file.size;
    read_headers(&meta, &store->about);
    for (enum store_part part = STORE_DEP; part < STORE_PARTS; part++) {
        read_source(&meta, &store->about, part);
        read_index(&meta, store, part);
    }
    store->meta = (struct column_bytes){.at = chunk.bytes, .end = meta.at};
    store->learnt = column_take_word(&meta);
    if (!meta.failed && meta.at == meta.end)
        return fault_none();
    return fault_at(store->file.name, chunk.offset, "the store's index is inconsistent, or memory is short; "
                    STORE_MEND);
}

/* A store that owns the file, before its contents are read. */
static struct store *new_store(struct container *file, struct fault *error)
{
    struct store *const store = calloc(1, sizeof *store);

    if (store == NULL) {
        *error = fault_memory(file->name, NULL);
        container_close(file);
        return NULL;
    }
    store->file = *file;
    return store;
}

static struct store *read_store(struct container *file, struct fault *error)
{
    struct store *const store = new_store(file, error);

    if (store == NULL || WORKS(*error, read_meta(store)))
        return store;
    store_close(store);
    return NULL;
}

bool store_detect(const char *path)
{
    return container_detect(path, &store_kind);
}

struct store *store_open(const char *path, struct fault *error)
{
    struct container file;

    return WORKS(*error, container_map(&file, path, &store_kind)) ? read_store(&file, error) : NULL;
}

struct store *store_open_memory(const char *name, const void *data, size_t size, struct fault *error)
{
    struct container file;

    return WORKS(*error, container_borrow(&file, name, data, size)) ? read_store(&file, error) : NULL;
}

struct store *store_open_feed(const char *name, struct store_feed *feed, const struct store_about *about,
                              struct fault *error)
{
    struct container file;
    struct store *store;

    if (FAILS(*error, container_borrow(&file, name, NULL, 0)) || (store = new_store(&file, error)) == NULL)
        return NULL;
    store->feed = feed;
    store->about = *about;
    return store;
}

static void free_store(struct store *store)
{
    container_close(&store->file);
    free(store);
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    if (store->feed != NULL) {
        free_store(store);
        return;
    }
    for (int part = 0; part < STORE_PARTS; part++) {
        struct store_warnings *const warnings = &store->about.warnings[part];

        for (size_t i = 0; i < warnings->count; i++)
            free(warnings->texts[i]);
        free(warnings->texts);
        free(store->about.source[part].path);
    }
    free((void *)(uintptr_t)store->about.fetch.id_strings);
    free_store(store);
}

const struct store_about *store_about(const struct store *store)
{
    return &store->about;
}

const char *store_name(const struct store *store)
{
    return store->file.name;
}

const struct container *store_file_of(const struct store *store)
{
    return &store->file;
}

uint64_t store_learnt_place(const struct store *store)
{
    return store->learnt;
}

struct column_bytes store_meta_of(const struct store *store)
{
    return store->meta;
}

uint64_t store_find_block(const struct store *store, enum store_part part, bool by_key, uint64_t wanted)
{
    uint64_t low = 0, high = store->about.blocks[part];

    while (high - low > 1) {
        uint64_t const middle = low + (high - low) / 2;
        struct store_index const index = store_index_of(store, part, middle);

        if (by_key ? index.first_key < wanted : index.first_record <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct fault store_block_damaged(const struct store *store, const struct store_index *index, const char *what)
{
    return fault_at(store->file.name, index->place, "the store's block from record %" PRIu64 " on %s; " STORE_MEND,
                    index->first_record, what);
}

/* Puts a stream behind `at`; NULL: it does not fit. */
static const uint8_t *place_numbers(struct store_numbers *numbers, const uint8_t *at, const uint8_t *end,
                                    uint32_t count, uint32_t bytes)
{
    if ((uint64_t)(end - at) < (uint64_t)count + bytes)
        return NULL;
    *numbers = (struct store_numbers){.lengths = at, .bytes = at + count, .end = at + count + bytes,
                                      .count = count};
    return numbers->end;
}

static bool store_place_columns(struct store_block *block, const uint8_t *at, const uint8_t *end)
{
    uint32_t words[STORE_BLOCK_WORDS];
    uint64_t shape_of_bytes;

    if ((size_t)(end - at) < sizeof words)
        return false;
    for (unsigned i = 0; i < STORE_BLOCK_WORDS; i++)
        words[i] = bits_load32(at + 4 * i);
    at += sizeof words;
    block->records = words[STORE_RECORDS];
    block->shape_count = words[STORE_SHAPES];
    block->instruction_count = words[STORE_INSTRUCTIONS];
    block->slot_count = words[STORE_SLOTS];
    block->value_count = words[STORE_VALUES];
    if (block->records == 0 || block->records > STORE_BLOCK_RECORDS || block->shape_count == 0
        || block->shape_count > block->records || block->shape_count > STORE_BLOCK_SHAPES || block->value_count == 0
        || block->value_count > block->shape_count || block->instruction_count > block->shape_count
        || block->slot_count > block->instruction_count || words[STORE_FIRST_NUMBERS] > block->records
        || words[STORE_SECOND_NUMBERS] > block->records)
        return false;
    shape_of_bytes = 2 * (uint64_t)block->records;
    if ((uint64_t)(end - at) < (uint64_t)words[STORE_INSTRUCTION_BYTES] + words[STORE_VALUE_BYTES]
                               + words[STORE_SHAPE_BYTES] + shape_of_bytes)
        return false;
    block->instructions = at;
    block->instructions_end = block->values = block->instructions + words[STORE_INSTRUCTION_BYTES];
    block->values_end = block->shapes = block->values + words[STORE_VALUE_BYTES];
    block->shapes_end = block->shape_of = block->shapes + words[STORE_SHAPE_BYTES];
    at = block->shape_of + shape_of_bytes;
    at = place_numbers(&block->first, at, end, words[STORE_FIRST_NUMBERS], words[STORE_FIRST_BYTES]);
    return at != NULL
        && place_numbers(&block->second, at, end, words[STORE_SECOND_NUMBERS], words[STORE_SECOND_BYTES]) == end;
}

static enum store_step open_fed_block(const struct store *store, enum store_part part, struct store_block *block,
                                      struct fault *error)
{
    bool failed;
    const uint8_t *at;
    const struct store_feed_block *const fed = store_feed_take(store->feed, part, &failed, error);

    if (fed == NULL)
        return failed ? STORE_BLOCK_BAD : STORE_NO_BLOCK;
    *block = (struct store_block){.index = fed->index, .position = fed->position};
    at = fed->chunk.at + CONTAINER_CHUNK_HEAD_BYTES;
    if (store_place_columns(block, at, at + fed->index.bytes))
        return STORE_BLOCK;
    *error = store_block_damaged(store, &block->index, "has columns that do not fit it");
    return STORE_BLOCK_BAD;
}

/* The bytes of a block; NULL: they are damaged, as far as that is looked at. */
static const uint8_t *block_bytes(const struct store *store, enum store_part part, struct store_index *index,
                                  bool hashes)
{
    struct container_chunk chunk;

    if (container_look(store->file.bytes, store->file.size - CONTAINER_TRAILER_BYTES, index->place, &store_kind, hashes,
                       &chunk) || chunk.kind != (part == STORE_DEP ? STORE_DEP_BLOCK : STORE_FETCH_BLOCK))
        return NULL;
    index->bytes = chunk.length;
    return chunk.bytes;
}

enum store_step store_block_open(const struct store *store, enum store_part part, uint64_t number,
                                 struct store_block *block, struct fault *error)
{
    if (store->feed != NULL)
        return open_fed_block(store, part, block, error);
    if (number >= store->about.blocks[part])
        return STORE_NO_BLOCK;

    struct store_index index = store_index_of(store, part, number);
    uint64_t const behind = record_behind(store, part, number);
    const uint8_t *const at = block_bytes(store, part, &index, !store->is_checked);

    /* Whether the file was modified since it was opened. */
    if (at == NULL || !block_is_sound(&index, behind)) {
        *error = store_block_damaged(store, &index, "is damaged");
        return STORE_BLOCK_BAD;
    }
    *block = (struct store_block){.index = index,
                                  .position = (double)index.first_record / (double)store->about.count[part]};
    if (store_place_columns(block, at, at + index.bytes) && block->records == behind - index.first_record)
        return STORE_BLOCK;
    *error = store_block_damaged(store, &index, "has columns that do not fit it");
    return STORE_BLOCK_BAD;
}

struct store_long_varint store_long_varint(const uint8_t *at, const uint8_t *end)
{
    struct store_long_varint number;

    number.behind = at < end ? wire_varint(at, &number.value) : NULL;
    if (number.behind == NULL || number.behind > end)
        return (struct store_long_varint){NULL, 0};
    return number;
}

bool store_block_values(const struct store_block *block, uint64_t *values)
{
    const uint8_t *at = block->values;

    for (uint32_t i = 0; i < block->value_count; i++) {
        at = at < block->values_end ? wire_varint(at, &values[i]) : NULL;
        if (at == NULL)
            return false;
    }
    return at == block->values_end;
}

void store_forget(const struct store *store, const struct store_index *index)
{
    container_forget(&store->file, index->place, index->place + index->bytes);
}

struct fault store_check(struct store *store)
{
    struct store_learnt learnt;

    for (int part = 0; part < STORE_PARTS; part++)
        for (uint64_t i = 0; i < store->about.blocks[part]; i++) {
            struct store_index index = store_index_of(store, (enum store_part)part, i);

            if (block_bytes(store, (enum store_part)part, &index, true) == NULL)
                return store_block_damaged(store, &index, "is damaged");
            store_forget(store, &index);
        }
    FORWARD(store_learnt_find(store, &learnt));
    store->is_checked = true;
    return fault_none();
}
