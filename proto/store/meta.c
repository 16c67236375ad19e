#include "proto/store/store_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void store_meta_put_text(struct column *text, const char *words)
{
    column_put_word(text, strlen(words));
    column_put_bytes(text, words, strlen(words));
}

void store_meta_put_source(struct column *text, const struct store_source *source)
{
    store_meta_put_text(text, source->path);
    column_put_word(text, source->size_bytes);
    column_put_word(text, (uint64_t)source->mtime_s);
    column_put_word(text, source->mtime_ns | (uint64_t)source->print << 32);
    column_put_word(text, source->hash);
}

uint64_t store_meta_take_count(struct column_bytes *meta, uint64_t bytes)
{
    uint64_t const count = column_take_word(meta);

    if (count > (uint64_t)(meta->end - meta->at) / bytes)
        meta->failed = true;
    return meta->failed ? 0 : count;
}

void store_meta_take_text(struct column_bytes *meta, char *text, size_t room)
{
    uint64_t const length = store_meta_take_count(meta, 1);

    if (length >= room || meta->failed) {
        meta->failed = true;
        return;
    }
    memcpy(text, meta->at, length);
    text[length] = '\0';
    meta->at += length;
}

char *store_meta_take_new_text(struct column_bytes *meta)
{
    uint64_t const length = store_meta_take_count(meta, 1);
    char *const text = malloc(length + 1);

    if (text == NULL || meta->failed) {
        meta->failed = true;
        free(text);
        return NULL;
    }
    memcpy(text, meta->at, length);
    text[length] = '\0';
    meta->at += length;
    return text;
}

void store_meta_take_warnings(struct column_bytes *meta, struct store_warnings *warnings)
{
    uint64_t const count = store_meta_take_count(meta, 8);

    warnings->texts = calloc(count + 1, sizeof *warnings->texts);
    if (warnings->texts == NULL)
        meta->failed = true;
    for (; !meta->failed && warnings->count < count; warnings->count++)
        warnings->texts[warnings->count] = store_meta_take_new_text(meta);
}

void store_meta_take_source(struct column_bytes *meta, struct store_source *source)
{
    uint64_t times;

    source->path = store_meta_take_new_text(meta);
    source->size_bytes = column_take_word(meta);
    source->mtime_s = (int64_t)column_take_word(meta);
    times = column_take_word(meta);
    source->mtime_ns = (uint32_t)times;
    source->print = (uint32_t)(times >> 32);
    source->hash = column_take_word(meta);
}
