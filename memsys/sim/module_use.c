/* Names of a module's statistics. */
#include "memsys/sim/module_use.h"

#include <stdio.h>

#include "memsys/sim/sim_statistics.h"

void module_add_stats(const struct rubato_module *module, const uint64_t *counters, struct stats *stats)
{
    for (uint32_t i = 0; i < module->statistic_count; i++) {
        const struct rubato_counter *const statistic = &module->statistics[i];
        char name[96];
        struct stat_entry const entry = {.name = name, .unit = statistic->unit, .help = statistic->help,
                                         .source = &counters[i], .flags = STAT_OURS};

        snprintf(name, sizeof name, "module.%.80s", statistic->name);
        stats_add(stats, &entry);
    }
}
