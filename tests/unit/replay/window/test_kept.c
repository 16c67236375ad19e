/* replay/window/window_learnt.h, replay/window/window_learnt.h, proto/store/store_file.h: data learnt of a trace are
 * kept in
 * its store; micro-ops are the same with them; damaged data, another store's, or those of other rules are not used. */
#include <sys/stat.h>
#include <unistd.h>

#include "proto/store/store_file.h"
#include "proto/store/store_format.h"
#include "proto/store/store_pack.h"
#include "replay/window/window.h"
#include "replay/window/window_learnt.h"
#include "tests/support/chunks.h"
#include "tests/support/file_bytes.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char path[64], other_path[64];

static void pack(const char *trace, const char *to)
{
    char dep[80], fetch[80];
    struct fault fault;

    snprintf(dep, sizeof dep, "tests/traces/%s/deptrace.proto.gz", trace);
    snprintf(fetch, sizeof fetch, "tests/traces/%s/fetchtrace.proto.gz", trace);
    if (FAILS(fault, store_pack(dep, fetch, to)))
        fail_msg("%s", fault_text(fault));
}

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/store", folder);
    snprintf(other_path, sizeof other_path, "%s/other", folder);
    pack("qsort", path);
    pack("triad", other_path);
    assert_fine(window_kept_learn(path));
    assert_fine(window_kept_learn(other_path));
    return 0;
}

static int tear_down(void **state)
{
    unlink(path);
    unlink(other_path);
    return rmdir(folder);                /* also says that nothing else was left there */
}

struct bytes { uint8_t *at; size_t size; };

static struct bytes bytes_of(const char *from)
{
    struct bytes bytes;

    bytes.at = read_file_bytes(from, &bytes.size);
    return bytes;
}

static struct store *open_store(const char *from)
{
    struct fault fault;
    struct store *const store = store_open(from, &fault);

    if (!store)
        fail_msg("%s", fault_text(fault));
    return store;
}

/* ---- the same micro-ops */
struct side {
    struct store_records *records, *learnt_from;
    struct window *window;
};

static void open_side(struct side *side, struct store *store, bool is_kept)
{
    struct fault fault;
    struct window_setup setup = {.text_offset = 0x10000};

    side->records = store_records_open(store, 0, &fault);
    side->learnt_from = store_records_open(store, 0, &fault);
    setup.records = record_source_without_runs(side->records, store, "records");
    setup.learnt_from = record_source_without_runs(side->learnt_from, store, "learnt");
    if (is_kept)
        assert_true(WORKS(fault, window_kept_find(store, &setup)));
    assert_int_equal(setup.learnt != NULL, is_kept);
    side->window = window_open(&setup, &fault);
    if (!side->window)
        fail_msg("%s", fault_text(fault));
}

static void close_side(struct side *side)
{
    window_close(side->window);
    store_records_close(side->records);
    store_records_close(side->learnt_from);
}

static void assert_same_insn(const struct supply_insn *a, const struct supply_insn *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->next_pc, b->next_pc);
    assert_int_equal(a->wrong_pc, b->wrong_pc);
    assert_int_equal(a->size_bytes, b->size_bytes);
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->uops->op, b->uops->op);
    assert_int_equal(a->uops->flags, b->uops->flags);
    assert_int_equal(a->uops->latency_cyc, b->uops->latency_cyc);
    assert_int_equal(a->uops->source_count, b->uops->source_count);
    assert_memory_equal(a->uops->sources, b->uops->sources, a->uops->source_count * sizeof *a->uops->sources);
}

static void micro_ops_are_the_same(void **state)
{
    struct store *const store = open_store(path);
    const struct supply_insn *insns[2];
    struct side sides[2];
    struct fault fault;
    uint64_t number = 0;

    open_side(&sides[0], store, false);
    open_side(&sides[1], store, true);
    while (supply_right(window_supply(sides[0].window), number, &insns[0], &fault) == SUPPLY_INSN) {
        assert_int_equal(supply_right(window_supply(sides[1].window), number, &insns[1], &fault), SUPPLY_INSN);
        assert_same_insn(insns[0], insns[1]);
        for (int i = 0; i < 2; i++)
            supply_release(window_supply(sides[i].window), number);
        number++;
    }
    assert_int_equal(supply_right(window_supply(sides[1].window), number, &insns[1], &fault), SUPPLY_END);
    assert_true(number > 1000);
    for (int i = 0; i < 2; i++)
        close_side(&sides[i]);
    store_close(store);
}

/* ---- the store */
static void learning_again_changes_nothing(void **state)
{
    struct bytes const before = bytes_of(path);
    struct bytes after;

    assert_fine(window_kept_learn(path));
    after = bytes_of(path);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.at, after.at, before.size);
    free(before.at);
    free(after.at);
}

static void packing_writes_the_same_at_once(void **state)
{
    struct bytes const later = bytes_of(path);
    struct bytes at_once;
    char packed[64];

    snprintf(packed, sizeof packed, "%s/packed", folder);
    assert_fine(window_kept_pack("tests/traces/qsort/deptrace.proto.gz", "tests/traces/qsort/fetchtrace.proto.gz",
                                 packed, true));
    at_once = bytes_of(packed);
    unlink(packed);
    assert_int_equal(at_once.size, later.size);
    assert_memory_equal(at_once.at, later.at, later.size);
    free(at_once.at);
    free(later.at);
}

static void a_trace_that_breaks_off_makes_no_store(void **state)
{
    struct bytes const whole = bytes_of("tests/traces/qsort/deptrace.proto.gz");
    char dep[64], packed[64];
    struct fault fault;
    FILE *file;

    snprintf(dep, sizeof dep, "%s/deptrace.proto.gz", folder);
    snprintf(packed, sizeof packed, "%s/packed", folder);
    file = fopen(dep, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(whole.at, 1, whole.size / 2, file), whole.size / 2);
    assert_int_equal(fclose(file), 0);
    fault = window_kept_pack(dep, "tests/traces/qsort/fetchtrace.proto.gz", packed, false);
    unlink(dep);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_int_not_equal(access(packed, F_OK), 0);
    free(whole.at);
}

/* A reader gives each record a shape of its own, a store many the same: look-ups and counts by shape must not depend
 * on that. */
static void files_and_stores_give_the_same_learnt_data(void **state)
{
    struct fault fault;
    struct dep_reader *const reader = dep_reader_open("tests/traces/qsort/deptrace.proto.gz", &fault);
    struct reader_records from;
    struct record_source source;
    struct store *const store = open_store(path);
    struct store_learnt learnt;
    struct text text = {0};

    assert_non_null(reader);
    source = record_source_of_reader(&from, reader, "qsort");
    assert_fine(window_learn_from(&source, NULL, &text));
    assert_true(WORKS(fault, store_learnt_find(store, &learnt)));
    assert_int_equal(text.length, learnt.count);
    assert_memory_equal(text.at, learnt.bytes, learnt.count);
    free(text.at);
    reader_records_free(&from);
    dep_reader_close(reader);
    store_close(store);
}

static void records_are_not_changed(void **state)
{
    char plain[64];
    struct bytes without;
    struct bytes const with = bytes_of(path);
    struct store *store;
    struct fault fault;

    snprintf(plain, sizeof plain, "%s/plain", folder);
    pack("qsort", plain);
    without = bytes_of(plain);
    unlink(plain);
    assert_memory_equal(with.at, without.at, chunks_index(without.at, without.size));
    assert_true(with.size - without.size < without.size / 3);
    store = open_store(path);
    assert_true(WORKS(fault, store_check(store)));
    store_close(store);
    free(without.at);
    free(with.at);
}

static void other_rules_learn_anew(void **state)
{
    struct store *store = open_store(path);
    struct store_learnt learnt;
    struct window_setup setup = {.learnt = NULL};
    struct fault fault;

    assert_true(WORKS(fault, store_learnt_find(store, &learnt)));
    learnt.rules++;
    assert_true(WORKS(fault, store_learnt_add(path, &learnt)));
    store_close(store);
    store = open_store(path);
    assert_true(WORKS(fault, window_kept_find(store, &setup)));
    assert_null(setup.learnt);
    store_close(store);
    assert_fine(window_kept_learn(path));
}

/* Opens bytes as a store; returns its message about the learnt data. */
static bool is_found(const struct bytes *bytes, struct fault *fault)
{
    struct store *const store = store_open_memory("bytes", bytes->at, bytes->size, fault);
    struct store_learnt learnt;
    bool found;

    if (!store)
        return false;
    found = WORKS(*fault, store_learnt_find(store, &learnt));
    store_close(store);
    return found;
}

/* The last word of the index, which ends at the trailer. */
static uint64_t learnt_place(const struct bytes *bytes)
{
    uint64_t const index = chunks_index(bytes->at, bytes->size);

    return bits_load64(bytes->at + index + CONTAINER_CHUNK_HEAD_BYTES + bits_load64(bytes->at + index + 8) - 8);
}

static void every_damaged_byte_is_found(void **state)
{
    struct bytes const bytes = bytes_of(path);
    struct fault fault;

    assert_true(is_found(&bytes, &fault));
    for (uint64_t at = learnt_place(&bytes); at < chunks_index(bytes.at, bytes.size); at += 7) {
        bytes.at[at] ^= 4;
        assert_false(is_found(&bytes, &fault));
        assert_non_null(strstr(fault_text(fault), "make it again"));
        bytes.at[at] ^= 4;
    }
    free(bytes.at);
}

static void another_stores_is_refused(void **state)
{
    struct bytes const one = bytes_of(path), other = bytes_of(other_path);
    uint64_t const from = learnt_place(&other), to = learnt_place(&one);
    struct fault fault;

    /* both parts begin with the same rules; a hash that fits its own bytes is taken along */
    memcpy(one.at + to + CONTAINER_CHUNK_HEAD_BYTES, other.at + from + CONTAINER_CHUNK_HEAD_BYTES, STORE_LEARNT_BYTES);
    chunks_hash_again(one.at, one.size, &store_kind);
    assert_false(is_found(&one, &fault));
    assert_non_null(strstr(fault_text(fault), "another store's"));
    free(one.at);
    free(other.at);
}

/* ---- the bytes */
static struct fault take(const uint8_t *bytes, size_t count)
{
    struct window_pcs pcs;
    struct fault fault;

    assert_true(window_pcs_init(&pcs));
    fault = window_learnt_take(&pcs, bytes, count, "bytes");
    window_pcs_free(&pcs);
    return fault;
}

static void numbers_that_make_no_sense_are_refused(void **state)
{
    static const uint8_t none[] = {0}, behind[] = {0, 0};
    static const uint8_t one[] = {1, 0x20, 0, 1, 3, 0, 4, 0, 0, 0, 0};
    static const uint8_t twice[] = {2, 0x20, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 0};
    static const uint8_t no_op[] = {1, 0x20, 0, 0x7f, 0, 0, 4, 0, 0, 0, 0};
    static const uint8_t no_reads[] = {1, 0x20, 0, 1, 5, 0, 4, 0, 0, 0, 0};
    static const uint8_t no_resolver[] = {1, 0x20, 0x40, 1, 0, 0, 4, 0, 0, 0, 0, 1};

    assert_fine(take(none, sizeof none));
    assert_fine(take(one, sizeof one));
    assert_int_equal(take(behind, sizeof behind).kind, FAULT_INPUT);
    assert_int_equal(take(twice, sizeof twice).kind, FAULT_INPUT);
    assert_int_equal(take(no_op, sizeof no_op).kind, FAULT_INPUT);
    assert_int_equal(take(no_reads, sizeof no_reads).kind, FAULT_INPUT);
    assert_int_equal(take(no_resolver, sizeof no_resolver).kind, FAULT_INPUT);
}

static void bytes_that_end_early_are_refused(void **state)
{
    struct store *const store = open_store(other_path);
    struct store_learnt learnt;
    struct fault fault;

    assert_true(WORKS(fault, store_learnt_find(store, &learnt)));
    assert_fine(take(learnt.bytes, learnt.count));
    for (size_t count = 0; count < learnt.count; count += 1 + count / 16)
        assert_int_equal(take(learnt.bytes, count).kind, FAULT_INPUT);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micro_ops_are_the_same), cmocka_unit_test(learning_again_changes_nothing),
        cmocka_unit_test(packing_writes_the_same_at_once), cmocka_unit_test(a_trace_that_breaks_off_makes_no_store),
        cmocka_unit_test(files_and_stores_give_the_same_learnt_data), cmocka_unit_test(records_are_not_changed),
        cmocka_unit_test(other_rules_learn_anew),
        cmocka_unit_test(every_damaged_byte_is_found), cmocka_unit_test(another_stores_is_refused),
        cmocka_unit_test(numbers_that_make_no_sense_are_refused), cmocka_unit_test(bytes_that_end_early_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
