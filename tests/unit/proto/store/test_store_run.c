/* proto/store/store_run.h: runs hold the records that a cursor gives one by one, of right stores and of damaged ones,
 * also of those that are damaged while they are open. */
#include "proto/store/store_format.h"
#include "proto/store/store_pack.h"
#include "tests/support/chunks.h"
#include "tests/support/file_bytes.h"
#include "tests/support/store_folder.h"
#include "tests/support/store_runs.h"
#include "tests/support/unit.h"

#define RECORDS 40000

/* Loads, stores and computations of few kinds. `is_odd`: some computations have an address, some accesses none. */
static void write_store(bool is_odd)
{
    static char name[] = "a trace";
    struct store_about const about = {.dep = {.tick_freq = 1000, .window_size = 5}, .fetch = {.tick_freq = 1000},
                                      .source = {{.path = name}, {.path = name}}};
    struct fault error;
    struct store_writer *const writer = store_writer_open(store_path, &error);

    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t const kind = pick(12);
        uint32_t const type = kind % 3 == 0 ? DEP_LOAD : kind == 1 ? DEP_STORE : DEP_COMP;
        bool const has_address = (type != DEP_COMP) != (is_odd && pick(50) == 0);
        uint64_t const dep = 1 + 3 * (i - 1 - pick(i > 5 ? 5 : i > 0 ? i : 1));
        struct dep_record const record = {
            .seq_num = 1 + 3 * i, .type = type, .comp_delay = 500 * pick(3), .pc = 0x1000 + 4 * kind, .size_bytes = 8,
            .p_addr = has_address ? 0x10000 * kind + 8 * pick(2000) : 0,
            .present = DEP_HAS_PC | DEP_HAS_SIZE | (has_address ? (uint32_t)DEP_HAS_P_ADDR : 0),
            .reg_dep_count = i > 0, .rob_dep = &dep, .reg_dep = &dep};

        assert_true(WORKS(error, store_writer_record(writer, &record)));
    }
    assert_true(WORKS(error, store_writer_close(writer, &about)));
}

static void runs_hold_the_same_records(void **state)
{
    for (int is_odd = 0; is_odd < 2; is_odd++) {
        struct fault error;
        struct store_runs runs;
        struct store *store;

        write_store(is_odd);
        store = store_open(store_path, &error);
        for (uint64_t first = 0; first < RECORDS / 2; first += RECORDS / 3) {
            const char *const difference = store_runs_differ(store, first, &runs);

            if (difference != NULL)
                fail_msg("from record %llu on: %s differs, after %llu", (unsigned long long)first, difference,
                         (unsigned long long)runs.records);
            assert_int_equal(runs.records, RECORDS - first);
            assert_true(is_odd || runs.in_runs > (RECORDS - first) / 2);
        }
        store_close(store);
    }
}

/* header: "False: the records make no sense, as the cursor tells when it is asked for more." */
static void an_inconsistent_run_is_reported(void **state)
{
    struct fault error;
    struct store *store;
    struct store_records *records;
    struct store_run *run = NULL;
    bool failed;

    write_store(false);
    store = store_open(store_path, &error);
    records = store_records_open(store, 0, &error);
    while (run == NULL) {
        run = store_records_run(records);
        if (run == NULL)
            assert_non_null(store_records_next(records, &failed, &error));
    }
    while (run->count > 0) {
        struct store_shape const *const shape = store_run_shape(run);

        store_run_address(run, shape);       /* as if all were accesses: there are fewer */
        store_run_pass(run, shape);
        run->count--;
    }
    run->length = run->lengths_end + 1;
    assert_false(store_run_is_sound(run));
    assert_null(store_records_run(records));
    assert_null(store_records_next(records, &failed, &error));
    assert_true(failed);
    assert_non_null(strstr(fault_text(error), "make no sense"));
    store_records_close(records);
    store_close(store);
}

static void damage_ends_both_ways_alike(void **state)
{
    size_t size, incomplete = 0;
    uint8_t *bytes;

    write_store(false);
    bytes = read_file_bytes(store_path, &size);
    for (int turn = 0; turn < 300; turn++) {
        uint64_t const blocks = chunks_index(bytes, size) - CONTAINER_HEAD_BYTES;
        size_t const place = CONTAINER_HEAD_BYTES + pick(blocks);
        uint8_t const before = bytes[place];
        struct fault error;
        struct store_runs runs;
        struct store *store;
        const char *difference;

        bytes[place] ^= (uint8_t)(1 + pick(255));
        chunks_hash_again(bytes, size, &store_kind);
        store = store_open_memory("wrong", bytes, size, &error);
        assert_non_null(store);
        difference = store_runs_differ(store, 0, &runs);
        if (difference != NULL)
            fail_msg("byte %zu changed: %s differs, after %llu", place, difference, (unsigned long long)runs.records);
        incomplete += runs.records < RECORDS;
        store_close(store);
        bytes[place] = before;
    }
    assert_true(incomplete > 20);
    free(bytes);
}

/* The index is read where it is mapped: later changes of its bytes must not lead out of the file. */
static void a_later_change_of_the_index_is_reported(void **state)
{
    static const unsigned words[] = {0, 1};          /* place, first_record */
    size_t size;
    uint8_t *bytes, *index = NULL;

    write_store(false);
    bytes = read_file_bytes(store_path, &size);
    for (uint8_t *at = bytes + chunks_index(bytes, size); index == NULL; at++)
        if (bits_load64(at) == CONTAINER_HEAD_BYTES && bits_load64(at + 8) == 0)
            index = at;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint8_t *const word = index + 8 * (size_t)words[i];
        uint64_t const before = bits_load64(word);
        struct fault error;
        struct store *const store = store_open_memory("changing", bytes, size, &error);
        bool failed;

        assert_non_null(store);
        assert_true(WORKS(error, store_check(store)));     /* so no hash tells */
        struct store_records *const records = store_records_open(store, 0, &error);
        bits_store64(word, UINT64_MAX / 2);
        assert_null(store_records_next(records, &failed, &error));
        assert_true(failed);
        assert_non_null(strstr(fault_text(error), "is damaged"));
        bits_store64(word, before);
        store_records_close(records);
        store_close(store);
    }
    free(bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_hold_the_same_records),
        cmocka_unit_test(an_inconsistent_run_is_reported),
        cmocka_unit_test(damage_ends_both_ways_alike),
        cmocka_unit_test(a_later_change_of_the_index_is_reported),
    };

    return cmocka_run_group_tests_name("store runs", tests, set_up_store_folder, tear_down_store_folder);
}
