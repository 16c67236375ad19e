/* A choice of kernels of a list, as users write it: "3-7,9", "5-" for all from the fifth on. Counted from 1.
 *
 * Use: begin with {0}, gpu_pick_add any number of times, gpu_pick_check when the list is known, gpu_pick_apply to the
 * options of a run, which borrow it. Ownership: plain values. */
#ifndef REPLAY_GPU_KERNEL_PICK_H
#define REPLAY_GPU_KERNEL_PICK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "replay/gpu/run.h"

enum { GPU_PICK_MAX = 64 };

struct gpu_pick {
    struct gpu_kernel_range ranges[GPU_PICK_MAX];
    size_t count;                        /* 0: all kernels */
};

/* Joins those of the text to those that are there. False: it is no such text, or they are too many. */
bool gpu_pick_add(struct gpu_pick *pick, const char *text);
/* FAULT_INPUT: a range begins behind the list's end. `what` names the choice and `name` the list. */
struct fault gpu_pick_check(const struct gpu_pick *pick, const struct gpu_list *list, const char *what,
                            const char *name);
void gpu_pick_apply(const struct gpu_pick *pick, struct gpu_run_options *options);

#endif
