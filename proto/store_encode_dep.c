/* Encodes dependence records into blocks.
 *
 * Sequence numbers of dependences become distances in records by a table of the latest numbers; what lies further back
 * than the table reaches keeps only its distance in sequence numbers, which loses nothing.
 *
 * A record's shape is searched for in two steps: mostly it is the one that followed the last record's shape the last
 * time, and is compared with the record as it stands; else a hash table knows. Tables are cleared by going over what
 * was put into them, which is little beside their size. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_encode.h"

enum { HISTORY = STORE_KNOWN_REACH_SEQ, SHAPE_TABLE = 4 * STORE_BLOCK_RECORDS, FIRST_DISTANCES = 4096 };

/* What makes a record's shape, but for the distances. */
struct constants {
    uint64_t pc, seq_delta;
    uint32_t size_bytes, flags, weight, asid;
    uint32_t rob_dep_count, reg_dep_count;
    uint32_t kind;                   /* type | present << 2 */
    uint32_t zero;                   /* no byte is undefined: constants are compared and hashed as bytes */
};

_Static_assert(sizeof(struct constants) == 48, "without gaps");

struct distance {
    uint64_t seq;
    uint32_t records;                /* 0: unknown */
};

struct shape {
    struct constants constants;
    uint32_t first_distance, hash;
    uint16_t follower;               /* shape of the record after the last one of this shape */
    uint16_t slot;
    uint16_t value;                  /* of the last record of this shape */
    uint16_t place;                  /* in the table */
};

struct seen {
    uint64_t seq_num, behind;        /* record number + 1; 0: empty, with a number that nothing depends on */
};

struct store_dep_encoder {
    struct store_columns *columns;
    uint64_t record_count, last_seq_num, first_seq_num;
    struct seen history[HISTORY];    /* by the low bits of the sequence number */
    struct shape shapes[STORE_BLOCK_RECORDS];
    uint16_t shape_table[SHAPE_TABLE];       /* number + 1 */
    uint16_t last_shape;
    uint64_t slot_pc[STORE_BLOCK_RECORDS], slot_address[STORE_BLOCK_RECORDS];
    uint16_t slot_table[SHAPE_TABLE];        /* number + 1, by pc */
    uint16_t slot_place[STORE_BLOCK_RECORDS];
    uint32_t shape_count, slot_count;        /* to be cleared */
    uint64_t v_difference;
    struct distance *distances;      /* of all shapes, then of the record at hand */
    size_t distance_used, distance_room;
};

struct store_dep_encoder *store_dep_encoder_new(void)
{
    struct store_dep_encoder *const encoder = calloc(1, sizeof *encoder);

    if (encoder == NULL)
        return NULL;
    encoder->columns = store_columns_new();
    encoder->distances = malloc(FIRST_DISTANCES * sizeof *encoder->distances);
    encoder->distance_room = FIRST_DISTANCES;
    for (size_t i = 0; i < HISTORY; i++)
        encoder->history[i].seq_num = UINT64_MAX;
    if (encoder->columns != NULL && encoder->distances != NULL)
        return encoder;
    store_dep_encoder_free(encoder);
    return NULL;
}

void store_dep_encoder_free(struct store_dep_encoder *encoder)
{
    if (encoder == NULL)
        return;
    store_columns_free(encoder->columns);
    free(encoder->distances);
    free(encoder);
}

struct store_columns *store_dep_columns(struct store_dep_encoder *encoder)
{
    return encoder->columns;
}

bool store_dep_block_is_full(const struct store_dep_encoder *encoder)
{
    return encoder->columns->records == STORE_BLOCK_RECORDS || encoder->distance_used >= STORE_BLOCK_DEPENDENCES;
}

void store_dep_next_block(struct store_dep_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->shape_count; i++)
        encoder->shape_table[encoder->shapes[i].place] = 0;
    for (uint32_t i = 0; i < encoder->slot_count; i++)
        encoder->slot_table[encoder->slot_place[i]] = 0;
    encoder->shape_count = encoder->slot_count = 0;
    encoder->distance_used = 0;
    encoder->v_difference = 0;
}

uint64_t store_dep_first_key(const struct store_dep_encoder *encoder)
{
    return encoder->first_seq_num;
}

static bool make_distance_room(struct store_dep_encoder *encoder, size_t count)
{
    size_t const wanted = encoder->distance_used + count;
    struct distance *grown;

    if (wanted <= encoder->distance_room)
        return true;
    grown = realloc(encoder->distances, 2 * wanted * sizeof *grown);
    if (grown == NULL)
        return false;
    encoder->distances = grown;
    encoder->distance_room = 2 * wanted;
    return true;
}

/* How many records back a number was recorded, 0: unknown. */
static inline uint64_t records_to(const struct store_dep_encoder *encoder, uint64_t parent)
{
    struct seen const *const seen = &encoder->history[parent % HISTORY];

    return seen->seq_num == parent ? encoder->record_count + 1 - seen->behind : 0;
}

static struct distance distance_to(const struct store_dep_encoder *encoder, uint64_t seq_num, uint64_t parent)
{
    uint64_t const records = records_to(encoder, parent);

    return (struct distance){.seq = seq_num - parent, .records = records <= UINT32_MAX ? (uint32_t)records : 0};
}

static bool is_shape(const struct store_dep_encoder *encoder, uint32_t number, const struct constants *constants,
                     const struct distance *distances, size_t count)
{
    struct shape const *const shape = &encoder->shapes[number];
    struct distance const *const own = encoder->distances + shape->first_distance;

    if (memcmp(&shape->constants, constants, sizeof *constants) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (own[i].seq != distances[i].seq || own[i].records != distances[i].records)
            return false;
    return true;
}

static uint32_t mix(uint64_t hash)
{
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static uint32_t hash_of(const struct constants *constants, const struct distance *distances, size_t count)
{
    uint64_t hash = constants->pc * 3 + constants->seq_delta + ((uint64_t)constants->weight << 20)
        + ((uint64_t)constants->flags << 40) + ((uint64_t)constants->reg_dep_count << 8);

    for (size_t i = 0; i < count; i++)
        hash = hash * UINT64_C(0x100000001b3) + (distances[i].seq << 16) + distances[i].records;
    return mix(hash);
}

static uint16_t slot_of(struct store_dep_encoder *encoder, uint64_t pc)
{
    uint32_t place = mix(pc) % SHAPE_TABLE;

    for (; encoder->slot_table[place] != 0; place = (place + 1) % SHAPE_TABLE)
        if (encoder->slot_pc[encoder->slot_table[place] - 1] == pc)
            return (uint16_t)(encoder->slot_table[place] - 1);

    uint16_t const slot = (uint16_t)encoder->columns->slots++;

    encoder->slot_pc[slot] = pc;
    encoder->slot_place[slot] = (uint16_t)place;
    encoder->slot_count++;
    encoder->slot_address[slot] = 0;
    encoder->slot_table[place] = (uint16_t)(slot + 1);
    return slot;
}

static void write_shape(struct store_columns *columns, const struct shape *shape, uint64_t pc_before,
                        const struct distance *distances, size_t count)
{
    struct constants const *const c = &shape->constants;
    uint32_t const present = c->kind >> 2;

    store_columns_shape(columns, bits_zigzag(c->pc - pc_before));
    store_columns_shape(columns, c->kind);
    if (present & DEP_HAS_SIZE)
        store_columns_shape(columns, c->size_bytes);
    if (present & DEP_HAS_FLAGS)
        store_columns_shape(columns, c->flags);
    if (present & DEP_HAS_WEIGHT)
        store_columns_shape(columns, c->weight);
    if (present & DEP_HAS_ASID)
        store_columns_shape(columns, c->asid);
    if (present & DEP_HAS_P_ADDR)
        store_columns_shape(columns, shape->slot);
    store_columns_shape(columns, c->seq_delta);
    store_columns_shape(columns, c->rob_dep_count);
    store_columns_shape(columns, c->reg_dep_count);
    for (size_t i = 0; i < count; i++) {
        store_columns_shape(columns, distances[i].seq);
        store_columns_shape(columns, distances[i].records == 0 ? 0 : 1 + distances[i].seq - distances[i].records);
    }
}

static uint16_t add_shape(struct store_dep_encoder *encoder, const struct constants *constants, uint32_t hash,
                          size_t count)
{
    struct store_columns *const columns = encoder->columns;
    uint16_t const number = (uint16_t)columns->shapes;
    struct shape *const shape = &encoder->shapes[number];
    uint64_t const pc_before = number > 0 ? encoder->shapes[number - 1].constants.pc : 0;

    *shape = (struct shape){.constants = *constants, .first_distance = (uint32_t)encoder->distance_used, .hash = hash};
    if (constants->kind >> 2 & DEP_HAS_P_ADDR)
        shape->slot = slot_of(encoder, constants->pc);
    write_shape(columns, shape, pc_before, encoder->distances + encoder->distance_used, count);
    encoder->distance_used += count;
    columns->shapes++;
    return number;
}

/* Is the record, the first one of a block excepted, of that shape? */
static inline bool has_shape(const struct store_dep_encoder *encoder, const struct shape *shape,
                             const struct dep_record *record)
{
    struct constants const *const c = &shape->constants;
    struct distance const *own = encoder->distances + shape->first_distance;
    uint64_t const seq_num = record->seq_num;

    if (c->pc != record->pc || c->seq_delta != seq_num - encoder->last_seq_num
        || ((c->size_bytes ^ record->size_bytes) | (c->flags ^ record->flags) | (c->weight ^ record->weight)
            | (c->asid ^ record->asid) | (c->rob_dep_count ^ record->rob_dep_count)
            | (c->reg_dep_count ^ record->reg_dep_count) | (c->kind ^ (record->type | record->present << 2))) != 0)
        return false;
    for (uint32_t i = 0; i < record->rob_dep_count; i++, own++)
        if (own->seq != seq_num - record->rob_dep[i] || own->records != records_to(encoder, record->rob_dep[i]))
            return false;
    for (uint32_t i = 0; i < record->reg_dep_count; i++, own++)
        if (own->seq != seq_num - record->reg_dep[i] || own->records != records_to(encoder, record->reg_dep[i]))
            return false;
    return true;
}

/* The long way: looks the record's shape up, or adds it. False: out of memory. */
static __attribute__((noinline)) bool find_shape(struct store_dep_encoder *encoder, const struct dep_record *record,
                                                 uint16_t *shape)
{
    size_t const rob = record->rob_dep_count, count = rob + record->reg_dep_count;
    bool const is_first = encoder->columns->records == 0;
    /* The first number stands in the index; any delta will do there. */
    struct constants const constants = {
        .pc = record->pc, .seq_delta = is_first ? 1 : record->seq_num - encoder->last_seq_num,
        .size_bytes = record->size_bytes, .flags = record->flags, .weight = record->weight, .asid = record->asid,
        .rob_dep_count = record->rob_dep_count, .reg_dep_count = record->reg_dep_count,
        .kind = record->type | record->present << 2};
    struct distance *distances;
    uint32_t hash, place;

    if (!make_distance_room(encoder, count))
        return false;
    distances = encoder->distances + encoder->distance_used;
    for (size_t i = 0; i < rob; i++)
        distances[i] = distance_to(encoder, record->seq_num, record->rob_dep[i]);
    for (size_t i = rob; i < count; i++)
        distances[i] = distance_to(encoder, record->seq_num, record->reg_dep[i - rob]);
    hash = hash_of(&constants, distances, count);
    for (place = hash % SHAPE_TABLE; encoder->shape_table[place] != 0; place = (place + 1) % SHAPE_TABLE) {
        *shape = (uint16_t)(encoder->shape_table[place] - 1);
        if (encoder->shapes[*shape].hash == hash && is_shape(encoder, *shape, &constants, distances, count))
            break;
    }
    if (encoder->shape_table[place] == 0) {
        *shape = add_shape(encoder, &constants, hash, count);
        encoder->shapes[*shape].place = (uint16_t)place;
        encoder->shape_table[place] = (uint16_t)(*shape + 1);
        encoder->shape_count++;
    }
    if (!is_first)
        encoder->shapes[encoder->last_shape].follower = *shape;
    return true;
}

static void write_addresses(struct store_dep_encoder *encoder, const struct dep_record *record, uint16_t shape)
{
    struct store_columns *const columns = encoder->columns;

    if (record->present & DEP_HAS_P_ADDR) {
        uint64_t *const last = &encoder->slot_address[encoder->shapes[shape].slot];

        store_columns_number(&columns->first, bits_zigzag(record->p_addr - *last));
        *last = record->p_addr;
    }
    if (record->present & DEP_HAS_V_ADDR) {
        uint64_t const difference = record->v_addr - record->p_addr;

        store_columns_number(&columns->second, bits_zigzag(difference - encoder->v_difference));
        encoder->v_difference = difference;
    }
}

bool store_dep_encode(struct store_dep_encoder *encoder, const struct dep_record *record)
{
    struct store_columns *const columns = encoder->columns;
    bool const begins_block = columns->records == 0;
    uint16_t shape = begins_block ? 0 : encoder->shapes[encoder->last_shape].follower;

    if (begins_block)
        encoder->first_seq_num = record->seq_num;
    if ((begins_block || !has_shape(encoder, &encoder->shapes[shape], record))
        && !find_shape(encoder, record, &shape))
        return false;
    encoder->shapes[shape].value = store_columns_record(columns, shape, record->comp_delay,
                                                        encoder->shapes[shape].value);
    if (record->present & (DEP_HAS_P_ADDR | DEP_HAS_V_ADDR))
        write_addresses(encoder, record, shape);
    encoder->history[record->seq_num % HISTORY] = (struct seen){record->seq_num, ++encoder->record_count};
    encoder->last_seq_num = record->seq_num;
    encoder->last_shape = shape;
    return true;
}
