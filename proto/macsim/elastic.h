/* A thread of a MacSim trace as elastic records: what each micro-op waits for, how long it takes, and when the core
 * fetches what. The same records for a replay, for files that gem5's TraceCPU reads, and for a store.
 *
 * Data records, numbered from `first_seq` without gaps, in program order:
 *   - an access is a LOAD or STORE for each line that it touches, in the order of addresses (`line_bytes`); with compat
 *     it is one, cut at the end of its line. A software prefetch is a LOAD with the prefetch flag;
 *   - a computation or a fence is a COMP;
 *   - the front end is a COMP at the beginning of each fetch block (below);
 *   - a micro-op that nothing can wait for has no record: a NOP, a branch, a computation that writes no register. It
 *     counts in the weight of the record after it; the front end's record stands in the place of one of them.
 * Dependences, on records less than `window` numbers before:
 *   - register (reg_dep, ascending): the records that wrote a source last; the loads of one instruction write together;
 *   - memory order (rob_dep): a store waits for the store before it and the load before it, as the reference's probe
 *     has it (elastic-trace 3.5); a load for the last store to one of its bytes; fences for what stands before them,
 *     and what stands behind them for the fence. A fence waits for all loads before it, back to the fence before;
 *   - fetch order (rob_dep): a block's front end waits for that of the block before it, and for a micro-op that stops
 *     the fetch; a record that depends on no other record of its block waits for the block's front end.
 * comp_delay is the latency of the micro-op's class; of a front end, the cycles that the block before it takes at
 * `width` micro-ops a cycle.
 *
 * Fetches: `fetch_bytes` at a time, aligned. A new block begins where the PC leaves the present one, and after a taken
 * branch. Repeats of one instruction (REP) are fetched once, with a front end more for each 16 cycles of them.
 * A fetch leaves when the block before it has gone through, so the ticks are those of a core that never waits.
 *
 * Use: macsim_elastic_survey for each thread of an application; macsim_elastic_open, macsim_elastic_next until it says
 * MACSIM_END, macsim_elastic_close. Addresses: proto/macsim/pages.h; v_addr holds the trace's. Memory is bounded by the
 * window. Ticks are picoseconds. Errors are those of the stream. */
#ifndef PROTO_MACSIM_ELASTIC_H
#define PROTO_MACSIM_ELASTIC_H

#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"
#include "proto/macsim/pages.h"
#include "proto/macsim/set.h"
#include "proto/macsim/uop.h"

#define MACSIM_ELASTIC_WINDOW 768        /* 3 times the reference's ROB, as the probe's manual advises */
#define MACSIM_ELASTIC_WIDTH 4
#define MACSIM_ELASTIC_LINE_BYTES 64
#define MACSIM_ELASTIC_PERIOD_PS 250     /* 4 GHz, as params_x86 */
#define MACSIM_ELASTIC_TICK_FREQ UINT64_C(1000000000000)

struct macsim_elastic_options {
    struct macsim_uop_options uops;
    uint64_t period_ps;                  /* of the core's clock */
    uint32_t width;                      /* micro-ops a cycle through the front end */
    uint32_t window;                     /* records; header field window_size */
    uint32_t line_bytes, fetch_bytes;    /* powers of two, at most a page */
    uint64_t first_seq;                  /* 1 or more */
    bool only_fetches;                   /* no data records are wanted */
};

/* Of a thread so far. */
struct macsim_elastic_counts {
    uint64_t instructions, uops[MACSIM_UOP_KINDS];
    uint64_t records[DEP_TYPES];
    uint64_t fetches, front_ends;        /* front_ends: records, among those of type COMP */
    uint64_t register_deps, memory_deps, fetch_deps;
    uint64_t pieces;                     /* records beyond the first of their access */
};

/* What one step gave. Valid until the next one. */
struct macsim_elastic_output {
    const struct dep_record *records;
    size_t record_count;
    const struct packet_record *fetches; /* before those records */
    size_t fetch_count;
    uint64_t fetched_before;             /* instructions before the one that these fetches bring */
};

struct macsim_elastic;

/* Defaults as above, x86's latencies, first_seq 1. */
struct macsim_elastic_options macsim_elastic_defaults(void);

/* Reads the thread once: gives its pages frames, counts its instructions and its kinds of micro-ops. */
bool macsim_elastic_survey(const struct macsim_part *part, size_t thread, const struct macsim_elastic_options *options,
                           struct macsim_pages *pages, struct macsim_elastic_counts *counts, struct fault *error);

/* NULL on failure. Borrows part and pages, which more than one may share within a thread of the program. */
struct macsim_elastic *macsim_elastic_open(const struct macsim_part *part, size_t thread,
                                           const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                           struct fault *error);
void macsim_elastic_close(struct macsim_elastic *elastic);
/* The next instruction; it may give no record and no fetch. */
enum macsim_step macsim_elastic_next(struct macsim_elastic *elastic, struct macsim_elastic_output *output,
                                     struct fault *error);
struct macsim_elastic_counts macsim_elastic_counted(const struct macsim_elastic *elastic);
/* What to warn of once the end was reached, also of what was left out or changed; as macsim_stream_warning. */
bool macsim_elastic_warning(const struct macsim_elastic *elastic, unsigned *told, char *text, size_t room);

#endif
