/* Tables learnt about the instructions of a trace, as bytes, to be kept in its store (proto/store/store_file.h).
 *
 * Use: window_learnt_put after window_learn; window_learnt_take into an empty table, in place of learning: micro-ops
 * are the same. window_learnt_rules checks that the data was learnt by the present rules,
 * for the same captured core.
 *
 * Bytes: number of pcs; of each, in rising order, the difference of its pc from that of the one before, FLAGS and
 * FIELDS (window_learnt.c) in their order, the differences of its targets from its pc, the number in this order of the
 * pc that resolves it, how many sources, and their numbers; items marked absent by flags or fields are omitted. All
 * are varints as protobuf's, differences as zigzag. */
#ifndef REPLAY_WINDOW_WINDOW_LEARNT_H
#define REPLAY_WINDOW_WINDOW_LEARNT_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/text.h"
#include "proto/store/store.h"
#include "replay/detailed/uops/supply.h"
#include "replay/window/pcs.h"
#include "replay/window/window_stream.h"

/* To be changed with the bytes or the learning, unless only constants of rules.h change. */
enum { WINDOW_LEARNT_VERSION = 11 };

uint64_t window_learnt_rules(const struct captured_core *captured);
/* text->failed: out of memory. */
void window_learnt_put(const struct window_pcs *pcs, struct text *text);
/* `name`: of the store, for faults. */
struct fault window_learnt_take(struct window_pcs *pcs, const uint8_t *bytes, size_t count, const char *name);

/* Tables learnt from a trace, kept in its store.
 *
 * Use: window_kept_find for the setup of a window; if it finds none, learn from the trace and store the result by
 * window_kept_add. window_kept_learn does both for a store alone, window_kept_pack while one is being made.
 * Ownership: bytes are the store's. */

struct window_setup;

/* Sets learnt and learnt_bytes if the store has tables learnt by these rules for the setup's captured core. A fault:
 * they are damaged. */
struct fault window_kept_find(const struct store *store, struct window_setup *setup);
/* Writes them to a store file, in place of its old ones. captured: NULL: the reference's, as for the others. */
struct fault window_kept_add(const char *path, const struct captured_core *captured, const struct text *learnt);
/* Learns from the records of a store file, and adds the tables to it. */
struct fault window_kept_learn(const char *path);
/* As store_pack (proto/store/store_pack.h), with the learnt tables in the store. A trace that the model does not
 * support is a fault only if `must`; else its store has no tables. */
struct fault window_kept_pack(const char *dep_path, const char *fetch_path, const char *store_path, bool must);

/* Properties of a trace's instructions, learnt in one pass: latencies (elastic-truth 3.2), sizes (3.4), branches that
 * have one target (3.5), serialising ones (3.6), where hidden ones have their sources (3.7).
 *
 * Use: window_learn; then window_pc_at. */

struct fault window_learn(struct window_feed *feed);

/* Finds the producer that resolved a mispredicted branch, of which the trace has only the weight: the right path has
 * its next result a fixed time after the last source of the branch had its own, so the captured times identify it
 * among the micro-ops before the branch (docs/window.md).
 *
 * Use: window_resolve_learn for each hidden micro-op that was mispredicted, the one given last; window_resolve_decide
 * at the end. */

/* False: out of memory. */
bool window_resolve_learn(struct window_pc *pc, struct window_stream *stream, const struct window_op *op);
void window_resolve_decide(struct window_pc *pc);

/* Which filtered micro-ops are fences: the first load behind one waits for all that is older than it.
 *
 * Use: window_barriers_hidden for each filtered micro-op; window_barriers_computed, _load and _store for what the
 * right path executed; window_barriers_decide at the end. Where a misprediction or a miss of the L1I lies between,
 * the caller sets count to 0. */

enum {
    WINDOW_BARRIER_RUNS = 8,             /* filtered micro-ops in a row count as one, which is the last of them */
    WINDOW_BARRIER_STORES = 32           /* a power of two; that many may hold data that a load needs */
};

struct window_barriers {
    unsigned count;
    struct { int32_t pc_number; uint64_t older_done; } runs[WINDOW_BARRIER_RUNS];
    struct { uint64_t address, end; } stores[WINDOW_BARRIER_STORES];     /* the last ones */
    uint64_t store_count;
};

/* `older_done`: when all before it were done. `follows`: the micro-op before it was filtered, too. */
void window_barriers_hidden(struct window_barriers *barriers, int32_t pc_number, uint64_t older_done, bool follows);
/* `start`: when it executed, `delay` after what it depends on; ticks. A computation that waits as long shows that what
 * holds up loads holds up all. */
void window_barriers_computed(struct window_barriers *barriers, const struct window_pcs *pcs, uint64_t start,
                              uint64_t period);
void window_barriers_load(struct window_barriers *barriers, const struct window_feed *feed,
                          const struct window_record *load);

static inline void window_barriers_store(struct window_barriers *barriers, uint64_t address, uint64_t size_bytes)
{
    unsigned const slot = (unsigned)(barriers->store_count++ % WINDOW_BARRIER_STORES);

    barriers->stores[slot].address = address;
    barriers->stores[slot].end = address + size_bytes;
}

void window_barriers_decide(struct window_pc *pc);

/* What the capture's fetch did: its L1I, as tags (3.6), and the cycles that it takes for the micro-ops at their places.
 * A loop that takes more than that, though nothing in the core holds it up, goes through a line that no record names:
 * of the filtered micro-ops before its head the last one lies there (docs/window.md).
 *
 * Use: window_fetched_op for each micro-op, then window_fetched_turn if it has a record, and window_fetched_jump if
 * fetch goes elsewhere behind it; window_fetched_decide at the end. Once a record was looked at, has_missed is the
 * caller's to set to false. */
struct window_fetched {
    uint64_t line, sets[RULE_L1I_SETS][2];
    bool has_missed;                     /* a line since the record before was not there */
    uint64_t cycles;                     /* so far, if nothing but fetch takes time */
    uint32_t group;                      /* micro-ops since the last jump, modulo the width */
    bool has_jumped;                     /* right before the next one */
};

/* A jump takes a cycle, wherever it leads; so does going on into the next line. */
static inline void window_fetched_line(struct window_fetched *fetched, uint64_t line)
{
    if (line == fetched->line)
        return;
    fetched->line = line;
    fetched->cycles += !fetched->has_jumped;
    fetched->has_missed |= !timeline_hits(fetched->sets, RULE_L1I_SETS, line * TIMELINE_LINE_BYTES);
}

static inline void window_fetched_op(struct window_fetched *fetched, const struct window_pc *pc, uint32_t width)
{
    uint64_t const size = pc->size_bytes > 0 ? pc->size_bytes : 4;

    window_fetched_line(fetched, pc->pc / TIMELINE_LINE_BYTES);
    fetched->has_jumped = false;
    window_fetched_line(fetched, (pc->pc + size - 1) / TIMELINE_LINE_BYTES);
    if (++fetched->group == width) {
        fetched->group = 0;
        fetched->cycles++;
    }
}

static inline void window_fetched_jump(struct window_fetched *fetched)
{
    fetched->cycles++;
    fetched->group = 0;
    fetched->has_jumped = true;
}

/* `older_done`: when all before it were done. */
void window_fetched_turn(const struct window_feed *feed, const struct window_op *op,
                         const struct window_fetched *fetched, uint64_t older_done, bool is_far);
void window_fetched_decide(struct window_pc *pc);

/* ---- integers */
/* Which results are integers: what a load's address is computed of, and the sources of what computes an integer in one
 * cycle. What converts a floating-point number or compares two takes longer (own, docs/window.md).
 *
 * Use: window_integers_read for each producer of a record; window_integers_decide at the end. */
void window_integers_read(struct window_pcs *pcs, const struct window_record *record, int32_t producer);
void window_integers_decide(struct window_pcs *pcs, uint64_t period);

/* System calls: they have neither record nor weight. */

/* The pc of one between an op and the next; 0: none is there. */
uint64_t window_system_call_behind(const struct window_pcs *pcs, const struct window_op *op);
/* Fills both; `number`: its own. */
void window_system_call_make(struct supply_insn *insn, struct uop *uop, uint64_t pc, uint64_t number);

/* Where loads of wrong paths read that the capture had not finished. Those of its squashed loads that it had finished
 * tell how well each of window_reads guesses that.
 *
 * Use: window_reads_learn for each op that has them; window_reads_decide at the end; then window_reads_guess. */

void window_reads_learn(const struct window_stream *stream, const struct window_op *op);
void window_reads_decide(struct window_pc *pc);
/* The nth (from 0) load of this pc on the wrong path before the record at `place`; false: not known. */
bool window_reads_guess(const struct window_feed *feed, enum window_reads reads, int32_t pc_number, uint64_t place,
                        uint32_t nth, uint64_t *address);

/* The producers of a micro-op's sources (elastic-truth 3.7, docs/window.md). Each one that has a result
 * writes a register of its own: its number modulo a power of two that no dependence reaches over.
 *
 * Use: window_sources_begin; for each micro-op one of the two that fill its sources. */

/* Where the sources of a hidden micro-op are from, the surest first. */
enum source_kind {
    SOURCE_UNREAD,                       /* a result that no record reads (5, 7) */
    SOURCE_RESOLVER,                     /* fits the time of its mispredictions */
    SOURCE_LEARNT,                       /* those of a recorded instance */
    SOURCE_GUESSED,
    SOURCE_NONE
};

struct window_sources {
    const struct window_feed *feed;
    struct window_stream *stream;        /* whose latest op but one is the one that is asked for */
    uint64_t registers;                  /* a power of two */
};

void window_sources_begin(struct window_sources *sources, struct window_stream *stream, uint64_t registers);
void window_sources_of_record(const struct window_sources *sources, struct uop *uop,
                              const struct window_record *record, uint64_t number);
/* 5, 4: when the latest known source of a mispredicted op had its result, in the capture's time; 0: none is known. */
uint64_t window_sources_done(const struct window_sources *sources, const struct window_op *op);
/* When the nearest result before a mispredicted op that no record reads was there; 0: no such result. */
uint64_t window_sources_unread(const struct window_sources *sources, const struct window_op *op);
enum source_kind window_sources_of_hidden(const struct window_sources *sources, struct uop *uop,
                                          const struct window_op *op, uint64_t number);

#endif
