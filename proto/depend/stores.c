/* A ring of stores by number; those of a bucket are a chain from the youngest on. */
#include "proto/depend/stores.h"

#include <stdlib.h>

#define NO_STORE UINT64_MAX

bool depend_stores_init(struct depend_stores *stores, uint64_t window, uint64_t ring_places, uint32_t line_bytes)
{
    stores->ring = malloc(ring_places * sizeof *stores->ring);
    stores->mask = ring_places - 1;
    stores->window = window;
    stores->line_bytes = line_bytes;
    depend_stores_forget(stores);
    return stores->ring != NULL;
}

void depend_stores_free(struct depend_stores *stores)
{
    free(stores->ring);
    stores->ring = NULL;
}

void depend_stores_forget(struct depend_stores *stores)
{
    for (size_t i = 0; i < DEPEND_BUCKETS; i++)
        stores->buckets[i] = NO_STORE;
    stores->count = 0;
}

static uint64_t *stores_bucket_of(struct depend_stores *stores, uint64_t address)
{
    return &stores->buckets[address / stores->line_bytes * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

uint64_t depend_stores_find(struct depend_stores *stores, uint64_t seq, uint64_t start, uint64_t end)
{
    uint64_t number = *stores_bucket_of(stores, start);

    while (number != NO_STORE && stores->count - number <= stores->mask + 1) {
        struct depend_store const *const store = &stores->ring[number & stores->mask];

        if (seq - store->seq >= stores->window)
            return 0;
        if (store->start < end && start < store->end)
            return store->seq;
        number = store->older;
    }
    return 0;
}

void depend_stores_note(struct depend_stores *stores, uint64_t seq, uint64_t start, uint64_t end)
{
    uint64_t *const bucket = stores_bucket_of(stores, start);

    stores->ring[stores->count & stores->mask]
        = (struct depend_store){.seq = seq, .start = start, .end = end, .older = *bucket};
    *bucket = stores->count++;
}
