/* The traces of one core as a user names them: a folder with both files, the two files, or a store; and the
 * open readers of one replay of them.
 *
 * Use: fill trace_pair by trace_pair_find or by naming data and fetch; trace_input_open for each replay, with the
 * sources that the core reads from; trace_input_close; trace_pair_close at the end. A store is opened once for a pair,
 * so cores that share a pair share it. A store that is still being made can be read once, by one core. */
#ifndef REPLAY_SOURCE_TRACE_PAIR_H
#define REPLAY_SOURCE_TRACE_PAIR_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/text.h"
#include "proto/elastic/trace_writer.h"
#include "proto/store/store.h"
#include "proto/store/store_pack.h"
#include "replay/elastic/trace_source.h"
#include "replay/source/warn_sink.h"

struct trace_pair {
    const char *data, *fetch;            /* names for messages, and files unless there is a store */
    struct store *store;
    struct store_packing *packing;       /* not NULL: the store is its, and still being made */
    bool is_cached;                      /* the store is of the folder of cached stores, and may be made better */
    struct text learnt;                  /* data that window cores learnt from it; empty: none yet */
    uint64_t learnt_rules;               /* ... by these rules (window_rules) */
    struct trace_paths *paths;           /* found in a folder; NULL: named */
};

struct trace_input {
    struct reader_records reader_records;
    struct reader_fetches reader_fetches;
    struct dep_reader *data;
    struct packet_reader *fetch;
    const struct store *store;           /* the pair's; then these: */
    struct store_records *records;
    struct store_fetches *fetches;
};

/* Opens a folder of elastic traces, or a store, which is detected by its contents. */
struct fault trace_pair_find(struct trace_pair *pair, const char *name);
void trace_pair_close(struct trace_pair *pair);

struct fault trace_input_open(struct trace_input *input, const struct trace_pair *pair, struct record_source *records,
                              struct fetch_source *fetches);
/* The same for virtual addresses, which lie in `space` (virtual-memory 2.5), after trace_pair_touch; NULL: for physical
 * ones, a record at a time. */
struct fault trace_input_open_in(struct trace_input *input, const struct trace_pair *pair, struct space *space,
                                 struct record_source *records, struct fetch_source *fetches);
/* Touches the pages of all records, then of all fetches: reads the traces once. */
struct fault trace_pair_touch(const struct trace_pair *pair, struct space *space);
void trace_input_close(struct trace_input *input);
/* Warns of oddities in the records read. */
void trace_input_warn(const struct trace_input *input, const struct warn_sink *warn);
void trace_store_warn(const struct store *store, const struct warn_sink *warn);
/* Part of the records read, 0 to 1; 1 if nothing is open. */
double trace_input_position(const struct trace_input *input);

#endif
