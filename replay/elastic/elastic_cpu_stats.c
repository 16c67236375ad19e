/* Names of a core's statistics (elastic-trace 2.15), and figures of our own: occupancies, load latency, CPI stack. */
#include "replay/elastic/elastic_cpu.h"

#include "memsys/sim/latency_histogram.h"

static double cycles_per_op(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct elastic_cpu_stats *const cpu = context;

    (void)argument;
    (void)column;
    (void)time;
    return (double)cpu->num_cycles / (double)cpu->num_ops;
}

static double average_in_use(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    const struct elastic_cpu_stats *const cpu = context;
    uint64_t const integrals[] = {cpu->rob_ps, cpu->load_buffer_ps, cpu->store_buffer_ps};

    (void)argument;
    (void)time;
    return (double)integrals[column] / (double)(cpu->until_ps - cpu->since_ps);
}

static const char *const buffer_names[] = {"rob", "load_buffer", "store_buffer"};

static void add_own(const struct elastic_cpu *cpu, struct stats *stats)
{
    const struct elastic_cpu_stats *const counted = &cpu->stats;
    struct stat_entry const rows[] = {
        {.name = "avgInUse", .help = "time average of entries taken", .source = counted, .formula = average_in_use,
         .columns = 3, .column_names = buffer_names, .flags = STAT_OURS},
        {.name = "robEntries", .unit = "Count", .help = "micro-ops that the reorder buffer can span",
         .source = &cpu->rob_limit, .flags = STAT_OURS},
        {.name = "records", .help = "data records completed", .source = &counted->records, .flags = STAT_OURS},
        {.name = "microOps", .unit = "Count", .help = "micro-ops of the records completed since statistics began",
         .source = &counted->micro_ops, .flags = STAT_OURS},
        {.name = "cpiStack", .unit = "Cycle", .help = "cycles by what held the core up",
         .source = counted->cpi_stack.cycles, .columns = CPI_PART_COUNT, .column_names = cpi_part_names,
         .flags = STAT_OURS | STAT_WITH_TOTAL}
    };

    latency_stats_add(stats, "loadLatency", &counted->load_latency, "from the cache taking a load to its response");
    STATS_ADD_TABLE(stats, rows);
}

static void elastic_cpu_stats_reset(void *owner, uint64_t now_ps)
{
    (void)now_ps;
    elastic_cpu_reset_statistics(owner);
}

struct counter_name {
    const char *name, *unit, *help;
    size_t offset;                       /* in struct elastic_cpu_stats */
};

#define COUNTER_NAME(field, counter, unit, help) {counter, unit, help, offsetof(struct elastic_cpu_stats, field)},
static const struct counter_name counter_names[] = { ELASTIC_CPU_STATISTICS(COUNTER_NAME) };

void elastic_cpu_add_stats(struct elastic_cpu *cpu, struct stats *stats)
{
    stats_group(stats, "system.%s", cpu->name);
    for (size_t i = 0; i < sizeof counter_names / sizeof counter_names[0]; i++) {
        const struct counter_name *const counter = &counter_names[i];

        stats_add(stats, &(struct stat_entry){
            .name = counter->name, .unit = counter->unit, .help = counter->help,
            .source = (const char *)&cpu->stats + counter->offset
        });
        if (counter->offset == offsetof(struct elastic_cpu_stats, num_ops))
            stats_add(stats, &(struct stat_entry){
                .name = "cpi", .unit = "(Cycle/Count)", .help = "cycles per micro-op", .source = &cpu->stats,
                .formula = cycles_per_op
            });
    }
    add_own(cpu, stats);
    stats_on_reset(stats, elastic_cpu_stats_reset, cpu);
}
