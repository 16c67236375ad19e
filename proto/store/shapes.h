/* Shapes of a block of dependence records, and the lists of dependences that belong to them.
 *
 * Use: store_shapes_init once; store_shapes_read for a block; then `shapes`, store_shapes_lists, store_shapes_asid,
 * until the next block is read; store_shapes_free. Shapes are read at once, as what a replay needs of each record;
 * lists on request, which is rare.
 * Ownership: the table owns its arrays and borrows the block. */
#ifndef PROTO_STORE_SHAPES_H
#define PROTO_STORE_SHAPES_H

#include "proto/store/format.h"

struct store_shapes {
    struct store_shape *shapes, *instructions;       /* STORE_BLOCK_SHAPES each; shapes at a host's line each */
    uint32_t *asids;                 /* of the instructions */
    uint64_t *values;
    uint32_t instruction_count, value_count;
    const uint8_t *text, *text_end;  /* the block's column of shapes */
    bool are_plain;                  /* accesses have an address, others have none, and no seq_delta is huge: below
                                      * 2^47 */
    uint64_t record_reach, seq_reach;        /* no distance of the block is longer */
    uint64_t delay_unit;             /* greatest common divisor of the block's values; 1 if they are all 0 */
    uint64_t longest_delay;          /* no value is larger */
    uint32_t *record_distances, *edges;      /* of the shape whose lists were requested last */
    uint64_t *seq_distances;
    size_t list_room;                /* of these; there is enough for all shapes */
};

/* False: out of memory; store_shapes_free is due all the same. */
bool store_shapes_init(struct store_shapes *table);
void store_shapes_free(struct store_shapes *table);
/* False: the block makes no sense, or memory is short. */
bool store_shapes_read(struct store_shapes *table, const struct store_block *block);
/* Valid until the next call. False: the lists make no sense. */
bool store_shapes_lists(struct store_shapes *table, const struct store_shape *shape, struct store_lists *lists);
uint32_t store_shapes_asid(const struct store_shapes *table, const struct store_shape *shape);

#endif
