/* Names of the statistics that all memories have (traffic by requestor, classic-memory 11), which are the only ones
 * of a simple memory. */
#include "memsys/dram/simple_memory.h"
#include "memsys/sim/sim_statistics.h"

#include <stdio.h>

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

#define ROW                                                                                                           \
    .columns = sim->requestor_count, .column_names = sim->requestor_names,                                            \
    .flags = STAT_NO_ZERO | STAT_NO_NAN | STAT_WITH_TOTAL
#define COUNTER(stat, of, field, text)                                                                                \
    {.name = #stat, .unit = of, .source = &traffic[0].field, .column_bytes = sizeof *traffic, ROW, .help = text}
#define BANDWIDTH(stat, which, text)                                                                                  \
    {.name = #stat, .unit = "(Byte/Second)", .source = traffic, .formula = bandwidth, .argument = which,              \
     .precision = STAT_NO_DECIMALS, ROW, .help = text}

void memory_traffic_add_stats(const struct memory_traffic *traffic, const struct sim *sim, const char *path,
                              struct stats *stats)
{
    struct stat_entry const rows[] = {
        COUNTER(bytesRead, "Byte", bytes_read, "bytes read"),
        COUNTER(bytesInstRead, "Byte", bytes_inst_read, "bytes read by instruction fetches"),
        COUNTER(bytesWritten, "Byte", bytes_written, "bytes written"),
        COUNTER(numReads, "Count", reads, "reads answered"),
        COUNTER(numWrites, "Count", writes, "writes accepted"),
        BANDWIDTH(bwRead, BANDWIDTH_READ, "bytes read per second"),
        BANDWIDTH(bwInstRead, BANDWIDTH_INST_READ, "bytes fetched per second"),
        BANDWIDTH(bwWrite, BANDWIDTH_WRITE, "bytes written per second"),
        BANDWIDTH(bwTotal, BANDWIDTH_TOTAL, "bytes read and written per second")
    };

    stats_group(stats, "%s", path);
    STATS_ADD_TABLE(stats, rows);
}

static double peak(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct simple_memory *const memory = context;

    (void)argument;
    (void)column;
    (void)time;
    return 1e6 / (double)memory->ps_per_byte;
}

static void simple_memory_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    simple_memory_reset_stats(owner);
}

void simple_memory_add_stats(struct simple_memory *memory, struct stats *stats)
{
    char path[64];

    snprintf(path, sizeof path, "system.%s", memory->name);
    memory_traffic_add_stats(memory->traffic, memory->sim, path, stats);
    if (memory->ps_per_byte > 0)
        stats_add(stats, &(struct stat_entry){
            .name = "peakBW", .unit = "(Byte/Second)", .help = "what it can do at most, in 10^6 bytes per second",
            .source = memory, .formula = peak, .flags = STAT_OURS
        });
    stats_on_reset(stats, simple_memory_stats_reset, memory);
}
