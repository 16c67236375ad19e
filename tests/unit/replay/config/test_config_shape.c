/* replay/config/config.h: systems of several cores, trees of caches, several memories, and their printed form.
 * Runs in the folder of the repository (shipped systems are looked up in configs/). */
#include "replay/config/config_values.h"
#include "replay/config/unloaded.h"
#include "tests/support/config_bench.h"

#define MIB (UINT64_C(1) << 20)

static unsigned index_of(const struct system_config *config, const char *name)
{
    for (unsigned i = 0; i < config->cache_count; i++) {
        if (strcmp(config->caches[i].name, name) == 0)
            return i;
    }
    fail_msg("no cache %s", name);
    return 0;
}

/* "l2" or, of a private cache, "l21"; "memory_bus" */
static void assert_below(const struct system_config *config, const char *name, unsigned instance, const char *expected)
{
    unsigned below = 0, below_instance = 0;
    char text[32] = "memory_bus";

    if (config_cache_below(config, index_of(config, name), instance, &below, &below_instance)) {
        if (config->caches[below].is_private)
            snprintf(text, sizeof text, "%s%u", config->caches[below].name, below_instance);
        else
            snprintf(text, sizeof text, "%s", config->caches[below].name);
    }
    assert_string_equal(text, expected);
}

static void assert_same(const struct system_config *one, const struct system_config *other)
{
    char *text, *other_text;

    assert_fine(config_to_yaml(one, &text));
    assert_fine(config_to_yaml(other, &other_text));
    assert_string_equal(text, other_text);
    free(text);
    free(other_text);
    assert_memory_equal(one, other, sizeof *one);
}

/* ---- cores */
static void items_of_cores_override_cpu(void **state)
{
    struct system_config const config =
        finished("cores: [{rob: 192}, {offset: 128MiB, freq_multiplier: 2}, {share: yes}]\ncpu: {rob: 64}\n");

    assert_int_equal(config.core_count, 3);
    assert_int_equal(config.cores[0].params.rob, 192);
    assert_int_equal(config.cores[1].params.rob, 64);
    assert_int_equal(config.cores[2].params.rob, 64);
    assert_int_equal(config.cores[1].params.load_buffer, 16);
    assert_true(config.cores[1].params.freq_multiplier > 1.999 && config.cores[1].params.freq_multiplier < 2.001);
    assert_true(config.cores[2].params.freq_multiplier > 0.999 && config.cores[2].params.freq_multiplier < 1.001);
    assert_int_equal(config.cores[0].offset_bytes, 0);
    assert_int_equal(config.cores[1].offset_bytes, 128 * MIB);
    assert_true(config.cores[1].has_offset && !config.cores[1].share);
    assert_int_equal(config.cores[2].offset_bytes, 0);
    assert_true(config.cores[2].share && !config.cores[2].has_offset);
}

/* header: "for all cores that say nothing themselves" */
static void cpu_sets_the_offset_of_all_cores(void **state)
{
    struct system_config const moved = finished("cores: 4\ncpu: {offset_step: 64MiB}\n");
    struct system_config const shared = finished("cores: 2\ncpu: {share: yes}\n");
    struct system_config const mixed =
        finished("cores: [{}, {share: yes}, {}, {offset: 32MiB}]\ncpu: {offset_step: 64MiB, share: yes}\n");

    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(moved.cores[i].offset_bytes, i * 64 * MIB);
    assert_int_equal(shared.cores[1].offset_bytes, 0);
    assert_true(shared.cores[1].share);
    assert_int_equal(mixed.cores[1].offset_bytes, 0);
    assert_int_equal(mixed.cores[2].offset_bytes, 128 * MIB);
    assert_int_equal(mixed.cores[3].offset_bytes, 32 * MIB);
}

static void cores_can_be_set(void **state)
{
    struct system_config config = loaded("include: quad\n");

    assert_fine(config_set(&config, "cores=2"));
    assert_fine(config_set(&config, "cores.1.rob=7"));
    assert_fine(config_set(&config, "cores.1.offset=1GiB"));
    assert_fine(config_set(&config, "cpu.rob=9"));
    assert_fine(config_finish(&config));
    assert_int_equal(config.core_count, 2);
    assert_int_equal(config.cores[0].params.rob, 9);
    assert_int_equal(config.cores[1].params.rob, 7);
    assert_int_equal(config.cores[1].offset_bytes, 1024 * MIB);
}

/* ---- trees */
static void the_usual_chain(void **state)
{
    struct system_config const shared = finished("cores: 2\ncpu: {share: yes}\nl3: {}\nl2: {}\n");
    struct system_config const private = finished("cores: 2\ncpu: {share: yes}\nl3: {}\nl2: {private: yes}\n");
    struct system_config const flat = finished("cores: 2\ncpu: {share: yes}\n");

    assert_int_equal(shared.caches[0].feed, FEED_FETCH);
    assert_int_equal(shared.caches[1].feed, FEED_DATA);
    assert_int_equal(shared.caches[2].feed, FEED_CACHES);
    assert_true(shared.caches[0].is_private && shared.caches[1].is_private && !shared.caches[2].is_private);
    assert_below(&shared, "l1i", 1, "l2");
    assert_below(&shared, "l1d", 0, "l2");
    assert_below(&shared, "l2", 0, "l3");
    assert_below(&shared, "l3", 0, "memory_bus");
    assert_below(&private, "l1i", 1, "l21");
    assert_below(&private, "l1d", 0, "l20");
    assert_below(&private, "l2", 1, "l3");
    assert_below(&flat, "l1d", 1, "memory_bus");
}

static const char clusters[] = "cores: 4\ncpu: {share: yes}\nl2: none\nl3: {behind: [l2a, l2b], size: 4MiB}\ncaches:\n"
                               "  - {name: l2b, behind: [l1i2, l1d2, l1i3, l1d3], prefetcher: stride}\n"
                               "  - {name: l2a, size: 1MiB, behind: [l1i0, l1d0, l1i1, l1d1]}\n";

static void caches_are_below_those_named(void **state)
{
    struct system_config const config = finished(clusters);

    assert_int_equal(config.cache_count, 5);
    assert_below(&config, "l1i", 0, "l2a");
    assert_below(&config, "l1d", 1, "l2a");
    assert_below(&config, "l1i", 2, "l2b");
    assert_below(&config, "l1d", 3, "l2b");
    assert_below(&config, "l2a", 0, "l3");
    assert_below(&config, "l2b", 0, "l3");
    assert_string_equal(config.caches[4].name, "l3");
    assert_int_equal(config.caches[2].prefetchers[0].type, PREFETCHER_STRIDE);
    assert_int_equal(config.caches[3].params.size_bytes, MIB);
    assert_int_equal(config.caches[3].params.assoc, 8);
    assert_int_equal(config.caches[3].behind_count, 4);
    assert_int_equal(config.caches[3].behind[3].cache, 1);
    assert_int_equal(config.caches[3].behind[3].instance, 1);
    assert_int_equal(config.caches[4].behind[0].instance, -1);
}

/* A cache without a cache below it is on the memory bus. */
static void a_tree_may_be_lopsided(void **state)
{
    struct system_config const config =
        finished("cores: 2\ncpu: {share: yes}\ncaches: [{name: big, behind: [l1d]}, {name: side, behind: l1i1}]\n");

    assert_below(&config, "l1d", 0, "big");
    assert_below(&config, "l1d", 1, "big");
    assert_below(&config, "l1i", 0, "memory_bus");
    assert_below(&config, "l1i", 1, "side");
}

static void an_item_replaces_its_section(void **state)
{
    struct system_config const config =
        finished("include: quad\ncaches: [{name: l2, private: yes, behind: [l1d]}, {name: l1i, assoc: 4}]\n");

    assert_int_equal(config.caches[index_of(&config, "l2")].params.size_bytes, 2 * MIB);
    assert_int_equal(config.caches[0].params.assoc, 4);
    assert_int_equal(config.caches[0].params.tag_latency_cyc, 2);
    assert_below(&config, "l1i", 3, "memory_bus");
    assert_below(&config, "l1d", 3, "l23");
    assert_below(&config, "l2", 3, "l3");
}

static void caches_can_be_set(void **state)
{
    struct system_config config = loaded(clusters);

    assert_fine(config_set(&config, "l2a.size=256KiB"));
    assert_fine(config_set(&config, "l2a.prefetcher=tagged"));
    assert_fine(config_set(&config, "l2a.prefetcher.degree=8"));
    assert_fine(config_set(&config, "l2b.behind=l1i2,l1d2"));
    assert_fine(config_set(&config, "l1d.replacement=brrip"));
    assert_fine(config_set(&config, "memory_cache.size=1MiB"));
    assert_fine(config_finish(&config));
    assert_int_equal(config.caches[index_of(&config, "l2a")].params.size_bytes, 256 * 1024);
    assert_int_equal(config.caches[index_of(&config, "l2a")].prefetchers[0].type, PREFETCHER_TAGGED);
    assert_int_equal(config.caches[index_of(&config, "l2a")].prefetchers[0].degree, 8);
    assert_int_equal(config.caches[1].params.replacement, REPLACEMENT_BRRIP);
    assert_below(&config, "l1d", 3, "memory_bus");
    assert_true(config.has_memory_cache);
    assert_int_equal(config.memory_cache.params.size_bytes, MIB);
    assert_int_equal(config.memory_cache.params.clock_ps, 500);
    config = loaded(clusters);
    assert_fine(config_set(&config, "l2.private=yes"));
    assert_fine(config_set(&config, "l3.behind=l2"));
    assert_fine(config_set(&config, "l2a=none"));
    assert_fine(config_set(&config, "l2b=none"));
    assert_fine(config_set(&config, "l2.prefetcher.degree=2"));
    assert_fine(config_finish(&config));
    assert_int_equal(config.cache_count, 4);
    assert_below(&config, "l1d", 3, "l23");
}

/* ---- memories */
static void memories_follow_each_other(void **state)
{
    struct system_config const config =
        finished("memories:\n  - {type: simple, size: 4MiB}\n"
                 "  - {device: DDR4_2400_8x8, channels: 2, dram: {tCL: 10ns}}\n"
                 "  - {base: 2GiB, size: 64MiB, type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 2,\n"
                 "     controller: {min_writes_per_switch: 16}}\n");

    assert_int_equal(config.memory_count, 3);
    assert_int_equal(config.memories[0].base, 0);
    assert_int_equal(config.memories[1].base, 4 * MIB);
    assert_int_equal(config.memories[1].size_bytes, 512 * MIB);
    assert_int_equal(config.memories[1].dram.tCL_ps, 10000);
    assert_int_equal(config.memories[1].dram.tRP_ps, 14160);
    assert_int_equal(config.memories[1].controller.min_writes_per_switch, 16);
    assert_int_equal(config.memories[2].base, 2048 * MIB);
    assert_int_equal(config.memories[2].controller.min_writes_per_switch, 16);
    assert_int_equal(config.memories[2].controller.min_reads_per_switch, 64);
    assert_int_equal(config.memories[2].interleave_bytes, 128);
}

static void memories_can_be_set(void **state)
{
    struct system_config config = loaded("memories: [{type: simple, size: 4MiB}, {}]\n");

    assert_fine(config_set(&config, "memories.0.size=8MiB"));
    assert_fine(config_set(&config, "memories.1.dram.tCL=10ns"));
    assert_refused(config_set(&config, "memory.size=8MiB"),
                   "--set: memory: this system has 2 memories; give the list memories:, or with --set the number of "
                   "one, such as memories.0");
    assert_refused(config_set(&config, "memories.2.size=8MiB"),
                   "--set: memories.2: there are 2, counted from 0; give a lower number, or change how many there are");
    assert_fine(config_finish(&config));
    assert_int_equal(config.memories[1].base, 8 * MIB);
    assert_int_equal(config.memories[1].dram.tCL_ps, 10000);
    config = loaded("line: 64\n");
    assert_fine(config_set(&config, "memories.0.size=64MiB"));
    assert_int_equal(config.memories[0].size_bytes, 64 * MIB);
}

/* ---- faults */
static void files_say_where_they_are_wrong(void **state)
{
    static const struct {
        const char *yaml, *text;
    } wrong[] = {
        {"cores: many\n", "t.yaml:1: cores: \"many\" is not a number; give how many, such as 4, or a list"},
        {"cores: 65\n", "t.yaml:1: cores: 65 is out of range; give 1 to 64"},
        {"cores: []\n", "t.yaml:1: cores: a list of 0; give 1 to 64 items"},
        {"cores: {rob: 1}\n",
         "t.yaml:1: cores: expected a list such as [{rob: 192, offset: 256MiB}], found keys and values"},
        {"cores:\n  - {}\n  - 3\n",
         "t.yaml:3: cores: expected items with keys and values, such as {rob: 192, offset: 256MiB}"},
        {"cores:\n  - {rib: 3}\n", "t.yaml:2: cores.0.rib: unknown key; did you mean cores.0.rob?"},
        {"cores: [{offset: far}]\n",
         "t.yaml:1: cores.0.offset: \"far\" is not a number; give a capacity such as 64B, 32KiB or 2MiB"},
        {"cores: [{share: maybe}]\n", "t.yaml:1: cores.0.share: \"maybe\" is neither yes nor no; give yes or no"},
        {"cpu: {offset: 1}\n", "t.yaml:1: cpu.offset: unknown key; did you mean cores.0.offset?"},
        {"caches: [{size: 1MiB}]\n", "t.yaml:1: caches: an item has no name; give one, such as name: l2a"},
        {"caches: [{name: Big}]\n",
         "t.yaml:1: caches: \"Big\" cannot be the name of a cache; give up to 11 small letters, digits and _, such as "
         "l2a, and no other key's name"},
        {"caches: [{name: memory}]\n",
         "t.yaml:1: caches: \"memory\" cannot be the name of a cache; give up to 11 small letters, digits and _, such "
         "as l2a, and no other key's name"},
        {"caches:\n  - {name: a, behind: l1i}\n  - {name: a, behind: l1d}\n",
         "t.yaml:3: caches: a: given twice, first in line 2; leave one of them"},
        {"caches: [{name: a, behind: [[l1i]]}]\n",
         "t.yaml:1: a.behind: expected names of caches, such as [l1i, l1d]"},
        {"caches: [{name: a, behind: {}}]\n", "t.yaml:1: a.behind: expected one value, found keys and values"},
        {"caches: [{name: a, behind: l1i;l1d}]\n",
         "t.yaml:1: a.behind: \"l1i;l1d\" is not a list of names; give caches such as l1i, l1d, or one core's, "
         "cpu0.l1i, cpu0.l1d"},
        {"caches: [{name: a, behind: []}]\n",
         "t.yaml:1: a.behind: names no cache; give those that are above it, such as l1i, l1d"},
        {"caches: [{name: a, sise: 3}]\n", "t.yaml:1: a.sise: unknown key; did you mean a.size?"},
        {"l1d: {private: no}\n",
         "t.yaml:1: l1d.private: each core has an l1d of its own; leave the key out"},
        {"l1d: {behind: l1i}\n",
         "t.yaml:1: l1d.behind: an L1 is behind its core and nothing else; leave the key out"},
        {"memory_cache: {behind: l2}\n",
         "t.yaml:1: memory_cache.behind: this cache is behind the memory bus always; leave the key out"},
        {"memory_cache: {private: yes}\n",
         "t.yaml:1: memory_cache.private: this cache is in front of the memories, so all cores share it; leave the "
         "key out"},
        {"l2: {prefetcher: strode}\n",
         "t.yaml:1: l2.prefetcher.type: \"strode\" is unknown here; give one of none, stride, tagged, next_line, "
         "stream, bop, spp, ampm, ip_stride, streamer, up_down, next_page"},
        {"l2: {prefetcher4: stride}\n", "t.yaml:1: l2.prefetcher4: unknown key; did you mean l2.prefetcher?"},
        {"l2: {prefetcher: {tpye: stride}}\n",
         "t.yaml:1: l2.prefetcher.tpye: unknown key; did you mean l2.prefetcher.type?"},
        {"memories: {}\n",
         "t.yaml:1: memories: expected a list such as [{device: DDR4_2400_8x8, size: 1GiB}], found keys and values"},
        {"memories: [{}]\nmemory: {}\n", "t.yaml:1: memories: given beside memory; put that into the list"},
        {"memories: [{}, {tCL: 3}]\n",
         "t.yaml:1: memories.1.tCL: unknown key; did you mean memories.1.dram.tCL?"},
        {"memories: [{}, {device: DDR4}]\n",
         "t.yaml:1: memories.1.device: unknown device \"DDR4\"; did you mean DDR4_2400_16x4? `rubato config keys` "
         "lists all devices; a file goes by its path, such as ./mine.yaml"},
        {"memories.0: {}\n", "t.yaml:1: memories.0: unknown key; did you mean memories?"}
    };
    struct system_config config;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_refused(load(&config, wrong[i].yaml), wrong[i].text);
}

/* Each line: what a file says, and the one line with which config_finish refuses it. */
static void shapes_are_checked(void **state)
{
    static const struct {
        const char *yaml, *text;
    } wrong[] = {
        {"cores: 2\n",
         "cores.1: addresses of different traces overlap; give offset: 256MiB to move this core's aside, or share: yes "
         "to keep the overlap (cpu.offset_step or cpu.share say so for all cores)"},
        {"cores: [{}, {offset: 100}]\n", "cores.1.offset: 100B is no multiple of 64B, a line; give 64B"},
        {"cores: [{}, {offset: 1GiB}]\n",
         "cores.1.offset: 1GiB is past the end of the memory, 512MiB; give for example 256MiB, or more memory"},
        {"cores: [{}, {offset: 1MiB}, {offset: 1MiB}]\n",
         "cores.2.offset: 1MiB, as core 1 has; give another, such as 256MiB, or share: yes too if they are to overlap"},
        {"caches: [{name: a}]\n",
         "a.behind: missing; name the caches above it, for example a.behind: [l1i, l1d]"},
        {"caches: [{name: a, behind: [l1x]}]\n",
         "a.behind: l1x is no cache here; did you mean l1d?"},
        {"caches: [{name: a, behind: [l1d1]}]\n", "a.behind: l1d1 is no cache here; did you mean l1d?"},
        {"cores: 2\ncpu: {share: yes}\ncaches: [{name: a, behind: [cpu2.l1d]}]\n",
         "a.behind: cpu2.l1d is no cache here; did you mean l1d? One core's private cache is named after the core, "
         "such as cpu0.l1d, up to cpu1"},
        {"cores: 2\ncpu: {share: yes}\ncaches: [{name: a, behind: [cpu1.l1i, l1i1]}]\n",
         "a.behind: names cpu1.l1i twice; leave one of them"},
        {"caches: [{name: a, behind: [a]}]\n", "a.behind: names the cache itself; name those above it"},
        {"caches: [{name: a, behind: [l1d, b]}, {name: b, behind: [l1i, a]}]\n",
         "b.behind: goes round, since a is behind b, directly or through others; take one of the names out"},
        {"caches: [{name: a, behind: [l1d]}, {name: b, behind: [l1i, l1d0]}]\n",
         "b.behind: names l1d, which has a below it already; a cache has one below it, so take the name out of one of "
         "the two"},
        {"caches: [{name: a, behind: [l1d, l1d0]}]\n", "a.behind: names l1d twice; leave one of them"},
        {"caches: [{name: a, behind: [l1d]}, {name: b, private: yes, behind: [a]}]\n",
         "b.behind: a, but a private cache stands behind the same core's only; name private caches without a core, "
         "such as l1d, or leave private out"},
        {"l2: {private: yes, behind: [l1d0]}\n",
         "l2.behind: l1d0, but a private cache stands behind the same core's only; name private caches without a "
         "core, such as l1d, or leave private out"},
        {"l2: {private: yes}\ncaches: [{name: l20, behind: [l2]}]\n",
         "caches: l20 reads like one core's l2; give it another name, such as l20x"},
        {"cores: 64\ncpu: {share: yes}\n",
         "memory_bus: 128 caches sit on it; give up to 63, and a level between, such as l2.private: yes with an l3"},
        {"cores: 40\ncpu: {share: yes}\nl2: {}\n",
         "l2.behind: 80 caches on one crossbar; give up to 64, and a level between, such as l2.private: yes"},
        {"memory_cache: {size: 1000000}\n",
         "memory_cache.size: 1000000B in 16 ways with lines of 64B makes no whole number of sets; give 976KiB or "
         "977KiB, or change memory_cache.assoc"},
        {"l1d: {size: 48KiB, assoc: 12, replacement: tree_plru}\n",
         "l1d.replacement: tree_plru needs a power of two of at least 2 ways, but l1d.assoc is 12; give l1d.assoc: 16, "
         "or another policy such as lru"},
        {"memories: [{}, {base: 256MiB}]\n",
         "memories.1.base: 256MiB with a size of 512MiB overlaps memories.0, 0B to 512MiB; give 512MiB, or leave base "
         "out"},
        {"memories: [{}, {device: GDDR5_4000_2x32}]\n",
         "memories.1.device GDDR5_4000_2x32 comes without tCS and tREFI; give them, for example memories.1.dram.tCS: "
         "2.5ns, memories.1.dram.tREFI: 7.8us"},
        {"memories: [{channels: 256}, {channels: 2}]\n", "memories: 258 channels together; give up to 256"},
        {"line: 128\nmemory: {type: hbm_pseudo, device: HBM_2000_4H_1x64}\n",
         "memory.type: hbm_pseudo holds lines of up to 64B, not 128B; give line: 64B, or type: dram"},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, dram: {burst_length: 16}}\n",
         "memory.dram: bursts of 128B, but hbm_pseudo holds up to 64B; give a device such as HBM_2000_4H_1x64"},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, dram: {addr_mapping: RoRaBaChCo}}\n",
         "memory.dram.addr_mapping: RoRaBaChCo does not go with hbm_pseudo, whose channels change every 64B; give "
         "RoRaBaCoCh"},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, xor_low_bit: 20}\n",
         "memory.xor_low_bit: hbm_pseudo does not hash; give 0, or type: dram"},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 2, interleave: 64B}\n",
         "memory.interleave: 64B is not a power of two of at least two pseudo-channels; give 128B"}
    };
    char text[512];

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct system_config config = loaded(wrong[i].yaml);

        snprintf(text, sizeof text, "system t: %s", wrong[i].text);
        assert_refused(config_finish(&config), text);
    }
}

/* ---- what config show prints */
static const char *const shapes[] = {
    "cores: 4\ncpu: {offset_step: 64MiB}\nl2: {private: yes, prefetcher: {type: stride, degree: 8}}\nl3: {}\n",
    "cores: [{rob: 7}]\n",
    "cores: [{}, {share: yes, offset: 1MiB, freq_multiplier: 0.5}]\nl2: {}\nmemory_cache: {prefetcher: tagged}\n",
    "memories: [{type: simple, size: 4MiB}, {}, {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 4}]\n",
    "memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, controller: {min_reads_per_switch: 16}}\n",
    "l1d: {prefetcher: {degree: 3}, replacement: srrip}\nl2: {behind: l1d}\n",
    "memory: {type: simple, controller: {min_reads_per_switch: 3}}\n",
    "cpu: {tlb: {l2: none, walker: {at: l2}}}\n",
    "cores: 2\ncpu: {share: yes, tlb: yes}\npages: {policy: random, seed: 7, huge: threshold, map: some/v2p.text}\n",
    clusters
};

static void the_printed_form_loads_to_the_same_system(void **state)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct system_config const config = finished(shapes[i]);
        struct system_config again;
        char *text;

        assert_fine(config_to_yaml(&config, &text));
        config_defaults(&again);
        assert_fine(config_load_text(&again, config.name, text, strlen(text)));
        assert_fine(config_finish(&again));
        free(text);
        assert_same(&config, &again);
    }
}

/* Lines up to their comments, without those that are empty. */
static void strip(char *text)
{
    char *to = text;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "#\n");

        while (length > 0 && line[length - 1] == ' ')
            length--;
        memmove(to, line, length);
        to += length;
        if (length)
            *to++ = '\n';
    }
    *to = '\0';
}

/* Takes out a line, and a section's those that are indented below it. */
static void take_out(char *text, const char *line, bool is_section)
{
    char *const from = strstr(text, line);
    char *to = from ? from + strlen(line) : NULL;

    while (to && is_section && strncmp(to, "  ", 2) == 0)
        to = strchr(to, '\n') + 1;
    if (to)
        memmove(from, to, strlen(to) + 1);
}

/* ... and without pages and TLBs where they are as usual: points of sweeps keep their hashes. */
static void the_plain_form_is_the_printed_one_without_comments(void **state)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct system_config const config = finished(shapes[i]);
        char *shown, *plain;

        assert_fine(config_to_yaml(&config, &shown));
        assert_fine(config_to_compact_yaml(&config, &plain));
        strip(shown);
        if (!strstr(shapes[i], "pages:"))
            take_out(shown, "pages:\n", true);
        take_out(shown, "  tlb: none\n", false);
        assert_string_equal(plain, shown);
        free(shown);
        free(plain);
    }
}

static void finish_twice_changes_nothing(void **state)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct system_config const once = finished(shapes[i]);
        struct system_config twice = once;

        assert_fine(config_finish(&twice));
        assert_same(&once, &twice);
    }
}

/* replay/config/yaml.c: "the order of keys in a file does not matter" */
static void the_order_of_keys_does_not_matter(void **state)
{
    static const char *const lines[] = {
        "include: quad\n", "l3: {behind: [l2a, l2b], assoc: 8}\n", "l2: none\n", "cpu: {rob: 11}\n",
        "cores: [{}, {rob: 3}, {}, {}]\n",
        "memories: [{channels: 2, device: DDR5_4400_4x8, size: 8GiB}, {type: simple}]\n",
        ("caches:\n  - {behind: [l1i0, l1d0], name: l2a}\n"
         "  - {name: l2b, behind: [l1d1, l1i1], prefetcher: {degree: 2, type: bop}}\n")
    };
    struct system_config first;

    for (size_t turn = 0; turn < COUNT(lines); turn++) {
        char yaml[1024] = "", backwards[1024] = "";

        for (size_t i = 0; i < COUNT(lines); i++) {
            strcat(yaml, lines[(turn + i) % COUNT(lines)]);
            strcat(backwards, lines[(turn + COUNT(lines) - i) % COUNT(lines)]);
        }
        struct system_config const config = finished(yaml), other = finished(backwards);
        if (turn == 0)
            first = config;
        assert_same(&first, &config);
        assert_same(&first, &other);
    }
    assert_int_equal(first.core_count, 4);
    assert_int_equal(first.cache_count, 5);
}

static void assert_tree(const char *yaml, const char *expected)
{
    struct system_config const config = finished(yaml);
    char *text;

    assert_fine(config_tree_text(&config, &text));
    assert_string_equal(text, expected);
    free(text);
}

static void the_tree_is_drawn(void **state)
{
    assert_tree("l2: {}\n",
                "memory                     512MiB from 0B, DDR3_1600_8x8, 1 channel, tRCD + tCL 27.5ns, 12.80 GB/s\n"
                "`- memory_bus              16B wide, request 7, response 2 cycles at 1GHz\n"
                "   `- l2                   2MiB, 8 ways, tag 20, data 20, return 20 cycles at 2GHz\n"
                "      |- l1i               32KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n"
                "      `- l1d               64KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n");
    assert_tree("cores: 4\ncpu: {share: yes}\nmemories: [{type: simple, size: 1MiB}, {channels: 2}]\nmemory_cache: {}\n"
                "caches: [{name: l2a, behind: [cpu0.l1i, cpu0.l1d, cpu1.l1i, l1d1, l1i3]}, {name: l2b, behind: [l1d2], "
                "replacement: fifo}]\nl3: {behind: [l2a, l1d3], prefetcher: stride, sequential_access: yes, "
                "clusivity: mostly_excl}\n",
                "memories.0                 1MiB from 0B, simple, 30ns, 13.70 GB/s\n"
                "memories.1                 512MiB from 1MiB, DDR3_1600_8x8, 2 channels, tRCD + tCL 27.5ns, 25.60 "
                "GB/s\n"
                "`- memory_cache            8MiB, 16 ways, tag 30, data 30, return 20 cycles at 2GHz\n"
                "   `- memory_bus           16B wide, request 7, response 2 cycles at 1GHz\n"
                "      |- cpu2.l1i          32KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n"
                "      |- l3                8MiB, 16 ways, tag 30 then data 30, return 20 cycles at 2GHz, mostly_excl, "
                "prefetcher stride\n"
                "      |  |- cpu3.l1d       64KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n"
                "      |  `- l2a            2MiB, 8 ways, tag 20, data 20, return 20 cycles at 2GHz\n"
                "      |     |- cpu0-1,3.l1i 32KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n"
                "      |     `- cpu0-1.l1d  64KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n"
                "      `- l2b               2MiB, 8 ways, tag 20, data 20, return 20 cycles at 2GHz, fifo\n"
                "         `- cpu2.l1d       64KiB, 2 ways, tag 2, data 2, return 2 cycles at 2GHz\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_cores_override_cpu),
        cmocka_unit_test(cpu_sets_the_offset_of_all_cores),
        cmocka_unit_test(cores_can_be_set),
        cmocka_unit_test(the_usual_chain),
        cmocka_unit_test(caches_are_below_those_named),
        cmocka_unit_test(a_tree_may_be_lopsided),
        cmocka_unit_test(an_item_replaces_its_section),
        cmocka_unit_test(caches_can_be_set),
        cmocka_unit_test(memories_follow_each_other),
        cmocka_unit_test(memories_can_be_set),
        cmocka_unit_test(files_say_where_they_are_wrong),
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(the_printed_form_loads_to_the_same_system),
        cmocka_unit_test(the_plain_form_is_the_printed_one_without_comments),
        cmocka_unit_test(finish_twice_changes_nothing),
        cmocka_unit_test(the_order_of_keys_does_not_matter),
        cmocka_unit_test(the_tree_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
