/* Encodes fetches into blocks. A fetch is mostly of one of the two shapes that followed the last one's before; then its
 * message has that shape's bytes behind the tick, and is compared as it lies in the reader's buffer. If it is another
 * one, it is read, and a hash table knows the shape. */
#include <stdlib.h>
#include <string.h>

#include "proto/elastic/packet_reader.h"
#include "proto/store/store_columns.h"
#include "proto/store/store_encode.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

struct shape {
    uint64_t addr, pc, ticks;
    uint32_t cmd, size_bytes, present, flags;
};

enum { REST_BYTES = 32 };

/* The part of a shape's message behind the tick. */
struct rest {
    uint8_t bytes[REST_BYTES];
    unsigned length;                 /* 0: not known, or there are ids of packets */
};

struct store_fetch_encoder {
    struct store_columns *columns;
    uint64_t last_tick, first_tick, pkt_id;
    struct shape shapes[STORE_BLOCK_SHAPES];
    struct rest rests[STORE_BLOCK_SHAPES];
    uint16_t followers[STORE_BLOCK_SHAPES][2];       /* shapes that came next, the latest first */
    uint16_t place[STORE_BLOCK_SHAPES];      /* in the table, for clearing it */
    struct store_table shape_table;
    uint16_t last_shape;
    uint32_t shape_count;
};

struct store_fetch_encoder *store_fetch_encoder_new(void)
{
    struct store_fetch_encoder *const encoder = calloc(1, sizeof *encoder);

    if (encoder == NULL)
        return NULL;
    encoder->columns = store_columns_new();
    if (encoder->columns != NULL)
        return encoder;
    free(encoder);
    return NULL;
}

void store_fetch_encoder_free(struct store_fetch_encoder *encoder)
{
    if (encoder == NULL)
        return;
    store_columns_free(encoder->columns);
    free(encoder);
}

struct store_columns *store_fetch_columns(struct store_fetch_encoder *encoder)
{
    return encoder->columns;
}

bool store_fetch_block_is_full(const struct store_fetch_encoder *encoder)
{
    return store_columns_are_full(encoder->columns);
}

void store_fetch_next_block(struct store_fetch_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->shape_count; i++)
        encoder->shape_table.numbers[encoder->place[i]] = 0;
    encoder->shape_count = 0;
    encoder->pkt_id = 0;
}

uint64_t store_fetch_first_key(const struct store_fetch_encoder *encoder)
{
    return encoder->first_tick;
}

static uint16_t add_shape(struct store_fetch_encoder *encoder, const struct shape *shape)
{
    struct store_columns *const columns = encoder->columns;
    uint16_t const number = (uint16_t)columns->shapes++;
    struct column *const text = &columns->shape_text;
    struct shape const before = number > 0 ? encoder->shapes[number - 1] : (struct shape){0};

    column_put_number(text, bits_zigzag(shape->addr - before.addr));
    column_put_number(text, bits_zigzag(shape->pc - before.pc));
    column_put_number(text, shape->cmd);
    column_put_number(text, shape->size_bytes);
    column_put_number(text, shape->present);
    column_put_number(text, shape->flags);
    column_put_number(text, store_columns_value(columns, shape->ticks));
    encoder->shapes[number] = *shape;
    encoder->followers[number][0] = encoder->followers[number][1] = 0;
    encoder->rests[number].length = 0;
    return number;
}

/* The place in the table, by address; all other fields of fetches of one address have few values. */
static uint32_t encode_fetch_place_of(const struct shape *shape)
{
    uint64_t const kind = shape->cmd + ((uint64_t)shape->size_bytes << 16) + ((uint64_t)shape->flags << 32);

    return store_table_place(((shape->addr * PRIME + shape->pc) * PRIME + shape->ticks) * PRIME + kind);
}

static void encode_fetch_follow(struct store_fetch_encoder *encoder, uint16_t number)
{
    uint16_t *const followers = encoder->followers[encoder->last_shape];

    if (followers[0] == number)
        return;
    followers[1] = followers[0];
    followers[0] = number;
}

static uint16_t find_shape(struct store_fetch_encoder *encoder, const struct shape *shape)
{
    bool const is_first = encoder->columns->records == 0;
    uint16_t number = is_first ? 0 : encoder->followers[encoder->last_shape][0];
    uint32_t place;

    if (!is_first && memcmp(&encoder->shapes[number], shape, sizeof *shape) == 0)
        return number;
    for (place = encode_fetch_place_of(shape); encoder->shape_table.numbers[place] != 0;
         place = (place + 1) % STORE_TABLE) {
        number = (uint16_t)(encoder->shape_table.numbers[place] - 1);
        if (memcmp(&encoder->shapes[number], shape, sizeof *shape) == 0)
            break;
    }
    if (encoder->shape_table.numbers[place] == 0) {
        number = add_shape(encoder, shape);
        encoder->place[number] = (uint16_t)place;
        encoder->shape_count++;
        encoder->shape_table.numbers[place] = (uint16_t)(number + 1);
    }
    if (!is_first)
        encode_fetch_follow(encoder, number);
    return number;
}

static void encode_fetch_remember(struct rest *rest, const struct packet_record *record, const struct packet_seen *seen)
{
    if (seen->length > REST_BYTES || record->present & PACKET_HAS_PKT_ID)
        return;
    memcpy(rest->bytes, seen->rest, REST_BYTES);
    rest->length = seen->length;
}

static bool is_rest(const struct rest *rest, const struct packet_seen *seen)
{
    /* A rest of n bytes is padded by REST_BYTES - n ignored bytes. */
    static const uint8_t counts[2 * REST_BYTES] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t differ = 0;

    if (rest->length != seen->length)
        return false;
    for (size_t at = 0; at < REST_BYTES; at += 8)
        differ |= (bits_load64(rest->bytes + at) ^ bits_load64(seen->rest + at))
            & bits_load64(counts + REST_BYTES - rest->length + at);
    return differ == 0;
}

static bool is_of_shape(const struct store_fetch_encoder *encoder, uint16_t number, const struct packet_seen *seen)
{
    return encoder->shapes[number].ticks == seen->tick - encoder->last_tick && is_rest(&encoder->rests[number], seen);
}

bool store_fetch_encode_seen(struct store_fetch_encoder *encoder, const struct packet_seen *seen)
{
    struct store_columns *const columns = encoder->columns;
    uint16_t const *const followers = encoder->followers[encoder->last_shape];
    uint16_t number = followers[0];

    if (columns->records == 0)
        return false;
    if (!is_of_shape(encoder, number, seen)) {
        number = followers[1];
        if (!is_of_shape(encoder, number, seen))
            return false;
        encode_fetch_follow(encoder, number);
    }
    store_columns_record(columns, number);
    encoder->last_tick = seen->tick;
    encoder->last_shape = number;
    return true;
}

void store_fetch_encode(struct store_fetch_encoder *encoder, const struct packet_record *record,
                        const struct packet_seen *seen)
{
    struct store_columns *const columns = encoder->columns;
    bool const begins_block = columns->records == 0;
    struct shape const shape = {.addr = record->addr, .pc = record->pc,
                                .ticks = begins_block ? 0 : record->tick - encoder->last_tick, .cmd = record->cmd,
                                .size_bytes = record->size_bytes, .present = record->present, .flags = record->flags};
    uint16_t const number = find_shape(encoder, &shape);

    if (seen != NULL)
        encode_fetch_remember(&encoder->rests[number], record, seen);
    if (begins_block)
        encoder->first_tick = record->tick;
    store_columns_record(columns, number);
    if (record->present & PACKET_HAS_PKT_ID) {
        store_columns_number(&columns->first, bits_zigzag(record->pkt_id - encoder->pkt_id));
        encoder->pkt_id = record->pkt_id;
    }
    encoder->last_tick = record->tick;
    encoder->last_shape = number;
}
