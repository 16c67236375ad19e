/* Statistics of the simulation as a whole: time. */
#include "memsys/sim/sim.h"
#include "memsys/sim/stats.h"

enum sim_figure { SECONDS, TICKS, FINAL_TICK, INTERRUPTED_AT };

static double sim_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct sim *const sim = context;

    (void)column;
    switch ((enum sim_figure)argument) {
    case SECONDS: return stats_seconds(time);
    case TICKS: return (double)(time->now_ps - time->reset_ps);
    case INTERRUPTED_AT: return sim->is_interrupted ? (double)time->now_ps : 0;
    case FINAL_TICK: break;
    }
    return (double)time->now_ps;
}

void sim_add_stats(const struct sim *sim, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "simSeconds", .unit = "Second", .source = sim, .formula = sim_figure, .argument = SECONDS,
         .help = "simulated time since the statistics began"},
        {.name = "simTicks", .unit = "Tick", .source = sim, .formula = sim_figure, .argument = TICKS,
         .help = "the same in ticks"},
        {.name = "finalTick", .unit = "Tick", .source = sim, .formula = sim_figure, .argument = FINAL_TICK,
         .help = "ticks since the start of the run"},
        {.name = "interruptedAtTick", .unit = "Tick", .source = sim, .formula = sim_figure, .argument = INTERRUPTED_AT,
         .flags = STAT_NO_ZERO, .help = "the user ended the run there, before its end"}
    };

    stats_group(stats, "%s", "");
    STATS_ADD_TABLE(stats, rows);
    stats_add_constant(stats, "simFreq", STATS_TICKS_PER_SECOND, "(Tick/Second)", "ticks of a simulated second");
}
