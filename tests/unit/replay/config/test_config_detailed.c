/* Keys of detailed cores (replay/config/detailed.c): their effect, when they are shown, refusals, and the cores of
 * configs/core. Runs in the folder of the repository. */
#include "replay/config/config_internal.h"
#include "replay/config/units.h"
#include "tests/support/config_bench.h"

static const char *const cores[] = {
    "core/reference", "core/neoverse-n1", "core/skylake", "core/zen4", "core/firestorm"
};

static void expect(const struct system_config *config, const char *key, const char *value)
{
    char text[CONFIG_BEHIND_TEXT];

    assert_fine(config_get(config, key, "test", text, sizeof text));
    assert_string_equal(text, value);
}

/* Freed by the caller. */
static char *short_text(const struct system_config *config)
{
    char *text = NULL;

    assert_fine(config_to_compact_yaml(config, &text));
    return text;
}

/* o3-core 1.2, 5.4 */
static void the_default_is_the_references_core(void **state)
{
    struct system_config const config = finished("line: 64B\n");
    struct detailed_params params;

    detailed_params_defaults(&params);
    assert_memory_equal(&config.detailed, &params, sizeof params);
    assert_int_equal(config.cpu_model, CPU_MODEL_AUTO);
    assert_int_equal(params.rob_entries, 192);
    assert_int_equal(params.iq_entries, 64);
    assert_int_equal(params.rename_to_iew_cyc, 2);
    assert_int_equal(params.units[DETAILED_UNIT_PORT], 4);
    assert_int_equal(params.latency_cyc[DETAILED_OP_INT_DIV], 20);
    assert_int_equal(params.is_pipelined[DETAILED_OP_INT_DIV], 0);
    assert_int_equal(params.is_pipelined[DETAILED_OP_INT_MULT], 1);
    assert_int_equal(config.branch.type, BRANCH_TOURNAMENT);
    assert_fine(detailed_params_check(&params, 64));
}

static void files_have_its_keys(void **state)
{
    struct system_config const config = finished(
        "cpu:\n  model: detailed\n  numROBEntries: 512\n  numPhysIntRegs: 1024\n  fuPool: {IntALU: 3}\n"
        "  opLat: {IntMult: 4}\n  pipelined: {IntMult: no}\n  branchPred: {type: local, RASSize: 32}\n");

    assert_true(config_is_detailed(&config));
    assert_int_equal(config.detailed.rob_entries, 512);
    assert_int_equal(config.detailed.int_registers, 1024);
    assert_int_equal(config.detailed.units[DETAILED_UNIT_INT_ALU], 3);
    assert_int_equal(config.detailed.latency_cyc[DETAILED_OP_INT_MULT], 4);
    assert_int_equal(config.detailed.is_pipelined[DETAILED_OP_INT_MULT], 0);
    assert_int_equal(config.branch.type, BRANCH_LOCAL);
    assert_int_equal(config.branch.ras_entries, 32);
    expect(&config, "cpu.fuPool.IntALU", "3");
    expect(&config, "cpu.pipelined.IntMult", "no");
    expect(&config, "cpu.branchPred.type", "local");
    assert_comes_back(&config);
}

/* Hashes of kept results are made of the short text. */
static void elastic_systems_show_no_detailed_keys(void **state)
{
    struct system_config config = shipped("wide");
    char *before = short_text(&config), *after;

    assert_null(strstr(before, "model"));
    assert_null(strstr(before, "fetchWidth"));
    assert_null(strstr(before, "branchPred"));
    assert_fine(config_set(&config, "cpu.model=elastic"));
    assert_fine(config_finish(&config));
    assert_comes_back(&config);
    assert_fine(config_set(&config, "cpu.model=auto"));
    after = short_text(&config);
    assert_string_equal(before, after);
    free(after);
    assert_fine(config_set(&config, "cpu.opLat.IntAlu=2"));
    after = short_text(&config);
    assert_non_null(strstr(after, "\n    IntAlu: 2\n"));
    assert_comes_back(&config);
    free(after);
    free(before);
}

static const struct param_info *find(const struct param_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].key, key) == 0)
            return &table->rows[i];
    return NULL;
}

/* Each key sets one field, whose lowest and highest values are taken and come back. */
static void every_key_is_one_field(void **state)
{
    static const struct { const char *path; const struct param_table *table; } sections[] = {
        {"cpu", &cpu_param_table}, {"cpu.fuPool", &fu_pool_param_table}, {"cpu.opLat", &op_lat_param_table},
        {"cpu.pipelined", &pipelined_param_table}, {"cpu.opInterval", &op_interval_param_table},
        {"cpu.opMost", &op_most_param_table}, {"cpu.branchPred", &branch_param_table}
    };
    size_t keys = 0;

    for (size_t s = 0; s < COUNT(sections); s++)
        for (size_t i = 0; i < sections[s].table->count; i++) {
            const struct param_info *const info = &sections[s].table->rows[i];
            uint64_t other = info->fallback == info->highest ? info->lowest : info->highest;
            struct system_config config, plain;
            char assignment[160], value[UNITS_TEXT];
            size_t changed = 0;

            if (find(&core_param_table, info->key) && s == 0)
                continue;
            assert_ptr_equal(find(sections[s].table, info->key), info);
            units_format(info->unit, other, 0, value, sizeof value);
            if (strcmp(value, "module") == 0) {      /* that of a file, which the path of the file sets */
                other = info->fallback == info->highest - 1 ? info->lowest : info->highest - 1;
                units_format(info->unit, other, 0, value, sizeof value);
            }
            snprintf(assignment, sizeof assignment, "%s.%s=%s", sections[s].path, info->key, value);
            config_defaults(&config);
            config_defaults(&plain);
            assert_fine(config_set(&config, assignment));
            snprintf(assignment, sizeof assignment, "%s.%s", sections[s].path, info->key);
            expect(&config, assignment, value);
            for (size_t at = 0; at + 8 <= sizeof config; at += 8)
                changed += memcmp((char *)&config + at, (char *)&plain + at, 8) != 0;
            assert_int_equal(changed, 1);
            keys++;
        }
    assert_true(keys > 100);
}

static void impossible_cores_are_refused(void **state)
{
    static const struct { const char *setting, *text; } wrong[] = {
        {"cpu.fetchWidth=0", "--set: cpu.fetchWidth: 0 is out of range; give 1 to 64"},
        {"cpu.opLat.IntAlu=0", "--set: cpu.opLat.IntAlu: 0 is out of range; give 1 to 10000"},
        {"cpu.fuPool.RdWrPort=0", "--set: cpu.fuPool.RdWrPort: 0 is out of range; give 1 to 64"},
        {"cpu.model=fast", "--set: cpu.model: \"fast\" is unknown here; give one of auto, elastic, detailed, window"},
        {"cpu.fetchQueueSize=7", "system default: cpu.fetchQueueSize: 7 is less than fetchWidth, 8; give 8 or more"},
        {"cpu.numROBEntries=7", "system default: cpu.numROBEntries: 7 is less than renameWidth, 8; give 8 or more"},
        {"cpu.numIQEntries=7", "system default: cpu.numIQEntries: 7 is less than renameWidth, 8; give 8 or more"},
        {"cpu.numPhysIntRegs=36", "system default: cpu.numPhysIntRegs: 36 is less than the registers that are mapped "
         "always and those that one micro-op writes, 37; give 37 or more"},
        {"cpu.numPhysFloatRegs=1", "system default: cpu.numPhysFloatRegs: 1 is less than the registers that are mapped "
         "always and those that one micro-op writes, 37; give 37 or more"},
        {"cpu.commitToFetchDelay=2", "system default: cpu.commitToFetchDelay: more than fetchToDecodeDelay, so that "
         "what is squashed would go on; give less"},
        {"cpu.renameToROBDelay=3", "system default: cpu.renameToROBDelay: more than renameToIEWDelay + iewToRenameDelay"
         " - commitToRenameDelay, so that what is squashed would go on; give less"},
        {"cpu.iewToCommitDelay=5", "system default: cpu.iewToCommitDelay: 5 cycles; more than 4 are not modelled, so "
         "give fewer, and a longer fetchToDecodeDelay for a deeper pipeline"},
        {"cpu.fetchBufferSize=48B", "system default: cpu.fetchBufferSize: 48 is not a power of two; give 64"},
        {"cpu.fetchBufferSize=128B", "system default: cpu.fetchBufferSize: 128B is more than a line, 64B; give 64B"},
        {"cpu.SSITSize=1000", "system default: cpu.SSITSize: 1000 is not a power of two; give 1024"},
        {"cpu.LFSTSize=3", "system default: cpu.LFSTSize: 3 is not a power of two; give 4"},
        {"cpu.branchPred.BTBEntries=1000", "system default: cpu.branchPred.BTBEntries: 1000 is not a power of two, and "
         "its index is made of bits; give 512 or 1024"},
        {"cpu.fuPool=4", "--set: cpu.fuPool: \"4\" is not a value for a section; give its keys, such as "
         "cpu.fuPool.IntALU"},
        {"cores.0.fetchWidth=4", "--set: cores.0.fetchWidth: all cores have one detailed core's parameters; give "
         "cpu.fetchWidth"},
        {"cores.0.branchPred.type=local", "--set: cores.0.branchPred: all cores have one detailed core's parameters; "
         "give cpu.branchPred"},
        {"cpu.fetchWidht=4", "--set: cpu.fetchWidht: unknown key; did you mean cpu.fetchWidth?"},
        {"include=core/z80", "--set: include: core/z80: no such file, and no shipped system or core of that name; give "
         "one such as core/zen4"}
    };
    struct system_config config;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_refused(config_read(&config, "default", &wrong[i].setting, 1), wrong[i].text);
}

/* A program's own parameters have been through no file. */
static void parameters_of_a_program_are_checked_too(void **state)
{
    struct detailed_params params;

    detailed_params_defaults(&params);
    params.commit_width = 0;
    assert_refused(detailed_params_check(&params, 64), "cpu.commitWidth: 0 is out of range; give 1 to 64");
    detailed_params_defaults(&params);
    params.latency_cyc[DETAILED_OP_MEM_READ] = 0;
    assert_refused(detailed_params_check(&params, 64), "cpu.opLat.MemRead: 0 is out of range; give 1 to 10000");
    detailed_params_defaults(&params);
    assert_refused(detailed_params_check(&params, 32), "cpu.fetchBufferSize: 64B is more than a line, 32B; give 32B");
}

/* Lines of 32 bytes are fine without a detailed core. */
static void elastic_systems_are_not_checked_for_it(void **state)
{
    struct system_config config;

    assert_fine(load_and_finish(&config, "line: 32B\n"));
    assert_refused(load_and_finish(&config, "line: 32B\ncpu: {model: detailed, fetchBufferSize: 128B}\n"),
                   "system t: cpu.fetchBufferSize: 128B is more than a line, 32B; give 32B");
    assert_fine(load_and_finish(&config, "line: 32B\ncpu: {model: detailed}\n"));
    assert_int_equal(config.detailed.fetch_buffer_bytes, 32);
}

static void shipped_cores_go_into_any_system(void **state)
{
    for (size_t i = 0; i < COUNT(cores); i++) {
        struct system_config const alone = shipped(cores[i]);
        struct system_config config;
        char assignment[80];

        snprintf(assignment, sizeof assignment, "include=%s", cores[i]);
        assert_fine(config_read(&config, "laptop", (const char *const[]){assignment}, 1));
        assert_string_equal(config.name, "laptop");
        assert_true(config_is_detailed(&config) && config_is_detailed(&alone));
        assert_memory_equal(&config.detailed, &alone.detailed, sizeof config.detailed);
        assert_comes_back(&config);
    }
}

static void the_reference_is_shipped_as_it_is(void **state)
{
    struct system_config const reference = finished("include: core/reference\n");
    struct detailed_params params;

    detailed_params_defaults(&params);
    assert_memory_equal(&reference.detailed, &params, sizeof params);
}

/* A GPU alone forgets it, as it forgets its cores. */
static void a_gpu_alone_has_no_detailed_core(void **state)
{
    struct system_config config;

    assert_fine(config_read(&config, "qv100", (const char *const[]){"cpu.model=detailed", "cpu.numROBEntries=64"}, 2));
    assert_int_equal(config.cpu_model, CPU_MODEL_AUTO);
    assert_int_equal(config.detailed.rob_entries, 192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_the_references_core),
        cmocka_unit_test(files_have_its_keys),
        cmocka_unit_test(elastic_systems_show_no_detailed_keys),
        cmocka_unit_test(every_key_is_one_field),
        cmocka_unit_test(impossible_cores_are_refused),
        cmocka_unit_test(parameters_of_a_program_are_checked_too),
        cmocka_unit_test(elastic_systems_are_not_checked_for_it),
        cmocka_unit_test(shipped_cores_go_into_any_system),
        cmocka_unit_test(the_reference_is_shipped_as_it_is),
        cmocka_unit_test(a_gpu_alone_has_no_detailed_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
