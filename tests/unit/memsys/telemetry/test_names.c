/* memsys/telemetry/names.h: names of components, the reference's names, and the common name of a kind. */
#include "memsys/telemetry/names.h"
#include "tests/support/unit.h"

static const struct {
    const char *name, *own, *reference, *kind;    /* reference NULL: the same */
} names[] = {
    {"cpu13.l1d", "l1d", "l1d13", "l1d"}, {"cpu03.tol2bus", "tol2bus", "tol2bus03", "tol2bus"},
    {"cpu3.l21", "l21", "l213", "l21"}, {"cpu13", "cpu13", NULL, "cpu"}, {"cpu", "cpu", NULL, "cpu"},
    {"l3", "l3", NULL, "l3"}, {"l1d13", "l1d13", NULL, "l1d"}, {"l213", "l213", NULL, "l2"},
    {"mem_ctrls07", "mem_ctrls07", NULL, "mem_ctrls"}, {"mem_ctrls0.dram", "mem_ctrls0.dram", NULL, "mem_ctrls0.dram"},
    {"sm3", "sm3", NULL, "sm"}, {"l2_slice12", "l2_slice12", NULL, "l2_slice"}, {"7", "7", NULL, "7"},
    {"cpux.l2", "cpux.l2", NULL, "cpux.l"}, {"", "", NULL, ""}
};

static void names_are_taken_apart(void **state)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        char reference[TELEMETRY_NAME] = "";
        const char *kind;
        size_t const length = telemetry_name_kind(names[i].name, &kind);

        assert_string_equal(telemetry_name_own(names[i].name), names[i].own);
        assert_int_equal(telemetry_name_reference(names[i].name, reference), names[i].reference != NULL);
        assert_string_equal(reference, names[i].reference ? names[i].reference : "");
        assert_int_equal(length, strlen(names[i].kind));
        assert_memory_equal(kind, names[i].kind, length);
    }
}

/* "ours or the reference's, whichever the layout has" */
static void components_are_found_by_both_names(void **state)
{
    static const char *const both[][2] = {{"cpu1.l1d", "l1d1"}, {"l1d1", "cpu1.l1d"}};

    for (size_t i = 0; i < COUNT(both); i++) {
        struct telemetry layout;

        telemetry_init(&layout);
        telemetry_add_component(&layout, TELEMETRY_CORE, TELEMETRY_NONE, "cpu1");
        telemetry_add_component(&layout, TELEMETRY_CACHE, TELEMETRY_NONE, both[i][0]);
        assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
        assert_int_equal(telemetry_named(&layout, "cpu1"), 0);
        assert_int_equal(telemetry_named(&layout, both[i][0]), 1);
        assert_int_equal(telemetry_named(&layout, both[i][1]), 1);
        assert_int_equal(telemetry_named(&layout, "l1d"), TELEMETRY_NONE);
        assert_int_equal(telemetry_named(&layout, "cpu2.l1d"), TELEMETRY_NONE);
        telemetry_free(&layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart), cmocka_unit_test(components_are_found_by_both_names)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
