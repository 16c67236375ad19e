/* Names of a crossbar's statistics (classic-memory 5.8). Peers are named as they were connected
 * ("system.l2.cpu_side_port"). */
#include "base/arith.h"
#include "memsys/noc/crossbar_internal.h"
#include "memsys/sim/sim_statistics.h"

#include <math.h>

/* Rows of plain counters. */
#define COUNTER(stat, field, text) {.name = #stat, .source = &counted->field, .help = text}

static void add_transactions(const struct crossbar *crossbar, struct stats *stats)
{
    const char **const names = stats_name_array(stats, CMD_COUNT);

    if (names == NULL)
        return;
    for (unsigned command = 0; command < CMD_COUNT; command++)
        names[command] = command_table[command].name;
    stats_add(stats, &(struct stat_entry){
        .name = "transDist", .help = "packets by command", .source = crossbar->stats.trans_dist,
        .columns = CMD_COUNT, .column_names = names, .flags = STAT_NO_ZERO
    });
}

static void add_traffic(const struct crossbar *crossbar, struct stats *stats)
{
    const char **const above = stats_name_array(stats, crossbar->noc.cpu_port_count);
    const char **const below = stats_name_array(stats, crossbar->noc.memory_port_count);
    struct stat_entry stat = {
        .name = "pktCount", .help = "packets by pair of ports",
        .source = &crossbar->noc.traffic[0].packets, .rows = crossbar->noc.cpu_port_count,
        .columns = crossbar->noc.memory_port_count, .row_names = above, .column_names = below,
        .row_bytes = crossbar->noc.max_memory_ports * sizeof(struct noc_traffic),
        .column_bytes = sizeof(struct noc_traffic), .flags = STAT_NO_ZERO | STAT_NO_NAN | STAT_WITH_TOTAL
    };

    if (above == NULL || below == NULL)
        return;
    for (unsigned i = 0; i < crossbar->noc.cpu_port_count; i++)
        above[i] = crossbar->cpu_ports[i].peer_name;
    for (unsigned i = 0; i < crossbar->noc.memory_port_count; i++)
        below[i] = crossbar->memory_ports[i].peer_name;
    stats_add(stats, &stat);
    stat.name = "pktSize";
    stat.unit = "Byte";
    stat.help = "bytes by pair of ports";
    stat.source = &crossbar->noc.traffic[0].bytes;
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
    struct stat_entry const rows[] = {
        {.name = "occupancy", .unit = "Tick", .source = &layer->occupancy_ps, .flags = STAT_NO_ZERO,
         .help = "time for which the path was taken"},
        {.name = "utilization", .unit = "Ratio", .source = layer, .formula = utilization, .flags = STAT_NO_ZERO,
         .precision = 1, .help = "share of the time"}
    };

    stats_group(stats, "system.%s.%s%u", crossbar_name, kind, port);
    STATS_ADD_TABLE(stats, rows);
}

static double layer_share(const struct layer *layer, const struct stats_time *time)
{
    return utilization(layer, 0, 0, time);
}

static double busiest_layer(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct crossbar *const crossbar = context;
    double share = 0;

    (void)argument;
    (void)column;
    for (unsigned i = 0; i < crossbar->noc.memory_port_count; i++)
        share = fmax(share, fmax(layer_share(&crossbar->memory_ports[i].request_layer, time),
                                 layer_share(&crossbar->memory_ports[i].snoop_layer, time)));
    for (unsigned i = 0; i < crossbar->noc.cpu_port_count; i++)
        share = fmax(share, layer_share(&crossbar->cpu_ports[i].response_layer, time));
    return share;
}

static void add_snoops(const struct crossbar *crossbar, struct stats *stats)
{
    const struct crossbar_stats *const counted = &crossbar->stats;
    struct stat_entry const rows[] = {
        COUNTER(snoops, snoops, "express requests, snoops from below and snoop responses"),
        {.name = "snoopTraffic", .unit = "Byte", .source = &counted->snoop_traffic_bytes,
         .help = "bytes of those that carry data"},
        {.name = "snoopFanout", .help = "ports that a packet was snooped at", .source = counted->snoop_fanout,
         .kind = STAT_DISTRIBUTION, .columns = count_bits(crossbar->snooping_mask) + 1}
    };

    STATS_ADD_TABLE(stats, rows);
}

static void add_filter(const struct crossbar *crossbar, struct stats *stats)
{
    const struct snoop_filter_stats *const counted = &crossbar->filter.stats;
    struct stat_entry const rows[] = {
        COUNTER(totRequests, tot_requests, "requests looked up in the snoop filter"),
        COUNTER(hitSingleRequests, hit_single_requests, "requests of lines that one port has"),
        COUNTER(hitMultiRequests, hit_multi_requests, "requests of lines that several ports have"),
        COUNTER(totSnoops, tot_snoops, "snoops from below looked up in the snoop filter"),
        COUNTER(hitSingleSnoops, hit_single_snoops, "snoops of lines that one port has"),
        COUNTER(hitMultiSnoops, hit_multi_snoops, "snoops of lines that several ports have")
    };

    stats_group(stats, "system.%s.snoop_filter", crossbar->noc.name);
    STATS_ADD_TABLE(stats, rows);
}

static void crossbar_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    noc_reset_stats(owner);
}

void crossbar_add_stats(struct noc *noc, struct stats *stats)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    stats_group(stats, "system.%s", crossbar->noc.name);
    add_transactions(crossbar, stats);
    add_traffic(crossbar, stats);
    if (crossbar->noc.role.coherent)
        add_snoops(crossbar, stats);
    for (unsigned i = 0; i < crossbar->noc.memory_port_count; i++)
        add_layer(stats, crossbar->noc.name, "reqLayer", i, &crossbar->memory_ports[i].request_layer);
    for (unsigned i = 0; i < crossbar->noc.cpu_port_count; i++)
        add_layer(stats, crossbar->noc.name, "respLayer", i, &crossbar->cpu_ports[i].response_layer);
    for (unsigned i = 0; crossbar->noc.role.coherent && i < crossbar->noc.memory_port_count; i++)
        add_layer(stats, crossbar->noc.name, "snoopLayer", i, &crossbar->memory_ports[i].snoop_layer);
    if (crossbar->noc.role.snoop_filter)
        add_filter(crossbar, stats);
    stats_group(stats, "system.%s", crossbar->noc.name);
    stats_add(stats, &(struct stat_entry){
        .name = "busiestLayer", .unit = "Ratio", .help = "share of the time for which the busiest path was taken",
        .source = crossbar, .formula = busiest_layer, .flags = STAT_OURS, .precision = 6
    });
    stats_on_reset(stats, crossbar_stats_reset, noc);
}
