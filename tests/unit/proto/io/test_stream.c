/* proto/io/io_stream.h: gzip or plain by content, members, truncation, damage, block edges (elastic-trace 1.1, 1.5). */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "proto/io/io_stream.h"
#include "tests/support/unit.h"

enum { SIZE = 700000 };              /* more than two blocks */

static uint8_t plain[SIZE], packed[2 * SIZE];
static size_t packed_size;
static bool threaded;                /* the whole group runs without and with a thread, */
static bool shared;                  /* and with one of ours that helps */

/* Appends a gzip member with plain[from, to) to packed. */
static void add_member(size_t from, size_t to)
{
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = plain + from;
    z.avail_in = (uInt)(to - from);
    z.next_out = packed + packed_size;
    z.avail_out = (uInt)(sizeof packed - packed_size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed_size = sizeof packed - z.avail_out;
    deflateEnd(&z);
}

static int fill_plain(void **state)
{
    uint32_t number = 1;

    for (size_t i = 0; i < SIZE; i++) {
        number = number * 1664525 + 1013904223;
        plain[i] = (uint8_t)(number >> (i % 3 == 0 ? 24 : 30));
    }
    return 0;
}

struct helper {
    pthread_t thread;
    struct stream *stream;
    atomic_bool is_done;
    unsigned long blocks;
};

static void *help(void *argument)
{
    struct helper *const helper = argument;

    while (!atomic_load(&helper->is_done))
        if (stream_unpack(helper->stream))
            helper->blocks++;
        else
            sched_yield();
    return NULL;
}

static enum stream_status read_alone(struct stream *stream, size_t piece, size_t *got, struct fault *error);

/* Reads to the end in pieces of `piece` bytes and compares. Answer: the last status; *got: how many bytes came. */
static enum stream_status read_all(struct stream *stream, size_t piece, size_t *got, struct fault *error)
{
    struct helper helper = {.stream = stream};
    enum stream_status status;

    if (shared)
        assert_int_equal(pthread_create(&helper.thread, NULL, help, &helper), 0);
    status = read_alone(stream, piece, got, error);
    atomic_store(&helper.is_done, true);
    if (shared)
        pthread_join(helper.thread, NULL);
    return status;
}

static enum stream_status read_alone(struct stream *stream, size_t piece, size_t *got, struct fault *error)
{
    enum stream_status status;

    *got = 0;
    for (;;) {
        status = stream_need(stream, piece, error);

        size_t const have = (size_t)(stream->end - stream->next);
        size_t const take = status == STREAM_OK ? piece : have;

        assert_true(*got + take <= SIZE);
        assert_int_equal(stream_offset(stream, stream->next), *got);
        assert_memory_equal(stream->next, plain + *got, take);
        stream->next += take;
        *got += take;
        if (status != STREAM_OK)
            return status;
    }
}

static enum stream_status read_memory(const void *data, size_t size, bool salvage, size_t piece, size_t *got,
                                      bool *truncated,
                                      struct fault *error)
{
    struct stream stream;
    enum stream_status status;

    *truncated = false;
    *got = 0;
    if (FAILS(*error, stream_open(&stream, &(struct stream_source){.path = "test",
                                                                   .data = data,
                                                                   .size = size,
                                                                   .salvage = salvage,
                                                                   .threaded = threaded,
                                                                   .is_shared = shared})))
        return STREAM_FAILED;
    status = read_all(&stream, piece, got, error);
    *truncated = stream_truncated(&stream);
    stream_close(&stream);
    return status;
}

static void reads_plain_and_gzip(void **state)
{
    static const size_t pieces[] = {1, 7, 511, 512, 513, 100000};
    struct fault error;
    size_t got;
    bool truncated;

    packed_size = 0;
    add_member(0, SIZE);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        assert_int_equal(read_memory(plain, SIZE, false, pieces[i], &got, &truncated, &error), STREAM_SHORT);
        assert_int_equal(got, SIZE);
        assert_int_equal(read_memory(packed, packed_size, false, pieces[i], &got, &truncated, &error), STREAM_SHORT);
        assert_int_equal(got, SIZE);
        assert_false(truncated);
    }
}

/* header: "Gzip members may follow each other" */
static void reads_members(void **state)
{
    struct fault error;
    size_t got;
    bool truncated;

    packed_size = 0;
    add_member(0, 10);
    add_member(10, 10);
    add_member(10, 300000);
    add_member(300000, SIZE);
    assert_int_equal(read_memory(packed, packed_size, false, 5000, &got, &truncated, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    memcpy(packed + packed_size, "garbage", 7);
    assert_int_equal(read_memory(packed, packed_size + 7, false, 5000, &got, &truncated, &error), STREAM_FAILED);
    assert_int_equal(got, SIZE);
    assert_non_null(strstr(fault_text(error), "byte 700000: the gzip data ends here, but other bytes follow"));
}

/* header: "All bytes before a fault are delivered"; "Salvage: a gzip file that breaks off is no fault" */
static void notices_truncation(void **state)
{
    struct fault error;
    size_t got, before = 0;
    bool truncated;

    packed_size = 0;
    add_member(0, SIZE);
    for (size_t size = 2; size < packed_size; size += 1 + size / 3) {
        assert_int_equal(read_memory(packed, size, false, 1, &got, &truncated, &error), STREAM_FAILED);
        assert_non_null(strstr(fault_text(error), "breaks off"));
        assert_true(got >= before);
        before = got;
        assert_int_equal(read_memory(packed, size, true, 1, &got, &truncated, &error), STREAM_SHORT);
        assert_true(truncated);
        assert_int_equal(got, before);
    }
    assert_true(before > SIZE / 2);
    assert_int_equal(read_memory(packed, packed_size - 1, false, 1, &got, &truncated, &error), STREAM_FAILED);
    assert_int_equal(got, SIZE);
}

/* A changed byte behind the ten of the gzip header never passes. One byte, the last before check sum and length, may
 * end with unused bits. */
static void notices_damage(void **state)
{
    struct fault error;
    size_t got;
    bool truncated;

    packed_size = 0;
    add_member(0, 3000);
    for (size_t i = 10; i < packed_size; i++) {
        struct stream stream;

        packed[i] ^= 0x10;
        assert_true(
            WORKS(error,
                  stream_open(&stream, &(struct stream_source){.path = "test", .data = packed, .size = packed_size})));
        for (;;) {
            enum stream_status const status = stream_need(&stream, 1, &error);

            if (status == STREAM_SHORT && i != packed_size - 9)
                fail_msg("byte %zu was changed, and nobody noticed", i);
            if (status != STREAM_OK)
                break;
            stream.next = stream.end;
        }
        stream_close(&stream);
        packed[i] ^= 0x10;
    }
    assert_int_equal(read_memory(packed, packed_size, false, 1, &got, &truncated, &error), STREAM_SHORT);
    assert_int_equal(got, 3000);
}

static void reads_files_and_pipes(void **state)
{
    char path[] = "/tmp/rubato-test-XXXXXX";
    int const made = mkstemp(path);
    struct fault error;
    struct stream stream;
    size_t got;

    packed_size = 0;
    add_member(0, SIZE);
    assert_true(made >= 0);
    assert_int_equal(write(made, packed, packed_size), (ssize_t)packed_size);
    close(made);
    assert_true(WORKS(error, stream_open(&stream, &(struct stream_source){.path = path})));
    assert_true(stream_is_gzip(&stream));
    assert_int_equal(read_all(&stream, 300000, &got, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    assert_true(stream_position(&stream) == 1);
    stream_close(&stream);
    unlink(path);
    assert_false(WORKS(error, stream_open(&stream, &(struct stream_source){.path = path})));
    assert_non_null(strstr(fault_text(error), "cannot be opened"));
    assert_false(WORKS(error, stream_open(&stream, &(struct stream_source){.path = "/tmp"})));
    assert_non_null(strstr(fault_text(error), "is a folder"));

    /* a pipe that gives one byte first */
    int ends[2];
    char name[32];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], packed, 1), 1);
    if (fork() == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        _exit(write(ends[1], packed + 1, 30000) == 30000 ? 0 : 1);
    }
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    if (access(name, R_OK) == 0) {
        assert_true(WORKS(error, stream_open(&stream, &(struct stream_source){.path = name, .salvage = true})));
        assert_true(stream_is_gzip(&stream));
        assert_int_equal(read_all(&stream, 1, &got, &error), STREAM_SHORT);
        assert_true(stream_truncated(&stream));
        assert_true(got > 30000);
        stream_close(&stream);
    }
    close(ends[0]);
}

/* Status, bytes and error text by both libraries. */
static void assert_same_by_both(const void *data, size_t size, bool salvage)
{
    static uint8_t got[2][SIZE];
    enum stream_status status[2];
    struct fault error[2] = {{.kind = FAULT_NONE}, {.kind = FAULT_NONE}};
    size_t count[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        struct stream_source const source = {.path = "test", .data = data, .size = size, .salvage = salvage,
                                             .threaded = threaded, .is_shared = shared, .zlib_only = i == 1};
        struct stream stream;

        if (FAILS(error[i], stream_open(&stream, &source))) {
            status[i] = STREAM_FAILED;
            continue;
        }
        do {
            size_t take;

            status[i] = stream_need(&stream, 100, &error[i]);
            take = status[i] == STREAM_OK ? 100 : (size_t)(stream.end - stream.next);
            memcpy(got[i] + count[i], stream.next, take);
            stream.next += take;
            count[i] += take;
        } while (status[i] == STREAM_OK);
        stream_close(&stream);
    }
    assert_int_equal(status[0], status[1]);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(got[0], got[1], count[0]);
    assert_string_equal(fault_text(error[0]), fault_text(error[1]));
}

/* proto/io/io_stream.c: neither content nor error messages depend on the library */
static void both_libraries_agree(void **state)
{
    for (size_t length = 0; length < 3000; length += 1 + length / 20) {
        packed_size = 0;
        add_member(0, length);
        assert_same_by_both(packed, packed_size, false);
        add_member(length, length + 700);
        assert_same_by_both(packed, packed_size, false);
    }
    for (size_t cut = 0; cut < packed_size; cut += cut < 40 || cut + 20 > packed_size ? 1 : 7) {
        assert_same_by_both(packed, cut, false);
        assert_same_by_both(packed, cut, true);
    }
    for (size_t bit = 0; bit < 8 * packed_size; bit += bit < 200 ? 1 : 11) {
        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_same_by_both(packed, packed_size, false);
        packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* header: "Decompresses a block ahead of a shared stream"; it ends when there is no room, and nothing is lost */
static void is_unpacked_ahead(void **state)
{
    struct fault error;
    struct stream stream;
    size_t got, blocks = 0;

    packed_size = 0;
    add_member(0, SIZE);
    assert_true(WORKS(error, stream_open(&stream, &(struct stream_source){.path = "test",
                                                                          .data = packed,
                                                                          .size = packed_size,
                                                                          .threaded = true,
                                                                          .is_shared = true})));
    while (stream_unpack(&stream))
        blocks++;
    assert_in_range(blocks, 2, 7);
    assert_int_equal(read_alone(&stream, 1000, &got, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    assert_false(stream_unpack(&stream));
    stream_close(&stream);

    /* small, or plain: nothing is done ahead */
    for (int i = 0; i < 2; i++) {
        assert_true(WORKS(error, stream_open(&stream, &(struct stream_source){.path = "test",
                                                                              .data = i == 0 ? packed : plain,
                                                                              .size = i == 0 ? packed_size : SIZE,
                                                                              .threaded = i == 1,
                                                                              .is_shared = true})));
        assert_false(stream_unpack(&stream));
        assert_int_equal(read_alone(&stream, 1000, &got, &error), STREAM_SHORT);
        assert_int_equal(got, SIZE);
        stream_close(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_and_gzip), cmocka_unit_test(reads_members), cmocka_unit_test(notices_truncation),
        cmocka_unit_test(notices_damage), cmocka_unit_test(both_libraries_agree),
        cmocka_unit_test(reads_files_and_pipes), cmocka_unit_test(is_unpacked_ahead)
    };

    int failures = cmocka_run_group_tests_name("stream", tests, fill_plain, NULL);

    threaded = true;
    failures += cmocka_run_group_tests_name("stream with a thread", tests, fill_plain, NULL);
    shared = true;
    return failures + cmocka_run_group_tests_name("stream with help", tests, fill_plain, NULL);
}
