/* Hooks of the fast engine in the memory of a GPU: they announce the data structures that are read next
 * (memsys/fast/bind_memory.h). The plain engine has no hooks. Nothing of the model changes in them. */
#ifndef MEMSYS_GPU_GPU_HOOKS_H
#define MEMSYS_GPU_GPU_HOOKS_H

#include <stdint.h>

struct gpu_slices;
struct gpu_slice;
struct gpu_slot;
struct sector_cache;

struct gpu_hooks {
    /* The slice's first request was taken, another one is behind it. */
    void (*request_is_next)(const struct gpu_slices *slices, const struct gpu_slice *slice);
    /* A sector came back from DRAM for that MSHR, and waits for its fill. */
    void (*fill_is_next)(const struct sector_cache *cache, uint64_t address, uint32_t mshr);
    /* A slice sends an answer. */
    void (*answer_is_sent)(const struct gpu_slot *slot);
};

#endif
