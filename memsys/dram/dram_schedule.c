/* The table of schedulers. */
#include "memsys/dram/dram_schedule.h"

#define SCHEDULER_ROW(value, name) [value] = &dram_scheduler_##name,
static const struct dram_scheduler *const schedulers[] = {MEM_SCHEDS(SCHEDULER_ROW)};

const struct dram_scheduler *dram_scheduler_of(enum mem_sched kind)
{
    return schedulers[kind];
}
