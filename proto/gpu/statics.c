/* A table of indices with open hashing, at most half full. */
#include "proto/gpu/statics.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { SLOTS_FIRST = 256 };

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_static(const struct gpu_static *fixed)
{
    uint64_t hash = mix(mix(mix(0, fixed->pc), (uint64_t)fixed->immediate),
                        (uint64_t)fixed->line << 32 | (uint32_t)fixed->opcode << 16 | fixed->traced_width);

    hash = mix(hash, (uint64_t)fixed->destination_count << 8 | fixed->source_count);
    for (int i = 0; i < fixed->destination_count + fixed->source_count; i++)
        hash = mix(hash, fixed->registers[i]);
    return hash;
}

static bool same_static(const struct gpu_static *a, const struct gpu_static *b)
{
    return a->pc == b->pc && a->immediate == b->immediate && a->line == b->line && a->opcode == b->opcode
        && a->traced_width == b->traced_width && a->destination_count == b->destination_count
        && a->source_count == b->source_count
        && memcmp(a->registers, b->registers,
                  (size_t)(a->destination_count + a->source_count) * sizeof a->registers[0]) == 0;
}

bool gpu_statics_init(struct gpu_statics *statics)
{
    *statics = (struct gpu_statics){.slots = SLOTS_FIRST};
    statics->table = calloc(statics->slots, sizeof *statics->table);
    return statics->table != NULL;
}

void gpu_statics_free(struct gpu_statics *statics)
{
    free(statics->items);
    free(statics->table);
    *statics = (struct gpu_statics){0};
}

static bool grow_table(struct gpu_statics *statics)
{
    size_t const slots = 2 * statics->slots;
    uint32_t *table;

    if (2 * statics->count < statics->slots)
        return true;
    table = calloc(slots, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < statics->count; i++) {
        uint64_t slot = hash_static(&statics->items[i]);

        while (table[slot & (slots - 1)] != 0)
            slot++;
        table[slot & (slots - 1)] = (uint32_t)i + 1;
    }
    free(statics->table);
    statics->table = table;
    statics->slots = slots;
    return true;
}

bool gpu_statics_find(struct gpu_statics *statics, const struct gpu_static *fixed, uint32_t *index)
{
    size_t const last = statics->slots - 1;
    uint64_t slot = hash_static(fixed);

    for (; statics->table[slot & last] != 0; slot++) {
        *index = statics->table[slot & last] - 1;
        if (same_static(&statics->items[*index], fixed))
            return true;
    }
    if (statics->count >= UINT32_MAX / 2
        || !list_fit(&statics->items, statics->count + 1, &statics->room, sizeof *statics->items))
        return false;
    *index = (uint32_t)statics->count;
    statics->items[statics->count++] = *fixed;
    statics->table[slot & last] = *index + 1;
    return grow_table(statics);
}
