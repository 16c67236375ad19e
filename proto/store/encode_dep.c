/* Encodes dependence records into blocks.
 *
 * Sequence numbers of dependences become distances in records by a table of the latest numbers; dependences beyond the
 * table's reach keep their distance in sequence numbers.
 *
 * A record's shape is found in two steps. Its form, which is the shape without the delay and the links to children, is
 * mostly one of two that followed the last record's form before. It is compared with the message as it lies in the
 * reader's buffer: numbers of dependences need not be decoded, since their encoding equals that of the parents' own.
 * If the form differs, the record is decoded, and its form is looked up in a hash table. The shape is found once the
 * record's children are known: the record is pending until no link of a new one reaches it, or the block ends. It is
 * looked up in a table without a prediction, which would fail too often. Tables are cleared entry by entry, since few
 * of their places are in use. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/elastic/dep_reader.h"
#include "proto/store/shapes.h"
#include "proto/store/store_columns.h"
#include "proto/store/store_encode.h"

#define NO_MORE UINT32_MAX

#define NO_NUMBER UINT64_MAX
/* The form before a block's first record: no message is of it. */
#define NO_FORM STORE_BLOCK_SHAPES

enum { PENDING = STORE_LINK_REACH + 1 };

/* WORD_DISTANCES: of two bytes, in eight, which are read behind the last one. */
enum { HISTORY = STORE_KNOWN_REACH_SEQ, FIRST_DISTANCES = 4096, WORD_DISTANCES = 4 };

/* Links to children in one word, the latest lowest. */
enum { LINK_BITS = 10, LINK_MASK = (1 << LINK_BITS) - 1, WORD_LINKS = 6, FULL_SHIFT = LINK_BITS * (WORD_LINKS - 1) };
_Static_assert(STORE_LINK_REACH << 1 <= LINK_MASK, "a link fits");

struct form {
    struct dep_template *template;   /* of the record read last, or one that no message is of; of the form if ... */
    uint64_t alike;                  /* ... this is the template's still: then it has the instruction and the counts */
    uint64_t seq_delta;
    uint32_t first_distance, hash;
    uint32_t rob_dep_count, reg_dep_count, dependences;
    uint16_t followers[2];           /* forms of the records after those of this form, the latest first */
    uint16_t instruction, slot;
    uint16_t place;                  /* in the table */
    uint16_t link_count;             /* links to parents, as their ends there: from first_distance on */
    uint8_t present;                 /* enum dep_present */
    bool has_long_lists;             /* too many dependences for links */
    bool has_unknown;                /* a distance that is unknown in records */
};

/* A form with a delay and children; links that do not fit into the word are in `listed_links`. */
struct shape {
    uint64_t links, delay;
    uint64_t kind;                   /* KIND */
    uint32_t first_more;
    uint16_t place;
};

/* A record whose children are not all known: its links are in `pending_links`, those that do not fit there in
 * `more`. */
struct pending {
    uint64_t delay, kind;
};

/* Number of a form, and how many links have no room in the word. */
#define KIND(form, more) ((uint64_t)(form) | (uint64_t)(more) << 16)
#define KIND_FORM(kind) ((uint16_t)(kind))
#define KIND_MORE(kind) ((uint32_t)((kind) >> 16))

/* The links of a pending record beyond those that fit in it: first and last place in `more`. */
struct more_list {
    uint32_t first, last;
};

/* A link of a pending record, in a list. */
struct more_link {
    uint32_t next;
    uint16_t link;
};

struct store_dep_encoder {
    struct store_columns *columns;
    uint64_t record_count, last_seq_num, first_seq_num;
    uint16_t last_form;
    uint32_t gathered;               /* records of the block, pending ones included */
    uint32_t may_be_full_at;         /* fewer of them cannot fill it */
    uint64_t v_difference;
    uint16_t *distances;             /* in records, 0: unknown; of all forms, then of the current record */
    uint64_t *seq_distances;         /* likewise: in sequence numbers, if unknown in records */
    uint16_t *parent_links;          /* likewise; at most as many as distances */
    size_t distance_used, distance_room;
    uint32_t form_count, shape_count;        /* to be cleared */
    uint64_t listed;                 /* dependences and links of the block's shapes; and dependences of pending
                                      * records, if they are too many for links */
    uint64_t pending_links[PENDING]; /* at their number in the block */
    struct pending pending[PENDING]; /* likewise */
    uint16_t history[HISTORY];       /* low bits of a record's number, by those of its sequence number */
    uint64_t latest[HISTORY];        /* sequence numbers by the low bits of the record's number; NO_NUMBER: none */
    uint64_t latest_raw[HISTORY];    /* likewise: as encoded in messages; NO_NUMBER if in more than 8 bytes */
    struct dep_template no_template;
    struct form forms[STORE_BLOCK_SHAPES + 1];
    struct shape shapes[STORE_BLOCK_SHAPES];
    struct store_table form_table, shape_table;
    struct store_instructions instructions;
    uint64_t slot_address[STORE_BLOCK_SHAPES];
    struct more_list more_lists[PENDING];    /* at their number in the block */
    struct more_link *more;
    size_t more_room;
    uint32_t more_used, free_more;        /* free ones are a list that ends with NO_MORE */
    uint16_t *listed_links;          /* of the block's shapes */
    uint32_t listed_links_used;
    size_t listed_links_room;
};

struct store_dep_encoder *store_dep_encoder_new(void)
{
    struct store_dep_encoder *const encoder = store_columns_memory(sizeof *encoder);

    if (encoder == NULL)
        return NULL;
    encoder->columns = store_columns_new();
    encoder->distances = malloc(FIRST_DISTANCES * sizeof *encoder->distances);
    encoder->seq_distances = malloc(FIRST_DISTANCES * sizeof *encoder->seq_distances);
    encoder->parent_links = malloc(FIRST_DISTANCES * sizeof *encoder->parent_links);
    encoder->distance_room = FIRST_DISTANCES;
    encoder->free_more = NO_MORE;
    encoder->forms[NO_FORM] = (struct form){.template = &encoder->no_template, .alike = NO_NUMBER,
                                            .followers = {NO_FORM, NO_FORM}};
    encoder->last_form = NO_FORM;
    for (size_t i = 0; i < HISTORY; i++)
        encoder->latest[i] = encoder->latest_raw[i] = NO_NUMBER;
    if (encoder->columns != NULL && encoder->distances != NULL && encoder->seq_distances != NULL
        && encoder->parent_links != NULL)
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
    free(encoder->seq_distances);
    free(encoder->parent_links);
    free(encoder->more);
    free(encoder->listed_links);
    free(encoder);
}

struct store_columns *store_dep_columns(struct store_dep_encoder *encoder)
{
    return encoder->columns;
}

/* Of shapes there is at most one more with each record, as those of pending ones are counted already. */
static __attribute__((noinline)) bool encode_dep_is_full(struct store_dep_encoder *encoder)
{
    uint32_t const shapes = encoder->columns->shapes + encoder->gathered - encoder->columns->records;
    uint32_t const limit = encoder->columns->limit, shapes_end = encoder->gathered + STORE_BLOCK_SHAPES - shapes;

    if (encoder->gathered == limit || shapes >= STORE_BLOCK_SHAPES || encoder->listed >= STORE_BLOCK_DEPENDENCES)
        return true;
    encoder->may_be_full_at = shapes_end < limit ? shapes_end : limit;
    return false;
}

bool store_dep_block_is_full(struct store_dep_encoder *encoder)
{
    return encoder->gathered >= encoder->may_be_full_at && encode_dep_is_full(encoder);
}

/* Dependences or links that take room. */
static void list(struct store_dep_encoder *encoder, uint64_t count)
{
    encoder->listed += count;
    if (encoder->listed >= STORE_BLOCK_DEPENDENCES)
        encoder->may_be_full_at = 0;
}

/* store_columns_finish has set the columns' own counts to 0 already. */
void store_dep_next_block(struct store_dep_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->form_count; i++)
        encoder->form_table.numbers[encoder->forms[i].place] = 0;
    for (uint32_t i = 0; i < encoder->shape_count; i++)
        encoder->shape_table.numbers[encoder->shapes[i].place] = 0;
    encoder->form_count = encoder->shape_count = 0;
    memset(encoder->slot_address, 0, encoder->instructions.slot_count * sizeof encoder->slot_address[0]);
    store_instructions_clear(&encoder->instructions);
    encoder->distance_used = 0;
    encoder->gathered = encoder->may_be_full_at = 0;
    encoder->last_form = NO_FORM;
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
    size_t const wanted = encoder->distance_used + count + WORD_DISTANCES, room = 2 * wanted;

    if (wanted <= encoder->distance_room)
        return true;
    if (!list_resize(&encoder->distances, room, sizeof *encoder->distances)
        || !list_resize(&encoder->seq_distances, room, sizeof *encoder->seq_distances)
        || !list_resize(&encoder->parent_links, room, sizeof *encoder->parent_links))
        return false;
    encoder->distance_room = room;
    return true;
}

/* How many records back a number was recorded, 0: unknown. */
static inline uint32_t records_to(const struct store_dep_encoder *encoder, uint64_t parent)
{
    uint32_t const records = (uint16_t)(encoder->record_count - encoder->history[parent % HISTORY]);

    return records <= HISTORY && encoder->latest[(encoder->record_count - records) % HISTORY] == parent ? records : 0;
}

/* A record that lies so far back keeps that distance even if `history` no longer contains it. */
static inline bool is_distance(const struct store_dep_encoder *encoder, uint16_t records, const uint64_t *seq,
                               uint64_t seq_num, uint64_t parent)
{
    if (records != 0)
        return encoder->latest[(encoder->record_count - records) % HISTORY] == parent;
    return *seq == seq_num - parent && records_to(encoder, parent) == 0;
}

/* The links to a form's parents; they are few (STORE_LINKED_DEPENDENCES) or none. */
static void find_parent_links(struct store_dep_encoder *encoder, struct form *form)
{
    uint64_t const orders = form->rob_dep_count, registers = form->reg_dep_count;
    bool const is_store = encoder->instructions.all[form->instruction].type == DEP_STORE;
    uint16_t const *const distances = encoder->distances + form->first_distance;
    uint64_t const *const seq_distances = encoder->seq_distances + form->first_distance;
    uint16_t *const links = encoder->parent_links + form->first_distance;
    uint32_t edges[STORE_LINKED_DEPENDENCES];
    struct store_edges gathered = {.edges = edges};

    if (!store_may_be_linked(orders + registers, false)) {
        form->has_long_lists = true;
        return;
    }
    for (uint64_t i = 0; i < orders + registers; i++) {
        if (i == orders)
            store_edges_end_orders(&gathered, registers);
        if (distances[i] != 0) {
            store_edges_add(&gathered, distances[i], i < orders);
            continue;
        }
        form->has_unknown = true;
        if (seq_distances[i] >= STORE_KNOWN_REACH_SEQ)
            return;
    }
    for (uint32_t i = 0; i < gathered.count; i++)
        if (store_edge_distance(edges[i]) <= STORE_LINK_REACH)
            links[form->link_count++] = (uint16_t)store_link(store_edge_distance(edges[i]),
                                                             edges[i] & STORE_EDGE_ORDER && !is_store);
}

static inline bool are_distances(const struct store_dep_encoder *encoder, uint32_t own, uint64_t seq_num,
                                 const uint64_t *parents, uint32_t count)
{
    uint16_t const *const distances = encoder->distances + own;
    uint64_t const *const seq_distances = encoder->seq_distances + own;

    for (uint32_t i = 0; i < count; i++)
        if (!is_distance(encoder, distances[i], &seq_distances[i], seq_num, parents[i]))
            return false;
    return true;
}

/* The common part of a form's records, without the distances. */
struct constants_of_form {
    uint64_t seq_delta;
    uint32_t rob_dep_count, reg_dep_count;
    uint16_t instruction;
};

static inline bool has_constants(const struct form *form, const struct constants_of_form *constants)
{
    return form->instruction == constants->instruction && form->seq_delta == constants->seq_delta
        && form->rob_dep_count == constants->rob_dep_count && form->reg_dep_count == constants->reg_dep_count;
}

static inline bool is_form(const struct store_dep_encoder *encoder, const struct form *form,
                           const struct dep_record *record, const struct constants_of_form *constants)
{
    uint32_t const rob = record->rob_dep_count;

    return has_constants(form, constants)
        && are_distances(encoder, form->first_distance, record->seq_num, record->rob_dep, rob)
        && are_distances(encoder, form->first_distance + rob, record->seq_num, record->reg_dep, record->reg_dep_count);
}

/* Writes a list's distances and returns `hash` with them mixed in. */
static inline uint64_t add_distances(struct store_dep_encoder *encoder, size_t to, uint64_t seq_num,
                                     const uint64_t *parents, uint32_t count, uint64_t hash)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t const records = records_to(encoder, parents[i]);

        encoder->distances[to + i] = (uint16_t)records;
        if (__builtin_expect(records == 0, 0))
            encoder->seq_distances[to + i] = seq_num - parents[i];
        hash = hash * UINT64_C(0x100000001b3) + (records != 0 ? records : (seq_num - parents[i]) << 16);
    }
    return hash;
}

/* Whether the form's distances equal those just written. A few are compared at once. */
static inline bool has_distances(const struct store_dep_encoder *encoder, const struct form *form, size_t count)
{
    size_t const own = form->first_distance, wanted = encoder->distance_used;

    if (count <= WORD_DISTANCES && !form->has_unknown) {
        uint64_t const one = bits_load64((const uint8_t *)(encoder->distances + own));
        uint64_t const other = bits_load64((const uint8_t *)(encoder->distances + wanted));

        return count == 0 || (one ^ other) << (64 - 16 * count) == 0;
    }
    for (size_t i = 0; i < count; i++)
        if (encoder->distances[own + i] != encoder->distances[wanted + i]
            || (encoder->distances[own + i] == 0
                && encoder->seq_distances[own + i] != encoder->seq_distances[wanted + i]))
            return false;
    return true;
}

/* A form whose distances were just written. */
static uint16_t add_form(struct store_dep_encoder *encoder, const struct constants_of_form *constants, uint32_t hash,
                         uint32_t place)
{
    uint16_t const number = (uint16_t)encoder->form_count++;
    struct store_instruction const *const instruction = &encoder->instructions.all[constants->instruction];
    struct form *const form = &encoder->forms[number];

    *form = (struct form){
        .template = &encoder->no_template, .alike = NO_NUMBER, .seq_delta = constants->seq_delta,
        .first_distance = (uint32_t)encoder->distance_used,
        .hash = hash, .rob_dep_count = constants->rob_dep_count, .reg_dep_count = constants->reg_dep_count,
        .dependences = constants->rob_dep_count + constants->reg_dep_count, .instruction = constants->instruction,
        .slot = instruction->slot,
        .present = (uint8_t)instruction->present, .place = (uint16_t)place};
    find_parent_links(encoder, form);
    encoder->distance_used += (size_t)form->rob_dep_count + form->reg_dep_count;
    encoder->form_table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

/* Looks a form up, or adds it. False: out of memory. */
static bool look_form_up(struct store_dep_encoder *encoder, const struct dep_record *record,
                         const struct constants_of_form *constants, uint16_t *number)
{
    uint32_t const rob = record->rob_dep_count, registers = record->reg_dep_count;
    uint16_t const *const table = encoder->form_table.numbers;
    uint64_t hash = constants->instruction + (constants->seq_delta << 16) + ((uint64_t)registers << 32);
    uint32_t place;

    if (!make_distance_room(encoder, (size_t)rob + registers))
        return false;
    hash = add_distances(encoder, encoder->distance_used, record->seq_num, record->rob_dep, rob, hash);
    hash = add_distances(encoder, encoder->distance_used + rob, record->seq_num, record->reg_dep, registers, hash);
    hash ^= hash >> 32;
    for (place = store_table_place(hash); table[place] != 0; place = (place + 1) % STORE_TABLE) {
        struct form const *const form = &encoder->forms[table[place] - 1];

        if (form->hash == (uint32_t)hash && has_constants(form, constants)
            && has_distances(encoder, form, (size_t)rob + registers)) {
            *number = (uint16_t)(table[place] - 1);
            return true;
        }
    }
    *number = add_form(encoder, constants, (uint32_t)hash, place);
    return true;
}

/* The form of a record that is one of the two that followed the last one's form before. */
static inline bool is_follower(const struct store_dep_encoder *encoder, const struct dep_record *record,
                               const struct constants_of_form *constants, uint16_t *number)
{
    uint16_t const *const followers = encoder->forms[encoder->last_form].followers;

    *number = followers[0];
    if (is_form(encoder, &encoder->forms[*number], record, constants))
        return true;
    *number = followers[1];
    return is_form(encoder, &encoder->forms[*number], record, constants);
}

/* A record that begins a block has its number in the index, and any delta will do. One with a template was compared
 * with the followers already (store_dep_encode_seen): it is hardly one of them. */
static bool find_form(struct store_dep_encoder *encoder, const struct dep_record *record, struct dep_template *template,
                      uint16_t *number)
{
    uint16_t *const followers = encoder->forms[encoder->last_form].followers;
    bool const begins_block = encoder->gathered == 0;
    struct constants_of_form const constants = {
        .seq_delta = begins_block ? 1 : record->seq_num - encoder->last_seq_num, .rob_dep_count = record->rob_dep_count,
        .reg_dep_count = record->reg_dep_count,
        .instruction = store_instructions_find(&encoder->instructions, encoder->columns, record)};
    struct form *form;

    if ((begins_block || template != NULL || !is_follower(encoder, record, &constants, number))
        && !look_form_up(encoder, record, &constants, number))
        return false;
    if (!begins_block && *number != followers[0]) {
        followers[1] = followers[0];
        followers[0] = *number;
    }
    form = &encoder->forms[*number];
    if (template != NULL && !form->has_unknown) {
        form->template = template;
        form->alike = template->alike;
    }
    return true;
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

/* Links of one word. */
static uint32_t links_in(uint64_t links)
{
    return links == 0 ? 0 : (63 - (uint32_t)__builtin_clzll(links)) / LINK_BITS + 1;
}

static uint8_t *put_u16(uint8_t *at, uint64_t number)
{
    bits_store16(at, (uint16_t)number);
    return at + 2;
}

static uint8_t *put_u64(uint8_t *at, uint64_t number)
{
    bits_store64(at, number);
    return at + 8;
}

/* `at` has room for all. */
static uint8_t *put_distances(const struct store_dep_encoder *encoder, const struct form *form, uint8_t *at)
{
    uint16_t const *const distances = encoder->distances + form->first_distance;
    uint64_t const *const seq_distances = encoder->seq_distances + form->first_distance;
    uint64_t const count = (uint64_t)form->rob_dep_count + form->reg_dep_count;

    for (uint64_t i = 0; i < count; i++) {
        at = put_u16(at, distances[i]);
        if (distances[i] == 0)
            at = put_u64(at, seq_distances[i]);
    }
    return at;
}

static uint8_t *put_links(const struct store_dep_encoder *encoder, const struct shape *shape, uint8_t *at)
{
    for (uint32_t i = links_in(shape->links); i-- > 0;)
        at = put_u16(at, shape->links >> LINK_BITS * i & LINK_MASK);
    for (uint32_t i = 0; i < KIND_MORE(shape->kind); i++)
        at = put_u16(at, encoder->listed_links[shape->first_more + i]);
    return at;
}

static void write_shape(struct store_dep_encoder *encoder, const struct shape *shape)
{
    enum { MOST = STORE_HEAD_COUNT, BITS = STORE_HEAD_COUNT_BITS, ROOM = 6 + 4 * 8, EACH = 2 + 8 };
    struct form const *const form = &encoder->forms[KIND_FORM(shape->kind)];
    struct column *const text = &encoder->columns->shape_text;
    uint32_t const orders = form->rob_dep_count, registers = form->reg_dep_count;
    uint64_t const dependences = (uint64_t)orders + registers, step = form->seq_delta;
    uint32_t const links = links_in(shape->links) + KIND_MORE(shape->kind);
    uint32_t const order_code = orders < MOST ? orders : MOST, register_code = registers < MOST ? registers : MOST;
    uint64_t const step_code = step < STORE_HEAD_STEP ? step : STORE_HEAD_STEP;
    uint32_t const link_code = links < STORE_HEAD_LINKS ? links : STORE_HEAD_LINKS;
    bool const is_odd = order_code == MOST || register_code == MOST || step_code == STORE_HEAD_STEP
        || link_code == STORE_HEAD_LINKS || dependences > STORE_PLAIN_DEPENDENCES || form->link_count != dependences;
    uint8_t *at = column_fit(text, ROOM + EACH * dependences + 2 * (size_t)links) ? text->at + text->length : NULL;

    if (at == NULL)
        return;
    at = put_u16(at, form->instruction | (is_odd ? STORE_ODD_SHAPE : 0));
    at = put_u16(at, store_columns_value(encoder->columns, shape->delay));
    at = put_u16(at, order_code | register_code << BITS | step_code << 2 * BITS
                 | (uint64_t)link_code << STORE_HEAD_LINKS_SHIFT);
    if (order_code == MOST)
        at = put_u64(at, orders);
    if (register_code == MOST)
        at = put_u64(at, registers);
    if (step_code == STORE_HEAD_STEP)
        at = put_u64(at, step);
    if (link_code == STORE_HEAD_LINKS)
        at = put_u64(at, links);
    at = put_links(encoder, shape, put_distances(encoder, form, at));
    text->length = (size_t)(at - text->at);
    list(encoder, dependences + links);
}

/* Adds a child to a pending record. */
static void add_more_link(struct store_dep_encoder *encoder, uint32_t parent, uint16_t link)
{
    struct more_list *const own = &encoder->more_lists[parent];
    uint32_t place = encoder->free_more;

    if (place != NO_MORE) {
        encoder->free_more = encoder->more[place].next;
    } else {
        if (!list_fit(&encoder->more, encoder->more_used + 1, &encoder->more_room, sizeof *encoder->more)) {
            encoder->columns->failed = true;
            return;
        }
        place = encoder->more_used++;
    }
    encoder->more[place].link = link;
    if (KIND_MORE(encoder->pending[parent].kind) == 0)
        own->first = place;
    else
        encoder->more[own->last].next = place;
    own->last = place;
    encoder->pending[parent].kind += KIND(0, 1);
}

static __attribute__((noinline)) void link_far(struct store_dep_encoder *encoder, uint32_t parent, uint16_t link)
{
    if (store_link_distance(link) <= encoder->gathered)
        add_more_link(encoder, parent, link);
}

/* Makes the current record, of this form, a child of its parents. Links that lead to before the block go to places
 * whose records are still to come, and are lost there. */
static inline void link_parents(struct store_dep_encoder *encoder, const struct form *form)
{
    uint16_t const *link = encoder->parent_links + form->first_distance, *const end = link + form->link_count;
    uint32_t const own = encoder->gathered;

    for (; link < end; link++) {
        uint32_t const parent = (own - store_link_distance(*link)) % PENDING;
        uint64_t const links = encoder->pending_links[parent];

        if (__builtin_expect(links >> FULL_SHIFT != 0, 0))
            link_far(encoder, parent, *link);
        else
            encoder->pending_links[parent] = links << LINK_BITS | *link;
    }
}

/* Are the links that a pending record has beside those of the word those of the shape? */
static __attribute__((noinline)) bool has_more_links(const struct store_dep_encoder *encoder, const struct shape *shape,
                                                     uint32_t record)
{
    uint32_t place = encoder->more_lists[record].first;

    for (uint32_t i = 0; i < KIND_MORE(shape->kind); i++, place = encoder->more[place].next)
        if (encoder->listed_links[shape->first_more + i] != encoder->more[place].link)
            return false;
    return true;
}

/* `record`: its place among the pending ones. */
static inline bool has_shape(const struct store_dep_encoder *encoder, const struct shape *shape, uint32_t record)
{
    struct pending const *const pending = &encoder->pending[record];

    return shape->links == encoder->pending_links[record] && shape->delay == pending->delay
        && shape->kind == pending->kind && (KIND_MORE(shape->kind) == 0 || has_more_links(encoder, shape, record));
}

/* Copies the links that a pending record has beside those of the word. False: out of memory. */
static bool list_more_links(struct store_dep_encoder *encoder, uint32_t record)
{
    uint32_t const count = KIND_MORE(encoder->pending[record].kind), wanted = encoder->listed_links_used + count;
    uint32_t place = encoder->more_lists[record].first;

    if (!list_fit(&encoder->listed_links, wanted, &encoder->listed_links_room, sizeof *encoder->listed_links))
        return false;
    for (uint32_t i = 0; i < count; i++, place = encoder->more[place].next)
        encoder->listed_links[encoder->listed_links_used++] = encoder->more[place].link;
    return true;
}

/* Returns its number + 1. */
static __attribute__((noinline)) uint16_t add_shape(struct store_dep_encoder *encoder, uint32_t record, uint32_t place)
{
    struct pending const *const pending = &encoder->pending[record];
    uint16_t const number = (uint16_t)encoder->columns->shapes++;
    struct shape *const shape = &encoder->shapes[number];

    *shape = (struct shape){.links = encoder->pending_links[record], .delay = pending->delay, .kind = pending->kind,
                            .place = (uint16_t)place, .first_more = encoder->listed_links_used};
    if (KIND_MORE(shape->kind) > 0 && !list_more_links(encoder, record)) {
        encoder->columns->failed = true;
        shape->kind = KIND(KIND_FORM(shape->kind), 0);
    }
    write_shape(encoder, shape);
    encoder->shape_count++;
    return encoder->shape_table.numbers[place] = (uint16_t)(number + 1);
}

/* All children of a pending record are known. */
static inline void finish_record(struct store_dep_encoder *encoder, uint32_t record)
{
    uint16_t const *const table = encoder->shape_table.numbers;
    uint64_t const delay = encoder->pending[record].delay, links = encoder->pending_links[record];
    uint64_t const kind = encoder->pending[record].kind;
    uint32_t place = store_table_place((links ^ links >> 31) * UINT64_C(0xc2b2ae3d27d4eb4f) + delay + (kind << 48));
    uint16_t number;

    while ((number = table[place]) != 0 && !has_shape(encoder, &encoder->shapes[number - 1], record))
        place = (place + 1) % STORE_TABLE;
    if (__builtin_expect(number == 0, 0))
        number = add_shape(encoder, record, place);
    if (__builtin_expect(KIND_MORE(kind) > 0, 0)) {
        encoder->more[encoder->more_lists[record].last].next = encoder->free_more;
        encoder->free_more = encoder->more_lists[record].first;
    }
    store_columns_record(encoder->columns, (uint16_t)(number - 1));
}

void store_dep_end_block(struct store_dep_encoder *encoder)
{
    while (encoder->columns->records < encoder->gathered && !encoder->columns->failed)
        finish_record(encoder, encoder->columns->records % PENDING);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* The part of a record that is not in its form. */
struct numbers {
    uint64_t seq_num, raw_seq_num, comp_delay, p_addr, v_addr;
};

static inline void write_addresses(struct store_dep_encoder *encoder, const struct form *form,
                                   const struct numbers *numbers)
{
    struct store_columns *const columns = encoder->columns;

    if (form->present & DEP_HAS_P_ADDR) {
        uint64_t *const last = &encoder->slot_address[form->slot];

        store_columns_number(&columns->first, bits_zigzag(numbers->p_addr - *last));
        *last = numbers->p_addr;
    }
    if (form->present & DEP_HAS_V_ADDR) {
        uint64_t const difference = numbers->v_addr - numbers->p_addr;

        store_columns_number(&columns->second, bits_zigzag(difference - encoder->v_difference));
        encoder->v_difference = difference;
    }
}

static inline void add_record(struct store_dep_encoder *encoder, uint16_t number, const struct numbers *numbers)
{
    struct form const *const form = &encoder->forms[number];
    uint32_t const own = encoder->gathered % PENDING;
    uint64_t const count = encoder->record_count;

    link_parents(encoder, form);
    if (encoder->gathered >= PENDING)
        finish_record(encoder, own);
    encoder->pending[own] = (struct pending){.delay = numbers->comp_delay, .kind = KIND(number, 0)};
    encoder->pending_links[own] = 0;
    encoder->gathered++;
    if (form->present & (DEP_HAS_P_ADDR | DEP_HAS_V_ADDR))
        write_addresses(encoder, form, numbers);
    encoder->latest[count % HISTORY] = numbers->seq_num;
    encoder->latest_raw[count % HISTORY] = numbers->raw_seq_num;
    encoder->history[numbers->seq_num % HISTORY] = (uint16_t)count;
    encoder->record_count = count + 1;
    encoder->last_seq_num = numbers->seq_num;
    encoder->last_form = number;
}

bool store_dep_encode(struct store_dep_encoder *encoder, const struct dep_record *record, struct dep_template *template)
{
    struct numbers const numbers = {
        .seq_num = record->seq_num, .comp_delay = record->comp_delay, .p_addr = record->p_addr,
        .v_addr = record->v_addr,
        .raw_seq_num = record->seq_num >> 56 != 0 ? NO_NUMBER : wire_varint_spread(record->seq_num)};
    uint16_t number;

    if (!find_form(encoder, record, template, &number))
        return false;
    if (encoder->gathered == 0)
        encoder->first_seq_num = record->seq_num;
    add_record(encoder, number, &numbers);
    if (encoder->forms[number].has_long_lists)
        list(encoder, (uint64_t)record->rob_dep_count + record->reg_dep_count);
    return !encoder->columns->failed;
}

/* Whether the message, whose length is at `seen`, has that form; if so, reads its numbers. */
static inline bool is_of_form(const struct store_dep_encoder *encoder, const struct form *form, const uint8_t *seen,
                              struct numbers *numbers)
{
    struct dep_template const *const template = form->template;
    uint16_t const *const distances = encoder->distances + form->first_distance;
    const uint8_t *const message = seen + 1;
    dep_pairs two;

    if (!dep_template_is(template, seen) || template->alike != form->alike)
        return false;
    numbers->raw_seq_num = dep_template_raw(template, message, 0);
    two = (dep_pairs){numbers->raw_seq_num, dep_template_raw(template, message, 1)};
    two = dep_template_squeeze_two(two);
    numbers->seq_num = two[0];
    numbers->comp_delay = two[1];
    if (numbers->seq_num - encoder->last_seq_num != form->seq_delta)
        return false;
    for (unsigned i = 0; i < form->dependences; i++)
        if (encoder->latest_raw[(encoder->record_count - distances[i]) % HISTORY]
            != dep_template_raw(template, message, template->first_dep + i))
            return false;
    numbers->p_addr = numbers->v_addr = 0;
    if (form->present & DEP_HAS_P_ADDR)
        numbers->p_addr = wire_varint_squeeze(dep_template_raw(template, message, 2));
    if (form->present & DEP_HAS_V_ADDR)
        numbers->v_addr = wire_varint_squeeze(dep_template_raw(template, message, template->first_dep - 1u));
    return true;
}

bool store_dep_encode_seen(struct store_dep_encoder *encoder, struct dep_reader *reader)
{
    uint16_t *const followers = encoder->forms[encoder->last_form].followers;
    const uint8_t *const seen = dep_reader_seen(reader);
    struct numbers numbers;
    uint16_t number = followers[0];

    if (seen == NULL)
        return false;
    if (!is_of_form(encoder, &encoder->forms[number], seen, &numbers)) {
        number = followers[1];
        if (!is_of_form(encoder, &encoder->forms[number], seen, &numbers))
            return false;
        followers[1] = followers[0];
        followers[0] = number;
    }
    dep_reader_took(reader, encoder->forms[number].template, numbers.seq_num);
    add_record(encoder, number, &numbers);
    return true;
}
