/* memsys/command/cmd_inline_ecc.h: places and extra accesses of inline ECC, worked out by hand. */
#include "memsys/command/cmd_inline_ecc.h"
#include "tests/support/command_bench.h"

static struct cmd_inline_ecc ecc;
static struct cmd_ecc_extra extra[CMD_ECC_MOST_EXTRA];

/* DDR4 x8: rows of 8 KiB, of which 7 KiB hold data; a line of 64 bytes covers 512. */
static void open_ecc(uint32_t lines)
{
    struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES, CMD_SANE);

    assert_fine(cmd_inline_ecc_init(&ecc, &bench->spec, lines));
    command_bench_close(bench);
}

static int close_ecc(void **state)
{
    cmd_inline_ecc_free(&ecc);
    return 0;
}

static void check_bits_lie_at_the_end_of_the_row(void **state)
{
    open_ecc(0);
    assert_int_equal(ecc.row_bytes, 8192);
    assert_int_equal(ecc.data_bytes, 7168);
    assert_int_equal(cmd_inline_ecc_place(&ecc, 7168 - 64), 7168 - 64);
    assert_int_equal(cmd_inline_ecc_place(&ecc, 7168), 8192);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 511, false, extra), 1);
    assert_int_equal(extra[0].address, 7168);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 512, false, extra), 1);
    assert_int_equal(extra[0].address, 7168 + 64);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 3 * 7168 + 7167, false, extra), 1);
    assert_int_equal(extra[0].address, 3 * 8192 + 7168 + 13 * 64);
    assert_true(extra[0].address < 4 * 8192);
}

/* Without kept lines: a read has a read, a write a read and a write, a partial one its data besides. */
static void without_kept_lines_each_access_has_its_own(void **state)
{
    open_ecc(0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 0, false, extra), 1);
        assert_int_equal(extra[0].kind, CMD_READ);
    }
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_WRITE, 0, false, extra), 2);
    assert_int_equal(extra[0].kind, CMD_READ);
    assert_int_equal(extra[1].kind, CMD_WRITE);
    assert_int_equal(extra[1].address, 7168);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_WRITE, 64, true, extra), 3);
    assert_int_equal(extra[0].kind, CMD_READ);
    assert_int_equal(extra[0].address, 64);
}

/* A stream of reads: one ECC read for eight of data. */
static void a_stream_needs_an_eighth(void **state)
{
    unsigned extras = 0;

    open_ecc(4);
    for (uint64_t offset = 0; offset < 7168; offset += 64)
        extras += cmd_inline_ecc_access(&ecc, CMD_READ, offset, false, extra);
    assert_int_equal(extras, 7168 / 512);
    assert_int_equal(ecc.hits, 7168 / 64 - 14);
    assert_int_equal(ecc.misses, 14);
}

/* The least recently used line leaves; it is written if it was changed. */
static void changed_lines_are_written_when_they_leave(void **state)
{
    open_ecc(2);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_WRITE, 0, false, extra), 1);         /* line A: fetched */
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_WRITE, 64, false, extra), 0);
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 512, false, extra), 1);        /* B */
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 0, false, extra), 0);          /* A is used again */
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 1024, false, extra), 1);       /* C for B, which is clean */
    assert_int_equal(cmd_inline_ecc_access(&ecc, CMD_READ, 1536, false, extra), 2);       /* D for A */
    assert_int_equal(extra[1].kind, CMD_WRITE);
    assert_int_equal(extra[1].address, 7168);
    assert_int_equal(ecc.writes, 1);
    assert_int_equal(ecc.reads, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(check_bits_lie_at_the_end_of_the_row, close_ecc),
        cmocka_unit_test_teardown(without_kept_lines_each_access_has_its_own, close_ecc),
        cmocka_unit_test_teardown(a_stream_needs_an_eighth, close_ecc),
        cmocka_unit_test_teardown(changed_lines_are_written_when_they_leave, close_ecc)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
