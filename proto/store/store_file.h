/* What indexes of stores of all contents have in common, and the learnt data of trace stores. */
#ifndef PROTO_STORE_STORE_FILE_H
#define PROTO_STORE_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/container/container.h"
#include "proto/store/store.h"

/* The remedy for a damaged store. */
#define STORE_MEND "make it again with `rubato trace pack`"

/* Data that a model of the core learnt from a store's records, kept in the store so that it is learnt once. To the
 * store it is bytes, and a number for the rules by which they were found: readers compare it with their own, and learn
 * again if it differs. Stores are as good without.
 *
 * Use: store_learnt_find; store_learnt_add to a store that is closed or open, store_packing_keep
 * (proto/store/store_pack.h) to one being made. The bytes are hashed together with the store's index, so that those
 * of another store are refused. Ownership: bytes are the store's. */

struct store_learnt {
    uint64_t rules;
    const uint8_t *bytes;            /* NULL: nothing was learnt */
    size_t count;
};

/* A fault: it is damaged. */
struct fault store_learnt_find(const struct store *store, struct store_learnt *learnt);
/* Rewrites the store with this instead of the previous learnt data. A store of that name is always complete; processes
 * that have the old file open keep it. */
struct fault store_learnt_add(const char *path, const struct store_learnt *learnt);
/* The end of a store being written, behind its blocks: this unless its bytes are NULL, and the index. `meta` is all but
 * its last word, behind container_chunk_begin. */
struct fault store_end(struct container_writer *out, struct column *meta, const struct store_learnt *learnt);

/* The index of a store, written and read front to back: words of 64 bits, and texts, which are a length, bytes, and no
 * zero at the end. `failed` once anything ran over their end, or memory was short. */

void store_meta_put_text(struct column *text, const char *words);
void store_meta_put_source(struct column *text, const struct store_source *source);

/* A count of things of at least `bytes` bytes each, so that a false one cannot ask for much memory. 0 if it is bad. */
uint64_t store_meta_take_count(struct column_bytes *meta, uint64_t bytes);
/* Into an array that must hold it ... */
void store_meta_take_text(struct column_bytes *meta, char *text, size_t room);
/* ... or as a copy, the caller's to free. NULL: bad. */
char *store_meta_take_new_text(struct column_bytes *meta);
/* Into empty structures; the caller frees their contents, even if the data was bad. */
void store_meta_take_warnings(struct column_bytes *meta, struct store_warnings *warnings);
void store_meta_take_source(struct column_bytes *meta, struct store_source *source);

#endif
