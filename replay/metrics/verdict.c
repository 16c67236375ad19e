/* The rules. Each stall of a core or scheduler is a cause. Stalls for memory count as the part of the memory system
 * that is at its limit, for the share of the time in which it is, since then no change above it helps:
 *
 *   DRAM bandwidth  in windows of the time the data bus is busy for SATURATED of it or more, or for half of it and 4
 *                   reads or more wait on average (mem.saturated). Of runs too short for windows: all of the time if
 *                   the bus is busy for SATURATED of it, or for BUSY, and QUEUED reads or more wait
 *   one channel     the same of the busiest channel, if it has UNEVEN times its even share of the traffic
 *   DRAM banks      as many wait, but the bus is free for them: they wait for banks and rows
 *   DRAM's commands a memory of commands (memory.type: command) says why its data bus was idle while accesses waited.
 *                   Windows below SATURATED in which reads wait are divided among these causes, as gem5's controller
 *                   has them as DRAM banks; refresh and defences also take their time from the latency of single misses
 *   memory bus      its busiest path is taken for CROWDED of the time or more
 *   L2, L3 refuse   they are blocked for REFUSING of the time or more; by cause: MSHRs, targets of one, write buffers
 *   translation     the share of the time in which a data access waits for it
 *
 * The remaining causes:
 *
 *   latency         a core waits for memory as long as lines are on their way to its L1D, and no longer than that: the
 *                   mean number of MSHRs in use, at most 1. The time is that in which all records of an elastic core
 *                   wait for results, and in which the oldest micro-op of a detailed one is a load; the rest of it are
 *                   dependences like others: loads that hit
 *   queues          an elastic core reports that a record without open dependences found no room. A detailed core does
 *                   not: its fullest queue is the cause if it is FULL and misses overlap (OVERLAPPING lines or more in
 *                   flight); with a single chain of misses a larger queue would only hold more waiting entries. The
 *                   same holds for either core if fewer lines are in flight than CHAINED of the misses that its reorder
 *                   buffer (of a detailed core, the entries in use) spans: these misses depend on each other, and the
 *                   cause is their latency
 *   L1D refuses     an elastic core reports it, and its waits for memory count as it for the rest of the time for which
 *                   the L1D is blocked, if that is REFUSING of all or more. For a detailed core as for L2 and L3: it is
 *                   blocked for REFUSING of the time, and stores and loads wait for it. By cause, as L2 and L3
 *   fetch           all records of an elastic core are done and fetches continue: the L1I as far as it refuses them,
 *                   else their times in the trace, which no system changes. A detailed core counts the slots itself
 *   order, branches slots lost to wrong paths are shared by the cause of the squash: loads that were too early,
 *                   branches (Yasin: machine clears are separated from mispredictions by their numbers)
 *   DRAM or caches  by where the L1D's misses pass most of their time: below the last level, or above
 *   occupancy       warps wait for loads, and the kernels let an SM hold less than SPARSE of its warps; the grid, if
 *                   all of its blocks are held at once, so that SMs that hold more would have no more
 *
 * Not known from figures of a whole run: that stalls and limits were at the same time. As much as can be is taken for
 * it. */
#include "replay/metrics/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static double const SATURATED = 0.7, BUSY = 0.5, QUEUED = 4, UNEVEN = 1.5, CROWDED = 0.8, REFUSING = 0.3;
static double const OVERLAPPING = 1.5, FULL = 0.8, SPARSE = 0.5, CHAINED = 0.25;

/* Doubts: shorter runs are start and end; with more fills of empty lines than this a cache was not warm. */
static double const SHORT_INSTRUCTIONS = 100000, SHORT_WARP_INSTRUCTIONS = 100000, COLD_SHARE = 0.2;

/* Smaller ones are not worth a word. */
static double const LEAST_SHARE = 0.01;

#define KEY(id, key, title) key,
#define TITLE(id, key, title) title,
static const char *const keys[] = {VERDICT_CAUSES(KEY)};
static const char *const titles[] = {VERDICT_CAUSES(TITLE)};

const char *verdict_key(enum verdict_cause cause)
{
    return keys[cause];
}

const char *verdict_title(enum verdict_cause cause)
{
    return titles[cause];
}

void verdict_needs(struct metrics_needs *needs)
{
    static const char *const names[] = {
        "demandMshrMissLatency", ".iside.instLastTick", ".dside.dataLastTick", "inUse", "avgInUse", "overallMshrMisses",
        "replacements", "finalTick", "simTicks", "interruptedAtTick", "iew.memOrderViolationEvents",
        "robEntries", "blockedBy", "gridLimited", "dram.idleWaits", "rowhammer.rows", NULL
    };

    metrics_needs_make(needs, names);
}

/* ---- figures */
/* Causes of an idle data bus of a memory of commands, by the names of its statistics. */
static const struct {
    const char *name;
    enum verdict_cause cause;
} idle_waits[] = {
    {"dram.idleWaits::banks", CAUSE_DRAM_BANKS}, {"dram.idleWaits::order", CAUSE_DRAM_BANKS},
    {"dram.idleWaits::activations", CAUSE_DRAM_ACTIVATIONS}, {"dram.idleWaits::bank_group", CAUSE_DRAM_BANK_GROUP},
    {"dram.idleWaits::turns", CAUSE_DRAM_TURNS}, {"dram.idleWaits::refresh", CAUSE_DRAM_REFRESH},
    {"dram.idleWaits::mitigation", CAUSE_DRAM_MITIGATION}, {"dram.idleWaits::command_bus", CAUSE_DRAM_COMMAND_BUS}
};

enum { IDLE_WAITS = sizeof idle_waits / sizeof *idle_waits };

/* The memory channel that is the first to be at its limit. */
struct hot_channel {
    int number;                          /* -1: none */
    double utilisation;
    double saturated, saturated_at;      /* share of time, of peak; at NAN: there are no windows */
    double banks;                        /* share of time in which reads waited, and the data bus had room */
    double waiting;                      /* reads */
    double row_hit_rate;
    double traffic;                      /* of all channels' */
    double idle[IDLE_WAITS], idle_all;   /* shares of time; 0: the controller does not say */
    bool is_uneven;
};

struct case_of {
    const struct figures *figures;
    struct hot_channel channel;
    int cores;                           /* that ran */
    double utilisation;                  /* of all memories, or of a GPU's own */
    double lines;                        /* on their way to an L1D; mean of these cores */
    double below;                        /* part of the L1D's miss latency that passes below the last level */
};

static double metric(const struct case_of *of, const char *name)
{
    double const value = metrics_value(of->figures, name);

    return isfinite(value) ? value : 0;
}

static double statistic(const struct case_of *of, const char *owner, const char *name)
{
    size_t found;
    double const sum = figures_sum(of->figures, owner, name, FIGURES_ALL, &found);

    return found ? sum : 0;
}

/* Mean of the cores that ran. */
static double core_mean(const struct case_of *of, const char *name)
{
    double sum = 0;
    size_t found;

    for (int core = 0; core < figures_instances(of->figures, "cpu"); core++) {
        double const own = figures_sum(of->figures, "cpu", name, core, &found);

        if (found && metrics_core_ran(of->figures, core))
            sum += own;
    }
    return of->cores > 0 ? sum / of->cores : 0;
}

static const char *last_level(const struct figures *figures)
{
    return figures_instances(figures, "l3") ? "l3" : figures_instances(figures, "l2") ? "l2" : "l1d";
}

static double part_below(const struct case_of *of)
{
    double const above = statistic(of, "l1d", "demandMshrMissLatency::total")
                         + statistic(of, "l1i", "demandMshrMissLatency::total");
    double const below = statistic(of, last_level(of->figures), "demandMshrMissLatency::total");

    return above > 0 ? fmin(1, below / above) : 0;
}

/* Share of the time for which a cache of a level refuses requests, of those that have something to do. */
static double blocked_share(const struct case_of *of, const char *level)
{
    int const caches = figures_instances(of->figures, level);
    bool const is_private = caches == figures_instances(of->figures, "cpu");
    int const used = is_private ? of->cores : caches;
    char name[METRIC_NAME];

    snprintf(name, sizeof name, "%s.blocked", level);
    return used > 0 ? metric(of, name) / used : 0;
}

/* The same; 0 if it is too little to be a limit. */
static double refusing(const struct case_of *of, const char *level)
{
    double const share = blocked_share(of, level);

    return share >= REFUSING ? share : 0;
}

/* Of L2 and L3 the one that refuses for longer. */
static const char *refusing_level(const struct case_of *of)
{
    return refusing(of, "l3") > refusing(of, "l2") ? "l3" : "l2";
}

/* Why a level refuses: parts of 1. */
struct refusals {
    double mshrs, targets, write_buffers;
};

static struct refusals refusals_of(const struct case_of *of, const char *level)
{
    double const mshrs = statistic(of, level, "blockedBy::no_mshrs");
    double const targets = statistic(of, level, "blockedBy::no_targets");
    double const write_buffers = statistic(of, level, "blockedBy::no_write_buffers");
    double const all = mshrs + targets + write_buffers;

    return all > 0 ? (struct refusals){mshrs / all, targets / all, write_buffers / all} : (struct refusals){1, 0, 0};
}

/* ---- memory channels */
static double channel_metric(const struct case_of *of, int channel, const char *name)
{
    char of_channel[METRIC_NAME];

    snprintf(of_channel, sizeof of_channel, "mem%d.%s", channel, name);
    return metric(of, of_channel);
}

static double channel_statistic(const struct case_of *of, int channel, const char *name)
{
    size_t found;
    double const sum = figures_sum(of->figures, "mem", name, channel, &found);

    return found ? sum : 0;
}

static void judge_windows(const struct case_of *of, struct hot_channel *channel, double windows)
{
    static const char *const parts[] = {"0", "10", "20", "30", "40"};
    char name[METRIC_NAME];

    channel->saturated = channel_metric(of, channel->number, "saturated");
    channel->saturated_at = channel_metric(of, channel->number, "saturated_at");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "dram.queuedWindows::%s", parts[i]);
        channel->banks += channel_statistic(of, channel->number, name) / windows;
    }
    if (channel->idle_all > 0) {         /* the bus is idle for half of that time, and the reason is known */
        double const half = (channel_statistic(of, channel->number, "dram.queuedWindows::50")
                             + channel_statistic(of, channel->number, "dram.queuedWindows::60")) / windows;

        channel->banks += half;
        channel->saturated = fmax(0, channel->saturated - half);
    }
}

static void read_idle_waits(const struct case_of *of, struct hot_channel *channel)
{
    double const time = statistic(of, "", "simTicks");

    for (size_t i = 0; i < IDLE_WAITS && time > 0; i++) {
        channel->idle[i] = channel_statistic(of, channel->number, idle_waits[i].name) / time;
        channel->idle_all += channel->idle[i];
    }
}

static struct hot_channel channel_of(const struct case_of *of, int number, double all_gb_s)
{
    struct hot_channel channel = {
        .number = number, .utilisation = channel_metric(of, number, "utilisation"),
        .waiting = channel_metric(of, number, "reads_waiting"),
        .row_hit_rate = channel_metric(of, number, "row_hit_rate"), .saturated_at = NAN,
        .traffic = all_gb_s > 0 ? channel_metric(of, number, "gb_s") / all_gb_s : 0
    };
    double const windows = channel_statistic(of, number, "dram.utilWindows::total");
    bool const is_queued = channel.waiting >= QUEUED;

    read_idle_waits(of, &channel);
    if (windows > 0) {
        judge_windows(of, &channel, windows);
    } else {
        channel.saturated = channel.utilisation >= SATURATED
                            || (channel.utilisation >= BUSY && is_queued && channel.idle_all == 0);
        channel.banks = channel.saturated == 0 && is_queued;
    }
    return channel;
}

/* By time at a limit, then by use. */
static bool is_hotter(const struct hot_channel *one, const struct hot_channel *other)
{
    double const time = one->saturated + one->banks, other_time = other->saturated + other->banks;

    return other->number < 0 || time > other_time || (time == other_time && one->utilisation > other->utilisation);
}

static struct case_of case_of(const struct figures *figures)
{
    struct case_of of = {.figures = figures, .channel = {.number = -1, .saturated_at = NAN}};
    int const channels = figures_instances(figures, "mem");

    of.cores = metrics_cores_ran(figures);
    of.utilisation = fmax(metric(&of, "mem.utilisation"), metric(&of, "gpu.utilisation"));
    for (int i = 0; i < channels; i++) {
        struct hot_channel const channel = channel_of(&of, i, metric(&of, "mem.gb_s"));

        if (is_hotter(&channel, &of.channel))
            of.channel = channel;
    }
    if (channels == 0) {                 /* a GPU without figures of its controllers */
        of.channel.utilisation = of.utilisation;
        of.channel.saturated = of.utilisation >= SATURATED;
    }
    of.channel.is_uneven = channels > 1 && of.channel.traffic * channels >= UNEVEN;
    of.lines = of.cores > 0 ? metric(&of, "mlp") / of.cores : 0;
    of.below = part_below(&of);
    return of;
}

/* ---- ranks */
static void charge(struct verdict_side *side, enum verdict_cause cause, double share)
{
    for (size_t i = 0; i < side->count; i++) {
        if (side->bounds[i].cause != cause)
            continue;
        side->bounds[i].share += share;
        return;
    }
    if (share > 0 && side->count < VERDICT_BOUNDS)
        side->bounds[side->count++] = (struct verdict_bound){cause, share};
}

static int by_share(const void *one, const void *other)
{
    struct verdict_bound const *const a = one, *const b = other;

    return a->share > b->share ? -1 : a->share < b->share ? 1 : (a->cause > b->cause) - (a->cause < b->cause);
}

/* Waits for memory, by the cause that they are charged with where nothing is at a limit. */
struct waits {
    double shares[CAUSE_COUNT];
    double all, left;                    /* left: not charged yet */
};

static void wait_for(struct waits *waits, enum verdict_cause otherwise, double share)
{
    waits->shares[otherwise] += share;
    waits->all += share;
    waits->left += share;
}

/* A limit that counted for `time` of the run. */
static void verdict_take(struct waits *waits, struct verdict_side *side, enum verdict_cause cause, double time)
{
    double const part = fmin(waits->left, time);

    charge(side, cause, part);
    waits->left -= part;
}

/* Time in which reads waited and the data bus was idle enough, by cause; then refreshes and defences that single misses
 * waited for. */
static void charge_idle_waits(const struct hot_channel *channel, struct waits *waits, struct verdict_side *side)
{
    double const waited = channel->banks, rest = fmax(0, 1 - channel->banks - channel->saturated);

    if (channel->idle_all == 0 || channel->is_uneven) {
        verdict_take(waits, side, channel->is_uneven ? CAUSE_DRAM_CHANNEL : CAUSE_DRAM_BANKS, waited);
        return;
    }
    for (size_t i = 0; i < IDLE_WAITS; i++)
        verdict_take(waits, side, idle_waits[i].cause, waited * channel->idle[i] / channel->idle_all);
    for (size_t i = 0; i < IDLE_WAITS; i++)
        if (idle_waits[i].cause == CAUSE_DRAM_REFRESH || idle_waits[i].cause == CAUSE_DRAM_MITIGATION)
            verdict_take(waits, side, idle_waits[i].cause, rest * channel->idle[i]);
}

static void charge_waits(const struct case_of *of, struct verdict_side *side, struct waits *waits)
{
    struct hot_channel const *const channel = &of->channel;
    struct refusals const refusals = refusals_of(of, refusing_level(of));
    double const bus = metric(of, "membus.utilisation"), refused = refusing(of, refusing_level(of));
    double const unserved = fmin(waits->left, refused);

    verdict_take(waits, side, channel->is_uneven ? CAUSE_DRAM_CHANNEL : CAUSE_DRAM_BANDWIDTH, channel->saturated);
    charge_idle_waits(channel, waits, side);
    verdict_take(waits, side, CAUSE_MEMORY_BUS, bus >= CROWDED ? bus : 0);
    verdict_take(waits, side, CAUSE_CACHE_MSHRS, unserved * refusals.mshrs);
    verdict_take(waits, side, CAUSE_CACHE_TARGETS, unserved * refusals.targets);
    verdict_take(waits, side, CAUSE_CACHE_WRITE_BUFFERS, unserved * refusals.write_buffers);
    verdict_take(waits, side, CAUSE_TRANSLATION, of->cores > 0 ? waits->left * metric(of, "tlb.waiting") / of->cores
                 : 0);
    for (size_t i = 0; waits->all > 0 && i < CAUSE_COUNT; i++)
        charge(side, (enum verdict_cause)i, waits->shares[i] * waits->left / waits->all);
}

static enum verdict_cause latency_cause(const struct case_of *of)
{
    return of->below >= 0.5 ? CAUSE_DRAM_LATENCY : CAUSE_CACHE_LATENCY;
}

/* ---- cores */
/* The L1D refuses. */
static void wait_for_l1d(const struct case_of *of, struct waits *waits, double share)
{
    struct refusals const refusals = refusals_of(of, "l1d");

    wait_for(waits, CAUSE_L1D_MSHRS, share * refusals.mshrs);
    wait_for(waits, CAUSE_L1D_TARGETS, share * refusals.targets);
    wait_for(waits, CAUSE_L1D_WRITE_BUFFERS, share * refusals.write_buffers);
}

/* Fewer lines are under way than independent misses of these micro-ops in flight would have. */
static bool is_chained(const struct case_of *of, double in_flight)
{
    return of->lines < CHAINED * in_flight * metric(of, "l1d.mpki") / 1000;
}

/* The cause behind a full reorder buffer of an elastic core. */
static enum verdict_cause cause_of_rob(const struct case_of *of)
{
    bool const is_refusing = refusing(of, "l1d") > 0;

    return !is_refusing && is_chained(of, core_mean(of, "robEntries")) ? latency_cause(of) : CAUSE_ROB;
}

/* Elastic cores fetch at the times of the trace; only refusals of the L1I delay them. */
static void charge_fetches(const struct case_of *of, struct verdict_side *side, double alone)
{
    struct refusals const refusals = refusals_of(of, "l1i");
    double const refused = fmin(alone, blocked_share(of, "l1i"));

    charge(side, CAUSE_L1I_MSHRS, refused * refusals.mshrs);
    charge(side, CAUSE_L1I_TARGETS, refused * refusals.targets);
    charge(side, CAUSE_L1I_WRITE_BUFFERS, refused * refusals.write_buffers);
    charge(side, CAUSE_FETCH_TIMES, alone - refused);
}

static void judge_elastic(const struct case_of *of, struct verdict_side *side)
{
    double const dependent = metric(of, "stall.dependences"), for_memory = fmin(dependent, fmin(1, of->lines));
    double const blocked = metric(of, "stall.blocked_cache");
    /* results come late since the lines of misses are asked for late */
    double const for_l1d = fmin(for_memory, fmax(0, refusing(of, "l1d") - blocked));
    double const fetched_ps = statistic(of, "cpu", ".iside.instLastTick");
    double const done_ps = statistic(of, "cpu", ".dside.dataLastTick");
    double const begun_ps = statistic(of, "", "finalTick") - statistic(of, "", "simTicks");
    double const counted_ps = fetched_ps - of->cores * begun_ps;
    /* fetches may continue when all records are done: then time passes for them alone; idle cores have no fetch */
    double const alone_ps = fetched_ps - done_ps;
    double const alone = alone_ps > 0 ? alone_ps / fmax(alone_ps, counted_ps) : 0;
    struct waits waits = {0};

    charge_fetches(of, side, alone);
    charge(side, CAUSE_COMPUTE, (1 - alone) * metric(of, "stall.working"));
    wait_for_l1d(of, &waits, (1 - alone) * (blocked + for_l1d));
    wait_for(&waits, cause_of_rob(of), (1 - alone) * metric(of, "stall.rob"));
    wait_for(&waits, CAUSE_LOAD_QUEUE, (1 - alone) * metric(of, "stall.load_buffer"));
    wait_for(&waits, CAUSE_STORE_BUFFER, (1 - alone) * metric(of, "stall.store_buffer"));
    wait_for(&waits, latency_cause(of), (1 - alone) * (for_memory - for_l1d));
    charge_waits(of, side, &waits);
    charge(side, CAUSE_DEPENDENCES, (1 - alone) * (dependent - for_memory));
}

/* Of a detailed core; NULL: it is none. */
static const char *fullest_queue(const struct case_of *of, enum verdict_cause *cause, double *part)
{
    static const struct { const char *name, *title; enum verdict_cause cause; } queues[] = {
        {"inUse::rob", "reorder buffer", CAUSE_ROB}, {"inUse::load_queue", "load queue", CAUSE_LOAD_QUEUE},
        {"inUse::instruction_queue", "instruction queue", CAUSE_INSTRUCTION_QUEUE}
    };
    const char *title = NULL;

    *part = 0;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        double const share = core_mean(of, queues[i].name);

        if (share <= *part)
            continue;
        *part = share;
        *cause = queues[i].cause;
        title = queues[i].title;
    }
    return title;
}

static enum verdict_cause cause_of_loads(const struct case_of *of)
{
    enum verdict_cause cause = CAUSE_ROB;
    double part;

    fullest_queue(of, &cause, &part);
    return part >= FULL && of->lines >= OVERLAPPING && !is_chained(of, core_mean(of, "avgInUse::rob"))
           ? cause : latency_cause(of);
}

/* Slots of wrong paths, by the cause of the squash. */
static void charge_squashes(const struct case_of *of, struct verdict_side *side)
{
    double const branches = statistic(of, "cpu", "commit.branchMispredicts");
    double const violations = statistic(of, "cpu", "iew.memOrderViolationEvents");
    double const lost = metric(of, "slots.bad_speculation");
    double const to_order = violations > 0 ? lost * violations / (violations + branches) : 0;

    charge(side, CAUSE_MISPREDICTIONS, lost - to_order);
    charge(side, CAUSE_MEMORY_ORDER, to_order + metric(of, "slots.memory_order"));
}

static void judge_detailed(const struct case_of *of, struct verdict_side *side)
{
    double const loads = metric(of, "slots.loads"), for_memory = fmin(loads, fmin(1, of->lines));
    struct waits waits = {0};

    charge(side, CAUSE_COMPUTE, metric(of, "slots.retiring"));
    charge_squashes(of, side);
    charge(side, CAUSE_L1I, metric(of, "slots.icache"));
    charge(side, CAUSE_FRONT_END, metric(of, "slots.front_end"));
    charge(side, CAUSE_SERIALISING, metric(of, "slots.serialising"));
    charge(side, CAUSE_UNITS, metric(of, "slots.units"));
    charge(side, CAUSE_DEPENDENCES, metric(of, "slots.queues") + loads - for_memory);
    if (refusing(of, "l1d") > 0) {
        wait_for_l1d(of, &waits, metric(of, "slots.stores") + for_memory);
    } else {
        wait_for(&waits, CAUSE_STORE_BUFFER, metric(of, "slots.stores"));
        wait_for(&waits, cause_of_loads(of), for_memory);
    }
    charge_waits(of, side, &waits);
}

/* ---- a GPU */
/* Warps wait for loads, and nothing is at a limit. */
static enum verdict_cause cause_of_gpu_loads(const struct case_of *of)
{
    if (!(metrics_value(of->figures, "gpu.occupancy") < SPARSE))
        return CAUSE_GPU_SCOREBOARD;
    return statistic(of, "gpu", "gridLimited") > 0.5 ? CAUSE_GPU_GRID : CAUSE_GPU_OCCUPANCY;
}

static void judge_gpu(const struct case_of *of, struct verdict_side *side)
{
    double const scoreboard = metric(of, "gpu.stall.scoreboard"), loads = metric(of, "gpu.load_wait");
    double const for_loads = fmin(loads, scoreboard);
    struct waits waits = {0};

    charge(side, CAUSE_GPU_ISSUE, metric(of, "gpu.stall.issuing"));
    wait_for(&waits, cause_of_gpu_loads(of), for_loads);
    charge(side, CAUSE_GPU_RESULTS, scoreboard - for_loads);
    wait_for(&waits, CAUSE_GPU_LDST, metric(of, "gpu.stall.ldst"));
    charge_waits(of, side, &waits);
    charge(side, CAUSE_GPU_UNITS, metric(of, "gpu.stall.unit"));
    charge(side, CAUSE_GPU_BARRIERS, metric(of, "gpu.stall.barrier"));
    charge(side, CAUSE_GPU_IDLE, metric(of, "gpu.stall.idle"));
}

/* ---- words */
static void describe_latency(const struct case_of *of, char text[VERDICT_TEXT])
{
    enum verdict_cause cause = CAUSE_ROB;
    double part;
    const char *const queue = fullest_queue(of, &cause, &part);
    int const length = snprintf(text, VERDICT_TEXT, " (a miss takes %.0f ns, %.1f lines in flight per core",
                                metric(of, "l1d.miss_latency_ns"), of->lines);

    if (queue)
        snprintf(text + length, VERDICT_TEXT - (size_t)length, ", %s %.0f %% full)", queue, 100 * part);
    else
        snprintf(text + length, VERDICT_TEXT - (size_t)length, ")");
}

/* The figures beside the share, in brackets. */
static void verdict_describe(const struct case_of *of, enum verdict_cause cause, char text[VERDICT_TEXT])
{
    text[0] = '\0';
    if (cause == CAUSE_MEMORY_BUS)
        snprintf(text, VERDICT_TEXT, " (its busiest layer is occupied for %.0f %% of the time, DRAM at %.0f %% of "
                                     "peak)",
                 100 * metric(of, "membus.utilisation"), 100 * of->utilisation);
    else if (cause == CAUSE_CACHE_MSHRS || cause == CAUSE_CACHE_TARGETS || cause == CAUSE_CACHE_WRITE_BUFFERS)
        snprintf(text, VERDICT_TEXT, " (the %s refuses requests for %.0f %% of the time, DRAM at %.0f %% of peak)",
                 refusing_level(of), 100 * refusing(of, refusing_level(of)), 100 * of->utilisation);
    else if (cause == CAUSE_TRANSLATION)
        snprintf(text, VERDICT_TEXT, " (an access waits for its translation in %.0f %% of the time)",
                 100 * metric(of, "tlb.waiting") / of->cores);
    else if (cause == CAUSE_DRAM_LATENCY || cause == CAUSE_CACHE_LATENCY)
        describe_latency(of, text);
    else if (cause == CAUSE_ROB || cause == CAUSE_LOAD_QUEUE || cause == CAUSE_STORE_BUFFER
             || cause == CAUSE_INSTRUCTION_QUEUE || cause == CAUSE_L1D_MSHRS || cause == CAUSE_L1D_TARGETS
             || cause == CAUSE_L1D_WRITE_BUFFERS)
        snprintf(text, VERDICT_TEXT, " (%.1f lines in flight per core, DRAM at %.0f %% of peak)", of->lines,
                 100 * of->utilisation);
    else if (cause == CAUSE_MISPREDICTIONS)
        snprintf(text, VERDICT_TEXT, " (%.1f per 1000 instructions)", metric(of, "branch.mpki"));
    else if (cause == CAUSE_MEMORY_ORDER)
        snprintf(text, VERDICT_TEXT, " (%.1f loads per 1000 instructions were squashed: they ran before a store to "
                                     "their address)",
                 1000 * statistic(of, "cpu", "iew.memOrderViolationEvents") / metric(of, "instructions"));
    else if (cause == CAUSE_L1I)
        snprintf(text, VERDICT_TEXT, " (%.1f misses per 1000 instructions)", metric(of, "l1i.mpki"));
    else if (cause == CAUSE_GPU_OCCUPANCY || cause == CAUSE_GPU_GRID)
        snprintf(text, VERDICT_TEXT, " (an SM can hold %.0f %% of its warps)", 100 * metric(of, "gpu.occupancy"));
    else if (cause == CAUSE_GPU_SCOREBOARD)
        snprintf(text, VERDICT_TEXT, " (%.0f ns a load, DRAM at %.0f %% of peak)", metric(of, "gpu.latency_ns"),
                 100 * of->utilisation);
}

static bool is_idle_wait(enum verdict_cause cause)
{
    for (size_t i = 0; i < IDLE_WAITS; i++)
        if (idle_waits[i].cause == cause)
            return true;
    return false;
}

/* Describes memory at its limit; the share that waits for it follows. */
static void describe_memory(const struct case_of *of, enum verdict_cause cause, char text[VERDICT_TEXT])
{
    struct hot_channel const *const channel = &of->channel;
    char name[32];
    int length = 0;

    if (cause == CAUSE_DRAM_CHANNEL) {
        text_member_name(name, sizeof name, "mem_ctrls", (unsigned)channel->number,
                         (unsigned)figures_instances(of->figures, "mem"));
        length = snprintf(text, VERDICT_TEXT, "%s has %.0f %% of the traffic, ", name, 100 * channel->traffic);
    }
    if (is_idle_wait(cause) || (cause == CAUSE_DRAM_CHANNEL && channel->banks > channel->saturated))
        snprintf(text + length, VERDICT_TEXT - (size_t)length, "%.1f reads wait, %.0f %% row hits, %.0f %% of peak, ",
                 channel->waiting, 100 * channel->row_hit_rate, 100 * channel->utilisation);
    else if (isnan(channel->saturated_at) || channel->saturated == 0)
        snprintf(text + length, VERDICT_TEXT - (size_t)length, "%.0f %% of peak, ", 100 * channel->utilisation);
    else
        snprintf(text + length, VERDICT_TEXT - (size_t)length, "%.0f %% of peak in %.0f %% of the time, ",
                 100 * channel->saturated_at, 100 * channel->saturated);
}

static bool is_of_dram(enum verdict_cause cause)
{
    return cause == CAUSE_DRAM_BANDWIDTH || cause == CAUSE_DRAM_CHANNEL || is_idle_wait(cause);
}

static void verdict_finish(const struct case_of *of, struct verdict_side *side, const char *whole)
{
    char before[VERDICT_TEXT] = "", behind[VERDICT_TEXT] = "", next[VERDICT_TEXT] = "";
    enum verdict_cause first;

    qsort(side->bounds, side->count, sizeof *side->bounds, by_share);
    while (side->count > 1 && side->bounds[side->count - 1].share < LEAST_SHARE)
        side->count--;
    if (side->count == 0)
        return;
    first = side->bounds[0].cause;
    if (is_of_dram(first))
        describe_memory(of, first, before);
    else
        verdict_describe(of, first, behind);
    if (side->count > 1)
        snprintf(next, sizeof next, "; next: %s, %.0f %%", titles[side->bounds[1].cause], 100 * side->bounds[1].share);
    snprintf(side->text, sizeof side->text, "%s: %.100s%s%.0f %% of %s%.100s%.80s", titles[first], before,
             is_of_dram(first) ? "waited for in " : "", 100 * side->bounds[0].share, whole, behind, next);
}

/* ---- doubts */
static char *add_doubt(struct verdict *verdict)
{
    return verdict->doubts[verdict->doubt_count < VERDICT_DOUBTS - 1 ? verdict->doubt_count++ : verdict->doubt_count];
}

static void doubt_cold(const struct case_of *of, struct verdict *verdict)
{
    const char *const level = last_level(of->figures);
    double const fills = statistic(of, level, "overallMshrMisses::total");
    double const replaced = statistic(of, level, "replacements");
    bool const was_warmed = statistic(of, "", "finalTick") > statistic(of, "", "simTicks");

    if (fills == 0 || was_warmed)
        return;
    if (replaced == 0)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "all misses of the %s are cold: the trace touches less memory than "
                                                   "the cache holds", level);
    else if (1 - replaced / fills >= COLD_SHARE)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "%.0f %% of the lines filled into the %s went into empty ways: use "
                 "--warmup to leave out such a cold start", 100 * (1 - replaced / fills), level);
}

static void doubt(const struct case_of *of, const struct verdict_hints *hints, struct verdict *verdict)
{
    double const instructions = metric(of, "instructions"), warp_insts = metric(of, "gpu.warp_insts");

    if (statistic(of, "", "interruptedAtTick") > 0)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "the run was stopped before its end");
    if (figures_instances(of->figures, "cpu") > 0)
        doubt_cold(of, verdict);
    if (instructions > 0 && instructions < SHORT_INSTRUCTIONS * of->cores)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "short: only %.0f instructions per core, so start and end weigh "
                                                   "heavily", instructions / of->cores);
    if (verdict->gpu.count > 0 && warp_insts > 0 && warp_insts < SHORT_WARP_INSTRUCTIONS)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "the GPU part is short: only %.0f warp instructions, so kernel "
                                                   "launches and ends weigh heavily", warp_insts);
    if (hints && hints->has_no_dependences)
        snprintf(add_doubt(verdict), VERDICT_TEXT, "the trace has no dependences, so latencies overlap more than they "
                 "really would");
}

struct verdict verdict_of(const struct figures *figures, const struct verdict_hints *hints)
{
    struct case_of const of = case_of(figures);
    struct verdict verdict = {0};

    /* beside a GPU cores may have nothing to do */
    if (metric(&of, "instructions") == 0) {
        verdict.cores.count = 0;
    } else if (isfinite(metrics_value(figures, "slots.retiring"))) {
        judge_detailed(&of, &verdict.cores);
        verdict_finish(&of, &verdict.cores, "commit slots");
    } else {
        judge_elastic(&of, &verdict.cores);
        verdict_finish(&of, &verdict.cores, "cycles");
    }
    judge_gpu(&of, &verdict.gpu);
    verdict_finish(&of, &verdict.gpu, "scheduler cycles");
    doubt(&of, hints, &verdict);
    return verdict;
}
