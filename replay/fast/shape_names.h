/* Common names for the shapes of records in a store's blocks: records share a name if nothing but their addresses and
 * numbers tells them apart, also in different blocks, whose shapes have numbers of their own.
 *
 * Use: shape_names_begin_block for each block, then shape_names_prepare for the records that are looked at. Names are
 * given when they are asked for, and hold until shape_names_clear. Ownership: all memory is in the struct. */
#ifndef REPLAY_FAST_SHAPE_NAMES_H
#define REPLAY_FAST_SHAPE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/store/store_format.h"
#include "replay/elastic/trace_source.h"

enum {
    SHAPE_NAMES = 2048,              /* names; when they are used up, further shapes have none */
    SHAPE_NAME_LISTED = 8192         /* links of all shapes that list them */
};

#define SHAPE_NAMELESS UINT16_MAX

/* Of a shape. */
struct shape_facts {
    uint16_t name;                   /* above 0; SHAPE_NAMELESS: it has none, or not all its dependences are links */
    int16_t reach;                   /* records to its nearest parent, or, if that is more, to the farthest one on
                                      * which it depends by order; INT16_MAX if none */
    uint16_t children;               /* links; at most UINT16_MAX - 1 */
    uint16_t early;                  /* records to the farthest child that only has to follow it; 0 if none */
    uint8_t parents;                 /* its link_count */
};

struct shape_names {
    const struct record_source *source;
    struct store_forms forms;        /* of the block */
    struct shape_facts facts[STORE_BLOCK_SHAPES];            /* of its shapes, by number; name 0: not asked for */
    uint64_t low, high;              /* records of the block that were prepared; of those: */
    uint16_t names[STORE_BLOCK_RECORDS];
    int16_t reaches[STORE_BLOCK_RECORDS];
    uint8_t parents[STORE_BLOCK_RECORDS];
    uint32_t count, listed;
    uint32_t most_children, farthest_early;      /* of all whose facts were found */
    uint64_t asked;                  /* shapes of blocks whose facts were looked for; grows */
    struct store_shape shapes[SHAPE_NAMES + 1];              /* by name; ignored fields 0; `near`: list of links */
    uint16_t links[SHAPE_NAME_LISTED];
    uint16_t hashed[2 * SHAPE_NAMES];                        /* names, by the shapes' hash; 0: free */
};

/* Of the block of the batch that `source` gave last; false if it is in none. The source is borrowed until the next. */
bool shape_names_begin_block(struct shape_names *names, const struct record_source *source);
/* Forgets all names, and the block. */
void shape_names_clear(struct shape_names *names);
/* Shapes that have no name yet get none. */
static inline bool shape_names_are_used_up(const struct shape_names *names)
{
    return names->count == SHAPE_NAMES;
}

/* Facts of the block's i-th record, which must exist; valid until the next block begins. */
const struct shape_facts *shape_names_of(struct shape_names *names, uint64_t i);
/* Fills names, reaches and parents for the block's records from `first` to before `end`, which must exist. */
void shape_names_prepare(struct shape_names *names, uint64_t first, uint64_t end);
/* The farthest reach of these prepared records; 0 if none. */
int16_t shape_names_farthest(const struct shape_names *names, uint64_t first, uint64_t end);

#endif
