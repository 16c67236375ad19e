/* proto/dep_template.h, by way of proto/dep_trace.h: records that repeat with other numbers are what protobuf-c makes
 * of them, whole or spoilt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/protobuf_reference.h"
#include "tests/support/random_numbers.h"
#include "tests/support/wire_bytes.h"

static struct bytes file, message;

static struct dep_reader *open_file(void)
{
    struct proto_error error = {""};
    struct dep_reader *const reader = dep_reader_open_memory("test", file.at, file.length, &error);

    if (reader == NULL)
        fail_msg("%s", error.text);
    return reader;
}

/* One of eight static instructions as gem5 writes them; numbers change as in a run, or more. */
static void put_alike_record(uint64_t seq_num, unsigned which)
{
    bool const accesses = which & 1, is_wild = random_below(16) == 0;

    put_number(&message, 1, seq_num);
    put_number(&message, 2, accesses ? DEP_LOAD : DEP_COMP);
    if (accesses) {
        put_number(&message, 3, is_wild ? random_number() : 100000 + random_below(4000));
        put_number(&message, 4, which);
        put_number(&message, 5, 3);
    }
    for (unsigned i = 0; i < which / 4; i++)
        put_number(&message, 6, seq_num - 1 - random_below(40));
    put_number(&message, 7, is_wild ? random_number() : 500 + random_below(4000));
    for (unsigned i = 0; i < which / 2 % 4; i++)
        put_number(&message, 8, seq_num - 1 - random_below(40));
    if (which == 2 || is_wild)
        put_number(&message, 9, 1);
    put_number(&message, 10, 65536 + 4 * which);
    if (which == 7) {
        put_number(&message, 11, UINT64_C(0x7fff00000000) + random_below(1 << 20));
        put_number(&message, 12, 1);
    }
    put_message(&file, &message);
    message.length = 0;
}

/* A loop of 20 records that sometimes is left, around a sequence number; numbers of two lengths meet there. */
static void put_alike_records(uint64_t seq_num)
{
    file.length = 0;
    put_start(&file, 576);
    for (unsigned i = 0; i < 400; i++)
        put_alike_record(seq_num += i % 7 == 0 ? 2 : 1, random_below(9) == 0 ? (unsigned)random_below(8) : i % 20 % 8);
}

static const uint64_t alike_from[] = {100, 16000, 2097000, 268435200, UINT64_C(34359738100), UINT64_C(1) << 49};
enum { ALIKE_STARTS = sizeof alike_from / sizeof alike_from[0] };

static void alike_messages_equal_protobuf_c(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        put_alike_records(alike_from[round % ALIKE_STARTS]);
        reader = open_file();
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %u, record %u: %s", round, (unsigned)count, difference);
        assert_int_equal(count, 400);
        dep_reader_close(reader);
    }
}

static void spoilt_alike_messages_equal_protobuf_c(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        struct dep_reader *reader;
        const char *difference;
        uint64_t count;

        put_alike_records(alike_from[round % ALIKE_STARTS]);
        for (uint64_t i = 1 + random_below(3); i > 0; i--)
            file.at[file.length / 2 + random_below(file.length / 2)] = (uint8_t)random_bits();
        reader = open_file();
        difference = compare_dep_records(file.at, file.length, reader, &count);
        if (difference != NULL)
            fail_msg("round %u, record %u: %s", round, (unsigned)count, difference);
        dep_reader_close(reader);
    }
}

/* header: "a reader's records of the same number are equal in pc and in what stands between size_bytes and
 * reg_dep_count"; most have a number that was there before. */
static void records_that_are_alike_are_equal(void **state)
{
    static struct dep_record seen[4096];
    struct proto_error error;
    struct dep_record record;
    struct dep_reader *reader;
    unsigned again = 0;

    (void)state;
    put_alike_records(16000);
    reader = open_file();
    while (dep_reader_next(reader, &record, &error) == DEP_RECORD) {
        struct dep_record *const first = &seen[record.alike];

        assert_in_range(record.alike, 0, 4095);
        if (record.alike == 0)
            continue;
        if (first->alike == 0) {
            *first = record;
            continue;
        }
        again++;
        assert_int_equal(first->pc, record.pc);
        assert_memory_equal(&first->size_bytes, &record.size_bytes,
                            offsetof(struct dep_record, rob_dep) - offsetof(struct dep_record, size_bytes));
    }
    dep_reader_close(reader);
    assert_in_range(again, 200, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_messages_equal_protobuf_c), cmocka_unit_test(spoilt_alike_messages_equal_protobuf_c),
        cmocka_unit_test(records_that_are_alike_are_equal)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
