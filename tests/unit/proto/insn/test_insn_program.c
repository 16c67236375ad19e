/* proto/insn/insn_program.h, proto/insn/insn_kept.h: ELF files, whole ones and those that are refused; what a trace
 * keeps of them. */
#include "proto/insn/insn_program.h"

#include <unistd.h>

#include "base/bits.h"
#include "tests/support/unit.h"

enum { BYTES = 300, FIRST = 64, SECOND = 120, ELF_RISCV = 243 };

static uint8_t file[BYTES];
static char path[] = "/tmp/rubato-program.XXXXXX";

static void put_header(uint8_t *at, uint64_t offset, uint64_t address, uint64_t file_count, uint64_t byte_count)
{
    bits_store32(at, 1);
    bits_store64(at + 8, offset);
    bits_store64(at + 16, address);
    bits_store64(at + 32, file_count);
    bits_store64(at + 40, byte_count);
}

static int begin(void **state)
{
    static const uint8_t identity[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

    memset(file, 0, sizeof file);
    memcpy(file, identity, sizeof identity);
    bits_store16(file + 16, 2);
    bits_store16(file + 18, ELF_RISCV);
    bits_store64(file + 24, 0x10100);
    bits_store64(file + 32, 64);
    bits_store16(file + 54, 56);
    bits_store16(file + 56, 2);
    put_header(file + FIRST, 0, 0x10000, BYTES, BYTES);
    put_header(file + SECOND, 200, 0x20000, 50, 5000);
    return 0;
}

static struct insn_program *read_file(size_t count, struct fault *error)
{
    char copy[sizeof path];
    struct insn_program *program;
    int descriptor;

    memcpy(copy, path, sizeof copy);
    descriptor = mkstemp(copy);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, file, count), count);
    close(descriptor);
    *error = fault_none();
    program = insn_program_read(copy, "own", ELF_RISCV, error);
    unlink(copy);
    return program;
}

static void reads_loaded_segments(void **state)
{
    struct fault error;
    struct insn_program *program;

    file[199] = 7;
    file[200] = 8;
    program = read_file(BYTES, &error);
    if (program == NULL)
        fail_msg("%s", fault_text(error));
    assert_string_equal(program->name, "own");
    assert_int_equal(program->entry, 0x10100);
    assert_int_equal(program->headers_at, 0x10040);
    assert_int_equal(program->header_bytes, 56);
    assert_int_equal(program->header_count, 2);
    assert_int_equal(program->segment_count, 2);
    assert_int_equal(program->segments[0].bytes[199], 7);
    assert_int_equal(program->segments[1].address, 0x20000);
    assert_int_equal(program->segments[1].bytes[0], 8);
    assert_int_equal(program->segments[1].file_count, 50);
    assert_int_equal(program->segments[1].byte_count, 5000);
    insn_program_free(program);
}

static void assert_refused(size_t count, const char *text)
{
    struct fault error;

    assert_null(read_file(count, &error));
    assert_int_equal(error.kind, FAULT_INPUT);
    assert_text(fault_text(error), text);
    begin(NULL);
}

static void refuses_programs_it_cannot_load(void **state)
{
    assert_refused(0, "byte 0: no ELF file");
    assert_refused(63, "byte 0: no ELF file");
    file[1] = 'e';
    assert_refused(BYTES, "byte 0: no ELF file");
    file[4] = 1;
    assert_refused(BYTES, "byte 4: ELF class 1, data 1; expected 2 and 1");
    bits_store16(file + 16, 3);
    assert_refused(BYTES, "byte 16: ELF type 3; expected 2");
    bits_store16(file + 18, 62);
    assert_refused(BYTES, "byte 18: ELF machine 62; expected that of the trace, 243");
    bits_store16(file + 54, 32);
    assert_refused(BYTES, "byte 54: 2 program headers of 32 bytes");
    bits_store16(file + 56, 500);
    assert_refused(BYTES, "byte 54: 500 program headers");
    bits_store64(file + 32, UINT64_MAX - 7);
    assert_refused(BYTES, "byte 32: 2 program headers at offset 18446744073709551608; the file has 300 bytes");
    assert_refused(130, "byte 32: 2 program headers at offset 64");
    bits_store64(file + SECOND + 8, 290);
    assert_refused(BYTES, "byte 128: a segment of 50 bytes at offset 290; the file has 300");
    bits_store64(file + SECOND + 8, UINT64_MAX);
    assert_refused(BYTES, "byte 128: a segment of 50 bytes at offset 18446744073709551615");
    bits_store64(file + SECOND + 40, 49);
    assert_refused(BYTES, "byte 136: a segment of 49 bytes, 50 of them in the file");
    bits_store64(file + SECOND + 40, (UINT64_C(1) << 34) + 1);
    assert_refused(BYTES, "byte 136: a segment of 17179869185 bytes");
    bits_store64(file + SECOND + 16, UINT64_MAX - 100);
    assert_refused(BYTES, "inside of memory");
    bits_store32(file + FIRST, 6);
    bits_store32(file + SECOND, 6);
    assert_refused(BYTES, "byte 64: no segment that is loaded");
}

/* Without a segment that contains them, the headers are not in memory. */
static void knows_whether_headers_are_loaded(void **state)
{
    struct fault error;
    struct insn_program *program;

    bits_store32(file + FIRST, 6);
    program = read_file(BYTES, &error);
    assert_non_null(program);
    assert_int_equal(program->headers_at, 0);
    insn_program_free(program);
}

/* ---- what a trace keeps */

enum { NOTE = 180 };

/* The second segment becomes the notes. */
static void put_note(uint32_t name_bytes, uint32_t id_bytes, uint32_t type, const char *name)
{
    put_header(file + SECOND, NOTE, 0x10000 + NOTE, BYTES - NOTE, BYTES - NOTE);
    bits_store32(file + SECOND, 4);
    bits_store32(file + NOTE, name_bytes);
    bits_store32(file + NOTE + 4, id_bytes);
    bits_store32(file + NOTE + 8, type);
    memcpy(file + NOTE + 12, name, 4);
    for (unsigned i = 0; i < 20; i++)
        file[NOTE + 16 + i] = (uint8_t)(0xa0 + i);
}

static void keeps_what_is_loaded(void **state)
{
    struct insn_kept kept = {0}, stripped = {0};
    char text[INSN_ID_TEXT_ROOM];

    put_header(file + FIRST, 0, 0x10000, 220, 220);
    bits_store64(file + 40, 280);                    /* the table of sections */
    bits_store16(file + 60, 1);
    assert_true(insn_kept_take(&kept, file, BYTES, "own", 0x5000));
    assert_int_equal(kept.byte_count, 250);          /* the end of the second segment */
    assert_int_equal(kept.build_id_bytes, 0);
    assert_int_equal(kept.base, 0x5000);
    assert_int_equal(bits_load64(kept.bytes + 40), 0);
    bits_store64(file + 40, 0);
    bits_store16(file + 60, 0);
    assert_true(insn_kept_take(&stripped, file, 250, "other", 0));
    assert_true(insn_kept_is_same(&kept, &stripped));
    insn_kept_free(&stripped);
    file[240] = 1;
    assert_true(insn_kept_take(&stripped, file, 250, "other", 0));
    assert_false(insn_kept_is_same(&kept, &stripped));
    insn_kept_id_text(&kept, text);
    assert_text(text, "hash ");
    insn_kept_free(&stripped);
    insn_kept_free(&kept);
    assert_false(insn_kept_take(&kept, file, 63, "own", 0));
    bits_store64(file + 32, UINT64_MAX - 10);
    assert_false(insn_kept_take(&kept, file, BYTES, "own", 0));
}

static void finds_build_ids(void **state)
{
    static const struct { uint32_t name, id, type; const char *text; unsigned bytes; } cases[] = {
        {4, 20, 3, "GNU", 20}, {4, 20, 1, "GNU", 0}, {4, 20, 3, "GNX", 0}, {4, 33, 3, "GNU", 0},
        {4, 3, 3, "GNU", 3}, {4, 0, 3, "GNU", 0}, {UINT32_MAX, 20, 3, "GNU", 0}, {4, UINT32_MAX, 3, "GNU", 0}
    };
    struct insn_kept kept = {0}, other = {0};
    char text[INSN_ID_TEXT_ROOM];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(NULL);
        put_note(cases[i].name, cases[i].id, cases[i].type, cases[i].text);
        assert_true(insn_kept_take(&kept, file, BYTES, "own", 0));
        if (kept.build_id_bytes != cases[i].bytes)
            fail_msg("case %zu: a build-id of %u bytes, expected %u", i, kept.build_id_bytes, cases[i].bytes);
        insn_kept_free(&kept);
    }
    begin(NULL);
    put_note(4, 3, 3, "GNU");
    assert_true(insn_kept_take(&kept, file, BYTES, "own", 0));
    insn_kept_id_text(&kept, text);
    assert_string_equal(text, "build-id a0a1a2");
    file[BYTES - 1] = 5;                             /* other bytes by the same build-id: the same program */
    assert_true(insn_kept_take(&other, file, BYTES, "own", 0));
    assert_true(insn_kept_is_same(&kept, &other));
    other.build_id[2]++;
    assert_false(insn_kept_is_same(&kept, &other));
    other.build_id_bytes = 0;
    assert_false(insn_kept_is_same(&kept, &other));
    insn_kept_free(&other);
    insn_kept_free(&kept);
}

static void executes_what_is_kept(void **state)
{
    struct insn_kept kept = {0};
    struct insn_program *program;
    struct fault error = fault_none();

    bits_store16(file + 16, 3);                      /* loaded anywhere */
    assert_true(insn_kept_take(&kept, file, BYTES, "own", 0x4000000000));
    program = insn_program_of_kept(&kept, NULL, 0, "x.rbt", ELF_RISCV, &error);
    if (program == NULL)
        fail_msg("%s", fault_text(error));
    assert_null(program->path);
    assert_string_equal(program->name, "own");
    assert_int_equal(program->entry, 0x4000010100);
    assert_int_equal(program->headers_at, 0x4000010040);
    assert_int_equal(program->segments[1].address, 0x4000020000);
    insn_program_free(program);
    kept.base = UINT64_MAX - 0x20100;
    assert_null(insn_program_of_kept(&kept, NULL, 0, "x.rbt", ELF_RISCV, &error));
    assert_text(fault_text(error), "x.rbt: its program was moved by 0xfffffffffffdfeff");
    assert_null(insn_program_of_kept(&kept, NULL, 0, "x.rbt", 62, &error));
    assert_text(fault_text(error), "ELF machine 243");
    insn_kept_free(&kept);
}

/* insn_memory.h: "Pieces that follow each other become one" */
static void pieces_follow_each_other(void **state)
{
    struct insn_memory memory = {0};

    assert_true(insn_memory_add(&memory, 0, 0x1000, INSN_PIECE_BYTES, (const uint8_t *)"ab", 2));
    assert_true(insn_memory_add(&memory, 0, 0x1002, INSN_PIECE_BYTES, (const uint8_t *)"c", 1));
    assert_true(insn_memory_add(&memory, 0, 0x1003, INSN_PIECE_ZEROS, NULL, 5));
    assert_true(insn_memory_add(&memory, 1, 0x1008, INSN_PIECE_ZEROS, NULL, 0));
    assert_true(insn_memory_add(&memory, 1, 0x1008, INSN_PIECE_BYTES, (const uint8_t *)"d", 1));
    assert_int_equal(memory.piece_count, 3);
    assert_int_equal(memory.pieces[0].byte_count, 3);
    assert_int_equal(memory.pieces[2].at, 3);
    assert_memory_equal(memory.bytes, "abcd", 4);
    assert_false(insn_memory_add(&memory, 2, UINT64_MAX - 3, INSN_PIECE_ZEROS, NULL, 5));
    assert_false(insn_memory_add(&memory, 2, 0, INSN_PIECE_ZEROS, NULL, INSN_PIECE_MOST));
    assert_false(insn_memory_add(&memory, 2, 0, INSN_PIECE_BYTES, memory.bytes, INSN_MEMORY_MOST));
    assert_int_equal(memory.piece_count, 3);
    assert_int_equal(insn_write_call(1, 7), 7);
    assert_int_equal(insn_write_call(3, 7), (UINT64_C(2) << 40) + 7);
    insn_memory_free(&memory);
}

/* insn_program.h: a recording that begins elsewhere has its memory from pieces, those of code from the images */
static void begins_elsewhere_with_its_memory(void **state)
{
    static const struct insn_image images[] = {{0x3000, 4, (const uint8_t *)"code"},
                                               {0x1000, 6, (const uint8_t *)"images"}};
    struct insn_kept kept = {.name = strdup("own"), .memory = {.has_start = true, .start = {.pc = 0x1002}}};
    struct fault error = fault_none();
    struct insn_program *program;

    assert_true(insn_memory_add(&kept.memory, 0, 0x0ffe, INSN_PIECE_IMAGE, NULL, 10));
    assert_true(insn_memory_add(&kept.memory, 0, 0x2000, INSN_PIECE_ZEROS, NULL, 0x800));
    assert_true(insn_memory_add(&kept.memory, 3, 0x2004, INSN_PIECE_BYTES, (const uint8_t *)"w", 1));
    assert_true(insn_memory_add(&kept.memory, 4, 0x3001, INSN_PIECE_IMAGE, NULL, 2));
    program = insn_program_of_kept(&kept, images, COUNT(images), "x.rbt", ELF_RISCV, &error);
    assert_non_null(program);
    assert_int_equal(program->entry, 0x1002);
    assert_int_equal(program->segment_count, 4);     /* before the image, it, behind it, zeros */
    assert_int_equal(program->segments[0].byte_count, 2);
    assert_int_equal(program->segments[0].file_count, 0);
    assert_int_equal(program->segments[1].address, 0x1000);
    assert_memory_equal(program->segments[1].bytes, "images", 6);
    assert_int_equal(program->segments[2].address, 0x1006);
    assert_int_equal(program->segments[2].byte_count, 2);
    assert_int_equal(program->segments[3].byte_count, 0x800);
    assert_int_equal(program->write_count, 2);
    assert_int_equal(program->writes[0].call, 3);
    assert_memory_equal(program->writes[1].bytes, "od", 2);
    insn_program_free(program);
    insn_kept_free(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reads_loaded_segments, begin),
        cmocka_unit_test_setup(refuses_programs_it_cannot_load, begin),
        cmocka_unit_test_setup(knows_whether_headers_are_loaded, begin),
        cmocka_unit_test_setup(keeps_what_is_loaded, begin),
        cmocka_unit_test_setup(finds_build_ids, begin),
        cmocka_unit_test_setup(executes_what_is_kept, begin),
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(begins_elsewhere_with_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
