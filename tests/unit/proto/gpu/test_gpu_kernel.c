/* proto/gpu/gpu_trace.h, kernels: headers, grouped layout block by block, raw files, warnings and refusals
 * (gpu-traces 2, 4, 5, 6). */
#include <unistd.h>

#include "proto/gpu/gpu_trace.h"
#include "tests/support/unit.h"

#define GRID "-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"
#define SASS GRID "-binary version = 70\n-accelsim tracer version = 3\n#traces format\n"
#define MOVE(pc) pc " ffffffff 1 R1 MOV 0 0 \n"
#define EXIT(pc) pc " ffffffff 0 EXIT 0 0 \n"
#define WARP(number, count, lines) "warp = " number "\ninsts = " count "\n" lines
#define BLOCK(id, warps) "#BEGIN_TB\n\nthread block = " id "\n\n" warps "\n#END_TB\n"
#define SMALL WARP("0", "2", MOVE("0000") EXIT("0010")) WARP("1", "1", EXIT("0010"))

static struct fault problem;

static bool open_text(struct gpu_kernel *kernel, const char *text)
{
    problem = fault_none();
    return WORKS(problem, gpu_kernel_open_memory(kernel, "file", text, strlen(text)));
}

static struct gpu_kernel opened(const char *text)
{
    struct gpu_kernel kernel;

    if (!open_text(&kernel, text))
        fail_msg("%s", fault_text(problem));
    return kernel;
}

/* Reads all blocks; the answer is the last step. */
static enum gpu_step read_all(struct gpu_kernel *kernel)
{
    struct gpu_block *block;
    enum gpu_step step;

    while ((step = gpu_kernel_next_block(kernel, &block, &problem)) == GPU_BLOCK)
        gpu_block_free(block);
    assert_null(block);
    return step;
}

/* The file is refused with this text, when it is opened or while its blocks are read. */
static void refuse(const char *text, const char *expected)
{
    struct gpu_kernel kernel;

    if (open_text(&kernel, text)) {
        if (read_all(&kernel) != GPU_FAILED)
            fail_msg("accepted: %s", text);
        gpu_kernel_close(&kernel);
    }
    if (strstr(fault_text(problem), expected) == NULL)
        fail_msg("%s; expected %s", fault_text(problem), expected);
}

static void warn(const char *text, const char *expected)
{
    struct gpu_kernel kernel = opened(text);
    bool is_there = expected == NULL;

    assert_int_equal(read_all(&kernel), GPU_NO_BLOCK);
    for (size_t i = 0; i < kernel.warning_count; i++)
        is_there |= expected != NULL && strstr(kernel.warnings[i], expected) != NULL;
    if (!is_there || (expected == NULL && kernel.warning_count > 0))
        fail_msg("%zu warnings, the first: %s; expected %s", kernel.warning_count,
                 kernel.warning_count > 0 ? kernel.warnings[0] : "none", expected != NULL ? expected : "none");
    gpu_kernel_close(&kernel);
}

/* 2 */
static void reads_headers(void **state)
{
    struct gpu_kernel kernel = opened("-kernel name = void f<a = b, \x1b>(int)  \n"
                                      "-kernel id = 18446744073709551615\n"
                                      "-grid dim = (3,4,5)\r\n"
                                      "-block dim = ( 6 , 7,8)\n"
                                      "\n"
                                      "-shmem = 49152\n-nregs = 21\n-binary version = 90\n"
                                      "-cuda stream id = 94458041431344\n"
                                      "-shmem base_addr = 0x00007f73cb000000\n"
                                      "-local mem base_addr = 7f73c9000000\n"
                                      "-nvbit version = 1.7.4\n"
                                      "-accelsim tracer version = 5\n"
                                      "-enable lineinfo = 1\n"
                                      "-own key = own = value\n"
                                      "-another=1\n"
                                      "#traces format\n");
    const struct gpu_header *const header = &kernel.header;

    assert_string_equal(header->name, "void f<a = b, ?>(int)");
    assert_true(header->id == UINT64_MAX);
    assert_int_equal(header->grid[0], 3);
    assert_int_equal(header->grid[1], 4);
    assert_int_equal(header->grid[2], 5);
    assert_int_equal(header->block[0], 6);
    assert_int_equal(header->block[2], 8);
    assert_int_equal(gpu_header_threads(header), 6 * 7 * 8);
    assert_int_equal(header->shmem_bytes, 49152);
    assert_int_equal(header->nregs, 21);
    assert_int_equal(header->binary_version, 90);
    assert_true(header->stream == 94458041431344);
    assert_true(header->shmem_base == 0x7f73cb000000);
    assert_true(header->local_base == 0x7f73c9000000);
    assert_string_equal(header->nvbit_version, "1.7.4");
    assert_string_equal(header->tracer_version, "5");
    assert_int_equal(header->tracer_major, 5);
    assert_true(header->has_line_info);
    assert_int_equal(header->warp_size, 32);
    assert_int_equal(header->isa, GPU_ISA_SASS);
    assert_int_equal(header->other_count, 2);
    assert_string_equal(header->others[0].key, "own key");
    assert_string_equal(header->others[0].value, "own = value");
    assert_string_equal(header->others[1].key, "another");
    gpu_kernel_close(&kernel);
}

/* 2: what a missing key means; 100 is an NVIDIA version without an isa type */
static void missing_keys(void **state)
{
    struct gpu_kernel kernel = opened(GRID "-binary version = 100\n#");

    assert_string_equal(kernel.header.name, "");
    assert_string_equal(kernel.header.tracer_version, "");
    assert_int_equal(kernel.header.tracer_major, 0);
    assert_int_equal(kernel.header.isa, GPU_ISA_SASS);
    assert_int_equal(kernel.header.warp_size, 32);
    gpu_kernel_close(&kernel);

    kernel = opened(GRID "-isa type = gcn3\n-nvbit version = -1\n-accelsim tracer version = 1.2\n#");
    assert_int_equal(kernel.header.isa, GPU_ISA_GCN3);
    assert_int_equal(kernel.header.warp_size, 64);
    assert_string_equal(kernel.header.tracer_version, "1.2");
    assert_int_equal(kernel.header.tracer_major, 1);
    gpu_kernel_close(&kernel);

    warn("-grid dim = (0,0,0)\n-block dim = (1,1,1)\n#", "no binary version");
    warn(GRID "-isa type = RDNA\n-binary version = 70\n#", "neither GCN3 nor SASS");
    warn(GRID "-shmem = 1\n-shmem = 2\n-binary version = 70\n#", "stood in line 3 already");
}

static void refuses_headers(void **state)
{
    static const char *const values[][2] = {
        {"-grid dim = (1,1)\n", "grid dim is \"(1,1)\"; expected three numbers"},
        {"-grid dim = (1,1,1,1)\n", "three numbers"}, {"-grid dim = (4294967296,1,1)\n", "three numbers"},
        {"-grid dim = (-1,1,1)\n", "three numbers"}, {"-grid dim = \n", "three numbers"},
        {"-kernel id = 18446744073709551616\n", "64 bits"}, {"-kernel id = 0x1\n", "64 bits"},
        {"-nregs = 4294967296\n", "32 bits"}, {"-nregs = 5 6\n", "32 bits"}, {"-binary version = sm_70\n", "32 bits"},
        {"-shmem base_addr = 0x10000000000000000\n", "hexadecimal"}, {"-shmem base_addr = \n", "hexadecimal"},
        {"-warp size = 16\n", "expected 32 or 64"}, {"-enable lineinfo = 2\n", "expected 0 or 1"},
        {"-accelsim tracer version = five\n", "a number such as 5"}, {"-accelsim tracer version = -1\n", "a number"},
        {"-accelsim tracer version = 7\n", "tracer version 7 are not read"},
        {"-accelsim tracer version = 7.1\n", "tracer version 7 are not read"},
        {"-block dim = (65537,1,1)\n", "65536 threads"}, {"-block dim = (65536,65536,65536)\n", "65536 threads"},
        {"-block dim = (300,300,1)\n", "65536 threads"},
        {"-kernel\n", "found \"-kernel\" where -key = value was expected"}, {"kernel\n", "line that begins with #"}
    };
    char text[400];

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        snprintf(text, sizeof text, GRID "%s#\n", values[i][0]);
        refuse(text, values[i][1]);
        assert_non_null(strstr(fault_text(problem), "file: line 3: "));
    }
    refuse("", "is empty; expected a kernel");
    refuse("-grid dim = (1,1,1)\n-block dim = (1,1,1)\n", "ends within the header");
    refuse("-block dim = (1,1,1)\n#\n", "without \"-grid dim = (x,y,z)\"");
    refuse("-grid dim = (1,1,1)\n#\n", "without \"-block dim = (x,y,z)\"");
    refuse(SASS "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n", "is raw");
}

static void expect_block(const struct gpu_block *block, uint32_t x, uint32_t warps)
{
    assert_int_equal(block->id[0], x);
    assert_int_equal(block->id[1], 0);
    assert_int_equal(block->warp_count, warps);
}

/* 4.2 */
static void gives_blocks(void **state)
{
    struct gpu_kernel kernel = opened(SASS "\n\n" BLOCK("0,0,0", SMALL) "\n"
                                      BLOCK("1,0,0", WARP("0", "0", "") WARP("1", "2", "\n" MOVE("0000") "\n"
                                                                             "0020 00000005 1 R2 LDG 1 R1 4 2 0x10 8"
                                                                             "\n") "\n"));
    struct gpu_block *first, *second, *none;

    assert_int_equal(gpu_kernel_next_block(&kernel, &first, &problem), GPU_BLOCK);
    expect_block(first, 0, 2);
    assert_int_equal(first->warps[0].count, 2);
    assert_int_equal(first->warps[1].count, 1);
    assert_int_equal(gpu_kernel_next_block(&kernel, &second, &problem), GPU_BLOCK);
    expect_block(second, 1, 2);
    assert_int_equal(second->warps[0].count, 0);
    assert_int_equal(second->warps[1].count, 2);
    assert_int_equal(kernel.statics[second->warps[1].insts[1].index].pc, 0x20);
    assert_int_equal(second->values[second->warps[1].insts[1].values_at], 8);
    /* the same instruction of another block is the same */
    assert_int_equal(second->warps[1].insts[0].index, first->warps[0].insts[0].index);
    assert_int_equal(kernel.static_count, 3);
    assert_int_equal(kernel.blocks_read, 2);
    /* "After GPU_NO_BLOCK or GPU_FAILED the answer stays the same" */
    assert_int_equal(gpu_kernel_next_block(&kernel, &none, &problem), GPU_NO_BLOCK);
    assert_int_equal(gpu_kernel_next_block(&kernel, &none, &problem), GPU_NO_BLOCK);
    assert_null(none);
    /* "Blocks still held stay valid until they are freed" */
    gpu_kernel_close(&kernel);
    assert_int_equal(first->warps[0].insts[0].mask, 0xffffffff);
    gpu_block_free(first);
    gpu_block_free(second);
    gpu_block_free(NULL);
}

/* 4.2: "key by (block, warp); accept any order"; "number of blocks in the file wins"; 6: last line without newline */
static void accepts_any_order(void **state)
{
    static char const text[] = SASS "#BEGIN_TB\r\nthread block = 1,0,0\r\nwarp = 3\r\ninsts = 1\r\n" EXIT("0010")
        "warp = 0\r\ninsts=1\r\n" EXIT("0010") "#END_TB\r\n" BLOCK("0,0,0", SMALL) "# a remark\n"
        "#BEGIN_TB\nthread block = 7,0,0\n#END_TB";
    struct gpu_kernel kernel = opened(text);
    struct gpu_block *block;

    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    expect_block(block, 1, 4);
    assert_int_equal(block->warps[0].count, 1);
    assert_int_equal(block->warps[1].count, 0);
    assert_int_equal(block->warps[3].count, 1);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    expect_block(block, 0, 2);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    expect_block(block, 7, 2);
    assert_int_equal(block->warps[0].count + block->warps[1].count, 0);
    gpu_block_free(block);
    assert_int_equal(read_all(&kernel), GPU_NO_BLOCK);
    gpu_kernel_close(&kernel);
}

/* 5: before version 3 lines have ids; a file whose header ends with its first block */
static void reads_old_versions(void **state)
{
    struct gpu_kernel kernel = opened(GRID "-binary version = 75\n-accelsim tracer version = 1.2\n"
                                      BLOCK("1,0,0", WARP("1", "1", "1 0 0 1 " EXIT("0010"))));
    struct gpu_block *block;

    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    expect_block(block, 1, 2);
    assert_int_equal(block->warps[1].count, 1);
    gpu_block_free(block);
    gpu_kernel_close(&kernel);
    refuse(GRID "-binary version = 75\n-accelsim tracer version = 2\n#\n"
           BLOCK("1,0,0", WARP("1", "1", "1 0 0 0 " EXIT("0010"))), "names another block or warp");
}

/* 6 */
static void refuses_layouts(void **state)
{
    refuse(SASS BLOCK("0,0,0", WARP("0", "3", MOVE("0000") EXIT("0010")) WARP("1", "0", "")),
           "file: line 14: the warp ends after 2 lines; expected the 3 that line 11 announces");
    refuse(SASS BLOCK("0,0,0", WARP("0", "3", MOVE("0000") EXIT("0010"))), "the warp ends after 2 lines");
    refuse(SASS BLOCK("0,0,0", WARP("0", "1", MOVE("0000") EXIT("0010"))), "more lines than its insts says");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n" MOVE("0000"), "file ends within a warp");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n" MOVE("0000"), "file ends within a block");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n", "file ends within a block");
    refuse(SASS "#BEGIN_TB\n", "file ends within a block");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\n#BEGIN_TB\n", "a block begins within a block");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nthread block = 1,0,0\n", "second \"thread block\"");
    refuse(SASS "#BEGIN_TB\nwarp = 0\n", "where \"thread block = x,y,z\" was expected");
    refuse(SASS "#BEGIN_TB\n#END_TB\n", "where \"thread block = x,y,z\" was expected");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0\n", "three numbers");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\n", "\"warp = N\" or #END_TB");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\nwarp = 1\n", "where insts = N was expected");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2048\n", "below 2048");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = -1\n", "warp's number");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4294967296\n", "32 bits");
    refuse(SASS "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4294967295\n", "file ends within a warp");
    refuse(SASS BLOCK("0,0,0", WARP("0", "0", "") WARP("0", "0", "")), "has this warp already");
    refuse(SASS BLOCK("0,0,0", SMALL) "0000 ffffffff 0 EXIT 0 0\n", "where #BEGIN_TB was expected");
    refuse(SASS BLOCK("0,0,0", SMALL) "#END_TB\n", "where #BEGIN_TB was expected");
    refuse(SASS BLOCK("0,0,0", WARP("0", "1", "0000 ffffffff 0 EXIT 0\n")), "file: line 12: the line ends where");
}

/* The same after an error, and the blocks before it are good. */
static void stays_failed(void **state)
{
    struct gpu_kernel kernel = opened(SASS BLOCK("0,0,0", SMALL) "#BEGIN_TB\nwarp\n");
    struct gpu_block *block;

    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    for (int i = 0; i < 2; i++) {
        struct gpu_block *none;

        problem = fault_none();
        assert_int_equal(gpu_kernel_next_block(&kernel, &none, &problem), GPU_FAILED);
        assert_non_null(strstr(fault_text(problem), "thread block"));
    }
    expect_block(block, 0, 2);
    gpu_block_free(block);
    gpu_kernel_close(&kernel);
}

/* 6: each kind of oddity is reported once, with the first line and how many more */
static void warns(void **state)
{
    warn(SASS BLOCK("0,0,0", SMALL) BLOCK("1,0,0", SMALL), NULL);
    warn(SASS BLOCK("0,0,0", SMALL), "has 1 blocks, but its grid is (2,1,1)");
    warn(SASS BLOCK("0,0,0", SMALL) BLOCK("0,0,0", SMALL), "was there before");
    warn(SASS BLOCK("0,0,0", SMALL) BLOCK("0,1,0", SMALL), "outside of the grid");
    warn(SASS BLOCK("0,0,0", WARP("2", "1", EXIT("0000"))), "beyond the block's size");
    warn(SASS BLOCK("0,0,0", WARP("0", "1", MOVE("0000")) WARP("1", "1", MOVE("0000"))),
         "file: line 12: the warp's last instruction does not end it; it ends there all the same (and 1 more)");
    warn(SASS BLOCK("0,0,0", WARP("0", "1", "0000 00000005 1 R1 LDG 1 R2 4 1 0x0 4\n")), "are not one run");
    warn("-grid dim = (0,1,1)\n-block dim = (64,1,1)\n-binary version = 70\n-accelsim tracer version = 4\n#\n"
         BLOCK("0,0,0", SMALL), "has 1 blocks, but its grid is (0,1,1)");
    warn("-grid dim = (4294967295,4294967295,4294967295)\n-block dim = (64,1,1)\n-binary version = 70\n#\n", "has 0");
    warn(GRID "-isa type = GCN3\n-accelsim tracer version = 3\n#\n"
         BLOCK("0,0,0", WARP("0", "2", "00005210 ffffffffffffffff\n00005214 ffffffffffffffff 0 S_ENDPGM 0 0\n")),
         "line 12: the line ends before its opcode");
}

/* A file of a bundled set: by name with and without its ending, raw and grouped. */
static void reads_files(void **state)
{
    static const struct {
        const char *folder, *file;
        uint64_t blocks, insts;
        uint32_t warps;
    } cases[] = {
        {"tests/traces/gpu/pascal-vectoradd-100/", "kernel-1.traceg", 1, 344, 32},
        {"tests/traces/gpu/pascal-vectoradd-100/", "kernel-1.traceg.xz", 1, 344, 32},
        {"tests/traces/gpu/volta-bfs-2blocks/", "kernel-3.traceg", 2, 866, 16},
        {"tests/traces/gpu/volta-bfs-2blocks/", "kernel-3.traceg.gz", 2, 866, 16},
        {"tests/traces/gpu/gcn3-fir/", "kernel-463.trace", 4, 6272, 4},
        {"tests/traces/gpu/gcn3-fir/", "kernel-463.trace.xz", 4, 6272, 4}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_kernel kernel;
        struct gpu_block *block;
        uint64_t insts = 0;

        if (FAILS(problem, gpu_kernel_open(&kernel, cases[i].folder, cases[i].file)))
            fail_msg("%s", fault_text(problem));
        /* "its blocks come in linear order" */
        for (uint32_t at = 0; gpu_kernel_next_block(&kernel, &block, &problem) == GPU_BLOCK; at++) {
            assert_int_equal(block->id[0], at);
            assert_int_equal(block->warp_count, cases[i].warps);
            for (uint32_t w = 0; w < block->warp_count; w++)
                insts += block->warps[w].count;
            gpu_block_free(block);
        }
        assert_int_equal(kernel.blocks_read, cases[i].blocks);
        assert_int_equal(insts, cases[i].insts);
        gpu_kernel_close(&kernel);
    }
}

/* A raw file: LDGSTS pairs lose their first record (4.3), warps that executed nothing are there and empty (4.1). */
static void reads_raw_files(void **state)
{
    static char const text[] = "-grid dim = (1,1,1)\n-block dim = (96,1,1)\n-binary version = 80\n"
        "-accelsim tracer version = 5\n#traces format\n"
        "0 0 0 2 0000 ffffffff 0 LDGSTS.E.128 2 R1 R2 16 1 0x0 16 0 \n"
        "0 0 0 2 0000 ffffffff 0 LDGSTS.E.128 2 R1 R2 16 1 0x7f0000000000 16 0 \n"
        "0 0 0 0 0010 ffffffff 0 EXIT 0 0 0 \n"
        "0 0 0 2 0010 ffffffff 0 EXIT 0 0 0 ";
    char path[] = "/tmp/rubato-gpu-kernel.XXXXXX";
    int const file = mkstemp(path);
    struct gpu_kernel kernel;
    struct gpu_block *block;

    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    if (FAILS(problem, gpu_kernel_open(&kernel, "", path)))
        fail_msg("%s", fault_text(problem));
    unlink(path);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    assert_int_equal(block->warp_count, 3);
    assert_int_equal(block->warps[0].count, 1);
    assert_int_equal(block->warps[1].count, 0);
    assert_int_equal(block->warps[2].count, 2);
    assert_true(block->warps[2].insts[0].base == 0x7f0000000000);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_NO_BLOCK);
    assert_int_equal(kernel.warning_count, 0);
    gpu_kernel_close(&kernel);
}

static void refuses_files(void **state)
{
    struct gpu_kernel kernel;

    assert_false(WORKS(problem, gpu_kernel_open(&kernel, "tests/traces/gpu/gcn3-fir/", "kernel-1.trace")));
    assert_non_null(strstr(fault_text(problem), "kernel-1.trace: is not there"));
    assert_false(WORKS(problem, gpu_kernel_open(&kernel, "", "kernel-1.tracez")));
    assert_non_null(strstr(fault_text(problem), "kernel-1.tracez: is not there"));
    assert_false(WORKS(problem, gpu_kernel_open(&kernel, "tests/", "traces")));
    assert_non_null(strstr(fault_text(problem), "is a folder"));
    assert_null(kernel.reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_headers), cmocka_unit_test(missing_keys), cmocka_unit_test(refuses_headers),
        cmocka_unit_test(gives_blocks), cmocka_unit_test(accepts_any_order), cmocka_unit_test(reads_old_versions),
        cmocka_unit_test(refuses_layouts), cmocka_unit_test(stays_failed), cmocka_unit_test(warns),
        cmocka_unit_test(reads_files), cmocka_unit_test(reads_raw_files), cmocka_unit_test(refuses_files)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
