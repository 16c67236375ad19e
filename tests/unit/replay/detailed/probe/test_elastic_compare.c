/* tests/support/elastic_compare.h: its definition of equality decides the meaning of the probe's figures. */
#include "tests/support/elastic_compare.h"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/elastic/trace_writer.h"
#include "tests/support/unit.h"

enum { RECORDS = 100, FETCHES = 20 };

struct change {
    uint64_t seq_factor;                 /* numbers are those of the record times this */
    size_t without, twice;               /* records: left out, written as two; RECORDS: none */
    size_t late, lost, moved;            /* delays, dependences, addresses */
    size_t fetch_late;
};

static struct change const plain = {1, RECORDS, RECORDS, RECORDS, RECORDS, RECORDS, FETCHES};
static char folders[2][64];

static int make_folders(void **state)
{
    for (int i = 0; i < 2; i++) {
        snprintf(folders[i], sizeof folders[i], "%s", "/tmp/rubato-compare-XXXXXX");
        if (!mkdtemp(folders[i]))
            return 1;
    }
    return 0;
}

static void file_in(const char *folder, const char *name, char path[200])
{
    snprintf(path, 200, "%s/%s", folder, name);
}

static int remove_folders(void **state)
{
    char path[200];

    for (int i = 0; i < 2; i++) {
        file_in(folders[i], "deptrace.proto.gz", path);
        unlink(path);
        file_in(folders[i], "fetchtrace.proto.gz", path);
        unlink(path);
        rmdir(folders[i]);
    }
    return 0;
}

/* Loads; each waits for the one before it. */
static void put_records(struct trace_writer *writer, const struct change *change)
{
    uint64_t seq = 0, parent = 0;
    struct fault fault = fault_none();

    for (size_t i = 0; i < RECORDS; i++) {
        size_t const times = i == change->without ? 0 : i == change->twice ? 2 : 1;

        for (size_t n = 0; n < times; n++) {
            seq += change->seq_factor;
            assert_true(
                WORKS(fault,
                      dep_writer_put(writer, &(struct dep_record){.seq_num = seq,
                                                                  .type = DEP_LOAD,
                                                                  .pc = 0x1000 + 4 * i,
                                                                  .p_addr = 64 * i + (i == change->moved ? 8 : 0),
                                                                  .size_bytes = 8,
                                                                  .comp_delay = i == change->late ? 1000 : 500,
                                                                  .reg_dep = &parent,
                                                                  .reg_dep_count = parent && i != change->lost,
                                                                  .present = DEP_HAS_PC | DEP_HAS_P_ADDR | DEP_HAS_SIZE
                                                                             | DEP_HAS_FLAGS})));
        }
        parent = seq;
    }
}

static void put_fetches(struct trace_writer *writer, const struct change *change)
{
    struct fault fault = fault_none();

    for (size_t i = 0; i < FETCHES; i++)
        assert_true(
            WORKS(fault,
                  packet_writer_put(writer,
                                    &(struct packet_record){.tick = 1000 * i + (i >= change->fetch_late ? 500 : 0),
                                                            .cmd = 1,
                                                            .addr = 64 * i,
                                                            .size_bytes = 64})));
}

static void write_traces(const char *folder, const struct change *change)
{
    struct dep_header const dep = {.obj_id = "cpu", .tick_freq = 1, .window_size = 64};
    struct packet_header const fetch = {.obj_id = "cpu", .tick_freq = 1};
    struct fault fault = fault_none();
    struct trace_writer *writers[2];
    char dep_path[200], fetch_path[200];

    file_in(folder, "deptrace.proto.gz", dep_path);
    file_in(folder, "fetchtrace.proto.gz", fetch_path);
    writers[0] = dep_writer_open(dep_path, &dep, &fault);
    writers[1] = packet_writer_open(fetch_path, &fetch, &fault);
    assert_fine(fault);
    put_records(writers[0], change);
    put_fetches(writers[1], change);
    assert_true(WORKS(fault, trace_writer_close_pair(writers[0], writers[1], dep_path, fault)));
}

static struct elastic_compared compare(const struct change *ours)
{
    struct elastic_compared compared;

    write_traces(folders[0], ours);
    write_traces(folders[1], &plain);
    assert_fine(elastic_compare(folders[0], folders[1], &compared, NULL, NULL));
    return compared;
}

static void numbers_do_not_count(void **state)
{
    struct change change = plain;

    change.seq_factor = 3;

    struct elastic_compared const compared = compare(&change);

    assert_int_equal(compared.record_pairs, RECORDS);
    for (int i = 0; i < ELASTIC_TRAIT_COUNT; i++)
        assert_int_equal(compared.equal[i], RECORDS);
    assert_int_equal(compared.equal_fetches, FETCHES);
    assert_int_equal(compared.equal_steps, FETCHES);
}

/* The record itself, and the one whose dependence has no partner. */
static void a_missing_record_counts_twice(void **state)
{
    struct change change = plain;

    change.without = 40;

    struct elastic_compared const compared = compare(&change);

    assert_int_equal(compared.record_pairs, RECORDS - 1);
    assert_int_equal(compared.parts, 1);
    assert_int_equal(elastic_compared_most(compared.records), RECORDS);
    assert_int_equal(compared.equal[ELASTIC_PC], RECORDS - 1);
    assert_int_equal(compared.equal[ELASTIC_WHOLE], RECORDS - 2);
}

static void a_surplus_record_lowers_the_share(void **state)
{
    struct change change = plain;

    change.twice = 40;

    struct elastic_compared const compared = compare(&change);

    assert_int_equal(elastic_compared_most(compared.records), RECORDS + 1);
    assert_int_equal(compared.record_pairs, RECORDS);
    assert_int_equal(compared.parts, 1);
}

static void differences_are_counted_by_kind(void **state)
{
    struct change change = plain;

    change.late = 10;
    change.lost = 20;
    change.moved = RECORDS - 1;          /* at the end, where no run follows */
    change.fetch_late = 7;

    struct elastic_compared const compared = compare(&change);

    assert_int_equal(compared.record_pairs, RECORDS);
    assert_int_equal(compared.equal[ELASTIC_PC], RECORDS);
    assert_int_equal(compared.equal[ELASTIC_DELAY], RECORDS - 1);
    assert_int_equal(compared.equal[ELASTIC_PRODUCERS], RECORDS - 1);
    assert_int_equal(compared.equal[ELASTIC_ADDRESS], RECORDS - 1);
    assert_int_equal(compared.equal[ELASTIC_WHOLE], RECORDS - 2);
    assert_int_equal(compared.equal_fetches, FETCHES);
    assert_int_equal(compared.equal_steps, FETCHES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_do_not_count, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(a_missing_record_counts_twice, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(a_surplus_record_lowers_the_share, make_folders, remove_folders),
        cmocka_unit_test_setup_teardown(differences_are_counted_by_kind, make_folders, remove_folders)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
