/* The slots in use and the free ones are together a permutation of all: a removed burst's slot moves to the end of the
 * keys in use, where the next push finds it. */
#include "memsys/dram_queue.h"

#include <stdlib.h>
#include <string.h>

struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity)
{
    *queue = (struct dram_queue){.capacity = (uint32_t)capacity,
                                 .keys = calloc(capacity, sizeof *queue->keys),
                                 .aligned = calloc(capacity, sizeof *queue->aligned),
                                 .slots = calloc(capacity, sizeof *queue->slots)};
    if (!queue->keys || !queue->aligned || !queue->slots)
        return fault_make(FAULT_MEMORY, "out of memory for a queue of %u bursts", queue->capacity);
    for (uint32_t i = 0; i < queue->capacity; i++)
        queue->keys[i].slot = i;
    return fault_none();
}

void dram_queue_free(struct dram_queue *queue)
{
    free(queue->keys);
    free(queue->aligned);
    free(queue->slots);
    *queue = (struct dram_queue){0};
}

void dram_queue_push(struct dram_queue *queue, const struct dram_key *key, const struct dram_burst *burst,
                     uint64_t aligned)
{
    uint32_t const place = queue->count++;
    uint32_t const slot = queue->keys[place].slot;

    assert(place < queue->capacity);
    queue->keys[place] = *key;
    queue->keys[place].slot = slot;
    queue->aligned[place] = aligned;
    queue->slots[slot] = *burst;
}

void dram_queue_remove(struct dram_queue *queue, uint32_t place)
{
    uint32_t const slot = queue->keys[place].slot;
    size_t const younger = queue->count - place - 1;

    assert(place < queue->count);
    memmove(queue->keys + place, queue->keys + place + 1, younger * sizeof *queue->keys);
    memmove(queue->aligned + place, queue->aligned + place + 1, younger * sizeof *queue->aligned);
    queue->count--;
    queue->keys[queue->count].slot = slot;
}
