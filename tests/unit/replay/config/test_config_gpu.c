/* Section gpu of a system, systems of a GPU alone, shipped GPUs, replay/config/import.h. Runs in the folder of the
 * repository. The recorded options of the reference are compared if they are there. */
#include "memsys/gpu/gpu_memory.h"
#include "replay/config/config_values.h"
#include "replay/config/import.h"
#include "replay/config/unloaded.h"
#include "tests/support/config_bench.h"

#define SHARED_OPTIONS "/oracle/gpu/accelsim-config.tsv"

/* A GPU alone whose memory fits the default letters. */
#define ALONE "cores: 0\nmemory: {device: HBM2_1700_1x128, size: 16GiB}\n"

/* ---- values */
static void a_system_has_no_gpu_of_its_own(void **state)
{
    struct system_config config;
    char *text;

    assert_fine(load_and_finish(&config, "line: 64B\n"));
    assert_false(config_has_gpu(&config));
    assert_fine(config_to_yaml(&config, &text));
    assert_null(strstr(text, "gpu"));
    free(text);
}

static void keys_of_all_parts_arrive(void **state)
{
    struct system_config config;

    assert_fine(load_and_finish(&config, ALONE "gpu:\n  sms: 3\n  core_clock: 1GHz\n  sm: {policy: gto, pipeline: 2}\n"
                                    "  units: {dp: {latency: 8, interval: 4, count: 1}}\n"
                                    "  l1: {sets: 8, write: write_through, adaptive: yes, unified: 128KiB,\n"
                                    "       shared_options: [0B, 8KiB, 64KiB]}\n"
                                    "  l2: {sets: 32, index: ipoly, channels: 12, slices: 2}\n"));
    assert_int_equal(config.gpu.sms, 3);
    assert_int_equal(config.gpu.core_clock_ps, 1000);
    assert_int_equal(config.gpu.sm.policy, WARP_GTO);
    assert_int_equal(config.gpu.sm.pipeline_cyc, 2);
    assert_int_equal(config.gpu.units[GPU_UNIT_DP].interval_cyc, 4);
    assert_int_equal(config.gpu.units[GPU_UNIT_SP].count, 4);
    assert_int_equal(config.gpu.l1.cache.sets, 8);
    assert_int_equal(config.gpu.l1.cache.write, SECTOR_WRITE_THROUGH);
    assert_int_equal(config.gpu.l1.shared_options[0], 0);
    assert_int_equal(config.gpu.l1.shared_options[1], 8192);
    assert_int_equal(config.gpu.l1.shared_options[2], 65536);
    assert_int_equal(config.gpu.l1.shared_options[3], 0);
    assert_int_equal(config.gpu.l2.cache.index, SET_IPOLY);
    assert_int_equal(config.gpu.l2.cache.sector_bytes, 32);
}

/* header: "the memory is the GPU's DRAM then, its channels are gpu.l2.channels" */
static void channels_are_the_gpus(void **state)
{
    struct system_config config;

    assert_fine(load_and_finish(&config, ALONE "gpu: {sms: 1, l2: {channels: 12}}\n"));
    assert_int_equal(config.memories[0].channels, 12);
}

/* header: "With `gpu.memory: shared` the GPU alone has the memory bus, the memory cache and the memories as beside
 * cores; settings of cores and their caches are dropped." */
static void a_gpu_alone_may_have_the_memory_of_cores(void **state)
{
    static const char rest[] = "memory_bus: {width: 32B}\nmemory_cache: {size: 1MiB}\nmemory: {channels: 2}\n"
                               "gpu: {sms: 1, memory: shared}\n";
    struct system_config beside, alone, again;
    char yaml[400], *text;

    snprintf(yaml, sizeof yaml, "cores: 2\ncpu: {share: yes, rob: 99}\nl2: {private: yes}\nl3: {size: 4MiB}\n%s", rest);
    assert_fine(load_and_finish(&beside, yaml));
    assert_int_equal(beside.gpu.memory_place, GPU_MEMORY_SHARED);
    snprintf(yaml, sizeof yaml, "cores: 0\ncpu: {share: yes, rob: 99}\nl2: {private: yes}\nl3: {size: 4MiB}\n%s", rest);
    assert_fine(load_and_finish(&alone, yaml));
    assert_int_equal(alone.cache_count, 2);
    assert_memory_equal(&alone.memory_bus, &beside.memory_bus, sizeof alone.memory_bus);
    assert_memory_equal(&alone.memory_cache, &beside.memory_cache, sizeof alone.memory_cache);
    assert_memory_equal(&alone.memories, &beside.memories, sizeof alone.memories);
    assert_memory_equal(&alone.gpu, &beside.gpu, sizeof alone.gpu);
    snprintf(yaml, sizeof yaml, "cores: 0\n%s", rest);
    assert_fine(load_and_finish(&again, yaml));
    assert_memory_equal(&again, &alone, sizeof again);
    assert_fine(config_to_yaml(&alone, &text));
    assert_fine(load_and_finish(&again, text));
    assert_memory_equal(&again, &alone, sizeof again);
    free(text);
}

static void letters_are_written_with_points_or_without(void **state)
{
    struct system_config with, without;

    assert_fine(load_and_finish(&with, ALONE "gpu: {sms: 1, l2: {letters: 0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS}}\n"));
    assert_fine(load_and_finish(&without, ALONE "gpu: {sms: 1, l2: {letters: RRRRRRRRRRRRRBBBCCCBCCCSSSSS}}\n"));
    assert_string_equal(with.gpu.l2.letters, without.gpu.l2.letters);
    assert_int_equal(strlen(with.gpu.l2.letters), GPU_ADDRESS_LETTERS);
}

static void settings_reach_the_gpu(void **state)
{
    struct system_config config;

    config_defaults(&config);
    assert_fine(config_load(&config, "qv100"));
    assert_fine(config_set(&config, "gpu.l2.ways=12"));
    assert_fine(config_set(&config, "gpu.units.int.latency=3"));
    assert_fine(config_set(&config, "gpu.l1.shared_options=16KiB,32KiB"));
    assert_int_equal(config.gpu.l2.cache.ways, 12);
    assert_int_equal(config.gpu.units[GPU_UNIT_INT].latency_cyc, 3);
    assert_int_equal(config.gpu.l1.shared_options[0], 16384);
    assert_refused(config_set(&config, "gpu.l3.ways=12"), "--set: gpu.l3: unknown key; did you mean gpu.l1?");
    assert_fine(config_set(&config, "gpu=none"));
    assert_false(config_has_gpu(&config));
    assert_refused(config_finish(&config), "system qv100: cores: 0 of them; give 1 to 64");
}

/* ---- faults */
static void files_say_where_they_are_wrong(void **state)
{
    static const struct {
        const char *yaml, *text;
    } wrong[] = {
        {"gpu:\n  smss: 3\n", "t.yaml:2: gpu.smss: unknown key; did you mean gpu.sms?"},
        {"gpu:\n  sms: 3000\n", "t.yaml:2: gpu.sms: 3000 is out of range; give 0 to 1024"},
        {"gpu:\n  units:\n    int: 3\n",
         "t.yaml:3: gpu.units.int: \"3\" is not a value for a section; give its keys, such as gpu.units.int.latency"},
        {"gpu:\n  units: 3\n",
         "t.yaml:2: gpu.units: \"3\" is not a value for a section; give its keys, such as gpu.units.int"},
        {"gpu:\n  l1:\n    write: around\n",
         "t.yaml:3: gpu.l1.write: \"around\" is unknown here; give one of read_only, write_back, write_through, "
         "write_evict, local_back_global_through"},
        {"gpu:\n  l1: {shared_options: [8KiB, 4KiB]}\n",
         "t.yaml:2: gpu.l1.shared_options: 4KiB after 8KiB; give the sizes in rising order"},
        {"gpu:\n  l1: {shared_options: [8KX]}\n",
         "t.yaml:2: gpu.l1.shared_options: \"8KX\" has an unknown unit; give sizes such as [0B, 8KiB, 64KiB]"},
        {"gpu:\n  l2: {letters: RRXX}\n",
         "t.yaml:2: gpu.l2.letters: \"RRXX\" has another letter than R, B, C, S, 0; give the bits of an address, the "
         "most significant first, such as 0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"},
        {"cores: 0\n", "system t: cores: 0 of them; give 1 to 64"},
        {"gpu: {l2: {ways: 3}}\n",
         "system t: gpu.sms: missing; give how many SMs there are, such as 80, or gpu: none"},
        {ALONE "gpu: {sms: 1}\nl2: {size: 1MiB}\n",
         "system t: l2: a system without cores has the GPU's caches only; leave it out, give cores, or gpu.memory: "
         "shared"},
        {"gpu: {sms: 1, memory: own}\n",
         "system t: gpu.memory: own, but a GPU beside cores has their memory; give shared, or cores: 0"},
        {ALONE "gpu: {sms: 1, llc_ways: 3}\n",
         "system t: gpu.llc_ways: the GPU's memory is its own; leave it out, or give gpu.memory: shared"},
        {ALONE "gpu: {sms: 1, memory_size: 1GiB}\n",
         "system t: gpu.memory_size: the GPU's memory is its own; leave it out, or give gpu.memory: shared"},
        {"cores: 0\ngpu: {sms: 1, memory: shared, memory_base: 1GiB}\n",
         "system t: gpu.memory_base: no memory has the address 1GiB; give one that lies in a memory"},
        {"cores: 0\nmemory_cache: {size: 48KiB, assoc: 5}\ngpu: {sms: 1, memory: shared}\n",
         "system t: memory_cache.size: 48KiB in 5 ways with lines of 64B makes no whole number of sets; give 48960B "
         "or 49280B, or change memory_cache.assoc"},
        {ALONE "gpu: {sms: 1, l1: {sets: 3}}\n", "system t: gpu.l1.sets: 3 is not a power of two; give 4"},
        {ALONE "gpu: {sms: 1, l1: {index: ipoly}}\n",
         "system t: gpu.l1.index: ipoly is made for 16, 32 or 64 sets, not 4; give linear or xor"},
        {ALONE "gpu: {sms: 1, l1: {adaptive: yes}}\n",
         "system t: gpu.l1.unified: 0B is no multiple of a way, 512B; give for example 128KiB, or adaptive: no"},
        {ALONE "gpu: {sms: 1, l2: {slices: 3}}\n", "system t: gpu.l2.slices: 3 is not a power of two; give 4"},
        {ALONE "gpu: {sms: 1, l2: {channels: 12, hash: xor}}\n",
         "system t: gpu.l2.hash: xor needs a power of two of channels, not 12; give linear"},
        {ALONE "gpu: {sms: 1, l2: {channels: 40, hash: ipoly, slices: 2}}\n",
         "system t: gpu.l2.hash: ipoly is made for 16, 32 or 64 slices (channels up to the next power of two, times "
         "slices), not 128; give ipoly_modulo or linear"},
        {ALONE "gpu: {sms: 1, l2: {channels: 5, hash: ipoly_modulo, slices: 1}}\n",
         "system t: gpu.l2.hash: ipoly_modulo needs an even number of slices, not 5; give linear"},
        {ALONE "gpu: {sms: 1, l2: {line: 512B, sector: 512B}}\n",
         "system t: gpu.l2.interleave: 256B is not a power of two of at least a sector of 512B; give 512B"},
        {ALONE "gpu: {sms: 1, l2: {letters: RBBCCCCCCSSSSS}}\n",
         "system t: gpu.l2.letters: 2 times B, but memory.dram has 16 banks; give as many B as they need, or change "
         "banks_per_rank"},
        {ALONE "gpu: {sms: 1, array: {inst_buffer: 200B}}\n",
         "system t: gpu.array.inst_buffer: 200B is no multiple of a line of 64B; give 256B"},
        {ALONE "gpu: {sms: 1, array: {scalar_sets: 3}}\n",
         "system t: gpu.array.scalar_sets: no power of two; give 64"},
        {ALONE "gpu: {sms: 1, tlb: {page: 5000B}}\n",
         "system t: gpu.tlb.page: 5000B is not a power of two of at least 64B; give 4KiB, or 0B for no translation"},
        {ALONE "gpu: {sms: 1, l1: {in_flight: 4}}\n",
         "system t: gpu.l1.in_flight: only with a reorder buffer; give gpu.l1.reorder entries, such as 128, or "
         "in_flight: 0"},
        {ALONE "gpu: {sms: 1, sm: {issue_in_turn: yes}}\n",
         "system t: gpu.sm.issue_in_turn: only without a scoreboard; give scoreboard: no, or leave it out"},
        {ALONE "gpu: {sms: 1, sm: {issue_rotates: yes}}\n",
         "system t: gpu.sm.issue_rotates: only with turns; give issue_in_turn: yes, or leave it out"},
        {"cores: 0\ngpu: {sms: 1}\nmemory: {type: simple}\n",
         "system t: memory.type: a GPU's memory is DRAM, not simple; give dram, hbm_pseudo, or command"},
        {"cores: 0\ngpu: {sms: 1}\nmemory: {type: hbm_pseudo, device: HBM2_1700_1x128}\n",
         "system t: gpu.l2.letters: 11 times C and S, but memory.dram has rows of 4KiB in both pseudo-channels; give "
         "as many as address their bytes, or change device_rowbuffer_size"},
        {"cores: 0\ngpu: {sms: 1, l2: {sector: 128B, line: 128B}}\n"
         "memory: {type: hbm_pseudo, device: HBM2_1700_1x64}\n",
         "system t: memory.type: hbm_pseudo changes the channel every 64B, but gpu.l2.sector is 128B; give dram, or at "
         "most 64B"},
        {"cores: 0\ngpu: {sms: 1}\nmemory: {device: HBM2_1700_1x128, channels: 3}\n",
         "system t: memory.channels: 3, but gpu.l2.channels is 32; leave it out"}
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct system_config config;

        assert_refused(load_and_finish(&config, wrong[i].yaml), wrong[i].text);
    }
}

/* ---- shipped GPUs */
static const char *const gpus[] = {"qv100", "titanx", "rtx2060", "rtx3070", "a100", "h100", "r9nano",
                                   "qv100-accelsim", "titanx-accelsim", "rtx2060-accelsim", "rtx3070-accelsim",
                                   "a100-accelsim", "h100-accelsim", "r9nano-mgpusim", "rtx3070-commands"};

static void the_printed_form_is_read_back_equal(void **state)
{
    for (size_t i = 0; i < COUNT(gpus); i++) {
        struct system_config const config = shipped(gpus[i]);

        assert_comes_back(&config);
    }
}

/* gpu-traces 13: peak DRAM bandwidth */
static void peaks_are_the_cards(void **state)
{
    static const struct {
        const char *name;
        double gb_s;
    } peaks[] = {{"qv100", 870}, {"rtx2060", 336}, {"rtx3070", 448}, {"a100", 1555}, {"h100", 1988}, {"titanx", 480},
                 {"r9nano", 512}, {"rtx3070-commands", 448}};

    for (size_t i = 0; i < COUNT(peaks); i++) {
        struct system_config const config = shipped(peaks[i].name);
        double const gb_s = peak_memory_bandwidth(&config.memories[0]) / 1e9;

        if (!(gb_s > 0.995 * peaks[i].gb_s && gb_s < 1.005 * peaks[i].gb_s))
            fail_msg("%s: %.1f GB/s, expected %.1f", peaks[i].name, gb_s, peaks[i].gb_s);
        assert_true(gpu_memory_dram_latency_ps(&config.gpu, &config.memories[0]) >
                    gpu_memory_l2_latency_ps(&config.gpu));
    }
}

/* ---- import */
static const char few_options[] =
    "# a comment\n-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 2\n-gpgpu_clock_domains 1000:1000:1000:500\n"
    "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16:0,32\n"
    "-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,32:0,32\n"
    "-gpgpu_mem_addr_mapping dramid@8;0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS\n-gpgpu_n_mem 12\n"
    "-gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_dram_buswidth 2 -gpgpu_dram_burst_length 16\n"
    "-dram_data_command_freq_ratio 4 -power_simulation_enabled 1 -gpgpu_reg_bank_use_warp_id 0\n"
    "-gpgpu_dram_timing_opt \"nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:\n"
    "   CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4\"\n-gpgpu_shmem_option 0,8,16\n";

static struct system_config imported(const char *name, const char *text)
{
    struct config_import import;
    struct system_config config;

    config_import_begin(&import);
    assert_fine(config_import_read(&import, "gpgpusim.config", text, strlen(text)));
    assert_fine(config_import_system(&import, name, &config));
    config_import_end(&import);
    return config;
}

static void options_become_keys(void **state)
{
    struct system_config const config = imported("few", few_options);
    const struct dram_params *dram = &config.memories[0].dram;

    assert_int_equal(config.gpu.sms, 8);
    assert_int_equal(config.gpu.core_clock_ps, 1000);
    assert_int_equal(config.gpu.l1.cache.merges, 32);
    assert_int_equal(config.gpu.l2.cache.index, SET_IPOLY);
    assert_int_equal(config.gpu.l1.shared_options[2], 16384);
    assert_int_equal(config.memories[0].channels, 12);
    assert_int_equal(dram->tCK_ps, 2000);
    assert_int_equal(dram->tBURST_ps, 8000);
    assert_int_equal(dram->device_bus_width_bits, 16);
    assert_int_equal(dram->tRCD_ps, 48000);
    assert_int_equal(dram->tRCD_WR_ps, 2 * (24 - 8 - 1) * 1000);         /* 12.4 */
    assert_int_equal(dram->tRTW_ps, 2 * (24 + 2 - 8) * 1000);
    assert_int_equal(dram->tCCD_L_ps, 12000);
    assert_int_equal(dram->device_rowbuffer_bytes, 2048);
}

static void options_without_counterpart_are_named(void **state)
{
    struct config_import import;
    char *notes;
    size_t count;

    config_import_begin(&import);
    assert_fine(config_import_read(&import, "gpgpusim.config", few_options, sizeof few_options - 1));
    assert_fine(config_import_notes(&import, &notes, &count));
    assert_int_equal(count, 1);
    assert_non_null(strstr(notes, "#   -gpgpu_reg_bank_use_warp_id 0: "));
    assert_non_null(strstr(notes, " -power_simulation_enabled"));
    assert_null(strstr(notes, "gpgpu_n_mem"));
    free(notes);
    config_import_end(&import);
}

static void a_clock_alone_scales_dram(void **state)
{
    static const char clocks[] = "-gpgpu_clock_domains 1410:1410:1512:1215";
    struct system_config config;
    struct config_import import;

    config_defaults(&config);
    assert_fine(config_load(&config, "a100-accelsim"));
    config_import_begin(&import);
    assert_fine(config_import_read(&import, "extra", clocks, sizeof clocks - 1));
    assert_fine(config_import_change(&import, &config));
    config_import_end(&import);
    assert_fine(config_finish(&config));
    assert_int_equal(config.memories[0].dram.tCK_ps, 823);
    assert_int_equal(config.memories[0].dram.tRCD_ps, 18107);            /* 22 cycles */
    assert_int_equal(config.memories[0].dram.tWTR_ps, 4115);             /* 5 */
    assert_int_equal(config.gpu.core_clock_ps, 709);
}

static void import_refuses(void **state)
{
    static const struct {
        const char *options, *text;
    } wrong[] = {
        {"-gpgpu_n_clusters many", "o.config:1: -gpgpu_n_clusters: \"many\": expected a number"},
        {"\n-gpgpu_cache:dl1 some",
         "o.config:2: -gpgpu_cache:dl1: \"some\": expected a cache such as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32, or "
         "none"},
        {"-gpgpu_clock_domains 1:2",
         "o.config:1: -gpgpu_clock_domains: \"1:2\": expected four clocks in MHz, such as 1132:1132:1132:850"},
        {"-gpgpu_num_sched_per_core 99",
         "o.config:1: -gpgpu_num_sched_per_core: gpu.sm.schedulers: 99 is out of range; give 1 to 16"},
        {"-gpgpu_dram_timing_opt nbk=16:XYZ=3",
         "o.config:1: -gpgpu_dram_timing_opt: \"nbk=16:XYZ=3\": expected timings such as nbk=16:CCD=1:RRD=3:RCD=12:"
         "RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3"}
    };
    struct system_config config;
    struct config_import import;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        config = shipped("qv100");
        config_import_begin(&import);
        assert_fine(config_import_read(&import, "o.config", wrong[i].options, strlen(wrong[i].options)));
        assert_refused(config_import_change(&import, &config), wrong[i].text);
        config_import_end(&import);
    }
    config_import_begin(&import);
    assert_refused(config_import_read(&import, "o.config", "cores: 4\n", 9),
                   "o.config:1: \"cores:\": expected an option such as -gpgpu_n_clusters 80");
    assert_refused(config_import_read(&import, "o.config", "# no\n", 5),
                   "o.config: holds no options; expected a gpgpusim.config or a trace.config");
    assert_fine(config_import_read(&import, "o.config", "-gpgpu_n_clusters 4\n", 20));
    assert_refused(config_import_system(&import, "o.config", &config),
                   "o.config: -gpgpu_cache:dl2 is missing; is this a gpgpusim.config?");
    config_import_end(&import);
}

/* ---- the recorded options of the reference */
static char *read_text(const char *path)
{
    FILE *const file = fopen(path, "rb");
    char *const text = file ? calloc(1, 1 << 20) : NULL;

    if (file && text && fread(text, 1, (1 << 20) - 1, file) == 0)
        text[0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* A gpgpusim.config of one column: options in quotes, as some have blanks. */
static void options_of_column(const char *table, const char *name, char *options)
{
    char line[4096];
    int column = 0;

    *options = '\0';
    for (const char *at = table; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char *cell, *rest = line;

        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        for (int i = 0; (cell = rest) != NULL; i++) {
            rest = strchr(cell, '\t');
            if (rest)
                *rest++ = '\0';
            if (at == table && strcmp(cell, name) == 0)
                column = i;
            if (at != table && i == column)
                sprintf(options + strlen(options), "%s \"%s\"\n", line, cell);
        }
    }
}

static void the_shipped_systems_are_the_recorded_options(void **state)
{
    static const char *const names[][2] = {
        {"SM6_TITANX", "titanx-accelsim"}, {"SM7_QV100", "qv100-accelsim"}, {"SM75_RTX2060", "rtx2060-accelsim"},
        {"SM86_RTX3070", "rtx3070-accelsim"}, {"SM80_A100", "a100-accelsim"}, {"SM90_H100", "h100-accelsim"}
    };
    const char *const shared = getenv("SHARED");
    char path[4096];

    snprintf(path, sizeof path, "%s" SHARED_OPTIONS, shared ? shared : "../shared");
    char *const table = read_text(path), *const options = malloc(1 << 20);
    if (!table) {
        print_message("skipped: no %s\n", path);
        free(options);
        skip();
    }
    assert_non_null(options);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct system_config const ours = shipped(names[i][1]);

        options_of_column(table, names[i][0], options);
        struct system_config const theirs = imported(names[i][1], options);
        assert_memory_equal(&theirs, &ours, sizeof ours);
    }
    free(table);
    free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_system_has_no_gpu_of_its_own),
        cmocka_unit_test(keys_of_all_parts_arrive),
        cmocka_unit_test(channels_are_the_gpus),
        cmocka_unit_test(a_gpu_alone_may_have_the_memory_of_cores),
        cmocka_unit_test(letters_are_written_with_points_or_without),
        cmocka_unit_test(settings_reach_the_gpu),
        cmocka_unit_test(files_say_where_they_are_wrong),
        cmocka_unit_test(the_printed_form_is_read_back_equal),
        cmocka_unit_test(peaks_are_the_cards),
        cmocka_unit_test(options_become_keys),
        cmocka_unit_test(options_without_counterpart_are_named),
        cmocka_unit_test(a_clock_alone_scales_dram),
        cmocka_unit_test(import_refuses),
        cmocka_unit_test(the_shipped_systems_are_the_recorded_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
