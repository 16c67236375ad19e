/* proto/io/io_stream.h, xz: by its magic and if asked for; streams behind each other, truncation, damage, block
 * edges, an open file (gpu-traces 1.2). */
#include <fcntl.h>
#include <lzma.h>
#include <unistd.h>

#include "proto/io/io_stream.h"
#include "tests/support/unit.h"

enum { SIZE = 700000 };              /* more than two blocks */

static uint8_t plain[SIZE], packed[2 * SIZE];
static size_t packed_size;
static bool threaded;                /* the whole group runs without and with a thread */
static bool is_damaged;              /* the output may be wrong until the check sum is checked */

/* Appends plain[from, to) as an xz stream to packed. */
static void add_stream(size_t from, size_t to)
{
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, plain + from, to - from, packed, &packed_size,
                                             sizeof packed), LZMA_OK);
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

/* Reads to the end in pieces and compares. Answer: the last status; *got: how many bytes came. */
static enum stream_status read_source(const struct stream_source *source, size_t piece, size_t *got,
                                      struct fault *error)
{
    enum stream_status status;
    struct stream stream;

    *got = 0;
    if (FAILS(*error, stream_open(&stream, source)))
        return STREAM_FAILED;
    do {
        size_t take;

        status = stream_need(&stream, piece, error);
        take = status == STREAM_OK ? piece : (size_t)(stream.end - stream.next);
        assert_true(*got + take <= SIZE);
        assert_int_equal(stream_offset(&stream, stream.next), *got);
        if (!is_damaged)
            assert_memory_equal(stream.next, plain + *got, take);
        stream.next += take;
        *got += take;
    } while (status == STREAM_OK);
    stream_close(&stream);
    return status;
}

static enum stream_status read_packed(size_t size, size_t piece, size_t *got, struct fault *error)
{
    return read_source(&(struct stream_source){.path = "test", .data = packed, .size = size, .threaded = threaded,
                                               .unpacks_all = true}, piece, got, error);
}

static void reads_xz(void **state)
{
    static const size_t pieces[] = {1, 7, 511, 512, 513, 100000};
    struct fault error;
    size_t got;

    packed_size = 0;
    add_stream(0, SIZE);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        assert_int_equal(read_packed(packed_size, pieces[i], &got, &error), STREAM_SHORT);
        assert_int_equal(got, SIZE);
    }
}

/* proto/io/xz.h: "Streams that follow each other, and padding between them, are one text" */
static void reads_streams(void **state)
{
    struct fault error;
    size_t got;

    packed_size = 0;
    add_stream(0, 10);
    memset(packed + packed_size, 0, 8);
    packed_size += 8;
    add_stream(10, 10);
    add_stream(10, SIZE);
    assert_int_equal(read_packed(packed_size, 5000, &got, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    memcpy(packed + packed_size, "garbage garbage", 16);
    assert_int_equal(read_packed(packed_size + 16, 5000, &got, &error), STREAM_FAILED);
    assert_int_equal(got, SIZE);
    assert_non_null(strstr(fault_text(error), "something else follows"));
}

/* "All bytes before a fault are delivered before the fault is reported" */
static void notices_truncation(void **state)
{
    struct fault error;
    size_t got, before = 0;

    packed_size = 0;
    add_stream(0, SIZE);
    for (size_t size = 6; size < packed_size; size += size < 100 || size > packed_size - 100 ? 1 : 9973) {
        assert_int_equal(read_packed(size, 100, &got, &error), STREAM_FAILED);
        assert_true(got >= before);
        before = got;
        assert_non_null(strstr(fault_text(error), "the xz data breaks off"));
    }
}

static void notices_damage(void **state)
{
    struct fault error;
    size_t got;

    packed_size = 0;
    add_stream(0, SIZE);
    is_damaged = true;
    for (size_t at = 6; at < packed_size; at += at < 100 || at > packed_size - 100 ? 1 : 4999) {
        packed[at] ^= 0x10;
        assert_int_equal(read_packed(packed_size, 100, &got, &error), STREAM_FAILED);
        assert_non_null(strstr(fault_text(error), "the xz data "));
        packed[at] ^= 0x10;
    }
    is_damaged = false;
}

/* else xz's bytes are passed through unchanged */
static void only_if_asked_for(void **state)
{
    struct fault error;
    struct stream stream;

    packed_size = 0;
    add_stream(0, 100);
    assert_true(
        WORKS(error,
              stream_open(&stream, &(struct stream_source){.path = "test", .data = packed, .size = packed_size})));
    assert_int_equal(stream_need(&stream, packed_size, &error), STREAM_OK);
    assert_memory_equal(stream.next, packed, packed_size);
    stream_close(&stream);
    /* what only begins like it is plain */
    for (size_t size = 0; size < 6; size++) {
        assert_true(WORKS(error, stream_open(&stream, &(struct stream_source){.path = "test",
                                                                              .data = packed,
                                                                              .size = size,
                                                                              .unpacks_all = true})));
        assert_int_equal(stream_need(&stream, 100, &error), STREAM_SHORT);
        assert_int_equal(stream.end - stream.next, size);
        stream_close(&stream);
    }
}

/* header: "or an open file if has_descriptor", "the descriptor becomes the stream's, on failure too" */
static void reads_files_and_descriptors(void **state)
{
    char path[] = "/tmp/rubato-xz.XXXXXX";
    int const file = mkstemp(path);
    struct stream_source source = {.path = "named", .unpacks_all = true, .has_descriptor = true, .threaded = threaded};
    struct fault error;
    struct stream stream;
    size_t got;

    packed_size = 0;
    add_stream(0, SIZE);
    assert_int_equal(write(file, packed, packed_size), packed_size);
    close(file);
    assert_int_equal(read_source(&(struct stream_source){.path = path, .unpacks_all = true, .threaded = threaded}, 4096,
                                 &got, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    source.descriptor = open(path, O_RDONLY);
    assert_int_equal(read_source(&source, 4096, &got, &error), STREAM_SHORT);
    assert_int_equal(got, SIZE);
    assert_int_equal(fcntl(source.descriptor, F_GETFD), -1);
    unlink(path);
    source.descriptor = open("/tmp", O_RDONLY);
    assert_false(WORKS(error, stream_open(&stream, &source)));
    assert_non_null(strstr(fault_text(error), "named: is a folder"));
    assert_int_equal(fcntl(source.descriptor, F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_xz), cmocka_unit_test(reads_streams), cmocka_unit_test(notices_truncation),
        cmocka_unit_test(notices_damage), cmocka_unit_test(only_if_asked_for),
        cmocka_unit_test(reads_files_and_descriptors)
    };

    int const failures = cmocka_run_group_tests_name("xz", tests, fill_plain, NULL);

    threaded = true;
    return failures + cmocka_run_group_tests_name("xz with a thread", tests, fill_plain, NULL);
}
