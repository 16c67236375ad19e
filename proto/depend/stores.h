/* The stores of the last window, by the lines that they touch, for loads that wait for them.
 *
 * Use: depend_stores_init, depend_stores_note for each store in the order of seqs, depend_stores_find;
 * depend_stores_forget when nothing waits for the noted stores any more; depend_stores_free.
 * Units: bytes; seqs are those of records. Ownership: memory is that of one window of stores. */
#ifndef PROTO_DEPEND_STORES_H
#define PROTO_DEPEND_STORES_H

#include <stdbool.h>
#include <stdint.h>

#define DEPEND_BUCKETS 1024u             /* of chains of stores; a power of two */

struct depend_store {
    uint64_t seq, start, end;            /* bytes [start, end) */
    uint64_t older;                      /* number of the one before in its chain */
};

struct depend_stores {
    struct depend_store *ring;           /* by number */
    uint64_t mask, count, window;
    uint32_t line_bytes;
    uint64_t buckets[DEPEND_BUCKETS];    /* number of the last store */
};

/* window: of seqs; ring_places: a power of two, at least that. False: out of memory. */
bool depend_stores_init(struct depend_stores *stores, uint64_t window, uint64_t ring_places, uint32_t line_bytes);
void depend_stores_free(struct depend_stores *stores);
void depend_stores_forget(struct depend_stores *stores);
/* The last store of the window before `seq` to one of the bytes, which lie in one line; 0: none. */
uint64_t depend_stores_find(struct depend_stores *stores, uint64_t seq, uint64_t start, uint64_t end);
void depend_stores_note(struct depend_stores *stores, uint64_t seq, uint64_t start, uint64_t end);

#endif
