/* .rbt: ends of blocks: predictions that begin anew, and blocks without instructions. */
#include "tests/support/unit.h"

#include <unistd.h>

#include "proto/insn/rbt/rbt_file.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/temporary_file.h"

static char path[TEMPORARY_PATH];
static struct fault error;

/* A file of one thread, 100, by hand. */
static struct rbt_writer *create_first(void)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .source = "a test", .command = "ls -l"};
    struct rbt_writer *writer;

    make_temporary_file(path);
    writer = rbt_writer_create(path, &about, &error);
    if (!writer)
        fail_msg("%s", fault_text(error));
    assert_int_equal(rbt_writer_thread(writer, 100, &error), 0);
    return writer;
}

static struct insn_cursor *open_first(struct insn_trace **trace)
{
    struct insn_cursor *cursor;

    *trace = insn_trace_open_raw(path, &error);
    assert_non_null(*trace);
    cursor = insn_cursor_open(*trace, 0, &error);
    assert_non_null(cursor);
    return cursor;
}

/* Nothing is left in it. */
static void close_first(struct insn_trace *trace, struct insn_cursor *cursor)
{
    struct insn_event event;

    assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_END);
    insn_cursor_close(cursor);
    insn_trace_close(trace);
    unlink(path);
}

/* Of a loop that goes one of two ways, with an access somewhere each time. */
static struct insn long_insn(uint64_t number, struct insn_access *access)
{
    uint64_t const mixed = number * UINT64_C(0x9e3779b97f4a7c15);
    bool const is_taken = mixed >> 63;

    *access = (struct insn_access){.address = mixed >> 40, .size_bytes = 8, .is_write = number % 2};
    return (struct insn){.thread = 100, .pc = 0x1000 + 4 * (number % 5), .size_bytes = 4,
                         .kind = number % 5 == 4 ? ISA_CONDITIONAL : ISA_OTHER, .accesses = access, .access_count = 1,
                         .branch = number % 5 != 4 ? INSN_BRANCH_UNKNOWN : is_taken ? INSN_TAKEN : INSN_NOT_TAKEN};
}

/* rbt_format.h: predictions restart every 4 blocks */
static void across_restarts(void **state)
{
    uint64_t const count = 4500000;
    struct insn_access access;
    struct insn_cursor *cursor;
    struct insn_trace *trace;
    struct insn_event event;
    struct rbt_writer *writer;

    writer = create_first();
    for (uint64_t i = 0; i < count; i++) {
        struct insn const insn = long_insn(i, &access);

        if (FAILS(error, rbt_writer_put(writer, 0, &insn, NULL)))
            fail_msg("%s", fault_text(error));
    }
    assert_true(WORKS(error, rbt_writer_finish(writer)));
    cursor = open_first(&trace);
    for (uint64_t i = 0; i < count; i++) {
        struct insn const insn = long_insn(i, &access);

        if (insn_cursor_next(cursor, &event, &error) != INSN_RECORD)
            fail_msg("instruction %lu: %s", (unsigned long)i, fault_text(error));
        if (event.insn.pc != insn.pc || event.insn.branch != insn.branch || event.insn.access_count != 1
            || event.insn.accesses[0].address != access.address)
            fail_msg("instruction %lu is another one", (unsigned long)i);
    }
    close_first(trace, cursor);
}

static void markers_alone(void **state)
{
    struct insn_marker const marker = {.kind = INSN_MARKER_THREAD_START, .value = 7};
    struct insn_cursor *cursor;
    struct insn_trace *trace;
    struct insn_event event;
    struct rbt_writer *writer;

    writer = create_first();
    assert_true(WORKS(error, rbt_writer_mark(writer, 0, &marker)));
    assert_true(WORKS(error, rbt_writer_finish(writer)));
    cursor = open_first(&trace);
    assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_RECORD);
    assert_true(event.is_marker && event.marker.kind == marker.kind && event.marker.value == 7);
    close_first(trace, cursor);
}

/* insn_trace.h: insn_cursor_skip passes over instructions and the markers between them; the following ones are read as
 * usual. A marker precedes each 1,000,000th instruction. */
static void a_cursor_skips(void **state)
{
    uint64_t const count = 9000000, every = 1000000;
    static const uint64_t targets[] = {0, 1, 4194304, 4194305, 5000000, 8388607, 8388608, 8388609, 8999990};
    struct insn_access access;
    struct insn_cursor *cursor;
    struct insn_trace *trace;
    struct insn_event event;
    struct rbt_writer *writer;

    writer = create_first();
    for (uint64_t i = 0; i < count; i++) {
        struct insn const insn = long_insn(i, &access);

        if (i % every == 0)
            assert_true(
                WORKS(error, rbt_writer_mark(writer, 0,
                                             &(struct insn_marker){.kind = INSN_MARKER_THREAD_START, .value = i})));
        if (FAILS(error, rbt_writer_put(writer, 0, &insn, NULL)))
            fail_msg("%s", fault_text(error));
    }
    assert_true(WORKS(error, rbt_writer_finish(writer)));
    cursor = open_first(&trace);
    insn_cursor_close(cursor);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        uint64_t at, read = 0;

        cursor = insn_cursor_open(trace, 0, &error);
        at = insn_cursor_skip(cursor, targets[t]);
        assert_true(at <= targets[t]);
        assert_true(targets[t] - at <= RBT_RUN_INSNS);
        while (at < count && read < 100000) {
            struct insn const insn = long_insn(at, &access);

            if (insn_cursor_next(cursor, &event, &error) != INSN_RECORD)
                fail_msg("from %lu, instruction %lu: %s", (unsigned long)targets[t], (unsigned long)at,
                         fault_text(error));
            if (event.is_marker) {
                assert_int_equal(event.marker.value, at);
                continue;
            }
            if (event.insn.pc != insn.pc || event.insn.accesses[0].address != access.address)
                fail_msg("from %lu: instruction %lu is another one", (unsigned long)targets[t], (unsigned long)at);
            at++;
            read++;
        }
        insn_cursor_close(cursor);
    }
    insn_trace_close(trace);
    unlink(path);
}

/* ---- all that a row may have */
enum { FORMS = 7, FORM_INSNS = 20000, MANY = 12, MARKED = 997, BEHIND_SKIP = 300 };

/* Stored, following and pc-relative accesses, more than a row has, a gap, and branches to other places than where the
 * thread goes on. */
static struct insn varied_insn(uint64_t number, struct insn_access accesses[MANY])
{
    uint64_t const mixed = number * UINT64_C(0x9e3779b97f4a7c15), pc = 0x1000 + 4 * (number % FORMS);
    unsigned const form = (unsigned)(number % FORMS);
    struct insn insn = {.thread = 100, .pc = pc, .size_bytes = 4, .kind = ISA_OTHER, .accesses = accesses};

    for (unsigned i = 0; i < MANY; i++)
        accesses[i] = (struct insn_access){.address = (mixed >> (20 + form)) + 64 * i, .size_bytes = 8};
    switch (form) {
    case 0:
    case 1: insn.access_count = 1; break;
    case 2:
        insn.access_count = 2;
        accesses[1].back = 1;
        accesses[1].by = 24;
        accesses[1].address = accesses[0].address + 24;
        break;
    case 3:
        insn.access_count = 1;
        accesses[0].is_of_pc = true;
        accesses[0].by = 0x100;
        accesses[0].address = pc + 0x100;
        break;
    case 4: insn.access_count = mixed >> 62 ? 0 : MANY; break;
    case 5: insn.gap = number % 3 == 0 ? number % 1000 + 1 : 0; break;
    default:
        insn.kind = ISA_CONDITIONAL;
        insn.branch = INSN_TAKEN;
        insn.has_target = true;
        insn.target = number % 11 == 0 ? 0x9000 : 0x1000;
        break;
    }
    return insn;
}

static void check_varied(const struct insn *found, uint64_t number)
{
    struct insn_access accesses[MANY];
    struct insn const wanted = varied_insn(number, accesses);

    if (found->pc != wanted.pc || found->gap != wanted.gap || found->access_count != wanted.access_count
        || (wanted.has_target && found->target != wanted.target))
        fail_msg("instruction %lu is another one", (unsigned long)number);
    for (size_t i = 0; i < wanted.access_count; i++)
        assert_int_equal(found->accesses[i].address, accesses[i].address);
}

static void write_varied(void)
{
    struct rbt_writer *const writer = create_first();
    struct insn_access accesses[MANY];

    for (uint64_t i = 0; i < FORM_INSNS; i++) {
        struct insn const insn = varied_insn(i, accesses);

        if (i % MARKED == 0)
            assert_true(
                WORKS(error, rbt_writer_mark(writer, 0,
                                             &(struct insn_marker){.kind = INSN_MARKER_THREAD_START, .value = i})));
        if (FAILS(error, rbt_writer_put(writer, 0, &insn, NULL)))
            fail_msg("%s", fault_text(error));
    }
    assert_true(WORKS(error, rbt_writer_finish(writer)));
}

static void a_cursor_skips_all_forms(void **state)
{
    struct insn_event event = {0};
    struct insn_cursor *cursor;
    struct insn_trace *trace;

    write_varied();
    cursor = open_first(&trace);
    insn_cursor_close(cursor);
    for (uint64_t i = 1; i < 150; i++) {
        uint64_t const target = i % 8 == 0 ? i / 8 * MARKED : i * 131;
        bool is_marked = false;
        uint64_t at;

        cursor = insn_cursor_open(trace, 0, &error);
        at = insn_cursor_skip(cursor, target);
        assert_true(at <= target && target - at <= RBT_RUN_INSNS);
        while (at < FORM_INSNS && at < target + BEHIND_SKIP) {
            assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_RECORD);
            if (event.is_marker)
                assert_int_equal(event.marker.value, at);
            is_marked |= event.is_marker && at == target;
            if (!event.is_marker)
                check_varied(&event.insn, at++);
        }
        assert_int_equal(is_marked, target % MARKED == 0);
        insn_cursor_close(cursor);
    }
    insn_trace_close(trace);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(across_restarts), cmocka_unit_test(markers_alone),
                                       cmocka_unit_test(a_cursor_skips), cmocka_unit_test(a_cursor_skips_all_forms)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
