#include "memsys/dram/energy_stats.h"

#include "memsys/sim/sim_statistics.h"

static double energy_part(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct energy_meter *const meter = context;
    struct energy const energy = energy_meter_read(meter, time->now_ps);
    const double parts[] = {
#define PART(name) energy.name,
        ENERGY_PARTS(PART)
#undef PART
    };

    (void)argument;
    return column == STAT_TOTAL ? energy_total(&energy) : parts[column];
}

static double per_bit(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct energy_meter *const meter = context;
    struct energy_counts const counts = meter->count(meter->channel, time->now_ps);
    struct energy const energy = energy_of(meter->device, &counts);

    (void)argument;
    (void)column;
    return energy_total(&energy) / (double)((counts.reads + counts.writes) * meter->burst_bits);
}

void energy_stats_add(struct stats *stats, const struct energy_meter *meter)
{
    static const char *const names[] = {
#define NAME(name) #name,
        ENERGY_PARTS(NAME)
#undef NAME
    };
    enum { PARTS = sizeof names / sizeof *names };
    struct stat_entry const rows[] = {
        {.name = "energy", .unit = "pJ", .source = meter, .formula = energy_part, .column_names = names,
         .columns = meter->device->has_io ? PARTS : PARTS - 1, .flags = STAT_OURS | STAT_WITH_TOTAL, .precision = 3,
         .help = "by currents of the data sheet, counts of commands and times in states"},
        {.name = "energyPerBit", .unit = "(pJ/Bit)", .source = meter, .formula = per_bit, .flags = STAT_OURS,
         .precision = 3, .help = "all of it by the bits read and written"}
    };

    if (meter->device->is_known)
        STATS_ADD_TABLE(stats, rows);
}
