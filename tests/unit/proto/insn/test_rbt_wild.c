/* .rbt: addresses that are hard to guess, as writers in a hurry write them, and runs that are joined: what goes in
 * comes out, and takes no more room than it should. */
#include "tests/support/unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/container/column.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/random_numbers.h"
#include "tests/support/temporary_file.h"

enum { ACCESSES = 2 };

static char path[TEMPORARY_PATH];
static struct fault error;

/* The instruction with this number; its accesses have room for ACCESSES. */
typedef struct insn maker(uint64_t number, struct insn_access *accesses);

static uint64_t mixed(uint64_t number)
{
    uint64_t const hash = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Of a loop of `length` instructions, the last of which is its branch, taken unless it ends. */
static struct insn in_loop(uint64_t number, unsigned length, bool ends)
{
    uint64_t const at = number % length;
    bool const is_last = at == length - 1;

    return (struct insn){.thread = 7, .pc = 0x1000 + 4 * at, .size_bytes = 4,
                         .kind = is_last ? ISA_CONDITIONAL : ISA_OTHER,
                         .branch = !is_last ? INSN_BRANCH_UNKNOWN : ends ? INSN_NOT_TAKEN : INSN_TAKEN};
}

/* Writes `count` of them, reads them again, and answers the bytes of the file. */
static uint64_t comes_back(maker *make, uint64_t count, bool is_quick)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .source = "a test", .command = "", .is_quick = is_quick};
    struct insn_access accesses[ACCESSES];
    struct insn_cursor *cursor;
    struct rbt_writer *writer;
    struct insn_trace *trace;
    struct insn_event event;
    struct stat status;

    make_temporary_file(path);
    writer = rbt_writer_create(path, &about, &error);
    assert_non_null(writer);
    assert_int_equal(rbt_writer_thread(writer, 7, &error), 0);
    for (uint64_t i = 0; i < count; i++) {
        struct insn const insn = make(i, accesses);

        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
    }
    assert_true(WORKS(error, rbt_writer_finish(writer)));
    assert_int_equal(stat(path, &status), 0);
    trace = insn_trace_open_raw(path, &error);
    if (!trace)
        fail_msg("%s", fault_text(error));
    cursor = insn_cursor_open(trace, 0, &error);
    assert_non_null(cursor);
    for (uint64_t i = 0; i < count; i++) {
        struct insn const insn = make(i, accesses);

        assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_RECORD);
        if (event.insn.pc != insn.pc || event.insn.branch != insn.branch
            || event.insn.access_count != insn.access_count)
            fail_msg("instruction %llu is another one", (unsigned long long)i);
        for (size_t k = 0; k < insn.access_count; k++)
            if (event.insn.accesses[k].address != accesses[k].address)
                fail_msg("address %zu of instruction %llu is %llx; expected %llx", k, (unsigned long long)i,
                         (unsigned long long)event.insn.accesses[k].address, (unsigned long long)accesses[k].address);
    }
    assert_int_equal(insn_cursor_next(cursor, &event, &error), INSN_END);
    insn_cursor_close(cursor);
    insn_trace_close(trace);
    unlink(path);
    return (uint64_t)status.st_size;
}

static struct insn with_access(struct insn insn, struct insn_access *access, uint64_t address)
{
    *access = (struct insn_access){.address = address, .size_bytes = 4};
    insn.accesses = access;
    insn.access_count = 1;
    return insn;
}

/* In a table of 32 KiB, at random. */
static struct insn of_table(uint64_t number, struct insn_access *accesses)
{
    return with_access(in_loop(number, 2, false), accesses, 0x7f0000000000 + mixed(number) % 32768);
}

/* A difference takes 2 bytes, and its instruction next to nothing. */
static void irregular_columns_take_their_bytes(void **state)
{
    (void)state;
    assert_in_range(comes_back(of_table, 600000, true), 0, 2 * 600000 + 20000);
}

/* Differences that need one byte more every 300 times, up to all 8, and one all of whose bits are set. */
static struct insn of_wider(uint64_t number, struct insn_access *accesses)
{
    unsigned const bytes = number / 300 >= 8 ? 8 : (unsigned)(number / 300) + 1;
    uint64_t const address = number % 97 == 5 ? UINT64_C(1) << 63 : mixed(number) & UINT64_MAX >> (64 - 8 * bytes) >> 1;

    return with_access(in_loop(number, 1, false), accesses, address);
}

static void irregular_columns_become_wider(void **state)
{
    (void)state;
    comes_back(of_wider, 300 * 12, true);
    comes_back(of_wider, 300 * 12, false);
}

/* Just what no longer fits: -128 takes one byte, all of whose bits are set, which say that it does not. */
static struct insn of_edges(uint64_t number, struct insn_access *accesses)
{
    static const int64_t differences[] = {-128, 127, -127, 128, -32768, 32767, 32768, 0, 1, -129, INT64_MIN, INT64_MAX};
    static uint64_t address;
    uint64_t const which = mixed(number) % (number < 100 ? 3 : 12);

    address = number == 0 ? 1 << 20 : address + (uint64_t)differences[which];
    return with_access(in_loop(number, 1, false), accesses, address);
}

static void edges_of_bytes(void **state)
{
    (void)state;
    comes_back(of_edges, 5000, true);
}

/* More instructions with wild accesses than a block may have, over several blocks. */
static struct insn of_many(uint64_t number, struct insn_access *accesses)
{
    return with_access(in_loop(number, 5000, false), accesses, mixed(number) >> 20);
}

static void many_irregular_columns(void **state)
{
    (void)state;
    comes_back(of_many, 900000, true);
}

/* Two arrays with one index that nothing foresees: the second moves twice as far as the first, or four times. */
static struct insn of_two_arrays(uint64_t number, struct insn_access *accesses)
{
    uint64_t const index = mixed(number / 4) % 16384;
    uint64_t const address = number % 4 == 0 ? 0x10000 + 2 * index : number % 4 == 1 ? 0x400000 + 4 * index
        : 0x800000 + 8 * index;
    struct insn const insn = in_loop(number, 4, false);

    return number % 4 == 3 ? insn : with_access(insn, accesses, address);
}

static void arrays_with_one_index(void **state)
{
    (void)state;
    /* The first takes 2 bytes of the 4 instructions. */
    assert_in_range(comes_back(of_two_arrays, 400000, true), 0, 230000);
    assert_in_range(comes_back(of_two_arrays, 400000, false), 0, 230000);
}

/* ---- joins */

/* A loop of 3 instructions that goes round 40 times, then one of 5 instructions 3 times, or at times just once. */
static struct insn of_loops(uint64_t number, struct insn_access *accesses)
{
    uint64_t const visit = number / 135, at = number % 135;
    bool const is_short = mixed(visit) % 4 == 0;

    (void)accesses;
    if (at < 120)
        return in_loop(at, 3, at == 119);

    struct insn insn = in_loop(at - 120, is_short && at < 125 ? 5 : 10, at == 134);

    insn.pc += 0x400;
    return insn;
}

static void loops_are_joined(void **state)
{
    (void)state;
    /* 6,600 visits, whose continuations are written; the iterations of the loops are not. */
    assert_in_range(comes_back(of_loops, 900000, true), 0, 20000);
    comes_back(of_loops, 900000, false);
}

/* Three loops of 3 instructions, in any order, that go round 100 to 400 times: longer than guesses look back. */
static struct insn of_long_loops(uint64_t number, struct insn_access *accesses)
{
    static uint64_t visits, length, at;
    struct insn insn;

    if (number == 0)
        visits = length = at = 0;
    if (at == length) {
        length = 3 * (100 + mixed(visits++) % 300);
        at = 0;
    }
    at++;
    insn = in_loop(at - 1, 3, at == length);
    insn.pc += 0x400 * (mixed(visits) % 3);
    return at % 3 == 1 ? with_access(insn, accesses, 0x10000 + 8 * (number % 1000)) : insn;
}

static void long_loops_are_looked_up_once(void **state)
{
    (void)state;
    comes_back(of_long_loops, 300000, true);
    comes_back(of_long_loops, 300000, false);
}

/* Nothing comes again. */
static struct insn of_no_loop(uint64_t number, struct insn_access *accesses)
{
    struct insn insn = in_loop(number, 3, mixed(number) % 2);

    (void)accesses;
    insn.pc += 0x10 * (mixed(number / 3) % 500);
    return insn;
}

static void code_without_repetition(void **state)
{
    (void)state;
    comes_back(of_no_loop, 600000, true);
}

/* ---- how they are packed */

enum { SCATTERED_BYTES = 1 << 16 };

/* Packs the column and unpacks it again; answers its bytes packed. */
static size_t packed_bytes(struct column_packer *packer, const struct column *column)
{
    struct column payload = {0};
    struct columns_unpacked unpacked = {0};
    struct column_bytes taken, bytes;
    size_t which, made;

    assert_true(columns_pack(packer, column, 1, &payload));
    made = payload.length;
    bytes = (struct column_bytes){payload.at, payload.at + payload.length, false};
    assert_true(columns_unpack(&unpacked, &bytes, SCATTERED_BYTES, 1, &taken, &which));
    assert_int_equal(taken.end - taken.at, column->length);
    assert_memory_equal(taken.at, column->at, column->length);
    columns_unpacked_free(&unpacked);
    column_free(&payload);
    return made;
}

/* column.h: of scattered columns larger than a quarter, only repetitions are packed the next time */
static void scattered_columns_are_left(void **state)
{
    struct column_packer *const packer = column_packer_make(true);
    struct column bytes = {0}, zeros = {0};
    size_t first;

    assert_non_null(packer);
    for (uint64_t i = 0; i < SCATTERED_BYTES; i++) {
        column_put_byte(&bytes, (unsigned)(mixed(i) >> 59));        /* 5 bits each */
        column_put_byte(&zeros, 0);
    }
    first = packed_bytes(packer, &bytes);
    assert_in_range(first, SCATTERED_BYTES / 2, SCATTERED_BYTES / 4 * 3);
    assert_int_equal(packed_bytes(packer, &bytes), first);
    bytes.is_scattered = zeros.is_scattered = true;
    assert_int_equal(packed_bytes(packer, &bytes), first);
    assert_in_range(packed_bytes(packer, &bytes), SCATTERED_BYTES / 10 * 9, SCATTERED_BYTES + 16);
    bytes.is_scattered = false;
    assert_int_equal(packed_bytes(packer, &bytes), first);
    bytes.is_scattered = true;
    assert_in_range(packed_bytes(packer, &zeros), 1, 100);
    assert_int_equal(packed_bytes(packer, &bytes), first);
    column_free(&bytes);
    column_free(&zeros);
    column_packer_free(packer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(irregular_columns_take_their_bytes), cmocka_unit_test(irregular_columns_become_wider),
        cmocka_unit_test(edges_of_bytes), cmocka_unit_test(many_irregular_columns),
        cmocka_unit_test(arrays_with_one_index),
        cmocka_unit_test(loops_are_joined), cmocka_unit_test(long_loops_are_looked_up_once),
        cmocka_unit_test(code_without_repetition), cmocka_unit_test(scattered_columns_are_left)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
