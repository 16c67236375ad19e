/* Launches of GPU kernels as intervals of a program, and groups of launches that are alike.
 *
 * Use: kernels_profile; kernels_group; then choose_of_phases (choose.h); kernels_free and phases_free. An interval is a
 * launch; its first event is the number of launches before it, its instructions are warp instructions, its vector
 * is the share of each class of instructions.
 * A launch is in the group of the first earlier one with the same kernel name, grid and block whose count of warp
 * instructions and shares of classes are near. If that makes more groups than are wanted, near is made wider, and then
 * grids and blocks may differ.
 * Sources: Naderan-Tahan et al., "Sieve", ISPASS 2023 (groups by name, instructions, block size; weights by
 * instructions); Baddouh et al., "Principal Kernel Analysis", MICRO 2021 (counts of instructions by class).
 * Deterministic. Errors: those of the readers. */
#ifndef REPLAY_REGIONS_LAUNCHES_H
#define REPLAY_REGIONS_LAUNCHES_H

#include "replay/regions/phases.h"

struct kernel_launches {
    struct block_vectors launches;
    uint64_t *names, *shapes;            /* of each: hash of its name; of name, grid and block */
};

/* progress: called after each launch with their number; may be NULL; true: stop. FAULT_INPUT also if the list has no
 * kernel, or one has no instruction. */
struct fault kernels_profile(struct kernel_launches *list, const char *path,
                             bool (*progress)(void *context, uint64_t launches), void *context);
/* most: groups that are wanted at most, 1 to PHASES_MOST; kernels with other names are never in one. */
struct fault kernels_group(struct phases *groups, const struct kernel_launches *list, uint32_t most);
void kernels_free(struct kernel_launches *list);

#endif
