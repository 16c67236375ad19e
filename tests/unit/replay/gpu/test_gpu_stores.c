/* Nothing is made of nothing: on each card a kernel's stores take the time in which DRAM takes what neither the L2 nor
 * the queues behind it hold, and each byte is then on its way to DRAM or in the L2. L2s are made small, so that few
 * bytes do; cli/gpu_stores.sh has larger kernels, and their whole time. */
#include <inttypes.h>

#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "tests/support/gpu_kernels.h"
#include "tests/support/unit.h"

#define HEAP UINT64_C(0x7f0000000000)

enum { WARPS = 8, STORES = 8, WRITE_QUEUE = 128 };   /* of a block, of a warp, of a controller of any card */

struct pattern {
    const char *name, *opcode, *gcn3;
    uint16_t width;
    unsigned step, spread;                   /* bytes between lanes; sectors between stores of neighbours, times this */
};

/* Several lanes a sector, and a sector a lane with neighbours far apart. */
static const struct pattern patterns[] = {
    {"16 bytes a lane", "STG.E.128", "FLAT_STORE_DWORDX4", 16, 16, 1},
    {"a sector a lane", "STG.E", "FLAT_STORE_DWORD", 4, 0, 7919}
};

static const char *const systems[] = {
    "qv100", "titanx", "rtx2060", "rtx3070", "rtx3070-commands", "a100", "h100", "r9nano", "qv100-accelsim",
    "titanx-accelsim", "rtx2060-accelsim", "rtx3070-accelsim", "a100-accelsim", "h100-accelsim", "r9nano-mgpusim"
};

struct writing {
    struct system_config config;
    struct gpu_kernels kernels;
    struct gpu_run *run;
    bool is_gcn3;
    uint64_t stores, bytes;                  /* bytes: of all sectors that are written */
};

static void start(struct writing *writing, const char *system)
{
    static const char *const small[] = {"gpu.l2.sets=16", "gpu.l2.ways=2", "gpu.l2.index=linear"};
    char path[64];

    snprintf(path, sizeof path, "configs/gpu/%s.yaml", system);
    assert_fine(config_read(&writing->config, path, small, COUNT(small)));
    writing->config.gpu.tlb.page_bytes = 0;
    writing->is_gcn3 = strncmp(system, "r9nano", 6) == 0;
    gpu_kernels_init(&writing->kernels);
}

static void add_stores(struct writing *writing, const struct pattern *pattern, uint64_t wanted)
{
    bool const is_gcn3 = writing->is_gcn3;
    uint64_t const sector = writing->config.gpu.l2.cache.sector_bytes, lanes = is_gcn3 ? 64 : 32;
    uint64_t const step = pattern->step > 0 ? pattern->step : sector;
    uint32_t const blocks = (uint32_t)(wanted / (step * lanes * WARPS * STORES));
    struct gpu_test_kernel *const kernel = gpu_kernels_add(&writing->kernels, is_gcn3 ? GPU_ISA_GCN3 : GPU_ISA_SASS,
                                                           blocks, (uint32_t)lanes * WARPS);
    uint32_t const store = gpu_kernels_static(kernel, is_gcn3 ? pattern->gcn3 : pattern->opcode, "R1 R2 >",
                                              pattern->width);
    uint64_t number = 0;

    writing->stores = (uint64_t)blocks * WARPS * STORES;
    writing->bytes = writing->stores * lanes * step;
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t warp = 0; warp < WARPS; warp++)
            for (unsigned i = 0; i < STORES; i++, number += pattern->spread)
                gpu_kernels_execute(kernel, block, warp, store, is_gcn3 ? UINT64_MAX : UINT32_MAX,
                                    HEAP + number % writing->stores * lanes * step, (int64_t)step);
}

static void run(struct writing *writing)
{
    struct gpu_source const source = gpu_kernels_source(&writing->kernels);

    assert_fine(gpu_run_create(&writing->run, NULL, &writing->config.gpu, &writing->config.memories[0], NULL, &source,
                               NULL));
    gpu_run_start(writing->run);
    if (gpu_run_step(writing->run, TICK_NEVER, UINT64_MAX) != GPU_RUN_FINISHED)
        fail_msg("%s", fault_text(writing->run->fault));
}

static uint64_t l2_bytes(const struct system_config *config)
{
    const struct sector_cache_params *const slice = &config->gpu.l2.cache;

    return (uint64_t)slice->sets * slice->ways * slice->line_bytes * config->gpu.l2.channels * config->gpu.l2.slices;
}

/* Bytes of the queues from the L2 on: of each slice, of the way to DRAM, of the controller. */
static uint64_t queued_bytes(const struct system_config *config)
{
    const struct gpu_l2_params *const l2 = &config->gpu.l2;

    return l2->channels * ((uint64_t)l2->slices * l2->queue + l2->dram_latency_cyc + WRITE_QUEUE)
        * l2->cache.sector_bytes;
}

static void check(const char *system, const struct pattern *pattern)
{
    struct writing writing;
    uint64_t written, held, kept, flying;
    double took, least;

    start(&writing, system);
    kept = l2_bytes(&writing.config);
    add_stores(&writing, pattern, kept + (1 << 20));
    run(&writing);
    written = writing.run->kernels[0].counts.dram_writes * writing.config.gpu.l2.cache.sector_bytes;
    held = writing.bytes - written;
    took = 1e-12 * (double)(writing.run->kernels[0].end_ps - writing.run->kernels[0].start_ps);
    flying = queued_bytes(&writing.config);
    least = ((double)writing.bytes - (double)kept - (double)flying)
        / peak_memory_bandwidth(&writing.config.memories[0]);
    gpu_run_destroy(writing.run);
    gpu_kernels_free(&writing.kernels);
    if (written > writing.bytes || held > kept)
        fail_msg("%s, %s: %" PRIu64 " bytes written, %" PRIu64 " of them to DRAM, and the L2 has %" PRIu64, system,
                 pattern->name, writing.bytes, written, kept);
    if (took < least)
        fail_msg("%s, %s: %.2f us; DRAM alone takes %.2f", system, pattern->name, 1e6 * took, 1e6 * least);
}

static void stores_take_the_time_of_dram(void **state)
{
    for (size_t i = 0; i < COUNT(systems); i++)
        for (size_t j = 0; j < COUNT(patterns); j++)
            check(systems[i], &patterns[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores_take_the_time_of_dram)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
