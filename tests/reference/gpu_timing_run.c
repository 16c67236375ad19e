/* Systems of the reference, and one run of a list on one of them. */
#define _POSIX_C_SOURCE 200809L
#include "tests/reference/gpu_timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/config/import.h"
#include "replay/config/system_config.h"

/* ---- systems */
static const char *const shipped_names[][2] = {
    {"SM6_TITANX", "titanx-accelsim"}, {"SM7_QV100", "qv100-accelsim"}, {"SM75_RTX2060", "rtx2060-accelsim"},
    {"SM86_RTX3070", "rtx3070-accelsim"}, {"SM80_A100", "a100-accelsim"}, {"SM90_H100", "h100-accelsim"}
};

static bool say(char problem[TIMING_PROBLEM], struct fault fault)
{
    snprintf(problem, TIMING_PROBLEM, "%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

/* configs lies beside the folder of this program, or further up for builds of variants, or in the working folder. */
static void path_of(const char *name, char path[TIMING_PATH])
{
    char folder[TIMING_PATH - 64];
    ssize_t const length = readlink("/proc/self/exe", folder, sizeof folder - 1);

    folder[length > 0 ? length : 0] = '\0';
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        *slash = '\0';
        snprintf(path, TIMING_PATH, "%s/configs/gpu/%s.yaml", folder, name);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, TIMING_PATH, "%s", name);
}

static struct fault load(const char *name, struct system_config *config)
{
    char path[TIMING_PATH];

    path_of(name, path);
    config_defaults(config);
    return config_load(config, path);
}

bool timing_shipped(const char *name, const char *const *settings, size_t count, struct system_config *config,
                    char problem[TIMING_PROBLEM])
{
    struct fault fault = load(name, config);

    for (size_t i = 0; i < count && fault.kind == FAULT_NONE; i++)
        fault = config_set(config, settings[i]);
    if (fault.kind == FAULT_NONE)
        fault = config_finish(config);
    return say(problem, fault);
}

/* The options of a column as the text of a file. */
static struct fault import_column(const char *oracle, const char *name, struct config_import *import)
{
    struct fault fault = fault_make(FAULT_INPUT, "%s: no system of that name, and no column of accelsim-config.tsv",
                                    name);
    struct tsv table;

    if (!tsv_open(&table, oracle, "accelsim-config.tsv"))
        return fault;
    for (size_t row = 0; row < table.rows; row++) {
        char text[1024];

        if (!*tsv_text(&table, row, name))
            continue;
        snprintf(text, sizeof text, "%s \"%s\"", tsv_text(&table, row, "option"), tsv_text(&table, row, name));
        fault = config_import_read(import, name, text, strlen(text));
        if (fault.kind != FAULT_NONE)
            break;
    }
    tsv_close(&table);
    return fault;
}

static struct fault load_reference(const char *oracle, const char *name, struct system_config *config)
{
    struct config_import import;
    struct fault fault;

    for (size_t i = 0; i < sizeof shipped_names / sizeof shipped_names[0]; i++) {
        if (strcmp(shipped_names[i][0], name) == 0)
            return load(shipped_names[i][1], config);
    }
    config_import_begin(&import);
    fault = import_column(oracle, name, &import);
    if (fault.kind == FAULT_NONE)
        fault = config_import_system(&import, name, config);
    config_import_end(&import);
    return fault;
}

static struct fault change(const char *options, struct system_config *config)
{
    struct config_import import;
    struct fault fault;

    if (*options == '\0' || strcmp(options, "-") == 0)
        return fault_none();
    config_import_begin(&import);
    fault = config_import_read(&import, "extra_options", options, strlen(options));
    if (fault.kind == FAULT_NONE)
        fault = config_import_change(&import, config);
    config_import_end(&import);
    return fault;
}

bool timing_system(const char *oracle, const char *name, const char *options, struct system_config *config,
                   char problem[TIMING_PROBLEM])
{
    struct fault fault = load_reference(oracle, name, config);

    if (fault.kind == FAULT_NONE)
        fault = change(options, config);
    if (fault.kind == FAULT_NONE)
        fault = config_finish(config);
    return say(problem, fault);
}

/* Variants by the setting they change: an option and a value, or a value of the plain system times a factor. */
bool timing_variant_options(const struct system_config *plain, const char *variant, char *options, size_t size)
{
    const struct gpu_params *const gpu = &plain->gpu;
    const struct {
        const char *variant, *option;
        uint64_t value;
    } numbers[] = {
        {"memcpyoff", "-gpgpu_perf_sim_memcpy", 0},
        {"l1off", "-gpgpu_gmem_skip_L1D", 1},
        {"l1fixed32k", "-gpgpu_adaptive_cache_config", 0},
        {"l1lat2x", "-gpgpu_l1_latency", 2 * gpu->l1.cache.latency_cyc},
        {"dramlat2x", "-dram_latency", 2 * gpu->l2.dram_latency_cyc},
        {"chhalf", "-gpgpu_n_mem", gpu->l2.channels / 2},
        {"launch0", "-gpgpu_kernel_launch_latency", 0},
        {"concurrent", "-gpgpu_concurrent_kernel_sm", 1}
    };
    static const char *const texts[][2] = {
        {"gto", "-gpgpu_scheduler gto"},
        {"dramclk1215", "-gpgpu_clock_domains 1410:1410:1512:1215"},
        {"lat42", "-trace_opcode_latency_initiation_int 4,2 -trace_opcode_latency_initiation_sp 4,2"},
        {"default", "-"},
        {"memcpyfix", "-"},
        {"rtx3070", "-"}                     /* another configuration */
    };
    uint64_t const ways = strcmp(variant, "l2half") == 0     ? gpu->l2.cache.ways / 2
                          : strcmp(variant, "l2eighth") == 0 ? gpu->l2.cache.ways / 8
                                                             : 0;

    *options = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].variant, variant) == 0)
            snprintf(options, size, "%s %llu", numbers[i].option, (unsigned long long)numbers[i].value);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i][0], variant) == 0)
            snprintf(options, size, "%s", texts[i][1]);
    }
    if (ways)
        snprintf(options, size, "-gpgpu_cache:dl2 S:%llu:128:%llu,L:B:m:L:%c,A:%llu:%llu,%llu:0,32",
                 (unsigned long long)gpu->l2.cache.sets, (unsigned long long)ways, "LHPX"[gpu->l2.cache.index],
                 (unsigned long long)gpu->l2.cache.mshrs, (unsigned long long)gpu->l2.cache.merges,
                 (unsigned long long)gpu->l2.cache.miss_queue);
    return *options != '\0';
}

/* ---- one run */
static void keep(const struct gpu_run *from, uint64_t launch_cyc, struct timing_run *run)
{
    for (size_t i = 0; i < from->kernel_count; i++) {
        uint64_t const cycles = from->kernels[i].cycles;

        run->kernels[i].counts = from->kernels[i].counts;
        run->kernels[i].cycles = cycles > launch_cyc ? cycles - launch_cyc : 0;
        run->kernels[i].launch_ps = from->kernels[i].launch_ps;
        run->kernels[i].end_ps = from->kernels[i].end_ps;
    }
    run->count = from->kernel_count;
    run->time_ps = from->done_ps;
}

bool timing_run(const struct system_config *config, const char *list, bool with_copies, struct timing_run *run,
                char problem[TIMING_PROBLEM])
{
    struct gpu_run_options const options = {.ignore_copies = !with_copies};
    struct gpu_source source;
    struct gpu_list commands;
    struct gpu_run *made = NULL;
    struct fault error;

    *run = (struct timing_run){0};
    if (FAILS(error, gpu_list_open(&commands, list))) {
        snprintf(problem, TIMING_PROBLEM, "%s", fault_text(error));
        return false;
    }
    source = gpu_source_of_list(&commands);
    struct fault fault = gpu_run_create(&made, NULL, &config->gpu, &config->memories[0], NULL, &source, &options);
    if (fault.kind == FAULT_NONE) {
        gpu_run_start(made);
        fault = gpu_run_step(made, TICK_NEVER, UINT64_MAX) == GPU_RUN_FINISHED ? fault_none() : made->fault;
    }
    if (fault.kind == FAULT_NONE) {
        run->kernels = calloc(made->kernel_count + 1, sizeof *run->kernels);
        if (run->kernels)
            keep(made, config->gpu.launch_latency_cyc, run);
        else
            fault = fault_make(FAULT_MEMORY, "out of memory");
    }
    if (made)
        gpu_run_destroy(made);
    gpu_list_close(&commands);
    return say(problem, fault);
}

void timing_run_free(struct timing_run *run)
{
    free(run->kernels);
    *run = (struct timing_run){0};
}
