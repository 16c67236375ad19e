/* Modelled: classic-memory 4.2 and 4.3. Not modelled: sector tags, skewed or fully associative indexing, partitions. */
#include "memsys/tags.h"

#include <stdlib.h>

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params)
{
    uint64_t const block_count = params->size_bytes >> sim->line_shift;

    *tags = (struct tags){.assoc = (uint32_t)params->assoc, .line_shift = sim->line_shift};
    if (block_count >= BLOCK_NONE)
        return fault_make(FAULT_INPUT, "a cache of %llu lines is too large", (unsigned long long)block_count);
    tags->block_count = tags->temporary = (uint32_t)block_count;
    tags->set_mask = block_count / params->assoc - 1;
    tags->lines = malloc((block_count + 1) * sizeof *tags->lines);
    tags->states = calloc(block_count + 1, sizeof *tags->states);
    if (!tags->lines || !tags->states)
        return fault_make(FAULT_MEMORY, "out of memory for the tags of %u lines", tags->block_count);
    for (uint32_t block = 0; block <= tags->block_count; block++)
        tags->lines[block] = LINE_INVALID;
    return replacement_init(&tags->policy, sim, params->replacement, tags->block_count, tags->assoc);
}

void tags_free(struct tags *tags)
{
    free(tags->lines);
    free(tags->states);
    replacement_free(&tags->policy);
    tags->lines = NULL;
    tags->states = NULL;
}

uint32_t tags_victim(struct tags *tags, uint64_t address)
{
    uint64_t const line = address >> tags->line_shift;

    return tags->policy.ops->victim(&tags->policy, (uint32_t)(line & tags->set_mask) * tags->assoc);
}

void tags_insert(struct tags *tags, uint32_t block, const struct packet *packet)
{
    struct block_state *const state = &tags->states[block];

    tags->lines[block] = packet->address >> tags->line_shift;
    state->flags &= BLOCK_PREFETCHED;
    state->when_ready_ps = TICK_NEVER;
    state->filler = packet->request.requestor;
    tags->policy.ops->insert(&tags->policy, block, packet);
}

uint32_t tags_insert_temporary(struct tags *tags, uint64_t address)
{
    assert(!tags_is_valid(tags, tags->temporary));
    tags->lines[tags->temporary] = address >> tags->line_shift;
    tags->states[tags->temporary].flags &= BLOCK_PREFETCHED;
    return tags->temporary;
}

void tags_invalidate(struct tags *tags, uint32_t block)
{
    if (block != tags->temporary)
        tags->policy.ops->invalidate(&tags->policy, block);
    tags->lines[block] = LINE_INVALID;
    tags->states[block].flags = 0;
}
