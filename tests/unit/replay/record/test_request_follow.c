/* replay/record/request_follow.h, memsys/telemetry/telemetry_requests.h, and requests in recordings: stops of a
 * request, names of its legs, which ones are kept, and that they are read back as written. */
#include "replay/record/recording.h"
#include "replay/record/request_follow.h"
#include "tests/support/unit.h"

enum { SYSTEM, CPU0, CPU1, L1D0, L1D1, TOL2BUS, L2, MEMBUS, MEM, COMPONENTS, MOST_KEPT = 64 };

/* Names as components have them in the log: each is one place in memory. */
static const char cpu0[] = "cpu0.data", cpu1[] = "cpu1.data", fetch0[] = "cpu0.inst", l1d0[] = "l1d0", l1d1[] = "l1d1",
    l2[] = "l2", mem[] = "mem_ctrls";

struct bench {
    struct telemetry layout;
    struct request_follow follow;
    struct log_sink log;
    unsigned forwarded;
    struct telemetry_request kept[MOST_KEPT];
    unsigned count;
};

static void count_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                       uint64_t address, const char *details)
{
    struct bench *const bench = context;

    (void)tick_ps, (void)component, (void)what, (void)command, (void)address, (void)details;
    bench->forwarded++;
}

static int begin(void **state)
{
    static const struct { enum telemetry_part part; const char *name; } components[COMPONENTS] = {
        {TELEMETRY_SYSTEM, "duo"}, {TELEMETRY_CORE, "cpu0"}, {TELEMETRY_CORE, "cpu1"}, {TELEMETRY_CACHE, "cpu0.l1d"},
        {TELEMETRY_CACHE, "cpu1.l1d"}, {TELEMETRY_BUS, "tol2bus"}, {TELEMETRY_CACHE, "l2"}, {TELEMETRY_BUS, "membus"},
        {TELEMETRY_MEMORY, "mem_ctrls"}
    };
    static const struct { uint32_t from, to; } links[] = {
        {CPU0, L1D0}, {CPU1, L1D1}, {L1D0, TOL2BUS}, {L1D1, TOL2BUS}, {TOL2BUS, L2}, {L2, MEMBUS}, {MEMBUS, MEM}
    };
    struct bench *const bench = calloc(1, sizeof *bench);

    telemetry_init(&bench->layout);
    for (uint32_t i = 0; i < COMPONENTS; i++)
        telemetry_add_component(&bench->layout, components[i].part, i ? SYSTEM : TELEMETRY_NONE, components[i].name);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        telemetry_link(&bench->layout, &(struct telemetry_link){.from = links[i].from, .to = links[i].to,
                                                                .field = TELEMETRY_NONE});
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    assert_int_equal(request_follow_open(&bench->follow, &bench->layout, 64,
                                         (struct log_sink){count_line, bench}).kind, FAULT_NONE);
    bench->log = request_follow_sink(&bench->follow);
    *state = bench;
    return 0;
}

static int end(void **state)
{
    struct bench *const bench = *state;

    request_follow_free(&bench->follow);
    telemetry_free(&bench->layout);
    free(bench);
    return 0;
}

static void line(struct bench *bench, uint64_t tick_ps, const char *component, const char *what, const char *command,
                 uint64_t address)
{
    bench->log.line(bench->log.context, tick_ps, component, what, command, address,
                    strcmp(what, "burst") == 0 ? "rank=1 bank=12 row=10 hit=1 command=700 ready=800" : NULL);
}

static void keep(void *context, const struct telemetry_request *request)
{
    struct bench *const bench = context;

    assert_true(bench->count < MOST_KEPT);
    bench->kept[bench->count++] = *request;
}

static unsigned flush(struct bench *bench)
{
    bench->count = 0;
    request_follow_flush(&bench->follow, keep, bench);
    return bench->count;
}

static void has_stops(const struct telemetry_request *request, const struct telemetry_stop *expected, uint32_t count)
{
    assert_int_equal(request->stop_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(request->stops[i].component, expected[i].component);
        assert_int_equal(request->stops[i].kind, expected[i].kind);
        assert_int_equal(request->stops[i].time_ps, expected[i].time_ps);
    }
}

/* The log of a load that goes to memory, in the order in which a system writes it. */
static void load_from_memory(struct bench *bench)
{
    line(bench, 100, l1d0, "miss", "ReadReq", 0x1008);
    line(bench, 100, cpu0, "send", "ReadReq", 0x1008);
    line(bench, 200, l2, "miss", "ReadSharedReq", 0x1000);
    line(bench, 200, l1d0, "send", "ReadSharedReq", 0x1000);
    line(bench, 300, mem, "access", "ReadSharedReq", 0x1000);
    line(bench, 300, l2, "send", "ReadSharedReq", 0x1000);
    line(bench, 300, mem, "burst", "Read", 0x1000);
    line(bench, 900, l2, "recv", "ReadResp", 0x1000);
    line(bench, 950, l1d0, "recv", "ReadResp", 0x1000);
    line(bench, 960, cpu0, "recv", "ReadResp", 0x1008);
}

/* "A line of the log is written when its action is complete, so the miss of an L2 precedes the send of the L1" */
static void a_load_has_all_its_stops(void **state)
{
    static const struct telemetry_stop expected[] = {
        {CPU0, TELEMETRY_STOP_SEND, 100}, {L1D0, TELEMETRY_STOP_MISS, 100}, {L1D0, TELEMETRY_STOP_SEND, 200},
        {L2, TELEMETRY_STOP_MISS, 200}, {L2, TELEMETRY_STOP_SEND, 300}, {MEM, TELEMETRY_STOP_ACCESS, 300},
        {MEM, TELEMETRY_STOP_COMMAND, 700}, {MEM, TELEMETRY_STOP_READY, 800}, {L2, TELEMETRY_STOP_RECEIVE, 900},
        {L1D0, TELEMETRY_STOP_RECEIVE, 950}, {CPU0, TELEMETRY_STOP_RECEIVE, 960}
    };
    static const char *const texts[] = {
        "cpu0.l1d: miss", "tol2bus, l2: miss", "membus, mem_ctrls: queue", "rank 1 bank 12, row 10: was open",
        "back from mem_ctrls to l2", "back from l2 to cpu0.l1d", "back from cpu0.l1d to cpu0"
    };
    enum { LEGS = sizeof texts / sizeof *texts };
    struct telemetry_leg legs[TELEMETRY_MOST_STOPS];
    struct bench *const bench = *state;
    const struct telemetry_request *const request = &bench->kept[0];
    uint64_t until_ps = 100;
    char source[64];

    load_from_memory(bench);
    assert_int_equal(bench->forwarded, 10);
    assert_int_equal(flush(bench), 1);
    has_stops(request, expected, sizeof expected / sizeof *expected);
    assert_true(request->is_slow);
    assert_false(request->is_write);
    assert_true(request->has_burst && request->is_row_hit);
    assert_int_equal(request->row, 10);
    assert_int_equal(telemetry_request_latency_ps(request), 860);
    assert_true(telemetry_request_is_sound(request, &bench->layout));
    assert_int_equal(telemetry_request_legs(request, &bench->layout, legs), LEGS);
    for (unsigned i = 0; i < LEGS; i++) {
        assert_string_equal(legs[i].text, texts[i]);
        assert_int_equal(legs[i].from_ps, until_ps);
        until_ps = legs[i].to_ps;
    }
    assert_int_equal(until_ps, 960);
    telemetry_request_source(request, &bench->layout, source, sizeof source);
    assert_string_equal(source, "mem_ctrls, row hit");
    assert_int_equal(flush(bench), 0);
}

/* "So misses of other cores to the line do not count." The second load finds its line in the L2. */
static void misses_of_others_do_not_count(void **state)
{
    static const struct telemetry_stop expected[] = {
        {CPU0, TELEMETRY_STOP_SEND, 100}, {L1D0, TELEMETRY_STOP_MISS, 100}, {L1D0, TELEMETRY_STOP_SEND, 200},
        {L1D0, TELEMETRY_STOP_RECEIVE, 250}, {CPU0, TELEMETRY_STOP_RECEIVE, 260}
    };
    struct bench *const bench = *state;
    struct telemetry_leg legs[TELEMETRY_MOST_STOPS];

    line(bench, 100, l1d1, "miss", "ReadReq", 0x1000);
    line(bench, 100, l1d0, "miss", "ReadReq", 0x1008);
    line(bench, 100, cpu0, "send", "ReadReq", 0x1008);
    line(bench, 150, l2, "miss", "ReadSharedReq", 0x1000);
    line(bench, 150, l1d1, "send", "ReadSharedReq", 0x1000);
    line(bench, 200, l1d0, "send", "ReadSharedReq", 0x1000);
    line(bench, 210, l1d1, "recv", "ReadResp", 0x1000);
    line(bench, 220, l2, "send", "ReadSharedReq", 0x1000);
    line(bench, 250, l1d0, "recv", "ReadResp", 0x1000);
    line(bench, 255, cpu1, "recv", "ReadResp", 0x1008);
    line(bench, 260, cpu0, "recv", "ReadResp", 0x1008);
    assert_int_equal(flush(bench), 1);
    has_stops(&bench->kept[0], expected, sizeof expected / sizeof *expected);
    assert_int_equal(telemetry_request_legs(&bench->kept[0], &bench->layout, legs), 3);
    assert_string_equal(legs[1].text, "tol2bus, l2: hit");
}

static void a_load_joins_a_miss(void **state)
{
    struct bench *const bench = *state;
    struct telemetry_leg legs[TELEMETRY_MOST_STOPS];
    char source[64];

    line(bench, 100, l1d0, "merge", "ReadReq", 0x1008);
    line(bench, 100, cpu0, "send", "ReadReq", 0x1008);
    line(bench, 300, mem, "burst", "Read", 0x1000);
    line(bench, 900, l1d0, "recv", "ReadResp", 0x1000);
    line(bench, 910, cpu0, "recv", "ReadResp", 0x1008);
    assert_int_equal(flush(bench), 1);
    assert_int_equal(telemetry_request_legs(&bench->kept[0], &bench->layout, legs), 2);
    assert_string_equal(legs[0].text, "cpu0.l1d: joins a miss");
    telemetry_request_source(&bench->kept[0], &bench->layout, source, sizeof source);
    assert_string_equal(source, "cpu0.l1d, joins a miss");
}

/* "Two requests of one core to one address at the same time are distinguished by their order"; fetches are not
 * followed */
static void the_older_one_is_answered_first(void **state)
{
    struct bench *const bench = *state;

    line(bench, 100, cpu0, "send", "ReadReq", 0x1008);
    line(bench, 110, cpu0, "send", "ReadReq", 0x1008);
    line(bench, 115, cpu0, "send", "WriteReq", 0x1008);
    line(bench, 116, fetch0, "send", "ReadReq", 0x1008);
    line(bench, 120, cpu0, "recv", "ReadResp", 0x1008);
    line(bench, 121, cpu0, "recv", "WriteResp", 0x1008);
    line(bench, 130, cpu0, "recv", "ReadResp", 0x1008);
    line(bench, 140, cpu0, "recv", "ReadResp", 0x1008);
    assert_int_equal(flush(bench), 3);
    assert_int_equal(telemetry_request_latency_ps(&bench->kept[0]), 20);
    assert_int_equal(telemetry_request_latency_ps(&bench->kept[1]), 6);
    assert_true(bench->kept[1].is_write);
    assert_int_equal(telemetry_request_latency_ps(&bench->kept[2]), 20);
}

/* "keeps some of each stretch of time: the slowest, and others drawn among all"; unanswered requests are dropped */
static void the_slowest_are_kept(void **state)
{
    struct bench *const bench = *state;
    unsigned slow = 0;

    for (unsigned i = 0; i < 50000; i++)
        line(bench, i, cpu1, "send", "ReadReq", 0x40 * (uint64_t)i);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t const start_ps = 100000 + 5000 * (uint64_t)i, took_ps = i % 100 == 7 ? 4000 + i : 10 + i % 5;

        line(bench, start_ps, cpu0, "send", "ReadReq", 0x40 * (uint64_t)i);
        line(bench, start_ps + took_ps, cpu0, "recv", "ReadResp", 0x40 * (uint64_t)i);
    }
    assert_int_equal(flush(bench), REQUEST_FOLLOW_SLOWEST + REQUEST_FOLLOW_DRAWN);
    for (unsigned i = 0; i < bench->count; i++) {
        slow += bench->kept[i].is_slow;
        if (bench->kept[i].is_slow)
            assert_true(telemetry_request_latency_ps(&bench->kept[i]) >= 4000 + 207);
        if (i > 0)
            assert_true(telemetry_request_end_ps(&bench->kept[i]) >= telemetry_request_end_ps(&bench->kept[i - 1]));
    }
    assert_int_equal(slow, REQUEST_FOLLOW_SLOWEST);
}

/* ---- recordings */
static char *record(const struct bench *bench, const struct telemetry_request *request, size_t *bytes)
{
    uint64_t const words[TELEMETRY_HEAD] = {0};
    struct recording_writer writer;
    char *text;
    FILE *const file = open_memstream(&text, bytes);

    assert_int_equal(recording_create(&writer, file, "memory", &bench->layout, 1000000).kind, FAULT_NONE);
    for (unsigned i = 0; i < 3000; i++)      /* more than a block has */
        assert_int_equal(recording_put_request(&writer, request).kind, FAULT_NONE);
    assert_int_equal(recording_put(&writer, words).kind, FAULT_NONE);
    assert_int_equal(recording_end(&writer).kind, FAULT_NONE);
    recording_free(&writer);
    fclose(file);
    return text;
}

struct expected {
    const struct telemetry_request *request;
    unsigned count;
};

static void expect(void *context, const struct telemetry_request *request)
{
    struct expected *const expected = context;

    expected->count++;
    assert_int_equal(request->address, expected->request->address);
    assert_int_equal(request->core, expected->request->core);
    assert_int_equal(request->is_write, expected->request->is_write);
    assert_int_equal(request->is_slow, expected->request->is_slow);
    assert_int_equal(request->has_burst, expected->request->has_burst);
    assert_int_equal(request->is_row_hit, expected->request->is_row_hit);
    assert_int_equal(request->rank, expected->request->rank);
    assert_int_equal(request->bank, expected->request->bank);
    assert_int_equal(request->row, expected->request->row);
    has_stops(request, expected->request->stops, expected->request->stop_count);
}

static struct fault read_back(char *text, size_t bytes, struct expected *expected)
{
    FILE *const file = fmemopen(text, bytes, "rb");
    struct recording recording;
    struct fault fault;

    assert_int_equal(recording_open(&recording, file, "memory").kind, FAULT_NONE);
    recording.on_request = expect;
    recording.context = expected;
    while (recording_next(&recording))
        ;
    fault = recording.fault;
    recording_close(&recording);
    fclose(file);
    return fault;
}

static void requests_are_read_back(void **state)
{
    struct bench *const bench = *state;
    struct expected expected = {.request = &bench->kept[0]};
    size_t bytes;
    char *text;

    load_from_memory(bench);
    assert_int_equal(flush(bench), 1);
    text = record(bench, &bench->kept[0], &bytes);
    assert_int_equal(read_back(text, bytes, &expected).kind, FAULT_NONE);
    assert_int_equal(expected.count, 3000);
    free(text);
}

/* Places, kinds and times that no writer writes are refused. */
static void unsound_requests_are_refused(void **state)
{
    struct bench *const bench = *state;

    load_from_memory(bench);
    assert_int_equal(flush(bench), 1);
    for (unsigned i = 0; i < 4; i++) {
        struct telemetry_request wrong = bench->kept[0];
        struct expected expected = {.request = &bench->kept[0]};
        struct fault fault;
        size_t bytes;
        char *text;

        if (i == 0)
            wrong.core = CPU1;
        else if (i == 1)
            wrong.stops[3].component = COMPONENTS;
        else if (i == 2)
            wrong.stop_count--;
        else
            wrong.stops[2].kind = TELEMETRY_STOP_COUNT;
        text = record(bench, &wrong, &bytes);
        fault = read_back(text, bytes, &expected);
        assert_non_null(strstr(fault_text(fault), "requests that the layout does not allow"));
        assert_int_equal(expected.count, 0);
        free(text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    struct CMUnitTest const tests[] = {
        TEST(a_load_has_all_its_stops), TEST(misses_of_others_do_not_count), TEST(a_load_joins_a_miss),
        TEST(the_older_one_is_answered_first), TEST(the_slowest_are_kept), TEST(requests_are_read_back),
        TEST(unsound_requests_are_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
