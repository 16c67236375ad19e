/* proto/store/store_pack.h: a store that is read while it is being made; base/hash64.h: hashing in pieces. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/elastic/trace_writer.h"
#include "proto/store/store_pack.h"
#include "tests/support/unit.h"

#define DEP "tests/traces/gups/deptrace.proto.gz"
#define FETCH "tests/traces/gups/fetchtrace.proto.gz"

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char packed[64], made[64], cut[64], many[64];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(packed, sizeof packed, "%s/packed", folder);
    snprintf(made, sizeof made, "%s/made", folder);
    snprintf(cut, sizeof cut, "%s/cut.gz", folder);
    snprintf(many, sizeof many, "%s/many.gz", folder);
    return 0;
}

static int tear_down(void **state)
{
    unlink(packed);
    unlink(made);
    unlink(cut);
    unlink(many);
    return rmdir(folder);            /* also says that nothing else was left there */
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *const file = fopen(path, "rb");
    size_t count;

    assert_non_null(file);
    count = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(count < room);
    return count;
}

enum { ROOM = 4 * 1024 * 1024 };

static void assert_same_files(const char *one, const char *other)
{
    uint8_t *const bytes = malloc(2 * ROOM);

    assert_non_null(bytes);

    size_t const count = read_file(one, bytes, ROOM);

    assert_int_equal(read_file(other, bytes + ROOM, ROOM), count);
    assert_memory_equal(bytes, bytes + ROOM, count);
    free(bytes);
}

static struct store_packing *begin(const char *dep_path)
{
    struct fault error = fault_none();
    struct store_packing *const packing = store_packing_begin(dep_path, FETCH, made, &error);

    assert_string_equal(fault_text(error), "");
    return packing;
}

/* The cursor gives what the reader of the file gives, to the end or to the same error. Answer: records. */
static uint64_t assert_same_records(struct store_packing *packing, const char *dep_path, enum dep_result end)
{
    struct fault error = fault_none(), expected_error = {.kind = FAULT_NONE};
    struct store_records *const records = store_records_open(store_packing_store(packing), 0, &error);
    struct dep_reader *const reader = dep_reader_open(dep_path, &error);
    struct dep_record got, expected;
    enum dep_result result;
    uint64_t count = 0;

    assert_true(store_records_position(records) <= 0);
    while ((result = dep_reader_next(reader, &expected, &expected_error)) == DEP_RECORD) {
        assert_int_equal(store_records_read(records, &got, &error), DEP_RECORD);
        assert_int_equal(got.seq_num, expected.seq_num);
        assert_int_equal(got.pc, expected.pc);
        assert_int_equal(got.p_addr, expected.p_addr);
        assert_int_equal(got.comp_delay, expected.comp_delay);
        assert_int_equal(got.reg_dep_count, expected.reg_dep_count);
        for (uint32_t i = 0; i < got.reg_dep_count; i++)
            assert_int_equal(got.reg_dep[i], expected.reg_dep[i]);
        count++;
    }
    assert_int_equal(result, end);
    assert_int_equal(store_records_read(records, &got, &error), end);
    assert_string_equal(fault_text(error), fault_text(expected_error));
    store_records_close(records);
    dep_reader_close(reader);
    return count;
}

static uint64_t read_fetches(struct store_packing *packing)
{
    struct fault error;
    struct store_fetches *const fetches = store_fetches_open(store_packing_store(packing), 0, &error);
    struct packet_record fetch;
    uint64_t count = 0;

    while (store_fetches_read(fetches, &fetch, &error) == PACKET_RECORD)
        count++;
    store_fetches_close(fetches);
    return count;
}

static void is_read_while_it_is_made(void **state)
{
    struct fault error = fault_none();
    uint64_t records, fetches;

    assert_true(WORKS(error, store_pack(DEP, FETCH, packed)));
    for (int turn = 0; turn < 2; turn++) {
        struct store_packing *const packing = begin(DEP);

        assert_int_equal(store_about(store_packing_store(packing))->dep.window_size, 576);
        fetches = turn == 0 ? read_fetches(packing) : 0;
        records = assert_same_records(packing, DEP, DEP_END);
        fetches = turn == 1 ? read_fetches(packing) : fetches;
        assert_int_equal(store_packing_end(packing, &error), STORE_PACKED);
        store_packing_free(packing);
        assert_same_files(packed, made);

        struct store *const store = store_open(made, &error);

        assert_int_equal(store_about(store)->count[STORE_DEP], records);
        assert_int_equal(store_about(store)->count[STORE_FETCH], fetches);
        store_close(store);
    }
}

/* header: "Waits until all is done" */
static void is_whole_without_further_reads(void **state)
{
    struct fault error = fault_none();
    struct store_packing *const packing = begin(DEP);
    struct store_records *const records = store_records_open(store_packing_store(packing), 0, &error);
    struct dep_record record;

    for (int i = 0; i < 10; i++)
        assert_int_equal(store_records_read(records, &record, &error), DEP_RECORD);
    assert_int_equal(store_packing_end(packing, &error), STORE_PACKED);
    store_records_close(records);
    store_packing_free(packing);
    assert_same_files(packed, made);
}

static void a_stopped_packing_leaves_no_file(void **state)
{
    unlink(made);
    store_packing_free(begin(DEP));
    assert_int_equal(access(made, F_OK), -1);
}

/* a fault of the trace stops the cursor that reaches it, with the message of the trace's reader */
static void a_broken_trace_is_read_up_to_its_fault(void **state)
{
    static const size_t lengths[] = {3000, 60000, 100000};
    uint8_t *const bytes = malloc(ROOM);

    read_file(DEP, bytes, ROOM);
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof lengths[0]; i++) {
        FILE *const file = fopen(cut, "wb");
        size_t const length = lengths[i / 2];
        struct fault error;

        if (i % 2 == 1)              /* damaged instead of cut off */
            bytes[length] ^= 0x55;
        fwrite(bytes, 1, i % 2 == 1 ? length + 20000 : length, file);
        fclose(file);

        struct store_packing *const packing = begin(cut);

        assert_true(assert_same_records(packing, cut, DEP_ERROR) > 0);
        assert_true(read_fetches(packing) > 0);
        assert_int_equal(store_packing_end(packing, &error), STORE_TRACE_BAD);
        store_packing_free(packing);
        assert_int_equal(access(made, F_OK), -1);
        if (i % 2 == 1)
            bytes[length] ^= 0x55;
    }
    free(bytes);
}

/* if only the file cannot be written, the cursors continue */
static void a_full_disk_stops_no_cursor(void **state)
{
    struct rlimit before, small;
    struct fault error = fault_none();
    struct store_packing *packing;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 40000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    packing = begin(DEP);
    assert_true(assert_same_records(packing, DEP, DEP_END) > 0);
    assert_int_equal(store_packing_end(packing, &error), STORE_NOT_WRITTEN);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_non_null(strstr(fault_text(error), "cannot be written: "));
    store_packing_free(packing);
    assert_int_equal(access(made, F_OK), -1);
}

/* A trace whose file is large enough to be unpacked ahead. */
static void write_many(void)
{
    enum { RECORDS = 200000 };
    struct dep_header const header = {.tick_freq = UINT64_C(1000000000000), .window_size = 576};
    struct fault error = fault_none();
    struct trace_writer *const writer = dep_writer_open(many, &header, &error);
    uint64_t number = 1, parent;

    assert_non_null(writer);
    for (uint64_t i = 1; i <= RECORDS; i++) {
        struct dep_record record = {.seq_num = i, .type = DEP_LOAD, .size_bytes = 8, .reg_dep = &parent,
                                    .reg_dep_count = i > 100,
                                    .present = DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_PC};

        number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        record.p_addr = number >> 24;
        record.pc = 0x1000 + 4 * (i % 50);
        record.comp_delay = number >> 62;
        parent = i - 1 - (number >> 40) % 99;
        assert_true(WORKS(error, dep_writer_put(writer, &record)));
    }
    assert_true(WORKS(error, trace_writer_close(writer)));
}

/* proto/store/store_pack.c: "unpacking some of a file's bytes ahead, while the other one makes a block of it" */
static void a_long_trace_is_unpacked_by_both(void **state)
{
    uint8_t *const bytes = malloc(ROOM);
    struct fault error = fault_none();
    struct store_packing *packing;
    struct store_records *records;
    struct dep_record record;
    size_t size;
    FILE *file;

    write_many();
    size = read_file(many, bytes, ROOM);
    assert_true(size > 1000000);
    assert_true(WORKS(error, store_pack(many, FETCH, packed)));
    packing = begin(many);
    assert_int_equal(assert_same_records(packing, many, DEP_END), 200000);
    assert_int_equal(store_packing_end(packing, &error), STORE_PACKED);
    store_packing_free(packing);
    assert_same_files(packed, made);

    unlink(made);
    packing = begin(many);
    records = store_records_open(store_packing_store(packing), 0, &error);
    assert_int_equal(store_records_read(records, &record, &error), DEP_RECORD);
    store_records_close(records);
    store_packing_free(packing);
    assert_int_equal(access(made, F_OK), -1);

    bytes[size / 4 * 3] ^= 0x55;
    file = fopen(many, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    packing = begin(many);
    assert_true(assert_same_records(packing, many, DEP_ERROR) > 100000);
    assert_int_equal(store_packing_end(packing, &error), STORE_TRACE_BAD);
    store_packing_free(packing);
    assert_int_equal(access(made, F_OK), -1);
}

static void a_packing_that_cannot_begin_reports_it(void **state)
{
    struct fault error = fault_none();

    assert_null(store_packing_begin(FETCH, FETCH, made, &error));
    assert_non_null(strstr(fault_text(error), "is a packet trace"));
    assert_null(store_packing_begin(DEP, FETCH, "/dev/null/store", &error));
    assert_non_null(strstr(fault_text(error), "cannot be written"));
    assert_int_equal(access(made, F_OK), -1);
}

static void pieces_have_the_hash_of_the_whole(void **state)
{
    uint8_t bytes[300];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    for (size_t length = 0; length <= sizeof bytes; length += 1 + length / 10)
        for (size_t step = 1; step < 100; step += 1 + step / 8) {
            struct hash64_pieces pieces;

            hash64_begin(&pieces);
            for (size_t at = 0; at < length; at += step)
                hash64_add(&pieces, bytes + at, length - at < step ? length - at : step);
            assert_int_equal(hash64_end(&pieces), hash64(bytes, length));
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_while_it_is_made),
        cmocka_unit_test(is_whole_without_further_reads),
        cmocka_unit_test(a_stopped_packing_leaves_no_file),
        cmocka_unit_test(a_broken_trace_is_read_up_to_its_fault),
        cmocka_unit_test(a_full_disk_stops_no_cursor),
        cmocka_unit_test(a_long_trace_is_unpacked_by_both),
        cmocka_unit_test(a_packing_that_cannot_begin_reports_it),
        cmocka_unit_test(pieces_have_the_hash_of_the_whole),
    };

    return cmocka_run_group_tests_name("store packing", tests, set_up, tear_down);
}
