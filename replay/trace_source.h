/* Trace sources: where an elastic CPU gets its records from. A thin layer over the file readers and
 * the store.
 *
 * Use: make one from an open reader or cursor, give it to elastic_cpu_init; the CPU pulls record after record with
 * `next`.
 * SOURCE_FAULT fills the fault, which ends the run. After SOURCE_END or SOURCE_FAULT `next` is not called again.
 * Ownership: a source borrows its reader or cursor and its name; both must outlive the CPU. */
#ifndef REPLAY_TRACE_SOURCE_H
#define REPLAY_TRACE_SOURCE_H

#include "memsys/fault.h"
#include "proto/dep_trace.h"
#include "proto/packet_trace.h"
#include "proto/store.h"

enum source_result { SOURCE_RECORD, SOURCE_END, SOURCE_FAULT };

/* Data records in file order. The dependence arrays of a record are valid until the next call. */
struct record_source {
    enum source_result (*next)(void *self, struct dep_record *out, struct fault *fault);
    void *self;
    const char *name;                /* of the file, for faults */
    uint64_t window_records;         /* "W": records read in one go (elastic-trace 2.5) */
};

/* Fetches in file order. */
struct fetch_source {
    enum source_result (*next)(void *self, struct packet_record *out, struct fault *fault);
    void *self;
    const char *name;
};

/* From cursors of a store, likewise. */
struct record_source record_source_of_store(struct store_records *cursor, const struct store *store, const char *name);
struct fetch_source fetch_source_of_store(struct store_fetches *cursor, const char *name);

struct record_source record_source_of_reader(struct dep_reader *reader, const char *name);
struct fetch_source fetch_source_of_reader(struct packet_reader *reader, const char *name);

#endif
