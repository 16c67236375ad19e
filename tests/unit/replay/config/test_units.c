/* replay/config/units.h: numbers with units, exact rounding (classic-memory 1.1), texts that come back as the same
 * value. */
#include "memsys/cache/cache_params.h"
#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/units.h"
#include "replay/config/unloaded.h"
#include "tests/support/unit.h"

struct reading {
    enum param_unit unit;
    const char *text;
    uint64_t value;
};

static void reads(const struct reading *readings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        double ratio;
        const char *problem = units_parse(readings[i].unit, readings[i].text, &value, &ratio);

        if (problem)
            fail_msg("\"%s\" %s", readings[i].text, problem);
        if (value != readings[i].value)
            fail_msg("\"%s\" is %llu, expected %llu", readings[i].text, (unsigned long long)value,
                     (unsigned long long)readings[i].value);
    }
}

/* "k, M, G of a capacity are binary with or without the i" */
static void capacities_are_binary(void **state)
{
    static const struct reading readings[] = {
        {UNIT_BYTES, "64", 64}, {UNIT_BYTES, "64B", 64}, {UNIT_BYTES, "32KiB", 32768}, {UNIT_BYTES, "32kB", 32768},
        {UNIT_BYTES, "32KB", 32768}, {UNIT_BYTES, "32k", 32768}, {UNIT_BYTES, "2MB", 2097152},
        {UNIT_BYTES, "2 MiB", 2097152}, {UNIT_BYTES, "1.25MiB", 1310720}, {UNIT_BYTES, "0.5KiB", 512},
        {UNIT_BYTES, "512GB", UINT64_C(512) << 30}, {UNIT_BYTES, "1TiB", UINT64_C(1) << 40},
        {UNIT_BYTES, "0x80000000", UINT64_C(1) << 31}, {UNIT_BYTES, "007", 7},
        {UNIT_BYTES_OR_ROW, "row_buffer", INTERLEAVE_ROW_BUFFER}, {UNIT_BYTES_OR_ROW, "auto", INTERLEAVE_AUTO},
        {UNIT_BYTES_OR_ROW, "1KiB", 1024}, {UNIT_VOLTAGE, "1.2V", 1200}, {UNIT_VOLTAGE, "950mV", 950},
        {UNIT_CURRENT, "48mA", 48000}, {UNIT_CURRENT, "0.5 mA", 500}, {UNIT_CURRENT, "30uA", 30},
        {UNIT_CURRENT, "0", 0}, {UNIT_POWER, "4.6mW", 4600}, {UNIT_POWER, "1W", 1000000}
    };
    reads(readings, COUNT(readings));
}

/* classic-memory 1.1: period = round_half_up(1e12 / Hz) */
static void clocks_are_periods(void **state)
{
    static const struct reading readings[] = {
        {UNIT_PERIOD, "2GHz", 500}, {UNIT_PERIOD, "1GHz", 1000}, {UNIT_PERIOD, "3GHz", 333},
        {UNIT_PERIOD, "1.4GHz", 714}, {UNIT_PERIOD, "800MHz", 1250}, {UNIT_PERIOD, "2.4ghz", 417},
        {UNIT_PERIOD, "1kHz", 1000000000}, {UNIT_PERIOD, "1000000000Hz", 1000}, {UNIT_PERIOD, "500ps", 500},
        {UNIT_PERIOD, "0.5ns", 500}, {UNIT_PERIOD, "auto", CLOCK_INHERITED},
        {UNIT_PERIOD, "0.4THz", 3},          /* 2.5: half up */
        {UNIT_PERIOD, "0.66666666666666667THz", 1}
    };
    reads(readings, COUNT(readings));
}

static void times_round_half_up(void **state)
{
    static const struct reading readings[] = {
        {UNIT_TIME, "13.75ns", 13750}, {UNIT_TIME, "10us", 10000000}, {UNIT_TIME, "0", 0}, {UNIT_TIME, "0ns", 0},
        {UNIT_TIME, "0.0005ns", 1}, {UNIT_TIME, "0.00049ns", 0}, {UNIT_TIME, "1.0015ns", 1002},
        {UNIT_TIME, "7.8us", 7800000}, {UNIT_TIME, "1s", UINT64_C(1000000000000)}, {UNIT_TIME, "64ms", 64000000000}
    };
    reads(readings, COUNT(readings));
}

static void other_units(void **state)
{
    static const struct reading readings[] = {
        {UNIT_COUNT, "16", 16}, {UNIT_CYCLES, "20", 20}, {UNIT_COUNT, "0x10", 16}, {UNIT_PERCENT, "85", 85},
        {UNIT_PERCENT, "85%", 85}, {UNIT_BOOL, "yes", 1}, {UNIT_BOOL, "On", 1}, {UNIT_BOOL, "TRUE", 1},
        {UNIT_BOOL, "no", 0}, {UNIT_BOOL, "off", 0}, {UNIT_BOOL, "false", 0}, {UNIT_BOOL, "1", 1},
        {UNIT_PAGE_POLICY, "close_adaptive", PAGE_CLOSE_ADAPTIVE},
        {UNIT_ADDR_MAPPING, "rocorabach", MAP_RO_CO_RA_BA_CH},
        {UNIT_MEM_SCHED, "fcfs", SCHED_FCFS}, {UNIT_CLUSIVITY, "mostly_excl", CLUSIVITY_MOSTLY_EXCL},
        {UNIT_MEMORY_TYPE, "simple", MEMORY_SIMPLE}, {UNIT_BANDWIDTH, "25.6GB/s", UINT64_C(25600000000)},
        {UNIT_BANDWIDTH, "2GiB/s", UINT64_C(2) << 30}, {UNIT_BANDWIDTH, "100B/s", 100}
    };
    uint64_t unused;
    double ratio;

    reads(readings, COUNT(readings));
    assert_null(units_parse(UNIT_RATIO, "1.5", &unused, &ratio));
    assert_true(ratio > 1.4999999 && ratio < 1.5000001);
}

/* classic-memory 1.1, 7: "12.8GiB/s" is 73 ticks a byte, and the others as the reference model rounds them */
static void bandwidths_give_whole_ticks_a_byte(void **state)
{
    static const struct reading readings[] = {
        {UNIT_BANDWIDTH, "12.8GiB/s", 73}, {UNIT_BANDWIDTH, "2GiB/s", 466}, {UNIT_BANDWIDTH, "0.5GiB/s", 1863},
        {UNIT_BANDWIDTH, "50GiB/s", 19}, {UNIT_BANDWIDTH, "25.6GiB/s", 36}, {UNIT_BANDWIDTH, "12.8GB/s", 78},
        {UNIT_BANDWIDTH, "1TB/s", 1}, {UNIT_BANDWIDTH, "2TB/s", 1}
    };
    uint64_t bandwidth;
    double unused;

    for (size_t i = 0; i < COUNT(readings); i++) {
        assert_null(units_parse(UNIT_BANDWIDTH, readings[i].text, &bandwidth, &unused));
        assert_int_equal(simple_memory_ps_per_byte(bandwidth), readings[i].value);
    }
}

static void reports_errors(void **state)
{
    static const struct {
        enum param_unit unit;
        const char *text, *problem;
    } wrong[] = {
        {UNIT_TIME, "13750", "has no unit"}, {UNIT_PERIOD, "2", "has no unit"}, {UNIT_PERIOD, "0", "has no unit"},
        {UNIT_BANDWIDTH, "12", "has no unit"}, {UNIT_BYTES, "32KX", "has an unknown unit"},
        {UNIT_BYTES, "0x10G", "has an unknown unit"}, {UNIT_TIME, "5ms2", "has an unknown unit"},
        {UNIT_BANDWIDTH, "8Gb/s", "has an unknown unit"}, {UNIT_BYTES, "", "is not a number"},
        {UNIT_BYTES, ".", "is not a number"}, {UNIT_BYTES, "0x", "is not a number"},
        {UNIT_COUNT, "x", "is not a number"},
        {UNIT_COUNT, "nan", "is not a number"}, {UNIT_RATIO, "inf", "is not a number"},
        {UNIT_COUNT, "-4", "is negative"}, {UNIT_TIME, "-0.5ns", "is negative"},
        {UNIT_COUNT, "1.5", "is not a whole number"}, {UNIT_COUNT, "16B", "has an unknown suffix"},
        {UNIT_RATIO, "1e3", "must be a plain number"}, {UNIT_BYTES, "0.3KiB", "is not a whole number of bytes"},
        {UNIT_BYTES, "99999999999999999999", "is too big"}, {UNIT_BYTES, "9999999999999TiB", "is too big"},
        {UNIT_BYTES, "0x11111111111111111", "is too big"}, {UNIT_PERIOD, "0.000000000000000001Hz", "is too big"},
        {UNIT_PERIOD, "0Hz", "is no clock"}, {UNIT_TIME, "0.0000000000000000000001s", "has too many decimal places"},
        {UNIT_TIME, "1.0000000000000000000s", "has too many digits"},
        {UNIT_BOOL, "maybe", "is neither yes nor no"}, {UNIT_PAGE_POLICY, "opened", "is unknown here"},
        {UNIT_BYTES, "row_buffer", "is not a number"}
    };
    uint64_t value;
    double ratio;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *problem = units_parse(wrong[i].unit, wrong[i].text, &value, &ratio);

        if (!problem)
            fail_msg("\"%s\" was read as %llu, expected that it %s", wrong[i].text, (unsigned long long)value,
                     wrong[i].problem);
        assert_string_equal(problem, wrong[i].problem);
    }
}

static void writes_as_people_do(void **state)
{
    static const struct reading written[] = {
        {UNIT_BYTES, "32KiB", 32768}, {UNIT_BYTES, "1280KiB", 1310720}, {UNIT_BYTES, "65B", 65}, {UNIT_BYTES, "0B", 0},
        {UNIT_PERIOD, "2GHz", 500}, {UNIT_PERIOD, "333ps", 333}, {UNIT_PERIOD, "2.5GHz", 400},
        {UNIT_PERIOD, "800MHz", 1250}, {UNIT_PERIOD, "auto", CLOCK_INHERITED}, {UNIT_TIME, "13.75ns", 13750},
        {UNIT_TIME, "0ns", 0}, {UNIT_TIME, "999ps", 999}, {UNIT_TIME, "7.8us", 7800000},
        {UNIT_TIME, "7786.25ns", 7786250}, {UNIT_BANDWIDTH, "12.8GiB/s", UINT64_C(13743895347)},
        {UNIT_BANDWIDTH, "25.6GB/s", UINT64_C(25600000000)}, {UNIT_BANDWIDTH, "12345678901B/s", UINT64_C(12345678901)},
        {UNIT_PERCENT, "85%", 85}, {UNIT_BOOL, "no", 0}, {UNIT_COUNT, "16", 16},
        {UNIT_ADDR_MAPPING, "RoCoRaBaCh", MAP_RO_CO_RA_BA_CH}
    };
    char text[UNITS_TEXT];

    for (size_t i = 0; i < COUNT(written); i++) {
        units_format(written[i].unit, written[i].value, 0, text, sizeof text);
        assert_string_equal(text, written[i].text);
    }
    units_format(UNIT_RATIO, 0, 0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
}

/* "a text that units_parse reads back as the same integer" */
static void written_values_are_read_back(void **state)
{
    static const enum param_unit units[] = {UNIT_BYTES, UNIT_PERIOD, UNIT_TIME, UNIT_BANDWIDTH, UNIT_COUNT};
    uint64_t random = 88172645463325252u, read;
    char text[UNITS_TEXT];
    double ratio;

    for (int i = 0; i < 20000; i++) {
        enum param_unit const unit = units[i % (int)COUNT(units)];

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint64_t const value = (random >> (24 + random % 40)) + 1;
        units_format(unit, value, 0, text, sizeof text);
        if (units_parse(unit, text, &read, &ratio))
            fail_msg("%llu was written as \"%s\", which does not read", (unsigned long long)value, text);
        if (read != value)
            fail_msg("%llu was written as \"%s\" and read as %llu", (unsigned long long)value, text,
                     (unsigned long long)read);
    }
    for (int i = 1; i < 2000; i++) {
        double const written = i % 2 ? 1.0 / i + 0.001 : i / 7.0;

        units_format(UNIT_RATIO, 0, written, text, sizeof text);
        assert_null(units_parse(UNIT_RATIO, text, &read, &ratio));
        assert_memory_equal(&ratio, &written, sizeof ratio);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities_are_binary),
        cmocka_unit_test(clocks_are_periods),
        cmocka_unit_test(times_round_half_up),
        cmocka_unit_test(other_units),
        cmocka_unit_test(bandwidths_give_whole_ticks_a_byte),
        cmocka_unit_test(reports_errors),
        cmocka_unit_test(writes_as_people_do),
        cmocka_unit_test(written_values_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
