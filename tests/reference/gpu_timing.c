/* Compares GPU runs with recorded runs of Accel-Sim and MGPUSim.
 *
 *     tests/gpu-timing [--set KEY=VALUE]... [--gcn3-system NAME] ORACLE_DIR TRACES_DIR [SET...]
 *
 * --set changes the system of GCN3 sets, --gcn3-system NAME takes another shipped one for them; the lines `gcn3`
 * then say what these are worth. Micro traces do not run then.
 *
 * A set is a subfolder of TRACES_DIR with an expected.tsv; names restrict, and `micro` among them is the micro traces,
 * which run anyway. ORACLE_DIR holds accelsim.tsv (a line a kernel), accelsim-runs.tsv (options of a variant),
 * accelsim-config.tsv and the micro traces; the last three may be missing. NVIDIA sets run on the *-accelsim systems,
 * once a variant; copies fill the L2 in memcpyfix only, as the reference lost them elsewhere. GCN3 sets with a
 * mgpusim-reference.tsv run on r9nano-mgpusim. A set that neither has is read.
 *
 * Lines on stdout, columns divided by tabs:
 *   kernel SET VARIANT FILE cycles REF OURS l1hit REF OURS l2hit REF OURS dram_reads REF OURS dram_writes REF OURS
 *   run SET VARIANT kernels K exact E/K l2_reads_err_pct X cycles_err_pct Y ok|FAILED
 *   trend SET VARIANT REF OURS          total cycles over those of the set's default
 *   gcn3 SET REF OURS                   time of all kernels in ns
 *   micro NAME CONFIG REF OURS          cycles a step
 *   absent VARIANT                      no set has it
 *   value KEY NUMBER
 *   worst KEY NUMBER WHERE              what went into the value of that key
 *   N passed, N failed                  of the lines `run`
 *
 * Cycles are without launch latency. A kernel is exact if blocks, warp and thread instructions and accesses of the L1
 * (of the L2 where the L1 is skipped) are the reference's, or their sums if kernels overlap; a run is ok if all its
 * kernels are exact. GCN3: blocks, warp and thread instructions of expected.tsv; reads of MGPUSim's L2 are lines, those
 * of its instruction caches included, and go into no mean. Errors of a run are means over its
 * kernels. Hits are parts of the sectors read; DRAM is counted in sectors. Means: cycles_mape_pct over all lines
 * `kernel`, l2_reads_mape_pct over those that read the L2, trends over all lines `trend`.
 *
 * Exit code: 0 if no run failed, 1 if any did, 2 for wrong arguments, a missing folder, no set, a name of no set. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/reference/gpu_timing.h"

#include "replay/config/system_config.h"

enum { MOST_SETS = 1024, MOST_ROWS = 1 << 16, OPTIONS_TEXT = 1024 };

static const char *const known_variants[] = {
    "default", "memcpyfix", "memcpyoff", "l1off", "l1fixed32k", "l1lat2x", "l2half", "l2eighth", "dramlat2x", "chhalf",
    "dramclk1215", "gto", "launch0", "concurrent", "lat42", "rtx3070"
};

struct mean {
    double sum, worst;
    size_t count;
    char worst_name[256];
};

struct timing {
    const char *oracle, *traces;
    const char *gcn3_system, *settings[TIMING_MOST_SETTINGS];
    size_t setting_count;
    struct tsv kernels, runs;
    bool has_kernels, has_runs;
    unsigned passed, failed;
    struct mean cycles, default_cycles, l2_reads, trends, null_trends, gcn3;
    /* of logarithms of cycles */
    double log_ref, log_ours, log_ref2, log_ours2, log_both;
};

/* One variant of a set. */
struct one_run {
    const char *set, *variant, *config;
    size_t rows[MOST_ROWS];              /* of accelsim.tsv */
    size_t row_count;
    double ref_total, our_total;         /* cycles */
};

static void add(struct mean *mean, double value, const char *set, const char *variant, const char *file)
{
    mean->sum += value;
    mean->count++;
    if (value <= mean->worst)
        return;
    mean->worst = value;
    snprintf(mean->worst_name, sizeof mean->worst_name, "%s%s%s%s%s", set, *variant ? " " : "", variant,
             *file ? " " : "", file);
}

static double mean_of(const struct mean *mean)
{
    return mean->count ? mean->sum / (double)mean->count : 0;
}

static double error_pct(double theirs, double ours)
{
    if (theirs > 0)
        return 100 * fabs(ours - theirs) / theirs;
    return ours > 0 ? 100 : 0;
}

/* ---- kernels */
struct reference {
    double cycles, l1_reads, l1_hits, l2_reads, l2_hits, dram_reads, dram_writes;
};

static double sum_of(const struct tsv *table, size_t row, const char *prefix)
{
    static const char *const parts[] = {"hit", "hit_reserved", "miss", "sector_miss"};
    double sum = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char column[64];

        snprintf(column, sizeof column, "%s_%s", prefix, parts[i]);
        sum += tsv_number(table, row, column);
    }
    return sum;
}

/* DRAM is counted there in atoms, bursts of its bus. */
static struct reference reference_of(const struct tsv *table, size_t row, const struct system_config *config)
{
    const struct dram_params *const dram = &config->memories[0].dram;
    double const atom = (double)(dram->burst_length * dram->device_bus_width_bits * dram->devices_per_rank) / 8;
    double const sectors = atom / (double)config->gpu.l2.cache.sector_bytes;
    double const cycles = tsv_number(table, row, "gpu_sim_cycle") - (double)config->gpu.launch_latency_cyc;

    return (struct reference){
        .cycles = cycles > 0 ? cycles : 0,
        .l1_reads = sum_of(table, row, "l1_r"), .l1_hits = tsv_number(table, row, "l1_r_hit"),
        .l2_reads = sum_of(table, row, "l2_r"), .l2_hits = tsv_number(table, row, "l2_r_hit"),
        .dram_reads = sectors * tsv_number(table, row, "dram_reads"),
        .dram_writes = sectors * tsv_number(table, row, "dram_writes")
    };
}

static bool differs(const char *set, const char *variant, const char *file, const char *what, double theirs,
                    double ours)
{
    if (!(fabs(ours - theirs) > 0.5))
        return false;
    fprintf(stderr, "%s\t%s\t%s\t%s\texpected %.0f\tours %.0f\n", set, variant, file, what, theirs, ours);
    return true;
}

/* What must be equal: of a kernel, or sums. */
struct exact_counts {
    double blocks, warp_insts, thread_insts, accesses;
};

static struct exact_counts theirs_of(const struct tsv *table, size_t row, bool skips_l1)
{
    return (struct exact_counts){tsv_number(table, row, "blocks"), tsv_number(table, row, "warp_insts"),
                                 tsv_number(table, row, "gpu_sim_insn"),
                                 tsv_number(table, row, skips_l1 ? "l2_accesses" : "l1d_accesses")};
}

static struct exact_counts ours_of(const struct gpu_counts *counts, bool skips_l1)
{
    uint64_t const l1 = counts->l1_reads + counts->l1_writes;
    uint64_t const l2 = counts->l2_reads + counts->l2_writes + counts->l2_atomics;

    return (struct exact_counts){(double)counts->blocks, (double)counts->warp_insts, (double)counts->thread_insts,
                                 (double)(skips_l1 ? l2 : l1)};
}

static void add_counts(struct exact_counts *sum, const struct exact_counts *one)
{
    sum->blocks += one->blocks;
    sum->warp_insts += one->warp_insts;
    sum->thread_insts += one->thread_insts;
    sum->accesses += one->accesses;
}

static bool is_exact(const struct one_run *one, const char *file, const struct exact_counts *theirs,
                     const struct exact_counts *ours, bool skips_l1)
{
    bool differ = differs(one->set, one->variant, file, "blocks", theirs->blocks, ours->blocks);

    differ |= differs(one->set, one->variant, file, "warp_insts", theirs->warp_insts, ours->warp_insts);
    differ |= differs(one->set, one->variant, file, "gpu_sim_insn", theirs->thread_insts, ours->thread_insts);
    differ |= differs(one->set, one->variant, file, skips_l1 ? "l2_accesses" : "l1d_accesses", theirs->accesses,
                      ours->accesses);
    return !differ;
}

/* Counters of the reference are differences between the ends of kernels: where kernels overlap, each has some of the
 * others'. */
static bool overlap(const struct timing_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (run->kernels[i].launch_ps < run->kernels[k].end_ps &&
                run->kernels[k].launch_ps < run->kernels[i].end_ps)
                return true;
        }
    }
    return false;
}

static size_t count_exact(const struct tsv *table, const struct one_run *one, const struct timing_run *run,
                          bool skips_l1)
{
    struct exact_counts their_sum = {0}, our_sum = {0};
    bool const is_summed = overlap(run);
    size_t exact = 0;

    for (size_t i = 0; i < one->row_count; i++) {
        struct exact_counts const theirs = theirs_of(table, one->rows[i], skips_l1);
        struct exact_counts const ours = ours_of(&run->kernels[i].counts, skips_l1);

        add_counts(&their_sum, &theirs);
        add_counts(&our_sum, &ours);
        if (!is_summed)
            exact += is_exact(one, tsv_text(table, one->rows[i], "kernel_file"), &theirs, &ours, skips_l1);
    }
    return is_summed && is_exact(one, "sums", &their_sum, &our_sum, skips_l1) ? one->row_count : exact;
}

static void print_part(const char *name, double theirs, double their_whole, double ours, double our_whole)
{
    printf("\t%s", name);
    if (their_whole > 0)
        printf("\t%.4f", theirs / their_whole);
    else
        printf("\t-");
    if (our_whole > 0)
        printf("\t%.4f", ours / our_whole);
    else
        printf("\t-");
}

static void print_kernel(const struct one_run *one, const char *file, const struct reference *reference,
                         const struct timing_kernel *kernel)
{
    const struct gpu_counts *const counts = &kernel->counts;

    printf("kernel\t%s\t%s\t%s\tcycles\t%.0f\t%llu", one->set, one->variant, file, reference->cycles,
           (unsigned long long)kernel->cycles);
    print_part("l1hit", reference->l1_hits, reference->l1_reads, (double)counts->l1_read_hits,
               (double)counts->l1_reads);
    print_part("l2hit", reference->l2_hits, reference->l2_reads, (double)counts->l2_read_hits,
               (double)counts->l2_reads);
    printf("\tdram_reads\t%.0f\t%llu\tdram_writes\t%.0f\t%llu\n", reference->dram_reads,
           (unsigned long long)counts->dram_reads, reference->dram_writes, (unsigned long long)counts->dram_writes);
}

static void add_kernel(struct timing *timing, const struct one_run *one, const char *file, double theirs, double ours)
{
    double const log_theirs = log(fmax(theirs, 1)), log_ours = log(fmax(ours, 1));

    add(&timing->cycles, error_pct(theirs, ours), one->set, one->variant, file);
    if (strcmp(one->variant, "default") == 0)
        add(&timing->default_cycles, error_pct(theirs, ours), one->set, one->variant, file);
    timing->log_ref += log_theirs;
    timing->log_ours += log_ours;
    timing->log_ref2 += log_theirs * log_theirs;
    timing->log_ours2 += log_ours * log_ours;
    timing->log_both += log_theirs * log_ours;
}

/* ---- runs */
static void fail(struct timing *timing, const char *set, const char *variant, size_t kernels, const char *problem)
{
    fprintf(stderr, "%s\t%s\t%s\n", set, variant, problem);
    printf("run\t%s\t%s\tkernels\t%zu\texact\t0/%zu\tl2_reads_err_pct\t-\tcycles_err_pct\t-\tFAILED\n", set, variant,
           kernels, kernels);
    timing->failed++;
}

static void compare(struct timing *timing, struct one_run *one, const struct system_config *config,
                    const struct timing_run *run)
{
    const struct tsv *const table = &timing->kernels;
    struct mean cycles = {0}, l2_reads = {0};
    size_t const exact = count_exact(table, one, run, config->gpu.l1.skip_global != 0);

    for (size_t i = 0; i < one->row_count; i++) {
        const char *const file = tsv_text(table, one->rows[i], "kernel_file");
        struct reference const reference = reference_of(table, one->rows[i], config);
        const struct timing_kernel *const kernel = &run->kernels[i];

        print_kernel(one, file, &reference, kernel);
        add(&cycles, error_pct(reference.cycles, (double)kernel->cycles), one->set, one->variant, file);
        add_kernel(timing, one, file, reference.cycles, (double)kernel->cycles);
        one->ref_total += reference.cycles;
        one->our_total += (double)kernel->cycles;
        if (reference.l2_reads > 0 || kernel->counts.l2_reads > 0) {
            double const error = error_pct(reference.l2_reads, (double)kernel->counts.l2_reads);

            add(&l2_reads, error, one->set, one->variant, file);
            add(&timing->l2_reads, error, one->set, one->variant, file);
        }
    }
    printf("run\t%s\t%s\tkernels\t%zu\texact\t%zu/%zu\tl2_reads_err_pct\t%.3f\tcycles_err_pct\t%.3f\t%s\n", one->set,
           one->variant, one->row_count, exact, one->row_count, mean_of(&l2_reads), mean_of(&cycles),
           exact == one->row_count ? "ok" : "FAILED");
    if (exact == one->row_count)
        timing->passed++;
    else
        timing->failed++;
}

/* As accelsim-runs.tsv has them, else by the variant's name. */
static bool options_of(const struct timing *timing, const struct one_run *one, char options[OPTIONS_TEXT])
{
    char problem[TIMING_PROBLEM];
    struct system_config plain;

    for (size_t row = 0; timing->has_runs && row < timing->runs.rows; row++) {
        if (strcmp(tsv_text(&timing->runs, row, "set"), one->set) != 0 ||
            strcmp(tsv_text(&timing->runs, row, "variant"), one->variant) != 0)
            continue;
        snprintf(options, OPTIONS_TEXT, "%s", tsv_text(&timing->runs, row, "extra_options"));
        return true;
    }
    return timing_system(timing->oracle, one->config, "", &plain, problem) &&
           timing_variant_options(&plain, one->variant, options, OPTIONS_TEXT);
}

static void run_variant(struct timing *timing, struct one_run *one)
{
    char options[OPTIONS_TEXT] = "", path[TIMING_PATH], problem[TIMING_PROBLEM] = "";
    struct system_config config;
    struct timing_run run = {0};

    snprintf(path, sizeof path, "%s/%s", timing->traces, one->set);
    if (!options_of(timing, one, options))
        fail(timing, one->set, one->variant, one->row_count, "no options of this variant in accelsim-runs.tsv");
    else if (!timing_system(timing->oracle, one->config, options, &config, problem) ||
             !timing_run(&config, path, strcmp(one->variant, "memcpyfix") == 0, &run, problem))
        fail(timing, one->set, one->variant, one->row_count, problem);
    else if (run.count != one->row_count)
        fail(timing, one->set, one->variant, one->row_count, "the list has another number of kernels");
    else
        compare(timing, one, &config, &run);
    timing_run_free(&run);
    fflush(stdout);
}

/* The variant `wanted`, or the next one if NULL, of a set, as far as it is not done; false: none is left. */
static bool next_variant(const struct timing *timing, const char *set, const char *wanted, bool done[],
                         struct one_run *one)
{
    const struct tsv *const table = &timing->kernels;

    *one = (struct one_run){.set = set, .variant = wanted};
    for (size_t row = 0; timing->has_kernels && row < table->rows && row < MOST_ROWS; row++) {
        if (done[row] || strcmp(tsv_text(table, row, "set"), set) != 0)
            continue;
        if (!one->variant)
            one->variant = tsv_text(table, row, "variant");
        if (strcmp(tsv_text(table, row, "variant"), one->variant) != 0)
            continue;
        done[row] = true;
        one->config = tsv_text(table, row, "config");
        one->rows[one->row_count++] = row;
    }
    return one->row_count > 0;
}

static void add_trend(struct timing *timing, const struct one_run *plain, const struct one_run *one)
{
    if (!(plain->ref_total > 0 && plain->our_total > 0 && one->ref_total > 0 && one->our_total > 0))
        return;
    double const theirs = one->ref_total / plain->ref_total, ours = one->our_total / plain->our_total;

    printf("trend\t%s\t%s\t%.4f\t%.4f\n", one->set, one->variant, theirs, ours);
    add(&timing->trends, error_pct(theirs, ours), one->set, one->variant, "");
    add(&timing->null_trends, error_pct(theirs, 1), one->set, one->variant, "");
}

/* False: accelsim.tsv does not have the set. */
static bool run_set(struct timing *timing, const char *set)
{
    bool *const done = calloc(MOST_ROWS, sizeof *done);
    struct one_run *const one = malloc(sizeof *one), *const plain = calloc(1, sizeof *plain);
    bool is_any = false;

    if (done && one && plain && next_variant(timing, set, "default", done, plain)) {
        is_any = true;
        run_variant(timing, plain);
    }
    while (done && one && plain && next_variant(timing, set, NULL, done, one)) {
        is_any = true;
        run_variant(timing, one);
        add_trend(timing, plain, one);
    }
    free(done);
    free(one);
    free(plain);
    return is_any;
}

/* ---- GCN3 */
static double metric(const struct tsv *reference, const char *component, const char *name)
{
    for (size_t row = 0; row < reference->rows; row++) {
        if (strcmp(tsv_text(reference, row, "component"), component) == 0 &&
            strcmp(tsv_text(reference, row, "metric"), name) == 0)
            return tsv_number(reference, row, "sum_over_instances");
    }
    return 0;
}

static size_t exact_kernels(const char *set, const struct tsv *expected, const struct timing_run *run)
{
    size_t exact = 0;

    for (size_t row = 0; row < expected->rows; row++) {
        const struct gpu_counts *const counts = &run->kernels[row].counts;
        const char *const file = tsv_text(expected, row, "file");
        bool differ = differs(set, "mgpusim", file, "tbs", tsv_number(expected, row, "tbs"),
                              (double)counts->blocks);

        differ |= differs(set, "mgpusim", file, "insts", tsv_number(expected, row, "insts"),
                          (double)counts->warp_insts);
        differ |= differs(set, "mgpusim", file, "thread_insts", tsv_number(expected, row, "thread_insts"),
                          (double)counts->thread_insts);
        exact += !differ;
    }
    return exact;
}

static void compare_gcn3(struct timing *timing, const char *set, const struct tsv *expected,
                         const struct tsv *reference, const struct system_config *config, const struct timing_run *run)
{
    size_t const exact = exact_kernels(set, expected, run);
    double const theirs_ns = 1e9 * metric(reference, "CommandProcessor", "kernel_time");
    double const their_reads = metric(reference, "L2", "read-hit") + metric(reference, "L2", "read-miss") +
                               metric(reference, "L2", "read-mshr-hit");
    double ours_ns = 0, our_reads = 0;

    for (size_t i = 0; i < run->count; i++) {
        ours_ns += 1e-3 * (double)((run->kernels[i].cycles + config->gpu.launch_latency_cyc) *
                                   config->gpu.core_clock_ps);
        our_reads += (double)run->kernels[i].counts.l2_reads;
    }
    printf("gcn3\t%s\t%.0f\t%.0f\n", set, theirs_ns, ours_ns);
    printf("run\t%s\tmgpusim\tkernels\t%zu\texact\t%zu/%zu\tl2_reads_err_pct\t%.3f\tcycles_err_pct\t%.3f\t%s\n",
           set, expected->rows, exact, expected->rows, error_pct(their_reads, our_reads),
           error_pct(theirs_ns, ours_ns), exact == expected->rows ? "ok" : "FAILED");
    add(&timing->gcn3, error_pct(theirs_ns, ours_ns), set, "", "");
    if (exact == expected->rows)
        timing->passed++;
    else
        timing->failed++;
}

/* False: the set has no reference of MGPUSim. */
static bool run_gcn3(struct timing *timing, const char *set)
{
    char path[TIMING_PATH], problem[TIMING_PROBLEM] = "";
    struct tsv reference, expected;
    struct system_config config;
    struct timing_run run = {0};

    snprintf(path, sizeof path, "%s/%s", timing->traces, set);
    if (!tsv_open(&reference, path, "mgpusim-reference.tsv"))
        return false;
    if (!tsv_open(&expected, path, "expected.tsv"))
        fail(timing, set, "mgpusim", 0, "expected.tsv cannot be read");
    else if (!timing_shipped(timing->gcn3_system, timing->settings, timing->setting_count, &config, problem) ||
             !timing_run(&config, path, false, &run, problem))
        fail(timing, set, "mgpusim", expected.rows, problem);
    else if (run.count != expected.rows)
        fail(timing, set, "mgpusim", expected.rows, "the list has another number of kernels than expected.tsv");
    else
        compare_gcn3(timing, set, &expected, &reference, &config, &run);
    timing_run_free(&run);
    tsv_close(&expected);
    tsv_close(&reference);
    fflush(stdout);
    return true;
}

/* ---- all sets */

static bool read_kernel(const struct gpu_list *list, const char *file, struct fault *error)
{
    enum gpu_step step = GPU_BLOCK;
    struct gpu_kernel kernel;

    if (FAILS(*error, gpu_kernel_open(&kernel, list->folder, file)))
        return false;
    while (step == GPU_BLOCK) {
        struct gpu_block *block;

        step = gpu_kernel_next_block(&kernel, &block, error);
        if (step == GPU_BLOCK)
            gpu_block_free(block);
    }
    gpu_kernel_close(&kernel);
    return step == GPU_NO_BLOCK;
}

/* A set without recorded timings must still be readable. */
static void look_at(struct timing *timing, const char *set)
{
    char path[TIMING_PATH];
    struct gpu_list list;
    struct fault error;
    bool is_fine = true;

    snprintf(path, sizeof path, "%s/%s", timing->traces, set);
    if (FAILS(error, gpu_list_open(&list, path))) {
        fail(timing, set, "-", 0, fault_text(error));
        return;
    }
    for (size_t i = 0; i < list.count && is_fine; i++)
        is_fine = list.commands[i].kind != GPU_KERNEL || read_kernel(&list, list.commands[i].file, &error);
    gpu_list_close(&list);
    if (is_fine)
        fprintf(stderr, "%s\tno reference\n", set);
    else
        fail(timing, set, "-", 0, fault_text(error));
}

static bool is_set(const char *traces, const char *name)
{
    char path[TIMING_PATH];
    struct stat status;

    return name[0] != '.' && snprintf(path, sizeof path, "%s/%s/expected.tsv", traces, name) < (int)sizeof path &&
           stat(path, &status) == 0;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static bool is_wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return count == 0;
}

static size_t list_sets(const char *traces, char **names, int name_count, char *sets[MOST_SETS])
{
    DIR *const folder = opendir(traces);
    size_t count = 0;

    for (struct dirent *entry; folder && count < MOST_SETS && (entry = readdir(folder)) != NULL;) {
        if (is_set(traces, entry->d_name) && is_wanted(entry->d_name, names, name_count))
            sets[count++] = strdup(entry->d_name);
    }
    if (folder)
        closedir(folder);
    qsort(sets, count, sizeof sets[0], by_name);
    return count;
}

static void print_absent(const struct timing *timing)
{
    for (size_t i = 0; i < sizeof known_variants / sizeof known_variants[0]; i++) {
        bool is_there = false;

        for (size_t row = 0; timing->has_kernels && row < timing->kernels.rows; row++)
            is_there |= strcmp(tsv_text(&timing->kernels, row, "variant"), known_variants[i]) == 0;
        if (!is_there)
            printf("absent\t%s\n", known_variants[i]);
    }
}

static double correlation(const struct timing *timing)
{
    double const n = (double)timing->cycles.count;
    double const spread = (n * timing->log_ref2 - timing->log_ref * timing->log_ref) *
                          (n * timing->log_ours2 - timing->log_ours * timing->log_ours);

    return spread > 0 ? (n * timing->log_both - timing->log_ref * timing->log_ours) / sqrt(spread) : 0;
}

static void print_mean(const char *key, const struct mean *mean)
{
    if (mean->count)
        printf("value\t%s\t%.3f\n", key, mean_of(mean));
}

static void print_worst(const char *key, const struct mean *mean)
{
    if (mean->count && *mean->worst_name)
        printf("worst\t%s\t%.3f\t%s\n", key, mean->worst, mean->worst_name);
}

static void print_values(const struct timing *timing, const struct timing_micro_result *micro)
{
    print_mean("cycles_mape_pct", &timing->cycles);
    if (timing->cycles.count)
        printf("value\tcycles_log_correlation\t%.5f\n", correlation(timing));
    print_mean("trend_mape_pct", &timing->trends);
    print_mean("trend_null_pct", &timing->null_trends);
    print_mean("l2_reads_mape_pct", &timing->l2_reads);
    if (micro->has_run)
        printf("value\tmicro_exact\t%u/%u\n", micro->exact, micro->exact_of);
    print_mean("gcn3_time_mape_pct", &timing->gcn3);
    print_mean("cycles_default_mape_pct", &timing->default_cycles);
    if (micro->has_run)
        printf("value\tmicro_dram_within_2_pct\t%u/%u\n", micro->close, micro->close_of);
    print_worst("cycles_mape_pct", &timing->cycles);
    print_worst("trend_mape_pct", &timing->trends);
    print_worst("l2_reads_mape_pct", &timing->l2_reads);
    print_worst("gcn3_time_mape_pct", &timing->gcn3);
    if (*micro->worst)
        printf("worst\tmicro_exact\t%.3f\t%s\n", micro->worst_pct, micro->worst);
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool take_option(struct timing *timing, const char *name, const char *value)
{
    if (strcmp(name, "--gcn3-system") == 0)
        timing->gcn3_system = value;
    else if (strcmp(name, "--set") == 0 && timing->setting_count < TIMING_MOST_SETTINGS)
        timing->settings[timing->setting_count++] = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct timing timing = {.gcn3_system = "r9nano-mgpusim"};
    struct timing_micro_result micro = {0};
    char *sets[MOST_SETS];
    bool is_changed = false;

    while (argc > 2 && take_option(&timing, argv[1], argv[2])) {
        is_changed = true;
        argv += 2;
        argc -= 2;
    }
    if (argc < 3 || argv[1][0] == '-') {
        fprintf(stderr, "usage: tests/gpu-timing [--set KEY=VALUE]... [--gcn3-system NAME] ORACLE_DIR TRACES_DIR "
                        "[SET...]\n");
        return 2;
    }
    timing.oracle = argv[1];
    timing.traces = argv[2];
    for (int i = 1; i < 3; i++) {
        if (is_folder(argv[i]))
            continue;
        fprintf(stderr, "%s: no such folder\n", argv[i]);
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        if (is_set(timing.traces, argv[i]) || strcmp(argv[i], "micro") == 0)
            continue;
        fprintf(stderr, "%s/%s: is no set; expected a folder with an expected.tsv\n", timing.traces, argv[i]);
        return 2;
    }
    size_t const count = list_sets(timing.traces, argv + 3, argc - 3, sets);
    if (count == 0 && argc == 3) {
        fprintf(stderr, "%s: holds no set; expected folders with an expected.tsv\n", timing.traces);
        return 2;
    }
    timing.has_kernels = tsv_open(&timing.kernels, timing.oracle, "accelsim.tsv");
    timing.has_runs = tsv_open(&timing.runs, timing.oracle, "accelsim-runs.tsv");
    for (size_t i = 0; i < count; i++) {
        bool const is_run = run_set(&timing, sets[i]);

        if (!run_gcn3(&timing, sets[i]) && !is_run)
            look_at(&timing, sets[i]);
        free(sets[i]);
    }
    if (!is_changed && !timing_micro(timing.oracle, &micro))
        timing.failed++;
    print_absent(&timing);
    print_values(&timing, &micro);
    tsv_close(&timing.kernels);
    tsv_close(&timing.runs);
    printf("%u passed, %u failed\n", timing.passed, timing.failed);
    return timing.failed ? 1 : 0;
}
