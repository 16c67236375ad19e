/* The sections pages and cpu.tlb (replay/config/virtual.c): keys that turn TLBs on and off, and refusals with their
 * remedies. */
#include "memsys/vm/vm_params.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"
#include "tests/support/unit.h"

static struct fault set(struct system_config *config, const char *assignment)
{
    return config_set(config, assignment);
}

static void expect(struct system_config *config, const char *key, const char *value)
{
    char text[CONFIG_BEHIND_TEXT];

    assert_fine(config_get(config, key, "test", text, sizeof text));
    assert_string_equal(text, value);
}

static void tlbs_are_off_until_a_key_is_named(void **state)
{
    struct system_config config;

    config_defaults(&config);
    expect(&config, "cpu.tlb", "none");
    expect(&config, "cpu.tlb.l2.entries", "none");
    expect(&config, "cpu.tlb.walker.at", "none");
    assert_fine(set(&config, "cpu.tlb.l2.entries=768"));
    expect(&config, "cpu.tlb", "there");
    expect(&config, "cpu.tlb.l2.entries", "768");
    expect(&config, "cpu.tlb.l1d.entries", "64");
    assert_fine(config_finish(&config));
    assert_fine(set(&config, "cpu.tlb=none"));
    assert_false(config.has_tlb);
    assert_fine(set(&config, "cpu.tlb=yes"));
    expect(&config, "cpu.tlb.l2.entries", "1536");       /* none forgets earlier settings */
    assert_fine(set(&config, "cpu.tlb.l2=none"));
    expect(&config, "cpu.tlb.l2.entries", "0");
    assert_fine(set(&config, "cpu.tlb.walker.caches=none"));
    expect(&config, "cpu.tlb.walker.caches.level2", "0");
    assert_fine(config_finish(&config));
}

static void a_gpu_alone_has_no_tlbs(void **state)
{
    struct system_config config;

    assert_fine(config_read(&config, "qv100", (const char *const[]){"cpu.tlb=yes", "pages.policy=random"}, 2));
    assert_false(config.has_tlb);
    assert_int_equal(config.pages.policy, PLACEMENT_FIRST_TOUCH);
}

static void errors_are_reported(void **state)
{
    static const struct { const char *settings[2], *told[2]; } cases[] = {
        {{"cpu.tlb.l1d.entries=48"}, {"cpu.tlb.l1d.entries: 48 in 4 ways", "give 64"}},
        {{"cpu.tlb.l1i.huge_assoc=16"}, {"cpu.tlb.l1i.huge_assoc: 16 ways are more than the 8 entries", "give 8"}},
        {{"cpu.tlb.l2.entries=1000"}, {"cpu.tlb.l2.entries: 1000 in 12 ways", "give 1536"}},
        {{"cpu.tlb.l2.assoc=0"}, {"cpu.tlb.l2.assoc: 0 is out of range", "give 1 to 4096"}},
        {{"cpu.tlb.l1d=none"}, {"cpu.tlb.l1d: \"none\" is not a value for a section", "cpu.tlb.l1d.entries"}},
        {{"cpu.tlb=maybe"}, {"cpu.tlb: \"maybe\"", "or yes for the defaults, or none"}},
        {{"cpu.tlb.l2.size=4KiB"}, {"cpu.tlb.l2.size: unknown key", "did you mean"}},
        {{"cpu.tlb.walker.at=dram"}, {"cpu.tlb.walker.at: \"dram\"", "l1d"}},
        {{"pages.policy=identity", "pages.huge=threshold"}, {"pages.huge: threshold", "give never or always"}},
        {{"pages.policy=identity", "pages.map=x"}, {"pages.map: with the policy identity", "give another policy"}},
        {{"pages.map=a:b"}, {"pages.map: \"a:b\" has other letters", "another name"}},
        {{"pages.map="}, {"pages.map: a path of 0 letters", "give one of 1 to 255"}},
        {{"pages.colours=0"}, {"pages.colours: 0 is out of range", "give 1 to 65536"}},
        {{"pages.size=2MiB"}, {"pages.size: unknown key", "did you mean"}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct system_config config;
        size_t const count = cases[i].settings[1] ? 2 : 1;
        struct fault const fault = config_read(&config, "default", cases[i].settings, count);

        if (fault.kind != FAULT_INPUT)
            fail_msg("%s is accepted", cases[i].settings[0]);
        assert_text(fault_text(fault), cases[i].told[0]);
        assert_text(fault_text(fault), cases[i].told[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tlbs_are_off_until_a_key_is_named),
        cmocka_unit_test(a_gpu_alone_has_no_tlbs),
        cmocka_unit_test(errors_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
