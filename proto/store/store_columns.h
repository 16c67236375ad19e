/* A block of a store while it is being gathered, for both kinds of records: shape numbers, the texts of instructions
 * and shapes, values, streams of numbers (proto/store/store_format.h).
 *
 * Use: store_columns_new; for each record store_columns_record, store_columns_number for each number of a stream; a
 * new shape is counted in `shapes` and its numbers are put into shape_text, likewise an instruction;
 * store_columns_finish, due once store_columns_are_full, returns the block's bytes and begins the next one. Out of
 * memory is remembered and reported by store_columns_finish.
 * Ownership: everything is the columns'; the block's bytes live until the next store_columns_finish. */
#ifndef PROTO_STORE_STORE_COLUMNS_H
#define PROTO_STORE_STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "proto/store/store_format.h"

struct store_number_column {
    uint8_t lengths[STORE_BLOCK_RECORDS];
    uint8_t bytes[STORE_BLOCK_RECORDS * 8 + 8];
    uint32_t count, used;
};

struct store_columns {
    uint32_t records, shapes, instructions, slots, values;
    uint32_t limit;                  /* of records, in this block */
    uint8_t shape_of[2 * STORE_BLOCK_RECORDS];       /* as stored in the block */
    uint64_t value_list[STORE_BLOCK_SHAPES];
    uint16_t value_place[STORE_BLOCK_SHAPES];        /* in the table, for clearing it */
    uint16_t value_table[4 * STORE_BLOCK_SHAPES];    /* number + 1 of a value, by its hash */
    struct store_number_column first, second;
    struct column shape_text, instruction_text;
    struct column chunk;             /* of the block that was finished; STORE_SLACK more bytes are readable */
    uint64_t block_bytes;            /* of its payload */
    bool failed;                     /* out of memory */
};

/* Zeroed memory whose pages are private at once: else the first read of a page would map the shared zero page, and the
 * first write would replace it, which interrupts the other threads' processors (TLB shootdown). NULL: out of memory. */
void *store_columns_memory(size_t bytes);

/* NULL: out of memory. */
struct store_columns *store_columns_new(void);
void store_columns_free(struct store_columns *columns);

/* Number of a value, which is added if it is new. For each shape once. */
uint16_t store_columns_value(struct store_columns *columns, uint64_t value);
/* The block as a chunk: `chunk`. False: out of memory. */
bool store_columns_finish(struct store_columns *columns, enum store_chunk kind);

static inline bool store_columns_are_full(const struct store_columns *columns)
{
    return columns->records == columns->limit || columns->shapes == STORE_BLOCK_SHAPES;
}

static inline void store_columns_record(struct store_columns *columns, uint16_t shape)
{
    bits_store16(columns->shape_of + 2 * (size_t)columns->records++, shape);
}

static inline void store_columns_number(struct store_number_column *column, uint64_t number)
{
    unsigned const bytes = bits_bytes_of(number);

    column->lengths[column->count++] = (uint8_t)bytes;
    bits_store64(column->bytes + column->used, number);
    column->used += bytes;
}

/* A hash table of a block's items of one kind, at most STORE_BLOCK_SHAPES. The user probes the next place while the
 * present one holds another item, and clears the places it has filled. */

enum { STORE_TABLE_BITS = 14, STORE_TABLE = 1 << STORE_TABLE_BITS };
_Static_assert(STORE_TABLE == 4 * STORE_BLOCK_SHAPES, "never more than a quarter full");

struct store_table {
    uint16_t numbers[STORE_TABLE];   /* number + 1; 0: empty */
};

static inline uint32_t store_table_place(uint64_t hash)
{
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - STORE_TABLE_BITS));
}

/* Instructions of a block of dependence records while it is being gathered: the common part of the records of one pc,
 * and the slot of their last address, one a pc.
 *
 * Use: all zero at first; store_instructions_find for a record, then all[number]; store_instructions_clear when the
 * next block begins. An instruction that is new is written to the block's columns. */

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
