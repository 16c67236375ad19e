/* sweep/measure/host_ticks.h: limits and names of made-up hosts; time without a constant counter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/measure/measurement.h"
#include "tests/support/unit.h"

/* A folder in place of the system's root. */
struct fake {
    char root[64];
};

static int set_up(void **state)
{
    struct fake *const fake = calloc(1, sizeof *fake);

    snprintf(fake->root, sizeof fake->root, "/tmp/test-host-XXXXXX");
    *state = fake;
    return mkdtemp(fake->root) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fake *const fake = *state;
    char command[128];
    int code;

    snprintf(command, sizeof command, "rm -rf '%s'", fake->root);
    code = system(command);
    free(fake);
    return code;
}

static void put_file(const struct fake *fake, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", fake->root, name);
    for (char *at = path + strlen(fake->root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* An unknown vendor in a system that says nothing else. */
static void a_host_that_says_nothing_has_no_names_and_no_caches(void **state)
{
    const struct fake *const fake = *state;
    struct measured_host host;

    put_file(fake, "proc/cpuinfo", "processor\t: 0\nvendor_id\t: Unheard\n");
    measured_host_read(&host, fake->root);
    assert_string_equal(host.model, "");
    for (int level = 0; level < 3; level++)
        assert_int_equal(host.cache_bytes[level], 0);
    assert_int_equal(host.instruction_bytes, 0);
    assert_true(host.cpu_share == 0 && host.ticks_per_s > 0 && host.core_count > 0);
}

static void groups_of_the_first_version_limit(void **state)
{
    const struct fake *const fake = *state;
    struct measured_host host;

    put_file(fake, "proc/self/cgroup", "4:memory:/jobs/one\n1:cpu:/jobs/one\n");
    put_file(fake, "proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
    put_file(fake, "sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "104857600\n");
    put_file(fake, "sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "4857600\n");
    put_file(fake, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put_file(fake, "sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "50000\n");
    put_file(fake, "sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000\n");
    put_file(fake, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put_file(fake, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    measured_host_read(&host, fake->root);
    assert_int_equal(host.free_bytes, 100000000);
    assert_string_equal(host.free_limit, "the control group's memory limit");
    assert_true(host.cpu_share == 0.5);
}

/* In a container the group's path is often the host's: the mount itself is the group. */
static void groups_of_the_second_version_limit(void **state)
{
    const struct fake *const fake = *state;
    struct measured_host host;

    put_file(fake, "proc/self/cgroup", "0::/not/here\n");
    put_file(fake, "sys/fs/cgroup/memory.max", "50000000\n");
    put_file(fake, "sys/fs/cgroup/memory.current", "60000000\n");
    put_file(fake, "sys/fs/cgroup/cpu.max", "150000 100000\n");
    measured_host_read(&host, fake->root);
    assert_int_equal(host.free_bytes, 0);
    assert_true(host.cpu_share == 1.5);
    put_file(fake, "sys/fs/cgroup/memory.max", "max\n");
    put_file(fake, "sys/fs/cgroup/cpu.max", "max 100000\n");
    measured_host_read(&host, fake->root);
    assert_true(host.free_bytes > 0 && host.cpu_share == 0);
}

/* Cycles are those of a chain of additions, whatever counts the time. */
static void without_a_constant_counter_the_clock_is_read(void **state)
{
    const struct fake *const fake = *state;
    struct measurement_options const how = {.passes = 8, .rounds = 3, .memory_bytes = 1 << 20, .root = fake->root,
                                            .without_counter = true};
    struct measurement measurement;
    double cycles;

    assert_int_equal(measurement_begin(&measurement, &how).kind, FAULT_NONE);
    assert_string_equal(measurement.host.counter_name, "clock_gettime");
    assert_non_null(measurement.host.counter_doubt);
    measurement_add(&measurement, &(struct micro_case){.kind = CASE_OPERATION, .operation = MICRO_MUL, .chains = 1},
                    "mul_lat");
    assert_int_equal(measurement_run(&measurement, 0, 3, 0.1).kind, FAULT_NONE);
    cycles = measurement_value(&measurement, "mul_lat");
    if (!(cycles > 1.5 && cycles < 12) && !measurement.list[0].missing)
        fail_msg("a multiplication takes %g cycles", cycles);
    measurement_end(&measurement);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_host_that_says_nothing_has_no_names_and_no_caches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_the_first_version_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_the_second_version_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_constant_counter_the_clock_is_read, set_up, tear_down)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
