/* Readers of instruction traces on records made by hand: each rule of the specifications, and refusals. */
#include "tests/support/unit.h"

#include <unistd.h>

#include "proto/insn/reader.h"

static char path[64];
static struct insn_reader *reader;
static struct insn insn;
static struct fault error;

static void write_file(const void *bytes, size_t count)
{
    FILE *file;
    int descriptor;

    snprintf(path, sizeof path, "/tmp/rubato-insn.XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    file = fdopen(descriptor, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void open_bytes(const void *bytes, size_t count)
{
    write_file(bytes, count);
    reader = insn_reader_open(path, &error);
    if (!reader)
        fail_msg("%s", fault_text(error));
}

static void open_text(const char *text)
{
    open_bytes(text, strlen(text));
}

static void refuses(const void *bytes, size_t count, const char *why)
{
    enum insn_step step = INSN_FAILED;

    write_file(bytes, count);
    reader = insn_reader_open(path, &error);
    while (reader && (step = insn_reader_next(reader, &insn, &error)) == INSN_RECORD)
        ;
    insn_reader_close(reader);
    unlink(path);
    assert_int_equal(step, INSN_FAILED);
    assert_text(fault_text(error), why);
    assert_text(fault_text(error), path);
}

static void take(void)
{
    assert_int_equal(insn_reader_next(reader, &insn, &error), INSN_RECORD);
}

static void end(void)
{
    assert_int_equal(insn_reader_next(reader, &insn, &error), INSN_END);
}

static void done(void)
{
    insn_reader_close(reader);
    unlink(path);
}

static void access_is(size_t i, bool is_write, uint64_t address, uint32_t size_bytes)
{
    assert_true(i < insn.access_count);
    assert_int_equal(insn.accesses[i].is_write, is_write);
    assert_int_equal(insn.accesses[i].address, address);
    assert_int_equal(insn.accesses[i].size_bytes, size_bytes);
}

/* ---- ChampSim */

struct champsim { uint64_t ip; uint8_t is_branch, taken, writes[2], reads[4]; uint64_t stores[2], loads[4]; };
_Static_assert(sizeof(struct champsim) == 64, "champsim-traces 2");

/* champsim-traces 5, with byte 8 = 0 as real tracers leave it. */
static void champsim_branches(void **state)
{
    static const struct {
        uint8_t writes[2], reads[4], taken;
        enum isa_kind kind;
        enum insn_branch branch;
    } rules[] = {
        {{26}, {26}, 0, ISA_DIRECT_JUMP, INSN_TAKEN}, {{26}, {0, 10}, 0, ISA_INDIRECT_JUMP, INSN_TAKEN},
        {{26}, {26, 25}, 1, ISA_CONDITIONAL, INSN_TAKEN}, {{0, 26}, {26, 0, 3}, 0, ISA_CONDITIONAL, INSN_NOT_TAKEN},
        {{26, 6}, {26, 6}, 0, ISA_DIRECT_CALL, INSN_TAKEN}, {{26, 6}, {26, 6, 10}, 0, ISA_INDIRECT_CALL, INSN_TAKEN},
        {{26, 6}, {6}, 0, ISA_RETURN, INSN_TAKEN}, {{26, 9}, {25}, 1, ISA_OTHER_BRANCH, INSN_TAKEN},
        {{10}, {26}, 0, ISA_OTHER, INSN_BRANCH_UNKNOWN}};
    struct champsim records[COUNT(rules)] = {{0}};

    for (size_t i = 0; i < COUNT(rules); i++) {
        records[i] = (struct champsim){.ip = 0x400000 + 4 * i, .taken = rules[i].taken};
        memcpy(records[i].writes, rules[i].writes, 2);
        memcpy(records[i].reads, rules[i].reads, 4);
    }
    open_bytes(records, sizeof records);
    for (size_t i = 0; i < COUNT(rules); i++) {
        take();
        assert_int_equal(insn.kind, rules[i].kind);
        assert_int_equal(insn.branch, rules[i].branch);
        assert_int_equal(insn.has_target, rules[i].branch == INSN_TAKEN);
        if (insn.has_target)
            assert_int_equal(insn.target, 0x400004 + 4 * i);
    }
    end();
    done();
}

static void champsim_accesses_and_tail(void **state)
{
    struct champsim const record = {.ip = 0x400000, .stores = {0, 0x10}, .loads = {0x20, 0, 0x30, 0x40}};
    uint8_t bytes[64 + 63] = {0};

    memcpy(bytes, &record, sizeof record);
    open_bytes(bytes, sizeof bytes);
    take();
    assert_int_equal(insn.access_count, 4);
    access_is(0, false, 0x20, 0);
    access_is(2, false, 0x40, 0);
    access_is(3, true, 0x10, 0);
    end();
    assert_text(insn_reader_warning(reader), "63 bytes");
    assert_true(insn_reader_lacks(reader) & 1u << INSN_LACKS_ACCESS_SIZES);
    done();
}

/* champsim-traces 10: two stores and four loads; 6: a fork with records of 72 bytes is refused. */
static void champsim_full_and_other_sizes(void **state)
{
    struct champsim const record = {.ip = 0x400000, .stores = {0x10, 0x20}, .loads = {0x30, 0x40, 0x50, 0x60}};
    static uint64_t fork[9 * 500];

    open_bytes(&record, sizeof record);
    take();
    assert_int_equal(insn.access_count, 6);
    access_is(3, false, 0x60, 0);
    access_is(4, true, 0x10, 0);
    access_is(5, true, 0x20, 0);
    end();
    done();
    for (uint64_t i = 0; i < COUNT(fork); i++)
        fork[i] = i % 9 == 0 ? 0x7fd1786b6100 + i : i % 9 == 1 ? 0x0606001a1a000000
            : i % 9 == 5 ? 0x7ffe00001000 + i : 0;
    refuses(fork, sizeof fork, "is not a known instruction trace");
}

static void champsim_cloudsuite(void **state)
{
    uint8_t bytes[3 * 96];

    memset(bytes, 0xff, sizeof bytes);           /* padding may be anything */
    for (size_t i = 0; i < 3; i++) {
        uint64_t const ip = 0x1000 + 4 * i, none[8] = {0};

        memcpy(bytes + 96 * i, &ip, 8);
        memset(bytes + 96 * i + 8, 0, 10);
        memcpy(bytes + 96 * i + 24, none, 64);
        bytes[96 * i + 24] = 0x80;
    }
    open_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < 3; i++) {
        take();
        assert_int_equal(insn.pc, 0x1000 + 4 * i);
        access_is(0, true, 0x80, 0);
    }
    end();
    done();
}

/* ---- drmemtrace */

struct record { uint16_t type, size; uint64_t value; };

static size_t put_records(uint8_t *bytes, const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + 12 * i, &records[i].type, 2);
        memcpy(bytes + 12 * i + 2, &records[i].size, 2);
        memcpy(bytes + 12 * i + 4, &records[i].value, 8);
    }
    return 12 * count;
}

#define OPEN_RECORDS(...)                                                                                             \
    do {                                                                                                              \
        struct record const records_[] = {__VA_ARGS__};                                                               \
        uint8_t bytes_[12 * COUNT(records_)];                                                                         \
        open_bytes(bytes_, put_records(bytes_, records_, COUNT(records_)));                                           \
    } while (0)
#define REFUSES_RECORDS(why, ...)                                                                                     \
    do {                                                                                                              \
        struct record const records_[] = {__VA_ARGS__};                                                               \
        uint8_t bytes_[12 * COUNT(records_)];                                                                         \
        refuses(bytes_, put_records(bytes_, records_, COUNT(records_)), why);                                         \
    } while (0)
#define HEAD {25, 0, 7}, {28, 12, 7}, {28, 9, 0x240}, {22, 4, 55}, {24, 4, 44}
#define TAIL {23, 4, 55}, {26, 0, 0}

static void drmemtrace_instructions(void **state)
{
    OPEN_RECORDS(HEAD, {0, 4, 0x99}, {47, 8, 0x1122334455667788}, {47, 1, 0x99}, {10, 9, 0x1000}, {0, 8, 0x20},
                 {28, 2, 5}, {1, 4, 0x30}, {3, 1, 0x40}, {28, 29, 0x5000}, {16, 1, 0x1009}, {29, 2, 0x5000},
                 {48, 2, 0x5002}, {49, 2, 0x5004}, {22, 4, 66}, {31, 2, 0x6000}, TAIL);
    assert_string_equal(insn_reader_name(reader), "drmemtrace");
    take();
    assert_int_equal(insn.form, INSN_ACCESS_ONLY);
    assert_int_equal(insn.thread, 55);
    assert_int_equal(insn.pc, 0);
    access_is(0, false, 0x99, 4);
    take();
    assert_int_equal(insn.thread, 55);
    assert_int_equal(insn.pc, 0x1000);
    assert_int_equal(insn.encoding_bytes, 9);
    assert_int_equal(insn.encoding[0], 0x88);
    assert_int_equal(insn.encoding[8], 0x99);
    assert_int_equal(insn.access_count, 2);
    access_is(0, false, 0x20, 8);
    access_is(1, true, 0x30, 4);
    take();
    assert_int_equal(insn.kind, ISA_RETURN);
    assert_true(insn.has_target && insn.target == 0x5000);
    take();
    assert_int_equal(insn.form, INSN_REPEAT);
    take();
    assert_int_equal(insn.branch, INSN_TAKEN);
    take();
    assert_int_equal(insn.branch, INSN_NOT_TAKEN);
    take();
    assert_int_equal(insn.thread, 66);
    assert_int_equal(insn.kind, ISA_SYSTEM);
    end();
    assert_null(insn_reader_warning(reader));
    assert_int_equal(insn_reader_counts(reader)->instructions, 5);
    assert_int_equal(insn_reader_counts(reader)->orphans, 1);
    assert_int_equal(insn_reader_counts(reader)->loads, 2);
    assert_int_equal(insn_reader_counts(reader)->prefetches, 1);
    assert_string_equal(insn_reader_format(reader), "drmemtrace version 7, x86-64");
    assert_int_equal(insn_reader_lacks(reader), 0);
    done();
}

/* drmemtrace 7: an instruction of size 0 is none; the data behind it have its pc. */
static void drmemtrace_filtered(void **state)
{
    OPEN_RECORDS(HEAD, {10, 0, 0x1000}, {0, 8, 0x20}, {10, 0, 0x2000}, {10, 4, 0x3000}, {10, 0, 0x4000}, TAIL);
    take();
    assert_int_equal(insn.form, INSN_ACCESS_ONLY);
    assert_int_equal(insn.pc, 0x1000);
    access_is(0, false, 0x20, 8);
    take();
    assert_int_equal(insn.form, INSN_EXECUTED);
    assert_int_equal(insn.pc, 0x3000);
    end();
    assert_int_equal(insn_reader_counts(reader)->instructions, 1);
    done();
}

/* Lengths of a bundle follow the instruction before it. */
static void drmemtrace_bundle(void **state)
{
    OPEN_RECORDS({25, 0, 1}, {22, 4, 1}, {24, 4, 1}, {10, 4, 0x1000}, {17, 3, 0x020503}, {0, 8, 0x80}, {26, 0, 0});
    take();
    for (int i = 0; i < 3; i++) {
        static const uint64_t pcs[] = {0x1004, 0x1007, 0x100c};

        take();
        assert_int_equal(insn.pc, pcs[i]);
        assert_int_equal(insn.access_count, i == 2);
    }
    end();
    assert_true(insn_reader_lacks(reader) & 1u << INSN_LACKS_DEPENDENCES);
    done();
}

static void drmemtrace_is_cut(void **state)
{
    OPEN_RECORDS(HEAD, {10, 4, 0x1000});
    take();
    end();
    assert_text(insn_reader_warning(reader), "no footer");
    done();
}

static void drmemtrace_refusals(void **state)
{
    REFUSES_RECORDS("version 8", {25, 0, 8}, {28, 12, 8});
    REFUSES_RECORDS("unknown type", HEAD, {50, 0, 0});
    REFUSES_RECORDS("too long", HEAD, {47, 9, 0});
    REFUSES_RECORDS("too long", HEAD, {47, 8, 0}, {47, 8, 0}, {47, 1, 0});
    REFUSES_RECORDS("not as long", HEAD, {47, 3, 0}, {10, 4, 0});
    REFUSES_RECORDS("bundle", HEAD, {17, 0, 0});
}

/* ---- text */

/* A line of each format: its detection and its content. */
static void text_formats(void **state)
{
    static const struct {
        const char *name, *text;
        uint64_t pc, address, gap;
        uint32_t size_bytes;
        bool is_write;
    } cases[] = {
        {"pinatrace", "0x401000: W 0x7ffe10\n0x401002: R (nil)\n#eof\n", 0x401000, 0x7ffe10, 0, 0, true},
        {"stl", "# comment\n10:\t(16) write\t0x40 0xff\r\n11: read 0x80\n", 0, 0x40, 0, 16, true},
        {"prospero", "12 R 64 8\n13 W 128 4\n", 0, 64, 0, 8, false},
        {"ramulator", "0x12345680 R\n0x4cbd56c0 W\n", 0, 0x12345680, 0, 0, false},
        {"dramsim3", "0x2000D5C0 READ  30\n0x1FF96FC0 WRITE   160\n", 0, 0x2000d5c0, 0, 0, false},
        {"load_store", "ST 0x40\nLD 128\n", 0, 0x40, 0, 0, true},
        {"extended_din", "w 40 4 comment\nR 0x80 8\n", 0, 0x40, 0, 4, true},
        {"din", "0 7fff80\n1 10\n", 0, 0x7fff80, 0, 0, false},
        {"cpu_trace", "8 20841280 20841280\n30 64\n", 0, 20841280, 8, 0, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        open_text(cases[i].text);
        assert_string_equal(insn_reader_name(reader), cases[i].name);
        take();
        assert_int_equal(insn.pc, cases[i].pc);
        assert_int_equal(insn.gap, cases[i].gap);
        access_is(0, cases[i].is_write, cases[i].address, cases[i].size_bytes);
        take();
        end();
        done();
    }
}

/* Without a hexadecimal letter only the file itself can say. */
static void text_format_by_option(void **state)
{
    open_text("# cpu_trace\r\n1 20\n");
    take();
    assert_int_equal(insn.gap, 1);
    access_is(0, false, 20, 0);
    end();
    done();
    open_text("# din\n1 20\n");
    take();
    access_is(0, true, 0x20, 0);
    end();
    done();
}

static void text_lackey(void **state)
{
    open_text("==7== Lackey\nI  04000c60,3\n M 1ffe,8\n S 30,4\nI  04000c63,5\n==7== end\n");
    take();
    assert_int_equal(insn.pc, 0x4000c60);
    assert_int_equal(insn.size_bytes, 3);
    assert_int_equal(insn.access_count, 3);
    access_is(0, false, 0x1ffe, 8);
    access_is(1, true, 0x1ffe, 8);
    access_is(2, true, 0x30, 4);
    take();
    assert_int_equal(insn.access_count, 0);
    end();
    done();
}

static void text_refusals(void **state)
{
    char lines[200 * 16];
    size_t length = 0;

    for (int i = 0; i < 150; i++)
        length += (size_t)snprintf(lines + length, sizeof lines - length, "%s", i == 120 ? "0x40 Q\n" : "0x40 R\n");
    refuses(lines, length, "line 121");
    refuses("R 0,0,3,44,5\n", 13, "organisation");
    refuses("1 20\n3 64\n", 10, "din or Ramulator");
    refuses("an error message\n", 17, "is not a known instruction trace");
    refuses("", 0, "is not an instruction trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(champsim_branches), cmocka_unit_test(champsim_accesses_and_tail),
        cmocka_unit_test(champsim_full_and_other_sizes), cmocka_unit_test(champsim_cloudsuite),
        cmocka_unit_test(drmemtrace_instructions),
        cmocka_unit_test(drmemtrace_bundle), cmocka_unit_test(drmemtrace_filtered),
        cmocka_unit_test(drmemtrace_is_cut),
        cmocka_unit_test(drmemtrace_refusals), cmocka_unit_test(text_formats), cmocka_unit_test(text_format_by_option),
        cmocka_unit_test(text_lackey),
        cmocka_unit_test(text_refusals)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
