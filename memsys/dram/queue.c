#include "memsys/dram/queue.h"

#include <inttypes.h>
#include <stdlib.h>

struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity)
{
    if (capacity > UINT64_C(1) << DRAM_SLOT_BITS)
        return fault_make(FAULT_INPUT, "a DRAM queue of %" PRIu64 " bursts; give at most %u", capacity,
                          1u << DRAM_SLOT_BITS);
    *queue = (struct dram_queue){.capacity = (uint32_t)capacity, .first = DRAM_NO_BURST, .last = DRAM_NO_BURST,
                                 .slots = calloc(capacity, sizeof *queue->slots)};
    if (!queue->slots)
        return fault_make(FAULT_MEMORY, "out of memory for a queue of %u bursts", queue->capacity);
    for (uint32_t i = 0; i < queue->capacity; i++)
        queue->slots[i].next = i + 1 < queue->capacity ? i + 1 : DRAM_NO_BURST;
    return fault_none();
}

void dram_queue_free(struct dram_queue *queue)
{
    free(queue->slots);
    *queue = (struct dram_queue){0};
}

void dram_queue_remove(struct dram_queue *queue, uint32_t slot)
{
    struct dram_burst *const burst = &queue->slots[slot];

    assert(queue->count > 0);
    *(queue->first == slot ? &queue->first : &queue->slots[burst->previous].next) = burst->next;
    *(queue->last == slot ? &queue->last : &queue->slots[burst->next].previous) = burst->previous;
    queue->count--;
    burst->next = queue->first_free;
    queue->first_free = slot;
}
