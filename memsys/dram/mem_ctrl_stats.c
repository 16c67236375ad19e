/* Names of the statistics of a memory controller, its channels and their ranks (classic-memory 11).
 *
 * Energy is ours (energy_stats.h). Not registered: gem5's energies, and latencies by quality-of-service priority. */
#include "memsys/dram/mem_ctrl.h"

#include "memsys/dram/energy_stats.h"
#include "memsys/sim/latency_histogram.h"
#include "memsys/sim/sim_statistics.h"

#include <math.h>
#include <stdio.h>

enum controller_figure { AVG_READ_BANDWIDTH, AVG_WRITE_BANDWIDTH, AVG_GAP, NO_REQUESTS };
enum requestor_figure { READ_RATE, WRITE_RATE, AVG_READ_LATENCY, AVG_WRITE_LATENCY };
enum channel_figure {
    AVG_QUEUE, AVG_BUS, AVG_ACCESS, READ_HIT_RATE, WRITE_HIT_RATE, BYTES_READ, BYTES_WRITTEN, BANDWIDTH_READ,
    BANDWIDTH_WRITTEN, PEAK, UTILIZATION, UTILIZATION_READ, UTILIZATION_WRITE, HIT_RATE
};

static double controller_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct mem_ctrl_stats *const ctrl = context;

    (void)column;
    switch ((enum controller_figure)argument) {
    case AVG_READ_BANDWIDTH: return (double)ctrl->bytes_read / stats_seconds(time);
    case AVG_WRITE_BANDWIDTH: return (double)ctrl->bytes_written / stats_seconds(time);
    case AVG_GAP: return (double)ctrl->gap_ps / (double)(ctrl->read_reqs + ctrl->write_reqs);
    case NO_REQUESTS: break;
    }
    return 0;
}

static double requestor_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct mem_ctrl_requestor_stats *const of = (const struct mem_ctrl_requestor_stats *)context + column;

    switch ((enum requestor_figure)argument) {
    case READ_RATE: return (double)of->read_bytes / stats_seconds(time);
    case WRITE_RATE: return (double)of->write_bytes / stats_seconds(time);
    case AVG_READ_LATENCY: return (double)of->read_latency_ps / (double)of->read_accesses;
    case AVG_WRITE_LATENCY: break;
    }
    return (double)of->write_latency_ps / (double)of->write_accesses;
}

/* MB/s of 10^6 bytes, as the reference prints bandwidths of the device. */
static double bandwidth(const struct dram_channel *channel, uint64_t bursts, const struct stats_time *time)
{
    return (double)(bursts * channel->geometry.burst_bytes) / 1000000.0 / stats_seconds(time);
}

static double channel_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct dram_channel *const channel = context;
    const struct dram_stats *const stats = &channel->stats;
    double const reads = (double)stats->read_bursts, writes = (double)stats->write_bursts;
    double const peak = floor(dram_channel_peak_bytes_per_s(channel) / 1000000.0);    /* integers in the reference */
    double const read = bandwidth(channel, stats->read_bursts, time);
    double const written = bandwidth(channel, stats->write_bursts, time);

    (void)column;
    switch ((enum channel_figure)argument) {
    case AVG_QUEUE: return (double)stats->queue_ps / reads;
    case AVG_BUS: return (double)stats->bus_ps / reads;
    case AVG_ACCESS: return (double)stats->access_ps / reads;
    case READ_HIT_RATE: return (double)stats->read_row_hits / reads * 100.0;
    case WRITE_HIT_RATE: return (double)stats->write_row_hits / writes * 100.0;
    case BYTES_READ: return (double)(stats->read_bursts * channel->geometry.burst_bytes);
    case BYTES_WRITTEN: return (double)(stats->write_bursts * channel->geometry.burst_bytes);
    case BANDWIDTH_READ: return read;
    case BANDWIDTH_WRITTEN: return written;
    case PEAK: return peak;
    case UTILIZATION: return (read + written) / peak * 100.0;
    case UTILIZATION_READ: return read / peak * 100.0;
    case UTILIZATION_WRITE: return written / peak * 100.0;
    case HIT_RATE: break;
    }
    return (double)(stats->write_row_hits + stats->read_row_hits) / (writes + reads) * 100.0;
}

/* Windows counted by the tenth of the peak bandwidth that they used, or the sum of the bandwidth used. */
enum windows_figure { WINDOWS, WINDOWS_USED, QUEUED, QUEUED_USED };

static double windows_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct dram_channel *const channel = context;
    struct bus_windows windows = channel->stats.windows;
    const struct bus_window_sums *const sums = argument == QUEUED || argument == QUEUED_USED ? &windows.queued
                                                                                             : &windows.all;
    double const peak = (double)windows.length_ps / (double)windows.burst_ps;
    double sum = 0;

    bus_windows_close(&windows, time->now_ps, occupancy_area(&channel->stats.read_queue, time->now_ps));
    for (unsigned part = 0; part < BUS_WINDOW_PARTS; part++)
        if (column == STAT_TOTAL || column == part)
            sum += argument == WINDOWS || argument == QUEUED ? (double)sums->windows[part]
                                                             : (double)sums->bursts[part] / peak;
    return sum;
}

static const char *const window_names[BUS_WINDOW_PARTS] = {"0", "10", "20", "30", "40", "50", "60", "70", "80", "90"};

/* Time in each power state, with the part of the present one that the rank has not counted yet. */
static double power_time(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct dram_rank *const rank = context;
    uint64_t const uncounted_ps = column == rank->power_state ? time->now_ps - rank->power_since_ps : 0;

    (void)argument;
    return (double)(rank->stats.power_ps[column] + uncounted_ps);
}

/* ---- rows of one kind */

#define COUNTER(stat, of, field, text) {.name = #stat, .unit = of, .source = &from->field, .help = text}
#define VECTOR(stat, first, count, text) {.name = #stat, .source = first, .columns = count, .help = text}
#define LEVEL(stat, field, text)                                                                                      \
    {.name = #stat, .kind = STAT_LEVEL, .source = &from->field, .precision = 2, .help = text}
#define HISTOGRAM(stat, of, field, text)                                                                              \
    {.name = #stat, .unit = of, .kind = STAT_HISTOGRAM, .source = &from->field, .flags = STAT_NO_ZERO, .help = text}
#define FORMULA(stat, of, figure, decimals, text)                                                                     \
    {.name = #stat, .unit = of, .source = context, .formula = formula, .argument = figure, .precision = decimals,     \
     .help = text}

#define WINDOWS_ROW(stat, figure, text)                                                                               \
    {.name = #stat, .source = context, .formula = windows_figure, .argument = figure, .columns = BUS_WINDOW_PARTS,    \
     .column_names = window_names, .flags = STAT_OURS | STAT_WITH_TOTAL, .help = text}

/* ---- controller, in the order of the reference */

#define REQUESTOR_ROW                                                                                                 \
    .columns = ctrl->sim->requestor_count, .column_names = ctrl->sim->requestor_names,                                \
    .column_bytes = sizeof(struct mem_ctrl_requestor_stats)
#define BY_REQUESTOR(stat, of, field, text)                                                                           \
    {.name = #stat, .unit = of, .source = &ctrl->stats.requestors[0].field, .flags = STAT_NO_ZERO, REQUESTOR_ROW,     \
     .help = text}
#define REQUESTOR_FORMULA(stat, of, figure, left_out, decimals, text)                                                 \
    {.name = #stat, .unit = of, .source = ctrl->stats.requestors, .formula = requestor_figure, .argument = figure,    \
     .flags = left_out, .precision = decimals, REQUESTOR_ROW, .help = text}

static void add_requestors(const struct mem_ctrl *ctrl, struct stats *stats)
{
    struct stat_entry const rows[] = {
        BY_REQUESTOR(requestorReadBytes, "Byte", read_bytes, "bytes read"),
        BY_REQUESTOR(requestorWriteBytes, "Byte", write_bytes, "bytes written"),
        REQUESTOR_FORMULA(requestorReadRate, "(Byte/Second)", READ_RATE, STAT_NO_ZERO | STAT_NO_NAN, 12,
                          "bytes read per second"),
        REQUESTOR_FORMULA(requestorWriteRate, "(Byte/Second)", WRITE_RATE, STAT_NO_ZERO | STAT_NO_NAN, 12,
                          "bytes written per second"),
        BY_REQUESTOR(requestorReadAccesses, "Count", read_accesses, "read bursts"),
        BY_REQUESTOR(requestorWriteAccesses, "Count", write_accesses, "write bursts"),
        BY_REQUESTOR(requestorReadTotalLat, "Tick", read_latency_ps, "time of read bursts from arrival to data"),
        BY_REQUESTOR(requestorWriteTotalLat, "Tick", write_latency_ps, "time of write bursts from arrival to data"),
        REQUESTOR_FORMULA(requestorReadAvgLat, "(Tick/Count)", AVG_READ_LATENCY, STAT_NO_NAN, 2,
                          "time of a read burst"),
        REQUESTOR_FORMULA(requestorWriteAvgLat, "(Tick/Count)", AVG_WRITE_LATENCY, STAT_NO_NAN, 2,
                          "time of a write burst")
    };

    STATS_ADD_TABLE(stats, rows);
}

static void add_controller(const struct mem_ctrl *ctrl, struct stats *stats)
{
    const struct mem_ctrl_stats *const from = &ctrl->stats, *const context = from;
    stat_formula *const formula = controller_figure;
    uint32_t const sizes = ctrl->sim->line_shift + 1;
    struct stat_entry const rows[] = {
        COUNTER(numReadWriteTurnArounds, "Count", turns_to_read, "turns of the data bus from writes to reads"),
        COUNTER(numWriteReadTurnArounds, "Count", turns_to_write, "turns of the data bus from reads to writes"),
        COUNTER(numStayReadState, "Count", stays_read, "scheduling decisions that stayed with reads"),
        COUNTER(numStayWriteState, "Count", stays_write, "scheduling decisions that stayed with writes"),
        COUNTER(readReqs, "Count", read_reqs, "read packets accepted"),
        COUNTER(writeReqs, "Count", write_reqs, "write packets accepted"),
        COUNTER(readBursts, "Count", read_bursts, "bursts of these reads"),
        COUNTER(writeBursts, "Count", write_bursts, "bursts of these writes"),
        COUNTER(servicedByWrQ, "Count", serviced_by_write_queue, "read bursts answered from the write queue"),
        COUNTER(mergedWrBursts, "Count", merged_writes, "write bursts merged with a waiting one"),
        FORMULA(neitherReadNorWriteReqs, "Count", NO_REQUESTS, 0, "other packets, of which none come here"),
        LEVEL(avgRdQLen, read_length, "time average of reads under way when the last one came"),
        LEVEL(avgWrQLen, write_length, "time average of writes waiting when the last one came"),
        COUNTER(numRdRetry, "Count", read_retries, "reads refused by a full queue"),
        COUNTER(numWrRetry, "Count", write_retries, "writes refused by a full queue"),
        VECTOR(readPktSize, from->read_sizes, sizes, "read bursts by log2 of their bytes"),
        VECTOR(writePktSize, from->write_sizes, sizes, "write bursts by log2 of their bytes"),
        VECTOR(rdQLenPdf, from->read_queue_seen, from->read_queue_lengths, "read bursts by the queue length they met"),
        VECTOR(wrQLenPdf, from->write_queue_seen, from->write_queue_lengths,
               "write bursts by the queue length they met"),
        HISTOGRAM(rdPerTurnAround, "Count", reads_per_turn, "reads before the bus turned"),
        HISTOGRAM(wrPerTurnAround, "Count", writes_per_turn, "writes before the bus turned"),
        COUNTER(bytesReadWrQ, "Byte", bytes_read_from_write_queue, "bytes read from the write queue"),
        COUNTER(bytesReadSys, "Byte", bytes_read, "bytes of read packets"),
        COUNTER(bytesWrittenSys, "Byte", bytes_written, "bytes of write packets"),
        FORMULA(avgRdBWSys, "(Byte/Second)", AVG_READ_BANDWIDTH, 8, "bytes of read packets per second"),
        FORMULA(avgWrBWSys, "(Byte/Second)", AVG_WRITE_BANDWIDTH, 8, "bytes of write packets per second"),
        COUNTER(totGap, "Tick", gap_ps, "time between requests"),
        FORMULA(avgGap, "(Tick/Count)", AVG_GAP, 2, "time from request to request")
    };

    STATS_ADD_TABLE(stats, rows);
    add_requestors(ctrl, stats);
    latency_stats_add_all(stats, "readLatency", &ctrl->read_latencies, "of read bursts, from arrival to data");
}

/* ---- channel */

static void add_figures(const struct dram_channel *channel, struct stats *stats)
{
    const struct dram_stats *const from = &channel->stats;
    const struct dram_channel *const context = channel;
    stat_formula *const formula = channel_figure;
    uint32_t const banks = channel->rank_count * channel->ranks[0].bank_count;
    struct stat_entry const rows[] = {
        COUNTER(readBursts, "Count", read_bursts, "read bursts issued"),
        COUNTER(writeBursts, "Count", write_bursts, "write bursts issued"),
        VECTOR(perBankRdBursts, from->bank_reads, banks, "read bursts by bank"),
        VECTOR(perBankWrBursts, from->bank_writes, banks, "write bursts by bank"),
        COUNTER(totQLat, "Tick", queue_ps, "time of read bursts in the queue"),
        COUNTER(totBusLat, "Tick", bus_ps, "time of read bursts on the data bus"),
        COUNTER(totMemAccLat, "Tick", access_ps, "time of read bursts from arrival to data"),
        FORMULA(avgQLat, "(Tick/Count)", AVG_QUEUE, 2, "time in the queue of a read"),
        FORMULA(avgBusLat, "(Tick/Count)", AVG_BUS, 2, "time on the bus of a read"),
        FORMULA(avgMemAccLat, "(Tick/Count)", AVG_ACCESS, 2, "time from arrival to data of a read"),
        COUNTER(readRowHits, "Count", read_row_hits, "read bursts to an open row"),
        COUNTER(writeRowHits, "Count", write_row_hits, "write bursts to an open row"),
        FORMULA(readRowHitRate, "Ratio", READ_HIT_RATE, 2, "percentage of reads to an open row"),
        FORMULA(writeRowHitRate, "Ratio", WRITE_HIT_RATE, 2, "percentage of writes to an open row"),
        HISTOGRAM(bytesPerActivate, "Byte", bytes_per_activate, "bytes of a row while it was open"),
        FORMULA(dramBytesRead, "Byte", BYTES_READ, 0, "bytes of read bursts"),
        FORMULA(dramBytesWritten, "Byte", BYTES_WRITTEN, 0, "bytes of write bursts"),
        FORMULA(avgRdBW, "(Byte/Second)", BANDWIDTH_READ, 0, "read bursts, in 10^6 bytes per second"),
        FORMULA(avgWrBW, "(Byte/Second)", BANDWIDTH_WRITTEN, 0, "write bursts, in 10^6 bytes per second"),
        FORMULA(peakBW, "(Byte/Second)", PEAK, 2, "peak of the data bus, in 10^6 bytes per second"),
        FORMULA(busUtil, "Ratio", UTILIZATION, 2, "percentage of it used"),
        FORMULA(busUtilRead, "Ratio", UTILIZATION_READ, 2, "percentage of it used by reads"),
        FORMULA(busUtilWrite, "Ratio", UTILIZATION_WRITE, 2, "percentage of it used by writes"),
        FORMULA(pageHitRate, "Ratio", HIT_RATE, 2, "percentage of bursts to an open row"),
        {.name = "avgReadsWaiting", .kind = STAT_LEVEL, .source = &from->read_queue, .flags = STAT_OURS,
         .precision = 2, .help = "time average of waiting reads"},
        {.name = "avgWritesWaiting", .kind = STAT_LEVEL, .source = &from->write_queue, .flags = STAT_OURS,
         .precision = 2, .help = "time average of waiting writes"},
        WINDOWS_ROW(utilWindows, WINDOWS, "windows of tREFI by the percentage of the peak that they used"),
        WINDOWS_ROW(utilWindowsUsed, WINDOWS_USED, "shares of the peak that they used, added up"),
        WINDOWS_ROW(queuedWindows, QUEUED, "those in which four reads or more waited on average"),
        WINDOWS_ROW(queuedWindowsUsed, QUEUED_USED, "shares of the peak that those used, added up")
    };

    STATS_ADD_TABLE(stats, rows);
}

static const char *const power_state_names[POWER_STATES] = {
    [POWER_IDLE] = "IDLE", [POWER_REFRESH] = "REF", [POWER_SELFREFRESH] = "SREF", [POWER_PRECHARGE_DOWN] = "PRE_PDN",
    [POWER_ACTIVE] = "ACT", [POWER_ACTIVE_DOWN] = "ACT_PDN"
};

static void add_rank(const struct dram_rank *rank, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "totalIdleTime", .unit = "Tick", .source = &rank->stats.idle_ps,
         .help = "time powered down, stays that have ended"},
        {.name = "pwrStateTime", .unit = "Tick", .source = rank, .formula = power_time, .columns = POWER_STATES,
         .column_names = power_state_names, .help = "time by power state"}
    };

    STATS_ADD_TABLE(stats, rows);
}

static void add_channel(const struct mem_ctrl *ctrl, const struct dram_channel *channel, struct stats *stats)
{
    char path[96];

    snprintf(path, sizeof path, "system.%s.%s", ctrl->name, channel->name);
    memory_traffic_add_stats(channel->stats.traffic, ctrl->sim, path, stats);
    add_figures(channel, stats);
    energy_stats_add(stats, &channel->energy);
    for (uint32_t i = 0; i < channel->rank_count; i++) {
        stats_group(stats, "%s.rank%u", path, i);
        add_rank(&channel->ranks[i], stats);
    }
}

static void mem_ctrl_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    mem_ctrl_reset_stats(owner);
}

void mem_ctrl_add_stats(struct mem_ctrl *ctrl, struct stats *stats)
{
    stats_group(stats, "system.%s", ctrl->name);
    add_controller(ctrl, stats);
    for (uint32_t i = 0; i < ctrl->channel_count; i++)
        add_channel(ctrl, &ctrl->channels[i], stats);
    stats_on_reset(stats, mem_ctrl_stats_reset, ctrl);
}
