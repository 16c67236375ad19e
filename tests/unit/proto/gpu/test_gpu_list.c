/* proto/gpu/gpu_trace.h, lists: lines of every kind, where files are found, folders, detection (gpu-traces 1, 6). */
#include <sys/stat.h>
#include <unistd.h>

#include "proto/trace_formats.h"
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-gpu-list.XXXXXX";

static void path_of(char path[200], const char *name)
{
    snprintf(path, 200, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    path_of(path, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
    char path[200];

    path_of(path, name);
    assert_int_equal(unlink(path), 0);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

/* What tests left. */
static int remove_folder(void **state)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct gpu_list open_list(const char *name)
{
    struct fault error = fault_none();
    struct gpu_list list;
    char path[200];

    path_of(path, name);
    if (FAILS(error, gpu_list_open(&list, path)))
        fail_msg("%s", fault_text(error));
    return list;
}

static void refuse(const char *name, const char *expected)
{
    struct fault error = fault_none();
    struct gpu_list list;
    char path[200];

    path_of(path, name);
    if (WORKS(error, gpu_list_open(&list, path)))
        fail_msg("%s: accepted", name);
    if (strstr(fault_text(error), expected) == NULL)
        fail_msg("%s, expected %s", fault_text(error), expected);
    assert_null(list.commands);
}

/* 1.2, line by line; strip CR LF, trailing blanks; no newline at the end */
static void reads_all_lines(void **state)
{
    struct gpu_list list;

    write_file("kernel-1.traceg", "");
    write_file("kernel-2-ctx_0x1.traceg.xz", "");
    write_file("list", "\n"
               "MemcpyHtoD,0x00007f7393700000,32768\r\n"
               "MemcpyHtoD,1000,18446744073709547519,memcpy_0.bin,more\n"
               "MemcpyDtoH,0x1,2\n"
               "MemcpyPeer\n"
               "cudaMalloc,0x1,2\n"
               "  kernel-1.traceg \t\r\n"
               "ncclAllReduce\n"
               "cudaMalloc,0x5,6\n"
               "kernel-2-ctx_0x1.traceg.xz");
    list = open_list("list");
    assert_int_equal(list.count, 5);
    assert_int_equal(list.commands[0].kind, GPU_COPY_TO_DEVICE);
    assert_int_equal(list.commands[0].line, 2);
    assert_true(list.commands[0].address == 0x7f7393700000);
    assert_int_equal(list.commands[0].bytes, 32768);
    assert_null(list.commands[0].file);
    assert_int_equal(list.commands[1].address, 0x1000);
    assert_true(list.commands[1].bytes == 18446744073709547519u);
    assert_int_equal(list.commands[2].kind, GPU_COPY_TO_HOST);
    assert_int_equal(list.commands[2].address, 1);
    assert_int_equal(list.commands[2].bytes, 2);
    assert_int_equal(list.commands[3].kind, GPU_KERNEL);
    assert_int_equal(list.commands[3].line, 7);
    assert_string_equal(list.commands[3].file, "kernel-1.traceg");
    assert_string_equal(list.commands[4].file, "kernel-2-ctx_0x1.traceg.xz");
    assert_int_equal(strncmp(list.folder, folder, strlen(folder)), 0);
    assert_string_equal(list.folder + strlen(folder), "/");
    /* "unknown lines give one warning per kind with line number" */
    assert_int_equal(list.warning_count, 2);
    assert_non_null(strstr(list.warnings[0], "list: line 6: \"cudaMalloc\""));
    assert_non_null(strstr(list.warnings[1], "list: line 8: \"ncclAllReduce\""));
    gpu_list_close(&list);
}

/* header: "as NAME, NAME.xz, NAME.gz, or NAME without such an ending" */
static void finds_files(void **state)
{
    static const struct {
        const char *there, *named;
    } cases[] = {
        {"k.traceg", "k.traceg"}, {"k.traceg.xz", "k.traceg"}, {"k.traceg.gz", "k.traceg"}, {"k.traceg", "k.traceg.xz"},
        {"k.traceg", "k.traceg.gz"}, {"k.traceg.gz", "k.traceg.xz"}, {"k.traceg.xz", "k.traceg.gz"}
    };
    char prefix[100], path[200], *found;

    snprintf(prefix, sizeof prefix, "%s/", folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(cases[i].there, "");
        path_of(path, cases[i].there);
        found = gpu_text_find(prefix, cases[i].named);
        assert_non_null(found);
        assert_string_equal(found, path);
        free(found);
        remove_file(cases[i].there);
        assert_null(gpu_text_find(prefix, cases[i].named));
    }
    assert_null(gpu_text_find(prefix, ".xz"));
}

static void refuses_bad_lines(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"MemcpyHtoD\n", "line 1: the line ends where the copy's address"},
        {"\nMemcpyHtoD,0x1\n", "line 2: the line ends where the copy's size"},
        {"MemcpyHtoD,xyz,5\n", "found \"xyz\" where the copy's address"},
        {"MemcpyHtoD,0x10000000000000000,5\n", "the copy's address"},
        {"MemcpyHtoD,0x1,-5\n", "the copy's size"},
        {"MemcpyHtoD,0x1,18446744073709551616\n", "the copy's size"},
        {"MemcpyHtoD,0xffffffffffffffff,2\n", "beyond 64 bits"},
        {"", "names no kernel"},
        {"MemcpyHtoD,0x1,5\n", "names no kernel"},
        {"kernel-9.traceg\n", "line 1: the kernel's file"},
        {"kernel-9.tracez\n", "line 1: the kernel's file"},
        {"kernel-\x1b[2J.traceg\n", "found \"kernel-?[2J.traceg\""},
        {"kernel-\xc2\x9b.traceg\n", "printable"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file("bad", cases[i].text);
        refuse("bad", cases[i].expected);
    }
    refuse("missing", "cannot be opened");
    write_file("bad", "");
    remove_file("bad");
    refuse("container.tracez", "cannot be opened");
}

/* Warnings show no more of a line than can be printed, and not more than there is room for. */
static void warnings_can_be_printed(void **state)
{
    char text[2000];
    struct gpu_list list;

    write_file("odd", "\x1b]0;title\x07 more\n\x9b\nkernel-1.traceg\n");
    list = open_list("odd");
    assert_int_equal(list.warning_count, 2);
    assert_non_null(strstr(list.warnings[0], "\"?]0;title?\""));
    gpu_list_close(&list);

    memset(text, 'a', sizeof text - 1);
    snprintf(text + sizeof text - 18, 18, "\nkernel-1.traceg\n");
    write_file("odd", text);
    list = open_list("odd");
    assert_true(strlen(list.warnings[0]) < 300);
    gpu_list_close(&list);

    text[0] = '\0';
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "kind%d,x\n", i);
    strcat(text, "kernel-1.traceg\n");
    write_file("odd", text);
    list = open_list("odd");
    assert_true(list.warning_count <= 32);
    gpu_list_close(&list);
}

static void expect_folder_list(const char *name)
{
    struct gpu_list list = open_list("set");

    assert_string_equal(strrchr(list.path, '/') + 1, name);
    gpu_list_close(&list);
}

static bool is_gpu_trace(const char *path)
{
    return trace_kind_of(path)->work == TRACE_WORK_KERNELS;
}

/* header: "the first whose kernels exist of kernelslist.g, kernelslist, kernelslist_ctx_*.g, kernelslist_ctx_*" */
static void a_folder_is_read_as_its_list(void **state)
{
    char path[200];

    path_of(path, "set");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(is_gpu_trace(path));
    refuse("set", "is a folder without a list");
    write_file("set/kernel-1.traceg.xz", "");
    write_file("set/kernel-2.trace", "");
    write_file("set/kernelslist_ctx_0x2", "kernel-2.trace\n");
    assert_true(is_gpu_trace(path));
    expect_folder_list("kernelslist_ctx_0x2");
    write_file("set/kernelslist_ctx_0x1", "kernel-2.trace\n");
    expect_folder_list("kernelslist_ctx_0x1");
    write_file("set/kernelslist_ctx_0x9.g", "kernel-1.traceg\n");
    expect_folder_list("kernelslist_ctx_0x9.g");
    write_file("set/kernelslist", "kernel-2.trace\n");
    expect_folder_list("kernelslist");
    write_file("set/kernelslist.g", "kernel-1.traceg\n");
    expect_folder_list("kernelslist.g");
    /* one that names a file that is not there is passed over */
    remove_file("set/kernel-1.traceg.xz");
    expect_folder_list("kernelslist");
    /* if none is good, the message is about the first */
    remove_file("set/kernel-2.trace");
    refuse("set", "kernelslist.g: line 1: the kernel's file");
}

static void detects(void **state)
{
    static const struct {
        const char *text;
        bool is_one;
    } cases[] = {
        {"kernel-1.traceg\n", true}, {"cudaMalloc\nMemcpyHtoD,0x1,2\n", true}, {"-kernel name = x\n-shmem = 0\n", true},
        {"\r\n\n-grid dim = (1,1,1)\r\n", true}, {"", false}, {"hello\n", false}, {"- no key\n", false},
        {"gem5\x01kernel-1", false}, {"# rubato dependency trace\n", false}
    };
    char path[200];

    path_of(path, "file");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file("file", cases[i].text);
        if (is_gpu_trace(path) != cases[i].is_one)
            fail_msg("%s", cases[i].text);
    }
    path_of(path, "nothing");
    assert_false(is_gpu_trace(path));
    assert_false(is_gpu_trace("tests/traces/triad/deptrace.proto.gz"));
    assert_false(is_gpu_trace("tests/traces/triad"));
    assert_true(is_gpu_trace("tests/traces/gpu/gcn3-fir"));
    assert_true(is_gpu_trace("tests/traces/gpu/gcn3-fir/kernel-463.trace.xz"));
    assert_true(is_gpu_trace("tests/traces/gpu/gcn3-fir/kernel-463.trace"));
    path_of(path, "x.tracez");
    write_file("x.tracez", "\x01");
    assert_true(is_gpu_trace(path));
}

/* header: "or a kernel's file, which is taken for a list of itself" */
static void a_kernel_is_its_own_list(void **state)
{
    struct fault error;
    struct gpu_kernel kernel;
    struct gpu_list list;

    assert_true(WORKS(error, gpu_list_open(&list, "tests/traces/gpu/pascal-vectoradd-100/kernel-1.traceg")));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.commands[0].file, "kernel-1.traceg");
    assert_int_equal(list.commands[0].line, 0);
    assert_true(WORKS(error, gpu_kernel_open(&kernel, list.folder, list.commands[0].file)));
    gpu_kernel_close(&kernel);
    gpu_list_close(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_lines), cmocka_unit_test(finds_files), cmocka_unit_test(refuses_bad_lines),
        cmocka_unit_test(warnings_can_be_printed), cmocka_unit_test(a_folder_is_read_as_its_list),
        cmocka_unit_test(detects), cmocka_unit_test(a_kernel_is_its_own_list)
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
