/* Not modelled: anything; a watch only counts. */
#include "memsys/gpu/watch.h"

#include <stdlib.h>
#include <string.h>

struct fault gpu_watch_init(struct gpu_watch *watch, uint32_t sm_count, uint32_t slice_count,
                            struct address_heat *heat)
{
    *watch = (struct gpu_watch){.sm_count = sm_count, .slice_count = slice_count, .heat = heat};
    watch->sms = calloc(sm_count, sizeof *watch->sms);
    watch->slices = calloc(slice_count, sizeof *watch->slices);
    if (!watch->sms || !watch->slices)
        return fault_make(FAULT_MEMORY, "out of memory for the counts of %u SMs and %u slices", sm_count, slice_count);
    return fault_none();
}

void gpu_watch_free(struct gpu_watch *watch)
{
    free(watch->sms);
    free(watch->slices);
    *watch = (struct gpu_watch){0};
}

void gpu_watch_reset(struct gpu_watch *watch)
{
    memset(watch->latencies, 0, sizeof watch->latencies);
    if (watch->sms)
        memset(watch->sms, 0, watch->sm_count * sizeof *watch->sms);
    if (watch->slices)
        memset(watch->slices, 0, watch->slice_count * sizeof *watch->slices);
}
