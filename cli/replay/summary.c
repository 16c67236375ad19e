/* The figures are those since the last reset of statistics (--warmup). Two pseudo-channels behind one
 * controller are added up. */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "cli/colour.h"
#include "cli/replay/core_groups.h"
#include "cli/replay/detailed_summary.h"
#include "cli/replay/gpu_summary.h"
#include "cli/replay/prefetch_summary.h"
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
    uint64_t const measured_ps = system_counted_ps(system, system_now_ps(system));

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
    print_cpi_stack(to, &cpu->stats.cpi_stack);
}

/* One cache, or all of one kind whose core ran: sums, means of means, the highest. */
struct cache_line {
    struct cache_sums sums;
    double mshrs, writes, blocked_ps;
    uint64_t highest_mshrs, highest_writes;
    unsigned count;
};

static void add_cache(struct cache_line *line, const struct cache *cache, uint64_t now_ps)
{
    struct cache_sums const sums = sum_cache(cache);
    uint64_t blocked_cyc = 0;

    for (int cause = 0; cause < BLOCKED_CAUSE_COUNT; cause++)
        blocked_cyc += cache->stats.blocked_cycles[cause];
    line->sums.hits += sums.hits;
    line->sums.misses += sums.misses;
    line->mshrs += occupancy_average(&cache->stats.mshrs, now_ps);
    line->writes += occupancy_average(&cache->stats.write_buffers, now_ps);
    line->highest_mshrs = max_u64(line->highest_mshrs, cache->stats.mshrs.highest);
    line->highest_writes = max_u64(line->highest_writes, cache->stats.write_buffers.highest);
    line->blocked_ps += (double)blocked_cyc * (double)cache->clock.period_ps;
    line->count++;
}

static void print_cache(FILE *to, int width, const char *name, const struct system *system,
                        const struct system_cache *first, const struct cache_line *line)
{
    uint64_t const accesses = line->sums.hits + line->sums.misses;
    double const count = line->count ? line->count : 1;
    char size[UNITS_TEXT], mshrs[64], writes[64];

    units_format(UNIT_BYTES, first->config->params.size_bytes, 0, size, sizeof size);
    snprintf(mshrs, sizeof mshrs, "%.2f / %" PRIu64 " / %u", line->mshrs / count, line->highest_mshrs,
             first->cache.mshr_limit);
    snprintf(writes, sizeof writes, "%.2f / %" PRIu64 " / %u", line->writes / count, line->highest_writes,
             first->cache.write_buffer_limit);
    fprintf(to, "%-*s %9s %12" PRIu64 " %10" PRIu64 " %7.2f %%  %-20s %-20s %6.1f %%\n", width, name, size, accesses,
            line->sums.misses, percent((double)line->sums.hits, (double)accesses), mshrs, writes,
            percent(line->blocked_ps / count, (double)(system_now_ps(system) - system->stats.reset_ps)));
}

/* Wide enough for all names, of which those of a core among several are long. */
static int cache_columns(const struct system *system)
{
    size_t width = 8;

    for (unsigned i = 0; i < system->cache_count; i++)
        if (strlen(system->caches[i].our_name) > width)
            width = strlen(system->caches[i].our_name);
    return (int)width;
}

/* One of `alike` caches whose core, which has it alone, does nothing: means leave it out. */
static bool is_idle(const struct system *system, const struct system_cache *cache, unsigned alike)
{
    return alike == system->core_count && system->cores[cache->instance].is_idle;
}

static void print_one_cache(FILE *to, const struct system *system, unsigned i)
{
    struct system_cache const *const cache = &system->caches[i];
    struct cache_line line = {0};

    add_cache(&line, &cache->cache, system_now_ps(system));
    print_cache(to, cache_columns(system), cache->our_name, system, cache, &line);
}

static void print_caches(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept)
{
    int const width = cache_columns(system);

    fprintf(to, "\n%-*s %9s %12s %10s %9s  %-20s %-20s %8s\n", width, "cache", "size", "accesses", "misses", "hit rate",
            "MSHRs mean/max/size", "writes mean/max/size", "blocked");
    for (unsigned i = 0; i < system->cache_count;) {
        unsigned const alike = summary_caches_alike(system, i);
        unsigned const count = alike > SUMMARY_MOST_ALONE && !shows_all ? alike : 1;
        struct system_cache const *const first = &system->caches[i];
        struct cache_line line = {0};
        char name[sizeof first->our_name + 16];

        if (kept && i < kept->cache_count && kept->caches[i]) {
            fputs(kept->caches[i++], to);
            continue;
        }
        for (unsigned k = 0; k < count; k++)
            if (count == 1 || !is_idle(system, &system->caches[i + k], count))
                add_cache(&line, &system->caches[i + k].cache, system_now_ps(system));
        if (count > 1)
            snprintf(name, sizeof name, "%s x%u", first->config->name, count);
        else
            snprintf(name, sizeof name, "%s", first->our_name);
        print_cache(to, width, name, system, first, &line);
        i += count;
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

/* All TLBs of a kind together. */
static void print_mmu_sums(FILE *to, const struct system *system)
{
    static const char *const names[] = {[MMU_DATA] = "dtb", [MMU_INST] = "itb"};
    const struct tlb_params *const params = &system->config.tlb;
    uint64_t l2_accesses = 0, l2_misses = 0;

    for (int side = 0; side < MMU_SIDES; side++) {
        struct mmu_side_stats sum = {0};
        double const period_ps = (double)system->cores[0].mmu->clock.period_ps;
        const struct tlb_l1_params *const own = side == MMU_DATA ? &params->l1d : &params->l1i;
        char name[32];

        for (unsigned i = 0; i < system->core_count; i++) {
            const struct mmu_side_stats *const one = &system->cores[i].mmu->sides[side].stats;

            sum.accesses += one->accesses;
            sum.misses += one->misses;
            sum.waited_ps += one->waited_ps;
            sum.stalled_ps += one->stalled_ps;
        }
        snprintf(name, sizeof name, "%s x%u", names[side], system->core_count);
        print_tlb(to, name, own->entries + own->huge_entries, sum.accesses, sum.misses);
        fprintf(to, "  %14.0f %14.0f\n", (double)sum.waited_ps / period_ps, (double)sum.stalled_ps / period_ps);
    }
    for (unsigned i = 0; i < system->core_count; i++) {
        l2_accesses += system->cores[i].mmu->stats.l2_accesses;
        l2_misses += system->cores[i].mmu->stats.l2_misses;
    }
    if (system->cores[0].mmu->has_l2) {
        print_tlb(to, "l2tlbs", params->l2.entries, l2_accesses, l2_misses);
        fprintf(to, "\n");
    }
}

/* Cycles waited: of all requests together; stalled: in which one waited at least. */
static void print_mmu(FILE *to, const struct system *system, unsigned i)
{
    const struct tlb_params *const params = &system->config.tlb;
    const struct mmu *const mmu = system->cores[i].mmu;
    const char *const core = system->cores[i].name;
    char name[32];

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

static void print_mmus(FILE *to, const struct system *system, bool shows_all, const struct summary_kept *kept)
{
    if (!system->config.has_tlb)
        return;
    fprintf(to, "\n%-12s %8s %12s %10s %9s  %14s %14s\n", "TLB", "entries", "accesses", "misses", "hit rate",
            "cycles waited", "cycles stalled");
    if (system->core_count > SUMMARY_MOST_ALONE && !shows_all) {
        print_mmu_sums(to, system);
        return;
    }
    for (unsigned i = 0; i < system->core_count; i++) {
        if (kept && kept->mmus[i])
            fputs(kept->mmus[i], to);
        else if (!system->cores[i].is_idle)
            print_mmu(to, system, i);
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

static void print_memory(FILE *to, const char *name, const struct memory_sums *sums, double seconds, bool has_rows)
{
    double const read_rate = seconds > 0 ? (double)sums->read_bytes / seconds : 0;
    double const write_rate = seconds > 0 ? (double)sums->written_bytes / seconds : 0;

    fprintf(to, "%-11s %12.3f %12.3f %7.1f (%4.1f %%)", name, 1e-9 * read_rate, 1e-9 * write_rate,
            1e-9 * sums->peak_bytes_per_s, percent(read_rate + write_rate, sums->peak_bytes_per_s));
    if (has_rows)
        fprintf(to, " %7.1f %%  %-12.2f %-12.2f", percent((double)sums->row_hits, (double)sums->bursts),
                sums->read_queue, sums->write_queue);
    fprintf(to, "\n");
}

static void add_memory(struct memory_sums *to, const struct memory_sums *one)
{
    to->read_bytes += one->read_bytes;
    to->written_bytes += one->written_bytes;
    to->bursts += one->bursts;
    to->row_hits += one->row_hits;
    to->peak_bytes_per_s += one->peak_bytes_per_s;
    to->read_queue += one->read_queue;
    to->write_queue += one->write_queue;
}

static double used_of(const struct memory_sums *sums, double seconds)
{
    double const bytes = (double)(sums->read_bytes + sums->written_bytes);

    return seconds > 0 ? percent(bytes / seconds, sums->peak_bytes_per_s) : 0;
}

/* All together, and which of them have least and most to do. */
static void print_memory_sum(FILE *to, const struct system *system, double seconds)
{
    struct memory_sums all = {0}, least = {0}, most = {0};
    unsigned least_at = 0, most_at = 0;
    bool has_rows = false;
    char name[32];

    for (unsigned i = 0; i < system->memory_count; i++) {
        struct memory_sums const one = sum_memory(system, &system->memories[i]);

        add_memory(&all, &one);
        has_rows |= system->memories[i].type != MEMORY_SIMPLE;
        if (i == 0 || used_of(&one, seconds) < used_of(&least, seconds)) {
            least = one;
            least_at = i;
        }
        if (i == 0 || used_of(&one, seconds) > used_of(&most, seconds)) {
            most = one;
            most_at = i;
        }
    }
    snprintf(name, sizeof name, "all %u", system->memory_count);
    print_memory(to, name, &all, seconds, has_rows);
    fprintf(to, "  least %.1f %% of peak (%s), most %.1f %% (%s)\n", used_of(&least, seconds),
            system->memories[least_at].name, used_of(&most, seconds), system->memories[most_at].name);
}

static void print_memories(FILE *to, const struct system *system, bool shows_all)
{
    double const seconds = 1e-12 * (double)(system_now_ps(system) - system->stats.reset_ps);

    fprintf(to, "\n%-11s %12s %12s %16s %9s  %-12s %-12s\n", "memory", "read GB/s", "write GB/s", "of peak GB/s",
            "row hits", "reads queued", "writes");
    if (system->memory_count > SUMMARY_MOST_ALONE && !shows_all) {
        print_memory_sum(to, system, seconds);
        return;
    }
    for (unsigned i = 0; i < system->memory_count; i++) {
        struct system_memory const *const memory = &system->memories[i];
        struct memory_sums const sums = sum_memory(system, memory);

        print_memory(to, memory->name, &sums, seconds, memory->type != MEMORY_SIMPLE);
    }
}

static void name_program(const struct mix_program *one, const struct system_config *config, char *name, size_t size)
{
    if (one->program.is_gpu)
        snprintf(name, size, "gpu");
    else if (one->program.core == UINT_MAX)
        snprintf(name, size, "none");
    else
        text_member_name(name, size, "cpu", one->program.core, config->core_count);
}

void summary_print_mix(FILE *to, const struct system_config *config, const struct mix *mix)
{
    bool const has_paths = mix->count > 0 && mix->programs[0].program.path;

    fprintf(to, "\n%-8s %14s %14s %10s%s\n", "core", "shared ms", "alone ms", "slowdown", has_paths ? "  program" : "");
    for (size_t i = 0; i < mix->count; i++) {
        const struct mix_program *const one = &mix->programs[i];
        double const alone_ms = 1e-9 * (double)one->alone_ps;
        char name[24];

        name_program(one, config, name, sizeof name);
        if (mix_has_end(one))
            fprintf(to, "%-8s %14.6f %14.6f %9.3fx", name, 1e-9 * (double)one->program.done_ps, alone_ms,
                    mix_slowdown(one));
        else
            fprintf(to, "%-8s %14s %14.6f %10s", name, "not done", alone_ms, "-");
        if (one->program.path)
            fprintf(to, "  %s", cli_shown(path_name(one->program.path)));
        fputc('\n', to);
    }
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

/* NULL: out of memory; noted. */
static FILE *open_kept(struct summary_kept *kept, char **text, size_t *size)
{
    FILE *const to = open_memstream(text, size);

    kept->lacks_memory |= !to;
    return to;
}

static void keep_caches(struct summary_kept *kept, const struct system *system, unsigned core)
{
    size_t size;

    if (!kept->caches) {
        kept->caches = calloc(system->cache_count + 1, sizeof *kept->caches);
        kept->prefetchers = calloc(system->cache_count + 1, sizeof *kept->prefetchers);
        kept->lacks_memory |= !kept->caches || !kept->prefetchers;
        kept->cache_count = kept->lacks_memory ? 0 : system->cache_count;
    }
    for (unsigned i = 0; i < kept->cache_count; i++) {
        const struct system_cache *const cache = &system->caches[i];
        bool const is_own = cache->config->is_private && cache->instance == core;
        FILE *const line = is_own ? open_kept(kept, &kept->caches[i], &size) : NULL;
        FILE *const prefetches = is_own ? open_kept(kept, &kept->prefetchers[i], &size) : NULL;

        if (line) {
            print_one_cache(line, system, i);
            fclose(line);
        }
        if (prefetches) {
            prefetch_summary_print_one(prefetches, system, cache_columns(system), i);
            fclose(prefetches);
        }
    }
}

void summary_keep_pass(struct summary_kept *kept, const struct system *system, unsigned core)
{
    size_t size;
    FILE *to = open_kept(kept, &kept->cores[core], &size);

    if (to) {
        print_core_of(to, system, core);
        fclose(to);
    }
    to = system->config.has_tlb ? open_kept(kept, &kept->mmus[core], &size) : NULL;
    if (to) {
        print_mmu(to, system, core);
        fclose(to);
    }
    keep_caches(kept, system, core);
}

void summary_kept_free(struct summary_kept *kept)
{
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++) {
        free(kept->cores[i]);
        free(kept->mmus[i]);
    }
    for (size_t i = 0; i < kept->cache_count; i++) {
        free(kept->caches[i]);
        free(kept->prefetchers[i]);
    }
    free(kept->caches);
    free(kept->prefetchers);
    *kept = (struct summary_kept){.cache_count = 0};
}

static void print_passes(FILE *to, const struct system *system)
{
    const char *before = "restarted    ";

    for (unsigned i = 0; i < system->core_count; i++) {
        uint32_t const begun = system->cores[i].passes_begun;

        if (begun < 2)
            continue;
        fprintf(to, "%s %s %" PRIu32 " time%s", before, system->cores[i].name, begun - 1, begun == 2 ? "" : "s");
        before = ",";
    }
    if (*before == ',')
        fprintf(to, "; figures of a core and of caches of its own are of its first pass\n");
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
    uint64_t const gpu_done_ps = system->gpu_running ? system_now_ps(system) : system->gpu->done_ps;

    fprintf(to, "\n%-6s %14s %14s %10s\n", "side", "until ms", "bus bytes", "GB/s");
    if (system->core_count > 0)
        print_side(to, "cores", system_counted_ps(system, cores_done_ps(system)), sides.cpu_bytes);
    print_side(to, "gpu", system_counted_ps(system, gpu_done_ps), sides.gpu_bytes);
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

    print_system(to, &system->config);
    print_time(to, system, host_s);
    summary_print_verdict(to, judgement->verdict);
    if (kept)
        print_passes(to, system);
    if (system->core_count > SUMMARY_MOST_ALONE && !shows_all)
        core_groups_print(to, system, judgement->figures);
    for (unsigned i = 0; i < system->core_count && (shows_all || system->core_count <= SUMMARY_MOST_ALONE); i++)
        if (kept && kept->cores[i])
            fputs(kept->cores[i], to);
        else if (!system->cores[i].is_idle)
            print_core_of(to, system, i);
    print_caches(to, system, shows_all, kept);
    prefetch_summary_print(to, system, cache_columns(system), shows_all, kept ? kept->prefetchers : NULL);
    print_mmus(to, system, shows_all, kept);
    print_memories(to, system, judgement->shows_all);
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
    summary_print_verdict(to, verdict);
    if (run->copies)
        fprintf(to, "copies        %" PRIu64 " to the device, %" PRIu64 " bytes\n", run->copies, run->copied_bytes);
    gpu_summary_print(to, &config->gpu, run);
}
