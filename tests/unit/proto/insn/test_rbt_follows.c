/* .rbt: accesses whose addresses follow from others are not stored, and stay so when a file is packed anew or cut. */
#include "tests/support/unit.h"

#include <unistd.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "proto/insn/rbt/copy.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/temporary_file.h"
#include "tests/support/random_numbers.h"

enum { GROUP = 4, GROUPS = 3000, MOST_BYTES = 1 << 20, CHUNK_HEAD = 24, CHUNK_HASH = 16 };

static char path[TEMPORARY_PATH], other[TEMPORARY_PATH];
static struct fault error;

static uint64_t address_of(uint64_t group)
{
    return (group + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* An access somewhere; one behind it; one behind that, and one beside the code; one behind the first again. */
static struct insn insn_at(uint64_t at, struct insn_access *accesses, bool follow)
{
    uint64_t const group = at / GROUP, pc = 0x1000 + 4 * (at % GROUP), first = address_of(group);
    unsigned count = 1;

    memset(accesses, 0, 2 * sizeof *accesses);
    accesses[0].size_bytes = accesses[1].size_bytes = 8;
    if (at % GROUP == 0) {
        accesses[0].address = first;
    } else if (at % GROUP == 1) {
        accesses[0] = (struct insn_access){.address = first + 24, .size_bytes = 8, .back = 1, .by = 24};
    } else if (at % GROUP == 2) {
        accesses[0] = (struct insn_access){.address = first + 16, .size_bytes = 4, .back = 1, .by = 0 - UINT64_C(8)};
        accesses[1] = (struct insn_access){.address = pc + 0x200, .size_bytes = 4, .is_write = true, .is_of_pc = true,
                                           .by = 0x200};
        count = 2;
    } else {
        accesses[0] = (struct insn_access){.address = first, .size_bytes = 8, .is_write = true, .back = 4};
    }
    for (unsigned i = 0; i < count && !follow; i++) {
        accesses[i].back = 0;
        accesses[i].by = 0;
        accesses[i].is_of_pc = false;
    }
    return (struct insn){.thread = 1, .pc = pc, .size_bytes = 4, .form = INSN_EXECUTED, .accesses = accesses,
                         .access_count = count};
}

static struct rbt_writer *create(void)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .source = "a test", .command = ""};
    struct rbt_writer *const writer = rbt_writer_create(path, &about, &error);

    if (!writer)
        fail_msg("%s", fault_text(error));
    assert_int_equal(rbt_writer_thread(writer, 1, &error), 0);
    return writer;
}

static void finish(struct rbt_writer *writer)
{
    if (FAILS(error, rbt_writer_finish(writer)))
        fail_msg("%s", fault_text(error));
}

static void write_groups(bool follow)
{
    struct rbt_writer *const writer = create();
    struct insn_access accesses[2];

    for (uint64_t i = 0; i < GROUP * GROUPS; i++) {
        struct insn const insn = insn_at(i, accesses, follow);

        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
    }
    finish(writer);
}

static struct insn_trace *open_trace(const char *name)
{
    struct insn_trace *const trace = insn_trace_open_raw(name, &error);

    if (!trace)
        fail_msg("%s", fault_text(error));
    return trace;
}

/* Instructions from `at` on are as they were; of how many accesses they follow. */
static unsigned read_groups(const char *name, uint64_t at, uint64_t *bytes)
{
    struct insn_trace *const trace = open_trace(name);
    struct insn_cursor *const cursor = insn_cursor_open(trace, 0, &error);
    unsigned followed = 0;
    struct insn_event event;
    uint64_t images;

    assert_non_null(cursor);
    while (insn_cursor_next(cursor, &event, &error) == INSN_RECORD) {
        struct insn_access accesses[2];
        struct insn const insn = insn_at(at, accesses, true);

        if (event.is_marker)
            continue;
        assert_int_equal(event.insn.pc, insn.pc);
        assert_int_equal(event.insn.access_count, insn.access_count);
        for (size_t i = 0; i < insn.access_count; i++) {
            assert_int_equal(event.insn.accesses[i].address, accesses[i].address);
            assert_int_equal(event.insn.accesses[i].size_bytes, accesses[i].size_bytes);
            assert_int_equal(event.insn.accesses[i].is_write, accesses[i].is_write);
            followed += insn_access_follows(&event.insn.accesses[i]);
        }
        at++;
    }
    assert_int_equal(at, GROUP * GROUPS);
    insn_cursor_close(cursor);
    *bytes = insn_trace_bytes(trace, &images);
    insn_trace_close(trace);
    return followed;
}

/* Of five addresses one is stored: eight bytes that nothing tells. */
static void are_not_stored(void **state)
{
    uint64_t bytes, plain;

    (void)state;
    make_temporary_file(path);
    write_groups(false);
    assert_int_equal(read_groups(path, 0, &plain), 0);
    write_groups(true);
    assert_int_equal(read_groups(path, 0, &bytes), 4 * GROUPS);
    assert_true(bytes < 9 * GROUPS + 1000);
    assert_true(plain > bytes);
    unlink(path);
}

/* A part that begins between an access and what follows from it has that stored. */
static void parts_begin_anywhere(void **state)
{
    (void)state;
    make_temporary_file(path);
    make_temporary_file(other);
    write_groups(true);
    for (uint64_t first = 0; first < GROUP; first++) {
        /* Of the first group: those that are left out, and those whose origin is. */
        static const unsigned lost[GROUP] = {0, 2, 3, 4};
        struct rbt_copy_request const request = {.path = other, .first = first, .behind = UINT64_MAX};
        struct insn_trace *const trace = open_trace(path);
        struct rbt_copy_result result;
        uint64_t bytes;

        assert_true(WORKS(error, rbt_copy(trace, &request, &result)));
        insn_trace_close(trace);
        assert_int_equal(read_groups(other, first, &bytes), 4 * GROUPS - lost[first]);
    }
    unlink(path);
    unlink(other);
}

/* ---- damage */

/* Renews the hash of the chunk that contains byte `at`. */
static void seal(uint8_t *bytes, size_t size, size_t at)
{
    for (size_t chunk = 16, behind; chunk + CHUNK_HEAD <= size; chunk = behind) {
        struct hash64_pieces pieces;

        behind = chunk + CHUNK_HEAD + ((size_t)bits_load64(bytes + chunk + 8) + 7) / 8 * 8;
        if (at >= behind)
            continue;
        hash64_begin(&pieces);
        hash64_add(&pieces, bytes + chunk, CHUNK_HASH);
        hash64_add(&pieces, bytes + chunk + CHUNK_HEAD, behind - chunk - CHUNK_HEAD);
        bits_store64(bytes + chunk + CHUNK_HASH, hash64_end(&pieces));
        return;
    }
    fail();
}

/* 200 accesses, and one that follows from the first. */
static void write_far(void)
{
    struct rbt_writer *const writer = create();
    struct insn_access access = {.address = 0x5000, .size_bytes = 8};
    struct insn insn = {.pc = 0x1000, .size_bytes = 4, .accesses = &access, .access_count = 1};

    for (unsigned i = 0; i < 200; i++, access.address += 8)
        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
    access = (struct insn_access){.address = 0x5000 + 0x2b, .size_bytes = 8, .back = 200, .by = 0x2b};
    insn.pc = 0x1004;
    assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
    finish(writer);
}

static uint8_t *read_bytes(size_t *size)
{
    FILE *const file = fopen(path, "rb");
    uint8_t *const bytes = malloc(MOST_BYTES);

    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return bytes;
}

static void write_bytes(const uint8_t *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Answers whether it is read to its end. */
static bool is_read(void)
{
    struct insn_trace *const trace = insn_trace_open_raw(path, &error);
    struct insn_cursor *const cursor = trace ? insn_cursor_open(trace, 0, &error) : NULL;
    enum insn_step step = INSN_FAILED;
    struct insn_event event;

    while (cursor && (step = insn_cursor_next(cursor, &event, &error)) == INSN_RECORD) {}
    if (cursor)
        insn_cursor_close(cursor);
    if (trace)
        insn_trace_close(trace);
    return step == INSN_END;
}

static void references_before_the_block_are_refused(void **state)
{
    static const uint8_t wanted[] = {8 << 3, 8 << 3 | 1, 200, 0x2b << 1};
    static const struct { unsigned at; uint8_t byte; const char *text; } cases[] = {
        {2, 201, "damaged row_accesses in a block"}, {2, 0, "damaged row_accesses in a chunk"},
        {1, 8 << 3 | 3, "damaged row_accesses in a chunk"}};

    (void)state;
    make_temporary_file(path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size, at = 0;
        uint8_t *bytes;

        write_far();
        assert_true(is_read());
        bytes = read_bytes(&size);
        /* Between the two is the number of the second row's accesses. */
        while (at + 5 < size && (bytes[at] != wanted[0] || memcmp(bytes + at + 2, wanted + 1, 3) != 0))
            at++;
        assert_true(at + 5 < size);
        bytes[at + 1 + cases[i].at] = cases[i].byte;
        seal(bytes, size, at);
        write_bytes(bytes, size);
        assert_false(is_read());
        assert_text(fault_text(error), cases[i].text);
        free(bytes);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_not_stored), cmocka_unit_test(parts_begin_anywhere),
        cmocka_unit_test(references_before_the_block_are_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
