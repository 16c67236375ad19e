#include "memsys/command/cmd_throttle.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"

struct fault cmd_throttle_init(struct cmd_throttle *throttle, uint32_t sources, uint32_t queue)
{
    throttle->queue = queue;
    throttle->sources = calloc(sources, sizeof *throttle->sources);
    if (!throttle->sources)
        return fault_memory("memory", "limits of sources");
    for (uint32_t source = 0; source < sources; source++)
        throttle->sources[source].most = UINT32_MAX;
    return fault_none();
}

void cmd_throttle_free(struct cmd_throttle *throttle)
{
    free(throttle->sources);
    free(throttle->waiting);
    *throttle = (struct cmd_throttle){0};
}

void cmd_throttle_limit(struct cmd_throttle *throttle, uint32_t source, float share)
{
    float const reads = share * (float)throttle->queue;

    if (!throttle->sources)
        return;
    throttle->sources[source].most = share >= 1 ? UINT32_MAX : reads > 1 ? (uint32_t)reads : 1;
    throttle->is_due = throttle->count > 0;
}

bool cmd_throttle_put(struct cmd_throttle *throttle, const struct cmd_throttled_read *read)
{
    if (!list_fit(&throttle->waiting, throttle->count + 1, &throttle->room, sizeof *throttle->waiting))
        return false;
    throttle->waiting[throttle->count++] = *read;
    return true;
}

bool cmd_throttle_next(struct cmd_throttle *throttle, struct cmd_throttled_read *read)
{
    for (size_t i = 0; i < throttle->count; i++) {
        if (cmd_throttle_holds(throttle, throttle->waiting[i].source))
            continue;
        *read = throttle->waiting[i];
        throttle->count--;
        memmove(&throttle->waiting[i], &throttle->waiting[i + 1], (throttle->count - i) * sizeof *read);
        cmd_throttle_begin(throttle, read->source);
        return true;
    }
    throttle->is_due = false;
    return false;
}
