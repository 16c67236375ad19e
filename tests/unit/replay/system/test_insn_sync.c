/* replay/system/insn_sync.h: who waits for whom, by events made by hand. */
#include "replay/system/insn_sync.h"
#include "tests/support/unit.h"

enum { FUTEX = 98, WAIT = 128, WAKE = 129, ADDRESS = 0x1000 };       /* of riscv64; private ones */

static void instructions(struct insn_sync *sync, unsigned count)
{
    struct insn_event const event = {.is_marker = false};

    for (unsigned i = 0; i < count; i++)
        assert_true(insn_sync_event(sync, &event));
}

static void mark(struct insn_sync *sync, enum insn_marker_kind kind, uint64_t value)
{
    struct insn_event const event = {.is_marker = true, .marker = {.kind = kind, .value = value}};

    assert_true(insn_sync_event(sync, &event));
}

static void futex(struct insn_sync *sync, uint64_t address, uint64_t command)
{
    struct insn_event const event = {.is_marker = true, .marker = {.kind = INSN_MARKER_SYSCALL, .value = FUTEX,
                                                                   .arg_count = 3, .args = {address, command, 1}}};

    assert_true(insn_sync_event(sync, &event));
}

static struct insn_sync begin(size_t threads)
{
    struct insn_sync sync;

    assert_true(insn_sync_init(&sync, ISA_RV64, threads));
    return sync;
}

static void assert_part(const struct insn_sync *sync, size_t thread, size_t part, uint64_t count, size_t for_thread,
                        size_t for_part)
{
    const struct insn_part *parts;

    assert_true(part < insn_sync_parts(sync, thread, &parts));
    assert_int_equal(parts[part].instructions, count);
    assert_int_equal(parts[part].thread, for_thread);
    if (for_thread != INSN_SYNC_NONE)
        assert_int_equal(parts[part].part, for_part);
}

static size_t part_count(const struct insn_sync *sync, size_t thread)
{
    const struct insn_part *parts;

    return insn_sync_parts(sync, thread, &parts);
}

/* "a thread that another one created begins after that; those without a creator, at once" */
static void children_begin_when_created(void **state)
{
    struct insn_sync sync = begin(3);

    insn_sync_thread(&sync, 10);
    instructions(&sync, 5);
    mark(&sync, INSN_MARKER_CREATE, 11);
    instructions(&sync, 3);
    insn_sync_thread(&sync, 11);
    instructions(&sync, 4);
    insn_sync_thread(&sync, 12);
    instructions(&sync, 2);
    assert_true(insn_sync_finish(&sync, false));
    assert_int_equal(part_count(&sync, 0), 2);
    assert_part(&sync, 0, 0, 5, INSN_SYNC_NONE, 0);
    assert_part(&sync, 0, 1, 3, INSN_SYNC_NONE, 0);
    assert_part(&sync, 1, 0, 4, 0, 0);
    assert_part(&sync, 2, 0, 2, INSN_SYNC_NONE, 0);
    assert_int_equal(sync.counts.creations, 1);
    insn_sync_free(&sync);
}

/* A waiter from stamp 10 to 30; wakers at stamps 12 and 20 of its address, at 25 of another, at 40 of its own. */
static struct insn_sync make_waits(bool is_free, uint64_t result)
{
    struct insn_sync sync = begin(2);

    insn_sync_thread(&sync, 1);
    mark(&sync, INSN_MARKER_STAMP, 10);
    instructions(&sync, 5);
    futex(&sync, ADDRESS, WAIT);
    mark(&sync, INSN_MARKER_SYSCALL_END, result);
    mark(&sync, INSN_MARKER_STAMP, 30);
    instructions(&sync, 6);
    insn_sync_thread(&sync, 2);
    mark(&sync, INSN_MARKER_STAMP, 12);
    instructions(&sync, 1);
    futex(&sync, ADDRESS, WAKE);
    mark(&sync, INSN_MARKER_SYSCALL_END, 0);
    mark(&sync, INSN_MARKER_STAMP, 20);
    instructions(&sync, 2);
    futex(&sync, ADDRESS, WAKE);
    mark(&sync, INSN_MARKER_SYSCALL_END, 1);
    mark(&sync, INSN_MARKER_STAMP, 25);
    instructions(&sync, 3);
    futex(&sync, ADDRESS + 8, WAKE);
    mark(&sync, INSN_MARKER_SYSCALL_END, 0);
    mark(&sync, INSN_MARKER_STAMP, 40);
    instructions(&sync, 4);
    futex(&sync, ADDRESS, WAKE);
    instructions(&sync, 5);
    assert_true(insn_sync_finish(&sync, is_free));
    return sync;
}

/* "continues after the last wake-up by another thread ... of the same address between its begin and its end" */
static void waits_end_with_their_wake_up(void **state)
{
    struct insn_sync sync = make_waits(false, 0);

    assert_int_equal(part_count(&sync, 0), 2);
    assert_part(&sync, 0, 0, 5, INSN_SYNC_NONE, 0);
    assert_part(&sync, 0, 1, 6, 1, 0);
    assert_int_equal(part_count(&sync, 1), 2);
    assert_part(&sync, 1, 0, 3, INSN_SYNC_NONE, 0);
    assert_part(&sync, 1, 1, 12, INSN_SYNC_NONE, 0);
    assert_int_equal(sync.counts.waits, 1);
    assert_int_equal(sync.counts.wakes, 1);
    insn_sync_free(&sync);
}

/* "that ended well": EAGAIN and time-outs waited for no thread. is_free: each has a processor of its own and waits for
 * no other */
static void other_waits_are_free(void **state)
{
    struct insn_sync sync = make_waits(false, UINT64_C(0) - 11);

    assert_int_equal(part_count(&sync, 0), 1);
    assert_int_equal(sync.counts.waits + sync.counts.unmatched, 0);
    insn_sync_free(&sync);
    sync = make_waits(true, 0);
    assert_int_equal(part_count(&sync, 0), 1);
    assert_int_equal(part_count(&sync, 1), 1);
    assert_part(&sync, 1, 0, 15, INSN_SYNC_NONE, 0);
    insn_sync_free(&sync);
}

/* without one, after the last end of another thread between the two */
static void joins_end_with_the_thread(void **state)
{
    struct insn_sync sync = begin(2);

    insn_sync_thread(&sync, 1);
    instructions(&sync, 1);
    mark(&sync, INSN_MARKER_STAMP, 5);
    futex(&sync, ADDRESS, WAIT);
    mark(&sync, INSN_MARKER_SYSCALL_END, 0);
    mark(&sync, INSN_MARKER_STAMP, 50);
    instructions(&sync, 2);
    insn_sync_thread(&sync, 2);
    mark(&sync, INSN_MARKER_STAMP, 40);
    instructions(&sync, 7);
    mark(&sync, INSN_MARKER_THREAD_END, 0);
    assert_true(insn_sync_finish(&sync, false));
    assert_part(&sync, 0, 1, 2, 1, 0);
    assert_int_equal(part_count(&sync, 1), 1);
    insn_sync_free(&sync);
}

/* "a futex whose arguments are not in the trace" is free and counted, as is "a wait whose partner is not found" */
static void unknown_waits_are_counted(void **state)
{
    struct insn_sync sync = begin(2);

    insn_sync_thread(&sync, 1);
    mark(&sync, INSN_MARKER_STAMP, 5);
    mark(&sync, INSN_MARKER_SYSCALL, FUTEX);
    instructions(&sync, 1);
    futex(&sync, ADDRESS, WAIT);
    mark(&sync, INSN_MARKER_STAMP, 7);
    instructions(&sync, 1);
    insn_sync_thread(&sync, 2);
    mark(&sync, INSN_MARKER_STAMP, 100);
    instructions(&sync, 1);
    assert_true(insn_sync_finish(&sync, false));
    assert_int_equal(sync.counts.unknown, 1);
    assert_int_equal(sync.counts.unmatched, 1);
    assert_int_equal(part_count(&sync, 0), 1);
    insn_sync_free(&sync);
}

/* Stamps of two threads that contradict each other: each waits for what the other does behind its own wait. */
static void contradicting_threads_do_not_deadlock(void **state)
{
    struct insn_sync sync = begin(2);

    for (uint64_t thread = 0; thread < 2; thread++) {
        insn_sync_thread(&sync, thread);
        mark(&sync, INSN_MARKER_STAMP, 10);
        instructions(&sync, 1);
        futex(&sync, ADDRESS + thread, WAIT);
        mark(&sync, INSN_MARKER_SYSCALL_END, 0);
        instructions(&sync, 1);
        futex(&sync, ADDRESS + 1 - thread, WAKE);
        mark(&sync, INSN_MARKER_STAMP, 20);
        instructions(&sync, 1);
    }
    assert_true(insn_sync_finish(&sync, false));
    assert_int_equal(sync.counts.waits, 2);
    assert_int_equal(sync.counts.unmatched, 1);
    insn_sync_free(&sync);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_begin_when_created), cmocka_unit_test(waits_end_with_their_wake_up),
        cmocka_unit_test(other_waits_are_free), cmocka_unit_test(joins_end_with_the_thread),
        cmocka_unit_test(unknown_waits_are_counted), cmocka_unit_test(contradicting_threads_do_not_deadlock)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
