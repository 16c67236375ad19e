/* Traces: threads of one file and of folders, numbers of static instructions, what decoders and ChampSim's registers
 * say, side files. */
#include "tests/support/unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/trace_formats.h"
#include "proto/insn/insn_trace.h"

static char folder[64], path[128], other[128];
static struct insn_trace *trace;
static struct insn_cursor *cursor;
static struct insn_event event;
static struct fault error;

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/rubato-trace.XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static const char *in_folder(char *to, const char *name)
{
    snprintf(to, 128, "%s/%s", folder, name);
    return to;
}

static void write_bytes(const char *to, const void *bytes, size_t count)
{
    FILE *const file = fopen(to, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

struct record { uint16_t type, size; uint64_t value; };

static void write_records(const char *to, const struct record *records, size_t count)
{
    uint8_t bytes[12 * 64];

    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + 12 * i, &records[i].type, 2);
        memcpy(bytes + 12 * i + 2, &records[i].size, 2);
        memcpy(bytes + 12 * i + 4, &records[i].value, 8);
    }
    write_bytes(to, bytes, 12 * count);
}

#define WRITE_RECORDS(to, ...)                                                                                        \
    write_records(to, (struct record[]){__VA_ARGS__}, sizeof((struct record[]){__VA_ARGS__}) / sizeof(struct record))
#define HEAD(type) {25, 0, 7}, {28, 12, 7}, {28, 9, type}

static void open_trace(const char *of)
{
    trace = insn_trace_open_raw(of, &error);
    if (!trace)
        fail_msg("%s", fault_text(error));
}

static void refuses(const char *of, const char *why)
{
    assert_null(insn_trace_open_raw(of, &error));
    assert_text(fault_text(error), why);
}

static void begin(size_t thread)
{
    cursor = insn_cursor_open(trace, thread, &error);
    assert_non_null(cursor);
}

static void take(void)
{
    if (insn_cursor_next(cursor, &event, &error) != INSN_RECORD)
        fail_msg("%s", fault_text(error));
}

static void marker_is(enum insn_marker_kind kind, uint64_t value)
{
    take();
    assert_true(event.is_marker);
    assert_int_equal(event.marker.kind, kind);
    assert_int_equal(event.marker.value, value);
}

static void one_insn_is(uint64_t pc, uint32_t number)
{
    take();
    assert_false(event.is_marker);
    assert_int_equal(event.insn.pc, pc);
    assert_int_equal(event.number, number);
}

static void end(void)
{
    assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_END);
    insn_cursor_close(cursor);
}

static void done(void)
{
    insn_trace_close(trace);
    unlink(path);
    unlink(other);
    rmdir(folder);
}

/* drmemtrace 7: THREAD records switch; further pairs of header and footer in the middle are skipped. */
static void core_sharded(void **state)
{
    make_folder();
    WRITE_RECORDS(in_folder(path, "core.trace"), HEAD(0x10240), {22, 4, 1}, {24, 4, 9}, {28, 2, 1000}, {47, 1, 0x90},
                  {10, 1, 0x1000}, {0, 8, 0x20}, {22, 4, 2}, {24, 4, 9}, {28, 2, 2000}, {47, 1, 0x91}, {10, 1, 0x1000},
                  {1, 4, 0x30}, {26, 0, 0}, HEAD(0x10240), {22, 4, 1}, {10, 1, 0x1000}, {23, 4, 1}, {22, 4, 2},
                  {10, 1, 0x1000}, {23, 4, 2}, {26, 0, 0});
    open_trace(path);
    assert_int_equal(insn_trace_threads(trace), 2);
    assert_int_equal(insn_trace_thread(trace, 0)->id, 1);
    assert_int_equal(insn_trace_thread(trace, 1)->instructions, 2);
    assert_int_equal(insn_trace_thread(trace, 1)->first_stamp, 2000);
    begin(0);
    marker_is(INSN_MARKER_THREAD_START, 0);
    marker_is(INSN_MARKER_TIMESTAMP, 1000);
    one_insn_is(0x1000, 0);
    assert_int_equal(event.insn.access_count, 1);
    one_insn_is(0x1000, 0);
    marker_is(INSN_MARKER_THREAD_END, 0);
    assert_int_equal(insn_cursor_counts(cursor)->instructions, 2);
    assert_int_equal(insn_cursor_counts(cursor)->loads, 1);
    assert_int_equal(insn_cursor_counts(cursor)->stores, 0);
    end();
    done();
}

/* drmemtrace 4: arguments and result of a system call, signals, windows; a component's repeated time is skipped. */
static void markers(void **state)
{
    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x240), {22, 4, 1}, {24, 4, 9}, {28, 14, 0}, {10, 2, 0x1000},
                  {28, 25, 202}, {28, 2, 50}, {28, 4, UINT64_C(0x1000000ca)}, {28, 6, 77}, {28, 6, 88}, {28, 2, 60},
                  {28, 4, UINT64_C(0x1000000ca)}, {28, 7, 0}, {28, 30, 11}, {28, 0, 0x1002}, {28, 40, 10},
                  {10, 2, 0x2000}, {28, 1, 0x2002}, {28, 22, 5}, {28, 2, 60}, {28, 14, 3}, {23, 4, 1}, {26, 0, 0});
    open_trace(path);
    begin(0);
    marker_is(INSN_MARKER_THREAD_START, 0);
    marker_is(INSN_MARKER_REGION_BEGIN, 0);
    one_insn_is(0x1000, 0);
    marker_is(INSN_MARKER_SYSCALL, 202);
    assert_int_equal(event.marker.arg_count, 2);
    assert_int_equal(event.marker.args[1], 88);
    marker_is(INSN_MARKER_TIMESTAMP, 50);
    marker_is(INSN_MARKER_TIMESTAMP, 60);
    marker_is(INSN_MARKER_SYSCALL_END, UINT64_C(0) - 11);
    marker_is(INSN_MARKER_SIGNAL, 0x1002);
    one_insn_is(0x2000, 1);
    marker_is(INSN_MARKER_SIGNAL_RETURN, 0x2002);
    marker_is(INSN_MARKER_REGION_END, 0);
    marker_is(INSN_MARKER_REGION_BEGIN, 3);
    marker_is(INSN_MARKER_THREAD_END, 0);
    end();
    done();
}

/* insn_statics.c: a number for each of a pc's bytes; without bytes, those of before. */
static void code_that_changes(void **state)
{
    const uint8_t *bytes;

    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x240), {22, 4, 1}, {47, 2, 0x1111}, {10, 2, 0x1000},
                  {47, 2, 0x2222}, {10, 2, 0x1000}, {10, 2, 0x1000}, {47, 2, 0x1111}, {10, 2, 0x1000}, {10, 2, 0x1000},
                  {26, 0, 0});
    open_trace(path);
    begin(0);
    marker_is(INSN_MARKER_THREAD_START, 0);
    one_insn_is(0x1000, 0);
    one_insn_is(0x1000, 1);
    one_insn_is(0x1000, 1);
    assert_int_equal(insn_cursor_bytes(cursor, 1, &bytes), 2);
    assert_int_equal(bytes[0], 0x22);
    one_insn_is(0x1000, 0);
    one_insn_is(0x1000, 0);
    assert_int_equal(insn_cursor_statics(cursor), 2);
    end();
    done();
}

/* drmemtrace 8's example: 21 09 04 00 06 05 07 09. */
static void regdeps(void **state)
{
    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x20240), {22, 4, 1}, {47, 8, UINT64_C(0x0907050600040921)},
                  {10, 5, 0x1000}, {0, 8, 0x20}, {26, 0, 0});
    trace = insn_trace_open(path, &error);
    if (!trace)
        fail_msg("%s", fault_text(error));
    assert_int_equal(insn_trace_isa(trace), ISA_REGDEPS);
    begin(0);
    marker_is(INSN_MARKER_THREAD_START, 0);
    one_insn_is(0x1000, 0);
    assert_int_equal(event.insn.size_bytes, 5);
    assert_non_null(event.what);
    assert_int_equal(event.what->read_count, 2);
    assert_int_equal(event.what->write_count, 2);
    assert_int_equal(insn_cursor_undecoded(cursor), 0);
    end();
    done();
}

/* source_files.c: without an architecture's bit the encodings say it. */
static void architecture_by_content(void **state)
{
    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x200), {22, 4, 1}, {47, 4, 0x00a50533}, {10, 4, 0x1000},
                  {47, 2, 0x4501}, {10, 2, 0x1004}, {26, 0, 0});
    open_trace(path);
    assert_int_equal(insn_trace_isa(trace), ISA_RV64);
    assert_text(insn_trace_format(trace), "riscv64 by its encodings");
    insn_trace_close(trace);
    WRITE_RECORDS(path, HEAD(0x200), {22, 4, 1}, {47, 1, 0x90}, {10, 1, 0x1000}, {26, 0, 0});
    open_trace(path);
    assert_int_equal(insn_trace_isa(trace), ISA_X86_64);
    done();
}

/* champsim_registers.h: flags are a register, the instruction pointer is none; push does not write the stack
 * pointer. */
static void champsim(void **state)
{
    static const struct { uint64_t ip; uint8_t is_branch, taken, writes[2], reads[4]; uint64_t stores[2], loads[4]; }
        records[] = {{0x1000, 0, 0, {6}, {6, 7}, {0x80}, {0}}, {0x1001, 0, 0, {6, 25}, {6}, {0}, {0}},
                     {0x1005, 1, 1, {26}, {26, 25}, {0}, {0}}, {0x1000, 0, 0, {6}, {6, 7}, {0x80}, {0}}};

    make_folder();
    write_bytes(in_folder(path, "a.champsimtrace"), records, sizeof records);
    trace = insn_trace_open(path, &error);
    assert_non_null(trace);
    begin(0);
    one_insn_is(0x1000, 0);
    assert_int_equal(event.what->read_count, 2);
    assert_int_equal(event.what->write_count, 0);
    assert_int_equal(event.what->operand_count, 1);
    assert_true(event.what->operands[0].is_store);
    assert_int_equal(event.what->operands[0].address_reads, 3);
    one_insn_is(0x1001, 1);
    assert_int_equal(event.what->write_count, 2);
    one_insn_is(0x1005, 2);
    assert_int_equal(event.what->kind, ISA_CONDITIONAL);
    assert_int_equal(event.what->read_count, 1);
    assert_int_equal(event.what->reads[0], 25);
    one_insn_is(0x1000, 0);
    end();
    done();
}

/* drmemtrace 9 */
static void page_maps(void **state)
{
    static const char map[] = "# comment\npage_size: 0x200000\naddress_mapping { virtual_address: 0x400000 "
        "physical_address: 2097152 }\naddress_mapping {\n  # none: 0\n  physical_address: 0x600000\n}\n"
        "information {\n  page_count: 0x2\n}\n";
    static const char wrong[] = "page_size: 0x1000\naddress_mapping { virtual_address: 12q }\n";
    const struct insn_page *pages;

    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x240), {22, 4, 1}, {10, 1, 0x1000}, {26, 0, 0});
    write_bytes(in_folder(other, "v2p.textproto"), map, sizeof map - 1);
    open_trace(folder);
    assert_int_equal(insn_trace_pages(trace, &pages), 2);
    assert_int_equal(pages[0].virtual_address, 0x400000);
    assert_int_equal(pages[0].physical_address, 0x200000);
    assert_int_equal(pages[1].virtual_address, 0);
    assert_int_equal(pages[1].byte_count, 0x200000);
    insn_trace_close(trace);
    write_bytes(other, wrong, sizeof wrong - 1);
    refuses(folder, "line 2: \"12q\"; expected a number");
    trace = NULL;
    done();
}

/* drmemtrace 7: physical addresses in the file itself */
static void pages_of_the_file(void **state)
{
    const struct insn_page *pages;

    make_folder();
    WRITE_RECORDS(in_folder(path, "a.trace"), HEAD(0x240), {22, 4, 1}, {28, 18, 4096}, {28, 15, 0x7123},
                  {28, 17, 0x40123}, {10, 1, 0x40123}, {28, 15, 0x9008}, {28, 17, 0x50008},
                  {10, 1, 0x40124}, {0, 8, 0x50008},
                  {26, 0, 0});
    open_trace(path);
    assert_int_equal(insn_trace_pages(trace, &pages), 2);
    assert_int_equal(pages[0].virtual_address, 0x40000);
    assert_int_equal(pages[0].physical_address, 0x7000);
    assert_int_equal(pages[1].virtual_address, 0x50000);
    assert_int_equal(pages[1].byte_count, 4096);
    done();
}

/* drmemtrace 1: raw/, and snappy's framing */
static void refusals(void **state)
{
    static const uint8_t snappy[] = "\xff\x06\x00\x00sNaPpY";

    make_folder();
    assert_int_equal(mkdir(in_folder(other, "raw"), 0777), 0);
    assert_true(insn_is_in(folder));
    refuses(folder, "only makes instructions with the program's binaries");
    write_bytes(in_folder(path, "a.memtrace.sz"), snappy, sizeof snappy - 1);
    assert_true(insn_is_in(folder));
    refuses(folder, "snappy");
    WRITE_RECORDS(path, {25, 0, 8}, {28, 12, 8});
    assert_ptr_equal(trace_kind_of(path), &trace_kinds[TRACE_IS_INSN]);
    refuses(path, "version 8");
    rmdir(other);
    trace = NULL;
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_sharded), cmocka_unit_test(markers), cmocka_unit_test(code_that_changes),
        cmocka_unit_test(regdeps), cmocka_unit_test(architecture_by_content), cmocka_unit_test(champsim),
        cmocka_unit_test(page_maps), cmocka_unit_test(pages_of_the_file),
        cmocka_unit_test(refusals)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
