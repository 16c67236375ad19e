/* proto/macsim/record.h: a sample of each of the eight layouts, laid out byte by byte from the tables of macsim-traces
 * 2.1 to 2.3, C80 and G72 there and back, fields that cannot be. */
#include <unistd.h>

#include "proto/macsim/record.h"
#include "proto/macsim/macsim_stream.h"
#include "tests/support/macsim_writer.h"
#include "tests/support/unit.h"

/* Padding and unused slots hold anything. */
enum { GARBAGE = 0xa5 };

/* A field as the specification's table has it: offset, bytes, value. */
struct field {
    unsigned at, bytes;
    uint64_t value;
};

static void lay_out(uint8_t *bytes, size_t size, const struct field *fields, size_t count)
{
    memset(bytes, GARBAGE, size);
    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < fields[i].bytes; b++)
            bytes[fields[i].at + b] = (uint8_t)(fields[i].value >> 8 * b);
}

#define LAY_OUT(bytes, layout, fields) \
    do { \
        assert_int_equal(sizeof bytes, macsim_layout_bytes(layout)); \
        lay_out(bytes, sizeof bytes, fields, sizeof fields / sizeof fields[0]); \
    } while (0)

/* What all CPU samples hold: 3 sources, 2 destinations, and so on; addresses as wide as the layout has them. */
static void expect_cpu(const struct macsim_cpu_record *record, uint64_t high, unsigned opcode, unsigned size,
                       unsigned loads, unsigned wide)
{
    assert_int_equal(record->source_count, 3);
    assert_int_equal(record->destination_count, 2);
    assert_int_equal(record->sources[0], 0x11 + wide);
    assert_int_equal(record->sources[1], 0x12 + wide);
    assert_int_equal(record->sources[2], 0x13 + wide);
    assert_int_equal(record->destinations[0], 0x21 + wide);
    assert_int_equal(record->destinations[1], 0x22 + wide);
    assert_int_equal(record->cf, MACSIM_CF_CONDITIONAL);
    assert_true(record->has_immediate);
    assert_int_equal(record->opcode, opcode);
    assert_true(record->has_store);
    assert_false(record->is_fp);
    assert_true(record->writes_flags);
    assert_int_equal(record->load_count, loads);
    assert_int_equal(record->size, size);
    assert_true(record->load[0] == (high | 0x10010001));
    assert_true(record->load[1] == (high | 0x20020002));
    assert_true(record->store == (high | 0x30030003));
    assert_true(record->pc == (high | 0x40040004));
    assert_true(record->target == (high | 0x50050005));
    assert_int_equal(record->bytes_read, 8);
    assert_int_equal(record->bytes_written, 4);
    assert_int_equal(record->repeat_direction, 1);
    assert_true(record->taken);
}

#define HIGH UINT64_C(0x7fff000000000000)

static void expect_plausible(enum macsim_layout layout, enum macsim_dialect dialect, const uint8_t *bytes)
{
    struct macsim_format const format = {layout, dialect, MACSIM_REG_NONE, macsim_layout_is_gpu(layout)};
    char text[120] = "";

    if (macsim_record_fault(&format, bytes, text, sizeof text))
        fail_msg("%s: %s", macsim_layout_name(layout), text);
}

static void c52(void **state)
{
    struct field const fields[] = {
        {0, 1, 3}, {1, 1, 2}, {2, 1, 0x11}, {3, 1, 0x12}, {4, 1, 0x13}, {11, 1, 0x21}, {12, 1, 0x22}, {17, 1, 2},
        {18, 1, 1}, {19, 1, 9}, {20, 1, 1}, {21, 1, 0}, {22, 1, 1}, {23, 1, 2}, {24, 1, 6}, {28, 4, 0x10010001},
        {32, 4, 0x20020002}, {36, 4, 0x30030003}, {40, 4, 0x40040004}, {44, 4, 0x50050005}, {48, 1, 8}, {49, 1, 4},
        {50, 1, 1}, {51, 1, 1},
    };
    struct macsim_cpu_record record;
    uint8_t bytes[52];

    LAY_OUT(bytes, MACSIM_C52, fields);
    macsim_decode_cpu(MACSIM_C52, bytes, &record);
    expect_cpu(&record, 0, 9, 6, 2, 0);
    assert_int_equal(record.store_count, 1);
    expect_plausible(MACSIM_C52, MACSIM_X86_2012A, bytes);
    assert_string_equal(macsim_opcode_name(MACSIM_X86_2011A, record.opcode), "DATAXFER");
}

static struct field const c80_fields[] = {
    {0, 1, 3}, {1, 1, 2}, {2, 1, 0x11}, {3, 1, 0x12}, {4, 1, 0x13}, {11, 1, 0x21}, {12, 1, 0x22}, {17, 1, 2},
    {18, 1, 1}, {19, 1, 27}, {20, 1, 1}, {21, 1, 0}, {22, 1, 1}, {23, 1, 2}, {24, 1, 6}, {32, 8, HIGH | 0x10010001},
    {40, 8, HIGH | 0x20020002}, {48, 8, HIGH | 0x30030003}, {56, 8, HIGH | 0x40040004}, {64, 8, HIGH | 0x50050005},
    {72, 1, 8}, {73, 1, 4}, {74, 1, 1}, {75, 1, 1},
};

static void c80(void **state)
{
    struct macsim_cpu_record record;
    uint8_t bytes[80];

    LAY_OUT(bytes, MACSIM_C80, c80_fields);
    macsim_decode_cpu(MACSIM_C80, bytes, &record);
    expect_cpu(&record, HIGH, 27, 6, 2, 0);
    assert_null(record.tile_rows);
    expect_plausible(MACSIM_C80, MACSIM_X86_PIN313, bytes);
    assert_string_equal(macsim_opcode_name(MACSIM_X86_PIN313, record.opcode), "COND_BR");
}

static void c88(void **state)
{
    struct field const fields[] = {
        {0, 1, 3}, {1, 1, 2}, {2, 2, 0x111}, {4, 2, 0x112}, {6, 2, 0x113}, {20, 2, 0x121}, {22, 2, 0x122}, {32, 1, 2},
        {33, 1, 1}, {34, 1, 25}, {35, 1, 1}, {36, 1, 0}, {37, 1, 1}, {38, 1, 2}, {39, 1, 6},
        {40, 8, HIGH | 0x10010001}, {48, 8, HIGH | 0x20020002}, {56, 8, HIGH | 0x30030003},
        {64, 8, HIGH | 0x40040004}, {72, 8, HIGH | 0x50050005}, {80, 1, 8}, {81, 1, 4}, {82, 1, 1}, {83, 1, 1},
    };
    struct macsim_cpu_record record;
    uint8_t bytes[88];

    LAY_OUT(bytes, MACSIM_C88, fields);
    macsim_decode_cpu(MACSIM_C88, bytes, &record);
    expect_cpu(&record, HIGH, 25, 6, 2, 0x100);
    expect_plausible(MACSIM_C88, MACSIM_X86_PIN37, bytes);
    assert_string_equal(macsim_opcode_name(MACSIM_X86_PIN37, record.opcode), "COND_BR");
}

static void a80(void **state)
{
    struct field const fields[] = {
        {0, 1, 3}, {1, 1, 2}, {2, 1, 0x11}, {3, 1, 0x12}, {4, 1, 0x13}, {11, 1, 0x21}, {12, 1, 0x22}, {17, 1, 2},
        {18, 1, 1}, {20, 2, 451}, {22, 1, 1}, {23, 1, 0}, {24, 1, 1}, {25, 1, 1}, {26, 1, 4},
        {32, 8, HIGH | 0x10010001}, {40, 8, HIGH | 0x20020002}, {48, 8, HIGH | 0x30030003},
        {56, 8, HIGH | 0x40040004}, {64, 8, HIGH | 0x50050005}, {72, 1, 8}, {73, 1, 4}, {74, 1, 1}, {75, 1, 1},
    };
    struct macsim_cpu_record record;
    uint8_t bytes[80];

    LAY_OUT(bytes, MACSIM_A80, fields);
    macsim_decode_cpu(MACSIM_A80, bytes, &record);
    expect_cpu(&record, HIGH, 451, 4, 1, 0);
    expect_plausible(MACSIM_A80, MACSIM_A64, bytes);
    assert_string_equal(macsim_opcode_name(MACSIM_A64, record.opcode), "TLBI");
}

static void c464(void **state)
{
    struct field const fields[] = {
        {0, 1, 3}, {1, 1, 2}, {2, 1, 0x11}, {3, 1, 0x12}, {4, 1, 0x13}, {11, 1, 0x21}, {12, 1, 0x22}, {17, 1, 2},
        {18, 1, 1}, {19, 1, 4}, {20, 1, 1}, {21, 1, 0}, {22, 1, 1}, {23, 1, 16}, {24, 1, 32}, {25, 1, 8},
        {32, 8, 0x8000000000000001}, {32 + 8 * 16, 8, 0x2222}, {32 + 8 * 47, 8, 0x3333},
        {416, 8, HIGH | 0x10010001}, {424, 8, HIGH | 0x20020002}, {432, 8, HIGH | 0x30030003},
        {440, 8, HIGH | 0x40040004}, {448, 8, HIGH | 0x50050005}, {456, 1, 8}, {457, 1, 4}, {458, 1, 1}, {459, 1, 1},
    };
    struct macsim_cpu_record record;
    uint8_t bytes[464];

    LAY_OUT(bytes, MACSIM_C464, fields);
    macsim_decode_cpu(MACSIM_C464, bytes, &record);
    expect_cpu(&record, HIGH, 4, 8, 16, 0);
    assert_int_equal(record.store_count, 32);
    assert_true(macsim_tile_row(&record, 0, 0) == UINT64_C(0x8000000000000001));
    assert_true(macsim_tile_row(&record, 1, 0) == 0x2222);
    assert_true(macsim_tile_row(&record, 2, 15) == 0x3333);
    expect_plausible(MACSIM_C464, MACSIM_X86_AMX2, bytes);
    assert_string_equal(macsim_opcode_name(MACSIM_X86_AMX2, record.opcode), "AMX_TILE");
}

static void expect_gpu(const struct macsim_gpu_record *record, unsigned opcode, unsigned size, unsigned wide)
{
    assert_int_equal(record->opcode, opcode);
    assert_true(record->is_fp);
    assert_true(record->is_load);
    assert_true(record->accesses_memory);
    assert_int_equal(record->source_count, 2);
    assert_int_equal(record->destination_count, 1);
    assert_int_equal(record->sources[0], 0x31 + wide);
    assert_int_equal(record->sources[1], 0x32 + wide);
    assert_int_equal(record->destinations[0], 0x41 + wide);
    assert_int_equal(record->size, size);
    assert_int_equal(record->active_mask, 0x80000001);
    assert_true(record->pc == HIGH + 0x1f40);
    assert_true(record->target == HIGH + 0x2000);
    assert_true(record->address == HIGH + 0x40000);
    assert_int_equal(record->access_bytes, 4);
    assert_int_equal(record->barrier_threads, 0x1234);
    assert_int_equal(record->space, 2);
    assert_int_equal(record->cache_level, 1);
    assert_int_equal(record->cache_operator, 3);
}

static void g64(void **state)
{
    struct field const fields[] = {
        {0, 1, 136}, {1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {4, 1, 2}, {5, 1, 1}, {6, 1, 0x31}, {7, 1, 0x32}, {15, 1, 0x41},
        {21, 1, 4}, {24, 4, 0x80000001}, {28, 4, 0x0f}, {32, 8, HIGH + 0x1f40}, {40, 8, HIGH + 0x2000},
        {48, 8, HIGH + 0x40000}, {56, 1, 4}, {58, 2, 0x1234}, {60, 1, 2}, {61, 1, 1}, {62, 1, 3},
    };
    struct macsim_format const format = {MACSIM_G64, MACSIM_PTX_V131, MACSIM_REG_PTX_200, true};
    struct macsim_gpu_record record;
    uint8_t bytes[64];

    LAY_OUT(bytes, MACSIM_G64, fields);
    macsim_decode_gpu(&format, bytes, &record);
    expect_gpu(&record, 136, 4, 0);
    assert_int_equal(record.taken_mask, 0x0f);
    expect_plausible(MACSIM_G64, MACSIM_PTX_V131, bytes);
}

static struct field const g72_fields[] = {
    {0, 1, 140}, {1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {4, 1, 2}, {5, 1, 1}, {6, 2, 0x631}, {8, 2, 0x632}, {16, 2, 0x641},
    {24, 1, 4}, {28, 4, 0x80000001}, {32, 4, 0x0f}, {40, 8, HIGH + 0x1f40}, {48, 8, HIGH + 0x2000},
    {56, 8, HIGH + 0x40000}, {64, 1, 4}, {66, 2, 0x1234}, {68, 1, 2}, {69, 1, 1}, {70, 1, 3},
};

static void g72(void **state)
{
    struct macsim_format const format = {MACSIM_G72, MACSIM_PTX_V14, MACSIM_REG_PTX_1551, true};
    struct macsim_gpu_record record;
    uint8_t bytes[72];

    LAY_OUT(bytes, MACSIM_G72, g72_fields);
    macsim_decode_gpu(&format, bytes, &record);
    expect_gpu(&record, 140, 4, 0x600);
    assert_int_equal(record.taken_mask, 0x0f);
    assert_true(record.reconvergence == 0);
    expect_plausible(MACSIM_G72, MACSIM_PTX_V14, bytes);
    /* a branch: the address is that of re-convergence */
    bytes[0] = 21;
    bytes[2] = 0;
    bytes[3] = MACSIM_CF_CONDITIONAL;
    macsim_decode_gpu(&format, bytes, &record);
    assert_false(record.accesses_memory);
    assert_true(record.reconvergence == HIGH + 0x40000);
    assert_true(record.address == 0);
}

static void n64(void **state)
{
    struct field const fields[] = {
        {0, 1, 73}, {1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {4, 1, 2}, {5, 1, 1}, {6, 2, 0x31}, {8, 2, 0x32}, {14, 2, 0x41},
        {22, 1, 16}, {24, 4, 0x80000001}, {28, 4, 0}, {32, 8, HIGH + 0x1f40}, {40, 8, HIGH + 0x2000},
        {48, 8, HIGH + 0x40000}, {56, 1, 4}, {58, 2, 0x1234}, {60, 1, 2}, {61, 1, 1}, {62, 1, 3},
    };
    struct macsim_format const format = {MACSIM_N64, MACSIM_NVBIT, MACSIM_REG_SASS, true};
    struct macsim_gpu_record record;
    uint8_t bytes[64];

    LAY_OUT(bytes, MACSIM_N64, fields);
    macsim_decode_gpu(&format, bytes, &record);
    expect_gpu(&record, 73, 16, 0);
    expect_plausible(MACSIM_N64, MACSIM_NVBIT, bytes);
    /* 255 is "not known" */
    bytes[0] = bytes[3] = bytes[4] = bytes[5] = 255;
    expect_plausible(MACSIM_N64, MACSIM_NVBIT, bytes);
    macsim_decode_gpu(&format, bytes, &record);
    assert_int_equal(record.cf, 0);
    assert_int_equal(record.source_count, 0);
    assert_int_equal(record.destination_count, 0);
}

/* 2.2, last paragraph: masks are in the address fields */
static void ptx_in_c52(void **state)
{
    struct field const fields[] = {
        {0, 1, 2}, {1, 1, 1}, {2, 1, 0x31}, {3, 1, 0x32}, {11, 1, 0x41}, {17, 1, 2}, {18, 1, 0}, {19, 1, 124},
        {20, 1, 0}, {21, 1, 0}, {22, 1, 0}, {23, 1, 0}, {24, 1, 4}, {28, 4, 0xff}, {32, 4, 0xffff}, {36, 4, 0x2100},
        {40, 4, 0x1f40}, {44, 4, 0x2000}, {48, 1, 0}, {49, 1, 0}, {50, 1, 0}, {51, 1, 1},
    };
    struct macsim_format const format = {MACSIM_C52, MACSIM_X86_2012B, MACSIM_REG_PTX_200, true};
    struct macsim_gpu_record record;
    uint8_t bytes[52];

    LAY_OUT(bytes, MACSIM_C52, fields);
    macsim_decode_gpu(&format, bytes, &record);
    assert_int_equal(record.active_mask, 0xffff);
    assert_int_equal(record.taken_mask, 0xff);
    assert_true(record.reconvergence == 0x2100);
    assert_false(record.accesses_memory);
    assert_int_equal(macsim_ptx_op(MACSIM_X86_2012B, record.opcode), MACSIM_PTX_BRA);
}

/* --- there and back ----------------------------------------------------------------------------------------------- */

static void c80_there_and_back(void **state)
{
    struct macsim_cpu_record record, again;
    uint8_t bytes[80], written[80];

    LAY_OUT(bytes, MACSIM_C80, c80_fields);
    for (size_t i = 0; i < 80; i++)      /* what the writer sets to 0 */
        if (bytes[i] == GARBAGE)
            bytes[i] = 0;
    macsim_decode_cpu(MACSIM_C80, bytes, &record);
    macsim_encode_c80(&record, written);
    assert_memory_equal(written, bytes, 80);
    macsim_decode_cpu(MACSIM_C80, written, &again);
    expect_cpu(&again, HIGH, 27, 6, 2, 0);
}

/* Through a file each, gzip and plain. */
static void g72_there_and_back(void **state)
{
    struct macsim_format const format = {MACSIM_G72, MACSIM_PTX_V14, MACSIM_REG_PTX_1551, true};
    char path[] = "/tmp/rubato-macsim-XXXXXX";
    struct macsim_gpu_record record, again;
    struct macsim_source const source = {.path = path};
    struct fault error;
    uint8_t bytes[72];
    int const file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    LAY_OUT(bytes, MACSIM_G72, g72_fields);
    macsim_decode_gpu(&format, bytes, &record);
    record.has_lanes = true;
    for (unsigned lane = 0; lane < MACSIM_LANES; lane++)
        record.lanes[lane] = lane % 3 == 0 ? 0 : UINT64_C(0x100000000) * (lane + 1);
    record.lanes[0] = record.address;
    for (int gzip = 0; gzip < 2; gzip++) {
        struct sink *const sink = sink_open_bytes(path, gzip == 1, &error);
        struct macsim_stream stream;

        assert_non_null(sink);
        for (unsigned i = 0; i < 3; i++) {
            record.pc = 8000 + 8 * i;
            assert_true(macsim_write_gpu(sink, &record, &error));
        }
        assert_true(WORKS(error, sink_close(sink)));
        assert_true(WORKS(error, macsim_stream_open(&stream, &source, &format)));
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(macsim_stream_next_gpu(&stream, &again, &error), MACSIM_RECORD);
            assert_true(again.pc == 8000 + 8 * i);
            assert_memory_equal(again.lanes, record.lanes, sizeof record.lanes);
            assert_int_equal(again.active_mask, record.active_mask);
            assert_memory_equal(again.sources, record.sources, 2 * sizeof record.sources[0]);
            assert_int_equal(again.barrier_threads, record.barrier_threads);
            assert_int_equal(again.cache_operator, record.cache_operator);
        }
        assert_int_equal(macsim_stream_next_gpu(&stream, &again, &error), MACSIM_END);
        assert_int_equal(stream.records, 15);
        assert_int_equal(stream.instructions, 3);
        assert_int_equal(stream.faulty, 0);
        macsim_stream_close(&stream);
    }
    remove(path);
}

/* --- what cannot be ----------------------------------------------------------------------------------------------- */

static void expect_oddity(size_t at, unsigned value, enum macsim_oddity oddity, const char *expected)
{
    struct macsim_format const format = {MACSIM_C80, MACSIM_X86_PIN313, MACSIM_REG_PIN313, false};
    char text[120] = "nothing";
    uint8_t bytes[80];

    lay_out(bytes, sizeof bytes, c80_fields, sizeof c80_fields / sizeof c80_fields[0]);
    bytes[at] = (uint8_t)value;
    assert_int_equal(macsim_record_fault(&format, bytes, text, sizeof text), oddity);
    assert_string_equal(text, expected);
}

static void expect_fault(size_t at, unsigned value, const char *expected)
{
    expect_oddity(at, value, MACSIM_ODD_FIELD, expected);
}

static void faults_name_field_and_range(void **state)
{
    struct macsim_cpu_record record;
    uint8_t bytes[80];

    expect_fault(0, 10, "number of source registers is 10, expected 0 to 9");
    expect_fault(1, 7, "number of destination registers is 7, expected 0 to 6");
    expect_fault(17, 10, "control-flow type is 10, expected 0 to 9");
    expect_fault(20, 2, "has store is 2, expected 0 to 1");
    expect_fault(23, 3, "number of loads is 3, expected 0 to 2");
    expect_fault(24, 0, "instruction size is 0, expected 1 to 15");
    expect_fault(24, 16, "instruction size is 16, expected 1 to 15");
    expect_oddity(75, 255, MACSIM_ODD_FLAG, "taken is 255, expected 0 to 1");
    expect_oddity(18, 7, MACSIM_ODD_FLAG, "has immediate is 7, expected 0 to 1");
    expect_oddity(21, 2, MACSIM_ODD_FLAG, "is floating point is 2, expected 0 to 1");
    expect_oddity(22, 36, MACSIM_ODD_FLAG, "writes flags is 36, expected 0 to 1");
    expect_oddity(74, 2, MACSIM_ODD_FLAG, "repeat direction is 2, expected 0 to 1");
    /* 16 loads are those of a tile, whose opcode is 4 in all tables that have it */
    lay_out(bytes, sizeof bytes, c80_fields, sizeof c80_fields / sizeof c80_fields[0]);
    bytes[19] = 4;
    bytes[23] = 32;
    expect_plausible(MACSIM_C80, MACSIM_X86_AMX1, bytes);
    /* counts above the arrays are cut */
    lay_out(bytes, sizeof bytes, c80_fields, sizeof c80_fields / sizeof c80_fields[0]);
    bytes[0] = bytes[1] = 255;
    macsim_decode_cpu(MACSIM_C80, bytes, &record);
    assert_int_equal(record.source_count, MACSIM_MAX_SOURCES);
    assert_int_equal(record.destination_count, MACSIM_MAX_DESTINATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c52), cmocka_unit_test(c80), cmocka_unit_test(c88), cmocka_unit_test(a80),
        cmocka_unit_test(c464), cmocka_unit_test(g64), cmocka_unit_test(g72), cmocka_unit_test(n64),
        cmocka_unit_test(ptx_in_c52), cmocka_unit_test(c80_there_and_back), cmocka_unit_test(g72_there_and_back),
        cmocka_unit_test(faults_name_field_and_range)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
