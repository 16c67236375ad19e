/* Names of a detailed core's statistics (o3-core 9, branch-prediction 10). */
#include "replay/system/system_stats.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/sim/latency_histogram.h"
#include "replay/config/config_values.h"
#include "replay/config/detailed_params.h"

#define SLOT_NAME(suffix, name, help) name,
#define OP_NAME(suffix, key, unit, cycles, is_pipelined) #key,
#define CLASS_NAME(suffix, name) name,
const char *const detailed_slot_names[] = {DETAILED_SLOTS(SLOT_NAME) NULL};
const char *const detailed_op_names[] = {DETAILED_OPS(OP_NAME) NULL};
static const char *const class_names[] = {BRANCH_CLASSES(CLASS_NAME) NULL};
static const char *const provider_names[] = {BRANCH_PROVIDERS(CLASS_NAME) NULL};

/* ---- plain counters */
struct counter_name {
    const char *name, *unit, *help;
    size_t offset;
};

#define COUNTER_NAME(field, counter, unit, help) {counter, unit, help, offsetof(struct detailed_stats, field)},
static const struct counter_name counters[] = {DETAILED_STATISTICS(COUNTER_NAME)};
#define BRANCH_NAME(field, counter, help) {"branchPred." counter, "Count", help, offsetof(struct branch_stats, field)},
static const struct counter_name branch_counters[] = {BRANCH_STATISTICS(BRANCH_NAME)};

/* Those without a name in the reference say so in their help. */
static bool is_ours(const struct counter_name *counter)
{
    return strstr(counter->help, "not gem5's name") != NULL;
}

static void add_counters(struct stats *stats, const struct counter_name *names, size_t count, const void *source)
{
    for (size_t i = 0; i < count; i++) {
        struct stat_entry const entry = {
            .name = names[i].name, .unit = names[i].unit, .help = names[i].help,
            .source = (const char *)source + names[i].offset, .flags = is_ours(&names[i]) ? STAT_OURS : 0
        };

        stats_add(stats, &entry);
    }
}

/* ---- ratios and sums */
enum figure { FIGURE_CPI, FIGURE_IPC, FIGURE_RATE };

static double detailed_stats_ratio(const void *context, uint64_t argument, uint32_t column,
                                   const struct stats_time *time)
{
    const struct detailed_stats *const counted = context;

    (void)column;
    (void)time;
    switch ((enum figure)argument) {
    case FIGURE_CPI: return (double)counted->cycles / (double)counted->instructions;
    case FIGURE_IPC: return (double)counted->instructions / (double)counted->cycles;
    case FIGURE_RATE: break;
    }
    return (double)counted->issued_insts / (double)counted->cycles;
}

static const char *const buffer_names[] = {"rob", "load_queue", "store_queue", "instruction_queue"};

static double average_in_use(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct detailed_stats *const counted = context;
    uint64_t const sums[] = {counted->rob_cyc, counted->load_cyc, counted->store_cyc, counted->queue_cyc};

    (void)argument;
    (void)time;
    return (double)sums[column] / (double)counted->cycles;
}

/* The same as a share of all entries. */
static double share_in_use(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct detailed_cpu *const cpu = context;
    const struct detailed_params *const params = detailed_cpu_params(cpu);
    uint64_t const entries[] = {params->rob_entries, params->lq_entries, params->sq_entries, params->iq_entries};

    return average_in_use(detailed_cpu_stats(cpu), argument, column, time) / (double)entries[column];
}

static void add_figures(const struct detailed_cpu *cpu, const struct detailed_stats *counted, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "cpi", .unit = "(Cycle/Count)", .help = "cycles per instruction", .source = counted,
         .formula = detailed_stats_ratio, .argument = FIGURE_CPI, .precision = 6},
        {.name = "ipc", .unit = "(Count/Cycle)", .help = "instructions per cycle", .source = counted,
         .formula = detailed_stats_ratio, .argument = FIGURE_IPC, .precision = 6},
        {.name = "issueRate", .unit = "(Count/Cycle)", .help = "micro-ops issued per cycle", .source = counted,
         .formula = detailed_stats_ratio, .argument = FIGURE_RATE, .precision = 6},
        {.name = "avgInUse", .help = "average of entries taken", .source = counted, .formula = average_in_use,
         .columns = 4, .column_names = buffer_names, .flags = STAT_OURS},
        {.name = "inUse", .unit = "Ratio", .help = "average share of entries taken", .source = cpu,
         .formula = share_in_use, .columns = 4, .column_names = buffer_names, .flags = STAT_OURS},
        {.name = "topDown", .unit = "Count", .help = "slots of the commit width by where they went",
         .source = counted->slots, .columns = DETAILED_SLOT_COUNT, .column_names = detailed_slot_names,
         .flags = STAT_OURS | STAT_WITH_TOTAL}
    };

    STATS_ADD_TABLE(stats, rows);
}

static void add_vectors(const struct detailed_stats *counted, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "statFuBusy", .help = "micro-ops that found no free unit", .source = counted->busy_class,
         .columns = DETAILED_OP_COUNT, .column_names = detailed_op_names},
        {.name = "statIssuedInstType_0", .help = "micro-ops issued by op class", .source = counted->issued_class,
         .columns = DETAILED_OP_COUNT, .column_names = detailed_op_names, .flags = STAT_WITH_TOTAL},
        {.name = "commitStats0.committedInstType", .help = "micro-ops committed by op class",
         .source = counted->committed_class, .columns = DETAILED_OP_COUNT, .column_names = detailed_op_names,
         .flags = STAT_WITH_TOTAL}
    };

    STATS_ADD_TABLE(stats, rows);
}

static double btb_hit_ratio(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct branch_stats *const counted = context;

    (void)argument;
    (void)column;
    (void)time;
    return (double)counted->btb_hits / (double)counted->btb_lookups;
}

/* Counters by class of branch, or by provider of the target; those of predictors that read the trace are shown if
 * present. */
static void add_branches(const struct branch_stats *counted, struct stats *stats)
{
#define CLASS_ROW(field, counter, text)                                                                               \
    {.name = "branchPred." counter, .help = text, .source = counted->field, .columns = BRANCH_CLASS_COUNT,            \
     .column_names = class_names, .flags = STAT_WITH_TOTAL},
#define PROVIDER_ROW(field, counter, text)                                                                            \
    {.name = "branchPred." counter, .help = text, .source = counted->field, .columns = BRANCH_BY_KNOWN,               \
     .column_names = provider_names},                                                                                 \
    {.name = "branchPred." counter "::Known", .help = text, .source = &counted->field[BRANCH_BY_KNOWN],               \
     .flags = STAT_NO_ZERO},
    struct stat_entry const rows[] = {
        BRANCH_CLASS_STATISTICS(CLASS_ROW)
        BRANCH_PROVIDER_STATISTICS(PROVIDER_ROW)
        {.name = "branchPred.BTBHitRatio", .unit = "Ratio", .help = "of look-ups in the BTB", .source = counted,
         .formula = btb_hit_ratio, .precision = 6}
    };

    add_counters(stats, branch_counters, sizeof branch_counters / sizeof *branch_counters, counted);
    STATS_ADD_TABLE(stats, rows);
}

static void detailed_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    detailed_cpu_reset_statistics(owner);
}

void detailed_stats_add(struct detailed_cpu *cpu, const char *name, struct stats *stats)
{
    const struct detailed_stats *const counted = detailed_cpu_stats(cpu);

    stats_group(stats, "system.%s", name);
    add_counters(stats, counters, sizeof counters / sizeof *counters, counted);
    add_figures(cpu, counted, stats);
    add_vectors(counted, stats);
    add_branches(detailed_cpu_branch_stats(cpu), stats);
    detailed_cpu_add_modules(cpu, name, stats);
    stats_on_reset(stats, detailed_stats_reset, cpu);
}

/* ---- of all cores */
static double sum_of_cores(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct system *const system = context;
    uint64_t sum = 0;

    (void)column;
    (void)time;
    for (unsigned i = 0; i < system->core_count; i++) {
        const struct detailed_stats *const counted = detailed_cpu_stats(system->cores[i].detailed);

        sum += argument ? counted->uops : counted->instructions;
    }
    return (double)sum;
}

void detailed_stats_add_totals(const struct system *system, struct stats *stats)
{
    struct stat_entry const rows[] = {
        {.name = "simInsts", .help = "instructions committed", .source = system, .formula = sum_of_cores},
        {.name = "simOps", .help = "micro-ops committed", .source = system, .formula = sum_of_cores, .argument = 1}
    };

    STATS_ADD_TABLE(stats, rows);
}

static struct fault make_lists(struct system *system)
{
    struct latency_totals *const totals = &system->totals;

    totals->load_list = calloc(system->core_count + 1, sizeof *totals->load_list);
    totals->read_list = calloc(2 * system->memory_count + 1, sizeof *totals->read_list);
    if (!totals->load_list || !totals->read_list)
        return fault_make(FAULT_MEMORY, "out of memory for the statistics of all cores");
    totals->loads.list = totals->load_list;
    totals->reads.list = totals->read_list;
    for (unsigned i = 0; i < system->core_count && !config_is_detailed(system->config); i++)
        totals->load_list[totals->loads.count++] = &system->cores[i].cpu.stats.load_latency;
    for (unsigned i = 0; i < system->memory_count; i++) {
        struct system_memory const *const memory = &system->memories[i];
        unsigned const channels = memory->is_simple || memory->is_command ? 0 : memory->controller.channel_count;

        for (unsigned k = 0; k < channels; k++)
            totals->read_list[totals->reads.count++] = memory->controller.latency_list[k];
        if (memory->is_command)
            totals->read_list[totals->reads.count++] = &memory->command.stats.read_latencies;
    }
    return fault_none();
}

struct fault total_stats_add(struct system *system, struct stats *stats)
{
    struct latency_totals const *const totals = &system->totals;

    FORWARD(make_lists(system));
    if (totals->loads.count > 1) {
        stats_group(stats, "system.cores");
        latency_stats_add_all(stats, "loadLatency", &totals->loads, "of loads of all cores, from the cache taking one "
                              "to its response");
    }
    if (system->memory_count > 1 && totals->reads.count > 0) {
        stats_group(stats, "system.memories");
        latency_stats_add_all(stats, "readLatency", &totals->reads, "of read bursts of all controllers, from arrival "
                              "to data");
    }
    return fault_none();
}

bool total_stats_keep(struct system *system, unsigned core)
{
    struct latency_totals *const totals = &system->totals;

    if (core >= totals->loads.count)
        return true;
    totals->kept[core] = malloc(sizeof *totals->kept[core]);
    if (!totals->kept[core])
        return false;
    *totals->kept[core] = *totals->load_list[core];
    totals->load_list[core] = totals->kept[core];
    return true;
}

void total_stats_free(struct system *system)
{
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        free(system->totals.kept[i]);
    free(system->totals.load_list);
    free(system->totals.read_list);
    system->totals = (struct latency_totals){0};
}
