/* Values are found by a table with open addressing that is never more than a quarter full. */
#include "proto/store/store_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/io/wire.h"

#define TABLE_MASK (4 * STORE_BLOCK_SHAPES - 1)

void *store_columns_memory(size_t bytes)
{
    enum { PAGE = 4096 };            /* or more */
    uint8_t volatile *const memory = calloc(1, bytes);

    for (size_t at = 0; memory != NULL && at < bytes; at += PAGE)
        memory[at] = 0;
    return (void *)(uintptr_t)memory;
}

/* The rest is large, and is written before it is read. */
static void store_columns_begin_block(struct store_columns *columns, uint32_t limit)
{
    columns->records = columns->shapes = columns->instructions = columns->slots = columns->values = 0;
    columns->shape_text.length = columns->instruction_text.length = 0;
    columns->limit = limit;
    columns->first.count = columns->first.used = 0;
    columns->second.count = columns->second.used = 0;
}

struct store_columns *store_columns_new(void)
{
    struct store_columns *const columns = malloc(sizeof *columns);

    if (columns == NULL)
        return NULL;
    memset(columns->value_table, 0, sizeof columns->value_table);
    columns->shape_text = columns->instruction_text = columns->chunk = (struct column){0};
    columns->failed = false;
    store_columns_begin_block(columns, STORE_FIRST_BLOCK_RECORDS);
    return columns;
}

void store_columns_free(struct store_columns *columns)
{
    if (columns == NULL)
        return;
    column_free(&columns->shape_text);
    column_free(&columns->instruction_text);
    column_free(&columns->chunk);
    free(columns);
}

uint16_t store_columns_value(struct store_columns *columns, uint64_t value)
{
    uint64_t place = (value * UINT64_C(0x9e3779b97f4a7c15)) >> 40 & TABLE_MASK;

    while (columns->value_table[place] != 0) {
        uint16_t const number = (uint16_t)(columns->value_table[place] - 1);

        if (columns->value_list[number] == value)
            return number;
        place = (place + 1) & TABLE_MASK;
    }
    columns->value_list[columns->values] = value;
    columns->value_place[columns->values] = (uint16_t)place;
    columns->value_table[place] = (uint16_t)(columns->values + 1);
    return (uint16_t)columns->values++;
}

static void put_numbers(struct column *chunk, const struct store_number_column *column)
{
    column_put_bytes(chunk, column->lengths, column->count);
    column_put_bytes(chunk, column->bytes, column->used);
}

/* The counts come first; value_bytes is written once it is known. */
static void store_columns_write_block(struct store_columns *columns)
{
    struct column *const chunk = &columns->chunk;
    uint32_t const words[STORE_BLOCK_WORDS] = {
        [STORE_RECORDS] = columns->records, [STORE_SHAPES] = columns->shapes,
        [STORE_SHAPE_BYTES] = (uint32_t)columns->shape_text.length, [STORE_INSTRUCTIONS] = columns->instructions,
        [STORE_INSTRUCTION_BYTES] = (uint32_t)columns->instruction_text.length, [STORE_SLOTS] = columns->slots,
        [STORE_VALUES] = columns->values, [STORE_FIRST_NUMBERS] = columns->first.count,
        [STORE_FIRST_BYTES] = columns->first.used, [STORE_SECOND_NUMBERS] = columns->second.count,
        [STORE_SECOND_BYTES] = columns->second.used};
    size_t values;

    for (unsigned i = 0; i < STORE_BLOCK_WORDS; i++) {
        bits_store32(chunk->at + chunk->length, words[i]);
        chunk->length += 4;
    }
    column_put_bytes(chunk, columns->instruction_text.at, columns->instruction_text.length);
    values = chunk->length;
    for (uint32_t i = 0; i < columns->values; i++)
        column_put_number(chunk, columns->value_list[i]);
    bits_store32(chunk->at + CONTAINER_CHUNK_HEAD_BYTES + 4 * STORE_VALUE_BYTES, (uint32_t)(chunk->length - values));
    column_put_bytes(chunk, columns->shape_text.at, columns->shape_text.length);
    column_put_bytes(chunk, columns->shape_of, 2 * (size_t)columns->records);
    put_numbers(chunk, &columns->first);
    put_numbers(chunk, &columns->second);
}

bool store_columns_finish(struct store_columns *columns, enum store_chunk kind)
{
    size_t const most = 4 * STORE_BLOCK_WORDS + columns->instruction_text.length + columns->shape_text.length
        + (size_t)columns->values * BITS_VARINT_MAX + 4 * (size_t)columns->records + columns->first.used
        + columns->second.used + CONTAINER_ALIGNMENT + BITS_VARINT_MAX + STORE_SLACK;

    container_chunk_begin(&columns->chunk);
    if (columns->failed || columns->shape_text.failed || columns->instruction_text.failed
        || !column_fit(&columns->chunk, most))
        return false;
    store_columns_write_block(columns);
    columns->block_bytes = columns->chunk.length - CONTAINER_CHUNK_HEAD_BYTES;
    container_chunk_seal(&columns->chunk, kind);
    for (uint32_t i = 0; i < columns->values; i++)
        columns->value_table[columns->value_place[i]] = 0;
    store_columns_begin_block(columns, columns->limit < STORE_BLOCK_RECORDS ? 2 * columns->limit : STORE_BLOCK_RECORDS);
    return true;
}
