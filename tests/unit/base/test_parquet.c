/* base/parquet.h: the content of a file's pages, their places according to the footer, and failures of memory and
 * disk. That other programs read it: python/tests/test_parquet.py. */
#include <zlib.h>

#include "base/bits.h"
#include "base/parquet.h"
#include "tests/support/unit.h"

struct written {
    unsigned char bytes[1 << 16];
    size_t count;
};

static void read_back(FILE *file, struct written *written)
{
    rewind(file);
    written->count = fread(written->bytes, 1, sizeof written->bytes, file);
    fclose(file);
    assert_true(written->count < sizeof written->bytes);
    assert_memory_equal(written->bytes, "PAR1", 4);
    assert_memory_equal(written->bytes + written->count - 4, "PAR1", 4);
}

/* The n-th gzip member of the file, unpacked. */
static size_t unpack(const struct written *written, unsigned n, unsigned char *page, size_t room)
{
    for (size_t at = 0; at + 3 < written->count; at++) {
        z_stream stream = {.next_in = (Bytef *)(uintptr_t)(written->bytes + at),
                           .avail_in = (uInt)(written->count - at), .next_out = page, .avail_out = (uInt)room};

        if (memcmp(written->bytes + at, "\x1f\x8b\x08", 3) != 0 || n-- > 0)
            continue;
        assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        inflateEnd(&stream);
        return stream.total_out;
    }
    fail_msg("there are fewer pages");
    return 0;
}

static const struct parquet_column columns[] = {
    {"size", "bytes", PARQUET_INT64}, {"share", NULL, PARQUET_DOUBLE}, {"name", "", PARQUET_STRING}};

/* "cells that were not put are null", "in any order", "a byte that is none becomes the character of its number" */
static void pages_hold_the_cells_that_were_put(void **state)
{
    static const unsigned char sizes[] = {2, 0, 0, 0, 3, 0x05, 0, 2, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                          0xff, 0xff};
    static const unsigned char names[] = {2, 0, 0, 0, 6, 1, 0, 0, 0, 0, 3, 0, 0, 0, 'a', 0xc3, 0xa9, 2, 0, 0, 0, 0xc3,
                                          0xa9};
    struct parquet parquet = {.file = tmpfile()};
    unsigned char page[256];
    struct written written;
    double share;

    parquet_begin(&parquet, columns, COUNT(columns));
    parquet_put_string(&parquet, 2, "");
    parquet_put_integer(&parquet, 0, 512);
    parquet_end_row(&parquet);
    parquet_put_string(&parquet, 2, "a\xc3\xa9");
    parquet_end_row(&parquet);
    parquet_put_string(&parquet, 2, "\xe9");
    parquet_put_real(&parquet, 1, 0.1);
    parquet_put_integer(&parquet, 0, UINT64_MAX);
    parquet_end_row(&parquet);
    assert_true(parquet_close(&parquet));
    read_back(parquet.file, &written);

    assert_int_equal(unpack(&written, 0, page, sizeof page), sizeof sizes + 1);
    assert_memory_equal(page, sizes, 6);
    assert_int_equal(bits_load64(page + 6), 512);
    assert_true(bits_load64(page + 14) == UINT64_MAX);
    assert_int_equal(unpack(&written, 1, page, sizeof page), 6 + 8);
    assert_int_equal(page[5], 0x04);
    memcpy(&share, page + 6, sizeof share);
    assert_true(share == 0.1);
    assert_int_equal(unpack(&written, 2, page, sizeof page), sizeof names);
    assert_memory_equal(page, names, sizeof names);
}

/* "A column's [unit] under the key `unit` in its metadata, all of them as a JSON object"; "the metadata's length" */
static void the_footer_has_units_and_its_length(void **state)
{
    struct parquet parquet = {.file = tmpfile()};
    struct written written;
    const char *end;
    size_t length;

    parquet_begin(&parquet, columns, COUNT(columns));
    parquet_put_integer(&parquet, 0, 1);
    parquet_end_row(&parquet);
    assert_true(parquet_close(&parquet));
    read_back(parquet.file, &written);
    length = bits_load32(written.bytes + written.count - 8);
    assert_true(length + 12 < written.count);
    end = (const char *)written.bytes + written.count - 8 - length;
    assert_memory_equal(end, "\x15\x02\x19\x4c\x48\x06schema", 12);
    assert_non_null(memmem(end, length, "\x18\x04unit\x18\x05" "bytes", 13));
    assert_non_null(memmem(end, length, "\x18\x05units\x18\x10{\"size\":\"bytes\"}", 25));
    assert_non_null(memmem(end, length, "\x18\x0cPANDAS_ATTRS\x18\x1a{\"units\":{\"size\":\"bytes\"}}", 42));
}

/* "these are a row group": all rows are there, whatever many. */
static void many_rows_are_several_groups(void **state)
{
    enum { ROWS = (1 << 20) + 3 };
    struct parquet parquet = {.file = tmpfile()};
    struct written written;
    unsigned char page[64];

    parquet_begin(&parquet, columns, 1);
    for (unsigned i = 0; i < ROWS; i++) {
        if (i >= 1 << 20)
            parquet_put_integer(&parquet, 0, i);
        parquet_end_row(&parquet);
    }
    assert_int_equal(parquet.group_count, 1);
    assert_true(parquet_close(&parquet));
    assert_int_equal(parquet.group_count, 2);
    read_back(parquet.file, &written);
    assert_int_equal(unpack(&written, 0, page, sizeof page), 4 + 4 + 1);
    assert_memory_equal(page, "\x05\0\0\0\x80\x80\x80\x01\0", 9);
    assert_int_equal(unpack(&written, 1, page, sizeof page), 4 + 2 + 3 * 8);
    assert_memory_equal(page, "\x02\0\0\0\x06\x01", 6);
    assert_int_equal(bits_load64(page + 6 + 16), ROWS - 1);
}

/* "without memory `failed` is set, and parquet_close answers false" */
static void a_failed_allocation_is_reported(void **state)
{
    struct parquet parquet = {.file = tmpfile()};

    parquet_begin(&parquet, columns, COUNT(columns));
    parquet.groups.failed = true;
    parquet_put_integer(&parquet, 0, 1);
    parquet_end_row(&parquet);
    assert_false(parquet_close(&parquet));
    fclose(parquet.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_hold_the_cells_that_were_put),
        cmocka_unit_test(the_footer_has_units_and_its_length),
        cmocka_unit_test(many_rows_are_several_groups),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
