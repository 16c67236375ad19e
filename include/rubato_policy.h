/* Modules for rubato: prefetchers, replacement policies, direction predictors, branch target buffers and predictors of
 * indirect jumps as shared objects. C17 and C++11.
 *
 * Use: a shared object exports one object, `const struct rubato_module rubato_module`. `rubato plugin build x.c -o
 * x.so` compiles it; `--set l1d.prefetcher=./x.so`, `l2.replacement=./x.so`, `cpu.branchPred.type=./x.so`, `.BTB=`,
 * `.indirectBranchPred=` use it. Its parameters are keys: l1d.prefetcher.module.NAME, l2.replacement_module.NAME,
 * cpu.branchPred.type_module.NAME, BTB_module, indirect_module. docs/extending.md has one module of each kind.
 *
 * Version: RUBATO_POLICY_VERSION. Structs only grow at their end, and a module of an older minor form stays valid; a
 * change that breaks modules raises the version, and rubato refuses modules of another version.
 *
 * Instances: `create` is called once for each cache (or core, for branch predictors) that uses the module, `destroy` at
 * the end. Several systems may live in one process and share what a module keeps outside its instances, unless it
 * tells them apart by `system` of struct rubato_place. An instance is called by one thread at a time, and never while
 * another call to it is active.
 *
 * Order and time, of one cache. `host->cycle` is the clock of the cache, in its cycles from the beginning of the run;
 * it never runs backwards.
 *   access    when the cache has handled a request: after the tag look-up, and after a miss has got its MSHR. A policy
 *             hears of it at the look-up, before its prefetcher does.
 *   victim    when a line comes in and all ways of its set are valid, in the same cycle before `evicted` and `fill`.
 *   evicted   before the line is gone: the line can still be read.
 *   fill      when the line is in the cache, before waiting requests are answered. First the policy, then prefetchers.
 *   cycle     at the beginning of each cycle of the cache's clock, only if the pointer is set.
 *   branch    when fetch has predicted a branch (prefetchers of an L1I below a detailed core).
 *   warmup_end  the statistics restart: all counters are 0 afterwards.
 *   run_end   the run is over; counters may still be changed.
 *
 * Results must depend on the calls alone: no clock, no address of memory, no random numbers but host->random.
 */
#ifndef RUBATO_POLICY_H
#define RUBATO_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUBATO_POLICY_VERSION 1
#define RUBATO_MOST_PARAMETERS 16
#define RUBATO_MOST_STATISTICS 64
#define RUBATO_MOST_LEVELS 3             /* that a prefetch may go down */
#define RUBATO_NO_WAY UINT32_MAX         /* of an access: the line is not in the cache */
#define RUBATO_BYPASS UINT32_MAX         /* answer of victim: the line is not kept */
#define RUBATO_NO_CORE UINT32_MAX        /* the request has no core */

/* ---- what a module consists of */

enum rubato_type { RUBATO_COUNT, RUBATO_YES_NO, RUBATO_NUMBER };

union rubato_value {
    uint64_t count;                      /* RUBATO_COUNT; RUBATO_YES_NO: 0 or 1 */
    double number;                       /* RUBATO_NUMBER */
};

/* A key of the module's own. Bounds are inclusive. */
struct rubato_parameter {
    const char *name;                    /* letters, digits, _ */
    const char *unit;                    /* for readers: "lines", "bits" */
    const char *help;
    enum rubato_type type;
    union rubato_value fallback, lowest, highest;
};

/* A counter of the module's own: it appears in statistics, results and reports as system.l1d.prefetcher.module.NAME. */
struct rubato_counter {
    const char *name, *unit, *help;
};

enum rubato_slot {
    RUBATO_IS_PREFETCHER, RUBATO_IS_REPLACEMENT, RUBATO_IS_DIRECTION, RUBATO_IS_BTB, RUBATO_IS_INDIRECT
};

/* Where an instance works. Of branch predictors only slot, name, core, cores and system
 * count. */
struct rubato_place {
    uint32_t slot;                       /* enum rubato_slot */
    uint32_t core, cores;                /* core: RUBATO_NO_CORE for a cache of several; cores: of the system */
    const char *name;                    /* "l1d", "cpu0.l2"; lives as long as the instance */
    const char *kind;                    /* "l1d", "l2": as in the configuration */
    uint32_t sets, ways, line_bytes, page_bytes;
    uint32_t mshrs, write_buffers, prefetch_queue;
    uint32_t hit_cycles;
    uint64_t clock_ps;
    bool is_virtual;                     /* addresses of prefetches are virtual */
    uint64_t system;                     /* the same for all instances of a system, and for no other system that
                                          * lives; no result may depend on its value */
};

enum rubato_queue { RUBATO_MSHRS, RUBATO_READ_QUEUE, RUBATO_WRITE_QUEUE, RUBATO_PREFETCH_QUEUE };

/* State of a line. */
struct rubato_line {
    uint64_t address, virtual_address;
    uint32_t metadata;
    bool is_valid, is_dirty;
    bool is_prefetched;                  /* brought by a prefetch, and not used since */
};

/* What the simulator does for a module. The pointer given to `create` is valid until `destroy`, and is the first
 * argument of each function. */
struct rubato_host {
    /* Asks for the line of an address. levels_below 0: into this cache; 1: into the cache below alone; 2 or 3: into the
     * cache that number of levels below alone, or the last one if there are fewer. False: refused,
     * as the queue is full, the page is another one than that of the access (see RUBATO_CROSSES_PAGES), or the address
     * is in no memory. */
    bool (*prefetch)(const struct rubato_host *host, uint64_t address, uint32_t levels_below, uint32_t metadata);
    uint64_t (*cycle)(const struct rubato_host *host);
    /* Instructions that a core has retired (records of an elastic one), since the beginning of the run. */
    uint64_t (*retired)(const struct rubato_host *host, uint32_t core);
    /* False until the warm-up has ended; true without one. */
    bool (*is_warm)(const struct rubato_host *host);
    /* Share of the peak bandwidth of all memories that was in use of late, in thousandths; measured again once 1024
     * cycles of the cores have passed. */
    uint32_t (*memory_bandwidth)(const struct rubato_host *host);
    uint32_t (*occupancy)(const struct rubato_host *host, enum rubato_queue queue);
    uint32_t (*capacity)(const struct rubato_host *host, enum rubato_queue queue);
    /* A way of a set. */
    void (*line)(const struct rubato_host *host, uint32_t set, uint32_t way, struct rubato_line *line);
    uint32_t (*set_of)(const struct rubato_host *host, uint64_t address);
    /* RUBATO_NO_WAY: the line of the physical address is not here. */
    uint32_t (*way_of)(const struct rubato_host *host, uint64_t address);
    /* Random numbers of this instance alone, the same in each run. */
    uint64_t (*random)(const struct rubato_host *host);
};

/* ---- what a module hears of */

/* Types of accesses. WRITE: a store, at the cache that the core stores to; RFO: a request from above for a line that
 * will be written; UPGRADE: the same without data; TRANSLATION: of a page walk; FETCH: of instructions. */
enum rubato_request_type {
    RUBATO_TYPE_LOAD, RUBATO_TYPE_RFO, RUBATO_TYPE_PREFETCH, RUBATO_TYPE_WRITE, RUBATO_TYPE_TRANSLATION,
    RUBATO_TYPE_FETCH, RUBATO_TYPE_WRITEBACK, RUBATO_TYPE_UPGRADE
};

struct rubato_request {
    uint64_t address;                    /* physical, of the byte that the core asked for */
    uint64_t virtual_address;            /* the same where no TLB is */
    uint64_t pc;                         /* 0 unless has_pc */
    uint64_t instruction;                /* number of the core's instruction or record */
    uint32_t set, way;                   /* way: RUBATO_NO_WAY of a miss */
    uint32_t core;
    uint32_t metadata;                   /* from the prefetcher above */
    uint8_t type;                        /* enum rubato_request_type */
    bool hit;
    bool first_use;                      /* of a line that a prefetch of this cache had brought */
    bool has_pc;
    bool joined;                         /* a miss to a line that is already on its way */
};

struct rubato_fill {
    uint64_t address, virtual_address, pc, instruction;
    uint64_t evicted_address, evicted_virtual_address;
    uint32_t set, way, core;             /* way: RUBATO_NO_WAY, the line is not kept */
    uint32_t metadata;                   /* that came with the line */
    uint32_t evicted_metadata;
    uint8_t type;                        /* of the request that fills */
    bool has_pc;
    bool prefetched;                     /* by a prefetch of this cache, which no request has joined */
    bool has_evicted, evicted_dirty;
    bool evicted_unused;                 /* brought by a prefetch, and never used */
};

struct rubato_eviction {
    uint64_t address, virtual_address;
    uint32_t set, way, metadata;
    bool dirty, unused;
    bool for_fill;                       /* false: another cache took the line, or its set is emptied */
};

enum rubato_branch_kind {
    RUBATO_RETURN, RUBATO_CALL_DIRECT, RUBATO_CALL_INDIRECT, RUBATO_DIRECT_COND, RUBATO_DIRECT_UNCOND,
    RUBATO_INDIRECT_COND, RUBATO_INDIRECT_UNCOND
};

struct rubato_branch {
    uint64_t pc, fall_through, sequence;
    uint8_t kind;                        /* enum rubato_branch_kind */
    bool is_conditional;
    bool is_taken;                       /* as predicted; in train as it turned out */
    uint64_t target;                     /* likewise: where fetch goes on */
};

/* ---- kinds; a pointer that is NULL is never called */

enum rubato_observes { RUBATO_ON_ALL, RUBATO_ON_MISSES, RUBATO_ON_FIRST_HITS /* and misses */ };

enum rubato_prefetcher_flag {
    /* A full queue drops its oldest candidate in favour of a new one, a candidate is queued once, and an access removes
     * that of its line: the rules of the built-in prefetchers. Without it a full queue refuses. */
    RUBATO_DROPS_OLDEST = 1,
    /* Prefetches may go to other pages, as with the key cross_pages: with TLBs and in a cache of one core addresses of
     * prefetches are virtual, and are translated before they are queued. */
    RUBATO_CROSSES_PAGES = 2,
    RUBATO_FILLS_BELOW = 4,              /* levels_below may be 1 to RUBATO_MOST_LEVELS */
    /* Prefetches may go to any physical address of a memory; addresses stay physical. */
    RUBATO_ANY_FRAME = 8
};

struct rubato_prefetcher {
    uint32_t types;                      /* accesses it hears of: 1 << enum rubato_request_type, joined; 0: all but
                                          * UPGRADE */
    uint32_t observes;                   /* enum rubato_observes; the key train_on overrides it */
    uint32_t flags;                      /* enum rubato_prefetcher_flag */
    /* Both answer the metadata that go on: of an access with its miss to the level below, or with its answer; of a fill
     * with the answer to the level above. */
    uint32_t (*access)(void *self, const struct rubato_request *access);
    uint32_t (*fill)(void *self, const struct rubato_fill *fill);
    void (*evicted)(void *self, const struct rubato_eviction *eviction);
    void (*cycle)(void *self);
    void (*branch)(void *self, const struct rubato_branch *branch);
};

struct rubato_replacement {
    /* Hits, and misses (way: RUBATO_NO_WAY). */
    void (*access)(void *self, const struct rubato_request *access);
    /* All ways are valid. A way, or RUBATO_BYPASS. The line may stay after all. Must be set. */
    uint32_t (*victim)(void *self, const struct rubato_request *access);
    void (*fill)(void *self, const struct rubato_fill *fill);
    void (*evicted)(void *self, const struct rubato_eviction *eviction);
};

/* `state` has state_bytes bytes, aligned to 8, for each branch in flight; predict finds zeros. Branches of wrong paths
 * are predicted and undone, youngest first; train is called in program order when the branch commits. */
struct rubato_direction {
    size_t state_bytes;
    bool (*predict)(void *self, void *state, const struct rubato_branch *branch);    /* also of unconditional ones */
    /* Speculative history; all three or none. shift: fetch goes on as branch says. undo: as before predict. correct:
     * undo, then shift with the outcome. */
    void (*shift)(void *self, void *state, const struct rubato_branch *branch);
    void (*undo)(void *self, void *state, const struct rubato_branch *branch);
    void (*correct)(void *self, void *state, const struct rubato_branch *branch);
    void (*train)(void *self, void *state, const struct rubato_branch *branch);
};

struct rubato_btb {
    /* False: unknown. *always_taken may be set: then the direction predictor does not count. */
    bool (*predict)(void *self, const struct rubato_branch *branch, uint64_t *target, bool *always_taken);
    /* A taken branch had no target, or a wrong one. */
    void (*update)(void *self, const struct rubato_branch *branch);
    void (*train)(void *self, const struct rubato_branch *branch);        /* each branch, when it commits */
};

struct rubato_indirect {
    bool (*predict)(void *self, const struct rubato_branch *branch, uint64_t *target);
    void (*train)(void *self, const struct rubato_branch *branch);        /* each branch, when it commits */
};

struct rubato_module {
    uint32_t version;                    /* RUBATO_POLICY_VERSION */
    uint32_t bytes;                      /* sizeof(struct rubato_module) */
    uint32_t flags;                      /* 0 */
    const char *name, *help;
    const struct rubato_parameter *parameters;
    uint32_t parameter_count;            /* at most RUBATO_MOST_PARAMETERS */
    const struct rubato_counter *statistics;
    uint32_t statistic_count;            /* at most RUBATO_MOST_STATISTICS */
    /* values: one for each parameter; counters: one for each statistic, 0 at first, for the module to count in. Both
     * live as long as the instance. NULL: out of memory. */
    void *(*create)(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters);
    void (*destroy)(void *self);
    void (*warmup_end)(void *self);
    void (*run_end)(void *self);
    /* The kinds that the module is; at least one. */
    const struct rubato_prefetcher *prefetcher;
    const struct rubato_replacement *replacement;
    const struct rubato_direction *direction;
    const struct rubato_btb *btb;
    const struct rubato_indirect *indirect;
    uint32_t most_cores;                 /* of a system; 0: any number */
    /* NULL, or why no instance can work at this place, such as "it has arrays for 64 sets"; asked before create of a
     * cache's prefetcher or policy. Pointer NULL: any place. */
    const char *(*refuses)(const struct rubato_place *place);
};

#ifdef __cplusplus
#define RUBATO_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define RUBATO_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif

#endif
