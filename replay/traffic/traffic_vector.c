#include "replay/traffic/traffic_vector.h"

#include <stdio.h>
#include <string.h>

#include "replay/traffic/traffic_memory.h"

static bool say(char *why, size_t size, struct fault fault)
{
    snprintf(why, size, "%s", fault_text(fault));
    return false;
}

/* The first memory whose devices have levels; NULL: none. */
static const struct traffic_range *range_with_levels(const struct traffic_memory *memory)
{
    for (unsigned i = 0; i < memory->range_count; i++)
        if (memory->ports[memory->ranges[i].first_port].command)
            return &memory->ranges[i];
    return NULL;
}

bool traffic_vector_find(void *context, const struct traffic_vector *vector, uint64_t *address,
                         uint64_t *access_bytes, char *why, size_t size)
{
    struct traffic_vectors *const vectors = context;
    const struct traffic_range *range;
    const struct cmd_ctrl *ctrl;
    struct fault fault = fault_none();
    unsigned channels;
    uint64_t offset;

    if (!vectors->memory)
        vectors->memory = traffic_memory_create(vectors->config, &fault);
    if (!vectors->memory)
        return say(why, size, fault);
    range = range_with_levels(vectors->memory);
    if (!range)
        return say(why, size, fault_make(FAULT_INPUT, "levels of a device need a memory that has them; give a system "
                                         "with memory.type: command"));
    ctrl = vectors->memory->ports[range->first_port].command;
    channels = ctrl->range.divisor ? (unsigned)ctrl->range.divisor : 1U << ctrl->range.bit_count;
    if (vector->count != ctrl->spec->level_count)
        return say(why, size, fault_make(FAULT_INPUT, "%u levels; %s has %u, from %s to %s", vector->count,
                                         ctrl->spec->organization, ctrl->spec->level_count,
                                         ctrl->spec->standard->levels[0],
                                         ctrl->spec->standard->levels[ctrl->spec->level_count - 1]));
    if ((unsigned)vector->entries[0] >= channels)
        return say(why, size, fault_make(FAULT_INPUT, "Channel is %d; there are %u (memory.channels)",
                                         vector->entries[0], channels));
    if (FAILS(fault, cmd_memory_address(ctrl->memory, vector->entries, &offset)))
        return say(why, size, fault);
    *access_bytes = ctrl->access_bytes;
    *address = address_range_address(&range->range, (unsigned)vector->entries[0], offset);
    if (*address < range->range.end)
        return true;
    return say(why, size, fault_make(FAULT_INPUT, "lies beyond memory.size, at 0x%llx; give a larger one",
                                     (unsigned long long)*address));
}

void traffic_vectors_free(struct traffic_vectors *vectors)
{
    traffic_memory_destroy(vectors->memory);
    vectors->memory = NULL;
}
