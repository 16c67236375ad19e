/* Time to read a GPU trace: gpu_load PATH [TIMES] reads all thread blocks of a list, folder or store TIMES times
 * (default 1) and prints one line,
 *
 *     INSTRUCTIONS CPU_S
 *
 * warp instructions, and the processor's time of the fastest reading with all its threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/host_facts.h"
#include "proto/gpu/gpu_trace.h"

static bool read_kernel(const struct gpu_list *list, const char *file, uint64_t *insts, struct fault *error)
{
    struct gpu_kernel kernel;
    struct gpu_block *block;
    enum gpu_step step;

    if (FAILS(*error, gpu_list_kernel(&kernel, list, file)))
        return false;
    while ((step = gpu_kernel_next_block(&kernel, &block, error)) == GPU_BLOCK) {
        for (uint32_t warp = 0; warp < block->warp_count; warp++)
            *insts += block->warps[warp].count;
        gpu_block_free(block);
    }
    gpu_kernel_close(&kernel);
    return step == GPU_NO_BLOCK;
}

static bool read_trace(const char *path, uint64_t *insts, struct fault *error)
{
    struct gpu_list list;
    bool good = WORKS(*error, gpu_list_open(&list, path));

    *insts = 0;
    for (size_t i = 0; good && i < list.count; i++)
        good = list.commands[i].kind != GPU_KERNEL || read_kernel(&list, list.commands[i].file, insts, error);
    gpu_list_close(&list);
    return good;
}

int main(int argc, char **argv)
{
    int const times = argc > 2 ? atoi(argv[2]) : 1;
    struct fault error;
    double fastest = 0;
    uint64_t insts = 0;

    if (argc < 2 || times < 1) {
        fputs("usage: gpu_load PATH [TIMES]\n", stderr);
        return 2;
    }
    for (int i = 0; i < times; i++) {
        double const begin = host_process_s();
        double took;

        if (!read_trace(argv[1], &insts, &error)) {
            fprintf(stderr, "gpu_load: %s\n", fault_text(error));
            return 2;
        }
        took = host_process_s() - begin;
        fastest = i == 0 || took < fastest ? took : fastest;
    }
    printf("%" PRIu64 " %.6f\n", insts, fastest);
    return 0;
}
