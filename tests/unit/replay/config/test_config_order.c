/* The order in which settings are given does not matter: keys that bring values of their own (devices, includes,
 * numbers of cores, removed sections) may come anywhere among those that change single ones. */
#include <stdio.h>

#include "tests/support/config_bench.h"

enum { MOST = 6 };

static char *text_of(const char *const *settings, size_t count)
{
    struct system_config *const config = test_calloc(1, sizeof *config);
    char *text = NULL;

    assert_fine(config_read(config, "wide", settings, count));
    assert_fine(config_to_compact_yaml(config, &text));
    test_free(config);
    return text;
}

static void compare(const char *const *settings, size_t count, const char *expected)
{
    char *const text = text_of(settings, count);

    if (strcmp(text, expected) != 0)
        for (size_t i = 0; i < count; i++)
            print_error("%s\n", settings[i]);
    assert_string_equal(text, expected);
    free(text);
}

static void permute(const char **settings, size_t fixed, size_t count, const char *expected)
{
    if (fixed == count)
        compare(settings, count, expected);
    for (size_t i = fixed; i < count; i++) {
        const char *const first = settings[i];

        settings[i] = settings[fixed];
        settings[fixed] = first;
        permute(settings, fixed + 1, count, expected);
        settings[fixed] = settings[i];
        settings[i] = first;
    }
}

static void settings_of_any_order_make_one_system(void **state)
{
    static const char *const groups[][MOST] = {
        {"memory.device=DDR5_6400_4x8", "memory.dram.tCL=20ns", "memory.dram.page_policy=close", "memory.channels=2"},
        {"memory.device=HBM_2000_4H_1x64", "memory.policy=device", "memory.dram.read_buffer_size=16",
         "memory.type=hbm_pseudo", "memory.size=1GiB"},
        {"memory.type=simple", "memory.latency=40ns", "memory.device=DDR4_2400_8x8", "memory.dram.tRCD=20ns"},
        {"include=core/zen4", "cpu.numROBEntries=128", "cpu.branchPred.type=bimode", "memory.device=DDR4_2400_8x8",
         "cpu.fuPool.IntALU=3"},
        {"include=laptop", "l2.size=640KiB", "memory.device=DDR4_2400_8x8", "memory.dram.tRP=20ns", "cpu.rob=100",
         "l3.assoc=6"},
        {"cores=3", "cores.2.rob=64", "cpu.share=yes", "cores.1.store_buffer=8", "l2.private=yes"},
        {"l2=none", "l2.size=1MiB", "l2.prefetcher=stride", "l2.prefetcher.degree=4"},
        {"memory_cache=none", "memory_cache.size=1MiB", "l3.size=4MiB", "l3=none"},
        {"cpu.tlb=none", "cpu.tlb.l1d.entries=32", "cpu.tlb.l2=none", "cpu.tlb.l2.entries=64", "pages.huge=always"},
        {"cpu.tlb=yes", "cpu.tlb.l1d.entries=32", "cpu.tlb.l2.entries=96", "cpu.tlb.l2=none",
         "cpu.tlb.walker.caches=none", "cpu.tlb.walker.caches.level2=4"},
        {"l1d.prefetcher=stream", "l1d.prefetcher.degree=3", "l1d.replacement=srrip", "cpu.model=detailed",
         "cpu.branchPred.type=tage_sc_l"},
        {"gpu=none", "gpu.sms=4", "gpu.l1.sets=8"},
        {"pages.huge=threshold", "pages.threshold=100", "pages.policy=random", "pages.seed=9", "cpu.tlb=yes"},
        {"line=128B", "memory.interleave=256B", "memory.channels=4", "memory.xor_low_bit=20",
         "l2.clusivity=mostly_excl"}
    };

    for (size_t g = 0; g < COUNT(groups); g++) {
        const char *settings[MOST];
        size_t count = 0;

        while (count < MOST && groups[g][count]) {
            settings[count] = groups[g][count];
            count++;
        }

        char *const expected = text_of(settings, count);

        permute(settings, 0, count, expected);
        free(expected);
    }
}

/* The same key twice: the later one counts. */
static void the_later_of_one_key_counts(void **state)
{
    struct system_config config;

    assert_fine(config_read(&config, "wide", (const char *const[]){"memory.device=DDR4_2400_8x8", "l2=none",
                            "cpu.rob=50", "memory.device=DDR5_6400_4x8", "cpu.rob=60"}, 5));
    assert_string_equal(config.memories[0].device, "DDR5_6400_4x8");
    assert_int_equal(config.core.rob, 60);
}

static void assert_policy(const struct system_config *config, uint64_t policy, uint64_t reads, uint64_t writes)
{
    assert_int_equal(config->memories[0].dram.page_policy, policy);
    assert_int_equal(config->memories[0].dram.read_buffer_size, reads);
    assert_int_equal(config->memories[0].dram.write_buffer_size, writes);
}

/* DDR5 comes with closed pages and other queues; a system keeps its own under another device. */
static void a_system_keeps_its_policy(void **state)
{
    struct system_config config;

    assert_fine(config_read(&config, "wide", (const char *const[]){"memory.device=DDR5_6400_4x8"}, 1));
    assert_policy(&config, PAGE_OPEN_ADAPTIVE, 32, 64);
    assert_int_equal(config.memories[0].dram.tCL_ps, 14375);
    assert_fine(config_read(&config, "wide", (const char *const[]){"memory.device=HMC_2500_1x32"}, 1));
    assert_int_equal(config.memories[0].dram.addr_mapping, MAP_RO_RA_BA_CO_CH);
    assert_fine(config_read(&config, "phone", (const char *const[]){"memory.device=DDR4_2400_8x8"}, 1));
    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
    assert_int_equal(config.memories[0].dram.enable_dram_powerdown, 1);
}

/* As do the systems that reproduce the reference, which say so. */
static void a_device_sets_its_policy_if_the_system_says_so(void **state)
{
    struct system_config config;

    assert_fine(config_read(&config, "etrace", (const char *const[]){"memory.device=DDR5_6400_4x8"}, 1));
    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
    assert_fine(config_read(&config, "wide", (const char *const[]){"memory.device=DDR5_6400_4x8",
                            "memory.policy=device"}, 2));
    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
    config = shipped("detailed/ddr5-2ch");
    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
    config = shipped("detailed/ddr4");
    assert_policy(&config, PAGE_OPEN_ADAPTIVE, 64, 128);
}

/* The first device that a system names brings them, too: there is nothing to keep. */
static void the_first_device_brings_its_policy(void **state)
{
    struct system_config config = finished("memory: {device: DDR5_6400_4x8}\n");

    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
    config = finished("memory: {dram: {page_policy: open}, device: DDR5_6400_4x8}\n");
    assert_policy(&config, PAGE_OPEN, 64, 64);
    config = finished("include: wide\nmemory: {device: DDR5_6400_4x8}\n");
    assert_policy(&config, PAGE_OPEN_ADAPTIVE, 32, 64);
    config = finished("include: wide\nmemory: {device: DDR5_6400_4x8, policy: device}\n");
    assert_policy(&config, PAGE_CLOSE_ADAPTIVE, 64, 64);
}

/* A file's values of a device stay under the same device, and go with it under another. */
static void changes_of_a_device_go_with_it(void **state)
{
    struct system_config config = loaded("memory: {device: DDR4_2400_8x8, dram: {tCL: 10ns}}\n");

    assert_fine(config_set(&config, "memory.device=DDR4_2400_8x8"));
    assert_int_equal(config.memories[0].dram.tCL_ps, 10000);
    assert_fine(config_set(&config, "memory.device=DDR5_4400_4x8"));
    assert_int_equal(config.memories[0].dram.tCL_ps, 14545);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_any_order_make_one_system),
        cmocka_unit_test(the_later_of_one_key_counts),
        cmocka_unit_test(a_system_keeps_its_policy),
        cmocka_unit_test(a_device_sets_its_policy_if_the_system_says_so),
        cmocka_unit_test(the_first_device_brings_its_policy),
        cmocka_unit_test(changes_of_a_device_go_with_it)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
