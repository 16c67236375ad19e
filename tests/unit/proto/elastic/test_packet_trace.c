/* proto/elastic/packet_trace.h, proto/elastic/trace_writer.h: elastic-trace 1.1, 1.3, 1.5, 1.8. */
#include <unistd.h>

#include "proto/elastic/trace_writer.h"
#include "tests/support/protobuf_reference.h"
#include "tests/support/random_numbers.h"
#include "tests/support/trace_files.h"
#include "tests/support/wire_bytes.h"

static struct bytes file, message;

static void put_record(void)
{
    put_message(&file, &message);
    message.length = 0;
}

static void put_plain_record(uint64_t tick)
{
    put_number(&message, 1, tick);
    put_number(&message, 2, 1);
    put_number(&message, 3, 4096);
    put_number(&message, 4, 64);
    put_record();
}

static void begin(void)
{
    file.length = 0;
    put_start(&file, 0);
}

static struct packet_reader *open_file(void)
{
    struct fault error = fault_none();
    struct packet_reader *const reader = packet_reader_open_memory("test", file.at, file.length, &error);

    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    return reader;
}

static void expect_error_after(unsigned good, const char *part, const char *other_part)
{
    struct fault error = fault_none();
    struct packet_record record;
    struct packet_reader *const reader = open_file();

    for (unsigned i = 0; i < good; i++)
        assert_int_equal(packet_reader_next(reader, &record, &error), PACKET_RECORD);
    assert_int_equal(packet_reader_next(reader, &record, &error), PACKET_ERROR);
    assert_text(fault_text(error), part);
    assert_text(fault_text(error), other_part);
    packet_reader_close(reader);
}

static void reads_all_fields(void **state)
{
    struct fault error;
    struct packet_record r;
    struct packet_reader *reader;

    begin();
    put_number(&message, 1, UINT64_C(1) << 50);
    put_number(&message, 2, 23);
    put_number(&message, 3, UINT64_MAX);
    put_number(&message, 4, UINT64_C(1) << 32 | 2);
    put_number(&message, 5, 256);
    put_number(&message, 6, 99);
    put_number(&message, 7, 4096);
    put_record();
    put_plain_record(UINT64_C(1) << 50);
    reader = open_file();
    assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_RECORD);
    assert_int_equal(r.tick, UINT64_C(1) << 50);
    assert_int_equal(r.cmd, 23);
    assert_int_equal(r.addr, UINT64_MAX);
    assert_int_equal(r.size_bytes, 2);
    assert_int_equal(r.flags, 256);
    assert_int_equal(r.pkt_id, 99);
    assert_int_equal(r.pc, 4096);
    assert_int_equal(r.present, 7);
    assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_RECORD);
    assert_int_equal(r.present, 0);
    assert_int_equal(r.flags | r.pkt_id | r.pc, 0);
    assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_END);
    assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_END);
    packet_reader_close(reader);
}

static void reads_id_strings(void **state)
{
    struct bytes header = {.length = 0}, entry = {.length = 0};
    struct packet_reader *reader;

    file.length = 0;
    put_bytes(&file, "gem5", 4);
    put_text(&header, 1, "system.monitor");
    put_number(&header, 3, UINT64_C(1000000000000));
    put_number(&entry, 1, 7);
    put_text(&entry, 2, "cpu.data");
    put_tag(&header, 4, 2);
    put_message(&header, &entry);
    put_tag(&header, 4, 2);
    put_varint(&header, 0);
    put_message(&file, &header);
    reader = open_file();

    const struct packet_header *const h = packet_reader_header(reader);

    assert_string_equal(h->obj_id, "system.monitor");
    assert_int_equal(h->id_string_count, 2);
    assert_true(h->id_strings[0].has_key && h->id_strings[0].has_value);
    assert_int_equal(h->id_strings[0].key, 7);
    assert_string_equal(h->id_strings[0].value, "cpu.data");
    assert_false(h->id_strings[1].has_key || h->id_strings[1].has_value);
    packet_reader_close(reader);
}

static void refuses_missing_fields(void **state)
{
    static const char *const names[] = {"tick (1)", "cmd (2)", "addr (3)", "size (4)"};

    for (uint32_t missing = 0; missing < 4; missing++) {
        begin();
        put_plain_record(1);
        for (uint32_t i = 0; i < 4; i++)
            if (i != missing)
                put_number(&message, i + 1, 5);
        put_record();
        expect_error_after(1, names[missing], "record 1");
    }
}

static void refuses_falling_ticks(void **state)
{
    begin();
    put_plain_record(7);
    put_plain_record(7);
    put_plain_record(6);
    expect_error_after(2, "tick 6 follows 7", "never fall");
}

static void names_a_dependency_trace(void **state)
{
    struct fault error;

    file.length = 0;
    put_start(&file, 576);
    assert_null(packet_reader_open_memory("test", file.at, file.length, &error));
    assert_text(fault_text(error), "is a dependency trace");
    assert_text(fault_text(error), "swapped");
}

static void put_random_record(uint64_t tick)
{
    for (uint64_t i = random_below(12); i > 0; i--) {
        uint32_t const number = 1 + (uint32_t)random_below(9);

        put_number(&message, number, random_below(UINT64_MAX) >> random_below(64));
    }
    if (random_below(4) == 0)
        put_text(&message, 1 + (uint32_t)random_below(100), "text");
    for (uint32_t field = 4; field > 0; field--)
        if (random_below(50) > 0)
            put_number(&message, field, field == 1 ? tick : random_below(UINT64_MAX));
    put_record();
}

static void random_messages_equal_protobuf_c(void **state)
{
    uint64_t records = 0;

    for (int round = 0; round < 3000; round++) {
        struct fault error;
        struct packet_reader *reader;
        const char *difference;
        uint64_t count;

        begin();
        for (uint64_t tick = 0; tick < 30; tick++)
            put_random_record(tick);
        if (round % 2 == 1)
            file.at[30 + random_below(file.length - 30)] = (uint8_t)random_below(256);
        reader = packet_reader_open_memory("test", file.at, file.length, &error);
        if (reader == NULL)
            continue;
        difference = compare_packet_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %d, record %u: %s", round, (unsigned)count, difference);
        packet_reader_close(reader);
        records += count;
    }
    if (records < 10000)
        fail_msg("only %u records were compared", (unsigned)records);
}

static void compare(const char *path, const uint8_t *data, size_t size)
{
    struct fault error;
    struct packet_reader *const reader = packet_reader_open(path, &error);
    const char *difference;
    uint64_t count;

    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    difference = compare_packet_records(data, size, reader, &count);
    if (difference != NULL || count == 0)
        fail_msg("%s, record %u: %s", path, (unsigned)count, difference != NULL ? difference : "no records");
    packet_reader_close(reader);
}

static void bundled_traces_equal_protobuf_c(void **state)
{
    compare_bundled_traces("fetchtrace.proto.gz", compare);
}

static void shared_traces_equal_protobuf_c(void **state)
{
    compare_shared_traces("fetchtrace.proto.gz", compare);
}

static void writes_the_fields_it_reads(void **state)
{
    struct packet_id_string const strings[] = {{.key = 3, .has_key = true, .has_value = true, .value = "x \"y\""},
                                               {.key = 0}};
    struct packet_header const header = {.obj_id = "o", .tick_freq = 9, .id_strings = strings, .id_string_count = 2};
    struct packet_record const records[] = {
        {.tick = 5, .cmd = 1, .addr = 1, .size_bytes = 64},
        {.tick = 5, .cmd = 4, .addr = UINT64_MAX, .size_bytes = 0, .present = 7, .flags = 1, .pkt_id = 0, .pc = 2}
    };
    struct fault error = fault_none();
    char folder[] = "/tmp/rubato-test-XXXXXX", path[64];
    struct trace_writer *writer;
    struct packet_reader *reader;
    struct packet_record r;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p.gz", folder);
    writer = packet_writer_open(path, &header, &error);
    assert_non_null(writer);
    for (int i = 0; i < 2; i++)
        assert_true(WORKS(error, packet_writer_put(writer, &records[i])));
    assert_true(WORKS(error, trace_writer_close(writer)));
    reader = packet_reader_open(path, &error);
    assert_non_null(reader);
    assert_int_equal(packet_reader_header(reader)->id_string_count, 2);
    assert_string_equal(packet_reader_header(reader)->id_strings[0].value, "x \"y\"");
    assert_false(packet_reader_header(reader)->id_strings[1].has_key);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_RECORD);
        assert_int_equal(r.tick, records[i].tick);
        assert_int_equal(r.cmd, records[i].cmd);
        assert_int_equal(r.addr, records[i].addr);
        assert_int_equal(r.size_bytes, records[i].size_bytes);
        assert_int_equal(r.present, records[i].present);
        assert_int_equal(r.pc, records[i].pc);
    }
    packet_reader_close(reader);
    writer = packet_writer_open(path, &header, &error);
    assert_non_null(writer);
    assert_true(WORKS(error, packet_writer_put(writer, &(struct packet_record){.tick = 5})));
    assert_false(WORKS(error, packet_writer_put(writer, &(struct packet_record){.tick = 4})));
    assert_text(fault_text(error), "tick 4 follows 5");
    trace_writer_discard(writer);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_fields), cmocka_unit_test(reads_id_strings),
        cmocka_unit_test(refuses_missing_fields),
        cmocka_unit_test(refuses_falling_ticks), cmocka_unit_test(names_a_dependency_trace),
        cmocka_unit_test(random_messages_equal_protobuf_c), cmocka_unit_test(bundled_traces_equal_protobuf_c),
        cmocka_unit_test(shared_traces_equal_protobuf_c), cmocka_unit_test(writes_the_fields_it_reads)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
