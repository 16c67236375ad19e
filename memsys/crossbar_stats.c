/* Names of a crossbar's statistics (classic-memory 5.8). Peers are named as they were connected
 * ("system.l2.cpu_side_port"). */
#include "memsys/component_stats.h"

/* name, unit, field of struct crossbar_stats or snoop_filter_stats, help */
#define SNOOP_COUNTERS(C)                                                                                             \
    C(snoops, "Count", snoops, "express requests, snoops from below and snoop responses")                             \
    C(snoopTraffic, "Byte", snoop_traffic_bytes, "bytes of those that carry data")
#define FILTER_COUNTERS(C)                                                                                            \
    C(totRequests, "Count", tot_requests, "requests looked up in the snoop filter")                                   \
    C(hitSingleRequests, "Count", hit_single_requests, "requests of lines that one port has")                         \
    C(hitMultiRequests, "Count", hit_multi_requests, "requests of lines that several ports have")                     \
    C(totSnoops, "Count", tot_snoops, "snoops from below looked up in the snoop filter")                              \
    C(hitSingleSnoops, "Count", hit_single_snoops, "snoops of lines that one port has")                               \
    C(hitMultiSnoops, "Count", hit_multi_snoops, "snoops of lines that several ports have")

static void add_counter(struct stats *stats, const char *name, const char *unit, const uint64_t *source, unsigned flags,
                        const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = source, .kind = STAT_COUNTER, .flags = flags,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_transactions(const struct crossbar *crossbar, struct stats *stats)
{
    const char **const names = stats_name_array(stats, CMD_COUNT);

    if (names == NULL)
        return;
    for (unsigned command = 0; command < CMD_COUNT; command++)
        names[command] = command_table[command].name;
    stats_add(stats, &(struct stat_entry){
        .name = "transDist", .unit = "Count", .help = "packets by command", .source = crossbar->stats.trans_dist,
        .kind = STAT_COUNTER, .columns = CMD_COUNT, .column_names = names, .flags = STAT_NO_ZERO,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_traffic(const struct crossbar *crossbar, struct stats *stats)
{
    const char **const above = stats_name_array(stats, crossbar->cpu_port_count);
    const char **const below = stats_name_array(stats, crossbar->memory_port_count);
    struct stat_entry stat = {
        .name = "pktCount", .unit = "Count", .help = "packets by pair of ports",
        .source = &crossbar->stats.traffic[0].packets, .kind = STAT_COUNTER, .rows = crossbar->cpu_port_count,
        .columns = crossbar->memory_port_count, .row_names = above, .column_names = below,
        .row_bytes = crossbar->max_memory_ports * sizeof(struct crossbar_traffic),
        .column_bytes = sizeof(struct crossbar_traffic), .flags = STAT_NO_ZERO | STAT_NO_NAN | STAT_WITH_TOTAL,
        .precision = STAT_PRECISION_AUTO
    };

    if (above == NULL || below == NULL)
        return;
    for (unsigned i = 0; i < crossbar->cpu_port_count; i++)
        above[i] = crossbar->cpu_ports[i].peer_name;
    for (unsigned i = 0; i < crossbar->memory_port_count; i++)
        below[i] = crossbar->memory_ports[i].peer_name;
    stats_add(stats, &stat);
    stat.name = "pktSize";
    stat.unit = "Byte";
    stat.help = "bytes by pair of ports";
    stat.source = &crossbar->stats.traffic[0].bytes;
    stats_add(stats, &stat);
}

static double utilization(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct layer *const layer = context;

    (void)argument;
    (void)column;
    return (double)layer->occupancy_ps / (double)(time->now_ps - time->reset_ps);
}

static void add_layer(struct stats *stats, const char *crossbar_name, const char *kind, unsigned port,
                      const struct layer *layer)
{
    stats_group(stats, "system.%s.%s%u", crossbar_name, kind, port);
    add_counter(stats, "occupancy", "Tick", &layer->occupancy_ps, STAT_NO_ZERO, "time for which the path was taken");
    stats_add(stats, &(struct stat_entry){
        .name = "utilization", .unit = "Ratio", .help = "share of the time", .source = layer, .kind = STAT_FORMULA,
        .formula = utilization, .flags = STAT_NO_ZERO, .precision = 1
    });
}

static unsigned count_bits(uint64_t mask)
{
    unsigned count = 0;

    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

static void reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    crossbar_reset_stats(owner);
}

#define ADD_SNOOP_COUNTER(name, unit, field, help)                                                                    \
    add_counter(stats, #name, unit, &crossbar->stats.field, 0, help);
#define ADD_FILTER_COUNTER(name, unit, field, help)                                                                   \
    add_counter(stats, #name, unit, &crossbar->filter.stats.field, 0, help);

void crossbar_add_stats(struct crossbar *crossbar, struct stats *stats)
{
    stats_group(stats, "system.%s", crossbar->name);
    add_transactions(crossbar, stats);
    add_traffic(crossbar, stats);
    if (crossbar->role.coherent) {
        SNOOP_COUNTERS(ADD_SNOOP_COUNTER)
        stats_add(stats, &(struct stat_entry){
            .name = "snoopFanout", .unit = "Count", .help = "ports that a packet was snooped at",
            .source = crossbar->stats.snoop_fanout, .kind = STAT_DISTRIBUTION,
            .columns = count_bits(crossbar->snooping_mask) + 1, .precision = STAT_PRECISION_AUTO
        });
    }
    for (unsigned i = 0; i < crossbar->memory_port_count; i++)
        add_layer(stats, crossbar->name, "reqLayer", i, &crossbar->memory_ports[i].request_layer);
    for (unsigned i = 0; i < crossbar->cpu_port_count; i++)
        add_layer(stats, crossbar->name, "respLayer", i, &crossbar->cpu_ports[i].response_layer);
    for (unsigned i = 0; crossbar->role.coherent && i < crossbar->memory_port_count; i++)
        add_layer(stats, crossbar->name, "snoopLayer", i, &crossbar->memory_ports[i].snoop_layer);
    if (crossbar->role.snoop_filter) {
        stats_group(stats, "system.%s.snoop_filter", crossbar->name);
        FILTER_COUNTERS(ADD_FILTER_COUNTER)
    }
    stats_on_reset(stats, reset, crossbar);
}
