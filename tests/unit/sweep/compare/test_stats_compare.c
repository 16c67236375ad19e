/* tests/support/stats_compare.h and sweep/compare/stats_table.h: the comparison that all reference runs pass through
 * must find what differs. */
#include <unistd.h>

#include "tests/support/stats_compare.h"
#include "tests/support/unit.h"

static const char sample[] =
    "\n---------- Begin Simulation Statistics ----------\n"
    "simSeconds                                   0.000481                       # time (Second)\n"
    "finalTick                                   480810000                       # ticks (Tick)\n"
    "hostSeconds                                      0.43                       # host (Second)\n"
    "system.l1d.avgBlocked::no_mshrs                   nan                       # cycles ((Cycle/Count))\n"
    "system.l1d.blockedCauses::no_mshrs                  0                       # causes (Count)\n"
    "system.l2.CleanEvict.mshrMissRate::total          inf                       # rate (Ratio)\n"
    "system.l2.tags.tagsInUse                  7404.985765                       # tags (Tick)\n"
    "system.mem_ctrls.dram.bytesPerActivate::0-127         2810     47.85%     47.85% # bytes (Byte)\n"
    "system.mem_ctrls.dram.busUtilWrite               0.00                       # use (Ratio)\n"
    "\n---------- End Simulation Statistics   ----------\n";

enum { SAMPLE_LINES = 9, SAMPLE_COMPARED = 7, TEXT_BYTES = 4096 };

static struct stats_table reference, ours;
static struct fault fault;

static bool read_text(struct stats_table *table, const char *text)
{
    char path[] = "/tmp/rubato-test-stats.XXXXXX";
    int const descriptor = mkstemp(path);
    FILE *const file = fdopen(descriptor, "w");

    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    fault = stats_table_read(table, path);
    unlink(path);
    return fault.kind == FAULT_NONE;
}

/* The sample with its first `from` replaced by `to`. */
static const char *mutate(const char *from, const char *to)
{
    static char text[TEXT_BYTES];
    const char *const place = strstr(sample, from);

    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - sample), sample, to, place + strlen(from));
    return text;
}

struct noted {
    char name[128];
};

static void note(void *context, const struct stats_difference *difference)
{
    struct noted *const noted = context;

    snprintf(noted->name, sizeof noted->name, "%s", difference->name);
}

/* Compares the sample with the text; checks how many differ, and the name of the last one. */
static void expect(const char *text, size_t different, const char *name)
{
    struct noted noted = {""};
    struct stats_comparison comparison = {.report = note, .context = &noted};

    assert_true(read_text(&reference, sample));
    assert_true(read_text(&ours, text));
    stats_compare(&reference, &ours, &comparison);
    assert_int_equal(comparison.different, different);
    assert_string_equal(noted.name, name);
    stats_table_free(&reference);
    stats_table_free(&ours);
}

static void a_file_equals_itself(void **state)
{
    struct stats_comparison comparison = {0};

    assert_true(read_text(&reference, sample));
    assert_true(read_text(&ours, sample));
    assert_int_equal(reference.count, SAMPLE_LINES);
    stats_compare(&reference, &ours, &comparison);
    assert_int_equal(comparison.compared, SAMPLE_COMPARED);
    assert_int_equal(comparison.different, 0);
    stats_table_free(&reference);
    stats_table_free(&ours);
}

static void one_digit_is_a_difference(void **state)
{
    expect(mutate("480810000", "480810001"), 1, "finalTick");
    expect(mutate("0.000481", "0.000482"), 1, "simSeconds");
    expect(mutate("0.000481", "0.00048"), 1, "simSeconds");
    expect(mutate("47.85%     47.85%", "47.85%     47.86%"), 1, "system.mem_ctrls.dram.bytesPerActivate::0-127");
    expect(mutate("inf", "1.5"), 1, "system.l2.CleanEvict.mshrMissRate::total");
}

/* "A name that one side lacks counts as 0 there; nan and inf are no 0" */
static void a_missing_name_counts_as_zero(void **state)
{
    expect(mutate("finalTick ", "otherTick "), 2, "otherTick");
    expect(mutate("system.l1d.blockedCauses::no_mshrs                  0", "x 0"), 0, "");
    expect(mutate("system.mem_ctrls.dram.busUtilWrite               0.00", "x 0"), 0, "");
    expect(mutate("system.l1d.avgBlocked::no_mshrs                   nan", "x 0"), 1,
           "system.l1d.avgBlocked::no_mshrs");
    expect(mutate("system.l1d.avgBlocked::no_mshrs                   nan", "system.l1d.avgBlocked::no_mshrs 0"), 1,
           "system.l1d.avgBlocked::no_mshrs");
}

static void excluded_statistics_may_differ(void **state)
{
    expect(mutate("0.43", "17.0"), 0, "");
    expect(mutate("7404.985765", "1"), 0, "");
}

static void the_last_block_counts(void **state)
{
    static char text[2 * sizeof sample];

    snprintf(text, sizeof text, "%s%s", mutate("480810000", "240405000"), sample);
    expect(text, 0, "");
    snprintf(text, sizeof text, "%s%s", sample, mutate("480810000", "480810007"));
    expect(text, 1, "finalTick");
}

static void incomplete_files_are_refused(void **state)
{
    assert_false(read_text(&ours, ""));
    assert_false(read_text(&ours, mutate("---------- End", "")));
    assert_false(read_text(&ours, mutate("finalTick ", "simSeconds ")));
    assert_non_null(strstr(fault_text(fault), "simSeconds"));
    assert_int_equal(stats_table_read(&ours, "/dev/null/stats.txt").kind, FAULT_INPUT);
}

static void expect_model(const char *json, size_t different)
{
    struct stats_comparison comparison = {0};

    assert_true(read_text(&reference, json));
    assert_true(read_text(&ours, sample));
    stats_compare(&reference, &ours, &comparison);
    assert_int_equal(comparison.different, different);
    stats_table_free(&reference);
    stats_table_free(&ours);
}

/* JSON has all digits of a number, the text only those that are printed. */
static void numbers_of_the_model_are_rounded_like_ours(void **state)
{
    expect_model("{\"finalTick\": 480810000, \"simSeconds\": 0.00048081}", 0);
    expect_model("{\"finalTick\": 480810000, \"simSeconds\": 0.00048181}", 1);
    expect_model("{\"finalTick\": 480810001}", 1);
    expect_model("{\"finalTick\": 480810000, \"system.l1d.ReadReq.hits::total\": 3}", 1);
    expect_model("{\"finalTick\": 480810000, \"system.l1d.ReadReq.hits::total\": 0}", 0);
}

/* The table of tests/README.md, section "Left out", names each pattern. */
static void readme_lists_the_excluded_statistics(void **state)
{
    static char text[1 << 16];
    FILE *const file = fopen("tests/README.md", "r");
    size_t used;

    if (file == NULL) {
        print_message("tests/README.md: run this from the root of the tree\n");
        skip();
    }
    used = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[used] = '\0';
    for (const struct stats_left_out *entry = stats_left_out; entry->pattern; entry++) {
        char quoted[128];

        snprintf(quoted, sizeof quoted, "| `%s` |", entry->pattern);
        if (strstr(text, quoted) == NULL)
            fail_msg("tests/README.md does not list %s", entry->pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_equals_itself),
        cmocka_unit_test(one_digit_is_a_difference),
        cmocka_unit_test(a_missing_name_counts_as_zero),
        cmocka_unit_test(excluded_statistics_may_differ),
        cmocka_unit_test(the_last_block_counts),
        cmocka_unit_test(incomplete_files_are_refused),
        cmocka_unit_test(numbers_of_the_model_are_rounded_like_ours),
        cmocka_unit_test(readme_lists_the_excluded_statistics)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
