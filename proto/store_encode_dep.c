/* Encodes dependence records into blocks.
 *
 * Sequence numbers of dependences become distances in records by a table of the latest numbers; what lies further back
 * than the table reaches keeps its distance in sequence numbers.
 *
 * A record's shape is found in two steps. Its form, which is the shape without the delay, is mostly the one that
 * followed the last record's form the last time, and is compared with the record as it stands; else a hash table
 * knows. The shape is mostly the one that followed the last record's, too; else another table knows. Tables are
 * cleared by going over what was put into them, which is little beside their size. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_encode.h"

enum { HISTORY = STORE_KNOWN_REACH_SEQ, TABLE = 4 * STORE_BLOCK_SHAPES, FIRST_DISTANCES = 4096 };

/* What makes a record's form, but for the distances. The narrow fields stand as in a dep_record, so that they are
 * compared at once. */
struct constants {
    uint64_t pc, seq_delta;
    uint32_t size_bytes, flags, weight, asid, present, type;
    uint32_t rob_dep_count, reg_dep_count;
};

enum { NARROW_BYTES = 8 * sizeof(uint32_t) };
_Static_assert(sizeof(struct constants) == 2 * sizeof(uint64_t) + NARROW_BYTES, "without gaps");
_Static_assert(offsetof(struct dep_record, reg_dep_count) - offsetof(struct dep_record, size_bytes)
               == offsetof(struct constants, reg_dep_count) - offsetof(struct constants, size_bytes)
               && offsetof(struct dep_record, type) - offsetof(struct dep_record, size_bytes)
               == offsetof(struct constants, type) - offsetof(struct constants, size_bytes), "in the same order");

struct distance {
    uint64_t seq;                    /* 0 if it is known in records */
    uint32_t records;                /* 0: unknown */
};

struct form {
    struct constants constants;
    uint64_t alike;                  /* of the record compared last; others of that number have the constants, too */
    uint32_t first_distance, hash;
    uint16_t followers[2];           /* forms of the records after those of this form, the latest first */
    uint16_t instruction;
    uint16_t place;                  /* in the table */
};

/* A form with a delay. */
struct shape {
    uint64_t delay;
    uint16_t form, place;
    uint16_t follower;               /* shape of the record after the last one of this shape */
};

/* What instructions of one pc share, and the instruction itself. */
struct instruction {
    struct constants constants;      /* of seq_delta and counts nothing */
    uint16_t slot, place;
};

/* Numbers + 1 of what a block has, by hash; 0: empty. */
struct table {
    uint16_t numbers[TABLE];
};

struct store_dep_encoder {
    struct store_columns *columns;
    uint64_t record_count, last_seq_num, first_seq_num;
    uint16_t history[HISTORY];       /* low bits of a record's number, by those of its sequence number */
    uint64_t latest[HISTORY];        /* sequence numbers by the low bits of the record's number; UINT64_MAX: none */
    struct form forms[STORE_BLOCK_SHAPES];
    struct shape shapes[STORE_BLOCK_SHAPES];
    struct instruction instructions[STORE_BLOCK_SHAPES];
    uint64_t slot_pc[STORE_BLOCK_SHAPES], slot_address[STORE_BLOCK_SHAPES];
    uint16_t slot_place[STORE_BLOCK_SHAPES];
    struct table form_table, shape_table, instruction_table, slot_table;
    uint16_t last_form, last_shape;
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
        encoder->latest[i] = UINT64_MAX;
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
    uint32_t const records = (uint16_t)(encoder->record_count - encoder->history[parent % HISTORY]);

    return records <= HISTORY && encoder->latest[(encoder->record_count - records) % HISTORY] == parent ? records : 0;
}

static struct distance distance_to(const struct store_dep_encoder *encoder, uint64_t seq_num, uint64_t parent)
{
    uint32_t const records = records_to(encoder, parent);

    return (struct distance){.seq = records == 0 ? seq_num - parent : 0, .records = records};
}

/* A record that lies so far back keeps that distance even if `history` does not tell it any more. */
static inline bool is_distance(const struct store_dep_encoder *encoder, const struct distance *distance,
                               uint64_t seq_num, uint64_t parent)
{
    if (distance->records != 0)
        return encoder->latest[(encoder->record_count - distance->records) % HISTORY] == parent;
    return distance->seq == seq_num - parent && records_to(encoder, parent) == 0;
}

static uint32_t mix(uint64_t hash)
{
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
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
    uint32_t const present = c->present;

    store_columns_put(columns, text, bits_zigzag(c->pc - pc_before));
    store_columns_put(columns, text, c->type | (uint64_t)present << 2);
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
    uint64_t const hash = form->pc * 31 + ((uint64_t)form->weight << 20) + ((uint64_t)form->flags << 40);
    struct constants constants = *form;
    uint32_t place;

    constants.seq_delta = constants.rob_dep_count = constants.reg_dep_count = 0;
    for (place = mix(hash) % TABLE; table[place] != 0; place = (place + 1) % TABLE)
        if (memcmp(&encoder->instructions[table[place] - 1].constants, &constants, sizeof constants) == 0)
            return (uint16_t)(table[place] - 1);

    uint16_t const number = (uint16_t)encoder->columns->instructions++;
    struct instruction *const instruction = &encoder->instructions[number];

    *instruction = (struct instruction){.constants = constants, .place = (uint16_t)place};
    if (constants.present & DEP_HAS_P_ADDR)
        instruction->slot = slot_of(encoder, constants.pc);
    write_instruction(encoder->columns, instruction, number > 0 ? instruction[-1].constants.pc : 0);
    encoder->instruction_count++;
    table[place] = (uint16_t)(number + 1);
    return number;
}

static uint16_t add_form(struct store_dep_encoder *encoder, const struct dep_record *record, uint64_t seq_delta,
                         uint32_t hash, uint32_t place)
{
    uint16_t const number = (uint16_t)encoder->form_count++;
    struct form *const form = &encoder->forms[number];

    *form = (struct form){.first_distance = (uint32_t)encoder->distance_used, .hash = hash, .place = (uint16_t)place,
                          .constants = {.pc = record->pc, .seq_delta = seq_delta}, .alike = record->alike};
    memcpy(&form->constants.size_bytes, &record->size_bytes, NARROW_BYTES);
    form->instruction = instruction_of(encoder, &form->constants);
    encoder->distance_used += (size_t)record->rob_dep_count + record->reg_dep_count;
    encoder->form_table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

static inline bool has_constants(struct form *form, const struct dep_record *record, uint64_t seq_delta)
{
    struct constants const *const c = &form->constants;

    if (c->seq_delta != seq_delta)
        return false;
    if (record->alike != 0 && form->alike == record->alike)
        return true;
    if (c->pc != record->pc
        || memcmp((const char *)c + offsetof(struct constants, size_bytes),
                  (const char *)record + offsetof(struct dep_record, size_bytes), NARROW_BYTES) != 0)
        return false;
    form->alike = record->alike;
    return true;
}

static inline bool are_distances(const struct store_dep_encoder *encoder, const struct distance *own, uint64_t seq_num,
                                 const uint64_t *parents, uint32_t count)
{
    for (const uint64_t *parent = parents; parent != parents + count; parent++, own++)
        if (!is_distance(encoder, own, seq_num, *parent))
            return false;
    return true;
}

/* Is the record, the first one of a block excepted, of that form? */
static inline bool has_form(const struct store_dep_encoder *encoder, struct form *form, const struct dep_record *record)
{
    struct distance const *const own = encoder->distances + form->first_distance;
    uint32_t const rob = record->rob_dep_count;

    if (!has_constants(form, record, record->seq_num - encoder->last_seq_num))
        return false;
    if (record->reg_dep == record->rob_dep + rob)
        return are_distances(encoder, own, record->seq_num, record->rob_dep, rob + record->reg_dep_count);
    return are_distances(encoder, own, record->seq_num, record->rob_dep, rob)
        && are_distances(encoder, own + rob, record->seq_num, record->reg_dep, record->reg_dep_count);
}

/* Writes a list's distances and returns `hash` with them mixed in. */
static inline uint64_t add_distances(const struct store_dep_encoder *encoder, struct distance *to, uint64_t seq_num,
                                     const uint64_t *parents, uint32_t count, uint64_t hash)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = distance_to(encoder, seq_num, parents[i]);
        hash = hash * UINT64_C(0x100000001b3) + (to[i].seq << 16) + to[i].records;
    }
    return hash;
}

/* Are the form's distances those that were just written? */
static inline bool has_distances(const struct store_dep_encoder *encoder, const struct form *form, size_t count)
{
    struct distance const *const own = encoder->distances + form->first_distance;
    struct distance const *const wanted = encoder->distances + encoder->distance_used;

    for (size_t i = 0; i < count; i++)
        if (own[i].seq != wanted[i].seq || own[i].records != wanted[i].records)
            return false;
    return true;
}

/* Looks a form up, or adds it. False: out of memory. */
static bool look_form_up(struct store_dep_encoder *encoder, const struct dep_record *record, uint64_t seq_delta,
                         uint16_t *number)
{
    size_t const rob = record->rob_dep_count, count = rob + record->reg_dep_count;
    uint16_t *const table = encoder->form_table.numbers;
    uint64_t hash = record->pc * 3 + seq_delta + ((uint64_t)record->weight << 20) + ((uint64_t)record->flags << 40)
        + ((uint64_t)record->reg_dep_count << 8);
    struct distance *distances;
    uint32_t code, place;

    if (!make_distance_room(encoder, count))
        return false;
    distances = encoder->distances + encoder->distance_used;
    hash = add_distances(encoder, distances, record->seq_num, record->rob_dep, record->rob_dep_count, hash);
    hash = add_distances(encoder, distances + rob, record->seq_num, record->reg_dep, record->reg_dep_count, hash);
    code = mix(hash);
    for (place = code % TABLE; table[place] != 0; place = (place + 1) % TABLE) {
        struct form *const form = &encoder->forms[table[place] - 1];

        if (form->hash == code && has_constants(form, record, seq_delta) && has_distances(encoder, form, count)) {
            *number = (uint16_t)(table[place] - 1);
            return true;
        }
    }
    *number = add_form(encoder, record, seq_delta, code, place);
    return true;
}

/* Of a record that is not of the form that followed the last one the last time, or begins a block: its number stands in
 * the index, and any delta will do. */
static __attribute__((noinline)) bool find_form(struct store_dep_encoder *encoder, const struct dep_record *record,
                                                uint16_t *number)
{
    struct form *const last = &encoder->forms[encoder->last_form];

    if (encoder->columns->records == 0)
        return look_form_up(encoder, record, 1, number);
    *number = last->followers[1];
    if (!has_form(encoder, &encoder->forms[*number], record)
        && !look_form_up(encoder, record, record->seq_num - encoder->last_seq_num, number))
        return false;
    last->followers[1] = last->followers[0];
    last->followers[0] = *number;
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

static __attribute__((noinline)) uint16_t add_shape(struct store_dep_encoder *encoder, uint16_t form, uint64_t delay,
                                                    uint32_t place)
{
    uint16_t const number = (uint16_t)encoder->columns->shapes++;

    write_shape(encoder, &encoder->forms[form], delay);
    encoder->shapes[number] = (struct shape){.delay = delay, .form = form, .place = (uint16_t)place};
    encoder->shape_count++;
    encoder->shape_table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

static inline uint16_t find_shape(struct store_dep_encoder *encoder, uint16_t form, uint64_t delay)
{
    uint16_t const *const table = encoder->shape_table.numbers;
    uint32_t place = mix(delay * 31 + form) % TABLE;

    for (; table[place] != 0; place = (place + 1) % TABLE) {
        struct shape const *const shape = &encoder->shapes[table[place] - 1];

        if (shape->form == form && shape->delay == delay)
            return (uint16_t)(table[place] - 1);
    }
    return add_shape(encoder, form, delay, place);
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
    uint16_t form = begins_block ? 0 : encoder->forms[encoder->last_form].followers[0], shape;

    if (begins_block)
        encoder->first_seq_num = record->seq_num;
    if ((begins_block || !has_form(encoder, &encoder->forms[form], record)) && !find_form(encoder, record, &form))
        return false;
    shape = begins_block ? 0 : encoder->shapes[encoder->last_shape].follower;
    if (shape >= encoder->shape_count || encoder->shapes[shape].form != form
        || encoder->shapes[shape].delay != record->comp_delay) {
        shape = find_shape(encoder, form, record->comp_delay);
        if (!begins_block)
            encoder->shapes[encoder->last_shape].follower = shape;
    }
    store_columns_record(columns, shape);
    if (record->present & (DEP_HAS_P_ADDR | DEP_HAS_V_ADDR))
        write_addresses(encoder, record, encoder->forms[form].instruction);
    encoder->latest[encoder->record_count % HISTORY] = record->seq_num;
    encoder->history[record->seq_num % HISTORY] = (uint16_t)encoder->record_count++;
    encoder->last_seq_num = record->seq_num;
    encoder->last_form = form;
    encoder->last_shape = shape;
    return true;
}
