/* The ranges of memories in ascending order. */
#include "replay/system/spaces.h"

#include <assert.h>

static_assert((int)CONFIG_MAX_MEMORIES <= (int)VM_MAX_RANGES, "each memory is a range");

struct vm_memory *spaces_make(const struct system_config *config, struct fault *fault)
{
    struct vm_range ranges[CONFIG_MAX_MEMORIES];

    for (unsigned i = 0; i < config->memory_count; i++) {
        struct vm_range const range = {config->memories[i].base, config->memories[i].size_bytes};
        unsigned place = i;

        for (; place > 0 && ranges[place - 1].base > range.base; place--)
            ranges[place] = ranges[place - 1];
        ranges[place] = range;
    }
    return vm_memory_make(&config->pages, ranges, config->memory_count, fault);
}
