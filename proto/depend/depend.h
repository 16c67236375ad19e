/* Elastic records and fetches of a thread's instructions, from their micro-ops in program order: the dependences of
 * each, its latency, and the fetches with their times. One set of rules for MacSim's threads and instruction traces.
 *
 * Data records, numbered from `first_seq` without gaps, in program order:
 *   - an access is a LOAD or STORE for each line that it touches, in the order of addresses (`line_bytes`); with
 *     first_piece_only it is one, cut at the end of its line. A software prefetch is a LOAD with the prefetch flag;
 *   - a computation or a fence is a COMP;
 *   - the front end is a COMP at the beginning of each fetch block (below);
 *   - a micro-op that nothing can wait for has no record: a NOP, a branch, a computation that writes no register. It
 *     counts in the weight of the record after it; the front end's record takes the place of one of them.
 * Dependences, on records less than `window` numbers before:
 *   - register (reg_dep, ascending): the records that wrote a source last; the loads of one instruction write together,
 *     unless loads_write_apart;
 *   - memory order (rob_dep): a store waits for the store before it and the load before it, as the reference's probe
 *     has it (elastic-trace 3.5); a load for the last store to one of its bytes; fences for the records before them,
 *     and the records after them for the fence. A fence waits for all loads before it, back to the fence before;
 *   - fetch order (rob_dep): a block's front end waits for that of the block before it, and for a micro-op that stops
 *     the fetch; a record that depends on no other record of its block waits for the block's front end.
 * comp_delay is the latency of the micro-op; of a front end, the cycles that the block before it takes at `width`
 * micro-ops a cycle.
 *
 * Fetches: `fetch_bytes` at a time, aligned. A new block begins where the PC leaves the present one, and after a taken
 * branch. Repeats of one instruction (REP) are fetched once, with a front end more for each 16 cycles of them.
 * A fetch leaves when the block before it has gone through, so the ticks are those of a core that never waits.
 *
 * Of traces without dependences (is_in_order) nothing of this is known but fetches; then accesses are issued in program
 * order, within the reorder buffer of the core:
 *   - an access waits (rob_dep) until the access before it was sent, and then as many cycles as `width` micro-ops a
 *     cycle take for those between the two, or as long as the trace says (gap_ps). It counts these in its weight, so
 *     the core's window holds it back until the access that is `rob` micro-ops older has its answer;
 *   - with waits_for_answers it waits until the accesses before it were answered (reg_dep on a load, and DEP_ALONE),
 *     and then for its gap_ps. In files, which have no DEP_ALONE, a store has its answer when it is sent;
 *   - so does an instruction that is_alone;
 *   - with are_lines an access to a line that another is under way to waits for its answer (DEP_AFTER_ANSWER): it is
 *     one request with that, and no miss of its own. The next access does not wait for it;
 *   - with keeps_times gaps add up to a time since the beginning, which is its comp_delay (DEP_AT_TIME): it is sent
 *     then, or as soon as it may be;
 *   - a load waits for the last store to one of its bytes, too;
 *   - a COMP follows each 16 cycles of micro-ops without an access, and one is at the end. So time and window advance
 *     while an access waits for its answer;
 *   - if the first record has to wait and nothing was fetched before it, a COMP without delay precedes it, since the
 *     reference begins with the first record's end.
 *
 * Use: depend_open, depend_put for each instruction, depend_end, depend_close. Memory is bounded by the window. Ticks
 * are picoseconds. Ownership: borrows the space; outputs are valid until the next call. */
#ifndef PROTO_DEPEND_DEPEND_H
#define PROTO_DEPEND_DEPEND_H

#include "base/fault.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"

#define DEPEND_TICK_FREQ UINT64_C(1000000000000)

enum { DEPEND_MAX_SOURCES = 16, DEPEND_MAX_DESTINATIONS = 9 };

/* suffix, name */
#define DEPEND_KINDS(K)                                                                                               \
    K(NOP, "nop") K(LOAD, "load") K(PREFETCH, "prefetch") K(ALU, "alu") K(STORE, "store")                             \
    K(BRANCH, "branch") K(FENCE, "fence")

#define DEPEND_KIND_ENUM(suffix, name) DEPEND_##suffix,
enum depend_kind { DEPEND_KINDS(DEPEND_KIND_ENUM) DEPEND_KIND_COUNT };

/* suffix; waits for loads, for stores; held up are loads, stores. OWN_ACQUIRE: waits for the loads of its instruction
 * alone; OWN_RELEASE: holds up those of its instruction alone. */
#define DEPEND_FENCES(F)                                                                                              \
    F(LOAD, true, false, true, false) F(STORE, false, true, false, true) F(FULL, true, true, true, true)              \
    F(ACQUIRE, true, false, true, true) F(RELEASE, true, true, true, true)                                            \
    F(OWN_ACQUIRE, true, false, true, true) F(OWN_RELEASE, true, true, false, false)

#define DEPEND_FENCE_ENUM(suffix, loads, stores, holds_loads, holds_stores) DEPEND_FENCE_##suffix,
enum depend_fence { DEPEND_FENCES(DEPEND_FENCE_ENUM) DEPEND_FENCE_COUNT };

struct depend_uop {
    uint8_t kind;                        /* enum depend_kind */
    uint8_t fence;                       /* fences: enum depend_fence */
    bool stops_fetch;                    /* the fetch stops until it is complete */
    uint8_t source_count, destination_count;
    uint32_t latency_cyc;
    uint32_t bytes;                      /* accesses; not 0 */
    uint64_t address;
    uint16_t sources[DEPEND_MAX_SOURCES];            /* below `registers`, all of which tie to later micro-ops */
    uint16_t destinations[DEPEND_MAX_DESTINATIONS];
};

struct depend_instruction {
    bool has_pc;                         /* without, it is not fetched */
    bool is_taken;                       /* a branch, and taken */
    bool is_target;                      /* control came here from elsewhere than the instruction before */
    bool is_alone;                       /* its accesses wait for the responses to all before */
    bool is_part;                        /* of the instruction before, as which it was counted */
    uint64_t pc;
    uint32_t size_bytes;                 /* 0: taken as 1 */
    uint64_t gap;                        /* instructions before it of which nothing is known, and ... */
    uint64_t gap_ps;                     /* ... time that passed before it besides; both is_in_order only */
    const struct depend_uop *uops;
    size_t uop_count;
};

/* Where virtual addresses lie. place: UINT64_MAX if that is not known, which is a fault. */
struct depend_space {
    uint64_t (*place)(void *self, uint64_t address);
    void *self;
    bool is_identity;                    /* addresses are physical, without virtual ones */
};

struct depend_options {
    uint64_t period_ps;                  /* of the core's clock */
    uint32_t width;                      /* micro-ops a cycle through the front end */
    uint32_t window;                     /* records; header field window_size */
    uint32_t line_bytes, fetch_bytes;    /* powers of two, at most a page */
    uint32_t registers;                  /* one more than the highest */
    uint64_t first_seq;                  /* 1 or more */
    bool only_fetches;                   /* no data records are wanted; accesses are placed all the same */
    bool first_piece_only, loads_write_apart;        /* defects of MacSim */
    bool is_in_order;                    /* no dependences are known; then ... */
    bool keeps_times;                    /* ... gap_ps add up from the beginning, for records that are replayed here */
    bool are_lines;                      /* ... accesses are requests of whole lines */
    bool waits_for_answers;              /* ... gap_ps counts from the answer to the access before */
};

/* Of a thread so far. */
struct depend_counts {
    uint64_t instructions, uops[DEPEND_KIND_COUNT];  /* gaps are both one instruction each, and one NOP */
    uint64_t records[DEP_TYPES];
    uint64_t fetches, front_ends;        /* front_ends: records, among those of type COMP */
    uint64_t register_deps, memory_deps, fetch_deps;
    uint64_t pieces;                     /* records beyond the first of their access */
};

/* The output of one step. */
struct depend_output {
    const struct dep_record *records;
    size_t record_count;
    const struct packet_record *fetches; /* before those records */
    size_t fetch_count;
    uint64_t fetched_before;             /* instructions before the one that these fetches bring */
};

enum depend_problem { DEPEND_GOOD, DEPEND_LACKS_MEMORY, DEPEND_LACKS_PAGE };

struct depend;

/* NULL: out of memory. */
struct depend *depend_open(const struct depend_options *options, const struct depend_space *space);
void depend_close(struct depend *depend);
/* The next instruction; its output may have neither record nor fetch. After a problem nothing more is given. */
enum depend_problem depend_put(struct depend *depend, const struct depend_instruction *instruction,
                               struct depend_output *output);
/* The remaining output at the end, or where the thread is going to wait for another one: instructions after the last
 * record. */
enum depend_problem depend_end(struct depend *depend, struct depend_output *output);
/* All earlier records are complete, without dependents: numbers continue from first_seq, and ticks restart at 0. */
void depend_restart(struct depend *depend, uint64_t first_seq);
const struct depend_counts *depend_counted(const struct depend *depend);

const char *depend_kind_name(enum depend_kind kind);

#endif
