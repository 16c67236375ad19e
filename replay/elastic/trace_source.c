/* Trace sources over the readers and the store of proto/. A reader's error text already names file, offset and
 * field. */
#include "replay/elastic/trace_source.h"

#include <stdlib.h>

#include "memsys/sim/packet.h"
#include "proto/store/shapes.h"
#include "proto/store/store_run.h"

static bool fit_dependences(struct reader_records *records, size_t count)
{
    size_t const room = 2 * count;

    if (count <= records->room)
        return true;
    reader_records_free(records);
    records->record_distances = calloc(room, sizeof *records->record_distances);
    records->edges = malloc(room * sizeof *records->edges);
    records->seq_distances = malloc(room * sizeof *records->seq_distances);
    if (!records->record_distances || !records->edges || !records->seq_distances)
        return false;
    records->room = room;
    return true;
}

/* ---- virtual addresses */

/* Accesses that are not sent keep their address. */
static bool has_page(const struct dep_record *record)
{
    return store_is_access(record->type) && !(record->flags & REQUEST_STRICT_ORDER);
}

static enum source_result lacks_address(const char *name, const char *what, uint64_t number, struct fault *fault)
{
    *fault = fault_make(FAULT_INPUT, "%s: %s %llu has no virtual address; leave out pages.elastic: virtual, or capture "
                        "with traceVirtAddr", name, what, (unsigned long long)number);
    return SOURCE_FAULT;
}

static enum source_result next_record(struct reader_records *records, struct dep_record *record, struct fault *fault)
{
    enum dep_result const result = records->cursor ? store_records_read(records->cursor, record, fault)
                                                   : dep_reader_next(records->reader, record, fault);

    if (result != DEP_RECORD)
        return result == DEP_ERROR ? SOURCE_FAULT : SOURCE_END;
    records->number++;
    if (records->space && has_page(record) && !(record->present & DEP_HAS_V_ADDR))
        return lacks_address(records->name, "data record", records->number - 1, fault);
    return SOURCE_RECORD;
}

/* The page of a fetch is that of its pc: both lie in one block of the fetch unit. */
static uint64_t fetch_address(const struct packet_record *record)
{
    return record->pc / VM_PAGE_BYTES * VM_PAGE_BYTES + record->addr % VM_PAGE_BYTES;
}

static enum source_result next_fetch(struct reader_fetches *fetches, struct packet_record *record, struct fault *fault)
{
    enum packet_result const result = fetches->cursor ? store_fetches_read(fetches->cursor, record, fault)
                                                      : packet_reader_next(fetches->reader, record, fault);

    if (result != PACKET_RECORD)
        return result == PACKET_ERROR ? SOURCE_FAULT : SOURCE_END;
    fetches->number++;
    if (fetches->space && !(record->present & PACKET_HAS_PC))
        return lacks_address(fetches->name, "fetch record", fetches->number - 1, fault);
    return SOURCE_RECORD;
}

struct fault reader_records_touch(struct reader_records *records, struct space *space)
{
    enum source_result result;
    struct dep_record record;
    struct fault fault;

    records->space = space;
    while ((result = next_record(records, &record, &fault)) == SOURCE_RECORD)
        if (has_page(&record))
            FORWARD(space_touch(space, record.v_addr, record.size_bytes));
    return result == SOURCE_FAULT ? fault : fault_none();
}

struct fault reader_fetches_touch(struct reader_fetches *fetches, struct space *space)
{
    enum source_result result;
    struct packet_record record;
    struct fault fault;

    fetches->space = space;
    while ((result = next_fetch(fetches, &record, &fault)) == SOURCE_RECORD)
        FORWARD(space_touch(space, fetch_address(&record), record.size_bytes));
    return result == SOURCE_FAULT ? fault : fault_none();
}

/* ---- readers */

static enum source_result read_record(void *self, struct record_batch *out, struct fault *fault)
{
    struct reader_records *const records = self;
    struct dep_record record;
    enum source_result const result = next_record(records, &record, fault);

    if (result != SOURCE_RECORD)
        return result;
    if (records->space && has_page(&record))
        record.p_addr = space_place(records->space, record.v_addr);
    if (!fit_dependences(records, (size_t)record.rob_dep_count + record.reg_dep_count)) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for the dependences of a record");
        return SOURCE_FAULT;
    }
    for (uint32_t i = 0; i < record.rob_dep_count; i++)
        records->seq_distances[i] = record.seq_num - record.rob_dep[i];
    for (uint32_t i = 0; i < record.reg_dep_count; i++)
        records->seq_distances[record.rob_dep_count + i] = record.seq_num - record.reg_dep[i];
    records->shape = (struct store_shape){
        .pc = record.pc, .present = (uint16_t)record.present, .size_bytes = record.size_bytes, .flags = record.flags,
        .weight = record.weight, .is_access = store_is_access(record.type), .reach = UINT16_MAX,
        .comp_delay = record.comp_delay, .links.type = (uint8_t)record.type};
    records->lists = (struct store_lists){
        .rob_dep_count = record.rob_dep_count, .reg_dep_count = record.reg_dep_count,
        .record_distance = records->record_distances, .seq_distance = records->seq_distances};
    store_lists_complete(&records->lists, records->edges, 0);
    records->record = (struct store_record){.shape = &records->shape, .seq_num = record.seq_num,
                                            .p_addr = record.p_addr};
    *out = (struct record_batch){.records = &records->record, .count = 1};
    return SOURCE_RECORD;
}

static enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    const struct reader_records *const records = self;

    (void)shape, (void)fault;
    *out = records->lists;
    return SOURCE_RECORD;
}

static enum source_result read_fetch(void *self, struct store_fetch_batch *out, struct fault *fault)
{
    struct reader_fetches *const fetches = self;
    struct packet_record record;
    enum source_result const result = next_fetch(fetches, &record, fault);

    if (result != SOURCE_RECORD)
        return result;
    if (fetches->space)
        record.addr = space_place(fetches->space, fetch_address(&record));
    fetches->shape = (struct store_fetch_shape){
        .addr = record.addr, .pc = record.pc, .step_ticks = record.tick - fetches->fetch.tick, .cmd = record.cmd,
        .size_bytes = record.size_bytes, .flags = record.flags, .present = record.present};
    fetches->fetch = (struct store_fetch){&fetches->shape, record.tick};
    *out = (struct store_fetch_batch){.fetches = &fetches->fetch, .count = 1, .shapes = &fetches->shape,
                                      .shape_count = 1};
    return SOURCE_RECORD;
}

/* The next record of a run. */
static struct store_record take_of_run(struct store_run *run)
{
    const struct store_shape *const shape = store_run_shape(run);
    uint64_t const address = shape->is_access ? store_run_address(run, shape) : 0;

    store_run_pass(run, shape);
    run->count--;
    return (struct store_record){.shape = shape, .seq_num = run->seq_num, .p_addr = address};
}

enum source_result record_source_next(const struct record_source *source, struct record_batch *batch,
                                      struct store_record *record, struct fault *fault)
{
    if (batch->count == 0) {
        enum source_result const result = source->batch(source->self, batch, fault);

        if (result != SOURCE_RECORD) {
            batch->count = 0;
            return result;
        }
    }
    batch->count--;
    *record = batch->run ? take_of_run(batch->run) : *batch->records++;
    if (batch->run && !store_run_is_sound(batch->run)) {
        batch->run->count = 0;
        batch->count = 0;
        return source->batch(source->self, batch, fault);
    }
    return SOURCE_RECORD;
}

static enum source_result read_stored_records(void *self, struct record_batch *out, struct fault *fault)
{
    bool failed;

    out->records = NULL;
    out->run = store_records_run(self);
    if (out->run) {
        out->count = out->run->count;
    } else {
        out->records = store_records_batch(self, &out->count, &failed, fault);
        if (failed)
            return SOURCE_FAULT;
        if (!out->records)
            return SOURCE_END;
    }
    out->before = store_records_before(self);
    out->shapes_stay = store_records_shapes_stay(self);
    out->delay_unit = store_records_delay_unit(self);
    out->longest_delay = store_records_longest_delay(self);
    return SOURCE_RECORD;
}

static enum source_result read_stored_batch(void *self, struct record_batch *out, struct fault *fault)
{
    bool failed;

    *out = (struct record_batch){.records = NULL};
    out->records = store_records_batch(self, &out->count, &failed, fault);
    out->shapes_stay = store_records_shapes_stay(self);
    if (failed)
        return SOURCE_FAULT;
    return out->records ? SOURCE_RECORD : SOURCE_END;
}

static enum source_result read_stored_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                            struct fault *fault)
{
    return WORKS(*fault, store_records_lists(self, shape, out)) ? SOURCE_RECORD : SOURCE_FAULT;
}

static bool stored_forms(void *self, struct store_forms *forms)
{
    return store_records_forms(self, forms);
}

static enum source_result read_stored_fetches(void *self, struct store_fetch_batch *out, struct fault *fault)
{
    switch (store_fetches_batch(self, out, fault)) {
    case PACKET_RECORD: return SOURCE_RECORD;
    case PACKET_END: return SOURCE_END;
    case PACKET_ERROR: break;
    }
    return SOURCE_FAULT;
}

struct record_source record_source_of_reader(struct reader_records *records, struct dep_reader *reader,
                                             const char *name)
{
    *records = (struct reader_records){.reader = reader, .name = name};
    return (struct record_source){.batch = read_record, .lists = give_lists, .self = records, .name = name,
                                  .window_records = dep_reader_header(reader)->window_size};
}

void reader_records_free(struct reader_records *records)
{
    free(records->record_distances);
    free(records->edges);
    free(records->seq_distances);
    records->record_distances = records->edges = NULL;
    records->seq_distances = NULL;
    records->room = 0;
}

struct fetch_source fetch_source_of_reader(struct reader_fetches *fetches, struct packet_reader *reader,
                                           const char *name)
{
    *fetches = (struct reader_fetches){.reader = reader, .name = name};
    return (struct fetch_source){read_fetch, fetches, name};
}

struct record_source record_source_of_cursor(struct reader_records *records, struct store_records *cursor,
                                             const struct store *store, const char *name)
{
    *records = (struct reader_records){.cursor = cursor, .name = name};
    return (struct record_source){.batch = read_record, .lists = give_lists, .self = records, .name = name,
                                  .window_records = store_about(store)->dep.window_size};
}

struct fetch_source fetch_source_of_cursor(struct reader_fetches *fetches, struct store_fetches *cursor,
                                           const char *name)
{
    *fetches = (struct reader_fetches){.cursor = cursor, .name = name};
    return (struct fetch_source){read_fetch, fetches, name};
}

struct record_source record_source_of_store(struct store_records *cursor, const struct store *store, const char *name)
{
    return (struct record_source){.batch = read_stored_records, .lists = read_stored_lists, .forms = stored_forms,
                                  .self = cursor, .name = name, .records = store_about(store)->count[STORE_DEP],
                                  .window_records = store_about(store)->dep.window_size,
                                  .known_reach_seq = STORE_KNOWN_REACH_SEQ};
}

struct record_source record_source_without_runs(struct store_records *cursor, const struct store *store,
                                                const char *name)
{
    struct record_source source = record_source_of_store(cursor, store, name);

    source.batch = read_stored_batch;
    return source;
}

struct fetch_source fetch_source_of_store(struct store_fetches *cursor, const char *name)
{
    return (struct fetch_source){read_stored_fetches, cursor, name};
}
