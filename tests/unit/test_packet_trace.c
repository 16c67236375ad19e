/* proto/packet_trace.h, proto/packet_writer.h: elastic-trace 1.1, 1.3, 1.5, 1.8. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/packet_writer.h"
#include "proto/stream.h"
#include "tests/support/protobuf_reference.h"
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
    struct proto_error error = {""};
    struct packet_reader *const reader = packet_reader_open_memory("test", file.at, file.length, &error);

    if (reader == NULL)
        fail_msg("%s", error.text);
    return reader;
}

static void expect_text(const struct proto_error *error, const char *part)
{
    if (strstr(error->text, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, error->text);
}

static void expect_error_after(unsigned good, const char *part, const char *other_part)
{
    struct proto_error error = {""};
    struct packet_record record;
    struct packet_reader *const reader = open_file();

    for (unsigned i = 0; i < good; i++)
        assert_int_equal(packet_reader_next(reader, &record, &error), PACKET_RECORD);
    assert_int_equal(packet_reader_next(reader, &record, &error), PACKET_ERROR);
    expect_text(&error, part);
    expect_text(&error, other_part);
    packet_reader_close(reader);
}

static void reads_all_fields(void **state)
{
    struct proto_error error;
    struct packet_record r;
    struct packet_reader *reader;

    (void)state;
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

    (void)state;
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

    (void)state;
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
    (void)state;
    begin();
    put_plain_record(7);
    put_plain_record(7);
    put_plain_record(6);
    expect_error_after(2, "tick 6 follows 7", "never fall");
}

static void names_a_dependency_trace(void **state)
{
    struct proto_error error;

    (void)state;
    file.length = 0;
    put_start(&file, 576);
    assert_null(packet_reader_open_memory("test", file.at, file.length, &error));
    expect_text(&error, "is a dependency trace");
    expect_text(&error, "swapped");
}

static uint64_t random_state = 7;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 11 ^ random_state << 31) % limit;
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

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct proto_error error;
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

/* Plain bytes of a whole trace file. */
static uint8_t *inflate_file(const char *path, size_t *size)
{
    struct stream stream;
    struct proto_error error;
    uint8_t *data = NULL;

    *size = 0;
    if (!stream_open(&stream, &(struct stream_source){.path = path}, &error))
        return NULL;
    while (stream_need(&stream, 1, &error) == STREAM_OK) {
        size_t const have = (size_t)(stream.end - stream.next);

        data = realloc(data, *size + have);
        assert_non_null(data);
        memcpy(data + *size, stream.next, have);
        *size += have;
        stream.next = stream.end;
    }
    stream_close(&stream);
    return data;
}

static void compare_trace(const char *folder, const char *name, unsigned *compared)
{
    char path[512];
    struct proto_error error;
    struct packet_reader *reader;
    const char *difference;
    size_t size;
    uint64_t count;
    uint8_t *data;

    snprintf(path, sizeof path, "%s/%s/fetchtrace.proto.gz", folder, name);
    data = inflate_file(path, &size);
    if (data == NULL)
        return;
    reader = packet_reader_open(path, &error);
    if (reader == NULL)
        fail_msg("%s", error.text);
    difference = compare_packet_records(data, size, reader, &count);
    if (difference != NULL || count == 0)
        fail_msg("%s, record %u: %s", path, (unsigned)count, difference != NULL ? difference : "no records");
    packet_reader_close(reader);
    free(data);
    ++*compared;
}

static void bundled_traces_equal_protobuf_c(void **state)
{
    unsigned compared = 0;

    (void)state;
    compare_trace("tests/traces", "triad", &compared);
    compare_trace("tests/traces", "gups", &compared);
    compare_trace("tests/traces", "qsort", &compared);
    assert_int_equal(compared, 3);
}

static void shared_traces_equal_protobuf_c(void **state)
{
    static const char *const names[] = {"chase", "gups", "hashjoin", "lz", "lz-virt", "matmul", "memops", "nbody",
                                        "nbody-512", "qsort", "spmv", "spmv-512", "triad"};
    const char *const shared = getenv("SHARED");
    char folder[400];
    unsigned compared = 0;

    (void)state;
    snprintf(folder, sizeof folder, "%s/traces/elastic", shared != NULL ? shared : "../shared");
    if (access(folder, R_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare_trace(folder, names[i], &compared);
    assert_int_equal(compared, 13);
}

static void writes_what_it_reads(void **state)
{
    struct packet_id_string const strings[] = {{.key = 3, .has_key = true, .has_value = true, .value = "x \"y\""},
                                               {.key = 0}};
    struct packet_header const header = {.obj_id = "o", .tick_freq = 9, .id_strings = strings, .id_string_count = 2};
    struct packet_record const records[] = {
        {.tick = 5, .cmd = 1, .addr = 1, .size_bytes = 64},
        {.tick = 5, .cmd = 4, .addr = UINT64_MAX, .size_bytes = 0, .present = 7, .flags = 1, .pkt_id = 0, .pc = 2}
    };
    struct proto_error error = {""};
    char folder[] = "/tmp/rubato-test-XXXXXX", path[64];
    struct packet_writer *writer;
    struct packet_reader *reader;
    struct packet_record r;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p.gz", folder);
    writer = packet_writer_open(path, &header, &error);
    assert_non_null(writer);
    for (int i = 0; i < 2; i++)
        assert_true(packet_writer_put(writer, &records[i], &error));
    assert_true(packet_writer_close(writer, &error));
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
    assert_true(packet_writer_put(writer, &(struct packet_record){.tick = 5}, &error));
    assert_false(packet_writer_put(writer, &(struct packet_record){.tick = 4}, &error));
    expect_text(&error, "tick 4 follows 5");
    packet_writer_discard(writer);
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
        cmocka_unit_test(shared_traces_equal_protobuf_c), cmocka_unit_test(writes_what_it_reads)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
