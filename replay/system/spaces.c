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

struct fault spaces_map(struct space *space, const char *file)
{
    struct fault fault;
    struct v2p_map map;

    if (!*file)
        return fault_none();
    if (space_number(space) > 1)
        return fault_at(file, FAULT_NO_OFFSET, "pages.map: the pages of one process; here are several, so leave the "
                        "map out, or give the traces of one");
    fault = v2p_read(file, &map);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < map.count; i++) {
        struct fault wrong = space_map(space, map.pages[i].address, map.pages[i].physical, map.page_bytes);

        if (wrong.kind == FAULT_INPUT)
            fault = fault_at_line(file, map.pages[i].line, "%.400s", fault_text(wrong));
        else if (wrong.kind != FAULT_NONE)
            fault = fault_memory(file, "its pages");
    }
    v2p_free(&map);
    return fault;
}
