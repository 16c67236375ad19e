/* include/rubato.h: what the public library promises, sentence by sentence. */
#include "include/rubato.h"

#include <math.h>
#include <pthread.h>

#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/traffic/traffic.h"
#include "tests/support/unit.h"

#define TRIAD "tests/traces/triad"
#define GUPS "tests/traces/long/gups.pack"

static rubato_error error;

static void assert_ok(bool is_good)
{
    if (!is_good || error.kind != RUBATO_OK)
        fail_msg("%d: %s", (int)error.kind, error.message);
}

static void assert_wrong(bool is_good, enum rubato_error_kind kind, const char *part)
{
    assert_false(is_good);
    assert_int_equal(error.kind, kind);
    assert_text(error.message, part);
    assert_null(strchr(error.message, '\n'));
}

static rubato_system *system_of(const char *yaml)
{
    rubato_system *const system = rubato_system_parse("test.yaml", yaml, strlen(yaml), &error);

    assert_ok(system != NULL);
    return system;
}

/* ---- systems */
static void versions(void **state)
{
    char text[32];

    assert_string_equal(rubato_version(), RUBATO_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", RUBATO_VERSION_NUMBER / 10000, RUBATO_VERSION_NUMBER / 100 % 100,
             RUBATO_VERSION_NUMBER % 100);
    assert_string_equal(text, RUBATO_VERSION);
}

static void systems_and_their_keys(void **state)
{
    rubato_system *const system = rubato_system_open("laptop", &error);
    char text[64], before[64];

    assert_ok(system != NULL);
    assert_ok(rubato_system_set(system, "memory.channels=2", &error));
    assert_ok(rubato_system_get(system, "memory.channels", text, sizeof text, &error));
    assert_string_equal(text, "2");
    assert_ok(rubato_system_get(system, "l2.size", before, sizeof before, &error));
    assert_wrong(rubato_system_set(system, "l2.sizee=1MiB", &error), RUBATO_BAD_INPUT, "size");
    assert_wrong(rubato_system_set(system, "l2.size=much", &error), RUBATO_BAD_INPUT, "l2.size");
    assert_ok(rubato_system_get(system, "l2.size", text, sizeof text, &error));
    assert_string_equal(text, before);
    assert_wrong(rubato_system_get(system, "l9.size", text, sizeof text, &error), RUBATO_BAD_INPUT, "l9");
    rubato_system_close(system);
    rubato_system_close(NULL);
}

static void unknown_systems(void **state)
{
    assert_wrong(rubato_system_open("no-such-system", &error) != NULL, RUBATO_BAD_INPUT, "no-such-system");
    assert_wrong(rubato_system_parse("mine.yaml", "l2: [", 5, &error) != NULL, RUBATO_BAD_INPUT, "mine.yaml");
    assert_wrong(rubato_system_of_device("DDR9", &error) != NULL, RUBATO_BAD_INPUT, "DDR9");
    assert_null(rubato_system_open("no-such-system", NULL));
}

static void all_devices(void **state)
{
    size_t count = 0;

    for (const char *name; (name = rubato_device_name(count)) != NULL; count++) {
        rubato_system *const system = rubato_system_of_device(name, &error);
        rubato_memory *memory;

        assert_ok(system != NULL);
        memory = rubato_memory_open(system, NULL, &error);
        if (memory)
            assert_true(rubato_memory_peak_bytes_per_s(memory) > 0);
        else    /* values that its class does not have */
            assert_text(error.message, "memory.dram.");
        rubato_memory_close(memory);
        rubato_system_close(system);
    }
    assert_true(count > 10);
}

/* ---- replays */
static rubato_run *run_of_trace(const char *name, const char *trace, const rubato_run_options *options)
{
    const char *const traces[] = {trace};
    rubato_system *const system = rubato_system_open(name, &error);
    rubato_run *run;

    assert_ok(system != NULL);
    run = rubato_run_open(system, traces, 1, options, &error);
    assert_ok(run != NULL);
    rubato_system_close(system);
    return run;
}

static rubato_run *run_of(const char *name, const rubato_run_options *options)
{
    return run_of_trace(name, TRIAD, options);
}

static double value_of(rubato_run *run, const char *name)
{
    double value = -1;

    assert_ok(rubato_run_value(run, name, &value, &error));
    return value;
}

static void a_replay(void **state)
{
    rubato_run *const run = run_of("laptop", NULL);
    double value;

    assert_wrong(rubato_run_value(run, "ipc", &value, &error), RUBATO_BAD_INPUT, "rubato_run_execute");
    assert_ok(rubato_run_execute(run, &error));
    assert_wrong(rubato_run_execute(run, &error), RUBATO_BAD_INPUT, "before");
    assert_int_equal((uint64_t)value_of(run, "simTicks"), rubato_run_end_ps(run));
    assert_true(rubato_run_end_ps(run) > 1000000);
    assert_false(rubato_run_is_cut_short(run));
    assert_true(fabs(value_of(run, "ipc") * value_of(run, "cpi") - 1) < 1e-9);
    assert_true(value_of(run, "system.l1d.overallMisses::total") > 0);
    assert_wrong(rubato_run_value(run, "system.l7.hits", &value, &error), RUBATO_BAD_INPUT, "system.l7.hits");
    rubato_run_close(run);
}

/* "gem5's name is taken, too" */
static void statistics_of_cores_have_two_names(void **state)
{
    rubato_run *const run = run_of("quad", NULL);
    double value;

    assert_ok(rubato_run_execute(run, &error));
    value = value_of(run, "system.cpu3.l1d.overallMisses::total");
    assert_true(value > 0);
    assert_true(value_of(run, "system.l1d3.overallMisses::total") == value);
    assert_wrong(rubato_run_value(run, "system.l1d4.overallMisses::total", &value, &error), RUBATO_BAD_INPUT,
                 "system.l1d4");
    rubato_run_close(run);
}

struct seen {
    rubato_run *run;
    size_t statistics, metrics;
};

static void see(void *context, const rubato_statistic *statistic)
{
    struct seen *const seen = context;
    double value;

    assert_non_null(statistic->unit);
    assert_non_null(statistic->help);
    if (strncmp(statistic->name, "system.", 7) == 0 || strncmp(statistic->name, "sim", 3) == 0)
        seen->statistics++;
    else
        seen->metrics++;
    if (isnan(statistic->value))
        return;
    assert_ok(rubato_run_value(seen->run, statistic->name, &value, &error));
    if (!(value >= statistic->value && value <= statistic->value))
        fail_msg("%s: %g by name, %g in the list", statistic->name, value, statistic->value);
    if (strcmp(statistic->name, "simTicks") == 0)
        assert_string_equal(statistic->unit, "Tick");
    if (strcmp(statistic->name, "l2.mpki") == 0)
        assert_text(statistic->help, "per 1000 instructions");
}

static void all_statistics_by_name(void **state)
{
    struct seen seen = {.run = run_of("laptop", NULL)};

    assert_ok(rubato_run_execute(seen.run, &error));
    assert_ok(rubato_run_visit(seen.run, see, &seen, &error));
    assert_true(seen.statistics > 300);
    assert_true(seen.metrics > 20);
    rubato_run_close(seen.run);
}

static void engines_and_limits(void **state)
{
    rubato_run_options const plain = {.engine = "plain"}, until = {.until_ps = 5000000},
                             warm = {.warmup_records = 9000};
    rubato_run *const runs[] = {run_of("default", NULL), run_of("default", &plain), run_of("default", &until),
                                run_of("default", &warm)};

    for (size_t i = 0; i < COUNT(runs); i++)
        assert_ok(rubato_run_execute(runs[i], &error));
    assert_int_equal(rubato_run_end_ps(runs[0]), rubato_run_end_ps(runs[1]));
    assert_true(rubato_run_is_cut_short(runs[2]) && !rubato_run_is_cut_short(runs[0]));
    assert_true(rubato_run_end_ps(runs[2]) <= 5000000);
    assert_int_equal(rubato_run_end_ps(runs[3]), rubato_run_end_ps(runs[0]));
    assert_true(value_of(runs[3], "simTicks") < value_of(runs[0], "simTicks"));
    for (size_t i = 0; i < COUNT(runs); i++)
        rubato_run_close(runs[i]);
}

static bool stop(void *context, const rubato_progress *progress)
{
    *(double *)context = progress->part;
    return true;
}

static void a_run_that_is_stopped(void **state)
{
    double part = -1;
    rubato_run_options const options = {.progress = stop, .context = &part, .engine = "plain"};
    rubato_run *const run = run_of_trace("default", GUPS, &options);
    rubato_run *const whole = run_of_trace("default", GUPS, NULL);

    assert_ok(rubato_run_execute(run, &error));
    assert_ok(rubato_run_execute(whole, &error));
    assert_true(part > 0 && part < 1);
    assert_true(rubato_run_is_cut_short(run) && !rubato_run_is_cut_short(whole));
    assert_true(rubato_run_end_ps(run) < rubato_run_end_ps(whole));
    assert_int_equal((uint64_t)value_of(run, "simTicks"), rubato_run_end_ps(run));
    rubato_run_close(run);
    rubato_run_close(whole);
}

static void impossible_runs(void **state)
{
    rubato_system *const cpu = rubato_system_open("laptop", &error), *const gpu = rubato_system_open("qv100", &error);
    rubato_run_options const engine = {.engine = "fastest"};
    const char *const none[] = {"/no/such/trace"}, *const traces[] = {TRIAD, TRIAD};

    assert_wrong(rubato_run_open(cpu, none, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "/no/such/trace");
    assert_wrong(rubato_run_open(cpu, none, 0, NULL, &error) != NULL, RUBATO_BAD_INPUT, "no traces");
    assert_wrong(rubato_run_open(cpu, traces, 2, NULL, &error) != NULL, RUBATO_BAD_INPUT, "1 core");
    assert_wrong(rubato_run_open(cpu, traces, 1, &engine, &error) != NULL, RUBATO_BAD_INPUT, "fastest");
    assert_wrong(rubato_run_open(gpu, traces, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "GPU");
    assert_wrong(rubato_memory_open(gpu, NULL, &error) != NULL, RUBATO_BAD_INPUT, "GPU alone");
    rubato_system_close(cpu);
    rubato_system_close(gpu);
}

/* ---- memories */
struct driver {
    rubato_memory *memory;
    uint64_t requests, sent, answers, latency_ps, last_ps;
    unsigned most;                       /* under way */
    bool waits;
};

/* Line after line. */
static void send_all(void *context)
{
    struct driver *const driver = context;

    for (driver->waits = false; !driver->waits && driver->sent < driver->requests
         && rubato_memory_under_way(driver->memory) < driver->most;) {
        uint64_t const address = rubato_memory_address(driver->memory, 64 * driver->sent);

        driver->waits = rubato_memory_send(driver->memory, address, 64, RUBATO_READ, (void *)(uintptr_t)driver->sent,
                                           &error) == RUBATO_REFUSED;
        driver->sent += !driver->waits;
    }
}

static void answered(void *context, const rubato_answer *answer)
{
    struct driver *const driver = context;

    assert_int_equal(answer->done_ps, rubato_memory_now_ps(driver->memory));
    assert_true((uintptr_t)answer->user < driver->sent);
    assert_int_equal(answer->address, rubato_memory_address(driver->memory, 64 * (uint64_t)(uintptr_t)answer->user));
    assert_int_equal(answer->size_bytes, 64);
    driver->answers++;
    driver->latency_ps += answer->done_ps - answer->sent_ps;
    driver->last_ps = answer->done_ps;
    if (!driver->waits)
        send_all(driver);
}

static void drive(const char *yaml, uint64_t requests, unsigned most, struct driver *driver)
{
    rubato_memory_callbacks const callbacks = {.answered = answered, .has_room = send_all, .context = driver};
    rubato_system *const system = system_of(yaml);

    *driver = (struct driver){.requests = requests, .most = most};
    driver->memory = rubato_memory_open(system, &callbacks, &error);
    assert_ok(driver->memory != NULL);
    rubato_system_close(system);
    send_all(driver);
    assert_ok(rubato_memory_drain(driver->memory, &error));
    assert_int_equal(driver->answers, requests);
    assert_int_equal(rubato_memory_under_way(driver->memory), 0);
}

/* The same requests, from outside and by the model's own traffic. The latter continues with other channels when one
 * refuses; so with several channels, the number of requests under way is one that is never refused. */
static void times_are_those_of_traffic(void **state)
{
    static const struct { const char *yaml; size_t cases; } systems[] = {
        {"memory: {device: DDR4_2400_8x8}", 3}, {"memory: {type: simple, latency: 40ns, bandwidth: 6GB/s}", 3},
        {"memory: {device: DDR5_6400_4x8, channels: 4, size: 16GiB}", 2},
        {"memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, channels: 4, size: 4GiB, interleave: 256B}", 2},
        {"memories: [{type: simple, size: 64KiB}, {device: DDR3_1600_8x8, channels: 2}]", 1}
    };
    static const unsigned most[] = {1, 8, 200};

    for (size_t i = 0; i < COUNT(systems); i++)
        for (size_t k = 0; k < systems[i].cases; k++) {
            struct traffic_load load = {.outstanding = most[k], .requests = 5000,
                                        .pattern = {.kind = TRAFFIC_STREAM, .line_bytes = 64, .read_share = 1}};
            static struct system_config config;
            struct traffic_result result;
            struct driver driver;

            config_defaults(&config);
            assert_fine(config_load_text(&config, "test.yaml", systems[i].yaml, strlen(systems[i].yaml)));
            assert_fine(config_finish(&config));
            load.pattern.range_bytes = 64 * load.requests;
            assert_fine(traffic_run(&config, &load, &result));
            drive(systems[i].yaml, load.requests, most[k], &driver);
            assert_int_equal(driver.last_ps, result.end_ps);
            if (most[k] == 1)
                assert_int_equal(driver.latency_ps, (uint64_t)(latency_histogram_mean(&result.latency)
                                                               * (double)load.requests + 0.5));
            rubato_memory_close(driver.memory);
        }
}

struct counts {
    uint64_t reads, writes, rooms;
    rubato_memory *memory;
};

static void count(void *context, const rubato_answer *answer)
{
    struct counts *const counts = context;

    if (answer->is_write)
        counts->writes++;
    else
        counts->reads++;
}

static void count_room(void *context)
{
    ((struct counts *)context)->rooms++;
}

static rubato_memory *memory_of(const char *yaml, const rubato_memory_callbacks *callbacks)
{
    rubato_system *const system = system_of(yaml);
    rubato_memory *const memory = rubato_memory_open(system, callbacks, &error);

    assert_ok(memory != NULL);
    rubato_system_close(system);
    return memory;
}

static double figure(rubato_memory *memory, const char *name)
{
    double value = -1;

    assert_ok(rubato_memory_value(memory, name, &value, &error));
    return value;
}

/* "while (there are requests) ...", as in the header */
static void a_loop_that_asks_again(void **state)
{
    struct counts counts = {0};
    rubato_memory_callbacks const callbacks = {.answered = count, .has_room = count_room, .context = &counts};
    rubato_memory *const memory = memory_of("memory: {device: DDR4_2400_8x8}", &callbacks);
    uint64_t refused = 0;

    for (uint64_t i = 0; i < 3000;) {
        enum rubato_access const access = i % 3 == 0 ? RUBATO_WRITE : i % 3 == 1 ? RUBATO_WRITE_POSTED : RUBATO_READ;

        switch (rubato_memory_send(memory, 64 * (i * 7919 % 100000), 32, access, NULL, &error)) {
        case RUBATO_ACCEPTED: i++; break;
        case RUBATO_REFUSED:
            refused++;
            assert_ok(rubato_memory_advance(memory, rubato_memory_next_ps(memory), &error));
            break;
        default: fail_msg("%s", error.message);
        }
    }
    assert_ok(rubato_memory_drain(memory, &error));
    assert_int_equal(counts.reads, 1000);
    assert_int_equal(counts.writes, 1000);
    assert_true(refused > 0 && counts.rooms > 0);
    assert_int_equal((int)figure(memory, "system.mem_ctrls.readReqs"), 1000);
    assert_int_equal((int)figure(memory, "system.mem_ctrls.writeReqs"), 2000);
    rubato_memory_close(memory);
}

/* A loop without callbacks, and one that has them, too: as callbacks that send. */
static void a_loop_that_waits(void **state)
{
    struct counts counts = {0};
    rubato_memory_callbacks const callbacks = {.answered = count, .has_room = count_room, .context = &counts};
    const char *const yaml = "memory: {device: DDR4_2400_8x8}";
    struct driver driver;

    drive(yaml, 3000, 48, &driver);
    for (int k = 0; k < 2; k++) {
        rubato_memory *const memory = memory_of(yaml, k ? &callbacks : NULL);
        uint64_t waits = 0;

        assert_ok(rubato_memory_wait(memory, &error));   /* for nothing */
        assert_int_equal(rubato_memory_now_ps(memory), 0);
        for (uint64_t i = 0; i < 3000;) {
            uint64_t const address = rubato_memory_address(memory, 64 * i);
            size_t const under_way = rubato_memory_under_way(memory);

            if (under_way < 48
                && rubato_memory_send(memory, address, 64, RUBATO_READ, NULL, &error) == RUBATO_ACCEPTED) {
                i++;
                continue;
            }
            assert_ok(rubato_memory_wait(memory, &error));
            assert_true(under_way < 48 || rubato_memory_under_way(memory) == 47);
            waits++;
        }
        assert_true(waits >= 3000 - 48);
        while (rubato_memory_under_way(memory) > 0)
            assert_ok(rubato_memory_wait(memory, &error));
        assert_int_equal(rubato_memory_now_ps(memory), driver.last_ps);
        assert_int_equal(counts.reads, k ? 3000 : 0);
        rubato_memory_close(memory);
    }
    rubato_memory_close(driver.memory);
}

static void time_advances_as_requested(void **state)
{
    struct driver driver = {.requests = 1, .most = 1};
    rubato_memory_callbacks const callbacks = {.answered = answered, .context = &driver};
    rubato_memory *const memory = memory_of("memory: {type: simple, latency: 40ns}", &callbacks);

    driver.memory = memory;
    assert_int_equal(rubato_memory_next_ps(memory), UINT64_MAX);
    assert_ok(rubato_memory_advance(memory, 12345, &error));
    assert_int_equal(rubato_memory_now_ps(memory), 12345);
    assert_ok(rubato_memory_advance(memory, 5, &error));
    assert_int_equal(rubato_memory_now_ps(memory), 12345);
    send_all(&driver);
    assert_int_equal(rubato_memory_under_way(memory), 1);
    assert_ok(rubato_memory_advance(memory, 52344, &error));
    assert_int_equal(driver.answers, 0);
    assert_ok(rubato_memory_advance(memory, 52345, &error));
    assert_int_equal(driver.answers, 1);
    assert_int_equal(driver.latency_ps, 40000);
    assert_wrong(rubato_memory_advance(memory, UINT64_MAX, &error), RUBATO_BAD_INPUT, "rubato_memory_drain");
    rubato_memory_close(memory);
}

static void impossible_requests(void **state)
{
    rubato_memory *const memory = memory_of("memory: {base: 1GiB, size: 512MiB}", NULL);
    uint64_t const base = UINT64_C(1) << 30;

    assert_int_equal(rubato_memory_line_bytes(memory), 64);
    assert_int_equal(rubato_memory_size_bytes(memory), 512 << 20);
    assert_int_equal(rubato_memory_address(memory, 4096), base + 4096);
    assert_true(rubato_memory_address(memory, 512 << 20) == UINT64_MAX);
    assert_int_equal(rubato_memory_send(memory, 64, 64, RUBATO_READ, NULL, &error), RUBATO_WRONG);
    assert_wrong(false, RUBATO_BAD_INPUT, "in no memory");
    assert_int_equal(rubato_memory_send(memory, base + 32, 64, RUBATO_READ, NULL, &error), RUBATO_WRONG);
    assert_wrong(false, RUBATO_BAD_INPUT, "one line of 64 bytes");
    assert_int_equal(rubato_memory_send(memory, base, 0, RUBATO_READ, NULL, &error), RUBATO_WRONG);
    assert_int_equal(rubato_memory_send(memory, base, UINT32_MAX, RUBATO_READ, NULL, NULL), RUBATO_WRONG);
    assert_int_equal(rubato_memory_send(memory, base + 60, 4, RUBATO_READ, NULL, NULL), RUBATO_ACCEPTED);
    assert_ok(rubato_memory_drain(memory, &error));
    rubato_memory_close(memory);
    rubato_memory_close(NULL);
}

static void try_to_advance(void *context, const rubato_answer *answer)
{
    struct counts *const counts = context;
    rubato_error inner;

    counts->reads++;
    assert_false(rubato_memory_advance(counts->memory, answer->done_ps + 1, &inner));
    assert_false(rubato_memory_drain(counts->memory, &inner));
    assert_false(rubato_memory_wait(counts->memory, &inner));
    assert_text(inner.message, "rubato_memory_pause");
    rubato_memory_pause(counts->memory);
}

static void callbacks_may_pause_and_not_advance(void **state)
{
    struct counts counts = {0};
    rubato_memory_callbacks const callbacks = {.answered = try_to_advance, .context = &counts};

    counts.memory = memory_of("memory: {device: DDR4_2400_8x8}", &callbacks);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(rubato_memory_send(counts.memory, 64 * i, 64, RUBATO_READ, NULL, NULL), RUBATO_ACCEPTED);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_ok(rubato_memory_advance(counts.memory, 1000000, &error));
        assert_int_equal(counts.reads, i);
        assert_true(rubato_memory_now_ps(counts.memory) < 1000000);
    }
    assert_ok(rubato_memory_advance(counts.memory, 1000000, &error));
    assert_int_equal(rubato_memory_now_ps(counts.memory), 1000000);
    rubato_memory_close(counts.memory);
}

static void statistics_restart_at_0(void **state)
{
    struct driver driver;
    double value;

    drive("memory: {device: DDR4_2400_8x8}", 200, 4, &driver);
    assert_int_equal((int)figure(driver.memory, "system.mem_ctrls.readReqs"), 200);
    assert_int_equal((uint64_t)figure(driver.memory, "simTicks"), rubato_memory_now_ps(driver.memory));
    rubato_memory_reset_statistics(driver.memory);
    assert_int_equal((int)figure(driver.memory, "system.mem_ctrls.readReqs"), 0);
    assert_wrong(rubato_memory_value(driver.memory, "readReqs", &value, &error), RUBATO_BAD_INPUT, "readReqs");
    rubato_memory_close(driver.memory);
}

/* ---- threads */
struct result {
    const char *system;
    uint64_t run_ps, memory_ps;
    double misses;
    bool is_good;
};

/* Without cmocka, which is for one thread. */
static void *work(void *context)
{
    struct result *const result = context;
    const char *const traces[] = {TRIAD};
    rubato_error mine;
    rubato_system *const system = rubato_system_open(result->system, &mine);
    rubato_run *const run = system ? rubato_run_open(system, traces, 1, NULL, &mine) : NULL;
    rubato_memory *const memory = system ? rubato_memory_open(system, NULL, &mine) : NULL;

    result->is_good = run && memory && rubato_run_execute(run, &mine)
                      && rubato_run_value(run, "system.l1d.overallMisses::total", &result->misses, &mine);
    for (uint64_t i = 0; result->is_good && i < 2000;) {
        uint64_t const address = 64 * (i * 7919 % 100000);
        enum rubato_sent const sent = rubato_memory_send(memory, address, 64, RUBATO_READ, NULL, &mine);

        i += sent == RUBATO_ACCEPTED;
        if (sent == RUBATO_REFUSED)
            result->is_good = rubato_memory_advance(memory, rubato_memory_next_ps(memory), &mine);
        else
            result->is_good = sent == RUBATO_ACCEPTED;
    }
    result->is_good = result->is_good && rubato_memory_drain(memory, &mine);
    if (result->is_good) {
        result->run_ps = rubato_run_end_ps(run);
        result->memory_ps = rubato_memory_now_ps(memory);
    }
    rubato_memory_close(memory);
    rubato_run_close(run);
    rubato_system_close(system);
    return NULL;
}

static void two_threads_at_once(void **state)
{
    static const char *const systems[] = {"laptop", "server"};
    struct result alone[2], together[2];
    pthread_t threads[2];

    for (unsigned i = 0; i < 2; i++) {
        alone[i] = together[i] = (struct result){.system = systems[i]};
        work(&alone[i]);
        assert_true(alone[i].is_good);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &together[i]), 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_true(together[i].is_good);
        assert_int_equal(together[i].run_ps, alone[i].run_ps);
        assert_int_equal(together[i].memory_ps, alone[i].memory_ps);
        assert_int_equal((uint64_t)together[i].misses, (uint64_t)alone[i].misses);
    }
    assert_true(alone[0].run_ps != alone[1].run_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions), cmocka_unit_test(systems_and_their_keys), cmocka_unit_test(unknown_systems),
        cmocka_unit_test(all_devices), cmocka_unit_test(a_replay),
        cmocka_unit_test(statistics_of_cores_have_two_names), cmocka_unit_test(all_statistics_by_name),
        cmocka_unit_test(engines_and_limits), cmocka_unit_test(a_run_that_is_stopped),
        cmocka_unit_test(impossible_runs), cmocka_unit_test(times_are_those_of_traffic),
        cmocka_unit_test(a_loop_that_asks_again), cmocka_unit_test(a_loop_that_waits),
        cmocka_unit_test(time_advances_as_requested),
        cmocka_unit_test(impossible_requests), cmocka_unit_test(callbacks_may_pause_and_not_advance),
        cmocka_unit_test(statistics_restart_at_0), cmocka_unit_test(two_threads_at_once)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
