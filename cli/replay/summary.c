/* The figures are those since the last reset of statistics (--warmup). */
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/text.h"
#include "cli/common/progress.h"
#include "cli/common/shown.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/units.h"

static void print_system(FILE *to, const struct system_config *config)
{
    char *tree;

    fprintf(to, "system        %s\n", cli_shown(config_name(config)));
    if (config_tree_text(config, &tree).kind == FAULT_NONE) {
        fputs(tree, to);
        free(tree);
    }
}

static void print_warp_speed(FILE *to, const struct gpu_run *run, double host_s, uint64_t events)
{
    fprintf(to, "replayed in   %.3f s, %.0f thousand warp instructions/s, %" PRIu64 " events\n", host_s,
            1e-3 * (double)gpu_run_warp_insts(run) / host_s, events);
}

static void print_time(FILE *to, const struct system *system, double host_s)
{
    uint64_t const measured_ps = system_counted_ps(system, system_now_ps(system));

    fprintf(to, "time          %.6f ms  (%" PRIu64 " ps)\n", 1e-9 * (double)measured_ps, measured_ps);
    if (host_s > 0 && system->gpu && system->records_completed == 0)
        print_warp_speed(to, system->gpu, host_s, system_events_executed(system));
    else if (host_s > 0)
        fprintf(to, "replayed in   %.3f s, %.2f million %s/s, %" PRIu64 " events\n", host_s,
                1e-6 * (double)system->records_completed / host_s,
                config_is_detailed(system->config) ? "instructions" : "records", system_events_executed(system));
}

static void print_latency(FILE *to, const struct latency_histogram *latency)
{
    fprintf(to, "load latency  p50 %.1f ns, p95 %.1f ns, p99 %.1f ns, mean %.1f ns (%" PRIu64
            " loads, L1D accepts to response)\n",
            1e-3 * (double)latency_histogram_percentile(latency, 50),
            1e-3 * (double)latency_histogram_percentile(latency, 95),
            1e-3 * (double)latency_histogram_percentile(latency, 99), 1e-3 * latency_histogram_mean(latency),
            latency->count);
}

static void print_buffers(FILE *to, const struct elastic_cpu *cpu)
{
    double const time_ps = (double)(cpu->stats.until_ps - cpu->stats.since_ps);

    if (time_ps > 0)
        fprintf(to, "in flight     %.1f records, %.1f of %" PRIu64 " loads, %.1f of %" PRIu64 " stores on average\n",
                (double)cpu->stats.rob_ps / time_ps, (double)cpu->stats.load_buffer_ps / time_ps, cpu->limit[DEP_LOAD],
                (double)cpu->stats.store_buffer_ps / time_ps, cpu->limit[DEP_STORE]);
}

static void put_cpi_stack(const void *context, struct table_writer *writer)
{
    const struct cpi_stack *const stack = context;
    double const total = (double)cpi_stack_total(stack);

    for (int part = 0; part < CPI_PART_COUNT; part++)
        cycle_share_put(writer, cpi_part_names[part], (double)stack->cycles[part],
                        total > 0 ? (double)stack->cycles[part] / total : 0);
}

static void print_core(FILE *to, const struct system *system, const struct system_core *core)
{
    const struct elastic_cpu *const cpu = &core->cpu;
    uint64_t const cycles = cpi_stack_total(&cpu->stats.cpi_stack);
    char clock[UNITS_TEXT], end[64] = "";

    if (core->done_ps != TICK_NEVER && system->core_count > 1)
        snprintf(end, sizeof end, ", done at %.6f ms", 1e-9 * (double)system_counted_ps(system, core->done_ps));
    units_format(UNIT_PERIOD, cpu->clock.period_ps, 0, clock, sizeof clock);
    fprintf(to, "\n%-13s %" PRIu64 " cycles of %s, %" PRIu64 " records, %" PRIu64 " micro-ops, CPI %.3f%s\n",
            core->name, cycles, clock, cpu->stats.records, cpu->stats.micro_ops,
            cpu->stats.micro_ops ? (double)cycles / (double)cpu->stats.micro_ops : 0, end);
    print_latency(to, &cpu->stats.load_latency);
    print_buffers(to, cpu);
    fprintf(to, "where its cycles went\n");
    cycle_shares_print(to, 14, put_cpi_stack, &cpu->stats.cpi_stack);
}

static void name_program(const struct mix_program *one, const struct system_config *config, char *name, size_t size)
{
    if (one->program.is_gpu)
        snprintf(name, size, "gpu");
    else if (one->program.core == UINT_MAX)
        snprintf(name, size, "none");
    else
        text_member_name(name, size, "cpu", one->program.core, config_core_count(config));
}

struct mix_rows {
    const struct system_config *config;
    const struct mix *mix;
};

/* The last one: of runs whose programs are known. */
static struct table_column const mix_columns[] = {
    TEXT_COLUMN("core", -8), TEXT_COLUMN("shared ms", 14, .text_digits = 6),
    TEXT_COLUMN("alone ms", 14, .text_digits = 6), TEXT_COLUMN("slowdown", 10, .text_digits = 3, .suffix = "x"),
    TEXT_COLUMN("program", 0, .gap = "  ")
};

static void put_mix(const void *context, struct table_writer *writer)
{
    const struct mix_rows *const rows = context;

    for (size_t i = 0; i < rows->mix->count; i++) {
        const struct mix_program *const one = &rows->mix->programs[i];
        char name[24];

        name_program(one, rows->config, name, sizeof name);
        table_word(writer, name);
        if (mix_has_end(one))
            table_real(writer, 1e-9 * (double)one->program.done_ps);
        else
            table_word(writer, "not done");
        table_real(writer, 1e-9 * (double)one->alone_ps);
        table_real(writer, mix_has_end(one) ? mix_slowdown(one) : (double)NAN);
        if (one->program.path)
            table_word(writer, path_name(one->program.path));
        table_end_row(writer);
    }
}

void summary_print_mix(FILE *to, const struct system_config *config, const struct mix *mix)
{
    struct mix_rows const rows = {config, mix};
    struct table table = TABLE_OF(mix_columns, put_mix, &rows);

    table.count -= mix->count == 0 || !mix->programs[0].program.path;
    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
    if (!mix->is_whole)
        return;
    fprintf(to, "weighted speed-up %.3f of %zu, harmonic mean %.3f, fairness %.3f (min / max slowdown)\n",
            mix->weighted_speedup, mix->count, mix->harmonic_speedup, mix->fairness);
}

/* ---- first passes of programs that start again */

static void print_core_of(FILE *to, const struct system *system, unsigned core)
{
    (system->cores[core].detailed ? detailed_summary_print : print_core)(to, system, &system->cores[core]);
}

void summary_keep_pass(struct summary_kept *kept, const struct system *system, unsigned core)
{
    size_t size;
    FILE *const to = open_memstream(&kept->cores[core], &size);

    kept->lacks_memory |= !to;
    if (to) {
        print_core_of(to, system, core);
        fclose(to);
    }
    cache_summary_keep(kept, system, core);
}

void summary_kept_free(struct summary_kept *kept)
{
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        free(kept->cores[i]);
    free(kept->caches);
    *kept = (struct summary_kept){.cache_count = 0};
}

static void print_passes(FILE *to, const struct system *system)
{
    const char *before = "restarted    ", *const end = system->keeps_ends ? "" : "; figures of a core and of caches of "
                                                                                 "its own are of its first pass";

    for (unsigned i = 0; i < system->core_count; i++) {
        uint32_t const begun = system->cores[i].passes_begun;

        if (begun < 2)
            continue;
        fprintf(to, "%s %s %" PRIu32 " time%s", before, system->cores[i].name, begun - 1, begun == 2 ? "" : "s");
        before = ",";
    }
    if (*before == ',')
        fprintf(to, "%s\n", end);
    if (system->keeps_ends)
        fputs("own ends      figures of a core and of caches of its own are of the instructions up to its end\n", to);
}

/* The end of the core that was done last; the present, if none was. */
static uint64_t cores_done_ps(const struct system *system)
{
    uint64_t done_ps = 0;

    for (unsigned i = 0; i < system->core_count; i++)
        if (!system->cores[i].is_idle)
            done_ps = max_u64(done_ps, system->cores[i].done_ps);
    return done_ps == 0 || done_ps == TICK_NEVER ? system_now_ps(system) : done_ps;
}

static struct table_column const side_columns[] = {
    TEXT_COLUMN("side", -6), TEXT_COLUMN("until ms", 14, .text_digits = 6), TEXT_COLUMN("bus bytes", 14),
    TEXT_COLUMN("GB/s", 10, .text_digits = 3)
};

static void put_side(struct table_writer *writer, const char *name, uint64_t until_ps, uint64_t bytes)
{
    table_word(writer, name);
    table_real(writer, 1e-9 * (double)until_ps);
    table_count(writer, bytes);
    table_real(writer, until_ps ? 1e3 * (double)bytes / (double)until_ps : 0);
    table_end_row(writer);
}

static void put_sides(const void *context, struct table_writer *writer)
{
    const struct system *const system = context;
    struct system_sides const sides = system_bus_traffic(system);
    uint64_t const gpu_done_ps = system->gpu_running ? system_now_ps(system) : system->gpu->done_ps;

    if (system->core_count > 0)
        put_side(writer, "cores", system_counted_ps(system, cores_done_ps(system)), sides.cpu_bytes);
    put_side(writer, "gpu", system_counted_ps(system, gpu_done_ps), sides.gpu_bytes);
}

static void print_sides(FILE *to, const struct system *system)
{
    struct table const table = TABLE_OF(side_columns, put_sides, system);

    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
}

static void print_finding(FILE *to, enum colour colour, const char *head, const char *text)
{
    fprintf(to, "%-13s %s%s%s\n", head, colour_on(to, colour), text, colour_off(to));
}

void summary_print_verdict(FILE *to, const struct verdict *verdict)
{
    const char *head = "bound by";

    if (verdict->cores.count > 0) {
        print_finding(to, COLOUR_STRONG, head, verdict->cores.text);
        head = "GPU bound by";
    }
    if (verdict->gpu.count > 0)
        print_finding(to, COLOUR_STRONG, head, verdict->gpu.text);
    for (size_t i = 0; i < verdict->doubt_count; i++)
        print_finding(to, COLOUR_WARNING, i == 0 ? "doubtful" : "", verdict->doubts[i]);
}

void summary_print(FILE *to, const struct system *system, double host_s, const struct summary_judgement *judgement)
{
    const struct summary_kept *const kept = judgement->kept;
    bool const shows_all = judgement->shows_all || kept;

    print_system(to, system->config);
    print_time(to, system, host_s);
    if (judgement->warm_s > 0)
        fprintf(to, "warmed in     %.3f s, %.2f million instructions/s, without time\n", judgement->warm_s,
                1e-6 * (double)judgement->warmed / judgement->warm_s);
    summary_print_verdict(to, judgement->verdict);
    energy_summary_print(to, judgement->figures);
    if (kept)
        print_passes(to, system);
    if (system->core_count > SUMMARY_MOST_ALONE && !shows_all)
        core_groups_print(to, system, judgement->figures);
    for (unsigned i = 0; i < system->core_count && (shows_all || system->core_count <= SUMMARY_MOST_ALONE); i++)
        if (kept && kept->cores[i])
            fputs(kept->cores[i], to);
        else if (!system->cores[i].is_idle)
            print_core_of(to, system, i);
    cache_summary_print(to, system, shows_all, kept);
    if (config_has_tlb(system->config))
        tlb_summary_print(to, system, shows_all, kept);
    memory_summary_print(to, system, judgement->shows_all);
    if (system->gpu) {
        print_sides(to, system);
        gpu_summary_print(to, system->config, system->gpu);
    }
}

void summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t time_ps,
                       double host_s, bool is_cut_short, const struct summary_judgement *judgement)
{
    print_system(to, config);
    fprintf(to, "time          %.6f ms  (%" PRIu64 " ps)%s\n", 1e-9 * (double)time_ps, time_ps,
            is_cut_short ? ", stopped by --until" : "");
    if (host_s > 0)
        print_warp_speed(to, run, host_s, event_queue_executed(&run->sim->events));
    summary_print_verdict(to, judgement->verdict);
    energy_summary_print(to, judgement->figures);
    if (run->copies)
        fprintf(to, "copies        %" PRIu64 " to the device, %" PRIu64 " bytes\n", run->copies, run->copied_bytes);
    gpu_summary_print(to, config, run);
    memory_summary_print_gpu(to, config, run, time_ps, judgement->shows_all);
}
