/* Most shapes are plain: a few dependences, all of which are links, a few links to children. Their text is read in
 * words, without a loop. Odd shapes are read field by field.
 *
 * Checked against malformed files: numbers of values and instructions, ends of columns, lengths of links. Whether
 * links match the dependences is not checked here: see store_records_read. */
#include "proto/store/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };
_Static_assert(sizeof(struct store_shape) == LINE_BYTES, "as its comment says");

/* Steps below this may be added up in a batch: an overflow shows in the sum. */
#define SOUND_STEPS (UINT64_C(1) << 47)

static bool make_list_room(struct store_shapes *table, size_t count)
{
    if (count <= table->list_room)
        return true;
    free(table->record_distances);
    free(table->edges);
    free(table->seq_distances);
    table->record_distances = malloc(count * sizeof *table->record_distances);
    table->edges = malloc(count * sizeof *table->edges);
    table->seq_distances = malloc(count * sizeof *table->seq_distances);
    table->list_room = table->record_distances != NULL && table->edges != NULL
        && table->seq_distances != NULL ? count : 0;
    return table->list_room > 0;
}

bool store_shapes_init(struct store_shapes *table)
{
    *table = (struct store_shapes){0};
    table->shapes = aligned_alloc(LINE_BYTES, STORE_BLOCK_SHAPES * sizeof *table->shapes);
    table->instructions = malloc(STORE_BLOCK_SHAPES * sizeof *table->instructions);
    table->asids = malloc(STORE_BLOCK_SHAPES * sizeof *table->asids);
    table->values = malloc(STORE_BLOCK_SHAPES * sizeof *table->values);
    return table->shapes != NULL && table->instructions != NULL && table->asids != NULL && table->values != NULL
        && make_list_room(table, STORE_PLAIN_DEPENDENCES);
}

void store_shapes_free(struct store_shapes *table)
{
    free(table->shapes);
    free(table->instructions);
    free(table->asids);
    free(table->values);
    free(table->record_distances);
    free(table->edges);
    free(table->seq_distances);
}

enum { INSTRUCTION_VARINTS = 7 };    /* at most */

STORE_INLINE uint32_t constant_if(struct column_bytes *from, bool is_there, bool is_safe)
{
    return is_there ? (uint32_t)store_varint(from, is_safe) : 0;
}

STORE_INLINE bool read_instruction(struct column_bytes *from, struct store_shape *shape, uint32_t *asid, uint64_t pc,
                                   uint32_t slots, bool is_safe)
{
    uint64_t const pc_code = store_varint(from, is_safe), kind = store_varint(from, is_safe);
    uint32_t const present = (uint32_t)(kind >> 2);
    uint64_t slot = 0;

    if (kind >> 2 > UINT16_MAX)
        return false;
    *shape = (struct store_shape){.pc = pc + bits_unzigzag(pc_code), .present = (uint16_t)present,
                                  .is_access = store_is_access(kind & 3), .links.type = kind & 3};
    shape->size_bytes = constant_if(from, present & DEP_HAS_SIZE, is_safe);
    shape->flags = constant_if(from, present & DEP_HAS_FLAGS, is_safe);
    shape->weight = constant_if(from, present & DEP_HAS_WEIGHT, is_safe);
    *asid = constant_if(from, present & DEP_HAS_ASID, is_safe);
    if (present & DEP_HAS_P_ADDR) {
        slot = store_varint(from, is_safe);
        if (slot >= slots)
            return false;
    }
    shape->address_slot = (uint16_t)slot;
    return true;
}

static bool read_instructions(struct store_shapes *table, const struct store_block *block)
{
    struct column_bytes from = {.at = block->instructions, .end = block->instructions_end};
    struct store_shape *instruction = table->instructions;
    uint32_t *asid = table->asids;
    uint64_t pc = 0;

    table->are_plain = true;
    for (uint32_t i = 0; i < block->instruction_count; i++, instruction++, asid++) {
        if (store_varints_have(&from, INSTRUCTION_VARINTS)
                ? !read_instruction(&from, instruction, asid, pc, block->slot_count, true)
                : !read_instruction(&from, instruction, asid, pc, block->slot_count, false))
            return false;
        pc = instruction->pc;
        if (instruction->is_access != (bool)(instruction->present & DEP_HAS_P_ADDR))
            table->are_plain = false;
    }
    return !from.failed && from.at == from.end;
}

/* A position in the column of shapes. */
struct shape_text {
    const uint8_t *begin, *at, *end;
    uint64_t record_reach, seq_reach;        /* longest distances so far */
};

static inline bool has_bytes(const struct shape_text *text, uint64_t count)
{
    return (uint64_t)(text->end - text->at) >= count;
}

/* Masks of the lowest lanes of 16 bits, by their number; more than STORE_PLAIN_DEPENDENCES are invalid. */
static const uint64_t low_lanes[] = {0, 0xffff, 0xffffffff, 0xffffffffffff, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                     UINT64_MAX};

/* Has every bit that one of the lanes has, so that no lane is larger. */
static inline uint64_t any_lane(uint64_t lanes)
{
    uint64_t const pairs = lanes | lanes >> 32;

    return (pairs | pairs >> 16) & 0xffff;
}

/* A shape that is not odd. Its text begins at text->at, and 8 bytes of it are there. Masks keep links in bounds; other
 * errors in links or dependences do no harm until the lists are read. */
STORE_INLINE bool read_plain_shape(const struct store_shapes *table, struct shape_text *text,
                                   struct store_shape *shape)
{
    enum { BITS = STORE_HEAD_COUNT_BITS };
    /* By the number of links: the low and the high half of struct store_links, its first two bytes excepted. */
    static const uint64_t lanes[][2] = {
        {0, 0}, {0x03ff0000, 0}, {0x03ff03ff0000, 0}, {0x03ff03ff03ff0000, 0}, {0x03ff03ff03ff0000, 0x03ff},
        {0x03ff03ff03ff0000, 0x03ff03ff}, {0x03ff03ff03ff0000, 0x03ff03ff03ff}};
    _Static_assert(STORE_LINK_REACH == 0x03ff >> 1, "no link is longer");
    uint64_t const words = bits_load64(text->at), instruction = words & 0xffff, value = words >> 16 & 0xffff;
    uint64_t const count = (words >> 32 & STORE_HEAD_COUNT) + (words >> (32 + BITS) & STORE_HEAD_COUNT);
    uint64_t const links = words >> (32 + STORE_HEAD_LINKS_SHIFT) & STORE_HEAD_LINKS;
    const uint8_t *const first_link = text->at + 6 + 2 * count, *const end = first_link + 2 * links;
    struct store_shape const *const constants = &table->instructions[instruction];
    uint64_t low, high, kind;

    if (links == STORE_HEAD_LINKS || end > text->end || instruction >= table->instruction_count
        || value >= table->value_count)
        return false;
    memcpy(shape, constants, offsetof(struct store_shape, seq_delta));
    shape->reach = (uint16_t)any_lane(bits_load64(text->at + 6) & low_lanes[count & 7]);
    shape->link_count = (uint8_t)count;
    shape->text = (uint32_t)(text->at - text->begin);
    shape->seq_delta = words >> (32 + 2 * BITS) & STORE_HEAD_STEP;
    shape->comp_delay = table->values[value];
    low = bits_load64(first_link - 2) & lanes[links][0];
    high = bits_load64(first_link + 6) & lanes[links][1];
    kind = constants->links.type | links << 8;
    if ((low | high) & UINT64_C(0x0001000100010001) && constants->links.type == DEP_LOAD)
        kind |= STORE_HAS_EARLY_LINKS << 8;
    store_links_of_words(&shape->links, low | kind, high);
    text->at = end;
    return shape->seq_delta > 0;
}

/* The fields before a shape's lists. */
struct shape_head {
    uint32_t instruction, value;
    uint64_t orders, registers, seq_delta, links;
};

/* A field of the head, or the number behind the head if the field is full. */
static bool head_field(struct shape_text *text, uint64_t field, uint64_t full, uint64_t most, uint64_t *number)
{
    *number = field;
    if (field == full) {
        if (!has_bytes(text, 8))
            return false;
        *number = bits_load64(text->at);
        text->at += 8;
        return *number <= most;
    }
    return true;
}

static bool read_head(struct shape_text *text, struct shape_head *to)
{
    enum { FULL = STORE_HEAD_COUNT, BITS = STORE_HEAD_COUNT_BITS, STEP = STORE_HEAD_STEP };
    uint32_t head;

    if (!has_bytes(text, 6))
        return false;
    to->instruction = bits_load16(text->at) & ~STORE_ODD_SHAPE;
    to->value = bits_load16(text->at + 2);
    head = bits_load16(text->at + 4);
    text->at += 6;
    return head_field(text, head & FULL, FULL, UINT32_MAX, &to->orders)
        && head_field(text, head >> BITS & FULL, FULL, UINT32_MAX, &to->registers)
        && head_field(text, head >> 2 * BITS & STEP, STEP, UINT64_MAX, &to->seq_delta)
        && head_field(text, head >> STORE_HEAD_LINKS_SHIFT, STORE_HEAD_LINKS, UINT32_MAX, &to->links);
}

/* A dependence: in records, or if that is 0, in sequence numbers. False: it makes no sense. */
static bool read_distance(struct shape_text *text, uint32_t *in_records, uint64_t *in_numbers)
{
    if (!has_bytes(text, 2))
        return false;
    *in_records = bits_load16(text->at);
    *in_numbers = 0;
    text->at += 2;
    if (*in_records > 0)
        return *in_records <= STORE_KNOWN_REACH_SEQ;
    if (!has_bytes(text, 8))
        return false;
    *in_numbers = bits_load64(text->at);
    text->at += 8;
    return *in_numbers > 0;
}

static struct shape_text shapes_text_of(const struct store_shapes *table, const struct store_shape *shape)
{
    const uint8_t *const begin = table->text;

    return (struct shape_text){.begin = begin, .at = begin + shape->text, .end = table->text_end};
}

/* Field by field: copying a structure built elsewhere would read it while its stores are still in flight. */
static inline void begin_lists(const struct store_shapes *table, const struct shape_head *head,
                               struct store_lists *lists)
{
    lists->rob_dep_count = (uint32_t)head->orders;
    lists->reg_dep_count = (uint32_t)head->registers;
    lists->record_distance = table->record_distances;
    lists->seq_distance = table->seq_distances;
    lists->edges = NULL;
    lists->edge_count = lists->linked_count = 0;
    lists->has_unknown = false;
}

/* The lists of a plain shape: all dependences are links, and no two are on the same record. */
static bool read_plain_lists(struct store_shapes *table, const struct shape_text *text, struct store_lists *lists)
{
    uint32_t const orders = lists->rob_dep_count, count = orders + lists->reg_dep_count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t const distance = bits_load16(text->at + 2 * (size_t)i);

        if (distance == 0 || distance > STORE_LINK_REACH)
            return false;
        table->record_distances[i] = distance;
        table->edges[i] = store_edge(distance, i < orders);
    }
    lists->edges = table->edges;
    lists->edge_count = lists->linked_count = count;
    return true;
}

bool store_shapes_lists(struct store_shapes *table, const struct store_shape *shape, struct store_lists *lists)
{
    struct shape_text text = shapes_text_of(table, shape);
    bool const is_odd = bits_load16(text.at) & STORE_ODD_SHAPE;
    struct shape_head head = {0};

    if (!read_head(&text, &head))
        return false;
    begin_lists(table, &head, lists);
    if (!is_odd)
        return head.orders + head.registers <= STORE_PLAIN_DEPENDENCES && read_plain_lists(table, &text, lists);
    for (uint64_t i = 0; i < head.orders + head.registers; i++)
        read_distance(&text, &table->record_distances[i], &table->seq_distances[i]);
    store_lists_complete(lists, table->edges, STORE_KNOWN_REACH_SEQ);
    return true;
}

uint32_t store_shapes_asid(const struct store_shapes *table, const struct store_shape *shape)
{
    return table->asids[bits_load16(shapes_text_of(table, shape).at) & ~STORE_ODD_SHAPE];
}

/* The links to a shape's children: none leads too far. */
static bool read_links(struct shape_text *text, struct store_shape *shape, uint64_t count)
{
    const uint8_t *const links = text->at;
    uint32_t all = 0;

    if ((uint64_t)(text->end - text->at) / 2 < count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t const link = bits_load16(links + 2 * i);

        if (store_link_distance(link) == 0)
            return false;
        all |= link;
    }
    if (store_link_distance(all) > STORE_LINK_REACH)
        return false;
    if (count > STORE_NEAR_LINKS)
        store_set_link_list(&shape->links, links, (uint32_t)count);
    else
        shape->links.count = (uint8_t)count;
    for (uint64_t i = 0; i < count && count <= STORE_NEAR_LINKS; i++)
        shape->links.near[i] = bits_load16(links + 2 * i);
    if (all & STORE_LINK_EARLY && shape->links.type == DEP_LOAD)
        shape->links.count |= STORE_HAS_EARLY_LINKS;
    text->at += 2 * count;
    return true;
}

static uint16_t reach_of(const struct store_lists *lists)
{
    bool const has_others = lists->has_unknown || lists->edge_count > lists->linked_count;

    return has_others ? UINT16_MAX : lists->edge_count > 0 ? STORE_LINK_REACH : 0;
}

static __attribute__((noinline)) bool read_odd_shape(struct store_shapes *table, struct shape_text *text,
                                                     struct store_shape *shape)
{
    uint32_t const place = (uint32_t)(text->at - text->begin);
    struct shape_head head = {0};
    struct store_lists lists;

    if (!read_head(text, &head) || head.instruction >= table->instruction_count
        || head.value >= table->value_count || head.seq_delta == 0
        || !has_bytes(text, 2 * (head.orders + head.registers))
        || !make_list_room(table, (size_t)(head.orders + head.registers)))
        return false;
    begin_lists(table, &head, &lists);
    for (uint64_t i = 0; i < head.orders + head.registers; i++) {
        uint32_t *const in_records = &table->record_distances[i];
        uint64_t *const in_numbers = &table->seq_distances[i];

        if (!read_distance(text, in_records, in_numbers))
            return false;
        text->record_reach = *in_records > text->record_reach ? *in_records : text->record_reach;
        text->seq_reach = *in_numbers > text->seq_reach ? *in_numbers : text->seq_reach;
    }
    store_lists_complete(&lists, table->edges, STORE_KNOWN_REACH_SEQ);
    *shape = table->instructions[head.instruction];
    shape->text = place;
    shape->seq_delta = head.seq_delta;
    shape->comp_delay = table->values[head.value];
    if (!read_links(text, shape, head.links))
        return false;
    shape->link_count = (uint8_t)lists.linked_count;
    shape->reach = reach_of(&lists);
    return true;
}

static bool read_shapes(struct store_shapes *table, const struct store_block *block)
{
    struct shape_text text = {.begin = block->shapes, .at = block->shapes, .end = block->shapes_end,
                              .record_reach = STORE_LINK_REACH};
    struct store_shape *shape = table->shapes;
    uint64_t steps = 0;

    for (const struct store_shape *const end = shape + block->shape_count; shape < end; shape++) {
        if (!has_bytes(&text, 6))
            return false;
        if (bits_load16(text.at) & STORE_ODD_SHAPE ? !read_odd_shape(table, &text, shape)
                                                   : !read_plain_shape(table, &text, shape))
            return false;
        steps |= shape->seq_delta;
    }
    table->record_reach = text.record_reach;
    table->seq_reach = text.seq_reach;
    table->are_plain = table->are_plain && steps < SOUND_STEPS;
    return text.at == text.end;
}

/* Greatest common divisor of all values. */
static uint64_t shapes_unit_of(const uint64_t *values, uint32_t count)
{
    uint64_t unit = 0;

    for (uint32_t i = 0; i < count && unit != 1; i++) {
        uint64_t value = values[i];

        while (unit > 0) {           /* a division or two as a rule */
            uint64_t const rest = value % unit;

            value = unit;
            unit = rest;
        }
        unit = value;
    }
    return unit > 0 ? unit : 1;
}

static uint64_t max_of(const uint64_t *values, uint32_t count)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

bool store_shapes_read(struct store_shapes *table, const struct store_block *block)
{
    table->instruction_count = block->instruction_count;
    table->value_count = block->value_count;
    table->text = block->shapes;
    table->text_end = block->shapes_end;
    if (!store_block_values(block, table->values))
        return false;
    table->delay_unit = shapes_unit_of(table->values, block->value_count);
    table->longest_delay = max_of(table->values, block->value_count);
    return read_instructions(table, block) && read_shapes(table, block);
}

void store_lists_complete(struct store_lists *lists, uint32_t *edges, uint64_t known_reach_seq)
{
    uint64_t const orders = lists->rob_dep_count, dependences = orders + lists->reg_dep_count;
    struct store_edges gathered = {.edges = edges};

    for (uint64_t i = 0; i < dependences; i++) {
        if (i == orders)
            store_edges_end_orders(&gathered, lists->reg_dep_count);
        if (lists->record_distance[i] != 0)
            store_edges_add(&gathered, lists->record_distance[i], i < orders);
        else if (lists->seq_distance[i] >= known_reach_seq)
            gathered.has_unknown = true;
    }
    store_edges_finish(&gathered, lists);
}
