/* replay/config/currents.h: which memories have currents, what the user changes of them, and what is refused. */
#include "replay/config/currents.h"

#include <math.h>
#include <stdlib.h>

#include "memsys/dram/memory_params.h"
#include "replay/config/command_standard.h"
#include "replay/config/device.h"
#include "tests/support/config_bench.h"

/* To a millionth. */
static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected) + 1e-9))
        fail_msg("%.9g, expected %.9g", value, expected);
}

static struct memory_params memory_of(const char *yaml)
{
    return finished(yaml).memories[0];
}

/* ---- shipped */

/* "a device without published currents has none and says so" */
static void devices_of_gem5_have_those_that_gem5_has(void **state)
{
    static const char *const known[] = {"DDR3_1600_8x8", "DDR3_2133_8x8", "DDR4_2400_16x4", "DDR4_2400_4x16",
                                        "DDR4_2400_8x8", "LPDDR2_S4_1066_1x32", "LPDDR3_1600_1x32"};
    size_t found = 0;

    for (size_t i = 0; config_device_name(i); i++) {
        const char *const name = config_device_name(i);
        struct energy_params currents;
        char datasheet[ENERGY_SOURCE_TEXT];
        bool is_known = false;

        assert_fine(config_device_currents(name, &currents, datasheet));
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known |= strcmp(known[k], name) == 0;
        if ((currents.vdd_mv > 0) != is_known || (*datasheet != '\0') != is_known)
            fail_msg("%s: VDD %d mV, \"%s\"", name, (int)currents.vdd_mv, datasheet);
        found += is_known;
    }
    assert_int_equal(found, sizeof known / sizeof *known);
}

static void a_memory_has_its_device_s(void **state)
{
    struct memory_params memory = memory_of("memory: {device: DDR4_2400_8x8}");

    assert_true(memory.energy.is_known);
    assert_string_equal(memory.energy_source, "Micron 8Gb DDR4, MT40A1G8, die revision B, DDR4-2400");
    assert_close(memory.energy.activate_pj, 3439.104);
    memory = memory_of("{}");
    assert_string_equal(memory.energy_source, "Micron 4Gb DDR3, MT41J512M8, die revisions E and J, DDR3-1600");
    /* times that the user changes are the controller's, not the chip's */
    memory = memory_of("memory: {device: DDR4_2400_8x8, dram: {tRAS: 50ns, tRP: 20ns}}");
    assert_close(memory.energy.activate_pj, 3439.104);
    memory = memory_of("memory: {device: DDR5_4400_4x8}");
    assert_false(memory.energy.is_known);
    assert_string_equal(memory.energy_source, "");
    memory = memory_of("memory: {type: simple}");
    assert_false(memory.energy.is_known);
}

/* Currents of a standard hold for all its presets of that organization and rate. */
static void currents_of_standards_are_sound(void **state)
{
    static const char *const names[] = {"DDR3", "DDR4", "DDR4_VRR"};
    size_t pairs = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cmd_standard standard;

        assert_fine(command_standard_read(&standard, names[i]));
        assert_true(standard.currents_count > 0);
        for (size_t c = 0; c < standard.currents_count; c++) {
            size_t of_row = 0;

            for (size_t t = 0; t < standard.preset_count; t++) {
                char text[300];

                if (standard.timings[t].pairs[0].value != standard.currents[c].rate)
                    continue;
                snprintf(text, sizeof text, "memory: {type: command, standard: %s, organization: %s, timing: %s}",
                         names[i], standard.currents[c].organization, standard.timings[t].name);
                assert_string_equal(memory_of(text).energy_source, standard.currents[c].datasheet);
                of_row++;
            }
            assert_true(of_row > 0);
            pairs += of_row;
        }
        cmd_standard_free(&standard);
    }
    assert_true(pairs > 50);
}

/* ---- the user's */
static void single_ones_are_changed(void **state)
{
    struct memory_params const memory =
        memory_of("memory: {device: DDR4_2400_8x8, currents: {IDD0: 58mA, read_pin: 4.6mW}}");

    /* 10 mA for 46.16 ns at 1.2 V in 8 chips more */
    assert_close(memory.energy.activate_pj, 3439.104 + 10 * 46.16 * 1.2 * 8);
    assert_true(memory.energy.has_io);
    assert_string_equal(memory.energy_source, "memory.currents");
}

static const char *const mine =
    "currents: {VDD: 1.1V, IDD0: 100mA, IDD2N: 50mA, IDD2P: 20mA, IDD3N: 60mA, IDD3P: 30mA, IDD4R: 300mA, "
    "IDD4W: 290mA, IDD5B: 250mA, IDD6: 25mA, datasheet: \"mine, table 7\"}";

/* "the number of chips follows from widths": 8 check bits for each 64 data bits, or for a subchannel of DDR5. */
static void sideband_ecc_has_chips_of_its_own(void **state)
{
    static const struct {
        const char *organization, *more;
        unsigned chips, check_chips;
    } rows[] = {
        {"DDR4, organization: DDR4_8Gb_x8", "", 8, 1}, {"DDR4, organization: DDR4_8Gb_x4", "", 16, 2},
        {"DDR4, organization: DDR4_8Gb_x16", "", 4, 1}, {"DDR5, organization: DDR5_16Gb_x8", "", 4, 1},
        {"DDR5, organization: DDR5_16Gb_x4", "", 8, 2}, {"DDR4, organization: DDR4_8Gb_x8", "channel_width: 128", 16, 2}
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory_params memory[2];

        for (unsigned has_ecc = 0; has_ecc < 2; has_ecc++) {
            char text[700];

            snprintf(text, sizeof text,
                     "memory: {type: command, standard: %s, command: {ecc: %s}, overrides: {%s}, %s}",
                     rows[i].organization, has_ecc ? "sideband" : "none", rows[i].more, mine);
            memory[has_ecc] = memory_of(text);
        }
        assert_close(memory[1].energy.activate_pj / memory[0].energy.activate_pj * rows[i].chips,
                     rows[i].chips + rows[i].check_chips);
        assert_close(memory[1].energy.state_w[ENERGY_PRECHARGED] / memory[0].energy.state_w[ENERGY_PRECHARGED]
                     * rows[i].chips, rows[i].chips + rows[i].check_chips);
    }
}

/* "shown are those that are given", and what is shown is read again. */
static void given_ones_are_shown(void **state)
{
    char text[600], *shown = NULL, *again = NULL;
    struct system_config config, read;

    config = finished("memory: {device: DDR4_2400_8x8}");
    assert_fine(config_to_compact_yaml(&config, &shown));
    assert_null(strstr(shown, "currents"));
    free(shown);
    snprintf(text, sizeof text, "memory: {device: DDR5_4400_4x8, %s}", mine);
    config = finished(text);
    assert_true(config.memories[0].energy.is_known);
    assert_string_equal(config.memories[0].energy_source, "mine, table 7");
    assert_fine(config_to_compact_yaml(&config, &shown));
    assert_non_null(strstr(shown, "  currents:\n    VDD: 1.1V\n    IDD0: 100mA\n"));
    assert_non_null(strstr(shown, "    IDD6: 25mA\n    datasheet: \"mine, table 7\"\n"));
    assert_null(strstr(shown, "IPP"));
    read = finished(shown);
    assert_fine(config_to_compact_yaml(&read, &again));
    assert_string_equal(shown, again);
    assert_memory_equal(&read.memories[0].energy, &config.memories[0].energy, sizeof read.memories[0].energy);
    free(shown);
    free(again);
}

/* A device brings its own, those given before are gone; DRAM commands take them, too. */
static void another_device_has_its_own(void **state)
{
    char text[600];
    struct system_config config;

    snprintf(text, sizeof text, "memory: {device: DDR5_4400_4x8, %s}", mine);
    config = loaded(text);
    assert_fine(config_set(&config, "memory.device=HBM_2000_4H_1x64"));
    assert_fine(config_finish(&config));
    assert_false(config.memories[0].energy.is_known);
    snprintf(text, sizeof text, "memory: {type: command, standard: DDR5, %s}", mine);
    assert_string_equal(memory_of(text).energy_source, "mine, table 7");
}

/* ---- refused */
static void bad_values_are_refused(void **state)
{
    struct system_config config;

    assert_refused(load_and_finish(&config, "memory: {device: DDR4_2400_8x8, currents: {IDD4R: 10mA}}"),
                   "system t: memory.currents.IDD4R: 10.000 mA is less than 3N, active standby, so such a command "
                   "would yield energy; give 43.000 mA or more");
    assert_refused(load_and_finish(&config, "memory: {device: DDR5_4400_4x8, currents: {VDD: 1.1V}}"),
                   "system t: memory.currents.IDD0: is missing; give it with the others of the data sheet (VDD, IDD0, "
                   "IDD2N, IDD2P, IDD3N, IDD3P, IDD4R, IDD4W, IDD5B or IDD5R, IDD6), or none of them");
    assert_refused(load(&config, "memory: {currents: {IDD0: 48}}"),
                   "t.yaml:1: memory.currents.IDD0: \"48\" has no unit; give a current such as 48mA");
    assert_refused(load(&config, "memory: {currents: {IDD0: -1mA}}"),
                   "t.yaml:1: memory.currents.IDD0: \"-1mA\" is negative; give a current such as 48mA");
    assert_refused(load(&config, "memory: {currents: {VDD: 12V}}"),
                   "t.yaml:1: memory.currents.VDD: 12V is out of range; give 0V to 5V");
    assert_refused(load(&config, "memory: {currents: {datasheet: \"a\\nb\"}}"),
                   "t.yaml:1: memory.currents.datasheet: the name of a data sheet is one line without quotes and "
                   "backslashes");
    assert_refused(load(&config, "memory: {currents: {IDD9: 1mA}}"),
                   "t.yaml:1: memory.currents.IDD9: unknown key; did you mean memory.currents.IDD0?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_of_gem5_have_those_that_gem5_has), cmocka_unit_test(a_memory_has_its_device_s),
        cmocka_unit_test(currents_of_standards_are_sound), cmocka_unit_test(single_ones_are_changed),
        cmocka_unit_test(given_ones_are_shown), cmocka_unit_test(another_device_has_its_own),
        cmocka_unit_test(sideband_ecc_has_chips_of_its_own), cmocka_unit_test(bad_values_are_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
