/* The ranges of memories in ascending order. */
#include "replay/system/spaces.h"

#include <assert.h>

#include "proto/insn/v2p.h"

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

bool spaces_are_needed(const struct system_config *config)
{
    return config->has_tlb || config->pages.policy != PLACEMENT_FIRST_TOUCH || config->pages.huge != HUGE_NEVER
        || *config->pages_map;
}

bool spaces_map(struct space *space, const char *file, struct fault *fault)
{
    struct v2p_map map;
    bool is_right;

    if (!*file)
        return true;
    if (space_number(space) > 1)
        return fault_at(fault, file, FAULT_NO_OFFSET, "pages.map: the pages of one process; here are several, so leave "
                        "the map out, or give the traces of one");
    is_right = v2p_read(file, &map, fault);
    for (size_t i = 0; is_right && i < map.count; i++) {
        struct fault const wrong = space_map(space, map.pages[i].address, map.pages[i].physical, map.page_bytes);

        if (wrong.kind == FAULT_INPUT)
            is_right = fault_at_line(fault, file, map.pages[i].line, "%.400s", wrong.text);
        else if (wrong.kind != FAULT_NONE)
            is_right = fault_memory(fault, file, "its pages");
    }
    v2p_free(&map);
    return is_right;
}
