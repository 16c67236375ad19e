/* Encodes dependence records into blocks.
 *
 * Sequence numbers of dependences become distances in records by a table of the latest numbers; what lies further back
 * than the table reaches keeps its distance in sequence numbers.
 *
 * A record's shape is found in two steps. Its form, which is the shape without the delay, is mostly the one that
 * followed the last record's form the last time, and is compared with the record as it stands; else a hash table knows.
 * The delay is mostly the form's last one; else another table knows the shape. Tables are cleared by going over what was
 * put into them, which is little beside their size. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_encode.h"

enum { HISTORY = STORE_KNOWN_REACH_SEQ, TABLE = 4 * STORE_BLOCK_SHAPES, FIRST_DISTANCES = 4096 };

/* What makes a record's form, but for the distances. */
struct constants {
    uint64_t pc, seq_delta;
    uint32_t size_bytes, flags, weight, asid;
    uint32_t rob_dep_count, reg_dep_count;
    uint32_t kind;                   /* type | present << 2 */
    uint32_t zero;                   /* no byte is undefined: constants are compared and hashed as bytes */
};

_Static_assert(sizeof(struct constants) == 48, "without gaps");

struct distance {
    uint64_t seq;                    /* 0 if it is known in records */
    uint32_t records;                /* 0: unknown */
};

struct form {
    struct constants constants;
    uint64_t delay;                  /* of its last record ... */
    uint32_t first_distance, hash;
    uint16_t shape;                  /* ... and that one's shape */
    uint16_t follower;               /* form of the record after the last one of this form */
    uint16_t instruction;
    uint16_t place;                  /* in the table */
};

/* A form with a delay. */
struct shape {
    uint64_t delay;
    uint16_t form, place;
};

/* What instructions of one pc share, and the instruction itself. */
struct instruction {
    struct constants constants;      /* of seq_delta and counts nothing */
    uint16_t slot, place;
};

struct seen {
    uint64_t seq_num, behind;        /* record number + 1; 0: empty, with a number that nothing depends on */
};

/* Numbers + 1 of what a block has, by hash; 0: empty. */
struct table {
    uint16_t numbers[TABLE];
};

struct store_dep_encoder {
    struct store_columns *columns;
    uint64_t record_count, last_seq_num, first_seq_num;
    struct seen history[HISTORY];    /* by the low bits of the sequence number */
    struct form forms[STORE_BLOCK_SHAPES];
    struct shape shapes[STORE_BLOCK_SHAPES];
    struct instruction instructions[STORE_BLOCK_SHAPES];
    uint64_t slot_pc[STORE_BLOCK_SHAPES], slot_address[STORE_BLOCK_SHAPES];
    uint16_t slot_place[STORE_BLOCK_SHAPES];
    struct table form_table, shape_table, instruction_table, slot_table;
    uint16_t last_form;
    uint32_t form_count, shape_count, instruction_count, slot_count;     /* to be cleared */
    uint64_t listed;                 /* dependences of all shapes */
    uint64_t v_difference;
    struct distance *distances;      /* of all forms, then of the record at hand */
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
    return store_columns_are_full(encoder->columns) || encoder->listed >= STORE_BLOCK_DEPENDENCES;
}

/* store_columns_finish has set the columns' own counts to 0 already. */
void store_dep_next_block(struct store_dep_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->form_count; i++)
        encoder->form_table.numbers[encoder->forms[i].place] = 0;
    for (uint32_t i = 0; i < encoder->shape_count; i++)
        encoder->shape_table.numbers[encoder->shapes[i].place] = 0;
    for (uint32_t i = 0; i < encoder->instruction_count; i++)
        encoder->instruction_table.numbers[encoder->instructions[i].place] = 0;
    for (uint32_t i = 0; i < encoder->slot_count; i++)
        encoder->slot_table.numbers[encoder->slot_place[i]] = 0;
    encoder->form_count = encoder->shape_count = encoder->instruction_count = encoder->slot_count = 0;
    encoder->distance_used = 0;
    encoder->listed = 0;
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
static inline uint32_t records_to(const struct store_dep_encoder *encoder, uint64_t parent)
{
    struct seen const *const seen = &encoder->history[parent % HISTORY];
    uint64_t const records = encoder->record_count + 1 - seen->behind;

    return seen->seq_num == parent && records <= STORE_KNOWN_REACH_SEQ ? (uint32_t)records : 0;
}

static struct distance distance_to(const struct store_dep_encoder *encoder, uint64_t seq_num, uint64_t parent)
{
    uint32_t const records = records_to(encoder, parent);

    return (struct distance){.seq = records == 0 ? seq_num - parent : 0, .records = records};
}

static inline bool is_distance(const struct store_dep_encoder *encoder, const struct distance *distance,
                               uint64_t seq_num, uint64_t parent)
{
    return distance->records == records_to(encoder, parent)
        && (distance->records != 0 || distance->seq == seq_num - parent);
}

static bool is_form(const struct store_dep_encoder *encoder, uint32_t number, const struct constants *constants,
                    const struct distance *distances, size_t count)
{
    struct form const *const form = &encoder->forms[number];
    struct distance const *const own = encoder->distances + form->first_distance;

    if (memcmp(&form->constants, constants, sizeof *constants) != 0)
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
    uint16_t *const table = encoder->slot_table.numbers;
    uint32_t place = mix(pc) % TABLE;

    for (; table[place] != 0; place = (place + 1) % TABLE)
        if (encoder->slot_pc[table[place] - 1] == pc)
            return (uint16_t)(table[place] - 1);

    uint16_t const slot = (uint16_t)encoder->columns->slots++;

    encoder->slot_pc[slot] = pc;
    encoder->slot_place[slot] = (uint16_t)place;
    encoder->slot_count++;
    encoder->slot_address[slot] = 0;
    table[place] = (uint16_t)(slot + 1);
    return slot;
}

static void write_instruction(struct store_columns *columns, const struct instruction *instruction, uint64_t pc_before)
{
    struct constants const *const c = &instruction->constants;
    struct store_text *const text = &columns->instruction_text;
    uint32_t const present = c->kind >> 2;

    store_columns_put(columns, text, bits_zigzag(c->pc - pc_before));
    store_columns_put(columns, text, c->kind);
    if (present & DEP_HAS_SIZE)
        store_columns_put(columns, text, c->size_bytes);
    if (present & DEP_HAS_FLAGS)
        store_columns_put(columns, text, c->flags);
    if (present & DEP_HAS_WEIGHT)
        store_columns_put(columns, text, c->weight);
    if (present & DEP_HAS_ASID)
        store_columns_put(columns, text, c->asid);
    if (present & DEP_HAS_P_ADDR)
        store_columns_put(columns, text, instruction->slot);
}

/* Number of the instruction of a form, which is added if it is new. */
static uint16_t instruction_of(struct store_dep_encoder *encoder, const struct constants *form)
{
    uint16_t *const table = encoder->instruction_table.numbers;
    struct constants constants = *form;
    uint32_t place;

    constants.seq_delta = constants.rob_dep_count = constants.reg_dep_count = 0;
    for (place = hash_of(&constants, NULL, 0) % TABLE; table[place] != 0; place = (place + 1) % TABLE)
        if (memcmp(&encoder->instructions[table[place] - 1].constants, &constants, sizeof constants) == 0)
            return (uint16_t)(table[place] - 1);

    uint16_t const number = (uint16_t)encoder->columns->instructions++;
    struct instruction *const instruction = &encoder->instructions[number];

    *instruction = (struct instruction){.constants = constants, .place = (uint16_t)place};
    if (constants.kind >> 2 & DEP_HAS_P_ADDR)
        instruction->slot = slot_of(encoder, constants.pc);
    write_instruction(encoder->columns, instruction, number > 0 ? instruction[-1].constants.pc : 0);
    encoder->instruction_count++;
    table[place] = (uint16_t)(number + 1);
    return number;
}

static uint16_t add_form(struct store_dep_encoder *encoder, const struct constants *constants, uint32_t hash,
                         uint32_t place, size_t count)
{
    uint16_t const number = (uint16_t)encoder->form_count++;

    encoder->forms[number] = (struct form){
        .constants = *constants, .first_distance = (uint32_t)encoder->distance_used, .hash = hash,
        .shape = STORE_BLOCK_SHAPES, .instruction = instruction_of(encoder, constants), .place = (uint16_t)place};
    encoder->distance_used += count;
    encoder->form_table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

/* Is the record, the first one of a block excepted, of that form? */
static inline bool has_form(const struct store_dep_encoder *encoder, const struct form *form,
                            const struct dep_record *record)
{
    struct constants const *const c = &form->constants;
    struct distance const *own = encoder->distances + form->first_distance;
    uint64_t const seq_num = record->seq_num;

    if (c->pc != record->pc || c->seq_delta != seq_num - encoder->last_seq_num
        || ((c->size_bytes ^ record->size_bytes) | (c->flags ^ record->flags) | (c->weight ^ record->weight)
            | (c->asid ^ record->asid) | (c->rob_dep_count ^ record->rob_dep_count)
            | (c->reg_dep_count ^ record->reg_dep_count) | (c->kind ^ (record->type | record->present << 2))) != 0)
        return false;
    for (uint32_t i = 0; i < record->rob_dep_count; i++, own++)
        if (!is_distance(encoder, own, seq_num, record->rob_dep[i]))
            return false;
    for (uint32_t i = 0; i < record->reg_dep_count; i++, own++)
        if (!is_distance(encoder, own, seq_num, record->reg_dep[i]))
            return false;
    return true;
}

/* The long way: looks the record's form up, or adds it. False: out of memory. */
static __attribute__((noinline)) bool find_form(struct store_dep_encoder *encoder, const struct dep_record *record,
                                                uint16_t *form)
{
    size_t const rob = record->rob_dep_count, count = rob + record->reg_dep_count;
    uint16_t *const table = encoder->form_table.numbers;
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
    for (place = hash % TABLE; table[place] != 0; place = (place + 1) % TABLE) {
        *form = (uint16_t)(table[place] - 1);
        if (encoder->forms[*form].hash == hash && is_form(encoder, *form, &constants, distances, count))
            break;
    }
    if (table[place] == 0)
        *form = add_form(encoder, &constants, hash, place, count);
    if (!is_first)
        encoder->forms[encoder->last_form].follower = *form;
    return true;
}

static void write_shape(struct store_dep_encoder *encoder, const struct form *form, uint64_t delay)
{
    enum { MOST = STORE_HEAD_COUNT, BITS = STORE_HEAD_COUNT_BITS };
    struct store_columns *const columns = encoder->columns;
    struct store_text *const text = &columns->shape_text;
    struct distance const *const distances = encoder->distances + form->first_distance;
    uint32_t const orders = form->constants.rob_dep_count, registers = form->constants.reg_dep_count;
    uint32_t const order_code = orders < MOST ? orders : MOST, register_code = registers < MOST ? registers : MOST;
    uint64_t const step = form->constants.seq_delta, step_code = step < STORE_HEAD_STEP ? step : STORE_HEAD_STEP;

    store_columns_put_u16(columns, text, form->instruction);
    store_columns_put_u16(columns, text, store_columns_value(columns, delay));
    store_columns_put_u16(columns, text, order_code | register_code << BITS | step_code << 2 * BITS);
    if (order_code == MOST)
        store_columns_put_u64(columns, text, orders);
    if (register_code == MOST)
        store_columns_put_u64(columns, text, registers);
    if (step_code == STORE_HEAD_STEP)
        store_columns_put_u64(columns, text, step);
    for (uint64_t i = 0; i < (uint64_t)orders + registers; i++) {
        store_columns_put_u16(columns, text, distances[i].records);
        if (distances[i].records == 0)
            store_columns_put_u64(columns, text, distances[i].seq);
    }
    encoder->listed += (uint64_t)orders + registers;
}

/* The long way: looks the shape up, or adds it. */
static __attribute__((noinline)) void find_shape(struct store_dep_encoder *encoder, uint16_t form_number,
                                                 uint64_t delay)
{
    struct form *const form = &encoder->forms[form_number];
    uint16_t *const table = encoder->shape_table.numbers;
    uint32_t place = mix(delay * 31 + form_number) % TABLE;

    form->delay = delay;
    for (; table[place] != 0; place = (place + 1) % TABLE) {
        struct shape const *const shape = &encoder->shapes[table[place] - 1];

        if (shape->form == form_number && shape->delay == delay) {
            form->shape = (uint16_t)(table[place] - 1);
            return;
        }
    }
    write_shape(encoder, form, delay);
    form->shape = (uint16_t)encoder->columns->shapes++;
    encoder->shapes[form->shape] = (struct shape){.delay = delay, .form = form_number, .place = (uint16_t)place};
    encoder->shape_count++;
    table[place] = (uint16_t)(form->shape + 1);
}

static void write_addresses(struct store_dep_encoder *encoder, const struct dep_record *record, uint16_t instruction)
{
    struct store_columns *const columns = encoder->columns;

    if (record->present & DEP_HAS_P_ADDR) {
        uint64_t *const last = &encoder->slot_address[encoder->instructions[instruction].slot];

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
    uint16_t form = begins_block ? 0 : encoder->forms[encoder->last_form].follower;

    if (begins_block)
        encoder->first_seq_num = record->seq_num;
    if ((begins_block || !has_form(encoder, &encoder->forms[form], record)) && !find_form(encoder, record, &form))
        return false;
    if (encoder->forms[form].delay != record->comp_delay || encoder->forms[form].shape == STORE_BLOCK_SHAPES)
        find_shape(encoder, form, record->comp_delay);
    store_columns_record(columns, encoder->forms[form].shape);
    if (record->present & (DEP_HAS_P_ADDR | DEP_HAS_V_ADDR))
        write_addresses(encoder, record, encoder->forms[form].instruction);
    encoder->history[record->seq_num % HISTORY] = (struct seen){record->seq_num, ++encoder->record_count};
    encoder->last_seq_num = record->seq_num;
    encoder->last_form = form;
    return true;
}
