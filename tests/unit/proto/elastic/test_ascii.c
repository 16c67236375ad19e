/* proto/elastic/ascii.h, proto/elastic/ascii.h: the three forms, and back from two of them (elastic-trace 1.7).
 */
#include <unistd.h>

#include "proto/elastic/ascii.h"
#include "tests/support/unit.h"

static const uint64_t deps[] = {3, 4, 5};

static struct dep_record const full_record = {
    .seq_num = 9, .type = DEP_STORE, .present = 0x7f, .p_addr = UINT64_MAX, .size_bytes = 8, .flags = UINT32_MAX,
    .weight = 2, .pc = 100, .v_addr = 7, .asid = 1, .comp_delay = 500, .rob_dep = deps, .rob_dep_count = 2,
    .reg_dep = deps, .reg_dep_count = 3
};
static struct dep_record const bare_record = {.seq_num = 1, .type = DEP_COMP, .comp_delay = 0};

static void expect_dep(const struct dep_record *record, enum ascii_form form, const char *expected)
{
    struct text text = {0};

    ascii_dep_record(&text, record, form);
    assert_false(text.failed);
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.at, expected, text.length);
    free(text.at);
}

/* 1.7, with the fields in the order of gem5's scripts */
static void prints_gem5_form(void **state)
{
    struct dep_record half = full_record;

    half.present = DEP_HAS_P_ADDR | DEP_HAS_FLAGS;
    expect_dep(&full_record, ASCII_GEM5, "9,100,2,STORE,18446744073709551615,8,4294967295,500:,3,4:,3,4,5\n");
    expect_dep(&bare_record, ASCII_GEM5, "1,0,1,COMP,0::\n");
    half.rob_dep_count = 0;
    half.pc = half.weight = 0;
    expect_dep(&half, ASCII_GEM5, "9,0,1,STORE,18446744073709551615,4294967295,500::,3,4,5\n");
}

static void prints_full_form(void **state)
{
    struct dep_record half = full_record;

    expect_dep(&full_record, ASCII_FULL, "9,100,2,STORE,18446744073709551615,8,4294967295,500:,3,4:,3,4,5:7,1\n");
    expect_dep(&bare_record, ASCII_FULL, "1,-,-,COMP,0::\n");
    half.present = DEP_HAS_FLAGS | DEP_HAS_ASID;
    expect_dep(&half, ASCII_FULL, "9,-,-,STORE,-,-,4294967295,500:,3,4:,3,4,5:-,1\n");
}

static void prints_json(void **state)
{
    struct dep_header const header = {.obj_id = "a\"\\\n\xe9", .ver = 2, .has_ver = true, .tick_freq = 7,
                                      .window_size = 9};
    struct text text = {0};

    expect_dep(&full_record, ASCII_JSON, "{\"seq_num\":9,\"type\":\"STORE\",\"p_addr\":18446744073709551615,\"size\":8,"
               "\"flags\":4294967295,\"rob_dep\":[3,4],\"comp_delay\":500,\"reg_dep\":[3,4,5],\"weight\":2,\"pc\":100,"
               "\"v_addr\":7,"
               "\"asid\":1}\n");
    expect_dep(&bare_record, ASCII_JSON, "{\"seq_num\":1,\"type\":\"COMP\",\"comp_delay\":0}\n");
    ascii_dep_header(&text, &header, ASCII_JSON);
    text.at[text.length - 1] = '\0';
    assert_string_equal(text.at, "{\"kind\":\"dependency "
                        "trace\",\"obj_id\":\"a\\\"\\\\\\u000a\\u00e9\",\"ver\":2,\"tick_freq\":7,\"window_size\":9}");
    free(text.at);
}

static void prints_packets(void **state)
{
    struct packet_record const bare = {.tick = 5, .cmd = 1, .addr = 64, .size_bytes = 4};
    struct packet_record const full = {.tick = 6, .cmd = 23, .addr = 1, .size_bytes = 2, .present = 7, .flags = 3,
                                       .pkt_id = 4,
                                       .pc = 5};
    struct text text = {0};

    ascii_packet_record(&text, &bare, ASCII_GEM5);
    ascii_packet_record(&text, &full, ASCII_GEM5);
    ascii_packet_record(&text, &bare, ASCII_FULL);
    ascii_packet_record(&text, &full, ASCII_FULL);
    ascii_packet_record(&text, &full, ASCII_JSON);
    text.at[text.length - 1] = '\0';
    assert_string_equal(text.at, "r,64,4,5\n4,u,1,2,3,6,5\n-,r,64,4,-,5,-\n4,u23,1,2,3,6,5\n"
                        "{\"tick\":6,\"cmd\":23,\"addr\":1,\"size\":2,\"flags\":3,\"pkt_id\":4,\"pc\":5}");
    free(text.at);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static char path[] = "/tmp/rubato-test-XXXXXX";

static int make_file(void **state)
{
    int const made = mkstemp(path);

    return made < 0 ? -1 : close(made);
}

static int remove_file(void **state)
{
    return unlink(path);
}

static struct ascii_reader *open_text(const char *text)
{
    FILE *const file = fopen(path, "w");
    struct fault error = fault_none();
    struct ascii_reader *reader;

    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    reader = ascii_reader_open(path, &error);
    if (reader == NULL)
        fail_msg("%s", fault_text(error));
    return reader;
}

static void expect_same_dep(const struct dep_record *a, const struct dep_record *b)
{
    assert_int_equal(a->seq_num, b->seq_num);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->present, b->present);
    assert_int_equal(a->p_addr, b->p_addr);
    assert_int_equal(a->size_bytes, b->size_bytes);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->weight, b->weight);
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->v_addr, b->v_addr);
    assert_int_equal(a->asid, b->asid);
    assert_int_equal(a->comp_delay, b->comp_delay);
    assert_int_equal(a->rob_dep_count, b->rob_dep_count);
    assert_int_equal(a->reg_dep_count, b->reg_dep_count);
    for (uint32_t i = 0; i < a->rob_dep_count; i++)
        assert_int_equal(a->rob_dep[i], b->rob_dep[i]);
    for (uint32_t i = 0; i < a->reg_dep_count; i++)
        assert_int_equal(a->reg_dep[i], b->reg_dep[i]);
}

/* "a superset of it that loses nothing": every set of present fields, there and back */
static void full_form_is_read_back(void **state)
{
    struct dep_header const header = {.obj_id = "a\"\\\n\xe9 b", .ver = 0, .has_ver = true, .tick_freq = 7,
                                      .window_size = 9};
    struct text text = {0};
    struct ascii_reader *reader;
    struct fault error;
    struct dep_record r;

    ascii_dep_header(&text, &header, ASCII_FULL);
    for (uint32_t present = 0; present < 128; present++) {
        struct dep_record record = {.seq_num = 10 + present, .type = (uint8_t)(present % 4), .present = present,
                                    .comp_delay = 3};

        record.p_addr = present & DEP_HAS_P_ADDR ? 1 : 0;
        record.size_bytes = present & DEP_HAS_SIZE ? 2 : 0;
        record.v_addr = present & DEP_HAS_V_ADDR ? UINT64_MAX : 0;
        record.rob_dep = record.reg_dep = deps;
        record.rob_dep_count = present % 3;
        record.reg_dep_count = present % 4;
        ascii_dep_record(&text, &record, ASCII_FULL);
    }
    ascii_dep_record(&text, &(struct dep_record){.seq_num = 1000}, ASCII_FULL);
    text.at[text.length - 1] = '\0';
    reader = open_text(text.at);
    assert_int_equal(ascii_reader_kind(reader), INPUT_DEP_TRACE);
    assert_true(ascii_reader_is_full(reader));
    assert_string_equal(ascii_reader_dep_header(reader)->obj_id, header.obj_id);
    assert_true(ascii_reader_dep_header(reader)->has_ver);
    assert_int_equal(ascii_reader_dep_header(reader)->tick_freq, 7);
    assert_int_equal(ascii_reader_dep_header(reader)->window_size, 9);
    for (uint32_t present = 0; present < 128; present++) {
        struct dep_record expected = {.seq_num = 10 + present, .type = (uint8_t)(present % 4), .present = present,
                                      .comp_delay = 3};

        expected.p_addr = present & DEP_HAS_P_ADDR ? 1 : 0;
        expected.size_bytes = present & DEP_HAS_SIZE ? 2 : 0;
        expected.v_addr = present & DEP_HAS_V_ADDR ? UINT64_MAX : 0;
        expected.rob_dep = expected.reg_dep = deps;
        expected.rob_dep_count = present % 3;
        expected.reg_dep_count = present % 4;
        assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
        expect_same_dep(&r, &expected);
    }
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_END);
    ascii_reader_close(reader);
    free(text.at);
}

static void packets_come_back(void **state)
{
    struct packet_id_string const strings[] = {{.key = 3, .has_key = true, .has_value = true, .value = "x \"y\""},
                                               {.key = 0}, {.has_value = true, .value = ""}};
    struct packet_header const header = {.obj_id = "o", .tick_freq = 9, .id_strings = strings, .id_string_count = 3};
    struct text text = {0};
    struct ascii_reader *reader;
    struct fault error;
    struct packet_record r;

    ascii_packet_header(&text, &header, ASCII_FULL);
    for (uint32_t present = 0; present < 8; present++)
        ascii_packet_record(&text, &(struct packet_record){.tick = present, .cmd = present, .addr = 9,
                                                           .present = present,
                                                           .flags = present & PACKET_HAS_FLAGS ? 5 : 0}, ASCII_FULL);
    text.at[text.length - 1] = '\0';
    reader = open_text(text.at);
    assert_int_equal(ascii_reader_kind(reader), INPUT_PACKET_TRACE);

    const struct packet_header *const h = ascii_reader_packet_header(reader);

    assert_string_equal(h->obj_id, "o");
    assert_int_equal(h->tick_freq, 9);
    assert_int_equal(h->id_string_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(h->id_strings[i].has_key, strings[i].has_key);
        assert_int_equal(h->id_strings[i].key, strings[i].key);
        assert_int_equal(h->id_strings[i].has_value, strings[i].has_value);
        assert_string_equal(h->id_strings[i].value, strings[i].value);
    }
    for (uint32_t present = 0; present < 8; present++) {
        assert_int_equal(ascii_next_packet(reader, &r, &error), ASCII_RECORD);
        assert_int_equal(r.tick, present);
        assert_int_equal(r.cmd, present);
        assert_int_equal(r.addr, 9);
        assert_int_equal(r.present, present);
        assert_int_equal(r.flags, present & PACKET_HAS_FLAGS ? 5 : 0);
    }
    assert_int_equal(ascii_next_packet(reader, &r, &error), ASCII_END);
    ascii_reader_close(reader);
    free(text.at);
}

/* Lines as gem5's scripts print them, with comments, an empty line and a carriage return */
static void reads_gem5_form(void **state)
{
    struct ascii_reader *reader = open_text("# made elsewhere\n\n3,35660,1,LOAD,1748752,4,74,500:,2:\r\n"
                                            "6,35666,1,STORE,1748752,8,1000:,3:,4,5\n7,0,2,COMP,3000::4");
    struct fault error;
    struct dep_record r;
    struct packet_record p;

    assert_int_equal(ascii_reader_kind(reader), INPUT_DEP_TRACE);
    assert_false(ascii_reader_is_full(reader));
    assert_int_equal(ascii_reader_dep_header(reader)->window_size, ASCII_GEM5_WINDOW);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
    assert_int_equal(r.p_addr, 1748752);
    assert_int_equal(r.flags, 74);
    assert_int_equal(r.weight, 1);
    assert_int_equal(r.comp_delay, 500);
    assert_int_equal(r.rob_dep[0], 2);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
    assert_int_equal(r.size_bytes, 8);
    assert_int_equal(r.present & DEP_HAS_FLAGS, 0);
    assert_int_equal(r.reg_dep_count, 2);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
    assert_int_equal(r.reg_dep[0], 4);
    assert_int_equal(r.present, DEP_HAS_PC | DEP_HAS_WEIGHT);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_END);
    ascii_reader_close(reader);

    reader = open_text("r,64,4,100\nw,64,4,256,200\n7,r,64,4,256,300,9\n");
    assert_int_equal(ascii_reader_kind(reader), INPUT_PACKET_TRACE);
    assert_int_equal(ascii_next_packet(reader, &p, &error), ASCII_RECORD);
    assert_int_equal(p.tick, 100);
    assert_int_equal(p.present, 0);
    assert_int_equal(ascii_next_packet(reader, &p, &error), ASCII_RECORD);
    assert_int_equal(p.tick, 200);
    assert_int_equal(p.cmd, 4);
    assert_int_equal(p.present, PACKET_HAS_FLAGS);
    assert_int_equal(ascii_next_packet(reader, &p, &error), ASCII_RECORD);
    assert_int_equal(p.pkt_id, 7);
    assert_int_equal(p.pc, 9);
    assert_int_equal(p.present, 7);
    assert_int_equal(ascii_next_packet(reader, &p, &error), ASCII_END);
    ascii_reader_close(reader);
}

/* text, what the error says: in ascii_reader_open or at the first or second record */
static void errors_name_the_line(void **state)
{
    static const struct { const char *text, *line, *part; } cases[] = {
        {"", "", "holds no records"},
        {"gem5xxxxxx", "", "is a trace already"},
        {"# rubato dependency trace\n# tick_freq 1\n# window_size 2\n1,1,1,COMP,1::\n", "line 4", "obj_id"},
        {"# rubato dependency trace\n# obj_id \"\"\n# tick_freq 1\n1,1,1,COMP,1::\n", "line 4", "window_size N"},
        {"# rubato packet trace\n# obj_id \"\"\n# tick_freq x\n", "line 3", "tick_freq"},
        {"# rubato packet trace\n# obj_id \"a\\xg0\"\n", "line 2", "hexadecimal"},
        {"# rubato packet trace\n# obj_id \"a\n", "line 2", "closing quote"},
        {"1,1,1,COMP,1::\n1,1,1,COMP,1::\n", "line 2", "seq_num 1 follows 1"},
        {"5,1,1,COMP,1:,5:\n", "line 1", "the record itself"},
        {"5,1,1,COMP,1::,6\n", "line 1", "a later one"},
        {"5,1,1,LOOP,1::\n", "line 1", "INVALID, LOAD, STORE or COMP"},
        {"5,1,1,COMP,1:\n", "line 1", "colon"},
        {"5,1,1,COMP::\n", "line 1", "comp_delay"},
        {"5,1,1,COMP,-::\n", "line 1", "comp_delay"},
        {"5,1,1,COMP,1::,4x\n", "line 1", "\"x\""},
        {"5,1,1,COMP,1::,-4\n", "line 1", "reg_dep"},
        {"5,1,4294967296,COMP,1::\n", "line 1", "weight is too large"},
        {"18446744073709551616,1,1,COMP,1::\n", "line 1", "seq_num is too large"},
        {"5,1,1,LOAD,1,4294967296,0,1::\n", "line 1", "size is too large"},
        {"r,1,2,9\nr,1,2,8\n", "line 2", "tick 8 follows 9"},
        {"u,1,2,9\n", "line 1", "number of the command"},
        {"x,1,2,9\n", "line 1", "command"},
        {"r,1,9\n", "line 1", "addr, size and tick"},
        {"r,1,2,3,4,5,6\n", "line 1", "end of the line"},
        {"r,-,2,3\n", "line 1", "is -"},
        {"{\"kind\":\"packet trace\"}\n", "line 1", "expected"}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *const file = fopen(path, "w");
        struct fault error = fault_none();
        struct ascii_reader *reader;
        enum ascii_step step = ASCII_RECORD;
        struct dep_record dep;
        struct packet_record packet;

        assert_non_null(file);
        assert_true(fputs(cases[i].text, file) >= 0 && fclose(file) == 0);
        reader = ascii_reader_open(path, &error);
        for (int record = 0; reader != NULL && record < 3 && step == ASCII_RECORD; record++)
            step = ascii_reader_kind(reader) == INPUT_DEP_TRACE ? ascii_next_dep(reader, &dep, &error)
                                                                : ascii_next_packet(reader, &packet, &error);
        if (reader != NULL && step != ASCII_ERROR)
            fail_msg("accepted: %s", cases[i].text);
        if (strstr(fault_text(error), cases[i].line) == NULL || strstr(fault_text(error), cases[i].part) == NULL)
            fail_msg("expected \"%s\" and \"%s\" in: %s", cases[i].line, cases[i].part, fault_text(error));
        ascii_reader_close(reader);
    }
}

/* A line longer than the stream's block */
static void reads_long_lines(void **state)
{
    size_t const count = 200000;
    char *const text = malloc(64 + 2 * count);
    struct fault error = fault_none();
    struct ascii_reader *reader;
    struct dep_record r;
    size_t length;

    assert_non_null(text);
    length = (size_t)sprintf(text, "9,1,1,COMP,1:");
    for (size_t i = 0; i < count; i++) {
        text[length++] = ',';
        text[length++] = (char)('0' + i % 9);
    }
    strcpy(text + length, ":\n");
    reader = open_text(text);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_RECORD);
    assert_int_equal(r.rob_dep_count, count);
    assert_int_equal(r.rob_dep[count - 1], (count - 1) % 9);
    assert_int_equal(ascii_next_dep(reader, &r, &error), ASCII_END);
    ascii_reader_close(reader);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_gem5_form), cmocka_unit_test(prints_full_form), cmocka_unit_test(prints_json),
        cmocka_unit_test(prints_packets), cmocka_unit_test(full_form_is_read_back), cmocka_unit_test(packets_come_back),
        cmocka_unit_test(reads_gem5_form), cmocka_unit_test(errors_name_the_line), cmocka_unit_test(reads_long_lines)
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
