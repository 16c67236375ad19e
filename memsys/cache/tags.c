/* Modelled: classic-memory 4.2 and 4.3. Not modelled: sector tags, skewed or fully associative indexing, partitions. */
#include "memsys/cache/tags.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/host_lines.h"

#define FIRST_LATE_ROOM 16

static struct fault out_of_memory(const struct tags *tags)
{
    return fault_make(FAULT_MEMORY, "out of memory for the tags of %u lines", tags->block_count);
}

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params)
{
    uint64_t const block_count = params->size_bytes >> sim->line_shift;

    *tags = (struct tags){.assoc = (uint32_t)params->assoc, .line_shift = sim->line_shift};
    if (block_count >= BLOCK_NONE - 1)
        return fault_make(FAULT_INPUT, "a cache of %llu lines is too large", (unsigned long long)block_count);
    tags->block_count = (uint32_t)block_count;
    tags->temporary = tags->block_count + 1;
    tags->set_count = block_count / params->assoc;
    tags->set_mask = (UINT64_C(1) << log2_down(tags->set_count)) - 1;
    tags->near_lines = is_power_of_two(tags->set_count) ? TAGS_VALID : 0;
    tags->ways = host_lines_written(block_count + 2, sizeof *tags->ways);
    tags->flags = host_lines_zeroed(block_count + 2, sizeof *tags->flags);
    tags->late_room = FIRST_LATE_ROOM;
    tags->late = malloc(tags->late_room * sizeof *tags->late);
    if (!tags->ways || !tags->flags || !tags->late)
        return out_of_memory(tags);
    FAULT_TRY(replacement_init(&tags->policy, sim, params->replacement, tags->block_count, tags->assoc));
    tags->policy.ways = tags->ways;
    return fault_none();
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
    return tags->fillers ? fault_none() : out_of_memory(tags);
}

void tags_free(struct tags *tags)
{
    host_lines_free(tags->ways);
    host_lines_free(tags->highs);
    host_lines_free(tags->flags);
    free(tags->late);
    host_lines_free(tags->fillers);
    replacement_free(&tags->policy);
    *tags = (struct tags){0};
}

uint32_t tags_find_far(const struct tags *tags, uint64_t line)
{
    uint32_t const first = tags_first(tags, line);

    for (uint32_t block = first; block < first + tags->assoc; block++)
        if (tags_is_valid(tags, block) && tags_line(tags, block) == line)
            return block;
    return BLOCK_NONE;
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
    struct late_fill *late;
    uint32_t count = 0;

    for (uint32_t i = 0; i < tags->late_count; i++)
        if (tags->late[i].ready_ps > now_ps)
            tags->late[count++] = tags->late[i];
    tags->late_count = count;
    if (count <= tags->late_room / 2)
        return;
    late = realloc(tags->late, 2 * tags->late_room * sizeof *late);
    if (!late)
        sim_out_of_memory(tags->policy.sim);
    tags->late = late;
    tags->late_room *= 2;
}

void tags_set_far_line(struct tags *tags, uint32_t block, uint64_t line)
{
    uint64_t const high = line >> TAGS_LOW_BITS;

    if (high == 0 && !tags->highs)                       /* no power of two of sets */
        return;
    if (high != 0 && !tags->highs) {
        tags->highs = host_lines_zeroed((size_t)tags->block_count + 2, sizeof *tags->highs);
        if (!tags->highs)
            sim_out_of_memory(tags->policy.sim);
        tags->near_lines = 0;
    }
    tags->highs[block] = (uint32_t)high;
}

void tags_note_filler(struct tags *tags, uint32_t block, const struct packet *packet)
{
    tags->fillers[block] = packet->request.requestor;
}

uint32_t tags_insert_temporary(struct tags *tags, uint64_t address)
{
    assert(!tags_is_valid(tags, tags->temporary));
    tags_set_line(tags, tags->temporary, address >> tags->line_shift);
    tags->flags[tags->temporary] &= BLOCK_PREFETCHED;
    return tags->temporary;
}

uint32_t tags_victim_among(const struct tags *tags, uint64_t address, uint32_t way, uint32_t count)
{
    uint32_t const first = tags_first(tags, address >> tags->line_shift) + way;
    uint32_t victim = first;

    for (uint32_t block = first; block < first + count && tags_is_valid(tags, victim); block++)
        if (!tags_is_valid(tags, block) || tags->ways[block].age < tags->ways[victim].age)
            victim = block;
    return victim;
}
