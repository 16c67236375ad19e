/* Values are found by a table with open addressing that is never more than a quarter full. */
#include "proto/store/columns.h"

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
static void begin_block(struct store_columns *columns, uint32_t limit)
{
    columns->records = columns->shapes = columns->instructions = columns->slots = columns->values = 0;
    columns->shape_text.used = columns->instruction_text.used = 0;
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
    columns->shape_text = columns->instruction_text = (struct store_text){0};
    columns->block = NULL;
    columns->block_used = columns->block_room = 0;
    columns->failed = false;
    begin_block(columns, STORE_FIRST_BLOCK_RECORDS);
    return columns;
}

void store_columns_free(struct store_columns *columns)
{
    if (columns == NULL)
        return;
    free(columns->shape_text.bytes);
    free(columns->instruction_text.bytes);
    free(columns->block);
    free(columns);
}

static uint8_t *put_varint(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

uint8_t *store_columns_room(struct store_columns *columns, struct store_text *text, size_t bytes)
{
    if (!list_fit(&text->bytes, text->used + bytes, &text->room, 1)) {
        columns->failed = true;
        return NULL;
    }
    return text->bytes + text->used;
}

void store_columns_put(struct store_columns *columns, struct store_text *text, uint64_t number)
{
    uint8_t *const at = store_columns_room(columns, text, WIRE_VARINT_MAX);

    if (at != NULL)
        text->used += (size_t)(put_varint(at, number) - at);
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

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, size_t count)
{
    if (count > 0)
        memcpy(at, bytes, count);
    return at + count;
}

static uint8_t *put_numbers(uint8_t *at, const struct store_number_column *column)
{
    return put_bytes(put_bytes(at, column->lengths, column->count), column->bytes, column->used);
}

/* The counts come first; value_bytes is written once it is known. */
static void write_block(struct store_columns *columns)
{
    uint8_t *at = columns->block;
    uint32_t const words[STORE_BLOCK_WORDS] = {
        [STORE_RECORDS] = columns->records, [STORE_SHAPES] = columns->shapes,
        [STORE_SHAPE_BYTES] = (uint32_t)columns->shape_text.used, [STORE_INSTRUCTIONS] = columns->instructions,
        [STORE_INSTRUCTION_BYTES] = (uint32_t)columns->instruction_text.used, [STORE_SLOTS] = columns->slots,
        [STORE_VALUES] = columns->values, [STORE_FIRST_NUMBERS] = columns->first.count,
        [STORE_FIRST_BYTES] = columns->first.used, [STORE_SECOND_NUMBERS] = columns->second.count,
        [STORE_SECOND_BYTES] = columns->second.used};
    uint8_t *values;

    for (unsigned i = 0; i < STORE_BLOCK_WORDS; i++, at += 4)
        bits_store32(at, words[i]);
    values = at = put_bytes(at, columns->instruction_text.bytes, columns->instruction_text.used);
    for (uint32_t i = 0; i < columns->values; i++)
        at = put_varint(at, columns->value_list[i]);
    bits_store32(columns->block + 4 * STORE_VALUE_BYTES, (uint32_t)(at - values));
    at = put_bytes(at, columns->shape_text.bytes, columns->shape_text.used);
    at = put_bytes(at, columns->shape_of, 2 * (size_t)columns->records);
    at = put_numbers(at, &columns->first);
    at = put_numbers(at, &columns->second);
    columns->block_used = (size_t)(at - columns->block);
}

bool store_columns_finish(struct store_columns *columns)
{
    size_t const most = 4 * STORE_BLOCK_WORDS + columns->instruction_text.used + columns->shape_text.used
        + (size_t)columns->values * WIRE_VARINT_MAX + 4 * (size_t)columns->records + columns->first.used
        + columns->second.used + STORE_SLACK;

    if (columns->failed || !list_fit(&columns->block, most, &columns->block_room, 1))
        return false;
    write_block(columns);
    for (uint32_t i = 0; i < columns->values; i++)
        columns->value_table[columns->value_place[i]] = 0;
    begin_block(columns, columns->limit < STORE_BLOCK_RECORDS ? 2 * columns->limit : STORE_BLOCK_RECORDS);
    return true;
}
