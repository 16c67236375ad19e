/* replay/traffic/traffic.h, replay/traffic/traffic.h, replay/traffic/traffic_memory.h: requests, their times,
 * and the answers of the memory. */
#include <math.h>

#include "memsys/dram/geometry.h"
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "replay/traffic/traffic.h"
#include "replay/traffic/traffic_memory.h"
#include "tests/support/unit.h"

static struct system_config config;
static struct traffic_result result;

static void load_with(const char *yaml, const char *setting)
{
    struct fault fault;

    config_defaults(&config);
    fault = config_load_text(&config, "t.yaml", yaml, strlen(yaml));
    if (fault.kind == FAULT_NONE && setting)
        fault = config_set(&config, setting);
    if (fault.kind == FAULT_NONE)
        fault = config_finish(&config);
    assert_string_equal(fault_text(fault), "");
}

static void load(const char *yaml)
{
    load_with(yaml, NULL);
}

static struct traffic_load load_of(enum traffic_kind kind)
{
    return (struct traffic_load){.pattern = {.kind = kind, .line_bytes = 64, .read_share = 1, .seed = 1,
                                             .range_bytes = config.memories[0].size_bytes},
                                 .outstanding = 1, .requests = 100};
}

static void run(const struct traffic_load *traffic)
{
    assert_string_equal(fault_text(traffic_run(&config, traffic, &result)), "");
}

/* ---- patterns */

static struct traffic_source source_of(enum traffic_kind kind, uint64_t range, uint64_t stride, double read_share)
{
    struct traffic_pattern const pattern = {.kind = kind, .line_bytes = 64, .range_bytes = range, .seed = 3,
                                            .stride_bytes = stride, .read_share = read_share};
    struct traffic_source source;

    assert_string_equal(fault_text(traffic_source_init(&source, &pattern)), "");
    return source;
}

/* "line after line, from the start again at the end"; whole lines of the range are used */
static void stream_wraps(void **state)
{
    struct traffic_source source = source_of(TRAFFIC_STREAM, 3 * 64 + 63, 0, 1);

    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(traffic_source_next(&source).offset, i % 3 * 64);
}

/* "the next pass begins a line later": all lines come once before any comes again */
static void stride_visits_every_line(void **state)
{
    struct traffic_source source = source_of(TRAFFIC_STRIDE, 7 * 64, 3 * 64, 1);
    static const uint64_t lines[] = {0, 3, 6, 1, 4, 2, 5, 0, 3};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(traffic_source_next(&source).offset, lines[i] * 64);
}

/* "every line of the range is equally likely"; shares within five standard deviations */
static void random_places_are_even(void **state)
{
    enum { LINES = 12, DRAWS = 120000 };
    struct traffic_source source = source_of(TRAFFIC_RANDOM, LINES * 64, 0, 0.8);
    double const expected = (double)DRAWS / LINES, reads_expected = 0.8 * DRAWS;
    unsigned counts[LINES] = {0}, reads = 0;

    for (int i = 0; i < DRAWS; i++) {
        struct traffic_place const place = traffic_source_next(&source);

        assert_in_range(place.offset, 0, (LINES - 1) * 64);
        assert_int_equal(place.offset % 64, 0);
        counts[place.offset / 64]++;
        reads += !place.is_write;
    }
    for (int i = 0; i < LINES; i++)
        assert_true(fabs(counts[i] - expected) < 5 * sqrt(expected));
    assert_true(fabs(reads - reads_expected) < 5 * sqrt(reads_expected * 0.2));
}

static void all_reads_and_all_writes(void **state)
{
    struct traffic_source reads = source_of(TRAFFIC_RANDOM, 4096, 0, 1), writes = source_of(TRAFFIC_RANDOM, 4096, 0, 0);

    for (int i = 0; i < 1000; i++) {
        assert_false(traffic_source_next(&reads).is_write);
        assert_true(traffic_source_next(&writes).is_write);
    }
}

static void wrong_patterns_are_refused(void **state)
{
    struct traffic_pattern pattern = {.kind = TRAFFIC_STRIDE, .line_bytes = 64, .range_bytes = 4096, .read_share = 1};
    struct traffic_source source;

    for (uint64_t stride = 0; stride < 8192; stride += stride == 0 ? 100 : 8000) {
        pattern.stride_bytes = stride;
        assert_int_equal(traffic_source_init(&source, &pattern).kind, FAULT_INPUT);
    }
    pattern = (struct traffic_pattern){.kind = TRAFFIC_STREAM, .line_bytes = 64, .range_bytes = 63, .read_share = 1};
    assert_int_equal(traffic_source_init(&source, &pattern).kind, FAULT_INPUT);
}

/* ---- latencies of an idle memory: those that replay/config/unloaded.h states */

/* A page stays open; after the first lines of a stream, before the first refresh, rows are open but where one ends. */
static void one_at_a_time_meets_the_stated_latencies(const char *yaml)
{
    struct memory_latencies stated;
    struct traffic_load traffic;

    load_with(yaml, "memory.dram.page_policy=open");
    assert_int_equal(unloaded_memory_latencies(&stated, &config.memories[0], 64).kind, FAULT_NONE);
    traffic = load_of(TRAFFIC_STREAM);
    traffic.requests = 30;
    traffic.warmup = 15;
    run(&traffic);
    assert_int_equal(result.latency.lowest, stated.row_hit_ps);
    /* the same bank again and again, another row each time */
    traffic = load_of(TRAFFIC_STRIDE);
    traffic.requests = 10;
    traffic.warmup = 3;
    traffic.pattern.stride_bytes = dram_row_bytes(&config.memories[0].dram) * config.memories[0].dram.banks_per_rank
                                   * config.memories[0].dram.ranks_per_channel * config.memories[0].channels
                                   * (config.memories[0].type == MEMORY_HBM_PSEUDO ? 2 : 1);
    run(&traffic);
    assert_int_equal(result.latency.lowest, stated.row_conflict_ps);
    assert_int_equal(result.latency.highest, stated.row_conflict_ps);
    load_with(yaml, "memory.dram.page_policy=close_adaptive");
    traffic = load_of(TRAFFIC_STRIDE);
    traffic.pattern.stride_bytes = dram_row_bytes(&config.memories[0].dram) * config.memories[0].channels
                                   * (config.memories[0].type == MEMORY_HBM_PSEUDO ? 2 : 1);
    traffic.requests = 10;
    traffic.warmup = 3;
    run(&traffic);
    assert_int_equal(unloaded_memory_latencies(&stated, &config.memories[0], 64).kind, FAULT_NONE);
    assert_int_equal(result.latency.lowest, stated.closed_bank_ps);
    assert_int_equal(result.latency.highest, result.latency.lowest);
}

static void ddr_latencies(void **state)
{
    one_at_a_time_meets_the_stated_latencies("memory: {device: DDR4_2400_8x8}");
    one_at_a_time_meets_the_stated_latencies("memory: {device: DDR3_1600_8x8}");
    one_at_a_time_meets_the_stated_latencies("memory: {device: DDR5_6400_4x8, size: 1GiB}");
    one_at_a_time_meets_the_stated_latencies("memory: {device: DDR4_2400_8x8, link: cxl, link_latency: 21ns}");
}

static void hbm_latencies(void **state)
{
    one_at_a_time_meets_the_stated_latencies("memory: {type: hbm_pseudo, device: HBM_2000_4H_1x64, size: 4GiB, "
                                             "channels: 8, interleave: 256B}");
}

/* Latency of every access, and no more bytes than its bandwidth. */
static void simple_memory(void **state)
{
    struct traffic_load traffic;

    load("memory: {type: simple, latency: 40ns, bandwidth: 10GB/s}");
    traffic = load_of(TRAFFIC_RANDOM);
    run(&traffic);
    assert_int_equal(result.latency.lowest, 40000);
    assert_int_equal(result.latency.highest, 40000);
    traffic.outstanding = 50;
    traffic.requests = 10000;
    traffic.warmup = 1000;
    run(&traffic);
    assert_true(fabs(result.bytes_per_s / 10e9 - 1) < 1e-3);
}

/* ---- load */

/* "request i is due at i x line / rate": half the bandwidth is kept exactly, twice the bandwidth is not, and its
 * latency grows with the run. 6400 ps a line, 10 GB/s. */
static void rates(void **state)
{
    struct traffic_load traffic;
    uint64_t short_run;

    load("memory: {type: simple, latency: 40ns, bandwidth: 10GB/s}");
    traffic = load_of(TRAFFIC_STREAM);
    traffic.outstanding = 10;
    traffic.requests = 1100;
    traffic.warmup = 100;
    traffic.rate_bytes_per_s = 5e9;
    run(&traffic);
    assert_false(traffic_is_saturated(&result));
    assert_int_equal(result.time_ps, 1000 * 12800);
    assert_int_equal(result.held, 0);
    traffic.rate_bytes_per_s = 20e9;
    run(&traffic);
    assert_true(traffic_is_saturated(&result));
    assert_true(fabs(result.bytes_per_s / 10e9 - 1) < 1e-3);
    short_run = result.latency.highest;
    /* the last one was due at 1099 x 3200, was accepted at 1099 x 6400 */
    assert_int_equal(short_run, 1099 * 3200 + 40000);
    traffic.requests = 2100;
    run(&traffic);
    assert_int_equal(result.latency.highest, 2099 * 3200 + 40000);
}

/* Random requests over two memories and interleaved, hashed channels: each is answered, by the memory that owns it. */
static void every_memory_is_reached(void **state)
{
    struct traffic_load traffic;

    load("memories: [{type: simple, size: 64MiB}, {size: 1GiB, channels: 4, xor_low_bit: 14}]");
    traffic = load_of(TRAFFIC_RANDOM);
    traffic.pattern.range_bytes = UINT64_C(1088) << 20;
    traffic.pattern.read_share = 0.5;
    traffic.outstanding = 40;
    traffic.requests = 20000;
    run(&traffic);
    assert_int_equal(result.reads + result.writes, 20000);
    assert_in_range(result.bursts, 20000 * 15 / 17 - 1000, 20000 * 16 / 17 + 200);
}

/* The same load twice gives the same figures; another seed gives others. */
static void runs_repeat(void **state)
{
    static struct traffic_result first;
    struct traffic_load traffic;

    load("memory: {device: DDR4_2400_8x8}");
    traffic = load_of(TRAFFIC_RANDOM);
    traffic.pattern.read_share = 0.8;
    traffic.outstanding = 64;
    traffic.requests = 5000;
    run(&traffic);
    first = result;
    run(&traffic);
    assert_memory_equal(&first, &result, sizeof first);
    traffic.pattern.seed = 2;
    run(&traffic);
    assert_int_not_equal(first.time_ps, result.time_ps);
}

static void address_of_offset(void **state)
{
    struct traffic_memory *memory;
    struct fault fault;

    load("memories: [{type: simple, size: 64MiB, base: 1GiB}, {size: 1GiB, base: 4GiB, channels: 2}]");
    memory = traffic_memory_create(&config, &fault);
    assert_non_null(memory);
    assert_int_equal(memory->size_bytes, UINT64_C(1088) << 20);
    assert_int_equal(traffic_memory_address(memory, 0), UINT64_C(1) << 30);
    assert_int_equal(traffic_memory_address(memory, (UINT64_C(64) << 20) - 64), (UINT64_C(1088) << 20) - 64);
    assert_int_equal(traffic_memory_address(memory, (UINT64_C(64) << 20) + 64), (UINT64_C(4) << 30) + 64);
    assert_int_equal(traffic_memory_port_of(memory, UINT64_C(1) << 30), 0);
    assert_int_equal(traffic_memory_port_of(memory, UINT64_C(4) << 30), 1);
    assert_int_equal(traffic_memory_port_of(memory, (UINT64_C(4) << 30) + 64), 2);
    assert_int_equal(traffic_memory_port_of(memory, 0), memory->port_count);
    traffic_memory_destroy(memory);
}

/* ---- details */
static struct traffic_detail detail;

/* A trace by hand: times in ps. */
static void run_trace(uint64_t *records, uint64_t *times_ps, size_t count)
{
    struct traffic_trace const trace = {.records = records, .times_ps = times_ps, .count = count};
    struct traffic_load traffic = load_of(TRAFFIC_TRACE);

    traffic.pattern.trace = &trace;
    traffic.keeps_times = true;
    traffic.outstanding = 64;
    traffic.requests = count;
    traffic.detail = &detail;
    run(&traffic);
}

/* DDR4-2400: CK 833 ps, nRCD = nCL = nRP = 16, nBL = 4; a request at an edge is served from the next one on. Read of a
 * closed bank: 1 + 16 + 16 + 4 CK; of the open row: 1 + 16 + 4; of another row, with the write to its bank long past:
 * 16 more than of a closed bank. The write goes to an open row, as soon as no read waits: WR in the next edge. */
static void rows_and_latencies_by_hand(void **state)
{
    uint64_t records[] = {0, 0x40, 0x80 | 1, 0x20000}, times[] = {0, 83300, 166600, 249900};
    struct latency_histogram (*const rows)[TRAFFIC_ROWS] = detail.rows;

    load("memory: {type: command, standard: DDR4, organization: DDR4_8Gb_x8, timing: DDR4_2400R, size: 8GiB, "
         "command: {frontend_latency: 5ns, backend_latency: 7ns}}");
    run_trace(records, times, 4);
    assert_int_equal(rows[TRAFFIC_READ][TRAFFIC_ROW_MISS].highest, 37 * 833);
    assert_int_equal(rows[TRAFFIC_READ][TRAFFIC_ROW_HIT].highest, 21 * 833);
    assert_int_equal(rows[TRAFFIC_READ][TRAFFIC_ROW_CONFLICT].highest, 53 * 833);
    assert_int_equal(rows[TRAFFIC_WRITE][TRAFFIC_ROW_HIT].highest, 833);
    assert_int_equal(result.latency.lowest, 21 * 833 + 12000);
    assert_int_equal(result.write_latency.highest, 0);
    assert_string_equal(detail.levels, "Rank.BankGroup.Bank");
    assert_int_equal(detail.bank_count, 16);
    assert_string_equal(detail.banks[5].place, "0.1.1");
    assert_int_equal(detail.banks[0].accesses[TRAFFIC_READ][TRAFFIC_ROW_HIT], 1);
    assert_int_equal(detail.banks[0].highest_ps[TRAFFIC_READ], 53 * 833);
    traffic_detail_free(&detail);
}

/* "given = served + spared + waiting"; the run goes on until all writes are issued, also of gem5's controller, which
 * keeps half a queue of them. Two writes to one line are one burst. */
static void every_write_reaches_the_dram(void **state)
{
    static const char *const memories[] = {
        "memory: {device: DDR4_2400_8x8}", "memory: {type: command, standard: DDR4, size: 8GiB}",
        "memory: {type: command, standard: HBM3, channels: 2, size: 2GiB}"};
    uint64_t records[20], times[20];

    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
        const struct traffic_fate *const writes = &detail.fates[TRAFFIC_WRITE];
        uint64_t const accesses = m == 2 ? 2 : 1;

        for (uint64_t i = 0; i < 20; i++) {
            records[i] = (i < 19 ? i * 0x40 : 18 * 0x40) | 1;
            times[i] = i * 10;
        }
        load(memories[m]);
        run_trace(records, times, 20);
        assert_int_equal(writes->requests, 20);
        assert_int_equal(writes->given, 20 * accesses);
        assert_int_equal(writes->served, 19 * accesses);
        assert_int_equal(writes->spared, accesses);
        assert_int_equal(writes->waiting, 0);
        assert_int_equal(detail.access_bytes, 64 / accesses);
        assert_true(detail.drained_ps > times[19]);
        traffic_detail_free(&detail);
    }
}

/* "doubled until all of the run fits": windows have all requests, whatever their width. */
static void windows_hold_the_whole_run(void **state)
{
    uint64_t records[100], times[100], done = 0;

    for (uint64_t i = 0; i < 100; i++) {
        records[i] = i * 0x40;
        times[i] = i * i * 100000;
    }
    load("memory: {type: simple, latency: 40ns, bandwidth: 10GB/s}");
    run_trace(records, times, 100);
    for (unsigned i = 0; i < detail.window_count; i++)
        done += detail.windows[i].done[TRAFFIC_READ];
    assert_int_equal(done, 100);
    assert_in_range(detail.window_count, TRAFFIC_WINDOWS / 2, TRAFFIC_WINDOWS);
    assert_int_equal(detail.until_ps, 99 * 99 * 100000 + 40000);
    assert_in_range(detail.until_ps, (detail.window_count - 1) * detail.window_ps,
                    detail.window_count * detail.window_ps - 1);
    traffic_detail_free(&detail);
}

/* address_range_address: "the other way round" of channel and offset, with masks, without, of three channels. */
static void addresses_of_offsets(void **state)
{
    static const char *const memories[] = {
        "memory: {size: 1GiB}", "memory: {size: 1GiB, channels: 4}",
        "memory: {size: 1GiB, channels: 4, xor_low_bit: 14}",
        "memory: {size: 768MiB, channels: 3}", "memory: {size: 768MiB, channels: 3, xor_low_bit: 14}",
        "memory: {size: 1GiB, channels: 2, base: 4GiB}"};

    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
        struct address_range range;

        load(memories[m]);
        assert_int_equal(address_range_init(&range, &config.memories[0], 0).kind, FAULT_NONE);
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t const address = range.first + i * 48271 * 64 % config.memories[0].size_bytes;

            assert_int_equal(address_range_address(&range, address_range_channel(&range, address),
                                                   address_range_offset(&range, address)), address);
        }
    }
}

/* Bisection finds the knee, and rates rise: the knee of a memory of 10 GB/s lies where 2 % are lost. */
static void knee_is_halved(void **state)
{
    struct traffic_load traffic;
    struct traffic_curve curve;
    bool more = true;

    load("memory: {type: simple, latency: 40ns, bandwidth: 10GB/s}");
    traffic = load_of(TRAFFIC_STREAM);
    traffic.outstanding = 64;
    traffic.requests = 5000;
    assert_int_equal(traffic_curve_begin(&curve, &config, &traffic).kind, FAULT_NONE);
    curve.peak_bytes_per_s = 13e9;
    curve.knee_steps = 4;
    while (more)
        assert_int_equal(traffic_curve_step(&curve, &more).kind, FAULT_NONE);
    for (unsigned i = 2; i + 1 < curve.count; i++) {
        assert_true(curve.points[i].offered_bytes_per_s > curve.points[i - 1].offered_bytes_per_s);
        assert_int_equal(curve.points[i].is_saturated, i + 2 == curve.count);
    }
    assert_int_equal(curve.points[curve.count - 1].kind, POINT_FULL);
    /* 75 % are 9.75e9, kept; 80 % are 10.4e9, too much; between them a sixteenth apart */
    assert_true(curve.points[curve.count - 2].offered_bytes_per_s - curve.points[curve.count - 3].offered_bytes_per_s
                < 13e9 * 0.05 / 15.9);
    assert_true(fabs(curve.points[curve.count - 3].bytes_per_s / 10.2e9 - 1) < 0.03);
    traffic_curve_end(&curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_wraps), cmocka_unit_test(stride_visits_every_line),
        cmocka_unit_test(random_places_are_even), cmocka_unit_test(all_reads_and_all_writes),
        cmocka_unit_test(wrong_patterns_are_refused), cmocka_unit_test(ddr_latencies), cmocka_unit_test(hbm_latencies),
        cmocka_unit_test(simple_memory), cmocka_unit_test(rates), cmocka_unit_test(every_memory_is_reached),
        cmocka_unit_test(runs_repeat), cmocka_unit_test(address_of_offset),
        cmocka_unit_test(rows_and_latencies_by_hand), cmocka_unit_test(every_write_reaches_the_dram),
        cmocka_unit_test(windows_hold_the_whole_run), cmocka_unit_test(addresses_of_offsets),
        cmocka_unit_test(knee_is_halved)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
