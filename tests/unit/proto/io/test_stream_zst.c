/* proto/io/io_stream.h and proto/io/sink.h, zstd: frames behind each other, truncation, damage, with a thread and
 * without; what the sink writes is read back. */
#include <unistd.h>
#include <zstd.h>

#include "proto/io/io_stream.h"
#include "proto/io/sink.h"
#include "tests/support/unit.h"

enum { SIZE = 700000 };              /* more than two blocks */

static uint8_t plain[SIZE], packed[2 * SIZE];
static size_t packed_size;
static bool threaded;                /* the whole group runs without and with a thread */

static void add_frame(size_t from, size_t to)
{
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    size_t made;

    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    made = ZSTD_compress2(context, packed + packed_size, sizeof packed - packed_size, plain + from, to - from);
    assert_false(ZSTD_isError(made));
    packed_size += made;
    ZSTD_freeCCtx(context);
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

/* Reads to the end in pieces; what is given first is right. */
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
        if (status != STREAM_FAILED)
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

static void reads_frames(void **state)
{
    static const size_t pieces[] = {1, 511, 512, 100000};
    struct fault error;
    size_t got;

    packed_size = 0;
    add_frame(0, 10);
    add_frame(10, 10);
    add_frame(10, SIZE);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        assert_int_equal(read_packed(packed_size, pieces[i], &got, &error), STREAM_SHORT);
        assert_int_equal(got, SIZE);
    }
    memcpy(packed + packed_size, "garbage garbage", 16);
    assert_int_equal(read_packed(packed_size + 16, 5000, &got, &error), STREAM_FAILED);
    assert_text(fault_text(error), "the zstd data is damaged (behind a frame are other bytes)");
    assert_int_equal(read_packed(packed_size + 3, 5000, &got, &error), STREAM_FAILED);
}

static void notices_truncation(void **state)
{
    struct fault error;
    size_t got, before = 0;

    packed_size = 0;
    add_frame(0, SIZE);
    for (size_t size = 6; size < packed_size; size += size < 100 || size > packed_size - 100 ? 1 : 9973) {
        assert_int_equal(read_packed(size, 100, &got, &error), STREAM_FAILED);
        assert_true(got >= before);
        before = got;
        assert_text(fault_text(error), "the zstd data breaks off");
    }
}

static void notices_damage(void **state)
{
    struct fault error;
    size_t got;

    packed_size = 0;
    add_frame(0, 3000);
    for (size_t at = packed_size - 4; at < packed_size; at++) {
        packed[at] ^= 0x10;
        assert_int_equal(read_packed(packed_size, 100, &got, &error), STREAM_FAILED);
        assert_text(fault_text(error), "its check sum is wrong");
        packed[at] ^= 0x10;
    }
}

static void only_if_asked_for(void **state)
{
    struct stream stream;
    struct fault error;

    packed_size = 0;
    add_frame(0, 100);
    assert_fine(stream_open(&stream, &(struct stream_source){.path = "test", .data = packed, .size = packed_size}));
    assert_int_equal(stream_need(&stream, packed_size, &error), STREAM_OK);
    assert_memory_equal(stream.next, packed, packed_size);
    stream_close(&stream);
}

static void sinks_are_read_back(void **state)
{
    char path[] = "/tmp/rubato-test-XXXXXX.zst";
    int const file = mkstemps(path, 4);
    struct fault error;
    struct sink *sink;
    size_t got;

    close(file);
    for (int whole = 0; whole < 2; whole++) {
        sink = sink_open_text(path, &error);
        assert_non_null(sink);
        for (size_t at = 0; whole == 1 && at < SIZE; at += 7000)
            assert_fine(sink_write(sink, plain + at, 7000));
        assert_fine(sink_close(sink));
        assert_int_equal(read_source(&(struct stream_source){.path = path, .unpacks_all = true, .threaded = threaded},
                                     4096, &got, &error), STREAM_SHORT);
        assert_int_equal(got, whole == 1 ? SIZE : 0);
    }
    sink = sink_open_text(path, &error);
    sink_discard(sink);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_frames), cmocka_unit_test(notices_truncation), cmocka_unit_test(notices_damage),
        cmocka_unit_test(only_if_asked_for), cmocka_unit_test(sinks_are_read_back)
    };

    int const failures = cmocka_run_group_tests_name("zstd", tests, fill_plain, NULL);

    threaded = true;
    return failures + cmocka_run_group_tests_name("zstd with a thread", tests, fill_plain, NULL);
}
