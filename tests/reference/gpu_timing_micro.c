/* The micro traces: unpacked into a temporary folder, once a configuration with its header's binary version, run with
 * 64 and 192 repetitions; the difference over 128 is the cycles of a step.
 *
 * A trace whose name ends in _second is that without it, twice in its list, and its second kernel counts. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/config/system_config.h"
#include "tests/reference/gpu_timing.h"

enum { LINE_BYTES = 4096, FEW = 64, MANY = 192 };

struct version {
    const char *config;
    int binary;
};

/* SM90_H100 ran what QV100 ran. */
static const struct version versions[] = {{"SM6_TITANX", 61}, {"SM75_RTX2060", 75}, {"SM80_A100", 80},
                                          {"SM86_RTX3070", 86}};

struct micro {
    const char *oracle;
    char folder[TIMING_PATH / 2];        /* temporary */
    struct timing_micro_result *result;
};

static bool run_program(const char *const words[])
{
    int status = 1;
    pid_t const child = fork();

    if (child == 0) {
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int binary_of(const char *config)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (strcmp(versions[i].config, config) == 0)
            return versions[i].binary;
    }
    return 70;
}

/* A kernel for another binary version; before Volta loads have no .SYS. */
static bool copy_kernel(const char *from, const char *to, int binary)
{
    FILE *const in = fopen(from, "r"), *const out = in ? fopen(to, "w") : NULL;
    char line[LINE_BYTES];

    while (out && fgets(line, sizeof line, in)) {
        char *const sys = binary < 70 ? strstr(line, ".SYS") : NULL;

        if (strncmp(line, "-binary version", 15) == 0)
            snprintf(line, sizeof line, "-binary version = %d\n", binary);
        if (sys)
            memmove(sys, sys + 4, strlen(sys + 4) + 1);
        fputs(line, out);
    }
    if (in)
        fclose(in);
    return out && fclose(out) == 0;
}

/* The folder of a trace with the given repetitions, made for a configuration. */
static bool prepare(const struct micro *micro, const char *name, unsigned repetitions, bool is_twice,
                    const char *config, char path[TIMING_PATH])
{
    char from[TIMING_PATH], to[TIMING_PATH + 32];
    FILE *list;

    snprintf(from, sizeof from, "%s/%s_%u/kernel-1.traceg", micro->folder, name, repetitions);
    snprintf(path, TIMING_PATH, "%s/now", micro->folder);
    mkdir(path, 0777);
    snprintf(to, sizeof to, "%.4000s/kernel-1.traceg", path);
    if (!copy_kernel(from, to, binary_of(config)))
        return false;
    snprintf(to, sizeof to, "%.4000s/kernelslist.g", path);
    list = fopen(to, "w");
    if (!list)
        return false;
    fputs(is_twice ? "kernel-1.traceg\nkernel-1.traceg\n" : "kernel-1.traceg\n", list);
    return fclose(list) == 0;
}

struct outcome {
    double cycles;                       /* of the last kernel, with its launch latency */
    uint64_t dram_reads;
};

static bool run_one(const struct micro *micro, const char *name, unsigned repetitions, const char *config_name,
                    const struct system_config *config, struct outcome *outcome)
{
    static const char suffix[] = "_second";
    size_t const length = strlen(name), tail = sizeof suffix - 1;
    bool const is_second = length > tail && strcmp(name + length - tail, suffix) == 0;
    char base[128], path[TIMING_PATH], problem[TIMING_PROBLEM];
    struct timing_run run;

    snprintf(base, sizeof base, "%.*s", (int)(is_second ? length - tail : length), name);
    if (!prepare(micro, base, repetitions, is_second, config_name, path)) {
        fprintf(stderr, "micro %s: no trace %s_%u\n", name, base, repetitions);
        return false;
    }
    if (!timing_run(config, path, false, &run, problem)) {
        fprintf(stderr, "micro %s %s: %s\n", name, config_name, problem);
        return false;
    }
    if (run.count > 0) {
        const struct timing_kernel *const last = &run.kernels[run.count - 1];

        *outcome = (struct outcome){(double)(last->cycles + config->gpu.launch_latency_cyc), last->counts.dram_reads};
    }
    timing_run_free(&run);
    return true;
}

static void judge(struct timing_micro_result *result, const char *name, const char *config, double theirs, double ours,
                  bool reaches_dram)
{
    double const error_pct = 100 * fabs(ours - theirs) / theirs;

    if (strncmp(name, "dep_", 4) != 0)
        return;
    if (error_pct > result->worst_pct) {
        result->worst_pct = error_pct;
        snprintf(result->worst, sizeof result->worst, "%s %s", name, config);
    }
    if (reaches_dram) {
        result->close_of++;
        result->close += error_pct <= 2;
    } else if (fabs(theirs - rint(theirs)) < 0.0005) {
        result->exact_of++;
        result->exact += fabs(ours - theirs) < 0.0005;
    }
}

static bool run_row(const struct micro *micro, const struct tsv *table, size_t row)
{
    const char *const name = tsv_text(table, row, "micro"), *const config_name = tsv_text(table, row, "config");
    const char *const step = tsv_text(table, row, "cycles_per_step");
    bool const is_once = strcmp(step, "-") == 0;
    char problem[TIMING_PROBLEM];
    struct system_config config;
    struct outcome few = {0}, many = {0};

    if (!timing_system(micro->oracle, config_name, "", &config, problem)) {
        fprintf(stderr, "micro %s %s: %s\n", name, config_name, problem);
        return false;
    }
    if (is_once) {
        if (!run_one(micro, name, 1, config_name, &config, &few))
            return false;
        printf("micro\t%s\t%s\t%s\t%.0f\n", name, config_name, tsv_text(table, row, "cycles_n64"), few.cycles);
        return true;
    }
    if (!run_one(micro, name, FEW, config_name, &config, &few) ||
        !run_one(micro, name, MANY, config_name, &config, &many))
        return false;
    double const ours = (many.cycles - few.cycles) / (MANY - FEW);
    printf("micro\t%s\t%s\t%s\t%.3f\n", name, config_name, step, ours);
    judge(micro->result, name, config_name, strtod(step, NULL), ours, many.dram_reads > few.dram_reads);
    return true;
}

static bool run_table(const struct micro *micro, const struct tsv *table)
{
    char archive[TIMING_PATH];
    bool is_fine = true;

    snprintf(archive, sizeof archive, "%s/accelsim-micro-traces.tar.xz", micro->oracle);
    if (!run_program((const char *const[]){"tar", "-xJf", archive, "-C", micro->folder, NULL})) {
        fprintf(stderr, "%s: tar can not unpack it\n", archive);
        return false;
    }
    for (size_t row = 0; row < table->rows; row++)
        is_fine = run_row(micro, table, row) && is_fine;
    return is_fine;
}

bool timing_micro(const char *oracle, struct timing_micro_result *result)
{
    const char *const temporary = getenv("TMPDIR");
    struct micro micro = {.oracle = oracle, .result = result};
    struct tsv table;
    bool is_fine;

    snprintf(micro.folder, sizeof micro.folder, "%s/rubato-micro.XXXXXX",
             temporary && temporary[0] ? temporary : "/tmp");
    *result = (struct timing_micro_result){0};
    if (!tsv_open(&table, oracle, "accelsim-micro.tsv"))
        return true;
    result->has_run = true;
    is_fine = mkdtemp(micro.folder) != NULL;
    if (is_fine) {
        is_fine = run_table(&micro, &table);
        run_program((const char *const[]){"rm", "-rf", micro.folder, NULL});
    }
    tsv_close(&table);
    return is_fine;
}
