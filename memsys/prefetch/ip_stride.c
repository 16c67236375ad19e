/* Stride prefetcher that runs ahead: an instruction whose addresses keep their distance is followed by lines that are
 * fetched up to `distance` strides before it.
 *
 * Sources: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data prefetching" (the L1 "instruction
 * pointer-based stride prefetcher": a table by instruction, strides forward and backward); Software Optimization Guide
 * for the AMD Zen4 Microarchitecture (57647), "Data prefetch" ("L1 Stride": additional lines when each access of an
 * instruction is a constant distance from the previous). Neither says how far ahead, nor how large the table is: 64
 * entries, four of a set, the one used least recently goes, a stride counts when it has been seen three times. degree:
 * strides by which the front moves for one access, so that it grows as long as it is behind; distance: strides from the
 * access to the front at most.
 *
 * Unlike `stride`, which proposes the same few strides for each access, it keeps for each instruction how far its front
 * is, and proposes only what lies beyond. Strides shorter than a line are followed line by line. A front that is
 * refused (a page that may not be entered) stays where it is, and is tried again at the next access. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { IP_SETS = 16, IP_WAYS = 4, IP_CONFIDENT = 2, IP_MOST_CONFIDENT = 3 };

struct ip_entry {
    uint64_t pc, last_use;
    uint64_t last_address;
    int64_t stride;
    uint32_t ahead;                      /* steps from the last access to the front */
    uint8_t confidence;                  /* how often the stride came again */
};

struct ip_table {
    struct ip_entry entries[IP_SETS][IP_WAYS];       /* last_use 0: free */
    uint64_t uses;
};

/* NULL: the entry is new, and knows only this address. */
static struct ip_entry *ip_find(struct ip_table *table, const struct prefetch_access *access)
{
    uint64_t const hashed = access->pc ^ (access->pc >> 4) ^ (access->pc >> 8);
    struct ip_entry *const set = table->entries[hashed % IP_SETS];
    struct ip_entry *victim = set;

    for (unsigned way = 0; way < IP_WAYS; way++) {
        if (set[way].last_use && set[way].pc == access->pc
            && ((set[way].last_address ^ access->address) & ADDRESS_SECURE) == 0) {
            set[way].last_use = ++table->uses;
            return &set[way];
        }
        if (set[way].last_use < victim->last_use)
            victim = &set[way];
    }
    *victim = (struct ip_entry){.pc = access->pc, .last_use = ++table->uses, .last_address = access->address};
    return NULL;
}

/* A stride that does not come again loses confidence first, and then gives way. */
static void ip_learn(struct ip_entry *entry, int64_t stride)
{
    if (stride == entry->stride) {
        entry->confidence = (uint8_t)(entry->confidence + (entry->confidence < IP_MOST_CONFIDENT));
    } else if (entry->confidence > 0) {
        entry->confidence--;
        entry->ahead = 0;
    } else {
        entry->stride = stride;
        entry->ahead = 0;
    }
}

static void ip_follow(struct prefetcher *prefetcher, const struct prefetch_access *access, struct ip_entry *entry)
{
    int64_t const line = prefetcher->sim->line_bytes;
    bool const is_short = entry->stride > -line && entry->stride < line;
    int64_t const step = !is_short ? entry->stride : entry->stride < 0 ? -line : line;

    for (uint32_t i = 0; i < prefetcher->degree && entry->ahead < prefetcher->distance; i++) {
        if (!prefetcher_propose(prefetcher, access->address + (entry->ahead + 1) * (uint64_t)step))
            return;
        entry->ahead++;
    }
}

static void ip_stride_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct ip_entry *const entry = access->has_pc ? ip_find(prefetcher->own, access) : NULL;
    int64_t stride;

    if (!entry || entry->last_address == access->address)
        return;
    stride = (int64_t)(access->address - entry->last_address);
    ip_learn(entry, stride);
    if (entry->ahead > 0 && sim_line_address(prefetcher->sim, entry->last_address) != access->line_address)
        entry->ahead--;
    entry->last_address = access->address;
    if (entry->confidence >= IP_CONFIDENT)
        ip_follow(prefetcher, access, entry);
}

const struct prefetcher_ops prefetch_ip_stride = {
    .name = "ip_stride", .own_bytes = sizeof(struct ip_table), .degree = 2, .distance = 16,
    .training = PREFETCH_TRAINING_ACCESSES, .ignores_fetches = true, .train = ip_stride_train
};
