/* Names of the statistics of a controller of DRAM commands. "system.<name>": counters have the published model's names
 * (command-dram 11) and times in ticks of the device. "system.<name>.dram": what gem5's controller has, too, under its
 * names and in ps, so that one script and one set of metrics reads both. */
#include "memsys/command/cmd_ctrl.h"

#include <stdio.h>
#include <string.h>

#include "memsys/command/cmd_energy.h"
#include "memsys/dram/energy_stats.h"
#include "memsys/sim/sim_statistics.h"

/* S(name, unit, help) for each of CMD_COUNTERS that is printed as it is */
#define CTRL_COUNTERS(S)                                                                                              \
    S(cycles, "Cycle", "ticks of the device's clock")                                                                 \
    S(row_hits, "Count", "accesses whose row was open when their first command was issued")                           \
    S(row_misses, "Count", "those whose bank was closed")                                                             \
    S(row_conflicts, "Count", "those whose bank had another row open")                                                \
    S(read_row_hits, "Count", "row hits of reads")                                                                    \
    S(read_row_misses, "Count", "row misses of reads")                                                                \
    S(read_row_conflicts, "Count", "row conflicts of reads")                                                          \
    S(write_row_hits, "Count", "row hits of writes")                                                                  \
    S(write_row_misses, "Count", "row misses of writes")                                                              \
    S(write_row_conflicts, "Count", "row conflicts of writes")                                                        \
    S(num_read_reqs, "Count", "read accesses accepted")                                                               \
    S(num_write_reqs, "Count", "write accesses accepted")                                                             \
    S(num_maintenance_reqs, "Count", "refreshes and requests of defences and row policy accepted")                    \
    S(num_read_reqs_served, "Count", "read accesses issued")                                                          \
    S(num_write_reqs_served, "Count", "write accesses issued")                                                        \
    S(num_maintenance_reqs_served, "Count", "maintenance requests done")                                              \
    S(num_read_reqs_forwarded, "Count", "read accesses answered from a waiting write")                                \
    S(num_write_reqs_coalesced, "Count", "write accesses merged with a waiting one")                                  \
    S(queue_len, "Count", "lengths of all queues, added up over ticks")                                               \
    S(read_queue_len, "Count", "lengths of the read queue, added up over ticks")                                      \
    S(write_queue_len, "Count", "lengths of the write queue, added up over ticks")                                    \
    S(priority_queue_len, "Count", "lengths of the priority queue, added up over ticks")                              \
    S(read_latency, "Cycle", "ticks of read accesses from arrival to data, added up")                                 \
    S(cas_issued, "Count", "LPDDR: CAS commands that synchronise the write clock")                                    \
    S(cas_skipped, "Count", "LPDDR: accesses while it was synchronised")                                              \
    S(act2_deadline_forced, "Count", "LPDDR: second halves of activations at their deadline")                         \
    S(act2_deferred, "Count", "LPDDR: those that nothing else came before")                                           \
    S(num_rckstrt_issued, "Count", "GDDR7: starts of the read clock")                                                 \
    S(num_rckstop_issued, "Count", "GDDR7: stops of the read clock")                                                  \
    S(prac_num_recovery, "Count", "PRAC: recoveries")

enum figure {
    QUEUE_AVG, READ_QUEUE_AVG, WRITE_QUEUE_AVG, PRIORITY_QUEUE_AVG, AVG_READ_LATENCY, READ_THROUGHPUT, WRITE_THROUGHPUT,
    TOTAL_THROUGHPUT, PEAK, UTILIZATION
};

static double figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;
    const struct cmd_stats *const device = &ctrl->stats.device;
    double const peak = cmd_ctrl_peak_bytes_per_s(ctrl->spec) / 1e6;
    double const bytes = (double)((device->num_read_reqs_served + device->num_write_reqs_served) * ctrl->access_bytes);

    (void)column;
    switch ((enum figure)argument) {
    case QUEUE_AVG: return (double)device->queue_len_avg;
    case READ_QUEUE_AVG: return (double)device->read_queue_len_avg;
    case WRITE_QUEUE_AVG: return (double)device->write_queue_len_avg;
    case PRIORITY_QUEUE_AVG: return (double)device->priority_queue_len_avg;
    case AVG_READ_LATENCY: return (double)device->avg_read_latency;
    case READ_THROUGHPUT: return (double)device->read_throughput_MBps;
    case WRITE_THROUGHPUT: return (double)device->write_throughput_MBps;
    case TOTAL_THROUGHPUT: return (double)device->total_throughput_MBps;
    case PEAK: return peak;
    case UTILIZATION: break;
    }
    return bytes / 1e6 / stats_seconds(time) / peak * 100.0;
}

/* ---- figures that both controllers have, under gem5's names */
enum shared_figure {
    SHARED_READS, SHARED_WRITES, SHARED_READ_HITS, SHARED_WRITE_HITS, SHARED_LATENCY, SHARED_AVG_LATENCY,
    SHARED_BYTES_READ, SHARED_BYTES_WRITTEN, SHARED_HIT_RATE, SHARED_BANK_READS, SHARED_BANK_WRITES
};

static double shared_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;
    const struct cmd_stats *const device = &ctrl->stats.device;
    double const reads = (double)device->num_read_reqs_served, writes = (double)device->num_write_reqs_served;
    double const latency_ps = (double)cmd_clock_tick_ps(&ctrl->clock, device->read_latency);
    double const rows = (double)(device->row_hits + device->row_misses + device->row_conflicts);

    (void)time;
    switch ((enum shared_figure)argument) {
    case SHARED_READS: return reads;
    case SHARED_WRITES: return writes;
    case SHARED_READ_HITS: return (double)device->read_row_hits;
    case SHARED_WRITE_HITS: return (double)device->write_row_hits;
    case SHARED_LATENCY: return latency_ps;
    case SHARED_AVG_LATENCY: return latency_ps / reads;
    case SHARED_BYTES_READ: return reads * (double)ctrl->access_bytes;
    case SHARED_BYTES_WRITTEN: return writes * (double)ctrl->access_bytes;
    case SHARED_HIT_RATE: return (double)device->row_hits / rows * 100.0;
    case SHARED_BANK_READS: return (double)ctrl->watch.banks[column].reads;
    case SHARED_BANK_WRITES: break;
    }
    return (double)ctrl->watch.banks[column].writes;
}

enum windows_figure { WINDOWS, WINDOWS_USED, QUEUED, QUEUED_USED };

static double windows_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;
    struct bus_windows windows = ctrl->watch.windows;
    const struct bus_window_sums *const sums = argument == QUEUED || argument == QUEUED_USED ? &windows.queued
                                                                                             : &windows.all;
    double const peak = (double)windows.length_ps / (double)windows.burst_ps;
    double sum = 0;

    bus_windows_close(&windows, time->now_ps, occupancy_area(&ctrl->watch.reads, time->now_ps));
    for (unsigned part = 0; part < BUS_WINDOW_PARTS; part++)
        if (column == STAT_TOTAL || column == part)
            sum += argument == WINDOWS || argument == QUEUED ? (double)sums->windows[part]
                                                             : (double)sums->bursts[part] / peak;
    return sum;
}

static const char *const window_names[BUS_WINDOW_PARTS] = {"0", "10", "20", "30", "40", "50", "60", "70", "80", "90"};

#define WAIT_NAME(id, name, help) name,
static const char *const wait_names[CMD_WAITS] = {CMD_WAIT_CAUSES(WAIT_NAME)};
#undef WAIT_NAME

static double wait_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;

    (void)argument;
    (void)time;
    return cmd_waits_ticks(&ctrl->watch.waits, (enum cmd_wait)column) * (double)ctrl->clock.period_ps
           / (double)ctrl->clock.ticks;
}

#define SHARED(stat, of, which, text)                                                                                 \
    {.name = #stat, .unit = of, .source = ctrl, .formula = shared_figure, .argument = which, .help = text}
#define BY_BANK(stat, which, text)                                                                                    \
    {.name = #stat, .source = ctrl, .formula = shared_figure, .argument = which, .columns = ctrl->spec->bank_count,   \
     .help = text}
#define WAITING(stat, field, text)                                                                                    \
    {.name = #stat, .kind = STAT_LEVEL, .source = &ctrl->watch.field, .flags = STAT_OURS, .precision = 2, .help = text}
#define WINDOWS_ROW(stat, figure, text)                                                                               \
    {.name = #stat, .source = ctrl, .formula = windows_figure, .argument = figure, .columns = BUS_WINDOW_PARTS,       \
     .column_names = window_names, .flags = STAT_OURS | STAT_WITH_TOTAL, .help = text}

static void add_shared(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    struct stat_entry const rows[] = {
        SHARED(readBursts, "Count", SHARED_READS, "read accesses issued"),
        SHARED(writeBursts, "Count", SHARED_WRITES, "write accesses issued"),
        BY_BANK(perBankRdBursts, SHARED_BANK_READS, "read accesses by bank"),
        BY_BANK(perBankWrBursts, SHARED_BANK_WRITES, "write accesses by bank"),
        SHARED(totMemAccLat, "Tick", SHARED_LATENCY, "time of read accesses from arrival to data"),
        SHARED(avgMemAccLat, "(Tick/Count)", SHARED_AVG_LATENCY, "time from arrival to data of a read access"),
        SHARED(readRowHits, "Count", SHARED_READ_HITS, "read accesses to an open row"),
        SHARED(writeRowHits, "Count", SHARED_WRITE_HITS, "write accesses to an open row"),
        SHARED(dramBytesRead, "Byte", SHARED_BYTES_READ, "bytes of read accesses"),
        SHARED(dramBytesWritten, "Byte", SHARED_BYTES_WRITTEN, "bytes of write accesses"),
        {.name = "peakBW", .unit = "(Byte/Second)", .source = ctrl, .formula = figure, .argument = PEAK, .precision = 2,
         .help = "peak of the data buses, in 10^6 bytes per second"},
        {.name = "busUtil", .unit = "Ratio", .source = ctrl, .formula = figure, .argument = UTILIZATION, .precision = 2,
         .help = "percentage of it used"},
        SHARED(pageHitRate, "Ratio", SHARED_HIT_RATE, "percentage of accesses to an open row"),
        WAITING(avgReadsWaiting, reads, "time average of waiting reads"),
        WAITING(avgWritesWaiting, writes, "time average of waiting writes"),
        {.name = "idleWaits", .unit = "Tick", .source = ctrl, .formula = wait_figure, .columns = CMD_WAITS,
         .column_names = wait_names, .flags = STAT_OURS,
         .help = "time in which accesses waited and the data bus was idle, by cause, from a sample"},
        WINDOWS_ROW(utilWindows, WINDOWS, "windows of nREFI by the percentage of the peak that they used"),
        WINDOWS_ROW(utilWindowsUsed, WINDOWS_USED, "shares of the peak that they used, added up"),
        WINDOWS_ROW(queuedWindows, QUEUED, "those in which four reads or more waited on average"),
        WINDOWS_ROW(queuedWindowsUsed, QUEUED_USED, "shares of the peak that those used, added up")
    };

    STATS_ADD_TABLE(stats, rows);
}

/* ---- RowHammer */
#define HAMMER(stat, field, text) {.name = #stat, .source = &hammer->field, .help = text}

enum defence_figure { DEFENCE_PREVENTED, DEFENCE_REFRESHES, DEFENCE_ACTIVATES, DEFENCE_WAITS, DEFENCE_ENERGY };

static double defence_figure(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;

    (void)column;
    (void)time;
    switch ((enum defence_figure)argument) {
    case DEFENCE_PREVENTED: return (double)(ctrl->watch.hammer.hot - ctrl->watch.hammer.flips);
    case DEFENCE_REFRESHES: return (double)cmd_watch_defences(&ctrl->watch).refreshes;
    case DEFENCE_ACTIVATES: return (double)cmd_watch_defences(&ctrl->watch).activates;
    case DEFENCE_WAITS: return wait_figure(ctrl, 0, CMD_WAIT_MITIGATION, time);
    case DEFENCE_ENERGY: break;
    }
    return cmd_energy_of_defences(ctrl);
}

#define DEFENCE(stat, of, which, text)                                                                                \
    {.name = #stat, .unit = of, .source = ctrl, .formula = defence_figure, .argument = which, .flags = STAT_OURS,      \
     .help = text}

static void add_hammer(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    const struct cmd_hammer *const hammer = &ctrl->watch.hammer;
    struct stat_entry const rows[] = {
        HAMMER(windows, windows, "refresh windows that are over"),
        HAMMER(mostActivations, most, "activations of a row in a window, at most"),
        HAMMER(mostUnserved, most_unserved, "the same since the victims of the row were refreshed"),
        HAMMER(hotRows, hot, "rows that reached rowhammer_threshold, window by window"),
        HAMMER(possibleFlips, flips, "of these, rows that did so before their victims were refreshed: bits may flip"),
        DEFENCE(preventedFlips, "Count", DEFENCE_PREVENTED, "the others"),
        DEFENCE(defenceRefreshes, "Count", DEFENCE_REFRESHES, "VRR and RFM of defences"),
        DEFENCE(defenceActivates, "Count", DEFENCE_ACTIVATES, "rows that defences opened: copies, counters"),
        DEFENCE(defenceWaits, "Tick", DEFENCE_WAITS, "idleWaits by mitigation"),
        {.name = "rows", .source = hammer->histogram, .columns = CMD_HAMMER_BINS, .column_names = cmd_hammer_bin_names,
         .flags = STAT_WITH_TOTAL,
         .help = "rows, window by window, by their activations: at least this count, less than the next column"}
    };

    if (hammer->threshold == 0)
        return;
    stats_group(stats, "system.%s.rowhammer", ctrl->name);
    STATS_ADD_TABLE(stats, rows);
    if (ctrl->energy_device.is_known)
        stats_add(stats, &(struct stat_entry){.name = "defenceEnergy", .unit = "pJ", .source = ctrl,
                                              .formula = defence_figure, .argument = DEFENCE_ENERGY,
                                              .flags = STAT_OURS, .precision = 3,
                                              .help = "of the commands that defences issue on their own account"});
}

/* argument: number of the defence * 2^32 + number of its count */
static double defence_count(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;
    struct cmd_named_count count = {.value = 0};

    (void)column;
    (void)time;
    cmd_memory_mitigation_count(ctrl->memory, 0, (uint32_t)(argument >> 32), (uint32_t)argument, &count);
    return (double)count.value;
}

static void add_defences(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    struct cmd_named_count count;

    for (uint32_t i = 0; i < ctrl->defences; i++)
        for (size_t k = 0; cmd_memory_mitigation_count(ctrl->memory, 0, i, k, &count); k++)
            stats_add(stats, &(struct stat_entry){.name = count.name, .source = ctrl, .formula = defence_count,
                                                  .argument = (uint64_t)i << 32 | k,
                                                  .help = "of a defence against RowHammer, since the start"});
}

#define COUNTER(stat, of, text) {.name = #stat, .unit = of, .source = &device->stat, .help = text},
#define REQUESTS(stat, field, text) {.name = #stat, .source = &from->field, .help = text}
#define FIGURE(stat, of, which, text)                                                                                 \
    {.name = #stat, .unit = of, .source = ctrl, .formula = figure, .argument = which, .help = text}

static void add_figures(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    const struct cmd_ctrl_stats *const from = &ctrl->stats;
    const struct cmd_stats *const device = &from->device;
    struct stat_entry const rows[] = {
        REQUESTS(readReqs, read_reqs, "read packets accepted"),
        REQUESTS(writeReqs, write_reqs, "write packets accepted"),
        REQUESTS(numRdRetry, read_retries, "reads refused by a full queue"),
        REQUESTS(numWrRetry, write_retries, "writes refused by a full queue"),
        REQUESTS(throttles, throttles, "BlockHammer: cuts of a source's reads in flight"),
        CTRL_COUNTERS(COUNTER)
        FIGURE(queue_len_avg, "Count", QUEUE_AVG, "average length of all queues"),
        FIGURE(read_queue_len_avg, "Count", READ_QUEUE_AVG, "average length of the read queue"),
        FIGURE(write_queue_len_avg, "Count", WRITE_QUEUE_AVG, "average length of the write queue"),
        FIGURE(priority_queue_len_avg, "Count", PRIORITY_QUEUE_AVG, "average length of the priority queue"),
        FIGURE(avg_read_latency, "Cycle", AVG_READ_LATENCY, "ticks of a read access from arrival to data"),
        FIGURE(read_throughput_MBps, "(Byte/Second)", READ_THROUGHPUT, "read accesses, in 10^6 bytes per second"),
        FIGURE(write_throughput_MBps, "(Byte/Second)", WRITE_THROUGHPUT, "write accesses, in 10^6 bytes per second"),
        FIGURE(total_throughput_MBps, "(Byte/Second)", TOTAL_THROUGHPUT, "both")
    };

    STATS_ADD_TABLE(stats, rows);
}

static void add_throttle(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    const struct cmd_ctrl_stats *const from = &ctrl->stats;
    struct stat_entry const rows[] = {
        REQUESTS(throttledReads, throttled_reads, "BlockHammer: read packets that waited for their source's share")
    };

    if (ctrl->throttle.sources)
        STATS_ADD_TABLE(stats, rows);
}

#define REFRESHES(stat, field, text) {.name = #stat, .source = &ctrl->stats.device.field, .help = text}

static void add_postponing(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    struct stat_entry const rows[] = {
        REFRESHES(refreshes_postponed, refreshes_postponed, "refreshes that fell due while requests waited, put off"),
        REFRESHES(refreshes_forced, refreshes_forced, "those that the limit did not allow to put off")
    };

    if (ctrl->can_postpone)
        STATS_ADD_TABLE(stats, rows);
}

static void add_merging(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    if (ctrl->merge.is_on)
        stats_add(stats, &(struct stat_entry){.name = "reads_merged", .source = &ctrl->merge.merged,
                                              .flags = STAT_NO_ZERO,
                                              .help = "read packets that joined a read that waited for their access"});
}

/* ---- ECC */
#define ECC(stat, field, text) {.name = "ecc_" #stat, .source = &ctrl->ecc.field, .help = text}

static void add_ecc(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    struct stat_entry const rows[] = {
        ECC(hits, hits, "inline ECC: accesses whose check bits the controller had"),
        ECC(misses, misses, "inline ECC: others"),
        ECC(reads, reads, "inline ECC: reads of check bits"),
        ECC(writes, writes, "inline ECC: writes of check bits"),
        ECC(merges, merges, "inline ECC: reads of data for writes of less than an access")
    };

    if (ctrl->ecc.data_bytes > 0)
        STATS_ADD_TABLE(stats, rows);
    if (ctrl->ecc_chips > 0)
        stats_add_constant(stats, "ecc_chips", (double)ctrl->ecc_chips, "Count", "sideband ECC: chips more in a rank");
}

/* ---- power states; argument: enum energy_state */
static double rank_time(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct cmd_ctrl *const ctrl = context;

    return (double)cmd_states_of(&ctrl->watch.states, column, (enum energy_state)argument, time->now_ps);
}

#define RANK_TIME(stat, which, text)                                                                                  \
    {.name = #stat, .unit = "Tick", .source = ctrl, .formula = rank_time, .argument = which,                          \
     .columns = ctrl->watch.states.rank_count, .help = "ps, by rank: " text}

static void add_rank_times(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    struct stat_entry const rows[] = {
        RANK_TIME(active_standby_ps, ENERGY_ACTIVE, "clock enabled, a row open"),
        RANK_TIME(precharge_standby_ps, ENERGY_PRECHARGED, "clock enabled, no row open"),
        RANK_TIME(refresh_ps, ENERGY_REFRESH, "all its banks refresh"),
        RANK_TIME(active_powerdown_ps, ENERGY_ACTIVE_DOWN, "power-down, a row open"),
        RANK_TIME(precharge_powerdown_ps, ENERGY_PRECHARGE_DOWN, "power-down, no row open"),
        RANK_TIME(self_refresh_ps, ENERGY_SELF_REFRESH, "self-refresh")
    };

    if (ctrl->watch.spec->power.first_command)
        STATS_ADD_TABLE(stats, rows);
}

static void add_commands(const struct cmd_ctrl *ctrl, struct stats *stats)
{
    const struct cmd_spec *const spec = ctrl->spec;
    const char **const names = stats_name_array(stats, spec->command_count);

    for (unsigned i = 0; names && i < spec->command_count; i++)
        names[i] = spec->command[i].name;
    if (names)
        stats_add(stats, &(struct stat_entry){
            .name = "commands", .source = ctrl->stats.device.commands, .columns = spec->command_count,
            .column_names = names, .flags = STAT_WITH_TOTAL, .help = "commands issued, by kind"});
}

static void cmd_ctrl_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    cmd_ctrl_reset_stats(owner);
}

void cmd_ctrl_add_stats(struct cmd_ctrl *ctrl, struct stats *stats)
{
    char path[64];

    snprintf(path, sizeof path, "system.%s", ctrl->name);
    stats_group(stats, "%s", path);
    add_figures(ctrl, stats);
    add_throttle(ctrl, stats);
    add_postponing(ctrl, stats);
    add_merging(ctrl, stats);
    add_rank_times(ctrl, stats);
    add_ecc(ctrl, stats);
    add_commands(ctrl, stats);
    latency_stats_add(stats, "readLatency", &ctrl->stats.read_latencies, "of read packets, from arrival to data");
    add_defences(ctrl, stats);
    snprintf(path, sizeof path, "system.%s.dram", ctrl->name);
    memory_traffic_add_stats(ctrl->stats.traffic, ctrl->sim->root, path, stats);
    add_shared(ctrl, stats);
    energy_stats_add(stats, &ctrl->energy);
    add_hammer(ctrl, stats);
    stats_on_reset(stats, cmd_ctrl_stats_reset, ctrl);
}

/* Time passes up to now, but no tick in which something happens: that is the event's. */
void cmd_ctrl_settle_stats(struct cmd_ctrl *ctrl)
{
    uint64_t const tick = cmd_clock_tick_of(&ctrl->clock, sim_now_ps(ctrl->sim));
    uint64_t const idle = min_u64(tick, cmd_memory_next(ctrl->memory) - 1);

    if (idle > cmd_memory_now(ctrl->memory))
        cmd_memory_run(ctrl->memory, idle);
    ctrl->stats.device = cmd_memory_stats(ctrl->memory, 0);
}

void cmd_ctrl_reset_stats(struct cmd_ctrl *ctrl)
{
    struct cmd_ctrl_stats *const stats = &ctrl->stats;

    cmd_ctrl_settle_stats(ctrl);
    cmd_memory_reset_stats(ctrl->memory);
    stats->read_reqs = stats->write_reqs = stats->read_retries = stats->write_retries = stats->throttles = 0;
    stats->throttled_reads = 0;
    latency_histogram_reset(&stats->read_latencies);
    memset(stats->traffic, 0, sizeof stats->traffic);
    cmd_inline_ecc_reset(&ctrl->ecc);
    ctrl->merge.merged = 0;
    cmd_watch_reset(&ctrl->watch, sim_now_ps(ctrl->sim));
    cmd_ctrl_settle_stats(ctrl);
}
