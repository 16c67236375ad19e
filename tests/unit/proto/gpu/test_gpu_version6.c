/* Version 6 of Accel-Sim's tracer (gpu-traces 5.6): lines, clusters, grouped and raw files, the writer, and the same
 * kernel in versions 5 and 6. */
#include <unistd.h>

#include "proto/gpu/gpu_group.h"
#include "proto/gpu/line.h"
#include "tests/support/unit.h"

#define HEAD(version) "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-binary version = 90\n"          \
    "-accelsim tracer version = " version "\n\n#traces format = whatever\n"
#define BLOCK(id, clusters, lines) "\n#BEGIN_TB\n\nthread block = " id "\n" clusters "\nwarp = 0\n" lines "\n#END_TB\n"
#define CLUSTER(id, block, rank) "cluster id = " id "\ncluster cta = " block "\ncluster rank = " rank "\n"

static struct gpu_header const six = {.warp_size = 32, .binary_version = 90, .tracer_major = 6};
static struct fault problem;

/* ---- lines */

struct one {
    struct gpu_lines lines;
    struct gpu_inst inst;
    int64_t values[GPU_MAX_LANES];
    enum gpu_line_step step;
};

static void parse_next(struct one *one, const char *text)
{
    struct gpu_line_ids ids;

    one->step = gpu_lines_parse(&one->lines, (struct gpu_cursor){text, text + strlen(text)}, 7, &ids, &one->inst,
                                one->values, &problem);
}

static struct one parsed(const char *text)
{
    struct one one = {0};

    assert_fine(gpu_lines_init(&one.lines, &six, "file", false));
    parse_next(&one, text);
    return one;
}

static void reads_lines(void **state)
{
    static const struct {
        const char *text;
        unsigned destinations, sources, width, active;
        int64_t immediate;
    } cases[] = {
        {"0010 ffffffff 1 R1 MOV 1 R2 0 0 NoVal", 1, 1, 0, 32, 0},
        {"0010 ffffffff 1 R1 MOV 1 R2 0 -7", 1, 1, 0, 32, -7},
        /* uniform registers and predicates are named, and not kept */
        {"0020 0000000f 2 R4 P0 ISETP 3 R1 UR4 UPT 0 5 NoVal", 1, 1, 0, 4, 5},
        {"0020 0000000f 1 UR9 UMOV 2 URZ PT 0 5 NoVal", 0, 0, 0, 4, 5},
        {"0030 00000003 1 R4 LDG.E 1 R2 4 1 0x7000 4 16 NoVal", 1, 1, 4, 2, 16},
        {"0030 00000007 1 R4 LDG.E 1 R2 4 2 0x7000 4 8 16 NoVal", 1, 1, 4, 3, 16},
        {"0030 00000001 1 R4 LDG.E 1 R2 4 0 0x7000 16 Val 1 0x5 1 0x7000", 1, 1, 4, 1, 16},
        /* a second immediate: the number of a barrier's threads */
        {"0040 ffffffff 0 BAR.SYNC 0 0 1 128 NoVal", 0, 0, 0, 32, 1},
        {"0050 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 3 NoVal", 1, 1, 0, 32, 3},
        {"0060 00000001 0 UTMALDG.2D 2 UR4 UR8 16 0x400 0 4096 0 3 3 0x7000 0x7010 0x7020 5 NoVal", 0, 0, 0, 1, 5},
        {"0060 00000001 0 UTMASTG 1 UR4 16 0x400 1 0x3 4096 64 4 0x7000 3 16 -32 5 9 NoVal", 0, 0, 0, 1, 5},
        {"0060 00000001 0 UBLKCP 1 UR4 0 0x0 0 0 0 4 0x0 0 5", 0, 0, 0, 1, 5},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct one one = parsed(cases[i].text);
        const struct gpu_static *fixed;

        if (one.step != GPU_LINE_INST)
            fail_msg("%s: %s", cases[i].text, fault_text(problem));
        fixed = &one.lines.statics.items[one.inst.index];
        assert_int_equal(fixed->destination_count, cases[i].destinations);
        assert_int_equal(fixed->source_count, cases[i].sources);
        assert_int_equal(fixed->width_bytes, cases[i].width);
        assert_int_equal(__builtin_popcountll(one.inst.mask), cases[i].active);
        assert_int_equal(fixed->immediate, cases[i].immediate);
        assert_int_equal(one.lines.oddities[GPU_ODD_OTHER_REGISTER].count, 0);
        gpu_lines_free(&one.lines);
    }
}

/* The last matrix product of a group is another instruction than one in its midst. */
static void tells_groups_apart(void **state)
{
    struct one one = parsed("0050 ffffffff 1 R24 HGMMA 1 R24 1 0 0 NoVal");
    uint32_t const last = one.inst.index;

    assert_true(one.lines.statics.items[last].commits_group);
    parse_next(&one, "0050 ffffffff 1 R24 HGMMA 1 R24 0 0 0 NoVal");
    assert_int_not_equal(one.inst.index, last);
    assert_false(one.lines.statics.items[one.inst.index].commits_group);
    gpu_lines_free(&one.lines);
}

/* Values differ from execution to execution, and so may immediates; instructions do not. */
static void values_make_no_instruction(void **state)
{
    char text[600] = "0010 ffffffff 1 R1 MOV 1 R2 0 0 Val 32";
    struct one one = parsed("0010 ffffffff 1 R1 MOV 1 R2 0 0 Val 1 0x5 1 0x6");
    uint32_t const first = one.inst.index;

    for (unsigned i = 0; i < 32; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " 0x%x", i);
    strcat(text, " 1 0x6");
    for (int again = 0; again < 2; again++) {
        parse_next(&one, text);
        assert_int_equal(one.step, GPU_LINE_INST);
        assert_int_equal(one.inst.index, first);
    }
    parse_next(&one, "0010 ffffffff 1 R1 MOV 1 R2 0 0 Val 1 0x8 1 0x9");
    assert_int_equal(one.inst.index, first);
    parse_next(&one, "0010 ffffffff 1 R1 MOV 1 R2 0 1 NoVal");
    assert_int_not_equal(one.inst.index, first);
    assert_int_equal(one.lines.statics.items[one.inst.index].immediate, 1);
    assert_int_equal(one.lines.statics.count, 2);
    gpu_lines_free(&one.lines);
}

static void counts_what_is_not_modelled(void **state)
{
    struct one one = parsed("0000 ffffffff 0 REPLAY_START 0 0 0 NoVal");

    assert_int_equal(one.step, GPU_LINE_LEFT_OUT);
    parse_next(&one, "0000 ffffffff 0 REPLAY_END 0 0 0 NoVal");
    assert_int_equal(one.step, GPU_LINE_LEFT_OUT);
    assert_int_equal(one.lines.oddities[GPU_ODD_REPLAYED].count, 2);
    for (int i = 0; i < 3; i++)
        parse_next(&one, "0060 00000001 0 UTMALDG.2D 1 UR8 16 0x400 0 32 0 3 2 0x7000 0x7010 5 NoVal");
    assert_int_equal(one.lines.oddities[GPU_ODD_TILE_COPY].count, 3);
    gpu_lines_free(&one.lines);
}

static void refuses_lines(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"0010 ffffffff 1 R1 MOV 1 R2 0 0 Maybe", "found \"Maybe\" where Val or NoVal"},
        {"0010 ffffffff 1 R1 MOV 1 R2 0 0 1 2 NoVal", "found \"2 NoVal\" where Val or NoVal"},
        {"0010 ffffffff 1 R1 MOV 1 Q2 0 0 NoVal", "where a register"},
        {"0030 00000003 1 R4 LDG.E 1 R2 4 0 0x7000 NoVal", "found \"NoVal\" where the address of an active lane"},
        {"0030 00000003 1 R4 LDG.E 1 R2 4 3 0x7000 NoVal", "where the mode of the addresses, 0, 1 or 2"},
        {"0050 ffffffff 1 R24 HGMMA 1 R24 2 0 0 NoVal", "0 or 1, whether this matrix product"},
        {"0060 00000001 0 UTMALDG 0 16 x", "the address of the copy's barrier"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 2", "whether the copy goes to several blocks"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 1 z", "the mask of the copy's blocks"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64", "the copy's bytes"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64 0 2 0", "the mode of the copy's addresses, 3 or 4"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64 0 3", "the number of the copy's addresses"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64 0 3 2 0x7000", "the copy's next address"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64 0 4 z", "the copy's first address"},
        {"0060 00000001 0 UTMALDG 0 16 0x0 0 64 0 4 0x7000 4294967296", "the number of the copy's addresses"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct one one = parsed(cases[i].text);

        if (one.step != GPU_LINE_FAILED)
            fail_msg("accepted: %s", cases[i].text);
        assert_text(fault_text(problem), cases[i].expected);
        assert_text(fault_text(problem), "file: line 7");
        gpu_lines_free(&one.lines);
    }
}

/* ---- kernels */

static struct gpu_kernel opened(const char *text)
{
    struct gpu_kernel kernel;

    assert_fine(gpu_kernel_open_memory(&kernel, "file", text, strlen(text)));
    return kernel;
}

#define EXITS "insts = 1\n0010 ffffffff 0 EXIT 0 0 0 NoVal\n"

static void reads_clusters(void **state)
{
    struct gpu_kernel kernel = opened(HEAD("6") BLOCK("0,0,0", CLUSTER("0,0,0", "0,0,0", "0"), EXITS)
                                      BLOCK("1,0,0", CLUSTER("0,0,0", "1,0,0", "1"), EXITS));
    struct gpu_block *block;

    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    assert_int_equal(block->cluster.rank, 0);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    assert_int_equal(block->cluster.rank, 1);
    assert_int_equal(block->cluster.block[0], 1);
    assert_int_equal(block->warps[0].count, 1);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_NO_BLOCK);
    assert_int_equal(kernel.warning_count, 1);
    assert_text(kernel.warnings[0], "the block is one of a cluster");
    gpu_kernel_close(&kernel);
}

static void refuses_kernels(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {HEAD("7"), "line 5: traces of tracer version 7 are not read; expected a version up to 6"},
        {HEAD("5") BLOCK("0,0,0", CLUSTER("0,0,0", "0,0,0", "0"), EXITS), "found \"cluster id = 0,0,0\""},
        {HEAD("6") BLOCK("0,0,0", "cluster id = 0,0\n", EXITS), "line 12: found \"0,0\" where three numbers"},
        {HEAD("6") BLOCK("0,0,0", "cluster cta = 0\n", EXITS), "found \"0\" where three numbers"},
        {HEAD("6") BLOCK("0,0,0", "cluster rank = -1\n", EXITS), "found \"-1\" where the block's number in its"},
        {HEAD("6") BLOCK("0,0,0", CLUSTER("0,0,0", "16,0,0", "16"), EXITS), "line 14: block 16,0,0 of a cluster, its "
         "rank 16; expected a cluster of at most 16 blocks"},
        {HEAD("6") BLOCK("0,0,0", CLUSTER("0,0,0", "3,3,1", "9"), EXITS), "at most 16 blocks, the most of any GPU"},
        {HEAD("6") BLOCK("0,0,0", CLUSTER("0,0,0", "0,0,0", "3"), EXITS), "block 0,0,0 of a cluster has rank 3"},
        {HEAD("6") BLOCK("0,0,0", CLUSTER("0,0,0", "1,0,0", "0"), EXITS), "expected rank 0 for block 0,0,0 and no"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gpu_kernel kernel;
        struct gpu_block *block;
        enum gpu_step step = GPU_FAILED;

        if (WORKS(problem, gpu_kernel_open_memory(&kernel, "file", cases[i].text, strlen(cases[i].text)))) {
            while ((step = gpu_kernel_next_block(&kernel, &block, &problem)) == GPU_BLOCK)
                gpu_block_free(block);
            gpu_kernel_close(&kernel);
        }
        if (step != GPU_FAILED)
            fail_msg("accepted: %s", cases[i].text);
        assert_text(fault_text(problem), cases[i].expected);
    }
}

/* ---- raw files */

#define LINE(block, cluster, text) block " 0 " cluster " " text "\n"
#define COPY "0020 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 "

static char *grouped(const char *raw, size_t memory_bytes)
{
    static char text[1 << 16];
    char path[] = "/tmp/rubato-test-XXXXXX";
    int const file = mkstemp(path);
    struct gpu_group_report report;
    struct gpu_warnings warnings = {0};
    int made;
    ssize_t got = 0;

    assert_int_equal(write(file, raw, strlen(raw)), strlen(raw));
    close(file);
    made = gpu_group_temporary(path, memory_bytes, &report, &warnings, &problem);
    unlink(path);
    gpu_warnings_free(&warnings);
    if (made < 0)
        return NULL;
    got = read(made, text, sizeof text - 1);
    assert_true(got >= 0);
    text[got] = '\0';
    close(made);
    return text;
}

static void groups_raw_lines(void **state)
{
    static const char raw[] = HEAD("6")
        LINE("1 0 0", "0 0 0 1 0 0 1", "0010 ffffffff 1 R1 MOV 1 UR2 0 0 NoVal")
        LINE("0 0 0", "0 0 0 0 0 0 0", COPY "0x0 4 0 NoVal")
        LINE("1 0 0", "0 0 0 1 0 0 1", "0030 ffffffff 0 EXIT 0 0 0 NoVal")
        LINE("0 0 0", "0 0 0 0 0 0 0", COPY "0x7000 4 0 NoVal")
        LINE("0 0 0", "0 0 0 0 0 0 0", "0030 ffffffff 0 EXIT 0 0 0 NoVal");
    static const char expected[] = HEAD("6") "\n"
        BLOCK("0,0,0", CLUSTER("0,0,0", "0,0,0", "0"), "insts = 2\n" COPY "0x7000 4 0 NoVal\n"
              "0030 ffffffff 0 EXIT 0 0 0 NoVal\n")
        BLOCK("1,0,0", CLUSTER("0,0,0", "1,0,0", "1"), "insts = 2\n0010 ffffffff 1 R1 MOV 1 UR2 0 0 NoVal\n"
              "0030 ffffffff 0 EXIT 0 0 0 NoVal\n");
    size_t const memories[] = {0, 1, 200};

    for (size_t i = 0; i < COUNT(memories); i++)
        assert_string_equal(grouped(raw, memories[i]), expected);
}

/* More blocks than the table of clusters has room for, met again and again. */
static void groups_many_blocks(void **state)
{
    char *const raw = malloc(1 << 20);
    size_t used = (size_t)sprintf(raw, "%s", HEAD("6"));

    for (unsigned i = 0; i < 3 * 1500; i++)
        used += (size_t)sprintf(raw + used, "%u 0 0 0 %u 0 0 %u 0 0 %u 0010 ffffffff 0 EXIT 0 0 0 NoVal\n", i % 1500,
                                i % 1500 / 4, i % 4, i % 4);
    assert_non_null(strstr(grouped(raw, 4096), CLUSTER("0,0,0", "3,0,0", "3") "\nwarp = 0\ninsts = 3\n"));
    sprintf(raw + used, "7 0 0 0 1 0 0 2 0 0 2 0010 ffffffff 0 EXIT 0 0 0 NoVal\n");
    assert_null(grouped(raw, 4096));
    assert_text(fault_text(problem), "block 7,0,0 is in several clusters");
    sprintf(raw + used, "1499 0 0 0 1 0 0 2 0 0 2 0010 ffffffff 0 EXIT 0 0 0 NoVal\n");
    assert_null(grouped(raw, 4096));
    assert_text(fault_text(problem), "in another cluster here than in a line before");
    free(raw);
}

static void refuses_raw_lines(void **state)
{
    assert_null(grouped(HEAD("7"), 0));
    assert_text(fault_text(problem), "line 5: traces of tracer version 7 are not read");
    assert_null(grouped(HEAD("6") "0 0 0 0 0 0 0 0 0 0010 ffffffff 0 EXIT 0 0 0 NoVal\n", 0));
    assert_text(fault_text(problem), "line 8: found \"ffffffff 0 EXIT 0 0 0 NoVal\" where the block's rank");
    assert_null(grouped(HEAD("6") LINE("0 0 0", "0 0 0 4 4 0 17", "0010 ffffffff 0 EXIT 0 0 0 NoVal"), 0));
    assert_text(fault_text(problem), "line 8: block 4,4,0 of a cluster, its rank 17");
}

/* ---- writing */

static char *written(struct gpu_kernel *kernel, uint32_t version)
{
    static char text[2][1 << 16];
    static unsigned turn;
    char *const to = text[turn++ % 2];
    char path[] = "/tmp/rubato-test-XXXXXX";
    int const file = mkstemp(path);
    struct sink *const sink = sink_open_descriptor(dup(file), "written", &problem);
    struct gpu_text_written counts = {0};
    ssize_t got;

    unlink(path);
    assert_fine(gpu_text_write_kernel(kernel, sink, &(struct gpu_text_form){.version = version}, &counts));
    assert_fine(sink_close(sink));
    got = pread(file, to, sizeof text[0] - 1, 0);
    assert_true(got >= 0);
    to[got] = '\0';
    close(file);
    gpu_kernel_close(kernel);
    return to;
}

/* Between 5 and 6 nothing is lost but what version 5 has no place for. */
static void writes_both_versions(void **state)
{
    static const char lines[] = "insts = 3\n0000 ffffffff 1 R1 MOV 1 R255 0 12 NoVal\n"
        "0010 0000000f 1 R2 LDG.E 1 R4 4 2 0x7000 4 8 16 0 NoVal\n0020 ffffffff 0 EXIT 0 0 0 NoVal\n";
    char text[2000];
    struct gpu_kernel kernel;
    char *first, *second;

    snprintf(text, sizeof text, "%s%s%s%s\n#END_TB\n", HEAD("6") "\n#BEGIN_TB\n\nthread block = 1,0,0\n",
             CLUSTER("0,0,0", "1,0,0", "1"), "\nwarp = 0\n", lines);
    kernel = opened(text);
    first = written(&kernel, 0);
    assert_non_null(strstr(first, "\n\nthread block = 1,0,0\n" CLUSTER("0,0,0", "1,0,0", "1") "\nwarp = 0\n"));
    assert_non_null(strstr(first, lines));
    kernel = opened(first);
    second = written(&kernel, 5);
    assert_non_null(strstr(second, "-accelsim tracer version = 5\n"));
    assert_null(strstr(second, "NoVal\n"));
    assert_null(strstr(second, "cluster"));
    snprintf(text, sizeof text, "%s", second);
    kernel = opened(text);
    first = written(&kernel, 6);
    assert_non_null(strstr(first, "-accelsim tracer version = 6\n"));
    assert_non_null(strstr(first, CLUSTER("0,0,0", "0,0,0", "0")));
    kernel = opened(first);
    assert_string_equal(written(&kernel, 5), text);
}

static void writes_what_version_6_alone_has(void **state)
{
    struct gpu_kernel kernel = opened(HEAD("6") BLOCK("0,0,0", "", "insts = 3\n"
                                      "0050 ffffffff 1 R24 HGMMA 1 R24 1 0 0 NoVal\n"
                                      "0060 00000001 0 UBLKCP 1 UR4 16 0x400 0 32 0 3 2 0x7000 0x7010 5 NoVal\n"
                                      "0070 ffffffff 0 EXIT 0 0 0 NoVal\n"));
    char *const text = written(&kernel, 0);

    assert_non_null(strstr(text, "\n0050 ffffffff 1 R24 HGMMA 1 R24 1 0 0 NoVal\n"
                           "0060 00000001 0 UBLKCP 0 0 0x0 0 0 0 3 0 5 NoVal\n"));
    kernel = opened(text);
    assert_string_equal(written(&kernel, 0), text);
}

static void refuses_to_write(void **state)
{
    struct gpu_kernel kernel = opened("-grid dim = (1,1,1)\n-block dim = (64,1,1)\n-isa type = GCN3\n"
                                      "-accelsim tracer version = 3\n#\n");
    struct gpu_text_written counts = {0};
    struct sink *const sink = sink_open_descriptor(dup(1), "written", &problem);

    problem = gpu_text_write_kernel(&kernel, sink, &(struct gpu_text_form){.version = 6}, &counts);
    assert_text(fault_text(problem), "a kernel of GCN3, which version 6 of the tracer does not have");
    problem = gpu_text_write_kernel(&kernel, sink, &(struct gpu_text_form){.is_container = true}, &counts);
    assert_text(fault_text(problem), "which has no .tracez; expected version 6; add --version 6");
    sink_discard(sink);
    gpu_kernel_close(&kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines), cmocka_unit_test(tells_groups_apart),
        cmocka_unit_test(values_make_no_instruction), cmocka_unit_test(counts_what_is_not_modelled),
        cmocka_unit_test(refuses_lines), cmocka_unit_test(reads_clusters), cmocka_unit_test(refuses_kernels),
        cmocka_unit_test(groups_raw_lines), cmocka_unit_test(groups_many_blocks), cmocka_unit_test(refuses_raw_lines),
        cmocka_unit_test(writes_both_versions), cmocka_unit_test(writes_what_version_6_alone_has),
        cmocka_unit_test(refuses_to_write)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
