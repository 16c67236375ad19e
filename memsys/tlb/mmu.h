/* MMU of a core: two L1 TLBs, for data and for instructions, an L2 TLB behind both, and a page walker (virtual-memory 4
 * and 5). It sits between the core and its L1 caches.
 *
 * Packets already carry physical addresses; the MMU translates the virtual address that maps to them
 * (memsys/vm/vm_space.h). A request whose page is in the L1 TLB passes on in the same call. Another one is kept, and
 * sent when its translation is there. Responses and snoops pass through. Prefetches that leave their page are
 * translated, too (mmu_translate_prefetch), and go back to the cache whose they are.
 *
 * Use: mmu_init; mmu_connect for each side, between core and cache; mmu_connect_walker, if walks do not read in the
 * L1D; then it lives from its neighbours' calls and its events. mmu_free before sim_free.
 * Order: requests of a side and a page leave in the order in which they came; those of other pages may overtake.
 * Flow control: as in memsys/sim/port.h. A side refuses a request whose page misses if it has no room for it, and any
 * request while others wait for the cache.
 * Units: ticks are picoseconds, latencies cycles of the core. Ownership: packets that it keeps are its own. */
#ifndef MEMSYS_TLB_MMU_H
#define MEMSYS_TLB_MMU_H

#include "memsys/sim/histogram.h"
#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"
#include "memsys/tlb/tlb.h"
#include "memsys/vm/vm_space.h"

enum mmu_side_number { MMU_DATA, MMU_INST, MMU_SIDES };
#define MMU_NAME_BYTES 40
#define MMU_LATENCY_BINS 20
#define MMU_PREFETCHES 32                /* caches whose prefetches it translates */

struct stats;
struct tlb_params;

/* field, name, unit, help: of one side */
#define MMU_SIDE_STATISTICS(S)                                                                                        \
    S(accesses, "accesses", "Count", "requests that passed, or wait")                                                 \
    S(hits, "hits", "Count", "requests whose page was in the L1 TLB")                                                 \
    S(misses, "misses", "Count", "requests whose page was not")                                                       \
    S(merged, "mergedMisses", "Count", "of these, those whose page was being looked for already")                     \
    S(refused, "refused", "Count", "requests refused, for want of room or because the cache took none")               \
    S(waited_ps, "waitTicks", "Tick", "time that requests waited for a translation, of all together")                 \
    S(stalled_ps, "stallTicks", "Tick", "time in which at least one request waited for a translation")                \
    S(untranslated, "untranslated", "Count", "requests for what is no page of a space; they pass")

#define MMU_L2_STATISTICS(S)                                                                                          \
    S(l2_accesses, "accesses", "Count", "pages looked up")                                                            \
    S(l2_hits, "hits", "Count", "pages found")                                                                        \
    S(l2_misses, "misses", "Count", "pages not found")

#define MMU_WALKER_STATISTICS(S)                                                                                      \
    S(walks, "walks", "Count", "page walks begun")                                                                    \
    S(huge_walks, "hugeWalks", "Count", "of these, for pages of 2 MiB")                                               \
    S(merged_walks, "mergedWalks", "Count", "misses that joined a walk of the other side")                            \
    S(walk_reads, "reads", "Count", "entries of page tables that walks read")                                         \
    S(queued_ps, "queueTicks", "Tick", "time that misses waited for a free walk, of all together")                    \
    S(level4_hits, "level4Hits", "Count", "walks that began with an entry of level 4 from a walk cache")              \
    S(level3_hits, "level3Hits", "Count", "walks that began with an entry of level 3")                                \
    S(level2_hits, "level2Hits", "Count", "walks that began with an entry of level 2")

#define MMU_STATISTIC_FIELD(field, name, unit, help) uint64_t field;
struct mmu_side_stats { MMU_SIDE_STATISTICS(MMU_STATISTIC_FIELD) };
struct mmu_stats {
    MMU_L2_STATISTICS(MMU_STATISTIC_FIELD)
    MMU_WALKER_STATISTICS(MMU_STATISTIC_FIELD)
    struct histogram walk_latency;       /* ps, from the begin of a walk to its last entry */
};

struct packet_list {
    struct packet *first, *last;
};

/* Who takes the prefetches of one requestor when they have been translated: request->address is the physical one. */
struct mmu_prefetches {
    void (*take)(void *self, const struct request *request);
    void *self;
    requestor_id requestor;
};

enum miss_state { MISS_IS_FREE, MISS_IN_L2, MISS_IN_QUEUE, MISS_IN_WALK };

/* A page of which a side waits for the translation. */
struct mmu_miss {
    enum miss_state state;
    struct tlb_key key;
    struct vm_page page;
    struct mmu_side *side;
    struct mmu_miss *next;               /* of the same state */
    uint64_t due_ps;                     /* MISS_IN_L2: when the answer is there; MISS_IN_QUEUE: since when */
    struct packet_list packets;
    uint64_t packet_count, arrival_sum_ps;
};

struct miss_list {
    struct mmu_miss *first, *last;
};

struct mmu_walk {
    bool is_busy;
    struct tlb_key key;
    struct vm_page page;
    unsigned level;                      /* of the entry that is being read; in a host's tables, that is read next */
    unsigned host_level;                 /* of the host's entry that is being read; 0: a guest's entry, or no host */
    uint64_t guest_address;              /* which the host translates */
    bool has_leaf;                       /* only the page itself is left to translate */
    uint64_t begin_ps;
    uint64_t due_ps;                     /* its entry has come, and is used then */
    struct mmu_walk *next;               /* by due_ps */
};

struct mmu_side {
    struct mmu *mmu;
    struct above core;
    struct below cache;
    struct tlb small, huge;
    struct mmu_miss *misses;
    uint64_t miss_limit, miss_count, target_limit;
    struct packet_list ready;            /* translated; they wait for the cache */
    bool is_refused;                     /* by the cache, which will call */
    bool owes_retry;                     /* to the core ... */
    bool has_news;                       /* ... for which something has changed since */
    uint64_t waiting, waiting_since_ps;  /* misses with requests, and since when there are any */
    struct mmu_side_stats stats;
};

struct mmu {
    struct sim *sim;
    struct clock_domain clock;
    const struct vm_memory *memory;
    struct space *own;                   /* of a core whose addresses are physical; else NULL */
    struct mmu_side sides[MMU_SIDES];
    struct tlb l2;
    bool has_l2;
    uint64_t l2_latency_cyc;
    struct event lookup_event, work_event, walk_event;
    struct miss_list in_l2, in_queue;    /* by due_ps; first come, first served */
    struct tlb walk_caches[VM_LEVELS + 1];
    struct space *host;                  /* of nested walks; NULL: they are not */
    struct tlb nested;                   /* pages of the guest */
    struct mmu_walk *walks, *arrived;
    uint64_t walk_limit, walk_count, walk_step_ps, first_touch_ps;
    unsigned least_reads;
    struct packet_list reads;            /* of walks, not sent yet */
    struct below walker;                 /* ops NULL: reads go through the data side */
    bool is_walker_refused;
    requestor_id requestor;
    struct mmu_prefetches prefetches[MMU_PREFETCHES];
    unsigned prefetches_count;
    struct mmu_stats stats;
    char name[MMU_NAME_BYTES], walker_name[MMU_NAME_BYTES + 8];
};

struct mmu_setup {
    struct sim *sim;
    const char *core;                    /* "cpu0": the MMU is cpu0.mmu */
    uint64_t period_ps;
    const struct tlb_params *params;     /* checked by the configuration */
    const struct vm_memory *memory;      /* borrowed */
    struct space *own;                   /* NULL: the memory knows all pages */
};

/* Registers a requestor, reserves two events. FAULT_MEMORY. The MMU may not move in memory afterwards. */
struct fault mmu_init(struct mmu *mmu, const struct mmu_setup *setup);
void mmu_free(struct mmu *mmu);

/* Connects a side; core, cache: their ports. mmu_below and mmu_above are the MMU's own ports for the core and the
 * cache. */
void mmu_connect(struct mmu *mmu, enum mmu_side_number side, struct above core, struct below cache);
struct below mmu_below(struct mmu *mmu, enum mmu_side_number side);
struct above mmu_above(struct mmu *mmu, enum mmu_side_number side);

/* Translates for the prefetcher of a cache of the core, by that side. request->address is virtual, of the space of the
 * page at `from`. A translation that the L1 TLB does not have is looked for like the core's, and fills the TLBs; two
 * misses stay free for the core, and none is begun while walks wait. True: `take` is called, now or later, or the page
 * does not exist; false: there is no room. */
bool mmu_translate_prefetch(struct mmu *mmu, enum mmu_side_number side, const struct request *request, uint64_t from);
/* Physical address of a virtual one, of the space of the page at `from`; VM_NOWHERE: it is not mapped. A trace does not
 * say which pages the program has: one that it has not touched so far is touched now. */
uint64_t mmu_place_of(const struct mmu *mmu, uint64_t address, uint64_t from);
/* The virtual address of a physical one; VM_NOWHERE: it is in no page of a space. */
uint64_t mmu_virtual_of(const struct mmu *mmu, uint64_t physical);
/* At most MMU_PREFETCHES of them (asserted). */
void mmu_add_prefetches(struct mmu *mmu, struct mmu_prefetches prefetches);

/* If walks read at a crossbar instead of the L1D: the walker's side, to connect above the crossbar, and the
 * crossbar's, for mmu_connect_walker. */
struct above mmu_walker_above(struct mmu *mmu);
void mmu_connect_walker(struct mmu *mmu, struct below below);

/* What the translation of a request leaves in TLBs and walk caches, at once; for runs that begin warm. physical: as in
 * requests of that side. read: called for each entry of page tables that the walk reads. Statistics do not count it. */
void mmu_warm(struct mmu *mmu, enum mmu_side_number side, uint64_t physical,
              void (*read)(void *context, uint64_t address), void *context);
/* The same for a page that nothing need be read for: it is the one used last. */
void mmu_warm_last(struct mmu *mmu, enum mmu_side_number side, uint64_t physical);

void mmu_reset_stats(struct mmu *mmu, uint64_t now_ps);
/* Adds "system.<core>.mmu". */
void mmu_add_stats(struct mmu *mmu, struct stats *stats);
/* Brings statistics that depend on time up to the present. */
void mmu_sync(struct mmu *mmu);

/* Where a request for that address waits, for stall reports: true if it does. */
bool mmu_describe(const struct mmu *mmu, uint64_t address, char *text, size_t size);

#endif
