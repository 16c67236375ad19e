/* Stride prefetcher: a load that has moved by the same stride a few times will move by it again.
 *
 * Source: Fu, Patel, Janssens, "Stride directed prefetching in scalar processors", MICRO 1992, in the reference's form
 * (classic-memory 13.3): a table of 16 sets of 4 ways by program counter, random replacement. degree: strides ahead,
 * one line each; distance: strides skipped before them. Not modelled: one table for each requestor, which the
 * reference only intends; it has one for all and empties it whenever it sees a requestor for the first time. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

#include <string.h>

enum { SETS = 16, WAYS = 4, FIRST_CONFIDENCE = 4, HIGHEST_CONFIDENCE = 7, CONFIDENT = 4 };

struct stride_entry {
    uint64_t pc;
    uint64_t last_address;
    int32_t stride;
    uint8_t confidence;
    bool is_valid;
};

struct stride_table {
    struct stride_entry entries[SETS][WAYS];
    bool has_seen[MAX_REQUESTORS];
};

static struct stride_entry *stride_find(struct stride_entry *set, const struct prefetch_access *access)
{
    for (unsigned way = 0; way < WAYS; way++)
        if (set[way].is_valid && set[way].pc == access->pc
            && ((set[way].last_address ^ access->address) & ADDRESS_SECURE) == 0)
            return &set[way];
    return NULL;
}

static void insert(struct prefetcher *prefetcher, struct stride_entry *set, const struct prefetch_access *access)
{
    uint32_t way = random_uniform(&prefetcher->sim->random, 0, WAYS - 1);    /* drawn even if a way is free */

    for (uint32_t i = 0; i < WAYS; i++)
        if (!set[i].is_valid) {
            way = i;
            break;
        }
    set[way] = (struct stride_entry){.pc = access->pc, .last_address = access->address,
                                     .confidence = FIRST_CONFIDENCE, .is_valid = true};
}

static void stride_learn(struct stride_entry *entry, int32_t stride)
{
    if (stride == entry->stride && stride != 0) {
        if (entry->confidence < HIGHEST_CONFIDENCE)
            entry->confidence++;
        return;
    }
    if (entry->confidence > 0)
        entry->confidence--;
    if (entry->confidence < CONFIDENT)
        entry->stride = stride;
}

static void stride_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct stride_table *const table = prefetcher->own;
    int64_t const line_bytes = prefetcher->sim->line_bytes;
    uint64_t const hashed = access->pc >> 1;
    struct stride_entry *const set = table->entries[(hashed ^ (hashed >> 4)) & (SETS - 1)];
    struct stride_entry *entry;
    int32_t stride;
    int64_t step;

    if (!access->has_pc)
        return;
    if (!table->has_seen[access->requestor]) {
        memset(table->entries, 0, sizeof table->entries);
        table->has_seen[access->requestor] = true;
    }
    entry = stride_find(set, access);
    if (!entry) {
        insert(prefetcher, set, access);
        return;
    }
    stride = (int32_t)(uint32_t)(access->address - entry->last_address);
    stride_learn(entry, stride);
    entry->last_address = access->address;
    if (entry->confidence < CONFIDENT)
        return;
    step = stride;
    if (step > -line_bytes && step < line_bytes)
        step = stride < 0 ? -line_bytes : line_bytes;
    for (uint64_t i = 1; i <= prefetcher->degree; i++)
        prefetcher_propose(prefetcher, access->address + (prefetcher->distance + i) * (uint64_t)step);
}

const struct prefetcher_ops prefetch_stride = {
    .name = "stride", .own_bytes = sizeof(struct stride_table), .degree = 4, .distance = 0,
    .training = PREFETCH_TRAINING_FIRST_HITS, .ignores_fetches = true, .train = stride_train
};
