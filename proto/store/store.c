/* Opening a store: the file is mapped, its head and meta are read into values, the index is checked so that every block
 * lies in the file and numbers rise from block to block. It is as long as the trace, so it is read where it is mapped.
 * What a block holds is the cursors' affair (proto/store/dep.c, proto/store/fetch.c). */
#include "proto/store/store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash64.h"
#include "proto/io/wire.h"
#include "proto/store/feed.h"
#include "proto/store/file.h"
#include "proto/store/format.h"
#include "proto/store/learnt.h"
#include "proto/store/meta.h"

struct store {
    struct container file;
    bool is_checked;                 /* all hashes were right */
    struct store_feed *feed;         /* not NULL: no bytes, but blocks from there; `about` is borrowed */
    struct store_about about;
    const uint8_t *index[STORE_PARTS];       /* in the file */
};

static void read_headers(struct store_meta *meta, struct store_about *about)
{
    store_meta_take_text(meta, about->dep.obj_id, sizeof about->dep.obj_id);
    about->dep.has_ver = store_meta_take_word(meta) != 0;
    about->dep.ver = (uint32_t)store_meta_take_word(meta);
    about->dep.tick_freq = store_meta_take_word(meta);
    about->dep.window_size = (uint32_t)store_meta_take_word(meta);
    store_meta_take_text(meta, about->fetch.obj_id, sizeof about->fetch.obj_id);
    about->fetch.has_ver = store_meta_take_word(meta) != 0;
    about->fetch.ver = (uint32_t)store_meta_take_word(meta);
    about->fetch.tick_freq = store_meta_take_word(meta);

    uint64_t const count = store_meta_take_count(meta, 24);
    struct packet_id_string *const strings = calloc(count + 1, sizeof *strings);

    about->fetch.id_strings = strings;
    if (strings == NULL) {
        meta->bad = true;
        return;
    }
    about->fetch.id_string_count = count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t const flags = store_meta_take_word(meta);

        strings[i].has_key = flags & 1;
        strings[i].has_value = (flags & 2) != 0;
        strings[i].key = (uint32_t)store_meta_take_word(meta);
        store_meta_take_text(meta, strings[i].value, sizeof strings[i].value);
    }
    meta->bad = meta->bad || about->dep.tick_freq == 0 || about->dep.window_size == 0 || about->fetch.tick_freq == 0;
}

static void read_source(struct store_meta *meta, struct store_about *about, enum store_part part)
{
    store_meta_take_source(meta, &about->source[part]);
    store_meta_take_warnings(meta, &about->warnings[part]);
}

struct store_index store_index_of(const struct store *store, enum store_part part, uint64_t number)
{
    const uint8_t *const at = store->index[part] + STORE_INDEX_BYTES * number;

    return (struct store_index){.place = bits_load64(at), .bytes = bits_load64(at + 8), .hash = bits_load64(at + 16),
                                .first_record = bits_load64(at + 24), .first_key = bits_load64(at + 32)};
}

/* Where a block's records end. */
static uint64_t record_behind(const struct store *store, enum store_part part, uint64_t number)
{
    return number + 1 < store->about.blocks[part] ? store_index_of(store, part, number + 1).first_record
                                                  : store->about.count[part];
}

/* In the file, without the slack, and of a number of records that may be. */
static bool block_is_sound(const struct store *store, const struct store_index *index, uint64_t behind)
{
    return index->place <= store->file.size && store->file.size - index->place >= STORE_SLACK
        && index->bytes <= store->file.size - STORE_SLACK - index->place && index->first_record < behind
        && behind - index->first_record <= STORE_BLOCK_RECORDS;
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
        if (!block_is_sound(store, &index, behind))
            return false;
    }
    return blocks > 0 || store->about.count[part] == 0;
}

static void read_index(struct store_meta *meta, struct store *store, enum store_part part)
{
    struct store_about *const about = &store->about;

    about->count[part] = store_meta_take_word(meta);
    about->blocks[part] = store_meta_take_count(meta, STORE_INDEX_BYTES);
    store->index[part] = meta->at;
    meta->bad = meta->bad || !index_is_sound(store, part);
    if (!meta->bad)
        meta->at += STORE_INDEX_BYTES * about->blocks[part];
}

static struct fault read_meta(struct store *store)
{
    const uint8_t *at;
    uint64_t bytes;
    struct store_meta meta;

    FORWARD(store_file_check(&store->file, &store_kind, &at, &bytes));
    meta = (struct store_meta){.at = at, .end = at + bytes};
    store->about.file_bytes = store->file.size;
    read_headers(&meta, &store->about);
    for (enum store_part part = STORE_DEP; part < STORE_PARTS; part++) {
        read_source(&meta, &store->about, part);
        read_index(&meta, store, part);
    }
    if (!meta.bad && meta.at == meta.end)
        return fault_none();
    return fault_at(store->file.name, (uint64_t)(at - store->file.bytes), "the store's index is inconsistent, or "
                    "memory is short; " STORE_MEND);
}

/* A store of that file, which becomes its own, without what the file says. */
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

static bool place_columns(struct store_block *block, const uint8_t *at, const uint8_t *end)
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
    const struct store_feed_block *const fed = store_feed_take(store->feed, part, &failed, error);

    if (fed == NULL)
        return failed ? STORE_BLOCK_BAD : STORE_NO_BLOCK;
    *block = (struct store_block){.index = fed->index, .position = fed->position};
    if (place_columns(block, fed->bytes, fed->bytes + fed->index.bytes))
        return STORE_BLOCK;
    *error = store_block_damaged(store, &block->index, "has columns that do not fit it");
    return STORE_BLOCK_BAD;
}

enum store_step store_block_open(const struct store *store, enum store_part part, uint64_t number,
                                 struct store_block *block, struct fault *error)
{
    if (store->feed != NULL)
        return open_fed_block(store, part, block, error);
    if (number >= store->about.blocks[part])
        return STORE_NO_BLOCK;

    struct store_index const index = store_index_of(store, part, number);
    uint64_t const behind = record_behind(store, part, number);
    const uint8_t *const at = store->file.bytes + index.place;

    /* Whether the file was modified since it was opened. */
    if (!block_is_sound(store, &index, behind) || (!store->is_checked && hash64(at, index.bytes) != index.hash)) {
        *error = store_block_damaged(store, &index, "is damaged");
        return STORE_BLOCK_BAD;
    }
    *block = (struct store_block){.index = index,
                                  .position = (double)index.first_record / (double)store->about.count[part]};
    if (place_columns(block, at, at + index.bytes) && block->records == behind - index.first_record)
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
            struct store_index const index = store_index_of(store, (enum store_part)part, i);

            if (hash64(store->file.bytes + index.place, index.bytes) != index.hash)
                return store_block_damaged(store, &index, "is damaged");
            store_forget(store, &index);
        }
    FORWARD(store_learnt_find(store, &learnt));
    store->is_checked = true;
    return fault_none();
}
