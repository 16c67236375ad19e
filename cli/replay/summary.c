/* The figures are those since the last reset of statistics (--warmup). Two pseudo channels behind one
 * controller are added up. */
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/detailed_summary.h"
#include "cli/replay/gpu_summary.h"
#include "cli/shown.h"
#include "replay/config/units.h"

struct cache_sums {
    uint64_t hits, misses;
};

/* Reads, writes and prefetches of cores and caches; evictions are no questions. */
static struct cache_sums sum_cache(const struct cache *cache)
{
    struct cache_sums sums = {0};

    for (unsigned command = 0; command < CMD_COUNT; command++) {
        if (command_attributes(command) & ATTR_EVICTION)
            continue;
        for (unsigned requestor = 0; requestor < cache->requestor_count; requestor++) {
            const struct cache_command_stats *const stats = cache_command_stats(cache, command, requestor);

            sums.hits += stats->hits;
            sums.misses += stats->misses;
        }
    }
    return sums;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_system(FILE *to, const struct system_config *config)
{
    char *tree;

    fprintf(to, "system        %s\n", cli_shown(config->name));
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
    uint64_t const measured_ps = system_now_ps(system) - system->stats.reset_ps;

    fprintf(to, "time          %.6f ms  (%" PRIu64 " ps)\n", 1e-9 * (double)measured_ps, measured_ps);
    if (host_s > 0 && system->gpu && system->records_completed == 0)
        print_warp_speed(to, system->gpu, host_s, system_events_executed(system));
    else if (host_s > 0)
        fprintf(to, "replayed in   %.3f s, %.2f million %s/s, %" PRIu64 " events\n", host_s,
                1e-6 * (double)system->records_completed / host_s,
                config_is_detailed(&system->config) ? "instructions" : "records", system_events_executed(system));
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

static void print_cpi_stack(FILE *to, const struct cpi_stack *stack)
{
    double const total = (double)cpi_stack_total(stack);

    fprintf(to, "where its cycles went\n");
    for (int part = 0; part < CPI_PART_COUNT; part++) {
        double const share = percent((double)stack->cycles[part], total);
        char bar[SUMMARY_BAR_WIDTH + 1];
        int const length = (int)(share / 100 * SUMMARY_BAR_WIDTH + 0.5);

        memset(bar, '#', (size_t)length);
        bar[length] = '\0';
        fprintf(to, "  %-14s %12" PRIu64 "  %5.1f %%%s%s\n", cpi_part_names[part], stack->cycles[part],
                share, length ? "  " : "", bar);
    }
}

static void print_core(FILE *to, const struct system *system, const struct system_core *core)
{
    const struct elastic_cpu *const cpu = &core->cpu;
    char clock[UNITS_TEXT], end[64] = "";

    if (core->done_ps != TICK_NEVER && system->core_count > 1)
        snprintf(end, sizeof end, ", done at %.6f ms", 1e-9 * (double)core->done_ps);
    units_format(UNIT_PERIOD, cpu->clock.period_ps, 0, clock, sizeof clock);
    fprintf(to, "\n%-13s %" PRIu64 " cycles of %s, %" PRIu64 " records, %" PRIu64 " micro-ops, CPI %.3f%s\n",
            core->name, cpi_stack_total(&cpu->stats.cpi_stack), clock, cpu->stats.records, cpu->stats.num_ops,
            cpu->stats.num_ops ? (double)cpu->stats.num_cycles / (double)cpu->stats.num_ops : 0, end);
    print_latency(to, &cpu->stats.load_latency);
    print_buffers(to, cpu);
    print_cpi_stack(to, &cpu->stats.cpi_stack);
}

static void print_caches(FILE *to, const struct system *system)
{
    uint64_t const now_ps = system_now_ps(system);

    fprintf(to, "\n%-8s %9s %12s %10s %9s  %-20s %-20s %8s\n", "cache", "size", "accesses", "misses", "hit rate",
            "MSHRs mean/max/size", "writes mean/max/size", "blocked");
    for (unsigned i = 0; i < system->cache_count; i++) {
        const struct cache *const cache = &system->caches[i].cache;
        struct cache_sums const sums = sum_cache(cache);
        uint64_t const accesses = sums.hits + sums.misses;
        uint64_t blocked_cyc = 0;
        char size[UNITS_TEXT], mshrs[64], writes[64];

        for (int cause = 0; cause < BLOCKED_CAUSE_COUNT; cause++)
            blocked_cyc += cache->stats.blocked_cycles[cause];
        units_format(UNIT_BYTES, system->caches[i].config->params.size_bytes, 0, size, sizeof size);
        snprintf(mshrs, sizeof mshrs, "%.2f / %" PRIu64 " / %u", occupancy_average(&cache->stats.mshrs, now_ps),
                 cache->stats.mshrs.highest, cache->mshr_limit);
        snprintf(writes, sizeof writes, "%.2f / %" PRIu64 " / %u",
                 occupancy_average(&cache->stats.write_buffers, now_ps), cache->stats.write_buffers.highest,
                 cache->write_buffer_limit);
        fprintf(to, "%-8s %9s %12" PRIu64 " %10" PRIu64 " %7.2f %%  %-20s %-20s %6.1f %%\n", cache->name, size,
                accesses, sums.misses, percent((double)sums.hits, (double)accesses), mshrs, writes,
                percent((double)blocked_cyc * (double)cache->clock.period_ps,
                        (double)(now_ps - system->stats.reset_ps)));
    }
}

static void print_tlb(FILE *to, const char *name, uint64_t entries, uint64_t accesses, uint64_t misses)
{
    fprintf(to, "%-12s %8" PRIu64 " %12" PRIu64 " %10" PRIu64 " %7.2f %%", name, entries, accesses, misses,
            percent((double)(accesses - misses), (double)accesses));
}

static void print_side_of_mmu(FILE *to, const struct mmu *mmu, enum mmu_side_number number, const char *name,
                              const struct tlb_l1_params *params)
{
    const struct mmu_side_stats *const side = &mmu->sides[number].stats;
    double const period_ps = (double)mmu->clock.period_ps;

    print_tlb(to, name, params->entries + params->huge_entries, side->accesses, side->misses);
    fprintf(to, "  %14.0f %14.0f\n", (double)side->waited_ps / period_ps, (double)side->stalled_ps / period_ps);
}

static void print_walks(FILE *to, const struct mmu *mmu)
{
    const struct mmu_stats *const stats = &mmu->stats;
    double const walks = (double)stats->walks, ended = (double)stats->walk_latency.sums.samples;

    fprintf(to, "  walks      %" PRIu64 " (%.1f %% of 2 MiB), %.2f reads each, %.1f ns each, %.1f ns queued each\n",
            stats->walks, percent((double)stats->huge_walks, walks),
            walks > 0 ? (double)stats->walk_reads / walks : 0,
            ended > 0 ? 1e-3 * (double)stats->walk_latency.sums.sum / ended : 0,
            walks > 0 ? 1e-3 * (double)stats->queued_ps / walks : 0);
}

/* Cycles waited: of all requests together; stalled: in which one waited at least. */
static void print_mmus(FILE *to, const struct system *system)
{
    const struct tlb_params *const params = &system->config.tlb;

    if (!system->config.has_tlb)
        return;
    fprintf(to, "\n%-12s %8s %12s %10s %9s  %14s %14s\n", "TLB", "entries", "accesses", "misses", "hit rate",
            "cycles waited", "cycles stalled");
    for (unsigned i = 0; i < system->core_count; i++) {
        const struct mmu *const mmu = system->cores[i].mmu;
        const char *const core = system->cores[i].name;
        char name[32];

        if (system->cores[i].is_idle)
            continue;
        snprintf(name, sizeof name, "%s.dtb", core);
        print_side_of_mmu(to, mmu, MMU_DATA, name, &params->l1d);
        snprintf(name, sizeof name, "%s.itb", core);
        print_side_of_mmu(to, mmu, MMU_INST, name, &params->l1i);
        snprintf(name, sizeof name, "%s.l2tlb", core);
        if (mmu->has_l2) {
            print_tlb(to, name, params->l2.entries, mmu->stats.l2_accesses, mmu->stats.l2_misses);
            fprintf(to, "\n");
        }
        print_walks(to, mmu);
    }
}

struct memory_sums {
    uint64_t read_bytes, written_bytes, bursts, row_hits;
    double peak_bytes_per_s, read_queue, write_queue;
};

static struct memory_sums sum_memory(const struct system *system, const struct system_memory *memory)
{
    uint64_t const now_ps = system_now_ps(system);
    struct memory_sums sums = {0};

    if (memory->type == MEMORY_SIMPLE) {
        sums.peak_bytes_per_s = 1e12 / (double)memory->simple.ps_per_byte;
        for (unsigned r = 0; r < system->sim.requestor_count; r++) {
            sums.read_bytes += memory->simple.traffic[r].bytes_read;
            sums.written_bytes += memory->simple.traffic[r].bytes_written;
        }
        return sums;
    }
    for (unsigned c = 0; c < memory->controller.channel_count; c++) {
        const struct dram_channel *const channel = &memory->controller.channels[c];

        sums.peak_bytes_per_s += dram_channel_peak_bytes_per_s(channel);
        sums.read_bytes += channel->stats.read_bursts * channel->geometry.burst_bytes;
        sums.written_bytes += channel->stats.write_bursts * channel->geometry.burst_bytes;
        sums.bursts += channel->stats.read_bursts + channel->stats.write_bursts;
        sums.row_hits += channel->stats.read_row_hits + channel->stats.write_row_hits;
        sums.read_queue += occupancy_average(&channel->stats.read_queue, now_ps);
        sums.write_queue += occupancy_average(&channel->stats.write_queue, now_ps);
    }
    return sums;
}

static void print_memories(FILE *to, const struct system *system)
{
    double const seconds = 1e-12 * (double)(system_now_ps(system) - system->stats.reset_ps);

    fprintf(to, "\n%-11s %12s %12s %16s %9s  %-12s %-12s\n", "memory", "read GB/s", "write GB/s", "of peak GB/s",
            "row hits", "reads queued", "writes");
    for (unsigned i = 0; i < system->memory_count; i++) {
        struct system_memory const *const memory = &system->memories[i];
        struct memory_sums const sums = sum_memory(system, memory);
        double const read_rate = seconds > 0 ? (double)sums.read_bytes / seconds : 0;
        double const write_rate = seconds > 0 ? (double)sums.written_bytes / seconds : 0;

        fprintf(to, "%-11s %12.3f %12.3f %7.1f (%4.1f %%)", memory->name, 1e-9 * read_rate, 1e-9 * write_rate,
                1e-9 * sums.peak_bytes_per_s, percent(read_rate + write_rate, sums.peak_bytes_per_s));
        if (memory->type != MEMORY_SIMPLE)
            fprintf(to, " %7.1f %%  %-12.2f %-12.2f", percent((double)sums.row_hits, (double)sums.bursts),
                    sums.read_queue, sums.write_queue);
        fprintf(to, "\n");
    }
}

void summary_print_sharing(FILE *to, unsigned cores, bool has_gpu, const uint64_t *shared_ps, const uint64_t *alone_ps)
{
    unsigned const count = cores + has_gpu;
    double speed_up = 0, lowest = INFINITY, highest = 0;
    bool is_whole = true;

    fprintf(to, "\n%-8s %14s %14s %10s\n", "core", "shared ms", "alone ms", "slowdown");
    for (unsigned i = 0; i < count; i++) {
        double const slowdown = (double)shared_ps[i] / (double)alone_ps[i];
        char name[16] = "gpu";

        if (i < cores)
            snprintf(name, sizeof name, "cpu%u", i);
        if (shared_ps[i] == TICK_NEVER) {
            fprintf(to, "%-8s %14s %14.6f %10s\n", name, "not done", 1e-9 * (double)alone_ps[i], "-");
            is_whole = false;
            continue;
        }
        fprintf(to, "%-8s %14.6f %14.6f %9.3fx\n", name, 1e-9 * (double)shared_ps[i], 1e-9 * (double)alone_ps[i],
                slowdown);
        speed_up += 1 / slowdown;
        lowest = fmin(lowest, slowdown);
        highest = fmax(highest, slowdown);
    }
    if (is_whole)
        fprintf(to, "weighted speed-up %.3f of %u, fairness %.3f (min / max slowdown)\n", speed_up, count,
                lowest / highest);
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

static void print_side(FILE *to, const char *name, uint64_t until_ps, uint64_t bytes)
{
    fprintf(to, "%-6s %14.6f %14" PRIu64 " %10.3f\n", name, 1e-9 * (double)until_ps, bytes,
            until_ps ? 1e3 * (double)bytes / (double)until_ps : 0);
}

static void print_sides(FILE *to, const struct system *system)
{
    struct system_sides const sides = system_bus_traffic(system);

    fprintf(to, "\n%-6s %14s %14s %10s\n", "side", "until ms", "bus bytes", "GB/s");
    if (system->core_count > 0)
        print_side(to, "cores", cores_done_ps(system), sides.cpu_bytes);
    print_side(to, "gpu", system->gpu_running ? system_now_ps(system) : system->gpu->done_ps, sides.gpu_bytes);
}

/* What bounds the run, and what makes that doubtful. */
static void print_verdict(FILE *to, const struct verdict *verdict)
{
    const char *head = "bound by";

    if (verdict->cores.count > 0) {
        fprintf(to, "%-13s %s\n", head, verdict->cores.text);
        head = "GPU bound by";
    }
    if (verdict->gpu.count > 0)
        fprintf(to, "%-13s %s\n", head, verdict->gpu.text);
    for (size_t i = 0; i < verdict->doubt_count; i++)
        fprintf(to, "%-13s %s\n", i == 0 ? "doubtful" : "", verdict->doubts[i]);
}

void summary_print(FILE *to, const struct system *system, double host_s, const struct verdict *verdict)
{
    print_system(to, &system->config);
    print_time(to, system, host_s);
    print_verdict(to, verdict);
    for (unsigned i = 0; i < system->core_count; i++)
        if (!system->cores[i].is_idle)
            (system->cores[i].detailed ? detailed_summary_print : print_core)(to, system, &system->cores[i]);
    print_caches(to, system);
    print_mmus(to, system);
    print_memories(to, system);
    if (system->gpu) {
        print_sides(to, system);
        gpu_summary_print(to, &system->config.gpu, system->gpu);
    }
}

void summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t time_ps,
                       double host_s, bool is_cut_short, const struct verdict *verdict)
{
    print_system(to, config);
    fprintf(to, "time          %.6f ms  (%" PRIu64 " ps)%s\n", 1e-9 * (double)time_ps, time_ps,
            is_cut_short ? ", stopped by --until" : "");
    if (host_s > 0)
        print_warp_speed(to, run, host_s, event_queue_executed(&run->sim->events));
    print_verdict(to, verdict);
    if (run->copies)
        fprintf(to, "copies        %" PRIu64 " to the device, %" PRIu64 " bytes\n", run->copies, run->copied_bytes);
    gpu_summary_print(to, &config->gpu, run);
}
