/* A kernel's counters under the names of a run's statistics, so that the verdict has one set of rules. */
#include "replay/session/gpu_kernels.h"

#include <inttypes.h>

#include "memsys/gpu/gpu_params.h"
#include "replay/config/config_values.h"
#include "replay/config/unloaded.h"

enum { KERNEL_DIGITS = 6 };

/* Of the memories that it reaches, behind its own L2. */
static double dram_peak(const struct system_config *config)
{
    struct gpu_params const *const gpu = config_gpu(config);
    double peak = 0;

    if (config_gpu_owns_memory(config))
        return peak_memory_bandwidth(config_memory(config, 0));
    for (unsigned i = 0; i < config_memory_count(config); i++) {
        struct config_range const range = config_memory_range(config, i);
        bool const is_sized = gpu->memory_size_bytes > 0;

        if (range.end > gpu->memory_base && (!is_sized || range.base < gpu->memory_base + gpu->memory_size_bytes))
            peak += peak_memory_bandwidth(config_memory(config, i));
        if (!is_sized && peak > 0)
            break;
    }
    return peak;
}

struct gpu_peaks gpu_peaks_of(const struct system_config *config)
{
    struct gpu_params const *const gpu = config_gpu(config);

    return (struct gpu_peaks){
        .l2_bytes_per_s = gpu->l2.is_absent ? 0 : peak_gpu_l2_bandwidth(gpu), .dram_bytes_per_s = dram_peak(config),
        .warp_insts_per_s = (double)(gpu->sms * gpu->sm.schedulers * gpu->sm.issue_width) * 1e12
                            / (double)gpu->core_clock_ps,
        .warp_slots = gpu->sm.max_threads / 32
    };
}

struct fault gpu_kernel_bound(const struct system_config *config, const struct gpu_peaks *peaks,
                              const struct gpu_kernel_result *kernel, struct verdict_bound *bound)
{
    struct gpu_params const *const params = config_gpu(config);
    struct gpu_figures const values = gpu_kernel_figures(params, peaks, kernel);
    struct figures figures = {0};
    struct verdict verdict;
    struct fault fault;

    *bound = (struct verdict_bound){.cause = CAUSE_COUNT};
#define ADD_COUNTER(name, help) figures_add(&figures, "system.gpu." #name, (double)kernel->counts.name);
    GPU_COUNTERS(ADD_COUNTER)
#undef ADD_COUNTER
    figures_add(&figures, "simTicks", (double)(kernel->end_ps - kernel->start_ps));
    figures_add(&figures, "system.gpu.sectorBytes", (double)params->l2.cache.sector_bytes);
    figures_add(&figures, "system.gpu.dramPeakBW", 1e-6 * peaks->dram_bytes_per_s);
    figures_add(&figures, "system.gpu.occupancy", values.occupancy);
    figures_add(&figures, "system.gpu.gridLimited", kernel->limit == GPU_LIMIT_GRID);
    fault = figures_finish(&figures);
    if (fault.kind == FAULT_NONE) {
        verdict = verdict_of(&figures, NULL);
        if (verdict.gpu.count > 0)
            *bound = verdict.gpu.bounds[0];
    }
    figures_free(&figures);
    return fault;
}

static void put_size(struct json *json, const char *key, const uint32_t size[3])
{
    char text[64];

    snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, size[0], size[1], size[2]);
    json_put_string(json, key, text);
}

static struct fault put_kernel(struct json *json, const struct system_config *config, const struct gpu_peaks *peaks,
                               const struct gpu_kernel_result *kernel)
{
    struct gpu_figures const figures = gpu_kernel_figures(config_gpu(config), peaks, kernel);
    struct verdict_bound bound;

    FORWARD(gpu_kernel_bound(config, peaks, kernel, &bound));
    json_begin_object(json, JSON_TIGHT);
    json_put_number(json, "number", kernel->number);
    json_put_string(json, "name", kernel->name);
    json_put_number(json, "stream_id", kernel->stream);
    put_size(json, "grid", kernel->grid);
    put_size(json, "block", kernel->block);
    json_put_number(json, "launch_ps", kernel->launch_ps);
    json_put_number(json, "start_ps", kernel->start_ps);
    json_put_number(json, "end_ps", kernel->end_ps);
    json_put_number(json, "cycles", kernel->cycles);
    json_put_number(json, "blocks_per_sm", kernel->blocks_per_sm);
    json_put_string(json, "limit", gpu_limit_name(kernel->limit));
    json_put_string(json, "bound", bound.cause == CAUSE_COUNT ? NULL : verdict_key(bound.cause));
    json_put_number(json, "warp_insts", kernel->counts.warp_insts);
    json_put_number(json, "thread_insts", kernel->counts.thread_insts);
#define PUT_FIGURE(name, help) json_put_real(json, #name, figures.name, KERNEL_DIGITS);
    GPU_FIGURES(PUT_FIGURE)
#undef PUT_FIGURE
    json_end(json);
    return fault_none();
}

struct fault gpu_kernels_put(struct json *json, const struct system_config *config, const struct gpu_run *run)
{
    struct gpu_peaks const peaks = gpu_peaks_of(config);
    struct fault fault = fault_none();

    json_begin_array(json, JSON_TIGHT);
    for (size_t i = 0; i < run->kernel_count && fault.kind == FAULT_NONE; i++)
        if (run->kernels[i].is_done)
            fault = put_kernel(json, config, &peaks, &run->kernels[i]);
    json_end(json);
    return fault;
}
