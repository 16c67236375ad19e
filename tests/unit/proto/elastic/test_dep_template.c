/* proto/elastic/dep_template.h, by way of proto/elastic/dep_trace.h: records that repeat with other numbers are what
 * protobuf-c makes of them, whole or spoilt. And proto/store/store_pack.h: a store of such records is the same
 * whether they are taken where they lie or are read. */
#include <unistd.h>

#include "proto/elastic/dep_template.h"
#include "proto/store/store_pack.h"
#include "tests/support/protobuf_reference.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"
#include "tests/support/wire_bytes.h"

static struct bytes file, message;

static struct dep_reader *open_file(void)
{
    struct fault error = fault_none();
    struct dep_reader *const reader = dep_reader_open_memory("test", file.at, file.length, &error);

    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    return reader;
}

/* One of eight static instructions as gem5 writes them; numbers change as in a run, or more. */
static void put_alike_record(uint64_t seq_num, unsigned which)
{
    bool const accesses = which & 1, is_wild = random_below(16) == 0;

    put_number(&message, 1, seq_num);
    put_number(&message, 2, accesses ? DEP_LOAD : DEP_COMP);
    if (accesses) {
        put_number(&message, 3, is_wild ? random_number() : 100000 + random_below(4000));
        put_number(&message, 4, which);
        put_number(&message, 5, 3);
    }
    for (unsigned i = 0; i < which / 4; i++)
        put_number(&message, 6, seq_num - 1 - random_below(40));
    put_number(&message, 7, is_wild ? random_number() : 500 + random_below(4000));
    for (unsigned i = 0; i < which / 2 % 4; i++)
        put_number(&message, 8, seq_num - 1 - random_below(40));
    if (which == 2 || is_wild)
        put_number(&message, 9, 1);
    put_number(&message, 10, 65536 + 4 * which);
    if (which == 7) {
        put_number(&message, 11, UINT64_C(0x7fff00000000) + random_below(1 << 20));
        put_number(&message, 12, 1);
    }
    put_message(&file, &message);
    message.length = 0;
}

/* A loop of 20 records that sometimes is left, around a sequence number; numbers of two lengths meet there. */
static void put_alike_records(uint64_t seq_num)
{
    file.length = 0;
    put_start(&file, 576);
    for (unsigned i = 0; i < 400; i++)
        put_alike_record(seq_num += i % 7 == 0 ? 2 : 1, random_below(9) == 0 ? (unsigned)random_below(8) : i % 20 % 8);
}

static const uint64_t alike_from[] = {100, 16000, 2097000, 268435200, UINT64_C(34359738100), UINT64_C(1) << 49};
enum { ALIKE_STARTS = sizeof alike_from / sizeof alike_from[0] };

static void alike_messages_equal_protobuf_c(void **state)
{
    for (unsigned round = 0; round < 60; round++) {
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        put_alike_records(alike_from[round % ALIKE_STARTS]);
        reader = open_file();
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %u, record %u: %s", round, (unsigned)count, difference);
        assert_int_equal(count, 400);
        dep_reader_close(reader);
    }
}

static void damaged_alike_messages_equal_protobuf_c(void **state)
{
    for (unsigned round = 0; round < 3000; round++) {
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        put_alike_records(alike_from[round % ALIKE_STARTS]);
        for (uint64_t i = 1 + random_below(3); i > 0; i--)
            file.at[file.length / 2 + random_below(file.length / 2)] = (uint8_t)random_bits();
        reader = open_file();
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %u, record %u: %s", round, (unsigned)count, difference);
        dep_reader_close(reader);
    }
}

/* header: "a reader's records of the same number are equal in pc and in the fields between size_bytes and
 * reg_dep_count"; most have a number that was there before. */
static void records_that_are_alike_are_equal(void **state)
{
    static struct dep_record seen[4096];
    struct fault error;
    struct dep_record record;
    struct dep_reader *reader;
    unsigned again = 0;

    put_alike_records(16000);
    reader = open_file();
    while (dep_reader_next(reader, &record, &error) == DEP_RECORD) {
        struct dep_record *const first = &seen[record.alike];

        assert_in_range(record.alike, 0, 4095);
        if (record.alike == 0)
            continue;
        if (first->alike == 0) {
            *first = record;
            continue;
        }
        again++;
        assert_int_equal(first->pc, record.pc);
        assert_memory_equal(&first->size_bytes, &record.size_bytes,
                            offsetof(struct dep_record, rob_dep) - offsetof(struct dep_record, size_bytes));
    }
    dep_reader_close(reader);
    assert_in_range(again, 200, 400);
}

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char read_path[64], seen_path[64];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(read_path, sizeof read_path, "%s/read", folder);
    snprintf(seen_path, sizeof seen_path, "%s/seen", folder);
    return 0;
}

static int tear_down(void **state)
{
    unlink(read_path);
    unlink(seen_path);
    return rmdir(folder);
}

static enum dep_result read_and_write(struct store_writer *writer, struct dep_reader *reader, struct fault *error)
{
    struct dep_record record;
    enum dep_result const result = dep_reader_next(reader, &record, error);

    if (result == DEP_RECORD)
        assert_true(WORKS(*error, store_writer_record(writer, &record)));
    return result;
}

/* A store of what the reader gives up to its end or its fault, of which `fault` tells. */
static void write_store(struct dep_reader *reader, const char *path, bool is_seen, struct fault *fault)
{
    static char name[] = "a trace";
    struct store_about const about = {.dep = {.tick_freq = 1000, .window_size = 5}, .fetch = {.tick_freq = 1000},
                                      .source = {{.path = name}, {.path = name}}};
    struct store_writer *const writer = store_writer_open(path, fault);
    struct fault error;

    *fault = (struct fault){.kind = FAULT_NONE};
    while ((is_seen ? store_writer_records(writer, reader, fault) : read_and_write(writer, reader, fault))
           == DEP_RECORD)
        ;
    assert_true(WORKS(error, store_writer_close(writer, &about)));
    dep_reader_close(reader);
}

static void assert_same_files(void)
{
    static uint8_t bytes[2][1 << 22];
    const char *const paths[] = {read_path, seen_path};
    size_t counts[2];

    for (int i = 0; i < 2; i++) {
        FILE *const store = fopen(paths[i], "rb");

        assert_non_null(store);
        counts[i] = fread(bytes[i], 1, sizeof bytes[i], store);
        assert_true(counts[i] < sizeof bytes[i]);
        fclose(store);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(bytes[0], bytes[1], counts[0]);
}

/* header: "the same as dep_reader_next and store_writer_record" */
static void both_ways_of_taking_records_give_the_same_store(void **state)
{
    for (unsigned round = 0; round < 600; round++) {
        struct fault faults[2];

        put_alike_records(alike_from[round % ALIKE_STARTS]);
        for (uint64_t i = round % 3 == 0 ? 0 : 1 + random_below(3); i > 0; i--)
            file.at[file.length / 2 + random_below(file.length / 2)] = (uint8_t)random_bits();
        write_store(open_file(), read_path, false, &faults[0]);
        write_store(open_file(), seen_path, true, &faults[1]);
        assert_string_equal(fault_text(faults[0]), fault_text(faults[1]));
        assert_same_files();
    }
}

static void put_plain_record(uint64_t seq_num, uint64_t pc)
{
    put_number(&message, 1, seq_num);
    put_number(&message, 2, DEP_COMP);
    put_number(&message, 7, 500);
    put_number(&message, 10, pc);
    put_message(&file, &message);
    message.length = 0;
}

/* Templates are many, and in one of the rounds one has the place that the one of the form that is expected had. Not
 * every record gets one: of those at the end of a piece that is read at once nothing is learnt. */
static void both_ways_give_the_same_store_beyond_the_templates(void **state)
{
    enum { HUB = 65536, FIRST = 65540, OTHER = 65544, MORE = 65600 };

    for (uint64_t round = 0; round < 600; round++) {
        uint64_t const others = DEP_TEMPLATES + 340 + round % 100;
        struct fault faults[2];
        uint64_t seq_num = 1;

        file.length = 0;
        put_start(&file, 576);
        for (unsigned i = 0; i < 6 + round / 100; i++)
            put_plain_record(seq_num++, i % 2 == 0 ? HUB : FIRST);
        for (uint64_t i = 0; i < others; i++)
            put_plain_record(seq_num++, MORE + 4 * i);
        put_plain_record(seq_num++, OTHER);
        put_plain_record(seq_num++, HUB);
        put_plain_record(seq_num++, OTHER);
        for (unsigned i = 0; i < 10; i++)
            put_plain_record(seq_num++, HUB);
        write_store(open_file(), read_path, false, &faults[0]);
        write_store(open_file(), seen_path, true, &faults[1]);
        assert_string_equal(fault_text(faults[1]), "");
        assert_same_files();
    }
}

/* The same of traces with many blocks, and records further back than any distance that is known in records. */
static void both_ways_give_the_same_store_of_a_long_trace(void **state)
{
    static const char *const traces[] = {"tests/traces/gups/deptrace.proto.gz", "tests/traces/qsort/deptrace.proto.gz",
                                         "tests/traces/triad/deptrace.proto.gz"};

    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
        struct fault faults[2];

        write_store(dep_reader_open(traces[i], &faults[0]), read_path, false, &faults[0]);
        write_store(dep_reader_open(traces[i], &faults[1]), seen_path, true, &faults[1]);
        assert_string_equal(fault_text(faults[0]), "");
        assert_string_equal(fault_text(faults[1]), "");
        assert_same_files();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_messages_equal_protobuf_c), cmocka_unit_test(damaged_alike_messages_equal_protobuf_c),
        cmocka_unit_test(records_that_are_alike_are_equal),
        cmocka_unit_test(both_ways_of_taking_records_give_the_same_store),
        cmocka_unit_test(both_ways_give_the_same_store_beyond_the_templates),
        cmocka_unit_test(both_ways_give_the_same_store_of_a_long_trace)
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
