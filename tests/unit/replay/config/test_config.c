/* replay/config/config.h and replay/config/unloaded.h: files, --set, faults, geometry, shipped systems, what `config
 * show` prints. Runs in the folder of the repository (shipped systems are looked up in configs/). */
#include <unistd.h>

#include "replay/config/device.h"
#include "replay/config/unloaded.h"
#include "tests/support/config_bench.h"

static const struct cache_config *cache_of(const struct system_config *config, const char *name)
{
    for (unsigned i = 0; i < config->cache_count; i++) {
        if (strcmp(config->caches[i].name, name) == 0)
            return &config->caches[i];
    }
    return NULL;
}

/* ---- values */

/* classic-memory 5.1, 15 */
static void defaults_are_the_reference_scripts(void **state)
{
    struct system_config config;
    struct dram_params ddr3;

    config_defaults(&config);
    assert_fine(config_finish(&config));
    assert_int_equal(config.caches[0].params.size_bytes, 32768);
    assert_int_equal(config.caches[0].params.read_only, 1);
    assert_int_equal(config.caches[0].params.writeback_clean, 1);
    assert_int_equal(config.caches[1].params.size_bytes, 65536);
    assert_int_equal(config.caches[1].params.read_only, 0);
    assert_int_equal(config.caches[1].params.writeback_clean, 0);
    assert_int_equal(config.caches[1].params.mshrs, 4);
    assert_int_equal(config.caches[1].params.targets_per_mshr, 20);
    assert_null(cache_of(&config, "l2"));
    assert_null(cache_of(&config, "l3"));
    assert_int_equal(config.cache_bus.width_bytes, 32);
    assert_int_equal(config.memory_bus.width_bytes, 16);
    assert_int_equal(config.memory_bus.frontend_latency_cyc, 3);
    assert_int_equal(config.memory_bus.forward_latency_cyc, 4);
    assert_int_equal(config.memory_bus.response_latency_cyc, 2);
    assert_int_equal(config.memory_bus.snoop_response_latency_cyc, 4);
    assert_int_equal(config.memories[0].size_bytes, UINT64_C(512) << 20);
    assert_string_equal(config.memories[0].device, "DDR3_1600_8x8");
    assert_fine(config_device_read(&ddr3, "DDR3_1600_8x8"));
    assert_memory_equal(&config.memories[0].dram, &ddr3, sizeof ddr3);
    assert_int_equal(config.core.rob, 40);
}

static void clocks_are_inherited(void **state)
{
    struct system_config const config =
        finished("cpu_clock: 3GHz\nsystem_clock: 800MHz\nl1d: {clock: 500ps}\nl2: {}\nl1i: {clock: auto}\n");

    assert_int_equal(config.caches[0].params.clock_ps, 333);
    assert_int_equal(config.caches[1].params.clock_ps, 500);
    assert_int_equal(cache_of(&config, "l2")->params.clock_ps, 333);
    assert_int_equal(config.cache_bus.clock_ps, 333);
    assert_int_equal(config.memory_bus.clock_ps, 1250);
}

static void a_key_keeps_the_others(void **state)
{
    struct system_config const config = loaded("l2:\n  size: 512KiB\nmemory:\n  dram: {tCL: 10ns}\n");

    assert_non_null(cache_of(&config, "l2"));
    assert_int_equal(cache_of(&config, "l2")->params.size_bytes, 524288);
    assert_int_equal(cache_of(&config, "l2")->params.tag_latency_cyc, 20);
    assert_int_equal(cache_of(&config, "l2")->params.mshrs, 20);
    assert_int_equal(config.memories[0].dram.tCL_ps, 10000);
    assert_int_equal(config.memories[0].dram.tCWL_ps, 13750);
}

/* header: "A device replaces all that was said about memory.dram before", whatever the order inside one file */
static void a_device_comes_before_its_changes(void **state)
{
    struct system_config config = loaded("memory:\n  dram: {tCL: 10ns}\n  device: DDR4_2400_8x8\n");

    assert_string_equal(config.memories[0].device, "DDR4_2400_8x8");
    assert_int_equal(config.memories[0].dram.tCL_ps, 10000);
    assert_int_equal(config.memories[0].dram.tRP_ps, 14160);
    assert_fine(config_set(&config, "memory.device=DDR5_4400_4x8"));
    assert_int_equal(config.memories[0].dram.tCL_ps, 14545);
}

static void set_adds_changes_and_takes_out(void **state)
{
    struct system_config config = loaded("line: 64\n");

    assert_fine(config_set(&config, "l2.size=512KiB"));
    assert_non_null(cache_of(&config, "l2"));
    assert_int_equal(cache_of(&config, "l2")->params.size_bytes, 524288);
    assert_int_equal(cache_of(&config, "l2")->params.assoc, 8);
    assert_fine(config_set(&config, "l2=none"));
    assert_null(cache_of(&config, "l2"));
    assert_fine(config_set(&config, "cpu.rob=192"));
    assert_int_equal(config.core.rob, 192);
    assert_fine(config_set(&config, "line=128B"));
    assert_int_equal(config.line_bytes, 128);
    assert_fine(config_set(&config, "memory.dram.tRCD=15ns"));
    assert_int_equal(config.memories[0].dram.tRCD_ps, 15000);
    assert_fine(config_set(&config, "memory.controller.mem_sched_policy=fcfs"));
    assert_int_equal(config.memories[0].controller.mem_sched_policy, SCHED_FCFS);
}

/* classic-memory 6: a line, a burst if it is longer, and the row buffer for RoRaBaChCo */
static void interleave_is_worked_out(void **state)
{
    assert_int_equal(finished("memory: {channels: 2}\n").memories[0].interleave_bytes, 64);
    assert_int_equal(finished("line: 128\nmemory: {channels: 2}\n").memories[0].interleave_bytes, 128);
    assert_int_equal(finished("line: 32\nmemory: {channels: 2}\n").memories[0].interleave_bytes, 64);
    assert_int_equal(finished("memory: {channels: 2, interleave: row_buffer}\n").memories[0].interleave_bytes, 8192);
    assert_int_equal(finished("memory: {channels: 2, dram: {addr_mapping: RoRaBaChCo}}\n").memories[0].interleave_bytes,
                     8192);
}

/* ---- faults */
static void files_say_where_they_are_wrong(void **state)
{
    static const struct {
        const char *yaml, *text;
    } wrong[] = {
        {"l2:\n  sise: 1MiB\n", "t.yaml:2: l2.sise: unknown key; did you mean l2.size?"},
        {"memori: {}\n", "t.yaml:1: memori: unknown key; did you mean memory?"},
        {"memory:\n  tCL: 10ns\n", "t.yaml:2: memory.tCL: unknown key; did you mean memory.dram.tCL?"},
        {"rob: 3\n", "t.yaml:1: rob: unknown key; did you mean cpu.rob?"},
        {"memory:\n  devise: x\n", "t.yaml:2: memory.devise: unknown key; did you mean memory.device?"},
        {"memory:\n  device: DDR4_2400_8x9\n",
         "t.yaml:2: memory.device: unknown device \"DDR4_2400_8x9\"; did you mean DDR4_2400_8x8? `rubato config "
         "keys` lists all devices; a file goes by its path, such as ./mine.yaml"},
        {"memory:\n  device: [DDR4]\n", "t.yaml:2: memory.device: expected the name of a device, found a list"},
        {"l1d:\n  size: 32KX\n",
         "t.yaml:2: l1d.size: \"32KX\" has an unknown unit; give a capacity such as 64B, 32KiB or 2MiB"},
        {"cpu_clock: 2\n", "t.yaml:1: cpu_clock: \"2\" has no unit; give a clock such as 2GHz or 500ps"},
        {"cpu_clock: auto\n", "t.yaml:1: cpu_clock: auto is out of range; give 1MHz to 1000GHz"},
        {"l1d: {clock: 0ps}\n", "t.yaml:1: l1d.clock: 0ps is out of range; give 1MHz to 1000GHz"},
        {"l1d:\n  assoc: 0\n", "t.yaml:2: l1d.assoc: 0 is out of range; give 1 to 65536"},
        {"l1d:\n  assoc: {}\n", "t.yaml:2: l1d.assoc: expected a number such as 16 or 4k, found keys and values"},
        {"l1d:\n  assoc: [2]\n", "t.yaml:2: l1d.assoc: expected a number such as 16 or 4k, found a list"},
        {"l1d:\n  assoc:\n", "t.yaml:2: l1d.assoc: \"\" is not a number; give a number such as 16 or 4k"},
        {"cpu: {freq_multiplier: 0}\n", "t.yaml:1: cpu.freq_multiplier: 0 is out of range; give 0.001 to 1000000"},
        {"memory: {dram: {page_policy: shut}}\n",
         "t.yaml:1: memory.dram.page_policy: \"shut\" is unknown here; give one of open, open_adaptive, close, "
         "close_adaptive"},
        {"l1d:\n  size: 1KiB\n  assoc: 2\n  size: 2KiB\n",
         "t.yaml:4: l1d.size: given twice, first in line 2; leave one of them"},
        {"l2:\n", "t.yaml:1: l2: is empty; give its keys, or {} for the defaults, or none for no such cache"},
        {"l2: big\n",
         "t.yaml:1: l2: \"big\" is not a value for a section; give its keys, such as l2.size, or none to take it out"},
        {"l1d: none\n", "t.yaml:1: l1d: \"none\" is not a value for a section; give its keys, such as l1d.size"},
        {"l1d: [1]\n", "t.yaml:1: l1d: expected keys and values, such as size: ..., found a list"},
        {"[a]: 1\n", "t.yaml:1: a key is a list; expected a word such as size"},
        {"a\n", "t.yaml:1: expected keys and values such as line: 64B, found a text"},
        {"# nothing\n", "t.yaml:1: holds no settings; write at least one key, such as include: default"},
        {"l1d:\n\tsize: 1\n",
         "t.yaml:2: not valid YAML: found character that cannot start any token; check the colons, and the "
         "indentation (spaces, no tabs)"},
        {"line: 64\nl1d {\n",
         "t.yaml:3: not valid YAML: could not find expected ':'; check the colons, and the indentation (spaces, no "
         "tabs)"},
        {"line: 64\n---\nline: 64\n", "t.yaml:2: a second document begins; give each system a file of its own"},
        {"line: \"64\\0\"\n",
         "t.yaml:1: line: expected a capacity such as 64B, 32KiB or 2MiB, found a text with a zero byte"},
        {"include: nowhere\n",
         "t.yaml:1: include: nowhere: no such file, neither beside this one nor among the shipped systems"},
        {"include: {}\n", "t.yaml:1: include: expected a file such as parts/ddr5.yaml, or a list of files"},
        {"line: *x\n",
         "t.yaml:1: not valid YAML: found undefined alias; check the colons, and the indentation (spaces, no tabs)"}
    };
    struct system_config config;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_refused(load(&config, wrong[i].yaml), wrong[i].text);
}

static void set_reports_errors(void **state)
{
    static const struct {
        const char *assignment, *text;
    } wrong[] = {
        {"l2.size", "--set l2.size: expected KEY=VALUE, such as l2.size=512KiB"},
        {"=3", "--set =3: expected KEY=VALUE, such as l2.size=512KiB"},
        {"l2.sise=3", "--set: l2.sise: unknown key; did you mean l2.size?"},
        {"l4.size=3", "--set: l4: unknown key; did you mean l2?"},
        {"memory.dramm.tCL=1ns", "--set: memory.dramm: unknown key; did you mean memory.dram?"},
        {"tREFI=1us", "--set: tREFI: unknown key; did you mean memory.dram.tREFI?"},
        {"l2.size=many", "--set: l2.size: \"many\" is not a number; give a capacity such as 64B, 32KiB or 2MiB"},
        {"cpu=none", "--set: cpu: \"none\" is not a value for a section; give its keys, such as cpu.rob"},
        {"include=nosuch",
         "--set: include: nosuch: no such file, and no shipped system or core of that name; give one such as "
         "core/zen4"},
        {".=", "--set: : unknown key; did you mean l2?"}
    };
    struct system_config config;

    config_defaults(&config);
    for (size_t i = 0; i + 1 < COUNT(wrong); i++)
        assert_refused(config_set(&config, wrong[i].assignment), wrong[i].text);
    assert_int_equal(config_set(&config, wrong[COUNT(wrong) - 1].assignment).kind, FAULT_INPUT);
}

/* Each line: what a file says, and the one line with which config_finish refuses it. */
static void geometry_is_checked(void **state)
{
    static const struct {
        const char *yaml, *text;
    } wrong[] = {
        {"line: 48\n", "line: 48B is not a power of two; give 64B"},
        {"l1d: {size: 48KiB}\n",
         "l1d.size: 48KiB in 2 ways with lines of 64B makes no power of two of sets; give 32KiB or 64KiB, or "
         "change l1d.assoc"},
        {"l1d: {size: 65000}\n",
         "l1d.size: 65000B in 2 ways with lines of 64B makes no power of two of sets; give 32KiB or 64KiB, or "
         "change l1d.assoc"},
        {"l1i: {size: 64B}\n",
         "l1i.size: 64B does not hold one set of 2 ways with lines of 64B; give 128B, or fewer ways"},
        {"l2: {assoc: 3}\n",
         "l2.size: 2MiB in 3 ways with lines of 64B makes no whole number of sets; give 2097024B or 2097216B, or "
         "change l2.assoc"},
        {"l3: {}\n", "l3 needs an l2; give an l2, for example l2.size: 256KiB, or l3: none"},
        {"memory: {channels: 2, interleave: 96B}\n",
         "memory.interleave: 96B is not a power of two of at least a line and a burst; give 64B"},
        {"line: 128\nmemory: {channels: 2, interleave: 64B}\n",
         "memory.interleave: 64B is not a power of two of at least a line and a burst; give 128B"},
        {"memory: {channels: 2, interleave: 64B, dram: {addr_mapping: RoRaBaChCo}}\n",
         "memory.interleave: 64B, but addr_mapping RoRaBaChCo interleaves whole rows; give row_buffer (8KiB)"},
        {"memory: {channels: 2, interleave: 16KiB}\n",
         "memory.interleave: 16KiB is more than a row; give row_buffer (8KiB) or less"},
        {"memory: {channels: 4, xor_low_bit: 7}\n",
         "memory.xor_low_bit: bit 7 is one of those that choose the channel (6 to 7); give 8 or more, or 0 for no "
         "hashing"},
        {"memory: {size: 1000001}\n", "memory.size: 1000001B is no multiple of 64B, a line; give 1000064B"},
        {"l1d: {bus_clock: 1GHz}\n", "l1d.bus_clock: there is no crossbar of caches above this one; leave the key out"},
        {"memory_cache: {bus_clock: 1GHz}\n",
         "memory_cache.bus_clock: there is no crossbar of caches above this one; leave the key out"},
        {"memory: {base: 100}\n", "memory.base: 100B is no multiple of 64B, a line; give 64B"},
        {"memory: {channels: 2, interleave: row_buffer, size: 536879104}\n",
         "memory.size: 524296KiB is no multiple of 16KiB, one stripe on each channel; give 524304KiB"},
        {"memory: {size: 64KiB}\n",
         "memory.size: 64KiB is less than one row in each bank of each channel; give 128KiB or more"},
        {"memory: {dram: {burst_length: 6}}\n",
         "memory.dram.burst_length: 6, with devices_per_rank 8 and device_bus_width 8 bits, is not a power of two of "
         "bytes; give for example 8, 8 and 8"},
        {"memory: {dram: {device_rowbuffer_size: 4}}\n",
         "memory.dram.device_rowbuffer_size: 4B for each of 8 chips makes a row of 32B; expected a power of two of at "
         "least a burst; give a size that makes 64B"},
        {"memory: {dram: {bank_groups_per_rank: 3}}\n",
         "memory.dram.bank_groups_per_rank: 3 does not divide the 8 banks; give 0 for none, or a divisor"},
        {"memory: {dram: {max_accesses_per_row: 1}}\n",
         "memory.dram.max_accesses_per_row: 1 is what page_policy: close is for; give 2 or more, or 0 for no limit"},
        {"memory: {dram: {tREFI: 500ns, tRFC: 490ns}}\n",
         "memory.dram.tREFI: 500ns leaves no time between refreshes; give more than tRP + tRFC, such as 5037.5ns"},
        {"memory: {device: LPDDR5_6400_1x16_BG_BL32, dram: {tBURST_MAX: 1ns}}\n",
         "memory.dram.tBURST_MAX: 1ns is shorter than tBURST, 7.5ns, whose bursts interleave; give that or more"},
        {"line: 256\nmemory: {dram: {read_buffer_size: 2}}\n",
         "memory.dram.read_buffer_size: 2 cannot hold the 4 bursts of a line; give 4 or more"},
        {"line: 256\nmemory: {dram: {write_buffer_size: 3}}\n",
         "memory.dram.write_buffer_size: 3 cannot hold the 4 bursts of a line; give 4 or more"},
        {"memory: {controller: {write_low_thresh_perc: 90}}\n",
         "memory.controller.write_low_thresh_perc: 90% must be below write_high_thresh_perc, 85%; give 50% and 85%"},
        {"memory: {controller: {command_window: 1ns}}\n",
         "memory.controller.command_window: 1ns is shorter than tCK, so no command fits; give 10ns or more"},
        {"memory: {device: GDDR5_4000_2x32}\n",
         "memory.device GDDR5_4000_2x32 comes without tCS and tREFI; give them, for example memory.dram.tCS: "
         "2.5ns, memory.dram.tREFI: 7.8us"},
        {"memory: {device: GDDR5_4000_2x32, dram: {tCS: 2ns}}\n",
         "memory.device GDDR5_4000_2x32 comes without tREFI; give it, for example memory.dram.tREFI: 7.8us"}
    };
    char text[512];

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct system_config config = loaded(wrong[i].yaml);

        snprintf(text, sizeof text, "system t: %s", wrong[i].text);
        assert_refused(config_finish(&config), text);
    }
}

/* A configuration that is built by hand is held to the tables' limits too. */
static void finish_checks_limits(void **state)
{
    struct system_config config;

    config_defaults(&config);
    config.caches[1].params.assoc = 0;
    assert_refused(config_finish(&config), "system default: l1d.assoc is 0, which is out of range; give 1 to 65536");
    config_defaults(&config);
    config.memories[0].dram.page_policy = 7;
    assert_refused(config_finish(&config),
                   "system default: memory.dram.page_policy is 7, which is out of range; give 0 to 3");
    config_defaults(&config);
    config.core.freq_multiplier = 0.0 / 1.0;
    assert_refused(config_finish(&config),
                   "system default: cpu.freq_multiplier is out of range; give 0.001 to 1000000");
}

static void missing_values_can_be_given(void **state)
{
    struct system_config const config = finished("memory: {device: GDDR5_4000_2x32, dram: {tCS: 2ns, tREFI: 3.9us}}\n");

    assert_int_equal(config.memories[0].dram.tCS_ps, 2000);
    assert_int_equal(config.memories[0].dram.tREFI_ps, 3900000);
}

/* ---- files and includes */
static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    static char folder[64];

    strcpy(folder, "/tmp/rubato-config-XXXXXX");
    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.yaml", "b.yaml", "c.yaml"};
    char path[256];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", (const char *)*state, names[i]);
        unlink(path);
    }
    return rmdir(*state);
}

static void files_include_others(void **state)
{
    const char *folder = *state;
    struct system_config config;
    char path[128];

    write_file(folder, "a.yaml", "l2: {size: 1MiB}\ninclude: [default, b.yaml]\ncpu: {rob: 100}\n");
    write_file(folder, "b.yaml", "cpu: {rob: 50, load_buffer: 7}\nl2: {assoc: 4}\n");
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    config_defaults(&config);
    assert_fine(config_load(&config, path));
    assert_string_equal(config.name, "a");
    assert_int_equal(config.core.rob, 100);
    assert_int_equal(config.core.load_buffer, 7);
    assert_int_equal(config.core.store_buffer, 16);
    assert_int_equal(cache_of(&config, "l2")->params.size_bytes, 1048576);
    assert_int_equal(cache_of(&config, "l2")->params.assoc, 4);
}

static void cycles_of_includes_are_refused(void **state)
{
    const char *folder = *state;
    struct system_config config;
    char path[128], text[512];

    write_file(folder, "a.yaml", "line: 64B\ninclude: b.yaml\n");
    write_file(folder, "b.yaml", "include: c.yaml\n");
    write_file(folder, "c.yaml", "include: ./a.yaml\n");
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    config_defaults(&config);
    snprintf(text, sizeof text, "%s:1: include: this file includes itself through %s/c.yaml; take one of the includes "
             "out", path, folder);
    assert_refused(config_load(&config, path), text);
}

static void a_fault_names_the_included_file(void **state)
{
    const char *folder = *state;
    struct system_config config;
    char path[128], text[512];

    write_file(folder, "a.yaml", "include: b.yaml\n");
    write_file(folder, "b.yaml", "\nlnie: 64\n");
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    config_defaults(&config);
    snprintf(text, sizeof text, "%s/b.yaml:2: lnie: unknown key; did you mean line?", folder);
    assert_refused(config_load(&config, path), text);
    snprintf(text, sizeof text, "%s: is not a file; expected a YAML file or the name of a shipped system such as "
                                "default",
             folder);
    assert_refused(config_load(&config, folder), text);
    assert_refused(config_load(&config, "wyde"), "wyde: no such file, and no shipped system of that name; did you mean "
                   "wide? `rubato config list` shows all");
    assert_refused(config_load(&config, "detailed/smal"), "detailed/smal: no such file, and no shipped system of "
                   "that name; did you mean detailed/small? `rubato config list` shows all");
    assert_refused(config_load(&config, "rtx270"), "rtx270: no such file, and no shipped system of that name; did "
                   "you mean rtx2060? `rubato config list` shows all");
}

/* ---- shipped systems */
static const char *const shipped_names[] = {"etrace", "etrace-l2", "default", "wide", "laptop",
                                            "server", "phone", "quad", "hbm"};

static void shipped_systems_have_the_documented_values(void **state)
{
    struct system_config const etrace = shipped("etrace"), etrace_l2 = shipped("etrace-l2");
    struct system_config const small = shipped("default"), wide = shipped("wide");

    assert_int_equal(etrace.caches[1].params.clock_ps, 1000);
    assert_int_equal(etrace.cpu_clock_ps, 500);
    assert_null(cache_of(&etrace, "l2"));
    assert_int_equal(cache_of(&etrace_l2, "l2")->params.clock_ps, 500);
    assert_int_equal(etrace_l2.cache_bus.clock_ps, 500);
    assert_int_equal(small.caches[1].params.clock_ps, 500);
    assert_int_equal(small.core.rob, 40);
    assert_int_equal(wide.core.rob, 192);
    assert_int_equal(wide.core.load_buffer, 32);
    assert_int_equal(wide.core.store_buffer, 32);
    assert_memory_equal(cache_of(&small, "l2"), cache_of(&wide, "l2"), sizeof(struct cache_config));
    assert_memory_equal(&small.memories[0], &wide.memories[0], sizeof small.memories[0]);
    assert_int_equal(shipped("laptop").cache_count, 4);
    assert_int_equal(shipped("server").cache_count, 4);
    assert_int_equal(shipped("phone").cache_count, 4);
    assert_int_equal(shipped("quad").core_count, 4);
    assert_int_equal(shipped("hbm").memories[0].controller.min_reads_per_switch, 64);
    assert_string_equal(shipped("configs/wide.yaml").name, "wide");
}

/* classic-memory 16.1: 2, 15 and 90 ns */
static void etrace_l2_has_the_latencies_of_the_worked_example(void **state)
{
    struct system_config const config = shipped("etrace-l2");
    struct unloaded_latencies latencies;
    char *text;

    assert_fine(unloaded_latencies(&latencies, &config));
    assert_int_equal(latencies.l1i_hit_ps, 2000);
    assert_int_equal(latencies.level_count, 2);
    assert_int_equal(latencies.levels[0].hit_ps, 2000);
    assert_int_equal(latencies.levels[1].hit_ps, 15000);
    assert_int_equal(latencies.memory_ps, 90000);
    assert_fine(config_to_yaml(&config, &text));
    assert_non_null(strstr(text, " 2ns "));
    assert_non_null(strstr(text, " 15ns "));
    assert_non_null(strstr(text, " 90ns "));
    assert_non_null(strstr(text, " 12.80 GB/s\n"));
    free(text);
}

/* What the reference model says of one load at tick 0: bursts of one line in one bank, in several, in closing rows. */
static void memory_latency_is_the_models(void **state)
{
    static const struct {
        const char *yaml;
        uint64_t latency_ps;
    } known[] = {
        {"l2: {}\nmemory: {device: LPDDR2_S4_1066_1x32}\n", 102500},
        {"l2: {}\nline: 128\nmemory: {device: HMC_2500_1x32}\n", 87500},
        {"l2: {}\nline: 128\nmemory: {device: LPDDR5_5500_1x16_BG_BL16}\n", 122500},
        {"l2: {}\nmemory: {device: HBM_1000_4H_1x64, dram: {page_policy: close}}\n", 135500},
        {"line: 128\nmemory: {device: LPDDR5_6400_1x16_BG_BL32}\n", 106000},
        {"l2: {}\nline: 128\nmemory: {device: HBM_2000_4H_1x64, dram: {max_accesses_per_row: 2}}\n", 130500},
        {"l1d: {clock: 1GHz}\nmemory: {type: simple}\n", 44000},
        {"l2: {private: yes}\nl3: {}\n", 112000},
        {"l2: {private: yes}\nl3: {bus_clock: 1GHz}\n", 112000 + 3 * 500},     /* frontend, header, response */
        {"l2: {}\nmemory_cache: {}\n", 120500},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 2}\n", 80000},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 2, dram: {addr_mapping: RoCoRaBaCh, "
         "page_policy: close}}\n", 108000},
        {"l2: {}\nmemory_cache: {clock: 1GHz}\nmemory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 2}\n",
         148500}
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        struct system_config const config = finished(known[i].yaml);
        struct unloaded_latencies latencies;

        assert_fine(unloaded_latencies(&latencies, &config));
        assert_int_equal(latencies.memory_ps, known[i].latency_ps);
    }
}

/* classic-memory 12.1, last column; bursts that may be interleaved count half their longest time */
static void peak_bandwidth_is_the_devices(void **state)
{
    static const struct {
        const char *device;
        double mb_per_s;
    } peaks[] = {
        {"DDR3_1600_8x8", 12800.00}, {"DDR3_2133_8x8", 17057.57}, {"DDR4_2400_16x4", 19207.68},
        {"DDR5_8400_4x8", 33613.45}, {"LPDDR2_S4_1066_1x32", 4266.67}, {"LPDDR5_5500_1x16_BG_BL32", 10996.56},
        {"LPDDR5_5500_1x16_BG_BL16", 10996.56}, {"LPDDR5_6400_1x16_8B_BL32", 12800.00}, {"WideIO_200_1x128", 3200.00},
        {"HBM_2000_4H_1x64", 16000.00}, {"HMC_2500_1x32", 10000.00}
    };
    struct system_config config;

    config_defaults(&config);
    for (size_t i = 0; i < COUNT(peaks); i++) {
        assert_fine(config_device_read(&config.memories[0].dram, peaks[i].device));
        double const off = peak_memory_bandwidth(&config.memories[0]) / 1e6 - peaks[i].mb_per_s;
        if (off < -0.005 || off > 0.005)
            fail_msg("%s: %f MB/s, expected %f", peaks[i].device, peak_memory_bandwidth(&config.memories[0]) / 1e6,
                     peaks[i].mb_per_s);
    }
    config.memories[0].type = MEMORY_SIMPLE;
    double const simple = peak_memory_bandwidth(&config.memories[0]);
    assert_true(simple > 1e12 / 73 - 1 && simple < 1e12 / 73 + 1);
}

/* ---- what config show prints is the same system */
static void the_printed_form_loads_to_the_same_system(void **state)
{
    static const char *const changes[] = {
        "", "memory: {device: HMC_2500_1x32, channels: 4}\n", "memory: {type: simple, bandwidth: 12.8GiB/s}\n",
        "memory: {type: simple, device: HBM_1000_4H_1x64, channels: 2}\n",
        "l2: {clock: 3GHz}\nl3: {write_allocator: on, sequential_access: yes, clusivity: mostly_excl}\n",
        "cpu: {freq_multiplier: 0.3}\nexit_first_core: yes\nline: 32\nmemory: {base: 0x80000000, xor_low_bit: 20}\n",
        "memory: {channels: 2, dram: {addr_mapping: RoRaBaChCo, enable_dram_powerdown: yes, tAAD: 1.001ns}}\n",
        "memory: {controller: {write_high_thresh_perc: 77%, static_backend_latency: 123ps}}\n"
    };

    for (size_t i = 0; i < COUNT(shipped_names); i++) {
        struct system_config const config = shipped(shipped_names[i]);

        assert_comes_back(&config);
    }
    for (size_t i = 0; i < COUNT(changes); i++) {
        char yaml[512];

        snprintf(yaml, sizeof yaml, "include: default\n%s", changes[i]);
        struct system_config const config = finished(yaml);
        assert_comes_back(&config);
    }
}

/* header: "idempotent" */
static void finish_twice_changes_nothing(void **state)
{
    struct system_config config = shipped("laptop");
    struct system_config const once = config;

    assert_fine(config_finish(&config));
    assert_memory_equal(&config, &once, sizeof once);
}

/* Every key of the tables can be set by its full name, to its own value. */
static void every_key_can_be_set(void **state)
{
    struct system_config config = finished("include: quad\nmemory_cache: {}\ncaches: [{name: l4, behind: [l3]}]\n"
                                           "cores: [{}, {rob: 7}]\n");
    struct system_config const before = config;
    struct config_section list[CONFIG_MAX_SECTIONS];
    unsigned const count = config_sections(&config, list);
    char value[64], assignment[160];
    size_t keys = 0, known = 0;

    for (unsigned s = 0; s < count; s++) {
        const struct config_section *section = &list[s];

        known += section->is_present ? section->table->count : 0;
        for (size_t i = 0; section->is_present && i < section->table->count; i++) {
            config_value_text(&config, section, &section->table->rows[i], value, sizeof value);
            snprintf(assignment, sizeof assignment, "%s%s%s=%s", section->path, *section->path ? "." : "",
                     section->table->rows[i].key, value);
            assert_fine(config_set(&config, assignment));
            keys++;
        }
    }
    assert_memory_equal(&config, &before, sizeof before);
    assert_int_equal(keys, known);
    assert_true(keys > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_reference_scripts),
        cmocka_unit_test(clocks_are_inherited),
        cmocka_unit_test(a_key_keeps_the_others),
        cmocka_unit_test(a_device_comes_before_its_changes),
        cmocka_unit_test(set_adds_changes_and_takes_out),
        cmocka_unit_test(interleave_is_worked_out),
        cmocka_unit_test(files_say_where_they_are_wrong),
        cmocka_unit_test(set_reports_errors),
        cmocka_unit_test(geometry_is_checked),
        cmocka_unit_test(finish_checks_limits),
        cmocka_unit_test(missing_values_can_be_given),
        cmocka_unit_test_setup_teardown(files_include_others, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(cycles_of_includes_are_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_fault_names_the_included_file, make_folder, remove_folder),
        cmocka_unit_test(shipped_systems_have_the_documented_values),
        cmocka_unit_test(etrace_l2_has_the_latencies_of_the_worked_example),
        cmocka_unit_test(memory_latency_is_the_models),
        cmocka_unit_test(peak_bandwidth_is_the_devices),
        cmocka_unit_test(the_printed_form_loads_to_the_same_system),
        cmocka_unit_test(finish_twice_changes_nothing),
        cmocka_unit_test(every_key_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
