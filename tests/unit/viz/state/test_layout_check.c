/* viz/state/state.h: what the view takes for granted of a layout is demanded of one that comes from outside. */
#include "tests/support/unit.h"
#include "viz/state/state.h"

static const char *const names[] = {"one", "two", "three"};

/* One component beside the system, with up to two fields of the given numbers of values; a field without name is left
 * out. */
static struct fault check(enum telemetry_part part, const char *first, uint32_t first_count, const char *second,
                          uint32_t second_count, const char *const *element_names)
{
    struct telemetry layout;
    struct telemetry_field field = {.unit = "Count", .help = "", .element_names = element_names};
    struct fault fault;

    telemetry_init(&layout);
    telemetry_add_component(&layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    field.component = telemetry_add_component(&layout, part, 0, "it");
    field.name = first;
    field.count = first_count;
    telemetry_add(&layout, &field);
    field.name = second;
    field.count = second_count;
    if (second)
        telemetry_add(&layout, &field);
    assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
    fault = layout_check(&layout);
    telemetry_free(&layout);
    return fault;
}

#define SAYS(text, ...) says(text, check(__VA_ARGS__))

static void says(const char *text, struct fault fault)
{
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_string_equal(fault_text(fault), text);
}

#define IS_GOOD(...) is_good(check(__VA_ARGS__))

static void is_good(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        fail_msg("expected no fault, got: %s", fault_text(fault));
}

static void a_layout_has_components(void **state)
{
    struct telemetry layout;

    telemetry_init(&layout);
    assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
    says("layout of samples: expected at least 1 component, found none", layout_check(&layout));
    telemetry_free(&layout);
}

static void bytes_have_two_directions(void **state)
{
    IS_GOOD(TELEMETRY_CHANNEL, "bytes", 2, NULL, 0, NULL);
    IS_GOOD(TELEMETRY_CACHE, "bytes", 1, NULL, 0, NULL);
    SAYS("layout of samples: it: field bytes: expected 2 values, found 1", TELEMETRY_CHANNEL, "bytes", 1, NULL, 0,
         NULL);
    SAYS("layout of samples: it: field bytes: expected 2 values, found 3", TELEMETRY_MEMORY, "bytes", 3, NULL, 0, NULL);
    SAYS("layout of samples: it: field demand: expected at least 2 values, found 1", TELEMETRY_CACHE, "demand", 1, NULL,
         0, NULL);
}

static void latencies_have_all_bins(void **state)
{
    IS_GOOD(TELEMETRY_CORE, "load_latency", LATENCY_BIN_COUNT, NULL, 0, NULL);
    SAYS("layout of samples: it: field load_latency: expected 192 values, found 600", TELEMETRY_CORE, "load_latency",
         600, NULL, 0, NULL);
    SAYS("layout of samples: it: field load_latency: expected 192 values, found 191", TELEMETRY_GPU, "load_latency",
         191, NULL, 0, NULL);
}

static void fields_of_a_rank_have_a_value_for_each_bank(void **state)
{
    static const char *const fields[] = {"rows", "reads", "writes", "activates", "conflicts"};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct fault fault;

        IS_GOOD(TELEMETRY_RANK, "banks", 8, fields[i], 8, NULL);
        IS_GOOD(TELEMETRY_RANK, "power", 8, fields[i], 4, NULL);
        IS_GOOD(TELEMETRY_CHANNEL, "banks", 8, fields[i], 4, NULL);
        fault = check(TELEMETRY_RANK, "banks", 8, fields[i], 4, NULL);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), fields[i]));
        assert_non_null(strstr(fault_text(fault), "expected 8 values, found 4"));
        fault = check(TELEMETRY_RANK, fields[i], 9, "banks", 8, NULL);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), "expected 8 values, found 9"));
    }
}

static void parts_of_cycles_and_of_warps_have_names(void **state)
{
    IS_GOOD(TELEMETRY_CORE, "cycles", 3, NULL, 0, names);
    IS_GOOD(TELEMETRY_SM, "warps", 3, "stalls", 3, names);
    SAYS("layout of samples: it: field cycles: expected names of its 3 values, found none", TELEMETRY_CORE, "cycles", 3,
         NULL, 0, NULL);
    SAYS("layout of samples: it: field warps: expected names of its 2 values, found none", TELEMETRY_SM, "warps", 2,
         "stalls", 2, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_has_components),
        cmocka_unit_test(bytes_have_two_directions),
        cmocka_unit_test(latencies_have_all_bins),
        cmocka_unit_test(fields_of_a_rank_have_a_value_for_each_bank),
        cmocka_unit_test(parts_of_cycles_and_of_warps_have_names)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
