/* proto/gpu/gpu_group.h, proto/gpu/warp_sort.h: order, layout, pairs, columns, any memory, temporary files without
 * names. */
#include <dirent.h>
#include <unistd.h>

#include "proto/gpu/gpu_group.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#define HEAD(grid, block, version) "-kernel name = k\n-grid dim = (" grid ")\n-block dim = (" block ")\n"             \
    "-accelsim tracer version = " version "\n\n#traces format = whatever\n"

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char raw_path[64], grouped_path[64];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(raw_path, sizeof raw_path, "%s/raw", folder);
    snprintf(grouped_path, sizeof grouped_path, "%s/grouped", folder);
    return setenv("TMPDIR", folder, 1);
}

static int tear_down(void **state)
{
    unlink(raw_path);
    unlink(grouped_path);
    return rmdir(folder);
}

static unsigned files_in_folder(void)
{
    DIR *const open = opendir(folder);
    unsigned count = 0;

    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

static void write_raw(const char *text)
{
    FILE *const file = fopen(raw_path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static char *read_whole(int descriptor)
{
    size_t const room = 4u << 20;
    char *const text = malloc(room);
    size_t used = 0;
    ssize_t got;

    assert_non_null(text);
    while ((got = read(descriptor, text + used, room - used - 1)) > 0)
        used += (size_t)got;
    assert_int_equal(got, 0);
    assert_true(used < room - 1);
    text[used] = '\0';
    close(descriptor);
    return text;
}

static struct gpu_group_report report;
static char warning[600];
static size_t warning_count;

/* The grouped text of raw_path, to be freed; the last warning is kept. */
static char *group(size_t memory_bytes)
{
    struct gpu_warnings warnings = {0};
    struct fault error = fault_none();
    int const file = gpu_group_temporary(raw_path, memory_bytes, &report, &warnings, &error);

    if (file < 0)
        fail_msg("%s", fault_text(error));
    warning_count = warnings.count;
    if (warnings.count > 0)
        snprintf(warning, sizeof warning, "%s", warnings.items[warnings.count - 1]);
    gpu_warnings_free(&warnings);
    return read_whole(file);
}

static void expect_grouped(const char *raw, const char *expected)
{
    size_t const memories[] = {0, 1, 100, 400};

    write_raw(raw);
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        char *const text = group(memories[i]);

        assert_string_equal(text, expected);
        free(text);
    }
}

static void expect_refused(const char *raw, const char *words)
{
    struct gpu_warnings warnings = {0};
    struct fault error = fault_none();

    write_raw(raw);
    assert_int_equal(gpu_group_temporary(raw_path, 0, &report, &warnings, &error), -1);
    if (strstr(fault_text(error), words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fault_text(error), words);
    gpu_warnings_free(&warnings);
}

/* gpu-traces 4.2: blocks in linear order, warps from 0; a warp without lines has `insts = 0` */
static void blocks_and_warps_are_in_order(void **state)
{
    expect_grouped(HEAD("2,2,1", "64,1,1", "3")
                   "1 1 0 1 0010 ffffffff 0 A 0 0 \n"
                   "0 1 0 0 0010 ffffffff 0 B 0 0 \n"
                   "1 0 0 0 0010 ffffffff 0 C 0 0 \n"
                   "1 1 0 1 0000 ffffffff 0 D 0 0 \n"
                   "0 0 0 1 0010 ffffffff 0 E 0 0\n"
                   "0 1 0 0 0000 ffffffff 0 F  0 0 \n"
                   "1 1 0 0 0010 ffffffff 0 G 0 0",
                   HEAD("2,2,1", "64,1,1", "3")
                   "\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 1\n"
                   "0010 ffffffff 0 E 0 0\n\n#END_TB\n"
                   "\n#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 0\ninsts = 1\n0010 ffffffff 0 C 0 0 \n\nwarp = 1\n"
                   "insts = 0\n\n#END_TB\n"
                   "\n#BEGIN_TB\n\nthread block = 0,1,0\n\nwarp = 0\ninsts = 2\n0010 ffffffff 0 B 0 0 \n"
                   "0000 ffffffff 0 F  0 0 \n\nwarp = 1\ninsts = 0\n\n#END_TB\n"
                   "\n#BEGIN_TB\n\nthread block = 1,1,0\n\nwarp = 0\ninsts = 1\n0010 ffffffff 0 G 0 0\n\nwarp = 1\n"
                   "insts = 2\n0010 ffffffff 0 A 0 0 \n0000 ffffffff 0 D 0 0 \n\n#END_TB\n");
    assert_int_equal(warning_count, 0);
    assert_int_equal(report.blocks, 4);
    assert_int_equal(report.warps, 5);
    assert_int_equal(report.insts, 7);
}

/* 64 lanes count half as many warps (4.3); a grid with a 0 (2) and blocks outside are taken, with a warning */
static void wavefronts_of_64_lanes(void **state)
{
    expect_grouped("-warp size = 64\n-isa type = GCN3\n-accelsim tracer version = 3\n-grid dim = (0,1,1)\n"
                   "-block dim = (65,1,1)\n#\n"
                   "1 0 0 1 00000000 ffffffffffffffff 0 S_ENDPGM 0 0\n"
                   "0 0 0 1 00000000 ffffffffffffffff 0 S_ENDPGM 0 0\n",
                   "-warp size = 64\n-isa type = GCN3\n-accelsim tracer version = 3\n-grid dim = (0,1,1)\n"
                   "-block dim = (65,1,1)\n#\n\n"
                   "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 1\n"
                   "00000000 ffffffffffffffff 0 S_ENDPGM 0 0\n\n#END_TB\n"
                   "\n#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 1\n"
                   "00000000 ffffffffffffffff 0 S_ENDPGM 0 0\n\n#END_TB\n");
    assert_non_null(strstr(warning, "2 thread blocks lie outside"));
}

static void missing_blocks_are_reported(void **state)
{
    write_raw(HEAD("4,1,1", "32,1,1", "3") "2 0 0 0 0000 ffffffff 0 EXIT 0 0 \n");
    free(group(0));
    assert_non_null(strstr(warning, "3 of the grid's 4 thread blocks have no instruction"));
}

#define BLOCK_0 "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n"

/* Of two records of one LDGSTS the first is left out; ARRIVES.LDGSTSBAR is another opcode (4.3) */
static void first_records_of_pairs_go(void **state)
{
    expect_grouped(HEAD("1,1,1", "64,1,1", "5")
                   "0 0 0 0 0000 ffffffff 0 ARRIVES.LDGSTSBAR.64 1 R2 0 0 \n"
                   "0 0 0 0 0000 ffffffff 0 ARRIVES.LDGSTSBAR.64 1 R2 0 0 \n"
                   "0 0 0 0 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x10 4 0 \n"
                   "0 0 0 1 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x20 4 0 \n"
                   "0 0 0 0 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f10 4 0 \n"
                   "0 0 0 1 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f20 4 0 \n"
                   "0 0 0 0 0010 ffffffff 1 R9 LDGSTS.E 2 R2 R4 4 1 0x11 4 0 \n"
                   "0 0 0 0 0010 ffffffff 1 R9 LDGSTS.E 2 R2 R4 4 1 0x7f11 4 0 \n"
                   "0 0 0 0 0020 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x12 4 0 \n"
                   "0 0 0 0 0020 0000ffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f12 4 0 \n"
                   "0 0 0 0 0030 0000ffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f13 4 0 \n",
                   HEAD("1,1,1", "64,1,1", "5") "\n" BLOCK_0 "insts = 7\n"
                   "0000 ffffffff 0 ARRIVES.LDGSTSBAR.64 1 R2 0 0 \n"
                   "0000 ffffffff 0 ARRIVES.LDGSTSBAR.64 1 R2 0 0 \n"
                   "0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f10 4 0 \n"
                   "0010 ffffffff 1 R9 LDGSTS.E 2 R2 R4 4 1 0x7f11 4 0 \n"
                   "0020 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x12 4 0 \n"
                   "0020 0000ffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f12 4 0 \n"
                   "0030 0000ffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f13 4 0 \n"
                   "\nwarp = 1\ninsts = 1\n"
                   "0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f20 4 0 \n\n#END_TB\n");
    assert_int_equal(report.left_out, 3);
}

/* With line numbers the pc is a column later (3.1, 4.3) */
static void pairs_with_line_numbers(void **state)
{
    expect_grouped(HEAD("1,1,1", "32,1,1", "5") "-enable lineinfo = 1\n"
                   "0 0 0 0 17 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x10 4 0 \n"
                   "0 0 0 0 17 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f10 4 0 \n"
                   "0 0 0 0 17 0020 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f14 4 0 \n",
                   HEAD("1,1,1", "32,1,1", "5") "-enable lineinfo = 1\n\n" BLOCK_0 "insts = 2\n"
                   "17 0010 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f10 4 0 \n"
                   "17 0020 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f14 4 0 \n\n#END_TB\n");
    assert_int_equal(report.left_out, 1);
}

/* Grouped lines of tracers before version 3 keep their ids (5) */
static void old_versions_keep_ids(void **state)
{
    expect_grouped(HEAD("1,1,1", "64,1,1", "1.2")
                   "0 0 0 1 0010 ffffffff 0 A 0 0 \n0 0 0 0 0010 ffffffff 0 LDGSTS 0 0 \n"
                   "0 0 0 0 0010 ffffffff 0 LDGSTS 0 0 \n",
                   HEAD("1,1,1", "64,1,1", "1.2") "\n" BLOCK_0 "insts = 1\n0 0 0 0 0010 ffffffff 0 LDGSTS 0 0 \n"
                   "\nwarp = 1\ninsts = 1\n0 0 0 1 0010 ffffffff 0 A 0 0 \n\n#END_TB\n");
}

/* Core and warp slot behind the ids (3.1) are no part of a grouped line */
static void core_columns_go(void **state)
{
    expect_grouped(HEAD("1,1,1", "32,1,1", "3") "0 0 0 0 12 3 0010 ffffffff 1 R1 MOV 0 0 \n",
                   HEAD("1,1,1", "32,1,1", "3") "\n" BLOCK_0 "insts = 1\n0010 ffffffff 1 R1 MOV 0 0 \n\n#END_TB\n");
    expect_grouped(HEAD("1,1,1", "32,1,1", "5") "-enable lineinfo = 1\n"
                   "0 0 0 0 12 3 77 0010 ffffffff 1 R1 MOV 0 0 0 \n",
                   HEAD("1,1,1", "32,1,1", "5") "-enable lineinfo = 1\n\n" BLOCK_0
                   "insts = 1\n77 0010 ffffffff 1 R1 MOV 0 0 0 \n\n#END_TB\n");
}

static void lines_without_instruction_are_reported(void **state)
{
    expect_grouped(HEAD("1,1,1", "32,1,1", "3") "0 0 0 0 0010 ffffffff 0 EXIT 0 0 \n0 0 0 0 \n0 0 0 0\n",
                   HEAD("1,1,1", "32,1,1", "3") "\n" BLOCK_0 "insts = 1\n0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n");
    assert_int_equal(warning_count, 1);
    assert_non_null(strstr(warning, "line 8: the line has ids but no instruction"));
}

/* header: "The same input gives the same bytes for any memory_bytes." 1: each line is a run, and runs are merged
 * twice */
static void any_memory_gives_the_same(void **state)
{
    size_t const memories[] = {1, 3000, 20000, 0};
    enum { LINES = 6000 };
    FILE *const file = fopen(raw_path, "w");
    char *first = NULL;

    assert_non_null(file);
    fputs(HEAD("7,5,3", "160,1,1", "5"), file);
    for (unsigned i = 0; i < LINES; i++) {
        unsigned const n = (unsigned)random_below(105 * 5);

        fprintf(file, "%u %u %u %u 00%u0 ffffffff 0 %s 0 %*s%u\n", n % 7, n / 7 % 5, n / 35 % 3, n / 105, n % 2,
                n % 3 == 0 ? "LDGSTS.E" : "IMAD", (int)(n % 50), "", i);
    }
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        char *const text = group(memories[i]);

        assert_int_equal(report.blocks, 105);
        assert_int_equal(report.insts + report.left_out, LINES);
        assert_true(report.left_out > 500);
        if (first != NULL)
            assert_string_equal(text, first);
        free(first);
        first = text;
    }
    free(first);
}

/* Lines longer than a window, and than the memory */
static void long_lines(void **state)
{
    FILE *const file = fopen(raw_path, "w");
    char *small, *large;

    assert_non_null(file);
    fputs(HEAD("1,1,1", "32,1,1", "5"), file);
    for (unsigned i = 0; i < 20; i++)
        fprintf(file, "0 0 0 0 00%u0 ffffffff 0 LDGSTS.E %*s\n", i / 2 % 10, (int)(3100 * i), "x");
    assert_int_equal(fclose(file), 0);
    small = group(1000);
    large = group(0);
    assert_string_equal(small, large);
    assert_int_equal(report.insts, 10);
    free(small);
    free(large);
}

/* header: "no name, so that it vanishes with the process" */
static void temporary_files_have_no_name(void **state)
{
    struct gpu_warnings warnings = {0};
    struct fault error;
    unsigned before;
    int file;

    write_raw(HEAD("1,1,1", "32,1,1", "3") "0 0 0 0 0010 ffffffff 0 EXIT 0 0 \n");
    before = files_in_folder();
    file = gpu_group_temporary(raw_path, 1, &report, &warnings, &error);
    assert_true(file >= 0);
    assert_int_equal(files_in_folder(), before);
    close(file);
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(gpu_group_temporary(raw_path, 1, &report, &warnings, &error), -1);
    assert_non_null(strstr(fault_text(error), "/nowhere/at/all"));
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
}

static void bad_files_are_refused(void **state)
{
    static const char head[] = HEAD("1,1,1", "32,1,1", "3") "0 0 0 0 ";
    static char line[70000];

    expect_refused("", "is empty");
    expect_refused("0 0 0 0 0010 ffffffff 0 EXIT 0 0 \n", "line 1: the header has no \"-block dim");
    expect_refused("-block dim = (1,1)\n", "line 1: found \"(1,1)\" where the block's threads");
    expect_refused("-grid dim = (1,1,4294967296)\n", "where the grid's blocks");
    expect_refused("-block dim = (4294967295,4294967295,4294967295)\n0 0 0 0 x\n", "at most 4096 warps");
    expect_refused("-warp size = 16\n", "a warp size of 32 or 64");
    expect_refused("-enable lineinfo = yes\n", "line 1: found \"yes\" where 0 or 1");
    expect_refused("-accelsim tracer version = 7\n", "line 1: traces of tracer version 7 are not read");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "0 0 0\n", "line 7: the line ends where the warp's number");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "0 0 4294967296 0 0\n", "where z of the thread block");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "0 0 0 4096 0\n", "line 7: warp 4096 of a block");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "hello\n", "found \"hello\" where x of the thread block");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "#BEGIN_TB\n", "is grouped already");
    expect_refused(HEAD("1,1,1", "32,1,1", "3") "thread block = 0,0,0\n", "is grouped already");
    memset(line, 'x', sizeof line - 1);
    memcpy(line, head, sizeof head - 1);
    expect_refused(line, "line 7: is longer than");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_warps_are_in_order),
        cmocka_unit_test(wavefronts_of_64_lanes),
        cmocka_unit_test(missing_blocks_are_reported),
        cmocka_unit_test(first_records_of_pairs_go),
        cmocka_unit_test(pairs_with_line_numbers),
        cmocka_unit_test(old_versions_keep_ids),
        cmocka_unit_test(core_columns_go),
        cmocka_unit_test(lines_without_instruction_are_reported),
        cmocka_unit_test(any_memory_gives_the_same),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(temporary_files_have_no_name),
        cmocka_unit_test(bad_files_are_refused)
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
