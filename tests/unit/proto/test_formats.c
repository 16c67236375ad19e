/* proto/trace_formats.h: each kind of trace is recognised by its content, and other files are unknown. */
#include <sys/stat.h>
#include <unistd.h>

#include "proto/gpu/gpu_store.h"
#include "proto/trace_formats.h"
#include "proto/macsim/macsim_pack.h"
#include "proto/macsim/set.h"
#include "proto/store/store_pack.h"
#include "tests/support/macsim_samples.h"
#include "tests/support/unit.h"

#define GPU "tests/traces/gpu/pascal-vectoradd-100"
#define HEADER "x86 1.3\n1\n0 0\n"

static char folder[] = "/tmp/rubato-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t count)
{
    FILE *const file = fopen(in_folder(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void assert_kind(const char *path, enum trace_number expected)
{
    if (trace_kind_of(path) != &trace_kinds[expected])
        fail_msg("%s is a %s; expected a %s", path, trace_kind_of(path)->name, trace_kinds[expected].name);
}

static void of_elastic_traces(void **state)
{
    struct fault error;

    assert_kind("tests/traces/triad", TRACE_IS_PAIR);
    assert_kind("tests/traces/triad/deptrace.proto.gz", TRACE_IS_DATA);
    assert_kind("tests/traces/triad/fetchtrace.proto.gz", TRACE_IS_FETCH);
    assert_true(WORKS(error, store_pack("tests/traces/triad/deptrace.proto.gz",
                                        "tests/traces/triad/fetchtrace.proto.gz", in_folder("pair"))));
    assert_kind(in_folder("pair"), TRACE_IS_STORE);
    assert_false(trace_has_kernels(in_folder("pair")));
}

static void of_gpu_traces(void **state)
{
    struct gpu_list list;
    struct fault error;

    assert_kind(GPU, TRACE_IS_GPU_LIST);
    assert_kind(GPU "/kernelslist.g", TRACE_IS_GPU_LIST);
    assert_kind(GPU "/kernel-1.traceg", TRACE_IS_GPU_LIST);
    assert_kind("tests/traces/gpu/gcn3-fir/kernel-463.trace", TRACE_IS_GPU_LIST);       /* named .xz */
    assert_true(WORKS(error, trace_list_pack(GPU, NULL, in_folder("kernels"))));
    assert_kind(in_folder("kernels"), TRACE_IS_GPU_STORE);
    assert_true(trace_has_kernels(in_folder("kernels")));
    assert_true(WORKS(error, trace_list_open(&list, in_folder("kernels"), NULL)));
    gpu_list_close(&list);
    assert_false(WORKS(error, trace_list_pack(in_folder("kernels"), NULL, in_folder("again"))));
    assert_int_equal(error.kind, FAULT_INPUT);
}

static void of_macsim_traces(void **state)
{
    struct sample sample = {0};
    struct macsim_set set;
    struct gpu_list list;
    struct fault error;
    uint64_t bytes;
    size_t threads;

    sample_make(&sample, MACSIM_C80, MACSIM_X86_PIN313, 4, SAMPLE_DATA);
    assert_int_equal(mkdir(in_folder("set"), 0700), 0);
    put("set/trace.txt", HEADER, sizeof HEADER - 1);
    put("set/trace_0.raw", sample.bytes, sample.length);
    free(sample.bytes);
    assert_kind(in_folder("set"), TRACE_IS_MACSIM);
    assert_kind(in_folder("set/trace.txt"), TRACE_IS_MACSIM);
    assert_kind(in_folder("set/trace_0.raw"), TRACE_IS_MACSIM);
    assert_false(trace_has_kernels(in_folder("set")));
    assert_false(WORKS(error, trace_list_open(&list, in_folder("set"), NULL)));
    assert_int_equal(error.kind, FAULT_INPUT);
    if (FAILS(error, macsim_set_open(&set, in_folder("set"), NULL)))
        fail_msg("%s", fault_text(error));
    assert_true(WORKS(error, macsim_pack_write(&set, in_folder("pack"), &threads, &bytes)));
    macsim_set_close(&set);
    assert_kind(in_folder("pack"), TRACE_IS_MACSIM_PACK);
    /* "A folder with a kernelslist is a GPU list, whatever else lies in it or below it." */
    put("set/kernelslist", "", 0);
    assert_kind(in_folder("set"), TRACE_IS_GPU_LIST);
    unlink(in_folder("set/kernelslist"));
}

static void of_unknown_files(void **state)
{
    struct gpu_list list;
    struct fault error;

    put("empty", "", 0);
    put("noise", "\x1f\x8b no gzip\n", 11);
    put("magic", "gem5", 4);
    assert_kind(in_folder("empty"), TRACE_IS_UNKNOWN);
    assert_kind(in_folder("noise"), TRACE_IS_UNKNOWN);
    assert_kind(in_folder("magic"), TRACE_IS_UNKNOWN);
    assert_kind(in_folder("missing"), TRACE_IS_UNKNOWN);
    assert_int_equal(mkdir(in_folder("none"), 0700), 0);
    assert_kind(in_folder("none"), TRACE_IS_UNKNOWN);
    assert_false(trace_has_kernels(in_folder("noise")));
    assert_false(WORKS(error, trace_list_open(&list, in_folder("missing"), NULL)));
    assert_int_equal(error.kind, FAULT_INPUT);
}

static int set_up(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"pair", "kernels", "pack", "empty", "noise", "magic", "set/trace.txt",
                                        "set/trace_0.raw"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(in_folder(files[i]));
    rmdir(in_folder("none"));
    rmdir(in_folder("set"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_elastic_traces),
        cmocka_unit_test(of_gpu_traces),
        cmocka_unit_test(of_macsim_traces),
        cmocka_unit_test(of_unknown_files),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
