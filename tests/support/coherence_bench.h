/* A bench for coherence: random cores on a random tree of tiny caches, every port of caches, memories and cores
 * watched.
 *
 * Packets carry no data; the bench gives them some. The version of a line is the number of writes performed on it.
 * The cores send no pc, so the field request.pc of each packet is free to carry a version: it travels with the packet
 * and its copies and no component looks at it. The bench keeps the versions of blocks. Shims between the components
 * observe them, so that the model is tested unchanged:
 *   coherence_system.c    the random tree, its cores and memories
 *   coherence_shadow.c    the shims: which data a packet carries, when a write is performed
 *   coherence_check.c     the invariants between two events, and the report of a violation
 *
 * Use: coherence_bench_run with a seed; an empty `failure` means that all held. Units: picoseconds. */
#ifndef TESTS_SUPPORT_COHERENCE_BENCH_H
#define TESTS_SUPPORT_COHERENCE_BENCH_H

#include "memsys/cache/cache_params.h"
#include "memsys/noc/crossbar.h"
#include "memsys/cache/cache.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/noc/noc_params.h"
#include "memsys/prefetch/prefetch_params.h"

enum {
    COHERENCE_CORES = 8,
    COHERENCE_AGENTS = 2 * COHERENCE_CORES,
    COHERENCE_CACHES = COHERENCE_AGENTS + COHERENCE_CORES + 3,
    COHERENCE_CROSSBARS = COHERENCE_CORES + 4,
    COHERENCE_WINDOW = 8,
    COHERENCE_LINES = 16,            /* those that the cores use: cacheable ones, then uncacheable ones */
    COHERENCE_MEMORY_SIDE = 9,       /* level of the memory-side cache; the cores' are 1, 2, 3 */
    COHERENCE_TEXT = 8192
};

struct coherence_bench;

struct coherence_request {
    bool is_live, is_performed;
    unsigned command, line;
    uint64_t address, issued_ps;
    uint64_t version;                /* of the line when it was issued */
};

/* One port of a core. */
struct coherence_agent {
    struct coherence_bench *bench;
    char name[16];
    requestor_id requestor;
    bool is_fetch;
    struct below cache;
    struct event issue;
    struct packet *refused;          /* waits for the cache's retry */
    struct coherence_request requests[COHERENCE_WINDOW];
    unsigned live, window, left, answered;
    uint64_t next_store;             /* where a stream of stores continues */
};

struct coherence_params {
    struct cache_params cache;
    struct prefetcher_params prefetcher;
};

struct coherence_cache {
    struct cache cache;
    struct coherence_bench *bench;
    char name[16];
    unsigned level;
    struct coherence_params params;
    struct below inside_below;       /* the cache itself; its neighbours see the shim */
    struct above inside_above;
    struct below outside_below;      /* the component below; the cache sees a shim there, too */
    uint64_t versions[COHERENCE_LINES + 1];
    /* Eviction of the line from the temporary block, made while the MSHR that had filled it stayed. */
    const struct packet *left_behind[COHERENCE_LINES + 1];
};

enum coherence_memory_kind { COHERENCE_SIMPLE, COHERENCE_DRAM, COHERENCE_MOODY };

/* The moody memory answers after a random time, in any order, and refuses requests at random. */
struct coherence_memory {
    struct coherence_bench *bench;
    enum coherence_memory_kind kind;
    struct simple_memory simple;
    struct mem_ctrl dram;
    struct above above;
    struct packet_queue answers;
    struct event retry;
    struct below inside;
    uint64_t versions[COHERENCE_LINES + 1];
};

struct coherence_bench {
    struct sim sim;
    uint64_t seed, random;
    struct coherence_agent agents[COHERENCE_AGENTS];
    struct coherence_cache caches[COHERENCE_CACHES];
    struct crossbar crossbars[COHERENCE_CROSSBARS];
    char crossbar_names[COHERENCE_CROSSBARS][16];
    struct noc_params bus_params[2];
    struct coherence_memory memory;
    unsigned core_count, agent_count, cache_count, crossbar_count;
    unsigned cached_lines, line_count;
    unsigned line_weight;            /* of a full-line store and other rare things, see issue in coherence_system.c */
    uint64_t pause_ps, patience_ps;
    uint64_t current[COHERENCE_LINES + 1];       /* versions; the last entry is for all lines without writers */
    uint64_t highest[COHERENCE_LINES + 1];       /* the same, but where a write was lost after an overtaking */
    uint32_t touched;                /* lines that the event in progress may have changed, as bits */
    /* The race that is the reference's own, coherence_shadow.c: caches whose request has overtaken their eviction of
     * the line, as bits, until nothing of that is left. */
    uint32_t overtakers[COHERENCE_LINES + 1];
    uint64_t overtakings, stale_loads, stale_stores, lost_stores;
    uint32_t disturbed, unsettled;   /* overtaken lines whose copies were not as they must be; the same at the end */
    uint64_t steps, reads_checked, writes_performed;
    char failure[COHERENCE_TEXT];
};

/* Builds the system of that seed, lets every port send `requests` requests, checks after each event and once more at
 * the end, and frees all but the result: failure and the counters. */
void coherence_bench_run(struct coherence_bench *bench, uint64_t seed, unsigned requests);

/* ---- between the files */

/* coherence_system.c */
void coherence_build(struct coherence_bench *bench, unsigned requests);
void coherence_free(struct coherence_bench *bench);
uint64_t coherence_random(struct coherence_bench *bench, uint64_t below);
uint64_t coherence_line_address(const struct coherence_bench *bench, unsigned line);
/* Number of the line; COHERENCE_LINES for one that the cores do not use. */
unsigned coherence_line(const struct coherence_bench *bench, uint64_t address);
struct coherence_request *coherence_request_of(struct coherence_bench *bench, const struct packet *packet);

/* coherence_shadow.c: what the neighbours get instead of the component. */
struct below coherence_shim_below(struct coherence_cache *cache);
struct above coherence_shim_above(struct coherence_cache *cache);
/* What the cache gets as its below in place of `below`. */
struct below coherence_shim_outside(struct coherence_cache *cache, struct below below);
struct below coherence_shim_memory(struct coherence_memory *memory);

/* coherence_check.c */
/* Of a line that is overtaken it counts the line as disturbed; else the same as coherence_fail. */
void coherence_deviate(struct coherence_bench *bench, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void coherence_fail(struct coherence_bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
void coherence_check(struct coherence_bench *bench);
/* Place of the request, over the whole system. */
void coherence_describe(const struct coherence_bench *bench, uint64_t address, char *text, size_t size);
/* The system of the seed in a few lines. */
void coherence_describe_system(const struct coherence_bench *bench, char *text, size_t size);

#endif
