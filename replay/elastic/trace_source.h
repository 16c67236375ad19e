/* Trace sources: where an elastic CPU gets its records from. A thin layer over the file readers and the store, in the
 * store's form of a record.
 *
 * Use: make one from an open reader or cursor, give it to elastic_cpu_init; the CPU pulls records and fetches with
 * `batch`. SOURCE_FAULT fills the fault, which ends the run. After SOURCE_END or SOURCE_FAULT it is not called again.
 * Ownership: a source borrows its reader or cursor and its name; both must outlive the CPU. */
#ifndef REPLAY_ELASTIC_TRACE_SOURCE_H
#define REPLAY_ELASTIC_TRACE_SOURCE_H

#include "base/fault.h"
#include "memsys/vm/vm_space.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"
#include "proto/store/store.h"

enum source_result { SOURCE_RECORD, SOURCE_END, SOURCE_FAULT };

struct record_batch {
    const struct store_record *records;
    struct store_run *run;           /* not NULL: this is to be decoded instead (proto/store/store_run.h) */
    size_t count;
    uint32_t before;                 /* records of the store's block that precede them */
    bool shapes_stay;                /* the next call leaves their shapes as they are, and those of batches before of
                                      * which that was true */
    uint64_t delay_unit;             /* every comp_delay is a multiple of it; 0: not known */
    uint64_t longest_delay;          /* of a run: no comp_delay is longer */
};

/* Data records in file order. A batch has one record or more and is valid until the next call. If a run turns out not
 * to be sound, the next call returns the fault. */
struct record_source {
    enum source_result (*batch)(void *self, struct record_batch *out, struct fault *fault);
    /* Of a shape of the batch given last; valid until the next call of any kind. */
    enum source_result (*lists)(void *self, const struct store_shape *shape, struct store_lists *out,
                                struct fault *fault);
    /* As store_records_forms; NULL if records are not grouped in blocks. */
    bool (*forms)(void *self, struct store_forms *forms);
    void *self;
    const char *name;                /* of the file, for faults */
    uint64_t records;                /* number of records; 0: not known */
    uint64_t window_records;         /* "W": records read in one go (elastic-trace 2.5) */
    uint64_t known_reach_seq;        /* a shape's record_distance of 0 means that there is no such record where the
                                      * distance in sequence numbers is shorter than this */
    bool may_be_short;               /* fewer records than two windows are no matter: they are no trace of the
                                      * reference */
};

/* The next record, alone; the batch, all zero at first, keeps the others between calls. Its shape is valid until the
 * next call. */
enum source_result record_source_next(const struct record_source *source, struct record_batch *batch,
                                      struct store_record *record, struct fault *fault);

/* Fetches in file order, likewise. batch NULL: nothing is fetched. */
struct fetch_source {
    enum source_result (*batch)(void *self, struct store_fetch_batch *out, struct fault *fault);
    void *self;
    const char *name;
};

/* From cursors of a store, likewise. */
struct record_source record_source_of_store(struct store_records *cursor, const struct store *store, const char *name);
/* The same, where no batch is a run. */
struct record_source record_source_without_runs(struct store_records *cursor, const struct store *store,
                                                const char *name);
struct fetch_source fetch_source_of_store(struct store_fetches *cursor, const char *name);

/* Records of a reader in the store's form, one at a time; or of a store's cursor, if all of a record is wanted. */
struct reader_records {
    struct dep_reader *reader;
    struct store_records *cursor;            /* in its place */
    struct space *space;                     /* where virtual addresses lie; NULL: the physical ones count */
    const char *name;
    uint64_t number;                         /* records read so far */
    struct store_shape shape;
    struct store_lists lists;
    struct store_record record;
    uint32_t *record_distances, *edges;      /* all 0: only sequence numbers are known */
    uint64_t *seq_distances;
    size_t room;
};

/* `records` must outlive the source; reader_records_free frees it, not the reader. */
struct record_source record_source_of_reader(struct reader_records *records, struct dep_reader *reader,
                                             const char *name);
void reader_records_free(struct reader_records *records);

/* Fetches of a reader, likewise. */
struct reader_fetches {
    struct packet_reader *reader;
    struct store_fetches *cursor;            /* the same three */
    struct space *space;
    const char *name;
    uint64_t number;
    struct store_fetch_shape shape;
    struct store_fetch fetch;
};

/* `fetches` must outlive the source. */
struct fetch_source fetch_source_of_reader(struct reader_fetches *fetches, struct packet_reader *reader,
                                           const char *name);

/* ---- traces whose virtual addresses count (virtual-memory 2.5): one of the above, with space set; of a store: */
struct record_source record_source_of_cursor(struct reader_records *records, struct store_records *cursor,
                                             const struct store *store, const char *name);
struct fetch_source fetch_source_of_cursor(struct reader_fetches *fetches, struct store_fetches *cursor,
                                           const char *name);
/* Touches the pages of all records, of all fetches, in place of replaying them. */
struct fault reader_records_touch(struct reader_records *records, struct space *space);
struct fault reader_fetches_touch(struct reader_fetches *fetches, struct space *space);

#endif
