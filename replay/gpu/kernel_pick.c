#include "replay/gpu/gpu_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool kernel_pick_take_number(const char **text, uint64_t *number)
{
    char *end;

    if (**text < '0' || **text > '9' || strspn(*text, "0123456789") > 18)
        return false;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return *number > 0;
}

bool gpu_pick_add(struct gpu_pick *pick, const char *text)
{
    do {
        struct gpu_kernel_range range;

        if (pick->count == GPU_PICK_MAX || !kernel_pick_take_number(&text, &range.first))
            return false;
        range.last = range.first;
        if (*text == '-') {
            text++;
            if (*text == ',' || *text == '\0')
                range.last = UINT64_MAX;
            else if (!kernel_pick_take_number(&text, &range.last) || range.last < range.first)
                return false;
        }
        pick->ranges[pick->count++] = range;
    } while (*text++ == ',');
    return text[-1] == '\0';
}

struct fault gpu_pick_check(const struct gpu_pick *pick, const struct gpu_list *list, const char *what,
                            const char *name)
{
    size_t kernels = 0;

    for (size_t i = 0; i < list->count; i++)
        kernels += list->commands[i].kind == GPU_KERNEL;
    for (size_t i = 0; i < pick->count; i++)
        if (pick->ranges[i].first > kernels)
            return fault_make(FAULT_INPUT, "%s: %" PRIu64 ", but %s has %zu kernel%s, counted from 1 in its order",
                              what, pick->ranges[i].first, name, kernels, kernels == 1 ? "" : "s");
    return fault_none();
}

void gpu_pick_apply(const struct gpu_pick *pick, struct gpu_run_options *options)
{
    options->picked = pick->count ? pick->ranges : NULL;
    options->picked_count = pick->count;
}
