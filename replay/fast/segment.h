/* Segments: the work of a core from one snapshot to another, both stored as nodes, and its repetition.
 *
 * Use: elastic_chain_skip at a snapshot that is a node: it does all segments that follow each other from there, as far
 * as they are known, and can be done. Private to the memo (memo.c). Units: picoseconds; records from the first one of
 * the node at which the segment begins on. */
#ifndef REPLAY_FAST_SEGMENT_H
#define REPLAY_FAST_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/fast/advance.h"
#include "replay/fast/snapshot.h"
#include "replay/fast/shape_names.h"

struct elastic_segment;

struct memo_node {
    struct memo_node *next;       /* with the same hash's end */
    struct elastic_segment *segments;    /* that begin here, the one used last in front */
    struct elastic_snapshot_stored snapshot;
};

enum { SEGMENT_ACCESSES = 1024 };

struct segment_access {
    uint32_t after_ps;
    uint16_t record;
    bool is_load;
};

struct elastic_segment {
    struct elastic_segment *next;    /* from the same node */
    struct memo_node *end;
    uint64_t span_ps;
    uint32_t length;                 /* records that are complete then, and were not before */
    uint32_t records;                /* up to the end's front: have to be the same as those here */
    uint32_t touched;                /* have to be there; those behind the front must wait for others at the end */
    int64_t reach;                   /* of a record that is read while it takes place must be less: then a parent
                                      * completes only after that, whenever it is read */
    uint64_t latency, latency_bin;   /* of all loads */
    struct elastic_sums sums;
    uint32_t access_count;
    const struct segment_access *accesses;
    const uint16_t *names;           /* of the records */
};

/* The part of the memo that skipping needs. */
struct elastic_chain {
    struct shape_names names;
    uint64_t block, block_records;   /* the block that is being read: its first record, and how many it has */
    uint32_t blocks[SEGMENT_ACCESSES];   /* of the L1D, for each access */
    uint64_t skipped_records;        /* so far */
    bool is_at_end;                  /* elastic_chain_skip came to a node from which no segment leads on here */
};

/* Tick of the first event that may affect the L1s or the core, except its own fetches and answers. */
uint64_t elastic_first_foreign_ps(const struct elastic_cpu *cpu);
/* Are the records from a node's first one on, at the present, such that their edges are those of their shapes? */
bool elastic_chain_has_records(const struct elastic_chain *chain, uint64_t first, uint64_t count);
/* The segment that leads from the node on, if its snapshot is the present; NULL: none is known. */
struct elastic_segment *elastic_chain_find(const struct elastic_cpu *cpu, struct elastic_chain *chain,
                                           struct memo_node *node);
/* Goes from *node, whose snapshot is the present, to the last one that can be reached; next_ps, and the answer: tick of
 * the next data event. */
uint64_t elastic_chain_skip(struct elastic_cpu *cpu, struct elastic_chain *chain, struct memo_node **node,
                            uint64_t next_ps);

#endif
