/* replay/record/sample_share.h: names, a ring of samples that another process reads, writers that end and that die. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/record/sample_share.h"
#include "tests/support/unit.h"

enum { COUNT = 40, WORDS = TELEMETRY_HEAD + COUNT };

struct bench {
    char name[40], path[SAMPLE_SHARE_PATH];
    uint64_t source[COUNT];
    struct telemetry layout;
};

static int set_up(void **state)
{
    struct bench *const bench = calloc(1, sizeof *bench);
    uint32_t component;

    snprintf(bench->name, sizeof bench->name, "unit-test.%d", (int)getpid());
    assert_true(sample_share_path(bench->name, bench->path));
    telemetry_init(&bench->layout);
    component = telemetry_add_component(&bench->layout, TELEMETRY_CACHE, TELEMETRY_NONE, "l1 \"data\"\\\n");
    telemetry_add(&bench->layout, &(struct telemetry_field){
        .component = component, .name = "counts", .count = COUNT, .source = bench->source, .limit = 77
    });
    assert_int_equal(telemetry_freeze(&bench->layout).kind, FAULT_NONE);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *const bench = *state;

    shm_unlink(bench->path);
    telemetry_free(&bench->layout);
    free(bench);
    return 0;
}

static void put(struct bench *bench, struct sample_share *share, uint64_t number)
{
    uint64_t words[WORDS];

    for (unsigned i = 0; i < COUNT; i++)
        bench->source[i] = number * 100 + i;
    telemetry_read(&bench->layout, number * 1000, words);
    telemetry_ring_put(&share->ring, words);
}

/* "False: NAME is empty, too long, or has other characters" */
static void names_are_checked(void **state)
{
    char path[SAMPLE_SHARE_PATH], name[SAMPLE_SHARE_MOST_NAME + 2];

    assert_true(sample_share_path("Run_1.b-2", path));
    assert_string_equal(path, "/rubato.Run_1.b-2");
    assert_false(sample_share_path("", path));
    assert_false(sample_share_path("a/b", path));
    assert_false(sample_share_path("a b", path));
    memset(name, 'x', sizeof name);
    name[SAMPLE_SHARE_MOST_NAME] = '\0';
    assert_true(sample_share_path(name, path));
    assert_int_equal(strlen(path), SAMPLE_SHARE_MOST_NAME + 8);
    name[SAMPLE_SHARE_MOST_NAME] = 'x';
    name[SAMPLE_SHARE_MOST_NAME + 1] = '\0';
    assert_false(sample_share_path(name, path));
}

/* Samples are read as they were put; the end is reported, and a reader keeps a removed ring. */
static void a_reader_has_layout_and_samples(void **state)
{
    struct bench *const bench = *state;
    struct sample_share share;
    struct sample_reader reader;

    assert_int_equal(sample_share_create(&share, bench->name, &bench->layout, 5000).kind, FAULT_NONE);
    assert_false(share.has_replaced);
    assert_int_equal(sample_reader_open(&reader, bench->name).kind, FAULT_NONE);
    assert_int_equal(reader.text.interval_ps, 5000);
    assert_int_equal(reader.text.layout.word_count, WORDS);
    assert_string_equal(reader.text.layout.components[0].name, "l1 \"data\"\\\n");
    assert_int_equal(reader.text.layout.fields[0].limit, 77);
    assert_false(sample_reader_next(&reader));
    for (uint64_t i = 0; i < 3; i++)
        put(bench, &share, i);
    assert_true(sample_reader_next(&reader));
    assert_int_equal(reader.words[TELEMETRY_NUMBER], 0);
    assert_true(sample_reader_next(&reader));
    assert_int_equal(reader.words[TELEMETRY_NUMBER], 1);
    assert_true(sample_reader_next(&reader));
    assert_int_equal(reader.words[TELEMETRY_NUMBER], 2);
    assert_int_equal(reader.words[TELEMETRY_TIME], 2000);
    assert_int_equal(reader.words[WORDS - 1], 200 + COUNT - 1);
    assert_int_equal(sample_reader_state(&reader), SAMPLE_WRITER_RUNS);
    put(bench, &share, 3);
    telemetry_ring_end(&share.ring);
    sample_share_remove(&share);
    assert_int_equal(sample_reader_state(&reader), SAMPLE_WRITER_ENDED);
    assert_true(sample_reader_next(&reader));
    assert_int_equal(reader.words[TELEMETRY_TIME], 3000);
    assert_false(sample_reader_next(&reader));
    sample_reader_close(&reader);
    assert_int_equal(sample_reader_open(&reader, bench->name).kind, FAULT_INPUT);
}

/* the ring belongs to a run that is not over */
static void a_name_has_one_writer(void **state)
{
    struct bench *const bench = *state;
    struct sample_share share, other;
    struct sample_reader reader;
    struct fault fault;

    assert_int_equal(sample_share_create(&share, bench->name, &bench->layout, 1).kind, FAULT_NONE);
    fault = sample_share_create(&other, bench->name, &bench->layout, 1);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "another run publishes by that name"));
    sample_share_remove(&other);
    assert_int_equal(sample_reader_open(&reader, bench->name).kind, FAULT_NONE);
    assert_int_equal(sample_reader_state(&reader), SAMPLE_WRITER_RUNS);
    sample_reader_close(&reader);
    sample_share_remove(&share);
}

/* "there was one that a killed run had left"; readers of the old ring continue with it. */
static void a_dead_writers_name_is_taken_over(void **state)
{
    struct bench *const bench = *state;
    struct sample_share share;
    struct sample_reader old, new;
    pid_t const child = fork();

    if (child == 0) {
        if (sample_share_create(&share, bench->name, &bench->layout, 1).kind == FAULT_NONE)
            put(bench, &share, 8);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(sample_reader_open(&old, bench->name).kind, FAULT_NONE);
    assert_int_equal(sample_reader_state(&old), SAMPLE_WRITER_DIED);
    assert_int_equal(sample_share_create(&share, bench->name, &bench->layout, 1).kind, FAULT_NONE);
    assert_true(share.has_replaced);
    put(bench, &share, 0);
    put(bench, &share, 1);
    assert_int_equal(sample_reader_open(&new, bench->name).kind, FAULT_NONE);
    assert_true(sample_reader_next(&old));
    assert_int_equal(old.words[TELEMETRY_TIME], 8000);
    assert_false(sample_reader_next(&old));
    assert_int_equal(sample_reader_state(&old), SAMPLE_WRITER_DIED);
    assert_true(sample_reader_next(&new));
    assert_int_equal(new.words[TELEMETRY_TIME], 0);
    assert_true(sample_reader_next(&new));
    assert_int_equal(new.words[TELEMETRY_TIME], 1000);
    assert_int_equal(sample_reader_state(&new), SAMPLE_WRITER_RUNS);
    sample_reader_close(&old);
    sample_reader_close(&new);
    sample_share_remove(&share);
}

/* "several that ask at once get one" */
static void a_request_is_served_once(void **state)
{
    struct bench *const bench = *state;
    struct sample_share share;
    struct sample_reader one, two;

    assert_int_equal(sample_share_create(&share, bench->name, &bench->layout, 1).kind, FAULT_NONE);
    assert_int_equal(sample_reader_open(&one, bench->name).kind, FAULT_NONE);
    assert_int_equal(sample_reader_open(&two, bench->name).kind, FAULT_NONE);
    assert_false(telemetry_ring_is_asked(&share.ring));
    sample_reader_ask(&one);
    sample_reader_ask(&two);
    assert_true(telemetry_ring_is_asked(&share.ring));
    assert_false(telemetry_ring_is_asked(&share.ring));
    sample_reader_ask(&two);
    assert_true(telemetry_ring_is_asked(&share.ring));
    assert_false(telemetry_ring_is_asked(&share.ring));
    sample_reader_close(&one);
    sample_reader_close(&two);
    sample_share_remove(&share);
}

/* A file that is no ring, or not yet: FAULT_INPUT */
static void other_objects_than_rings_are_refused(void **state)
{
    struct bench *const bench = *state;
    struct sample_reader reader;
    struct fault fault;
    int const file = shm_open(bench->path, O_RDWR | O_CREAT, 0600);

    fault = sample_reader_open(&reader, bench->name);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "not ready yet"));
    assert_int_equal(ftruncate(file, 20000), 0);
    fault = sample_reader_open(&reader, bench->name);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "no ring of samples"));
    close(file);
}

/* A neighbour's object, or one that neighbours may open, is neither published by nor watched. */
static void objects_open_to_others_are_refused(void **state)
{
    struct bench *const bench = *state;
    struct sample_reader reader;
    struct sample_share share;
    struct fault fault;
    int const file = shm_open(bench->path, O_RDWR | O_CREAT, 0600);

    for (int round = 0; round < 2; round++) {
        if (round == 0)
            assert_int_equal(fchmod(file, 0666), 0);
        else if (fchmod(file, 0600) != 0 || fchown(file, 65534, (gid_t)-1) != 0)
            break;                       /* not root */
        fault = sample_share_create(&share, bench->name, &bench->layout, 1000);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), "another user"));
        fault = sample_reader_open(&reader, bench->name);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), "another user"));
    }
    close(file);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test_setup_teardown(a_reader_has_layout_and_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_has_one_writer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dead_writers_name_is_taken_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_request_is_served_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_objects_than_rings_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(objects_open_to_others_are_refused, set_up, tear_down)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
