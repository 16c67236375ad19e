/* configs/dram/command/: every pair of organization and timing resolves to the published values; files that are
 * wrong are refused with their line; expressions. */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "memsys/command/device/cmd_expression.h"
#include "tests/support/command_bench.h"

/* docs/spec/command-dram/resolved.tsv: standard, organization, timing, read latency, timings in the standard's
 * order. */
static void every_pair_has_the_published_ticks(void **state)
{
    FILE *const file = fopen("docs/spec/command-dram/resolved.tsv", "r");
    struct cmd_standard standard = {.name = NULL};
    char line[4096], name[32], organization[40], timing[40];
    unsigned pairs = 0;

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        struct cmd_spec spec;
        long long latency;
        int at;
        char *values;

        assert_int_equal(sscanf(line, "%31s %39s %39s %lld%n", name, organization, timing, &latency, &at), 4);
        if (!standard.name || strcmp(standard.name, name) != 0) {
            if (standard.name)
                cmd_standard_free(&standard);
            assert_fine(command_standard_read(&standard, name));
        }
        assert_fine(cmd_spec_make(&spec, &standard, organization, timing, NO_OVERRIDES, false, false));
        assert_int_equal(spec.read_latency, latency);
        values = line + at;
        for (unsigned i = 0; i < standard.timing_count; i++) {
            long long const expected = strtoll(values, &values, 10);

            if (spec.timings[i] != expected)
                fail_msg("%s %s %s: %s is %lld, published %lld", name, organization, timing, standard.timing_names[i],
                         (long long)spec.timings[i], expected);
        }
        assert_true(*values == '\n');
        cmd_spec_free(&spec);
        pairs++;
    }
    cmd_standard_free(&standard);
    fclose(file);
    assert_int_equal(pairs, 1091);
}

static bool find_name(const void *names, const char *text, size_t length, double *value)
{
    (void)names;
    *value = 7;
    return length == 3 && strncmp(text, "nRP", 3) == 0;
}

static void expressions(void **state)
{
    static const struct { const char *text; double value; } cases[] = {
        {"nRP + 2 * 3", 13}, {"ceil(10 / 4)", 3}, {"10 // 4", 2}, {"max(1, nRP, 3) - min(4, 2)", 5},
            {"nRP <= 7 and 1 < 0", 0},
        {"nRP > 7 or nRP == 7", 1}, {"-nRP + 1", -6}, {"always", 1}, {"round(7 / 2)", 4}, {"(1 + 2) * (3 - 1)", 6},
        {"floor(-1 / 2)", -1}
    };
    static const struct { const char *text, *fault; } faults[] = {
        {"nRAS", "unknown name"}, {"1 +", "expected a number"}, {"(1", "expected )"}, {"1 / 0", "division by zero"},
        {"1 2", "nothing more"}, {"((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))",
                                  "too many parentheses"}
    };
    double value;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_fine(cmd_evaluate(cases[i].text, find_name, NULL, &value));
        if (value != cases[i].value)
            fail_msg("%s is %g, expected %g", cases[i].text, value, cases[i].value);
    }
    for (size_t i = 0; i < COUNT(faults); i++)
        assert_text(fault_text(cmd_evaluate(faults[i].text, find_name, NULL, &value)), faults[i].fault);
}

/* A file of the user's: what it adds to a standard, and what is wrong with it. */
static struct fault read_text(struct cmd_standard *standard, const char *text)
{
    char path[] = "/tmp/rubato-standard-XXXXXX.yaml";
    int const descriptor = mkstemps(path, 5);
    struct fault fault;

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    fault = command_standard_read(standard, path);
    unlink(path);
    return fault;
}

static void a_file_extends_a_standard(void **state)
{
    struct cmd_standard standard;
    struct cmd_spec spec;
    struct cmd_pair const wide = {"rank", 2};

    assert_fine(read_text(&standard, "standard: mine\nextends: DDR5\ntimings:\n"
                          "  DDR5_8800: {rate: 8800, nBL: 8, nCL: 62, nRCD: 62, nRP: 62, nRAS: 141, nRC: 203, nWR: "
                              "132, nRTP: 33, "
                          "nCWL: 60, nCCDS: 8, nCCDS_WR: 8, nCCDL: 22, nCCDL_WR: 88, nRRDS: 8, nRRDL: 22, nWTRS: 11, "
                              "nWTRL: 44, "
                          "nFAW: 32, nPPD: 2, nCS: 2, tCK_ps: 227}\n"));
    assert_fine(cmd_spec_make(&spec, &standard, "DDR5_16Gb_x8", "DDR5_8800", (struct cmd_overrides){&wide, 1}, true,
                              true));
    assert_int_equal(spec.tck_ps, 227);
    assert_int_equal(spec.size[1], 2);
    cmd_spec_free(&spec);
    cmd_standard_free(&standard);
}

static void wrong_files_are_refused(void **state)
{
    static const struct { const char *text, *fault; } cases[] = {
        {"standard: x\n", "levels: is missing"}, {"[1, 2]\n", "keys and values"}, {"a: [\n", "not YAML"},
        {"extends: DDR4\ncolour: red\n", "line 2: unknown key colour"}, {"extends: DDR9\n", "unknown DRAM standard"},
        {"extends: DDR4\nconstraints:\n  - [Rank, ACT, ACT]\n", "line 3: expected a list of 4 to 6 words"},
        {"extends: DDR4\nconstraints:\n  - [Rank, ACT, ACT, nFAW, window x]\n", "window N"},
        {"extends: DDR4\ncommands:\n  ACT: {cycles: 1}\n", "each command once"},
        {"extends: DDR4\ncommands:\n  X: {cycles: 0}\n", "a number above 0"},
        {"extends: DDR4\ncommands:\n  X: {bus: red}\n", "one of shared row column"},
        {"extends: DDR4\ntimings:\n  A: {nRP: x}\n", "a whole number"}
    };
    struct cmd_standard standard;
    struct cmd_spec spec;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault const fault = read_text(&standard, cases[i].text);

        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_text(fault_text(fault), cases[i].fault);
    }
    assert_fine(read_text(&standard, "extends: DDR4\nconstraints:\n  - [Rank, ACT, FLY, nFAW]\n"));
    assert_text(fault_text(cmd_spec_make(&spec, &standard, "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES, false, false)),
                "unknown command FLY");
    cmd_standard_free(&standard);
}

static void overrides_and_presets_are_checked(void **state)
{
    static const struct { struct cmd_pair pair; const char *fault; } cases[] = {
        {{"channel", 2}, "channel is 1"}, {{"nXYZ", 2}, "no timing or level nXYZ"}, {{"bank", 0}, "at least 1"},
        {{"channel_width", 48}, "power of two"}, {{"tCK_ps", 0}, "tCK_ps"}, {{"column", 4}, "columns"}
    };
    struct cmd_standard standard;
    struct cmd_spec spec;

    assert_fine(command_standard_read(&standard, "DDR4"));
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text(fault_text(cmd_spec_make(&spec, &standard, "DDR4_8Gb_x8", "DDR4_2400R",
                                             (struct cmd_overrides){&cases[i].pair, 1}, false, false)), cases[i].fault);
    assert_text(fault_text(cmd_spec_make(&spec, &standard, "DDR4_8Gb_x9", "DDR4_2400R", NO_OVERRIDES, false, false)),
                "did you mean DDR4_8Gb_x");
    cmd_standard_free(&standard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_the_published_ticks), cmocka_unit_test(expressions),
        cmocka_unit_test(a_file_extends_a_standard), cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(overrides_and_presets_are_checked)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
