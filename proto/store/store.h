/* Trace store: a pair of traces (data dependences and fetches) in one compact file that is mapped, shared read-only by
 * any number of processes and threads, and decoded in a few ns a record. The format is described in
 * proto/store/store_format.h.
 *
 * Most of a record repeats with its instruction: type, pc, size, flags, weight, and how far back its dependences lie.
 * These constants and the delay are its shape. A record is then a shape and an address; a reader gets a pointer to
 * the shape. A fetch is a shape likewise.
 *
 * Use: store_open; store_about for headers, counts, sources; store_records_open and store_records_next, or
 * store_fetches_open and store_fetches_batch, until they return NULL: then `failed` says if it was an error.
 * store_records_read and store_fetches_read return the same as a dep_reader and a packet_reader; only they read and
 * check the fields that a replay does not need: virtual addresses, packet ids, sequence numbers of dependences.
 * A cursor checks the hash of each block before it reads it, unless store_check found all of them right when the store
 * was opened; a damaged file is an error, never a wrong record.
 * A store is never changed, so threads may share it, each with its own cursors.
 * Ownership: cursors borrow the store. Units: as in the trace. */
#ifndef PROTO_STORE_STORE_H
#define PROTO_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"

/* A file that the store was made of, as it was then. */
struct store_source {
    char *path;                      /* absolute */
    uint64_t size_bytes;
    int64_t mtime_s;
    uint32_t mtime_ns;
    uint64_t hash;                   /* hash64 of the file's bytes */
    uint32_t print;                  /* of inode, time of status change, and samples of the bytes; 0: not known */
};

enum store_part { STORE_DEP, STORE_FETCH, STORE_PARTS };

struct store_warnings {
    char **texts;
    size_t count;
};

struct store_about {
    struct dep_header dep;
    struct packet_header fetch;
    struct store_source source[STORE_PARTS];
    struct store_warnings warnings[STORE_PARTS];     /* of the readers, when the store was made */
    uint64_t count[STORE_PARTS];     /* records, fetches */
    uint64_t blocks[STORE_PARTS];
    uint64_t file_bytes;
};

struct store;

/* Is this a file that begins as a store does? */
bool store_detect(const char *path);
/* NULL on failure. Headers and index are checked here, blocks when they are read. */
struct store *store_open(const char *path, struct fault *error);
/* The same from memory, which must outlive the store; `name` is used in errors. */
struct store *store_open_memory(const char *name, const void *data, size_t size, struct fault *error);
/* A store that is still being made: blocks come from the feed. It has one cursor a part, which begins at the first
 * record or fetch; counts and blocks of `about` are unknown. Both are borrowed. */
struct store_feed;
struct store *store_open_feed(const char *name, struct store_feed *feed, const struct store_about *about,
                              struct fault *error);
void store_close(struct store *store);
const struct store_about *store_about(const struct store *store);
/* Its path. */
const char *store_name(const struct store *store);
/* Verifies the hashes of all blocks and of the learnt data. Call it before cursors are opened. */
struct fault store_check(struct store *store);

/* Every recorded number at most this far behind has a distance in records. */
#define STORE_KNOWN_REACH_SEQ (UINT64_C(1) << 14)

/* An edge: the distance to the parent in records, shifted left by one, with STORE_EDGE_ORDER for an order dependence,
 * else a register dependence. */
#define STORE_EDGE_ORDER UINT32_C(1)
#define STORE_EDGE_REACH (UINT32_MAX >> 1)           /* no edge is longer */

static inline uint32_t store_edge(uint32_t distance, bool is_order)
{
    return distance << 1 | (is_order ? STORE_EDGE_ORDER : 0);
}

static inline uint32_t store_edge_distance(uint32_t edge)
{
    return edge >> 1;
}

/* Links: edges also stored at the parent, so that a replay needs no list of children. The records of a store are in
 * blocks; an edge is a link if the parent is in the same block, at most STORE_LINK_REACH records back, and the child
 * has at most STORE_LINKED_DEPENDENCES dependences, all of which are known. At the parent it is the distance to the
 * child in records, shifted left by one, and STORE_LINK_EARLY if the child only has to issue after it: an order
 * dependence of a record other than a store. */
#define STORE_LINK_REACH UINT32_C(511)
#define STORE_LINKED_DEPENDENCES UINT32_C(255)
#define STORE_LINK_EARLY UINT32_C(1)

/* Of struct store_links: the most links, and the mask of their number; the bits above are flags. */
#define STORE_NEAR_LINKS 7
#define STORE_HAS_EARLY_LINKS 16u    /* the record is a load, and some links are early */
#define STORE_LISTS_LINKS 32u        /* there are more; all are in a list: see store_link_list */

static inline uint32_t store_link(uint32_t distance, bool is_early)
{
    return distance << 1 | (is_early ? STORE_LINK_EARLY : 0);
}

static inline uint32_t store_link_distance(uint32_t link)
{
    return link >> 1;
}

/* The links to a record's children, in the order of the children. Of a fixed size, to be copied at once. */
struct store_links {
    uint8_t type;                    /* enum dep_type, of the record */
    uint8_t count;                   /* of near; STORE_HAS_EARLY_LINKS, STORE_LISTS_LINKS */
    uint16_t near[STORE_NEAR_LINKS];
};

/* Links stored in a separate list, in the order of the children. */
struct store_link_list {
    const uint8_t *links;            /* u16 each, little-endian */
    uint32_t count;
};

enum { STORE_LIST_COUNT_AT = 1, STORE_LIST_AT = 3 };     /* in place of near links */
_Static_assert(sizeof(const uint8_t *) <= (STORE_NEAR_LINKS - STORE_LIST_AT) * sizeof(uint16_t), "it has room");

/* The list of links that say so; its bytes stay as long as the shape does. */
static inline struct store_link_list store_link_list(const struct store_links *links)
{
    struct store_link_list list;

    memcpy(&list.count, &links->near[STORE_LIST_COUNT_AT], sizeof list.count);
    memcpy(&list.links, &links->near[STORE_LIST_AT], sizeof list.links);
    return list;
}

static inline void store_set_link_list(struct store_links *links, const uint8_t *list, uint32_t count)
{
    links->count = STORE_LISTS_LINKS;
    memcpy(&links->near[STORE_LIST_COUNT_AT], &count, sizeof count);
    memcpy(&links->near[STORE_LIST_AT], &list, sizeof list);
}

/* The i-th. */
static inline uint32_t store_listed_link(const struct store_link_list *list, uint32_t i)
{
    return bits_load16(list->links + 2 * (size_t)i);
}

/* The links whose bytes are those of two little-endian words. */
static inline void store_links_of_words(struct store_links *links, uint64_t low, uint64_t high)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t const words[] = {low, high};

    memcpy(links, words, sizeof *links);
#else
    links->type = (uint8_t)low;
    links->count = (uint8_t)(low >> 8);
    for (unsigned i = 0; i < STORE_NEAR_LINKS; i++)
        links->near[i] = (uint16_t)(i < 3 ? low >> (16 + 16 * i) : high >> 16 * (i - 3));
#endif
}

/* The common part of the records of one instruction: one cache line of the host. */
struct store_shape {
    /* of the instruction */
    uint64_t pc;
    uint32_t size_bytes, flags, weight;
    uint16_t present;                /* enum dep_present */
    uint16_t address_slot;           /* private to the reader */
    bool is_access;                  /* a load or a store */
    /* of the shape */
    uint8_t link_count;              /* to its parents, if the block holds `reach` records before it */
    uint16_t reach;                  /* longest edge; UINT16_MAX if some are not links */
    uint32_t text;                   /* private to the reader; with DEP_AFTER_ANSWER: the distance in records back to
                                      * the one whose answer it waits for */
    uint64_t seq_delta;              /* to the record before */
    uint64_t comp_delay;             /* ticks */
    struct store_links links;        /* and its type */
};

/* The dependences of a shape, and values derived from them. */
struct store_lists {
    uint32_t rob_dep_count, reg_dep_count;
    const uint32_t *record_distance; /* of each dependence, order ones first: how many records back, at most
                                      * STORE_EDGE_REACH. 0: the number was not recorded, or lies further back than
                                      * the writer looked: see seq_distance */
    const uint64_t *seq_distance;    /* in sequence numbers, of those whose record_distance is 0 */
    bool has_unknown;                /* without edges: some record must be searched for by its number, or the lists are
                                      * very long */
    uint32_t edge_count;
    const uint32_t *edges;           /* dependences without those that duplicate an order dependence on the same record
                                      * (elastic-trace 2.4): see store_edge. Distances are never 0; order ones first,
                                      * in the order of the lists */
    uint32_t linked_count;           /* edges that are links, if their parents are in the block */
};

/* Fills edges, edge_count, has_unknown and linked_count of lists whose dependences are there. `edges` has room for
 * all dependences. `known_reach_seq`: a record_distance of 0 where seq_distance is less than this means that there is
 * no such record. */
void store_lists_complete(struct store_lists *lists, uint32_t *edges, uint64_t known_reach_seq);

struct store_record {
    const struct store_shape *shape;
    uint64_t seq_num;
    uint64_t p_addr;                 /* of accesses; 0 if the shape has none */
};

struct store_records;

/* From record number `first` (counted from 0) on. NULL: out of memory. */
struct store_records *store_records_open(const struct store *store, uint64_t first, struct fault *error);
void store_records_close(struct store_records *cursor);
/* Valid until the next call. NULL: the end, or *failed and the error is filled. */
const struct store_record *store_records_next(struct store_records *cursor, bool *failed, struct fault *error);
/* All records that are decoded already, at least one: an array of *count, valid until the next call. */
const struct store_record *store_records_batch(struct store_records *cursor, size_t *count, bool *failed,
                                               struct fault *error);
/* The next records as a run (proto/store/store_run.h), which must be decoded before anything but lists is requested.
 * NULL: they are no run, or the end; store_records_batch distinguishes these. The rules for batches hold for runs. */
struct store_run;
struct store_run *store_records_run(struct store_records *cursor);
/* Number of the block's records before the latest batch. */
uint32_t store_records_before(const struct store_records *cursor);
/* The shapes of all records of a block: two little-endian bytes for each record are its shape's number. Numbers are
 * not checked. */
struct store_forms {
    const uint8_t *numbers;
    const struct store_shape *shapes;
    uint32_t records, shape_count;
};

/* Those of the block of the batch given last, as long as the cursor is in it; false: it is in none. */
bool store_records_forms(const struct store_records *cursor, struct store_forms *forms);
/* True if the next call keeps the shapes of the last batch valid, as well as those of earlier batches for which this
 * was true. */
bool store_records_shapes_stay(const struct store_records *cursor);
/* Every comp_delay of the batch given last is a multiple of it; not 0. */
uint64_t store_records_delay_unit(const struct store_records *cursor);
/* None is longer. */
uint64_t store_records_longest_delay(const struct store_records *cursor);
/* The lists of a shape of the batch given last; valid until the next call of any kind. A fault: they make no sense. */
struct fault store_records_lists(struct store_records *cursor, const struct store_shape *shape,
                                 struct store_lists *lists);
/* As dep_reader_next. A cursor that is read so is not read otherwise. */
enum dep_result store_records_read(struct store_records *cursor, struct dep_record *record, struct fault *error);
/* Part of the records given so far, 0 to 1. */
double store_records_position(const struct store_records *cursor);

/* The common part of the fetches of one instruction: a packet_record without pkt_id. */
struct store_fetch_shape {
    uint64_t addr, pc;
    uint64_t step_ticks;             /* since the fetch before */
    uint32_t cmd, size_bytes, flags;
    uint32_t present;                /* enum packet_present */
};

struct store_fetch {
    const struct store_fetch_shape *shape;
    uint64_t tick;
};

/* Fetches, and all shapes that they and the next ones use. shape_count is 0 if these are the same as those of the batch
 * before. */
struct store_fetch_batch {
    const struct store_fetch *fetches;
    size_t count;
    size_t ahead;                    /* readable fetches of the next batch behind them */
    const struct store_fetch_shape *shapes;
    size_t shape_count;
};

struct store_fetches;

/* From the first fetch at or after a tick on. */
struct store_fetches *store_fetches_open(const struct store *store, uint64_t from_tick, struct fault *error);
void store_fetches_close(struct store_fetches *cursor);
/* All fetches that are decoded already, at least one, valid until the next call. False: the end, or *failed and the
 * error is filled. */
enum packet_result store_fetches_batch(struct store_fetches *cursor, struct store_fetch_batch *batch,
                                       struct fault *error);
/* As packet_reader_next. A cursor that is read so is not read otherwise. */
enum packet_result store_fetches_read(struct store_fetches *cursor, struct packet_record *record,
                                      struct fault *error);

#endif
