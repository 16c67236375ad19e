/* Encodes dependence records into blocks.
 *
 * Sequence numbers of dependences become distances in records by a table of the latest numbers; what lies further back
 * than the table reaches keeps its distance in sequence numbers.
 *
 * A record's shape is found in two steps. Its form, which is the shape without the delay and the links to children, is
 * mostly the one that followed the last record's form the last time, and is compared with the record as it stands; else
 * a hash table knows. The shape is found once the record's children are known: it is pending until no link of a new
 * record reaches it, or the block ends. It is mostly the one that followed the last record's, too; else another table
 * knows. Tables are cleared by going over what was put into them, which is little beside their size. */
#include <stdlib.h>
#include <string.h>

#include "proto/store_encode.h"
#include "proto/store_shape.h"

#define NO_MORE UINT32_MAX

enum { PENDING = STORE_LINK_REACH + 1 };

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
    uint16_t link_count;             /* links to parents, as their ends there: from first_distance on */
    uint64_t long_lists;             /* dependences, if they are too many for links */
};

/* Links to children. Those that have no room here are in the encoder's `more`. All is zero behind the last. */
struct children {
    uint16_t count, near[STORE_NEAR_LINKS];
};

/* A form with a delay and children. */
struct shape {
    struct children children;
    uint64_t delay;
    size_t first_more;               /* in `listed_links` */
    uint16_t form, place;
    uint16_t follower;               /* shape of the record after the last one of this shape */
};

/* A record whose children are not all known. */
struct pending {
    struct children children;
    uint64_t delay;
    uint16_t form;
};

/* The links of a pending record that have no room there: the first one and the last one, in `more`. */
struct more_list {
    uint32_t first, last;
};

/* A link of a pending record, in a list. */
struct more_link {
    uint32_t next;
    uint16_t link;
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
    uint64_t listed;                 /* dependences and links of the block's shapes; and dependences of pending
                                      * records, if they are too many for links */
    uint64_t v_difference;
    struct distance *distances;      /* of all forms, then of the record at hand */
    uint16_t *parent_links;          /* likewise; at most as many as distances */
    size_t distance_used, distance_room;
    uint32_t gathered;               /* records of the block, pending ones included */
    struct pending pending[PENDING]; /* at their number in the block */
    struct more_list more_lists[PENDING];    /* likewise */
    struct more_link *more;
    uint32_t more_used, more_room, free_more;        /* free ones are a list that ends with NO_MORE */
    uint16_t *listed_links;          /* of the block's shapes */
    size_t listed_links_used, listed_links_room;
};

struct store_dep_encoder *store_dep_encoder_new(void)
{
    struct store_dep_encoder *const encoder = calloc(1, sizeof *encoder);

    if (encoder == NULL)
        return NULL;
    encoder->columns = store_columns_new();
    encoder->distances = malloc(FIRST_DISTANCES * sizeof *encoder->distances);
    encoder->parent_links = malloc(FIRST_DISTANCES * sizeof *encoder->parent_links);
    encoder->distance_room = FIRST_DISTANCES;
    encoder->free_more = NO_MORE;
    for (size_t i = 0; i < HISTORY; i++)
        encoder->latest[i] = UINT64_MAX;
    if (encoder->columns != NULL && encoder->distances != NULL && encoder->parent_links != NULL)
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
    free(encoder->parent_links);
    free(encoder->more);
    free(encoder->listed_links);
    free(encoder);
}

struct store_columns *store_dep_columns(struct store_dep_encoder *encoder)
{
    return encoder->columns;
}

bool store_dep_block_is_full(const struct store_dep_encoder *encoder)
{
    uint32_t const pending = encoder->gathered - encoder->columns->records;

    return encoder->gathered == encoder->columns->limit || encoder->columns->shapes + pending >= STORE_BLOCK_SHAPES
        || encoder->listed >= STORE_BLOCK_DEPENDENCES;
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
    encoder->gathered = 0;
    encoder->listed_links_used = 0;
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
    uint16_t *links;

    if (wanted <= encoder->distance_room)
        return true;
    grown = realloc(encoder->distances, 2 * wanted * sizeof *grown);
    if (grown == NULL)
        return false;
    encoder->distances = grown;
    links = realloc(encoder->parent_links, 2 * wanted * sizeof *links);
    if (links == NULL)
        return false;
    encoder->parent_links = links;
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

/* The links to a form's parents; they are few (STORE_LINKED_DEPENDENCES) or none. */
static void find_parent_links(struct store_dep_encoder *encoder, struct form *form)
{
    uint64_t const orders = form->constants.rob_dep_count, registers = form->constants.reg_dep_count;
    struct distance const *const distances = encoder->distances + form->first_distance;
    uint16_t *const links = encoder->parent_links + form->first_distance;
    uint32_t edges[STORE_LINKED_DEPENDENCES];
    struct store_edges gathered = {.edges = edges};

    if (!store_may_be_linked(orders + registers, false)) {
        form->long_lists = orders + registers;
        return;
    }
    for (uint64_t i = 0; i < orders + registers; i++) {
        if (i == orders)
            store_edges_end_orders(&gathered, registers);
        if (distances[i].records != 0)
            store_edges_add(&gathered, distances[i].records, i < orders);
        else if (distances[i].seq >= STORE_KNOWN_REACH_SEQ)
            return;
    }
    for (uint32_t i = 0; i < gathered.count; i++) {
        bool const is_early = edges[i] & STORE_EDGE_ORDER && form->constants.type != DEP_STORE;

        if (store_edge_distance(edges[i]) <= STORE_LINK_REACH)
            links[form->link_count++] = (uint16_t)store_link(store_edge_distance(edges[i]), is_early);
    }
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
    find_parent_links(encoder, form);
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

    if (encoder->gathered == 0)
        return look_form_up(encoder, record, 1, number);
    *number = last->followers[1];
    if (!has_form(encoder, &encoder->forms[*number], record)
        && !look_form_up(encoder, record, record->seq_num - encoder->last_seq_num, number))
        return false;
    last->followers[1] = last->followers[0];
    last->followers[0] = *number;
    return true;
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static void write_shape(struct store_dep_encoder *encoder, const struct shape *shape)
{
    enum { MOST = STORE_HEAD_COUNT, BITS = STORE_HEAD_COUNT_BITS, NEAR = STORE_NEAR_LINKS };
    struct form const *const form = &encoder->forms[shape->form];
    struct store_columns *const columns = encoder->columns;
    struct store_text *const text = &columns->shape_text;
    struct distance const *const distances = encoder->distances + form->first_distance;
    uint32_t const orders = form->constants.rob_dep_count, registers = form->constants.reg_dep_count;
    uint32_t const order_code = orders < MOST ? orders : MOST, register_code = registers < MOST ? registers : MOST;
    uint64_t const step = form->constants.seq_delta, step_code = step < STORE_HEAD_STEP ? step : STORE_HEAD_STEP;
    uint32_t const links = shape->children.count, link_code = links < STORE_HEAD_LINKS ? links : STORE_HEAD_LINKS;
    bool const is_odd = order_code == MOST || register_code == MOST || step_code == STORE_HEAD_STEP
        || link_code == STORE_HEAD_LINKS || (uint64_t)orders + registers > STORE_PLAIN_DEPENDENCES
        || form->link_count != orders + registers;

    store_columns_put_u16(columns, text, form->instruction | (is_odd ? STORE_ODD_SHAPE : 0));
    store_columns_put_u16(columns, text, store_columns_value(columns, shape->delay));
    store_columns_put_u16(columns, text, order_code | register_code << BITS | step_code << 2 * BITS
                          | (uint64_t)link_code << STORE_HEAD_LINKS_SHIFT);
    if (order_code == MOST)
        store_columns_put_u64(columns, text, orders);
    if (register_code == MOST)
        store_columns_put_u64(columns, text, registers);
    if (step_code == STORE_HEAD_STEP)
        store_columns_put_u64(columns, text, step);
    if (link_code == STORE_HEAD_LINKS)
        store_columns_put_u64(columns, text, links);
    for (uint64_t i = 0; i < (uint64_t)orders + registers; i++) {
        store_columns_put_u16(columns, text, distances[i].records);
        if (distances[i].records == 0)
            store_columns_put_u64(columns, text, distances[i].seq);
    }
    for (uint32_t i = 0; i < links; i++)
        store_columns_put_u16(columns, text, i < NEAR ? shape->children.near[i]
                                                      : encoder->listed_links[shape->first_more + i - NEAR]);
    encoder->listed += (uint64_t)orders + registers + links;
}

/* Gives a pending record one more child. */
static void add_more_link(struct store_dep_encoder *encoder, struct pending *parent, uint16_t link)
{
    struct more_list *const list = &encoder->more_lists[parent - encoder->pending];
    uint32_t place = encoder->free_more;

    if (place != NO_MORE) {
        encoder->free_more = encoder->more[place].next;
    } else {
        if (encoder->more_used == encoder->more_room) {
            uint32_t const room = 2 * encoder->more_room + 64;
            struct more_link *const grown = realloc(encoder->more, room * sizeof *grown);

            if (grown == NULL) {
                encoder->columns->failed = true;
                return;
            }
            encoder->more = grown;
            encoder->more_room = room;
        }
        place = encoder->more_used++;
    }
    encoder->more[place].link = link;
    if (parent->children.count == STORE_NEAR_LINKS)
        list->first = place;
    else
        encoder->more[list->last].next = place;
    list->last = place;
    parent->children.count++;
}

static __attribute__((noinline)) void link_far(struct store_dep_encoder *encoder, struct pending *parent, uint16_t link)
{
    if (store_link_distance(link) <= encoder->gathered)
        add_more_link(encoder, parent, link);
}

/* The record at hand, of this form, becomes a child of its parents. Links that lead to before the block go to places
 * whose records are still to come, and are lost there. */
static inline void link_parents(struct store_dep_encoder *encoder, const struct form *form)
{
    uint16_t const *link = encoder->parent_links + form->first_distance, *const end = link + form->link_count;
    uint32_t const own = encoder->gathered;

    for (; link < end; link++) {
        struct pending *const parent = &encoder->pending[(own - store_link_distance(*link)) % PENDING];
        uint32_t const count = parent->children.count;

        if (__builtin_expect(count >= STORE_NEAR_LINKS, 0)) {
            link_far(encoder, parent, *link);
        } else {
            parent->children.near[count] = *link;
            parent->children.count = (uint16_t)(count + 1);
        }
    }
}

static const struct more_list *more_of(const struct store_dep_encoder *encoder, const struct pending *record)
{
    return &encoder->more_lists[record - encoder->pending];
}

/* Are the links that a pending record has beside the near ones those of the shape? */
static bool has_more_links(const struct store_dep_encoder *encoder, const struct shape *shape,
                           const struct pending *record)
{
    uint32_t place = more_of(encoder, record)->first;

    for (uint32_t i = STORE_NEAR_LINKS; i < record->children.count; i++, place = encoder->more[place].next)
        if (encoder->listed_links[shape->first_more + i - STORE_NEAR_LINKS] != encoder->more[place].link)
            return false;
    return true;
}

static inline bool has_shape(const struct store_dep_encoder *encoder, const struct shape *shape,
                             const struct pending *record)
{
    return shape->form == record->form && shape->delay == record->delay
        && memcmp(&shape->children, &record->children, sizeof record->children) == 0
        && (record->children.count <= STORE_NEAR_LINKS || has_more_links(encoder, shape, record));
}

/* Copies the links that a pending record has beside the near ones. */
static void list_more_links(struct store_dep_encoder *encoder, const struct pending *record)
{
    size_t const wanted = encoder->listed_links_used + record->children.count;

    if (wanted > encoder->listed_links_room) {
        uint16_t *const grown = realloc(encoder->listed_links, 2 * wanted * sizeof *grown);

        if (grown == NULL) {
            encoder->columns->failed = true;
            return;
        }
        encoder->listed_links = grown;
        encoder->listed_links_room = 2 * wanted;
    }
    for (uint32_t i = STORE_NEAR_LINKS, place = more_of(encoder, record)->first; i < record->children.count; i++) {
        encoder->listed_links[encoder->listed_links_used++] = encoder->more[place].link;
        place = encoder->more[place].next;
    }
}

static __attribute__((noinline)) uint16_t add_shape(struct store_dep_encoder *encoder, const struct pending *record,
                                                    uint32_t place)
{
    uint16_t const number = (uint16_t)encoder->columns->shapes++;
    struct shape *const shape = &encoder->shapes[number];

    *shape = (struct shape){.children = record->children, .delay = record->delay, .form = record->form,
                            .place = (uint16_t)place, .first_more = encoder->listed_links_used};
    if (record->children.count > STORE_NEAR_LINKS)
        list_more_links(encoder, record);
    if (!encoder->columns->failed)
        write_shape(encoder, shape);
    encoder->shape_count++;
    encoder->shape_table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

static inline uint16_t find_shape(struct store_dep_encoder *encoder, const struct pending *record)
{
    uint16_t const *const table = encoder->shape_table.numbers;
    uint64_t children[2];
    uint32_t place;

    memcpy(children, &record->children, sizeof children);
    place = mix((record->delay * 31 + record->form) * 31 + children[0] * 7 + children[1]) % TABLE;
    for (; table[place] != 0; place = (place + 1) % TABLE)
        if (has_shape(encoder, &encoder->shapes[table[place] - 1], record))
            return (uint16_t)(table[place] - 1);
    return add_shape(encoder, record, place);
}

/* All children of a pending record are known. */
static inline void finish_record(struct store_dep_encoder *encoder, const struct pending *record)
{
    bool const begins_block = encoder->columns->records == 0;
    uint16_t shape = begins_block ? 0 : encoder->shapes[encoder->last_shape].follower;

    if (shape >= encoder->shape_count || !has_shape(encoder, &encoder->shapes[shape], record)) {
        shape = find_shape(encoder, record);
        if (!begins_block)
            encoder->shapes[encoder->last_shape].follower = shape;
    }
    if (record->children.count > STORE_NEAR_LINKS) {
        encoder->more[more_of(encoder, record)->last].next = encoder->free_more;
        encoder->free_more = more_of(encoder, record)->first;
    }
    store_columns_record(encoder->columns, shape);
    encoder->last_shape = shape;
}

void store_dep_end_block(struct store_dep_encoder *encoder)
{
    while (encoder->columns->records < encoder->gathered && !encoder->columns->failed)
        finish_record(encoder, &encoder->pending[encoder->columns->records % PENDING]);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

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
    bool const begins_block = encoder->gathered == 0;
    struct pending *const own = &encoder->pending[encoder->gathered % PENDING];
    uint16_t form = begins_block ? 0 : encoder->forms[encoder->last_form].followers[0];

    if (begins_block)
        encoder->first_seq_num = record->seq_num;
    if ((begins_block || !has_form(encoder, &encoder->forms[form], record)) && !find_form(encoder, record, &form))
        return false;
    link_parents(encoder, &encoder->forms[form]);
    if (encoder->gathered >= PENDING)
        finish_record(encoder, own);
    encoder->listed += encoder->forms[form].long_lists;
    *own = (struct pending){.delay = record->comp_delay, .form = form};
    encoder->gathered++;
    if (record->present & (DEP_HAS_P_ADDR | DEP_HAS_V_ADDR))
        write_addresses(encoder, record, encoder->forms[form].instruction);
    encoder->latest[encoder->record_count % HISTORY] = record->seq_num;
    encoder->history[record->seq_num % HISTORY] = (uint16_t)encoder->record_count++;
    encoder->last_seq_num = record->seq_num;
    encoder->last_form = form;
    return !encoder->columns->failed;
}
