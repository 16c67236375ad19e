/* proto/macsim/macsim_stream.h and proto/macsim/detect.h: streams of all layouts are recognised and read; all records
 * of a GPU instruction come with it; a truncated stream is reported. */
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "proto/macsim/detect.h"
#include "proto/macsim/macsim_stream.h"
#include "tests/support/macsim_samples.h"
#include "tests/support/unit.h"

struct kind_of_stream {
    enum macsim_layout layout;
    enum macsim_dialect opcodes;
};

static struct kind_of_stream const kinds[] = {
    {MACSIM_C80, MACSIM_X86_PIN313}, {MACSIM_C80, MACSIM_X86_PIN212}, {MACSIM_C80, MACSIM_X86_AMX1},
    {MACSIM_C88, MACSIM_X86_PIN37}, {MACSIM_C52, MACSIM_X86_2012A}, {MACSIM_C52, MACSIM_X86_2011A},
    {MACSIM_A80, MACSIM_A64}, {MACSIM_C464, MACSIM_X86_AMX2}, {MACSIM_G64, MACSIM_PTX_V131},
    {MACSIM_G72, MACSIM_PTX_V131}, {MACSIM_G72, MACSIM_PTX_V14}, {MACSIM_N64, MACSIM_NVBIT},
};

static struct macsim_format format_of(enum macsim_layout layout, enum macsim_dialect opcodes)
{
    return (struct macsim_format){layout, opcodes, MACSIM_REG_NONE, macsim_layout_is_gpu(layout)};
}

static struct macsim_source memory(const struct sample *sample)
{
    return (struct macsim_source){.path = "sample", .data = sample->bytes, .size = sample->length};
}

/* Without a header, by the bytes alone. */
static void detects_layouts_and_opcodes(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct macsim_detection detection;
        struct sample sample = {0};
        struct fault error;

        sample_make(&sample, kinds[i].layout, kinds[i].opcodes, 50, SAMPLE_DATA);

        struct macsim_source const source = memory(&sample);

        if (FAILS(error, macsim_detect(&detection, &source, 1, NULL, NULL)))
            fail_msg("%s: %s", macsim_dialect_name(kinds[i].opcodes), fault_text(error));
        if (detection.format.layout != kinds[i].layout || detection.format.opcodes != kinds[i].opcodes)
            fail_msg("%s/%s was taken for %s/%s", macsim_layout_name(kinds[i].layout),
                     macsim_dialect_name(kinds[i].opcodes), macsim_layout_name(detection.format.layout),
                     macsim_dialect_name(detection.format.opcodes));
        assert_true(detection.layouts[kinds[i].layout].fits == detection.layouts[kinds[i].layout].records);
        assert_true(detection.dialects[kinds[i].opcodes].contradict == 0);
        sample_free(&sample);
    }
}

/* 2.4: PC order decides only between layouts that fit equally; records out of order are recognised all the same */
static void pc_order_is_no_rule(void **state)
{
    struct macsim_detection detection;
    struct sample sample = {0};
    struct fault error;

    for (unsigned i = 0; i < 100; i++)
        sample_cpu_record(&sample, MACSIM_C464, MACSIM_X86_AMX2, i % 4, SAMPLE_PC + 4096 * (uint64_t)(i * 37 % 100),
                          false, SAMPLE_DATA);

    struct macsim_source const source = memory(&sample);

    assert_true(WORKS(error, macsim_detect(&detection, &source, 1, NULL, NULL)));
    assert_int_equal(detection.format.layout, MACSIM_C464);
    assert_int_equal(detection.layouts[MACSIM_C464].pc_follows, 0);
    sample_free(&sample);
}

static void refuses_unknown_layouts(void **state)
{
    uint8_t noise[4000];
    struct macsim_source source = {.path = "noise", .data = noise, .size = sizeof noise};
    struct macsim_detection detection;
    struct fault error;
    uint32_t number = 1;

    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)((number = number * 1103515245 + 12345) >> 16);
    assert_false(WORKS(error, macsim_detect(&detection, &source, 1, NULL, NULL)));
    assert_non_null(strstr(fault_text(error), "noise: no record layout fits: the best, "));
    assert_non_null(strstr(fault_text(error), "expected at least 90 %; --format LAYOUT sets it"));
    source.size = 0;
    assert_false(WORKS(error, macsim_detect(&detection, &source, 1, NULL, NULL)));
    assert_non_null(strstr(fault_text(error), "0 bytes are too few to tell the layout"));
}

/* The header's word goes first, until the bytes contradict it. */
static void header_against_bytes(void **state)
{
    struct macsim_header header = {.kind = MACSIM_KIND_X86, .version = "1.3"};
    struct macsim_override override = {.has_dialect = true, .dialect = MACSIM_X86_PIN313};
    struct macsim_detection detection;
    struct sample sample = {0};
    struct fault error;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_AMX1, 50, SAMPLE_DATA);

    struct macsim_source const source = memory(&sample);

    assert_true(WORKS(error, macsim_detect(&detection, &source, 1, &header, NULL)));
    assert_true(detection.by_header);
    assert_int_equal(detection.format.opcodes, MACSIM_X86_AMX1);
    assert_non_null(strstr(detection.warning, "the header stands for x86-pin313, which "));
    assert_true(WORKS(error, macsim_detect(&detection, &source, 1, &header, &override)));
    assert_true(detection.by_user);
    assert_int_equal(detection.format.opcodes, MACSIM_X86_PIN313);
    sample_free(&sample);
    sample_make(&sample, MACSIM_C464, MACSIM_X86_AMX2, 50, SAMPLE_DATA);

    struct macsim_source const larger = memory(&sample);

    assert_true(WORKS(error, macsim_detect(&detection, &larger, 1, &header, NULL)));
    assert_int_equal(detection.format.layout, MACSIM_C464);
    assert_non_null(strstr(detection.warning, "the header stands for C80, which "));
    sample_free(&sample);
}

/* Tiles in records of 80 bytes: 16 loads are one of the AMX tables', NOP and branches say of which. */
static void tiles_in_c80(void **state)
{
    enum macsim_dialect const tables[] = {MACSIM_X86_AMX1, MACSIM_X86_AMX2, MACSIM_X86_AMX3};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct macsim_header header = {.kind = MACSIM_KIND_X86, .version = "1.3"};
        struct macsim_detection detection;
        struct sample sample = {0};
        struct fault error;

        sample_make(&sample, MACSIM_C80, tables[i], 20, SAMPLE_DATA);
        for (size_t at = 0; at < sample.length; at += (size_t)SAMPLE_LOOP * 80) {
            sample.bytes[at + 19] = (uint8_t)sample_opcode(tables[i], i == 0 ? "AMX" : "AMX_TILE");
            sample.bytes[at + 23] = i == 1 ? 32 : 16;
        }

        struct macsim_source const source = memory(&sample);

        assert_true(WORKS(error, macsim_detect(&detection, &source, 1, &header, NULL)));
        assert_int_equal(detection.format.layout, MACSIM_C80);
        assert_int_equal(detection.format.opcodes, tables[i]);
        assert_true(detection.dialects[MACSIM_X86_PIN313].contradict >= 20);
        assert_true(detection.layouts[MACSIM_C80].fits == detection.layouts[MACSIM_C80].records);
        sample_free(&sample);
    }
}

/* Flags of garbage: refused with the reason, read with --format. */
static void garbage_in_flags(void **state)
{
    struct macsim_header header = {.kind = MACSIM_KIND_X86, .version = "1.3"};
    struct macsim_override override = {.has_layout = true, .layout = MACSIM_C80};
    struct macsim_detection detection;
    struct sample sample = {0};
    struct fault error;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, 20, SAMPLE_DATA);
    for (size_t at = 0; at < sample.length; at += 80)
        sample.bytes[at + 22] = (uint8_t)(2 + at / 80);

    struct macsim_source const source = memory(&sample);

    assert_false(WORKS(error, macsim_detect(&detection, &source, 1, &header, NULL)));
    assert_non_null(strstr(fault_text(error),
                           "C80 fits but for flags that are neither 0 nor 1 (first: writes flags is 2, "
                           "expected 0 to 1)"));
    assert_non_null(strstr(fault_text(error), "--format C80 takes all that are not 0 as 1"));
    assert_true(WORKS(error, macsim_detect(&detection, &source, 1, &header, &override)));
    assert_int_equal(detection.format.opcodes, MACSIM_X86_PIN313);
    assert_true(detection.layouts[MACSIM_C80].fits == 0);
    override.layout = MACSIM_C88;
    assert_false(WORKS(error, macsim_detect(&detection, &source, 1, &header, &override)));
    sample_free(&sample);
}

static void overrides(void **state)
{
    struct macsim_override override;
    char problem[600];

    assert_true(macsim_override_parse(&override, "c80", problem, sizeof problem));
    assert_true(override.has_layout && !override.has_dialect && override.layout == MACSIM_C80);
    assert_true(macsim_override_parse(&override, "G72/ptx-v131", problem, sizeof problem));
    assert_true(override.has_layout && override.has_dialect && override.dialect == MACSIM_PTX_V131);
    assert_true(macsim_override_parse(&override, "ged-2017", problem, sizeof problem));
    assert_true(!override.has_layout && override.dialect == MACSIM_GED_2017);
    assert_false(macsim_override_parse(&override, "C81", problem, sizeof problem));
    assert_non_null(strstr(problem, "expected a layout (C52, "));
    assert_false(macsim_override_parse(&override, "N64/x86-pin313", problem, sizeof problem));
    assert_string_equal(problem, "records of N64 have no opcodes of x86-pin313");
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void open_memory(struct macsim_stream *stream, const struct sample *sample, enum macsim_layout layout,
                        enum macsim_dialect opcodes)
{
    struct macsim_format const format = format_of(layout, opcodes);
    struct macsim_source const source = memory(sample);
    struct fault error;

    assert_true(WORKS(error, macsim_stream_open(stream, &source, &format)));
}

static void address_records_belong_to_their_instruction(void **state)
{
    struct macsim_gpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;

    sample_gpu_record(&sample, MACSIM_G64, MACSIM_PTX_V131, "MEM_LD_SM", 8000, 1, 0, 0, false, 0x80000002, 0x40000);
    sample_gpu_record(&sample, MACSIM_G64, MACSIM_PTX_V131, "EXIT", 8008, 0, 0, 8, false, 0x80000002, 0);
    open_memory(&stream, &sample, MACSIM_G64, MACSIM_PTX_V131);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_true(record.has_lanes);
    for (unsigned lane = 0; lane < MACSIM_LANES; lane++)
        assert_true(record.lanes[lane] == (lane == 1 ? 0x40004 : lane == 31 ? 0x4007c : 0));
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_false(record.has_lanes);
    assert_true(macsim_stream_offset(&stream) == 5 * 64);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_END);
    assert_int_equal(stream.records, 6);
    assert_int_equal(stream.tail_bytes, 0);
    macsim_stream_close(&stream);
    sample_free(&sample);
}

/* 2.3: children have the opcode and fp = 1 (2026), or are copies of their parent (2024) */
static void children_belong_to_their_parent(void **state)
{
    struct macsim_gpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;

    for (unsigned i = 0; i < 3; i++) {
        sample_gpu_record(&sample, MACSIM_N64, MACSIM_NVBIT, "LDG", 0x10, 1, 0, 0, false, 3, 0x1000 + 128 * i);
        sample.bytes[sample.length - 64 + 1] = i > 0;
    }
    for (unsigned i = 0; i < 2; i++)
        sample_gpu_record(&sample, MACSIM_N64, MACSIM_NVBIT, "STG", 0x20, 0, 1, 0, false, 3, 0x2000 + 128 * i);
    sample_gpu_record(&sample, MACSIM_N64, MACSIM_NVBIT, "STG", 0x30, 0, 1, 0, false, 3, 0x3000);
    sample_gpu_record(&sample, MACSIM_N64, MACSIM_NVBIT, "FADD", 0x40, 0, 0, 0, false, 3, 0);
    sample_gpu_record(&sample, MACSIM_N64, MACSIM_NVBIT, "FADD", 0x40, 0, 0, 0, false, 3, 0);
    open_memory(&stream, &sample, MACSIM_N64, MACSIM_NVBIT);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_int_equal(record.child_count, 2);
    assert_true(record.address == 0x1000 && record.children[0] == 0x1080 && record.children[1] == 0x1100);
    assert_int_equal(record.child_bytes[1], 4);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_int_equal(record.child_count, 1);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_true(record.pc == 0x30 && record.child_count == 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
        assert_int_equal(record.child_count, 0);
    }
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_END);
    assert_int_equal(stream.records, 8);
    assert_int_equal(stream.instructions, 5);
    macsim_stream_close(&stream);
    sample_free(&sample);
}

static void old_ptx_record(struct sample *sample, bool edge, uint32_t mask, uint64_t pc, uint32_t address)
{
    uint8_t *const bytes = sample_more(sample, 52);

    memset(bytes, 0, 52);
    bytes[18] = edge;
    bytes[19] = (uint8_t)macsim_opcode_find(MACSIM_X86_2012B, address != 0 ? "TR_MEM_LD_GM" : "GPU_ADD");
    bytes[23] = address != 0;
    bytes[24] = 4;
    sample_put(bytes + 28, 4, address);
    sample_put(bytes + 32, 4, mask);
    sample_put(bytes + 40, 4, pc);
    bytes[48] = 4;
}

/* 2.2: one record an active lane */
static void lanes_of_old_ptx(void **state)
{
    struct macsim_format format = format_of(MACSIM_C52, MACSIM_X86_2012B);
    struct macsim_gpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;

    old_ptx_record(&sample, true, 0x15, 0x100, 0x1000);
    old_ptx_record(&sample, false, 0x15, 0x100, 0x1008);
    old_ptx_record(&sample, true, 0x15, 0x100, 0x1010);
    old_ptx_record(&sample, false, 0x15, 0x108, 0);

    struct macsim_source const source = memory(&sample);

    format.is_gpu = true;
    assert_true(WORKS(error, macsim_stream_open(&stream, &source, &format)));
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_true(record.has_lanes);
    assert_true(record.lanes[0] == 0x1000 && record.lanes[2] == 0x1008 && record.lanes[4] == 0x1010);
    assert_true(record.lanes[1] == 0 && record.lanes[3] == 0);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_RECORD);
    assert_true(record.pc == 0x108 && !record.has_lanes);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_END);
    macsim_stream_close(&stream);
    sample_free(&sample);
}

/* --- what breaks off ---------------------------------------------------------------------------------------------- */

static void incomplete_last_record(void **state)
{
    struct macsim_cpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;
    char text[400];
    unsigned told = 0;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, 2, SAMPLE_DATA);
    sample.length -= 30;
    open_memory(&stream, &sample, MACSIM_C80, MACSIM_X86_PIN313);
    for (unsigned i = 0; i < 2 * SAMPLE_LOOP - 1; i++)
        assert_int_equal(macsim_stream_next_cpu(&stream, &record, &error), MACSIM_RECORD);
    assert_int_equal(macsim_stream_next_cpu(&stream, &record, &error), MACSIM_END);
    assert_int_equal(stream.tail_bytes, 50);
    assert_true(macsim_stream_warning(&stream, &told, text, sizeof text));
    assert_string_equal(text, "sample: byte 880: the last 50 bytes are no whole instruction of 80-byte records (C80); "
                        "left out");
    assert_false(macsim_stream_warning(&stream, &told, text, sizeof text));
    macsim_stream_close(&stream);
    sample_free(&sample);
}

/* An instruction whose address records are not all there is not given. */
static void incomplete_addresses(void **state)
{
    struct macsim_gpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;

    sample_gpu_record(&sample, MACSIM_G72, MACSIM_PTX_V14, "MEM_LD_GM", 8000, 1, 0, 0, false, UINT32_MAX, 0x40000);
    sample.length -= 72;
    open_memory(&stream, &sample, MACSIM_G72, MACSIM_PTX_V14);
    assert_int_equal(macsim_stream_next_gpu(&stream, &record, &error), MACSIM_END);
    assert_int_equal(stream.tail_bytes, 4 * 72);
    macsim_stream_close(&stream);
    sample_free(&sample);
}

static void odd_fields_are_counted(void **state)
{
    struct macsim_cpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;
    char text[400];
    unsigned told = 0;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, 2, SAMPLE_DATA);
    sample.bytes[80 + 17] = 77;
    sample.bytes[240 + 17] = 78;
    open_memory(&stream, &sample, MACSIM_C80, MACSIM_X86_PIN313);
    while (macsim_stream_next_cpu(&stream, &record, &error) == MACSIM_RECORD)
        continue;
    assert_int_equal(stream.faulty, 2);
    assert_true(macsim_stream_warning(&stream, &told, text, sizeof text));
    assert_string_equal(text, "sample: byte 80: control-flow type is 77, expected 0 to 9 (C80); 2 such records of 12, "
                        "read as they stand; --format sets another layout");
    macsim_stream_close(&stream);
    sample_free(&sample);
}

/* --- gzip, descriptors -------------------------------------------------------------------------------------------- */

static size_t compress_to(uint8_t *to, size_t room, const uint8_t *from, size_t length)
{
    z_stream zlib = {0};
    size_t made;

    assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_in = (uint8_t *)(uintptr_t)from;
    zlib.avail_in = (unsigned)length;
    zlib.next_out = to;
    zlib.avail_out = (unsigned)room;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    made = room - zlib.avail_out;
    deflateEnd(&zlib);
    return made;
}

static void gzip_members_and_their_end(void **state)
{
    struct macsim_format const format = format_of(MACSIM_C80, MACSIM_X86_PIN313);
    struct macsim_source source = {.path = "sample"};
    struct macsim_cpu_record record;
    struct macsim_stream stream;
    struct sample sample = {0};
    struct fault error;
    enum macsim_step step;
    uint8_t packed[20000];
    size_t length;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, 20, SAMPLE_DATA);
    /* two members that part in the middle of a record */
    length = compress_to(packed, sizeof packed, sample.bytes, 1000);
    length += compress_to(packed + length, sizeof packed - length, sample.bytes + 1000, sample.length - 1000);
    source.data = packed;
    source.size = length;
    assert_true(WORKS(error, macsim_stream_open(&stream, &source, &format)));
    while ((step = macsim_stream_next_cpu(&stream, &record, &error)) == MACSIM_RECORD)
        continue;
    assert_int_equal(step, MACSIM_END);
    assert_int_equal(stream.records, 20 * SAMPLE_LOOP);
    macsim_stream_close(&stream);
    source.size = length - 20;
    assert_true(WORKS(error, macsim_stream_open(&stream, &source, &format)));
    while ((step = macsim_stream_next_cpu(&stream, &record, &error)) == MACSIM_RECORD)
        continue;
    assert_int_equal(step, MACSIM_FAILED);
    assert_non_null(strstr(fault_text(error), ": the gzip data breaks off"));
    macsim_stream_close(&stream);
    sample_free(&sample);
}

enum { MANY = 200, LOOPS = 600 };

/* Streams that park: more of them open than files may be, read in turn, each over several buffers; gzip and plain. */
static void many_streams_few_descriptors(void **state)
{
    struct macsim_format const format = format_of(MACSIM_C80, MACSIM_X86_PIN313);
    struct macsim_stream *const streams = calloc(MANY, sizeof *streams);
    char folder[] = "/tmp/rubato-macsim-XXXXXX";
    struct rlimit limit, before;
    struct fault error;
    struct sample sample = {0};
    uint8_t *const packed = malloc(1 << 20);
    size_t length;

    assert_true(streams != NULL && packed != NULL && mkdtemp(folder) != NULL);
    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, LOOPS, SAMPLE_DATA);
    length = compress_to(packed, 1 << 20, sample.bytes, sample.length);
    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    limit.rlim_cur = 32;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (unsigned i = 0; i < MANY; i++) {
        char path[64];
        struct macsim_source const source = {.path = path, .parks = true};
        FILE *file;

        snprintf(path, sizeof path, "%s/t_%u.raw", folder, i);
        file = fopen(path, "wb");
        assert_non_null(file);
        fwrite(i % 2 == 0 ? packed : sample.bytes, 1, i % 2 == 0 ? length : sample.length, file);
        fclose(file);
        if (FAILS(error, macsim_stream_open(&streams[i], &source, &format)))
            fail_msg("%s", fault_text(error));
    }
    for (unsigned r = 0; r < LOOPS * SAMPLE_LOOP; r++)
        for (unsigned i = 0; i < MANY; i++) {
            struct macsim_cpu_record record;

            if (macsim_stream_next_cpu(&streams[i], &record, &error) != MACSIM_RECORD)
                fail_msg("%s", fault_text(error));
            if (r % SAMPLE_LOOP == 0)
                assert_true(record.load[0] == SAMPLE_DATA + 64 * (uint64_t)(r / SAMPLE_LOOP));
        }
    for (unsigned i = 0; i < MANY; i++) {
        struct macsim_cpu_record record;
        char path[64];

        assert_int_equal(macsim_stream_next_cpu(&streams[i], &record, &error), MACSIM_END);
        macsim_stream_close(&streams[i]);
        snprintf(path, sizeof path, "%s/t_%u.raw", folder, i);
        remove(path);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    rmdir(folder);
    sample_free(&sample);
    free(streams);
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detects_layouts_and_opcodes), cmocka_unit_test(pc_order_is_no_rule),
        cmocka_unit_test(refuses_unknown_layouts), cmocka_unit_test(header_against_bytes),
        cmocka_unit_test(tiles_in_c80), cmocka_unit_test(garbage_in_flags),
        cmocka_unit_test(overrides), cmocka_unit_test(address_records_belong_to_their_instruction),
        cmocka_unit_test(children_belong_to_their_parent), cmocka_unit_test(lanes_of_old_ptx),
        cmocka_unit_test(incomplete_last_record), cmocka_unit_test(incomplete_addresses),
        cmocka_unit_test(odd_fields_are_counted), cmocka_unit_test(gzip_members_and_their_end),
        cmocka_unit_test(many_streams_few_descriptors)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
