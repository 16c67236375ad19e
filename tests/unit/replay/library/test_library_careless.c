/* include/rubato.h: careless callers: arguments that cannot be, callbacks that close, traces that change. */
#include "include/rubato.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* "An argument that is NULL where none may be, an enumerator out of range, a size or time beyond its bounds is
 * RUBATO_BAD_INPUT; a function that cannot fail does nothing then, or returns 0." */
static void wrong_arguments_of_systems(void **state)
{
    rubato_system *const system = rubato_system_open("laptop", NULL);
    char text[8] = "kept";

    assert_wrong(rubato_system_open(NULL, &error) != NULL, RUBATO_BAD_INPUT, "name");
    assert_wrong(rubato_system_open("", &error) != NULL, RUBATO_BAD_INPUT, "name");
    assert_wrong(rubato_system_parse(NULL, "a: 1", 4, &error) != NULL, RUBATO_BAD_INPUT, "name");
    assert_wrong(rubato_system_parse("x", NULL, 4, &error) != NULL, RUBATO_BAD_INPUT, "text");
    assert_wrong(rubato_system_parse("x", NULL, 0, &error) != NULL, RUBATO_BAD_INPUT, "text");
    assert_wrong(rubato_system_parse("x", "", 0, &error) != NULL, RUBATO_BAD_INPUT, "text");
    assert_wrong(rubato_system_parse("x", "", 1, &error) != NULL, RUBATO_BAD_INPUT, "x");
    assert_wrong(rubato_system_parse("x", "a: 1", SIZE_MAX, &error) != NULL, RUBATO_BAD_INPUT, "1 MiB");
    assert_wrong(rubato_system_of_device(NULL, &error) != NULL, RUBATO_BAD_INPUT, "device");
    assert_wrong(rubato_system_of_device("", &error) != NULL, RUBATO_BAD_INPUT, "device");
    assert_null(rubato_device_name(SIZE_MAX));
    assert_wrong(rubato_system_set(NULL, "l2.size=1MiB", &error), RUBATO_BAD_INPUT, "system");
    assert_wrong(rubato_system_set(system, NULL, &error), RUBATO_BAD_INPUT, "assignment");
    assert_wrong(rubato_system_set(system, "", &error), RUBATO_BAD_INPUT, "KEY=VALUE");
    assert_wrong(rubato_system_get(NULL, "l2.size", text, sizeof text, &error), RUBATO_BAD_INPUT, "system");
    assert_wrong(rubato_system_get(system, NULL, text, sizeof text, &error), RUBATO_BAD_INPUT, "key");
    assert_wrong(rubato_system_get(system, "", text, sizeof text, &error), RUBATO_BAD_INPUT, "");
    assert_wrong(rubato_system_get(system, "l2.size", NULL, 5, &error), RUBATO_BAD_INPUT, "text");
    assert_wrong(rubato_system_get(system, "l2.size", text, 0, &error), RUBATO_BAD_INPUT, "text");
    assert_string_equal(text, "kept");
    assert_false(rubato_system_open(NULL, NULL));
    rubato_system_close(system);
}

/* ---- careless callers, and what callbacks may not */
static void wrong_arguments_of_runs(void **state)
{
    rubato_system *const system = rubato_system_open("laptop", NULL);
    const char *const none[] = {NULL}, *const empty[] = {""}, *const traces[] = {TRIAD};
    rubato_run_options options = {.reserved = {[5] = 1}};
    double value = 7;
    rubato_run *run;

    assert_wrong(rubato_run_open(NULL, traces, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "system");
    assert_wrong(rubato_run_open(system, NULL, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "traces");
    assert_wrong(rubato_run_open(system, traces, 0, NULL, &error) != NULL, RUBATO_BAD_INPUT, "traces");
    assert_wrong(rubato_run_open(system, traces, SIZE_MAX, NULL, &error) != NULL, RUBATO_BAD_INPUT, "at most");
    assert_wrong(rubato_run_open(system, none, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "trace 1 of 1");
    assert_wrong(rubato_run_open(system, empty, 1, NULL, &error) != NULL, RUBATO_BAD_INPUT, "trace 1 of 1");
    assert_wrong(rubato_run_open(system, traces, 1, &options, &error) != NULL, RUBATO_BAD_INPUT, "reserved");
    options = (rubato_run_options){.engine = ""};
    assert_wrong(rubato_run_open(system, traces, 1, &options, &error) != NULL, RUBATO_BAD_INPUT, "engine");
    assert_wrong(rubato_run_execute(NULL, &error), RUBATO_BAD_INPUT, "run");
    assert_wrong(rubato_run_value(NULL, "ipc", &value, &error), RUBATO_BAD_INPUT, "run");
    assert_wrong(rubato_run_visit(NULL, NULL, NULL, &error), RUBATO_BAD_INPUT, "run");
    assert_int_equal(rubato_run_end_ps(NULL), 0);
    assert_false(rubato_run_is_cut_short(NULL));
    run = rubato_run_open(system, traces, 1, NULL, &error);
    assert_ok(run != NULL);
    assert_ok(rubato_run_execute(run, &error));
    assert_wrong(rubato_run_value(run, NULL, &value, &error), RUBATO_BAD_INPUT, "name");
    assert_wrong(rubato_run_value(run, "ipc", NULL, &error), RUBATO_BAD_INPUT, "value");
    assert_wrong(rubato_run_visit(run, NULL, NULL, &error), RUBATO_BAD_INPUT, "visit");
    assert_true(value == 7);
    rubato_run_close(run);
    rubato_system_close(system);
}

static void wrong_arguments_of_memories(void **state)
{
    rubato_system *const system = rubato_system_of_device("DDR4_2400_8x8", NULL);
    rubato_memory *const memory = rubato_memory_open(system, NULL, NULL);
    double value = 7;

    assert_wrong(rubato_memory_open(NULL, NULL, &error) != NULL, RUBATO_BAD_INPUT, "system");
    assert_wrong(rubato_memory_send(NULL, 0, 64, RUBATO_READ, NULL, &error) != RUBATO_WRONG, RUBATO_BAD_INPUT,
                 "memory");
    for (int access = -3; access < 200; access++)
        if (access < RUBATO_READ || access > RUBATO_WRITE_POSTED)
            assert_wrong(rubato_memory_send(memory, 0, 64, (enum rubato_access)access, NULL, &error) != RUBATO_WRONG,
                         RUBATO_BAD_INPUT, "access");
    assert_wrong(rubato_memory_send(memory, 0, 0, RUBATO_READ, NULL, &error) != RUBATO_WRONG, RUBATO_BAD_INPUT,
                 "0 bytes");
    assert_wrong(rubato_memory_send(memory, 1, UINT32_MAX, RUBATO_READ, NULL, &error) != RUBATO_WRONG,
                 RUBATO_BAD_INPUT, "line");
    assert_wrong(rubato_memory_send(memory, UINT64_MAX, 1, RUBATO_READ, NULL, &error) != RUBATO_WRONG,
                 RUBATO_BAD_INPUT, "no memory");
    assert_wrong(rubato_memory_advance(NULL, 1, &error), RUBATO_BAD_INPUT, "memory");
    assert_wrong(rubato_memory_advance(memory, UINT64_MAX, &error), RUBATO_BAD_INPUT, "1000 s");
    assert_wrong(rubato_memory_advance(memory, UINT64_MAX / 2 - 1, &error), RUBATO_BAD_INPUT, "1000 s");
    assert_wrong(rubato_memory_advance(memory, UINT64_C(1000000000000001), &error), RUBATO_BAD_INPUT, "1000 s");
    assert_wrong(rubato_memory_drain(NULL, &error), RUBATO_BAD_INPUT, "memory");
    assert_wrong(rubato_memory_wait(NULL, &error), RUBATO_BAD_INPUT, "memory");
    assert_wrong(rubato_memory_value(NULL, "x", &value, &error), RUBATO_BAD_INPUT, "memory");
    assert_wrong(rubato_memory_value(memory, NULL, &value, &error), RUBATO_BAD_INPUT, "name");
    assert_wrong(rubato_memory_value(memory, "x", NULL, &error), RUBATO_BAD_INPUT, "value");
    assert_wrong(rubato_memory_visit(NULL, NULL, NULL, &error), RUBATO_BAD_INPUT, "memory");
    assert_wrong(rubato_memory_visit(memory, NULL, NULL, &error), RUBATO_BAD_INPUT, "visit");
    rubato_memory_pause(NULL);
    rubato_memory_reset_statistics(NULL);
    rubato_memory_close(NULL);
    assert_int_equal(rubato_memory_now_ps(NULL), 0);
    assert_true(rubato_memory_next_ps(NULL) == UINT64_MAX);
    assert_int_equal(rubato_memory_under_way(NULL), 0);
    assert_int_equal(rubato_memory_line_bytes(NULL), 0);
    assert_int_equal(rubato_memory_size_bytes(NULL), 0);
    assert_true(rubato_memory_address(NULL, 0) == UINT64_MAX);
    assert_true(rubato_memory_peak_bytes_per_s(NULL) == 0);
    assert_int_equal(rubato_memory_now_ps(memory), 0);
    assert_ok(rubato_memory_drain(memory, &error));
    rubato_memory_close(memory);
    rubato_system_close(system);
}

static bool close_and_execute(void *context, const rubato_progress *progress)
{
    rubato_run **const run = context;
    double value;

    assert_wrong(rubato_run_execute(*run, &error), RUBATO_BAD_INPUT, "under way");
    assert_wrong(rubato_run_value(*run, "ipc", &value, &error), RUBATO_BAD_INPUT, "before");
    rubato_run_close(*run);
    return false;
}

static void close_visited(void *context, const rubato_statistic *statistic)
{
    rubato_run_close(*(rubato_run **)context);
}

static void close_answering(void *context, const rubato_answer *answer)
{
    rubato_memory_close(*(rubato_memory **)context);
}

/* "They may not close the handle that calls them, which is ignored." */
static void callbacks_that_close(void **state)
{
    rubato_system *const system = rubato_system_open("laptop", NULL);
    const char *const traces[] = {TRIAD};
    rubato_run *run = NULL;
    rubato_memory *memory = NULL;
    rubato_run_options const options = {.progress = close_and_execute, .context = &run};
    rubato_memory_callbacks const callbacks = {.answered = close_answering, .context = &memory};

    run = rubato_run_open(system, traces, 1, &options, &error);
    assert_ok(run != NULL);
    assert_ok(rubato_run_execute(run, NULL));
    assert_ok(rubato_run_visit(run, close_visited, &run, &error));
    rubato_run_close(run);
    memory = rubato_memory_open(system, &callbacks, &error);
    assert_ok(memory != NULL);
    assert_int_equal(rubato_memory_send(memory, rubato_memory_address(memory, 0), 64, RUBATO_READ, NULL, &error),
                     RUBATO_ACCEPTED);
    assert_ok(rubato_memory_drain(memory, &error));
    rubato_memory_close(memory);
    rubato_system_close(system);
}

/* "a trace that changes while a run reads it is RUBATO_BAD_INPUT", also one that becomes shorter */
struct changed { const char *path; bool is_cut; unsigned calls; };

static void copy_file(const char *from, const char *to)
{
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    int byte;

    while ((byte = getc(in)) != EOF)
        putc(byte, out);
    fclose(in);
    fclose(out);
}

static bool change(void *context, const rubato_progress *progress)
{
    struct changed *const changed = context;
    FILE *const file = changed->calls++ == 0 ? fopen(changed->path, changed->is_cut ? "wb" : "r+b") : NULL;

    if (file && !changed->is_cut)
        putc(0x55, file);
    if (file)
        fclose(file);
    return false;
}

static void traces_that_change(void **state)
{
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        rubato_system *const system = rubato_system_open("laptop", NULL);
        char path[] = "/tmp/rubato-library.XXXXXX";
        const char *const traces[] = {path};
        struct changed changed = {.path = path, .is_cut = is_cut};
        rubato_run_options const options = {.progress = change, .context = &changed};
        rubato_run *run;

        close(mkstemp(path));
        copy_file(GUPS, path);
        run = rubato_run_open(system, traces, 1, &options, &error);
        assert_ok(run != NULL);
        assert_wrong(rubato_run_execute(run, &error), RUBATO_BAD_INPUT, "was changed while it was read");
        assert_true(changed.calls > 0);
        rubato_run_close(run);
        rubato_system_close(system);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_of_systems), cmocka_unit_test(wrong_arguments_of_runs),
        cmocka_unit_test(wrong_arguments_of_memories), cmocka_unit_test(callbacks_that_close),
        cmocka_unit_test(traces_that_change)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
