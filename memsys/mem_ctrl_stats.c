/* Names of the statistics of a memory controller, its channels and their ranks (classic-memory 11).
 *
 * Not registered: energies, and latencies by quality-of-service priority. */
#include "memsys/component_stats.h"

#include <math.h>
#include <stdio.h>

/* name, unit, field, help: in the order of the reference */
#define CONTROLLER_COUNTERS(C)                                                                                        \
    C(numReadWriteTurnArounds, "Count", turns_to_read, "turns of the data bus from writes to reads")                  \
    C(numWriteReadTurnArounds, "Count", turns_to_write, "turns of the data bus from reads to writes")                 \
    C(numStayReadState, "Count", stays_read, "scheduling decisions that stayed with reads")                           \
    C(numStayWriteState, "Count", stays_write, "scheduling decisions that stayed with writes")                        \
    C(readReqs, "Count", read_reqs, "read packets accepted")                                                          \
    C(writeReqs, "Count", write_reqs, "write packets accepted")                                                       \
    C(readBursts, "Count", read_bursts, "bursts of these reads")                                                      \
    C(writeBursts, "Count", write_bursts, "bursts of these writes")                                                   \
    C(servicedByWrQ, "Count", serviced_by_write_queue, "read bursts answered from the write queue")                   \
    C(mergedWrBursts, "Count", merged_writes, "write bursts merged with a waiting one")
#define RETRY_COUNTERS(C)                                                                                             \
    C(numRdRetry, "Count", read_retries, "reads refused by a full queue")                                             \
    C(numWrRetry, "Count", write_retries, "writes refused by a full queue")
#define BYTE_COUNTERS(C)                                                                                              \
    C(bytesReadWrQ, "Byte", bytes_read_from_write_queue, "bytes read from the write queue")                           \
    C(bytesReadSys, "Byte", bytes_read, "bytes of read packets")                                                      \
    C(bytesWrittenSys, "Byte", bytes_written, "bytes of write packets")
#define CHANNEL_COUNTERS(C)                                                                                           \
    C(totQLat, "Tick", queue_ps, "time of read bursts in the queue")                                                  \
    C(totBusLat, "Tick", bus_ps, "time of read bursts on the data bus")                                               \
    C(totMemAccLat, "Tick", access_ps, "time of read bursts from arrival to data")

enum controller_figure { AVG_READ_BANDWIDTH, AVG_WRITE_BANDWIDTH, AVG_GAP };
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
    case AVG_GAP: break;
    }
    return (double)ctrl->gap_ps / (double)(ctrl->read_reqs + ctrl->write_reqs);
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

/* Time in each power state, with the part of the present one that the rank has not counted yet. */
static double power_time(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct dram_rank *const rank = context;
    uint64_t const uncounted_ps = column == rank->power_state ? time->now_ps - rank->power_since_ps : 0;

    (void)argument;
    return (double)(rank->stats.power_ps[column] + uncounted_ps);
}

/* ---- lines of one kind */

static void add_counter(struct stats *stats, const char *name, const char *unit, const uint64_t *source,
                        const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = source, .kind = STAT_COUNTER,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_vector(struct stats *stats, const char *name, const char *unit, const uint64_t *source, uint32_t count,
                       const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = source, .kind = STAT_COUNTER, .columns = count,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_level(struct stats *stats, const char *name, const struct occupancy *source, unsigned flags,
                      const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = "Count", .help = help, .source = source, .kind = STAT_LEVEL, .flags = flags,
        .precision = 2
    });
}

static void add_histogram(struct stats *stats, const char *name, const char *unit, const struct histogram *source,
                          const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = source, .kind = STAT_HISTOGRAM, .flags = STAT_NO_ZERO,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_formula(struct stats *stats, const char *name, const char *unit, stat_formula *formula,
                        const void *context, unsigned figure, int precision, const char *help)
{
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = context, .kind = STAT_FORMULA, .formula = formula,
        .argument = figure, .precision = precision
    });
}

/* ---- controller */

/* Counters (formula NULL) or figures by requestor. */
static void add_by_requestor(const struct mem_ctrl *ctrl, struct stats *stats, struct stat_entry entry)
{
    entry.kind = entry.formula ? STAT_FORMULA : STAT_COUNTER;
    entry.columns = ctrl->sim->requestor_count;
    entry.column_names = ctrl->sim->requestor_names;
    entry.column_bytes = sizeof(struct mem_ctrl_requestor_stats);
    stats_add(stats, &entry);
}

static void add_requestor_counter(const struct mem_ctrl *ctrl, struct stats *stats, const char *name, const char *unit,
                                  const uint64_t *source, const char *help)
{
    add_by_requestor(ctrl, stats, (struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = source, .flags = STAT_NO_ZERO,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_requestor_formula(const struct mem_ctrl *ctrl, struct stats *stats, const char *name, const char *unit,
                                  enum requestor_figure figure, unsigned flags, int precision, const char *help)
{
    add_by_requestor(ctrl, stats, (struct stat_entry){
        .name = name, .unit = unit, .help = help, .source = ctrl->stats.requestors, .formula = requestor_figure,
        .argument = figure, .flags = flags, .precision = precision
    });
}

static void add_requestors(const struct mem_ctrl *ctrl, struct stats *stats)
{
    const struct mem_ctrl_requestor_stats *const first = ctrl->stats.requestors;

    add_requestor_counter(ctrl, stats, "requestorReadBytes", "Byte", &first->read_bytes, "bytes read");
    add_requestor_counter(ctrl, stats, "requestorWriteBytes", "Byte", &first->write_bytes, "bytes written");
    add_requestor_formula(ctrl, stats, "requestorReadRate", "(Byte/Second)", READ_RATE, STAT_NO_ZERO | STAT_NO_NAN, 12,
                          "bytes read per second");
    add_requestor_formula(ctrl, stats, "requestorWriteRate", "(Byte/Second)", WRITE_RATE, STAT_NO_ZERO | STAT_NO_NAN,
                          12, "bytes written per second");
    add_requestor_counter(ctrl, stats, "requestorReadAccesses", "Count", &first->read_accesses, "read bursts");
    add_requestor_counter(ctrl, stats, "requestorWriteAccesses", "Count", &first->write_accesses, "write bursts");
    add_requestor_counter(ctrl, stats, "requestorReadTotalLat", "Tick", &first->read_latency_ps,
                          "time of read bursts from arrival to data");
    add_requestor_counter(ctrl, stats, "requestorWriteTotalLat", "Tick", &first->write_latency_ps,
                          "time of write bursts from arrival to data");
    add_requestor_formula(ctrl, stats, "requestorReadAvgLat", "(Tick/Count)", AVG_READ_LATENCY, STAT_NO_NAN, 2,
                          "time of a read burst");
    add_requestor_formula(ctrl, stats, "requestorWriteAvgLat", "(Tick/Count)", AVG_WRITE_LATENCY, STAT_NO_NAN, 2,
                          "time of a write burst");
}

#define ADD_CONTROLLER_COUNTER(name, unit, field, help) add_counter(stats, #name, unit, &from->field, help);

static void add_controller(const struct mem_ctrl *ctrl, struct stats *stats)
{
    const struct mem_ctrl_stats *const from = &ctrl->stats;
    uint32_t const sizes = ctrl->sim->line_shift + 1;

    CONTROLLER_COUNTERS(ADD_CONTROLLER_COUNTER)
    stats_add_constant(stats, "neitherReadNorWriteReqs", 0, "Count", "other packets, of which none come here");
    add_level(stats, "avgRdQLen", &from->read_length, 0, "time average of reads under way when the last one came");
    add_level(stats, "avgWrQLen", &from->write_length, 0, "time average of writes waiting when the last one came");
    RETRY_COUNTERS(ADD_CONTROLLER_COUNTER)
    add_vector(stats, "readPktSize", "Count", from->read_sizes, sizes, "read bursts by log2 of their bytes");
    add_vector(stats, "writePktSize", "Count", from->write_sizes, sizes, "write bursts by log2 of their bytes");
    add_vector(stats, "rdQLenPdf", "Count", from->read_queue_seen, from->read_queue_lengths,
               "read bursts by the queue length they met");
    add_vector(stats, "wrQLenPdf", "Count", from->write_queue_seen, from->write_queue_lengths,
               "write bursts by the queue length they met");
    add_histogram(stats, "rdPerTurnAround", "Count", &from->reads_per_turn, "reads before the bus turned");
    add_histogram(stats, "wrPerTurnAround", "Count", &from->writes_per_turn, "writes before the bus turned");
    BYTE_COUNTERS(ADD_CONTROLLER_COUNTER)
    add_formula(stats, "avgRdBWSys", "(Byte/Second)", controller_figure, from, AVG_READ_BANDWIDTH, 8,
                "bytes of read packets per second");
    add_formula(stats, "avgWrBWSys", "(Byte/Second)", controller_figure, from, AVG_WRITE_BANDWIDTH, 8,
                "bytes of write packets per second");
    add_counter(stats, "totGap", "Tick", &from->gap_ps, "time between requests");
    add_formula(stats, "avgGap", "(Tick/Count)", controller_figure, from, AVG_GAP, 2, "time from request to request");
    add_requestors(ctrl, stats);
}

/* ---- channel */

static void add_banks(const struct dram_channel *channel, struct stats *stats)
{
    const struct dram_stats *const from = &channel->stats;
    uint32_t const banks = channel->rank_count * channel->ranks[0].bank_count;

    add_counter(stats, "readBursts", "Count", &from->read_bursts, "read bursts issued");
    add_counter(stats, "writeBursts", "Count", &from->write_bursts, "write bursts issued");
    add_vector(stats, "perBankRdBursts", "Count", from->bank_reads, banks, "read bursts by bank");
    add_vector(stats, "perBankWrBursts", "Count", from->bank_writes, banks, "write bursts by bank");
}

static void add_latencies(const struct dram_channel *channel, struct stats *stats)
{
    const struct dram_stats *const from = &channel->stats;

    CHANNEL_COUNTERS(ADD_CONTROLLER_COUNTER)
    add_formula(stats, "avgQLat", "(Tick/Count)", channel_figure, channel, AVG_QUEUE, 2, "time in the queue of a read");
    add_formula(stats, "avgBusLat", "(Tick/Count)", channel_figure, channel, AVG_BUS, 2, "time on the bus of a read");
    add_formula(stats, "avgMemAccLat", "(Tick/Count)", channel_figure, channel, AVG_ACCESS, 2,
                "time from arrival to data of a read");
}

static void add_rows(const struct dram_channel *channel, struct stats *stats)
{
    const struct dram_stats *const from = &channel->stats;

    add_counter(stats, "readRowHits", "Count", &from->read_row_hits, "read bursts to an open row");
    add_counter(stats, "writeRowHits", "Count", &from->write_row_hits, "write bursts to an open row");
    add_formula(stats, "readRowHitRate", "Ratio", channel_figure, channel, READ_HIT_RATE, 2,
                "percentage of reads to an open row");
    add_formula(stats, "writeRowHitRate", "Ratio", channel_figure, channel, WRITE_HIT_RATE, 2,
                "percentage of writes to an open row");
    add_histogram(stats, "bytesPerActivate", "Byte", &from->bytes_per_activate, "bytes of a row while it was open");
}

static void add_bandwidths(const struct dram_channel *channel, struct stats *stats)
{
    add_formula(stats, "dramBytesRead", "Byte", channel_figure, channel, BYTES_READ, STAT_PRECISION_AUTO,
                "bytes of read bursts");
    add_formula(stats, "dramBytesWritten", "Byte", channel_figure, channel, BYTES_WRITTEN, STAT_PRECISION_AUTO,
                "bytes of write bursts");
    add_formula(stats, "avgRdBW", "(Byte/Second)", channel_figure, channel, BANDWIDTH_READ, STAT_PRECISION_AUTO,
                "read bursts, in 10^6 bytes per second");
    add_formula(stats, "avgWrBW", "(Byte/Second)", channel_figure, channel, BANDWIDTH_WRITTEN, STAT_PRECISION_AUTO,
                "write bursts, in 10^6 bytes per second");
    add_formula(stats, "peakBW", "(Byte/Second)", channel_figure, channel, PEAK, 2,
                "the most the data bus can carry, in 10^6 bytes per second");
    add_formula(stats, "busUtil", "Ratio", channel_figure, channel, UTILIZATION, 2, "percentage of it used");
    add_formula(stats, "busUtilRead", "Ratio", channel_figure, channel, UTILIZATION_READ, 2,
                "percentage of it used by reads");
    add_formula(stats, "busUtilWrite", "Ratio", channel_figure, channel, UTILIZATION_WRITE, 2,
                "percentage of it used by writes");
    add_formula(stats, "pageHitRate", "Ratio", channel_figure, channel, HIT_RATE, 2,
                "percentage of bursts to an open row");
    add_level(stats, "avgReadsWaiting", &channel->stats.read_queue, STAT_OURS, "time average of waiting reads");
    add_level(stats, "avgWritesWaiting", &channel->stats.write_queue, STAT_OURS, "time average of waiting writes");
}

static const char *const power_state_names[POWER_STATES] = {
    [POWER_IDLE] = "IDLE", [POWER_REFRESH] = "REF", [POWER_SELFREFRESH] = "SREF", [POWER_PRECHARGE_DOWN] = "PRE_PDN",
    [POWER_ACTIVE] = "ACT", [POWER_ACTIVE_DOWN] = "ACT_PDN"
};

static void add_rank(const struct dram_rank *rank, struct stats *stats)
{
    add_counter(stats, "totalIdleTime", "Tick", &rank->stats.idle_ps, "time powered down, stays that have ended");
    stats_add(stats, &(struct stat_entry){
        .name = "pwrStateTime", .unit = "Tick", .help = "time by power state", .source = rank, .kind = STAT_FORMULA,
        .formula = power_time, .columns = POWER_STATES, .column_names = power_state_names,
        .precision = STAT_PRECISION_AUTO
    });
}

static void add_channel(const struct mem_ctrl *ctrl, const struct dram_channel *channel, struct stats *stats)
{
    char path[96];

    snprintf(path, sizeof path, "system.%s.%s", ctrl->name, channel->name);
    memory_traffic_add_stats(channel->stats.traffic, ctrl->sim, path, stats);
    add_banks(channel, stats);
    add_latencies(channel, stats);
    add_rows(channel, stats);
    add_bandwidths(channel, stats);
    for (uint32_t i = 0; i < channel->rank_count; i++) {
        stats_group(stats, "%s.rank%u", path, i);
        add_rank(&channel->ranks[i], stats);
    }
}

static void reset(void *owner, uint64_t now_ps)
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
    stats_on_reset(stats, reset, ctrl);
}
