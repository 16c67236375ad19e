/* proto/elastic/elastic_input.h, proto/elastic/capture_clock.h, proto/elastic/trace_writer.h: times found again,
 * ranges,
 * lost dependences, broken files. */
#include <sys/stat.h>
#include <unistd.h>

#include "proto/elastic/capture_clock.h"
#include "proto/elastic/elastic_input.h"
#include "proto/elastic/trace_writer.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char dep_in[64], fetch_in[64], dep_out[64], fetch_out[64];

/* seq_num, type, delay, order dependence, register dependence (0: none), executed at: loads last 1000 ticks */
#define RECORDS(R)                                                                                                    \
    R(1, DEP_COMP, 10000, 0, 0, 10000)                                                                                \
    R(3, DEP_LOAD, 500, 1, 0, 10500)                                                                                  \
    R(4, DEP_COMP, 500, 3, 0, 11000)       /* order on a load: its sending */                                         \
    R(5, DEP_COMP, 500, 0, 3, 12000)       /* register: its response */                                               \
    R(7, DEP_STORE, 500, 3, 0, 12000)      /* a store's order on a load: its response */                              \
    R(8, DEP_COMP, 2500, 1, 4, 13500)                                                                                 \
    R(9, DEP_COMP, 0, 5, 8, 13500)                                                                                    \
    R(12, DEP_COMP, 100, 9, 6, 13600)      /* 6 was never recorded */

struct row {
    uint64_t seq_num;
    uint8_t type;
    uint64_t delay, rob_dep, reg_dep, executed;
};

#define ROW(seq_num, type, delay, rob_dep, reg_dep, executed) {seq_num, type, delay, rob_dep, reg_dep, executed},
static const struct row rows[] = { RECORDS(ROW) };
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static const uint64_t fetch_ticks[] = {0, 1000, 11500, 12000, 12500, 13500, 13600, 14000};
#define FETCH_COUNT (sizeof fetch_ticks / sizeof fetch_ticks[0])

static struct dep_record record_of(const struct row *row)
{
    return (struct dep_record){
        .seq_num = row->seq_num, .type = row->type, .comp_delay = row->delay, .rob_dep = &row->rob_dep,
        .rob_dep_count = row->rob_dep != 0, .reg_dep = &row->reg_dep, .reg_dep_count = row->reg_dep != 0
    };
}

static void write_inputs(void)
{
    struct dep_header const dep_header = {.obj_id = "d", .tick_freq = UINT64_C(1000000000000), .window_size = 4};
    struct packet_header const fetch_header = {.obj_id = "f", .tick_freq = UINT64_C(1000000000000)};
    struct fault error;
    struct trace_writer *const dep = dep_writer_open(dep_in, &dep_header, &error);
    struct trace_writer *const fetch = packet_writer_open(fetch_in, &fetch_header, &error);

    assert_non_null(dep);
    assert_non_null(fetch);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct dep_record const record = record_of(&rows[i]);

        assert_true(WORKS(error, dep_writer_put(dep, &record)));
    }
    for (size_t i = 0; i < FETCH_COUNT; i++)
        assert_true(WORKS(error, packet_writer_put(fetch, &(struct packet_record){.tick = fetch_ticks[i],
                                                                                  .cmd = 1,
                                                                                  .addr = 64 * i,
                                                                                  .size_bytes = 64})));
    assert_true(WORKS(error, trace_writer_close(dep)));
    assert_true(WORKS(error, trace_writer_close(fetch)));
}

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(dep_in, sizeof dep_in, "%s/deptrace.proto", folder);
    snprintf(fetch_in, sizeof fetch_in, "%s/fetchtrace.proto", folder);
    snprintf(dep_out, sizeof dep_out, "%s/dep", folder);
    snprintf(fetch_out, sizeof fetch_out, "%s/fetch", folder);
    write_inputs();
    return 0;
}

static int tear_down(void **state)
{
    unlink(dep_in);
    unlink(fetch_in);
    unlink(dep_out);
    unlink(fetch_out);
    return rmdir(folder);
}

static struct cut_result cut(uint64_t first, uint64_t behind, bool salvage)
{
    struct cut_request const request = {dep_in, fetch_in, dep_out, fetch_out, first, behind, salvage};
    struct cut_result result;
    struct fault error = fault_none();

    if (FAILS(error, cut_traces(&request, &result)))
        fail_msg("%s", fault_text(error));
    return result;
}

/* Expects what one cut record says; deps 0: none. */
static void expect_record(struct dep_reader *reader, uint64_t seq_num, uint64_t delay, uint64_t rob_dep,
                          uint64_t reg_dep)
{
    struct dep_record r;
    struct fault error;

    assert_int_equal(dep_reader_next(reader, &r, &error), DEP_RECORD);
    assert_int_equal(r.seq_num, seq_num);
    assert_int_equal(r.comp_delay, delay);
    assert_int_equal(r.rob_dep_count, rob_dep != 0);
    assert_int_equal(r.reg_dep_count, reg_dep != 0);
    if (rob_dep != 0)
        assert_int_equal(r.rob_dep[0], rob_dep);
    if (reg_dep != 0)
        assert_int_equal(r.reg_dep[0], reg_dep);
}

static void expect_fetches(const uint64_t *ticks, size_t count, size_t first_index)
{
    struct fault error;
    struct packet_reader *const reader = packet_reader_open(fetch_out, &error);
    struct packet_record r;

    assert_non_null(reader);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_RECORD);
        assert_int_equal(r.tick, ticks[i]);
        assert_int_equal(r.addr, 64 * (first_index + i));
    }
    assert_int_equal(packet_reader_next(reader, &r, &error), PACKET_END);
    packet_reader_close(reader);
}

static void clock_follows_dependences(void **state)
{
    struct dep_header const header = {.tick_freq = UINT64_C(1000000000000), .window_size = 4};
    struct capture_clock clock;

    assert_true(capture_clock_init(&clock, &header));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct dep_record const record = record_of(&rows[i]);

        assert_int_equal(capture_clock_execute(&clock, &record), rows[i].executed);
    }
    assert_int_equal(clock.latest, 13600);
    capture_clock_free(&clock);
}

/* A trace without any dependences: a window is read when the one before the previous one has executed. */
static void clock_reads_windows(void **state)
{
    struct dep_header const header = {.tick_freq = UINT64_C(1000000000000), .window_size = 2};
    static const uint64_t expected[] = {100, 100, 100, 100, 200, 200, 200, 200, 300, 300};
    struct capture_clock clock;

    assert_true(capture_clock_init(&clock, &header));
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(capture_clock_execute(&clock, &(struct dep_record){.seq_num = i, .comp_delay = 100}),
                         expected[i]);
    capture_clock_free(&clock);
}

/* header: "A cut that begins at record 0 keeps all ticks." */
static void a_cut_of_the_whole_trace_changes_no_record(void **state)
{
    struct cut_result const result = cut(0, UINT64_MAX, false);
    struct fault error;
    struct dep_reader *const reader = dep_reader_open(dep_out, &error);

    assert_int_equal(result.records, ROW_COUNT);
    assert_int_equal(result.fetches, FETCH_COUNT);
    assert_int_equal(result.changed, 0);
    assert_int_equal(result.window_size, 4);
    for (size_t i = 0; i < ROW_COUNT; i++)
        expect_record(reader, rows[i].seq_num, rows[i].delay, rows[i].rob_dep, rows[i].reg_dep);
    dep_reader_close(reader);
    expect_fetches(fetch_ticks, FETCH_COUNT, 0);
}

/* Records 3 to 5 (seq_num 5, 7, 8) executed from 12000 to 13500. */
static void cut_in_the_middle(void **state)
{
    static const uint64_t ticks[] = {0, 0, 500, 1500};
    struct cut_result const result = cut(3, 6, false);
    struct fault error;
    struct dep_reader *const reader = dep_reader_open(dep_out, &error);

    assert_int_equal(result.records, 3);
    assert_int_equal(result.changed, 3);
    assert_int_equal(result.start_ticks, 12000);
    assert_int_equal(result.end_ticks, 13500);
    expect_record(reader, 5, 0, 0, 0);
    expect_record(reader, 7, 0, 0, 0);
    expect_record(reader, 8, 1500, 0, 0);
    dep_reader_close(reader);
    expect_fetches(ticks, 4, 2);
}

/* A record that lost one of two dependences counts from the other; to the end, all fetches come along. */
static void cut_to_the_end(void **state)
{
    static const uint64_t ticks[] = {0, 0, 100, 500};
    struct cut_result const result = cut(5, UINT64_MAX, false);
    struct fault error;
    struct dep_reader *const reader = dep_reader_open(dep_out, &error);

    assert_int_equal(result.records, 3);
    assert_int_equal(result.changed, 3);
    assert_int_equal(result.start_ticks, 13500);
    expect_record(reader, 8, 0, 0, 0);
    expect_record(reader, 9, 0, 0, 8);
    expect_record(reader, 12, 100, 9, 0);
    dep_reader_close(reader);
    expect_fetches(ticks, 4, 4);
}

static void refuses_a_range_past_the_end(void **state)
{
    struct cut_request const request = {dep_in, fetch_in, dep_out, fetch_out, ROW_COUNT, UINT64_MAX, false};
    struct cut_result result;
    struct fault error;

    unlink(dep_out);
    assert_false(WORKS(error, cut_traces(&request, &result)));
    assert_non_null(strstr(fault_text(error), "holds 8 records"));
    assert_int_not_equal(access(dep_out, F_OK), 0);
}

/* Every length of a file that breaks off: refused without salvage, all whole records with it. */
static void salvages_whole_records(void **state)
{
    struct stat about;
    uint64_t most = 0;

    assert_int_equal(stat(dep_in, &about), 0);
    for (off_t size = about.st_size - 1; size > 60; size--) {
        struct cut_request const request = {dep_in, fetch_in, dep_out, fetch_out, 0, UINT64_MAX, false};
        struct cut_result result;
        struct fault error;

        assert_int_equal(truncate(dep_in, size), 0);
        bool const accepted = WORKS(error, cut_traces(&request, &result));

        if (!accepted)
            assert_non_null(strstr(fault_text(error), "truncated"));
        result = cut(0, UINT64_MAX, true);
        assert_int_equal(accepted, !result.dep_truncated);     /* a break between two records cannot be seen */
        assert_true(result.records < ROW_COUNT);
        assert_true(result.fetches >= 1);
        if (result.dep_truncated)
            assert_int_equal(result.end_ticks, rows[result.records - 1].executed);
        most = result.records > most ? result.records : most;
    }
    assert_int_equal(most, ROW_COUNT - 1);
    write_inputs();
}

static void finds_the_files_of_a_folder(void **state)
{
    struct trace_paths paths;
    struct fault error;
    char other[64];

    assert_true(WORKS(error, trace_dir_find(folder, &paths)));
    assert_string_equal(paths.dep, dep_in);
    assert_string_equal(paths.fetch, fetch_in);
    snprintf(other, sizeof other, "%s/system.cpu1.deptrace.proto.gz", folder);
    assert_int_equal(rename(dep_in, other), 0);
    assert_true(WORKS(error, trace_dir_find(folder, &paths)));
    assert_string_equal(paths.dep, other);
    assert_int_equal(link(other, dep_in), 0);
    assert_false(WORKS(error, trace_dir_find(folder, &paths)));
    assert_non_null(strstr(fault_text(error), "several"));
    unlink(other);
    assert_int_equal(rename(fetch_in, other), 0);
    unlink(other);
    assert_false(WORKS(error, trace_dir_find(folder, &paths)));
    assert_non_null(strstr(fault_text(error), "holds no fetch trace"));
    assert_false(WORKS(error, trace_dir_find(dep_in, &paths)));
    assert_non_null(strstr(fault_text(error), "is a file"));
    write_inputs();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_follows_dependences), cmocka_unit_test(clock_reads_windows),
        cmocka_unit_test(a_cut_of_the_whole_trace_changes_no_record), cmocka_unit_test(cut_in_the_middle),
        cmocka_unit_test(cut_to_the_end), cmocka_unit_test(refuses_a_range_past_the_end),
        cmocka_unit_test(salvages_whole_records), cmocka_unit_test(finds_the_files_of_a_folder)
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
