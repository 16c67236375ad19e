/* Compares runs of the detailed core with recorded runs of gem5's.
 *
 *     tests/o3-timing [OPTION...] ORACLE_DIR TRACES_DIR [NAME...]
 *
 * ORACLE_DIR has PROGRAM.SYSTEM.stats.txt.gz (or .detailed.txt.gz), and PROGRAM.SYSTEM.pipe.tsv.xz of some; TRACES_DIR
 * PROGRAM.trace.xz or PROGRAM.rbt, with PROGRAM.v2p.textproto and PROGRAM.code.xz beside it, whose code lies 0x10000
 * below its addresses. NAME: a PROGRAM, a PROGRAM.SYSTEM, or a SYSTEM behind a dot (.base); without any, all. Known
 * systems: base, l2-256k, ddr4, lpddr3, ddr5-2ch, small, ideal; robN (rob512 with 128 loads and stores and 1,024
 * registers; its instruction queue is base's), iqN, lsqN, widthN (all eight widths), ssitN; bimode, local, tage,
 * perceptron. Each runs as ./rubato replay (beside this program's folder, or $RUBATO).
 *   --jobs N          N runs at once (1)
 *   --model NAME      the core that replays (detailed); others replay TRACES_DIR/elastic/PROGRAM or TRACES_DIR/PROGRAM
 *   --suffix TEXT     behind PROGRAM in the names of traces, as in -512
 *   --set KEY=VALUE   for all runs, behind what their system sets; may be repeated
 *   --no-stages       without pipeline listings
 *   --keep DIR        leave statistics, listings and messages there
 *
 * Lines on stdout, columns divided by tabs:
 *   run PROGRAM SYSTEM cycles REF OURS err_pct E [COUNT REF OURS RATIO]... ok|FAILED|skipped
 *   stages PROGRAM SYSTEM compared C of W equal E from_the_one_before H first N PC    N: committed micro-op
 *   probe PROGRAM SYSTEM records REF OURS records_pct A delays_pct B type_pct T pc_pct C address_pct D replays_pct E W
 *   absent SYSTEM                       no program has it
 *   value NAME NUMBER
 *   worst NAME NUMBER WHERE             the run that adds most to it
 *   bound NAME NUMBER BOUND ok|FAILED   what issues demand of a model; of values that something went into
 *   N passed, N failed[, N skipped]     lines `run` and `bound`; skipped: programs without an elastic capture, if the
 *                                       model needs one
 *
 * A run fails if it does not end, or if instructions, loads or stores differ (detailed). Values: means of absolute
 * errors over runs; cycles_* over the six memory systems, relative_* over those of them that are not base, of (ours /
 * ours on base) / (reference / reference on base) - 1; mispredicts_mape_pct over all runs but tage and perceptron;
 * ratio_X_mean: of ours / reference over the six systems, where the reference is not 0; ratio_X_total: of the sums;
 * stages_equal_pct: of the committed micro-ops of all listings, those that are equal in seven stages. probe_*: of the
 * elastic traces of `ideal` where TRACES_DIR/elastic/PROGRAM is the reference's: percent of records that are equal in
 * order, type, pc, address, size and dependences, and of those whose delay is, means over programs;
 * probe_replay_mape_pct: of the times that replays of ours and of the reference's take on the six memory systems.
 *
 * Exit code: 0 if nothing failed, 1 if anything did or nothing ran, 2 for wrong arguments, a missing folder, a name of
 * no run. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/reference/o3_timing.h"

enum { MOST_RUNS = 4096 };

struct mean {
    double sum, worst;
    size_t count;
    const struct o3_run *worst_run;
};

struct timing {
    struct o3_options options;
    struct o3_run *runs;
    size_t count, started, printed;
    unsigned passed, failed, skipped;
};

static const char *const known_systems[] = {
    "base", "l2-256k", "ddr4", "lpddr3", "ddr5-2ch", "small", "ideal", "rob64", "rob512", "iq32", "lsq16", "lsq72",
    "width4", "ssit128", "bimode", "local", "tage", "perceptron"
};

#define COUNT_NAME(suffix, statistic, name, is_equal) name,
static const char *const count_names[] = {O3_COUNTS(COUNT_NAME)};

/* ---- means */
static void add(struct mean *mean, double value, const struct o3_run *run)
{
    mean->sum += value;
    mean->count++;
    if (mean->worst_run && !(value > mean->worst))
        return;
    mean->worst = value;
    mean->worst_run = run;
}

static double mean_of(const struct mean *mean)
{
    return mean->count ? mean->sum / (double)mean->count : 0;
}

static double error_pct(double theirs, double ours)
{
    if (theirs > 0)
        return 100 * (ours - theirs) / theirs;
    return ours > 0 ? 100 : 0;
}

static bool is_memory_system(const struct o3_run *run)
{
    return run->kind == O3_BASE || run->kind == O3_MEMORY;
}

static bool has_result(const struct o3_run *run)
{
    return run->ours.ticks > 0 && run->reference.ticks > 0;
}

/* A model without cycles of its own has those of its ticks. */
static double cycles_of(const struct o3_run *run)
{
    if (run->ours.has_cycles)
        return run->ours.cycles;
    return run->reference.cycles * run->ours.ticks / run->reference.ticks;
}

/* ---- lines */
static void print_count(const struct o3_run *run, unsigned which)
{
    double const theirs = run->reference.counts[which], ours = run->ours.counts[which];

    if (!run->reference.has_count[which] || !run->ours.has_count[which])
        return;
    printf("\t%s\t%.0f\t%.0f", count_names[which], theirs, ours);
    if (theirs > 0)
        printf("\t%.4f", ours / theirs);
    else
        printf("\t-");
}

static double equal_pct(const struct o3_run *run, enum elastic_trait trait)
{
    size_t const most = elastic_compared_most(run->elastic.records);

    return most ? 100 * (double)run->elastic.equal[trait] / (double)most : 0;
}

static void print_probe(const struct o3_run *run)
{
    printf("probe\t%s\t%s\trecords\t%zu\t%zu\trecords_pct\t%.3f\tdelays_pct\t%.3f\ttype_pct\t%.3f\tpc_pct\t%.3f"
           "\taddress_pct\t%.3f\treplays_pct\t%.3f\t%.3f\n", run->program, run->system,
           run->elastic.records[ELASTIC_REFERENCE], run->elastic.records[ELASTIC_OURS], equal_pct(run, ELASTIC_WHOLE),
           equal_pct(run, ELASTIC_DELAY), equal_pct(run, ELASTIC_TYPE), equal_pct(run, ELASTIC_PC),
           equal_pct(run, ELASTIC_ADDRESS), run->replay_count ? run->replay_error_sum / run->replay_count : 0,
           run->replay_error_worst);
}

static void print_run(struct timing *timing, const struct o3_run *run)
{
    bool const is_ok = run->problem[0] == '\0';

    printf("run\t%s\t%s", run->program, run->system);
    if (has_result(run)) {
        printf("\tcycles\t%.0f\t%.0f\terr_pct\t%+.3f", run->reference.cycles, cycles_of(run),
               error_pct(run->reference.cycles, cycles_of(run)));
        for (unsigned i = 0; i < O3_COUNT_COUNT; i++)
            print_count(run, i);
    } else {
        printf("\tcycles\t-\t-\terr_pct\t-");
    }
    printf("\t%s\n", is_ok ? "ok" : run->is_without_capture ? "skipped" : "FAILED");
    if (run->has_stages && run->stages.wanted > 0) {
        printf("stages\t%s\t%s\tcompared\t%zu\tof\t%zu\tequal\t%zu\tfrom_the_one_before\t%zu", run->program,
               run->system, run->stages.pairs, run->stages.wanted, run->stages.equal, run->stages.equal_here);
        if (run->stages.first < run->stages.wanted)
            printf("\tfirst\t%zu\t%" PRIx64, run->stages.first, run->first_pc);
        putchar('\n');
    }
    if (run->has_probe)
        print_probe(run);
    fflush(stdout);
    if (!is_ok)
        fprintf(stderr, "%s\t%s\t%s\n", run->program, run->system, run->problem);
    timing->passed += is_ok;
    timing->skipped += run->is_without_capture;
    timing->failed += !is_ok && !run->is_without_capture;
}

/* In the order of the names, as far as they are done; programs whose last run is printed leave nothing. */
static void print_done(struct timing *timing)
{
    for (; timing->printed < timing->count && timing->runs[timing->printed].is_done; timing->printed++) {
        const struct o3_run *const run = &timing->runs[timing->printed];
        bool const is_last = timing->printed + 1 == timing->count || strcmp(run[1].program, run->program) != 0;

        print_run(timing, run);
        if (is_last)
            o3_remove_shared(&timing->options, run->program);
    }
}

/* ---- runs, several at once */
static void start_next(struct timing *timing, unsigned *running)
{
    struct o3_run *const run = &timing->runs[timing->started++];

    if (o3_start(&timing->options, run))
        ++*running;
    else
        run->is_done = true;
}

static void end_one(struct timing *timing, unsigned *running)
{
    struct rusage usage;
    int status;
    pid_t const process = wait4(-1, &status, 0, &usage);

    for (size_t i = 0; i < timing->started; i++) {
        struct o3_run *const run = &timing->runs[i];

        if (run->is_done || run->process != process)
            continue;
        run->seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        o3_finish(&timing->options, run, status);
        --*running;
    }
    if (process < 0 && errno != EINTR)
        *running = 0;
}

static void run_all(struct timing *timing)
{
    unsigned running = 0;

    while (timing->started < timing->count || running > 0) {
        if (timing->started < timing->count && running < timing->options.jobs)
            start_next(timing, &running);
        else
            end_one(timing, &running);
        print_done(timing);
    }
}

/* ---- values and bounds */
struct bound {
    const char *model, *name;
    double most;
    bool is_least;
};

/* Of the issues that demand the models; a mean's is the largest that passes, or the smallest. */
static const struct bound bounds[] = {
    {"detailed", "cycles_mape_pct", 0.5, false}, {"detailed", "cycles_worst_pct", 10, false},
    {"detailed", "relative_mape_pct", 0.5, false}, {"detailed", "variants_mape_pct", 1.5, false},
    {"detailed", "predictors_mape_pct", 1.5, false}, {"detailed", "mispredicts_mape_pct", 2, false},
    {"detailed", "probe_records_equal_pct", 98, true}, {"detailed", "probe_delays_equal_pct", 95, true},
    {"detailed", "probe_replay_mape_pct", 1, false}, {"window", "cycles_mape_pct", 3, false},
    {"window", "cycles_worst_pct", 12, false}, {"window", "relative_mape_pct", 1, false}
};

static void print_value(const char *name, double value)
{
    printf("value\t%s\t%.4f\n", name, value);
}

static void print_bound(struct timing *timing, const char *name, double value)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (strcmp(bounds[i].name, name) != 0 || strcmp(bounds[i].model, timing->options.model) != 0)
            continue;
        bool const is_ok = bounds[i].is_least ? value >= bounds[i].most : value <= bounds[i].most;

        printf("bound\t%s\t%.4f\t%g\t%s\n", name, value, bounds[i].most, is_ok ? "ok" : "FAILED");
        timing->passed += is_ok;
        timing->failed += !is_ok;
    }
}

/* A mean of nothing is not printed. */
static void print_mean(struct timing *timing, const char *name, const struct mean *mean)
{
    if (mean->count == 0)
        return;
    print_value(name, mean_of(mean));
    printf("worst\t%s\t%.4f\t%s %s\n", name, mean->worst, mean->worst_run->program, mean->worst_run->system);
    print_bound(timing, name, mean_of(mean));
}

static const struct o3_run *base_of(const struct timing *timing, const struct o3_run *run)
{
    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const other = &timing->runs[i];

        if (other->kind == O3_BASE && strcmp(other->program, run->program) == 0 && has_result(other))
            return other;
    }
    return NULL;
}

static void print_cycles(struct timing *timing)
{
    static const char *const names[] = {"cycles_mape_pct", "cycles_mape_pct", "ideal_mape_pct", "variants_mape_pct",
                                        "predictors_mape_pct", "counted_predictors_mape_pct"};
    struct mean means[O3_COUNTED_PREDICTOR + 1] = {0}, relative = {0}, bias = {0};

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i], *base;

        if (!has_result(run))
            continue;
        double const error = error_pct(run->reference.cycles, cycles_of(run));

        add(&means[run->kind == O3_MEMORY ? O3_BASE : run->kind], fabs(error), run);
        if (is_memory_system(run))
            add(&bias, error, run);
        if (run->kind == O3_MEMORY && (base = base_of(timing, run)) != NULL)
            add(&relative, fabs(error_pct(run->reference.cycles / base->reference.cycles,
                                          cycles_of(run) / cycles_of(base))), run);
    }
    for (unsigned i = O3_BASE; i <= O3_COUNTED_PREDICTOR; i++) {
        print_mean(timing, names[i], &means[i]);
        if (i == O3_BASE && means[i].count) {
            print_value("cycles_worst_pct", means[i].worst);
            print_bound(timing, "cycles_worst_pct", means[i].worst);
            print_value("cycles_bias_pct", mean_of(&bias));
            print_mean(timing, "relative_mape_pct", &relative);
        }
    }
}

/* Mispredictions of runs of all kinds but the last, or of one system. */
static void print_mispredicts(struct timing *timing, const char *name, const char *system)
{
    struct mean mean = {0};

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i];
        bool const is_meant = system ? strcmp(run->system, system) == 0 : run->kind != O3_COUNTED_PREDICTOR;

        if (is_meant && has_result(run) && run->reference.has_count[O3_MISPREDICTS] &&
            run->ours.has_count[O3_MISPREDICTS])
            add(&mean, fabs(error_pct(run->reference.counts[O3_MISPREDICTS], run->ours.counts[O3_MISPREDICTS])), run);
    }
    print_mean(timing, name, &mean);
}

static void print_ratio(const struct timing *timing, unsigned which)
{
    double ours = 0, theirs = 0, ratios = 0;
    size_t count = 0, runs = 0;
    char name[64];

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i];

        if (!is_memory_system(run) || !has_result(run) || !run->reference.has_count[which] ||
            !run->ours.has_count[which])
            continue;
        runs++;
        ours += run->ours.counts[which];
        theirs += run->reference.counts[which];
        if (run->reference.counts[which] > 0) {
            ratios += run->ours.counts[which] / run->reference.counts[which];
            count++;
        }
    }
    if (runs == 0)
        return;
    snprintf(name, sizeof name, "ratio_%s_mean", count_names[which]);
    print_value(name, count ? ratios / (double)count : 1);
    snprintf(name, sizeof name, "ratio_%s_total", count_names[which]);
    print_value(name, theirs > 0 ? ours / theirs : 1);
}

static void print_stages(const struct timing *timing)
{
    struct stage_comparison sum = {0};

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i];

        if (!run->has_stages)
            continue;
        sum.wanted += run->stages.wanted;
        sum.equal += run->stages.equal;
        sum.equal_here += run->stages.equal_here;
    }
    if (sum.wanted == 0)
        return;
    print_value("stages_equal_pct", stages_equal_pct(&sum));
    print_value("stages_equal_from_the_one_before_pct", 100 * (double)sum.equal_here / (double)sum.wanted);
}

static void print_probes(struct timing *timing)
{
    struct mean records = {0}, delays = {0}, replays = {0};

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i];

        if (!run->has_probe)
            continue;
        add(&records, equal_pct(run, ELASTIC_WHOLE), run);
        add(&delays, equal_pct(run, ELASTIC_DELAY), run);
        if (run->replay_count)
            add(&replays, run->replay_error_sum / run->replay_count, run);
    }
    if (records.count == 0)
        return;
    print_value("probe_records_equal_pct", mean_of(&records));
    print_bound(timing, "probe_records_equal_pct", mean_of(&records));
    print_value("probe_delays_equal_pct", mean_of(&delays));
    print_bound(timing, "probe_delays_equal_pct", mean_of(&delays));
    print_mean(timing, "probe_replay_mape_pct", &replays);
}

/* Millions of instructions a second of processor time, of each run. */
static void print_speed(const struct timing *timing)
{
    double sum = 0, least = INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < timing->count; i++) {
        const struct o3_run *const run = &timing->runs[i];

        if (!has_result(run) || !(run->seconds > 0))
            continue;
        double const speed = 1e-6 * run->reference.counts[O3_INSTRUCTIONS] / run->seconds;

        sum += speed;
        least = fmin(least, speed);
        count++;
    }
    if (count == 0)
        return;
    print_value("speed_mean_minsts_per_s", sum / (double)count);
    print_value("speed_least_minsts_per_s", least);
}

static void print_absent(const struct timing *timing)
{
    for (size_t i = 0; i < sizeof known_systems / sizeof known_systems[0]; i++) {
        bool is_there = false;

        for (size_t k = 0; k < timing->count && !is_there; k++)
            is_there = strcmp(timing->runs[k].system, known_systems[i]) == 0;
        if (!is_there)
            printf("absent\t%s\n", known_systems[i]);
    }
}

static void print_values(struct timing *timing)
{
    print_absent(timing);
    print_cycles(timing);
    print_mispredicts(timing, "mispredicts_mape_pct", NULL);
    print_mispredicts(timing, "mispredicts_tage_mape_pct", "tage");
    print_mispredicts(timing, "mispredicts_perceptron_mape_pct", "perceptron");
    for (unsigned i = O3_MISPREDICTS + 1; i < O3_COUNT_COUNT; i++)
        print_ratio(timing, i);
    print_stages(timing);
    print_probes(timing);
    print_speed(timing);
}

/* ---- which runs */
/* PROGRAM.SYSTEM of a file's name; programs have no dot in theirs. */
static bool name_run(struct o3_run *run, const char *file)
{
    static const char *const endings[] = {".stats.txt.gz", ".detailed.txt.gz", ".stats.txt", ".detailed.txt"};
    size_t const length = strlen(file), program = strcspn(file, ".");

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t const ending = strlen(endings[i]);

        if (length <= ending || strcmp(file + length - ending, endings[i]) != 0 || program == 0 ||
            program + 1 >= length - ending)
            continue;
        size_t const system = length - ending - program - 1;

        if (program >= sizeof run->program || system >= sizeof run->system)
            return false;
        *run = (struct o3_run){.process = -1};
        snprintf(run->program, sizeof run->program, "%.*s", (int)program, file);
        snprintf(run->system, sizeof run->system, "%.*s", (int)system, file + program + 1);
        snprintf(run->file, sizeof run->file, "%s", file);
        return true;
    }
    return false;
}

static bool is_meant(const struct o3_run *run, const char *name)
{
    const char *const dot = strchr(name, '.');
    size_t const program = dot ? (size_t)(dot - name) : strlen(name);

    return (program == 0 || (strlen(run->program) == program && strncmp(run->program, name, program) == 0)) &&
           (!dot || strcmp(run->system, dot + 1) == 0);
}

static bool is_wanted(const struct o3_run *run, char **names, int count, bool used[])
{
    bool wanted = count == 0;

    for (int i = 0; i < count; i++) {
        if (is_meant(run, names[i]))
            wanted = used[i] = true;
    }
    return wanted;
}

/* Programs by name; of each base first, so that a first glance needs not wait. */
static int by_name(const void *one, const void *other)
{
    const struct o3_run *const a = one, *const b = other;
    int const order = strcmp(a->program, b->program);

    if (order == 0 && a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return order ? order : strcmp(a->system, b->system);
}

static bool list_runs(struct timing *timing, char **names, int name_count)
{
    DIR *const folder = opendir(timing->options.oracle);
    bool *const used = calloc((size_t)name_count + 1, sizeof *used);
    bool is_fine = true;

    timing->runs = calloc(MOST_RUNS, sizeof *timing->runs);
    if (!folder || !used || !timing->runs) {
        fprintf(stderr, "o3-timing: %s: %s\n", timing->options.oracle, strerror(errno));
        is_fine = false;
    }
    for (struct dirent *entry; is_fine && timing->count < MOST_RUNS && (entry = readdir(folder)) != NULL;) {
        struct o3_run *const run = &timing->runs[timing->count];

        if (!name_run(run, entry->d_name) || !is_wanted(run, names, name_count, used))
            continue;
        if (!o3_system_kind(run->system, &run->kind))
            fprintf(stderr, "%s\t%s\tnot a system that is known here, left out\n", run->program, run->system);
        else
            timing->count++;
    }
    if (folder)
        closedir(folder);
    for (int i = 0; i < name_count && is_fine; i++) {
        if (!used[i])
            fprintf(stderr, "o3-timing: no run is called %s\n", names[i]);
        is_fine = used[i];
    }
    free(used);
    if (is_fine && timing->count == 0)
        fprintf(stderr, "o3-timing: %s: no PROGRAM.SYSTEM.stats.txt.gz\n", timing->options.oracle);
    if (is_fine && timing->count)
        qsort(timing->runs, timing->count, sizeof *timing->runs, by_name);
    return is_fine && timing->count > 0;
}

/* ---- the command */
static void find_rubato(struct o3_options *options, const char *own_path)
{
    const char *const given = getenv("RUBATO");
    const char *const slash = strrchr(own_path, '/');

    if (given && given[0])
        snprintf(options->rubato, O3_PATH, "%s", given);
    else
        snprintf(options->rubato, O3_PATH, "%.*s../rubato", slash ? (int)(slash - own_path + 1) : 0, own_path);
}

static bool make_work(struct o3_options *options, const char *keep)
{
    const char *const temporary = getenv("TMPDIR");
    bool is_made;

    options->keep = keep != NULL;
    if (keep) {
        snprintf(options->work, O3_PATH, "%s", keep);
        is_made = mkdir(options->work, 0777) == 0 || errno == EEXIST;
    } else {
        snprintf(options->work, O3_PATH, "%s/o3-timing.XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
        is_made = mkdtemp(options->work) != NULL;
    }
    if (!is_made)
        fprintf(stderr, "o3-timing: %s: %s\n", options->work, strerror(errno));
    return is_made;
}

static int usage(void)
{
    fputs("Usage: o3-timing [--jobs N] [--model NAME] [--suffix TEXT] [--set KEY=VALUE]... [--no-stages] [--keep DIR]\n"
          "                 ORACLE_DIR TRACES_DIR [NAME...]\n", stderr);
    return 2;
}

static bool take_option(struct o3_options *options, const char **keep, const char *name, const char *value)
{
    char *end = NULL;

    if (strcmp(name, "--jobs") == 0) {
        unsigned long const jobs = strtoul(value, &end, 10);

        options->jobs = (unsigned)jobs;
        return *end == '\0' && jobs >= 1 && jobs <= 1024;
    }
    if (strcmp(name, "--model") == 0)
        options->model = value;
    else if (strcmp(name, "--suffix") == 0)
        options->suffix = value;
    else if (strcmp(name, "--keep") == 0)
        *keep = value;
    else if (strcmp(name, "--set") == 0 && options->setting_count < O3_MOST_SETTINGS)
        options->settings[options->setting_count++] = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    static struct timing timing = {.options = {.model = "detailed", .suffix = "", .jobs = 1, .has_stages = true}};
    struct o3_options *const options = &timing.options;
    const char *keep = NULL;
    int next = 1;

    while (next < argc && strncmp(argv[next], "--", 2) == 0) {
        if (strcmp(argv[next], "--no-stages") == 0) {
            options->has_stages = false;
            next++;
        } else if (next + 1 < argc && take_option(options, &keep, argv[next], argv[next + 1])) {
            next += 2;
        } else {
            return usage();
        }
    }
    if (argc - next < 2)
        return usage();
    options->oracle = argv[next];
    options->traces = argv[next + 1];
    find_rubato(options, argv[0]);
    if (access(options->traces, R_OK) != 0) {
        fprintf(stderr, "o3-timing: %s: %s\n", options->traces, strerror(errno));
        return 2;
    }
    if (!list_runs(&timing, argv + next + 2, argc - next - 2) || !make_work(options, keep)) {
        free(timing.runs);
        return 2;
    }
    run_all(&timing);
    print_values(&timing);
    printf("%u passed, %u failed", timing.passed, timing.failed);
    if (timing.skipped > 0)
        printf(", %u skipped", timing.skipped);
    putchar('\n');
    if (!options->keep)
        rmdir(options->work);
    free(timing.runs);
    return timing.failed || timing.passed == 0 ? 1 : 0;
}
