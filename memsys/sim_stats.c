/* Statistics of the simulation as a whole: time. */
#include "memsys/component_stats.h"

#include <string.h>

enum sim_figure { SECONDS, TICKS, FINAL_TICK };

static double sim_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    (void)context;
    (void)column;
    switch ((enum sim_figure)argument) {
    case SECONDS: return stats_seconds(time);
    case TICKS: return (double)(time->now_ps - time->reset_ps);
    case FINAL_TICK: break;
    }
    return (double)time->now_ps;
}

static void add_figure(const struct sim *sim, struct stats *stats, enum sim_figure figure, const char *name,
                       const char *unit, const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .kind = STAT_FORMULA, .source = sim, .formula = sim_figure,
        .argument = figure, .precision = STAT_PRECISION_AUTO
    });
}

void sim_add_stats(const struct sim *sim, struct stats *stats)
{
    stats_group(stats, "%s", "");
    add_figure(sim, stats, SECONDS, "simSeconds", "Second", "simulated time since the statistics began");
    add_figure(sim, stats, TICKS, "simTicks", "Tick", "the same in ticks");
    add_figure(sim, stats, FINAL_TICK, "finalTick", "Tick", "ticks since the start of the run");
    stats_add_constant(stats, "simFreq", STATS_TICKS_PER_SECOND, "(Tick/Second)", "ticks of a simulated second");
}

static double constant(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    double value;

    (void)context;
    (void)column;
    (void)time;
    memcpy(&value, &argument, sizeof value);
    return value;
}

void stats_add_constant(struct stats *stats, const char *name, double value, const char *unit, const char *help)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .kind = STAT_FORMULA, .formula = constant, .argument = bits,
        .precision = STAT_PRECISION_AUTO
    });
}
