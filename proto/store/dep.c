/* Cursor over the store's dependence records. A block's shapes are read into a table once; then a record is a look-up
 * by a narrow number, an addition, and for accesses one number of the address stream. Records are decoded in batches,
 * so that the loop keeps its state in registers.
 *
 * Batches have two decoders. The fast one (store_run.h) checks nothing by the record: the largest number of a shape is
 * checked for all, the lengths of the address stream were added up when the block was opened, accesses without an
 * address were looked for, and steps that are not huge cannot overflow unseen. Other blocks, and the last records of a
 * block, take the careful one.
 *
 * Virtual addresses and sequence numbers of dependences are found by store_records_read alone, record by record: the
 * latter from those of the latest records, which for a cursor that begins in the middle are read first. It also
 * compares the links with the dependences, which a replay does not: with wrong links it comes to another result, or to
 * none.
 *
 * Checked, so that no file can lead astray: numbers of shapes, ends of streams, sequence numbers that rise without
 * overflow, and distances that stay behind the trace's beginning. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/store/store_run.h"
#include "proto/store/shapes.h"

enum {
    BATCH = 256, FIRST_BATCH = 32, LATEST = STORE_KNOWN_REACH_SEQ,
    UNIT = sizeof(uint64_t), SHAPE_UNITS = sizeof(struct store_shape) / UNIT
};
_Static_assert(sizeof(struct store_shape) % UNIT == 0 && SHAPE_UNITS * STORE_BLOCK_SHAPES <= UINT16_MAX,
               "a shape's place in units is a narrow number");

/* State of store_records_read beyond the records. */
struct reading {
    uint64_t seq_nums[2 * LATEST];   /* of the latest records, by the low bits of how many were read before them */
    uint64_t count;                  /* records read */
    uint64_t v_difference;
    uint64_t linked[STORE_LINK_REACH + 1];   /* sums of link_code over the links that lead to a record of the block, by
                                              * the low bits of its number there */
    uint64_t *deps;                  /* of the record given last */
    size_t dep_room;
};

struct store_records {
    const struct store *store;
    uint64_t block_number;
    struct store_block block;
    bool block_is_open, has_ended, failed;
    bool has_before;                 /* a block was read */
    uint32_t decoded;                /* records of the block so far */
    uint64_t seq_num;                /* of the record decoded last, in this block or before */
    bool may_be_fast;                /* the block suits the fast decoder */
    uint32_t next, count;            /* in the batch */
    bool has_run;                    /* of which the batch is, and was given instead of it or is to be decoded */
    struct store_run run;
    uint16_t run_places[BATCH];
    uint8_t run_lengths[BATCH];      /* where the stream has fewer */
    struct fault error;        /* if failed */

    struct store_shapes table;
    uint64_t *slots;                 /* STORE_BLOCK_SHAPES */
    struct reading *reading;         /* NULL until store_records_read */
    struct store_record batch[BATCH];
};

static bool begin_reading(struct store_records *cursor)
{
    if (cursor->reading == NULL)
        cursor->reading = calloc(1, sizeof *cursor->reading);
    return cursor->reading != NULL;
}

/* Reads on to the `first` record. The sequence numbers of earlier records, its possible parents, are remembered
 * meanwhile; a failure is reported when the cursor is read. */
static bool skip_to(struct store_records *cursor, uint64_t first)
{
    uint64_t const from = first < LATEST ? 0 : first - LATEST;
    struct dep_record record;
    struct fault ignored;

    if (!begin_reading(cursor))
        return false;
    cursor->block_number = store_find_block(cursor->store, STORE_DEP, false, from);
    for (uint64_t i = store_index_of(cursor->store, STORE_DEP, cursor->block_number).first_record; i < first; i++)
        if (store_records_read(cursor, &record, &ignored) != DEP_RECORD)
            break;
    return true;
}

struct store_records *store_records_open(const struct store *store, uint64_t first, struct fault *error)
{
    struct store_records *const cursor = calloc(1, sizeof *cursor);

    if (cursor != NULL) {
        cursor->store = store;
        cursor->slots = malloc(STORE_BLOCK_SHAPES * sizeof *cursor->slots);
    }
    if (cursor == NULL || !store_shapes_init(&cursor->table) || cursor->slots == NULL) {
        store_records_close(cursor);
        *error = fault_memory(store_name(store), NULL);
        return NULL;
    }
    if (first == 0)
        return cursor;
    if (first >= store_about(store)->count[STORE_DEP]) {
        cursor->has_ended = true;
    } else if (!skip_to(cursor, first)) {
        store_records_close(cursor);
        *error = fault_memory(store_name(store), NULL);
        return NULL;
    }
    return cursor;
}

void store_records_close(struct store_records *cursor)
{
    if (cursor == NULL)
        return;
    store_shapes_free(&cursor->table);
    free(cursor->slots);
    if (cursor->reading != NULL)
        free(cursor->reading->deps);
    free(cursor->reading);
    free(cursor);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

struct fault store_records_lists(struct store_records *cursor, const struct store_shape *shape,
                                 struct store_lists *lists)
{
    struct fault fault = fault_none();

    if (store_shapes_lists(&cursor->table, shape, lists))
        return fault_none();
    cursor->error = store_block_damaged(cursor->store, &cursor->block.index, "has dependences that make no sense");
    fault = cursor->error;
    cursor->failed = true;
    cursor->next = cursor->count = 0;
    return fault;
}

/* Whether all lengths of the stream are at most 8, and their sum fits its bytes. */
static bool lengths_are_sound(const struct store_numbers *numbers)
{
    uint64_t sum = 0;
    uint8_t longest = 0;

    for (uint32_t i = 0; i < numbers->count; i++) {
        longest = numbers->lengths[i] > longest ? numbers->lengths[i] : longest;
        sum += numbers->lengths[i];
    }
    return longest <= 8 && sum <= (uint64_t)(numbers->end - numbers->bytes);
}

static bool open_block(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;

    switch (store_block_open(cursor->store, STORE_DEP, cursor->block_number, block, &cursor->error)) {
    case STORE_BLOCK: break;
    case STORE_NO_BLOCK: cursor->has_ended = true; return true;
    case STORE_BLOCK_BAD: return false;
    }
    cursor->block_is_open = true;
    if (!store_shapes_read(&cursor->table, block))
        return WORKS(cursor->error, store_block_damaged(cursor->store, &block->index,
                                                        "has shapes or values that make "
                                                        "no sense, or memory is short"));
    /* The index says that first keys do not fall; here, that they lie above all numbers before. */
    if (cursor->has_before && cursor->seq_num >= block->index.first_key)
        return WORKS(cursor->error, store_block_damaged(cursor->store, &block->index,
                                                        "does not continue the one "
                                                        "before"));
    cursor->may_be_fast = cursor->table.are_plain && lengths_are_sound(&block->first);
    memset(cursor->slots, 0, block->slot_count * sizeof *cursor->slots);
    cursor->decoded = 0;
    if (cursor->reading != NULL) {
        cursor->reading->v_difference = 0;
        memset(cursor->reading->linked, 0, sizeof cursor->reading->linked);
    }
    cursor->has_before = true;
    return true;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* Whether a dependence of the batch reaches back beyond the trace's beginning. */
static bool reaches_too_far(struct store_records *cursor, uint64_t first_record)
{
    for (uint32_t i = 0; i < cursor->count; i++) {
        struct store_record const *const record = &cursor->batch[i];
        struct store_lists lists;

        if (!store_shapes_lists(&cursor->table, record->shape, &lists))
            return true;
        for (uint64_t k = 0; k < (uint64_t)lists.rob_dep_count + lists.reg_dep_count; k++)
            if (lists.record_distance[k] > first_record + i
                || (lists.record_distance[k] == 0 && lists.seq_distance[k] > record->seq_num))
                return true;
    }
    return false;
}

/* The stream's next BATCH lengths; where there are no more, 0. */
static const uint8_t *next_lengths(const struct store_numbers *numbers, uint8_t tail[BATCH])
{
    const uint8_t *const lengths = numbers->lengths + numbers->next;
    uint32_t const left = numbers->count - numbers->next;

    if (left >= BATCH)
        return lengths;
    memset(tail, 0, BATCH);
    memcpy(tail, lengths, left);
    return tail;
}

/* Makes a run of the BATCH records before `decoded`. */
static bool begin_run(struct store_records *cursor)
{
    struct store_block const *const block = &cursor->block;
    uint32_t const left = block->first.count - block->first.next;
    const uint8_t *const lengths = next_lengths(&block->first, cursor->run_lengths);

    cursor->run = (struct store_run){
        .shapes = (const uint64_t *)(const void *)cursor->table.shapes, .place = cursor->run_places,
        .slots = cursor->slots, .length = lengths, .first_length = lengths,
        .lengths_end = lengths + (left < BATCH ? left : BATCH),
        .bytes = block->first.bytes, .seq_num = cursor->seq_num, .seq_before = cursor->seq_num, .count = BATCH};
    return store_shape_places(cursor->run_places, block, cursor->decoded - BATCH, BATCH, SHAPE_UNITS);
}

/* All of the run was decoded. */
static bool end_run(struct store_records *cursor)
{
    struct store_numbers *const addresses = &cursor->block.first;
    struct store_run const *const run = &cursor->run;

    cursor->has_run = false;
    if (!store_run_is_sound(run))
        return false;
    addresses->next += (uint32_t)(run->length - run->first_length);
    addresses->bytes = run->bytes;
    cursor->seq_num = run->seq_num;
    return true;
}

static bool decode_carefully(struct store_records *cursor)
{
    struct store_block *const block = &cursor->block;
    uint64_t *const slots = cursor->slots;
    uint32_t const first = cursor->decoded - cursor->count;
    uint64_t seq_num = cursor->seq_num;
    struct store_numbers addresses = block->first;
    bool overflows = false;

    for (uint32_t i = 0; i < cursor->count; i++) {
        uint32_t const shape_number = bits_load16(block->shape_of + 2 * (size_t)(first + i));

        if (shape_number >= block->shape_count)
            return false;

        struct store_shape const *const shape = &cursor->table.shapes[shape_number];
        uint64_t const next_seq = first + i == 0 ? block->index.first_key : seq_num + shape->seq_delta;
        uint64_t p_addr = 0;

        overflows |= next_seq < seq_num;
        seq_num = next_seq;
        if (shape->present & DEP_HAS_P_ADDR) {
            uint64_t code;

            if (!store_number_next(&addresses, &code))
                return false;
            p_addr = slots[shape->address_slot] += bits_unzigzag(code);
        }
        cursor->batch[i] = (struct store_record){.shape = shape, .seq_num = seq_num, .p_addr = p_addr};
    }
    block->first = addresses;
    cursor->seq_num = seq_num;
    return !overflows;
}

/* Records of a batch that begins at this place of a block. The first ones are short, so that edges within the block
 * soon reach no further back than where their batch begins. */
static uint32_t batch_at(uint32_t first)
{
    return first == 0 ? FIRST_BATCH : first < BATCH ? first : BATCH;
}

/* Decodes the run into the batch. */
static bool decode_run(struct store_records *cursor)
{
    struct store_run run = cursor->run;

    for (uint32_t i = 0; i < BATCH; i++) {
        struct store_record *const record = &cursor->batch[i];

        record->shape = store_run_shape(&run);
        if (record->shape->is_access)
            record->p_addr = store_run_address(&run, record->shape);
        store_run_pass(&run, record->shape);
        record->seq_num = run.seq_num;
    }
    run.count = 0;
    cursor->run = run;
    return end_run(cursor);
}

static bool is_used_up(const struct store_numbers *numbers)
{
    return numbers->next == numbers->count && numbers->bytes == numbers->end;
}

/* Whether the block has no addresses left after its records were decoded. */
static bool ends_well(const struct store_records *cursor)
{
    return cursor->decoded < cursor->block.records || is_used_up(&cursor->block.first);
}

/* Decodes the next records of the open block into the batch, or if it may be one, makes a run of them. A block's first
 * records go the careful way, which knows the first key. */
static bool dep_decode(struct store_records *cursor, bool may_be_run)
{
    struct store_block *const block = &cursor->block;
    uint32_t const first = cursor->decoded, left = block->records - first;
    uint64_t const first_record = block->index.first_record + first;
    bool const is_near_beginning
        = first_record < cursor->table.record_reach || cursor->seq_num < cursor->table.seq_reach;
    bool is_right;

    cursor->count = batch_at(first);
    cursor->count = left < cursor->count ? left : cursor->count;
    cursor->decoded += cursor->count;
    if (cursor->may_be_fast && cursor->count == BATCH) {
        if (!begin_run(cursor))
            return false;
        if (may_be_run && !is_near_beginning) {
            cursor->next = BATCH;
            cursor->has_run = true;
            return true;
        }
        is_right = decode_run(cursor);
    } else {
        is_right = decode_carefully(cursor);
    }
    cursor->next = 0;
    return is_right && ends_well(cursor) && !(is_near_beginning && reaches_too_far(cursor, first_record));
}

/* Fills the batch, or if it may be one, gives a run. False: the end, or failed. Kept out of store_records_next, which
 * is short without it. */
static __attribute__((noinline)) bool dep_refill(struct store_records *cursor, bool may_be_run)
{
    struct store_block const *const block = &cursor->block;
    bool is_right = true;

    if (cursor->failed || cursor->has_ended)
        return false;
    if (cursor->has_run)
        is_right = end_run(cursor) && ends_well(cursor);
    if (is_right && cursor->block_is_open && cursor->decoded == block->records) {
        store_forget(cursor->store, &block->index);
        cursor->block_is_open = false;
        cursor->block_number++;
    }
    if (!cursor->block_is_open && !open_block(cursor)) {
        cursor->failed = true;
    } else if (cursor->has_ended) {
        cursor->next = cursor->count = 0;
        return false;
    } else if (!is_right || !dep_decode(cursor, may_be_run)) {
        cursor->error = store_block_damaged(cursor->store, &block->index, "has records that make no sense");
        cursor->failed = true;
    }
    if (cursor->failed)
        cursor->next = cursor->count = 0;
    return !cursor->failed;
}

const struct store_record *store_records_next(struct store_records *cursor, bool *failed, struct fault *error)
{
    *failed = false;
    if (cursor->next < cursor->count || dep_refill(cursor, false))
        return &cursor->batch[cursor->next++];
    *failed = cursor->failed;
    if (*failed)
        *error = cursor->error;
    return NULL;
}

const struct store_record *store_records_batch(struct store_records *cursor, size_t *count, bool *failed,
                                               struct fault *error)
{
    const struct store_record *const first = store_records_next(cursor, failed, error);

    *count = first != NULL ? 1 + cursor->count - cursor->next : 0;
    cursor->next = cursor->count;
    return first;
}

struct store_run *store_records_run(struct store_records *cursor)
{
    if (cursor->next < cursor->count || !dep_refill(cursor, true) || !cursor->has_run)
        return NULL;
    return &cursor->run;
}

uint32_t store_records_before(const struct store_records *cursor)
{
    return cursor->decoded - cursor->count;
}

bool store_records_forms(const struct store_records *cursor, struct store_forms *forms)
{
    *forms = (struct store_forms){cursor->block.shape_of, cursor->table.shapes, cursor->block.records,
                                  cursor->block.shape_count};
    return cursor->block_is_open;
}

bool store_records_shapes_stay(const struct store_records *cursor)
{
    return cursor->block_is_open && cursor->decoded < cursor->block.records;
}

uint64_t store_records_delay_unit(const struct store_records *cursor)
{
    return cursor->table.delay_unit;
}

uint64_t store_records_longest_delay(const struct store_records *cursor)
{
    return cursor->table.longest_delay;
}

double store_records_position(const struct store_records *cursor)
{
    uint64_t const whole = store_about(cursor->store)->count[STORE_DEP];
    uint32_t const left = cursor->has_run ? cursor->run.count : cursor->count - cursor->next;
    uint32_t const given = cursor->decoded - left;

    if (!cursor->block_is_open)
        return cursor->has_ended || cursor->has_before ? 1 : 0;
    return cursor->block.position + (whole > 0 ? (double)given / (double)whole : 0);
}

/* --- the same as dep_record --------------------------------------------------------------------------------------- */

/* The virtual address. False: the stream has ended. */
static bool read_v_addr(struct store_records *cursor, const struct store_shape *shape, uint64_t p_addr,
                        uint64_t *v_addr)
{
    uint64_t code;

    *v_addr = 0;
    if (!(shape->present & DEP_HAS_V_ADDR))
        return true;
    if (!store_number_next(&cursor->block.second, &code))
        return false;
    cursor->reading->v_difference += bits_unzigzag(code);
    *v_addr = p_addr + cursor->reading->v_difference;
    return true;
}

/* Different links have different sums, except by chance. */
static uint64_t link_code(uint32_t link)
{
    uint64_t const product = (link + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

    return product ^ product >> 29;
}

/* Takes a link of a record, `number` in its block, to a child. False: it leads out of the block, or comes after one
 * that leads further. */
static bool note_link(struct store_records *cursor, uint32_t number, uint32_t link, uint32_t *last)
{
    uint32_t const distance = store_link_distance(link), child = number + distance;

    if (distance < *last || distance == 0 || child >= cursor->block.records)
        return false;
    *last = distance;
    cursor->reading->linked[child % (STORE_LINK_REACH + 1)] += link_code(link);
    return true;
}

/* Whether the links to the record match its edges, and its own links are valid. */
static bool has_right_links(struct store_records *cursor, const struct store_shape *shape,
                            const struct store_lists *lists)
{
    uint32_t const number = cursor->decoded - (cursor->count - cursor->next) - 1;
    uint64_t *const linked = &cursor->reading->linked[number % (STORE_LINK_REACH + 1)];
    struct store_links const *const links = &shape->links;
    uint32_t last = 0;

    for (uint32_t i = 0; i < lists->edge_count && lists->linked_count > 0; i++) {
        uint32_t const edge = lists->edges[i], distance = store_edge_distance(edge);

        if (distance <= number && distance <= STORE_LINK_REACH)
            *linked -= link_code(store_link(distance, edge & STORE_EDGE_ORDER && shape->links.type != DEP_STORE));
    }
    if (*linked != 0)
        return false;
    if (links->count & STORE_LISTS_LINKS) {
        struct store_link_list const list = store_link_list(links);

        for (uint32_t i = 0; i < list.count; i++)
            if (!note_link(cursor, number, store_listed_link(&list, i), &last))
                return false;
        return true;
    }
    for (unsigned i = 0; i < (links->count & STORE_NEAR_LINKS); i++)
        if (!note_link(cursor, number, links->near[i], &last))
            return false;
    return true;
}

/* The numbers of the records that a record depends on, after its own was remembered. A cursor that began in the middle
 * knows all that the records from its first one on may ask for. */
static void find_deps(struct reading *reading, const struct store_lists *lists, uint64_t seq_num)
{
    uint64_t const own = reading->count - 1;

    for (size_t i = 0; i < (size_t)lists->rob_dep_count + lists->reg_dep_count; i++)
        reading->deps[i] = lists->record_distance[i] != 0
            ? reading->seq_nums[(own - lists->record_distance[i]) % (2 * LATEST)]
            : seq_num - lists->seq_distance[i];
}

enum dep_result store_records_read(struct store_records *cursor, struct dep_record *record, struct fault *error)
{
    bool failed;
    const struct store_record *const found = store_records_next(cursor, &failed, error);

    if (found == NULL)
        return failed ? DEP_ERROR : DEP_END;

    struct store_shape const *const shape = found->shape;
    struct reading *const reading = begin_reading(cursor) ? cursor->reading : NULL;
    struct store_lists lists;

    if (FAILS(*error, store_records_lists(cursor, shape, &lists)))
        return DEP_ERROR;

    size_t const count = (size_t)lists.rob_dep_count + lists.reg_dep_count;
    bool const ends_block = cursor->next == cursor->count && cursor->decoded == cursor->block.records;
    uint64_t const p_addr = shape->present & DEP_HAS_P_ADDR ? found->p_addr : 0;
    uint64_t v_addr;

    if (reading == NULL || !list_fit(&reading->deps, count + 1, &reading->dep_room, sizeof *reading->deps)) {
        *error = fault_memory(store_name(cursor->store), NULL);
        return DEP_ERROR;
    }
    if (!has_right_links(cursor, shape, &lists) || !read_v_addr(cursor, shape, p_addr, &v_addr)
        || (ends_block && !is_used_up(&cursor->block.second))) {
        *error = store_block_damaged(cursor->store, &cursor->block.index, "has links or virtual addresses that make "
                                     "no sense");
        cursor->error = *error;
        cursor->failed = true;
        cursor->next = cursor->count = 0;
        return DEP_ERROR;
    }
    reading->seq_nums[reading->count++ % (2 * LATEST)] = found->seq_num;
    find_deps(reading, &lists, found->seq_num);
    *record = (struct dep_record){
        .seq_num = found->seq_num, .p_addr = p_addr, .v_addr = v_addr, .pc = shape->pc,
        .comp_delay = shape->comp_delay, .size_bytes = shape->size_bytes, .flags = shape->flags,
        .weight = shape->weight, .asid = store_shapes_asid(&cursor->table, shape), .present = shape->present,
        .type = shape->links.type, .rob_dep_count = lists.rob_dep_count, .reg_dep_count = lists.reg_dep_count,
        .rob_dep = reading->deps, .reg_dep = reading->deps + lists.rob_dep_count};
    return DEP_RECORD;
}
