#include "proto/gpu/gpu_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

uint64_t gpu_statics_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_static(const struct gpu_static *fixed)
{
    uint64_t hash = gpu_statics_mix(gpu_statics_mix(gpu_statics_mix(0, fixed->pc), (uint64_t)fixed->immediate),
                                    (uint64_t)fixed->line << 32 | (uint32_t)fixed->opcode << 16 | fixed->traced_width);

    hash = gpu_statics_mix(hash, (uint64_t)fixed->commits_group << 16 | (uint64_t)fixed->destination_count << 8
                                     | fixed->source_count);
    for (int i = 0; i < fixed->destination_count + fixed->source_count; i++)
        hash = gpu_statics_mix(hash, fixed->registers[i]);
    return hash;
}

static bool same_static(const struct gpu_static *a, const struct gpu_static *b)
{
    return a->pc == b->pc && a->immediate == b->immediate && a->line == b->line && a->opcode == b->opcode
        && a->traced_width == b->traced_width && a->destination_count == b->destination_count
        && a->source_count == b->source_count && a->commits_group == b->commits_group
        && memcmp(a->registers, b->registers,
                  (size_t)(a->destination_count + a->source_count) * sizeof a->registers[0]) == 0;
}

static uint64_t hash_of_item(const void *statics, uint32_t number)
{
    return hash_static(&((const struct gpu_statics *)statics)->items[number]);
}

void gpu_statics_free(struct gpu_statics *statics)
{
    free(statics->items);
    hash_index_free(&statics->index);
    *statics = (struct gpu_statics){0};
}

bool gpu_statics_find(struct gpu_statics *statics, const struct gpu_static *fixed, uint32_t *index)
{
    uint64_t at = hash_static(fixed);

    if (!hash_index_fit(&statics->index, hash_of_item, statics))
        return false;
    for (; (*index = hash_index_at(&statics->index, at)) != HASH_INDEX_NONE; at++)
        if (same_static(&statics->items[*index], fixed))
            return true;
    if (statics->count >= UINT32_MAX / 2
        || !list_fit(&statics->items, statics->count + 1, &statics->room, sizeof *statics->items))
        return false;
    *index = (uint32_t)statics->count;
    statics->items[statics->count++] = *fixed;
    hash_index_put(&statics->index, at, *index);
    return true;
}
