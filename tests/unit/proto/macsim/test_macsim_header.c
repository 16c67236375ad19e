/* proto/macsim/macsim_header.h: each form of macsim-traces 1.1, the meaning of kind and version (2.4), and errors. */
#include "proto/macsim/macsim_header.h"
#include "tests/support/macsim_writer.h"
#include "tests/support/unit.h"

struct form {
    const char *text;
    enum macsim_kind kind;
    enum macsim_era era;
    const char *version;
    uint64_t max_blocks;
    size_t threads;
    enum macsim_layout layout;           /* MACSIM_LAYOUT_COUNT: the header leaves it open */
    enum macsim_dialect opcodes;
};

#define OPEN MACSIM_LAYOUT_COUNT, MACSIM_DIALECT_COUNT

static struct form const forms[] = {
    /* 2011-09 to 2013-04 */
    {"2 x86\n0 0\n1 1500\n", MACSIM_KIND_X86, MACSIM_ERA_2011, "", 0, 2, OPEN},
    {"2 ptx\n0 0\n1 1500\n", MACSIM_KIND_PTX, MACSIM_ERA_2011, "", 0, 2, OPEN},
    {"2 newptx\n6\n0 0\n1 1500", MACSIM_KIND_NEWPTX, MACSIM_ERA_2011, "", 6, 2, OPEN},
    /* 2013-04-28 to 2013-05-13 */
    {"13 2 x86 0 0 1 1500", MACSIM_KIND_X86, MACSIM_ERA_2013_APRIL, "13", 0, 2, OPEN},
    {"11 2 newptx 6 0 0 1 1500", MACSIM_KIND_NEWPTX, MACSIM_ERA_2013_APRIL, "11", 6, 2, MACSIM_G64,
     MACSIM_PTX_V131},
    {"13 2 newptx 6 0 0 1 1500", MACSIM_KIND_NEWPTX, MACSIM_ERA_2013_APRIL, "13", 6, 2, MACSIM_G64,
     MACSIM_PTX_V131},
    {"131 2 newptx 6 0 0 1 1500", MACSIM_KIND_NEWPTX, MACSIM_ERA_2013_APRIL, "131", 6, 2, MACSIM_G72,
     MACSIM_PTX_V131},
    /* 2013-05-13 to 2020-06 */
    {"x86\n2\n0 0\n1 1500\n\n\n", MACSIM_KIND_X86, MACSIM_ERA_2013_MAY, "", 0, 2, OPEN},
    {"ptx 131 2 0 0 1 1500", MACSIM_KIND_PTX, MACSIM_ERA_2013_MAY, "131", 0, 2, MACSIM_G72, MACSIM_PTX_V131},
    {"newptx\n131\n6\n2\n0 0\n1 1500\n", MACSIM_KIND_NEWPTX, MACSIM_ERA_2013_MAY, "131", 6, 2, MACSIM_G72,
     MACSIM_PTX_V131},
    /* 2020-06 on */
    {"x86 1.3\r\n2\r\n0 0\r\n1 1500", MACSIM_KIND_X86, MACSIM_ERA_2020, "1.3", 0, 2, MACSIM_C80, MACSIM_X86_PIN313},
    {"x86 13 2 0 0 1 1500", MACSIM_KIND_X86, MACSIM_ERA_2020, "13", 0, 2, OPEN},
    {"ptx 14 2 0 0 1 1500", MACSIM_KIND_PTX, MACSIM_ERA_2020, "14", 0, 2, MACSIM_G72, MACSIM_PTX_V14},
    {"newptx 14 6 2 0 0 1 1500", MACSIM_KIND_NEWPTX, MACSIM_ERA_2020, "14", 6, 2, MACSIM_G72, MACSIM_PTX_V14},
    /* other types */
    {"a64 2 0 0 1 1500", MACSIM_KIND_A64, MACSIM_ERA_OTHER, "", 0, 2, MACSIM_A80, MACSIM_A64},
    {"igpu\n2\n0 0\n1 1500\n", MACSIM_KIND_IGPU, MACSIM_ERA_OTHER, "", 0, 2, MACSIM_C80, MACSIM_GED_2019},
    {"nvbit 14 16 2 0 0 1 1500", MACSIM_KIND_NVBIT, MACSIM_ERA_OTHER, "14", 16, 2, MACSIM_N64, MACSIM_NVBIT},
};

static bool read_text(struct macsim_header *header, const char *text, struct fault *error)
{
    return WORKS(*error, macsim_header_read_memory(header, "folder/Trace.txt", text, strlen(text)));
}

static void every_form(void **state)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct form const *const form = &forms[i];
        struct macsim_format format = {MACSIM_LAYOUT_COUNT, MACSIM_DIALECT_COUNT, MACSIM_REG_NONE, false};
        struct macsim_header header;
        struct fault error;
        char path[64];

        if (!read_text(&header, form->text, &error))
            fail_msg("%s: %s", form->text, fault_text(error));
        assert_true(macsim_header_detect(form->text, strlen(form->text)));
        assert_int_equal(header.form, MACSIM_THREADS);
        assert_int_equal(header.kind, form->kind);
        assert_int_equal(header.era, form->era);
        assert_string_equal(header.version, form->version);
        assert_int_equal(header.max_blocks, form->max_blocks);
        assert_int_equal(header.thread_count, form->threads);
        assert_int_equal(header.threads[0].id, 0);
        assert_int_equal(header.threads[0].start, 0);
        assert_int_equal(header.threads[1].id, 1);
        assert_int_equal(header.threads[1].start, 1500);
        assert_true(macsim_header_stream_path(&header, 1, path, sizeof path));
        assert_string_equal(path, "folder/Trace_1.raw");
        assert_int_equal(macsim_header_format(&header, &format), form->layout != MACSIM_LAYOUT_COUNT);
        assert_int_equal(format.layout, form->layout);
        assert_int_equal(format.opcodes, form->opcodes);
        macsim_header_free(&header);
    }
}

/* 1.1: the version of x86 follows from the count of numbers */
static void x86_by_arithmetic(void **state)
{
    struct macsim_header header;
    struct fault error;

    assert_true(read_text(&header, "x86 1 0 0", &error));
    assert_string_equal(header.version, "");
    assert_int_equal(header.thread_count, 1);
    macsim_header_free(&header);
    assert_true(read_text(&header, "x86 1 1 0 0", &error));
    assert_string_equal(header.version, "1");
    assert_int_equal(header.thread_count, 1);
    assert_int_equal(header.warning_count, 1);
    macsim_header_free(&header);
}

static void lists(void **state)
{
    static const char *const kernel_lists[] = {
        "newptx 14 -1 /nowhere/a/Trace.txt /nowhere/b/Trace.txt", "nvbit\n14\n-1\n./a/Trace.txt\n./b/Trace.txt\n",
        "-1 newptx /nowhere/a/Trace.txt /nowhere/b/Trace.txt", "131 -1 newptx a/Trace.txt b/Trace.txt",
    };
    struct macsim_header header;
    struct fault error;

    for (size_t i = 0; i < sizeof kernel_lists / sizeof kernel_lists[0]; i++) {
        if (!read_text(&header, kernel_lists[i], &error))
            fail_msg("%s: %s", kernel_lists[i], fault_text(error));
        assert_int_equal(header.form, MACSIM_KERNEL_LIST);
        assert_true(macsim_kind_is_gpu(header.kind));
        assert_int_equal(header.path_count, 2);
        assert_non_null(strstr(header.paths[1], "b/Trace.txt"));
        macsim_header_free(&header);
    }
    assert_true(read_text(&header, "2\nx86/a.txt\nptx/kernel_config.txt\n", &error));
    assert_int_equal(header.form, MACSIM_TRACE_LIST);
    assert_int_equal(header.path_count, 2);
    macsim_header_free(&header);
}

struct refusal {
    const char *text, *why;
};

static struct refusal const refusals[] = {
    {"", "folder/Trace.txt: line 1: the text ends where a MacSim header was expected"},
    {"hello world", "line 1: found hello where a MacSim header was expected"},
    {"0 241\n1 241\n", "line 1: found 0 where a MacSim header"},
    {"x86 1.3\n4\n0 0\n1 5\n2 9\n", "promises 4 threads, but 3 pairs of id and start follow"},
    {"4 x86 0 0", "promises 4 threads, but 1 pairs"},
    {"x86 3 0 0 1 5", "promises 3 threads, but 2 pairs"},
    {"x86 7 9 0 0", "4 numbers follow x86; expected a count and two for each thread"},
    {"newptx 14 6 2 0 0", "promises 2 threads, but 1 pairs"},
    {"x86 1.3 0", "promises 0 threads"},
    {"x86 1.3\n1\n0 x\n", "line 3: found x where a thread's start was expected"},
    {"x86 1.3 1 -1 0", "found -1 where a thread's id was expected"},
    {"x86 1.3 1 99999999999999999999 0", "found 99999999999999999999 where a thread's id was expected"},
    {"x86 1.3 18446744073709551615 0 0", "where the number of threads was expected"},
    {"newptx 14", "the text ends where the most blocks of a core was expected"},
    {"newptx x 6 1 0 0", "where a MacSim header was expected"},
    {"newptx 14 -1", "the list names no kernel"},
    {"-1 x86 a.txt", "a list of kernels (count -1) of x86"},
    {"3 a.txt b.txt", "promises 3 traces, but 2 paths follow"},
    {"2 a.txt b", "found b where path 2 of a header was expected, with a `.` in its name and no control characters"},
    {"1 a.\001txt", "found a.?txt where path 1"},
};

static void wrong_headers(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct macsim_header header;
        struct fault error = fault_none();

        if (read_text(&header, refusals[i].text, &error))
            fail_msg("%s: was read", refusals[i].text);
        if (strstr(fault_text(error), refusals[i].why) == NULL)
            fail_msg("%s: %s; expected %s", refusals[i].text, fault_text(error), refusals[i].why);
        assert_null(header.path);
    }
}

static void ignores_excess_numbers(void **state)
{
    struct macsim_header header;
    struct fault error;

    assert_true(read_text(&header, "nvbit 14 16 1 0 0 65536 0 7", &error));
    assert_int_equal(header.thread_count, 1);
    assert_int_equal(header.warning_count, 1);
    assert_string_equal(header.warnings[0], "3 numbers behind the 1 promised threads are left out");
    macsim_header_free(&header);
}

static void written_and_read(void **state)
{
    static char path[] = "/tmp/rubato-macsim-header.txt";
    struct macsim_thread threads[] = {{0, 0}, {65536, 12}};
    struct macsim_header const header = {.kind = MACSIM_KIND_NEWPTX, .threads = threads, .thread_count = 2,
                                         .max_blocks = 6};
    struct macsim_header again;
    struct fault error;

    assert_true(macsim_header_write(&header, path, &error));
    assert_true(WORKS(error, macsim_header_read(&again, path)));
    assert_int_equal(again.kind, MACSIM_KIND_NEWPTX);
    assert_string_equal(again.version, "14");
    assert_int_equal(again.max_blocks, 6);
    assert_int_equal(again.thread_count, 2);
    assert_memory_equal(again.threads, threads, sizeof threads);
    macsim_header_free(&again);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form), cmocka_unit_test(x86_by_arithmetic), cmocka_unit_test(lists),
        cmocka_unit_test(wrong_headers), cmocka_unit_test(ignores_excess_numbers), cmocka_unit_test(written_and_read)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
