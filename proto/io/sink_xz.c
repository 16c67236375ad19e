#define _POSIX_C_SOURCE 200809L
#include "proto/io/sink_xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVEL = 1, BLOCK = 64 * 1024 };

struct sink_xz {
    lzma_stream stream;
    int file;
    uint8_t block[BLOCK];
};

struct sink_xz *sink_xz_open(int descriptor)
{
    struct sink_xz *const xz = malloc(sizeof *xz);

    if (xz == NULL)
        return NULL;
    xz->stream = (lzma_stream)LZMA_STREAM_INIT;
    xz->file = descriptor;
    if (lzma_easy_encoder(&xz->stream, LEVEL, LZMA_CHECK_CRC64) != LZMA_OK) {
        free(xz);
        return NULL;
    }
    xz->stream.next_out = xz->block;
    xz->stream.avail_out = BLOCK;
    return xz;
}

static const char *write_block(struct sink_xz *xz)
{
    const uint8_t *at = xz->block;
    size_t left = BLOCK - xz->stream.avail_out;

    while (left > 0) {
        ssize_t const written = write(xz->file, at, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? strerror(errno) : "the disk is full";
        at += written;
        left -= (size_t)written;
    }
    xz->stream.next_out = xz->block;
    xz->stream.avail_out = BLOCK;
    return NULL;
}

static const char *run(struct sink_xz *xz, lzma_action action)
{
    lzma_ret answer = LZMA_OK;

    while (answer == LZMA_OK && (action == LZMA_FINISH || xz->stream.avail_in > 0)) {
        const char *const problem = xz->stream.avail_out == 0 ? write_block(xz) : NULL;

        if (problem != NULL)
            return problem;
        answer = lzma_code(&xz->stream, action);
    }
    if (answer == LZMA_STREAM_END)
        return write_block(xz);
    return answer == LZMA_OK ? NULL : answer == LZMA_MEM_ERROR ? "out of memory" : "xz cannot go on";
}

const char *sink_xz_write(struct sink_xz *xz, const void *bytes, size_t count)
{
    xz->stream.next_in = bytes;
    xz->stream.avail_in = count;
    return run(xz, LZMA_RUN);
}

const char *sink_xz_close(struct sink_xz *xz, bool finish)
{
    const char *problem = finish ? run(xz, LZMA_FINISH) : NULL;

    lzma_end(&xz->stream);
    if (close(xz->file) != 0 && problem == NULL)
        problem = strerror(errno);
    free(xz);
    return problem;
}
