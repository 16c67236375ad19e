/* Names of the statistics that all memories have (traffic by requestor, classic-memory 11), which are the only ones
 * of a simple memory. */
#include "memsys/component_stats.h"

#include <stdio.h>

/* name, unit, field of struct memory_traffic, help */
#define TRAFFIC_COUNTERS(C)                                                                                           \
    C(bytesRead, "Byte", bytes_read, "bytes read")                                                                    \
    C(bytesInstRead, "Byte", bytes_inst_read, "bytes read by instruction fetches")                                    \
    C(bytesWritten, "Byte", bytes_written, "bytes written")                                                           \
    C(numReads, "Count", reads, "reads answered")                                                                     \
    C(numWrites, "Count", writes, "writes accepted")

enum bandwidth { BANDWIDTH_READ, BANDWIDTH_INST_READ, BANDWIDTH_WRITE, BANDWIDTH_TOTAL };

static uint64_t bytes(const struct memory_traffic *traffic, enum bandwidth which)
{
    switch (which) {
    case BANDWIDTH_READ: return traffic->bytes_read;
    case BANDWIDTH_INST_READ: return traffic->bytes_inst_read;
    case BANDWIDTH_WRITE: return traffic->bytes_written;
    case BANDWIDTH_TOTAL: break;
    }
    return traffic->bytes_read + traffic->bytes_written;
}

/* The total adds the rates, as the reference does: the sum of rounded numbers shows in the last digit. */
static double bandwidth(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct memory_traffic *const traffic = context;
    double const seconds = stats_seconds(time);
    double total = 0;

    if (column != STAT_TOTAL)
        return (double)bytes(&traffic[column], (enum bandwidth)argument) / seconds;
    for (unsigned i = 0; i < MAX_REQUESTORS; i++)
        total += (double)bytes(&traffic[i], (enum bandwidth)argument) / seconds;
    return total;
}

#define TRAFFIC_FLAGS (STAT_NO_ZERO | STAT_NO_NAN | STAT_WITH_TOTAL)

static void add_bandwidth(const struct memory_traffic *traffic, const struct sim *sim, struct stats *stats,
                          enum bandwidth which, const char *name, const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = "(Byte/Second)", .help = help, .source = traffic, .kind = STAT_FORMULA,
        .formula = bandwidth, .argument = which, .columns = sim->requestor_count, .column_names = sim->requestor_names,
        .flags = TRAFFIC_FLAGS, .precision = 0
    });
}

#define ADD_COUNTER(counter_name, counter_unit, field, text)                                                          \
    stats_add(stats, &(struct stat_entry){                                                                            \
        .name = #counter_name, .unit = counter_unit, .help = text, .source = &traffic[0].field,                       \
        .kind = STAT_COUNTER, .columns = sim->requestor_count, .column_names = sim->requestor_names,                  \
        .column_bytes = sizeof(struct memory_traffic), .flags = TRAFFIC_FLAGS, .precision = STAT_PRECISION_AUTO       \
    });

void memory_traffic_add_stats(const struct memory_traffic *traffic, const struct sim *sim, const char *path,
                              struct stats *stats)
{
    stats_group(stats, "%s", path);
    TRAFFIC_COUNTERS(ADD_COUNTER)
    add_bandwidth(traffic, sim, stats, BANDWIDTH_READ, "bwRead", "bytes read per second");
    add_bandwidth(traffic, sim, stats, BANDWIDTH_INST_READ, "bwInstRead", "bytes fetched per second");
    add_bandwidth(traffic, sim, stats, BANDWIDTH_WRITE, "bwWrite", "bytes written per second");
    add_bandwidth(traffic, sim, stats, BANDWIDTH_TOTAL, "bwTotal", "bytes read and written per second");
}

static void reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    simple_memory_reset_stats(owner);
}

void simple_memory_add_stats(struct simple_memory *memory, struct stats *stats)
{
    char path[64];

    snprintf(path, sizeof path, "system.%s", memory->name);
    memory_traffic_add_stats(memory->traffic, memory->sim, path, stats);
    stats_on_reset(stats, reset, memory);
}
