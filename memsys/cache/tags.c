/* Modelled: classic-memory 4.2 and 4.3. Not modelled: sector tags, skewed or fully associative indexing, partitions. */
#include "memsys/cache/tags.h"

#include <stdlib.h>

#include "base/host_facts.h"
#include "base/list.h"
#include "memsys/cache/cache_module.h"
#include "memsys/cache/cache_params.h"

#define FIRST_LATE_ROOM 16

static struct fault tags_out_of_memory(const struct tags *tags)
{
    return fault_make(FAULT_MEMORY, "out of memory for the tags of %u lines", tags->block_count);
}

/* ---- the tag store's own table */

static uint32_t tags_find_part(const struct tags *tags, uint64_t line)
{
    uint32_t const first = tags_first(tags, line);

    for (uint32_t block = first; block < first + tags->assoc; block++)
        if (tags_has(tags, block, BLOCK_VALID) && tags->lines[block] == line)
            return block;
    return BLOCK_NONE;
}

static uint64_t tags_line_of(const struct tags *tags, uint32_t block)
{
    return tags->lines[block];
}

static void tags_put(struct tags *tags, uint32_t block, uint64_t line)
{
    tags->lines[block] = line;
}

static void tags_clear_part(struct tags *tags, uint32_t block)
{
    (void)tags, (void)block;             /* BLOCK_VALID says it */
}

static void rank_stamps(struct tags *tags)
{
    replacement_rank(&tags->policy);
}

static void free_lines(struct tags *tags)
{
    host_lines_free(tags->lines);
    tags->lines = NULL;
}

static const struct tags_table plain_table = {tags_find_part, tags_line_of, tags_put, tags_clear_part, rank_stamps,
                                              free_lines};

/* ---- all else */

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params)
{
    uint64_t const block_count = params->size_bytes >> sim->line_shift;

    *tags = (struct tags){.assoc = (uint32_t)params->assoc, .line_shift = sim->line_shift, .table = &plain_table};
    if (block_count >= BLOCK_NONE - 1)
        return fault_make(FAULT_INPUT, "a cache of %llu lines is too large", (unsigned long long)block_count);
    tags->block_count = (uint32_t)block_count;
    tags->temporary = tags->block_count + 1;
    tags->set_count = block_count / params->assoc;
    tags->lines = host_lines_written(block_count + 2, sizeof *tags->lines);
    tags->flags = host_lines_zeroed(block_count + 2, sizeof *tags->flags);
    tags->late_room = FIRST_LATE_ROOM;
    tags->late = malloc(tags->late_room * sizeof *tags->late);
    if (!tags->lines || !tags->flags || !tags->late)
        return tags_out_of_memory(tags);
    if (params->replacement == REPLACEMENT_MODULE)
        return replacement_init_of(&tags->policy, sim, &cache_module_policy, tags->block_count, tags->assoc);
    return replacement_init(&tags->policy, sim, params->replacement, tags->block_count, tags->assoc);
}

void tags_clear_all(struct tags *tags, unsigned flag)
{
    for (uint32_t block = 0; block < tags->block_count + 2; block++)
        tags->flags[block] &= (uint16_t)~flag;
}

struct fault tags_keep_fillers(struct tags *tags)
{
    if (!tags->fillers)
        tags->fillers = host_lines_zeroed((size_t)tags->block_count + 2, sizeof *tags->fillers);
    return tags->fillers ? fault_none() : tags_out_of_memory(tags);
}

void tags_free(struct tags *tags)
{
    if (tags->table)
        tags->table->free(tags);
    host_lines_free(tags->flags);
    free(tags->late);
    host_lines_free(tags->fillers);
    replacement_free(&tags->policy);
    *tags = (struct tags){0};
}

uint64_t tags_ready_ps(struct tags *tags, uint32_t block)
{
    uint32_t i = tags->late_count;

    if (!tags_has(tags, block, BLOCK_LATE))
        return 0;
    while (i > 0 && tags->late[i - 1].block != block)
        i--;
    if (i > 0 && tags->late[i - 1].ready_ps > sim_now_ps(tags->policy.sim))
        return tags->late[i - 1].ready_ps;
    tags_clear(tags, block, BLOCK_LATE);
    return 0;
}

void tags_rank(struct tags *tags)
{
    tags->table->rank(tags);
}

bool tags_are_complete(const struct tags *tags)
{
    for (uint32_t i = 0; i < tags->late_count; i++)
        if (tags->late[i].ready_ps > sim_now_ps(tags->policy.sim))
            return false;
    return true;
}

void tags_make_late_room(struct tags *tags)
{
    uint64_t const now_ps = sim_now_ps(tags->policy.sim);
    uint32_t count = 0;

    for (uint32_t i = 0; i < tags->late_count; i++)
        if (tags->late[i].ready_ps > now_ps)
            tags->late[count++] = tags->late[i];
    tags->late_count = count;
    if (count <= tags->late_room / 2)
        return;
    if (!list_resize(&tags->late, 2 * (size_t)tags->late_room, sizeof *tags->late))
        sim_out_of_memory(tags->policy.sim);
    tags->late_room *= 2;
}

void tags_insert(struct tags *tags, uint32_t block, const struct packet *packet)
{
    tags->table->put(tags, block, packet->address >> tags->line_shift);
    tags->flags[block] = (uint16_t)((tags->flags[block] & BLOCK_PREFETCHED) | BLOCK_VALID);
    if (tags->fillers)
        tags->fillers[block] = packet->request.requestor;
    tags->policy.ops->insert(&tags->policy, block, packet);
}

uint32_t tags_insert_temporary(struct tags *tags, uint64_t address)
{
    uint32_t const block = tags->temporary;

    assert(!tags_is_valid(tags, block));
    tags->table->put(tags, block, address >> tags->line_shift);
    tags->flags[block] = (uint16_t)((tags->flags[block] & BLOCK_PREFETCHED) | BLOCK_VALID);
    return block;
}

void tags_invalidate(struct tags *tags, uint32_t block)
{
    if (block != tags->temporary)
        tags->policy.ops->invalidate(&tags->policy, block);
    tags->table->clear(tags, block);
    tags->flags[block] = 0;
}

uint32_t tags_victim_among(struct tags *tags, uint64_t address, uint32_t way, uint32_t count)
{
    uint32_t const first = tags_first(tags, address >> tags->line_shift) + way;

    for (uint32_t block = first; block < first + count; block++)
        if (!tags_is_valid(tags, block))
            return block;
    return tags->policy.ops->victim_among(&tags->policy, first, count);
}
