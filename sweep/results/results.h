/* Results: one SQLite file that remembers every point that was run. Tables: sweep/results/schema.h.
 *
 * Promises. (1) Points accepted by results_add survive a kill of the program at any moment, except those of the last
 * tenth of a second; after a loss of power the file is whole, and may lack the last seconds. (2) One process writes at
 * a time; others may read meanwhile, unless it was opened for a writer alone. (3) A file that is not in use is a
 * single file, unless its writer was killed, or another process read for seconds when it closed the file; the next
 * writer tidies up. (4) A full disk, a read-only file, a damaged file, or a foreign one, is a fault, and its contents
 * are kept. (5) A row is read as it was written: each point and the list of points have checksums; a point that does
 * not fit its own is failed, and the others stay. A reader sees the file as it was when it opened it.
 *
 * How: write-ahead log, synchronous NORMAL (the log is synced when it is copied into the file, not at each point,
 * since a killed process takes nothing from the kernel's buffers); points that come quickly share a transaction;
 * another process copies the log meanwhile (sweep/results/results.h); journal_mode DELETE again when the writer closes
 * the file. A lock file (PATH.lock) keeps a second sweep out; a killed writer leaves it behind unlocked. A writer
 * that is alone holds SQLite's lock all the time: no shared memory is used, so the file may lie on a network file
 * system, as long as one host at a time opens it.
 *
 * Use: results_open, results_begin with the plan, results_known, results_add for each point, results_close. Readers:
 * results_open, results_axes, results_read, results_close. After a fork only the parent may use it. */
#ifndef SWEEP_RESULTS_RESULTS_H
#define SWEEP_RESULTS_RESULTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "sweep/plan/plan.h"

struct results;

enum results_access { RESULTS_READ, RESULTS_WRITE, RESULTS_WRITE_ALONE };

enum { RESULTS_HASH_TEXT = 17 };

/* Writing creates a missing file. */
struct fault results_open(struct results **made, const char *path, enum results_access access);
/* The fault of a writer names the part of the file that could not be written; it is closed in any case. NULL is
 * fine. */
struct fault results_close(struct results *results);
/* In a forked child: gives up the inherited lock, and touches nothing else. */
void results_forget(struct results *results);

/* Makes the plan's points the ones that results_read lists. Existing points stay. A file whose pages or
 * indexes do not fit together is a fault, unless `mends`: then damaged rows are removed, to be run again. */
struct fault results_begin(struct results *results, const struct plan *plan, bool mends);

/* Each point that was run, of any sweep; a damaged one counts as failed. */
struct fault results_known(struct results *results,
                           void (*visit)(void *self, uint64_t hash, bool is_failed, double cpu_s), void *self);

struct results_point {
    uint64_t hash, traces_hash;
    const char *system, *traces, *version;
    const char *config;                  /* NULL: none */
    const char *error;                   /* NULL: it did not fail */
    const char *statistics;              /* NULL: it failed */
    double wall_s, cpu_s;
};

/* Replaces the stored point of that hash. */
struct fault results_add(struct results *results, const struct results_point *point);
/* Commits the added points, at once or if it is time. For pauses between points; the rest is done by
 * results_add and results_close. */
struct fault results_keep(struct results *results, bool is_at_once);
/* Takes over the points that are complete in another file and missing or failed in this one. The other file must not
 * be in use. */
struct fault results_merge(struct results *results, const char *path, size_t *added);

/* Keys of the axes; they live as long as the results. */
const char *const *results_axes(const struct results *results, size_t *count);

/* A point of the sweep; texts are valid during the call. */
struct results_row {
    uint64_t number;
    const char *hash, *system, *traces;
    const char *const *values;           /* of each axis */
    const char *state;                   /* "done", "failed", "to do" */
    const char *error, *statistics, *config;     /* NULL: none */
    double wall_s, cpu_s;                /* 0 of points to do */
};

/* All points of the sweep, by number. A damaged one is failed, with that reason. A visitor that returns
 * false ends it; NULL reads all. Points of a sweep with a cost have it as the statistic "cost" (priced.c). */
struct fault results_read(struct results *results, bool (*visit)(void *self, const struct results_row *row),
                          void *self);
/* Inner: the same without costs. */
struct fault results_read_stored(struct results *results, bool (*visit)(void *self, const struct results_row *row),
                                 void *self);

/* Reports each damaged part of the file in a line: points, pages and indexes. A damaged list of points is a fault. */
struct fault results_check(struct results *results, void (*say)(void *self, const char *what), void *self);

void results_hash_text(uint64_t hash, char text[RESULTS_HASH_TEXT]);

/* Inner: for other statements that only read (provenance.c). */
struct sqlite3 *results_database(const struct results *results);
/* Inner: the lock file (lock.c). Returns a descriptor, or -1 with the fault. */
int results_lock(const char *path, bool is_for_merge, struct fault *fault);
void results_unlock(const char *path, int descriptor);

/* Copier: a process that copies the log of a result file into the file while the sweep runs, so that neither points
 * nor the end of the sweep wait for the disk. A process, as a thread could hold the allocator's lock when workers are
 * forked.
 *
 * Use: copier_start before the file is opened, and before any thread begins; copier_tell of each point that was
 * added; copier_end before the writer closes the file; copier_forget in a forked worker. The writer copies the rest,
 * and reports any error. It ends with its parent, however that ends. */

struct copier;

/* NULL: no copier; the other functions accept that. */
struct copier *copier_start(const char *path);
void copier_tell(struct copier *copier, size_t bytes);
void copier_end(struct copier *copier);
void copier_forget(const struct copier *copier);

/* Provenance: where the points of a sweep come from, as far as its result file has it.
 *
 * Use: provenance_about for the last use of the file, a key each (spec_path, spec_text, version; date, command
 * and host of the last sweep that found points to run); provenance_traces for systems and traces, these with the hash
 * of their content, and the version that ran them, once each, in the order of their first points. provenance_note
 * writes the former's last three. Texts are valid during the call. Files of earlier versions lack the last three. */

struct provenance_run {
    const char *date, *command, *host;   /* as people read them */
};

/* After results_begin; if all its points are there already, the stored entry stays. */
struct fault provenance_note(struct results *results, const struct provenance_run *run);

struct fault provenance_about(const struct results *results,
                              void (*visit)(void *self, const char *key, const char *value), void *self);

struct provenance_traces {
    const char *system, *traces, *hash, *version;
    size_t points;                       /* of the sweep, that were run with them */
};

struct fault provenance_traces(const struct results *results,
                               void (*visit)(void *self, const struct provenance_traces *traces), void *self);

/* Is a row of points undamaged? Its checksum, and an SQL function that compares it.
 *
 * Use: whole_add_function once for each connection; then WHOLE in a statement, with "" or "TABLE." for the columns. */

enum { WHOLE_TEXTS = 9 };                /* columns of points before the checksum */

#define WHOLE(table)                                                                                                  \
    "whole(" table "hash, " table "system, " table "traces, " table "traces_hash, " table "version, " table "config, " \
    table "state, " table "error, " table "statistics, " table "checksum)"
#define NOT_WHOLE "its data in the file are damaged"

/* NULL counts as empty. */
void whole_checksum(const char *const texts[WHOLE_TEXTS], char checksum[RESULTS_HASH_TEXT]);
/* SQLite's code. */
int whole_add_function(sqlite3 *database);

#endif
