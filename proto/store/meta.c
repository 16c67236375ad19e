#include "proto/store/meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void store_meta_put_word(struct text *text, uint64_t word)
{
    uint8_t bytes[8];

    bits_store64(bytes, word);
    text_put_bytes(text, bytes, sizeof bytes);
}

void store_meta_put_text(struct text *text, const char *words)
{
    store_meta_put_word(text, strlen(words));
    text_put(text, words);
}

void store_meta_put_source(struct text *text, const struct store_source *source)
{
    store_meta_put_text(text, source->path);
    store_meta_put_word(text, source->size_bytes);
    store_meta_put_word(text, (uint64_t)source->mtime_s);
    store_meta_put_word(text, source->mtime_ns | (uint64_t)source->print << 32);
    store_meta_put_word(text, source->hash);
}

uint64_t store_meta_take_word(struct store_meta *meta)
{
    uint64_t word;

    if (meta->end - meta->at < 8) {
        meta->bad = true;
        return 0;
    }
    word = bits_load64(meta->at);
    meta->at += 8;
    return word;
}

uint64_t store_meta_take_count(struct store_meta *meta, uint64_t bytes)
{
    uint64_t const count = store_meta_take_word(meta);

    if (count > (uint64_t)(meta->end - meta->at) / bytes)
        meta->bad = true;
    return meta->bad ? 0 : count;
}

void store_meta_take_text(struct store_meta *meta, char *text, size_t room)
{
    uint64_t const length = store_meta_take_count(meta, 1);

    if (length >= room || meta->bad) {
        meta->bad = true;
        return;
    }
    memcpy(text, meta->at, length);
    text[length] = '\0';
    meta->at += length;
}

char *store_meta_take_new_text(struct store_meta *meta)
{
    uint64_t const length = store_meta_take_count(meta, 1);
    char *const text = malloc(length + 1);

    if (text == NULL || meta->bad) {
        meta->bad = true;
        free(text);
        return NULL;
    }
    memcpy(text, meta->at, length);
    text[length] = '\0';
    meta->at += length;
    return text;
}

void store_meta_take_warnings(struct store_meta *meta, struct store_warnings *warnings)
{
    uint64_t const count = store_meta_take_count(meta, 8);

    warnings->texts = calloc(count + 1, sizeof *warnings->texts);
    if (warnings->texts == NULL)
        meta->bad = true;
    for (; !meta->bad && warnings->count < count; warnings->count++)
        warnings->texts[warnings->count] = store_meta_take_new_text(meta);
}

void store_meta_take_source(struct store_meta *meta, struct store_source *source)
{
    uint64_t times;

    source->path = store_meta_take_new_text(meta);
    source->size_bytes = store_meta_take_word(meta);
    source->mtime_s = (int64_t)store_meta_take_word(meta);
    times = store_meta_take_word(meta);
    source->mtime_ns = (uint32_t)times;
    source->print = (uint32_t)(times >> 32);
    source->hash = store_meta_take_word(meta);
}
