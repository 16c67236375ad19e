/* The elastic traces of the repository, and of $SHARED, each with its plain bytes: for tests that compare a reader's
 * output with the content of the file. The program must ask for POSIX 2008 before all includes. */
#ifndef TESTS_SUPPORT_TRACE_FILES_H
#define TESTS_SUPPORT_TRACE_FILES_H

#include <unistd.h>

#include "proto/io/io_stream.h"
#include "tests/support/unit.h"

typedef void compare_trace(const char *path, const uint8_t *data, size_t size);

/* The folder of reference data; tests/support/shell.sh says which. */
static inline const char *reference_folder(void)
{
    const char *const shared = getenv("SHARED");

    return shared != NULL ? shared : access("../shared", R_OK) == 0 ? "../shared" : "build/reference";
}

/* Plain bytes of a whole trace file, the caller's to free; NULL if it is not there. */
static inline uint8_t *inflate_file(const char *path, size_t *size)
{
    struct stream stream;
    struct fault error;
    uint8_t *data = NULL;
    size_t room = 0;

    *size = 0;
    if (FAILS(error, stream_open(&stream, &(struct stream_source){.path = path, .unpacks_all = true})))
        return NULL;
    while (stream_need(&stream, 1, &error) == STREAM_OK) {
        size_t const have = (size_t)(stream.end - stream.next);

        while (*size + have > room) {
            room = room == 0 ? 1 << 20 : 2 * room;
            data = realloc(data, room);
            assert_non_null(data);
        }
        memcpy(data + *size, stream.next, have);
        *size += have;
        stream.next = stream.end;
    }
    stream_close(&stream);
    return data;
}

/* All `count` of FOLDER/NAME/FILE must be there. */
static inline void compare_traces(const char *folder, const char *const *names, size_t count, const char *file,
                                  compare_trace *compare)
{
    for (size_t i = 0; i < count; i++) {
        char path[512];
        size_t size;
        uint8_t *data;

        snprintf(path, sizeof path, "%s/%s/%s", folder, names[i], file);
        data = inflate_file(path, &size);
        if (data == NULL)
            fail_msg("%s is not there", path);
        compare(path, data, size);
        free(data);
    }
}

static inline void compare_bundled_traces(const char *file, compare_trace *compare)
{
    static const char *const names[] = {"triad", "gups", "qsort"};

    compare_traces("tests/traces", names, COUNT(names), file, compare);
}

static inline void compare_shared_traces(const char *file, compare_trace *compare)
{
    /* those that are bundled, and the others */
    static const char *const names[] = {"chase", "gups", "hashjoin", "qsort", "spmv", "triad", "lz", "lz-virt",
                                        "matmul", "memops", "nbody", "nbody-512", "spmv-512"};
    enum { BUNDLED = 6 };
    char folder[400], part[400];

    snprintf(folder, sizeof folder, "%s/traces/elastic", reference_folder());
    if (access(folder, R_OK) != 0)
        skip();
    snprintf(part, sizeof part, "%s/part", reference_folder());
    compare_traces(folder, names, access(part, R_OK) == 0 ? BUNDLED : COUNT(names), file, compare);
}

#endif
