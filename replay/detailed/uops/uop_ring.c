#include "replay/detailed/uops/uop_ring.h"

#include <assert.h>
#include <stdlib.h>


enum { BLOCK_ACCESSES = 512, FIRST_ROOM = 8 };

struct access_block {
    struct access_block *next;
    unsigned used;
    struct supply_access accesses[BLOCK_ACCESSES];
};

/* Twice as many chunks; they keep their numbers. */
static bool ring_grow(struct ring *ring)
{
    uint64_t const room = ring->room ? 2 * ring->room : FIRST_ROOM;
    struct ring_chunk **const chunks = calloc(room, sizeof(struct ring_chunk *));
    uint64_t const first = ring->first >> RING_CHUNK_SHIFT;

    if (!chunks)
        return false;
    for (uint64_t i = first; i < first + ring->room; i++)
        chunks[i & (room - 1)] = ring->chunks[i & (ring->room - 1)];
    free(ring->chunks);
    ring->chunks = chunks;
    ring->room = room;
    return true;
}

static struct ring_chunk *take_chunk(struct ring *ring)
{
    struct ring_chunk *const chunk = ring->free;

    if (!chunk)
        return calloc(1, sizeof *chunk);
    ring->free = chunk->next;
    chunk->last = chunk->first;
    if (chunk->first)
        chunk->first->used = 0;
    return chunk;
}

/* A chunk for the number ring->count, which is the first of it. */
static bool begin_chunk(struct ring *ring)
{
    uint64_t const number = ring->count >> RING_CHUNK_SHIFT;
    struct ring_chunk **at;

    if (number - (ring->first >> RING_CHUNK_SHIFT) >= ring->room && !ring_grow(ring))
        return false;
    at = &ring->chunks[number & (ring->room - 1)];
    if (!*at)
        *at = take_chunk(ring);
    return *at != NULL;
}

static struct ring_chunk *newest(const struct ring *ring)
{
    return ring->chunks[ring->count >> RING_CHUNK_SHIFT & (ring->room - 1)];
}

struct supply_insn *ring_slot(struct ring *ring)
{
    if (((ring->count & (RING_CHUNK - 1)) == 0 || ring->room == 0) && !begin_chunk(ring))
        return NULL;
    return &newest(ring)->insns[ring->count & (RING_CHUNK - 1)];
}

static struct access_block *uop_ring_begin_block(struct ring_chunk *chunk)
{
    struct access_block *block = chunk->last ? chunk->last->next : chunk->first;

    if (!block) {
        block = malloc(sizeof *block);
        if (!block)
            return NULL;
        block->next = NULL;
        *(chunk->last ? &chunk->last->next : &chunk->first) = block;
    }
    block->used = 0;
    chunk->last = block;
    return block;
}

struct supply_access *ring_accesses(struct ring *ring, unsigned count)
{
    struct ring_chunk *const chunk = newest(ring);
    struct access_block *block = chunk->last;

    assert(count <= BLOCK_ACCESSES);
    if (!block || block->used + count > BLOCK_ACCESSES) {
        block = uop_ring_begin_block(chunk);
        if (!block)
            return NULL;
    }
    block->used += count;
    return &block->accesses[block->used - count];
}

void ring_release(struct ring *ring, uint64_t number)
{
    uint64_t const until = number >> RING_CHUNK_SHIFT;

    assert(number <= ring->count);
    for (uint64_t i = ring->first >> RING_CHUNK_SHIFT; i < until; i++) {
        struct ring_chunk **const at = &ring->chunks[i & (ring->room - 1)];

        (*at)->next = ring->free;
        ring->free = *at;
        *at = NULL;
    }
    ring->first = number > ring->first ? number : ring->first;
}

static void free_chunk(struct ring_chunk *chunk)
{
    struct access_block *next;

    for (struct access_block *block = chunk->first; block; block = next) {
        next = block->next;
        free(block);
    }
    free(chunk);
}

void ring_free(struct ring *ring)
{
    struct ring_chunk *next;

    for (uint64_t i = 0; i < ring->room; i++)
        if (ring->chunks[i])
            free_chunk(ring->chunks[i]);
    for (struct ring_chunk *chunk = ring->free; chunk; chunk = next) {
        next = chunk->next;
        free_chunk(chunk);
    }
    free(ring->chunks);
    *ring = (struct ring){0};
}
