/* proto/elastic/dep_trace.h, proto/elastic/trace_writer.h: every rule of elastic-trace 1.1, 1.2, 1.4, 1.5, 1.8 that a
 * dependency trace can show. */
#include <unistd.h>

#include "proto/elastic/trace_writer.h"
#include "tests/support/protobuf_reference.h"
#include "tests/support/random_numbers.h"
#include "tests/support/trace_files.h"
#include "tests/support/wire_bytes.h"

static struct bytes file, message;

static void begin(uint32_t window)
{
    file.length = 0;
    put_start(&file, window);
}

static void put_record(void)
{
    put_message(&file, &message);
    message.length = 0;
}

/* A record with the required fields. */
static void put_plain_record(uint64_t seq_num)
{
    put_number(&message, 1, seq_num);
    put_number(&message, 2, DEP_COMP);
    put_number(&message, 7, 500);
    put_record();
}

static struct dep_reader *open_file(void)
{
    struct fault error = fault_none();
    struct dep_reader *const reader = dep_reader_open_memory("test", file.at, file.length, &error);

    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    return reader;
}

/* The first record of the file. */
static struct dep_reader *read_one(struct dep_record *record)
{
    struct fault error = fault_none();
    struct dep_reader *const reader = open_file();
    enum dep_result const result = dep_reader_next(reader, record, &error);

    if (result != DEP_RECORD)
        fail_msg("result %d: %s", result, fault_text(error));
    return reader;
}

static void expect_not_opened(const char *part)
{
    struct fault error = fault_none();
    struct dep_reader *const reader = dep_reader_open_memory("test", file.at, file.length, &error);

    if (reader != NULL)
        fail_msg("opened, expected an error with \"%s\"", part);
    assert_text(fault_text(error), part);
    assert_text(fault_text(error), "test: ");
}

/* `good` records, then an error with both parts. */
static void expect_error_after(unsigned good, const char *part, const char *other_part)
{
    struct fault error = fault_none();
    struct dep_record record;
    struct dep_reader *const reader = open_file();

    for (unsigned i = 0; i < good; i++)
        assert_int_equal(dep_reader_next(reader, &record, &error), DEP_RECORD);
    assert_int_equal(dep_reader_next(reader, &record, &error), DEP_ERROR);
    assert_text(fault_text(error), part);
    assert_text(fault_text(error), other_part);
    dep_reader_close(reader);
}

/* --- reading
 * ------------------------------------------------------------------------------------------------------- */

/* 1.2: every field of a record */
static void reads_all_fields(void **state)
{
    struct dep_record r;

    begin(576);
    put_number(&message, 1, 300);
    put_number(&message, 2, DEP_LOAD);
    put_number(&message, 3, UINT64_C(1) << 40);
    put_number(&message, 4, 8);
    put_number(&message, 5, 0xffffffff);
    put_number(&message, 6, 299);
    put_number(&message, 6, 7);
    put_number(&message, 7, UINT64_MAX);
    put_number(&message, 8, 298);
    put_number(&message, 9, 3);
    put_number(&message, 10, 0x10000);
    put_number(&message, 11, UINT64_MAX - 1);
    put_number(&message, 12, 5);
    put_record();

    struct dep_reader *const reader = read_one(&r);

    assert_int_equal(dep_reader_header(reader)->window_size, 576);
    assert_int_equal(dep_reader_header(reader)->tick_freq, UINT64_C(1000000000000));
    assert_string_equal(dep_reader_header(reader)->obj_id, "system.cpu");
    assert_false(dep_reader_header(reader)->has_ver);
    assert_int_equal(r.seq_num, 300);
    assert_int_equal(r.type, DEP_LOAD);
    assert_int_equal(r.p_addr, UINT64_C(1) << 40);
    assert_int_equal(r.size_bytes, 8);
    assert_int_equal(r.flags, 0xffffffff);
    assert_int_equal(r.comp_delay, UINT64_MAX);
    assert_int_equal(r.rob_dep_count, 2);
    assert_int_equal(r.rob_dep[0], 299);
    assert_int_equal(r.rob_dep[1], 7);
    assert_int_equal(r.reg_dep_count, 1);
    assert_int_equal(r.reg_dep[0], 298);
    assert_int_equal(r.weight, 3);
    assert_int_equal(r.pc, 0x10000);
    assert_int_equal(r.v_addr, UINT64_MAX - 1);
    assert_int_equal(r.asid, 5);
    assert_int_equal(r.present, 0x7f);
    dep_reader_close(reader);
}

/* 1.8: a load without p_addr and size counts as 0 */
static void absent_fields_are_zero(void **state)
{
    struct dep_record r;

    begin(576);
    put_number(&message, 1, 1);
    put_number(&message, 2, DEP_LOAD);
    put_number(&message, 7, 0);
    put_record();

    struct dep_reader *const reader = read_one(&r);

    assert_int_equal(r.present, 0);
    assert_int_equal(r.p_addr | r.v_addr | r.pc | r.size_bytes | r.flags | r.weight | r.asid, 0);
    assert_int_equal(r.rob_dep_count + r.reg_dep_count, 0);
    dep_reader_close(reader);
}

/* 1.1: packed and unpacked, also mixed; the last of a singular field wins; 32-bit fields keep their low half; any
 * order; unknown fields of all wire types are skipped; a known number of another wire type is unknown; long forms of
 * tags */
static void reads_odd_encodings(void **state)
{
    struct dep_record r;
    static const uint8_t eight[8] = {1, 2, 3}, long_tag_of_pc[] = {0x80 | 10 << 3, 0x00};
    struct bytes list = {.length = 0};

    begin(576);
    put_number(&message, 7, 9);
    put_varint(&list, 1);
    put_varint(&list, 299);
    put_tag(&message, 6, 2);
    put_message(&message, &list);
    put_number(&message, 6, 2);
    put_tag(&message, 6, 2);
    put_message(&message, &list);
    put_number(&message, 2, DEP_LOAD);
    put_number(&message, 2, UINT64_C(1) << 32 | DEP_STORE);
    put_text(&message, 99, "unknown");
    put_tag(&message, 98, 1);
    put_bytes(&message, eight, 8);
    put_tag(&message, 97, 5);
    put_bytes(&message, eight, 4);
    put_number(&message, 96, 77);
    put_tag(&message, 3, 5);
    put_bytes(&message, eight, 4);
    put_number(&message, 4, UINT64_C(7) << 32 | 16);
    put_number(&message, 1, 1);
    put_number(&message, 1, 300);
    put_bytes(&message, long_tag_of_pc, 2);
    put_varint(&message, 4096);
    put_record();

    struct dep_reader *const reader = read_one(&r);
    static const uint64_t expected[] = {1, 299, 2, 1, 299};

    assert_int_equal(r.seq_num, 300);
    assert_int_equal(r.type, DEP_STORE);
    assert_int_equal(r.size_bytes, 16);
    assert_int_equal(r.comp_delay, 9);
    assert_int_equal(r.pc, 4096);
    assert_int_equal(r.present, DEP_HAS_SIZE | DEP_HAS_PC);
    assert_int_equal(r.rob_dep_count, 5);
    assert_memory_equal(r.rob_dep, expected, sizeof expected);
    dep_reader_close(reader);
}

/* 1.8: odd but readable: a warning each */
static void odd_files_warn(void **state)
{
    struct dep_record r;
    struct bytes header = {.length = 0};
    struct dep_reader *reader;

    file.length = 0;
    put_bytes(&file, "\xef\xbe\xad\xde", 4);
    put_text(&header, 1, "cpu");
    put_number(&header, 2, 2);
    put_number(&header, 3, UINT64_C(2) << 30);
    put_number(&header, 4, 200);
    put_message(&file, &header);
    put_plain_record(1);
    reader = read_one(&r);
    assert_int_equal(dep_reader_input(reader)->warning_count, 2);
    assert_non_null(strstr(dep_reader_input(reader)->warnings[0], "0xdeadbeef"));
    assert_non_null(strstr(dep_reader_input(reader)->warnings[1], "tick_freq is 2147483648"));
    assert_true(dep_reader_header(reader)->has_ver);
    assert_int_equal(dep_reader_header(reader)->ver, 2);
    dep_reader_close(reader);

    begin(576);
    put_plain_record(1);
    reader = read_one(&r);
    assert_int_equal(dep_reader_input(reader)->warning_count, 0);
    dep_reader_close(reader);
}

static void long_obj_id_is_cut(void **state)
{
    char name[400];
    struct bytes header = {.length = 0};
    struct dep_reader *reader;

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    file.length = 0;
    put_bytes(&file, "gem5", 4);
    put_text(&header, 1, name);
    put_number(&header, 3, UINT64_C(1000000000000));
    put_number(&header, 4, 1);
    put_message(&file, &header);
    reader = open_file();
    assert_int_equal(strlen(dep_reader_header(reader)->obj_id), 255);
    assert_int_equal(dep_reader_input(reader)->warning_count, 1);
    dep_reader_close(reader);
}

/* --- refusals
 * ------------------------------------------------------------------------------------------------------ */

static void refuses_other_files(void **state)
{
    file.length = 0;
    expect_not_opened("is empty");
    put_bytes(&file, "ge", 2);
    expect_not_opened("only 2 bytes");
    put_bytes(&file, "m6 and more", 11);
    expect_not_opened("67 65 6d 36");
    file.length = 0;
    put_bytes(&file, "version https://git-lfs.github.com/spec/v1\n", 43);
    expect_not_opened("git lfs pull");
    file.length = 0;
    put_bytes(&file, "# rubato dependency trace\n", 26);
    expect_not_opened("rubato trace build");
    file.length = 0;
    put_start(&file, 0);
    expect_not_opened("is a packet trace");
    file.length = 4;
    expect_not_opened("before its header");
}

static void refuses_bad_headers(void **state)
{
    struct bytes header = {.length = 0};

    file.length = 4;
    put_number(&header, 4, 5);
    put_number(&header, 3, 1);
    put_message(&file, &header);
    expect_not_opened("obj_id (1)");
    file.length = 4;
    header.length = 0;
    put_number(&header, 4, 5);
    put_text(&header, 1, "x");
    put_message(&file, &header);
    expect_not_opened("tick_freq (3)");
    file.length = 4;
    put_number(&header, 3, 0);
    put_message(&file, &header);
    expect_not_opened("tick_freq is 0");
    file.length = 4;
    put_number(&header, 3, 5);
    put_number(&header, 4, 0);
    put_message(&file, &header);
    expect_not_opened("window_size is 0");
}

/* 1.5, each required field by name and the place of the record */
static void refuses_missing_fields(void **state)
{
    static const char *const names[] = {"seq_num (1)", "type (2)", "comp_delay (7)"};
    static const uint32_t numbers[] = {1, 2, 7};
    char place[32];

    for (int missing = 0; missing < 3; missing++) {
        begin(576);
        put_plain_record(1);
        snprintf(place, sizeof place, "byte %zu:", file.length + 1);
        for (int i = 0; i < 3; i++)
            if (i != missing)
                put_number(&message, numbers[i], 3);
        put_record();
        expect_error_after(1, names[missing], place);
    }
    begin(576);
    put_plain_record(1);
    put_record();
    expect_error_after(1, "lacks its required field", "record 1");
}

static void refuses_unknown_type(void **state)
{
    begin(576);
    put_number(&message, 1, 1);
    put_number(&message, 2, 4);
    put_number(&message, 7, 1);
    put_record();
    expect_error_after(0, "type 4", "0 INVALID, 1 LOAD, 2 STORE or 3 COMP");
}

static void refuses_broken_order(void **state)
{
    begin(576);
    put_plain_record(5);
    put_plain_record(5);
    expect_error_after(1, "seq_num 5 follows 5", "record 1");
    begin(576);
    put_plain_record(5);
    put_plain_record(4);
    expect_error_after(1, "seq_num 4 follows 5", "rise");
    for (uint32_t field = 6; field <= 8; field += 2) {
        begin(576);
        put_number(&message, field, 9);
        put_plain_record(9);
        expect_error_after(0, field == 6 ? "rob_dep" : "reg_dep", "the record itself");
        begin(576);
        put_number(&message, field, 1);
        put_number(&message, field, 10);
        put_plain_record(9);
        expect_error_after(0, field == 6 ? "rob_dep" : "reg_dep", "names 10, a later one");
    }
    begin(576);
    put_plain_record(0);
    put_number(&message, 8, 0);
    put_plain_record(1);

    struct dep_record record;
    struct dep_reader *const reader = read_one(&record);
    struct fault error;

    assert_int_equal(dep_reader_next(reader, &record, &error), DEP_RECORD);
    assert_int_equal(dep_reader_next(reader, &record, &error), DEP_END);
    dep_reader_close(reader);
}

/* 1.4 */
static void names_the_format_of_2015(void **state)
{
    begin(576);
    put_number(&message, 1, 1);
    put_number(&message, 2, 0);
    put_number(&message, 3, 0);
    put_number(&message, 8, 500);
    put_number(&message, 11, 4096);
    put_record();
    expect_error_after(0, "comp_delay (7)", "December 2015");
}

static void refuses_malformed_messages(void **state)
{
    static const uint8_t endless[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    static const uint8_t group[] = {0x0b}, field_0[] = {0x00, 0x01}, past_end[] = {0x32, 0x05, 0x01}, half[] = {0x08,
                                                                                                                0x80};
    static const struct { const uint8_t *bytes; size_t length; const char *text; } cases[] = {
        {endless, sizeof endless, "does not end"}, {group, sizeof group, "wire type"}, {field_0, sizeof field_0,
                                                                                        "field number"},
        {past_end, sizeof past_end, "does not end"}, {half, sizeof half, "past the end"}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(576);
        put_plain_record(1);
        put_bytes(&message, cases[i].bytes, cases[i].length);
        put_record();
        expect_error_after(1, cases[i].text, "record 1");
    }
}

static void refuses_bad_lengths(void **state)
{
    begin(576);
    put_plain_record(1);
    put_varint(&file, (UINT64_C(1) << 20) + 1);
    put_bytes(&file, "0123456789", 10);
    expect_error_after(1, "length of the next message is impossible", "at most 1048576");
    begin(576);
    put_bytes(&file, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11);
    expect_error_after(0, "impossible", "byte");
    begin(576);
    put_plain_record(1);
    put_plain_record(2);
    file.length -= 3;
    expect_error_after(1, "ends inside a message", "--salvage");
    begin(576);
    put_bytes(&file, "\x80", 1);
    expect_error_after(0, "ends inside the length", "truncated");
}

/* --- against protobuf-c ------------------------------------------------------------------------------------------- */

static void put_random_list(uint32_t number, uint64_t below)
{
    struct bytes list = {.length = 0};
    bool const packed = random_below(2);
    uint64_t const count = random_below(5);

    for (uint64_t i = 0; i < count; i++) {
        put_varint(&list, random_below(below));
        if (!packed) {
            put_tag(&message, number, 0);
            put_bytes(&message, list.at, list.length);
            list.length = 0;
        }
    }
    if (packed) {
        put_tag(&message, number, 2);
        put_message(&message, &list);
    }
}

static void put_random_unknown(void)
{
    uint32_t const number = 13 + (uint32_t)random_below(1 << 20);
    static const uint8_t bytes[64];

    switch (random_below(4)) {
    case 0: put_number(&message, number, random_number()); break;
    case 1: put_tag(&message, number, 1); put_bytes(&message, bytes, 8); break;
    case 2: put_tag(&message, number, 5); put_bytes(&message, bytes, 4); break;
    default:
        put_tag(&message, number, 2);
        put_varint(&message, 10);
        put_bytes(&message, bytes, 10);
    }
}

/* Fields in any order, some twice, some missing, some unknown. */
static void put_random_record(uint64_t seq_num)
{
    put_number(&message, 1, seq_num + random_below(3));
    for (uint64_t i = random_below(16); i > 0; i--) {
        uint32_t const number = 2 + (uint32_t)random_below(11);

        if (number == 2)
            put_number(&message, 2, random_below(3));
        else if (number == 6 || number == 8)
            put_random_list(number, seq_num);
        else
            put_number(&message, number, random_number());
        if (random_below(8) == 0)
            put_random_unknown();
    }
    if (random_below(100) > 0)
        put_number(&message, 2, random_below(4));
    if (random_below(100) > 0)
        put_number(&message, 7, random_number());
    put_number(&message, 1, seq_num);
    put_record();
}

/* Record by record, 20,000 of them or more; a refused one ends its file. */
static void random_messages_equal_protobuf_c(void **state)
{
    uint64_t records = 0;

    for (int round = 0; round < 400; round++) {
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        begin(576);
        for (uint64_t seq_num = 1000; seq_num < 1100; seq_num++)
            put_random_record(seq_num);
        reader = open_file();
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %d, record %u: %s", round, (unsigned)count, difference);
        dep_reader_close(reader);
        records += count;
    }
    if (records < 10000)
        fail_msg("only %u records were compared", (unsigned)records);
}

/* Random changes of single bytes: refused by both, or read equally. */
static void damaged_messages_equal_protobuf_c(void **state)
{
    for (int round = 0; round < 4000; round++) {
        struct fault error;
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        begin(576);
        for (uint64_t seq_num = 1000; seq_num < 1010; seq_num++)
            put_random_record(seq_num);
        for (uint64_t i = 1 + random_below(3); i > 0; i--)
            file.at[30 + random_below(file.length - 30)] = (uint8_t)random_bits();
        reader = dep_reader_open_memory("test", file.at, file.length, &error);
        if (reader == NULL)
            continue;
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %d, record %u: %s", round, (unsigned)count, difference);
        dep_reader_close(reader);
    }
}

static void compare(const char *path, const uint8_t *data, size_t size)
{
    struct fault error;
    struct dep_reader *const reader = dep_reader_open(path, &error);
    const char *difference;
    uint64_t count;

    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    difference = compare_dep_records(data, size, reader, &count);
    if (difference != NULL || count < 10000)
        fail_msg("%s, record %u: %s", path, (unsigned)count, difference != NULL ? difference : "too few records");
    dep_reader_close(reader);
}

static void bundled_traces_equal_protobuf_c(void **state)
{
    compare_bundled_traces("deptrace.proto.gz", compare);
}

static void shared_traces_equal_protobuf_c(void **state)
{
    compare_shared_traces("deptrace.proto.gz", compare);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void writes_what_it_reads(const char *path)
{
    static const uint64_t deps[] = {1, 2};
    struct dep_header const header = {.obj_id = "a b", .ver = 0, .has_ver = true, .tick_freq = 7, .window_size = 9};
    struct dep_record const records[] = {
        {.seq_num = 1, .type = DEP_COMP, .comp_delay = 5},
        {.seq_num = 2, .type = DEP_LOAD, .present = DEP_HAS_P_ADDR | DEP_HAS_WEIGHT, .p_addr = 0, .weight = 0},
        {.seq_num = 3, .type = DEP_INVALID, .present = 0x7f, .p_addr = UINT64_MAX, .size_bytes = 1, .flags = UINT32_MAX,
         .weight = 2, .pc = 3, .v_addr = 4, .asid = 5, .rob_dep = deps, .rob_dep_count = 1,
         .reg_dep = deps, .reg_dep_count = 2}
    };
    struct fault error;
    struct trace_writer *const writer = dep_writer_open(path, &header, &error);
    struct dep_reader *reader;
    struct dep_record r;

    assert_non_null(writer);
    for (int i = 0; i < 3; i++)
        assert_true(WORKS(error, dep_writer_put(writer, &records[i])));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(WORKS(error, trace_writer_close(writer)));
    reader = dep_reader_open(path, &error);
    assert_non_null(reader);
    assert_string_equal(dep_reader_header(reader)->obj_id, "a b");
    assert_true(dep_reader_header(reader)->has_ver);
    assert_int_equal(dep_reader_header(reader)->tick_freq, 7);
    assert_int_equal(dep_reader_header(reader)->window_size, 9);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dep_reader_next(reader, &r, &error), DEP_RECORD);
        assert_int_equal(r.seq_num, records[i].seq_num);
        assert_int_equal(r.type, records[i].type);
        assert_int_equal(r.present, records[i].present);
        assert_int_equal(r.p_addr, records[i].p_addr);
        assert_int_equal(r.flags, records[i].flags);
        assert_int_equal(r.comp_delay, records[i].comp_delay);
        assert_int_equal(r.asid, records[i].asid);
        assert_true(same_list(r.rob_dep, r.rob_dep_count, records[i].rob_dep, records[i].rob_dep_count));
        assert_true(same_list(r.reg_dep, r.reg_dep_count, records[i].reg_dep, records[i].reg_dep_count));
    }
    assert_int_equal(dep_reader_next(reader, &r, &error), DEP_END);
    dep_reader_close(reader);
    unlink(path);
}

/* 1.1: gzip if and only if the text behind the last dot is "gz" */
static void writes_gzip_by_name(void **state)
{
    char folder[] = "/tmp/rubato-test-XXXXXX", path[64];
    static const struct { const char *name; int first; } cases[] = {{"a.gz", 0x1f}, {"a.proto", 'g'}, {"gz", 'g'},
                                                                    {"a.GZ", 'g'}};

    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 4; i++) {
        struct fault error;
        struct dep_header const header = {.tick_freq = 1, .window_size = 1};
        struct trace_writer *writer;
        FILE *made;

        snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
        writes_what_it_reads(path);
        writer = dep_writer_open(path, &header, &error);
        assert_non_null(writer);
        assert_true(WORKS(error, trace_writer_close(writer)));
        made = fopen(path, "rb");
        assert_non_null(made);
        assert_int_equal(getc(made), cases[i].first);
        fclose(made);
        unlink(path);
    }
    rmdir(folder);
}

static void writer_reports_failures(void **state)
{
    struct fault error = fault_none();
    struct dep_header const header = {.tick_freq = 1, .window_size = 1};
    struct dep_record const record = {.seq_num = 4, .type = DEP_COMP};
    char folder[] = "/tmp/rubato-test-XXXXXX", path[64];
    struct trace_writer *writer;

    assert_null(dep_writer_open("/dev/null/x.gz", &header, &error));
    assert_text(fault_text(error), "/dev/null/x.gz: cannot be written");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.gz", folder);
    writer = dep_writer_open(path, &header, &error);
    assert_non_null(writer);
    assert_true(WORKS(error, dep_writer_put(writer, &record)));
    assert_false(WORKS(error, dep_writer_put(writer, &record)));
    assert_text(fault_text(error), "seq_num 4 follows 4");
    trace_writer_discard(writer);
    assert_int_equal(rmdir(folder), 0);     /* nothing was left in it */
    if (access("/dev/full", W_OK) == 0) {
        writer = dep_writer_open("/dev/full", &header, &error);
        assert_non_null(writer);
        assert_false(WORKS(error, trace_writer_close(writer)));
        assert_text(fault_text(error), "/dev/full: cannot be written");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_fields), cmocka_unit_test(absent_fields_are_zero),
        cmocka_unit_test(reads_odd_encodings),
        cmocka_unit_test(odd_files_warn), cmocka_unit_test(long_obj_id_is_cut), cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(refuses_bad_headers), cmocka_unit_test(refuses_missing_fields),
        cmocka_unit_test(refuses_unknown_type), cmocka_unit_test(refuses_broken_order),
        cmocka_unit_test(names_the_format_of_2015), cmocka_unit_test(refuses_malformed_messages),
        cmocka_unit_test(refuses_bad_lengths), cmocka_unit_test(random_messages_equal_protobuf_c),
        cmocka_unit_test(damaged_messages_equal_protobuf_c), cmocka_unit_test(bundled_traces_equal_protobuf_c),
        cmocka_unit_test(shared_traces_equal_protobuf_c), cmocka_unit_test(writes_gzip_by_name),
        cmocka_unit_test(writer_reports_failures)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
