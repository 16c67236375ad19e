/* What a model of the core found in a store's records, kept in the store so that it is looked for once. To the store
 * it is bytes, and a number for the rules by which they were found: readers compare it with their own, and learn again
 * if it differs. Stores are as good without.
 *
 * Use: store_learnt_find; store_learnt_add to a store that is closed or open, store_packing_keep (proto/store/pack.h)
 * to one being made.
 * The bytes are hashed together with the store's index, so that those of another store are refused.
 * Ownership: bytes are the store's. */
#ifndef PROTO_STORE_LEARNT_H
#define PROTO_STORE_LEARNT_H

#include "proto/store/store.h"

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
/* The end of a store file being written, from `place` on, behind its blocks: this, meta, and the head. */
struct fault store_learnt_end(const char *path, int file, const void *meta, size_t meta_bytes, uint64_t place,
                              const struct store_learnt *learnt);

#endif
