/* Set-up and end of the state that the components of one simulation share. */
#include "memsys/sim/sim.h"

#include "memsys/sim/sim_statistics.h"

void sim_init(struct sim *sim, uint32_t line_bytes)
{
    *sim = (struct sim){.line_bytes = line_bytes};
    while ((UINT32_C(1) << sim->line_shift) < line_bytes)
        sim->line_shift++;
    sim->root = sim;
    sim->packets = &sim->own_packets;
    sim->own_packets.sim = sim;
    random_init(&sim->random, RANDOM_SEED);
    sim_add_requestor(sim, "writebacks");
}

void sim_init_part(struct sim *sim, struct sim *root)
{
    *sim = (struct sim){.packets = root->packets, .root = root, .line_bytes = root->line_bytes,
                        .line_shift = root->line_shift};
}

void sim_free(struct sim *sim)
{
    event_queue_free(&sim->events);
    packet_pool_free(&sim->own_packets);
}

struct fault sim_keep_place(struct sim *sim, struct event_place *place)
{
    return sim->events.fast ? sim->events.fast->keep_place(&sim->events, place) : fault_none();
}

requestor_id sim_add_requestor(struct sim *sim, const char *name)
{
    struct sim *const root = sim->root;

    assert(root->requestor_count < MAX_REQUESTORS);
    root->requestor_names[root->requestor_count] = name;
    return (requestor_id)root->requestor_count++;
}

/* Statistics of the simulation as a whole: time. */

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
