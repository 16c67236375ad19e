#include "replay/regions/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/number_map.h"
#include "proto/trace_formats.h"

#define NEAR 0.1                         /* as a share of a count; of shares of classes, summed over them */
#define WIDEST 1.7                       /* then grids and blocks may differ */

/* ---- the profile */
struct profile {
    struct kernel_launches *list;
    struct number_map seen;              /* of a file's name, its launch plus 1 */
};

static unsigned part_of_class(unsigned cls)
{
    return cls < VECTOR_PARTS ? cls : VECTOR_PARTS - 1;
}

static struct fault count_blocks(struct gpu_kernel *kernel, struct interval *launch)
{
    struct fault fault = fault_none();
    struct gpu_block *block;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, &fault)) == GPU_BLOCK) {
        for (uint32_t warp = 0; warp < block->warp_count; warp++) {
            const struct gpu_warp_list *const list = &block->warps[warp];

            launch->instructions += list->count;
            for (uint32_t i = 0; i < list->count; i++)
                launch->vector[part_of_class(kernel->opcodes[kernel->statics[list->insts[i].index].opcode].cls)]++;
        }
        gpu_block_free(block);
    }
    if (step == GPU_FAILED)
        return fault;
    if (launch->instructions == 0)
        return fault_at(kernel->file, FAULT_NO_OFFSET, "the kernel has no instruction; take it out of the list");
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        launch->vector[i] /= (double)launch->instructions;
    return fault_none();
}

static void take_signature(const struct gpu_header *header, uint64_t *name, uint64_t *shape)
{
    *name = hash64(header->name, strlen(header->name));
    uint64_t const parts[] = {*name, header->grid[0], header->grid[1], header->grid[2], header->block[0],
                              header->block[1], header->block[2]};

    *shape = hash64(parts, sizeof parts);
}

/* A file that was launched before is not read again. */
static struct fault add_launch(struct profile *profile, const struct gpu_list *list, const char *file)
{
    struct block_vectors *const launches = &profile->list->launches;
    struct kernel_launches *const all = profile->list;
    uint64_t *const seen = number_map_put(&profile->seen, hash64(file, strlen(file)) >> 1);
    size_t const at = launches->count;
    struct interval *const launch = &launches->intervals[at];
    struct fault fault = fault_none();

    if (!seen)
        return fault_memory(list->path, NULL);
    if (*seen > 0) {
        *launch = launches->intervals[*seen - 1];
        all->names[at] = all->names[*seen - 1];
        all->shapes[at] = all->shapes[*seen - 1];
    } else {
        struct gpu_kernel kernel;

        FORWARD(gpu_list_kernel(&kernel, list, file));
        *launch = (struct interval){0};
        take_signature(&kernel.header, &all->names[at], &all->shapes[at]);
        fault = count_blocks(&kernel, launch);
        gpu_kernel_close(&kernel);
        *seen = at + 1;
    }
    launch->first_event = at;
    launches->instructions += launch->instructions;
    launches->count++;
    return fault;
}

static struct fault no_kernels(const char *path)
{
    return fault_at(path, FAULT_NO_OFFSET, "the list has no kernel, so there are no regions of it");
}

struct fault kernels_profile(struct kernel_launches *list, const char *path,
                             bool (*progress)(void *context, uint64_t launches), void *context)
{
    struct profile profile = {.list = list};
    struct gpu_list files;
    struct fault fault;

    *list = (struct kernel_launches){0};
    FORWARD(trace_list_open(&files, path, NULL));
    list->launches.intervals = calloc(files.count + 1, sizeof *list->launches.intervals);
    list->names = calloc(files.count + 1, sizeof *list->names);
    list->shapes = calloc(files.count + 1, sizeof *list->shapes);
    fault = list->launches.intervals && list->names && list->shapes ? fault_none() : fault_memory(path, NULL);
    for (size_t i = 0; i < files.count && fault.kind == FAULT_NONE; i++) {
        if (files.commands[i].kind != GPU_KERNEL)
            continue;
        fault = add_launch(&profile, &files, files.commands[i].file);
        if (progress && progress(context, list->launches.count))
            break;
    }
    gpu_list_close(&files);
    number_map_free(&profile.seen);
    return fault.kind == FAULT_NONE && list->launches.count == 0 ? no_kernels(path) : fault;
}

void kernels_free(struct kernel_launches *list)
{
    block_vectors_free(&list->launches);
    free(list->names);
    free(list->shapes);
    *list = (struct kernel_launches){0};
}

/* ---- groups */
struct grouping {
    const struct kernel_launches *list;
    const uint64_t *keys;                /* names or shapes */
    double near;
    size_t *leaders;                     /* of each group: its first launch */
};

static bool is_near(const struct grouping *grouping, size_t leader, size_t launch)
{
    const struct interval *const first = &grouping->list->launches.intervals[leader];
    const struct interval *const other = &grouping->list->launches.intervals[launch];
    double const count = (double)first->instructions, off = fabs((double)other->instructions - count);
    double apart = 0;

    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        apart += fabs(first->vector[i] - other->vector[i]);
    return grouping->keys[leader] == grouping->keys[launch] && off <= grouping->near * count
        && apart <= grouping->near;
}

/* Returns the number of groups, or most + 1 if there are more. */
static uint32_t group_all(const struct grouping *grouping, struct phases *groups, uint32_t most)
{
    const struct block_vectors *const launches = &grouping->list->launches;
    uint32_t count = 0;

    for (size_t i = 0; i < launches->count; i++) {
        uint32_t group = 0;

        while (group < count && !is_near(grouping, grouping->leaders[group], i))
            group++;
        if (group == count) {
            if (count == most)
                return most + 1;
            grouping->leaders[count++] = i;
        }
        groups->of[i] = group;
    }
    return count;
}

/* The launch of a group whose count is nearest to the mean; of several the middle one, as the first has cold caches. */
static size_t centre_of(const struct phases *groups, const struct kernel_launches *list, uint32_t group)
{
    double const mean = (double)groups->instructions[group] / (double)groups->intervals[group];
    double best = INFINITY;
    size_t ties = 0, at = 0;

    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0, tie = 0; i < list->launches.count; i++) {
            double const off = fabs((double)list->launches.intervals[i].instructions - mean);

            if (groups->of[i] != group)
                continue;
            if (pass == 0) {
                ties = off < best ? 1 : ties + (off <= best);
                best = fmin(best, off);
            } else if (off <= best && tie++ == ties / 2) {
                at = i;
            }
        }
    return at;
}

static void describe(struct phases *groups, const struct kernel_launches *list)
{
    for (size_t i = 0; i < list->launches.count; i++) {
        groups->instructions[groups->of[i]] += list->launches.intervals[i].instructions;
        groups->intervals[groups->of[i]]++;
    }
    for (uint32_t group = 0; group < groups->count; group++)
        groups->centre[group] = centre_of(groups, list, group);
}

struct fault kernels_group(struct phases *groups, const struct kernel_launches *list, uint32_t most)
{
    size_t const launches = list->launches.count;
    struct grouping grouping = {.list = list, .keys = list->shapes, .near = NEAR,
                                .leaders = malloc(launches * sizeof *grouping.leaders)};
    uint32_t const limit = launches < UINT32_MAX ? (uint32_t)launches : UINT32_MAX - 1;

    most = most < limit ? most : limit;
    *groups = (struct phases){.of = malloc(launches * sizeof *groups->of),
                              .centre = calloc(launches, sizeof *groups->centre),
                              .instructions = calloc(launches, sizeof *groups->instructions),
                              .intervals = calloc(launches, sizeof *groups->intervals)};
    if (!grouping.leaders || !groups->of || !groups->centre || !groups->instructions || !groups->intervals) {
        free(grouping.leaders);
        return fault_make(FAULT_MEMORY, "out of memory for the groups of kernels");
    }
    while ((groups->count = group_all(&grouping, groups, most)) > most) {
        grouping.near *= 2;
        if (grouping.near <= WIDEST)
            continue;
        if (grouping.keys == list->names)
            most = limit;                /* more names than groups were wanted */
        grouping.keys = list->names;
        grouping.near = most == limit ? WIDEST : NEAR;
    }
    describe(groups, list);
    free(grouping.leaders);
    return fault_none();
}
