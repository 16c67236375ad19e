/* replay/warm/warm_file.h: what is added is loaded; files that are cut, damaged or of others are refused; one that was
 * not ended goes on. */
#include "replay/warm/warm_file.h"

#include <unistd.h>

#include "tests/support/temporary_file.h"

static char path[TEMPORARY_PATH];
static struct warm_file_key const key = {1000, 0x1234, 77};

/* State `number`: its lines, pages and branches follow from the number. */
static struct warm_state make_state(unsigned number)
{
    struct warm_state state = {.place = 1000 * number, .kept_lines = 1 << 20};

    assert_true(warm_numbers_fit(&state.old, 50) && warm_numbers_fit(&state.recent, 50)
                && warm_numbers_fit(&state.touched, 10));
    for (unsigned i = 0; i < 50; i++) {
        state.old.list[i] = warm_line_of(i % 3, 7 * i * number);
        state.recent.list[i] = warm_line_of(i % 3, 100000 - 5 * i);
    }
    for (unsigned i = 0; i < 10; i++)
        state.touched.list[i] = 100 * number + i;
    state.old.count = state.recent.count = 50;
    state.touched.count = 10;
    return state;
}

/* Writes states first to last - 1; returns how many the file had before. */
static size_t write_states(unsigned first, unsigned last, bool is_whole)
{
    struct warm_state before;
    struct fault fault;
    size_t done;
    struct warm_file_writer *const writer = warm_file_begin(path, &key, &done, &before, &fault);

    assert_fine(fault);
    if (done > 0)
        assert_int_equal(before.touched.count, 10 * done);       /* all */
    for (unsigned i = first; i < last; i++) {
        struct warm_state state = make_state(i);

        assert_fine(warm_file_add(writer, &state));
        warm_state_free(&state);
    }
    warm_state_free(&before);
    assert_fine(warm_file_end(writer, is_whole));
    return done;
}

/* All states up to that one, which has its own place, the last. */
static struct fault load(const struct warm_file_key *of, uint64_t place, struct warm_state *state, unsigned *count)
{
    struct fault fault;
    struct warm_file *const file = warm_file_open(path, of, &fault);
    bool is_there = true;

    *state = (struct warm_state){0};
    *count = 0;
    if (file)
        fault = warm_file_check_place(file, place);
    while (fault.kind == FAULT_NONE && is_there) {
        fault = warm_file_next(file, place, state, &is_there);
        *count += is_there;
    }
    warm_file_close(file);
    return fault;
}

static void assert_loads(unsigned number)
{
    struct warm_state expected = make_state(number), read;
    unsigned count;

    assert_fine(load(&key, 1000 * number, &read, &count));
    assert_int_equal(count, number);
    assert_int_equal(read.place, 1000 * number);
    assert_int_equal(read.old.count, 50);
    assert_memory_equal(read.old.list, expected.old.list, 50 * sizeof *read.old.list);
    assert_memory_equal(read.recent.list, expected.recent.list, 50 * sizeof *read.recent.list);
    assert_int_equal(read.touched.count, 10);        /* since the state before */
    assert_int_equal(read.touched.list[0], 100 * number);
    assert_int_equal(read.kept_lines, 1 << 20);
    warm_state_free(&read);
    warm_state_free(&expected);
}

static void assert_refused(const struct warm_file_key *of, uint64_t place, const char *text)
{
    struct warm_state read;
    unsigned count;
    struct fault const fault = load(of, place, &read, &count);

    warm_state_free(&read);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), text);
}

static int start(void **state)
{
    make_temporary_file(path);
    return 0;
}

static int stop(void **state)
{
    return unlink(path);
}

static void what_is_added_is_loaded(void **state)
{
    struct warm_file_key const other_wish = {1000, 0x1234, 0}, other_trace = {1000, 0x1235, 0};
    struct warm_state read;
    unsigned count;

    assert_int_equal(write_states(1, 4, true), 0);
    assert_loads(1);
    assert_loads(3);
    assert_refused(&key, 1001, "its states are of other regions; make it again with `rubato regions`");
    assert_refused(&other_trace, 1000, "its states are of another trace");
    assert_fine(load(&other_wish, 1000, &read, &count));
    warm_state_free(&read);
}

/* Each state is whole on its own; what was being written when it was killed is written again. */
static void a_file_that_was_not_ended_goes_on(void **state)
{
    FILE *file;

    assert_int_equal(write_states(1, 3, false), 0);
    assert_refused(&key, 1000, "the same command goes on");
    file = fopen(path, "ab");
    assert_non_null(file);
    fputs("CHNK is cut", file);
    fclose(file);
    assert_true(warm_file_is_begun(path, &key));
    assert_false(warm_file_is_begun(path, &(struct warm_file_key){1000, 0x1234, 78}));
    assert_int_equal(write_states(3, 5, true), 2);
    assert_false(warm_file_is_begun(path, &key));
    for (unsigned i = 1; i < 5; i++)
        assert_loads(i);
}

/* Any changed byte of a state is found when it is loaded, and any cut. */
static void damage_is_found(void **state)
{
    static uint8_t bytes[1 << 16];
    size_t length;
    FILE *file;

    write_states(1, 3, true);
    file = fopen(path, "rb");
    length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < length; i += 7) {
        struct warm_state two;
        unsigned count;

        bytes[i] ^= 0x10;
        file = fopen(path, "wb");
        fwrite(bytes, 1, length, file);
        fclose(file);
        bytes[i] ^= 0x10;
        if (load(&key, 2000, &two, &count).kind == FAULT_NONE)
            fail_msg("the changed byte %zu of %zu was not found", i, length);
        warm_state_free(&two);
    }
    for (size_t cut = 1; cut < length; cut += 13) {
        assert_int_equal(truncate(path, (off_t)(length - cut)), 0);
        assert_refused(&key, 1000, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_added_is_loaded, start, stop),
        cmocka_unit_test_setup_teardown(a_file_that_was_not_ended_goes_on, start, stop),
        cmocka_unit_test_setup_teardown(damage_is_found, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
