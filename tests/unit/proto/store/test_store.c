/* proto/store/store.h, proto/store/store_pack.h, proto/store/store_pack.h, base/hash64.h: everything is read back,
 * from any position; damage is reported. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/store/store_format.h"
#include "proto/store/store_pack.h"
#include "tests/support/chunks.h"
#include "tests/support/file_bytes.h"
#include "tests/support/unit.h"

enum { DEPS_MAX = 6, MANY = 30000 };

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/store", folder);
    return 0;
}

static int tear_down(void **state)
{
    unlink(path);
    return rmdir(folder);            /* also says that nothing else was left there */
}

/* --- made-up traces ----------------------------------------------------------------------------------------------- */

struct made {
    struct dep_record record;
    uint64_t deps[DEPS_MAX];
};

struct trace {
    struct made *records;
    struct packet_record *fetches;
    size_t record_count, fetch_count;
};

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 20) % below;
}

static uint64_t draw_wide(void)
{
    return (draw(UINT64_C(1) << 32) << 32 | draw(UINT64_C(1) << 32)) >> draw(64);
}

/* Wild: any value anywhere; else as programs are. Every 50th number or so is not recorded, but is depended upon. */
static void make_record(struct made *made, uint64_t seq_num, bool is_wild)
{
    uint64_t const kind = draw(20);
    uint32_t const rob = seq_num == 0 ? 0 : (uint32_t)draw(3), reg = seq_num == 0 ? 0 : (uint32_t)draw(4);

    made->record = (struct dep_record){
        .seq_num = seq_num, .type = (uint8_t)(1 + kind % 3), .comp_delay = is_wild ? draw_wide() : 500 * draw(40),
        .present = (uint32_t)(is_wild ? draw(128) : kind % 3 == 2 ? DEP_HAS_PC : 0x37u), .rob_dep_count = rob,
        .reg_dep_count = reg};
    if (made->record.present & DEP_HAS_P_ADDR)
        made->record.p_addr = is_wild ? draw_wide() : 4096 * kind + 8 * (seq_num % 100);
    if (made->record.present & DEP_HAS_SIZE)
        made->record.size_bytes = is_wild ? (uint32_t)draw_wide() : 8;
    if (made->record.present & DEP_HAS_FLAGS)
        made->record.flags = is_wild ? (uint32_t)draw_wide() : 3;
    if (made->record.present & DEP_HAS_WEIGHT)
        made->record.weight = is_wild ? (uint32_t)draw_wide() : 1;
    if (made->record.present & DEP_HAS_PC)
        made->record.pc = is_wild ? draw_wide() : 65536 + 4 * kind;
    if (made->record.present & DEP_HAS_V_ADDR)
        made->record.v_addr = is_wild ? draw_wide() : made->record.p_addr + 65536;
    if (made->record.present & DEP_HAS_ASID)
        made->record.asid = is_wild ? (uint32_t)draw_wide() : 1;
    for (uint32_t i = 0; i < rob + reg; i++) {
        uint64_t const reach = draw(30) == 0 ? 40000 : 1 + kind % 5;

        made->deps[i] = seq_num - 1 - draw(reach < seq_num ? reach : seq_num);
    }
}

static struct trace make_trace(size_t records, size_t fetches, uint64_t first_seq, bool is_wild)
{
    struct trace trace = {.records = calloc(records + 1, sizeof *trace.records),
                          .fetches = calloc(fetches + 1, sizeof *trace.fetches), .record_count = records,
                          .fetch_count = fetches};
    uint64_t seq_num = first_seq, tick = 0;

    assert_non_null(trace.records);
    assert_non_null(trace.fetches);
    for (size_t i = 0; i < records; i++, seq_num += draw(50) == 0 ? 2 : 1) {
        make_record(&trace.records[i], seq_num, is_wild);
        trace.records[i].record.rob_dep = trace.records[i].deps;
        trace.records[i].record.reg_dep = trace.records[i].deps + trace.records[i].record.rob_dep_count;
    }
    for (size_t i = 0; i < fetches; i++) {
        struct packet_record *const fetch = &trace.fetches[i];

        tick += is_wild ? draw_wide() >> 20 : 500 * draw(9);
        *fetch = (struct packet_record){.tick = tick, .addr = is_wild ? draw_wide() : 64 * draw(30), .cmd = 1,
                                        .size_bytes = 64, .present = is_wild ? (uint32_t)draw(8) : PACKET_HAS_PC};
        if (fetch->present & PACKET_HAS_PC)
            fetch->pc = fetch->addr + 4;
        if (fetch->present & PACKET_HAS_PKT_ID)
            fetch->pkt_id = draw_wide();
        if (fetch->present & PACKET_HAS_FLAGS)
            fetch->flags = (uint32_t)draw(1000);
    }
    return trace;
}

static void free_trace(struct trace *trace)
{
    free(trace->records);
    free(trace->fetches);
}

static char source_name[] = "a/deptrace.proto.gz", warning_text[] = "odd";
static char *warning_list[] = {warning_text};

static void write_store(const struct trace *trace)
{
    struct packet_id_string const strings[] = {{.key = 7, .has_key = true, .has_value = true, .value = "cpu.data"},
                                               {.has_value = true, .value = ""}};
    struct store_about const about = {
        .dep = {.obj_id = "d", .ver = 3, .has_ver = true, .tick_freq = 1000, .window_size = 5},
        .fetch = {.obj_id = "f", .tick_freq = 2000, .id_string_count = 2, .id_strings = strings},
        .source = {{source_name, 10, -1, 999999999, 77, 4000000000}, {source_name, 11, 12, 13, 14, 0}},
        .warnings = {{warning_list, 1}, {NULL, 0}}};
    struct fault error = fault_none();
    struct store_writer *const writer = store_writer_open(path, &error);

    assert_string_equal(fault_text(error), "");
    for (size_t i = 0; i < trace->record_count; i++)
        assert_true(WORKS(error, store_writer_record(writer, &trace->records[i].record)));
    for (size_t i = 0; i < trace->fetch_count; i++)
        assert_true(WORKS(error, store_writer_fetch(writer, &trace->fetches[i])));
    assert_true(WORKS(error, store_writer_close(writer, &about)));
}

static struct store *open_store(void)
{
    struct fault error = fault_none();
    struct store *const store = store_open(path, &error);

    assert_string_equal(fault_text(error), "");
    return store;
}

static void assert_same_record(const struct dep_record *got, const struct dep_record *expected)
{
    assert_int_equal(got->seq_num, expected->seq_num);
    assert_int_equal(got->type, expected->type);
    assert_int_equal(got->present, expected->present);
    assert_int_equal(got->p_addr, expected->p_addr);
    assert_int_equal(got->v_addr, expected->v_addr);
    assert_int_equal(got->pc, expected->pc);
    assert_int_equal(got->comp_delay, expected->comp_delay);
    assert_int_equal(got->size_bytes, expected->size_bytes);
    assert_int_equal(got->flags, expected->flags);
    assert_int_equal(got->weight, expected->weight);
    assert_int_equal(got->asid, expected->asid);
    assert_int_equal(got->rob_dep_count, expected->rob_dep_count);
    assert_int_equal(got->reg_dep_count, expected->reg_dep_count);
    for (uint32_t i = 0; i < got->rob_dep_count; i++)
        assert_int_equal(got->rob_dep[i], expected->rob_dep[i]);
    for (uint32_t i = 0; i < got->reg_dep_count; i++)
        assert_int_equal(got->reg_dep[i], expected->reg_dep[i]);
}

static void assert_same_fetch(const struct packet_record *got, const struct packet_record *expected)
{
    assert_int_equal(got->tick, expected->tick);
    assert_int_equal(got->cmd, expected->cmd);
    assert_int_equal(got->addr, expected->addr);
    assert_int_equal(got->size_bytes, expected->size_bytes);
    assert_int_equal(got->flags, expected->flags);
    assert_int_equal(got->pkt_id, expected->pkt_id);
    assert_int_equal(got->pc, expected->pc);
    assert_int_equal(got->present, expected->present);
}

/* Records from `first` on, and all fetches, are those of the trace. */
static void assert_holds(const struct store *store, const struct trace *trace, size_t first)
{
    struct fault error = fault_none();
    struct store_records *const records = store_records_open(store, first, &error);
    struct store_fetches *const fetches = store_fetches_open(store, 0, &error);
    struct dep_record record;
    struct packet_record fetch;

    for (size_t i = first; i < trace->record_count; i++) {
        assert_int_equal(store_records_read(records, &record, &error), DEP_RECORD);
        assert_same_record(&record, &trace->records[i].record);
    }
    assert_int_equal(store_records_read(records, &record, &error), DEP_END);
    assert_true(store_records_position(records) >= 1);
    for (size_t i = 0; i < trace->fetch_count; i++) {
        assert_int_equal(store_fetches_read(fetches, &fetch, &error), PACKET_RECORD);
        assert_same_fetch(&fetch, &trace->fetches[i]);
    }
    assert_int_equal(store_fetches_read(fetches, &fetch, &error), PACKET_END);
    store_records_close(records);
    store_fetches_close(fetches);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

/* Values of the published algorithm. */
static void hashes_are_xxh64(void **state)
{
    assert_int_equal(hash64("", 0), UINT64_C(0xef46db3751d8e999));
    assert_int_equal(hash64("a", 1), UINT64_C(0xd24ec4f1a98c6e5b));
    assert_int_equal(hash64("abc", 3), UINT64_C(0x44bc2cf5ad770999));
    assert_int_equal(hash64("Nobody inspects the spammish repetition", 39), UINT64_C(0xfbcea83c8a378bf1));
}

static void records_come_back(void **state)
{
    static const struct { size_t records, fetches; uint64_t first_seq; bool is_wild; } cases[] = {
        {0, 0, 1, false}, {1, 0, 0, false}, {1, 1, 5, true}, {2, 3, UINT64_C(1) << 63, true}, {MANY, 9000, 1, false},
        {MANY, 20000, 0, true}, {STORE_FIRST_BLOCK_RECORDS, STORE_FIRST_BLOCK_RECORDS, 1, false},
        {STORE_FIRST_BLOCK_RECORDS + 1, STORE_FIRST_BLOCK_RECORDS + 1, 100000, true},
        {3 * STORE_BLOCK_RECORDS, 3 * STORE_BLOCK_RECORDS, 1, false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = make_trace(cases[i].records, cases[i].fetches, cases[i].first_seq, cases[i].is_wild);
        struct fault error;

        write_store(&trace);

        struct store *const store = open_store();

        assert_int_equal(store_about(store)->count[STORE_DEP], cases[i].records);
        assert_int_equal(store_about(store)->count[STORE_FETCH], cases[i].fetches);
        assert_true(WORKS(error, store_check(store)));
        assert_holds(store, &trace, 0);
        for (size_t first = 1; first < cases[i].records; first += first < 3 ? 1 : cases[i].records / 7 + 1)
            assert_holds(store, &trace, first);
        store_close(store);
        free_trace(&trace);
    }
}

/* A reader has room for the shapes of the blocks that it has seen. */
static void later_blocks_may_have_more_shapes(void **state)
{
    struct trace trace = make_trace(1, 3 * STORE_BLOCK_RECORDS, 1, false);

    for (size_t i = 2 * STORE_BLOCK_RECORDS; i < trace.fetch_count; i++)
        trace.fetches[i].addr = 64 * (i % 4000);
    write_store(&trace);

    struct store *const store = open_store();

    assert_holds(store, &trace, 0);
    store_close(store);
    free_trace(&trace);
}

static void headers_come_back(void **state)
{
    struct trace trace = make_trace(3, 3, 1, false);

    write_store(&trace);

    struct store *const store = open_store();
    struct store_about const *const about = store_about(store);

    assert_true(store_detect(path));
    assert_string_equal(about->dep.obj_id, "d");
    assert_int_equal(about->dep.ver, 3);
    assert_true(about->dep.has_ver);
    assert_int_equal(about->dep.tick_freq, 1000);
    assert_int_equal(about->dep.window_size, 5);
    assert_string_equal(about->fetch.obj_id, "f");
    assert_false(about->fetch.has_ver);
    assert_int_equal(about->fetch.tick_freq, 2000);
    assert_int_equal(about->fetch.id_string_count, 2);
    assert_int_equal(about->fetch.id_strings[0].key, 7);
    assert_string_equal(about->fetch.id_strings[0].value, "cpu.data");
    assert_false(about->fetch.id_strings[1].has_key);
    assert_true(about->fetch.id_strings[1].has_value);
    assert_string_equal(about->source[STORE_DEP].path, source_name);
    assert_int_equal(about->source[STORE_DEP].size_bytes, 10);
    assert_int_equal(about->source[STORE_DEP].mtime_s, -1);
    assert_int_equal(about->source[STORE_DEP].mtime_ns, 999999999);
    assert_int_equal(about->source[STORE_DEP].print, 4000000000);
    assert_int_equal(about->source[STORE_FETCH].hash, 14);
    assert_int_equal(about->warnings[STORE_DEP].count, 1);
    assert_string_equal(about->warnings[STORE_DEP].texts[0], "odd");
    assert_int_equal(about->warnings[STORE_FETCH].count, 0);
    store_close(store);
    free_trace(&trace);
}

/* header: "how many records back. 0: the number was not recorded, or lies further back than the writer looked" */
static void distances_name_the_record(void **state)
{
    struct trace trace = make_trace(MANY, 0, 1, false);
    struct fault error;
    size_t known = 0, unknown = 0;
    bool failed;

    write_store(&trace);

    struct store *const store = open_store();
    struct store_records *const records = store_records_open(store, 0, &error);

    for (size_t i = 0; i < trace.record_count; i++) {
        struct store_record const *const record = store_records_next(records, &failed, &error);
        struct store_lists lists;

        assert_int_equal(record->seq_num, trace.records[i].record.seq_num);
        assert_true(WORKS(error, store_records_lists(records, record->shape, &lists)));
        for (uint32_t d = 0; d < lists.rob_dep_count + lists.reg_dep_count; d++) {
            uint32_t const back = lists.record_distance[d];
            size_t low = 0, high = i;        /* the records before, of which one may be the parent */

            assert_true(back <= i);
            if (back > 0) {
                assert_int_equal(trace.records[i - back].record.seq_num, trace.records[i].deps[d]);
                known++;
                continue;
            }
            assert_int_equal(record->seq_num - lists.seq_distance[d], trace.records[i].deps[d]);
            while (high - low > 1)
                *(trace.records[low + (high - low) / 2].record.seq_num <= trace.records[i].deps[d] ? &low : &high)
                    = low + (high - low) / 2;
            assert_true(i == 0 || trace.records[low].record.seq_num != trace.records[i].deps[d] || i - low > 10000);
            unknown++;
        }
    }
    assert_true(known > 1000);
    assert_true(unknown > 100);
    store_records_close(records);
    store_close(store);
    free_trace(&trace);
}

/* dependences, without register dependences that duplicate an order dependence on the same record */
static void order_edges_replace_register_edges(void **state)
{
    enum { ORDERS = 4, LISTED = 9, FAR = 20000 };
    static const uint32_t distances[LISTED] = {3, 3, 0, 7, 7, 1, 1, 3, 0};
    static const uint64_t seq[LISTED] = {4, 4, 5, 9, 9, 2, 2, 4, FAR};
    static const uint32_t expected[] = {3 << 1 | STORE_EDGE_ORDER, 3 << 1 | STORE_EDGE_ORDER, 7 << 1 | STORE_EDGE_ORDER,
                                         1 << 1, 1 << 1};
    uint32_t edges[LISTED];
    struct store_lists lists = {.record_distance = distances, .seq_distance = seq, .rob_dep_count = ORDERS,
                                .reg_dep_count = LISTED - ORDERS};

    store_lists_complete(&lists, edges, FAR + 1);
    assert_false(lists.has_unknown);
    assert_int_equal(lists.edge_count, sizeof expected / sizeof *expected);
    assert_memory_equal(lists.edges, expected, sizeof expected);
    assert_int_equal(lists.linked_count, lists.edge_count);
    store_lists_complete(&lists, edges, FAR);
    assert_true(lists.has_unknown);
    assert_int_equal(lists.edge_count + lists.linked_count, 0);
    lists.rob_dep_count = lists.reg_dep_count = 0;
    store_lists_complete(&lists, edges, 0);
    assert_false(lists.has_unknown);
    assert_int_equal(lists.edge_count + lists.linked_count, 0);
}

/* header: "All records that are decoded already" */
static void batches_hold_all_records(void **state)
{
    struct trace trace = make_trace(20000, 0, 1, true);
    struct fault error;
    struct store_record const *batch;
    size_t count, i = 0;
    bool failed;

    write_store(&trace);

    struct store *const store = open_store();
    struct store_records *const records = store_records_open(store, 0, &error);

    while ((batch = store_records_batch(records, &count, &failed, &error)) != NULL)
        for (size_t b = 0; b < count; b++, i++) {
            assert_int_equal(batch[b].seq_num, trace.records[i].record.seq_num);
            if (batch[b].shape->is_access)
                assert_int_equal(batch[b].p_addr, trace.records[i].record.p_addr);
            assert_int_equal(batch[b].shape->comp_delay, trace.records[i].record.comp_delay);
            assert_int_equal(batch[b].shape->pc, trace.records[i].record.pc);
        }
    assert_false(failed);
    assert_int_equal(i, trace.record_count);
    store_records_close(records);
    store_close(store);
    free_trace(&trace);
}

static void fetches_begin_at_a_tick(void **state)
{
    struct trace trace = make_trace(0, 20000, 1, false);
    struct fault error;
    struct packet_record fetch;

    write_store(&trace);

    struct store *const store = open_store();
    uint64_t const last = trace.fetches[trace.fetch_count - 1].tick;

    for (uint64_t tick = 0; tick < last + 20000; tick += last / 37) {
        struct store_fetches *const fetches = store_fetches_open(store, tick, &error);
        size_t i = 0;

        while (i < trace.fetch_count && trace.fetches[i].tick < tick)
            i++;
        for (; i < trace.fetch_count; i++) {
            assert_int_equal(store_fetches_read(fetches, &fetch, &error), PACKET_RECORD);
            assert_same_fetch(&fetch, &trace.fetches[i]);
        }
        assert_int_equal(store_fetches_read(fetches, &fetch, &error), PACKET_END);
        store_fetches_close(fetches);
    }
    store_close(store);
    free_trace(&trace);
}

/* header: "Every comp_delay of the batch given last is a multiple of it; not 0." */
static void delays_have_a_unit(void **state)
{
    for (int is_wild = 0; is_wild < 2; is_wild++) {
        struct trace trace = make_trace(20000, 0, 1, is_wild);
        struct fault error;
        struct store_record const *batch;
        size_t count;
        bool failed;

        write_store(&trace);

        struct store *const store = open_store();
        struct store_records *const records = store_records_open(store, 0, &error);

        while ((batch = store_records_batch(records, &count, &failed, &error)) != NULL) {
            uint64_t const unit = store_records_delay_unit(records);

            assert_int_equal(unit, is_wild ? 1 : 500);
            for (size_t b = 0; b < count; b++)
                assert_int_equal(batch[b].shape->comp_delay % unit, 0);
        }
        assert_false(failed);
        store_records_close(records);
        store_close(store);
        free_trace(&trace);
    }
}

/* header: "All fetches that are decoded already", "all shapes that they and the next ones use" */
static void batches_hold_all_fetches(void **state)
{
    struct trace trace = make_trace(0, 20000, 1, true);
    struct store_fetch_batch batch;
    struct fault error;
    const struct store_fetch_shape *end = NULL;
    size_t i = 0;
    enum packet_result step;

    write_store(&trace);

    struct store *const store = open_store();
    struct store_fetches *const fetches = store_fetches_open(store, 0, &error);

    while ((step = store_fetches_batch(fetches, &batch, &error)) == PACKET_RECORD) {
        end = batch.shape_count > 0 ? batch.shapes + batch.shape_count : end;
        for (size_t b = 0; b < batch.count; b++, i++) {
            assert_true(batch.fetches[b].shape >= batch.shapes && batch.fetches[b].shape < end);
            assert_int_equal(batch.fetches[b].tick, trace.fetches[i].tick);
            assert_int_equal(batch.fetches[b].shape->addr, trace.fetches[i].addr);
            assert_int_equal(batch.fetches[b].shape->flags, trace.fetches[i].flags);
        }
    }
    assert_int_equal(step, PACKET_END);
    assert_int_equal(i, trace.fetch_count);
    store_fetches_close(fetches);
    store_close(store);
    free_trace(&trace);
}

/* A block with very long lists ends earlier; all of its dependences come back. */
static void long_lists_come_back(void **state)
{
    enum { LISTS = 40, LENGTH = 100000 };
    uint64_t *const deps = malloc(LENGTH * sizeof *deps);
    struct trace none = {0};
    struct store_about about = {.dep = {.tick_freq = 1, .window_size = 1}, .fetch = {.tick_freq = 1}};
    struct fault error;
    struct store_writer *const writer = store_writer_open(path, &error);
    struct dep_record record;

    (void)none;
    assert_non_null(deps);
    about.source[0].path = about.source[1].path = source_name;
    for (uint64_t i = 0; i < LISTS; i++) {
        for (uint64_t d = 0; d < LENGTH; d++)
            deps[d] = 200000 + i - (d + i) % LENGTH;
        record = (struct dep_record){.seq_num = 200001 + i, .type = DEP_COMP, .rob_dep = deps, .rob_dep_count = LENGTH};
        assert_true(WORKS(error, store_writer_record(writer, &record)));
    }
    assert_true(WORKS(error, store_writer_close(writer, &about)));

    struct store *const store = open_store();
    struct store_records *const records = store_records_open(store, 0, &error);

    assert_true(store_about(store)->blocks[STORE_DEP] > 1);
    for (uint64_t i = 0; i < LISTS; i++) {
        assert_int_equal(store_records_read(records, &record, &error), DEP_RECORD);
        assert_int_equal(record.rob_dep_count, LENGTH);
        for (uint64_t d = 0; d < LENGTH; d++)
            if (record.rob_dep[d] != 200000 + i - (d + i) % LENGTH)
                fail_msg("record %u, dependence %u", (unsigned)i, (unsigned)d);
    }
    store_records_close(records);
    store_close(store);
    free(deps);
}

/* --- damage ------------------------------------------------------------------------------------------------------- */

/* Right records, then the end or an error with a text. Answer: whether there was an error. */
static bool reads_rightly_or_fails(const uint8_t *bytes, size_t size, const struct trace *trace)
{
    struct fault error = fault_none();
    struct store *const store = store_open_memory("damaged", bytes, size, &error);
    struct dep_record record;
    struct packet_record fetch;
    enum dep_result dep = DEP_RECORD;
    enum packet_result packet = PACKET_RECORD;

    if (store == NULL) {
        assert_true(fault_text(error)[0] != '\0');
        return true;
    }

    struct store_records *const records = store_records_open(store, 0, &error);
    struct store_fetches *const fetches = store_fetches_open(store, 0, &error);

    for (size_t i = 0; i <= trace->record_count && dep == DEP_RECORD; i++) {
        dep = store_records_read(records, &record, &error);
        assert_true(dep == DEP_ERROR || (dep == DEP_END) == (i == trace->record_count));
        if (dep == DEP_RECORD)
            assert_same_record(&record, &trace->records[i].record);
    }
    for (size_t i = 0; i <= trace->fetch_count && packet == PACKET_RECORD; i++) {
        packet = store_fetches_read(fetches, &fetch, &error);
        assert_true(packet == PACKET_ERROR || (packet == PACKET_END) == (i == trace->fetch_count));
        if (packet == PACKET_RECORD)
            assert_same_fetch(&fetch, &trace->fetches[i]);
    }

    bool const failed = dep == DEP_ERROR || packet == PACKET_ERROR;

    assert_int_equal(failed, fault_text(error)[0] != '\0');
    assert_int_equal(failed, FAILS(error, store_check(store)));
    store_records_close(records);
    store_fetches_close(fetches);
    store_close(store);
    return failed;
}

/* header: "a damaged file is an error, never a wrong record" */
static void every_flipped_bit_is_found(void **state)
{
    struct trace trace = make_trace(300, 60, 1, false);
    size_t size, found = 0;
    uint8_t *bytes;

    write_store(&trace);
    bytes = read_file_bytes(path, &size);
    assert_false(reads_rightly_or_fails(bytes, size, &trace));
    for (size_t i = 0; i < 8 * size; i += i % 8 == 7 ? 1 : 1 + i % 3) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        found += reads_rightly_or_fails(bytes, size, &trace) ? 1 : 0;
        if (!reads_rightly_or_fails(bytes, size, &trace))
            fail_msg("bit %u of byte %u of %u", (unsigned)(i % 8), (unsigned)(i / 8), (unsigned)size);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_true(found > size);
    free(bytes);
    free_trace(&trace);
}

static void every_truncation_is_found(void **state)
{
    struct trace trace = make_trace(300, 60, 1, true);
    size_t size;
    uint8_t *bytes;

    write_store(&trace);
    bytes = read_file_bytes(path, &size);
    for (size_t length = 0; length < size; length++) {
        uint8_t *const cut = malloc(length + 1);

        memcpy(cut, bytes, length);
        assert_true(reads_rightly_or_fails(cut, length, &trace));
        free(cut);
    }
    free(bytes);
    free_trace(&trace);
}

/* The output of a faulty or hostile writer must not cause wild accesses. Numbers rise, or the fault is reported. */
static void wrong_blocks_under_right_hashes_are_survived(void **state)
{
    struct trace trace = make_trace(MANY, 9000, 1, false);
    size_t size, failed_ones = 0;
    uint8_t *bytes;

    write_store(&trace);
    bytes = read_file_bytes(path, &size);
    for (int turn = 0; turn < 400; turn++) {
        size_t const place = CONTAINER_HEAD_BYTES + draw(chunks_index(bytes, size) - CONTAINER_HEAD_BYTES);
        uint8_t const before = bytes[place];
        struct fault error = fault_none();
        uint64_t last = 0, count = 0;
        struct dep_record record;
        struct packet_record fetch;

        bytes[place] ^= (uint8_t)(1 + draw(255));
        chunks_hash_again(bytes, size, &store_kind);

        struct store *const store = store_open_memory("wrong", bytes, size, &error);
        struct store_records *const records = store_records_open(store, 0, &error);
        struct store_fetches *const fetches = store_fetches_open(store, 0, &error);

        for (; store_records_read(records, &record, &error) == DEP_RECORD; count++) {
            assert_true(record.seq_num > last || count == 0);
            last = record.seq_num;
        }
        while (store_fetches_read(fetches, &fetch, &error) == PACKET_RECORD)
            ;
        assert_true(count == trace.record_count || fault_text(error)[0] != '\0');
        failed_ones += fault_text(error)[0] != '\0';
        store_records_close(records);
        store_fetches_close(fetches);
        store_close(store);
        bytes[place] = before;
    }
    assert_true(failed_ones > 40);
    free(bytes);
    free_trace(&trace);
}

static void a_discarded_store_leaves_nothing(void **state)
{
    struct trace trace = make_trace(MANY, 5, 1, false);
    struct fault error;
    struct store_writer *writer;

    write_store(&trace);
    writer = store_writer_open(path, &error);
    for (size_t i = 0; i < 10000; i++)
        assert_true(WORKS(error, store_writer_record(writer, &trace.records[i].record)));
    store_writer_discard(writer);

    struct store *const store = open_store();        /* the one that stood there */

    assert_holds(store, &trace, 0);
    store_close(store);
    assert_null(store_writer_open("/dev/null", &error));
    assert_null(store_writer_open("/dev/null/store", &error));
    free_trace(&trace);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void bundled_traces_come_back(void **state)
{
    static const char *const names[] = {"gups", "qsort", "triad"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char dep_path[80], fetch_path[80];
        struct fault error = fault_none();
        struct dep_record got, expected;
        struct packet_record got_fetch, expected_fetch;
        uint64_t count = 0;
        enum dep_result step;
        enum packet_result packet_step;

        snprintf(dep_path, sizeof dep_path, "tests/traces/%s/deptrace.proto.gz", names[i]);
        snprintf(fetch_path, sizeof fetch_path, "tests/traces/%s/fetchtrace.proto.gz", names[i]);
        assert_true(WORKS(error, store_pack(dep_path, fetch_path, path)));

        struct store *const store = open_store();
        struct store_records *const records = store_records_open(store, 0, &error);
        struct store_fetches *const fetches = store_fetches_open(store, 0, &error);
        struct dep_reader *const dep = dep_reader_open(dep_path, &error);
        struct packet_reader *const packet = packet_reader_open(fetch_path, &error);

        while ((step = dep_reader_next(dep, &expected, &error)) == DEP_RECORD) {
            assert_int_equal(store_records_read(records, &got, &error), DEP_RECORD);
            assert_same_record(&got, &expected);
            count++;
        }
        assert_int_equal(step, DEP_END);
        assert_int_equal(store_records_read(records, &got, &error), DEP_END);
        assert_int_equal(count, store_about(store)->count[STORE_DEP]);
        while ((packet_step = packet_reader_next(packet, &expected_fetch, &error)) == PACKET_RECORD) {
            assert_int_equal(store_fetches_read(fetches, &got_fetch, &error), PACKET_RECORD);
            assert_same_fetch(&got_fetch, &expected_fetch);
        }
        assert_int_equal(packet_step, PACKET_END);
        assert_int_equal(store_fetches_read(fetches, &got_fetch, &error), PACKET_END);

        struct store_about const *const about = store_about(store);
        uint64_t hash;

        assert_string_equal(about->dep.obj_id, dep_reader_header(dep)->obj_id);
        assert_int_equal(about->dep.window_size, dep_reader_header(dep)->window_size);
        assert_true(WORKS(error, hash64_file(dep_path, &hash)));
        assert_int_equal(about->source[STORE_DEP].hash, hash);
        assert_true(about->file_bytes <= about->source[STORE_DEP].size_bytes + about->source[STORE_FETCH].size_bytes);
        dep_reader_close(dep);
        packet_reader_close(packet);
        store_records_close(records);
        store_fetches_close(fetches);
        store_close(store);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_xxh64),
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(later_blocks_may_have_more_shapes),
        cmocka_unit_test(headers_come_back),
        cmocka_unit_test(distances_name_the_record),
        cmocka_unit_test(order_edges_replace_register_edges),
        cmocka_unit_test(batches_hold_all_records),
        cmocka_unit_test(delays_have_a_unit),
        cmocka_unit_test(fetches_begin_at_a_tick),
        cmocka_unit_test(batches_hold_all_fetches),
        cmocka_unit_test(long_lists_come_back),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_truncation_is_found),
        cmocka_unit_test(wrong_blocks_under_right_hashes_are_survived),
        cmocka_unit_test(a_discarded_store_leaves_nothing),
        cmocka_unit_test(bundled_traces_come_back),
    };

    return cmocka_run_group_tests_name("store", tests, set_up, tear_down);
}
