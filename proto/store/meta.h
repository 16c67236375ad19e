/* Meta data of a store, written and read front to back: words of 64 bits, and texts, which are a length, bytes, and no
 * zero at the end.
 *
 * Use: store_meta_put_* append to a text (base/text.h). A struct store_meta set
 * to bytes, then store_meta_take_*; `bad` once anything ran over their end, or memory was short. */
#ifndef PROTO_STORE_META_H
#define PROTO_STORE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "proto/store/store.h"

void store_meta_put_word(struct text *text, uint64_t word);
void store_meta_put_text(struct text *text, const char *words);
void store_meta_put_source(struct text *text, const struct store_source *source);

struct store_meta {
    const uint8_t *at, *end;
    bool bad;
};

uint64_t store_meta_take_word(struct store_meta *meta);
/* A count of things of at least `bytes` bytes each, so that a false one cannot ask for much memory. 0 if it is bad. */
uint64_t store_meta_take_count(struct store_meta *meta, uint64_t bytes);
/* Into an array that must hold it ... */
void store_meta_take_text(struct store_meta *meta, char *text, size_t room);
/* ... or as a copy, the caller's to free. NULL: bad. */
char *store_meta_take_new_text(struct store_meta *meta);
/* Into empty structures; the caller frees their contents, even if the data was bad. */
void store_meta_take_warnings(struct store_meta *meta, struct store_warnings *warnings);
void store_meta_take_source(struct store_meta *meta, struct store_source *source);

#endif
