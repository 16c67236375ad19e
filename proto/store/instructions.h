/* Instructions of a block of dependence records while it is being gathered: what records of one pc share, and the slot
 * of their last address, one a pc.
 *
 * Use: all zero at first; store_instructions_find for a record, then all[number]; store_instructions_clear when the
 * next block begins. An instruction that is new is written to the block's columns. */
#ifndef PROTO_STORE_INSTRUCTIONS_H
#define PROTO_STORE_INSTRUCTIONS_H

#include "proto/store/columns.h"
#include "proto/store/table.h"

/* The narrow fields are laid out as in a dep_record, so that they are compared at once. */
struct store_instruction {
    uint64_t pc;
    uint32_t size_bytes, flags, weight, asid, present, type;
    uint16_t slot, place;            /* place: in the table */
};

enum { STORE_ALIKE = 1024 };

struct store_instructions {
    struct store_instruction all[STORE_BLOCK_SHAPES];
    uint32_t count, slot_count;
    struct {
        uint64_t alike;              /* of dep_record; 0: none */
        uint16_t instruction;
    } known[STORE_ALIKE];            /* by its low bits */
    uint64_t slot_pc[STORE_BLOCK_SHAPES];
    uint16_t slot_place[STORE_BLOCK_SHAPES];
    struct store_table table, slot_table;
};

/* Number of a record's instruction. */
uint16_t store_instructions_find(struct store_instructions *instructions, struct store_columns *columns,
                                 const struct dep_record *record);
void store_instructions_clear(struct store_instructions *instructions);

#endif
